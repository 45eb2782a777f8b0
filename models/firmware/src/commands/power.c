// Power: what follows each step on the ways into a condition and back to arms that serve requests (power_steps.c).
#include "commands/commands.h"

// Asleep, the host interface takes frames without an interrupt; a reset opens it again.
void fw_power_answer(struct fw_context* ctx) {
  if (!ctx->pm.answer) return;
  ctx->pm.answer = false;
  fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  if (ctx->pm.sleep != FW_SLEEP_WANTED) return;
  ctx->pm.sleep = FW_SLEEP_ASLEEP;
  fw_hif_control(ctx, 0);
}

void fw_power_begin(struct fw_context* ctx, enum fw_condition to) {
  ctx->pm.condition = (uint8_t)to;
  ctx->pm.state = FW_POWER_FLUSH;
  fw_retire_update(ctx);  // no arm is held for the power cap: written data need them
  fw_flush(ctx, false);
}

// The stack is to change its speed, or does so.
static bool changes_speed(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_SPEED || (ctx->pm.state == FW_POWER_REST && ctx->pm.condition == FW_CONDITION_SPEED);
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
    fw_power_begin(ctx, ctx->host.microcode.step == FW_MICROCODE_ACTIVATES ? FW_CONDITION_RESTART : next);
    return;
  }
  fw_power_answer(ctx);
  fw_standby_rearm(ctx);
  fw_speed_ended(ctx);
}

static void load(struct fw_context* ctx) {
  fw_step_load(ctx);
  if (ctx->pm.moving_parked == 0) become_active(ctx);
}

static void rest_in(struct fw_context* ctx, uint32_t condition) {
  ctx->pm.state = (uint8_t)fw_condition_state(condition);
  if (condition == FW_CONDITION_STANDBY && ctx->saves.known) {
    fw_smart_keep_worst(ctx);
    fw_saves_parked(ctx);
  }
  fw_show(ctx, fw_condition_shown(condition), 0);
  if (ctx->pm.condition <= condition) fw_power_answer(ctx);
  fw_idle_next(ctx);
}

// As become_active, but nothing else begins anew.
static void works_at_speed(struct fw_context* ctx) {
  ctx->pm.state = FW_POWER_ACTIVE;
  if (ctx->pm.next != 0) {
    become_active(ctx);
    return;
  }
  fw_program_arbitration(ctx);
  fw_show(ctx, FW_STATE_IDLE, 0);
  fw_power_answer(ctx);
  fw_due(ctx, FW_DUE_DESTAGE);
  fw_background_rearm(ctx);
  fw_idle_next(ctx);
  fw_speed_ended(ctx);
}

static void stacks_ordered(struct fw_context* ctx);

// The arms are on the ramp, or rest over the disk if there is none.
static void leave_speed(struct fw_context* ctx) {
  if (ctx->pm.condition == FW_CONDITION_STANDBY_Y && ctx->pm.state == FW_POWER_LOW_RPM_IDLE) {
    rest_in(ctx, FW_CONDITION_STANDBY_Y);
    return;
  }
  if (ctx->pm.condition == FW_CONDITION_LOW_RPM_IDLE || ctx->pm.condition == FW_CONDITION_STANDBY_Y)
    fw_step_speed(ctx, FW_POWER_SLOW_DOWN, ctx->speed.lower);
  else
    fw_step_spin_down(ctx);
  stacks_ordered(ctx);
}

// The stack had another speed, and has the one that was ordered.
static void changed_speed(struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_SLOW_DOWN) {
    if (ctx->pm.condition == FW_CONDITION_STANDBY)
      leave_speed(ctx);
    else
      rest_in(ctx, ctx->pm.condition);
    return;
  }
  fw_cap_at_speed(ctx);
  if (ctx->pm.state == FW_POWER_SPEED)
    works_at_speed(ctx);
  else
    load(ctx);
}

static void speed_reached(struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_SPIN_DOWN) {
    rest_in(ctx, FW_CONDITION_STANDBY);
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

// The stacks may have that speed already, or there are none.
static void stacks_ordered(struct fw_context* ctx) {
  if (ctx->pm.turning == 0) speed_reached(ctx);
}

void fw_start_spindles(struct fw_context* ctx) {
  fw_step_start(ctx);
  stacks_ordered(ctx);
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

// From arms at rest over the disk, or from a shallower condition: nothing moves, and all that was written is on the
// media.
void fw_power_go_on(struct fw_context* ctx, enum fw_condition to) {
  const bool over_disk = ctx->pm.state == FW_POWER_REST || ctx->pm.state == FW_POWER_ACTIVE_IDLE;
  ctx->pm.condition = (uint8_t)to;
  if (over_disk && ctx->drive.ramp)
    fw_step_unload(ctx, ctx->pm.state == FW_POWER_REST ? FW_ARM_IDLE : FW_ARM_PARKED);
  else
    leave_speed(ctx);
}

void fw_power_down(struct fw_context* ctx, enum fw_condition to) {
  if (!fw_at_idle(ctx)) return;
  if (ctx->pm.state == FW_POWER_ACTIVE) {
    fw_power_begin(ctx, to);
  } else if (ctx->line_cache.oldest_dirty != FW_NO_LINE) {  // written meanwhile: that needs the arms
    if (ctx->pm.answer || to == FW_CONDITION_STANDBY) ctx->pm.next = (uint8_t)(to + 1u);
    fw_wake(ctx);
  } else {
    fw_power_go_on(ctx, to);
  }
}

// A step of the way down is done, and the media are not wanted.
static void came_down(struct fw_context* ctx, bool released) {
  if (!released && ctx->pm.condition != FW_CONDITION_LOW_POWER_IDLE) {
    leave_speed(ctx);
    return;
  }
  rest_in(ctx, released ? FW_CONDITION_ACTIVE_IDLE : FW_CONDITION_LOW_POWER_IDLE);
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
      came_down(ctx, released);
      return;
    }
    ctx->pm.wake = false;
    if (released)
      fw_step_acquire(ctx);
    else
      load(ctx);
    return;
  }
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->broken) continue;
    fw_arm_at(ctx, n, fw_servo_status(ctx, n));
    arm->state = FW_ARM_IDLE;
    arm->service = FW_IN_SERVICE;
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
  if (ctx->pm.state == FW_POWER_UNLOAD || ctx->pm.state == FW_POWER_RELEASE) {
    ctx->pm.wake = true;
  } else if (ctx->pm.state == FW_POWER_ACTIVE_IDLE) {
    fw_step_acquire(ctx);
  } else if (ctx->pm.state == FW_POWER_LOW_POWER_IDLE) {
    load(ctx);
  } else if (ctx->pm.state == FW_POWER_SLOW_DOWN || ctx->pm.state == FW_POWER_LOW_RPM_IDLE ||
             ctx->pm.state == FW_POWER_STANDBY_Y) {
    if (ctx->speed.wanted != ctx->speed.now) fw_speed_load(ctx, ctx->speed.wanted);
    fw_step_speed(ctx, FW_POWER_SPEED_UP, ctx->speed.wanted);
    stacks_ordered(ctx);
  } else if (ctx->pm.state == FW_POWER_SPIN_DOWN || ctx->pm.state == FW_POWER_STANDBY) {
    fw_step_spin_up(ctx);
    stacks_ordered(ctx);
  }
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
    fw_step_speed(ctx, FW_POWER_SPEED, ctx->speed.now);
    stacks_ordered(ctx);
  } else if (ctx->pm.condition == FW_CONDITION_RESTART) {
    ctx->pm.state = FW_POWER_RESTART;
    fw_save_then(ctx, FW_AFTER_SAVE_RESTART);
  } else if (ctx->pm.condition == FW_CONDITION_ACTIVE_IDLE) {
    fw_step_release(ctx);
  } else {
    fw_power_go_on(ctx, (enum fw_condition)ctx->pm.condition);
  }
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
