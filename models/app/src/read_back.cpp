#include "read_back.h"

#include <algorithm>

namespace armature::app {
namespace {

constexpr std::uint64_t kMostSectors = 256;  // of a read
constexpr unsigned kMostOut = 8;

}  // namespace

workload::Source::Next ReadBack::next(workload::Request& request) {
  if (!load_ended_) {
    const Next next = load_->next(request);
    if (next == Next::request) {
      ++out_;
      next_id_ = std::max(next_id_, request.id + 1);
      last_ = std::max(last_, request.arrival);
    }
    if (next != Next::end) return next;
    load_ended_ = true;
    first_own_ = next_id_;
  }
  if (out_ > 0 && !planned_) return Next::after_completion;
  if (!planned_) plan();
  if (stretches_.empty()) return out_ > 0 ? Next::after_completion : Next::end;  // one of them may fail, and go on
  if (out_ >= kMostOut) return Next::after_completion;
  Stretch& stretch = stretches_.front();
  workload::Request read;
  read.id = next_id_++;
  read.arrival = last_;
  read.lbn = stretch.lbn;
  read.sectors = static_cast<std::uint32_t>(std::min(kMostSectors, stretch.end - stretch.lbn));
  stretch.lbn += read.sectors;
  if (stretch.lbn == stretch.end) stretches_.pop_front();
  ++out_;
  request = read;
  return Next::request;
}

void ReadBack::plan() {
  planned_ = true;
  for (const std::uint64_t lbn : check_->written_sectors()) {
    if (!stretches_.empty() && stretches_.back().end == lbn)
      ++stretches_.back().end;
    else
      stretches_.push_back({lbn, lbn + 1});
  }
}

void ReadBack::ended(const workload::Request& request, const host::CommandStatus& status) {
  const std::uint64_t end = request.lbn.value() + request.sectors, behind = status.lbn.value() + logical_;
  if (request.id < first_own_ || status.ok || behind <= request.lbn.value() || behind >= end) return;
  stretches_.push_front({behind, end});
}

void ReadBack::completed(const workload::Request& request, Ps at) {
  --out_;
  last_ = std::max(last_, at);
  if (request.id < first_own_) load_->completed(request, at);
}

}  // namespace armature::app
