#include "bend.h"

#include "guidance.h"
#include "hold.h"

#include <algorithm>
#include <cmath>

namespace armature::servo {

Bend::Bend(const ServoParams& servo) {
  const double hold_s = servo.hold_s(), lag = lag_s(servo);
  const auto whole = static_cast<std::size_t>(std::floor(lag / hold_s + 1e-9));
  const double part = std::max(0.0, lag - static_cast<double>(whole) * hold_s);
  late_.assign(whole + 1, 0.0);
  const std::vector<Mode> modes = nominal_modes(servo.plant);
  for (std::size_t i = 1; i < modes.size(); ++i) {
    const Mode& mode = modes[i];
    if (mode.omega == 0) continue;
    const std::vector<double> a = {0, mode.omega, -mode.omega, -2 * mode.damping * mode.omega}, b = {0, mode.in};
    const Held all = armature::servo::hold(a, b, 1, hold_s), late = armature::servo::hold(a, b, 1, hold_s - part);
    blocks_.push_back({0, 0, all.transition[0], all.transition[1], all.transition[2], all.transition[3], all.input[0],
                       all.input[1], late.transition[0], late.transition[1], late.input[0], mode.out / mode.omega});
  }
}

void Bend::reset() {
  for (Block& m : blocks_) m.p = m.v = 0;
  std::fill(late_.begin(), late_.end(), 0.0);
}

void Bend::hold(double acceleration) {
  double sum = 0;
  for (Block& m : blocks_) {
    const double p = m.p, v = m.v;
    sum += m.out * (m.late_pp * p + m.late_pv * v + m.late_in * acceleration);
    m.p = m.pp * p + m.pv * v + m.in_p * acceleration;
    m.v = m.vp * p + m.vv * v + m.in_v * acceleration;
  }
  std::copy(late_.begin() + 1, late_.end(), late_.begin());
  late_.back() = sum;
}

}  // namespace armature::servo
