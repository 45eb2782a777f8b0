// Arms and heads that fail. The servo reports the failure. Firmware takes the arm out of the arbitration unit's mask,
// or the head out of the arm's, gives the arm's work to others, and continues with the rest. Requests for tracks out of
// reach of all heads fail, one at a time; when no arm is left, the drive reports a device fault.
//
// The heads are then on no track, so an access under way ends with a channel error. The arm's work is given back only
// after that, when the channel no longer uses it.
#include "engine/engine.h"

static void drop_from(struct fw_arm_queue* queue, uint32_t n) {
  uint32_t place = 0;
  while (place < queue->count && queue->arms[place] != n) place++;
  if (place < queue->count) fw_dequeue(queue, place);
}

static void give_back(struct fw_context* ctx, uint32_t n) {
  fw_give_back(ctx, n);
  if (!ctx->arm[n].broken && !ctx->errors.stopped) fw_rest(ctx, n);
}

void fw_give_back(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  // The arm itself may take the work again, with another head.
  arm->state = arm->broken ? FW_ARM_FAILED : FW_ARM_IDLE;
  arm->failing = false;
  arm->prepares = false;
  fw_job_of(ctx, n)->give_back(ctx, n);
  fw_let_go(ctx, n);
  arm->tag = FW_NO_TAG;
  arm->job = FW_JOB_REQUEST;
  arm->check = FW_CHECK_NONE;
}

// The arm leaves all queues.
void fw_leave_queues(struct fw_context* ctx, uint32_t n) {
  drop_from(&ctx->read_cache.segment_queue, n);
  fw_channel_not_wanted(ctx, n);
  ctx->arm[n].waits_segment = false;
}

// The access under way is about to end with an error.
static void stop_access(struct fw_context* ctx, uint32_t n) {
  ctx->arm[n].failing = true;
  fw_channel_stop(ctx, ctx->arm[n].channel);
}

// An arm has arrived on the ramp or from it.
void fw_parked_arm_came(struct fw_context* ctx, bool error) {
  if (error || ctx->pm.moving_parked == 0) {
    FW_STOP(ctx);
    return;
  }
  if (--ctx->pm.moving_parked == 0) fw_due(ctx, FW_DUE_PARKED);
}

uint32_t fw_arms_that_work(const struct fw_context* ctx) {
  uint32_t mask = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) mask |= ctx->arm[n].broken ? 0u : 1u << n;
  return mask;
}

bool fw_any_arm_at_work(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].state != FW_ARM_IDLE && !ctx->arm[n].broken) return true;
  return false;
}

void fw_arm_failed(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->broken) return;
  arm->broken = true;
  ctx->failures.arms++;
  ctx->statistics.off_track++;
  fw_save_soon(ctx);
  fw_count(ctx, FW_COUNTER_FAILED_ARMS, ctx->failures.arms);
  fw_printf(ctx, "arm %u has failed", n);
  const uint32_t mask = fw_arms_that_work(ctx);
  fw_aau_arms(ctx, mask);
  fw_reservations_end(ctx, n);
  fw_aau_arm(ctx, n, arm->place, false);
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (ctx->jobs[job]->arms_left != 0) ctx->jobs[job]->arms_left(ctx, mask);
  if (arm->state == FW_ARM_TRANSFER) {
    stop_access(ctx, n);
    return;
  }
  if (arm->state == FW_ARM_PARKED) {
    arm->state = FW_ARM_FAILED;
    if (ctx->pm.moving_parked != 0 && arm->ordered) fw_parked_arm_came(ctx, false);
    fw_due(ctx, FW_DUE_GONE);
    return;
  }
  fw_leave_queues(ctx, n);
  if (arm->state == FW_ARM_IDLE)
    arm->state = FW_ARM_FAILED;
  else
    give_back(ctx, n);
  fw_due(ctx, FW_DUE_GONE);
}

void fw_head_failed(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->broken) return;
  const uint32_t bit = FW_GET(arm->place, AAU_ARM_HEAD) - arm->first_head;
  uint32_t* const usable = &arm->usable[arm->sub_head];
  if (bit >= 32u) {  // the arbitration unit has no bit for it
    fw_arm_failed(ctx, n);
    return;
  }
  if ((*usable >> bit & 1u) != 0) {
    *usable &= ~(1u << bit);
    fw_count(ctx, FW_COUNTER_FAILED_HEADS, ++ctx->failures.heads);
    fw_printf(ctx, "arm %u: its head on surface %u has failed", n, arm->first_head + bit);
    fw_aau_heads(ctx, n, arm->sub_head, *usable);
    fw_reservations_end(ctx, n);
  }
  if (arm->state == FW_ARM_TRANSFER) {
    stop_access(ctx, n);
    return;
  }
  if (arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK) {
    fw_leave_queues(ctx, n);
    give_back(ctx, n);
  }
  fw_due(ctx, FW_DUE_GONE);
}

// The access that was under way when the arm or its head failed is over.
void fw_arm_access_over(struct fw_context* ctx, uint32_t n) {
  give_back(ctx, n);
  fw_due(ctx, FW_DUE_GONE);
}
