#pragma once

#include "armature/core/schema.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace armature {

/// A key that is one of `choices`. The values of `Enum` are 0, 1, ... in the order of `choices`.
template <class Enum>
void choice(KeyVisitor& visitor, std::string_view name, Enum& value, const std::vector<std::string_view>& choices,
            std::string_view meaning) {
  static_assert(std::is_enum_v<Enum>);
  int index = static_cast<int>(value);
  visitor.choice(name, index, choices, meaning);
  value = static_cast<Enum>(index);
}

/// A column of a table whose rows are structures: its name, its unit, the member that holds it, its range. Only whole
/// numbers fit a column with an integer member, and 0 and 1 a column with a bool.
template <class Row>
struct RowColumn {
  std::string_view name;
  std::string_view unit;
  std::variant<double Row::*, std::int64_t Row::*, bool Row::*> member;
  Range range;
};

/// A key that is a table whose rows are structures. Integer columns are exact up to 2^53.
template <class Row>
void rows(KeyVisitor& visitor, std::string_view name, std::vector<Row>& value,
          const std::vector<RowColumn<Row>>& fields, std::string_view meaning) {
  std::vector<Column> columns;
  for (const RowColumn<Row>& column : fields)
    columns.push_back({column.name, column.unit, column.range, !std::holds_alternative<double Row::*>(column.member)});
  std::vector<std::vector<double>> numbers;
  for (const Row& row : value) {
    std::vector<double>& line = numbers.emplace_back();
    for (const RowColumn<Row>& column : fields)
      std::visit([&](auto member) { line.push_back(static_cast<double>(row.*member)); }, column.member);
  }
  visitor.table(name, numbers, columns, meaning);
  value.clear();
  for (const std::vector<double>& line : numbers) {
    Row& row = value.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i)
      std::visit([&](auto member) { row.*member = static_cast<std::decay_t<decltype(row.*member)>>(line.at(i)); },
                 fields[i].member);
  }
}

}  // namespace armature
