// Media commands from grant to completion: arms, channels, data over the link.
#include "firmware.h"

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

void fw_translate(struct fw_context* ctx, uint64_t lba, uint32_t* track, uint32_t* angle, uint32_t* run) {
  fw_write(ctx, SOC_CHN_BASE(0), CHN_XL_LBA_HI, (uint32_t)(lba >> 32));
  fw_write(ctx, SOC_CHN_BASE(0), CHN_XL_LBA_LO, (uint32_t)lba);
  *track = fw_read(ctx, SOC_CHN_BASE(0), CHN_XL_TRACK);
  const uint32_t place = fw_read(ctx, SOC_CHN_BASE(0), CHN_XL_PLACE);
  *angle = FW_GET(place, CHN_XL_PLACE_ANGLE);
  *run = FW_GET(place, CHN_XL_PLACE_RUN);
  // The range has been checked: here factory record and geometry disagree.
  if ((*track & CHN_XL_TRACK_INVALID_MASK) != 0 || *run == 0) FW_STOP(ctx);
}

static void plan_run(struct fw_context* ctx, const struct fw_request* request, uint32_t offset, struct fw_run* run) {
  uint32_t rest = request->track_rest;
  run->track = request->track;
  if (offset != 0) {
    uint32_t angle;
    fw_translate(ctx, request->lba + offset, &run->track, &angle, &rest);
  }
  run->offset = offset;
  // What is written ends with a physical sector.
  const uint32_t most = ctx->segment_sectors / ctx->physical_sectors * ctx->physical_sectors;
  run->sectors = least(least(rest, most), request->sectors - offset);
  run->segment = FW_NO_SEGMENT;
  run->mark = fw_write_data_first(ctx, run);
  run->ordered = 0;
  run->parts = 0;
  run->here = 0;
  run->written = 0;
}

void fw_order_transfer(struct fw_context* ctx, uint32_t tag, uint32_t address, uint32_t offset, uint32_t sectors,
                       uint32_t direction) {
  ctx->transfers++;
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_ADDR, address);
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_OFFSET, offset);
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_GO,
           FW_SET(HIF_DMA_GO_TAG, tag) | FW_SET(HIF_DMA_GO_SECTORS, sectors) | direction |
               (ctx->requests[tag].queued ? HIF_DMA_GO_QUEUED_MASK : 0u));
}

// Whether the host interface takes so many transfers of segments and lines now. If not, who asks is asked again when
// enough others have ended. A write that waits for room comes before what asks later and needs less.
bool fw_transfers_fit(struct fw_context* ctx, uint32_t count) {
  const bool fit = !ctx->lines_short && ctx->transfers + count <= ctx->transfer_limit;
  ctx->transfers_short = ctx->transfers_short || !fit;
  return fit;
}

static void serve_short_of_transfers(struct fw_context* ctx) {
  if (!ctx->transfers_short || ctx->transfers > ctx->transfer_limit / 2u) return;
  ctx->transfers_short = false;
  fw_serve_line_queue(ctx);
  fw_lines_send(ctx);
  fw_streams_send(ctx);
}

// Does the arm's next access to the media write?
bool fw_arm_writes(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (arm->check != FW_CHECK_NONE) return arm->check == FW_CHECK_WRITE;
  if (arm->job == FW_JOB_DESTAGE) return !fw_destage_reads(ctx, n);
  return arm->job == FW_JOB_REQUEST && arm->tag != FW_NO_TAG && ctx->requests[arm->tag].write;
}

void fw_move_arm(struct fw_context* ctx, uint32_t n, uint32_t track) {
  fw_send_arm(ctx, n, track, ctx->jogs && fw_arm_writes(ctx, n));
}

// `writes`: to where it writes the track, not to where it reads it.
void fw_send_arm(struct fw_context* ctx, uint32_t n, uint32_t track, bool writes) {
  struct fw_arm* const arm = &ctx->arm[n];
  const bool write = arm->job == FW_JOB_DESTAGE || (arm->tag != FW_NO_TAG && ctx->requests[arm->tag].write);
  // A write behind a write follows the track on which the arm has been held for writing.
  const bool settle = ctx->repositions && arm->state == FW_ARM_IDLE && !(write && arm->wrote);
  arm->wrote = write;
  if (arm->job <= FW_JOB_DESTAGE) fw_placement_learn(ctx, track);
  fw_place_arm(ctx, n, track, writes);
  if (ctx->stopped) return;
  arm->state = FW_ARM_MOVING;
  fw_write(ctx, SOC_SRV_BASE(n), SRV_TARGET, arm->place);
  fw_write(ctx, SOC_SRV_BASE(n), SRV_CTRL,
           (arm->tag == FW_NO_TAG ? SRV_CTRL_ANONYMOUS_MASK : FW_SET(SRV_CTRL_TAG, arm->tag)) |
               FW_SET(SRV_CTRL_SUB_HEAD, arm->sub_head) | (write ? SRV_CTRL_WRITE_MASK : 0u) |
               (settle ? SRV_CTRL_SETTLE_MASK : 0u) | SRV_CTRL_GO_MASK);
  if (arm->tag != FW_NO_TAG) fw_show(ctx, FW_STATE_SEEK, arm->tag);
}

static void use_segment(struct fw_context* ctx, uint32_t n, uint16_t segment) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->job == FW_JOB_FILL) {
    fw_stream_segment(ctx, n, segment);
    return;
  }
  arm->run.segment = segment;
  fw_write_data_order(ctx, arm->tag, &arm->run);
  if (ctx->write_watermark < 100u) fw_fetch_ahead(ctx, n);
}

// A segment for the arm's job, now or when one comes free.
bool fw_take_segment_or_wait(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->segment_queue.count == 0) {
    const uint16_t segment = fw_segment_take(ctx);
    if (segment != FW_NO_SEGMENT) {
      use_segment(ctx, n, segment);
      return true;
    }
  }
  arm->waits_segment = true;
  fw_enqueue(&ctx->segment_queue, n);
  fw_appointments_pass(ctx);
  fw_hits_want_release(ctx);
  fw_show(ctx, FW_STATE_WAIT_SEGMENT, arm->tag);
  return false;
}

// A segment for the arm's run.
static void supply_segment(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (arm->run.segment == FW_NO_SEGMENT && !arm->waits_segment) fw_take_segment_or_wait(ctx, n);
}

// The data of a write's next run come over the link behind this one's if a segment is to be had: while this one is on
// the media, or, if it may begin before its data are there, without a pause.
void fw_fetch_ahead(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  const uint32_t offset = arm->run.offset + arm->run.sectors;
  if (offset == request->sectors || arm->next.sectors != 0 || arm->run.ordered != arm->run.sectors) return;
  if (ctx->segment_queue.count != 0 || !fw_segment_free(ctx)) return;
  plan_run(ctx, request, offset, &arm->next);
  if (!fw_arm_reaches(ctx, n, arm->next.track)) {  // another one does, which fetches them itself
    arm->next.sectors = 0;
    return;
  }
  arm->next.segment = fw_segment_take(ctx);
  fw_write_data_order(ctx, arm->tag, &arm->next);
}

// Starts the arm's channel; what is particular to the access has been written.
void fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t base = SOC_CHN_BASE(arm->channel);
  fw_write(ctx, base, CHN_LBA_HI, (uint32_t)(lba >> 32));
  fw_write(ctx, base, CHN_LBA_LO, (uint32_t)lba);
  fw_write(ctx, base, CHN_CTRL,
           FW_SET(CHN_CTRL_TAG, arm->tag == FW_NO_TAG ? 0u : arm->tag) | FW_SET(CHN_CTRL_SECTORS, sectors) |
               FW_SET(CHN_CTRL_ARM, n) | flags | CHN_CTRL_GO_MASK);
}

void fw_stop_channel(struct fw_context* ctx, uint32_t n) {
  fw_write(ctx, SOC_CHN_BASE(ctx->arm[n].channel), CHN_STOP, CHN_STOP_STOP_MASK);
}

void fw_start_channel(struct fw_context* ctx, uint32_t n, uint32_t channel) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->state = FW_ARM_TRANSFER;
  arm->channel = (uint8_t)channel;
  ctx->channel_arm[channel] = (uint8_t)n;
  if (arm->check != FW_CHECK_NONE) {
    fw_check_start(ctx, n);
    return;
  }
  if (arm->job == FW_JOB_FILL) {
    fw_stream_start(ctx, n);
    return;
  }
  if (arm->job == FW_JOB_DESTAGE) {
    fw_destage_start(ctx, n);
    return;
  }
  if (arm->job == FW_JOB_SCAN) {
    fw_scan_start(ctx, n);
    return;
  }
  struct fw_run* const run = &arm->run;
  fw_write(ctx, SOC_CHN_BASE(channel), CHN_ADDRESS,
           fw_segment_address(ctx, run->segment) + run->written * FW_SECTOR_BYTES);
  fw_channel_access(ctx, n, ctx->requests[arm->tag].lba + run->offset + run->written, run->here - run->written,
                    CHN_CTRL_WRITE_MASK);
  fw_show(ctx, FW_STATE_CHANNEL, arm->tag);
  fw_fetch_ahead(ctx, n);
}

void fw_serve_segment_queue(struct fw_context* ctx) {
  while (ctx->segment_queue.count != 0 && fw_segment_free(ctx)) {
    const uint32_t n = fw_dequeue(&ctx->segment_queue, 0);
    ctx->arm[n].waits_segment = false;
    use_segment(ctx, n, fw_segment_take(ctx));
    if (ctx->arm[n].job == FW_JOB_REQUEST) fw_try_channel(ctx, n);
  }
}

void fw_granted(struct fw_context* ctx) {
  const uint32_t grant = fw_read(ctx, SOC_AAU_BASE, AAU_GRANT);
  if ((grant & AAU_GRANT_VALID_MASK) == 0) return;
  const uint32_t tag = FW_GET(grant, AAU_GRANT_SLOT);
  const uint32_t n = FW_GET(grant, AAU_GRANT_ARM);
  fw_appointed(ctx, grant);
  fw_write(ctx, SOC_AAU_BASE, AAU_GRANT_ACK, AAU_GRANT_ACK_ACK_MASK);
  // Withdrawn when it was granted already, and the arm has been sent to the ramp, or to where it waits, since.
  if (n < ctx->arms && (ctx->arm[n].state == FW_ARM_PARKED || ctx->arm[n].job == FW_JOB_PLACE)) return;
  if (n < ctx->arms && ctx->arm[n].broken) {
    fw_granted_in_vain(ctx, tag);
    return;
  }
  if (n >= ctx->arms || ctx->arm[n].state != FW_ARM_IDLE) {
    FW_STOP(ctx);
    return;
  }
  ctx->arm[n].wished_head = (uint8_t)FW_GET(grant, AAU_GRANT_HEAD);
  if (tag >= ctx->queue_depth) {
    if (fw_ahead_slot(ctx, tag))
      fw_ahead_granted(ctx, n);
    else if (tag - ctx->queue_depth >= FW_MAX_WRITEBACK_SLOTS)
      fw_background_granted(ctx, n, tag);
    else
      fw_destage_granted(ctx, n, tag - ctx->queue_depth);
    return;
  }
  struct fw_request* const request = &ctx->requests[tag];
  if (!request->waits_arm && !request->withdrawn) {
    FW_STOP(ctx);
    return;
  }
  if (!request->waits_arm) {  // it needed no arm any more when it was granted
    request->withdrawn = false;
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

void fw_serve(struct fw_context* ctx, uint32_t n, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  fw_request_from_slot(ctx, tag);
  struct fw_arm* const arm = &ctx->arm[n];
  if (!request->write && !request->seek) {
    fw_stream_granted(ctx, n, tag);
    return;
  }
  arm->job = FW_JOB_REQUEST;
  request->arm = (uint8_t)n;
  arm->tag = (uint16_t)tag;
  arm->next.sectors = 0;
  if (request->kept) {
    arm->run = request->kept_run;
    arm->next = request->kept_next;
    arm->check = request->kept_check;
    arm->check_unit = request->kept_unit;
    request->kept = false;
  } else {
    plan_run(ctx, request, request->media_done, &arm->run);
  }
  fw_move_arm(ctx, n, arm->check != FW_CHECK_NONE ? request->track : arm->run.track);
  if (!request->seek) supply_segment(ctx, n);
}

// The arm is where SEEK wants it.
static void seek_done(struct fw_context* ctx, uint32_t n) {
  const uint32_t tag = ctx->arm[n].tag;
  ctx->requests[tag].arm = FW_NO_ARM;
  fw_rest(ctx, n);
  fw_complete(ctx, tag);
}

void fw_servo_event(struct fw_context* ctx, uint32_t n) {
  const uint32_t status = fw_read(ctx, SOC_SRV_BASE(n), SRV_INTSTAT);
  fw_write(ctx, SOC_SRV_BASE(n), SRV_INTSTAT, status);
  struct fw_arm* const arm = &ctx->arm[n];
  const uint8_t state = arm->state;
  if ((status & SRV_INTSTAT_HEAD_FAULT_MASK) != 0) fw_head_failed(ctx, n);
  if ((status & SRV_INTSTAT_FAULT_MASK) != 0) {
    fw_arm_failed(ctx, n);
    return;
  }
  if (arm->broken || ((status & SRV_INTSTAT_HEAD_FAULT_MASK) != 0 && state != FW_ARM_PARKED)) return;
  if (arm->state == FW_ARM_PARKED) {
    if ((status & (SRV_INTSTAT_READY_MASK | SRV_INTSTAT_ERROR_MASK)) == 0) return;
    arm->ordered = false;
    fw_parked_arm_event(ctx, (status & SRV_INTSTAT_ERROR_MASK) != 0);
    return;
  }
  if ((status & SRV_INTSTAT_ERROR_MASK) != 0 || arm->state != FW_ARM_MOVING) {
    FW_STOP(ctx);
    return;
  }
  arm->state = FW_ARM_ON_TRACK;
  if (ctx->limits_moving) fw_write(ctx, SOC_AAU_BASE, AAU_ARRIVED, 1u << n);
  const bool filled = arm->job == FW_JOB_FILL;
  if (filled)
    fw_stream_on_track(ctx, n);
  else if (arm->job == FW_JOB_DESTAGE)
    fw_try_channel(ctx, n);
  else if (arm->job == FW_JOB_SCAN)
    fw_scan_on_track(ctx, n);
  else if (arm->job == FW_JOB_RECALIBRATE)
    fw_recalibration_on_track(ctx, n);
  else if (arm->job == FW_JOB_PLACE)
    fw_placement_on_track(ctx, n);
  else if (arm->tag == FW_NO_TAG)
    fw_rest(ctx, n);  // its request was aborted on the way
  else if (arm->job == FW_JOB_REQUEST && ctx->requests[arm->tag].seek)
    seek_done(ctx, n);
  else
    fw_try_channel(ctx, n);
  if (filled) fw_serve_segment_queue(ctx);  // perhaps it has left its segment
  fw_power_rest(ctx);
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
  if (arm->run.track != arm->track) {
    if (!fw_arm_reaches(ctx, n, arm->run.track)) {
      fw_hand_over(ctx, n);
      return;
    }
    fw_move_arm(ctx, n, arm->run.track);
  }
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
  if (ctx->keep_written && ctx->look_ahead)
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

// Off track, which also happens if another arm has moved sectors of the run to spares while this one was on its way:
// the write fails, whose data were fetched for the run as it was.
static void access_failed(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  fw_fail(ctx, arm->tag, request->queued, ATA_ERROR_IDNF, request->lba + arm->run.offset);
}

// The run began before all of its data were there, and those did not come in time: the rest follows a turn later.
static bool to_be_continued(struct fw_context* ctx, uint32_t n, uint32_t channel, bool error) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct fw_run* const run = &arm->run;
  if (error || arm->check != FW_CHECK_NONE || run->mark == run->sectors) return false;
  run->written += fw_read(ctx, SOC_CHN_BASE(channel), CHN_PROGRESS);
  if (run->written == run->sectors) return false;
  fw_try_channel(ctx, n);
  return true;
}

// Whether there is more to do before the run is done.
static bool written(struct fw_context* ctx, uint32_t n, uint32_t channel, bool* error) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  const enum fw_check_result result =
      fw_check_written(ctx, n, request->lba + arm->run.offset, arm->run.sectors, channel, *error);
  *error = result == FW_CHECK_ERROR;
  return result == FW_CHECK_GOES_ON;
}

void fw_channel_event(struct fw_context* ctx, uint32_t channel) {
  const uint32_t status = fw_read(ctx, SOC_CHN_BASE(channel), CHN_INTSTAT);
  fw_write(ctx, SOC_CHN_BASE(channel), CHN_INTSTAT, status);
  if ((status & CHN_INTSTAT_RETRIED_MASK) != 0) fw_count_reads(ctx, channel);
  const uint32_t n = ctx->channel_arm[channel];
  if (n == FW_NO_ARM) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arm* const arm = &ctx->arm[n];
  bool error = (status & CHN_INTSTAT_ERROR_MASK) != 0;
  if (arm->job == FW_JOB_FILL && (status & (CHN_INTSTAT_DONE_MASK | CHN_INTSTAT_ERROR_MASK)) == 0) {
    fw_stream_mark(ctx, n);
    return;
  }
  if (arm->job == FW_JOB_DESTAGE && (status & (CHN_INTSTAT_DONE_MASK | CHN_INTSTAT_ERROR_MASK)) == 0) {
    fw_destage_mark(ctx, n);
    return;
  }
  if ((status & (CHN_INTSTAT_DONE_MASK | CHN_INTSTAT_ERROR_MASK)) == 0) {  // nobody else sets a mark
    FW_STOP(ctx);
    return;
  }
  if (error) {
    const uint32_t servo = fw_read(ctx, SOC_SRV_BASE(n), SRV_INTSTAT);
    if ((servo & SRV_INTSTAT_HEAD_FAULT_MASK) != 0) {
      fw_write(ctx, SOC_SRV_BASE(n), SRV_INTSTAT, SRV_INTSTAT_HEAD_FAULT_MASK);
      fw_head_failed(ctx, n);
    }
    if ((servo & SRV_INTSTAT_FAULT_MASK) != 0) fw_arm_failed(ctx, n);
  }
  fw_channel_released(ctx, n);
  if (arm->failing) {
    fw_arm_access_over(ctx, n);
    return;
  }
  arm->state = FW_ARM_ON_TRACK;
  if (arm->job == FW_JOB_FILL || arm->job == FW_JOB_SCAN) fw_let_go(ctx, n);
  if (arm->job == FW_JOB_FILL) {
    fw_stream_done(ctx, n, channel, error);
  } else if (arm->job == FW_JOB_DESTAGE) {
    fw_destage_done(ctx, n, channel, error);
  } else if (arm->job == FW_JOB_SCAN) {
    fw_scan_done(ctx, n, channel, error);
  } else if (arm->tag == FW_NO_TAG) {  // its request was aborted meanwhile
    fw_segment_give(ctx, arm->run.segment);
    arm->run.segment = FW_NO_SEGMENT;
    fw_rest(ctx, n);
  } else if (to_be_continued(ctx, n, channel, error) || written(ctx, n, channel, &error)) {
    if (ctx->draining) return;  // it has failed
  } else if (error) {
    access_failed(ctx, n);
    return;
  } else {
    run_done(ctx, n);
  }
  fw_serve_segment_queue(ctx);
  fw_serve_channel_queue(ctx);
  fw_power_rest(ctx);
}

void fw_dma_event(struct fw_context* ctx) {
  const uint32_t done = fw_read(ctx, SOC_HIF_BASE, HIF_DMA_DONE);
  if ((done & HIF_DMA_DONE_VALID_MASK) == 0) return;
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_POP, HIF_DMA_POP_POP_MASK);
  ctx->transfers--;
  const uint32_t tag = FW_GET(done, HIF_DMA_DONE_TAG);
  const uint32_t sectors = FW_GET(done, HIF_DMA_DONE_SECTORS);
  const struct fw_request* const request = &ctx->requests[tag];
  if (!request->active) {
    FW_STOP(ctx);
    return;
  }
  if ((done & HIF_DMA_DONE_ERROR_MASK) != 0)
    fw_fail(ctx, tag, request->queued, ATA_ERROR_ICRC | ATA_ERROR_ABRT, request->lba);
  else if (request->in_lines && request->write)
    fw_lines_received(ctx, tag, sectors);
  else if (request->in_lines)
    fw_lines_sent(ctx, tag, sectors);
  else if (request->segment != FW_NO_SEGMENT)
    fw_stream_sent(ctx, tag, sectors);
  else
    fw_write_data_came(ctx, tag, sectors);
  serve_short_of_transfers(ctx);
}

void fw_rest(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->tag = FW_NO_TAG;
  arm->job = FW_JOB_REQUEST;
  arm->check = FW_CHECK_NONE;
  arm->state = FW_ARM_IDLE;
  fw_let_go(ctx, n);
  if (ctx->background.recalibration_late && fw_recalibration_wants(ctx, n) && !ctx->draining &&
      ctx->power == FW_POWER_ACTIVE) {
    fw_recalibrate(ctx, n);
    return;
  }
  fw_write(ctx, SOC_AAU_BASE, AAU_ARM(n), arm->place | AAU_ARM_IDLE_MASK);
  fw_placement_rested(ctx, n);
  if (ctx->draining)
    fw_drained(ctx);
  else
    fw_power_rest(ctx);
}

void fw_complete(struct fw_context* ctx, uint32_t tag) {
  if (!fw_delay_complete(ctx, tag)) fw_finish(ctx, tag);
}

void fw_finish(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->active = false;
  ctx->active_requests--;
  fw_write(ctx, SOC_HIF_BASE, HIF_COMPLETE,
           FW_SET(HIF_COMPLETE_TAG, tag) | (request->queued ? HIF_COMPLETE_QUEUED_MASK : 0u));
  fw_show(ctx, FW_STATE_COMPLETE, tag);
  fw_standby_rearm(ctx);
}
