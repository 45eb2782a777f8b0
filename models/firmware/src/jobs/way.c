// Finds an arm for a request. If no arm is idle, one that only reads ahead comes free: the one that would reach the
// request first. The request's slot is reserved for a busy arm that comes to it before an idle one would (because it
// stops reading ahead, or reads just before the request), or for the arm that a read shortly in front has or will get.
#include "jobs/jobs.h"

#define SOON_TICKS 4096u  // a sixteenth of a turn: the arm need not wait long for the request's sector
#define STOP_TICKS 256u   // about the time until the sector under the head has passed and the arm is free

// The arm only reads ahead, and may stop now.
static bool may_leave(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->job == FW_JOB_FILL && arm->state == FW_ARM_TRANSFER && fw_stream_yields(ctx, n) &&
         !fw_stream_in_minimum(ctx, n);
}

// The arm reads for other requests, or is about to, up to this request at most.
static bool reads_before(const struct fw_context* ctx, uint32_t n, const struct fw_request* request) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const bool busy = arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK || arm->state == FW_ARM_TRANSFER;
  return arm->job == FW_JOB_FILL && busy && arm->segment != FW_NO_SEGMENT && !fw_stream_yields(ctx, n) &&
         ctx->read_cache.segment[arm->segment].plan <= request->lba;
}

// Ticks until that arm has read what is wanted, and the sector that is then under its head.
static uint32_t reads_for(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t end = ctx->read_cache.segment[arm->segment].plan;
  const bool ahead = arm->state == FW_ARM_TRANSFER && arm->lba + arm->sectors > end;
  return fw_booked_ticks(ctx, n) + (ahead ? fw_sector_ticks(ctx, end) : 0u);
}

// An arm, and the ticks until it comes to a request.
struct arrival {
  uint32_t arm, ticks;
};

// The arm that comes to the request first, of those that can stop reading ahead or that read just before the request.
// `idle`: also of idle arms. `busy`: also of arms at work, once they are free. FW_NO_ARM: none, or unknown.
static struct arrival first_to_come(struct fw_context* ctx, const struct fw_request* request, bool idle, bool busy) {
  struct arrival first = {FW_NO_ARM, UINT32_MAX};
  uint32_t here = 0;
  const bool known = fw_stack_angle(ctx, fw_stack_of(ctx, request->track), &here);
  if (!known && idle) return first;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const bool free = idle && fw_arm_free(&ctx->arm[n]);
    const bool soon = known && reads_before(ctx, n, request);
    if (!fw_arm_reaches(ctx, n, request->track)) continue;
    uint32_t after = busy ? fw_booked_ticks(ctx, n) : 0u;
    if (may_leave(ctx, n)) after = STOP_TICKS;
    if (soon) after = reads_for(ctx, n);
    if (!free && after == 0) continue;
    const uint32_t ticks = fw_reckon(ctx, n, ctx->arm[n].place, request, here, free ? 0u : after);
    if (ticks < first.ticks && !(soon && !busy && ticks - after > SOON_TICKS)) first = (struct arrival){n, ticks};
  }
  return first;
}

// The arm of a read shortly in front of the request, which serves both. FW_NO_ARM: none.
static uint32_t of_the_read_before(struct fw_context* ctx, const struct fw_request* request) {
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const other = &ctx->requests[tag];
    if (other->state != FW_REQUEST_WAITS_ARM || other->write || other->seek || request->lba < fw_end_of(other))
      continue;
    if (!fw_soon_behind(ctx, request, fw_end_of(other))) continue;
    return other->reserved != FW_NO_ARM ? other->reserved : first_to_come(ctx, other, true, true).arm;
  }
  return FW_NO_ARM;
}

// Reserves the request's slot for that arm, and moves bookings in its way.
static void reserve(struct fw_context* ctx, uint32_t tag, const struct arrival* first) {
  const uint64_t lba = fw_request_media_lba(ctx, tag);
  fw_reserve(ctx, tag, first->arm);
  fw_make_room(ctx, first->arm, first->ticks, lba, fw_request_media_end(ctx, tag) - lba);
}

// `spare`: an arm is idle.
static void find_arm(struct fw_context* ctx, uint32_t tag, bool spare) {
  const struct fw_request* const request = &ctx->requests[tag];
  const uint32_t before = request->write ? FW_NO_ARM : of_the_read_before(ctx, request);
  if (before != FW_NO_ARM) {
    fw_reserve(ctx, tag, before);
    return;
  }
  const struct arrival first = first_to_come(ctx, request, spare, false);
  if (first.arm == FW_NO_ARM) {
    if (!spare) fw_stream_preempt(ctx, request->track);
  } else if (!fw_arm_free(&ctx->arm[first.arm])) {
    const bool ahead = fw_stream_yields(ctx, first.arm);
    if (ahead) fw_channel_stop(ctx, ctx->arm[first.arm].channel);
    if (spare || !ahead) reserve(ctx, tag, &first);
  }
}

void fw_stream_make_way(struct fw_context* ctx, uint32_t tag, bool spare) {
  if (tag == FW_NO_TAG) {
    fw_stream_preempt(ctx, FW_ANY_TRACK);
    return;
  }
  fw_ahead_cancel(ctx);
  if (!ctx->host.look_ahead) return;
  if (ctx->drive.arms != 1u && ctx->schedule.on && (!spare || ctx->overhead.end_read_ahead_us == 0))
    find_arm(ctx, tag, spare);
  else if (!spare)
    fw_stream_preempt(ctx, ctx->requests[tag].track);
}
