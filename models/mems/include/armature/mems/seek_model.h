#pragma once

#include <vector>

namespace armature::mems {

/// One axis of a sled: actuators that push with the same acceleration everywhere, and a spring that pulls to the middle
/// (x = 0). Metres and seconds.
struct Axis {
  double acceleration = 0;  ///< by the actuators, m/s2
  double spring = 0;        ///< pull of the spring for each metre from the middle, 1/s2
  double damping = 0;       ///< share of the critical damping, 0 to below 1; of the exact solution only

  /// @param reach  half the range of movement, metres  @param factor  the spring's pull there, as a share
  static Axis of(double acceleration, double reach, double factor, double damping = 0);
};

/// Where the sled is at an instant of a seek.
struct PathPoint {
  double seconds;
  double metres;
  double speed;  ///< m/s, positive to larger x
};
using Path = std::vector<PathPoint>;

/// Seek times: full force towards the target, then full force back, so that the sled leaves and arrives with `speed` in
/// the direction of the seek. docs/guide/mems.md has the equations. `path`, if given, takes points of the way in order
/// of time.
///
/// The three take and return metres and seconds; from == to takes no time. Conditions: the axis' spring is weaker than
/// its actuators at both ends, and speed >= 0.
///@{
/// Pieces of constant acceleration as DiskSim 4.0 sums them up (its mems_piecewise_seek.c): a piece of the braking
/// phase is passed with the acceleration of the piece before it, one that crosses the middle counts for the side on
/// which more of it lies, and the switch is the best of eight tries that are about a twentieth of the way apart.
double disksim_seek(const Axis& axis, double from, double to, double speed, int pieces, Path* path = nullptr);
/// The same pieces, each with the mean of the accelerations at its ends, switched where both phases have one speed.
double piecewise_seek(const Axis& axis, double from, double to, double speed, int pieces, Path* path = nullptr);
/// x'' = +-acceleration - spring x - 2 damping sqrt(spring) x', solved; of undamped springs in closed form.
double exact_seek(const Axis& axis, double from, double to, double speed, Path* path = nullptr);
///@}

/// Time in which the sled, at `at` with `speed` (signed), stops and comes back to the same place with the opposite one:
/// 2 |speed| / (acceleration +- spring |at|), where the spring helps a sled that moves outwards.
double turnaround(const Axis& axis, double at, double speed);
/// The same with the spring's pull followed on the way; without damping.
double exact_turnaround(const Axis& axis, double at, double speed);

}  // namespace armature::mems
