// A command that needs data or an arm begins.
#include "commands/commands.h"

// Null if the tag is in use, which the host interface refuses: the firmware stops.
struct fw_request* fw_new_request(struct fw_context* ctx, uint32_t tag, uint64_t lba, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->state != FW_REQUEST_FREE) {
    FW_STOP(ctx);
    return 0;
  }
  fw_request_clear(ctx, tag);
  request->state = FW_REQUEST_AT_WORK;
  request->lba = lba;
  request->sectors = sectors;
  ctx->commands.active++;
  fw_meter_begin(ctx, tag);
  return request;
}

void fw_begin_request(struct fw_context* ctx, uint32_t tag) {
  fw_media_activity(ctx);
  fw_power_stay(ctx);
  if (!fw_wait_turn(ctx, tag)) fw_delay_start(ctx, tag);
}
