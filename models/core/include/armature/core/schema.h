#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace armature {

/// Bounds of a numeric key, inclusive, in the key's unit.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

/// One column of a key that is a table, such as the zones of a disk.
struct Column {
  std::string_view name;
  std::string_view unit;
  Range range;
  bool integer = true;
};

/// Visits the keys of a parameter structure. Reading a file, `describe`, and writing the resolved configuration are
/// visitors, so a key's name, unit, range, default and meaning are stated once, in its structure's `keys` function:
///
///     struct SpindleParams {
///       double rpm = 7200;
///       void keys(KeyVisitor& v) { v.key("rpm", rpm, "rpm", {60, 60'000}, "Speed of the disk stack"); }
///     };
///
/// The default is the member's value before the visit. Units come from core/units.h ("ms", "rpm", "KiB", ...); empty
/// for a pure number. In a file a quantity is a number in the key's unit, or a string with a unit of the same dimension
/// ("5 ms" for a key in us).
class KeyVisitor {
 public:
  virtual ~KeyVisitor() = default;

  virtual void key(std::string_view name, double& value, std::string_view unit, Range range,
                   std::string_view meaning) = 0;
  virtual void key(std::string_view name, std::int64_t& value, std::string_view unit, Range range,
                   std::string_view meaning) = 0;
  virtual void key(std::string_view name, bool& value, std::string_view meaning) = 0;
  virtual void key(std::string_view name, std::string& value, std::string_view meaning) = 0;
  /// One of `choices`; `value` is its index.
  virtual void choice(std::string_view name, int& value, const std::vector<std::string_view>& choices,
                      std::string_view meaning) = 0;
  /// A list of numbers of one unit.
  virtual void list(std::string_view name, std::vector<double>& value, std::string_view unit, Range range,
                    std::string_view meaning) = 0;
  virtual void list(std::string_view name, std::vector<std::string>& value, std::string_view meaning) = 0;
  /// Rows of numbers: `zones = [[0, 432, 334], [433, 848, 334]]`.
  virtual void table(std::string_view name, std::vector<std::vector<double>>& rows, const std::vector<Column>& columns,
                     std::string_view meaning) = 0;

  /// A nested section: `[workload.addresses]`.
  virtual void begin_section(std::string_view name, std::string_view meaning) = 0;
  virtual void end_section() = 0;

  template <class Params>
  void section(std::string_view name, Params& params, std::string_view meaning) {
    begin_section(name, meaning);
    params.keys(*this);
    end_section();
  }
};

}  // namespace armature
