#pragma once

#include "armature/servo/calibration.h"

namespace armature::drive {

/// servo::calibrate, once for a configuration: kept for the program's run and in a file below $XDG_CACHE_HOME/armature
/// (or ~/.cache/armature), named by a hash of all that the result depends on. Without such a folder it is measured anew
/// in each run. A file that cannot be read or written is no error.
servo::Calibration cached_calibration(const servo::ServoParams& servo, const servo::CalibrationPlan& plan);

}  // namespace armature::drive
