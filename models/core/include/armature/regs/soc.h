// Generated from rtl/regs/soc.rdl (sha256 656ce2b20a480bee82cedde0ecd0917201ea0806a96141071035713ba4fdcd82). Do not edit: ./armature gen regs
#pragma once

#include <cstdint>

namespace armature::regs::soc {

inline constexpr std::uint32_t kCodeBase = 0x00000000;
inline constexpr std::uint32_t kCodeMaxBytes = 0x80000;
inline constexpr std::uint32_t kDataBase = 0x10000000;
inline constexpr std::uint32_t kDataMaxBytes = 0x100000;
inline constexpr std::uint32_t kHifBase = 0x40000000;
inline constexpr std::uint32_t kHifBytes = 0x1000;
inline constexpr std::uint32_t kAauBase = 0x40010000;
inline constexpr std::uint32_t kAauBytes = 0x7000;
inline constexpr std::uint32_t kSrvBase = 0x40020000;
inline constexpr std::uint32_t kSrvStride = 0x1000;
inline constexpr std::uint32_t kSrvCount = 8;
inline constexpr std::uint32_t kSrvBytes = 0x1000;
inline constexpr std::uint32_t kSpnBase = 0x40030000;
inline constexpr std::uint32_t kSpnStride = 0x1000;
inline constexpr std::uint32_t kSpnCount = 8;
inline constexpr std::uint32_t kSpnBytes = 0x1000;
inline constexpr std::uint32_t kChnBase = 0x40040000;
inline constexpr std::uint32_t kChnStride = 0x1000;
inline constexpr std::uint32_t kChnCount = 8;
inline constexpr std::uint32_t kChnBytes = 0x1000;
inline constexpr std::uint32_t kBufBase = 0x40050000;
inline constexpr std::uint32_t kBufBytes = 0x1000;
inline constexpr std::uint32_t kTmrBase = 0x40060000;
inline constexpr std::uint32_t kTmrBytes = 0x1000;
inline constexpr std::uint32_t kIrqBase = 0x40070000;
inline constexpr std::uint32_t kIrqBytes = 0x1000;
inline constexpr std::uint32_t kDbgBase = 0x40080000;
inline constexpr std::uint32_t kDbgBytes = 0x1000;
inline constexpr std::uint32_t kNvmBase = 0x40090000;
inline constexpr std::uint32_t kNvmBytes = 0x3000;
inline constexpr std::uint32_t kChaBase = 0x400A0000;
inline constexpr std::uint32_t kChaBytes = 0x1000;
inline constexpr std::uint32_t kPmuBase = 0x400B0000;
inline constexpr std::uint32_t kPmuBytes = 0x1000;
inline constexpr std::uint32_t kXltBase = 0x400C0000;
inline constexpr std::uint32_t kXltBytes = 0x1000;
inline constexpr std::uint32_t kRamBase = 0x80000000;
inline constexpr std::uint32_t kRamMaxBytes = 0x40000000;

}  // namespace armature::regs::soc
