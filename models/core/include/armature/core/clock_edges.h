#pragma once

#include "armature/core/divisor.h"
#include "armature/core/time.h"

#include <cstdint>

namespace armature {

/// The edges of a clock. They are numbered: edge n lies n periods behind time zero. Times are in ps and not negative.
class ClockEdges {
 public:
  /// @param period  of the clock in ps, > 0
  explicit constexpr ClockEdges(Ps period) : period_(period) {}

  constexpr Ps period() const { return period_.value(); }
  /// The time of edge number `edge`.
  constexpr Ps time(std::int64_t edge) const { return edge * period(); }
  /// The number of the last edge at or before `t`.
  constexpr std::int64_t at_or_before(Ps t) const { return period_.quotient(t); }
  /// The number of the first edge at or after `t`.
  constexpr std::int64_t at_or_after(Ps t) const { return period_.quotient(t + period() - 1); }
  /// The time of the first edge at or after `t`.
  constexpr Ps next_time(Ps t) const { return time(at_or_after(t)); }

 private:
  Divisor period_;
};

}  // namespace armature
