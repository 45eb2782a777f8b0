#pragma once

#include "armature/cli/command.h"
#include "armature/mems/params.h"

#include <functional>
#include <string>
#include <vector>

namespace armature::mems_commands {

/// What the commands need of files of MEMS stores, which are drive files.
struct StoreFiles {
  /// Reads one; `sets` are assignments "key=value" that lie over it, the later one wins. Throws InputError, with file
  /// and line also for values that do not go together.
  std::function<mems::MemsParams(const std::string& path, const std::vector<std::string>& sets)> load;
  /// The list of their keys that a key, a section or a glob selects.
  std::function<std::string(const std::string& key)> keys;
};

/// `armature mems ...`: seek times, layout, equivalence classes and queue studies of a MEMS store (docs/guide/mems.md).
/// As they run they throw InputError for a file that is no store, and for places outside of it.
void add(const cli::Command& program, StoreFiles files);

}  // namespace armature::mems_commands
