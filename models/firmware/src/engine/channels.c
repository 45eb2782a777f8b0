// Allocation of data channels to arms. With a channel for each arm, an arm takes the lowest free one. With fewer, an
// arm on its track asks the channel arbiter, which decides by its policy when a channel is free. If another arm may
// want the channel or the same sectors before that, it asks only shortly before its sector passes (schedule.h).
#include "engine/engine.h"

static uint32_t free_channel(const struct fw_context* ctx) {
  for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel)
    if (ctx->channel.arm[channel] == FW_NO_ARM) return channel;
  return FW_NO_CHANNEL;
}

// Records what an arm on its track without a channel waits for: a channel only while all are taken.
static void account_waiting(struct fw_context* ctx, uint32_t n) {
  if (ctx->arm[n].tag == FW_NO_TAG) return;
  fw_account(ctx, ctx->arm[n].tag, free_channel(ctx) == FW_NO_CHANNEL ? FW_WAIT_CHANNEL : FW_WAIT_SECTOR);
}

// A channel has been taken, or has come free.
static void account_all_waiting(struct fw_context* ctx) {
  for (uint32_t place = 0; place < ctx->channel.queue.count; ++place)
    account_waiting(ctx, ctx->channel.queue.arms[place]);
}

// Accesses of two arms to the same sectors must not overlap if one of them writes: it may read them first (fill-up), or
// move them to a spare.
static bool may_access(struct fw_context* ctx, uint32_t n) {
  if (ctx->drive.arms == 1u || ctx->arm[n].held != 0) return true;
  struct fw_access access;
  fw_job_of(ctx, n)->extent(ctx, n, &access);
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    const struct fw_arm* const arm = &ctx->arm[other];
    if (other == n || arm->held == 0 || !(access.write || arm->held_write)) continue;
    if (access.lba < arm->held_lba + arm->held && arm->held_lba < access.lba + access.sectors) return false;
  }
  return true;
}

bool fw_hold_more(struct fw_context* ctx, uint32_t n, uint64_t end) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->held == 0 || end <= arm->held_lba + arm->held) return true;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    const struct fw_arm* const at_work = &ctx->arm[other];
    if (other == n || at_work->held == 0 || !(arm->held_write || at_work->held_write)) continue;
    if (arm->held_lba < at_work->held_lba + at_work->held && at_work->held_lba < end) return false;
  }
  arm->held = end - arm->held_lba;
  return true;
}

// Another command wants sectors of the arm's access, and one of the two writes. While this access holds them, an arm at
// another angle may lose a turn, so this one starts as late as possible. De-staging waits as well: data that arrive
// meanwhile join the same access.
static bool sought(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->schedule.on || arm->check != FW_CHECK_NONE) return false;
  if (arm->job == FW_JOB_DESTAGE) return !arm->filled;
  if ((arm->job != FW_JOB_REQUEST && arm->job != FW_JOB_FILL) || arm->tag == FW_NO_TAG) return false;
  struct fw_access access;
  fw_job_of(ctx, n)->extent(ctx, n, &access);
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (tag == arm->tag || request->state < FW_REQUEST_WAITS_ARM || request->state > FW_REQUEST_AT_WORK) continue;
    if (!access.write && !request->write) continue;
    if (request->lba < access.lba + access.sectors && access.lba < fw_end_of(request)) return true;
  }
  return false;
}

// Where the arm's next access begins.
struct place {
  uint64_t lba, sectors;
  uint32_t angle, stack;
};

static struct place next_access(struct fw_context* ctx, uint32_t n) {
  const struct fw_job_ops* const job = fw_job_of(ctx, n);
  struct fw_access access;
  job->extent(ctx, n, &access);
  if (job->next != 0) job->next(ctx, n, &access);
  struct place place = {access.lba, access.sectors, 0, 0};
  uint32_t track, run;
  fw_translate(ctx, place.lba, &track, &place.angle, &run);
  if (fw_arm_writes(ctx, n)) place.angle += (uint32_t)fw_jog_later(&ctx->drive.jog, FW_GET(track, SRV_TARGET_CYLINDER));
  place.stack = fw_stack_of(ctx, track);
  return place;
}

// The access follows the one that the unit knows of, as a write follows its fill-up read. The unit must know, or it
// would expect the arm a turn too soon. With shared channels, `ask` tells it.
static void book_what_follows(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (!ctx->schedule.on || ctx->channel.arbiter || arm->booking.state != FW_BOOKING_BEGUN) return;
  if (arm->job == FW_JOB_FILL && fw_arm_yields(ctx, n)) return;
  const struct place place = next_access(ctx, n);
  (void)fw_ask_after(ctx, n, place.stack, place.angle, place.lba, place.sectors);
}

static void start(struct fw_context* ctx, uint32_t n, uint32_t channel) {
  struct fw_arm* const arm = &ctx->arm[n];
  // Its access has changed while it waited for the channel.
  if (ctx->drive.jogs && fw_jog_arm(ctx, n, fw_arm_writes(ctx, n))) {
    if (ctx->channel.arbiter) fw_cha_free(ctx, channel);
    return;
  }
  if (arm->held == 0) {
    struct fw_access access;
    fw_job_of(ctx, n)->extent(ctx, n, &access);
    arm->held_lba = access.lba;
    arm->held = access.sectors;
    arm->held_write = access.write;
  }
  book_what_follows(ctx, n);
  arm->state = FW_ARM_TRANSFER;
  arm->booking.state = FW_BOOKING_BEGUN;
  arm->channel = (uint8_t)channel;
  ctx->channel.arm[channel] = (uint8_t)n;
  ctx->channel.starts++;
  account_all_waiting(ctx);
  fw_job_of(ctx, n)->start(ctx, n);
}

// The access can begin with any sector: its whole wait is worth a channel that no other arm wants.
static bool takes_any(const struct fw_context* ctx, uint32_t n) {
  const struct fw_job_ops* const job = fw_job_of(ctx, n);
  return job->takes_any != 0 && job->takes_any(ctx, n) && !fw_channel_contested(ctx, n);
}

static bool asked(const struct fw_context* ctx, uint32_t n) {
  return ctx->arm[n].booking.state == FW_BOOKING_ASKED;
}

static void asks_no_more(struct fw_context* ctx, uint32_t n) {
  if (asked(ctx, n)) ctx->arm[n].booking.state = FW_BOOKING_PLANNED;
}

static void shoot(struct fw_context* ctx) {
  uint64_t first = 0;
  for (uint32_t place = 0; place < ctx->channel.queue.count; ++place) {
    const uint64_t due = ctx->arm[ctx->channel.queue.arms[place]].due_us;
    if (due != 0 && (first == 0 || due < first)) first = due;
  }
  if (first == 0) {
    fw_timer_cancel(ctx, FW_TIMER_CHANNEL);
    return;
  }
  const uint64_t now = fw_timer_now(ctx);
  fw_timer_start(ctx, FW_TIMER_CHANNEL, first > now ? first - now : 1u);
}

// If the arm's first sector is still far, it waits without a channel. Returns whether it does.
static bool waits_for_sector(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const struct place place = next_access(ctx, n);
  const uint32_t after_us =
      takes_any(ctx, n) ? 0u : fw_ask_after(ctx, n, place.stack, place.angle, place.lba, place.sectors);
  if (after_us == 0) return false;
  arm->due_us = fw_timer_now(ctx) + after_us;
  account_waiting(ctx, n);
  shoot(ctx);
  return true;
}

// All channels are taken, one of them for read-ahead. An access that no command waits for does not interrupt it.
static bool behind_ahead(const struct fw_context* ctx, uint32_t n) {
  if (!ctx->schedule.shared || !fw_arm_yields(ctx, n) || free_channel(ctx) != FW_NO_CHANNEL) return false;
  for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel) {
    const uint32_t other = ctx->channel.arm[channel];
    if (ctx->arm[other].job == FW_JOB_FILL && fw_arm_yields(ctx, other)) return true;
  }
  return false;
}

// All channels are taken: background work gives one up at the end of a sector.
static void take_from_background(struct fw_context* ctx, uint32_t n) {
  if (ctx->spare.earns_us == 0 || fw_arm_yields(ctx, n) || free_channel(ctx) != FW_NO_CHANNEL) return;
  for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel)
    if (ctx->arm[ctx->channel.arm[channel]].job == FW_JOB_SCAN) fw_channel_stop(ctx, channel);
}

static void wait_for_next_turn(struct fw_context* ctx, uint32_t n) {
  ctx->arm[n].due_us = fw_timer_now(ctx) + fw_book_next_turn(ctx, n);
  shoot(ctx);
}

// Asks the arbiter, with the angle of the arm's first sector; if that is still far, later. `in_time`: called when the
// time to ask has just come.
static void ask(struct fw_context* ctx, uint32_t n, bool in_time) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (waits_for_sector(ctx, n)) return;
  if (behind_ahead(ctx, n)) {
    wait_for_next_turn(ctx, n);
    return;
  }
  take_from_background(ctx, n);
  const struct place place = next_access(ctx, n);
  account_waiting(ctx, n);
  arm->booking.state = FW_BOOKING_ASKED;
  arm->asked_in_time = in_time && free_channel(ctx) != FW_NO_CHANNEL;
  arm->starts_before = ctx->channel.starts;
  fw_cha_ask(ctx, n,
             FW_SET(CHA_REQUEST_ANGLE, place.angle + arm->mount_angle + ctx->drive.head_angle[arm->sub_head]) |
                 FW_SET(CHA_REQUEST_STACK, place.stack));
}

static bool may_ask(struct fw_context* ctx, uint32_t n) {
  return !asked(ctx, n) && ctx->arm[n].due_us == 0 && may_access(ctx, n);
}

// Without an arbiter there is a channel for each arm. Waiting arms get them in order of arrival: once other arms have
// released their sectors, and if others want these, shortly before they pass.
static void serve_queue(struct fw_context* ctx) {
  const struct fw_arm_queue* const queue = &ctx->channel.queue;
  for (uint32_t place = 0; place < queue->count && !ctx->errors.stopped;) {
    const uint32_t n = queue->arms[place];
    const uint32_t channel = free_channel(ctx);
    if (channel == FW_NO_CHANNEL) return;
    const bool waits = ctx->arm[n].due_us != 0 || !may_access(ctx, n);
    if (waits || (sought(ctx, n) && waits_for_sector(ctx, n))) {
      place++;
      continue;
    }
    fw_dequeue(&ctx->channel.queue, place);
    ctx->arm[n].waits_channel = false;
    if (ctx->arm[n].tag != FW_NO_TAG) fw_account(ctx, ctx->arm[n].tag, FW_WAIT_OVER);
    start(ctx, n, channel);
    place = 0;  // the start may have changed the queue
  }
}

// Sectors that arms wait for without a channel are about to pass.
void fw_channel_due(struct fw_context* ctx) {
  const uint64_t now = fw_timer_now(ctx);
  for (uint32_t place = 0; place < ctx->channel.queue.count; ++place) {
    const uint32_t n = ctx->channel.queue.arms[place];
    if (ctx->arm[n].due_us == 0 || ctx->arm[n].due_us > now) continue;
    // A long handler set or delayed the timer: the sector has passed, and would be missed each turn.
    if (now > ctx->arm[n].due_us + ctx->schedule.lead_us) fw_ask_sooner(ctx);
    ctx->arm[n].due_us = 0;
    if (ctx->channel.arbiter && may_ask(ctx, n))
      ask(ctx, n, true);
    else
      account_waiting(ctx, n);
  }
  if (!ctx->channel.arbiter) serve_queue(ctx);
  shoot(ctx);
}

// Starts a channel if the arm has all that the run needs.
void fw_try_channel(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->state != FW_ARM_ON_TRACK || arm->waits_channel) return;
  const struct fw_job_ops* const job = fw_job_of(ctx, n);
  if (job->ready != 0 && !job->ready(ctx, n)) return;
  if (ctx->drive.jogs && fw_jog_arm(ctx, n, fw_arm_writes(ctx, n))) return;
  const uint32_t channel = ctx->channel.arbiter || ctx->channel.queue.count != 0 ? FW_NO_CHANNEL : free_channel(ctx);
  if (channel != FW_NO_CHANNEL && may_access(ctx, n) && !sought(ctx, n)) {
    start(ctx, n, channel);
    return;
  }
  arm->waits_channel = true;
  fw_enqueue(&ctx->channel.queue, n);
  fw_show(ctx, FW_STATE_WAIT_CHANNEL, arm->tag == FW_NO_TAG ? 0 : arm->tag);
  if (!ctx->channel.arbiter) serve_queue(ctx);
  if (ctx->channel.arbiter && may_ask(ctx, n))
    ask(ctx, n, false);
  else if (arm->waits_channel && arm->due_us == 0)
    account_waiting(ctx, n);
}

void fw_serve_channel_queue(struct fw_context* ctx) {
  if (!ctx->channel.arbiter) {
    serve_queue(ctx);
    return;
  }
  for (uint32_t place = 0; place < ctx->channel.queue.count; ++place) {
    const uint32_t n = ctx->channel.queue.arms[place];
    if (may_ask(ctx, n)) ask(ctx, n, false);
  }
}

// No request waits for the rest of the arm's read. Arms that asked for its channel, and that no command waits for
// either, miss their sectors.
void fw_channel_ahead(struct fw_context* ctx, uint32_t n) {
  fw_cancel(ctx, n);
  for (uint32_t place = 0; place < ctx->channel.queue.count; ++place) {
    const uint32_t other = ctx->channel.queue.arms[place];
    if (!asked(ctx, other) || !behind_ahead(ctx, other)) continue;
    fw_cha_ask_no_more(ctx, other);
    ctx->arm[other].booking.state = FW_BOOKING_PLANNED;
    wait_for_next_turn(ctx, other);
  }
}

// The arm's access on its channel is over.
void fw_channel_released(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  ctx->channel.arm[arm->channel] = FW_NO_ARM;
  // A mark set after the access ended would apply to the next one.
  if (arm->marked) fw_channel_mark(ctx, arm->channel, 0);
  arm->marked = false;
  if (ctx->channel.arbiter) fw_cha_free(ctx, arm->channel);
  arm->channel = FW_NO_CHANNEL;
  account_all_waiting(ctx);
}

// The arm no longer waits for a channel.
void fw_channel_not_wanted(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  uint32_t place = 0;
  while (place < ctx->channel.queue.count && ctx->channel.queue.arms[place] != n) place++;
  if (place < ctx->channel.queue.count) {
    fw_dequeue(&ctx->channel.queue, place);
    if (arm->tag != FW_NO_TAG) fw_account(ctx, arm->tag, FW_WAIT_OVER);
  }
  arm->waits_channel = false;
  if (asked(ctx, n)) fw_cha_ask_no_more(ctx, n);
  asks_no_more(ctx, n);
  if (arm->due_us == 0) return;
  arm->due_us = 0;
  shoot(ctx);
}

// The arm has got a channel, but its sector has just passed.
static bool missed(struct fw_context* ctx, uint32_t n) {
  if (takes_any(ctx, n)) return false;
  const struct place place = next_access(ctx, n);
  return fw_ask_after(ctx, n, place.stack, place.angle, place.lba, place.sectors) != 0;
}

void fw_channel_granted(struct fw_context* ctx) {
  const uint32_t grant = fw_cha_grant(ctx);
  if ((grant & CHA_GRANT_VALID_MASK) == 0) return;
  fw_cha_take_grant(ctx);
  const uint32_t n = FW_GET(grant, CHA_GRANT_ARM);
  const uint32_t channel = FW_GET(grant, CHA_GRANT_CHANNEL);
  if (n >= ctx->drive.arms || channel >= ctx->drive.channels || ctx->channel.arm[channel] != FW_NO_ARM) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arm* const arm = &ctx->arm[n];
  // The arm withdrew its request too late, or another arm has begun to write its sectors since.
  if (!asked(ctx, n) || !may_access(ctx, n)) {
    asks_no_more(ctx, n);
    fw_cha_free(ctx, channel);
    return;
  }
  asks_no_more(ctx, n);
  if (missed(ctx, n)) {  // other arms may use the channel until the sector comes again
    fw_cha_free(ctx, channel);
    // Only handlers delayed the start: they take longer than the lead, and would again each turn.
    if (arm->asked_in_time && arm->starts_before == ctx->channel.starts) fw_ask_sooner(ctx);
    ask(ctx, n, false);
    return;
  }
  fw_channel_not_wanted(ctx, n);
  start(ctx, n, channel);
}

static void all_free(struct fw_context* ctx) {
  for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel)
    if (ctx->channel.arm[channel] == FW_NO_ARM) fw_cha_free(ctx, channel);
}

// `policy`: as cha.ctrl has it; `margin`: ticks from a grant to the start of the channel.
void fw_channels_reset(struct fw_context* ctx, uint32_t policy, uint32_t margin) {
  ctx->channel.arbiter = ctx->drive.channels < ctx->drive.arms;
  ctx->channel.policy = policy;
  if (!ctx->channel.arbiter) return;
  fw_cha_start(ctx, policy, margin);
  all_free(ctx);
}

// A reset or an error: no arm waits any more; transfers under way end by themselves.
void fw_channels_dropped(struct fw_context* ctx) {
  ctx->channel.queue.count = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->waits_channel && arm->tag != FW_NO_TAG) fw_account(ctx, arm->tag, FW_WAIT_OVER);
    arm->waits_channel = false;
    asks_no_more(ctx, n);
    arm->due_us = 0;
  }
  fw_timer_cancel(ctx, FW_TIMER_CHANNEL);
  if (!ctx->channel.arbiter) return;
  fw_cha_clear(ctx, ctx->channel.policy);
  all_free(ctx);
}
