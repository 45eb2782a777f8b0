// Active idle and low-power idle: timers, levels of advanced power management, the ways down and back to the
// picosecond, and commands at any time of them. The link is one of fixed times.
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
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {
namespace {

using E = ExpectedTimes;
using States = std::vector<std::pair<Ps, std::string>>;

constexpr Ps kFrame = 10 * kPsPerUs;
constexpr Ps kLoad = 40 * kPsPerMs, kUnload = 30 * kPsPerMs, kAcquire = 20 * kPsPerMs;
constexpr Ps kActiveIdle = kPsPerSecond, kLowPowerIdle = 4 * kPsPerSecond;
constexpr Ps kTimer = 530;  // cycles, entry included
constexpr auto kStandbyImmediate = static_cast<sata::Command>(0xE0), kIdleImmediate = static_cast<sata::Command>(0xE1),
               kIdle = static_cast<sata::Command>(0xE3), kCheckPowerMode = static_cast<sata::Command>(0xE5);

drive::DriveParams drive_with_idle_conditions() {
  drive::DriveParams params = round_drive();
  params.media.contents = media::ContentsParams::memory;
  params.spindle.spin_up_s = 0.5;
  params.spindle.spin_down_s = 0.3;
  params.seek.load_ms = 40;
  params.seek.unload_ms = 30;
  params.seek.acquire_ms = 20;
  params.idle.active_idle_s = 1;
  params.idle.low_power_idle_s = 4;
  return params;
}

struct Bench {
  explicit Bench(const drive::DriveParams& params) : disk("disk", params, 32, {nullptr, &states, nullptr}) {
    host.to_link.bind(link.from_host);
    link.to_drive.bind(disk.from_link());
    disk.to_link().bind(link.from_drive);
    link.to_host.bind(host.from_link);
  }
  const States& of(const std::string& path) const { return states.changes.at(path); }
  const States& arm() const { return of("disk.srv0"); }
  const States& controller() const { return of("disk.soc.pmu"); }
  bool came(const std::string& line) const {
    const std::vector<std::string> log = host.log();
    return std::find(log.begin(), log.end(), line) != log.end();
  }
  void await(const std::string& line, Ps limit = 5 * kPsPerSecond) {
    const Ps end = now() + limit;
    while (!came(line) && now() < end) run_until(now() + kPsPerMs / 10);
    ASSERT_TRUE(came(line)) << "not within " << limit << " ps";
    ASSERT_FALSE(disk.failed());
  }
  /// Of CHECK POWER MODE.
  unsigned mode() {
    host.clear();
    host.unqueued(kCheckPowerMode, 0, 0);
    run_until(now() + kPsPerMs);
    return sata::parse_register_d2h(host.last(sata::FrameType::register_d2h)).count;
  }
  /// When firmware has completed a read; nothing else has been sent since.
  Ps read(std::uint64_t lbn) {
    host.clear();
    host.read_queued(3, lbn, 8);
    await("SDB 00000008");
    return host.received().back().at - kFrame;
  }

  RecordingStates states;
  drive::HardDisk disk;
  FixedDelayLink link{"link", kFrame};
  ScriptedHost host{"host"};
};

/// Firmware's timers share the one-shot of a block that counts microseconds: exact if no earlier one is set.
void expect_timer(Ps at, Ps expected) {
  EXPECT_NEAR(static_cast<double>(at - expected), 0, static_cast<double>(kPsPerUs));
}

TEST(IdleConditions, TheDriveStepsDownByItsTimersAndTheNextReadBringsTheArmBack) {
  Bench bench(drive_with_idle_conditions());
  run_until(20 * kPsPerMs);
  const Ps end = bench.read(50 * 200 + 100);  // cylinder 50
  run_until(end + 2 * kPsPerSecond);
  const Ps release = E::handled(end + kActiveIdle, kTimer);
  const Ps released = release + E::move({50, 0, 0, 0, 0}, {99, 0, 0, 0, 0});  // the middle of 0 to 199
  EXPECT_EQ(States(bench.arm().end() - 2, bench.arm().end()), (States{{release, "seek"}, {released, "released"}}));
  EXPECT_EQ(bench.controller().back(), (States::value_type{E::handled(released, E::kServoReady), "active_idle"}));
  EXPECT_FALSE(bench.disk.parked());

  run_until(end + 6 * kPsPerSecond);
  ASSERT_GE(bench.arm().size(), 2u);
  const Ps unload = (bench.arm().end() - 2)->first;
  expect_timer(unload, E::handled(end + kLowPowerIdle, kTimer));
  const Ps parked = unload + E::move({99, 0, 0, 0, 0}, {0, 0, 0, 0, 0}) + kUnload;
  EXPECT_EQ(States(bench.arm().end() - 2, bench.arm().end()), (States{{unload, "unload"}, {parked, "parked"}}));
  EXPECT_EQ(bench.controller().back(), (States::value_type{E::handled(parked, E::kServoReady), "low_power_idle"}));
  EXPECT_EQ(bench.of("disk.spn").size(), 1u) << "the stack turns on";
  EXPECT_TRUE(bench.disk.parked());

  const Ps start = now();
  bench.read(50 * 200 + 100);
  const Ps load = E::handled(start + kFrame, E::kReadCommand);
  const Ps go = E::handled(E::granted(E::decision_begins(E::handled(load + kLoad, E::kServoReady)), 1), E::kGrant);
  const States& arm = bench.arm();
  EXPECT_EQ(States(arm.end() - 4, arm.end() - 1), (States{{load, "load"}, {load + kLoad, "hold"}, {go, "seek"}}));
}

TEST(IdleConditions, FromActiveIdleTheArmFindsItsTrackAgainAndGoesOnFromThere) {
  Bench bench(drive_with_idle_conditions());
  run_until(20 * kPsPerMs);
  run_until(bench.read(0) + 2 * kPsPerSecond);
  ASSERT_EQ(bench.arm().back().second, "released");
  const Ps start = now();
  bench.read(99 * 200 + 100);
  const Ps acquire = E::handled(start + kFrame, E::kReadCommand);
  const Ps go =
      E::handled(E::granted(E::decision_begins(E::handled(acquire + kAcquire, E::kServoReady)), 1), E::kGrant);
  const auto began =
      std::find_if(bench.arm().begin(), bench.arm().end(), [](const auto& state) { return state.second == "acquire"; });
  ASSERT_LT(began + 2, bench.arm().end());
  EXPECT_EQ(States(began, began + 3), (States{{acquire, "acquire"}, {acquire + kAcquire, "hold"}, {go, "seek"}}))
      << "to the other head there";
  EXPECT_EQ(bench.controller().back().second, "idle");
}

TEST(IdleConditions, CheckPowerModeTellsIdleAndDoesNotWakeTheDrive) {
  Bench bench(drive_with_idle_conditions());
  run_until(20 * kPsPerMs);
  EXPECT_EQ(bench.mode(), 0xFFu);
  run_until(now() + 2 * kPsPerSecond);
  EXPECT_EQ(bench.mode(), 0x80u);
  EXPECT_EQ(bench.arm().back().second, "released");
  run_until(now() + 5 * kPsPerSecond);
  EXPECT_EQ(bench.arm().back().second, "parked") << "the timers run on";
  EXPECT_EQ(bench.mode(), 0x80u);
  EXPECT_EQ(bench.controller().back().second, "low_power_idle");
}

TEST(IdleConditions, IdleImmediateIsAnsweredInActiveIdleAndStandbyGoesOnFromThere) {
  Bench bench(drive_with_idle_conditions());
  run_until(2 * kPsPerSecond);
  ASSERT_EQ(bench.arm().back().second, "released");
  bench.host.unqueued(kIdleImmediate, 0, 0);
  bench.await("D2H status 50h tag 0", kPsPerMs);
  EXPECT_EQ(bench.arm().back().second, "released") << "it is an idle condition";
  bench.host.clear();
  bench.host.unqueued(kStandbyImmediate, 0, 0);
  bench.await("D2H status 50h tag 0");
  EXPECT_EQ(bench.of("disk.spn").back().second, "stopped");
  EXPECT_EQ(bench.mode(), 0x00u);
}

TEST(IdleConditions, TheStandbyTimerEndsThem) {
  Bench bench(drive_with_idle_conditions());
  run_until(20 * kPsPerMs);
  bench.host.unqueued(kIdle, 0, 1);  // 5 s
  bench.await("D2H status 50h tag 0");
  const Ps end = bench.host.received().back().at - kFrame;
  run_until(now() + 8 * kPsPerSecond);
  ASSERT_GE(bench.of("disk.spn").size(), 2u);
  const Ps spin_down = (bench.of("disk.spn").end() - 2)->first;
  expect_timer(spin_down, E::handled(end + 5 * kPsPerSecond, kTimer));
  EXPECT_EQ(States(bench.of("disk.spn").end() - 2, bench.of("disk.spn").end()),
            (States{{spin_down, "spin_down"}, {spin_down + 300 * kPsPerMs, "stopped"}}));
}

class ApmLevel : public ::testing::TestWithParam<std::pair<int, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Bands, ApmLevel,
                         ::testing::Values(std::pair{0x80, "parked"}, std::pair{0xBF, "parked"},
                                           std::pair{0xC0, "released"}, std::pair{0xFE, "released"}));

TEST_P(ApmLevel, SaysHowDeepTheDriveGoes) {
  drive::DriveParams params = drive_with_idle_conditions();
  params.idle.apm_level = GetParam().first;
  Bench bench(params);
  run_until(10 * kPsPerSecond);
  EXPECT_EQ(bench.arm().back().second, GetParam().second);
}

TEST(IdleConditions, WithoutActiveIdleLowPowerIdleComesFromTheTrack) {
  drive::DriveParams params = drive_with_idle_conditions();
  params.idle.active_idle_s = 0;
  params.seek.acquire_ms = 0;
  Bench bench(params);
  run_until(10 * kPsPerSecond);
  ASSERT_EQ(bench.arm().size(), 2u);
  EXPECT_EQ(bench.arm()[0].second, "unload");
  EXPECT_EQ(bench.arm()[1].second, "parked");
  EXPECT_EQ(bench.of("disk.spn").size(), 1u);
}

TEST(IdleConditions, TheDeepestConditionWhoseTimeIsOverIsEnteredAtOnce) {
  drive::DriveParams params = drive_with_idle_conditions();
  params.idle.active_idle_s = 2;
  params.idle.low_power_idle_s = 2;
  Bench bench(params);
  run_until(10 * kPsPerSecond);
  ASSERT_EQ(bench.arm().size(), 2u) << "not by way of active idle";
  EXPECT_EQ(bench.arm()[0].second, "unload");
}

TEST(IdleConditions, TheArmOfAFailedSupplyRetractsFromWhereItRests) {
  Bench bench(drive_with_idle_conditions());
  run_until(2 * kPsPerSecond);
  ASSERT_EQ(bench.arm().back().second, "released");
  bench.disk.power_off();
  run_until(2 * kPsPerSecond + kUnload);
  EXPECT_TRUE(bench.disk.parked());
}

/// Idle_c: the arms on the ramp, the stack at its lowest speed.
TEST(IdleConditions, InIdleCTheStackTurnsAtItsLowestSpeedAndTheNextReadBringsBoth) {
  drive::DriveParams params = drive_with_idle_conditions();
  params.spindle.speeds_rpm = {4'500, 3'000};
  params.spindle.access_at_lower = false;
  params.idle.low_rpm_idle_s = 8;
  Bench bench(params);
  run_until(20 * kPsPerMs);
  const Ps end = bench.read(50 * 200 + 100);
  run_until(end + 10 * kPsPerSecond);
  const States& stack = bench.of("disk.spn");
  ASSERT_GE(stack.size(), 3u);
  const Ps slower = (stack.end() - 2)->first;
  expect_timer(slower, E::handled(end + 8 * kPsPerSecond, kTimer));
  EXPECT_EQ(States(stack.end() - 2, stack.end()), (States{{slower, "slow_down"}, {slower + 150 * kPsPerMs, "at_3000"}}))
      << "half of the 300 ms from full speed";
  EXPECT_EQ(bench.controller().back().second, "low_power_idle");
  EXPECT_EQ(bench.mode(), 0x80u);
  EXPECT_EQ(bench.of("disk.spn").back().second, "at_3000") << "CHECK POWER MODE does not wake the drive";

  const Ps start = now();
  bench.read(50 * 200 + 100);
  const Ps faster = E::handled(start + kFrame, E::kReadCommand);
  EXPECT_EQ(States(stack.end() - 2, stack.end()), (States{{faster, "spin_up"}, {faster + 250 * kPsPerMs, "at_speed"}}));
  const auto load = std::find_if(bench.arm().begin(), bench.arm().end(),
                                 [&](const auto& state) { return state.second == "load" && state.first > faster; });
  ASSERT_NE(load, bench.arm().end());
  EXPECT_GT(load->first, faster + 250 * kPsPerMs) << "the arms come when the stack has its speed";
}

TEST(IdleConditions, StandbyFollowsIdleCFromTheSpeedThatTheStackHas) {
  drive::DriveParams params = drive_with_idle_conditions();
  params.spindle.speeds_rpm = {3'000};
  params.idle.low_rpm_idle_s = 5;
  params.idle.spin_down = drive::IdleParams::fixed;
  params.idle.spin_down_s = 7;
  Bench bench(params);
  run_until(20 * kPsPerMs);
  bench.read(0);
  run_until(10 * kPsPerSecond);
  const States& stack = bench.of("disk.spn");
  ASSERT_GE(stack.size(), 4u);
  EXPECT_EQ((stack.end() - 3)->second, "at_3000");
  const Ps down = (stack.end() - 2)->first;
  EXPECT_EQ(States(stack.end() - 2, stack.end()), (States{{down, "spin_down"}, {down + 150 * kPsPerMs, "stopped"}}));
  EXPECT_EQ(bench.mode(), 0x00u);
  bench.read(0);
  EXPECT_EQ(stack.back().second, "at_speed");
}

class IdleConditionsOfArms : public ::testing::TestWithParam<std::pair<int, bool>> {};
INSTANTIATE_TEST_SUITE_P(Arms, IdleConditionsOfArms,
                         ::testing::Values(std::pair{1, false}, std::pair{3, false}, std::pair{1, true},
                                           std::pair{3, true}));

/// Writes into the cache are on the media before the arms leave it, and commands at any time of the ways are served.
TEST_P(IdleConditionsOfArms, ACommandAtAnyTimeOfTheWaysIsServedAndWrittenDataStay) {
  drive::DriveParams params = drive_with_idle_conditions();
  params.arms.count = GetParam().first;
  const bool idle_c = GetParam().second;
  params.spindle.spin_up_s = 0.02;
  params.spindle.spin_down_s = 0.01;
  params.seek.load_ms = 4;
  params.seek.unload_ms = 3;
  params.seek.acquire_ms = 5;
  params.idle.active_idle_s = 0.05;
  params.idle.low_power_idle_s = 0.08;
  if (idle_c) {
    params.spindle.speeds_rpm = {3'000};
    params.idle.low_power_idle_s = 0.07;
    params.idle.low_rpm_idle_s = 0.08;
  }
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.destage_idle_ms = 60'000;
  Bench bench(params);
  run_until(20 * kPsPerMs);
  RandomStream random(13, "idle conditions");
  std::map<std::uint64_t, std::uint32_t> written;  // first byte of a block's pattern
  std::uint32_t next_byte = 0;
  Ps last = now();
  std::map<std::string, int> found, found_at;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    run_until(std::max(now(), last + 49 * kPsPerMs + static_cast<Ps>(random.below(60 * kPsPerMs))));
    ++found[bench.arm().empty() ? "hold" : bench.arm().back().second];
    ++found_at[bench.of("disk.spn").empty() ? "at_speed" : bench.of("disk.spn").back().second];
    bench.host.clear();
    switch (random.below(5)) {
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
    const std::uint64_t lbn = random.below(36'000 - 16);
    bench.host.write_queued(5, lbn, 16);
    ASSERT_NO_FATAL_FAILURE(bench.await("SDB 00000020"));
    for (std::uint32_t sector = 0; sector < 16; ++sector) {
      written[lbn + sector] = next_byte;
      next_byte += 512;
    }
    last = bench.host.received().back().at - kFrame;
  }
  run_until(now() + 2 * kPsPerSecond);
  EXPECT_EQ(bench.arm().back().second, "parked");
  // What was written into the cache in the deepest condition is there still.
  bench.host.clear();
  bench.host.unqueued(sata::Command::flush_cache_ext, 0, 0);
  ASSERT_NO_FATAL_FAILURE(bench.await("D2H status 50h tag 0"));
  for (const auto& [lbn, first_byte] : written) {
    std::array<std::uint8_t, 512> bytes{};
    ASSERT_TRUE(bench.disk.contents().read(bench.disk.geometry().physical(lbn), bytes.data()));
    for (std::uint32_t i = 0; i < 512; ++i) ASSERT_EQ(bytes[i], ScriptedHost::pattern(first_byte + i)) << lbn;
  }
  for (const char* state : {"seek", "released", "unload", "parked"})
    EXPECT_GT(found[state], 3) << "commands came in state " << state;
  if (!idle_c) return;
  for (const char* state : {"at_speed", "slow_down", "at_3000"})
    EXPECT_GT(found_at[state], 3) << "commands came in state " << state;
}

}  // namespace
}  // namespace armature::testing
