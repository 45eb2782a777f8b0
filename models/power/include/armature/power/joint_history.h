#pragma once

#include "armature/core/time.h"
#include "armature/power/power_history.h"

#include <cstddef>
#include <vector>

namespace armature::power {

class Ledger;

/// What several drives draw together over time: peaks, rolling averages and a series of their sum. Each drive's ledger
/// reports its intervals of constant power in its own order of time; they are summed up to the time that all have
/// reported. Powers are integers, so the sum of the drives' energies is this history's to the last digit.
class JointHistory {
 public:
  /// @param windows  lengths of the rolling averages, ps, each above 0
  explicit JointHistory(const std::vector<Ps>& windows) : history_(windows) {}
  JointHistory(const JointHistory&) = delete;
  JointHistory& operator=(const JointHistory&) = delete;

  /// The ledger's drive takes part. Before anything is simulated; both must live until finish().
  void join(Ledger& ledger);

  /// The drive with this number draws `power` from `from`, where its last report ended, until `to`.
  void add(std::size_t drive, Ps from, Ps to, const RailPower& power);
  /// Bounds the memory: sums up to `present` what has been reported, once there is much of it.
  void limit(Ps present) {
    if (changes_.size() >= kMostChanges) catch_up(present);
  }
  /// Counts up to `end`, the present. Once; reports after that are ignored.
  void finish(Ps end);

  /// After finish().
  const PowerHistory& history() const { return history_; }

 private:
  static constexpr std::size_t kMostChanges = 8192;
  struct Change {
    Ps at;
    std::size_t drive;
    RailPower power;
  };

  void catch_up(Ps present);

  std::vector<Ledger*> ledgers_;
  std::vector<RailPower> reported_;  ///< by drive: power at its last report
  std::vector<RailPower> summed_;    ///< by drive: its part of sum_
  std::vector<Change> changes_;      ///< not yet summed
  RailPower sum_{};
  Ps until_ = 0;  ///< history_ has all up to then
  bool finished_ = false;
  PowerHistory history_;
};

}  // namespace armature::power
