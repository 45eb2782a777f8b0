// The include graph of models/ against the table in docs/architecture.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;
using Graph = std::map<std::string, std::set<std::string>>;

const fs::path kSource = ARMATURE_SOURCE_DIR;

Graph allowed() {
  Graph graph;
  std::ifstream page(kSource / "docs/architecture.md");
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

}  // namespace
