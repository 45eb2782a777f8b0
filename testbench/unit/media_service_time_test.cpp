// The integrator of support/service_time.h: against brute force on small disks, and against sampling on real ones.
#include "support/drive_files.h"
#include "support/service_time.h"

#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace armature::testing {
namespace {

TEST(ServiceTime, PairsByDistanceAreThoseOfADoubleLoop) {
  RandomStream random(5, "pairs");
  for (int disk = 0; disk < 50; ++disk) {
    std::vector<std::int64_t> blocks;
    const std::uint64_t zones = 1 + random.below(5);
    for (std::uint64_t z = 0; z < zones; ++z)
      blocks.insert(blocks.end(), 1 + random.below(20), static_cast<std::int64_t>(random.below(1000)));
    const auto pairs = pairs_by_distance(blocks);
    for (std::size_t d = 0; d < blocks.size(); ++d) {
      double expected = 0;
      for (std::size_t c = 0; c + d < blocks.size(); ++c) expected += static_cast<double>(blocks[c] * blocks[c + d]);
      ASSERT_EQ(pairs[d], expected) << d;
    }
  }
}

TEST(ServiceTime, ATinyDiskByHand) {
  // Two cylinders of one track each, 3 and 1 blocks; 100 ms a turn; seek 8 ms.
  DiskForIntegration disk;
  disk.heads = 1;
  disk.zones = {{0, 0, 4, 0, 0, 1}, {1, 1, 2, 0, 0, 1}};
  disk.rpm = 600;
  disk.seek_ms = [](std::uint32_t) { return 8.0; };
  disk.write_settle_ms = 2;
  const MeanService read = mean_service(disk, 1, false), write = mean_service(disk, 1, true);
  // Of 16 ordered pairs of blocks, 2 * 3 * 1 lie on different cylinders.
  EXPECT_DOUBLE_EQ(read.seek, 8.0 * 6 / 16);
  EXPECT_DOUBLE_EQ(read.write_settle, 0);
  EXPECT_DOUBLE_EQ(write.write_settle, 2.0 * 6 / 16);
  EXPECT_DOUBLE_EQ(read.rotation, 50);
  EXPECT_DOUBLE_EQ(read.transfer, 100 * (0.75 / 4 + 0.25 / 2));
  EXPECT_DOUBLE_EQ(read.track_switches, 0);
}

TEST(ServiceTime, HeadsOfOneCylinderCostAHeadSwitch) {
  DiskForIntegration disk;
  disk.heads = 4;
  disk.zones = {{0, 0, 10, 2, 3, 0}};
  disk.rpm = 6000;
  disk.seek_ms = [](std::uint32_t) { return 1e9; };
  disk.head_switch_ms = 2;
  const MeanService mean = mean_service(disk, 3, false);
  EXPECT_DOUBLE_EQ(mean.seek, 0.75 * 2);
  EXPECT_DOUBLE_EQ(mean.rotation, 5);
  EXPECT_DOUBLE_EQ(mean.transfer, 3);
  EXPECT_DOUBLE_EQ(mean.track_switches, 0.2 * (0.75 * 0.2 + 0.25 * 0.3) * 10);
}

class ServiceTimeOfDrive : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Drives, ServiceTimeOfDrive,
                         ::testing::Values("quantum_atlas_10k", "seagate_barracuda_es_750",
                                           "hitachi_ultrastar_a7k1000"),
                         [](const auto& drive) { return std::string(drive.param); });

TEST_P(ServiceTimeOfDrive, TheIntegralIsWhatSamplingTendsTo) {
  const DriveMechanics drive = load_drive_mechanics(GetParam());
  const media::Geometry geometry(drive.geometry);
  const actuator::SeekProfile profile(drive.seek, geometry.cylinders());
  const DiskForIntegration disk = for_integration(drive.geometry, drive.seek, drive.spindle);
  const MeanService mean = mean_service(disk, 8, false);

  RandomStream random(1, GetParam());
  const int samples = 400'000;
  double seek = 0, seek_squared = 0, transfer = 0;
  media::Location from = geometry.locate(random.below(geometry.sectors()));
  for (int i = 0; i < samples; ++i) {
    const media::Location to = geometry.locate(random.below(geometry.sectors()));
    const std::uint32_t distance = std::max(from.cylinder, to.cylinder) - std::min(from.cylinder, to.cylinder);
    const double ms = to_ms(profile.positioning(0, distance, from.head != to.head));
    seek += ms;
    seek_squared += ms * ms;
    transfer += 8.0 / to.sectors_per_track * 60'000 / drive.spindle.rpm;
    from = to;
  }
  seek /= samples;
  const double deviation = std::sqrt((seek_squared / samples - seek * seek) / samples);
  // Successive seeks share a cylinder, which makes the mean's deviation up to twice that of independent samples.
  EXPECT_NEAR(mean.seek, seek, 2 * 4 * deviation);
  EXPECT_NEAR(mean.transfer, transfer / samples, 1e-3 * mean.transfer);
  EXPECT_NEAR(mean.rotation, 30'000 / drive.spindle.rpm, 1e-12);
  EXPECT_NEAR(mean.track_switches, 0, 0.05) << "8 sectors cross a track's end seldom";
}

}  // namespace
}  // namespace armature::testing
