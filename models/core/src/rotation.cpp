#include "armature/core/rotation.h"

#include <stdexcept>

namespace armature {
namespace {

using Wide = __int128;  // products of a 64-bit time and a sector count

constexpr Wide kMilliPsPerMinute = Wide{60'000} * kPsPerSecond;  // a revolution lasts this / millirpm picoseconds

}  // namespace

Rotation::Rotation(Ps index_time, std::int64_t millirpm) : index_time_(index_time), millirpm_(millirpm) {
  if (millirpm <= 0) throw std::invalid_argument("Rotation: speed must be positive");
  whole_turn_ = static_cast<Ps>(kMilliPsPerMinute / millirpm);
}

Ps Rotation::passage(std::int64_t turns, TrackAngle where) const {
  const Wide turned = Wide{turns} * where.denominator + where.numerator;
  return index_time_ + static_cast<Ps>(ceil_div(turned * kMilliPsPerMinute, Wide{millirpm_} * where.denominator));
}

std::int64_t Rotation::turns(Ps t) const {
  return static_cast<std::int64_t>(Wide{t - index_time_} * millirpm_ / kMilliPsPerMinute);
}

Ps Rotation::next_passage(TrackAngle where, Ps t) const {
  const std::int64_t turn = turns(t);
  const Ps current = passage(turn, where);
  if (current < t) return passage(turn + 1, where);
  // An edge less than a picosecond before the index is rounded up to or over it, into a turn that `turns` counts
  // already: then the passage sought is that of the turn before.
  if (turn > 0 && current - t >= whole_turn_ - 1) {
    const Ps previous = passage(turn - 1, where);
    if (previous >= t) return previous;
  }
  return current;
}

Ps Rotation::duration(TrackAngle part) const {
  return static_cast<Ps>(ceil_div(Wide{part.numerator} * kMilliPsPerMinute, Wide{millirpm_} * part.denominator));
}

std::uint32_t Rotation::angle(Ps t, unsigned bits) const {
  const Wide turned = Wide{t - index_time_} * millirpm_;  // in units of 1/kMilliPsPerMinute revolution
  const Wide part = turned % kMilliPsPerMinute;
  return static_cast<std::uint32_t>((part << bits) / kMilliPsPerMinute);
}

}  // namespace armature
