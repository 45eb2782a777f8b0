// Response times as the drive sees them: from the handler of a command's frame to the one that completes it. Reads that
// hardware answers from the buffer are not among them.
#include "engine/engine.h"

void fw_meter_start(struct fw_context* ctx, uint32_t bound_us) {
  ctx->meter.on = true;
  ctx->meter.bound_us = bound_us;
}

void fw_meter_begin(struct fw_context* ctx, uint32_t tag) {
  if (ctx->meter.on) ctx->meter.came_us[tag] = (uint32_t)fw_timer_now(ctx);
}

void fw_meter_end(struct fw_context* ctx, uint32_t tag) {
  struct fw_meter* const meter = &ctx->meter;
  if (!meter->on) return;
  const uint32_t us = (uint32_t)fw_timer_now(ctx) - meter->came_us[tag];
  meter->requests++;
  meter->response_us += us;
  if (us > meter->bound_us) meter->late++;
}

void fw_meter_clear(struct fw_context* ctx) {
  ctx->meter.requests = 0;
  ctx->meter.response_us = 0;
  ctx->meter.late = 0;
}
