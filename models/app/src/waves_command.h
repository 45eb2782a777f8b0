#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace armature::app {

/// `armature waves repair RUN`: makes a whole file of the waves of a run that was killed. `waves signals RUN` and
/// `waves changes RUN`: what is in a dump, tab-separated, for other programs.
class WavesCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit WavesCommand(CLI::App& app);

  bool wanted() const { return repair_->parsed() || signals_->parsed() || changes_->parsed(); }
  int run() const;

 private:
  int repair(const std::filesystem::path& dump) const;

  CLI::App* repair_;
  CLI::App* signals_;
  CLI::App* changes_;
  std::string run_;
  std::vector<std::string> globs_;
  double from_s_ = 0, to_s_ = 0;
};

/// What a command that reads waves does first: if their run was killed, it makes a whole file of them and says so on
/// stderr. If it cannot, or a run still writes them, they are left as they are.
void close_waves_of_killed_run(const std::filesystem::path& dump);

}  // namespace armature::app
