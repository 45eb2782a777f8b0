#include "armature/mems/recorded_times.h"

#include "armature/core/conversions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace armature::mems {
namespace {

constexpr std::uint32_t kLongestSeek = 0xFF'FFFF;  // ticks, aau.seek_time

std::uint32_t ticks_of(Ps t) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(to_ticks(t, kTurnMillirpm), kLongestSeek));
}

/// The springs never add more than their pull at the edge to the force. The models that sum up pieces are up to some
/// percent off, hence the tenth.
std::vector<Ps> least_times(const MemsParams& params, const SledTimes& times) {
  const SledModel& model = times.model();
  const double force = params.sled.acceleration_x_m_s2 * (1 + params.sled.spring_factor);
  std::vector<Ps> least(times.layout().cylinders());
  for (std::size_t distance = 1; distance < least.size(); ++distance) {
    const std::size_t by_tips = 2 * static_cast<std::size_t>(model.deflectable());
    const std::size_t by_sled = distance > by_tips ? distance - by_tips : 1;
    const double metres = static_cast<double>(by_sled) * model.bit_metres();
    least[distance] = model.settle() + whole_ps(0.9 * 2 * std::sqrt(metres / force));
    if (distance <= by_tips) least[distance] = std::min(least[distance], model.deflection());
  }
  return least;
}

/// Points at growing distances up to `last`, the first at 1. `ticks`: of a distance.
template <class Ticks>
TickCurve curve(std::uint32_t last, const Ticks& ticks) {
  TickCurve made;
  std::uint32_t distance = 1;
  for (;;) {
    made.points.push_back({distance, ticks(distance)});
    if (distance >= last) return made;
    distance = std::min(last, distance + 1 + distance / 4);
  }
}

}  // namespace

std::uint32_t TickCurve::ticks(std::uint32_t distance) const {
  constexpr std::int64_t kSlopeUnits = 1 << 24;  // in one tick of a slope
  const auto floor_of = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };
  if (distance == 0) return 0;
  const auto behind = std::upper_bound(points.begin(), points.end(), distance,
                                       [](std::uint32_t d, const Point& point) { return d < point.distance; });
  if (behind == points.begin()) return behind->ticks;
  const Point& from = behind[-1];
  if (behind == points.end()) return from.ticks;
  const std::int64_t slope = floor_of((std::int64_t{behind->ticks} - from.ticks) * kSlopeUnits,
                                      std::int64_t{behind->distance} - from.distance);
  return static_cast<std::uint32_t>(from.ticks + floor_of((distance - from.distance) * slope, kSlopeUnits));
}

RecordedTimes::RecordedTimes(const MemsParams& params, const SledTimes& times)
    : least_x(least_times(params, times)), turn(ticks_of(times.model().turnaround(0, times.layout().access_nm_s()))) {
  const Layout& layout = times.layout();
  // Concave, so that lines between the points lie below the least times.
  x = curve(layout.cylinders() - 1, [this](std::uint32_t distance) {
    const std::uint32_t least = ticks_of(distance < least_x.size() ? least_x[distance] : 0);
    return least > 2 ? least - 2 : 0;
  });
  rows = curve(layout.rows() - 1, [&](std::uint32_t distance) {
    const auto bits = static_cast<std::int32_t>(std::min(distance, layout.rows() - 1)) * layout.row_bits();
    return ticks_of(times.model().y_time(-bits / 2, bits - bits / 2));
  });
}

std::uint32_t RecordedTimes::distance(const BlockPlace& a, const BlockPlace& b) const {
  const auto apart = [](std::uint32_t from, std::uint32_t to) { return from < to ? to - from : from - to; };
  const std::uint32_t passed = apart(a.row, b.row);
  return std::max(x.ticks(apart(a.cylinder, b.cylinder)), passed == 0 ? turn : rows.ticks(passed - 1));
}

}  // namespace armature::mems
