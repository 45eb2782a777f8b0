#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/cli/command.h"
#include "armature/servo/params.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace armature::servo_commands {

/// What a drive file says of the drive's servo loop.
struct DriveLoop {
  servo::ServoParams plant;
  actuator::SeekParams seek;  ///< the file's own section
  std::uint32_t cylinders;    ///< of the stroke
};

/// That of a drive file. `plant`: a plant file in place of the drive file's, or empty; `sets`: assignments over the
/// plant file. Throws InputError.
using LoadLoop =
    std::function<DriveLoop(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets)>;

/// `armature servo track|seek|bode FILE`: the voice-coil servo of a plant file on its own; `servo curve|fit DRIVE`:
/// that of a drive against its section `seek` (docs/guide/servo.md). As they run they throw InputError for a plant file
/// that is none and for options that do not fit it.
void add(const cli::Command& program, LoadLoop load);

}  // namespace armature::servo_commands
