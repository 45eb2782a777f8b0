#include "armature/core/near_file.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace armature {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFiles = 10'000;  // looked at: a hint is not worth a walk through a disk

std::string hint(const fs::path& path) {
  return fmt::format("; did you mean {}?", path.lexically_normal().string());
}

/// The file below `root` whose name is nearest to `name`; empty if none is near.
fs::path nearest_below(const fs::path& root, const std::string& name) {
  std::vector<fs::path> paths;
  std::vector<std::string> names;
  std::error_code error;
  int seen = 0;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end && seen < kMostFiles;
       at.increment(error)) {
    ++seen;
    if (at->path().extension() != fs::path(name).extension()) continue;
    paths.push_back(at->path());
  }
  std::sort(paths.begin(), paths.end(),
            [](const fs::path& a, const fs::path& b) {  // the shortest of those as near first
              return std::make_pair(a.native().size(), a.native()) < std::make_pair(b.native().size(), b.native());
            });
  for (const fs::path& path : paths) names.push_back(path.filename().string());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest(name, views.data(), views.data() + views.size());
  if (near.empty()) {  // "barracuda.toml" for "seagate_barracuda_es_750.toml"
    const std::string stem = fs::path(name).stem().string();
    const auto holds = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& n) { return n.find(stem) != std::string::npos; });
    if (stem.size() < 3 || holds == names.end()) return {};
    return paths[static_cast<std::size_t>(holds - names.begin())];
  }
  return paths[static_cast<std::size_t>(std::find(names.begin(), names.end(), near) - names.begin())];
}

}  // namespace

std::string near_file(const std::string& missing, const std::vector<std::string>& roots) {
  const fs::path path(missing);
  const std::string name = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end && names.size() < kMostFiles;
       at.increment(error))
    if (at->is_regular_file(error)) names.push_back(at->path().filename().string());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest(name, views.data(), views.data() + views.size());
  if (!near.empty()) return hint(path.has_parent_path() ? path.parent_path() / near : fs::path(near));
  for (const std::string& root : roots) {
    const fs::path found = nearest_below(root, name);
    if (!found.empty()) return hint(found);
  }
  return {};
}

}  // namespace armature
