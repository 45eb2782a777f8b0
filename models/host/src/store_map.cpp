#include "armature/host/store_map.h"

#include <algorithm>

namespace armature::host {
namespace {

std::uint64_t dword(const std::uint8_t* page, std::size_t index) {
  std::uint64_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | page[4 * index + i];
  return value;
}

}  // namespace

std::optional<StoreMap> StoreMap::parse(const std::uint8_t* page) {
  constexpr std::uint64_t kVersion = 1;
  StoreMap map;
  map.cells_ = dword(page, 1);
  map.tracks_ = dword(page, 3);
  map.rows_ = dword(page, 4);
  map.cylinders_ = dword(page, 5);
  map.shared_ = dword(page, 7);
  map.reach_ = dword(page, 8);
  map.serpentine_ = dword(page, 9) != 0;
  map.most_ = std::min(dword(page, 10), map.cells_);
  map.sled_blocks_ = dword(page, 11) | dword(page, 12) << 32;
  const bool whole = map.cells_ * map.tracks_ * map.rows_ * map.cylinders_ == map.sled_blocks_;
  if (dword(page, 0) != kVersion || !whole || map.sled_blocks_ == 0 || map.shared_ == 0) return std::nullopt;
  return map;
}

StoreMap::Place StoreMap::locate(Lbn lbn) const {
  const std::uint64_t track_blocks = cells_ * rows_, cylinder_blocks = track_blocks * tracks_;
  const std::uint64_t block = lbn % sled_blocks_;
  Place place{lbn / sled_blocks_, block / cylinder_blocks, block % cylinder_blocks / track_blocks,
              block % track_blocks / cells_, block % cells_};
  // Each track turns round where the one before ended, counted over the cylinders.
  if (serpentine_ && (place.cylinder * tracks_ + place.track) % 2 == 1) place.row = rows_ - 1 - place.row;
  return place;
}

bool StoreMap::fits(const std::vector<Place>& pass, const Place& block) const {
  if (pass.size() >= most_) return false;
  if (pass.empty()) return true;
  const Place& first = pass.front();
  const std::uint64_t apart = std::max(first.cylinder, block.cylinder) - std::min(first.cylinder, block.cylinder);
  if (block.sled != first.sled || block.row != first.row || apart > reach_) return false;
  return std::none_of(pass.begin(), pass.end(), [&](const Place& other) { return part(other) == part(block); });
}

}  // namespace armature::host
