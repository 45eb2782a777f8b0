#pragma once

#include "armature/servo/params.h"

#include <cstdint>
#include <vector>

namespace armature::servo {

/// The air that the arms of a drive share: each arm on the disks leaves a turbulent wake, which shakes the arms
/// downstream of it. The strength of a plane turbulent wake falls with the square root of the distance (Schlichting,
/// Boundary-Layer Theory, chapter on free turbulent flows). An arm that has another one `wake_deg` upstream feels
/// `wake_percent` of its own windage in addition, and at an angle g
///
///     share(g) = wake_percent / 100 sqrt(wake_deg / g)
///
/// The turbulence of different wakes is independent, so powers add: an arm's windage grows by sqrt(1 + sum share^2). It
/// goes through the arm's windage modes (section `windage`), which are the transfer function from air to head.
/// An arm's own speed is left out: 2 m/s across an air flow of 25 m/s are less than 1 % of its dynamic pressure.
class Wake {
 public:
  /// Where an arm is mounted.
  struct Mount {
    unsigned stack = 0;  ///< of disks: another one has air of its own
    double turns = 0;    ///< a place of the disk passes the arm so much of a turn later than it passes angle 0
    bool on_disk = true;
  };

  /// With servo.coupling.wake_percent > 0.
  Wake(const ServoParams& servo, const std::vector<Mount>& mounts);

  /// The arm comes from its ramp or goes onto it. Others feel it behind `at_s`, so that the order in which things
  /// happen at one instant does not matter.
  void put(unsigned arm, bool on_disk, double at_s);
  /// Factor on the windage of `arm` at `at_s`, at least 1.
  double growth(unsigned arm, double at_s) const;

 private:
  struct Source {
    bool on_disk, before;  // before `since` and at it
    double since;
  };
  std::vector<Source> sources_;
  std::vector<std::vector<double>> power_;  // share^2: of the arm, of the other one
};

}  // namespace armature::servo
