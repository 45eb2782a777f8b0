// Firmware's state: requests, arms, segments, lines, and the context that holds them.
#ifndef ARMATURE_FIRMWARE_CORE_CONTEXT_H
#define ARMATURE_FIRMWARE_CORE_CONTEXT_H

#include "armature/firmware/fw_abi.h"
#include "armature/firmware/regs/aau.h"
#include "armature/firmware/regs/buf.h"
#include "armature/firmware/regs/cha.h"
#include "armature/firmware/regs/chn.h"
#include "armature/firmware/regs/dbg.h"
#include "armature/firmware/regs/hif.h"
#include "armature/firmware/regs/irq.h"
#include "armature/firmware/regs/nvm.h"
#include "armature/firmware/regs/pmu.h"
#include "armature/firmware/regs/soc.h"
#include "armature/firmware/regs/spn.h"
#include "armature/firmware/regs/srv.h"
#include "armature/firmware/regs/tmr.h"

#include <stdbool.h>

#define FW_SECTOR_BYTES 512u
#define FW_NO_TAG 0xFFFFu
#define FW_NO_SEGMENT 0xFFFFu
#define FW_NO_ARM 0xFFu
#define FW_NO_CHANNEL 0xFFu
#define FW_NO_LINE 0xFFFFu
#define FW_NO_SLOT 0xFFu
#define FW_NO_HEAD 0xFFu
#define FW_LINE_SECTORS 8u
#define FW_MOST_SPARES 16u     // tried for a unit in a row before its write fails
#define FW_LINE_BUCKETS 4096u  // a power of two
#define FW_CHANNEL_WELL 0u     // chn.status.cause
#define FW_CHANNEL_UNREADABLE 5u
#define FW_CHANNEL_STRAYED 6u
#define FW_MAX_PENDING 1024u   // physical sectors that could not be read
#define FW_MAX_FILL_LINES 24u  // of 10 pieces at most each
#define FW_RUN_PARTS 8u        // of a written run's data, on their way at a time
#define FW_MAX_PIECES 256u     // of a channel's access
#define FW_MAX_TRANSFERS 512u  // that the host interface takes
#define FW_FLOW_LINES 32u      // of a transfer from the host, at most

// A word's field, and a word with only that field.
#define FW_GET(word, field) (((word)&field##_MASK) >> field##_SHIFT)
#define FW_SET(field, value) (((uint32_t)(value) << field##_SHIFT) & field##_MASK)

// ATA status and error (ATA8-ACS).
#define ATA_STATUS_READY 0x50u         // DRDY, and the obsolete "seek complete"
#define ATA_STATUS_ERROR 0x51u         // of an unqueued command
#define ATA_STATUS_QUEUED_ERROR 0x41u  // of a queued command
#define ATA_STATUS_DEVICE_FAULT 0x20u
#define ATA_ERROR_ABRT 0x04u
#define ATA_ERROR_IDNF 0x10u
#define ATA_ERROR_UNC 0x40u
#define ATA_ERROR_ICRC 0x80u

struct fw_run {
  uint32_t offset;   // sectors from the request's first
  uint32_t sectors;  // 0: there is no run
  uint32_t track;    // as chn.xl_track and srv.target: cylinder and head
  uint16_t segment;
  uint32_t mark;     // sectors whose data must be there before it begins
  uint32_t ordered;  // whose data are ordered from the host
  uint32_t parts;    // of these, transfers that do not count as here yet
  uint32_t here;     // whose data are in the segment
  uint32_t written;  // that are on the media
};

struct fw_request {
  uint64_t lba;
  uint32_t sectors;
  uint32_t media_done;  // sectors
  uint32_t link_done;   // sectors
  uint32_t data_come;   // of a write straight to the media: sectors whose data are in the buffer
  uint32_t track;       // of the first sector
  uint32_t track_rest;  // sectors from the first to the end of its track
  uint8_t arm;          // that serves it, FW_NO_ARM
  bool active;
  bool write;
  bool queued;
  bool fua;
  bool seek;              // SEEK: complete when an arm is on the track of the first sector
  bool in_lines;          // of a write: its data go to lines. Of a read: they come from there
  bool blocked;           // until older written data in its range are on the media
  bool through;           // its data go through lines, and it completes when they are on the media
  bool write_fault;       // or fails then
  uint32_t piece_offset;  // sectors of the request before the piece that is on its way into lines
  uint32_t piece_sectors;
  bool waits_arm;            // in a slot of the arbitration unit
  bool withdrawn;            // the tag's slot has been, so that a grant of it may be for nobody
  uint32_t angle;            // of the first sector
  uint16_t segment;          // of a read through the segments, FW_NO_SEGMENT
  uint16_t next_in_segment;  // tag, FW_NO_TAG. Of a read from lines: next one whose transfers are not all ordered
  uint32_t queued_out;       // sectors whose transfer to the host is ordered
  uint32_t lines_taken;      // of a read from lines: its lines are the newest that were taken until then
  uint8_t delay;             // enum fw_delay: what its overhead holds up
  bool hit;                  // of a read through the segments: all of it was there when it came
  uint16_t next_delayed;     // tag whose overhead ends next, FW_NO_TAG
  uint64_t due;              // microseconds since power-on, when the overhead ends
  bool kept;                 // of a write that goes on with another arm: its data are in these
  struct fw_run kept_run, kept_next;
  uint8_t kept_check;  // enum fw_check: of a physical sector of what it has written
  uint64_t kept_unit;  // its first sector
  uint8_t group;       // of arms, whose slot it waits in
  bool ousted;         // its arm's appointment went to another's access once: not a second time
  bool held_back;      // waits without being a candidate, until one that holds a segment has an arm
  bool unreachable;    // `bad_lba` of it lies where no head comes any more: it fails at the end of this handler
  uint64_t bad_lba;
};

enum fw_arm_state {
  FW_ARM_IDLE,
  FW_ARM_MOVING,
  FW_ARM_ON_TRACK,
  FW_ARM_TRANSFER,
  FW_ARM_PARKED,  // on the ramp, or on the way there or back
  FW_ARM_FAILED,  // for good
};

// Stack and arms, in the order of a standby and of the way back.
enum fw_power {
  FW_POWER_SPIN_UP,    // the stack comes to speed
  FW_POWER_LOAD,       // the arms come from the ramp
  FW_POWER_ACTIVE,     // the arms serve requests
  FW_POWER_FLUSH,      // the same, and a standby waits until all that was written is on the media
  FW_POWER_REST,       // a standby waits until the arms have come to rest
  FW_POWER_UNLOAD,     // the arms go onto the ramp
  FW_POWER_SPIN_DOWN,  // the stack comes to a stop
  FW_POWER_STANDBY,
  FW_POWER_FAULT,  // the stack was not at speed in time
};

// What becomes of a sector that could not be read when it is written.
enum fw_check {
  FW_CHECK_NONE,
  FW_CHECK_READ,   // it is read back
  FW_CHECK_WRITE,  // it has been given a spare and is written there
};

// What an arm is at work for.
enum fw_job {
  FW_JOB_REQUEST,  // the request `tag`, straight between media and host
  FW_JOB_FILL,     // the segment `segment`
  FW_JOB_DESTAGE,  // written data from `lba` on
  FW_JOB_SCAN,     // the surface from `lba` on
  FW_JOB_RECALIBRATE,
  FW_JOB_PLACE,  // to where it waits
  FW_JOB_COUNT
};

struct fw_job_ops;  // engine/job.h

struct fw_arm {
  uint8_t job;                    // enum fw_job
  uint16_t segment;               // fill
  uint64_t lba;                   // de-staging: first sector of the run
  uint32_t sectors;               // fill, de-staging: of the access under way
  uint32_t passed;                // de-staging: of it before `lba`, whose lines are free again
  bool grown;                     // and it has been extended
  bool marked;                    // the channel reports before its end
  bool ordered_whole;             // read on arrival: it can neither grow nor report
  uint32_t track_rest;            // fill, de-staging: sectors from the run's first to the end of its track
  uint64_t fill_lba;              // first sector of what is read so
  bool filled;                    // it has been read
  bool filling_up;                // de-staging: what the run's physical sectors lack is read first
  bool fill_marked;               // and the lines of that pass are still marked as the job's
  bool wrote;                     // its last move was for a write
  bool fresh;                     // the arm has just come: the run may begin with any of its sectors
  bool grows;                     // fill: the access under way may be extended
  uint64_t wanted;                // fill, free read under way: first sector that somebody wants
  uint32_t around;                // fill: the access is about so many sectors before the segment's first; 0: it is not
  struct fw_run run;              // at work or next on the media
  struct fw_run next;             // of a write: the run after it, whose data are fetched ahead
  uint32_t track;                 // that the arm is on or moves to, with the head at work
  uint32_t place;                 // where the arm itself is or moves to (its head 0), as aau.arm
  uint32_t usable[FW_MAX_HEADS];  // of its heads on a surface: bit b for surface first_head + b
  uint8_t sub_head;               // which of them is at work
  uint8_t wished_head;            // which of them the next move is for, if it can be
  uint8_t group;                  // arms that reach the same surfaces, by the lowest
  uint32_t mount_angle;           // ticks
  uint8_t first_head, last_head;  // surfaces that it has heads for
  uint16_t tag;                   // FW_NO_TAG: idle, or the request was aborted and the arm comes to rest
  uint8_t state;                  // enum fw_arm_state
  uint8_t channel;                // at work for it, FW_NO_CHANNEL
  bool waits_segment, waits_channel;
  bool asked;              // the channel arbiter
  uint64_t appointed_ns;   // since power-on: when the first sector of its access passes
  uint64_t appointed_lba;  // that sector
  uint64_t lasts_ns;       // from there to the access's end
  bool gave_way;           // another one's access grew, and this one comes later for it
  bool ousted;             // for that it gives back what it is about
  bool let_pass;           // its appointment passed while it waited for a segment
  uint64_t due_us;         // microseconds since power-on, when it asks; 0: it need not wait with that
  bool ordered;            // parked: on its way
  bool broken;             // it has failed
  bool failing;            // it or its head, but its channel is still at work
  uint64_t held_lba;       // sectors of the media that its access is about, with `held` of them
  uint64_t held;           // 0: there is none
  bool held_write;         // nobody else may read or write them; otherwise nobody may write them
  uint8_t check;           // enum fw_check: of a physical sector of what has been written
  uint64_t check_unit;     // its first sector
  uint64_t spared_unit;    // for which the arm tried spares last
  uint8_t spares_tried;    // so many in a row
  uint64_t since;          // scan, recalibration: microseconds since power-on, when the arm was taken
  uint64_t rested;         // placement: when it came to rest
  bool quiet_class;        // its seek table in the arbitration unit is that of quiet seeks
  bool quiet;              // its moves are quiet
};

// A part of the buffer that keeps what was read, as a ring: sectors `begin` to `end` of the disk, of which the one
// number x lies at (first + x - begin) mod segment_sectors.
struct fw_segment {
  uint64_t begin;
  uint64_t end;
  uint64_t plan;     // the requests attached to it want it filled up to here
  uint64_t run_end;  // end of the access under way
  uint32_t first;    // place of `begin`, in sectors
  uint32_t last_use;
  uint32_t mark;         // of the access under way, 0: none
  bool flows;            // it was set for a part of what the arm's request wants
  uint16_t requests;     // first of those attached, FW_NO_TAG
  uint16_t filler;       // attached request that waits for an arm to fill it, FW_NO_TAG
  uint8_t arm;           // that fills it, FW_NO_ARM
  uint64_t shown_begin;  // hardware answers reads of these sectors: none if the two are equal
  uint64_t shown_end;
  uint64_t checked;  // up to here no newer data are in lines, or were when that was looked at
  uint64_t pin;      // first sector that a hit of hardware's is sending; `end` or beyond: none
  bool covered;      // newer data are in lines from `checked` on: no more is shown
  bool kept;         // is part of the cache
  bool stale;        // newer data were written, or its request asked for the media: nobody else may have it
  bool once;         // look-ahead is off: it is given back when nobody waits for its data
  bool sequential;   // a request went on where another ended
  bool unread;       // it holds what was written, and nobody has read from it
  bool ahead_over;   // no more is read ahead before the next request
  bool waits_room;   // the arm waits until data have gone to the host
  uint64_t asked;    // first sector of the request attached last
};

// Eight sectors of written data, at a multiple of eight. Newer ones of a number come first in their bucket; an older
// one goes to the media before.
struct fw_line {
  uint64_t number;  // LBA / 8
  uint32_t taken;   // when: counts the lines taken since power-on
  uint16_t next;    // in its bucket
  uint16_t older;   // in the list of the dirty, which begins with the oldest, or in the one of the free
  uint16_t younger;
  uint16_t receiving;  // transfers from the host on their way into it
  uint16_t pins;       // transfers to the host on their way out of it
  uint8_t dirty;       // sectors that hold written data
  uint8_t coming;      // sectors that receive some, if runs are counted
  uint8_t destaging;   // of these, on their way to the media
  uint8_t bad;         // of the dirty, those whose data are lost: they are written as unreadable
  uint8_t clean;       // of the others, those that are on the media as they are here (cache.keep_written)
  uint8_t slot;        // write-back slot whose run it belongs to, FW_NO_SLOT
  bool listed;         // among the dirty
  bool free;
  bool kept;        // free, and still found by its number: it has clean sectors
  bool superseded;  // there are newer data of its number: nothing of it stays
};

struct fw_writeback_slot {
  uint64_t lba;
  uint32_t track;
  uint32_t track_rest;
  uint32_t claimed;  // sectors of the run when the slot was committed
  uint8_t group;     // of arms that reach the track
  uint16_t line;     // for which it was
  bool used;
};

// Sectors of a write's data that are in the buffer and count from `due` on.
struct fw_arrival {
  uint64_t due;  // microseconds since power-on
  uint16_t tag;
  uint16_t sectors;
};

// Arms in the order in which they began to wait for something.
struct fw_arm_queue {
  uint8_t arms[FW_MAX_ARMS];
  uint8_t count;
};

struct fw_error {
  uint64_t lba;
  uint16_t tag;
  uint8_t status;
  uint8_t error;
  bool queued;  // the failed command was a queued one
};

// Each is a one shot; its handler is in timer.c.
enum fw_timer {
  FW_TIMER_SPIN_UP,  // the stack must be at speed
  FW_TIMER_IDLE,     // without a media command: written data go to the media
  FW_TIMER_SCAN,     // the next step of the media scan may begin
  FW_TIMER_RECALIBRATION,
  FW_TIMER_RECALIBRATION_LATE,  // it has waited for an arm for long enough
  FW_TIMER_RECALIBRATED,        // the stay on the reference track is over
  FW_TIMER_STANDBY,             // without any command: the drive goes into standby by itself
  FW_TIMER_COMMAND,             // the next command's overhead is over
  FW_TIMER_WRITE_DATA,          // the next data of a write count as there
  FW_TIMER_LOST,                // written data are given up: who waited for them goes on
  FW_TIMER_CHANNEL,             // an arm's sector comes: it asks for a channel
  FW_TIMER_APPOINTMENT,         // that of an arm which waits for a segment has passed
  FW_TIMER_PLACEMENT,           // an arm has been idle for long enough to go where it waits
  FW_TIMER_COUNT
};

struct fw_timers {
  uint64_t now;                       // microseconds since power-on, when the counter was read last
  bool read;                          // it was read in this handler
  uint64_t deadline[FW_TIMER_COUNT];  // microseconds since power-on, 0: not armed
};

// Which segments a write drops though it does not overlap them.
enum fw_near {
  FW_NEAR_NONE,
  FW_NEAR_ADJACENT,  // those that begin or end where it ends or begins
  FW_NEAR_TRACK,     // those with a sector of its tracks
};

enum fw_delay { FW_DELAY_NONE, FW_DELAY_START, FW_DELAY_COMPLETE };

// Media scan and recalibration.
struct fw_background {
  uint32_t scan_idle_us, scan_step, scan_pause_us;  // as in the factory record
  uint32_t recalibration_ms, recalibration_wait_us, recalibration_stay_us;
  uint32_t recalibration_track;
  uint64_t scan_lba;  // of the next step
  uint32_t scanned;   // sectors
  uint32_t passes;
  uint32_t recalibrations;
  uint64_t busy_us;
  uint32_t recalibration_due;  // arms that wait for theirs in this period, a bit each
  uint32_t back_to;            // track of the arm that is recalibrated
  uint8_t arm;                 // that one
  bool back;                   // it is on its way back
  bool scanning;               // no command has come since the scan began
  bool scan_waits;             // in its slot
  bool recalibration_waits;
  bool recalibration_late;
};

#define FW_RECENT_TRACKS 64u  // accesses that the places of idle arms are reckoned from

// Where idle arms wait.
struct fw_placement {
  uint8_t policy;           // FW_PLACEMENT_*
  uint32_t after_us;        // as in the factory record
  uint32_t near_cylinders;  // an arm that is no further from its place stays
  uint32_t recent[FW_RECENT_TRACKS];
  uint8_t next, known;
  uint32_t moves;
};

struct fw_context {
  struct fw_context_base base;

  const struct fw_job_ops* jobs[FW_JOB_COUNT];  // by enum fw_job
  uint32_t due;                                 // enum fw_due: what the handler leaves for its end
  uint32_t flow_due;                            // arms whose de-staging access may grow then, a bit each

  // The drive, from factory record and hardware.
  uint64_t capacity;  // sectors
  uint32_t arms;
  uint32_t channels;
  uint32_t queue_depth;
  uint32_t heads;                     // surfaces
  uint32_t stacks;                    // disk stacks, with an equal part of the surfaces each
  uint32_t sub_heads;                 // of an arm on a surface
  int32_t head_offset[FW_MAX_HEADS];  // cylinders
  uint32_t head_angle[FW_MAX_HEADS];  // ticks
  uint32_t stroke;                    // highest cylinder that an arm can go to
  struct fw_jog jog;                  // from where it reads a track to where it writes it
  bool jogs;                          // is there any
  uint32_t groups;                    // of arms: not all reach the same surfaces if there are several
  uint32_t segments;
  uint32_t segment_sectors;

  struct fw_request requests[FW_MAX_TAGS];
  struct fw_arm arm[FW_MAX_ARMS];
  struct fw_segment segment[FW_MAX_SEGMENTS];
  struct fw_line line[FW_MAX_LINES];
  uint16_t bucket[FW_LINE_BUCKETS];
  uint16_t kept_bucket[FW_LINE_BUCKETS];  // of the free lines that are still found
  uint32_t kept_lines;
  struct fw_writeback_slot writeback[FW_MAX_WRITEBACK_SLOTS];
  uint16_t line_queue[FW_MAX_TAGS];  // tags that wait for lines, a ring
  uint32_t line_queue_first;
  uint32_t line_queue_count;
  uint16_t line_tag;  // write whose next piece comes before any other write's, FW_NO_TAG
  uint32_t lines;
  uint32_t line_address;
  bool line_share;          // a part of the RAM is set apart for lines
  uint16_t line_segment;    // if none is: the segment in which they are now, FW_NO_SEGMENT
  uint32_t system_address;  // of the firmware's own pages
  uint16_t oldest_free;
  uint16_t youngest_free;
  uint32_t free_lines;
  uint32_t lines_taken;  // since power-on, modulo 2^32
  uint16_t oldest_dirty;
  uint16_t youngest_dirty;
  uint32_t used_lines;  // not free
  uint32_t high_water;  // lines
  uint32_t low_water;
  uint32_t idle_us;
  uint32_t blocked_requests;
  uint32_t waiting_requests;               // in slots of the arbitration unit
  uint32_t waiting_for[FW_MAX_ARMS];       // the same, by group
  uint32_t destages_waiting[FW_MAX_ARMS];  // runs of written data in slots, by group
  uint32_t destages_in_slots;              // all of them
  uint32_t uses;                           // of segments, for their age
  uint32_t transfers;                      // ordered from the host interface and not reported done
  uint32_t transfer_limit;                 // of these, before those of segments and lines wait
  bool transfers_short;                    // some wait until others have ended
  bool lines_short;                        // among them the first write that waits for lines
  uint16_t first_short;                    // read from lines whose transfers are not all ordered, FW_NO_TAG
  uint16_t last_short;
  bool flush_waits;               // an unqueued command waits until all is on the media
  bool flush_accounted;           // it is a host request
  bool cut_behind;                // of a segment that a write falls into, what lies behind the write does not stay
  bool cut_before;                // nor what lies before it
  uint32_t write_extents;         // as in the factory record
  uint32_t extents;               // separate runs of written sectors in the lines, if there is a limit
  uint32_t write_bypass_lines;    // longer writes complete when they are on the media
  uint32_t write_bypass_sectors;  // so do these
  bool destage_ascending;
  uint32_t destage_candidates;
  uint64_t destaged_to;  // end of what went to the media last
  bool write_cache;
  uint16_t first_anew;  // reads that start anew at the handler's end (next_in_segment), FW_NO_TAG
  uint16_t last_write;  // tag of the write that was started last
  bool look_ahead;
  bool read_on_arrival;
  bool hardware_hits;   // policy: hardware answers full hits in segments
  bool release_wanted;  // the end of a hit's transfer is waited for
  uint32_t hits_seen;   // by the idle time
  bool free_reads;
  bool keep_requested;
  bool ahead_from_second;  // nothing is read ahead before a read has gone on where another ended
  bool write_stops_ahead;  // a write into the cache ends reading ahead
  bool keep_written;       // what was written is read from the buffer until its place is needed
  bool ahead_on_hit;       // a hit makes an idle arm read ahead
  bool ahead_waits;        // in its slot
  uint16_t ahead_segment;  // for which
  uint8_t drop_near;       // enum fw_near: of segments that a write does not overlap
  bool repositions;        // an arm at rest settles anew
  uint32_t quiet_points;   // of the curve of quiet seeks, 0: there is none
  uint32_t quiet_arms;     // as in the factory record
  bool just_in_time;       // an arm that has time goes to its sector by a quiet seek
  uint8_t acoustic_level;  // as the host has set it, 0: it has not
  uint8_t granted_arm;     // in this handler, FW_NO_ARM
  uint32_t granted_ticks;  // its estimate
  uint32_t failed_arms;
  uint32_t failed_heads;
  bool reach_lost;       // there are tracks that no arm reaches any more
  uint32_t held_back;    // requests
  uint32_t turning;      // disk stacks that have not come to the commanded speed, a bit each
  bool channel_arbiter;  // there are fewer channels than arms
  bool appointments;     // the arbitration unit knows when the arms' accesses begin and end
  bool shared_channels;  // and more arms may be at work than there are channels: they take them by appointment
  uint32_t lead_us;      // an arm asks for a channel so long before its sector
  uint32_t turn_ns;
  uint32_t gap_ns;                 // between two accesses on a channel, at least
  uint64_t index_ns[FW_MAX_ARMS];  // since power-on, when each stack's index passed an arm at 0 degrees; 0: unknown
  uint32_t channel_policy;
  uint32_t in_service_limit;    // arms that may have a request; 0: all
  bool limits_moving;           // the arbitration unit must be told when an arm has come on its track
  uint32_t read_ahead_end;      // as in the factory record
  uint32_t read_ahead_sectors;  // at most; not 0
  uint32_t read_watermark;      // percent
  uint32_t write_watermark;     // percent
  bool urgent;                  // de-staging does not yield
  bool over_high;               // between high and low water
  bool idle_over;               // the drive has been idle long enough
  uint32_t policy;
  uint32_t logical_sectors;              // sectors that an LBA of the host counts: 1 or 8
  uint32_t physical_sectors;             // sectors in a physical one: 1, or as many as a line has
  uint8_t channel_arm[FW_MAX_CHANNELS];  // FW_NO_ARM: free
  uint16_t free_segments[FW_MAX_SEGMENTS];
  uint32_t free_segment_count;
  struct fw_arm_queue segment_queue;
  struct fw_arm_queue channel_queue;
  uint32_t active_requests;
  struct fw_timers timers;
  struct fw_background background;
  struct fw_placement placement;
  uint64_t pending[FW_MAX_PENDING];  // first sectors of physical ones that could not be read
  uint32_t pending_count;
  uint32_t reads_seen[FW_MAX_CHANNELS][3];  // of each channel's counters: failed, recovered, unreadable
  uint32_t reads_counted[3];
  uint32_t reallocated;   // sectors
  uint32_t lost_sectors;  // acknowledged, not to be written
  uint64_t lost_lba;      // the first of those that no flush has told
  bool lost;              // there are such
  bool spares_out;        // a sector found no spare

  uint32_t start_us[FW_START_OVERHEADS];  // as in the factory record
  uint32_t complete_us[2];                // read, write
  uint32_t write_data_us;                 // as in the factory record
  uint32_t write_last_data_us;
  struct fw_arrival arrival[FW_MAX_TRANSFERS];  // a ring
  uint32_t first_arrival;
  uint32_t arrivals;
  uint64_t last_due;
  uint64_t last_start;     // latest time at which a command was to start after its overhead
  uint16_t first_delayed;  // tag whose overhead ends first, FW_NO_TAG
  bool has_overheads;
  bool wrote_last;    // the media command before was a write
  uint64_t wrote_to;  // where that one ends

  struct fw_error error;  // of the queued command that failed last, for log 10h
  bool error_logged;      // there is one
  bool resetting;         // the host has reset the drive: the signature is due when the last arm has come to rest
  bool draining;          // an error is reported when the last arm has come to rest
  bool halted;            // until log 10h is read
  bool ready;             // the stack has come to speed once: commands are taken
  uint8_t power;          // enum fw_power
  uint8_t moving_parked;  // arms on their way between disk and ramp
  bool ramp;              // there is one
  bool wake;              // the media are wanted again while the arms unload
  bool power_answer;      // the command that changes the power mode waits for its end
  bool standby_wanted;    // it is a standby that needs the media first
  uint32_t standby_s;     // of the standby timer, 0: it is off
  bool asleep;            // only a reset is heard
  uint8_t pmu_state;      // as told to the power management unit
  bool sleep_wanted;      // the standby under way ends in sleep
  bool fault;             // the spindle did not come to speed
  bool stopped;           // an impossible state
  uint8_t shown_state;    // enum fw_state
};

#endif
