#pragma once

#include "armature/servo_commands/commands.h"

namespace armature::servo_commands {

/// Prints a section `seek` with the times of a drive's servo loop, means over places and wedges, so that a profile
/// keeps them. Throws InputError.
void print_servo_curve(const DriveLoop& loop);

/// Finds the keys of section `seek` and `settle.write_wedges` of a plant file with which the loop's seeks take the
/// times of the drive file's section `seek` (fit() in fit.h), and prints them. Returns false if it did not come
/// near. Throws InputError.
bool fit_servo(const DriveLoop& loop);

}  // namespace armature::servo_commands
