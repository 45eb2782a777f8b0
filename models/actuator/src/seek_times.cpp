#include "armature/actuator/seek_times.h"

#include "armature/core/error.h"
#include "armature/core/shared_equal.h"
#include "armature/core/typed_keys.h"
#include "armature/regs/srv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::actuator {
namespace {

constexpr Range kMilliseconds{0, 1'000};
constexpr std::int64_t kMaxDistance = regs::srv::target::Cylinder::kMask;  // to the last cylinder that a target can be
constexpr Range kDistances{1, kMaxDistance};

}  // namespace

void CurveParams::curve_keys(KeyVisitor& v) {
  choice(
      v, "curve", curve, {"measured", "constant", "linear", "two_piece", "lee"},
      "Time of a move by its distance: the table, or without one a + b sqrt(d) + c d through the three times below; "
      "the same for each distance (average_ms); a line from single_track_ms to full_stroke_ms; two_piece below; Lee's "
      "curve through the three times");
  rows(v, "table", table,
       {{"distance", "cylinder", &SeekPoint::cylinders, kDistances}, {"time", "ms", &SeekPoint::ms, kMilliseconds}},
       "Measured seek curve for reads: distance in cylinders (growing, from 1) and time; linear in between. Empty: "
       "fit the three times below");
  v.key("single_track_ms", single_track_ms, "ms", kMilliseconds, "Read seek to the next cylinder, settling included");
  v.key("average_ms", average_ms, "ms", kMilliseconds, "Average read seek over all pairs of different cylinders");
  v.key("full_stroke_ms", full_stroke_ms, "ms", kMilliseconds, "Read seek from the first to the last cylinder");
  rows(v, "two_piece", two_piece,
       {{"from", "cylinder", &TwoPieces::from, kDistances},
        {"a", "ms", &TwoPieces::a_ms, kMilliseconds},
        {"b", "ms", &TwoPieces::b_ms, kMilliseconds},
        {"c", "ms", &TwoPieces::c_ms, kMilliseconds},
        {"e", "ms", &TwoPieces::e_ms, kMilliseconds}},
       "One row for curve two_piece: a + b sqrt(d) below the distance `from`, c + e d from there on");
}

/// @param what  ".key: what is wrong", or ": what is wrong" with the section
void SeekTimes::fail(const std::string& what) const {
  throw InputError(section_ + what);
}

void SeekTimes::check_time(const char* key, double ms) const {
  if (!(ms >= kMilliseconds.min && ms <= kMilliseconds.max))
    fail(fmt::format(".{}: {} ms is not in {} .. {} ms", key, ms, kMilliseconds.min, kMilliseconds.max));
}

SeekTimes::SeekTimes(const CurveParams& params, std::uint32_t cylinders, const char* section)
    : section_(section), cylinders_(cylinders) {
  if (cylinders < 1) throw InputError("seek: a disk needs at least one cylinder");
  const SeekCurve curve = params.curve;
  if (curve != SeekCurve::measured && curve != SeekCurve::two_piece && !params.table.empty())
    fail(".table: only curve = \"measured\" uses a table, and two_piece for its shortest moves");
  if (curve != SeekCurve::two_piece && !params.two_piece.empty())
    fail(".two_piece: only curve = \"two_piece\" uses it");
  switch (curve) {
    case SeekCurve::measured:
      params.table.empty() ? fit(params) : read_table(params);
      break;
    case SeekCurve::constant:
      check_time("average_ms", params.average_ms);
      line_begins_ = 1;
      from_ = from_ms(params.average_ms);
      break;
    case SeekCurve::linear:
      fit_line(params);
      break;
    case SeekCurve::two_piece:
      if (!params.table.empty()) read_table(params);
      read_two_pieces(params);
      break;
    case SeekCurve::lee:
      fit_lee(params);
      break;
  }
}

void SeekTimes::read_table(const CurveParams& params) {
  Table table;
  std::vector<Ps>& times = table.times;
  times.push_back(0);
  for (std::size_t i = 0; i < params.table.size(); ++i) {
    const SeekPoint& row = params.table[i];
    check_time("table", row.ms);
    const auto least = static_cast<std::int64_t>(times.size());
    if (row.cylinders < least || row.cylinders > kMaxDistance)
      fail(
          fmt::format(".table row {}: distance {} must be a whole number of at least {}", i + 1, row.cylinders, least));
    if (i == 0 && row.cylinders != 1) fail(".table: the first row must be for one cylinder");
    // Linear from the point before, rounded down: what each step leaves over is carried on.
    const Ps rise = from_ms(row.ms) - times.back();
    const Ps span = row.cylinders - least + 1;
    const Ps a_step = rise / span - (rise % span < 0 ? 1 : 0), left_over = rise - a_step * span;
    Ps carried = 0, time = times.back();
    times.resize(static_cast<std::size_t>(row.cylinders) + 1);
    for (auto distance = static_cast<std::size_t>(least); distance < times.size(); ++distance) {
      carried += left_over;
      const bool whole = carried >= span;
      if (whole) carried -= span;
      times[distance] = time += a_step + whole;
    }
  }
  table.least = times;
  Ps least = times.back();
  for (auto each = table.least.rbegin(); each != table.least.rend(); ++each) *each = least = std::min(least, *each);
  table_ = shared_equal(std::move(table));
}

Ps SeekTimes::at(std::uint32_t distance) const {
  if (distance == 0) return 0;
  const std::vector<Ps>& times = table_->times;
  if (distance < times.size()) return times[distance];
  if (!times.empty() && line_begins_ == 0) return times.back();
  // Products stay below 2^63: rise under 1e12 ps, distances under 2^23.
  if (line_begins_ != 0 && distance >= line_begins_)
    return from_ + (rise_ * (static_cast<Ps>(distance) - 1) + run_ / 2) / run_;
  const double d = distance - from_distance_;
  return std::llround(a_ + b_ * std::sqrt(d) + c_ * d);
}

Ps SeekTimes::least(std::uint32_t distance) const {
  const auto& [times, least_times] = *table_;
  if (!times.empty() && line_begins_ == 0) return least_times[std::min<std::size_t>(distance, times.size() - 1)];
  // Rising, but for what rounding does, where two pieces meet, and in the table of the shortest moves.
  const auto behind_table = std::max<std::uint32_t>(distance, static_cast<std::uint32_t>(times.size()));
  Ps least = behind_table < line_begins_ ? std::min(at(behind_table), at(line_begins_)) : at(behind_table);
  least -= 1;
  if (distance < times.size()) least = std::min(least, least_times[distance]);
  return std::max<Ps>(least, 0);
}

void SeekTimes::fit_line(const CurveParams& params) {
  check_time("single_track_ms", params.single_track_ms);
  check_time("full_stroke_ms", params.full_stroke_ms);
  if (params.full_stroke_ms < params.single_track_ms)
    fail(fmt::format(": the line falls from single_track_ms = {} to full_stroke_ms = {}", params.single_track_ms,
                     params.full_stroke_ms));
  line_begins_ = 1;
  from_ = from_ms(params.single_track_ms);
  if (cylinders_ < 3) return;  // no second distance
  rise_ = from_ms(params.full_stroke_ms) - from_;
  run_ = static_cast<Ps>(cylinders_) - 2;
}

void SeekTimes::read_two_pieces(const CurveParams& params) {
  if (params.two_piece.size() != 1) fail(".two_piece: curve = \"two_piece\" needs one row of 5 numbers");
  const TwoPieces& row = params.two_piece[0];
  if (row.from < 1 || row.from > kMaxDistance)
    fail(fmt::format(".two_piece: from = {} must be a number of cylinders of at least 1", row.from));
  for (const double ms : {row.a_ms, row.b_ms, row.c_ms, row.e_ms}) check_time("two_piece", ms);
  a_ = row.a_ms * static_cast<double>(kPsPerMs);
  b_ = row.b_ms * static_cast<double>(kPsPerMs);
  line_begins_ = static_cast<std::uint32_t>(row.from);
  from_ = from_ms(row.c_ms + row.e_ms);  // the line counts from one cylinder
  rise_ = from_ms(row.e_ms);
  const auto from = static_cast<double>(row.from);
  const double before = row.a_ms + row.b_ms * std::sqrt(from - 1), behind = row.c_ms + row.e_ms * from;
  // Published coefficients are rounded: the HP 335H's fall by 0.1 % where the pieces meet.
  if (line_begins_ > 1 && behind < 0.99 * before)
    fail(fmt::format(".two_piece: the curve falls from {} to {} ms at {} cylinders", before, behind, row.from));
}

void SeekTimes::fit_lee(const CurveParams& params) {
  check_time("single_track_ms", params.single_track_ms);
  check_time("average_ms", params.average_ms);
  check_time("full_stroke_ms", params.full_stroke_ms);
  const double one = params.single_track_ms * kPsPerMs, mean = params.average_ms * kPsPerMs,
               full = params.full_stroke_ms * kPsPerMs;
  a_ = one;
  b_ = (-10 * one + 15 * mean - 5 * full) / (3 * std::sqrt(static_cast<double>(cylinders_)));
  c_ = (7 * one - 15 * mean + 8 * full) / (3 * static_cast<double>(cylinders_));
  from_distance_ = 1;
  if (b_ < 0 || c_ < 0)
    fail(
        fmt::format(": Lee's curve through single_track_ms = {}, average_ms = {} and full_stroke_ms = {} does not "
                    "rise everywhere",
                    params.single_track_ms, params.average_ms, params.full_stroke_ms));
}

void SeekTimes::fit(const CurveParams& params) {
  check_time("single_track_ms", params.single_track_ms);
  check_time("average_ms", params.average_ms);
  check_time("full_stroke_ms", params.full_stroke_ms);
  const double one = params.single_track_ms * kPsPerMs, mean = params.average_ms * kPsPerMs,
               full = params.full_stroke_ms * kPsPerMs;
  const double longest = cylinders_ - 1.0;
  if (longest < 3) {  // too short a stroke for three conditions: a line through the first two
    a_ = one;
    if (longest > 1) c_ = (full - one) / (longest - 1);
    a_ -= c_;
  } else {
    // Means of sqrt(n) and n over all ordered pairs of different cylinders.
    double mean_root = 0, mean_distance = 0;
    for (std::uint32_t n = 1; n < cylinders_; ++n) {
      const double weight = 2 * (longest + 1 - n) / (longest * (longest + 1));
      mean_root += weight * std::sqrt(static_cast<double>(n));
      mean_distance += weight * n;
    }
    // Differences to t(1) = a + b + c eliminate a: two equations for b and c.
    const double b1 = mean_root - 1, c1 = mean_distance - 1, t1 = mean - one;
    const double b2 = std::sqrt(longest) - 1, c2 = longest - 1, t2 = full - one;
    const double determinant = b1 * c2 - b2 * c1;
    b_ = (t1 * c2 - t2 * c1) / determinant;
    c_ = (b1 * t2 - b2 * t1) / determinant;
    a_ = one - b_ - c_;
  }
  // The slope b / (2 sqrt(d)) + c is monotonic in d: if it is not negative at both ends, it is nowhere.
  const auto slope = [this](double d) { return b_ / (2 * std::sqrt(d)) + c_; };
  if (slope(1) < 0 || slope(std::max(longest, 1.0)) < 0)
    fail(
        fmt::format(": no rising curve a + b sqrt(d) + c d goes through single_track_ms = {}, average_ms = {} and "
                    "full_stroke_ms = {} on {} cylinders",
                    params.single_track_ms, params.average_ms, params.full_stroke_ms, cylinders_));
}

}  // namespace armature::actuator
