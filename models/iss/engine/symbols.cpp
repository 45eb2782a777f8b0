// What a table of symbols and lines answers; symbol_reader.cpp reads it.
#include "armature/iss/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace armature::iss {

const Symbols::Function* Symbols::function(std::uint32_t address) const {
  const auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                      [](std::uint32_t a, const Function& f) { return a < f.begin; });
  if (after == functions_.begin()) return nullptr;
  const Function& found = *std::prev(after);
  return address < found.end ? &found : nullptr;
}

std::optional<std::uint32_t> Symbols::address(std::string_view name) const {
  const auto found = std::lower_bound(addresses_.begin(), addresses_.end(), name,
                                      [](const auto& entry, std::string_view n) { return entry.first < n; });
  if (found == addresses_.end() || found->first != name) return {};
  return found->second;
}

std::uint32_t Symbols::memory_before(std::uint32_t address) const {
  std::uint32_t lowest = 0;
  for (const auto& [begin, end] : sections_) {
    if (begin < address && address <= end) return begin;
    if (end < address) lowest = std::max(lowest, end);
  }
  return lowest;
}

const std::vector<Symbols::Row>& Symbols::rows() const {
  return lines().rows;
}

const std::vector<std::string>& Symbols::files() const {
  return lines().files;
}

const Symbols::Row* Symbols::row(std::uint32_t address) const {
  const std::vector<Row>& all = rows();
  const auto after =
      std::upper_bound(all.begin(), all.end(), address, [](std::uint32_t a, const Row& row) { return a < row.begin; });
  if (after == all.begin()) return nullptr;
  const Row& found = *std::prev(after);
  return address < found.end ? &found : nullptr;
}

std::optional<Symbols::Line> Symbols::line(std::uint32_t address) const {
  const Row* const found = row(address);
  if (!found) return {};
  return Line{files()[found->file], found->line};
}

std::optional<Symbols::Row> Symbols::declaration(const Function& function) const {
  const auto found = lines().declarations.find(function.begin);
  if (found != lines().declarations.end())
    return Row{function.begin, function.end, found->second.first, found->second.second};
  const Row* const first = row(function.begin);  // assembler code
  if (!first) return {};
  return Row{function.begin, function.end, first->file, first->line};
}

std::string Symbols::function_at(std::uint32_t address) const {
  const Function* const found = function(address);
  if (!found) return {};
  return found->begin == address ? found->name : fmt::format("{}+{:#x}", found->name, address - found->begin);
}

std::string Symbols::line_at(std::uint32_t address) const {
  const std::optional<Line> found = line(address);
  return found ? fmt::format("{}:{}", short_path(found->file), found->line) : std::string();
}

std::string Symbols::place_of(std::uint32_t address) const {
  const std::string at = line_at(address);
  if (at.empty()) return function_at(address);
  const Function* const found = function(address);
  return found ? fmt::format("{} ({})", found->name, at) : at;
}

std::string_view short_path(std::string_view path) {
  const std::size_t last = path.rfind('/');
  if (last == std::string_view::npos || last == 0) return path;
  const std::size_t before = path.rfind('/', last - 1);
  return before == std::string_view::npos ? path : path.substr(before + 1);
}

}  // namespace armature::iss
