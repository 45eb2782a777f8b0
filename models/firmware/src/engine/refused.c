// Accesses that a channel refuses, or ends for a cause that no job can handle: the stack is not at speed, or the
// sectors have moved to spares while the arm was seeking. The arm's work is given back, as when an arm fails
// (failures.c), and is granted again.
//
// Not at speed: the arm stays on its track until the spindle reports that the stack is at speed again. If that takes
// longer than the spin-up limit (firmware.spin_up_limit_s), the drive reports a fault (commands/device_fault.c).
#include "engine/engine.h"

#include <stddef.h>

// The arm waits until its stack is at speed. False: it is already, or all work has been dropped.
static bool waits_for_speed(struct fw_context* ctx, uint32_t n) {
  if (ctx->errors.draining || fw_spindle_at_speed(ctx, fw_stack_of(ctx, ctx->arm[n].track))) return false;
  const uint32_t limit = (uint32_t)offsetof(struct fw_factory, spin_up_limit_us);
  if (!fw_timer_armed(ctx, FW_TIMER_SPIN_UP)) fw_timer_start(ctx, FW_TIMER_SPIN_UP, fw_factory_word(ctx, limit));
  return true;
}

bool fw_is_refusal(uint32_t cause) {
  return cause != FW_CHANNEL_WELL && cause != FW_CHANNEL_UNREADABLE && cause != FW_CHANNEL_STRAYED;
}

void fw_access_refused(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_arm* const arm = &ctx->arm[n];
  fw_channel_mark(ctx, channel, 0);  // the mark would apply to the next access
  const bool waits = cause == FW_CHANNEL_NOT_AT_SPEED && waits_for_speed(ctx, n);
  if (cause != FW_CHANNEL_NOT_AT_SPEED && ++ctx->failures.refusals >= FW_MOST_REFUSALS) fw_due(ctx, FW_DUE_REFUSED);
  fw_give_back(ctx, n);
  if (ctx->errors.stopped) return;
  if (waits) {
    arm->job = FW_JOB_WAIT;
    arm->state = FW_ARM_ON_TRACK;
    fw_show(ctx, FW_STATE_SPIN_UP, 0);
  } else {
    fw_rest(ctx, n);
  }
  fw_due(ctx, FW_DUE_GONE);
}

void fw_refusals_end(struct fw_context* ctx) {
  ctx->failures.refusals = 0;
}

// A spindle has reached its speed: the arms try again.
void fw_speed_is_back(struct fw_context* ctx) {
  fw_timer_cancel(ctx, FW_TIMER_SPIN_UP);
  for (uint32_t n = 0; n < ctx->drive.arms && !ctx->errors.stopped; ++n) {
    if (ctx->arm[n].job != FW_JOB_WAIT) continue;
    fw_show(ctx, FW_STATE_IDLE, 0);
    fw_rest(ctx, n);
  }
}

static void give_back(struct fw_context* ctx, uint32_t n) {
  (void)ctx;
  (void)n;
}

const struct fw_job_ops fw_wait_job = {
    .shown = FW_STATE_IDLE,
    .give_back = give_back,
};
