// The include graph of models/ against the table in docs/guide/architecture.md.
#include "support/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Graph = std::map<std::string, std::set<std::string>>;

const fs::path kSource = ARMATURE_SOURCE_DIR;

Graph allowed() {
  Graph graph;
  std::ifstream page(kSource / "docs/guide/architecture.md");
  const std::regex row(R"(\| `(\w+)` \|[^|]*\|([^|]*)\|)");
  const std::regex word(R"(\w+)");
  std::string line;
  while (std::getline(page, line)) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    auto& folders = graph[match[1]];
    const std::string list = match[2];
    for (std::sregex_iterator it(list.begin(), list.end(), word), end; it != end; ++it) folders.insert(it->str());
  }
  return graph;
}

Graph present() {
  Graph graph;
  const std::regex include(R"re(\s*#\s*include\s*["<]armature/(\w+)/.*)re");
  for (const auto& folder : fs::directory_iterator(kSource / "models")) {
    if (!folder.is_directory()) continue;
    const std::string name = folder.path().filename();
    graph[name];
    for (const auto& file : fs::recursive_directory_iterator(folder.path())) {
      if (!file.is_regular_file()) continue;
      std::ifstream text(file.path());
      std::string line;
      while (std::getline(text, line)) {
        std::smatch match;
        if (!std::regex_match(line, match, include)) continue;
        const std::string other = match[1] == "regs" ? std::string("core") : match[1].str();  // generated into core
        if (other != name) graph[name].insert(other);
      }
    }
  }
  return graph;
}

TEST(Architecture, EveryFolderOfModelsIsInTheTableAndTheOtherWayRound) {
  std::set<std::string> table, tree;
  for (const auto& [name, _] : allowed()) table.insert(name);
  for (const auto& [name, _] : present()) tree.insert(name);
  EXPECT_EQ(table, tree);
}

TEST(Architecture, AFolderIncludesOnlyWhatTheTableAllows) {
  const Graph rules = allowed();
  ASSERT_GE(rules.size(), 10u);
  for (const auto& [name, includes] : present())
    for (const std::string& other : includes)
      EXPECT_TRUE(rules.count(name) && rules.at(name).count(other)) << "models/" << name << " includes " << other;
}

TEST(Architecture, TheTableHasNoCycle) {
  const Graph rules = allowed();
  std::map<std::string, int> state;  // 1 on the path, 2 done
  const std::function<void(const std::string&)> visit = [&](const std::string& name) {
    ASSERT_NE(state[name], 1) << "cycle through " << name;
    if (state[name] == 2 || !rules.count(name)) return;
    state[name] = 1;
    for (const std::string& other : rules.at(name)) visit(other);
    state[name] = 2;
  };
  for (const auto& [name, _] : rules) visit(name);
}

// The folders of observe, and which others each may include. A header belongs to the folder of its source.
const Graph kObserve = {
    {"records", {}}, {"waves", {"records"}}, {"results", {"records", "waves"}}, {"explanation", {"records", "waves"}}};

TEST(Architecture, AFolderOfObserveIncludesOnlyThoseBelowIt) {
  const fs::path observe = kSource / "models/observe";
  const std::regex include(R"re(\s*#\s*include\s*"(?:armature/observe/)?(\w+)\.h".*)re");
  std::map<std::string, std::string> folder_of;  // by the name of a header
  for (const auto& [name, _] : kObserve)
    for (const auto& file : fs::directory_iterator(observe / name)) folder_of[file.path().stem()] = name;
  std::size_t files = 0;
  const auto check = [&](const fs::path& path) {
    const auto folder = folder_of.find(path.stem());
    if (folder == folder_of.end()) return;  // a header without a source
    std::ifstream text(path);
    for (std::string line; std::getline(text, line);) {
      std::smatch match;
      if (!std::regex_match(line, match, include) || !folder_of.count(match[1])) continue;
      const std::string other = folder_of.at(match[1]);
      EXPECT_TRUE(other == folder->second || kObserve.at(folder->second).count(other))
          << path.filename().string() << " of " << folder->second << " includes " << match[1] << ".h of " << other;
    }
    files++;
  };
  for (const auto& [name, _] : kObserve)
    for (const auto& file : fs::directory_iterator(observe / name)) check(file.path());
  for (const auto& file : fs::directory_iterator(observe / "include/armature/observe")) check(file.path());
  EXPECT_GT(files, 50u);
}

// Firmware's layers are the folders of its sources, the lowest first. What they call is checked by firmware_layers.py.
const std::vector<std::string> kLayers = {"core", "devices", "engine", "jobs", "smart", "commands"};

std::size_t rank_of(const std::string& layer) {
  return static_cast<std::size_t>(std::find(kLayers.begin(), kLayers.end(), layer) - kLayers.begin());
}

/// What a file of firmware includes against the rules: its own headers and those of lower layers are allowed, to a
/// device only its own header and the core.
std::vector<std::string> includes_against_the_layers(const std::string& layer, const std::string& stem,
                                                     std::istream& text) {
  const std::regex include(R"re(\s*#\s*include\s*"(\w+)/(\w+)\.h".*)re");
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    const std::string other = match[1], header = match[2];
    const bool up = rank_of(other) > rank_of(layer);  // or no layer
    const bool device = layer == "devices" && other == "devices" && header != stem && stem != "devices";
    if (up || device) found.push_back(other + "/" + header + ".h");
  }
  return found;
}

TEST(Architecture, AFileOfFirmwareIncludesOnlyItsLayerAndLowerOnes) {
  const fs::path sources = kSource / "models/firmware/src";
  std::size_t files = 0;
  for (const auto& folder : fs::directory_iterator(sources)) {
    ASSERT_TRUE(folder.is_directory()) << folder.path() << " is in no layer";
    const std::string layer = folder.path().filename();
    ASSERT_LT(rank_of(layer), kLayers.size()) << layer << " is no layer";
    for (const auto& file : fs::directory_iterator(folder)) {
      std::ifstream text(file.path());
      for (const std::string& other : includes_against_the_layers(layer, file.path().stem(), text))
        ADD_FAILURE() << layer << "/" << file.path().filename().string() << " includes " << other;
      files++;
    }
  }
  EXPECT_GT(files, 50u);
}

TEST(Architecture, OnlyFirmwaresDevicesReachRegisters) {
  const std::regex access(R"(\b(mmio_(read|write)32|fw_read|fw_write)\s*\()");
  for (const auto& file : fs::recursive_directory_iterator(kSource / "models/firmware/src")) {
    if (!file.is_regular_file()) continue;
    const std::string layer = file.path().parent_path().filename();
    if (layer == "core" || layer == "devices") continue;
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);)
      EXPECT_FALSE(std::regex_search(line, access)) << layer << "/" << file.path().filename().string() << ": " << line;
  }
}

TEST(Architecture, AnIncludeAgainstFirmwaresLayersIsFound) {
  const auto found = [](const std::string& layer, const std::string& stem, const std::string& line) {
    std::istringstream text(line + "\n");
    return includes_against_the_layers(layer, stem, text).size();
  };
  EXPECT_EQ(found("engine", "slots", "#include \"jobs/jobs.h\""), 1u);
  EXPECT_EQ(found("devices", "timer", "#include \"devices/debug.h\""), 1u);
  EXPECT_EQ(found("core", "stop", "#include \"devices/debug.h\""), 1u);
  EXPECT_EQ(found("jobs", "flow", "#include \"elsewhere/x.h\""), 1u);
  EXPECT_EQ(found("jobs", "flow", "#include \"engine/engine.h\""), 0u);
  EXPECT_EQ(found("devices", "timer", "#include \"devices/timer.h\""), 0u);
}

}  // namespace
