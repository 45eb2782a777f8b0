#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace armature::app {

/// `armature seek FILE`: one seek of a drive in the normal and the quiet mode: phases, power and energy on both rails.
class SeekCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit SeekCommand(CLI::App& app);

  bool wanted() const;
  /// Throws InputError for a file that is no drive with a coil and an energy account, and a distance beyond its stroke.
  int run() const;

 private:
  CLI::App* seek_;
  std::string file_;
  std::uint32_t distance_ = 0;  ///< cylinders; 0: the full stroke
  std::vector<std::string> sets_;
  std::string svg_;
};

}  // namespace armature::app
