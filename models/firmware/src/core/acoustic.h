// Quiet seeks.
#ifndef ARMATURE_FIRMWARE_CORE_ACOUSTIC_H
#define ARMATURE_FIRMWARE_CORE_ACOUSTIC_H

#include "core/hardware.h"

// engine/acoustic.c owns it.
struct fw_acoustic {
  uint32_t quiet_points;   // of the curve of quiet seeks, 0: there is none
  uint32_t quiet_arms;     // as in the factory record
  uint32_t granted_ticks;  // estimate of the grant of this handler
  uint8_t granted_arm;     // in this handler, FW_NO_ARM
  uint8_t level;           // as the host has set it, 0: it has not
  bool just_in_time;       // an arm that has time goes to its sector by a quiet seek
};

#endif
