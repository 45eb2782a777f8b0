// Buffer segments: which are free, which may be given up, and where the lines of written data lie.
#include "engine/engine.h"

void fw_segments_reset(struct fw_context* ctx) {
  ctx->free_segment_count = ctx->segments;
  for (uint32_t i = 0; i < ctx->segments; ++i) ctx->free_segments[i] = (uint16_t)(ctx->segments - 1 - i);
}

// An arm fills the segment, or a request waits for one that does.
bool fw_segment_filling(const struct fw_segment* segment) {
  return segment->arm != FW_NO_ARM || segment->filler != FW_NO_TAG;
}

// The one that was used longest ago, of those that only keep what was read.
static uint16_t evictable(struct fw_context* ctx) {
  uint16_t oldest = FW_NO_SEGMENT;
  uint32_t oldest_use = 0;
  if (!ctx->look_ahead) return oldest;
  for (uint16_t i = 0; i < ctx->segments; ++i) {
    const struct fw_segment* const segment = &ctx->segment[i];
    if (!segment->kept || !fw_stream_idle(ctx, i)) continue;
    uint32_t use = segment->last_use;
    if (fw_hits_pinned(ctx, i, &use)) continue;
    if (oldest != FW_NO_SEGMENT && (int32_t)(use - oldest_use) >= 0) continue;
    oldest = i;
    oldest_use = use;
  }
  return oldest;
}

bool fw_segment_free(struct fw_context* ctx) {
  return ctx->free_segment_count != 0 || evictable(ctx) != FW_NO_SEGMENT;
}

uint16_t fw_segment_take(struct fw_context* ctx) {
  if (ctx->free_segment_count != 0) return ctx->free_segments[--ctx->free_segment_count];
  for (uint32_t tries = 0; tries < ctx->segments; ++tries) {
    const uint16_t segment = evictable(ctx);
    if (segment == FW_NO_SEGMENT) break;
    if (!fw_hits_take_back(ctx, segment)) continue;  // being sent since: another one
    ctx->segment[segment].kept = false;
    return segment;
  }
  return FW_NO_SEGMENT;
}

void fw_segment_give(struct fw_context* ctx, uint16_t segment) {
  if (segment >= ctx->segments || ctx->free_segment_count >= ctx->segments) {
    FW_STOP(ctx);
    return;
  }
  ctx->free_segments[ctx->free_segment_count++] = segment;
}

uint32_t fw_segment_address(const struct fw_context* ctx, uint16_t segment) {
  return segment * ctx->segment_sectors * FW_SECTOR_BYTES;
}

uint32_t fw_system_address(const struct fw_context* ctx) {
  return ctx->system_address;
}

// Where written data have their lines: in the part of the RAM that is set apart for them, otherwise in one of the
// segments as long as there are any.
void fw_lines_layout(struct fw_context* ctx, uint32_t lines, bool slots) {
  ctx->line_address = ctx->segments * ctx->segment_sectors * FW_SECTOR_BYTES;
  ctx->line_share = lines != 0;
  ctx->urgent = !ctx->line_share;
  ctx->line_segment = FW_NO_SEGMENT;
  if (lines == 0 && ctx->segments > 1u && slots) lines = ctx->segment_sectors / FW_LINE_SECTORS;
  ctx->lines = lines < FW_LEAST_LINES ? 0u : lines > FW_MAX_LINES ? FW_MAX_LINES : lines;
  ctx->system_address = ctx->line_address + (ctx->line_share ? ctx->lines * FW_LINE_SECTORS * FW_SECTOR_BYTES : 0u);
}

// Whether there are lines, or a segment for them can be had.
bool fw_lines_room(struct fw_context* ctx) {
  if (ctx->lines == 0) return false;
  if (ctx->line_share || ctx->line_segment != FW_NO_SEGMENT) return true;
  if (ctx->segment_queue.count != 0 || !fw_segment_may_be_held(ctx) || !fw_segment_free(ctx)) return false;
  ctx->line_segment = fw_segment_take(ctx);
  if (ctx->line_segment == FW_NO_SEGMENT) return false;
  ctx->line_address = fw_segment_address(ctx, ctx->line_segment);
  return true;
}

// At a handler's end: the segment is free when nothing is in the lines any more.
void fw_lines_leave(struct fw_context* ctx) {
  if (ctx->line_segment == FW_NO_SEGMENT || ctx->used_lines != 0 || ctx->line_queue_count != 0) return;
  fw_segment_give(ctx, ctx->line_segment);
  ctx->line_segment = FW_NO_SEGMENT;
  fw_due(ctx, FW_DUE_SEGMENTS);
}

// A segment that is held until an arm has come must not be the last one: that arm may be granted to another request,
// which needs one too.
bool fw_segment_may_be_held(const struct fw_context* ctx) {
  uint32_t held = ctx->line_segment != FW_NO_SEGMENT ? 1u : 0u;
  for (uint32_t i = 0; i < ctx->segments; ++i)
    if (ctx->segment[i].kept && ctx->segment[i].filler != FW_NO_TAG) held++;
  return held + ctx->arms < ctx->segments;
}

bool fw_stream_idle(const struct fw_context* ctx, uint16_t index) {
  const struct fw_segment* const segment = &ctx->segment[index];
  return segment->requests == FW_NO_TAG && !fw_segment_filling(segment);
}

// The earliest end of a request that has not all of its data, or 0.
uint64_t fw_stream_need(const struct fw_context* ctx, const struct fw_segment* segment) {
  uint64_t nearest = 0;
  for (uint16_t tag = segment->requests; tag != FW_NO_TAG; tag = ctx->requests[tag].next_in_segment) {
    const uint64_t end = fw_end_of(&ctx->requests[tag]);
    if (end > segment->end && (nearest == 0 || end < nearest)) nearest = end;
  }
  return nearest;
}
