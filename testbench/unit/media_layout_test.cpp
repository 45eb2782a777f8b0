// What a layout may have beside zones: gaps, reserved fronts, offsets, spare ranges and a rated number of blocks.
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/media/geometry.h"
#include "support/geometry_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>

namespace armature::media {
namespace {

/// Walks a disk of the conventional mapping sector by sector, as the documents describe it, and holds the geometry
/// against each sector.
void expect_walk_agrees(const GeometryParams& params) {
  const Geometry geometry(params);
  const auto heads = static_cast<std::uint32_t>(params.heads);
  std::uint64_t lbn = 0;
  const std::uint64_t rated = params.blocks > 0 ? static_cast<std::uint64_t>(params.blocks) : ~std::uint64_t{0};
  std::uint32_t next_cylinder = 0;
  for (std::size_t z = 0; z < params.zones.size(); ++z) {
    const auto& zone = params.zones[z];
    const auto first = static_cast<std::uint32_t>(zone.first_cylinder),
               last = static_cast<std::uint32_t>(zone.last_cylinder);
    const auto per_track = static_cast<std::uint32_t>(zone.sectors_per_track);
    for (; next_cylinder < first; ++next_cylinder) {
      ASSERT_EQ(geometry.blocks_on_cylinder(next_cylinder), 0u) << "cylinder " << next_cylinder;
      ASSERT_FALSE(geometry.lbn_of(next_cylinder, 0, 0)) << "cylinder " << next_cylinder;
    }
    std::uint64_t reserved = 0;
    std::uint32_t angle = 0;
    for (const auto& front : params.zone_fronts) {
      if (front.zone != static_cast<std::int64_t>(z)) continue;
      reserved = static_cast<std::uint64_t>(front.reserved);
      angle = static_cast<std::uint32_t>(front.offset);
    }
    std::set<std::uint64_t> bad;
    for (const auto& slip : params.slips)
      if (slip.zone == static_cast<std::int64_t>(z)) bad.insert(static_cast<std::uint64_t>(slip.sector));
    const std::uint32_t width =
        params.spare_range_cylinders > 0 ? static_cast<std::uint32_t>(params.spare_range_cylinders) : last - first + 1;

    std::uint64_t sector_of_zone = 0, left_in_range = 0;
    for (std::uint32_t cylinder = first; cylinder <= last; ++cylinder) {
      if ((cylinder - first) % width == 0) {  // a range begins
        const std::uint32_t here = std::min(width, last - cylinder + 1);
        left_in_range = std::uint64_t{here} * heads * per_track;
        if (here == width) left_in_range -= static_cast<std::uint64_t>(zone.spares);
        if (cylinder == first) left_in_range -= reserved;
      }
      for (std::uint32_t head = 0; head < heads; ++head) {
        if (cylinder > first || head > 0)
          angle = (angle + static_cast<std::uint32_t>(head > 0 ? zone.track_skew : zone.cylinder_skew)) % per_track;
        if (cylinder > first && head == 0 && (cylinder - first) % width == 0)
          for (const auto& border : params.range_skews)
            if (border.zone == static_cast<std::int64_t>(z))
              angle = (angle + static_cast<std::uint32_t>(border.skew)) % per_track;
        std::uint32_t on_track = 0;
        for (std::uint32_t sector = 0; sector < per_track; ++sector, ++sector_of_zone) {
          if (sector_of_zone < reserved || bad.count(sector_of_zone) || left_in_range == 0 || lbn == rated) {
            ASSERT_FALSE(geometry.lbn_of(cylinder, head, sector)) << cylinder << '/' << head << '/' << sector;
            continue;
          }
          const Location at = geometry.locate(lbn);
          ASSERT_EQ(std::make_tuple(at.cylinder, at.head, at.sector), std::make_tuple(cylinder, head, sector)) << lbn;
          ASSERT_EQ(at.angle.numerator, (angle + sector) % per_track) << lbn;
          ASSERT_EQ(at.angle.denominator, per_track);
          ASSERT_EQ(geometry.lbn_of(cylinder, head, sector), lbn);
          ++lbn;
          ++on_track;
          --left_in_range;
        }
        ASSERT_EQ(geometry.blocks_on_track(cylinder, head), on_track) << cylinder << '/' << head;
        if (on_track > 0) {
          ASSERT_EQ(geometry.locate(lbn - on_track).run, on_track) << lbn - on_track;
        }
      }
    }
    next_cylinder = last + 1;
  }
  ASSERT_EQ(geometry.sectors(), lbn);
  ASSERT_EQ(geometry.cylinders(), next_cylinder) << "cylinders behind the last block are there all the same";
}

GeometryParams small_disk() {
  GeometryParams params;
  params.heads = 3;
  params.zones = {{0, 13, 11, 3, 5, 7}, {14, 20, 9, 2, 4, 5}};
  return params;
}

TEST(Layout, GapsBetweenZonesHoldNothing) {
  GeometryParams params = small_disk();
  params.zones = {{0, 6, 11, 3, 5, 2}, {8, 8, 9, 2, 4, 0}, {12, 20, 7, 1, 2, 3}};
  params.cylinder_gaps = true;
  expect_walk_agrees(params);
}

TEST(Layout, AReservedFrontMovesTheFirstBlockAndAnOffsetTurnsTheZone) {
  GeometryParams params = small_disk();
  params.zone_fronts = {{0, 47, 0}, {1, 5, 8}};
  params.slips = {{0, 50}, {0, 47}};
  expect_walk_agrees(params);
  EXPECT_EQ(Geometry(params).locate(0).cylinder, 1u) << "33 sectors a cylinder";
}

TEST(Layout, EachSpareRangeEndsWithItsSparesAndTakesItsOwnSlips) {
  GeometryParams params = small_disk();
  params.spare_range_cylinders = 4;  // 14 cylinders: three ranges and half a one, which has no spares
  params.slips = {{0, 0}, {0, 131}, {0, 132}, {0, 140}, {1, 3}};
  params.zone_fronts = {{1, 2, 3}};
  expect_walk_agrees(params);
  EXPECT_EQ(Geometry(params).sectors(), 14u * 33 - 3 * 7 + 7 * 27 - 5 - 2);
  params.range_skews = {{1, 8}};
  expect_walk_agrees(params);
}

TEST(Layout, TheRatedNumberOfBlocksEndsTheDiskWhereverItLies) {
  for (std::int64_t blocks : {1, 100, 454, 455, 456, 600, 638}) {
    SCOPED_TRACE(blocks);
    GeometryParams params = small_disk();
    params.blocks = blocks;
    params.slips = {{0, 2}, {1, 100}};
    expect_walk_agrees(params);
    if (HasFatalFailure()) return;
  }
}

TEST(Layout, RandomDisksWithAllOfItAgreeWithAWalk) {
  RandomStream random(23, "layout");
  const auto below = [&random](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  const auto skew = [&below] { return static_cast<double>(below(4)); };
  for (int disk = 0; disk < 300; ++disk) {
    GeometryParams params;
    params.heads = 1 + static_cast<std::int64_t>(random.below(5));
    params.cylinder_gaps = true;
    params.spare_range_cylinders = static_cast<std::int64_t>(random.below(5));
    std::int64_t cylinder = 0;
    const std::uint64_t zones = 1 + random.below(4);
    for (std::uint64_t z = 0; z < zones; ++z) {
      const auto number = static_cast<std::int64_t>(z);
      const std::int64_t width = params.spare_range_cylinders > 0 ? params.spare_range_cylinders : 8;
      const std::int64_t last = cylinder + width * (1 + below(4)) - 1, per_track = 4 + below(30);
      params.zones.push_back({cylinder, last, per_track, skew(), skew(), 3});
      params.zone_fronts.push_back({number, below(per_track > 8 ? 3 : 1), skew()});
      if (params.spare_range_cylinders > 0 && random.below(2) == 1) params.range_skews.push_back({number, skew()});
      const std::int64_t range = width * params.heads * per_track;
      if (range > 12) params.slips.push_back({number, below(static_cast<std::uint64_t>(range))});
      cylinder = last + 1 + below(3);
    }
    // A slip in what is reserved is one sector slipped twice.
    params.slips.erase(std::remove_if(params.slips.begin(), params.slips.end(),
                                      [&params](const auto& slip) {
                                        return slip.sector <
                                               params.zone_fronts[static_cast<std::size_t>(slip.zone)].reserved;
                                      }),
                       params.slips.end());
    // Some ranges are too small for their spares.
    try {
      params.blocks = static_cast<std::int64_t>(1 + random.below(Geometry(params).sectors()));
    } catch (const InputError&) {
      continue;
    }
    SCOPED_TRACE(::testing::Message() << "disk " << disk);
    expect_walk_agrees(params);
    if (HasFatalFailure()) return;
  }
}

TEST(Layout, WhatDoesNotFitIsAnInputErrorThatNamesTheRow) {
  const auto message = [](const std::function<void(GeometryParams&)>& spoil) -> std::string {
    GeometryParams params = small_disk();
    spoil(params);
    return testing::geometry_message(params);
  };
  EXPECT_NE(message([](auto& p) { p.zones[1].first_cylinder = 15; }).find("zones row 2: first cylinder is 15, but 14"),
            std::string::npos)
      << "gaps must be asked for";
  EXPECT_NE(message([](auto& p) { p.cylinder_gaps = true, p.zones[1].first_cylinder = 13; }).find("row 2"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0].first_cylinder = 1; }).find("row 1"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.blocks = 640; }).find("1 blocks fewer than 640"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.blocks = -1; }).find("geometry.blocks"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zone_fronts = {{2, 0, 0}}; }).find("no zone 2"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zone_fronts = {{1, 0, 9}}; }).find("less than a revolution"), std::string::npos);
  EXPECT_NE(message([](auto& p) {
              p.zone_fronts = {{1, 1, 0}, {1, 2, 0}};
            }).find("row 2: zone 1 has a row"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zone_fronts = {{1, 1'000'000, 0}}; }).find("zones row 2"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.range_skews = {{1, 1}}; }).find("needs geometry.spare_range"), std::string::npos);
  const auto ranges = [&message](const std::vector<RangeSkew>& rows) {
    return message([&rows](auto& p) {
      p.spare_range_cylinders = 4;
      p.range_skews = rows;
    });
  };
  EXPECT_NE(ranges({{2, 1}}).find("range_skews row 1: there is no zone 2"), std::string::npos);
  EXPECT_NE(ranges({{1, 1}, {1, 2}}).find("row 2: zone 1 has a row already"), std::string::npos);
  EXPECT_NE(ranges({{1, 9}}).find("less than a revolution"), std::string::npos);
  EXPECT_NE(ranges({{1, 0.5}}).find("whole number"), std::string::npos);
  EXPECT_NE(message([](auto& p) { p.spare_range_cylinders = -1; }).find("spare_range"), std::string::npos);
  EXPECT_NE(
      message([](auto& p) { p.spare_range_cylinders = 2, p.mapping = media::Mapping::serpentine; }).find("serpentine"),
      std::string::npos);
  EXPECT_NE(message([](auto& p) { p.spare_range_cylinders = 1, p.zones[1].spares = 27; }).find("row 2: 27 spares"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::media
