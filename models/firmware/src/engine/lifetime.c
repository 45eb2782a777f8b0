// Lifetime counters: the values in the last flash record, plus those since power-on.
#include "engine/engine.h"

static uint64_t turning_us(struct fw_context* ctx) {
  const struct fw_statistics* const counts = &ctx->statistics;
  return counts->turned_us + (counts->turns ? fw_timer_now(ctx) - counts->turns_since : 0u);
}

// Channels without a retry ladder have no counters: takes the larger count.
static uint32_t unreadable(const struct fw_context* ctx) {
  const uint32_t counted = ctx->defects.reads_counted[2];
  return ctx->statistics.unreadable > counted ? ctx->statistics.unreadable : counted;
}

static uint64_t since_power_on(struct fw_context* ctx, enum fw_life what) {
  const struct fw_statistics* const counts = &ctx->statistics;
  switch (what) {
    case FW_LIFE_STARTS:
      return counts->starts;
    case FW_LIFE_START_RETRIES:
      return counts->start_retries;
    case FW_LIFE_LOADS:
      return counts->loads;
    case FW_LIFE_ON_US:
      return fw_timer_now(ctx);
    case FW_LIFE_TURNING_US:
      return turning_us(ctx);
    case FW_LIFE_SECTORS_READ:
      return counts->sectors_read +
             (ctx->rules.hardware_hits ? fw_hif_hit_sectors(ctx) * ctx->drive.logical_sectors : 0u);
    case FW_LIFE_SECTORS_WRITTEN:
      return counts->sectors_written;
    case FW_LIFE_READS:
      return (uint64_t)counts->reads + (ctx->rules.hardware_hits ? fw_buf_hits(ctx) : 0u);
    case FW_LIFE_WRITES:
      return counts->writes;
    case FW_LIFE_READ_FAILURES:
      return (uint64_t)ctx->defects.reads_counted[0] + (unreadable(ctx) - ctx->defects.reads_counted[2]);
    case FW_LIFE_RECOVERED:
      return ctx->defects.reads_counted[1];
    case FW_LIFE_UNREADABLE:
      return unreadable(ctx);
    case FW_LIFE_OFF_TRACK:
      return counts->off_track;
    case FW_LIFE_REALLOCATED:
      return ctx->defects.reallocated;
    case FW_LIFE_REALLOCATIONS:
      return counts->reallocations;
    case FW_LIFE_UNCORRECTABLE:
      return counts->uncorrectable;
    case FW_LIFE_TIMEOUTS:
      return counts->resets_at_work;
    case FW_LIFE_LINK_ERRORS:
      return counts->link_errors;
    case FW_LIFE_FOUND_UNREADABLE:
      return counts->found_unreadable;
    default:  // counted in the record itself
      return 0;
  }
}

uint64_t fw_life(struct fw_context* ctx, enum fw_life what) {
  return ctx->saved.life[what] + since_power_on(ctx, what);
}

uint32_t fw_life_hours(struct fw_context* ctx) {
  return (uint32_t)(fw_life(ctx, FW_LIFE_ON_US) / 3600000000u);
}
