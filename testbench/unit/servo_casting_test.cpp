// Arms that shake each other by way of the base: against an integration in fine steps, and what must not matter.
#include "armature/servo/arm.h"
#include "armature/servo/casting.h"
#include "armature/servo/design.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace armature::servo {
namespace {

ServoParams arms(double base_kg_cm2) {
  ServoParams servo =
      load_servo(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/seagate_barracuda_es_750.toml", {});
  servo.coupling.base_kg_cm2 = base_kg_cm2;
  servo.coupling.radius_mm = 50;
  return designed(servo);
}

/// A base that turns, in steps of 10 ns.
struct FineBase {
  double omega, damping, angle = 0, speed = 0, turning = 0;
  void go(double torque, double length) {
    const int steps = std::max(1, static_cast<int>(std::lround(length / 1e-8)));
    for (int i = 0; i < steps; ++i) {
      turning = torque - 2 * damping * omega * speed - omega * omega * angle;
      const double h = length / steps, middle = speed + 0.5 * h * turning;
      const double there = torque - 2 * damping * omega * middle - omega * omega * (angle + 0.5 * h * speed);
      angle += h * middle;
      speed += h * there;
    }
    turning = torque - 2 * damping * omega * speed - omega * omega * angle;
  }
};

TEST(ServoCasting, AnswersLikeARigidBaseOnItsMounts) {
  const ServoParams servo = arms(17);
  Casting casting(servo, 3);
  ASSERT_TRUE(casting.on());
  FineBase base{2 * std::acos(-1.0) * 250, 0.1};
  const double wedge = 37.88e-6, scale = 50e-3 / 17e-4;
  double at = 0, greatest = 0;
  for (int n = 0; n < 400; ++n) {
    const double force = n < 120 ? 0.6 : n < 240 ? -0.6 : n < 300 ? 0.05 * std::sin(n) : 0;
    // Just before the wedge the old force still acts.
    EXPECT_NEAR(casting.acceleration(1, at), -50e-3 * base.turning, 1e-4) << n;
    EXPECT_EQ(casting.acceleration(1, at), casting.acceleration(2, at));
    EXPECT_EQ(casting.acceleration(0, at), 0) << "its own";
    greatest = std::max(greatest, std::fabs(casting.acceleration(1, at)));
    casting.push(0, at, wedge, force);
    base.go(-force * scale, wedge);
    at += wedge;
  }
  // R^2 / J of the force at once, up to twice as much when the mounts swing back.
  EXPECT_GT(greatest, 0.6 * 25e-4 / 17e-4);
  EXPECT_LT(greatest, 4 * 0.6 * 25e-4 / 17e-4);
  base.go(0, 3e-3);  // nobody pushes any more
  EXPECT_NEAR(casting.acceleration(1, at + 3e-3), -50e-3 * base.turning, 1e-4);
}

TEST(ServoCasting, TheOrderOfArmsAtOneInstantDoesNotMatter) {
  const ServoParams servo = arms(17);
  const auto run = [&](std::array<unsigned, 3> order) {
    Casting casting(servo, 3);
    std::array<double, 3> felt{};
    for (int n = 0; n < 50; ++n)
      for (const unsigned arm : order) {
        felt[arm] = casting.acceleration(arm, n * 40e-6);
        casting.push(arm, n * 40e-6, 40e-6, 0.1 * arm + 0.01 * n + 0.05 * felt[arm]);
      }
    return felt;
  };
  const auto felt = run({0, 1, 2});
  EXPECT_EQ(felt, run({2, 1, 0}));
  EXPECT_EQ(felt, run({1, 2, 0}));
}

/// Largest error (tracks) of an arm that rests while another one seeks.
double largest_error(const ServoParams& servo) {
  Casting casting(servo, 2);
  Arm moves(servo, 0), rests(servo, 1);
  double error = 0, time = 0;
  for (int n = 0; n < 1200; ++n, time += rests.wedge_s()) {
    if (n == 600) moves.seek(10e-3);
    for (const unsigned number : {0u, 1u}) {
      Arm& arm = number == 0 ? moves : rests;
      arm.wedge(casting.on() ? casting.acceleration(number, time) : 0, 1, casting.turning(time));
      if (casting.on()) casting.push(number, time, arm.wedge_s(), arm.force_n());
    }
    if (n > 600) error = std::max(error, std::fabs(rests.off_track_tracks()));
  }
  return error;
}

TEST(ServoCasting, ALightBaseShakesAnArmThatRests) {
  const double alone = largest_error(arms(0)), heavy = largest_error(arms(17)), light = largest_error(arms(4));
  EXPECT_GT(heavy, 1.02 * alone);
  EXPECT_GT(light, 1.5 * heavy);
}

/// What is known of the other arms' coils, or measured of the base, is taken back in good part; a sensor of a low
/// bandwidth is late, and a share of 2 shakes as much the other way.
TEST(ServoCasting, FeedForwardTakesBackWhatTheOtherArmsDo) {
  ServoParams servo = arms(4);
  const double alone = largest_error(arms(0)), without = largest_error(servo) - alone;
  const auto added = [&](double known, double sensor, double bandwidth_hz) {
    servo.coupling.feed_forward = known;
    servo.external.radius_mm = 50;
    servo.external.sensor_gain = sensor;
    servo.external.sensor_bandwidth_hz = bandwidth_hz;
    return largest_error(servo) - alone;
  };
  EXPECT_LT(added(1, 0, 2000), 0.4 * without);
  EXPECT_LT(added(0.5, 0, 2000), 0.75 * without);
  EXPECT_GT(added(0.5, 0, 2000), added(1, 0, 2000));
  EXPECT_GT(added(2, 0, 2000), 0.6 * without);
  EXPECT_LT(added(0, 1, 20'000), 0.6 * without);
  EXPECT_GT(added(0, 1, 200), added(0, 1, 20'000));
}

TEST(ServoCasting, ASensorReadsTheReactionOfAllArms) {
  Casting casting(arms(17), 3);
  casting.push(0, 0, 40e-6, 0.5);
  casting.push(2, 0, 40e-6, 0.2);
  EXPECT_NEAR(casting.acceleration(1, 30e-6), -50e-3 * casting.turning(30e-6), 1e-12) << "arm 1 pushes with nothing";
  EXPECT_NE(casting.acceleration(0, 30e-6), casting.acceleration(1, 30e-6));
}

/// An arm of 1 g at 50 mm has 0.025 kg cm2: four of them want six times that.
TEST(ServoCasting, RefusesABaseThatTheArmsWouldShakeMoreAndMore) {
  EXPECT_NO_THROW(Casting(arms(0.151), 4));
  EXPECT_NO_THROW(Casting(arms(0.051), 2));
  try {
    Casting(arms(0.149), 4);
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("coupling.base_kg_cm2: the 4 arms"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("0.15 kg cm2 at least"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace armature::servo
