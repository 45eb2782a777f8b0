// Which arm reaches which tracks: its surfaces, its heads on a surface and their offsets, and failures. Arms of a group
// reach the same surfaces. A group is all arms, those of a stack or of a part of it, or a single arm.
#include "engine/engine.h"

// Tracks with fixed heads count as one more surface, on which all tracks are at cylinder 0: the last arm alone reaches
// it, and need not move.
static bool fixed(const struct fw_context* ctx, uint32_t track) {
  return FW_GET(track, SRV_TARGET_CYLINDER) - ctx->drive.fixed_first < ctx->drive.fixed_cylinders;
}

static uint32_t surface_of(const struct fw_context* ctx, uint32_t track) {
  return fixed(ctx, track) ? ctx->drive.heads : FW_GET(track, SRV_TARGET_HEAD);
}

void fw_reach_reset(struct fw_context* ctx) {
  ctx->drive.groups = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    for (uint32_t head = 0; head < FW_MAX_HEADS; ++head) arm->usable[head] = 0xFFFFFFFFu;
    uint32_t group = 0;
    while (ctx->arm[group].first_head != arm->first_head) group++;
    arm->group = (uint8_t)group;
    if (group == n) ctx->drive.groups++;
  }
}

// Cylinder of the arm's head 0 while `head` is on the track; negative or beyond the stroke: out of reach.
static int32_t position(const struct fw_context* ctx, uint32_t head, uint32_t track) {
  if (fixed(ctx, track)) return 0;
  return (int32_t)FW_GET(track, SRV_TARGET_CYLINDER) - ctx->drive.head_offset[head];
}

// The same for a write: the reader is next to the track, so that the writer is on it.
static int32_t writing_position(const struct fw_context* ctx, uint32_t head, uint32_t track) {
  return position(ctx, head, track) + fw_jog_tracks(&ctx->drive.jog, FW_GET(track, SRV_TARGET_CYLINDER));
}

static bool within_stroke(const struct fw_context* ctx, int32_t at) {
  return at >= 0 && at <= (int32_t)ctx->drive.stroke;
}

static bool head_works(const struct fw_arm* arm, uint32_t head, uint32_t surface) {
  if (surface < arm->first_head || surface > arm->last_head) return false;
  const uint32_t bit = surface - arm->first_head;
  return bit >= 32u || (arm->usable[head] >> bit & 1u) != 0;
}

// `write`: to write the track, otherwise to read it.
bool fw_head_reaches(const struct fw_context* ctx, uint32_t n, uint32_t head, uint32_t track, bool write) {
  if (!head_works(&ctx->arm[n], head, surface_of(ctx, track))) return false;
  return within_stroke(ctx, write ? writing_position(ctx, head, track) : position(ctx, head, track));
}

// The head that the arm uses for the track: if possible the granted or the active one, otherwise the nearest.
static uint32_t head_for(const struct fw_context* ctx, uint32_t n, uint32_t track, bool write) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (fw_head_reaches(ctx, n, arm->wished_head, track, write)) return arm->wished_head;
  const int32_t here = (int32_t)FW_GET(arm->place, AAU_ARM_CYLINDER);
  uint32_t best = FW_NO_HEAD;
  int32_t least = INT32_MAX;
  for (uint32_t head = 0; head < ctx->drive.sub_heads; ++head) {
    if (!fw_head_reaches(ctx, n, head, track, write)) continue;
    const int32_t way = position(ctx, head, track) - here;
    const int32_t distance = way < 0 ? -way : way;
    if (distance >= least) continue;
    least = distance;
    best = head;
  }
  return best;
}

// The arm must be able to both read and write the track.
bool fw_arm_reaches(const struct fw_context* ctx, uint32_t n, uint32_t track) {
  return head_for(ctx, n, track, false) != FW_NO_HEAD && head_for(ctx, n, track, true) != FW_NO_HEAD;
}

bool fw_reached(const struct fw_context* ctx, uint32_t track) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (!ctx->arm[n].broken && fw_arm_reaches(ctx, n, track)) return true;
  return false;
}

// A head without an offset reaches the whole surface; other heads are checked track by track.
bool fw_reaches_all(const struct fw_context* ctx) {
  const uint32_t surfaces = ctx->drive.heads + (ctx->drive.fixed_cylinders != 0 ? 1u : 0u);
  for (uint32_t surface = 0; surface < surfaces; ++surface) {
    bool reached = false;
    for (uint32_t n = 0; n < ctx->drive.arms; ++n)
      for (uint32_t head = 0; head < ctx->drive.sub_heads && !ctx->arm[n].broken; ++head)
        reached = reached || (ctx->drive.head_offset[head] == 0 && head_works(&ctx->arm[n], head, surface));
    if (!reached) return false;
  }
  return true;
}

// Position of an arm, as aau.arm, with that head on the track to write or read it.
uint32_t fw_head_place(const struct fw_context* ctx, uint32_t head, uint32_t track, bool write) {
  const int32_t at = write ? writing_position(ctx, head, track) : position(ctx, head, track);
  return FW_SET(AAU_ARM_CYLINDER, at) | FW_SET(AAU_ARM_HEAD, surface_of(ctx, track));
}

// Angle at which a sector passes under the reader, or under the writer.
uint32_t fw_passes_at(const struct fw_context* ctx, uint32_t track, uint32_t angle, bool write) {
  return angle + (write ? (uint32_t)fw_jog_later(&ctx->drive.jog, FW_GET(track, SRV_TARGET_CYLINDER)) : 0u);
}

// Sets the arm's position fields for a head that goes to the track, or is there, to write or read it.
void fw_place_arm(struct fw_context* ctx, uint32_t n, uint32_t track, bool write) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t head = head_for(ctx, n, track, write);
  if (head == FW_NO_HEAD) {  // the caller must have checked this
    FW_STOP(ctx);
    return;
  }
  arm->sub_head = arm->wished_head = (uint8_t)head;
  arm->track = track;
  arm->place = fw_head_place(ctx, head, track, write);
}

void fw_arm_at(struct fw_context* ctx, uint32_t n, uint32_t status) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->place = status & (SRV_STATUS_CYLINDER_MASK | SRV_STATUS_HEAD_MASK);
  const int32_t cylinder = (int32_t)FW_GET(status, SRV_STATUS_CYLINDER) + ctx->drive.head_offset[arm->sub_head];
  arm->track = FW_SET(SRV_TARGET_CYLINDER, cylinder) | (status & SRV_STATUS_HEAD_MASK);
  if (fw_never_moves(ctx, n)) arm->place = FW_SET(AAU_ARM_HEAD, ctx->drive.heads);
}

bool fw_never_moves(const struct fw_context* ctx, uint32_t n) {
  return ctx->drive.fixed_cylinders != 0 && n + 1u == ctx->drive.arms;
}

uint32_t fw_stack_of(const struct fw_context* ctx, uint32_t track) {
  return ctx->drive.stacks <= 1u ? 0u : surface_of(ctx, track) / (ctx->drive.heads / ctx->drive.stacks);
}

uint32_t fw_group_of(const struct fw_context* ctx, uint32_t track) {
  const uint32_t surface = surface_of(ctx, track);
  for (uint32_t n = 0; n < ctx->drive.arms && ctx->drive.groups > 1u; ++n)
    if (ctx->arm[n].first_head <= surface && surface <= ctx->arm[n].last_head) return ctx->arm[n].group;
  return 0;
}

// Position of the arm to write or read its current track.
uint32_t fw_place_of(const struct fw_context* ctx, uint32_t n, bool write) {
  return fw_head_place(ctx, ctx->arm[n].sub_head, ctx->arm[n].track, write);
}
