// How many arms may be busy at once: no more than there are segments for. Written data that yield use few arms, at
// least one: the fewer data, the fewer arms. An arm left idle is ready for the host's next request, and data that wait
// longer need fewer accesses, each of which costs the processor a grant.
#include "engine/engine.h"

static uint32_t arms_for_written(const struct fw_context* ctx) {
  if (ctx->destage.high_water == 0) return ctx->drive.arms;
  const uint32_t arms = 1u + (ctx->drive.arms - 1u) * ctx->line_cache.used_lines / ctx->destage.high_water;
  return arms < ctx->drive.arms ? arms : ctx->drive.arms;
}

// The limit for written data, 0: none. It includes waiting requests, the written data that commands wait for, and
// waiting background work, so that granting these does not change it.
static uint32_t limit_of_written(const struct fw_context* ctx) {
  if (ctx->buffer.lines == 0 || ctx->destage.urgent || ctx->destage.in_slots == 0) return 0;
  uint32_t busy = 0, writing = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    if (ctx->arm[n].state == FW_ARM_IDLE) continue;
    busy++;
    if (ctx->arm[n].job == FW_JOB_DESTAGE) writing++;
  }
  const uint32_t most = arms_for_written(ctx);
  uint32_t arms = busy + ctx->slots.waiting + ctx->destage.hurried_in_slots + (most > writing ? most - writing : 0u);
  if (ctx->read_cache.ahead_waits) arms++;
  if (ctx->background.scan_waits) arms++;
  if (fw_recalibration_waits(ctx)) arms++;
  return arms;
}

// The limit for a drive with fewer segments than arms, 0: none. A request without a segment would block its arm, and
// lose turns until it has one.
static uint32_t limit_of_segments(const struct fw_context* ctx) {
  if (ctx->buffer.segments >= ctx->drive.arms) return 0;
  uint32_t arms = ctx->buffer.segments > 1u && ctx->buffer.line_segment != FW_NO_SEGMENT ? ctx->buffer.segments - 1u
                                                                                         : ctx->buffer.segments;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->state != FW_ARM_IDLE && arm->job != FW_JOB_REQUEST && arm->job != FW_JOB_FILL) arms++;
  }
  const bool all = ctx->slots.waiting == 0 || ctx->destage.urgent;
  return arms + (all ? ctx->destage.in_slots : ctx->destage.hurried_in_slots);
}

// The limit for the arbitration unit, 0: none.
static uint32_t limit(const struct fw_context* ctx) {
  const uint32_t written = limit_of_written(ctx), segments = limit_of_segments(ctx);
  const uint32_t arms = written == 0 || (segments != 0 && segments < written) ? segments : written;
  return arms < ctx->drive.arms ? arms : 0u;
}

void fw_limit_arms(struct fw_context* ctx) {
  if (ctx->drive.arms == 1u || ctx->slots.in_service_limit != 0 ||
      (ctx->buffer.lines == 0 && ctx->buffer.segments >= ctx->drive.arms))
    return;
  const uint32_t limits =
      (ctx->slots.limits & ~(uint32_t)AAU_LIMITS_IN_SERVICE_MASK) | FW_SET(AAU_LIMITS_IN_SERVICE, limit(ctx));
  if (limits == ctx->slots.limits) return;
  ctx->slots.limits = limits;
  fw_aau_set(ctx, AAU_LIMITS, limits);
}
