#include "armature/media/disk_layout.h"

#include "armature/core/block_address.h"
#include "armature/core/conversions.h"

#include <optional>

namespace armature::media {

BlockLayout::Place DiskLayout::locate_block(std::uint64_t lbn) const {
  const Location at = geometry_.locate(lbn);
  const auto ticks = static_cast<std::uint32_t>(at.angle.numerator * kTicksPerTurn / at.angle.denominator);
  return {at.cylinder, at.head, ticks, at.run};
}

bool DiskLayout::move_to_spare(std::uint64_t lbn) {
  const std::optional<PhysicalSector> place = geometry_.reallocate(lbn);
  if (!place) return false;
  if (!contents_) return true;
  const std::uint32_t unit = geometry_.physical_sector_bytes() / kSectorBytes;
  for (std::uint32_t i = 0; i < unit; ++i) contents_->spoil(*place + i);
  contents_->reallocated({lbn - lbn % unit, *place});
  return true;
}

}  // namespace armature::media
