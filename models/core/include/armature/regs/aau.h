// Generated from rtl/regs/aau.rdl (sha256 38d960e33e85a232d2547a7dc0e1096ae39f728576302eef53ee22a4425658f3). Do not edit: ./armature gen regs
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
  kArm = 0x0080,  ///< Arm: where it is, and that it is idle
  kSlotTarget = 0x4000,  ///< Slot: target
  kSlotCommit = 0x6000,  ///< Slot: angle and commit; the write makes the slot a candidate or withdraws it
};
inline constexpr std::uint32_t kArmCount = 8;
inline constexpr std::uint32_t kArmStride = 4;
inline constexpr std::uint32_t kSlotTargetCount = 1024;
inline constexpr std::uint32_t kSlotTargetStride = 4;
inline constexpr std::uint32_t kSlotCommitCount = 1024;
inline constexpr std::uint32_t kSlotCommitStride = 4;

namespace ctrl {
using Enable = Field<0, 1>;  ///< Decisions are made.
using Policy = Field<1, 3>;  ///< 0 FCFS, 1 SSTF, 2 C-LOOK, 3 SPTF, 4 aged SPTF.
using Yield = Field<4, 4>;  ///< Classes (a bit each, bit n for class n) whose slots are no candidates while a slot of class 0 waits. Bit 0 has no meaning.
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

namespace arm {
using Cylinder = Field<0, 23>;  ///< Cylinder.
using Head = Field<23, 8>;  ///< Head.
using Idle = Field<31, 1>;  ///< Idle: the arm may be granted. Cleared by hardware at its grant.
}  // namespace arm

namespace slot_target {
using Cylinder = Field<0, 23>;  ///< Cylinder.
using Head = Field<23, 8>;  ///< Head.
}  // namespace slot_target

namespace slot_commit {
using Angle = Field<0, 16>;  ///< Leading edge of the first sector, in ticks from the index.
using Write = Field<16, 1>;  ///< A write.
using SlotClass = Field<17, 2>;  ///< 0 host, 1 write-back, 2 read-ahead, 3 background. Only class 0 is accounted to a request.
using Valid = Field<31, 1>;  ///< Candidate. Cleared by hardware at its grant.
}  // namespace slot_commit

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"ctrl", 0x0, 0x0, 0xFF, 0x800000FF, 0x0, 0x80000000, 1, 4},
    {"config", 0x4, 0x0, 0xFFF7FF, 0x0, 0x0, 0x0, 1, 4},
    {"intstat", 0x8, 0x0, 0x1, 0x0, 0x0, 0x0, 1, 4},
    {"inten", 0xC, 0x0, 0x1, 0x1, 0x0, 0x0, 1, 4},
    {"grant", 0x10, 0x0, 0x80001FFF, 0x0, 0x0, 0x0, 1, 4},
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
    {"arm", 0x80, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 8, 4},
    {"slot_target", 0x4000, 0x0, 0x7FFFFFFF, 0x7FFFFFFF, 0x0, 0x0, 1024, 4},
    {"slot_commit", 0x6000, 0x0, 0x8007FFFF, 0x8007FFFF, 0x0, 0x0, 1024, 4},
};

}  // namespace armature::regs::aau
