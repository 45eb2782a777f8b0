// armature layout: tables that programs read, and a picture. The drive is small enough to work it out on paper.
#include "support/program.h"
#include "support/tab_separated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Outcome;
using testing::tab_separated;
using testing::Workplace;

// 6,000 rpm: 10 ms. Four servo fields of 240 bits at 1 MHz leave 9.04 of them. A clock of 1 Mb/s has 9,040 bits in
// that; resync fields take 4 * 128. Of the 8,528 left a sector of 577 bytes takes 4,616: one fits.
constexpr const char* kDrive =
    "[spindle]\nrpm = 6000\n"
    "[geometry]\nheads = 2\nzones = [[0, 9, 0, 0, 0, 0], [10, 19, 1, 0, 0, 0]]\n"
    "[format]\nservo_wedges = 4\nservo_clock_mhz = 1\nclock_mb_s = [1, 1.1]\n";

TEST(Layout, ZonesAndTracksAsTables) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  const Outcome zones = place.run({"layout", "drive.toml"});
  ASSERT_EQ(zones.status, 0) << zones.err;
  const auto rows = tab_separated(zones.out);
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& row : rows) ASSERT_EQ(row.size(), 13u);
  EXPECT_EQ(rows[0][3], "sectors_per_track");
  // 3,912 bits are left over; wedges take 960 us and 512 bits of 10,000.
  EXPECT_EQ(rows[1], (std::vector<std::string>{"0", "0", "9", "1", "10.000", "1.000", "0.000", "3912.00", "0.14720",
                                               "0.40960", "0.051", "0.051", "0.000010"}));
  EXPECT_EQ(rows[2][4], "11.000");

  const Outcome track = place.run({"layout", "drive.toml", "--track", "21", "--svg", "track.svg"});
  ASSERT_EQ(track.status, 0) << track.err;
  const auto parts = tab_separated(track.out);
  // All of the track is the one sector, in four parts between wedges of 240 us and 128 bits at 1.1 Mb/s.
  ASSERT_EQ(parts.size(), 5u);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(parts[i][0], "0");
    EXPECT_EQ(parts[i][1], "21");
    EXPECT_EQ(parts[i][2], std::to_string(i - 1));
    EXPECT_NEAR(std::stod(parts[i][3]), 0.25 * static_cast<double>(i - 1) + 0.024 + 128 / 11'000.0, 1e-11);
    EXPECT_NEAR(std::stod(parts[i][4]), 0.25 * static_cast<double>(i), 1e-11);
  }
  EXPECT_THAT(place.read("track.svg"), HasSubstr("1 sectors of 512 bytes, 1 of them split by a wedge"));
}

TEST(Layout, RefusesWhatIsNotThere) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  const Outcome outside = place.run({"layout", "drive.toml", "--track", "40"});
  EXPECT_EQ(outside.status, 2);
  EXPECT_THAT(outside.err, HasSubstr("the drive has only 40 blocks"));
  place.write("full.toml", std::string(kDrive).replace(std::string(kDrive).find("19, 1"), 5, "19, 3"));
  const Outcome full = place.run({"layout", "full.toml"});
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.out, IsEmpty());
  EXPECT_THAT(full.err, HasSubstr("3 sectors a track do not fit, at most 2 do"));
}

}  // namespace
}  // namespace armature
