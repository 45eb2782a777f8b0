// Reading ahead makes way for a request: one arm's ends with the sector under its head, that of the arm that would
// reach the request first. If another arm is idle, but farther from it in time, the request waits for that end before
// the arbitration unit sees it.
#include "jobs/jobs.h"

#define STOP_TICKS 256u  // until the sector under the head has passed and the arm is free, about

// The arm reads for nobody, may end that now, and could go to the track.
static bool may_leave(struct fw_context* ctx, uint32_t n, uint32_t track) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->job == FW_JOB_FILL && arm->state == FW_ARM_TRANSFER && fw_stream_yields(ctx, n) &&
         fw_arm_reaches(ctx, n, track) && !fw_stream_in_minimum(ctx, n);
}

// The arm whose reading ahead is to end for the request, FW_NO_ARM: none. `spare`: other arms are idle.
static uint32_t chosen(struct fw_context* ctx, const struct fw_request* request, bool spare) {
  uint32_t here;
  const bool known = fw_stack_angle(ctx, fw_stack_of(ctx, request->track), &here);
  if (!known) here = 0;
  uint32_t best = FW_NO_ARM, least = UINT32_MAX;
  for (uint32_t n = 0; n < ctx->arms; ++n) {
    const bool idle = fw_arm_free(&ctx->arm[n]) && fw_arm_reaches(ctx, n, request->track);
    if (!(spare && idle) && !may_leave(ctx, n, request->track)) continue;
    const uint32_t time = fw_reckon(ctx, n, request, here, idle ? 0u : STOP_TICKS);
    if (time >= least) continue;
    least = time;
    best = idle ? FW_NO_ARM : n;
  }
  return !known && spare ? FW_NO_ARM : best;
}

bool fw_stream_make_way_for(struct fw_context* ctx, uint32_t tag, bool spare) {
  struct fw_request* const request = &ctx->requests[tag];
  if (ctx->arms == 1u || !ctx->appointments) {
    if (!spare) fw_stream_preempt(ctx, request->track);
    return false;
  }
  if (spare && ctx->end_read_ahead_us != 0) return false;
  const uint32_t n = chosen(ctx, request, spare);
  if (n == FW_NO_ARM) {
    if (!spare) fw_stream_preempt(ctx, request->track);  // those that read their minimum come free behind it
    return false;
  }
  fw_channel_stop(ctx, ctx->arm[n].channel);
  if (!spare) return false;
  request->way_arm = (uint8_t)n;
  return true;
}

// The arm that the request waits for has ended what it read ahead, or does not end it: it has got something to read.
bool fw_stream_way_made(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return !(arm->job == FW_JOB_FILL && arm->state == FW_ARM_TRANSFER && fw_stream_yields(ctx, n));
}
