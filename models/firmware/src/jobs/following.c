// Reads that follow another one. A read that begins where another one that waits for an arm ends, or in it, or shortly
// behind it on its track, is no candidate of its own if the arm that comes first to that one comes to it, too, before
// another arm would. The unit keeps the one for an arm at work, decides on the other without that arm, and would send
// another one for it: a run of neighbours would fall to pieces.
#include "jobs/jobs.h"

#define TICKS_OF_A_TURN 65536u
#define GAP_TICKS 2048u    // at most, between reads of which one follows the other
#define GAP_SECTORS 2048u  // in that time, of a track's 65,535 at most

// The read goes through a segment, with others that begin where it ends.
static bool shares(const struct fw_request* request) {
  return !request->write && !request->fua && !request->seek && request->batch == FW_BATCH_NONE && !request->lines.used;
}

// The sector behind the last one that is wanted with the read.
static uint64_t end_with(const struct fw_context* ctx, const struct fw_request* request) {
  return request->segment != FW_NO_SEGMENT ? ctx->read_cache.segment[request->segment].plan : fw_end_of(request);
}

// The request begins shortly behind sector `end`, on the track where that lies, and an arm that comes free at `end` is
// in time for it.
static bool soon_behind(struct fw_context* ctx, const struct fw_request* request, uint64_t end) {
  if (request->lba - end > GAP_SECTORS) return false;
  uint32_t track, angle, rest;
  fw_translate(ctx, end, &track, &angle, &rest);
  const uint32_t gap = (request->angle - angle) % TICKS_OF_A_TURN;
  return track == request->track && gap >= ctx->slots.reckoning.margin && gap <= GAP_TICKS;
}

// The read that the request follows, or FW_NO_TAG. One that follows another itself leads to that one.
static uint32_t leader_of(struct fw_context* ctx, const struct fw_request* request) {
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const other = &ctx->requests[tag];
    if (other->state != FW_REQUEST_WAITS_ARM && other->state != FW_REQUEST_FOLLOWS) continue;
    if (!shares(other) || request->lba < other->lba) continue;
    const uint64_t end = end_with(ctx, other);
    if (request->lba > end && !soon_behind(ctx, request, end)) continue;
    const uint32_t leader = other->state == FW_REQUEST_FOLLOWS ? other->behind : tag;
    if (ctx->requests[leader].state == FW_REQUEST_WAITS_ARM) return leader;
  }
  return FW_NO_TAG;
}

// An arm, and the ticks until it comes to a sector.
struct arrival {
  uint32_t arm, ticks;
};

// The first of the arms, but `except`, to come to the request; FW_NO_ARM: none, or it is not known.
static struct arrival first_to_come(struct fw_context* ctx, const struct fw_request* request, uint32_t except) {
  struct arrival first = {FW_NO_ARM, UINT32_MAX};
  uint32_t here;
  if (!fw_stack_angle(ctx, fw_stack_of(ctx, request->track), &here)) return first;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const uint32_t after = n == except ? UINT32_MAX : fw_arm_leaves_in(ctx, n, request->track);
    const uint32_t ticks = after == UINT32_MAX ? UINT32_MAX : fw_reckon(ctx, n, request, here, after);
    if (ticks < first.ticks) first = (struct arrival){n, ticks};
  }
  return first;
}

// The arm that comes first to the leader comes to what follows before another one would.
static bool comes_sooner(struct fw_context* ctx, const struct fw_request* leader, const struct fw_request* request) {
  const struct arrival first = first_to_come(ctx, leader, FW_NO_ARM);
  if (first.arm == FW_NO_ARM) return false;
  const uint32_t between = (request->angle - leader->angle) % TICKS_OF_A_TURN;
  return first.ticks + between <= first_to_come(ctx, request, first.arm).ticks;
}

// The read, for which no segment is there, follows another one if it can. False: it needs an arm itself.
bool fw_follow(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (!ctx->appointments || ctx->slots.waiting == 0 || !shares(request)) return false;
  const uint32_t leader = leader_of(ctx, request);
  if (leader == FW_NO_TAG || !comes_sooner(ctx, &ctx->requests[leader], request)) return false;
  request->state = FW_REQUEST_FOLLOWS;
  request->behind = (uint16_t)leader;
  ctx->following++;
  fw_account(ctx, tag, FW_WAIT_ARM);
  return true;
}

// It has got a segment, or needs an arm itself.
void fw_follow_no_more(struct fw_context* ctx, uint32_t tag) {
  ctx->requests[tag].state = FW_REQUEST_AT_WORK;
  ctx->following--;
}

// The leader waits for an arm, or has one that waits for a segment: when it gets that, its followers join.
static bool still_leads(const struct fw_context* ctx, uint32_t tag) {
  if (ctx->requests[tag].state == FW_REQUEST_WAITS_ARM) return true;
  if (ctx->requests[tag].state != FW_REQUEST_AT_WORK) return false;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->job == FW_JOB_FILL && arm->tag == tag && arm->segment == FW_NO_SEGMENT) return true;
  }
  return false;
}

// At a handler's end: those whose leader has gone on without them start anew, in their order on the disk, so that they
// may follow each other.
void fw_serve_followers(struct fw_context* ctx) {
  while (ctx->following != 0) {
    uint32_t first = FW_NO_TAG;
    for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
      const struct fw_request* const request = &ctx->requests[tag];
      if (request->state != FW_REQUEST_FOLLOWS || still_leads(ctx, request->behind)) continue;
      if (first == FW_NO_TAG || request->lba < ctx->requests[first].lba) first = tag;
    }
    if (first == FW_NO_TAG) return;
    fw_follow_no_more(ctx, first);
    fw_account(ctx, first, FW_WAIT_OVER);
    fw_start_later(ctx, first);
  }
}
