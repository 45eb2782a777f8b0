// Layouts in which each run of adjacent heads has a contiguous part of the blocks: arms with surfaces of their own.
#include "armature/core/random.h"
#include "armature/media/geometry.h"
#include "support/geometry_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace armature::media {
namespace {

using armature::testing::geometry_message;

/// The layout of one range of `whole`.
GeometryParams one_of(const GeometryParams& whole) {
  GeometryParams one = whole;
  one.ranges = 1;
  one.heads /= whole.ranges;
  one.blocks /= whole.ranges;
  for (auto& zone : one.zones)
    if (!whole.spares_per_track) {
      const std::int64_t unit = whole.physical_sector_bytes == 4096 ? 8 : 1;
      std::int64_t part = 0;
      while (part * whole.ranges < zone.spares) part += unit;
      zone.spares = part;
    }
  return one;
}

/// Small disks of 1 to 3 zones, with spares and perhaps gaps and fewer blocks than they hold.
GeometryParams random_disk(RandomStream& random, std::int64_t ranges) {
  GeometryParams params;
  params.ranges = ranges;
  params.heads = ranges * static_cast<std::int64_t>(1 + random.below(3));
  params.mapping = static_cast<Mapping>(random.below(4));
  params.serpentine_band_cylinders = static_cast<std::int64_t>(1 + random.below(4));
  params.physical_sector_bytes = random.below(3) == 0 ? 4096 : 512;
  params.spares_per_track = random.below(4) == 0;
  params.spares_in_front = random.below(3) == 0;
  params.cylinder_gaps = random.below(3) == 0;
  const std::int64_t unit = params.physical_sector_bytes == 4096 ? 8 : 1;
  const auto below = [&random](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  std::int64_t cylinder = 0;
  for (std::uint64_t zone = 1 + random.below(3); zone > 0; --zone) {
    if (params.cylinder_gaps) cylinder += below(2);
    const std::int64_t last = cylinder + below(5);
    const std::int64_t per_track = unit * (4 + below(6));
    const std::int64_t spares = unit * below(3);
    params.zones.push_back(
        {cylinder, last, per_track, static_cast<double>(below(4)), static_cast<double>(below(4)),
         params.spares_per_track ? spares : spares * (1 + below(static_cast<std::uint64_t>(ranges)))});
    cylinder = last + 1;
  }
  if (random.below(2) == 0) {
    const std::uint64_t all = Geometry(params).sectors() / static_cast<std::uint64_t>(ranges * 8) * 8;
    params.blocks =
        static_cast<std::int64_t>((all - all / 64 * 8 * random.below(2)) * static_cast<std::uint64_t>(ranges));
  }
  return params;
}

bool operator==(const TrackAngle& a, const TrackAngle& b) {
  return a.numerator == b.numerator && a.denominator == b.denominator;
}

class RangesOfHeads : public ::testing::TestWithParam<std::int64_t> {
 protected:
  /// Each range of `whole` is what `ones` are, one head run and one part of the blocks after the other.
  static void expect_same(const Geometry& whole, const std::vector<Geometry>& ones) {
    const auto ranges = static_cast<std::uint32_t>(ones.size());
    const Geometry& one = ones.front();
    ASSERT_EQ(whole.heads(), one.heads() * ranges);
    ASSERT_EQ(whole.cylinders(), one.cylinders());
    ASSERT_EQ(whole.zones(), one.zones());
    ASSERT_EQ(whole.sectors(), one.sectors() * ranges);
    ASSERT_EQ(whole.physical_sectors(), one.physical_sectors() * ranges);
    for (std::uint64_t lbn = 0; lbn < whole.sectors(); ++lbn) {
      const auto range = static_cast<std::uint32_t>(lbn / one.sectors());
      const Geometry& there = ones[range];
      const std::uint64_t in_range = lbn % one.sectors();
      const Location at = whole.locate(lbn), expected = there.locate(in_range);
      ASSERT_EQ(std::tuple(at.cylinder, at.head, at.sector, at.sectors_per_track, at.run),
                std::tuple(expected.cylinder, expected.head + range * one.heads(), expected.sector,
                           expected.sectors_per_track, expected.run))
          << "block " << lbn;
      ASSERT_TRUE(at.angle == expected.angle) << "block " << lbn;
      ASSERT_EQ(whole.physical(lbn), there.physical(in_range) + range * one.physical_sectors()) << "block " << lbn;
      ASSERT_EQ(whole.physical(at), whole.physical(lbn)) << "block " << lbn;
      ASSERT_EQ(whole.lbn_of(at.cylinder, at.head, at.sector), lbn);
    }
    for (std::uint32_t cylinder = 0; cylinder < whole.cylinders(); ++cylinder) {
      ASSERT_EQ(whole.zone_of(cylinder), one.zone_of(cylinder));
      ASSERT_EQ(whole.sectors_per_track(cylinder), one.sectors_per_track(cylinder));
      std::uint32_t on_cylinder = 0;
      for (std::uint32_t head = 0; head < whole.heads(); ++head) {
        const Geometry& there = ones[head / one.heads()];
        ASSERT_EQ(whole.blocks_on_track(cylinder, head), there.blocks_on_track(cylinder, head % one.heads()));
        on_cylinder += whole.blocks_on_track(cylinder, head);
      }
      ASSERT_EQ(whole.blocks_on_cylinder(cylinder), on_cylinder);
    }
  }
};

// What does not go by another Geometry: every sector of the disk is one place, and holds at most one block.
TEST_P(RangesOfHeads, EverySectorIsInOneRangeAndEachBlockInOneSector) {
  RandomStream random(11, "ranges");
  for (int disk = 0; disk < 60; ++disk) {
    const GeometryParams params = random_disk(random, GetParam());
    const Geometry geometry(params);
    const std::uint64_t part = geometry.sectors() / static_cast<std::uint64_t>(params.ranges);
    const auto heads = static_cast<std::uint32_t>(params.heads / params.ranges);
    std::vector<int> places(geometry.physical_sectors()), holding(geometry.sectors());
    for (const auto& zone : params.zones)
      for (auto cylinder = static_cast<std::uint32_t>(zone.first_cylinder); cylinder <= zone.last_cylinder; ++cylinder)
        for (std::uint32_t head = 0; head < geometry.heads(); ++head) {
          std::uint32_t on_track = 0;
          for (std::uint32_t sector = 0; sector < zone.sectors_per_track; ++sector) {
            Location at;
            at.cylinder = cylinder;
            at.head = head;
            at.sector = sector;
            if (params.blocks == 0) {  // otherwise zones behind the last block are left out
              ASSERT_LT(geometry.physical(at), places.size());
              ++places[geometry.physical(at)];
            }
            const auto lbn = geometry.lbn_of(cylinder, head, sector);
            if (!lbn) continue;
            ++holding.at(*lbn);
            ++on_track;
            ASSERT_EQ(*lbn / part, head / heads) << "each run of heads has its part of the blocks";
          }
          ASSERT_EQ(on_track, geometry.blocks_on_track(cylinder, head));
        }
    ASSERT_EQ(std::count(holding.begin(), holding.end(), 1), static_cast<std::ptrdiff_t>(holding.size()));
    if (params.blocks == 0) {
      ASSERT_EQ(std::count(places.begin(), places.end(), 1), static_cast<std::ptrdiff_t>(places.size()));
    } else {
      ASSERT_EQ(geometry.sectors(), static_cast<std::uint64_t>(params.blocks));
    }
  }
}

TEST_P(RangesOfHeads, EachIsTheLayoutOfSoManyFewerHeads) {
  RandomStream random(12, "ranges");
  for (int disk = 0; disk < 40; ++disk) {
    const GeometryParams params = random_disk(random, GetParam());
    expect_same(Geometry(params),
                std::vector<Geometry>(static_cast<std::size_t>(params.ranges), Geometry(one_of(params))));
    if (HasFatalFailure()) return;
  }
}

TEST_P(RangesOfHeads, ABlockMovesToASpareOfItsOwnRange) {
  RandomStream random(13, "ranges");
  unsigned moved = 0, refused = 0;
  for (int disk = 0; disk < 40; ++disk) {
    const GeometryParams params = random_disk(random, GetParam());
    Geometry whole(params), again(params);
    std::vector<Geometry> ones(static_cast<std::size_t>(params.ranges), Geometry(one_of(params)));
    const std::uint64_t part = ones.front().sectors(), physical = ones.front().physical_sectors();
    for (int i = 0; i < 12; ++i) {
      const std::uint64_t lbn = random.below(whole.sectors()), range = lbn / part;
      const auto place = whole.reallocate(lbn);
      const auto expected = ones[range].reallocate(lbn % part);
      ASSERT_EQ(place.has_value(), expected.has_value());
      place ? ++moved : ++refused;
      if (!place) continue;
      ASSERT_EQ(*place, *expected + range * physical);
      const std::uint64_t unit = whole.physical_sector_bytes() / 512;
      if (params.ranges > 1) {
        ASSERT_FALSE(again.reallocate((lbn + part) % whole.sectors() / unit * unit, *place)) << "of another range";
      }
      ASSERT_TRUE(again.reallocate(lbn / unit * unit, *place));
    }
    expect_same(whole, ones);
    expect_same(again, ones);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(moved, 50u);
  EXPECT_GT(refused, 5u);
}

INSTANTIATE_TEST_SUITE_P(Numbers, RangesOfHeads, ::testing::Values(1, 2, 3, 4, 8));

TEST(Ranges, OfTwoActuatorsEachHasHalfOfTheBlocks) {
  GeometryParams params;
  params.heads = 4;
  params.zones = {{0, 9, 100, 10, 20, 8}, {10, 19, 80, 10, 20, 0}};
  params.ranges = 2;
  const Geometry geometry(params);
  EXPECT_EQ(geometry.sectors(), 2u * (2 * 10 * 100 - 4 + 2 * 10 * 80));
  EXPECT_EQ(geometry.locate(199).head, 1u);
  EXPECT_EQ(geometry.locate(200).cylinder, 1u) << "the next surface is the other actuator's";
  const Location second = geometry.locate(geometry.sectors() / 2);
  EXPECT_EQ(std::tuple(second.cylinder, second.head, second.sector), std::tuple(0u, 2u, 0u));
  EXPECT_EQ(geometry.zones(), 2u);
}

TEST(Ranges, WhatDoesNotDivideIsRefused) {
  GeometryParams params;
  params.heads = 4;
  params.zones = {{0, 9, 100, 10, 20, 0}};
  params.ranges = 3;
  params.zones[0].spares = 7;
  EXPECT_EQ(geometry_message(params), "geometry: 4 heads and 0 blocks are not 3 equal ranges");
  params.ranges = 2;
  EXPECT_EQ(Geometry(params).sectors(), 2u * (2 * 10 * 100 - 4)) << "but spares are rounded up";
  params.blocks = 1001;
  EXPECT_EQ(geometry_message(params), "geometry: 4 heads and 1001 blocks are not 2 equal ranges");
  params.ranges = 0;
  EXPECT_NE(geometry_message(params), "accepted");
  params.ranges = 8;
  EXPECT_NE(geometry_message(params), "accepted");
}

}  // namespace
}  // namespace armature::media
