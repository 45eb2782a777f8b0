// SMART: what is under way, and what firmware predicts from. What is kept is in saved.h.
#ifndef ARMATURE_FIRMWARE_CORE_SMART_H
#define ARMATURE_FIRMWARE_CORE_SMART_H

#include "core/hardware.h"

#define FW_MOST_SURFACES 32u  // of an arm, for predictions

// Errors that leak away: each one counts in full when it comes, and is forgotten over the window.
struct fw_leaky_count {
  uint32_t level;  // 1/65,536 errors
  uint32_t at_s;   // seconds since power-on, when that was
};

// Changed by: engine/prediction.c, smart/self_test.c.
struct fw_smart {
  bool testing;       // a self-test or an off-line read
  uint8_t number;     // that one, as SMART EXECUTE OFF-LINE IMMEDIATE codes it, without the bit for captive mode
  bool captive;       // the command waits for its end
  bool rest_of_disk;  // the read that follows a selective self-test
  uint32_t segment;   // that is being read
  uint32_t segments;
  // Arms and heads that go out of service: errors within the window; 0: none does.
  uint32_t head_errors, arm_errors, window_s;
  struct fw_leaky_count heads[FW_MAX_ARMS][FW_MOST_SURFACES];
  struct fw_leaky_count arms[FW_MAX_ARMS];
  uint32_t off_track_seen;
};

#endif
