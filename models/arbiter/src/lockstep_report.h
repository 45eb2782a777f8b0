#pragma once

#include "aau_rtl.h"
#include "armature/core/time.h"

#include <string>

namespace armature::arbiter {

/// Text for people: at `edge` model and RTL differ. The outputs of both side by side, then what both were given: the
/// registers in use, slots that wait and arms, from the model and, where the RTL's port shows them, from the RTL.
std::string lockstep_report(std::int64_t edge, Ps at, const AauCore& core, AauRtl& rtl, std::uint32_t turning);

}  // namespace armature::arbiter
