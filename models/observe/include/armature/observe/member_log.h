#pragma once

#include "armature/core/request.h"
#include "armature/core/time.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::observe {

/// A request that an array controller sent to one of its drives.
struct MemberRow {
  std::optional<std::uint64_t> request;  ///< of the host, that it was part of; none: the array's own work
  std::string_view drive;
  std::optional<std::uint64_t> id;  ///< its number at the drive; none: the array's cache did it alone
  std::string_view purpose;
  Operation operation = Operation::read;
  std::uint64_t lbn = 0;  ///< at the drive
  std::uint32_t sectors = 0;
  Ps begun = 0;
  Ps ended = 0;
  /// Of a bus that it shared with others.
  struct Bus {
    int number = 0;
    Ps wait = 0;
    Ps time = 0;
  };
  std::optional<Bus> bus;
  bool ok = true;
};

/// Writes members.csv: one row a member operation, in the order of their ends; docs/guide/arrays.md describes the
/// columns. The order of those that end at the same instant is that of their text, so it does not hang on which drive
/// told first.
class MemberLog {
 public:
  /// @throws InputError if the file cannot be written
  explicit MemberLog(std::filesystem::path file);

  static std::string header();
  /// `row.ended`: not before that of the row before.
  void add(const MemberRow& row);
  /// Closes the file. @throws InputError if anything could not be written
  void finish();

 private:
  void write_held();

  std::filesystem::path file_;
  std::ofstream out_;
  std::vector<std::string> held_;  ///< lines of operations that ended at `held_at_`
  Ps held_at_ = 0;
};

}  // namespace armature::observe
