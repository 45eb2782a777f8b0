// How the filling of a segment ends: the arm leaves it, cannot go on, or is wanted elsewhere.
#include "jobs/jobs.h"

// The arm comes to rest.
void fw_stream_leave(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint16_t index = arm->segment;
  if (index != FW_NO_SEGMENT) ctx->read_cache.segment[index].arm = FW_NO_ARM;
  arm->segment = FW_NO_SEGMENT;
  arm->around = 0;
  fw_rest(ctx, n);
  if (index != FW_NO_SEGMENT) fw_stream_free_if_stale(ctx, index);
  fw_due(ctx, FW_DUE_SEGMENTS);  // for arms that wait for one
}

void fw_stream_orphaned(struct fw_context* ctx, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  segment->arm = FW_NO_ARM;
  segment->waits_room = false;
  segment->run_end = segment->end;
  segment->mark = 0;
  uint16_t tag = segment->requests;
  while (tag != FW_NO_TAG && fw_end_of(&ctx->requests[tag]) <= segment->end) tag = ctx->requests[tag].next_in_segment;
  if (tag == FW_NO_TAG) {
    if (segment->plan > segment->end) segment->plan = segment->end;
    fw_stream_free_if_stale(ctx, index);
    return;
  }
  struct fw_request* const request = &ctx->requests[tag];
  fw_translate(ctx, segment->end, &request->track, &request->angle, &request->track_rest);
  segment->filler = tag;
  fw_request_to_slot(ctx, tag);
}

// The arm only reads ahead, or is on its way to do so.
bool fw_stream_yields(const struct fw_context* ctx, uint32_t n) {
  const uint16_t index = ctx->arm[n].segment;
  return index != FW_NO_SEGMENT && fw_stream_need(ctx, &ctx->read_cache.segment[index]) == 0;
}

// The arm is in its minimum read-ahead, which continues even if a request waits for it.
bool fw_stream_in_minimum(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return fw_flow_in_minimum(ctx, n, ctx->read_cache.segment[arm->segment].end) &&
         (arm->state != FW_ARM_TRANSFER ||
          fw_flow_in_minimum(ctx, n, arm->lba + fw_channel_progress(ctx, arm->channel)));
}

// A request needs this arm: stop read-ahead at the end of the sector, or of the minimum read-ahead.
static void come_free(struct fw_context* ctx, uint32_t n) {
  if (fw_stream_in_minimum(ctx, n))
    fw_flow_mark(ctx, n);
  else
    fw_channel_stop(ctx, ctx->arm[n].channel);
}

// Urgent written data wait for an arm or a channel: arms that only read ahead come free, unless the data need just an
// arm and another one is idle.
void fw_stream_give_way(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->job != FW_JOB_FILL || arm->state != FW_ARM_TRANSFER || arm->segment == FW_NO_SEGMENT) continue;
    if (!fw_arm_claimed(ctx, n) || fw_stream_need(ctx, &ctx->read_cache.segment[arm->segment]) != 0) continue;
    bool other = false;
    const bool channel = fw_channel_claimed(ctx, n);
    for (uint32_t i = 0; i < ctx->drive.arms; ++i)
      other = other || (fw_arm_free(&ctx->arm[i]) && ctx->arm[i].group == arm->group);
    if (channel || !other) come_free(ctx, n);
  }
}

bool fw_stream_ahead_at_work(const struct fw_context* ctx) {
  bool ahead = false;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (fw_arm_free(arm)) return false;
    ahead = ahead || (arm->job == FW_JOB_FILL && arm->segment != FW_NO_SEGMENT &&
                      fw_stream_need(ctx, &ctx->read_cache.segment[arm->segment]) == 0);
  }
  return ahead;
}

// A request waits for an arm: those that only read ahead come free.
void fw_stream_preempt(struct fw_context* ctx, uint32_t track) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->job != FW_JOB_FILL || !fw_stream_yields(ctx, n)) continue;
    if (track != FW_ANY_TRACK && !fw_arm_reaches(ctx, n, track)) continue;
    if (arm->state == FW_ARM_TRANSFER) come_free(ctx, n);
    if (arm->state == FW_ARM_ON_TRACK && arm->waits_channel && arm->tag == FW_NO_TAG && !fw_stream_in_minimum(ctx, n)) {
      fw_channel_not_wanted(ctx, n);
      fw_stream_leave(ctx, n);
    }
  }
}

// Ends read-ahead until the next request comes.
void fw_stream_end_ahead(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].job == FW_JOB_FILL && ctx->arm[n].segment != FW_NO_SEGMENT)
      ctx->read_cache.segment[ctx->arm[n].segment].ahead_over = true;
  fw_stream_preempt(ctx, FW_ANY_TRACK);
}

// All requests are gone. What was read stays; arms that fill segments come to rest.
void fw_stream_abort(struct fw_context* ctx) {
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i) {
    struct fw_segment* const segment = &ctx->read_cache.segment[i];
    if (!segment->kept) continue;
    segment->requests = FW_NO_TAG;
    segment->filler = FW_NO_TAG;
    segment->waits_room = false;
    if (segment->plan > segment->end) segment->plan = segment->end;
    fw_stream_free_if_stale(ctx, i);
  }
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->job != FW_JOB_FILL) continue;
    arm->tag = FW_NO_TAG;
    if (arm->state == FW_ARM_TRANSFER) fw_channel_stop(ctx, ctx->arm[n].channel);
    if (arm->state == FW_ARM_ON_TRACK) fw_stream_leave(ctx, n);
  }
}

// The segment gets another arm for its first incomplete request.
void fw_stream_give_back(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint16_t index = arm->segment;
  arm->segment = FW_NO_SEGMENT;
  if (index == FW_NO_SEGMENT) {  // it waited for one
    if (arm->tag != FW_NO_TAG) fw_request_to_slot(ctx, arm->tag);
    return;
  }
  fw_stream_orphaned(ctx, index);
}
