#include "armature/media/geometry.h"

#include "armature/core/error.h"
#include "armature/core/random.h"
#include "support/geometry_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace armature::media {
namespace {

struct TrackAt {
  std::uint32_t cylinder;
  std::uint32_t head;
  bool new_band = false;  // the first of its band
};

/// Row of `bands` of the zone that begins at a cylinder; null: none.
const ZoneBands* band_row(const GeometryParams& params, std::uint32_t first) {
  for (const auto& row : params.bands)
    if (params.zones[static_cast<std::size_t>(row.zone)].first_cylinder == first) return &row;
  return nullptr;
}

/// The tracks of one zone in the order of the mapping, by walking it.
std::vector<TrackAt> tracks_of(const GeometryParams& params, std::uint32_t first, std::uint32_t last) {
  const auto heads = static_cast<std::uint32_t>(params.heads);
  std::vector<TrackAt> tracks;
  const bool alternating = params.mapping == Mapping::serpentine_alternating;
  if (alternating || params.mapping == Mapping::serpentine) {
    const auto* const row = band_row(params, first);
    const auto band = static_cast<std::uint32_t>(row ? row->cylinders : params.serpentine_band_cylinders);
    bool upwards = !row || !row->backwards;
    for (std::uint32_t begin = first; begin <= last; begin += band) {
      const std::uint32_t end = std::min(begin + band - 1, last);
      bool inwards = true;
      for (std::uint32_t n = 0; n < heads; ++n, inwards = !inwards) {
        for (std::uint32_t i = 0; i <= end - begin; ++i)
          tracks.push_back({inwards ? begin + i : end - i, upwards ? n : heads - 1 - n, n == 0 && i == 0});
      }
      if (alternating) upwards = !upwards;
    }
    return tracks;
  }
  bool forwards = true;
  for (std::uint32_t cylinder = first; cylinder <= last; ++cylinder) {
    for (std::uint32_t i = 0; i < heads; ++i) tracks.push_back({cylinder, forwards ? i : heads - 1 - i});
    if (params.mapping == Mapping::alternating) forwards = !forwards;
  }
  return tracks;
}

/// Where each remapped block lies, by walking the spares of its zone: block -> sector of the whole disk.
struct Remapped {
  std::map<std::uint64_t, std::uint64_t> spare_of;
  std::map<std::uint64_t, std::uint64_t> block_in;
};

Remapped walk_remaps(const GeometryParams& params) {
  const std::uint64_t unit = static_cast<std::uint64_t>(params.physical_sector_bytes) / 512;
  Remapped remapped;
  std::uint64_t first_lbn = 0, first_sector = 0;
  for (std::size_t z = 0; z < params.zones.size(); ++z) {
    const auto& zone = params.zones[z];
    const auto raw = static_cast<std::uint64_t>(zone.cylinders() * zone.sectors_per_track * params.heads);
    const std::uint64_t blocks = raw - static_cast<std::uint64_t>(zone.spares);
    std::set<std::uint64_t> slips;
    for (const auto& slip : params.slips)
      for (std::uint64_t j = 0; j < unit && slip.zone == static_cast<std::int64_t>(z); ++j)
        slips.insert(static_cast<std::uint64_t>(slip.sector) + j);
    std::vector<std::uint64_t> spares;  // of this zone: good sectors behind the last block
    std::uint64_t seen = 0;
    for (std::uint64_t sector = 0; sector < raw; ++sector) {
      if (slips.count(sector)) continue;
      if (seen++ >= blocks) spares.push_back(first_sector + sector);
    }
    std::set<std::uint64_t> named;
    const auto mine = [&](const RemappedBlock& row) {
      const auto lbn = static_cast<std::uint64_t>(row.lbn);
      return lbn >= first_lbn && lbn < first_lbn + blocks;
    };
    for (const auto& row : params.remaps)
      if (mine(row) && row.spare >= 0) named.insert(static_cast<std::uint64_t>(row.spare));
    for (const auto& row : params.remaps) {
      if (!mine(row)) continue;
      std::uint64_t spare = 0;
      if (row.spare >= 0) {
        spare = static_cast<std::uint64_t>(row.spare);
      } else {
        while (named.count(spare)) ++spare;
        named.insert(spare);
      }
      for (std::uint64_t j = 0; j < unit; ++j) {
        const std::uint64_t lbn = static_cast<std::uint64_t>(row.lbn) + j;
        remapped.spare_of[lbn] = spares.at(spare * unit + j);
        remapped.block_in[spares.at(spare * unit + j)] = lbn;
      }
    }
    first_lbn += blocks;
    first_sector += raw;
  }
  return remapped;
}

/// Walks the whole disk sector by sector and holds `geometry` against it.
void expect_walk_agrees(const GeometryParams& params) {
  const Geometry geometry(params);
  const std::uint64_t unit = static_cast<std::uint64_t>(params.physical_sector_bytes) / 512;
  const Remapped remapped = walk_remaps(params);
  ASSERT_EQ(geometry.physical_sector_bytes(), unit * 512);
  std::uint64_t lbn = 0, of_disk = 0;
  for (std::size_t z = 0; z < params.zones.size(); ++z) {
    const auto& zone = params.zones[z];
    const auto first = static_cast<std::uint32_t>(zone.first_cylinder),
               last = static_cast<std::uint32_t>(zone.last_cylinder);
    const auto per_track = static_cast<std::uint32_t>(zone.sectors_per_track);
    std::set<std::uint64_t> slips;
    for (const auto& slip : params.slips) {
      for (std::uint64_t j = 0; j < unit && slip.zone == static_cast<std::int64_t>(z); ++j)
        slips.insert(static_cast<std::uint64_t>(slip.sector) + j);
    }
    const auto tracks = tracks_of(params, first, last);
    const std::uint64_t blocks = tracks.size() * per_track - static_cast<std::uint64_t>(zone.spares);

    std::uint64_t in_zone = 0, sector_of_zone = 0;
    std::uint32_t start_angle = 0;  // of the track's first sector, in sectors
    for (std::size_t n = 0; n < tracks.size(); ++n) {
      const auto [cylinder, head, new_band] = tracks[n];
      if (n > 0) {
        const bool same_cylinder = tracks[n - 1].cylinder == cylinder;
        const auto* const row = new_band ? band_row(params, first) : nullptr;
        const double skew = row ? row->skew : same_cylinder ? zone.track_skew : zone.cylinder_skew;
        start_angle = (start_angle + static_cast<std::uint32_t>(skew)) % per_track;
      }
      std::vector<std::uint32_t> sectors_with_blocks;
      std::uint32_t in_spares = 0, gone = 0;
      for (std::uint32_t sector = 0; sector < per_track; ++sector, ++sector_of_zone, ++of_disk) {
        Location here;
        here.cylinder = cylinder;
        here.head = head;
        here.sector = sector;
        ASSERT_EQ(geometry.physical(here), of_disk);
        if (slips.count(sector_of_zone) || in_zone == blocks) {
          const auto block = remapped.block_in.find(of_disk);
          if (block == remapped.block_in.end()) {
            ASSERT_FALSE(geometry.lbn_of(cylinder, head, sector));
            continue;
          }
          ++in_spares;
          ASSERT_EQ(geometry.lbn_of(cylinder, head, sector), block->second);
          const Location at = geometry.locate(block->second);
          ASSERT_EQ(std::make_tuple(at.cylinder, at.head, at.sector), std::make_tuple(cylinder, head, sector));
          ASSERT_EQ(at.sectors_per_track, per_track);
          ASSERT_EQ(at.run, unit - block->second % unit);
          ASSERT_EQ(at.even, at.run);
          ASSERT_EQ(geometry.run_before(block->second), block->second % unit);
          ASSERT_EQ(at.angle.numerator, (start_angle + sector) % per_track);
          ASSERT_EQ(geometry.physical(block->second), of_disk);
          continue;
        }
        sectors_with_blocks.push_back(sector);
        ++in_zone;
      }
      const std::uint64_t track_begin = of_disk - per_track;
      for (std::size_t i = 0; i < sectors_with_blocks.size(); ++i, ++lbn) {
        const std::uint32_t sector = sectors_with_blocks[i];
        if (remapped.spare_of.count(lbn)) {
          ++gone;
          ASSERT_FALSE(geometry.lbn_of(cylinder, head, sector)) << "a defective sector holds nothing";
          continue;
        }
        std::uint64_t run = 1;
        while (i + run < sectors_with_blocks.size() && !remapped.spare_of.count(lbn + run)) ++run;
        std::uint64_t even = 1, before = 0;
        while (even < run && sectors_with_blocks[i + even] == sector + even) ++even;
        while (before < i && !remapped.spare_of.count(lbn - before - 1)) ++before;
        ASSERT_EQ(geometry.physical(lbn), track_begin + sector);
        const Location at = geometry.locate(lbn);
        ASSERT_EQ(std::make_tuple(at.cylinder, at.head, at.sector), std::make_tuple(cylinder, head, sector)) << lbn;
        ASSERT_EQ(at.sectors_per_track, per_track);
        ASSERT_EQ(at.run, run) << lbn;
        ASSERT_EQ(at.even, even) << lbn;
        ASSERT_EQ(geometry.run_before(lbn), before) << lbn;
        ASSERT_EQ(at.angle.denominator, per_track);
        ASSERT_EQ(at.angle.numerator, (start_angle + sector) % per_track) << lbn;
        ASSERT_EQ(geometry.lbn_of(cylinder, head, sector), lbn);
      }
      ASSERT_EQ(geometry.blocks_on_track(cylinder, head), sectors_with_blocks.size() - gone + in_spares);
    }
    ASSERT_EQ(in_zone, blocks);
    for (std::uint32_t cylinder = first; cylinder <= last; ++cylinder) {
      ASSERT_EQ(geometry.zone_of(cylinder), z);
      ASSERT_EQ(geometry.sectors_per_track(cylinder), per_track);
    }
  }
  ASSERT_EQ(geometry.sectors(), lbn);
  ASSERT_EQ(geometry.physical_sectors(), of_disk);
  std::uint64_t on_cylinders = 0;
  for (std::uint32_t cylinder = 0; cylinder < geometry.cylinders(); ++cylinder)
    on_cylinders += geometry.blocks_on_cylinder(cylinder);
  ASSERT_EQ(on_cylinders, lbn);
  ASSERT_FALSE(geometry.lbn_of(geometry.cylinders(), 0, 0));
  ASSERT_FALSE(geometry.lbn_of(0, geometry.heads(), 0));
  ASSERT_FALSE(geometry.lbn_of(0, 0, geometry.sectors_per_track(0)));
}

GeometryParams small_disk(std::int64_t heads, Mapping mapping, std::int64_t band = 3) {
  GeometryParams params;
  params.heads = heads;
  params.mapping = mapping;
  params.serpentine_band_cylinders = band;
  params.zones = {{0, 6, 11, 3, 5, 0}, {7, 7, 9, 2, 4, 1}, {8, 18, 7, 6, 6, 4}, {19, 20, 5, 0, 0, 0}};
  return params;
}

TEST(Geometry, EveryBlockOfASmallDiskLiesWhereAWalkAlongTheMappingFindsIt) {
  for (const Mapping mapping :
       {Mapping::conventional, Mapping::alternating, Mapping::serpentine, Mapping::serpentine_alternating}) {
    for (const std::int64_t heads : {1, 2, 3, 4, 5}) {
      for (const std::int64_t band : {1, 2, 3, 5, 7, 100}) {
        SCOPED_TRACE(::testing::Message()
                     << "mapping " << static_cast<int>(mapping) << ", " << heads << " heads, band of " << band);
        expect_walk_agrees(small_disk(heads, mapping, band));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Geometry, AZoneMayHaveBandsOfItsOwn) {
  for (const Mapping mapping : {Mapping::serpentine, Mapping::serpentine_alternating}) {
    for (const std::int64_t heads : {1, 2, 3, 4}) {
      GeometryParams params = small_disk(heads, mapping, 3);
      params.bands = {{0, 2, 7, 1}, {2, 4, 0, 0}, {3, 1, 4, 1}};
      params.zones[0].spares = 5;
      params.slips = {{0, 0}, {0, 10}, {2, 40}};
      expect_walk_agrees(params);
      if (HasFatalFailure()) return;
    }
  }
  // Head 2 inwards over cylinders 0 and 1, then head 1 outwards; the second band begins on head 0.
  GeometryParams params = small_disk(3, Mapping::serpentine_alternating, 3);
  params.bands = {{0, 2, 7, 1}};
  const Geometry disk(params);
  EXPECT_EQ(disk.locate(0).head, 2u);
  EXPECT_EQ(disk.locate(11).cylinder, 1u);
  EXPECT_EQ(disk.locate(22).cylinder, 1u);
  EXPECT_EQ(disk.locate(22).head, 1u);
  EXPECT_EQ(disk.locate(66).cylinder, 2u);
  EXPECT_EQ(disk.locate(66).head, 0u);
  EXPECT_EQ(disk.locate(66).angle.numerator, (3 * 5 + 2 * 3 + 7) % 11)
      << "three cylinder and two head switches, a band";
}

TEST(Geometry, SlippedSectorsMoveTheBlocksBehindThemAndUseUpSpares) {
  for (const Mapping mapping : {Mapping::conventional, Mapping::alternating, Mapping::serpentine}) {
    GeometryParams params = small_disk(3, mapping);
    params.zones[0].spares = 5;
    // First sector, a pair across a track edge, neighbours, and one among the spares.
    params.slips = {{0, 0}, {0, 10}, {0, 11}, {0, 50}, {0, 230}, {2, 100}, {2, 0}};
    expect_walk_agrees(params);
    if (HasFatalFailure()) return;
  }
}

TEST(Geometry, RemappedBlocksLieInSparesOfTheirZoneAndLeaveTheOthersWhereTheyAre) {
  for (const Mapping mapping : {Mapping::conventional, Mapping::alternating, Mapping::serpentine}) {
    GeometryParams params = small_disk(3, mapping);
    params.zones[0].spares = 9;
    params.slips = {{0, 5}, {0, 226}, {0, 228}};  // two of them among the spares
    // First and last of the zone, neighbours, a block behind a track's edge; a chosen spare between free ones.
    params.remaps = {{0, -1}, {221, 1}, {10, -1}, {11, -1}, {9, 5}, {223 + 3, -1}, {222 + 26 + 15, 2}};
    expect_walk_agrees(params);
    if (HasFatalFailure()) return;
    const Geometry geometry(params);
    const Geometry without = [&] {
      GeometryParams plain = params;
      plain.remaps.clear();
      return Geometry(plain);
    }();
    EXPECT_EQ(geometry.sectors(), without.sectors());
    EXPECT_EQ(geometry.locate(8).run, 1u) << "ends before the remapped block";
    EXPECT_EQ(geometry.locate(6).run, 3u);
    EXPECT_EQ(geometry.physical(12), without.physical(12)) << "not moved, unlike behind a slip";
  }
}

TEST(Geometry, PhysicalSectorsOf4096BytesAreSlippedAndRemappedWhole) {
  GeometryParams params;
  params.heads = 2;
  params.physical_sector_bytes = 4096;
  params.zones = {{0, 3, 32, 3, 5, 48}, {4, 9, 24, 2, 7, 16}};
  params.slips = {{0, 8}, {0, 232}, {1, 0}};
  params.remaps = {{16, -1}, {0, 2}, {208 + 40, 0}};
  expect_walk_agrees(params);
  const Geometry geometry(params);
  EXPECT_EQ(geometry.locate(18).run, 6u) << "to the end of its physical sector";
}

/// Blocks that move while the drive is at work lie where the same rows of `remaps` put them.
void expect_reallocated(GeometryParams params, const std::vector<std::uint64_t>& blocks) {
  Geometry at_work(params);
  std::vector<PhysicalSector> places;
  for (const std::uint64_t lbn : blocks) {
    params.remaps.push_back({static_cast<std::int64_t>(lbn), -1});
    const auto place = at_work.reallocate(lbn);
    ASSERT_TRUE(place) << lbn;
    places.push_back(*place);
  }
  const Geometry made(params);
  for (std::uint64_t lbn = 0; lbn < made.sectors(); ++lbn) {
    ASSERT_EQ(at_work.physical(lbn), made.physical(lbn)) << lbn;
    const Location a = at_work.locate(lbn), b = made.locate(lbn);
    ASSERT_EQ(std::tie(a.cylinder, a.head, a.sector, a.run), std::tie(b.cylinder, b.head, b.sector, b.run)) << lbn;
    ASSERT_EQ(at_work.lbn_of(a.cylinder, a.head, a.sector), lbn);
  }
}

TEST(Geometry, BlocksThatMoveLaterLieAsIfTheyHadBeenRemappedFromTheStart) {
  GeometryParams params;
  params.heads = 2;
  params.zones = {{0, 2, 16, 2, 3, 9}, {3, 4, 12, 2, 3, 5}};
  params.slips = {{0, 5}, {0, 90}, {1, 40}};
  expect_reallocated(params, {3, 86, 4, 0, 95, 90});
  params.remaps = {{10, 1}};
  expect_reallocated(params, {86, 11, 120});
}

TEST(Geometry, ABlockThatMovesStaysOnOtherDisksOfTheSameLayout) {
  GeometryParams params;
  params.heads = 1;
  params.zones = {{0, 0, 16, 0, 0, 2}, {1, 1, 16, 0, 0, 3}};
  Geometry one(params), other(params);
  EXPECT_EQ(one.reallocate(3), 14u);
  EXPECT_EQ(other.physical(3), 3u);
  EXPECT_EQ(other.reallocate(4), 14u);
  EXPECT_EQ(one.physical(4), 4u);
  EXPECT_EQ(one.reallocate(5), 15u);
}

TEST(Geometry, AZoneWithoutAFreeSpareMovesNothing) {
  GeometryParams params;
  params.heads = 1;
  params.zones = {{0, 0, 16, 0, 0, 2}, {1, 1, 16, 0, 0, 3}};
  Geometry geometry(params);
  EXPECT_EQ(geometry.reallocate(3), 14u);
  EXPECT_EQ(geometry.reallocate(3), 15u);  // the first spare is bad, too, and is not used again
  EXPECT_EQ(geometry.reallocate(4), std::nullopt);
  EXPECT_EQ(geometry.physical(4), 4u);
  EXPECT_EQ(geometry.physical(3), 15u);
  EXPECT_EQ(geometry.lbn_of(0, 0, 14), std::nullopt);
  EXPECT_EQ(geometry.reallocate(14), 29u);  // of the other zone
  // What a list says is taken only if it can be.
  EXPECT_FALSE(geometry.reallocate(15, 14));
  EXPECT_FALSE(geometry.reallocate(15, 29));
  EXPECT_FALSE(geometry.reallocate(15, 32));
  EXPECT_FALSE(geometry.reallocate(27, 30));
  EXPECT_TRUE(geometry.reallocate(15, 31));
  EXPECT_EQ(geometry.physical(15), 31u);
}

TEST(Geometry, APhysicalSectorOf4096BytesMovesWhole) {
  GeometryParams params;
  params.heads = 2;
  params.physical_sector_bytes = 4096;
  params.zones = {{0, 2, 32, 8, 16, 40}};
  params.slips = {{0, 16}};
  expect_reallocated(params, {24, 0});
  Geometry geometry(params);
  ASSERT_TRUE(geometry.reallocate(29));  // named by a block in its middle
  EXPECT_EQ(geometry.physical(24) + 7, geometry.physical(31));
  EXPECT_EQ(geometry.locate(26).run, 6u);
}

TEST(Geometry, RandomSmallDisksAgreeWithAWalk) {
  RandomStream random(7, "geometry");
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  for (int disk = 0; disk < 300; ++disk) {
    GeometryParams params;
    params.heads = 1 + static_cast<std::int64_t>(random.below(6));
    params.mapping = static_cast<Mapping>(random.below(3));
    params.serpentine_band_cylinders = 1 + static_cast<std::int64_t>(random.below(8));
    std::int64_t cylinder = 0, first_lbn = 0;
    const std::uint64_t zones = 1 + random.below(4);
    for (std::uint64_t z = 0; z < zones; ++z) {
      const std::int64_t last = cylinder + below(12), per_track = 1 + below(40);
      const std::int64_t raw = (last - cylinder + 1) * params.heads * per_track;
      const std::int64_t spares = below(std::min<std::int64_t>(raw, 60));
      const auto track_skew = static_cast<double>(below(per_track)),
                 cylinder_skew = static_cast<double>(below(per_track));
      params.zones.push_back({cylinder, last, per_track, track_skew, cylinder_skew, spares});
      std::set<std::int64_t> slips;
      for (std::int64_t i = 0; i < spares && i < 5; ++i) slips.insert(below(raw));
      for (const std::int64_t slip : slips) params.slips.push_back({static_cast<std::int64_t>(z), slip});
      std::set<std::int64_t> blocks, taken;
      for (auto i = static_cast<std::int64_t>(slips.size()); i < spares && i < 9; ++i)
        blocks.insert(first_lbn + below(raw - spares));
      for (const std::int64_t block : blocks) {
        const std::int64_t spare = below(spares - static_cast<std::int64_t>(slips.size()));
        const bool chosen = random.chance(0.5) && taken.insert(spare).second;
        params.remaps.push_back({block, chosen ? spare : RemappedBlock::kNextSpare});
      }
      first_lbn += raw - spares;
      cylinder = last + 1;
    }
    SCOPED_TRACE(::testing::Message() << "disk " << disk);
    expect_walk_agrees(params);
    if (HasFatalFailure()) return;
  }
}

TEST(Geometry, SkewLetsASwitchEndBeforeTheNextSectorComes) {
  // Two heads, ten sectors: the end of a track and the beginning of the next lie exactly the skew apart.
  GeometryParams params;
  params.heads = 2;
  params.zones = {{0, 9, 10, 2, 3, 0}};
  const Geometry geometry(params);
  EXPECT_EQ(geometry.locate(9).angle.numerator, 9);
  EXPECT_EQ(geometry.locate(10).angle.numerator, 2) << "head switch: track edge at 0, two sectors on";
  EXPECT_EQ(geometry.locate(20).angle.numerator, 5) << "cylinder switch: track edge at 2, three sectors on";
}

/// At another speed a switch passes as many more sectors; a skew of a revolution and more is the same place again.
TEST(Geometry, SkewsAreScaledAndRoundedUp) {
  GeometryParams params;
  params.heads = 2;
  params.zones = {{0, 9, 10, 3, 7, 0}};
  params.zone_fronts = {{0, 0, 4}};
  params.skew_scale = 1.5;
  const Geometry geometry(params);
  EXPECT_EQ(geometry.locate(0).angle.numerator, 4) << "an offset is no skew";
  EXPECT_EQ(geometry.locate(10).angle.numerator, 9) << "4.5, rounded up";
  EXPECT_EQ(geometry.locate(20).angle.numerator, 0) << "10.5: a revolution and, rounded up, one";
  params.skew_unit = SkewUnit::revolutions;
  params.zones = {{0, 9, 10, 0.3, 0.7, 0}};
  params.zone_fronts = {};
  const Geometry fine(params);
  const auto revolutions = [](const TrackAngle& at) {
    return static_cast<double>(at.numerator) / static_cast<double>(at.denominator);
  };
  EXPECT_NEAR(revolutions(fine.locate(10).angle), 0.45, 1e-6);
  EXPECT_NEAR(revolutions(fine.locate(20).angle), 0.5, 1e-6) << "0.45 + 1.05";
}

TEST(Geometry, WhatDoesNotMakeADiskIsAnInputErrorThatNamesTheRow) {
  const auto message = [](const std::function<void(GeometryParams&)>& spoil) -> std::string {
    GeometryParams params = small_disk(2, Mapping::conventional);
    spoil(params);
    return testing::geometry_message(params);
  };
  EXPECT_NE(message([](auto& p) { p.zones[1].first_cylinder = 8; }).find("row 2: first cylinder is 8, but 7"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[1].first_cylinder = 6; }).find("row 2"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[2].last_cylinder = 5; }).find("row 3: last cylinder 5"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0].track_skew = 11; }).find("less than a revolution"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0].cylinder_skew = 12; }).find("less than a revolution"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[3].spares = 20; }).find("leave no block"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0].sectors_per_track = 0; }).find("sectors per track"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones.clear(); }).find("at least one zone"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[3].last_cylinder = 9'000'000; }).find("limit"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.heads = 0; }).find("heads"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.serpentine_band_cylinders = 0; }).find("band"), std::string::npos);
  const auto bands = [&message](const std::vector<ZoneBands>& rows) {
    return message([&rows](auto& p) {
      p.mapping = Mapping::serpentine;
      p.bands = rows;
    });
  };
  EXPECT_NE(message([](auto& p) { p.bands = {{0, 1, 0, false}}; }).find("only the serpentine"), std::string::npos);
  EXPECT_NE(bands({{99, 1, 0, false}}).find("no zone 99"), std::string::npos);
  EXPECT_NE(bands({{0, 1, 0, false}, {0, 1, 0, false}}).find("row 2: zone 0 has a row"), std::string::npos);
  EXPECT_NE(bands({{0, 0, 0, false}}).find("at least 1 cylinder"), std::string::npos);
  EXPECT_NE(bands({{0, 1, 1.5, false}}).find("whole number"), std::string::npos);
  EXPECT_NE(bands({{0, 1, 60'000, false}}).find("less than a revolution"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.slips = {{1, 0}, {1, 1}}; }).find("2 slips, but 1 spares"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.slips = {{2, 9}, {2, 9}}; }).find("slipped twice"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.slips = {{1, 18}}; }).find("outside the zone"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.slips = {{4, 0}}; }).find("no zone 4"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.remaps = {{1'000'000, -1}}; }).find("no block 1000000"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.remaps = {{0, -1}}; }).find("zone 0 has no spare 0"), std::string::npos);
  EXPECT_NE(message([](auto& p) {
              p.remaps = {{154, 0}, {154, -1}};
            }).find("row 2: block 154 is remapped twice"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) {
              p.remaps = {{172, 2}, {173, 2}};
            }).find("spare 2 is taken twice"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.remaps = {{172, 4}}; }).find("no spare 4"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.physical_sector_bytes = 1024; }).find("512 or 4096"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.physical_sector_bytes = 4096; }).find("multiples of 8"), std::string::npos);
  const auto with_4096 = [](auto& p) {
    p.physical_sector_bytes = 4096;
    p.zones = {{0, 9, 16, 0, 0, 8}};
  };
  EXPECT_EQ(message(with_4096), "accepted");
  EXPECT_NE(message([&](auto& p) {
              with_4096(p);
              p.slips = {{0, 4}};
            }).find("geometry.slips row 1: a physical sector begins"),
            std::string::npos);
  EXPECT_NE(message([&](auto& p) {
              with_4096(p);
              p.remaps = {{4, -1}};
            }).find("geometry.remaps row 1: a physical sector begins"),
            std::string::npos);
  EXPECT_NE(message([&](auto& p) {
              with_4096(p);
              p.zones[0].spares = 4;
            }).find("multiples of 8"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::media
