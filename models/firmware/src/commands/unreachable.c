// Writes whose tracks no head reaches any more.
#include "commands/commands.h"

#define LOOKED_AT 128u  // tracks; unreachable ones after them are found when the arm comes there, or lost

// Checked before the write's data are taken.
bool fw_write_unreachable(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (!ctx->failures.reach_lost) return false;
  uint32_t offset = 0;
  for (uint32_t i = 0; i < LOOKED_AT && offset < request->sectors; ++i) {
    uint32_t track, angle, run;
    fw_translate(ctx, request->lba + offset, &track, &angle, &run);
    if (ctx->errors.stopped) return true;
    if (!fw_reached(ctx, track)) {
      request->unreachable.known = true;
      request->unreachable.lba = request->lba + offset;
      fw_due(ctx, FW_DUE_UNREACHABLE);
      return true;
    }
    offset += run;
  }
  return false;
}
