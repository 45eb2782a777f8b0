// Requests of the host: transfers of their data, their end, and their failure.
#include "engine/engine.h"

void fw_order_transfer(struct fw_context* ctx, uint32_t tag, uint32_t address, uint32_t offset, uint32_t sectors,
                       uint32_t direction) {
  ctx->transfers++;
  fw_hif_transfer(ctx, address, offset,
                  FW_SET(HIF_DMA_GO_TAG, tag) | FW_SET(HIF_DMA_GO_SECTORS, sectors) | direction |
                      (ctx->requests[tag].queued ? HIF_DMA_GO_QUEUED_MASK : 0u));
}

// Whether the host interface takes so many transfers of segments and lines now. If not, who asks is asked again when
// enough others have ended. A write that waits for room comes before what asks later and needs less.
bool fw_transfers_fit(struct fw_context* ctx, uint32_t count) {
  const bool fit = !ctx->lines_short && ctx->transfers + count <= ctx->transfer_limit;
  ctx->transfers_short = ctx->transfers_short || !fit;
  return fit;
}

// As if no command had ever had the tag.
void fw_request_clear(struct fw_context* ctx, uint32_t tag) {
  static const struct fw_request kFree = {.state = FW_REQUEST_FREE,
                                          .arm = FW_NO_ARM,
                                          .behind = FW_NO_TAG,
                                          .way_arm = FW_NO_ARM,
                                          .segment = FW_NO_SEGMENT,
                                          .next_in_segment = FW_NO_TAG,
                                          .ride_segment = FW_NO_SEGMENT,
                                          .next_rider = FW_NO_TAG};
  ctx->requests[tag] = kFree;
}

void fw_start_later(struct fw_context* ctx, uint32_t tag) {
  uint16_t* last = &ctx->first_anew;
  while (*last != FW_NO_TAG) last = &ctx->requests[*last].next_in_segment;
  *last = (uint16_t)tag;
  ctx->requests[tag].next_in_segment = FW_NO_TAG;
  fw_due(ctx, FW_DUE_ANEW);
}

// The command waits for the end of its overhead, in such a state.
void fw_delay_insert(struct fw_context* ctx, uint32_t tag, uint32_t us, enum fw_request_state state) {
  struct fw_request* const request = &ctx->requests[tag];
  request->state = (uint8_t)state;
  request->delay.due = fw_timer_now(ctx) + us;
  uint16_t* link = &ctx->first_delayed;
  while (*link != FW_NO_TAG && ctx->requests[*link].delay.due <= request->delay.due)
    link = &ctx->requests[*link].delay.next;
  request->delay.next = *link;
  *link = (uint16_t)tag;
  if (ctx->first_delayed == tag) fw_timer_start(ctx, FW_TIMER_COMMAND, us);
}

// False: the command completes now.
static bool delay_complete(struct fw_context* ctx, uint32_t tag) {
  const uint32_t us = ctx->complete_us[ctx->requests[tag].write ? 1 : 0];
  if (us == 0) return false;
  fw_delay_insert(ctx, tag, us, FW_REQUEST_ENDING);
  fw_show(ctx, FW_STATE_OVERHEAD, tag);
  return true;
}

void fw_finish(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->state = FW_REQUEST_FREE;
  ctx->active_requests--;
  fw_hif_complete(ctx, FW_SET(HIF_COMPLETE_TAG, tag) | (request->queued ? HIF_COMPLETE_QUEUED_MASK : 0u));
  fw_show(ctx, FW_STATE_COMPLETE, tag);
  fw_due(ctx, FW_DUE_ENDED);
}

void fw_complete(struct fw_context* ctx, uint32_t tag) {
  if (!delay_complete(ctx, tag)) fw_finish(ctx, tag);
}

void fw_unqueued_status(struct fw_context* ctx, uint8_t status, uint8_t error, uint64_t lba) {
  const bool plain = status == ATA_STATUS_READY && error == 0 && lba == 0;
  lba /= ctx->logical_sectors;
  if (!plain) {
    fw_hif_taskfile(ctx, FW_SET(HIF_TASKFILE_STATUS, status) | FW_SET(HIF_TASKFILE_ERROR, error));
    fw_hif_taskfile_lba(ctx, lba);
  }
  fw_hif_complete(ctx, 0);
  if (!plain) {  // as a good completion expects it
    fw_hif_taskfile(ctx, ATA_STATUS_READY);
    fw_hif_taskfile_lba(ctx, 0);
  }
  fw_due(ctx, FW_DUE_ENDED);
}

static void record(struct fw_context* ctx, uint32_t tag, bool queued, uint8_t error, uint64_t lba) {
  ctx->error.lba = lba;
  ctx->error.tag = (uint16_t)tag;
  ctx->error.status =
      (uint8_t)((queued ? ATA_STATUS_QUEUED_ERROR : ATA_STATUS_ERROR) | (ctx->fault ? ATA_STATUS_DEVICE_FAULT : 0u));
  ctx->error.error = error;
  ctx->error.queued = queued;
}

// All commands are dropped at the end of this handler, and what is at work until then counts as drained.
static void fail_recorded(struct fw_context* ctx, bool queued) {
  if (queued || ctx->active_requests != 0) {
    if (queued) ctx->error_logged = true;
    fw_drop_all(ctx, queued);
  } else {
    fw_unqueued_status(ctx, ctx->error.status, ctx->error.error, ctx->error.lba);  // at decoding: nothing is in work
  }
}

void fw_drop_all(struct fw_context* ctx, bool halt) {
  ctx->draining = true;
  ctx->halted = halt;
  fw_due(ctx, FW_DUE_DROP);
}

void fw_fail(struct fw_context* ctx, uint32_t tag, bool queued, uint8_t error, uint64_t lba) {
  if (fw_is_due(ctx, FW_DUE_DROP)) return;  // it is dropped with the others, for a failure before this one
  record(ctx, tag, queued, error, lba);
  fail_recorded(ctx, queued);
}

void fw_fail_write(struct fw_context* ctx, uint32_t tag, bool queued, uint64_t lba) {
  if (fw_is_due(ctx, FW_DUE_DROP)) return;
  record(ctx, tag, queued, ATA_ERROR_ABRT, lba);
  ctx->error.status |= ATA_STATUS_DEVICE_FAULT;
  fail_recorded(ctx, queued);
}

// Queued and unqueued commands were mixed: the error is of neither.
void fw_fail_mixed(struct fw_context* ctx) {
  record(ctx, 0, false, ATA_ERROR_ABRT, 0);
  ctx->error_logged = true;
  fw_drop_all(ctx, true);
}
