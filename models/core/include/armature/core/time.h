#pragma once

#include <systemc>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace armature {

/// Simulated time and durations in integer picoseconds. SystemC's 64 bits end after 213 days, these after 106.
using Ps = std::int64_t;

inline constexpr Ps kPsPerNs = 1'000;
inline constexpr Ps kPsPerUs = 1'000'000;
inline constexpr Ps kPsPerMs = 1'000'000'000;
inline constexpr Ps kPsPerSecond = 1'000'000'000'000;

/// The kernel's time. Requires the default time resolution of 1 ps.
inline Ps now() {
  // Looked up once: the kernel's context lives as long as the process, and this is called some fifty times a request.
  static const sc_core::sc_time& time = sc_core::sc_get_curr_simcontext()->time_stamp();
  return static_cast<Ps>(time.value());
}

/// As a kernel duration or time; `t` must not be negative.
inline sc_core::sc_time to_sc_time(Ps t) {
  // sc_time::from_value is no inline function, and this is called some thirty times a request. What it does besides,
  // fixing the resolution, is done for good by the first time that is made of seconds.
  static_assert(sizeof(sc_core::sc_time) == sizeof t && std::is_trivially_destructible_v<sc_core::sc_time>);
  sc_core::sc_time time;
  std::memcpy(static_cast<void*>(&time), &t, sizeof t);
  return time;
}

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

/// Clock edges lie on multiples of the period from time zero: the first edge at or after `t`. period > 0.
constexpr Ps clock_edge(Ps t, Ps period) {
  return (t + period - 1) / period * period;
}

}  // namespace armature
