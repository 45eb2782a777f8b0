// Speeds of the disk stacks, and what the drive measures of its requests for those who choose one.
#ifndef ARMATURE_FIRMWARE_CORE_SPEED_H
#define ARMATURE_FIRMWARE_CORE_SPEED_H

#include "core/hardware.h"

// A speed is a number: 0 the full one, n the n-th lower one.
// Changed by: commands/speed.c.
struct fw_speed {
  uint8_t lower;    // lower speeds
  uint8_t policy;   // FW_SPEED_*
  uint8_t wanted;   // the one to work at
  uint8_t now;      // the one that the arbitration unit's tables are for
  uint8_t allowed;  // DRPM: the lowest that may be chosen
  uint32_t changes;
  bool loading;         // a part of the tables is still to be loaded
  uint32_t window;      // DRPM: requests
  int32_t most, least;  // DRPM: changes of the mean response, 1/65,536
  uint32_t check_us;    // DRPM: between two looks
  uint32_t last_us;     // DRPM: mean response of the last window; 0: none yet
};

// Requests since the last reading.
// Changed by: engine/meter.c.
struct fw_meter {
  bool on;
  uint32_t came_us[FW_MAX_TAGS];  // when each began, microseconds since power-on modulo 2^32
  uint32_t requests;
  uint64_t response_us;  // sum
  uint32_t bound_us;
  uint32_t late;  // requests that took longer than the bound
};

#endif
