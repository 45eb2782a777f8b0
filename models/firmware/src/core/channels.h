// Channels, and the arms that have them.
#ifndef ARMATURE_FIRMWARE_CORE_CHANNELS_H
#define ARMATURE_FIRMWARE_CORE_CHANNELS_H

#include "core/arm.h"

// Changed by: devices/channel.c, devices/channel.h, engine/channels.c.
struct fw_channels {
  bool arbiter;  // there are fewer channels than arms
  uint32_t policy;
  uint32_t starts;                     // accesses that have begun on a channel
  uint32_t progress_read;              // channels whose progress this handler has read, a bit each
  uint32_t progress[FW_MAX_CHANNELS];  // the progress read
  uint8_t arm[FW_MAX_CHANNELS];        // FW_NO_ARM: free
  struct fw_arm_queue queue;
};

#endif
