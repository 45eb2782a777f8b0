#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace armature::testing {

using CsvRow = std::map<std::string, std::string>;

/// The rows of a comma-separated text without quotes, each by the names of its header.
inline std::vector<CsvRow> csv_rows(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::string> names;
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::vector<std::string> values;
    for (std::string cell; std::getline(cells, cell, ',');) values.push_back(cell);
    if (names.empty()) {
      names = values;
      continue;
    }
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = i < values.size() ? values[i] : "";
  }
  return rows;
}

/// A column as numbers, of the rows that `take` chooses.
template <class Take>
std::vector<double> csv_numbers(const std::vector<CsvRow>& rows, const std::string& column, const Take& take) {
  std::vector<double> numbers;
  for (const CsvRow& row : rows)
    if (take(row)) numbers.push_back(std::stod(row.at(column)));
  return numbers;
}

inline double mean_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return numbers.empty() ? 0 : sum / static_cast<double>(numbers.size());
}

}  // namespace armature::testing
