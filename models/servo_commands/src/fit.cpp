#include "fit.h"

#include "armature/actuator/seek_profile.h"
#include "armature/core/error.h"
#include "armature/servo/calibration.h"
#include "armature/servo/seek.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::servo_commands {
namespace {

constexpr int kRounds = 12, kStretchRounds = 10;
constexpr double kNear = 0.03;          // of a time: what is wanted
constexpr double kNearer = kNear / 3;   // where the search for two figures ends
constexpr double kCloseEnough = 0.005;  // and the one for each distance
constexpr double kFarEnough = 0.02;     // of a factor, for a secant
constexpr double kTooShort = 10e-6;     // s
constexpr double kReserve = 0.92;       // of the driver's voltage: what is left for the loop
constexpr double kGreatestCoast = 10;   // m/s: nothing in a drive is faster

double off(double have, double want) {
  return std::fabs(have / want - 1);
}

/// What the driver has to give for the coil's current and against its back-EMF on that path, V.
double volts_of(const servo::ServoParams& servo, double distance_m) {
  const servo::SeekProfile path = servo::seek_profile(servo, -0.5 * distance_m, distance_m);
  const double force = servo.plant.force_n_a(), amperes = servo.plant.mass_kg() / force;
  double most = 0;
  for (std::size_t i = 0; i < path.acceleration.size(); ++i)
    most = std::max(most, std::fabs(servo.driver.coil_ohm * amperes * path.acceleration[i] + force * path.velocity[i]));
  return most;
}

class Fit {
 public:
  Fit(const servo::ServoParams& given, const actuator::SeekProfile& wanted)
      : tried_(given),
        wanted_(wanted),
        figures_{to_ms(wanted.seek(1)), wanted.mean_over_cylinders_ms(), to_ms(wanted.seek(wanted.cylinders() - 1)),
                 to_ms(wanted.write_settle())},
        most_current_(kReserve * (given.driver.supply_v - given.driver.drop_v) / std::max(given.driver.coil_ohm, 0.1)) {
    if (tried_.seek.coast_m_s <= 0) tried_.seek.coast_m_s = 2;
    tried_.settle.write_wedges = tried_.settle.wedges_for_writing();
    plan_.cylinders = wanted.cylinders();
    plan_.validations = 0;
  }

  FittedServo run() {
    measure();  // the plant as given: if it does not settle, its own error says so
    tried_.seek.stretch.clear();
    if (!two_figures() || !each_distance()) return finish(false);
    return finish(true);
  }

 private:
  bool measure() {
    measured_ = servo::calibrate(tried_, plan_);
    double sum = 0, settle = 0;
    const double longest = wanted_.cylinders() - 1.0;
    for (std::uint32_t n = 1; n < wanted_.cylinders(); ++n) sum += (longest + 1 - n) * measured_.mean_read(n);
    for (const servo::CalibratedDistance& row : measured_.distances)
      settle += 0.5 * (row.inward.write + row.outward.write - row.inward.read - row.outward.read);
    found_ = {measured_.mean_read(1) * 1e3, 2e3 * sum / (longest * (longest + 1)),
              measured_.mean_read(wanted_.cylinders() - 1) * 1e3,
              1e3 * settle / static_cast<double>(measured_.distances.size())};
    return true;
  }

  /// False if the loop does not settle with what is tried.
  bool try_it() {
    try {
      return measure();
    } catch (const InputError&) {
      log_.push_back(
          fmt::format("with bandwidth_hz = {:.2f} the loop does not settle any more", tried_.seek.bandwidth_hz));
      return false;
    }
  }

  void wedges_for_writing() {
    const double more = 0.8 * (figures_.write_settle - found_.write_settle) / (tried_.wedge_s() * 1e3);
    tried_.settle.write_wedges = std::max<std::int64_t>(1, tried_.settle.write_wedges + std::llround(more));
  }

  /// A long seek goes by the speed, one of average length by the acceleration too: its share grows with the root of the
  /// current. What cannot be met so, and the short ones, are left to each_distance().
  bool two_figures() {
    for (int round = 0; round < kRounds; ++round) {
      if (!try_it()) return false;
      log_.push_back(fmt::format("bandwidth_hz {:8.2f} current_a {:7.4f} coast_m_s {:6.4f} write_wedges {:2d}: {}",
                                 tried_.seek.bandwidth_hz, tried_.seek.current_a, tried_.seek.coast_m_s,
                                 tried_.settle.write_wedges, text_of(found_)));
      if (off(found_.average, figures_.average) < kNearer && off(found_.full, figures_.full) < kNearer &&
          std::fabs(found_.write_settle - figures_.write_settle) < kNearer * figures_.average)
        break;
      servo::SeekParams& seek = tried_.seek;
      seek.coast_m_s =
          std::min(kGreatestCoast, seek.coast_m_s * std::clamp(std::pow(found_.full / figures_.full, 1.2), 0.7, 1.4));
      seek.current_a = std::min(
          most_current_, seek.current_a * std::clamp(std::pow(found_.average / figures_.average, 1.2), 0.7, 1.4));
      wedges_for_writing();
    }
    return true;
  }

  /// The factor of each distance by which its path is stretched: by the secant through the last two times. Then all so
  /// that the least is 1: a path gone slower by a factor is that of the current over its square, the speed and the
  /// bandwidth over it.
  bool each_distance() {
    std::vector<servo::Stretch>& stretch = tried_.seek.stretch;
    for (const servo::CalibratedDistance& row : measured_.distances)
      stretch.push_back({static_cast<double>(row.cylinders), 1});
    std::vector<double> factors(stretch.size()), times(stretch.size()), slopes(stretch.size());
    for (int round = 0; round < kStretchRounds; ++round) {
      double worst = 0;
      for (std::size_t i = 0; i < stretch.size(); ++i) {
        const std::uint32_t distance = measured_.distances[i].cylinders;
        // Of reads and writes alike: what writes need more is not the same over all distances.
        const double want = to_seconds(wanted_.seek(distance)) + 0.5 * to_seconds(wanted_.write_settle());
        const double have = 0.5 * (measured_.mean_read(distance) + measured_.mean_write(distance));
        if (std::fabs(have - want) > kTooShort) worst = std::max(worst, off(have, want));
        double& factor = stretch[i].factor;
        const double metres = distance * tried_.pitch_m();
        const double path = servo::seek_profile(tried_, -0.5 * metres, metres).duration() / factor;
        // The window is reached before the path ends, and what shapes the current is not stretched.
        if (round == 0)
          slopes[i] = path;
        else if (std::fabs(factor / factors[i] - 1) > kFarEnough)
          slopes[i] = std::clamp((have - times[i]) / (factor - factors[i]), 0.2 * path, path);
        factors[i] = factor;
        times[i] = have;
        factor *= 1 + std::clamp((want - have) / slopes[i] / factor, -0.4, 0.4);
      }
      log_.push_back(fmt::format("each distance: at most {:.2f} % off", 100 * worst));
      if (worst < kCloseEnough) break;
      wedges_for_writing();
      if (!try_it()) return false;
    }
    return true;
  }

  FittedServo finish(bool settles) {
    std::vector<servo::Stretch>& stretch = tried_.seek.stretch;
    if (!stretch.empty()) {
      double least = stretch.front().factor;
      for (const servo::Stretch& row : stretch) least = std::min(least, row.factor);
      for (servo::Stretch& row : stretch) row.factor /= least;
      tried_.seek.current_a /= least * least;
      tried_.seek.coast_m_s /= least;
      tried_.seek.bandwidth_hz /= least;
      settles = settles && try_it();
    }
    FittedServo result;
    result.servo = tried_;
    result.wanted = figures_;
    result.found = found_;
    result.volts_there = tried_.driver.supply_v - tried_.driver.drop_v;
    if (settles)
      for (const servo::CalibratedDistance& row : measured_.distances)
        result.volts_needed = std::max(result.volts_needed, volts_of(tried_, row.cylinders * tried_.pitch_m()));
    result.log = std::move(log_);
    result.near = settles && off(found_.single, figures_.single) < kNear &&
                  off(found_.average, figures_.average) < kNear && off(found_.full, figures_.full) < kNear &&
                  std::fabs(found_.write_settle - figures_.write_settle) < kNear * figures_.average &&
                  result.volts_needed <= result.volts_there;
    return result;
  }

  servo::ServoParams tried_;
  const actuator::SeekProfile& wanted_;
  const SeekFigures figures_;
  double most_current_;
  servo::CalibrationPlan plan_;
  servo::Calibration measured_;
  SeekFigures found_{};
  std::vector<std::string> log_;
};

}  // namespace

std::string text_of(const SeekFigures& figures) {
  return fmt::format("{:.3f} {:.3f} {:.3f} ms, write {:.3f} ms", figures.single, figures.average, figures.full,
                     figures.write_settle);
}

FittedServo fit(const servo::ServoParams& given, const actuator::SeekProfile& wanted) {
  return Fit(given, wanted).run();
}

}  // namespace armature::servo_commands
