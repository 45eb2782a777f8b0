#pragma once

#include "armature/core/rotation.h"
#include "armature/core/schema.h"

#include <cstdint>
#include <vector>

namespace armature::media {

/// Recording layout of a disk: keys of the section `geometry`.
struct GeometryParams {
  std::int64_t heads = 2;  ///< data surfaces
  /// Rows: first cylinder, last cylinder, sectors a track, track skew and cylinder skew (sectors), spare sectors at the end.
  std::vector<std::vector<double>> zones;
  int mapping = 0;  ///< index of: conventional, serpentine
  std::int64_t serpentine_band_cylinders = 100;
  void keys(KeyVisitor& visitor);
};

/// Where a logical block lies.
struct Location {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::uint32_t sector = 0;             ///< from the track's first logical sector
  std::uint32_t sectors_per_track = 0;
  std::uint32_t run = 0;                ///< sectors from this one to the last data sector of the track
  TrackAngle angle;                     ///< leading edge of the sector, skew included
};

/// Logical block to place and back. Exact; no state.
class Geometry {
 public:
  /// Throws InputError when the zones do not make a disk (gaps, overlaps, skew over a revolution).
  explicit Geometry(const GeometryParams& params);

  std::uint64_t sectors() const;     ///< capacity in 512-byte sectors
  std::uint32_t cylinders() const;
  std::uint32_t heads() const;
  Location locate(std::uint64_t lbn) const;  ///< requires lbn < sectors()
};

}  // namespace armature::media
