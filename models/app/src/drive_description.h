#pragma once

#include "armature/app/simulation.h"

#include <cstdint>
#include <utility>

namespace armature::app {

/// Checks what a drive's keys say together and describes it; its capacity in sectors. @throws InputError
std::pair<observe::DriveDescription, std::uint64_t> describe(const DriveSetup& setup);

}  // namespace armature::app
