#include "shipped_files.h"

#include <system_error>

namespace fs = std::filesystem;

namespace armature::app {

fs::path shipped_files() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed = program.parent_path().parent_path() / "share" / "armature";
    if (fs::is_directory(installed / "scenarios", error)) return installed;
  }
  return ARMATURE_SOURCE_TREE;
}

}  // namespace armature::app
