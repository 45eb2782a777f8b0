// Generated from rtl/regs/aau.rdl (sha256 640d29d3ed80fc8494bc6b265c047d08f2cda91b414dae1e389f1580399cef20). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::aau {

enum Offset : std::uint32_t {
  kCtrl = 0x0000,  ///< Control
  kConfig = 0x0004,  ///< Configuration of this instance
  kIntstat = 0x0008,  ///< Interrupt status
  kInten = 0x000C,  ///< Interrupt enable
  kGrant = 0x0010,  ///< Grant
  kEstimate = 0x0014,  ///< Grant: predicted time from the grant to the first sector
  kGrantAck = 0x0018,  ///< Acknowledge the grant
  kMargin = 0x001C,  ///< Settle margin
  kHeadSwitch = 0x0020,  ///< Head switch time
  kWriteSettle = 0x0024,  ///< Write settle time
  kAgeing = 0x0028,  ///< Ageing
  kReposition = 0x002C,  ///< Repositioning time
  kSeekEntry = 0x0030,  ///< Seek table: entry to write
  kSeekDistance = 0x0034,  ///< Seek table: distance of the entry
  kSeekTime = 0x0038,  ///< Seek table: time of the entry; the write stores the entry and advances
  kSeekEntries = 0x003C,  ///< Seek table: number of entries in use
  kLimits = 0x0040,  ///< Limits
  kArmMask = 0x0044,  ///< Arms that may be granted
  kArrived = 0x0048,  ///< Arms that have come on their track
  kWithdraw = 0x004C,  ///< Withdraw a slot
  kWrote = 0x0050,  ///< Arms that are held for writing; the write says of one of them whether it is
  kStroke = 0x0054,  ///< Stroke
  kSeekSlopeLo = 0x0058,  ///< Seek table: slope from the entry to the next, bits 31:0
  kSeekSlopeHi = 0x005C,  ///< Seek table: slope, bits 39:32
  kSeekClass = 0x0060,  ///< Seek table: class of arms that the entries written are for
  kWork = 0x0064,  ///< Arms at work
  kChannels = 0x0068,  ///< Data channels that the arms share
  kAppointment = 0x006C,  ///< Appointment of an arm in service: the write says how long its access lasts now
  kPostpone = 0x0070,  ///< Appointment of an arm in service: the write says that its access begins later
  kArm = 0x0080,  ///< Arm: where it is, and that it is idle
  kArmMount = 0x00A0,  ///< Arm: how it is mounted
  kArmReach = 0x00C0,  ///< Arm: surfaces that it has heads for
  kHeadOffset = 0x00E0,  ///< Head of an arm on a surface: how far out it sits, against the arm's position
  kHeadAngle = 0x00F0,  ///< Head of an arm on a surface: its angle
  kRideAlong = 0x0100,  ///< Slots that the pass of the pending grant can serve too (sled cost model only; 0 otherwise)
  kHeadMask = 0x0180,  ///< Heads that may be used: word 4 n + h is that of head h of arm n on each surface
  kSlotArm = 0x2000,  ///< Slot: the arm that is reserved for it
  kSlotTarget = 0x4000,  ///< Slot: target
  kSlotCommit = 0x6000,  ///< Slot: angle and commit; the write makes the slot a candidate or withdraws it
};
inline constexpr std::uint32_t kArmCount = 8;
inline constexpr std::uint32_t kArmStride = 4;
inline constexpr std::uint32_t kArmMountCount = 8;
inline constexpr std::uint32_t kArmMountStride = 4;
inline constexpr std::uint32_t kArmReachCount = 8;
inline constexpr std::uint32_t kArmReachStride = 4;
inline constexpr std::uint32_t kHeadOffsetCount = 4;
inline constexpr std::uint32_t kHeadOffsetStride = 4;
inline constexpr std::uint32_t kHeadAngleCount = 4;
inline constexpr std::uint32_t kHeadAngleStride = 4;
inline constexpr std::uint32_t kRideAlongCount = 32;
inline constexpr std::uint32_t kRideAlongStride = 4;
inline constexpr std::uint32_t kHeadMaskCount = 32;
inline constexpr std::uint32_t kHeadMaskStride = 4;
inline constexpr std::uint32_t kSlotArmCount = 1024;
inline constexpr std::uint32_t kSlotArmStride = 4;
inline constexpr std::uint32_t kSlotTargetCount = 1024;
inline constexpr std::uint32_t kSlotTargetStride = 4;
inline constexpr std::uint32_t kSlotCommitCount = 1024;
inline constexpr std::uint32_t kSlotCommitStride = 4;

namespace ctrl {
using Enable = Field<0, 1>;  ///< Decisions are made.
using Policy = Field<1, 3>;  ///< 0 FCFS, 1 SSTF, 2 C-LOOK, 3 SPTF, 4 aged SPTF, 5 ZSPTF (only with the cost of a sled; without it, as 6 and 7, aged SPTF).
using Yield = Field<4, 4>;  ///< Classes (a bit each, bit n for class n) whose slots are no candidates while a slot of class 0 waits. Bit 0 has no meaning.
using Zone = Field<8, 5>;  ///< ZSPTF: a zone has 2^n X positions. Only with the cost of a sled.
using WithdrawAll = Field<31, 1>;  ///< Withdraws every slot, drops the decision under way and a pending grant, whose arm is idle again.
}  // namespace ctrl

namespace config {
using Slots = Field<0, 11>;  ///< Slots.
using Arms = Field<12, 4>;  ///< Arms.
using Heads = Field<16, 8>;  ///< Heads an arm.
}  // namespace config

namespace intstat {
using Grant = Field<0, 1>;  ///< A grant waits in `grant`; until it is acknowledged.
}  // namespace intstat

namespace inten {
using Grant = Field<0, 1>;
}  // namespace inten

namespace grant {
using Slot = Field<0, 10>;  ///< Slot that won; it is no longer a candidate.
using Arm = Field<10, 3>;  ///< Arm that it goes to; it is no longer idle.
using Head = Field<13, 2>;  ///< Which of the arm's heads on that surface.
using ArmClass = Field<15, 1>;  ///< Class of the arm when its time was predicted: the seek table that the estimate holds for.
using Valid = Field<31, 1>;  ///< A grant is pending; no decision is made until it is acknowledged.
}  // namespace grant

namespace estimate {
using Ticks = Field<0, 32>;  ///< Ticks of 1/65,536 revolution.
}  // namespace estimate

namespace grant_ack {
using Ack = Field<0, 1>;
}  // namespace grant_ack

namespace margin {
using Ticks = Field<0, 16>;  ///< Firmware's time from grant to the start of the seek and from ready to the start of the channel, in ticks, added to every seek: a sector that passes sooner after the arm's arrival is taken one revolution later.
}  // namespace margin

namespace head_switch {
using Ticks = Field<0, 16>;  ///< Ticks for changing heads without moving; the larger of it and the seek counts.
}  // namespace head_switch

namespace write_settle {
using Ticks = Field<0, 16>;  ///< Ticks added to a move, of cylinder or head, before a write.
}  // namespace write_settle

namespace ageing {
using Weight = Field<0, 16>;  ///< Ticks of cost that a slot loses in 1,024 ticks of waiting (aged SPTF).
}  // namespace ageing

namespace reposition {
using Ticks = Field<0, 16>;  ///< Ticks that a grant's move takes at least, with no move at all too.
}  // namespace reposition

namespace seek_entry {
using Entry = Field<0, 8>;  ///< 0 to 255.
}  // namespace seek_entry

namespace seek_distance {
using Cylinders = Field<0, 24>;  ///< Cylinders; entries ascend, the curve is linear between them.
}  // namespace seek_distance

namespace seek_time {
using Ticks = Field<0, 24>;  ///< Ticks.
}  // namespace seek_time

namespace seek_entries {
using Entries = Field<0, 9>;  ///< 1 to 256.
}  // namespace seek_entries

namespace limits {
using InService = Field<0, 4>;  ///< Arms in service at most, from the grant to the next write of `arm`; 0: no limit.
using Moving = Field<4, 4>;  ///< Arms on their way at most, from the grant to `arrived` or the next write of `arm`; 0: no limit.
using Heads = Field<8, 2>;  ///< Heads of an arm on a surface, less one.
}  // namespace limits

namespace arm_mask {
using Arms = Field<0, 8>;  ///< A bit each.
}  // namespace arm_mask

namespace arrived {
using Arms = Field<0, 8>;  ///< A bit each: they no longer count as on their way.
}  // namespace arrived

namespace withdraw {
using Slot = Field<0, 10>;  ///< Slot; the write withdraws it.
using TooLate = Field<31, 1>;  ///< It was not waiting any more: it has been granted, or never was committed.
}  // namespace withdraw

namespace wrote {
using Arms = Field<0, 8>;  ///< Bit n: arm n, whose last access was a write. A write that it is granted for needs no repositioning. At a grant hardware sets or clears the arm's bit.
using Held = Field<16, 1>;  ///< It is.
using Arm = Field<24, 3>;  ///< Arm.
}  // namespace wrote

namespace stroke {
using Cylinder = Field<0, 23>;  ///< Highest cylinder that an arm can go to; a head whose offset needs more is no candidate.
}  // namespace stroke

namespace seek_slope_lo {
using Slope = Field<0, 32>;  ///< floor((time of the next - time) * 2^24 / (distance of the next - distance)), two's complement of 40 bits, and 0 of the last entry; written before the entry's time.
}  // namespace seek_slope_lo

namespace seek_slope_hi {
using Slope = Field<0, 8>;
}  // namespace seek_slope_hi

namespace seek_class {
using ArmClass = Field<0, 1>;  ///< 0 or 1; seek_entries counts those of this class.
}  // namespace seek_class

namespace work {
using InService = Field<0, 8>;  ///< In service.
using Moving = Field<8, 8>;  ///< On their way.
}  // namespace work

namespace channels {
using Count = Field<0, 4>;  ///< Channels: a grant whose access would be one too many at its time is predicted for a later revolution. 0: one for each arm.
using Gap = Field<16, 16>;  ///< Ticks from the end of one access to the first sector of the next on the same channel, at least.
}  // namespace channels

namespace appointment {
using Ticks = Field<0, 24>;  ///< Ticks from its predicted first sector on.
using Arm = Field<24, 3>;  ///< Arm.
}  // namespace appointment

namespace postpone {
using Ticks = Field<0, 24>;  ///< Ticks later. `appointment` is written behind it.
using Arm = Field<24, 3>;  ///< Arm.
}  // namespace postpone

namespace arm {
using Cylinder = Field<0, 23>;  ///< Cylinder.
using Head = Field<23, 8>;  ///< Head.
using Idle = Field<31, 1>;  ///< Idle: the arm may be granted. Cleared by hardware at its grant.
}  // namespace arm

namespace arm_mount {
using Angle = Field<0, 16>;  ///< A sector passes under the arm's heads this much after the index position, in ticks: the arm's angle around the spindle.
using Stack = Field<16, 3>;  ///< Disk stack that it serves.
using ArmClass = Field<19, 1>;  ///< Class of arms, which chooses the seek table.
}  // namespace arm_mount

namespace arm_reach {
using First = Field<0, 8>;  ///< First head number of a slot that it serves.
using Last = Field<8, 8>;  ///< Last one.
}  // namespace arm_reach

namespace head_offset {
using Cylinders = Field<0, 24>;  ///< Cylinders towards higher numbers; two's complement.
}  // namespace head_offset

namespace head_angle {
using Angle = Field<0, 16>;  ///< A sector passes under it this much later than under head 0, in ticks.
}  // namespace head_angle

namespace ride_along {
using Slots = Field<0, 32>;  ///< Bit n of word w: slot 32 w + n waits, for the granted slot's X position and row, on a track of the granted sled. As it is now: commits and withdrawals change it until grant_ack.
}  // namespace ride_along

namespace head_mask {
using Surfaces = Field<0, 32>;  ///< Bit b: the head on surface arm_reach.first + b. Surfaces beyond these 32 have no bit: their heads may be used.
}  // namespace head_mask

namespace slot_arm {
using Arm = Field<0, 3>;  ///< Arm.
using Reserved = Field<3, 1>;  ///< No other arm is a candidate for the slot. In service, this one is from the end of its own access on, without the gap behind it. 0: any arm is a candidate. Stays as it is at the slot's commit and grant.
}  // namespace slot_arm

namespace slot_target {
using Cylinder = Field<0, 23>;  ///< Cylinder.
using Head = Field<23, 8>;  ///< Head.
}  // namespace slot_target

namespace slot_commit {
using Angle = Field<0, 16>;  ///< Leading edge of the first sector, in ticks from the index.
using Write = Field<16, 1>;  ///< A write.
using SlotClass = Field<17, 2>;  ///< 0 host, 1 write-back, 2 read-ahead, 3 background. Only class 0 is accounted to a request.
using Stack = Field<19, 3>;  ///< Disk stack that it lies on.
using Length = Field<22, 9>;  ///< How long the access needs a channel from its first sector on, in units of 256 ticks, rounded up; with shared channels.
using Valid = Field<31, 1>;  ///< Candidate. Cleared by hardware at its grant.
}  // namespace slot_commit

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"ctrl", 0x0, 0x0, 0x1FFF, 0x80001FFF, 0x0, 0x80000000, 1, 4},
    {"config", 0x4, 0x0, 0xFFF7FF, 0x0, 0x0, 0x0, 1, 4},
    {"intstat", 0x8, 0x0, 0x1, 0x0, 0x0, 0x0, 1, 4},
    {"inten", 0xC, 0x0, 0x1, 0x1, 0x0, 0x0, 1, 4},
    {"grant", 0x10, 0x0, 0x8000FFFF, 0x0, 0x0, 0x0, 1, 4},
    {"estimate", 0x14, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"grant_ack", 0x18, 0x0, 0x0, 0x1, 0x0, 0x1, 1, 4},
    {"margin", 0x1C, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"head_switch", 0x20, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"write_settle", 0x24, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"ageing", 0x28, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"reposition", 0x2C, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"seek_entry", 0x30, 0x0, 0xFF, 0xFF, 0x0, 0x0, 1, 4},
    {"seek_distance", 0x34, 0x0, 0xFFFFFF, 0xFFFFFF, 0x0, 0x0, 1, 4},
    {"seek_time", 0x38, 0x0, 0x0, 0xFFFFFF, 0x0, 0xFFFFFF, 1, 4},
    {"seek_entries", 0x3C, 0x0, 0x1FF, 0x1FF, 0x0, 0x0, 1, 4},
    {"limits", 0x40, 0x0, 0x3FF, 0x3FF, 0x0, 0x0, 1, 4},
    {"arm_mask", 0x44, 0xFF, 0xFF, 0xFF, 0x0, 0x0, 1, 4},
    {"arrived", 0x48, 0x0, 0x0, 0xFF, 0x0, 0xFF, 1, 4},
    {"withdraw", 0x4C, 0x0, 0x800003FF, 0x3FF, 0x0, 0x0, 1, 4},
    {"wrote", 0x50, 0x0, 0xFF, 0x7010000, 0x0, 0x7010000, 1, 4},
    {"stroke", 0x54, 0x7FFFFF, 0x7FFFFF, 0x7FFFFF, 0x0, 0x0, 1, 4},
    {"seek_slope_lo", 0x58, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"seek_slope_hi", 0x5C, 0x0, 0xFF, 0xFF, 0x0, 0x0, 1, 4},
    {"seek_class", 0x60, 0x0, 0x1, 0x1, 0x0, 0x0, 1, 4},
    {"work", 0x64, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"channels", 0x68, 0x0, 0xFFFF000F, 0xFFFF000F, 0x0, 0x0, 1, 4},
    {"appointment", 0x6C, 0x0, 0x0, 0x7FFFFFF, 0x0, 0x7FFFFFF, 1, 4},
    {"postpone", 0x70, 0x0, 0x0, 0x7FFFFFF, 0x0, 0x7FFFFFF, 1, 4},
    {"arm", 0x80, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 8, 4},
    {"arm_mount", 0xA0, 0x0, 0xFFFFF, 0xFFFFF, 0x0, 0x0, 8, 4},
    {"arm_reach", 0xC0, 0xFF00, 0xFFFF, 0xFFFF, 0x0, 0x0, 8, 4},
    {"head_offset", 0xE0, 0x0, 0xFFFFFF, 0xFFFFFF, 0x0, 0x0, 4, 4},
    {"head_angle", 0xF0, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 4, 4},
    {"ride_along", 0x100, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 32, 4},
    {"head_mask", 0x180, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 32, 4},
    {"slot_arm", 0x2000, 0x0, 0xF, 0xF, 0x0, 0x0, 1024, 4},
    {"slot_target", 0x4000, 0x0, 0x7FFFFFFF, 0x7FFFFFFF, 0x0, 0x0, 1024, 4},
    {"slot_commit", 0x6000, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1024, 4},
};

}  // namespace armature::regs::aau
