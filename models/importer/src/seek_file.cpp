#include "seek_file.h"

#include "armature/core/error.h"
#include "armature/media/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace armature::importer {
namespace {

constexpr double kMostMs = 1'000;
constexpr double kMostDistance = media::Geometry::kMaxCylinders - 1.0;

std::optional<double> number_of(std::string_view word) {
  if (!word.empty() && word[0] == '+') word.remove_prefix(1);  // from_chars reads none
  double value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBetween = " \t\r\f\v,;:|=";
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  for (std::size_t at = line.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBetween, end);
  }
  return words;
}

/// Lines that are taken in another way than they stand there: how many, and the first.
struct Odd {
  explicit Odd(std::string text) : what(std::move(text)) {}

  std::string what;
  std::size_t count = 0;
  Place first;
  std::string line;

  void add(const Place& place, std::string_view text) {
    if (count++ > 0) return;
    first = place;
    line = printable(text);
  }
  void note(Report& report) const {
    if (count == 1) report.note(first, fmt::format("\"{}\": {}", line, what));
    if (count > 1) report.note(first, fmt::format("\"{}\" and {} more lines: {}", line, count - 1, what));
  }
};

class Reader {
 public:
  Reader(const std::string& path, Report& report) : path_(path), report_(report) {}

  SeekFile read(const std::string& text) {
    std::size_t at = 0;
    for (std::size_t number = 1; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      line(Place{path_, number}, std::string_view(text).substr(at, end - at));
      at = end + 1;
    }
    if (seek_.rows.empty()) throw InputError(Place{path_}, "there is no seek time in this file");
    if (announced_ >= 0 && announced_ != static_cast<double>(seek_.rows.size()))
      report_.note(Place{path_, 1},
                   fmt::format("{} seek distances are announced, {} follow", announced_, seek_.rows.size()));
    sort();
    for (const Odd* odd : {&other_, &no_move_, &far_, &negative_, &long_}) odd->note(report_);
    return std::move(seek_);
  }

 private:
  void line(const Place& place, std::string_view text) {
    const std::vector<std::string_view> words = words_of(text);
    if (words.empty()) return;
    const auto distance = number_of(words[0]);
    const auto ms = words.size() > 1 ? number_of(words[1]) : std::nullopt;
    if (!distance || !ms || !std::isfinite(*ms)) {
      const auto last = number_of(words.back());
      if (!distance && seek_.rows.empty() && last && text.find("measured") != std::string_view::npos) {
        announced_ = *last;
      } else {
        other_.add(place, text);
      }
      return;
    }
    if (*distance > kMostDistance) return far_.add(place, text);
    if (!(*distance >= 1) || *distance != std::floor(*distance)) return no_move_.add(place, text);
    if (*ms < 0) negative_.add(place, text);
    if (*ms > kMostMs) long_.add(place, text);
    if (seek_.rows.empty()) seek_.first = place;
    const actuator::SeekPoint row{static_cast<std::int64_t>(*distance), std::clamp(*ms, 0.0, kMostMs)};
    seek_.rows.push_back(row);
    places_.push_back(place);
    const auto write = words.size() > 3 ? number_of(words[3]) : std::nullopt;
    if (!write || !std::isfinite(*write)) return;
    if (seek_.more.empty()) seek_.first_of_four = place;
    seek_.more.push_back({row.cylinders, *write - row.ms});
  }

  void sort() {
    auto& rows = seek_.rows;
    const auto shorter = [](const actuator::SeekPoint& a, const actuator::SeekPoint& b) {
      return a.cylinders < b.cylinders;
    };
    const auto unsorted = std::is_sorted_until(rows.begin(), rows.end(), shorter);
    if (unsorted != rows.end()) {
      report_.note(places_[static_cast<std::size_t>(unsorted - rows.begin())],
                   fmt::format("distance {} does not follow {}: the rows are sorted", unsorted->cylinders,
                               (unsorted - 1)->cylinders));
      std::stable_sort(rows.begin(), rows.end(), shorter);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (kept > 0 && rows[i].cylinders == rows[kept - 1].cylinders) {
        // Sorted rows have lost their lines.
        report_.note(unsorted == rows.end() ? places_[i] : seek_.first,
                     fmt::format("distance {} stands twice: the first time counts, as in DiskSim", rows[i].cylinders));
        continue;
      }
      rows[kept++] = rows[i];
    }
    rows.resize(kept);
    std::stable_sort(seek_.more.begin(), seek_.more.end(), shorter);
    seek_.more.erase(std::unique(seek_.more.begin(), seek_.more.end(),
                                 [](const auto& a, const auto& b) { return a.cylinders == b.cylinders; }),
                     seek_.more.end());
  }

  const std::string& path_;
  Report& report_;
  SeekFile seek_;
  std::vector<Place> places_;
  double announced_ = -1;
  Odd other_{"no distance and milliseconds, skipped (as in DiskSim)"};
  Odd no_move_{"no move between cylinders, left out"};
  Odd far_{fmt::format("a move of over {} cylinders, left out", kMostDistance)};
  Odd negative_{"a time below 0, taken as 0"};
  Odd long_{"a time over 1000 ms, taken as 1000"};
};

}  // namespace

SeekFile parse_seek_file(const std::string& path, const std::string& text, Report& report) {
  return Reader(path, report).read(text);
}

}  // namespace armature::importer
