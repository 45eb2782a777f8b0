// Slots of the arbitration unit.
#ifndef ARMATURE_FIRMWARE_CORE_SLOTS_H
#define ARMATURE_FIRMWARE_CORE_SLOTS_H

#include "core/hardware.h"

struct fw_seek_curve {
  struct fw_seek_point point[FW_MAX_SEEK_POINTS];
  uint32_t points;
};

// Costs from which the arbitration unit computes an arm's time, ticks.
// Changed by: engine/reckoning.c.
struct fw_reckoning {
  struct fw_seek_curve seek[2];  // normal, quiet
  uint32_t margin, head_switch, write_settle, reposition;
  uint32_t part;  // of full speed for which they hold, of FW_WHOLE_SPEED
  bool scaled;    // they have been written for another speed
};

// Changed by: engine/limits.c, engine/slots.c, jobs/request.c, commands/error.c, commands/power.c.
struct fw_slots {
  uint32_t waiting;                   // requests
  uint32_t waiting_for[FW_MAX_ARMS];  // the same, by group
  uint32_t policy;
  uint32_t in_service_limit;    // arms that may have a request; 0: all
  uint32_t limits;              // last value written to aau.limits
  bool limits_moving;           // the arbitration unit must be told when an arm reaches its track
  bool withdrawn[FW_MAX_TAGS];  // the tag's slot was withdrawn, so a grant of it may be void
  struct fw_reckoning reckoning;
};

#endif
