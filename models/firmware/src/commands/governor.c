// Governor: at the end of each period it compares what the drive has drawn, or how long requests have taken, with the
// objective, and chooses a setting of a table that is ordered by power.
//
//   watts     the drive begins with the first setting that fits without a load. More than the cap: the next one that
//             fits. One with more power fits for some periods in a row: that one.
//   response  the drive begins with the first setting; one setting at a time. More than 1 of 100 requests over the bound: one setting more power, and of more than 1 of 10 the one with
//             the most. No more than 1 of 200 for some periods in a row: one less.
//
// A setting fits if what it draws at idle, the load, and a change to its speed in one period leave the cap its room.
// The load is what the drive has drawn in the last period beyond what the present setting draws at idle. What quiet
// seeks save of the load only a period with them shows: a setting with them, after one without, fits without the load.
//
// With the objective response the speed is changed only if few requests will wait for it (affords), or if more than 1
// of 10 are over the bound. A share is a cap that an array tells.
//
// The period of a change is not judged: arms move, the stack changes its speed. A step of the kind that waits, and that
// the next judged period takes back, doubles the wait, so that a setting between two of the table is not tried over and
// over; one that lasts brings it back to its length. After a period without a command and without a step there is no
// other until the next command.
#include "commands/commands.h"

#define MOST_CALM 64u         // times the wait of the factory record
#define COUNTER_US 60000000u  // the charge counter does not wrap in less

static uint32_t field(struct fw_context* ctx, size_t offset) {
  return fw_factory_word(ctx, (uint32_t)offset);
}

static void begin_period(struct fw_context* ctx) {
  struct fw_governor* const own = &ctx->governor;
  own->since = fw_timer_now(ctx);
  own->energy_uj = own->objective != FW_GOVERNOR_RESPONSE ? fw_pmu_energy(ctx) : 0u;
  fw_meter_clear(ctx);
  fw_timer_start(ctx, FW_TIMER_GOVERNOR, own->period_us);
}

static uint32_t word_of(struct fw_context* ctx, uint32_t setting) {
  return field(ctx, offsetof(struct fw_factory, governor_setting) + 4u * setting);
}

static uint32_t speed_of(struct fw_context* ctx, uint32_t setting) {
  return word_of(ctx, setting) & FW_SETTING_SPEED_MASK;
}

static void apply(struct fw_context* ctx) {
  struct fw_governor* const own = &ctx->governor;
  const uint32_t setting = word_of(ctx, own->setting);
  own->quiet = (setting & FW_SETTING_QUIET) != 0;
  own->arms_out = (uint8_t)((setting & FW_SETTING_ARMS_OUT_MASK) >> FW_SETTING_ARMS_OUT_SHIFT);
  own->idle = (uint8_t)((setting & FW_SETTING_IDLE_MASK) >> FW_SETTING_IDLE_SHIFT);
  if (ctx->acoustic.quiet_points != 0) fw_acoustic_update(ctx);
  if ((setting & FW_SETTING_SPEED_MASK) != ctx->speed.wanted) {
    own->unchanged = 0;
    fw_speed_want(ctx, setting & FW_SETTING_SPEED_MASK);
  }
  fw_retire_update(ctx);
}

void fw_governor_reset(struct fw_context* ctx) {
  struct fw_governor* const own = &ctx->governor;
  own->objective = (uint8_t)field(ctx, offsetof(struct fw_factory, governor));
  own->settings = (uint8_t)field(ctx, offsetof(struct fw_factory, governor_settings));
  own->period_us = field(ctx, offsetof(struct fw_factory, governor_period_us));
  own->calm = field(ctx, offsetof(struct fw_factory, governor_calm));
  own->calm_wanted = own->calm;
  own->cap_mw = field(ctx, offsetof(struct fw_factory, governor_cap_mw));
  own->room = field(ctx, offsetof(struct fw_factory, governor_room));
  own->change_us = field(ctx, offsetof(struct fw_factory, governor_change_us));
  fw_meter_start(ctx, field(ctx, offsetof(struct fw_factory, governor_bound_us)));
}

static bool tries(const struct fw_governor* own) {
  return own->state == FW_GOVERNOR_TRIES || own->state == FW_GOVERNOR_TRIES_SETTLES;
}

static bool settles(const struct fw_governor* own) {
  return own->state == FW_GOVERNOR_SETTLES || own->state == FW_GOVERNOR_TRIES_SETTLES;
}

static void enter(struct fw_governor* own, bool tries, bool settles) {
  const enum fw_governor_state tried = settles ? FW_GOVERNOR_TRIES_SETTLES : FW_GOVERNOR_TRIES;
  const enum fw_governor_state kept = settles ? FW_GOVERNOR_SETTLES : FW_GOVERNOR_KEEPS;
  own->state = (uint8_t)(tries ? tried : kept);
}

static void step(struct fw_context* ctx, uint32_t setting, bool attempt) {
  struct fw_governor* const own = &ctx->governor;
  const bool taken_back = tries(own) && !attempt;
  if (taken_back && own->calm_wanted < own->calm * MOST_CALM) own->calm_wanted *= 2u;
  enter(own, attempt, true);
  own->calm_seen = 0;
  own->setting = (uint8_t)setting;
  fw_count(ctx, FW_COUNTER_GOVERNOR_STEPS, ++own->steps);
  fw_count(ctx, FW_COUNTER_GOVERNOR_SETTING, setting);
  apply(ctx);
}

// One more period keeps to the objective. Whether it was the last that a step waits for.
static bool calm(struct fw_governor* own) {
  own->calm_seen++;
  if (tries(own) && own->calm_seen >= own->calm) {
    enter(own, false, settles(own));  // it has lasted
    own->calm_wanted = own->calm;
  }
  return own->calm_seen >= own->calm_wanted;
}

static uint32_t idle_mw(struct fw_context* ctx, uint32_t setting) {
  return field(ctx, offsetof(struct fw_factory, governor_idle_mw) + 4u * setting);
}

// What a change of speed from the present setting adds to the mean power of a period.
static uint64_t rise_mw(struct fw_context* ctx, uint32_t setting) {
  uint64_t mj = 0;
  for (uint32_t speed = speed_of(ctx, setting); speed < speed_of(ctx, ctx->governor.setting); ++speed)
    mj += field(ctx, offsetof(struct fw_factory, governor_rise_mj) + 4u * speed);
  return mj * 1000000u / ctx->governor.period_us;
}

// The load that a setting is chosen for.
static uint32_t load_at(struct fw_context* ctx, uint32_t setting, uint32_t load_mw) {
  const bool quieter = (word_of(ctx, setting) & ~word_of(ctx, ctx->governor.setting) & FW_SETTING_QUIET) != 0;
  return quieter ? 0u : load_mw;
}

// The first setting that fits under the load, or else the last one.
static uint32_t fitting(struct fw_context* ctx, uint32_t load_mw) {
  struct fw_governor* const own = &ctx->governor;
  const uint32_t share_mw = own->objective == FW_GOVERNOR_SHARE ? fw_pmu_share(ctx) : 0u;
  if (share_mw != 0) own->cap_mw = share_mw;
  const uint32_t room_mw = (uint32_t)((uint64_t)own->cap_mw * own->room >> 16);
  uint32_t setting = 0;
  while (setting + 1u < own->settings &&
         idle_mw(ctx, setting) + load_at(ctx, setting, load_mw) + rise_mw(ctx, setting) > own->cap_mw - room_mw)
    setting++;
  return setting;
}

static void judge_watts(struct fw_context* ctx, uint64_t us) {
  struct fw_governor* const own = &ctx->governor;
  if (us > COUNTER_US) return;
  const uint32_t mw = (uint32_t)((uint64_t)(fw_pmu_energy(ctx) - own->energy_uj) * 1000u / us);
  const uint32_t rest_mw = idle_mw(ctx, own->setting);
  const uint32_t fits = fitting(ctx, mw > rest_mw ? mw - rest_mw : 0u);
  if (mw > own->cap_mw) {
    own->calm_seen = 0;
    if (fits > own->setting) step(ctx, fits, false);
  } else if (fits >= own->setting) {
    own->calm_seen = 0;
  } else if (calm(own)) {
    step(ctx, fits, true);
  }
}

// Requests that come while the stack changes its speed wait for seconds. They must stay so few that with them, too, 99
// of 100 keep to the bound: no more than 1 of 200 of those that have ended since the last change, for the way to the
// lower speed and the way back, at the rate of the last period.
static bool affords(const struct fw_context* ctx, uint32_t speed, uint64_t us) {
  const struct fw_governor* const own = &ctx->governor;
  if (speed == ctx->speed.wanted) return true;
  const uint64_t met = ctx->meter.requests * (uint64_t)own->change_us / us;
  return met * 200u <= own->unchanged;
}

static void judge_response(struct fw_context* ctx, uint64_t us) {
  struct fw_governor* const own = &ctx->governor;
  const uint64_t requests = ctx->meter.requests, late = ctx->meter.late;
  own->unchanged += requests;
  if (late * 100u > requests) {
    const uint32_t more = late * 10u > requests || own->setting == 0 ? 0u : own->setting - 1u;
    own->calm_seen = 0;
    if (own->setting != 0 && (more == 0 || affords(ctx, speed_of(ctx, more), us))) step(ctx, more, false);
  } else if (late * 200u > requests) {
    own->calm_seen = 0;
  } else if (calm(own) && own->setting + 1u < own->settings && affords(ctx, speed_of(ctx, own->setting + 1u), us)) {
    step(ctx, own->setting + 1u, true);
  }
}

void fw_governor_due(struct fw_context* ctx) {
  struct fw_governor* const own = &ctx->governor;
  const uint64_t us = fw_timer_now(ctx) - own->since;
  const bool settled = !settles(own);
  enter(own, tries(own), ctx->speed.wanted != ctx->speed.now || ctx->pm.state == FW_POWER_SPEED);
  const bool idle = ctx->meter.requests == 0 && ctx->commands.active == 0;
  if (settled && own->objective == FW_GOVERNOR_RESPONSE)
    judge_response(ctx, us);
  else if (settled)
    judge_watts(ctx, us);
  fw_retire_update(ctx);
  if (!idle || settles(own)) begin_period(ctx);
}

static void begin(struct fw_context* ctx) {
  const uint32_t first = ctx->governor.objective == FW_GOVERNOR_RESPONSE ? 0u : fitting(ctx, 0);
  ctx->governor.state = FW_GOVERNOR_KEEPS;
  if (first != 0)
    step(ctx, first, false);
  else
    apply(ctx);
}

// A command has ended, or the arms are over the disk for the first time.
void fw_governor_work(struct fw_context* ctx) {
  if (ctx->governor.objective == 0) return;
  if (ctx->governor.state == FW_GOVERNOR_WAITS) begin(ctx);
  if (!fw_timer_armed(ctx, FW_TIMER_GOVERNOR)) begin_period(ctx);
  if (ctx->drive.arms > 1u) fw_retire_update(ctx);  // an arm that was at work when it was to go, or to come back
}
