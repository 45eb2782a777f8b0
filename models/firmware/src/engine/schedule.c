#include "engine/schedule.h"

#include "engine/engine.h"

#define TICKS_OF_A_TURN 65536u
#define LENGTH_UNIT 256u  // ticks of aau.slot_commit.length
#define LONGEST_UNITS (AAU_SLOT_COMMIT_LENGTH_MASK >> AAU_SLOT_COMMIT_LENGTH_SHIFT)
#define LONGEST_TICKS AAU_APPOINTMENT_TICKS_MASK
#define LONE_SECTOR_TICKS 256u
#define MOST_STEPS 8u    // of aau.postpone, of 256 revolutions each
#define START_US 4u      // approximate time from an arm's request for a channel to the channel's start
#define TIMES_ERR_US 4u  // largest error of firmware's times: handlers run late, and count microseconds

static uint64_t now_ns(struct fw_context* ctx) {
  return fw_timer_now(ctx) * 1000u;
}

static uint64_t ns_of_ticks(const struct fw_context* ctx, uint64_t ticks) {
  return ticks * ctx->schedule.turn_ns / TICKS_OF_A_TURN;
}

static uint64_t ticks_of_ns(const struct fw_context* ctx, uint64_t ns) {
  return ns * TICKS_OF_A_TURN / ctx->schedule.turn_ns;
}

void fw_schedule_reset(struct fw_context* ctx, uint32_t rpm, uint32_t lead_us, uint32_t grant_ns, uint32_t channels) {
  const uint32_t at_work = ctx->slots.in_service_limit != 0 ? ctx->slots.in_service_limit : ctx->drive.arms;
  ctx->schedule.on = channels != 0 && rpm != 0;
  ctx->schedule.shared = ctx->schedule.on && ctx->drive.channels < at_work;
  if (!ctx->schedule.on) return;
  ctx->schedule.lead_us = lead_us;
  ctx->schedule.grant_ns = grant_ns;
  ctx->schedule.full_turn_ns = (uint32_t)(60000000000u / rpm);
  ctx->schedule.turn_ns = ctx->schedule.full_turn_ns;
  ctx->schedule.gap_ns = (uint32_t)ns_of_ticks(ctx, FW_GET(channels, AAU_CHANNELS_GAP));
  fw_aau_set(ctx, AAU_CHANNELS, channels);
}

// The times between accesses stay, and are fewer ticks. Where the index passes is not known until the next grant.
void fw_schedule_speed(struct fw_context* ctx, uint32_t part) {
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) ctx->schedule.index_ns[stack] = 0;
  if (!ctx->schedule.on) return;
  const uint32_t channels = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, aau_channels));
  ctx->schedule.turn_ns = (uint32_t)((uint64_t)ctx->schedule.full_turn_ns * FW_WHOLE_SPEED / part);
  const uint32_t gap = (uint32_t)ticks_of_ns(ctx, ctx->schedule.gap_ns) + 1u;
  fw_aau_set(ctx, AAU_CHANNELS, (channels & ~(uint32_t)AAU_CHANNELS_GAP_MASK) | FW_SET(AAU_CHANNELS_GAP, gap));
}

bool fw_stack_angle(struct fw_context* ctx, uint32_t stack, uint32_t* ticks) {
  const uint64_t index = ctx->schedule.index_ns[stack], turn = ctx->schedule.turn_ns;
  if (!ctx->schedule.on || index == 0) return false;
  const uint64_t now = now_ns(ctx);
  const uint64_t since = now >= index ? (now - index) % turn : (turn - (index - now) % turn) % turn;
  *ticks = (uint32_t)(since * TICKS_OF_A_TURN / turn);
  return true;
}

// Ticks from the start of the first sector to the end of the last, or of the disk, over as many tracks as needed. Stops
// counting at `most`.
static uint32_t ticks_of(struct fw_context* ctx, uint64_t lba, uint64_t sectors, uint32_t most) {
  uint32_t ticks = 0, last = 0;
  while (sectors != 0 && ticks < most && lba < ctx->drive.capacity) {
    uint32_t track, angle, run, unused_track, end, unused_run;
    fw_translate(ctx, lba, &track, &angle, &run);
    if (ctx->errors.stopped) return 0;
    const uint32_t part = sectors < run ? (uint32_t)sectors : run;
    if (ticks != 0) ticks += (angle - last) % TICKS_OF_A_TURN;  // skew to the next track
    fw_translate(ctx, lba + part - 1u, &unused_track, &end, &unused_run);
    const uint32_t passed = (end - angle) % TICKS_OF_A_TURN;
    // The last sector takes as long as those before it, rounded up; a lone one as long as on a track of few sectors.
    const uint32_t one = part > 1u ? passed / (part - 1u) + 1u : LONE_SECTOR_TICKS;
    ticks += passed + one;
    last = end + one;
    lba += part;
    sectors -= part;
  }
  return ticks < most ? ticks : most;
}

uint32_t fw_channel_length(struct fw_context* ctx, uint64_t lba, uint64_t sectors) {
  if (!ctx->schedule.on) return 0;
  const uint32_t ticks = ticks_of(ctx, lba, sectors, LONGEST_UNITS * LENGTH_UNIT);
  return FW_SET(AAU_SLOT_COMMIT_LENGTH, (ticks + LENGTH_UNIT - 1u) / LENGTH_UNIT);
}

// The angle on the stack plus the mounting angle of the arm and that of its head, ticks.
static uint32_t under_the_head(const struct fw_context* ctx, uint32_t n, uint32_t head, uint32_t angle) {
  return (angle + ctx->arm[n].mount_angle + ctx->drive.head_angle[head]) % TICKS_OF_A_TURN;
}

static bool at_work(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return fw_job_of(ctx, n)->accesses &&
         (arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK || arm->state == FW_ARM_TRANSFER);
}

// The arm is idle, and waiting work may be granted to it at once: a moving arm may only just have held that back.
static bool soon_at_work(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->state == FW_ARM_IDLE &&
         (ctx->slots.waiting_for[arm->group] != 0 || ctx->destage.waiting[arm->group] != 0);
}

bool fw_channel_contested(const struct fw_context* ctx, uint32_t n) {
  if (!ctx->schedule.shared) return false;
  uint32_t others = 0;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other)
    if (other != n && (at_work(ctx, other) || soon_at_work(ctx, other))) others++;
  return others >= ctx->drive.channels;
}

// Other work that no command waits for does not stop read-ahead, as on a drive with one arm. An arm that reads ahead
// without a channel does not compete for those that other arms have.
bool fw_channel_claimed(const struct fw_context* ctx, uint32_t n) {
  if (!ctx->schedule.shared) return false;
  uint32_t others = 0;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    const struct fw_arm* const arm = &ctx->arm[other];
    if (other == n) continue;
    const bool soon = arm->state == FW_ARM_IDLE &&
                      (ctx->slots.waiting_for[arm->group] != 0 || fw_destages_insist(ctx, arm->group) != 0);
    const bool has = arm->state == FW_ARM_TRANSFER && ctx->arm[n].state != FW_ARM_TRANSFER;
    if (soon || (at_work(ctx, other) && (has || !fw_arm_yields(ctx, other)))) others++;
  }
  return others >= ctx->drive.channels;
}

// --- Conflicts

// Priority of an arm's work, lowest first.
enum fw_priority {
  FW_PRIORITY_YIELDING,  // written data and background work that no command waits for
  FW_PRIORITY_AHEAD,     // reading ahead
  FW_PRIORITY_WANTED,
};

static enum fw_priority priority(const struct fw_context* ctx, uint32_t n) {
  if (!fw_arm_yields(ctx, n)) return FW_PRIORITY_WANTED;
  return ctx->arm[n].job == FW_JOB_FILL ? FW_PRIORITY_AHEAD : FW_PRIORITY_YIELDING;
}

// Which bookings give way to an arm's.
enum movable {
  MOVE_NONE,
  MOVE_LOWER,   // those of lower priority that have not begun
  MOVE_PLANNED  // and those of any priority that have not been moved before
};

static bool gives_way(const struct fw_context* ctx, uint32_t other, uint32_t n, enum movable which) {
  const struct fw_booking* const its = &ctx->arm[other].booking;
  if (which == MOVE_NONE || its->state == FW_BOOKING_BEGUN) return false;
  if (priority(ctx, other) < priority(ctx, n)) return true;
  // One that has asked gets the channel unless arm n has it.
  if (which == MOVE_LOWER || (its->state == FW_BOOKING_ASKED && ctx->arm[n].state != FW_ARM_TRANSFER)) return false;
  return !its->moved;
}

// Two accesses, given by start and length in nanoseconds, need separate channels.
static bool overlap(const struct fw_context* ctx, uint64_t first, uint64_t lasts, const struct fw_booking* other) {
  return first < other->first_ns + other->lasts_ns + ctx->schedule.gap_ns &&
         first + lasts + ctx->schedule.gap_ns > other->first_ns;
}

// A channel is free for an access of arm n from `first` for `lasts` nanoseconds, if those bookings give way.
static bool fits(const struct fw_context* ctx, uint32_t n, uint64_t first, uint64_t lasts, enum movable which) {
  uint32_t others = 0;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other)
    if (other != n && at_work(ctx, other) && overlap(ctx, first, lasts, &ctx->arm[other].booking) &&
        !gives_way(ctx, other, n, which))
      others++;
  return others < ctx->drive.channels;
}

// A channel is free for the other arm's booking if it is `later`, given that of arm n and all others.
static bool fits_beside(const struct fw_context* ctx, uint32_t other, uint64_t later, uint32_t n,
                        const struct fw_booking* booking) {
  const struct fw_booking* const its = &ctx->arm[other].booking;
  uint32_t others = overlap(ctx, its->first_ns + later, its->lasts_ns, booking) ? 1u : 0u;
  for (uint32_t third = 0; third < ctx->drive.arms; ++third)
    if (third != other && third != n && at_work(ctx, third) &&
        overlap(ctx, its->first_ns + later, its->lasts_ns, &ctx->arm[third].booking))
      others++;
  return others < ctx->drive.channels;
}

// --- The unit's timeline

// The access gives way to any request at once, so the unit is not told of it.
static bool untold(const struct fw_context* ctx, uint32_t n) {
  return ctx->spare.earns_us != 0 && ctx->arm[n].job == FW_JOB_SCAN;
}

static void tell_length(struct fw_context* ctx, uint32_t n, uint32_t ticks) {
  ctx->arm[n].booking.lasts_ns = ns_of_ticks(ctx, ticks);
  fw_aau_appointment(ctx, n, untold(ctx, n) ? 0u : ticks);
}

// Tells the unit that the access begins `ns` later, and repeats its length.
static void tell_later(struct fw_context* ctx, uint32_t n, uint64_t ns, uint32_t ticks) {
  uint64_t later = ticks_of_ns(ctx, ns);
  while (later != 0) {
    const uint32_t step = later < AAU_POSTPONE_TICKS_MASK ? (uint32_t)later : AAU_POSTPONE_TICKS_MASK;
    fw_aau_postpone(ctx, n, step);
    later -= step;
  }
  tell_length(ctx, n, ticks);
}

static void move_later(struct fw_context* ctx, uint32_t n, uint64_t ns) {
  struct fw_booking* const booking = &ctx->arm[n].booking;
  booking->first_ns += ns;
  tell_later(ctx, n, ns, (uint32_t)ticks_of_ns(ctx, booking->lasts_ns));
}

// Moves bookings that conflict with that of arm n as many turns later as necessary.
static void move_others(struct fw_context* ctx, uint32_t n, const struct fw_booking* booking) {
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    struct fw_booking* const its = &ctx->arm[other].booking;
    if (other == n || !at_work(ctx, other) || its->state == FW_BOOKING_BEGUN) continue;
    uint64_t later = 0;
    while (!fits_beside(ctx, other, later, n, booking)) later += ctx->schedule.turn_ns;
    if (later == 0) continue;
    its->moved = true;
    fw_due(ctx, FW_DUE_MOVED);
    move_later(ctx, other, later);
  }
}

// --- Verbs

// The estimate gives the time when the slot's first sector passes, and hence the stack's angle.
void fw_book(struct fw_context* ctx, uint32_t grant) {
  if (!ctx->schedule.on) return;
  const uint32_t n = FW_GET(grant, AAU_GRANT_ARM), slot = FW_GET(grant, AAU_GRANT_SLOT);
  const uint32_t commit = fw_aau_commitment(ctx, slot);
  const uint32_t head = FW_GET(grant, AAU_GRANT_HEAD);
  const uint32_t slots = ctx->drive.queue_depth + FW_MAX_WRITEBACK_SLOTS + FW_BACKGROUND_SLOTS + FW_AHEAD_SLOTS;
  if (n >= ctx->drive.arms || head >= FW_MAX_HEADS || slot >= slots) return;
  const uint32_t angle = under_the_head(ctx, n, head, FW_GET(commit, AAU_SLOT_COMMIT_ANGLE));
  const uint64_t now = now_ns(ctx), grant_ns = ctx->schedule.grant_ns, granted = now > grant_ns ? now - grant_ns : 0u;
  const uint64_t passes = granted + ns_of_ticks(ctx, fw_aau_estimate(ctx));
  ctx->arm[n].booking = (struct fw_booking){
      .lba = fw_job_of_slot(ctx, slot)->slot_lba(ctx, slot),
      .first_ns = passes,
      .lasts_ns = ns_of_ticks(ctx, FW_GET(commit, AAU_SLOT_COMMIT_LENGTH) * LENGTH_UNIT),
      .state = FW_BOOKING_PLANNED,
      .moved = slot < ctx->drive.queue_depth && ctx->requests[slot].moved,
  };
  // One turn more, so that the time is not before power-on.
  ctx->schedule.index_ns[FW_GET(commit, AAU_SLOT_COMMIT_STACK)] =
      passes + ctx->schedule.turn_ns - ns_of_ticks(ctx, angle);
}

void fw_cancel(struct fw_context* ctx, uint32_t n) {
  if (ctx->schedule.on && ctx->arm[n].booking.lasts_ns != 0) tell_length(ctx, n, 0);
}

uint32_t fw_booked_ticks(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t now = now_ns(ctx), end = arm->booking.first_ns + arm->booking.lasts_ns;
  if (!ctx->schedule.on || arm->booking.lasts_ns == 0 || end <= now) return 0;
  const uint64_t ticks = ticks_of_ns(ctx, end - now);
  return ticks < LONGEST_TICKS ? (uint32_t)ticks : LONGEST_TICKS;
}

// Ticks that the physical sector takes to pass: half of its and the next one's, as a lone one counts as longer.
uint32_t fw_sector_ticks(struct fw_context* ctx, uint64_t lba) {
  return (ticks_of(ctx, lba, 2u * ctx->drive.physical_sectors, TICKS_OF_A_TURN) + 1u) / 2u;
}

void fw_extend_to_stop(struct fw_context* ctx, uint32_t n, uint64_t lba) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->schedule.on || arm->booking.lasts_ns == 0) return;
  const uint64_t end = now_ns(ctx) + ns_of_ticks(ctx, fw_sector_ticks(ctx, lba)), lasts = end - arm->booking.first_ns;
  if (end < arm->booking.first_ns + arm->booking.lasts_ns || ticks_of_ns(ctx, lasts) >= LONGEST_TICKS) return;
  if (fits(ctx, n, arm->booking.first_ns, lasts, MOVE_NONE)) tell_length(ctx, n, (uint32_t)ticks_of_ns(ctx, lasts));
}

void fw_book_later(struct fw_context* ctx, uint32_t n) {
  struct fw_booking* const booking = &ctx->arm[n].booking;
  if (!ctx->schedule.on) return;
  booking->lba = FW_NOT_BOOKED;
  booking->state = FW_BOOKING_PLANNED;
  booking->moved = false;
  tell_length(ctx, n, 0);
}

static bool extend(struct fw_context* ctx, uint32_t n, uint64_t end, enum movable which) {
  const struct fw_booking* const booking = &ctx->arm[n].booking;
  if (!ctx->schedule.on || end <= booking->lba) return true;
  const uint32_t ticks = ticks_of(ctx, booking->lba, end - booking->lba, LONGEST_TICKS);
  const uint64_t lasts = ns_of_ticks(ctx, ticks);
  if (lasts <= booking->lasts_ns) return true;
  if (!fits(ctx, n, booking->first_ns, lasts, which)) return false;
  const bool all_stay = fits(ctx, n, booking->first_ns, lasts, MOVE_NONE);
  tell_length(ctx, n, ticks);
  if (!all_stay) move_others(ctx, n, &ctx->arm[n].booking);
  return true;
}

bool fw_extend(struct fw_context* ctx, uint32_t n, uint64_t end) {
  return extend(ctx, n, end, MOVE_PLANNED);
}

bool fw_extend_if_free(struct fw_context* ctx, uint32_t n, uint64_t end) {
  return extend(ctx, n, end, MOVE_NONE);
}

void fw_make_room(struct fw_context* ctx, uint32_t n, uint32_t ticks, uint64_t lba, uint64_t sectors) {
  if (!ctx->schedule.on) return;
  const struct fw_booking booking = {
      .first_ns = now_ns(ctx) + ns_of_ticks(ctx, ticks),
      .lasts_ns = ns_of_ticks(ctx, ticks_of(ctx, lba, sectors, LONGEST_TICKS)),
  };
  if (!fits(ctx, n, booking.first_ns, booking.lasts_ns, MOVE_NONE) &&
      fits(ctx, n, booking.first_ns, booking.lasts_ns, MOVE_PLANNED))
    move_others(ctx, n, &booking);
}

uint32_t fw_booking_begins(struct fw_context* ctx, uint32_t n) {
  const uint64_t now = now_ns(ctx), first = ctx->arm[n].booking.first_ns;
  return first > now ? (uint32_t)ticks_of_ns(ctx, first - now) : 0u;
}

void fw_booking_again(struct fw_context* ctx, uint32_t n) {
  ctx->arm[n].booking.state = FW_BOOKING_PLANNED;
}

uint64_t fw_booking_clear_ns(const struct fw_context* ctx, uint32_t n) {
  const struct fw_booking* const booking = &ctx->arm[n].booking;
  uint64_t clear = booking->lasts_ns;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    const struct fw_booking* const its = &ctx->arm[other].booking;
    if (other == n || !at_work(ctx, other) || !overlap(ctx, booking->first_ns, clear, its)) continue;
    const uint64_t from = booking->first_ns + ctx->schedule.gap_ns;
    clear = its->first_ns > from ? its->first_ns - from : 0u;
  }
  return clear;
}

bool fw_booking_stands(const struct fw_context* ctx, uint32_t n) {
  const struct fw_booking* const booking = &ctx->arm[n].booking;
  return !ctx->schedule.shared || booking->lasts_ns == 0 ||
         fits(ctx, n, booking->first_ns, booking->lasts_ns, MOVE_NONE);
}

void fw_shorten(struct fw_context* ctx, uint32_t n, uint64_t end) {
  const struct fw_booking* const booking = &ctx->arm[n].booking;
  if (!ctx->schedule.on || end <= booking->lba) return;
  const uint32_t ticks = ticks_of(ctx, booking->lba, end - booking->lba, LONGEST_TICKS);
  if (ns_of_ticks(ctx, ticks) < booking->lasts_ns) tell_length(ctx, n, ticks);
}

uint32_t fw_extend_by(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors) {
  if (!ctx->schedule.on || sectors <= FW_LINE_SECTORS || fw_extend(ctx, n, lba + sectors)) return sectors;
  const uint32_t ticks = ticks_of(ctx, lba, sectors, LONGEST_TICKS);
  const uint64_t fit = ticks_of_ns(ctx, ctx->arm[n].booking.lasts_ns) * sectors / ticks;
  const uint64_t lines = (fit + lba % FW_LINE_SECTORS) / FW_LINE_SECTORS;
  const uint64_t end = lines * FW_LINE_SECTORS - (lines == 0 ? 0u : lba % FW_LINE_SECTORS);
  return end < FW_LINE_SECTORS ? FW_LINE_SECTORS : (uint32_t)fw_least64(end, sectors);
}

// Increases the lead by at least a sixteenth, up to one turn; then arms ask at once.
void fw_ask_sooner(struct fw_context* ctx) {
  const uint32_t most_us = ctx->schedule.turn_ns / 1000u, step_us = ctx->schedule.lead_us / 16u + 4u;
  if (ctx->schedule.lead_us < most_us)
    ctx->schedule.lead_us = (uint32_t)fw_least64(ctx->schedule.lead_us + step_us, most_us);
}

// The access could start `comes` nanoseconds after power-on and takes `ticks`, but has no booking for that time: it
// missed its sector, or continues elsewhere. Books the first turn that fits.
static void book_anew(struct fw_context* ctx, uint32_t n, uint64_t comes, uint64_t lba, uint32_t ticks) {
  struct fw_booking* const booking = &ctx->arm[n].booking;
  const uint64_t lasts = ns_of_ticks(ctx, ticks);
  for (uint32_t turns = 0; turns < FW_MAX_ARMS && !fits(ctx, n, comes, lasts, MOVE_LOWER); ++turns)
    comes += ctx->schedule.turn_ns;
  const uint64_t later = comes - booking->first_ns;
  booking->first_ns = comes;
  booking->lba = lba;
  booking->lasts_ns = lasts;
  if (ticks_of_ns(ctx, later) / AAU_POSTPONE_TICKS_MASK >= MOST_STEPS) return;  // the arm has no grant for this access
  tell_later(ctx, n, later, ticks);
  if (!fits(ctx, n, comes, lasts, MOVE_NONE)) move_others(ctx, n, &ctx->arm[n].booking);
}

uint32_t fw_book_next_turn(struct fw_context* ctx, uint32_t n) {
  move_later(ctx, n, ctx->schedule.turn_ns);
  return ctx->schedule.turn_ns / 1000u;
}

void fw_book_two_turns(struct fw_context* ctx, uint32_t n) {
  if (!ctx->schedule.on || ctx->schedule.shared) return;
  tell_length(ctx, n, (uint32_t)ticks_of_ns(ctx, ctx->arm[n].booking.lasts_ns + ctx->schedule.turn_ns));
}

void fw_book_second_turn(struct fw_context* ctx, uint32_t n) {
  if (!ctx->schedule.shared) return;
  const struct fw_booking* const booking = &ctx->arm[n].booking;
  book_anew(ctx, n, booking->first_ns + ctx->schedule.turn_ns, booking->lba,
            (uint32_t)ticks_of_ns(ctx, booking->lasts_ns));
}

// A sector that may only just have passed counts as due now. A pass half a turn or more before the booking is not the
// booked one.
uint32_t fw_ask_after(struct fw_context* ctx, uint32_t n, uint32_t stack, uint32_t angle, uint64_t lba,
                      uint64_t sectors) {
  const uint64_t index = ctx->schedule.index_ns[stack];
  if (!ctx->schedule.on || index == 0) return 0;
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t turn = ctx->schedule.turn_ns, error = TIMES_ERR_US * 1000u, now = now_ns(ctx);
  const uint64_t passes = index + ns_of_ticks(ctx, under_the_head(ctx, n, arm->sub_head, angle));
  // A sector after the ones that have just passed will also have passed before the channel starts.
  const bool first = lba == arm->booking.lba, none = arm->booking.lba == FW_NOT_BOOKED;
  uint64_t from = !first ? now + START_US * 1000u : now > error ? now - error : 0u;
  if (!none && arm->booking.first_ns > from + turn / 2u) from = arm->booking.first_ns - turn / 2u;
  const uint64_t comes = from + (passes >= from ? (passes - from) % turn : (turn - (from - passes) % turn) % turn);
  const uint64_t lasts = first ? 0u : ns_of_ticks(ctx, ticks_of(ctx, lba, sectors, LONGEST_TICKS));
  if (none || comes + lasts > arm->booking.first_ns + arm->booking.lasts_ns + error)
    book_anew(ctx, n, comes, lba, ticks_of(ctx, lba, sectors, LONGEST_TICKS));
  // The booking is a turn or more after `comes` if it has just been moved.
  const uint64_t at = arm->booking.first_ns > comes ? arm->booking.first_ns : comes;
  const uint64_t wait_us = at > now ? (at - now) / 1000u : 0u;
  return wait_us > ctx->schedule.lead_us + 2u * TIMES_ERR_US
             ? (uint32_t)(wait_us - ctx->schedule.lead_us - TIMES_ERR_US)
             : 0u;
}
