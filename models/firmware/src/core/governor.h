// The governor: settings of arms, seeks, speed and idle conditions, and what it knows of the last periods.
#ifndef ARMATURE_FIRMWARE_CORE_GOVERNOR_H
#define ARMATURE_FIRMWARE_CORE_GOVERNOR_H

#include "core/hardware.h"

// Changed by: commands/governor.c.
struct fw_governor {
  uint8_t objective;  // FW_GOVERNOR_*; 0: off
  uint8_t settings;
  uint8_t setting;   // the present one, 0: the most power
  bool quiet;        // of it: quiet seeks
  uint8_t arms_out;  // arms out of service
  uint8_t idle;      // idle conditions that are allowed
  bool applied;      // the first setting is in force
  bool settles;      // the period in which it was chosen is not over
  bool tried;        // it was reached by giving power back (watts) or by saving more (response)
  uint32_t period_us;
  uint32_t calm;         // calm periods that a step of this kind takes
  uint32_t calm_wanted;  // the same, longer after steps that did not last
  uint32_t calm_seen;    // in a row
  uint32_t cap_mw, room_mw;
  uint64_t since;      // when the period began, microseconds since power-on
  uint32_t energy_uj;  // pmu.energy at that time
  uint32_t steps;
};

#endif
