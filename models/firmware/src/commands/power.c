// Power modes: from the spindle's start to arms that serve requests, and back into standby.
//
// STANDBY IMMEDIATE: written data go to the media, the arms come to rest, go onto the ramp if there is one, the stack
// stops, and then the command ends. In standby the drive takes commands; the first one that needs an arm starts the
// stack, and its slot waits in the arbitration unit, which is off until the arms are back. The way into the idle
// conditions (idle.c) is the same, but ends earlier.
#include "commands/commands.h"

#define POWER_MODE_STANDBY 0x00u
#define POWER_MODE_IDLE 0x80u
#define POWER_MODE_ACTIVE 0xFFu  // or idle

static void answer(struct fw_context* ctx) {
  if (!ctx->pm.answer) return;
  ctx->pm.answer = false;
  fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
}

// Seconds for a timer value of STANDBY and IDLE (ATA8-ACS, table of standby timer periods). 253 is vendor specific: 8
// to 12 hours.
static uint32_t timer_seconds(uint32_t value) {
  if (value <= 240u) return value * 5u;
  if (value <= 251u) return (value - 240u) * 1800u;
  if (value == 252u) return 21u * 60u;
  if (value == 255u) return 21u * 60u + 15u;
  return 8u * 3600u;
}

void fw_standby_timer(struct fw_context* ctx, uint32_t value) {
  const bool extended = ctx->pm.epc.state == FW_EPC_ENABLED;
  const uint32_t seconds = timer_seconds(value);
  if (extended) fw_idle_set_timer(ctx, FW_CONDITION_STANDBY, seconds * 1000u, seconds != 0);
  ctx->pm.standby_s = extended ? 0u : seconds;
  if (ctx->pm.standby_s == 0) fw_timer_cancel(ctx, FW_TIMER_STANDBY);
}

// The arms are over the disk or rest in an idle condition.
static bool at_idle(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_ACTIVE || ctx->pm.state == FW_POWER_ACTIVE_IDLE ||
         ctx->pm.state == FW_POWER_LOW_POWER_IDLE || ctx->pm.state == FW_POWER_LOW_RPM_IDLE;
}

void fw_standby_rearm(struct fw_context* ctx) {
  fw_background_rearm(ctx);
  fw_idle_rearm(ctx);
  if (ctx->pm.standby_s == 0 || !at_idle(ctx) || ctx->commands.active != 0) return;
  fw_timer_start(ctx, FW_TIMER_STANDBY, (uint64_t)ctx->pm.standby_s * 1000000u);
}

static void begin(struct fw_context* ctx, enum fw_condition to) {
  ctx->pm.condition = (uint8_t)to;
  ctx->pm.state = FW_POWER_FLUSH;
  fw_retire_update(ctx);  // no arm is held for the power cap: written data need them
  fw_flush(ctx, false);
}

// The drive is on its way into an idle condition, from which it can go deeper.
static bool going_idle(const struct fw_context* ctx) {
  const bool to_idle =
      ctx->pm.condition == FW_CONDITION_LOW_POWER_IDLE || ctx->pm.condition == FW_CONDITION_LOW_RPM_IDLE;
  return ctx->pm.state == FW_POWER_RELEASE || ctx->pm.state == FW_POWER_SLOW_DOWN ||
         (ctx->pm.state == FW_POWER_UNLOAD && to_idle);
}

// The stack is to change its speed, or does so.
static bool changes_speed(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_SPEED || (ctx->pm.state == FW_POWER_REST && ctx->pm.condition == FW_CONDITION_SPEED);
}

// The standby timer is over: flush and go into standby, without an answer.
void fw_standby_due(struct fw_context* ctx) {
  if (going_idle(ctx)) {
    ctx->pm.condition = FW_CONDITION_STANDBY;
    return;
  }
  if (ctx->background.reading.state != FW_READING_NONE) return;  // until it ends
  if (!at_idle(ctx) || ctx->commands.active != 0 || ctx->destage.flush_waits || ctx->errors.draining ||
      ctx->errors.halted) {
    fw_standby_rearm(ctx);
    return;
  }
  fw_power_down(ctx, FW_CONDITION_STANDBY);
}

// Cancels what the timer began, if the arms are still over the disk.
void fw_power_stay(struct fw_context* ctx) {
  fw_background_command(ctx);
  if (ctx->pm.standby_s != 0) fw_timer_cancel(ctx, FW_TIMER_STANDBY);
  if (ctx->pm.idle.known) fw_timer_cancel(ctx, FW_TIMER_CONDITION);
  ctx->pm.idle.ordered = false;
  if (!ctx->pm.answer && ctx->host.microcode.step != FW_MICROCODE_ACTIVATES) ctx->pm.next = 0;
  if (ctx->pm.answer || (ctx->pm.state != FW_POWER_FLUSH && ctx->pm.state != FW_POWER_REST)) return;
  if (changes_speed(ctx)) return;
  if (ctx->pm.state == FW_POWER_REST) ctx->slots.waiting--;
  fw_destage_flush(ctx, FW_FLUSH_NOBODY);
  ctx->pm.idle.spun_down = false;
  ctx->pm.state = FW_POWER_ACTIVE;
  fw_program_arbitration(ctx);
  fw_destage_update(ctx);
}

// The arms are over the disk.
static void become_active(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_ACTIVE;
  fw_idle_is_back(ctx);
  fw_program_arbitration(ctx);
  fw_show(ctx, FW_STATE_IDLE, 0);
  if (!ctx->pm.ready) {
    ctx->pm.ready = true;
    fw_print(ctx, "ready");
    fw_recalibration_arm(ctx);
  }
  if (ctx->buffer.line_share && !ctx->destage.idle_over) fw_timer_start(ctx, FW_TIMER_IDLE, ctx->destage.idle_us);
  if (ctx->pm.next != 0) {
    const enum fw_condition next = (enum fw_condition)(ctx->pm.next - 1u);
    ctx->pm.next = 0;
    begin(ctx, ctx->host.microcode.step == FW_MICROCODE_ACTIVATES ? FW_CONDITION_RESTART : next);
    return;
  }
  answer(ctx);
  fw_standby_rearm(ctx);
  fw_speed_ended(ctx);
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

static void load(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_LOAD;
  fw_saves_heads(ctx, true);
  order_arms(ctx, SRV_CTRL_LOAD_MASK, FW_ARM_PARKED);
  if (ctx->drive.ramp && !ctx->host.microcode.restarted) ctx->statistics.loads++;
  ctx->host.microcode.restarted = false;
  if (ctx->pm.moving_parked == 0)
    become_active(ctx);
  else
    fw_show(ctx, FW_STATE_LOAD, 0);
}

static void acquire(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_ACQUIRE;
  fw_show(ctx, FW_STATE_ACQUIRE, 0);
  order_arms(ctx, SRV_CTRL_LOAD_MASK, FW_ARM_PARKED);
}

// Sends the arms to the middle of the stroke, each with its selected head.
static void release(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_RELEASE;
  fw_show(ctx, FW_STATE_RELEASE, 0);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->state != FW_ARM_IDLE) continue;
    arm->state = FW_ARM_PARKED;
    if (arm->retired) continue;  // already there
    arm->ordered = true;
    ctx->pm.moving_parked++;
    fw_servo_move(ctx, n, FW_SET(SRV_TARGET_CYLINDER, ctx->drive.middle) | (arm->place & SRV_TARGET_HEAD_MASK),
                  FW_SET(SRV_CTRL_SUB_HEAD, arm->sub_head) | SRV_CTRL_ANONYMOUS_MASK | SRV_CTRL_RELEASE_MASK);
  }
}

// The condition that the drive is in, or passes first on its way down; FW_CONDITION_COUNT: none.
static uint32_t reached(const struct fw_context* ctx) {
  switch (ctx->pm.state) {
    case FW_POWER_RELEASE:
    case FW_POWER_ACTIVE_IDLE:
      return FW_CONDITION_ACTIVE_IDLE;
    case FW_POWER_UNLOAD:
    case FW_POWER_LOW_POWER_IDLE:
      return FW_CONDITION_LOW_POWER_IDLE;
    case FW_POWER_SLOW_DOWN:
    case FW_POWER_LOW_RPM_IDLE:
      return FW_CONDITION_LOW_RPM_IDLE;
    case FW_POWER_SPIN_DOWN:
    case FW_POWER_STANDBY:
      return FW_CONDITION_STANDBY;
    default:
      return FW_CONDITION_COUNT;
  }
}

static void rest_in(struct fw_context* ctx, enum fw_power power, enum fw_state shown) {
  ctx->pm.state = (uint8_t)power;
  fw_show(ctx, shown, 0);
  if (ctx->pm.condition == reached(ctx)) answer(ctx);
  fw_idle_next(ctx);
}

// Asleep: the host interface takes frames without an interrupt; a reset opens it again.
static void fall_asleep(struct fw_context* ctx) {
  if (ctx->pm.sleep != FW_SLEEP_WANTED) return;
  ctx->pm.sleep = FW_SLEEP_ASLEEP;
  fw_hif_control(ctx, 0);
}

static void spin_down(struct fw_context* ctx);

// As become_active, but nothing else begins anew.
static void works_at_speed(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_ACTIVE;
  if (ctx->pm.next != 0) {
    become_active(ctx);
    return;
  }
  fw_program_arbitration(ctx);
  fw_show(ctx, FW_STATE_IDLE, 0);
  answer(ctx);
  fw_due(ctx, FW_DUE_DESTAGE);
  fw_background_rearm(ctx);
  fw_idle_next(ctx);
  fw_speed_ended(ctx);
}

// The stack had another speed, and has the one that was ordered.
static void changed_speed(struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_SLOW_DOWN) {
    if (ctx->pm.condition == FW_CONDITION_STANDBY)
      spin_down(ctx);
    else
      rest_in(ctx, FW_POWER_LOW_RPM_IDLE, FW_STATE_LOW_RPM_IDLE);
    return;
  }
  fw_cap_at_speed(ctx);
  if (ctx->pm.state == FW_POWER_SPEED)
    works_at_speed(ctx);
  else
    load(ctx);
}

static void stands(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_STANDBY;
  if (ctx->saves.known) {
    fw_smart_keep_worst(ctx);
    fw_saves_parked(ctx);
  }
  fw_show(ctx, FW_STATE_STANDBY, 0);
  answer(ctx);
  fall_asleep(ctx);
}

static void speed_reached(struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_SPIN_DOWN) {
    stands(ctx);
    return;
  }
  fw_timer_cancel(ctx, FW_TIMER_SPIN_UP);
  fw_speed_loaded(ctx);
  if (ctx->pm.state == FW_POWER_SPEED || ctx->pm.state == FW_POWER_SLOW_DOWN || ctx->pm.state == FW_POWER_SPEED_UP) {
    changed_speed(ctx);
    return;
  }
  if (ctx->failures.arms == ctx->drive.arms) return;  // the fault stays
  if (ctx->saves.known) ctx->saved.spin_up_ms = (uint32_t)((fw_timer_now(ctx) - ctx->pm.start_ordered_us) / 1000u);
  ctx->pm.fault = false;
  ctx->statistics.turns = true;
  ctx->statistics.turns_since = ctx->timers.now;  // when the start was ordered
  fw_cap_at_speed(ctx);
  load(ctx);
}

// All stacks do the same; a mechanism without any has nothing to wait for.
static void order_spindles(struct fw_context* ctx, bool run) {
  ctx->pm.turning = (1u << ctx->drive.stacks) - 1u;
  if (run) {
    if (!ctx->host.microcode.restarted) ctx->statistics.starts++;
    ctx->pm.start_ordered_us = ctx->timers.now;
    if (!ctx->drive.ramp) fw_saves_heads(ctx, true);
  }
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) {
    if (run)
      fw_spindle_order(ctx, stack, ctx->speed.now);
    else
      fw_spindle_stop(ctx, stack);
  }
  if (ctx->drive.stacks == 0) speed_reached(ctx);
}

void fw_start_spindles(struct fw_context* ctx) {
  order_spindles(ctx, true);
}

static void spin_up(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_SPIN_UP;
  fw_show(ctx, FW_STATE_SPIN_UP, 0);
  const uint32_t limit = (uint32_t)offsetof(struct fw_factory, spin_up_limit_us);
  fw_timer_start(ctx, FW_TIMER_SPIN_UP, fw_factory_word(ctx, limit));
  fw_idle_back(ctx);
  order_spindles(ctx, true);
  // A pending event belongs to a stop no longer wanted. Clear it after the order: before, one could still follow.
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) fw_spindle_take_ready(ctx, stack);
}

// The stacks turn already. What they draw to change their speed does not count for the cap.
static void order_speed(struct fw_context* ctx, uint32_t speed, enum fw_power state, enum fw_state shown) {
  ctx->pm.state = (uint8_t)state;
  fw_show(ctx, shown, 0);
  fw_cap_off_speed(ctx);
  ctx->pm.turning = (1u << ctx->drive.stacks) - 1u;
  const uint32_t limit = (uint32_t)offsetof(struct fw_factory, spin_up_limit_us);
  fw_timer_start(ctx, FW_TIMER_SPIN_UP, fw_factory_word(ctx, limit));
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) fw_spindle_order(ctx, stack, speed);
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) {
    fw_spindle_take_ready(ctx, stack);
    if (fw_spindle_steady(ctx, stack)) ctx->pm.turning &= ~(1u << stack);  // it had that speed already
  }
  if (ctx->pm.turning == 0) speed_reached(ctx);
}

// From a low-power idle with a slower stack.
static void speed_up(struct fw_context* ctx) {
  if (ctx->speed.wanted != ctx->speed.now) fw_speed_load(ctx, ctx->speed.wanted);
  order_speed(ctx, ctx->speed.wanted, FW_POWER_SPEED_UP, FW_STATE_CHANGE_SPEED);
}

static void spin_down(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_SPIN_DOWN;
  ctx->statistics.turns = false;
  ctx->statistics.turned_us += fw_timer_now(ctx) - ctx->statistics.turns_since;
  fw_cap_off_speed(ctx);
  fw_show(ctx, FW_STATE_SPIN_DOWN, 0);
  order_spindles(ctx, false);
}

// Which stacks have reached the commanded speed. They share a line, which may still be set from a stop.
static void learn_speeds(struct fw_context* ctx) {
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) {
    if (!fw_spindle_ready(ctx, stack)) continue;
    fw_spindle_take_ready(ctx, stack);
    ctx->pm.turning &= ~(1u << stack);
  }
}

// A stack that turned too slowly is back at its speed. The fault of one that took too long is over.
static void speed_is_back(struct fw_context* ctx) {
  fw_speed_is_back(ctx);
  if (ctx->pm.state != FW_POWER_FAULT || ctx->failures.arms == ctx->drive.arms || ctx->errors.stopped) return;
  ctx->pm.fault = false;
  become_active(ctx);
  fw_due(ctx, FW_DUE_DESTAGE);
}

void fw_spindle_event(struct fw_context* ctx) {
  const bool before = ctx->pm.turning != 0;
  learn_speeds(ctx);
  if (!before)
    speed_is_back(ctx);
  else if (ctx->pm.turning == 0)
    speed_reached(ctx);
}

// Fails what waits for the media, which are no longer available.
static void fail_waiting(struct fw_context* ctx) {
  if (ctx->destage.flush_waits || ctx->pm.answer || ctx->host.microcode.step == FW_MICROCODE_ACTIVATES) {
    fw_destage_flush(ctx, FW_FLUSH_NOBODY);
    ctx->pm.answer = false;
    if (ctx->host.microcode.step == FW_MICROCODE_ACTIVATES) ctx->host.microcode.step = FW_MICROCODE_NONE;
    ctx->pm.next = 0;
    fw_unqueued_fault(ctx, 0);
    return;
  }
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state == FW_REQUEST_FREE) continue;
    fw_fail(ctx, tag, request->queued, ATA_ERROR_ABRT, request->lba);
    return;
  }
}

// The stack is not at speed in time, after its start or after slowing down. Media commands fail, but the drive still
// answers, so that a host can identify it.
void fw_spindle_late(struct fw_context* ctx) {
  if (ctx->pm.turning != 0) ctx->statistics.start_retries++;
  fw_save_soon(ctx);
  fw_device_fault(ctx, "spindle not at speed: device fault");
}

void fw_device_fault(struct fw_context* ctx, const char* why) {
  ctx->pm.fault = true;
  fw_hits_enable(ctx, false);
  ctx->pm.state = FW_POWER_FAULT;
  fw_show(ctx, FW_STATE_FAULT, 0);
  fw_print(ctx, why);
  fail_waiting(ctx);
}

static void slow_down(struct fw_context* ctx) {
  order_speed(ctx, ctx->speed.lower, FW_POWER_SLOW_DOWN, FW_STATE_CHANGE_SPEED);
}

static void unload(struct fw_context* ctx, enum fw_arm_state from) {
  ctx->pm.state = FW_POWER_UNLOAD;
  fw_show(ctx, FW_STATE_UNLOAD, 0);
  order_arms(ctx, SRV_CTRL_UNLOAD_MASK, from);
}

// Nothing moves, and all that was written is on the media.
static void go_on_down(struct fw_context* ctx, enum fw_condition to) {
  ctx->pm.condition = (uint8_t)to;
  if (ctx->pm.state == FW_POWER_ACTIVE_IDLE && ctx->drive.ramp)
    unload(ctx, FW_ARM_PARKED);
  else if (to == FW_CONDITION_LOW_RPM_IDLE)
    slow_down(ctx);
  else
    spin_down(ctx);
}

void fw_power_down(struct fw_context* ctx, enum fw_condition to) {
  if (!at_idle(ctx)) return;
  if (ctx->pm.state == FW_POWER_ACTIVE) {
    begin(ctx, to);
  } else if (ctx->line_cache.oldest_dirty != FW_NO_LINE) {  // written meanwhile: that needs the arms
    if (ctx->pm.answer || to == FW_CONDITION_STANDBY) ctx->pm.next = (uint8_t)(to + 1u);
    fw_wake(ctx);
  } else {
    go_on_down(ctx, to);
  }
}

// A step of the way down is done, and the media are not wanted.
static void came_down(struct fw_context* ctx) {
  const bool released = ctx->pm.state == FW_POWER_RELEASE;
  if (released)
    rest_in(ctx, FW_POWER_ACTIVE_IDLE, FW_STATE_ACTIVE_IDLE);
  else if (ctx->pm.condition == FW_CONDITION_LOW_POWER_IDLE)
    rest_in(ctx, FW_POWER_LOW_POWER_IDLE, FW_STATE_LOW_POWER_IDLE);
  else if (ctx->pm.condition == FW_CONDITION_LOW_RPM_IDLE)
    slow_down(ctx);
  else
    spin_down(ctx);
  if (released && ctx->pm.condition > FW_CONDITION_ACTIVE_IDLE)
    fw_power_down(ctx, (enum fw_condition)ctx->pm.condition);
}

// The arms are now on the ramp or off it, or their servos are off or on again. The last arm may have failed on its way.
void fw_parked_arms_came(struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_FAULT) return;
  if (ctx->pm.state == FW_POWER_UNLOAD || ctx->pm.state == FW_POWER_RELEASE) {
    const bool released = ctx->pm.state == FW_POWER_RELEASE;
    if (!released) fw_saves_heads(ctx, false);
    if (!ctx->pm.wake) {
      came_down(ctx);
      return;
    }
    ctx->pm.wake = false;
    if (released)
      acquire(ctx);
    else
      load(ctx);
    return;
  }
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->broken) continue;
    fw_arm_at(ctx, n, fw_servo_status(ctx, n));
    arm->state = FW_ARM_IDLE;
    arm->retired = false;
    arm->wrote = false;
    fw_arm_is_idle(ctx, n);
  }
  become_active(ctx);
}

void fw_wake(struct fw_context* ctx) {
  if (changes_speed(ctx)) return;                           // afterwards the arms work
  if (ctx->pm.state == FW_POWER_REST && !ctx->pm.answer) {  // the timer's standby: written data wait for the media
    fw_power_stay(ctx);
    return;
  }
  if (ctx->pm.state == FW_POWER_UNLOAD || ctx->pm.state == FW_POWER_RELEASE)
    ctx->pm.wake = true;
  else if (ctx->pm.state == FW_POWER_ACTIVE_IDLE)
    acquire(ctx);
  else if (ctx->pm.state == FW_POWER_LOW_POWER_IDLE)
    load(ctx);
  else if (ctx->pm.state == FW_POWER_SLOW_DOWN || ctx->pm.state == FW_POWER_LOW_RPM_IDLE)
    speed_up(ctx);
  else if (ctx->pm.state == FW_POWER_SPIN_DOWN || ctx->pm.state == FW_POWER_STANDBY)
    spin_up(ctx);
}

// The command is not queued, so no media command is in work; arms may still read ahead or write back.
void fw_power_go(struct fw_context* ctx, enum fw_condition to, bool delayed) {
  if (ctx->pm.state == FW_POWER_FAULT) {
    fw_unqueued_fault(ctx, 0);
    return;
  }
  ctx->pm.answer = true;
  ctx->pm.wake = false;
  fw_test_end(ctx, FW_TEST_ABORTED);
  const uint32_t from = reached(ctx);
  if (ctx->pm.state == FW_POWER_ACTIVE) {
    begin(ctx, to);
  } else if (from == FW_CONDITION_COUNT || (uint32_t)to < from ||
             ctx->line_cache.oldest_dirty != FW_NO_LINE) {  // written in standby, for example
    ctx->pm.next = (uint8_t)(to + 1u);
    fw_wake(ctx);
  } else if (!at_idle(ctx) && ctx->pm.state != FW_POWER_STANDBY) {  // on its way down
    ctx->pm.condition = (uint8_t)to;
  } else if ((uint32_t)to != from) {
    go_on_down(ctx, to);
  } else {
    answer(ctx);
    fall_asleep(ctx);
  }
  if (delayed) answer(ctx);
}

// The command is not queued, as for a standby. Moves under way end first.
void fw_power_restart(struct fw_context* ctx) {
  ctx->pm.wake = false;
  fw_test_end(ctx, FW_TEST_ABORTED);
  if (ctx->pm.state == FW_POWER_FAULT) {
    fw_save_then(ctx, FW_AFTER_SAVE_RESTART);
  } else if (ctx->pm.state == FW_POWER_ACTIVE) {
    begin(ctx, FW_CONDITION_RESTART);
  } else {
    ctx->pm.next = (uint8_t)(FW_CONDITION_RESTART + 1u);
    fw_wake(ctx);
  }
}

// A standby from which only a reset wakes the drive (SRST or COMRESET; it is in standby then).
void fw_sleep(struct fw_context* ctx) {
  ctx->pm.sleep = ctx->pm.state != FW_POWER_FAULT ? FW_SLEEP_WANTED : FW_SLEEP_NOT;
  fw_power_go(ctx, FW_CONDITION_STANDBY, false);
}

// All written data are on the media: the arms come to rest, those that read ahead at the end of a sector.
static void power_flushed(struct fw_context* ctx) {
  fw_background_stop(ctx);
  fw_ahead_cancel(ctx);
  ctx->pm.state = FW_POWER_REST;
  fw_program_arbitration(ctx);
  ctx->slots.waiting++;  // the standby waits for the arms
  fw_power_rest(ctx);
}

// Written data need not be on the media, and requests wait in their slots.
void fw_speed_change(struct fw_context* ctx) {
  if (ctx->speed.wanted == ctx->speed.now || ctx->pm.state != FW_POWER_ACTIVE || ctx->errors.draining ||
      ctx->errors.halted)
    return;
  ctx->pm.condition = FW_CONDITION_SPEED;
  fw_retire_update(ctx);
  power_flushed(ctx);
}

void fw_power_rest(struct fw_context* ctx) {
  if (ctx->pm.state != FW_POWER_REST) return;
  bool rest = true;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    rest = rest && (ctx->arm[n].state == FW_ARM_IDLE || ctx->arm[n].broken);
  if (!rest) {
    fw_stream_preempt(ctx, FW_ANY_TRACK);
    fw_background_preempt(ctx);
    return;
  }
  ctx->slots.waiting--;
  if (ctx->pm.condition == FW_CONDITION_SPEED) {
    fw_speed_load(ctx, ctx->speed.wanted);
    order_speed(ctx, ctx->speed.now, FW_POWER_SPEED, FW_STATE_CHANGE_SPEED);
  } else if (ctx->pm.condition == FW_CONDITION_RESTART) {
    ctx->pm.state = FW_POWER_RESTART;
    fw_save_then(ctx, FW_AFTER_SAVE_RESTART);
  } else if (ctx->pm.condition == FW_CONDITION_ACTIVE_IDLE)
    release(ctx);
  else if (ctx->drive.ramp)
    unload(ctx, FW_ARM_IDLE);
  else
    spin_down(ctx);
}

// A standby that has not moved anything yet is cancelled; one that has goes on without its answer.
void fw_power_dropped(struct fw_context* ctx) {
  ctx->pm.answer = false;
  ctx->pm.next = 0;
  if (ctx->pm.sleep == FW_SLEEP_WANTED) ctx->pm.sleep = FW_SLEEP_NOT;
  if (ctx->pm.state != FW_POWER_FLUSH && ctx->pm.state != FW_POWER_REST && ctx->pm.state != FW_POWER_RESTART) return;
  ctx->pm.state = FW_POWER_ACTIVE;
  fw_program_arbitration(ctx);
}

// Ends when the stack turns and the arms are over the disk, from standby too.
void fw_idle_immediate(struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_FAULT) {
    fw_unqueued_fault(ctx, 0);
    return;
  }
  ctx->pm.answer = true;
  if (at_idle(ctx))
    answer(ctx);
  else
    fw_wake(ctx);
}

uint32_t fw_epc_mode(uint32_t condition) {
  static const uint8_t kModes[FW_CONDITION_COUNT] = {0x81u, 0x82u, 0x83u, 0x00u};
  return kModes[condition];
}

void fw_check_power_mode(struct fw_context* ctx) {
  const uint32_t condition = ctx->pm.state == FW_POWER_UNLOAD ? ctx->pm.condition : reached(ctx);
  uint32_t mode = condition == FW_CONDITION_STANDBY ? POWER_MODE_STANDBY : POWER_MODE_IDLE;
  if (condition == FW_CONDITION_COUNT)
    mode = POWER_MODE_ACTIVE;
  else if (ctx->pm.epc.state == FW_EPC_ENABLED)
    mode = fw_epc_mode(condition);
  fw_hif_taskfile(ctx, FW_SET(HIF_TASKFILE_STATUS, ATA_STATUS_READY) | FW_SET(HIF_TASKFILE_COUNT, mode));
  fw_hif_complete(ctx, 0);
  fw_hif_taskfile(ctx, ATA_STATUS_READY);
}

// All that was written is on the media.
void fw_flushed(struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_FLUSH) {
    power_flushed(ctx);
    return;
  }
  if (ctx->defects.lost)
    fw_unqueued_fault(ctx, ctx->defects.lost_lba);
  else
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  fw_data_lost_told(ctx);
}
