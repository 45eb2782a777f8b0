#include "armature/mems/equivalence.h"

#include <algorithm>

namespace armature::mems {
namespace {

/// Does the track turn the order of its rows round? By the parity of its number over the cylinders.
bool odd_track(const Layout& layout, std::uint64_t track_of_sled) {
  const bool serpentine = layout.reversed(0, 1) || (layout.tracks() == 1 && layout.reversed(1, 0));
  return serpentine && track_of_sled % 2 == 1;
}

}  // namespace

EquivalenceClasses::Position EquivalenceClasses::position(std::uint64_t lbn) const {
  const std::uint64_t st = layout_.blocks_per_track(), sc = layout_.blocks_per_cylinder();
  const std::uint64_t on_sled = lbn % layout_.blocks_per_sled();
  const std::uint64_t x = on_sled / sc;
  const std::uint64_t row = on_sled % st / layout_.cells();
  // Ny x is even whenever Ny is, so that the parity starts anew in each cylinder then.
  const std::uint64_t parity = on_sled % sc / st + layout_.tracks() * x;
  return {lbn / layout_.blocks_per_sled(), x, odd_track(layout_, parity) ? layout_.rows() - 1 - row : row};
}

std::vector<std::uint64_t> EquivalenceClasses::members(const Position& at) const {
  const std::uint64_t nx = layout_.cells(), ny = layout_.tracks();
  const std::uint64_t first = at.x > reach_ ? at.x - reach_ : 0;
  const std::uint64_t last = std::min<std::uint64_t>(at.x + reach_, layout_.cylinders() - 1);
  std::vector<std::uint64_t> lbns;
  for (std::uint64_t x = first; x <= last; ++x)
    for (std::uint64_t i = 0; i < nx * ny; ++i) {
      const std::uint64_t row = odd_track(layout_, i / nx + ny * x) ? layout_.rows() - 1 - at.y : at.y;
      lbns.push_back(at.sled * layout_.blocks_per_sled() + layout_.blocks_per_cylinder() * x +
                     layout_.blocks_per_track() * (i / nx) + nx * row + i % nx);
    }
  return lbns;
}

std::vector<std::uint64_t> EquivalenceClasses::by_formula(std::uint64_t lbn) const {
  return members(position(lbn));
}

std::vector<std::uint64_t> EquivalenceClasses::by_search(std::uint64_t lbn) const {
  const BlockPlace mine = layout_.locate(lbn);
  std::vector<std::uint64_t> lbns;
  const std::uint64_t begin = mine.sled * layout_.blocks_per_sled();
  for (std::uint64_t other = begin; other < begin + layout_.blocks_per_sled(); ++other) {
    const BlockPlace place = layout_.locate(other);
    const std::uint32_t apart =
        place.cylinder > mine.cylinder ? place.cylinder - mine.cylinder : mine.cylinder - place.cylinder;
    if (place.row == mine.row && apart <= reach_) lbns.push_back(other);
  }
  return lbns;
}

EquivalenceClasses::Obstacle EquivalenceClasses::obstacle(const std::vector<std::uint64_t>& lbns) const {
  std::vector<BlockPlace> served;
  for (std::size_t i = 0; i < lbns.size(); ++i) {
    const BlockPlace place = layout_.locate(lbns[i]);
    const BlockPlace& first = i == 0 ? place : served.front();
    const std::uint32_t apart =
        place.cylinder > first.cylinder ? place.cylinder - first.cylinder : first.cylinder - place.cylinder;
    if (place.sled != first.sled || place.row != first.row || apart > reach_) return {Obstacle::elsewhere, i, 0};
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (layout_.conflict(place, served[earlier])) return {Obstacle::conflict, i, earlier};
    if (i == layout_.cells()) return {Obstacle::too_many, i, 0};
    served.push_back(place);
  }
  return {};
}

EquivalenceClasses::Check EquivalenceClasses::check() const {
  Check result;
  std::vector<std::vector<std::uint64_t>> at(std::uint64_t{layout_.cylinders()} * layout_.rows());
  // Sleds are alike: the blocks of the first are enough for the classes, and all are looked at for their positions.
  for (std::uint64_t lbn = 0; lbn < layout_.blocks(); ++lbn) {
    const BlockPlace place = layout_.locate(lbn);
    const Position formula = position(lbn);
    ++result.blocks;
    if (formula.sled != place.sled || formula.x != place.cylinder || formula.y != place.row) ++result.wrong_positions;
    if (place.sled == 0) at[std::uint64_t{place.cylinder} * layout_.rows() + place.row].push_back(lbn);
  }
  for (std::uint64_t x = 0; x < layout_.cylinders(); ++x)
    for (std::uint64_t y = 0; y < layout_.rows(); ++y) {
      std::vector<std::uint64_t> found;
      const std::uint64_t first = x > reach_ ? x - reach_ : 0;
      const std::uint64_t last = std::min<std::uint64_t>(x + reach_, layout_.cylinders() - 1);
      for (std::uint64_t other = first; other <= last; ++other) {
        const auto& members = at[other * layout_.rows() + y];
        found.insert(found.end(), members.begin(), members.end());
      }
      ++result.classes;
      if (members({0, x, y}) != found) ++result.wrong_classes;
    }
  return result;
}

}  // namespace armature::mems
