// The jobs that arms are at work for, and what belongs to them.
#ifndef ARMATURE_FIRMWARE_JOBS_JOBS_H
#define ARMATURE_FIRMWARE_JOBS_JOBS_H

#include "engine/engine.h"

extern const struct fw_job_ops fw_request_job, fw_fill_job, fw_destage_job, fw_scan_job, fw_recalibration_job,
    fw_place_job, fw_retire_job;

// request.c: straight between media and host
void fw_serve(struct fw_context* ctx, uint32_t n, uint32_t tag);  // the arm is granted to the request, read or write
void fw_request_hand_over(struct fw_context* ctx, uint32_t n);    // to another arm
void fw_fetch_ahead(struct fw_context* ctx, uint32_t n);

// write_data.c and arrivals.c: data of a write straight to the media
uint32_t fw_write_data_first(struct fw_context* ctx, const struct fw_run* run, uint64_t lba);
void fw_write_data_order(struct fw_context* ctx, uint32_t tag, struct fw_run* run);
void fw_write_data_part(struct fw_context* ctx, uint32_t tag, struct fw_run* run, uint32_t sectors);
void fw_write_data_came(struct fw_context* ctx, uint32_t tag, uint32_t sectors);
void fw_write_data_due(struct fw_context* ctx);
void fw_write_data_reset(struct fw_context* ctx);

// attached.c: the requests attached to a segment
uint16_t fw_stream_find(const struct fw_context* ctx, uint64_t lba);  // the segment that holds the sector, or will
bool fw_stream_holds(const struct fw_context* ctx, uint64_t lba);     // or will, with the access under way
bool fw_stream_may_join(struct fw_context* ctx, const struct fw_segment* segment, const struct fw_request* request);
void fw_stream_attach(struct fw_context* ctx, uint32_t tag, uint16_t segment);
void fw_stream_detach(struct fw_context* ctx, uint32_t tag);
void fw_stream_absorb(struct fw_context* ctx, uint16_t segment);
void fw_stream_send(struct fw_context* ctx, uint16_t segment, bool whole);
void fw_streams_send(struct fw_context* ctx);

// stream.c and stream_ends.c: reads through the segments
void fw_stream_read(struct fw_context* ctx, uint32_t tag);
void fw_stream_granted(struct fw_context* ctx, uint32_t n, uint32_t tag);
void fw_stream_on_track(struct fw_context* ctx, uint32_t n);
void fw_stream_sent(struct fw_context* ctx, uint32_t tag, uint32_t sectors);
void fw_stream_preempt(struct fw_context* ctx, uint32_t track);  // arms that reach it, FW_ANY_TRACK: all
void fw_stream_end_ahead(struct fw_context* ctx);
bool fw_stream_ahead_at_work(const struct fw_context* ctx);  // no arm is free, and one only reads ahead
void fw_stream_abort(struct fw_context* ctx);
void fw_stream_leave(struct fw_context* ctx, uint32_t n);
void fw_stream_released(struct fw_context* ctx);
void fw_stream_orphaned(struct fw_context* ctx, uint16_t segment);  // its arm cannot go on
void fw_stream_give_back(struct fw_context* ctx, uint32_t n);
void fw_stream_keep(struct fw_context* ctx, uint16_t segment, uint64_t lba, uint32_t sectors);
void fw_stream_give_way(struct fw_context* ctx);
bool fw_stream_yields(const struct fw_context* ctx, uint32_t n);
bool fw_stream_in_minimum(struct fw_context* ctx, uint32_t n);

// way.c: arms come free for requests, or are reserved for them
void fw_stream_make_way(struct fw_context* ctx, uint32_t tag, bool spare);

// ahead.c: reading ahead after a hit
void fw_ahead_of_hit(struct fw_context* ctx, uint16_t segment);
void fw_ahead_cancel(struct fw_context* ctx);
void fw_ahead_granted(struct fw_context* ctx, uint32_t n, uint32_t slot);
void fw_ahead_again(struct fw_context* ctx, uint32_t slot);
void fw_ahead_dropped(struct fw_context* ctx);  // with all slots
uint64_t fw_ahead_lba(const struct fw_context* ctx, uint32_t slot);

// around.c: the track's sectors before what was asked for
bool fw_around_begin(struct fw_context* ctx, uint32_t n);
bool fw_around_start(struct fw_context* ctx, uint32_t n);
void fw_around_done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause);

// flow.c: how a segment is filled and emptied at the same time; `n`: the arm that fills it
uint32_t fw_flow_portion(const struct fw_context* ctx);
bool fw_flow_enough(const struct fw_context* ctx, const struct fw_request* request, uint64_t end);
void fw_flow_served(struct fw_context* ctx, uint32_t n);
void fw_flow_mark(struct fw_context* ctx, uint32_t n);
uint64_t fw_flow_ahead(const struct fw_context* ctx, const struct fw_segment* segment);
uint32_t fw_flow_readable(const struct fw_context* ctx, uint32_t n);
uint32_t fw_flow_length(const struct fw_context* ctx, uint32_t n);
uint64_t fw_flow_make_room(struct fw_context* ctx, uint16_t segment, uint64_t end);
void fw_flow_places(struct fw_context* ctx, uint32_t n, uint64_t from, uint64_t end);
void fw_flow_grow(struct fw_context* ctx, uint32_t n);
void fw_flow_hold_minimum(struct fw_context* ctx, uint32_t n);
void fw_flow_begin_minimum(struct fw_context* ctx, uint32_t n);
bool fw_flow_in_minimum(const struct fw_context* ctx, uint32_t n, uint64_t at);
bool fw_stream_alone(const struct fw_context* ctx, uint32_t n);  // the arm may read ahead
bool fw_stream_past_track(struct fw_context* ctx, const struct fw_segment* segment, uint32_t track_read);

// destage_waits.c: state that others set for de-staging
void fw_destage_blocks(struct fw_context* ctx, uint32_t tag);
void fw_destage_unblocks(struct fw_context* ctx, uint32_t tag);
void fw_destage_flush(struct fw_context* ctx, enum fw_flush who);
void fw_destage_idle(struct fw_context* ctx, bool idle);
void fw_destage_order(struct fw_context* ctx, uint32_t candidates, bool ascending);

// write_in.c: data between the host and the lines
void fw_lines_write(struct fw_context* ctx, uint32_t tag, bool through);
void fw_lines_received(struct fw_context* ctx, uint32_t tag, uint32_t sectors);
void fw_lines_read(struct fw_context* ctx, uint32_t tag);
void fw_lines_send(struct fw_context* ctx);
void fw_lines_sent(struct fw_context* ctx, uint32_t tag, uint32_t sectors);
void fw_lines_abort(struct fw_context* ctx);
void fw_serve_line_queue(struct fw_context* ctx);

// destage_slots.c, destage_flow.c, destage.c: from the lines to the media
void fw_destage_update(struct fw_context* ctx);
void fw_destage_again(struct fw_context* ctx, uint32_t slot);
void fw_destage_abort(struct fw_context* ctx);
void fw_destage_grow(struct fw_context* ctx, uint32_t n);
void fw_destage_flow(struct fw_context* ctx);  // lines have come, or are waited for: accesses under way grow and report
bool fw_destage_passed(struct fw_context* ctx, uint32_t n);
void fw_destage_refused(struct fw_context* ctx, uint32_t n, uint32_t channel);
void fw_destage_give_up(struct fw_context* ctx, uint32_t n);
void fw_destage_read_again(struct fw_context* ctx, uint32_t n);

// destage_lines.c: the lines of a run. fw_line_to_write: the line from which sector `lba` may go to the media now, or
// FW_NO_LINE; _to_join: the same, if the access under way has written the sector before.
uint16_t fw_line_to_write(const struct fw_context* ctx, uint64_t lba);
uint16_t fw_line_to_join(const struct fw_context* ctx, uint64_t lba);
void fw_release_writeback(struct fw_context* ctx, uint32_t slot);
uint64_t fw_destage_run_begin(const struct fw_context* ctx, uint16_t line);
uint32_t fw_destage_claim(struct fw_context* ctx, uint64_t lba, uint32_t most, uint8_t slot);
bool fw_destage_may_have_slot(const struct fw_context* ctx, uint16_t line);
bool fw_destage_whole(const struct fw_context* ctx);
uint32_t fw_destage_extent(const struct fw_context* ctx, uint64_t lba, uint32_t most);
uint64_t fw_destage_next_completion(const struct fw_context* ctx, uint64_t from, uint64_t end);
bool fw_destage_reads(const struct fw_context* ctx, uint32_t n);
bool fw_destage_fill_up(struct fw_context* ctx, uint32_t n);
void fw_destage_unmark(struct fw_context* ctx, uint32_t n);
uint32_t fw_destage_gather(struct fw_context* ctx, uint32_t n, uint32_t sectors, uint32_t most);
void fw_destage_unit(struct fw_context* ctx, uint32_t n, uint64_t unit);
uint8_t fw_destage_marks(const struct fw_context* ctx, uint64_t unit);
void fw_destage_covered(struct fw_context* ctx, uint64_t lba, uint32_t sectors);
void fw_destage_free_lines(struct fw_context* ctx, uint64_t lba, uint64_t end);

// destage_arms.c
bool fw_destage_at_work(const struct fw_arm* arm);
bool fw_destage_on_its_way(const struct fw_arm* arm);
bool fw_destage_awaited(const struct fw_context* ctx, uint64_t lba, uint32_t n);

// destage_ways.c: data that an arm is on its way to
void fw_destage_goes_to(struct fw_context* ctx, uint32_t n, uint32_t sectors);
void fw_destage_leaves(struct fw_context* ctx, uint64_t at);
void fw_destage_join(struct fw_context* ctx);
bool fw_destage_in_vain(const struct fw_context* ctx, uint32_t n);
void fw_destage_free_arms_in_vain(struct fw_context* ctx);
void fw_destage_taken(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors);

// lost.c: written data that no head can write any more
void fw_destage_lose(struct fw_context* ctx, uint64_t lba, uint32_t most);
void fw_data_lost(struct fw_context* ctx, uint64_t lba, uint32_t sectors);  // acknowledged, and cannot be written
void fw_data_lost_told(struct fw_context* ctx);                             // a flush has reported it to the host
void fw_destage_unreachable(struct fw_context* ctx);                        // withdraws slots for such tracks
void fw_destage_lost(struct fw_context* ctx);                               // requests that waited for the data go on

// check.c: unreadable sectors, when they are written
enum fw_check_result {
  FW_CHECK_OVER,       // no sector is left to check
  FW_CHECK_GOES_ON,    // the arm goes to one
  FW_CHECK_ELSEWHERE,  // a sector has moved to where the arm has no heads
  FW_CHECK_NO_SPARE,   // arm.check_unit cannot be written
};
enum fw_check_result fw_check_written(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors,
                                      uint32_t cause, uint8_t marks);
enum fw_check_result fw_check_go_on(struct fw_context* ctx, uint32_t n, uint64_t from, uint64_t end);
void fw_check_next(const struct fw_context* ctx, uint32_t n, struct fw_access* access);  // fw_job_ops.next
void fw_check_read(struct fw_context* ctx, uint32_t n, uint8_t marks, uint32_t flags);
void fw_check_write(struct fw_context* ctx, uint32_t n, uint32_t flags);

// spare.c: background work while commands are under way
void fw_spare_reset(struct fw_context* ctx, uint32_t max_added_us, uint32_t rpm);
void fw_spare_store(struct fw_context* ctx);
void fw_spare_speed(struct fw_context* ctx, uint32_t part);  // as fw_reckoning_speed
bool fw_spare_may_go_on(const struct fw_context* ctx);
bool fw_spare_pays(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t track, uint32_t sectors);
void fw_spare_request(struct fw_context* ctx, uint32_t tag, bool spare);
void fw_spare_rested(struct fw_context* ctx, uint32_t n);
uint32_t fw_spare_home(const struct fw_arm* arm);
uint32_t fw_spare_on_the_way(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t left, uint64_t lba,
                             uint32_t track, uint32_t angle);
void fw_spare_errand_over(struct fw_context* ctx, uint32_t n);
void fw_spare_granted(struct fw_context* ctx, uint32_t n, uint32_t tag, uint32_t left);

// scan.c
void fw_background_command(struct fw_context* ctx);
void fw_background_rearm(struct fw_context* ctx);
void fw_background_stop(struct fw_context* ctx);
void fw_background_preempt(struct fw_context* ctx);
void fw_background_dropped(struct fw_context* ctx);
void fw_background_without(struct fw_context* ctx);  // an arm or a head has failed
void fw_background_begin(struct fw_context* ctx, uint32_t n, enum fw_job job);
void fw_background_account(struct fw_context* ctx, uint32_t n);
uint32_t fw_scan_slot(const struct fw_context* ctx);
uint64_t fw_scan_slot_lba(const struct fw_context* ctx, uint32_t slot);  // fw_job_ops.slot_lba
void fw_scan_due(struct fw_context* ctx);
void fw_scan_list(struct fw_context* ctx);
#define FW_READING_IDLE_US 500000u  // idle time before a reading goes on
// Reads sectors [lba, end) while no command is under way, first after `after_us` without one. FW_DUE_READING: all are
// read (no longer active), or the sector at reading.lba is unreadable (failed), and the caller then calls begin or end.
void fw_reading_begin(struct fw_context* ctx, uint64_t lba, uint64_t end, uint32_t after_us);
void fw_reading_end(struct fw_context* ctx);

// steps.c: what is read next
bool fw_step_listed(const struct fw_context* ctx);       // the step is of a background read
bool fw_step_none(const struct fw_context* ctx);         // there is nothing to read, or a reading waits at a bad sector
uint32_t fw_step_idle_us(const struct fw_context* ctx);  // time without a command after which the drive reads; 0: never
uint64_t fw_step_lba(const struct fw_context* ctx);      // where the step begins
uint32_t fw_step_sectors(const struct fw_context* ctx, uint32_t on_track);
bool fw_step_next(struct fw_context* ctx, uint32_t* track, uint32_t* angle);
void fw_step_limit(struct fw_context* ctx, struct fw_arm* arm);
uint32_t fw_step_done(struct fw_context* ctx, const struct fw_arm* arm, uint32_t moved, bool unreadable);

// list.c: the host's background reads
bool fw_list_takes(const struct fw_context* ctx, const struct fw_request* request);
uint32_t fw_list_active(const struct fw_context* ctx);
void fw_list_add(struct fw_context* ctx, uint32_t tag);
bool fw_list_waits(const struct fw_context* ctx, uint32_t tag);
uint64_t fw_list_lba(const struct fw_context* ctx, uint32_t tag);   // its next sector
uint32_t fw_list_left(const struct fw_context* ctx, uint32_t tag);  // sectors from there on
uint16_t fw_list_nearest(struct fw_context* ctx);
uint16_t fw_list_on_the_way(struct fw_context* ctx, uint32_t n, uint32_t slot, uint32_t ticks, uint32_t* sectors);
uint16_t fw_list_segment(struct fw_context* ctx, uint32_t tag);
uint32_t fw_list_address(const struct fw_context* ctx, uint32_t tag);
void fw_list_read(struct fw_context* ctx, uint32_t tag, uint32_t sectors);

// recalibration.c
void fw_recalibration_without(struct fw_context* ctx);  // an arm or a head has failed
void fw_recalibration_dropped(struct fw_context* ctx);
void fw_recalibration_arm(struct fw_context* ctx);
void fw_recalibration_due(struct fw_context* ctx);
void fw_recalibration_late(struct fw_context* ctx);
void fw_recalibrated(struct fw_context* ctx);

// placement.c: where idle arms wait
void fw_placement_reset(struct fw_context* ctx, uint32_t policy, uint32_t after_us, uint32_t near_cylinders);
void fw_placement_home(struct fw_context* ctx, uint32_t n);  // background work takes the arm
void fw_placement_due(struct fw_context* ctx);
bool fw_nobody_waits(const struct fw_context* ctx);    // for an arm, so no grant is pending
bool fw_arms_limited(const struct fw_context* ctx);    // a limit on arms that move or are in service
void fw_hold_arms(struct fw_context* ctx, bool hold);  // with such a limit: true stops grants

// retire.c: arms out of service
void fw_retire_update(struct fw_context* ctx);

// batch.c: blocks of a MEMS store that one pass serves
bool fw_batch_meets_lines(const struct fw_context* ctx);
void fw_batch_hurry_lines(struct fw_context* ctx);
void fw_batch_invalidate(struct fw_context* ctx);
void fw_batch_forget(struct fw_context* ctx);  // what was read of it
void fw_batch_start(struct fw_context* ctx, uint32_t n);
void fw_batch_done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause);
void fw_batch_sent(struct fw_context* ctx, uint32_t tag);
uint32_t fw_batch_list_address(const struct fw_context* ctx);
void fw_batch_list_came(struct fw_context* ctx, uint32_t tag);

// rides.c: reads that one pass of a MEMS store's tips serves together
void fw_rides_gather(struct fw_context* ctx, uint32_t n, uint32_t tag);
uint32_t fw_rides_sectors(const struct fw_context* ctx, uint32_t n);
void fw_rides_start(struct fw_context* ctx, uint32_t n);
void fw_rides_done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause);
void fw_rides_sent(struct fw_context* ctx, uint32_t tag);

// turns.c: streams and other requests take turns
void fw_turn_begins(struct fw_context* ctx, uint32_t n, uint64_t end);
void fw_turn_grows(struct fw_context* ctx, uint32_t n, uint64_t end);
bool fw_turn_over(struct fw_context* ctx, uint32_t n, uint64_t at, bool held);
bool fw_turn_of_writes_over(struct fw_context* ctx, uint32_t n, uint64_t at);

// transfers.c
void fw_dma_event(struct fw_context* ctx);

// holders.c
void fw_serve_holders(struct fw_context* ctx);

#endif
