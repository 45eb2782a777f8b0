#pragma once

#include "armature/observe/fst_trace.h"

#include <filesystem>
#include <string>
#include <vector>

namespace armature::observe {

/// A named moment in the picture, at most 26.
struct Marker {
  Ps at = 0;
  std::string name;
};

/// What a viewer shows.
struct WaveView {
  std::vector<FstTrace::Variable> variables;  ///< of the dump
  Ps from = 0;                                ///< the picture's left edge
  Ps to = 0;                                  ///< and right edge, > from
  std::vector<Marker> markers;
  std::string first_drive = {};  ///< which of several comes first; empty: in the order of the dump
  bool selected = false;         ///< somebody chose the variables, so no group stands folded
};

/// The text of a GTKWave 3.3 save file (.gtkw): the variables in groups in the order of a request's way (requests, host
/// queue, link, host interface, interrupts, processor, arms, spindles, channels, arbitration with its slots), with
/// names for people, units, colours by group, and real values as curves. A dump of several drives has one set of groups
/// for each. Pins and nets of RTL and powers stand folded unless they were chosen.
std::string save_file_text(const WaveView& view);

/// The same for the Surfer viewer: a file of its commands (.sucl), for `surfer --command-file`.
std::string surfer_commands(const WaveView& view);

/// Writes both, `stem` with .gtkw and with .sucl. @throws InputError if a file cannot be written
void write_save_files(const std::filesystem::path& stem, const WaveView& view);

}  // namespace armature::observe
