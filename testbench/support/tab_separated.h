#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace armature::testing {

/// The rows and cells of a tab-separated text.
inline std::vector<std::vector<std::string>> tab_separated(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
  }
  return rows;
}

}  // namespace armature::testing
