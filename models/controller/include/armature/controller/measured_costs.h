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
    {"channel_done", 2589, 12396},
    {"servo_ready", 4055, 18752},
    {"grant", 2893, 11194},
    {"dma_done", 1664, 16081},
    {"read_command", 3266, 5413},
    {"write_command", 4059, 11350},
    {"other_command", 2128, 7103},
    {"link_error", 599458, 600096},
    {"spindle_ready", 3420, 11585},
    {"timer", 3607, 38727},
    {"buffer", 490, 583},
    {"channel_grant", 6405, 9591},
    {"nvm_done", 1772, 7711},
}};
inline constexpr std::int64_t kMeasuredReset = 1196561;

}  // namespace armature::controller
