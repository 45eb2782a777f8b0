// The drive's own background work: it scans its media and recalibrates arms. Each has a slot of class 3 in the
// arbitration unit, numbered after those of the host and of de-staging, which yields to the host's.
//
// Scan: after a while without commands an arm reads the next step of the disk, from where the last step ended; a
// command that needs an arm stops it at the end of the current sector. An unreadable sector becomes pending. A reading
// for self-tests and off-line reads takes the scan's place. Recalibration: a move to the reference track, a stay there,
// and the move back.
//
// With background.max_added_us the scan and the readings also go on while commands are under way (spare.c).
#include "jobs/jobs.h"

static bool wants(const struct fw_context* ctx, uint32_t n);
static void recalibrate(struct fw_context* ctx, uint32_t n);

static uint32_t scan_slot(const struct fw_context* ctx) {
  return ctx->drive.queue_depth + FW_MAX_WRITEBACK_SLOTS;
}

static uint32_t recalibration_slot(const struct fw_context* ctx) {
  return scan_slot(ctx) + 1u;
}

static bool idle(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_ACTIVE && ctx->commands.active == 0 && !ctx->errors.draining && !ctx->errors.halted;
}

// Time without a command after which the drive scans or reads; 0: never.
static uint32_t reading_idle_us(const struct fw_background* own) {
  return own->reading.state != FW_READING_NONE ? FW_READING_IDLE_US : own->scan_idle_us;
}

// Where the next step begins.
static uint64_t next_lba(const struct fw_context* ctx) {
  return ctx->background.reading.state != FW_READING_NONE ? ctx->background.reading.lba : ctx->background.scan_lba;
}

// The unit has no appointment for an arm that gives way at once (schedule.c).
static void commit(struct fw_context* ctx, uint32_t slot, uint32_t track, uint32_t angle) {
  const bool appointment = slot == scan_slot(ctx) && ctx->spare.earns_us == 0;
  const uint32_t sectors = appointment ? ctx->background.scan_step : 0u;
  fw_commit_slot(ctx, slot, track, angle,
                 FW_SET(AAU_SLOT_COMMIT_SLOT_CLASS, 3u) | fw_channel_length(ctx, next_lba(ctx), sectors));
}

static void withdraw(struct fw_context* ctx, uint32_t slot) {
  fw_aau_slot_off(ctx, slot);
}

// All commands have ended, or the arms are back from the ramp.
void fw_background_rearm(struct fw_context* ctx) {
  const uint32_t idle_us = reading_idle_us(&ctx->background);
  if (idle_us != 0 && idle(ctx)) {
    ctx->background.paused = false;
    fw_timer_start(ctx, FW_TIMER_SCAN, idle_us);
  }
}

// A command has come.
void fw_background_command(struct fw_context* ctx) {
  if (ctx->spare.earns_us == 0) {
    fw_background_stop(ctx);
    return;
  }
  ctx->background.scanning = false;  // from now on it costs something (spare.c)
  ctx->background.paused = false;
  fw_timer_cancel(ctx, FW_TIMER_SCAN);
}

void fw_background_stop(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  if (reading_idle_us(own) == 0 && !own->scanning) return;
  fw_timer_cancel(ctx, FW_TIMER_SCAN);
  own->scanning = false;
  fw_background_preempt(ctx);
  if (!own->scan_waits) return;
  own->scan_waits = false;
  withdraw(ctx, scan_slot(ctx));
}

// Arms that scan come free at the end of the current sector.
void fw_background_preempt(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->job == FW_JOB_SCAN && arm->state == FW_ARM_TRANSFER) fw_channel_stop(ctx, arm->channel);
  }
}

static void pass_over(struct fw_context* ctx) {
  ctx->background.scan_lba = 0;
  fw_count(ctx, FW_COUNTER_SCAN_PASSES, ++ctx->background.passes);
}

// The media are read up to `lba`, or skipped because no head reaches them.
static void step_over(struct fw_context* ctx, uint64_t lba) {
  struct fw_background* const own = &ctx->background;
  if (own->reading.state != FW_READING_NONE) {
    own->reading.lba = lba;
    if (lba < own->reading.end) return;
    own->reading.state = FW_READING_NONE;
    fw_due(ctx, FW_DUE_READING);
  } else {
    own->scan_lba = lba;
    if (lba >= ctx->drive.capacity) pass_over(ctx);
  }
}

// The drive neither scans nor reads, or its reading waits at a bad sector.
static bool nothing_to_read(const struct fw_context* ctx) {
  return reading_idle_us(&ctx->background) == 0 || ctx->background.reading.state == FW_READING_FAILED;
}

#define LEFT_OUT 128u  // tracks skipped in one handler

// Where the next step is; tracks that no head reaches are skipped. False: there is none, or not in this handler.
static bool next_step(struct fw_context* ctx, uint32_t* track, uint32_t* angle) {
  struct fw_background* const own = &ctx->background;
  uint32_t run;
  fw_translate(ctx, next_lba(ctx), track, angle, &run);
  if (ctx->errors.stopped) return false;
  for (uint32_t i = 0; ctx->failures.reach_lost && !fw_reached(ctx, *track); ++i) {
    step_over(ctx, next_lba(ctx) + run);
    if (nothing_to_read(ctx)) return false;
    if (i == LEFT_OUT) {  // the rest in another handler
      fw_timer_start(ctx, FW_TIMER_SCAN, reading_idle_us(own));
      return false;
    }
    fw_translate(ctx, next_lba(ctx), track, angle, &run);
    if (ctx->errors.stopped) return false;
  }
  own->step = run < own->scan_step ? run : own->scan_step;
  return true;
}

static bool any_scans(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].job == FW_JOB_SCAN) return true;
  return false;
}

// Offers the next step to free arms, if a request that it delays can be paid. Returns whether it waits in its slot.
static bool offer(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  uint32_t track, angle;
  if (ctx->spare.earns_us == 0 || own->scan_waits || own->recalibration_waits || nothing_to_read(ctx) ||
      any_scans(ctx) || !fw_spare_may_go_on(ctx) || fw_timer_now(ctx) < own->next_us)
    return false;
  if (!next_step(ctx, &track, &angle) || !fw_spare_may_begin(ctx, next_lba(ctx), track, own->step)) return false;
  own->scan_waits = true;
  commit(ctx, scan_slot(ctx), track, angle);
  return true;
}

void fw_scan_due(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  if (own->paused) {
    own->paused = false;
    if (!offer(ctx)) fw_background_rearm(ctx);
    return;
  }
  uint32_t track, angle;
  if (!idle(ctx) || own->scan_waits || nothing_to_read(ctx) || !next_step(ctx, &track, &angle)) return;
  own->scanning = true;
  own->scan_waits = true;
  commit(ctx, scan_slot(ctx), track, angle);
}

static void account(struct fw_context* ctx, uint64_t since) {
  struct fw_background* const own = &ctx->background;
  own->busy_us += fw_timer_now(ctx) - since;
  fw_count(ctx, FW_COUNTER_BACKGROUND_US_LO, (uint32_t)own->busy_us);
  fw_count(ctx, FW_COUNTER_BACKGROUND_US_HI, (uint32_t)(own->busy_us >> 32));
}

// The arm goes to the step's track.
static void scan_moves(struct fw_context* ctx, uint32_t n, uint32_t track) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t from = arm->place;
  fw_move_arm(ctx, n, track);
  if (ctx->spare.earns_us == 0) return;
  arm->strayed_to = arm->place;
  if (arm->errand != 0) return;
  const uint32_t ticks = fw_move_ticks(ctx, arm->quiet, from, arm->place, false, false);
  arm->arrives = fw_timer_now(ctx) + (uint64_t)ticks * ctx->spare.turn_us / 65536u;
  fw_book_later(ctx, n);
}

static void begin(struct fw_context* ctx, uint32_t n, enum fw_job job, uint32_t track) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->job = (uint8_t)job;
  arm->tag = FW_NO_TAG;
  arm->since = fw_timer_now(ctx);
  fw_show(ctx, job == FW_JOB_SCAN ? FW_STATE_SCAN : FW_STATE_RECALIBRATE, 0);
  if (job == FW_JOB_SCAN)
    scan_moves(ctx, n, track);
  else
    fw_move_arm(ctx, n, track);
}

static void rest(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  account(ctx, arm->since);
  fw_spare_step_over(ctx, n);
  if (arm->errand == 0) {
    fw_rest(ctx, n);
    return;
  }
  const uint32_t slot = arm->errand - 1u;
  fw_spare_errand_over(ctx, n);
  arm->errand = 0;
  arm->job = FW_JOB_REQUEST;
  arm->state = FW_ARM_IDLE;
  fw_let_go(ctx, n);
  fw_booking_again(ctx, n);
  fw_serve_grant(ctx, n, slot);
}

// Another arm still reads its step, and goes on with the next one, because the drive is idle again.
static bool another_scans(const struct fw_context* ctx, uint32_t n) {
  for (uint32_t other = 0; other < ctx->drive.arms; ++other)
    if (other != n && ctx->arm[other].job == FW_JOB_SCAN) return true;
  return false;
}

// The arbitration unit does not know which arms are due. If this one is not, take an idle arm that is; without one,
// take each due arm when it next comes to rest.
static void recalibration_granted(struct fw_context* ctx, uint32_t n) {
  struct fw_background* const own = &ctx->background;
  uint32_t chosen = n;
  for (uint32_t other = 0; other < ctx->drive.arms && !wants(ctx, chosen); ++other)
    if (fw_arm_free(&ctx->arm[other]) && wants(ctx, other)) chosen = other;
  if (!wants(ctx, chosen)) {
    own->recalibration_waits = FW_RECALIBRATION_LATE;
  } else if (chosen != n) {  // no grant can be pending: this one was just taken
    fw_aau_arm(ctx, chosen, ctx->arm[chosen].place, false);
    recalibrate(ctx, chosen);
  } else {
    recalibrate(ctx, n);
    return;
  }
  fw_rest(ctx, n);
}

// A step may begin, or one that has begun may go on.
static bool may_read(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->persists || arm->errand != 0 || ctx->background.scanning || fw_spare_may_go_on(ctx);
}

// The arm has been granted to the scan's or the recalibration's slot.
static void granted(struct fw_context* ctx, uint32_t n, uint32_t slot) {
  struct fw_background* const own = &ctx->background;
  if (slot == scan_slot(ctx) && own->scan_waits) {
    own->scan_waits = false;
    if (another_scans(ctx, n) || !may_read(ctx, n)) {
      fw_rest(ctx, n);
      return;
    }
    uint32_t track, angle, rest;
    fw_translate(ctx, next_lba(ctx), &track, &angle, &rest);
    if (ctx->errors.stopped) return;
    if (fw_arm_reaches(ctx, n, track)) {
      begin(ctx, n, FW_JOB_SCAN, track);
    } else {  // its head has failed since
      fw_rest(ctx, n);
      fw_scan_due(ctx);
    }
  } else if (slot == recalibration_slot(ctx) && own->recalibration_waits) {
    recalibration_granted(ctx, n);
  } else {
    fw_rest(ctx, n);  // the slot was withdrawn too late
  }
}

// The next step is on `track`: this arm goes on there, or another that reaches it.
static void scan_goes_on(struct fw_context* ctx, uint32_t n, uint32_t track) {
  if (track == ctx->arm[n].track) {
    fw_try_channel(ctx, n);
  } else if (fw_arm_reaches(ctx, n, track)) {
    scan_moves(ctx, n, track);
  } else {  // another arm goes on
    rest(ctx, n);
    fw_scan_due(ctx);
  }
}

static void scan_on_track(struct fw_context* ctx, uint32_t n) {
  const bool may = ctx->arm[n].persists || ctx->arm[n].errand != 0 || (ctx->slots.waiting == 0 && may_read(ctx, n));
  if (!may || (ctx->spare.earns_us == 0 && !idle(ctx)))
    rest(ctx, n);  // a command has come on the way
  else
    fw_try_channel(ctx, n);
}

// A step ends where its reading ends.
static void limit_to_reading(struct fw_context* ctx, struct fw_arm* arm) {
  struct fw_reading* const reading = &ctx->background.reading;
  reading->step_of = reading->number;
  if (reading->state != FW_READING_NONE && arm->sectors > reading->end - arm->lba)
    arm->sectors = (uint32_t)(reading->end - arm->lba);
}

// Translate the step only now: while this arm moved or waited for the channel, another one may have moved one of the
// sectors to a spare.
static void scan_start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!may_read(ctx, n)) {  // a command has come while it waited for the channel
    fw_channel_released(ctx, n);
    rest(ctx, n);
    return;
  }
  uint32_t track, angle, on_track;
  fw_translate(ctx, next_lba(ctx), &track, &angle, &on_track);
  if (ctx->errors.stopped) return;
  if (track != arm->track) {
    fw_channel_released(ctx, n);
    arm->state = FW_ARM_ON_TRACK;
    fw_let_go(ctx, n);
    scan_goes_on(ctx, n, track);
    return;
  }
  arm->lba = next_lba(ctx);
  const uint32_t step = arm->errand != 0 ? ctx->background.step : ctx->background.scan_step;
  arm->sectors = on_track < step ? on_track : step;
  limit_to_reading(ctx, arm);
  fw_channel_dropped(ctx, arm->channel, arm->sectors);
  fw_channel_mode(ctx, arm->channel, CHN_MODE_GATHER_MASK);
  fw_channel_access(ctx, n, arm->lba, arm->sectors, CHN_CTRL_ANONYMOUS_MASK);
  fw_show(ctx, FW_STATE_SCAN, 0);
}

// The reading waits at the bad sector until fw_reading_begin or fw_reading_end.
static void found_bad(struct fw_context* ctx, uint64_t lba) {
  struct fw_reading* const reading = &ctx->background.reading;
  if (reading->state == FW_READING_NONE || reading->step_of != reading->number || lba >= reading->end) return;
  reading->lba = lba;
  reading->state = FW_READING_FAILED;
  fw_due(ctx, FW_DUE_READING);
}

// The next step may follow.
static bool another_step(struct fw_context* ctx, uint32_t n) {
  const struct fw_background* const own = &ctx->background;
  if (ctx->slots.waiting != 0 || nothing_to_read(ctx)) return false;
  if (own->scanning) return idle(ctx);
  uint32_t track, angle, on_track;
  if (!fw_spare_may_go_on(ctx)) return false;
  fw_translate(ctx, next_lba(ctx), &track, &angle, &on_track);
  return !ctx->errors.stopped && fw_spare_pays(ctx, n, next_lba(ctx), track, own->step);
}

// A step of so many sectors is over.
static void scan_next(struct fw_context* ctx, uint32_t n, uint32_t sectors) {
  struct fw_background* const own = &ctx->background;
  struct fw_arm* const arm = &ctx->arm[n];
  const bool goes_on = arm->errand == 0 && another_step(ctx, n);
  const bool pauses = own->scan_pause_us != 0 && own->reading.state == FW_READING_NONE;
  if (ctx->errors.stopped) return;
  // The pause counts from the step's grant, scaled by how much of a full step was read.
  const uint64_t next = arm->since + (uint64_t)own->scan_pause_us * sectors / own->scan_step;
  if (goes_on && !pauses && !own->recalibration_waits && !ctx->cap.shut) {
    uint32_t track, angle, on_track;
    fw_spare_step_over(ctx, n);
    fw_translate(ctx, next_lba(ctx), &track, &angle, &on_track);
    own->step = on_track < own->scan_step ? on_track : own->scan_step;
    if (!ctx->errors.stopped) scan_goes_on(ctx, n, track);
    return;
  }
  own->next_us = pauses ? next : 0u;
  rest(ctx, n);
  if (!goes_on) return;
  const uint64_t now = fw_timer_now(ctx);
  own->paused = !own->scanning;
  fw_timer_start(ctx, FW_TIMER_SCAN, next > now ? next - now : 1u);
}

static void scan_done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_background* const own = &ctx->background;
  struct fw_arm* const arm = &ctx->arm[n];
  fw_let_go(ctx, n);
  uint32_t moved = fw_channel_progress(ctx, channel);
  own->scanned += moved;
  if (cause == FW_CHANNEL_UNREADABLE) {  // a strayed arm goes on at its sector
    const uint64_t bad = arm->lba + moved;
    fw_pending_add(ctx, bad);
    found_bad(ctx, bad);
    if (own->reading.state != FW_READING_FAILED)
      moved += ctx->drive.physical_sectors - (uint32_t)(bad % ctx->drive.physical_sectors);
  }
  // Ignore a step of an earlier reading.
  if (own->reading.step_of == own->reading.number) step_over(ctx, arm->lba + moved);
  fw_count(ctx, FW_COUNTER_SCANNED, own->scanned);
  scan_next(ctx, n, moved);
}

// --- Readings --------------------------------------------------------------------------------------------------------

void fw_reading_begin(struct fw_context* ctx, uint64_t lba, uint64_t end, uint32_t after_us) {
  struct fw_background* const own = &ctx->background;
  fw_reading_end(ctx);
  own->reading.state = FW_READING_ACTIVE;
  own->reading.lba = lba;
  own->reading.end = end;
  if (idle(ctx)) fw_timer_start(ctx, FW_TIMER_SCAN, after_us);
}

void fw_reading_end(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  fw_background_stop(ctx);
  own->reading.state = FW_READING_NONE;
  own->reading.number++;
}

// --- Recalibration ---------------------------------------------------------------------------------------------------

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
  own->recalibration_waits = FW_RECALIBRATION_WAITS;
  fw_timer_start(ctx, FW_TIMER_RECALIBRATION_LATE, own->recalibration_wait_us);
  commit(ctx, recalibration_slot(ctx), track, 0);
}

// Commits the slot again, for the reference track of the first due arm.
static void commit_reference(struct fw_context* ctx) {
  uint32_t track = ctx->background.recalibration_track;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (wants(ctx, n) && reference(ctx, n, &track)) break;
  commit(ctx, recalibration_slot(ctx), track, 0);
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
  if (ctx->pm.state != FW_POWER_ACTIVE || own->recalibration_waits || recalibrating(ctx)) return;
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
  if (own->recalibration_waits) own->recalibration_waits = FW_RECALIBRATION_LATE;
}

static void recalibrate(struct fw_context* ctx, uint32_t n) {
  struct fw_background* const own = &ctx->background;
  own->recalibration_waits = FW_RECALIBRATION_NOT;
  own->recalibration_due &= ~(1u << n);
  fw_timer_cancel(ctx, FW_TIMER_RECALIBRATION_LATE);
  withdraw(ctx, recalibration_slot(ctx));
  own->arm = (uint8_t)n;
  own->back_to = ctx->arm[n].track;
  own->back = false;
  uint32_t track;
  reference(ctx, n, &track);  // there is one: the arm is due
  begin(ctx, n, FW_JOB_RECALIBRATE, track);
}

static void recalibration_on_track(struct fw_context* ctx, uint32_t n) {
  struct fw_background* const own = &ctx->background;
  if (own->back || ctx->errors.draining) {
    fw_count(ctx, FW_COUNTER_RECALIBRATIONS, own->back ? ++own->recalibrations : own->recalibrations);
    rest(ctx, n);
    if (own->recalibration_due != 0 && ctx->pm.state == FW_POWER_ACTIVE && !ctx->errors.draining) recalibrate_next(ctx);
    return;
  }
  fw_timer_start(ctx, FW_TIMER_RECALIBRATED, own->recalibration_stay_us);
}

void fw_recalibrated(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  struct fw_arm* const arm = &ctx->arm[own->arm];
  if (arm->job != FW_JOB_RECALIBRATE || arm->state != FW_ARM_ON_TRACK) return;
  own->back = true;
  if (fw_arm_reaches(ctx, own->arm, own->back_to))
    fw_move_arm(ctx, own->arm, own->back_to);
  else
    recalibration_on_track(ctx, own->arm);
}

// The arm's head has failed. Its recalibration stays due if the arm can still do it.
static void give_back(struct fw_context* ctx, uint32_t n) {
  struct fw_background* const own = &ctx->background;
  const uint32_t errand = ctx->arm[n].errand;
  ctx->arm[n].errand = 0;
  ctx->arm[n].persists = false;
  if (errand != 0) fw_granted_in_vain(ctx, errand - 1u);
  if (ctx->arm[n].broken) return;
  account(ctx, ctx->arm[n].since);
  if (ctx->arm[n].job != FW_JOB_RECALIBRATE) return;
  fw_timer_cancel(ctx, FW_TIMER_RECALIBRATED);
  if (!own->back && !ctx->errors.draining) own->recalibration_due |= 1u << n;
}

// No head reaches the slot's track any more.
static bool slot_unreachable(struct fw_context* ctx, uint64_t lba) {
  uint32_t track, angle, run;
  if (!ctx->failures.reach_lost) return false;
  fw_translate(ctx, lba, &track, &angle, &run);
  return !ctx->errors.stopped && !fw_reached(ctx, track);
}

// An arm or a head has failed: begin its work again, and drop recalibrations that are no longer possible.
void fw_background_without(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  if (own->scan_waits && slot_unreachable(ctx, next_lba(ctx))) {
    own->scan_waits = false;
    withdraw(ctx, scan_slot(ctx));
    fw_scan_due(ctx);
  }
  if (ctx->failures.heads != 0) own->recalibration_due = still_due(ctx);
  if (ctx->failures.heads != 0 && own->recalibration_waits && own->recalibration_due != 0) {
    withdraw(ctx, recalibration_slot(ctx));
    commit_reference(ctx);
  }
  fw_background_rearm(ctx);
  if (own->recalibration_due != 0) {
    if (!recalibrating(ctx) && !own->recalibration_waits && ctx->pm.state == FW_POWER_ACTIVE) recalibrate_next(ctx);
  } else if (own->recalibration_waits) {
    own->recalibration_waits = FW_RECALIBRATION_NOT;
    fw_timer_cancel(ctx, FW_TIMER_RECALIBRATION_LATE);
    withdraw(ctx, recalibration_slot(ctx));
  }
}

static void again(struct fw_context* ctx, uint32_t slot) {
  struct fw_background* const own = &ctx->background;
  if (slot == scan_slot(ctx) && own->scan_waits) {
    own->scan_waits = false;
    fw_scan_due(ctx);
  } else if (slot == recalibration_slot(ctx) && own->recalibration_waits) {
    commit_reference(ctx);
  }
}

// A reset or an error: the arbitration unit has dropped all slots, and the caller frees arms that stand still.
void fw_background_dropped(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  own->scanning = false;
  own->scan_waits = false;
  own->paused = false;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    ctx->arm[n].persists = false;
    ctx->arm[n].errand = 0;
  }
  own->recalibration_waits = FW_RECALIBRATION_NOT;
  own->recalibration_due = 0;
  fw_timer_cancel(ctx, FW_TIMER_SCAN);
  fw_timer_cancel(ctx, FW_TIMER_RECALIBRATED);
  fw_timer_cancel(ctx, FW_TIMER_RECALIBRATION_LATE);
  fw_background_preempt(ctx);
}

static uint64_t slot_lba(const struct fw_context* ctx, uint32_t slot) {
  (void)slot;
  return next_lba(ctx);
}

static void scan_extent(const struct fw_context* ctx, uint32_t n, struct fw_access* access) {
  (void)n;
  access->lba = next_lba(ctx);
  access->sectors = ctx->spare.earns_us != 0 ? ctx->background.step : ctx->background.scan_step;
  access->write = false;
}

// A recalibration that has waited for too long takes the arm.
static bool take(struct fw_context* ctx, uint32_t n) {
  if (ctx->background.recalibration_waits != FW_RECALIBRATION_LATE || !wants(ctx, n) || ctx->errors.draining ||
      ctx->pm.state != FW_POWER_ACTIVE)
    return false;
  recalibrate(ctx, n);
  return true;
}

static void arms_left(struct fw_context* ctx, uint32_t mask) {
  ctx->background.recalibration_due &= mask;
}

static bool scan_yields(const struct fw_context* ctx, uint32_t n) {
  return ctx->arm[n].errand == 0;  // else a request waits for the arm
}

// The arm's access is in the way of another one's: it ends before that, or comes a turn later.
static void give_channel_up(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->state == FW_ARM_TRANSFER && arm->booking.lasts_ns != 0) {
    const uint64_t clear = fw_booking_clear_ns(ctx, n) * arm->sectors / arm->booking.lasts_ns;
    const uint32_t least = fw_channel_progress(ctx, arm->channel) + 2u * ctx->drive.physical_sectors;
    if (clear <= least) {
      fw_channel_stop(ctx, arm->channel);
    } else {
      fw_channel_mark(ctx, arm->channel, (uint32_t)clear - ctx->drive.physical_sectors);
      arm->marked = true;
    }
  }
  for (uint32_t turns = 0; turns < FW_MAX_ARMS && arm->state == FW_ARM_ON_TRACK && !fw_booking_stands(ctx, n); ++turns)
    (void)fw_book_next_turn(ctx, n);
}

#define LEAST_ERRAND 16u  // sectors

// A step on the arm's way to a request.
static bool scan_first(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t ticks) {
  struct fw_background* const own = &ctx->background;
  uint32_t track, angle;
  if (ctx->spare.earns_us == 0 || slot >= ctx->drive.queue_depth || nothing_to_read(ctx) || any_scans(ctx) ||
      fw_timer_now(ctx) < own->next_us || !next_step(ctx, &track, &angle))
    return false;
  const uint32_t sectors = fw_spare_on_the_way(ctx, n, slot, ticks, next_lba(ctx), track, angle);
  if (sectors < LEAST_ERRAND) return false;
  if (sectors < own->step) own->step = sectors;
  ctx->arm[n].errand = slot + 1u;
  // The unit no longer expects the arm at the request's sector: the channel would let the step pass until then.
  fw_aau_arm(ctx, n, ctx->arm[n].place, false);
  begin(ctx, n, FW_JOB_SCAN, track);
  return true;
}

static void scan_booked(struct fw_context* ctx, uint32_t n) {
  for (uint32_t other = 0; ctx->spare.earns_us != 0 && other < ctx->drive.arms; ++other)
    if (other != n && ctx->arm[other].job == FW_JOB_SCAN && !fw_booking_stands(ctx, other)) give_channel_up(ctx, other);
}

// Another arm's access comes.
static void scan_mark(struct fw_context* ctx, uint32_t n) {
  fw_channel_stop(ctx, ctx->arm[n].channel);
}

static void scan_makes_way(struct fw_context* ctx, uint32_t tag, bool spare) {
  if (ctx->spare.earns_us != 0 && tag != FW_NO_TAG) fw_spare_request(ctx, tag, spare);
}

static void arm_rested(struct fw_context* ctx, uint32_t n) {
  if (ctx->spare.earns_us == 0) return;
  fw_spare_rested(ctx, n);
  (void)offer(ctx);
}

const struct fw_job_ops fw_scan_job = {
    .shown = FW_STATE_SCAN,
    .accesses = true,
    .granted = granted,
    .again = again,
    .slot_lba = slot_lba,
    .make_way = scan_makes_way,
    .first = scan_first,
    .booked = scan_booked,
    .yields = scan_yields,
    .on_track = scan_on_track,
    .extent = scan_extent,
    .start = scan_start,
    .mark = scan_mark,
    .done = scan_done,
    .give_back = give_back,
    .rested = arm_rested,
};

const struct fw_job_ops fw_recalibration_job = {
    .shown = FW_STATE_RECALIBRATE,
    .granted = granted,
    .again = again,
    .slot_lba = slot_lba,
    .on_track = recalibration_on_track,
    .give_back = give_back,
    .take = take,
    .arms_left = arms_left,
};
