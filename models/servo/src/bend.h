#pragma once

#include "armature/core/time.h"
#include "armature/servo/params.h"

#include <vector>

namespace armature::servo {

/// How far the head is from where a rigid arm would be on the path of a seek: the path's force bends the arm, and its
/// modes ring on. The nominal modes above the first, exact for the acceleration held, behind the lag of the command.
class Bend {
 public:
  explicit Bend(const ServoParams& servo);
  void reset();
  /// The path's acceleration in the next hold, m/s2.
  void hold(double acceleration);
  /// At the beginning of the next hold, m.
  double now() const { return late_.front(); }

 private:
  struct Block {
    double p = 0, v = 0;
    double pp, pv, vp, vv, in_p, in_v;  // over a hold
    double late_pp, late_pv, late_in;   // the position over a hold less the part of the lag
    double out;
  };
  std::vector<Block> blocks_;
  std::vector<double> late_;  // of the holds that the lag has covered, the oldest first
};

}  // namespace armature::servo
