#pragma once

#include "armature/core/schema.h"
#include "armature/core/time.h"

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
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

/// A row of `table`: a read seek over that many cylinders.
struct SeekPoint {
  std::int64_t cylinders = 1;
  double ms = 0;

  friend bool operator==(const SeekPoint& a, const SeekPoint& b) { return a.cylinders == b.cylinders && a.ms == b.ms; }
};

/// The row of `two_piece`: a + b sqrt(d) below `from` cylinders, c + e d from there on.
struct TwoPieces {
  std::int64_t from = 1;
  double a_ms = 0;
  double b_ms = 0;  ///< a square root of a cylinder
  double c_ms = 0;
  double e_ms = 0;  ///< a cylinder

  friend bool operator==(const TwoPieces& a, const TwoPieces& b) {
    return a.from == b.from && a.a_ms == b.a_ms && a.b_ms == b.b_ms && a.c_ms == b.c_ms && a.e_ms == b.e_ms;
  }
};

/// The times of one curve.
struct CurveParams {
  SeekCurve curve = SeekCurve::measured;
  std::vector<SeekPoint> table;  ///< by growing distance from 1; of two_piece: its shortest moves
  double single_track_ms = 0.8;
  double average_ms = 8.5;  ///< over all ordered pairs of different cylinders
  double full_stroke_ms = 17;
  std::vector<TwoPieces> two_piece;  ///< one row

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

  /// The same time at each distance.
  friend bool operator==(const SeekTimes& a, const SeekTimes& b) {
    const auto numbers = [](const SeekTimes& t) {
      return std::tie(t.cylinders_, t.a_, t.b_, t.c_, t.from_distance_, t.from_, t.rise_, t.run_, t.line_begins_);
    };
    return numbers(a) == numbers(b) && *a.table_ == *b.table_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void check_time(const char* key, double ms) const;
  void read_table(const CurveParams& params);
  void fit(const CurveParams& params);
  void fit_line(const CurveParams& params);
  void fit_lee(const CurveParams& params);
  void read_two_pieces(const CurveParams& params);

  /// By distance; both empty for a fitted curve.
  struct Table {
    std::vector<Ps> times;
    std::vector<Ps> least;  // of this distance or a longer one

    friend bool operator==(const Table& a, const Table& b) { return a.times == b.times && a.least == b.least; }
  };

  const char* section_;
  std::uint32_t cylinders_;
  std::shared_ptr<const Table> table_ = std::make_shared<const Table>();  // 160 KB: shared by drives with equal ones
  double a_ = 0, b_ = 0, c_ = 0;  // ps: a + b sqrt(d) + c d, with d less from_distance_
  double from_distance_ = 0;
  // A line whose times are whole picoseconds at both ends, or the second of two pieces: from + rise (d - 1) / run.
  Ps from_ = 0, rise_ = 0, run_ = 1;
  std::uint32_t line_begins_ = 0;  // distance; 0: nowhere
};

}  // namespace armature::actuator
