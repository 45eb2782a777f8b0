#pragma once

#include "armature/core/error.h"

#include <filesystem>
#include <string>
#include <vector>

namespace armature::observe {

/// Another run writes into the folder at this moment: nothing of it may be touched.
class FolderInUse final : public InputError {
 public:
  using InputError::InputError;
};

/// Holds the folders of a run, which exist, against other runs of the program until it is destroyed or the process
/// ends. Places whose file system has no locks (some network ones) are not guarded.
class FolderLock {
 public:
  FolderLock() = default;
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// @throws FolderInUse if another run holds it
  void hold(const std::filesystem::path& folder);

 private:
  std::vector<int> files_;
};

/// Names of the drives of the run that has left its resolved.toml in the folder; empty if there was none, or if that
/// cannot be read.
std::vector<std::string> drives_of_earlier_run(const std::filesystem::path& folder);

/// Files that a run with these drives writes in the folder, or that `remove_earlier_run` would remove from it. A run
/// writes its resolved.toml too, which whoever runs it looks after.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& folder,
                                                const std::vector<std::string>& drives);

/// Removes what an earlier run of the program with the drives `earlier` has left in the folder, so that nothing of it
/// is taken for the next run's: files that the program itself writes, and folders of drives that are empty then. What a
/// run of its own has left in a folder below stays.
void remove_earlier_run(const std::filesystem::path& folder, const std::vector<std::string>& earlier);

}  // namespace armature::observe
