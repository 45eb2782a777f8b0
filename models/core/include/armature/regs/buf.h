// Generated from rtl/regs/buf.rdl (sha256 5aac8816cedf195bcb9fd66f7126358c96b86c743c2d754c025962422dbe7634). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::buf {

enum Offset : std::uint32_t {
  kSize = 0x0000,  ///< Size of the RAM in bytes
  kLayout = 0x0004,  ///< Segmentation that the drive is built with
  kLines = 0x0008,  ///< Lines for written data that wait for the media, behind the segments
  kLookup = 0x000C,  ///< Look-up of reads in the segment table
  kSeg = 0x0010,  ///< Segment table: entry that the registers `seg_*` are of
  kSegLbaLo = 0x0014,  ///< Segment table: first LBA of the next `seg_commit`, 31:0
  kSegLbaHi = 0x0018,  ///< Segment table: first LBA of the next `seg_commit`, 47:32
  kSegPlace = 0x001C,  ///< Segment table: place of the first LBA in the segment, which is a ring
  kSegCommit = 0x0020,  ///< Segment table: the write makes or withdraws the entry
  kSegReach = 0x0024,  ///< Segment table: where reads went on to
  kSegStatus = 0x0028,  ///< Segment table: the entry's last use
  kSegPin = 0x002C,  ///< Segment table: first sector that a transfer has pinned
  kTouch = 0x0030,  ///< Segment table: a use by firmware
  kHits = 0x0034,  ///< Reads that hardware has answered since power-on
  kIntstat = 0x0038,  ///< Interrupt status
  kInten = 0x003C,  ///< Interrupt enable
};

namespace size {
using Bytes = Field<0, 32>;
}  // namespace size

namespace layout {
using Segments = Field<0, 16>;  ///< Number of segments.
using Sectors = Field<16, 16>;  ///< Sectors of 512 bytes a segment.
}  // namespace layout

namespace lines {
using Count = Field<0, 16>;  ///< Number of lines of 8 sectors of 512 bytes; firmware's own memory lies behind them.
}  // namespace lines

namespace lookup {
using Enable = Field<0, 1>;  ///< The host interface looks up each read that it accepts, unless it is FUA. If one entry holds all of its sectors, hardware sends them and completes the command; otherwise the command goes to firmware.
using LastTag = Field<16, 10>;  ///< Highest tag that the drive has: queued reads of higher ones go to firmware.
}  // namespace lookup

namespace seg {
using Index = Field<0, 8>;  ///< Number of the segment, below `layout.segments`; of another one nothing is kept.
}  // namespace seg

namespace seg_lba_lo {
using Lba = Field<0, 32>;
}  // namespace seg_lba_lo

namespace seg_lba_hi {
using Lba = Field<0, 16>;
}  // namespace seg_lba_hi

namespace seg_place {
using Sector = Field<0, 16>;  ///< Sectors from the segment's beginning.
}  // namespace seg_place

namespace seg_commit {
using Sectors = Field<0, 16>;  ///< Sectors that may be sent, 1 to `layout.sectors`; a number or a place that cannot be withdraws the entry.
using Valid = Field<31, 1>;  ///< 0: withdrawn.
}  // namespace seg_commit

namespace seg_reach {
using Lba = Field<0, 32>;  ///< Bits 31:0 of the LBA behind the farthest sector that a hit reached. Firmware writes what its own requests reached: hits count from there. The write clears `seg_status.sequential`.
}  // namespace seg_reach

namespace seg_status {
using Use = Field<0, 28>;  ///< Number of the entry's last hit or `touch`: all entries count on one counter, which wraps round. The entry of the least number was used longest ago.
using Sequential = Field<29, 1>;  ///< A hit began where `seg_reach` ended.
using Pinned = Field<30, 1>;  ///< Transfers of hits from this segment are not over.
using Valid = Field<31, 1>;  ///< The entry is in force.
}  // namespace seg_status

namespace seg_pin {
using Lba = Field<0, 32>;  ///< Bits 31:0 of the least LBA of the transfers that are not over; 0 if there is none.
}  // namespace seg_pin

namespace touch {
using Index = Field<0, 8>;  ///< Number of the segment that takes the next number of the counter.
}  // namespace touch

namespace hits {
using Count = Field<0, 32>;
}  // namespace hits

namespace intstat {
using Released = Field<0, 1>;  ///< A transfer that had pinned sectors has ended.
}  // namespace intstat

namespace inten {
using Released = Field<0, 1>;
}  // namespace inten

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"size", 0x0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"layout", 0x4, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"lines", 0x8, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"lookup", 0xC, 0x0, 0x3FF0001, 0x3FF0001, 0x0, 0x0, 1, 4},
    {"seg", 0x10, 0x0, 0xFF, 0xFF, 0x0, 0x0, 1, 4},
    {"seg_lba_lo", 0x14, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"seg_lba_hi", 0x18, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"seg_place", 0x1C, 0x0, 0xFFFF, 0xFFFF, 0x0, 0x0, 1, 4},
    {"seg_commit", 0x20, 0x0, 0x0, 0x8000FFFF, 0x0, 0x8000FFFF, 1, 4},
    {"seg_reach", 0x24, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
    {"seg_status", 0x28, 0x0, 0xEFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"seg_pin", 0x2C, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"touch", 0x30, 0x0, 0x0, 0xFF, 0x0, 0xFF, 1, 4},
    {"hits", 0x34, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"intstat", 0x38, 0x0, 0x1, 0x1, 0x1, 0x0, 1, 4},
    {"inten", 0x3C, 0x0, 0x1, 0x1, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::buf
