#pragma once

#include "armature/core/config.h"
#include "armature/mems/params.h"

#include <string>
#include <vector>

namespace armature::app {

/// Reads the file of a MEMS store; `sets` are assignments "key=value" that lie over it, the later one wins. Throws
/// InputError, with file and line also for values that do not go together.
mems::MemsParams load_mems(const std::string& path, const std::vector<std::string>& sets = {});

}  // namespace armature::app
