// Speeds of the disk stacks: which one to work at, and the tables that depend on it. power.c makes the change: the arms
// come to rest on their tracks, the stack changes its speed, and requests that come meanwhile wait in their slots.
//
// FW_SPEED_DRPM chooses as a disk of Gurumurthi, Sivasubramaniam, Kandemir and Franke does ("DRPM: Dynamic Speed
// Control for Power Management in Server Class Disks", 2003): without a request the drive goes one speed down at each
// look, as far as is allowed. A window of n requests whose mean response is longer than that of the window before it by
// more than an upper bound brings the stack to full speed at once and allows no lower one; one that is longer by less
// than a lower bound allows one speed less.
#include "commands/commands.h"

#define WHOLE 65536

static uint32_t field(struct fw_context* ctx, size_t offset) {
  return fw_factory_word(ctx, (uint32_t)offset);
}

void fw_speed_reset(struct fw_context* ctx) {
  struct fw_speed* const speed = &ctx->speed;
  speed->lower = (uint8_t)field(ctx, offsetof(struct fw_factory, lower_speeds));
  speed->policy = (uint8_t)field(ctx, offsetof(struct fw_factory, speed_policy));
  speed->window = field(ctx, offsetof(struct fw_factory, speed_window));
  speed->most = (int32_t)field(ctx, offsetof(struct fw_factory, speed_upper));
  speed->least = (int32_t)field(ctx, offsetof(struct fw_factory, speed_lower));
  speed->check_us = field(ctx, offsetof(struct fw_factory, speed_check_us));
  if (speed->policy != FW_SPEED_DRPM) return;
  speed->allowed = speed->lower;
  fw_meter_start(ctx, 0);
}

void fw_speed_want(struct fw_context* ctx, uint32_t speed) {
  ctx->speed.wanted = (uint8_t)speed;
  fw_due(ctx, FW_DUE_SPEED);
}

// Times in ticks of a turn become fewer, as a turn takes longer. In two steps, as a handler may make only so many
// register accesses.
void fw_speed_load(struct fw_context* ctx, uint32_t speed) {
  const uint32_t part =
      speed == 0 ? FW_WHOLE_SPEED : field(ctx, offsetof(struct fw_factory, speed_part) + 4u * (speed - 1u));
  ctx->speed.now = (uint8_t)speed;
  ctx->speed.loading = true;
  fw_count(ctx, FW_COUNTER_SPEED_CHANGES, ++ctx->speed.changes);
  fw_reckoning_speed(ctx, part);
  fw_schedule_speed(ctx, part);
  fw_spare_speed(ctx, part);
  if (ctx->channel.arbiter)
    fw_cha_margin(ctx, fw_ticks_at_speed(ctx, field(ctx, offsetof(struct fw_factory, channel_margin_ticks))));
}

void fw_speed_loaded(struct fw_context* ctx) {
  if (!ctx->speed.loading) return;
  ctx->speed.loading = false;
  fw_reckoning_speed_quiet(ctx);
}

static void look_again(struct fw_context* ctx) {
  if (ctx->speed.policy == FW_SPEED_DRPM && ctx->speed.wanted < ctx->speed.allowed &&
      !fw_timer_armed(ctx, FW_TIMER_SPEED))
    fw_timer_start(ctx, FW_TIMER_SPEED, ctx->speed.check_us);
}

void fw_speed_due(struct fw_context* ctx) {
  if (ctx->commands.active == 0 && ctx->pm.state == FW_POWER_ACTIVE && ctx->speed.wanted < ctx->speed.allowed)
    fw_speed_want(ctx, ctx->speed.wanted + 1u);
  look_again(ctx);
}

static void judge_window(struct fw_context* ctx) {
  struct fw_speed* const speed = &ctx->speed;
  const uint32_t mean_us = (uint32_t)(ctx->meter.response_us / ctx->meter.requests);
  const uint32_t last_us = speed->last_us;
  fw_meter_clear(ctx);
  speed->last_us = mean_us;
  if (last_us == 0) return;
  const int64_t longer = ((int64_t)mean_us - last_us) * WHOLE, of = last_us;
  if (longer > of * speed->most) {
    speed->allowed = 0;
    fw_speed_want(ctx, 0);
  } else if (longer < of * speed->least && speed->allowed < speed->lower) {
    speed->allowed++;
  }
}

// A command has ended, or the arms are over the disk.
void fw_speed_ended(struct fw_context* ctx) {
  if (ctx->speed.lower == 0) return;
  if (ctx->speed.policy == FW_SPEED_DRPM && ctx->meter.requests >= ctx->speed.window) judge_window(ctx);
  if (ctx->speed.wanted != ctx->speed.now) fw_due(ctx, FW_DUE_SPEED);
  look_again(ctx);
}
