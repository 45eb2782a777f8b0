// Generated from rtl/regs/cha.rdl (sha256 42aeb9c8d8e032820a682311b12a0fd2fcb2f031e53312cd2888e46c762c3ec7). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::cha {

enum Offset : std::uint32_t {
  kCtrl = 0x0000,  ///< Control
  kIntstat = 0x0004,  ///< Interrupt status
  kInten = 0x0008,  ///< Interrupt enable
  kGrant = 0x000C,  ///< Grant
  kGrantAck = 0x0010,  ///< Acknowledge the grant
  kMargin = 0x0014,  ///< Start margin
  kFree = 0x0018,  ///< Channel is free; the write frees it
  kChannels = 0x001C,  ///< Free channels
  kRequest = 0x0040,  ///< Arm: asks for a channel, or (valid = 0) no longer does
};
inline constexpr std::uint32_t kRequestCount = 8;
inline constexpr std::uint32_t kRequestStride = 4;

namespace ctrl {
using Enable = Field<0, 1>;  ///< Decisions are made.
using Policy = Field<1, 1>;  ///< 0: the arm that asked first, 1: the arm whose first sector comes first.
using Clear = Field<31, 1>;  ///< Takes back every request, the channels' freedom and a pending grant.
}  // namespace ctrl

namespace intstat {
using Grant = Field<0, 1>;  ///< A grant waits in `grant`; until it is acknowledged.
}  // namespace intstat

namespace inten {
using Grant = Field<0, 1>;
}  // namespace inten

namespace grant {
using Arm = Field<0, 3>;  ///< Arm; its request is over.
using Channel = Field<4, 3>;  ///< Channel that it gets; it is no longer free.
using Valid = Field<31, 1>;  ///< A grant is pending; no decision is made until it is acknowledged.
}  // namespace grant

namespace grant_ack {
using Ack = Field<0, 1>;
}  // namespace grant_ack

namespace margin {
using Ticks = Field<0, 16>;  ///< Firmware's time from the grant to the start of the channel, in ticks of 1/65,536 revolution: a sector that passes sooner is taken one revolution later.
}  // namespace margin

namespace free {
using Channel = Field<0, 3>;
}  // namespace free

namespace channels {
using Channels = Field<0, 8>;  ///< A bit each.
}  // namespace channels

namespace request {
using Angle = Field<0, 16>;  ///< Angle of its first sector under the arm's head (mounting angle included), in ticks from the index.
using Stack = Field<16, 3>;  ///< Disk stack.
using Valid = Field<31, 1>;  ///< It asks. Cleared by hardware at its grant.
}  // namespace request

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"ctrl", 0x0, 0x0, 0x3, 0x80000003, 0x0, 0x80000000, 1, 4},
    {"intstat", 0x4, 0x0, 0x1, 0x0, 0x0, 0x0, 1, 4},
    {"inten", 0x8, 0x0, 0x1, 0x1, 0x0, 0x0, 1, 4},
    {"grant", 0xC, 0x0, 0x80000077, 0x0, 0x0, 0x0, 1, 4},
    {"grant_ack", 0x10, 0x0, 0x0, 0x1, 0x0, 0x1, 1, 4},
    {"margin", 0x14, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"free", 0x18, 0x0, 0x0, 0x7, 0x0, 0x7, 1, 4},
    {"channels", 0x1C, 0x0, 0xFF, 0x0, 0x0, 0x0, 1, 4},
    {"request", 0x40, 0x0, 0x8007FFFF, 0x8007FFFF, 0x0, 0x0, 8, 4},
};

}  // namespace armature::regs::cha
