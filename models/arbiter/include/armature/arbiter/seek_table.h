#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace armature::arbiter {

/// The arbitration unit's seek curve: piecewise linear between entries that firmware loads with their slopes, in the
/// unit's integer arithmetic. Time in ticks of 1/65,536 revolution, slopes in 2^-24 ticks a cylinder.
///
/// From entry i to the next the time is t[i] + floor((d - d[i]) * slope[i] / 2^24), modulo 2^24. With the slope that
/// `slope` gives, the curve lies at most one tick below the exact line. Distance 0 takes no time; from 1 to the first
/// entry the first entry's time holds, and behind the last entry the last one's.
class SeekTable {
 public:
  static constexpr unsigned kEntries = 256;
  static constexpr unsigned kSlopeBits = 24;

  /// Slope for the registers seek_slope_lo and seek_slope_hi: floor((t1 - t0) * 2^24 / (d1 - d0)); d1 > d0.
  static std::int64_t slope(std::uint32_t d0, std::uint32_t t0, std::uint32_t d1, std::uint32_t t1);

  /// Stores an entry.
  void store(unsigned entry, std::uint32_t cylinders, std::uint32_t ticks, std::int64_t slope);
  /// Uses entries 0 to `entries` - 1. From an entry that does not lie beyond the one before it on, the rest is ignored.
  void use(unsigned entries);
  /// Makes what was stored count; before the first of the calls below.
  void prepare() {
    if (stale_) build();
  }

  /// Ticks for a move of `cylinders`.
  std::uint32_t ticks(std::uint32_t cylinders) const {
    if (cylinders == 0 || used_ == 0) return 0;
    return curve_->ticks(cylinders);
  }

  /// The least of `ticks` over `cylinders` and all longer distances, or a little less: a measured curve may fall. Never
  /// falls with the distance.
  std::uint32_t least_ticks(std::uint32_t cylinders) const {
    if (cylinders == 0 || used_ == 0) return 0;
    const Curve& c = *curve_;
    return cylinders >= c.last_distance ? c.least_behind : c.least[cylinders >> c.bucket_shift];
  }

 private:
  static constexpr unsigned kBuckets = 1024;
  static constexpr std::uint32_t kTimeMask = 0xFF'FFFF;

  struct Entry {
    std::uint32_t distance = 0;
    std::uint32_t ticks = 0;
    std::int64_t slope = 0;
  };
  struct Segment {
    std::uint32_t begin, end;  ///< cylinders, end excluded
    std::int64_t ticks;        ///< at `begin`
    std::int64_t slope;        ///< 2^-24 ticks a cylinder

    friend bool operator==(const Segment& a, const Segment& b) {
      return a.begin == b.begin && a.end == b.end && a.ticks == b.ticks && a.slope == b.slope;
    }
  };
  /// What the entries make. Shared by the units that hold equal ones.
  struct Curve {
    std::uint32_t last_distance = 0;
    std::uint32_t last_ticks = 0;
    std::uint32_t least_behind = 0;
    unsigned bucket_shift = 0;
    std::vector<Segment> segments;
    std::array<std::uint16_t, kBuckets> first_segment{};  ///< of the first cylinder of each bucket, to begin the search
    std::array<std::uint32_t, kBuckets> least{};          ///< of any distance in the bucket, or beyond

    std::uint32_t ticks(std::uint32_t cylinders) const {
      if (cylinders >= last_distance) return last_ticks;
      std::size_t i = first_segment[cylinders >> bucket_shift];
      while (segments[i].end <= cylinders) ++i;
      return static_cast<std::uint32_t>(exact(segments[i], cylinders)) & kTimeMask;
    }
    friend bool operator==(const Curve& a, const Curve& b) {
      return a.last_distance == b.last_distance && a.last_ticks == b.last_ticks && a.least_behind == b.least_behind &&
             a.bucket_shift == b.bucket_shift && a.segments == b.segments && a.first_segment == b.first_segment &&
             a.least == b.least;
    }
  };

  static std::int64_t exact(const Segment& s, std::uint32_t cylinders) {
    return s.ticks + ((static_cast<std::int64_t>(cylinders - s.begin) * s.slope) >> kSlopeBits);
  }
  void build();
  Curve curve() const;

  std::array<Entry, kEntries> entries_{};
  bool stale_ = false;
  unsigned used_ = 0;
  std::shared_ptr<const Curve> curve_;  ///< null before the first `prepare`
};

}  // namespace armature::arbiter
