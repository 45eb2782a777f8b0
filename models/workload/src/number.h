#pragma once

#include "armature/core/time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace armature::workload {

/// Times in picoseconds before their origin is subtracted: FILETIME counts from 1601.
using WidePs = __int128;

enum class NumberError { none, malformed, negative, overflow };

/// The whole number that `text` is, decimal or hexadecimal ("0x1f").
NumberError parse_whole(std::string_view text, std::uint64_t& value);

/// The decimal number that `text` is ("12", "0.5", "1e-05", or a whole one as above), times 10 to the power of
/// `exponent`, rounded to the nearest integer: picoseconds from seconds with exponent 12. Exact up to 19 significant
/// digits.
NumberError parse_decimal(std::string_view text, int exponent, WidePs& value);

/// "is negative": ends a message about the number. Not for `none`.
std::string_view reason(NumberError error);

/// The field for a message: shortened, without control characters, which a terminal would obey.
std::string printable(std::string_view field);

/// The same in quotes.
std::string in_quotes(std::string_view field);

/// Multiplies times by a factor in fixed point (48 fractional bits), which keeps their order and is the same on every
/// machine. A factor of 1 changes nothing.
class TimeScale {
 public:
  explicit TimeScale(double factor);  ///< 1e-6 to 1e6

  /// `t` scaled, rounded to the nearest picosecond; false if that lies beyond `kLatest`. t >= 0.
  bool apply(WidePs t, Ps& scaled) const {
    if (t > longest_) return false;
    scaled = static_cast<Ps>(factor_ == kOne ? t : (t * factor_ + kOne / 2) >> kFractionBits);
    return true;
  }

  /// The latest arrival that is accepted. 64 bits end after 106 days, and the last requests must complete.
  static constexpr Ps kLatest = 100 * 86'400 * kPsPerSecond;

  /// `at` + `duration`, both >= 0; beyond kLatest: a time that is not accepted.
  static Ps later(Ps at, Ps duration) { return duration > kLatest - at ? kLatest + 1 : at + duration; }

 private:
  static constexpr int kFractionBits = 48;
  static constexpr WidePs kOne = WidePs{1} << kFractionBits;

  WidePs factor_;
  WidePs longest_;  // what scales to kLatest
};

}  // namespace armature::workload
