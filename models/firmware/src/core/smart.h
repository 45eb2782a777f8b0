// SMART: tests under way, and failure prediction. Saved data are in saved.h.
#ifndef ARMATURE_FIRMWARE_CORE_SMART_H
#define ARMATURE_FIRMWARE_CORE_SMART_H

#include "core/hardware.h"

#define FW_MOST_SURFACES 32u  // of an arm, for predictions

// A leaky count of errors: each counts in full when it occurs, and decays over the window.
struct fw_leaky_count {
  uint32_t level;  // units of 1/65,536 error
  uint32_t at_s;   // time of that level, seconds since power-on
};

// Changed by: engine/prediction.c, smart/self_test.c.
struct fw_smart {
  bool testing;       // a self-test or an off-line read is running
  uint8_t number;     // its number as coded by SMART EXECUTE OFF-LINE IMMEDIATE, without the captive bit
  bool captive;       // the command waits for its end
  bool rest_of_disk;  // the read that follows a selective self-test
  uint32_t segment;   // segment being read
  uint32_t segments;
  // Errors within the window at which a head or arm goes out of service; 0: never.
  uint32_t head_errors, arm_errors, window_s;
  struct fw_leaky_count heads[FW_MAX_ARMS][FW_MOST_SURFACES];
  struct fw_leaky_count arms[FW_MAX_ARMS];
  uint32_t off_track_seen;
};

#endif
