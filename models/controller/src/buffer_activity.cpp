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
  media_.push_back({channel, begin, end});
  announce();
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

bool BufferActivity::active_at(Ps t) const {
  return link_ || std::any_of(media_.begin(), media_.end(),
                              [t](const Transfer& transfer) { return transfer.begin <= t && t < transfer.end; });
}

/// What is known of the time from now on. The link's end is not, so it says so when it comes.
void BufferActivity::announce() {
  const Ps present = now();
  media_.erase(std::remove_if(media_.begin(), media_.end(),
                              [present](const Transfer& transfer) { return transfer.end <= present; }),
               media_.end());
  std::vector<Ps>& edges = edges_;
  edges.clear();
  for (const Transfer& transfer : media_) {
    if (transfer.begin > present) edges.push_back(transfer.begin);
    edges.push_back(transfer.end);
  }
  std::sort(edges.begin(), edges.end());
  bool active = active_at(present);
  state_.enter(active, present);
  for (const Ps edge : edges) {
    if (active_at(edge) == active) continue;
    active = !active;
    state_.enter(active, edge);
  }
}

}  // namespace armature::controller
