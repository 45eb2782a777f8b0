// Commands that order a power condition.
//
// STANDBY IMMEDIATE: written data go to the media, the arms come to rest, go onto the ramp if there is one, the stack
// stops, and then the command ends. In standby the drive takes commands; the first one that needs an arm starts the
// stack, and its slot waits in the arbitration unit, which is off until the arms are back. The way into the idle
// conditions is the same, but ends earlier.
#include "commands/commands.h"

// The command is not queued, so no media command is in work; arms may still read ahead or write back.
void fw_power_go(struct fw_context* ctx, enum fw_condition to, bool delayed) {
  if (ctx->pm.state == FW_POWER_FAULT) {
    fw_unqueued_fault(ctx, 0);
    return;
  }
  ctx->pm.answer = true;
  ctx->pm.wake = false;
  fw_test_end(ctx, FW_TEST_ABORTED);
  const uint32_t from = fw_condition_reached(ctx);
  if (ctx->pm.state == FW_POWER_ACTIVE) {
    fw_power_begin(ctx, to);
  } else if (from == FW_CONDITION_COUNT || (uint32_t)to < from ||
             ctx->line_cache.oldest_dirty != FW_NO_LINE) {  // written in standby, for example
    ctx->pm.next = (uint8_t)(to + 1u);
    fw_wake(ctx);
  } else if (!fw_at_idle(ctx) && ctx->pm.state != FW_POWER_STANDBY) {  // on its way down
    ctx->pm.condition = (uint8_t)to;
  } else if ((uint32_t)to != from) {
    fw_power_go_on(ctx, to);
  } else {
    fw_power_answer(ctx);
  }
  if (delayed) fw_power_answer(ctx);
}

// The command is not queued, as for a standby. Moves under way end first.
void fw_power_restart(struct fw_context* ctx) {
  ctx->pm.wake = false;
  fw_test_end(ctx, FW_TEST_ABORTED);
  if (ctx->pm.state == FW_POWER_FAULT) {
    fw_save_then(ctx, FW_AFTER_SAVE_RESTART);
  } else if (ctx->pm.state == FW_POWER_ACTIVE) {
    fw_power_begin(ctx, FW_CONDITION_RESTART);
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

// Ends when the stack turns and the arms are over the disk, from standby too.
void fw_idle_immediate(struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_FAULT) {
    fw_unqueued_fault(ctx, 0);
    return;
  }
  ctx->pm.answer = true;
  if (fw_at_idle(ctx) && ctx->pm.state != FW_POWER_STANDBY_Y)
    fw_power_answer(ctx);
  else
    fw_wake(ctx);
}
