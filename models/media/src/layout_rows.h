#pragma once

#include "armature/media/geometry.h"

namespace armature::media {

/// What the rows of a layout's tables become before the zones are built. Skews are in parts of a sector: kAngleUnits of
/// them a sector.
enum ExpandedZoneColumn {
  kStartSkew = 6,
  kOriginalRow,
  kAngleUnits,
  kFirstBackwards,
  kBand,
  kBandSkew,
  kExpandedZoneColumns
};

struct ExpandedLayout {
  GeometryParams params;
  /// For each row of `zones`: slips that delay the tracks behind them.
  std::vector<std::vector<std::uint64_t>> skewing;
};

/// `params` in the plain form that zones are built from. Each row of `zones` gets six more columns: skew of its first
/// track, number of the row (from 1) it comes from, parts of a sector, whether its first cylinder (or band) runs
/// backwards, cylinders of its bands, and skew of a change of band.
/// Done here:
/// - spare ranges: a zone becomes one row a range, each with its own spares and slips, skew going on from range to
/// range;
/// - spares at a range's front or on each track, and sectors that the drive keeps at a zone's front: slips, with spares
/// for them; a range of which nothing is left disappears;
/// - slips that use up no spare: a spare more for each;
/// - `blocks`: what lies behind the last block becomes spares of the last row, and rows without a block disappear.
/// Throws InputError.
ExpandedLayout expanded(const GeometryParams& params);

}  // namespace armature::media
