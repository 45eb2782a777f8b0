#include "armature/arbiter/seek_table.h"

#include "armature/core/shared_equal.h"

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
  curve_ = shared_equal(curve());
}

SeekTable::Curve SeekTable::curve() const {
  Curve made;
  if (used_ == 0) return made;
  std::vector<Segment>& segments = made.segments;

  // From 0 to the first entry: its time, since a move of one cylinder costs no less than the first entry says.
  const Entry* last = &entries_[0];
  if (last->distance > 0) segments.push_back({0, last->distance, last->ticks, 0});
  bool wraps = false;
  for (unsigned i = 1; i < used_ && entries_[i].distance > last->distance; ++i) {
    segments.push_back({last->distance, entries_[i].distance, last->ticks, last->slope});
    const std::int64_t end = exact(segments.back(), segments.back().end - 1);
    wraps = wraps || end < 0 || end > kTimeMask;
    last = &entries_[i];
  }
  made.last_distance = last->distance;
  made.last_ticks = last->ticks;
  made.least_behind = wraps ? 0 : last->ticks;
  if (segments.empty()) return made;  // one entry at distance 0

  while (made.last_distance >> made.bucket_shift >= kBuckets) ++made.bucket_shift;
  std::uint16_t segment = 0;
  for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
    const std::uint32_t first = bucket << made.bucket_shift;
    while (segment + 1u < segments.size() && segments[segment].end <= first) ++segment;
    made.first_segment[bucket] = segment;
  }
  if (wraps) return made;  // slopes that are not those of the entries: no bound but 0

  // A straight piece is least at one of its ends, so each bucket at its own ends, or where a piece ends or begins.
  const auto ticks = [&made](std::uint32_t cylinders) { return cylinders == 0 ? 0 : made.ticks(cylinders); };
  std::uint32_t least =
      made.last_distance > 1 ? std::min(made.last_ticks, ticks(made.last_distance - 1)) : made.last_ticks;
  for (std::size_t i = segments.size(), bucket = kBuckets; bucket-- > 0;) {
    const auto first = static_cast<std::uint32_t>(bucket << made.bucket_shift);
    const std::uint32_t end = first + (std::uint32_t{1} << made.bucket_shift) - 1;
    for (; i > 0 && segments[i - 1].begin > first; --i) {
      const std::uint32_t begin = segments[i - 1].begin;
      least = std::min({least, ticks(begin), ticks(std::max(begin - 1, 1u))});
    }
    least = std::min({least, ticks(std::max(first, 1u)), ticks(std::max(end, 1u))});
    made.least[bucket] = least;
  }
  return made;
}

}  // namespace armature::arbiter
