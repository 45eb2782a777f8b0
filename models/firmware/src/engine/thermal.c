// Temperature: firmware looks at the sensor once a second. It keeps what logs tell of it, and throttles: when the case
// is warmer than allowed, it takes one measure after another, each when the one before has had time to act: first quiet
// seeks, then one arm out of service after another (jobs/retire.c); of a MEMS store passes that move half as many
// blocks, and half as many again. When the case has cooled down it takes them back, one at a time.
#include "engine/engine.h"

#define LOOK_US 1000000u
#define US_PER_MINUTE 60000000u

static uint32_t field(struct fw_context* ctx, size_t offset) {
  return fw_factory_word(ctx, (uint32_t)offset);
}

static int8_t sensor(struct fw_context* ctx) {
  return (int8_t)FW_GET(fw_pmu_temperature(ctx), PMU_TEMPERATURE_CELSIUS);
}

static void record(struct fw_context* ctx) {
  struct fw_thermal* const heat = &ctx->thermal;
  heat->recorded_us = heat->looked_us;
  heat->newest = (uint8_t)((heat->newest + 1u) % FW_TEMPERATURES);
  heat->history[heat->newest] = heat->now;
  if (heat->entries < FW_TEMPERATURES) heat->entries++;
  if (heat->now > heat->most) heat->over++;
  if (heat->now < heat->least) heat->under++;
}

static void keep_extremes(struct fw_context* ctx) {
  struct fw_thermal* const heat = &ctx->thermal;
  struct fw_saved_heat* const life = &ctx->saved.heat;
  if (heat->now < heat->lowest) heat->lowest = heat->now;
  if (heat->now > heat->highest) heat->highest = heat->now;
  if (life->known == 0 || heat->now < life->lowest) life->lowest = heat->now;
  if (life->known == 0 || heat->now > life->highest) life->highest = heat->now;
  life->known = 1;
}

// The time since the last look counts with the temperature that was found then.
static void count_time(struct fw_context* ctx, uint64_t us) {
  struct fw_thermal* const heat = &ctx->thermal;
  if (heat->now > heat->most) ctx->saved.heat.over_ms += us / 1000u;
  if (heat->now < heat->least) ctx->saved.heat.under_ms += us / 1000u;
  if (heat->taken == 0) return;
  heat->throttled_us += us;
  fw_count(ctx, FW_COUNTER_THROTTLED_MS, (uint32_t)(heat->throttled_us / 1000u));
}

// Halvings of the blocks of a store's pass, to one.
static uint8_t halvings(const struct fw_context* ctx) {
  uint8_t count = 0;
  while (ctx->mems.store.cells >> count > 1u) count++;
  return count;
}

// The tips of a store move fewer blocks in a pass.
static void limit_passes(struct fw_context* ctx) {
  const uint32_t blocks = ctx->thermal.taken == 0 ? 0u : ctx->mems.store.cells >> ctx->thermal.taken;
  for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel) fw_channel_limit(ctx, channel, blocks);
}

static void take(struct fw_context* ctx, uint8_t measures) {
  struct fw_thermal* const heat = &ctx->thermal;
  if (measures > heat->taken) fw_count(ctx, FW_COUNTER_THROTTLE_MEANS, ++heat->measures_taken);
  heat->taken = measures;
  heat->changed_us = heat->looked_us;
  fw_printf(ctx, "case at %u C: %u measures against heat", (uint32_t)heat->now, measures);
  if (heat->quiet) fw_acoustic_update(ctx);
  if (heat->tips) limit_passes(ctx);
}

static void choose_measures(struct fw_context* ctx) {
  struct fw_thermal* const heat = &ctx->thermal;
  if (heat->measures == 0) return;
  if (heat->measures_taken != 0 && heat->looked_us - heat->changed_us < (uint64_t)heat->every_ms * 1000u) return;
  if (heat->now > heat->throttle_at && heat->taken < heat->measures)
    take(ctx, (uint8_t)(heat->taken + 1u));
  else if (heat->now <= heat->throttle_back && heat->taken != 0)
    take(ctx, (uint8_t)(heat->taken - 1u));
}

void fw_thermal_due(struct fw_context* ctx) {
  struct fw_thermal* const heat = &ctx->thermal;
  const uint64_t before = heat->looked_us;
  heat->looked_us = fw_timer_now(ctx);
  count_time(ctx, heat->looked_us - before);
  heat->now = sensor(ctx);
  keep_extremes(ctx);
  if (heat->looked_us - heat->recorded_us >= (uint64_t)ctx->host.sct.interval * US_PER_MINUTE) record(ctx);
  choose_measures(ctx);
  fw_timer_start(ctx, FW_TIMER_THERMAL, LOOK_US);
}

void fw_thermal_reset(struct fw_context* ctx) {
  struct fw_thermal* const heat = &ctx->thermal;
  const uint32_t limits = field(ctx, offsetof(struct fw_factory, thermal_limits));
  const uint32_t throttle = field(ctx, offsetof(struct fw_factory, throttle));
  const uint32_t means = field(ctx, offsetof(struct fw_factory, throttle_means));
  heat->known = true;
  heat->least = (int8_t)(limits & 0xFFu);
  heat->most = (int8_t)(limits >> 8 & 0xFFu);
  heat->throttle_at = (int8_t)(throttle & 0xFFu);
  heat->throttle_back = (int8_t)(throttle >> 8 & 0xFFu);
  heat->every_ms = field(ctx, offsetof(struct fw_factory, throttle_every_ms));
  heat->quiet = (means & FW_CAP_QUIET) != 0 && ctx->acoustic.quiet_points != 0;
  heat->tips = (means & FW_CAP_TIPS) != 0;
  heat->measures = (uint8_t)(heat->quiet + ((means & FW_CAP_ARMS) != 0 ? ctx->drive.arms - 1u : 0u));
  if (heat->tips) heat->measures = halvings(ctx);
  heat->now = sensor(ctx);
  heat->lowest = heat->now;
  heat->highest = heat->now;
  keep_extremes(ctx);
  fw_thermal_forget(ctx);
}

void fw_thermal_forget(struct fw_context* ctx) {
  struct fw_thermal* const heat = &ctx->thermal;
  heat->entries = 0;
  heat->newest = FW_TEMPERATURES - 1u;
  heat->over = 0;
  heat->under = 0;
  record(ctx);
}
