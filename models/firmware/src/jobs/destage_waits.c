// State that others set for de-staging: who waits for it, whether the drive is idle, and the order that the host wants.
#include "jobs/jobs.h"

// The request waits until older written data, or its own, are on the media.
void fw_destage_blocks(struct fw_context* ctx, uint32_t tag) {
  ctx->requests[tag].state = FW_REQUEST_BLOCKED;
  ctx->destage.blocked_requests++;
  fw_account(ctx, tag, FW_WAIT_DESTAGE);
  fw_show(ctx, FW_STATE_WAIT_DESTAGE, tag);
}

void fw_destage_unblocks(struct fw_context* ctx, uint32_t tag) {
  ctx->requests[tag].state = FW_REQUEST_AT_WORK;
  ctx->destage.blocked_requests--;
  fw_account(ctx, tag, FW_WAIT_OVER);
}

void fw_destage_flush(struct fw_context* ctx, enum fw_flush who) {
  ctx->destage.flush_waits = (uint8_t)who;
}

void fw_destage_idle(struct fw_context* ctx, bool idle) {
  ctx->destage.idle_over = idle;
}

// `candidates`: runs of written data that wait for an arm at a time, 1 to FW_MAX_WRITEBACK_SLOTS.
void fw_destage_order(struct fw_context* ctx, uint32_t candidates, bool ascending) {
  ctx->destage.candidates = candidates;
  ctx->destage.ascending = ascending;
}
