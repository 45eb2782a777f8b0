#include "run_files.h"

#include "armature/core/error.h"
#include "csv_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace armature::observe {
namespace fs = std::filesystem;

std::string in_ms(Ps t) {
  return fmt::format("{:.6f} ms", to_ms(t));
}
std::string in_s(Ps t) {
  return fmt::format("{}.{:012} s", t / kPsPerSecond, t % kPsPerSecond);
}

namespace {

/// As summary.json has them; none of a run that was cut short.
std::vector<std::string> names_of_drives(const fs::path& run) {
  std::ifstream stream(run / "summary.json");
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  std::vector<std::string> names;
  if (!json.is_object() || !json.contains("drives") || !json["drives"].is_array()) return names;
  for (const auto& drive : json["drives"])
    if (drive.is_object()) names.push_back(drive.value("name", ""));
  return names;
}

}  // namespace

fs::path directory_of(const fs::path& run, const std::string& drive) {
  if (!fs::is_directory(run))
    throw InputError(fmt::format("there is no run in {}; name the folder of one with --run DIR", run.string()));
  if (!drive.empty()) {
    if (fs::exists(run / drive / "requests.csv")) return run / drive;
    const std::vector<std::string> names = names_of_drives(run);
    const bool known = names.empty() || std::find(names.begin(), names.end(), drive) != names.end();
    if (known && fs::exists(run / "requests.csv")) return run;
    throw InputError(fmt::format("{} has no drive \"{}\"{}", run.string(), drive,
                                 names.empty() ? "" : fmt::format("; it has {}", fmt::join(names, ", "))));
  }
  const std::vector<fs::path> folders = directories_of(run);
  if (folders.size() == 1) return folders.front();
  std::string list;
  for (const auto& each : folders) list += (list.empty() ? "" : ", ") + each.filename().string();
  throw InputError(fmt::format("{} has several drives; name one of: {}", run.string(), list));
}

std::vector<fs::path> directories_of(const fs::path& run) {
  if (!fs::is_directory(run))
    throw InputError(fmt::format("there is no run in {}; name the folder of one with --run DIR", run.string()));
  if (fs::exists(run / "requests.csv")) return {run};
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(run))
    if (fs::exists(entry.path() / "requests.csv")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  if (folders.empty()) throw InputError(run.string() + " has no requests.csv");
  return folders;
}

std::vector<std::pair<std::string, std::uint64_t>> causes_of(const std::string& field, std::uint64_t all) {
  std::vector<std::pair<std::string, std::uint64_t>> causes;
  std::istringstream stream(field);
  for (std::string part; std::getline(stream, part, '|');) {
    const std::size_t colon = part.find(':');
    causes.emplace_back(part.substr(0, colon),
                        colon == std::string::npos ? all : std::strtoull(part.c_str() + colon + 1, nullptr, 10));
  }
  return causes;
}

std::vector<Segment> read_timeline(const fs::path& file, std::uint64_t id) {
  std::vector<Segment> timeline;
  if (!fs::exists(file)) return timeline;
  Table table(file);
  const std::size_t id_column = table.column("id"), begin = table.column("begin_us"), end = table.column("end_us"),
                    phase = table.column("phase"), below = table.column("link_below");
  while (table.next()) {
    if (table.number(id_column) != id) continue;
    const auto at = std::find(kPhaseNames.begin(), kPhaseNames.end(), table.text(phase));
    if (at == kPhaseNames.end())
      throw InputError(fmt::format("{}: unknown phase {}", file.string(), table.text(phase)));
    timeline.push_back(
        {table.time(begin), table.time(end), static_cast<Phase>(at - kPhaseNames.begin()), table.number(below) != 0});
  }
  return timeline;
}

}  // namespace armature::observe
