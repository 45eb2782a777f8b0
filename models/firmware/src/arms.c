// Arms that fail. The servo reports it; the arm is taken out of the arbitration unit's mask, what it was about goes to
// the others, and the drive goes on with them. When a surface has no arm left, the drive reports a device fault.
//
// An access under way ends with an error of its channel, because the heads are on no track any more: only then is the
// arm's work given back, so that nothing of it is still in the channel.
#include "firmware.h"

static void drop_from(struct fw_arm_queue* queue, uint32_t n) {
  uint32_t place = 0;
  while (place < queue->count && queue->arms[place] != n) place++;
  if (place < queue->count) fw_dequeue(queue, place);
}

// A request straight between media and host goes on with another arm, where it stands. Data of a write that have come,
// or are on their way, stay in their segments.
static void give_back_request(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t tag = arm->tag;
  if (tag == FW_NO_TAG) {  // aborted
    if (arm->run.segment != FW_NO_SEGMENT) fw_segment_give(ctx, arm->run.segment);
    return;
  }
  struct fw_request* const request = &ctx->requests[tag];
  if (!request->write && arm->run.segment != FW_NO_SEGMENT) {
    fw_segment_give(ctx, arm->run.segment);
    arm->run.segment = FW_NO_SEGMENT;
  }
  request->kept = request->write && arm->run.segment != FW_NO_SEGMENT;
  request->kept_run = arm->run;
  request->kept_next = arm->next;
  request->arm = FW_NO_ARM;
  uint32_t rest;
  fw_translate(ctx, request->lba + request->media_done, &request->track, &request->angle, &rest);
  if (request->media_done == 0) request->track_rest = rest;
  if (!ctx->stopped) fw_request_to_slot(ctx, tag);
}

// The segment gets another arm for the first request that lacks something.
static void give_back_fill(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint16_t index = arm->segment;
  arm->segment = FW_NO_SEGMENT;
  if (index == FW_NO_SEGMENT) {  // it waited for one
    if (arm->tag != FW_NO_TAG) fw_request_to_slot(ctx, arm->tag);
    return;
  }
  fw_stream_orphaned(ctx, index);
}

static void give_back(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->state = FW_ARM_FAILED;
  arm->failing = false;
  if (arm->job == FW_JOB_FILL)
    give_back_fill(ctx, n);
  else if (arm->job == FW_JOB_DESTAGE)
    fw_destage_give_back(ctx, n);
  else if (arm->job == FW_JOB_REQUEST)
    give_back_request(ctx, n);
  fw_let_go(ctx, n);
  arm->tag = FW_NO_TAG;
  arm->job = FW_JOB_REQUEST;
  arm->check = FW_CHECK_NONE;
}

// Each surface has an arm.
static bool all_reached(const struct fw_context* ctx) {
  const uint32_t heads = fw_read((struct fw_context*)ctx, SOC_NVM_BASE, (uint32_t)offsetof(struct fw_factory, heads));
  for (uint32_t head = 0; head < heads; ++head) {
    bool reached = false;
    for (uint32_t n = 0; n < ctx->arms; ++n)
      reached = reached || (!ctx->arm[n].broken && fw_arm_reaches(ctx, n, FW_SET(SRV_TARGET_HEAD, head)));
    if (!reached) return false;
  }
  return true;
}

// The arm is out of service, and what it did is with the others.
static void gone(struct fw_context* ctx) {
  if (ctx->stopped) return;
  if (!ctx->fault && !all_reached(ctx)) {
    fw_device_fault(ctx, "no arm is left: device fault");
  } else if (ctx->draining) {
    fw_drained(ctx);
  } else {
    fw_background_without(ctx);
    fw_destage_update(ctx);
    fw_serve_segment_queue(ctx);
    fw_serve_channel_queue(ctx);
    fw_power_rest(ctx);
  }
}

void fw_arm_failed(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->broken) return;
  arm->broken = true;
  ctx->failed_arms++;
  fw_count(ctx, FW_COUNTER_FAILED_ARMS, ctx->failed_arms);
  fw_print(ctx, "an arm has failed");
  uint32_t mask = 0;
  for (uint32_t i = 0; i < ctx->arms; ++i) mask |= ctx->arm[i].broken ? 0u : 1u << i;
  fw_write(ctx, SOC_AAU_BASE, AAU_ARM_MASK, mask);
  fw_write(ctx, SOC_AAU_BASE, AAU_ARM(n), arm->track);
  ctx->background.recalibration_due &= mask;
  if (arm->state == FW_ARM_TRANSFER) {
    arm->failing = true;  // its channel is about to say so
    fw_write(ctx, SOC_CHN_BASE(arm->channel), CHN_STOP, CHN_STOP_STOP_MASK);
    return;
  }
  if (arm->state == FW_ARM_PARKED) {
    arm->state = FW_ARM_FAILED;
    if (ctx->moving_parked != 0 && arm->ordered) fw_parked_arm_event(ctx, false);
    gone(ctx);
    return;
  }
  drop_from(&ctx->segment_queue, n);
  fw_channel_not_wanted(ctx, n);
  arm->waits_segment = false;
  if (arm->state == FW_ARM_IDLE)
    arm->state = FW_ARM_FAILED;
  else
    give_back(ctx, n);
  gone(ctx);
}

// The access that was under way when the arm failed is over.
void fw_arm_access_over(struct fw_context* ctx, uint32_t n) {
  give_back(ctx, n);
  gone(ctx);
}

// A grant that was made before the unit knew: what it was for waits again.
void fw_granted_to_failed(struct fw_context* ctx, uint32_t slot) {
  if (slot < ctx->queue_depth) {
    struct fw_request* const request = &ctx->requests[slot];
    if (!request->active || !request->waits_arm) return;
    ctx->waiting_requests--;
    fw_request_to_slot(ctx, slot);
  } else if (slot - ctx->queue_depth < FW_MAX_WRITEBACK_SLOTS) {
    fw_destage_again(ctx, slot - ctx->queue_depth);
  } else {
    fw_background_again(ctx, slot);
  }
}
