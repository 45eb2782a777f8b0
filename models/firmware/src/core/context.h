// Firmware's state: power, timers, background work, and the context that holds all.
#ifndef ARMATURE_FIRMWARE_CORE_CONTEXT_H
#define ARMATURE_FIRMWARE_CORE_CONTEXT_H

#include "core/arm.h"
#include "core/buffer.h"
#include "core/microcode.h"
#include "core/request.h"
#include "core/saved.h"
#include "core/smart.h"

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
  FW_POWER_RELEASE,         // the arms go to the middle of the stroke, where their servos are off
  FW_POWER_ACTIVE_IDLE,     // they rest there
  FW_POWER_ACQUIRE,         // they find their tracks again
  FW_POWER_LOW_POWER_IDLE,  // the arms are on the ramp, and the stack turns
  FW_POWER_FAULT,           // the stack was not at speed in time
  FW_POWER_RESTART,         // the arms rest over the disk, and firmware is about to start anew
};

// Where a way down ends, by depth.
enum fw_condition {
  FW_CONDITION_ACTIVE_IDLE,
  FW_CONDITION_LOW_POWER_IDLE,
  FW_CONDITION_STANDBY,
  FW_CONDITION_COUNT,
  FW_CONDITION_RESTART = FW_CONDITION_COUNT  // the arms have come to rest: no time leads there
};

struct fw_job_ops;  // engine/job.h

// Each is a one shot; commands/entry.c says what it does.
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
  FW_TIMER_PLACEMENT,           // an arm has been idle for long enough to go where it waits
  FW_TIMER_CONDITION,           // without any command: the drive goes into an idle condition
  FW_TIMER_CAP,                 // what the drive has drawn is looked at
  FW_TIMER_PREPARED,            // an arm starts
  FW_TIMER_SAVE,                // what must outlive a loss of power is saved
  FW_TIMER_OFFLINE,             // an automatic off-line read begins
  FW_TIMER_LIMIT,               // the time of a command with a duration limit is over
  FW_TIMER_COUNT
};

struct fw_timers {
  uint64_t now;                       // microseconds since power-on, when the counter was read last
  bool read;                          // it was read in this handler
  uint64_t deadline[FW_TIMER_COUNT];  // microseconds since power-on, 0: not armed
};

// Sectors that the drive is to read for itself, in place of the media scan (jobs/background.c).
struct fw_reading {
  bool active;
  bool failed;      // it has met a sector that it cannot read, and waits for what is to be done about that
  uint64_t lba;     // of its next step
  uint64_t end;     // behind the last one
  uint32_t number;  // counts up: a step that was begun for an earlier one says nothing about this one
  uint32_t step_of;
};

// Media scan and recalibration.
struct fw_background {
  uint32_t scan_idle_us, scan_step, scan_pause_us;  // as in the factory record
  uint32_t recalibration_ms, recalibration_wait_us, recalibration_stay_us;
  uint32_t recalibration_track;
  uint64_t scan_lba;  // of the next step
  struct fw_reading reading;
  uint32_t scanned;  // sectors
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

struct fw_seek_curve {
  struct fw_seek_point point[FW_MAX_SEEK_POINTS];
  uint32_t points;
};

// What the arbitration unit reckons an arm's time with, ticks.
struct fw_reckoning {
  struct fw_seek_curve seek[2];  // normal, quiet
  uint32_t margin, head_switch, write_settle, reposition;
};

// Idle conditions.
struct fw_idle {
  bool known;         // the drive has any
  uint8_t apm_level;  // of advanced power management, 0: it is off
  uint8_t apm_at_power_on;
  uint32_t after_ms[FW_CONDITION_COUNT];  // after the end of the last command, 0: never
  uint64_t since;                         // microseconds since power-on, when that was
  uint32_t hits_seen;                     // reads that hardware has answered, up to then
  uint8_t wanted;                         // enum fw_condition: whose time is over
  uint8_t spin_down;                      // FW_SPIN_DOWN_*
  uint32_t spin_down_ms;                  // of the policy now
  uint32_t random;                        // state of the random numbers, not 0
  bool spun_down;                         // the policy has stopped the stack
  uint64_t idle_us;                       // without a command before the way back began
  uint64_t back_since;                    // microseconds since power-on, when that was
};

// Cap on the drive's power (engine/power_cap.c).
struct fw_cap {
  uint32_t rate_mw;       // that may be drawn on average; 0: there is no cap
  bool counts;            // the stack is at speed
  int64_t free_nj;        // what the margin makes over a window
  int64_t most_nj;        // by which the drive may have drawn less, at most
  int64_t credit_nj;      // may be drawn before no access begins any more; negative: was drawn beyond that
  uint64_t at;            // microseconds since power-on, when that was reckoned
  uint32_t energy_uj;     // what pmu.energy was then
  uint32_t drawn_mw;      // on average since the time before
  uint64_t looked_us;     // between the last two looks
  bool shut;              // no access begins
  bool held;              // no arm is granted, so that one may go out of service or come back
  bool quiet;             // the first measure is the quiet curve
  uint8_t measures;       // that there are
  uint8_t taken;          // of these, from the first on
  uint32_t window_us;     // as in the factory record
  uint64_t part_since;    // microseconds since power-on, when this part of the window began
  uint32_t part_shut_us;  // time in it in which no access could begin, though somebody waited
  uint8_t open_parts;     // such parts in a row without any
  uint64_t shut_us;       // all of this time
  uint32_t measures_taken;
  int64_t debt_nj;  // the lowest credit
};

// Where the blocks of a MEMS store lie (engine/store.c).
struct fw_store {
  bool known;  // the drive is one
  uint32_t cells, tracks, rows, cylinders;
  uint32_t shared, reach;  // as in the factory record
  bool serpentine;
  bool rides;  // as FW_STORE_RIDES
};

// Why one pass cannot serve the blocks of a list.
enum fw_obstacle {
  FW_OBSTACLE_NONE,
  FW_OBSTACLE_BEYOND,     // the store has no such block
  FW_OBSTACLE_ELSEWHERE,  // not under the tips when those of the first one are
  FW_OBSTACLE_CONFLICT,   // its tips, or tips that share a part with them, are those of an earlier one
  FW_OBSTACLE_TOO_MANY,
};

// The blocks that the host has named last, which one pass serves.
struct fw_batch {
  uint64_t lba[FW_MAX_BATCH];
  uint32_t count;    // 0: there are none
  uint16_t segment;  // that holds what was read of them, FW_NO_SEGMENT
  uint8_t obstacle;  // enum fw_obstacle: of the last list
  uint32_t at;       // the entry that it is about, and the earlier one that it excludes
  uint32_t earlier;
};

#define FW_PAGE_DWORDS (FW_SECTOR_BYTES / 4u)

// A page of 512 bytes that firmware builds: IDENTIFY DEVICE and logs. A builder gets a page of zeros; `what` and
// `number` say which page it is.
struct fw_page {
  uint32_t dwords[FW_PAGE_DWORDS];
};
typedef void fw_page_builder(struct fw_context* ctx, uint32_t what, uint32_t number, struct fw_page* page);
typedef void fw_page_taker(struct fw_context* ctx);  // of a page from the host, which ends the command

// Pages of the command at work that move one after the other.
struct fw_pages {
  bool active;
  bool pio;
  bool failed;  // the host has broken off the one that moved last
  fw_page_builder* builder;
  fw_page_taker* taker;   // 0: they go to the host
  fw_page_taker* broken;  // what the taker has is of no use; 0: it has nothing
  uint32_t what, first, count, done;
};

// What is counted since power-on, for logs 04h and 11h.
struct fw_statistics {
  uint64_t sectors_read, sectors_written;  // of 512 bytes; without those that hardware has answered
  uint32_t reads, writes;                  // commands that have completed, the same
  uint32_t uncorrectable;                  // commands that failed with UNC
  uint32_t resets_at_work;                 // resets while a command was at work
  uint32_t comresets;
  uint32_t link_errors;       // transfers that the host broke off
  uint32_t loads;             // of the arms, together
  uint32_t starts;            // of the stacks
  uint32_t start_retries;     // that were not at speed in time
  uint32_t unreadable;        // accesses that ended with a sector that cannot be read
  uint32_t off_track;         // accesses that left their track, and arms that were lost
  uint32_t reallocations;     // attempts
  uint32_t found_unreadable;  // physical sectors, by self-tests and off-line reads
  bool turns;                 // the stack is at speed, since `turns_since`; it was for `turned_us` before
  uint64_t turns_since, turned_us;
};

// SMART command transport.
struct fw_sct {
  uint16_t status;  // of the last command
  uint16_t action, function;
  uint16_t limit[2];    // of error recovery, read and write, 100 ms
  uint16_t interval;    // of the temperature history, minutes
  uint8_t cache;        // the write cache is as SET FEATURES has it, forced on, or forced off
  uint8_t reorder;      // written data go to the media in any order, or in that of their arrival
  uint32_t candidates;  // fw_context::destage_candidates and
  bool ascending;       // destage_ascending with any order
  bool data;            // log E1h has data of the last command
};

// Command duration limits.
struct fw_limits {
  bool on;             // as SET FEATURES has it
  bool sense;          // successful queued commands may have sense data: none has
  uint32_t waiting;    // commands with a limit that wait for an arm
  uint32_t yielding;   // and those without that yield to them
  struct fw_page log;  // 18h, as the host has written it
};

struct fw_context {
  struct fw_context_base base;

  const struct fw_job_ops* jobs[FW_JOB_COUNT];  // by enum fw_job
  uint32_t due;                                 // enum fw_due: what the handler leaves for its end
  uint32_t flow_due;                            // arms whose de-staging access may grow then, a bit each
  uint32_t progress_read;                       // channels whose progress this call has read, a bit each
  uint32_t progress[FW_MAX_CHANNELS];           // what it was

  // The drive, from factory record and hardware.
  uint64_t capacity;         // sectors
  uint64_t accessible;       // of these, that commands reach (SET MAX ADDRESS)
  uint64_t kept_accessible;  // after the next COMRESET
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
  bool withdrawn[FW_MAX_TAGS];  // the tag's slot has been, so that a grant of it may be for nobody
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
  uint32_t hurried_waiting[FW_MAX_ARMS];   // of these, what commands wait for, by group
  uint32_t hurried_in_slots;               // all of it
  uint64_t left_lba;                       // stream of writes that its arm has left: it goes on here,
  uint64_t left_end;                       // and its data end here; 0: there is none
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
  bool reach_lost;          // there are tracks that no arm reaches any more
  uint32_t held_back;       // requests
  uint32_t following;       // reads that come to an arm with another one
  uint32_t ways;            // requests that wait until an arm has ended what it reads
  bool grants_held;         // until the handler's end, when those that wait for an arm's way are candidates
  uint32_t turning;         // disk stacks that have not come to the commanded speed, a bit each
  uint32_t refusals;        // accesses in a row that channels have refused
  bool channel_arbiter;     // there are fewer channels than arms
  bool appointments;        // the arbitration unit knows when the arms' accesses begin and end
  bool shared_channels;     // and more arms may be at work than there are channels: they take them by appointment
  uint32_t lead_us;         // an arm asks for a channel so long before its sector
  uint32_t channel_starts;  // accesses that have begun on a channel
  uint32_t grant_ns;        // a grant is so old when its handler reads the unit's estimate
  uint32_t arm_prepare_us;  // from there until the arm starts
  uint32_t turn_ns;
  uint32_t gap_ns;                 // between two accesses on a channel, at least
  uint64_t index_ns[FW_MAX_ARMS];  // since power-on, when each stack's index passed an arm at 0 degrees; 0: unknown
  uint32_t channel_policy;
  uint32_t in_service_limit;       // arms that may have a request; 0: all
  uint32_t limits;                 // as aau.limits was written last
  bool limits_moving;              // the arbitration unit must be told when an arm has come on its track
  uint32_t read_ahead_end;         // as in the factory record
  uint32_t read_ahead_sectors;     // at most; not 0
  uint32_t minimum_ahead;          // sectors that are read ahead although somebody waits for the arm
  uint32_t read_watermark;         // percent
  uint32_t most_collected;         // sectors that it may come to; not 0
  uint32_t write_watermark;        // percent
  uint32_t write_watermark_track;  // sectors of the longest track that it counts on; 0: on all
  bool urgent;                     // de-staging does not yield
  bool over_high;                  // between high and low water
  bool idle_over;                  // the drive has been idle long enough
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
  struct fw_reckoning reckoning;
  struct fw_cap cap;
  struct fw_store store;
  struct fw_batch batch;
  uint32_t ridden;                    // reads that were served with another one
  uint32_t rides[FW_MAX_TAGS / 32u];  // slots that the pass of the grant in this handler can serve too, a bit each
  uint64_t pending[FW_MAX_PENDING];   // first sectors of physical ones that could not be read
  uint32_t pending_count;
  uint32_t reads_seen[FW_MAX_CHANNELS][3];  // of each channel's counters: failed, recovered, unreadable
  uint32_t reads_counted[3];
  uint32_t reallocated;   // sectors
  uint32_t lost_sectors;  // acknowledged, not to be written
  uint64_t lost_lba;      // the first of those that no flush has told
  bool lost;              // there are such
  bool spares_out;        // a sector found no spare

  uint32_t start_us[FW_START_OVERHEADS];  // as in the factory record
  uint32_t hit_track_sector_ns;           // as in the factory record
  uint32_t complete_us[2];                // read, write
  uint32_t write_data_us;                 // as in the factory record
  uint32_t write_last_data_us;
  uint32_t end_read_ahead_us;
  struct fw_arrival arrival[FW_MAX_TRANSFERS];  // a ring
  uint32_t first_arrival;
  uint32_t arrivals;
  uint64_t last_due;
  uint64_t last_start;     // latest time at which a command was to start after its overhead
  uint16_t first_delayed;  // tag whose overhead ends first, FW_NO_TAG
  bool has_overheads;
  bool wrote_last;    // the media command before was a write
  uint64_t wrote_to;  // where that one ends

  // Settings of the host, and what single commands leave.
  uint32_t cache_flags;     // FW_CACHE_*, of the factory record
  uint32_t multiple;        // sectors of a DRQ block, of the host's; 0: READ and WRITE MULTIPLE are off
  uint8_t transfer_mode;    // as SET FEATURES 03h codes it
  bool buffer_offsets;      // DMA Setup frames may have offsets that are not 0
  bool offsets_at_reset;    // as in the factory record
  uint16_t alone;           // queued command that no other one is in work with, FW_NO_TAG
  uint16_t first_turn;      // of the queued commands that wait for it or to be alone, FW_NO_TAG; by delay.next
  uint32_t turns;           // that there are
  bool settings_preserved;  // over COMRESET
  bool reverts;             // SRST sets them to those of power-on
  bool max_kept;            // SET MAX ADDRESS has set a value that is kept
  bool native_max_read;     // the last command was READ NATIVE MAX ADDRESS
  bool answers_28;          // the unqueued command at work has a 28-bit address
  bool ladder_known;        // the channels have a retry ladder
  struct fw_pages pages;
  struct fw_statistics statistics;
  struct fw_sct sct;
  struct fw_saved saved;  // the counts in it: up to power-on
  struct fw_saves saves;
  struct fw_microcode microcode;
  struct fw_smart smart;
  struct fw_limits limits_of_duration;
  uint32_t host_buffer[FW_PAGE_DWORDS];  // of READ and WRITE BUFFER

  struct fw_error error;      // of the queued command that failed last, for log 10h
  bool error_logged;          // there is one
  bool resetting;             // the host has reset the drive: the signature is due when the last arm has come to rest
  bool draining;              // an error is reported when the last arm has come to rest
  bool halted;                // until log 10h is read
  uint64_t start_ordered_us;  // microseconds since power-on, when the stacks were last told to turn
  bool ready;                 // the stack has come to speed once: commands are taken
  uint8_t power;              // enum fw_power
  uint8_t condition;          // enum fw_condition: where the way down ends that is begun or waited for
  struct fw_idle idle;
  uint8_t moving_parked;  // arms on their way between disk and ramp
  bool ramp;              // there is one
  uint32_t middle;        // cylinder in the middle of the stroke
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
