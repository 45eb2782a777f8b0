// Unreadable sectors. A list keeps them as pending. When the host writes one, it is read back; if that fails, it moves
// to a spare, is written there and read back again. A sector in which a write was cut off is good again once written.
#include "jobs/jobs.h"

// The arm goes to where the sector lies, and asks for a channel there.
static enum fw_check_result go_to(struct fw_context* ctx, uint32_t n, uint64_t unit, enum fw_check check) {
  struct fw_arm* const arm = &ctx->arm[n];
  uint32_t track, angle, run;
  fw_translate(ctx, unit, &track, &angle, &run);
  if (ctx->errors.stopped) return FW_CHECK_GOES_ON;
  arm->check = (uint8_t)check;
  arm->check_unit = unit;
  if (track == arm->track)
    fw_try_channel(ctx, n);
  else if (fw_arm_reaches(ctx, n, track))
    fw_move_arm(ctx, n, track);
  else
    return FW_CHECK_ELSEWHERE;
  return FW_CHECK_GOES_ON;
}

static void wait_anew(struct fw_context* ctx, uint32_t slot) {
  fw_withdraw_slot(ctx, slot);
  fw_granted_in_vain(ctx, slot);
}

// Requests and runs that wait for an arm were translated before the unit moved: translates them again. The arbitration
// unit keeps its estimates, which only order the slots.
static void translate_anew(struct fw_context* ctx, uint32_t mover, uint64_t unit) {
  const uint64_t end = unit + ctx->drive.physical_sectors;
  // An arm on its way to write back: its run ends before the unit.
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (n == mover || arm->job != FW_JOB_DESTAGE || unit < arm->lba || unit >= arm->lba + arm->track_rest) continue;
    arm->track_rest = (uint32_t)(unit - arm->lba);
  }
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (request->state != FW_REQUEST_WAITS_ARM) continue;
    const uint64_t at = fw_request_media_lba(ctx, tag);
    const bool begun = request->segment == FW_NO_SEGMENT && at != request->lba;
    uint32_t rest = begun ? request->sectors : request->track_rest;
    if (at >= end || at + rest <= unit) continue;
    fw_translate(ctx, at, &request->track, &request->angle, &rest);
    if (!begun) request->track_rest = rest;
    if (ctx->drive.groups > 1u || ctx->failures.heads != 0) wait_anew(ctx, tag);
  }
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot) {
    struct fw_writeback_slot* const writeback = &ctx->destage.writeback[slot];
    uint32_t angle;
    if (!writeback->used || writeback->lba >= end || writeback->lba + writeback->track_rest <= unit) continue;
    fw_translate(ctx, writeback->lba, &writeback->track, &angle, &writeback->track_rest);
    const uint32_t number = ctx->drive.queue_depth + slot;
    if (ctx->drive.groups > 1u || ctx->failures.heads != 0) wait_anew(ctx, number);
  }
}

// FW_CHECK_NO_SPARE: no spare is left, or so many failed that another would too (a bad head or channel makes every
// sector look defective).
static enum fw_check_result move_to_spare(struct fw_context* ctx, uint32_t n, uint64_t unit) {
  struct fw_arm* const arm = &ctx->arm[n];
  ctx->statistics.reallocations++;
  fw_save_soon(ctx);
  if (arm->spared_unit != unit) arm->spares_tried = 0;
  arm->spared_unit = unit;
  if (arm->spares_tried == FW_MOST_SPARES) {
    arm->spares_tried = 0;
    ctx->defects.spares_out = true;
    return FW_CHECK_NO_SPARE;
  }
  arm->spares_tried++;
  if (!fw_move_to_spare(ctx, unit)) {
    ctx->defects.spares_out = true;
    return FW_CHECK_NO_SPARE;
  }
  ctx->defects.reallocated += ctx->drive.physical_sectors;
  fw_count(ctx, FW_COUNTER_REALLOCATED, ctx->defects.reallocated);
  translate_anew(ctx, n, unit);
  return go_to(ctx, n, unit, FW_CHECK_WRITE);
}

// For all arms that have tried spares for the unit.
static void spare_is_good(struct fw_context* ctx, uint64_t unit) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].spared_unit == unit) ctx->arm[n].spares_tried = 0;
}

// Reads back the next pending sector among those written in [from, end).
enum fw_check_result fw_check_go_on(struct fw_context* ctx, uint32_t n, uint64_t from, uint64_t end) {
  if (ctx->defects.pending_count == 0) return FW_CHECK_OVER;
  const uint64_t next = fw_first_pending(ctx, from, end);
  return next == end ? FW_CHECK_OVER : go_to(ctx, n, next, FW_CHECK_READ);
}

// The arm's access has written [lba, lba + sectors), or done a step of a check. `cause`: as in chn.status. `marks`:
// blocks of the checked sector that were written with a mark in place of data, a bit each.
enum fw_check_result fw_check_written(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors,
                                      uint32_t cause, uint8_t marks) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint8_t check = arm->check;
  const uint64_t unit = arm->check_unit;
  arm->check = FW_CHECK_NONE;
  if (cause != FW_CHANNEL_WELL && check != FW_CHECK_READ) {  // it could not be written
    if (check == FW_CHECK_NONE) arm->check_unit = lba;
    return FW_CHECK_NO_SPARE;
  }
  if (check == FW_CHECK_NONE) return fw_check_go_on(ctx, n, lba, lba + sectors);
  if (check == FW_CHECK_WRITE) return go_to(ctx, n, unit, FW_CHECK_READ);
  if (cause != FW_CHANNEL_WELL) return move_to_spare(ctx, n, unit);
  spare_is_good(ctx, unit);
  if (marks == 0) fw_pending_remove(ctx, unit);
  return fw_check_go_on(ctx, n, unit + ctx->drive.physical_sectors, lba + sectors);
}

// If the arm checks a sector, that sector is its next access.
void fw_check_next(const struct fw_context* ctx, uint32_t n, struct fw_access* access) {
  if (ctx->arm[n].check == FW_CHECK_NONE) return;
  access->lba = ctx->arm[n].check_unit;
  access->sectors = ctx->drive.physical_sectors;
}

static void shown(struct fw_context* ctx, uint32_t n, enum fw_state state) {
  const struct fw_arm* const arm = &ctx->arm[n];
  fw_show(ctx, state, arm->tag == FW_NO_TAG ? 0 : arm->tag);
}

static uint32_t first_unmarked(uint8_t bits) {
  uint32_t first = 0;
  while ((((uint32_t)bits >> first) & 1u) != 0) first++;
  return first;
}

// The arm has a channel: reading one block shows whether the physical sector is readable. The block goes to scratch RAM
// after the PIO page. `flags`: of chn.ctrl.
void fw_check_read(struct fw_context* ctx, uint32_t n, uint8_t marks, uint32_t flags) {
  const struct fw_arm* const arm = &ctx->arm[n];
  fw_channel_address(ctx, arm->channel, fw_system_address(ctx) + FW_SECTOR_BYTES);
  fw_channel_access(ctx, n, arm->check_unit + first_unmarked(marks), 1, flags);
  shown(ctx, n, FW_STATE_VERIFY);
}

// Writes the sector to its spare; the channel already knows where the data are.
void fw_check_write(struct fw_context* ctx, uint32_t n, uint32_t flags) {
  fw_channel_access(ctx, n, ctx->arm[n].check_unit, ctx->drive.physical_sectors, CHN_CTRL_WRITE_MASK | flags);
  shown(ctx, n, FW_STATE_REALLOCATE);
}
