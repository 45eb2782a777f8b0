// De-staging: written data go from the lines to the media, through slots of the arbitration unit of their own. The
// oldest lines get the slots; a slot stands for a run of neighbouring sectors, which is looked for again when the arm
// has come. The slots yield to the host's requests unless something waits for them or the lines are nearly used up.
#include "firmware.h"

// The line at which the run goes on behind `number`, if it can: its first sectors are dirty and not on their way.
static bool eligible(const struct fw_context* ctx, uint16_t index) {
  const struct fw_line* const line = &ctx->line[index];
  if (line->dirty == 0 || line->receiving != 0 || line->destaging != 0) return false;
  for (uint16_t i = line->next; i != FW_NO_LINE; i = ctx->line[i].next)  // an older one is on its way
    if (ctx->line[i].number == line->number && ctx->line[i].dirty != 0) return false;
  return true;
}

static uint32_t first_dirty(uint8_t dirty) {
  uint32_t n = 0;
  while (((dirty >> n) & 1u) == 0) n++;
  return n;
}

static uint32_t count_dirty_from(uint8_t dirty, uint32_t first) {
  uint32_t n = first;
  while (n < FW_LINE_SECTORS && ((dirty >> n) & 1u) != 0) n++;
  return n - first;
}

static uint16_t line_at(const struct fw_context* ctx, uint64_t number) {
  const uint16_t index = fw_line_find(ctx, number);
  return index != FW_NO_LINE && eligible(ctx, index) ? index : FW_NO_LINE;
}

// First sector of the run that the line is in the middle of.
static uint64_t run_begin(const struct fw_context* ctx, uint16_t index) {
  uint64_t number = ctx->line[index].number;
  uint32_t first = first_dirty(ctx->line[index].dirty);
  for (uint32_t back = 0; first == 0 && number > 0 && back < FW_MAX_PIECES; ++back) {
    const uint16_t before = line_at(ctx, number - 1);
    if (before == FW_NO_LINE || ctx->line[before].slot != FW_NO_SLOT) break;
    const uint8_t dirty = ctx->line[before].dirty;
    if ((dirty & 0x80u) == 0) break;
    number--;
    first = FW_LINE_SECTORS;
    while (first > 0 && ((dirty >> (first - 1u)) & 1u) != 0) first--;
  }
  return number * FW_LINE_SECTORS + first;
}

// Marks the lines of a run of at most `most` sectors as the slot's. Returns its length.
static uint32_t claim(struct fw_context* ctx, uint64_t lba, uint32_t most, uint8_t slot) {
  uint32_t sectors = 0;
  for (uint32_t lines = 0; sectors < most && lines < FW_MAX_PIECES; ++lines) {
    const uint64_t at = lba + sectors;
    const uint16_t index = line_at(ctx, at / FW_LINE_SECTORS);
    if (index == FW_NO_LINE) break;
    const uint32_t here = count_dirty_from(ctx->line[index].dirty, (uint32_t)(at % FW_LINE_SECTORS));
    if (here == 0) break;
    ctx->line[index].slot = slot;
    sectors += here;
    if ((at + here) % FW_LINE_SECTORS != 0) break;
  }
  return sectors < most ? sectors : most;
}

static void unclaim(struct fw_context* ctx, uint16_t index, uint32_t slot) {
  if (index != FW_NO_LINE && ctx->line[index].slot == slot) ctx->line[index].slot = FW_NO_SLOT;
}

static void release_slot(struct fw_context* ctx, uint32_t slot) {
  struct fw_writeback_slot* const writeback = &ctx->writeback[slot];
  writeback->used = false;
  unclaim(ctx, writeback->line, slot);
  const uint64_t end = (writeback->lba + writeback->claimed + FW_LINE_SECTORS - 1) / FW_LINE_SECTORS;
  for (uint64_t number = writeback->lba / FW_LINE_SECTORS; number < end; ++number)
    unclaim(ctx, fw_line_find(ctx, number), slot);
}

static bool wanted(const struct fw_context* ctx) {
  return ctx->flush_waits || ctx->blocked_requests != 0 || ctx->line_queue_count != 0 || ctx->over_high;
}

static void commit(struct fw_context* ctx, uint32_t slot, uint16_t line) {
  struct fw_writeback_slot* const writeback = &ctx->writeback[slot];
  uint32_t angle;
  writeback->lba = run_begin(ctx, line);
  fw_translate(ctx, writeback->lba, &writeback->track, &angle, &writeback->track_rest);
  if (ctx->stopped) return;
  writeback->used = true;
  writeback->line = line;
  writeback->claimed = claim(ctx, writeback->lba, writeback->track_rest, (uint8_t)slot);
  ctx->line[line].slot = (uint8_t)slot;  // even if its own sectors come in a later run
  const uint32_t number = ctx->queue_depth + slot;
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_TARGET(number), writeback->track);
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_COMMIT(number),
           FW_SET(AAU_SLOT_COMMIT_ANGLE, angle) | AAU_SLOT_COMMIT_WRITE_MASK | FW_SET(AAU_SLOT_COMMIT_SLOT_CLASS, 1u) |
               AAU_SLOT_COMMIT_VALID_MASK);
}

// Something changed that de-staging depends on.
void fw_destage_update(struct fw_context* ctx) {
  if (ctx->lines == 0 || ctx->draining) return;
  if (ctx->used_lines >= ctx->high_water) ctx->over_high = true;
  if (ctx->used_lines <= ctx->low_water) ctx->over_high = false;
  if (ctx->flush_waits && ctx->oldest_dirty == FW_NO_LINE) {
    ctx->flush_waits = false;
    if (ctx->flush_accounted) fw_account(ctx, 0, FW_WAIT_OVER);
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  }
  const bool urgent = wanted(ctx);
  if (urgent != ctx->urgent) {
    ctx->urgent = urgent;
    fw_program_arbitration(ctx);
  }
  if (!urgent && !ctx->idle_over) return;
  uint16_t line = ctx->oldest_dirty;
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS && line != FW_NO_LINE; ++slot) {
    if (ctx->writeback[slot].used) continue;
    while (line != FW_NO_LINE && (ctx->line[line].slot != FW_NO_SLOT || !eligible(ctx, line)))
      line = ctx->line[line].younger;
    if (line == FW_NO_LINE) break;
    commit(ctx, slot, line);
    if (ctx->stopped) return;
  }
}

void fw_destage_granted(struct fw_context* ctx, uint32_t n, uint32_t slot) {
  if (slot >= FW_MAX_WRITEBACK_SLOTS) {
    FW_STOP(ctx);
    return;
  }
  struct fw_writeback_slot* const writeback = &ctx->writeback[slot];
  struct fw_arm* const arm = &ctx->arm[n];
  if (!writeback->used) {  // withdrawn when it was granted already
    fw_rest(ctx, n);
    return;
  }
  arm->job = FW_JOB_DESTAGE;
  arm->lba = writeback->lba;
  arm->track_rest = writeback->track_rest;
  arm->sectors = 0;
  arm->fresh = true;
  release_slot(ctx, slot);
  fw_move_arm(ctx, n, writeback->track);
  fw_show(ctx, FW_STATE_DESTAGE, ctx->queue_depth + slot);
}

// The run's sectors as they are now: some may be gone, or be written anew, or have joined.
static uint32_t gather(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t base = SOC_CHN_BASE(arm->channel);
  uint32_t sectors = 0, address = 0, length = 0;
  for (uint32_t lines = 0; sectors < arm->track_rest && lines < FW_MAX_PIECES; ++lines) {
    const uint64_t at = arm->lba + sectors;
    const uint32_t skip = (uint32_t)(at % FW_LINE_SECTORS);
    const uint16_t index = line_at(ctx, at / FW_LINE_SECTORS);
    if (index == FW_NO_LINE) break;
    struct fw_line* const line = &ctx->line[index];
    uint32_t here = count_dirty_from(line->dirty, skip);
    if (here == 0) break;
    if (here > arm->track_rest - sectors) here = arm->track_rest - sectors;
    const uint32_t from = ctx->line_address + (index * FW_LINE_SECTORS + skip) * FW_SECTOR_BYTES;
    line->destaging = (uint8_t)((0xFFu << skip) & (0xFFu >> (FW_LINE_SECTORS - skip - here)));
    if (length != 0 && address + length * FW_SECTOR_BYTES == from) {
      length += here;
    } else {
      if (length != 0) {
        fw_write(ctx, base, CHN_PIECE_ADDR, address);
        fw_write(ctx, base, CHN_PIECE_PUSH, length);
      }
      address = from;
      length = here;
    }
    sectors += here;
    if ((at + here) % FW_LINE_SECTORS != 0) break;
  }
  if (length != 0) {
    fw_write(ctx, base, CHN_PIECE_ADDR, address);
    fw_write(ctx, base, CHN_PIECE_PUSH, length);
  }
  return sectors;
}

// A slot of the arbitration unit whose run begins in what is written now would find nothing.
static void withdraw_covered(struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot) {
    const struct fw_writeback_slot* const writeback = &ctx->writeback[slot];
    if (!writeback->used || writeback->lba < lba || writeback->lba >= lba + sectors) continue;
    fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_COMMIT(ctx->queue_depth + slot), 0);
    release_slot(ctx, slot);
  }
}

void fw_destage_start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->sectors = gather(ctx, n);
  if (arm->sectors == 0) {  // its data are being written anew
    ctx->channel_arm[arm->channel] = FW_NO_ARM;
    arm->channel = FW_NO_CHANNEL;
    arm->state = FW_ARM_ON_TRACK;
    fw_rest(ctx, n);
    fw_destage_update(ctx);
    return;
  }
  withdraw_covered(ctx, arm->lba, arm->sectors);
  const bool arrival = ctx->read_on_arrival && arm->fresh && arm->sectors >= 2u;
  fw_write(ctx, SOC_CHN_BASE(arm->channel), CHN_MODE, CHN_MODE_GATHER_MASK | (arrival ? CHN_MODE_ANY_ORDER_MASK : 0u));
  fw_channel_access(ctx, n, arm->lba, arm->sectors, CHN_CTRL_WRITE_MASK | CHN_CTRL_ANONYMOUS_MASK);
  fw_show(ctx, FW_STATE_DESTAGE, 0);
}

static void serve_blocked(struct fw_context* ctx) {
  if (ctx->blocked_requests == 0) return;
  for (uint32_t tag = 0; tag < ctx->queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (!request->active || !request->blocked) continue;
    if (fw_lines_overlap(ctx, request->lba, request->sectors) != FW_OVERLAP_NONE) continue;
    request->blocked = false;
    ctx->blocked_requests--;
    fw_account(ctx, tag, FW_WAIT_OVER);
    fw_start_request(ctx, tag);
    if (ctx->blocked_requests == 0) return;
  }
}

void fw_destage_done(struct fw_context* ctx, uint32_t n, bool error) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (error) {  // a write never fails but for a mistake in sequencing
    FW_STOP(ctx);
    return;
  }
  const uint64_t end = arm->lba + arm->sectors;
  for (uint64_t at = arm->lba; at < end;) {
    const uint64_t number = at / FW_LINE_SECTORS;
    uint16_t index = fw_line_find(ctx, number);
    while (index != FW_NO_LINE && (ctx->line[index].number != number || ctx->line[index].destaging == 0))
      index = ctx->line[index].next;
    if (index == FW_NO_LINE) {
      FW_STOP(ctx);
      return;
    }
    fw_line_clean(ctx, index, ctx->line[index].destaging);
    at = (number + 1) * FW_LINE_SECTORS;
  }
  fw_invalidate(ctx, arm->lba, arm->sectors);
  arm->lba = end;
  arm->fresh = false;
  // The run may go on, here or on the next track.
  const uint16_t next = !ctx->draining && end < ctx->capacity ? line_at(ctx, end / FW_LINE_SECTORS) : FW_NO_LINE;
  const bool goes_on = next != FW_NO_LINE && ((ctx->line[next].dirty >> (end % FW_LINE_SECTORS)) & 1u) != 0 &&
                       (ctx->waiting_requests == 0 || ctx->urgent);
  if (goes_on) {
    uint32_t track, angle;
    fw_translate(ctx, end, &track, &angle, &arm->track_rest);
    if (track != arm->track)
      fw_move_arm(ctx, n, track);
    else
      fw_try_channel(ctx, n);
  } else {
    fw_rest(ctx, n);
  }
  serve_blocked(ctx);
  fw_serve_line_queue(ctx);
  fw_destage_update(ctx);
}

// The arbitration unit has dropped all slots.
void fw_destage_abort(struct fw_context* ctx) {
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot)
    if (ctx->writeback[slot].used) release_slot(ctx, slot);
  ctx->flush_waits = false;
  ctx->blocked_requests = 0;
}

// A media command came: an idle time begins anew.
void fw_media_activity(struct fw_context* ctx) {
  if (ctx->lines == 0 || ctx->idle_us == 0) return;
  ctx->idle_over = false;
  fw_write(ctx, SOC_TMR_BASE, TMR_AFTER, ctx->idle_us);
}

// An unqueued command, whose tag is 0, ends when all that was written is on the media.
void fw_flush(struct fw_context* ctx, bool accounted) {
  if (ctx->lines == 0 || ctx->oldest_dirty == FW_NO_LINE) {
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
    return;
  }
  ctx->flush_waits = true;
  ctx->flush_accounted = accounted;
  if (accounted) fw_account(ctx, 0, FW_WAIT_DESTAGE);
  fw_show(ctx, FW_STATE_WAIT_DESTAGE, 0);
  fw_destage_update(ctx);
}
