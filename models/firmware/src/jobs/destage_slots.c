// Slots of the arbitration unit for written data: the oldest lines get them, or those that come next on the disk.
#include "jobs/jobs.h"

// De-staging is urgent. Without a share of the RAM for lines, their data have not been acknowledged. With the write
// cache off, commands wait for all written data.
static bool wanted(const struct fw_context* ctx) {
  return !ctx->buffer.line_share || ctx->destage.flush_waits ||
         (ctx->destage.blocked_requests != 0 && !ctx->host.write_cache) || ctx->line_cache.queue_count != 0 ||
         ctx->destage.over_high;
}

static void commit(struct fw_context* ctx, uint32_t slot, uint16_t line) {
  struct fw_writeback_slot* const writeback = &ctx->destage.writeback[slot];
  uint32_t angle;
  writeback->lba = fw_destage_run_begin(ctx, line);
  fw_translate(ctx, writeback->lba, &writeback->track, &angle, &writeback->track_rest);
  if (ctx->errors.stopped) return;
  if (ctx->failures.reach_lost && !fw_reached(ctx, writeback->track)) {
    fw_destage_lose(ctx, writeback->lba, writeback->track_rest);
    return;
  }
  writeback->used = true;
  writeback->group = (uint8_t)fw_group_of(ctx, writeback->track);
  ctx->destage.waiting[writeback->group]++;
  ctx->destage.in_slots++;
  writeback->line = line;
  writeback->hurried = ctx->line_cache.line[line].awaited;
  if (writeback->hurried) {
    ctx->destage.hurried_waiting[writeback->group]++;
    ctx->destage.hurried_in_slots++;
  }
  writeback->claimed = fw_destage_claim(ctx, writeback->lba, writeback->track_rest, (uint8_t)slot);
  // Awaited data are as old as their commands. The unit does not let the rest age, which may have yielded for long.
  const bool awaited = writeback->hurried || !ctx->host.write_cache;
  ctx->line_cache.line[line].slot = (uint8_t)slot;  // even if its own sectors come in a later run
  fw_commit_slot(ctx, ctx->drive.queue_depth + slot, writeback->track, angle,
                 AAU_SLOT_COMMIT_WRITE_MASK | FW_SET(AAU_SLOT_COMMIT_SLOT_CLASS, awaited ? 0u : 1u) |
                     fw_channel_length(ctx, writeback->lba, writeback->claimed));
  fw_due(ctx, FW_DUE_WAKE);
}

// The oldest line that has no slot, from `line` on.
static uint16_t next_by_age(const struct fw_context* ctx, uint16_t line) {
  while (line != FW_NO_LINE && !fw_destage_may_have_slot(ctx, line)) line = ctx->line_cache.line[line].younger;
  return line;
}

// The first line without a slot after what was written last, or else from the disk's beginning on.
static uint16_t next_on_disk(const struct fw_context* ctx) {
  uint16_t best = FW_NO_LINE;
  uint64_t least_way = 0;  // of `best`
  for (uint16_t line = ctx->line_cache.oldest_dirty; line != FW_NO_LINE; line = ctx->line_cache.line[line].younger) {
    const uint64_t way =
        ctx->line_cache.line[line].number - ctx->destage.written_to / FW_LINE_SECTORS;  // backwards: a long way round
    if ((best != FW_NO_LINE && way >= least_way) || !fw_destage_may_have_slot(ctx, line)) continue;
    least_way = way;
    best = line;
  }
  return best;
}

// A slot for an awaited line: its own, an unused one, or one whose data no command waits for.
static uint32_t slot_to_hurry(struct fw_context* ctx, uint16_t line) {
  if (ctx->line_cache.line[line].slot != FW_NO_SLOT) return ctx->line_cache.line[line].slot;
  uint32_t found = FW_NO_SLOT;
  for (uint32_t slot = 0; slot < ctx->destage.candidates; ++slot) {
    if (!ctx->destage.writeback[slot].used) return slot;
    if (!ctx->destage.writeback[slot].hurried) found = slot;
  }
  return found;
}

// Lines that commands wait for get slots that do not yield.
static void hurry(struct fw_context* ctx) {
  uint16_t next;
  for (uint16_t line = fw_line_awaited(ctx); line != FW_NO_LINE && ctx->line_cache.line[line].awaited; line = next) {
    next = ctx->line_cache.line[line].younger;
    const uint8_t its = ctx->line_cache.line[line].slot;
    if (its != FW_NO_SLOT ? ctx->destage.writeback[its].hurried : !fw_destage_may_have_slot(ctx, line)) continue;
    const uint32_t slot = slot_to_hurry(ctx, line);
    if (slot == FW_NO_SLOT) return;
    if (ctx->destage.writeback[slot].used) {
      fw_aau_slot_off(ctx, ctx->drive.queue_depth + slot);
      fw_release_writeback(ctx, slot);
    }
    if (fw_destage_may_have_slot(ctx, line)) commit(ctx, slot, line);
    if (ctx->errors.stopped) return;
  }
}

// The other lines get the slots that are left.
static void commit_more(struct fw_context* ctx) {
  uint16_t line = ctx->line_cache.oldest_dirty;
  for (uint32_t slot = 0; slot < ctx->destage.candidates && line != FW_NO_LINE; ++slot) {
    if (ctx->destage.writeback[slot].used) continue;
    line = ctx->destage.ascending ? next_on_disk(ctx) : next_by_age(ctx, line);
    if (line == FW_NO_LINE) break;
    commit(ctx, slot, line);
    if (ctx->errors.stopped) return;
  }
}

// Something changed that de-staging depends on.
void fw_destage_update(struct fw_context* ctx) {
  if (ctx->buffer.lines == 0 || ctx->errors.draining) return;
  if (ctx->line_cache.used_lines >= ctx->destage.high_water) ctx->destage.over_high = true;
  if (ctx->line_cache.used_lines <= ctx->destage.low_water) ctx->destage.over_high = false;
  if (ctx->destage.flush_waits && ctx->line_cache.oldest_dirty == FW_NO_LINE) {
    if (ctx->destage.flush_waits == FW_FLUSH_REQUEST) fw_account(ctx, 0, FW_WAIT_OVER);
    ctx->destage.flush_waits = FW_FLUSH_NOBODY;
    fw_due(ctx, FW_DUE_FLUSHED);
  }
  const bool urgent = wanted(ctx);
  if (urgent != ctx->destage.urgent) {
    ctx->destage.urgent = urgent;
    fw_program_arbitration(ctx);
  }
  fw_destage_join(ctx);
  hurry(ctx);
  if (ctx->errors.stopped) return;
  if (urgent || ctx->destage.idle_over) commit_more(ctx);
  if (!ctx->errors.stopped && (urgent || ctx->destage.hurried_in_slots != 0) && ctx->host.look_ahead)
    fw_stream_give_way(ctx);
}

void fw_destage_again(struct fw_context* ctx, uint32_t slot) {
  if (ctx->destage.writeback[slot].used) fw_release_writeback(ctx, slot);
  fw_destage_update(ctx);
}

// The arbitration unit has dropped all slots.
void fw_destage_abort(struct fw_context* ctx) {
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot)
    if (ctx->destage.writeback[slot].used) fw_release_writeback(ctx, slot);
  fw_lines_not_awaited(ctx);
  ctx->destage.flush_waits = FW_FLUSH_NOBODY;
  ctx->destage.blocked_requests = 0;
}
