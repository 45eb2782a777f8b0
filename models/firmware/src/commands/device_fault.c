// Device fault: the stack is not at speed, no arm is left, or the channels refuse.
#include "commands/commands.h"

// Fails what waits for the media, which are no longer available.
static void fail_waiting(struct fw_context* ctx) {
  if (ctx->destage.flush_waits || ctx->pm.answer || ctx->host.microcode.step == FW_MICROCODE_ACTIVATES) {
    fw_destage_flush(ctx, FW_FLUSH_NOBODY);
    ctx->pm.answer = false;
    if (ctx->host.microcode.step == FW_MICROCODE_ACTIVATES) ctx->host.microcode.step = FW_MICROCODE_NONE;
    ctx->pm.next = 0;
    fw_unqueued_fault(ctx, 0);
    return;
  }
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state == FW_REQUEST_FREE) continue;
    fw_fail(ctx, tag, request->queued, ATA_ERROR_ABRT, request->lba);
    return;
  }
}

// The stack is not at speed in time, after its start or after slowing down. Media commands fail, but the drive still
// answers, so that a host can identify it.
void fw_spindle_late(struct fw_context* ctx) {
  if (ctx->pm.turning != 0) ctx->statistics.start_retries++;
  fw_save_soon(ctx);
  fw_device_fault(ctx, "spindle not at speed: device fault");
}

void fw_device_fault(struct fw_context* ctx, const char* why) {
  ctx->pm.fault = true;
  fw_hits_enable(ctx, false);
  ctx->pm.state = FW_POWER_FAULT;
  fw_show(ctx, FW_STATE_FAULT, 0);
  fw_print(ctx, why);
  fail_waiting(ctx);
}
