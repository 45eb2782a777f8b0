// Seeks: the profile against its closed forms, settling, energy by phase, and the quiet ones.
#include "armature/core/error.h"
#include "armature/servo/arm.h"
#include "armature/servo/design.h"
#include "armature/servo/seek.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace armature::servo {
namespace {

ServoParams arm(const std::vector<std::string>& sets = {}) {
  std::vector<config::Node> overrides;
  for (const std::string& set : sets) overrides.push_back(config::assignment(set));
  return designed(load_servo(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/benchmark_v2.toml", overrides));
}

TEST(ServoSeek, AProfileEndsAtItsEndAtRest) {
  for (const double tracks : {1e-4, 0.7, 1.0, 33.0, 4000.0, 90000.0, -250.0})
    for (const char* smooth : {"seek.smooth_us=0", "seek.smooth_us=700"}) {
      const ServoParams servo = arm({smooth});
      const double distance = tracks * servo.pitch_m();
      const SeekProfile profile = seek_profile(servo, -distance / 2, distance);
      const double h = profile.hold_s, last = profile.acceleration.back();
      EXPECT_NEAR(profile.position.back() + h * (profile.velocity.back() + 0.5 * h * last), distance,
                  1e-9 * std::fabs(distance));
      EXPECT_NEAR(profile.velocity.back() + h * last, 0, 1e-12);
      EXPECT_EQ(profile.position_at(-1), 0);
      EXPECT_EQ(profile.position_at(profile.duration() + 1), distance);
    }
}

TEST(ServoSeek, ALongProfileNearsBangBangAndCoasting) {
  const double a = 1000.0 * 0.5;  // N/A over kg, times A
  ServoParams servo = arm({"seek.discount=1", "seek.bandwidth_hz=8000", "seek.smooth_us=0", "seek.current_a=0.5"});
  const double distance = 60000 * servo.pitch_m();
  const double bang_bang = 2 * std::sqrt(distance / a);
  const double took = seek_profile(servo, -distance / 2, distance).duration();
  EXPECT_GT(took, bang_bang);
  EXPECT_LT(took, 1.05 * bang_bang);
  servo.seek.coast_m_s = 1;
  const double coasting = distance / 1 + 1 / a;
  EXPECT_NEAR(seek_profile(servo, -distance / 2, distance).duration() / coasting, 1, 0.05);
  // A discount brakes more gently: acceleration a, braking alpha a.
  servo.seek.coast_m_s = 0;
  servo.seek.discount = 0.6;
  const double gentle = std::sqrt(2 * distance / a * (1 + 1 / 0.6));
  EXPECT_NEAR(seek_profile(servo, -distance / 2, distance).duration() / gentle, 1, 0.05);
}

TEST(ServoSeek, NoMoreThanTheCurrentAndWhatTheSupplyLeaves) {
  ServoParams servo =
      arm({"driver.kind=voltage", "driver.supply_v=5", "driver.coil_ohm=10", "seek.current_a=0.3", "seek.smooth_us=0"});
  const double distance = 90000 * servo.pitch_m();
  const SeekProfile profile = seek_profile(servo, -distance / 2, distance);
  bool less = false;
  for (std::size_t i = 0; i < profile.acceleration.size(); ++i) {
    const double current = profile.acceleration[i] / 1000;
    EXPECT_LE(std::fabs(current), 0.3 * 1.001);
    if (current < 0.01) continue;
    EXPECT_LE(10 * current + profile.velocity[i], 4.0);  // N/A is V s/m
    less = less || current < 0.28;
  }
  EXPECT_TRUE(less);
}

TEST(ServoSeek, SettlesAtEveryDistanceBothWays) {
  const ServoParams servo = arm();
  double before = 0;
  for (const double tracks : {1.0, 10.0, 100.0, 1000.0, 10000.0, 90000.0}) {
    const SeekResult inwards = seek(servo, tracks), outwards = seek(servo, -tracks);
    for (const SeekResult& result : {inwards, outwards}) {
      EXPECT_TRUE(result.stable && result.settled_read && result.settled_write);
      EXPECT_GE(result.write_s, result.read_s);
      EXPECT_LT(result.write_s, result.profile_s + 0.004);
    }
    EXPECT_GT(inwards.write_s, before);
    before = inwards.write_s;
  }
}

TEST(ServoSeek, TheBenchmarksTenTracks) {
  // Its feed-forward example takes 20 samples, 0.76 ms, without noise; overshoot beyond half a track is undesirable.
  const SeekResult result =
      seek(arm({"noise.sensor_tracks=0", "noise.force_a=0", "windage.scale=0", "rro.scale=0"}), 10);
  EXPECT_LT(result.last_exit_s, 2.5e-3);
  EXPECT_LT(result.overshoot_tracks, 0.5);
}

TEST(ServoSeek, PhasesAddUpAndHeatIsPartOfTheSupply) {
  const SeekResult result = seek(arm({"driver.kind=voltage"}), 50000);
  double rail = 0, heat = 0, time = 0;
  for (const PhaseEnergy& phase : result.phases) {
    rail += phase.energy.rail;
    heat += phase.energy.heat;
    time += phase.time_s;
  }
  EXPECT_NEAR(rail, result.total.rail, 1e-12);
  EXPECT_NEAR(heat, result.total.heat, 1e-12);
  EXPECT_NEAR(time, result.write_s, 2e-4);
  EXPECT_GT(result.total.rail, result.total.heat);
  EXPECT_GT(result.phases[0].energy.rail, 10 * result.phases[3].energy.rail);
}

/// What an arm of a drive adds up wedge by wedge against the account of the plant's own equations.
TEST(ServoSeek, AnArmTellsThePowerOfItsCoilAndThePhases) {
  for (const char* rail : {"driver.rail=linear", "driver.rail=switching"}) {
    const ServoParams servo = arm({rail, "noise.force_a=0", "noise.sensor_tracks=0", "windage.scale=0", "rro.scale=0"});
    const double distance = 30000 * servo.pitch_m();
    const SeekResult account = seek(servo, 30000);
    Arm one(servo, 0);
    one.place(-0.5 * distance);
    one.seek(0.5 * distance);
    std::array<double, 4> joules{}, seconds{};
    while (!one.settled(true)) {
      one.wedge();
      if (one.settled(true)) break;
      joules[static_cast<std::size_t>(one.phase())] += one.rail_w() * one.wedge_s();
      seconds[static_cast<std::size_t>(one.phase())] += one.wedge_s();
    }
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(joules[i], account.phases[i].energy.rail, 0.01 * account.total.rail) << rail << i;
      EXPECT_NEAR(seconds[i], account.phases[i].time_s, 2.1 * one.wedge_s()) << rail << i;
    }
  }
  EXPECT_LT(seek(arm({"driver.rail=switching"}), 30000).total.rail, 0.9 * seek(arm(), 30000).total.rail)
      << "braking costs nothing";
}

/// A mode that is hit by the shaped current comes to rest with the path, another one rings on; and the loop does not
/// take the bending of the arm on the way for an error.
TEST(ServoSeek, AShapedPathLeavesItsModeAtRest) {
  const auto largest_after = [](const char* shape) {
    const ServoParams servo = designed(load_servo(
        std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/seagate_barracuda_es_750.toml",
        {config::assignment(shape), config::assignment("noise.sensor_tracks=0"), config::assignment("noise.force_a=0"),
         config::assignment("windage.scale=0"), config::assignment("rro.scale=0")}));
    const double distance = 90 * servo.pitch_m();
    Arm one(servo, 0);
    one.place(-0.5 * distance);
    one.seek(0.5 * distance);
    while (!one.arrived()) one.wedge();
    double largest = 0;
    for (int i = 0; i < 100; ++i) {
      one.wedge();
      largest = std::max(largest, std::fabs(one.error_tracks()));
    }
    return largest;
  };
  const double both = largest_after("seek.shape_modes=[2, 3]"), one = largest_after("seek.shape_modes=[2]");
  const double none = largest_after("seek.shape_modes=[]");
  EXPECT_LT(both, 0.02);
  EXPECT_LT(one, 0.03);
  EXPECT_GT(none, 0.1);
  EXPECT_THROW(arm({"seek.shape_modes=[9]"}), InputError);
  EXPECT_THROW(arm({"seek.shape_modes=[2.5]"}), InputError);
}

/// A path that is stretched is the path of an arm with less current, speed and bandwidth.
TEST(ServoSeek, AStretchedPathIsThatOfAWeakerArm) {
  const double distance = 20000 * arm().pitch_m();
  const ServoParams weaker = arm({"seek.current_a=0.32", "seek.bandwidth_hz=800", "seek.coast_m_s=1.2"});
  const ServoParams stretched = arm({"seek.current_a=0.5", "seek.bandwidth_hz=1000", "seek.coast_m_s=1.5",
                                     "seek.stretch=[[1, 1], [20000, 1.25], [30000, 1]]"});
  const SeekProfile a = seek_profile(weaker, -distance / 2, distance),
                    b = seek_profile(stretched, -distance / 2, distance);
  ASSERT_EQ(a.position.size(), b.position.size());
  for (std::size_t i = 0; i < a.position.size(); ++i) ASSERT_NEAR(a.position[i], b.position[i], 1e-12);
  EXPECT_EQ(stretched.seek.stretch_over(1), 1);
  EXPECT_EQ(stretched.seek.stretch_over(50000), 1);
  EXPECT_NEAR(stretched.seek.stretch_over(std::sqrt(20000.0)), 1.125, 1e-9);
  EXPECT_THROW(arm({"seek.stretch=[[5, 1], [5, 1.2]]"}), InputError);
}

TEST(ServoSeek, QuietSeeksTakeLongerAndLessCurrent) {
  const SeekResult loud = seek(arm(), 30000);
  const SeekResult between = seek(arm({"seek.acoustic_level=190"}), 30000);
  const SeekResult quiet = seek(arm({"seek.acoustic_level=128"}), 30000);
  EXPECT_TRUE(quiet.settled_write);
  EXPECT_GT(between.write_s, loud.write_s);
  EXPECT_GT(quiet.write_s, between.write_s);
  EXPECT_NEAR(quiet.peak_current_a / loud.peak_current_a, 0.5, 0.05);
  EXPECT_LT(quiet.total.heat, loud.total.heat);
}

TEST(ServoSeek, FeedForwardKeepsTheArmOnThePath) {
  const SeekResult with = seek(arm(), 8);
  const SeekResult without = seek(arm({"seek.feed_forward=false"}), 8);
  ASSERT_TRUE(with.settled_write && without.settled_write);
  EXPECT_GT(without.write_s, with.write_s);
  EXPECT_GT(without.overshoot_tracks, 2 * with.overshoot_tracks);
}

TEST(ServoSeek, FlexCableTorqueFactorAndFrictionAreHeld) {
  const SeekResult result =
      seek(arm({"driver.kind=voltage", "plant.torque_rolloff_percent=10", "plant.flex_bias_ma=10",
                "plant.flex_spring_ma_mm=0.5", "plant.friction_ma=2", "plant.friction_slip_um=0.5"}),
           60000);
  EXPECT_TRUE(result.stable && result.settled_write);
  EXPECT_LT(result.write_s, result.profile_s + 0.01);
  EXPECT_GT(result.total.friction, 0);
}

TEST(ServoSeek, ARotaryArmArrivesWithoutATailBothWays) {
  // Back-EMF, which an amplifier of gain 10 does not hold off by itself, friction and flex cable are fed forward, and
  // the integral does not gather what errs on the way: without any of these the arm passes the track or creeps to it.
  const ServoParams servo = designed(load_servo(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/rotary.toml", {}));
  for (const double tracks : {8333.0, 25000.0, -25000.0}) {
    const SeekResult result = seek(servo, tracks);
    EXPECT_TRUE(result.settled_write);
    EXPECT_LT(result.overshoot_tracks, 0.5) << tracks;
    EXPECT_LT(result.write_s, result.profile_s) << tracks;
    EXPECT_LE(result.left_write, 2) << tracks;
  }
}

TEST(ServoSeek, RefusesWhatIsOutsideOfTheStroke) {
  const double from = 40000;
  EXPECT_THROW(seek(arm(), 20000, {}, &from), InputError);
  EXPECT_THROW(seek(arm(), 99000), InputError);
  EXPECT_THROW(seek_profile(arm({"seek.coast_m_s=0.001"}), 0, 0.01), InputError);
}

}  // namespace
}  // namespace armature::servo
