#include "armature/actuator/servo.h"
#include "armature/core/kernel_time.h"

#include "armature/actuator/profile_motion.h"
#include "armature/core/error.h"
#include "armature/regs/srv.h"
#include "support/bus_master.h"
#include "support/mechanics_recorder.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace armature::actuator {
namespace {

namespace srv = armature::regs::srv;
using armature::testing::MechanicsRecorder;
using ::testing::ElementsAre;
using PhaseBegan = MechanicsRecorder::PhaseBegan;
using StateEntered = MechanicsRecorder::StateEntered;
using armature::testing::run_until;
using armature::testing::settle;

constexpr std::uint32_t kCylinders = 1000, kHeads = 4;

SeekParams params() {
  SeekParams p;
  p.table = {{1, 1}, {10, 2}, {999, 10}};
  p.head_switch_ms = 1.5;
  p.write_settle_ms = 0.5;
  return p;
}

class ServoTest : public ::testing::Test {
 protected:
  ServoTest() {
    bus_.socket.bind(servo_.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus_.write(srv::kInten, srv::inten::Ready::kMask | srv::inten::Error::kMask);
  }

  void target(std::uint32_t cylinder, std::uint32_t head) {
    bus_.write(srv::kTarget, srv::target::Head::set(srv::target::Cylinder::set(0, cylinder), head));
  }
  void go(std::uint32_t tag, bool write = false, bool anonymous = false) {
    std::uint32_t word = srv::ctrl::Go::kMask | srv::ctrl::Tag::set(0, tag);
    word = srv::ctrl::Anonymous::set(srv::ctrl::Write::set(word, write), anonymous);
    bus_.write(srv::kCtrl, word);
  }
  bool ready() { return srv::intstat::Ready::get(bus_.read(srv::kIntstat)); }
  bool error() { return srv::intstat::Error::get(bus_.read(srv::kIntstat)); }
  void clear() { bus_.write(srv::kIntstat, ~0u); }
  /// Ready comes at `at` and not a picosecond before.
  void expect_ready_at(Ps at) {
    run_until(at - 1);
    EXPECT_FALSE(ready()) << now();
    EXPECT_FALSE(servo_.irq.read());
    run_until(at);
    EXPECT_TRUE(ready()) << now();
    EXPECT_TRUE(servo_.irq.read());
    clear();
    EXPECT_FALSE(servo_.irq.read());
  }

  MechanicsRecorder recorder_;
  SeekProfile profile_{params(), kCylinders};
  Servo servo_{"srv0", std::make_unique<ProfileMotion>(profile_), {0, kHeads, 1}, recorder_.context()};
  armature::testing::BusMaster bus_{"bus"};
};

TEST_F(ServoTest, AMoveTakesTheTimeOfTheProfileAndRaisesReady) {
  target(10, 0);
  go(5);
  EXPECT_EQ(srv::status::Cylinder::get(bus_.read(srv::kStatus)), 10u);
  EXPECT_FALSE(srv::status::OnTrack::get(bus_.read(srv::kStatus)));
  EXPECT_FALSE(servo_.on_track(false));
  expect_ready_at(from_ms(2));
  EXPECT_TRUE(srv::status::OnTrack::get(bus_.read(srv::kStatus)));
  EXPECT_TRUE(servo_.on_track(false));
  target(9, 0);
  go(6);
  expect_ready_at(from_ms(3));
  EXPECT_EQ(servo_.from_cylinder(), 10u);
  EXPECT_THAT(recorder_.phases, ElementsAre(PhaseBegan{5, "seek", 0}, PhaseBegan{5, "done", from_ms(2)},
                                            PhaseBegan{6, "seek", from_ms(2)}, PhaseBegan{6, "done", from_ms(3)}));
  EXPECT_THAT(recorder_.states["srv0"], ElementsAre(StateEntered{1, 0}, StateEntered{0, from_ms(2)},
                                                    StateEntered{1, from_ms(2)}, StateEntered{0, from_ms(3)}));
}

TEST_F(ServoTest, AHeadSwitchHidesBehindALongerSeekAndShowsBesideAShorterOne) {
  target(0, 3);
  go(0);
  expect_ready_at(from_ms(1.5));
  EXPECT_EQ(srv::status::Head::get(bus_.read(srv::kStatus)), 3u);
  target(1, 2);
  go(0);
  expect_ready_at(from_ms(3));
  target(11, 1);
  go(0);
  expect_ready_at(from_ms(5));
}

TEST_F(ServoTest, AWriteSettlesLongerAndTheSettlingIsAccountedApart) {
  target(10, 1);
  go(9, /*write=*/true);
  expect_ready_at(from_ms(2.5));
  EXPECT_TRUE(servo_.on_track(true));
  EXPECT_THAT(recorder_.phases, ElementsAre(PhaseBegan{9, "seek", 0}, PhaseBegan{9, "write_settle", from_ms(2)},
                                            PhaseBegan{9, "done", from_ms(2.5)}));
}

TEST_F(ServoTest, ToTheTrackUnderTheHeadIsReadyInTheSameInstantByAnEvent) {
  go(1);
  EXPECT_FALSE(ready()) << "not within the register access";
  settle();
  EXPECT_TRUE(ready());
  EXPECT_EQ(now(), 0);
}

TEST_F(ServoTest, AWriteToTheTrackJustReadWaitsForWhatIsLeftOfTheWriteSettling) {
  target(10, 0);
  go(1);
  expect_ready_at(from_ms(2));
  EXPECT_TRUE(servo_.on_track(false));
  EXPECT_FALSE(servo_.on_track(true));
  run_until(now() + from_ms(0.2));
  go(2, /*write=*/true);
  EXPECT_EQ(servo_.positioning(10, 0, true, false, now()), from_ms(0.3));
  expect_ready_at(from_ms(2.5));
  go(3, /*write=*/true);
  settle();
  EXPECT_TRUE(ready()) << "settled once is settled";
  EXPECT_EQ(now(), from_ms(2.5));
}

TEST_F(ServoTest, WhatItPredictsIsWhatItTakes) {
  const struct {
    std::uint32_t cylinder, head;
    bool write;
  } moves[] = {{999, 0, false}, {0, 0, true}, {0, 1, true}, {5, 1, false}, {5, 1, true}, {5, 1, false}, {500, 2, true}};
  for (const auto& move : moves) {
    const Ps predicted = servo_.positioning(move.cylinder, move.head, move.write, false, now());
    const Ps begin = now();
    target(move.cylinder, move.head);
    go(0, move.write);
    if (predicted > 0) {
      expect_ready_at(begin + predicted);
    } else {
      settle();
      EXPECT_TRUE(ready());
      clear();
    }
  }
}

TEST_F(ServoTest, AnImpossibleTargetOrASecondGoRaisesErrorAndChangesNothing) {
  target(kCylinders, 0);
  go(1);
  EXPECT_TRUE(error());
  EXPECT_TRUE(servo_.irq.read());
  clear();
  target(0, kHeads);
  go(1);
  EXPECT_TRUE(error());
  clear();
  EXPECT_EQ(servo_.head(), 0u);
  EXPECT_TRUE(servo_.on_track(true));
  EXPECT_TRUE(recorder_.phases.empty());

  target(10, 0);
  go(1);
  target(20, 0);
  go(2);
  EXPECT_TRUE(error());
  clear();
  EXPECT_EQ(servo_.cylinder(), 10u);
  expect_ready_at(from_ms(2));
  EXPECT_EQ(recorder_.phases.size(), 2u);
}

TEST_F(ServoTest, AnAnonymousMoveIsNotAccounted) {
  target(10, 0);
  go(1, /*write=*/true, /*anonymous=*/true);
  expect_ready_at(from_ms(2.5));
  EXPECT_TRUE(recorder_.phases.empty());
}

TEST_F(ServoTest, WithoutGoNothingMoves) {
  target(10, 0);
  bus_.write(srv::kCtrl, srv::ctrl::Tag::set(0, 3));
  run_until(now() + from_ms(20));
  EXPECT_FALSE(ready());
  EXPECT_EQ(servo_.cylinder(), 0u);
}

TEST_F(ServoTest, TheInterruptFollowsItsEnable) {
  bus_.write(srv::kInten, 0);
  target(10, 0);
  go(0);
  run_until(now() + from_ms(2));
  EXPECT_TRUE(ready());
  EXPECT_FALSE(servo_.irq.read());
  bus_.write(srv::kInten, srv::inten::Ready::kMask);
  EXPECT_TRUE(servo_.irq.read());
}

TEST_F(ServoTest, DebugAccessStartsNothing) {
  bus_.debug_write(srv::kTarget, 10);
  bus_.debug_write(srv::kCtrl, srv::ctrl::Go::kMask);
  run_until(now() + from_ms(20));
  EXPECT_EQ(servo_.cylinder(), 0u);
  EXPECT_FALSE(ready());
}

TEST_F(ServoTest, ATracedMoveDrawsASmoothWayFromStartToTarget) {
  target(100, 0);
  go(1, /*write=*/true);
  const Ps end = servo_.positioning(0, 0, false, false, 0);  // the way back takes as long
  run_until(now() + from_ms(20));
  const auto& way = recorder_.reals["srv0.position"];
  ASSERT_GE(way.size(), 20u);
  EXPECT_EQ(way.front().second, 0);
  EXPECT_EQ(way.back().first, end) << "the write settling is no motion";
  EXPECT_EQ(way.back().second, 100);
  for (std::size_t i = 1; i < way.size(); ++i) {
    EXPECT_GE(way[i].first, way[i - 1].first);
    EXPECT_GE(way[i].second, way[i - 1].second);
    EXPECT_LT(way[i].second - way[i - 1].second, 10) << "no jump";
  }
  // Full acceleration, then full deceleration: an eighth of the way after a quarter of the time, and the mirror image.
  const auto at = [&way](Ps t) {
    for (const auto& [time, position] : way) {
      if (time == t) return position;
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(at(end / 4), 12.5);
  EXPECT_DOUBLE_EQ(at(end / 2), 50);
  EXPECT_DOUBLE_EQ(at(end * 3 / 4), 87.5);
  const MechanicsRecorder::Changes<std::string> states = {
      {0, "hold"}, {0, "seek"}, {end, "write_settle"}, {end + from_ms(0.5), "hold"}};
  EXPECT_EQ(recorder_.texts["srv0.state"], states);
}

/// A ramp outside cylinder 0: 40 ms up to the disk, 30 ms onto the ramp.
class RampTest : public ::testing::Test {
 protected:
  static SeekParams with_ramp() {
    SeekParams p = params();
    p.load_ms = 40;
    p.unload_ms = 30;
    return p;
  }
  Servo& make(bool parked, const SeekParams& p = with_ramp()) {
    profile_ = std::make_unique<SeekProfile>(p, kCylinders);
    servo_ = std::make_unique<Servo>("srv0", std::make_unique<ProfileMotion>(*profile_, parked),
                                     HeadStack{0, kHeads, 1}, recorder_.context(), parked);
    bus_.socket.bind(servo_->regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus_.write(srv::kInten, srv::inten::Ready::kMask | srv::inten::Error::kMask);
    return *servo_;
  }
  void move(std::uint32_t cylinder) {
    bus_.write(srv::kTarget, cylinder);
    bus_.write(srv::kCtrl, srv::ctrl::Go::kMask);
  }
  void release(std::uint32_t cylinder) {
    bus_.write(srv::kTarget, cylinder);
    bus_.write(srv::kCtrl, srv::ctrl::Go::kMask | srv::ctrl::Release::kMask);
  }
  void load() { bus_.write(srv::kCtrl, srv::ctrl::Go::kMask | srv::ctrl::Load::kMask); }
  void unload() { bus_.write(srv::kCtrl, srv::ctrl::Go::kMask | srv::ctrl::Unload::kMask); }
  std::uint32_t parking() { return bus_.read(srv::kParking); }
  /// The bits of intstat, which are cleared.
  std::uint32_t take() {
    const std::uint32_t bits = bus_.read(srv::kIntstat);
    bus_.write(srv::kIntstat, ~0u);
    return bits;
  }
  void expect_ready_at(Ps at) {
    run_until(at - 1);
    EXPECT_EQ(take(), 0u) << now();
    run_until(at);
    EXPECT_EQ(take(), srv::intstat::Ready::kMask) << now();
  }

  static constexpr std::uint32_t kRamp = 2, kParkedOnRamp = 3;

  MechanicsRecorder recorder_;
  std::unique_ptr<SeekProfile> profile_;
  std::unique_ptr<Servo> servo_;
  armature::testing::BusMaster bus_{"bus"};
};

TEST_F(RampTest, AParkedArmIsNotOnTrackUntilItIsLoadedOntoCylinderZero) {
  const Servo& servo = make(/*parked=*/true);
  EXPECT_EQ(parking(), kParkedOnRamp);
  EXPECT_FALSE(servo.on_track(false));
  EXPECT_FALSE(srv::status::OnTrack::get(bus_.read(srv::kStatus)));
  run_until(from_ms(5));
  load();
  EXPECT_EQ(parking(), kRamp) << "on its way is not parked";
  EXPECT_FALSE(servo.on_track(false));
  expect_ready_at(from_ms(45));
  EXPECT_EQ(parking(), kRamp);
  EXPECT_TRUE(servo.on_track(false));
  EXPECT_FALSE(servo.on_track(true)) << "settles for writing as after any move";
  EXPECT_EQ(bus_.read(srv::kStatus), srv::status::OnTrack::kMask) << "cylinder 0, head 0";
  run_until(from_ms(45.5));
  EXPECT_TRUE(servo.on_track(true));
  move(10);
  expect_ready_at(from_ms(47.5));
  EXPECT_THAT(recorder_.states["srv0"],
              ElementsAre(StateEntered{2, 0}, StateEntered{1, from_ms(5)}, StateEntered{0, from_ms(45)},
                          StateEntered{1, from_ms(45.5)}, StateEntered{0, from_ms(47.5)}));
  EXPECT_EQ(recorder_.phases.size(), 2u) << "loading is for no request";
}

TEST_F(RampTest, AReleasedArmRestsWhereItIsAndFollowsItsTrackAgainAfterTheTimeForThat) {
  SeekParams p = with_ramp();
  p.acquire_ms = 20;
  const Servo& servo = make(false, p);
  release(10);
  EXPECT_EQ(parking(), kRamp);
  expect_ready_at(from_ms(2));
  EXPECT_EQ(parking(), kRamp | srv::parking::Released::kMask);
  EXPECT_TRUE(servo.released());
  EXPECT_FALSE(servo.on_track(false)) << "it follows no track";
  move(20);
  EXPECT_EQ(take(), srv::intstat::Error::kMask);
  release(20);
  EXPECT_EQ(take(), srv::intstat::Error::kMask);
  load();
  EXPECT_FALSE(servo.released());
  expect_ready_at(from_ms(22));
  EXPECT_EQ(servo.cylinder(), 10u);
  EXPECT_TRUE(servo.on_track(false));
  EXPECT_FALSE(servo.on_track(true)) << "settles for writing as after any move";
  const MechanicsRecorder::Changes<std::string> states = {
      {0, "hold"}, {0, "seek"}, {from_ms(2), "released"}, {from_ms(2), "acquire"}, {from_ms(22), "hold"}};
  EXPECT_EQ(recorder_.texts["srv0.state"], states);
}

TEST_F(RampTest, AReleasedArmGoesOntoTheRampFromWhereItRests) {
  SeekParams p = with_ramp();
  p.acquire_ms = 20;
  make(false, p);
  release(10);
  expect_ready_at(from_ms(2));
  unload();
  expect_ready_at(from_ms(34));
  EXPECT_EQ(parking(), kParkedOnRamp);
  load();
  expect_ready_at(from_ms(74));
  EXPECT_EQ(servo_->cylinder(), 0u) << "from the ramp, not from where it was released";
}

TEST_F(RampTest, WithoutATimeForFindingItsTrackAgainAnArmIsNotReleased) {
  make(false);
  release(10);
  EXPECT_EQ(take(), srv::intstat::Error::kMask);
  EXPECT_EQ(servo_->cylinder(), 0u);
}

TEST_F(RampTest, UnloadingTakesTheWayToCylinderZeroAndOntoTheRamp) {
  const Servo& servo = make(false);
  EXPECT_EQ(parking(), kRamp);
  EXPECT_TRUE(servo.on_track(true));
  move(10);
  expect_ready_at(from_ms(2));
  unload();
  expect_ready_at(from_ms(34));  // 2 ms back, 30 ms to the ramp
  EXPECT_EQ(parking(), kParkedOnRamp);
  EXPECT_TRUE(servo.parked());
  load();
  expect_ready_at(from_ms(74));
  unload();
  expect_ready_at(from_ms(104));
  const MechanicsRecorder::Changes<std::string> states = {{0, "hold"},
                                                          {0, "seek"},
                                                          {from_ms(2), "hold"},
                                                          {from_ms(2), "unload"},
                                                          {from_ms(34), "parked"},
                                                          {from_ms(34), "load"},
                                                          {from_ms(74), "hold"},
                                                          {from_ms(74), "unload"},
                                                          {from_ms(104), "parked"}};
  EXPECT_EQ(recorder_.texts["srv0.state"], states);
  const auto& way = recorder_.reals["srv0.position"];
  EXPECT_EQ(way.back(), std::make_pair(from_ms(104), -50.0)) << "drawn outside the disk";
}

TEST_F(RampTest, WhatAParkedArmCannotDoIsAnErrorAndChangesNothing) {
  Servo& servo = make(true);
  constexpr std::uint32_t kError = srv::intstat::Error::kMask;
  move(10);
  EXPECT_EQ(take(), kError);
  unload();
  EXPECT_EQ(take(), kError);
  bus_.write(srv::kCtrl, srv::ctrl::Go::kMask | srv::ctrl::Load::kMask | srv::ctrl::Unload::kMask);
  EXPECT_EQ(take(), kError);
  run_until(from_ms(50));
  EXPECT_EQ(take(), 0u);
  EXPECT_TRUE(servo.parked());
  load();
  load();
  EXPECT_EQ(take(), kError) << "busy";
  move(10);
  EXPECT_EQ(take(), kError) << "busy";
  expect_ready_at(from_ms(90));
  load();
  EXPECT_EQ(take(), kError) << "loaded already";
  EXPECT_EQ(servo.cylinder(), 0u);
}

TEST_F(RampTest, WithoutARampThereIsNothingToLoadFrom) {
  const Servo& servo = make(/*parked=*/true, params());
  EXPECT_EQ(parking(), 0u);
  EXPECT_TRUE(servo.on_track(true));
  load();
  EXPECT_EQ(take(), srv::intstat::Error::kMask);
  unload();
  EXPECT_EQ(take(), srv::intstat::Error::kMask);
}

TEST_F(RampTest, WhenPowerFailsInAMoveTheArmRetractsByItself) {
  Servo& servo = make(false);
  move(999);
  run_until(from_ms(4));
  servo.power_off();
  EXPECT_FALSE(servo.on_track(false));
  run_until(from_ms(34) - 1);
  EXPECT_FALSE(servo.parked());
  EXPECT_FALSE(servo.on_track(false));
  run_until(from_ms(34));
  EXPECT_TRUE(servo.parked());
  EXPECT_EQ(take(), 0u) << "nobody is there to be interrupted";
  load();
  move(10);
  run_until(from_ms(200));
  EXPECT_EQ(take(), 0u);
  EXPECT_TRUE(servo.parked());
  const MechanicsRecorder::Changes<std::string> states = {
      {0, "hold"}, {0, "seek"}, {from_ms(4), "retract"}, {from_ms(34), "parked"}};
  EXPECT_EQ(recorder_.texts["srv0.state"], states);
}

TEST_F(RampTest, ALoadThatIsOrderedWhileTheArmStillRetractsBeginsOnTheRamp) {
  Servo& servo = make(false);
  move(999);
  run_until(from_ms(4));
  servo.power_off();
  run_until(from_ms(10));
  servo.power_on();
  EXPECT_EQ(take(), 0u) << "registers are as after a reset";
  EXPECT_EQ(parking() & srv::parking::Parked::kMask, srv::parking::Parked::kMask);
  load();
  EXPECT_EQ(take(), 0u);
  run_until(from_ms(34));
  EXPECT_EQ(take(), 0u) << "nobody has ordered that";
  run_until(from_ms(200));
  EXPECT_EQ(take(), srv::intstat::Ready::kMask);
  EXPECT_TRUE(servo.on_track(false));
  EXPECT_EQ(servo.cylinder(), 0u);
}

TEST_F(RampTest, WhenPowerFailsAnArmThatIsParkedOrHasNoRampStays) {
  Servo& parked = make(true);
  parked.power_off();
  run_until(from_ms(100));
  EXPECT_TRUE(parked.parked());
  EXPECT_EQ(recorder_.states["srv0"].size(), 1u);
}

TEST_F(RampTest, WhenPowerFailsWithoutARampTheArmStaysOnTheDisk) {
  Servo& servo = make(false, params());
  move(10);
  run_until(from_ms(1));
  servo.power_off();
  run_until(from_ms(100));
  EXPECT_FALSE(servo.parked());
  EXPECT_FALSE(servo.moving());
  EXPECT_EQ(take(), 0u);
}

TEST_F(RampTest, HalfARampIsRefused) {
  SeekParams p = params();
  p.load_ms = 1;
  EXPECT_THROW(SeekProfile(p, kCylinders), InputError);
  p.load_ms = 0;
  p.unload_ms = 1;
  EXPECT_THROW(SeekProfile(p, kCylinders), InputError);
  p.load_ms = 10'001;
  EXPECT_THROW(SeekProfile(p, kCylinders), InputError);
  p.load_ms = 10'000;
  EXPECT_EQ(SeekProfile(p, kCylinders).load(), 10 * kPsPerSecond);
}

}  // namespace
}  // namespace armature::actuator
