#include "armature/observe/wave_samples.h"

#include "armature/core/error.h"
#include "armature/observe/fst_trace.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <fstapi.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace armature::observe {
namespace {

constexpr std::uint64_t kMostRows = 100'000'000;

struct Close {
  void operator()(void* reader) const { fstReaderClose(reader); }
};

struct Column {
  std::string name;
  bool real = false, text = false;
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
  void change(Ps at, fstHandle handle, const unsigned char* value, std::uint32_t length) {
    const auto found = places_.find(handle);
    if (found == places_.end()) return;
    rows_until(at);
    Column& column = columns_[found->second];
    if (column.real) {
      double number = 0;
      std::memcpy(&number, value, sizeof number);
      column.value.clear();                                                         // not a number: not drawn then
      if (!std::isnan(number)) column.value = fmt::format("{:.9g}", number + 0.0);  // a dump draws a corner at 0 as -0
    } else {
      const std::string_view given(reinterpret_cast<const char*>(value), length);
      column.value = column.text ? quoted(given) : decimal(given);
    }
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

/// The signals of the dump that are wanted.
void choose(void* reader, const SampleOptions& options, Table& table) {
  const TraceScope scope{options.signals, {}};
  fstReaderClrFacProcessMaskAll(reader);
  fstReaderIterateHierRewind(reader);
  fstReaderResetScope(reader);
  while (const fstHier* const item = fstReaderIterateHier(reader)) {
    if (item->htyp == FST_HT_SCOPE) {
      fstReaderPushScope(reader, item->u.scope.name, nullptr);
    } else if (item->htyp == FST_HT_UPSCOPE) {
      fstReaderPopScope(reader);
    } else if (item->htyp == FST_HT_VAR) {
      const char* const above = fstReaderGetCurrentFlatScope(reader);
      std::string name = above && *above != '\0' ? std::string(above) + "." : std::string();
      name += std::string_view(item->u.var.name).substr(0, std::string_view(item->u.var.name).find(' '));
      const bool text = item->u.var.typ == FST_VT_GEN_STRING;
      const std::string path = name.substr(0, name.find('['));
      if (!scope.contains(path) || (text && options.signals.empty())) continue;
      table.add(item->u.var.handle, {path, item->u.var.typ == FST_VT_VCD_REAL, text, {}});
      fstReaderSetFacProcessMask(reader, item->u.var.handle);
    }
  }
}

}  // namespace

std::uint64_t write_samples(const std::filesystem::path& dump, const SampleOptions& options, std::ostream& out) {
  if (!std::filesystem::is_regular_file(dump)) throw InputError(dump.string() + ": there is no such file");
  const std::unique_ptr<void, Close> reader(fstReaderOpen(dump.c_str()));
  if (!reader) throw InputError(dump.string() + ": is no FST dump");
  Table table(options, out);
  choose(reader.get(), options, table);
  if (table.empty())
    throw InputError(dump.string() + ": no signal in it matches; docs/guide/waves.md says what they are called");
  const Ps first = std::max<Ps>(options.from, static_cast<Ps>(fstReaderGetStartTime(reader.get())));
  const Ps last = std::min<Ps>(options.to, static_cast<Ps>(fstReaderGetEndTime(reader.get())));
  if (first > last)
    throw InputError(fmt::format("{}: no rows: they would begin at {} s and end at {} s; the waves cover {} to {} s",
                                 dump.string(), to_seconds(options.from), to_seconds(last),
                                 to_seconds(static_cast<Ps>(fstReaderGetStartTime(reader.get()))),
                                 to_seconds(static_cast<Ps>(fstReaderGetEndTime(reader.get())))));
  table.begin(first, last, dump.string());
  fstReaderIterBlocksSetNativeDoublesOnCallback(reader.get(), 1);
  fstReaderIterBlocks2(
      reader.get(),
      [](void* to, std::uint64_t at, fstHandle handle, const unsigned char* value) {
        static_cast<Table*>(to)->change(static_cast<Ps>(at), handle, value,
                                        static_cast<std::uint32_t>(std::strlen(reinterpret_cast<const char*>(value))));
      },
      [](void* to, std::uint64_t at, fstHandle handle, const unsigned char* value, std::uint32_t length) {
        static_cast<Table*>(to)->change(static_cast<Ps>(at), handle, value, length);
      },
      &table, nullptr);
  table.finish();
  return table.rows();
}

}  // namespace armature::observe
