// armature seek: what it prints is what the energy account of a run counts.
#include "support/program.h"
#include "support/tab_separated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace armature {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::tab_separated;
using testing::Workplace;

// 1,000 cylinders of one surface; a round coil.
constexpr const char* kDrive =
    "[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, 0]]\n"
    "[cache]\nlook_ahead = false\nwrite = false\n"
    "[seek]\ntable = [[1, 1], [10, 1.6], [100, 4], [999, 12]]\n"
    "[seek.quiet]\ntable = [[1, 1.5], [10, 2.4], [100, 6], [999, 18]]\n"
    "[seek.coil]\nstroke_mm = 25\nmass_g = 1\nforce_n_a = 0.8\nresistance_ohm = 7\nsettle_ms = 0.5\ncoast_m_s = 3.2\n"
    "[power]\nidle_w = 8\n";

TEST(Seek, PrintsWhatTheEnergyAccountOfARunCounts) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  const Outcome table = place.run({"seek", "drive.toml", "--svg", "seek.svg"});
  ASSERT_EQ(table.status, 0) << table.err;
  const auto rows = tab_separated(table.out);
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& row : rows) ASSERT_EQ(row.size(), 13u);
  EXPECT_EQ(rows[1][1], "12.0000");
  EXPECT_EQ(rows[2][1], "18.0000");
  EXPECT_THAT(place.read("seek.svg"), HasSubstr("decelerate"));

  // Reads at both ends of the disk in turn: the first finds the arm there.
  std::string trace = "time_s,lbn,sectors,op\n";
  for (int i = 0; i <= 20; ++i) trace += std::to_string(i) + (i % 2 == 0 ? ",0" : ",99900") + ",1,R\n";
  place.write("ends.csv", trace);
  place.write("run.toml", "[workload]\nkind = \"trace\"\nfile = \"ends.csv\"\n[drives.d]\nmodel = \"drive.toml\"\n");
  for (const std::size_t mode : {1, 2}) {
    const Outcome run = place.run({"run", "run.toml", "--out", "out", "--set",
                                   mode == 1 ? "host.acoustic_level=254" : "host.acoustic_level=128"});
    ASSERT_EQ(run.status, 0) << run.err;
    double coil = 0;
    std::istringstream lines(place.read("out/energy.csv"));
    for (std::string line; std::getline(lines, line);) {
      if (line.find("disk.srv0.coil.") == std::string::npos) continue;
      std::vector<std::string> cells;
      std::istringstream row(line);
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      coil += std::stod(cells.at(5));
    }
    EXPECT_NEAR(coil / 20 * 1e3, std::stod(rows[mode][9]), 1e-3) << rows[mode][0];
  }
}

// A linear driver takes the coil's charge at the rail's voltage. Without ramps the charge is 2 m V / K, whatever the
// acceleration.
TEST(Seek, SetChangesAKeyOfTheFile) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  const Outcome linear = place.run({"seek", "drive.toml", "--set", "seek.coil.driver=linear"});
  ASSERT_EQ(linear.status, 0) << linear.err;
  const auto rows = tab_separated(linear.out);
  for (const std::size_t mode : {1, 2}) {
    const double velocity = std::stod(rows[mode][7]);
    EXPECT_NEAR(std::stod(rows[mode][9]), 12 * 2 * 1e-3 * velocity / 0.8 * 1e3, 2e-3) << rows[mode][0];
  }
  const Outcome unknown = place.run({"seek", "drive.toml", "--set", "seek.coil.drive=linear"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("seek.coil.drive"));
}

TEST(Seek, RefusesWhatItCannotTell) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  EXPECT_EQ(place.run({"seek", "drive.toml", "--distance", "1000"}).status, 2);
  EXPECT_EQ(place.run({"seek", "drive.toml", "--distance", "0"}).status, 2);
  place.write("bare.toml", "[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, 0]]\n");
  const Outcome bare = place.run({"seek", "bare.toml"});
  EXPECT_EQ(bare.status, 2);
  EXPECT_THAT(bare.err, HasSubstr("seek.coil"));
  std::string slow = kDrive;
  slow.replace(slow.find("coast_m_s = 3.2"), 15, "coast_m_s = 1.0");
  place.write("slow.toml", slow);
  const Outcome too_slow = place.run({"seek", "slow.toml"});
  EXPECT_EQ(too_slow.status, 2);
  EXPECT_THAT(too_slow.err, HasSubstr("seek.coil: a normal seek over 114 cylinders"));
}

}  // namespace
}  // namespace armature
