#pragma once

#include "armature/core/schema.h"

#include <vector>

namespace armature::spindle {

/// The motor of a disk stack and what brakes it: keys of the section `spindle.motor`. Without a torque constant there
/// is no motor, and the stack changes its speed in the times of section `spindle`.
struct MotorParams {
  double torque_mn_m_a = 0;  ///< torque constant, mN m/A; in mV s/rad it is the constant of the back-EMF
  double winding_ohm = 1.5;  ///< two phases and the transistors of the driver
  double supply_v = 12;
  double drop_v = 0.5;           ///< lost in the driver whatever the current is
  double limit_a = 2;            ///< of the current, while the stack speeds up and while it brakes
  double inertia_g_cm2 = 1'200;  ///< of rotor, hub and disks
  double windage_w = 4;          ///< taken by the air at reference_rpm
  double bearing_w = 1;          ///< taken by the bearings' fluid at reference_rpm
  double friction_mn_m = 0.2;    ///< torque of the bearings that does not depend on the speed
  double reference_rpm = 0;      ///< 0: spindle.rpm
  bool brakes = false;           ///< the windings are shorted when the stack is to slow down
  bool given() const { return torque_mn_m_a > 0; }
  void keys(KeyVisitor& visitor);
};

/// A change of speed between standstill and full speed, as a function of time.
class SpeedChange {
 public:
  struct Point {
    double s;      ///< since the change began
    double rad_s;  ///< speed
    double amperes;
    double joules;  ///< taken from the rail since the change began
  };

  SpeedChange() = default;
  /// By rising time, with monotonic speed.
  explicit SpeedChange(std::vector<Point> points) : points_(std::move(points)) {}

  const std::vector<Point>& points() const { return points_; }
  double seconds() const { return points_.back().s; }
  double joules() const { return points_.back().joules; }
  /// Linear between two points; the ends outside of them.
  Point at(double s) const;
  /// When it has this speed, s.
  double when(double rad_s) const;
  /// Mean power in each of that many equal parts of its time, W.
  std::vector<double> mean_watts(unsigned parts) const;

 private:
  std::vector<Point> points_;
};

/// A brushless motor on a rail, its commutation left out: with the stack's speed w, current i and back-EMF K w,
///
///     J dw/dt = K i - T(w)
///     T(w) = F + (W / w_r) (w / w_r)^1.8 + (B / w_r) (w / w_r)
///
/// with the power W of the air and B of the bearings at the speed w_r (their laws are those of power::spindle_law: 2.8
/// and 2), and constant friction F. The driver switches; it sets i up to its limit as long as the rail has the voltage:
///
///     up:    i = min(limit, (V - drop - K w) / R), from the rail P = (R i + K w + drop) i
///     turns: K i = T
///     down:  i = -min(limit, K w / R) with brakes, else 0; nothing from the rail
///
/// A stack stands when it is slower than a hundredth of its speed: its back-EMF tells nothing any more.
class Motor {
 public:
  /// @param rpm  full speed. Throws InputError, naming the key, if the motor does not get there or the stack never
  ///             stands.
  Motor(const MotorParams& params, double rpm);

  const SpeedChange& up() const { return up_; }      ///< from standstill to full speed
  const SpeedChange& down() const { return down_; }  ///< from full speed to standstill
  /// Without brakes, whatever the params say: the supply fails.
  const SpeedChange& coast() const { return coast_; }
  double turning_w() const { return turning_w(full_); }                               ///< from the rail at full speed
  double turning_w(double rad_s) const { return watts_up(rad_s, turning_a(rad_s)); }  ///< the same at another speed
  double turning_a() const { return turning_a(full_); }
  double turning_a(double rad_s) const { return drag_n_m(rad_s) / torque_; }
  double full_rad_s() const { return full_; }
  double kinetic_j() const;  ///< of the stack at full speed
  double drag_n_m(double rad_s) const;

 private:
  double current_up(double rad_s) const;
  double watts_up(double rad_s, double amperes) const;
  SpeedChange speed_up() const;
  SpeedChange slow_down(bool brakes) const;

  MotorParams params_;
  double torque_, inertia_, full_, reference_;
  SpeedChange up_, down_, coast_;
};

}  // namespace armature::spindle
