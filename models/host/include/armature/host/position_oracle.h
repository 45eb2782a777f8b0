#pragma once

#include "armature/core/request.h"
#include "armature/core/time.h"

#include <cstdint>

namespace armature::host {

/// What a host cannot know: where the drive's arm is and how its disk is turned. A study aid for SSTF, SPTF and aged
/// SPTF in the host, and labelled so in the results. The application implements it over the drive's public queries.
class PositionOracle {
 public:
  virtual ~PositionOracle() = default;

  /// Cylinder on which `lbn` begins.
  virtual std::uint32_t cylinder_of(std::uint64_t lbn) const = 0;
  /// Cylinders between the arm's (nearest arm's) position or present target and `lbn`.
  virtual std::uint32_t seek_distance(std::uint64_t lbn) const = 0;
  /// Time from `start` until the first sector of `lbn` begins to pass under a head, if the arm began to move at
  /// `start`.
  virtual Ps positioning_time(std::uint64_t lbn, Operation operation, Ps start) const = 0;
  /// Time that passes in link, firmware and arbitration between a dispatch and the arm's start.
  virtual Ps lead_time() const = 0;
};

}  // namespace armature::host
