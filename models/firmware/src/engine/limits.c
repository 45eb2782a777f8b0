// How many arms may be at work at once. Written data that yield take few arms: the fewer there are of them the fewer
// arms, one at least. An arm that waits instead is there for the host's next request, and data that wait longer go in
// fewer accesses, each of which costs the processor a grant.
#include "engine/engine.h"

static uint32_t arms_for_written(const struct fw_context* ctx) {
  if (ctx->high_water == 0) return ctx->arms;
  const uint32_t arms = 1u + (ctx->arms - 1u) * ctx->used_lines / ctx->high_water;
  return arms < ctx->arms ? arms : ctx->arms;
}

// The limit that the arbitration unit is to keep, 0: none. Requests, written data that they wait for, and background
// work that wait count, too, so that it stays as it is when they are granted.
static uint32_t limit(const struct fw_context* ctx) {
  if (ctx->urgent || ctx->destages_in_slots == 0) return 0;
  uint32_t busy = 0, writing = 0;
  for (uint32_t n = 0; n < ctx->arms; ++n) {
    if (ctx->arm[n].state == FW_ARM_IDLE) continue;
    busy++;
    if (ctx->arm[n].job == FW_JOB_DESTAGE) writing++;
  }
  const uint32_t most = arms_for_written(ctx);
  uint32_t arms = busy + ctx->waiting_requests + ctx->hurried_in_slots + (most > writing ? most - writing : 0u);
  if (ctx->ahead_waits) arms++;
  if (ctx->background.scan_waits) arms++;
  if (ctx->background.recalibration_waits) arms++;
  return arms < ctx->arms ? arms : 0u;
}

void fw_limit_arms(struct fw_context* ctx) {
  if (ctx->arms == 1u || ctx->in_service_limit != 0 || ctx->lines == 0) return;
  const uint32_t limits =
      (ctx->limits & ~(uint32_t)AAU_LIMITS_IN_SERVICE_MASK) | FW_SET(AAU_LIMITS_IN_SERVICE, limit(ctx));
  if (limits == ctx->limits) return;
  ctx->limits = limits;
  fw_aau_set(ctx, AAU_LIMITS, limits);
}
