#include "armature/servo/seek.h"

#include "armature/core/angle.h"
#include "armature/servo/mode.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace armature::servo {
namespace {

constexpr double kLongest = 2;     // s: a profile that takes longer has no way to its end
constexpr double kArrived = 1e-3;  // of a track: where the law's tail is cut
constexpr double kMoving = 0.02;   // of the greatest acceleration: less is coasting
constexpr double kReserve = 0.92;  // of the voltage: what is left for the loop

/// Share of a range by the acoustic level: 0 at 254, 1 at 128.
double quiet(const SeekParams& seek) {
  return static_cast<double>(kLoudest - seek.acoustic_level) / static_cast<double>(kLoudest - kQuietest);
}

/// The law's greatest accelerations.
struct Limits {
  double by_current;  // m/s2
  double force, mass, resistance, volts;
  bool voltage_drive;

  double speeding_up(double speed) const {
    if (!voltage_drive) return by_current;
    return std::min(by_current, std::max(0.0, force / mass * (volts - force * speed) / resistance));
  }
};

/// The mean over so many holds, the last one by a part.
std::vector<double> average(double holds) {
  std::vector<double> weights(static_cast<std::size_t>(std::max(1.0, holds)), 1.0);
  const double rest = std::max(1.0, holds) - static_cast<double>(weights.size());
  if (rest > 1e-6) weights.push_back(rest);
  for (double& weight : weights) weight /= std::max(1.0, holds);
  return weights;
}

/// Weights over a period of a mode that fall as it does: the mode, hit by each of them, comes to rest. The last two are
/// such that this holds exactly, sum of w_j z^-j = 0 at the mode's pole z (input shaping: Singer and Seering 1990).
std::vector<double> shaper(const Mode& mode, double hold_s) {
  using Complex = std::complex<double>;
  const double fall = mode.damping * mode.omega, swing = mode.omega * std::sqrt(1 - mode.damping * mode.damping);
  const auto holds = static_cast<std::size_t>(kTwoPi / (swing * hold_s));
  const auto hit = [&](std::size_t j) { return std::exp(Complex(fall, -swing) * hold_s * static_cast<double>(j)); };
  std::vector<double> weights;
  Complex rest = 0;
  for (std::size_t j = 0; j + 1 < holds; ++j) {
    weights.push_back(std::exp(-fall * hold_s * static_cast<double>(j)));
    rest -= weights.back() * hit(j);
  }
  const Complex a = hit(holds - 1), b = hit(holds);
  const double determinant = a.real() * b.imag() - b.real() * a.imag();
  weights.push_back((rest.real() * b.imag() - b.real() * rest.imag()) / determinant);
  weights.push_back((a.real() * rest.imag() - rest.real() * a.imag()) / determinant);
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<double> filtered(const std::vector<double>& input, const std::vector<double>& weights) {
  std::vector<double> output(input.size() + weights.size() - 1, 0.0);
  for (std::size_t i = 0; i < input.size(); ++i)
    for (std::size_t j = 0; j < weights.size(); ++j) output[i + j] += input[i] * weights[j];
  return output;
}

}  // namespace

double SeekProfile::position_at(double time_s) const {
  if (time_s <= 0) return 0;
  const auto hold = static_cast<std::size_t>(time_s / hold_s);
  if (hold >= acceleration.size()) return distance;
  const double t = time_s - static_cast<double>(hold) * hold_s;
  return position[hold] + t * (velocity[hold] + 0.5 * t * acceleration[hold]);
}

SeekProfile seek_profile(const ServoParams& servo, double from_m, double distance_m) {
  const SeekParams& seek = servo.seek;
  SeekProfile profile;
  profile.hold_s = servo.hold_s();
  profile.distance = distance_m;
  const double way = std::fabs(distance_m), sign = distance_m < 0 ? -1 : 1;

  Limits limits{};
  limits.mass = servo.plant.mass_kg();
  // Where the torque factor is least on the way, and the flex cable's pull is to be held too.
  const double far = std::max(std::fabs(from_m), std::fabs(from_m + distance_m)) / (servo.plant.stroke_mm * 0.5e-3);
  limits.force = servo.plant.force_n_a() * (1 - servo.plant.torque_rolloff_percent / 100 * std::min(1.0, far * far));
  const double share = 1 - quiet(seek) * (1 - seek.quiet_current_percent / 100);
  double current = seek.current_a * share;
  if (servo.driver.max_current_a > 0) current = std::min(current, kReserve * servo.driver.max_current_a);
  // A path gone s times slower: its acceleration by the square of s, speed and bandwidth by s.
  const double slower = seek.stretch_over(way / servo.pitch_m()), coast = seek.coast_m_s / slower;
  limits.by_current = limits.force / limits.mass * current / (slower * slower);
  limits.voltage_drive = servo.driver.kind == DriverKind::voltage;
  limits.resistance = std::max(servo.driver.coil_ohm, 1e-3);
  limits.volts = kReserve * (servo.driver.supply_v - servo.driver.drop_v);
  limits.by_current = std::min(limits.by_current, limits.speeding_up(0));

  const double a = limits.by_current, alpha = seek.discount;
  const double omega = kTwoPi * seek.bandwidth_hz / slower;
  const double k1 = omega * omega / a, k2 = 2 * seek.damping * omega / a;
  const double linear = 0.5 * a * alpha * (k2 / k1) * (k2 / k1), offset = 0.5 * a * alpha * k2 / k1;
  const double h = profile.hold_s, arrived = kArrived * servo.pitch_m();
  double x = 0, v = 0;
  std::vector<double> acceleration;
  while (static_cast<double>(acceleration.size()) * h < kLongest) {
    const double e = way - x;
    if (std::fabs(e) < arrived && std::fabs(v) * h < arrived) break;
    double wanted =
        std::fabs(e) <= linear ? k1 / k2 * e : std::copysign(std::sqrt(2 * a * alpha * std::fabs(e)) - offset, e);
    if (coast > 0) wanted = std::clamp(wanted, -coast, coast);
    double u = std::clamp(k2 * (wanted - v), -1.0, 1.0) * a;
    u = std::min(u, limits.speeding_up(v));
    acceleration.push_back(u);
    x += h * (v + 0.5 * h * u);
    v += h * u;
  }
  if (static_cast<double>(acceleration.size()) * h >= kLongest)
    servo.fail("seek.current_a",
               "the profile does not arrive within 2 s: current, coasting speed or bandwidth is too small");
  // The little that is left of way and speed goes into the first and the last hold: the path ends at its end, at rest.
  if (acceleration.size() < 2) acceleration.resize(2, 0.0);
  const auto last = static_cast<double>(acceleration.size() - 1);
  const double first = ((way - x) / (h * h) + 0.5 * v / h) / last;
  acceleration.front() += first;
  acceleration.back() -= v / h + first;
  const double smooth_us =
      seek.smooth_us + quiet(seek) * (std::max(seek.quiet_smooth_us, seek.smooth_us) - seek.smooth_us);
  std::vector<double> u = filtered(acceleration, average(smooth_us * 1e-6 / h));
  for (const double number : seek.shape_modes)
    u = filtered(u, shaper(nominal_modes(servo.plant)[static_cast<std::size_t>(number) - 1], h));
  x = v = 0;
  for (double& one : u) {
    one *= sign;
    profile.position.push_back(x);
    profile.velocity.push_back(v);
    x += h * (v + 0.5 * h * one);
    v += h * one;
  }
  profile.acceleration = std::move(u);
  return profile;
}

std::vector<SeekPhase> phases_of(const SeekProfile& profile) {
  double greatest = 0;
  for (const double a : profile.acceleration) greatest = std::max(greatest, std::fabs(a));
  std::vector<SeekPhase> phases;
  bool braking = false;
  for (const double a : profile.acceleration) {
    const double along = profile.distance < 0 ? -a : a;
    braking = braking || along < -kMoving * greatest;
    phases.push_back(braking                      ? SeekPhase::decelerate
                     : along > kMoving * greatest ? SeekPhase::accelerate
                                                  : SeekPhase::coast);
  }
  return phases;
}

}  // namespace armature::servo
