// Generated from rtl/regs/srv.rdl (sha256 94486f470a1e04be5a2ecbc57682ecbc45496c9b18dc9a9989c4ebf0d840c221). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::srv {

enum Offset : std::uint32_t {
  kTarget = 0x0000,  ///< Target track
  kCtrl = 0x0004,  ///< Control
  kStatus = 0x0008,  ///< Status
  kIntstat = 0x000C,  ///< Interrupt status
  kInten = 0x0010,  ///< Interrupt enable
  kParking = 0x0014,  ///< Parking
};

namespace target {
using Cylinder = Field<0, 23>;  ///< Cylinder that head 0 of the arm on a surface goes to.
using Head = Field<23, 8>;  ///< Surface, of those that the arm has heads for.
}  // namespace target

namespace ctrl {
using Tag = Field<0, 10>;  ///< Tag of the request that the move is for (for tracing and accounting).
using Write = Field<16, 1>;  ///< Settle for writing.
using Anonymous = Field<17, 1>;  ///< The move is for no request: nothing is accounted.
using Load = Field<18, 1>;  ///< With `go`: from the ramp to cylinder 0; of a released arm, the servo is on again and finds the track where the arm rests. The head as selected; `target` is not used.
using Unload = Field<19, 1>;  ///< With `go`: onto the ramp, of a released arm too; `target` is not used.
using Settle = Field<20, 1>;  ///< The arm was at rest: even without a move it settles anew (seek.reposition_ms).
using SubHead = Field<21, 2>;  ///< Which of the arm's heads on the surface is selected.
using Quiet = Field<23, 1>;  ///< The quiet seek curve (seek.quiet); without one `error` is raised.
using Release = Field<24, 1>;  ///< With `go`: to `target`, and then the servo is off: the arm is released and rests there. Without seek.acquire_ms `error` is raised.
using Go = Field<31, 1>;  ///< Start. While busy: ignored, and `error` is raised.
}  // namespace ctrl

namespace status {
using Cylinder = Field<0, 23>;  ///< Cylinder held, or target of the move under way.
using Head = Field<23, 8>;  ///< Head selected.
using OnTrack = Field<31, 1>;  ///< On track: settled for what `ctrl.write` asked.
}  // namespace status

namespace intstat {
using Ready = Field<0, 1>;  ///< The arm came on track, onto the ramp, or to where it is released.
using Error = Field<1, 1>;  ///< Impossible command: target outside the stroke, head that is not there, busy, a move while parked or released, load while neither, unload while parked, or onto a ramp that is not there.
using Fault = Field<2, 1>;  ///< The actuator has failed: a move under way does not end, and commands are ignored from now on.
using HeadFault = Field<3, 1>;  ///< The selected head gives no signal: the arm is not on its track. Raised when it fails, or instead of `ready` at the end of a move with it; the arm can go on with another head.
}  // namespace intstat

namespace inten {
using Ready = Field<0, 1>;
using Error = Field<1, 1>;
using Fault = Field<2, 1>;
using HeadFault = Field<3, 1>;
}  // namespace inten

namespace parking {
using Parked = Field<0, 1>;  ///< The arm rests on the ramp.
using Ramp = Field<1, 1>;  ///< There is a ramp; without one the heads stay on the disk when it stops.
using Released = Field<2, 1>;  ///< The arm rests on the disk without a servo.
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

}  // namespace armature::regs::srv
