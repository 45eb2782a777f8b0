#include "armature/servo/calibration.h"

#include "armature/core/random.h"
#include "armature/servo/arm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

constexpr double kPatience = 0.2;  // s: a seek that takes longer never settles

/// An arm that seeks here and there.
class Bench {
 public:
  Bench(const ServoParams& servo, std::uint32_t cylinders)
      : servo_(servo),
        arm_(servo, 0),
        random_(static_cast<std::uint64_t>(servo.noise.seed), "servo.calibration"),
        cylinders_(cylinders) {
    arm_.place(place_of(0, cylinders, servo));
    follow(static_cast<std::size_t>(servo.format.servo_wedges));
  }

  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_.below(count)); }

  double joules() const { return joules_; }  ///< of all seeks from the supply of the coil

  SettleTimes seek(std::uint32_t from, std::uint32_t to) {
    arm_.place(place_of(from, cylinders_, servo_));
    follow(static_cast<std::size_t>(servo_.settle.wedges_for_writing()) + 20 + below(40));
    arm_.seek(place_of(to, cylinders_, servo_));
    SettleTimes times;
    const double begin = random_.uniform() * arm_.wedge_s();  // until the first wedge that knows of it
    bool read = false;
    for (double at = begin; at < kPatience; at += arm_.wedge_s()) {
      arm_.wedge();
      if (!read) joules_ += arm_.rail_w() * arm_.wedge_s();
      if (!read && arm_.settled(false)) {
        times.read = at;
        read = true;
      }
      if (read && arm_.settled(true)) {
        times.write = at;
        return times;
      }
    }
    servo_.fail("settle.write_percent", fmt::format("a seek over {} tracks does not settle within {} s",
                                                    from < to ? to - from : from - to, kPatience));
  }

 private:
  void follow(std::size_t wedges) {
    for (std::size_t i = 0; i < wedges; ++i) arm_.wedge();
  }

  const ServoParams& servo_;
  Arm arm_;
  RandomStream random_;
  std::uint32_t cylinders_;
  double joules_ = 0;
};

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

std::vector<std::uint32_t> spread(std::uint32_t longest, unsigned count) {
  std::vector<std::uint32_t> distances;
  for (unsigned i = 0; i < count; ++i) {
    const double share = count == 1 ? 0 : static_cast<double>(i) / (count - 1);
    const auto distance = static_cast<std::uint32_t>(std::llround(std::pow(longest, share)));
    if (distances.empty() || distance > distances.back()) distances.push_back(distance);
  }
  return distances;
}

template <class Of>
double between(const std::vector<CalibratedDistance>& distances, std::uint32_t cylinders, const Of& of) {
  if (cylinders == 0) return 0;
  const auto after = std::lower_bound(distances.begin(), distances.end(), cylinders,
                                      [](const CalibratedDistance& d, std::uint32_t c) { return d.cylinders < c; });
  if (after == distances.end()) return of(distances.back());
  if (after == distances.begin() || after->cylinders == cylinders) return of(*after);
  const auto before = after - 1;
  const double low = std::sqrt(before->cylinders), high = std::sqrt(after->cylinders);
  return of(*before) + (of(*after) - of(*before)) * (std::sqrt(cylinders) - low) / (high - low);
}

}  // namespace

double Calibration::mean_read(std::uint32_t cylinders) const {
  return between(distances, cylinders,
                 [](const CalibratedDistance& d) { return 0.5 * (d.inward.read + d.outward.read); });
}
double Calibration::mean_write(std::uint32_t cylinders) const {
  return between(distances, cylinders,
                 [](const CalibratedDistance& d) { return 0.5 * (d.inward.write + d.outward.write); });
}
double Calibration::late_read(std::uint32_t cylinders) const {
  return cylinders == 0 ? 0 : margin + between(distances, cylinders, [](const auto& d) { return d.late.read; });
}
double Calibration::late_write(std::uint32_t cylinders) const {
  return cylinders == 0 ? 0 : margin + between(distances, cylinders, [](const auto& d) { return d.late.write; });
}

Calibration calibrate(const ServoParams& servo, const CalibrationPlan& plan) {
  Bench bench(servo, plan.cylinders);
  Calibration calibration;
  for (const std::uint32_t distance : spread(std::max(plan.cylinders - 1, 1u), plan.distances)) {
    CalibratedDistance& row = calibration.distances.emplace_back();
    row.cylinders = distance;
    std::vector<double> reads, writes;
    for (unsigned i = 0; i < plan.seeks; ++i) {
      const std::uint32_t at = bench.below(plan.cylinders - distance);
      const SettleTimes in = bench.seek(at, at + distance), out = bench.seek(at + distance, at);
      reads.insert(reads.end(), {in.read, out.read});
      writes.insert(writes.end(), {in.write, out.write});
      row.inward.read += in.read / plan.seeks;
      row.inward.write += in.write / plan.seeks;
      row.outward.read += out.read / plan.seeks;
      row.outward.write += out.write / plan.seeks;
    }
    row.late = {quantile(reads, plan.quantile), quantile(writes, plan.quantile)};
  }
  std::vector<double> over;
  double seconds = 0;
  const double before = bench.joules();
  for (unsigned i = 0; i < plan.validations && plan.cylinders > 1; ++i) {
    const std::uint32_t from = bench.below(plan.cylinders);
    std::uint32_t to = bench.below(plan.cylinders - 1);
    to += to >= from;
    const SettleTimes taken = bench.seek(from, to);
    seconds += taken.read;
    const std::uint32_t distance = from < to ? to - from : from - to;
    over.push_back(taken.read - calibration.late_read(distance));
    over.push_back(taken.write - calibration.late_write(distance));
  }
  if (seconds > 0) calibration.coil_w = (bench.joules() - before) / seconds;
  if (!over.empty()) calibration.margin = std::max(0.0, quantile(over, plan.quantile));
  return calibration;
}

}  // namespace armature::servo
