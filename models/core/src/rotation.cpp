#include "armature/core/rotation.h"

#include <stdexcept>

namespace armature {
namespace {

using Wide = __int128;  // products of a 64-bit time and a sector count

constexpr Wide kMilliPsPerMinute = Wide{60'000} * kPsPerSecond;  // a revolution lasts this / millirpm picoseconds

}  // namespace

Rotation::Rotation(Ps index_time, std::int64_t millirpm) : index_time_(index_time), millirpm_(millirpm) {
  if (millirpm <= 0) throw std::invalid_argument("Rotation: speed must be positive");
}

Ps Rotation::passage(std::int64_t turns, TrackAngle where) const {
  const Wide turned = Wide{turns} * where.denominator + where.numerator;
  return index_time_ + static_cast<Ps>(ceil_div(turned * kMilliPsPerMinute, Wide{millirpm_} * where.denominator));
}

std::int64_t Rotation::turns(Ps t) const {
  return static_cast<std::int64_t>(Wide{t - index_time_} * millirpm_ / kMilliPsPerMinute);
}

Ps Rotation::next_passage(TrackAngle where, Ps t) const {
  // `where` passes in the turn under way at t or in the next. An edge rounded up may lie after an exact edge at which
  // `turns` has not counted the turn yet, so the turn before is asked first.
  const std::int64_t turn = turns(t);
  if (turn > 0) {
    const Ps previous = passage(turn - 1, where);
    if (previous >= t) return previous;
  }
  const Ps current = passage(turn, where);
  return current >= t ? current : passage(turn + 1, where);
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
