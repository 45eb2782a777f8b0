#pragma once

#include "armature/media/geometry.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace armature::media {

/// A zone, or a range of one, as zones are built from it: all the keys of a layout have been worked in. Skews are in
/// parts of a sector, `units` of them a sector. Sectors are counted from the range's first.
struct ExpandedZone {
  std::size_t row = 0;  ///< of `zones` that it comes from, from 1
  std::int64_t first_cylinder = 0;
  std::int64_t last_cylinder = 0;
  std::int64_t per_track = 0;          ///< sectors of a track
  std::vector<std::int64_t> surfaces;  ///< the same of each surface; empty: all have `per_track`
  std::int64_t units = 1;
  std::int64_t track_skew = 0;
  std::int64_t cylinder_skew = 0;
  std::int64_t start_skew = 0;         ///< of its first track
  bool first_backwards = false;        ///< its first cylinder, or band, runs from the last head down
  std::int64_t band = 0;               ///< cylinders of a band
  std::int64_t band_skew = 0;          ///< of a change of band
  std::int64_t spares = 0;             ///< sectors
  std::vector<std::int64_t> slips;     ///< first sectors of physical sectors without a block
  std::vector<std::uint64_t> skewing;  ///< slips that delay the tracks behind them

  /// Of all its tracks.
  std::int64_t sectors(std::int64_t heads) const {
    const std::int64_t of_cylinder =
        surfaces.empty() ? heads * per_track : std::accumulate(surfaces.begin(), surfaces.end(), std::int64_t{0});
    return (last_cylinder - first_cylinder + 1) * of_cylinder;
  }
};

/// The zones of `params` in the plain form. Done here:
/// - spare ranges: a zone becomes one a range, each with its own spares and slips, skew going on from range to range;
/// - spares at a range's front or on each track, and sectors that the drive keeps at a zone's front: slips, with spares
///   for them; a range of which nothing is left disappears;
/// - slips that use up no spare: a spare more for each;
/// - `blocks`: what lies behind the last block becomes spares of the last zone, and zones without a block disappear.
/// Throws InputError.
std::vector<ExpandedZone> expanded(const GeometryParams& params);

}  // namespace armature::media
