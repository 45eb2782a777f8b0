// Segments when newer data are written: they are cut, or freed when no longer needed.
#include "engine/engine.h"

void fw_stream_free_if_stale(struct fw_context* ctx, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  if (!segment->kept || !(segment->stale || segment->once) || !fw_stream_idle(ctx, index)) return;
  uint32_t use;
  if (fw_hits_pinned(ctx, index, &use)) {
    fw_hits_want_release(ctx);
    if (fw_hits_pinned(ctx, index, &use)) return;  // it could have been released in between, without an interrupt
  }
  segment->kept = false;
  fw_segment_give(ctx, index);
}

void fw_stream_make_stale(struct fw_context* ctx, uint16_t index) {
  ctx->read_cache.segment[index].stale = true;
  fw_hits_withdraw(ctx, index);
}

// Cuts an idle segment: the larger part before or after these sectors stays, as far as the drive keeps it.
static bool trim(struct fw_context* ctx, uint16_t index, uint64_t lba, uint64_t sectors) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  uint32_t use;
  if (segment->once || !fw_stream_idle(ctx, index) || fw_hits_pinned(ctx, index, &use)) return false;
  const uint64_t before = lba > segment->begin && ctx->rules.cut != FW_CUT_WHOLE ? lba - segment->begin : 0;
  const uint64_t behind =
      segment->end > lba + sectors && ctx->rules.cut == FW_CUT_WRITTEN ? segment->end - (lba + sectors) : 0;
  if (before == 0 && behind == 0) return false;
  if (!fw_hits_take_back(ctx, index)) return false;  // being sent by now
  if (before >= behind) {
    segment->end = lba;
  } else {
    segment->first = fw_place_in_ring(ctx, segment, lba + sectors);
    segment->begin = lba + sectors;
  }
  segment->plan = segment->end;
  segment->run_end = segment->end;
  segment->sequential = false;
  segment->checked = segment->begin;
  segment->covered = false;
  fw_hits_show(ctx, index);
  return true;
}

static void drop(struct fw_context* ctx, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  fw_stream_make_stale(ctx, index);
  if (segment->arm != FW_NO_ARM && ctx->arm[segment->arm].state == FW_ARM_TRANSFER && fw_stream_need(ctx, segment) == 0)
    fw_channel_stop(ctx, ctx->arm[segment->arm].channel);
  fw_stream_free_if_stale(ctx, index);
}

// Whether the segment holds, or is about to read, one of these sectors.
static bool concerns(const struct fw_context* ctx, const struct fw_segment* segment, uint64_t lba, uint64_t sectors) {
  if (!segment->kept || segment->stale) return false;
  const uint64_t end = segment->run_end > segment->end ? segment->run_end : segment->end;
  // Sectors being read from the start of the track will be part of it.
  const uint32_t around = segment->arm != FW_NO_ARM ? ctx->arm[segment->arm].around : 0u;
  return lba < end && lba + sectors > segment->begin - around;
}

// Newer data are on their way to these sectors, or have gone to the media past the lines.
void fw_invalidate(struct fw_context* ctx, uint64_t lba, uint64_t sectors) {
  fw_kept_forget(ctx, lba, sectors);
  fw_segments_invalidate(ctx, lba, sectors);
}

// Newer data have gone to the media from lines.
void fw_segments_invalidate(struct fw_context* ctx, uint64_t lba, uint64_t sectors) {
  if (ctx->read_cache.free_segment_count == ctx->buffer.segments) return;
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i) {
    if (concerns(ctx, &ctx->read_cache.segment[i], lba, sectors) && !trim(ctx, i, lba, sectors)) drop(ctx, i);
  }
}

// A write of these sectors has arrived: segments near them are dropped too, if the drive does so (cache.drop_near).
void fw_invalidate_near(struct fw_context* ctx, uint64_t lba, uint64_t sectors) {
  if (ctx->rules.drop_near == FW_NEAR_NONE || ctx->read_cache.free_segment_count == ctx->buffer.segments) return;
  uint64_t first = lba == 0 ? 0 : lba - 1u, end = lba + sectors + 1u;
  if (ctx->rules.drop_near == FW_NEAR_TRACK) {
    uint32_t track, angle, rest;
    fw_translate(ctx, lba + sectors - 1u, &track, &angle, &rest);
    end = lba + sectors - 1u + rest;
    first = lba - fw_sectors_before(ctx, lba);
    if (ctx->errors.stopped) return;
  }
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i)
    if (concerns(ctx, &ctx->read_cache.segment[i], first, end - first)) drop(ctx, i);
}

// Drops all data that were read.
void fw_forget_segments(struct fw_context* ctx) {
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i) {
    if (!ctx->read_cache.segment[i].kept) continue;
    fw_stream_make_stale(ctx, i);
    fw_stream_free_if_stale(ctx, i);
  }
}
