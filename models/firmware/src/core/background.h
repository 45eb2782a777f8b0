// What arms do when nobody needs them.
#ifndef ARMATURE_FIRMWARE_CORE_BACKGROUND_H
#define ARMATURE_FIRMWARE_CORE_BACKGROUND_H

#include "core/hardware.h"

// Sectors that the drive is to read for itself, in place of the media scan (jobs/background.c).
struct fw_reading {
  bool active;
  bool failed;      // it has met a sector that it cannot read, and waits for what is to be done about that
  uint64_t lba;     // of its next step
  uint64_t end;     // behind the last one
  uint32_t number;  // counts up: a step that was begun for an earlier one says nothing about this one
  uint32_t step_of;
};

// Media scan and recalibration: jobs/background.c owns it.
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

// Where idle arms wait: jobs/placement.c owns it.
struct fw_placement {
  uint8_t policy;           // FW_PLACEMENT_*
  uint32_t after_us;        // as in the factory record
  uint32_t near_cylinders;  // an arm that is no further from its place stays
  uint32_t recent[FW_RECENT_TRACKS];
  uint8_t next, known;
  uint32_t moves;
};

#endif
