#include "armature/servo/seek.h"

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

constexpr double kLongest = 2;     // s: a profile that takes longer has no way to its end
constexpr double kArrived = 1e-3;  // of a track: where the law's tail is cut
constexpr double kReserve = 0.92;  // of the voltage: what is left for the loop

/// Share of a range by the acoustic level: 0 at 254, 1 at 128.
double quiet(const SeekParams& seek) {
  return static_cast<double>(254 - seek.acoustic_level) / (254 - 128);
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
  limits.by_current = limits.force / limits.mass * current;
  limits.voltage_drive = servo.driver.kind == static_cast<int>(DriverKind::voltage);
  limits.resistance = std::max(servo.driver.coil_ohm, 1e-3);
  limits.volts = kReserve * (servo.driver.supply_v - servo.driver.drop_v);
  limits.by_current = std::min(limits.by_current, limits.speeding_up(0));

  const double a = limits.by_current, alpha = seek.discount;
  const double omega = 2 * 3.14159265358979323846 * seek.bandwidth_hz;
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
    if (seek.coast_m_s > 0) wanted = std::clamp(wanted, -seek.coast_m_s, seek.coast_m_s);
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
  const auto length = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(smooth_us * 1e-6 / h)));
  const std::size_t n = acceleration.size() + length - 1;
  double sum = 0;
  x = v = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i < acceleration.size()) sum += acceleration[i];
    if (i >= length) sum -= acceleration[i - length];
    const double u = sign * sum / static_cast<double>(length);
    profile.acceleration.push_back(u);
    profile.position.push_back(x);
    profile.velocity.push_back(v);
    x += h * (v + 0.5 * h * u);
    v += h * u;
  }
  return profile;
}

}  // namespace armature::servo
