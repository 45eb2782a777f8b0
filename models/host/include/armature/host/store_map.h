#pragma once

#include "armature/core/block_address.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace armature::host {

/// Where the blocks of a MEMS store lie, and which of them one pass of its tips serves, from log A0h of the store
/// (docs/guide/mems.md, "Parallel access") and arithmetic alone: what a driver of such a store keeps.
class StoreMap {
 public:
  /// Of the log's page, 512 bytes. Nothing if its numbers make no store.
  static std::optional<StoreMap> parse(const std::uint8_t* page);

  struct Place {
    std::uint64_t sled, cylinder, track, row, cell;
  };
  /// lbn < blocks of all sleds.
  Place locate(Lbn lbn) const;
  /// Blocks with the same part need the same tips, or tips of which one works at a time.
  std::uint64_t part(const Place& place) const { return (place.cell * tracks_ + place.track) / shared_; }
  /// Most blocks of a batch.
  std::size_t most() const { return most_; }
  /// Does the block fit into a pass that serves these? They fit together.
  bool fits(const std::vector<Place>& pass, const Place& block) const;

 private:
  StoreMap() = default;

  std::uint64_t cells_ = 0, tracks_ = 0, rows_ = 0, cylinders_ = 0, shared_ = 0, reach_ = 0, sled_blocks_ = 0;
  bool serpentine_ = false;
  std::size_t most_ = 0;
};

}  // namespace armature::host
