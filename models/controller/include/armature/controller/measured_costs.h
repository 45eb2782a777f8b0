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
    {"channel_done", 3114, 19849},
    {"servo_ready", 4026, 18792},
    {"grant", 2845, 11203},
    {"dma_done", 1542, 15622},
    {"read_command", 2841, 5298},
    {"write_command", 3801, 10911},
    {"other_command", 2005, 6970},
    {"link_error", 568414, 568776},
    {"spindle_ready", 1152, 2061},
    {"timer", 3338, 24349},
    {"buffer", 499, 592},
    {"channel_grant", 6409, 8656},
    {"nvm_done", 330, 330},
}};
inline constexpr std::int64_t kMeasuredReset = 1146983;

}  // namespace armature::controller
