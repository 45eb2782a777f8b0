#include "armature/mems/background.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace armature::mems {

BackgroundReading::BackgroundReading(const Layout& layout, std::uint32_t reach, std::uint64_t seed)
    : layout_(layout),
      reach_(reach),
      random_(seed, "background"),
      read_(layout.blocks()),
      busy_(layout.parts()),
      wanted_(layout.blocks()),
      wanted_at_(layout.blocks() / layout.tracks() / layout.cells(), layout.tracks() * layout.cells()) {
  begin();
}

BackgroundReading::BackgroundReading(const Layout& layout, std::uint32_t reach, std::uint64_t seed,
                                     const std::vector<BlockRange>& list)
    : layout_(layout),
      reach_(reach),
      random_(seed, "background"),
      read_(layout.blocks(), true),
      busy_(layout.parts()),
      wanted_(0),
      wanted_at_(layout.blocks() / layout.tracks() / layout.cells()) {
  begin();
  for (const BlockRange& range : list) {
    const auto first = static_cast<std::uint64_t>(range.lbn), count = static_cast<std::uint64_t>(range.sectors);
    if (first >= layout.blocks() || count > layout.blocks() - first)
      throw InputError(fmt::format("tips.free_list: the store has only blocks 0 to {}", layout.blocks() - 1));
    for (std::uint64_t i = 0; i < count; ++i) want_again(first + i);
  }
}

void BackgroundReading::begin() {
  for (std::uint32_t track = 0; track < layout_.tracks(); ++track)
    for (std::uint32_t cell = 0; cell < layout_.cells(); ++cell) {
      BlockPlace place;
      place.track = track;
      place.cell = cell;
      parts_.push_back(layout_.part_of(layout_.locate(layout_.lbn_of(place))));
    }
}

void BackgroundReading::want_again(std::uint64_t lbn) {
  if (!read_[lbn]) return;
  read_[lbn] = false;
  ++wanted_;
  ++wanted_at_[position_of(layout_.locate(lbn))];
}

const std::vector<std::uint64_t>& BackgroundReading::pass(const std::vector<std::uint64_t>& blocks) {
  ridden_.clear();
  ride(blocks);
  return ridden_;
}

void BackgroundReading::ride(const std::vector<std::uint64_t>& blocks) {
  std::fill(busy_.begin(), busy_.end(), false);
  for (const std::uint64_t lbn : blocks) {
    const BlockPlace place = layout_.locate(lbn);
    take(lbn, place);
    busy_[layout_.part_of(place)] = true;
  }
  fill(layout_.locate(blocks.front()), layout_.cells() - static_cast<std::uint32_t>(blocks.size()));
}

const std::vector<std::uint64_t>& BackgroundReading::serve(std::uint64_t lbn, std::uint32_t sectors) {
  ridden_.clear();
  const std::uint64_t end = lbn + sectors;
  while (lbn < end) {
    own_.resize(layout_.blocks_of_a_pass(lbn, end));
    std::iota(own_.begin(), own_.end(), lbn);
    ride(own_);
    lbn += own_.size();
  }
  return ridden_;
}

void BackgroundReading::fill(BlockPlace place, std::uint32_t room) {
  const auto groups = static_cast<std::uint32_t>(parts_.size());
  const auto begin = static_cast<std::uint32_t>(random_.below(groups));
  find_cylinders(place);
  for (std::uint32_t i = 0; i < groups && room > 0 && !near_.empty(); ++i) {
    const std::uint32_t group = (begin + i) % groups;
    const std::uint32_t part = parts_[group];
    if (busy_[part]) continue;
    place.track = group / layout_.cells();
    place.cell = group % layout_.cells();
    for (const std::uint32_t cylinder : near_) {
      place.cylinder = cylinder;
      const std::uint64_t lbn = layout_.lbn_of(place);
      if (!take(lbn, place)) continue;
      ridden_.push_back(lbn);
      busy_[part] = true;
      --room;
      break;
    }
  }
}

void BackgroundReading::find_cylinders(BlockPlace place) {
  near_.clear();
  const std::int64_t middle = place.cylinder, cylinders = layout_.cylinders();
  // 0, +1, -1, +2, -2, ... cylinders aside.
  for (std::int64_t step = 0; step <= 2 * std::int64_t{reach_}; ++step) {
    const std::int64_t cylinder = middle + (step % 2 == 1 ? (step + 1) / 2 : -step / 2);
    if (cylinder < 0 || cylinder >= cylinders) continue;
    place.cylinder = static_cast<std::uint32_t>(cylinder);
    if (wanted_at_[position_of(place)] > 0) near_.push_back(place.cylinder);
  }
}

std::size_t BackgroundReading::position_of(const BlockPlace& place) const {
  return (std::size_t{place.sled} * layout_.cylinders() + place.cylinder) * layout_.rows() + place.row;
}

bool BackgroundReading::take(std::uint64_t lbn, const BlockPlace& place) {
  if (read_[lbn]) return false;
  read_[lbn] = true;
  --wanted_;
  --wanted_at_[position_of(place)];
  return true;
}

}  // namespace armature::mems
