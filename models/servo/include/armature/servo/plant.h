#pragma once

#include "armature/servo/mode.h"
#include "armature/servo/params.h"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace armature::servo {

/// Where the joules of the voice coil went since the last reset, J.
struct CoilEnergy {
  double rail = 0;      ///< taken from the supply (DriverParams::rail_w)
  double coil = 0;      ///< given to the coil's ends: voltage times current
  double heat = 0;      ///< of the coil's resistance
  double damping = 0;   ///< of the modes
  double friction = 0;  ///< of the pivot
  double outside = 0;   ///< given by shocks and vibration of the base
};

/// Voice coil, arm and driver: section `plant` with `driver`, from a commanded current to the head's position.
///
/// Modes in modal state, force F = Kt(x) i of the coil, Kt(x) = Kt (1 - r (2 x / stroke)^2), back-EMF Kt(x) times the
/// coil's velocity (the same constant, so that no energy appears), L di/dt = v - R i - EMF, an amplifier
/// v = A (s u - Rs i) with s such that its gain at rest is one, cut off at the supply less its drop; pivot friction by
/// Dahl's law dF/dx = sigma (1 - F sgn(v) / Fc); a flex cable with bias and spring.
///
/// A hold interval with a command that changes after the input delay is computed exactly (zero-order hold, matrix
/// exponentials made at construction) while the equations are linear. Where they are not (saturation begins or ends,
/// torque factor, friction) the interval goes by Taylor series of the whole equations, cut at the instants at which the
/// driver saturates, leaves saturation, or the arm turns.
class Plant {
 public:
  /// @param hold_s  time between two commands (s, > 0)
  Plant(const PlantParams& plant, const DriverParams& driver, double hold_s);
  ~Plant();
  Plant(Plant&&) noexcept;

  /// At rest at `position_m` from the middle of the stroke; friction relaxed; earlier commands were 0.
  void reset(double position_m = 0);
  /// One hold interval with a command (A), counted from its sample on: the delay is inside.
  /// @param base_m_s2  acceleration of the base that acts on the arm like a force on the coil (m/s2), held
  void step(double command_a, double base_m_s2 = 0);

  double position() const;       ///< of the head, m from the middle
  double velocity() const;       ///< of the head, m/s
  double coil_velocity() const;  ///< m/s at the head's radius
  double current() const;        ///< A
  double voltage() const;        ///< V at the coil
  bool saturated() const;        ///< the driver was at its limit at the end of the last interval
  double kinetic() const;        ///< J, with what modes, coil, flex cable and friction have stored

  /// Account for energy from now on; then every interval goes by series.
  void account_energy(bool on);
  const CoilEnergy& energy() const;

  std::size_t exact_steps() const;   ///< intervals by matrices
  std::size_t series_steps() const;  ///< pieces by series

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The second stage: modes with a command held over each interval, exact.
class Stage {
 public:
  Stage(const PiezoParams& piezo, double hold_s);
  void step(double command_v);
  double position() const;  ///< m

 private:
  struct Block {
    double p = 0, v = 0;                // position and velocity
    double pp, pv, vp, vv;              // transition
    double old_p, old_v, new_p, new_v;  // by the command before the delay has passed, and after
    double out;
  };
  std::vector<Block> blocks_;
  std::vector<double> commands_;  // the latest first
  double limit_;
  double gain_;
};

}  // namespace armature::servo
