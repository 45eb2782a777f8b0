#pragma once

#include "armature/core/time.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace armature::observe {

struct DigitPairs {
  char text[200];
  constexpr DigitPairs() : text() {
    for (int i = 0; i < 100; ++i) {
      text[2 * i] = static_cast<char>('0' + i / 10);
      text[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
  }
};
inline constexpr DigitPairs kPairs;

/// Each writes at `out`, which has room, and returns the end.
inline char* put(char* out, std::string_view text) {
  return std::copy(text.begin(), text.end(), out);  // text may have no address
}

inline constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (auto& each : powers) {
    each = power;
    power *= 10;
  }
  return powers;
}();

/// Decimal digits of `value`, 1 to 20: from the position of its leading bit, log10(2) being 1233 / 4096.
inline unsigned digits_of(std::uint64_t value) {
  const auto estimate = static_cast<unsigned>((64 - __builtin_clzll(value | 1)) * 1233 >> 12);
  return estimate + (value >= kPowersOfTen[estimate] ? 1 : 0) + (value == 0 ? 1 : 0);
}

inline char* put(char* out, std::uint64_t value) {
  char* const end = out + digits_of(value);
  char* first = end;
  for (; value > 0xFFFF'FFFF; value /= 100) {
    first -= 2;
    std::memcpy(first, kPairs.text + 2 * (value % 100), 2);
  }
  auto rest = static_cast<std::uint32_t>(value);
  for (; rest >= 100; rest /= 100) {
    first -= 2;
    std::memcpy(first, kPairs.text + 2 * (rest % 100), 2);
  }
  if (rest >= 10) {
    std::memcpy(first - 2, kPairs.text + 2 * rest, 2);
  } else {
    first[-1] = static_cast<char>('0' + rest);
  }
  return end;
}

/// Picoseconds as microseconds with six decimals.
inline char* put_us(char* out, Ps time) {
  if (time == 0) return put(out, "0.000000");
  if (time < 0) {
    *out++ = '-';
    time = -time;
  }
  const auto value = static_cast<std::uint64_t>(time);
  out = put(out, value / 1'000'000);
  *out++ = '.';
  const auto fraction = static_cast<std::uint32_t>(value % 1'000'000);
  std::memcpy(out, kPairs.text + 2 * (fraction / 10'000), 2);
  std::memcpy(out + 2, kPairs.text + 2 * (fraction / 100 % 100), 2);
  std::memcpy(out + 4, kPairs.text + 2 * (fraction % 100), 2);
  return out + 6;
}

}  // namespace armature::observe
