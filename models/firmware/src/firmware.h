// Firmware's own declarations: what its files offer each other.
//
// A media command runs through these handlers:
// clang-format off
//   HIF_READ, HIF_WRITE   decode, range check, translation of its first LBA, slot of the arbitration unit
//   AAU                   a grant: first run of sectors, start of the arm; a write's data are fetched meanwhile
//   SRV                   arm on track: start of the channel, once a segment, a channel and a write's data are there
//   CHN                   run done: data to the host, next run on the next track, or arm back to the arbitration unit
//   HIF_DMA               data moved: completion of a read, or start of the channel for a write
// clang-format on
// With look-ahead on, reads go through segments instead (stream.c). With the write cache on, writes go into lines and
// reach the media later (lines.c, destage.c).
// A run is a piece of a request on one track and in one buffer segment. A request has at most two: one on the media,
// one on the link.
#ifndef ARMATURE_FIRMWARE_FIRMWARE_H
#define ARMATURE_FIRMWARE_FIRMWARE_H

#include "state.h"

static inline uint32_t fw_read(struct fw_context* ctx, uint32_t base, uint32_t offset) {
  return mmio_read32(ctx, base + offset);
}

static inline void fw_write(struct fw_context* ctx, uint32_t base, uint32_t offset, uint32_t value) {
  mmio_write32(ctx, base + offset, value);
}

// Where sector `lba` of the segment lies in its ring, in sectors.
static inline uint32_t fw_place_in_ring(const struct fw_context* ctx, const struct fw_segment* segment, uint64_t lba) {
  return (uint32_t)((segment->first + (lba - segment->begin)) % ctx->segment_sectors);
}

static inline uint64_t fw_end_of(const struct fw_request* request) {
  return request->lba + request->sectors;
}

static inline uint64_t fw_least64(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

#define FW_NO_WATERMARK 101u
#define FW_RING_TRANSFERS 6u  // of what a ring holds, in portions, at most
#define FW_ANY_TRACK 0xFFFFFFFFu

// console.c
void fw_show(struct fw_context* ctx, enum fw_state state, uint32_t tag);
enum fw_wait { FW_WAIT_OVER = 0, FW_WAIT_FILL = 1, FW_WAIT_DESTAGE = 2, FW_WAIT_CHANNEL = 3, FW_WAIT_SECTOR = 4 };
void fw_account(struct fw_context* ctx, uint32_t tag, enum fw_wait reason);
void fw_print(struct fw_context* ctx, const char* text);
void fw_stop(struct fw_context* ctx, uint32_t line);
#define FW_STOP(ctx) fw_stop((ctx), (uint32_t)__LINE__)

// timer.c
void fw_timer_start(struct fw_context* ctx, enum fw_timer id, uint64_t us);  // anew if it is armed; 0 cancels
void fw_timer_cancel(struct fw_context* ctx, enum fw_timer id);
bool fw_timer_armed(const struct fw_context* ctx, enum fw_timer id);
void fw_timer_expired(struct fw_context* ctx);
uint64_t fw_timer_now(struct fw_context* ctx);  // microseconds since power-on, when the handler first asked

// delay.c: overheads of commands
void fw_delay_reset(struct fw_context* ctx);
void fw_delay_start(struct fw_context* ctx, uint32_t tag);
bool fw_delay_complete(struct fw_context* ctx, uint32_t tag);
void fw_delay_over(struct fw_context* ctx);

// reset.c
void fw_program_arbitration(struct fw_context* ctx);

// power.c
void fw_spindle_event(struct fw_context* ctx);
void fw_start_spindles(struct fw_context* ctx);
void fw_spindle_late(struct fw_context* ctx);
void fw_device_fault(struct fw_context* ctx, const char* why);  // media commands fail from now on
void fw_parked_arm_event(struct fw_context* ctx, bool error);
void fw_standby_immediate(struct fw_context* ctx);
void fw_idle_immediate(struct fw_context* ctx);
void fw_check_power_mode(struct fw_context* ctx);
void fw_sleep(struct fw_context* ctx);
void fw_power_tell(struct fw_context* ctx);                     // a handler has ended
void fw_standby_timer(struct fw_context* ctx, uint32_t value);  // as ATA codes it
void fw_standby_rearm(struct fw_context* ctx);                  // a command has ended
void fw_standby_due(struct fw_context* ctx);
void fw_power_stay(struct fw_context* ctx);  // a command has come: a standby that the timer began may be off
void fw_wake(struct fw_context* ctx);        // the media are wanted
void fw_power_flushed(struct fw_context* ctx);
void fw_power_rest(struct fw_context* ctx);     // perhaps the last arm has come to rest
void fw_power_dropped(struct fw_context* ctx);  // all commands are dropped

// command.c
void fw_media_command(struct fw_context* ctx);
void fw_other_command(struct fw_context* ctx);
void fw_start_request(struct fw_context* ctx, uint32_t tag);

// channels.c
void fw_try_channel(struct fw_context* ctx, uint32_t n);
bool fw_hold_more(struct fw_context* ctx, uint32_t n, uint64_t end);  // its access grows up to there
void fw_let_go(struct fw_context* ctx, uint32_t n);                   // of the sectors that its access was about
void fw_serve_channel_queue(struct fw_context* ctx);
void fw_channel_released(struct fw_context* ctx, uint32_t n);
void fw_channel_not_wanted(struct fw_context* ctx, uint32_t n);
void fw_channel_granted(struct fw_context* ctx);
void fw_channel_due(struct fw_context* ctx);  // an arm's sector comes
void fw_channels_reset(struct fw_context* ctx, uint32_t policy, uint32_t margin);
void fw_channels_dropped(struct fw_context* ctx);

// appointments.c: when sectors pass, where arms share channels
void fw_appointments_reset(struct fw_context* ctx, uint32_t rpm, uint32_t lead_us, uint32_t channels);
uint32_t fw_channel_length(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
void fw_appointed(struct fw_context* ctx, uint32_t grant);
void fw_appointment_over(struct fw_context* ctx, uint32_t n);
void fw_appointments_pass(struct fw_context* ctx);  // of arms that wait for a segment
bool fw_appointment_until(struct fw_context* ctx, uint32_t n, uint64_t end);
uint32_t fw_appointed_sectors(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors);
uint32_t fw_ask_after(struct fw_context* ctx, uint32_t n, uint32_t stack, uint32_t angle, uint64_t lba,
                      uint64_t sectors);
bool fw_channel_contested(const struct fw_context* ctx, uint32_t n);

// placement.c: where idle arms wait
void fw_placement_reset(struct fw_context* ctx, uint32_t policy, uint32_t after_us, uint32_t near_cylinders);
void fw_placement_learn(struct fw_context* ctx, uint32_t track);
void fw_placement_rested(struct fw_context* ctx, uint32_t n);
void fw_placement_due(struct fw_context* ctx);
void fw_placement_on_track(struct fw_context* ctx, uint32_t n);
void fw_placement_over(struct fw_context* ctx);

// arms.c: arms and heads that fail
uint32_t fw_arms_that_work(const struct fw_context* ctx);  // a bit each
void fw_arm_failed(struct fw_context* ctx, uint32_t n);
void fw_head_failed(struct fw_context* ctx, uint32_t n);  // the one at work
void fw_arm_access_over(struct fw_context* ctx, uint32_t n);
void fw_granted_in_vain(struct fw_context* ctx, uint32_t slot);  // what it was for waits again
void fw_hand_over(struct fw_context* ctx, uint32_t n);  // a request straight between media and host, to another arm
void fw_unreachable_due(struct fw_context* ctx);
bool fw_write_unreachable(struct fw_context* ctx, uint32_t tag);
void fw_serve_holders(struct fw_context* ctx);

// reach.c: which arm reaches what, and slots of the arbitration unit
void fw_reach_reset(struct fw_context* ctx);
void fw_arm_at(struct fw_context* ctx, uint32_t n, uint32_t status);  // srv.status
bool fw_arm_reaches(const struct fw_context* ctx, uint32_t n, uint32_t track);
bool fw_reached(const struct fw_context* ctx, uint32_t track);  // by any arm
bool fw_reaches_all(const struct fw_context* ctx);              // the arms together: each track of the drive
bool fw_arm_wanted(const struct fw_context* ctx, uint32_t n);   // somebody waits who may get it
bool fw_arm_claimed(const struct fw_context* ctx, uint32_t n);
void fw_place_arm(struct fw_context* ctx, uint32_t n, uint32_t track, bool write);
bool fw_jog_arm(struct fw_context* ctx, uint32_t n, bool write);
uint32_t fw_stack_of(const struct fw_context* ctx, uint32_t track);
uint32_t fw_group_of(const struct fw_context* ctx, uint32_t track);  // of arms that reach it
void fw_commit_slot(struct fw_context* ctx, uint32_t slot, uint32_t track, uint32_t angle, uint32_t flags);
void fw_withdraw_slot(struct fw_context* ctx, uint32_t slot);  // a grant of it may still come
void fw_request_to_slot(struct fw_context* ctx, uint32_t tag);
void fw_request_from_slot(struct fw_context* ctx, uint32_t tag);

// media.c
void fw_translate(struct fw_context* ctx, uint64_t lba, uint32_t* track, uint32_t* angle, uint32_t* run);
void fw_granted(struct fw_context* ctx);
void fw_servo_event(struct fw_context* ctx, uint32_t arm);
void fw_channel_event(struct fw_context* ctx, uint32_t channel);
void fw_dma_event(struct fw_context* ctx);
void fw_rest(struct fw_context* ctx, uint32_t arm);      // the arm is free for the arbitration unit
void fw_complete(struct fw_context* ctx, uint32_t tag);  // now, or after an overhead
void fw_finish(struct fw_context* ctx, uint32_t tag);

void fw_serve(struct fw_context* ctx, uint32_t n, uint32_t tag);  // the arm is granted to the request
void fw_move_arm(struct fw_context* ctx, uint32_t n, uint32_t track);
void fw_send_arm(struct fw_context* ctx, uint32_t n, uint32_t track, bool writes);
bool fw_arm_writes(const struct fw_context* ctx, uint32_t n);
void fw_destage_read_again(struct fw_context* ctx, uint32_t n);
bool fw_destage_reads(const struct fw_context* ctx, uint32_t n);
void fw_start_channel(struct fw_context* ctx, uint32_t n, uint32_t channel);
bool fw_take_segment_or_wait(struct fw_context* ctx, uint32_t n);
void fw_serve_segment_queue(struct fw_context* ctx);
void fw_order_transfer(struct fw_context* ctx, uint32_t tag, uint32_t address, uint32_t offset, uint32_t sectors,
                       uint32_t direction);
bool fw_transfers_fit(struct fw_context* ctx, uint32_t count);
void fw_stop_channel(struct fw_context* ctx, uint32_t n);
void fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags);

void fw_fetch_ahead(struct fw_context* ctx, uint32_t n);

// write_data.c: data of a write straight to the media
uint32_t fw_write_data_first(const struct fw_context* ctx, const struct fw_run* run);
void fw_write_data_order(struct fw_context* ctx, uint32_t tag, struct fw_run* run);
void fw_write_data_came(struct fw_context* ctx, uint32_t tag, uint32_t sectors);
void fw_write_data_due(struct fw_context* ctx);
void fw_write_data_reset(struct fw_context* ctx);

// stream.c: reads through the segments
void fw_stream_read(struct fw_context* ctx, uint32_t tag);
void fw_stream_granted(struct fw_context* ctx, uint32_t n, uint32_t tag);
void fw_stream_segment(struct fw_context* ctx, uint32_t n, uint16_t segment);
void fw_stream_on_track(struct fw_context* ctx, uint32_t n);
bool fw_stream_idle(const struct fw_context* ctx, uint16_t segment);
bool fw_stream_holds(const struct fw_context* ctx, uint64_t lba);  // or will, with the access under way
void fw_stream_start(struct fw_context* ctx, uint32_t n);
void fw_stream_extent(const struct fw_context* ctx, uint32_t n, uint64_t* lba, uint64_t* sectors);  // that it may read
void fw_stream_mark(struct fw_context* ctx, uint32_t n);
void fw_stream_done(struct fw_context* ctx, uint32_t n, uint32_t channel, bool error);
void fw_stream_sent(struct fw_context* ctx, uint32_t tag, uint32_t sectors);
void fw_streams_send(struct fw_context* ctx);
void fw_stream_preempt(struct fw_context* ctx, uint32_t track);  // arms that reach it, FW_ANY_TRACK: all
void fw_stream_end_ahead(struct fw_context* ctx);
void fw_stream_abort(struct fw_context* ctx);
void fw_stream_leave(struct fw_context* ctx, uint32_t n);
void fw_stream_released(struct fw_context* ctx);
void fw_stream_orphaned(struct fw_context* ctx, uint16_t segment);                        // its arm cannot go on
uint64_t fw_stream_need(const struct fw_context* ctx, const struct fw_segment* segment);  // of a request, or 0
void fw_stream_go_on(struct fw_context* ctx, uint32_t n, bool may_go_around);
bool fw_stream_alone(const struct fw_context* ctx, uint32_t n);   // the arm may read for nobody
uint32_t fw_stream_before(struct fw_context* ctx, uint64_t lba);  // sectors of the track that lie just before it
bool fw_stream_past_track(struct fw_context* ctx, const struct fw_segment* segment, uint32_t track_read);
void fw_stream_keep(struct fw_context* ctx, uint16_t segment, uint64_t lba, uint32_t sectors);
void fw_stream_give_way(struct fw_context* ctx);

// ahead.c: reading ahead behind a hit
void fw_ahead_of_hit(struct fw_context* ctx, uint16_t segment);
bool fw_ahead_slot(const struct fw_context* ctx, uint32_t slot);
void fw_ahead_cancel(struct fw_context* ctx);
void fw_ahead_granted(struct fw_context* ctx, uint32_t n);

// around.c: the track's sectors before what was asked for
bool fw_around_begin(struct fw_context* ctx, uint32_t n);
void fw_around_start(struct fw_context* ctx, uint32_t n);
void fw_around_done(struct fw_context* ctx, uint32_t n, uint32_t channel, bool error);

// flow.c: how a segment is filled and emptied at the same time; `n`: the arm that fills it
uint32_t fw_flow_portion(const struct fw_context* ctx);
bool fw_flow_enough(const struct fw_context* ctx, const struct fw_request* request, uint64_t end);
void fw_flow_served(struct fw_context* ctx, uint32_t n);
void fw_flow_mark(struct fw_context* ctx, uint32_t n);
uint64_t fw_flow_ahead(const struct fw_context* ctx, const struct fw_segment* segment);
uint32_t fw_flow_readable(const struct fw_context* ctx, uint32_t n);
uint32_t fw_flow_length(const struct fw_context* ctx, uint32_t n);
void fw_flow_make_room(struct fw_context* ctx, uint16_t segment, uint64_t end);
void fw_flow_places(struct fw_context* ctx, uint32_t n, uint64_t from, uint64_t end);
void fw_flow_grow(struct fw_context* ctx, uint32_t n);

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
void fw_hits_withdraw(struct fw_context* ctx, uint16_t segment);
void fw_hits_cover(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
void fw_hits_used(struct fw_context* ctx, uint16_t segment);
bool fw_hits_pinned(struct fw_context* ctx, uint16_t segment, uint32_t* use);
void fw_hits_want_release(struct fw_context* ctx);
void fw_hits_released(struct fw_context* ctx);
bool fw_hits_since(struct fw_context* ctx);

// lines.c: written data in the buffer
void fw_lines_reset(struct fw_context* ctx);
bool fw_lines_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors);
bool fw_lines_hold(const struct fw_context* ctx, uint64_t lba, uint32_t sectors);
void fw_lines_hurry(struct fw_context* ctx, uint64_t lba, uint32_t sectors);
bool fw_lines_end_at(const struct fw_context* ctx, uint64_t lba);
bool fw_lines_suit(const struct fw_context* ctx, uint32_t sectors);
void fw_lines_write(struct fw_context* ctx, uint32_t tag, bool through);
void fw_lines_received(struct fw_context* ctx, uint32_t tag, uint32_t sectors);
void fw_lines_read(struct fw_context* ctx, uint32_t tag);
void fw_lines_send(struct fw_context* ctx);
void fw_lines_sent(struct fw_context* ctx, uint32_t tag, uint32_t sectors);
void fw_lines_abort(struct fw_context* ctx);
uint16_t fw_line_of_job(const struct fw_context* ctx, uint64_t number);
uint16_t fw_line_find(const struct fw_context* ctx, uint64_t number);
bool fw_lines_any(const struct fw_context* ctx, uint64_t number);
void fw_line_clean(struct fw_context* ctx, uint16_t line, uint8_t sectors);
void fw_line_drop(struct fw_context* ctx, uint16_t line, uint8_t sectors);
uint32_t fw_line_bucket(uint64_t number);
uint8_t fw_line_sectors_in(uint64_t number, uint64_t lba, uint64_t sectors);  // a bit each
void fw_serve_line_queue(struct fw_context* ctx);

// kept.c: written data that are on the media, and are still there
void fw_kept_reset(struct fw_context* ctx);
uint16_t fw_kept_find(const struct fw_context* ctx, uint64_t number);
void fw_kept_add(struct fw_context* ctx, uint16_t line);
void fw_kept_remove(struct fw_context* ctx, uint16_t line);
void fw_kept_forget(struct fw_context* ctx, uint64_t lba, uint64_t sectors);
void fw_kept_forget_all(struct fw_context* ctx);

// flush.c
void fw_media_activity(struct fw_context* ctx);
void fw_idle_over(struct fw_context* ctx);
void fw_flush(struct fw_context* ctx, bool accounted);
void fw_flushed(struct fw_context* ctx);  // all that was written is on the media

// destage.c: from the lines to the media
void fw_destage_update(struct fw_context* ctx);
void fw_destage_granted(struct fw_context* ctx, uint32_t n, uint32_t slot);
void fw_destage_start(struct fw_context* ctx, uint32_t n);
uint32_t fw_destage_extent(const struct fw_context* ctx,
                           uint32_t n);  // sectors from arm.lba on that it may write
void fw_destage_done(struct fw_context* ctx, uint32_t n, uint32_t channel, bool error);
uint32_t fw_destage_gather(struct fw_context* ctx, uint32_t n, uint32_t sectors, uint32_t most);
void fw_destage_covered(struct fw_context* ctx, uint64_t lba, uint32_t sectors);
void fw_destage_grow(struct fw_context* ctx, uint32_t n);
void fw_destage_refused(struct fw_context* ctx, uint32_t n, uint32_t channel);
void fw_destage_mark(struct fw_context* ctx, uint32_t n);
void fw_destage_flow(struct fw_context* ctx);  // lines have come, or are waited for: accesses under way grow and report
void fw_destage_unit(struct fw_context* ctx, uint32_t n, uint64_t unit);
void fw_destage_give_up(struct fw_context* ctx, uint32_t n);
void fw_destage_give_back(struct fw_context* ctx, uint32_t n);  // the arm cannot go on
void fw_destage_again(struct fw_context* ctx, uint32_t slot);
void fw_destage_abort(struct fw_context* ctx);

// The line from which sector `lba` may go to the media now, FW_NO_LINE; and the same if the access under way has
// written the sector before it.
uint16_t fw_line_to_write(const struct fw_context* ctx, uint64_t lba);
uint16_t fw_line_to_join(const struct fw_context* ctx, uint64_t lba);
void fw_release_writeback(struct fw_context* ctx, uint32_t slot);
void fw_serve_blocked(struct fw_context* ctx);

// lost.c: written data that no head can write any more
void fw_destage_lose(struct fw_context* ctx, uint64_t lba, uint32_t most);
void fw_destage_unreachable(struct fw_context* ctx);  // slots of such tracks
void fw_destage_lost(struct fw_context* ctx);         // who waited for the data goes on

// defect.c: sectors that cannot be read
enum fw_check_result { FW_CHECK_OVER, FW_CHECK_GOES_ON, FW_CHECK_ERROR };
void fw_count(struct fw_context* ctx, enum fw_counter counter, uint32_t value);
void fw_count_reads(struct fw_context* ctx, uint32_t channel);
void fw_pending_add(struct fw_context* ctx, uint64_t lba);
bool fw_pending_overlap(const struct fw_context* ctx, uint64_t lba, uint32_t sectors);
enum fw_check_result fw_check_written(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors,
                                      uint32_t channel, bool error);
void fw_check_start(struct fw_context* ctx, uint32_t n);
void fw_mark_unreadable(struct fw_context* ctx, uint16_t line, uint32_t block);

// background.c
void fw_background_rearm(struct fw_context* ctx);
void fw_background_stop(struct fw_context* ctx);
void fw_background_preempt(struct fw_context* ctx);
void fw_background_granted(struct fw_context* ctx, uint32_t n, uint32_t slot);
void fw_background_dropped(struct fw_context* ctx);
void fw_background_without(struct fw_context* ctx);                // an arm or a head has failed
void fw_background_give_back(struct fw_context* ctx, uint32_t n);  // the arm cannot go on
void fw_background_again(struct fw_context* ctx, uint32_t slot);
void fw_scan_due(struct fw_context* ctx);
void fw_scan_on_track(struct fw_context* ctx, uint32_t n);
void fw_scan_start(struct fw_context* ctx, uint32_t n);
void fw_scan_done(struct fw_context* ctx, uint32_t n, uint32_t channel, bool error);
void fw_recalibration_arm(struct fw_context* ctx);
void fw_recalibration_due(struct fw_context* ctx);
void fw_recalibration_late(struct fw_context* ctx);
void fw_recalibrate(struct fw_context* ctx, uint32_t n);
bool fw_recalibration_wants(const struct fw_context* ctx, uint32_t n);
void fw_recalibration_on_track(struct fw_context* ctx, uint32_t n);
void fw_recalibrated(struct fw_context* ctx);

// segment.c
bool fw_segment_free(struct fw_context* ctx);
void fw_segments_reset(struct fw_context* ctx);
uint16_t fw_segment_take(struct fw_context* ctx);  // FW_NO_SEGMENT if none is free
void fw_segment_give(struct fw_context* ctx, uint16_t segment);
uint32_t fw_segment_address(const struct fw_context* ctx, uint16_t segment);
bool fw_segment_may_be_held(const struct fw_context* ctx);  // one more, by who waits for an arm
void fw_lines_layout(struct fw_context* ctx, uint32_t lines, bool slots);
bool fw_lines_room(struct fw_context* ctx);
void fw_lines_leave(struct fw_context* ctx);
uint32_t fw_system_address(const struct fw_context* ctx);
void fw_enqueue(struct fw_arm_queue* queue, uint32_t arm);
uint32_t fw_dequeue(struct fw_arm_queue* queue,
                    uint32_t place);  // requires that there is one at that place

// ata_pages.c
void fw_send_identify(struct fw_context* ctx);
void fw_send_log_directory(struct fw_context* ctx);
void fw_send_error_log(struct fw_context* ctx);

// error.c
void fw_fail(struct fw_context* ctx, uint32_t tag, bool queued, uint8_t error, uint64_t lba);
void fw_fail_write(struct fw_context* ctx, uint32_t tag, bool queued,
                   uint64_t lba);  // no spare is left
void fw_reject(struct fw_context* ctx);
void fw_drained(struct fw_context* ctx);
void fw_unqueued_status(struct fw_context* ctx, uint8_t status, uint8_t error, uint64_t lba);
void fw_link_error(struct fw_context* ctx);

#endif
