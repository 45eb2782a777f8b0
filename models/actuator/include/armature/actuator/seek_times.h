#pragma once

#include "armature/core/schema.h"
#include "armature/core/time.h"

#include <cstdint>
#include <string>
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

/// The times of one curve.
struct CurveParams {
  SeekCurve curve = SeekCurve::measured;
  /// Rows: distance (cylinders), read seek time (ms), by growing distance from 1. Of two_piece: its shortest moves.
  std::vector<std::vector<double>> table;
  double single_track_ms = 0.8;
  double average_ms = 8.5;  ///< over all ordered pairs of different cylinders
  double full_stroke_ms = 17;
  /// Rows (one): first distance of the second piece (cylinders), a (ms), b (ms a square root of a cylinder), c (ms),
  /// e (ms a cylinder).
  std::vector<std::vector<double>> two_piece;

 protected:
  void curve_keys(KeyVisitor& visitor);
};

/// One curve: the mean of both ways, without a scale.
class SeekTimes {
 public:
  /// @param section  of the keys, for errors: "seek" or "seek.quiet"
  SeekTimes(const CurveParams& params, std::uint32_t cylinders, const char* section);

  Ps at(std::uint32_t distance) const;     ///< ps; 0 for distance 0
  Ps least(std::uint32_t distance) const;  ///< over this distance and all longer ones, or a little less

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void check_time(const char* key, double ms) const;
  void read_table(const CurveParams& params);
  void fit(const CurveParams& params);
  void fit_line(const CurveParams& params);
  void fit_lee(const CurveParams& params);
  void read_two_pieces(const CurveParams& params);

  const char* section_;
  std::uint32_t cylinders_;
  std::vector<Ps> times_;         // of a table, by distance; empty for a fitted curve
  std::vector<Ps> least_times_;   // the same, of this distance or a longer one
  double a_ = 0, b_ = 0, c_ = 0;  // ps: a + b sqrt(d) + c d, with d less from_distance_
  double from_distance_ = 0;
  // A line whose times are whole picoseconds at both ends, or the second of two pieces: from + rise (d - 1) / run.
  Ps from_ = 0, rise_ = 0, run_ = 1;
  std::uint32_t line_begins_ = 0;  // distance; 0: nowhere
};

}  // namespace armature::actuator
