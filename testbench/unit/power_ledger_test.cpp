// The energy ledger by hand: who pays for what, what steps and announcements are worth, what is refused.
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/power/ledger.h"

#include "support/recording_sinks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace armature::power {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::RecordingProbes;

constexpr Ps kS = kPsPerSecond;
const std::vector<std::string> kStack = {"stopped", "spin_up", "at_speed", "spin_down"};
const std::vector<std::string> kArm = {"idle", "seek", "rotational_wait", "transfer"};

PowerTable two_arms() {
  PowerTable table;
  table.arms = 2;
  table.channels = 1;
  table.components = {
      {"disk.spn",
       Share::stack,
       0,
       {{"at_speed", {Load::constant("spindle", Rail::v12, 6)}},
        {"spin_up",
         {{"spindle", Rail::v12, {{0, from_watts(30)}, {2 * kS, from_watts(20)}, {5 * kS, from_watts(10)}}}}}}},
      {"disk.srv0", Share::arm, 0, {{"seek", {Load::constant("vcm0", Rail::v12, 7)}}}},
      {"disk.srv1", Share::arm, 1, {{"seek", {Load::constant("vcm1", Rail::v12, 7)}}}},
      {"disk.chn0", Share::channel, 0, {{"transfer", {Load::constant("channel0", Rail::v5, 2)}}}},
      {"disk.soc.pmu", Share::common, 0, {{"active", {Load::constant("controller", Rail::v5, 1)}}}}};
  return table;
}

class LedgerByHand : public ::testing::Test {
 protected:
  LedgerByHand() : ledger_(two_arms(), {"d", {}, nullptr}) {
    declare("disk.spn", kStack);
    declare("disk.arm0", kArm);
    declare("disk.arm1", kArm);
    declare("disk.srv0", {"hold", "seek", "parked"});
    declare("disk.srv1", {"hold", "seek", "parked"});
    declare("disk.chn0", {"idle", "wait", "transfer"});
    declare("disk.chn0.arm", {"none", "arm0", "arm1"});
    declare("disk.soc.pmu", {"active", "idle", "off"});
  }
  void declare(const std::string& path, std::vector<std::string> states) {
    ids_[path] = ledger_.declare({"d." + path, std::move(states)});
  }
  /// Says at `present` that the component enters the state at `at`.
  void enter(const std::string& path, unsigned state, Ps present, Ps at, Ps passed = 0) {
    ledger_.enter(ids_.at(path), state, at, passed, present);
  }
  void enter(const std::string& path, unsigned state, Ps at) { enter(path, state, at, at); }
  double joules(const std::string& component, Mode mode) const {
    for (std::size_t i = 0; i < ledger_.components().size(); ++i)
      if (ledger_.components()[i] == component)
        return shares_to_joules(ledger_.energy(i, Rail::v5, mode) + ledger_.energy(i, Rail::v12, mode));
    return -1;
  }

  Ledger ledger_;
  std::map<std::string, StateSink::Id> ids_;
};

TEST_F(LedgerByHand, CommonLoadsAreSharedByTheArmsAtWorkAndAnArmsOwnAreItsOwn) {
  enter("disk.spn", 2, 0);
  enter("disk.arm0", 1, 10 * kS);  // both seek for 10 s, then arm 1 alone
  enter("disk.srv0", 1, 10 * kS);
  enter("disk.arm1", 1, 10 * kS);
  enter("disk.srv1", 1, 10 * kS);
  enter("disk.arm0", 3, 20 * kS);
  enter("disk.srv0", 0, 20 * kS);
  enter("disk.chn0.arm", 1, 20 * kS);
  enter("disk.chn0", 2, 20 * kS);
  enter("disk.arm0", 0, 30 * kS);
  enter("disk.chn0", 0, 30 * kS);
  enter("disk.chn0.arm", 0, 30 * kS);
  enter("disk.arm1", 0, 40 * kS);
  enter("disk.srv1", 0, 40 * kS);
  ledger_.finish(50 * kS);
  // 0..10 nobody, 10..20 two seek, 20..30 one seeks and one transfers, 30..40 one seeks, 40..50 nobody.
  EXPECT_DOUBLE_EQ(joules("spindle", Mode::idle), 6 * 20);
  EXPECT_DOUBLE_EQ(joules("spindle", Mode::seek), 6 * (10 + 5 + 10));
  EXPECT_DOUBLE_EQ(joules("spindle", Mode::transfer), 6 * 5);
  EXPECT_DOUBLE_EQ(joules("controller", Mode::transfer), 5);
  EXPECT_DOUBLE_EQ(joules("vcm0", Mode::seek), 7 * 10);
  EXPECT_DOUBLE_EQ(joules("vcm1", Mode::seek), 7 * 30);
  EXPECT_DOUBLE_EQ(joules("channel0", Mode::transfer), 2 * 10) << "the channel works for arm 0 alone";
  EXPECT_DOUBLE_EQ(joules("channel0", Mode::seek), 0);
  EXPECT_DOUBLE_EQ(shares_to_joules(ledger_.energy()), 50 * 7 + 280 + 20);
  EXPECT_DOUBLE_EQ(shares_to_seconds(ledger_.time(Mode::seek)), 25);
  EXPECT_EQ(ledger_.history().peak().power, from_watts(6 + 1 + 14));
  EXPECT_EQ(ledger_.history().peak().at, 10 * kS);
}

TEST_F(LedgerByHand, AStackThatDoesNotTurnAtSpeedIsStandbyOrSpinUp) {
  enter("disk.spn", 1, 10 * kS);
  enter("disk.spn", 2, 20 * kS);
  enter("disk.spn", 3, 30 * kS);
  enter("disk.spn", 0, 35 * kS);
  ledger_.finish(40 * kS);
  EXPECT_DOUBLE_EQ(joules("spindle", Mode::spin_up), 30 * 2 + 20 * 3 + 10 * 5);
  EXPECT_DOUBLE_EQ(joules("controller", Mode::spin_up), 10);
  EXPECT_DOUBLE_EQ(joules("controller", Mode::standby), 10 + 10);
  EXPECT_DOUBLE_EQ(joules("controller", Mode::idle), 10);
  EXPECT_EQ(ledger_.history().rail_peak(Rail::v12).power, from_watts(30));
}

TEST_F(LedgerByHand, ASpinUpFromHalfTheSpeedBeginsInTheMidstOfItsSteps) {
  enter("disk.spn", 1, 10 * kS, 10 * kS, 4 * kS);
  enter("disk.spn", 2, 16 * kS);
  ledger_.finish(16 * kS);
  EXPECT_DOUBLE_EQ(joules("spindle", Mode::spin_up), 20 * 1 + 10 * 5);
}

TEST_F(LedgerByHand, StepsEndWithTheirState) {
  enter("disk.spn", 1, 0);
  enter("disk.spn", 3, kS);  // before the first step
  enter("disk.spn", 1, 4 * kS);
  ledger_.finish(7 * kS);
  EXPECT_DOUBLE_EQ(joules("spindle", Mode::spin_up), 30 + 30 * 2 + 20 * 1);
}

TEST_F(LedgerByHand, WithoutASupplyNothingDrawsAndThenWhatItsStateWants) {
  enter("disk.spn", 1, 0);           // 30 W for 2 s, then 20 W to the fifth
  enter("disk.srv0", 1, 0);          // 7 W
  enter("disk.soc.pmu", 2, kS);      // off: 1 s of all that
  enter("disk.srv1", 1, 2 * kS);     // without a supply
  enter("disk.soc.pmu", 0, 4 * kS);  // on: 1 s of 20 W
  enter("disk.spn", 0, 5 * kS);
  enter("disk.srv0", 2, 5 * kS);
  ledger_.finish(6 * kS);
  const auto all = [this](const char* component) {
    double sum = 0;
    for (std::size_t mode = 0; mode < kModes; ++mode) sum += joules(component, static_cast<Mode>(mode));
    return sum;
  };
  EXPECT_NEAR(all("spindle"), 30 + 20, 1e-9);
  EXPECT_NEAR(all("vcm0"), 7 + 7, 1e-9);
  EXPECT_NEAR(all("vcm1"), 2 * 7, 1e-9);
  EXPECT_NEAR(all("controller"), 1 + 2, 1e-9);
}

TEST_F(LedgerByHand, WhatIsTakenBackDrawsNothing) {
  enter("disk.spn", 2, 0);
  enter("disk.srv0", 1, 0, 10 * kS);  // announced
  enter("disk.srv0", 0, 0, 20 * kS);
  enter("disk.srv0", 1, 5 * kS, 5 * kS);  // comes earlier, and what was announced for later does not come
  enter("disk.srv0", 0, 5 * kS, 8 * kS);
  ledger_.finish(30 * kS);
  EXPECT_DOUBLE_EQ(joules("vcm0", Mode::idle), 7 * 3) << "the arm's mode was not told";
}

TEST_F(LedgerByHand, WhatWouldComeAfterTheEndIsLeftOut) {
  enter("disk.spn", 2, 0);
  enter("disk.srv0", 1, 0, 10 * kS);
  ledger_.finish(10 * kS);
  EXPECT_DOUBLE_EQ(joules("vcm0", Mode::idle), 0);
  EXPECT_EQ(ledger_.history().peak().power, from_watts(7));
}

TEST_F(LedgerByHand, DaysInWhichNothingHappensCountAsExactly) {
  constexpr Ps kDays = 30 * 86'400 * kS;
  enter("disk.spn", 2, 0);
  enter("disk.arm0", 1, 5 * 86'400 * kS, 20 * 86'400 * kS + 1);  // announced fifteen days ahead
  enter("disk.srv0", 1, 5 * 86'400 * kS, 20 * 86'400 * kS + 1);
  ledger_.finish(kDays);
  const power::Shares seek = static_cast<power::Shares>(10 * 86'400 * kS - 1) * kWhole;
  EXPECT_TRUE(ledger_.time(Mode::seek) == seek);
  EXPECT_TRUE(ledger_.time(Mode::idle) == static_cast<power::Shares>(kDays) * kWhole - seek);
  EXPECT_TRUE(ledger_.energy() == static_cast<power::Shares>(kDays) * kWhole * from_watts(7) + seek * from_watts(7));
  EXPECT_TRUE(ledger_.energy(Mode::seek) == seek * from_watts(14));
}

TEST_F(LedgerByHand, StatesAreTimedAndPriced) {
  enter("disk.srv0", 1, 3 * kS);
  enter("disk.srv0", 0, 5 * kS);
  ledger_.finish(9 * kS);
  for (const Ledger::StateEnergy& row : ledger_.states()) {
    if (row.path == "disk.srv0") {
      EXPECT_EQ(row.state, "seek");
      EXPECT_EQ(row.time, 2 * kS);
      EXPECT_DOUBLE_EQ(to_joules(row.energy), 14);
      EXPECT_EQ(ledger_.components()[row.component], "vcm0");
      return;
    }
  }
  FAIL() << "no row of disk.srv0";
}

TEST_F(LedgerByHand, TakesOnlyWhatIsInTheTableAndOfItsDrive) {
  EXPECT_EQ(ledger_.declare({"d.disk.aau", {"idle", "busy"}}), Ledger::kNotMine);
  EXPECT_EQ(ledger_.declare({"other.disk.spn", kStack}), Ledger::kNotMine);
  EXPECT_NE(ids_.at("disk.arm0"), Ledger::kNotMine) << "draws nothing, but tells the mode";
}

class Fatal {
 public:
  Fatal() : before_(sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW)) {}
  ~Fatal() { sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, before_); }

 private:
  sc_core::sc_actions before_;
};

TEST(LedgerLevels, DrawWhatTheySayFromAnInstantOn) {
  PowerTable table = two_arms();
  table.levels = {{"disk.srv0.coil", "vcm0", Share::arm, 0}};
  Ledger ledger(table, {"d", {}, nullptr});
  EXPECT_EQ(ledger.declare_level({"d.disk.srv1.coil", Rail::v12}), Ledger::kNotMine);
  const auto coil = ledger.declare_level({"d.disk.srv0.coil", Rail::v12});
  ledger.level(coil, from_watts(3), kS, kS);
  ledger.level(coil, from_watts(9), 5 * kS, 2 * kS);  // announced, and taken back
  ledger.level(coil, from_watts(4), 3 * kS, 2 * kS);
  ledger.level(coil, from_watts(5), 9 * kS, 8 * kS);  // after the end
  ledger.finish(8 * kS);
  EXPECT_TRUE(ledger.energy() == static_cast<Shares>(26'000'000'000) * kS * kWhole);  // 2 s of 3 W, 5 s of 4 W
  EXPECT_EQ(ledger.history().peak().power, from_watts(4));
  const std::vector<Ledger::StateEnergy> rows = ledger.states();
  const auto row = std::find_if(rows.begin(), rows.end(), [](const auto& one) { return one.state == "level"; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->path, "disk.srv0.coil");
  EXPECT_EQ(row->rail, Rail::v12);
  EXPECT_TRUE(row->energy == static_cast<Zeptojoules>(26'000'000'000) * kS);
  ledger.run_on(10 * kS);
  EXPECT_TRUE(ledger.later() == static_cast<Zeptojoules>(9'000'000'000) * kS);  // 1 s of 4 W, 1 s of 5 W
}

TEST_F(LedgerByHand, RefusesThePastUnknownStatesAndAWrongTable) {
  const Fatal throws;
  enter("disk.spn", 2, 5 * kS);
  EXPECT_THROW(enter("disk.spn", 0, 5 * kS, 4 * kS), sc_core::sc_report);
  EXPECT_THROW(enter("disk.spn", 4, 5 * kS), sc_core::sc_report);

  Ledger fresh(two_arms(), {"d", {}, nullptr});
  EXPECT_EQ(fresh.unpublished().size(), 5u);
  EXPECT_THROW(fresh.declare({"d.disk.srv0", {"hold", "parked"}}), sc_core::sc_report) << "the table names seek";

  PowerTable table = two_arms();
  table.components[1].number = 2;
  EXPECT_THROW(table.check(), InputError);
  table = two_arms();
  table.components[0].states[1].loads[0].steps[2].after = 2 * kS;
  EXPECT_THROW(table.check(), InputError);
  table = two_arms();
  table.components[0].states[0].loads[0].steps.clear();
  EXPECT_THROW(table.check(), InputError);
  table = two_arms();
  table.components[0].states[0].loads[0].steps[0].power = -1;
  EXPECT_THROW(table.check(), InputError);
  table = two_arms();
  table.levels = {{"disk.srv0.coil", "vcm0", Share::arm, 0}, {"disk.srv0.coil", "vcm1", Share::arm, 0}};
  EXPECT_THROW(table.check(), InputError);
  table.levels = {{"disk.srv0.coil", "vcm0", Share::arm, 2}};
  EXPECT_THROW(table.check(), InputError);
  EXPECT_THROW(from_watts(-0.1), InputError);
  EXPECT_THROW(from_watts(std::numeric_limits<double>::quiet_NaN()), InputError);
}

TEST(LedgerWaves, ShowStepsAndAnnouncedStatesAtTheirTime) {
  RecordingProbes probes;
  Ledger ledger(two_arms(), {"d", {}, &probes});
  ComponentState stack, servo;
  stack.declare(&ledger, {"d.disk.spn", kStack});
  servo.declare(&ledger, {"d.disk.srv0", {"hold", "seek", "parked"}});
  sc_core::sc_start(to_sc_time(kS));
  stack.enter(1, kS);
  servo.enter(1, 2 * kS);
  servo.enter(0, 4 * kS);
  sc_core::sc_start(to_sc_time(9 * kS));
  ledger.finish(10 * kS);
  const auto number = [](double watts) { return std::to_string(watts); };
  EXPECT_THAT(probes.changes.at("d.power.total"),
              ElementsAre(Pair(0, number(0)), Pair(kS, number(30)), Pair(2 * kS, number(37)), Pair(3 * kS, number(27)),
                          Pair(4 * kS, number(20)), Pair(6 * kS, number(10))));
  EXPECT_THAT(probes.changes.at("d.power.vcm0"),
              ElementsAre(Pair(0, number(0)), Pair(2 * kS, number(7)), Pair(4 * kS, number(0))));
  EXPECT_THAT(probes.changes.at("d.power.rail_5v"), ElementsAre(Pair(0, number(0))));
}

/// The figures of a drive that has finished beside a slower one.
struct Figures {
  std::vector<Ps> times;
  std::vector<Zeptojoules> energies;
  power::Shares energy, seek_time;
  Nanowatts peak;

  explicit Figures(const Ledger& ledger)
      : energy(ledger.energy()), seek_time(ledger.time(Mode::seek)), peak(ledger.history().peak().power) {
    for (const Ledger::StateEnergy& row : ledger.states()) {
      times.push_back(row.time);
      energies.push_back(row.energy);
    }
  }
  bool operator==(const Figures& other) const {
    return times == other.times && energies == other.energies && energy == other.energy &&
           seek_time == other.seek_time && peak == other.peak;
  }
};

/// Goes on after the end: with what was announced before it, and with what is new.
Figures go_on_after_the_end(Ledger& ledger) {
  ComponentState stack, arm, servo, other;
  stack.declare(&ledger, {"d.disk.spn", kStack});
  arm.declare(&ledger, {"d.disk.arm0", kArm});
  servo.declare(&ledger, {"d.disk.srv0", {"hold", "seek", "parked"}});
  other.declare(&ledger, {"d.disk.srv1", {"hold", "seek", "parked"}});
  const Ps begin = now();
  stack.enter(1, begin);
  arm.enter(1, begin);
  servo.enter(1, begin + 1 * kS);
  servo.enter(0, begin + 4 * kS);
  arm.enter(3, begin + 4 * kS);
  sc_core::sc_start(to_sc_time(3 * kS));
  ledger.finish(begin + 3 * kS);
  Figures figures(ledger);
  sc_core::sc_start(to_sc_time(20'000 * kS));
  stack.enter(1, now());  // more power than ever before
  servo.enter(1, now());
  other.enter(1, now());
  arm.enter(1, now());
  sc_core::sc_start(to_sc_time(1 * kS));
  servo.enter(0, now());
  sc_core::sc_start(to_sc_time(1 * kS));
  other.enter(0, now());
  return figures;
}

TEST(LedgerAfterItsEnd, CountsNothing) {
  Ledger ledger(two_arms(), {"d", {}, nullptr});
  const Figures figures = go_on_after_the_end(ledger);
  EXPECT_TRUE(figures == Figures(ledger));
}

TEST(LedgerAfterItsEnd, CountsNothingAndShowsThePowerInWaves) {
  RecordingProbes probes;
  Ledger ledger(two_arms(), {"d", {}, &probes});
  const Ps begin = now();
  const Figures figures = go_on_after_the_end(ledger);
  EXPECT_TRUE(figures == Figures(ledger));
  EXPECT_EQ(figures.times, Figures(ledger).times);
  const auto number = [](double watts) { return std::to_string(watts); };
  EXPECT_THAT(probes.changes.at("d.power.vcm0"),
              ElementsAre(Pair(begin, number(0)), Pair(begin + 1 * kS, number(7)), Pair(begin + 4 * kS, number(0)),
                          Pair(begin + 20'003 * kS, number(7)), Pair(begin + 20'004 * kS, number(0))));
}

}  // namespace
}  // namespace armature::power
