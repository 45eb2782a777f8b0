#include "named_file.h"

#include "armature/core/error.h"
#include "armature/core/near_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace armature::app {

namespace fs = std::filesystem;

std::string find_file(const std::string& named, const config::Node& node, const fs::path& base, const fs::path& shipped,
                      bool may_be_folder) {
  const fs::path path(named);
  std::vector<fs::path> candidates;
  if (path.is_absolute()) {
    candidates = {path};
  } else {
    if (node.from_command_line) candidates.push_back(fs::current_path() / path);
    candidates.push_back(base / path);
    if (!shipped.empty()) candidates.push_back(shipped / path);
  }
  std::error_code ignored;
  for (const fs::path& candidate : candidates)
    if (fs::is_regular_file(candidate, ignored) || (may_be_folder && fs::is_directory(candidate, ignored)))
      return candidate.lexically_normal().string();
  for (const fs::path& candidate : candidates) {
    if (!fs::exists(candidate, ignored)) continue;
    throw InputError(node.place,
                     fmt::format("{}: {} is {}, not a file", node.key, candidate.lexically_normal().string(),
                                 fs::is_directory(candidate, ignored) ? "a folder" : "a pipe or a device"));
  }
  std::vector<std::string> tried;
  for (const fs::path& candidate : candidates) {
    std::string name = candidate.lexically_normal().string();
    if (std::find(tried.begin(), tried.end(), name) == tried.end()) tried.push_back(std::move(name));
  }
  std::string hint;
  for (const std::string& candidate : tried)
    if (hint.empty()) hint = near_file(candidate);
  if (hint.empty() && !shipped.empty()) hint = near_file(tried.back(), {shipped.string()});
  throw InputError(node.place, fmt::format("{}: there is no file {}{}", node.key, fmt::join(tried, " or "), hint));
}

}  // namespace armature::app
