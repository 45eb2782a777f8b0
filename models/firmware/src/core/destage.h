// De-staging: written data on their way from lines to the media.
#ifndef ARMATURE_FIRMWARE_CORE_DESTAGE_H
#define ARMATURE_FIRMWARE_CORE_DESTAGE_H

#include "core/hardware.h"

struct fw_writeback_slot {
  uint64_t lba;
  uint32_t track;
  uint32_t track_rest;
  uint32_t claimed;  // sectors of the run when the slot was committed
  uint8_t group;     // of arms that reach the track
  uint16_t line;     // for which it was
  bool used;
  bool hurried;  // a command waits for its data: it does not yield
};

// jobs/destage.c and its neighbours (destage_*.c, turns.c) own it.
struct fw_destage {
  uint32_t high_water;  // lines
  uint32_t low_water;
  uint32_t idle_us;
  uint32_t candidates;
  bool ascending;
  bool urgent;           // de-staging does not yield
  bool over_high;        // between high and low water
  bool idle_over;        // the drive has been idle long enough
  bool flush_waits;      // an unqueued command waits until all is on the media
  bool flush_accounted;  // it is a host request
  uint32_t blocked_requests;
  uint64_t written_to;                    // end of what went to the media last
  uint64_t left_lba;                      // stream of writes that its arm has left: it goes on here,
  uint64_t left_end;                      // and its data end here; 0: there is none
  uint32_t in_slots;                      // runs of written data in slots of the arbitration unit
  uint32_t hurried_in_slots;              // of these, what commands wait for
  uint32_t waiting[FW_MAX_ARMS];          // runs in slots, by group
  uint32_t hurried_waiting[FW_MAX_ARMS];  // of these, what commands wait for, by group
  struct fw_writeback_slot writeback[FW_MAX_WRITEBACK_SLOTS];
};

#endif
