// The host's background reads: queued reads with the background priority, which the drive serves in any order on spare
// arms, in waits, and while no other command is under way (scan.c). A read keeps one segment from its first step on,
// as all data of a queued command go to the host at once; what it read is not kept there.
#include "jobs/jobs.h"

#define LEAST 16u  // sectors of a step on the way to a request, unless fewer are left

// The command is a background read, and there is room beside what other commands need.
bool fw_list_takes(const struct fw_context* ctx, const struct fw_request* request) {
  return ctx->spare.earns_us != 0 && request->queued && !request->write && !request->fua &&
         request->sectors <= ctx->buffer.segment_sectors && ctx->buffer.segments > ctx->drive.arms + 1u;
}

// Background reads that have not ended.
uint32_t fw_list_active(const struct fw_context* ctx) {
  uint32_t count = 0;
  for (uint32_t tag = 0; ctx->spare.earns_us != 0 && tag < ctx->drive.queue_depth; ++tag)
    if (ctx->requests[tag].background && ctx->requests[tag].state != FW_REQUEST_FREE) count++;
  return count;
}

// The read's next sector is on a track that no head reaches: it fails as any other request does.
static void fail_unreachable(struct fw_context* ctx, const struct fw_request* request) {
  if (ctx->failures.reach_lost && !fw_reached(ctx, request->track)) fw_due(ctx, FW_DUE_UNREACHABLE);
}

void fw_list_add(struct fw_context* ctx, uint32_t tag) {
  ctx->requests[tag].state = FW_REQUEST_LISTED;
  ctx->background.listed++;
  fw_account(ctx, tag, FW_WAIT_FILL);
  fail_unreachable(ctx, &ctx->requests[tag]);
}

static void off_the_list(struct fw_context* ctx, uint32_t tag) {
  ctx->requests[tag].state = FW_REQUEST_AT_WORK;
  ctx->background.listed--;
  ctx->background.list_done++;
  fw_account(ctx, tag, FW_WAIT_OVER);
}

bool fw_list_waits(const struct fw_context* ctx, uint32_t tag) {
  return ctx->requests[tag].state == FW_REQUEST_LISTED;
}

uint64_t fw_list_lba(const struct fw_context* ctx, uint32_t tag) {
  return ctx->requests[tag].lba + ctx->requests[tag].media_done;
}

uint32_t fw_list_left(const struct fw_context* ctx, uint32_t tag) {
  return ctx->requests[tag].sectors - ctx->requests[tag].media_done;
}

// It waits, and has a segment or may take one.
static bool may_be_read(struct fw_context* ctx, uint32_t tag) {
  return fw_list_waits(ctx, tag) &&
         (ctx->requests[tag].ride_segment != FW_NO_SEGMENT || (fw_segment_may_be_held(ctx) && fw_segment_free(ctx)));
}

// Ticks until an arm that is free, or reads in the background, is at the read's next sector.
static uint32_t ticks_to(struct fw_context* ctx, const struct fw_request* request) {
  uint32_t here, least = UINT32_MAX;
  if (!fw_stack_angle(ctx, fw_stack_of(ctx, request->track), &here)) here = FW_NO_ANGLE;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (!fw_arm_free(arm) && arm->job != FW_JOB_SCAN) continue;
    const uint32_t ticks = fw_reckon(ctx, n, arm->place, request, here, 0);
    if (ticks < least) least = ticks;
  }
  return least;
}

// The read that is to be served next: one that has begun, or else the nearest, or any if no arm is free. FW_NO_TAG:
// there is no segment for one.
uint16_t fw_list_nearest(struct fw_context* ctx) {
  uint16_t nearest = FW_NO_TAG;
  uint32_t least = UINT32_MAX;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    if (!may_be_read(ctx, tag)) continue;
    if (ctx->requests[tag].ride_segment != FW_NO_SEGMENT) return (uint16_t)tag;
    const uint32_t ticks = ticks_to(ctx, &ctx->requests[tag]);
    if (nearest != FW_NO_TAG && ticks >= least) continue;
    least = ticks;
    nearest = (uint16_t)tag;
  }
  return nearest;
}

// The read of which arm n can read most on its way to the slot's request, and how many sectors. 0: none.
uint16_t fw_list_on_the_way(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t ticks, uint32_t* sectors) {
  uint16_t best = FW_NO_TAG;
  uint64_t until = 0;
  *sectors = 0;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (!may_be_read(ctx, tag)) continue;
    const uint32_t there =
        fw_spare_on_the_way(ctx, n, slot, ticks, fw_list_lba(ctx, tag), request->track, request->angle);
    const uint32_t left = fw_list_left(ctx, tag), part = left < request->track_rest ? left : request->track_rest;
    const uint32_t here = there < part ? there : part;
    if (here <= *sectors || (here < LEAST && here < part)) continue;
    *sectors = here;
    best = (uint16_t)tag;
    until = ctx->arm[n].could_end;
  }
  ctx->arm[n].could_end = until;
  return best;
}

// The read's segment; FW_NO_SEGMENT: there is none now.
uint16_t fw_list_segment(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->ride_segment == FW_NO_SEGMENT && may_be_read(ctx, tag)) request->ride_segment = fw_segment_take(ctx);
  return request->ride_segment;
}

// Where its next sector goes.
uint32_t fw_list_address(const struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  return fw_segment_address(ctx, request->ride_segment) + request->media_done * FW_SECTOR_BYTES;
}

// So many more sectors of it are in its segment.
void fw_list_read(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  request->media_done += sectors;
  if (request->media_done < request->sectors) {
    fw_translate(ctx, fw_list_lba(ctx, tag), &request->track, &request->angle, &request->track_rest);
    fail_unreachable(ctx, request);
    return;
  }
  off_the_list(ctx, tag);
  fw_order_transfer(ctx, tag, fw_segment_address(ctx, request->ride_segment), 0, request->sectors,
                    HIF_DMA_GO_TO_HOST_MASK);
}
