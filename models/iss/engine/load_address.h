#pragma once

#include <cstdint>
#include <optional>

namespace armature::iss {

/// Where a load of a word looks: the register `base` and `offset`.
struct LoadAddress {
  unsigned base;
  std::uint32_t offset;  ///< modulo 2^32
};

/// Of lw, c.lw and c.lwsp ("The RISC-V Instruction Set Manual, Volume I", 2.6 and 16.3); none of another instruction.
/// @param instruction  a short one in the lower 16 bits
inline std::optional<LoadAddress> address_of_load(std::uint32_t instruction) {
  const auto bits = [&](unsigned from, unsigned count) { return instruction >> from & ((1u << count) - 1); };
  if (bits(0, 7) == 0x03 && bits(12, 3) == 2)
    return LoadAddress{bits(15, 5), static_cast<std::uint32_t>(static_cast<std::int32_t>(instruction) >> 20)};
  if (bits(0, 2) == 0 && bits(13, 3) == 2)
    return LoadAddress{8 + bits(7, 3), bits(10, 3) << 3 | bits(6, 1) << 2 | bits(5, 1) << 6};
  if (bits(0, 2) == 2 && bits(13, 3) == 2) return LoadAddress{2, bits(12, 1) << 5 | bits(4, 3) << 2 | bits(2, 2) << 6};
  return {};
}

}  // namespace armature::iss
