// The engine: arms, slots of the arbitration unit, channels, segments, lines, and the requests of the host. It knows
// the arms' jobs only through job.h.
#ifndef ARMATURE_FIRMWARE_ENGINE_ENGINE_H
#define ARMATURE_FIRMWARE_ENGINE_ENGINE_H

#include "devices/devices.h"
#include "engine/job.h"
#include "engine/schedule.h"

#define FW_NO_WATERMARK 101u
#define FW_RING_TRANSFERS 6u  // most transfers, in portions, of a ring's data
#define FW_ANY_TRACK 0xFFFFFFFFu

// Work that a handler defers to its end, when no operation is half done: fw_isr does it in this order, until none is
// left.
enum fw_due {
  FW_DUE_DROP = 1u << 0,          // drop all commands: one has failed, or the host has reset the drive
  FW_DUE_GONE = 1u << 1,          // an arm or a head has failed, and its work has been given back
  FW_DUE_ANEW = 1u << 2,          // reads restart (first_anew)
  FW_DUE_BLOCKED = 1u << 3,       // data that requests wait for have reached the media
  FW_DUE_LINES = 1u << 4,         // lines have come free
  FW_DUE_FLOW = 1u << 5,          // de-staging accesses may grow (flow_due)
  FW_DUE_DESTAGE = 1u << 6,       // a condition for de-staging has changed
  FW_DUE_FLUSHED = 1u << 7,       // all written data are on the media, and a command waits for that
  FW_DUE_SEGMENTS = 1u << 8,      // a segment may have come free
  FW_DUE_CHANNELS = 1u << 9,      // a channel, or sectors in use, have come free
  FW_DUE_PARKED = 1u << 10,       // the arms have arrived on the ramp, or from it
  FW_DUE_WAKE = 1u << 11,         // the media are needed
  FW_DUE_REST = 1u << 12,         // an arm has come to rest, perhaps the last one awaited
  FW_DUE_ENDED = 1u << 13,        // a command has ended
  FW_DUE_MOVED = 1u << 14,        // an access that has not begun was moved, or another has done its work
  FW_DUE_UNREACHABLE = 1u << 15,  // a request may be out of reach of all heads
  FW_DUE_DOWN = 1u << 16,         // the time of an idle condition is over (idle.wanted)
  FW_DUE_PAGES = 1u << 17,        // a firmware page has moved over the link
  FW_DUE_ERROR = 1u << 18,        // a command has failed, for the error logs
  FW_DUE_READING = 1u << 19,      // the drive's own read has ended, or met an unreadable sector
  FW_DUE_SAVED = 1u << 20,        // a save with a follow-up is over (saves.then)
  FW_DUE_FLASH = 1u << 21,        // the flash is free for a user other than saves, or has done its operation
  FW_DUE_REFUSED = 1u << 22,      // channels refuse too many accesses in a row
  FW_DUE_SPEED = 1u << 23,        // the stack may have to change its speed
  FW_DUE_BATCH = 1u << 24         // requests may make the next batch (tree.c)
};

static inline void fw_due(struct fw_context* ctx, uint32_t what) {
  ctx->handler.due |= what;
}

// The arm's de-staging access may grow.
static inline void fw_due_flow(struct fw_context* ctx, uint32_t n) {
  ctx->handler.flow_due |= 1u << n;
  ctx->handler.due |= FW_DUE_FLOW;
}

static inline bool fw_is_due(const struct fw_context* ctx, uint32_t what) {
  return (ctx->handler.due & what) != 0;
}

static inline uint64_t fw_end_of(const struct fw_request* request) {
  return request->lba + request->sectors;
}

// The arm is idle, and may be granted.
static inline bool fw_arm_free(const struct fw_arm* arm) {
  return arm->state == FW_ARM_IDLE && arm->service == FW_IN_SERVICE;
}

// In its slot, for an arm.
static inline bool fw_recalibration_waits(const struct fw_context* ctx) {
  return ctx->background.recalibration == FW_RECALIBRATION_WAITS ||
         ctx->background.recalibration == FW_RECALIBRATION_LATE;
}

// Slots of written data that do not yield, for arms of the group.
static inline uint32_t fw_destages_insist(const struct fw_context* ctx, uint32_t group) {
  return ctx->destage.urgent ? ctx->destage.waiting[group] : ctx->destage.hurried_waiting[group];
}

// job.c
static inline const struct fw_job_ops* fw_job_of(const struct fw_context* ctx, uint32_t n) {
  return ctx->jobs[ctx->arm[n].job];
}
const struct fw_job_ops* fw_job_of_slot(const struct fw_context* ctx, uint32_t slot);
void fw_granted_in_vain(struct fw_context* ctx, uint32_t slot);
bool fw_arm_yields(const struct fw_context* ctx, uint32_t n);  // no command waits for its work
bool fw_slot_yields(const struct fw_context* ctx, uint32_t slot);
void fw_make_way(struct fw_context* ctx, uint32_t tag, bool spare);

// requests.c
void fw_order_transfer(struct fw_context* ctx, uint32_t tag, uint32_t address, uint32_t offset, uint32_t sectors,
                       uint32_t direction);
bool fw_announced_whole(const struct fw_context* ctx, const struct fw_request* request);
bool fw_transfers_fit(struct fw_context* ctx, uint32_t count);
void fw_complete(struct fw_context* ctx, uint32_t tag);  // now, or after an overhead
void fw_finish(struct fw_context* ctx, uint32_t tag);
void fw_delay_insert(struct fw_context* ctx, uint32_t tag, uint32_t us, enum fw_request_state state);
void fw_request_clear(struct fw_context* ctx, uint32_t tag);
void fw_start_later(struct fw_context* ctx, uint32_t tag);  // restarts it at the end of this handler
void fw_unqueued_answer(struct fw_context* ctx, uint8_t error, uint32_t count, uint64_t lba);  // success
void fw_unqueued_status(struct fw_context* ctx, uint8_t status, uint8_t error, uint64_t lba);
void fw_unqueued_fault(struct fw_context* ctx, uint64_t lba);  // device fault, kept in the logs
void fw_fail(struct fw_context* ctx, uint32_t tag, bool queued, uint8_t error, uint64_t lba);
void fw_fail_write(struct fw_context* ctx, uint32_t tag, bool queued, uint64_t lba);  // no spare is left
void fw_fail_mixed(struct fw_context* ctx);
void fw_drop_all(struct fw_context* ctx, bool halt);
void fw_commands_dropped(struct fw_context* ctx);

// reach.c: which arm reaches what
void fw_reach_reset(struct fw_context* ctx);
void fw_arm_at(struct fw_context* ctx, uint32_t n, uint32_t status);  // srv.status
bool fw_arm_reaches(const struct fw_context* ctx, uint32_t n, uint32_t track);
bool fw_head_reaches(const struct fw_context* ctx, uint32_t n, uint32_t head, uint32_t track, bool write);
bool fw_never_moves(const struct fw_context* ctx, uint32_t n);  // its heads stay on the tracks of fixed_cylinders
uint32_t fw_head_place(const struct fw_context* ctx, uint32_t head, uint32_t track, bool write);
uint32_t fw_passes_at(const struct fw_context* ctx, uint32_t track, uint32_t angle, bool write);
bool fw_reached(const struct fw_context* ctx, uint32_t track);  // by any arm
bool fw_reaches_all(const struct fw_context* ctx);              // the arms together reach each track of the drive
void fw_place_arm(struct fw_context* ctx, uint32_t n, uint32_t track, bool write);
uint32_t fw_place_of(const struct fw_context* ctx, uint32_t n, bool write);
uint32_t fw_stack_of(const struct fw_context* ctx, uint32_t track);
uint32_t fw_group_of(const struct fw_context* ctx, uint32_t track);  // the group of arms that reaches it

// slots.c: slots of the arbitration unit
bool fw_arm_wanted(const struct fw_context* ctx, uint32_t n);  // a request that it can serve waits
bool fw_arm_claimed(const struct fw_context* ctx, uint32_t n);
void fw_review_candidates(struct fw_context* ctx);
void fw_reserve(struct fw_context* ctx, uint32_t tag, uint32_t n);
void fw_reservations_end(struct fw_context* ctx, uint32_t n);
void fw_reservations_granted(struct fw_context* ctx, uint32_t n, uint32_t slot);
bool fw_soon_behind(struct fw_context* ctx, const struct fw_request* request, uint64_t end);
void fw_commit_slot(struct fw_context* ctx, uint32_t slot, uint32_t track, uint32_t angle, uint32_t flags);
void fw_withdraw_slot(struct fw_context* ctx, uint32_t slot);  // a grant of it may still come
uint64_t fw_request_media_lba(const struct fw_context* ctx, uint32_t tag);
uint64_t fw_request_media_end(struct fw_context* ctx, uint32_t tag);
void fw_request_to_slot(struct fw_context* ctx, uint32_t tag);
void fw_request_from_slot(struct fw_context* ctx, uint32_t tag);
void fw_request_from_batch(struct fw_context* ctx, uint32_t tag);
void fw_program_arbitration(struct fw_context* ctx);
void fw_withdraw_all(struct fw_context* ctx);

// duration.c: command duration limits
void fw_limit_begin(struct fw_context* ctx, uint32_t tag, uint32_t index);
void fw_limit_due(struct fw_context* ctx);
void fw_limit_active(struct fw_context* ctx, uint32_t tag);
void fw_limits_dropped(struct fw_context* ctx);

// minimum_ahead.c: sectors read ahead even if a request waits for the arm
uint64_t fw_minimum_ahead(const struct fw_context* ctx, uint64_t end);
uint64_t fw_minimum_ahead_of(struct fw_context* ctx, uint64_t end, bool sequential);

// moves.c
bool fw_arm_writes(const struct fw_context* ctx, uint32_t n);  // its next access
void fw_move_arm(struct fw_context* ctx, uint32_t n, uint32_t track);
bool fw_jog_arm(struct fw_context* ctx, uint32_t n, bool write);
void fw_arm_granted(struct fw_context* ctx, uint32_t n);
void fw_arms_prepared(struct fw_context* ctx);
void fw_arm_is_idle(struct fw_context* ctx, uint32_t n);
void fw_rest(struct fw_context* ctx, uint32_t n);  // the arm is free for the arbitration unit

// acoustic.c: normal and quiet seeks
static inline void fw_acoustic_handler_begins(struct fw_context* ctx) {
  ctx->acoustic.granted_arm = FW_NO_ARM;
}
void fw_acoustic_reset(struct fw_context* ctx);
void fw_acoustic_update(struct fw_context* ctx);
bool fw_acoustic_set(struct fw_context* ctx, uint32_t level);
uint32_t fw_acoustic_levels(const struct fw_context* ctx);
void fw_acoustic_granted(struct fw_context* ctx, uint32_t n, uint32_t grant);
bool fw_acoustic_quiet(struct fw_context* ctx, uint32_t n, uint32_t from, bool write, bool wrote);

// meter.c
void fw_meter_start(struct fw_context* ctx, uint32_t bound_us);
void fw_meter_begin(struct fw_context* ctx, uint32_t tag);
void fw_meter_end(struct fw_context* ctx, uint32_t tag);
void fw_meter_clear(struct fw_context* ctx);  // a reading begins

// power_cap.c
void fw_cap_reset(struct fw_context* ctx);
void fw_cap_at_speed(struct fw_context* ctx);   // the stack turns: from now on the cap counts
void fw_cap_off_speed(struct fw_context* ctx);  // the stack is about to stop: the cap no longer counts
void fw_cap_work(struct fw_context* ctx);       // an arm has been granted, or comes to rest
void fw_cap_due(struct fw_context* ctx);

// thermal.c
void fw_thermal_reset(struct fw_context* ctx);
void fw_thermal_due(struct fw_context* ctx);
void fw_thermal_forget(struct fw_context* ctx);  // the history begins anew

// service.c
uint32_t fw_arms_out(const struct fw_context* ctx);         // wanted out of service
uint32_t fw_arms_in_service(const struct fw_context* ctx);  // that may be in service, a bit each
static inline bool fw_arms_may_leave(const struct fw_context* ctx) {
  return ctx->cap.rate_mw != 0 || ctx->thermal.measures != 0 || ctx->governor.objective != 0;
}

// limits.c
void fw_limit_arms(struct fw_context* ctx);

// reckoning.c
bool fw_reckoning_reset(struct fw_context* ctx, uint32_t cache);
uint32_t fw_ticks_at_speed(const struct fw_context* ctx, uint32_t ticks);  // ticks at full speed as at the present, up
// The stacks will turn with this part of their full speed, of FW_WHOLE_SPEED: times in ticks are written again. The
// arbitration unit is off. The second function does the quiet curve.
void fw_reckoning_speed(struct fw_context* ctx, uint32_t part);
void fw_reckoning_speed_quiet(struct fw_context* ctx);
// Linear between two points, constant below the first and above the last one; 0 for no distance. points > 0.
uint32_t fw_curve_ticks(const struct fw_seek_point* point, uint32_t points, uint32_t distance);
uint32_t fw_move_ticks(const struct fw_context* ctx, bool quiet, uint32_t from, uint32_t to, bool write, bool wrote);
#define FW_NO_ANGLE UINT32_MAX
uint32_t fw_reckon(const struct fw_context* ctx, uint32_t n, uint32_t from, const struct fw_request* request,
                   uint32_t here, uint32_t after);

// channels.c
void fw_try_channel(struct fw_context* ctx, uint32_t n);
bool fw_hold_more(struct fw_context* ctx, uint32_t n, uint64_t end);  // its access grows up to there
void fw_serve_channel_queue(struct fw_context* ctx);
void fw_channel_released(struct fw_context* ctx, uint32_t n);
void fw_channel_not_wanted(struct fw_context* ctx, uint32_t n);
void fw_channel_granted(struct fw_context* ctx);
void fw_channel_ahead(struct fw_context* ctx, uint32_t n);  // no request waits for the rest of its access
void fw_channel_due(struct fw_context* ctx);                // an arm's sector is about to pass
void fw_channels_reset(struct fw_context* ctx, uint32_t policy, uint32_t margin);
void fw_channels_dropped(struct fw_context* ctx);

// The arm releases the sectors of its access.
static inline void fw_let_go(struct fw_context* ctx, uint32_t n) {
  ctx->arm[n].held = 0;
}

// failures.c: arms and heads that fail
uint32_t fw_arms_that_work(const struct fw_context* ctx);  // a bit each
bool fw_any_arm_at_work(const struct fw_context* ctx);
void fw_arm_failed(struct fw_context* ctx, uint32_t n);
void fw_head_failed(struct fw_context* ctx, uint32_t n);  // its active head
void fw_arm_access_over(struct fw_context* ctx, uint32_t n);
void fw_give_back(struct fw_context* ctx, uint32_t n);  // the arm's work; afterwards the arm neither rests nor works

// refused.c: accesses that channels refuse
extern const struct fw_job_ops fw_wait_job;
bool fw_is_refusal(uint32_t cause);  // chn.status
void fw_access_refused(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause);
void fw_refusals_end(struct fw_context* ctx);  // an access went well, or the drive is at fault
void fw_speed_is_back(struct fw_context* ctx);
void fw_leave_queues(struct fw_context* ctx, uint32_t n);
void fw_parked_arm_came(struct fw_context* ctx, bool error);

// events.c
void fw_give_back_moved(struct fw_context* ctx);
void fw_granted(struct fw_context* ctx);
void fw_serve_grant(struct fw_context* ctx, uint32_t n, uint32_t slot);  // the slot's job begins with the arm
void fw_servo_event(struct fw_context* ctx, uint32_t arm);
void fw_channel_event(struct fw_context* ctx, uint32_t channel);

// segment.c
bool fw_segment_free(struct fw_context* ctx);
void fw_segments_reset(struct fw_context* ctx);
uint16_t fw_segment_take(struct fw_context* ctx);  // FW_NO_SEGMENT if none is free
void fw_segment_give(struct fw_context* ctx, uint16_t segment);
void fw_segments_dropped(struct fw_context* ctx);
uint32_t fw_segment_address(const struct fw_context* ctx, uint16_t segment);
bool fw_segment_may_be_held(const struct fw_context* ctx);  // one more, by a request that waits for an arm
bool fw_segment_filling(const struct fw_segment* segment);
bool fw_stream_idle(const struct fw_context* ctx, uint16_t segment);
uint64_t fw_stream_need(const struct fw_context* ctx, const struct fw_segment* segment);  // end of a request, or 0
void fw_lines_layout(struct fw_context* ctx, uint32_t lines, bool slots);
bool fw_lines_room(struct fw_context* ctx);
void fw_lines_leave(struct fw_context* ctx);
uint32_t fw_system_address(const struct fw_context* ctx);

// Where sector `lba` of the segment lies in its ring, in sectors.
static inline uint32_t fw_place_in_ring(const struct fw_context* ctx, const struct fw_segment* segment, uint64_t lba) {
  return (uint32_t)((segment->first + (lba - segment->begin)) % ctx->buffer.segment_sectors);
}

static inline void fw_enqueue(struct fw_arm_queue* queue, uint32_t arm) {
  queue->arms[queue->count++] = (uint8_t)arm;
}

// REQUIRES: place < queue->count.
static inline uint32_t fw_dequeue(struct fw_arm_queue* queue, uint32_t place) {
  const uint32_t first = queue->arms[place];
  queue->count--;
  for (uint32_t i = place; i < queue->count; ++i) queue->arms[i] = queue->arms[i + 1];
  return first;
}

// segment_queue.c
bool fw_take_segment_or_wait(struct fw_context* ctx, uint32_t n);
void fw_serve_segment_queue(struct fw_context* ctx);

// invalidate.c: segments and newer data
void fw_stream_make_stale(struct fw_context* ctx, uint16_t segment);
void fw_stream_free_if_stale(struct fw_context* ctx, uint16_t segment);
void fw_invalidate(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
void fw_segments_invalidate(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
void fw_invalidate_near(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
void fw_forget_segments(struct fw_context* ctx);

// hits.c: segments that hardware answers reads from
void fw_hits_enable(struct fw_context* ctx, bool enable);
bool fw_hits_shown(const struct fw_context* ctx, uint16_t segment);
void fw_hits_learn(struct fw_context* ctx, uint16_t segment);
void fw_hits_show(struct fw_context* ctx, uint16_t segment);
void fw_hits_give_up(struct fw_context* ctx, uint16_t segment);
void fw_hits_withdraw(struct fw_context* ctx, uint16_t segment);
bool fw_hits_take_back(struct fw_context* ctx, uint16_t segment);
void fw_hits_cover(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
void fw_hits_used(struct fw_context* ctx, uint16_t segment);
bool fw_hits_pinned(struct fw_context* ctx, uint16_t segment, uint32_t* use);
void fw_hits_want_release(struct fw_context* ctx);
void fw_hits_release_over(struct fw_context* ctx);
bool fw_hits_since(struct fw_context* ctx);

// line_table.c and lines.c: written data in the buffer
uint32_t fw_line_bucket(uint64_t number);
uint8_t fw_line_sectors_in(uint64_t number, uint64_t lba, uint64_t sectors);  // a bit each
uint16_t fw_line_find(const struct fw_context* ctx, uint64_t number);
bool fw_lines_any(const struct fw_context* ctx, uint64_t number);
uint16_t fw_line_of_job(const struct fw_context* ctx, uint64_t number);
void fw_lines_reset(struct fw_context* ctx);
bool fw_lines_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors);
bool fw_lines_hold(const struct fw_context* ctx, uint64_t lba, uint32_t sectors);
void fw_lines_hurry(struct fw_context* ctx, uint64_t lba, uint32_t sectors);
uint16_t fw_line_awaited(const struct fw_context* ctx);
bool fw_lines_awaited(const struct fw_context* ctx, uint64_t lba, uint32_t sectors);
void fw_lines_not_awaited(struct fw_context* ctx);
bool fw_lines_end_at(const struct fw_context* ctx, uint64_t lba);
bool fw_lines_room_for(const struct fw_context* ctx, uint32_t sectors);
bool fw_lines_suit(const struct fw_context* ctx, uint32_t sectors);
bool fw_lines_extent_fits(const struct fw_context* ctx, uint64_t lba, uint32_t sectors);
void fw_lines_drop_transfers(struct fw_context* ctx);
uint32_t fw_line_address(const struct fw_context* ctx, uint16_t line);
uint16_t fw_line_take(struct fw_context* ctx, uint64_t number);  // REQUIRES: a line is free
void fw_line_use(struct fw_context* ctx, uint16_t line, uint64_t number);
void fw_line_expect(struct fw_context* ctx, uint16_t line, uint8_t coming);
void fw_line_receive(struct fw_context* ctx, uint16_t line, uint8_t received);
void fw_line_free_if_idle(struct fw_context* ctx, uint16_t line);
void fw_line_clean(struct fw_context* ctx, uint16_t line, uint8_t sectors);
void fw_line_drop(struct fw_context* ctx, uint16_t line, uint8_t sectors);

// kept.c: written data on the media that are still in lines
void fw_kept_reset(struct fw_context* ctx);
uint16_t fw_kept_find(const struct fw_context* ctx, uint64_t number);
void fw_kept_add(struct fw_context* ctx, uint16_t line);
void fw_kept_remove(struct fw_context* ctx, uint16_t line);
void fw_kept_forget(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
void fw_kept_forget_all(struct fw_context* ctx);

// store.c: a MEMS store, where blocks of several tracks lie under the tips at the same time
struct fw_store_place {
  uint32_t sled, cylinder, track, row, cell;
};
struct fw_store_place fw_store_locate(const struct fw_context* ctx, uint64_t lba);
uint64_t fw_store_lba(const struct fw_context* ctx, const struct fw_store_place* place);
uint32_t fw_store_part(const struct fw_context* ctx, const struct fw_store_place* place);
uint64_t fw_store_sled_blocks(const struct fw_context* ctx);
void fw_tree_reset(struct fw_context* ctx, bool on);
void fw_tree_batch(struct fw_context* ctx);
void fw_store_check(const struct fw_context* ctx, struct fw_batch* batch, uint32_t count);

// lifetime.c
uint64_t fw_life(struct fw_context* ctx, enum fw_life what);
uint32_t fw_life_hours(struct fw_context* ctx);

// saves.c: data that survive a loss of power, ctx->saved
void fw_saves_reset(struct fw_context* ctx, uint32_t autosave_s);    // at power-on: restores ctx->saved
void fw_saves_start(struct fw_context* ctx);                         // interrupts are taken from now on
void fw_save(struct fw_context* ctx);                                // starts now; another handler ends it
void fw_save_then(struct fw_context* ctx, enum fw_after_save then);  // and FW_DUE_SAVED follows its end
void fw_save_soon(struct fw_context* ctx);                           // within a second
void fw_saves_activity(struct fw_context* ctx);  // a counted event occurred: save within the autosave period
void fw_saves_parked(struct fw_context* ctx);    // the heads are no longer over the disk
void fw_saves_heads(struct fw_context* ctx, bool over_disk);  // the heads leave the ramp, or have come onto it
void fw_saves_event(struct fw_context* ctx);
bool fw_flash_lend(struct fw_context* ctx);  // to a user other than saves. False: FW_DUE_FLASH follows when it is free
void fw_flash_return(struct fw_context* ctx);
void fw_flash_let_go(struct fw_context* ctx);             // the user is done: frees it now, or when it is ready
enum fw_after_save fw_save_over(struct fw_context* ctx);  // takes the follow-up of the save

// prediction.c: parts that go out of service before they fail. Limits: errors within the window; 0: none.
void fw_predictions_reset(struct fw_context* ctx, uint32_t head_errors, uint32_t arm_errors, uint32_t window_s);
void fw_predictions_load(struct fw_context* ctx);
void fw_predict_head(struct fw_context* ctx, uint32_t n, uint32_t place, uint32_t sub_head, uint32_t failures);
void fw_predict_arm(struct fw_context* ctx, uint32_t n);

// pending.c: sectors that could not be read
uint64_t fw_unit_of(const struct fw_context* ctx, uint64_t lba);  // first sector of its physical sector
void fw_pending_add(struct fw_context* ctx, uint64_t lba);
void fw_pending_remove(struct fw_context* ctx, uint64_t unit);
bool fw_pending_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors);
uint64_t fw_first_pending(const struct fw_context* ctx, uint64_t lba, uint64_t end);

#endif
