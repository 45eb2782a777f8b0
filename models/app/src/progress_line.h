#pragma once

#include "armature/app/simulation.h"

#include <cstdio>
#include <string>

namespace armature::app {

/// How far a run is: one moving line on a terminal, a line at each tenth elsewhere.
class ProgressLine {
 public:
  ProgressLine(std::FILE* stream, bool terminal, int width) : stream_(stream), terminal_(terminal), width_(width) {}

  void show(const Progress& progress);
  /// Ends the moving line, which stays as it was last shown.
  void end();
  /// Something else is written where it stands; the next `show` brings it back.
  void clear();

  /// "[=====>    ]  42 %  4200 of 10000 requests  210 k/s  simulated 84.0 s  0:03 left"
  static std::string text(const Progress& progress, bool bar);

 private:
  std::FILE* stream_;
  bool terminal_;
  int width_;
  bool shown_ = false;
  int tenths_ = 0;
};

}  // namespace armature::app
