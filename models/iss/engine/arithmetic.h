#pragma once

#include "operation.h"

#include <algorithm>
#include <cstdint>

namespace armature::iss {

// What instructions compute, beyond the operators of C++.

inline std::int32_t signed_of(std::uint32_t word) {
  return static_cast<std::int32_t>(word);
}

inline std::uint32_t high_word(std::int64_t product) {
  return static_cast<std::uint32_t>(product >> 32);
}

// Volume I, 7.2: a division by zero and the one that overflows have results, too.
inline std::uint32_t quotient(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return ~0u;
  if (b == ~0u) return 0u - a;
  return static_cast<std::uint32_t>(signed_of(a) / signed_of(b));
}

inline std::uint32_t remainder(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return a;
  if (b == ~0u) return 0;
  return static_cast<std::uint32_t>(signed_of(a) % signed_of(b));
}

/// What an atomic operation writes.
inline std::uint32_t combined(Code code, std::uint32_t memory, std::uint32_t reg) {
  switch (code) {
    case Code::amoadd:
      return memory + reg;
    case Code::amoxor:
      return memory ^ reg;
    case Code::amoand:
      return memory & reg;
    case Code::amoor:
      return memory | reg;
    case Code::amomin:
      return static_cast<std::uint32_t>(std::min(signed_of(memory), signed_of(reg)));
    case Code::amomax:
      return static_cast<std::uint32_t>(std::max(signed_of(memory), signed_of(reg)));
    case Code::amominu:
      return std::min(memory, reg);
    case Code::amomaxu:
      return std::max(memory, reg);
    default:
      return reg;  // amoswap
  }
}

}  // namespace armature::iss
