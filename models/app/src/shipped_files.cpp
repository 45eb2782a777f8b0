#include "shipped_files.h"

#include <sys/auxv.h>

#include <system_error>

namespace fs = std::filesystem;

namespace armature::app {
namespace {

/// Of the running program; as it was called, if /proc is not there (a chroot). Empty: not known.
fs::path program() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (!error) return path;
  const auto* const called = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  path = called ? fs::canonical(called, error) : fs::path();
  return error ? fs::path() : path;
}

}  // namespace

fs::path shipped_files() {
  std::error_code ignored;
  fs::path installed = program().parent_path().parent_path() / "share" / "armature";
  if (fs::is_directory(installed / "scenarios", ignored)) return installed;
  return ARMATURE_SOURCE_TREE;
}

}  // namespace armature::app
