#pragma once

#include <cstdint>
#include <functional>

namespace armature {

/// Called by a block in which a fault is at work when that fault changes what becomes of an access or a frame.
/// @param fault  its number in the table of faults
/// @param tag    of the request that it concerns; -1: of the drive's own work
using FaultHeard = std::function<void(unsigned fault, std::int32_t tag)>;

}  // namespace armature
