#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/firmware/fw_abi.h"

#include <cstdint>
#include <vector>

namespace armature::drive {

/// Entries of the arbitration unit's seek table, by ascending distance, the last at `longest` cylinders (>= 1): at most
/// FW_MAX_SEEK_POINTS. In the unit's arithmetic (arbiter::SeekTable) the table lies at each distance within as few
/// ticks of `profile` as that many entries allow: exact on short strokes, within one tick for the curves of drives.
std::vector<fw_seek_point> seek_points(const actuator::SeekProfile& profile, std::uint32_t longest, double rpm,
                                       actuator::SeekMode mode = actuator::SeekMode::normal);

}  // namespace armature::drive
