// Which arm reaches what: surfaces that it has heads for, heads on a surface and how far out they sit, what of that has
// failed. Arms of a group reach the same surfaces: all do, or those of a stack or of a part of it, or each has its own.
// And slots of the arbitration unit, which knows the same.
#include "firmware.h"

static uint32_t surface_of(uint32_t track) {
  return FW_GET(track, SRV_TARGET_HEAD);
}

void fw_reach_reset(struct fw_context* ctx) {
  ctx->groups = 0;
  for (uint32_t n = 0; n < ctx->arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    for (uint32_t head = 0; head < FW_MAX_HEADS; ++head) arm->usable[head] = 0xFFFFFFFFu;
    uint32_t group = 0;
    while (ctx->arm[group].first_head != arm->first_head) group++;
    arm->group = (uint8_t)group;
    if (group == n) ctx->groups++;
  }
}

// Where head 0 of the arm is while `head` is on the track; negative, or beyond the stroke: it cannot be.
static int32_t position(const struct fw_context* ctx, uint32_t head, uint32_t track) {
  return (int32_t)FW_GET(track, SRV_TARGET_CYLINDER) - ctx->head_offset[head];
}

// The same of a write: the reader is beside the track, so that the writer is on it.
static int32_t writing_position(const struct fw_context* ctx, uint32_t head, uint32_t track) {
  return position(ctx, head, track) + fw_jog_tracks(&ctx->jog, FW_GET(track, SRV_TARGET_CYLINDER));
}

static bool within_stroke(const struct fw_context* ctx, int32_t at) {
  return at >= 0 && at <= (int32_t)ctx->stroke;
}

static bool may_use(const struct fw_context* ctx, uint32_t n, uint32_t head, uint32_t track) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t surface = surface_of(track);
  if (surface < arm->first_head || surface > arm->last_head) return false;
  const uint32_t bit = surface - arm->first_head;
  if (bit < 32u && (arm->usable[head] >> bit & 1u) == 0) return false;
  return within_stroke(ctx, position(ctx, head, track)) && within_stroke(ctx, writing_position(ctx, head, track));
}

// The head with which the arm goes to the track: the granted one or the one at work if it can, otherwise the one with
// the shortest way.
static uint32_t head_for(const struct fw_context* ctx, uint32_t n, uint32_t track) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (may_use(ctx, n, arm->wished_head, track)) return arm->wished_head;
  const int32_t here = (int32_t)FW_GET(arm->place, AAU_ARM_CYLINDER);
  uint32_t best = FW_NO_HEAD;
  int32_t least = INT32_MAX;
  for (uint32_t head = 0; head < ctx->sub_heads; ++head) {
    if (!may_use(ctx, n, head, track)) continue;
    const int32_t way = position(ctx, head, track) - here;
    const int32_t distance = way < 0 ? -way : way;
    if (distance >= least) continue;
    least = distance;
    best = head;
  }
  return best;
}

bool fw_arm_reaches(const struct fw_context* ctx, uint32_t n, uint32_t track) {
  return head_for(ctx, n, track) != FW_NO_HEAD;
}

bool fw_reached(const struct fw_context* ctx, uint32_t track) {
  for (uint32_t n = 0; n < ctx->arms; ++n)
    if (!ctx->arm[n].broken && fw_arm_reaches(ctx, n, track)) return true;
  return false;
}

// A head without an offset reaches the whole surface. What others reach together is looked at track by track.
bool fw_reaches_all(const struct fw_context* ctx) {
  for (uint32_t surface = 0; surface < ctx->heads; ++surface) {
    bool reached = false;
    for (uint32_t n = 0; n < ctx->arms; ++n)
      for (uint32_t head = 0; head < ctx->sub_heads && !ctx->arm[n].broken; ++head)
        reached = reached || (ctx->head_offset[head] == 0 && may_use(ctx, n, head, FW_SET(SRV_TARGET_HEAD, surface)));
    if (!reached) return false;
  }
  return true;
}

static uint32_t place_of(const struct fw_context* ctx, uint32_t head, uint32_t track, bool write) {
  const int32_t at = write ? writing_position(ctx, head, track) : position(ctx, head, track);
  return FW_SET(AAU_ARM_CYLINDER, at) | (track & SRV_TARGET_HEAD_MASK);
}

// The arm's head goes to the track, or is there, to write it or to read it: the fields of its place.
void fw_place_arm(struct fw_context* ctx, uint32_t n, uint32_t track, bool write) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t head = head_for(ctx, n, track);
  if (head == FW_NO_HEAD) {  // whoever sends it has looked
    FW_STOP(ctx);
    return;
  }
  arm->sub_head = arm->wished_head = (uint8_t)head;
  arm->track = track;
  arm->place = place_of(ctx, head, track, write);
}

// The arm is on its track, but to write it and not to read it, or the other way round: it moves there now.
bool fw_jog_arm(struct fw_context* ctx, uint32_t n, bool write) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->jogs || arm->place == place_of(ctx, arm->sub_head, arm->track, write)) return false;
  fw_send_arm(ctx, n, arm->track, write);
  return true;
}

void fw_arm_at(struct fw_context* ctx, uint32_t n, uint32_t status) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->place = status & (SRV_STATUS_CYLINDER_MASK | SRV_STATUS_HEAD_MASK);
  const int32_t cylinder = (int32_t)FW_GET(status, SRV_STATUS_CYLINDER) + ctx->head_offset[arm->sub_head];
  arm->track = FW_SET(SRV_TARGET_CYLINDER, cylinder) | (status & SRV_STATUS_HEAD_MASK);
}

uint32_t fw_stack_of(const struct fw_context* ctx, uint32_t track) {
  return ctx->stacks <= 1u ? 0u : surface_of(track) / (ctx->heads / ctx->stacks);
}

uint32_t fw_group_of(const struct fw_context* ctx, uint32_t track) {
  const uint32_t surface = surface_of(track);
  for (uint32_t n = 0; n < ctx->arms && ctx->groups > 1u; ++n)
    if (ctx->arm[n].first_head <= surface && surface <= ctx->arm[n].last_head) return ctx->arm[n].group;
  return 0;
}

bool fw_arm_wanted(const struct fw_context* ctx, uint32_t n) {
  return ctx->power == FW_POWER_REST || ctx->waiting_for[ctx->arm[n].group] != 0;
}

// The same of an arm that reads for nobody: written data that do not yield come before that.
bool fw_arm_claimed(const struct fw_context* ctx, uint32_t n) {
  return fw_arm_wanted(ctx, n) || fw_channel_contested(ctx, n) ||
         (ctx->urgent && ctx->destages_waiting[ctx->arm[n].group] != 0);
}

// `flags`: fields of aau.slot_commit but angle, stack and valid.
void fw_commit_slot(struct fw_context* ctx, uint32_t slot, uint32_t track, uint32_t angle, uint32_t flags) {
  const uint32_t cylinder = FW_GET(track, SRV_TARGET_CYLINDER);
  const bool write = (flags & AAU_SLOT_COMMIT_WRITE_MASK) != 0;
  const uint32_t jog = write ? (uint32_t)fw_jog_tracks(&ctx->jog, cylinder) : 0u;
  angle += write ? (uint32_t)fw_jog_later(&ctx->jog, cylinder) : 0u;
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_TARGET(slot),
           FW_SET(SRV_TARGET_CYLINDER, cylinder + jog) | (track & SRV_TARGET_HEAD_MASK));
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_COMMIT(slot),
           FW_SET(AAU_SLOT_COMMIT_ANGLE, angle) | flags | FW_SET(AAU_SLOT_COMMIT_STACK, fw_stack_of(ctx, track)) |
               AAU_SLOT_COMMIT_VALID_MASK);
}

// Writes to the unit are posted, so its answer is not there yet: the slot may have been granted, or be granted before
// this takes effect. That grant is for nobody then, and the arm is free again when it is taken (fw_granted).
void fw_withdraw_slot(struct fw_context* ctx, uint32_t slot) {
  if (slot < ctx->queue_depth) ctx->requests[slot].withdrawn = true;
  fw_write(ctx, SOC_AAU_BASE, AAU_WITHDRAW, FW_SET(AAU_WITHDRAW_SLOT, slot));
}

// An arm that can go to the track has nothing to do, so that none need give up what it does of its own accord.
static bool arm_to_spare(const struct fw_context* ctx, uint32_t track, uint32_t group) {
  uint32_t busy = 0;
  bool idle = false;
  for (uint32_t n = 0; n < ctx->arms; ++n) {
    if (ctx->arm[n].state != FW_ARM_IDLE)
      busy++;
    else
      idle = idle || fw_arm_reaches(ctx, n, track);
  }
  // What waits already will take one arm each.
  return idle && ctx->waiting_for[group] == 1u && ctx->power != FW_POWER_REST &&
         (ctx->in_service_limit == 0 || busy < ctx->in_service_limit);
}

// What is left of the request on the media; of a read into a segment all that is wanted there.
static uint32_t channel_length(struct fw_context* ctx, const struct fw_request* request) {
  if (request->seek) return 0;
  uint64_t from = request->lba + request->media_done, end = fw_end_of(request);
  if (request->segment != FW_NO_SEGMENT) {
    const struct fw_segment* const segment = &ctx->segment[request->segment];
    from = segment->end;
    end = segment->plan > end ? segment->plan : end;
  }
  return fw_channel_length(ctx, from, end > from ? end - from : 0u);
}

// The request becomes a candidate of the arbitration unit.
void fw_request_to_slot(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->waits_arm = true;
  request->group = (uint8_t)fw_group_of(ctx, request->track);
  ctx->waiting_requests++;
  ctx->waiting_for[request->group]++;
  if (ctx->reach_lost && !fw_reached(ctx, request->track)) ctx->unreachable_due = true;
  fw_ahead_cancel(ctx);
  if (request->held_back) return;
  fw_commit_slot(ctx, tag, request->track, request->angle,
                 (request->write ? AAU_SLOT_COMMIT_WRITE_MASK : 0u) | channel_length(ctx, request));
  if (ctx->look_ahead && !arm_to_spare(ctx, request->track, request->group)) fw_stream_preempt(ctx, request->track);
  fw_wake(ctx);
}

// It has an arm, or no longer needs one.
void fw_request_from_slot(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->waits_arm = false;
  ctx->waiting_requests--;
  ctx->waiting_for[request->group]--;
  if (request->held_back) ctx->held_back--;
  request->held_back = false;
}
