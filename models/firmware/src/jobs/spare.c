// Background work while commands are under way: on an arm that is free while others serve, and between two requests.
//
// What it may cost. Each command of the media earns background.max_added_us. A request that background work delays
// pays: the difference between when an arm comes to it and when one would if no arm had done background work since
// its last other access. An access begins only if a request that comes at once can be paid. So the mean response grows
// by no more than the key says, as far as firmware can tell:
//
//   - the arm of the access is not there: another arm comes later (fw_spare_request);
//   - it stands elsewhere than it would. That may also be nearer: then the request earns the difference;
//   - it ends a step that has begun (fw_spare_step_over), if a request can be paid for that. Otherwise it gives way at
//     the end of the sector under its head, or of its move;
//   - requests that come while others wait begin later as well (behind_us).
//
// An arm that has been granted to a request also reads a step on its way, if the request's sector passes so late that
// the arm is there in time even so (fw_spare_on_the_way). That costs nothing.
//
// The scan's slot is of class 3, which yields to requests. Its arm has no appointment in the unit: it gives its channel
// up when a request is granted that needs it.
#include "jobs/jobs.h"

#define TICKS_OF_A_TURN 65536u
#define STOP_TICKS 256u      // about the time until the sector under the head has passed and the arm is free
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

// Until an arm that is told to stop is free, at most: at the end of the sector, or of a store's row.
static uint32_t stop_ticks(const struct fw_context* ctx) {
  return ctx->mems.store.known ? ticks_of(ctx, ctx->mems.store.track_us / ctx->mems.store.rows) : STOP_TICKS;
}

static void earn(struct fw_context* ctx) {
  struct fw_spare* const own = &ctx->spare;
  const uint32_t commands = ctx->statistics.reads + ctx->statistics.writes;
  const struct fw_seek_curve* const seek = &ctx->slots.reckoning.seek[0];
  const int64_t longest = us_of(ctx, 2u * seek->point[seek->points - 1u].ticks) + 2 * (int64_t)track_us(ctx);
  const int64_t most = longest + (int64_t)KEPT_COMMANDS * own->earns_us;
  own->balance_us += (int64_t)(commands - own->commands) * own->earns_us;
  if (own->balance_us > most) own->balance_us = most;
  own->commands = commands;
}

static void pay(struct fw_context* ctx, int64_t us) {
  struct fw_spare* const own = &ctx->spare;
  own->balance_us -= us;
  own->added_us += us;
  fw_count(ctx, FW_COUNTER_ADDED_US, (uint32_t)own->added_us);
}

// Where the arm would be without background work.
static uint32_t home_of(const struct fw_arm* arm) {
  return arm->home == UINT32_MAX ? arm->place : arm->home;
}

// Until a step on its track is over, at most.
static int64_t step_us(struct fw_context* ctx, uint64_t lba, uint32_t sectors) {
  const uint32_t track = fw_track_sectors(ctx, lba);
  return (int64_t)track_us(ctx) + (track == 0 ? 0 : (int64_t)((uint64_t)track_us(ctx) * sectors / track));
}

// The most that a request pays that comes when the arm has left for the track: the move, the step, and the way back.
static int64_t price(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t track, uint32_t sectors) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t to = fw_head_place(ctx, 0, track, false);
  const uint32_t there = fw_move_ticks(ctx, arm->quiet_class, arm->place, to, false, false);
  const uint32_t back = fw_move_ticks(ctx, arm->quiet_class, to, home_of(arm), false, false);
  return us_of(ctx, there + back) + step_us(ctx, lba, sectors);
}

static bool allowed(const struct fw_context* ctx) {
  return ctx->spare.earns_us != 0 && ctx->pm.state == FW_POWER_ACTIVE && !ctx->errors.draining && !ctx->errors.halted &&
         !ctx->cap.shut && ctx->slots.waiting == 0;
}

bool fw_spare_may_go_on(struct fw_context* ctx) {
  return allowed(ctx);
}

bool fw_spare_pays(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t track, uint32_t sectors) {
  if (!allowed(ctx)) return false;
  earn(ctx);
  return ctx->spare.balance_us >= price(ctx, n, lba, track, sectors);
}

// A free arm can read the step, and a request that it delays can be paid.
bool fw_spare_may_begin(struct fw_context* ctx, uint64_t lba, uint32_t track, uint32_t sectors) {
  if (!allowed(ctx)) return false;
  earn(ctx);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    if (!fw_arm_free(&ctx->arm[n]) || !fw_arm_reaches(ctx, n, track)) continue;
    if (ctx->spare.balance_us >= price(ctx, n, lba, track, sectors)) return true;
  }
  return false;
}

static bool scans(const struct fw_arm* arm) {
  return arm->job == FW_JOB_SCAN && arm->errand == 0 && !arm->broken &&
         (arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK || arm->state == FW_ARM_TRANSFER);
}

// Ticks until the arm that scans is free if it gives way now.
static uint32_t free_in(struct fw_context* ctx, const struct fw_arm* arm) {
  const uint64_t now = fw_timer_now(ctx);
  if (arm->state == FW_ARM_TRANSFER) return stop_ticks(ctx);
  return arm->state == FW_ARM_MOVING && arm->arrives > now ? ticks_of(ctx, arm->arrives - now) : 0u;
}

// No arm moves as long as one of background work does.
static uint32_t held_ticks(struct fw_context* ctx) {
  uint32_t held = 0;
  for (uint32_t n = 0; ctx->slots.limits_moving && n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    if (!scans(arm) || arm->state != FW_ARM_MOVING) continue;
    const uint32_t ticks = free_in(ctx, arm);
    if (ticks > held) held = ticks;
  }
  return held;
}

// The arm that comes to a request first, and when.
struct first {
  uint32_t arm, ticks;
};

static void come(struct first* first, uint32_t n, uint32_t ticks) {
  if (ticks < first->ticks) *first = (struct first){n, ticks};
}

// Without background work arm `instead` would serve the request that arm `n` serves, and that one would stay.
static void change_places(struct fw_context* ctx, uint32_t n, uint32_t instead, uint32_t track, bool write) {
  const uint32_t stays = home_of(&ctx->arm[n]);
  ctx->arm[n].home = fw_head_place(ctx, 0, track, write);
  if (instead != n) ctx->arm[instead].home = stays;
}

// By which an arm comes to the request later, ticks; `stops`: arms that scan give way. False: all arms are at other
// work.
static bool delay_of(struct fw_context* ctx, const struct fw_request* request, bool stops, int64_t* ticks) {
  uint32_t here;
  struct first with = {0, UINT32_MAX}, without = {0, UINT32_MAX};
  if (!fw_stack_angle(ctx, fw_stack_of(ctx, request->track), &here)) here = FW_NO_ANGLE;
  const uint32_t held = held_ticks(ctx);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const struct fw_arm* const arm = &ctx->arm[n];
    const bool scan = scans(arm);
    if ((!scan && !fw_arm_free(arm)) || !fw_arm_reaches(ctx, n, request->track)) continue;
    come(&without, n, fw_reckon(ctx, n, home_of(arm), request, here, 0));
    if (scan && !stops) continue;
    const uint32_t after = scan ? free_in(ctx, arm) : 0u;
    come(&with, n, fw_reckon(ctx, n, arm->place, request, here, after > held ? after : held));
  }
  if (with.ticks == UINT32_MAX || without.ticks == UINT32_MAX) return false;
  change_places(ctx, with.arm, without.arm, request->track, request->write);
  *ticks = (int64_t)with.ticks - (int64_t)without.ticks;
  return true;
}

// Arms that scan give way for the request, or end their step if it can be paid for that.
static void give_way(struct fw_context* ctx, const struct fw_request* request) {
  const struct fw_background* const own = &ctx->background;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (!scans(arm) || arm->persists || !fw_arm_reaches(ctx, n, request->track)) continue;
    if (ctx->spare.balance_us >=
        step_us(ctx, own->reading.state != FW_READING_NONE ? own->reading.lba : own->scan_lba, own->step)) {
      arm->persists = true;
      arm->could_end = fw_timer_now(ctx) + (uint64_t)us_of(ctx, free_in(ctx, arm));
    } else if (arm->state == FW_ARM_TRANSFER) {
      fw_channel_stop(ctx, arm->channel);
    }
  }
}

// A request waits for an arm. `spare`: an arm is idle for it.
void fw_spare_request(struct fw_context* ctx, uint32_t tag, bool spare) {
  struct fw_spare* const own = &ctx->spare;
  const struct fw_request* const request = &ctx->requests[tag];
  int64_t ticks = 0;
  earn(ctx);
  if (ctx->slots.waiting > 1u || !delay_of(ctx, request, !spare, &ticks)) {
    pay(ctx, own->behind_us);
  } else {
    const int64_t us = ticks < 0 ? -us_of(ctx, (uint32_t)-ticks) : us_of(ctx, (uint32_t)ticks);
    pay(ctx, us);
    if (!spare && us > 0) own->behind_us = (uint32_t)us / ctx->drive.arms;
  }
  if (!spare) give_way(ctx, request);
}

// A step that went on although requests waited is over: they pay for the rest of it.
void fw_spare_step_over(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!arm->persists) return;
  arm->persists = false;
  const uint64_t now = fw_timer_now(ctx);
  if (now <= arm->could_end) return;
  const uint32_t us = (uint32_t)(now - arm->could_end);
  pay(ctx, (int64_t)us * ctx->slots.waiting);
  ctx->spare.behind_us += us / ctx->drive.arms;
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
  if (fw_timer_now(ctx) > ctx->arm[n].could_end) pay(ctx, ctx->spare.turn_us);
}

// An arm has come to rest.
void fw_spare_rested(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->strayed_to != arm->place) {  // from other work
    arm->home = arm->place;
    arm->strayed_to = UINT32_MAX;
  }
  if (ctx->slots.waiting == 0) ctx->spare.behind_us = 0;
}
