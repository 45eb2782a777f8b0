// Generated from rtl/regs/pmu.rdl (sha256 9716c6a35d0511229491b26fca20f6ca1af42501f52281530409fadb5bc66e26). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::pmu {

enum Offset : std::uint32_t {
  kState = 0x0000,  ///< Power state of the controller
  kEnergy = 0x0004,  ///< Energy that the drive has drawn from its rails since power-on, modulo 2^32; 0 without charge counters
  kShare = 0x0008,  ///< Power that the array allows the drive, by a signal of the enclosure
  kTemperature = 0x0020,  ///< Temperature by the sensor on the drive's case
};

namespace state {
using State = Field<0, 3>;  ///< 0 active: a command or work of the drive's own is under way; 1 idle: the heads are over the disk and nothing is; 2 standby: the stacks stand; 3 sleep: the same, and only a reset is heard; 4 active idle: the stacks turn, and the arms rest without a servo; 5 low-power idle: the stacks turn, and the arms are on the ramp.
}  // namespace state

namespace energy {
using Uj = Field<0, 32>;  ///< Microjoules.
}  // namespace energy

namespace share {
using Mw = Field<0, 32>;  ///< Milliwatts; 0: none is told.
}  // namespace share

namespace temperature {
using Celsius = Field<0, 8>;  ///< Degrees Celsius, to the nearest, as a two's complement number.
using Valid = Field<8, 1>;  ///< 1: the drive has a sensor; 0: celsius says nothing.
}  // namespace temperature

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"state", 0x0, 0x0, 0x7, 0x7, 0x0, 0x0, 1, 4},
    {"energy", 0x4, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"share", 0x8, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"temperature", 0x20, 0x0, 0x1FF, 0x0, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::pmu
