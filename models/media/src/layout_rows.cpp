#include "layout_rows.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::media {
namespace {

enum { kFirst, kLast, kPerTrack, kTrackSkew, kCylinderSkew, kSpares, kZoneColumns };
enum { kFrontZone, kFrontReserved, kFrontOffset, kFrontColumns };

struct Front {
  double reserved = 0;
  double offset = 0;
};

bool whole(double value) {
  return value >= 0 && value <= 1e15 && value == std::floor(value);
}

std::vector<Front> fronts(const GeometryParams& params) {
  std::vector<Front> of_zones(params.zones.size());
  for (std::size_t i = 0; i < params.zone_fronts.size(); ++i) {
    const auto& row = params.zone_fronts[i];
    const auto fail = [i](const std::string& what) {
      return InputError(fmt::format("geometry.zone_fronts row {}: {}", i + 1, what));
    };
    if (row.size() != kFrontColumns) throw fail("needs 3 numbers");
    if (!whole(row[kFrontZone]) || row[kFrontZone] >= static_cast<double>(of_zones.size()))
      throw fail(fmt::format("there is no zone {}", row[kFrontZone]));
    const auto zone = static_cast<std::size_t>(row[kFrontZone]);
    if (!whole(row[kFrontReserved]) || !whole(row[kFrontOffset])) throw fail("must hold whole numbers");
    if (params.zones[zone].size() == kZoneColumns && row[kFrontOffset] >= params.zones[zone][kPerTrack])
      throw fail("an offset must be less than a revolution");
    if (of_zones[zone].reserved > 0 || of_zones[zone].offset > 0)
      throw fail(fmt::format("zone {} has a row already", zone));
    of_zones[zone] = {row[kFrontReserved], row[kFrontOffset]};
  }
  return of_zones;
}

}  // namespace

GeometryParams expanded(const GeometryParams& params) {
  GeometryParams plain = params;
  plain.zones.clear();
  plain.slips.clear();
  const std::vector<Front> front_of = fronts(params);
  const auto heads = static_cast<double>(params.heads);
  const auto range = static_cast<double>(params.spare_range_cylinders);
  if (params.spare_range_cylinders < 0) throw InputError("geometry.spare_range_cylinders must not be negative");
  if (range > 0 && params.mapping != static_cast<int>(Mapping::conventional))
    throw InputError("geometry.spare_range_cylinders needs the conventional mapping");
  const double unit = params.physical_sector_bytes == 4096 ? 8 : 1;

  for (std::size_t i = 0; i < params.slips.size(); ++i) {
    const auto& slip = params.slips[i];
    if (slip.size() == 2 && !(whole(slip[0]) && slip[0] < static_cast<double>(params.zones.size())))
      throw InputError(fmt::format("geometry.slips row {}: there is no zone {}", i + 1, slip[0]));
    if (slip.size() != 2 || !whole(slip[1]))
      throw InputError(fmt::format("geometry.slips row {}: needs 2 whole numbers", i + 1));
  }

  for (std::size_t z = 0; z < params.zones.size(); ++z) {
    const auto& zone = params.zones[z];
    const auto fail = [z](const std::string& what) {
      return InputError(fmt::format("geometry.zones row {}: {}", z + 1, what));
    };
    if (zone.size() != kZoneColumns) throw fail(fmt::format("needs {} numbers, has {}", +kZoneColumns, zone.size()));
    for (std::size_t column = 0; column < kZoneColumns; ++column)
      if (!whole(zone[column]))
        throw fail(fmt::format("column {} must be a whole number, not {}", column + 1, zone[column]));
    const double next = z == 0 ? 0 : params.zones[z - 1][kLast] + 1;
    if (params.cylinder_gaps && z > 0 ? zone[kFirst] < next : zone[kFirst] != next)
      throw fail(fmt::format("first cylinder is {}, but {} comes next", zone[kFirst], next));
    if (zone[kLast] < zone[kFirst])
      throw fail(fmt::format("last cylinder {} lies before the first, {}", zone[kLast], zone[kFirst]));
    if (zone[kLast] >= Geometry::kMaxCylinders)
      throw fail(fmt::format("cylinder {} is over the limit of {}", zone[kLast], Geometry::kMaxCylinders - 1));

    const double width = range > 0 ? range : zone[kLast] - zone[kFirst] + 1;
    const double sectors_of_range = width * heads * zone[kPerTrack];
    const std::size_t first_row = plain.zones.size();
    for (double first = zone[kFirst]; first <= zone[kLast]; first += width) {
      const double last = std::min(first + width - 1, zone[kLast]);
      // As in DiskSim (sparing scheme 8): only a whole range has spares.
      const double spares = range > 0 && last - first + 1 < width ? 0 : zone[kSpares];
      const double skew =
          front_of[z].offset + (first - zone[kFirst]) * ((heads - 1) * zone[kTrackSkew] + zone[kCylinderSkew]);
      plain.zones.push_back({first, last, zone[kPerTrack], zone[kTrackSkew], zone[kCylinderSkew], spares,
                             zone[kPerTrack] > 0 ? std::fmod(skew, zone[kPerTrack]) : 0, static_cast<double>(z + 1)});
    }
    // A slip lies in the range of its sector; the last range may be shorter, then the zone's end is checked later.
    for (const auto& slip : params.slips) {
      if (slip[0] != static_cast<double>(z)) continue;
      const double in_range = sectors_of_range > 0 ? std::floor(slip[1] / sectors_of_range) : 0;
      const double row =
          std::min(static_cast<double>(first_row) + in_range, static_cast<double>(plain.zones.size() - 1));
      plain.slips.push_back({row, slip[1] - (row - static_cast<double>(first_row)) * sectors_of_range});
    }
    if (front_of[z].reserved > 0) {
      if (front_of[z].reserved > sectors_of_range) throw fail("what is reserved at its front is more than it holds");
      if (std::fmod(front_of[z].reserved, unit) != 0)
        throw fail("a number of reserved sectors must be a multiple of 8 with physical sectors of 4096 bytes");
      plain.zones[first_row][kSpares] += front_of[z].reserved;
      for (double sector = 0; sector < front_of[z].reserved; sector += unit)
        plain.slips.push_back({static_cast<double>(first_row), sector});
    }
  }

  if (params.blocks < 0) throw InputError("geometry.blocks must not be negative");
  if (params.blocks > 0) {
    auto left = static_cast<double>(params.blocks);
    std::size_t rows = 0;
    for (; rows < plain.zones.size() && left > 0; ++rows) {
      auto& zone = plain.zones[rows];
      const double holds = (zone[kLast] - zone[kFirst] + 1) * heads * zone[kPerTrack] - zone[kSpares];
      if (holds > left) zone[kSpares] += holds - left;
      left -= std::min(holds, left);
    }
    if (left > 0)
      throw InputError(fmt::format("geometry.blocks: the zones hold {} blocks fewer than {}", left, params.blocks));
    plain.zones.resize(rows);
    const auto dropped = [rows](const std::vector<double>& slip) { return slip[0] >= static_cast<double>(rows); };
    plain.slips.erase(std::remove_if(plain.slips.begin(), plain.slips.end(), dropped), plain.slips.end());
  }
  return plain;
}

}  // namespace armature::media
