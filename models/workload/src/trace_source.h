#pragma once

#include "armature/core/error.h"
#include "armature/workload/params.h"
#include "device_names.h"
#include "line_reader.h"
#include "number.h"
#include "operation_name.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature::workload {

/// Letter by letter, whatever their size; `lower_word` is all letters.
inline bool same_word(std::string_view field, std::string_view lower_word) {
  if (field.size() != lower_word.size()) return false;
  for (std::size_t i = 0; i < field.size(); ++i)
    if ((field[i] | 0x20) != lower_word[i]) return false;
  return true;
}

/// Requests of a text trace, one a line; formats derive from it. Blank lines and lines that begin with # say nothing.
///
/// Selection (`devices`, `skip`, `limit`) happens here, where a line that is left out costs no simulated time; every
/// line is checked all the same.
class TraceSource : public Source {
 public:
  enum class Times { open, none };  ///< a closed loop has no arrival times: its format sets `arrival` itself

  TraceSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params, Times times = Times::open);

  Next next(Request& request) override;
  double fraction_read() const override { return lines_->fraction_read(); }
  std::uint64_t dropped() const override { return left_out_; }
  std::string reading() const override;
  std::vector<LeftOut> left_out() const override { return kinds_left_out_; }
  std::string device_name(std::uint32_t device) const override { return devices_by_name_.name(device); }
  Place place() const override { return {lines_->path(), lines_->line_number()}; }

 protected:
  /// One line into a fresh request. `time` is the absolute arrival time in picoseconds. False if the line asks for
  /// what no drive here knows, and has been left out.
  virtual bool parse(std::string_view line, Request& request, WidePs& time) = 0;

  /// What `reading` says of the format: its name, units, columns. In the words of docs/guide/workloads.md.
  virtual std::string units() const = 0;

  /// True if the line is none of a request: it names columns, opens a file, reports another event. Called for every
  /// line before `parse`.
  virtual bool take_other(std::string_view line) {
    (void)line;
    return false;
  }

  /// A line that neither reads nor writes nor flushes, such as a trim: counted, not delivered. `what` begins with a
  /// word for it: "operation trim".
  void leave_out(std::string_view what);
  /// What the field of an operation asks for; false if the line is left out.
  bool asks(std::string_view field, Request& request) {
    // The way of nearly every line.
    const char first = field.empty() ? '\0' : static_cast<char>(field[0] | 0x20);
    if (first == 'r' && (field.size() == 1 || same_word(field, "read"))) {
      request.operation = Operation::read;
      return true;
    }
    if (first == 'w' && (field.size() == 1 || same_word(field, "write"))) {
      request.operation = Operation::write;
      return true;
    }
    return asks_by_name(field, request);
  }

  /// The line that is being parsed stands for two requests: a flush, then its own.
  void flush_before() { flush_before_ = true; }

  [[noreturn]] void fail(std::string_view message) const;
  /// `field` lies within the line: its column is part of the place.
  [[noreturn]] void fail(std::string_view field, std::string_view message) const;

  std::uint64_t whole(std::string_view field, std::string_view what) const {
    std::uint64_t value;
    if (const NumberError error = parse_whole(field, value); error != NumberError::none) bad(field, what, error);
    return value;
  }
  /// In picoseconds; `exponent` is that of the unit: 12 for seconds.
  WidePs time(std::string_view field, std::string_view what, int exponent) const {
    WidePs value;
    if (const NumberError error = parse_decimal(field, exponent, value); error != NumberError::none)
      bad(field, what, error);
    return value;
  }
  /// A duration that a simulation can hold, in picoseconds.
  Ps duration(std::string_view field, std::string_view what, int exponent) const;
  /// By number or by name.
  std::uint32_t device(std::string_view field);
  /// Another name of the device of a line: a file that an iolog adds. Its number.
  bool find_device(std::string_view field, std::uint32_t& number) const { return devices_by_name_.find(field, number); }
  /// Address and size in sectors; both are checked: 1 to 65,536 sectors, the end within 63 bits.
  void extent(std::string_view lbn_field, std::uint64_t lbn, std::string_view size_field, std::uint64_t sectors,
              Request& request) const;
  /// The same in bytes, which must be whole sectors unless `round_to_sectors`.
  void extent_bytes(std::string_view offset_field, std::uint64_t offset, std::string_view size_field,
                    std::uint64_t bytes, Request& request) const;
  const TimeScale& time_scale() const { return time_scale_; }
  LineReader& lines() { return *lines_; }

 private:
  bool asks_by_name(std::string_view field, Request& request);
  [[noreturn]] void nothing_left() const;
  bool read(Request& request, WidePs& time);
  void check_order(WidePs time);
  void check_device(std::uint32_t device);
  std::string named(std::uint32_t device) const;
  [[noreturn]] void bad(std::string_view field, std::string_view what, NumberError error) const;

  std::unique_ptr<LineReader> lines_;
  std::string_view line_;
  const bool has_times_;
  const bool recognised_;        // the format, by the file itself
  std::vector<double> devices_;  // sorted
  DeviceNames devices_by_name_;
  const bool single_device_;
  const bool round_to_sectors_;
  const std::uint64_t limit_;
  std::uint64_t to_skip_;
  const TimeScale time_scale_;
  std::uint64_t taken_ = 0;
  std::uint64_t left_out_ = 0;
  std::vector<LeftOut> kinds_left_out_;
  bool flush_before_ = false;
  bool holds_ = false;
  Request held_;  // behind a flush
  bool device_known_ = false;
  std::uint32_t first_device_ = 0;
  WidePs last_time_ = 0;
  WidePs origin_ = 0;
  bool origin_known_;
};

/// The next field of a line whose fields are separated by spaces and tabs; empty at the end.
inline std::string_view next_field(std::string_view& rest) {
  const char* p = rest.data();
  const char* const end = p + rest.size();
  while (p != end && (*p == ' ' || *p == '\t')) ++p;
  const char* const begin = p;
  while (p != end && *p != ' ' && *p != '\t') ++p;
  rest = {p, static_cast<std::size_t>(end - p)};
  return {begin, static_cast<std::size_t>(p - begin)};
}

/// Without spaces and tabs at both ends.
inline std::string_view trimmed(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  return field;
}

std::unique_ptr<Source> make_spc_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);
std::unique_ptr<Source> make_disksim_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);
std::unique_ptr<Source> make_ssdsim_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);
std::unique_ptr<Source> make_validate_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);
std::unique_ptr<Source> make_csv_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);

std::unique_ptr<Source> make_msr_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);
std::unique_ptr<Source> make_iolog_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);
std::unique_ptr<Source> make_blkparse_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);
std::unique_ptr<Source> make_ftrace_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params);

/// The first line of a trace of MSR Cambridge that somebody gave one to, in small letters.
inline constexpr std::string_view kMsrHeader = "timestamp,hostname,disknumber,type,offset,size,responsetime";

/// Whether a line is an event of the kernel's block layer as trace-cmd, ftrace or perf script prints it.
bool looks_like_ftrace(std::string_view line);

/// Whether the words between the separators name at least time, address and size of requests.
bool looks_like_header(std::string_view line);

/// The format of a file by its name and beginning. Throws InputError if they do not tell.
WorkloadParams::Format detect_format(LineReader& lines, const WorkloadParams& params);

}  // namespace armature::workload
