// De-staging: written data go from the lines to the media, through slots of the arbitration unit of their own. The
// oldest lines get the slots; a slot stands for a run of neighbouring sectors, which is looked for again when the arm
// has come. The slots yield to the host's requests unless something waits for them or the lines are nearly used up.
#include "firmware.h"

// A line is a physical sector: it goes to the media whole, and what it lacks is read first.
static bool whole(const struct fw_context* ctx) {
  return ctx->physical_sectors == FW_LINE_SECTORS;
}

// Sectors of the line that may go to the media now: they hold data, none come, and no older line of its number has any
// for them, because what was written later must stay. While some of the number's sectors are on their way there, only
// that access (`joins`) goes on with the line. A physical sector goes whole.
static uint8_t ready(const struct fw_context* ctx, uint16_t index, bool joins) {
  const struct fw_line* const line = &ctx->line[index];
  if (line->destaging != 0 && !joins) return 0;
  uint32_t sectors = line->dirty & ~((uint32_t)line->coming | line->destaging);
  if (whole(ctx) && line->receiving != 0) return 0;
  bool older = false;
  for (uint16_t i = fw_line_find(ctx, line->number); i != FW_NO_LINE && sectors != 0; i = ctx->line[i].next) {
    if (i == index) {
      older = true;
      continue;
    }
    if (ctx->line[i].number != line->number) continue;
    if (ctx->line[i].destaging != 0) return 0;
    if (older && ctx->line[i].dirty != 0) sectors &= whole(ctx) ? 0u : ~(uint32_t)ctx->line[i].dirty;
  }
  return (uint8_t)sectors;
}

static uint16_t line_at(const struct fw_context* ctx, uint64_t lba, bool joins) {
  const uint64_t number = lba / FW_LINE_SECTORS;
  const uint32_t wanted = whole(ctx) ? 0xFFu : 1u << (lba % FW_LINE_SECTORS);
  for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line[i].next)
    if (ctx->line[i].number == number && (ready(ctx, i, joins) & wanted) != 0) return i;
  return FW_NO_LINE;
}

uint16_t fw_line_to_write(const struct fw_context* ctx, uint64_t lba) {
  return line_at(ctx, lba, false);
}

uint16_t fw_line_to_join(const struct fw_context* ctx, uint64_t lba) {
  return line_at(ctx, lba, lba % FW_LINE_SECTORS != 0);
}

static uint32_t first_dirty(uint8_t dirty) {
  return (uint32_t)__builtin_ctz(dirty);
}

static uint32_t count_dirty_from(uint8_t dirty, uint32_t first) {
  uint32_t n = first;
  while (n < FW_LINE_SECTORS && (((uint32_t)dirty >> n) & 1u) != 0) n++;
  return n - first;
}

// First sector of the run that the line is in the middle of.
static uint64_t run_begin(const struct fw_context* ctx, uint16_t index) {
  uint64_t number = ctx->line[index].number;
  if (whole(ctx)) {
    for (uint32_t back = 0; number > 0 && back < FW_MAX_PIECES / 4u; ++back, --number) {
      const uint16_t before = fw_line_to_write(ctx, (number - 1) * FW_LINE_SECTORS);
      if (before == FW_NO_LINE || ctx->line[before].slot != FW_NO_SLOT) break;
    }
    return number * FW_LINE_SECTORS;
  }
  uint32_t first = first_dirty(ready(ctx, index, false));
  for (uint32_t back = 0; first == 0 && number > 0 && back < FW_MAX_PIECES; ++back) {
    const uint16_t before = fw_line_to_write(ctx, number * FW_LINE_SECTORS - 1u);
    if (before == FW_NO_LINE || ctx->line[before].slot != FW_NO_SLOT) break;
    const uint8_t dirty = ready(ctx, before, false);
    number--;
    first = FW_LINE_SECTORS;
    while (first > 0 && (((uint32_t)dirty >> (first - 1u)) & 1u) != 0) first--;
  }
  return number * FW_LINE_SECTORS + first;
}

// Marks the lines of a run of at most `most` sectors as the slot's. Returns its length.
static uint32_t claim(struct fw_context* ctx, uint64_t lba, uint32_t most, uint8_t slot) {
  uint32_t sectors = 0;
  for (uint32_t lines = 0; sectors < most && lines < FW_MAX_PIECES; ++lines) {
    const uint64_t at = lba + sectors;
    const uint16_t index = fw_line_to_write(ctx, at);
    if (index == FW_NO_LINE) break;
    const uint32_t here =
        whole(ctx) ? FW_LINE_SECTORS : count_dirty_from(ready(ctx, index, false), (uint32_t)(at % FW_LINE_SECTORS));
    ctx->line[index].slot = slot;
    sectors += here;
    if ((at + here) % FW_LINE_SECTORS != 0) break;
  }
  return sectors < most ? sectors : most;
}

static void unclaim(struct fw_context* ctx, uint16_t index, uint32_t slot) {
  if (ctx->line[index].slot == slot) ctx->line[index].slot = FW_NO_SLOT;
}

void fw_release_writeback(struct fw_context* ctx, uint32_t slot) {
  struct fw_writeback_slot* const writeback = &ctx->writeback[slot];
  writeback->used = false;
  ctx->destages_waiting[writeback->group]--;
  ctx->destages_in_slots--;
  unclaim(ctx, writeback->line, slot);
  const uint64_t end = (writeback->lba + writeback->claimed + FW_LINE_SECTORS - 1) / FW_LINE_SECTORS;
  for (uint64_t number = writeback->lba / FW_LINE_SECTORS; number < end; ++number)
    for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line[i].next) unclaim(ctx, i, slot);
}

// What lies in lines that no part of the RAM is set apart for has not been acknowledged.
static bool wanted(const struct fw_context* ctx) {
  return !ctx->line_share || ctx->flush_waits || ctx->blocked_requests != 0 || ctx->line_queue_count != 0 ||
         ctx->over_high;
}

static void commit(struct fw_context* ctx, uint32_t slot, uint16_t line) {
  struct fw_writeback_slot* const writeback = &ctx->writeback[slot];
  uint32_t angle;
  writeback->lba = run_begin(ctx, line);
  fw_translate(ctx, writeback->lba, &writeback->track, &angle, &writeback->track_rest);
  if (ctx->stopped) return;
  if (ctx->reach_lost && !fw_reached(ctx, writeback->track)) {
    fw_destage_lose(ctx, writeback->lba, writeback->track_rest);
    return;
  }
  writeback->used = true;
  writeback->group = (uint8_t)fw_group_of(ctx, writeback->track);
  ctx->destages_waiting[writeback->group]++;
  ctx->destages_in_slots++;
  writeback->line = line;
  writeback->claimed = claim(ctx, writeback->lba, writeback->track_rest, (uint8_t)slot);
  ctx->line[line].slot = (uint8_t)slot;  // even if its own sectors come in a later run
  fw_commit_slot(ctx, ctx->queue_depth + slot, writeback->track, angle,
                 AAU_SLOT_COMMIT_WRITE_MASK | FW_SET(AAU_SLOT_COMMIT_SLOT_CLASS, 1u) |
                     fw_channel_length(ctx, writeback->lba, writeback->claimed));
  fw_wake(ctx);
}

static bool may_have_slot(const struct fw_context* ctx, uint16_t line) {
  return ctx->line[line].slot == FW_NO_SLOT && ready(ctx, line, false) != 0;
}

// The oldest line that has no slot, from `line` on.
static uint16_t next_by_age(const struct fw_context* ctx, uint16_t line) {
  while (line != FW_NO_LINE && !may_have_slot(ctx, line)) line = ctx->line[line].younger;
  return line;
}

// The line without a slot that comes first behind what went to the media last, or from the disk's beginning on.
static uint16_t next_on_disk(const struct fw_context* ctx) {
  uint16_t best = FW_NO_LINE;
  uint64_t least_way = 0;  // of `best`
  for (uint16_t line = ctx->oldest_dirty; line != FW_NO_LINE; line = ctx->line[line].younger) {
    const uint64_t way = ctx->line[line].number - ctx->destaged_to / FW_LINE_SECTORS;  // backwards: a long way round
    if ((best != FW_NO_LINE && way >= least_way) || !may_have_slot(ctx, line)) continue;
    least_way = way;
    best = line;
  }
  return best;
}

// Something changed that de-staging depends on.
void fw_destage_update(struct fw_context* ctx) {
  if (ctx->lines == 0 || ctx->draining) return;
  if (ctx->used_lines >= ctx->high_water) ctx->over_high = true;
  if (ctx->used_lines <= ctx->low_water) ctx->over_high = false;
  if (ctx->flush_waits && ctx->oldest_dirty == FW_NO_LINE) {
    ctx->flush_waits = false;
    if (ctx->flush_accounted) fw_account(ctx, 0, FW_WAIT_OVER);
    fw_flushed(ctx);
  }
  const bool urgent = wanted(ctx);
  if (urgent != ctx->urgent) {
    ctx->urgent = urgent;
    fw_program_arbitration(ctx);
  }
  if (!urgent && !ctx->idle_over) return;
  uint16_t line = ctx->oldest_dirty;
  for (uint32_t slot = 0; slot < ctx->destage_candidates && line != FW_NO_LINE; ++slot) {
    if (ctx->writeback[slot].used) continue;
    line = ctx->destage_ascending ? next_on_disk(ctx) : next_by_age(ctx, line);
    if (line == FW_NO_LINE) break;
    commit(ctx, slot, line);
    if (ctx->stopped) return;
  }
  if (urgent && ctx->look_ahead) fw_stream_give_way(ctx);
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
  arm->fresh = true;
  fw_release_writeback(ctx, slot);
  fw_move_arm(ctx, n, writeback->track);
  fw_show(ctx, FW_STATE_DESTAGE, ctx->queue_depth + slot);
}

struct pieces {
  uint32_t base;  // of the channel
  uint32_t address;
  uint32_t sectors;
  uint32_t count;  // pushed
};

static void push_piece(struct fw_context* ctx, struct pieces* pieces) {
  if (pieces->sectors == 0) return;
  fw_write(ctx, pieces->base, CHN_PIECE_ADDR, pieces->address);
  fw_write(ctx, pieces->base, CHN_PIECE_PUSH, pieces->sectors);
  pieces->sectors = 0;
  pieces->count++;
}

static void push_blank(struct fw_context* ctx, struct pieces* pieces, uint32_t sectors) {
  push_piece(ctx, pieces);
  fw_write(ctx, pieces->base, CHN_PIECE_PUSH, CHN_PIECE_PUSH_BLANK_MASK | sectors);
  pieces->count++;
}

static void add_piece(struct fw_context* ctx, struct pieces* pieces, uint32_t address, uint32_t sectors) {
  if (pieces->sectors != 0 && pieces->address + pieces->sectors * FW_SECTOR_BYTES == address) {
    pieces->sectors += sectors;
    return;
  }
  push_piece(ctx, pieces);
  pieces->address = address;
  pieces->sectors = sectors;
}

// Sectors of a line that go to the media, those that are marked unreadable as such.
static void add_line(struct fw_context* ctx, struct pieces* pieces, uint16_t index, uint32_t first, uint32_t sectors) {
  const uint32_t address = ctx->line_address + index * FW_LINE_SECTORS * FW_SECTOR_BYTES;
  const uint32_t bad = ctx->line[index].bad;
  if (bad == 0) {
    add_piece(ctx, pieces, address + first * FW_SECTOR_BYTES, sectors);
    return;
  }
  for (uint32_t sector = first; sector < first + sectors; ++sector) {
    if ((bad >> sector & 1u) != 0)
      push_blank(ctx, pieces, 1);
    else
      add_piece(ctx, pieces, address + sector * FW_SECTOR_BYTES, 1);
  }
}

// The run's sectors behind the first `sectors`, as they are now: some may be gone, or be written anew, or have joined.
// They are the job's from here on: new data for them get lines of their own. Returns all there are then, `most` at
// most.
uint32_t fw_destage_gather(struct fw_context* ctx, uint32_t n, uint32_t sectors, uint32_t most) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct pieces pieces = {SOC_CHN_BASE(arm->channel), 0, 0, 0};
  while (sectors < most && pieces.count + FW_LINE_SECTORS < FW_MAX_PIECES) {
    const uint64_t at = arm->lba + sectors;
    const uint32_t skip = (uint32_t)(at % FW_LINE_SECTORS);
    const uint16_t index = sectors == 0 ? fw_line_to_write(ctx, at) : fw_line_to_join(ctx, at);
    if (index == FW_NO_LINE) break;
    struct fw_line* const line = &ctx->line[index];
    if (whole(ctx) && line->dirty != 0xFFu) break;
    uint32_t here = count_dirty_from(ready(ctx, index, true), skip);
    if (here > most - sectors) here = most - sectors;
    line->destaging |= (uint8_t)((0xFFu << skip) & (0xFFu >> (FW_LINE_SECTORS - skip - here)));
    add_line(ctx, &pieces, index, skip, here);
    sectors += here;
    if ((at + here) % FW_LINE_SECTORS != 0) break;
  }
  push_piece(ctx, &pieces);
  return sectors;
}

// A physical sector of the job alone, for the channel.
void fw_destage_unit(struct fw_context* ctx, uint32_t n, uint64_t unit) {
  struct pieces pieces = {SOC_CHN_BASE(ctx->arm[n].channel), 0, 0, 0};
  const uint16_t index = fw_line_of_job(ctx, unit / FW_LINE_SECTORS);
  if (index == FW_NO_LINE) {
    FW_STOP(ctx);
    return;
  }
  add_line(ctx, &pieces, index, (uint32_t)(unit % FW_LINE_SECTORS), ctx->physical_sectors);
  push_piece(ctx, &pieces);
  fw_write(ctx, pieces.base, CHN_MODE, CHN_MODE_GATHER_MASK);
}

// The lines of the run: from the first to the last one that lacks something, which it must read. They are the job's.
static uint32_t lacking(const struct fw_context* ctx, uint32_t n, uint16_t lines[FW_MAX_FILL_LINES]) {
  const struct fw_arm* const arm = &ctx->arm[n];
  uint32_t count = 0, last = 0;
  for (uint32_t i = 0; i < FW_MAX_FILL_LINES && (i + 1u) * FW_LINE_SECTORS <= arm->track_rest; ++i) {
    const uint16_t index = fw_line_to_write(ctx, arm->lba + i * FW_LINE_SECTORS);
    if (index == FW_NO_LINE) break;
    const bool lacks = ctx->line[index].dirty != 0xFFu;
    if (count != 0 || lacks) lines[count++] = index;
    if (lacks) last = count;
  }
  return last;
}

// The run's next access reads what its physical sectors lack. Lines of an earlier pass count as the job's still, which
// the write will take.
bool fw_destage_reads(const struct fw_context* ctx, uint32_t n) {
  uint16_t lines[FW_MAX_FILL_LINES];
  return whole(ctx) && !ctx->arm[n].filled && lacking(ctx, n, lines) != 0;
}

// Reads what the run's physical sectors lack, in one pass from the first such block to the last.
static bool fill_up(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  uint16_t lines[FW_MAX_FILL_LINES];
  const uint32_t count = lacking(ctx, n, lines);
  if (count == 0) return false;
  struct pieces pieces = {SOC_CHN_BASE(arm->channel), 0, 0, 0};
  const uint32_t first = count_dirty_from(ctx->line[lines[0]].dirty, 0);
  uint32_t last = FW_LINE_SECTORS;
  while ((((uint32_t)ctx->line[lines[count - 1u]].dirty >> (last - 1u)) & 1u) != 0) last--;
  for (uint32_t i = 0; i < count; ++i) {
    struct fw_line* const line = &ctx->line[lines[i]];
    const uint32_t address = ctx->line_address + lines[i] * FW_LINE_SECTORS * FW_SECTOR_BYTES;
    const uint32_t stop = i + 1u == count ? last : FW_LINE_SECTORS;
    for (uint32_t sector = i == 0 ? first : 0u; sector < stop;) {
      const bool here = (((uint32_t)line->dirty >> sector) & 1u) != 0;
      uint32_t end = sector;
      while (end < stop && ((((uint32_t)line->dirty >> end) & 1u) != 0) == here) end++;
      if (here)
        push_blank(ctx, &pieces, end - sector);
      else
        add_piece(ctx, &pieces, address + sector * FW_SECTOR_BYTES, end - sector);
      sector = end;
    }
    line->destaging = 0xFFu;
  }
  push_piece(ctx, &pieces);
  arm->filling_up = true;
  arm->fill_lba = ctx->line[lines[0]].number * FW_LINE_SECTORS + first;
  arm->sectors = (count - 1u) * FW_LINE_SECTORS + last - first;
  fw_write(ctx, SOC_CHN_BASE(arm->channel), CHN_MODE, CHN_MODE_GATHER_MASK);
  fw_channel_access(ctx, n, arm->fill_lba, arm->sectors, CHN_CTRL_ANONYMOUS_MASK);
  fw_show(ctx, FW_STATE_DESTAGE, 0);
  return true;
}

// A slot of the arbitration unit whose run begins in what is written now would find nothing.
void fw_destage_covered(struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot) {
    const struct fw_writeback_slot* const writeback = &ctx->writeback[slot];
    if (!writeback->used || writeback->lba < lba || writeback->lba >= lba + sectors) continue;
    fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_COMMIT(ctx->queue_depth + slot), 0);
    fw_release_writeback(ctx, slot);
  }
}

// The lines of a pass that filled them up are nobody's again: what follows takes them anew.
static void unmark_fill(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!arm->fill_marked) return;
  arm->fill_marked = false;
  const uint64_t last = (arm->fill_lba + arm->sectors - 1u) / FW_LINE_SECTORS;
  for (uint64_t number = arm->fill_lba / FW_LINE_SECTORS; number <= last; ++number) {
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index != FW_NO_LINE) ctx->line[index].destaging = 0;
  }
}

uint32_t fw_destage_extent(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  uint32_t sectors = 0;
  while (sectors < arm->track_rest) {
    const uint64_t at = arm->lba + sectors;
    const uint16_t index = fw_line_to_write(ctx, at);
    if (index == FW_NO_LINE) break;
    const uint32_t skip = (uint32_t)(at % FW_LINE_SECTORS);
    const uint32_t here = whole(ctx) ? FW_LINE_SECTORS : count_dirty_from(ready(ctx, index, false), skip);
    sectors += here;
    if ((at + here) % FW_LINE_SECTORS != 0) break;
  }
  return sectors == 0 ? 1u : sectors;  // as long as it holds it has something
}

// Now that no line is marked any more it is certain whether the run reads or writes next. Unless it has been read, the
// arm takes its sectors anew when it is there: others may have been written by then.
static bool jog_with_channel(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->state = FW_ARM_ON_TRACK;
  if (!fw_jog_arm(ctx, n, !fw_destage_reads(ctx, n))) {
    arm->state = FW_ARM_TRANSFER;
    return false;
  }
  if (!arm->filled) fw_let_go(ctx, n);
  fw_channel_released(ctx, n);
  fw_serve_channel_queue(ctx);  // those that its sectors kept waiting
  return true;
}

void fw_destage_start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  unmark_fill(ctx, n);
  // Once what the run lacked has been read it is written, even if it has grown meanwhile.
  if (ctx->jogs && jog_with_channel(ctx, n)) return;
  const bool filled = arm->filled;
  arm->filled = false;
  if (whole(ctx) && !filled && fill_up(ctx, n)) return;
  arm->passed = 0;
  arm->grown = false;
  // With several arms no more than others have been kept away from.
  const uint32_t most = ctx->arms == 1u || arm->held > arm->track_rest ? arm->track_rest : (uint32_t)arm->held;
  // What has been read to fill up sectors is written whole: if it lay on in the lines, a write past them would be
  // undone.
  arm->sectors = fw_destage_gather(ctx, n, 0, filled ? most : fw_appointed_sectors(ctx, n, arm->lba, most));
  if (arm->sectors == 0) {  // its data are being written anew
    fw_channel_released(ctx, n);
    arm->state = FW_ARM_ON_TRACK;
    fw_rest(ctx, n);
    fw_destage_update(ctx);
    return;
  }
  fw_destage_covered(ctx, arm->lba, arm->sectors);
  const bool arrival = ctx->read_on_arrival && arm->fresh && arm->sectors >= 2u && !fw_channel_contested(ctx, n);
  fw_write(ctx, SOC_CHN_BASE(arm->channel), CHN_MODE, CHN_MODE_GATHER_MASK | (arrival ? CHN_MODE_ANY_ORDER_MASK : 0u));
  fw_channel_access(ctx, n, arm->lba, arm->sectors, CHN_CTRL_WRITE_MASK | CHN_CTRL_ANONYMOUS_MASK);
  arm->ordered_whole = arrival;
  fw_destage_grow(ctx, n);  // more pieces than the channel takes at once
  fw_show(ctx, FW_STATE_DESTAGE, 0);
}

// The line of that number that the job has taken.
uint16_t fw_line_of_job(const struct fw_context* ctx, uint64_t number) {
  uint16_t index = fw_line_find(ctx, number);
  while (index != FW_NO_LINE && (ctx->line[index].number != number || ctx->line[index].destaging == 0))
    index = ctx->line[index].next;
  return index;
}

// What the lines lacked is there up to `end`: whole ones are written when they come round again. The block at `end`
// cannot be read unless all have been: it is written as unreadable, and the rest is read in another pass.
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
    // The last line of the pass has what lies behind it.
    const bool all = end >= begin + FW_LINE_SECTORS || end == wanted;
    if (all)
      ctx->line[index].dirty = 0xFFu;
    else if (end > begin)
      ctx->line[index].dirty |= (uint8_t) ~(0xFFu << (end - begin));
    if (!all && end >= begin) fw_mark_unreadable(ctx, index, (uint32_t)(end - begin));
  }
  arm->fill_marked = true;  // until the write, which follows as soon as there is a channel, takes them again
  fw_try_channel(ctx, n);
}

// A reset or an error while the arm waited with the lines of its job.
void fw_destage_give_up(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  unmark_fill(ctx, n);
  if (arm->check == FW_CHECK_NONE) return;
  arm->check = FW_CHECK_NONE;
  for (uint64_t number = arm->lba / FW_LINE_SECTORS; number <= (arm->lba + arm->sectors - 1u) / FW_LINE_SECTORS;
       ++number) {
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index != FW_NO_LINE) ctx->line[index].destaging = 0;
  }
}

// The same while it moves from where it has read them to where it writes them: it goes back.
void fw_destage_read_again(struct fw_context* ctx, uint32_t n) {
  unmark_fill(ctx, n);
  ctx->arm[n].filled = false;
}

void fw_destage_give_back(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  unmark_fill(ctx, n);
  if (arm->held == 0 || arm->sectors == 0) return;
  const uint64_t lba = arm->filling_up ? arm->fill_lba : arm->lba;
  arm->filling_up = false;
  arm->filled = false;
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= (lba + arm->sectors - 1u) / FW_LINE_SECTORS; ++number) {
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index != FW_NO_LINE) ctx->line[index].destaging = 0;
  }
}

void fw_destage_again(struct fw_context* ctx, uint32_t slot) {
  if (ctx->writeback[slot].used) fw_release_writeback(ctx, slot);
  fw_destage_update(ctx);
}

void fw_destage_done(struct fw_context* ctx, uint32_t n, uint32_t channel, bool error) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->filling_up) {
    uint64_t end = arm->fill_lba + arm->sectors;
    if (error) {
      const uint32_t cause = FW_GET(fw_read(ctx, SOC_CHN_BASE(channel), CHN_STATUS), CHN_STATUS_CAUSE);
      if (cause != FW_CHANNEL_UNREADABLE) {
        FW_STOP(ctx);
        return;
      }
      end = arm->fill_lba + fw_read(ctx, SOC_CHN_BASE(channel), CHN_PROGRESS);
    }
    filled_up(ctx, n, end);
    return;
  }
  if (arm->grown) fw_destage_refused(ctx, n, channel);
  switch (fw_check_written(ctx, n, arm->lba, arm->sectors, channel, error)) {
    case FW_CHECK_GOES_ON:
      return;
    case FW_CHECK_ERROR:  // never but for a mistake in sequencing
      FW_STOP(ctx);
      return;
    default:
      break;
  }
  const uint64_t end = arm->lba + arm->sectors;
  for (uint64_t at = arm->lba; at < end;) {
    const uint64_t number = at / FW_LINE_SECTORS;
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index == FW_NO_LINE) {
      FW_STOP(ctx);
      return;
    }
    fw_line_clean(ctx, index, ctx->line[index].destaging);
    at = (number + 1) * FW_LINE_SECTORS;
  }
  fw_segments_invalidate(ctx, arm->lba, arm->sectors);
  fw_let_go(ctx, n);
  arm->lba = end;
  ctx->destaged_to = end;
  arm->fresh = false;
  // The run may go on, here or on the next track.
  const bool here = !ctx->draining && end < ctx->capacity && fw_line_to_write(ctx, end) != FW_NO_LINE;
  const bool goes_on = here && !fw_arm_wanted(ctx, n);  // otherwise the arbitration unit decides
  if (goes_on) {
    uint32_t track, angle;
    fw_translate(ctx, end, &track, &angle, &arm->track_rest);
    if (track == arm->track)
      fw_try_channel(ctx, n);
    else if (fw_arm_reaches(ctx, n, track))
      fw_move_arm(ctx, n, track);
    else
      fw_rest(ctx, n);
  } else {
    fw_destage_update(ctx);  // the arbitration unit decides as soon as the arm rests: it must see all there is
    fw_rest(ctx, n);
  }
  fw_serve_blocked(ctx);
  fw_serve_line_queue(ctx);
  fw_destage_update(ctx);
}

// The arbitration unit has dropped all slots.
void fw_destage_abort(struct fw_context* ctx) {
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot)
    if (ctx->writeback[slot].used) fw_release_writeback(ctx, slot);
  ctx->flush_waits = false;
  ctx->blocked_requests = 0;
}
