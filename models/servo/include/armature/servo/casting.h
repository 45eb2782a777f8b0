#pragma once

#include "armature/servo/params.h"

#include <cstddef>
#include <vector>

namespace armature::servo {

/// The base casting that the arms of a drive share: what the coil of one does to the others. The stator of a coil is
/// fixed to the base, so that a force F at the heads' radius R turns the base by the torque -F R. A rigid base with
/// moment of inertia J on elastic mounts answers with
///
///     theta'' + 2 z w theta' + w^2 theta = -F R / J
///
/// and a balanced arm stays where it is in space while the base turns, which against the base is an acceleration
/// -R theta'' of its heads (Newton's and Euler's laws; w and z of section `coupling`). An arm's own reaction is left
/// out: it is part of the inertia of its plant.
///
/// Forces are held from wedge to wedge of the arm that makes them. Another arm feels what was before its wedge, so the
/// order in which two arms come at the same instant does not matter.
class Casting {
 public:
  /// Within its bandwidth the loop of each arm answers what shakes it with the force m R theta'', m its moving mass. Of
  /// n arms each then pushes (n - 1) m R^2 / J times as hard as the others do: as much, and they throw each other
  /// about.
  /// @throws InputError if J is less than twice (n - 1) m R^2, the factor being for the resonance of the loops
  Casting(const ServoParams& servo, unsigned arms);

  bool on() const { return !sources_.empty(); }
  /// The coil of `arm` pushes with `force_n` (N at the heads) for `length_s` from `begin_s` on, and with nothing after.
  void push(unsigned arm, double begin_s, double length_s, double force_n);
  /// Acceleration of the heads of `arm` against the base by the other arms, just before `at_s`, m/s2. `at_s` is not
  /// before the last push of anybody.
  double acceleration(unsigned arm, double at_s) const;
  /// How the base turns by all arms, just before `at_s`, rad/s2. The same holds for `at_s`.
  double turning(double at_s) const;

 private:
  struct Source {
    double begin = 0, end = 0;             // s, of the force held
    double angle = 0, speed = 0;           // of the base at `begin`, rad and rad/s
    double torque = 0, torque_before = 0;  // over J, rad/s2
  };
  struct State {
    double angle, speed;
  };
  State after(State state, double torque, double length_s) const;
  static double gap(const Source& source, double at_s);
  double turning(const Source& source, double at_s) const;

  double radius_m_ = 0, inertia_ = 1, omega_ = 0, damping_ = 0;
  std::vector<Source> sources_;
};

}  // namespace armature::servo
