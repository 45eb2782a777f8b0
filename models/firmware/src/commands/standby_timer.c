// Standby timer of STANDBY and IDLE.
#include "commands/commands.h"

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

void fw_standby_rearm(struct fw_context* ctx) {
  fw_background_rearm(ctx);
  fw_idle_rearm(ctx);
  if (ctx->pm.standby_s == 0 || !fw_at_idle(ctx) || ctx->commands.active != 0) return;
  fw_timer_start(ctx, FW_TIMER_STANDBY, (uint64_t)ctx->pm.standby_s * 1000000u);
}

// The drive is on its way into a condition from which it can go deeper.
static bool going_idle(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_RELEASE || ctx->pm.state == FW_POWER_SLOW_DOWN ||
         (ctx->pm.state == FW_POWER_UNLOAD && ctx->pm.condition < FW_CONDITION_STANDBY);
}

// The standby timer is over: flush and go into standby, without an answer.
void fw_standby_due(struct fw_context* ctx) {
  if (going_idle(ctx)) {
    ctx->pm.condition = FW_CONDITION_STANDBY;
    return;
  }
  if (ctx->background.reading.state != FW_READING_NONE) return;  // until it ends
  if (!fw_at_idle(ctx) || ctx->commands.active != 0 || ctx->destage.flush_waits || ctx->errors.draining ||
      ctx->errors.halted) {
    fw_standby_rearm(ctx);
    return;
  }
  ctx->pm.idle.wanted = FW_CONDITION_STANDBY;
  fw_due(ctx, FW_DUE_DOWN);
}
