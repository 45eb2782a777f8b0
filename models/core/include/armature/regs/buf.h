// Generated from rtl/regs/buf.rdl (sha256 4802859d592ca0e3ef3f7f53e4cb55725ed29ff050a608f8dd8f6cbdb9ed1078). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::buf {

enum Offset : std::uint32_t {
  kSize = 0x0000,  ///< Size of the RAM in bytes
  kLayout = 0x0004,  ///< Segmentation that the drive is built with
  kLines = 0x0008,  ///< Lines for written data that wait for the media, behind the segments
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

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"size", 0x0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"layout", 0x4, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"lines", 0x8, 0x0, 0xFFFF, 0x0, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::buf
