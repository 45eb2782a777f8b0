// The schedule of the arms' accesses on the channels.
#ifndef ARMATURE_FIRMWARE_CORE_SCHEDULE_H
#define ARMATURE_FIRMWARE_CORE_SCHEDULE_H

#include "core/hardware.h"

// When arms have channels (engine/schedule.h).
// Changed by: engine/schedule.c.
struct fw_schedule {
  bool on;            // the arbitration unit knows when the arms' accesses begin and end
  bool shared;        // and more arms may be at work than there are channels
  uint32_t lead_us;   // an arm asks for a channel so long before its sector
  uint32_t grant_ns;  // a grant is so old when its handler reads the unit's estimate
  uint32_t turn_ns;
  uint32_t gap_ns;                 // between two accesses on a channel, at least
  uint64_t index_ns[FW_MAX_ARMS];  // since power-on, when each stack's index passed an arm at 0 degrees; 0: unknown
};

#endif
