#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

namespace armature::app {

/// `armature waves repair RUN`: makes a whole file of the waves of a run that was killed.
class WavesCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit WavesCommand(CLI::App& app);

  bool wanted() const { return repair_->parsed(); }
  int run() const;

 private:
  CLI::App* repair_;
  std::string run_;
};

/// What a command that reads waves does first: if their run was killed, it makes a whole file of them and says so on
/// stderr. If it cannot, or a run still writes them, they are left as they are.
void close_waves_of_killed_run(const std::filesystem::path& dump);

}  // namespace armature::app
