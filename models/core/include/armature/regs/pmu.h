// Generated from rtl/regs/pmu.rdl (sha256 1b67bb6022330b332343668a5fd3671df742217123d9e1966c817ef6051d218e). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::pmu {

enum Offset : std::uint32_t {
  kState = 0x0000,  ///< Power state of the controller
};

namespace state {
using State = Field<0, 3>;  ///< 0 active: a command or work of the drive's own is under way; 1 idle: the heads are over the disk and nothing is; 2 standby: the stacks stand; 3 sleep: the same, and only a reset is heard; 4 active idle: the stacks turn, and the arms rest without a servo; 5 low-power idle: the stacks turn, and the arms are on the ramp.
}  // namespace state

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"state", 0x0, 0x0, 0x7, 0x7, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::pmu
