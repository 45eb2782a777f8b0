// Generated from rtl/regs/buf.rdl (sha256 6094120f4bdd4d7da28131621cb9f489aa3c9c5f7b71916d384c9a99648dcdb1). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::buf {

enum Offset : std::uint32_t {
  kSize = 0x0000,  ///< Size of the RAM in bytes
  kLayout = 0x0004,  ///< Segmentation that the drive is built with
};

namespace size {
using Bytes = Field<0, 32>;
}  // namespace size

namespace layout {
using Segments = Field<0, 16>;  ///< Number of segments.
using Sectors = Field<16, 16>;  ///< Sectors of 512 bytes a segment.
}  // namespace layout

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"size", 0x0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
    {"layout", 0x4, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::buf
