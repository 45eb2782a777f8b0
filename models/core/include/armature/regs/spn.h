// Generated from rtl/regs/spn.rdl (sha256 44d30a75d8e1613e92b7662b8c264e5bceb0fa770eeaacb085d3a1ace6ce72cb). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::spn {

enum Offset : std::uint32_t {
  kCtrl = 0x0000,  ///< Control
  kStatus = 0x0004,  ///< Status
  kIntstat = 0x0008,  ///< Interrupt status
  kInten = 0x000C,  ///< Interrupt enable
};

namespace ctrl {
using Run = Field<0, 1>;  ///< Run at the chosen speed; 0 stops the stack.
using Speed = Field<1, 3>;  ///< Which speed: 0 the drive's own, n the n-th of its lower ones. Orders of a speed that the stack does not have are ignored.
using Go = Field<31, 1>;  ///< Start moving towards the target.
}  // namespace ctrl

namespace status {
using EighthRpm = Field<0, 18>;  ///< Speed in units of 1/8 rpm; 0 while not steady.
using AtSpeed = Field<30, 1>;  ///< Speed within the regulation band, and sectors may be accessed at it.
}  // namespace status

namespace intstat {
using Ready = Field<0, 1>;  ///< The stack came to the commanded speed.
}  // namespace intstat

namespace inten {
using Ready = Field<0, 1>;
}  // namespace inten

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"ctrl", 0x0, 0x0, 0xF, 0x8000000F, 0x0, 0x80000000, 1, 4},
    {"status", 0x4, 0x0, 0x4003FFFF, 0x0, 0x0, 0x0, 1, 4},
    {"intstat", 0x8, 0x0, 0x1, 0x1, 0x1, 0x0, 1, 4},
    {"inten", 0xC, 0x0, 0x1, 0x1, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::spn
