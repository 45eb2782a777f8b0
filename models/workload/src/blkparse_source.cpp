// Text of blkparse in its default format or in one of its option -f. Source: blkparse(1) of blktrace 1.2.0, sections
// "DEFAULT OUTPUT", "ACTION IDENTIFIERS", "RWBS DESCRIPTION" and "FORMAT". By default a line is
//
//     major,minor cpu sequence seconds process action rwbs sector + sectors [command]
#include "block_event.h"

#include <fmt/format.h>

#include <vector>

namespace armature::workload {
namespace {

constexpr int kSeconds = 12;
constexpr int kNanoseconds = 3;
constexpr std::string_view kActions = "ABCDFGIMPQRSTUWXm";

class BlkparseSource : public BlockEventSource {
 public:
  BlkparseSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : BlockEventSource(std::move(lines), params),
        action_(params.blkparse_keys.action == BlkparseParams::queued ? 'Q' : 'D') {}

 protected:
  /// True if the line stands for no event, or for another one than is wanted; otherwise `event_` has it.
  virtual bool read_event(std::string_view line) = 0;
  /// False if it is another one than is wanted.
  bool wanted(std::string_view action) const {
    if (action.empty() || action.size() > 2 || kActions.find(action[0]) == std::string_view::npos)
      fail(action, fmt::format("action {} is none of blkparse's ({})", in_quotes(action), kActions));
    return action.size() == 1 && action[0] == action_;
  }
  std::string about(std::string_view format) const {
    return fmt::format("blkparse, {}: events {} (blkparse.action), times in s, addresses and sizes in sectors of 512 B",
                       format, action_);
  }

  BlockEvent event_;  // of the line

 private:
  bool take_other(std::string_view line) override {
    // Behind the events stand sums for each processor and in all.
    if (line.substr(0, 3) == "CPU" || line.substr(0, 7) == "Total (") summary_ = true;
    if (summary_) return true;
    if (line.substr(0, 11) == "Input file ") return true;
    if (const std::size_t inner = line.find('\r'); inner != std::string_view::npos)
      fail(line.substr(inner), "a carriage return within the line: lines end with LF or CR LF");
    event_ = BlockEvent{};
    return read_event(line);
  }
  bool parse(std::string_view, Request& request, WidePs& at) override {
    at = event_.at;
    return take_event(event_, request);
  }

  const char action_;
  bool summary_ = false;
};

class DefaultBlkparseSource final : public BlkparseSource {
 public:
  using BlkparseSource::BlkparseSource;

 private:
  bool read_event(std::string_view line) override {
    std::string_view rest = line;
    event_.device = next_field(rest);
    const std::size_t comma = event_.device.find(',');
    if (comma == std::string_view::npos)
      fail(event_.device, fmt::format("{} is not a device (major,minor) at the beginning of an event; blkparse.format "
                                      "can say what blkparse was told to print (-f)",
                                      in_quotes(event_.device)));
    whole(event_.device.substr(0, comma), "major device number");
    whole(event_.device.substr(comma + 1), "minor device number");
    whole(next_field(rest), "processor");
    whole(next_field(rest), "sequence number");
    event_.at = time(next_field(rest), "time", kSeconds);
    whole(next_field(rest), "process");
    if (!wanted(next_field(rest))) return true;
    event_.letters = next_field(rest);
    event_.sector = next_field(rest);
    const std::string_view plus = next_field(rest);
    event_.packet = !plus.empty() && plus[0] == '(';  // bytes and contents of a SCSI command
    event_.size = next_field(rest);
    if (!event_.packet && is_digit_first(event_.sector) && plus != "+")
      fail(plus, fmt::format("{} in place of the + between sector and sectors", in_quotes(plus)));
    return false;
  }
  std::string units() const override { return about("its default output"); }

  static bool is_digit_first(std::string_view field) { return !field.empty() && field[0] >= '0' && field[0] <= '9'; }
};

/// By the key `format`, in blkparse's own letters.
class FormattedBlkparseSource final : public BlkparseSource {
 public:
  FormattedBlkparseSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : BlkparseSource(std::move(lines), params), format_(params.blkparse_keys.format) {
    compile();
  }

 private:
  /// A field, or characters that stand there as they are; spaces match any number of spaces and tabs.
  struct Part {
    char field;  ///< blkparse's letter; 0: a character
    char character;
  };

  void compile() {
    std::string_view rest = format_;
    std::string fields;
    while (!rest.empty()) {
      char c = rest[0];
      rest.remove_prefix(1);
      if (c == '%' && !rest.empty()) {
        while (!rest.empty() && (rest[0] == '-' || (rest[0] >= '0' && rest[0] <= '9'))) rest.remove_prefix(1);
        if (rest.empty()) throw InputError("workload.blkparse.format: ends within a field (%)");
        c = rest[0];
        rest.remove_prefix(1);
        if (c != '%') {
          if (std::string_view{"acCdDegMmnNpPsStTuUz"}.find(c) == std::string_view::npos)
            throw InputError(fmt::format("workload.blkparse.format: blkparse has no field %{}", printable({&c, 1})));
          parts_.push_back({c, 0});
          fields += c;
          continue;
        }
      } else if (c == '\\' && !rest.empty()) {
        c = rest[0] == 't' ? '\t' : rest[0] == 'n' || rest[0] == 'r' ? '\n' : rest[0];
        rest.remove_prefix(1);
      }
      if (c == '\n') break;  // a line an event
      parts_.push_back({0, c == '\t' ? ' ' : c});
    }
    const auto has = [&](char field) { return fields.find(field) != std::string::npos; };
    if (!(has('T') || has('t')) || !has('d') || !has('S') || !(has('n') || has('N')))
      throw InputError(
          "workload.blkparse.format: a request needs its time (%T.%t), what it asks for (%d), its sector (%S) and its "
          "size (%n or %N)");
    has_seconds_ = has('T');
  }

  /// Of a line; those without a value are not in the format.
  struct Fields {
    std::string_view action, major, minor, seconds, nanoseconds;
  };

  bool read_event(std::string_view line) override {
    Fields fields;
    const char* p = line.data();
    const char* const end = p + line.size();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      while (p != end && (*p == ' ' || *p == '\t')) ++p;
      if (part.field != 0) {
        const char* const begin = p;
        p = end_of_field(i, begin, end);
        keep(part.field, {begin, static_cast<std::size_t>(p - begin)}, fields);
      } else if (part.character != ' ') {
        if (p == end && i + 1 == parts_.size()) break;
        if (p == end || *p != part.character) {
          if (is_message(line)) return true;
          fail(line.substr(static_cast<std::size_t>(p - line.data())),
               fmt::format("'{}' of blkparse.format is not there", printable({&part.character, 1})));
        }
        ++p;
      }
    }
    return is_message(line) || !finish(fields);
  }

  /// Of the field that is part `i` and begins at `p`.
  const char* end_of_field(std::size_t i, const char* p, const char* end) const {
    const char field = parts_[i].field;
    const char until = i + 1 < parts_.size() && parts_[i + 1].field == 0 ? parts_[i + 1].character : ' ';
    const bool spaces = field == 'C' || field == 'P';  // names and packets may have some within
    if (i + 1 == parts_.size() && spaces) return end;
    while (p != end && *p != until && (spaces || (*p != ' ' && *p != '\t'))) ++p;
    return p;
  }

  void keep(char code, std::string_view field, Fields& fields) {
    switch (code) {
      case 'a':
        fields.action = field;
        break;
      case 'd':
        event_.letters = field;
        break;
      case 'D':
        event_.device = field;
        break;
      case 'M':
        fields.major = field;
        break;
      case 'm':
        fields.minor = field;
        break;
      case 'S':
        event_.sector = field;
        break;
      case 'n':
        event_.size = field;
        event_.size_in_bytes = false;
        break;
      case 'N':
        if (!event_.size.empty()) break;
        event_.size = field;
        event_.size_in_bytes = true;
        break;
      case 'T':
        fields.seconds = field;
        break;
      case 't':
        fields.nanoseconds = field;
        break;
      default:
        break;
    }
  }

  /// False: another event than the one that is wanted.
  bool finish(const Fields& fields) {
    if (has_seconds_) event_.at = time(fields.seconds, "time", kSeconds);
    if (fields.nanoseconds.data() != nullptr) event_.at += time(fields.nanoseconds, "nanoseconds", kNanoseconds);
    if (fields.action.data() != nullptr && !wanted(fields.action)) return false;
    if (event_.device.data() != nullptr) return true;
    if (fields.major.data() != nullptr) {
      joined_ = std::string(fields.major) + "," + std::string(fields.minor);
      event_.device = joined_;
    } else {
      event_.device = "0";
    }
    return true;
  }

  /// blkparse prints what a driver tells (action m) in its default format in any case.
  static bool is_message(std::string_view line) {
    for (int i = 0; i < 5; ++i) next_field(line);
    return next_field(line) == "m" && next_field(line) == "N";
  }
  std::string units() const override { return about("as blkparse.format says"); }

  const std::string format_;
  std::vector<Part> parts_;
  bool has_seconds_ = false;
  std::string joined_;  // device of the line
};

}  // namespace

std::unique_ptr<Source> make_blkparse_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  if (!params.blkparse_keys.format.empty()) return std::make_unique<FormattedBlkparseSource>(std::move(lines), params);
  return std::make_unique<DefaultBlkparseSource>(std::move(lines), params);
}

}  // namespace armature::workload
