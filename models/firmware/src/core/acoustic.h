// Quiet seeks.
#ifndef ARMATURE_FIRMWARE_CORE_ACOUSTIC_H
#define ARMATURE_FIRMWARE_CORE_ACOUSTIC_H

#include "core/hardware.h"

// Changed by: engine/acoustic.c, engine/engine.h, engine/reckoning.c.
struct fw_acoustic {
  uint32_t quiet_points;   // of the quiet seek curve; 0: none
  uint32_t quiet_arms;     // as in the factory record
  uint32_t granted_ticks;  // estimate of the grant taken in this handler
  uint8_t granted_arm;     // arm granted in this handler, or FW_NO_ARM
  uint8_t level;           // set by the host; 0: not set
  bool just_in_time;       // an arm with time to spare seeks quietly
};

#endif
