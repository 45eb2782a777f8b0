#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace armature::app {

/// `armature trace info FILE`: what a trace asks for, without a drive.
class TraceCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit TraceCommand(CLI::App& app);

  bool wanted() const;
  /// Throws InputError for a broken trace; then nothing has been written.
  int run() const;

 private:
  CLI::App* trace_;
  std::string file_;
  std::string format_;
  std::string out_;
  std::vector<std::string> sets_;
};

}  // namespace armature::app
