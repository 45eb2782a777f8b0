#pragma once

#include "armature/workload/source.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace armature::app {

/// `armature trace info FILE`: what a trace asks for, or the load of a scenario, without a drive.
class TraceCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit TraceCommand(CLI::App& app);

  bool wanted() const;
  /// Throws InputError for a broken trace; then nothing has been written.
  int run() const;

 private:
  std::unique_ptr<workload::Source> of_trace() const;
  std::unique_ptr<workload::Source> of_scenario() const;
  void refuse_lost_inputs(const std::vector<std::string>& inputs) const;

  CLI::App* trace_;
  std::string file_;
  std::string format_;
  std::string drive_;
  std::string out_;
  std::vector<std::string> sets_;
};

}  // namespace armature::app
