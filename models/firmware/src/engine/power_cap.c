// Power cap: over each window of time the drive's average power does not exceed the cap.
//
// Firmware keeps a token bucket on pmu.energy. The drive earns `rate_mw`, the cap minus a margin, and pays for the
// energy it draws. Credit is limited to half of the margin's energy over a window, `most_nj`. Without credit no access
// begins: the arbitration unit is off, and arms that read ahead come to rest. Accesses under way continue, so credit
// may fall below 0, by `debt_nj` at most. With C the cap, m the margin and W the window, a window's energy is at most
//
//     (1 - m) C W + most + debt <= C W      if debt <= m C W / 2
//
// Firmware can also save power. If accesses have waited for more than an eighth of a part of the window (a quarter of
// it), it takes one more measure: first quiet seeks, then one arm out of service after another. An arm out of service
// saves the power that holds it on its track; where servos cannot be switched off, that is not a measure. After a whole
// window without waiting, firmware undoes the last measure.
//
// The cap does not delay spin-up or loading of the arms; it applies from then on.
#include "engine/engine.h"

#define LOOKS 64u             // checks per window while an arm is at work
#define SOONEST_US 200u       // shortest time between two checks
#define PARTS 4u              // of a window
#define WAITED 8u             // waiting for 1/8 of a part: one more measure
#define COUNTER_US 60000000u  // the counter does not wrap in less: 4,295 J

static uint32_t field(struct fw_context* ctx, size_t offset) {
  return fw_factory_word(ctx, (uint32_t)offset);
}

void fw_cap_reset(struct fw_context* ctx) {
  struct fw_cap* const cap = &ctx->cap;
  const uint32_t most_mw = field(ctx, offsetof(struct fw_factory, cap_mw));
  const uint32_t means = field(ctx, offsetof(struct fw_factory, cap_means));
  const uint64_t free_mw = (uint64_t)most_mw * field(ctx, offsetof(struct fw_factory, cap_margin)) >> 16;
  cap->window_us = field(ctx, offsetof(struct fw_factory, cap_window_us));
  cap->rate_mw = most_mw - (uint32_t)free_mw;
  cap->free_nj = (int64_t)(free_mw * cap->window_us);
  cap->most_nj = cap->free_nj / 2;
  cap->quiet = (means & FW_CAP_QUIET) != 0 && ctx->acoustic.quiet_points != 0;
  cap->measures = (uint8_t)(cap->quiet + ((means & FW_CAP_ARMS) != 0 ? ctx->drive.arms - 1u : 0u));
}

static void reckon_from_now(struct fw_context* ctx) {
  struct fw_cap* const cap = &ctx->cap;
  cap->at = fw_timer_now(ctx);
  cap->energy_uj = fw_pmu_energy(ctx);
}

void fw_cap_at_speed(struct fw_context* ctx) {
  struct fw_cap* const cap = &ctx->cap;
  if (cap->rate_mw == 0) return;
  reckon_from_now(ctx);
  cap->counts = true;
  cap->credit_nj = 0;
  cap->part_since = cap->at;
}

// Energy for standby and the return from it is not debt. No checks until an arm works again.
void fw_cap_off_speed(struct fw_context* ctx) {
  struct fw_cap* const cap = &ctx->cap;
  if (!cap->counts) return;
  cap->counts = false;
  cap->shut = false;
  fw_timer_cancel(ctx, FW_TIMER_CAP);
}

static void show_shut_time(struct fw_context* ctx, uint64_t us) {
  struct fw_cap* const cap = &ctx->cap;
  cap->shut_us += us;
  cap->part_shut_us += (uint32_t)us;
  fw_count(ctx, FW_COUNTER_CAP_SHUT_MS, (uint32_t)(cap->shut_us / 1000u));
}

// A request or written data wait for an arm.
static bool waited_for(const struct fw_context* ctx) {
  return ctx->slots.waiting != 0 || ctx->destage.in_slots != 0;
}

// Updates the credit by the energy earned and drawn since the last time. mW times us are nJ.
static void reckon(struct fw_context* ctx) {
  struct fw_cap* const cap = &ctx->cap;
  const uint64_t before = cap->at;
  const uint32_t energy = cap->energy_uj;
  reckon_from_now(ctx);
  const uint64_t us = cap->at - before;
  if (us > COUNTER_US)  // no work, or there would have been a check
    cap->credit_nj = cap->most_nj;
  else
    cap->credit_nj += (int64_t)(us * cap->rate_mw) - (int64_t)(cap->energy_uj - energy) * 1000;
  if (us != 0) cap->looked_us = us;
  if (us != 0) cap->drawn_mw = (uint32_t)((uint64_t)(cap->energy_uj - energy) * 1000u / us);
  if (cap->credit_nj > cap->most_nj) cap->credit_nj = cap->most_nj;
  const int64_t least = -(int64_t)cap->rate_mw * cap->window_us;  // energy drawn earlier is in no current window
  if (cap->credit_nj < least) cap->credit_nj = least;
  if (cap->credit_nj < cap->debt_nj) {
    cap->debt_nj = cap->credit_nj;
    if (cap->most_nj > cap->free_nj + cap->debt_nj) cap->most_nj = cap->free_nj + cap->debt_nj;
    if (cap->most_nj < 1) cap->most_nj = 1;
    fw_count(ctx, FW_COUNTER_CAP_DEBT_UJ, (uint32_t)(-cap->debt_nj / 1000));
  }
  if (cap->shut && waited_for(ctx)) show_shut_time(ctx, us);
}

static void look(struct fw_context* ctx) {
  struct fw_cap* const cap = &ctx->cap;
  reckon(ctx);
  const bool shut = cap->credit_nj <= 0;
  if (shut == cap->shut) return;
  cap->shut = shut;
  fw_program_arbitration(ctx);
  if (shut) fw_make_way(ctx, FW_NO_TAG, false);
}

static bool any_retired(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].service != FW_IN_SERVICE && !ctx->arm[n].broken) return true;
  return false;
}

// Without credit: checks again when credit returns at the present power or, if that power is too high, after twice the
// last interval, since checks draw power too. Otherwise: the next regular check while arms are at work.
static void look_again(struct fw_context* ctx) {
  const struct fw_cap* const cap = &ctx->cap;
  if (!cap->shut && cap->taken == 0 && !fw_any_arm_at_work(ctx) && !any_retired(ctx)) return;
  uint64_t us = cap->window_us / LOOKS;
  if (cap->shut) {
    const bool earns = cap->drawn_mw < cap->rate_mw;
    const uint64_t back = earns ? (uint64_t)-cap->credit_nj / (cap->rate_mw - cap->drawn_mw) + 1u : 2u * cap->looked_us;
    if (back < us || !earns) us = back < cap->window_us ? back : cap->window_us;
  }
  fw_timer_start(ctx, FW_TIMER_CAP, us < SOONEST_US ? SOONEST_US : us);
}

static void take(struct fw_context* ctx, uint8_t measures) {
  struct fw_cap* const cap = &ctx->cap;
  if (measures > cap->taken) fw_count(ctx, FW_COUNTER_CAP_MEANS, ++cap->measures_taken);
  cap->taken = measures;
  cap->open_parts = 0;
  if (cap->quiet) fw_acoustic_update(ctx);
}

// At the end of each part of the window: takes or undoes one measure.
static void choose_measures(struct fw_context* ctx) {
  struct fw_cap* const cap = &ctx->cap;
  const uint64_t length = cap->at - cap->part_since;
  if (length < cap->window_us / PARTS) return;
  const bool waited = (uint64_t)cap->part_shut_us * WAITED > length;
  cap->open_parts = cap->part_shut_us == 0 ? (uint8_t)(cap->open_parts + 1u) : 0u;
  cap->part_since = cap->at;
  cap->part_shut_us = 0;
  if (waited && cap->taken < cap->measures)
    take(ctx, (uint8_t)(cap->taken + 1u));
  else if (cap->open_parts >= PARTS && cap->taken != 0)
    take(ctx, (uint8_t)(cap->taken - 1u));
}

// An arm begins an access, or has ended one.
void fw_cap_work(struct fw_context* ctx) {
  if (!ctx->cap.counts) return;
  look(ctx);
  if (!fw_timer_armed(ctx, FW_TIMER_CAP))
    fw_timer_start(ctx, FW_TIMER_CAP, ctx->cap.shut ? SOONEST_US : ctx->cap.window_us / LOOKS);
}

void fw_cap_due(struct fw_context* ctx) {
  if (!ctx->cap.counts) return;
  look(ctx);
  choose_measures(ctx);
  look_again(ctx);
}
