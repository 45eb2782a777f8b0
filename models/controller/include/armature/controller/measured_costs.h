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
    {"channel_done", 3108, 19874},
    {"servo_ready", 4024, 18792},
    {"grant", 2844, 11203},
    {"dma_done", 1542, 15622},
    {"read_command", 2841, 5298},
    {"write_command", 3800, 10911},
    {"other_command", 2006, 6970},
    {"link_error", 568414, 568776},
    {"spindle_ready", 1152, 2061},
    {"timer", 3356, 43319},
    {"buffer", 499, 592},
    {"channel_grant", 6400, 8308},
}};
inline constexpr std::int64_t kMeasuredReset = 1146983;

}  // namespace armature::controller
