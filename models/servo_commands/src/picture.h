#pragma once

#include "armature/servo/analysis.h"
#include "armature/servo/follow.h"
#include "armature/servo/seek.h"

#include <string>
#include <vector>

namespace armature::servo_commands {

/// Open loop (gain, phase), sensitivity and step response with the margins, as SVG.
std::string bode_picture(const servo::ServoParams& servo, const std::string& title);

/// A seek over time: position and speed, current with its phases, distance to the target near the end.
std::string seek_picture(const servo::ServoParams& servo, const servo::SeekResult& result,
                         const std::vector<servo::Instant>& instants, const std::string& title);

}  // namespace armature::servo_commands
