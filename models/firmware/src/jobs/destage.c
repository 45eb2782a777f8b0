// De-staging: written data go from the lines to the media, through their own slots of the arbitration unit
// (destage_slots.c). A slot stands for a run of neighbouring sectors, which is determined again when the arm arrives.
// The slots yield to the host's requests unless something waits for them or the lines are nearly used up.
#include "jobs/jobs.h"

static void granted(struct fw_context* ctx, uint32_t n, uint32_t number) {
  const uint32_t slot = number - ctx->drive.queue_depth;
  struct fw_writeback_slot* const writeback = &ctx->destage.writeback[slot];
  struct fw_arm* const arm = &ctx->arm[n];
  if (!writeback->used) {  // the slot was withdrawn too late
    fw_rest(ctx, n);
    return;
  }
  if (!fw_arm_reaches(ctx, n, writeback->track)) {  // its head has failed since
    fw_destage_again(ctx, slot);
    fw_rest(ctx, n);
    return;
  }
  arm->job = FW_JOB_DESTAGE;
  arm->lba = writeback->lba;
  arm->track_rest = writeback->track_rest;
  arm->sectors = 0;
  arm->filled = false;
  arm->strayed = false;
  arm->fresh = true;
  fw_release_writeback(ctx, slot);
  fw_destage_goes_to(ctx, n, writeback->claimed);
  arm->turn_begin = arm->lba;
  fw_turn_begins(ctx, n, arm->lba + fw_destage_extent(ctx, arm->lba, UINT32_MAX));
  if (fw_destage_reads(ctx, n)) fw_book_two_turns(ctx, n);
  fw_move_arm(ctx, n, writeback->track);
  fw_show(ctx, FW_STATE_DESTAGE, ctx->drive.queue_depth + slot);
}

// With no line marked any more it is certain whether the run reads or writes next. Unless the run has been read, the
// arm gathers its sectors again after the jog: new data may have come by then.
static bool jog_with_channel(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->state = FW_ARM_ON_TRACK;
  if (!fw_jog_arm(ctx, n, !fw_destage_reads(ctx, n))) {
    arm->state = FW_ARM_TRANSFER;
    return false;
  }
  if (!arm->filled) fw_let_go(ctx, n);
  fw_channel_released(ctx, n);
  fw_due(ctx, FW_DUE_CHANNELS);  // arms that its sectors kept waiting
  return true;
}

static void write_run(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  fw_destage_unmark(ctx, n);
  // Once its missing blocks have been read the run is written, even if it has grown meanwhile.
  if (ctx->drive.jogs && jog_with_channel(ctx, n)) return;
  const bool filled = arm->filled;
  arm->filled = false;
  if (fw_destage_whole(ctx) && !filled && fw_destage_fill_up(ctx, n)) return;
  arm->passed = 0;
  arm->grown = false;
  // With several arms, only sectors that are held against the others.
  const uint32_t most = ctx->drive.arms == 1u || arm->held > arm->track_rest ? arm->track_rest : (uint32_t)arm->held;
  // Write all that was read to fill up sectors: left in the lines, it would undo a write that bypasses them.
  arm->sectors = fw_destage_gather(ctx, n, 0, filled ? most : fw_extend_by(ctx, n, arm->lba, most));
  if (arm->sectors == 0) {  // the host is rewriting its data
    fw_channel_released(ctx, n);
    arm->state = FW_ARM_ON_TRACK;
    fw_rest(ctx, n);
    fw_due(ctx, FW_DUE_DESTAGE);
    return;
  }
  fw_destage_covered(ctx, arm->lba, arm->sectors);
  fw_destage_taken(ctx, n, arm->lba, arm->sectors);
  const bool arrival = ctx->rules.read_on_arrival && arm->fresh && arm->sectors >= 2u && !fw_channel_contested(ctx, n);
  fw_channel_mode(ctx, arm->channel, CHN_MODE_GATHER_MASK | (arrival ? CHN_MODE_ANY_ORDER_MASK : 0u));
  fw_channel_access(ctx, n, arm->lba, arm->sectors, CHN_CTRL_WRITE_MASK | CHN_CTRL_ANONYMOUS_MASK);
  arm->ordered_whole = arrival;
  fw_destage_grow(ctx, n);  // more pieces than the channel takes at once
  fw_show(ctx, FW_STATE_DESTAGE, 0);
}

// A partly written sector cannot be read: its missing block is written as unreadable.
static void mark_unreadable(struct fw_context* ctx, uint16_t line, uint32_t block) {
  ctx->line_cache.line[line].bad |= (uint8_t)(1u << block);
  ctx->line_cache.line[line].dirty |= (uint8_t)(1u << block);
  fw_pending_add(ctx, ctx->line_cache.line[line].number * FW_LINE_SECTORS);
}

// The missing blocks have come up to `end`: whole lines are written on the next turn. Unless all have come, the block
// at `end` is unreadable: it is written as such, and another pass reads the rest.
static void filled_up(struct fw_context* ctx, uint32_t n, uint64_t end) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t wanted = arm->fill_lba + arm->sectors;
  arm->filling_up = false;
  arm->filled = end == wanted;
  for (uint64_t number = arm->fill_lba / FW_LINE_SECTORS; number <= (wanted - 1u) / FW_LINE_SECTORS; ++number) {
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index == FW_NO_LINE) {
      FW_STOP(ctx);
      return;
    }
    const uint64_t begin = number * FW_LINE_SECTORS;
    // The last line of the pass already has its later blocks.
    const bool all = end >= begin + FW_LINE_SECTORS || end == wanted;
    if (all)
      ctx->line_cache.line[index].dirty = 0xFFu;
    else if (end > begin)
      ctx->line_cache.line[index].dirty |= (uint8_t) ~(0xFFu << (end - begin));
    if (!all && end >= begin) mark_unreadable(ctx, index, (uint32_t)(end - begin));
  }
  arm->fill_marked = true;  // until the write, on the next channel, takes them again
  fw_try_channel(ctx, n);
}

// A reset or an error while the arm waited with the lines of its job.
void fw_destage_give_up(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  fw_destage_unmark(ctx, n);
  if (arm->check == FW_CHECK_NONE) return;
  arm->check = FW_CHECK_NONE;
  fw_destage_free_lines(ctx, arm->lba, arm->lba + arm->sectors);
}

// The same while the arm moves from where it has read them to where it writes them: it goes back.
void fw_destage_read_again(struct fw_context* ctx, uint32_t n) {
  fw_destage_unmark(ctx, n);
  ctx->arm[n].filled = false;
}

static void give_back(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  fw_destage_unmark(ctx, n);
  if (arm->held == 0 || arm->sectors == 0) return;
  const uint64_t lba = arm->filling_up ? arm->fill_lba : arm->lba;
  arm->filling_up = false;
  arm->filled = false;
  fw_destage_free_lines(ctx, lba, lba + arm->sectors);
  fw_due(ctx, FW_DUE_DESTAGE);
}

// No spare is left, or too many were bad, and what was written cannot be read. Requests that wait for the media report
// it; for an acknowledged write, the next flush does.
static void write_fault(struct fw_context* ctx, uint64_t unit) {
  bool told = false;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    const bool its = request->lba < unit + ctx->drive.physical_sectors && request->lba + request->sectors > unit;
    if (request->state != FW_REQUEST_BLOCKED || !request->lines.through || !its) continue;
    request->lines.fault = true;
    told = true;
  }
  if (told) return;
  fw_data_lost(ctx, unit, ctx->drive.physical_sectors);
  fw_count(ctx, FW_COUNTER_LOST, ctx->defects.lost_sectors);
}

// The run's missing blocks have been read, or one is unreadable.
static void fill_done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t sectors = cause == FW_CHANNEL_WELL ? arm->sectors : fw_channel_progress(ctx, channel);
  filled_up(ctx, n, arm->fill_lba + sectors);
}

// Checks written sectors. True: the run goes on with the check, elsewhere, or not at all.
static bool checks(struct fw_context* ctx, uint32_t n, uint32_t cause) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint8_t marks = arm->check == FW_CHECK_NONE ? 0u : fw_destage_marks(ctx, arm->check_unit);
  enum fw_check_result result = fw_check_written(ctx, n, arm->lba, arm->sectors, cause, marks);
  if (result == FW_CHECK_NO_SPARE) {
    write_fault(ctx, arm->check_unit);
    result = fw_check_go_on(ctx, n, arm->check_unit + ctx->drive.physical_sectors, arm->lba + arm->sectors);
  }
  if (result == FW_CHECK_ELSEWHERE) {
    give_back(ctx, n);
    fw_rest(ctx, n);
    fw_due(ctx, FW_DUE_DESTAGE);
  }
  return result != FW_CHECK_OVER;
}

// The run's lines are on the media. False: firmware has stopped.
static bool clean_lines(struct fw_context* ctx, uint64_t lba, uint64_t end) {
  for (uint64_t at = lba; at < end;) {
    const uint64_t number = at / FW_LINE_SECTORS;
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index == FW_NO_LINE) {
      FW_STOP(ctx);
      return false;
    }
    fw_line_clean(ctx, index, ctx->line_cache.line[index].destaging);
    at = (number + 1) * FW_LINE_SECTORS;
  }
  return true;
}

// The arm left its track while it read missing blocks or checked a sector: try again.
static void once_more(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->fill_marked = arm->filling_up;
  arm->filling_up = false;
  fw_destage_read_again(ctx, n);
  fw_try_channel(ctx, n);
}

// The run is written up to `end`. A strayed arm may have spoilt the sector there: hold it until the arm has rewritten
// it.
static void let_go_of_written(struct fw_context* ctx, uint32_t n, uint64_t end) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t held_end = arm->held_lba + arm->held;
  fw_let_go(ctx, n);
  if (!arm->strayed || end >= held_end) return;
  arm->held_lba = end - end % ctx->drive.physical_sectors;
  arm->held = held_end - arm->held_lba;
  arm->sectors = 0;
}

// The run is written up to `end`, and commands wait for the rest of the arm's turn.
static bool in_turn(const struct fw_context* ctx, uint32_t n, uint64_t end) {
  return !ctx->host.write_cache && end < ctx->arm[n].turn_end && ctx->pm.state != FW_POWER_REST && !ctx->cap.shut;
}

// The run, written up to `end`, goes on, here or on the next track, unless others are to have the arm: then the
// arbitration unit decides. A spoilt sector is rewritten in any case.
static bool run_goes_on(struct fw_context* ctx, uint32_t n, uint64_t end, bool track_over) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->errors.draining || end >= ctx->drive.capacity || fw_line_to_write(ctx, end) == FW_NO_LINE) return false;
  if (fw_destage_awaited(ctx, end, n)) return false;
  if (arm->strayed) return true;
  if (fw_arm_wanted(ctx, n) && !in_turn(ctx, n, end)) return false;
  if (ctx->destage.hurried_waiting[arm->group] != 0 && !fw_lines_awaited(ctx, end, 1)) return false;
  return !(track_over && fw_turn_of_writes_over(ctx, n, end));
}

static void done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_arm* const arm = &ctx->arm[n];
  const bool strayed = cause == FW_CHANNEL_STRAYED;
  if (strayed && (arm->filling_up || arm->check != FW_CHECK_NONE)) {
    once_more(ctx, n);
    return;
  }
  if (arm->filling_up) {
    fill_done(ctx, n, channel, cause);
    return;
  }
  // A write that was cut short has written the sectors that passed; the rest stay dirty.
  arm->strayed |= strayed;
  if (strayed || arm->grown) fw_destage_refused(ctx, n, channel);
  if (checks(ctx, n, strayed ? FW_CHANNEL_WELL : cause)) return;
  const uint64_t end = arm->lba + arm->sectors;
  const bool track_over = arm->sectors == arm->track_rest;
  if (!clean_lines(ctx, arm->lba, end)) return;
  fw_segments_invalidate(ctx, arm->lba, arm->sectors);
  let_go_of_written(ctx, n, end);
  arm->lba = end;
  arm->under_way = false;
  ctx->destage.written_to = end;
  arm->fresh = false;
  const bool goes_on = run_goes_on(ctx, n, end, track_over);
  arm->strayed = false;
  if (goes_on) {
    uint32_t track, angle;
    fw_translate(ctx, end, &track, &angle, &arm->track_rest);
    if (track != arm->track && !fw_arm_reaches(ctx, n, track)) {
      fw_rest(ctx, n);
    } else {
      fw_destage_goes_to(ctx, n, 0);
      if (track == arm->track)
        fw_try_channel(ctx, n);
      else
        fw_move_arm(ctx, n, track);
    }
  } else {
    fw_destage_leaves(ctx, end);
    fw_destage_update(ctx);  // the unit decides as soon as the arm rests: it must see all slots
    fw_rest(ctx, n);
  }
  fw_due(ctx, FW_DUE_BLOCKED | FW_DUE_LINES | FW_DUE_DESTAGE);
}

// Frees lines that the head has passed, for requests that wait for lines.
static void mark(struct fw_context* ctx, uint32_t n) {
  if (!fw_destage_passed(ctx, n) || ctx->errors.stopped) return;
  fw_due_flow(ctx, n);
  fw_due(ctx, FW_DUE_BLOCKED | FW_DUE_LINES | FW_DUE_DESTAGE);
}

static void again(struct fw_context* ctx, uint32_t number) {
  fw_destage_again(ctx, number - ctx->drive.queue_depth);
}

static uint64_t slot_lba(const struct fw_context* ctx, uint32_t number) {
  return ctx->destage.writeback[number - ctx->drive.queue_depth].lba;
}

static bool for_write(const struct fw_context* ctx, uint32_t n) {
  (void)ctx;
  (void)n;
  return true;
}

static bool writes(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->check != FW_CHECK_NONE ? arm->check == FW_CHECK_WRITE : !fw_destage_reads(ctx, n);
}

static bool yields(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->destage.urgent || arm->check != FW_CHECK_NONE) return false;
  if (fw_line_awaited(ctx) == FW_NO_LINE) return true;
  const bool begun = arm->state == FW_ARM_TRANSFER || arm->filled;
  return !fw_lines_awaited(ctx, arm->lba, begun ? arm->sectors : fw_destage_extent(ctx, arm->lba, arm->track_rest));
}

static void extent(const struct fw_context* ctx, uint32_t n, struct fw_access* access) {
  const struct fw_arm* const arm = &ctx->arm[n];
  access->lba = arm->lba;
  const uint32_t sectors = fw_destage_extent(ctx, arm->lba, arm->track_rest);
  access->sectors = sectors == 0 ? 1u : sectors;  // an arm that holds sectors has at least one
  access->write = true;
}

static void on_track(struct fw_context* ctx, uint32_t n) {
  if (!fw_destage_in_vain(ctx, n)) {
    fw_try_channel(ctx, n);
    return;
  }
  fw_rest(ctx, n);
  fw_due(ctx, FW_DUE_DESTAGE);
}

static void start(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (arm->check == FW_CHECK_NONE) {
    write_run(ctx, n);
  } else if (arm->check == FW_CHECK_READ) {
    fw_check_read(ctx, n, fw_destage_marks(ctx, arm->check_unit), CHN_CTRL_ANONYMOUS_MASK);
  } else {
    fw_destage_unit(ctx, n, arm->check_unit);
    fw_check_write(ctx, n, CHN_CTRL_ANONYMOUS_MASK);
  }
}

const struct fw_job_ops fw_destage_job = {
    .shown = FW_STATE_DESTAGE,
    .accesses = true,
    .follows_host = true,
    .granted = granted,
    .again = again,
    .slot_lba = slot_lba,
    .for_write = for_write,
    .writes = writes,
    .yields = yields,
    .on_track = on_track,
    .extent = extent,
    .next = fw_check_next,
    .start = start,
    .mark = mark,
    .done = done,
    .give_back = give_back,
};
