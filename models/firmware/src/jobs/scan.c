// Reading in the background. One arm at a time reads a step: a piece of the host's background reads (list.c), of a
// reading for self-tests and off-line collection, or else of the media scan, from where the last step ended. The step
// has a slot of class 3 in the arbitration unit, behind those of the host and of de-staging, which yields to these.
//
// A step begins after a while without commands, and goes on until one comes: it then ends with the current sector.
// With background.max_added_us steps are also read while commands are under way (spare.c). An unreadable sector becomes
// pending.
#include "jobs/jobs.h"

#define LEAST_ERRAND 16u  // sectors

uint32_t fw_scan_slot(const struct fw_context* ctx) {
  return ctx->drive.queue_depth + FW_MAX_WRITEBACK_SLOTS;
}

// No command is under way, or only background reads, and no flush waits for written data.
static bool idle(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_ACTIVE && ctx->commands.active == fw_list_active(ctx) &&
         ctx->destage.flush_waits == FW_FLUSH_NOBODY && !ctx->errors.draining && !ctx->errors.halted;
}

// The unit has no appointment for an arm that gives way at once (schedule.c).
static void commit(struct fw_context* ctx, uint32_t track, uint32_t angle) {
  const uint32_t sectors = ctx->spare.earns_us == 0 ? ctx->background.scan_step : 0u;
  fw_commit_slot(ctx, fw_scan_slot(ctx), track, angle,
                 FW_SET(AAU_SLOT_COMMIT_SLOT_CLASS, 3u) | fw_channel_length(ctx, fw_step_lba(ctx), sectors));
  ctx->background.scan_waits = true;
}

static void withdraw(struct fw_context* ctx) {
  if (!ctx->background.scan_waits) return;
  ctx->background.scan_waits = false;
  fw_aau_slot_off(ctx, fw_scan_slot(ctx));
}

// A command has ended, or the arms are back from the ramp. The host's reads do not wait: one that found no segment may
// find one now.
void fw_background_rearm(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  const uint32_t us = fw_step_idle_us(ctx);
  if (us == 0 || !idle(ctx)) return;
  if (own->scan == FW_SCAN_PAUSES) own->scan = FW_SCAN_RESTS;
  if (own->listed != 0 && own->scan == FW_SCAN_FREE)
    fw_scan_due(ctx);
  else
    fw_timer_start(ctx, FW_TIMER_SCAN, us);
}

// A command has come.
void fw_background_command(struct fw_context* ctx) {
  if (ctx->spare.earns_us == 0) {
    fw_background_stop(ctx);
    return;
  }
  if (ctx->commands.active != 0 && idle(ctx)) return;  // a background read
  ctx->background.scan = FW_SCAN_RESTS;                // from now on it costs something (spare.c)
  fw_timer_cancel(ctx, FW_TIMER_SCAN);
}

void fw_background_stop(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  if (fw_step_idle_us(ctx) == 0 && own->scan != FW_SCAN_FREE) return;
  fw_timer_cancel(ctx, FW_TIMER_SCAN);
  if (own->scan == FW_SCAN_FREE) own->scan = FW_SCAN_RESTS;
  fw_background_preempt(ctx);
  withdraw(ctx);
}

// Arms that scan come free at the end of the current sector.
void fw_background_preempt(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->job == FW_JOB_SCAN && arm->state == FW_ARM_TRANSFER) fw_channel_stop(ctx, arm->channel);
  }
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
  if (ctx->spare.earns_us == 0 || own->scan_waits || fw_recalibration_waits(ctx) || fw_step_none(ctx) ||
      any_scans(ctx) || !fw_spare_may_go_on(ctx) || (own->listed == 0 && fw_timer_now(ctx) < own->next_us))
    return false;
  if (!fw_step_next(ctx, &track, &angle) || !fw_spare_pays(ctx, FW_NO_ARM, fw_step_lba(ctx), track, own->step))
    return false;
  commit(ctx, track, angle);
  return true;
}

void fw_scan_due(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  if (own->scan == FW_SCAN_PAUSES) {
    own->scan = FW_SCAN_RESTS;
    if (!offer(ctx)) fw_background_rearm(ctx);
    return;
  }
  uint32_t track, angle;
  if (!idle(ctx) || own->scan_waits || fw_step_none(ctx) || (own->listed != 0 && any_scans(ctx)) ||
      !fw_step_next(ctx, &track, &angle))
    return;
  own->scan = FW_SCAN_FREE;
  commit(ctx, track, angle);
}

// A background read has come, or more of one is to be read.
void fw_scan_list(struct fw_context* ctx) {
  if (ctx->background.scan == FW_SCAN_FREE)
    fw_scan_due(ctx);
  else if (!offer(ctx))
    fw_background_rearm(ctx);
}

// The arm is taken for its own work.
void fw_background_begin(struct fw_context* ctx, uint32_t n, enum fw_job job) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->job = (uint8_t)job;
  arm->tag = FW_NO_TAG;
  arm->since = fw_timer_now(ctx);
  arm->run.segment = FW_NO_SEGMENT;
  fw_show(ctx, fw_job_of(ctx, n)->shown, 0);
}

void fw_background_account(struct fw_context* ctx, uint32_t n) {
  struct fw_background* const own = &ctx->background;
  own->busy_us += fw_timer_now(ctx) - ctx->arm[n].since;
  fw_count(ctx, FW_COUNTER_BACKGROUND_US_LO, (uint32_t)own->busy_us);
  fw_count(ctx, FW_COUNTER_BACKGROUND_US_HI, (uint32_t)(own->busy_us >> 32));
}

// The arm goes to the step's track.
static void moves(struct fw_context* ctx, uint32_t n, uint32_t track) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->spare.earns_us != 0 && arm->errand == 0) fw_placement_home(ctx, n);
  fw_move_arm(ctx, n, track);
  if (ctx->spare.earns_us == 0) return;
  arm->strayed_to = arm->place;
  if (arm->errand == 0) fw_book_later(ctx, n);
}

static void rest(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  fw_background_account(ctx, n);
  arm->persists = false;
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

// A step may begin, or one that has begun may go on.
static bool may_read(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (fw_step_listed(ctx) && !fw_list_waits(ctx, ctx->background.tag)) return false;  // aborted
  return arm->persists || arm->errand != 0 || ctx->background.scan == FW_SCAN_FREE || fw_spare_may_go_on(ctx);
}

static void granted(struct fw_context* ctx, uint32_t n, uint32_t slot) {
  struct fw_background* const own = &ctx->background;
  (void)slot;
  const bool waits = own->scan_waits;  // else it was withdrawn too late
  own->scan_waits = false;
  if (!waits || another_scans(ctx, n) || !may_read(ctx, n)) {
    fw_rest(ctx, n);
    return;
  }
  uint32_t track, angle, on_track;
  fw_translate(ctx, fw_step_lba(ctx), &track, &angle, &on_track);
  if (ctx->errors.stopped) return;
  if (fw_arm_reaches(ctx, n, track)) {
    fw_background_begin(ctx, n, FW_JOB_SCAN);
    moves(ctx, n, track);
  } else {  // its head has failed since
    fw_rest(ctx, n);
    fw_scan_due(ctx);
  }
}

// The next step is on `track`: this arm goes on there, or another that reaches it.
static void goes_on(struct fw_context* ctx, uint32_t n, uint32_t track) {
  if (track == ctx->arm[n].track) {
    fw_try_channel(ctx, n);
  } else if (fw_arm_reaches(ctx, n, track)) {
    moves(ctx, n, track);
  } else {  // another arm goes on
    rest(ctx, n);
    fw_scan_due(ctx);
  }
}

static void on_track(struct fw_context* ctx, uint32_t n) {
  const bool may = ctx->arm[n].persists || ctx->arm[n].errand != 0 || (ctx->slots.waiting == 0 && may_read(ctx, n));
  if (!may || (ctx->spare.earns_us == 0 && !idle(ctx)))
    rest(ctx, n);  // a command has come on the way
  else
    fw_try_channel(ctx, n);
}

// Where the sectors go: a background read's into its segment, others nowhere. False: there is no segment now.
static bool place(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!fw_step_listed(ctx)) {
    fw_step_limit(ctx, arm);
    fw_channel_dropped(ctx, arm->channel, arm->sectors);
    return true;
  }
  arm->run.segment = fw_list_segment(ctx, ctx->background.tag);
  if (arm->run.segment == FW_NO_SEGMENT) return false;
  fw_channel_piece(ctx, arm->channel, fw_list_address(ctx, ctx->background.tag), arm->sectors);
  return true;
}

static void leave_channel(struct fw_context* ctx, uint32_t n) {
  fw_channel_released(ctx, n);
  rest(ctx, n);
}

// Translate the step only now: while this arm moved or waited for the channel, another one may have moved one of the
// sectors to a spare.
static void start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!may_read(ctx, n)) {  // a command has come while it waited for the channel
    leave_channel(ctx, n);
    return;
  }
  uint32_t track, angle, on_track;
  fw_translate(ctx, fw_step_lba(ctx), &track, &angle, &on_track);
  if (ctx->errors.stopped) return;
  if (track != arm->track) {
    fw_channel_released(ctx, n);
    arm->state = FW_ARM_ON_TRACK;
    fw_let_go(ctx, n);
    goes_on(ctx, n, track);
    return;
  }
  arm->lba = fw_step_lba(ctx);
  arm->sectors = fw_step_sectors(ctx, on_track);
  if (arm->errand != 0 && arm->sectors > ctx->background.step) arm->sectors = ctx->background.step;
  if (!place(ctx, n)) {
    leave_channel(ctx, n);
    return;
  }
  fw_channel_mode(ctx, arm->channel, CHN_MODE_GATHER_MASK);
  fw_channel_access(ctx, n, arm->lba, arm->sectors, CHN_CTRL_ANONYMOUS_MASK);
  fw_show(ctx, FW_STATE_SCAN, 0);
}

// The next step may follow, and is on `track`.
static bool another_step(struct fw_context* ctx, uint32_t n, uint32_t* track) {
  const struct fw_background* const own = &ctx->background;
  uint32_t angle;
  if (ctx->slots.waiting != 0 || fw_step_none(ctx)) return false;
  if (own->scan == FW_SCAN_FREE ? !idle(ctx) : !fw_spare_may_go_on(ctx)) return false;
  if (!fw_step_next(ctx, track, &angle)) return false;
  return own->scan == FW_SCAN_FREE || fw_spare_pays(ctx, n, fw_step_lba(ctx), *track, own->step);
}

// A step of so many sectors is over. A background read's next one may be nearer to another arm.
static void next(struct fw_context* ctx, uint32_t n, uint32_t sectors) {
  struct fw_background* const own = &ctx->background;
  struct fw_arm* const arm = &ctx->arm[n];
  const bool was_list = fw_step_listed(ctx);
  uint32_t track = 0;
  const bool again = arm->errand == 0 && another_step(ctx, n, &track);
  if (ctx->errors.stopped) return;
  const bool pauses = own->scan_pause_us != 0 && own->reading.state == FW_READING_NONE && own->listed == 0;
  if (again && !pauses && !was_list && !fw_step_listed(ctx) && !fw_recalibration_waits(ctx) && !ctx->cap.shut) {
    arm->persists = false;
    goes_on(ctx, n, track);
    return;
  }
  // The pause counts from the step's grant, scaled by how much of a full step was read.
  const uint64_t then = arm->since + (uint64_t)own->scan_pause_us * sectors / own->scan_step;
  own->next_us = pauses && !was_list ? then : 0u;
  rest(ctx, n);
  if (!again || own->scan_waits || any_scans(ctx)) return;
  const uint64_t now = fw_timer_now(ctx);
  if (own->scan == FW_SCAN_RESTS) own->scan = FW_SCAN_PAUSES;
  fw_timer_start(ctx, FW_TIMER_SCAN, own->next_us > now ? own->next_us - now : 1u);
}

// A strayed arm goes on at its sector.
static void done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t moved = fw_channel_progress(ctx, channel);
  const bool unreadable = cause == FW_CHANNEL_UNREADABLE;
  fw_let_go(ctx, n);
  if (unreadable) fw_pending_add(ctx, arm->lba + moved);
  if (arm->run.segment == FW_NO_SEGMENT) {
    next(ctx, n, fw_step_done(ctx, arm, moved, unreadable));
    return;
  }
  if (!fw_step_listed(ctx) || !fw_list_waits(ctx, ctx->background.tag)) {  // aborted meanwhile
    fw_segment_give(ctx, arm->run.segment);
  } else if (unreadable) {
    fw_fail(ctx, ctx->background.tag, true, ATA_ERROR_UNC, arm->lba + moved);
  } else {
    fw_list_read(ctx, ctx->background.tag, moved);
  }
  arm->run.segment = FW_NO_SEGMENT;
  next(ctx, n, moved);
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

// --- Failures and resets ---------------------------------------------------------------------------------------------

// The arm or its head has failed.
static void give_back(struct fw_context* ctx, uint32_t n) {
  const uint32_t errand = ctx->arm[n].errand;
  ctx->arm[n].errand = 0;
  ctx->arm[n].persists = false;
  if (errand != 0) fw_granted_in_vain(ctx, errand - 1u);
  if (!ctx->arm[n].broken) fw_background_account(ctx, n);
}

// An arm or a head has failed: begin its work again.
void fw_background_without(struct fw_context* ctx) {
  uint32_t track, angle, run;
  if (ctx->background.scan_waits && ctx->failures.reach_lost) {
    fw_translate(ctx, fw_step_lba(ctx), &track, &angle, &run);
    if (ctx->errors.stopped) return;
    if (!fw_reached(ctx, track)) {
      withdraw(ctx);
      fw_scan_due(ctx);
    }
  }
  fw_background_rearm(ctx);
}

static void again(struct fw_context* ctx, uint32_t slot) {
  (void)slot;
  if (!ctx->background.scan_waits) return;
  ctx->background.scan_waits = false;
  fw_scan_due(ctx);
}

// A reset or an error: the arbitration unit has dropped all slots, and the caller frees arms that stand still.
void fw_background_dropped(struct fw_context* ctx) {
  struct fw_background* const own = &ctx->background;
  own->scan = FW_SCAN_RESTS;
  own->scan_waits = false;
  own->tag = FW_NO_TAG;
  own->listed = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    ctx->arm[n].persists = false;
    ctx->arm[n].errand = 0;
  }
  fw_timer_cancel(ctx, FW_TIMER_SCAN);
  fw_background_preempt(ctx);
}

// --- Beside other work -----------------------------------------------------------------------------------------------

uint64_t fw_scan_slot_lba(const struct fw_context* ctx, uint32_t slot) {
  (void)slot;
  return fw_step_lba(ctx);
}

static void extent(const struct fw_context* ctx, uint32_t n, struct fw_access* access) {
  (void)n;
  access->lba = fw_step_lba(ctx);
  access->sectors = ctx->spare.earns_us != 0 ? ctx->background.step : ctx->background.scan_step;
  access->write = false;
}

static bool yields(const struct fw_context* ctx, uint32_t n) {
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

// Sectors of the step that the arm can read on its way to a request; 0: none.
static uint32_t on_the_way(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t ticks, uint32_t* track) {
  struct fw_background* const own = &ctx->background;
  uint32_t angle, sectors = 0;
  const uint16_t tag = own->listed != 0 ? fw_list_on_the_way(ctx, n, slot, ticks, &sectors) : FW_NO_TAG;
  if (sectors != 0) {
    own->tag = tag;
    *track = ctx->requests[tag].track;
    return sectors;
  }
  if (own->listed != 0 || fw_timer_now(ctx) < own->next_us || !fw_step_next(ctx, track, &angle)) return 0;
  sectors = fw_spare_on_the_way(ctx, n, slot, ticks, fw_step_lba(ctx), *track, angle);
  return sectors < LEAST_ERRAND ? 0u : sectors < own->step ? sectors : own->step;
}

// A step on the arm's way to a request.
static bool first(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t ticks) {
  struct fw_background* const own = &ctx->background;
  uint32_t track;
  if (ctx->spare.earns_us == 0 || slot >= ctx->drive.queue_depth) return false;
  if (ctx->requests[slot].state == FW_REQUEST_WAITS_ARM) fw_spare_granted(ctx, n, slot, ticks);
  if (fw_step_none(ctx) || any_scans(ctx)) return false;
  const uint32_t sectors = on_the_way(ctx, n, slot, ticks, &track);
  if (sectors == 0) return false;
  own->step = sectors;
  ctx->arm[n].errand = slot + 1u;
  // The unit no longer expects the arm at the request's sector: the channel would let the step pass until then.
  fw_aau_arm(ctx, n, ctx->arm[n].place, false);
  fw_background_begin(ctx, n, FW_JOB_SCAN);
  moves(ctx, n, track);
  return true;
}

static void booked(struct fw_context* ctx, uint32_t n) {
  for (uint32_t other = 0; ctx->spare.earns_us != 0 && other < ctx->drive.arms; ++other)
    if (other != n && ctx->arm[other].job == FW_JOB_SCAN && !fw_booking_stands(ctx, other)) give_channel_up(ctx, other);
}

// Another arm's access comes.
static void mark(struct fw_context* ctx, uint32_t n) {
  fw_channel_stop(ctx, ctx->arm[n].channel);
}

static void makes_way(struct fw_context* ctx, uint32_t tag, bool spare) {
  if (ctx->spare.earns_us != 0 && tag != FW_NO_TAG) fw_spare_request(ctx, tag, spare);
}

static void rested(struct fw_context* ctx, uint32_t n) {
  if (ctx->spare.earns_us == 0) return;
  fw_spare_rested(ctx, n);
  (void)offer(ctx);
}

const struct fw_job_ops fw_scan_job = {
    .shown = FW_STATE_SCAN,
    .accesses = true,
    .granted = granted,
    .again = again,
    .slot_lba = fw_scan_slot_lba,
    .make_way = makes_way,
    .first = first,
    .booked = booked,
    .yields = yields,
    .on_track = on_track,
    .extent = extent,
    .start = start,
    .mark = mark,
    .done = done,
    .give_back = give_back,
    .rested = rested,
};
