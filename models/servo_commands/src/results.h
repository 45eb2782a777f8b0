#pragma once

#include "armature/servo/analysis.h"
#include "armature/servo/follow.h"
#include "armature/servo/seek.h"

#include <nlohmann/json_fwd.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace armature::servo_commands {

nlohmann::ordered_json json_of(const servo::FollowResult& result);
nlohmann::ordered_json json_of(const servo::Prediction& prediction);
nlohmann::ordered_json json_of(const servo::Margins& margins);
nlohmann::ordered_json json_of(const servo::SeekResult& result);
/// With version, file and configuration around it; to the file, or to standard output for "-".
void write_json(const std::string& path, const servo::ServoParams& servo, const nlohmann::ordered_json& results);

/// "crossover 990 Hz, phase margin 55.9 degrees, ...".
std::string margins_text(const servo::Margins& margins);

/// A tab-separated table of chosen signals of a loop, a row a hold.
class SeriesFile {
 public:
  /// @param signals  names separated by commas; empty: all. Throws InputError for a name that is none.
  SeriesFile(const std::string& path, const std::string& signals, bool wedges_only);
  void add(const servo::Instant& now);
  /// Throws InputError if something could not be written.
  void close();

 private:
  std::string path_;
  std::ofstream stream_;
  std::vector<std::size_t> columns_;
  bool wedges_only_;
};

}  // namespace armature::servo_commands
