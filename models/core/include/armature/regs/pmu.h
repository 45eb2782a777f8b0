// Generated from rtl/regs/pmu.rdl (sha256 870c8f9c161f1b2a19f80ea15b8d4ad12ea69f0765a187fc6ae4bd4c53ac4b71). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::pmu {

enum Offset : std::uint32_t {
  kState = 0x0000,  ///< Power state of the controller
};

namespace state {
using State = Field<0, 2>;  ///< 0 active: a command or work of the drive's own is under way; 1 idle: the heads are over the disk and nothing is; 2 standby: the stacks stand; 3 sleep: the same, and only a reset is heard.
}  // namespace state

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"state", 0x0, 0x0, 0x3, 0x3, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::pmu
