// The schedule of the arms' accesses on the channels.
#ifndef ARMATURE_FIRMWARE_CORE_SCHEDULE_H
#define ARMATURE_FIRMWARE_CORE_SCHEDULE_H

#include "core/hardware.h"

// When arms have channels (engine/schedule.h).
// Changed by: engine/schedule.c.
struct fw_schedule {
  bool on;                         // the arbitration unit has the times of the arms' accesses
  bool shared;                     // more arms may be busy than there are channels
  uint32_t lead_us;                // how long before its sector an arm asks for a channel
  uint32_t grant_ns;               // age of a grant when its handler reads the unit's estimate
  uint32_t turn_ns, full_turn_ns;  // at the present speed, at full speed
  uint32_t gap_ns;                 // between two accesses on a channel, at least
  uint64_t index_ns[FW_MAX_ARMS];  // since power-on, when each stack's index passed an arm at 0 degrees; 0: unknown
};

#endif
