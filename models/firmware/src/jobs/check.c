// Sectors that cannot be read. They are kept in a list as pending; when the host writes one, it is read back, and if
// that fails it moves to a spare and is written there (and read back again). A sector in which a write was cut off is
// good again by then.
#include "firmware.h"

static uint64_t unit_of(const struct fw_context* ctx, uint64_t lba) {
  return lba - lba % ctx->physical_sectors;
}

void fw_count(struct fw_context* ctx, enum fw_counter counter, uint32_t value) {
  fw_write(ctx, SOC_DBG_BASE, DBG_COUNTER((uint32_t)counter), value);
}

// A channel has read a sector again, or given one up: its counters, added to what came before.
void fw_count_reads(struct fw_context* ctx, uint32_t channel) {
  static const uint32_t kRegisters[3] = {CHN_FAILED_COUNT, CHN_RECOVERED_COUNT, CHN_UNREADABLE_COUNT};
  static const enum fw_counter kCounters[3] = {FW_COUNTER_READ_FAILURES, FW_COUNTER_RECOVERED_READS,
                                               FW_COUNTER_UNREADABLE_READS};
  for (uint32_t i = 0; i < 3u; ++i) {
    const uint32_t count = fw_read(ctx, SOC_CHN_BASE(channel), kRegisters[i]);
    ctx->reads_counted[i] += count - ctx->reads_seen[channel][i];
    ctx->reads_seen[channel][i] = count;
    fw_count(ctx, kCounters[i], ctx->reads_counted[i]);
  }
}

static uint32_t find(const struct fw_context* ctx, uint64_t unit) {
  uint32_t i = 0;
  while (i < ctx->pending_count && ctx->pending[i] != unit) i++;
  return i;
}

// More than the list can hold are not remembered: they are when they are read again.
void fw_pending_add(struct fw_context* ctx, uint64_t lba) {
  const uint64_t unit = unit_of(ctx, lba);
  if (ctx->pending_count == FW_MAX_PENDING || find(ctx, unit) != ctx->pending_count) return;
  ctx->pending[ctx->pending_count++] = unit;
  fw_count(ctx, FW_COUNTER_PENDING, ctx->pending_count);
}

static void remove(struct fw_context* ctx, uint64_t unit) {
  const uint32_t i = find(ctx, unit);
  if (i == ctx->pending_count) return;
  ctx->pending[i] = ctx->pending[--ctx->pending_count];
  fw_count(ctx, FW_COUNTER_PENDING, ctx->pending_count);
}

// The first pending one that begins in [lba, end), or `end`.
static uint64_t first_pending(const struct fw_context* ctx, uint64_t lba, uint64_t end) {
  uint64_t first = end;
  for (uint32_t i = 0; i < ctx->pending_count; ++i)
    if (ctx->pending[i] >= lba && ctx->pending[i] < first) first = ctx->pending[i];
  return first;
}

bool fw_pending_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->pending_count == FW_MAX_PENDING) return true;  // perhaps one that found no room
  return ctx->pending_count != 0 && first_pending(ctx, unit_of(ctx, lba), lba + sectors) != lba + sectors;
}

// Where it lies, the arm goes, and the channel follows.
static void go_to(struct fw_context* ctx, uint32_t n, uint64_t unit, enum fw_check check) {
  struct fw_arm* const arm = &ctx->arm[n];
  uint32_t track, angle, run;
  fw_translate(ctx, unit, &track, &angle, &run);
  if (ctx->stopped) return;
  arm->check = (uint8_t)check;
  arm->check_unit = unit;
  if (track == arm->track) {
    fw_try_channel(ctx, n);
  } else if (fw_arm_reaches(ctx, n, track)) {
    fw_move_arm(ctx, n, track);
  } else if (arm->job != FW_JOB_DESTAGE) {  // a spare where another arm has heads
    fw_hand_over(ctx, n);
  } else {
    fw_destage_give_back(ctx, n);
    fw_rest(ctx, n);
    fw_destage_update(ctx);
  }
}

// Blocks of the unit that were written with a mark in place of data: one bit each.
static uint8_t marks(const struct fw_context* ctx, uint32_t n, uint64_t unit) {
  if (ctx->arm[n].job != FW_JOB_DESTAGE || ctx->physical_sectors == 1u) return 0;
  const uint16_t line = fw_line_of_job(ctx, unit / FW_LINE_SECTORS);
  return line == FW_NO_LINE ? 0u : ctx->line[line].bad;
}

static uint32_t first_unmarked(uint8_t bits) {
  uint32_t first = 0;
  while ((((uint32_t)bits >> first) & 1u) != 0) first++;
  return first;
}

// No spare is left, or too many were no good, and what was written cannot be read.
static void write_fault(struct fw_context* ctx, uint32_t n, uint64_t unit) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->check = FW_CHECK_NONE;
  ctx->spares_out = true;
  if (arm->job != FW_JOB_DESTAGE) {
    const struct fw_request* const request = &ctx->requests[arm->tag];
    fw_fail_write(ctx, arm->tag, request->queued, unit > request->lba ? unit : request->lba);
    return;
  }
  bool told = false;
  for (uint32_t tag = 0; tag < ctx->queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    const bool its = request->lba < unit + ctx->physical_sectors && request->lba + request->sectors > unit;
    if (!request->active || !request->blocked || !request->through || !its) continue;
    request->write_fault = true;
    told = true;
  }
  if (told) return;
  // The write was acknowledged: the next flush tells.
  if (!ctx->lost) ctx->lost_lba = unit;
  ctx->lost = true;
  ctx->lost_sectors += ctx->physical_sectors;
  fw_count(ctx, FW_COUNTER_LOST, ctx->lost_sectors);
}

static void wait_anew(struct fw_context* ctx, uint32_t slot) {
  fw_withdraw_slot(ctx, slot);
  fw_granted_in_vain(ctx, slot);
}

// What waits for an arm was translated before the unit moved. The arbitration unit's estimates stay as they were: they
// only order the slots.
static void translate_anew(struct fw_context* ctx, uint32_t mover, uint64_t unit) {
  const uint64_t end = unit + ctx->physical_sectors;
  // An arm on its way to write back: its run ends before the unit.
  for (uint32_t n = 0; n < ctx->arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (n == mover || arm->job != FW_JOB_DESTAGE || unit < arm->lba || unit >= arm->lba + arm->track_rest) continue;
    arm->track_rest = (uint32_t)(unit - arm->lba);
  }
  for (uint32_t tag = 0; tag < ctx->queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (!request->active || !request->waits_arm || request->kept) continue;
    const bool begun = request->segment == FW_NO_SEGMENT && request->media_done != 0;
    const uint64_t at =
        request->segment != FW_NO_SEGMENT ? ctx->segment[request->segment].end : request->lba + request->media_done;
    uint32_t rest = begun ? request->sectors - request->media_done : request->track_rest;
    if (at >= end || at + rest <= unit) continue;
    fw_translate(ctx, at, &request->track, &request->angle, &rest);
    if (!begun) request->track_rest = rest;
    if (ctx->groups > 1u || ctx->failed_heads != 0) wait_anew(ctx, tag);
  }
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot) {
    struct fw_writeback_slot* const writeback = &ctx->writeback[slot];
    uint32_t angle;
    if (!writeback->used || writeback->lba >= end || writeback->lba + writeback->track_rest <= unit) continue;
    fw_translate(ctx, writeback->lba, &writeback->track, &angle, &writeback->track_rest);
    const uint32_t number = ctx->queue_depth + slot;
    if (ctx->groups > 1u || ctx->failed_heads != 0) wait_anew(ctx, number);
  }
}

// False: there is none, or so many could not be read that another will not do either (a head or a channel that is no
// good makes every sector look defective). The job goes on unless it was for a request, which has failed.
static bool move_to_spare(struct fw_context* ctx, uint32_t n, uint64_t unit, uint32_t channel) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->spared_unit != unit) arm->spares_tried = 0;
  arm->spared_unit = unit;
  if (arm->spares_tried == FW_MOST_SPARES) {
    arm->spares_tried = 0;
    write_fault(ctx, n, unit);
    return false;
  }
  arm->spares_tried++;
  // By the channel that has just found out: others may be at work, elsewhere.
  const uint32_t base = SOC_CHN_BASE(channel);
  fw_write(ctx, base, CHN_XL_LBA_HI, (uint32_t)(unit >> 32));
  fw_write(ctx, base, CHN_XL_LBA_LO, (uint32_t)unit);
  fw_write(ctx, base, CHN_XL_MOVE, CHN_XL_MOVE_GO_MASK);
  if ((fw_read(ctx, base, CHN_XL_MOVE) & CHN_XL_MOVE_MOVED_MASK) == 0) {
    write_fault(ctx, n, unit);
    return false;
  }
  ctx->reallocated += ctx->physical_sectors;
  fw_count(ctx, FW_COUNTER_REALLOCATED, ctx->reallocated);
  translate_anew(ctx, n, unit);
  go_to(ctx, n, unit, FW_CHECK_WRITE);
  return true;
}

// Whichever arms have tried spares for the unit.
static void spare_is_good(struct fw_context* ctx, uint64_t unit) {
  for (uint32_t n = 0; n < ctx->arms; ++n)
    if (ctx->arm[n].spared_unit == unit) ctx->arm[n].spares_tried = 0;
}

// The arm's channel has written [lba, lba + sectors), or done what such a check wanted of it.
enum fw_check_result fw_check_written(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors,
                                      uint32_t channel, bool error) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint8_t check = arm->check;
  const uint64_t unit = arm->check_unit;
  uint64_t from = lba;
  arm->check = FW_CHECK_NONE;
  if (check == FW_CHECK_READ) {
    if (!error) {
      spare_is_good(ctx, unit);
      if (marks(ctx, n, unit) == 0) remove(ctx, unit);
    } else if (FW_GET(fw_read(ctx, SOC_CHN_BASE(channel), CHN_STATUS), CHN_STATUS_CAUSE) != FW_CHANNEL_UNREADABLE) {
      return FW_CHECK_ERROR;
    } else if (move_to_spare(ctx, n, unit, channel) || arm->job != FW_JOB_DESTAGE) {
      return FW_CHECK_GOES_ON;
    }
    from = unit + ctx->physical_sectors;
  } else if (error) {
    return FW_CHECK_ERROR;
  } else if (check == FW_CHECK_WRITE) {
    go_to(ctx, n, unit, FW_CHECK_READ);
    return FW_CHECK_GOES_ON;
  }
  if (ctx->pending_count == 0) return FW_CHECK_OVER;
  const uint64_t next = first_pending(ctx, from, lba + sectors);
  if (next == lba + sectors) return FW_CHECK_OVER;
  go_to(ctx, n, next, FW_CHECK_READ);
  return FW_CHECK_GOES_ON;
}

// The arm is on the unit's track and has a channel.
void fw_check_start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t base = SOC_CHN_BASE(arm->channel);
  const uint32_t anonymous = arm->job == FW_JOB_DESTAGE ? CHN_CTRL_ANONYMOUS_MASK : 0u;
  const uint64_t unit = arm->check_unit;
  if (arm->check == FW_CHECK_READ) {
    // One block tells whether the physical sector can be read. It goes where nobody wants it, behind the page of PIO.
    fw_write(ctx, base, CHN_ADDRESS, fw_system_address(ctx) + FW_SECTOR_BYTES);
    fw_channel_access(ctx, n, unit + first_unmarked(marks(ctx, n, unit)), 1, anonymous);
  } else if (arm->job == FW_JOB_DESTAGE) {
    fw_destage_unit(ctx, n, unit);
    fw_channel_access(ctx, n, unit, ctx->physical_sectors, CHN_CTRL_WRITE_MASK | anonymous);
  } else {
    const struct fw_request* const request = &ctx->requests[arm->tag];
    const uint32_t offset = (uint32_t)(unit - request->lba) - arm->run.offset;
    fw_write(ctx, base, CHN_ADDRESS, fw_segment_address(ctx, arm->run.segment) + offset * FW_SECTOR_BYTES);
    fw_channel_access(ctx, n, unit, ctx->physical_sectors, CHN_CTRL_WRITE_MASK);
  }
  fw_show(ctx, arm->check == FW_CHECK_READ ? FW_STATE_VERIFY : FW_STATE_REALLOCATE,
          arm->tag == FW_NO_TAG ? 0 : arm->tag);
}

// It was written in part, so it must be read and cannot be: what is missing is written as unreadable.
void fw_mark_unreadable(struct fw_context* ctx, uint16_t line, uint32_t block) {
  ctx->line[line].bad |= (uint8_t)(1u << block);
  ctx->line[line].dirty |= (uint8_t)(1u << block);
  fw_pending_add(ctx, ctx->line[line].number * FW_LINE_SECTORS);
}
