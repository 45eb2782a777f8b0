// Generated from rtl/regs/dbg.rdl (sha256 7d706db782c8ef20ec4fd5d3aeab428d2b989151df5342f7881810807c945d60). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::dbg {

enum Offset : std::uint32_t {
  kPutc = 0x0000,  ///< Console
  kState = 0x0004,  ///< Firmware state
  kFatal = 0x0008,  ///< Fatal: firmware met an impossible state and stopped
};

namespace putc {
using Character = Field<0, 8>;  ///< A character; a newline ends a line in the log.
}  // namespace putc

namespace state {
using State = Field<0, 8>;  ///< State number, as enum fw_state.
using Tag = Field<8, 10>;  ///< Tag of the request at work.
}  // namespace state

namespace fatal {
using Line = Field<0, 32>;  ///< Source line.
}  // namespace fatal

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"putc", 0x0, 0x0, 0x0, 0xFF, 0x0, 0xFF, 1, 4},
    {"state", 0x4, 0x0, 0x3FFFF, 0x3FFFF, 0x0, 0x0, 1, 4},
    {"fatal", 0x8, 0x0, 0xFFFFFFFF, 0xFFFFFFFF, 0x0, 0x0, 1, 4},
};

}  // namespace armature::regs::dbg
