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
  run->sectors = least(least(rest, ctx->segment_sectors), request->sectors - offset);
  run->segment = FW_NO_SEGMENT;
  run->data_here = false;
}

static void queue_dma(struct fw_context* ctx, uint32_t tag, const struct fw_run* run, uint32_t direction) {
  const bool queued = ctx->requests[tag].queued;
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_ADDR, fw_segment_address(ctx, run->segment));
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_OFFSET, run->offset);
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_GO,
           FW_SET(HIF_DMA_GO_TAG, tag) | FW_SET(HIF_DMA_GO_SECTORS, run->sectors) | direction |
               (queued ? HIF_DMA_GO_QUEUED_MASK : 0u));
}

static void move_arm(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->track = arm->run.track;
  arm->state = FW_ARM_MOVING;
  fw_write(ctx, SOC_SRV_BASE(n), SRV_TARGET, arm->track);
  fw_write(
      ctx, SOC_SRV_BASE(n), SRV_CTRL,
      FW_SET(SRV_CTRL_TAG, arm->tag) | (ctx->requests[arm->tag].write ? SRV_CTRL_WRITE_MASK : 0u) | SRV_CTRL_GO_MASK);
  fw_show(ctx, FW_STATE_SEEK, arm->tag);
}

static void use_segment(struct fw_context* ctx, uint32_t n, uint16_t segment) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->run.segment = segment;
  if (ctx->requests[arm->tag].write) queue_dma(ctx, arm->tag, &arm->run, 0);
}

// A segment for the arm's run. A read with two runs on the link waits for the older one (fw_dma_event asks again).
static void supply_segment(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  if (arm->run.segment != FW_NO_SEGMENT || arm->waits_segment) return;
  if (!request->write && request->link_runs > 1) return;
  if (ctx->segment_queue.count == 0) {
    const uint16_t segment = fw_segment_take(ctx);
    if (segment != FW_NO_SEGMENT) {
      use_segment(ctx, n, segment);
      return;
    }
  }
  arm->waits_segment = true;
  fw_enqueue(&ctx->segment_queue, n);
  fw_show(ctx, FW_STATE_WAIT_SEGMENT, arm->tag);
}

// While a write's run is on the media, the next one's data come over the link if a segment is to be had.
static void fetch_ahead(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  const uint32_t offset = arm->run.offset + arm->run.sectors;
  if (!request->write || offset == request->sectors) return;
  if (ctx->segment_queue.count != 0 || ctx->free_segment_count == 0) return;
  plan_run(ctx, request, offset, &arm->next);
  arm->next.segment = fw_segment_take(ctx);
  queue_dma(ctx, arm->tag, &arm->next, 0);
}

static uint32_t free_channel(const struct fw_context* ctx) {
  for (uint32_t channel = 0; channel < ctx->channels; ++channel)
    if (ctx->channel_arm[channel] == FW_NO_ARM) return channel;
  return FW_NO_CHANNEL;
}

static void start_channel(struct fw_context* ctx, uint32_t n, uint32_t channel) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  const uint64_t lba = request->lba + arm->run.offset;
  const uint32_t base = SOC_CHN_BASE(channel);
  arm->state = FW_ARM_TRANSFER;
  arm->channel = (uint8_t)channel;
  ctx->channel_arm[channel] = (uint8_t)n;
  fw_write(ctx, base, CHN_LBA_HI, (uint32_t)(lba >> 32));
  fw_write(ctx, base, CHN_LBA_LO, (uint32_t)lba);
  fw_write(ctx, base, CHN_ADDRESS, fw_segment_address(ctx, arm->run.segment));
  fw_write(ctx, base, CHN_CTRL,
           FW_SET(CHN_CTRL_TAG, arm->tag) | FW_SET(CHN_CTRL_SECTORS, arm->run.sectors) | FW_SET(CHN_CTRL_ARM, n) |
               (request->write ? CHN_CTRL_WRITE_MASK : 0u) | CHN_CTRL_GO_MASK);
  fw_show(ctx, FW_STATE_CHANNEL, arm->tag);
  fetch_ahead(ctx, n);
}

// Starts a channel if the arm has all that the run needs.
static void try_channel(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->state != FW_ARM_ON_TRACK || arm->waits_channel || arm->run.segment == FW_NO_SEGMENT) return;
  if (ctx->requests[arm->tag].write && !arm->run.data_here) {
    fw_show(ctx, FW_STATE_WAIT_DATA, arm->tag);
    return;
  }
  const uint32_t channel = ctx->channel_queue.count == 0 ? free_channel(ctx) : FW_NO_CHANNEL;
  if (channel != FW_NO_CHANNEL) {
    start_channel(ctx, n, channel);
    return;
  }
  arm->waits_channel = true;
  fw_enqueue(&ctx->channel_queue, n);
  fw_show(ctx, FW_STATE_WAIT_CHANNEL, arm->tag);
}

static void serve_segment_queue(struct fw_context* ctx) {
  while (ctx->segment_queue.count != 0 && ctx->free_segment_count != 0) {
    const uint32_t n = fw_dequeue(&ctx->segment_queue);
    ctx->arm[n].waits_segment = false;
    use_segment(ctx, n, fw_segment_take(ctx));
    try_channel(ctx, n);
  }
}

static void serve_channel_queue(struct fw_context* ctx) {
  while (ctx->channel_queue.count != 0) {
    const uint32_t channel = free_channel(ctx);
    if (channel == FW_NO_CHANNEL) return;
    const uint32_t n = fw_dequeue(&ctx->channel_queue);
    ctx->arm[n].waits_channel = false;
    start_channel(ctx, n, channel);
  }
}

void fw_granted(struct fw_context* ctx) {
  const uint32_t grant = fw_read(ctx, SOC_AAU_BASE, AAU_GRANT);
  if ((grant & AAU_GRANT_VALID_MASK) == 0) return;
  const uint32_t tag = FW_GET(grant, AAU_GRANT_SLOT);
  const uint32_t n = FW_GET(grant, AAU_GRANT_ARM);
  fw_write(ctx, SOC_AAU_BASE, AAU_GRANT_ACK, AAU_GRANT_ACK_ACK_MASK);
  struct fw_request* const request = &ctx->requests[tag];
  if (n >= ctx->arms || ctx->arm[n].state != FW_ARM_IDLE || !request->active || request->arm != FW_NO_ARM) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arm* const arm = &ctx->arm[n];
  request->arm = (uint8_t)n;
  arm->tag = (uint16_t)tag;
  arm->next.sectors = 0;
  plan_run(ctx, request, 0, &arm->run);
  move_arm(ctx, n);
  supply_segment(ctx, n);
}

void fw_servo_event(struct fw_context* ctx, uint32_t n) {
  const uint32_t status = fw_read(ctx, SOC_SRV_BASE(n), SRV_INTSTAT);
  fw_write(ctx, SOC_SRV_BASE(n), SRV_INTSTAT, status);
  struct fw_arm* const arm = &ctx->arm[n];
  if ((status & SRV_INTSTAT_ERROR_MASK) != 0 || arm->state != FW_ARM_MOVING) {
    FW_STOP(ctx);
    return;
  }
  arm->state = FW_ARM_ON_TRACK;
  if (arm->tag == FW_NO_TAG)
    fw_rest(ctx, n);  // its request was aborted on the way
  else
    try_channel(ctx, n);
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
  if (arm->run.track != arm->track) move_arm(ctx, n);
  supply_segment(ctx, n);
  try_channel(ctx, n);
}

static void run_done(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t tag = arm->tag;
  struct fw_request* const request = &ctx->requests[tag];
  request->media_done += arm->run.sectors;
  if (request->write) {
    fw_segment_give(ctx, arm->run.segment);
  } else {
    request->link_segments[request->link_runs++] = arm->run.segment;
    queue_dma(ctx, tag, &arm->run, HIF_DMA_GO_TO_HOST_MASK);
    fw_show(ctx, FW_STATE_DATA_OUT, tag);
  }
  arm->run.segment = FW_NO_SEGMENT;
  if (request->media_done != request->sectors) {
    next_run(ctx, n);
    return;
  }
  request->arm = FW_NO_ARM;
  fw_rest(ctx, n);
  if (request->write) fw_complete(ctx, tag);
}

void fw_channel_event(struct fw_context* ctx, uint32_t channel) {
  const uint32_t status = fw_read(ctx, SOC_CHN_BASE(channel), CHN_INTSTAT);
  fw_write(ctx, SOC_CHN_BASE(channel), CHN_INTSTAT, status);
  const uint32_t n = ctx->channel_arm[channel];
  if (n == FW_NO_ARM) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arm* const arm = &ctx->arm[n];
  ctx->channel_arm[channel] = FW_NO_ARM;
  arm->channel = FW_NO_CHANNEL;
  arm->state = FW_ARM_ON_TRACK;
  if (arm->tag == FW_NO_TAG) {  // its request was aborted meanwhile
    fw_segment_give(ctx, arm->run.segment);
    arm->run.segment = FW_NO_SEGMENT;
    fw_rest(ctx, n);
  } else if ((status & CHN_INTSTAT_ERROR_MASK) != 0) {
    const struct fw_request* const request = &ctx->requests[arm->tag];
    fw_fail(ctx, arm->tag, request->queued, ATA_ERROR_IDNF, request->lba + arm->run.offset);
    return;
  } else {
    run_done(ctx, n);
  }
  serve_segment_queue(ctx);
  serve_channel_queue(ctx);
}

static void data_out_done(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->link_runs == 0) {
    FW_STOP(ctx);
    return;
  }
  fw_segment_give(ctx, request->link_segments[0]);
  request->link_segments[0] = request->link_segments[1];
  request->link_runs--;
  request->link_done += sectors;
  if (request->link_done == request->sectors) {
    fw_complete(ctx, tag);
  } else if (request->arm != FW_NO_ARM) {
    supply_segment(ctx, request->arm);
    try_channel(ctx, request->arm);
  }
  serve_segment_queue(ctx);
}

static void data_in_done(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  if (request->arm == FW_NO_ARM) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arm* const arm = &ctx->arm[request->arm];
  if (arm->run.data_here) {
    arm->next.data_here = true;
  } else {
    arm->run.data_here = true;
    try_channel(ctx, request->arm);
  }
}

void fw_dma_event(struct fw_context* ctx) {
  const uint32_t done = fw_read(ctx, SOC_HIF_BASE, HIF_DMA_DONE);
  if ((done & HIF_DMA_DONE_VALID_MASK) == 0) return;
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_POP, HIF_DMA_POP_POP_MASK);
  const uint32_t tag = FW_GET(done, HIF_DMA_DONE_TAG);
  const struct fw_request* const request = &ctx->requests[tag];
  if (!request->active) {
    FW_STOP(ctx);
    return;
  }
  if ((done & HIF_DMA_DONE_ERROR_MASK) != 0)
    fw_fail(ctx, tag, request->queued, ATA_ERROR_ICRC | ATA_ERROR_ABRT, request->lba);
  else if ((done & HIF_DMA_DONE_TO_HOST_MASK) != 0)
    data_out_done(ctx, tag, FW_GET(done, HIF_DMA_DONE_SECTORS));
  else
    data_in_done(ctx, tag);
}

void fw_rest(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->tag = FW_NO_TAG;
  arm->state = FW_ARM_IDLE;
  fw_write(ctx, SOC_AAU_BASE, AAU_ARM(n), arm->track | AAU_ARM_IDLE_MASK);
  if (ctx->draining) fw_drained(ctx);
}

void fw_complete(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->active = false;
  ctx->active_requests--;
  fw_write(ctx, SOC_HIF_BASE, HIF_COMPLETE,
           FW_SET(HIF_COMPLETE_TAG, tag) | (request->queued ? HIF_COMPLETE_QUEUED_MASK : 0u));
  fw_show(ctx, FW_STATE_COMPLETE, tag);
}
