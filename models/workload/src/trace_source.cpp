#include "trace_source.h"

#include "armature/core/block_address.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::workload {
namespace {

constexpr std::uint64_t kMostSectors = 65'536;
constexpr std::uint64_t kLastLbn = std::uint64_t{1} << 63;

/// For a message: of any length, unlike a double with its 15 digits.
std::string seconds(WidePs t) {
  if (t < 0) return "-" + seconds(-t);
  const auto whole = static_cast<std::int64_t>(t / kPsPerSecond);
  return fmt::format("{}.{:012} s", whole, static_cast<std::int64_t>(t % kPsPerSecond));
}

}  // namespace

TraceSource::TraceSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params, Times times)
    : lines_(std::move(lines)),
      has_times_(times == Times::open),
      recognised_(params.format == WorkloadParams::automatic),
      devices_(params.devices),
      single_device_(params.device_layout == WorkloadParams::single),
      round_to_sectors_(params.round_to_sectors),
      limit_(static_cast<std::uint64_t>(params.limit)),
      to_skip_(static_cast<std::uint64_t>(params.skip)),
      time_scale_(params.time_scale),
      origin_known_(params.time_zero == WorkloadParams::as_recorded) {
  for (const std::string& name : params.device_names) {
    const auto number = static_cast<std::uint32_t>(devices_.size());
    devices_by_name_.add_as(name, number);
    devices_.push_back(number);
  }
  std::sort(devices_.begin(), devices_.end());
}

std::string TraceSource::reading() const {
  return fmt::format("{} ({})", units(), recognised_ ? "recognised by its beginning and name" : "workload.format");
}

void TraceSource::leave_out(std::string_view what) {
  constexpr std::size_t kMostKinds = 12;
  ++left_out_;
  for (LeftOut& kind : kinds_left_out_) {
    if (kind.what != what) continue;
    ++kind.lines;
    return;
  }
  if (kinds_left_out_.size() < kMostKinds) {
    kinds_left_out_.push_back({std::string(what), 1});
    return;
  }
  LeftOut& last = kinds_left_out_.back();
  last.what = "other operations";
  ++last.lines;
}

bool TraceSource::asks_by_name(std::string_view field, Request& request) {
  const AskedFor asked = parse_operation(field);
  if (!asked.operation) {
    leave_out(field.empty() || field == "-" ? std::string("blank operation") : "operation " + printable(field));
    return false;
  }
  request.operation = *asked.operation;
  request.fua = asked.fua;
  if (asked.flush_before) flush_before();
  return true;
}

void TraceSource::nothing_left() const {
  const Place where{lines_->path(), std::max<std::size_t>(lines_->line_number(), 1)};
  if (lines_->line_number() == 0) throw InputError(where, "the trace is empty");
  std::string what;
  for (const LeftOut& kind : kinds_left_out_)
    what += fmt::format("{}{} ({})", what.empty() ? "; left out: " : ", ", kind.what, kind.lines);
  throw InputError(
      where, fmt::format("no request is left of the trace's {} lines: comments, trims and events of other kinds are "
                         "none (blkparse.action, ftrace.event); devices, skip and limit choose among the rest{}",
                         lines_->line_number(), what));
}

Source::Next TraceSource::next(Request& request) {
  WidePs time = 0;
  Request read_request;
  if ((limit_ != 0 && taken_ == limit_) || !read(read_request, time)) {
    if (taken_ == 0) nothing_left();
    return Next::end;
  }
  if (has_times_) {
    if (!origin_known_) {
      origin_ = time;
      origin_known_ = true;
    }
    if (!time_scale_.apply(time - origin_, read_request.arrival)) {
      fail(
          fmt::format("arrival {} after time zero, the simulation ends at 100 days (time_zero = \"first_request\" lets "
                      "it begin with the first request)",
                      seconds(time - origin_)));
    }
  }
  read_request.id = taken_++;
  request = read_request;
  return Next::request;
}

bool TraceSource::read(Request& request, WidePs& time) {
  if (holds_) {
    holds_ = false;
    request = held_;
    time = last_time_;
    return true;
  }
  while (lines_->next(line_)) {
    if (line_.empty() || line_[0] == '#' || trimmed(line_).empty() || take_other(line_)) continue;
    request = Request{};
    flush_before_ = false;
    if (!parse(line_, request, time)) continue;
    if (has_times_) check_order(time);
    if (!devices_.empty() && !std::binary_search(devices_.begin(), devices_.end(), double{0} + request.device))
      continue;
    if (single_device_) check_device(request.device);
    if (to_skip_ > 0) {
      --to_skip_;
      continue;
    }
    if (flush_before_) {
      held_ = request;
      holds_ = true;
      request = Request{};
      request.operation = Operation::flush;
      request.device = held_.device;
    }
    return true;
  }
  return false;
}

void TraceSource::check_order(WidePs time) {
  if (time < last_time_)
    fail(fmt::format("time goes back: {} after {} in the request before it; sort the trace by time", seconds(time),
                     seconds(last_time_)));
  last_time_ = time;
}

void TraceSource::check_device(std::uint32_t device) {
  if (!device_known_) {
    device_known_ = true;
    first_device_ = device;
  } else if (device != first_device_) {
    fail(
        fmt::format("device {} beside device {}: choose one with devices = [{}]{}, or say with device_layout how they "
                    "share the drive (concatenate, overlay)",
                    named(device), named(first_device_), first_device_,
                    device_name(first_device_).empty() ? "" : " or device_names"));
  }
}

std::string TraceSource::named(std::uint32_t device) const {
  const std::string name = device_name(device);
  return name.empty() ? fmt::format("{}", device) : fmt::format("{} ({})", device, printable(name));
}

Ps TraceSource::duration(std::string_view field, std::string_view what, int exponent) const {
  const WidePs value = time(field, what, exponent);
  if (value > TimeScale::kLatest) bad(field, what, NumberError::overflow);
  return static_cast<Ps>(value);
}

std::uint32_t TraceSource::device(std::string_view field) {
  std::uint32_t number = 0;
  if (devices_by_name_.find(field, number)) return number;
  std::uint64_t value = 0;
  if (field.empty()) bad(field, "device", NumberError::malformed);
  if (parse_whole(field, value) == NumberError::negative) bad(field, "device", NumberError::negative);
  if (!devices_by_name_.add(field, number)) fail(field, fmt::format("more than {} devices", DeviceNames::kMost));
  return number;
}

void TraceSource::extent(std::string_view lbn_field, std::uint64_t lbn, std::string_view size_field,
                         std::uint64_t sectors, Request& request) const {
  if (sectors == 0) fail(size_field, "the request has no sectors");
  if (sectors > kMostSectors) {
    fail(size_field,
         fmt::format("size {} is too large: a request has 65536 sectors (32 MiB) at most", in_quotes(size_field)));
  }
  if (lbn > kLastLbn - sectors) bad(lbn_field, "address", NumberError::overflow);
  request.lbn = lbn;
  request.sectors = static_cast<std::uint32_t>(sectors);
}

void TraceSource::extent_bytes(std::string_view offset_field, std::uint64_t offset, std::string_view size_field,
                               std::uint64_t bytes, Request& request) const {
  if (bytes == 0) fail(size_field, "the request has no bytes");
  if (bytes > kMostSectors * kSectorBytes) {
    fail(size_field,
         fmt::format("size {} is too large: a request has 65536 sectors (32 MiB) at most", in_quotes(size_field)));
  }
  if (offset > kLastLbn) bad(offset_field, "address", NumberError::overflow);
  const std::uint64_t end = offset + bytes;
  if (!round_to_sectors_) {
    const bool broken_offset = offset % kSectorBytes != 0;
    if (broken_offset || end % kSectorBytes != 0) {
      const std::string_view field = broken_offset ? offset_field : size_field;
      fail(field, fmt::format("{} {} is not a multiple of 512 bytes (round_to_sectors = true widens such requests)",
                              broken_offset ? "offset" : "size", in_quotes(field)));
    }
  }
  const std::uint64_t lbn = offset / kSectorBytes;
  extent(offset_field, lbn, size_field, (end + kSectorBytes - 1) / kSectorBytes - lbn, request);
}

void TraceSource::fail(std::string_view message) const {
  // Before the first line only the names of columns are looked at, which a key gives.
  if (lines_->line_number() == 0) throw InputError(fmt::format("workload.header: {}", message));
  throw InputError(place(), message);
}

void TraceSource::fail(std::string_view field, std::string_view message) const {
  Place where = place();
  if (field.data() >= line_.data() && field.data() <= line_.data() + line_.size())
    where.column = static_cast<std::size_t>(field.data() - line_.data()) + 1;
  throw InputError(where, message);
}

void TraceSource::bad(std::string_view field, std::string_view what, NumberError error) const {
  if (field.empty()) fail(field, fmt::format("{} is missing", what));
  fail(field, fmt::format("{} {} {}", what, in_quotes(field), reason(error)));
}

}  // namespace armature::workload
