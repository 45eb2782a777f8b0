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
    {"channel_done", 2579, 12458},
    {"servo_ready", 3954, 18769},
    {"grant", 2995, 11280},
    {"dma_done", 1691, 16054},
    {"read_command", 3467, 5517},
    {"write_command", 4271, 11412},
    {"other_command", 2149, 7170},
    {"link_error", 638436, 639113},
    {"spindle_ready", 3486, 12368},
    {"timer", 3664, 37784},
    {"buffer", 475, 564},
    {"channel_grant", 6214, 8169},
    {"nvm_done", 1765, 7751},
}};
inline constexpr std::int64_t kMeasuredReset = 1247512;

}  // namespace armature::controller
