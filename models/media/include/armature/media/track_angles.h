#pragma once

#include "armature/core/rotation.h"

#include <cstdint>
#include <vector>

namespace armature::media {

/// Servo wedges: equal in number and width on all tracks, and at the same angles; wedge 0 begins at the index. Data are
/// only between them. In units of 1/2^40 revolution (0.01 ps at 7,200 rpm): finer than a picosecond, and small enough
/// for integer arithmetic.
struct Wedges {
  static constexpr std::int64_t kTurn = std::int64_t{1} << 40;
  static constexpr std::int64_t kMaxCount = 4096;
  std::int64_t count = 0;  ///< wedges per revolution; 0: evenly spaced sectors
  std::int64_t width = 0;  ///< of one wedge and the resync field after it, on which the channel locks to the data
  std::int64_t data() const { return kTurn - count * width; }  ///< what is left of a revolution

  friend bool operator==(const Wedges& a, const Wedges& b) { return a.count == b.count && a.width == b.width; }
};

/// Angles under the head of the sectors of one track, counted from the track's first one, edges included.
///
/// Without the wedges the data of the track hold evenly spaced sectors: sector s begins at their part u = (skew + s
/// units) / turn. With W wedges of width w (in 1/2^40 revolution, like the angles), a leading edge at u passes at
///
///     f(u) = floor(u (2^40 - W w)) + (floor(u W) + 1) w,     u in [0, 1)
///
/// and a trailing edge, after the sector's last bit, at
///
///     g(u) = floor(u (2^40 - W w)) + ceil(u W) w,            u in (0, 1]
///
/// They differ by a wedge where a sector begins right after one, and are equal elsewhere. Without wedges both are
/// u, exactly. In O(1).
class TrackAngles {
 public:
  TrackAngles() = default;
  /// @param skew   of sector 0 from the index, in units; any, it is reduced to a turn
  /// @param units  of a sector, > 0
  /// @param turn   units of a revolution's data, at most 2^36
  TrackAngles(std::uint64_t skew, std::int64_t units, std::int64_t turn, const Wedges& wedges)
      : skew_(static_cast<std::int64_t>(skew % static_cast<std::uint64_t>(turn))),
        units_(units),
        turn_(turn),
        wedges_(wedges) {}

  /// Leading edge of the sector.
  TrackAngle begin(std::uint32_t sector) const {
    const std::int64_t at = in_turn(skew_ + sector * units_);
    return wedges_.count == 0 ? TrackAngle{at, turn_} : TrackAngle{leading(at), Wedges::kTurn};
  }
  /// Trailing edge of the sector.
  TrackAngle end(std::uint32_t sector) const {
    const std::int64_t at = in_turn(skew_ + (sector + std::int64_t{1}) * units_);
    if (wedges_.count == 0) return {at, turn_};
    return {at == 0 ? 0 : trailing(at), Wedges::kTurn};
  }
  /// From the leading edge of `first` to the trailing edge of `last`, on the same passage: at most a revolution.
  /// Requires first <= last.
  TrackAngle span(std::uint32_t first, std::uint32_t last) const {
    const std::int64_t length = (last - first + std::int64_t{1}) * units_;
    if (wedges_.count == 0) return {length, turn_};
    const std::int64_t from = in_turn(skew_ + first * units_);
    const std::int64_t to = from + length;
    const std::int64_t end = to > turn_ ? Wedges::kTurn + trailing(to - turn_) : trailing(to);
    return {end - leading(from), Wedges::kTurn};
  }
  const Wedges& wedges() const { return wedges_; }
  std::int64_t sectors() const { return turn_ / units_; }  ///< of the track

  /// A part of the revolution, of 2^40: from `begin` up to `end`. Behind 2^40 it goes on over the index.
  struct Part {
    std::int64_t begin;
    std::int64_t end;
  };
  /// What lies between servo wedges of the sector, in the order in which it passes: one part if none splits it.
  std::vector<Part> parts(std::uint32_t sector) const;

 private:
  /// A place less than two turns behind the index.
  std::int64_t in_turn(std::int64_t at) const { return at < turn_ ? at : at - turn_; }
  std::int64_t scaled(std::int64_t at) const {
    if (turn_ <= kSmallTurn) return at * wedges_.data() / turn_;  // nearly always, and much faster
    // Division of 128 bits is slow: a quotient of doubles is off by one at most, and set right.
    const auto near = static_cast<std::int64_t>(static_cast<double>(at) * static_cast<double>(wedges_.data()) /
                                                static_cast<double>(turn_));
    const __int128 rest = static_cast<__int128>(at) * wedges_.data() - static_cast<__int128>(near) * turn_;
    return rest < 0 ? near - 1 : rest >= turn_ ? near + 1 : near;
  }
  std::int64_t leading(std::int64_t at) const {  // 0 <= at < turn_
    return scaled(at) + (at * wedges_.count / turn_ + 1) * wedges_.width;
  }
  std::int64_t trailing(std::int64_t at) const {  // 0 < at <= turn_
    return scaled(at) + (at * wedges_.count + turn_ - 1) / turn_ * wedges_.width;
  }

  static constexpr std::int64_t kSmallTurn = std::int64_t{1} << 22;  // times 2^40 fits into 63 bits

  std::int64_t skew_ = 0, units_ = 1, turn_ = 1;
  Wedges wedges_;
};

}  // namespace armature::media
