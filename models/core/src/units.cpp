#include "armature/core/units.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace armature {
namespace {

constexpr long double kKibi = 1024;
constexpr long double kTurn = 6.283185307179586476925286766559L;  // radians in a revolution

// Within a dimension from small to large: messages list them in this order.
constexpr std::array kUnits = {
    Unit{"ps", Dimension::time, 1, 1e12L},
    Unit{"ns", Dimension::time, 1, 1e9L},
    Unit{"us", Dimension::time, 1, 1e6L},
    Unit{"µs", Dimension::time, 1, 1e6L},
    Unit{"ms", Dimension::time, 1, 1e3L},
    Unit{"s", Dimension::time, 1, 1},
    Unit{"min", Dimension::time, 60, 1},
    Unit{"h", Dimension::time, 3'600, 1},
    Unit{"d", Dimension::time, 86'400, 1},

    Unit{"Hz", Dimension::frequency, 1, 1},
    Unit{"kHz", Dimension::frequency, 1e3L, 1},
    Unit{"MHz", Dimension::frequency, 1e6L, 1},
    Unit{"GHz", Dimension::frequency, 1e9L, 1},
    Unit{"1/s", Dimension::frequency, 1, 1},

    Unit{"rpm", Dimension::rotational_speed, 1, 1},
    Unit{"rev/s", Dimension::rotational_speed, 60, 1},

    Unit{"rev", Dimension::angle, 1, 1},
    Unit{"deg", Dimension::angle, 1, 360},
    Unit{"rad", Dimension::angle, 1, kTurn},

    Unit{"nm", Dimension::length, 1, 1e9L},
    Unit{"um", Dimension::length, 1, 1e6L},
    Unit{"µm", Dimension::length, 1, 1e6L},
    Unit{"mm", Dimension::length, 1, 1e3L},
    Unit{"cm", Dimension::length, 1, 1e2L},
    Unit{"in", Dimension::length, 254, 10'000},
    Unit{"m", Dimension::length, 1, 1},

    Unit{"mm/s", Dimension::velocity, 1, 1e3L},
    Unit{"m/s", Dimension::velocity, 1, 1},

    Unit{"m/s2", Dimension::acceleration, 1, 1},
    Unit{"gn", Dimension::acceleration, 980'665, 1e5L},

    Unit{"B", Dimension::data, 1, 1},
    Unit{"sector", Dimension::data, 512, 1},
    Unit{"sectors", Dimension::data, 512, 1},
    Unit{"kB", Dimension::data, 1e3L, 1},
    Unit{"KiB", Dimension::data, kKibi, 1},
    Unit{"MB", Dimension::data, 1e6L, 1},
    Unit{"MiB", Dimension::data, kKibi* kKibi, 1},
    Unit{"GB", Dimension::data, 1e9L, 1},
    Unit{"GiB", Dimension::data, kKibi* kKibi* kKibi, 1},
    Unit{"TB", Dimension::data, 1e12L, 1},
    Unit{"TiB", Dimension::data, kKibi* kKibi* kKibi* kKibi, 1},

    Unit{"b/s", Dimension::data_rate, 1, 8},
    Unit{"B/s", Dimension::data_rate, 1, 1},
    Unit{"kb/s", Dimension::data_rate, 1e3L, 8},
    Unit{"kB/s", Dimension::data_rate, 1e3L, 1},
    Unit{"KiB/s", Dimension::data_rate, kKibi, 1},
    Unit{"Mb/s", Dimension::data_rate, 1e6L, 8},
    Unit{"MB/s", Dimension::data_rate, 1e6L, 1},
    Unit{"MiB/s", Dimension::data_rate, kKibi* kKibi, 1},
    Unit{"Gb/s", Dimension::data_rate, 1e9L, 8},
    Unit{"GB/s", Dimension::data_rate, 1e9L, 1},
    Unit{"GiB/s", Dimension::data_rate, kKibi* kKibi* kKibi, 1},

    Unit{"request/s", Dimension::request_rate, 1, 1},
    Unit{"requests/s", Dimension::request_rate, 1, 1},
    Unit{"IO/s", Dimension::request_rate, 1, 1},

    Unit{"mg", Dimension::mass, 1, 1e6L},
    Unit{"g", Dimension::mass, 1, 1e3L},
    Unit{"kg", Dimension::mass, 1, 1},

    Unit{"g cm2", Dimension::inertia, 1, 1e7L},
    Unit{"kg m2", Dimension::inertia, 1, 1},

    Unit{"mN m", Dimension::torque, 1, 1e3L},
    Unit{"N m", Dimension::torque, 1, 1},
    Unit{"mN m/A", Dimension::torque_constant, 1, 1e3L},
    Unit{"N m/A", Dimension::torque_constant, 1, 1},

    Unit{"mA", Dimension::current, 1, 1e3L},
    Unit{"A", Dimension::current, 1, 1},
    Unit{"mV", Dimension::voltage, 1, 1e3L},
    Unit{"V", Dimension::voltage, 1, 1},
    Unit{"mOhm", Dimension::resistance, 1, 1e3L},
    Unit{"Ohm", Dimension::resistance, 1, 1},
    Unit{"mW", Dimension::power, 1, 1e3L},
    Unit{"W", Dimension::power, 1, 1},
    Unit{"uJ", Dimension::energy, 1, 1e6L},
    Unit{"mJ", Dimension::energy, 1, 1e3L},
    Unit{"J", Dimension::energy, 1, 1},
    Unit{"C", Dimension::temperature, 1, 1},
    Unit{"K/W", Dimension::thermal_resistance, 1, 1},

    Unit{"ppm", Dimension::ratio, 1, 1e6L},
    Unit{"%", Dimension::ratio, 1, 100},
    Unit{"", Dimension::ratio, 1, 1},
    Unit{"dB", Dimension::level, 1, 1},

    Unit{"cylinder", Dimension::cylinder, 1, 1},
    Unit{"cylinders", Dimension::cylinder, 1, 1},
    Unit{"track", Dimension::track, 1, 1},
    Unit{"tracks", Dimension::track, 1, 1},
    Unit{"request", Dimension::request, 1, 1},
    Unit{"requests", Dimension::request, 1, 1},
    Unit{"cycle", Dimension::cycle, 1, 1},
    Unit{"cycles", Dimension::cycle, 1, 1},
};

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Length of the decimal number that `text` begins with, 0 if it begins with none. TOML's form: digits may be grouped
/// by underscores between digits; no hexadecimal, no infinity.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && (is_digit(text[i]) || (text[i] == '_' && i > start && is_digit(text[i - 1]) &&
                                                     i + 1 < text.size() && is_digit(text[i + 1]))))
      ++i;
    return i > start;
  };
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  bool any = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    any = digits() || any;
  }
  if (!any) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const std::size_t mantissa = i++;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) i = mantissa;  // "5 e" is a number and an unknown unit
  }
  return i;
}

std::string expected(std::string_view unit) {
  const Unit* const target = find_unit(unit);
  if (!target) return fmt::format("a number of {} is expected", unit);
  if (target->dimension == Dimension::ratio) return "a pure number is expected (or one in %, ppm)";
  return fmt::format("{} is expected ({})", name_of(target->dimension), units_of(target->dimension));
}

}  // namespace

const Unit* find_unit(std::string_view symbol) {
  for (const Unit& unit : kUnits)
    if (unit.symbol == symbol) return &unit;
  return nullptr;
}

std::string_view name_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "a time";
    case Dimension::frequency:
      return "a frequency";
    case Dimension::rotational_speed:
      return "a rotational speed";
    case Dimension::angle:
      return "an angle";
    case Dimension::length:
      return "a length";
    case Dimension::velocity:
      return "a velocity";
    case Dimension::acceleration:
      return "an acceleration";
    case Dimension::data:
      return "an amount of data";
    case Dimension::data_rate:
      return "a data rate";
    case Dimension::request_rate:
      return "a request rate";
    case Dimension::mass:
      return "a mass";
    case Dimension::inertia:
      return "a moment of inertia";
    case Dimension::torque:
      return "a torque";
    case Dimension::torque_constant:
      return "a torque constant";
    case Dimension::current:
      return "a current";
    case Dimension::voltage:
      return "a voltage";
    case Dimension::resistance:
      return "a resistance";
    case Dimension::power:
      return "a power";
    case Dimension::energy:
      return "an energy";
    case Dimension::temperature:
      return "a temperature";
    case Dimension::thermal_resistance:
      return "a thermal resistance";
    case Dimension::ratio:
      return "a pure number";
    case Dimension::level:
      return "a level";
    case Dimension::cylinder:
      return "a number of cylinders";
    case Dimension::track:
      return "a number of tracks";
    case Dimension::request:
      return "a number of requests";
    case Dimension::cycle:
      return "a number of clock cycles";
  }
  return "a number";
}

std::string units_of(Dimension dimension) {
  std::string list;
  for (const Unit& unit : kUnits) {
    if (unit.dimension != dimension || unit.symbol.empty() || unit.symbol.front() == '\xc2') continue;  // µ: an alias
    if (!list.empty()) list += ", ";
    list += unit.symbol;
  }
  return list;
}

double parse_quantity(std::string_view text, std::string_view unit) {
  const std::string_view trimmed = trim(text);
  const std::size_t length = number_length(trimmed);
  if (length == 0) throw InputError(fmt::format("\"{}\" does not begin with a number; {}", text, expected(unit)));

  std::string number;
  for (const char c : trimmed.substr(0, length))
    if (c != '_') number += c;
  const long double value = std::strtold(number.c_str(), nullptr);
  if (!std::isfinite(static_cast<double>(value))) throw InputError(fmt::format("\"{}\" is too large a number", text));

  const std::string_view symbol = trim(trimmed.substr(length));
  // Without quotes TOML takes such a number for no number at all.
  if (symbol.empty() && std::abs(value) >= 0x1p63L) throw InputError(fmt::format("\"{}\" is too large a number", text));
  if (symbol == unit) return std::strtod(number.c_str(), nullptr);
  if (symbol.empty())
    throw InputError(
        fmt::format("\"{}\" has no unit: write it without quotes for {}, or add one; {}", text, unit, expected(unit)));
  const Unit* const from = find_unit(symbol);
  const Unit* const to = find_unit(unit);
  if (!from) throw InputError(fmt::format("\"{}\": \"{}\" is no unit that is known; {}", text, symbol, expected(unit)));
  if (!to || from->dimension != to->dimension)
    throw InputError(fmt::format("\"{}\" is {}; {}", text, name_of(from->dimension), expected(unit)));
  return static_cast<double>(value * (from->numerator * to->denominator) / (from->denominator * to->numerator));
}

std::string shortest(double value) {
  return fmt::format("{}", value == 0 ? 0.0 : value);
}

std::string with_unit(double value, std::string_view unit) {
  return unit.empty() ? shortest(value) : fmt::format("{} {}", shortest(value), unit);
}

}  // namespace armature
