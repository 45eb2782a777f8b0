// Written data for tracks that no head reaches any more: they are given up and counted.
#include "jobs/jobs.h"

void fw_data_lost(struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  if (!ctx->defects.lost) ctx->defects.lost_lba = lba;
  ctx->defects.lost = true;
  ctx->defects.lost_sectors += sectors;
}

void fw_data_lost_told(struct fw_context* ctx) {
  ctx->defects.lost = false;
}

// The run's data cannot be written: no head reaches their track any more. A write that still waits for the media
// reports this to the host; for other data the next flush does.
void fw_destage_lose(struct fw_context* ctx, uint64_t lba, uint32_t most) {
  uint32_t sectors = 0;
  while (sectors < most) {
    const uint64_t at = lba + sectors;
    const uint64_t begin = at - at % FW_LINE_SECTORS;
    const uint16_t index = fw_line_to_write(ctx, at);
    if (index == FW_NO_LINE) break;
    const uint32_t rest = most - sectors;
    const uint32_t skip = (uint32_t)(at % FW_LINE_SECTORS);
    const uint32_t end = rest < FW_LINE_SECTORS - skip ? skip + rest : FW_LINE_SECTORS;
    const uint8_t gone =
        ctx->line_cache.line[index].dirty & (uint8_t)((0xFFu << skip) & (0xFFu >> (FW_LINE_SECTORS - end)));
    bool told = false;
    for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
      struct fw_request* const request = &ctx->requests[tag];
      if (request->state != FW_REQUEST_BLOCKED || !request->lines.through) continue;
      if (request->lba >= begin + end || request->lba + request->sectors <= at) continue;
      if (!request->unreachable.known) request->unreachable.lba = at;
      request->unreachable.known = told = true;
      fw_due(ctx, FW_DUE_UNREACHABLE);
    }
    for (uint32_t sector = skip; !told && sector < end; ++sector) {
      if ((gone >> sector & 1u) == 0) continue;
      fw_data_lost(ctx, begin + sector, 1);
    }
    fw_line_drop(ctx, index, gone);
    sectors += end - skip;
  }
  fw_count(ctx, FW_COUNTER_LOST, ctx->defects.lost_sectors);
  fw_invalidate(ctx, lba, sectors);
  fw_timer_start(ctx, FW_TIMER_LOST, 1);
}

// Withdraws slots for tracks that no head reaches any more: their data are examined again.
void fw_destage_unreachable(struct fw_context* ctx) {
  for (uint32_t slot = 0; slot < FW_MAX_WRITEBACK_SLOTS; ++slot) {
    if (!ctx->destage.writeback[slot].used || fw_reached(ctx, ctx->destage.writeback[slot].track)) continue;
    fw_aau_slot_off(ctx, ctx->drive.queue_depth + slot);
    fw_release_writeback(ctx, slot);
  }
}

// Lines have been given up.
void fw_destage_lost(struct fw_context* ctx) {
  fw_due(ctx, FW_DUE_BLOCKED | FW_DUE_LINES | FW_DUE_DESTAGE);
}
