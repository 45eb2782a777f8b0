// The lines of a de-staging run: which may go to the media now, how they are gathered for the channel, and which blocks
// of physical sectors are missing.
#include "jobs/jobs.h"

// A line is one physical sector: it goes to the media whole, and its missing blocks are read first.
static bool whole(const struct fw_context* ctx) {
  return ctx->drive.physical_sectors == FW_LINE_SECTORS;
}

// Sectors of the line that may go to the media now: they hold data, none are arriving, and no older line of the same
// number has data for them, because the newer data must win. While sectors of this number are being written, only that
// access (`joins`) may go on with the line. A physical sector goes whole.
static uint8_t ready(const struct fw_context* ctx, uint16_t index, bool joins) {
  const struct fw_line* const line = &ctx->line_cache.line[index];
  if (line->destaging != 0 && !joins) return 0;
  uint32_t sectors = line->dirty & ~((uint32_t)line->coming | line->destaging);
  if (whole(ctx) && line->receiving != 0) return 0;
  bool older = false;
  for (uint16_t i = fw_line_find(ctx, line->number); i != FW_NO_LINE && sectors != 0;
       i = ctx->line_cache.line[i].next) {
    if (i == index) {
      older = true;
      continue;
    }
    if (ctx->line_cache.line[i].number != line->number) continue;
    if (ctx->line_cache.line[i].destaging != 0) return 0;
    if (older && ctx->line_cache.line[i].dirty != 0)
      sectors &= whole(ctx) ? 0u : ~(uint32_t)ctx->line_cache.line[i].dirty;
  }
  return (uint8_t)sectors;
}

static uint16_t line_at(const struct fw_context* ctx, uint64_t lba, bool joins) {
  const uint64_t number = lba / FW_LINE_SECTORS;
  const uint32_t wanted = whole(ctx) ? 0xFFu : 1u << (lba % FW_LINE_SECTORS);
  for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line_cache.line[i].next)
    if (ctx->line_cache.line[i].number == number && (ready(ctx, i, joins) & wanted) != 0) return i;
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

// The run of another slot, or of an arm on its way there, ends with this line.
static bool others_end(const struct fw_context* ctx, uint16_t index) {
  const struct fw_line* const line = &ctx->line_cache.line[index];
  const uint64_t last = line->number * FW_LINE_SECTORS + FW_LINE_SECTORS - 1u;
  return line->slot != FW_NO_SLOT || fw_destage_awaited(ctx, last, FW_NO_ARM);
}

// The run of line `index` cannot include the line `before`: that is part of another run, or no command waits for it
// while one waits for `index`.
static bool run_ends_before(const struct fw_context* ctx, uint16_t before, uint16_t index) {
  return others_end(ctx, before) || (ctx->line_cache.line[index].awaited && !ctx->line_cache.line[before].awaited);
}

// First sector of the run that contains the line.
uint64_t fw_destage_run_begin(const struct fw_context* ctx, uint16_t index) {
  uint64_t number = ctx->line_cache.line[index].number;
  if (whole(ctx)) {
    for (uint32_t back = 0; number > 0 && back < FW_MAX_PIECES / 4u; ++back, --number) {
      const uint16_t before = fw_line_to_write(ctx, (number - 1) * FW_LINE_SECTORS);
      if (before == FW_NO_LINE || run_ends_before(ctx, before, index)) break;
    }
    return number * FW_LINE_SECTORS;
  }
  uint32_t first = first_dirty(ready(ctx, index, false));
  for (uint32_t back = 0; first == 0 && number > 0 && back < FW_MAX_PIECES; ++back) {
    const uint16_t before = fw_line_to_write(ctx, number * FW_LINE_SECTORS - 1u);
    if (before == FW_NO_LINE || run_ends_before(ctx, before, index)) break;
    const uint8_t dirty = ready(ctx, before, false);
    number--;
    first = FW_LINE_SECTORS;
    while (first > 0 && (((uint32_t)dirty >> (first - 1u)) & 1u) != 0) first--;
  }
  return number * FW_LINE_SECTORS + first;
}

// Marks the lines of a run of at most `most` sectors as the slot's. Returns its length.
uint32_t fw_destage_claim(struct fw_context* ctx, uint64_t lba, uint32_t most, uint8_t slot) {
  uint32_t sectors = 0;
  for (uint32_t lines = 0; sectors < most && lines < FW_MAX_PIECES; ++lines) {
    const uint64_t at = lba + sectors;
    const uint16_t index = fw_line_to_write(ctx, at);
    if (index == FW_NO_LINE || fw_destage_awaited(ctx, at, FW_NO_ARM)) break;
    const uint32_t here =
        whole(ctx) ? FW_LINE_SECTORS : count_dirty_from(ready(ctx, index, false), (uint32_t)(at % FW_LINE_SECTORS));
    ctx->line_cache.line[index].slot = slot;
    sectors += here;
    if ((at + here) % FW_LINE_SECTORS != 0) break;
  }
  return sectors < most ? sectors : most;
}

static void unclaim(struct fw_context* ctx, uint16_t index, uint32_t slot) {
  if (ctx->line_cache.line[index].slot == slot) ctx->line_cache.line[index].slot = FW_NO_SLOT;
}

void fw_release_writeback(struct fw_context* ctx, uint32_t slot) {
  struct fw_writeback_slot* const writeback = &ctx->destage.writeback[slot];
  writeback->used = false;
  ctx->destage.waiting[writeback->group]--;
  ctx->destage.in_slots--;
  if (writeback->hurried) {
    ctx->destage.hurried_waiting[writeback->group]--;
    ctx->destage.hurried_in_slots--;
  }
  unclaim(ctx, writeback->line, slot);
  const uint64_t end = (writeback->lba + writeback->claimed + FW_LINE_SECTORS - 1) / FW_LINE_SECTORS;
  for (uint64_t number = writeback->lba / FW_LINE_SECTORS; number < end; ++number)
    for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line_cache.line[i].next)
      unclaim(ctx, i, slot);
}

struct pieces {
  uint32_t channel;
  uint32_t address;
  uint32_t sectors;
  uint32_t count;  // pushed
};

static void push_piece(struct fw_context* ctx, struct pieces* pieces) {
  if (pieces->sectors == 0) return;
  fw_channel_piece(ctx, pieces->channel, pieces->address, pieces->sectors);
  pieces->sectors = 0;
  pieces->count++;
}

static void push_blank(struct fw_context* ctx, struct pieces* pieces, uint32_t sectors) {
  push_piece(ctx, pieces);
  fw_channel_blank(ctx, pieces->channel, sectors);
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

// Adds sectors of a line that go to the media; those marked unreadable go as such.
static void add_line(struct fw_context* ctx, struct pieces* pieces, uint16_t index, uint32_t first, uint32_t sectors) {
  const uint32_t address = ctx->buffer.line_address + index * FW_LINE_SECTORS * FW_SECTOR_BYTES;
  const uint32_t bad = ctx->line_cache.line[index].bad;
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

// Takes the run's sectors after the first `sectors`, as they are now: some may be gone or being rewritten, others have
// joined. The job owns them from here on: new data for them get other lines. Returns the run's length, `most` at most.
uint32_t fw_destage_gather(struct fw_context* ctx, uint32_t n, uint32_t sectors, uint32_t most) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct pieces pieces = {arm->channel, 0, 0, 0};
  while (sectors < most && pieces.count + FW_LINE_SECTORS < FW_MAX_PIECES) {
    const uint64_t at = arm->lba + sectors;
    const uint32_t skip = (uint32_t)(at % FW_LINE_SECTORS);
    const uint16_t index = sectors == 0 ? fw_line_to_write(ctx, at) : fw_line_to_join(ctx, at);
    if (index == FW_NO_LINE) break;
    struct fw_line* const line = &ctx->line_cache.line[index];
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

// Gives the channel one physical sector of the job.
void fw_destage_unit(struct fw_context* ctx, uint32_t n, uint64_t unit) {
  struct pieces pieces = {ctx->arm[n].channel, 0, 0, 0};
  const uint16_t index = fw_line_of_job(ctx, unit / FW_LINE_SECTORS);
  if (index == FW_NO_LINE) {
    FW_STOP(ctx);
    return;
  }
  add_line(ctx, &pieces, index, (uint32_t)(unit % FW_LINE_SECTORS), ctx->drive.physical_sectors);
  push_piece(ctx, &pieces);
  fw_channel_mode(ctx, pieces.channel, CHN_MODE_GATHER_MASK);
}

// Withdraws slots whose run begins in the sectors written now: they would find nothing.
void fw_destage_covered(struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot) {
    const struct fw_writeback_slot* const writeback = &ctx->destage.writeback[slot];
    if (!writeback->used || writeback->lba < lba || writeback->lba >= lba + sectors) continue;
    fw_aau_slot_off(ctx, ctx->drive.queue_depth + slot);
    fw_release_writeback(ctx, slot);
  }
}

// First line end after sector `from` where a write that waits for the media completes; `end`: none before.
uint64_t fw_destage_next_completion(const struct fw_context* ctx, uint64_t from, uint64_t end) {
  for (uint32_t tag = 0; ctx->destage.blocked_requests != 0 && tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state != FW_REQUEST_BLOCKED || !request->lines.through) continue;
    const uint64_t over = (fw_end_of(request) + FW_LINE_SECTORS - 1u) / FW_LINE_SECTORS * FW_LINE_SECTORS;
    if (over > from && over < end) end = over;
  }
  return end;
}

// The run's last line is incomplete: it waits for another access if a command completes before it. The host's next data
// may complete it.
static bool may_wait(const struct fw_context* ctx, uint32_t n, uint32_t line) {
  const uint64_t first = ctx->arm[n].lba, begin = first + line * FW_LINE_SECTORS;
  return fw_line_to_write(ctx, begin + FW_LINE_SECTORS) == FW_NO_LINE &&
         fw_destage_next_completion(ctx, first, begin + 1u) <= begin;
}

// The run's lines from the first to the last one with missing blocks, which the job must read. Returns how many.
static uint32_t lacking(const struct fw_context* ctx, uint32_t n, uint16_t lines[FW_MAX_FILL_LINES]) {
  const struct fw_arm* const arm = &ctx->arm[n];
  uint32_t count = 0, last = 0;
  for (uint32_t i = 0; i < FW_MAX_FILL_LINES && (i + 1u) * FW_LINE_SECTORS <= arm->track_rest; ++i) {
    const uint16_t index = fw_line_to_write(ctx, arm->lba + i * FW_LINE_SECTORS);
    if (index == FW_NO_LINE) break;
    const bool lacks = ctx->line_cache.line[index].dirty != 0xFFu && !may_wait(ctx, n, i);
    if (count != 0 || lacks) lines[count++] = index;
    if (lacks) last = count;
  }
  return last;
}

// The run's next access reads missing blocks. Lines of an earlier pass, which the write will take, still count as the
// job's.
bool fw_destage_reads(const struct fw_context* ctx, uint32_t n) {
  uint16_t lines[FW_MAX_FILL_LINES];
  return whole(ctx) && !ctx->arm[n].filled && lacking(ctx, n, lines) != 0;
}

// Reads the missing blocks of the run's physical sectors, in one pass from the first to the last.
bool fw_destage_fill_up(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  uint16_t lines[FW_MAX_FILL_LINES];
  const uint32_t count = lacking(ctx, n, lines);
  if (count == 0) return false;
  struct pieces pieces = {arm->channel, 0, 0, 0};
  const uint32_t first = count_dirty_from(ctx->line_cache.line[lines[0]].dirty, 0);
  uint32_t last = FW_LINE_SECTORS;
  while ((((uint32_t)ctx->line_cache.line[lines[count - 1u]].dirty >> (last - 1u)) & 1u) != 0) last--;
  for (uint32_t i = 0; i < count; ++i) {
    struct fw_line* const line = &ctx->line_cache.line[lines[i]];
    const uint32_t address = ctx->buffer.line_address + lines[i] * FW_LINE_SECTORS * FW_SECTOR_BYTES;
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
  arm->fill_lba = ctx->line_cache.line[lines[0]].number * FW_LINE_SECTORS + first;
  arm->sectors = (count - 1u) * FW_LINE_SECTORS + last - first;
  fw_book_second_turn(ctx, n);
  fw_channel_mode(ctx, arm->channel, CHN_MODE_GATHER_MASK);
  fw_channel_access(ctx, n, arm->fill_lba, arm->sectors, CHN_CTRL_ANONYMOUS_MASK);
  fw_show(ctx, FW_STATE_DESTAGE, 0);
  return true;
}

// Releases the lines of a pass that filled them up: the next access takes them again.
void fw_destage_unmark(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!arm->fill_marked) return;
  arm->fill_marked = false;
  const uint64_t last = (arm->fill_lba + arm->sectors - 1u) / FW_LINE_SECTORS;
  for (uint64_t number = arm->fill_lba / FW_LINE_SECTORS; number <= last; ++number) {
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index != FW_NO_LINE) ctx->line_cache.line[index].destaging = 0;
  }
}

// Number of consecutive sectors from `lba` on that may go to the media now, `most` at most.
uint32_t fw_destage_extent(const struct fw_context* ctx, uint64_t lba, uint32_t most) {
  uint32_t sectors = 0;
  while (sectors < most) {
    const uint64_t at = lba + sectors;
    const uint16_t index = fw_line_to_write(ctx, at);
    if (index == FW_NO_LINE) break;
    const uint32_t skip = (uint32_t)(at % FW_LINE_SECTORS);
    const uint32_t here = whole(ctx) ? FW_LINE_SECTORS : count_dirty_from(ready(ctx, index, false), skip);
    sectors += here;
    if ((at + here) % FW_LINE_SECTORS != 0) break;
  }
  return sectors < most ? sectors : most;
}

bool fw_destage_whole(const struct fw_context* ctx) {
  return whole(ctx);
}

// Some of the line may go to the media, and no slot or arm has it.
bool fw_destage_may_have_slot(const struct fw_context* ctx, uint16_t line) {
  const struct fw_line* const its = &ctx->line_cache.line[line];
  if (its->slot != FW_NO_SLOT || its->dirty == 0) return false;
  const uint64_t lba = its->number * FW_LINE_SECTORS + first_dirty(its->dirty);
  // After the sector where a stream that its arm has left will go on.
  if (lba < ctx->destage.left_end && its->number > ctx->destage.left_lba / FW_LINE_SECTORS) return false;
  // True of most lines of a stream.
  if (fw_destage_awaited(ctx, lba, FW_NO_ARM)) return false;
  return ready(ctx, line, false) != 0;
}

// Blocks of the job's physical sector at `unit` that were written with a mark in place of data: one bit each.
uint8_t fw_destage_marks(const struct fw_context* ctx, uint64_t unit) {
  if (ctx->drive.physical_sectors == 1u) return 0;
  const uint16_t line = fw_line_of_job(ctx, unit / FW_LINE_SECTORS);
  return line == FW_NO_LINE ? 0u : ctx->line_cache.line[line].bad;
}

// Releases the job's lines in [lba, end).
void fw_destage_free_lines(struct fw_context* ctx, uint64_t lba, uint64_t end) {
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= (end - 1u) / FW_LINE_SECTORS; ++number) {
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index != FW_NO_LINE) ctx->line_cache.line[index].destaging = 0;
  }
}
