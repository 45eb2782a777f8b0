// How long an arm would take to a sector, as the arbitration unit reckons it: by this firmware tells which arm's
// reading ahead is worth ending for a request. The unit decides afterwards. Times are good to a few microseconds.
#include "engine/engine.h"

#define TICKS_OF_A_TURN 65536u

// `points` of the curve of normal seeks, and what is added.
void fw_reckoning_reset(struct fw_context* ctx, uint32_t points) {
  struct fw_reckoning* const own = &ctx->reckoning;
  for (uint32_t i = 0; i < points; ++i)
    own->seek[i] = fw_read_seek_point(ctx, (uint32_t)offsetof(struct fw_factory, seek), i);
  own->points = points;
  own->margin = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, margin_ticks));
  own->head_switch = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, head_switch_ticks));
  own->write_settle = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, write_settle_ticks));
}

// The line between two entries; constant below the first and above the last one.
static uint32_t seek_ticks(const struct fw_reckoning* own, uint32_t cylinders) {
  if (cylinders == 0) return 0;
  uint32_t first = 0, last = own->points - 1u;
  while (first < last) {  // the last entry at or before the distance
    const uint32_t middle = (first + last + 1u) / 2u;
    if (own->seek[middle].cylinders <= cylinders)
      first = middle;
    else
      last = middle - 1u;
  }
  const struct fw_seek_point from = own->seek[first];
  if (first + 1u == own->points || cylinders <= from.cylinders) return from.ticks;
  const struct fw_seek_point to = own->seek[first + 1u];
  const int64_t rise = (int64_t)to.ticks - (int64_t)from.ticks;
  return (uint32_t)((int64_t)from.ticks +
                    rise * (int64_t)(cylinders - from.cylinders) / (int64_t)(to.cylinders - from.cylinders));
}

// Ticks until the sector passes under a head of arm n, if the arm leaves its place in `after` ticks. `here`: where the
// stack is now.
uint32_t fw_reckon(const struct fw_context* ctx, uint32_t n, const struct fw_request* request, uint32_t here,
                   uint32_t after) {
  const struct fw_reckoning* const own = &ctx->reckoning;
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t place = FW_GET(arm->place, AAU_ARM_CYLINDER), target = FW_GET(request->track, SRV_TARGET_CYLINDER);
  const bool surface_changes = FW_GET(arm->place, AAU_ARM_HEAD) != FW_GET(request->track, SRV_TARGET_HEAD);
  uint32_t least = UINT32_MAX;
  for (uint32_t head = 0; head < ctx->sub_heads; ++head) {
    const int64_t way = (int64_t)target - ctx->head_offset[head] - (int64_t)place;
    uint32_t move = seek_ticks(own, (uint32_t)(way < 0 ? -way : way));
    if (surface_changes && move < own->head_switch) move = own->head_switch;
    if (request->write && (way != 0 || surface_changes)) move += own->write_settle;
    const uint32_t start = after + own->margin + move;
    const uint32_t passes = request->angle + arm->mount_angle + ctx->head_angle[head];
    const uint32_t time = start + (passes - here - start) % TICKS_OF_A_TURN;
    if (time < least) least = time;
  }
  return least;
}
