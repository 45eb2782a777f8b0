// Events from the mechanics and the arbitration unit: grants, arms on their track, channels at a mark or at the end of
// an access. Each is passed to the arm's job.
#include "engine/engine.h"

// The access may be longer than its slot announced, as a slot has a limit and requests may have joined since: tell the
// unit now, before it plans the channel for others. Stop read-ahead so that a channel is free in time.
static void book_the_rest(struct fw_context* ctx, uint32_t n, uint32_t slot) {
  fw_reservations_granted(ctx, n, slot);
  if (slot < ctx->drive.queue_depth) fw_extend(ctx, n, fw_request_media_end(ctx, slot));
  if (!fw_slot_yields(ctx, slot) && fw_channel_contested(ctx, n)) fw_make_way(ctx, FW_NO_TAG, false);
}

void fw_serve_grant(struct fw_context* ctx, uint32_t n, uint32_t slot) {
  fw_job_of_slot(ctx, slot)->granted(ctx, n, slot);
  if (!ctx->schedule.shared || fw_slot_yields(ctx, slot)) return;
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (ctx->jobs[job]->booked != 0) ctx->jobs[job]->booked(ctx, n);
}

static bool used_first(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t ticks) {
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (ctx->jobs[job]->first != 0 && ctx->jobs[job]->first(ctx, n, slot, ticks)) return true;
  return false;
}

// Until the first sector of what has been granted; 0: nobody wants to know.
static uint32_t ticks_to_sector(struct fw_context* ctx, uint32_t n) {
  if (ctx->spare.earns_us == 0 || n >= ctx->drive.arms) return 0;
  return ctx->schedule.on ? fw_booking_begins(ctx, n) : fw_aau_estimate(ctx);
}

void fw_granted(struct fw_context* ctx) {
  const uint32_t grant = fw_aau_grant(ctx);
  if ((grant & AAU_GRANT_VALID_MASK) == 0) return;
  const uint32_t slot = FW_GET(grant, AAU_GRANT_SLOT);
  const uint32_t n = FW_GET(grant, AAU_GRANT_ARM);
  fw_book(ctx, grant);
  const uint32_t ticks = ticks_to_sector(ctx, n);
  if (ctx->schedule.on && n < ctx->drive.arms) book_the_rest(ctx, n, slot);
  if (n < ctx->drive.arms) fw_acoustic_granted(ctx, n, grant);
  for (uint32_t word = 0; ctx->mems.store.rides && word * 32u < ctx->drive.queue_depth; ++word)
    ctx->mems.rides[word] = fw_aau_rides(ctx, word);
  fw_aau_take_grant(ctx);
  fw_cap_work(ctx);
  // The slot was withdrawn too late, and the arm has been sent to the ramp or its waiting position since.
  const bool retired =
      n < ctx->drive.arms && ctx->arm[n].state != FW_ARM_PARKED && ctx->arm[n].service != FW_IN_SERVICE;
  if (n < ctx->drive.arms && !retired && (ctx->arm[n].state == FW_ARM_PARKED || fw_job_of(ctx, n)->ungranted)) return;
  if (n < ctx->drive.arms && (ctx->arm[n].broken || retired)) {
    fw_granted_in_vain(ctx, slot);
    return;
  }
  if (n >= ctx->drive.arms || ctx->arm[n].state != FW_ARM_IDLE) {
    FW_STOP(ctx);
    return;
  }
  // It was pending when the unit was switched off.
  if (ctx->pm.state == FW_POWER_REST || ctx->pm.state == FW_POWER_SPEED) {
    fw_granted_in_vain(ctx, slot);
    fw_rest(ctx, n);
    return;
  }
  fw_arm_granted(ctx, n);
  ctx->arm[n].wished_head = (uint8_t)FW_GET(grant, AAU_GRANT_HEAD);
  if (ctx->spare.earns_us != 0 && used_first(ctx, n, slot, ticks)) return;
  fw_serve_grant(ctx, n, slot);
}

// At a handler's end: requests whose booking was moved go back to the unit once their arm is on its track. Another arm
// may serve them sooner.
void fw_give_back_moved(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms && !ctx->errors.stopped && !ctx->errors.draining; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    const bool planned =
        arm->state == FW_ARM_ON_TRACK && arm->waits_channel && arm->booking.state == FW_BOOKING_PLANNED;
    if (!arm->booking.moved || !planned || arm->tag == FW_NO_TAG || ctx->requests[arm->tag].moved ||
        arm->job == FW_JOB_DESTAGE || arm->check != FW_CHECK_NONE || arm->around != 0)
      continue;
    ctx->requests[arm->tag].moved = true;
    fw_leave_queues(ctx, n);
    fw_job_of(ctx, n)->give_back(ctx, n);
    if (!ctx->errors.stopped) fw_rest(ctx, n);
  }
}

void fw_servo_event(struct fw_context* ctx, uint32_t n) {
  uint32_t status = fw_servo_events(ctx, n);
  struct fw_arm* const arm = &ctx->arm[n];
  // The arm has not yet left its old track: the fault says nothing about the head of the new one.
  if (arm->prepares) {
    status &= ~SRV_INTSTAT_HEAD_FAULT_MASK;
    if (status == 0) return;
  }
  const uint8_t state = arm->state;
  if ((status & SRV_INTSTAT_HEAD_FAULT_MASK) != 0) fw_head_failed(ctx, n);
  if ((status & SRV_INTSTAT_FAULT_MASK) != 0) {
    fw_arm_failed(ctx, n);
    return;
  }
  if (arm->broken || ((status & SRV_INTSTAT_HEAD_FAULT_MASK) != 0 && state != FW_ARM_PARKED)) return;
  if (arm->state == FW_ARM_PARKED) {
    if ((status & (SRV_INTSTAT_READY_MASK | SRV_INTSTAT_ERROR_MASK)) == 0) return;
    arm->ordered = false;
    fw_parked_arm_came(ctx, (status & SRV_INTSTAT_ERROR_MASK) != 0);
    return;
  }
  if ((status & SRV_INTSTAT_ERROR_MASK) != 0 || arm->state != FW_ARM_MOVING) {
    FW_STOP(ctx);
    return;
  }
  arm->state = FW_ARM_ON_TRACK;
  if (ctx->slots.limits_moving) fw_aau_arrived(ctx, n);
  fw_job_of(ctx, n)->on_track(ctx, n);
  fw_due(ctx, FW_DUE_REST | (arm->booking.moved ? FW_DUE_MOVED : 0u));
}

// An access ends with an error if its arm or head has failed.
static void learn_faults(struct fw_context* ctx, uint32_t n) {
  const uint32_t servo = fw_servo_faults(ctx, n);
  if ((servo & SRV_INTSTAT_HEAD_FAULT_MASK) != 0) {
    fw_servo_take_head_fault(ctx, n);
    fw_head_failed(ctx, n);
  }
  if ((servo & SRV_INTSTAT_FAULT_MASK) != 0) fw_arm_failed(ctx, n);
}

// A channel has retried a sector or given one up: adds its counters to the totals.
// Returns the number of failed reads.
static uint32_t count_reads(struct fw_context* ctx, uint32_t channel) {
  const uint32_t before = ctx->defects.reads_counted[0];
  const struct fw_channel_reads reads = fw_channel_count_reads(ctx, channel);
  const uint32_t counts[3] = {reads.failed, reads.recovered, reads.unreadable};
  static const enum fw_counter kCounters[3] = {FW_COUNTER_READ_FAILURES, FW_COUNTER_RECOVERED_READS,
                                               FW_COUNTER_UNREADABLE_READS};
  for (uint32_t i = 0; i < 3u; ++i) {
    ctx->defects.reads_counted[i] += counts[i] - ctx->defects.reads_seen[channel][i];
    ctx->defects.reads_seen[channel][i] = counts[i];
    fw_count(ctx, kCounters[i], ctx->defects.reads_counted[i]);
  }
  return ctx->defects.reads_counted[0] - before;
}

void fw_channel_event(struct fw_context* ctx, uint32_t channel) {
  const uint32_t status = fw_channel_events(ctx, channel);
  const uint32_t failures = (status & CHN_INTSTAT_RETRIED_MASK) != 0 ? count_reads(ctx, channel) : 0u;
  const uint32_t n = ctx->channel.arm[channel];
  if (n == FW_NO_ARM) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arm* const arm = &ctx->arm[n];
  const bool error = (status & CHN_INTSTAT_ERROR_MASK) != 0;
  if ((status & (CHN_INTSTAT_DONE_MASK | CHN_INTSTAT_ERROR_MASK)) == 0) {
    if (fw_job_of(ctx, n)->mark != 0)
      fw_job_of(ctx, n)->mark(ctx, n);
    else
      FW_STOP(ctx);  // only that job sets marks
    return;
  }
  if (error) learn_faults(ctx, n);
  fw_channel_released(ctx, n);
  if (arm->failing) {
    fw_arm_access_over(ctx, n);
    return;
  }
  const uint32_t place = arm->place, sub_head = arm->sub_head, unreadable = ctx->statistics.unreadable;
  const uint32_t cause = error ? fw_channel_cause(ctx, channel) : FW_CHANNEL_WELL;
  if (fw_is_refusal(cause)) {
    fw_access_refused(ctx, n, channel, cause);
    return;
  }
  fw_refusals_end(ctx);
  arm->state = FW_ARM_ON_TRACK;
  fw_job_of(ctx, n)->done(ctx, n, channel, cause);
  const uint32_t lost = ctx->statistics.unreadable - unreadable;
  if (failures != 0 || lost != 0) fw_predict_head(ctx, n, place, sub_head, failures > lost ? failures : lost);
  if (error) fw_predict_arm(ctx, n);
  fw_due(ctx, FW_DUE_SEGMENTS | FW_DUE_CHANNELS | FW_DUE_REST);
}
