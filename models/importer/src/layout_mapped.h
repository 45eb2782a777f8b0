#pragma once

#include "conversion.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace armature::importer {

/// A run of cylinders whose tracks have equally many sectors. Skews and offset are in revolutions, below 1.
struct MappedZone {
  std::int64_t first = 0, last = 0;  ///< cylinders
  std::int64_t per_track = 0;
  double offset = 0, track_skew = 0, cylinder_skew = 0;
};

/// Consecutive blocks in consecutive sectors of a track.
struct MappedRun {
  std::int64_t lbn = 0, cylinder = 0, head = 0, sector = 0, length = 0;
  std::optional<double> angle;  ///< of the track's first sector, in revolutions; nothing: by the skews of the zone
};

/// A layout that is given run by run, as a table or a tree of patterns, in the keys of our geometry: the order of
/// tracks that most of it follows, with slips where sectors have no block and remaps where blocks lie out of the order.
/// What lies elsewhere then is noted, with its share.
/// @param runs  in the order of their blocks
Layout mapped_layout(std::vector<MappedZone> zones, std::vector<MappedRun> runs, const DiskFacts& disk,
                     const Place& place, const std::string& source, Report& report);

/// dm_layout_g2: a table of runs, as DIXtrac writes it.
Layout layout_g2(ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, const ReadFile& read,
                 Report& report);
/// dm_layout_g4: a tree of patterns.
Layout layout_g4(const ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, Report& report);

/// The part of a revolution that is left of a number of them; so near a whole one that no key can tell: 0.
double part_of_revolution(double revolutions);

}  // namespace armature::importer
