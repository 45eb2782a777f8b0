// The governor: settings of arms, seeks, speed and idle conditions, and what it knows of the last periods.
#ifndef ARMATURE_FIRMWARE_CORE_GOVERNOR_H
#define ARMATURE_FIRMWARE_CORE_GOVERNOR_H

#include "core/hardware.h"

enum fw_governor_state {
  FW_GOVERNOR_WAITS,          // no setting is in force: the arms have not been over the disk
  FW_GOVERNOR_SETTLES,        // the period in which the present setting was chosen is not over
  FW_GOVERNOR_KEEPS,          // it is over
  FW_GOVERNOR_TRIES_SETTLES,  // as the two before; the setting was reached by giving power back (watts) or by saving
  FW_GOVERNOR_TRIES,          // more (response), and has not lasted yet
};

// Changed by: commands/governor.c.
struct fw_governor {
  uint8_t objective;  // FW_GOVERNOR_*; 0: off
  uint8_t settings;
  uint8_t setting;   // the present one, 0: the most power
  bool quiet;        // of it: quiet seeks
  uint8_t arms_out;  // arms out of service
  uint8_t idle;      // idle conditions that are allowed
  uint8_t state;     // enum fw_governor_state
  uint32_t period_us;
  uint32_t calm;         // calm periods that a step of this kind takes
  uint32_t calm_wanted;  // the same, longer after steps that did not last
  uint32_t calm_seen;    // in a row
  uint32_t cap_mw;
  uint32_t room;       // part of the cap, 1/65,536
  uint32_t change_us;  // a change to the lowest speed and back
  uint64_t unchanged;  // response: requests that have ended since the speed was changed
  uint64_t since;      // when the period began, microseconds since power-on
  uint32_t energy_uj;  // pmu.energy at that time
  uint32_t steps;
};

#endif
