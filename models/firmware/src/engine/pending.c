// Physical sectors that could not be read, until they are written.
#include "engine/engine.h"

uint64_t fw_unit_of(const struct fw_context* ctx, uint64_t lba) {
  return lba - lba % ctx->physical_sectors;
}

static uint32_t find(const struct fw_context* ctx, uint64_t unit) {
  uint32_t i = 0;
  while (i < ctx->pending_count && ctx->pending[i] != unit) i++;
  return i;
}

// More than the list can hold are not remembered: they are when they are read again.
void fw_pending_add(struct fw_context* ctx, uint64_t lba) {
  const uint64_t unit = fw_unit_of(ctx, lba);
  if (ctx->pending_count == FW_MAX_PENDING || find(ctx, unit) != ctx->pending_count) return;
  ctx->pending[ctx->pending_count++] = unit;
  fw_count(ctx, FW_COUNTER_PENDING, ctx->pending_count);
  fw_save_soon(ctx);
}

void fw_pending_remove(struct fw_context* ctx, uint64_t unit) {
  const uint32_t i = find(ctx, unit);
  if (i == ctx->pending_count) return;
  ctx->pending[i] = ctx->pending[--ctx->pending_count];
  fw_count(ctx, FW_COUNTER_PENDING, ctx->pending_count);
  fw_save_soon(ctx);
}

// The first pending one that begins in [lba, end), or `end`.
uint64_t fw_first_pending(const struct fw_context* ctx, uint64_t lba, uint64_t end) {
  uint64_t first = end;
  for (uint32_t i = 0; i < ctx->pending_count; ++i)
    if (ctx->pending[i] >= lba && ctx->pending[i] < first) first = ctx->pending[i];
  return first;
}

bool fw_pending_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->pending_count == FW_MAX_PENDING) return true;  // perhaps one that found no room
  return ctx->pending_count != 0 && fw_first_pending(ctx, fw_unit_of(ctx, lba), lba + sectors) != lba + sectors;
}
