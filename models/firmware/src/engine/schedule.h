// The schedule: which request may go to which arm, and which arm has a channel when. Read this page before schedule.c
// and slots.c.
//
// Who decides. The arbitration unit grants slots to arms (docs/guide/arm-arbitration.md). It knows all costs, and it
// plans: an arm at work is a candidate from the end of its access on, and no access is granted that finds no channel.
// Firmware adds only what the unit cannot know, in two places: it withholds and reserves slots, and it corrects the
// unit's timeline.
//
// 1. A request waits for an arm (slots.c). Its slot is a candidate of the unit, or it is withheld for one reason, enum
//    fw_withheld:
//      FOR_HOLDER   another request that waits for an arm holds a buffer segment, and the segments are used up;
//      FOR_LIMIT    a command with a duration limit waits for an arm, and this one has none;
//      FOR_READ     a read that waits ends where this one begins: one arm serves both, this one joins its segment.
//    fw_review_candidates withdraws and offers slots when a reason comes or goes.
//
//    A candidate's slot may be reserved for one arm (request.reserved, aau.slot_arm); no other one is granted it. The
//    arm is one that comes to the request before an idle arm would, as it ends reading ahead or reads in front of it;
//    or the arm of a read that ends shortly in front of this one (jobs/way.c). The reservation ends when that arm is
//    granted another slot, unless that is for a read shortly in front, is taken for something else, or fails. So it
//    delays a request by one access of that arm, and never keeps it waiting for good.
//
// 2. A booking is the time for which an arm needs a channel: [first_ns, first_ns + lasts_ns) since power-on, for an
//    access that begins with sector `lba`. Each arm has one at most. The unit has the same timeline (aau.appointment),
//    which firmware corrects with each change; both are good to a few microseconds.
//
//      arm 0   ----seek----[== on channel ==]              extended: |==|
//      arm 1   --------seek--------.........[== asked ==]       moved one turn: ......[====]
//      time    --------------------|--------|--------------------->
//                                 now    lead_us before its first sector it asks for a channel
//
//    Four verbs change bookings:
//      fw_book      at a grant, for the time that the unit has predicted; fw_book_* for an access without a grant;
//      fw_extend    the access grows, because requests join it or written data follow it;
//      fw_shorten   it ends sooner;
//      fw_cancel    no command waits for its end any more: the rest is read-ahead, or already done.
//
//    One rule settles conflicts, where more accesses overlap than there are channels (fits, move_others):
//      - an access that has begun stays, and what extends it comes before bookings that have not begun;
//      - of two that have not begun, the one of the higher priority comes first (enum fw_priority), else the older
//        booking. A request that waits for an arm at work (fw_make_room) comes before them as an extension does;
//      - a booking that gives way comes the least number of turns later, and does so once for one of its own priority.
//        Its request goes back to the unit, also once (request.moved): another arm may come sooner.
//
//    State of a booking: PLANNED until its arm asks the channel arbiter, lead_us before the first sector passes; ASKED
//    until it has a channel; then BEGUN until the next one. If there is a channel for each arm, no arm asks, and
//    bookings only tell the unit when arms come free.
//
// Units: _ns nanoseconds and _us microseconds since power-on or as lengths, ticks 1/65,536 turn.
// REQUIRES of all functions with `n`: n < ctx->drive.arms. All return at once if the schedule is off (one arm; a lead
// of a turn).
#ifndef ARMATURE_FIRMWARE_ENGINE_SCHEDULE_H
#define ARMATURE_FIRMWARE_ENGINE_SCHEDULE_H

#include "devices/devices.h"

// At power-on. `channels`: as aau.channels, 0: the schedule is off. `lead_us`: before its first sector an arm asks for
// a channel. `grant_ns`: age of a grant when its handler reads the estimate.
void fw_schedule_speed(struct fw_context* ctx, uint32_t part);  // as fw_reckoning_speed
void fw_schedule_reset(struct fw_context* ctx, uint32_t rpm, uint32_t lead_us, uint32_t grant_ns, uint32_t channels);

// --- Bookings

// REQUIRES: the grant is pending. `grant`: as aau.grant.
void fw_book(struct fw_context* ctx, uint32_t grant);
// The arm begins something without a grant: it is booked when it asks for a channel.
void fw_book_later(struct fw_context* ctx, uint32_t n);
// The access missed its sector, which comes again a turn later. Returns how long that takes, us.
uint32_t fw_book_next_turn(struct fw_context* ctx, uint32_t n);
// The sectors pass twice: they are read, then written. With shared channels the second turn is booked when the first
// one begins (fw_book_second_turn).
void fw_book_two_turns(struct fw_context* ctx, uint32_t n);
void fw_book_second_turn(struct fw_context* ctx, uint32_t n);

// Up to sector `end`. False: others have the channel, and nothing has changed. Bookings that have not begun may be
// moved for it; fw_extend_if_free moves none.
bool fw_extend(struct fw_context* ctx, uint32_t n, uint64_t end);
bool fw_extend_if_free(struct fw_context* ctx, uint32_t n, uint64_t end);
// How many of these sectors, with which the access begins, fit: whole lines, one at least.
uint32_t fw_extend_by(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors);
// What is read ahead is being stopped: it ends with sector `lba`, which is under the head.
void fw_extend_to_stop(struct fw_context* ctx, uint32_t n, uint64_t lba);

// A request for these sectors is reserved for the arm, which is at work and comes to them in that many ticks: bookings
// in its way that have not begun are moved, if that gives it a channel.
void fw_make_room(struct fw_context* ctx, uint32_t n, uint32_t ticks, uint64_t lba, uint64_t sectors);

// Ticks until the booked access begins; 0: it has, or is late.
uint32_t fw_booking_begins(struct fw_context* ctx, uint32_t n);
// What was booked is still to come: the arm has used a channel for something before it.
void fw_booking_again(struct fw_context* ctx, uint32_t n);
// No other booking is in the way of the arm's.
bool fw_booking_stands(const struct fw_context* ctx, uint32_t n);
// How much of it passes before another one.
uint64_t fw_booking_clear_ns(const struct fw_context* ctx, uint32_t n);

void fw_shorten(struct fw_context* ctx, uint32_t n, uint64_t end);
void fw_cancel(struct fw_context* ctx, uint32_t n);

// --- When an arm asks for a channel

// Time until it asks, us; 0: now. The next access begins with sector `lba` at `angle` on the stack, ticks, and is of so
// many sectors. Books it anew if it is not the booked one or lasts longer.
uint32_t fw_ask_after(struct fw_context* ctx, uint32_t n, uint32_t stack, uint32_t angle, uint64_t lba,
                      uint64_t sectors);
// An arm asked too late: from now on they ask earlier.
void fw_ask_sooner(struct fw_context* ctx);

// --- What is known

// Other arms need, or soon need, all channels. fw_channel_claimed: the same for an arm that reads ahead, for which
// other work that no command waits for does not count.
bool fw_channel_contested(const struct fw_context* ctx, uint32_t n);
bool fw_channel_claimed(const struct fw_context* ctx, uint32_t n);
// Field `length` of aau.slot_commit, for an access to these sectors.
uint32_t fw_channel_length(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
// Ticks until the booked access is over; 0: it is, or there is none.
uint32_t fw_booked_ticks(struct fw_context* ctx, uint32_t n);
// Ticks that the physical sector takes to pass.
uint32_t fw_sector_ticks(struct fw_context* ctx, uint64_t lba);
// The stack's angle now, ticks. False: it is not known.
bool fw_stack_angle(struct fw_context* ctx, uint32_t stack, uint32_t* ticks);

#endif
