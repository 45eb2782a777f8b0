#pragma once

#include "armature/core/schema.h"
#include "armature/spindle/motor.h"

namespace armature::spindle {

/// One disk stack: keys of the section `spindle`.
struct SpindleParams {
  double rpm = 7200;               ///< thousandths count
  double spin_up_s = 10;           ///< from standstill to the speed
  double spin_down_s = 10;         ///< from the speed to standstill
  bool initially_spinning = true;  ///< at speed at time 0
  double index_phase_rev = 0;      ///< angle at time 0, or at the moment the stack comes to speed
  MotorParams motor;               ///< if given, the times of a change of speed are its
  void keys(KeyVisitor& visitor);
};

}  // namespace armature::spindle
