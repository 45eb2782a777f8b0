#pragma once

#include "armature/servo/mode.h"
#include "armature/servo/params.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace armature::testing {

/// The equations of voice coil and arm as docs/guide/servo.md states them, integrated by the classical Runge-Kutta
/// formula in very small steps: what models/servo is held against. Shares nothing with it but the list of modes.
class FineArm {
 public:
  FineArm(const servo::PlantParams& plant, const servo::DriverParams& driver)
      : modes_(servo::true_modes(plant)), plant_(plant), driver_(driver), y_(2 * modes_.size() + 2, 0.0) {}

  void run(double time_s, double command_a, double base_m_s2, int steps) {
    const double h = time_s / steps;
    std::vector<double> k1(y_.size()), k2(k1), k3(k1), k4(k1), at(k1);
    for (int n = 0; n < steps; ++n) {
      slope(y_, command_a, base_m_s2, k1);
      for (std::size_t i = 0; i < y_.size(); ++i) at[i] = y_[i] + 0.5 * h * k1[i];
      slope(at, command_a, base_m_s2, k2);
      for (std::size_t i = 0; i < y_.size(); ++i) at[i] = y_[i] + 0.5 * h * k2[i];
      slope(at, command_a, base_m_s2, k3);
      for (std::size_t i = 0; i < y_.size(); ++i) at[i] = y_[i] + h * k3[i];
      slope(at, command_a, base_m_s2, k4);
      for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
  }

  void place(double position_m) { y_[0] = position_m; }
  double position() const {
    double sum = 0;
    for (std::size_t i = 0; i < modes_.size(); ++i) sum += modes_[i].out * y_[2 * i];
    return sum;
  }
  double velocity() const {
    double sum = 0;
    for (std::size_t i = 0; i < modes_.size(); ++i) sum += modes_[i].out * y_[2 * i + 1];
    return sum;
  }
  double current() const { return y_[2 * modes_.size()]; }

 private:
  void slope(const std::vector<double>& y, double command, double base, std::vector<double>& dy) const {
    const std::size_t n = modes_.size();
    const double mass = plant_.mass_kg(), middle = plant_.force_n_a();
    double coil = 0, velocity = 0;
    for (std::size_t i = 0; i < n; ++i) {
      coil += modes_[i].in * y[2 * i];
      velocity += modes_[i].in * y[2 * i + 1];
    }
    const double share = 2 * coil / (plant_.stroke_mm * 1e-3);
    const double torque = middle * (1 - plant_.torque_rolloff_percent / 100 * share * share);
    const bool voltage = driver_.kind == servo::DriverKind::voltage;
    const double current = voltage ? y[2 * n] : command;
    const double limit = driver_.supply_v - driver_.drop_v;
    const double at_rest = driver_.coil_ohm + driver_.amplifier_gain * driver_.sense_ohm;
    const double drive =
        std::clamp(at_rest * command - driver_.amplifier_gain * driver_.sense_ohm * current, -limit, limit);
    dy[2 * n] = voltage ? (drive - driver_.coil_ohm * current - torque * velocity) / (driver_.coil_mh * 1e-3) : 0;
    const double slip = middle * plant_.friction_ma * 1e-3;
    dy[2 * n + 1] = 0;
    if (slip > 0)
      dy[2 * n + 1] = slip / (plant_.friction_slip_um * 1e-6) * (velocity - std::fabs(velocity) * y[2 * n + 1] / slip);
    const double force =
        torque * current - y[2 * n + 1] - middle * (plant_.flex_bias_ma * 1e-3 + plant_.flex_spring_ma_mm * coil);
    for (std::size_t i = 0; i < n; ++i) {
      const servo::Mode& m = modes_[i];
      dy[2 * i] = y[2 * i + 1];
      dy[2 * i + 1] =
          m.in * (force / mass + base) - 2 * m.damping * m.omega * y[2 * i + 1] - m.omega * m.omega * y[2 * i];
    }
  }

  std::vector<servo::Mode> modes_;
  servo::PlantParams plant_;
  servo::DriverParams driver_;
  std::vector<double> y_;  // position and velocity of each mode, current, friction
};

}  // namespace armature::testing
