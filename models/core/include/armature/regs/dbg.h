// Generated from rtl/regs/dbg.rdl (sha256 2808a1bd70eb1753a8b1e0e0d3f321bcebf79db8fa890b05b64407d13a2ff358). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::dbg {

enum Offset : std::uint32_t {
  kPutc = 0x0000,  ///< Console
  kState = 0x0004,  ///< Firmware state
  kFatal = 0x0008,  ///< Fatal: firmware met an impossible state and stopped
  kWait = 0x000C,  ///< Accounting: what a command waits for while firmware holds it
  kArm = 0x0010,  ///< Accounting: firmware gives an arm to a command without a grant of the arm-arbitration unit
  kCounter = 0x0040,  ///< Counters that firmware keeps, by enum fw_counter
};
inline constexpr std::uint32_t kCounterCount = 32;
inline constexpr std::uint32_t kCounterStride = 4;

namespace putc {
using Character = Field<0, 8>;  ///< A character; a newline ends a line in the log.
}  // namespace putc

namespace state {
using State = Field<0, 8>;  ///< State number, as enum fw_state.
using Tag = Field<8, 10>;  ///< Tag of the request at work.
}  // namespace state

namespace fatal {
using Line = Field<0, 32>;  ///< Source line.
}  // namespace fatal

namespace wait {
using Tag = Field<0, 10>;  ///< Tag of the command.
using Reason = Field<16, 3>;  ///< 0 nothing any more: firmware is at work on it; 1 data on their way from the media for an older command or read-ahead; 2 de-staging of written data: flush, overlap, or a full write cache; 3 a data channel; 4 its sector, with its arm on the track and without a channel; 5 an arm that ends what it reads ahead, before it enters a slot.
}  // namespace wait

namespace arm {
using Tag = Field<0, 10>;  ///< Tag of the command.
using Arm = Field<16, 4>;  ///< The arm.
}  // namespace arm

namespace counter {
using Value = Field<0, 32>;
}  // namespace counter

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"putc", 0x0, 0x0, 0x0, 0xFF, 0x0, 0xFF, 1, 4},
    {"state", 0x4, 0x0, 0x3FFFF, 0x3FFFF, 0x0, 0x0, 1, 4},
    {"fatal", 0x8, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"wait", 0xC, 0x0, 0x0, 0x703FF, 0x0, 0x703FF, 1, 4},
    {"arm", 0x10, 0x0, 0x0, 0xF03FF, 0x0, 0xF03FF, 1, 4},
    {"counter", 0x40, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 32, 4},
};

}  // namespace armature::regs::dbg
