// An arm that leaves its track in the midst of an access.
#include "armature/channel/data_channel.h"

#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature::channel {

/// The leading edge of the first sector that passes under the head.
Ps DataChannel::gate_opens() const {
  if (plan_.on()) return plan_.passes.front().begin;
  return access_.leading_edge(access_.first_of_pass());
}

void DataChannel::lose_lock() {
  if (!busy_ || media_end_cause_ || now() >= media_end_) return;
  gate_.cancel();
  end_strayed();
}

/// Looked at one delta cycle later: a sector often begins or ends at the instant of a wedge, and the kernel runs what
/// falls on one instant in any order. What has passed by then has passed, and what begins goes by this wedge.
void DataChannel::arm_strays(std::uint32_t arm) {
  if (busy_ && arm == arm_) strayed_.notify(sc_core::SC_ZERO_TIME);
}

void DataChannel::check_gate() {
  if (!busy_ || media_end_cause_ || now() >= media_end_) return;
  gate_.cancel();
  if (!arms_[arm_]->strays(write_)) return;
  const Ps opens = gate_opens();
  if (now() >= opens)
    end_strayed();
  else
    gate_.notify(to_sc_time(opens - now()));
}

/// Ends the access here: what has passed is moved, what a decoder still works on is waited for.
void DataChannel::end_strayed() {
  const Ps at = now();
  if (accounted_) requests_->access_strayed(tag_, at);
  media_end_cause_ = Cause::strayed;
  gate_probe_.set(false);
  cancel_mark();
  if (path_.buffer) path_.buffer->media_stops(at);
  if (plan_.on()) {
    std::size_t kept = 0;
    while (kept < plan_.passes.size() && plan_.passes[kept].end <= at) ++kept;
    keep_passes(access_.any_order() ? 0 : kept);
    end_at(at, std::max(at, plan_.on() ? plan_.done() : at));
    return;
  }
  const std::uint32_t ordered = access_.sectors();
  const std::uint32_t moved = access_.any_order() || !rotation() ? 0 : moved_at(at);
  access_.shorten(moved);
  if (write_ && keeps() && rotation() && moved < ordered && access_.leading_edge(moved) < at)
    for (std::uint32_t i = 0; i < unit_; ++i) path_.contents->spoil(geometry_.physical(access_.lba() + moved + i));
  end_at(at, at);
}

}  // namespace armature::channel
