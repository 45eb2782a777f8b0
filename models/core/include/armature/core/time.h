#pragma once

#include <cstdint>

namespace armature {

/// Simulated time and durations in integer picoseconds. SystemC's 64 bits end after 213 days, these after 106.
using Ps = std::int64_t;

inline constexpr Ps kPsPerNs = 1'000;
inline constexpr Ps kPsPerUs = 1'000'000;
inline constexpr Ps kPsPerMs = 1'000'000'000;
inline constexpr Ps kPsPerSecond = 1'000'000'000'000;

/// Numerator / denominator rounded up; denominator > 0, numerator of either sign.
constexpr __int128 ceil_div(__int128 numerator, __int128 denominator) {
  return numerator / denominator + (numerator % denominator > 0 ? 1 : 0);
}

constexpr Ps from_us(double us) {
  return static_cast<Ps>(us * 1e6 + (us < 0 ? -0.5 : 0.5));
}
constexpr Ps from_ms(double ms) {
  return static_cast<Ps>(ms * 1e9 + (ms < 0 ? -0.5 : 0.5));
}
constexpr double to_us(Ps t) {
  return static_cast<double>(t) * 1e-6;
}
constexpr double to_ms(Ps t) {
  return static_cast<double>(t) * 1e-9;
}
constexpr double to_seconds(Ps t) {
  return static_cast<double>(t) * 1e-12;
}

}  // namespace armature
