#pragma once

#include "armature/servo/params.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace armature::app {

/// `armature servo track|seek|bode FILE`: the voice-coil servo of a plant file on its own; `servo curve|fit DRIVE`:
/// that of a drive against its section `seek` (docs/guide/servo.md).
class ServoCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit ServoCommand(CLI::App& app);

  bool wanted() const { return servo_->parsed(); }
  /// Returns kOk, or kNoProgress if the loop lost the track or did not settle. Throws InputError for a plant file that
  /// is none and for options that do not fit it.
  int run() const;

 private:
  void add_common(CLI::App& command);
  servo::ServoParams load() const;
  int track() const;
  int track_cases(const servo::ServoParams& servo) const;
  std::int64_t points_of_hold(const servo::ServoParams& servo) const;
  int seek() const;
  int bode() const;

  CLI::App* servo_;
  CLI::App* track_;
  CLI::App* seek_;
  CLI::App* bode_;
  CLI::App* curve_;
  CLI::App* fit_;
  std::string plant_;
  std::string file_;
  std::vector<std::string> sets_;
  std::int64_t revolutions_ = 100;
  bool cases_ = false;
  std::int64_t case_ = 0;
  std::int64_t points_ = 0;  // of a wedge; 0: the default
  std::vector<double> distances_;
  double from_tracks_ = 0;
  CLI::Option* from_ = nullptr;
  std::string json_;
  std::string series_;
  std::string signals_;
  bool wedges_only_ = false;
  std::string svg_;
  std::string tsv_;
  bool quiet_ = false;
};

}  // namespace armature::app
