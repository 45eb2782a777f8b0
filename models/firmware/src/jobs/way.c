// Reading ahead makes way for a request: one arm's ends with the sector under its head, that of the arm that would
// reach the request first. If another arm is idle, but farther from it in time, the request waits for that end before
// the arbitration unit sees it. With shared channels it waits in the same way for an arm that reads for somebody just
// before it: the unit leaves a gap behind each access, as another arm would need it, and would send an idle arm.
#include "jobs/jobs.h"

#define SOON_TICKS 4096u  // a sixteenth of a turn: the arm need not wait long for the request's sector
#define STOP_TICKS 256u   // until the sector under the head has passed and the arm is free, about

// The arm reads for nobody, may end that now, and could go to the track.
static bool may_leave(struct fw_context* ctx, uint32_t n, uint32_t track) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->job == FW_JOB_FILL && arm->state == FW_ARM_TRANSFER && fw_stream_yields(ctx, n) &&
         fw_arm_reaches(ctx, n, track) && !fw_stream_in_minimum(ctx, n);
}

// Ticks until the arm could leave its place for the track: it is idle, reads ahead, or its access ends then.
// UINT32_MAX: that is not known, or it has no head there.
uint32_t fw_arm_leaves_in(struct fw_context* ctx, uint32_t n, uint32_t track) {
  if (!fw_arm_reaches(ctx, n, track)) return UINT32_MAX;
  if (fw_arm_free(&ctx->arm[n])) return 0;
  if (may_leave(ctx, n, track)) return STOP_TICKS;
  const uint32_t left = fw_appointment_left(ctx, n);
  return left != 0 ? left : UINT32_MAX;
}

// The arm reads for somebody, or is about to.
static bool goes_on(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const bool busy = arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK || arm->state == FW_ARM_TRANSFER;
  return arm->job == FW_JOB_FILL && busy && arm->segment != FW_NO_SEGMENT && !fw_stream_yields(ctx, n);
}

// The arm does so, up to the request at most.
static bool goes_on_before(const struct fw_context* ctx, uint32_t n, const struct fw_request* request) {
  return goes_on(ctx, n) && ctx->read_cache.segment[ctx->arm[n].segment].plan <= request->lba;
}

// Ticks from now until the arm, which goes on, has read what is wanted and the sector that is under its head then.
static uint32_t goes_on_for(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t end = ctx->read_cache.segment[arm->segment].plan;
  const bool ahead = arm->state == FW_ARM_TRANSFER && arm->lba + arm->sectors > end;
  return fw_appointment_left(ctx, n) + (ahead ? fw_sector_ticks(ctx, end) : 0u);
}

// The arm of which the request waits for the end of what it does, FW_NO_ARM: none. `spare`: other arms are idle, and
// the request may also wait for one that comes to it soon after what it reads now.
static uint32_t chosen(struct fw_context* ctx, const struct fw_request* request, bool spare) {
  uint32_t here;
  const bool known = fw_stack_angle(ctx, fw_stack_of(ctx, request->track), &here);
  if (!known) here = 0;
  uint32_t best = FW_NO_ARM, least = UINT32_MAX;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    if (!fw_arm_reaches(ctx, n, request->track)) continue;
    const bool idle = spare && fw_arm_free(&ctx->arm[n]);
    const bool soon = spare && known && ctx->shared_channels && goes_on_before(ctx, n, request);
    if (!idle && !soon && !may_leave(ctx, n, request->track)) continue;
    const uint32_t after = idle ? 0u : soon ? goes_on_for(ctx, n) : STOP_TICKS;
    const uint32_t time = fw_reckon(ctx, n, request, here, after);
    if (time >= least || (soon && time - after > SOON_TICKS)) continue;
    least = time;
    best = idle ? FW_NO_ARM : n;
  }
  return !known && spare ? FW_NO_ARM : best;
}

bool fw_stream_make_way_for(struct fw_context* ctx, uint32_t tag, bool spare) {
  struct fw_request* const request = &ctx->requests[tag];
  if (ctx->drive.arms == 1u || !ctx->appointments) {
    if (!spare) fw_stream_preempt(ctx, request->track);
    return false;
  }
  if (spare && ctx->overhead.end_read_ahead_us != 0) return false;
  const uint32_t n = chosen(ctx, request, spare);
  if (n == FW_NO_ARM) {
    if (!spare) fw_stream_preempt(ctx, request->track);  // those that read their minimum come free behind it
    return false;
  }
  request->way_goes_on = goes_on(ctx, n);
  if (!request->way_goes_on) fw_channel_stop(ctx, ctx->arm[n].channel);
  if (!spare) return false;
  request->way_arm = (uint8_t)n;
  return true;
}

// The arm that the request waits for has ended what it read ahead, or does not end it: it has got something to read. Or
// it has read all that was wanted, or goes on over the request's first sector.
bool fw_stream_way_made(const struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  const uint32_t n = request->way_arm;
  const struct fw_arm* const arm = &ctx->arm[n];
  const bool ends = arm->job == FW_JOB_FILL && arm->state == FW_ARM_TRANSFER && fw_stream_yields(ctx, n);
  if (!request->way_goes_on) return !ends;
  return !ends && !goes_on_before(ctx, n, request);
}
