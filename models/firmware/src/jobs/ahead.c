// Reading ahead after a hit (cache.read_ahead_on_hit): when a read finds all of its data in a segment, an idle arm
// reads on from the segment's end. Its slot in the arbitration unit is of class 2, numbered after those of background
// work, and is withdrawn when a command needs an arm.
#include "jobs/jobs.h"

static uint32_t ahead_slot(const struct fw_context* ctx) {
  return ctx->drive.queue_depth + FW_MAX_WRITEBACK_SLOTS + FW_BACKGROUND_SLOTS;
}

// Where reading ahead of the segment goes on. False: the drive's policy forbids it, or no arm may read ahead now.
static bool goes_on_at(struct fw_context* ctx, uint16_t index, uint32_t* track, uint32_t* angle, uint32_t* rest) {
  const struct fw_segment* const segment = &ctx->read_cache.segment[index];
  if (ctx->pm.state != FW_POWER_ACTIVE || ctx->errors.draining || ctx->pm.fault) return false;
  if (ctx->slots.waiting != 0 || ctx->destage.hurried_in_slots != 0 ||
      (ctx->destage.urgent && ctx->destage.in_slots != 0))
    return false;
  if (!segment->kept || segment->stale || segment->once || segment->ahead_over || segment->arm != FW_NO_ARM ||
      segment->filler != FW_NO_TAG || (ctx->rules.ahead_from_second && !segment->sequential))
    return false;
  fw_hits_learn(ctx, index);
  if (segment->end == ctx->drive.capacity || fw_flow_ahead(ctx, segment) <= segment->end) return false;
  uint32_t last_track, last_angle, last_rest;
  fw_translate(ctx, segment->end - 1u, &last_track, &last_angle, &last_rest);
  if (ctx->errors.stopped) return false;
  fw_translate(ctx, segment->end, track, angle, rest);
  if (ctx->errors.stopped) return false;
  return *track == last_track || fw_stream_past_track(ctx, segment, last_track);
}

// The segment's data have answered a read.
void fw_ahead_of_hit(struct fw_context* ctx, uint16_t index) {
  if (!ctx->rules.ahead_on_hit) return;
  uint32_t track, angle, rest;
  if (!goes_on_at(ctx, index, &track, &angle, &rest) || (ctx->failures.reach_lost && !fw_reached(ctx, track))) return;
  ctx->read_cache.ahead_waits = true;
  ctx->read_cache.ahead_segment = index;
  const struct fw_segment* const segment = &ctx->read_cache.segment[index];
  const uint32_t sectors = (uint32_t)fw_least64(fw_flow_ahead(ctx, segment) - segment->end, rest);
  fw_commit_slot(ctx, ahead_slot(ctx), track, angle,
                 FW_SET(AAU_SLOT_COMMIT_SLOT_CLASS, 2u) | fw_channel_length(ctx, segment->end, sectors));
}

void fw_ahead_again(struct fw_context* ctx, uint32_t slot) {
  (void)slot;
  ctx->read_cache.ahead_waits = false;
}

void fw_ahead_dropped(struct fw_context* ctx) {
  ctx->read_cache.ahead_waits = false;
}

uint64_t fw_ahead_lba(const struct fw_context* ctx, uint32_t slot) {
  (void)slot;
  return ctx->read_cache.segment[ctx->read_cache.ahead_segment].end;
}

// A command needs an arm, the arms come to rest, or the segment is given away.
void fw_ahead_cancel(struct fw_context* ctx) {
  if (!ctx->read_cache.ahead_waits) return;
  ctx->read_cache.ahead_waits = false;
  fw_aau_slot_off(ctx, ahead_slot(ctx));
}

void fw_ahead_granted(struct fw_context* ctx, uint32_t n, uint32_t slot) {
  (void)slot;  // there is one only
  struct fw_arm* const arm = &ctx->arm[n];
  const bool waits = ctx->read_cache.ahead_waits;
  ctx->read_cache.ahead_waits = false;
  uint32_t track, angle, rest;
  if (!waits || !goes_on_at(ctx, ctx->read_cache.ahead_segment, &track, &angle, &rest) ||
      !fw_arm_reaches(ctx, n, track)) {
    if (!ctx->errors.stopped) fw_rest(ctx, n);
    return;
  }
  arm->job = FW_JOB_FILL;
  arm->tag = FW_NO_TAG;
  arm->segment = ctx->read_cache.ahead_segment;
  arm->track_rest = rest;
  arm->fresh = false;
  arm->ahead_to = 0;
  arm->around = 0;
  fw_turn_begins(ctx, n, 0);
  ctx->read_cache.segment[arm->segment].arm = (uint8_t)n;
  ctx->read_cache.segment[arm->segment].waits_room = false;
  fw_move_arm(ctx, n, track);
  fw_show(ctx, FW_STATE_READ_AHEAD, 0);
}
