#include "armature/observe/wave_changes.h"

#include "wave_reader.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace armature::observe {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

using Kind = WaveReader::Kind;

const char* word(Kind kind) {
  return kind == Kind::kBits ? "bits" : kind == Kind::kReal ? "real" : "text";
}

/// Writes a line for each change that is given to it.
class Lines {
 public:
  Lines(const ChangeOptions& options, std::int64_t scale, std::ostream& out)
      : from_(options.from), to_(options.to), scale_(scale), out_(out) {
    text_ = "time_ps\tsignal\tvalue\n";
  }
  void add(fstHandle handle, std::string name, Kind kind) {
    signals_[handle].push_back({std::move(name), kind});  // several names of one handle are aliases
  }
  bool empty() const { return signals_.empty(); }

  void change(std::uint64_t at, fstHandle handle, std::string_view value) {
    const Ps time = static_cast<Ps>(at) * scale_;
    const auto found = signals_.find(handle);
    if (found == signals_.end() || time < from_ || time > to_) return;
    for (const Signal& signal : found->second) {
      fmt::format_to(std::back_inserter(text_), "{}\t{}\t", time, signal.name);
      append(signal.kind, value);
      text_ += '\n';
    }
    if (text_.size() >= kFlushBytes) flush();
  }
  void flush() {
    out_ << text_;
    text_.clear();
  }

 private:
  struct Signal {
    std::string name;
    Kind kind;
  };

  void append(Kind kind, std::string_view value) {
    if (kind == Kind::kReal) {
      fmt::format_to(std::back_inserter(text_), "{:.17g}", real_of(value));
      return;
    }
    for (const char c : value) {
      if (c == '\t')
        text_ += "\\t";
      else if (c == '\n')
        text_ += "\\n";
      else if (c == '\\')
        text_ += "\\\\";
      else
        text_ += c;
    }
  }

  Ps from_, to_;
  std::int64_t scale_;
  std::ostream& out_;
  std::string text_;
  std::unordered_map<fstHandle, std::vector<Signal>> signals_;
};

}  // namespace

void write_signals(const std::filesystem::path& dump, const std::vector<std::string>& globs, std::ostream& out) {
  const WaveReader reader(dump);
  out << "signal\tkind\n";
  reader.each_signal(globs, [&](fstHandle /*handle*/, const std::string& name, Kind kind) {
    out << name << '\t' << word(kind) << '\n';
  });
}

void write_changes(const std::filesystem::path& dump, const ChangeOptions& options, std::ostream& out) {
  WaveReader reader(dump);
  Lines lines(options, reader.scale(), out);
  reader.each_signal(options.signals, [&](fstHandle handle, std::string name, Kind kind) {
    lines.add(handle, std::move(name), kind);
    reader.want(handle);
  });
  if (lines.empty()) reader.none_matches();
  reader.changes(
      [&lines](std::uint64_t at, fstHandle handle, std::string_view value) { lines.change(at, handle, value); });
  lines.flush();
}

}  // namespace armature::observe
