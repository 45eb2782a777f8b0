#include "armature/observe/wave_changes.h"

#include "armature/core/error.h"
#include "armature/observe/fst_trace.h"

#include <fmt/format.h>

#include <fstapi.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace armature::observe {
namespace {

constexpr int kPsExponent = -12;
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

struct Close {
  void operator()(void* reader) const { fstReaderClose(reader); }
};
using Reader = std::unique_ptr<void, Close>;

enum class Kind { kBits, kReal, kText };

const char* word(Kind kind) {
  return kind == Kind::kBits ? "bits" : kind == Kind::kReal ? "real" : "text";
}

Reader open(const std::filesystem::path& dump) {
  if (!std::filesystem::is_regular_file(dump)) throw InputError(dump.string() + ": there is no such file");
  Reader reader(fstReaderOpen(dump.c_str()));
  if (!reader) throw InputError(dump.string() + ": is no FST dump");
  return reader;
}

/// Calls `found` with each variable that a glob matches, in the order of the dump.
void each_signal(void* reader, const std::vector<std::string>& globs,
                 const std::function<void(fstHandle, std::string, Kind)>& found) {
  const TraceScope scope{globs, {}};
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
      for (const char* c = item->u.var.name; *c != '\0'; ++c) {
        if (*c != ' ') name += *c;  // "count [7:0]" and "count[7:0]" are one name
      }
      if (!scope.contains(name.substr(0, name.find('[')))) continue;
      const bool real = item->u.var.typ == FST_VT_VCD_REAL || item->u.var.typ == FST_VT_VCD_REALTIME;
      found(item->u.var.handle, std::move(name),
            item->u.var.typ == FST_VT_GEN_STRING ? Kind::kText
            : real                               ? Kind::kReal
                                                 : Kind::kBits);
    }
  }
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

  void change(std::uint64_t at, fstHandle handle, const unsigned char* value, std::uint32_t length) {
    const Ps time = static_cast<Ps>(at) * scale_;
    const auto found = signals_.find(handle);
    if (found == signals_.end() || time < from_ || time > to_) return;
    for (const Signal& signal : found->second) {
      fmt::format_to(std::back_inserter(text_), "{}\t{}\t", time, signal.name);
      append(signal.kind, value, length);
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

  void append(Kind kind, const unsigned char* value, std::uint32_t length) {
    if (kind == Kind::kReal) {
      double number = 0;
      std::memcpy(&number, value, sizeof number);
      fmt::format_to(std::back_inserter(text_), "{:.17g}", number + 0.0);  // a dump draws a corner at 0 as -0
      return;
    }
    for (const char c : std::string_view(reinterpret_cast<const char*>(value), length)) {
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

/// Picoseconds of the dump's unit of time.
std::int64_t scale_of(void* reader, const std::filesystem::path& dump) {
  const signed char exponent = fstReaderGetTimescale(reader);
  if (exponent < kPsExponent || exponent > 0)
    throw InputError(
        fmt::format("{}: its unit of time is 1e{} s; 1 ps to 1 s can be read", dump.string(), int{exponent}));
  std::int64_t scale = 1;
  for (int i = kPsExponent; i < exponent; ++i) scale *= 10;
  return scale;
}

}  // namespace

void write_signals(const std::filesystem::path& dump, const std::vector<std::string>& globs, std::ostream& out) {
  const Reader reader = open(dump);
  out << "signal\tkind\n";
  each_signal(reader.get(), globs, [&](fstHandle /*handle*/, const std::string& name, Kind kind) {
    out << name << '\t' << word(kind) << '\n';
  });
}

void write_changes(const std::filesystem::path& dump, const ChangeOptions& options, std::ostream& out) {
  const Reader reader = open(dump);
  Lines lines(options, scale_of(reader.get(), dump), out);
  fstReaderClrFacProcessMaskAll(reader.get());
  each_signal(reader.get(), options.signals, [&](fstHandle handle, std::string name, Kind kind) {
    lines.add(handle, std::move(name), kind);
    fstReaderSetFacProcessMask(reader.get(), handle);
  });
  if (lines.empty())
    throw InputError(dump.string() + ": no signal in it matches; docs/guide/waves.md says what they are called");
  fstReaderIterBlocksSetNativeDoublesOnCallback(reader.get(), 1);
  fstReaderIterBlocks2(
      reader.get(),
      [](void* to, std::uint64_t at, fstHandle handle, const unsigned char* value) {
        static_cast<Lines*>(to)->change(at, handle, value,
                                        static_cast<std::uint32_t>(std::strlen(reinterpret_cast<const char*>(value))));
      },
      [](void* to, std::uint64_t at, fstHandle handle, const unsigned char* value, std::uint32_t length) {
        static_cast<Lines*>(to)->change(at, handle, value, length);
      },
      &lines, nullptr);
  lines.flush();
}

}  // namespace armature::observe
