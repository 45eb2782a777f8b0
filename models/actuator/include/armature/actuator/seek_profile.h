#pragma once

#include "armature/core/schema.h"
#include "armature/core/time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace armature::actuator {

/// How the time of a move follows from its distance.
enum class SeekCurve : int {
  measured,   ///< the table, or if there is none the datasheet curve
  constant,   ///< every move to another cylinder takes `average_ms`
  linear,     ///< from `single_track_ms` at one cylinder to `full_stroke_ms` over all of them
  two_piece,  ///< a + b sqrt(d) for short moves, c + e d for long ones
  lee,        ///< c + a sqrt(d - 1) + b (d - 1), from the three datasheet numbers
};

/// Times of an arm's moves: keys of the section `seek`.
struct SeekParams {
  int curve = 0;  ///< SeekCurve
  /// Rows: distance (cylinders), read seek time (ms), by growing distance from 1. Of two_piece: its shortest moves.
  std::vector<std::vector<double>> table;
  double single_track_ms = 0.8;
  double average_ms = 8.5;  ///< over all ordered pairs of different cylinders
  double full_stroke_ms = 17;
  /// Rows (one): first distance of the second piece (cylinders), a (ms), b (ms a square root of a cylinder), c (ms),
  /// e (ms a cylinder).
  std::vector<std::vector<double>> two_piece;
  double head_switch_ms = 0.8;
  double write_settle_ms = 1;
  double reposition_ms = 0;  ///< of an arm at rest, on the same track too
  double inward_ms = 0;      ///< more for a move inwards than the curve says, less for one outwards; may be negative
  double load_ms = 0;        ///< from the ramp to cylinder 0, settled for a read; 0 with unload_ms 0: no ramp
  double unload_ms = 0;      ///< from cylinder 0 onto the ramp, and from anywhere when power fails
  void keys(KeyVisitor& visitor);
};

/// Time of a move by its distance, settling for a read included; profile fidelity.
///
/// What pulls an arm to one side (flex cable, windage, the magnet's edge) makes moves inwards and outwards differ, for
/// which makers' average seek counts both (IBM, Hitachi: T_in and T_out). The curve is the mean of the two.
///
/// A table is piecewise linear between its points and constant behind the last one. A measured curve may have small
/// inversions (Quantum Atlas 10K: 1.245 ms for one cylinder, 1.157 ms for two). Without a table the curve is
/// a + b sqrt(d) + c d through three datasheet numbers: the usual form of Ruemmler and Wilkes (1994) and Lee and Katz
/// (1993), here in one piece, which must not fall. Ruemmler and Wilkes' own curve has two pieces; that it may have here
/// too, as their numbers for a drive are published so; the shortest moves, which it fits badly, may have a table
/// (Worthington and others 1994: ten of them). Lee's curve for DiskSim (Lee and Katz 1993) has its coefficients from
/// the same three numbers in closed form, with the average at a third of the stroke. The constant and the linear curve
/// are no drive's: they show what a device loses to its arm (Schlosser 2004, section 5.4).
class SeekProfile {
 public:
  /// A stack of `cylinders` (>= 1). What-if: moves, head switches and repositioning take `scale` (0 to 1) of their
  /// time. Throws InputError for a table out of order, numbers that no monotonic curve fits, negative times, or a table
  /// that `curve` does not use.
  SeekProfile(const SeekParams& params, std::uint32_t cylinders, double scale = 1);

  std::uint32_t cylinders() const { return cylinders_; }
  Ps seek(std::uint32_t distance) const { return scaled(curve(distance)); }  ///< ps, both ways' mean; 0 for distance 0
  /// From one cylinder to another, ps. Neither way takes less than half of the mean.
  Ps seek(std::uint32_t from, std::uint32_t to) const {
    const Ps mean = curve(from < to ? to - from : from - to);
    return scaled(faster_way(from, to) ? mean - aside(mean) : mean + aside(mean));
  }
  bool faster_way(std::uint32_t from, std::uint32_t to) const {
    return from != to && (from < to ? inward_ < 0 : inward_ > 0);
  }
  /// Of the slower way, which whoever does not know the way must reckon with.
  Ps slower_seek(std::uint32_t distance) const {
    const Ps mean = curve(distance);
    return scaled(mean + aside(mean));
  }
  /// The least time of any move over `distance` cylinders or more: a measured curve may fall.
  Ps least_seek(std::uint32_t distance) const {
    const Ps mean = least_of_curve(distance);
    return scaled(mean - aside(mean));
  }
  Ps head_switch() const { return head_switch_; }
  Ps write_settle() const { return write_settle_; }  ///< in addition to what a read needs
  Ps reposition() const { return reposition_; }
  bool ramp() const { return load_ > 0; }  ///< otherwise the heads start and stop on the disk
  Ps load() const { return load_; }
  Ps unload(std::uint32_t cylinder) const { return seek(cylinder, 0) + unload_; }  ///< by way of cylinder 0
  Ps retract() const { return unload_; }

  /// Time until the arm is settled for reading, ps: a head switch runs beside the move.
  Ps positioning(std::uint32_t from, std::uint32_t to, bool head_changes) const {
    const Ps move = seek(from, to);
    return head_changes && head_switch_ > move ? head_switch_ : move;
  }

  /// Mean over all ordered pairs of different cylinders, ms: sum of 2 (max + 1 - n) T(n) over max (max + 1), with max
  /// the longest distance. Hitachi's and IBM's specifications define the average seek so; Seagate's "random tracks" is
  /// the same.
  double mean_over_cylinders_ms() const;

 private:
  Ps scaled(Ps t) const { return scale_ == 1 ? t : std::llround(static_cast<double>(t) * scale_); }
  /// By how much a move of that mean time differs from it.
  Ps aside(Ps mean) const { return std::min<Ps>(inward_ < 0 ? -inward_ : inward_, mean / 2); }
  Ps curve(std::uint32_t distance) const;
  Ps least_of_curve(std::uint32_t distance) const;
  void read_table(const SeekParams& params);
  void fit(const SeekParams& params);
  void fit_line(const SeekParams& params);
  void fit_lee(const SeekParams& params);
  void read_two_pieces(const SeekParams& params);

  double scale_;
  std::uint32_t cylinders_;
  Ps head_switch_;
  Ps write_settle_;
  Ps reposition_;
  Ps inward_;
  Ps load_;
  Ps unload_;
  std::vector<Ps> times_;         // of a table, by distance; empty for a fitted curve
  std::vector<Ps> least_times_;   // the same, of this distance or a longer one
  double a_ = 0, b_ = 0, c_ = 0;  // ps: a + b sqrt(d) + c d, with d less from_distance_
  double from_distance_ = 0;
  // A line whose times are whole picoseconds at both ends, or the second of two pieces: from + rise (d - 1) / run.
  Ps from_ = 0, rise_ = 0, run_ = 1;
  std::uint32_t line_begins_ = 0;  // distance; 0: nowhere
};

}  // namespace armature::actuator
