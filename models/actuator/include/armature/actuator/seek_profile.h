#pragma once

#include "armature/actuator/seek_motion.h"
#include "armature/actuator/seek_times.h"
#include "armature/core/schema.h"
#include "armature/core/time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace armature::actuator {

/// The curve of quiet seeks, which the host chooses (SET FEATURES 42h, acoustic management): keys of the section
/// `seek.quiet`. Not there unless a table, a two_piece row or a time is given.
struct QuietParams : CurveParams {
  QuietParams() { single_track_ms = average_ms = full_stroke_ms = 0; }
  double coast_m_s = 0;       ///< as CoilParams::coast_m_s
  double ramp = 0;            ///< as CoilParams::ramp
  double settle_ms = 0.5;     ///< as CoilParams::settle_ms
  std::vector<double> arms;   ///< arms whose moves are quiet whatever the host has chosen
  bool just_in_time = false;  ///< an arm that has time before its sector goes there by this curve
  bool given() const {
    return !table.empty() || !two_piece.empty() || single_track_ms > 0 || average_ms > 0 || full_stroke_ms > 0;
  }
  void keys(KeyVisitor& visitor);
};

/// Times of an arm's moves: keys of the section `seek`.
struct SeekParams : CurveParams {
  double head_switch_ms = 0.8;
  double write_settle_ms = 1;
  double reposition_ms = 0;  ///< of an arm at rest, on the same track too
  double inward_ms = 0;      ///< more for a move inwards than the curve says, less for one outwards; may be negative
  double load_ms = 0;        ///< from the ramp to cylinder 0, settled for a read; 0 with unload_ms 0: no ramp
  double unload_ms = 0;      ///< from cylinder 0 onto the ramp, and from anywhere when power fails
  double acquire_ms = 0;     ///< of an arm whose servo was off, until it is settled for a read; 0: servos are never off
  QuietParams quiet;
  CoilParams coil;
  void keys(KeyVisitor& visitor);
};

/// By which curve an arm moves.
enum class SeekMode : std::uint8_t { normal, quiet };

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
  /// time. Throws InputError for a table out of order, numbers that no monotonic curve fits, negative times, a table
  /// that `curve` does not use, quiet seeks that are faster than normal ones, or moves that the coil cannot
  /// make in their time.
  SeekProfile(const SeekParams& params, std::uint32_t cylinders, double scale = 1);

  std::uint32_t cylinders() const { return cylinders_; }
  /// Every move from cylinder to cylinder takes as long as by the other one.
  bool moves_as(const SeekProfile& other) const {
    return scale_ == other.scale_ && inward_ == other.inward_ && times_ == other.times_ && quiet_ == other.quiet_;
  }
  bool has_quiet() const { return quiet_.has_value(); }  ///< there is a curve of quiet seeks
  /// ps, both ways' mean; 0 for distance 0. Without a quiet curve every mode is normal, here and below.
  Ps seek(std::uint32_t distance, SeekMode mode = SeekMode::normal) const { return scaled(times(mode).at(distance)); }
  /// From one cylinder to another, ps. Neither way takes less than half of the mean.
  Ps seek(std::uint32_t from, std::uint32_t to, SeekMode mode = SeekMode::normal) const {
    const Ps mean = times(mode).at(from < to ? to - from : from - to);
    return scaled(faster_way(from, to) ? mean - aside(mean) : mean + aside(mean));
  }
  bool faster_way(std::uint32_t from, std::uint32_t to) const {
    return from != to && (from < to ? inward_ < 0 : inward_ > 0);
  }
  /// Time of the slower direction, for callers that do not know the direction.
  Ps slower_seek(std::uint32_t distance, SeekMode mode = SeekMode::normal) const {
    const Ps mean = times(mode).at(distance);
    return scaled(mean + aside(mean));
  }
  /// The least time of any move over `distance` cylinders or more by either curve: a measured curve may fall.
  Ps least_seek(std::uint32_t distance) const {
    Ps mean = times_.least(distance);
    if (quiet_) mean = std::min(mean, quiet_->least(distance));
    return scaled(mean - aside(mean));
  }
  Ps head_switch() const { return head_switch_; }
  Ps write_settle() const { return write_settle_; }  ///< in addition to what a read needs
  Ps reposition() const { return reposition_; }
  bool ramp() const { return load_ > 0; }  ///< otherwise the heads start and stop on the disk
  Ps load() const { return load_; }
  /// By way of cylinder 0.
  Ps unload(std::uint32_t cylinder) const { return seek(cylinder, 0) + unload_; }
  Ps retract() const { return unload_; }
  /// Of a released arm, from the order to follow its track until it is settled for reading, ps; 0: arms are never
  /// released.
  Ps acquire() const { return acquire_; }

  /// Time until the arm is settled for reading, ps: a head switch runs beside the move.
  Ps positioning(std::uint32_t from, std::uint32_t to, bool head_changes, SeekMode mode = SeekMode::normal) const {
    const Ps move = seek(from, to, mode);
    return head_changes && head_switch_ > move ? head_switch_ : move;
  }

  /// Mean over all ordered pairs of different cylinders, ms: sum of 2 (max + 1 - n) T(n) over max (max + 1), with max
  /// the longest distance. Hitachi's and IBM's specifications define the average seek so; Seagate's "random tracks" is
  /// the same.
  double mean_over_cylinders_ms(SeekMode mode = SeekMode::normal) const;

  /// What the coil does in a seek of `time` ps over `distance` cylinders; nothing if the drive file does not say, or
  /// seeks are scaled.
  std::optional<CoilMove> coil_move(std::uint32_t distance, Ps time, SeekMode mode) const;
  /// Mean power of the coil in seeks from anywhere to anywhere, one after the other, W; requires has_coil().
  double mean_coil_w(SeekMode mode = SeekMode::normal) const;
  bool has_coil() const { return coil_.given() && scale_ == 1; }
  const CoilParams& coil() const { return coil_; }

 private:
  Ps scaled(Ps t) const { return scale_ == 1 ? t : std::llround(static_cast<double>(t) * scale_); }
  /// By how much a move of that mean time differs from it.
  Ps aside(Ps mean) const { return std::min<Ps>(inward_ < 0 ? -inward_ : inward_, mean / 2); }
  const SeekTimes& times(SeekMode mode) const { return mode == SeekMode::quiet && quiet_ ? *quiet_ : times_; }
  void check_quiet() const;
  void check_coil() const;
  CoilMove make_move(std::uint32_t distance, Ps time, SeekMode mode) const;

  double scale_;
  std::uint32_t cylinders_;
  Ps head_switch_;
  Ps write_settle_;
  Ps reposition_;
  Ps inward_;
  Ps load_;
  Ps unload_;
  Ps acquire_;
  SeekTimes times_;
  std::optional<SeekTimes> quiet_;
  CoilParams coil_, quiet_coil_;
};

}  // namespace armature::actuator
