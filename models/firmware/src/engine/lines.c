// Written data in the buffer: lines of eight sectors, in a hash table by number.
//
// A line is free, or holds dirty sectors, or receives some, or both. While its sectors are on their way to the media it
// is not overwritten: new data for the same sectors get their own line, before the older one in the bucket. Lines serve
// a read only if they hold all of it; if they hold a part not yet on the media, the read waits until that is written.
#include "engine/engine.h"

uint32_t fw_line_address(const struct fw_context* ctx, uint16_t line) {
  return ctx->buffer.line_address + line * FW_LINE_SECTORS * FW_SECTOR_BYTES;
}

// The line that has been free longest is taken first, so sequential data are sequential in RAM.
static void free_line(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  line->state = FW_LINE_FREE;
  line->older = ctx->line_cache.youngest_free;
  line->younger = FW_NO_LINE;
  if (ctx->line_cache.youngest_free != FW_NO_LINE)
    ctx->line_cache.line[ctx->line_cache.youngest_free].younger = index;
  else
    ctx->line_cache.oldest_free = index;
  ctx->line_cache.youngest_free = index;
  ctx->line_cache.free_lines++;
}

static void not_free(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  line->state = FW_LINE_USED;
  if (line->older != FW_NO_LINE)
    ctx->line_cache.line[line->older].younger = line->younger;
  else
    ctx->line_cache.oldest_free = line->younger;
  if (line->younger != FW_NO_LINE)
    ctx->line_cache.line[line->younger].older = line->older;
  else
    ctx->line_cache.youngest_free = line->older;
  ctx->line_cache.free_lines--;
}

// Sectors of `number` that lines hold dirty or are about to receive.
static uint8_t held_sectors(const struct fw_context* ctx, uint64_t number) {
  uint8_t held = 0;
  for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line_cache.line[i].next)
    if (ctx->line_cache.line[i].number == number)
      held |= ctx->line_cache.line[i].dirty | ctx->line_cache.line[i].coming;
  return held != 0 && ctx->drive.physical_sectors == FW_LINE_SECTORS ? 0xFFu : held;
}

// Lines hold the sector before `lba`, or are about to.
bool fw_lines_end_at(const struct fw_context* ctx, uint64_t lba) {
  if (ctx->line_cache.used_lines == 0 || lba == 0) return false;
  const uint32_t held = held_sectors(ctx, (lba - 1u) / FW_LINE_SECTORS);
  return (held >> ((lba - 1u) % FW_LINE_SECTORS) & 1u) != 0;
}

// Runs of such sectors that begin in the lines `number` and `number` + 1.
static uint32_t runs_at(const struct fw_context* ctx, uint64_t number) {
  const uint32_t before = number == 0 ? 0u : held_sectors(ctx, number - 1u) >> 7;
  const uint32_t held = held_sectors(ctx, number) | (uint32_t)held_sectors(ctx, number + 1u) << 8;
  uint32_t begins = held & ~(held << 1 | before), runs = 0;
  for (; begins != 0; begins &= begins - 1u) runs++;
  return runs;
}

// Call these around each change of a line's sectors; they do nothing unless runs are counted.
static void change_begins(struct fw_context* ctx, uint64_t number) {
  if (ctx->rules.write_extents != 0) ctx->line_cache.extents -= runs_at(ctx, number);
}
static void change_ends(struct fw_context* ctx, uint64_t number) {
  if (ctx->rules.write_extents != 0) ctx->line_cache.extents += runs_at(ctx, number);
}

void fw_lines_reset(struct fw_context* ctx) {
  for (uint32_t i = 0; i < FW_LINE_BUCKETS; ++i) ctx->line_cache.bucket[i] = FW_NO_LINE;
  ctx->line_cache.oldest_free = FW_NO_LINE;
  ctx->line_cache.youngest_free = FW_NO_LINE;
  ctx->line_cache.free_lines = 0;
  for (uint32_t i = 0; i < ctx->buffer.lines; ++i) {
    ctx->line_cache.line[i].slot = FW_NO_SLOT;
    free_line(ctx, (uint16_t)i);
  }
  ctx->line_cache.used_lines = 0;
  ctx->line_cache.oldest_dirty = FW_NO_LINE;
  ctx->line_cache.youngest_dirty = FW_NO_LINE;
  ctx->line_cache.queue_count = 0;
  ctx->line_cache.next_tag = FW_NO_TAG;
  ctx->link.first_short = FW_NO_TAG;
  fw_kept_reset(ctx);
}

static void unlist(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  if (!line->listed) return;
  line->listed = false;
  line->awaited = false;
  if (line->older != FW_NO_LINE)
    ctx->line_cache.line[line->older].younger = line->younger;
  else
    ctx->line_cache.oldest_dirty = line->younger;
  if (line->younger != FW_NO_LINE)
    ctx->line_cache.line[line->younger].older = line->older;
  else
    ctx->line_cache.youngest_dirty = line->older;
}

static void list_youngest(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  line->listed = true;
  line->older = ctx->line_cache.youngest_dirty;
  line->younger = FW_NO_LINE;
  if (ctx->line_cache.youngest_dirty != FW_NO_LINE)
    ctx->line_cache.line[ctx->line_cache.youngest_dirty].younger = index;
  else
    ctx->line_cache.oldest_dirty = index;
  ctx->line_cache.youngest_dirty = index;
}

static void list_oldest(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  line->listed = true;
  line->younger = ctx->line_cache.oldest_dirty;
  line->older = FW_NO_LINE;
  if (ctx->line_cache.oldest_dirty != FW_NO_LINE)
    ctx->line_cache.line[ctx->line_cache.oldest_dirty].older = index;
  else
    ctx->line_cache.youngest_dirty = index;
  ctx->line_cache.oldest_dirty = index;
}

// Removes the line from its bucket, so that it can no longer be found.
static void out_of_bucket(struct fw_context* ctx, uint16_t index) {
  uint16_t* link = &ctx->line_cache.bucket[fw_line_bucket(ctx->line_cache.line[index].number)];
  while (*link != index) link = &ctx->line_cache.line[*link].next;
  *link = ctx->line_cache.line[index].next;
}

void fw_line_free_if_idle(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  if (line->dirty != 0 || line->receiving != 0 || line->pins != 0) return;
  unlist(ctx, index);
  out_of_bucket(ctx, index);
  line->slot = FW_NO_SLOT;
  free_line(ctx, index);
  ctx->line_cache.used_lines--;
  fw_kept_add(ctx, index);
}

// Makes a free line the newest one of that number.
void fw_line_use(struct fw_context* ctx, uint16_t index, uint64_t number) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  fw_kept_remove(ctx, index);
  not_free(ctx, index);
  ctx->line_cache.used_lines++;
  line->number = number;
  line->taken = ctx->line_cache.taken;
  line->receiving = 0;
  line->pins = 0;
  line->dirty = 0;
  line->coming = 0;
  line->destaging = 0;
  line->bad = 0;
  line->superseded = false;
  line->slot = FW_NO_SLOT;
  line->listed = false;
  line->awaited = false;
  uint16_t* const bucket = &ctx->line_cache.bucket[fw_line_bucket(number)];
  line->next = *bucket;
  *bucket = index;
}

uint16_t fw_line_take(struct fw_context* ctx, uint64_t number) {
  ctx->line_cache.taken++;
  const uint16_t kept = fw_kept_find(ctx, number);
  if (kept != FW_NO_LINE) {
    fw_line_use(ctx, kept, number);
    return kept;
  }
  // Prefer the RAM after the line of the preceding sectors, so that one transfer moves both.
  const uint16_t before = number == 0 ? FW_NO_LINE : fw_line_find(ctx, number - 1u);
  const bool behind = before != FW_NO_LINE && before + 1u < ctx->buffer.lines &&
                      ctx->line_cache.line[before + 1u].state != FW_LINE_USED;
  const uint16_t index = behind ? (uint16_t)(before + 1u) : ctx->line_cache.oldest_free;
  fw_line_use(ctx, index, number);
  ctx->line_cache.line[index].clean = 0;
  for (uint16_t i = ctx->line_cache.line[index].next; i != FW_NO_LINE; i = ctx->line_cache.line[i].next) {
    if (ctx->line_cache.line[i].number != number) continue;
    ctx->line_cache.line[i].superseded = true;
    ctx->line_cache.line[i].clean = 0;
  }
  return index;
}

// Sectors of `number` that lines other than `newest` hold: on their way to the media.
static uint8_t older_sectors(const struct fw_context* ctx, uint64_t number, uint16_t newest) {
  uint8_t held = 0;
  for (uint16_t i = newest == FW_NO_LINE ? FW_NO_LINE : ctx->line_cache.line[newest].next; i != FW_NO_LINE;
       i = ctx->line_cache.line[i].next)
    if (ctx->line_cache.line[i].number == number) held |= ctx->line_cache.line[i].dirty;
  return held;
}

// Some of the sectors wait for the media in lines.
bool fw_lines_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->line_cache.used_lines == 0) return false;
  const uint64_t last = (lba + sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= last; ++number) {
    const uint16_t index = fw_line_find(ctx, number);
    if (index == FW_NO_LINE) continue;
    const uint8_t here = ctx->line_cache.line[index].dirty | older_sectors(ctx, number, index);
    if ((here & fw_line_sectors_in(number, lba, sectors)) != 0) return true;
  }
  return false;
}

// All of the sectors can be read from lines.
bool fw_lines_hold(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->line_cache.used_lines + ctx->line_cache.kept_lines == 0) return false;
  const uint64_t last = (lba + sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= last; ++number) {
    uint16_t index = fw_line_find(ctx, number);
    if (index == FW_NO_LINE) index = fw_kept_find(ctx, number);
    if (index == FW_NO_LINE) return false;
    const struct fw_line* const line = &ctx->line_cache.line[index];
    const uint32_t here = (uint32_t)(line->dirty | line->clean) & ~(uint32_t)line->bad;
    if ((fw_line_sectors_in(number, lba, sectors) & ~here) != 0) return false;
  }
  return true;
}

// Written data that block a request go to the media first, from the lowest sector on, and no longer yield. Without the
// write cache, no data that commands wait for yield.
void fw_lines_hurry(struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  const uint64_t first = lba / FW_LINE_SECTORS;
  for (uint64_t number = (lba + sectors - 1) / FW_LINE_SECTORS + 1u; number-- > first;) {
    for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line_cache.line[i].next) {
      const struct fw_line* const line = &ctx->line_cache.line[i];
      if (line->number != number || !line->listed || line->awaited) continue;
      unlist(ctx, i);
      list_oldest(ctx, i);
      ctx->line_cache.line[i].awaited = ctx->host.write_cache;
    }
  }
}

// The oldest line that a command waits for, or FW_NO_LINE. Other such lines follow it.
uint16_t fw_line_awaited(const struct fw_context* ctx) {
  const uint16_t oldest = ctx->line_cache.oldest_dirty;
  return oldest != FW_NO_LINE && ctx->line_cache.line[oldest].awaited ? oldest : FW_NO_LINE;
}

// A command waits for a line of those sectors.
bool fw_lines_awaited(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  for (uint16_t i = fw_line_awaited(ctx); i != FW_NO_LINE && ctx->line_cache.line[i].awaited;
       i = ctx->line_cache.line[i].younger) {
    const uint64_t begin = ctx->line_cache.line[i].number * FW_LINE_SECTORS;
    if (begin < lba + sectors && lba < begin + FW_LINE_SECTORS) return true;
  }
  return false;
}

// The waiting commands have been dropped.
void fw_lines_not_awaited(struct fw_context* ctx) {
  for (uint16_t i = fw_line_awaited(ctx); i != FW_NO_LINE && ctx->line_cache.line[i].awaited;
       i = ctx->line_cache.line[i].younger)
    ctx->line_cache.line[i].awaited = false;
}

bool fw_lines_suit(const struct fw_context* ctx, uint32_t sectors) {
  return sectors / FW_LINE_SECTORS + 2u <= ctx->rules.write_bypass_lines && sectors <= ctx->rules.write_bypass_sectors;
}

// No write waits for lines, and enough are free; for a write longer than all lines, all of them. If runs are counted,
// writes wait for a free run instead.
bool fw_lines_room_for(const struct fw_context* ctx, uint32_t sectors) {
  if (ctx->rules.write_extents != 0) return true;
  return ctx->line_cache.queue_count == 0 &&
         (ctx->line_cache.used_lines == 0 || sectors / FW_LINE_SECTORS + 2u <= ctx->line_cache.free_lines);
}

// `sectors` of the line are on the media.
void fw_line_clean(struct fw_context* ctx, uint16_t index, uint8_t sectors) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  if (ctx->rules.keep_written && ctx->host.look_ahead && ctx->buffer.line_share && !line->superseded)
    line->clean |= sectors & (uint8_t)~line->bad;
  line->clean &= (uint8_t)~line->bad;
  fw_line_drop(ctx, index, sectors);
}

// The sectors need not be written to the media any more.
void fw_line_drop(struct fw_context* ctx, uint16_t index, uint8_t sectors) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  const uint64_t number = line->number;
  change_begins(ctx, number);
  line->dirty &= (uint8_t)~sectors;
  change_ends(ctx, number);
  line->bad &= (uint8_t)~sectors;
  line->destaging = 0;
  line->slot = FW_NO_SLOT;
  if (line->dirty == 0) unlist(ctx, index);
  fw_line_free_if_idle(ctx, index);
}

// The request's piece adds no run, or one more run is allowed.
bool fw_lines_extent_fits(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->rules.write_extents == 0 || ctx->line_cache.extents < ctx->rules.write_extents) return true;
  const uint64_t first = lba == 0 ? 0 : lba - 1u;
  const uint64_t end = lba + sectors + 1u;
  for (uint64_t number = first / FW_LINE_SECTORS; number <= (end - 1u) / FW_LINE_SECTORS; ++number)
    if ((held_sectors(ctx, number) & fw_line_sectors_in(number, first, end - first)) != 0) return true;
  return false;
}

// One more transfer will bring these sectors into the line.
void fw_line_expect(struct fw_context* ctx, uint16_t index, uint8_t coming) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  line->receiving++;
  line->clean &= (uint8_t)~coming;
  change_begins(ctx, line->number);
  line->coming |= coming;
  change_ends(ctx, line->number);
}

// One of its transfers has brought these sectors.
void fw_line_receive(struct fw_context* ctx, uint16_t index, uint8_t received) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  line->receiving--;
  line->dirty |= received;                               // in `coming` or not, runs count them either way
  if (ctx->drive.physical_sectors == FW_LINE_SECTORS) {  // clean sectors need no fill-up read
    line->dirty |= line->clean;
    line->clean = 0;
  }
  if (line->receiving == 0) {
    change_begins(ctx, line->number);
    line->coming = 0;
    change_ends(ctx, line->number);
  }
  line->bad &= (uint8_t)~received;
  if (!line->listed) list_youngest(ctx, index);
}

// No transfer is under way any more. Complete data stay.
void fw_lines_drop_transfers(struct fw_context* ctx) {
  if (ctx->line_cache.used_lines == 0) return;
  for (uint32_t i = 0; i < FW_LINE_BUCKETS; ++i) {
    uint16_t index = ctx->line_cache.bucket[i];
    while (index != FW_NO_LINE) {
      const uint16_t next = ctx->line_cache.line[index].next;
      change_begins(ctx, ctx->line_cache.line[index].number);
      ctx->line_cache.line[index].receiving = 0;
      ctx->line_cache.line[index].coming = 0;
      change_ends(ctx, ctx->line_cache.line[index].number);
      ctx->line_cache.line[index].pins = 0;
      fw_line_free_if_idle(ctx, index);
      index = next;
    }
  }
}
