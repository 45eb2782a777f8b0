#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace armature::array {

/// Locks of ranges, shared or exclusive, granted in the order in which they were asked for: a later one waits for an
/// earlier one that it conflicts with, granted or not.
template <class Owner>
class RangeLocks {
 public:
  /// Last is included. True: granted. False: `release` will return the owner when it is.
  bool acquire(Owner* owner, std::uint64_t first, std::uint64_t last, bool exclusive) {
    const Lock lock{owner, first, last, exclusive, false};
    const bool free =
        std::none_of(locks_.begin(), locks_.end(), [&](const Lock& other) { return conflict(lock, other); });
    locks_.push_back(lock);
    locks_.back().granted = free;
    return free;
  }

  /// Gives up the owner's lock, if it has one. Returns those that are granted by it.
  std::vector<Owner*> release(Owner* owner) {
    std::vector<Owner*> granted;
    const auto mine = std::find_if(locks_.begin(), locks_.end(), [owner](const Lock& l) { return l.owner == owner; });
    if (mine == locks_.end()) return granted;
    locks_.erase(mine);
    for (auto lock = locks_.begin(); lock != locks_.end(); ++lock) {
      if (lock->granted) continue;
      if (std::any_of(locks_.begin(), lock, [&](const Lock& other) { return conflict(*lock, other); })) continue;
      lock->granted = true;
      granted.push_back(lock->owner);
    }
    return granted;
  }

  bool holds(const Owner* owner) const {
    return std::any_of(locks_.begin(), locks_.end(), [owner](const Lock& l) { return l.owner == owner; });
  }

 private:
  struct Lock {
    Owner* owner;
    std::uint64_t first;
    std::uint64_t last;
    bool exclusive;
    bool granted;
  };
  static bool conflict(const Lock& a, const Lock& b) {
    return a.first <= b.last && b.first <= a.last && (a.exclusive || b.exclusive);
  }

  std::vector<Lock> locks_;  ///< in the order of asking
};

}  // namespace armature::array
