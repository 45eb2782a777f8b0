// Minimum read-ahead (cache.minimum_read_ahead_sectors): an arm reads this many sectors after the wanted ones even if a
// request waits for it, as far as the drive reads ahead there at all.
#include "engine/engine.h"

// End of the minimum, in whole physical sectors, if the wanted sectors end at `end`. `end`: no minimum.
uint64_t fw_minimum_ahead(const struct fw_context* ctx, uint64_t end) {
  if (ctx->rules.minimum_ahead == 0 || !ctx->host.look_ahead) return end;
  const uint64_t sectors = ctx->drive.physical_sectors;
  return fw_least64((end + ctx->rules.minimum_ahead + sectors - 1u) / sectors * sectors, ctx->drive.capacity);
}

// The same, up to where read-ahead ends on the disk. `sequential`: a request has continued where another ended.
uint64_t fw_minimum_ahead_of(struct fw_context* ctx, uint64_t end, bool sequential) {
  if (ctx->rules.ahead_from_second && !sequential) return end;
  const uint64_t until = fw_minimum_ahead(ctx, end);
  const bool stream = ctx->rules.read_ahead_end == FW_AHEAD_STREAM || ctx->rules.read_ahead_end == FW_AHEAD_AROUND;
  if (until == end || ctx->rules.read_ahead_end == FW_AHEAD_SEGMENT || (stream && sequential)) return until;
  uint32_t track, angle, rest;
  fw_translate(ctx, end - 1u, &track, &angle, &rest);
  uint64_t track_end = end - 1u + rest;
  const uint32_t cylinder = track & XLT_TRACK_CYLINDER_MASK;
  while (ctx->rules.read_ahead_end == FW_AHEAD_CYLINDER && track_end < until && !ctx->errors.stopped) {
    fw_translate(ctx, track_end, &track, &angle, &rest);
    if ((track & XLT_TRACK_CYLINDER_MASK) != cylinder) break;
    track_end += rest;
  }
  return fw_least64(until, track_end);
}
