// Queued commands without buffer offsets. From its DMA Setup frame until its last sector has moved, a command owns the
// link. So all of its data, or room for all, must be there when the first sector moves: otherwise it would wait for an
// arm, a segment or lines that another command holds, and that command for the link. A command that is too long for
// that, or that must move in parts, runs alone, as an unqueued one does. Later commands wait for their turn.
#include "commands/commands.h"

void fw_turns_reset(struct fw_context* ctx) {
  ctx->turn.alone = FW_NO_TAG;
  ctx->turn.first = FW_NO_TAG;
  ctx->turn.count = 0;
}

// Sectors of a write's data that have room at once: a piece in lines and a run in a segment.
static uint32_t room(const struct fw_context* ctx) {
  const uint32_t piece = ctx->buffer.lines / 8u * FW_LINE_SECTORS;  // half of the longest piece (write_in.c)
  const bool lines = ctx->buffer.lines != 0 && piece < ctx->buffer.segment_sectors;
  return lines ? piece : ctx->buffer.segment_sectors;
}

// Too many transfers, if the lines lie apart.
static bool many_pieces(const struct fw_context* ctx, uint32_t sectors) {
  return sectors / FW_LINE_SECTORS + 2u > ctx->link.transfer_limit / 2u;
}

static bool moves_in_parts(struct fw_context* ctx, const struct fw_request* request) {
  if (many_pieces(ctx, request->sectors)) return true;
  if (!request->write) return request->sectors > ctx->buffer.segment_sectors / 2u;
  if (request->sectors > room(ctx)) return true;
  // With a single arm the next track's data use the arm and the segment of the track before.
  if (ctx->drive.arms == 1u && !fw_arms_may_leave(ctx)) return false;
  uint32_t track, angle, rest;
  fw_translate(ctx, request->lba, &track, &angle, &rest);
  return request->sectors > rest;
}

static bool must_wait(struct fw_context* ctx, const struct fw_request* request, bool* alone) {
  *alone = moves_in_parts(ctx, request);
  const uint32_t others = ctx->commands.active - 1u - ctx->turn.count;
  return ctx->turn.alone != FW_NO_TAG || (*alone && others != 0);
}

bool fw_wait_turn(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (!fw_announced_whole(ctx, request)) return false;
  bool alone = false;
  if (ctx->turn.first == FW_NO_TAG && !must_wait(ctx, request, &alone)) {
    if (alone) ctx->turn.alone = (uint16_t)tag;
    return false;
  }
  request->state = FW_REQUEST_DELAYED;
  request->delay.next = FW_NO_TAG;
  uint16_t* last = &ctx->turn.first;
  while (*last != FW_NO_TAG) last = &ctx->requests[*last].delay.next;
  *last = (uint16_t)tag;
  ctx->turn.count++;
  return true;
}

void fw_serve_turns(struct fw_context* ctx) {
  while (ctx->turn.first != FW_NO_TAG && !ctx->errors.stopped) {
    const uint16_t tag = ctx->turn.first;
    struct fw_request* const request = &ctx->requests[tag];
    bool alone;
    ctx->turn.count--;
    if (must_wait(ctx, request, &alone)) {
      ctx->turn.count++;
      return;
    }
    ctx->turn.first = request->delay.next;
    request->state = FW_REQUEST_AT_WORK;
    if (alone) ctx->turn.alone = tag;
    fw_delay_start(ctx, tag);
  }
}
