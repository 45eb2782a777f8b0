#pragma once

#include "armature/core/request.h"
#include "armature/core/rotation.h"
#include "armature/core/time.h"

#include <cstdint>

namespace armature::host {

/// What a host cannot know: where the drive's arm is and how its disk is turned. A study aid for SSTF, SPTF and aged
/// SPTF in the host, and labelled so in the results. The application implements it over the drive's public queries.
class PositionOracle {
 public:
  virtual ~PositionOracle() = default;

  /// Where the first sector of a request lies.
  struct Target {
    std::uint64_t lbn = 0;
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    TrackAngle angle;
  };
  virtual Target locate(std::uint64_t lbn) const = 0;

  /// Arms, or their heads if there are several on a surface at different cylinders.
  virtual unsigned arms() const = 0;
  /// Position of an arm, or the present target of its move; may lie beyond the last cylinder.
  virtual std::uint32_t arm_cylinder(unsigned arm) const = 0;
  /// It has a head for the target's surface.
  virtual bool reaches([[maybe_unused]] unsigned arm, [[maybe_unused]] const Target& target) const { return true; }
  /// Time from `start` until the first sector begins to pass under a head, if an arm began to move at `start`; the
  /// quickest arm's if there are several.
  virtual Ps positioning_time(const Target& target, Operation operation, Ps start) const = 0;
  /// No positioning by an arm that is `distance` cylinders or more away takes less. Must not fall with the distance; 0
  /// is always right and only slow.
  virtual Ps least_time(std::uint32_t distance) const = 0;
  /// Time that passes in link, firmware and arbitration between a dispatch and the arm's start.
  virtual Ps lead_time() const = 0;
};

}  // namespace armature::host
