// Generated from rtl/regs/nvm.rdl (sha256 e795e7766a5422bfb44d0594f5500337a02e4a380390a46d3a9f9456709d4e7f). Do not edit: ./armature gen regs
#pragma once

#include "armature/core/register_bank.h"

namespace armature::regs::nvm {

enum Offset : std::uint32_t {
  kWord = 0x0000,  ///< Word of the factory record
};
inline constexpr std::uint32_t kWordCount = 2048;
inline constexpr std::uint32_t kWordStride = 4;

namespace word {
using Data = Field<0, 32>;  ///< Little-endian words of struct fw_factory (fw_abi.h).
}  // namespace word

inline constexpr RegisterInfo kTable[] = {
    // name, offset, reset, readable, writable, write-one-clears, pulses, count, stride
    {"word", 0x0, 0x0, 0xFFFFFFFF, 0x0, 0x0, 0x0, 2048, 4},
};

}  // namespace armature::regs::nvm
