// Layouts g2 and g4 of DiskSim: tables of runs and trees of patterns in the keys of our geometry. A table is made from
// a geometry, block by block, and the imported one must put each block where that one does; a tree is expanded here by
// loops of its own.
#include "support/disksim_files.h"

#include "armature/media/geometry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

namespace armature::importer {
namespace {

using media::Geometry;
using media::GeometryParams;
using media::Mapping;
using testing::DiskSimFiles;

std::string notes_of(const ImportedDrive& drive) {
  std::string all;
  for (const std::string& note : drive.notes) all += note + "\n";
  for (const std::string& line : drive.not_represented) all += line + "\n";
  return all;
}

/// The small disk with another layout.
DiskSimFiles with_layout(const std::string& layout, std::int64_t blocks, int heads) {
  DiskSimFiles files;
  files.set("small.model", fmt::format("dm_disk SMALL_model {{ Block count = {}, Number of data surfaces = {},\n"
                                       "Mechanical Model = dm_mech_g1 {{ Seek type = constant, Constant seek time = 5,"
                                       " Head switch time = 1, Add. write settling delay = 0,"
                                       " Rotation speed (in rpms) = 6000 }},\nLayout Model = {} }}\n",
                                       blocks, heads, layout));
  return files;
}

double angle_of(const media::Location& at) {
  return static_cast<double>(at.angle.numerator) / static_cast<double>(at.angle.denominator);
}

// ---- g2 ------------------------------------------------------------------------------------------------------------

/// The lines that DIXtrac would write of a disk.
std::string table_of(const Geometry& disk) {
  std::string table = "SOMEBODY'S DISK\nof a test\n" +
                      fmt::format("{} cylinders, 10025 rot, {} heads\n", disk.cylinders(), disk.heads());
  for (std::uint64_t lbn = 0; lbn < disk.sectors();) {
    const media::Location at = disk.locate(lbn);
    std::uint64_t run = 1;  // up to a slip
    while (run < at.run && disk.physical(lbn + run) == disk.physical(lbn) + run) ++run;
    table +=
        fmt::format("lbn {} --> cyl {}, head {}, sect {}, seqcnt {}\n", lbn, at.cylinder, at.head, at.sector, run - 1);
    lbn += run;
  }
  return table + "Defect at cyl 0, head 0, sect 3\n";
}

std::string zones_of(const GeometryParams& params) {
  std::string zones;
  for (const auto& zone : params.zones) {
    zones += fmt::format(
        "dm_layout_g2_zone {{ First cylinder number = {}, Last cylinder number = {}, First LBN = 0, "
        "Last LBN = 0, Blocks per track = {}, Zone Skew = 0.0, Skew for track switch = {}.0, "
        "Skew for cylinder switch = {} }},\n",
        zone.first_cylinder, zone.last_cylinder, zone.sectors_per_track, zone.track_skew, zone.cylinder_skew);
  }
  return "dm_layout_g2 { Layout Map File = layout.mappings, Zones = [ " + zones + "] }";
}

DiskSimFiles g2(const GeometryParams& params) {
  const Geometry disk(params);
  DiskSimFiles files =
      with_layout(zones_of(params), static_cast<std::int64_t>(disk.sectors()), static_cast<int>(params.heads));
  files.set("layout.mappings", table_of(disk));
  return files;
}

void expect_same_places(const ImportedDrive& drive, const GeometryParams& params) {
  const Geometry expected(params), imported(drive.geometry);
  ASSERT_EQ(imported.sectors(), expected.sectors()) << notes_of(drive);
  for (std::uint64_t lbn = 0; lbn < expected.sectors(); ++lbn) {
    const media::Location a = expected.locate(lbn), b = imported.locate(lbn);
    ASSERT_EQ(a.cylinder, b.cylinder) << lbn << '\n' << notes_of(drive);
    ASSERT_EQ(a.head, b.head) << lbn;
    ASSERT_EQ(a.sector, b.sector) << lbn;
    ASSERT_NEAR(std::remainder(angle_of(a) - angle_of(b), 1), 0, 1e-6) << lbn;
  }
}

GeometryParams disk_of(Mapping mapping, std::int64_t heads) {
  GeometryParams params;
  params.heads = heads;
  params.mapping = mapping;
  params.serpentine_band_cylinders = 4;
  params.zones = {{0, 18, 20, 3, 5, 9}, {19, 33, 17, 2, 4, 0}};
  params.slips = {{0, 0}, {0, 33}, {0, 70}, {0, 71}, {0, 300}};
  return params;
}

TEST(ImportedTable, EachOrderOfTracksIsFoundAndEachBlockLiesWhereTheTableSays) {
  for (const Mapping mapping : {Mapping::conventional, Mapping::alternating, Mapping::serpentine,
                                Mapping::alternating_odd, Mapping::serpentine_alternating, Mapping::inward_bands}) {
    for (const std::int64_t heads : {1, 2, 3, 4}) {
      SCOPED_TRACE(::testing::Message() << "mapping " << static_cast<int>(mapping) << ", heads " << heads);
      const GeometryParams params = disk_of(mapping, heads);
      const ImportedDrive drive = g2(params).import();
      expect_same_places(drive, params);
      if (HasFatalFailure()) return;
      EXPECT_EQ(notes_of(drive).find("elsewhere"), std::string::npos);
      if (heads > 2) {
        EXPECT_EQ(drive.geometry.mapping, params.mapping);
      }
    }
  }
}

TEST(ImportedTable, ZonesMayHaveBandsOfTheirOwnAndGapsBetweenThem) {
  GeometryParams params = disk_of(Mapping::serpentine_alternating, 3);
  params.zones = {{2, 19, 20, 3, 5, 9}, {24, 40, 17, 2, 4, 2}};
  params.cylinder_gaps = true;
  params.bands = {{0, 3, 5, 0}, {1, 5, 4, 1}};
  params.slips = {{0, 100}, {1, 30}};
  const ImportedDrive drive = g2(params).import();
  expect_same_places(drive, params);
  EXPECT_EQ(drive.geometry.bands[0].cylinders, 3);
  EXPECT_EQ(drive.geometry.bands[1].cylinders, 5);
  EXPECT_EQ(drive.geometry.bands[1].backwards, 1);
  EXPECT_TRUE(drive.geometry.cylinder_gaps);
  EXPECT_NE(drive.text.find("mapping = \"serpentine_alternating\""), std::string::npos);
  EXPECT_EQ(drive.files.back(), "d/layout.mappings");
}

TEST(ImportedTable, SparesOfEachTrackOrCylinderAreFoundIfTheyAreMany) {
  for (const bool tracks : {true, false}) {
    GeometryParams params;
    params.heads = 4;
    params.zones = {{0, 59, 20, 3, 5, 3}, {60, 99, 17, 2, 4, 3}};
    (tracks ? params.spares_per_track : params.slips_use_spares) = true;
    if (!tracks) params.spare_range_cylinders = 1;
    params.slips = {{0, 33}, {0, 700}};
    const ImportedDrive drive = g2(params).import();
    expect_same_places(drive, params);
    EXPECT_EQ(drive.geometry.spares_per_track, tracks);
    EXPECT_EQ(drive.geometry.spare_range_cylinders, tracks ? 0 : 1);
    EXPECT_EQ(drive.geometry.slips, params.slips);
  }
}

TEST(ImportedTable, BlocksOutOfTheOrderAreRemaps) {
  GeometryParams params = disk_of(Mapping::alternating, 3);
  params.remaps = {{50, 0}, {200, 1}, {201, 2}};
  const ImportedDrive drive = g2(params).import();
  EXPECT_EQ(drive.geometry.remaps, (std::vector<media::RemappedBlock>{{50, -1}, {200, -1}, {201, -1}}));
  expect_same_places(drive, params);
  EXPECT_NE(notes_of(drive).find("3 blocks lie out of the order of tracks"), std::string::npos);
}

TEST(ImportedTable, WhatIsOddInATableIsSaid) {
  const GeometryParams params = disk_of(Mapping::conventional, 2);
  const std::string table = table_of(Geometry(params));
  DiskSimFiles files = g2(params);
  files.set("layout.mappings", table + "what is this\nlbn 5 --> cyl 99999, head 0, sect 0, seqcnt 3\n");
  const ImportedDrive drive = files.import();
  expect_same_places(drive, params);
  EXPECT_NE(notes_of(drive).find("1 lines are no run of blocks"), std::string::npos);
  EXPECT_NE(notes_of(drive).find("4 blocks lie outside the zones or the heads"), std::string::npos);
  files.set("layout.mappings", "nothing\n");
  EXPECT_EQ(files.message(), "d/layout.mappings: there is no run of blocks in this file");
  files.set("layout.mappings", "lbn 5 --> cyl 99999, head 0, sect 0, seqcnt 3\n");
  EXPECT_NE(files.message().find("makes no disk: no block lies in a zone"), std::string::npos);
  files.set("layout.mappings", table).change("Map File = layout.mappings", "Map File = other.mappings");
  EXPECT_NE(files.message().find("Layout Map File: d/other.mappings: cannot be read"), std::string::npos);
}

// ---- g4 ------------------------------------------------------------------------------------------------------------

struct At {
  std::uint32_t cylinder, head, sector;
  double angle;
};

void expect_places(const ImportedDrive& drive, const std::vector<At>& expected) {
  const Geometry disk(drive.geometry);
  ASSERT_EQ(disk.sectors(), expected.size()) << notes_of(drive);
  for (std::uint64_t lbn = 0; lbn < expected.size(); ++lbn) {
    const media::Location at = disk.locate(lbn);
    ASSERT_EQ(at.cylinder, expected[lbn].cylinder) << lbn << '\n' << notes_of(drive);
    ASSERT_EQ(at.head, expected[lbn].head) << lbn;
    ASSERT_EQ(at.sector, expected[lbn].sector) << lbn;
    ASSERT_NEAR(std::remainder(angle_of(at) - expected[lbn].angle, 1), 0, 1e-4) << lbn;
  }
}

// Bands of 5 cylinders on three heads, the second of each two from the last head up: 6 bands of 20 sectors a track.
// Along a head each track begins 0.1 later, a head switch costs 0.2, a change of band 0.3.
constexpr double kAlong = 0.1, kSwitch = 0.2, kBand = 0.3;

std::string serpentine_tree(const std::string& slips, const std::string& remaps) {
  const double head = 4 * kAlong + kSwitch, band = 12 * kAlong + 2 * kSwitch + kBand;
  std::string leaf;
  for (int half = 0; half < 2; ++half) {
    for (int n = 0; n < 3; ++n) {
      const bool inwards = n % 2 == 0;
      leaf += fmt::format("{}, {}, {}, 20, 1, {}, 100, {}, TRACK, 0, {},\n", half * 300 + n * 100,
                          half * 5 + (inwards ? 0 : 4), std::fmod(half * band + n * head, 1), kAlong, inwards ? 5 : -5,
                          half == 0 ? n : 2 - n);
    }
  }
  return "dm_layout_g4 { TP = [ 0, 19, 20 ],\nIDX = [ [ " + leaf + " ],\n[ " +
         fmt::format("0, 0, 0.0, 600, 10, {}, 1800, 30, IDX, 0 ] ],\n", std::fmod(2 * band, 1)) + "Slips = [ " + slips +
         " ], Remaps = [ " + remaps + " ] }";
}

std::vector<At> serpentine_blocks() {
  std::vector<At> blocks;
  double angle = 0;
  for (std::uint32_t band = 0; band < 6; ++band) {
    for (std::uint32_t n = 0; n < 3; ++n) {
      for (std::uint32_t i = 0; i < 5; ++i) {
        for (std::uint32_t sector = 0; sector < 20; ++sector)
          blocks.push_back(
              {band * 5 + (n % 2 == 0 ? i : 4 - i), band % 2 == 0 ? n : 2 - n, sector, angle + sector / 20.0});
        angle += i < 4 ? kAlong : n < 2 ? kSwitch : kBand;
      }
    }
  }
  return blocks;
}

TEST(ImportedTree, BandsThatAlternateWithTheirAngles) {
  const ImportedDrive drive = with_layout(serpentine_tree("", ""), 1800, 3).import();
  EXPECT_EQ(drive.geometry.mapping, Mapping::serpentine_alternating);
  EXPECT_EQ(drive.geometry.zones.size(), 1u);
  EXPECT_EQ(drive.geometry.bands[0].cylinders, 5);
  EXPECT_NEAR(drive.geometry.bands[0].skew, kBand, 1e-9);
  EXPECT_NEAR(drive.geometry.zones[0].track_skew, kSwitch, 1e-9);
  EXPECT_NEAR(drive.geometry.zones[0].cylinder_skew, kAlong, 1e-9);
  expect_places(drive, serpentine_blocks());
  EXPECT_EQ(notes_of(drive).find("begin up to"), std::string::npos);
}

TEST(ImportedTree, SlipsLeaveOutSectorsAndRemapsPutBlocksElsewhere) {
  // Sector 7 of the order and two from 100 on are slipped; block 50 lies on the last sector of all.
  std::vector<At> blocks = serpentine_blocks();
  const At last = blocks.back();
  blocks.erase(blocks.begin() + 100, blocks.begin() + 102);
  blocks.erase(blocks.begin() + 7);
  blocks.resize(1790);
  const ImportedDrive slipped = with_layout(serpentine_tree("7, 1, 100, 2", ""), 1790, 3).import();
  EXPECT_EQ(slipped.geometry.slips, (std::vector<media::SlippedSector>{{0, 7}, {0, 100}, {0, 101}}));
  expect_places(slipped, blocks);
  const ImportedDrive moved =
      with_layout(
          serpentine_tree("7, 1, 100, 2", fmt::format("50, 1, {}, {}, {}, 20", last.cylinder, last.head, last.sector)),
          1790, 3)
          .import();
  EXPECT_EQ(moved.geometry.remaps, (std::vector<media::RemappedBlock>{{50, -1}}));
  EXPECT_NE(notes_of(moved).find("1 blocks lie out of the order"), std::string::npos);
  blocks.erase(blocks.begin() + 50);
  const Geometry disk(moved.geometry);
  EXPECT_EQ(disk.locate(51).sector, blocks[50].sector);
}

TEST(ImportedTree, CylindersThatAlternateInTwoZonesOfOneTree) {
  // Leaf 0: two cylinders of 2 heads, there and back, 20 sectors a track; leaf 1: one cylinder, 18 of 19 sectors.
  const std::string tree =
      "dm_layout_g4 { TP = [ 0, 19, 20, 1, 18, 19 ],\nIDX = [\n"
      "[ 0, 0, 0.0, 20, 1, 0.0, 20, 1, TRACK, 0, 0,  20, 0, 0.25, 20, 1, 0.0, 20, 1, TRACK, 0, 1,\n"
      "  40, 1, 0.75, 20, 1, 0.0, 20, 1, TRACK, 0, 1,  60, 1, 0.0, 20, 1, 0.0, 20, 1, TRACK, 0, 0 ],\n"
      "[ 0, 0, 0.0, 18, 1, 0.0, 18, 1, TP, 1, 0,  18, 0, 0.25, 18, 1, 0.0, 18, 1, TP, 1, 1 ],\n"
      "[ 0, 0, 0.0, 80, 2, 0.5, 400, 10, IDX, 0,  400, 10, 0.125, 36, 1, 0.75, 360, 10, IDX, 1 ] ],\n"
      "Slips = [ ], Remaps = [ ] }";
  std::vector<At> blocks;
  for (std::uint32_t cylinder = 0; cylinder < 10; ++cylinder)
    for (std::uint32_t n = 0; n < 2; ++n)
      for (std::uint32_t sector = 0; sector < 20; ++sector)
        blocks.push_back({cylinder, cylinder % 2 == 0 ? n : 1 - n, sector,
                          cylinder / 2 * 0.5 + cylinder % 2 * 0.75 + n * 0.25 + sector / 20.0});
  for (std::uint32_t cylinder = 0; cylinder < 10; ++cylinder)
    for (std::uint32_t n = 0; n < 2; ++n)
      for (std::uint32_t sector = 1; sector < 19; ++sector)
        blocks.push_back({10 + cylinder, n, sector, 0.125 + cylinder * 0.75 + n * 0.25 + sector / 19.0});
  const ImportedDrive drive = with_layout(tree, 760, 2).import();
  EXPECT_NE(notes_of(drive).find("out of the order of tracks"), std::string::npos)
      << "one zone runs there and back, the other does not: " << notes_of(drive);
  const Geometry disk(drive.geometry);
  for (std::uint64_t lbn = 0; lbn < 400; ++lbn) {
    ASSERT_EQ(disk.locate(lbn).cylinder, blocks[lbn].cylinder) << lbn;
    ASSERT_EQ(disk.locate(lbn).head, blocks[lbn].head) << lbn;
    ASSERT_EQ(disk.locate(lbn).sector, blocks[lbn].sector) << lbn;
  }
}

TEST(ImportedTree, ATrackThatIsShortByADefectIsSlipped) {
  const ImportedDrive drive =
      with_layout(
          "dm_layout_g4 { TP = [ 0, 99, 100, 0, 98, 99 ],\nIDX = [ [ 0, 0, 0.0, 100, 1, 0.1, 400, 4, TRACK, 0, 0,\n"
          "400, 0, 0.5, 100, 1, 0.1, 300, 3, TRACK, 0, 1,\n700, 3, 0.9, 99, 1, 0.1, 99, 1, TRACK, 1, 1 ] ] }",
          799, 2)
          .import();
  ASSERT_EQ(drive.geometry.zones.size(), 1u);
  EXPECT_EQ(drive.geometry.zones[0].sectors_per_track, 100);
  EXPECT_TRUE(drive.geometry.surface_sectors.empty());
  EXPECT_NE(notes_of(drive).find("1 tracks have fewer sectors than those beside them on their surface, the first on "
                                 "cylinder 3, head 1"),
            std::string::npos)
      << notes_of(drive);
  EXPECT_EQ(drive.geometry.mapping, Mapping::inward_bands);
  EXPECT_EQ(drive.geometry.slips, (std::vector<media::SlippedSector>{{0, 799}})) << "it is no spare";
  std::vector<At> blocks;
  for (std::uint32_t track = 0; track < 8; ++track) {
    const double angle = track == 7 ? 0.9 : (track % 4) * 0.1 + (track / 4) * 0.5;
    for (std::uint32_t sector = 0; sector < (track == 7 ? 99u : 100u); ++sector)
      blocks.push_back({track % 4, track / 4, sector, angle + sector / 100.0});
  }
  const Geometry disk(drive.geometry);
  ASSERT_EQ(disk.sectors(), 799u) << notes_of(drive);
  for (std::uint64_t lbn = 0; lbn < 799; ++lbn) {
    const media::Location at = disk.locate(lbn);
    ASSERT_EQ(at.cylinder, blocks[lbn].cylinder) << lbn << notes_of(drive);
    ASSERT_EQ(at.head, blocks[lbn].head) << lbn;
    ASSERT_EQ(at.sector, blocks[lbn].sector) << lbn;
    ASSERT_EQ(at.sectors_per_track, 100u) << lbn;
    // The last track is said to lie 0.4 behind the one before it, the others 0.1: they have one skew.
    ASSERT_NEAR(std::remainder(angle_of(at) - blocks[lbn].angle, 1), 0, 0.2) << lbn;
  }
}

/// Bands of 10 cylinders, one surface after the other: `bands` of them, each surface with its own sectors a track.
/// Short tracks lack the last ones of their sectors.
struct Surfaced {
  std::vector<std::int64_t> sectors;  // of the surfaces
  int bands;
  std::map<std::pair<int, int>, int> lacking;  // cylinder and head: sectors

  int heads() const { return static_cast<int>(sectors.size()); }

  std::string tree() const {
    std::string patterns, leaves;
    std::map<std::int64_t, std::size_t> numbers;
    std::int64_t lbn = 0;
    for (int band = 0; band < bands; ++band) {
      for (int head = 0; head < heads(); ++head) {
        for (int i = 0; i < 10; ++i) {
          const int cylinder = band * 10 + (head % 2 == 0 ? i : 9 - i);
          const std::int64_t has = on_track(cylinder, head);
          const auto [at, added] = numbers.insert({has, numbers.size()});
          if (added) patterns += fmt::format("0, {}, {}, ", has - 1, has);
          leaves += fmt::format("{}, {}, {}, {}, 1, 0.0, {}, 1, TRACK, {}, {},\n", lbn, cylinder,
                                std::fmod((band * heads() * 10 + head * 10 + i) * 0.1, 1), has, has, at->second, head);
          lbn += has;
        }
      }
    }
    return "dm_layout_g4 { TP = [ " + patterns + " ], IDX = [ [ " + leaves + " ] ], Slips = [ ], Remaps = [ ] }";
  }

  std::int64_t on_track(int cylinder, int head) const {
    const auto lacks = lacking.find({cylinder, head});
    return sectors[static_cast<std::size_t>(head)] - (lacks == lacking.end() ? 0 : lacks->second);
  }

  std::vector<At> blocks() const {
    std::vector<At> blocks;
    for (int band = 0, track = 0; band < bands; ++band)
      for (int head = 0; head < heads(); ++head)
        for (int i = 0; i < 10; ++i, ++track)
          for (std::int64_t sector = 0; sector < on_track(band * 10 + (head % 2 == 0 ? i : 9 - i), head); ++sector)
            blocks.push_back({static_cast<std::uint32_t>(band * 10 + (head % 2 == 0 ? i : 9 - i)),
                              static_cast<std::uint32_t>(head), static_cast<std::uint32_t>(sector),
                              track * 0.1 + static_cast<double>(sector) /
                                                static_cast<double>(sectors[static_cast<std::size_t>(head)])});
    return blocks;
  }
};

TEST(ImportedTree, SurfacesMayHaveSectorsOfTheirOwn) {
  const Surfaced disk{{24, 20, 22}, 6, {}};
  const ImportedDrive drive = with_layout(disk.tree(), 0, 3).import();
  EXPECT_EQ(drive.geometry.mapping, Mapping::serpentine);
  ASSERT_EQ(drive.geometry.zones.size(), 1u);
  EXPECT_EQ(drive.geometry.zones[0].sectors_per_track, 24);
  EXPECT_EQ(drive.geometry.surface_sectors, (std::vector<media::SurfaceSectors>{{0, 1, 20}, {0, 2, 22}}));
  EXPECT_EQ(notes_of(drive).find("elsewhere"), std::string::npos) << notes_of(drive);
  EXPECT_NE(drive.text.find("surface_sectors = "), std::string::npos);
  expect_places(drive, disk.blocks());
}

TEST(ImportedTree, DefectsOfSurfacesWithSectorsOfTheirOwnAreSlipped) {
  const Surfaced disk{{24, 20, 22}, 6, {{{13, 0}, 1}, {{13, 1}, 3}, {{14, 1}, 1}, {{40, 2}, 2}, {{59, 0}, 1}}};
  const ImportedDrive drive = with_layout(disk.tree(), 0, 3).import();
  ASSERT_EQ(drive.geometry.zones.size(), 1u) << notes_of(drive);
  EXPECT_EQ(drive.geometry.surface_sectors, (std::vector<media::SurfaceSectors>{{0, 1, 20}, {0, 2, 22}}));
  EXPECT_EQ(drive.geometry.slips.size(), 8u);
  expect_places(drive, disk.blocks());
}

TEST(ImportedTree, AllBlocksOfARecentDiskAreThere) {
  // 310,194 cylinders, of which 200,000 stand in one entry of the outermost index.
  const std::string tree =
      "dm_layout_g4 { TP = [ 0, 999, 1000 ], IDX = [\n [ 0, 0, 0.0, 1000, 1, 0.1, 1000, 1, TRACK, 0, 0,\n"
      "1000, 0, 0.1, 1000, 1, 0.1, 1000, 1, TRACK, 0, 1 ],\n"
      "[ 0, 0, 0.0, 2000, 1, 0.2, 400000000, 200000, IDX, 0,\n"
      "400000000, 200000, 0.0, 2000, 1, 0.2, 220388000, 110194, IDX, 0 ] ], Slips = [ ], Remaps = [ ] }";
  const ImportedDrive drive = with_layout(tree, 620'388'000, 2).import();
  const Geometry disk(drive.geometry);
  EXPECT_EQ(disk.sectors(), 620'388'000u);
  EXPECT_EQ(disk.cylinders(), 310'194u);
  EXPECT_EQ(disk.locate(620'387'999).cylinder, 310'193u);
  EXPECT_EQ(disk.locate(620'387'999).sector, 999u);
  EXPECT_EQ(notes_of(drive).find("elsewhere"), std::string::npos) << notes_of(drive);
}

TEST(ImportedTree, TheLongestMoveIsThatBetweenTwoTracks) {
  // Outwards on the second head: the last block lies on the cylinder of the first one.
  const std::string tree =
      "dm_layout_g4 { TP = [ 0, 19, 20 ], IDX = [ [ 0, 0, 0.0, 20, 1, 0.0, 1000, 50, TRACK, 0, 0,\n"
      "1000, 49, 0.0, 20, 1, 0.0, 1000, -50, TRACK, 0, 1 ] ], Slips = [ ], Remaps = [ ] }";
  DiskSimFiles files = with_layout(tree, 2000, 2);
  files.change("Seek type = constant, Constant seek time = 5", "Seek type = extracted, Full seek curve = small.seek");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.seek.table.back().cylinders, 49) << "the line through the last two points goes on to there";
}

TEST(ImportedTree, NoBlockIsLostIfTheTracksHaveNoOrder) {
  std::string leaves;
  for (int track = 0; track < 60; ++track)  // every seventh of 60 tracks of two zones
    leaves += fmt::format("{}, {}, 0.0, 20, 1, 0.0, 20, 1, TRACK, {}, {},\n", track * 20, track * 7 % 60 / 2,
                          track * 7 % 60 < 30 ? 0 : 1, track * 7 % 2);
  const ImportedDrive drive = with_layout("dm_layout_g4 { TP = [ 0, 19, 20, 0, 19, 24 ], IDX = [ [ " + leaves +
                                              " ] ], Slips = [ ], Remaps = [ ] }",
                                          1200, 2)
                                  .import();
  EXPECT_EQ(Geometry(drive.geometry).sectors(), 1200u) << notes_of(drive);
  EXPECT_NE(notes_of(drive).find("of 1200 blocks lie elsewhere"), std::string::npos) << notes_of(drive);
}

TEST(ImportedTree, ACylinderThatNoDiskHasIsRefusedIfABlockLiesThere) {
  const auto tree = [](const std::string& entry) {
    return "dm_layout_g4 { TP = [ 0, 19, 20 ],\nIDX = [ [ " + entry + " ] ], Slips = [ ], Remaps = [ ] }";
  };
  const std::string outwards = tree("0, 3, 0.0, 20, 1, 0.0, 100, -5, TRACK, 0, 0");
  EXPECT_EQ(with_layout(outwards, 80, 1).message(), "accepted") << "the fifth track holds no block";
  EXPECT_NE(with_layout(outwards, 81, 1)
                .message()
                .find("small.model:4:11: IDX: this entry leads to cylinder -1; allowed: 0 to 8388607"),
            std::string::npos)
      << with_layout(outwards, 81, 1).message();
  EXPECT_NE(with_layout(outwards, 0, 1).message().find("leads to cylinder -1"), std::string::npos);
  const std::string inwards = tree("0, 8388606, 0.0, 20, 1, 0.0, 60, 3, TRACK, 0, 0");
  EXPECT_NE(with_layout(inwards, 60, 1).message().find("leads to cylinder 8388608"), std::string::npos);
}

TEST(ImportedTree, ARemapToNowhereAndHalfARowAreSaid) {
  const ImportedDrive drive = with_layout(serpentine_tree("7, 1, 9", "50, 2, 30, 0, 0, 20, 5"), 1790, 3).import();
  EXPECT_EQ(Geometry(drive.geometry).sectors(), 1790u) << "a block keeps its place if no pattern has the other";
  EXPECT_NE(notes_of(drive).find("Remaps: 2 blocks are remapped to sectors that no pattern has"), std::string::npos)
      << notes_of(drive);
  EXPECT_NE(notes_of(drive).find("Remaps: a remap has 6 numbers"), std::string::npos);
  EXPECT_NE(notes_of(drive).find("Slips: a slip has 2 numbers"), std::string::npos);
}

TEST(ImportedTree, WhatMakesNoTreeIsRefusedAtItsPlace) {
  const auto message = [](const std::string& layout) { return with_layout(layout, 0, 2).message(); };
  const auto tree = [&message](const std::string& tracks, const std::string& indices) {
    return message("dm_layout_g4 {\n TP = [ " + tracks + " ],\n IDX = [ " + indices +
                   " ], Slips = [ ], Remaps = [ ] }");
  };
  const std::string leaf = "[ 0, 0, 0.0, 20, 1, 0.0, 40, 2, TRACK, 0, 0 ]";
  EXPECT_EQ(tree("0, 19, 20", leaf), "accepted");
  EXPECT_NE(message("dm_layout_g4 { IDX = [ ] }").find("dm_layout_g4 lacks the key \"TP\""), std::string::npos);
  EXPECT_NE(tree("0, 20, 20", leaf).find("d/small.model:4:12: TP: last sector: 20 is out of range; allowed: 0 to 19"),
            std::string::npos);
  EXPECT_NE(tree("0, 19, 20", "").find("there is no index"), std::string::npos);
  EXPECT_NE(tree("0, 19, 20", "5").find("an index is a list"), std::string::npos);
  EXPECT_NE(tree("0, 19, 20", "[ 0, 0, 0.0 ]").find("an entry has lbn"), std::string::npos);
  EXPECT_NE(tree("0, 19, 20", "[ 0, 0, 0.0, 0, 1, 0.0, 40, 2, TRACK, 0, 0 ]")
                .find("IDX: length in blocks: 0 is out of range; allowed: 1"),
            std::string::npos);
  EXPECT_NE(tree("0, 19, 20", "[ 0, 0, 0.0, 20, 1, 0.0, 40, 2, TREE, 0, 0 ]").find("TRACK or IDX is expected"),
            std::string::npos);
  EXPECT_NE(tree("0, 19, 20", "[ 0, 0, 0.0, 20, 1, 0.0, 40, 2, IDX, 0 ]").find("more than 16 deep"), std::string::npos);
  EXPECT_NE(tree("0, 19, 20", "[ 0, 0, 0.0, 20, 1, 0.0, 40, 2, TRACK, 1, 0 ]").find("allowed: 0 to 0"),
            std::string::npos);
  EXPECT_NE(tree("0, 19, 20", "[ 0, 0, 0.0, 20, 1, 0.0, 0, 2, TRACK, 0, 0 ]").find("no index leads to a track"),
            std::string::npos);
  EXPECT_EQ(tree("0, 19, 20, 0, 9, 10",
                 "[ 0, 0, 0.0, 20, 1, 0.0, 20, 1, TRACK, 0, 0, 20, 0, 0.0, 10, 1, 0.0, 10, 1, TRACK, 1, 1 ]"),
            "accepted");
  EXPECT_NE(tree("0, 0, 1", "[ 0, 0, 0.0, 1, 1, 0.0, 100000000, 1, TRACK, 0, 0 ]").find("more tracks than are"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::importer
