#pragma once

#include "armature/power/power_table.h"

#include <array>
#include <cstddef>
#include <vector>

namespace armature::power {

/// Power on each rail.
using RailPower = std::array<Nanowatts, kRails>;
static_assert(kRails == 2);
/// operator== of an array calls a function, which takes longer than all the rest here.
constexpr bool same(const RailPower& a, const RailPower& b) {
  return a[0] == b[0] && a[1] == b[1];
}

/// Energy in nanowatt-picoseconds, 10^-21 J: exact for 10^8 W over the whole range of Ps.
using Zeptojoules = __int128;

constexpr double to_joules(Zeptojoules energy) {
  return static_cast<double>(static_cast<long double>(energy) * 1e-21L);
}

/// What a drive's power did over time: peaks, the greatest average of any window of a given length, and a bounded
/// series for charts. Fed with the intervals of constant power, in order and without gaps, from time 0 on.
class PowerHistory {
 public:
  struct Peak {
    Nanowatts power = 0;
    Ps at = 0;  ///< when it was drawn first
  };
  /// The greatest average over any `length` of time that lies in the run as a whole; of a shorter run its average.
  struct Window {
    Ps length = 0;
    Zeptojoules most = 0;  ///< energy in the window of the greatest average
    Ps ends = 0;           ///< the end of the first such window
    Ps covers = 0;         ///< `length`, or the run's if that is shorter
    double watts() const { return covers > 0 ? to_joules(most) / to_seconds(covers) : 0; }
  };
  /// One of the equally long parts of the run.
  struct Interval {
    std::array<Zeptojoules, kRails> energy{};
    Nanowatts most = 0;  ///< greatest power, both rails together
  };
  static constexpr std::size_t kIntervals = 1000;

  /// @param windows  lengths, ps, each above 0
  explicit PowerHistory(const std::vector<Ps>& windows);

  /// The drive draws `power` from `from`, where the last call ended, until `to`.
  void add(Ps from, Ps to, const RailPower& power) {
    if (to <= from) return;
    if (same(power, power_)) {
      to_ = to;
    } else {
      flush();
      from_ = from;
      to_ = to;
      power_ = power;
    }
  }
  /// Once, after the last interval.
  void finish();

  /// Up to the end of the last interval.
  Zeptojoules energy() const { return energy_ + static_cast<Zeptojoules>(power_[0] + power_[1]) * (to_ - from_); }
  const Peak& peak() const { return peak_; }
  const Peak& rail_peak(Rail rail) const { return rail_peaks_[static_cast<std::size_t>(rail)]; }
  const std::vector<Window>& windows() const { return results_; }
  /// The last one may be cut short by the end of the run.
  const std::vector<Interval>& intervals() const { return intervals_; }
  Ps interval() const { return interval_; }
  Ps end() const { return to_; }

 private:
  struct Segment {
    Ps begin;
    Nanowatts power;
    Zeptojoules before;  ///< energy of the time before it
  };
  struct Progress {
    std::size_t tail = 0;  ///< number of the segment in which the window begins
    Ps look_at = 0;        ///< before that time the window cannot hold more than the greatest one
  };

  void flush();
  void draw(Ps from, Ps to, const RailPower& power, Nanowatts sum);
  void slide(std::size_t window, Ps from, Ps to, Nanowatts power, Zeptojoules before);
  const Segment& segment(std::size_t number) const { return segments_[number & mask_]; }
  void push(const Segment& segment);
  void forget(Ps at);

  Ps from_ = 0;
  Ps to_ = 0;
  RailPower power_{};

  Peak peak_;
  std::array<Peak, kRails> rail_peaks_{};
  std::vector<Window> results_;
  std::vector<Progress> progress_;
  Ps look_at_ = 0;                 ///< the first of theirs
  std::vector<Segment> segments_;  ///< ring of the segments in which a window still begins
  std::size_t mask_;
  Zeptojoules energy_ = 0;  ///< up to from_
  Nanowatts least_ = 0;     ///< power so far
  std::size_t first_ = 0;   ///< numbers of the ring's segments
  std::size_t behind_ = 0;
  std::vector<Interval> intervals_;
  Ps interval_ = kPsPerMs / 10;
  Ps last_ends_ = 0;  ///< the last interval, unless the run does so before
};

}  // namespace armature::power
