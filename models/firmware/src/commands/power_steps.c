// Steps of the ways into a power condition and back: each sets the state and orders arms or stacks. power.c says what
// follows.
#include "commands/commands.h"

static void begin(struct fw_context* ctx, enum fw_power step, enum fw_state shown) {
  ctx->pm.state = (uint8_t)step;
  fw_show(ctx, shown, 0);
}

static void order_arms(struct fw_context* ctx, uint32_t command, enum fw_arm_state from) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->state != from) continue;
    arm->state = FW_ARM_PARKED;
    arm->ordered = true;
    ctx->pm.moving_parked++;
    fw_servo_order(ctx, n, command | FW_SET(SRV_CTRL_SUB_HEAD, arm->sub_head) | SRV_CTRL_ANONYMOUS_MASK);
  }
}

void fw_step_load(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_LOAD;
  fw_saves_heads(ctx, true);
  order_arms(ctx, SRV_CTRL_LOAD_MASK, FW_ARM_PARKED);
  if (ctx->drive.ramp && !ctx->host.microcode.restarted) ctx->statistics.loads++;
  ctx->host.microcode.restarted = false;
  if (ctx->pm.moving_parked != 0) fw_show(ctx, FW_STATE_LOAD, 0);
}

void fw_step_acquire(struct fw_context* ctx) {
  begin(ctx, FW_POWER_ACQUIRE, FW_STATE_ACQUIRE);
  order_arms(ctx, SRV_CTRL_LOAD_MASK, FW_ARM_PARKED);
}

void fw_step_unload(struct fw_context* ctx, enum fw_arm_state from) {
  begin(ctx, FW_POWER_UNLOAD, FW_STATE_UNLOAD);
  order_arms(ctx, SRV_CTRL_UNLOAD_MASK, from);
}

// Sends the arms to the middle of the stroke, each with its selected head.
void fw_step_release(struct fw_context* ctx) {
  begin(ctx, FW_POWER_RELEASE, FW_STATE_RELEASE);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->state != FW_ARM_IDLE) continue;
    arm->state = FW_ARM_PARKED;
    if (arm->service != FW_IN_SERVICE) continue;  // already there
    arm->ordered = true;
    ctx->pm.moving_parked++;
    fw_servo_move(ctx, n, FW_SET(SRV_TARGET_CYLINDER, ctx->drive.middle) | (arm->place & SRV_TARGET_HEAD_MASK),
                  FW_SET(SRV_CTRL_SUB_HEAD, arm->sub_head) | SRV_CTRL_ANONYMOUS_MASK | SRV_CTRL_RELEASE_MASK);
  }
}

// All stacks do the same.
void fw_step_start(struct fw_context* ctx) {
  ctx->pm.turning = (1u << ctx->drive.stacks) - 1u;
  if (!ctx->host.microcode.restarted) ctx->statistics.starts++;
  ctx->pm.start_ordered_us = ctx->timers.now;
  if (!ctx->drive.ramp) fw_saves_heads(ctx, true);
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) fw_spindle_order(ctx, stack, ctx->speed.now);
}

static void limit_time(struct fw_context* ctx) {
  fw_timer_start(ctx, FW_TIMER_SPIN_UP, fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, spin_up_limit_us)));
}

void fw_step_spin_up(struct fw_context* ctx) {
  begin(ctx, FW_POWER_SPIN_UP, FW_STATE_SPIN_UP);
  limit_time(ctx);
  fw_idle_back(ctx);
  fw_step_start(ctx);
  // A pending event belongs to a stop no longer wanted. Clear it after the order: before, one could still follow.
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) fw_spindle_take_ready(ctx, stack);
}

void fw_step_spin_down(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_SPIN_DOWN;
  ctx->statistics.turns = false;
  ctx->statistics.turned_us += fw_timer_now(ctx) - ctx->statistics.turns_since;
  fw_cap_off_speed(ctx);
  fw_show(ctx, FW_STATE_SPIN_DOWN, 0);
  ctx->pm.turning = (1u << ctx->drive.stacks) - 1u;
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) fw_spindle_stop(ctx, stack);
}

// The stacks turn already. What they draw to change their speed does not count for the cap.
void fw_step_speed(struct fw_context* ctx, enum fw_power step, uint32_t speed) {
  begin(ctx, step, FW_STATE_CHANGE_SPEED);
  fw_cap_off_speed(ctx);
  ctx->pm.turning = (1u << ctx->drive.stacks) - 1u;
  limit_time(ctx);
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) fw_spindle_order(ctx, stack, speed);
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) {
    fw_spindle_take_ready(ctx, stack);
    if (fw_spindle_steady(ctx, stack)) ctx->pm.turning &= ~(1u << stack);  // it had that speed already
  }
}
