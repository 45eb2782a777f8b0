// Arms: position, state and current job.
#ifndef ARMATURE_FIRMWARE_CORE_ARM_H
#define ARMATURE_FIRMWARE_CORE_ARM_H

#include "core/request.h"

enum fw_arm_state {
  FW_ARM_IDLE,
  FW_ARM_MOVING,
  FW_ARM_ON_TRACK,
  FW_ARM_TRANSFER,
  FW_ARM_PARKED,  // on the ramp, released, or on the way there or back
  FW_ARM_FAILED,  // permanently
};

// Check of a written sector that could not be read before.
enum fw_check {
  FW_CHECK_NONE,
  FW_CHECK_READ,   // read back
  FW_CHECK_WRITE,  // moved to a spare, and written there
};

// Whether the power cap, heat or the governor lets the arm serve. All but the first: out of service.
enum fw_service { FW_IN_SERVICE, FW_LEAVES_SERVICE, FW_OUT_OF_SERVICE, FW_RETURNS_TO_SERVICE };

// An arm's current job.
enum fw_job {
  FW_JOB_REQUEST,  // serves the request `tag`, directly between media and host
  FW_JOB_FILL,     // fills the segment `segment`
  FW_JOB_DESTAGE,  // writes data from lines, from `lba` on
  FW_JOB_SCAN,     // scans the surface from `lba` on
  FW_JOB_RECALIBRATE,
  FW_JOB_PLACE,   // moves to its waiting position
  FW_JOB_RETIRE,  // goes out of service, or returns
  FW_JOB_WAIT,    // waits on its track until its stack is at speed again
  FW_JOB_COUNT
};

enum fw_booking_state {
  FW_BOOKING_PLANNED,
  FW_BOOKING_ASKED,  // the arm has asked the channel arbiter
  FW_BOOKING_BEGUN,  // its access has got a channel
};

// When an arm needs a channel (engine/schedule.h).
struct fw_booking {
  uint64_t lba;       // first sector of the access, FW_NOT_BOOKED
  uint64_t first_ns;  // since power-on: when that sector passes
  uint64_t lasts_ns;  // from there to the access's end
  uint8_t state;      // enum fw_booking_state
  bool moved;         // delayed by a turn or more in favour of another access
};
#define FW_NOT_BOOKED UINT64_MAX

struct fw_arm {
  uint8_t job;              // enum fw_job
  uint16_t segment;         // fill
  uint64_t lba;             // de-staging: first sector of the run
  uint32_t sectors;         // fill, de-staging: length of the access under way
  uint32_t passed;          // de-staging: its sectors before `lba`; their lines are free again
  bool under_way;           // de-staging: the arm moves to a run, or writes it
  uint32_t joined;          // moving: known sectors of the run on its track
  uint64_t kept_until;      // sectors before this are reserved for the arm; 0: none
  uint64_t kept_track_end;  // end of the track that contains kept_until
  bool grown;               // the access under way has been extended
  bool marked;              // the channel reports before the access ends
  uint64_t turn_begin;      // de-staging: first sector of the arm's turn
  uint64_t turn_end;        // fill, de-staging: if others wait, sectors from here on wait at the end of a track
  bool last_of_turn;        // the arm only finishes the request that it has begun
  bool ordered_whole;       // read on arrival: the access can neither grow nor report
  uint32_t track_rest;      // fill, de-staging: sectors from the run's first to the end of its track
  uint64_t fill_lba;        // first sector of the fill-up read
  bool filled;              // the fill-up read is done
  bool filling_up;          // de-staging: the missing part of the run's physical sectors is read first
  bool fill_marked;         // the lines of that pass are still marked as the job's
  bool wrote;               // its last move was for a write
  bool fresh;               // just arrived: the run may begin with any of its sectors
  bool grows;               // fill: the access under way may be extended
  uint64_t wanted;          // fill, free read under way: first sector that a request wants
  uint64_t ahead_to;        // fill: reads up to here even if a request waits for the arm; FW_AHEAD_OPEN: not known yet
  uint32_t around;          // fill: the access reads this many sectors before the segment's first; 0: it does not
  struct fw_run run;        // on the media now, or next
  struct fw_run next;       // of a write: the following run, with its data fetched ahead
  uint32_t track;           // current or target track of the active head
  uint32_t place;           // current or target position of the arm itself (its head 0), as aau.arm
  uint32_t usable[FW_MAX_HEADS];  // surfaces on which each of its heads works: bit b for surface first_head + b
  uint8_t sub_head;               // active head
  uint8_t wished_head;            // preferred head for the next move
  uint8_t group;                  // arms that reach the same surfaces; number of the lowest
  uint32_t mount_angle;           // ticks
  uint8_t first_head, last_head;  // first and last surface that it has heads for
  uint16_t tag;                   // FW_NO_TAG: idle, or coming to rest after its request was aborted
  uint8_t riders;                 // number of reads served in the same pass as `tag`
  uint16_t rider[FW_MAX_BATCH];   // their tags
  uint8_t state;                  // enum fw_arm_state
  uint8_t channel;                // its channel, or FW_NO_CHANNEL
  bool waits_segment, waits_channel;
  bool asked_in_time;      // the arm asked when its timer expired, with a channel free
  uint32_t starts_before;  // fw_channels::starts then
  struct fw_booking booking;
  uint64_t due_us;       // when it asks, microseconds since power-on; 0: at once
  bool ordered;          // parked: moving
  bool broken;           // it has failed
  bool failing;          // the arm or its head has failed, but its channel is still busy
  uint64_t held_lba;     // first of the `held` media sectors of its access
  uint64_t held;         // 0: there is none
  bool held_write;       // other arms may neither read nor write them; false: not write them
  bool strayed;          // it left its track while writing: the sector after the written ones may be spoilt
  uint8_t check;         // enum fw_check: of a written physical sector
  uint64_t check_unit;   // its first sector
  uint64_t spared_unit;  // the unit for which the arm last tried spares
  uint8_t spares_tried;  // number tried in a row
  uint64_t since;        // scan, recalibration: when the arm was taken, microseconds since power-on
  uint32_t home;         // where it would be without background work, as `place`
  uint64_t free_us;      // until when it would be at work without background work, microseconds since power-on
  int64_t late_us;       // by which its request is later than without background work
  uint32_t strayed_to;   // place to which the scan has taken it; the same as `place`: it is still there
  uint32_t errand;       // scan: the slot that the arm has been granted to, and serves then, plus 1; 0: none
  bool persists;         // scan: reads its step to the end although a request waits
  uint64_t could_end;    // on an errand: until when it must be over, microseconds since power-on
  uint64_t rested;       // placement: when it came to rest
  bool quiet_class;      // the arbitration unit uses the quiet seek table for it
  bool quiet;            // its moves are quiet
  uint8_t service;       // enum fw_service: of retire.c. Out of service its state is that of an idle arm
  uint64_t prepared_us;  // when the granted work is ready to start, microseconds since power-on
  bool prepares;         // it waits for that time
  uint32_t order;        // the servo command to issue then, without the tag
};

// Value of fw_arm.ahead_to: the drive's minimum after the wanted sectors, which have not been read yet.
#define FW_AHEAD_OPEN UINT64_MAX

// Arms in the order in which they began to wait for something.
struct fw_arm_queue {
  uint8_t arms[FW_MAX_ARMS];
  uint8_t count;
};

#endif
