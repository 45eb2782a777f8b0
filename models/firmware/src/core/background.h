// Background work of idle arms.
#ifndef ARMATURE_FIRMWARE_CORE_BACKGROUND_H
#define ARMATURE_FIRMWARE_CORE_BACKGROUND_H

#include "core/hardware.h"

enum fw_reading_state {
  FW_READING_NONE,
  FW_READING_ACTIVE,
  FW_READING_FAILED,  // stopped at an unreadable sector, until a decision is made about it
};

enum fw_recalibration {
  FW_RECALIBRATION_NOT,
  FW_RECALIBRATION_WAITS,  // in its slot, for an arm
  FW_RECALIBRATION_LATE,   // waiting so long that it takes the next arm that comes to rest
  FW_RECALIBRATION_THERE,  // the arm is on its way to the reference track, or there
  FW_RECALIBRATION_BACK,   // and returns
};

// When the next step is read.
enum fw_scan {
  FW_SCAN_RESTS,   // after a time without commands or, on a spare arm, when it can be paid
  FW_SCAN_PAUSES,  // not before the timer, because of the scan's rate
  FW_SCAN_FREE,    // no command has come since the scan began
};

// Sectors that the drive reads for its own purposes, instead of the media scan (jobs/scan.c).
struct fw_reading {
  uint8_t state;    // enum fw_reading_state
  uint64_t lba;     // of its next step
  uint64_t end;     // the sector after the last one
  uint32_t number;  // counts up, so that a step begun for an earlier reading is ignored
  uint32_t step_of;
};

// Media scan, the drive's own reads, the host's background reads, recalibration.
// Changed by: jobs/scan.c, jobs/steps.c, jobs/list.c, jobs/recalibration.c.
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
  uint32_t recalibration_due;  // arms still to be recalibrated in this period, a bit each
  uint32_t back_to;            // track to which the recalibrated arm returns
  uint8_t arm;                 // the arm being recalibrated
  uint8_t recalibration;       // enum fw_recalibration
  uint8_t scan;                // enum fw_scan
  bool scan_waits;             // in its slot
  uint16_t tag;                // the background read that the step is of; FW_NO_TAG: the reading's, or the scan's
  uint32_t listed;             // background reads that wait
  uint32_t list_done;          // that no longer do: they do not earn (spare.c)
  uint32_t step;               // sectors of the next step
  uint64_t next_us;            // the next step of the scan begins no sooner, microseconds since power-on
};

// Background work while commands are under way, and what it may cost them.
// Changed by: jobs/spare.c.
struct fw_spare {
  uint32_t earns_us;  // by which each command may take longer on average; 0: none runs while commands are under way
  uint32_t full_turn_us, turn_us;  // of the stack at its full speed, and at the present one
  int64_t balance_us;              // what commands have earned, less what background work has added to their response
  int64_t added_us;                // of that, what it has added
  uint32_t commands;               // that have earned
  int64_t step_us;                 // that the step waits for and takes, at most
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
