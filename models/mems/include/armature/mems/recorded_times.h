#pragma once

#include "armature/core/time.h"
#include "armature/mems/sled_motion.h"

#include <cstdint>
#include <vector>

namespace armature::mems {

/// The clock that a store's arbitration unit and firmware count in: 65,536 ticks are a turn of 64 us.
constexpr std::int64_t kTurnMillirpm = 937'500'000;

/// Ticks by distance, linear between points, in firmware's integer arithmetic (engine/reckoning.c). A distance below
/// the first point takes as long as that point, one behind the last as long as the last; distance 0 takes no time.
struct TickCurve {
  struct Point {
    std::uint32_t distance, ticks;
  };
  std::vector<Point> points;  ///< by ascending distance, one at least

  std::uint32_t ticks(std::uint32_t distance) const;
};

/// What the factory tells a drive's firmware about the times of its sleds.
struct RecordedTimes {
  RecordedTimes(const MemsParams& params, const SledTimes& times);

  /// Policy MST: ticks from the end of one row to the beginning of another, the greater of X and Y. As distance() of
  /// firmware's engine/tree.c.
  std::uint32_t distance(const BlockPlace& a, const BlockPlace& b) const;

  std::vector<Ps> least_x;  ///< no move over that many X positions takes less, wherever it begins
  TickCurve x;              ///< below `least_x`: the arbitration unit's search ends by it
  TickCurve rows;           ///< seek in Y over that many rows, around the middle of the range
  std::uint32_t turn;       ///< turnaround in the middle of the range, ticks
};

}  // namespace armature::mems
