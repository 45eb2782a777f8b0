// Generated from rtl/regs/tmr.rdl (sha256 260c8fd5bfacca9ec6bb31530c9b4a71e2397424db44a5ad4f25cb06d0a6fa46). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::tmr {

enum Offset : std::uint32_t {
  kCount = 0x0000,  ///< Microseconds since power-on, modulo 2^32
  kAfter = 0x0004,  ///< One shot: microseconds from now; 0 cancels; the write starts it
  kIntstat = 0x0008,  ///< Interrupt status
  kInten = 0x000C,  ///< Interrupt enable
  kAge = 0x0010,  ///< Age: bits 47:16 of the microseconds since power-on, of which `count` has bits 31:0
};

namespace count {
using Us = Field<0, 32>;
}  // namespace count

namespace after {
using Us = Field<0, 32>;
}  // namespace after

namespace intstat {
using Expired = Field<0, 1>;  ///< The one shot expired.
}  // namespace intstat

namespace inten {
using Expired = Field<0, 1>;
}  // namespace inten

namespace age {
using Units = Field<0, 32>;  ///< In units of 65,536 us. Read before `count`, the two give the whole time: `count` is then at most a few units further.
}  // namespace age

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"count", 0x0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"after", 0x4, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"intstat", 0x8, 0x0, 0x1, 0x1, 0x1, 0x0, 1, 4},
    {"inten", 0xC, 0x0, 0x1, 0x1, 0x0, 0x0, 1, 4},
    {"age", 0x10, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::tmr
