// Where spares may lie, what slips do to blocks and angles, and both alternating mappings: held against a list of all
// sectors made without the geometry's arithmetic.
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/media/geometry.h"
#include "support/geometry_message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace armature::media {
namespace {

struct Sector {
  std::uint32_t cylinder, head, sector;
  double turn;  // angle in revolutions, not reduced
  bool holds_block = true;
};

/// All sectors of a disk in the order of the mapping.
std::vector<Sector> list_of(const GeometryParams& params) {
  std::vector<Sector> disk;
  const auto heads = static_cast<std::uint32_t>(params.heads);
  const bool revolutions = params.skew_unit == SkewUnit::revolutions;
  for (std::size_t z = 0; z < params.zones.size(); ++z) {
    const auto& zone = params.zones[z];
    const double per_track = static_cast<double>(zone.sectors_per_track), unit = revolutions ? 1 : 1 / per_track;
    std::set<std::size_t> bad;
    for (const auto& slip : params.slips)
      if (slip.zone == static_cast<std::int64_t>(z)) bad.insert(static_cast<std::size_t>(slip.sector));
    double reserved = 0, turn = 0;
    for (const auto& front : params.zone_fronts)
      if (front.zone == static_cast<std::int64_t>(z))
        reserved = static_cast<double>(front.reserved), turn = front.offset * unit;

    // Tracks one after the other, each beginning where the skews and the slips before it put it.
    std::vector<Sector> of_zone;
    double delayed = 0;
    std::size_t slips_before = 0;
    for (auto cylinder = static_cast<std::uint32_t>(zone.first_cylinder); cylinder <= zone.last_cylinder; ++cylinder) {
      const std::uint32_t parity = params.mapping == Mapping::alternating
                                       ? cylinder - static_cast<std::uint32_t>(zone.first_cylinder)
                                       : cylinder;
      const bool backwards = params.mapping != Mapping::conventional && parity % 2 == 1;
      for (std::uint32_t i = 0; i < heads; ++i) {
        if (!of_zone.empty()) turn += (i > 0 ? zone.track_skew : zone.cylinder_skew) * unit;
        if (params.slip_skew == SlipSkew::track || (params.slip_skew == SlipSkew::cylinder && i == 0))
          delayed = static_cast<double>(slips_before) / per_track;
        for (std::uint32_t sector = 0; sector < per_track; ++sector) {
          slips_before += bad.count(of_zone.size());
          of_zone.push_back({cylinder, backwards ? heads - 1 - i : i, sector, turn + delayed + sector / per_track});
        }
      }
    }

    // Ranges: which sectors of each hold no block.
    const std::size_t track = static_cast<std::size_t>(per_track);
    std::size_t range = of_zone.size();
    if (params.spares_per_track) range = track;
    if (params.spare_range_cylinders > 0)
      range = track * heads * static_cast<std::size_t>(params.spare_range_cylinders);
    for (std::size_t begin = 0; begin < of_zone.size(); begin += range) {
      const std::size_t end = std::min(begin + range, of_zone.size());
      std::size_t spares = end - begin == range ? static_cast<std::size_t>(zone.spares) : 0;
      for (std::size_t i = begin; i < end; ++i) {
        if (bad.count(i) == 0) continue;
        of_zone[i].holds_block = false;
        if (params.slips_use_spares) --spares;
      }
      for (std::size_t i = begin; i < end && spares > 0; ++i) {
        Sector& sector = of_zone[params.spares_in_front ? i : end - 1 - (i - begin)];
        if (!sector.holds_block) continue;
        sector.holds_block = false;
        --spares;
      }
    }
    for (Sector& sector : of_zone) {
      if (reserved == 0) break;
      if (!sector.holds_block) continue;
      sector.holds_block = false;
      --reserved;
    }
    disk.insert(disk.end(), of_zone.begin(), of_zone.end());
  }
  return disk;
}

void expect_agrees(const GeometryParams& params) {
  const Geometry geometry(params);
  std::uint64_t lbn = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> on_track;
  for (const Sector& sector : list_of(params)) {
    const auto place = ::testing::Message() << sector.cylinder << '/' << sector.head << '/' << sector.sector;
    SCOPED_TRACE(place);
    on_track[{sector.cylinder, sector.head}] += sector.holds_block;
    if (!sector.holds_block) {
      ASSERT_FALSE(geometry.lbn_of(sector.cylinder, sector.head, sector.sector));
      continue;
    }
    ASSERT_LT(lbn, geometry.sectors());
    const Location at = geometry.locate(lbn);
    ASSERT_EQ(at.cylinder, sector.cylinder);
    ASSERT_EQ(at.head, sector.head);
    ASSERT_EQ(at.sector, sector.sector);
    ASSERT_EQ(geometry.lbn_of(sector.cylinder, sector.head, sector.sector), lbn);
    const double angle = static_cast<double>(at.angle.numerator) / static_cast<double>(at.angle.denominator);
    ASSERT_LT(std::abs(std::remainder(angle - sector.turn, 1.0)), 1e-5);  // skews in revolutions are rounded
    ASSERT_LT(at.angle.numerator, at.angle.denominator);
    ++lbn;
  }
  ASSERT_EQ(geometry.sectors(), lbn);
  for (const auto& [track, blocks] : on_track) ASSERT_EQ(geometry.blocks_on_track(track.first, track.second), blocks);
}

GeometryParams disk() {
  GeometryParams params;
  params.heads = 3;
  params.zones = {{0, 6, 20, 3, 5, 4}, {7, 12, 16, 2, 4, 2}};
  params.slips = {{0, 3}, {0, 70}, {0, 71}, {0, 199}, {1, 95}};
  return params;
}

TEST(Sparing, AtTheEndOfEachTrack) {
  GeometryParams params = disk();
  params.spares_per_track = true;
  expect_agrees(params);
  EXPECT_EQ(Geometry(params).sectors(), 7u * 3 * 16 + 6u * 3 * 14);
  EXPECT_EQ(Geometry(params).locate(15).sector, 16u) << "the slip of the first track uses one of its spares";
}

TEST(Sparing, AtTheFrontOfEachCylinderSlipsMoveBlocksForwards) {
  GeometryParams params = disk();
  params.spare_range_cylinders = 1;
  params.spares_in_front = true;
  expect_agrees(params);
  EXPECT_EQ(Geometry(params).locate(0).sector, 4u) << "three spares and the slip behind them";
  EXPECT_EQ(Geometry(params).locate(56).sector, 2u) << "the second cylinder has two slips and two spares left";
}

TEST(Sparing, SlipsMayLeaveTheSparesAlone) {
  GeometryParams params = disk();
  params.spare_range_cylinders = 1;
  params.slips_use_spares = false;
  expect_agrees(params);
  EXPECT_EQ(Geometry(params).sectors(), 7u * 56 + 6u * 46 - 5);
  params.spares_in_front = true;
  expect_agrees(params);
  EXPECT_EQ(Geometry(params).sectors(), 7u * 56 + 6u * 46 - 5);
}

TEST(Sparing, ASlipMayDelayTheCylindersOrTheTracksBehindIt) {
  GeometryParams params = disk();
  const std::uint64_t behind = 60 + 56 + 5;  // a block of the zone's third cylinder, two slips before its track
  const std::int64_t without = Geometry(params).locate(behind).angle.numerator;
  params.slip_skew = SlipSkew::cylinder;
  expect_agrees(params);
  EXPECT_EQ(Geometry(params).locate(behind).angle.numerator, (without + 3) % 20);
  params.slip_skew = SlipSkew::track;
  expect_agrees(params);
  params.spares_per_track = true;
  expect_agrees(params);
  params.spares_per_track = false;
  params.spare_range_cylinders = 1;
  params.slip_skew = SlipSkew::cylinder;
  expect_agrees(params);
}

TEST(Sparing, TracksOfSparesAloneAreRefusedBeforeTheyAreListed) {
  GeometryParams params = disk();
  params.slips.clear();
  params.spares_per_track = true;
  params.zones = {{0, 1'000'000, 400, 20, 30, 8'529}};
  EXPECT_NE(testing::geometry_message(params).find("8529 spares leave no block on a track of 400 sectors"),
            std::string::npos);
  params.zones = {{0, 8'000'000, 400, 20, 30, 10}};
  EXPECT_NE(testing::geometry_message(params).find("at most 20000000 spares"), std::string::npos);
}

/// Two billion tracks without a spare took a minute to look at.
TEST(Sparing, TracksWithoutSparesAreNotLookedAtOneByOne) {
  GeometryParams params = disk();
  params.slips.clear();
  params.heads = 256;
  params.spares_per_track = true;
  params.zones = {{0, 8'388'606, 512, 56, 102, 0}};
  const std::clock_t begin = std::clock();
  EXPECT_EQ(Geometry(params).sectors(), 8'388'607ull * 256 * 512);
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
}

TEST(Sparing, MoreRangesThanCanBeListedAreRefused) {
  GeometryParams params = disk();
  params.slips.clear();
  params.spare_range_cylinders = 1;
  params.zones = {{0, 999'999, 400, 20, 30, 10}, {1'000'000, 1'000'000, 400, 20, 30, 10}};
  EXPECT_NE(testing::geometry_message(params).find("geometry.spare_range_cylinders: zone 1"), std::string::npos);
  params.zones.pop_back();
  EXPECT_EQ(testing::geometry_message(params), "accepted");
}

TEST(Sparing, AnAlternatingMappingGoesOnFromRangeToRange) {
  for (const Mapping mapping : {Mapping::alternating, Mapping::alternating_odd}) {
    GeometryParams params = disk();
    params.mapping = mapping;
    expect_agrees(params);
    params.spare_range_cylinders = 3;
    expect_agrees(params);
    // The second zone begins with cylinder 7: backwards if odd cylinders are.
    const Geometry geometry(params);
    EXPECT_EQ(geometry.lbn_of(7, 2, 0) < geometry.lbn_of(7, 0, 0), mapping == Mapping::alternating_odd);
  }
}

TEST(Sparing, SkewsMayBePartsOfARevolution) {
  GeometryParams params = disk();
  params.skew_unit = SkewUnit::revolutions;
  params.zones = {{0, 400, 20, 0.123456, 0.3, 4}, {401, 402, 16, 0, 0.999, 2}};
  params.zone_fronts = {{1, 0, 0.51}};
  expect_agrees(params);
}

TEST(Sparing, WhatTheDriveKeepsMayBeSeveralRangesAndTheFirstCylinders) {
  GeometryParams params = disk();
  params.spare_range_cylinders = 1;
  params.zone_fronts = {{0, 56 + 56 + 7, 0}};  // two cylinders without their spares, and a part of the third
  expect_agrees(params);
  EXPECT_EQ(Geometry(params).locate(0).cylinder, 2u);
  EXPECT_EQ(Geometry(params).blocks_on_cylinder(0), 0u);
  EXPECT_EQ(Geometry(params).sectors_per_track(0), 20u);

  GeometryParams later = disk();
  later.cylinder_gaps = true;
  later.zones[0].first_cylinder = 2;
  later.slips.clear();
  expect_agrees(later);
  EXPECT_EQ(Geometry(later).blocks_on_cylinder(1), 0u);
  EXPECT_FALSE(Geometry(later).lbn_of(1, 0, 0));
}

TEST(Sparing, RandomDisksAgreeWithTheirLists) {
  RandomStream random(31, "sparing");
  const auto below = [&random](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  const auto skew = [&below] { return static_cast<double>(below(6)); };
  int built = 0;
  for (int i = 0; i < 400; ++i) {
    GeometryParams params;
    params.heads = 1 + static_cast<std::int64_t>(random.below(4));
    const std::uint64_t range = random.below(5);
    params.spares_per_track = range == 4;
    params.spare_range_cylinders = range == 4 ? 0 : static_cast<std::int64_t>(range);
    params.spares_in_front = random.below(2) == 1;
    params.slips_use_spares = random.below(2) == 1;
    params.slip_skew = static_cast<SlipSkew>(random.below(3));
    const Mapping mappings[] = {Mapping::conventional, Mapping::alternating, Mapping::alternating_odd};
    params.mapping = mappings[random.below(3)];
    std::int64_t cylinder = 0;
    for (std::uint64_t z = 0; z < 1 + random.below(3); ++z) {
      const auto number = static_cast<std::int64_t>(z);
      const std::int64_t last = cylinder + 2 + below(9), per_track = 6 + below(20);
      params.zones.push_back({cylinder, last, per_track, skew(), skew(), below(5)});
      std::set<std::int64_t> slips;
      for (std::uint64_t n = random.below(8); n > 0; --n)
        slips.insert(below(static_cast<std::uint64_t>((last - cylinder + 1) * per_track * params.heads)));
      for (const std::int64_t slip : slips) params.slips.push_back({number, slip});
      params.zone_fronts.push_back({number, below(30), skew()});
      cylinder = last + 1;
    }
    try {
      const Geometry geometry(params);
    } catch (const InputError&) {
      continue;  // more slips than spares
    }
    ++built;
    SCOPED_TRACE(::testing::Message() << "disk " << i);
    expect_agrees(params);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(built, 150);
}

TEST(Sparing, WhatDoesNotGoTogetherIsAnInputError) {
  const auto message = [](const std::function<void(GeometryParams&)>& spoil) -> std::string {
    GeometryParams params = disk();
    spoil(params);
    return testing::geometry_message(params);
  };
  EXPECT_NE(message([](auto& p) { p.spares_per_track = true, p.spare_range_cylinders = 1; }).find("not both"),
            std::string::npos);
  EXPECT_NE(
      message([](auto& p) { p.spares_per_track = true, p.zones[0].spares = 0; }).find("row 1: 1 slips on a track"),
      std::string::npos);
  EXPECT_NE(
      message([](auto& p) { p.slip_skew = SlipSkew::cylinder, p.mapping = Mapping::serpentine; }).find("serpentine"),
      std::string::npos);
  EXPECT_NE(message([](auto& p) { p.skew_unit = SkewUnit::revolutions; }).find("less than a revolution"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.zones[0].track_skew = 0.5; }).find("whole number"), std::string::npos);
}

}  // namespace
}  // namespace armature::media
