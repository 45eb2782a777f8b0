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
    {"channel_done", 2509, 12200},
    {"servo_ready", 3885, 18644},
    {"grant", 2771, 11106},
    {"dma_done", 1624, 16057},
    {"read_command", 3280, 5380},
    {"write_command", 4129, 11356},
    {"other_command", 2095, 7061},
    {"link_error", 601493, 602141},
    {"spindle_ready", 3224, 11486},
    {"timer", 3472, 38238},
    {"buffer", 461, 550},
    {"channel_grant", 6140, 9226},
    {"nvm_done", 1754, 7695},
}};
inline constexpr std::int64_t kMeasuredReset = 1198567;

}  // namespace armature::controller
