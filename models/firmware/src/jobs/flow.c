// How data flow through a segment: how far its ring may be filled, when the channel reports, and when data go on to the
// host. The link empties the ring while the media fill it. As room comes free, or more is wanted, the channel's access
// is extended, so that a request or a track longer than the ring costs no extra revolution unless the link is slower
// than the media.
#include "jobs/jobs.h"

// Sectors of the request that must be there before its data begin to go to the host. A drive collects no more than it
// would read ahead.
static uint32_t watermark(const struct fw_context* ctx, const struct fw_request* request) {
  if (ctx->rules.read_watermark == FW_NO_WATERMARK || fw_announced_whole(ctx, request)) return request->sectors;
  const uint32_t sectors = (uint32_t)(((uint64_t)request->sectors * ctx->rules.read_watermark) / 100u);
  if (sectors > ctx->rules.most_collected) return ctx->rules.most_collected;
  return sectors == 0 ? 1u : sectors;
}

// Most sectors of one transfer to the host: the end of each transfer shows that there is room in the ring.
uint32_t fw_flow_portion(const struct fw_context* ctx) {
  return ctx->buffer.segment_sectors >= 8u ? ctx->buffer.segment_sectors / 4u : 1u;
}

// Portion in which the request's data go to the host while more come from the media, if it takes up more than half of
// the ring; otherwise 0.
static uint32_t portion(const struct fw_context* ctx, const struct fw_request* request) {
  return request->sectors > ctx->buffer.segment_sectors / 2u ? fw_flow_portion(ctx) : 0u;
}

// The request's data up to `end` are enough to start or continue its transfer to the host.
bool fw_flow_enough(const struct fw_context* ctx, const struct fw_request* request, uint64_t end) {
  if (end == fw_end_of(request)) return true;
  const uint32_t part = portion(ctx, request);
  if (part != 0 && end - request->lba - request->queued_out >= part) return true;
  return end - request->lba >= watermark(ctx, request);
}

// Where the channel has read enough for more of the request's data to go to the host: enough to begin with, then all.
// If the link has run out of data, a quarter of the rest, eight sectors at least: little is then left to send after the
// last sector, however fast the link is, and the channel reports rarely.
static uint64_t next_part(const struct fw_context* ctx, const struct fw_request* request) {
  if (request->queued_out == 0) return request->lba + watermark(ctx, request);
  const uint32_t rest = request->sectors - request->queued_out;
  const bool waits = ctx->rules.read_watermark < 100u && request->link_done == request->queued_out;
  const uint32_t part = rest < 32u ? 8u : (rest + 3u) / 4u;
  return fw_end_of(request) - (waits && part < rest ? rest - part : 0u);
}

// Where the channel reports next: a request has all of its data, enough to begin with, or another portion. 0: nowhere.
// `part`: `accounted`, the arm's request, wants more; sectors before its own may be other requests'.
static uint64_t nearest_report(const struct fw_context* ctx, const struct fw_segment* segment, uint16_t accounted,
                               bool* part) {
  uint64_t nearest = 0;
  for (uint16_t tag = segment->requests; tag != FW_NO_TAG; tag = ctx->requests[tag].next_in_segment) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (fw_end_of(request) <= segment->end) continue;
    uint64_t at = next_part(ctx, request);
    if (at <= segment->end) at = fw_end_of(request);
    const uint64_t next = segment->end + portion(ctx, request);
    if (next != segment->end && next < at) at = next;
    if (nearest != 0 && at >= nearest) continue;
    nearest = at;
    *part = at != fw_end_of(request) || (accounted != FW_NO_TAG && tag != accounted);
  }
  return nearest;
}

// End of the drive's minimum read-ahead after what is wanted now; 0: there is none.
static uint64_t minimum_now(const struct fw_context* ctx, const struct fw_segment* segment) {
  if (ctx->rules.minimum_ahead == 0 || (ctx->rules.ahead_from_second && !segment->sequential)) return 0;
  return fw_minimum_ahead(ctx, segment->plan);
}

// End of the arm's minimum read-ahead, which continues even if a request waits for the arm: as far as there is room, in
// whole physical sectors. 0: there is none. Anything that stops reading also ends the minimum.
static uint64_t minimum_end(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  if (segment->stale || segment->once || ctx->errors.draining || ctx->cap.shut || ctx->pm.state == FW_POWER_REST)
    return 0;
  const uint64_t end = arm->ahead_to == FW_AHEAD_OPEN ? minimum_now(ctx, segment) : arm->ahead_to;
  if (end == 0) return 0;
  const uint64_t room = fw_flow_ahead(ctx, segment);
  return end <= room ? end : room / ctx->drive.physical_sectors * ctx->drive.physical_sectors;
}

// Extends the arm's booking to the end of the minimum. If another arm has booked the channel, there is no minimum.
void fw_flow_hold_minimum(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->schedule.on || arm->ahead_to != FW_AHEAD_OPEN || minimum_end(ctx, n) == 0) return;
  const struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  const uint64_t end = fw_minimum_ahead_of(ctx, segment->plan, segment->sequential);
  if (!fw_extend_if_free(ctx, n, end)) arm->ahead_to = 0;
}

// The arm has read all that was wanted. Requests that join from now on do not extend the minimum, or a stream would
// keep the arm for ever. Tells the arbitration unit when the minimum ends.
void fw_flow_begin_minimum(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->ahead_to != FW_AHEAD_OPEN) return;
  const struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  arm->ahead_to = minimum_now(ctx, segment);
  if (ctx->schedule.on && minimum_end(ctx, n) > segment->end)
    fw_shorten(ctx, n, fw_minimum_ahead_of(ctx, segment->plan, segment->sequential));
}

// The arm only reads ahead, and has not reached the end of the minimum at sector `at`.
bool fw_flow_in_minimum(const struct fw_context* ctx, uint32_t n, uint64_t at) {
  return ctx->arm[n].around == 0 && minimum_end(ctx, n) > at;
}

// Makes the channel report where the next request has its data, or where an arm that others wait for comes free.
void fw_flow_mark(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  bool part = false;
  uint64_t need = nearest_report(ctx, segment, arm->tag, &part);
  if (need == 0 && !fw_stream_alone(ctx, n)) need = minimum_end(ctx, n);
  uint32_t mark = need != 0 && need - arm->lba < arm->sectors ? (uint32_t)(need - arm->lba) : 0;
  if (mark != 0 && part) mark |= CHN_MARK_PART_MASK;
  if (mark == segment->mark) return;
  segment->mark = mark;
  segment->flows = (mark & CHN_MARK_PART_MASK) != 0;
  fw_channel_mark(ctx, arm->channel, mark);
}

// The arm's request has all of its data and no longer needs the arm. If the channel's last mark was for a part, the tag
// is still accounted: a mark already passed ends that.
void fw_flow_served(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  if (arm->state == FW_ARM_TRANSFER && segment->flows) {
    segment->flows = false;
    segment->mark = (uint32_t)(fw_end_of(&ctx->requests[arm->tag]) - arm->lba);
    fw_channel_mark(ctx, arm->channel, segment->mark);
  }
  if (arm->waits_channel) fw_account(ctx, arm->tag, FW_WAIT_OVER);
  arm->tag = FW_NO_TAG;
}

// First sector that must stay in the ring: data that have not gone to the host.
static uint64_t keep_from(const struct fw_context* ctx, const struct fw_segment* segment) {
  uint64_t keep = ctx->rules.hardware_hits ? fw_least64(segment->end, segment->pin) : segment->end;
  for (uint16_t tag = segment->requests; tag != FW_NO_TAG; tag = ctx->requests[tag].next_in_segment)
    keep = fw_least64(keep, ctx->requests[tag].lba + ctx->requests[tag].link_done);
  return keep;
}

// Where read-ahead must stop filling the ring. `keep_requested` limits read-ahead, never requested data. It leaves room
// for a portion: in a stream of requests as long as the ring, the head would otherwise pass the next one's first sector
// before that request comes.
uint64_t fw_flow_ahead(const struct fw_context* ctx, const struct fw_segment* segment) {
  const uint64_t keep = keep_from(ctx, segment);
  uint64_t limit = keep + ctx->buffer.segment_sectors;
  if (ctx->rules.keep_requested && segment->asked >= segment->begin && segment->asked < keep) {
    const uint64_t room = segment->plan + fw_flow_portion(ctx), kept = segment->asked + ctx->buffer.segment_sectors;
    limit = fw_least64(limit, room > kept ? room : kept);
  }
  return fw_least64(segment->plan + ctx->rules.read_ahead_sectors, limit);
}

// No other request wants the arm, and the drive's rules allow read-ahead here.
bool fw_stream_alone(const struct fw_context* ctx, uint32_t n) {
  const struct fw_segment* const segment = &ctx->read_cache.segment[ctx->arm[n].segment];
  if (segment->ahead_over || (ctx->rules.ahead_from_second && !segment->sequential)) return false;
  return !fw_arm_claimed(ctx, n) && !segment->stale && !segment->once && !ctx->errors.draining;
}

// How far the ring may be filled now, as far as there is room: what the requests want, and more if no other request
// wants the arm. At the end of the arm's turn: the physical sector with which the turn ends.
static uint64_t fill_limit(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  const uint64_t most = keep_from(ctx, segment) + ctx->buffer.segment_sectors;
  const uint64_t needed = fw_least64(segment->plan, most);
  if (arm->last_of_turn) {
    const uint64_t units = (arm->turn_end + ctx->drive.physical_sectors - 1u) / ctx->drive.physical_sectors;
    return fw_least64(needed, units * ctx->drive.physical_sectors);
  }
  const uint64_t minimum = minimum_end(ctx, n);
  const uint64_t wanted = minimum > needed ? minimum : needed;
  if (!fw_stream_alone(ctx, n)) return wanted;
  const uint64_t ahead = fw_flow_ahead(ctx, segment);
  return ahead > wanted ? ahead : wanted;
}

// Sectors that may be read now, on any track.
uint32_t fw_flow_readable(const struct fw_context* ctx, uint32_t n) {
  const uint64_t end = ctx->read_cache.segment[ctx->arm[n].segment].end;
  const uint64_t limit = fill_limit(ctx, n);
  return limit > end ? (uint32_t)fw_least64(limit - end, UINT32_MAX) : 0;
}

// Length of an access from `lba` on that may read `length` of the track's `rest`. An access can grow only after a whole
// physical sector: if there is no room for one yet, it does not begin.
static uint32_t whole_sectors(const struct fw_context* ctx, uint64_t lba, uint32_t length, uint32_t rest) {
  const uint32_t over = (uint32_t)((lba + length) % ctx->drive.physical_sectors);
  if (length >= rest) return length;
  return over >= length ? 0u : length - over;
}

// The same for the segment's requests. The physical sector in which they end is read whole, and kept if there is room.
static uint32_t wanted_sectors(const struct fw_context* ctx, const struct fw_segment* segment, uint64_t lba,
                               uint32_t length, uint32_t rest) {
  const uint32_t whole = whole_sectors(ctx, lba, length, rest);
  if (segment->plan <= lba + whole || segment->plan > lba + length) return whole;
  const uint64_t end =
      (segment->plan + ctx->drive.physical_sectors - 1u) / ctx->drive.physical_sectors * ctx->drive.physical_sectors;
  const bool stays = !segment->stale && end - lba <= rest;
  return (uint32_t)((stays && end <= keep_from(ctx, segment) + ctx->buffer.segment_sectors ? end : segment->plan) -
                    lba);
}

// Sectors that the next access reads; 0: none now.
uint32_t fw_flow_length(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  const uint32_t length = (uint32_t)fw_least64(fw_flow_readable(ctx, n), arm->track_rest);
  return wanted_sectors(ctx, segment, segment->end, length, arm->track_rest);
}

// Drops what the ring holds where it will be filled up to `end`. Returns how far it may be filled: less if hardware has
// begun to send dropped data.
uint64_t fw_flow_make_room(struct fw_context* ctx, uint16_t index, uint64_t end) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  const uint64_t used = end - segment->begin;
  if (used > ctx->buffer.segment_sectors) {
    const uint64_t drop = used - ctx->buffer.segment_sectors;
    segment->begin += drop;
    segment->first = (uint32_t)((segment->first + drop) % ctx->buffer.segment_sectors);
  }
  fw_hits_give_up(ctx, index);  // before the dropped data are overwritten
  uint64_t room = end;
  if (ctx->rules.hardware_hits && segment->pin < segment->begin)
    room = fw_least64(end, segment->pin + ctx->buffer.segment_sectors);
  if (room < segment->end) room = segment->end;
  segment->run_end = room;
  return room;
}

// Tells the arm's channel where sectors [from, end) lie in the ring.
void fw_flow_places(struct fw_context* ctx, uint32_t n, uint64_t from, uint64_t end) {
  const uint16_t index = ctx->arm[n].segment;
  while (from < end) {
    const uint32_t place = fw_place_in_ring(ctx, &ctx->read_cache.segment[index], from);
    const uint32_t sectors = (uint32_t)fw_least64(end - from, ctx->buffer.segment_sectors - place);
    fw_channel_piece(ctx, ctx->arm[n].channel, fw_segment_address(ctx, index) + place * FW_SECTOR_BYTES, sectors);
    from += sectors;
  }
}

// A small extension, to `length`, is not worth the channel's registers if the end of another transfer allows a larger
// one before the access ends.
static bool may_wait(struct fw_context* ctx, uint32_t n, uint32_t length) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->read_cache.segment[arm->segment].requests == FW_NO_TAG || length == arm->track_rest) return false;
  if (4u * (length - arm->sectors) >= arm->sectors) return false;
  const uint32_t to_come = arm->sectors - fw_channel_progress(ctx, arm->channel);
  return 4u * (length - arm->sectors) < to_come && to_come > 2u * fw_flow_portion(ctx);
}

// Room has come free in the ring, or more is wanted: extends the access under way, which saves a turn.
void fw_flow_grow(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->job != FW_JOB_FILL || arm->state != FW_ARM_TRANSFER || !arm->grows) return;
  struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  if (arm->sectors == arm->track_rest) return;
  fw_hits_learn(ctx, arm->segment);
  fw_flow_hold_minimum(ctx, n);
  const uint64_t limit = fill_limit(ctx, n);
  if (limit <= arm->lba + arm->sectors) return;
  const uint32_t most = (uint32_t)fw_least64(limit - arm->lba, arm->track_rest);
  uint32_t length = wanted_sectors(ctx, segment, arm->lba, most, arm->track_rest);
  if (length <= arm->sectors) return;
  const uint64_t end = arm->lba + arm->sectors;
  if (segment->plan <= end && may_wait(ctx, n, length)) return;
  // The unit expects the arm when it has read what is wanted, not at the end of read-ahead.
  const uint64_t wanted = fw_least64(segment->plan, arm->lba + length);
  if (!fw_extend(ctx, n, wanted) || !fw_hold_more(ctx, n, arm->lba + length)) return;
  const uint64_t room = fw_flow_make_room(ctx, arm->segment, arm->lba + length);
  if (room < arm->lba + length) {
    const uint32_t left = room > arm->lba ? (uint32_t)(room - arm->lba) : 0u;
    length = whole_sectors(ctx, arm->lba, left, arm->track_rest);
  }
  if (length <= arm->sectors) {
    segment->run_end = end;
    return;
  }
  fw_flow_places(ctx, n, end, arm->lba + length);
  arm->sectors = length;
  fw_flow_mark(ctx, n);
  fw_channel_extend(ctx, arm->channel, length);
}

// Reading ahead has reached the end of track `track_read` and may go on after it.
bool fw_stream_past_track(struct fw_context* ctx, const struct fw_segment* segment, uint32_t track_read) {
  if (ctx->rules.read_ahead_end == FW_AHEAD_STREAM || ctx->rules.read_ahead_end == FW_AHEAD_AROUND)
    return segment->sequential;
  if (ctx->rules.read_ahead_end != FW_AHEAD_CYLINDER) return ctx->rules.read_ahead_end == FW_AHEAD_SEGMENT;
  if (segment->end == ctx->drive.capacity) return false;
  uint32_t track, angle, rest;
  fw_translate(ctx, segment->end, &track, &angle, &rest);
  return ((track ^ track_read) & XLT_TRACK_CYLINDER_MASK) == 0;
}
