// Arms and heads that fail. The servo reports it; the arm is taken out of the arbitration unit's mask, or the head out
// of the arm's, what the arm was about goes to whoever can go on with it, and the drive goes on with the rest. Requests
// for tracks that no head reaches any more fail, one at a time; when no arm is left, the drive reports a device fault.
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
    arm->run.segment = FW_NO_SEGMENT;
    return;
  }
  struct fw_request* const request = &ctx->requests[tag];
  request->kept = arm->run.segment != FW_NO_SEGMENT;
  request->kept_run = arm->run;
  request->kept_next = arm->next;
  request->kept_check = arm->check;
  request->kept_unit = arm->check_unit;
  request->arm = FW_NO_ARM;
  uint32_t rest;
  // What is checked has been written: that goes on where the physical sector lies.
  const uint64_t at =
      request->kept && arm->check != FW_CHECK_NONE ? arm->check_unit : request->lba + request->media_done;
  fw_translate(ctx, at, &request->track, &request->angle, &rest);
  if (ctx->stopped) return;
  if (at == request->lba) request->track_rest = rest;
  fw_request_to_slot(ctx, tag);
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
  // With another of its heads the arm itself may be the next.
  arm->state = arm->broken ? FW_ARM_FAILED : FW_ARM_IDLE;
  arm->failing = false;
  if (arm->job == FW_JOB_FILL)
    give_back_fill(ctx, n);
  else if (arm->job == FW_JOB_DESTAGE)
    fw_destage_give_back(ctx, n);
  else if (arm->job == FW_JOB_REQUEST)
    give_back_request(ctx, n);
  else if (arm->job == FW_JOB_PLACE)
    fw_placement_over(ctx);
  else if (!arm->broken)
    fw_background_give_back(ctx, n);
  fw_let_go(ctx, n);
  arm->tag = FW_NO_TAG;
  arm->job = FW_JOB_REQUEST;
  arm->check = FW_CHECK_NONE;
  if (!arm->broken && !ctx->stopped) fw_rest(ctx, n);
}

void fw_hand_over(struct fw_context* ctx, uint32_t n) {
  give_back_request(ctx, n);
  if (!ctx->stopped) fw_rest(ctx, n);
}

static bool any_left(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->arms; ++n)
    if (!ctx->arm[n].broken) return true;
  return false;
}

// The arm or its head is out of service, and what it did is with the others.
static void gone(struct fw_context* ctx) {
  if (ctx->stopped) return;
  ctx->reach_lost = !fw_reaches_all(ctx);
  ctx->unreachable_due = ctx->reach_lost;
  if (!ctx->fault && !any_left(ctx)) {
    fw_device_fault(ctx, "no arm is left: device fault");
    if (ctx->draining) fw_drained(ctx);
  } else if (ctx->draining) {
    fw_drained(ctx);
  } else {
    fw_background_without(ctx);
    if (ctx->reach_lost) fw_ahead_cancel(ctx);
    if (ctx->reach_lost) fw_destage_unreachable(ctx);
    fw_destage_update(ctx);
    fw_serve_segment_queue(ctx);
    fw_serve_channel_queue(ctx);
    fw_power_rest(ctx);
  }
}

// It does not wait for anything any longer.
static void leave_queues(struct fw_context* ctx, uint32_t n) {
  drop_from(&ctx->segment_queue, n);
  fw_channel_not_wanted(ctx, n);
  ctx->arm[n].waits_segment = false;
}

// The access under way is about to end with an error.
static void stop_access(struct fw_context* ctx, uint32_t n) {
  ctx->arm[n].failing = true;
  fw_stop_channel(ctx, n);
}

uint32_t fw_arms_that_work(const struct fw_context* ctx) {
  uint32_t mask = 0;
  for (uint32_t n = 0; n < ctx->arms; ++n) mask |= ctx->arm[n].broken ? 0u : 1u << n;
  return mask;
}

void fw_arm_failed(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->broken) return;
  arm->broken = true;
  ctx->failed_arms++;
  fw_count(ctx, FW_COUNTER_FAILED_ARMS, ctx->failed_arms);
  fw_print(ctx, "an arm has failed");
  const uint32_t mask = fw_arms_that_work(ctx);
  fw_write(ctx, SOC_AAU_BASE, AAU_ARM_MASK, mask);
  fw_write(ctx, SOC_AAU_BASE, AAU_ARM(n), arm->place);
  ctx->background.recalibration_due &= mask;
  if (arm->state == FW_ARM_TRANSFER) {
    stop_access(ctx, n);
    return;
  }
  if (arm->state == FW_ARM_PARKED) {
    arm->state = FW_ARM_FAILED;
    if (ctx->moving_parked != 0 && arm->ordered) fw_parked_arm_event(ctx, false);
    gone(ctx);
    return;
  }
  leave_queues(ctx, n);
  if (arm->state == FW_ARM_IDLE)
    arm->state = FW_ARM_FAILED;
  else
    give_back(ctx, n);
  gone(ctx);
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
    fw_count(ctx, FW_COUNTER_FAILED_HEADS, ++ctx->failed_heads);
    fw_print(ctx, "a head has failed");
    fw_write(ctx, SOC_AAU_BASE, AAU_HEAD_MASK(FW_MAX_HEADS * n + arm->sub_head), *usable);
  }
  if (arm->state == FW_ARM_TRANSFER) {
    stop_access(ctx, n);
    return;
  }
  if (arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK) {
    leave_queues(ctx, n);
    give_back(ctx, n);
  }
  gone(ctx);
}

// The access that was under way when the arm or its head failed is over.
void fw_arm_access_over(struct fw_context* ctx, uint32_t n) {
  give_back(ctx, n);
  gone(ctx);
}

void fw_granted_in_vain(struct fw_context* ctx, uint32_t slot) {
  if (slot < ctx->queue_depth) {
    struct fw_request* const request = &ctx->requests[slot];
    if (!request->active || !request->waits_arm) return;
    fw_request_from_slot(ctx, slot);
    fw_request_to_slot(ctx, slot);
  } else if (slot - ctx->queue_depth < FW_MAX_WRITEBACK_SLOTS) {
    fw_destage_again(ctx, slot - ctx->queue_depth);
  } else if (fw_ahead_slot(ctx, slot)) {
    ctx->ahead_waits = false;
  } else {
    fw_background_again(ctx, slot);
  }
}

// First sector that the request needs an arm for.
static uint64_t waits_at(const struct fw_context* ctx, const struct fw_request* request) {
  if (request->segment != FW_NO_SEGMENT) return ctx->segment[request->segment].end;
  return request->kept && request->kept_check != FW_CHECK_NONE ? request->kept_unit
                                                               : request->lba + request->media_done;
}

// A request that lies where no head comes any more fails. The first is enough: with a queued one all others are
// dropped, and the host issues them again.
void fw_unreachable_due(struct fw_context* ctx) {
  ctx->unreachable_due = false;
  if (ctx->stopped || ctx->draining || ctx->fault) return;
  for (uint32_t tag = 0; tag < ctx->queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (!request->active) continue;
    if (!request->unreachable) {
      if (!request->waits_arm || fw_reached(ctx, request->track)) continue;
      request->bad_lba = waits_at(ctx, request);
    }
    const uint64_t lba = request->bad_lba > request->lba ? request->bad_lba : request->lba;
    fw_fail(ctx, tag, request->queued, request->write ? ATA_ERROR_IDNF : ATA_ERROR_UNC, lba);
    return;
  }
}

#define LOOKED_AT 128u  // tracks; what lies behind them is found when the arm comes there, or lost

// Looked at before the write's data are taken.
bool fw_write_unreachable(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (!ctx->reach_lost) return false;
  uint32_t offset = 0;
  for (uint32_t i = 0; i < LOOKED_AT && offset < request->sectors; ++i) {
    uint32_t track, angle, run;
    fw_translate(ctx, request->lba + offset, &track, &angle, &run);
    if (ctx->stopped) return true;
    if (!fw_reached(ctx, track)) {
      request->unreachable = true;
      request->bad_lba = request->lba + offset;
      ctx->unreachable_due = true;
      return true;
    }
    offset += run;
  }
  return false;
}

static bool waits_with_segment(const struct fw_request* request) {
  return request->active && request->waits_arm && (request->kept || request->segment != FW_NO_SEGMENT);
}

// A request that holds segments while it waits for an arm; for arm n, or (FW_NO_ARM) for any.
static uint32_t holder_for(const struct fw_context* ctx, uint32_t n) {
  for (uint32_t tag = 0; tag < ctx->queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (waits_with_segment(request) && (n == FW_NO_ARM || fw_arm_reaches(ctx, n, request->track))) return tag;
  }
  return FW_NO_TAG;
}

// The arm waits for a segment: its request waits for an arm again.
static void give_up_waiting(struct fw_context* ctx, uint32_t n) {
  leave_queues(ctx, n);
  if (ctx->arm[n].job == FW_JOB_FILL)
    give_back_fill(ctx, n);
  else
    give_back_request(ctx, n);
}

static void commit_held_back(struct fw_context* ctx) {
  for (uint32_t tag = 0; tag < ctx->queue_depth && ctx->held_back != 0; ++tag) {
    if (!ctx->requests[tag].held_back) continue;
    fw_request_from_slot(ctx, tag);
    fw_request_to_slot(ctx, tag);
  }
}

// Requests that go on with another arm hold segments until they have it. If that waits for a segment, too, it takes
// them first, so that the two do not wait for each other. The same if it may not have a request as long as one waits
// for a segment: that one waits without an arm.
void fw_serve_holders(struct fw_context* ctx) {
  for (uint32_t place = 0; place < ctx->segment_queue.count;) {
    const uint32_t n = ctx->segment_queue.arms[place++];
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->state != FW_ARM_ON_TRACK || arm->tag == FW_NO_TAG) continue;
    const uint32_t tag = holder_for(ctx, n);
    if (tag != FW_NO_TAG) {
      fw_withdraw_slot(ctx, tag);
      give_up_waiting(ctx, n);
      if (ctx->stopped) return;
      arm->state = FW_ARM_IDLE;  // as a granted one
      fw_serve(ctx, n, tag);
      place = 0;
    } else if (ctx->in_service_limit != 0 && holder_for(ctx, FW_NO_ARM) != FW_NO_TAG) {
      ctx->requests[arm->tag].held_back = true;
      ctx->held_back++;
      give_up_waiting(ctx, n);
      if (ctx->stopped) return;
      fw_rest(ctx, n);
      place = 0;
    }
    if (ctx->stopped) return;
  }
  if (ctx->held_back != 0 && holder_for(ctx, FW_NO_ARM) == FW_NO_TAG) commit_held_back(ctx);
}
