#include "armature/power/power_history.h"

#include <algorithm>
#include <limits>

namespace armature::power {

PowerHistory::PowerHistory(const std::vector<Ps>& windows)
    : progress_(windows.size()), segments_(64), mask_(segments_.size() - 1) {
  for (const Ps length : windows) results_.push_back({length, 0, 0, 0});
  intervals_.reserve(kIntervals);
}

void PowerHistory::flush() {
  if (to_ <= from_) return;
  Nanowatts sum = 0;
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    sum += power_[rail];
    if (power_[rail] > rail_peaks_[rail].power) rail_peaks_[rail] = {power_[rail], from_};
  }
  if (sum > peak_.power) peak_ = {sum, from_};
  if (!progress_.empty()) {
    if (from_ == 0 || sum < least_) least_ = sum;
    if (sum >= peak_.power && peak_.at == from_) {  // windows may grow faster from now on
      look_at_ = 0;
      for (Progress& progress : progress_) progress.look_at = 0;
    }
    push({from_, sum, energy_});
    if (to_ > look_at_) {
      look_at_ = std::numeric_limits<Ps>::max();
      for (std::size_t i = 0; i < progress_.size(); ++i) {
        if (to_ > progress_[i].look_at) slide(i, from_, to_, sum, energy_);
        look_at_ = std::min(look_at_, progress_[i].look_at);
      }
    }
  }
  energy_ += static_cast<Zeptojoules>(sum) * (to_ - from_);
  draw(from_, to_, power_, sum);
}

void PowerHistory::finish() {
  flush();
  from_ = to_;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    Window& window = results_[i];
    window.covers = std::min(window.length, to_);
    if (to_ < window.length) {  // that of the run, which is shorter
      window.most = energy_;
      window.ends = to_;
    }
  }
}

void PowerHistory::push(const Segment& segment) {
  if (behind_ - first_ == segments_.size()) forget(segment.begin);
  segments_[behind_++ & mask_] = segment;
}

/// Makes room in the ring: segments before those in which a window that ends at `at` or later begins.
void PowerHistory::forget(Ps at) {
  first_ = behind_;
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    std::size_t& tail = progress_[i].tail;
    while (tail + 1 < behind_ && segment(tail + 1).begin <= at - results_[i].length) ++tail;
    first_ = std::min(first_, tail);
  }
  if (behind_ - first_ <= segments_.size() / 2) return;
  std::vector<Segment> larger(segments_.size() * 2);
  for (std::size_t i = first_; i < behind_; ++i) larger[i & (larger.size() - 1)] = segments_[i & mask_];
  segments_.swap(larger);
  mask_ = segments_.size() - 1;
}

/// The energy in the window is linear in time between the moments at which power changes at either of its ends, so its
/// maximum is at one of these. It grows at most at the rate of the greatest power at its end and the least at its
/// beginning, and so need not be looked at for a while (but for a window's length at most: what the least power is
/// then at its beginning is known now).
void PowerHistory::slide(std::size_t index, Ps from, Ps to, Nanowatts power, Zeptojoules before) {
  Progress& progress = progress_[index];
  Window& window = results_[index];
  Ps begins = std::max<Ps>(from - window.length, 0);
  while (progress.tail + 1 < behind_ && segment(progress.tail + 1).begin <= begins) ++progress.tail;
  const Segment& tail = segment(progress.tail);
  Zeptojoules inside = before - tail.before - static_cast<Zeptojoules>(tail.power) * (begins - tail.begin);
  for (Ps t = from; t < to;) {
    begins = t - window.length;
    if (begins < 0) {  // not yet as long as the window
      const Ps step = std::min(to - t, -begins);
      inside += static_cast<Zeptojoules>(power) * step;
      t += step;
    } else {
      const bool last = progress.tail + 1 == behind_;
      const Ps ends = last ? to : segment(progress.tail + 1).begin;
      const Ps step = std::min(to - t, ends - begins);
      inside += static_cast<Zeptojoules>(power - segment(progress.tail).power) * step;
      t += step;
      if (!last && t - window.length == ends) ++progress.tail;
    }
    if (t >= window.length && inside > window.most) {
      window.most = inside;
      window.ends = t;
    }
  }
  if (to < window.length) return;
  if (window.most >= static_cast<Zeptojoules>(peak_.power) * window.length) {  // no more to be had until the peak rises
    progress.look_at = std::numeric_limits<Ps>::max();
    return;
  }
  // In floating point, which is quicker, and by far more than its error too early.
  const auto rate = static_cast<double>(std::max<Nanowatts>(peak_.power - least_, 1));
  const double left = 0.999 * static_cast<double>(window.most - inside) / rate;
  progress.look_at = to + static_cast<Ps>(std::min(left, static_cast<double>(window.length)));
}

void PowerHistory::draw(Ps from, Ps to, const RailPower& power, Nanowatts sum) {
  if (to <= last_ends_) {  // nearly always
    Interval& interval = intervals_.back();
    for (std::size_t rail = 0; rail < kRails; ++rail)
      interval.energy[rail] += static_cast<Zeptojoules>(power[rail]) * (to - from);
    interval.most = std::max(interval.most, sum);
    return;
  }
  // Pairs become one. A product would not hold all of time.
  while ((to - 1) / interval_ >= static_cast<Ps>(kIntervals)) {
    const std::size_t pairs = (intervals_.size() + 1) / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      Interval merged = intervals_[2 * i];
      if (2 * i + 1 < intervals_.size()) {
        const Interval& other = intervals_[2 * i + 1];
        for (std::size_t rail = 0; rail < kRails; ++rail) merged.energy[rail] += other.energy[rail];
        merged.most = std::max(merged.most, other.most);
      }
      intervals_[i] = merged;
    }
    intervals_.resize(pairs);
    interval_ *= 2;
  }
  for (Ps t = from; t < to;) {
    Ps ends = static_cast<Ps>(intervals_.size()) * interval_;  // of the last one
    if (t >= ends) {
      intervals_.emplace_back();
      ends += interval_;
    }
    const Ps until = std::min(to, ends);
    Interval& interval = intervals_.back();
    for (std::size_t rail = 0; rail < kRails; ++rail)
      interval.energy[rail] += static_cast<Zeptojoules>(power[rail]) * (until - t);
    interval.most = std::max(interval.most, sum);
    t = until;
  }
  last_ends_ = static_cast<Ps>(intervals_.size()) * interval_;
}

}  // namespace armature::power
