// Written data that stay readable after de-staging (cache.keep_written): a free line whose sectors match the media can
// still be found by its number, until its place is needed. The line freed or read longest ago is reused first. A number
// has no kept line while another line with that number is in use.
#include "engine/engine.h"

void fw_kept_reset(struct fw_context* ctx) {
  for (uint32_t i = 0; i < FW_LINE_BUCKETS; ++i) ctx->line_cache.kept_bucket[i] = FW_NO_LINE;
  ctx->line_cache.kept_lines = 0;
}

uint16_t fw_kept_find(const struct fw_context* ctx, uint64_t number) {
  if (ctx->line_cache.kept_lines == 0) return FW_NO_LINE;
  uint16_t line = ctx->line_cache.kept_bucket[fw_line_bucket(number)];
  while (line != FW_NO_LINE && ctx->line_cache.line[line].number != number) line = ctx->line_cache.line[line].next;
  return line;
}

// The line has come free.
void fw_kept_add(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  if (line->clean == 0 || line->superseded || fw_line_find(ctx, line->number) != FW_NO_LINE) return;
  uint16_t* const bucket = &ctx->line_cache.kept_bucket[fw_line_bucket(line->number)];
  line->next = *bucket;
  *bucket = index;
  line->state = FW_LINE_KEPT;
  ctx->line_cache.kept_lines++;
}

// The line is reused, or none of it may be found any more.
void fw_kept_remove(struct fw_context* ctx, uint16_t index) {
  struct fw_line* const line = &ctx->line_cache.line[index];
  if (line->state != FW_LINE_KEPT) return;
  uint16_t* link = &ctx->line_cache.kept_bucket[fw_line_bucket(line->number)];
  while (*link != index) link = &ctx->line_cache.line[*link].next;
  *link = line->next;
  line->state = FW_LINE_FREE;
  ctx->line_cache.kept_lines--;
}

// Newer data are on their way to these sectors, or have gone to the media past the lines.
void fw_kept_forget(struct fw_context* ctx, uint64_t lba, uint64_t sectors) {
  if (!ctx->rules.keep_written || sectors == 0) return;
  const uint64_t last = (lba + sectors - 1u) / FW_LINE_SECTORS;
  for (uint64_t number = lba / FW_LINE_SECTORS; number <= last; ++number) {
    const uint8_t gone = fw_line_sectors_in(number, lba, sectors);
    for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE; i = ctx->line_cache.line[i].next)
      if (ctx->line_cache.line[i].number == number) ctx->line_cache.line[i].clean &= (uint8_t)~gone;
    const uint16_t kept = fw_kept_find(ctx, number);
    if (kept == FW_NO_LINE) continue;
    ctx->line_cache.line[kept].clean &= (uint8_t)~gone;
    if (ctx->line_cache.line[kept].clean == 0) fw_kept_remove(ctx, kept);
  }
}

// Look-ahead is switched off: data on the media are no longer read from the buffer.
void fw_kept_forget_all(struct fw_context* ctx) {
  if (!ctx->rules.keep_written) return;
  for (uint32_t i = 0; i < ctx->buffer.lines; ++i) {
    fw_kept_remove(ctx, (uint16_t)i);
    ctx->line_cache.line[i].clean = 0;
  }
}
