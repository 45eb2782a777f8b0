// Block traces of Microsoft Research Cambridge (Narayanan, Donnelly, Rowstron, "Write Off-Loading", FAST 2008; SNIA
// IOTTA). A line: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`; the first and the last in units of
// 100 ns (a Windows FILETIME counts them from 1601), offset and size in bytes.
#include "trace_source.h"

#include <fmt/format.h>

#include <array>

namespace armature::workload {
namespace {

constexpr int kHundredNanoseconds = 5;

bool same_word(std::string_view field, std::string_view lower_word) {
  if (field.size() != lower_word.size()) return false;
  for (std::size_t i = 0; i < field.size(); ++i)
    if ((field[i] | 0x20) != lower_word[i]) return false;
  return true;
}

class MsrSource final : public TraceSource {
 public:
  using TraceSource::TraceSource;

 private:
  void parse(std::string_view line, Request& request, WidePs& at) override {
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
    if (same_word(type, "read"))
      request.operation = Operation::read;
    else if (same_word(type, "write"))
      request.operation = Operation::write;
    else
      fail(type, fmt::format("operation {} is neither Read nor Write", in_quotes(type)));
    extent_bytes(offset, whole(offset, "offset"), size, whole(size, "size"), request);
    request.measured_response = duration(response, "response time", kHundredNanoseconds);
  }

  WidePs origin_ = 0;
  bool origin_known_ = false;
};

}  // namespace

std::unique_ptr<Source> make_msr_source(std::unique_ptr<LineReader> lines, const WorkloadParams& params) {
  return std::make_unique<MsrSource>(std::move(lines), params);
}

}  // namespace armature::workload
