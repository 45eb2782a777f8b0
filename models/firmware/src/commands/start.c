// How a media command starts: where its data come from or go to, and what it waits for first.
#include "commands/commands.h"

static bool follows(const struct fw_request* before, const struct fw_request* request) {
  return before->state != FW_REQUEST_FREE && before->write && !before->seek && fw_end_of(before) == request->lba;
}

// The lines have room for such writes of half the active commands.
static bool room_for_all(const struct fw_context* ctx, const struct fw_request* request) {
  return ctx->commands.active != 1u &&
         ctx->commands.active * request->sectors <= 2u * ctx->buffer.lines * FW_LINE_SECTORS;
}

// The active write that ends where the request begins: usually the last one; with interleaved streams, another.
// FW_NO_TAG: there is none.
static uint16_t followed(const struct fw_context* ctx, const struct fw_request* request) {
  if (follows(&ctx->requests[ctx->commands.last_write], request)) return ctx->commands.last_write;
  if (!room_for_all(ctx, request)) return FW_NO_TAG;
  for (uint16_t tag = 0; tag < ctx->drive.queue_depth; ++tag)
    if (follows(&ctx->requests[tag], request)) return tag;
  return FW_NO_TAG;
}

// The write that has no arm yet and begins where the request ends: the two came in reverse order. FW_NO_TAG: there is
// none.
static uint16_t follower(const struct fw_context* ctx, const struct fw_request* request) {
  if (!room_for_all(ctx, request)) return FW_NO_TAG;
  for (uint16_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const other = &ctx->requests[tag];
    if (other->state != FW_REQUEST_WAITS_ARM || !other->write || other->left.held || other->media_done != 0) continue;
    if (follows(request, other)) return tag;
  }
  return FW_NO_TAG;
}

// Written straight from segments, the request would take several pieces per track, and lose a turn after each.
static bool falls_to_pieces(struct fw_context* ctx, const struct fw_request* request) {
  return request->sectors > ctx->buffer.segment_sectors &&
         fw_track_sectors(ctx, request->lba) > ctx->buffer.segment_sectors;
}

// A write that waits for the media goes through lines if its data flow: if it is long, begins where another active
// write ends, or ends where one without an arm begins. Lines of several writes move in one access, and later data come
// while earlier ones are written. With lines in a segment, the next segment fetches a long write's data ahead as well,
// unless others need it.
static bool flows(struct fw_context* ctx, const struct fw_request* request, uint16_t neighbour) {
  const uint32_t room = ctx->buffer.lines * FW_LINE_SECTORS;
  const bool roomy = ctx->buffer.line_share ? room >= 2u * ctx->buffer.segment_sectors : ctx->commands.active > 1u;
  const bool itself = roomy ? request->sectors > ctx->buffer.segment_sectors / 2u : falls_to_pieces(ctx, request);
  if (!itself && neighbour == FW_NO_TAG && !fw_lines_end_at(ctx, request->lba)) return false;
  return fw_lines_room(ctx);
}

// Its neighbour comes into the lines, too, unless it has an arm already.
static void take_along(struct fw_context* ctx, uint16_t tag) {
  if (tag == FW_NO_TAG) return;
  const struct fw_request* const neighbour = &ctx->requests[tag];
  if (neighbour->state != FW_REQUEST_WAITS_ARM || neighbour->left.held || neighbour->media_done != 0) return;
  fw_withdraw_slot(ctx, tag);
  fw_request_from_slot(ctx, tag);
  fw_account(ctx, tag, FW_WAIT_DESTAGE);
  fw_account(ctx, tag, FW_WAIT_OVER);
  fw_lines_write(ctx, tag, true);
}

// Lines hold written data of its sectors.
static bool meets_lines(const struct fw_context* ctx, const struct fw_request* request) {
  if (request->batch != FW_BATCH_NONE) return fw_batch_meets_lines(ctx);
  return fw_lines_overlap(ctx, request->lba, request->sectors);
}

// The same for a request that waits; a read no longer waits once all of its sectors are in lines.
static bool still_blocked(const struct fw_context* ctx, const struct fw_request* request) {
  const bool read = !request->write && !request->fua && request->batch == FW_BATCH_NONE;
  return meets_lines(ctx, request) && !(read && fw_lines_hold(ctx, request->lba, request->sectors));
}

// The written data that it waits for go to the media first.
static void hurry_lines(struct fw_context* ctx, const struct fw_request* request) {
  if (request->batch != FW_BATCH_NONE)
    fw_batch_hurry_lines(ctx);
  else
    fw_lines_hurry(ctx, request->lba, request->sectors);
}

static void block(struct fw_context* ctx, uint32_t tag) {
  fw_destage_blocks(ctx, tag);
  hurry_lines(ctx, &ctx->requests[tag]);
  fw_destage_update(ctx);
}

// The list of a batch comes from the host; its blocks go straight between media and host. A block that could not be
// read is not written in a batch, because it must be read back.
static void start_batch(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->batch == FW_BATCH_LIST) {
    fw_order_transfer(ctx, tag, fw_batch_list_address(ctx), 0, 1, 0);
    return;
  }
  for (uint32_t i = 0; request->write && i < ctx->mems.batch.count; ++i) {
    if (!fw_pending_overlap(ctx, ctx->mems.batch.lba[i], 1)) continue;
    fw_fail(ctx, tag, false, ATA_ERROR_ABRT, ctx->mems.batch.lba[i]);
    return;
  }
  if (meets_lines(ctx, request)) {
    block(ctx, tag);
    return;
  }
  fw_translate(ctx, request->lba, &request->track, &request->angle, &request->track_rest);
  if (!ctx->errors.stopped) fw_request_to_slot(ctx, tag);
}

// Starts the request where its data are or go. Called again when written data in its way are on the media.
void fw_start_request(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->seek) {
    fw_translate(ctx, request->lba, &request->track, &request->angle, &request->track_rest);
    if (!ctx->errors.stopped) fw_request_to_slot(ctx, tag);
    return;
  }
  if (request->batch != FW_BATCH_NONE) {
    start_batch(ctx, tag);
    return;
  }
  if (request->write) {
    if (fw_write_unreachable(ctx, tag)) return;
    fw_invalidate(ctx, request->lba, request->sectors);
    fw_invalidate_near(ctx, request->lba, request->sectors);
    // A partly written physical sector must be read first: also through lines.
    const bool in_part = ((request->lba | request->sectors) & (ctx->drive.physical_sectors - 1u)) != 0;
    // Without spares a sector that may be bad is written before the command ends.
    const bool at_risk = ctx->defects.spares_out && fw_pending_overlap(ctx, request->lba, request->sectors);
    const bool cached = ctx->host.write_cache && !request->fua && !at_risk;
    const uint16_t before = followed(ctx, request);
    const uint16_t behind = before == FW_NO_TAG ? follower(ctx, request) : FW_NO_TAG;
    const bool flow = !request->marks && flows(ctx, request, before == FW_NO_TAG ? behind : before);
    if (flow) take_along(ctx, before);
    if (flow) take_along(ctx, behind);
    ctx->commands.last_write = (uint16_t)tag;
    // If the cache is full, the write waits for the media among the requests, as without a cache.
    const bool room = cached && fw_lines_suit(ctx, request->sectors) && fw_lines_room_for(ctx, request->sectors);
    if (!request->marks && (in_part || flow || room)) {
      fw_lines_write(ctx, tag, !cached || !fw_lines_suit(ctx, request->sectors));
      return;
    }
  } else if (!request->fua && fw_lines_hold(ctx, request->lba, request->sectors)) {
    fw_lines_read(ctx, tag);
    return;
  }
  if (meets_lines(ctx, request)) {
    block(ctx, tag);
    return;
  }
  fw_translate(ctx, request->lba, &request->track, &request->angle, &request->track_rest);
  if (ctx->errors.stopped) return;
  if (request->write)
    fw_request_to_slot(ctx, tag);
  else
    fw_stream_read(ctx, tag);
}

// Goes on with requests that waited until older data, or their own, were on the media.
void fw_serve_blocked(struct fw_context* ctx) {
  if (ctx->destage.blocked_requests == 0) return;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (request->state != FW_REQUEST_BLOCKED) continue;
    if (still_blocked(ctx, request)) {
      if (ctx->host.write_cache) hurry_lines(ctx, request);  // some may only just have come
      continue;
    }
    fw_destage_unblocks(ctx, tag);
    if (request->lines.fault) {
      fw_fail_write(ctx, tag, request->queued, request->lba);
      return;
    }
    if (request->lines.through)
      fw_complete(ctx, tag);
    else
      fw_start_request(ctx, tag);
    if (ctx->destage.blocked_requests == 0) return;
  }
}

void fw_start_anew(struct fw_context* ctx) {
  while (ctx->commands.first_anew != FW_NO_TAG && !ctx->errors.stopped) {
    const uint16_t tag = ctx->commands.first_anew;
    ctx->commands.first_anew = ctx->requests[tag].next_in_segment;
    fw_start_request(ctx, tag);
  }
}
