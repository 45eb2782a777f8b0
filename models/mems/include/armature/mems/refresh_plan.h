#pragma once

#include "armature/core/time.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace armature::mems {

/// When the rows of a sled are refreshed: each one within `period` of its last refresh, in a fixed order, round and
/// round.
///
/// A row may be refreshed in idle time from the age `early` on. It is forced when the rows behind it would otherwise be
/// late: row j from the next one on needs to be refreshed by (its last refresh + period), and forced rows follow each
/// other by `interval`. So rows are forced from the smallest (due of j - (j + 1) interval) on. Rows that were refreshed
/// together in idle time are due together, and are therefore spread over the time before.
///
/// When the plan begins, the rows' ages are spread evenly, up to midway between `early` and `period`: as if the store
/// had been in service before.
class RefreshPlan {
 public:
  /// @param rows      at least 1
  /// @param period    ps
  /// @param early     ps, below `period`
  /// @param interval  ps, at most period / (rows + 1)
  RefreshPlan(std::uint64_t rows, Ps period, Ps early, Ps interval);

  std::uint64_t next() const { return next_; }  ///< row
  /// From then on it may be refreshed in idle time, ps.
  Ps early_from() const { return last_[next_] + early_; }
  /// From then on it is refreshed before requests, ps.
  Ps forced_from() const;
  /// The next row has been refreshed at `t`, ps; the one behind it is next.
  void refreshed(Ps t);

  std::uint64_t rounds() const { return rounds_; }  ///< times that the last row has been refreshed
  /// Longest time between two refreshes of a row up to now, the open ones at `t` included, ps.
  Ps oldest(Ps t) const;

 private:
  /// Of the row with this number in the order of all refreshes: its due time less its turn by `interval`.
  struct Key {
    std::uint64_t number;
    Ps value;
  };
  void push(std::uint64_t number, Ps last);

  const std::uint64_t rows_;
  const Ps period_, early_, interval_;
  std::vector<Ps> last_;  // refresh of each row
  std::uint64_t next_ = 0, rounds_ = 0;
  std::uint64_t number_ = 0;  // refreshes so far
  std::deque<Key> least_;     // ascending keys of the rows to come; the first is the smallest
  Ps oldest_ = 0;
};

}  // namespace armature::mems
