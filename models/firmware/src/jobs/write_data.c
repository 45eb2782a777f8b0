// Data of a write straight to the media, on their way from the host into its segment. If the run may begin before all
// have come (cache.write_watermark), they come in parts of eight sectors of the request, a few ordered ahead. A part
// counts once the drive has processed its arrival (overheads.write_data_us).
#include "jobs/jobs.h"

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// Sectors from the request's `offset`-th to the end of its part.
static uint32_t part_of(uint32_t offset) {
  return FW_LINE_SECTORS - offset % FW_LINE_SECTORS;
}

// Sectors that must have come before the run, which begins at `lba`, is written: a part, or the watermark if that is
// more.
uint32_t fw_write_data_first(struct fw_context* ctx, const struct fw_run* run, uint64_t lba) {
  if (ctx->rules.write_watermark >= 100u) return run->sectors;
  if (ctx->rules.write_watermark_track != 0 && fw_track_sectors(ctx, lba) > ctx->rules.write_watermark_track)
    return run->sectors;
  const uint32_t share = (uint32_t)(((uint64_t)run->sectors * ctx->rules.write_watermark + 99u) / 100u);
  const uint32_t part = part_of(run->offset);
  return least(share > part ? share : part, run->sectors);
}

void fw_write_data_order(struct fw_context* ctx, uint32_t tag, struct fw_run* run) {
  const uint32_t address = fw_segment_address(ctx, run->segment);
  while (run->ordered < run->sectors && run->parts < FW_RUN_PARTS) {
    const uint32_t offset = run->offset + run->ordered;
    const uint32_t part = least(run->ordered == 0 ? run->mark : part_of(offset), run->sectors - run->ordered);
    fw_order_transfer(ctx, tag, address + run->ordered * FW_SECTOR_BYTES, offset, part, 0);
    run->ordered += part;
    run->parts++;
  }
}

// Of two runs the first one's data come first.
void fw_write_data_part(struct fw_context* ctx, uint32_t tag, struct fw_run* run, uint32_t sectors) {
  run->here += sectors;
  run->parts--;
  fw_write_data_order(ctx, tag, run);
}
