#pragma once

#include <string>

namespace armature::controller {

/// The frames of these that are firmware's C code, the innermost first, as "fw_granted (engine/events.c:7), called by
/// ...".
/// @param frames  addresses behind the calls, as return addresses are
std::string firmware_frames(void* const* frames, int count);

}  // namespace armature::controller
