// Whole runs with the model, the RTL and both in lockstep: the same requests.csv, byte for byte; and the RTL's nets in
// the waves.
#include "support/fst_changes.h"
#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::Waves;
using testing::Workplace;
using Settings = std::vector<std::string>;

constexpr const char* kScenario = R"([workload]
kind = "closed"
count = 2500
read_fraction = 0.66
outstanding = 8

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
buffer.write_share = 0
cache.write = false
cache.look_ahead = false
)";

Outcome run(const Workplace& place, const std::string& mode, const Settings& settings, Settings more = {}) {
  Settings arguments{"run", "s.toml", "--quiet", "--out", mode, "--set", "arbiter.model=" + mode};
  for (const std::string& setting : settings) {
    arguments.push_back("--set");
    arguments.push_back(setting);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return place.run(arguments);
}

struct Case {
  const char* name;
  Settings settings;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Modes : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Arbiter, Modes,
    ::testing::Values(
        Case{"fcfs_alone", {"workload.outstanding=1", "arbiter.policy=fcfs"}}, Case{"sstf", {"arbiter.policy=sstf"}},
        Case{"clook_one_lane", {"arbiter.policy=clook", "arbiter.lanes=1"}},
        Case{"sptf_full_queue", {"workload.outstanding=40", "arbiter.policy=sptf"}},
        Case{"asptf", {"workload.outstanding=32", "arbiter.policy=asptf", "arbiter.ageing_weight=900"}},
        Case{"open", {"workload.kind=open", "workload.rate_per_s=120"}},
        Case{"study_tags", {"workload.outstanding=180", "host.tags=180", "host.depth=180"}},
        Case{"write_cache_and_background",
             {"cache.write=true", "background.scan_idle_ms=5", "background.recalibration_s=2"}},
        Case{"unusual_clock", {"arbiter.clock_mhz=133.3", "controller.cpu_mhz=311"}},
        Case{"four_arms_serial", {"arms.count=4", "arms.design=serial", "workload.outstanding=16"}},
        Case{"four_arms_sa", {"arms.count=4", "arms.design=SA", "workload.outstanding=16"}},
        Case{"four_arms_ma", {"arms.count=4", "arms.design=MA", "workload.outstanding=32", "arbiter.policy=asptf"}},
        Case{"four_arms_ma_first_come",
             {"arms.count=4", "arms.design=MA", "arms.channel_policy=first_come", "workload.outstanding=32"}},
        Case{"four_arms_two_channels",
             {"arms.count=4", "arms.channels=2", "arms.angle_deg=[0, 90, 180, 270]", "workload.outstanding=20"}},
        Case{"eight_arms_two_channels_first_come_cached",
             {"arms.count=8", "arms.channels=2", "arms.channel_policy=first_come", "cache.write=true",
              "workload.outstanding=20"}},
        Case{"two_stacks_of_two_arms_two_channels",
             {"arms.stacks=2", "arms.count=2", "arms.channels=2", "workload.outstanding=20"}},
        Case{"three_stacks_in_parts_with_two_heads_first_come",
             {"arms.stacks=3", "arms.surfaces=2", "arms.heads=2", "arms.design=MA", "arms.channel_policy=first_come",
              "workload.outstanding=20"}},
        Case{"split_range_one_channel",
             {"arms.count=2", "arms.range=split", "arms.design=MA", "geometry.slips=[]", "geometry.remaps=[]",
              "workload.outstanding=20"}},
        Case{"eight_arms_mc", {"arms.count=8", "arms.design=MC", "workload.outstanding=20", "arbiter.policy=sptf"}},
        Case{"stacks_with_radial_heads",
             {"arms.stacks=2", "arms.count=2", "arms.heads=2", "arms.design=MA", "workload.outstanding=20"}},
        Case{"surfaces_of_which_a_head_fails",
             {"arms.surfaces=3", "arms.count=2", "faults=[{kind = \"dead_head\", at_s = 0.5, arm = 0, surface = 1}]",
              "workload.outstanding=16"}},
        Case{"heads_at_equal_radius",
             {"arms.heads=4", "arms.head_placement=equal_radius", "workload.outstanding=4", "arbiter.policy=asptf"}},
        Case{"two_arms_cached", {"arms.count=2", "cache.write=true", "workload.outstanding=20"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(Modes, LeaveTheSameRequests) {
  const Workplace place;
  place.write("s.toml", kScenario);
  for (const char* mode : {"reference", "rtl", "lockstep"}) {
    const Outcome outcome = run(place, mode, GetParam().settings);
    ASSERT_EQ(outcome.status, 0) << mode << ": " << outcome.err;
  }
  const std::string reference = place.read("reference/requests.csv");
  EXPECT_GT(reference.size(), 100'000u);
  EXPECT_TRUE(place.read("rtl/requests.csv") == reference);
  EXPECT_TRUE(place.read("lockstep/requests.csv") == reference);
}

TEST(RtlModes, WhatTheRtlIsNotBuiltForIsRefusedByTheNameOfTheKey) {
  const Workplace place;
  place.write("s.toml", kScenario);
  const auto refused = [&](const Settings& settings) {
    const Outcome outcome = run(place, "rtl", settings);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_FALSE(place.has("rtl"));
    return outcome.err;
  };
  EXPECT_THAT(refused({"host.tags=300"}), AllOf(HasSubstr("arbiter.model"), HasSubstr("host.tags")));
  EXPECT_THAT(refused({"arbiter.lanes=2"}), HasSubstr("arbiter.lanes"));
  EXPECT_THAT(refused({"arbiter.pipeline_cycles=8"}), HasSubstr("arbiter.pipeline_cycles"));
}

TEST(RtlWaves, LieInTheDrivesTimelineAndChangeNothing) {
  const Workplace place;
  place.write("s.toml", kScenario);
  const Settings settings{"workload.count=40", "arms.count=2"};
  ASSERT_EQ(run(place, "rtl", settings).status, 0);
  const std::string without = place.read("rtl/requests.csv");
  ASSERT_EQ(run(place, "rtl", settings, {"--waves"}).status, 0);
  EXPECT_TRUE(place.read("rtl/requests.csv") == without);
  ASSERT_EQ(run(place, "lockstep", settings, {"--waves"}).status, 0);
  EXPECT_TRUE(place.read("lockstep/requests.csv") == without);

  Waves waves((place.path() / "lockstep/waves.fst").string());
  std::map<std::string, std::string> path;  // by the end of the name
  for (const auto& [name, changes] : waves.changes)
    for (const char* end : {".aau.state", ".aau.rtl.fsm", ".aau.rtl.penable", ".aau.rtl.best_time", ".aau.rtl.cost0",
                            ".aau.estimate", ".aau.rtl.estimate", ".srv1.position"})
      if (name.size() > std::string(end).size() && name.rfind(end) == name.size() - std::string(end).size())
        path[end] = name;
  ASSERT_EQ(path.size(), 8u);
  // The model's state, from its first decision on: the RTL's is shown from its first clock on.
  const auto decisions = [&](const std::string& name) {
    auto changes = waves.changes[name];
    const auto first = std::find_if(changes.begin(), changes.end(), [](const auto& c) { return c.second == "decide"; });
    changes.erase(changes.begin(), first);
    return changes;
  };
  const auto state = decisions(path[".aau.state"]);
  EXPECT_GT(state.size(), 100u);
  EXPECT_EQ(decisions(path[".aau.rtl.fsm"]), state) << "the same names at the same times";
  for (const auto& change : state) EXPECT_EQ(change.first % 5'000, 0u);
  EXPECT_GT(waves.changes[path[".aau.rtl.penable"]].size(), 100u);
  EXPECT_GT(waves.changes[path[".aau.rtl.cost0"]].size(), 20u);
  EXPECT_GT(waves.changes[path[".srv1.position"]].size(), 20u);
}

TEST(RtlWaves, HoldTheChannelArbiterToo) {
  const Workplace place;
  place.write("s.toml", kScenario);
  const Settings settings{"workload.count=60", "arms.count=4", "arms.design=MA", "workload.outstanding=12"};
  ASSERT_EQ(run(place, "lockstep", settings, {"--waves"}).status, 0);
  Waves waves((place.path() / "lockstep/waves.fst").string());
  const auto changes = [&](const std::string& end) {
    for (const auto& [name, seen] : waves.changes)
      if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0) return seen;
    ADD_FAILURE() << "no " << end;
    return decltype(waves.changes)::mapped_type{};
  };
  const std::string picture = place.read("lockstep/waves.gtkw");
  EXPECT_THAT(picture, AllOf(HasSubstr("\n-Channel arbiter\n"), HasSubstr(".cha.rtl.winner")));
  EXPECT_THAT(picture, ::testing::Not(HasSubstr("\n-Other\n"))) << "each block has a heading";
  using Change = std::pair<std::uint64_t, std::string>;
  const auto decisions = [&](const std::string& end) {
    std::vector<std::uint64_t> begins;
    for (const Change& change : changes(end))
      if (change.second == "decide") begins.push_back(change.first);
    return begins;
  };
  const std::vector<std::uint64_t> begins = decisions(".cha.state");
  EXPECT_GT(begins.size(), 55u);
  EXPECT_EQ(decisions(".cha.rtl.fsm"), begins);
  // Four clocks from there the grant; what the pipeline holds comes before it.
  std::vector<std::uint64_t> phase_4;
  for (const Change& change : changes(".cha.rtl.phase"))
    if (change.second == "100") phase_4.push_back(change.first);
  ASSERT_GE(phase_4.size(), 55u);
  EXPECT_EQ(phase_4.front(), begins.front() + 15'000);
  for (const char* const net :
       {".cha.rtl.penable", ".cha.rtl.wait0", ".cha.rtl.wait3", ".cha.rtl.winner", ".cha.rtl.asked"})
    EXPECT_GT(changes(net).size(), 10u) << net;
}

}  // namespace
}  // namespace armature
