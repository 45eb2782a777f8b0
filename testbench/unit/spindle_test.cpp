#include "armature/spindle/spindle.h"
#include "armature/core/kernel_time.h"

#include "armature/core/error.h"
#include "armature/regs/spn.h"
#include "support/bus_master.h"
#include "support/mechanics_recorder.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace armature::spindle {
namespace {

namespace spn = armature::regs::spn;
using armature::testing::MechanicsRecorder;
using armature::testing::run_until;
using ::testing::ElementsAre;
using StateEntered = MechanicsRecorder::StateEntered;

class SpindleTest : public ::testing::Test {
 protected:
  Spindle& make(const SpindleParams& params) {
    spindle_ = std::make_unique<Spindle>("spn", params, recorder_.context());
    bus_.socket.bind(spindle_->regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus_.write(spn::kInten, spn::inten::Ready::kMask);
    return *spindle_;
  }
  void go(bool run) { bus_.write(spn::kCtrl, spn::ctrl::Go::kMask | spn::ctrl::Run::set(0, run)); }
  void order(unsigned speed) {
    bus_.write(spn::kCtrl, spn::ctrl::Go::kMask | spn::ctrl::Speed::set(spn::ctrl::Run::set(0, 1), speed));
  }
  bool ready() { return spn::intstat::Ready::get(bus_.read(spn::kIntstat)); }
  void clear() { bus_.write(spn::kIntstat, ~0u); }
  void expect_ready_at(Ps at) {
    run_until(at - 1);
    EXPECT_FALSE(ready());
    EXPECT_FALSE(spindle_->irq.read());
    EXPECT_EQ(spindle_->rotation(), nullptr);
    EXPECT_EQ(bus_.read(spn::kStatus), 0u) << "no speed while it changes";
    run_until(at);
    EXPECT_TRUE(ready());
    EXPECT_TRUE(spindle_->irq.read());
    clear();
    EXPECT_FALSE(spindle_->irq.read());
  }

  MechanicsRecorder recorder_;
  std::unique_ptr<Spindle> spindle_;
  armature::testing::BusMaster bus_{"bus"};
};

SpindleParams stopped() {
  SpindleParams params;
  params.rpm = 7200;
  params.spin_up_s = 4;
  params.spin_down_s = 2;
  params.initially_spinning = false;
  return params;
}

TEST_F(SpindleTest, AtSpeedFromTheStartAnswersGoAtOnce) {
  SpindleParams params;
  params.rpm = 10'025.5;
  const Spindle& spindle = make(params);
  ASSERT_NE(spindle.rotation(), nullptr);
  EXPECT_EQ(spindle.rotation()->millirpm(), 10'025'500);
  EXPECT_EQ(spindle.rotation()->index_time(), 0);
  EXPECT_EQ(spn::status::EighthRpm::get(bus_.read(spn::kStatus)), 80'204u) << "10,025.5 rpm in eighths";
  EXPECT_TRUE(spn::status::AtSpeed::get(bus_.read(spn::kStatus)));
  EXPECT_FALSE(ready());
  go(true);
  EXPECT_TRUE(ready());
  EXPECT_TRUE(spindle.irq.read());
  EXPECT_THAT(recorder_.states["spn"], ElementsAre(StateEntered{2, 0}));
}

TEST_F(SpindleTest, SpinsUpInItsTimeAndTurnsFromThere) {
  const Spindle& spindle = make(stopped());
  EXPECT_EQ(spindle.rotation(), nullptr);
  run_until(kPsPerSecond);
  go(true);
  expect_ready_at(5 * kPsPerSecond);
  ASSERT_NE(spindle.rotation(), nullptr);
  EXPECT_EQ(spindle.rotation()->next_passage({1, 3}, 5 * kPsPerSecond), 5 * kPsPerSecond + 2'777'777'778)
      << "a third of 25e9 / 3 ps, rounded up";
  go(false);
  EXPECT_EQ(spindle.rotation(), nullptr);
  expect_ready_at(7 * kPsPerSecond);
  EXPECT_EQ(spindle.rotation(), nullptr);
  go(false);
  EXPECT_TRUE(ready()) << "stopped already";
  EXPECT_THAT(recorder_.states["spn"],
              ElementsAre(StateEntered{1, kPsPerSecond}, StateEntered{2, 5 * kPsPerSecond},
                          StateEntered{3, 5 * kPsPerSecond}, StateEntered{0, 7 * kPsPerSecond}));
}

TEST_F(SpindleTest, ATurnAroundTakesTheTimeFromTheSpeedReached) {
  make(stopped());
  go(true);
  run_until(kPsPerSecond);  // a quarter of full speed
  go(false);
  expect_ready_at(kPsPerSecond + kPsPerSecond / 2);  // a quarter of the 2 s from full speed
  go(true);
  run_until(3'500 * kPsPerMs);  // half of full speed
  go(false);
  run_until(4 * kPsPerSecond);  // a quarter again
  go(true);
  go(true);  // under way: nothing new
  expect_ready_at(7 * kPsPerSecond);
}

SpindleParams with_motor() {
  SpindleParams params = stopped();
  params.motor.torque_mn_m_a = 12;
  return params;
}

TEST_F(SpindleTest, ChangesItsSpeedInTheTimesOfItsMotor) {
  const Motor motor(with_motor().motor, 7200);
  const auto ps = [](double s) { return from_ms(s * 1e3); };
  make(with_motor());
  go(true);
  expect_ready_at(ps(motor.up().seconds()));
  const Ps begin = now();
  go(false);
  expect_ready_at(begin + ps(motor.down().seconds()));
  const auto& speed = recorder_.reals["spn.speed"];
  const auto& current = recorder_.reals["spn.motor_current"];
  EXPECT_EQ(speed.front().second, 0);
  double fastest = 0, most = 0;
  for (const auto& [at, rpm] : speed) fastest = std::max(fastest, rpm);
  for (const auto& [at, amperes] : current) most = std::max(most, amperes);
  EXPECT_NEAR(fastest, 7200, 1e-6);
  EXPECT_NEAR(most, 2, 1e-9) << "the limit";
  EXPECT_EQ(speed.back().second, 0);
  EXPECT_EQ(current.back().second, 0);
}

TEST_F(SpindleTest, AMotorTurnsAroundFromTheSpeedReached) {
  SpindleParams params = with_motor();
  params.motor.brakes = true;
  const Motor motor(params.motor, 7200);
  make(params);
  go(true);
  const Ps turned = kPsPerSecond;
  run_until(turned);
  const double speed = motor.up().at(1).rad_s;
  ASSERT_GT(speed, 0.1 * motor.full_rad_s());
  ASSERT_LT(speed, 0.9 * motor.full_rad_s());
  go(false);
  const double left = motor.down().seconds() - motor.down().when(speed);
  expect_ready_at(turned + from_ms(left * 1e3));
}

TEST_F(SpindleTest, AMotorWithoutSupplyDoesNotBrake) {
  SpindleParams params = with_motor();
  params.initially_spinning = true;
  params.motor.brakes = true;
  const Motor motor(params.motor, 7200);
  ASSERT_LT(motor.down().seconds(), 0.8 * motor.coast().seconds());
  make(params).power_off();
  run_until(from_ms(motor.coast().seconds() * 1e3) - 1);
  EXPECT_EQ(recorder_.states["spn"].back().state, 3u);
  run_until(from_ms(motor.coast().seconds() * 1e3));
  EXPECT_EQ(recorder_.states["spn"].back().state, 0u);
}

SpindleParams with_speeds() {
  SpindleParams params = stopped();
  params.initially_spinning = true;
  params.speeds_rpm = {5'400, 3'600};
  return params;
}

TEST_F(SpindleTest, ChangesBetweenItsSpeedsInTheTimesOfThatPartOfAWholeChange) {
  const Spindle& spindle = make(with_speeds());
  run_until(kPsPerSecond);
  order(1);
  expect_ready_at(kPsPerSecond + kPsPerSecond / 2);  // a quarter of the 2 s from full speed to standstill
  ASSERT_NE(spindle.rotation(), nullptr);
  EXPECT_EQ(spindle.rotation()->millirpm(), 5'400'000);
  EXPECT_EQ(spn::status::EighthRpm::get(bus_.read(spn::kStatus)), 5'400u * 8);
  EXPECT_TRUE(spn::status::AtSpeed::get(bus_.read(spn::kStatus)));
  EXPECT_FALSE(spindle.off_speed());
  order(2);
  expect_ready_at(2 * kPsPerSecond);
  EXPECT_EQ(spindle.rotation()->millirpm(), 3'600'000);
  order(0);
  expect_ready_at(4 * kPsPerSecond);  // half of the 4 s from standstill
  EXPECT_EQ(spindle.rotation()->millirpm(), 7'200'000);
  order(2);
  run_until(4'500 * kPsPerMs);  // three quarters of full speed
  order(1);                     // just reached
  run_until(4'500 * kPsPerMs + 1);
  EXPECT_TRUE(ready());
  EXPECT_THAT(recorder_.states["spn"],
              ElementsAre(StateEntered{2, 0}, StateEntered{4, kPsPerSecond}, StateEntered{5, 1'500 * kPsPerMs},
                          StateEntered{4, 1'500 * kPsPerMs}, StateEntered{6, 2 * kPsPerSecond},
                          StateEntered{1, 2 * kPsPerSecond}, StateEntered{2, 4 * kPsPerSecond},
                          StateEntered{4, 4 * kPsPerSecond}, StateEntered{1, 4'500 * kPsPerMs},
                          StateEntered{5, 4'500 * kPsPerMs}));
}

TEST_F(SpindleTest, ComesToALowerSpeedFromStandstillAndStopsFromThere) {
  SpindleParams params = with_speeds();
  params.initially_spinning = false;
  const Spindle& spindle = make(params);
  order(2);
  expect_ready_at(2 * kPsPerSecond);
  order(2);
  EXPECT_TRUE(ready()) << "it has that speed";
  clear();
  EXPECT_EQ(spindle.rotation()->next_passage({0, 1}, 2 * kPsPerSecond + 1), 2 * kPsPerSecond + 50'000'000'000 / 3 + 1)
      << "a turn of 16.7 ms";
  go(false);
  expect_ready_at(3 * kPsPerSecond);
}

TEST_F(SpindleTest, ASpeedThatItDoesNotHaveIsIgnored) {
  const Spindle& spindle = make(with_speeds());
  order(3);
  run_until(10 * kPsPerSecond);
  EXPECT_FALSE(ready());
  EXPECT_EQ(spindle.rotation()->millirpm(), 7'200'000);
}

TEST_F(SpindleTest, NothingIsAccessedAtAnIdleSpeed) {
  SpindleParams params = with_speeds();
  params.access_at_lower = false;
  const Spindle& spindle = make(params);
  order(1);
  run_until(kPsPerSecond);
  ASSERT_NE(spindle.rotation(), nullptr);
  EXPECT_TRUE(spindle.off_speed());
  EXPECT_FALSE(spn::status::AtSpeed::get(bus_.read(spn::kStatus)));
}

TEST_F(SpindleTest, ChangesBetweenSpeedsInTheTimesOfTheMotor) {
  SpindleParams params = with_motor();
  params.initially_spinning = true;
  params.speeds_rpm = {5'400};
  const Motor motor(params.motor, 7200);
  make(params);
  const double lower = motor.full_rad_s() * 0.75;
  order(1);
  const Ps slowed = from_ms(motor.down().when(lower) * 1e3);
  expect_ready_at(slowed);
  EXPECT_NEAR(recorder_.reals["spn.speed"].back().second, 5'400, 1e-9);
  EXPECT_NEAR(recorder_.reals["spn.motor_current"].back().second, motor.drag_n_m(lower) / 12e-3, 1e-9);
  order(0);
  expect_ready_at(slowed + from_ms((motor.up().seconds() - motor.up().when(lower)) * 1e3));
}

TEST_F(SpindleTest, SpeedsMustFall) {
  const BlockContext none;
  const auto with = [](std::vector<double> speeds) {
    SpindleParams params;
    params.speeds_rpm = std::move(speeds);
    return params;
  };
  EXPECT_THROW(Spindle("a", with({7'200}), none), InputError);
  EXPECT_THROW(Spindle("b", with({3'600, 5'400}), none), InputError);
  EXPECT_THROW(Spindle("c", with({7'000, 6'000, 5'000, 4'000, 3'000, 2'000, 1'000, 500}), none), InputError);
}

TEST_F(SpindleTest, WithoutGoTheRunBitDoesNothing) {
  make(stopped());
  bus_.write(spn::kCtrl, spn::ctrl::Run::kMask);
  run_until(10 * kPsPerSecond);
  EXPECT_FALSE(ready());
  EXPECT_EQ(spindle_->rotation(), nullptr);
}

TEST_F(SpindleTest, ThePhaseIsTheAngleAtTimeZero) {
  SpindleParams params;
  params.rpm = 6'000;  // 10 ms
  params.index_phase_rev = 0.25;
  const Spindle& spindle = make(params);
  EXPECT_EQ(spindle.rotation()->angle(0, 16), 16'384u);
  EXPECT_EQ(spindle.rotation()->next_passage({0, 1}, 0), 7'500'000'000);
}

TEST_F(SpindleTest, SpeedsAndTimesOutOfRangeAreInputErrors) {
  const auto with = [](double rpm, double up, double down, double phase) {
    SpindleParams params;
    params.rpm = rpm;
    params.spin_up_s = up;
    params.spin_down_s = down;
    params.index_phase_rev = phase;
    return params;
  };
  const BlockContext none;
  EXPECT_THROW(Spindle("a", with(0, 1, 1, 0), none), InputError);
  EXPECT_THROW(Spindle("b", with(7200, 0, 1, 0), none), InputError);
  EXPECT_THROW(Spindle("c", with(7200, 1, -1, 0), none), InputError);
  EXPECT_THROW(Spindle("d", with(7200, 1, 1, 1.5), none), InputError);
}

TEST_F(SpindleTest, DebugAccessStartsNothing) {
  make(stopped());
  bus_.debug_write(spn::kCtrl, spn::ctrl::Go::kMask | spn::ctrl::Run::kMask);
  run_until(10 * kPsPerSecond);
  EXPECT_EQ(spindle_->rotation(), nullptr);
}

TEST_F(SpindleTest, WhenPowerFailsTheStackCoastsDownAndTellsNobody) {
  SpindleParams params = stopped();
  params.initially_spinning = true;
  Spindle& spindle = make(params);
  run_until(kPsPerSecond);
  spindle.power_off();
  EXPECT_EQ(spindle.rotation(), nullptr);
  go(true);  // ignored
  run_until(10 * kPsPerSecond);
  EXPECT_FALSE(ready());
  EXPECT_THAT(recorder_.states["spn"],
              ElementsAre(StateEntered{2, 0}, StateEntered{3, kPsPerSecond}, StateEntered{0, 3 * kPsPerSecond}));
}

TEST_F(SpindleTest, WhenPowerIsBackItSpinsUpFromTheSpeedThatIsLeft) {
  SpindleParams params = stopped();
  params.initially_spinning = true;
  Spindle& spindle = make(params);
  run_until(kPsPerSecond);
  spindle.power_off();
  run_until(kPsPerSecond * 3 / 2);  // a quarter of 2 s: three quarters of the speed
  spindle.power_on();
  EXPECT_FALSE(ready());
  run_until(kPsPerSecond * 2);  // half of the speed; up in half of 4 s
  go(true);
  run_until(4 * kPsPerSecond - 1);
  EXPECT_FALSE(ready());
  run_until(4 * kPsPerSecond);
  EXPECT_TRUE(ready());
  EXPECT_THAT(recorder_.states["spn"],
              ElementsAre(StateEntered{2, 0}, StateEntered{3, kPsPerSecond}, StateEntered{1, 2 * kPsPerSecond},
                          StateEntered{2, 4 * kPsPerSecond}));
}

TEST_F(SpindleTest, AStackThatHasCoastedToAStandTellsNobodyWhenPowerIsBack) {
  SpindleParams params = stopped();
  params.initially_spinning = true;
  Spindle& spindle = make(params);
  spindle.power_off();
  run_until(kPsPerSecond);
  spindle.power_on();
  run_until(10 * kPsPerSecond);
  EXPECT_FALSE(ready());
  go(true);
  run_until(14 * kPsPerSecond);
  EXPECT_TRUE(ready());
}

TEST_F(SpindleTest, WhenPowerFailsInASpinUpItCoastsFromTheSpeedThatItHas) {
  Spindle& spindle = make(stopped());
  go(true);
  run_until(kPsPerSecond);  // a quarter of the speed: down in a quarter of 2 s
  spindle.power_off();
  run_until(10 * kPsPerSecond);
  EXPECT_FALSE(ready());
  EXPECT_THAT(recorder_.states["spn"],
              ElementsAre(StateEntered{1, 0}, StateEntered{3, kPsPerSecond}, StateEntered{0, kPsPerSecond * 3 / 2}));
}

TEST_F(SpindleTest, ThatHasBecomeSlowIsNotAtSpeedAndReportsWhenItIsBack) {
  SpindleParams params = stopped();
  params.initially_spinning = true;
  Spindle& spindle = make(params);
  EXPECT_EQ(spn::status::AtSpeed::get(bus_.read(spn::kStatus)), 1u);
  spindle.slow(0.75);
  EXPECT_EQ(spn::status::AtSpeed::get(bus_.read(spn::kStatus)), 0u);
  EXPECT_EQ(spn::status::EighthRpm::get(bus_.read(spn::kStatus)), 7200u * 6);
  EXPECT_FALSE(ready());
  spindle.slow(1);
  EXPECT_EQ(spn::status::AtSpeed::get(bus_.read(spn::kStatus)), 1u);
  EXPECT_TRUE(ready());
}

}  // namespace
}  // namespace armature::spindle
