// Surfaces with sectors of their own in a zone: each sector of small disks is held against a walk along the mapping.
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/media/format.h"
#include "armature/media/geometry.h"
#include "support/geometry_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace armature::media {
namespace {

std::int64_t sectors_on(const GeometryParams& params, std::size_t zone, std::int64_t surface) {
  for (const SurfaceSectors& row : params.surface_sectors)
    if (row.zone == static_cast<std::int64_t>(zone) && row.surface == surface) return row.sectors;
  return params.zones[zone].sectors_per_track;
}

struct WalkedTrack {
  std::uint32_t cylinder, head;
  std::int64_t sectors;
  double angle;  // of its first sector, revolutions
};

/// Tracks of a zone in the order of the mapping.
std::vector<WalkedTrack> walk(const GeometryParams& params, std::size_t z) {
  const ZoneParams& zone = params.zones[z];
  const bool bands = has_bands(params.mapping);
  const std::int64_t width = bands ? params.serpentine_band_cylinders : 1;
  std::vector<WalkedTrack> tracks;
  double angle = 0;
  std::int64_t group = 0;
  for (std::int64_t first = zone.first_cylinder; first <= zone.last_cylinder; first += width, ++group) {
    const std::int64_t here = std::min(width, zone.last_cylinder - first + 1);
    const bool alternates = params.mapping == Mapping::alternating || params.mapping == Mapping::serpentine_alternating;
    const bool backwards =
        (alternates && group % 2 == 1) || (params.mapping == Mapping::alternating_odd && first % 2 == 1);
    for (std::int64_t nth = 0; nth < params.heads; ++nth) {
      const std::int64_t head = backwards ? params.heads - 1 - nth : nth;
      for (std::int64_t i = 0; i < here; ++i) {
        if (!tracks.empty()) angle += nth > 0 && i == 0 ? zone.track_skew : zone.cylinder_skew;
        const std::int64_t cylinder =
            first + (bands && nth % 2 == 1 && params.mapping != Mapping::inward_bands ? here - 1 - i : i);
        tracks.push_back({static_cast<std::uint32_t>(cylinder), static_cast<std::uint32_t>(head),
                          sectors_on(params, z, head), angle});
      }
    }
  }
  return tracks;
}

void expect_walk_agrees(const GeometryParams& params) {
  const Geometry disk(params);
  std::uint64_t lbn = 0, physical = 0;
  for (std::size_t z = 0; z < params.zones.size(); ++z) {
    const std::vector<WalkedTrack> tracks = walk(params, z);
    std::int64_t all = 0;
    for (const WalkedTrack& track : tracks) all += track.sectors;
    std::set<std::int64_t> bad;
    for (const SlippedSector& slip : params.slips)
      if (slip.zone == static_cast<std::int64_t>(z)) bad.insert(slip.sector);
    std::int64_t left = all - params.zones[z].spares, sector_of_zone = 0;
    std::uint64_t number = 0;
    for (const WalkedTrack& track : tracks) {
      std::uint32_t on_track = 0;
      for (std::uint32_t sector = 0; sector < track.sectors; ++sector, ++sector_of_zone, ++physical) {
        Location at;
        at.cylinder = track.cylinder;
        at.head = track.head;
        at.sector = sector;
        ASSERT_EQ(disk.physical(at), physical);
        ASSERT_EQ(disk.track_of_zone(at), number);
        if (left == 0 || bad.count(sector_of_zone)) {
          ASSERT_FALSE(disk.lbn_of(track.cylinder, track.head, sector));
          continue;
        }
        ASSERT_EQ(disk.lbn_of(track.cylinder, track.head, sector), lbn);
        const Location found = disk.locate(lbn);
        ASSERT_EQ(found.cylinder, track.cylinder) << lbn;
        ASSERT_EQ(found.head, track.head) << lbn;
        ASSERT_EQ(found.sector, sector) << lbn;
        ASSERT_EQ(found.sectors_per_track, track.sectors) << lbn;
        const double angle = static_cast<double>(found.angle.numerator) / static_cast<double>(found.angle.denominator);
        const double expected = track.angle + sector / static_cast<double>(track.sectors);
        ASSERT_NEAR(std::remainder(angle - expected, 1), 0, 1e-6) << lbn;
        const TrackAngle begins = disk.track_angles(found).begin(sector);
        ASSERT_EQ(begins.numerator * found.angle.denominator, found.angle.numerator * begins.denominator) << lbn;
        ASSERT_EQ(disk.track_angles(found).sectors(), track.sectors);
        ASSERT_EQ(disk.run_before(lbn), on_track) << lbn;
        ++on_track;
        ++lbn;
        --left;
      }
      ASSERT_FALSE(disk.lbn_of(track.cylinder, track.head, static_cast<std::uint32_t>(track.sectors)));
      ASSERT_EQ(disk.blocks_on_track(track.cylinder, track.head), on_track);
      if (on_track > 0) {
        ASSERT_EQ(disk.locate(lbn - on_track).run, on_track);
      }
      ++number;
    }
  }
  ASSERT_EQ(disk.sectors(), lbn);
  ASSERT_EQ(disk.physical_sectors(), physical);
}

GeometryParams uneven(Mapping mapping) {
  GeometryParams params;
  params.heads = 3;
  params.mapping = mapping;
  params.serpentine_band_cylinders = 4;
  params.skew_unit = SkewUnit::revolutions;
  params.zones = {{0, 9, 20, 0.25, 0.375, 7}, {10, 16, 16, 0.125, 0.3, 0}};
  params.surface_sectors = {{0, 1, 17}, {0, 2, 22}, {1, 0, 19}};
  return params;
}

TEST(Surfaces, EachMappingWalksOverTracksThatDiffer) {
  for (const Mapping mapping : {Mapping::conventional, Mapping::alternating, Mapping::serpentine,
                                Mapping::alternating_odd, Mapping::serpentine_alternating, Mapping::inward_bands}) {
    SCOPED_TRACE(static_cast<int>(mapping));
    expect_walk_agrees(uneven(mapping));
    if (HasFatalFailure()) return;
  }
}

TEST(Surfaces, SlipsAreCountedOverTracksThatDiffer) {
  GeometryParams params = uneven(Mapping::serpentine_alternating);
  params.slips = {{0, 3}, {0, 79}, {0, 80}, {0, 400}};
  expect_walk_agrees(params);
}

TEST(Surfaces, RandomDisksAgreeWithAWalk) {
  RandomStream random(20, "surfaces");
  for (int disk = 0; disk < 60; ++disk) {
    SCOPED_TRACE(disk);
    GeometryParams params;
    params.heads = 1 + static_cast<std::int64_t>(random.below(5));
    params.mapping = static_cast<Mapping>(random.below(6));
    params.serpentine_band_cylinders = 1 + static_cast<std::int64_t>(random.below(6));
    params.skew_unit = SkewUnit::revolutions;
    std::int64_t next = 0;
    const std::uint64_t zones = 1 + random.below(3);
    for (std::uint64_t z = 0; z < zones; ++z) {
      const std::int64_t cylinders = 1 + static_cast<std::int64_t>(random.below(14));
      params.zones.push_back({next, next + cylinders - 1, 1 + static_cast<std::int64_t>(random.below(20)),
                              static_cast<double>(random.below(64)) / 64, static_cast<double>(random.below(64)) / 64,
                              0});
      next += cylinders;
      for (std::int64_t surface = 0; surface < params.heads; ++surface)
        if (random.below(2) == 0)
          params.surface_sectors.push_back(
              {static_cast<std::int64_t>(z), surface, 1 + static_cast<std::int64_t>(random.below(20))});
      std::int64_t all = 0;
      for (std::int64_t surface = 0; surface < params.heads; ++surface)
        all += cylinders * sectors_on(params, z, surface);
      params.zones.back().spares = all / 4;
      std::set<std::int64_t> slips;
      for (std::int64_t i = 0; i < all / 8; ++i)
        slips.insert(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(all))));
      for (const std::int64_t slip : slips)
        if (slip < all / 2) params.slips.push_back({static_cast<std::int64_t>(z), slip});
    }
    expect_walk_agrees(params);
    if (HasFatalFailure()) return;
  }
}

TEST(Surfaces, ABlockThatMovesLiesInASpareOfItsZone) {
  Geometry disk(uneven(Mapping::conventional));
  const std::uint64_t first_spare = 10 * (20 + 17 + 22) - 7;
  EXPECT_EQ(disk.reallocate(5), first_spare);
  EXPECT_EQ(disk.physical(5), first_spare);
  const Location at = disk.locate(5);
  EXPECT_EQ(at.cylinder, 9u);
  EXPECT_EQ(at.head, 2u);
  EXPECT_EQ(at.sector, 15u);
  EXPECT_EQ(at.sectors_per_track, 22u);
  EXPECT_EQ(disk.lbn_of(9, 2, 15), 5u);
  EXPECT_EQ(disk.blocks_on_track(9, 2), 16u);
  EXPECT_EQ(disk.blocks_on_track(0, 0), 19u);
}

TEST(Surfaces, SparesOfCylindersAreCountedOverTracksThatDiffer) {
  GeometryParams params = uneven(Mapping::alternating);
  params.spare_range_cylinders = 1;
  params.zones[0].spares = 3;
  const Geometry disk(params);
  EXPECT_EQ(disk.blocks_on_cylinder(4), 20u + 17 + 22 - 3);
  EXPECT_EQ(disk.locate(2 * (59 - 3)).cylinder, 2u);
}

TEST(Surfaces, ACylinderIsAsFastAsItsDensestSurface) {
  const Geometry disk(uneven(Mapping::conventional));
  EXPECT_EQ(disk.sectors_per_track(0), 22u);
  EXPECT_EQ(disk.sectors_per_track(12), 19u);
}

TEST(Surfaces, AZonesRateAndCapacityAreThoseOfItsSurfacesTogether) {
  const GeometryParams params = uneven(Mapping::conventional);
  const std::vector<ZoneFormat> zones = zone_formats(params, {}, 6000);
  EXPECT_EQ(zones[0].bytes, 512u * (10 * (20 + 17 + 22) - 7));
  EXPECT_NEAR(zones[1].media_mb_s, 512e-6 * (19 + 16 + 16) / 3.0 * 100, 1e-9);
}

TEST(Surfaces, WhatDoesNotFitIsAnInputErrorThatNamesTheRow) {
  const auto message = [](const auto& change) {
    GeometryParams params = uneven(Mapping::conventional);
    change(params);
    return testing::geometry_message(params);
  };
  EXPECT_EQ(message([](auto&) {}), "accepted");
  EXPECT_EQ(message([](auto& p) {
              p.surface_sectors = {{2, 0, 5}};
            }),
            "geometry.surface_sectors row 1: there is no zone 2");
  EXPECT_EQ(message([](auto& p) {
              p.surface_sectors = {{0, 0, 5}, {0, 3, 5}};
            }),
            "geometry.surface_sectors row 2: there is no surface 3");
  EXPECT_EQ(message([](auto& p) {
              p.surface_sectors = {{0, 0, 65'536}};
            }),
            "geometry.surface_sectors row 1: sectors per track must be 1 to 65535, not 65536");
  EXPECT_EQ(message([](auto& p) {
              p.surface_sectors = {{0, 1, 5}, {0, 1, 6}};
            }),
            "geometry.surface_sectors row 2: surface 1 of zone 0 has a row already");
  EXPECT_NE(message([](auto& p) { p.skew_unit = SkewUnit::sectors; }).find("needs geometry.skew_unit"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.spares_per_track = true; }).find("geometry.surface_sectors: not with"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.ranges = 3; }).find("surface_sectors: not with arms.range"), std::string::npos);
  EXPECT_NE(message([](auto& p) {
              p.physical_sector_bytes = 4096;
              p.zones = {{0, 9, 24, 0.25, 0.375, 8}};
              p.surface_sectors = {{0, 1, 17}};
            }).find("multiple of 8"),
            std::string::npos);
  FormatParams format;
  format.servo_wedges = 100;
  EXPECT_THROW(formatted(uneven(Mapping::conventional), format, 6000), InputError);
}

}  // namespace
}  // namespace armature::media
