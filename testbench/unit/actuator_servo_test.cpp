#include "armature/actuator/servo.h"

#include "armature/regs/srv.h"
#include "support/bus_master.h"
#include "support/mechanics_recorder.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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
  Servo servo_{"srv0", profile_, kHeads, recorder_.context()};
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
  EXPECT_EQ(servo_.positioning(10, 0, true, now()), from_ms(0.3));
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
    const Ps predicted = servo_.positioning(move.cylinder, move.head, move.write, now());
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
  const Ps end = servo_.positioning(0, 0, false, 0);  // the way back takes as long
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

}  // namespace
}  // namespace armature::actuator
