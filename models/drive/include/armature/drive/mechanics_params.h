#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/core/schema.h"
#include "armature/servo/params.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::drive {

struct DriveParams;

/// How the arms move: section `mechanics`.
struct MechanicsParams {
  enum Kind : int { profile, servo };
  Kind kind = profile;
  std::string plant;             ///< plant file of `servo`; its path as found
  std::vector<std::string> set;  ///< assignments over the plant file
  double quantile = 0.99;
  void keys(KeyVisitor& visitor);
};

/// The plant of a drive with mechanics "servo": its file with the drive's speed, wedges and cylinders, and with its
/// controllers designed. Throws InputError.
servo::ServoParams plant_of(const DriveParams& params, std::uint32_t cylinders);

/// What moves of the drive's arms take, for firmware, the arbitration unit and whoever asks: section `seek`, or, with
/// mechanics "servo", times measured from the loop, of which `mechanics.quantile` of the seeks need no more. Measured
/// once for a configuration, and kept (docs/guide/servo.md). Head switch and ramp are section `seek`'s either way.
/// @param cylinders  of the stroke, guard cylinders included. Throws InputError
actuator::SeekParams seek_times(const DriveParams& params, std::uint32_t cylinders);

/// With mechanics "servo": what the supply gives the coil of an arm in random seeks, one after the other, mean, W;
/// measured with the times of seek_times(). Throws InputError.
double loop_coil_w(const DriveParams& params, std::uint32_t cylinders);

/// The same with means in place of the quantile, for comparisons and for a drive file: `mean` of reads and writes.
actuator::SeekParams mean_seek_times(const servo::ServoParams& servo, const actuator::SeekParams& given,
                                     std::uint32_t cylinders);

}  // namespace armature::drive
