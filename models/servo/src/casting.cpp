#include "armature/servo/casting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

constexpr double kGap = 0.01;    // of the time between two wedges
constexpr double kMargin = 2.0;  // for the resonance of the loops

}  // namespace

Casting::Casting(const ServoParams& servo, unsigned arms) {
  const CouplingParams& coupling = servo.coupling;
  if (coupling.base_kg_cm2 <= 0) return;
  radius_m_ = (coupling.radius_mm > 0 ? coupling.radius_mm : servo.plant.arm_radius_mm) * 1e-3;
  inertia_ = coupling.base_kg_cm2 * 1e-4;
  const double least = kMargin * (arms - 1) * servo.plant.mass_kg() * radius_m_ * radius_m_;
  if (inertia_ < least)
    servo.fail(
        "coupling.base_kg_cm2",
        fmt::format("the {} arms would shake a drive of so small a moment of inertia more and more: {:.3g} kg cm2 "
                    "at least",
                    arms, least * 1e4));
  omega_ = 2 * std::acos(-1.0) * coupling.frequency_hz;
  damping_ = coupling.damping;
  sources_.resize(arms);
}

/// Of theta'' + 2 z w theta' + w^2 theta = torque, torque held, z < 1.
Casting::State Casting::after(State state, double torque, double length_s) const {
  if (length_s <= 0) return state;
  const double rest = torque / (omega_ * omega_), decay = damping_ * omega_;
  const double turning = omega_ * std::sqrt(1 - damping_ * damping_);
  const double off = state.angle - rest, swing = (state.speed + decay * off) / turning;
  const double fall = std::exp(-decay * length_s), c = std::cos(turning * length_s), s = std::sin(turning * length_s);
  const double angle = fall * (off * c + swing * s);
  return {rest + angle, -decay * angle + fall * turning * (swing * c - off * s)};
}

/// Time in which nobody pushed any more. A wedge comes a little before or after its time; that is no gap.
double Casting::gap(const Source& source, double at_s) {
  const double gap = at_s - source.end;
  return gap > kGap * (source.end - source.begin) ? gap : 0;
}

void Casting::push(unsigned arm, double begin_s, double length_s, double force_n) {
  Source& source = sources_[arm];
  const double silent = gap(source, begin_s);
  State state = after({source.angle, source.speed}, source.torque, std::min(begin_s, source.end) - source.begin);
  state = after(state, 0, silent);
  const double before = silent > 0 ? 0 : source.torque;
  source = {begin_s, begin_s + length_s, state.angle, state.speed, -force_n * radius_m_ / inertia_, before};
}

/// theta'' just before `at_s`.
double Casting::turning(const Source& source, double at_s) const {
  State state{source.angle, source.speed};
  double torque = source.torque_before;
  if (at_s > source.begin) {
    const double silent = gap(source, at_s);
    torque = silent > 0 ? 0 : source.torque;
    state = after(state, source.torque, std::min(at_s, source.end) - source.begin);
    state = after(state, 0, silent);
  }
  return torque - 2 * damping_ * omega_ * state.speed - omega_ * omega_ * state.angle;
}

double Casting::turning(double at_s) const {
  double sum = 0;
  for (const Source& source : sources_) sum += turning(source, at_s);
  return sum;
}

double Casting::acceleration(unsigned arm, double at_s) const {
  double sum = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (i != arm) sum += turning(sources_[i], at_s);
  return -radius_m_ * sum;
}

}  // namespace armature::servo
