#pragma once

#include "scenario_options.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace armature::app {

/// `armature linux`: boots a Linux on the drives of a scenario.
class LinuxCommand {
 public:
  /// Adds the command and its options to the program's.
  /// @param options  shared with the other commands that read a scenario
  LinuxCommand(CLI::App& app, ScenarioOptions& options);

  bool wanted() const { return linux_->parsed(); }
  int run() const;

 private:
  const ScenarioOptions& options_;
  CLI::App* linux_;
  std::string kernel_;
  std::string root_;
  std::vector<std::string> command_;
};

}  // namespace armature::app
