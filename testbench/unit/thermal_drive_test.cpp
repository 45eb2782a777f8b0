// Temperatures of a drive's parts from what its components have drawn.
#include "armature/thermal/drive_temperatures.h"

#include "armature/core/conversions.h"

#include "support/recording_sinks.h"

#include <gtest/gtest.h>

namespace armature::thermal {
namespace {

constexpr Ps kS = kPsPerSecond;
constexpr std::size_t kCase = static_cast<std::size_t>(Part::enclosure);

ThermalParams still_air() {
  ThermalParams params;
  params.case_k_w = 2;
  return params;
}

TEST(DriveTemperatures, EachComponentHeatsItsPart) {
  EXPECT_EQ(part_of("spindle"), Part::spindle);
  EXPECT_EQ(part_of("spindle1"), Part::spindle);
  EXPECT_EQ(part_of("vcm3"), Part::arms);
  EXPECT_EQ(part_of("preamp0"), Part::arms);
  EXPECT_EQ(part_of("sled0"), Part::arms);
  EXPECT_EQ(part_of("tips1"), Part::arms);
  for (const char* const name : {"electronics", "channel0", "controller", "interface", "buffer", "flash"})
    EXPECT_EQ(part_of(name), Part::board) << name;
}

TEST(DriveTemperatures, TheSteadyRiseOfTheCaseIsThePowerTimesItsResistance) {
  DriveTemperatures drive(still_air(), "d", nullptr);
  for (int hour = 1; hour <= 10; ++hour) {
    const double s = 3600.0 * hour;
    drive.advance(hour * 3600 * kS, {5 * s, 2 * s, 3 * s, 0});
  }
  EXPECT_NEAR(drive.now_c()[kCase], 25 + 2 * 10, 1e-3);
  EXPECT_NEAR(drive.now_c()[static_cast<std::size_t>(Part::spindle)], 45 + 5 * 1.0, 1e-3);
  EXPECT_NEAR(drive.now_c()[static_cast<std::size_t>(Part::arms)], 45 + 2 * 4.0, 1e-3);
  EXPECT_NEAR(drive.steady_c()[kCase], 45, 1e-9);
}

/// "Disk Drive Roadmap from the Thermal Perspective" (ISCA 2005, section 3.3) lets a drive with 15,000 rpm come to its
/// steady state after about 48 minutes. That is a matter of masses and of the way to the air: 95 % of the rise after 30
/// to 70 minutes with the masses assumed here.
TEST(DriveTemperatures, ADriveInStillAirIsWarmAfterThreeQuartersOfAnHour) {
  const ThermalParams params = still_air();
  EXPECT_GT(3 * params.network().time_constant_s(), 30 * 60);
  EXPECT_LT(3 * params.network().time_constant_s(), 70 * 60);
}

TEST(DriveTemperatures, TimeAboveTheLimitIsCounted) {
  ThermalParams params = still_air();
  params.start_c = 70;
  DriveTemperatures drive(params, "d", nullptr);
  for (int s = 1; s <= 7200; ++s) drive.advance(s * kS, {0, 0, 0, 0});
  Network same = params.network();
  same.set_temperatures_c(std::vector<double>(kParts, 70));
  int above = 0;
  for (int s = 1; s <= 7200; ++s) {
    same.advance(1, {0, 0, 0, 0});
    if (same.temperatures_c()[kCase] > 60) above++;
  }
  EXPECT_GT(above, 60);
  EXPECT_EQ(drive.above_limit(), above * kS);
  EXPECT_DOUBLE_EQ(drive.most_c()[kCase], 70);
}

TEST(DriveTemperatures, SamplesCoverTheRunAndStayFew) {
  DriveTemperatures drive(still_air(), "d", nullptr);
  for (int s = 1; s <= 20'000; ++s) drive.advance(s * kS, {5.0 * s, 0, 0, 0});
  const std::vector<DriveTemperatures::Sample> samples = drive.samples();
  EXPECT_EQ(samples.front().at, 0);
  EXPECT_EQ(samples.back().at, 20'000 * kS);
  EXPECT_GT(samples.size(), 400u);
  EXPECT_LE(samples.size(), 1001u);
  for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_LT(samples[i - 1].at, samples[i].at);
}

TEST(DriveTemperatures, WavesHaveEachPart) {
  testing::RecordingProbes probes;
  DriveTemperatures drive(still_air(), "atlas", &probes);
  for (const char* const part : kPartNames)
    EXPECT_EQ(probes.changes.count(std::string("atlas.thermal.") + part), 1u) << part;
}

}  // namespace
}  // namespace armature::thermal
