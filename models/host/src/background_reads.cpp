#include "armature/host/background_reads.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::host {

BackgroundReads::BackgroundReads(const HostParams& params, std::uint64_t sectors, std::uint32_t logical)
    : outstanding_(static_cast<std::size_t>(params.background_outstanding)),
      sectors_(static_cast<std::uint32_t>(params.background_sectors)),
      ranges_(params.background_ranges) {
  if (ranges_.empty()) ranges_.push_back({0, static_cast<std::int64_t>(sectors)});
  if (sectors_ % logical != 0)
    throw InputError(fmt::format("host.background_sectors is {}; a logical sector has {}", sectors_, logical));
  for (const BackgroundRange& range : ranges_) {
    if (range.first % logical != 0 || range.sectors % logical != 0)
      throw InputError(fmt::format("host.background_ranges: {} sectors from {} on; a logical sector has {}",
                                   range.sectors, range.first, logical));
    if (static_cast<std::uint64_t>(range.first) >= sectors ||
        static_cast<std::uint64_t>(range.sectors) > sectors - static_cast<std::uint64_t>(range.first))
      throw InputError(fmt::format("host.background_ranges: {} sectors from {} on: the drive has {}", range.sectors,
                                   range.first, sectors));
  }
}

std::optional<BlockCommand> BackgroundReads::next(unsigned tag, Ps at) {
  if (!may_send()) return std::nullopt;
  const BackgroundRange& range = ranges_[range_];
  const std::uint64_t left = static_cast<std::uint64_t>(range.sectors) - done_;
  BlockCommand command;
  command.lbn = Lbn(static_cast<std::uint64_t>(range.first) + done_);
  command.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, sectors_));
  command.background = true;
  done_ += command.sectors;
  if (done_ == static_cast<std::uint64_t>(range.sectors)) {
    ++range_;
    done_ = 0;
  }
  out_.push_back({tag, command.sectors, at});
  return command;
}

bool BackgroundReads::owns(unsigned tag) const {
  return std::any_of(out_.begin(), out_.end(), [tag](const Out& out) { return out.tag == tag; });
}

void BackgroundReads::ended(unsigned tag, const CommandStatus& status, Ps at) {
  const auto out = std::find_if(out_.begin(), out_.end(), [tag](const Out& each) { return each.tag == tag; });
  ++counters_.reads;
  counters_.response += at - out->sent;
  if (status.ok) {
    counters_.sectors += out->sectors;
  } else {
    ++counters_.failed;
    ++(status.gave_up ? counters_.gave_up : counters_.errors[status.error]);
  }
  out_.erase(out);
}

}  // namespace armature::host
