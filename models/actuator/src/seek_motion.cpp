#include "armature/actuator/seek_motion.h"

#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::actuator {
namespace {

constexpr unsigned kStepsOfPhase = 8;
constexpr unsigned kLooks = 64;  // at the voltage and the power of a seek
constexpr double kTooMuchVoltage = 1.001;

double squared(double x) {
  return x * x;
}
double cubed(double x) {
  return x * x * x;
}

}  // namespace

void CoilParams::keys(KeyVisitor& v) {
  v.key("stroke_mm", stroke_mm, "mm", {0, 1'000},
        "Distance of the heads from the first to the last cylinder; 0: the actuator is unknown, and a seek has no "
        "phases");
  v.key("mass_g", mass_g, "g", {1e-3, 1e4},
        "Moving mass at the heads: moment of inertia over the square of the arm's length");
  v.key("force_n_a", force_n_a, "", {1e-3, 1e4}, "Force at the heads for each ampere of the coil, N");
  v.key("resistance_ohm", resistance_ohm, "", {1e-3, 1e4}, "Winding and driver, ohm");
  v.key("coast_m_s", coast_m_s, "m/s", {0, 100}, "Fastest that the heads go; 0: no limit");
  v.key("ramp", ramp, "", {0, 0.5}, "Part of the acceleration in which the current rises, and again in which it falls");
  v.key("settle_ms", settle_ms, "ms", {0, 100}, "Part of each seek after the arm has come to a stop");
  choice(v, "driver", driver, {"pwm", "linear"},
         "Switching: the rail gives the winding's heat and the arm's kinetic energy, and gets that back when it "
         "brakes; linear: it gives the coil's current at its full voltage");
  choice(v, "supply", supply, {"12V", "5V"}, "Rail that feeds the driver");
}

SeekMotion SeekMotion::in_time(double distance_m, double time_s, double limit_m_s, double ramp) {
  SeekMotion motion;
  motion.ramp = ramp;
  motion.accelerate_s = time_s / 2;
  motion.velocity_m_s = distance_m / motion.accelerate_s;
  if (limit_m_s > 0 && motion.velocity_m_s > limit_m_s) {
    motion.velocity_m_s = limit_m_s;
    motion.accelerate_s = time_s - distance_m / limit_m_s;
    if (!(motion.accelerate_s > 0))
      throw InputError(fmt::format("{:.4g} m/s at most (coast_m_s) need {:.3f} ms for the way alone", limit_m_s,
                                   distance_m / limit_m_s * 1e3));
    motion.coast_s = time_s - 2 * motion.accelerate_s;
  }
  motion.acceleration_m_s2 = motion.velocity_m_s / (motion.accelerate_s * (1 - ramp));
  return motion;
}

SeekMotion SeekMotion::fastest(double distance_m, double acceleration_m_s2, double limit_m_s, double ramp) {
  SeekMotion motion;
  motion.ramp = ramp;
  motion.acceleration_m_s2 = acceleration_m_s2;
  const double mean = acceleration_m_s2 * (1 - ramp);
  motion.accelerate_s = std::sqrt(distance_m / mean);
  motion.velocity_m_s = mean * motion.accelerate_s;
  if (limit_m_s > 0 && motion.velocity_m_s > limit_m_s) {
    motion.velocity_m_s = limit_m_s;
    motion.accelerate_s = limit_m_s / mean;
    motion.coast_s = distance_m / limit_m_s - motion.accelerate_s;
  }
  return motion;
}

double SeekMotion::acceleration_at(double t) const {
  if (t > duration_s() / 2) return -acceleration_at(duration_s() - t);
  if (t < 0 || t > accelerate_s) return 0;
  const double rise = ramp * accelerate_s, rest = accelerate_s - t;
  if (rise > 0 && t < rise) return acceleration_m_s2 * t / rise;
  if (rise > 0 && rest < rise) return acceleration_m_s2 * rest / rise;
  return acceleration_m_s2;
}

double SeekMotion::velocity_at(double t) const {
  if (t > duration_s() / 2) return velocity_at(duration_s() - t);
  if (t <= 0) return 0;
  if (t >= accelerate_s) return velocity_m_s;
  const double rise = ramp * accelerate_s, rest = accelerate_s - t;
  if (t < rise) return acceleration_m_s2 * squared(t) / (2 * rise);
  if (rest < rise) return velocity_m_s - acceleration_m_s2 * squared(rest) / (2 * rise);
  return acceleration_m_s2 * (t - rise / 2);
}

double SeekMotion::position_at(double t) const {
  if (t > duration_s() / 2) return distance_m() - position_at(duration_s() - t);
  if (t <= 0) return 0;
  if (t >= accelerate_s) return velocity_m_s * (t - accelerate_s / 2);
  const double rise = ramp * accelerate_s, rest = accelerate_s - t;
  if (t < rise) return acceleration_m_s2 * cubed(t) / (6 * rise);
  if (rest < rise) return velocity_m_s * (accelerate_s / 2 - rest) + acceleration_m_s2 * cubed(rest) / (6 * rise);
  return acceleration_m_s2 * (squared(t - rise / 2) / 2 + squared(rise) / 24);
}

double SeekMotion::squared_to(double t) const {
  const double rise = ramp * accelerate_s;
  const double whole = squared(acceleration_m_s2) * (accelerate_s - rise * 4 / 3);
  if (t > duration_s() / 2) return 2 * whole - squared_to(duration_s() - t);
  if (t <= 0) return 0;
  if (t >= accelerate_s) return whole;
  const double rest = accelerate_s - t;
  if (t < rise) return squared(acceleration_m_s2 / rise) * cubed(t) / 3;
  if (rest < rise) return whole - squared(acceleration_m_s2 / rise) * cubed(rest) / 3;
  return squared(acceleration_m_s2) * (t - rise * 2 / 3);
}

CoilMove::CoilMove(const CoilParams& coil, double distance_m, Ps time) : coil_(coil) {
  const Ps moving = time - from_ms(coil.settle_ms);
  if (moving <= 0) throw InputError(fmt::format("settle_ms = {} leaves no time for the way", coil.settle_ms));
  motion_ = SeekMotion::in_time(distance_m, to_seconds(moving), coil.coast_m_s, coil.ramp);
  const Ps accelerate = from_seconds(motion_.accelerate_s);
  begins_ = {0, std::min(accelerate, moving / 2), std::max(moving - accelerate, moving / 2), moving};
  if (motion_.coast_s <= 0) begins_[1] = begins_[2] = moving / 2;
  double most = 0;
  for (unsigned i = 0; i <= kLooks; ++i) most = std::max(most, std::fabs(volts_at(motion_.accelerate_s * i / kLooks)));
  if (most > coil.supply_v() * kTooMuchVoltage)
    throw InputError(fmt::format("the coil needs {:.2f} V of a rail of {} V", most, coil.supply_v()));
}

double CoilMove::current_at(double t) const {
  return coil_.mass_g * 1e-3 * motion_.acceleration_at(t) / coil_.force_n_a;
}

double CoilMove::volts_at(double t) const {
  return coil_.resistance_ohm * current_at(t) + coil_.force_n_a * motion_.velocity_at(t);
}

double CoilMove::watts_at(double t) const {
  const double current = current_at(t);
  return coil_.driver == CoilParams::linear ? coil_.supply_v() * std::fabs(current)
                                            : std::max(0.0, current * volts_at(t));
}

double CoilMove::joules(double from, double to) const {
  const double mass = coil_.mass_g * 1e-3, amperes = mass / coil_.force_n_a;
  const double before = motion_.velocity_at(from), behind = motion_.velocity_at(to);
  if (coil_.driver == CoilParams::linear) return coil_.supply_v() * amperes * std::fabs(behind - before);
  const double heat = coil_.resistance_ohm * squared(amperes) * (motion_.squared_to(to) - motion_.squared_to(from));
  return std::max(0.0, heat + mass * (squared(behind) - squared(before)) / 2);
}

std::vector<CoilMove::Step> CoilMove::steps() const {
  std::vector<Step> steps;
  const auto add = [&](Ps from, Ps to, unsigned parts) {
    for (unsigned i = 0; i < parts; ++i) {
      const Ps begin = from + (to - from) * i / parts, end = from + (to - from) * (i + 1) / parts;
      if (end > begin) steps.push_back({begin, joules(to_seconds(begin), to_seconds(end)) / to_seconds(end - begin)});
    }
  };
  add(begins_[0], begins_[1], kStepsOfPhase);
  add(begins_[1], begins_[2], 1);
  add(begins_[2], begins_[3], kStepsOfPhase);
  steps.push_back({begins_[3], 0});
  return steps;
}

double CoilMove::joules(SeekPhase phase) const {
  if (phase == SeekPhase::settle) return 0;
  const Ps from = begins(phase), to = begins_[static_cast<std::size_t>(phase) + 1];
  const std::vector<Step> all = steps();
  double sum = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i].after >= from && all[i].after < to) sum += all[i].watts * to_seconds(all[i + 1].after - all[i].after);
  return sum;
}

double CoilMove::peak_w() const {
  double most = 0;
  for (unsigned i = 0; i <= kLooks; ++i) most = std::max(most, watts_at(motion_.accelerate_s * i / kLooks));
  return most;
}

double CoilMove::position_part(Ps after) const {
  return motion_.position_at(std::min(to_seconds(after), motion_.duration_s())) / motion_.distance_m();
}

}  // namespace armature::actuator
