// Translation of LBAs (the xl registers of channel 0), and its spare sectors.
#include "devices/translator.h"

void fw_translate(struct fw_context* ctx, uint64_t lba, uint32_t* track, uint32_t* angle, uint32_t* run) {
  fw_write(ctx, SOC_CHN_BASE(0), CHN_XL_LBA_HI, (uint32_t)(lba >> 32));
  fw_write(ctx, SOC_CHN_BASE(0), CHN_XL_LBA_LO, (uint32_t)lba);
  *track = fw_read(ctx, SOC_CHN_BASE(0), CHN_XL_TRACK);
  const uint32_t place = fw_read(ctx, SOC_CHN_BASE(0), CHN_XL_PLACE);
  *angle = FW_GET(place, CHN_XL_PLACE_ANGLE);
  *run = FW_GET(place, CHN_XL_PLACE_RUN);
  // The range has been checked: here factory record and geometry disagree.
  if ((*track & CHN_XL_TRACK_INVALID_MASK) != 0 || *run == 0) FW_STOP(ctx);
}

uint32_t fw_sectors_before_last(struct fw_context* ctx) {
  return fw_read(ctx, SOC_CHN_BASE(0), CHN_XL_BEFORE);
}

uint32_t fw_sectors_before(struct fw_context* ctx, uint64_t lba) {
  uint32_t track, angle, rest;
  fw_translate(ctx, lba, &track, &angle, &rest);
  return fw_sectors_before_last(ctx);
}

// The physical sector that begins at `unit` moves to a spare. `channel`: the one that has just found it bad. False:
// there is no spare.
bool fw_move_to_spare(struct fw_context* ctx, uint32_t channel, uint64_t unit) {
  const uint32_t base = SOC_CHN_BASE(channel);
  fw_write(ctx, base, CHN_XL_LBA_HI, (uint32_t)(unit >> 32));
  fw_write(ctx, base, CHN_XL_LBA_LO, (uint32_t)unit);
  fw_write(ctx, base, CHN_XL_MOVE, CHN_XL_MOVE_GO_MASK);
  return (fw_read(ctx, base, CHN_XL_MOVE) & CHN_XL_MOVE_MOVED_MASK) != 0;
}
