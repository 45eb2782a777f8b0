// Where idle arms wait (arms.placement): where they came to rest; the same, but arms outside the recently accessed
// range move to their part of it; each in the middle of its part of that range; or each in the middle of its part of
// the stroke. Moves begin only while nothing waits for an arm.
//
// A move that has begun ends first. Requests that come meanwhile take the other arms or, with a limit on arms that move
// or are in service (SA), wait.
#include "jobs/jobs.h"

// `after_us`: idle time after which an arm moves.
void fw_placement_reset(struct fw_context* ctx, uint32_t policy, uint32_t after_us, uint32_t near_cylinders) {
  ctx->placement.policy = (uint8_t)policy;
  ctx->placement.after_us = after_us == 0 ? 1u : after_us;
  ctx->placement.near_cylinders = near_cylinders;
}

static uint32_t cylinder_of(uint32_t track) {
  return FW_GET(track, SRV_TARGET_CYLINDER);
}

// Cylinders of the group's recent accesses, in ascending order. Returns how many.
static uint32_t recent_of_group(const struct fw_context* ctx, uint32_t group, uint32_t* cylinders) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < ctx->placement.known; ++i) {
    if (fw_group_of(ctx, ctx->placement.recent[i]) != group) continue;
    const uint32_t cylinder = cylinder_of(ctx->placement.recent[i]);
    uint32_t place = count++;
    for (; place != 0 && cylinders[place - 1u] > cylinder; --place) cylinders[place] = cylinders[place - 1u];
    cylinders[place] = cylinder;
  }
  return count;
}

// Counts arms that reach the same surfaces as arm n, which is at cylinder `here`: those further out (`rank`), and all
// of them.
static void rank_of(const struct fw_context* ctx, uint32_t n, uint32_t here, uint32_t* rank, uint32_t* all) {
  *rank = 0;
  *all = 0;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    if (ctx->arm[other].broken || ctx->arm[other].group != ctx->arm[n].group) continue;
    const uint32_t there = other == n ? here : cylinder_of(ctx->arm[other].track);
    if (there < here || (there == here && other < n)) (*rank)++;
    (*all)++;
  }
}

static bool is_near(const struct fw_context* ctx, uint32_t here, uint32_t there) {
  return (there > here ? there - here : here - there) <= ctx->placement.near_cylinders;
}

// Whether arm n would have to move if it were at cylinder `here`, and to which: each arm gets the middle of one of as
// many parts as there are arms. The arms keep their order.
static bool misplaced(const struct fw_context* ctx, uint32_t n, uint32_t here, uint32_t* cylinder) {
  uint32_t rank, all;
  rank_of(ctx, n, here, &rank, &all);
  if (ctx->placement.policy == FW_PLACEMENT_ZONE) {
    *cylinder = (uint32_t)((uint64_t)ctx->drive.stroke * (2u * rank + 1u) / (2u * all));
    return !is_near(ctx, here, *cylinder);
  }
  if (ctx->placement.known < FW_RECENT_TRACKS) return false;
  uint32_t recent[FW_RECENT_TRACKS];
  const uint32_t count = recent_of_group(ctx, ctx->arm[n].group, recent);
  if (count == 0) return false;
  *cylinder = recent[count * (2u * rank + 1u) / (2u * all)];
  if (ctx->placement.policy == FW_PLACEMENT_FOLLOW) return here < recent[0] || here > recent[count - 1u];
  return !is_near(ctx, here, *cylinder);
}

// Nothing waits for an arm, so no grant is pending.
bool fw_nobody_waits(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_ACTIVE && !ctx->errors.draining && !ctx->errors.halted && ctx->slots.waiting == 0 &&
         ctx->destage.in_slots == 0 && !ctx->read_cache.ahead_waits && !ctx->background.scan_waits &&
         ctx->background.scan != FW_SCAN_FREE && !fw_recalibration_waits(ctx);
}

bool fw_arms_limited(const struct fw_context* ctx) {
  return ctx->slots.in_service_limit != 0 || ctx->slots.limits_moving;
}

// With a limit, no other arm is granted while this one moves.
void fw_hold_arms(struct fw_context* ctx, bool hold) {
  if (fw_arms_limited(ctx)) fw_aau_arms(ctx, hold ? 0u : fw_arms_that_work(ctx));
}

static void place(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  uint32_t cylinder, other;
  if (!misplaced(ctx, n, cylinder_of(arm->track), &cylinder)) return;
  const uint32_t home = fw_spare_home(arm);
  const bool strayed = home != arm->place && !misplaced(ctx, n, FW_GET(home, AAU_ARM_CYLINDER), &other);
  const uint32_t track = FW_SET(SRV_TARGET_CYLINDER, cylinder) | (arm->track & SRV_TARGET_HEAD_MASK);
  if (!fw_arm_reaches(ctx, n, track)) return;
  fw_aau_arm(ctx, n, arm->place, false);  // not idle
  fw_hold_arms(ctx, true);
  arm->job = FW_JOB_PLACE;
  fw_count(ctx, FW_COUNTER_PLACEMENTS, ++ctx->placement.moves);
  fw_show(ctx, FW_STATE_PLACE, 0);
  fw_move_arm(ctx, n, track);
  if (strayed) arm->strayed_to = arm->place;  // without background work it would not have to move
}

// Background work takes the arm: it would have gone to its waiting position.
void fw_placement_home(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  uint32_t cylinder;
  if (ctx->placement.policy == FW_PLACEMENT_STAY || fw_spare_home(arm) != arm->place ||
      !misplaced(ctx, n, cylinder_of(arm->track), &cylinder))
    return;
  const uint32_t track = FW_SET(SRV_TARGET_CYLINDER, cylinder) | (arm->track & SRV_TARGET_HEAD_MASK);
  arm->home = fw_head_place(ctx, 0, track, false);
}

// An arm has come to rest.
static void rested(struct fw_context* ctx, uint32_t n) {
  if (ctx->placement.policy == FW_PLACEMENT_STAY) return;
  ctx->arm[n].rested = fw_timer_now(ctx);
  if (!fw_timer_armed(ctx, FW_TIMER_PLACEMENT)) fw_timer_start(ctx, FW_TIMER_PLACEMENT, ctx->placement.after_us);
}

void fw_placement_due(struct fw_context* ctx) {
  if (ctx->cap.shut) {
    fw_timer_start(ctx, FW_TIMER_PLACEMENT, ctx->placement.after_us);
    return;
  }
  if (!fw_nobody_waits(ctx)) return;  // those that are granted now come to rest again
  const uint64_t now = fw_timer_now(ctx);
  uint64_t next = 0;
  for (uint32_t n = 0; n < ctx->drive.arms && !ctx->errors.stopped; ++n) {
    if (!fw_arm_free(&ctx->arm[n]) || (fw_arms_limited(ctx) && fw_any_arm_at_work(ctx))) continue;
    const uint64_t due = ctx->arm[n].rested + ctx->placement.after_us;
    if (due <= now)
      place(ctx, n);
    else if (next == 0 || due < next)
      next = due;
  }
  if (next != 0) fw_timer_start(ctx, FW_TIMER_PLACEMENT, next - now);
}

static void on_track(struct fw_context* ctx, uint32_t n) {
  fw_hold_arms(ctx, false);
  fw_rest(ctx, n);
}

// The move will never complete.
static void give_back(struct fw_context* ctx, uint32_t n) {
  (void)n;
  fw_hold_arms(ctx, false);
}

const struct fw_job_ops fw_place_job = {
    .shown = FW_STATE_PLACE,
    .ungranted = true,
    .on_track = on_track,
    .give_back = give_back,
    .rested = rested,
};
