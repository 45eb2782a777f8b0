#pragma once

#include "armature/core/schema.h"
#include "armature/core/time.h"

#include <array>
#include <cstdint>
#include <vector>

namespace armature::actuator {

/// What moves the heads, and how a controller uses it: keys of the section `seek.coil`.
struct CoilParams {
  enum Driver : int {
    pwm,     ///< the rail gives what the winding turns into heat and what the arm takes up; braking gives that back
    linear,  ///< the rail gives the coil's current at full voltage
  };

  enum Supply : int { from_12v, from_5v };

  double stroke_mm = 0;        ///< way of the heads over all cylinders; 0: the drive file does not say
  double mass_g = 1;           ///< moving mass at the heads: moment of inertia over the square of the arm's length
  double force_n_a = 1;        ///< N at the heads for each A; the same number is the back-EMF in V for each m/s
  double resistance_ohm = 10;  ///< of winding and driver
  double coast_m_s = 0;        ///< fastest that the heads go; 0: no limit
  double ramp = 0;             ///< part of the acceleration in which the current rises, and again in which it falls
  double settle_ms = 0.5;      ///< part of each seek after the arm has come to a stop
  Driver driver = pwm;
  Supply supply = from_12v;  ///< rail that feeds the driver
  double supply_v() const { return supply == from_12v ? 12 : 5; }
  bool given() const { return stroke_mm > 0; }
  void keys(KeyVisitor& visitor);
};

/// A seek of a rigid arm at rest to rest: acceleration, coast at constant velocity, deceleration as the acceleration
/// reversed. SI units.
///
/// Time-optimal control of a double integrator is full force to the middle and full force back (bang-bang; Franklin,
/// Powell and Workman, "Digital Control of Dynamic Systems", on disk seeks); a velocity limit puts a coast between.
/// With the velocity V, the length t_a of each acceleration, and ramps of s t_a at its beginning and end, in which the
/// acceleration goes from 0 to A and back (a limit of the jerk, for quiet seeks):
///
///     V = A t_a (1 - s)        D = V (t_a + t_c)        T = 2 t_a + t_c
///
/// so that without a coast T = 2 sqrt(D / (A (1 - s))), and with one T = D / V + V / (A (1 - s)).
struct SeekMotion {
  double accelerate_s = 0;       ///< t_a; the deceleration lasts as long
  double coast_s = 0;            ///< t_c
  double acceleration_m_s2 = 0;  ///< A, the most
  double velocity_m_s = 0;       ///< V
  double ramp = 0;               ///< s, 0 to 0.5

  /// The seek over `distance_m` that takes `time_s`, with no more acceleration than it needs. Throws InputError if
  /// `limit_m_s` (0: none) is too slow for it.
  static SeekMotion in_time(double distance_m, double time_s, double limit_m_s, double ramp);
  /// The fastest one with these limits (`limit_m_s` 0: none).
  static SeekMotion fastest(double distance_m, double acceleration_m_s2, double limit_m_s, double ramp);

  double duration_s() const { return 2 * accelerate_s + coast_s; }
  double distance_m() const { return velocity_m_s * (accelerate_s + coast_s); }
  /// At `t` seconds from the beginning, 0 to duration_s().
  double acceleration_at(double t) const;  ///< negative while it decelerates
  double velocity_at(double t) const;
  double position_at(double t) const;
  /// Integral of the squared acceleration from 0 to t, m2/s3: what the winding turns into heat goes with it.
  double squared_to(double t) const;
};

/// Phases of a seek, in their order.
enum class SeekPhase : std::uint8_t { accelerate, coast, decelerate, settle };
constexpr std::size_t kSeekPhases = 4;
constexpr std::array<const char*, kSeekPhases> kSeekPhaseNames = {"accelerate", "coast", "decelerate", "settle"};

/// A seek with what the coil takes for it. Force K i = m a, voltage R i + K v; from its rail a switching driver takes
///
///     P = R i^2 + K i v         (heat, and the kinetic energy m v^2 / 2 as it changes)
///
/// and nothing where that is negative, a linear one U |i|. Equations of the voice coil motor: servo.md's plant with
/// back-EMF (Gu, Petkov and Konstantinov, "Robust Control Design with MATLAB", chapter on the hard disk drive).
class CoilMove {
 public:
  struct Step {
    Ps after;      ///< ps since the beginning of the move
    double watts;  ///< from there on, the mean until the next step
  };

  /// Over `distance_m` in `time` ps, settling for a read included. Throws InputError if the settling leaves no time,
  /// coast_m_s is too slow, or the rail's voltage is not enough.
  CoilMove(const CoilParams& coil, double distance_m, Ps time);

  const SeekMotion& motion() const { return motion_; }
  /// When a phase begins, ps since the beginning of the move; the last one ends with the move.
  Ps begins(SeekPhase phase) const { return begins_[static_cast<std::size_t>(phase)]; }
  double current_at(double t) const;  ///< A, `t` in seconds from the beginning
  double watts_at(double t) const;    ///< from the rail, at that instant
  double volts_at(double t) const;    ///< at the coil
  double joules(SeekPhase phase) const;
  double peak_w() const;
  /// The coil's power in steps of an eighth of a phase and shorter; 0 W from the settling on.
  std::vector<Step> steps() const;
  double position_part(Ps after) const;  ///< part of the way, 0 to 1

 private:
  double joules(double from, double to) const;

  CoilParams coil_;
  SeekMotion motion_;
  std::array<Ps, kSeekPhases> begins_{};
};

}  // namespace armature::actuator
