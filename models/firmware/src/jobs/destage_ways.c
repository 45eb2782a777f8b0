// Written data that an arm is on its way to: neighbours that come meanwhile join its run, and no other arm is sent
// there. Two arms that shared one stream of writes would each wait for sectors that the other has just left behind.
#include "jobs/jobs.h"

#define FIRST_POLICY_BY_TIME 3u  // of aau.ctrl.policy: from this one on, policies know when sectors pass

// Dirty sectors after the arm's run join it, up to the track's end and as other arms' bookings allow.
static void join(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t from = arm->lba + arm->joined;
  const uint32_t more = fw_destage_extent(ctx, from, arm->track_rest - arm->joined);
  if (more == 0 || !fw_extend(ctx, n, from + more)) return;
  arm->joined += more;
  fw_destage_covered(ctx, from, more);
}

// With fewer channels than arms a stream of writes gains little from a second arm, at another angle. With a channel for
// each it gains only if the arbitration unit knows when sectors pass; otherwise two arms wait by turns for their
// pieces. Where it does not gain, the next tracks are kept for the same arm, as far as it reaches them.
static void keep(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const bool by_time = ctx->slots.policy >= FIRST_POLICY_BY_TIME;
  if ((by_time && !ctx->schedule.shared) || arm->filling_up) return;
  const uint64_t track_end = arm->lba + arm->track_rest;
  if (arm->kept_until < track_end) {
    if (arm->lba + (arm->state == FW_ARM_TRANSFER ? arm->sectors : arm->joined) < track_end) return;
    arm->kept_until = arm->kept_track_end = track_end;
  }
  while (arm->kept_until < ctx->drive.capacity) {
    if (arm->kept_until == arm->kept_track_end) {
      uint32_t track, angle, rest;
      if (fw_line_to_write(ctx, arm->kept_until) == FW_NO_LINE) return;
      fw_translate(ctx, arm->kept_until, &track, &angle, &rest);
      if (ctx->errors.stopped || !fw_arm_reaches(ctx, n, track)) return;
      arm->kept_track_end += rest;
    }
    const uint32_t more = fw_destage_extent(ctx, arm->kept_until, (uint32_t)(arm->kept_track_end - arm->kept_until));
    fw_destage_covered(ctx, arm->kept_until, more);
    arm->kept_until += more;
    if (arm->kept_until < arm->kept_track_end) return;
  }
}

// The arm goes to a run of at least `sectors` sectors from arm.lba on. This is a new access, which has not begun: data
// that no command waits for give way to a read.
void fw_destage_goes_to(struct fw_context* ctx, uint32_t n, uint32_t sectors) {
  ctx->arm[n].under_way = true;
  if (!ctx->destage.urgent) ctx->arm[n].booking.state = FW_BOOKING_PLANNED;
  ctx->arm[n].joined = sectors;
  ctx->arm[n].kept_until = 0;
}

// The arm leaves its stream of writes at sector `at`, where others' turn begins. Data after it get no slot until an arm
// is back at `at`: an arm that resumed further on would leave the data between behind.
void fw_destage_leaves(struct fw_context* ctx, uint64_t at) {
  // With several groups of arms the stream's next track may be another group's.
  if (ctx->drive.groups > 1u || fw_line_to_write(ctx, at) == FW_NO_LINE) return;
  ctx->destage.left_lba = ctx->destage.left_end = at;
}

static void left_grows(struct fw_context* ctx) {
  if (ctx->destage.left_end == 0) return;
  const uint16_t line = fw_line_to_write(ctx, ctx->destage.left_lba);
  if (line == FW_NO_LINE || (ctx->host.write_cache &&
                             !ctx->line_cache.line[line].awaited)) {  // it is written, or nobody waits for it any more
    ctx->destage.left_end = 0;
    return;
  }
  const uint32_t more = fw_destage_extent(ctx, ctx->destage.left_end, UINT32_MAX);
  fw_destage_covered(ctx, ctx->destage.left_end, more);
  ctx->destage.left_end += more;
}

// Lines have come.
void fw_destage_join(struct fw_context* ctx) {
  left_grows(ctx);
  if (ctx->drive.arms == 1u) return;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    if (fw_destage_on_its_way(&ctx->arm[n])) join(ctx, n);
    if (fw_destage_at_work(&ctx->arm[n])) keep(ctx, n);
  }
}

// The data that the arm goes to are on the media already, or being rewritten.
bool fw_destage_in_vain(const struct fw_context* ctx, uint32_t n) {
  return fw_destage_on_its_way(&ctx->arm[n]) && fw_line_to_write(ctx, ctx->arm[n].lba) == FW_NO_LINE;
}

// Another access writes these sectors: arms on their way there need not wait for their first sector to pass.
void fw_destage_taken(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors) {
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    struct fw_arm* const arm = &ctx->arm[other];
    if (other == n || !fw_destage_on_its_way(arm) || arm->lba < lba || arm->lba >= lba + sectors) continue;
    arm->joined = 0;
    fw_cancel(ctx, other);
    fw_due(ctx, FW_DUE_MOVED);
  }
}

// At a handler's end: frees arms that wait on track for data already written.
void fw_destage_free_arms_in_vain(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms && !ctx->errors.stopped; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (arm->state == FW_ARM_MOVING || arm->booking.state == FW_BOOKING_ASKED || !fw_destage_in_vain(ctx, n)) continue;
    fw_leave_queues(ctx, n);
    fw_rest(ctx, n);
  }
}
