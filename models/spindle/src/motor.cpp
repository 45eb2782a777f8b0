#include "armature/spindle/motor.h"

#include "armature/core/angle.h"
#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace armature::spindle {
namespace {

constexpr double kRest = 0.01;    // of full speed: it stands
constexpr double kLongest = 600;  // s, of a change
constexpr unsigned kSteps = 512;  // of the speed

double rad_s(double rpm) {
  return rpm * kTwoPi / 60;
}

/// What a change of speed by dw takes: dt/dw and dE/dw.
struct Rates {
  double s;
  double joules;
};

/// Integral over the speed from a to b by Simpson's rule over four parts.
template <class Of>
Rates integral(double a, double b, const Of& of) {
  constexpr int kParts = 4;
  Rates sum{0, 0};
  for (int i = 0; i <= 2 * kParts; ++i) {
    const Rates here = of(a + (b - a) * i / (2 * kParts));
    const double weight = i == 0 || i == 2 * kParts ? 1 : i % 2 == 1 ? 4 : 2;
    sum.s += weight * here.s;
    sum.joules += weight * here.joules;
  }
  const double width = std::fabs(b - a) / (6 * kParts);
  return {sum.s * width, sum.joules * width};
}

}  // namespace

void MotorParams::keys(KeyVisitor& v) {
  v.key("torque_mn_m_a", torque_mn_m_a, "mN m/A", {0, 1'000},
        "Torque constant, and in mV s/rad that of the back-EMF. 0: no motor, times of section spindle");
  v.key("winding_ohm", winding_ohm, "Ohm", {0.01, 100}, "Resistance of two phases and of the driver's transistors");
  v.key("supply_v", supply_v, "V", {1, 60}, "Rail");
  v.key("drop_v", drop_v, "V", {0, 10}, "Lost in the driver whatever the current is");
  v.key("limit_a", limit_a, "A", {0.01, 100}, "Current limit");
  v.key("inertia_g_cm2", inertia_g_cm2, "g cm2", {0.1, 1e5}, "Moment of inertia of rotor, hub and disks");
  v.key("windage_w", windage_w, "W", {0, 100}, "Power that the air takes at reference_rpm; goes with speed^2.8");
  v.key("bearing_w", bearing_w, "W", {0, 100}, "Power that the bearings' fluid takes there; goes with speed^2");
  v.key("friction_mn_m", friction_mn_m, "mN m", {0, 100}, "Torque of friction that does not depend on the speed");
  v.key("reference_rpm", reference_rpm, "rpm", {0, 60'000}, "Speed for which windage_w and bearing_w hold; 0: rpm");
  v.key("brakes", brakes, "The windings are shorted when the stack is to slow down or to stand");
}

SpeedChange::Point SpeedChange::at(double s) const {
  const auto after =
      std::upper_bound(points_.begin(), points_.end(), s, [](double t, const Point& point) { return t < point.s; });
  if (after == points_.begin()) return points_.front();
  if (after == points_.end()) return points_.back();
  const Point &a = *(after - 1), &b = *after;
  const double part = (s - a.s) / (b.s - a.s);
  const auto between = [part](double from, double to) { return from + part * (to - from); };
  return {s, between(a.rad_s, b.rad_s), between(a.amperes, b.amperes), between(a.joules, b.joules)};
}

double SpeedChange::when(double rad_s) const {
  const bool rises = points_.back().rad_s > points_.front().rad_s;
  const auto after = std::lower_bound(points_.begin(), points_.end(), rad_s, [rises](const Point& point, double speed) {
    return rises ? point.rad_s < speed : point.rad_s > speed;
  });
  if (after == points_.begin()) return points_.front().s;
  if (after == points_.end()) return points_.back().s;
  const Point &a = *(after - 1), &b = *after;
  return a.s + (rad_s - a.rad_s) / (b.rad_s - a.rad_s) * (b.s - a.s);
}

std::vector<double> SpeedChange::mean_watts(unsigned parts) const {
  std::vector<double> means;
  const double width = seconds() / parts;
  for (unsigned i = 0; i < parts; ++i) means.push_back((at(width * (i + 1)).joules - at(width * i).joules) / width);
  return means;
}

Motor::Motor(const MotorParams& params, double rpm)
    : params_(params),
      torque_(params.torque_mn_m_a * 1e-3),
      inertia_(params.inertia_g_cm2 * 1e-7),
      full_(rad_s(rpm)),
      reference_(rad_s(params.reference_rpm > 0 ? params.reference_rpm : rpm)) {
  up_ = speed_up();
  coast_ = slow_down(false);
  down_ = params.brakes ? slow_down(true) : coast_;
}

double Motor::drag_n_m(double w) const {
  const double part = w / reference_;
  return params_.friction_mn_m * 1e-3 +
         (params_.windage_w * std::pow(part, 1.8) + params_.bearing_w * part) / reference_;
}

double Motor::kinetic_j() const {
  return inertia_ * full_ * full_ / 2;
}

double Motor::current_up(double w) const {
  const double possible = (params_.supply_v - params_.drop_v - torque_ * w) / params_.winding_ohm;
  return std::min(params_.limit_a, possible);
}

double Motor::watts_up(double w, double amperes) const {
  return (params_.winding_ohm * amperes + torque_ * w + params_.drop_v) * amperes;
}

SpeedChange Motor::speed_up() const {
  const auto spare = [this](double w) { return torque_ * current_up(w) - drag_n_m(w); };
  const auto fail = [this](const char* what) {
    throw InputError(
        fmt::format("spindle.motor.torque_mn_m_a: {}: at {:.0f} rpm the motor has {:.3f} N m and the stack "
                    "takes {:.3f}",
                    what, full_ * 60 / kTwoPi, torque_ * current_up(full_), drag_n_m(full_)));
  };
  // The current falls and the drag rises with the speed: the ends tell.
  if (!(spare(0) > 0)) throw InputError("spindle.motor.friction_mn_m: the motor does not start the stack");
  if (!(spare(full_) > 0)) fail("the stack does not come to its speed");
  const auto rates = [&](double w) {
    const double s = inertia_ / spare(w);
    return Rates{s, s * watts_up(w, current_up(w))};
  };
  // From this speed on the back-EMF leaves less than the limit: the integrand has a corner there.
  const double corner = (params_.supply_v - params_.drop_v - params_.winding_ohm * params_.limit_a) / torque_;
  std::vector<SpeedChange::Point> points{{0, 0, current_up(0), 0}};
  for (unsigned i = 1; i <= kSteps; ++i) {
    const double from = full_ * (i - 1) / kSteps, to = full_ * i / kSteps;
    SpeedChange::Point next = points.back();
    const double middle = std::clamp(corner, from, to);
    for (const auto& [a, b] : {std::pair(from, middle), std::pair(middle, to)}) {
      if (!(b > a)) continue;
      const Rates taken = integral(a, b, rates);
      next.s += taken.s;
      next.joules += taken.joules;
    }
    next.rad_s = to;
    next.amperes = current_up(to);
    points.push_back(next);
  }
  if (points.back().s > kLongest) fail(fmt::format("the stack needs {:.0f} s for its speed", points.back().s).c_str());
  return SpeedChange(std::move(points));
}

SpeedChange Motor::slow_down(bool brakes) const {
  const auto current = [&](double w) {
    return brakes ? std::min(params_.limit_a, torque_ * w / params_.winding_ohm) : 0.0;
  };
  const auto rates = [&](double w) { return Rates{inertia_ / (torque_ * current(w) + drag_n_m(w)), 0}; };
  const double corner = brakes ? params_.limit_a * params_.winding_ohm / torque_ : 0;
  std::vector<SpeedChange::Point> points{{0, full_, -current(full_), 0}};
  // In equal ratios of the speed: it falls ever slower.
  for (unsigned i = 1; i <= kSteps; ++i) {
    const double from = points.back().rad_s, to = full_ * std::pow(kRest, static_cast<double>(i) / kSteps);
    const double middle = std::clamp(corner, to, from);
    const double s = integral(from, middle, rates).s + integral(middle, to, rates).s;
    points.push_back({points.back().s + s, to, -current(to), 0});
  }
  if (!(points.back().s <= kLongest))
    throw InputError(
        fmt::format("spindle.motor.friction_mn_m: a stack that coasts stands after {:.0f} s only; at most "
                    "{:.0f} s are simulated",
                    points.back().s, kLongest));
  return SpeedChange(std::move(points));
}

}  // namespace armature::spindle
