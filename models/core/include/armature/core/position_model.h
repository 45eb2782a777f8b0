#pragma once

#include "armature/core/block_address.h"
#include "armature/core/request.h"
#include "armature/core/rotation.h"
#include "armature/core/time.h"

#include <cstdint>

namespace armature {

/// How long a mechanism takes to a place: what a study's host asks before it chooses, and no host can know. Queries
/// have no side effect.
class PositionModel {
 public:
  virtual ~PositionModel() = default;

  /// Where a sector begins. A disk's cylinder, surface and angle; a mechanism without one of them leaves it 0.
  struct Place {
    Lbn lbn = 0;
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    TrackAngle angle;
  };
  virtual Place place(Lbn lbn) const = 0;

  /// What can be moved to a place: arms, or their heads if there are several on a surface at different cylinders.
  virtual unsigned arms() const = 0;
  /// Position of an arm, or the target of the move that it makes; may lie beyond the last cylinder.
  virtual std::uint32_t arm_cylinder(unsigned arm) const = 0;
  /// It has a head for the surface.
  virtual bool reaches([[maybe_unused]] unsigned arm, [[maybe_unused]] const Place& place) const { return true; }
  /// Time from `start` (>= the kernel's time) until the sector begins to pass under a head, if an arm began to move at
  /// `start`: the least over the arms that reach it and neither move nor transfer now, or over all that do if none is
  /// so. The largest Ps if none reaches it.
  virtual Ps positioning_time(const Place& place, Operation operation, Ps start) const = 0;
  /// No positioning by an arm that is `distance` cylinders or more away takes less. Must not fall with the distance; 0
  /// is always right and only slow.
  virtual Ps least_time(std::uint32_t distance) const = 0;
};

}  // namespace armature
