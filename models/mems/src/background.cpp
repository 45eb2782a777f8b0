#include "armature/mems/background.h"

#include <algorithm>

namespace armature::mems {

BackgroundReading::BackgroundReading(const Layout& layout, std::uint32_t reach, std::uint64_t seed)
    : layout_(layout),
      reach_(reach),
      random_(seed, "background"),
      read_(layout.blocks()),
      busy_(layout.parts()),
      wanted_(layout.blocks()) {}

const std::vector<std::uint64_t>& BackgroundReading::serve(std::uint64_t lbn, std::uint32_t sectors) {
  ridden_.clear();
  const std::uint64_t end = lbn + sectors;
  while (lbn < end) {
    const BlockPlace first = layout_.locate(lbn);
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(layout_.cells() - first.cell, end - lbn));
    std::fill(busy_.begin(), busy_.end(), false);
    for (std::uint32_t i = 0; i < count; ++i) {
      take(lbn + i);
      busy_[layout_.part_of(layout_.locate(lbn + i))] = true;
    }
    fill(first, layout_.cells() - count);
    lbn += count;
  }
  return ridden_;
}

void BackgroundReading::fill(const BlockPlace& row, std::uint32_t room) {
  const std::uint32_t groups = layout_.tracks() * layout_.cells();
  const auto begin = static_cast<std::uint32_t>(random_.below(groups));
  const auto cylinders = static_cast<std::int64_t>(layout_.cylinders());
  for (std::uint32_t i = 0; i < groups && room > 0; ++i) {
    const std::uint32_t group = (begin + i) % groups;
    BlockPlace place = row;
    place.track = group / layout_.cells();
    place.cell = group % layout_.cells();
    const std::uint32_t part = layout_.part_of(layout_.locate(layout_.lbn_of(place)));
    if (busy_[part]) continue;
    // 0, +1, -1, +2, -2, ... cylinders aside.
    for (std::int64_t step = 0; step <= 2 * std::int64_t{reach_}; ++step) {
      const std::int64_t cylinder = row.cylinder + (step % 2 == 1 ? (step + 1) / 2 : -step / 2);
      if (cylinder < 0 || cylinder >= cylinders) continue;
      place.cylinder = static_cast<std::uint32_t>(cylinder);
      const std::uint64_t lbn = layout_.lbn_of(place);
      if (!take(lbn)) continue;
      ridden_.push_back(lbn);
      busy_[part] = true;
      --room;
      break;
    }
  }
}

bool BackgroundReading::take(std::uint64_t lbn) {
  if (read_[lbn]) return false;
  read_[lbn] = true;
  --wanted_;
  return true;
}

}  // namespace armature::mems
