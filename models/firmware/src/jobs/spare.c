// Background work while commands are under way: on an arm that is free while others serve, and between two requests.
//
// What it may cost. Each command of the media earns background.max_added_us. Firmware keeps, beside the arms, what they
// would be without background work: where each would stand (fw_arm.home), and how much sooner it would be free
// (fw_arm.late_us). When a request is granted, firmware computes when an arm would have come to it so, from the tables
// and the angle that the arbitration unit uses; the request pays the difference to when an arm comes now. That may be
// sooner: then the request earns. So whatever background work does to it counts: an arm is away, stands elsewhere, ends
// its step, holds the channel or other arms' moves. Requests that come while others wait pay what those before them
// have paid.
//
// An access begins only if a request that comes at once can be paid. If a request comes while an arm reads a step, the
// arm ends it if the account is good for that; otherwise it gives way at the end of the sector under its head, or of
// its move.
//
// An arm that has been granted to a request also reads a step on its way, if the request's sector passes so late that
// the arm is there in time even so (fw_spare_on_the_way). That costs nothing.
//
// The scan's slot is of class 3, which yields to requests. Its arm has no appointment in the unit: it gives its channel
// up when a request is granted that needs it.
#include "jobs/jobs.h"

#define TICKS_OF_A_TURN 65536u
#define ERRAND_TICKS 128u    // firmware's times are good to a few microseconds
#define KEPT_COMMANDS 1024u  // what so many commands earn is kept for later

void fw_spare_reset(struct fw_context* ctx, uint32_t max_added_us, uint32_t rpm) {
  if (rpm == 0) return;
  ctx->spare.earns_us = max_added_us;
  ctx->spare.full_turn_us = ctx->spare.turn_us = 60000000u / rpm;
  for (uint32_t n = 0; n < FW_MAX_ARMS; ++n) ctx->arm[n].strayed_to = ctx->arm[n].home = UINT32_MAX;
}

// The drive is a MEMS store: ticks are of its unit's clock, not of a stack's turn.
void fw_spare_store(struct fw_context* ctx) {
  ctx->spare.full_turn_us = ctx->spare.turn_us = FW_STORE_TURN_US;
}

void fw_spare_speed(struct fw_context* ctx, uint32_t part) {
  ctx->spare.turn_us = (uint32_t)((uint64_t)ctx->spare.full_turn_us * FW_WHOLE_SPEED / part);
}

static int64_t us_of(const struct fw_context* ctx, uint32_t ticks) {
  return (int64_t)((uint64_t)ticks * ctx->spare.turn_us / TICKS_OF_A_TURN);
}

static uint32_t ticks_of(const struct fw_context* ctx, uint64_t us) {
  return (uint32_t)(us * TICKS_OF_A_TURN / ctx->spare.turn_us);
}

// Until all sectors of a track have passed, at most.
static uint32_t track_us(const struct fw_context* ctx) {
  return ctx->mems.store.known ? ctx->mems.store.track_us : ctx->spare.turn_us;
}

// The most that a step may delay a request by: two moves and two tracks.
static int64_t longest_us(const struct fw_context* ctx) {
  const struct fw_seek_curve* const seek = &ctx->slots.reckoning.seek[0];
  return us_of(ctx, 2u * seek->point[seek->points - 1u].ticks) + 2 * (int64_t)track_us(ctx);
}

static void earn(struct fw_context* ctx) {
  struct fw_spare* const own = &ctx->spare;
  const uint32_t commands = ctx->statistics.reads + ctx->statistics.writes - ctx->background.list_done;
  const int64_t most = longest_us(ctx) + (int64_t)KEPT_COMMANDS * own->earns_us;
  own->balance_us += (int64_t)(int32_t)(commands - own->commands) * own->earns_us;
  if (own->balance_us > most) own->balance_us = most;
  own->commands = commands;
}

static void pay(struct fw_context* ctx, int64_t us) {
  struct fw_spare* const own = &ctx->spare;
  own->balance_us -= us;
  own->added_us += us;
  fw_count(ctx, FW_COUNTER_ADDED_US, (uint32_t)own->added_us);
}

// Where the arm would be without background work, as its `place`.
uint32_t fw_spare_home(const struct fw_arm* arm) {
  return arm->home == UINT32_MAX ? arm->place : arm->home;
}

// Until a step on its track is over, at most.
static int64_t step_us(struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  const uint32_t track = fw_track_sectors(ctx, lba);
  return (int64_t)track_us(ctx) + (track == 0 ? 0 : (int64_t)((uint64_t)track_us(ctx) * sectors / track));
}

// The most that a request pays that comes when the arm has left for the track: the move and the way back; the step
// (spare.step_us) comes to that.
static int64_t price(struct fw_context* ctx, uint32_t n, uint32_t track) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t to = fw_head_place(ctx, 0, track, false);
  const uint32_t there = fw_move_ticks(ctx, arm->quiet_class, arm->place, to, false, false);
  const uint32_t back = fw_move_ticks(ctx, arm->quiet_class, to, fw_spare_home(arm), false, false);
  return us_of(ctx, there + back) + ctx->spare.step_us;
}

// Nothing waits for an arm but background work, and written data that no command waits for.
bool fw_spare_may_go_on(const struct fw_context* ctx) {
  const uint32_t written = ctx->destage.urgent ? ctx->destage.in_slots : ctx->destage.hurried_in_slots;
  return written == 0 && ctx->spare.earns_us != 0 && ctx->pm.state == FW_POWER_ACTIVE && !ctx->errors.draining &&
         !ctx->errors.halted && !ctx->cap.shut && ctx->slots.waiting == 0;
}

// Arm n, or with FW_NO_ARM one that is free, can read the step, and a request that it delays can be paid.
bool fw_spare_pays(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t track, uint32_t sectors) {
  if (!fw_spare_may_go_on(ctx)) return false;
  earn(ctx);
  ctx->spare.step_us = step_us(ctx, lba, sectors);
  for (uint32_t each = 0; each < ctx->drive.arms; ++each) {
    const bool may = n == FW_NO_ARM ? fw_arm_free(&ctx->arm[each]) : n == each;
    if (may && fw_arm_reaches(ctx, each, track) && ctx->spare.balance_us >= price(ctx, each, track)) return true;
  }
  return false;
}

static bool scans(const struct fw_arm* arm) {
  return arm->job == FW_JOB_SCAN && arm->errand == 0 && !arm->broken &&
         (arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK || arm->state == FW_ARM_TRANSFER);
}

// --- The account: what requests would have had without background work

// The arm serves requests, scans, goes back after that, or is free to.
static bool counts(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const bool goes_back = arm->job == FW_JOB_PLACE && arm->strayed_to == arm->place;
  return !arm->broken && arm->service == FW_IN_SERVICE && arm->state != FW_ARM_PARKED &&
         (fw_arm_free(arm) || arm->job == FW_JOB_REQUEST || arm->job == FW_JOB_FILL || arm->job == FW_JOB_SCAN ||
          goes_back);
}

// All arms stand where they would, and none is late: nothing is owed.
static bool as_without(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (!counts(ctx, n)) continue;
    if (scans(arm) || fw_spare_home(arm) != arm->place || arm->late_us != 0) return false;
  }
  return true;
}

// By which an arm begins with one of several waiting requests later than without background work: there it would have
// been free for the oldest of them, and they would have waited in the same way.
static int64_t begins_late_us(struct fw_context* ctx, const struct fw_arm* arm) {
  uint64_t oldest = UINT64_MAX;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state == FW_REQUEST_WAITS_ARM && request->wanted_us < oldest) oldest = request->wanted_us;
  }
  return (int64_t)fw_timer_now(ctx) - (int64_t)(arm->free_us > oldest ? arm->free_us : oldest);
}

struct first {
  uint32_t arm, ticks;
};

// Which arm would have come to the request first without background work, and how long after it began to wait.
static struct first without(struct fw_context* ctx, const struct fw_request* request, uint32_t here) {
  struct first first = {0, UINT32_MAX};
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (!counts(ctx, n) || !fw_arm_reaches(ctx, n, request->track)) continue;
    const uint64_t after = arm->free_us > request->wanted_us ? arm->free_us - request->wanted_us : 0u;
    const uint32_t ticks = fw_reckon(ctx, n, fw_spare_home(arm), request, here, ticks_of(ctx, after));
    if (ticks < first.ticks) first = (struct first){n, ticks};
  }
  return first;
}

// Without background work arm `instead` would have served what arm n serves: they change what they would be.
static void change_places(struct fw_context* ctx, uint32_t n, uint32_t instead) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct fw_arm* const other = &ctx->arm[instead];
  if (instead == n) return;
  other->home = fw_spare_home(arm);
  other->free_us = arm->free_us;
}

// From the request's first sector to its last one.
static int64_t reading_us(struct fw_context* ctx, uint32_t tag) {
  const uint64_t lba = fw_request_media_lba(ctx, tag), sectors = fw_request_media_end(ctx, tag) - lba;
  const uint32_t track = fw_track_sectors(ctx, lba);
  return track == 0 ? 0 : (int64_t)(sectors * track_us(ctx) / track);
}

// The angle under the heads when the request began to wait, if its sector passes `then` ticks later. A store has none.
static uint32_t angle_then(const struct fw_context* ctx, uint32_t n, const struct fw_request* request, uint32_t then) {
  if (ctx->mems.store.known) return FW_NO_ANGLE;
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t passes = fw_passes_at(ctx, request->track, request->angle, request->write) + arm->mount_angle +
                          ctx->drive.head_angle[arm->wished_head];
  return (passes - then) % TICKS_OF_A_TURN;
}

// Arm n has been granted to the request, whose first sector passes in `left` ticks. Of a store the table of moves alone
// counts, as firmware does not know where a sled is in Y.
void fw_spare_granted(struct fw_context* ctx, uint32_t n, uint32_t tag, uint32_t left) {
  const struct fw_request* const request = &ctx->requests[tag];
  struct fw_arm* const arm = &ctx->arm[n];
  if (ctx->mems.store.known) left = fw_reckon(ctx, n, arm->place, request, FW_NO_ANGLE, 0);
  const uint64_t now = fw_timer_now(ctx), comes = now + (uint64_t)us_of(ctx, left);
  int64_t late = 0;
  earn(ctx);
  if (as_without(ctx)) {
    // nothing to pay
  } else if (!request->alone) {
    late = begins_late_us(ctx, arm);
  } else {
    const uint32_t then = left + ticks_of(ctx, now - request->wanted_us);  // until the sector, when it began to wait
    const struct first first = without(ctx, request, angle_then(ctx, n, request, then));
    if (first.ticks != UINT32_MAX) {
      late = (int64_t)comes - (int64_t)request->wanted_us - us_of(ctx, first.ticks);
      change_places(ctx, n, first.arm);
    }
  }
  const int64_t most = longest_us(ctx);  // what is beyond that has another cause
  late = late > most ? most : late < -most ? -most : late;
  pay(ctx, late);
  arm->home = fw_head_place(ctx, 0, request->track, request->write);
  arm->late_us = late;
  arm->free_us = (uint64_t)((int64_t)comes + reading_us(ctx, tag) - late);
}

// Arms that scan give way for the request, or end their step if it can be paid for that. `spare`: another arm is idle,
// so only those that move are in the way, if others cannot move meanwhile.
static void give_way(struct fw_context* ctx, const struct fw_request* request, bool spare) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (spare && !(ctx->slots.limits_moving && arm->state == FW_ARM_MOVING)) continue;
    if (!scans(arm) || arm->persists || !fw_arm_reaches(ctx, n, request->track)) continue;
    if (ctx->spare.balance_us >= ctx->spare.step_us)
      arm->persists = true;
    else if (arm->state == FW_ARM_TRANSFER)
      fw_channel_stop(ctx, arm->channel);
  }
}

// A request begins to wait for an arm. `spare`: an arm is idle for it.
void fw_spare_request(struct fw_context* ctx, uint32_t tag, bool spare) {
  struct fw_request* const request = &ctx->requests[tag];
  request->wanted_us = fw_timer_now(ctx);
  request->alone = ctx->slots.waiting == 1u;
  for (uint32_t other = 0; !request->alone && other < ctx->drive.queue_depth; ++other)
    if (ctx->requests[other].state == FW_REQUEST_WAITS_ARM) ctx->requests[other].alone = false;
  earn(ctx);
  give_way(ctx, request, spare);
}

// --- Steps on the way to a request

// The request's data are not needed before its arm is on the track, and its rotational wait serves nothing else.
static bool may_wait(const struct fw_context* ctx, uint32_t slot) {
  if (slot >= ctx->drive.queue_depth || ctx->spare.earns_us == 0 || ctx->schedule.shared) return false;
  const struct fw_request* const request = &ctx->requests[slot];
  const bool used = ctx->host.look_ahead && (ctx->rules.read_on_arrival || ctx->rules.free_reads);
  return request->state == FW_REQUEST_WAITS_ARM && !ctx->slots.withdrawn[slot] && !request->write && !request->seek &&
         request->batch == FW_BATCH_NONE && request->limit.index == 0 && !used && ctx->drive.sub_heads == 1u &&
         !ctx->mems.store.known && ctx->overhead.prepare_us == 0 && ctx->pm.state == FW_POWER_ACTIVE &&
         !ctx->errors.draining && !ctx->cap.shut;
}

// Arm n has been granted to the slot, whose first sector passes in `left` ticks. How many sectors of the step, which
// lies at `angle` of the track, it can read before it has to leave for that sector; 0: none.
uint32_t fw_spare_on_the_way(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t left, uint64_t lba,
                             uint32_t track, uint32_t angle) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!may_wait(ctx, slot) || !fw_arm_reaches(ctx, n, track)) return 0;
  const struct fw_request* const request = &ctx->requests[slot];
  const struct fw_request probe = {.track = track, .angle = angle};
  const uint32_t passes = fw_passes_at(ctx, request->track, request->angle, false) + arm->mount_angle;
  const uint32_t here = (passes + ctx->drive.head_angle[0] - left) % TICKS_OF_A_TURN;
  const uint32_t margin = ctx->slots.reckoning.margin;
  const uint32_t there = fw_reckon(ctx, n, arm->place, &probe, here, 0);
  const uint32_t back = fw_move_ticks(ctx, arm->quiet_class, fw_head_place(ctx, 0, track, false),
                                      fw_head_place(ctx, 0, request->track, false), false, false);
  const uint32_t taken = 3u * margin + ERRAND_TICKS + back;
  if (there >= left || left - there <= taken) return 0;
  const uint64_t sectors = (uint64_t)(left - there - taken) * fw_track_sectors(ctx, lba) / TICKS_OF_A_TURN;
  arm->could_end = fw_timer_now(ctx) + (uint64_t)us_of(ctx, left - back - margin);
  return (uint32_t)sectors / ctx->drive.physical_sectors * ctx->drive.physical_sectors;
}

// The arm turns to the request. If that is too late for its sector, a turn is lost.
void fw_spare_errand_over(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (fw_timer_now(ctx) <= arm->could_end) return;
  pay(ctx, ctx->spare.turn_us);
  arm->late_us += ctx->spare.turn_us;
}

// An arm has come to rest.
void fw_spare_rested(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->strayed_to != arm->place) {  // from work that it would have had, too
    arm->home = arm->place;
    arm->strayed_to = UINT32_MAX;
    arm->free_us = (uint64_t)((int64_t)fw_timer_now(ctx) - arm->late_us);
  }
  for (uint32_t other = 0; ctx->slots.waiting == 0 && other < ctx->drive.arms; ++other) {
    if (!fw_arm_free(&ctx->arm[other])) continue;
    ctx->arm[other].late_us = 0;
    if (ctx->arm[other].free_us > fw_timer_now(ctx)) ctx->arm[other].free_us = fw_timer_now(ctx);
  }
}
