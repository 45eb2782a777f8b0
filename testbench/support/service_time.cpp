#include "support/service_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace armature::testing {

std::vector<std::int64_t> blocks_by_cylinder(const DiskForIntegration& disk) {
  std::vector<std::int64_t> blocks;
  for (std::size_t z = 0; z < disk.zones.size(); ++z) {
    const DiskForIntegration::Zone& zone = disk.zones[z];
    const auto begin = static_cast<std::size_t>(zone.first_cylinder);
    blocks.resize(begin);  // cylinders of no zone hold nothing
    blocks.resize(begin + static_cast<std::size_t>(zone.last_cylinder - zone.first_cylinder + 1),
                  disk.heads * zone.sectors_per_track);
    for (const auto& front : disk.zone_fronts) {
      if (front.zone != static_cast<std::int64_t>(z)) continue;
      std::int64_t reserved = front.reserved;
      for (std::size_t c = begin; reserved > 0; ++c) {
        const std::int64_t off = std::min(reserved, blocks[c]);
        blocks[c] -= off;
        reserved -= off;
      }
    }
    if (disk.spare_range_cylinders > 0) {
      const std::int64_t width = disk.spare_range_cylinders;
      for (std::int64_t range = 0; zone.first_cylinder + (range + 1) * width - 1 <= zone.last_cylinder; ++range) {
        std::int64_t left = zone.spares;
        for (std::int64_t c = zone.first_cylinder + (range + 1) * width - 1; left > 0; --c) {
          std::int64_t& here = blocks[static_cast<std::size_t>(c)];
          const std::int64_t off = std::min(left, here);
          here -= off;
          left -= off;
        }
      }
      continue;
    }
    // The spares are the last sectors in the order of the mapping: take them off track by track, backwards.
    std::int64_t left = zone.spares;
    const auto take = [&](std::int64_t cylinder) {
      const std::int64_t off = std::min(left, zone.sectors_per_track);
      blocks[begin + static_cast<std::size_t>(cylinder - zone.first_cylinder)] -= off;
      left -= off;
    };
    if (!disk.serpentine) {
      for (std::int64_t c = zone.last_cylinder; left > 0; --c) {
        for (std::int64_t head = 0; head < disk.heads && left > 0; ++head) take(c);
      }
      continue;
    }
    const std::int64_t bands = (zone.last_cylinder - zone.first_cylinder) / disk.band_cylinders + 1;
    for (std::int64_t band = bands - 1; left > 0; --band) {
      const std::int64_t outer = zone.first_cylinder + band * disk.band_cylinders;
      const std::int64_t inner = std::min(outer + disk.band_cylinders - 1, zone.last_cylinder);
      for (std::int64_t head = disk.heads - 1; head >= 0 && left > 0; --head) {
        // Even heads run inwards, so backwards they begin at the inner end.
        for (std::int64_t i = 0; i <= inner - outer && left > 0; ++i) take(head % 2 == 0 ? inner - i : outer + i);
      }
    }
  }
  if (disk.blocks > 0) {
    std::int64_t left = disk.blocks;
    for (std::int64_t& here : blocks) {
      here = std::min(here, left);
      left -= here;
    }
  }
  return blocks;
}

std::vector<double> pairs_by_distance(const std::vector<std::int64_t>& blocks) {
  // R(d) = sum over c of W(c) W(c + d). W has few steps; with D its differences, the autocorrelation of D is
  // 2 R(d) - R(d - 1) - R(d + 1), which is zero except at distances between two steps. Summing it up twice gives R
  // in time of steps squared plus cylinders, in exact integers.
  const auto n = static_cast<std::int64_t>(blocks.size());
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // cylinder, difference to the one before
  for (std::int64_t c = 0; c <= n; ++c) {
    const std::int64_t here = c < n ? blocks[static_cast<std::size_t>(c)] : 0;
    const std::int64_t before = c > 0 ? blocks[static_cast<std::size_t>(c - 1)] : 0;
    if (here != before) steps.emplace_back(c, here - before);
  }
  if (steps.size() > 40'000) throw std::invalid_argument("pairs_by_distance: too many steps for this method");
  std::map<std::int64_t, __int128> second;  // of differences, by distance
  for (const auto& [c, difference] : steps) {
    for (const auto& [c2, difference2] : steps) {
      if (c2 >= c) second[c2 - c] += static_cast<__int128>(difference) * difference2;
    }
  }
  std::vector<double> pairs(blocks.size());
  __int128 r = 0;
  for (const std::int64_t w : blocks) r += static_cast<__int128>(w) * w;
  __int128 slope = -second[0] / 2;  // R(1) - R(0), as R(-1) = R(1)
  for (std::int64_t d = 0; d < n; ++d) {
    pairs[static_cast<std::size_t>(d)] = static_cast<double>(r);
    if (d > 0) {
      const auto found = second.find(d);
      if (found != second.end()) slope -= found->second;
    }
    r += slope;
  }
  return pairs;
}

MeanService mean_service(const DiskForIntegration& disk, std::uint32_t sectors, bool write) {
  const auto blocks = blocks_by_cylinder(disk);
  const auto pairs = pairs_by_distance(blocks);
  double capacity = 0;
  for (const std::int64_t w : blocks) capacity += static_cast<double>(w);
  const double all_pairs = capacity * capacity;
  const double same_head = 1.0 / static_cast<double>(disk.heads);
  const double settle = write ? disk.write_settle_ms : 0;

  MeanService mean;
  for (std::uint32_t d = 0; d < pairs.size(); ++d) {
    const double share = (d == 0 ? 1 : 2) * pairs[d] / all_pairs;
    if (share <= 0) continue;
    const double move = d == 0 ? 0 : disk.seek_ms(d);
    mean.seek += share * (same_head * move + (1 - same_head) * std::max(move, disk.head_switch_ms));
    mean.write_settle += share * (d == 0 ? 1 - same_head : 1) * settle;  // the track under the head is settled
  }

  const double turn = 60'000 / disk.rpm;
  mean.rotation = turn / 2;
  for (const DiskForIntegration::Zone& zone : disk.zones) {
    const std::int64_t tracks = (zone.last_cylinder - zone.first_cylinder + 1) * disk.heads;
    double in_zone = static_cast<double>(tracks * zone.sectors_per_track - zone.spares);
    if (disk.spare_range_cylinders > 0 || disk.blocks > 0 || !disk.zone_fronts.empty()) {
      in_zone = 0;
      for (std::int64_t c = zone.first_cylinder; c <= zone.last_cylinder; ++c)
        in_zone += static_cast<double>(blocks[static_cast<std::size_t>(c)]);
    }
    const double share = in_zone / capacity;
    const double per_track = static_cast<double>(zone.sectors_per_track);
    mean.transfer += share * sectors / per_track * turn;
    // Of the tracks' ends, one in `heads` (serpentine: all but one in `band`) is followed by a cylinder switch.
    const double cylinder_switch =
        disk.serpentine ? 1 - 1.0 / static_cast<double>(disk.band_cylinders) : 1.0 / static_cast<double>(disk.heads);
    const double skew =
        cylinder_switch * std::floor(zone.cylinder_skew) + (1 - cylinder_switch) * std::floor(zone.track_skew);
    mean.track_switches += share * (sectors - 1) / per_track * skew / per_track * turn;
  }
  return mean;
}

}  // namespace armature::testing
