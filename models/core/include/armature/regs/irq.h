// Generated from rtl/regs/irq.rdl (sha256 c1da7e1f3b7866b29bb080eda8a3538d4a48d26a01197453816484459ee5752e). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::irq {

enum Offset : std::uint32_t {
  kPending = 0x0000,  ///< Pending lines
  kEnable = 0x0004,  ///< Enabled lines
  kClaim = 0x0008,  ///< Claim: the pending, enabled line with the lowest number
};

namespace pending {
using Lines = Field<0, 32>;  ///< Bit n: line n is active.
}  // namespace pending

namespace enable {
using Lines = Field<0, 32>;
}  // namespace enable

namespace claim {
using Line = Field<0, 5>;
using Valid = Field<31, 1>;  ///< There is one.
}  // namespace claim

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"pending", 0x0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"enable", 0x4, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"claim", 0x8, 0x0, 0x8000001F, 0x0, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::irq
