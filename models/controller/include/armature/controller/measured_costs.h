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
    {"channel_done", 2576, 12471},
    {"servo_ready", 3952, 18768},
    {"grant", 2973, 11241},
    {"dma_done", 1667, 16353},
    {"read_command", 3369, 5405},
    {"write_command", 4199, 11538},
    {"other_command", 2143, 7161},
    {"link_error", 601531, 602251},
    {"spindle_ready", 3469, 12366},
    {"timer", 3684, 41100},
    {"buffer", 475, 564},
    {"channel_grant", 6229, 9447},
    {"nvm_done", 1765, 7751},
}};
inline constexpr std::int64_t kMeasuredReset = 1202380;

}  // namespace armature::controller
