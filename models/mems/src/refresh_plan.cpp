#include "armature/mems/refresh_plan.h"

#include <algorithm>

namespace armature::mems {

RefreshPlan::RefreshPlan(std::uint64_t rows, Ps period, Ps early, Ps interval)
    : rows_(rows), period_(period), early_(early), interval_(interval), last_(rows) {
  const __int128 oldest = (static_cast<__int128>(early) + period) / 2;
  for (std::uint64_t i = 0; i < rows; ++i) {
    last_[i] = -static_cast<Ps>(oldest * static_cast<__int128>(rows - i) / static_cast<__int128>(rows));
    push(i, last_[i]);
  }
}

void RefreshPlan::push(std::uint64_t number, Ps last) {
  const Key key{number, last + period_ - static_cast<Ps>(number) * interval_};
  while (!least_.empty() && least_.back().value >= key.value) least_.pop_back();
  least_.push_back(key);
}

Ps RefreshPlan::forced_from() const {
  return least_.front().value + (static_cast<Ps>(number_) - 1) * interval_;
}

void RefreshPlan::refreshed(Ps t) {
  oldest_ = std::max(oldest_, t - last_[next_]);
  last_[next_] = t;
  push(number_ + rows_, t);
  if (least_.front().number == number_) least_.pop_front();
  ++number_;
  if (++next_ < rows_) return;
  next_ = 0;
  ++rounds_;
}

Ps RefreshPlan::oldest(Ps t) const {
  return std::max(oldest_, t - last_[next_]);
}

}  // namespace armature::mems
