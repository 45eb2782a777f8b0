#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace armature::app {

/// `armature import disksim FILE`: another simulator's drive as a drive file.
class ImportCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit ImportCommand(CLI::App& app);

  bool wanted() const;
  /// Throws InputError for a file that does not become a drive; then nothing has been written.
  int run() const;

 private:
  CLI::App* import_;
  std::string file_;
  std::string out_;
  std::string name_;
  std::string device_;
};

}  // namespace armature::app
