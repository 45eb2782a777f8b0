#include "armature/controller/buffer_activity.h"

#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature::controller {

void BufferActivity::declare(StateSink* sink, const std::string& path) {
  wanted_ = sink && sink->wants(path);
  if (wanted_) state_.declare(sink, {path, {"idle", "active"}});
}

void BufferActivity::media_moves(unsigned channel, Ps begin, Ps end) {
  if (!wanted_ || begin >= end) return;
  const bool behind_all = !link_ && announced_ > now() && begin > announced_;
  media_.push_back({channel, begin, end});
  if (!behind_all) return announce();
  // A read with many retries has thousands of stretches, one after the other.
  state_.enter(1, begin);
  state_.enter(0, end);
  announced_ = end;
}

void BufferActivity::media_stops(unsigned channel, Ps end) {
  if (!wanted_) return;
  for (Transfer& transfer : media_)
    if (transfer.channel == channel) transfer.end = std::min(transfer.end, end);
  announce();
}

void BufferActivity::link_moves(bool moves) {
  if (!wanted_ || moves == link_) return;
  link_ = moves;
  announce();
}

/// What is known of the time from now on. The link's end is not, so it says so when it comes.
void BufferActivity::announce() {
  const Ps present = now();
  media_.erase(
      std::remove_if(media_.begin(), media_.end(),
                     [present](const Transfer& transfer) { return transfer.end <= std::max(present, transfer.begin); }),
      media_.end());
  announced_ = present;
  unsigned moving = link_ ? 1 : 0;
  edges_.clear();
  for (const Transfer& transfer : media_) {
    if (transfer.begin > present)
      edges_.push_back({transfer.begin, 1});
    else
      ++moving;
    edges_.push_back({transfer.end, -1});
    announced_ = std::max(announced_, transfer.end);
  }
  // At the same instant beginnings come first, so that what follows without a gap stays active.
  std::sort(edges_.begin(), edges_.end(),
            [](const Edge& a, const Edge& b) { return a.at != b.at ? a.at < b.at : a.change > b.change; });
  bool active = moving > 0;
  state_.enter(active, present);
  for (const Edge& edge : edges_) {
    moving += static_cast<unsigned>(edge.change);
    if ((moving > 0) == active) continue;
    active = !active;
    state_.enter(active, edge.at);
  }
}

}  // namespace armature::controller
