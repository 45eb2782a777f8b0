#include "armature/workload/remarks.h"

#include "armature/core/block_address.h"

#include <fmt/format.h>

namespace armature::workload {

std::string question_of_rate(std::uint64_t requests, std::uint64_t sectors, Ps duration) {
  constexpr std::uint64_t kFew = 100;
  constexpr double kMostRate = 20'000;       // requests/s: no disk, and more than a traced volume has for long
  constexpr double kMostBytesRate = 5e9;     // more than any link of a drive
  constexpr double kLeastRate = 1.0 / 1000;  // requests/s
  if (requests < kFew || duration <= 0) return {};
  const double seconds = to_seconds(duration);
  const double rate = static_cast<double>(requests - 1) / seconds;
  const double bytes_rate = static_cast<double>(sectors) * kSectorBytes / seconds;
  std::string text;
  if (rate > kMostRate)
    text = fmt::format("{} requests arrive in {:.3g} s, {:.3g} a second", requests, seconds, rate);
  else if (bytes_rate > kMostBytesRate)
    text = fmt::format("{} requests ask for {:.3g} MB/s", requests, bytes_rate / 1e6);
  else if (rate < kLeastRate)
    text = fmt::format("{} requests arrive in {:.3g} days", requests, seconds / 86'400);
  else
    return {};
  return text + ": is the unit of the times right? The keys of the format or time_scale change it";
}

std::string left_out_text(const Source& source) {
  std::string what;
  std::uint64_t named = 0;
  for (const Source::LeftOut& kind : source.left_out()) {
    what += fmt::format("{}{} ({})", what.empty() ? "" : ", ", kind.what, kind.lines);
    named += kind.lines;
  }
  if (source.dropped() > named)
    what += fmt::format("{}outside the drive ({})", what.empty() ? "" : ", ", source.dropped() - named);
  return what.empty() ? what
                      : fmt::format("{} of the input {} left out: {}",
                                    source.dropped() == 1 ? "1 request" : fmt::format("{} requests", source.dropped()),
                                    source.dropped() == 1 ? "was" : "were", what);
}

}  // namespace armature::workload
