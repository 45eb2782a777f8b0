#pragma once

#include "armature/core/schema.h"
#include "armature/firmware/fw_jog.h"
#include "armature/media/format.h"

#include <cstdint>

namespace armature::drive {

/// Offset of a head's writer from its reader: section `head`. With both offsets 0 they are in one place.
///
/// The skew is the angle between the head's axis (along the arm, to the pivot) and the track. A triangle of spindle,
/// pivot and head with sides D (spindle to pivot), L (arm) and r (radius) has
///
///     sin(skew) = (L^2 + r^2 - D^2) / (2 L r)
///
/// Let the writer be s further along the axis, away from the pivot, and l further out across it than the reader. Then
/// the writer is on a track while the reader is s sin(skew) + l cos(skew) further in, and a sector passes under the
/// writer s cos(skew) - l sin(skew) later, along the track. Both are computed at the first and the last cylinder and
/// interpolated linearly between.
struct HeadParams {
  double writer_along_um = 0;     ///< s
  double writer_across_um = 0;    ///< l
  double arm_length_mm = 50;      ///< L
  double pivot_distance_mm = 55;  ///< D
  void keys(KeyVisitor& visitor);

  /// For a disk of `cylinders` between the radii of `format`. Throws InputError if radii are missing, if they and the
  /// arm make no triangle, or if the reader would have to go outside cylinder 0.
  fw_jog jog(const media::FormatParams& format, std::uint32_t cylinders) const;
};

/// Cylinders beyond the disk's that an arm must reach to write the innermost ones.
std::uint32_t guard_cylinders(const fw_jog& jog);

}  // namespace armature::drive
