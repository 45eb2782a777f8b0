// The energy ledger on whole drives: what blocks publish, against what their requests went through.
#include "armature/core/kernel_time.h"
#include "armature/power/ledger.h"
#include "armature/power/power_params.h"
#include "support/closed_load.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace armature::testing {
namespace {

using power::kModes;
using power::Ledger;
using power::Load;
using power::Mode;
using power::PowerTable;
using power::Rail;
using power::Share;

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::uint64_t kSectors = 36'000;

BenchParams drive_with(std::int64_t arms, drive::ArmsParams::Design design) {
  BenchParams params;
  params.drive = round_drive();
  params.drive.arms.count = arms;
  params.drive.arms.design = design;
  return params;
}

/// One watt for every published state that there is, so that nothing can stay silent.
PowerTable every_path(unsigned arms, unsigned channels) {
  PowerTable table;
  table.arms = arms;
  table.channels = channels;
  const auto add = [&](const std::string& path, Share share, unsigned number, const std::vector<std::string>& states) {
    power::ComponentPower entry{path, share, number, {}};
    for (const std::string& state : states) entry.states.push_back({state, {Load::constant(path, Rail::v5, 1)}});
    table.components.push_back(std::move(entry));
  };
  add("disk.spn", Share::stack, 0, {"stopped", "spin_up", "at_speed", "spin_down"});
  for (unsigned i = 0; i < arms; ++i) {
    add(fmt::format("disk.srv{}", i), Share::arm, i, {"hold", "seek", "parked", "failed"});
    add(fmt::format("disk.arm{}", i), Share::arm, i, {"idle", "seek", "rotational_wait", "transfer"});
  }
  for (unsigned i = 0; i < channels; ++i)
    add(fmt::format("disk.chn{}", i), Share::channel, i, {"idle", "wait", "transfer"});
  add("disk.soc.cpu", Share::common, 0, {"idle", "busy"});
  add("disk.soc.buf", Share::common, 0, {"idle", "active"});
  add("disk.soc.pmu", Share::common, 0, {"active", "idle", "standby", "sleep"});
  add("link", Share::common, 0, {"idle", "busy"});
  return table;
}

/// Time that the arms spent in each mode, shared out by the rule, from the accesses of the requests alone.
std::array<long double, kModes> expected_times(const DriveBench& bench, unsigned arms, Ps end) {
  struct Span {
    Ps from, to;
    Mode mode;
  };
  std::vector<std::vector<Span>> spans(arms);
  std::set<Ps> cuts = {0, end};
  const auto add = [&](unsigned arm, Ps from, Ps to, Mode mode) {
    if (from >= to) return;
    spans[arm].push_back({from, to, mode});
    cuts.insert({from, to});
  };
  for (const auto& [id, request] : bench.finished)
    for (const observe::AccessTiming& timing : request.accesses) {
      add(timing.access.arm, timing.move_at, timing.ready_at, Mode::seek);
      add(timing.access.arm, timing.ready_at, timing.access.first_sector_at, Mode::rotational_wait);
      add(timing.access.arm, timing.access.first_sector_at, timing.access.done_at, Mode::transfer);
    }
  for (auto& arm : spans)
    std::sort(arm.begin(), arm.end(), [](const Span& a, const Span& b) { return a.from < b.from; });
  std::vector<std::size_t> next(arms, 0);
  std::array<long double, kModes> times{};
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    const long double length = static_cast<long double>(*std::next(cut) - *cut) * 1e-12L;
    std::vector<Mode> at_work;
    for (unsigned arm = 0; arm < arms; ++arm) {
      std::size_t& i = next[arm];
      while (i < spans[arm].size() && spans[arm][i].to <= *cut) ++i;
      if (i < spans[arm].size() && spans[arm][i].from <= *cut) at_work.push_back(spans[arm][i].mode);
    }
    if (at_work.empty()) times[static_cast<std::size_t>(Mode::idle)] += length;
    for (const Mode mode : at_work) times[static_cast<std::size_t>(mode)] += length / at_work.size();
  }
  return times;
}

class ModesOfArms : public ::testing::TestWithParam<std::tuple<unsigned, drive::ArmsParams::Design>> {};
INSTANTIATE_TEST_SUITE_P(Arms, ModesOfArms,
                         ::testing::Combine(::testing::Values(1U, 2U, 4U, 8U),
                                            ::testing::Values(drive::ArmsParams::MA, drive::ArmsParams::MC)));

TEST_P(ModesOfArms, AreThoseOfTheAccessesOfTheirRequests) {
  const auto [arms, design] = GetParam();
  const BenchParams params = drive_with(arms, design);
  Ledger ledger(every_path(arms, params.drive.arms.channel_count()), {"bench", {}, nullptr});
  ClosedLoad load(7, 1'500, 2 * arms, kSectors, kStart);
  DriveBench bench("bench", params, load, nullptr, &ledger);
  bench.run();
  const Ps end = now();
  ledger.finish(end);
  EXPECT_TRUE(ledger.unpublished().empty()) << ledger.unpublished().front();
  const std::array<long double, kModes> expected = expected_times(bench, arms, end);
  for (std::size_t mode = 0; mode < kModes; ++mode)
    EXPECT_NEAR(power::shares_to_seconds(ledger.time(static_cast<Mode>(mode))), static_cast<double>(expected[mode]),
                1e-9)
        << power::kModeNames[mode];
  EXPECT_GT(ledger.time(Mode::seek), 0);
  EXPECT_GT(ledger.time(Mode::transfer), 0);
  // Each component is in one of its states, of 1 W each, all the time.
  for (std::size_t i = 0; i < ledger.components().size(); ++i)
    EXPECT_TRUE(ledger.energy(i) == static_cast<power::Shares>(end) * 1'000'000'000 * power::kWhole)
        << ledger.components()[i];
}

TEST(ModesWithoutAnAccess, AnArmThatFirmwareGivesBackIsIdle) {
  BenchParams params = drive_with(1, drive::ArmsParams::own);
  params.host.seek_only = true;
  Ledger ledger(every_path(1, 1), {"bench", {}, nullptr});
  ClosedLoad load(5, 200, 1, kSectors, kStart);
  DriveBench bench("bench", params, load, nullptr, &ledger);
  bench.run();
  ledger.finish(now());
  EXPECT_GT(power::shares_to_seconds(ledger.time(Mode::seek)), 0.2);
  EXPECT_EQ(power::shares_to_seconds(ledger.time(Mode::transfer)), 0);
  EXPECT_GT(power::shares_to_seconds(ledger.time(Mode::idle)), 0.2) << "between the seeks";
  EXPECT_LT(power::shares_to_seconds(ledger.time(Mode::rotational_wait)), 200 * 10e-6)
      << "from the end of a move until firmware has heard of it";
}

power::PowerParams barracuda() {
  config::Node file = load_drive_file("seagate_barracuda_es_750.toml");
  power::PowerParams params;
  config::read(file.take("power"), params);
  return params;
}

struct Loaded {
  std::unique_ptr<Ledger> ledger;
  std::unique_ptr<ClosedLoad> load;
  std::unique_ptr<DriveBench> bench;
};

Loaded loaded(const char* name, std::int64_t arms, drive::ArmsParams::Design design) {
  const BenchParams params = drive_with(arms, design);
  power::DriveStructure structure;
  structure.arms = static_cast<unsigned>(arms);
  structure.channels = params.drive.arms.channel_count();
  structure.heads = 8;
  structure.rpm = params.drive.spindle.rpm;
  Loaded one;
  one.ledger = std::make_unique<Ledger>(barracuda().table(structure), Ledger::Options{name, {kPsPerSecond}, nullptr});
  one.load = std::make_unique<ClosedLoad>(3, 1'500, 8, kSectors, kStart);
  one.bench = std::make_unique<DriveBench>(name, params, *one.load, nullptr, one.ledger.get());
  one.bench->keep = false;
  return one;
}

/// What an arm draws that stays on its track: its coil and its servo's electronics.
double hold_power(const PowerTable& table) {
  double watts = 0;
  for (const power::ComponentPower& entry : table.components)
    for (const power::StatePower& state : entry.states)
      for (const Load& load : state.loads)
        if (entry.path == "disk.srv0" && state.state == "hold") watts += power::to_watts(load.steps.front().power);
  return watts;
}

/// One arm moves at a time, so that the drive's supply need not be larger than the conventional drive's by more than
/// what it takes to hold the arms that do not move.
TEST(EnergyOfArms, TheirPeakIsTheConventionalDrivesWhenOneMovesAtATime) {
  constexpr unsigned kArms = 4;
  const Loaded conventional = loaded("conventional", 1, drive::ArmsParams::own);
  const Loaded single = loaded("single", kArms, drive::ArmsParams::serial);
  const Loaded all = loaded("all", kArms, drive::ArmsParams::MC);
  conventional.bench->run();  // all three: one kernel
  const Ps end = now();
  for (const Loaded* one : {&conventional, &single, &all}) {
    ASSERT_EQ(one->bench->completions(), 1'500u);
    one->ledger->finish(end);
  }
  const auto peak = [](const Loaded& one) { return power::to_watts(one.ledger->history().peak().power); };
  const double hold = (kArms - 1) * hold_power(barracuda().table({}));
  ASSERT_GT(hold, 0);
  EXPECT_GE(peak(single), peak(conventional));
  EXPECT_LE(peak(single), peak(conventional) + hold + 1e-9);
  EXPECT_GT(peak(all), peak(conventional) + hold + 3 * 2.5) << "arms that move at once cost a VCM each";
}

}  // namespace
}  // namespace armature::testing
