// Background work of idle arms.
#ifndef ARMATURE_FIRMWARE_CORE_BACKGROUND_H
#define ARMATURE_FIRMWARE_CORE_BACKGROUND_H

#include "core/hardware.h"

enum fw_reading_state {
  FW_READING_NONE,
  FW_READING_ACTIVE,
  FW_READING_FAILED,  // stopped at an unreadable sector, until a decision is made about it
};

// State of the recalibration that waits in its slot for an arm.
enum fw_recalibration_waits {
  FW_RECALIBRATION_NOT,
  FW_RECALIBRATION_WAITS,
  FW_RECALIBRATION_LATE,  // waiting so long that it takes the next arm that comes to rest
};

// Sectors that the drive reads for its own purposes, instead of the media scan (jobs/background.c).
struct fw_reading {
  uint8_t state;    // enum fw_reading_state
  uint64_t lba;     // of its next step
  uint64_t end;     // the sector after the last one
  uint32_t number;  // counts up, so that a step begun for an earlier reading is ignored
  uint32_t step_of;
};

// Media scan, the drive's own reads, recalibration.
// Changed by: jobs/background.c.
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
  uint32_t recalibration_due;   // arms still to be recalibrated in this period, a bit each
  uint32_t back_to;             // track to which the recalibrated arm returns
  uint8_t arm;                  // the arm being recalibrated
  bool back;                    // that arm is returning
  bool scanning;                // no command has come since the scan began
  bool scan_waits;              // in its slot
  bool paused;                  // the next step waits for its rate, while commands are under way
  uint32_t step;                // sectors of the next step
  uint64_t next_us;             // the next step begins no sooner, microseconds since power-on
  uint8_t recalibration_waits;  // enum fw_recalibration_waits
};

// Background work while commands are under way, and what it may cost them.
// Changed by: jobs/spare.c.
struct fw_spare {
  uint32_t earns_us;  // by which each command may take longer on average; 0: none runs while commands are under way
  uint32_t full_turn_us, turn_us;  // of the stack at its full speed, and at the present one
  int64_t balance_us;              // what commands have earned, less what background work has added to their response
  int64_t added_us;                // of that, what it has added
  uint32_t commands;               // that have earned
  uint32_t behind_us;              // by which requests that wait now begin later; until nothing waits for an arm
};

#define FW_RECENT_TRACKS 64u  // recent accesses from which idle arms' positions are chosen

// Where idle arms wait.
// Changed by: engine/moves.c, jobs/placement.c.
struct fw_placement {
  uint8_t policy;           // FW_PLACEMENT_*
  uint32_t after_us;        // as in the factory record
  uint32_t near_cylinders;  // an arm within this distance of its place stays
  uint32_t recent[FW_RECENT_TRACKS];
  uint8_t next, known;
  uint32_t moves;
};

#endif
