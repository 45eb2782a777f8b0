#include "armature/arbiter/seek_table.h"

#include <algorithm>

namespace armature::arbiter {

std::int64_t SeekTable::slope(std::uint32_t d0, std::uint32_t t0, std::uint32_t d1, std::uint32_t t1) {
  const std::int64_t run = std::int64_t{d1} - d0;
  const std::int64_t scaled = (std::int64_t{t1} - t0) * (std::int64_t{1} << kSlopeBits);  // a measured curve may fall
  return scaled / run - (scaled % run < 0 ? 1 : 0);                                       // rounded down
}

void SeekTable::store(unsigned entry, std::uint32_t cylinders, std::uint32_t ticks, std::int64_t slope) {
  entries_[entry % kEntries] = {cylinders, ticks, slope};
  stale_ = true;
}

void SeekTable::use(unsigned entries) {
  used_ = std::min(entries, kEntries);
  stale_ = true;
}

void SeekTable::build() {
  stale_ = false;
  segments_.clear();
  last_distance_ = last_ticks_ = least_behind_ = 0;
  bucket_shift_ = 0;
  if (used_ == 0) return;

  // From 0 to the first entry: its time, since a move of one cylinder costs no less than the first entry says.
  const Entry* last = &entries_[0];
  if (last->distance > 0) segments_.push_back({0, last->distance, last->ticks, 0});
  bool wraps = false;
  for (unsigned i = 1; i < used_ && entries_[i].distance > last->distance; ++i) {
    segments_.push_back({last->distance, entries_[i].distance, last->ticks, last->slope});
    const std::int64_t end = exact(segments_.back(), segments_.back().end - 1);
    wraps = wraps || end < 0 || end > kTimeMask;
    last = &entries_[i];
  }
  last_distance_ = last->distance;
  last_ticks_ = last->ticks;
  least_behind_ = wraps ? 0 : last_ticks_;
  if (segments_.empty()) return;  // one entry at distance 0

  while (last_distance_ >> bucket_shift_ >= kBuckets) ++bucket_shift_;
  std::uint16_t segment = 0;
  for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
    const std::uint32_t first = bucket << bucket_shift_;
    while (segment + 1u < segments_.size() && segments_[segment].end <= first) ++segment;
    first_segment_[bucket] = segment;
  }
  least_.fill(0);
  if (wraps) return;  // slopes that are not those of the entries: no bound but 0

  // A straight piece is least at one of its ends, so each bucket at its own ends, or where a piece ends or begins.
  std::uint32_t least = last_distance_ > 1 ? std::min(last_ticks_, ticks(last_distance_ - 1)) : last_ticks_;
  for (std::size_t i = segments_.size(), bucket = kBuckets; bucket-- > 0;) {
    const auto first = static_cast<std::uint32_t>(bucket << bucket_shift_);
    const std::uint32_t end = first + (std::uint32_t{1} << bucket_shift_) - 1;
    for (; i > 0 && segments_[i - 1].begin > first; --i) {
      const std::uint32_t begin = segments_[i - 1].begin;
      least = std::min({least, ticks(begin), ticks(std::max(begin - 1, 1u))});
    }
    least = std::min({least, ticks(std::max(first, 1u)), ticks(std::max(end, 1u))});
    least_[bucket] = least;
  }
}

}  // namespace armature::arbiter
