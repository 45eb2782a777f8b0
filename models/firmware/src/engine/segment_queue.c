// Arms that wait for a buffer segment, in order of arrival.
#include "engine/engine.h"

static bool use(struct fw_context* ctx, uint32_t n, uint16_t segment) {
  return fw_job_of(ctx, n)->segment(ctx, n, segment);
}

// Gives the arm's job a segment, now or when one comes free.
bool fw_take_segment_or_wait(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->read_cache.segment_queue.count == 0) {
    const uint16_t segment = fw_segment_take(ctx);
    if (segment != FW_NO_SEGMENT) {
      use(ctx, n, segment);
      return true;
    }
  }
  arm->waits_segment = true;
  fw_enqueue(&ctx->read_cache.segment_queue, n);
  fw_hits_want_release(ctx);
  if (ctx->rules.hardware_hits) fw_due(ctx, FW_DUE_SEGMENTS);  // a hit's transfer may have ended before
  fw_show(ctx, FW_STATE_WAIT_SEGMENT, arm->tag);
  return false;
}

void fw_serve_segment_queue(struct fw_context* ctx) {
  while (ctx->read_cache.segment_queue.count != 0) {
    const uint16_t segment = fw_segment_take(ctx);
    if (segment == FW_NO_SEGMENT) return;
    const uint32_t n = fw_dequeue(&ctx->read_cache.segment_queue, 0);
    ctx->arm[n].waits_segment = false;
    if (use(ctx, n, segment)) fw_try_channel(ctx, n);
  }
}
