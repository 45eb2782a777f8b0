// Hash table of lines of written data, by number.
#include "engine/engine.h"

uint32_t fw_line_bucket(uint64_t number) {
  const uint64_t mixed = number * 0x9E3779B97F4A7C15u;
  return (uint32_t)(mixed >> 32) & (FW_LINE_BUCKETS - 1u);
}

// The sectors of line `number` in [lba, lba + sectors), a bit each.
uint8_t fw_line_sectors_in(uint64_t number, uint64_t lba, uint64_t sectors) {
  const uint64_t begin = number * FW_LINE_SECTORS;
  const uint64_t first = lba > begin ? lba - begin : 0;
  const uint64_t end = lba + sectors < begin + FW_LINE_SECTORS ? lba + sectors - begin : FW_LINE_SECTORS;
  return (uint8_t)((0xFFu << first) & (0xFFu >> (FW_LINE_SECTORS - end)));
}

uint16_t fw_line_find(const struct fw_context* ctx, uint64_t number) {
  uint16_t line = ctx->line_cache.bucket[fw_line_bucket(number)];
  while (line != FW_NO_LINE && ctx->line_cache.line[line].number != number) line = ctx->line_cache.line[line].next;
  return line;
}

bool fw_lines_any(const struct fw_context* ctx, uint64_t number) {
  return fw_line_find(ctx, number) != FW_NO_LINE;
}

// The line of that number that the job has taken.
uint16_t fw_line_of_job(const struct fw_context* ctx, uint64_t number) {
  uint16_t index = fw_line_find(ctx, number);
  while (index != FW_NO_LINE &&
         (ctx->line_cache.line[index].number != number || ctx->line_cache.line[index].destaging == 0))
    index = ctx->line_cache.line[index].next;
  return index;
}
