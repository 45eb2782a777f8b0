#pragma once

#include "conversion.h"

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace armature::importer {

/// Runs of a layout, and tracks, that are represented: more than the tracks of any disk. A damaged file must not take
/// the machine's memory, and each run takes a hundred bytes and more.
constexpr std::int64_t kMostRuns = 1 << 24;

/// A run of cylinders whose tracks have equally many sectors on each surface. Skews and offset are in revolutions,
/// below 1.
struct MappedZone {
  std::int64_t first = 0, last = 0;         ///< cylinders
  std::int64_t per_track = 0;               ///< of the surface with the most
  std::vector<std::int64_t> surfaces = {};  ///< sectors per track of each; empty: all have `per_track`
  double offset = 0, track_skew = 0, cylinder_skew = 0;

  std::int64_t track(std::int64_t head) const {
    return surfaces.empty() ? per_track : surfaces[static_cast<std::size_t>(head)];
  }
  std::int64_t cylinder(std::int64_t heads) const {  ///< sectors of one
    return surfaces.empty() ? per_track * heads : std::accumulate(surfaces.begin(), surfaces.end(), std::int64_t{0});
  }
  std::int64_t sectors(std::int64_t heads) const { return (last - first + 1) * cylinder(heads); }
};

/// Consecutive blocks in consecutive sectors of a track. There are millions of them.
struct MappedRun {
  std::int64_t lbn = 0;
  std::int32_t cylinder = 0, head = 0, sector = 0, length = 0;
  std::optional<double> angle;  ///< of the track's first sector, in revolutions; nothing: by the skews of the zone
};

/// A layout that is given run by run, as a table or a tree of patterns, in the keys of our geometry: the order of
/// tracks that most of it follows, with slips where sectors have no block and remaps where blocks lie out of the order.
/// What lies elsewhere then is noted, with its share.
/// @param runs     in the order of their blocks
/// @param defects  sectors that hold none because they are defective; without a number and an angle
Layout mapped_layout(std::vector<MappedZone> zones, std::vector<MappedRun> runs, std::vector<MappedRun> defects,
                     const DiskFacts& disk, const Place& place, const std::string& source, Report& report);

/// dm_layout_g2: a table of runs, as DIXtrac writes it.
Layout layout_g2(ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, const ReadFile& read,
                 Report& report);
/// dm_layout_g4: a tree of patterns.
Layout layout_g4(const ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, Report& report);

/// The part of a revolution that is left of a number of them; so near a whole one that no key can tell: 0.
double part_of_revolution(double revolutions);

}  // namespace armature::importer
