// Translation of LBAs, and spare sectors (xlt).
#include "devices/translation.h"

static void name(struct fw_context* ctx, uint64_t lba) {
  fw_write(ctx, SOC_XLT_BASE, XLT_LBA_HI, (uint32_t)(lba >> 32));
  fw_write(ctx, SOC_XLT_BASE, XLT_LBA_LO, (uint32_t)lba);
}

void fw_translate(struct fw_context* ctx, uint64_t lba, uint32_t* track, uint32_t* angle, uint32_t* run) {
  name(ctx, lba);
  *track = fw_read(ctx, SOC_XLT_BASE, XLT_TRACK);
  const uint32_t place = fw_read(ctx, SOC_XLT_BASE, XLT_PLACE);
  *angle = FW_GET(place, XLT_PLACE_ANGLE);
  *run = FW_GET(place, XLT_PLACE_RUN);
  // The range has been checked, so the factory record and the geometry disagree.
  if ((*track & XLT_TRACK_INVALID_MASK) != 0 || *run == 0) FW_STOP(ctx);
}

uint32_t fw_sectors_before_last(struct fw_context* ctx) {
  return fw_read(ctx, SOC_XLT_BASE, XLT_BEFORE);
}

uint32_t fw_sectors_before(struct fw_context* ctx, uint64_t lba) {
  uint32_t track, angle, rest;
  fw_translate(ctx, lba, &track, &angle, &rest);
  return fw_sectors_before_last(ctx);
}

uint32_t fw_track_sectors(struct fw_context* ctx, uint64_t lba) {
  name(ctx, lba);
  return fw_read(ctx, SOC_XLT_BASE, XLT_LENGTH);
}

bool fw_move_to_spare(struct fw_context* ctx, uint64_t unit) {
  name(ctx, unit);
  fw_write(ctx, SOC_XLT_BASE, XLT_MOVE, XLT_MOVE_GO_MASK);
  return (fw_read(ctx, SOC_XLT_BASE, XLT_MOVE) & XLT_MOVE_MOVED_MASK) != 0;
}
