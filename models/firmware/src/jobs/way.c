// An arm for a request. If no arm is idle, one that only reads ahead comes free: the one that would reach the request
// first. If one is idle but would come later, the request's slot is reserved for the arm that comes first: one that
// reads ahead and comes free, or one that reads for somebody just before the request.
#include "jobs/jobs.h"

#define SOON_TICKS 4096u  // a sixteenth of a turn: the arm need not wait long for the request's sector
#define GAP_SECTORS 2048u
#define TICKS_OF_A_TURN 65536u
#define STOP_TICKS 256u  // until the sector under the head has passed and the arm is free, about

// The arm reads for nobody, may end that now, and could go to the track.
static bool may_leave(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->job == FW_JOB_FILL && arm->state == FW_ARM_TRANSFER && fw_stream_yields(ctx, n) &&
         !fw_stream_in_minimum(ctx, n);
}

// The arm reads for somebody, or is about to, up to the request at most.
static bool reads_before(const struct fw_context* ctx, uint32_t n, const struct fw_request* request) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const bool busy = arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK || arm->state == FW_ARM_TRANSFER;
  return arm->job == FW_JOB_FILL && busy && arm->segment != FW_NO_SEGMENT && !fw_stream_yields(ctx, n) &&
         ctx->segment[arm->segment].plan <= request->lba;
}

// Ticks from now until that arm has read what is wanted and the sector that is under its head then.
static uint32_t reads_for(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t end = ctx->segment[arm->segment].plan;
  const bool ahead = arm->state == FW_ARM_TRANSFER && arm->lba + arm->sectors > end;
  return fw_booked_ticks(ctx, n) + (ahead ? fw_sector_ticks(ctx, end) : 0u);
}

// The arm at work that comes to the request first; FW_NO_ARM: an idle one does, or it is not known.
static uint32_t first_at_work(struct fw_context* ctx, const struct fw_request* request, bool spare) {
  uint32_t here;
  const bool known = fw_stack_angle(ctx, fw_stack_of(ctx, request->track), &here);
  if (!known) here = 0;
  uint32_t best = FW_NO_ARM, least = UINT32_MAX;
  for (uint32_t n = 0; n < ctx->arms; ++n) {
    if (!fw_arm_reaches(ctx, n, request->track)) continue;
    const bool idle = spare && fw_arm_free(&ctx->arm[n]);
    const bool soon = known && reads_before(ctx, n, request);
    if (!idle && !soon && !may_leave(ctx, n)) continue;
    const uint32_t after = idle ? 0u : soon ? reads_for(ctx, n) : STOP_TICKS;
    const uint32_t time = fw_reckon(ctx, n, request, here, after);
    if (time >= least || (soon && time - after > SOON_TICKS)) continue;
    least = time;
    best = idle ? FW_NO_ARM : n;
  }
  return !known && spare ? FW_NO_ARM : best;
}

// The arm that is reserved for a read shortly in front of the request, on its track: it comes to both. FW_NO_ARM: none.
static uint32_t of_the_read_before(struct fw_context* ctx, const struct fw_request* request) {
  for (uint32_t tag = 0; tag < ctx->queue_depth && ctx->reservations != 0; ++tag) {
    const struct fw_request* const other = &ctx->requests[tag];
    if (other->reserved == FW_NO_ARM || other->write || other->track != request->track) continue;
    const uint64_t end = fw_end_of(other);
    if (request->lba < end || request->lba - end > GAP_SECTORS) continue;
    if ((request->angle - other->angle) % TICKS_OF_A_TURN <= SOON_TICKS) return other->reserved;
  }
  return FW_NO_ARM;
}

void fw_stream_make_way(struct fw_context* ctx, uint32_t tag, bool spare) {
  if (tag == FW_NO_TAG) {
    fw_stream_preempt(ctx, FW_ANY_TRACK);
    return;
  }
  fw_ahead_cancel(ctx);
  if (!ctx->look_ahead) return;
  const struct fw_request* const request = &ctx->requests[tag];
  const bool chooses = ctx->arms != 1u && ctx->schedule.on && (!spare || ctx->end_read_ahead_us == 0);
  uint32_t n = chooses && !request->write ? of_the_read_before(ctx, request) : FW_NO_ARM;
  if (n != FW_NO_ARM) {
    fw_reserve(ctx, tag, n);
    return;
  }
  n = chooses ? first_at_work(ctx, request, spare) : FW_NO_ARM;
  if (n == FW_NO_ARM) {
    if (!spare) fw_stream_preempt(ctx, request->track);
    return;
  }
  const bool ahead = fw_stream_yields(ctx, n);
  if (ahead) fw_channel_stop(ctx, ctx->arm[n].channel);
  if (spare || !ahead) fw_reserve(ctx, tag, n);
}
