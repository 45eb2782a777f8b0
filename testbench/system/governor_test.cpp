// The governor: contents while it changes arms, seeks and speed under a load, and its two objectives.
#include "armature/controller/soc.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/power/ledger.h"
#include "armature/power/power_params.h"
#include "contents_bench.h"
#include "contents_setups.h"
#include "support/drive_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature::testing {
namespace {

using drive::GovernorParams;

/// Two arms, three speeds, quiet seeks.
drive::DriveParams governed(GovernorParams::Objective objective) {
  drive::DriveParams params = round_drive_with_contents(false);
  params.arms.count = 2;
  params.seek.acquire_ms = 5;
  params.seek.quiet.table = {{1, 1.5}, {199, 6}};
  params.spindle.spin_up_s = 0.08;
  params.spindle.spin_down_s = 0.04;
  params.spindle.speeds_rpm = {4'500, 3'000};
  params.governor.objective = objective;
  params.governor.period_s = 0.05;
  params.governor.calm_periods = 1;
  params.governor.cap_w = 10;
  params.governor.saving = {9, 0.5, {6, 3}, {0, 0}};  // over the cap, it goes down one setting at a time
  return params;
}

/// Half a second of 12 W, half a second of 1 W, whatever the drive does.
class Seesaw final : public controller::EnergyMeter {
 public:
  std::uint64_t microjoules() override {
    const auto us = static_cast<std::uint64_t>(now() / kPsPerUs);
    const std::uint64_t half = 500'000, whole = us / (2 * half), rest = us % (2 * half);
    return whole * 13 * half + std::min(rest, half) * 12 + (rest > half ? rest - half : 0);
  }
};

struct Variant {
  const char* name;
  void (*set)(drive::DriveParams&);
};

class ContentsUnderTheGovernor : public ::testing::TestWithParam<Variant> {};

INSTANTIATE_TEST_SUITE_P(
    Drives, ContentsUnderTheGovernor,
    ::testing::Values(Variant{"plain", setups::none}, Variant{"caches", setups::caches},
                      Variant{"serial", [](drive::DriveParams& params) { params.arms.design = drive::ArmsParams::SA; }},
                      Variant{"one_channel",
                              [](drive::DriveParams& params) {
                                params.arms.channels = 1;
                                params.cache.look_ahead = true;
                              }}),
    [](const auto& its) { return std::string(its.param.name); });

TEST_P(ContentsUnderTheGovernor, EveryReadBringsWhatWasWritten) {
  BenchParams params;
  params.drive = governed(GovernorParams::watts);
  GetParam().set(params.drive);
  ContentsBench bench("bench", params, hot_load(params.drive, 4'000));
  Seesaw seesaw;
  bench.bench.disk().soc().pmu.set_meter(seesaw);
  std::uint64_t late = 0;
  bench.bench.on_completed = [&](const observe::CompletedRequest& request) {
    // The unit does not know that an arm which came to the track for a read still settles for the write.
    const bool settles = request.record.operation == Operation::write && request.record.seek_cylinders == 0;
    if (!settles) late += request.record.missed_by[static_cast<std::size_t>(observe::MissCause::late_servo)];
  };
  bench.run();
  bench.look_at_medium(0, bench.bench.disk().sectors());
  EXPECT_EQ(bench.unreadable, 0u);
  EXPECT_EQ(late, 0u) << "no arm moves while the speed changes";
  EXPECT_GT(bench.bench.disk().counters().governor_steps, 20u);
  EXPECT_GT(bench.bench.disk().counters().speed_changes, 12u);
}

/// A host that always has writes of a stream out does not keep the stack from changing its speed.
class SpeedUnderAStream : public ::testing::TestWithParam<Variant> {};

INSTANTIATE_TEST_SUITE_P(Drives, SpeedUnderAStream,
                         ::testing::Values(Variant{"plain", setups::none}, Variant{"caches", setups::caches}),
                         [](const auto& its) { return std::string(its.param.name); });

TEST_P(SpeedUnderAStream, ChangesWhenItIsWanted) {
  BenchParams params;
  params.drive = governed(GovernorParams::watts);
  params.drive.governor.settings = {{6'000, 2, 0, 4}, {3'000, 2, 0, 4}};
  GetParam().set(params.drive);
  std::vector<workload::Request> requests;
  for (std::uint64_t lbn = 0; lbn + 64 <= 32'000; lbn += 64) {
    workload::Request request = read_request(10 * kPsPerMs, lbn, 64);
    request.operation = Operation::write;
    requests.push_back(request);
  }
  ListSource source(std::move(requests));
  DriveBench bench("bench", params, source);
  Seesaw seesaw;
  bench.disk().soc().pmu.set_meter(seesaw);
  bench.keep = false;
  std::uint32_t changes = 0;
  Ps wanted = -1, longest = 0;
  bench.on_completed = [&](const observe::CompletedRequest&) {
    const auto& counters = bench.disk().counters();
    if (counters.governor_steps != counters.speed_changes && wanted < 0) wanted = now();
    if (counters.speed_changes == changes) return;
    changes = counters.speed_changes;
    if (wanted >= 0) longest = std::max(longest, now() - wanted);
    wanted = -1;
  };
  bench.run();
  EXPECT_GT(changes, 1u);
  EXPECT_LT(to_seconds(longest), 0.3) << "accesses under way, and the change itself";
}

class Counters final : public controller::EnergyMeter {
 public:
  explicit Counters(power::Ledger& ledger) : ledger_(ledger) {}
  std::uint64_t microjoules() override {
    return static_cast<std::uint64_t>(ledger_.drawn(now()) / 1'000'000'000'000'000);
  }

 private:
  power::Ledger& ledger_;
};

struct Outcome {
  double watts = 0, late_share = 0;
  std::uint32_t setting = 0;
};

drive::SavingParams saving_of(const drive::DriveParams& drive, const power::DriveStructure& structure,
                              const power::PowerTable& table) {
  const auto idle_w = [&](std::string_view stack, unsigned out) { return power::to_watts(table.at_idle(stack, out)); };
  drive::SavingParams saving;
  saving.idle_w = idle_w("at_speed", 0);
  saving.arm_w = saving.idle_w - idle_w("at_speed", 1);
  double reached_s = structure.spin_up_s, there_w = saving.idle_w;
  for (const power::DriveStructure::LowerSpeed& lower : structure.lower_speeds) {
    const double from_s = structure.spin_up_s * lower.rpm / drive.spindle.rpm;
    saving.rise_j.push_back(table.spin_up_j(from_s, reached_s) - (there_w - idle_w("", 0)) * (reached_s - from_s));
    saving.lower_w.push_back(idle_w(lower.state, 0));
    reached_s = from_s;
    there_w = saving.lower_w.back();
  }
  return saving;
}

/// 60 random reads a second for 60 s; the last 40 s count.
Outcome run(const drive::DriveParams& drive, double bound_ms) {
  power::PowerParams power;
  power.idle_w = 8;
  power.seek_w = 12;
  power.hold_w = 0.6;
  power::DriveStructure structure;
  structure.arms = drive.arms.arms();
  structure.channels = drive.arms.channel_count();
  structure.heads = 2;
  structure.rpm = drive.spindle.rpm;
  structure.spin_up_s = drive.spindle.spin_up_s;
  structure.spin_down_s = drive.spindle.spin_down_s;
  structure.idle_conditions = drive.idle_conditions();
  for (std::size_t n = 0; n < drive.spindle.speeds_rpm.size(); ++n)
    structure.lower_speeds.push_back({drive.spindle.lower_state(n), drive.spindle.speeds_rpm[n], -1});
  const power::PowerTable table = power.table(structure);
  power::Ledger ledger(table, power::Ledger::Options{"bench", {kPsPerSecond}, nullptr});
  Counters counters(ledger);
  RandomStream random(7, "governor");
  std::vector<workload::Request> requests;
  for (Ps at = 50 * kPsPerMs; at < 60 * kPsPerSecond; at += static_cast<Ps>(random.below(kPsPerSecond / 30)))
    requests.push_back(read_request(at, random.below(35'000), 8));
  ListSource source(std::move(requests));
  BenchParams params;
  params.drive = drive;
  params.drive.governor.saving = saving_of(drive, structure, table);
  DriveBench bench("bench", params, source, nullptr, &ledger);
  bench.keep = false;
  bench.disk().soc().pmu.set_meter(counters);
  Outcome outcome;
  double late = 0, all = 0, before_j = 0, seconds = 0;
  bench.on_completed = [&](const observe::CompletedRequest& request) {
    if (request.record.arrival < 20 * kPsPerSecond) {
      before_j = static_cast<double>(ledger.drawn(now())) * 1e-21;
      seconds = to_seconds(now());
      return;
    }
    all += 1;
    late += to_seconds(request.record.response()) * 1e3 > bound_ms ? 1 : 0;
    outcome.watts = (static_cast<double>(ledger.drawn(now())) * 1e-21 - before_j) / (to_seconds(now()) - seconds);
    outcome.setting = bench.disk().counters().governor_setting;
  };
  bench.run();
  outcome.late_share = late / all;
  return outcome;
}

constexpr double kBoundMs = 40, kMostW = 10.19, kLeastW = 5;  // measured

TEST(Governor, WithoutItTheDriveDrawsMost) {
  const Outcome most = run(governed(GovernorParams::off), kBoundMs);
  EXPECT_NEAR(most.watts, kMostW, 0.1);
  EXPECT_LT(most.late_share, 0.002);
}

TEST(Governor, ItsLastSettingDrawsLeastAndIsTooSlow) {
  drive::DriveParams drive = governed(GovernorParams::watts);
  drive.governor.settings = {{3'000, 1, 1, 4}};
  const Outcome least = run(drive, kBoundMs);
  EXPECT_NEAR(least.watts, kLeastW, 0.1);
  EXPECT_GT(least.late_share, 0.05);
}

TEST(Governor, KeepsTheMeanPowerUnderTheCapAndUsesItsRoom) {
  drive::DriveParams drive = governed(GovernorParams::watts);
  drive.governor.period_s = 1;
  drive.governor.cap_w = (kMostW + kLeastW) / 2;
  const Outcome between = run(drive, kBoundMs);
  EXPECT_LT(between.watts, drive.governor.cap_w);
  EXPECT_EQ(between.setting, 1u) << "no less than the cap asks for";
}

TEST(Governor, KeepsTheResponseWithLessPowerThanWithout) {
  drive::DriveParams drive = governed(GovernorParams::response);
  drive.governor.period_s = 2;
  drive.governor.calm_periods = 3;
  drive.governor.p99_ms = kBoundMs;
  const Outcome between = run(drive, kBoundMs);
  EXPECT_LT(between.late_share, 0.03) << "with the periods that tried a setting that was too slow";
  EXPECT_LT(between.watts, 0.97 * kMostW);
}

class IdleGovernor : public ::testing::TestWithParam<GovernorParams::Objective> {};
INSTANTIATE_TEST_SUITE_P(Objectives, IdleGovernor, ::testing::Values(GovernorParams::watts, GovernorParams::response));

TEST_P(IdleGovernor, Rests) {
  BenchParams params;
  params.drive = governed(GetParam());
  params.drive.governor.p99_ms = 100;
  ListSource source({read_request(10 * kPsPerMs, 0, 8)});
  DriveBench bench("bench", params, source);
  bench.run();  // ends: no timer runs on
  EXPECT_LE(bench.disk().counters().governor_setting, 1u);
}

}  // namespace
}  // namespace armature::testing
