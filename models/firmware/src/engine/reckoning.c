// Times as the arbitration unit computes them, from the same tables and to the tick: for a move, and until a sector
// passes under a head. With them firmware chooses which arm's read-ahead to end for a request, and whether a quiet seek
// is in time. The unit decides all grants.
#include "engine/engine.h"

#define TICKS_OF_A_TURN 65536u
#define SLOPE_UNITS ((int64_t)1 << 24)  // units in one tick per cylinder
#define FIELD(name) fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, name))

uint32_t fw_ticks_at_speed(const struct fw_context* ctx, uint32_t ticks) {
  const uint32_t part = ctx->slots.reckoning.part;
  return part == FW_WHOLE_SPEED ? ticks : (uint32_t)(((uint64_t)ticks * part + FW_WHOLE_SPEED - 1u) / FW_WHOLE_SPEED);
}

// b > 0
static int64_t floor_of(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Slope per cylinder in 2^-24 ticks, rounded down: the arbitration unit multiplies but does not divide.
static int64_t seek_slope(const struct fw_seek_point* from, const struct fw_seek_point* to) {
  const int64_t run = (int64_t)to->cylinders - (int64_t)from->cylinders;
  return run <= 0 ? 0 : floor_of(((int64_t)to->ticks - (int64_t)from->ticks) * SLOPE_UNITS, run);
}

// `table`: offset of the points in the factory record. False: too many points, or none.
static bool load_seek_curve(struct fw_context* ctx, bool quiet, uint32_t table, uint32_t points) {
  const struct fw_reckoning* const own = &ctx->slots.reckoning;
  struct fw_seek_curve* const curve = &ctx->slots.reckoning.seek[quiet];
  if (points == 0 || points > FW_MAX_SEEK_POINTS) return false;
  curve->points = points;
  for (uint32_t i = 0; i < points; ++i) {
    curve->point[i].cylinders = fw_factory_word(ctx, table + 8u * i);
    curve->point[i].ticks = fw_ticks_at_speed(ctx, fw_factory_word(ctx, table + 8u * i + 4u));
  }
  if (quiet || own->scaled) fw_aau_set(ctx, AAU_SEEK_CLASS, quiet ? AAU_SEEK_CLASS_ARM_CLASS_MASK : 0u);
  fw_aau_set(ctx, AAU_SEEK_ENTRY, 0);
  for (uint32_t i = 0; i < points; ++i) {
    const struct fw_seek_point* const point = &curve->point[i];
    const uint64_t slope = i + 1u < points ? (uint64_t)seek_slope(point, point + 1) : 0u;
    fw_aau_set(ctx, AAU_SEEK_DISTANCE, point->cylinders);
    fw_aau_set(ctx, AAU_SEEK_SLOPE_LO, (uint32_t)slope);
    fw_aau_set(ctx, AAU_SEEK_SLOPE_HI, (uint32_t)(slope >> 32) & AAU_SEEK_SLOPE_HI_SLOPE_MASK);
    fw_aau_set(ctx, AAU_SEEK_TIME, point->ticks);
  }
  fw_aau_set(ctx, AAU_SEEK_ENTRIES, points);
  return true;
}

static bool load_normal(struct fw_context* ctx) {
  const uint32_t points = FIELD(seek_points);
  return load_seek_curve(ctx, false, (uint32_t)offsetof(struct fw_factory, seek), points);
}

static bool load_quiet(struct fw_context* ctx) {
  return ctx->acoustic.quiet_points == 0 ||
         load_seek_curve(ctx, true, (uint32_t)offsetof(struct fw_factory, quiet), ctx->acoustic.quiet_points);
}

static void load_costs(struct fw_context* ctx) {
  struct fw_reckoning* const own = &ctx->slots.reckoning;
  own->margin = fw_ticks_at_speed(ctx, FIELD(margin_ticks));
  own->head_switch = fw_ticks_at_speed(ctx, FIELD(head_switch_ticks));
  own->write_settle = fw_ticks_at_speed(ctx, FIELD(write_settle_ticks));
  fw_aau_set(ctx, AAU_MARGIN, own->margin);
  fw_aau_set(ctx, AAU_HEAD_SWITCH, own->head_switch);
  fw_aau_set(ctx, AAU_WRITE_SETTLE, own->write_settle);
  if (!ctx->drive.repositions) return;
  own->reposition = fw_ticks_at_speed(ctx, FIELD(reposition_ticks));
  fw_aau_set(ctx, AAU_REPOSITION, own->reposition);
}

// Programs the unit's costs. False: firmware has no room for them.
bool fw_reckoning_reset(struct fw_context* ctx, uint32_t cache) {
  ctx->slots.reckoning.part = FW_WHOLE_SPEED;
  if (!load_normal(ctx)) return false;
  ctx->acoustic.quiet_points = FIELD(quiet_points);
  if (!load_quiet(ctx)) return false;
  ctx->drive.repositions = (cache & FW_CACHE_REPOSITION) != 0;
  load_costs(ctx);
  fw_aau_set(ctx, AAU_AGEING, FIELD(ageing_weight));
  return true;
}

void fw_reckoning_speed(struct fw_context* ctx, uint32_t part) {
  ctx->slots.reckoning.part = part;
  ctx->slots.reckoning.scaled = true;
  (void)load_normal(ctx);  // it has fitted before
  load_costs(ctx);
}

void fw_reckoning_speed_quiet(struct fw_context* ctx) {
  (void)load_quiet(ctx);
}

uint32_t fw_curve_ticks(const struct fw_seek_point* point, uint32_t points, uint32_t distance) {
  if (distance == 0) return 0;
  uint32_t first = 0, last = points - 1u;
  while (first < last) {  // the last entry at or before the distance
    const uint32_t middle = (first + last + 1u) / 2u;
    if (point[middle].cylinders <= distance)
      first = middle;
    else
      last = middle - 1u;
  }
  const struct fw_seek_point* const from = &point[first];
  if (first + 1u == points || distance <= from->cylinders) return from->ticks;
  const int64_t rise = (int64_t)(distance - from->cylinders) * seek_slope(from, from + 1);
  return (uint32_t)((int64_t)from->ticks + floor_of(rise, SLOPE_UNITS));
}

// Ticks for a move between two places, as aau.arm. `write`: to write there; `wrote`: the last access was a write.
uint32_t fw_move_ticks(const struct fw_context* ctx, bool quiet, uint32_t from, uint32_t to, bool write, bool wrote) {
  const struct fw_reckoning* const own = &ctx->slots.reckoning;
  const uint32_t here = FW_GET(from, AAU_ARM_CYLINDER), there = FW_GET(to, AAU_ARM_CYLINDER);
  const bool surface_changes = FW_GET(from, AAU_ARM_HEAD) != FW_GET(to, AAU_ARM_HEAD);
  const struct fw_seek_curve* const seek = &own->seek[quiet];
  uint32_t move = fw_curve_ticks(seek->point, seek->points, here < there ? there - here : here - there);
  if (surface_changes && move < own->head_switch) move = own->head_switch;
  if (!(write && wrote) && move < own->reposition) move = own->reposition;
  if (write && (here != there || surface_changes)) move += own->write_settle;
  return move;
}

// Ticks until the sector passes under a head of arm n, if the arm leaves the place `from` in `after` ticks; UINT32_MAX:
// none of its heads reaches it. `here`: the stack's angle now; FW_NO_ANGLE: until the head is on the track.
uint32_t fw_reckon(const struct fw_context* ctx, uint32_t n, uint32_t from, const struct fw_request* request,
                   uint32_t here, uint32_t after) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t angle = fw_passes_at(ctx, request->track, request->angle, request->write) + arm->mount_angle;
  uint32_t least = UINT32_MAX;
  for (uint32_t head = 0; head < ctx->drive.sub_heads; ++head) {
    if (!fw_head_reaches(ctx, n, head, request->track, request->write)) continue;
    const uint32_t to = fw_head_place(ctx, head, request->track, request->write);
    const uint32_t move = fw_move_ticks(ctx, arm->quiet_class, from, to, request->write, arm->wrote);
    const uint32_t start = after + ctx->slots.reckoning.margin + move;
    const uint32_t wait =
        here == FW_NO_ANGLE ? 0u : (angle + ctx->drive.head_angle[head] - here - start) % TICKS_OF_A_TURN;
    const uint32_t time = start + wait;
    if (time < least) least = time;
  }
  return least;
}
