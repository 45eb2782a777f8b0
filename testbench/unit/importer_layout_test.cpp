// Layout g1 of DiskSim in the keys of our geometry, scheme by scheme. Where a block must lie is counted by hand from
// DiskSim's description: the small disk has 3 surfaces, 7 cylinders of 20 sectors a track and 5 of 19.
#include "support/disksim_files.h"

#include "armature/media/geometry.h"

#include <gtest/gtest.h>

namespace armature::importer {
namespace {

using media::Geometry;
using media::GeometryParams;
using testing::DiskSimFiles;

DiskSimFiles of_scheme(int scheme) {
  DiskSimFiles files;
  files.change("Sparing scheme used = 9", "Sparing scheme used = " + std::to_string(scheme));
  files.change("defects = [ 100, 418 ]", "defects = [ ]");
  files.change("Block count = 690", "Block count = 0");
  return files;
}

GeometryParams geometry_of(const DiskSimFiles& files) {
  return files.import().geometry;
}

TEST(ImportedLayout, ZonesFrontsSlipsAndGapsOfTheSmallDisk) {
  const ImportedDrive drive = DiskSimFiles().import();
  const GeometryParams& geometry = drive.geometry;
  EXPECT_EQ(geometry.heads, 3);
  EXPECT_EQ(geometry.mapping, media::Mapping::alternating);
  EXPECT_TRUE(geometry.cylinder_gaps) << "cylinder 7 is of no zone";
  EXPECT_EQ(geometry.zones, (std::vector<media::ZoneParams>{{0, 6, 20, 3, 5, 4}, {8, 12, 19, 2, 4, 2}}));
  EXPECT_EQ(geometry.zone_fronts, (std::vector<media::ZoneFront>{{0, 7, 2}}));
  EXPECT_EQ(geometry.slips, (std::vector<media::SlippedSector>{{0, 33}, {0, 70}, {0, 71}}));
  EXPECT_EQ(geometry.spare_range_cylinders, 0);
  EXPECT_FALSE(geometry.spares_per_track);
  EXPECT_FALSE(geometry.spares_in_front);
  EXPECT_TRUE(geometry.slips_use_spares);
  EXPECT_EQ(geometry.slip_skew, media::SlipSkew::none);
  EXPECT_EQ(geometry.skew_unit, media::SkewUnit::sectors);
  EXPECT_EQ(geometry.blocks, 690) << "420 - 4 - 7 and 285 - 2 are two more";
  // Sector 100 holds block 100 - 7 - 3; the blocks of the zone end with sector 418, the only spare that is left.
  EXPECT_EQ(geometry.remaps, std::vector<media::RemappedBlock>{});
  ASSERT_EQ(drive.not_represented.size(), 3u);
  EXPECT_NE(drive.not_represented[0].find("small.model:35: defects: 1 of"), std::string::npos)
      << "sector 418 holds a block: the zone has 4 spares and 3 slips";
  EXPECT_NE(drive.notes[0].find("2 blocks more than Block count"), std::string::npos);

  const Geometry disk(geometry);
  const media::Location first = disk.locate(0);
  EXPECT_EQ(first.sector, 7u);
  EXPECT_EQ(first.angle.numerator, 9) << "behind what is reserved, and the offset of 2";
  // Block 25 is good sector 32, block 26 sector 34: one slip. Second track: 2 + 3 sectors of skew.
  EXPECT_EQ(disk.locate(25).sector, 12u);
  EXPECT_EQ(disk.locate(26).sector, 14u);
  EXPECT_EQ(disk.locate(26).angle.numerator, (2 + 3 + 14) % 20);
  // Cylinder 1 begins with sector 60, on the last head: two head switches and a cylinder switch.
  EXPECT_EQ(disk.locate(52).cylinder, 1u);
  EXPECT_EQ(disk.locate(52).head, 2u);
  EXPECT_EQ(disk.locate(52).angle.numerator, (2 + 3 + 3 + 5) % 20);
}

TEST(ImportedLayout, ADefectLiesInTheSpareThatTheFileNames) {
  DiskSimFiles files;
  files.change("defects = [ 100, 418 ]", "defects = [ 100, 419, 33, 419, 150, 419 ]");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.geometry.remaps, (std::vector<media::RemappedBlock>{{90, 0}}));
  EXPECT_NE(drive.not_represented[0].find("defects: 1 of"), std::string::npos) << "two sectors in one spare";
  const Geometry disk(drive.geometry);
  EXPECT_EQ(disk.locate(90).cylinder, 6u);
  EXPECT_EQ(disk.locate(90).sector, 19u);
  // Sector 418 is defective from the factory, behind the blocks: 419 is the first spare that is left.
  DiskSimFiles slipped;
  slipped.change("slips = [ 33, 70, 71 ]", "slips = [ 33, 70, 418 ]").change("100, 418", "100, 419");
  EXPECT_EQ(slipped.import().geometry.remaps, (std::vector<media::RemappedBlock>{{91, 0}}));
  EXPECT_EQ(Geometry(slipped.import().geometry).locate(91).sector, 19u);
  const ImportedDrive odd = DiskSimFiles().change("100, 418", "-3, 419, 100, 419, 150").import();
  EXPECT_EQ(odd.geometry.remaps, (std::vector<media::RemappedBlock>{{90, 0}}))
      << "a pair with a number below 0 is none";
  EXPECT_NE(odd.notes[0].find("small.model:35: 1 of the list are no whole numbers of at least 0, the first -3"),
            std::string::npos);
  EXPECT_NE(odd.notes[1].find("small.model:35: defects are pairs"), std::string::npos);
}

TEST(ImportedLayout, Scheme0HasNoSparesAndNoSlips) {
  const DiskSimFiles files = of_scheme(0);
  EXPECT_EQ(Geometry(geometry_of(files)).sectors(), 420u - 7 + 285);
  EXPECT_TRUE(geometry_of(files).slips.empty());
  EXPECT_NE(files.import().notes[0].find("slips nothing"), std::string::npos);
}

TEST(ImportedLayout, Scheme1CountsTracks) {
  DiskSimFiles files = of_scheme(1);
  files.change("slips = [ 33, 70, 71 ]", "slips = [ 1, 30 ]");
  const GeometryParams geometry = geometry_of(files);
  EXPECT_EQ(geometry.zones[0].spares, 80) << "4 tracks";
  EXPECT_EQ(geometry.zones[1].spares, 38);
  ASSERT_EQ(geometry.slips.size(), 20u) << "track 30 is behind the zone";
  EXPECT_EQ(geometry.slips.front(), (media::SlippedSector{0, 20}));
  EXPECT_EQ(geometry.slips.back(), (media::SlippedSector{0, 39}));
  EXPECT_EQ(Geometry(geometry).sectors(), 420u - 80 - 7 + 285 - 38);
  EXPECT_EQ(Geometry(geometry).locate(13).head, 2u) << "the track behind the slipped one";
}

TEST(ImportedLayout, Scheme1RemapsWholeTracks) {
  DiskSimFiles files = of_scheme(1);
  files.change("slips = [ 33, 70, 71 ]", "slips = [ ]");
  files.change("defects = [ ]\n         },\n         dm_layout_g1_zone {\n",
               "defects = [ 2, 20 ]\n         },\n"
               "         dm_layout_g1_zone {\n");
  const Geometry disk(geometry_of(files));
  // Track 2 holds blocks 33 to 52. Of the spare tracks 17 to 20 it is the last: cylinder 6, the third of its tracks.
  EXPECT_EQ(disk.locate(32).head, 1u);
  EXPECT_EQ(disk.locate(33).cylinder, 6u);
  EXPECT_EQ(disk.locate(33).head, 2u) << "cylinder 6 is the zone's seventh, so it runs forwards";
  EXPECT_EQ(disk.locate(33).sector, 0u);
  EXPECT_EQ(disk.locate(52).sector, 19u);
  EXPECT_EQ(disk.locate(53).cylinder, 1u);
}

TEST(ImportedLayout, Scheme2HasSparesOnEachCylinderAndSlipsThatDelayTheNextOnes) {
  const GeometryParams geometry = geometry_of(of_scheme(2));
  EXPECT_EQ(geometry.spare_range_cylinders, 1);
  EXPECT_EQ(geometry.slip_skew, media::SlipSkew::cylinder);
  const Geometry disk(geometry);
  EXPECT_EQ(disk.sectors(), 7u * 56 - 7 + 5u * 55);
  EXPECT_EQ(disk.locate(49).cylinder, 1u) << "56 - 7 blocks on the first cylinder";
  EXPECT_EQ(disk.locate(49).angle.numerator, (2 + 3 + 3 + 5 + 1) % 20) << "one slip on the cylinder before";
  EXPECT_EQ(disk.locate(49 + 56).angle.numerator, (2 + 2 * (3 + 3 + 5) + 3) % 20);
}

TEST(ImportedLayout, Scheme3HasSparesOnEachTrack) {
  const GeometryParams geometry = geometry_of(of_scheme(3));
  EXPECT_TRUE(geometry.spares_per_track);
  EXPECT_EQ(geometry.slip_skew, media::SlipSkew::track);
  const Geometry disk(geometry);
  EXPECT_EQ(disk.sectors(), 21u * 16 - 7 + 15u * 17);
  EXPECT_EQ(disk.locate(9).head, 1u);
  EXPECT_EQ(disk.locate(9 + 16).angle.numerator, (2 + 3 + 3 + 1) % 20);
}

TEST(ImportedLayout, Schemes4To6KeepSparesForLaterOrHaveThemInFront) {
  const Geometry slip_to_end(geometry_of(of_scheme(4)));
  EXPECT_EQ(slip_to_end.sectors(), 7u * 56 - 7 - 3 + 5u * 55);
  EXPECT_EQ(slip_to_end.locate(48).cylinder, 1u) << "a block less for the slip";
  const GeometryParams front = geometry_of(of_scheme(5));
  EXPECT_TRUE(front.spares_in_front);
  EXPECT_TRUE(front.slips_use_spares);
  EXPECT_EQ(Geometry(front).sectors(), 7u * 56 - 7 + 5u * 55);
  EXPECT_EQ(Geometry(front).locate(0).sector, 10u) << "three spares that are left, and the 7 reserved";
  const GeometryParams both = geometry_of(of_scheme(6));
  EXPECT_TRUE(both.spares_in_front);
  EXPECT_FALSE(both.slips_use_spares);
  EXPECT_EQ(Geometry(both).locate(0).sector, 11u);
}

TEST(ImportedLayout, Scheme7GivesAZoneAsManySparesAsItHasSlips) {
  const ImportedDrive drive = of_scheme(7).import();
  EXPECT_EQ(drive.geometry.zones[0].spares, 3);
  EXPECT_EQ(drive.geometry.zones[1].spares, 0);
  EXPECT_EQ(Geometry(drive.geometry).sectors(), 420u - 7 - 3 + 285);
  EXPECT_NE(drive.notes[0].find("a zone has none"), std::string::npos);
}

TEST(ImportedLayout, Scheme8HasSparesInEachWholeRange) {
  const ImportedDrive drive = of_scheme(8).import();
  EXPECT_EQ(drive.geometry.spare_range_cylinders, 2);
  EXPECT_EQ(drive.geometry.slip_skew, media::SlipSkew::none);
  EXPECT_EQ(Geometry(drive.geometry).sectors(), 420u - 7 - 3 * 4 + 285 - 2 * 2);
  // The last range, cylinder 6, has no spare: a slip there would push blocks out of the zone.
  DiskSimFiles files = of_scheme(8);
  files.change("71 ]", "71, 400, 72, 73, 74 ]");
  const ImportedDrive fewer = files.import();
  EXPECT_EQ(fewer.geometry.slips, (std::vector<media::SlippedSector>{{0, 33}, {0, 70}, {0, 71}, {0, 72}}));
  EXPECT_NE(fewer.notes[0].find("3 slips for which their range has no spare"), std::string::npos);
}

TEST(ImportedLayout, Scheme10HasSparesBesideThoseOfItsSlips) {
  EXPECT_EQ(geometry_of(of_scheme(10)).zones,
            (std::vector<media::ZoneParams>{{0, 6, 20, 3, 5, 7}, {8, 12, 19, 2, 4, 2}}));
}

TEST(ImportedLayout, MappingSchemes) {
  DiskSimFiles files;
  EXPECT_EQ(geometry_of(DiskSimFiles().change("mapping scheme = 1", "mapping scheme = 0")).mapping,
            media::Mapping::conventional);
  files.change("mapping scheme = 1", "mapping scheme = 2")
      .change("First cylinder number = 8", "First cylinder number = 7");
  const GeometryParams geometry = geometry_of(files);
  EXPECT_EQ(geometry.mapping, media::Mapping::alternating_odd);
  EXPECT_FALSE(geometry.cylinder_gaps);
  EXPECT_EQ(Geometry(geometry).locate(409).cylinder, 7u);
  EXPECT_EQ(Geometry(geometry).locate(409).head, 2u) << "an odd cylinder at the front of its zone";
}

TEST(ImportedLayout, SkewsOfRevolutionsLoseNothingAndThoseOfSectorsTheirFraction) {
  DiskSimFiles files;
  files.change("Rangesize for sparing = 2,", "Rangesize for sparing = 2, Skew units = revolutions,")
      .change("Offset of first block = 2.0", "Offset of first block = 0.1")
      .change("track switch = 3.0", "track switch = 0.125")
      .change("cylinder switch = 5.0", "cylinder switch = 1.25")
      .change("Number of spares = 2,", "Number of spares = 2, Skew units = sectors,");
  const GeometryParams geometry = geometry_of(files);
  EXPECT_EQ(geometry.skew_unit, media::SkewUnit::revolutions);
  EXPECT_EQ(geometry.zones[0], (media::ZoneParams{0, 6, 20, 0.125, 0.25, 4}));
  EXPECT_EQ(geometry.zone_fronts[0], (media::ZoneFront{0, 7, 0.1}));
  EXPECT_DOUBLE_EQ(geometry.zones[1].track_skew, 2.0 / 19);
  const media::Location at = Geometry(geometry).locate(13);  // the first of the second track
  EXPECT_NEAR(static_cast<double>(at.angle.numerator) / static_cast<double>(at.angle.denominator), 0.225, 1e-7);

  DiskSimFiles whole;
  whole.change("track switch = 3.0", "track switch = 3.75").change("cylinder switch = 5.0", "cylinder switch = -1");
  const ImportedDrive drive = whole.import();
  EXPECT_EQ(drive.geometry.zones[0], (media::ZoneParams{0, 6, 20, 3, 19, 4}));
  EXPECT_NE(drive.notes[0].find("small.model:31: Skew for track switch: the part of a sector"), std::string::npos);
}

TEST(ImportedLayout, ARecentDiskHasHundredsOfThousandsOfCylinders) {
  DiskSimFiles files;
  files.change("Last cylinder number = 12", "Last cylinder number = 310193")
      .change("Number of cylinders = 13", "Number of cylinders = 310194")
      .change("Block count = 690", "Block count = 17681009");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.geometry.zones[1].last_cylinder, 310'193);
  const media::Geometry disk(drive.geometry);
  EXPECT_EQ(disk.sectors(), 17'681'009u) << "3 (310,186 x 19) - 2 spares and 409 of the outer zone";
  EXPECT_EQ(disk.locate(disk.sectors() - 1).cylinder, 310'193u);
  files.change("Last cylinder number = 310193", "Last cylinder number = 8388608");
  EXPECT_NE(files.message().find("allowed: -1 to 8388607"), std::string::npos) << files.message();
}

TEST(ImportedLayout, FewerBlocksThanBlockCountIsExplained) {
  DiskSimFiles files;
  files.change("Block count = 690", "Block count = 700").change("Number of cylinders = 13", "Number of cylinders = 14");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.geometry.blocks, 0);
  EXPECT_NE(drive.notes[0].find("the zones hold 692 blocks, 8 fewer than Block count says"), std::string::npos);
  EXPECT_NE(drive.notes[1].find("ends with cylinder 12, Number of cylinders is 14"), std::string::npos);
}

TEST(ImportedLayout, ZonesThatOverlapOrStandInAnotherOrderOrHaveNoCylinderAreSaid) {
  const ImportedDrive overlap =
      DiskSimFiles().change("First cylinder number = 8", "First cylinder number = 6").import();
  EXPECT_EQ(overlap.geometry.zones[1], (media::ZoneParams{7, 12, 19, 2, 4, 2}));
  EXPECT_NE(overlap.notes[0].find("small.model:37: this zone begins at cylinder 6, and the one before it ends at 6: it "
                                  "is taken from 7 on"),
            std::string::npos);
  const ImportedDrive inside = DiskSimFiles()
                                   .change("First cylinder number = 8", "First cylinder number = 2")
                                   .change("Last cylinder number = 12", "Last cylinder number = 5")
                                   .import();
  EXPECT_EQ(inside.geometry.zones.size(), 1u);
  EXPECT_NE(inside.notes[0].find("it is left out"), std::string::npos);
  const ImportedDrive swapped = DiskSimFiles()
                                    .change("First cylinder number = 0", "First cylinder number = 20")
                                    .change("Last cylinder number = 6", "Last cylinder number = 26")
                                    .import();
  EXPECT_EQ(swapped.geometry.zones[0].first_cylinder, 8);
  EXPECT_EQ(swapped.geometry.zones[1].first_cylinder, 20);
  EXPECT_EQ(swapped.geometry.slips[0].zone, 1) << "its slips go with it";
  EXPECT_NE(swapped.notes[0].find("small.model:37: this zone begins at cylinder 8, before the one"), std::string::npos);
  const ImportedDrive none = DiskSimFiles().change("Last cylinder number = 12", "Last cylinder number = 7").import();
  EXPECT_EQ(none.geometry.zones.size(), 1u);
  EXPECT_NE(none.notes[0].find("ends at cylinder 7, before it begins at 8: it is left out"), std::string::npos);
}

TEST(ImportedLayout, WhatDiskSimWantsAndAFileLacksIsNone) {
  DiskSimFiles files;
  files.change("      Sparing scheme used = 9,\n", "")
      .change("      LBN-to-PBN mapping scheme = 1,\n", "")
      .change("   Block count = 690,\n", "")
      .change("   Number of cylinders = 13,\n", "")
      .change("            Number of spares = 4,\n            slips = [ 33, 70, 71 ],\n", "")
      .change("            Empty space at zone front = 7,\n", "");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.geometry.mapping, media::Mapping::conventional);
  EXPECT_EQ(drive.geometry.blocks, 0);
  EXPECT_EQ(Geometry(drive.geometry).sectors(), 420u + 285);
  std::string notes;
  for (const std::string& note : drive.notes) notes += note + "\n";
  for (const char* const keys : {"Number of cylinders, Block count", "Sparing scheme used, LBN-to-PBN mapping scheme",
                                 "Number of spares, Empty space at zone front"})
    EXPECT_NE(notes.find(std::string("taken as none: ") + keys), std::string::npos) << keys << notes;
  const ImportedDrive negative = DiskSimFiles()
                                     .change("Number of spares = 2", "Number of spares = -2")
                                     .change("slips = [ 33, 70, 71 ]", "slips = [ 33, -1, 70.0, x ]")
                                     .import();
  EXPECT_EQ(negative.geometry.zones[1].spares, 0);
  EXPECT_EQ(negative.geometry.slips, (std::vector<media::SlippedSector>{{0, 33}, {0, 70}}));
  EXPECT_NE(negative.notes[0].find("small.model:34: 2 of the list are no whole numbers of at least 0, the first -1"),
            std::string::npos);
}

TEST(ImportedLayout, WhatMakesNoLayoutIsRefusedAtItsPlace) {
  const auto message = [](const std::string& from, const std::string& to) {
    return DiskSimFiles().change(from, to).message();
  };
  EXPECT_EQ(message("Sparing scheme used = 9", "Sparing scheme used = 11"),
            "d/small.model:22:29: Sparing scheme used: 11 is out of range; allowed: 0 to 10");
  EXPECT_NE(message("Blocks per track = 20", "Blocks per track = 0").find("Blocks per track: 0 is out of range"),
            std::string::npos);
  EXPECT_NE(message("Blocks per track = 20", "Blocks per track = 20.5").find("a whole number is expected, not 20.5"),
            std::string::npos);
  EXPECT_NE(message("Blocks per track = 20", "Blocks per track = many").find("a number is expected, not many"),
            std::string::npos);
  EXPECT_NE(message("Number of spares = 2", "Number of spares = 285").find("makes no disk"), std::string::npos);
  EXPECT_NE(message("Rangesize for sparing = 2", "Skew units = degrees").find("degrees is neither"), std::string::npos);
  EXPECT_NE(message("dm_layout_g1_zone { # the outer one", "dm_mech_g1 { #").find("a zone is a dm_layout_g1_zone"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::importer
