// Requests that hold segments while they wait for an arm.
#include "jobs/jobs.h"

static bool waits_with_segment(const struct fw_request* request) {
  return request->state == FW_REQUEST_WAITS_ARM && (request->left.held || request->segment != FW_NO_SEGMENT);
}

// A request that holds segments while it waits for an arm; for arm n, or (FW_NO_ARM) for any.
static uint32_t holder_for(const struct fw_context* ctx, uint32_t n) {
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (waits_with_segment(request) && (n == FW_NO_ARM || fw_arm_reaches(ctx, n, request->track))) return tag;
  }
  return FW_NO_TAG;
}

// The arm stops waiting for a segment: its request waits for an arm again.
static void give_up_waiting(struct fw_context* ctx, uint32_t n) {
  fw_leave_queues(ctx, n);
  fw_job_of(ctx, n)->give_back(ctx, n);
}

static void commit_held_back(struct fw_context* ctx) {
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth && ctx->held_back != 0; ++tag) {
    if (ctx->requests[tag].withheld != FW_WITHHELD_FOR_HOLDER) continue;
    fw_request_from_slot(ctx, tag);
    fw_request_to_slot(ctx, tag);
  }
}

// A request that goes on with another arm holds its segments while it waits. An arm that waits for a segment serves
// such a request first, so that the two do not deadlock. If it reaches none, and arms in service or segments are
// limited, its own request waits without an arm.
void fw_serve_holders(struct fw_context* ctx) {
  for (uint32_t place = 0; place < ctx->read_cache.segment_queue.count;) {
    const uint32_t n = ctx->read_cache.segment_queue.arms[place++];
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->state != FW_ARM_ON_TRACK || arm->tag == FW_NO_TAG) continue;
    const uint32_t tag = holder_for(ctx, n);
    if (tag != FW_NO_TAG) {
      fw_withdraw_slot(ctx, tag);
      give_up_waiting(ctx, n);
      if (ctx->errors.stopped) return;
      arm->state = FW_ARM_IDLE;  // as if granted
      fw_book_later(ctx, n);
      fw_account_arm(ctx, tag, n);
      fw_serve(ctx, n, tag);
      place = 0;
    } else if ((ctx->slots.in_service_limit != 0 || ctx->buffer.segments < ctx->drive.arms) &&
               holder_for(ctx, FW_NO_ARM) != FW_NO_TAG) {
      ctx->requests[arm->tag].withheld = FW_WITHHELD_FOR_HOLDER;
      ctx->held_back++;
      give_up_waiting(ctx, n);
      if (ctx->errors.stopped) return;
      fw_rest(ctx, n);
      place = 0;
    }
    if (ctx->errors.stopped) return;
  }
  if (ctx->held_back != 0 && holder_for(ctx, FW_NO_ARM) == FW_NO_TAG) commit_held_back(ctx);
}
