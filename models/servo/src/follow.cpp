#include "armature/servo/follow.h"

#include "loop.h"

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

/// Mean and variance as numbers come (Welford 1962).
struct Moments {
  double count = 0, mean = 0, sum = 0;

  void add(double x) {
    ++count;
    const double d = x - mean;
    mean += d / count;
    sum += d * (x - mean);
  }
  double variance() const { return count > 1 ? sum / (count - 1) : 0; }
};

double percent_3sigma(double variance) {
  return 300 * std::sqrt(variance);
}

}  // namespace

FollowResult follow(const ServoParams& servo, std::int64_t revolutions, const FollowOptions& options) {
  Loop loop(servo, Plant(servo.plant, servo.driver, servo.hold_s() / static_cast<double>(options.points)),
            options.points);
  const auto wedges = static_cast<std::size_t>(servo.format.servo_wedges);
  const auto dropped = static_cast<std::int64_t>(std::ceil(options.drop_s / servo.wedge_s()));
  const std::int64_t total = dropped + revolutions * servo.format.servo_wedges;
  std::vector<Moments> by_wedge(wedges);
  Moments all, off_track, head;
  double current_square = 0, current_mean = 0, piezo_square = 0;
  FollowResult result;
  result.revolutions = revolutions;
  std::int64_t counted = 0;
  // The flex cable's pull is known from calibration, so that the integrator need not find it first.
  const std::vector<double> held(static_cast<std::size_t>(servo.control.multirate), servo.plant.flex_bias_ma * 1e-3);
  const Loop::Guide guide{0, held.data()};
  const std::int64_t shown_each = std::max<std::int64_t>(1, servo.format.servo_wedges * 4);
  for (std::int64_t n = 0; n < total; ++n) {
    const double error = loop.wedge(guide, options.recorder);
    if (options.progress && n % shown_each == 0) options.progress(static_cast<double>(n) / static_cast<double>(total));
    if (!(std::fabs(error) < kLostTracks)) {
      result.stable = false;
      result.lost_at_s = static_cast<double>(n) * servo.wedge_s();
      break;
    }
    if (n < dropped) continue;
    ++counted;
    by_wedge[static_cast<std::size_t>(n) % wedges].add(error);
    all.add(error);
    off_track.add(loop.off_track());
    for (const double position : loop.head()) head.add(position);
    current_square += loop.current_square();
    current_mean += loop.current_mean();
    piezo_square += loop.piezo_square();
    result.largest_percent = std::max(result.largest_percent, 100 * std::fabs(error));
    result.outside_write += 100 * std::fabs(error) > servo.settle.write_percent;
  }
  double variance = 0, low = by_wedge[0].mean, high = low;
  for (const Moments& moments : by_wedge) {
    variance += moments.variance();
    low = std::min(low, moments.mean);
    high = std::max(high, moments.mean);
  }
  const double share = counted > 0 ? 1 / static_cast<double>(counted) : 0;
  result.simulated_s = loop.time_s();
  result.nrpe_3sigma_percent = percent_3sigma(variance / static_cast<double>(wedges));
  result.rpe_pp_percent = 100 * (high - low);
  result.pes_3sigma_percent = percent_3sigma(all.variance());
  result.off_track_3sigma_percent = percent_3sigma(off_track.variance());
  result.head_3sigma_percent = percent_3sigma(head.variance());
  result.current_rms_a = std::sqrt(current_square * share);
  result.coil_w = servo.driver.coil_ohm * current_square * share;
  result.rail_w = servo.driver.supply_v * current_mean * share;
  result.piezo_rms_v = std::sqrt(piezo_square * share);
  return result;
}

}  // namespace armature::servo
