// Slots of the arbitration unit: what waits for an arm, and what the unit is to prefer.
#include "engine/engine.h"

bool fw_arm_wanted(const struct fw_context* ctx, uint32_t n) {
  return ctx->pm.state == FW_POWER_REST || ctx->cap.shut || ctx->slots.waiting_for[ctx->arm[n].group] != 0;
}

// The same of an arm that reads for nobody: written data that do not yield come before that.
bool fw_arm_claimed(const struct fw_context* ctx, uint32_t n) {
  return fw_arm_wanted(ctx, n) || fw_channel_claimed(ctx, n) || fw_destages_insist(ctx, ctx->arm[n].group) != 0;
}

// `flags`: fields of aau.slot_commit but angle, stack and valid.
void fw_commit_slot(struct fw_context* ctx, uint32_t slot, uint32_t track, uint32_t angle, uint32_t flags) {
  const uint32_t cylinder = FW_GET(track, SRV_TARGET_CYLINDER);
  const bool write = (flags & AAU_SLOT_COMMIT_WRITE_MASK) != 0;
  const uint32_t jog = write ? (uint32_t)fw_jog_tracks(&ctx->drive.jog, cylinder) : 0u;
  fw_aau_slot(ctx, slot, FW_SET(SRV_TARGET_CYLINDER, cylinder + jog) | (track & SRV_TARGET_HEAD_MASK),
              FW_SET(AAU_SLOT_COMMIT_ANGLE, fw_passes_at(ctx, track, angle, write)) | flags |
                  FW_SET(AAU_SLOT_COMMIT_STACK, fw_stack_of(ctx, track)));
}

// Writes to the unit are posted, so its answer is not there yet: the slot may have been granted, or be granted before
// this takes effect. That grant is for nobody then, and the arm is free again when it is taken (fw_granted).
void fw_withdraw_slot(struct fw_context* ctx, uint32_t slot) {
  if (slot < ctx->drive.queue_depth) ctx->slots.withdrawn[slot] = true;
  fw_aau_withdraw(ctx, slot);
}

// Requests of the group that wait for an arm that comes to them soon, and will take none that is idle.
static uint32_t held_for_ways(const struct fw_context* ctx, uint32_t group) {
  uint32_t held = 0, left = ctx->ways;
  for (uint32_t tag = 0; left != 0 && tag < ctx->drive.queue_depth; ++tag) {
    if (ctx->requests[tag].way_arm == FW_NO_ARM) continue;
    left--;
    if (ctx->requests[tag].group == group) held++;
  }
  return held;
}

// An arm that can go to the track has nothing to do, so that none need give up what it does of its own accord.
static bool arm_to_spare(const struct fw_context* ctx, uint32_t track, uint32_t group) {
  uint32_t busy = 0;
  bool idle = false;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    if (ctx->arm[n].state != FW_ARM_IDLE)
      busy++;
    else if (!ctx->arm[n].retired)
      idle = idle || fw_arm_reaches(ctx, n, track);
  }
  // What waits already will take one arm each.
  return idle &&
         ctx->slots.waiting_for[group] + ctx->destage.hurried_waiting[group] == 1u + held_for_ways(ctx, group) &&
         ctx->pm.state != FW_POWER_REST && (ctx->slots.in_service_limit == 0 || busy < ctx->slots.in_service_limit);
}

// What is left of the request on the media; of a read into a segment all that is wanted there, and what the drive reads
// ahead of that in any case.
uint64_t fw_request_media_lba(const struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  if (request->segment != FW_NO_SEGMENT) return ctx->read_cache.segment[request->segment].end;
  if (!request->left.held) return request->lba + request->media_done;
  // What is checked has been written: that goes on where the physical sector lies.
  if (request->left.check != FW_CHECK_NONE) return request->left.unit;
  return request->lba + request->left.run.offset + request->left.run.written;
}

uint64_t fw_request_media_end(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  uint64_t end = fw_end_of(request);
  const bool segment = request->segment != FW_NO_SEGMENT;
  if (segment && ctx->read_cache.segment[request->segment].plan > end)
    end = ctx->read_cache.segment[request->segment].plan;
  if (request->write || request->fua || !ctx->appointments) return end;
  return fw_minimum_ahead_of(ctx, end, segment && ctx->read_cache.segment[request->segment].sequential);
}

static uint32_t channel_length(struct fw_context* ctx, uint32_t tag) {
  if (ctx->requests[tag].seek) return 0;
  const uint64_t from = fw_request_media_lba(ctx, tag), end = fw_request_media_end(ctx, tag);
  return fw_channel_length(ctx, from, end > from ? end - from : 0u);
}

static void commit_request(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  fw_commit_slot(ctx, tag, request->track, request->angle,
                 (request->write ? AAU_SLOT_COMMIT_WRITE_MASK : 0u) | channel_length(ctx, tag));
  fw_due(ctx, FW_DUE_WAKE);
}

// Arms that read for nobody come free for the request. Returns whether it waits for one of them.
static bool waits_for_way(struct fw_context* ctx, uint32_t tag) {
  if (!ctx->host.look_ahead) return false;
  struct fw_request* const request = &ctx->requests[tag];
  const bool spare = arm_to_spare(ctx, request->track, request->group);
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job) {
    if (ctx->jobs[job]->make_way_for == 0 || !ctx->jobs[job]->make_way_for(ctx, tag, spare)) continue;
    ctx->ways++;
    fw_account(ctx, tag, FW_WAIT_ARM);
    return true;
  }
  return false;
}

static bool way_made(const struct fw_context* ctx, uint32_t tag) {
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (ctx->jobs[job]->way_made != 0 && !ctx->jobs[job]->way_made(ctx, tag)) return false;
  return true;
}

// The request becomes a candidate of the arbitration unit.
void fw_request_to_slot(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->state = FW_REQUEST_WAITS_ARM;
  request->group = (uint8_t)fw_group_of(ctx, request->track);
  ctx->slots.waiting++;
  ctx->slots.waiting_for[request->group]++;
  if (ctx->failures.reach_lost && !fw_reached(ctx, request->track)) fw_due(ctx, FW_DUE_UNREACHABLE);
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (ctx->jobs[job]->request_comes != 0) ctx->jobs[job]->request_comes(ctx);
  if (request->held_back || !fw_limit_waits(ctx, tag)) return;
  if (!waits_for_way(ctx, tag)) commit_request(ctx, tag);
}

// No command with a limit waits for an arm any more.
static void commit_yielding(struct fw_context* ctx) {
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (!request->limit.yields) continue;
    request->limit.yields = false;
    if (!waits_for_way(ctx, tag)) commit_request(ctx, tag);
  }
  ctx->host.limits.yielding = 0;
}

// The arm is about to be idle: if a request waits for that, the unit decides when it is a candidate. It would grant the
// arm what nobody waits for.
void fw_hold_grants_for_ways(struct fw_context* ctx, uint32_t n) {
  uint32_t left = ctx->grants_held ? 0u : ctx->ways;
  for (uint32_t tag = 0; left != 0 && tag < ctx->drive.queue_depth; ++tag) {
    if (ctx->requests[tag].way_arm == FW_NO_ARM) continue;
    left--;
    if (ctx->requests[tag].way_arm != n) continue;
    ctx->grants_held = true;
    fw_program_arbitration(ctx);
    return;
  }
}

// Arms have come free that requests wait for, or do not come free.
void fw_serve_ways(struct fw_context* ctx) {
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth && ctx->ways != 0; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (request->way_arm == FW_NO_ARM || !way_made(ctx, tag)) continue;
    const bool at_work = ctx->arm[request->way_arm].state != FW_ARM_IDLE;
    request->way_arm = FW_NO_ARM;
    ctx->ways--;
    const bool plain_read = !request->write && !request->fua && request->segment == FW_NO_SEGMENT;
    if (at_work && plain_read) {  // perhaps the arm goes on over it
      fw_request_from_slot(ctx, tag);
      fw_account(ctx, tag, FW_WAIT_OVER);
      fw_start_later(ctx, tag);
    } else if (!at_work || !waits_for_way(ctx, tag)) {
      commit_request(ctx, tag);
    }
  }
  if (!ctx->grants_held) return;
  ctx->grants_held = false;
  fw_program_arbitration(ctx);
}

// It has an arm, or no longer needs one.
void fw_request_from_slot(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->state = FW_REQUEST_AT_WORK;
  ctx->slots.waiting--;
  ctx->slots.waiting_for[request->group]--;
  if (request->held_back) ctx->held_back--;
  request->held_back = false;
  if (request->way_arm != FW_NO_ARM) ctx->ways--;
  request->way_arm = FW_NO_ARM;
  if (fw_limit_leaves(ctx, tag)) commit_yielding(ctx);
}

// Written data give way to the host's requests unless something waits for them. No arm moves unless all can, and the
// power cap lets accesses begin.
static uint32_t arbitration(const struct fw_context* ctx) {
  const uint32_t background = ctx->background.scan_idle_us != 0 || ctx->background.recalibration_ms != 0 ? 1u << 3 : 0u;
  const uint32_t ahead = ctx->rules.ahead_on_hit ? 1u << 2 : 0u;
  const uint32_t yield = (ctx->destage.urgent ? 0u : 1u << 1) | ahead | background;
  const bool active = ctx->pm.state == FW_POWER_ACTIVE || ctx->pm.state == FW_POWER_FLUSH;
  return (active && !ctx->cap.shut && !ctx->grants_held ? AAU_CTRL_ENABLE_MASK : 0u) |
         FW_SET(AAU_CTRL_POLICY, ctx->slots.policy) | FW_SET(AAU_CTRL_YIELD, yield);
}

void fw_program_arbitration(struct fw_context* ctx) {
  fw_aau_control(ctx, arbitration(ctx));
}

// No slot waits any longer. What the unit is to prefer is told again and not read back: it may not have it yet.
void fw_withdraw_all(struct fw_context* ctx) {
  fw_aau_control(ctx, arbitration(ctx) | AAU_CTRL_WITHDRAW_ALL_MASK);
}
