#pragma once

#include <string>
#include <vector>

namespace armature::app {

/// Prints a section `seek` with the times of a drive's servo loop, means over places and wedges, so that a profile
/// keeps them. `plant`: a plant file in place of the drive file's, or empty; `sets`: assignments over the plant file.
/// Throws InputError.
void print_servo_curve(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets);

/// Finds the keys `seek.bandwidth_hz`, `seek.current_a`, `seek.coast_m_s` and `settle.write_wedges` of a plant file
/// with which the loop has the seek to the next track, the average seek, the full stroke and the settling for writing
/// of the drive file's section `seek`, and prints them. Returns false if one is more than 3 % off (of the settling for
/// writing: 3 % of the average seek). Throws InputError.
bool fit_servo(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets);

}  // namespace armature::app
