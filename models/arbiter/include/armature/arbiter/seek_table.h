#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace armature::arbiter {

/// The arbitration unit's seek curve: piecewise linear between entries that firmware loads, in the unit's integer
/// arithmetic. Time in ticks of 1/65,536 revolution.
///
/// Between entries i and i + 1 the time is t[i] + floor((d - d[i]) * slope[i] / 2^24) with
/// slope[i] = floor((t[i+1] - t[i]) * 2^24 / (d[i+1] - d[i])), so at most one tick below the exact line. Distance 0
/// takes no time; from 1 to the first entry the first entry's time holds, and behind the last entry the last one's.
class SeekTable {
 public:
  static constexpr unsigned kEntries = 256;

  /// Stores an entry; it counts from the next `use`.
  void store(unsigned entry, std::uint32_t cylinders, std::uint32_t ticks);
  /// Uses entries 0 to `entries` - 1. From an entry that does not lie beyond the one before it on, the rest is ignored.
  void use(unsigned entries);
  /// Ticks for a move of `cylinders`.
  std::uint32_t ticks(std::uint32_t cylinders) const {
    if (cylinders == 0 || segments_.empty()) return 0;
    if (cylinders >= last_distance_) return last_ticks_;
    std::size_t i = first_segment_[cylinders >> bucket_shift_];
    while (segments_[i].end <= cylinders) ++i;
    const Segment& s = segments_[i];
    return static_cast<std::uint32_t>(s.ticks +
                                      ((static_cast<std::int64_t>(cylinders - s.begin) * s.slope) >> kSlopeBits));
  }

  /// The least of `ticks` over `cylinders` and all longer distances, or a little less: a measured curve may fall. Never
  /// falls with the distance.
  std::uint32_t least_ticks(std::uint32_t cylinders) const {
    if (cylinders == 0 || segments_.empty()) return 0;
    return cylinders >= last_distance_ ? last_ticks_ : least_[cylinders >> bucket_shift_];
  }

 private:
  static constexpr unsigned kSlopeBits = 24;
  static constexpr unsigned kBuckets = 1024;

  struct Segment {
    std::uint32_t begin, end;  ///< cylinders, end excluded
    std::int32_t ticks;        ///< at `begin`
    std::int64_t slope;        ///< 2^-24 ticks a cylinder
  };

  std::array<std::uint32_t, kEntries> distance_{};
  std::array<std::uint32_t, kEntries> time_{};
  std::vector<Segment> segments_;
  std::uint32_t last_distance_ = 0;
  std::uint32_t last_ticks_ = 0;
  unsigned bucket_shift_ = 0;
  std::array<std::uint16_t, kBuckets> first_segment_{};  ///< of the first cylinder of each bucket, to begin the search
  std::array<std::uint32_t, kBuckets> least_{};          ///< of any distance in the bucket, or beyond
};

}  // namespace armature::arbiter
