// Buffer segments: which are free, which may be evicted, and where the lines of written data lie.
#include "engine/engine.h"

void fw_segments_reset(struct fw_context* ctx) {
  ctx->read_cache.free_segment_count = ctx->buffer.segments;
  for (uint32_t i = 0; i < ctx->buffer.segments; ++i)
    ctx->read_cache.free_segments[i] = (uint16_t)(ctx->buffer.segments - 1 - i);
}

// An arm fills the segment, or a request waits for one that does.
bool fw_segment_filling(const struct fw_segment* segment) {
  return segment->arm != FW_NO_ARM || segment->filler != FW_NO_TAG;
}

// The least recently used segment that only caches read data.
static uint16_t evictable(struct fw_context* ctx) {
  uint16_t oldest = FW_NO_SEGMENT;
  uint32_t oldest_use = 0;
  if (!ctx->host.look_ahead) return oldest;
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i) {
    const struct fw_segment* const segment = &ctx->read_cache.segment[i];
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
  return ctx->read_cache.free_segment_count != 0 || evictable(ctx) != FW_NO_SEGMENT;
}

uint16_t fw_segment_take(struct fw_context* ctx) {
  if (ctx->read_cache.free_segment_count != 0)
    return ctx->read_cache.free_segments[--ctx->read_cache.free_segment_count];
  for (uint32_t tries = 0; tries < ctx->buffer.segments; ++tries) {
    const uint16_t segment = evictable(ctx);
    if (segment == FW_NO_SEGMENT) break;
    if (!fw_hits_take_back(ctx, segment)) continue;  // being sent by now: try another
    ctx->read_cache.segment[segment].kept = false;
    return segment;
  }
  return FW_NO_SEGMENT;
}

void fw_segment_give(struct fw_context* ctx, uint16_t segment) {
  if (segment >= ctx->buffer.segments || ctx->read_cache.free_segment_count >= ctx->buffer.segments) {
    FW_STOP(ctx);
    return;
  }
  ctx->read_cache.free_segments[ctx->read_cache.free_segment_count++] = segment;
}

uint32_t fw_segment_address(const struct fw_context* ctx, uint16_t segment) {
  return segment * ctx->buffer.segment_sectors * FW_SECTOR_BYTES;
}

uint32_t fw_system_address(const struct fw_context* ctx) {
  return ctx->buffer.system_address;
}

// No arm waits for a segment, and segments that no channel uses are free.
void fw_segments_dropped(struct fw_context* ctx) {
  ctx->read_cache.segment_queue.count = 0;
  ctx->read_cache.free_segment_count = 0;
  for (uint32_t segment = ctx->buffer.segments; segment-- > 0;) {
    bool in_use = ctx->read_cache.segment[segment].kept || ctx->buffer.line_segment == segment;
    for (uint32_t n = 0; n < ctx->drive.arms; ++n)
      in_use = in_use || ((ctx->arm[n].job == FW_JOB_REQUEST || ctx->arm[n].job == FW_JOB_SCAN) &&
                          ctx->arm[n].state == FW_ARM_TRANSFER && ctx->arm[n].run.segment == segment);
    if (!in_use) ctx->read_cache.free_segments[ctx->read_cache.free_segment_count++] = (uint16_t)segment;
  }
}

// Places the lines of written data: in the RAM reserved for them, otherwise in a segment while any line is in use.
void fw_lines_layout(struct fw_context* ctx, uint32_t lines, bool slots) {
  ctx->buffer.line_address = ctx->buffer.segments * ctx->buffer.segment_sectors * FW_SECTOR_BYTES;
  ctx->buffer.line_share = lines != 0;
  ctx->buffer.line_segment = FW_NO_SEGMENT;
  if (lines == 0 && ctx->buffer.segments > 1u && slots) lines = ctx->buffer.segment_sectors / FW_LINE_SECTORS;
  ctx->buffer.lines = lines < FW_LEAST_LINES ? 0u : lines > FW_MAX_LINES ? FW_MAX_LINES : lines;
  ctx->buffer.system_address =
      ctx->buffer.line_address + (ctx->buffer.line_share ? ctx->buffer.lines * FW_LINE_SECTORS * FW_SECTOR_BYTES : 0u);
}

// Whether there are lines, or a segment is available for them.
bool fw_lines_room(struct fw_context* ctx) {
  if (ctx->buffer.lines == 0) return false;
  if (ctx->buffer.line_share || ctx->buffer.line_segment != FW_NO_SEGMENT) return true;
  if (ctx->read_cache.segment_queue.count != 0 || !fw_segment_may_be_held(ctx) || !fw_segment_free(ctx)) return false;
  ctx->buffer.line_segment = fw_segment_take(ctx);
  if (ctx->buffer.line_segment == FW_NO_SEGMENT) return false;
  ctx->buffer.line_address = fw_segment_address(ctx, ctx->buffer.line_segment);
  return true;
}

// At a handler's end: frees the segment if no line is in use.
void fw_lines_leave(struct fw_context* ctx) {
  if (ctx->buffer.line_segment == FW_NO_SEGMENT || ctx->line_cache.used_lines != 0 || ctx->line_cache.queue_count != 0)
    return;
  fw_segment_give(ctx, ctx->buffer.line_segment);
  ctx->buffer.line_segment = FW_NO_SEGMENT;
  fw_due(ctx, FW_DUE_SEGMENTS);
}

// A segment held by a request that waits for an arm must not be the last one: the arm may be granted to another
// request, which also needs one.
bool fw_segment_may_be_held(const struct fw_context* ctx) {
  uint32_t held = ctx->buffer.line_segment != FW_NO_SEGMENT ? 1u : 0u;
  for (uint32_t i = 0; i < ctx->buffer.segments; ++i)
    if (ctx->read_cache.segment[i].kept && ctx->read_cache.segment[i].filler != FW_NO_TAG) held++;
  for (uint32_t tag = 0; ctx->background.listed != 0 && tag < ctx->drive.queue_depth; ++tag)
    if (ctx->requests[tag].state == FW_REQUEST_LISTED && ctx->requests[tag].ride_segment != FW_NO_SEGMENT) held++;
  return held + ctx->drive.arms < ctx->buffer.segments;
}

bool fw_stream_idle(const struct fw_context* ctx, uint16_t index) {
  const struct fw_segment* const segment = &ctx->read_cache.segment[index];
  return segment->requests == FW_NO_TAG && !fw_segment_filling(segment);
}

// The earliest end of a request whose data are incomplete, or 0.
uint64_t fw_stream_need(const struct fw_context* ctx, const struct fw_segment* segment) {
  uint64_t nearest = 0;
  for (uint16_t tag = segment->requests; tag != FW_NO_TAG; tag = ctx->requests[tag].next_in_segment) {
    const uint64_t end = fw_end_of(&ctx->requests[tag]);
    if (end > segment->end && (nearest == 0 || end < nearest)) nearest = end;
  }
  return nearest;
}
