#pragma once

#include "armature/servo/mode.h"
#include "armature/servo/plant.h"

#include <array>
#include <vector>

namespace armature::servo {

/// The equations of Plant with all that is not linear in them, and their solution over a short time as a Taylor series:
/// the products (torque factor times current, velocity times friction) are Cauchy products of series, so each
/// coefficient follows from those before it (Moore 1966; Jorba and Zou 2005). No step size is chosen beyond that the
/// fastest mode turns by at most 3 rad.
struct Equations {
  std::vector<Mode> modes;
  double mass = 1;        // kg
  double force = 1;       // N/A in the middle
  double rolloff = 0;     // 1/m2: Kt(x) = force (1 - rolloff x^2)
  double bias = 0;        // N, flex cable in the middle
  double spring = 0;      // N/m
  double slip = 0;        // N, pivot friction; 0: none
  double slip_slope = 0;  // N/m: Dahl's sigma
  bool voltage_drive = false;
  double resistance = 0, inductance = 1, feedback = 0, amplifier = 1;
  double limit = 0;     // V, what the driver can give
  DriverParams driver;  // what the rail gives

  double command_scale() const { return (resistance + amplifier * feedback) / amplifier; }
  double fastest() const;  ///< rad/s, or the rate of the coil's current
};

/// The state: of mode k the position times its frequency (a free mass: the position) at 2k and the velocity at 2k + 1.
struct ArmState {
  std::vector<double> modes;
  double current = 0;
  double friction = 0;  ///< N
};

enum class Driver { linear, high, low };

class Series {
 public:
  explicit Series(const Equations& equations);

  /// Moves `state` on by `dt` with a command (A) and an acceleration of the base held. Adds to `energy` if it is there.
  void advance(ArmState& state, double dt, double command, double base, CoilEnergy* energy);
  Driver driver() const { return driver_; }
  void set_driver(Driver driver) { driver_ = driver; }
  std::size_t pieces() const { return pieces_; }

 private:
  static constexpr std::size_t kTerms = 28;
  using Coefficients = std::array<double, kTerms>;

  /// The first instant (0 to 1) at which the equations change, and what the driver does then; over 1: there is none.
  struct Event {
    double at = 2;
    Driver driver = Driver::linear;
  };

  void choose_driver(const ArmState& state, double command);
  double rate(ArmState& state) const;
  std::size_t expand(const ArmState& state, double dt, double fastest, double command, double base);
  Event event(std::size_t terms) const;
  double crossing(const Coefficients& of, double level, bool upwards, std::size_t terms, double limit) const;
  void evaluate(ArmState& state, double at, std::size_t terms) const;
  void integrate(double until, double dt, double base, std::size_t terms, CoilEnergy& energy) const;

  const Equations& eq_;
  Driver driver_ = Driver::linear;
  double sign_ = 0;  // of the coil's velocity, for friction
  std::size_t pieces_ = 0;
  std::vector<Coefficients> state_;
  Coefficients coil_{}, coil_velocity_{}, square_{}, factor_{}, current_{}, drive_{}, friction_{};
};

}  // namespace armature::servo
