#include "armature/observe/load_history.h"

#include "armature/core/request.h"

#include <algorithm>

namespace armature::observe {
namespace {

void add(LoadHistory::Interval& to, const LoadHistory::Interval& from) {
  to.requests += from.requests;
  to.bytes += from.bytes;
  to.response += from.response;
  if (from.longest <= to.longest) return;
  to.longest = from.longest;
  to.longest_id = from.longest_id;
}

}  // namespace

LoadHistory::LoadHistory(std::uint32_t cylinders, Ps revolution)
    : cylinders_(std::max<std::uint32_t>(cylinders, 1)), revolution_(std::max<Ps>(revolution, 1)) {}

void LoadHistory::arrived(const Arrival&) {
  ++depths_[std::min(depth_, kDepths - 1)];
  ++depth_;
}

void LoadHistory::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  if (depth_ > 0) --depth_;
  while (record.completion / width_ >= static_cast<Ps>(kIntervals)) {  // a product would not hold all of time
    width_ *= 2;
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      if (i % 2 == 0) {
        intervals_[i / 2] = intervals_[i];
      } else {
        add(intervals_[i / 2], intervals_[i]);
      }
    }
    intervals_.resize((intervals_.size() + 1) / 2);
  }
  const auto at = static_cast<std::size_t>(record.completion / width_);
  if (intervals_.size() <= at) intervals_.resize(at + 1);
  const std::uint64_t bytes = record.ok && record.operation != Operation::flush ? record.sectors * 512ULL : 0;
  add(intervals_[at], {1, bytes, static_cast<double>(record.response()), record.response(), record.id});
  if (record.accesses == 0) return;
  const auto bin = [](double part) { return std::min(static_cast<std::size_t>(part * kBins), kBins); };
  ++seeks_[bin(static_cast<double>(record.seek_cylinders) / static_cast<double>(cylinders_))];
  const Ps wait = record.phases[static_cast<std::size_t>(Phase::rotation)];
  ++waits_[bin(static_cast<double>(wait) / static_cast<double>(revolution_))];
}

}  // namespace armature::observe
