#pragma once

#include "armature/core/error.h"
#include "armature/core/time.h"
#include "armature/observe/request_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace armature::observe {

/// A CSV file with a header, read row by row.
class Table {
 public:
  explicit Table(const std::filesystem::path& file) : file_(file), in_(file, std::ios::binary) {
    std::string header;
    if (!in_ || !std::getline(in_, header)) throw InputError("cannot read " + file.string());
    ++line_;
    split(header, names_);
  }

  std::size_t column(std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at == names_.end()) throw InputError(Place{file_.string(), 1}, fmt::format("no column \"{}\"", name));
    return static_cast<std::size_t>(at - names_.begin());
  }

  bool next() {
    if (!std::getline(in_, text_)) return false;
    ++line_;
    split(text_, fields_);
    if (fields_.size() != names_.size()) {
      fail(fmt::format("{} fields instead of {}: the file is damaged", fields_.size(), names_.size()));
    }
    return true;
  }

  const std::string& text(std::size_t column) const { return fields_[column]; }

  std::uint64_t number(std::size_t column) const {
    const std::string& field = fields_[column];
    if (field.empty() || field.size() > 19 || field.find_first_not_of("0123456789") != std::string::npos) {
      fail(fmt::format("\"{}\" is no number ({})", field, names_[column]));
    }
    return std::stoull(field);
  }

  /// Microseconds with six decimals, as exact picoseconds; kNoTime for an empty field.
  Ps time(std::size_t column) const {
    const std::string& field = fields_[column];
    if (field.empty()) return kNoTime;
    const std::size_t first = field[0] == '-' ? 1 : 0;
    const std::size_t dot = field.size() - std::min<std::size_t>(field.size(), 7);
    if (field.size() < first + 8 || field.size() > first + 20 || field[dot] != '.' ||
        field.find_first_not_of("0123456789.", first) != std::string::npos) {
      fail(fmt::format("\"{}\" is no time with six decimals ({})", field, names_[column]));
    }
    const Ps value = std::stoll(field.substr(first, dot - first)) * kPsPerUs + std::stoll(field.substr(dot + 1));
    return first ? -value : value;
  }

 private:
  static void split(const std::string& line, std::vector<std::string>& fields) {
    std::size_t count = 0, begin = 0;
    for (;;) {
      const std::size_t comma = std::min(line.find(',', begin), line.size());
      if (fields.size() == count) fields.emplace_back();
      fields[count++].assign(line, begin, comma - begin);
      if (comma == line.size()) break;
      begin = comma + 1;
    }
    fields.resize(count);
  }
  [[noreturn]] void fail(const std::string& message) const { throw InputError(Place{file_.string(), line_}, message); }

  std::filesystem::path file_;
  std::ifstream in_;
  std::size_t line_ = 0;
  std::string text_;
  std::vector<std::string> names_;
  std::vector<std::string> fields_;
};

}  // namespace armature::observe
