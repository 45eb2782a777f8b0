// Mechanics g1 of DiskSim in our keys: each type of seek curve, against its published equation.
#include "support/disksim_files.h"

#include "armature/actuator/seek_profile.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armature::importer {
namespace {

using actuator::SeekCurve;
using actuator::SeekParams;
using actuator::SeekPoint;
using actuator::SeekProfile;
using testing::DiskSimFiles;
using Rows = std::vector<SeekPoint>;

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
  EXPECT_EQ(drive.seek.table[0], (SeekPoint{1, 1}));
  EXPECT_EQ(drive.seek.table[1], (SeekPoint{2, 1.5})) << "the deviation is not used";
  EXPECT_EQ(drive.seek.table[3], (SeekPoint{9, 4}));
  EXPECT_EQ(drive.seek.table[4].cylinders, 12);
  EXPECT_NEAR(drive.seek.table[4].ms, 5.05, 1e-12);
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

std::string notes_of(const ImportedDrive& drive) {
  std::string all;
  for (const std::string& note : drive.notes) all += note + "\n";
  return all;
}

TEST(ImportedMechanics, SeekFilesMayPartTheirNumbersAsTheyLike) {
  const Rows expected{{1, 1}, {2, 1.5}, {12, 2}};
  const auto table = [](const std::string& text) { return DiskSimFiles().set("small.seek", text).import().seek.table; };
  EXPECT_EQ(table("1,1\n2,1.5\n12,2\n"), expected);
  EXPECT_EQ(table("1 1\n2\t1.5 0.3\n\n12  2\r\n"), expected);
  EXPECT_EQ(table("# distance; time\n1; 1.0; 3\n2; 15e-1 # ms\n12 : +2"), expected);
  EXPECT_EQ(table("Seek distances measured: 3\n1.0, 1\n2, 1.5 ms\n12, 2\n"), expected);
  EXPECT_EQ(notes_of(DiskSimFiles().set("small.seek", "Seek distances measured = 3\n1 1\n2 1.5\n12 2\n").import())
                .find("announced"),
            std::string::npos);
}

TEST(ImportedMechanics, OddLinesOfASeekFileAreSaid) {
  const auto import = [](const std::string& text) { return DiskSimFiles().set("small.seek", text).import(); };
  const ImportedDrive drive =
      import("Atlas, of last year\n0, 0.1\n1, -0.5\n4, 2\n2, 1\nabc\n1.5, 3\n9, nan\n12, 3000\n12, 3\n");
  EXPECT_EQ(drive.seek.table, (Rows{{1, 0}, {2, 1}, {4, 2}, {12, 1000}}));
  const std::string notes = notes_of(drive);
  for (const char* const note :
       {"small.seek:1: \"Atlas, of last year\" and 2 more lines: no distance and milliseconds, skipped",
        "small.seek:2: \"0, 0.1\" and 1 more lines: no move between cylinders",
        "small.seek:3: \"1, -0.5\": a time below 0, taken as 0", "small.seek:9: \"12, 3000\": a time over 1000 ms",
        "small.seek:5: distance 2 does not follow 4: the rows are sorted", "distance 12 stands twice"})
    EXPECT_NE(notes.find(note), std::string::npos) << note << "\n" << notes;
  EXPECT_EQ(DiskSimFiles().set("small.seek", "\nno time\n").message(),
            "d/small.seek: there is no seek time in this file");
  const ImportedDrive fewer = import("Seek distances measured: 9\n1, 1\n12, 2\n12, 3\n");
  EXPECT_EQ(fewer.seek.table, (Rows{{1, 1}, {12, 2}}));
  EXPECT_NE(notes_of(fewer).find("small.seek:4: distance 12 stands twice"), std::string::npos);
  EXPECT_NE(notes_of(fewer).find("small.seek:1: 9 seek distances are announced, 3 follow"), std::string::npos);
}

/// A disk of so many cylinders with a seek file.
ImportedDrive of_cylinders(int cylinders, const std::string& seek, const std::string& settle = "0.0") {
  DiskSimFiles files;
  files.change("First cylinder number = 8,\n            Last cylinder number = 12",
               "First cylinder number = 8,\n            Last cylinder number = " + std::to_string(cylinders - 1));
  files.change("Block count = 690", "Block count = 0");
  files.change("Number of cylinders = 13", "Number of cylinders = " + std::to_string(cylinders));
  files.change("Add. write settling delay = 0.4", "Add. write settling delay = " + settle);
  files.set("small.seek", seek);
  return files.import();
}

TEST(ImportedMechanics, TheLongestMoveOfARecentDiskIsAMove) {
  const ImportedDrive drive =
      of_cylinders(310'194, "Seek distances measured: 5\n1, 0.5\n100, 1.0\n100000, 8.0\n262145, 14.0\n310193, 18.0\n");
  EXPECT_EQ(drive.seek.table, (Rows{{1, 0.5}, {100, 1}, {100'000, 8}, {262'145, 14}, {310'193, 18}}));
  EXPECT_EQ(notes_of(drive).find("small.seek"), std::string::npos) << notes_of(drive);
  const ImportedDrive beyond = of_cylinders(13, "1, 0.5\n9, 1.0\n8388608, 8.0\n");
  EXPECT_EQ(beyond.seek.table.size(), 3u);
  EXPECT_NE(notes_of(beyond).find("\"8388608, 8.0\": a move of over 8388607 cylinders, left out"), std::string::npos)
      << notes_of(beyond);
}

TEST(ImportedMechanics, TimesOfWritesInAFourthColumnAreASettlingTime) {
  const std::string file =
      "Seek distances measured: 4\n1, 0.5, 0.02, 0.75\n100, 1.0, 0.02, 1.3\n1000, 3.0, 0.02, 3.4\n9999, 9.0, 0.02, "
      "9.6\n";
  const ImportedDrive drive = of_cylinders(10'000, file);
  EXPECT_EQ(drive.seek.table, (Rows{{1, 0.5}, {100, 1}, {1000, 3}, {9999, 9}}));
  // The mean over all pairs of cylinders of lines through 0.25, 0.3, 0.4 and 0.6 ms.
  double sum = 0, pairs = 0;
  for (int from = 0; from < 10'000; from += 10) {
    for (int to = 5; to < 10'000; to += 10) {
      const double d = std::abs(from - to);
      sum += d <= 100    ? 0.25 + 0.05 * (d - 1) / 99
             : d <= 1000 ? 0.3 + 0.1 * (d - 100) / 900
                         : 0.4 + 0.2 * (d - 1000) / 8999;
      ++pairs;
    }
  }
  EXPECT_NEAR(drive.seek.write_settle_ms, sum / pairs, 1e-3);
  EXPECT_NE(notes_of(drive).find("small.seek:2: the fourth column is 0.25 to 0.6 ms above the second"),
            std::string::npos)
      << notes_of(drive);
  EXPECT_NE(notes_of(drive).find("seek times of writes"), std::string::npos);
  EXPECT_NE(drive.text.find("mean of the fourth column, small.seek:2 ff."), std::string::npos);
}

TEST(ImportedMechanics, AFourthColumnIsUsedIfItCanBeOfWrites) {
  const auto settle = [](const std::string& rows, const std::string& given = "0.0") {
    const ImportedDrive drive = of_cylinders(13, rows, given);
    return std::pair{drive.seek.write_settle_ms, notes_of(drive)};
  };
  EXPECT_EQ(settle("1, 1.0, 0.1, 1.5, 0.2\n12, 3.0, 0.1, 3.5, 0.2\n").first, 0.5) << "a deviation of it may follow";
  EXPECT_EQ(settle("1, 1.0, 0.1\n12, 3.0, 0.1, 3.5\n").first, 0.5) << "some rows may have none";
  EXPECT_EQ(settle("12, 3.0, 0.1, 3.5\n1, 1.0, 0.1, 1.5\n1, 1.0, 0.1, 9.5\n").first, 0.5) << "in any order";
  EXPECT_EQ(settle("1, 1.0, 0.1, nan\n12, 3.0, 0.1, what\n", "0.4").first, 0.4);
  const auto faster = settle("1, 1.0, 0.1, 0.9\n12, 3.0, 0.1, 2.9\n");
  EXPECT_EQ(faster.first, 0);
  EXPECT_NE(faster.second.find("write_settle_ms = 0, as it cannot be less"), std::string::npos) << faster.second;
  const auto samples = settle("1, 1.0, 0.1, 100\n12, 3.0, 0.1, 100\n", "0.4");
  EXPECT_EQ(samples.first, 0.4);
  EXPECT_NE(samples.second.find("more than a revolution; it is not used"), std::string::npos) << samples.second;
  const auto both = settle("1, 1.0, 0.1, 1.5\n12, 3.0, 0.1, 3.5\n", "0.4");
  EXPECT_EQ(both.first, 0.5);
  EXPECT_NE(both.second.find("Add. write settling delay: the times of writes in the seek file count instead"),
            std::string::npos)
      << both.second;
}

TEST(ImportedMechanics, WithoutItsSeekFileTheThreeTimesMakeTheCurve) {
  DiskSimFiles files;
  files.change("= small.seek", "= other.seek");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.seek.curve, SeekCurve::lee);
  EXPECT_NE(notes_of(drive).find("small.model:12: there is no file with the seek curve other.seek: Lee's"),
            std::string::npos);
  files.change("Average seek time = 8.0,", "");
  EXPECT_EQ(files.message(), "d/small.model:12:25: Full seek curve: d/other.seek: cannot be read");
  DiskSimFiles elsewhere;
  elsewhere.change("= small.seek", "= /afs/curves/small.seek");
  EXPECT_EQ(elsewhere.import().seek.table.size(), 5u);
  EXPECT_NE(notes_of(elsewhere.import()).find("the file of that name beside this one is taken"), std::string::npos);
}

TEST(ImportedMechanics, ConstantSeeks) {
  const ImportedDrive drive = of_type("constant").import();
  EXPECT_EQ(drive.seek.curve, SeekCurve::constant);
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
  EXPECT_EQ(drive.seek.curve, SeekCurve::lee);
  const SeekProfile profile(drive.seek, kCylinders);
  const double a = (-10 * 1.0 + 15 * 8.0 - 5 * 16.0) / (3 * std::sqrt(13.0));
  const double b = (7 * 1.0 - 15 * 8.0 + 8 * 16.0) / (3 * 13.0);
  for (std::uint32_t d = 1; d < kCylinders; ++d)
    EXPECT_NEAR(static_cast<double>(profile.seek(d)), (a * std::sqrt(d - 1.0) + b * (d - 1.0) + 1) * 1e9, 1) << d;
  DiskSimFiles falling = of_type("curve");
  falling.change("Average seek time = 8.0", "Average seek time = 12.0");
  const ImportedDrive lines = falling.import();
  EXPECT_EQ(lines.seek.curve, SeekCurve::measured);
  EXPECT_EQ(lines.seek.table.size(), 4u);
  EXPECT_EQ(lines.seek.head_switch_ms, 0.9);
  EXPECT_NE(lines.notes[1].find("two lines are taken instead"), std::string::npos);
}

TEST(ImportedMechanics, HplsPiecesWithItsTimeForOneCylinder) {
  // V = [ 5, 1.5, 0.5, 2.2, 0.1, 0.75 ]: below 5 cylinders 1.5 + 0.5 sqrt(d), then 2.2 + 0.1 d, one cylinder 0.75.
  const ImportedDrive drive = of_type("hpl").import();
  EXPECT_EQ(drive.seek.two_piece, (std::vector<actuator::TwoPieces>{{5, 1.5, 0.5, 2.2, 0.1}}));
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
  EXPECT_EQ(drive.seek.curve, SeekCurve::measured);
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

TEST(ImportedMechanics, NumbersThatCannotBeAreTakenAsTheNearestAndSaid) {
  DiskSimFiles files;
  files.change("Add. write settling delay = 0.4", "Add. write settling delay = -0.032")
      .change("Head switch time = 0.9", "Head switch time = 2000")
      .change("(in rpms) = 6000", "(in rpms) = 6000.5");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.seek.write_settle_ms, 0);
  EXPECT_EQ(drive.seek.head_switch_ms, 9.998) << "below a revolution";
  EXPECT_EQ(drive.rpm, 6000.5);
  const std::string notes = notes_of(drive);
  EXPECT_NE(notes.find("small.model:13: Add. write settling delay = -0.032: is not in 0 to 9.998, taken as 0\n"),
            std::string::npos);
  EXPECT_NE(notes.find("small.model:14: Head switch time = 2000: is not in 0 to 9.998, taken as 9.998\n"),
            std::string::npos);

  DiskSimFiles hpl = of_type("hplplus10");
  hpl.change("[ 5, 1.5, 0.5, 2.2, 0.1, 0.75 ]", "[ 10.6, -1.5, 0.5, 2.2, 0.1, -3, 9 ]").change("1.9, 2.0 ]", "-2 ]");
  const ImportedDrive clamped = hpl.import();
  EXPECT_EQ(clamped.seek.two_piece, (std::vector<actuator::TwoPieces>{{11, 0, 0.5, 2.2, 0.1}}));
  EXPECT_EQ(clamped.seek.table.size(), 9u);
  EXPECT_EQ(clamped.seek.table[8], (SeekPoint{9, 0}));
  for (const char* const note : {"only the first 6 numbers", "-1.5 is not in 0 to 1000, taken as 0",
                                 "10.6 should be a number of cylinders, taken as 11", "10 First ten seek times are"})
    EXPECT_NE(notes_of(clamped).find(note), std::string::npos) << note;
}

TEST(ImportedMechanics, SettlingAnewIsShorterThanARevolution) {
  DiskSimFiles files;
  files.set("small.seek", "1, 25\n12, 40\n");
  EXPECT_EQ(files.import().seek.reposition_ms, 9.999);
}

TEST(ImportedMechanics, WithoutTheTypeOfSeekTheNumbersTell) {
  const auto without = [](const std::string& gone) {
    DiskSimFiles files;
    files.change("Seek type = extracted,", "");
    for (const std::string key : {"Full seek curve = small.seek,",
                                  "HPL seek equation values = [ 5, 1.5, 0.5, 2.2, "
                                  "0.1, 0.75 ]",
                                  "Average seek time = 8.0,", "Constant seek time = 5.5,"})
      if (gone.find(key.substr(0, 4)) != std::string::npos) files.change(key, "");
    return files;
  };
  EXPECT_EQ(without("").import().seek.table.size(), 5u);
  EXPECT_NE(notes_of(without("").import()).find("Seek type is missing: extracted is taken"), std::string::npos);
  EXPECT_EQ(without("Full").import().seek.curve, SeekCurve::two_piece);
  EXPECT_EQ(without("Full HPL ").import().seek.curve, SeekCurve::lee);
  EXPECT_EQ(without("Full HPL Aver").import().seek.curve, SeekCurve::constant);
  EXPECT_EQ(without("Full HPL Aver Cons").message(), "d/small.model:5:23: there is no Seek type and no seek time");
  const ImportedDrive straight = of_type("straight").import();
  EXPECT_NE(notes_of(straight).find("Seek type straight is none of DiskSim's: extracted is taken"), std::string::npos);
}

TEST(ImportedMechanics, WhatDiskSimWantsAndAFileLacksIsNone) {
  DiskSimFiles files;
  files.change("Head switch time = 0.9,", "")
      .change("Add. write settling delay = 0.4,", "")
      .change("Access time type = trackSwitchPlusRotation,", "");
  const ImportedDrive drive = files.import();
  EXPECT_EQ(drive.seek.head_switch_ms, 0);
  EXPECT_EQ(drive.seek.write_settle_ms, 0);
  EXPECT_NE(notes_of(drive).find("small.model:5: keys that DiskSim requires and this block lacks, taken as none: Head "
                                 "switch time, Add. write settling delay\n"),
            std::string::npos);
}

TEST(ImportedMechanics, WhatMakesNoDriveIsRefusedAtItsPlace) {
  const auto message = [](const std::string& type, const std::string& from, const std::string& to) {
    return of_type(type).change(from, to).message();
  };
  EXPECT_EQ(message("extracted", "(in rpms) = 6000", "(in rpms) = fast"),
            "d/small.model:15:34: Rotation speed (in rpms): a number is expected, not fast");
  EXPECT_EQ(message("extracted", "(in rpms) = 6000", "(in rpms) = 0"),
            "d/small.model:15:34: Rotation speed (in rpms): 0 is out of range; allowed: 60 to 60000");
  EXPECT_NE(message("hpl", "[ 5, 1.5,", "[ 5,").find("6 numbers are expected, not 5"), std::string::npos);
  EXPECT_NE(message("hplplus10", "1.9, 2.0 ]", "1.9, two ]").find("a number is expected, not two"), std::string::npos);
  EXPECT_NE(message("linear", "Average seek time = 8.0,", "").find("lacks the key \"Average seek time\""),
            std::string::npos);
}

}  // namespace
}  // namespace armature::importer
