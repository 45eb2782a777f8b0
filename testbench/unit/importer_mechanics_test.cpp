// Mechanics g1 of DiskSim in our keys: each type of seek curve, against its published equation.
#include "support/disksim_files.h"

#include "armature/actuator/seek_profile.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armature::importer {
namespace {

using actuator::SeekCurve;
using actuator::SeekParams;
using actuator::SeekProfile;
using testing::DiskSimFiles;
using Rows = std::vector<std::vector<double>>;

constexpr std::uint32_t kCylinders = 13;

DiskSimFiles of_type(const std::string& type) {
  DiskSimFiles files;
  files.change("Seek type = extracted", "Seek type = " + type);
  return files;
}

TEST(ImportedMechanics, SpeedHeadSwitchAndWriteSettle) {
  const ImportedDrive drive = DiskSimFiles().import();
  EXPECT_EQ(drive.rpm, 6000);
  EXPECT_EQ(drive.seek.head_switch_ms, 0.9);
  EXPECT_EQ(drive.seek.write_settle_ms, 0.4);
}

TEST(ImportedMechanics, AnExtractedCurveIsTheTableAndItsLastLineGoesOn) {
  const ImportedDrive drive = DiskSimFiles().import();
  // Blocks lie on cylinders 0 to 12: the line from 4 to 9 cylinders, 0.35 ms each, goes on to 12.
  ASSERT_EQ(drive.seek.table.size(), 5u);
  EXPECT_EQ(drive.seek.table[0], (std::vector<double>{1, 1}));
  EXPECT_EQ(drive.seek.table[1], (std::vector<double>{2, 1.5})) << "the deviation is not used";
  EXPECT_EQ(drive.seek.table[3], (std::vector<double>{9, 4}));
  EXPECT_EQ(drive.seek.table[4][0], 12);
  EXPECT_NEAR(drive.seek.table[4][1], 5.05, 1e-12);
  EXPECT_NE(drive.notes[1].find("small.model:12: blocks lie 12 cylinders from each other and the longest move measured "
                                "is 9"),
            std::string::npos);
  const SeekProfile profile(drive.seek, kCylinders);
  EXPECT_EQ(profile.seek(3), 1'875'000'000);
  EXPECT_EQ(drive.files, (std::vector<std::string>{"d/small.diskspecs", "d/small.model", "d/small.seek"}));
}

TEST(ImportedMechanics, ACurveThatBeginsFurtherOnComesFromZero) {
  DiskSimFiles files;
  files.set("small.seek", "4, 2.0\n12, 3.0\n");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.seek.table, (Rows{{1, 0.5}, {4, 2}, {12, 3}}));
  EXPECT_NE(drive.notes[1].find("small.seek:1: the shortest move measured is 4 cylinders"), std::string::npos);
}

TEST(ImportedMechanics, ABrokenSeekFileIsSaidWithItsLine) {
  const auto message = [](const std::string& text) { return DiskSimFiles().set("small.seek", text).message(); };
  EXPECT_EQ(message("Seek distances measured: many\n"),
            "d/small.seek:1: a number of seek distances is expected, not \"Seek distances measured: many\"");
  EXPECT_EQ(message("Seek distances measured: 2\n1, 1\n2; 3\n"),
            "d/small.seek:3: \"distance, milliseconds\" is expected, not \"2; 3\"");
  EXPECT_EQ(message("2, 1\n1, 2\n"), "d/small.seek:2: distance 1 does not follow 2: they must grow");
  EXPECT_EQ(message("1, -1\n"), "d/small.seek:1: a seek of -1 ms is out of range; allowed: 0 to 1000");
  EXPECT_EQ(message("1, nan\n"), "d/small.seek:1: a seek of nan ms is out of range; allowed: 0 to 1000");
  EXPECT_EQ(message("0, 1\n"), "d/small.seek:1: a distance of 0 cylinders is out of range");
  EXPECT_EQ(message("1, 1 2\n"), "d/small.seek:1: \"distance, milliseconds\" is expected, not \"1, 1 2\"");
  EXPECT_EQ(message("\n"), "d/small.seek: there is no seek time in this file");
  EXPECT_EQ(DiskSimFiles().change("= small.seek", "= other.seek").message(),
            "d/small.model:12:25: Full seek curve: d/other.seek: cannot be read");
  const ImportedDrive drive =
      DiskSimFiles().set("small.seek", "Seek distances measured: 9\n1, 1\n12, 2\n12, 3\n").import();
  EXPECT_EQ(drive.seek.table, (Rows{{1, 1}, {12, 2}}));
  EXPECT_NE(drive.notes[1].find("small.seek:4: distance 12 stands twice"), std::string::npos);
  EXPECT_NE(drive.notes[2].find("small.seek:1: 9 seek distances are announced, 2 follow"), std::string::npos);
}

TEST(ImportedMechanics, ConstantSeeks) {
  const ImportedDrive drive = of_type("constant").import();
  EXPECT_EQ(drive.seek.curve, static_cast<int>(SeekCurve::constant));
  EXPECT_EQ(SeekProfile(drive.seek, kCylinders).seek(7), 5'500'000'000);
}

TEST(ImportedMechanics, ALineThroughTheAverageAtAThirdOfTheCylinders) {
  // DiskSim 2.0: one + 3 (d - 1) / N (avg - one) to N / 3 = 4, then avg + (3 d - N) / (2 N) (full - avg); N = 13.
  const ImportedDrive drive = of_type("linear").import();
  const SeekProfile profile(drive.seek, kCylinders);
  for (std::uint32_t d = 1; d < kCylinders; ++d) {
    const double ms = d <= 4 ? 1 + 3.0 * (d - 1) / 13 * (8 - 1) : 8 + (3.0 * d - 13) / 26 * (16 - 8);
    EXPECT_NEAR(static_cast<double>(profile.seek(d)), ms * 1e9, 2) << d;
  }
}

TEST(ImportedMechanics, LeesCurve) {
  const ImportedDrive drive = of_type("curve").import();
  EXPECT_EQ(drive.seek.curve, static_cast<int>(SeekCurve::lee));
  const SeekProfile profile(drive.seek, kCylinders);
  const double a = (-10 * 1.0 + 15 * 8.0 - 5 * 16.0) / (3 * std::sqrt(13.0));
  const double b = (7 * 1.0 - 15 * 8.0 + 8 * 16.0) / (3 * 13.0);
  for (std::uint32_t d = 1; d < kCylinders; ++d)
    EXPECT_NEAR(static_cast<double>(profile.seek(d)), (a * std::sqrt(d - 1.0) + b * (d - 1.0) + 1) * 1e9, 1) << d;
  DiskSimFiles falling = of_type("curve");
  falling.change("Average seek time = 8.0", "Average seek time = 12.0");
  const ImportedDrive lines = falling.import();
  EXPECT_EQ(lines.seek.curve, static_cast<int>(SeekCurve::measured));
  EXPECT_EQ(lines.seek.table.size(), 4u);
  EXPECT_EQ(lines.seek.head_switch_ms, 0.9);
  EXPECT_NE(lines.notes[1].find("two lines are taken instead"), std::string::npos);
}

TEST(ImportedMechanics, HplsPiecesWithItsTimeForOneCylinder) {
  // V = [ 5, 1.5, 0.5, 2.2, 0.1, 0.75 ]: below 5 cylinders 1.5 + 0.5 sqrt(d), then 2.2 + 0.1 d, one cylinder 0.75.
  const ImportedDrive drive = of_type("hpl").import();
  EXPECT_EQ(drive.seek.two_piece, (Rows{{5, 1.5, 0.5, 2.2, 0.1}}));
  const SeekProfile profile(drive.seek, kCylinders);
  EXPECT_EQ(profile.seek(1), 750'000'000);
  EXPECT_EQ(profile.seek(4), 2'500'000'000);
  EXPECT_EQ(profile.seek(5), 2'700'000'000);
  EXPECT_EQ(profile.seek(12), 3'400'000'000);
  DiskSimFiles without = of_type("hpl");
  without.change("0.1, 0.75 ]", "0.1, -1 ]");
  EXPECT_EQ(SeekProfile(without.import().seek, kCylinders).seek(1), 2'000'000'000);
}

TEST(ImportedMechanics, HplsPiecesWithTheFirstTen) {
  const ImportedDrive drive = of_type("hplplus10").import();
  const SeekProfile profile(drive.seek, kCylinders);
  EXPECT_EQ(profile.seek(1), 1'100'000'000);
  EXPECT_EQ(profile.seek(10), 2'000'000'000);
  EXPECT_EQ(profile.seek(11), 3'300'000'000);
}

TEST(ImportedMechanics, HplsPiecesThatDoNotMeetBecomeATable) {
  DiskSimFiles files = of_type("hpl");
  files.change("[ 5, 1.5, 0.5, 2.2, 0.1, 0.75 ]", "[ 5, 1.5, 0.5, 1.0, 0.1, 0.75 ]");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.seek.curve, static_cast<int>(SeekCurve::measured));
  const SeekProfile profile(drive.seek, kCylinders);
  EXPECT_EQ(profile.seek(1), 750'000'000);
  EXPECT_NEAR(static_cast<double>(profile.seek(3)), (1.5 + 0.5 * std::sqrt(3.0)) * 1e9, 1);
  EXPECT_EQ(profile.seek(5), 1'500'000'000);
  EXPECT_EQ(profile.seek(9), 1'900'000'000);
  EXPECT_EQ(profile.seek(12), 2'200'000'000);
}

TEST(ImportedMechanics, WhatIsNotFollowedIsSaid) {
  DiskSimFiles files;
  files.change("Access time type = trackSwitchPlusRotation", "Access time type = averageRotation")
      .change("Percent error in rpms = 0.0", "Percent error in rpms = 1.5");
  const ImportedDrive drive = files.import();
  std::string all;
  for (const std::string& line : drive.not_represented) all += line + "\n";
  EXPECT_NE(all.find("small.model:6: Access time type = averageRotation: the angle is always followed"),
            std::string::npos);
  EXPECT_NE(all.find("small.model:16: Percent error in rpms = 1.5: each drive turns"), std::string::npos);
}

TEST(ImportedMechanics, WrongNumbersAreRefusedAtTheirPlace) {
  const auto message = [](const std::string& type, const std::string& from, const std::string& to) {
    return of_type(type).change(from, to).message();
  };
  EXPECT_EQ(message("extracted", "(in rpms) = 6000", "(in rpms) = fast"),
            "d/small.model:15:34: Rotation speed (in rpms): a number is expected, not fast");
  EXPECT_EQ(message("extracted", "Head switch time = 0.9", "Head switch time = -1"),
            "d/small.model:14:26: Head switch time: -1 is out of range; allowed: 0 to 1000");
  EXPECT_NE(message("hpl", "[ 5, 1.5,", "[ 5,").find("6 numbers are expected, not 5"), std::string::npos);
  EXPECT_NE(message("hpl", "[ 5, 1.5,", "[ 5.5, 1.5,").find("a number of cylinders"), std::string::npos);
  EXPECT_NE(message("hpl", "[ 5, 1.5,", "[ 5, -1.5,").find("out of range"), std::string::npos);
  EXPECT_NE(message("hplplus10", "1.9, 2.0 ]", "1.9 ]").find("10 numbers are expected, not 9"), std::string::npos);
  EXPECT_NE(message("hplplus10", "1.9, 2.0 ]", "1.9, two ]").find("a number is expected, not two"), std::string::npos);
  EXPECT_NE(message("linear", "Average seek time = 8.0,", "").find("lacks the key \"Average seek time\""),
            std::string::npos);
  EXPECT_NE(of_type("straight").message().find("Seek type: straight is none of"), std::string::npos);
}

}  // namespace
}  // namespace armature::importer
