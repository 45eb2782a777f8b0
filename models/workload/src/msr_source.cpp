// Block traces of Microsoft Research Cambridge (Narayanan, Donnelly, Rowstron, "Write Off-Loading", FAST 2008; SNIA
// IOTTA). A line: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`; the first and the last in units of
// 100 ns (a Windows FILETIME counts them from 1601), offset and size in bytes.
#include "trace_source.h"

#include <fmt/format.h>

#include <array>

namespace armature::workload {
namespace {

constexpr int kHundredNanoseconds = 5;

class MsrSource final : public TraceSource {
 public:
  using TraceSource::TraceSource;

 private:
  bool take_other(std::string_view line) override {
    const bool names = !begun_ && same_word(line.substr(0, kMsrHeader.size()), kMsrHeader);
    begun_ = true;
    return names;
  }
  bool parse(std::string_view line, Request& request, WidePs& at) override {
    std::array<std::string_view, 7> fields;
    std::string_view rest = line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (rest.data() == nullptr) {
        fail(line.substr(line.size()),
             fmt::format("{} of 7 fields: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime", i));
      }
      const std::size_t comma = rest.find(',');
      fields[i] = trimmed(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    if (rest.data() != nullptr) fail(rest, fmt::format("{} after the last of 7 fields", in_quotes(rest)));
    const auto& [timestamp, host, disk, type, offset, size, response] = fields;
    const WidePs recorded = time(timestamp, "time", kHundredNanoseconds);
    // 1601 is out of any simulation's reach: time zero is the first line's, also if another disk's.
    if (!origin_known_) {
      origin_ = recorded;
      origin_known_ = true;
    }
    at = recorded - origin_;
    if (host.empty()) fail(host, "host name is missing");
    request.device = device(disk);
    if (!asks(type, request)) return false;
    request.measured_response = duration(response, "response time", kHundredNanoseconds);
    if (request.operation == Operation::flush) return true;
    extent_bytes(offset, whole(offset, "offset"), size, whole(size, "size"), request);
    return true;
  }
  std::string units() const override { return "msr: times and response times in 100 ns, addresses and sizes in B"; }

  WidePs origin_ = 0;
  bool origin_known_ = false;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Source> make_msr_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<MsrSource>(std::move(lines), params);
}

}  // namespace armature::workload
