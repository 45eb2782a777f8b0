// Data on their way between the host and the lines: writes into them, one after the other, and reads from them.
#include "jobs/jobs.h"

static uint64_t piece_lba(const struct fw_request* request) {
  return request->lba + request->lines.piece_offset;
}

// The request's data for line `number` need a new line: there is none, or its sectors for them are on their way to the
// media. A physical sector goes there whole.
static bool needs_line(const struct fw_context* ctx, const struct fw_request* request, uint64_t number,
                       uint16_t index) {
  if (index == FW_NO_LINE) return true;
  const uint32_t destaging = ctx->line_cache.line[index].destaging;
  if (ctx->drive.physical_sectors == FW_LINE_SECTORS) return destaging != 0;
  return (destaging & fw_line_sectors_in(number, piece_lba(request), request->lines.piece_sectors)) != 0;
}

static uint32_t lines_to_take(const struct fw_context* ctx, const struct fw_request* request) {
  uint32_t count = 0;
  const uint64_t last = (piece_lba(request) + request->lines.piece_sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = piece_lba(request) / FW_LINE_SECTORS; number <= last; ++number)
    if (needs_line(ctx, request, number, fw_line_find(ctx, number))) count++;
  return count;
}

// The newest line of a number as of `taken`: a read that is sent later finds the line that it has pinned.
static uint16_t line_as_of(const struct fw_context* ctx, uint64_t number, uint32_t taken) {
  uint16_t index = fw_line_find(ctx, number);
  while (index != FW_NO_LINE &&
         (ctx->line_cache.line[index].number != number || (int32_t)(ctx->line_cache.line[index].taken - taken) > 0))
    index = ctx->line_cache.line[index].next;
  return index;
}

// Most sectors of a transfer from the host: what has come goes to the media while the rest comes.
static uint32_t portion(const struct fw_context* ctx) {
  const uint32_t lines = ctx->buffer.lines / 16u;
  return (lines == 0 ? 1u : lines > FW_FLOW_LINES ? FW_FLOW_LINES : lines) * FW_LINE_SECTORS;
}

// Orders the transfer of the request's sectors `offset` to `last`, in `most` transfers at most. Lines that adjoin in
// the buffer share one; from the host, up to a portion. Returns the first sector whose transfer is not ordered.
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
    const uint16_t index = line_as_of(ctx, number, request->lines.taken);
    if (index == FW_NO_LINE) {
      FW_STOP(ctx);
      return last;
    }
    const uint32_t at = fw_line_address(ctx, index) + skip * FW_SECTOR_BYTES;
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

// Transfers that a write's piece of `sectors` sectors may need.
static uint32_t transfers_of(uint32_t sectors) {
  return sectors / FW_LINE_SECTORS + 2u;
}

static bool fits(struct fw_context* ctx, const struct fw_request* request) {
  ctx->link.lines_short = false;
  if (lines_to_take(ctx, request) > ctx->line_cache.free_lines) return false;
  if (!fw_lines_extent_fits(ctx, piece_lba(request), request->lines.piece_sectors)) return false;
  const bool fit = fw_transfers_fit(ctx, transfers_of(request->lines.piece_sectors));
  ctx->link.lines_short = !fit;
  return fit;
}

static void receive(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  const uint64_t last = (piece_lba(request) + request->lines.piece_sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = piece_lba(request) / FW_LINE_SECTORS; number <= last; ++number) {
    uint16_t index = fw_line_find(ctx, number);
    if (needs_line(ctx, request, number, index)) index = fw_line_take(ctx, number);
    fw_line_expect(ctx, index, fw_line_sectors_in(number, piece_lba(request), request->lines.piece_sectors));
  }
  const uint32_t end = request->lines.piece_offset + request->lines.piece_sectors;
  ctx->line_cache.next_tag = end == request->sectors ? FW_NO_TAG : (uint16_t)tag;
  request->lines.taken = ctx->line_cache.taken;
  order_pieces(ctx, tag, request->lines.piece_offset, end, FW_MAX_TRANSFERS, 0);
}

// Writes are received one at a time, each to its end, so that their data lie in the lines as they lie on the disk.
static bool is_next(const struct fw_context* ctx, uint32_t tag) {
  return ctx->line_cache.next_tag == FW_NO_TAG || ctx->line_cache.next_tag == tag;
}

// The request's next piece: all of it, unless it is long.
static void receive_or_wait(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  const uint32_t lines = ctx->buffer.lines / 4u > 256u ? 256u : ctx->buffer.lines / 4u;
  const uint32_t most =
      (transfers_of(lines * FW_LINE_SECTORS) > ctx->link.transfer_limit ? ctx->link.transfer_limit - 2u : lines) *
      FW_LINE_SECTORS;
  const uint32_t rest = request->sectors - request->lines.piece_offset;
  request->lines.piece_sectors = rest < most ? rest : most;
  const bool first =
      ctx->line_cache.next_tag == FW_NO_TAG ? ctx->line_cache.queue_count == 0 : ctx->line_cache.next_tag == tag;
  if (first && fits(ctx, request)) {
    receive(ctx, tag);
    return;
  }
  if (first) ctx->line_cache.queue_first = (ctx->line_cache.queue_first + FW_MAX_TAGS - 1u) % FW_MAX_TAGS;
  const uint32_t place = first ? 0u : ctx->line_cache.queue_count;
  ctx->line_cache.queue[(ctx->line_cache.queue_first + place) % FW_MAX_TAGS] = (uint16_t)tag;
  ctx->line_cache.queue_count++;
  fw_account(ctx, tag, FW_WAIT_DESTAGE);
  fw_show(ctx, FW_STATE_WAIT_LINES, tag);
  fw_destage_flow(ctx);
  fw_destage_update(ctx);
}

// `through`: the request completes when its data are on the media.
void fw_lines_write(struct fw_context* ctx, uint32_t tag, bool through) {
  struct fw_request* const request = &ctx->requests[tag];
  request->lines.used = true;
  request->lines.through = through;
  request->lines.piece_offset = 0;
  if (ctx->rules.write_stops_ahead) fw_stream_end_ahead(ctx);
  receive_or_wait(ctx, tag);
}

void fw_serve_line_queue(struct fw_context* ctx) {
  while (ctx->line_cache.queue_count != 0) {
    const uint32_t tag = ctx->line_cache.queue[ctx->line_cache.queue_first];
    if (!is_next(ctx, tag) || !fits(ctx, &ctx->requests[tag])) return;
    ctx->line_cache.queue_first = (ctx->line_cache.queue_first + 1u) % FW_MAX_TAGS;
    ctx->line_cache.queue_count--;
    fw_account(ctx, tag, FW_WAIT_OVER);
    receive(ctx, tag);
  }
}

// Sectors [lba, lba + sectors) of a write have come, in whole lines except for the first and the last.
static bool mark_received(struct fw_context* ctx, const struct fw_request* request, uint64_t lba, uint32_t sectors) {
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= (lba + sectors - 1u) / FW_LINE_SECTORS; ++number) {
    const uint16_t index = line_as_of(ctx, number, request->lines.taken);
    if (index == FW_NO_LINE || ctx->line_cache.line[index].receiving == 0) {
      FW_STOP(ctx);
      return false;
    }
    fw_line_receive(ctx, index, fw_line_sectors_in(number, lba, sectors));
  }
  return true;
}

// A transfer of a write is over: its sectors may go to the media.
void fw_lines_received(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  if (!mark_received(ctx, request, request->lba + request->link_done, sectors)) return;
  request->link_done += sectors;
  if (ctx->destage.blocked_requests != 0) fw_due(ctx, FW_DUE_BLOCKED);  // a read may find all of its sectors in lines
  if (request->link_done != request->lines.piece_offset + request->lines.piece_sectors) {
    fw_destage_flow(ctx);
    fw_destage_update(ctx);
    return;
  }
  request->lines.piece_offset += request->lines.piece_sectors;
  if (request->lines.piece_offset != request->sectors) {
    receive_or_wait(ctx, tag);
  } else if (request->lines.through) {
    fw_destage_blocks(ctx, tag);
    // Before data that nobody waits for.
    if (ctx->host.write_cache) fw_lines_hurry(ctx, request->lba, request->sectors);
  } else {
    fw_hits_cover(ctx, request->lba, request->sectors);  // sectors read ahead since the write was decoded
    fw_complete(ctx, tag);
  }
  fw_destage_flow(ctx);
  fw_destage_update(ctx);
  fw_serve_line_queue(ctx);
}

void fw_lines_read(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->lines.used = true;
  request->queued_out = 0;
  request->lines.taken = ctx->line_cache.taken;
  const uint64_t last = (request->lba + request->sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = request->lba / FW_LINE_SECTORS; number <= last; ++number) {
    uint16_t index = fw_line_find(ctx, number);
    if (index == FW_NO_LINE) {
      index = fw_kept_find(ctx, number);
      fw_line_use(ctx, index, number);
    }
    ctx->line_cache.line[index].pins++;
  }
  request->next_in_segment = FW_NO_TAG;
  if (ctx->link.first_short == FW_NO_TAG)
    ctx->link.first_short = (uint16_t)tag;
  else
    ctx->requests[ctx->link.last_short].next_in_segment = (uint16_t)tag;
  ctx->link.last_short = (uint16_t)tag;
  fw_lines_send(ctx);
  fw_show(ctx, FW_STATE_HIT, tag);
}

// Orders transfers of reads from lines, the oldest read first, as long as the host interface takes more.
void fw_lines_send(struct fw_context* ctx) {
  while (ctx->link.first_short != FW_NO_TAG && fw_transfers_fit(ctx, 1)) {
    const uint32_t tag = ctx->link.first_short;
    struct fw_request* const request = &ctx->requests[tag];
    if (fw_announced_whole(ctx, request) && ctx->turn.alone != tag &&
        !fw_transfers_fit(ctx, transfers_of(request->sectors)))
      return;
    request->queued_out = order_pieces(ctx, tag, request->queued_out, request->sectors,
                                       ctx->link.transfer_limit - ctx->link.transfers, HIF_DMA_GO_TO_HOST_MASK);
    if (request->queued_out == request->sectors) ctx->link.first_short = request->next_in_segment;
  }
}

void fw_lines_sent(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  request->link_done += sectors;
  if (request->link_done != request->sectors) return;
  const uint64_t last = (request->lba + request->sectors - 1) / FW_LINE_SECTORS;
  for (uint64_t number = request->lba / FW_LINE_SECTORS; number <= last; ++number) {
    const uint16_t index = line_as_of(ctx, number, request->lines.taken);
    if (index == FW_NO_LINE || ctx->line_cache.line[index].pins == 0) {
      FW_STOP(ctx);
      return;
    }
    ctx->line_cache.line[index].pins--;
    fw_line_free_if_idle(ctx, index);
  }
  fw_complete(ctx, tag);
  fw_serve_line_queue(ctx);
}

// No transfer is under way any more. What was received whole stays.
void fw_lines_abort(struct fw_context* ctx) {
  ctx->line_cache.queue_count = 0;
  ctx->line_cache.next_tag = FW_NO_TAG;
  ctx->link.lines_short = false;
  ctx->link.first_short = FW_NO_TAG;
  fw_lines_drop_transfers(ctx);
}
