// A servo whose arm reaches some surfaces only, has several heads on each, and loses them.
#include "armature/actuator/servo.h"
#include "armature/core/kernel_time.h"

#include "armature/actuator/profile_motion.h"
#include "armature/regs/srv.h"
#include "support/bus_master.h"
#include "support/mechanics_recorder.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <sysc/kernel/sc_dynamic_processes.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace armature::actuator {
namespace {

namespace srv = armature::regs::srv;
using armature::testing::MechanicsRecorder;
using armature::testing::run_until;
using armature::testing::settle;

constexpr std::uint32_t kReady = srv::intstat::Ready::kMask, kError = srv::intstat::Error::kMask,
                        kHeadFault = srv::intstat::HeadFault::kMask;

/// Surfaces 4 and 5, three heads on each; a ramp.
class ServoHeads : public ::testing::Test {
 protected:
  static SeekParams params() {
    SeekParams p;
    p.table = {{1, 1}, {10, 2}, {999, 10}};
    p.head_switch_ms = 1.5;
    p.write_settle_ms = 0.5;
    p.load_ms = 40;
    p.unload_ms = 30;
    return p;
  }
  /// Elaboration ends here: failures are named before.
  void start() {
    bus_.socket.bind(servo_.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus_.write(srv::kInten, kReady | kError | kHeadFault);
  }
  void go(std::uint32_t cylinder, std::uint32_t surface, std::uint32_t sub_head, bool write = false) {
    bus_.write(srv::kTarget, srv::target::Head::set(srv::target::Cylinder::set(0, cylinder), surface));
    const std::uint32_t word = srv::ctrl::SubHead::set(srv::ctrl::Go::kMask, sub_head);
    bus_.write(srv::kCtrl, srv::ctrl::Write::set(word, write));
  }
  std::uint32_t take() {
    const std::uint32_t bits = bus_.read(srv::kIntstat);
    EXPECT_EQ(servo_.irq.read(), bits != 0);
    bus_.write(srv::kIntstat, ~0u);
    return bits;
  }
  void expect_at(Ps at, std::uint32_t bits) {
    run_until(at - 1);
    EXPECT_EQ(take(), 0u) << now();
    run_until(at);
    EXPECT_EQ(take(), bits) << now();
  }
  /// At a time of the run, which has not begun.
  void later(Ps at, std::function<void()> what) {
    events_.push_back(std::make_unique<sc_core::sc_event>());
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(events_.back().get());
    options.dont_initialize();
    sc_core::sc_spawn(std::move(what), sc_core::sc_gen_unique_name("later"), &options);
    events_.back()->notify(to_sc_time(at));
  }
  bool status_on_track() { return srv::status::OnTrack::get(bus_.read(srv::kStatus)); }

  std::vector<std::unique_ptr<sc_core::sc_event>> events_;
  MechanicsRecorder recorder_;
  SeekProfile profile_{params(), 1000};
  Servo servo_{"srv0", std::make_unique<ProfileMotion>(profile_), {4, 2, 3}, recorder_.context()};
  armature::testing::BusMaster bus_{"bus"};
};

TEST_F(ServoHeads, StandsOnItsFirstSurfaceAndRefusesOthersAndHeadsThatAreNotThere) {
  start();
  EXPECT_EQ(srv::status::Head::get(bus_.read(srv::kStatus)), 4u);
  EXPECT_TRUE(servo_.on_track(true));
  go(10, 3, 0);
  EXPECT_EQ(take(), kError);
  go(10, 6, 0);
  EXPECT_EQ(take(), kError);
  go(10, 4, 3);
  EXPECT_EQ(take(), kError);
  EXPECT_EQ(servo_.cylinder(), 0u);
  EXPECT_TRUE(servo_.on_track(true));
  go(10, 5, 2);
  expect_at(from_ms(2), kReady);
  EXPECT_EQ(servo_.head(), 5u);
  EXPECT_EQ(servo_.sub_head(), 2u);
  EXPECT_EQ(recorder_.numbers["srv0.sub_head"].back(), std::make_pair(from_ms(0), std::uint64_t{2}));
}

TEST_F(ServoHeads, AnotherHeadOnTheSurfaceIsOnTrackAtOnceAnotherSurfaceIsNot) {
  start();
  run_until(from_ms(1));
  EXPECT_EQ(servo_.positioning(0, 4, true, false, now()), 0);
  go(0, 4, 1, /*write=*/true);
  settle();
  EXPECT_EQ(take(), kReady);
  EXPECT_TRUE(servo_.on_track(true));
  go(0, 5, 1);
  expect_at(from_ms(2.5), kReady);
}

TEST_F(ServoHeads, AHeadThatFailsWhileItIsSelectedIsNoticedAtOnce) {
  later(from_ms(5), [this] { servo_.fail_head(4, 0); });
  start();
  EXPECT_TRUE(status_on_track());
  expect_at(from_ms(5), kHeadFault);
  EXPECT_FALSE(status_on_track());
  EXPECT_FALSE(servo_.on_track(false));
  EXPECT_TRUE(servo_.head_failed(4, 0));
  EXPECT_FALSE(servo_.head_failed(4, 1));
  EXPECT_FALSE(servo_.head_failed(5, 0));
  go(0, 4, 1);  // the next one is on its track
  settle();
  EXPECT_EQ(take(), kReady);
  EXPECT_TRUE(status_on_track());
  go(10, 4, 0);
  expect_at(from_ms(7), kHeadFault);
  EXPECT_FALSE(status_on_track());
  go(10, 5, 0);
  expect_at(from_ms(8.5), kReady);
  EXPECT_EQ(recorder_.texts["srv0.state"].back().second, "hold");
}

TEST_F(ServoHeads, AHeadThatFailsOnItsWayIsNoticedThereAndOthersAreNot) {
  later(from_ms(3), [this] { servo_.fail_head(5, -1); });  // in whatever order they are told
  later(from_ms(1), [this] { servo_.fail_head(4, 2); });
  later(from_ms(1), [this] { servo_.fail_head(4, 1); });
  start();
  run_until(from_ms(2));
  EXPECT_EQ(take(), 0u) << "head 0 of surface 4 is selected, and works";
  EXPECT_TRUE(servo_.head_failed(4, 1) && servo_.head_failed(4, 2));
  EXPECT_FALSE(servo_.head_failed(5, 0));
  go(10, 5, 0);
  expect_at(from_ms(4), kHeadFault);
  EXPECT_EQ(recorder_.texts["srv0.state"].back(), std::make_pair(from_ms(4), std::string("no_signal")));
  EXPECT_TRUE(servo_.head_failed(5, 0) && servo_.head_failed(5, 1) && servo_.head_failed(5, 2));
  EXPECT_EQ(recorder_.phases.back().tag, 0u) << "the time of the move is accounted";
}

TEST_F(ServoHeads, OnTheRampNobodyMissesAHead) {
  later(from_ms(50), [this] { servo_.fail_head(4, 0); });
  start();
  bus_.write(srv::kCtrl, srv::ctrl::Go::kMask | srv::ctrl::Unload::kMask);
  expect_at(from_ms(30), kReady);
  run_until(from_ms(60));
  EXPECT_EQ(take(), 0u);
  bus_.write(srv::kCtrl, srv::ctrl::Go::kMask | srv::ctrl::Load::kMask);
  expect_at(from_ms(100), kReady);
  EXPECT_FALSE(status_on_track()) << "no signal";
  go(10, 4, 0);
  expect_at(from_ms(102), kHeadFault);
  go(10, 4, 1);
  settle();
  EXPECT_EQ(take(), kReady);
}

TEST_F(ServoHeads, AnArmThatHasFailedDoesNotTellOfItsHeads) {
  later(from_ms(5), [this] { servo_.fail(); });
  later(from_ms(6), [this] { servo_.fail_head(4, -1); });
  start();
  run_until(from_ms(10));
  EXPECT_EQ(bus_.read(srv::kIntstat), srv::intstat::Fault::kMask);
  EXPECT_FALSE(status_on_track());
}

TEST_F(ServoHeads, WithoutPowerNothingIsTold) {
  later(from_ms(6), [this] { servo_.fail_head(4, -1); });
  start();
  run_until(from_ms(1));
  servo_.power_off();
  run_until(from_ms(100));
  EXPECT_EQ(take(), 0u);
}

}  // namespace
}  // namespace armature::actuator
