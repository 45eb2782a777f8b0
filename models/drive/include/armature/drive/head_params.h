#pragma once

#include "armature/core/schema.h"
#include "armature/firmware/fw_jog.h"
#include "armature/media/format.h"

#include <cstdint>

namespace armature::drive {

/// Where the writer of a head sits against its reader: section `head`. With both offsets 0 they are in one place.
///
/// The skew is the angle between the head's axis (along the arm, to the pivot) and the track. A triangle of spindle,
/// pivot and head with sides D (spindle to pivot), L (arm) and r (radius) has
///
///     sin(skew) = (L^2 + r^2 - D^2) / (2 L r)
///
/// and with the writer s further along the axis, away from the pivot, and l further out across it than the reader, the
/// writer is on a track while the reader is s sin(skew) + l cos(skew) further in, and a sector passes under it s
/// cos(skew) - l sin(skew) behind, along the track. Both are worked out at the first and the last cylinder; in between
/// they are straight lines.
struct HeadParams {
  double writer_along_um = 0;     ///< s
  double writer_across_um = 0;    ///< l
  double arm_length_mm = 50;      ///< L
  double pivot_distance_mm = 55;  ///< D
  void keys(KeyVisitor& visitor);

  /// For a disk of so many cylinders between the radii of `format`. Throws InputError if radii are missing, if they and
  /// the arm make no triangle, or if the reader would have to go outside cylinder 0.
  fw_jog jog(const media::FormatParams& format, std::uint32_t cylinders) const;
};

/// Cylinders that an arm must be able to go to besides the disk's, to write the innermost ones.
std::uint32_t guard_cylinders(const fw_jog& jog);

}  // namespace armature::drive
