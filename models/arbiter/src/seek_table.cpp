#include "armature/arbiter/seek_table.h"

#include <algorithm>

namespace armature::arbiter {

void SeekTable::store(unsigned entry, std::uint32_t cylinders, std::uint32_t ticks) {
  distance_[entry % kEntries] = cylinders;
  time_[entry % kEntries] = ticks;
}

void SeekTable::use(unsigned entries) {
  entries = std::min(entries, kEntries);
  segments_.clear();
  last_distance_ = last_ticks_ = 0;
  bucket_shift_ = 0;
  if (entries == 0) return;

  // From 0 to the first entry: its time, since a move of one cylinder costs no less than the first entry says.
  segments_.push_back({0, std::max(distance_[0], 1u), static_cast<std::int32_t>(time_[0]), 0});
  last_distance_ = segments_.back().end;
  last_ticks_ = time_[0];
  for (unsigned i = 1; i < entries && distance_[i] > last_distance_; ++i) {
    const std::int64_t rise = std::int64_t{time_[i]} - last_ticks_;
    const std::int64_t run = distance_[i] - last_distance_;
    const std::int64_t scaled = rise * (std::int64_t{1} << kSlopeBits);    // a measured curve may fall
    const std::int64_t slope = scaled / run - (scaled % run < 0 ? 1 : 0);  // rounded down
    segments_.push_back({last_distance_, distance_[i], static_cast<std::int32_t>(last_ticks_), slope});
    last_distance_ = distance_[i];
    last_ticks_ = time_[i];
  }

  while (last_distance_ >> bucket_shift_ >= kBuckets) ++bucket_shift_;
  std::uint16_t segment = 0;
  for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
    const std::uint32_t first = bucket << bucket_shift_;
    while (segment + 1u < segments_.size() && segments_[segment].end <= first) ++segment;
    first_segment_[bucket] = segment;
  }

  // A straight piece is least at one of its ends, so each bucket at its own ends, or where a piece ends or begins.
  std::uint32_t least = last_distance_ > 1 ? std::min(last_ticks_, ticks(last_distance_ - 1)) : last_ticks_;
  for (std::size_t i = segments_.size(), bucket = kBuckets; bucket-- > 0;) {
    const auto first = static_cast<std::uint32_t>(bucket << bucket_shift_);
    const std::uint32_t last = first + (std::uint32_t{1} << bucket_shift_) - 1;
    for (; i > 0 && segments_[i - 1].begin > first; --i) {
      const std::uint32_t begin = segments_[i - 1].begin;
      least = std::min({least, ticks(begin), ticks(std::max(begin - 1, 1u))});
    }
    least = std::min({least, ticks(std::max(first, 1u)), ticks(std::max(last, 1u))});
    least_[bucket] = least;
  }
}

}  // namespace armature::arbiter
