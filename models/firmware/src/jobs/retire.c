// Arms that the power cap, the temperature or the governor takes out of service (engine/service.c), and their way back.
// Such an arm rests in the middle of the stroke with its servo off, as in active idle. It is idle, but the arbitration
// unit does not grant it.
//
// With a limit on arms that move or are in service (SA), arms go one at a time, while none is at work and none can be
// granted: grants stop from the moment when one is to go.
#include "jobs/jobs.h"

static bool turns(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_ACTIVE && !ctx->errors.draining && !ctx->errors.halted;
}

// No grant is pending: the unit was off, or nothing waits.
static bool may_go(const struct fw_context* ctx) {
  if (!turns(ctx)) return false;
  if (!fw_arms_limited(ctx)) return true;
  return !fw_any_arm_at_work(ctx) && (ctx->cap.shut || ctx->cap.held || fw_nobody_waits(ctx));
}

static void hold(struct fw_context* ctx, bool hold) {
  ctx->cap.held = hold;
  fw_hold_arms(ctx, hold);
}

static void begin(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  hold(ctx, true);
  arm->job = FW_JOB_RETIRE;
  arm->state = FW_ARM_MOVING;
  fw_show(ctx, FW_STATE_RETIRE, 0);
}

static void retire(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  fw_aau_arm(ctx, n, arm->place, false);  // not idle
  fw_reservations_end(ctx, n);
  arm->service = FW_LEAVES_SERVICE;
  begin(ctx, n);
  fw_servo_move(ctx, n, FW_SET(SRV_TARGET_CYLINDER, ctx->drive.middle) | (arm->place & SRV_TARGET_HEAD_MASK),
                FW_SET(SRV_CTRL_SUB_HEAD, arm->sub_head) | SRV_CTRL_ANONYMOUS_MASK | SRV_CTRL_RELEASE_MASK);
}

static void recall(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  begin(ctx, n);
  arm->service = FW_RETURNS_TO_SERVICE;
  fw_servo_order(ctx, n, SRV_CTRL_LOAD_MASK | FW_SET(SRV_CTRL_SUB_HEAD, arm->sub_head) | SRV_CTRL_ANONYMOUS_MASK);
}

static void on_track(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  hold(ctx, false);
  if (arm->service == FW_LEAVES_SERVICE) {
    arm->service = FW_OUT_OF_SERVICE;
    arm->job = FW_JOB_REQUEST;
    arm->state = FW_ARM_IDLE;
    fw_due(ctx, FW_DUE_REST);
    return;
  }
  arm->service = FW_IN_SERVICE;
  arm->wrote = false;
  fw_arm_at(ctx, n, fw_servo_status(ctx, n));
  fw_rest(ctx, n);
}

// The move will never complete.
static void give_back(struct fw_context* ctx, uint32_t n) {
  ctx->arm[n].service = FW_IN_SERVICE;
  hold(ctx, false);
}

static bool is_out(const struct fw_context* ctx, uint32_t n) {
  return (fw_arms_in_service(ctx) >> n & 1u) == 0;
}

// An arm has come to rest. Its energy is accounted before the arbitration unit can grant it again.
static bool take(struct fw_context* ctx, uint32_t n) {
  if (!fw_arms_may_leave(ctx)) return false;
  fw_cap_work(ctx);
  if (fw_arms_out(ctx) == 0 || !is_out(ctx, n) || !may_go(ctx)) return false;
  retire(ctx, n);
  return true;
}

// Applies what the cap or the temperature has decided, at each of their checks.
void fw_retire_update(struct fw_context* ctx) {
  bool waits = false;
  for (uint32_t n = 0; n < ctx->drive.arms && !ctx->errors.stopped; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->broken || (arm->service == FW_IN_SERVICE) != is_out(ctx, n)) continue;
    if (arm->state != FW_ARM_IDLE || !may_go(ctx))
      waits = waits || arm->job != FW_JOB_RETIRE;
    else if (arm->service != FW_IN_SERVICE)
      recall(ctx, n);
    else
      retire(ctx, n);
  }
  waits = waits && turns(ctx);
  if (ctx->cap.held == waits || !fw_arms_limited(ctx)) return;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].job == FW_JOB_RETIRE) return;  // its end releases them
  hold(ctx, waits);
}

const struct fw_job_ops fw_retire_job = {
    .shown = FW_STATE_RETIRE,
    .ungranted = true,
    .on_track = on_track,
    .give_back = give_back,
    .take = take,
};
