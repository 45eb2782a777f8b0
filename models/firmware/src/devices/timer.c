// Several one-shot timers on the only hardware timer, which is always set for the earliest. Deadlines are whole
// microseconds of tmr.count, so a timer that an earlier one displaced may be up to a microsecond early or late; one
// that is always the earliest is exact. A handler reads the counter at most once. The 32-bit counter wraps every 71
// minutes; tmr.age has the upper bits, so nothing need run in between.
#include "devices/timer.h"

#define LONGEST_SHOT_US 0x7FFFFFFFu
#define AGE_SHIFT 16u

// The age is read first; the counter is at most a few units ahead of it.
uint64_t fw_timer_now(struct fw_context* ctx) {
  struct fw_timers* const timers = &ctx->timers;
  if (!timers->read) {
    const uint64_t age_us = (uint64_t)fw_read(ctx, SOC_TMR_BASE, TMR_AGE) << AGE_SHIFT;
    timers->now = age_us + (fw_read(ctx, SOC_TMR_BASE, TMR_COUNT) - (uint32_t)age_us);
  }
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

// `first`: the earliest timer, not yet expired.
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

// Acknowledges the timer interrupt.
void fw_timer_acknowledge(struct fw_context* ctx) {
  fw_write(ctx, SOC_TMR_BASE, TMR_INTSTAT, TMR_INTSTAT_EXPIRED_MASK);
}

// Disarms and returns the earliest expired timer; FW_TIMER_COUNT: none, and the hardware is set for the next. `over`: a
// bit for each timer that had expired at the interrupt. A timer cancelled while pending, or restarted since, does not
// count.
uint32_t fw_timer_next(struct fw_context* ctx, uint32_t* over) {
  const uint64_t* const deadline = ctx->timers.deadline;
  for (;;) {
    uint32_t next = FW_TIMER_COUNT;
    for (uint32_t id = 0; id < FW_TIMER_COUNT; ++id)
      if ((*over >> id & 1u) != 0 && (next == FW_TIMER_COUNT || deadline[id] < deadline[next])) next = id;
    if (next == FW_TIMER_COUNT) break;
    *over &= ~(1u << next);
    if (deadline[next] == 0 || deadline[next] > fw_timer_now(ctx)) continue;
    ctx->timers.deadline[next] = 0;
    return next;
  }
  const uint32_t first = earliest(ctx);
  if (first != FW_TIMER_COUNT) shoot_at(ctx, first);
  return FW_TIMER_COUNT;
}

// Expired timers, a bit each.
uint32_t fw_timers_over(struct fw_context* ctx) {
  const uint64_t now = fw_timer_now(ctx);
  uint32_t over = 0;
  for (uint32_t id = 0; id < FW_TIMER_COUNT; ++id)
    if (ctx->timers.deadline[id] != 0 && ctx->timers.deadline[id] <= now) over |= 1u << id;
  return over;
}

void fw_timer_enable(struct fw_context* ctx) {
  fw_write(ctx, SOC_TMR_BASE, TMR_INTEN, TMR_INTEN_EXPIRED_MASK);
}
