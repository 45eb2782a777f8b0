// Appointments: the arbitration unit knows of each arm at work when its access begins and ends, so that it can wait for
// one that is soon there rather than send another.
//
// Where arms share channels, an arm takes a channel shortly before its first sector and not for the whole of its wait,
// so that another one transfers meanwhile. The unit's estimate of each grant tells where the stack is; from there
// firmware counts turns. All times are good to a few microseconds, which the lead has room for.
#include "engine/engine.h"

#define TICKS_OF_A_TURN 65536u
#define LENGTH_UNIT 256u  // ticks of aau.slot_commit.length
#define LONGEST_UNITS (AAU_SLOT_COMMIT_LENGTH_MASK >> AAU_SLOT_COMMIT_LENGTH_SHIFT)
#define LONGEST_TICKS AAU_APPOINTMENT_TICKS_MASK
#define LONE_SECTOR_TICKS 256u
#define NOT_APPOINTED UINT64_MAX  // as the first sector of an arm's access
#define MOST_STEPS 8u             // of aau.postpone, of 256 revolutions each
#define START_US 4u               // from an arm's request for a channel to the start of the channel, about
#define TIMES_ERR_US 4u  // of what firmware reckons here, at most: its handlers come late, and it counts microseconds

static uint64_t now_ns(struct fw_context* ctx) {
  return fw_timer_now(ctx) * 1000u;
}

static uint64_t ns_of_ticks(const struct fw_context* ctx, uint64_t ticks) {
  return ticks * ctx->turn_ns / TICKS_OF_A_TURN;
}

// `channels`: as aau.channels; 0 if the unit need not know.
void fw_appointments_reset(struct fw_context* ctx, uint32_t rpm, uint32_t lead_us, uint32_t grant_ns,
                           uint32_t channels) {
  const uint32_t at_work = ctx->slots.in_service_limit != 0 ? ctx->slots.in_service_limit : ctx->drive.arms;
  ctx->appointments = channels != 0 && rpm != 0;
  ctx->shared_channels = ctx->appointments && ctx->drive.channels < at_work;
  if (!ctx->appointments) return;
  ctx->lead_us = lead_us;
  ctx->grant_ns = grant_ns;
  ctx->turn_ns = (uint32_t)(60000000000u / rpm);
  ctx->gap_ns = (uint32_t)ns_of_ticks(ctx, FW_GET(channels, AAU_CHANNELS_GAP));
  fw_aau_set(ctx, AAU_CHANNELS, channels);
}

// The angle of the stack now. False: it is not known.
bool fw_stack_angle(struct fw_context* ctx, uint32_t stack, uint32_t* ticks) {
  const uint64_t index = ctx->index_ns[stack], turn = ctx->turn_ns;
  if (!ctx->appointments || index == 0) return false;
  const uint64_t now = now_ns(ctx);
  const uint64_t since = now >= index ? (now - index) % turn : (turn - (index - now) % turn) % turn;
  *ticks = (uint32_t)(since * TICKS_OF_A_TURN / turn);
  return true;
}

// Ticks from the first of so many sectors, or of those up to the disk's end, to the end of the last, on as many tracks
// as they lie on. Once it is more than `most` it is not looked at further.
static uint32_t ticks_of(struct fw_context* ctx, uint64_t lba, uint64_t sectors, uint32_t most) {
  uint32_t ticks = 0, last = 0;
  while (sectors != 0 && ticks < most && lba < ctx->drive.capacity) {
    uint32_t track, angle, run, unused_track, end, unused_run;
    fw_translate(ctx, lba, &track, &angle, &run);
    if (ctx->errors.stopped) return 0;
    const uint32_t part = sectors < run ? (uint32_t)sectors : run;
    if (ticks != 0) ticks += (angle - last) % TICKS_OF_A_TURN;  // on the way to the next track
    fw_translate(ctx, lba + part - 1u, &unused_track, &end, &unused_run);
    const uint32_t passed = (end - angle) % TICKS_OF_A_TURN;
    // The last one takes as long as those before it, rounded up; a lone one as long as of a track of few.
    const uint32_t one = part > 1u ? passed / (part - 1u) + 1u : LONE_SECTOR_TICKS;
    ticks += passed + one;
    last = end + one;
    lba += part;
    sectors -= part;
  }
  return ticks < most ? ticks : most;
}

// For slot_commit: how long an access to these sectors needs its channel. 0 if the unit need not know.
uint32_t fw_channel_length(struct fw_context* ctx, uint64_t lba, uint64_t sectors) {
  if (!ctx->appointments) return 0;
  const uint32_t ticks = ticks_of(ctx, lba, sectors, LONGEST_UNITS * LENGTH_UNIT);
  return FW_SET(AAU_SLOT_COMMIT_LENGTH, (ticks + LENGTH_UNIT - 1u) / LENGTH_UNIT);
}

// Ticks of angles: those of a stack's layout, later by what the arm's place and its head's make of it.
static uint32_t under_the_head(const struct fw_context* ctx, uint32_t n, uint32_t head, uint32_t angle) {
  return (angle + ctx->arm[n].mount_angle + ctx->drive.head_angle[head]) % TICKS_OF_A_TURN;
}

static uint64_t ticks_of_ns(const struct fw_context* ctx, uint64_t ns) {
  return ns * TICKS_OF_A_TURN / ctx->turn_ns;
}

static bool at_work(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return fw_job_of(ctx, n)->accesses &&
         (arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK || arm->state == FW_ARM_TRANSFER);
}

// The arm is idle, and something waits that it may be granted at once: an arm that moves may just have kept it back.
static bool soon_at_work(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->state == FW_ARM_IDLE &&
         (ctx->slots.waiting_for[arm->group] != 0 || ctx->destage.waiting[arm->group] != 0);
}

// Other arms have requests that they need channels for, or soon have, and there is none for each.
bool fw_channel_contested(const struct fw_context* ctx, uint32_t n) {
  if (!ctx->shared_channels) return false;
  uint32_t others = 0;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other)
    if (other != n && (at_work(ctx, other) || soon_at_work(ctx, other))) others++;
  return others >= ctx->drive.channels;
}

// The same for arm n, which reads ahead. What else is done for nobody waits until it has read, as on a drive with one
// arm; but of several that read ahead each leaves a channel that another one has.
bool fw_channel_claimed(const struct fw_context* ctx, uint32_t n) {
  if (!ctx->shared_channels) return false;
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

// Two accesses, each from a time on for so long, nanoseconds, need a channel each.
static bool overlap(const struct fw_context* ctx, uint64_t first, uint64_t lasts, uint64_t other,
                    uint64_t other_lasts) {
  return first < other + other_lasts + ctx->gap_ns && first + lasts + ctx->gap_ns > other;
}

// The arm's access, and one from `first` on for so long.
static bool meet(const struct fw_context* ctx, uint32_t n, uint64_t first, uint64_t lasts) {
  return overlap(ctx, first, lasts, ctx->arm[n].appointed_ns, ctx->arm[n].lasts_ns);
}

// The other arm's access, which is for nobody, can wait for that of arm n, which is for somebody or reads ahead.
static bool waits_for(const struct fw_context* ctx, uint32_t other, uint32_t n) {
  if (ctx->arm[other].begun || ctx->arm[other].job == FW_JOB_FILL || !fw_arm_yields(ctx, other)) return false;
  return ctx->arm[n].job == FW_JOB_FILL || !fw_arm_yields(ctx, n);
}

// From `first` on for so long, nanoseconds: an access of arm n would be one too many. `all`: those count, too, that can
// wait.
static bool lacks_channel(const struct fw_context* ctx, uint32_t n, uint64_t first, uint64_t lasts, bool all) {
  uint32_t others = 0;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    if (other == n || !at_work(ctx, other) || (!all && waits_for(ctx, other, n))) continue;
    if (meet(ctx, other, first, lasts)) others++;
  }
  return others >= ctx->drive.channels;
}

// A grant waits: its estimate tells when the slot's first sector passes, and so where the stack is.
void fw_appointed(struct fw_context* ctx, uint32_t grant) {
  if (!ctx->appointments) return;
  const uint32_t n = FW_GET(grant, AAU_GRANT_ARM), slot = FW_GET(grant, AAU_GRANT_SLOT);
  const uint32_t commit = fw_aau_commitment(ctx, slot);
  const uint32_t head = FW_GET(grant, AAU_GRANT_HEAD);
  const uint32_t slots = ctx->drive.queue_depth + FW_MAX_WRITEBACK_SLOTS + FW_BACKGROUND_SLOTS + FW_AHEAD_SLOTS;
  if (n >= ctx->drive.arms || head >= FW_MAX_HEADS || slot >= slots) return;
  const uint32_t angle = under_the_head(ctx, n, head, FW_GET(commit, AAU_SLOT_COMMIT_ANGLE));
  const uint64_t now = now_ns(ctx), granted = now > ctx->grant_ns ? now - ctx->grant_ns : 0u;
  const uint64_t passes = granted + ns_of_ticks(ctx, fw_aau_estimate(ctx));
  struct fw_arm* const arm = &ctx->arm[n];
  arm->appointed_ns = passes;
  arm->appointed_lba = fw_job_of_slot(ctx, slot)->slot_lba(ctx, slot);
  arm->gave_way = false;
  arm->begun = false;
  arm->ousted = false;
  arm->lasts_ns = ns_of_ticks(ctx, FW_GET(commit, AAU_SLOT_COMMIT_LENGTH) * LENGTH_UNIT);
  // A turn more, so that it is no time before power-on.
  ctx->index_ns[FW_GET(commit, AAU_SLOT_COMMIT_STACK)] = passes + ctx->turn_ns - ns_of_ticks(ctx, angle);
  // Longer than a slot can say, or than this one said, as requests have joined it since: the unit is told now, before
  // it counts on the channel for others.
  const struct fw_job_ops* const job = fw_job_of_slot(ctx, slot);
  if (job->slot_end != 0) fw_appointment_until(ctx, n, job->slot_end(ctx, slot));
  // What is only read ahead gives its channel up, so that it is there in time.
  if (!fw_slot_yields(ctx, slot) && fw_channel_contested(ctx, n)) fw_make_way(ctx, FW_ANY_TRACK);
}

static void tell_length(struct fw_context* ctx, uint32_t n, uint32_t ticks) {
  ctx->arm[n].lasts_ns = ns_of_ticks(ctx, ticks);
  fw_aau_appointment(ctx, n, ticks);
}

// What follows is for nobody: it gives way when it must, and the unit does not wait for its end.
void fw_appointment_over(struct fw_context* ctx, uint32_t n) {
  if (ctx->appointments && ctx->arm[n].lasts_ns != 0) tell_length(ctx, n, 0);
}

// Ticks from now until the arm's access is over, as the unit knows it; 0: it is over, or there is none.
uint32_t fw_appointment_left(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t now = now_ns(ctx), end = arm->appointed_ns + arm->lasts_ns;
  if (!ctx->appointments || arm->lasts_ns == 0 || end <= now) return 0;
  const uint64_t ticks = ticks_of_ns(ctx, end - now);
  return ticks < LONGEST_TICKS ? (uint32_t)ticks : LONGEST_TICKS;
}

// Ticks that the physical sector takes to pass: as those of it and the next one show. A lone one counts as long.
uint32_t fw_sector_ticks(struct fw_context* ctx, uint64_t lba) {
  return (ticks_of(ctx, lba, 2u * ctx->drive.physical_sectors, TICKS_OF_A_TURN) + 1u) / 2u;
}

// The arm's access is being stopped in the midst of what it reads ahead: sector `lba` is under the head, and its end is
// the access's. The unit counts on the arm a little later.
void fw_appointment_stops(struct fw_context* ctx, uint32_t n, uint64_t lba) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->appointments || arm->lasts_ns == 0) return;
  const uint64_t end = now_ns(ctx) + ns_of_ticks(ctx, fw_sector_ticks(ctx, lba)), lasts = end - arm->appointed_ns;
  if (end < arm->appointed_ns + arm->lasts_ns || ticks_of_ns(ctx, lasts) >= LONGEST_TICKS) return;
  if (!lacks_channel(ctx, n, arm->appointed_ns, lasts, true)) tell_length(ctx, n, (uint32_t)ticks_of_ns(ctx, lasts));
}

// The arm has got what it is about to do without a grant: it gets its appointment when it asks for a channel.
void fw_not_appointed(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->appointments) return;
  arm->appointed_lba = NOT_APPOINTED;
  arm->gave_way = false;
  arm->begun = false;
  arm->ousted = false;
  tell_length(ctx, n, 0);
}

// The arm's access begins so much later, nanoseconds, and its length is told anew.
static void tell_later(struct fw_context* ctx, uint32_t n, uint64_t ns, uint32_t ticks) {
  uint64_t later = ticks_of_ns(ctx, ns);
  while (later != 0) {
    const uint32_t step = later < AAU_POSTPONE_TICKS_MASK ? (uint32_t)later : AAU_POSTPONE_TICKS_MASK;
    fw_aau_postpone(ctx, n, step);
    later -= step;
  }
  tell_length(ctx, n, ticks);
}

// Whether those whose accesses one of arm n would meet, from `first` on for so long, may wait for another turn: they
// have not begun, and have not given way before. One that has asked gets the channel unless arm n has it.
static bool others_may_wait(const struct fw_context* ctx, uint32_t n, uint64_t first, uint64_t lasts) {
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    const struct fw_arm* const arm = &ctx->arm[other];
    if (other == n || !at_work(ctx, other) || !meet(ctx, other, first, lasts) || waits_for(ctx, other, n)) continue;
    if (arm->begun || arm->gave_way || (arm->asked && ctx->arm[n].state != FW_ARM_TRANSFER)) return false;
    if (arm->tag != FW_NO_TAG && ctx->requests[arm->tag].ousted) return false;
  }
  return true;
}

// The other arm's access would be one too many if it came so much later and arm n had the channel from `first` on.
static bool lacks_channel_beside(const struct fw_context* ctx, uint32_t other, uint64_t later, uint32_t n,
                                 uint64_t first, uint64_t lasts) {
  const uint64_t at = ctx->arm[other].appointed_ns + later, its = ctx->arm[other].lasts_ns;
  uint32_t others = overlap(ctx, first, lasts, at, its) ? 1u : 0u;
  for (uint32_t third = 0; third < ctx->drive.arms; ++third)
    if (third != other && third != n && at_work(ctx, third) && meet(ctx, third, at, its)) others++;
  return others >= ctx->drive.channels;
}

// Those that have no channel any more come as many turns later as it takes: arm n has it from `first` on for so long.
static void others_give_way(struct fw_context* ctx, uint32_t n, uint64_t first, uint64_t lasts) {
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    struct fw_arm* const arm = &ctx->arm[other];
    if (other == n || !at_work(ctx, other) || arm->begun) continue;
    uint64_t later = 0;
    while (lacks_channel_beside(ctx, other, later, n, first, lasts)) later += ctx->turn_ns;
    if (later == 0) continue;
    arm->gave_way = true;
    arm->appointed_ns += later;
    tell_later(ctx, other, later, (uint32_t)ticks_of_ns(ctx, arm->lasts_ns));
    arm->ousted = true;
    fw_due(ctx, FW_DUE_OUSTED);
  }
}

// The arm, which has just come free, would read these sectors in so many ticks: accesses that would meet that wait.
void fw_appointment_makes_room(struct fw_context* ctx, uint32_t n, uint32_t ticks, uint64_t lba, uint64_t sectors) {
  const uint64_t first = now_ns(ctx) + ns_of_ticks(ctx, ticks);
  const uint64_t lasts = ns_of_ticks(ctx, ticks_of(ctx, lba, sectors, LONGEST_TICKS));
  if (lacks_channel(ctx, n, first, lasts, true) && others_may_wait(ctx, n, first, lasts))
    others_give_way(ctx, n, first, lasts);
}

// The arm's access grows up to sector `end`. `ousts`: another one that would come into its way waits for a turn.
static bool grow_until(struct fw_context* ctx, uint32_t n, uint64_t end, bool ousts) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->appointments || end <= arm->appointed_lba) return true;
  const uint32_t ticks = ticks_of(ctx, arm->appointed_lba, end - arm->appointed_lba, LONGEST_TICKS);
  const uint64_t lasts = ns_of_ticks(ctx, ticks);
  if (lasts <= arm->lasts_ns) return true;
  const bool lacks = lacks_channel(ctx, n, arm->appointed_ns, lasts, true);
  if (lacks && !(ousts && others_may_wait(ctx, n, arm->appointed_ns, lasts))) return false;
  tell_length(ctx, n, ticks);
  if (lacks) others_give_way(ctx, n, arm->appointed_ns, arm->lasts_ns);
  return true;
}

// As above, and another access waits for it: with a channel of its own this one would have lost that turn.
bool fw_appointment_until(struct fw_context* ctx, uint32_t n, uint64_t end) {
  return grow_until(ctx, n, end, true);
}

// The same for what nobody has asked for: no other access waits for it.
bool fw_appointment_if_free(struct fw_context* ctx, uint32_t n, uint64_t end) {
  return grow_until(ctx, n, end, false);
}

// The arm's access, if it is told to last longer, ends at sector `end`.
void fw_appointment_ends(struct fw_context* ctx, uint32_t n, uint64_t end) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->appointments || end <= arm->appointed_lba) return;
  const uint32_t ticks = ticks_of(ctx, arm->appointed_lba, end - arm->appointed_lba, LONGEST_TICKS);
  if (ns_of_ticks(ctx, ticks) < arm->lasts_ns) tell_length(ctx, n, ticks);
}

// So many of these sectors, which begin the arm's access, may pass without touching the others' appointments: whole
// lines, one at least.
uint32_t fw_appointed_sectors(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors) {
  if (!ctx->appointments || sectors <= FW_LINE_SECTORS || fw_appointment_until(ctx, n, lba + sectors)) return sectors;
  const uint32_t ticks = ticks_of(ctx, lba, sectors, LONGEST_TICKS);
  const uint64_t fit = ticks_of_ns(ctx, ctx->arm[n].lasts_ns) * sectors / ticks;
  const uint64_t lines = (fit + lba % FW_LINE_SECTORS) / FW_LINE_SECTORS;
  const uint64_t end = lines * FW_LINE_SECTORS - (lines == 0 ? 0u : lba % FW_LINE_SECTORS);
  return end < FW_LINE_SECTORS ? FW_LINE_SECTORS : (uint32_t)fw_least64(end, sectors);
}

// Arms ask for channels earlier from now on: by a sixteenth of the lead or more, up to a turn, and then at once.
void fw_ask_sooner(struct fw_context* ctx) {
  const uint32_t most_us = ctx->turn_ns / 1000u, step_us = ctx->lead_us / 16u + 4u;
  if (ctx->lead_us < most_us) ctx->lead_us = (uint32_t)fw_least64(ctx->lead_us + step_us, most_us);
}

// The arm's access comes when it has no appointment: it missed its sector, or goes on elsewhere. It gets one that
// leaves the others' alone, but those of accesses for nobody if it is for somebody. `comes`: when its first sector
// passes next, nanoseconds; `ticks`: how long it takes from there.
static void appoint_anew(struct fw_context* ctx, uint32_t n, uint64_t comes, uint64_t lba, uint32_t ticks) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t lasts = ns_of_ticks(ctx, ticks);
  for (uint32_t turns = 0; turns < FW_MAX_ARMS && lacks_channel(ctx, n, comes, lasts, false); ++turns)
    comes += ctx->turn_ns;
  const uint64_t later = comes - arm->appointed_ns;
  arm->appointed_ns = comes;
  arm->appointed_lba = lba;
  arm->lasts_ns = lasts;
  if (ticks_of_ns(ctx, later) / AAU_POSTPONE_TICKS_MASK >= MOST_STEPS) return;  // the arm came to this without a grant
  tell_later(ctx, n, later, ticks);
  if (lacks_channel(ctx, n, comes, lasts, true)) others_give_way(ctx, n, comes, lasts);
}

// The arm's sector passes while another one, whose access comes first, has the channel: it waits for the next turn.
// Returns how long, in microseconds.
uint32_t fw_appointment_next_turn(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->appointed_ns += ctx->turn_ns;
  tell_later(ctx, n, ctx->turn_ns, (uint32_t)ticks_of_ns(ctx, arm->lasts_ns));
  return ctx->turn_ns / 1000u;
}

// The arm has been granted an access whose sectors pass twice: they are read, then written. Whoever waits for the arm
// waits for both. Where channels are shared, others transfer in between, and the unit is told of the second pass later.
void fw_appointment_of_two_turns(struct fw_context* ctx, uint32_t n) {
  if (!ctx->appointments || ctx->shared_channels) return;
  tell_length(ctx, n, (uint32_t)ticks_of_ns(ctx, ctx->arm[n].lasts_ns + ctx->turn_ns));
}

// The first of two passes begins: with shared channels the arm's appointment is the second one from now on.
void fw_appointment_comes_again(struct fw_context* ctx, uint32_t n) {
  if (!ctx->shared_channels) return;
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t ticks = (uint32_t)ticks_of_ns(ctx, arm->lasts_ns);
  appoint_anew(ctx, n, arm->appointed_ns + ctx->turn_ns, arm->appointed_lba, ticks);
}

// How long the arm may still wait before it asks for a channel, in microseconds; 0: it asks now. `angle`: of its first
// sector `lba` on that stack, of so many. A sector that may have passed just now counts as one that comes at once, one
// that passes before the arm's appointment is not the one it means.
uint32_t fw_ask_after(struct fw_context* ctx, uint32_t n, uint32_t stack, uint32_t angle, uint64_t lba,
                      uint64_t sectors) {
  const uint64_t index = ctx->index_ns[stack];
  if (!ctx->appointments || index == 0) return 0;
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t turn = ctx->turn_ns, error = TIMES_ERR_US * 1000u, now = now_ns(ctx);
  const uint64_t passes = index + ns_of_ticks(ctx, under_the_head(ctx, n, arm->sub_head, angle));
  // One behind the sectors that have just passed has passed, too, before the channel starts.
  const bool first = lba == arm->appointed_lba, none = arm->appointed_lba == NOT_APPOINTED;
  uint64_t from = !first ? now + START_US * 1000u : now > error ? now - error : 0u;
  if (!none && arm->appointed_ns > from + turn / 2u) from = arm->appointed_ns - turn / 2u;
  const uint64_t comes = from + (passes >= from ? (passes - from) % turn : (turn - (from - passes) % turn) % turn);
  const uint64_t lasts = first ? 0u : ns_of_ticks(ctx, ticks_of(ctx, lba, sectors, LONGEST_TICKS));
  if (none || comes + lasts > arm->appointed_ns + arm->lasts_ns + error)
    appoint_anew(ctx, n, comes, lba, ticks_of(ctx, lba, sectors, LONGEST_TICKS));
  // A turn or more later than `comes` if it has just got such an appointment.
  const uint64_t at = arm->appointed_ns > comes ? arm->appointed_ns : comes;
  const uint64_t wait_us = at > now ? (at - now) / 1000u : 0u;
  return wait_us > ctx->lead_us + 2u * TIMES_ERR_US ? (uint32_t)(wait_us - ctx->lead_us - TIMES_ERR_US) : 0u;
}
