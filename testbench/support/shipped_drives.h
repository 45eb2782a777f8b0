#pragma once

#include "armature/core/config.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"
#include "support/tree.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace armature::testing {

/// The drive files in scenarios/drives, without their endings.
inline std::vector<std::string> drive_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Those of real drives, without the made-up ones of studies.
inline std::vector<std::string> real_drives() {
  std::vector<std::string> names;
  for (const std::string& name : drive_files())
    if (name.rfind("study_", 0) != 0) names.push_back(name);
  return names;
}

/// The drive as its file has it, caches included.
inline BenchParams shipped(const std::string& name) {
  BenchParams params;
  config::read(load_drive_sections(name), params.drive);
  config::Node file = load_drive_file(name + ".toml");
  if (file.find("link")) config::read(file.take("link"), params.link);
  return params;
}

}  // namespace armature::testing
