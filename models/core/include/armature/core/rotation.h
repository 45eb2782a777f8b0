#pragma once

#include "armature/core/divisor.h"
#include "armature/core/speed_variation.h"
#include "armature/core/time.h"

#include <cstdint>
#include <memory>

namespace armature {

/// A place on a track as an exact fraction of a revolution, counted from the index: sector 17 of 360 is {17, 360}.
struct TrackAngle {
  std::int64_t numerator = 0;    ///< 0 <= numerator < denominator
  std::int64_t denominator = 1;  ///< > 0
};

/// The place that passes `ticks` (0 to 65,535) of 1/65,536 revolution later. Exact.
inline TrackAngle later(TrackAngle where, std::uint32_t ticks) {
  if (ticks == 0) return where;
  std::int64_t turn = 65'536;
  for (; ticks % 2 == 0; ticks /= 2) turn /= 2;  // products of a place and a time must stay small
  if (where.denominator % turn == 0) {
    const std::int64_t sum = where.numerator + where.denominator / turn * ticks;
    return {sum < where.denominator ? sum : sum - where.denominator, where.denominator};
  }
  const std::int64_t denominator = where.denominator * turn;
  const std::int64_t sum = where.numerator * turn + where.denominator * ticks;
  return {sum < denominator ? sum : sum - denominator, denominator};
}

/// Rotation in exact integer arithmetic: uniform, or uniform within each turn.
///
/// One revolution is a rational number of picoseconds (7200 rpm: 25e9 / 3). A passage is the exact time rounded up to a
/// whole picosecond, so that asking again at a passage gives the same passage: a floating-point angle costs a spurious
/// revolution there. Nothing accumulates, so there is no drift.
///
/// With a SpeedVariation each index is late or early by a number of picoseconds that depends on its turn, and a place
/// between two of them by what lies between: the speed changes at the index only.
class Rotation {
 public:
  /// @param index_time    a moment at which the index passes, in ps
  /// @param millirpm      speed in thousandths of a revolution a minute, > 0 (7200 rpm: 7'200'000)
  /// @param variation     of the speed; null: none
  Rotation(Ps index_time, std::int64_t millirpm, std::shared_ptr<const SpeedVariation> variation = nullptr);

  /// First passage of `where` at or after `t`, in ps. Requires t >= index_time.
  Ps next_passage(TrackAngle where, Ps t) const;

  /// Duration of `part` of a revolution (any non-negative fraction, more than a turn too) at the nominal speed, rounded
  /// up, in ps. Exact only while the speed does not vary.
  Ps duration(TrackAngle part) const;

  /// Whole turns completed at `t` since index_time. Requires t >= index_time.
  std::int64_t turns(Ps t) const;

  /// Angle at `t` in units of 1/2^bits revolution, rounded down: 0 .. 2^bits - 1. Requires t >= index_time, bits <= 32.
  std::uint32_t angle(Ps t, unsigned bits) const;

  Ps index_time() const { return index_time_; }
  std::int64_t millirpm() const { return millirpm_; }
  /// Each turn takes the same time.
  bool uniform() const { return variation_ == nullptr; }

 private:
  /// A turn of a speed that varies.
  struct Turn {
    std::int64_t number = -1;
    Ps late = 0, late_next = 0;  ///< its index and the next one
  };

  /// Exact time of (turns + where), rounded up, in ps.
  Ps passage(std::int64_t turns, TrackAngle where) const;
  Ps passage_wide(std::int64_t turns, TrackAngle where) const;
  Ps varied_passage(std::int64_t turns, TrackAngle where) const;
  Ps next_varied_passage(TrackAngle where, Ps t) const;
  std::int64_t uniform_turns(Ps t) const;
  std::int64_t varied_turns(Ps t) const;
  std::uint32_t varied_angle(Ps t, unsigned bits) const;
  const Turn& turn(std::int64_t number) const;

  Ps index_time_;
  std::int64_t millirpm_;
  // A turn lasts turn_ / speed_ ps, in lowest terms: with these, nearly all products fit into 64 bits.
  Divisor turn_;
  Divisor speed_;
  Ps whole_turn_;  // a turn, rounded down
  std::shared_ptr<const SpeedVariation> variation_;
  mutable Turn kept_[2];  // even and odd: what was asked for last
};

}  // namespace armature
