// Requests straight between media and host: writes that bypass the cache, batches, and SEEK. A run is a piece of the
// request on one track and in one buffer segment.
#include "jobs/jobs.h"

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static void plan_run(struct fw_context* ctx, const struct fw_request* request, uint32_t offset, struct fw_run* run) {
  uint32_t rest = request->track_rest;
  run->track = request->track;
  if (offset != 0) {
    uint32_t angle;
    fw_translate(ctx, request->lba + offset, &run->track, &angle, &rest);
  }
  run->offset = offset;
  // A write's run ends with a physical sector.
  const uint32_t most = ctx->buffer.segment_sectors / ctx->drive.physical_sectors * ctx->drive.physical_sectors;
  const bool batch = request->batch != FW_BATCH_NONE;  // one pass: it fits a segment, whatever the track
  run->sectors = batch ? request->sectors : least(least(rest, most), request->sectors - offset);
  run->segment = FW_NO_SEGMENT;
  run->mark = batch ? run->sectors : fw_write_data_first(ctx, run, request->lba + offset);
  run->ordered = 0;
  run->parts = 0;
  run->here = 0;
  run->written = 0;
}

// The arm's access is one pass over blocks of several tracks.
static bool one_pass(const struct fw_context* ctx, uint32_t n) {
  return ctx->arm[n].riders != 0 || ctx->requests[ctx->arm[n].tag].batch != FW_BATCH_NONE;
}

// Gets a segment for the arm's run, or waits for one.
static void supply_segment(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (arm->run.segment == FW_NO_SEGMENT && !arm->waits_segment) fw_take_segment_or_wait(ctx, n);
}

// If a segment is free, fetches the data of a write's next run after this one's: while this run is being written or, if
// runs may begin before their data are there, without a pause.
void fw_fetch_ahead(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  const uint32_t offset = arm->run.offset + arm->run.sectors;
  if (offset == request->sectors || arm->next.sectors != 0 || arm->run.ordered != arm->run.sectors) return;
  if (request->marks) return;
  if (ctx->read_cache.segment_queue.count != 0 || !fw_segment_free(ctx)) return;
  plan_run(ctx, request, offset, &arm->next);
  if (!fw_arm_reaches(ctx, n, arm->next.track)) {  // another arm does, and fetches the data itself
    arm->next.sectors = 0;
    return;
  }
  arm->next.segment = fw_segment_take(ctx);
  if (arm->next.segment == FW_NO_SEGMENT)
    arm->next.sectors = 0;
  else
    fw_write_data_order(ctx, arm->tag, &arm->next);
}

void fw_serve(struct fw_context* ctx, uint32_t n, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  fw_request_from_slot(ctx, tag);
  struct fw_arm* const arm = &ctx->arm[n];
  arm->riders = 0;
  fw_rides_gather(ctx, n, tag);
  if (!request->write && !request->seek && request->batch == FW_BATCH_NONE && arm->riders == 0) {
    fw_stream_granted(ctx, n, tag);
    return;
  }
  arm->job = FW_JOB_REQUEST;
  request->arm = (uint8_t)n;
  arm->tag = (uint16_t)tag;
  arm->next.sectors = 0;
  if (request->left.held) {
    arm->run = request->left.run;
    arm->next = request->left.next;
    arm->check = request->left.check;
    arm->check_unit = request->left.unit;
    request->left.held = false;
  } else {
    plan_run(ctx, request, request->media_done, &arm->run);
    if (arm->riders != 0) arm->run.sectors = fw_rides_sectors(ctx, n);
  }
  fw_move_arm(ctx, n, request->track);
  if (!request->seek) supply_segment(ctx, n);
}

// The arm is where SEEK wants it.
static void seek_done(struct fw_context* ctx, uint32_t n) {
  const uint32_t tag = ctx->arm[n].tag;
  ctx->requests[tag].arm = FW_NO_ARM;
  fw_rest(ctx, n);
  fw_complete(ctx, tag);
}

static void next_run(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  if (arm->next.sectors != 0) {
    arm->run = arm->next;
    arm->next.sectors = 0;
  } else {
    plan_run(ctx, request, request->media_done, &arm->run);
  }
  if (ctx->cap.shut || !fw_arm_reaches(ctx, n, arm->run.track)) {
    fw_request_hand_over(ctx, n);
    return;
  }
  if (arm->run.track != arm->track) fw_move_arm(ctx, n, arm->run.track);
  supply_segment(ctx, n);
  fw_try_channel(ctx, n);
}

static void run_done(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t tag = arm->tag;
  struct fw_request* const request = &ctx->requests[tag];
  request->media_done += arm->run.sectors;
  fw_let_go(ctx, n);
  fw_invalidate(ctx, request->lba + arm->run.offset, arm->run.sectors);
  if (ctx->rules.keep_written && ctx->host.look_ahead && !request->marks)
    fw_stream_keep(ctx, arm->run.segment, request->lba + arm->run.offset, arm->run.sectors);
  else
    fw_segment_give(ctx, arm->run.segment);
  arm->run.segment = FW_NO_SEGMENT;
  if (request->media_done != request->sectors) {
    next_run(ctx, n);
    return;
  }
  request->arm = FW_NO_ARM;
  fw_rest(ctx, n);
  fw_complete(ctx, tag);
}

// A part of the run is left, and follows a turn later: the arm left its track (the servo returns by itself), data did
// not come in time, or another arm has moved a sector of the run to a spare. False: nothing is left.
static bool to_be_continued(struct fw_context* ctx, uint32_t n, uint32_t channel, bool strayed) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct fw_run* const run = &arm->run;
  if (arm->check != FW_CHECK_NONE && !strayed) return false;
  if (arm->check == FW_CHECK_NONE) run->written += fw_channel_progress(ctx, channel);
  if (arm->check == FW_CHECK_NONE && run->written == run->sectors) return false;
  fw_try_channel(ctx, n);
  return true;
}

// The pass of several reads is abandoned: each waits for an arm again.
static void ride_no_more(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->run.segment != FW_NO_SEGMENT) fw_segment_give(ctx, arm->run.segment);
  arm->run.segment = FW_NO_SEGMENT;
  for (uint32_t i = 0; i < arm->riders; ++i) {
    fw_account(ctx, arm->rider[i], FW_WAIT_OVER);
    fw_request_to_slot(ctx, arm->rider[i]);
  }
  arm->riders = 0;
}

// A request straight between media and host goes on with another arm, from where it is. A write's data that have come,
// or are on their way, stay in their segments.
static void give_back(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t tag = arm->tag;
  if (tag == FW_NO_TAG) {  // aborted
    if (arm->run.segment != FW_NO_SEGMENT) fw_segment_give(ctx, arm->run.segment);
    arm->run.segment = FW_NO_SEGMENT;
    return;
  }
  struct fw_request* const request = &ctx->requests[tag];
  if (arm->riders != 0) ride_no_more(ctx, n);
  request->left.held = arm->run.segment != FW_NO_SEGMENT;
  request->left.run = arm->run;
  request->left.next = arm->next;
  request->left.check = arm->check;
  request->left.unit = arm->check_unit;
  request->arm = FW_NO_ARM;
  uint32_t rest;
  const uint64_t at = fw_request_media_lba(ctx, tag);
  fw_translate(ctx, at, &request->track, &request->angle, &rest);
  if (ctx->errors.stopped) return;
  if (at == request->lba) request->track_rest = rest;
  fw_request_to_slot(ctx, tag);
}

void fw_request_hand_over(struct fw_context* ctx, uint32_t n) {
  give_back(ctx, n);
  if (!ctx->errors.stopped) fw_rest(ctx, n);
}

static bool use_segment(struct fw_context* ctx, uint32_t n, uint16_t segment) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->run.segment = segment;
  if (!ctx->requests[arm->tag].write) return true;  // one pass that reads
  if (ctx->requests[arm->tag].marks) {
    arm->run.mark = 0;
    arm->run.ordered = arm->run.here = arm->run.sectors;
    return true;
  }
  fw_write_data_order(ctx, arm->tag, &arm->run);
  if (ctx->rules.write_watermark < 100u) fw_fetch_ahead(ctx, n);
  return true;
}

// The unit has already logged the grant for the tag: it belongs to the arm that serves it.
static void granted_in_spite(struct fw_context* ctx, uint32_t tag) {
  ctx->slots.withdrawn[tag] = false;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].tag == tag) fw_account_arm(ctx, tag, n);
}

static void granted(struct fw_context* ctx, uint32_t n, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->state != FW_REQUEST_WAITS_ARM && !ctx->slots.withdrawn[tag]) {
    FW_STOP(ctx);
    return;
  }
  if (request->state != FW_REQUEST_WAITS_ARM) {  // its withdrawal came too late
    granted_in_spite(ctx, tag);
    fw_rest(ctx, n);
    return;
  }
  if (!fw_arm_reaches(ctx, n, request->track)) {  // its head has failed since, or the sectors have moved to a spare
    fw_granted_in_vain(ctx, tag);
    fw_rest(ctx, n);
    return;
  }
  fw_serve(ctx, n, tag);
}

static void again(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  if (request->state != FW_REQUEST_WAITS_ARM) {  // its withdrawal came too late
    if (ctx->slots.withdrawn[tag]) granted_in_spite(ctx, tag);
    return;
  }
  fw_request_from_slot(ctx, tag);
  fw_request_to_slot(ctx, tag);
}

static bool for_write(const struct fw_context* ctx, uint32_t n) {
  const uint32_t tag = ctx->arm[n].tag;
  return tag != FW_NO_TAG && ctx->requests[tag].write;
}

static bool writes(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->check != FW_CHECK_NONE ? arm->check == FW_CHECK_WRITE : for_write(ctx, n);
}

static void on_track(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (arm->tag == FW_NO_TAG)
    fw_rest(ctx, n);  // its request was aborted on the way
  else if (ctx->requests[arm->tag].seek)
    seek_done(ctx, n);
  else
    fw_try_channel(ctx, n);
}

static bool ready(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (arm->run.segment == FW_NO_SEGMENT) return false;
  if (arm->check != FW_CHECK_NONE) return true;     // all of the run has been written
  if (!ctx->requests[arm->tag].write) return true;  // a batch
  if (arm->run.here >= arm->run.mark && arm->run.here != arm->run.written) return true;
  fw_show(ctx, FW_STATE_WAIT_DATA, arm->tag);
  return false;
}

static void extent(const struct fw_context* ctx, uint32_t n, struct fw_access* access) {
  const struct fw_arm* const arm = &ctx->arm[n];
  access->lba = ctx->requests[arm->tag].lba + arm->run.offset;
  access->sectors = arm->run.sectors;
  access->write = true;
  if (ctx->requests[arm->tag].batch != FW_BATCH_NONE)
    access->sectors = 1;  // no other arm can conflict: the sled is here
}

// The channel reads a written sector back, or rewrites it.
static void start_check(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (arm->check == FW_CHECK_READ) {
    fw_check_read(ctx, n, 0, 0);
    return;
  }
  const uint32_t offset = (uint32_t)(arm->check_unit - ctx->requests[arm->tag].lba) - arm->run.offset;
  fw_channel_address(ctx, arm->channel, fw_segment_address(ctx, arm->run.segment) + offset * FW_SECTOR_BYTES);
  fw_check_write(ctx, n, 0);
}

// The rest of the run lies on another track: the arm releases its channel.
static void go_elsewhere(struct fw_context* ctx, uint32_t n, uint32_t track) {
  fw_channel_released(ctx, n);
  ctx->arm[n].state = FW_ARM_ON_TRACK;
  fw_let_go(ctx, n);
  if (fw_arm_reaches(ctx, n, track))
    fw_move_arm(ctx, n, track);
  else
    fw_request_hand_over(ctx, n);
}

static void start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct fw_run* const run = &arm->run;
  if (one_pass(ctx, n)) {
    if (arm->riders != 0)
      fw_rides_start(ctx, n);
    else
      fw_batch_start(ctx, n);
    return;
  }
  if (arm->check != FW_CHECK_NONE) {
    start_check(ctx, n);
    return;
  }
  // Translate only now: while this arm moved or waited, another one may have moved a sector of the run.
  const uint64_t lba = ctx->requests[arm->tag].lba + run->offset + run->written;
  uint32_t track, angle, on_track;
  fw_translate(ctx, lba, &track, &angle, &on_track);
  if (ctx->errors.stopped) return;
  if (track != arm->track) {
    go_elsewhere(ctx, n, track);
    return;
  }
  const uint32_t sectors = least(on_track, run->here - run->written);
  if (ctx->requests[arm->tag].marks) {
    fw_channel_mode(ctx, arm->channel, CHN_MODE_GATHER_MASK);
    fw_channel_blank(ctx, arm->channel, sectors);
  } else {
    fw_channel_address(ctx, arm->channel, fw_segment_address(ctx, run->segment) + run->written * FW_SECTOR_BYTES);
  }
  fw_channel_access(ctx, n, lba, sectors, CHN_CTRL_WRITE_MASK);
  fw_show(ctx, FW_STATE_CHANNEL, arm->tag);
  fw_fetch_ahead(ctx, n);
}

static void done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->tag == FW_NO_TAG) {  // its request was aborted meanwhile
    fw_segment_give(ctx, arm->run.segment);
    arm->run.segment = FW_NO_SEGMENT;
    fw_rest(ctx, n);
    return;
  }
  if (one_pass(ctx, n)) {
    if (arm->riders != 0)
      fw_rides_done(ctx, n, channel, cause);
    else
      fw_batch_done(ctx, n, channel, cause);
    return;
  }
  const bool strayed = cause == FW_CHANNEL_STRAYED;
  if (cause != FW_CHANNEL_UNREADABLE && to_be_continued(ctx, n, channel, strayed)) return;
  if (strayed) cause = FW_CHANNEL_WELL;
  const struct fw_request* const request = &ctx->requests[arm->tag];
  const uint64_t lba = request->lba + arm->run.offset;
  if (request->marks && cause == FW_CHANNEL_WELL) {  // marks are not read back
    run_done(ctx, n);
    return;
  }
  switch (fw_check_written(ctx, n, lba, arm->run.sectors, cause, 0)) {
    case FW_CHECK_GOES_ON:
      break;
    case FW_CHECK_ELSEWHERE:  // a spare where another arm has heads
      fw_request_hand_over(ctx, n);
      break;
    case FW_CHECK_NO_SPARE:
      fw_fail_write(ctx, arm->tag, request->queued, arm->check_unit > request->lba ? arm->check_unit : request->lba);
      break;
    default:
      run_done(ctx, n);
      break;
  }
}

const struct fw_job_ops fw_request_job = {
    .shown = FW_STATE_IDLE,
    .accesses = true,
    .follows_host = true,
    .granted = granted,
    .again = again,
    .slot_lba = fw_request_media_lba,
    .for_write = for_write,
    .writes = writes,
    .on_track = on_track,
    .segment = use_segment,
    .ready = ready,
    .extent = extent,
    .next = fw_check_next,
    .start = start,
    .done = done,
    .give_back = give_back,
};
