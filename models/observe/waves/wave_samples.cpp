#include "armature/observe/wave_samples.h"

#include "armature/core/error.h"
#include "wave_reader.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

namespace armature::observe {
namespace {

constexpr std::uint64_t kMostRows = 100'000'000;

struct Column {
  std::string name;
  WaveReader::Kind kind;
  std::string value;
};

/// A text as a cell.
std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

/// "0101" as a decimal number; empty if a digit is unknown.
std::string decimal(std::string_view bits) {
  std::uint64_t value = 0;
  for (const char c : bits) {
    if (c != '0' && c != '1') return {};
    value = 2 * value + static_cast<std::uint64_t>(c - '0');
  }
  return std::to_string(value);
}

/// Takes changes in the order of time and writes a row for each instant that has passed.
class Table {
 public:
  Table(const SampleOptions& options, std::ostream& out) : hz_(options.hz), out_(out) {}

  void add(fstHandle handle, Column column) {
    const auto [place, fresh] = places_.try_emplace(handle, columns_.size());
    if (fresh) columns_.push_back(std::move(column));
  }
  bool empty() const { return columns_.empty(); }
  std::uint64_t rows() const { return rows_; }

  /// @param last  of the instants, ps
  void begin(Ps first, Ps last, const std::string& file) {
    next_ = static_cast<std::uint64_t>((static_cast<__int128>(first) * hz_ + kPsPerSecond - 1) / kPsPerSecond);
    last_ = static_cast<std::uint64_t>(static_cast<__int128>(last) * hz_ / kPsPerSecond);
    if (last_ >= next_ && last_ - next_ >= kMostRows)
      throw InputError(fmt::format("{}: {} rows would come, more than {}; a shorter time or a lower rate has fewer",
                                   file, last_ - next_ + 1, kMostRows));
    std::string header = "time_s";
    for (const Column& column : columns_) header += "," + column.name;
    out_ << header << '\n';
  }
  void change(Ps at, fstHandle handle, std::string_view value) {
    const auto found = places_.find(handle);
    if (found == places_.end()) return;
    rows_until(at);
    Column& column = columns_[found->second];
    if (column.kind != WaveReader::Kind::kReal) {
      column.value = column.kind == WaveReader::Kind::kText ? quoted(value) : decimal(value);
      return;
    }
    const double number = real_of(value);
    column.value = std::isnan(number) ? "" : fmt::format("{:.9g}", number);  // not a number: not drawn then
  }
  void finish() {
    while (next_ <= last_) row();
  }

 private:
  Ps time_of(std::uint64_t sample) const { return static_cast<Ps>(static_cast<__int128>(sample) * kPsPerSecond / hz_); }
  /// The instants before `at`: what changes at an instant is in its row.
  void rows_until(Ps at) {
    while (next_ <= last_ && time_of(next_) < at) row();
  }
  void row() {
    line_.clear();
    fmt::format_to(std::back_inserter(line_), "{:.9f}", static_cast<double>(next_) / static_cast<double>(hz_));
    for (const Column& column : columns_) {
      line_ += ',';
      line_ += column.value;
    }
    line_ += '\n';
    out_ << line_;
    ++next_;
    ++rows_;
  }

  std::uint64_t hz_, next_ = 0, last_ = 0, rows_ = 0;
  std::ostream& out_;
  std::vector<Column> columns_;
  std::unordered_map<fstHandle, std::size_t> places_;
  std::string line_;
};

}  // namespace

std::uint64_t write_samples(const std::filesystem::path& dump, const SampleOptions& options, std::ostream& out) {
  WaveReader reader(dump);
  const std::int64_t scale = reader.scale();
  Table table(options, out);
  reader.each_signal(options.signals, [&](fstHandle handle, const std::string& name, WaveReader::Kind kind) {
    if (kind == WaveReader::Kind::kText && options.signals.empty()) return;
    table.add(handle, {name.substr(0, name.find('[')), kind, {}});
    reader.want(handle);
  });
  if (table.empty()) reader.none_matches();
  const Ps begin = static_cast<Ps>(reader.begin()) * scale, end = static_cast<Ps>(reader.end()) * scale;
  const Ps first = std::max(options.from, begin), last = std::min(options.to, end);
  if (first > last)
    throw InputError(fmt::format("{}: no rows: they would begin at {} s and end at {} s; the waves cover {} to {} s",
                                 dump.string(), to_seconds(options.from), to_seconds(last), to_seconds(begin),
                                 to_seconds(end)));
  table.begin(first, last, dump.string());
  reader.changes([&](std::uint64_t at, fstHandle handle, std::string_view value) {
    table.change(static_cast<Ps>(at) * scale, handle, value);
  });
  table.finish();
  return table.rows();
}

}  // namespace armature::observe
