#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace armature::app {

/// `armature samples RUN`: the waves of a run at equal steps of time, comma-separated.
class SamplesCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit SamplesCommand(CLI::App& app);

  bool wanted() const { return samples_->parsed(); }
  int run() const;

 private:
  CLI::App* samples_;
  std::string run_;
  std::uint64_t hz_ = 10'000;
  std::vector<std::string> signals_;
  double from_s_ = 0, to_s_ = 0;
  std::string out_;
};

}  // namespace armature::app
