#include "armature/arbiter/sled_cost.h"

#include <algorithm>

namespace armature::arbiter {
namespace {

std::int64_t along(const SledWay& way, bool passes_up, const SledDeparture& sled, bool same_x) {
  if (way.at && same_x && sled.up == passes_up) return 0;  // it moves over the row already
  return way.time + (way.up == sled.up ? 0 : sled.turn);
}

}  // namespace

std::int64_t SledCost::ticks(unsigned arm, const Target& target, std::int64_t edge, std::int64_t most) const {
  const SledDeparture sled = seeks_.departure(arm, edge);
  const auto total = [&sled](std::int64_t way) {
    constexpr std::int64_t kUnit = 1 << SledSeeks::kShift;
    return (sled.leaves + way + kUnit - 1) >> SledSeeks::kShift;
  };
  const bool same_x = sled.x == target.cylinder;
  const SledWay upwards = seeks_.y(sled.y, target.place, true), downwards = seeks_.y(sled.y, target.place, false);
  std::int64_t y = along(upwards, true, sled, same_x);
  if (!downwards.none) y = std::min(y, along(downwards, false, sled, same_x));
  // The memory of X is large: it is asked only for what may win.
  if (total(y) > most) return total(y);
  return total(std::max(y, seeks_.x(sled.x, target.cylinder)));
}

}  // namespace armature::arbiter
