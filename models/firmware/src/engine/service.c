// Arms in service: the power cap (engine/power_cap.c), the temperature (engine/thermal.c) and the governor take some
// out, the greatest number of the three. An arm stays if it alone reaches something.
#include "engine/engine.h"

static uint32_t without_quiet(bool quiet, uint32_t taken) {
  return quiet && taken != 0 ? taken - 1u : taken;
}

uint32_t fw_arms_out(const struct fw_context* ctx) {
  const uint32_t cap = without_quiet(ctx->cap.quiet, ctx->cap.taken);
  const uint32_t heat = without_quiet(ctx->thermal.quiet, ctx->thermal.taken);
  const uint32_t most = cap > heat ? cap : heat;
  return most > ctx->governor.arms_out ? most : ctx->governor.arms_out;
}

// Other arms of `mask` reach all that arm n reaches: they have a head for each of its working heads.
static bool others_reach(const struct fw_context* ctx, uint32_t mask, uint32_t n) {
  for (uint32_t head = 0; head < ctx->drive.sub_heads; ++head) {
    uint32_t usable = 0;
    for (uint32_t other = 0; other < ctx->drive.arms; ++other)
      if (other != n && (mask >> other & 1u) != 0 && ctx->arm[other].group == ctx->arm[n].group)
        usable |= ctx->arm[other].usable[head];
    if ((ctx->arm[n].usable[head] & ~usable) != 0) return false;
  }
  return true;
}

// Arms with the highest numbers leave service first.
uint32_t fw_arms_in_service(const struct fw_context* ctx) {
  uint32_t mask = fw_arms_that_work(ctx);
  uint32_t out = fw_arms_out(ctx);
  for (uint32_t n = ctx->drive.arms; n-- > 0 && out != 0;) {
    if ((mask >> n & 1u) == 0 || !others_reach(ctx, mask, n)) continue;
    mask &= ~(1u << n);
    out--;
  }
  return mask;
}
