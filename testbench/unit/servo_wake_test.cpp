// Arms in each other's wake: the law by hand, who feels it and from when, and what it does to an arm at rest.
#include "armature/servo/arm.h"
#include "armature/servo/design.h"
#include "armature/servo/wake.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace armature::servo {
namespace {

ServoParams in_a_wake(double percent, double degrees) {
  ServoParams servo =
      load_servo(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/seagate_barracuda_es_750.toml", {});
  servo.coupling.wake_percent = percent;
  servo.coupling.wake_deg = degrees;
  return designed(servo);
}

TEST(ServoWake, FallsWithTheRootOfTheAngleAndAddsInPower) {
  const Wake two(in_a_wake(50, 90), {{0, 0}, {0, 0.25}});
  EXPECT_NEAR(two.growth(1, 1), std::sqrt(1 + 0.25), 1e-12) << "a quarter of a turn downstream";
  EXPECT_NEAR(two.growth(0, 1), std::sqrt(1 + 0.25 / 3), 1e-12) << "three quarters";
  const Wake four(in_a_wake(30, 45), {{0, 0}, {0, 0.25}, {0, 0.5}, {0, 0.75}});
  const double expected = std::sqrt(1 + 0.09 * (45.0 / 90 + 45.0 / 180 + 45.0 / 270));
  for (unsigned arm = 0; arm < 4; ++arm) EXPECT_NEAR(four.growth(arm, 1), expected, 1e-12) << arm;
}

TEST(ServoWake, IsFeltOnTheSameDisksOnlyAndNotSideBySide) {
  const Wake wake(in_a_wake(50, 90), {{0, 0}, {1, 0.5}, {0, 0}});
  for (unsigned arm = 0; arm < 3; ++arm) EXPECT_EQ(wake.growth(arm, 1), 1) << arm;
}

TEST(ServoWake, EndsWhenTheOtherArmLeavesTheDisk) {
  Wake wake(in_a_wake(50, 90), {{0, 0}, {0, 0.25}});
  wake.put(0, false, 2e-3);
  EXPECT_GT(wake.growth(1, 2e-3), 1) << "the order of things at one instant does not matter";
  EXPECT_EQ(wake.growth(1, 2.1e-3), 1);
  wake.put(0, true, 3e-3);
  EXPECT_EQ(wake.growth(1, 3e-3), 1);
  EXPECT_GT(wake.growth(1, 3.1e-3), 1);
  wake.put(0, false, 4e-3);
  wake.put(0, true, 4e-3);  // twice at one instant
  EXPECT_GT(wake.growth(1, 4e-3), 1);
  EXPECT_GT(wake.growth(1, 4.1e-3), 1);
}

/// Error of an arm that rests, windage alone, root mean square in tracks.
double shaken(double air) {
  ServoParams servo = in_a_wake(0, 90);
  servo.noise.sensor_tracks = 0;
  servo.noise.force_a = 0;
  servo.noise.filtered_a = 0;
  servo.rro.scale = 0;
  Arm arm(servo, 0);
  double sum = 0;
  const int skipped = 2000, counted = 60'000;
  for (int n = 0; n < skipped + counted; ++n) {
    arm.wedge(0, air);
    if (n >= skipped) sum += arm.off_track_tracks() * arm.off_track_tracks();
  }
  return std::sqrt(sum / counted);
}

TEST(ServoWake, TheErrorOfWindageGrowsAlike) {
  const double alone = shaken(1);
  EXPECT_GT(alone, 0);
  EXPECT_NEAR(shaken(1.5) / alone, 1.5, 1e-6) << "the loop is linear near its track, and the noise is the same";
}

}  // namespace
}  // namespace armature::servo
