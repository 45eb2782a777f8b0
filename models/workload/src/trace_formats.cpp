// Formats of one request a line without a header. Sources: "SPC Trace File Format Specification" (Storage Performance
// Council, 2002) as used by the UMass trace repository; DiskSim 4.0's disksim_iotrace.c (ascii, validate); SSDSim's and
// MQSim's trace readers.
#include "trace_source.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace armature::workload {
namespace {

constexpr int kSeconds = 12;
constexpr int kMilliseconds = 9;
constexpr int kMicroseconds = 6;
constexpr int kNanoseconds = 3;

/// A format whose lines are a fixed number of fields between spaces and tabs.
class FieldSource : public TraceSource {
 protected:
  using TraceSource::TraceSource;

  template <std::size_t N>
  std::array<std::string_view, N> fields(std::string_view line, std::string_view names) const {
    std::array<std::string_view, N> found;
    std::string_view rest = line;
    for (std::size_t i = 0; i < N; ++i) {
      found[i] = next_field(rest);
      if (found[i].empty()) fail(found[i], fmt::format("{} of {} fields: {}", i, N, names));
    }
    if (const std::string_view more = next_field(rest); !more.empty())
      fail(more, fmt::format("{} after the last of {} fields: {}", in_quotes(more), N, names));
    return found;
  }
};

/// `ASU,LBA,bytes,R|W,seconds[,optional ...]`; the LBA counts 512-byte blocks.
class SpcSource final : public TraceSource {
 public:
  using TraceSource::TraceSource;

 private:
  bool parse(std::string_view line, Request& request, WidePs& at) override {
    std::array<std::string_view, 5> fields;
    std::string_view rest = line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (rest.data() == nullptr)
        fail(line.substr(line.size()), fmt::format("{} of 5 fields: ASU,LBA,bytes,op,seconds", i));
      const std::size_t comma = rest.find(',');
      fields[i] = trimmed(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    const auto& [asu, lba, bytes, op, seconds] = fields;
    request.device = device(asu);
    at = time(seconds, "time", kSeconds);
    if (!asks(op, request)) return false;
    if (request.operation == Operation::flush) return true;
    const std::uint64_t lbn = whole(lba, "LBA");
    if (lbn >= std::uint64_t{1} << 54) fail(lba, fmt::format("LBA {} is too large", in_quotes(lba)));
    extent_bytes(lba, lbn * 512, bytes, whole(bytes, "size"), request);
    return true;
  }
  std::string units() const override { return "spc: times in s, addresses in sectors of 512 B, sizes in B"; }
};

/// `milliseconds device LBN sectors flags`; flags in hexadecimal, bit 0 set for a read.
class DisksimSource final : public FieldSource {
 public:
  using FieldSource::FieldSource;

 private:
  bool parse(std::string_view line, Request& request, WidePs& at) override {
    const auto [ms, dev, lbn, sectors, flags] = fields<5>(line, "time_ms device LBN sectors flags");
    at = time(ms, "time", kMilliseconds);
    if (const std::size_t point = ms.find('.'); point != std::string_view::npos && decimals_ == 0)
      decimals_ = ms.size() - point - 1;
    request.device = device(dev);
    extent(lbn, whole(lbn, "LBN"), sectors, whole(sectors, "size"), request);
    std::uint32_t bits = 0;
    const std::string_view digits = flags.substr(0, 2) == "0x" ? flags.substr(2) : flags;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    if (error != std::errc{} || end != digits.data() + digits.size())
      fail(flags, fmt::format("flags {} are not a hexadecimal number (bit 0: read)", in_quotes(flags)));
    request.operation = (bits & 1) != 0 ? Operation::read : Operation::write;
    return true;
  }
  std::string units() const override {
    constexpr std::size_t kOfNanoseconds = 6;
    std::string text = "disksim: times in ms, addresses and sizes in sectors of 512 B";
    if (decimals_ > kOfNanoseconds)
      text += fmt::format("; ms with {} decimals: are the times in s? Then time_scale = 1000", decimals_);
    return text;
  }

  std::size_t decimals_ = 0;  // of the first time that has some
};

/// `nanoseconds device LSN sectors op`; op 0 is a write, 1 a read.
class SsdsimSource final : public FieldSource {
 public:
  using FieldSource::FieldSource;

 private:
  bool parse(std::string_view line, Request& request, WidePs& at) override {
    const auto [ns, dev, lsn, sectors, op] = fields<5>(line, "time_ns device LSN sectors op");
    at = time(ns, "time", kNanoseconds);
    request.device = device(dev);
    std::uint64_t number = 0;
    if (parse_whole(op, number) != NumberError::none)
      fail(op, fmt::format("operation {} is neither 0 (write) nor 1 (read)", in_quotes(op)));
    if (number > 1) {
      leave_out("operation " + printable(op));
      return false;
    }
    request.operation = number == 1 ? Operation::read : Operation::write;
    extent(lsn, whole(lsn, "LSN"), sectors, whole(sectors, "size"), request);
    return true;
  }
  std::string units() const override { return "ssdsim: times in ns, addresses and sizes in sectors of 512 B"; }
};

/// `R|W outcome LBN sectors measured_us think_us`: one request in flight. The first arrives at time 0, each other one
/// when the one before it has completed and that one's think time has passed.
class ValidateSource final : public FieldSource {
 public:
  ValidateSource(std::unique_ptr<LineReader> lines, const WorkloadParams& params)
      : FieldSource(std::move(lines), params, Times::none) {}

  Next next(Request& request) override {
    if (in_flight_) return Next::after_completion;
    const Next result = TraceSource::next(request);
    if (result == Next::request) {
      if (arrival_ > TimeScale::kLatest) fail(kTooLate);
      request.arrival = arrival_;
      think_ = parsed_think_;
      in_flight_ = true;
    }
    return result;
  }
  void completed(const Request&, Ps at) override {
    in_flight_ = false;
    arrival_ = TimeScale::later(at, think_);
  }

 private:
  bool parse(std::string_view line, Request& request, WidePs&) override {
    const auto [op, outcome, lbn, sectors, measured, think] =
        fields<6>(line, "op outcome LBN sectors measured_us think_us");
    // What the real drive's cache did (Hit, Miss, ...) is not an input of the model, but a number here is a lost field.
    if ((outcome[0] | 0x20) < 'a' || (outcome[0] | 0x20) > 'z')
      fail(outcome, fmt::format("outcome {} is not a word such as Hit or Miss", in_quotes(outcome)));
    if (!asks(op, request)) return false;
    if (request.operation != Operation::flush) extent(lbn, whole(lbn, "LBN"), sectors, whole(sectors, "size"), request);
    request.measured_response = duration(measured, "measured time", kMicroseconds);
    if (!time_scale().apply(duration(think, "think time", kMicroseconds), parsed_think_))
      fail(think, fmt::format("think time {} is too large", in_quotes(think)));
    if (thought_ > TimeScale::kLatest) fail(kTooLate);
    thought_ = TimeScale::later(thought_, parsed_think_);
    return true;
  }
  std::string units() const override {
    return "validate: response and think times in us, addresses and sizes in sectors of 512 B";
  }

  static constexpr const char* kTooLate =
      "the think times before this request end after the simulation, which lasts 100 days (limit, time_scale)";

  Ps thought_ = 0;  // of all lines before this one together
  bool in_flight_ = false;
  Ps arrival_ = 0;
  Ps think_ = 0;         // of the request in flight
  Ps parsed_think_ = 0;  // of the line read last
};

}  // namespace

std::unique_ptr<Source> make_spc_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<SpcSource>(std::move(lines), params);
}

std::unique_ptr<Source> make_disksim_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<DisksimSource>(std::move(lines), params);
}

std::unique_ptr<Source> make_ssdsim_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<SsdsimSource>(std::move(lines), params);
}

std::unique_ptr<Source> make_validate_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<ValidateSource>(std::move(lines), params);
}

}  // namespace armature::workload
