#pragma once

#include "armature/media/geometry.h"

namespace armature::media {

/// What the rows of a layout's tables become before the zones are built.
enum ExpandedZoneColumn { kStartSkew = 6, kOriginalRow, kExpandedZoneColumns };

/// `params` in the plain form that zones are built from. Each row of `zones` gets two more columns: skew of its first
/// track in sectors, and number of the row (from 1) it comes from. Done here:
/// - spare ranges: a zone becomes one row a range, each with its own spares and slips, skew going on from range to
/// range;
/// - reserved sectors at a zone's front: slips, with spares for them;
/// - `blocks`: what lies behind the last block becomes spares of the last row, and rows without a block disappear.
/// Throws InputError.
GeometryParams expanded(const GeometryParams& params);

}  // namespace armature::media
