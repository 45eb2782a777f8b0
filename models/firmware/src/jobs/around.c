// Reading ahead around the track (cache.read_ahead "whole_track"): when read-ahead has reached the track's end, the arm
// also reads the track from its first sector up to where the segment begins. These sectors lie before the segment in
// its ring, and become part of it when all have come; if the arm is needed earlier, they are lost.
#include "jobs/jobs.h"

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// How many sectors before the segment the arm may read now: those of its track, limited by the ring's room and by how
// far the drive reads ahead.
static uint32_t readable_before(struct fw_context* ctx, uint32_t n) {
  const struct fw_segment* const segment = &ctx->read_cache.segment[ctx->arm[n].segment];
  if (!fw_stream_alone(ctx, n) || fw_stream_need(ctx, segment) != 0) return 0;
  if (ctx->rules.hardware_hits && segment->pin < segment->begin) return 0;  // what lay there is still being sent
  uint32_t track, angle, rest;
  fw_translate(ctx, segment->begin, &track, &angle, &rest);
  if (ctx->errors.stopped || track != ctx->arm[n].track) return 0;
  const uint32_t before = fw_sectors_before_last(ctx);
  const uint32_t room = ctx->buffer.segment_sectors - (uint32_t)(segment->end - segment->begin);
  const uint64_t ahead = segment->end > segment->plan ? segment->end - segment->plan : 0u;
  if (ahead >= ctx->rules.read_ahead_sectors) return 0;
  return least(least(before, room), ctx->rules.read_ahead_sectors - (uint32_t)ahead);
}

// True: the arm, at the end of its track, goes on with the sectors before the segment.
bool fw_around_begin(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->rules.read_ahead_end != FW_AHEAD_AROUND || arm->track_rest != 0) return false;
  const uint32_t sectors = readable_before(ctx, n);
  if (ctx->errors.stopped || sectors == 0) return false;
  if (fw_pending_overlap(ctx, ctx->read_cache.segment[arm->segment].begin - sectors, sectors)) return false;
  arm->around = sectors;
  fw_try_channel(ctx, n);
  return true;
}

// Tells the channel where in the ring the access puts its sectors. Returns the channel's mode for that.
static uint32_t put_at(struct fw_context* ctx, uint32_t n, uint32_t place, uint32_t sectors) {
  const uint32_t channel = ctx->arm[n].channel;
  const uint32_t address = fw_segment_address(ctx, ctx->arm[n].segment);
  if (place + sectors <= ctx->buffer.segment_sectors) {
    fw_channel_address(ctx, channel, address + place * FW_SECTOR_BYTES);
    return 0;
  }
  fw_channel_piece(ctx, channel, address + place * FW_SECTOR_BYTES, ctx->buffer.segment_sectors - place);
  fw_channel_piece(ctx, channel, address, place + sectors - ctx->buffer.segment_sectors);
  return CHN_MODE_GATHER_MASK;
}

// False: a request has come, and the arm goes on without these sectors.
bool fw_around_start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  fw_hits_learn(ctx, arm->segment);
  arm->around = least(arm->around, readable_before(ctx, n));
  if (arm->around == 0) {  // a request came while the arm waited for the channel
    fw_channel_released(ctx, n);
    arm->state = FW_ARM_ON_TRACK;
    fw_let_go(ctx, n);
    return false;
  }
  const uint32_t place = (segment->first + ctx->buffer.segment_sectors - arm->around) % ctx->buffer.segment_sectors;
  arm->lba = segment->begin - arm->around;
  arm->sectors = arm->around;
  arm->fresh = false;
  arm->grows = false;
  const uint32_t mode = put_at(ctx, n, place, arm->around);
  if (mode != 0) fw_channel_mode(ctx, arm->channel, mode);
  fw_channel_access(ctx, n, arm->lba, arm->around, CHN_CTRL_ANONYMOUS_MASK);
  fw_show(ctx, FW_STATE_READ_AHEAD, 0);
  return true;
}

void fw_around_done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct fw_segment* const segment = &ctx->read_cache.segment[arm->segment];
  const uint32_t sectors = arm->around;
  arm->around = 0;
  if (cause != FW_CHANNEL_WELL) {
    if (cause == FW_CHANNEL_UNREADABLE) fw_pending_add(ctx, arm->lba + fw_channel_progress(ctx, channel));
    return;
  }
  if (segment->stale || fw_channel_progress(ctx, channel) != sectors) return;
  fw_hits_learn(ctx, arm->segment);
  segment->begin -= sectors;
  segment->first = (segment->first + ctx->buffer.segment_sectors - sectors) % ctx->buffer.segment_sectors;
  segment->checked = segment->begin;
  segment->covered = false;
  fw_hits_show(ctx, arm->segment);
}
