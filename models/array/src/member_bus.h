#pragma once

#include "armature/array/array_params.h"
#include "armature/core/time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace armature::array {

/// A bus between the controller and some of its members: one transfer at a time, in the order of asking. A transfer
/// takes the bus's overhead and bytes / rate, as a whole.
class MemberBus {
 public:
  struct Turn {
    Ps begin = 0;
    Ps end = 0;
  };

  explicit MemberBus(const BusParams& params)
      : ps_per_byte_(1e6 / params.mb_s), overhead_(from_ms(params.overhead_us / 1000)) {}

  /// `at` is no earlier than that of the transfer before.
  Turn take(std::uint64_t bytes, Ps at) {
    Turn turn;
    turn.begin = std::max(at, free_);
    turn.end = turn.begin + overhead_ + static_cast<Ps>(std::ceil(static_cast<double>(bytes) * ps_per_byte_));
    free_ = turn.end;
    busy_ += turn.end - turn.begin;
    return turn;
  }
  Ps busy() const { return busy_; }  ///< in all, with what it has been asked for

 private:
  const double ps_per_byte_;
  const Ps overhead_;
  Ps free_ = 0;
  Ps busy_ = 0;
};

}  // namespace armature::array
