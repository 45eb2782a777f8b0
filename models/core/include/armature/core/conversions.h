#pragma once

#include "armature/core/time.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace armature {

/// To the nearest picosecond. A time that does not fit becomes the longest that does.
inline Ps from_seconds(double seconds) {
  const double ps = seconds * static_cast<double>(kPsPerSecond);
  constexpr Ps kLast = std::numeric_limits<Ps>::max();
  if (std::fabs(ps) < static_cast<double>(kLast)) return static_cast<Ps>(std::llround(ps));
  return ps > 0 ? kLast : -kLast;
}

/// Where simulated time ends. Requests arrive in the first 100 days (docs/guide/workloads.md); 63 bits of picoseconds
/// end after 106.75, and what the models add to a time must fit, too: a sled's moves take up to 28 hours each.
inline constexpr Ps kEndOfTime = 101 * 86'400 * kPsPerSecond;

/// `t` + `delay`, both >= 0. A time that does not fit becomes the longest that does.
constexpr Ps after(Ps t, Ps delay) {
  constexpr Ps kLast = std::numeric_limits<Ps>::max();
  return delay > kLast - t ? kLast : t + delay;
}

/// Registers and the factory record count angles, and times as angles, in ticks: parts of a revolution.
inline constexpr unsigned kTickBits = 16;
inline constexpr std::int64_t kTicksPerTurn = std::int64_t{1} << kTickBits;

/// A speed in revolutions a minute in thousandths of one, rounded: what `Rotation` turns at.
inline std::int64_t to_millirpm(double rpm) {
  return std::llround(rpm * 1000);
}

/// `t` >= 0 in ticks of a revolution at that speed, rounded up.
constexpr std::int64_t to_ticks(Ps t, std::int64_t millirpm) {
  constexpr Ps kPsMillirpmPerTick = 60'000 * kPsPerSecond / kTicksPerTurn;
  return static_cast<std::int64_t>(ceil_div(static_cast<__int128>(t) * millirpm, kPsMillirpmPerTick));
}

}  // namespace armature
