// Segments that hardware answers reads from (cache policy "hardware hits"). The buffer's segment table holds the
// sectors of a segment that may be sent without asking: they have been read, stay where they are, and lines hold no
// newer data. Firmware withdraws them
//   before an overlapping write is decoded to the end, and again before one into lines completes,
//   before their place in the ring is written, or the segment is given to another user.
// A transfer that hardware has begun pins its sectors: their place is not written until it is over.
#include "engine/engine.h"

static bool shown(const struct fw_segment* segment) {
  return segment->shown_begin != segment->shown_end;
}

bool fw_hits_shown(const struct fw_context* ctx, uint16_t index) {
  return shown(&ctx->read_cache.segment[index]);
}

void fw_hits_enable(struct fw_context* ctx, bool enable) {
  if (!ctx->rules.hardware_hits) return;
  fw_buf_lookup(ctx, ctx->drive.queue_depth - 1u, enable);
}

// First sector of the chosen segment that hardware is sending, from its status; UINT64_MAX: none. It is before the
// segment if hardware began just before firmware gave up its place.
static uint64_t first_pinned(struct fw_context* ctx, const struct fw_segment* segment, uint32_t status) {
  if ((status & BUF_SEG_STATUS_PINNED_MASK) == 0) return UINT64_MAX;
  const int32_t from_begin = (int32_t)(fw_buf_pin(ctx) - (uint32_t)segment->begin);
  return segment->begin + (uint64_t)(int64_t)from_begin;
}

// Reads from hardware how far reads of the segment have gone, whether one continued another, and what is being sent.
void fw_hits_learn(struct fw_context* ctx, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  if (!ctx->rules.hardware_hits) return;
  fw_buf_choose(ctx, index);
  const uint32_t status = fw_buf_status(ctx);
  segment->pin = first_pinned(ctx, segment, status);
  if (!shown(segment)) return;
  if ((status & BUF_SEG_STATUS_SEQUENTIAL_MASK) != 0) segment->sequential = true;
  const uint32_t reach = fw_buf_reach(ctx) - (uint32_t)segment->begin;
  if (reach <= segment->end - segment->begin && segment->begin + reach > segment->plan)
    segment->plan = segment->begin + reach;
}

// End of the sectors in [from, end) before the first line that holds or receives newer data.
static uint64_t uncovered(const struct fw_context* ctx, uint64_t from, uint64_t end) {
  if (ctx->line_cache.used_lines == 0 || from >= end) return end;
  const uint64_t last = (end - 1) / FW_LINE_SECTORS;
  for (uint64_t number = from / FW_LINE_SECTORS; number <= last; ++number)
    if (fw_lines_any(ctx, number)) return number * FW_LINE_SECTORS > from ? number * FW_LINE_SECTORS : from;
  return end;
}

// Tells hardware what the segment holds now. This resets the hardware's record: call fw_hits_learn before.
void fw_hits_show(struct fw_context* ctx, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  if (!ctx->rules.hardware_hits || !segment->kept || segment->stale || segment->once) return;
  if (segment->checked < segment->begin) segment->checked = segment->begin;
  if (!segment->covered) {
    segment->checked = uncovered(ctx, segment->checked, segment->end);
    segment->covered = segment->checked != segment->end;
  }
  if (segment->checked <= segment->begin) {
    fw_hits_withdraw(ctx, index);
    return;
  }
  fw_buf_choose(ctx, index);
  if (segment->shown_begin != segment->begin || segment->shown_end != segment->checked) {
    fw_buf_show(ctx, segment->begin, segment->first, segment->checked - segment->begin);
    segment->shown_begin = segment->begin;
    segment->shown_end = segment->checked;
  }
  fw_buf_set_reach(ctx, (uint32_t)segment->plan);
}

// The same for a segment that now begins later. Its pin covers sectors being sent, including given-up ones: read
// afterwards, as hardware could otherwise begin in between.
void fw_hits_give_up(struct fw_context* ctx, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  if (!ctx->rules.hardware_hits) return;
  fw_hits_show(ctx, index);
  fw_buf_choose(ctx, index);
  segment->pin = first_pinned(ctx, segment, fw_buf_status(ctx));
}

void fw_hits_withdraw(struct fw_context* ctx, uint16_t index) {
  struct fw_segment* const segment = &ctx->read_cache.segment[index];
  if (!ctx->rules.hardware_hits || !shown(segment)) return;
  segment->shown_begin = segment->shown_end = 0;
  fw_buf_choose(ctx, index);
  fw_buf_hide(ctx);
}

// The same. False: hardware had already begun to send part of it, and its place must not be written until that ends.
// The status is read afterwards, as hardware could otherwise begin in between.
bool fw_hits_take_back(struct fw_context* ctx, uint16_t index) {
  if (!ctx->rules.hardware_hits || !shown(&ctx->read_cache.segment[index])) return true;
  fw_hits_withdraw(ctx, index);
  return (fw_buf_status(ctx) & BUF_SEG_STATUS_PINNED_MASK) == 0;
}

// Newer data of these sectors are in lines.
void fw_hits_cover(struct fw_context* ctx, uint64_t lba, uint64_t sectors) {
  if (!ctx->rules.hardware_hits) return;
  for (uint16_t i = 0; i < ctx->buffer.segments; ++i) {
    struct fw_segment* const segment = &ctx->read_cache.segment[i];
    if (!shown(segment) || lba >= segment->shown_end || lba + sectors <= segment->shown_begin) continue;
    fw_hits_learn(ctx, i);
    segment->covered = true;
    segment->checked = lba > segment->begin ? lba : segment->begin;
    fw_hits_show(ctx, i);
  }
}

// Firmware's own use counts like a hardware hit.
void fw_hits_used(struct fw_context* ctx, uint16_t index) {
  if (ctx->rules.hardware_hits) fw_buf_touch(ctx, index);
}

// Returns whether hardware is sending part of the segment; *use: number of its last use, modulo 2^32.
bool fw_hits_pinned(struct fw_context* ctx, uint16_t index, uint32_t* use) {
  if (!ctx->rules.hardware_hits) return false;
  fw_buf_choose(ctx, index);
  const uint32_t status = fw_buf_status(ctx);
  *use = status << 4;  // 28 bits
  return (status & BUF_SEG_STATUS_PINNED_MASK) != 0;
}

void fw_hits_want_release(struct fw_context* ctx) {
  if (!ctx->rules.hardware_hits || ctx->read_cache.release_wanted) return;
  ctx->read_cache.release_wanted = true;
  fw_buf_tell_release(ctx, true);
}

// Whether hardware has answered reads since the last call.
bool fw_hits_since(struct fw_context* ctx) {
  if (!ctx->rules.hardware_hits) return false;
  const uint32_t before = ctx->read_cache.hits_seen;
  ctx->read_cache.hits_seen = fw_buf_hits(ctx);
  return ctx->read_cache.hits_seen != before;
}

// The awaited transfer has ended.
void fw_hits_release_over(struct fw_context* ctx) {
  ctx->read_cache.release_wanted = false;
  fw_buf_tell_release(ctx, false);
}
