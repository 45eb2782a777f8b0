// Generated from rtl/regs/chn.rdl (sha256 9c07d7e1f213e9d5d9ba3490d6b5db1386536ac60c53c0924e0aa0a0500dbd12). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::chn {

enum Offset : std::uint32_t {
  kXlLbaHi = 0x0000,  ///< Translate: LBA 47:32
  kXlLbaLo = 0x0004,  ///< Translate: LBA 31:0; the write translates
  kXlTrack = 0x0008,  ///< Translation: track
  kXlPlace = 0x000C,  ///< Translation: angle and run
  kLbaHi = 0x0010,  ///< Access: LBA 47:32
  kLbaLo = 0x0014,  ///< Access: LBA 31:0
  kAddress = 0x0018,  ///< Access: address in buffer RAM, in bytes
  kCtrl = 0x001C,  ///< Access: length and start
  kStatus = 0x0020,  ///< Status
  kIntstat = 0x0024,  ///< Interrupt status
  kInten = 0x0028,  ///< Interrupt enable
};

namespace xl_lba_hi {
using Lba = Field<0, 16>;
}  // namespace xl_lba_hi

namespace xl_lba_lo {
using Lba = Field<0, 32>;
}  // namespace xl_lba_lo

namespace xl_track {
using Cylinder = Field<0, 23>;  ///< Cylinder.
using Head = Field<23, 8>;  ///< Head.
using Invalid = Field<31, 1>;  ///< The LBA does not exist.
}  // namespace xl_track

namespace xl_place {
using Angle = Field<0, 16>;  ///< Leading edge of the sector, in ticks of 1/65,536 revolution from the index, rounded down.
using Run = Field<16, 16>;  ///< Sectors from the LBA to the end of its track, at most 65,535.
}  // namespace xl_place

namespace lba_hi {
using Lba = Field<0, 16>;
}  // namespace lba_hi

namespace lba_lo {
using Lba = Field<0, 32>;
}  // namespace lba_lo

namespace address {
using Address = Field<0, 32>;
}  // namespace address

namespace ctrl {
using Tag = Field<0, 10>;  ///< Tag of the request (for tracing and accounting).
using Sectors = Field<10, 16>;  ///< Sectors, 1 to the end of the track.
using Arm = Field<26, 3>;  ///< Arm whose head is used.
using Write = Field<29, 1>;  ///< From buffer to media.
using Go = Field<31, 1>;  ///< Start.
}  // namespace ctrl

namespace status {
using Busy = Field<0, 1>;  ///< An access is under way.
using Cause = Field<1, 3>;  ///< Why the last access failed: 0 it did not, 1 arm not on the track of the LBA, 2 LBA or length impossible, 3 spindle not at speed, 4 busy.
}  // namespace status

namespace intstat {
using Done = Field<0, 1>;  ///< The access is complete.
using Error = Field<1, 1>;  ///< The access failed; see status.cause.
}  // namespace intstat

namespace inten {
using Done = Field<0, 1>;
using Error = Field<1, 1>;
}  // namespace inten

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"xl_lba_hi", 0x0, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"xl_lba_lo", 0x4, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"xl_track", 0x8, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"xl_place", 0xC, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"lba_hi", 0x10, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"lba_lo", 0x14, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"address", 0x18, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"ctrl", 0x1C, 0x0, 0x3FFFFFFF, 0xBFFFFFFF, 0x0, 0x80000000, 1, 4},
    {"status", 0x20, 0x0, 0xF, 0x0, 0x0, 0x0, 1, 4},
    {"intstat", 0x24, 0x0, 0x3, 0x3, 0x3, 0x0, 1, 4},
    {"inten", 0x28, 0x0, 0x3, 0x3, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::chn
