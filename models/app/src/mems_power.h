#pragma once

#include "armature/mems/params.h"
#include "armature/power/power_table.h"

namespace armature::app {

/// What every state of every published component of a MEMS drive draws: sleds, tips, electronics, interface.
/// Throws InputError for a store that has no layout.
power::PowerTable mems_power_table(const mems::MemsParams& params);

}  // namespace armature::app
