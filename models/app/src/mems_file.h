#pragma once

#include "armature/core/config.h"
#include "armature/mems/params.h"

#include <string>
#include <vector>

namespace armature::app {

/// Does the document describe a MEMS store? By its sections.
bool is_mems_file(const config::Node& document);

/// Reads the file of a MEMS store; `sets` are assignments "key=value" that lie over it, the later one wins. Throws
/// InputError, with file and line also for values that do not go together.
mems::MemsParams load_mems(const std::string& path, const std::vector<std::string>& sets = {});

}  // namespace armature::app
