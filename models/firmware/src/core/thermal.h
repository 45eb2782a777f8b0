// Temperature of the drive's case, and what firmware does about it.
#ifndef ARMATURE_FIRMWARE_CORE_THERMAL_H
#define ARMATURE_FIRMWARE_CORE_THERMAL_H

#include "core/hardware.h"

#define FW_TEMPERATURES 128u  // of the history: the fewest that SCT allows

// All in degrees Celsius.
// Changed by: engine/thermal.c.
struct fw_thermal {
  bool known;                   // the drive has a sensor
  int8_t now, lowest, highest;  // lowest and highest since power-on
  int8_t least, most;           // that the datasheet allows
  int8_t throttle_at, throttle_back;
  bool quiet;             // the first measure is the quiet curve
  bool tips;              // each measure halves the blocks of a store's pass
  uint8_t measures;       // number of measures available; 0: no throttling
  uint8_t taken;          // number of measures taken, from the first on
  uint32_t every_ms;      // between two changes of that number, at least
  uint64_t looked_us;     // microseconds since power-on
  uint64_t changed_us;    // when `taken` last changed
  uint64_t throttled_us;  // time with a measure taken
  uint32_t measures_taken;
  uint64_t recorded_us;  // newest entry of the history
  uint8_t newest;        // its place
  uint8_t entries;
  uint32_t over, under;  // entries beyond what the datasheet allows
  int8_t history[FW_TEMPERATURES];
};

#endif
