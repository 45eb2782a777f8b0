#include "number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace armature::workload {
namespace {

constexpr int kLargestPower = 18;   // a mantissa of 64 bits times this power stays within 128 bits
constexpr int kSmallestPower = 20;  // and divided by more than this it is below a half

constexpr auto kPowers = [] {
  std::array<WidePs, kSmallestPower + 1> powers{};
  WidePs power = 1;
  for (auto& p : powers) {
    p = power;
    power *= 10;
  }
  return powers;
}();

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Not a number if something else than a number follows the sign.
NumberError negative_or_malformed(std::string_view text) {
  return text.size() > 1 && (is_digit(text[1]) || text[1] == '.') ? NumberError::negative : NumberError::malformed;
}

}  // namespace

NumberError parse_whole(std::string_view text, std::uint64_t& value) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stopped == end) return NumberError::none;
  if (!text.empty() && text[0] == '-') return negative_or_malformed(text);
  if (error == std::errc::result_out_of_range && stopped == end) return NumberError::overflow;
  if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
    const auto [hex_stopped, hex_error] = std::from_chars(text.data() + 2, end, value, 16);
    if (hex_stopped != end) return NumberError::malformed;
    return hex_error == std::errc{} ? NumberError::none : NumberError::overflow;
  }
  return NumberError::malformed;
}

NumberError parse_decimal(std::string_view text, int exponent, WidePs& value) {
  constexpr std::uint64_t kRoom = 1'844'674'407'370'955'160;  // one more digit still fits into 64 bits
  const char* p = text.data();
  const char* const end = p + text.size();
  if (p != end && *p == '-') return negative_or_malformed(text);
  if (p != end && *p == '+') ++p;

  std::uint64_t mantissa = 0;
  const char* const whole = p;
  for (; p != end && is_digit(*p); ++p) {
    if (mantissa > kRoom) return NumberError::overflow;
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
  }
  std::ptrdiff_t digits = p - whole;
  if (p != end && *p == '.') {
    const char* const fraction = ++p;
    for (; p != end && is_digit(*p); ++p) {
      if (mantissa >= kRoom) continue;  // below what 64 bits resolve
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
      --exponent;
    }
    digits += p - fraction;
  }
  if (digits == 0) return NumberError::malformed;
  if (p != end && (*p == 'e' || *p == 'E')) {
    int power = 0;
    if (++p != end && *p == '+') ++p;
    const auto [stopped, error] = std::from_chars(p, end, power);
    if (error == std::errc::invalid_argument) return NumberError::malformed;
    p = stopped;
    if (error != std::errc{}) power = 10'000;
    exponent += std::clamp(power, -10'000, 10'000);
  }
  if (p != end) {
    if (*p != 'x' && *p != 'X') return NumberError::malformed;
    if (const NumberError error = parse_whole(text, mantissa); error != NumberError::none) return error;
  }

  if (mantissa == 0 || exponent < -kSmallestPower) {
    value = 0;
  } else if (exponent >= 0) {
    if (exponent > kLargestPower) return NumberError::overflow;
    value = WidePs{mantissa} * kPowers[static_cast<std::size_t>(exponent)];
  } else {
    const WidePs divisor = kPowers[static_cast<std::size_t>(-exponent)];
    value = (WidePs{mantissa} + divisor / 2) / divisor;
  }
  return NumberError::none;
}

std::string_view reason(NumberError error) {
  switch (error) {
    case NumberError::negative:
      return "is negative";
    case NumberError::overflow:
      return "is too large";
    case NumberError::malformed:
      return "is not a number";
    case NumberError::none:
      break;
  }
  return "is right";
}

std::string printable(std::string_view field) {
  constexpr std::size_t kLongest = 40;
  std::string text;
  for (const char c : field.substr(0, kLongest)) text += c >= ' ' && c <= '~' ? c : '?';
  if (field.size() > kLongest) text += "...";
  return text;
}

std::string in_quotes(std::string_view field) {
  return "'" + printable(field) + "'";
}

TimeScale::TimeScale(double factor) : factor_(static_cast<WidePs>(std::round(std::ldexp(factor, kFractionBits)))) {
  longest_ = factor_ == kOne ? WidePs{kLatest} : (WidePs{kLatest} << kFractionBits) / factor_;
}

}  // namespace armature::workload
