#pragma once

#include "armature/core/time.h"
#include "armature/mems/layout.h"
#include "armature/mems/seek_model.h"

namespace armature::mems {

/// What a movement takes; X and Y move at the same time.
struct Positioning {
  Ps x = 0;           ///< seek and settling in X
  Ps y = 0;           ///< seek and turnarounds in Y
  Ps turnaround = 0;  ///< part of y
  int turnarounds = 0;

  Ps total() const { return x > y ? x : y; }
};

/// How long the sled takes from one state to another: the one function behind a store's answers to core's
/// PositionModel, the reference of its arbitration and studies. Immutable; without SystemC's kernel.
///
/// In Y the sled leaves and arrives with its access speed, whatever the states' speeds are; these decide in which
/// direction, and how long each turnaround takes (as in DiskSim). A state at rest is one that moves upwards as it
/// begins and downwards as it ends, with turnarounds that take no time.
class SledModel {
 public:
  explicit SledModel(const MemsParams& params);

  Positioning time(const SledState& from, const SledState& to) const;
  /// The turnarounds alone, of states that differ: x and y of the answer are 0.
  Positioning turnarounds(const SledState& from, const SledState& to) const;
  /// Seek and settling in X alone, bits from the middle.
  Ps x_time(std::int32_t from, std::int32_t to) const;
  /// Seek in Y alone, without turnarounds.
  Ps y_time(std::int32_t from, std::int32_t to) const;
  /// To come back to `y` with the speed reversed.
  Ps turnaround(std::int32_t y, std::int64_t speed_nm_s) const;
  /// Time for the tips to pass over that many bits.
  Ps pass_time(std::int32_t bits) const;
  Ps settle() const { return settle_; }
  /// The tips reach the second X position from where the sled is for the first, by their deflection alone. The X
  /// positions lie in bands of 2 deflectable() + 1, and the sled is in the middle of one.
  bool deflects(std::int32_t from, std::int32_t to) const { return from != to && band(from) == band(to); }
  /// Bits to either side (tips.deflect_bits, less what thermal drift takes).
  std::int32_t deflectable() const { return deflectable_; }
  Ps deflection() const { return deflection_; }

  /// Points of a seek, metres and seconds, without settling and turnarounds.
  Path x_path(std::int32_t from, std::int32_t to) const;
  Path y_path(std::int32_t from, std::int32_t to) const;

  const Axis& x_axis() const { return x_; }
  const Axis& y_axis() const { return y_; }
  double bit_metres() const { return bit_; }
  double access_speed() const { return access_; }  ///< m/s

 private:
  std::int32_t band(std::int32_t x) const {
    const std::int32_t width = 2 * deflectable_ + 1, from = x + deflectable_;
    return from >= 0 ? from / width : -((width - 1 - from) / width);
  }
  double seek(const Axis& axis, double from, double to, double speed, Path* path) const;
  /// From the middle of the range, where the springs do not pull.
  double metres_y(std::int32_t y) const { return (y - middle_y_) * bit_; }

  SeekModel model_;
  int pieces_;
  Axis x_, y_;
  double bit_;
  double middle_y_;  ///< bits
  double access_;
  double bits_per_second_;
  Ps settle_;
  double reach_x_;  ///< half the range in X, metres
  std::int32_t deflectable_;
  Ps deflection_;
};

/// Of the policy ZSPTF: a zone has 2^n X positions, the most that a seek passes, settling aside, in the mean time of a
/// seek in Y. There are less than 2^14 zones.
unsigned zone_bits(const Layout& layout, const SledModel& model);

/// Seconds in the drive's unit of time, rounded up; 28 hours at most.
Ps whole_ps(double seconds);

}  // namespace armature::mems
