// Unreadable physical sectors, until they are written.
#include "engine/engine.h"

uint64_t fw_unit_of(const struct fw_context* ctx, uint64_t lba) {
  return lba - lba % ctx->drive.physical_sectors;
}

static uint32_t find(const struct fw_context* ctx, uint64_t unit) {
  uint32_t i = 0;
  while (i < ctx->defects.pending_count && ctx->defects.pending[i] != unit) i++;
  return i;
}

// If the list is full, the sector is not recorded until it is next read.
void fw_pending_add(struct fw_context* ctx, uint64_t lba) {
  const uint64_t unit = fw_unit_of(ctx, lba);
  if (ctx->defects.pending_count == FW_MAX_PENDING || find(ctx, unit) != ctx->defects.pending_count) return;
  ctx->defects.pending[ctx->defects.pending_count++] = unit;
  fw_count(ctx, FW_COUNTER_PENDING, ctx->defects.pending_count);
  fw_save_soon(ctx);
}

void fw_pending_remove(struct fw_context* ctx, uint64_t unit) {
  const uint32_t i = find(ctx, unit);
  if (i == ctx->defects.pending_count) return;
  ctx->defects.pending[i] = ctx->defects.pending[--ctx->defects.pending_count];
  fw_count(ctx, FW_COUNTER_PENDING, ctx->defects.pending_count);
  fw_save_soon(ctx);
}

// The first pending sector that begins in [lba, end), or `end`.
uint64_t fw_first_pending(const struct fw_context* ctx, uint64_t lba, uint64_t end) {
  uint64_t first = end;
  for (uint32_t i = 0; i < ctx->defects.pending_count; ++i)
    if (ctx->defects.pending[i] >= lba && ctx->defects.pending[i] < first) first = ctx->defects.pending[i];
  return first;
}

bool fw_pending_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (ctx->defects.pending_count == FW_MAX_PENDING) return true;  // perhaps one for which the list had no room
  return ctx->defects.pending_count != 0 && fw_first_pending(ctx, fw_unit_of(ctx, lba), lba + sectors) != lba + sectors;
}
