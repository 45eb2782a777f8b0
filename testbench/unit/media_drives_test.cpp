// The drive files in scenarios/drives against the documents that they follow.
#include "support/drive_files.h"
#include "support/tree.h"

#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace armature::media {
namespace {

using armature::testing::DriveMechanics;
using armature::testing::load_drive_mechanics;

/// Sectors of a drive of `gigabytes` >= 50 by IDEMA LBA1.
constexpr std::uint64_t idema_sectors(std::uint64_t gigabytes) {
  return 97'696'368 + 1'953'504 * (gigabytes - 50);
}

/// What the documents say of a drive. Each number is typed here again, from its source and not from the drive's file.
struct Sheet {
  const char* file;
  std::uint64_t sectors;
  std::int64_t heads;
  double rpm;
  double average_ms;  ///< read seek over all pairs of different cylinders
  double
      tolerance_ms;   ///< 1e-6 where the curve is fitted; a measured curve against a rating: what one drive may differ
  double outer_mb_s;  ///< sustained, at the beginning; 0: not known
  double inner_mb_s;  ///< at the end
};

void PrintTo(const Sheet& sheet, std::ostream* out) {
  *out << sheet.file;
}

constexpr double kFitted = 1e-6;

const Sheet kSheets[] = {
    // Measured drives: parameters of DiskSim 4.0. The averages are the means of its tables with pairs of equal
    // cylinders (5.598, 7.201, 9.324, 9.523 ms) times N / (N - 1).
    {"quantum_atlas_10k", 17'938'986, 6, 10'025, 5.598 * 10'042 / 10'041, 1e-3, 0, 0},
    {"ibm_ultrastar_18es", 17'916'240, 5, 7200, 7.201 * 11'474 / 11'473, 1e-3, 0, 0},
    {"seagate_barracuda_st32171w", 4'110'000, 5, 7200, 9.324 * 5172 / 5171, 1e-3, 0, 0},
    {"hp_c3323a", 2'056'008, 7, 5396, 9.523 * 2982 / 2981, 2e-3, 0, 0},
    // HP 335H: 8 heads, 1,449 cylinders, 113 sectors of 256 bytes; the average is the integral of its curve, below.
    {"hp_335h", 8ull * 1449 * 113 / 2, 8, 4002, 0, 0, 0, 0},
    {"seagate_barracuda_es_750", idema_sectors(750), 8, 7200, 8.5, kFitted, 78, 0},
    {"seagate_barracuda_7200_7_160", idema_sectors(160), 4, 7200, 8.5, kFitted, 58, 0},
    {"hitachi_ultrastar_a7k1000", idema_sectors(1000), 10, 7200, 8.2, kFitted, 85, 42},
    {"ibm_ultrastar_36zx", 36'400'000'000 / 512, 20, 10'000, 5.4, kFitted, 28.9, 17.9},
    {"hitachi_ultrastar_15k73", 73'900'000'000 / 512, 8, 15'037, 3.9, kFitted, 0, 0},
    {"hitachi_dk23da_30", 58'605'120, 3, 4200, 13, kFitted, 0, 0},
    {"seagate_cheetah_15k3", 143'374'744, 8, 15'000, 3.8, kFitted, 0, 0},
    {"hitachi_travelstar_7k60", 117'210'240, 4, 7200, 10, kFitted, 0, 0},
    {"wd_velociraptor_300", idema_sectors(300), 4, 10'000, 4.2, kFitted, 120, 75},
    {"seagate_cheetah_36es", 71'687'369, 4, 10'000, 5.2, kFitted, 57, 38},
    {"ibm_microdrive_1gb", 2079 * 16 * 63, 2, 3600, 12, kFitted, 4.2, 2.6},
    {"wd_ultrastar_hc560_20tb", 20'000'588'955'648 / 512, 18, 7200, 7.4, kFitted, 291, 0},
    // Study devices: Schlosser 2004, table 5.1, of 41.6 GB.
    {"study_uberdisk", 41'600'000'000 / 512, 2, 55'000, 1.0149, kFitted, 0, 0},
    {"study_constant", 41'600'000'000 / 512, 2, 55'000, 0.326, kFitted, 0, 0},
    {"study_linear", 41'600'000'000 / 512, 2, 55'000, 0.1 + 1.9 * (39'512 / 3.0 - 1) / 39'509, kFitted, 0, 0},
    // Study devices: Sankar 2008, table 4.1: 19.07, 37.17 and 35.96 GB on 4, 4 and 6 platters. It names no seek times.
    {"study_md_10k_19gb", 19'070'000'000 / 512, 8, 10'000, 0, 0, 0, 0},
    {"study_md_10k_37gb", 37'170'000'000 / 512, 8, 10'000, 0, 0, 0, 0},
    {"study_md_7200_36gb", 35'960'000'000 / 512, 12, 7200, 0, 0, 0, 0},
    // Study device: a study of disk arrays, 2002, table 1: 33.6 GB, 12,000 rpm; the seeks are the 36ZX's.
    {"study_raid_36zx", 33'600'000'000 / 512, 20, 12'000, 5.4, kFitted, 0, 0},
};

class DriveFile : public ::testing::TestWithParam<Sheet> {
 protected:
  const DriveMechanics drive_ = load_drive_mechanics(GetParam().file);
  const Geometry geometry_{drive_.geometry};
  const actuator::SeekProfile profile_{drive_.seek, geometry_.cylinders()};

  const ZoneParams& zone_row(std::uint32_t cylinder) const {
    const auto& zones = drive_.geometry.zones;
    return *std::find_if(zones.begin(), zones.end(),
                         [cylinder](const auto& zone) { return cylinder <= zone.last_cylinder; });
  }

  /// Over every pair of different cylinders: 2 (N - n) ordered pairs are n apart.
  double mean_seek_ms(std::uint32_t cylinders) const {
    long double sum = 0;
    for (std::uint32_t n = 1; n < cylinders; ++n)
      sum += 2.0L * (cylinders - n) * static_cast<long double>(profile_.seek(n));
    return static_cast<double>(sum / cylinders / (cylinders - 1.0L)) * 1e-9;
  }
};

std::string file_of(const ::testing::TestParamInfo<Sheet>& drive) {
  return drive.param.file;
}

/// The sheets for which `holds`.
std::vector<Sheet> sheets_where(bool (*holds)(const Sheet&)) {
  std::vector<Sheet> chosen;
  std::copy_if(std::begin(kSheets), std::end(kSheets), std::back_inserter(chosen), holds);
  return chosen;
}

class DriveWithAverage : public DriveFile {};
class DriveWithRate : public DriveFile {};

INSTANTIATE_TEST_SUITE_P(Drives, DriveFile, ::testing::ValuesIn(kSheets), file_of);
INSTANTIATE_TEST_SUITE_P(Drives, DriveWithAverage,
                         ::testing::ValuesIn(sheets_where([](const Sheet& s) { return s.average_ms > 0; })), file_of);
INSTANTIATE_TEST_SUITE_P(Drives, DriveWithRate,
                         ::testing::ValuesIn(sheets_where([](const Sheet& s) { return s.outer_mb_s > 0; })), file_of);

TEST(DriveFiles, EachFileInTheFolderIsInTheTableOfThisTest) {
  std::set<std::string> sheets;
  for (const Sheet& sheet : kSheets) sheets.insert(sheet.file);
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives")) {
    if (entry.path().extension() != ".toml") continue;
    // What is only a base with some keys changed may be in the table, too.
    const bool known = sheets.erase(entry.path().stem().string()) > 0;
    EXPECT_TRUE(known || config::load(entry.path().string()).find("base")) << entry.path();
  }
  EXPECT_EQ(sheets, std::set<std::string>{}) << "of no file";
}

TEST_P(DriveFile, CapacityHeadsAndSpeedAreTheDocuments) {
  EXPECT_EQ(geometry_.sectors(), GetParam().sectors);
  EXPECT_EQ(drive_.geometry.heads, GetParam().heads);
  EXPECT_EQ(drive_.spindle.rpm, GetParam().rpm);
}

TEST_P(DriveWithAverage, AverageSeekComesOutByTheDatasheetsDefinition) {
  EXPECT_NEAR(mean_seek_ms(geometry_.cylinders()), GetParam().average_ms, GetParam().tolerance_ms);
}

TEST(DriveFiles, TheAtlasIsWithinTwoPercentOfItsRating) {
  // 5.7 ms and 6.19 ms are the ratings of the type (Schlosser 2004, 5.1.4). Two percent is what one drive may differ
  // from its type.
  const DriveMechanics drive = load_drive_mechanics("quantum_atlas_10k");
  const double mean = actuator::SeekProfile(drive.seek, 10'042).mean_over_cylinders_ms();
  EXPECT_NEAR(mean, 5.7, 0.02 * 5.7);
  EXPECT_NEAR(mean + drive.seek.write_settle_ms, 6.19, 0.02 * 6.19);
}

TEST(DriveFiles, TheLastBlockOfAMeasuredDriveLiesWhereItsLongestMeasuredSeekEnds) {
  const struct {
    const char* file;
    std::uint32_t longest_seek;
    std::uint32_t cylinders;
  } drives[] = {{"quantum_atlas_10k", 10'021, 10'042},
                {"ibm_ultrastar_18es", 11'377, 11'474},
                {"seagate_barracuda_st32171w", 4986, 5172},
                {"hp_c3323a", 2976, 2982}};
  for (const auto& expected : drives) {
    SCOPED_TRACE(expected.file);
    const DriveMechanics drive = load_drive_mechanics(expected.file);
    const Geometry geometry(drive.geometry);
    EXPECT_EQ(drive.seek.table.back().cylinders, expected.longest_seek);
    // The 18ES begins on cylinder 1, as cylinder 0 is its own; the C3323A's measured seeks begin on cylinder 0.
    const std::uint32_t first = std::string(expected.file) == "ibm_ultrastar_18es" ? geometry.locate(0).cylinder : 0;
    EXPECT_EQ(geometry.locate(geometry.sectors() - 1).cylinder, first + expected.longest_seek);
    EXPECT_EQ(geometry.cylinders(), expected.cylinders);
  }
}

TEST(DriveFiles, ZonesOfMeasuredDrivesHoldAsManySectorsAsTheirSources) {
  // Sums of (last - first + 1) * heads * sectors a track over the zone tables extracted from DiskSim's models. A rated
  // number of blocks would hide a wrong boundary.
  const std::pair<const char*, double> drives[] = {{"quantum_atlas_10k", 17'969'010},
                                                   {"ibm_ultrastar_18es", 18'035'825},
                                                   {"seagate_barracuda_st32171w", 4'293'350},
                                                   {"hp_c3323a", 2'109'604}};
  for (const auto& [file, expected] : drives) {
    const GeometryParams params = load_drive_mechanics(file).geometry;
    double sectors = 0;
    for (const auto& zone : params.zones)
      sectors += static_cast<double>(zone.cylinders() * params.heads * zone.sectors_per_track);
    EXPECT_EQ(sectors, expected) << file;
  }
}

TEST(DriveFiles, MeasuredLayoutsKeepWhatADriveHoldsForItself) {
  // From the zone tables: the 18ES keeps cylinder 0 and those between zones, the C3323A its first 11 tracks of 7 a
  // cylinder, the Barracuda the cylinders behind its zones.
  const Geometry ibm(load_drive_mechanics("ibm_ultrastar_18es").geometry);
  EXPECT_EQ(ibm.locate(0).cylinder, 1u);
  EXPECT_EQ(ibm.blocks_on_cylinder(0), 0u);
  EXPECT_EQ(ibm.blocks_on_cylinder(257), 0u);
  EXPECT_EQ(ibm.blocks_on_cylinder(258), 5u * 390);
  EXPECT_EQ(ibm.locate(5 * 390 * 256).cylinder, 258u) << "256 cylinders, less three slips, before";
  const Geometry hp(load_drive_mechanics("hp_c3323a").geometry);
  EXPECT_EQ(hp.locate(0).cylinder, 1u);
  EXPECT_EQ(hp.locate(0).head, 4u);
  EXPECT_EQ(hp.lbn_of(994, 0, 0), 994u * 7 * 120 - 1320 - 224 * 120) << "224 spare tracks at the end of zone 0";
  EXPECT_EQ(hp.locate(*hp.lbn_of(994, 0, 0)).angle.numerator, 48) << "zone 1 begins 48 sectors from the index";
  const Geometry barracuda(load_drive_mechanics("seagate_barracuda_st32171w").geometry);
  EXPECT_EQ(barracuda.blocks_on_cylinder(1128), 0u);
  EXPECT_EQ(barracuda.blocks_on_cylinder(0), 5u * 186);
  EXPECT_EQ(barracuda.blocks_on_cylinder(5), 5u * 186 - 88) << "88 spares at the end of six cylinders";
  EXPECT_EQ(barracuda.lbn_of(6, 0, 0), 6u * 5 * 186 - 88);
}

TEST(DriveFiles, TheHp335hSeeksAsItsTraceHeaderSays) {
  // {616, 3450, 597, 10840, 12} us: 3450 + 597 sqrt(d) below 616 cylinders, 10840 + 12 d from there on.
  const actuator::SeekProfile profile(load_drive_mechanics("hp_335h").seek, 1449);
  for (std::uint32_t d = 1; d < 616; ++d) {
    ASSERT_NEAR(static_cast<double>(profile.seek(d)), (3450 + 597 * std::sqrt(static_cast<double>(d))) * 1e6, 1) << d;
  }
  for (std::uint32_t d = 616; d < 1449; ++d) ASSERT_EQ(profile.seek(d), (10'840 + 12 * Ps{d}) * 1'000'000) << d;
}

TEST(DriveFiles, StudyDevicesMoveAsTheyAreMeantToThePicosecond) {
  const auto profile = [](const char* name) {
    const DriveMechanics drive = load_drive_mechanics(name);
    return actuator::SeekProfile(drive.seek, Geometry(drive.geometry).cylinders());
  };
  const auto constant = profile("study_constant"), linear = profile("study_linear"), uber = profile("study_uberdisk");
  for (const std::uint32_t d : {1u, 2u, 1000u, 39'510u}) EXPECT_EQ(constant.seek(d), 326'000'000) << d;
  EXPECT_EQ(constant.seek(0), 0);
  EXPECT_EQ(linear.seek(1), 100'000'000);
  EXPECT_EQ(linear.seek(19'756), 100'000'000 + 1'900'000'000ll * 19'755 / 39'509);
  EXPECT_EQ(linear.seek(39'510), 2'000'000'000);
  EXPECT_EQ(uber.seek(1), 100'000'000);
  EXPECT_EQ(uber.seek(39'510), 2'000'000'000);
}

TEST(DriveFiles, TheUberdiskTakesWhatItsAuthorSaysForTheFirst346Gigabytes) {
  // Schlosser 2004, table 5.1: 0.88 ms mean access. 4 KB at random places, the arm somewhere in the same region.
  DriveMechanics drive = load_drive_mechanics("study_uberdisk");
  auto disk = armature::testing::for_integration(drive.geometry, drive.seek, drive.spindle);
  disk.blocks = static_cast<std::int64_t>(3.46e9 / 512);
  EXPECT_NEAR(armature::testing::mean_service(disk, 8, false).total(), 0.88, 0.001);
}

/// Sustained rate over whole cylinders (or bands) at the beginning or end of the disk, MB/s, from the angles of tracks
/// alone: a track lasts a turn and the skew to the next.
double sustained_mb_s(const Geometry& geometry, double rpm, std::uint64_t first_lbn, std::uint64_t blocks) {
  double turns = 0;
  Location track = geometry.locate(first_lbn);
  std::uint64_t lbn = first_lbn;
  while (lbn < first_lbn + blocks) {
    lbn += track.run;
    const Location next = geometry.locate(lbn);
    const double per_track = track.sectors_per_track;
    // From the start of this track to its end, then on to the first sector of the next one.
    double gap = static_cast<double>(next.angle.numerator) / static_cast<double>(next.angle.denominator) -
                 static_cast<double>(track.angle.numerator + track.run) / static_cast<double>(track.angle.denominator);
    while (gap < 0) gap += 1;
    turns += track.run / per_track + gap;
    track = next;
  }
  return static_cast<double>(lbn - first_lbn) * 512 / (turns * 60 / rpm) * 1e-6;
}

TEST_P(DriveWithRate, SustainedRatesAreTheDatasheets) {
  const Sheet& sheet = GetParam();
  // Skews are whole sectors, rounded up: slower than the formula by up to a sector a track; the number of sectors of a
  // track is rounded to a whole one (to eight with 4,096 bytes).
  const double outer_step = 1.0 / geometry_.sectors_per_track(0),
               inner_step = 1.0 / geometry_.sectors_per_track(geometry_.cylinders() - 1);
  const double unit = drive_.geometry.physical_sector_bytes == 4096 ? 4 : 0.5;
  const std::uint64_t cylinder =
      std::uint64_t{geometry_.sectors_per_track(0)} * static_cast<std::uint64_t>(sheet.heads);
  const std::uint64_t run = std::min<std::uint64_t>(200 * cylinder, geometry_.sectors() / 50);
  EXPECT_NEAR(sustained_mb_s(geometry_, sheet.rpm, 0, run), sheet.outer_mb_s,
              sheet.outer_mb_s * (1 + unit) * outer_step);
  if (sheet.inner_mb_s == 0) return;
  const auto first = static_cast<std::uint32_t>(drive_.geometry.zones.back().first_cylinder) + 1;
  const std::uint64_t inner_run =
      std::min<std::uint64_t>(run, geometry_.sectors() - *geometry_.lbn_of(first, 0, 0) - cylinder);
  EXPECT_NEAR(sustained_mb_s(geometry_, sheet.rpm, *geometry_.lbn_of(first, 0, 0), inner_run), sheet.inner_mb_s,
              sheet.inner_mb_s * (1 + unit) * inner_step);
}

TEST(DriveFiles, TracksHoldLessThanTheMediaRateBringsPast) {
  // Bits at the head, 10^6 a second: 1,070 of the A7K1000, 129 and 64 MB/s of 15K73 and 7K60. Three quarters are data.
  const auto data = [](const char* name) {
    const DriveMechanics drive = load_drive_mechanics(name);
    return Geometry(drive.geometry).sectors_per_track(0) * 4096e-6 / (60 / drive.spindle.rpm);
  };
  EXPECT_NEAR(data("hitachi_ultrastar_a7k1000") / 1070, 0.75, 0.002);
  EXPECT_NEAR(data("hitachi_ultrastar_15k73") / (129 * 8), 0.75, 0.001);
  EXPECT_NEAR(data("hitachi_travelstar_7k60") / (64 * 8), 0.75, 0.001);
}

TEST(DriveFiles, TheAtlasTransfersAtItsMeasuredDensity) {
  const DriveMechanics drive = load_drive_mechanics("quantum_atlas_10k");
  const Geometry geometry(drive.geometry);
  EXPECT_EQ(geometry.sectors_per_track(0), 334u);
  EXPECT_EQ(geometry.sectors_per_track(10'041), 229u);
  // 6 tracks of a cylinder: 334 * 6 sectors, 5 head skews of 63 and a cylinder skew of 113 sectors; 24 zones, of which
  // the run below stays in the first.
  const double expected = 334 * 6 * 512 / ((6 + (5 * 63 + 113) / 334.0) * 60 / 10'025) * 1e-6;
  EXPECT_NEAR(sustained_mb_s(geometry, 10'025, 0, 334 * 6 * 400), expected, 0.01);
}

TEST_P(DriveFile, SkewsCoverTheSwitchOfAWrite) {
  const double turn_ms = 60'000 / drive_.spindle.rpm;
  const double head_switch = drive_.seek.head_switch_ms + drive_.seek.write_settle_ms;
  // Conventional: back to head 0 as well. Alternating and serpentine keep the head.
  const bool head_changes = drive_.geometry.mapping == Mapping::conventional;
  const double cylinder_switch = to_ms(profile_.positioning(0, 1, head_changes)) + drive_.seek.write_settle_ms;
  for (const auto& zone : drive_.geometry.zones) {
    EXPECT_GT(zone.track_skew / static_cast<double>(zone.sectors_per_track) * turn_ms, head_switch + 0.03)
        << "zone from cylinder " << zone.first_cylinder;
    EXPECT_GT(zone.cylinder_skew / static_cast<double>(zone.sectors_per_track) * turn_ms, cylinder_switch + 0.03)
        << "zone from cylinder " << zone.first_cylinder;
  }
}

TEST_P(DriveFile, RandomBlocksGoThereAndBack) {
  RandomStream random(11, GetParam().file);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t lbn = random.below(geometry_.sectors());
    const Location at = geometry_.locate(lbn);
    ASSERT_EQ(geometry_.lbn_of(at.cylinder, at.head, at.sector), lbn);
    ASSERT_GE(at.run, 1u);
    ASSERT_LE(at.sector + at.run, at.sectors_per_track);
    if (lbn + at.run < geometry_.sectors()) {
      const Location last = geometry_.locate(lbn + at.run - 1), next = geometry_.locate(lbn + at.run);
      ASSERT_EQ(last.cylinder, at.cylinder);
      ASSERT_EQ(last.head, at.head);
      ASSERT_EQ(last.run, 1u);
      ASSERT_TRUE(next.cylinder != at.cylinder || next.head != at.head) << lbn;
      if (next.sectors_per_track == at.sectors_per_track && next.sector == 0) {
        const ZoneParams& zone = zone_row(at.cylinder);
        if (&zone_row(next.cylinder) == &zone) {
          const auto start = [](const Location& l) { return l.angle.numerator - l.sector + 2 * l.sectors_per_track; };
          const std::int64_t skew = (start(next) - start(at)) % at.sectors_per_track;
          const double expected = next.cylinder == at.cylinder ? zone.track_skew : zone.cylinder_skew;
          ASSERT_EQ((skew + at.sectors_per_track) % at.sectors_per_track, static_cast<std::int64_t>(expected)) << lbn;
        }
      }
    }
  }
}

TEST_P(DriveFile, CylindersHoldAllBlocksAndAnIndependentCountAgrees) {
  const auto disk = armature::testing::for_integration(drive_.geometry, drive_.seek, drive_.spindle);
  const auto blocks = armature::testing::blocks_by_cylinder(disk);
  ASSERT_EQ(blocks.size(), geometry_.cylinders());
  std::uint64_t sum = 0;
  for (std::uint32_t c = 0; c < geometry_.cylinders(); ++c) {
    const std::int64_t here = geometry_.blocks_on_cylinder(c);
    sum += static_cast<std::uint64_t>(here);
    // The count leaves out slips, which move blocks to the zone's end, and so is theirs too many or too few.
    ASSERT_NEAR(static_cast<double>(here), static_cast<double>(blocks[c]),
                static_cast<double>(drive_.geometry.slips.size()))
        << c;
  }
  EXPECT_EQ(sum, geometry_.sectors());
}

}  // namespace
}  // namespace armature::media
