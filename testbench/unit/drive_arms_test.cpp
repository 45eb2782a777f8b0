// Section `arms`: what it makes of a layout, who reaches what, and what it refuses.
#include "armature/drive/arms_params.h"

#include "armature/core/config.h"
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/drive/drive_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace armature::drive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

media::GeometryParams eight_surfaces() {
  media::GeometryParams params;
  params.heads = 8;
  params.zones = {{0, 99, 120, 12, 24, 64}, {100, 199, 96, 10, 20, 0}};
  return params;
}

/// What is wrong with the arms, for this layout; "accepted".
std::string message(const ArmsParams& arms, const media::GeometryParams& geometry = eight_surfaces()) {
  DriveParams drive;
  drive.arms = arms;
  drive.geometry = geometry;
  try {
    const media::Geometry made(drive.layout());
    arms.head_offsets(made.cylinders());
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DriveArms, OneArmChangesNothing) {
  const ArmsParams arms;
  const media::GeometryParams layout = arms.layout(eight_surfaces());
  EXPECT_EQ(layout.heads, 8);
  EXPECT_EQ(layout.ranges, 1);
  EXPECT_EQ(layout.zones, eight_surfaces().zones);
  EXPECT_EQ(arms.arms(), 1u);
  EXPECT_EQ(arms.dash(), "D1A1S1H1");
  EXPECT_EQ(arms.data_paths(), 1u);
  EXPECT_EQ(arms.reach(0, 8), (ArmsParams::Surfaces{0, 8}));
}

TEST(DriveArms, PositionersAreCountedByStackAssemblyAndPart) {
  ArmsParams arms;
  arms.stacks = 2;
  arms.count = 2;
  arms.surfaces = 2;
  arms.angle_deg = {90, 270};
  ASSERT_EQ(message(arms), "accepted");
  EXPECT_EQ(arms.arms(), 8u);
  EXPECT_EQ(arms.channel_count(), 8u);
  EXPECT_EQ(arms.dash(), "D2A2S2H1");
  EXPECT_EQ(arms.data_paths(), 8u);
  std::vector<unsigned> stacks, firsts, counts;
  for (unsigned arm = 0; arm < 8; ++arm) {
    stacks.push_back(arms.stack_of(arm));
    firsts.push_back(arms.reach(arm, 8).first);
    counts.push_back(arms.reach(arm, 8).count);
  }
  EXPECT_THAT(stacks, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(firsts, ElementsAre(0, 2, 0, 2, 4, 6, 4, 6));
  EXPECT_THAT(counts, ElementsAre(2, 2, 2, 2, 2, 2, 2, 2));
  EXPECT_THAT(arms.angle_ticks(), ElementsAre(16384, 16384, 49152, 49152, 16384, 16384, 49152, 49152));
  arms.angle_deg = {};
  EXPECT_THAT(arms.angle_ticks(), ElementsAre(0, 0, 32768, 32768, 0, 0, 32768, 32768));
  arms.range = ArmsParams::split;
  for (unsigned arm = 0; arm < 8; ++arm) EXPECT_EQ(arms.reach(arm, 8), (ArmsParams::Surfaces{arm, 1}));
}

// Whatever the numbers are: each surface is reached as often as it should be, and only from its own stack.
TEST(DriveArms, EverySurfaceIsReachedFromItsStackByAsManyAsTheRangeSays) {
  RandomStream random(3, "dash");
  unsigned seen = 0;
  for (int i = 0; i < 2000; ++i) {
    ArmsParams arms;
    arms.stacks = static_cast<std::int64_t>(1 + random.below(8));
    arms.count = static_cast<std::int64_t>(1 + random.below(4));
    arms.surfaces = static_cast<std::int64_t>(1 + random.below(4));
    arms.surface_access = static_cast<ArmsParams::SurfaceAccess>(random.below(2));
    arms.range = static_cast<ArmsParams::RangeOfArms>(random.below(2));
    media::GeometryParams geometry = eight_surfaces();
    geometry.heads = static_cast<std::int64_t>(1 + random.below(32));
    if (arms.arms() > 8 || message(arms, geometry) != "accepted") continue;
    ++seen;
    const media::GeometryParams layout = arms.layout(geometry);
    const media::Geometry disk(layout);
    const auto heads = static_cast<unsigned>(layout.heads);
    const std::uint64_t all = media::Geometry(geometry).sectors();
    EXPECT_LE(disk.sectors(), all);
    if (layout.ranges == 1)
      EXPECT_EQ(disk.sectors(), all) << "nothing is lost";
    else
      EXPECT_GT(disk.sectors() + geometry.zones.size() * arms.arms(), all) << "but by rounding the spares of a zone";
    std::vector<unsigned> reached(heads);
    for (unsigned arm = 0; arm < arms.arms(); ++arm) {
      const auto [first, count] = arms.reach(arm, heads);
      ASSERT_GE(count, 1u);
      for (unsigned surface = first; surface < first + count; ++surface) {
        ++reached.at(surface);
        EXPECT_EQ(surface / (heads / arms.stack_count()), arms.stack_of(arm));
      }
    }
    const auto times = arms.range == ArmsParams::split ? 1u : static_cast<unsigned>(arms.count);
    EXPECT_EQ(std::count(reached.begin(), reached.end(), times), heads);
    if (arms.range == ArmsParams::split) {  // and its LBAs are one part of all
      const std::uint64_t part = disk.sectors() / arms.arms();
      for (unsigned arm = 0; arm < arms.arms(); ++arm) {
        EXPECT_EQ(disk.locate(arm * part).head, arms.reach(arm, heads).first);
        const std::uint32_t last = disk.locate((arm + 1) * part - 1).head;
        EXPECT_GE(last, arms.reach(arm, heads).first);
        EXPECT_LT(last, arms.reach(arm, heads).first + arms.reach(arm, heads).count);
      }
    }
  }
  EXPECT_GT(seen, 100u);
}

TEST(DriveArms, StripedSurfacesAreTracksOfManyTimesTheSectors) {
  ArmsParams arms;
  arms.surfaces = 4;
  arms.surface_access = ArmsParams::striped;
  media::GeometryParams layout = arms.layout(eight_surfaces());
  EXPECT_EQ(layout.heads, 2);
  EXPECT_EQ(layout.zones, (std::vector<media::ZoneParams>{{0, 99, 480, 48, 96, 64}, {100, 199, 384, 40, 80, 0}}));
  EXPECT_EQ(arms.arms(), 1u);
  EXPECT_EQ(arms.data_paths(), 4u);
  EXPECT_EQ(arms.layout_surface(3), 0u);
  EXPECT_EQ(arms.layout_surface(4), 1u);
  // The skew is the same part of a turn.
  const media::Geometry plain(eight_surfaces()), striped(layout);
  const auto turns = [](const media::Geometry& disk, std::uint64_t lbn) {
    const TrackAngle angle = disk.locate(lbn).angle;
    return static_cast<double>(angle.numerator) / static_cast<double>(angle.denominator);
  };
  EXPECT_DOUBLE_EQ(turns(striped, 480), turns(plain, 120));
  media::GeometryParams in_turns = eight_surfaces();
  in_turns.skew_unit = media::SkewUnit::revolutions;
  in_turns.zones = {{0, 99, 120, 0.1, 0.2, 3}};
  in_turns.spares_per_track = true;
  EXPECT_EQ(arms.layout(in_turns).zones, (std::vector<media::ZoneParams>{{0, 99, 480, 0.1, 0.2, 12}}));
}

TEST(DriveArms, SmallerDisksHaveFewerTracksAndSectorsInProportion) {
  DriveParams drive;
  drive.arms.disk_scale = 0.75;
  drive.arms.stacks = 2;
  drive.geometry = eight_surfaces();
  const media::GeometryParams layout = drive.layout();
  EXPECT_EQ(layout.zones, (std::vector<media::ZoneParams>{{0, 74, 90, 9, 18, 36}, {75, 149, 72, 8, 15, 0}}));
  EXPECT_EQ(layout.heads, 8);
  const media::Geometry made(layout);
  EXPECT_EQ(made.sectors(), 8u * 75 * (90 + 72) - 36);
  EXPECT_EQ(drive.seek_cylinders(made), 200u) << "times of moves are those of the disks that section seek is about";
  drive.arms.disk_scale = 1;
  EXPECT_EQ(drive.seek_cylinders(media::Geometry(drive.layout())), 200u);
}

TEST(DriveArms, OnSmallerDisksPhysicalSectorsStayWholeAndCapacityIsWhatIsLeft) {
  DriveParams drive;
  drive.arms.disk_scale = 0.77;
  drive.geometry = eight_surfaces();
  drive.geometry.physical_sector_bytes = 4096;
  drive.geometry.blocks = 160'000;
  const media::GeometryParams layout = drive.layout();
  EXPECT_EQ(layout.zones[0].sectors_per_track, 88);  // 92.4
  EXPECT_EQ(layout.zones[0].spares % 8, 0);
  EXPECT_EQ(layout.blocks, 0);
  EXPECT_GT(media::Geometry(layout).sectors(), 0u);
}

TEST(DriveArms, HeadsSitWhereTheSpacingSays) {
  ArmsParams arms;
  arms.heads = 3;
  EXPECT_THAT(arms.head_offsets(3000), ElementsAre(0, 1000, 2000));
  EXPECT_THAT(arms.head_angle_ticks(), ElementsAre(0, 0, 0));
  arms.head_spacing_cylinders = 10;
  EXPECT_THAT(arms.head_offsets(3000), ElementsAre(0, 10, 20));
  arms.head_spacing_cylinders = 0;
  arms.head_placement = ArmsParams::equal_radius;
  EXPECT_THAT(arms.head_offsets(3000), ElementsAre(0, 0, 0));
  EXPECT_THAT(arms.head_angle_ticks(), ElementsAre(0, 21845, 43691));
  arms.head_spacing_deg = 45;
  EXPECT_THAT(arms.head_angle_ticks(), ElementsAre(0, 8192, 16384));
  EXPECT_EQ(arms.dash(), "D1A1S1H3");
}

TEST(DriveArms, StacksStandEvenlyApartOrAsGiven) {
  ArmsParams arms;
  arms.stacks = 4;
  EXPECT_THAT(arms.stack_phases(), ElementsAre(0, 0.25, 0.5, 0.75));
  arms.stack_phase_rev = {0, 0.1, 0.9, 0};
  EXPECT_THAT(arms.stack_phases(), ElementsAre(0, 0.1, 0.9, 0));
}

TEST(DriveArms, EachKeyOfAFileIsReadIntoItsOwnPlace) {
  ArmsParams arms;
  config::read(config::parse(R"(
stacks = 2
count = 3
surfaces = 4
surface_access = "striped"
range = "split"
heads = 2
head_placement = "equal_radius"
head_spacing_cylinders = 50
head_spacing_deg = 60
stack_phase_rev = [0.5, 0.25]
angle_deg = [10, "20 deg", 30]
failures = [[1, 5]]
head_failures = [["1500 ms", 5, 7, -1]]
)",
                             "drive.toml"),
               arms);
  EXPECT_EQ(std::tuple(arms.stacks, arms.count, arms.surfaces, arms.heads), std::tuple(2, 3, 4, 2));
  EXPECT_EQ(std::tuple(arms.surface_access, arms.range, arms.head_placement),
            std::tuple(ArmsParams::striped, ArmsParams::split, ArmsParams::equal_radius));
  EXPECT_EQ(std::tuple(arms.head_spacing_cylinders, arms.head_spacing_deg), std::tuple(50, 60.0));
  EXPECT_THAT(arms.stack_phase_rev, ElementsAre(0.5, 0.25));
  EXPECT_THAT(arms.angle_deg, ElementsAre(10, 20, 30));
  ASSERT_EQ(arms.failures.size(), 1u);
  EXPECT_EQ(std::tuple(arms.failures[0].time_s, arms.failures[0].arm), std::tuple(1.0, 5));
  ASSERT_EQ(arms.head_failures.size(), 1u);
  const drive::HeadFailure& head = arms.head_failures[0];
  EXPECT_EQ(std::tuple(head.time_s, head.arm, head.surface, head.head), std::tuple(1.5, 5, 7, -1));
}

TEST(DriveArms, AnArmThatNeverMovesIsTheLastAndReachesItsTracksAlone) {
  ArmsParams arms;
  arms.count = 2;
  arms.fixed_first = 10;
  arms.fixed_cylinders = 5;
  EXPECT_EQ(message(arms), "accepted");
  EXPECT_EQ(arms.arms(), 3u);
  EXPECT_EQ(arms.channel_count(), 3u);
  EXPECT_FALSE(arms.is_fixed(1));
  EXPECT_TRUE(arms.is_fixed(2));
  EXPECT_EQ(arms.reach(1, 8), (ArmsParams::Surfaces{0, 8}));
  EXPECT_EQ(arms.reach(2, 8), (ArmsParams::Surfaces{8, 1}));
  EXPECT_EQ(arms.stack_of(2), 0u);
  EXPECT_THAT(arms.angle_ticks(), ElementsAre(0, 32'768, 0));
  EXPECT_THAT(arms.start_cylinders(200), ElementsAre(0, 100, 10));
  EXPECT_FALSE(arms.on_fixed(9));
  EXPECT_TRUE(arms.on_fixed(10));
  EXPECT_TRUE(arms.on_fixed(14));
  EXPECT_FALSE(arms.on_fixed(15));
  EXPECT_FALSE(ArmsParams().on_fixed(0));
}

TEST(DriveArms, AnArmThatNeverMovesThatCannotBeSaysSo) {
  ArmsParams arms;
  arms.fixed_first = 10;
  EXPECT_THAT(message(arms), HasSubstr("arms.fixed_first"));
  arms.fixed_cylinders = 5;
  arms.count = 8;
  EXPECT_THAT(message(arms), HasSubstr("arms.fixed_cylinders: with the fixed one the drive has 9 arms"));
  arms.count = 1;
  arms.heads = 2;
  EXPECT_THAT(message(arms), HasSubstr("arms.fixed_cylinders: an arm with fixed heads goes with one stack"));
}

/// Of heads far apart each has a turn; micro-actuators that reach everything make it one.
TEST(DriveArms, HeadsThatAreNotOnTrackTogetherTransferInTurns) {
  ArmsParams arms;
  arms.surfaces = 4;
  EXPECT_EQ(arms.passes(7, 1), 1u) << "each has a motor of its own";
  arms.surface_access = ArmsParams::striped;
  EXPECT_EQ(arms.passes(7, 1), 1u);
  const auto mean = [&] {
    double sum = 0;
    for (std::uint32_t cylinder = 0; cylinder < 4'000; ++cylinder) sum += arms.passes(cylinder, 0);
    return sum / 4'000;
  };
  arms.misalignment_tracks = 1e4;
  EXPECT_NEAR(mean(), 4, 0.01);
  arms.micro_actuator_tracks = 1e5;
  EXPECT_EQ(mean(), 1);
  // Two heads: the difference is normal with sqrt(2) sigma; both are in reach if it is 2 (r + w) at most.
  arms.surfaces = 2;
  arms.misalignment_tracks = 3;
  arms.micro_actuator_tracks = 2;
  EXPECT_NEAR(mean(), 1 + std::erfc(2 * 2.1 / (std::sqrt(2.0) * 3) / std::sqrt(2.0)), 0.02);
  const double with_one_seed = arms.passes(11, 0);
  EXPECT_EQ(arms.passes(11, 0), with_one_seed) << "the same whenever it is asked";
}

TEST(DriveArms, DisksThatCannotBeScaledSaySo) {
  ArmsParams arms;
  arms.disk_scale = 0.5;
  EXPECT_EQ(message(arms), "accepted");
  media::GeometryParams measured = eight_surfaces();
  measured.slips = {{0, 5}};
  EXPECT_THAT(message(arms, measured), HasSubstr("arms.disk_scale cannot be combined with geometry.slips"));
  media::GeometryParams narrow = eight_surfaces();
  narrow.zones = {{0, 0, 120, 12, 24, 0}, {1, 199, 96, 10, 20, 0}};
  EXPECT_THAT(message(arms, narrow), HasSubstr("arms.disk_scale: of the zone of cylinders 0 to 0 nothing is left"));
}

TEST(DriveArms, WhatCannotBeCombinedSaysSo) {
  struct Case {
    const char* what;
    void (*change)(ArmsParams&, media::GeometryParams&);
  };
  const Case cases[] = {
      {"arms.stacks: 0 is not in 1 .. 8", [](ArmsParams& a, auto&) { a.stacks = 0; }},
      {"arms.heads: 5 is not in 1 .. 4", [](ArmsParams& a, auto&) { a.heads = 5; }},
      {"arms.count: 2 stacks with 2 arm assemblies of 4 independent parts are 16 arms, and a drive has at most 8",
       [](ArmsParams& a, auto&) { a.stacks = a.count = 2, a.surfaces = 4; }},
      {"arms.stacks: 3 stacks cannot share geometry.heads = 8 evenly; make that a multiple of 3",
       [](ArmsParams& a, auto&) { a.stacks = 3; }},
      {"arms.surfaces: 2 stacks, each with 3 surfaces accessed at once, cannot share geometry.heads = 8 evenly",
       [](ArmsParams& a, auto&) { a.stacks = 2, a.surfaces = 3; }},
      {"arms.range: 3 arms with surfaces of their own cannot share geometry.heads = 8 evenly",
       [](ArmsParams& a, auto&) { a.count = 3, a.range = ArmsParams::split; }},
      {"arms.range: 4 arms with surfaces of their own, 4 at once, cannot share geometry.heads = 8 evenly; make that a "
       "multiple of 16",
       [](ArmsParams& a, auto&) {
         a.count = 4, a.surfaces = 4, a.surface_access = ArmsParams::striped, a.range = ArmsParams::split;
       }},
      {"arms.range: \"split\" cannot be combined with geometry.slips",
       [](ArmsParams& a, media::GeometryParams& g) {
         a.count = 2, a.range = ArmsParams::split;
         g.slips = {{0, 5}};
       }},
      {"arms.range: \"split\" cannot be combined with geometry.remaps",
       [](ArmsParams& a, media::GeometryParams& g) {
         a.count = 2, a.range = ArmsParams::split;
         g.remaps = {{0, -1}};
       }},
      {"arms.surface_access: \"striped\" cannot be combined with geometry.zone_fronts",
       [](ArmsParams& a, media::GeometryParams& g) {
         a.surfaces = 2, a.surface_access = ArmsParams::striped;
         g.zone_fronts = {{0, 5, 0}};
       }},
      {"arms.surface_access: \"striped\" cannot be combined with geometry.spare_range_cylinders",
       [](ArmsParams& a, media::GeometryParams& g) {
         a.surfaces = 2, a.surface_access = ArmsParams::striped;
         g.spare_range_cylinders = 10;
       }},
      {"arms.range: \"split\" divides geometry.blocks = 1001 by 2; make it a multiple of 2",
       [](ArmsParams& a, media::GeometryParams& g) {
         a.count = 2, a.range = ArmsParams::split;
         g.blocks = 1001;
       }},
      {"arms.surfaces: striped over 8 surfaces, a track has 80000 sectors, and at most 65535 can be addressed",
       [](ArmsParams& a, media::GeometryParams& g) {
         a.surfaces = 8, a.surface_access = ArmsParams::striped;
         g.zones[1].sectors_per_track = 10'000;
       }},
      {"arms.angle_deg: 4 angles for 2 arms",
       [](ArmsParams& a, auto&) {
         a.count = a.stacks = 2, a.angle_deg = {0, 90, 180, 270};
       }},
      {"arms.stack_phase_rev: 1 angles for arms.stacks = 2",
       [](ArmsParams& a, auto&) { a.stacks = 2, a.stack_phase_rev = {0}; }},
      {"arms.stack_phase_rev: 1 is not from 0 to below 1",
       [](ArmsParams& a, auto&) {
         a.stacks = 2, a.stack_phase_rev = {0, 1};
       }},
      {"arms.head_spacing_deg: is of arms.head_placement = \"equal_radius\"",
       [](ArmsParams& a, auto&) { a.heads = 2, a.head_spacing_deg = 90; }},
      {"arms.head_spacing_cylinders: is of arms.head_placement = \"radial\"",
       [](ArmsParams& a, auto&) {
         a.heads = 2, a.head_placement = ArmsParams::equal_radius, a.head_spacing_cylinders = 90;
       }},
      {"arms.head_spacing_cylinders: 3 heads, 100 cylinders apart, do not stand on a surface of 200 cylinders",
       [](ArmsParams& a, auto&) { a.heads = 3, a.head_spacing_cylinders = 100; }},
      {"arms.head_spacing_deg: 3 heads that far apart take up more than a turn",
       [](ArmsParams& a, auto&) {
         a.heads = 3, a.head_placement = ArmsParams::equal_radius, a.head_spacing_deg = 180;
       }},
      {"arms.max_moving: 5 for 4 arms", [](ArmsParams& a, auto&) { a.surfaces = a.count = 2, a.max_moving = 5; }},
      {"arms.channels: 2 contradicts arms.design = \"MC\" of 4 arms, where it is 4",
       [](ArmsParams& a, auto&) { a.surfaces = a.count = 2, a.design = ArmsParams::MC, a.channels = 2; }},
  };
  for (const Case& each : cases) {
    ArmsParams arms;
    media::GeometryParams geometry = eight_surfaces();
    each.change(arms, geometry);
    const std::string expected = each.what;
    EXPECT_THAT(message(arms, geometry), ::testing::StartsWith(expected));
  }
}

}  // namespace
}  // namespace armature::drive
