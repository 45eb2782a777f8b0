#pragma once

#include "armature/workload/params.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace armature::workload::csv {

/// What of a request a column holds.
enum Role : std::size_t {
  unused,
  arrival,
  device_number,
  device_minor,
  address,
  size,
  operation,
  flags,
  measured,
  command,  ///< a name that may have spaces in it
  kRoles
};

constexpr int kNoUnit = -1;

/// The columns of a trace and their units, by their names or by keys. Errors are InputErrors without a place.
class Columns {
 public:
  /// Of a trace whose header is still to come.
  Columns() = default;
  /// @param by_key  the names are those of the key `header`
  Columns(std::vector<std::string> names, const ColumnParams& params, bool by_key);

  /// 0: not known yet.
  std::size_t count() const { return roles_.size(); }
  Role role(std::size_t column) const { return roles_[column]; }
  bool has(Role role) const { return column_of_[role] >= 0; }
  /// Of a role that it has.
  std::size_t column_of(Role role) const { return static_cast<std::size_t>(column_of_[role]); }

  /// Of arrival times: power of ten of picoseconds; kNoUnit until guess_time().
  int time_exponent() const { return time_exponent_; }
  /// By the first time, if it is a date of this century.
  void guess_time(std::string_view first);
  int measured_exponent() const { return measured_exponent_; }  ///< kNoUnit: not to be read
  bool address_in_bytes() const { return address_in_bytes_; }
  bool size_in_bytes() const { return size_in_bytes_; }

  /// What it takes the columns for: Source::reading.
  std::string reading() const;

 private:
  void assign(Role role, std::size_t column);
  void assign_configured(std::array<bool, kRoles>& taken);
  void find_units();
  int time_exponent(Role role, ColumnParams::TimeUnit unit) const;
  [[noreturn]] void no_unit(Role role, std::string_view key) const;
  bool in_bytes(Role role, ColumnParams::DataUnit unit, std::string_view key) const;
  const std::string& name_of(Role role) const { return names_[column_of(role)]; }

  ColumnParams params_;
  bool by_key_ = false;
  std::vector<std::string> names_;
  std::vector<Role> roles_;                         // of the columns
  std::array<std::ptrdiff_t, kRoles> column_of_{};  // -1: no such column
  std::string_view known_header_;                   // whose units they are
  int time_exponent_ = kNoUnit;
  bool time_guessed_ = false;
  int measured_exponent_ = kNoUnit;
  bool address_in_bytes_ = false;
  bool size_in_bytes_ = false;
};

/// The fields of a line without their quotes: names of columns.
std::vector<std::string> names_in(std::string_view line, char separator);

/// The separator with which the header names most of what a request has; of equal ones the one with most columns.
char guessed_separator(std::string_view header);

}  // namespace armature::workload::csv
