#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace armature::array {

/// Sectors of a member, as stretches that do not touch. Ranges are [first, end).
class SectorSet {
 public:
  void add(std::uint64_t first, std::uint64_t end) {
    auto at = stretches_.upper_bound(first);
    if (at != stretches_.begin() && std::prev(at)->second >= first) --at;
    while (at != stretches_.end() && at->first <= end) {
      first = std::min(first, at->first);
      end = std::max(end, at->second);
      sectors_ -= at->second - at->first;
      at = stretches_.erase(at);
    }
    if (first >= end) return;
    stretches_.emplace(first, end);
    sectors_ += end - first;
  }

  void remove(std::uint64_t first, std::uint64_t end) {
    auto at = stretches_.upper_bound(first);
    if (at != stretches_.begin() && std::prev(at)->second > first) --at;
    while (at != stretches_.end() && at->first < end) {
      const std::pair<std::uint64_t, std::uint64_t> old = *at;
      at = stretches_.erase(at);
      sectors_ -= old.second - old.first;
      if (old.first < first) add(old.first, first);
      if (old.second > end) add(end, old.second);
    }
  }

  void clear() {
    stretches_.clear();
    sectors_ = 0;
  }
  bool empty() const { return stretches_.empty(); }
  std::uint64_t sectors() const { return sectors_; }
  const std::map<std::uint64_t, std::uint64_t>& stretches() const { return stretches_; }
  bool overlaps(std::uint64_t first, std::uint64_t end) const { return free_until(first, end) < end; }
  /// The first sector from `first` on that is in the set, at most `end`.
  std::uint64_t free_until(std::uint64_t first, std::uint64_t end) const {
    const auto after = stretches_.upper_bound(first);
    if (after != stretches_.begin() && std::prev(after)->second > first) return first;
    return after == stretches_.end() ? end : std::min(end, after->first);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> stretches_;  ///< end by first
  std::uint64_t sectors_ = 0;
};

}  // namespace armature::array
