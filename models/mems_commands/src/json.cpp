#include "tables.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace armature::mems_commands {
namespace {

nlohmann::ordered_json cell_value(const std::string& text) {
  if (text.empty()) return nullptr;
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(number)) return text;
  std::int64_t whole = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (failed == std::errc() && end == text.data() + text.size()) return whole;
  return number;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::string table_as_json(const std::string& table, const std::string& answer) {
  const std::vector<std::string> lines = split(table, '\n');
  const std::vector<std::string> header = split(lines.front(), '\t');
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 1; i < lines.size() && !lines[i].empty(); ++i) {
    const std::vector<std::string> cells = split(lines[i], '\t');
    nlohmann::ordered_json row;
    for (std::size_t column = 0; column < header.size() && column < cells.size(); ++column)
      row[header[column]] = cell_value(cells[column]);
    rows.push_back(std::move(row));
  }
  if (answer.empty()) return rows.dump(1) + "\n";
  return nlohmann::ordered_json{{"rows", rows}, {"answer", answer}}.dump(1) + "\n";
}

std::string grid_as_json(const std::string& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::string& line : split(table, '\n')) {
    if (line.empty()) break;
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (const std::string& cell : split(line, '\t')) row.push_back(cell_value(cell));
    rows.push_back(std::move(row));
  }
  return rows.dump() + "\n";
}

}  // namespace armature::mems_commands
