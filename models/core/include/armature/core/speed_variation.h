#pragma once

#include "armature/core/random.h"
#include "armature/core/time.h"

#include <cstdint>
#include <vector>

namespace armature {

/// By how much each index pulse of a regulated spindle is late or early.
///
/// The torque of bearings, windage and motor poles is not quite even, and the speed loop takes some turns to correct
/// what it does. Each turn gets an independent push; the loop lets the sum of pushes decay by exp(-1 /
/// regulation_turns) a turn (a first-order loop). The lateness is a function of the turn's number alone, so that a
/// channel can compute edges ahead in any order. It is limited to four of its standard deviations.
class SpeedVariation {
 public:
  /// @param turn               nominal duration of a turn, ps, > 0
  /// @param jitter_ppm         standard deviation of a turn's duration, millionths of `turn`, >= 0
  /// @param regulation_turns   turns after which the loop has corrected all but 1/e of a push, > 0
  SpeedVariation(Ps turn, double jitter_ppm, double regulation_turns, std::uint64_t seed);

  /// By how much the index that begins this turn comes later than at uniform speed, ps, within +- limit(). The index
  /// before the first turn (0) is at its time.
  Ps late(std::int64_t turn) const;

  /// The largest amount by which any two indices are nearer to each other, or farther apart, than at uniform speed, ps.
  Ps limit() const { return 2 * limit_; }

 private:
  Ps wander(std::int64_t turn) const;

  RandomField pushes_;
  std::vector<double> response_;  ///< to a push, by turns since, ps
  Ps limit_;                      ///< of `wander`
  Ps first_;                      ///< wander(0)
};

}  // namespace armature
