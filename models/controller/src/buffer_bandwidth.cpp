#include "armature/controller/buffer_bandwidth.h"

#include "armature/core/kernel_time.h"

#include <systemc>

#include <algorithm>
#include <limits>

namespace armature::controller {

void BufferBandwidth::media_moves(unsigned channel, Ps begin, Ps end, std::int64_t bytes_per_second) {
  if (!limited() || begin >= end) return;
  forget_old();
  transfers_.push_back({channel, begin, end, bytes_per_second});
  if (link_) link_->pace_changed();
}

void BufferBandwidth::media_stops(unsigned channel, Ps end) {
  bool changed = false;
  for (Transfer& transfer : transfers_) {
    if (transfer.channel != channel || end >= transfer.end) continue;
    transfer.end = end;  // before its begin, if it was to begin later: it never does
    changed = true;
  }
  if (changed && link_) link_->pace_changed();
}

void BufferBandwidth::start(sata::PacedLink& link, Ps begin, Ps line_time, std::uint32_t bytes) {
  forget_old();
  link_ = &link;
  begin_ = begin;
  line_time_ = line_time;
  bytes_ = bytes;
}

/// Progress is counted in bytes / (10^12 * line_time), so that a picosecond at either rate is a whole number of it.
Ps BufferBandwidth::over() const {
  const __int128 at_line_rate = static_cast<__int128>(bytes_) * kPsPerSecond;
  __int128 left = at_line_rate * line_time_;
  for (Ps t = begin_;;) {
    constexpr Ps kNever = std::numeric_limits<Ps>::max();
    std::int64_t free = limit_;
    Ps change = kNever;
    for (const Transfer& transfer : transfers_) {
      if (transfer.begin <= t && t < transfer.end) free -= transfer.rate;
      if (transfer.begin > t) change = std::min(change, transfer.begin);
      if (transfer.end > t) change = std::min(change, transfer.end);
    }
    const __int128 a_picosecond =
        std::min(at_line_rate, static_cast<__int128>(std::max<std::int64_t>(free, 0)) * line_time_);
    if (a_picosecond > 0) {
      const __int128 needed = (left + a_picosecond - 1) / a_picosecond;
      if (change == kNever || needed <= change - t) return t + static_cast<Ps>(needed);
    } else if (change == kNever) {
      SC_REPORT_FATAL("buffer", "the RAM has no bandwidth for the link, and nothing ends");
      return t;
    }
    left -= a_picosecond * (change - t);
    t = change;
  }
}

void BufferBandwidth::forget_old() {
  const Ps since = link_ ? std::min(begin_, now()) : now();
  transfers_.erase(std::remove_if(transfers_.begin(), transfers_.end(),
                                  [since](const Transfer& transfer) { return transfer.end <= since; }),
                   transfers_.end());
}

}  // namespace armature::controller
