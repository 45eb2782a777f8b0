#pragma once

#include "armature/media/contents.h"
#include "armature/media/geometry.h"
#include "armature/media/translation.h"

#include <cstdint>

namespace armature::media {

/// A disk's layout as its translation block sees it. A block that moves to a spare cannot be read there until it is
/// written: nothing that belongs to it stands there yet.
class DiskLayout final : public BlockLayout {
 public:
  /// Both must outlive it. `contents`: null if they are not modelled.
  DiskLayout(Geometry& geometry, Contents* contents) : geometry_(geometry), contents_(contents) {}

  std::uint64_t blocks() const override { return geometry_.sectors(); }
  Place locate_block(std::uint64_t lbn) const override;
  std::uint32_t blocks_before(std::uint64_t lbn) const override { return geometry_.run_before(lbn); }
  std::uint32_t track_sectors(std::uint64_t lbn) const override { return geometry_.locate(lbn).sectors_per_track; }
  bool move_to_spare(std::uint64_t lbn) override;

 private:
  Geometry& geometry_;
  Contents* const contents_;
};

}  // namespace armature::media
