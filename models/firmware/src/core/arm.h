// Arms: where they are, and what they are at work for.
#ifndef ARMATURE_FIRMWARE_CORE_ARM_H
#define ARMATURE_FIRMWARE_CORE_ARM_H

#include "core/request.h"

enum fw_arm_state {
  FW_ARM_IDLE,
  FW_ARM_MOVING,
  FW_ARM_ON_TRACK,
  FW_ARM_TRANSFER,
  FW_ARM_PARKED,  // on the ramp, released, or on the way there or back
  FW_ARM_FAILED,  // for good
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
  FW_JOB_PLACE,   // to where it waits
  FW_JOB_RETIRE,  // out of service, or back
  FW_JOB_WAIT,    // on its track until its stack is at speed again
  FW_JOB_COUNT
};

enum fw_booking_state {
  FW_BOOKING_PLANNED,
  FW_BOOKING_ASKED,  // the arm has asked the channel arbiter
  FW_BOOKING_BEGUN,  // its access has had a channel
};

// When an arm needs a channel (engine/schedule.h).
struct fw_booking {
  uint64_t lba;       // first sector of the access, FW_NOT_BOOKED
  uint64_t first_ns;  // since power-on: when that sector passes
  uint64_t lasts_ns;  // from there to the access's end
  uint8_t state;      // enum fw_booking_state
  bool moved;         // it comes a turn or more later for another access
};
#define FW_NOT_BOOKED UINT64_MAX

struct fw_arm {
  uint8_t job;                    // enum fw_job
  uint16_t segment;               // fill
  uint64_t lba;                   // de-staging: first sector of the run
  uint32_t sectors;               // fill, de-staging: of the access under way
  uint32_t passed;                // de-staging: of it before `lba`, whose lines are free again
  bool under_way;                 // de-staging: it goes to a run, or writes it
  uint32_t joined;                // on the way: sectors of the run on its track that are known of
  uint64_t kept_until;            // and what follows up to there is kept for the arm; 0: nothing is
  uint64_t kept_track_end;        // end of the track on which that is
  bool grown;                     // and it has been extended
  bool marked;                    // the channel reports before its end
  uint64_t turn_begin;            // de-staging: first sector of the arm's turn
  uint64_t turn_end;              // fill, de-staging: what lies behind waits at the end of a track, if others wait
  bool last_of_turn;              // and the arm ends the request that it is in the midst of
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
  uint64_t ahead_to;              // fill: it reads up to here whoever waits for it; FW_AHEAD_OPEN: not known yet
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
  uint8_t riders;                 // reads that the same pass serves as the one of `tag`
  uint16_t rider[FW_MAX_BATCH];   // their tags
  uint8_t state;                  // enum fw_arm_state
  uint8_t channel;                // at work for it, FW_NO_CHANNEL
  bool waits_segment, waits_channel;
  bool asked_in_time;      // when the arm's timer was over, and with a channel free
  uint32_t starts_before;  // fw_channels::starts then
  struct fw_booking booking;
  uint64_t due_us;       // microseconds since power-on, when it asks; 0: it need not wait with that
  bool ordered;          // parked: on its way
  bool broken;           // it has failed
  bool failing;          // it or its head, but its channel is still at work
  uint64_t held_lba;     // sectors of the media that its access is about, with `held` of them
  uint64_t held;         // 0: there is none
  bool held_write;       // nobody else may read or write them; otherwise nobody may write them
  bool strayed;          // it left its track in the write of its job: the sector behind what is written may be spoilt
  uint8_t check;         // enum fw_check: of a physical sector of what has been written
  uint64_t check_unit;   // its first sector
  uint64_t spared_unit;  // for which the arm tried spares last
  uint8_t spares_tried;  // so many in a row
  uint64_t since;        // scan, recalibration: microseconds since power-on, when the arm was taken
  uint64_t rested;       // placement: when it came to rest
  bool quiet_class;      // its seek table in the arbitration unit is that of quiet seeks
  bool quiet;            // its moves are quiet
  bool retired;          // the power cap has taken it out of service; its state is that of an idle arm
  bool retiring;         // it is on its way there, not back
  uint64_t prepared_us;  // microseconds since power-on: what was granted is ready for it to start then
  bool prepares;         // it waits for that time
  uint32_t order;        // what its servo is told then, but for the tag
};

// struct fw_arm, ahead_to: the drive's minimum behind what is wanted, which has not come yet.
#define FW_AHEAD_OPEN UINT64_MAX

// Arms in the order in which they began to wait for something.
struct fw_arm_queue {
  uint8_t arms[FW_MAX_ARMS];
  uint8_t count;
};

#endif
