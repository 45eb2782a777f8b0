#pragma once

#include "armature/core/schema.h"
#include "armature/core/speed_variation.h"
#include "armature/core/time.h"
#include "armature/spindle/motor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  std::vector<double> speeds_rpm;  ///< lower speeds to which the stack may change, falling; empty: one speed
  bool access_at_lower = true;     ///< sectors are read and written at the lower speeds too
  MotorParams motor;               ///< if given, the times of a change of speed are its
  /// What the index of one stack at a speed does, rpm; null without jitter. `stack`: its name, so that stacks differ.
  std::shared_ptr<const SpeedVariation> variation(std::string_view stack, double at_rpm) const;
  /// What a stack publishes of its n-th lower speed: "at_5400".
  std::string lower_state(std::size_t n) const;
  /// The n-th of all speeds, rpm: 0 the full one.
  double speed(std::size_t n) const { return n == 0 ? rpm : speeds_rpm[n - 1]; }
  std::size_t speeds() const { return 1 + speeds_rpm.size(); }
  /// Throws InputError, naming the key, if the lower speeds do not fall.
  void check_speeds() const;
  /// The largest amount by which a place passes earlier than at uniform speed from any other instant on, ps.
  Ps earliest() const;
  void keys(KeyVisitor& visitor);
};

}  // namespace armature::spindle
