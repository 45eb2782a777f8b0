#pragma once

#include <string>
#include <string_view>

namespace armature {

/// What a unit measures. Quantities convert within a dimension and never across.
enum class Dimension {
  time,
  frequency,
  rotational_speed,
  angle,
  length,
  velocity,
  acceleration,
  data,
  data_rate,
  request_rate,
  mass,
  inertia,
  torque,
  torque_constant,
  current,
  voltage,
  resistance,
  power,
  energy,
  temperature,
  thermal_resistance,
  ratio,
  level,
  cylinder,
  track,
  request,
  cycle,
};

/// A unit that configuration keys and values may carry: "ms", "rpm", "KiB".
struct Unit {
  std::string_view symbol;
  Dimension dimension;
  /// This unit as a fraction of the dimension's base unit, so that decimal values convert without a visible rounding
  /// error (5 ms are 5000 us exactly).
  long double numerator;
  long double denominator;
};

/// The unit of this symbol, null if there is none. The empty symbol is the pure number.
const Unit* find_unit(std::string_view symbol);

/// "a time", "a rotational speed": for messages.
std::string_view name_of(Dimension dimension);

/// The symbols of a dimension, smallest unit first, separated by ", ".
std::string units_of(Dimension dimension);

/// The number in `text` ("5 ms", "7200rpm", "4 KiB", "50 %", "1_000 us") in `unit`. Throws InputError without a place
/// if it is no finite number, its unit is missing or unknown, or of another dimension than `unit`.
double parse_quantity(std::string_view text, std::string_view unit);

/// The shortest decimal that reads back as `value`: 7200, 0.1, 1e+20.
std::string shortest(double value);

/// A value with its unit for a message or a table: "5 ms"; a pure number stands alone.
std::string with_unit(double value, std::string_view unit);

}  // namespace armature
