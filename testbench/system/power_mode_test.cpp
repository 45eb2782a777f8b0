// Standby, the way back, and a supply that fails: firmware, servo and spindle together, to the picosecond. The link is
// one of fixed times.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/drive/hard_disk.h"
#include "support/drive_bench.h"
#include "support/expected_times.h"
#include "support/fixed_delay_link.h"
#include "support/recording_sinks.h"
#include "support/run_until.h"
#include "support/scripted_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {
namespace {

using E = ExpectedTimes;
using States = std::vector<std::pair<Ps, std::string>>;

constexpr Ps kFrame = 10 * kPsPerUs;
constexpr Ps kSpinUp = kPsPerSecond / 2, kSpinDown = kPsPerSecond * 3 / 10;
constexpr Ps kLoad = 40 * kPsPerMs, kUnload = 30 * kPsPerMs;
constexpr Ps kOtherCommand = 2'530, kSpindleReady = 530;  // cycles, entry included
constexpr auto kStandbyImmediate = static_cast<sata::Command>(0xE0), kIdleImmediate = static_cast<sata::Command>(0xE1),
               kCheckPowerMode = static_cast<sata::Command>(0xE5);

drive::DriveParams drive_with_ramp() {
  drive::DriveParams params = round_drive();
  params.media.contents = media::ContentsParams::memory;
  params.spindle.spin_up_s = 0.5;
  params.spindle.spin_down_s = 0.3;
  params.seek.load_ms = 40;
  params.seek.unload_ms = 30;
  return params;
}

struct PowerBench {
  explicit PowerBench(const drive::DriveParams& params) : disk("disk", params, 32, {nullptr, &states, nullptr}) {
    host.to_link.bind(link.from_host);
    link.to_drive.bind(disk.from_link());
    disk.to_link().bind(link.from_drive);
    link.to_host.bind(host.from_link);
  }

  const States& arm() const { return states.changes.at("disk.srv0"); }
  const States& stack() const { return states.changes.at("disk.spn"); }
  const States& channel() const { return states.changes.at("disk.chn0"); }
  bool came(const std::string& line) const {
    const std::vector<std::string> log = host.log();
    return std::find(log.begin(), log.end(), line) != log.end();
  }
  /// Runs until the host has received `line`; fails the test after `limit`.
  void await(const std::string& line, Ps limit = 5 * kPsPerSecond) {
    const Ps end = now() + limit;
    while (!came(line) && now() < end) run_until(now() + kPsPerMs / 10);
    ASSERT_TRUE(came(line)) << "not within " << limit << " ps";
    ASSERT_FALSE(disk.failed());
  }
  std::array<std::uint8_t, 512> medium(std::uint64_t lbn) const {
    std::array<std::uint8_t, 512> bytes{};
    EXPECT_TRUE(disk.contents().read(disk.geometry().physical(lbn), bytes.data()));
    return bytes;
  }

  RecordingStates states;
  drive::HardDisk disk;
  FixedDelayLink link{"link", kFrame};
  ScriptedHost host{"host"};
};

TEST(PowerMode, StandbyWritesWhatIsInTheCacheParksTheArmAndStopsTheStack) {
  drive::DriveParams params = drive_with_ramp();
  params.cache.write = true;
  params.cache.destage_idle_ms = 5'000;
  PowerBench bench(params);
  run_until(20 * kPsPerMs);
  const std::uint64_t lbn = 50 * 200 + 100;  // cylinder 50, head 1
  bench.host.write_queued(1, lbn, 8);
  bench.await("SDB 00000002");
  const std::array<std::uint8_t, 512> nothing{};
  ASSERT_EQ(bench.medium(lbn), nothing) << "in the cache only";

  bench.host.clear();
  bench.host.unqueued(kStandbyImmediate, 0, 0);
  bench.await("D2H status 50h tag 0");
  for (std::uint32_t sector = 0; sector < 8; ++sector) {
    const auto bytes = bench.medium(lbn + sector);
    for (std::uint32_t i = 0; i < 512; ++i) ASSERT_EQ(bytes[i], ScriptedHost::pattern(sector * 512 + i));
  }
  EXPECT_TRUE(bench.disk.parked());
  const Ps written = bench.channel().back().first;
  const Ps unload = E::handled(written, E::kChannelDone);
  const Ps parked = unload + E::move({50, 0, 0, 0, 0}, {0, 0, 0, 0, 0}) + kUnload;
  const Ps spin_down = E::handled(parked, E::kServoReady);
  const Ps answer = E::handled(spin_down + kSpinDown, kSpindleReady);
  ASSERT_GE(bench.arm().size(), 2u);
  EXPECT_EQ(States(bench.arm().end() - 2, bench.arm().end()), (States{{unload, "seek"}, {parked, "parked"}}));
  EXPECT_EQ(bench.stack(), (States{{0, "at_speed"}, {spin_down, "spin_down"}, {spin_down + kSpinDown, "stopped"}}));
  EXPECT_EQ(bench.host.received().back().at, answer + kFrame);
  run_until(now() + 5 * kPsPerSecond);
  EXPECT_TRUE(bench.disk.parked()) << "nothing wakes it";
}

TEST(PowerMode, TheFirstReadAfterStandbyTakesSpinUpAndLoadMore) {
  PowerBench bench(drive_with_ramp());
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kStandbyImmediate, 0, 0);
  const Ps unload = E::handled(20 * kPsPerMs + kFrame, kOtherCommand);
  const Ps spin_down = E::handled(unload + kUnload, E::kServoReady);
  const Ps standby = E::handled(spin_down + kSpinDown, kSpindleReady);
  run_until(kPsPerSecond);
  ASSERT_EQ(bench.host.received().size(), 1u);
  EXPECT_EQ(bench.host.received().back().at, standby + kFrame);
  bench.host.unqueued(kCheckPowerMode, 0, 0);
  run_until(kPsPerSecond + kPsPerMs);
  ASSERT_EQ(bench.host.received().size(), 2u);
  EXPECT_EQ(sata::parse_register_d2h(bench.host.received().back().frame).count, 0x00u);

  bench.host.clear();
  const Ps start = now();
  const std::int64_t lbn = 50 * 200 + 100 + 37;
  bench.host.read_queued(3, static_cast<std::uint64_t>(lbn), 8);
  bench.await("SDB 00000008");
  const E::Place place = E::place(lbn);
  const Ps decoded = E::handled(start + kFrame, E::kReadCommand);
  const Ps at_speed = decoded + kSpinUp;
  const Ps load = E::handled(at_speed, kSpindleReady);
  const Ps loaded = E::handled(load + kLoad, E::kServoReady);
  const Ps go = E::handled(E::granted(E::decision_begins(loaded), 1), E::kGrant);
  const Ps on_track = go + E::move({0, 0, 0, 0, 0}, place);
  const Ps channel = E::handled(on_track, E::kServoReady);
  const Ps first = at_speed + E::passage(place, channel - at_speed);  // the index passes when the speed is reached
  const Ps out = E::handled(first + 8 * E::sector_time(place), E::kChannelDone);
  const Ps complete = E::handled(out + 2 * kFrame, E::kDmaDone);
  EXPECT_EQ(bench.host.received().back().at, complete + kFrame);
  EXPECT_EQ(States(bench.arm().end() - 4, bench.arm().end()),
            (States{{load, "seek"}, {load + kLoad, "hold"}, {go, "seek"}, {on_track, "hold"}}));
  bench.host.clear();
  bench.host.unqueued(kCheckPowerMode, 0, 0);
  run_until(now() + kPsPerMs);
  EXPECT_EQ(sata::parse_register_d2h(bench.host.last(sata::FrameType::register_d2h)).count, 0xFFu);
}

TEST(PowerMode, IdleImmediateEndsStandby) {
  PowerBench bench(drive_with_ramp());
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kStandbyImmediate, 0, 0);
  bench.await("D2H status 50h tag 0");
  bench.host.clear();
  const Ps start = now();
  bench.host.unqueued(kIdleImmediate, 0, 0);
  bench.await("D2H status 50h tag 0");
  const Ps at_speed = E::handled(start + kFrame, kOtherCommand) + kSpinUp;
  const Ps loaded = E::handled(at_speed, kSpindleReady) + kLoad;
  EXPECT_EQ(bench.host.received().back().at, E::handled(loaded, E::kServoReady) + kFrame);
  EXPECT_FALSE(bench.disk.parked());
}

TEST(PowerMode, ADriveThatStartsFromStandstillSaysWhatItIsAtOnceAndLoadsBeforeItReads) {
  drive::DriveParams params = drive_with_ramp();
  params.spindle.initially_spinning = false;
  PowerBench bench(params);
  EXPECT_TRUE(bench.disk.parked());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.host.unqueued(sata::Command::identify_device, 0, 0);
  run_until(kPsPerMs);
  ASSERT_FALSE(bench.host.received().empty()) << "ready is no power mode: IDENTIFY DEVICE needs no medium";
  EXPECT_TRUE(bench.disk.parked());
  bench.host.clear();
  bench.host.read_queued(0, 0, 1);
  bench.await("SDB 00000001");
  ASSERT_GE(bench.stack().size(), 2u);
  const Ps began = bench.stack()[0].first;
  EXPECT_EQ(bench.stack(), (States{{began, "spin_up"}, {began + kSpinUp, "at_speed"}}));
  const Ps load = E::handled(began + kSpinUp, kSpindleReady);
  ASSERT_GE(bench.arm().size(), 3u);
  EXPECT_EQ(States(bench.arm().begin(), bench.arm().begin() + 3),
            (States{{0, "parked"}, {load, "seek"}, {load + kLoad, "hold"}}));
  EXPECT_GT(bench.host.received().back().at, load + kLoad);
}

/// Reads that the drive reads ahead of, writes into the cache, and a standby at once after the last of them.
class PowerModeOfArms : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Arms, PowerModeOfArms, ::testing::Values(1, 3));

TEST_P(PowerModeOfArms, WhateverTheDriveIsAboutStandbyEndsParkedWithEverythingOnTheMedium) {
  drive::DriveParams params = drive_with_ramp();
  params.arms.count = GetParam();
  params.spindle.spin_up_s = 0.02;
  params.spindle.spin_down_s = 0.01;
  params.seek.load_ms = 4;
  params.seek.unload_ms = 3;
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.read_on_arrival = true;
  PowerBench bench(params);
  run_until(20 * kPsPerMs);
  RandomStream random(7, "power mode");
  std::uint32_t next_byte = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> written;  // block, first byte of the pattern
    const std::uint64_t commands = random.below(4);
    for (std::uint64_t i = 0; i < commands; ++i) {
      const std::uint64_t lbn = random.below(36'000 - 16);
      bench.host.clear();
      if (random.chance(0.5)) {
        bench.host.write_queued(5, lbn, 16);
        written.erase(std::remove_if(written.begin(), written.end(),
                                     [&](const auto& w) { return w.first >= lbn && w.first < lbn + 16; }),
                      written.end());
        for (std::uint32_t sector = 0; sector < 16; ++sector) {
          written.emplace_back(lbn + sector, next_byte);
          next_byte += 512;
        }
      } else {
        bench.host.read_queued(5, lbn, 16);
      }
      ASSERT_NO_FATAL_FAILURE(bench.await("SDB 00000020"));
    }
    run_until(now() + static_cast<Ps>(random.below(3 * kPsPerMs)));
    bench.host.clear();
    bench.host.unqueued(kStandbyImmediate, 0, 0);
    ASSERT_NO_FATAL_FAILURE(bench.await("D2H status 50h tag 0"));
    EXPECT_TRUE(bench.disk.parked());
    EXPECT_EQ(bench.stack().back().second, "stopped");
    EXPECT_EQ(bench.channel().back().second, "idle");
    for (int arm = 0; arm < GetParam(); ++arm)
      EXPECT_EQ(bench.states.changes.at("disk.srv" + std::to_string(arm)).back().second, "parked");
    for (const auto& [lbn, first_byte] : written) {
      const auto bytes = bench.medium(lbn);
      for (std::uint32_t i = 0; i < 512; ++i) ASSERT_EQ(bytes[i], ScriptedHost::pattern(first_byte + i)) << lbn;
    }
  }
}

TEST(PowerMode, AWriteIntoTheCacheInStandbyReachesTheMediumBeforeTheNextStandbyEnds) {
  drive::DriveParams params = drive_with_ramp();
  params.cache.write = true;
  params.cache.destage_idle_ms = 5'000;
  PowerBench bench(params);
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kStandbyImmediate, 0, 0);
  bench.await("D2H status 50h tag 0");
  bench.host.clear();
  bench.host.write_queued(1, 800, 8);
  bench.await("SDB 00000002");
  EXPECT_TRUE(bench.disk.parked()) << "the cache needs no disk";
  bench.host.clear();
  bench.host.unqueued(kStandbyImmediate, 0, 0);
  bench.await("D2H status 50h tag 0");
  EXPECT_TRUE(bench.disk.parked());
  const auto bytes = bench.medium(800);
  for (std::uint32_t i = 0; i < 512; ++i) ASSERT_EQ(bytes[i], ScriptedHost::pattern(i));
}

TEST(PowerMode, WhenPowerFailsInASeekTheArmRetractsAndTheStackCoastsDown) {
  PowerBench bench(drive_with_ramp());
  run_until(20 * kPsPerMs);
  bench.host.read_queued(3, 30'000, 8);
  run_until(20 * kPsPerMs + kPsPerMs / 2);
  ASSERT_EQ(bench.arm().back().second, "seek");
  const Ps cut = now();
  bench.disk.power_off();
  run_until(cut + kUnload - 1);
  EXPECT_FALSE(bench.disk.parked());
  run_until(cut + kUnload);
  EXPECT_TRUE(bench.disk.parked());
  run_until(cut + 5 * kPsPerSecond);
  EXPECT_EQ(bench.stack(), (States{{0, "at_speed"}, {cut, "spin_down"}, {cut + kSpinDown, "stopped"}}));
  EXPECT_FALSE(bench.came("SDB 00000008"));
  EXPECT_FALSE(bench.disk.failed());
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

// The standby timer, and sleep.

constexpr auto kIdle = static_cast<sata::Command>(0xE3), kStandby = static_cast<sata::Command>(0xE2),
               kSleep = static_cast<sata::Command>(0xE6);
constexpr Ps kTimer = 530;  // cycles, entry included

TEST(PowerMode, TheStandbyTimerRunsFromTheEndOfTheLastCommand) {
  PowerBench bench(drive_with_ramp());
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kIdle, 0, 1);  // 5 s
  bench.await("D2H status 50h tag 0");
  run_until(now() + 4 * kPsPerSecond);
  bench.host.read_queued(3, 0, 1);
  bench.await("SDB 00000008");
  const Ps end = bench.host.received().back().at - kFrame;  // firmware completed it
  run_until(now() + 8 * kPsPerSecond);
  const Ps unload = E::handled(end + 5 * kPsPerSecond, kTimer);
  const Ps spin_down = E::handled(unload + kUnload, E::kServoReady);
  EXPECT_EQ(bench.stack(), (States{{0, "at_speed"}, {spin_down, "spin_down"}, {spin_down + kSpinDown, "stopped"}}));
  EXPECT_EQ(bench.arm().back(), (States::value_type{unload + kUnload, "parked"}));
  // The next one wakes it, and then the timer runs again.
  bench.host.clear();
  const Ps start = now();
  bench.host.read_queued(3, 0, 1);
  bench.await("SDB 00000008");
  const Ps at_speed = E::handled(start + kFrame, E::kReadCommand) + kSpinUp;
  const Ps loaded = E::handled(at_speed, kSpindleReady) + kLoad;
  EXPECT_EQ(bench.stack().back(), (States::value_type{at_speed, "at_speed"}));
  const Ps grant = E::granted(E::decision_begins(E::handled(loaded, E::kServoReady)), 1);
  const Ps on_track = E::handled(grant, E::kGrant);  // cylinder 0, head 0: there already
  const Ps go = E::handled(on_track, E::kServoReady);
  const Ps done = at_speed + E::passage(E::place(0), go - at_speed) + E::sector_time(E::place(0));
  EXPECT_EQ(bench.channel().back(), (States::value_type{done, "idle"}));
  const Ps again = bench.host.received().back().at - kFrame;
  run_until(now() + 8 * kPsPerSecond);
  EXPECT_EQ(bench.arm().back(), (States::value_type{E::handled(again + 5 * kPsPerSecond, kTimer) + kUnload, "parked"}));
  EXPECT_FALSE(bench.disk.failed());
}

TEST(PowerMode, CommandsThatNeedNoArmDoNotSwitchTheStandbyTimerOff) {
  PowerBench bench(drive_with_ramp());
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kIdle, 0, 1);
  bench.await("D2H status 50h tag 0");
  run_until(now() + kPsPerSecond);
  bench.host.unqueued(kCheckPowerMode, 0, 0);
  run_until(now() + 8 * kPsPerSecond);
  EXPECT_TRUE(bench.disk.parked());
  bench.host.clear();
  bench.host.unqueued(kIdleImmediate, 0, 0);
  bench.await("D2H status 50h tag 0");
  bench.host.unqueued(sata::Command::identify_device, 0, 0);
  run_until(now() + 8 * kPsPerSecond);
  EXPECT_TRUE(bench.disk.parked());
}

TEST(PowerMode, StandbyWithATimerGoesAtOnceAndZeroSwitchesTheTimerOff) {
  PowerBench bench(drive_with_ramp());
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kStandby, 0, 1);
  bench.await("D2H status 50h tag 0");
  EXPECT_TRUE(bench.disk.parked());
  bench.host.clear();
  bench.host.unqueued(kIdle, 0, 0);
  bench.await("D2H status 50h tag 0");
  EXPECT_FALSE(bench.disk.parked());
  run_until(now() + 20 * kPsPerSecond);
  EXPECT_FALSE(bench.disk.parked());
}

/// Commands that come just before, while and after the timer takes the drive into standby.
TEST_P(PowerModeOfArms, ACommandAtAnyTimeOfATimersStandbyIsServed) {
  drive::DriveParams params = drive_with_ramp();
  params.arms.count = GetParam();
  params.spindle.spin_up_s = 0.02;
  params.spindle.spin_down_s = 0.01;
  params.seek.load_ms = 4;
  params.seek.unload_ms = 3;
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.destage_idle_ms = 60'000;  // so that the flush has something to do
  PowerBench bench(params);
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kIdle, 0, 1);
  bench.await("D2H status 50h tag 0");
  RandomStream random(11, "standby timer");
  Ps last = bench.host.received().back().at - kFrame;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    // -0.1 to 70 ms from the timer's end: flush (some 15 ms), rest, unload, spin-down, standby.
    const Ps at = last + 5 * kPsPerSecond - kPsPerMs / 10 + static_cast<Ps>(random.below(70 * kPsPerMs));
    run_until(std::max(at, now()));
    bench.host.clear();
    switch (random.below(4)) {
      case 0:
        bench.host.read_queued(3, random.below(36'000 - 8), 8);
        ASSERT_NO_FATAL_FAILURE(bench.await("SDB 00000008"));
        break;
      case 1:
        bench.host.unqueued(sata::Command::flush_cache_ext, 0, 0);
        ASSERT_NO_FATAL_FAILURE(bench.await("D2H status 50h tag 0"));
        break;
      case 2:
        bench.host.unqueued(random.chance(0.5) ? kStandbyImmediate : kIdleImmediate, 0, 0);
        ASSERT_NO_FATAL_FAILURE(bench.await("D2H status 50h tag 0"));
        break;
      default:
        break;
    }
    bench.host.clear();
    bench.host.write_queued(5, random.below(36'000 - 16), 16);
    ASSERT_NO_FATAL_FAILURE(bench.await("SDB 00000020"));
    last = bench.host.received().back().at - kFrame;
  }
  EXPECT_GT(bench.stack().size(), 50u) << "it has been in standby often";
}

TEST(PowerMode, FromSleepOnlyAResetWakes) {
  PowerBench bench(drive_with_ramp());
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kSleep, 0, 0);
  bench.await("D2H status 50h tag 0");
  EXPECT_TRUE(bench.disk.parked());
  bench.host.clear();
  bench.host.unqueued(kIdleImmediate, 0, 0);
  run_until(now() + 20 * kPsPerSecond);
  EXPECT_TRUE(bench.host.received().empty());
  EXPECT_TRUE(bench.disk.parked());
  sata::RegisterH2D control;
  control.is_command = false;
  control.control = sata::kControlSrst;
  bench.host.send(control);
  run_until(now() + kPsPerMs);
  control.control = 0;
  bench.host.send(control);
  run_until(now() + kPsPerMs);
  ASSERT_FALSE(bench.host.received().empty());
  EXPECT_TRUE(bench.disk.parked()) << "a reset alone starts nothing";
  bench.host.clear();
  const Ps start = now();
  bench.host.read_queued(3, 0, 1);
  bench.await("SDB 00000008");
  EXPECT_EQ(bench.stack().back(),
            (States::value_type{E::handled(start + kFrame, E::kReadCommand) + kSpinUp, "at_speed"}));
}

/// A host that sends the drive into standby when it has nothing to do.
TEST(PowerMode, AHostThatSendsTheDriveIntoStandbyWakesItByTheNextRequest) {
  BenchParams params;
  params.drive = drive_with_ramp();
  params.host.standby_after_s = 2;
  ListSource source({read_request(0, 0, 1), read_request(10 * kPsPerSecond, 0, 1)});
  RecordingStates states;
  DriveBench bench("bench", params, source, nullptr, &states);
  bench.run();
  const auto& first = bench.finished.at(0).record;
  const auto& second = bench.finished.at(1).record;
  const auto& stack = states.changes.at("bench.disk.spn");
  ASSERT_EQ(stack.size(), 5u);  // at speed, down, stopped, up, at speed
  // STANDBY IMMEDIATE goes 2 s after the completion: a frame, firmware, unload, firmware.
  const Ps command = first.completion + 2 * kPsPerSecond + E::arrival(5);
  const Ps spin_down = E::handled(E::handled(command, kOtherCommand) + kUnload, E::kServoReady);
  EXPECT_EQ(stack[1].first, spin_down);
  const Ps wake = E::handled(10 * kPsPerSecond + E::arrival(5), E::kReadCommand);
  EXPECT_EQ(stack[3].first, wake);
  EXPECT_EQ(stack[4].first, wake + kSpinUp);
  EXPECT_GT(second.completion - second.arrival, kSpinUp + kLoad);
}

}  // namespace
}  // namespace armature::testing
