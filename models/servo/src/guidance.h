#pragma once

#include "armature/servo/params.h"
#include "armature/servo/seek.h"

#include <cmath>
#include <cstdint>

namespace armature::servo {

/// The command that moves a rigid arm as the profile says, hold by hold; behind its end the one that holds it there.
class Forward {
 public:
  /// References must outlive it.
  Forward(const ServoParams& servo, const SeekProfile& profile, double from_m)
      : plant_(servo.plant), profile_(profile), from_(from_m), on_(servo.seek.feed_forward) {
    const DriverParams& driver = servo.driver;
    if (driver.kind == DriverKind::voltage)
      amperes_per_speed_ = plant_.force_n_a() / (driver.coil_ohm + driver.amplifier_gain * driver.sense_ohm);
  }

  double command(std::size_t hold) const {
    const bool moving = hold < profile_.acceleration.size();
    const double x = from_ + (moving ? profile_.position[hold] : profile_.distance);
    const double share = 2 * x / (plant_.stroke_mm * 1e-3);
    const double factor = 1 - plant_.torque_rolloff_percent / 100 * share * share;
    // Friction builds up on the way and stays when the arm stops (Dahl's law for a move one way).
    const double rubs =
        plant_.friction_ma * 1e-3 * (1 - std::exp(-std::fabs(x - from_) / (plant_.friction_slip_um * 1e-6)));
    const double held = plant_.flex_bias_ma * 1e-3 + plant_.flex_spring_ma_mm * x + std::copysign(rubs, x - from_);
    if (!moving || !on_) return held / factor;
    const double pushed = profile_.acceleration[hold] * plant_.mass_kg() / plant_.force_n_a();
    return (pushed + held) / factor + factor * profile_.velocity[hold] * amperes_per_speed_;
  }

 private:
  const PlantParams& plant_;
  const SeekProfile& profile_;
  double from_;
  bool on_;
  double amperes_per_speed_ = 0;  // what the back-EMF takes off the current, for the amplifier's gain is finite
};

/// So many samples in a row within a window.
class Window {
 public:
  Window(double percent, std::int64_t wedges) : limit_(percent / 100), wanted_(wedges) {}
  void see(double error, double at) {
    row_ = std::fabs(error) < limit_ ? row_ + 1 : 0;
    if (row_ >= wanted_ && !settled_) {
      settled_ = true;
      at_ = at;
    }
  }
  /// Forgets what it has seen.
  void reset() {
    row_ = 0;
    settled_ = false;
  }
  bool within() const { return row_ >= wanted_; }  ///< the last samples were
  bool settled() const { return settled_; }
  double at() const { return at_; }

 private:
  double limit_;
  std::int64_t wanted_, row_ = 0;
  bool settled_ = false;
  double at_ = 0;
};

/// From a command to its effect, as the profile knows it: the plant's delay and the lag of the driver's current loop.
inline double lag_s(const ServoParams& servo) {
  double lag = servo.plant.input_delay_us * 1e-6;
  if (servo.driver.kind == DriverKind::voltage)
    lag += servo.driver.coil_mh * 1e-3 / (servo.driver.coil_ohm + servo.driver.amplifier_gain * servo.driver.sense_ohm);
  return lag;
}

}  // namespace armature::servo
