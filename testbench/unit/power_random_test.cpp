// The ledger against an evaluation that knows nothing of it: random states of random drives, announced and cancelled,
// cut into the moments at which anything changes, and each moment's energy given to the modes by the rules of
// docs/guide/energy.md.
#include "armature/core/random.h"
#include "armature/power/ledger.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace armature::power {
namespace {

constexpr const char* kArmStates[] = {"idle", "seek", "rotational_wait", "transfer"};
constexpr const char* kStackStates[] = {"stopped", "spin_up", "at_speed", "spin_down"};

/// A published component and what is announced for it.
struct Published {
  StatefulComponent info;
  StateSink::Id id = Ledger::kNotMine;
  struct Entry {
    Ps at;
    unsigned state;
    Ps passed;
    Nanowatts power = 0;  // of a level
  };
  bool level = false;
  Rail rail = Rail::v5;
  std::vector<Entry> entries;  // in the order of time; those that came, and those that still may

  void enter(Ps at, unsigned state, Ps passed, Nanowatts power = 0) {
    while (!entries.empty() && entries.back().at > at) entries.pop_back();
    entries.push_back({at, state, passed, power});
  }
  /// Nothing if the state is the first one.
  const Entry* at(Ps t) const {
    const Entry* last = nullptr;
    for (const Entry& entry : entries)
      if (entry.at <= t) last = &entry;
    return last;
  }
  unsigned state(Ps t) const {
    const Entry* const entry = at(t);
    return entry ? entry->state : 0;
  }
  const std::string& name(Ps t) const { return info.states[state(t)]; }
};

struct Drive {
  PowerTable table;
  std::map<std::string, Published> published;  // by path below the drive
  Ps end = 0;
};

std::vector<Load> random_loads(RandomStream& random, const std::vector<std::string>& components) {
  std::vector<Load> loads;
  const std::uint64_t count = random.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    Load load;
    load.component = components[random.below(components.size())];
    load.rail = random.chance(0.5) ? Rail::v5 : Rail::v12;
    Ps after = 0;
    do {
      load.steps.push_back({after, static_cast<Nanowatts>(random.below(20'000'000'000))});
      after += 1 + static_cast<Ps>(random.below(3000));
    } while (random.chance(0.3));
    loads.push_back(std::move(load));
  }
  return loads;
}

Drive random_drive(RandomStream& random, unsigned arms) {
  Drive drive;
  drive.table.arms = arms;
  drive.table.stacks = 1 + static_cast<unsigned>(random.below(3));
  drive.table.channels = 1 + static_cast<unsigned>(random.below(arms));
  const auto publish = [&](const std::string& path, std::vector<std::string> states) {
    drive.published[path].info = {"d." + path, std::move(states)};
  };
  const std::vector<std::string> components = {"spindle", "vcm0", "vcm1", "controller", "channel0", "buffer"};
  const auto draws = [&](const std::string& path, Share share, unsigned number) {
    ComponentPower entry{path, share, number, {}};
    for (const std::string& state : drive.published[path].info.states)
      if (random.chance(0.8)) entry.states.push_back({state, random_loads(random, components)});
    drive.table.components.push_back(std::move(entry));
  };
  for (unsigned arm = 0; arm < arms; ++arm) {
    publish(fmt::format("disk.arm{}", arm), {std::begin(kArmStates), std::end(kArmStates)});
    publish(fmt::format("disk.srv{}", arm), {"hold", "seek", "parked"});
    draws(fmt::format("disk.arm{}", arm), Share::arm, arm);
    draws(fmt::format("disk.srv{}", arm), Share::arm, arm);
  }
  const auto level = [&](const std::string& path, Share share, unsigned number) {
    Published& published = drive.published[path];
    published.info.path = "d." + path;
    published.level = true;
    published.rail = random.chance(0.5) ? Rail::v5 : Rail::v12;
    drive.table.levels.push_back({path, components[random.below(components.size())], share, number});
  };
  for (unsigned arm = 0; arm < arms; ++arm) level(fmt::format("disk.srv{}.coil", arm), Share::arm, arm);
  level("disk.chn0.current", Share::channel, 0);
  level("disk.heater", Share::common, 0);
  for (unsigned stack = 0; stack < drive.table.stacks; ++stack) {
    const std::string path = PowerTable::stack_path(stack, drive.table.stacks);
    publish(path, {std::begin(kStackStates), std::end(kStackStates)});
    draws(path, Share::stack, stack);
  }
  for (unsigned channel = 0; channel < drive.table.channels; ++channel) {
    const std::string path = fmt::format("disk.chn{}", channel);
    std::vector<std::string> owners = {"none"};
    for (unsigned arm = 0; arm < arms; ++arm) owners.push_back(fmt::format("arm{}", arm));
    publish(path, {"idle", "wait", "transfer"});
    publish(path + ".arm", owners);
    draws(path, Share::channel, channel);
    if (random.chance(0.5)) draws(path, Share::common, 0);  // a second account of the same component
  }
  publish("disk.soc.cpu", {"idle", "busy"});
  publish("link", {"idle", "busy"});
  publish("disk.nobody", {"a", "b"});  // draws nothing
  draws("disk.soc.cpu", Share::common, 0);
  draws("link", Share::common, 0);
  return drive;
}

/// Random calls, some for later, many at the same moment.
void play(RandomStream& random, Drive& drive, Ledger& ledger, int calls) {
  std::vector<Published*> all;
  for (auto& [path, published] : drive.published) {
    published.id =
        published.level ? ledger.declare_level({published.info.path, published.rail}) : ledger.declare(published.info);
    all.push_back(&published);
  }
  Ps present = 0;
  for (int i = 0; i < calls; ++i) {
    if (random.chance(0.6)) present += static_cast<Ps>(random.below(1000));
    Published& published = *all[random.below(all.size())];
    const Ps at = present + (random.chance(0.5) ? 0 : static_cast<Ps>(random.below(4000)));
    if (published.level) {
      const auto power = static_cast<Nanowatts>(random.below(20'000'000'000));
      published.enter(at, 0, 0, power);
      ledger.level(published.id, power, at, present);
      continue;
    }
    const auto state = static_cast<unsigned>(random.below(published.info.states.size()));
    const Ps passed = random.chance(0.1) ? static_cast<Ps>(random.below(3000)) : 0;
    published.enter(at, state, passed);
    if (published.id != Ledger::kNotMine) ledger.enter(published.id, state, at, passed, present);
  }
  drive.end = present + static_cast<Ps>(random.below(3000));
  ledger.finish(drive.end);
}

struct Expected {
  std::map<std::string, std::array<std::array<long double, kModes>, kRails>> energy;  // by component; J
  std::array<long double, kModes> time{};
  long double total = 0;
  long double peak = 0;
};

Mode mode_of(const std::string& arm_state) {
  return arm_state == "seek"              ? Mode::seek
         : arm_state == "rotational_wait" ? Mode::rotational_wait
         : arm_state == "transfer"        ? Mode::transfer
                                          : Mode::idle;
}

Nanowatts power_at(const Load& load, Ps passed) {
  Nanowatts power = 0;
  for (const Step& step : load.steps)
    if (step.after <= passed) power = step.power;
  return power;
}

Expected evaluate(Drive& drive) {
  std::set<Ps> cuts = {0, drive.end};
  const auto cut = [&](Ps t) {
    if (t > 0 && t < drive.end) cuts.insert(t);
  };
  for (const auto& [path, published] : drive.published)
    for (const auto& entry : published.entries) {
      cut(entry.at);
      for (const ComponentPower& power : drive.table.components)
        if (power.path == path)
          for (const StatePower& state : power.states)
            for (const Load& load : state.loads)
              for (const Step& step : load.steps) cut(entry.at - entry.passed + step.after);
    }
  for (const ComponentPower& power : drive.table.components)  // the states of the beginning
    for (const StatePower& state : power.states)
      for (const Load& load : state.loads)
        for (const Step& step : load.steps) cut(step.after);

  Expected expected;
  for (auto from = cuts.begin(); std::next(from) != cuts.end(); ++from) {
    const Ps t = *from;
    const long double seconds = static_cast<long double>(*std::next(from) - t) * 1e-12L;
    std::vector<Mode> arms;
    std::vector<Mode> at_work;
    for (unsigned arm = 0; arm < drive.table.arms; ++arm) {
      arms.push_back(mode_of(drive.published.at(fmt::format("disk.arm{}", arm)).name(t)));
      if (arms.back() != Mode::idle) at_work.push_back(arms.back());
    }
    bool any_at_speed = false, any_spin_up = false;
    std::vector<std::string> stacks;
    for (unsigned stack = 0; stack < drive.table.stacks; ++stack) {
      stacks.push_back(drive.published.at(PowerTable::stack_path(stack, drive.table.stacks)).name(t));
      any_at_speed = any_at_speed || stacks.back() == "at_speed";
      any_spin_up = any_spin_up || stacks.back() == "spin_up";
    }
    const Mode rest = any_spin_up ? Mode::spin_up : any_at_speed ? Mode::idle : Mode::standby;
    std::array<long double, kModes> common{};
    if (at_work.empty()) common[static_cast<std::size_t>(rest)] = 1;
    for (const Mode mode : at_work) common[static_cast<std::size_t>(mode)] += 1.0L / at_work.size();
    for (std::size_t mode = 0; mode < kModes; ++mode) expected.time[mode] += seconds * common[mode];
    const auto only = [](Mode mode) {
      std::array<long double, kModes> share{};
      share[static_cast<std::size_t>(mode)] = 1;
      return share;
    };
    const auto arms_share = [&](unsigned arm) { return only(arms[arm] == Mode::idle ? rest : arms[arm]); };

    const auto share_of = [&](Share payer, unsigned number) {
      std::array<long double, kModes> share = common;
      if (payer == Share::arm) share = arms_share(number);
      if (payer == Share::stack && stacks[number] != "at_speed")
        share = only(stacks[number] == "spin_up" ? Mode::spin_up : Mode::standby);
      if (payer == Share::channel) {
        const unsigned owner = drive.published.at(fmt::format("disk.chn{}.arm", number)).state(t);
        if (owner > 0) share = arms_share(owner - 1);
      }
      return share;
    };
    long double sum = 0;
    for (const LevelPower& power : drive.table.levels) {
      const Published& published = drive.published.at(power.path);
      const Published::Entry* const entry = published.at(t);
      const long double watts = entry ? static_cast<long double>(entry->power) * 1e-9L : 0;
      sum += watts;
      const std::array<long double, kModes> share = share_of(power.share, power.number);
      for (std::size_t mode = 0; mode < kModes; ++mode)
        expected.energy[power.component][static_cast<std::size_t>(published.rail)][mode] +=
            watts * share[mode] * seconds;
    }
    for (const ComponentPower& power : drive.table.components) {
      const Published& published = drive.published.at(power.path);
      const std::array<long double, kModes> share = share_of(power.share, power.number);
      const Published::Entry* const entry = published.at(t);
      const Ps passed = entry ? t - entry->at + entry->passed : t;
      for (const StatePower& state : power.states) {
        if (state.state != published.name(t)) continue;
        for (const Load& load : state.loads) {
          const long double watts = static_cast<long double>(power_at(load, passed)) * 1e-9L;
          sum += watts;
          for (std::size_t mode = 0; mode < kModes; ++mode)
            expected.energy[load.component][static_cast<std::size_t>(load.rail)][mode] += watts * share[mode] * seconds;
        }
      }
    }
    expected.total += sum * seconds;
    expected.peak = std::max(expected.peak, sum);
  }
  return expected;
}

void expect_close(long double measured, long double expected, long double scale, const std::string& what) {
  EXPECT_LE(std::fabs(measured - expected), 1e-9L * std::max(std::fabs(expected), 1e-6L * scale)) << what;
}

class RandomStates : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomStates, EnergyAndModesAreThoseOfAnIndependentSum) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomStream random(seed * 100 + GetParam(), "ledger");
    Drive drive = random_drive(random, GetParam());
    Ledger ledger(drive.table, {"d", {100, 5000}, nullptr});
    play(random, drive, ledger, 600);
    const Expected expected = evaluate(drive);
    const std::string where = fmt::format("{} arms, seed {}: ", GetParam(), seed);
    ASSERT_TRUE(ledger.unpublished().empty());
    ASSERT_GT(expected.total, 0) << where;
    expect_close(shares_to_joules(ledger.energy()), expected.total, expected.total, where + "total");
    expect_close(to_watts(ledger.history().peak().power), expected.peak, expected.peak, where + "peak");
    for (std::size_t i = 0; i < ledger.components().size(); ++i)
      for (std::size_t rail = 0; rail < kRails; ++rail)
        for (std::size_t mode = 0; mode < kModes; ++mode) {
          const auto found = expected.energy.find(ledger.components()[i]);
          const long double wanted = found == expected.energy.end() ? 0 : found->second[rail][mode];
          expect_close(shares_to_joules(ledger.energy(i, static_cast<Rail>(rail), static_cast<Mode>(mode))), wanted,
                       expected.total,
                       where + fmt::format("{}, {}, {}", ledger.components()[i], kRailNames[rail], kModeNames[mode]));
        }
    Shares time = 0;
    for (std::size_t mode = 0; mode < kModes; ++mode) {
      expect_close(shares_to_seconds(ledger.time(static_cast<Mode>(mode))), expected.time[mode],
                   static_cast<long double>(to_seconds(drive.end)), where + "time of " + kModeNames[mode]);
      time += ledger.time(static_cast<Mode>(mode));
    }
    EXPECT_TRUE(time == static_cast<Shares>(drive.end) * kWhole) << where;
    if (HasFailure()) return;
  }
}

TEST_P(RandomStates, AllViewsAddUpToTheLastDigit) {
  RandomStream random(GetParam(), "views");
  Drive drive = random_drive(random, GetParam());
  Ledger ledger(drive.table, {"d", {}, nullptr});
  play(random, drive, ledger, 3000);
  Shares by_component = 0, by_mode = 0, by_state = 0, by_history = 0;
  for (std::size_t i = 0; i < ledger.components().size(); ++i) by_component += ledger.energy(i);
  for (std::size_t mode = 0; mode < kModes; ++mode) by_mode += ledger.energy(static_cast<Mode>(mode));
  for (const Ledger::StateEnergy& row : ledger.states()) by_state += row.energy * kWhole;
  for (const PowerHistory::Interval& interval : ledger.history().intervals())
    for (const Zeptojoules energy : interval.energy) by_history += energy * kWhole;
  const Shares total = ledger.energy();
  EXPECT_GT(total, 0);
  EXPECT_TRUE(by_component == total);
  EXPECT_TRUE(ledger.energy(Rail::v5) + ledger.energy(Rail::v12) == total);
  EXPECT_TRUE(by_mode == total);
  EXPECT_TRUE(by_state == total);
  EXPECT_TRUE(by_history == total);
}

INSTANTIATE_TEST_SUITE_P(Arms, RandomStates, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace armature::power
