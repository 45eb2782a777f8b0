// Written by ./armature gen firmware-costs. Do not edit.
#pragma once

#include "armature/regs/interrupts.h"

#include <array>
#include <cstdint>

namespace armature::controller {

/// Cycles of a handler of the drive's own firmware, from the edge that samples its interrupt to its end: the mean over
/// the calls of a fixed set of runs, and the longest of them.
struct MeasuredCost {
  const char* handler;
  std::int64_t mean;
  std::int64_t most;
};

/// In the order of regs::kInterrupts.
inline constexpr std::array<MeasuredCost, regs::kInterruptCount> kMeasuredCosts = {{
    {"channel_done", 3255, 20100},
    {"servo_ready", 4092, 18795},
    {"grant", 2941, 11229},
    {"dma_done", 1703, 16120},
    {"read_command", 3073, 5448},
    {"write_command", 4038, 11425},
    {"other_command", 2173, 7149},
    {"link_error", 605540, 606173},
    {"spindle_ready", 3412, 11895},
    {"timer", 3596, 43576},
    {"buffer", 529, 622},
    {"channel_grant", 6421, 8437},
    {"nvm_done", 1823, 7735},
}};
inline constexpr std::int64_t kMeasuredReset = 1202477;

}  // namespace armature::controller
