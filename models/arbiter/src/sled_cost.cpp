#include "armature/arbiter/sled_cost.h"

#include <algorithm>

namespace armature::arbiter {
namespace {

std::int64_t along(const SledWay& way, bool passes_up, const SledDeparture& sled, bool same_x) {
  if (way.at && same_x && sled.up == passes_up) return 0;  // it moves over the row already
  return way.time + (way.up == sled.up ? 0 : sled.turn);
}

}  // namespace

std::int64_t SledCost::ticks(unsigned arm, const Target& target, std::int64_t edge) const {
  constexpr std::int64_t kUnit = 1 << SledSeeks::kShift;
  const SledDeparture sled = seeks_.departure(arm, edge);
  const bool same_x = sled.x == target.cylinder;
  const std::int64_t x = seeks_.x(sled.x, target.cylinder);
  const SledWay upwards = seeks_.y(sled.y, target.place, true), downwards = seeks_.y(sled.y, target.place, false);
  std::int64_t least = std::max(x, along(upwards, true, sled, same_x));
  if (!downwards.none) least = std::min(least, std::max(x, along(downwards, false, sled, same_x)));
  return (sled.leaves + least + kUnit - 1) >> SledSeeks::kShift;
}

}  // namespace armature::arbiter
