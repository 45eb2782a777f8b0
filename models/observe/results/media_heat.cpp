#include "armature/observe/media_heat.h"

#include <algorithm>

namespace armature::observe {

MediaHeat::MediaHeat(const std::vector<ZoneDescription>& zones, std::uint32_t cylinders) : by_zone_(zones.size() > 1) {
  if (by_zone_) {
    const std::size_t together = (zones.size() + kMostZones - 1) / kMostZones;
    for (std::size_t i = 0; i < zones.size(); i += together) {
      const ZoneDescription& last = zones[std::min(i + together, zones.size()) - 1];
      Band band;
      band.first_cylinder = zones[i].first_cylinder;
      band.last_cylinder = last.last_cylinder;
      band.sectors_per_track = zones[i].sectors_per_track == last.sectors_per_track ? last.sectors_per_track : 0;
      bands_.push_back(band);
    }
    return;
  }
  const std::uint64_t all = std::max(cylinders, 1u);
  const std::uint64_t count = std::min<std::uint64_t>(kBands, all);
  for (std::uint64_t i = 0; i < count; ++i) {
    Band band;
    band.first_cylinder = static_cast<std::uint32_t>(i * all / count);
    band.last_cylinder = static_cast<std::uint32_t>((i + 1) * all / count - 1);
    if (zones.size() == 1) band.sectors_per_track = zones[0].sectors_per_track;
    bands_.push_back(band);
  }
}

void MediaHeat::completed(const CompletedRequest& request) {
  for (const AccessTiming& timing : request.accesses) {
    // The last band that begins at or before the cylinder. Cylinders between zones hold no blocks.
    const auto behind = std::upper_bound(bands_.begin(), bands_.end(), timing.access.cylinder,
                                         [](std::uint32_t c, const Band& band) { return c < band.first_cylinder; });
    Band& band = behind == bands_.begin() ? bands_.front() : *(behind - 1);
    ++(request.record.operation == Operation::write ? band.writes : band.reads);
    band.positioning += timing.moved;
    band.rotation += timing.access.first_sector_at - timing.go_at;
    band.transfer += timing.access.done_at - timing.access.first_sector_at;
  }
}

}  // namespace armature::observe
