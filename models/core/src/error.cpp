#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace armature {
namespace {

std::string with_place(const Place& place, std::string_view message) {
  if (place.file.empty()) return std::string(message);
  if (place.line == 0) return fmt::format("{}: {}", place.file, message);
  if (place.column == 0) return fmt::format("{}:{}: {}", place.file, place.line, message);
  return fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, message);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

InputError::InputError(const Place& place, std::string_view message)
    : std::runtime_error(with_place(place, message)), place_(place) {}

std::string_view nearest(std::string_view word, const std::string_view* first, const std::string_view* last) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (; first != last; ++first) {
    const std::size_t distance = edit_distance(word, *first);
    if (distance < best_distance) {
      best_distance = distance;
      best = *first;
    }
  }
  return best;
}

}  // namespace armature
