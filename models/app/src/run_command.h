#pragma once

#include "scenario_options.h"

#include <CLI/CLI.hpp>

#include <string>

namespace armature::app {

/// `armature run`: simulates a scenario.
class RunCommand {
 public:
  /// Adds the command and its options to the program's.
  /// @param options  shared with the other commands that read a scenario
  RunCommand(CLI::App& app, ScenarioOptions& options);

  bool wanted() const { return run_->parsed(); }
  int run() const;

 private:
  const ScenarioOptions& options_;
  CLI::App* run_;
};

/// `armature serve`: the same for NBD clients, who take the place of its workload.
class ServeCommand {
 public:
  ServeCommand(CLI::App& app, ScenarioOptions& options);

  bool wanted() const { return serve_->parsed(); }
  int run() const;

 private:
  const ScenarioOptions& options_;
  CLI::App* serve_;
  std::string nbd_;
  std::string pace_ = "free";
  unsigned patience_us_ = 200;
  bool once_ = false;
};

}  // namespace armature::app
