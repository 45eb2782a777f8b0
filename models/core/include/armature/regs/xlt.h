// Generated from rtl/regs/xlt.rdl (sha256 6f35155b3bfa63ea044357a7f430d7b90a1259778a202886025e6361a938f50d). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::xlt {

enum Offset : std::uint32_t {
  kLbaHi = 0x0000,  ///< LBA 47:32
  kLbaLo = 0x0004,  ///< LBA 31:0; the write translates
  kTrack = 0x0008,  ///< Translation: track
  kPlace = 0x000C,  ///< Translation: angle and run
  kBefore = 0x0010,  ///< Translation: sectors on the track before the LBA
  kMove = 0x0014,  ///< Reallocation: moves the physical sector of the LBA in `lba` to the next free spare of its zone
  kLength = 0x0018,  ///< Translation: sectors of the track
};

namespace lba_hi {
using Lba = Field<0, 16>;
}  // namespace lba_hi

namespace lba_lo {
using Lba = Field<0, 32>;
}  // namespace lba_lo

namespace track {
using Cylinder = Field<0, 23>;  ///< Cylinder; of a MEMS store the X position, counted from the edge of the range.
using Head = Field<23, 8>;  ///< Head; of a MEMS store the track of the cylinder, counted over all sleds.
using Invalid = Field<31, 1>;  ///< The LBA does not exist.
}  // namespace track

namespace place {
using Angle = Field<0, 16>;  ///< Leading edge of the sector, in ticks of 1/65,536 revolution from the index, rounded down; of a MEMS store the row of the track, from the lowest Y.
using Run = Field<16, 16>;  ///< Sectors from the LBA to the end of its track, at most 65,535.
}  // namespace place

namespace before {
using Sectors = Field<0, 16>;  ///< Sectors of the same track whose LBAs lie just before the one in `lba` and follow in place; at most 65,535.
}  // namespace before

namespace move {
using Moved = Field<0, 1>;  ///< After the write: it has moved, and cannot be read until it is written; 0: there is no spare left, or the medium has none, and nothing has changed.
using Go = Field<31, 1>;  ///< Do it. If an access to the sector is under way, its times stay; a read fails with cause 5, a write puts its data into the spare. No other sector changes.
}  // namespace move

namespace length {
using Sectors = Field<0, 16>;  ///< Sectors that pass in a turn where the LBA in `lba` lies, whatever they hold; of a MEMS store the blocks of a track. At most 65,535.
}  // namespace length

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"lba_hi", 0x0, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"lba_lo", 0x4, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"track", 0x8, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"place", 0xC, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"before", 0x10, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"move", 0x14, 0x0, 0x1, 0x80000000, 0x0, 0x80000000, 1, 4},
    {"length", 0x18, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::xlt
