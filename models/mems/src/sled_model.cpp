#include "armature/mems/sled_model.h"

#include "armature/core/angle.h"

#include <algorithm>
#include <cmath>

namespace armature::mems {
Ps whole_ps(double seconds) {
  // Keys within their ranges can make a turnaround that takes years; sums of such times must fit, too.
  constexpr double kMost = 1e17;
  return static_cast<Ps>(std::min(std::ceil(seconds * 1e12), kMost));
}

SledModel::SledModel(const MemsParams& params)
    : model_(params.sled.seek_model),
      pieces_(static_cast<int>(params.sled.pieces)),
      x_(Axis::of(params.sled.acceleration_x_m_s2, params.sled.move_x_um * 1e-6 / 2, params.sled.spring_factor,
                  params.sled.damping_ratio)),
      y_(Axis::of(params.sled.acceleration_y_m_s2, params.sled.move_y_um * 1e-6 / 2, params.sled.spring_factor,
                  params.sled.damping_ratio)),
      bit_(params.sled.bit_nm * 1e-9),
      middle_y_(bits_in_y(params.sled) % 2 == 0 ? 0 : 0.5),
      access_(params.sled.access_kb_s * 1e3 * params.sled.bit_nm * 1e-9),
      bits_per_second_(params.sled.access_kb_s * 1e3),
      settle_(whole_ps(params.sled.settle_time_constants / (kTwoPi * params.sled.resonance_hz))),
      reach_x_(params.sled.move_x_um * 1e-6 / 2),
      deflectable_(static_cast<std::int32_t>(
          params.tips.reach_left("deflect_bits", params.tips.deflect_bits, params.sled.bit_nm))),
      deflection_(whole_ps(params.tips.deflect_us * 1e-6)) {}

double SledModel::seek(const Axis& axis, double from, double to, double speed, Path* path) const {
  switch (model_) {
    case SeekModel::disksim:
      return disksim_seek(axis, from, to, speed, pieces_, path);
    case SeekModel::piecewise:
      return piecewise_seek(axis, from, to, speed, pieces_, path);
    case SeekModel::exact:
      break;
  }
  return exact_seek(axis, from, to, speed, path);
}

Ps SledModel::x_time(std::int32_t from, std::int32_t to) const {
  if (from == to) return 0;
  if (deflectable_ == 0) return whole_ps(seek(x_, from * bit_, to * bit_, 0, nullptr)) + settle_;
  if (deflects(from, to)) return deflection_;
  // From the middle of a band to that of another; the tips are deflected meanwhile.
  const double width = (2 * deflectable_ + 1) * bit_;
  const auto middle = [&](std::int32_t x) { return std::clamp(band(x) * width, -reach_x_, reach_x_); };
  return std::max(whole_ps(seek(x_, middle(from), middle(to), 0, nullptr)) + settle_, deflection_);
}

Ps SledModel::y_time(std::int32_t from, std::int32_t to) const {
  return whole_ps(seek(y_, metres_y(from), metres_y(to), access_, nullptr));
}

Path SledModel::x_path(std::int32_t from, std::int32_t to) const {
  Path path;
  seek(x_, from * bit_, to * bit_, 0, &path);
  return path;
}

Path SledModel::y_path(std::int32_t from, std::int32_t to) const {
  Path path;
  seek(y_, metres_y(from), metres_y(to), access_, &path);
  return path;
}

Ps SledModel::turnaround(std::int32_t y, std::int64_t speed_nm_s) const {
  const double speed = static_cast<double>(speed_nm_s) * 1e-9;
  return whole_ps(model_ == SeekModel::exact ? exact_turnaround(y_, metres_y(y), speed)
                                             : mems::turnaround(y_, metres_y(y), speed));
}

Ps SledModel::pass_time(std::int32_t bits) const {
  return whole_ps(bits / bits_per_second_);
}

Positioning SledModel::time(const SledState& from, const SledState& to) const {
  if (from == to) return {};
  Positioning result = turnarounds(from, to);
  result.x = x_time(from.x, to.x);
  result.y = y_time(from.y, to.y) + result.turnaround;
  return result;
}

Positioning SledModel::turnarounds(const SledState& from, const SledState& to) const {
  Positioning result;
  // A sled that moves away from its target turns round where it is; one that must arrive against its way turns round
  // there. Of two states at the same y the one that moves upwards counts as past it, as in DiskSim.
  const bool begins_upwards = from.y_speed_nm_s >= 0, ends_upwards = to.y_speed_nm_s > 0;
  const bool way_upwards = from.y < to.y;
  if (begins_upwards != way_upwards) {
    result.turnaround += turnaround(from.y, from.y_speed_nm_s);
    ++result.turnarounds;
  }
  if (ends_upwards != way_upwards) {
    // It arrives against the speed with which it is to leave, so it moves outwards if that points inwards. DiskSim
    // takes the latter.
    result.turnaround += turnaround(to.y, model_ == SeekModel::disksim ? to.y_speed_nm_s : -to.y_speed_nm_s);
    ++result.turnarounds;
  }
  return result;
}

unsigned zone_bits(const Layout& layout, const SledModel& model) {
  constexpr std::uint32_t kMostZones = 1u << 14;
  const std::int32_t third = layout.range_y() / 3;  // mean distance of two places
  const Ps y = model.y_time(-third / 2, third - third / 2);
  const auto passes = [&](std::int32_t width) {
    return width < static_cast<std::int32_t>(layout.cylinders()) &&
           model.x_time(-width / 2, width - width / 2) - model.settle() <= y;
  };
  unsigned bits = 0;
  while (passes(std::int32_t{2} << bits) || layout.cylinders() >> bits >= kMostZones) ++bits;
  return bits;
}

}  // namespace armature::mems
