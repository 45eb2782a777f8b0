// Where an arm goes, and when it comes to rest.
#include "engine/engine.h"

// Does the arm's next access to the media write?
bool fw_arm_writes(const struct fw_context* ctx, uint32_t n) {
  const struct fw_job_ops* const job = fw_job_of(ctx, n);
  return job->writes != 0 && job->writes(ctx, n);
}

// Records the tracks of recent accesses, for the placement of idle arms.
static void learn(struct fw_context* ctx, uint32_t track) {
  struct fw_placement* const own = &ctx->placement;
  if (own->policy == FW_PLACEMENT_STAY) return;
  own->recent[own->next] = track;
  own->next = (uint8_t)((own->next + 1u) % FW_RECENT_TRACKS);
  if (own->known < FW_RECENT_TRACKS) own->known++;
}

// A grant has been taken: the arm starts once its preparation time is over.
void fw_arm_granted(struct fw_context* ctx, uint32_t n) {
  if (ctx->overhead.prepare_us != 0) ctx->arm[n].prepared_us = fw_timer_now(ctx) + ctx->overhead.prepare_us;
}

static void order(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  fw_servo_move(ctx, n, fw_never_moves(ctx, n) ? arm->track : arm->place,
                arm->order | (arm->tag == FW_NO_TAG ? SRV_CTRL_ANONYMOUS_MASK : FW_SET(SRV_CTRL_TAG, arm->tag)));
  if (arm->tag != FW_NO_TAG) fw_show(ctx, FW_STATE_SEEK, arm->tag);
}

// Starts the arms whose time has come, and sets the timer for the next.
void fw_arms_prepared(struct fw_context* ctx) {
  const uint64_t now = fw_timer_now(ctx);
  uint64_t next = UINT64_MAX;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->prepares && arm->prepared_us <= now) {
      arm->prepares = false;
      order(ctx, n);
    }
    if (arm->prepares && arm->prepared_us < next) next = arm->prepared_us;
  }
  if (next != UINT64_MAX) fw_timer_start(ctx, FW_TIMER_PREPARED, next - now);
}

static void start(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->prepares = ctx->overhead.prepare_us != 0 && arm->prepared_us > fw_timer_now(ctx);
  if (!arm->prepares) {
    order(ctx, n);
    return;
  }
  if (arm->tag != FW_NO_TAG) fw_show(ctx, FW_STATE_OVERHEAD, arm->tag);
  fw_arms_prepared(ctx);
}

// `writes`: to the writing position of the track, not the reading position.
static void send(struct fw_context* ctx, uint32_t n, uint32_t track, bool writes) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_job_ops* const job = fw_job_of(ctx, n);
  const bool write = job->for_write != 0 && job->for_write(ctx, n);
  // A write directly after a write: the arm has been held on its track for writing.
  const bool wrote = arm->wrote;
  const bool settle = ctx->drive.repositions && arm->state == FW_ARM_IDLE && !(write && wrote);
  arm->wrote = write;
  if (job->follows_host) learn(ctx, track);
  const uint32_t from = arm->place;
  fw_place_arm(ctx, n, track, writes);
  if (ctx->errors.stopped) return;
  const bool quiet = fw_acoustic_quiet(ctx, n, from, write, wrote);
  arm->state = FW_ARM_MOVING;
  arm->order = FW_SET(SRV_CTRL_SUB_HEAD, arm->sub_head) | (write ? SRV_CTRL_WRITE_MASK : 0u) |
               (settle ? SRV_CTRL_SETTLE_MASK : 0u) | (quiet ? SRV_CTRL_QUIET_MASK : 0u);
  start(ctx, n);
}

void fw_move_arm(struct fw_context* ctx, uint32_t n, uint32_t track) {
  send(ctx, n, track, ctx->drive.jogs && fw_arm_writes(ctx, n));
}

// If the arm is at the reading position of its track but needs the writing position, or vice versa, it moves there.
bool fw_jog_arm(struct fw_context* ctx, uint32_t n, bool write) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->drive.jogs || arm->place == fw_place_of(ctx, n, write)) return false;
  send(ctx, n, arm->track, write);
  return true;
}

// Tells the arbitration unit that the arm is idle and, as arms also move without a grant, whether it is held for
// writing.
void fw_arm_is_idle(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->drive.repositions) fw_aau_wrote(ctx, n, arm->wrote);
  fw_aau_arm(ctx, n, arm->place, true);
  if (ctx->mems.tree.on) fw_due(ctx, FW_DUE_BATCH);
}

void fw_rest(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->tag = FW_NO_TAG;
  arm->job = FW_JOB_REQUEST;
  arm->check = FW_CHECK_NONE;
  arm->state = FW_ARM_IDLE;
  arm->prepares = false;
  fw_let_go(ctx, n);
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (ctx->jobs[job]->take != 0 && ctx->jobs[job]->take(ctx, n)) {
      fw_reservations_end(ctx, n);
      return;
    }
  fw_arm_is_idle(ctx, n);
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (ctx->jobs[job]->rested != 0) ctx->jobs[job]->rested(ctx, n);
  fw_due(ctx, FW_DUE_REST);
}
