#pragma once

#include <string>
#include <vector>

namespace armature::app {

/// Prints a section `seek` with the times of a drive's servo loop, means over places and wedges, so that a profile
/// keeps them. `plant`: a plant file in place of the drive file's, or empty; `sets`: assignments over the plant file.
/// Throws InputError.
void print_servo_curve(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets);

/// Finds the keys of section `seek` and `settle.write_wedges` of a plant file with which the loop's seeks take the
/// times of the drive file's section `seek` (fit() in servo_fit.h), and prints them. Returns false if it did not come
/// near. Throws InputError.
bool fit_servo(const std::string& drive, const std::string& plant, const std::vector<std::string>& sets);

}  // namespace armature::app
