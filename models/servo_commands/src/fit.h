#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/servo/params.h"

#include <string>
#include <vector>

namespace armature::servo_commands {

/// The figures of a datasheet, ms.
struct SeekFigures {
  double single, average, full, write_settle;
};
std::string text_of(const SeekFigures& figures);

struct FittedServo {
  servo::ServoParams servo;  ///< as given, with the keys that were found
  SeekFigures wanted{}, found{};
  double volts_needed = 0, volts_there = 0;  ///< of the driver, on the paths of the seeks
  bool near =
      false;  ///< the figures are met to 3 % (the settling for writing: of the average seek), and by the voltage
  std::vector<std::string> log;
};

/// Finds `seek.bandwidth_hz`, `current_a`, `coast_m_s`, `stretch` and `settle.write_wedges` of a plant with which the
/// loop's seeks take the times of a profile: first the average and the longest, then each distance. The current is
/// at most what the driver's voltage makes in the coil at rest. @throws InputError if the plant as given does not
/// settle
FittedServo fit(const servo::ServoParams& given, const actuator::SeekProfile& wanted);

}  // namespace armature::servo_commands
