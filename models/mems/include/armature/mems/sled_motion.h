#pragma once

#include "armature/core/time.h"
#include "armature/mems/layout.h"
#include "armature/mems/sled_model.h"

#include <cstdint>
#include <vector>

namespace armature::mems {

/// SledModel's times, each computed once: the places at which rows begin and end are few. Not for several threads.
class SledTimes {
 public:
  SledTimes(const MemsParams& params, const Layout& layout);

  /// As SledModel::time.
  Positioning positioning(const SledState& from, const SledState& to) const;
  /// As SledModel::x_time.
  Ps x_time(std::int32_t from, std::int32_t to) const;
  Ps pass() const { return pass_; }  ///< of the tips over a row
  const Layout& layout() const { return layout_; }
  const SledModel& model() const { return model_; }

 private:
  Ps y_time(std::int32_t from, std::int32_t to) const;
  /// By the place where a seek to a larger one begins, from the lower edge on, and by its length: ps, 0 where it is not
  /// known yet. Not of stores with many cylinders. Longer times than 32 bits hold (4.29 ms) are computed each time; the
  /// table of X is large, and much of its cost is that of reaching memory.
  using Table = std::vector<std::vector<std::uint32_t>>;
  template <class Compute>
  /// `ends`: sum of the positions of the range's ends.
  static Ps known(Table& times, std::int32_t ends, std::int32_t from, std::int32_t to, const Compute& compute);

  const Layout layout_;
  const SledModel model_;
  const Ps pass_;
  mutable Table x_, y_;
};

/// A sled's movement as a function of time. It passes over rows and seeks on command. Otherwise it sweeps over its
/// range in Y with the access speed, and after `sled.idle_ms` it lies inactive in the middle.
///
/// A value: a copy goes its own way, which answers what a sequence of passes would take. `times` must outlive it.
class SledMotion {
 public:
  SledMotion(const MemsParams& params, const SledTimes& times);

  /// The way to a row, and in which direction the tips pass over it.
  struct Approach {
    Ps leaves = 0;  ///< the sled begins to move there
    Ps begins = 0;  ///< the tips are at the row
    SledState from;
    Pass way;
    Positioning move;
    bool starts = false;  ///< from where it lay inactive; `leaves` is after the start-up
  };
  struct Departure {
    Ps at;
    SledState state;
    bool starts;  ///< from where it lies inactive
  };
  /// Of a sled that sweeps from that state at `since` on.
  static Departure swept(const SledTimes& times, SledState state, Ps since, Ps t);
  /// Where and when it leaves if it may at `t`: while it turns round or starts, when it has.
  Departure departure(Ps t) const;
  /// The nearer of the two directions, or upwards if tips read in one only, for a sled that may leave at `t` or later.
  /// While it turns round or starts, it leaves when it has.
  Approach approach(const BlockPlace& place, Ps t) const;
  /// The sled goes that way. Behind it, it sweeps on.
  void go(const Approach& approach);
  /// The tips pass over the row to which the sled came last, at once; returns the end.
  Ps pass(const Approach& approach);
  /// It lies inactive in the middle from `t` on.
  void rest(Ps t);
  /// It has been started, and sweeps from the middle on.
  void wake(Ps t);

  /// The sled has been told where to be until then; it sweeps from there on.
  Ps free_from() const { return since_; }
  const SledState& state() const { return state_; }  ///< at free_from()
  /// From then on it is inactive, if nothing else is ordered.
  Ps inactive_from() const { return inactive_from_; }
  std::uint32_t cylinder() const { return static_cast<std::uint32_t>(state_.x + times_->layout().reach_x()); }

  /// Where a sweeping sled is at `t` >= free_from(), in bits: for waves.
  double y_at(Ps t) const;

 private:
  const SledTimes* times_;
  Ps startup_, idle_;
  bool bidirectional_;
  SledState state_;
  Ps since_ = 0;
  Ps inactive_from_ = 0;
};

}  // namespace armature::mems
