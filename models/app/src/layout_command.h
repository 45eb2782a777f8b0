#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace armature::app {

/// `armature layout FILE`: the zones of a drive file as its format makes them, or one track of it.
class LayoutCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit LayoutCommand(CLI::App& app);

  bool wanted() const;
  /// Throws InputError for a file that is no drive, and a place outside of it.
  int run() const;

 private:
  CLI::App* layout_;
  std::string file_;
  std::uint64_t block_ = 0;
  CLI::Option* track_ = nullptr;
  std::string svg_;
};

}  // namespace armature::app
