#include "armature/media/geometry.h"

#include "armature/core/error.h"
#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace armature::media {
namespace {

struct TrackAt {
  std::uint32_t cylinder;
  std::uint32_t head;
};

/// The tracks of one zone in the order of the mapping, by walking it.
std::vector<TrackAt> tracks_of(const GeometryParams& params, std::uint32_t first, std::uint32_t last) {
  const auto heads = static_cast<std::uint32_t>(params.heads);
  std::vector<TrackAt> tracks;
  if (params.mapping == static_cast<int>(Mapping::serpentine)) {
    const auto band = static_cast<std::uint32_t>(params.serpentine_band_cylinders);
    for (std::uint32_t begin = first; begin <= last; begin += band) {
      const std::uint32_t end = std::min(begin + band - 1, last);
      bool inwards = true;
      for (std::uint32_t head = 0; head < heads; ++head, inwards = !inwards) {
        for (std::uint32_t i = 0; i <= end - begin; ++i) tracks.push_back({inwards ? begin + i : end - i, head});
      }
    }
    return tracks;
  }
  bool forwards = true;
  for (std::uint32_t cylinder = first; cylinder <= last; ++cylinder) {
    for (std::uint32_t i = 0; i < heads; ++i) tracks.push_back({cylinder, forwards ? i : heads - 1 - i});
    if (params.mapping == static_cast<int>(Mapping::alternating)) forwards = !forwards;
  }
  return tracks;
}

/// Walks the whole disk sector by sector and holds `geometry` against it.
void expect_walk_agrees(const GeometryParams& params) {
  const Geometry geometry(params);
  std::uint64_t lbn = 0;
  for (std::size_t z = 0; z < params.zones.size(); ++z) {
    const auto& zone = params.zones[z];
    const auto first = static_cast<std::uint32_t>(zone[0]), last = static_cast<std::uint32_t>(zone[1]);
    const auto per_track = static_cast<std::uint32_t>(zone[2]);
    std::set<std::uint64_t> slips;
    for (const auto& slip : params.slips) {
      if (slip[0] == static_cast<double>(z)) slips.insert(static_cast<std::uint64_t>(slip[1]));
    }
    const auto tracks = tracks_of(params, first, last);
    const std::uint64_t blocks = tracks.size() * per_track - static_cast<std::uint64_t>(zone[5]);

    std::uint64_t in_zone = 0, sector_of_zone = 0;
    std::uint32_t start_angle = 0;  // of the track's first sector, in sectors
    for (std::size_t n = 0; n < tracks.size(); ++n) {
      const auto [cylinder, head] = tracks[n];
      if (n > 0) {
        const bool same_cylinder = tracks[n - 1].cylinder == cylinder;
        start_angle = (start_angle + static_cast<std::uint32_t>(same_cylinder ? zone[3] : zone[4])) % per_track;
      }
      std::vector<std::uint32_t> sectors_with_blocks;
      for (std::uint32_t sector = 0; sector < per_track; ++sector, ++sector_of_zone) {
        if (slips.count(sector_of_zone) || in_zone == blocks) {
          ASSERT_FALSE(geometry.lbn_of(cylinder, head, sector));
          continue;
        }
        sectors_with_blocks.push_back(sector);
        ++in_zone;
      }
      ASSERT_EQ(geometry.blocks_on_track(cylinder, head), sectors_with_blocks.size());
      for (std::size_t i = 0; i < sectors_with_blocks.size(); ++i, ++lbn) {
        const std::uint32_t sector = sectors_with_blocks[i];
        const Location at = geometry.locate(lbn);
        ASSERT_EQ(std::make_tuple(at.cylinder, at.head, at.sector), std::make_tuple(cylinder, head, sector)) << lbn;
        ASSERT_EQ(at.sectors_per_track, per_track);
        ASSERT_EQ(at.run, sectors_with_blocks.size() - i) << lbn;
        ASSERT_EQ(at.angle.denominator, per_track);
        ASSERT_EQ(at.angle.numerator, (start_angle + sector) % per_track) << lbn;
        ASSERT_EQ(geometry.lbn_of(cylinder, head, sector), lbn);
      }
    }
    ASSERT_EQ(in_zone, blocks);
    for (std::uint32_t cylinder = first; cylinder <= last; ++cylinder) {
      ASSERT_EQ(geometry.zone_of(cylinder), z);
      ASSERT_EQ(geometry.sectors_per_track(cylinder), per_track);
    }
  }
  ASSERT_EQ(geometry.sectors(), lbn);
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
  params.mapping = static_cast<int>(mapping);
  params.serpentine_band_cylinders = band;
  params.zones = {{0, 6, 11, 3, 5, 0}, {7, 7, 9, 2, 4, 1}, {8, 18, 7, 6, 6, 4}, {19, 20, 5, 0, 0, 0}};
  return params;
}

TEST(Geometry, EveryBlockOfASmallDiskLiesWhereAWalkAlongTheMappingFindsIt) {
  for (const Mapping mapping : {Mapping::conventional, Mapping::alternating, Mapping::serpentine}) {
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

TEST(Geometry, SlippedSectorsMoveTheBlocksBehindThemAndUseUpSpares) {
  for (const Mapping mapping : {Mapping::conventional, Mapping::alternating, Mapping::serpentine}) {
    GeometryParams params = small_disk(3, mapping);
    params.zones[0][5] = 5;
    // First sector, a pair across a track edge, neighbours, and one among the spares.
    params.slips = {{0, 0}, {0, 10}, {0, 11}, {0, 50}, {0, 230}, {2, 100}, {2, 0}};
    expect_walk_agrees(params);
    if (HasFatalFailure()) return;
  }
}

TEST(Geometry, RandomSmallDisksAgreeWithAWalk) {
  RandomStream random(7, "geometry");
  const auto below = [&random](std::uint64_t bound) { return static_cast<double>(random.below(bound)); };
  for (int disk = 0; disk < 300; ++disk) {
    GeometryParams params;
    params.heads = 1 + static_cast<std::int64_t>(random.below(6));
    params.mapping = static_cast<int>(random.below(3));
    params.serpentine_band_cylinders = 1 + static_cast<std::int64_t>(random.below(8));
    double cylinder = 0;
    const std::uint64_t zones = 1 + random.below(4);
    for (std::uint64_t z = 0; z < zones; ++z) {
      const double last = cylinder + below(12), per_track = 1 + below(40);
      const double raw = (last - cylinder + 1) * static_cast<double>(params.heads) * per_track;
      const double spares = below(static_cast<std::uint64_t>(std::min(raw, 60.0)));
      params.zones.push_back({cylinder, last, per_track, below(static_cast<std::uint64_t>(per_track)),
                              below(static_cast<std::uint64_t>(per_track)), spares});
      std::set<double> slips;
      for (double i = 0; i < spares && i < 5; ++i) slips.insert(below(static_cast<std::uint64_t>(raw)));
      for (const double slip : slips) params.slips.push_back({static_cast<double>(z), slip});
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

TEST(Geometry, WhatDoesNotMakeADiskIsAnInputErrorThatNamesTheRow) {
  const auto message = [](const std::function<void(GeometryParams&)>& spoil) -> std::string {
    GeometryParams params = small_disk(2, Mapping::conventional);
    spoil(params);
    try {
      const Geometry geometry(params);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message([](auto& p) { p.zones[1][0] = 8; }).find("row 2: first cylinder is 8, but 7"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[1][0] = 6; }).find("row 2"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[2][1] = 5; }).find("row 3: last cylinder 5"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0][3] = 11; }).find("less than a revolution"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0][4] = 12; }).find("less than a revolution"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[3][5] = 20; }).find("leave no block"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0][2] = 0; }).find("sectors per track"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0][2] = 10.5; }).find("whole number"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0].pop_back(); }).find("needs 6 numbers"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones.clear(); }).find("at least one zone"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[3][1] = 9e6; }).find("limit"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.heads = 0; }).find("heads"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.mapping = 3; }).find("mapping"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.serpentine_band_cylinders = 0; }).find("band"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.slips = {{1, 0}, {1, 1}}; }).find("2 slips, but 1 spares"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.slips = {{2, 9}, {2, 9}}; }).find("slipped twice"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.slips = {{1, 18}}; }).find("outside the zone"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.slips = {{4, 0}}; }).find("no zone 4"), std::string::npos);
}

}  // namespace
}  // namespace armature::media
