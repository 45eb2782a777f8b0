// Logs of fio (write_iolog, read_iolog), versions 2 and 3. Source: section "TRACE FILE FORMAT" of fio's manual, and
// where that is silent or wrong, what fio 3.33 does (iolog.c): times of version 3 are in us, and `wait` of version 2
// waits until that many ms after the start.
#include "trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <queue>
#include <set>
#include <vector>

namespace armature::workload {
namespace {

constexpr int kTimeExponents[] = {6, 9, 3};  // of picoseconds, by IologParams::TimeUnit

/// `filename add|open|close` and `filename action offset length`, in version 3 behind a time.
class IologSource : public TraceSource {
 public:
  IologSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params, Times times)
      : TraceSource(std::move(lines), params, times), with_times_(times == Times::open), params_(params.iolog_keys) {}

 protected:
  const IologParams& iolog() const { return params_; }
  /// `until` is in the unit of the key `wait`.
  virtual void wait(std::string_view field, std::uint64_t until) = 0;

 private:
  bool take_other(std::string_view line) override {
    if (!headed_) {  // make_iolog_source has looked at it
      headed_ = true;
      return true;
    }
    split(line);
    const std::string_view action = action_;
    if (offset_.empty()) {
      if (action == "add") {
        file_number_ = device(file_);
      } else if (action == "open" || action == "close") {
        find_file();
        if (action == "close" && open_.count(file_number_) == 0)
          fail(file_, fmt::format("file {} is not open", in_quotes(file_)));
        if (action == "open")
          open_.insert(file_number_);
        else
          open_.erase(file_number_);
      } else if (action == "read" || action == "write" || action == "sync" || action == "datasync" ||
                 action == "trim" || action == "wait") {
        fail(line.substr(line.size()), fmt::format("{} needs an offset and a length", in_quotes(action)));
      } else {
        fail(action, fmt::format("action {} is none of add, open, close, read, write, sync, datasync, trim, wait",
                                 in_quotes(action)));
      }
      check_time();
      return true;
    }
    if (length_.empty())
      fail(line.substr(line.size()), fmt::format("{} has an offset and no length", in_quotes(action)));
    if (action == "wait") {
      if (with_times_) fail(action, "version 3 of an iolog has no wait: it has times");
      wait(offset_, whole(offset_, "wait"));
      return true;
    }
    find_file();
    if (open_.count(file_number_) == 0) fail(file_, fmt::format("file {} is not open", in_quotes(file_)));
    if (action == "trim") {
      Request checked;
      extent_bytes(offset_, whole(offset_, "offset"), length_, whole(length_, "length"), checked);
      check_time();
      leave_out("operation trim");
      return true;
    }
    return false;
  }

  bool parse(std::string_view, Request& request, WidePs& at) override {
    if (with_times_) at = check_time();
    request.device = file_number_;
    if (!asks(action_, request)) return false;
    // With a sync fio writes the offset of the request before it, and no length.
    if (request.operation == Operation::flush) return true;
    extent_bytes(offset_, whole(offset_, "offset"), length_, whole(length_, "length"), request);
    return true;
  }
  std::string units() const override {
    constexpr std::string_view kUnits[] = {"us", "ms", "ns"};
    return with_times_ ? fmt::format("iolog, version 3: times in {} (iolog.time_unit), addresses and sizes in B",
                                     kUnits[params_.time_unit])
                       : fmt::format(
                             "iolog, version 2: no times, {} in flight (iolog.in_flight), addresses and sizes "
                             "in B",
                             params_.in_flight);
  }

  void split(std::string_view line) {
    std::string_view rest = line;
    time_ = with_times_ ? next_field(rest) : std::string_view{};
    file_ = next_field(rest);
    action_ = next_field(rest);
    offset_ = next_field(rest);
    length_ = next_field(rest);
    if (action_.empty()) {
      fail(line.substr(line.size()), with_times_ ? "an action is missing: time file action [offset length]"
                                                 : "an action is missing: file action [offset length]");
    }
    if (const std::string_view more = next_field(rest); !more.empty())
      fail(more, fmt::format("{} after offset and length", in_quotes(more)));
  }
  void find_file() {
    if (!find_device(file_, file_number_))
      fail(file_,
           fmt::format("file {} was not added: a line \"{} add\" comes first", in_quotes(file_), printable(file_)));
  }
  WidePs check_time() {
    if (!with_times_) return 0;
    if (time_.find_first_of(".eE") != std::string_view::npos)
      fail(time_, fmt::format("time {} is not a whole number", in_quotes(time_)));
    return time(time_, "time", kTimeExponents[params_.time_unit]);
  }

  const bool with_times_;
  const IologParams params_;
  bool headed_ = false;
  std::set<std::uint32_t> open_;  // file numbers
  // Of the line.
  std::string_view time_, file_, action_, offset_, length_;
  std::uint32_t file_number_ = 0;
};

class TimedIologSource final : public IologSource {
 public:
  TimedIologSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : IologSource(std::move(lines), params, Times::open) {}

 private:
  void wait(std::string_view, std::uint64_t) override {}
};

/// Without times: a number of requests in flight; the next one arrives when one of them has completed, but not before
/// the last `wait`.
class ClosedIologSource final : public IologSource {
 public:
  ClosedIologSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : IologSource(std::move(lines), params, Times::none) {
    for (std::int64_t i = 0; i < params.iolog_keys.in_flight; ++i) free_since_.push(0);
  }

  Next next(Request& request) override {
    if (free_since_.empty()) return Next::after_completion;
    const Next result = TraceSource::next(request);
    if (result == Next::request) {
      last_ = std::max({last_, free_since_.top(), not_before_});
      free_since_.pop();
      request.arrival = last_;
    }
    return result;
  }
  void completed(const Request&, Ps at) override { free_since_.push(at); }

 private:
  void wait(std::string_view field, std::uint64_t until) override {
    const bool from_start = iolog().wait == IologParams::ms_since_start;
    const WidePs length = WidePs{until} * (from_start ? kPsPerMs : kPsPerUs);
    waited_ = from_start ? length : waited_ + length;
    if (!time_scale().apply(waited_, not_before_))
      fail(field, fmt::format("wait {} ends after the simulation, which lasts 100 days", in_quotes(field)));
  }

  std::priority_queue<Ps, std::vector<Ps>, std::greater<>> free_since_;
  WidePs waited_ = 0;  // as recorded
  Ps not_before_ = 0;
  Ps last_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_iolog_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  std::string_view first = lines->ahead();
  const Place place{lines->path(), 1};
  if (first.empty()) throw InputError(Place{lines->path(), 1}, "the trace is empty");
  first = first.substr(0, first.find('\n'));
  if (!first.empty() && first.back() == '\r') first.remove_suffix(1);
  if (const std::size_t inner = first.find('\r'); inner != std::string_view::npos)
    throw InputError({lines->path(), 1, inner + 1}, "a carriage return within the line: lines end with LF or CR LF");
  first = trimmed(first);
  if (first == "fio version 3 iolog") return std::make_unique<TimedIologSource>(std::move(lines), params);
  if (first == "fio version 2 iolog") return std::make_unique<ClosedIologSource>(std::move(lines), params);
  throw InputError(
      place, fmt::format("the first line of an iolog is \"fio version 2 iolog\" or \"fio version 3 iolog\", not {}",
                         in_quotes(first)));
}

}  // namespace armature::workload
