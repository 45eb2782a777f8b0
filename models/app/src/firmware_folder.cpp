#include "firmware_folder.h"

#include "armature/core/error.h"
#include "shipped_files.h"

#include <fmt/format.h>

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>

namespace fs = std::filesystem;

namespace armature::app {
namespace {

/// Where the ELFs are kept: in the tree, or of an installed program in the user's cache.
fs::path folder_of_builds() {
  const fs::path shipped = shipped_files();
  if (fs::exists(shipped / "CMakeLists.txt")) return shipped / ".build" / "firmware";
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache && *cache) return fs::path(cache) / "armature" / "firmware";
  return (home && *home ? fs::path(home) / ".cache" : fs::temp_directory_path()) / "armature" / "firmware";
}

fs::file_time_type newest_below(const fs::path& folder) {
  fs::file_time_type newest = fs::last_write_time(folder);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    newest = std::max(newest, entry.last_write_time());
  return newest;
}

/// True if it ended with status 0.
bool run(const std::string& program, const std::string& first, const std::string& second, const std::string& third) {
  std::array<std::string, 4> words = {program, first, second, third};
  std::array<char*, 5> arguments = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string build_firmware(const std::string& folder) {
  const fs::path place = folder_of_builds();
  const fs::path sources = shipped_files() / "models" / "firmware";
  const std::string script = sources / "rv32" / "build";
  if (!fs::exists(script))
    throw InputError(
        fmt::format("controller.firmware: {} is a folder, and the tree that this program was built from is "
                    "gone; build an ELF elsewhere (./armature firmware build)",
                    folder));
  std::error_code error;
  fs::create_directories(place, error);
  if (error) throw InputError(fmt::format("controller.firmware: {}: {}", place.string(), error.message()));
  const fs::path elf = place / fmt::format("{:016x}.elf", std::hash<std::string>()(fs::canonical(folder).string()));
  if (fs::exists(elf) && fs::last_write_time(elf) > std::max(newest_below(folder), newest_below(sources)))
    return elf.string();
  if (!run(script, folder, "-o", elf.string()))
    throw InputError(fmt::format("controller.firmware: the C files of {} do not compile", folder));
  return elf.string();
}

}  // namespace armature::app
