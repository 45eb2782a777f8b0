// Reads through the segments. A segment is a ring that an arm fills from the media, first for the requests attached to
// it, then ahead of them while no other request wants the arm. Requests that begin in its data, or where its filling
// goes on, are attached to it and get their data as these arrive.
#include "jobs/jobs.h"

void fw_stream_read(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  uint16_t index = request->fua ? FW_NO_SEGMENT : fw_stream_find(ctx, request->lba);
  if (request->background && (index == FW_NO_SEGMENT || fw_end_of(request) > ctx->read_cache.segment[index].end)) {
    fw_list_add(ctx, tag);
    fw_scan_list(ctx);
    return;
  }
  if (index != FW_NO_SEGMENT && fw_end_of(request) > ctx->read_cache.segment[index].end &&
      !fw_segment_filling(&ctx->read_cache.segment[index]) && !fw_segment_may_be_held(ctx))
    index = FW_NO_SEGMENT;
  if (index != FW_NO_SEGMENT && !fw_stream_may_join(ctx, &ctx->read_cache.segment[index], request))
    index = FW_NO_SEGMENT;
  if (index == FW_NO_SEGMENT) {
    fw_request_to_slot(ctx, tag);
    return;
  }
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  fw_stream_attach(ctx, tag, index);
  request->hit = fw_end_of(request) <= segment->end;
  if (request->hit) {
    fw_stream_send(ctx, index, true);
    fw_show(ctx, FW_STATE_HIT, tag);
    fw_ahead_of_hit(ctx, index);
    return;
  }
  if (fw_segment_filling(segment)) {
    fw_account(ctx, tag, FW_WAIT_FILL);
    if (segment->arm != FW_NO_ARM) fw_turn_grows(ctx, segment->arm, segment->plan);
    if (segment->arm != FW_NO_ARM && ctx->arm[segment->arm].around != 0) {
      if (ctx->arm[segment->arm].state == FW_ARM_TRANSFER) fw_channel_stop(ctx, ctx->arm[segment->arm].channel);
    } else if (segment->arm != FW_NO_ARM && ctx->arm[segment->arm].state == FW_ARM_TRANSFER) {
      struct fw_arm* const arm = &ctx->arm[segment->arm];
      arm->wanted = fw_least64(arm->wanted, request->lba);
      fw_flow_grow(ctx, segment->arm);
      fw_flow_mark(ctx, segment->arm);
    }
  } else {
    uint32_t angle;
    fw_translate(ctx, segment->end, &request->track, &angle, &request->track_rest);
    request->angle = angle;
    segment->filler = (uint16_t)tag;
    fw_request_to_slot(ctx, tag);
  }
  fw_stream_send(ctx, index, fw_segment_filling(segment) && segment->filler != tag);
}

void fw_stream_granted(struct fw_context* ctx, uint32_t n, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  struct fw_arm* const arm = &ctx->arm[n];
  arm->job = FW_JOB_FILL;
  arm->tag = (uint16_t)tag;
  arm->segment = request->segment;
  arm->track_rest = request->track_rest;
  arm->fresh = true;
  arm->ahead_to = FW_AHEAD_OPEN;
  arm->around = 0;
  if (arm->segment != FW_NO_SEGMENT) {
    struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
    segment->filler = FW_NO_TAG;
    segment->arm = (uint8_t)n;
    fw_stream_absorb(ctx, arm->segment);
    fw_turn_begins(ctx, n, segment->plan);
  }
  fw_move_arm(ctx, n, request->track);
  if (arm->segment == FW_NO_SEGMENT) fw_take_segment_or_wait(ctx, n);
}

// The segment holds `sectors` sectors from `lba` on, from its ring's first place on.
static void begin_segment(struct fw_context* ctx, uint16_t index, uint64_t lba, uint32_t sectors) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  segment->begin = lba;
  segment->end = segment->plan = segment->run_end = lba + sectors;
  segment->first = 0;
  segment->shown_begin = segment->shown_end = 0;
  segment->checked = lba;
  segment->covered = false;
  segment->pin = UINT64_MAX;
  segment->mark = 0;
  segment->requests = FW_NO_TAG;
  segment->filler = FW_NO_TAG;
  segment->arm = FW_NO_ARM;
  segment->kept = true;
  segment->stale = false;
  segment->once = !ctx->host.look_ahead;
  segment->sequential = false;
  segment->unread = false;
  segment->ahead_over = false;
  segment->waits_room = false;
}

// What was written from a segment to the media stays readable there (cache.keep_written).
void fw_stream_keep(struct fw_context* ctx, uint16_t index, uint64_t lba, uint32_t sectors) {
  begin_segment(ctx, index, lba, sectors);
  ctx->read_cache.segment[index].unread = true;
  ctx->read_cache.segment[index].asked = lba;
  ctx->read_cache.segment[index].last_use = ++ctx->read_cache.uses;
  fw_hits_used(ctx, index);
  fw_hits_show(ctx, index);
}

// An earlier read ended at `lba`: its data are in a segment that is kept, or in `taken`, which the read that begins at
// `lba` has got.
static bool goes_on_there(const struct fw_context* ctx, uint16_t taken, uint64_t lba) {
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i) {
    const struct fw_segment* const segment = &ctx->read_cache.segment[i];
    if ((segment->kept || i == taken) && segment->begin != segment->end && segment->end == lba && !segment->unread)
      return true;
  }
  return false;
}

// The arm has got a segment for its request.
static bool use_segment(struct fw_context* ctx, uint32_t n, uint16_t index) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  arm->segment = index;
  const bool sequential = goes_on_there(ctx, index, request->lba);
  begin_segment(ctx, index, request->lba, 0);
  ctx->read_cache.segment[index].sequential = sequential;
  ctx->read_cache.segment[index].arm = (uint8_t)n;
  ctx->read_cache.segment[index].stale = request->fua;
  fw_stream_attach(ctx, arm->tag, index);
  fw_stream_absorb(ctx, index);
  fw_turn_begins(ctx, n, ctx->read_cache.segment[index].plan);
  fw_stream_on_track(ctx, n);
  return false;
}

void fw_stream_on_track(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->state != FW_ARM_ON_TRACK) return;
  if (arm->segment == FW_NO_SEGMENT) {
    if (arm->tag == FW_NO_TAG) fw_stream_leave(ctx, n);  // its request was aborted while it waited for a segment
    return;
  }
  struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  fw_hits_learn(ctx, arm->segment);
  if (arm->around != 0 || fw_flow_length(ctx, n) != 0) {
    fw_try_channel(ctx, n);
  } else if (segment->plan > segment->end && segment->requests != FW_NO_TAG) {
    segment->waits_room = true;
    if (ctx->rules.hardware_hits && segment->pin != UINT64_MAX) {
      fw_hits_want_release(ctx);
      fw_hits_learn(ctx, arm->segment);
      if (fw_flow_length(ctx, n) != 0) {  // released in between: no event follows
        segment->waits_room = false;
        fw_try_channel(ctx, n);
        return;
      }
    }
    fw_stream_send(ctx, arm->segment, false);  // once sent, these data make room
  } else {
    fw_stream_leave(ctx, n);
  }
}

static void extent(const struct fw_context* ctx, uint32_t n, struct fw_access* access) {
  const struct fw_segment* const segment = &ctx->read_cache.segment[ctx->arm[n].segment];
  access->write = false;
  if (ctx->arm[n].around != 0) {
    access->sectors = ctx->arm[n].around;
    access->lba = segment->begin - access->sectors;
    return;
  }
  const uint64_t before = ctx->rules.free_reads && segment->begin == segment->end ? ctx->buffer.segment_sectors : 0u;
  access->lba = segment->end > before ? segment->end - before : 0u;
  access->sectors = segment->end - access->lba + fw_flow_length(ctx, n);
}

static void next(const struct fw_context* ctx, uint32_t n, struct fw_access* access) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (arm->around != 0) return;
  access->lba = ctx->read_cache.segment[arm->segment].end;
  access->sectors = fw_flow_length(ctx, n);
}

// The access may begin with any of its sectors, or before them: the arm has just arrived, and the data are kept.
static bool any_first(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->fresh && ctx->host.look_ahead && !ctx->read_cache.segment[arm->segment].stale;
}

// Read on arrival: a request of at least a quarter of the track begins where the head lands. Such an access does not
// grow: if the ring had no room for all that is wanted of the track, the rest would come a turn later.
static bool on_arrival(const struct fw_context* ctx, uint32_t n) {
  const struct fw_segment* const segment = &ctx->read_cache.segment[ctx->arm[n].segment];
  const uint64_t wanted = segment->plan > segment->end ? segment->plan - segment->end : 0;
  if (!ctx->rules.read_on_arrival || !any_first(ctx, n)) return false;
  if (wanted < 2u || wanted * 4u < ctx->arm[n].track_rest) return false;
  return fw_flow_length(ctx, n) >= fw_least64(wanted, ctx->arm[n].track_rest);
}

static bool takes_any(const struct fw_context* ctx, uint32_t n) {
  return on_arrival(ctx, n) || (ctx->rules.free_reads && any_first(ctx, n));
}

static void go_on(struct fw_context* ctx, uint32_t n, bool may_go_around);

// While the arm waited for the channel other requests came, or one whose data must stay in the ring.
static void not_now(struct fw_context* ctx, uint32_t n) {
  fw_channel_released(ctx, n);
  ctx->arm[n].state = FW_ARM_ON_TRACK;
  fw_let_go(ctx, n);
  fw_stream_on_track(ctx, n);
  fw_due(ctx, FW_DUE_SEGMENTS);  // other arms may wait for the segment that this one has left
}

// Free read: in a new segment, the sectors that pass before the first wanted one are read, too. Returns how many: they
// fit in the segment with `length` more, and begin with a whole physical sector.
static uint32_t free_sectors(struct fw_context* ctx, const struct fw_segment* segment, uint32_t length) {
  if (segment->begin != segment->end) return 0;
  uint32_t before = fw_sectors_before(ctx, segment->end);
  before = before < ctx->buffer.segment_sectors - length ? before : ctx->buffer.segment_sectors - length;
  const uint32_t over = (uint32_t)((segment->end - before) % ctx->drive.physical_sectors);
  const uint32_t torn = over != 0 ? ctx->drive.physical_sectors - over : 0;
  before = before > torn ? before - torn : 0;
  if (fw_pending_overlap(ctx, segment->end - before, before)) return 0;  // they would fail the wanted read
  return before;
}

// The access begins `before` sectors ahead of the first wanted one.
static void read_before(struct fw_context* ctx, uint32_t n, struct fw_segment* segment, uint32_t before) {
  struct fw_arm* const arm = &ctx->arm[n];
  segment->begin -= before;
  segment->end -= before;
  segment->checked = segment->begin;
  segment->first = 0;
  arm->track_rest += before;
  fw_channel_wanted(ctx, arm->channel, before);
}

// Tells the channel where in the segment's ring the arm's sectors go; returns the mode bits for that.
static uint32_t set_place(struct fw_context* ctx, uint32_t n, const struct fw_segment* segment) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t place = fw_place_in_ring(ctx, segment, segment->end);
  if (place + arm->sectors > ctx->buffer.segment_sectors) {
    fw_flow_places(ctx, n, segment->end, segment->end + arm->sectors);
    return CHN_MODE_GATHER_MASK;
  }
  fw_channel_address(ctx, arm->channel, fw_segment_address(ctx, arm->segment) + place * FW_SECTOR_BYTES);
  return 0;
}

static void start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->around != 0) {
    if (fw_around_start(ctx, n)) return;
    go_on(ctx, n, false);
    fw_due(ctx, FW_DUE_SEGMENTS);
    return;
  }
  struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  fw_hits_learn(ctx, arm->segment);
  fw_flow_hold_minimum(ctx, n);
  uint32_t length = fw_flow_length(ctx, n);
  if (length == 0) {
    not_now(ctx, n);
    return;
  }
  const uint64_t wanted = segment->plan > segment->end ? segment->plan - segment->end : 0;
  uint32_t mode = 0;
  if (on_arrival(ctx, n)) {
    length = (uint32_t)fw_least64(length, wanted);
    mode |= CHN_MODE_ANY_ORDER_MASK;
  }
  const bool free = ctx->rules.free_reads && any_first(ctx, n) && mode == 0;
  const uint32_t before = free ? free_sectors(ctx, segment, length) : 0;
  if (before == 0) {
    length = (uint32_t)(fw_flow_make_room(ctx, arm->segment, segment->end + length) - segment->end);
    if (length == 0) {  // hardware has begun to send what would be overwritten
      not_now(ctx, n);
      return;
    }
  }
  arm->fresh = false;
  arm->wanted = segment->end;
  if (before != 0) {
    read_before(ctx, n, segment, before);
    length += before;
    mode |= CHN_MODE_FREE_MASK;
  }
  arm->lba = segment->end;
  arm->sectors = length;
  arm->grows = (mode & CHN_MODE_ANY_ORDER_MASK) == 0;
  if (before != 0) fw_flow_make_room(ctx, arm->segment, segment->end + length);  // nothing lay there
  mode |= set_place(ctx, n, segment);
  if (mode != 0) fw_channel_mode(ctx, arm->channel, mode);
  segment->mark = 0;
  segment->flows = false;
  fw_flow_mark(ctx, n);
  const bool ahead = wanted == 0;
  if (ahead && !fw_flow_in_minimum(ctx, n, segment->end)) fw_channel_ahead(ctx, n);
  fw_channel_access(ctx, n, arm->lba, length, arm->tag == FW_NO_TAG ? CHN_CTRL_ANONYMOUS_MASK : 0u);
  if (before != 0) {
    const uint32_t left_out = fw_channel_left_out(ctx, arm->channel);
    segment->begin += left_out;
    segment->end += left_out;
    segment->first = left_out;
  }
  fw_show(ctx, ahead ? FW_STATE_READ_AHEAD : FW_STATE_CHANNEL, ahead ? 0 : arm->tag == FW_NO_TAG ? 0 : arm->tag);
}

// All that was wanted has come, and the arm is needed elsewhere: its access ends with the sector under the head.
static void end_ahead(struct fw_context* ctx, uint32_t n, uint64_t at) {
  fw_channel_stop(ctx, ctx->arm[n].channel);
  if (ctx->slots.waiting != 0) fw_extend_to_stop(ctx, n, at);
}

static void mark(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  const bool of_minimum =
      arm->ahead_to != 0 && arm->ahead_to != FW_AHEAD_OPEN && fw_stream_need(ctx, segment) == 0;  // only reads ahead
  segment->end = arm->lba + fw_channel_progress(ctx, arm->channel);
  segment->mark = 0;
  fw_hits_learn(ctx, arm->segment);
  fw_hits_show(ctx, arm->segment);
  fw_stream_send(ctx, arm->segment, true);
  if (!of_minimum) fw_show(ctx, FW_STATE_DATA_OUT, arm->tag == FW_NO_TAG ? 0 : arm->tag);
  const bool needed = fw_stream_need(ctx, segment) != 0;
  if (!needed) fw_flow_begin_minimum(ctx, n);
  fw_flow_grow(ctx, n);
  if (needed || fw_flow_in_minimum(ctx, n, segment->end))
    fw_flow_mark(ctx, n);
  else if (fw_arm_claimed(ctx, n) || segment->stale || ctx->errors.draining ||
           (arm->ahead_to != 0 && segment->ahead_over))
    end_ahead(ctx, n, segment->end);
  else
    fw_channel_ahead(ctx, n);
}

// The arm's segment ends here, for example before an unreadable sector: attached requests that want more get arms of
// their own.
static void begin_anew(struct fw_context* ctx, uint32_t n) {
  const uint16_t index = ctx->arm[n].segment;
  const uint64_t end = ctx->read_cache.segment[index].end;
  for (uint16_t tag = ctx->read_cache.segment[index].requests; tag != FW_NO_TAG;) {
    struct fw_request* const request = &ctx->requests[tag];
    const uint16_t next = request->next_in_segment;
    if (fw_end_of(request) > end) {
      fw_stream_detach(ctx, tag);
      fw_account(ctx, tag, FW_WAIT_OVER);
      fw_start_later(ctx, tag);
    }
    tag = next;
  }
  fw_stream_leave(ctx, n);
}

// The arm cannot go on: it has no heads there, the power cap forbids it, or others have their turn. If a request wants
// more, the segment waits for an arm again.
static void hand_over(struct fw_context* ctx, uint32_t n) {
  const uint16_t index = ctx->arm[n].segment;
  ctx->arm[n].segment = FW_NO_SEGMENT;
  fw_stream_orphaned(ctx, index);
  fw_rest(ctx, n);
}

// Some data of an incomplete request already go to the host.
static bool sends_part(const struct fw_context* ctx, const struct fw_segment* segment) {
  for (uint16_t tag = segment->requests; tag != FW_NO_TAG; tag = ctx->requests[tag].next_in_segment)
    if (fw_end_of(&ctx->requests[tag]) > segment->end && ctx->requests[tag].queued_out != 0) return true;
  return false;
}

// If the arm's turn is over, gives its work back. Its requests keep the segment or, if there are too few, get arms and
// segments of their own; in that case the arm first completes a request whose data already go to the host.
static bool gives_up_turn(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  const bool in_minimum = arm->ahead_to != FW_AHEAD_OPEN && fw_flow_in_minimum(ctx, n, segment->end);
  if (!arm->last_of_turn && (arm->track_rest != 0 || in_minimum)) return false;
  const bool held = fw_segment_may_be_held(ctx);
  if (!fw_turn_over(ctx, n, segment->end, held)) return false;
  if (held) {
    hand_over(ctx, n);
  } else if (sends_part(ctx, segment)) {
    fw_turn_begins(ctx, n, segment->end);
    return false;
  } else {
    begin_anew(ctx, n);
  }
  return true;
}

// The arm is on track without an access: it goes on there or on the next track, if need be from the track's beginning,
// or leaves. It always leaves without credit of the power cap, and when its turn is over.
static void go_on(struct fw_context* ctx, uint32_t n, bool may_go_around) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  const bool wanted = segment->plan > segment->end && segment->requests != FW_NO_TAG;
  if (!wanted) fw_flow_begin_minimum(ctx, n);
  if (wanted && ctx->cap.shut) {
    hand_over(ctx, n);
    return;
  }
  if (wanted && gives_up_turn(ctx, n)) return;
  if (!wanted && may_go_around && fw_around_begin(ctx, n)) return;
  if (!wanted &&
      (fw_flow_readable(ctx, n) == 0 || (arm->track_rest == 0 && !fw_stream_past_track(ctx, segment, arm->track)))) {
    fw_stream_leave(ctx, n);
    return;
  }
  if (arm->track_rest == 0) {
    if (segment->end == ctx->drive.capacity) {
      fw_stream_leave(ctx, n);
      return;
    }
    uint32_t track, angle;
    fw_translate(ctx, segment->end, &track, &angle, &arm->track_rest);
    if (ctx->errors.stopped) return;
    if (track != arm->track) {
      if (fw_arm_reaches(ctx, n, track))
        fw_move_arm(ctx, n, track);
      else
        hand_over(ctx, n);
      return;
    }
  }
  fw_stream_on_track(ctx, n);
}

static void done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_arm* const arm = &ctx->arm[n];
  fw_let_go(ctx, n);
  const uint16_t index = arm->segment;
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  if (arm->around != 0) {
    fw_around_done(ctx, n, channel, cause);
    go_on(ctx, n, false);
    return;
  }
  const bool unreadable = cause == FW_CHANNEL_UNREADABLE;
  const uint32_t moved = fw_channel_progress(ctx, channel);
  segment->end = arm->lba + moved;
  segment->run_end = segment->end;
  // A mark set after the access was over would apply to the next one.
  if (segment->mark != 0) fw_channel_mark(ctx, channel, 0);
  segment->mark = 0;
  arm->track_rest -= moved;
  fw_hits_learn(ctx, index);
  fw_hits_show(ctx, index);
  fw_stream_send(ctx, index, ctx->rules.read_watermark != FW_NO_WATERMARK);
  if (unreadable) {
    // The next sector cannot be read: the request that wants it fails, those that begin after it do not.
    const uint64_t bad = segment->end;
    if (bad < arm->wanted) {  // no request wants it: read again, from the first wanted sector
      fw_pending_add(ctx, bad);
      fw_hits_withdraw(ctx, index);
      segment->begin = segment->end = segment->run_end = segment->checked = arm->wanted;
      segment->covered = false;
      segment->first = 0;
      arm->track_rest -= (uint32_t)(arm->wanted - bad);
      fw_stream_on_track(ctx, n);
      return;
    }
    uint32_t failed = FW_NO_TAG;
    for (uint16_t tag = segment->requests; tag != FW_NO_TAG; tag = ctx->requests[tag].next_in_segment)
      if (failed == FW_NO_TAG && ctx->requests[tag].lba <= bad && fw_end_of(&ctx->requests[tag]) > bad) failed = tag;
    fw_stream_make_stale(ctx, index);
    fw_pending_add(ctx, bad);
    if (failed == FW_NO_TAG) {
      begin_anew(ctx, n);
      return;
    }
    fw_fail(ctx, failed, ctx->requests[failed].queued, ATA_ERROR_UNC, bad);
    return;
  }
  go_on(ctx, n, true);
}

// Data go to the host as they come from the media.
static bool flows_out(const struct fw_context* ctx, const struct fw_segment* segment) {
  if (ctx->rules.read_watermark >= 100u || segment->arm == FW_NO_ARM || segment->requests == FW_NO_TAG) return false;
  const struct fw_arm* const arm = &ctx->arm[segment->arm];
  return arm->job == FW_JOB_FILL && arm->state == FW_ARM_TRANSFER && arm->around == 0;
}

// Takes over what has come since.
static void learn_progress(struct fw_context* ctx, struct fw_segment* segment) {
  if (!flows_out(ctx, segment)) return;
  const struct fw_arm* const arm = &ctx->arm[segment->arm];
  if (arm->lba + arm->sectors <= segment->end) return;
  const uint64_t end = arm->lba + fw_channel_progress(ctx, arm->channel);
  if (end > segment->end) segment->end = end;
}

void fw_stream_sent(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  const uint16_t index = request->segment;
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  request->link_done += sectors;
  const bool sent = request->link_done == request->sectors;
  if (sent) {
    fw_stream_detach(ctx, tag);
    fw_complete(ctx, tag);
  }
  learn_progress(ctx, segment);
  if (segment->requests != FW_NO_TAG) fw_stream_send(ctx, index, true);
  if (!sent && flows_out(ctx, segment)) fw_flow_mark(ctx, segment->arm);
  if (segment->arm != FW_NO_ARM) fw_flow_grow(ctx, segment->arm);
  if (segment->waits_room) {
    segment->waits_room = false;
    fw_stream_on_track(ctx, segment->arm);
  }
  fw_stream_free_if_stale(ctx, index);
  fw_due(ctx, FW_DUE_SEGMENTS);
  if (sent && request->hit) fw_ahead_of_hit(ctx, index);  // now there is more room
}

// Hardware has sent what it had pinned.
void fw_stream_released(struct fw_context* ctx) {
  fw_hits_release_over(ctx);
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i) fw_stream_free_if_stale(ctx, i);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->job != FW_JOB_FILL || arm->segment == FW_NO_SEGMENT || !ctx->read_cache.segment[arm->segment].waits_room)
      continue;
    ctx->read_cache.segment[arm->segment].waits_room = false;
    fw_stream_on_track(ctx, n);
  }
  fw_serve_segment_queue(ctx);
  if (ctx->read_cache.segment_queue.count != 0) fw_hits_want_release(ctx);
}

const struct fw_job_ops fw_fill_job = {
    .shown = FW_STATE_READ_AHEAD,
    .accesses = true,
    .follows_host = true,
    .granted = fw_ahead_granted,
    .again = fw_ahead_again,
    .slot_lba = fw_ahead_lba,
    .make_way = fw_stream_make_way,
    .yields = fw_stream_yields,
    .on_track = fw_stream_on_track,
    .segment = use_segment,
    .extent = extent,
    .next = next,
    .takes_any = takes_any,
    .start = start,
    .mark = mark,
    .done = done,
    .give_back = fw_stream_give_back,
};
