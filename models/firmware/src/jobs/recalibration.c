// Recalibration: every background.recalibration_s each arm moves to the reference track, stays there, and moves back.
// It has a slot of class 3 in the arbitration unit, behind the scan's.
#include "jobs/jobs.h"

static bool wants(const struct fw_context* ctx, uint32_t n);

static uint32_t slot_of(const struct fw_context* ctx) {
  return fw_scan_slot(ctx) + 1u;
}

// The slot has no access: no sector, and no length.
static void commit(struct fw_context* ctx, uint32_t track) {
  fw_commit_slot(ctx, slot_of(ctx), track, 0, FW_SET(AAU_SLOT_COMMIT_SLOT_CLASS, 3u));
}

void fw_recalibration_arm(struct fw_context* ctx) {
  const struct fw_background* const own = &ctx->background;
  if (own->recalibration_ms != 0) fw_timer_start(ctx, FW_TIMER_RECALIBRATION, (uint64_t)own->recalibration_ms * 1000u);
}

// The reference track, if need be on the first surface for which the arm has a working head. False: there is none.
static bool reference(const struct fw_context* ctx, uint32_t n, uint32_t* track) {
  const struct fw_arm* const arm = &ctx->arm[n];
  *track = ctx->background.recalibration_track;
  if (fw_arm_reaches(ctx, n, *track)) return true;
  for (uint32_t surface = arm->first_head; surface < ctx->drive.heads && surface <= arm->last_head; ++surface) {
    *track = (*track & SRV_TARGET_CYLINDER_MASK) | FW_SET(SRV_TARGET_HEAD, surface);
    if (fw_arm_reaches(ctx, n, *track)) return true;
  }
  return false;
}

// The due arms that can still be recalibrated, a bit each.
static uint32_t still_due(const struct fw_context* ctx) {
  uint32_t due = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (wants(ctx, n)) due |= 1u << n;
  return due;
}

static void recalibrate_next(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  own->recalibration_due = still_due(ctx);
  uint32_t n = 0, track;
  while (n < ctx->drive.arms && (own->recalibration_due >> n & 1u) == 0) n++;
  if (n == ctx->drive.arms || !reference(ctx, n, &track)) return;
  own->recalibration = FW_RECALIBRATION_WAITS;
  fw_timer_start(ctx, FW_TIMER_RECALIBRATION_LATE, own->recalibration_wait_us);
  commit(ctx, track);
}

// Commits the slot again, for the reference track of the first due arm.
static void commit_reference(struct fw_context* ctx) {
  uint32_t track = ctx->background.recalibration_track;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (wants(ctx, n) && reference(ctx, n, &track)) break;
  commit(ctx, track);
}

static bool recalibrating(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].job == FW_JOB_RECALIBRATE) return true;
  return false;
}

// Does nothing in standby, or while the last period's recalibrations are not over: the next are due a period later.
void fw_recalibration_due(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  fw_recalibration_arm(ctx);
  if (ctx->pm.state != FW_POWER_ACTIVE || fw_recalibration_waits(ctx) || recalibrating(ctx)) return;
  own->recalibration_due = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) own->recalibration_due |= ctx->arm[n].broken ? 0u : 1u << n;
  recalibrate_next(ctx);
}

static bool wants(const struct fw_context* ctx, uint32_t n) {
  uint32_t track;
  return (ctx->background.recalibration_due >> n & 1u) != 0 && reference(ctx, n, &track);
}

// The recalibration has waited long enough: it takes the next due arm that comes to rest.
void fw_recalibration_late(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  if (fw_recalibration_waits(ctx)) own->recalibration = FW_RECALIBRATION_LATE;
}

static void recalibrate(struct fw_context* ctx, uint32_t n) {
  struct fw_background* const own = &ctx->background;
  own->recalibration = FW_RECALIBRATION_THERE;
  own->recalibration_due &= ~(1u << n);
  fw_timer_cancel(ctx, FW_TIMER_RECALIBRATION_LATE);
  fw_aau_slot_off(ctx, slot_of(ctx));
  own->arm = (uint8_t)n;
  own->back_to = ctx->arm[n].track;
  uint32_t track;
  reference(ctx, n, &track);  // there is one: the arm is due
  fw_background_begin(ctx, n, FW_JOB_RECALIBRATE);
  fw_move_arm(ctx, n, track);
}

// The arbitration unit does not know which arms are due. If this one is not, take an idle arm that is; without one,
// take each due arm when it next comes to rest.
static void granted(struct fw_context* ctx, uint32_t n, uint32_t slot) {
  struct fw_background* const own = &ctx->background;
  (void)slot;
  if (!fw_recalibration_waits(ctx)) {
    fw_rest(ctx, n);  // the slot was withdrawn too late
    return;
  }
  uint32_t chosen = n;
  for (uint32_t other = 0; other < ctx->drive.arms && !wants(ctx, chosen); ++other)
    if (fw_arm_free(&ctx->arm[other]) && wants(ctx, other)) chosen = other;
  if (!wants(ctx, chosen)) {
    own->recalibration = FW_RECALIBRATION_LATE;
  } else if (chosen != n) {  // no grant can be pending: this one was just taken
    fw_aau_arm(ctx, chosen, ctx->arm[chosen].place, false);
    recalibrate(ctx, chosen);
  } else {
    recalibrate(ctx, n);
    return;
  }
  fw_rest(ctx, n);
}

static void on_track(struct fw_context* ctx, uint32_t n) {
  struct fw_background* const own = &ctx->background;
  const bool back = own->recalibration == FW_RECALIBRATION_BACK;
  if (back || ctx->errors.draining) {
    fw_count(ctx, FW_COUNTER_RECALIBRATIONS, back ? ++own->recalibrations : own->recalibrations);
    fw_background_account(ctx, n);
    fw_rest(ctx, n);
    if (own->recalibration_due != 0 && ctx->pm.state == FW_POWER_ACTIVE && !ctx->errors.draining) recalibrate_next(ctx);
    return;
  }
  fw_timer_start(ctx, FW_TIMER_RECALIBRATED, own->recalibration_stay_us);
}

void fw_recalibrated(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  struct fw_arm* const arm = &ctx->arm[own->arm];
  if (arm->job != FW_JOB_RECALIBRATE || arm->state != FW_ARM_ON_TRACK) return;
  own->recalibration = FW_RECALIBRATION_BACK;
  if (fw_arm_reaches(ctx, own->arm, own->back_to))
    fw_move_arm(ctx, own->arm, own->back_to);
  else
    on_track(ctx, own->arm);
}

// The arm or its head has failed. Its recalibration stays due if the arm can still do it.
static void give_back(struct fw_context* ctx, uint32_t n) {
  struct fw_background* const own = &ctx->background;
  if (ctx->arm[n].broken) return;
  fw_background_account(ctx, n);
  fw_timer_cancel(ctx, FW_TIMER_RECALIBRATED);
  if (own->recalibration != FW_RECALIBRATION_BACK && !ctx->errors.draining) own->recalibration_due |= 1u << n;
}

// An arm or a head has failed: drop recalibrations that are no longer possible.
void fw_recalibration_without(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  if (ctx->failures.heads != 0) own->recalibration_due = still_due(ctx);
  const bool waits = fw_recalibration_waits(ctx);
  if (own->recalibration_due == 0) {
    if (waits) fw_recalibration_dropped(ctx);
    if (waits) fw_aau_slot_off(ctx, slot_of(ctx));
  } else if (waits && ctx->failures.heads != 0) {
    fw_aau_slot_off(ctx, slot_of(ctx));
    commit_reference(ctx);
  } else if (!waits && !recalibrating(ctx) && ctx->pm.state == FW_POWER_ACTIVE) {
    recalibrate_next(ctx);
  }
}

// The arbitration unit has no slot of it any more.
void fw_recalibration_dropped(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  if (fw_recalibration_waits(ctx)) own->recalibration = FW_RECALIBRATION_NOT;
  own->recalibration_due = 0;
  fw_timer_cancel(ctx, FW_TIMER_RECALIBRATED);
  fw_timer_cancel(ctx, FW_TIMER_RECALIBRATION_LATE);
}

static void again(struct fw_context* ctx, uint32_t slot) {
  (void)slot;
  if (fw_recalibration_waits(ctx)) commit_reference(ctx);
}

// A recalibration that has waited for too long takes the arm.
static bool take(struct fw_context* ctx, uint32_t n) {
  if (ctx->background.recalibration != FW_RECALIBRATION_LATE || !wants(ctx, n) || ctx->errors.draining ||
      ctx->pm.state != FW_POWER_ACTIVE)
    return false;
  recalibrate(ctx, n);
  return true;
}

static void arms_left(struct fw_context* ctx, uint32_t mask) {
  ctx->background.recalibration_due &= mask;
}

const struct fw_job_ops fw_recalibration_job = {
    .shown = FW_STATE_RECALIBRATE,
    .granted = granted,
    .again = again,
    .slot_lba = fw_scan_slot_lba,
    .on_track = on_track,
    .give_back = give_back,
    .take = take,
    .arms_left = arms_left,
};
