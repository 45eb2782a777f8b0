// Prediction of failures: a head with many failed reads, an arm that often leaves its track. Within the window an error
// counts less the older it is. A part that reaches its limit goes out of service like a failed one (engine/failures.c),
// unless some tracks would then be out of reach.
#include "engine/engine.h"

#define ONE 65536u

void fw_predictions_reset(struct fw_context* ctx, uint32_t head_errors, uint32_t arm_errors, uint32_t window_s) {
  ctx->smart.head_errors = head_errors;
  ctx->smart.arm_errors = arm_errors;
  ctx->smart.window_s = window_s != 0 ? window_s : 1u;
}

// Adds `more` errors to a count that leaks `limit` per window. Returns whether it has reached the limit.
static bool count(struct fw_context* ctx, struct fw_leaky_count* errors, uint32_t limit, uint32_t more) {
  const uint32_t now_s = (uint32_t)(fw_timer_now(ctx) / 1000000u);
  const uint64_t leaked = (uint64_t)(now_s - errors->at_s) * limit * ONE / ctx->smart.window_s;
  errors->level = errors->level > leaked ? errors->level - (uint32_t)leaked : 0u;
  errors->at_s = now_s;
  errors->level += (more < limit ? more : limit) * ONE;
  return errors->level >= limit * ONE;
}

static bool reached_without_head(struct fw_context* ctx, uint32_t n, uint32_t bit) {
  uint32_t* const usable = &ctx->arm[n].usable[ctx->arm[n].sub_head];
  const uint32_t before = *usable;
  *usable &= ~(1u << bit);
  const bool reached = fw_reaches_all(ctx);
  *usable = before;
  return reached;
}

static bool reached_without_arm(struct fw_context* ctx, uint32_t n) {
  ctx->arm[n].broken = true;
  const bool reached = fw_reaches_all(ctx);
  ctx->arm[n].broken = false;
  return reached;
}

// The head that the arm used had `failures` failed reads in the last access. It goes out of service while the arm still
// has it selected.
void fw_predict_head(struct fw_context* ctx, uint32_t n, uint32_t place, uint32_t sub_head, uint32_t failures) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->smart.head_errors == 0 || arm->broken) return;
  const uint32_t bit = FW_GET(place, AAU_ARM_HEAD) - arm->first_head;
  if (bit >= FW_MOST_SURFACES || (arm->usable[sub_head] >> bit & 1u) == 0) return;
  if (!count(ctx, &ctx->smart.heads[n][bit], ctx->smart.head_errors, failures)) return;
  if (((arm->place ^ place) & AAU_ARM_HEAD_MASK) != 0 || arm->sub_head != sub_head || arm->state == FW_ARM_TRANSFER)
    return;
  if (!reached_without_head(ctx, n, bit)) return;
  fw_printf(ctx, "arm %u: its head on surface %u is about to fail", n, arm->first_head + bit);
  ctx->saved.heads_out[n][sub_head] |= 1u << bit;
  fw_head_failed(ctx, n);
  fw_save_soon(ctx);
}

// The arm has left its track. It can go out of service, onto the ramp, if it is on a track or idle.
void fw_predict_arm(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t errors = ctx->statistics.off_track - ctx->smart.off_track_seen;
  ctx->smart.off_track_seen = ctx->statistics.off_track;
  if (errors == 0 || ctx->smart.arm_errors == 0 || arm->broken) return;
  if (!count(ctx, &ctx->smart.arms[n], ctx->smart.arm_errors, errors)) return;
  if ((arm->state != FW_ARM_IDLE && arm->state != FW_ARM_ON_TRACK) || !reached_without_arm(ctx, n)) return;
  fw_printf(ctx, "arm %u is about to fail", n);
  ctx->saved.arms_out |= 1u << n;
  fw_arm_failed(ctx, n);
  if (ctx->drive.ramp) fw_servo_order(ctx, n, SRV_CTRL_UNLOAD_MASK | SRV_CTRL_ANONYMOUS_MASK);
  fw_save_soon(ctx);
}

// Parts that were taken out of service before the last power loss.
void fw_predictions_load(struct fw_context* ctx) {
  uint32_t lost = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    for (uint32_t head = 0; head < ctx->drive.sub_heads; ++head) {
      const uint32_t out = ctx->saved.heads_out[n][head];
      if (out == 0) continue;
      for (uint32_t bit = 0; bit < 32u; ++bit) lost += out >> bit & 1u;
      arm->usable[head] &= ~out;
      fw_aau_heads(ctx, n, head, arm->usable[head]);
    }
    if ((ctx->saved.arms_out >> n & 1u) == 0) continue;
    arm->broken = true;
    arm->state = FW_ARM_FAILED;
    fw_count(ctx, FW_COUNTER_FAILED_ARMS, ++ctx->failures.arms);
    fw_aau_arm(ctx, n, arm->place, false);
  }
  if (ctx->saved.arms_out != 0) fw_aau_arms(ctx, fw_arms_that_work(ctx));
  if (lost == 0) return;
  ctx->failures.heads += lost;
  fw_count(ctx, FW_COUNTER_FAILED_HEADS, ctx->failures.heads);
}
