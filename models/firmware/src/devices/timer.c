// Several one-shot timers on the block's only one, which is always set for the earliest of them. A deadline counts in
// whole microseconds of tmr.count, so a timer that had to give way to an earlier one may be up to a microsecond early
// or late; one that is the earliest from its start on is exact. A handler reads the counter once at most.
#include "firmware.h"

#define LONGEST_SHOT_US 0x7FFFFFFFu  // the counter must be read before it has come round

uint64_t fw_timer_now(struct fw_context* ctx) {
  struct fw_timers* const timers = &ctx->timers;
  if (!timers->read) timers->now += fw_read(ctx, SOC_TMR_BASE, TMR_COUNT) - (uint32_t)timers->now;
  timers->read = true;
  return timers->now;
}

static uint32_t earliest(const struct fw_context* ctx) {
  uint32_t first = FW_TIMER_COUNT;
  for (uint32_t id = 0; id < FW_TIMER_COUNT; ++id) {
    const uint64_t deadline = ctx->timers.deadline[id];
    if (deadline != 0 && (first == FW_TIMER_COUNT || deadline < ctx->timers.deadline[first])) first = id;
  }
  return first;
}

static void shoot(struct fw_context* ctx, uint64_t us) {
  fw_write(ctx, SOC_TMR_BASE, TMR_AFTER, us > LONGEST_SHOT_US ? LONGEST_SHOT_US : (uint32_t)us);
}

// `first` is the earliest one and is not over.
static void shoot_at(struct fw_context* ctx, uint32_t first) {
  const uint64_t deadline = ctx->timers.deadline[first];
  const uint64_t now = fw_timer_now(ctx);
  shoot(ctx, deadline > now ? deadline - now : 1u);
}

void fw_timer_start(struct fw_context* ctx, enum fw_timer id, uint64_t us) {
  if (us == 0) {
    fw_timer_cancel(ctx, id);
    return;
  }
  const uint32_t before = earliest(ctx);
  ctx->timers.deadline[id] = fw_timer_now(ctx) + us;
  const uint32_t first = earliest(ctx);
  if (first == id)
    shoot(ctx, us);
  else if (before == id)
    shoot_at(ctx, first);
}

void fw_timer_cancel(struct fw_context* ctx, enum fw_timer id) {
  if (ctx->timers.deadline[id] == 0) return;
  const uint32_t before = earliest(ctx);
  ctx->timers.deadline[id] = 0;
  if (before != id) return;
  const uint32_t first = earliest(ctx);
  if (first == FW_TIMER_COUNT)
    shoot(ctx, 0);
  else
    shoot_at(ctx, first);
}

bool fw_timer_armed(const struct fw_context* ctx, enum fw_timer id) {
  return ctx->timers.deadline[id] != 0;
}

static void handle(struct fw_context* ctx, uint32_t id) {
  switch (id) {
    case FW_TIMER_SPIN_UP:
      fw_spindle_late(ctx);
      break;
    case FW_TIMER_IDLE:
      fw_idle_over(ctx);
      break;
    case FW_TIMER_SCAN:
      fw_scan_due(ctx);
      break;
    case FW_TIMER_RECALIBRATION:
      fw_recalibration_due(ctx);
      break;
    case FW_TIMER_RECALIBRATION_LATE:
      fw_recalibration_late(ctx);
      break;
    case FW_TIMER_RECALIBRATED:
      fw_recalibrated(ctx);
      break;
    case FW_TIMER_STANDBY:
      fw_standby_due(ctx);
      break;
    case FW_TIMER_LOST:
      fw_destage_lost(ctx);
      break;
    case FW_TIMER_CHANNEL:
      fw_channel_due(ctx);
      break;
    case FW_TIMER_APPOINTMENT:
      fw_appointments_pass(ctx);
      break;
    case FW_TIMER_PLACEMENT:
      fw_placement_due(ctx);
      break;
    case FW_TIMER_WRITE_DATA:
      fw_write_data_due(ctx);
      break;
    case FW_TIMER_COMMAND:
      fw_delay_over(ctx);
      break;
    default:
      FW_STOP(ctx);
      break;
  }
}

// Those that are over, the earliest first. One that was cancelled when its interrupt was pending already is not there.
void fw_timer_expired(struct fw_context* ctx) {
  fw_write(ctx, SOC_TMR_BASE, TMR_INTSTAT, TMR_INTSTAT_EXPIRED_MASK);
  const uint64_t now = fw_timer_now(ctx);
  bool over[FW_TIMER_COUNT] = {false};
  for (uint32_t id = 0; id < FW_TIMER_COUNT; ++id)
    over[id] = ctx->timers.deadline[id] != 0 && ctx->timers.deadline[id] <= now;
  for (;;) {
    uint32_t next = FW_TIMER_COUNT;
    for (uint32_t id = 0; id < FW_TIMER_COUNT; ++id)
      if (over[id] && (next == FW_TIMER_COUNT || ctx->timers.deadline[id] < ctx->timers.deadline[next])) next = id;
    if (next == FW_TIMER_COUNT) break;
    over[next] = false;
    // A handler of this round may have cancelled it or started it anew.
    if (ctx->timers.deadline[next] == 0 || ctx->timers.deadline[next] > now) continue;
    ctx->timers.deadline[next] = 0;
    handle(ctx, next);
    if (ctx->stopped) return;
  }
  const uint32_t first = earliest(ctx);
  if (first != FW_TIMER_COUNT) shoot_at(ctx, first);
}
