// Slots of the arbitration unit: work that waits for an arm, and the unit's preferences.
#include "engine/engine.h"

#define TICKS_OF_A_TURN 65536u
#define GAP_TICKS 4096u    // longest gap between reads that one arm serves
#define GAP_SECTORS 2048u  // most sectors in that gap

bool fw_arm_wanted(const struct fw_context* ctx, uint32_t n) {
  return ctx->pm.state == FW_POWER_REST || ctx->cap.shut || ctx->slots.waiting_for[ctx->arm[n].group] != 0;
}

// The same for an arm that reads ahead: written data that do not yield also come first.
bool fw_arm_claimed(const struct fw_context* ctx, uint32_t n) {
  return fw_arm_wanted(ctx, n) || fw_channel_claimed(ctx, n) || fw_destages_insist(ctx, ctx->arm[n].group) != 0;
}

// `flags`: fields of aau.slot_commit except angle, stack and valid.
void fw_commit_slot(struct fw_context* ctx, uint32_t slot, uint32_t track, uint32_t angle, uint32_t flags) {
  const bool write = (flags & AAU_SLOT_COMMIT_WRITE_MASK) != 0;
  fw_aau_slot(ctx, slot, fw_head_place(ctx, 0, track, write),
              FW_SET(AAU_SLOT_COMMIT_ANGLE, fw_passes_at(ctx, track, angle, write)) | flags |
                  FW_SET(AAU_SLOT_COMMIT_STACK, fw_stack_of(ctx, track)));
}

// Writes to the unit are posted: the slot may have been granted already, or be granted before this takes effect. Such a
// grant is void, and the arm is free again when it is taken (fw_granted).
void fw_withdraw_slot(struct fw_context* ctx, uint32_t slot) {
  if (slot < ctx->drive.queue_depth) ctx->slots.withdrawn[slot] = true;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].errand == slot + 1u) ctx->arm[n].errand = 0;
  fw_aau_withdraw(ctx, slot);
}

// Requests of the group that are reserved for a busy arm.
static uint32_t reserved_in(const struct fw_context* ctx, uint32_t group) {
  uint32_t count = 0, left = ctx->reservations;
  for (uint32_t tag = 0; left != 0 && tag < ctx->drive.queue_depth; ++tag) {
    if (ctx->requests[tag].reserved == FW_NO_ARM) continue;
    left--;
    if (ctx->requests[tag].group == group) count++;
  }
  return count;
}

// An idle arm can serve the track, so no arm need give up work that no command waits for.
static bool arm_to_spare(const struct fw_context* ctx, uint32_t track, uint32_t group) {
  uint32_t busy = 0;
  bool idle = false;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    if (ctx->arm[n].state != FW_ARM_IDLE)
      busy++;
    else if (ctx->arm[n].service == FW_IN_SERVICE)
      idle = idle || fw_arm_reaches(ctx, n, track);
  }
  // Each waiting request or run will take one arm.
  return idle && ctx->slots.waiting_for[group] + ctx->destage.hurried_waiting[group] == 1u + reserved_in(ctx, group) &&
         ctx->pm.state != FW_POWER_REST && (ctx->slots.in_service_limit == 0 || busy < ctx->slots.in_service_limit);
}

// The rest of the request on the media; for a read into a segment, all wanted sectors of the segment plus the minimum
// read-ahead.
uint64_t fw_request_media_lba(const struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  if (request->segment != FW_NO_SEGMENT) return ctx->read_cache.segment[request->segment].end;
  if (!request->left.held) return request->lba + request->media_done;
  // A sector being checked has been written: continue at that physical sector.
  if (request->left.check != FW_CHECK_NONE) return request->left.unit;
  return request->lba + request->left.run.offset + request->left.run.written;
}

uint64_t fw_request_media_end(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  uint64_t end = fw_end_of(request);
  const bool segment = request->segment != FW_NO_SEGMENT;
  if (segment && ctx->read_cache.segment[request->segment].plan > end)
    end = ctx->read_cache.segment[request->segment].plan;
  if (request->write || request->fua || !ctx->schedule.on) return end;
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
}

// A command without a limit yields, unless it holds segments that another may need.
static bool yields_to_limits(const struct fw_context* ctx, const struct fw_request* request) {
  return ctx->host.limits.waiting != 0 && request->limit.index == 0 && request->queued && !request->left.held &&
         request->segment == FW_NO_SEGMENT;
}

// The read uses a segment, which reads that begin where it ends can share.
static bool shares(const struct fw_request* request) {
  return !request->write && !request->fua && !request->seek && request->batch == FW_BATCH_NONE &&
         !request->lines.used && request->segment == FW_NO_SEGMENT;
}

// The read's arm, if any, waits for a segment: adjacent reads join when it has one.
static bool waits_for_segment(const struct fw_context* ctx, uint32_t tag) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].waits_segment && ctx->arm[n].tag == tag) return true;
  return false;
}

// Another read, a candidate or about to get its segment, ends where this one begins or within it: one arm can serve
// both, but the unit would send two.
static bool joins_another(const struct fw_context* ctx, const struct fw_request* request) {
  if (!ctx->schedule.on || !shares(request)) return false;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const other = &ctx->requests[tag];
    if (other == request || !shares(other) || request->lba < other->lba || request->lba > fw_end_of(other)) continue;
    if (other->lba == request->lba && other > request) continue;  // the lower tag of two leads
    const bool waits = other->state == FW_REQUEST_WAITS_ARM;
    if (waits && (other->withheld == FW_CANDIDATE || other->withheld == FW_WITHHELD_FOR_READ)) return true;
    if (other->state == FW_REQUEST_AT_WORK && waits_for_segment(ctx, tag)) return true;
  }
  return false;
}

static enum fw_withheld reason(const struct fw_context* ctx, const struct fw_request* request) {
  if (yields_to_limits(ctx, request)) return FW_WITHHELD_FOR_LIMIT;
  if (ctx->mems.tree.on) return FW_WITHHELD_FOR_BATCH;
  return ctx->slots.waiting > 1u && joins_another(ctx, request) ? FW_WITHHELD_FOR_READ : FW_CANDIDATE;
}

static void withhold(struct fw_context* ctx, struct fw_request* request, enum fw_withheld why) {
  if (request->withheld == FW_WITHHELD_FOR_READ) ctx->with_reads--;
  if (why == FW_WITHHELD_FOR_READ) ctx->with_reads++;
  request->withheld = (uint8_t)why;
}

static void become_candidate(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  fw_make_way(ctx, tag, arm_to_spare(ctx, request->track, request->group));
  commit_request(ctx, tag);
}

// Reasons to withhold requests may have changed.
void fw_review_candidates(struct fw_context* ctx) {
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (request->state != FW_REQUEST_WAITS_ARM || request->withheld == FW_WITHHELD_FOR_HOLDER) continue;
    const enum fw_withheld before = (enum fw_withheld)request->withheld;
    // A candidate stays one unless it yields.
    const enum fw_withheld now = before == FW_CANDIDATE
                                     ? yields_to_limits(ctx, request) ? FW_WITHHELD_FOR_LIMIT : FW_CANDIDATE
                                     : reason(ctx, request);
    if (before == now) continue;
    withhold(ctx, request, now);
    if (now == FW_CANDIDATE)
      become_candidate(ctx, tag);
    else if (before == FW_CANDIDATE)
      fw_withdraw_slot(ctx, tag);
  }
}

// The request waits for an arm: it becomes a candidate of the arbitration unit, unless it is withheld.
void fw_request_to_slot(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->group = (uint8_t)fw_group_of(ctx, request->track);
  ctx->slots.waiting++;
  ctx->slots.waiting_for[request->group]++;
  if (ctx->failures.reach_lost && !fw_reached(ctx, request->track)) fw_due(ctx, FW_DUE_UNREACHABLE);
  if (request->limit.index != 0 && ctx->host.limits.waiting++ == 0) fw_review_candidates(ctx);
  request->state = FW_REQUEST_WAITS_ARM;
  fw_due(ctx, FW_DUE_WAKE);
  if (request->withheld != FW_WITHHELD_FOR_HOLDER) withhold(ctx, request, reason(ctx, request));
  if (request->withheld == FW_CANDIDATE) become_candidate(ctx, tag);
  if (request->withheld != FW_WITHHELD_FOR_BATCH) return;
  request->came = ++ctx->mems.tree.came;
  fw_make_way(ctx, tag, arm_to_spare(ctx, request->track, request->group));
  fw_due(ctx, FW_DUE_BATCH);
}

// The request is next of its batch.
void fw_request_from_batch(struct fw_context* ctx, uint32_t tag) {
  withhold(ctx, &ctx->requests[tag], FW_CANDIDATE);
  commit_request(ctx, tag);
}

// Reserves the request's slot for that arm, even while it is busy; FW_NO_ARM: for any arm.
void fw_reserve(struct fw_context* ctx, uint32_t tag, uint32_t n) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->reserved == n) return;
  if (request->reserved == FW_NO_ARM) ctx->reservations++;
  if (n == FW_NO_ARM) ctx->reservations--;
  request->reserved = (uint8_t)n;
  fw_aau_reserve(ctx, tag, n);
}

// The request begins shortly after sector `end` on the same track: an arm that comes free there is in time for it.
bool fw_soon_behind(struct fw_context* ctx, const struct fw_request* request, uint64_t end) {
  if (request->lba - end > GAP_SECTORS) return false;
  uint32_t track, angle, rest;
  fw_translate(ctx, end, &track, &angle, &rest);
  const uint32_t gap = (request->angle - angle) % TICKS_OF_A_TURN;
  return track == request->track && gap >= ctx->slots.reckoning.margin && gap <= GAP_TICKS;
}

// The arm's next work is different, or it has none: frees its reservations. `read`: it reads up to sector `end`;
// reserves reads shortly after that for it.
static void end_reservations(struct fw_context* ctx, uint32_t n, bool read, uint64_t end) {
  for (uint32_t tag = 0; ctx->reservations != 0 && tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->reserved == FW_NO_ARM) continue;
    if (read && !request->write && request->lba >= end && fw_soon_behind(ctx, request, end))
      fw_reserve(ctx, tag, n);
    else if (request->reserved == n)
      fw_reserve(ctx, tag, FW_NO_ARM);
  }
}

void fw_reservations_end(struct fw_context* ctx, uint32_t n) {
  end_reservations(ctx, n, false, 0);
}

void fw_reservations_granted(struct fw_context* ctx, uint32_t n, uint32_t slot) {
  const bool read = slot < ctx->drive.queue_depth && !ctx->requests[slot].write;
  end_reservations(ctx, n, read, read ? fw_request_media_end(ctx, slot) : 0);
}

// The request has an arm, or no longer needs one.
void fw_request_from_slot(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->state = FW_REQUEST_AT_WORK;
  ctx->slots.waiting--;
  ctx->slots.waiting_for[request->group]--;
  if (request->withheld == FW_WITHHELD_FOR_HOLDER) ctx->held_back--;
  withhold(ctx, request, FW_CANDIDATE);
  fw_reserve(ctx, tag, FW_NO_ARM);
  if (ctx->mems.tree.on) fw_due(ctx, FW_DUE_BATCH);
  if (request->limit.index == 0) return;
  fw_limit_active(ctx, tag);
  if (--ctx->host.limits.waiting == 0) fw_review_candidates(ctx);
}

// Written data yield to host requests unless a command waits for them. No arm moves unless all can, and the power cap
// allows accesses.
static uint32_t arbitration(const struct fw_context* ctx) {
  const bool own_work =
      ctx->background.scan_idle_us != 0 || ctx->background.recalibration_ms != 0 || ctx->spare.earns_us != 0;
  const uint32_t background = own_work ? 1u << 3 : 0u;
  const uint32_t ahead = ctx->rules.ahead_on_hit ? 1u << 2 : 0u;
  const uint32_t yield = (ctx->destage.urgent ? 0u : 1u << 1) | ahead | background;
  const bool active = ctx->pm.state == FW_POWER_ACTIVE || ctx->pm.state == FW_POWER_FLUSH;
  return (active && !ctx->cap.shut ? AAU_CTRL_ENABLE_MASK : 0u) | FW_SET(AAU_CTRL_POLICY, ctx->slots.policy) |
         FW_SET(AAU_CTRL_YIELD, yield) | FW_SET(AAU_CTRL_ZONE, ctx->mems.store.zone);
}

void fw_program_arbitration(struct fw_context* ctx) {
  fw_aau_control(ctx, arbitration(ctx));
}

// Withdraws all slots. The unit's preferences are written again, not read back, as a posted write may be pending.
void fw_withdraw_all(struct fw_context* ctx) {
  fw_aau_control(ctx, arbitration(ctx) | AAU_CTRL_WITHDRAW_ALL_MASK);
}
