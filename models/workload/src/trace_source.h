#pragma once

#include "armature/core/error.h"
#include "armature/workload/params.h"
#include "line_reader.h"
#include "number.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature::workload {

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
  Place place() const override { return {lines_->path(), lines_->line_number()}; }

 protected:
  /// One line into a fresh request. `time` is the absolute arrival time in picoseconds.
  virtual void parse(std::string_view line, Request& request, WidePs& time) = 0;

  /// True if the line is none of a request: it names columns, opens a file, reports another event. Called for every
  /// line before `parse`.
  virtual bool take_other(std::string_view line) {
    (void)line;
    return false;
  }

  /// A line of a request that no drive here can be asked for, such as a trim: counted, not delivered.
  void leave_out() { ++left_out_; }

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
  std::uint32_t device(std::string_view field) const;
  /// Address and size in sectors; both are checked: 1 to 65,536 sectors, the end within 63 bits.
  void extent(std::string_view lbn_field, std::uint64_t lbn, std::string_view size_field, std::uint64_t sectors,
              Request& request) const;
  /// The same in bytes, which must be whole sectors unless `round_to_sectors`.
  void extent_bytes(std::string_view offset_field, std::uint64_t offset, std::string_view size_field,
                    std::uint64_t bytes, Request& request) const;
  const TimeScale& time_scale() const { return time_scale_; }

 private:
  bool read(Request& request, WidePs& time);
  void check_order(WidePs time);
  void check_device(std::uint32_t device);
  std::string named(std::uint32_t device) const;
  [[noreturn]] void bad(std::string_view field, std::string_view what, NumberError error) const;

  std::unique_ptr<LineReader> lines_;
  std::string_view line_;
  const bool has_times_;
  std::vector<double> devices_;  // sorted
  const bool single_device_;
  const bool round_to_sectors_;
  const std::uint64_t limit_;
  std::uint64_t to_skip_;
  const TimeScale time_scale_;
  std::uint64_t taken_ = 0;
  std::uint64_t left_out_ = 0;
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

/// The format of a file by its name and beginning. Throws InputError if they do not tell.
WorkloadParams::Format detect_format(LineReader& lines, const WorkloadParams& params);

}  // namespace armature::workload
