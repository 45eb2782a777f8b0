#pragma once

#include "armature/array/array_controller.h"
#include "sector_set.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace armature::array {

/// What the copies of a mirror lack, by slot.
struct ArrayController::Deferred {
  struct Copy {
    SectorSet stale;                  ///< written elsewhere, and to be made up for
    SectorSet lost;                   ///< that no copy has
    Ps since = 0;                     ///< of the oldest of `stale`
    bool making_up = false;           ///< it is awake for that, until it lacks nothing
    std::uint64_t careful_until = 0;  ///< LBN up to which a few sectors are read at once, as a longer read has failed

    bool behind(std::uint64_t first, std::uint64_t end) const { return current_until(first, end) < end; }
    /// The first sector from `first` on that it lacks, at most `end`.
    std::uint64_t current_until(std::uint64_t first, std::uint64_t end) const {
      return std::min(stale.free_until(first, end), lost.free_until(first, end));
    }
    /// The first sector from `first` on that it has, at most `end`.
    std::uint64_t behind_until(std::uint64_t first, std::uint64_t end) const;
  };

  std::vector<Copy> of;
  std::unique_ptr<Job> job;  ///< the stretch in work
  sc_core::sc_event next;
};

inline std::uint64_t ArrayController::Deferred::Copy::behind_until(std::uint64_t first, std::uint64_t end) const {
  while (first < end) {
    const std::uint64_t before = first;
    for (const SectorSet* const set : {&stale, &lost}) {
      const auto after = set->stretches().upper_bound(first);
      if (after != set->stretches().begin() && std::prev(after)->second > first) first = std::prev(after)->second;
    }
    if (first == before) break;
  }
  return std::min(first, end);
}

}  // namespace armature::array
