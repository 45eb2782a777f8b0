// De-staging: moving written data from lines to the media.
#ifndef ARMATURE_FIRMWARE_CORE_DESTAGE_H
#define ARMATURE_FIRMWARE_CORE_DESTAGE_H

#include "core/hardware.h"

// A run of written data in a slot of the arbitration unit.
// Changed by: jobs/check.c, jobs/destage.c, jobs/destage_lines.c, jobs/destage_slots.c.
struct fw_writeback_slot {
  uint64_t lba;
  uint32_t track;
  uint32_t track_rest;
  uint32_t claimed;  // sectors of the run when the slot was committed
  uint8_t group;     // of arms that reach the track
  uint16_t line;     // the line for which it was committed
  bool used;
  bool hurried;  // a command waits for its data: the slot does not yield
};

// Who waits until all written data are on the media.
enum fw_flush {
  FW_FLUSH_NOBODY,
  FW_FLUSH_DRIVE,    // the drive itself, or a command that changes the power mode
  FW_FLUSH_REQUEST,  // an unqueued command that is a request of the host
};

// Changed by: jobs/destage.c, jobs/destage_lines.c, jobs/destage_slots.c, jobs/destage_waits.c, jobs/destage_ways.c.
struct fw_destage {
  uint32_t high_water;  // lines
  uint32_t low_water;
  uint32_t idle_us;
  uint32_t candidates;
  bool ascending;
  bool urgent;          // de-staging does not yield
  bool over_high;       // above high water, and not yet below low water
  bool idle_over;       // the drive has been idle long enough
  uint8_t flush_waits;  // enum fw_flush
  uint32_t blocked_requests;
  uint64_t written_to;                    // end of the last write to the media
  uint64_t left_lba;                      // stream of writes that its arm has left: start of the rest
  uint64_t left_end;                      // end of the rest; 0: none
  uint32_t in_slots;                      // runs of written data in slots of the arbitration unit
  uint32_t hurried_in_slots;              // of these, those that commands wait for
  uint32_t waiting[FW_MAX_ARMS];          // runs in slots, by group
  uint32_t hurried_waiting[FW_MAX_ARMS];  // of these, those that commands wait for, by group
  struct fw_writeback_slot writeback[FW_MAX_WRITEBACK_SLOTS];
};

#endif
