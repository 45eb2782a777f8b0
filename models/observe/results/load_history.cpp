#include "armature/observe/load_history.h"

#include "armature/core/request.h"

#include <algorithm>

namespace armature::observe {

LoadHistory::Interval& LoadHistory::Interval::operator+=(const Interval& other) {
  requests += other.requests;
  bytes += other.bytes;
  response += other.response;
  if (other.longest <= longest) return *this;
  longest = other.longest;
  longest_id = other.longest_id;
  return *this;
}

LoadHistory::LoadHistory(std::uint32_t cylinders, Ps revolution)
    : cylinders_(std::max<std::uint32_t>(cylinders, 1)), revolution_(std::max<Ps>(revolution, 1)) {}

void LoadHistory::arrived(const Arrival&) {
  ++depths_[std::min(depth_, kDepths - 1)];
  ++depth_;
}

void LoadHistory::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  if (depth_ > 0) --depth_;
  const std::uint64_t bytes = record.ok && record.operation != Operation::flush ? record.sectors * 512ULL : 0;
  intervals_.at(record.completion) += {1, bytes, static_cast<double>(record.response()), record.response(), record.id};
  if (record.accesses == 0) return;
  const auto bin = [](double part) { return std::min(static_cast<std::size_t>(part * kBins), kBins); };
  ++seeks_[bin(static_cast<double>(record.seek_cylinders) / static_cast<double>(cylinders_))];
  const Ps wait = record.phases[static_cast<std::size_t>(Phase::rotation)];
  ++waits_[bin(static_cast<double>(wait) / static_cast<double>(revolution_))];
}

}  // namespace armature::observe
