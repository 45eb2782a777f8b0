// What several drives draw together: against the sum of their powers at each instant, with changes announced ahead and
// a drive that says nothing for a long time.
#include "armature/core/random.h"
#include "armature/power/joint_history.h"
#include "armature/power/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace armature::power {
namespace {

/// A part that draws 1 to 3 W on 5 V and one that draws 4 to 6 W on 12 V.
PowerTable table(double more_w) {
  PowerTable table;
  const auto states = [more_w](const char* component, Rail rail, double least_w) {
    std::vector<StatePower> list;
    for (int i = 0; i < 3; ++i)
      list.push_back(
          {std::string(1, static_cast<char>('a' + i)), {Load::constant(component, rail, least_w + i + more_w)}});
    return list;
  };
  table.components = {{"disk.x", Share::common, 0, states("x", Rail::v5, 1)},
                      {"disk.y", Share::common, 0, states("y", Rail::v12, 4)}};
  return table;
}

struct Entry {
  Ps told, at;  ///< announced then; begins then
  std::size_t drive;
  bool second;  ///< disk.y
  unsigned state;
};

constexpr std::size_t kDrives = 3;
constexpr Ps kEnd = 2'000'000;

/// Of drives 0 and 1 many changes, of the last one a few; never an announcement over another one.
std::vector<Entry> random_entries(std::uint64_t seed) {
  RandomStream random(seed, "joint");
  std::vector<Entry> entries;
  for (std::size_t drive = 0; drive < kDrives; ++drive)
    for (const bool second : {false, true})
      for (Ps told = 0; told < kEnd;) {
        const Ps ahead = static_cast<Ps>(random.below(3) * random.below(200));
        entries.push_back({told, told + ahead, drive, second, static_cast<unsigned>(random.below(3))});
        told += ahead + 1 + static_cast<Ps>(random.below(drive + 1 == kDrives ? 400'000 : 300));
      }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.told < b.told; });
  return entries;
}

TEST(JointHistory, IsTheSumOfItsDrivesAtEachInstant) {
  std::vector<std::unique_ptr<Ledger>> ledgers;
  JointHistory joint({1'000, 50'000});
  std::vector<std::array<StateSink::Id, 2>> ids;
  for (std::size_t i = 0; i < kDrives; ++i) {
    const std::string name = "d" + std::to_string(i);
    ledgers.push_back(
        std::make_unique<Ledger>(table(0.25 * static_cast<double>(i)), Ledger::Options{name, {}, nullptr}));
    joint.join(*ledgers.back());
    const std::vector<std::string> states = {"a", "b", "c"};
    ids.push_back(
        {ledgers.back()->declare({name + ".disk.x", states}), ledgers.back()->declare({name + ".disk.y", states})});
  }
  const std::vector<Entry> entries = random_entries(3);
  ASSERT_GT(entries.size(), 20'000u) << "more than it keeps";
  // The changes of the sum: by time, what each part draws from then on.
  std::map<Ps, std::vector<const Entry*>> changes;
  for (const Entry& entry : entries) {
    ledgers[entry.drive]->enter(ids[entry.drive][entry.second ? 1 : 0], entry.state, entry.at, 0, entry.told);
    if (entry.at < kEnd) changes[entry.at].push_back(&entry);
  }
  joint.finish(kEnd);
  std::array<std::array<unsigned, 2>, kDrives> now{};
  const auto watts = [&now] {
    double sum = 0;
    for (std::size_t i = 0; i < kDrives; ++i) sum += 5 + now[i][0] + now[i][1] + 0.5 * static_cast<double>(i);
    return sum;
  };
  double peak = 0, energy = 0;
  Ps last = 0, peak_at = 0;
  const auto until = [&](Ps at) {
    if (at > last && watts() > peak) peak = watts(), peak_at = last;
    energy += watts() * to_seconds(at - last);
    last = at;
  };
  for (const auto& [at, these] : changes) {
    until(at);
    for (const Entry* entry : these) now[entry->drive][entry->second ? 1 : 0] = entry->state;
  }
  until(kEnd);
  const PowerHistory& history = joint.history();
  EXPECT_DOUBLE_EQ(to_watts(history.peak().power), peak);
  EXPECT_EQ(history.peak().at, peak_at);
  EXPECT_NEAR(to_joules(history.energy()), energy, 1e-12 * energy);
  EXPECT_GT(history.windows()[1].watts(), energy / to_seconds(kEnd));
  EXPECT_LT(history.windows()[1].watts(), history.windows()[0].watts());

  // To the last digit the drives' own; before they end, too.
  Shares sums = 0, own = 0;
  for (const auto& ledger : ledgers) {
    const Ledger::Sums part = ledger->sums(kEnd);
    Shares time = 0;
    for (const Shares of : part.time) time += of;
    EXPECT_TRUE(time == static_cast<Shares>(kEnd) * kWhole);
    for (const auto& rail : part.energy)
      for (const Shares of : rail) sums += of;
    ledger->finish(kEnd);
    own += ledger->energy();
    const Ledger::Sums again = ledger->sums(kEnd);
    EXPECT_TRUE(again.energy == part.energy && again.time == part.time);
  }
  EXPECT_TRUE(sums == own);
  EXPECT_TRUE(static_cast<Shares>(history.energy()) * kWhole == own);
}

}  // namespace
}  // namespace armature::power
