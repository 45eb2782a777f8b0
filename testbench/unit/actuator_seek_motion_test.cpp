// A seek as physics: equations against integration in fine steps, and what a drive file may ask for.
#include "armature/actuator/seek_motion.h"

#include "armature/actuator/seek_profile.h"
#include "armature/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace armature::actuator {
namespace {

CoilParams coil() {
  CoilParams c;
  c.stroke_mm = 30;
  c.mass_g = 1.2;
  c.force_n_a = 0.8;
  c.resistance_ohm = 9;
  c.coast_m_s = 2.5;
  c.settle_ms = 0.6;
  return c;
}

TEST(SeekMotion, TimesOfBangBangAndOfACoastAreTheClosedForms) {
  const SeekMotion bang = SeekMotion::fastest(0.01, 400, 0, 0);
  EXPECT_NEAR(bang.duration_s(), 2 * std::sqrt(0.01 / 400), 1e-15);
  EXPECT_EQ(bang.coast_s, 0);
  const SeekMotion coasts = SeekMotion::fastest(0.03, 400, 2, 0);
  EXPECT_NEAR(coasts.duration_s(), 0.03 / 2 + 2.0 / 400, 1e-15);
  EXPECT_NEAR(coasts.coast_s, 0.03 / 2 - 2.0 / 400, 1e-15);
  // Ramps of a quarter leave three quarters of the mean acceleration.
  const SeekMotion soft = SeekMotion::fastest(0.03, 400, 2, 0.25);
  EXPECT_NEAR(soft.duration_s(), 0.03 / 2 + 2.0 / 300, 1e-15);
}

TEST(SeekMotion, InTimeIsTheFastestOneWithTheAccelerationThatItFinds) {
  for (const double limit : {0.0, 1.5, 4.0})
    for (const double ramp : {0.0, 0.2, 0.5}) {
      const SeekMotion found = SeekMotion::in_time(0.02, 0.017, limit, ramp);
      const SeekMotion again = SeekMotion::fastest(0.02, found.acceleration_m_s2, limit, ramp);
      EXPECT_NEAR(found.duration_s(), 0.017, 1e-15);
      EXPECT_NEAR(again.duration_s(), 0.017, 1e-12) << limit << ' ' << ramp;
      EXPECT_NEAR(again.coast_s, found.coast_s, 1e-12);
    }
}

TEST(SeekMotion, PositionVelocityAndHeatAreIntegralsOfTheAcceleration) {
  for (const double ramp : {0.0, 0.1, 0.5})
    for (const double limit : {0.0, 2.2}) {
      const SeekMotion motion = SeekMotion::in_time(0.02, 0.014, limit, ramp);
      constexpr int kSteps = 200'000;
      const double step = motion.duration_s() / kSteps;
      double velocity = 0, position = 0, heat = 0;
      for (int i = 0; i < kSteps; ++i) {
        const double t = (i + 0.5) * step, a = motion.acceleration_at(t);
        position += velocity * step + a * step * step / 2;
        velocity += a * step;
        heat += a * a * step;
        if (i % 20'000 != 0) continue;
        ASSERT_NEAR(motion.velocity_at((i + 1) * step), velocity, 1e-3);
        ASSERT_NEAR(motion.position_at((i + 1) * step), position, 1e-6);
        ASSERT_NEAR(motion.squared_to((i + 1) * step), heat, 1e-3 * motion.squared_to(motion.duration_s()));
      }
      EXPECT_NEAR(velocity, 0, 1e-6) << "from rest to rest";
      EXPECT_NEAR(position, 0.02, 1e-7);
      EXPECT_NEAR(motion.position_at(motion.duration_s()), 0.02, 1e-15);
    }
}

TEST(CoilMove, WhatTheRailGivesIsHeatAndTheKineticEnergyComesBack) {
  CoilParams c = coil();
  c.resistance_ohm = 12;  // so that no braking gives more than the winding takes
  const CoilMove move(c, 0.02, from_ms(14));
  const double amperes = c.mass_g * 1e-3 / c.force_n_a;
  const double heat = c.resistance_ohm * amperes * amperes * move.motion().squared_to(move.motion().duration_s());
  const double gained = c.mass_g * 1e-3 * move.motion().velocity_m_s * move.motion().velocity_m_s / 2;
  double sum = 0;
  for (const SeekPhase phase : {SeekPhase::accelerate, SeekPhase::coast, SeekPhase::decelerate})
    sum += move.joules(phase);
  EXPECT_NEAR(sum, heat, 1e-3 * heat);
  EXPECT_NEAR(move.joules(SeekPhase::accelerate), heat / 2 + gained, 1e-3 * heat);
  EXPECT_NEAR(move.joules(SeekPhase::coast), 0, 1e-12);
  EXPECT_EQ(move.joules(SeekPhase::settle), 0);
}

TEST(CoilMove, ALinearDriverTakesTheCurrentAtFullVoltage) {
  CoilParams c = coil();
  c.driver = CoilParams::linear;
  const CoilMove move(c, 0.02, from_ms(14));
  // Charge: the momentum over the force for an ampere.
  const double joules = 12 * c.mass_g * 1e-3 * move.motion().velocity_m_s / c.force_n_a;
  EXPECT_NEAR(move.joules(SeekPhase::accelerate), joules, 1e-9);
  EXPECT_NEAR(move.joules(SeekPhase::decelerate), joules, 1e-9);
}

TEST(CoilMove, ItsPhasesFillTheTimeAndItsStepsHoldThePower) {
  for (const double ramp : {0.0, 0.4}) {
    CoilParams c = coil();
    c.ramp = ramp;
    const Ps time = from_ms(14);
    const CoilMove move(c, 0.02, time);
    EXPECT_EQ(move.begins(SeekPhase::accelerate), 0);
    EXPECT_EQ(move.begins(SeekPhase::settle), time - from_ms(0.6));
    EXPECT_LT(move.begins(SeekPhase::coast), move.begins(SeekPhase::decelerate));
    const auto steps = move.steps();
    double integral = 0, stepped = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      ASSERT_LT(steps[i].after, steps[i + 1].after);
      ASSERT_GE(steps[i].watts, 0);
      stepped += steps[i].watts * to_seconds(steps[i + 1].after - steps[i].after);
    }
    constexpr int kSteps = 100'000;
    const double step = move.motion().duration_s() / kSteps;
    for (int i = 0; i < kSteps; ++i) integral += move.watts_at((i + 0.5) * step) * step;
    EXPECT_NEAR(stepped, integral, 2e-2 * integral) << "but for a step in which braking gives back more than it takes";
    EXPECT_EQ(steps.back().watts, 0);
    EXPECT_DOUBLE_EQ(move.position_part(time), 1);
  }
}

TEST(CoilMove, RefusesWhatTheCoilCannotDo) {
  CoilParams c = coil();
  EXPECT_THROW(CoilMove(c, 0.02, from_ms(0.5)), InputError) << "settling alone takes longer";
  EXPECT_THROW(CoilMove(c, 0.02, from_ms(8)), InputError) << "2.5 m/s take 8 ms for the way";
  c.coast_m_s = 0;
  EXPECT_THROW(CoilMove(c, 0.02, from_ms(5)), InputError) << "12 V are not enough";
  EXPECT_NO_THROW(CoilMove(c, 0.02, from_ms(14)));
  c.supply = CoilParams::from_5v;
  EXPECT_THROW(CoilMove(c, 0.02, from_ms(14)), InputError) << "5 V are not";
}

SeekParams both_curves() {
  SeekParams p;
  p.table = {{1, 1}, {10, 2}, {999, 10}};
  p.quiet.table = {{1, 1.5}, {10, 3}, {999, 16}};
  return p;
}

TEST(QuietSeeks, HaveTheirOwnCurve) {
  const SeekProfile profile(both_curves(), 1'000);
  ASSERT_TRUE(profile.has_quiet());
  EXPECT_EQ(profile.seek(10), from_ms(2));
  EXPECT_EQ(profile.seek(10, SeekMode::quiet), from_ms(3));
  EXPECT_EQ(profile.seek(5, 15, SeekMode::quiet), from_ms(3));
  EXPECT_EQ(profile.positioning(5, 15, true, SeekMode::quiet), from_ms(3));
  EXPECT_LE(profile.least_seek(10), from_ms(2));
  SeekParams p = both_curves();
  p.quiet = {};
  EXPECT_FALSE(SeekProfile(p, 1'000).has_quiet());
  EXPECT_EQ(SeekProfile(p, 1'000).seek(10, SeekMode::quiet), from_ms(2)) << "without one every mode is normal";
}

TEST(QuietSeeks, RefusesACurveThatIsFasterOrKeysThatNeedOne) {
  SeekParams p = both_curves();
  p.quiet.table[1].ms = 1.9;
  EXPECT_THROW(SeekProfile(p, 1'000), InputError);
  p = both_curves();
  p.quiet = {};
  p.quiet.just_in_time = true;
  EXPECT_THROW(SeekProfile(p, 1'000), InputError);
  p.quiet = {};
  p.quiet.arms = {0};
  EXPECT_THROW(SeekProfile(p, 1'000), InputError);
}

TEST(QuietSeeks, TheCoilTakesLessPowerAndOnlyWhatItsFileSays) {
  SeekParams p = both_curves();
  EXPECT_FALSE(SeekProfile(p, 1'000).coil_move(100, from_ms(5), SeekMode::normal));
  p.coil = coil();
  p.coil.coast_m_s = 0;
  p.coil.resistance_ohm = 1;
  const SeekProfile profile(p, 1'000);
  const auto normal = profile.coil_move(999, profile.seek(999), SeekMode::normal);
  const auto quiet = profile.coil_move(999, profile.seek(999, SeekMode::quiet), SeekMode::quiet);
  ASSERT_TRUE(normal && quiet);
  EXPECT_NEAR(normal->motion().distance_m(), 0.03, 1e-15);
  EXPECT_LT(quiet->peak_w(), normal->peak_w());
  EXPECT_LT(profile.mean_coil_w(SeekMode::quiet), profile.mean_coil_w());
  EXPECT_FALSE(SeekProfile(p, 1'000, 0.5).coil_move(100, from_ms(5), SeekMode::normal)) << "a what-if has no physics";
}

}  // namespace
}  // namespace armature::actuator
