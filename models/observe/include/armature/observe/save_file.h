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

/// What a GTKWave save file shows.
struct WaveView {
  std::vector<FstTrace::Variable> variables;  ///< of the dump
  Ps from = 0;                                ///< the picture's left edge
  Ps to = 0;                                  ///< and right edge, > from
  std::vector<Marker> markers;
};

/// The text of a GTKWave 3.3 save file (.gtkw): the variables in groups in the order of a request's way (host queue,
/// link, host interface, interrupts, processor, arm arbitration, arms, spindles, channel arbiter, channels), with names
/// for people, units, colours by group, and real values as curves. A dump of several drives has one set of groups for
/// each.
std::string save_file_text(const WaveView& view);

/// Writes it. @throws InputError if the file cannot be written
void write_save_file(const std::filesystem::path& file, const WaveView& view);

/// A save file with another picture: `text` with its zoom, start and markers replaced.
std::string with_picture(const std::string& text, Ps from, Ps to, const std::vector<Marker>& markers);

}  // namespace armature::observe
