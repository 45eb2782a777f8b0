// Written data in the buffer: lines of eight sectors, found by their number through buckets.
//
// A line is free, or holds dirty sectors, or receives some, or both. While its sectors are on their way to the media it
// is not written into: new data for the same place get a line of their own, before the older one in the bucket. A read
// is served from lines only if they hold all of it; if they hold a part that is not on the media, it waits until it is.
#include "firmware.h"

uint32_t fw_line_bucket(uint64_t number) {
  const uint64_t mixed = number * 0x9E3779B97F4A7C15u;
  return (uint32_t)(mixed >> 32) & (FW_LINE_BUCKETS - 1u);
}

// Bits of the sectors of line `number` in [lba, lba + sectors).
uint8_t fw_line_sectors_in(uint64_t number, uint64_t lba, uint64_t sectors) {
  const uint64_t begin = number * FW_LINE_SECTORS;
  const uint64_t first = lba > begin ? lba - begin : 0;
  const uint64_t end = lba + sectors < begin + FW_LINE_SECTORS ? lba + sectors - begin : FW_LINE_SECTORS;
  return (uint8_t)((0xFFu << first) & (0xFFu >> (FW_LINE_SECTORS - end)));
}

static uint32_t address_of(const struct fw_context* ctx, uint16_t line) {
  return ctx->line_address + line * FW_LINE_SECTORS * FW_SECTOR_BYTES;
}

// The line that has been free for longest is taken first, so what is written in order lies in order in the RAM.
static void free_line(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line[index];
  line->free = true;
  line->older = ctx->youngest_free;
  line->younger = FW_NO_LINE;
  if (ctx->youngest_free != FW_NO_LINE)
    ctx->line[ctx->youngest_free].younger = index;
  else
    ctx->oldest_free = index;
  ctx->youngest_free = index;
  ctx->free_lines++;
}

static void not_free(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line[index];
  line->free = false;
  if (line->older != FW_NO_LINE)
    ctx->line[line->older].younger = line->younger;
  else
    ctx->oldest_free = line->younger;
  if (line->younger != FW_NO_LINE)
    ctx->line[line->younger].older = line->older;
  else
    ctx->youngest_free = line->older;
  ctx->free_lines--;
}

// Sectors of `number` that are written or about to be.
static uint8_t held_sectors(const struct fw_context* ctx, uint64_t number) {
  uint8_t held = 0;
  for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line[i].next)
    if (ctx->line[i].number == number) held |= ctx->line[i].dirty | ctx->line[i].coming;
  return held != 0 && ctx->physical_sectors == FW_LINE_SECTORS ? 0xFFu : held;
}

// Lines hold the sector before `lba`, or are about to.
bool fw_lines_end_at(const struct fw_context* ctx, uint64_t lba) {
  if (ctx->used_lines == 0 || lba == 0) return false;
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

// Around each change of what a line holds or receives, if runs are counted.
static void change_begins(struct fw_context* ctx, uint64_t number) {
  if (ctx->write_extents != 0) ctx->extents -= runs_at(ctx, number);
}
static void change_ends(struct fw_context* ctx, uint64_t number) {
  if (ctx->write_extents != 0) ctx->extents += runs_at(ctx, number);
}

// The request's piece is no further run, or there may be another one.
static bool extent_fits(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->write_extents == 0 || ctx->extents < ctx->write_extents) return true;
  const uint64_t first = lba == 0 ? 0 : lba - 1u;
  const uint64_t end = lba + sectors + 1u;
  for (uint64_t number = first / FW_LINE_SECTORS; number <= (end - 1u) / FW_LINE_SECTORS; ++number)
    if ((held_sectors(ctx, number) & fw_line_sectors_in(number, first, end - first)) != 0) return true;
  return false;
}

void fw_lines_reset(struct fw_context* ctx) {
  for (uint32_t i = 0; i < FW_LINE_BUCKETS; ++i) ctx->bucket[i] = FW_NO_LINE;
  ctx->oldest_free = FW_NO_LINE;
  ctx->youngest_free = FW_NO_LINE;
  ctx->free_lines = 0;
  for (uint32_t i = 0; i < ctx->lines; ++i) {
    ctx->line[i].slot = FW_NO_SLOT;
    free_line(ctx, (uint16_t)i);
  }
  ctx->used_lines = 0;
  ctx->oldest_dirty = FW_NO_LINE;
  ctx->youngest_dirty = FW_NO_LINE;
  ctx->line_queue_count = 0;
  ctx->line_tag = FW_NO_TAG;
  ctx->first_short = FW_NO_TAG;
  fw_kept_reset(ctx);
}

uint16_t fw_line_find(const struct fw_context* ctx, uint64_t number) {
  uint16_t line = ctx->bucket[fw_line_bucket(number)];
  while (line != FW_NO_LINE && ctx->line[line].number != number) line = ctx->line[line].next;
  return line;
}

bool fw_lines_any(const struct fw_context* ctx, uint64_t number) {
  return fw_line_find(ctx, number) != FW_NO_LINE;
}

static void unlist(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line[index];
  if (!line->listed) return;
  line->listed = false;
  if (line->older != FW_NO_LINE)
    ctx->line[line->older].younger = line->younger;
  else
    ctx->oldest_dirty = line->younger;
  if (line->younger != FW_NO_LINE)
    ctx->line[line->younger].older = line->older;
  else
    ctx->youngest_dirty = line->older;
}

static void list_youngest(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line[index];
  line->listed = true;
  line->older = ctx->youngest_dirty;
  line->younger = FW_NO_LINE;
  if (ctx->youngest_dirty != FW_NO_LINE)
    ctx->line[ctx->youngest_dirty].younger = index;
  else
    ctx->oldest_dirty = index;
  ctx->youngest_dirty = index;
}

static void list_oldest(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line[index];
  line->listed = true;
  line->younger = ctx->oldest_dirty;
  line->older = FW_NO_LINE;
  if (ctx->oldest_dirty != FW_NO_LINE)
    ctx->line[ctx->oldest_dirty].older = index;
  else
    ctx->youngest_dirty = index;
  ctx->oldest_dirty = index;
}

// The line is in no bucket any more: nobody finds it.
static void out_of_bucket(struct fw_context* ctx, uint16_t index) {
  uint16_t* link = &ctx->bucket[fw_line_bucket(ctx->line[index].number)];
  while (*link != index) link = &ctx->line[*link].next;
  *link = ctx->line[index].next;
}

static void free_if_idle(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line[index];
  if (line->dirty != 0 || line->receiving != 0 || line->pins != 0) return;
  unlist(ctx, index);
  out_of_bucket(ctx, index);
  line->slot = FW_NO_SLOT;
  free_line(ctx, index);
  ctx->used_lines--;
  fw_kept_add(ctx, index);
}

// A free line is the newest of that number from now on.
static void use_line(struct fw_context* ctx, uint16_t index, uint64_t number) {
  struct fw_line* const line = &ctx->line[index];
  fw_kept_remove(ctx, index);
  not_free(ctx, index);
  ctx->used_lines++;
  line->number = number;
  line->taken = ctx->lines_taken;
  line->receiving = 0;
  line->pins = 0;
  line->dirty = 0;
  line->coming = 0;
  line->destaging = 0;
  line->bad = 0;
  line->superseded = false;
  line->slot = FW_NO_SLOT;
  line->listed = false;
  uint16_t* const bucket = &ctx->bucket[fw_line_bucket(number)];
  line->next = *bucket;
  *bucket = index;
}

static uint16_t take_line(struct fw_context* ctx, uint64_t number) {
  ctx->lines_taken++;
  const uint16_t kept = fw_kept_find(ctx, number);
  if (kept != FW_NO_LINE) {
    use_line(ctx, kept, number);
    return kept;
  }
  // Behind the line of the sectors before, if it is free: so they move at once, to and from the media and the host.
  const uint16_t before = number == 0 ? FW_NO_LINE : fw_line_find(ctx, number - 1u);
  const bool behind = before != FW_NO_LINE && before + 1u < ctx->lines && ctx->line[before + 1u].free;
  const uint16_t index = behind ? (uint16_t)(before + 1u) : ctx->oldest_free;
  use_line(ctx, index, number);
  ctx->line[index].clean = 0;
  for (uint16_t i = ctx->line[index].next; i != FW_NO_LINE; i = ctx->line[i].next) {
    if (ctx->line[i].number != number) continue;
    ctx->line[i].superseded = true;
    ctx->line[i].clean = 0;
  }
  return index;
}

// Sectors of `number` that any line but `newest` holds: on their way to the media.
static uint8_t older_sectors(const struct fw_context* ctx, uint64_t number, uint16_t newest) {
  uint8_t held = 0;
  for (uint16_t i = newest == FW_NO_LINE ? FW_NO_LINE : ctx->line[newest].next; i != FW_NO_LINE; i = ctx->line[i].next)
    if (ctx->line[i].number == number) held |= ctx->line[i].dirty;
  return held;
}

// Some of the sectors wait for the media in lines.
bool fw_lines_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->used_lines == 0) return false;
  const uint64_t last = (lba + sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= last; ++number) {
    const uint16_t index = fw_line_find(ctx, number);
    if (index == FW_NO_LINE) continue;
    const uint8_t here = ctx->line[index].dirty | older_sectors(ctx, number, index);
    if ((here & fw_line_sectors_in(number, lba, sectors)) != 0) return true;
  }
  return false;
}

// All of the sectors can be read from lines.
bool fw_lines_hold(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->used_lines + ctx->kept_lines == 0) return false;
  const uint64_t last = (lba + sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= last; ++number) {
    uint16_t index = fw_line_find(ctx, number);
    if (index == FW_NO_LINE) index = fw_kept_find(ctx, number);
    if (index == FW_NO_LINE) return false;
    const struct fw_line* const line = &ctx->line[index];
    const uint32_t here = (uint32_t)(line->dirty | line->clean) & ~(uint32_t)line->bad;
    if ((fw_line_sectors_in(number, lba, sectors) & ~here) != 0) return false;
  }
  return true;
}

// What is in the way of a request goes to the media first, from its beginning on.
void fw_lines_hurry(struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  const uint64_t first = lba / FW_LINE_SECTORS;
  for (uint64_t number = (lba + sectors - 1) / FW_LINE_SECTORS + 1u; number-- > first;) {
    for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line[i].next) {
      if (ctx->line[i].number != number || !ctx->line[i].listed) continue;
      unlist(ctx, i);
      list_oldest(ctx, i);
    }
  }
}

bool fw_lines_suit(const struct fw_context* ctx, uint32_t sectors) {
  return sectors / FW_LINE_SECTORS + 2u <= ctx->write_bypass_lines && sectors <= ctx->write_bypass_sectors;
}

static uint64_t piece_lba(const struct fw_request* request) {
  return request->lba + request->piece_offset;
}

// The request's data for a line's number need a line of their own: there is none, or such sectors of it are on their
// way to the media. A physical sector goes there whole.
static bool needs_line(const struct fw_context* ctx, const struct fw_request* request, uint64_t number,
                       uint16_t index) {
  if (index == FW_NO_LINE) return true;
  const uint32_t destaging = ctx->line[index].destaging;
  if (ctx->physical_sectors == FW_LINE_SECTORS) return destaging != 0;
  return (destaging & fw_line_sectors_in(number, piece_lba(request), request->piece_sectors)) != 0;
}

static uint32_t lines_to_take(const struct fw_context* ctx, const struct fw_request* request) {
  uint32_t count = 0;
  const uint64_t last = (piece_lba(request) + request->piece_sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = piece_lba(request) / FW_LINE_SECTORS; number <= last; ++number)
    if (needs_line(ctx, request, number, fw_line_find(ctx, number))) count++;
  return count;
}

// The newest line of a number that had been taken at `taken`: for a read that is sent later, the one that it has
// pinned.
static uint16_t line_as_of(const struct fw_context* ctx, uint64_t number, uint32_t taken) {
  uint16_t index = fw_line_find(ctx, number);
  while (index != FW_NO_LINE && (ctx->line[index].number != number || (int32_t)(ctx->line[index].taken - taken) > 0))
    index = ctx->line[index].next;
  return index;
}

// Sectors of a transfer from the host, at most: what has come goes on to the media while the rest comes.
static uint32_t portion(const struct fw_context* ctx) {
  const uint32_t lines = ctx->lines / 16u;
  return (lines == 0 ? 1u : lines > FW_FLOW_LINES ? FW_FLOW_LINES : lines) * FW_LINE_SECTORS;
}

// Orders the transfer of sectors `offset` to `last` of the request, lines that lie side by side in the buffer at once
// as far as data flow, in `most` transfers at most. Returns the first sector whose transfer is not ordered.
static uint32_t order_pieces(struct fw_context* ctx, uint32_t tag, uint32_t offset, uint32_t last, uint32_t most,
                             uint32_t direction) {
  const struct fw_request* const request = &ctx->requests[tag];
  const uint64_t first = request->lba + offset;
  const uint64_t end = request->lba + last;
  const uint32_t longest = direction == 0 ? portion(ctx) : UINT32_MAX;
  uint32_t address = 0, sectors = 0;
  for (uint64_t number = first / FW_LINE_SECTORS; number <= (end - 1) / FW_LINE_SECTORS; ++number) {
    const uint64_t begin = number * FW_LINE_SECTORS;
    const uint32_t skip = first > begin ? (uint32_t)(first - begin) : 0;
    const uint32_t here = (uint32_t)(end < begin + FW_LINE_SECTORS ? end - begin : FW_LINE_SECTORS) - skip;
    const uint16_t index = line_as_of(ctx, number, request->lines_taken);
    if (index == FW_NO_LINE) {
      FW_STOP(ctx);
      return last;
    }
    const uint32_t at = address_of(ctx, index) + skip * FW_SECTOR_BYTES;
    if (sectors != 0 && address + sectors * FW_SECTOR_BYTES == at && sectors < longest) {
      sectors += here;
      continue;
    }
    if (sectors != 0) {
      fw_order_transfer(ctx, tag, address, offset, sectors, direction);
      offset += sectors;
      if (--most == 0) return offset;
    }
    address = at;
    sectors = here;
  }
  fw_order_transfer(ctx, tag, address, offset, sectors, direction);
  return last;
}

// The transfers that a write's piece of so many lines may need.
static uint32_t transfers_of(uint32_t sectors) {
  return sectors / FW_LINE_SECTORS + 2u;
}

static bool fits(struct fw_context* ctx, const struct fw_request* request) {
  ctx->lines_short = false;
  if (lines_to_take(ctx, request) > ctx->free_lines) return false;
  if (!extent_fits(ctx, piece_lba(request), request->piece_sectors)) return false;
  const bool fit = fw_transfers_fit(ctx, transfers_of(request->piece_sectors));
  ctx->lines_short = !fit;
  return fit;
}

static void receive(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  const uint64_t last = (piece_lba(request) + request->piece_sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = piece_lba(request) / FW_LINE_SECTORS; number <= last; ++number) {
    uint16_t index = fw_line_find(ctx, number);
    if (needs_line(ctx, request, number, index)) index = take_line(ctx, number);
    const uint8_t coming = fw_line_sectors_in(number, piece_lba(request), request->piece_sectors);
    ctx->line[index].receiving++;
    ctx->line[index].clean &= (uint8_t)~coming;
    change_begins(ctx, number);
    ctx->line[index].coming |= coming;
    change_ends(ctx, number);
  }
  const uint32_t end = request->piece_offset + request->piece_sectors;
  ctx->line_tag = end == request->sectors ? FW_NO_TAG : (uint16_t)tag;
  request->lines_taken = ctx->lines_taken;
  order_pieces(ctx, tag, request->piece_offset, end, FW_MAX_TRANSFERS, 0);
}

// Writes are received one after the other: one that has begun comes to its end before the next begins, so that their
// data lie in the lines as they lie on the disk.
static bool is_next(const struct fw_context* ctx, uint32_t tag) {
  return ctx->line_tag == FW_NO_TAG || ctx->line_tag == tag;
}

// The request's next piece: all of it, unless it is long.
static void receive_or_wait(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  const uint32_t lines = ctx->lines / 4u > 256u ? 256u : ctx->lines / 4u;
  const uint32_t most =
      (transfers_of(lines * FW_LINE_SECTORS) > ctx->transfer_limit ? ctx->transfer_limit - 2u : lines) *
      FW_LINE_SECTORS;
  const uint32_t rest = request->sectors - request->piece_offset;
  request->piece_sectors = rest < most ? rest : most;
  const bool first = ctx->line_tag == FW_NO_TAG ? ctx->line_queue_count == 0 : ctx->line_tag == tag;
  if (first && fits(ctx, request)) {
    receive(ctx, tag);
    return;
  }
  if (first) ctx->line_queue_first = (ctx->line_queue_first + FW_MAX_TAGS - 1u) % FW_MAX_TAGS;
  const uint32_t place = first ? 0u : ctx->line_queue_count;
  ctx->line_queue[(ctx->line_queue_first + place) % FW_MAX_TAGS] = (uint16_t)tag;
  ctx->line_queue_count++;
  fw_account(ctx, tag, FW_WAIT_DESTAGE);
  fw_show(ctx, FW_STATE_WAIT_LINES, tag);
  fw_destage_flow(ctx);
  fw_destage_update(ctx);
}

// `through`: the request completes when its data are on the media.
void fw_lines_write(struct fw_context* ctx, uint32_t tag, bool through) {
  struct fw_request* const request = &ctx->requests[tag];
  request->in_lines = true;
  request->through = through;
  request->piece_offset = 0;
  if (ctx->write_stops_ahead) fw_stream_end_ahead(ctx);
  receive_or_wait(ctx, tag);
}

void fw_serve_line_queue(struct fw_context* ctx) {
  while (ctx->line_queue_count != 0) {
    const uint32_t tag = ctx->line_queue[ctx->line_queue_first];
    if (!is_next(ctx, tag) || !fits(ctx, &ctx->requests[tag])) return;
    ctx->line_queue_first = (ctx->line_queue_first + 1u) % FW_MAX_TAGS;
    ctx->line_queue_count--;
    fw_account(ctx, tag, FW_WAIT_OVER);
    receive(ctx, tag);
  }
}

// Sectors [lba, lba + sectors) of a write have come, in whole lines but for its first and its last one.
static bool mark_received(struct fw_context* ctx, const struct fw_request* request, uint64_t lba, uint32_t sectors) {
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= (lba + sectors - 1u) / FW_LINE_SECTORS; ++number) {
    const uint16_t index = line_as_of(ctx, number, request->lines_taken);
    if (index == FW_NO_LINE || ctx->line[index].receiving == 0) {
      FW_STOP(ctx);
      return false;
    }
    struct fw_line* const line = &ctx->line[index];
    line->receiving--;
    const uint8_t received = fw_line_sectors_in(number, lba, sectors);
    line->dirty |= received;                         // no longer coming, or once more: it is counted all the same
    if (ctx->physical_sectors == FW_LINE_SECTORS) {  // so much of it need not be read
      line->dirty |= line->clean;
      line->clean = 0;
    }
    if (line->receiving == 0) {
      change_begins(ctx, number);
      line->coming = 0;
      change_ends(ctx, number);
    }
    line->bad &= (uint8_t)~received;
    if (!line->listed) list_youngest(ctx, index);
  }
  return true;
}

// A transfer of a write is over: its sectors may go to the media.
void fw_lines_received(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  if (!mark_received(ctx, request, request->lba + request->link_done, sectors)) return;
  request->link_done += sectors;
  if (request->link_done != request->piece_offset + request->piece_sectors) {
    fw_destage_flow(ctx);
    fw_destage_update(ctx);
    return;
  }
  request->piece_offset += request->piece_sectors;
  if (request->piece_offset != request->sectors) {
    receive_or_wait(ctx, tag);
  } else if (request->through) {
    request->blocked = true;
    ctx->blocked_requests++;
    fw_account(ctx, tag, FW_WAIT_DESTAGE);
    fw_show(ctx, FW_STATE_WAIT_DESTAGE, tag);
    if (ctx->write_cache) fw_lines_hurry(ctx, request->lba, request->sectors);  // before what nobody waits for
  } else {
    fw_hits_cover(ctx, request->lba, request->sectors);  // read ahead since the write was decoded
    fw_complete(ctx, tag);
  }
  fw_destage_flow(ctx);
  fw_destage_update(ctx);
  fw_serve_line_queue(ctx);
}

void fw_lines_read(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->in_lines = true;
  request->queued_out = 0;
  request->lines_taken = ctx->lines_taken;
  const uint64_t last = (request->lba + request->sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = request->lba / FW_LINE_SECTORS; number <= last; ++number) {
    uint16_t index = fw_line_find(ctx, number);
    if (index == FW_NO_LINE) {
      index = fw_kept_find(ctx, number);
      use_line(ctx, index, number);
    }
    ctx->line[index].pins++;
  }
  request->next_in_segment = FW_NO_TAG;
  if (ctx->first_short == FW_NO_TAG)
    ctx->first_short = (uint16_t)tag;
  else
    ctx->requests[ctx->last_short].next_in_segment = (uint16_t)tag;
  ctx->last_short = (uint16_t)tag;
  fw_lines_send(ctx);
  fw_show(ctx, FW_STATE_HIT, tag);
}

// Orders transfers of reads from lines, the oldest read first, as long as the host interface takes some.
void fw_lines_send(struct fw_context* ctx) {
  while (ctx->first_short != FW_NO_TAG && fw_transfers_fit(ctx, 1)) {
    const uint32_t tag = ctx->first_short;
    struct fw_request* const request = &ctx->requests[tag];
    request->queued_out = order_pieces(ctx, tag, request->queued_out, request->sectors,
                                       ctx->transfer_limit - ctx->transfers, HIF_DMA_GO_TO_HOST_MASK);
    if (request->queued_out == request->sectors) ctx->first_short = request->next_in_segment;
  }
}

void fw_lines_sent(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  request->link_done += sectors;
  if (request->link_done != request->sectors) return;
  const uint64_t last = (request->lba + request->sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = request->lba / FW_LINE_SECTORS; number <= last; ++number) {
    const uint16_t index = line_as_of(ctx, number, request->lines_taken);
    if (index == FW_NO_LINE || ctx->line[index].pins == 0) {
      FW_STOP(ctx);
      return;
    }
    ctx->line[index].pins--;
    free_if_idle(ctx, index);
  }
  fw_complete(ctx, tag);
  fw_serve_line_queue(ctx);
}

// `sectors` of the line are on the media.
void fw_line_clean(struct fw_context* ctx, uint16_t index, uint8_t sectors) {
  struct fw_line* const line = &ctx->line[index];
  if (ctx->keep_written && ctx->look_ahead && ctx->line_share && !line->superseded)
    line->clean |= sectors & (uint8_t)~line->bad;
  line->clean &= (uint8_t)~line->bad;
  fw_line_drop(ctx, index, sectors);
}

// They need not go there any more.
void fw_line_drop(struct fw_context* ctx, uint16_t index, uint8_t sectors) {
  struct fw_line* const line = &ctx->line[index];
  const uint64_t number = line->number;
  change_begins(ctx, number);
  line->dirty &= (uint8_t)~sectors;
  change_ends(ctx, number);
  line->bad &= (uint8_t)~sectors;
  line->destaging = 0;
  line->slot = FW_NO_SLOT;
  if (line->dirty == 0) unlist(ctx, index);
  free_if_idle(ctx, index);
}

// No transfer is under way any more. What was received whole stays.
void fw_lines_abort(struct fw_context* ctx) {
  ctx->line_queue_count = 0;
  ctx->line_tag = FW_NO_TAG;
  ctx->lines_short = false;
  ctx->first_short = FW_NO_TAG;
  if (ctx->used_lines == 0) return;
  for (uint32_t i = 0; i < FW_LINE_BUCKETS; ++i) {
    uint16_t index = ctx->bucket[i];
    while (index != FW_NO_LINE) {
      const uint16_t next = ctx->line[index].next;
      change_begins(ctx, ctx->line[index].number);
      ctx->line[index].receiving = 0;
      ctx->line[index].coming = 0;
      change_ends(ctx, ctx->line[index].number);
      ctx->line[index].pins = 0;
      free_if_idle(ctx, index);
      index = next;
    }
  }
}
