// What firmware and the machine that it runs on agree upon: entry points, register access, interrupt lines, state
// numbers and the factory's record. C11, and C++ for the models.
#ifndef ARMATURE_FIRMWARE_FW_ABI_H
#define ARMATURE_FIRMWARE_FW_ABI_H

#include "armature/firmware/fw_jog.h"
#include "armature/firmware/regs/interrupts.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Limits that firmware is built for.
#define FW_MAX_TAGS 1024u
#define FW_MAX_ARMS 8u
#define FW_MAX_CHANNELS 8u
#define FW_MAX_SEGMENTS 256u
#define FW_MAX_LINES 16384u         // of 8 sectors, for written data that wait for the media
#define FW_LEAST_LINES 4u           // a quarter of them comes from the host at once
#define FW_MAX_WRITEBACK_SLOTS 32u  // of the arbitration unit, behind those of the host's tags
#define FW_BACKGROUND_SLOTS 2u      // behind those
#define FW_AHEAD_SLOTS 1u           // behind those, for reading ahead behind a hit
#define FW_MAX_SEEK_POINTS 256u
#define FW_MAX_ROW_POINTS 64u
#define FW_MAX_STACKS 8u
#define FW_MAX_LOWER_SPEEDS 7u
#define FW_MAX_SETTINGS 16u  // of the governor
#define FW_EPC_CONDITIONS 5u
#define FW_MAX_LADDER_STEPS 16u
#define FW_MAX_HEADS 4u  // of an arm on a surface
#define FW_START_OVERHEADS 9u
#define FW_MAX_BATCH 63u       // blocks of a batch: what a page of 512 bytes names
#define FW_SYSTEM_BYTES 4096u  // of buffer RAM behind the segments, for pages that firmware builds itself

// Register accesses of one call, at most. Counted by the bus monitor of the tests.
#define FW_MAX_RESET_ACCESSES 16384u  // two copies of what is saved, at their longest
#define FW_MAX_HANDLER_ACCESSES 2048u
#define FW_MAX_IDLE_ACCESSES 8u

// What firmware shows in dbg.state: the last thing that it did, until the next. X(symbol, name in the waveform)
#define FW_STATES(X)                           \
  X(FW_STATE_RESET, "reset")                   \
  X(FW_STATE_SPIN_UP, "spin_up")               \
  X(FW_STATE_LOAD, "load")                     \
  X(FW_STATE_IDLE, "idle")                     \
  X(FW_STATE_READ_QUEUED, "read_queued")       \
  X(FW_STATE_WRITE_QUEUED, "write_queued")     \
  X(FW_STATE_COMMAND, "command")               \
  X(FW_STATE_SEEK, "seek")                     \
  X(FW_STATE_CHANNEL, "channel")               \
  X(FW_STATE_WAIT_DATA, "wait_data")           \
  X(FW_STATE_WAIT_SEGMENT, "wait_segment")     \
  X(FW_STATE_WAIT_CHANNEL, "wait_channel")     \
  X(FW_STATE_DATA_OUT, "data_out")             \
  X(FW_STATE_READ_AHEAD, "read_ahead")         \
  X(FW_STATE_HIT, "hit")                       \
  X(FW_STATE_WAIT_LINES, "wait_lines")         \
  X(FW_STATE_WAIT_DESTAGE, "wait_destage")     \
  X(FW_STATE_DESTAGE, "destage")               \
  X(FW_STATE_OVERHEAD, "overhead")             \
  X(FW_STATE_COMPLETE, "complete")             \
  X(FW_STATE_DRAIN, "drain")                   \
  X(FW_STATE_HALTED, "halted")                 \
  X(FW_STATE_UNLOAD, "unload")                 \
  X(FW_STATE_SPIN_DOWN, "spin_down")           \
  X(FW_STATE_STANDBY, "standby")               \
  X(FW_STATE_FAULT, "fault")                   \
  X(FW_STATE_STOPPED, "stopped")               \
  X(FW_STATE_VERIFY, "verify")                 \
  X(FW_STATE_REALLOCATE, "reallocate")         \
  X(FW_STATE_SCAN, "media_scan")               \
  X(FW_STATE_RECALIBRATE, "recalibrate")       \
  X(FW_STATE_PLACE, "place")                   \
  X(FW_STATE_RELEASE, "release")               \
  X(FW_STATE_ACQUIRE, "acquire")               \
  X(FW_STATE_ACTIVE_IDLE, "active_idle")       \
  X(FW_STATE_LOW_POWER_IDLE, "low_power_idle") \
  X(FW_STATE_RETIRE, "retire")                 \
  X(FW_STATE_CHANGE_SPEED, "change_speed")     \
  X(FW_STATE_LOW_RPM_IDLE, "low_rpm_idle")     \
  X(FW_STATE_STANDBY_Y, "standby_y")

enum fw_state {
#define FW_STATE_SYMBOL(symbol, name) symbol,
  FW_STATES(FW_STATE_SYMBOL)
#undef FW_STATE_SYMBOL
      FW_STATE_COUNT
};

// Counters in dbg.counter.
enum fw_counter {
  FW_COUNTER_REALLOCATED = 0,  // sectors of 512 bytes that firmware has moved to spares since power-on
  FW_COUNTER_PENDING = 1,      // physical sectors that could not be read and have not been written since
  FW_COUNTER_LOST = 2,         // sectors whose data were acknowledged and could not be written: no spare was left
  FW_COUNTER_SCANNED = 3,      // sectors that the media scan has read, modulo 2^32
  FW_COUNTER_SCAN_PASSES = 4,  // times that it has come to the end of the disk
  FW_COUNTER_RECALIBRATIONS = 5,
  FW_COUNTER_BACKGROUND_US_LO = 6,  // time of arms for scan and recalibration
  FW_COUNTER_BACKGROUND_US_HI = 7,
  FW_COUNTER_FAILED_ARMS = 8,
  FW_COUNTER_FAILED_HEADS = 9,
  FW_COUNTER_READ_FAILURES = 10,     // reads of physical sectors that failed, retries counted, modulo 2^32
  FW_COUNTER_RECOVERED_READS = 11,   // physical sectors that a retry has read
  FW_COUNTER_UNREADABLE_READS = 12,  // times that the channels gave a physical sector up
  FW_COUNTER_PLACEMENTS = 13,        // moves of idle arms to where they wait
  FW_COUNTER_CAP_SHUT_MS = 14,       // time in which the power cap let no access begin
  FW_COUNTER_CAP_MEANS = 15,         // times that it took a further measure: quiet seeks, an arm less
  FW_COUNTER_CAP_DEBT_UJ = 16,       // energy, at most, that was drawn beyond what it had let begin, microjoules
  FW_COUNTER_RIDES = 17,             // reads that the pass for another one has served too, modulo 2^32
  FW_COUNTER_ADDED_US = 18,          // response that background work has added to commands, as firmware estimates it
  FW_COUNTER_GOVERNOR_STEPS = 19,    // changes of setting by the governor
  FW_COUNTER_GOVERNOR_SETTING = 20,  // its present setting: 0 is the first of its table
  FW_COUNTER_SPEED_CHANGES = 21,     // changes of the stacks' speed to work at another one
  FW_COUNTER_THROTTLED_MS = 22,      // time in which firmware throttled the drive because it was warm
  FW_COUNTER_THROTTLE_MEANS = 23,    // times that it took a further measure against heat: quiet seeks, an arm less
  FW_COUNTER_COUNT
};

// An image of firmware as a host sends it: this header in a block of 512 bytes, then the ELF, in blocks. A slot of the
// flash has a page before it, which begins with FW_SLOT_MAGIC and a number that counts up.
#define FW_IMAGE_MAGIC 0x31494641u  // "AFI1"
#define FW_SLOT_MAGIC 0x544F4C53u   // "SLOT"
struct fw_image_header {
  uint32_t magic;
  uint32_t elf_bytes;
  uint32_t elf_crc;     // CRC-32 of the ELF
  uint8_t revision[8];  // for IDENTIFY DEVICE: ASCII, padded with spaces
  uint32_t header_crc;  // of all before
};

#define FW_FACTORY_MAGIC 0x464D5241u  // "ARMF"
#define FW_FACTORY_VERSION 19u

// One point of the seek curve: ticks of 1/65,536 revolution for a move of `cylinders`, settling for a read included.
struct fw_seek_point {
  uint32_t cylinders;
  uint32_t ticks;
};

// What the factory wrote about this drive into the non-volatile memory. Little-endian words without padding.
// Buffer segments are not here: the buf block tells them.
struct fw_factory {
  uint32_t magic;
  uint32_t version;
  char model[40];  // ASCII, padded with spaces
  char serial[20];
  char revision[8];
  uint32_t capacity_lo;  // sectors of 512 bytes
  uint32_t capacity_hi;
  uint32_t arms;      // 1 to FW_MAX_ARMS
  uint32_t channels;  // 1 to FW_MAX_CHANNELS
  uint32_t heads;     // surfaces of the drive, numbered over all stacks
  uint32_t cylinders;
  uint32_t queue_depth;      // tags, 1 to FW_MAX_TAGS; above 32 only for studies
  uint32_t rpm;              // for IDENTIFY DEVICE, rounded
  uint32_t link_generation;  // fastest: 1, 2, 3 for 1.5, 3, 6 Gb/s
  uint32_t policy;           // aau.ctrl.policy
  uint32_t ageing_weight;    // aau.ageing
  uint32_t margin_ticks;     // aau.margin
  uint32_t head_switch_ticks;
  uint32_t write_settle_ticks;
  uint32_t spin_up_limit_us;  // time for the stack to come to speed; later is a device fault. 0: no limit
  uint32_t seek_points;       // 1 to FW_MAX_SEEK_POINTS, by ascending distance
  struct fw_seek_point seek[FW_MAX_SEEK_POINTS];
  uint32_t cache;               // FW_CACHE_*: what is on after power-on
  uint32_t high_water_percent;  // of the lines: from here on de-staging does not yield to the host's requests,
  uint32_t low_water_percent;   // until here
  uint32_t destage_idle_us;     // without a media command before written data go to the media; 0: at once
  uint32_t physical_sectors;    // sectors of 512 bytes in a physical one: 1 or 8
  // Microseconds before a command starts: of reads that begin in the buffer, of those that do not, of writes into the
  // cache, of those to the media; of each the first after a read, the second after a write. Then of those to the media
  // that begin where the write before has ended.
  uint32_t start_us[FW_START_OVERHEADS];
  uint32_t hit_track_sector_ns;     // more before a read that begins in the buffer, for each sector of its track
  uint32_t complete_us[2];          // before a read completes, a write
  uint32_t write_data_us;           // before data of a write that have come may go straight to the media
  uint32_t write_last_data_us;      // the same of its last data
  uint32_t end_read_ahead_us;       // more before a command starts that takes the arm away from reading ahead
  uint32_t read_ahead_end;          // FW_AHEAD_*
  uint32_t read_ahead_sectors;      // at most, beyond what was asked for; 0: seven eighths of the segment
  uint32_t minimum_read_ahead;      // sectors that are read ahead although somebody waits for the arm
  uint32_t read_watermark_percent;  // of a read's sectors that are in the buffer when its data begin to go to the host;
                                    // above 100: at the end of each access to the media
  uint32_t reposition_ticks;        // aau.reposition
  uint32_t logical_sectors;         // sectors of 512 bytes in one that an LBA counts: 8, otherwise 1
  // Work of the drive's own. Media scan: time without a command before it begins (0: never), sectors a step at most,
  // time from one step's begin to the next one's (0: they follow each other). Recalibration: period (0: never), longest
  // wait for an arm that nobody wants, stay on the reference track, that track as srv.target.
  uint32_t scan_idle_us;
  uint32_t scan_step;
  uint32_t scan_pause_us;
  uint32_t recalibration_ms;
  uint32_t recalibration_wait_us;
  uint32_t recalibration_stay_us;
  uint32_t recalibration_track;
  // Several arms, as the arbitration unit's registers hold it. 0 is what those hold after a reset.
  uint32_t aau_limits;
  uint32_t arm_cylinders;              // that an arm can go to, aau.stroke and one; 0: not told
  uint32_t arm_mount[FW_MAX_ARMS];     // aau.arm_mount
  uint32_t arm_reach[FW_MAX_ARMS];     // aau.arm_reach, with bit 16 set; 0: every surface
  uint32_t head_offset[FW_MAX_HEADS];  // aau.head_offset: cylinders only
  uint32_t channel_policy;             // cha.ctrl.policy, if there are fewer channels than arms
  uint32_t channel_margin_ticks;       // cha.margin
  uint32_t channel_lead_us;            // an arm asks for a shared channel so long before its sector
  uint32_t aau_channels;               // aau.channels; 0: it asks as soon as it is on its track
  uint32_t grant_ns;                   // from a grant until its handler's code runs; aau.estimate counts from the grant
  uint32_t arm_prepare_us;             // from there until the arm starts
  uint32_t stacks;                     // disk stacks, each with an equal part of the surfaces; 0: none
  uint32_t head_angle[FW_MAX_HEADS];   // aau.head_angle
  // Retry ladder of the channels: steps as chn.ladder_step, 0 of them: none; chn.ladder_ctrl.limit_ms.
  uint32_t ladder_steps;
  uint32_t ladder[FW_MAX_LADDER_STEPS];
  uint32_t ladder_limit_ms;
  struct fw_jog jog;
  // Write-behind, if FW_CACHE_WRITE_POLICY is set.
  uint32_t write_extents;            // separate runs of written sectors in the lines at most; 0: any number
  uint32_t write_bypass_percent;     // of the lines: a longer write completes when it is on the media; 100: none does
  uint32_t write_bypass_sectors;     // the same; 0: none does
  uint32_t destage_order;            // FW_DESTAGE_*
  uint32_t destage_candidates;       // slots of written data that wait at a time, 1 to FW_MAX_WRITEBACK_SLOTS
  uint32_t write_watermark_percent;  // of a run past the cache: data that are there when it begins to be written
  uint32_t write_watermark_track;    // sectors of the longest track where that counts, elsewhere all; 0: on all tracks
  // Idle arms.
  uint32_t placement;           // FW_PLACEMENT_*
  uint32_t placement_after_us;  // they have been idle for so long
  uint32_t placement_near;      // cylinders: one that is no further from its place stays
  // Quiet seeks: their curve as `seek`, 0 points: there is none; arms that take it always, a bit each; FW_QUIET_*.
  uint32_t quiet_points;
  struct fw_seek_point quiet[FW_MAX_SEEK_POINTS];
  uint32_t quiet_arms;
  uint32_t quiet_flags;
  // Idle conditions, if FW_CACHE_IDLE is set: milliseconds from the end of the last command until the drive goes there,
  // 0: never; level of advanced power management at power-on, 0: the one that forbids none of these.
  uint32_t active_idle_ms;
  uint32_t low_power_idle_ms;
  uint32_t apm_level;
  // Spin-down by itself: FW_SPIN_DOWN_*; milliseconds without a command, at first if they are adapted, and of the
  // probabilistic policy the break-even time; bounds and step of what is adapted, and the greatest part of the time
  // without a command that the way back may take, in 1/65,536; where the random numbers begin.
  uint32_t spin_down;
  uint32_t spin_down_ms;
  uint32_t spin_down_least_ms, spin_down_most_ms, spin_down_step_ms;
  uint32_t spin_down_acceptable;
  uint32_t spin_down_seed;
  // A cap on the drive's power, if FW_CACHE_POWER_CAP is set: over each window of so many microseconds the drive draws
  // no more than the cap, milliwatts; what of it is kept free for accesses that have begun, 1/65,536; FW_CAP_*.
  uint32_t cap_mw;
  uint32_t cap_window_us;
  uint32_t cap_margin;
  uint32_t cap_means;
  // A MEMS store, if FW_CACHE_STORE is set: blocks that one pass serves (of a row of a track), tracks of a sled's
  // cylinder, rows of a track; FW_STORE_*; tracks of a cell whose tips share a part; cylinders on either side whose
  // blocks a pass serves; log2 of the X positions of a zone (policy 5); until the tips have passed over a track,
  // microseconds; seeks in Y as `seek`, by rows; a turnaround, ticks.
  uint32_t store_cells;
  uint32_t store_tracks;
  uint32_t store_rows;
  uint32_t store_flags;
  uint32_t store_shared;
  uint32_t store_reach;
  uint32_t store_zone;
  uint32_t store_track_us;
  uint32_t store_row_points;
  struct fw_seek_point store_row_seek[FW_MAX_ROW_POINTS];
  uint32_t store_turn_ticks;
  uint32_t
      ranges;  // equal parts of the sectors, in order, that different arms serve at the same time; 0, 1: there are none
  // Between two saves of what outlives a loss of power, at most, while commands come; 0: only at errors and before
  // standby. Errors within the window at which a head or an arm goes out of service; 0: never.
  uint32_t autosave_s;
  uint32_t head_errors;
  uint32_t arm_errors;
  uint32_t error_window_s;
  uint32_t max_added_us;  // if FW_CACHE_SPARE is set: mean by which background work may make commands slower
  // Lower speeds of the stacks, if FW_CACHE_SPEEDS is set: how many, and each as a part of the full one; FW_SPEED_*,
  // and of FW_SPEED_DRPM the requests of a window, by how much longer its mean response is for full speed and for one
  // speed less, 1/65,536, and the time between two looks at the queue; until the stack turns slower in low-power idle,
  // 0: never.
  uint32_t lower_speeds;
  uint32_t speed_part[FW_MAX_LOWER_SPEEDS];  // of FW_WHOLE_SPEED, rounded up
  uint32_t speed_policy;
  uint32_t speed_window;
  int32_t speed_upper, speed_lower;
  uint32_t speed_check_us;
  uint32_t low_rpm_idle_ms;
  // Governor, if FW_CACHE_GOVERNOR is set: FW_GOVERNOR_*; microseconds of a period; calm periods in a row before it
  // gives power back, or saves more; cap, milliwatts, and the part of it that a setting leaves free, 1/65,536;
  // response that 99 of 100 requests keep to, microseconds; settings, the most power first, each as FW_SETTING_*.
  uint32_t governor;
  uint32_t governor_period_us;
  uint32_t governor_calm;
  uint32_t governor_cap_mw;
  uint32_t governor_room;
  uint32_t governor_bound_us;
  uint32_t governor_settings;  // 1 to FW_MAX_SETTINGS
  uint32_t governor_setting[FW_MAX_SETTINGS];
  uint32_t buffer_offsets;  // not 0: the host has switched these on when the drive starts, and after each COMRESET
  // Cylinders whose tracks only the last arm has heads for, which never moves; 0 of them: there is no such arm.
  uint32_t fixed_first;
  uint32_t fixed_cylinders;
  // A sensor on the case, if FW_CACHE_SENSOR is set. Degrees Celsius as signed bytes: lowest and highest (bits 15:8)
  // temperature that the datasheet allows; where throttling takes a measure, and (bits 15:8) where it takes one back.
  // Time between two such changes; FW_CAP_*.
  uint32_t thermal_limits;
  uint32_t throttle;
  uint32_t throttle_every_ms;
  uint32_t throttle_means;
  // Extended power conditions, if FW_CACHE_IDLE is set: FW_EPC_*, and milliseconds of the way back from active idle,
  // low-power idle, Idle_c, Standby_y and standby; 0: the drive does not have that condition.
  uint32_t epc;
  uint32_t epc_back_ms[FW_EPC_CONDITIONS];
  uint32_t governor_change_us;  // until the stacks have come to their lowest speed, and back
  // The drive's power at idle with each setting, milliwatts; and the energy of a change from each lower speed to the
  // next higher one, beyond what the drive draws there, millijoules.
  uint32_t governor_idle_mw[FW_MAX_SETTINGS];
  uint32_t governor_rise_mj[FW_MAX_LOWER_SPEEDS];
};

// struct fw_factory, store_flags.
#define FW_STORE_SERPENTINE 1u  // each track is read in the other direction than the one before
#define FW_STORE_RIDES 2u       // reads that the pass of a granted one can serve too are served with it
#define FW_STORE_TREE 4u        // batches of waiting requests are served along their minimum spanning tree
#define FW_STORE_TURN_US 64u    // a turn of the clock whose ticks the unit counts: 1/65,536 of it

// struct fw_factory, cap_means: what firmware does besides accesses that begin later; throttle_means: against heat.
#define FW_CAP_QUIET 1u  // quiet seeks
#define FW_CAP_ARMS 2u   // fewer arms are in service, the servos of the others are off
#define FW_CAP_TIPS 4u   // of a MEMS store, against heat: fewer blocks a pass, by half for each measure

// struct fw_factory, epc: the feature set at power-on.
#define FW_EPC_NONE 0u  // the drive does not have it
#define FW_EPC_OFF 1u
#define FW_EPC_ON 2u

// struct fw_factory, spin_down: when a drive without a command goes into standby by itself.
#define FW_SPIN_DOWN_NEVER 0u
#define FW_SPIN_DOWN_FIXED 1u          // after a fixed time
#define FW_SPIN_DOWN_ADAPTIVE 2u       // after a time that follows how long the times without a command are
#define FW_SPIN_DOWN_PROBABILISTIC 3u  // after a random time, up to the break-even time

// struct fw_factory, speed_part and speed_policy.
#define FW_WHOLE_SPEED (1u << 24)
#define FW_SPEED_FULL 0u
#define FW_SPEED_DRPM 1u

// struct fw_factory, governor and governor_setting.
#define FW_GOVERNOR_WATTS 1u          // mean power of a period under the cap
#define FW_GOVERNOR_RESPONSE 2u       // the least power at which 99 of 100 requests keep to the bound
#define FW_GOVERNOR_SHARE 3u          // as watts, under the cap that pmu.share tells
#define FW_SETTING_SPEED_MASK 0xFu    // number of the stacks' speed
#define FW_SETTING_ARMS_OUT_SHIFT 4u  // arms out of service
#define FW_SETTING_ARMS_OUT_MASK 0xF0u
#define FW_SETTING_QUIET 0x100u    // quiet seeks
#define FW_SETTING_IDLE_SHIFT 12u  // how many of the idle conditions are allowed, the shallowest first
#define FW_SETTING_IDLE_MASK 0xF000u

// struct fw_factory, quiet_flags.
#define FW_QUIET_JUST_IN_TIME 1u  // an arm that is in time for its sector even so goes there by the quiet curve

// struct fw_factory, placement: where idle arms wait.
#define FW_PLACEMENT_STAY 0u    // where they came to rest
#define FW_PLACEMENT_FOLLOW 1u  // the same, if that is within what was accessed lately; otherwise as the next one
#define FW_PLACEMENT_SPREAD 2u  // each in the middle of its part of what was accessed lately
#define FW_PLACEMENT_ZONE 3u    // each in the middle of an equal part of the stroke

// struct fw_factory, cache.
#define FW_CACHE_WRITE 1u              // write cache, if there are lines
#define FW_CACHE_LOOK_AHEAD 2u         // segments keep what was read, and read ahead
#define FW_CACHE_READ_ON_ARRIVAL 4u    // a long run may begin with any of its sectors
#define FW_CACHE_OVERHEADS 8u          // start_us, complete_us, write_[last_]data_us are not all 0
#define FW_CACHE_HARDWARE_HITS 16u     // with look-ahead: hardware answers reads that lie in a segment
#define FW_CACHE_FREE_READS 32u        // sectors that pass before the wanted ones are read, too
#define FW_CACHE_KEEP_REQUESTED 64u    // reading ahead does not overwrite what was asked for last
#define FW_CACHE_READ_POLICY 128u      // the words from read_ahead_end on are not all as without it
#define FW_CACHE_REPOSITION 256u       // reposition_ticks is not 0
#define FW_CACHE_CUT_FRONT 512u        // of a segment that a write falls into, only what lies before the write stays
#define FW_CACHE_CUT_WHOLE 1024u       // nothing of it stays
#define FW_CACHE_AHEAD_SECOND 2048u    // reads ahead only where a read has gone on where another ended
#define FW_CACHE_WRITE_STOPS 4096u     // a write into the cache ends reading ahead
#define FW_CACHE_WRITE_POLICY 8192u    // the words from write_extents on are not all as without it
#define FW_CACHE_KEEP_WRITTEN 16384u   // what was written is read from the buffer until its place is needed
#define FW_CACHE_AHEAD_ON_HIT 32768u   // a hit makes an idle arm read ahead
#define FW_CACHE_DROP_ADJACENT 65536u  // a write drops segments that begin or end where it ends or begins
#define FW_CACHE_DROP_TRACK 131072u    // it drops those with a sector of its tracks
#define FW_CACHE_IDLE 524288u          // idle conditions: the words from active_idle_ms on
#define FW_CACHE_POWER_CAP 1048576u    // the words from cap_mw on
#define FW_CACHE_STORE 2097152u        // the drive is a MEMS store: the words from store_cells on
#define FW_CACHE_SPARE 4194304u        // background work while commands are under way: max_added_us
#define FW_CACHE_SENSOR 16777216u      // the drive knows its temperature: the words from thermal_limits on
#define FW_CACHE_SPEEDS 33554432u      // the stacks have lower speeds: the words from lower_speeds on
#define FW_CACHE_GOVERNOR 8388608u     // the words from governor on
#define FW_CACHE_LINE_SLOTS 262144u    // slots of the arbitration unit for lines, also if the RAM has no share for them

// struct fw_factory, destage_order: what gets the slots of written data.
#define FW_DESTAGE_OLDEST 0u     // what has waited longest
#define FW_DESTAGE_ASCENDING 1u  // what follows on the disk where data were written last

// struct fw_factory, read_ahead_end: where reading ahead stops if the segment has room.
#define FW_AHEAD_STREAM 0u    // with the track, unless a request went on where another ended
#define FW_AHEAD_TRACK 1u     // with the track
#define FW_AHEAD_CYLINDER 2u  // with the cylinder
#define FW_AHEAD_SEGMENT 3u   // nowhere
#define FW_AHEAD_AROUND 4u    // with the track, read from its beginning too; then as FW_AHEAD_STREAM

struct fw_context;

// A context begins with this, so that the machine finds itself from what it is handed in mmio_read32.
struct fw_context_base {
  void* platform;
  const char* stopped_in;        // source file in which firmware met an impossible state; the line is in dbg.fatal
  const char* stopped_function;  // and the function
};

// Bytes of a context; the machine provides them, aligned to 8 and zeroed, and sets the platform pointer.
size_t fw_context_bytes(void);

// Entry points. Each returns after a bounded number of register accesses and never waits.
void fw_reset(struct fw_context* ctx);                // once, after power-on
void fw_isr(struct fw_context* ctx, uint32_t cause);  // the enabled line `cause` is active and has priority
void fw_idle(struct fw_context* ctx);                 // no interrupt is pending

// Provided by the machine: aligned 32-bit accesses on the drive's bus, in program order.
uint32_t mmio_read32(struct fw_context* ctx, uint32_t address);
void mmio_write32(struct fw_context* ctx, uint32_t address, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
