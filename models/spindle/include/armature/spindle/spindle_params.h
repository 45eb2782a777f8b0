#pragma once

#include "armature/core/schema.h"
#include "armature/core/speed_variation.h"
#include "armature/core/time.h"
#include "armature/spindle/motor.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace armature::spindle {

/// One disk stack: keys of the section `spindle`.
struct SpindleParams {
  double rpm = 7200;               ///< thousandths count
  double spin_up_s = 10;           ///< from standstill to the speed
  double spin_down_s = 10;         ///< from the speed to standstill
  bool initially_spinning = true;  ///< at speed at time 0
  double index_phase_rev = 0;      ///< angle at time 0, or at the moment the stack comes to speed
  double jitter_ppm = 0;           ///< standard deviation of a turn's duration, millionths
  double regulation_turns = 10;    ///< turns in which the speed loop corrects all but 1/e of an error
  std::int64_t jitter_seed = 1;
  MotorParams motor;  ///< if given, the times of a change of speed are its
  /// What the index of one stack at speed does; null without jitter. `stack`: its name, so that stacks differ.
  std::shared_ptr<const SpeedVariation> variation(std::string_view stack) const;
  /// The largest amount by which a place passes earlier than at uniform speed from any other instant on, ps.
  Ps earliest() const;
  void keys(KeyVisitor& visitor);
};

}  // namespace armature::spindle
