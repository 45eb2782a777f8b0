#include "armature/core/rotation.h"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace armature {
namespace {

using Wide = __int128;  // products of a 64-bit time and a sector count

constexpr std::int64_t kMilliPsPerMinute = 60'000 * kPsPerSecond;  // a turn lasts this / millirpm picoseconds

/// Whether the product fits into 64 bits. What does not takes a division of 128 bits, which is slow.
bool fits(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

std::int64_t positive(std::int64_t millirpm) {
  if (millirpm <= 0) throw std::invalid_argument("Rotation: speed must be positive");
  return millirpm;
}

}  // namespace

Rotation::Rotation(Ps index_time, std::int64_t millirpm, std::shared_ptr<const SpeedVariation> variation)
    : index_time_(index_time),
      millirpm_(positive(millirpm)),
      turn_(kMilliPsPerMinute / std::gcd(kMilliPsPerMinute, millirpm)),
      speed_(millirpm / std::gcd(kMilliPsPerMinute, millirpm)),
      whole_turn_(speed_.quotient(turn_.value())),
      variation_(std::move(variation)) {}

inline Ps Rotation::passage(std::int64_t turns, TrackAngle where) const {
  // (turns + numerator / denominator) turn_ / speed_ = (turns turn_ + part + rest / denominator) / speed_, and
  // rest / denominator is less than 1: it matters only if the integers divide evenly.
  std::int64_t product, part, whole;
  bool even;
  if (fits(where.numerator, turn_.value(), product)) {
    part = product / where.denominator;
    even = part * where.denominator == product;
  } else {
    const Wide wide = Wide{where.numerator} * turn_.value();
    part = (where.denominator & (where.denominator - 1)) == 0
               ? static_cast<std::int64_t>(wide >> __builtin_ctzll(static_cast<std::uint64_t>(where.denominator)))
               : static_cast<std::int64_t>(wide / where.denominator);
    even = Wide{part} * where.denominator == wide;
  }
  if (!fits(turns, turn_.value(), whole) || __builtin_add_overflow(whole, part, &whole))
    return passage_wide(turns, where);
  const std::int64_t time = speed_.quotient(whole);
  return index_time_ + time + (even && time * speed_.value() == whole ? 0 : 1);
}

Ps Rotation::passage_wide(std::int64_t turns, TrackAngle where) const {
  const Wide turned = Wide{turns} * where.denominator + where.numerator;
  return index_time_ + static_cast<Ps>(ceil_div(turned * turn_.value(), Wide{speed_.value()} * where.denominator));
}

std::int64_t Rotation::turns(Ps t) const {
  if (variation_) return varied_turns(t);
  return uniform_turns(t);
}

std::int64_t Rotation::uniform_turns(Ps t) const {
  std::int64_t product;
  if (fits(t - index_time_, speed_.value(), product)) return turn_.quotient(product);
  return static_cast<std::int64_t>(Wide{t - index_time_} * speed_.value() / turn_.value());
}

Ps Rotation::next_passage(TrackAngle where, Ps t) const {
  if (variation_) return next_varied_passage(where, t);
  const std::int64_t turn = uniform_turns(t);
  const Ps current = passage(turn, where);
  if (current < t) return passage(turn + 1, where);
  // An edge less than a picosecond before the index is rounded up to or over it, into a turn that `turns` counts
  // already: then the passage sought is that of the turn before.
  if (turn > 0 && current - t >= whole_turn_ - 1) {
    const Ps previous = passage(turn - 1, where);
    if (previous >= t) return previous;
  }
  return current;
}

Ps Rotation::duration(TrackAngle part) const {
  std::int64_t product, divisor;
  if (fits(part.numerator, turn_.value(), product) && fits(part.denominator, speed_.value(), divisor))
    return product / divisor + (product % divisor > 0 ? 1 : 0);
  return static_cast<Ps>(ceil_div(Wide{part.numerator} * turn_.value(), Wide{speed_.value()} * part.denominator));
}

std::uint32_t Rotation::angle(Ps t, unsigned bits) const {
  if (variation_) return varied_angle(t, bits);
  std::int64_t turned, part;  // in units of 1/turn_ revolution
  part = fits(t - index_time_, speed_.value(), turned)
             ? turn_.remainder(turned)
             : static_cast<std::int64_t>(Wide{t - index_time_} * speed_.value() % turn_.value());
  std::int64_t scaled;
  if (fits(part, std::int64_t{1} << bits, scaled)) return static_cast<std::uint32_t>(turn_.quotient(scaled));
  return static_cast<std::uint32_t>((Wide{part} << bits) / turn_.value());
}

// ---- A speed that varies --------------------------------------------------------------------------------------------

const Rotation::Turn& Rotation::turn(std::int64_t number) const {
  Turn& kept = kept_[number & 1];
  if (kept.number != number) kept = {number, variation_->late(number), variation_->late(number + 1)};
  return kept;
}

Ps Rotation::varied_passage(std::int64_t turns, TrackAngle where) const {
  const Turn& varied = turn(turns);
  const Wide more = Wide{varied.late_next - varied.late} * where.numerator;
  return passage(turns, where) + varied.late + static_cast<Ps>(ceil_div(more, Wide{where.denominator}));
}

std::int64_t Rotation::varied_turns(Ps t) const {
  std::int64_t number = uniform_turns(t);
  while (number > 0 && varied_passage(number, {0, 1}) > t) --number;
  while (varied_passage(number + 1, {0, 1}) <= t) ++number;
  return number;
}

Ps Rotation::next_varied_passage(TrackAngle where, Ps t) const {
  std::int64_t number = varied_turns(t);
  // An edge less than a picosecond before the index is rounded up to it or over it: it may be one of the turn before.
  if (number > 0 && t <= varied_passage(number, {0, 1}) + 2) --number;
  Ps passes = varied_passage(number, where);
  while (passes < t) passes = varied_passage(++number, where);
  return passes;
}

std::uint32_t Rotation::varied_angle(Ps t, unsigned bits) const {
  const std::int64_t number = varied_turns(t), parts = std::int64_t{1} << bits;
  const Ps begins = varied_passage(number, {0, 1}), ends = varied_passage(number + 1, {0, 1});
  auto angle = static_cast<std::int64_t>((Wide{t - begins} << bits) / (ends - begins));
  // Passages are rounded up: the angle is the last one that has passed.
  while (angle + 1 < parts && varied_passage(number, {angle + 1, parts}) <= t) ++angle;
  while (angle > 0 && varied_passage(number, {angle, parts}) > t) --angle;
  return static_cast<std::uint32_t>(angle);
}

}  // namespace armature
