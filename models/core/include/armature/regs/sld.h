// Generated from rtl/regs/sld.rdl (sha256 bbb6f8be26b5ffafa41d98d0b779aab043641e5ffed1d8c79d1aadb3db68dede). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::sld {

enum Offset : std::uint32_t {
  kTarget = 0x0000,  ///< Target
  kCtrl = 0x0004,  ///< Control
  kStatus = 0x0008,  ///< Status
  kIntstat = 0x000C,  ///< Interrupt status
  kInten = 0x0010,  ///< Interrupt enable
  kParking = 0x0014,  ///< Parking
};

namespace target {
using Cylinder = Field<0, 23>;  ///< X position, counted from the edge of the range: the cylinder. The row comes from the arbitration unit's grant.
using Head = Field<23, 8>;  ///< Track of the cylinder: which group of tips will be active.
}  // namespace target

namespace ctrl {
using Tag = Field<0, 10>;  ///< Tag of the request that the seek is for (for tracing and accounting).
using Write = Field<16, 1>;  ///< No meaning: a sled settles the same for reading and writing.
using Anonymous = Field<17, 1>;  ///< The seek is for no request: nothing is accounted.
using Load = Field<18, 1>;  ///< With `go`: the resting sled starts (sled.startup_ms); `target` is not used.
using Unload = Field<19, 1>;  ///< With `go`: the sled rests in the middle; `target` is not used.
using Settle = Field<20, 1>;  ///< No meaning.
using SubHead = Field<21, 2>;  ///< No meaning: 0.
using Quiet = Field<23, 1>;  ///< No meaning: a sled has one seek curve.
using Release = Field<24, 1>;  ///< No meaning: a sled that need not work rests.
using Go = Field<31, 1>;  ///< Start. While busy: ignored, and `error` is raised.
}  // namespace ctrl

namespace status {
using Cylinder = Field<0, 23>;  ///< X position held, or target of the seek under way.
using Head = Field<23, 8>;  ///< Track selected.
using OnTrack = Field<31, 1>;  ///< In X the sled is at its target, or will be when firmware has handled `ready`.
}  // namespace status

namespace intstat {
using Ready = Field<0, 1>;  ///< The sled is about to reach its target: so long before that firmware's handler ends when it does. Or it rests, or has started.
using Error = Field<1, 1>;  ///< Impossible command: target outside the range, track that is not there, busy, a seek while resting, load while not resting, unload while resting.
using Fault = Field<2, 1>;  ///< Never raised.
using HeadFault = Field<3, 1>;  ///< Never raised: single tips fail, which the tip array reports.
}  // namespace intstat

namespace inten {
using Ready = Field<0, 1>;
using Error = Field<1, 1>;
using Fault = Field<2, 1>;
using HeadFault = Field<3, 1>;
}  // namespace inten

namespace parking {
using Parked = Field<0, 1>;  ///< The sled rests.
using Ramp = Field<1, 1>;  ///< 1: a sled can rest.
using Released = Field<2, 1>;  ///< Never: 0.
}  // namespace parking

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"target", 0x0, 0x0, 0x7FFFFFFF, 0x7FFFFFFF, 0x0, 0x0, 1, 4},
    {"ctrl", 0x4, 0x0, 0x1FF03FF, 0x81FF03FF, 0x0, 0x80000000, 1, 4},
    {"status", 0x8, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"intstat", 0xC, 0x0, 0xF, 0xF, 0xF, 0x0, 1, 4},
    {"inten", 0x10, 0x0, 0xF, 0xF, 0x0, 0x0, 1, 4},
    {"parking", 0x14, 0x0, 0x7, 0x0, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::sld
