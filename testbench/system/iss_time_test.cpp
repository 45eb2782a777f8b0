// Whole drives whose firmware's instructions take time (firmware.time = "instructions").
#include "support/program.h"
#include "support/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

/// Keys of a run whose firmware is an ELF and whose time is by `time`.
std::vector<std::string> words(const std::string& scenario, const std::string& time, const std::string& out,
                               const std::vector<std::string>& sets = {}) {
  std::vector<std::string> all = {"run", scenario, "--quiet", "--check-firmware", "--out", out};
  for (const std::string& set : {std::string("controller.processor=iss"), "firmware.time=" + time})
    all.insert(all.end(), {"--set", set});
  for (const std::string& set : sets) all.insert(all.end(), {"--set", set});
  return all;
}

std::string shipped(const std::string& name) {
  return ARMATURE_SOURCE_DIR "/scenarios/" + name;
}

/// The run's summary; nothing if it failed.
Json summary(const Workplace& place, const std::vector<std::string>& arguments, const std::string& out) {
  const Outcome outcome = place.run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.status == 0 ? Json::parse(place.read(out + "/summary.json")) : Json();
}

// --- The quickstart --------------------------------------------------------------------------------------------------

TEST(IssTimeQuickstart, TakesAsLongAsWithTheTable) {
  const Workplace place;
  const Json table = summary(place, words(shipped("quickstart.toml"), "table", "table"), "table");
  const Json timed = summary(place, words(shipped("quickstart.toml"), "instructions", "timed"), "timed");
  const double assumed = table.at("run").at("simulated_s"), counted = timed.at("run").at("simulated_s");
  EXPECT_NEAR(counted / assumed, 1, 0.05);
  EXPECT_NE(place.read("table/atlas10k/requests.csv"), place.read("timed/atlas10k/requests.csv"));
  for (std::size_t i = 0; i < table.at("drives").size(); ++i) {
    const Json &one = table.at("drives").at(i), &other = timed.at("drives").at(i);
    EXPECT_EQ(other.at("completed"), one.at("completed"));
    EXPECT_EQ(other.at("failed"), 0);
    const double mean = one.at("response").at("all").at("mean_ms"),
                 with_time = other.at("response").at("all").at("mean_ms");
    EXPECT_NEAR(with_time / mean, 1, 0.05);
  }
}

// --- Nothing but the drive counts
// --------------------------------------------------------------------------------------

constexpr const char* kLoad = R"([workload]
kind = "closed"
count = 150
outstanding = 6
read_fraction = 0.6
[host]
verify = true
[media]
contents = "memory"
[cache]
write = true
look_ahead = true
)";

std::string drive(const std::string& name, const std::string& model) {
  return "[drives." + name + "]\nmodel = \"drives/" + model + ".toml\"\n";
}

TEST(IssTimeAlone, BesideSevenDrivesAndWithWavesADriveLeavesTheSame) {
  const Workplace place;
  const std::string one = drive("one", "quantum_atlas_10k") + "arms.count = 2\narms.channels = 1\n";
  place.write("alone.toml", kLoad + one);
  std::string all = kLoad + one;
  int number = 0;
  for (const char* const model : {"quantum_atlas_10k", "hp_c3323a", "seagate_barracuda_es_750", "seagate_cheetah_15k3",
                                  "wd_velociraptor_300", "ibm_ultrastar_18es", "ibm_ultrastar_36zx"})
    all += drive("other" + std::to_string(number++), model);
  place.write("beside.toml", all);
  summary(place, words("alone.toml", "instructions", "alone"), "alone");
  summary(place, words("alone.toml", "instructions", "waves", {"output.waves=true"}), "waves");
  summary(place, words("beside.toml", "instructions", "beside"), "beside");
  const std::string requests = place.read("alone/requests.csv"), events = place.read("alone/events.csv");
  EXPECT_GT(requests.size(), 10'000u);
  EXPECT_TRUE(requests == place.read("waves/requests.csv"));
  EXPECT_TRUE(requests == place.read("beside/one/requests.csv"));
  EXPECT_TRUE(events == place.read("beside/one/events.csv"));
}

// A processor of 20 MHz, and a stack whose sectors end on its edges: much falls on one instant.
TEST(IssTimeAlone, TheOrderOfWhatIsDueAtOneInstantChangesNothing) {
  const Workplace place;
  place.write("s.toml", "[spindle]\nrpm = 60000\n[controller]\ncpu_mhz = 20\n" + std::string(kLoad) +
                            drive("one", "hp_c3323a") + "arms.count = 2\n");
  summary(place, words("s.toml", "instructions", "plain"), "plain");
  for (const char* const seed : {"1", "2", "3"}) {
    setenv("ARMATURE_SHUFFLE", seed, 1);
    summary(place, words("s.toml", "instructions", std::string("shuffled") + seed), std::string("shuffled") + seed);
    unsetenv("ARMATURE_SHUFFLE");
    EXPECT_TRUE(place.read("plain/requests.csv") == place.read(std::string("shuffled") + seed + "/requests.csv"));
  }
}

// --- What firmware must do for it
// --------------------------------------------------------------------------------------

// Its handlers take longer than the lead with which an arm asks for a channel: they would be too late each turn.
TEST(IssTimeChannels, AnArmAsksEarlierIfItsHandlersTakeLong) {
  const Workplace place;
  const Json timed =
      summary(place,
              words(shipped("four_arms.toml"), "instructions", "out",
                    {"workload.count=150", "arms.design=\"own\"", "arms.channels=2", "firmware.timer_cycles=500",
                     "firmware.channel_grant_cycles=150", "arms.channel_lead_us=0"}),
              "out");
  EXPECT_EQ(timed.at("drives").at(0).at("completed"), 150);
  EXPECT_LT(timed.at("drives").at(0).at("positioning").at("missed_revolutions"), 150);
}

struct Case {
  const char* name;
  const char* scenario;
  std::vector<std::string> sets;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class IssTimeDrive : public ::testing::TestWithParam<Case> {};

// Requests get what they ask for, no rule is broken, and nothing is much later than with the table.
TEST_P(IssTimeDrive, DoesTheSameWork) {
  const Workplace place;
  const Json table = summary(place, words(shipped(GetParam().scenario), "table", "table", GetParam().sets), "table");
  const Json timed =
      summary(place, words(shipped(GetParam().scenario), "instructions", "timed", GetParam().sets), "timed");
  for (std::size_t i = 0; i < table.at("drives").size(); ++i) {
    const Json &one = table.at("drives").at(i), &other = timed.at("drives").at(i);
    EXPECT_EQ(other.at("completed"), one.at("completed"));
    EXPECT_EQ(other.at("failed"), one.at("failed"));
    const double mean = one.at("response").at("all").at("mean_ms"),
                 with_time = other.at("response").at("all").at("mean_ms");
    EXPECT_LT(with_time, 1.2 * mean + 0.5);
  }
}

const Case kCases[] = {
    {"caches", "cached_drive.toml", {"workload.limit=500"}},
    {"write_cache_small",
     "cached_drive.toml",
     {"workload.limit=300", "cache.write=true", "buffer.size=\"512 KiB\"", "cache.write_extents=8"}},
    {"four_arms", "four_arms.toml", {"workload.count=400"}},
    {"arms_that_fail",
     "four_arms.toml",
     {"workload.count=400", "faults=[{kind = \"stuck_arm\", at_s = 0.5, arm = 1}]", "cache.look_ahead=true"}},
    {"soft_resets", "cached_drive.toml", {"workload.limit=60", "host.reset_interval_ms=47"}},
    {"hard_resets",
     "one_drive.toml",
     {"workload.count=120", "host.reset_interval_ms=31", "host.reset_kind=\"comreset\""}},
    {"spin_down", "laptop_idle.toml", {}},
    {"power_cap", "power_cap.toml", {"workload.count=200"}},
    {"mems_store", "mems_parallel.toml", {"workload.count=800"}},
    {"array", "raid5.toml", {"workload.count=200", "array.failures=[[0.5, 2]]"}},
};

INSTANTIATE_TEST_SUITE_P(Drives, IssTimeDrive, ::testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

// --- Keys and results ------------------------------------------------------------------------------------------------

TEST(IssTimeKeys, NativeFirmwareHasNoInstructions) {
  const Workplace place;
  place.write("s.toml", std::string(kGood) + "[firmware]\ntime = \"instructions\"\n");
  const Outcome outcome = place.run({"run", "s.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.toml:8:"), HasSubstr("controller.processor = \"iss\"")));
  EXPECT_FALSE(place.has("out"));
}

TEST(IssTimeKeys, TheTablesDefaultsAreTheMeasuredOnesAndAKeyStands) {
  const Workplace place;
  place.write("s.toml",
              std::string(kGood) +
                  "[controller]\nprocessor = \"iss\"\n[firmware]\ngrant_cycles = 777\ntime = \"instructions\"\n");
  summary(place, {"run", "s.toml", "--quiet", "--out", "out"}, "out");
  const std::string resolved = place.read("out/resolved.toml");
  EXPECT_THAT(resolved, AllOf(HasSubstr("grant_cycles = 777"), HasSubstr("time = \"instructions\"")));
  EXPECT_THAT(resolved, ::testing::Not(HasSubstr("read_command_cycles = 450")));
  summary(place, {"run", "out/resolved.toml", "--quiet", "--out", "again"}, "again");
  EXPECT_TRUE(place.read("out/requests.csv") == place.read("again/requests.csv"));
}

TEST(IssTimeKeys, ASlowerCoreMakesASlowerDrive) {
  const Workplace place;
  place.write("s.toml", kGood);
  const auto mean = [&](const std::string& out, const std::vector<std::string>& sets) {
    return summary(place, words("s.toml", "instructions", out, sets), out)
        .at("drives")
        .at(0)
        .at("response")
        .at("all")
        .at("mean_ms")
        .get<double>();
  };
  EXPECT_GT(mean("slow", {"controller.cpu_mhz=50"}), mean("fast", {}) + 0.1);
}

TEST(IssTimeSummary, HasTheTimesOfHandlers) {
  const Workplace place;
  place.write("s.toml", kGood);
  const Json timed = summary(place, words("s.toml", "instructions", "out"), "out");
  const Json& counters = timed.at("drives").at(0).at("counters");
  EXPECT_EQ(counters.at("grant_handler_calls"), 100);
  EXPECT_GT(counters.at("grant_handler_mean_us"), 1);
  EXPECT_GE(counters.at("grant_handler_most_us"), counters.at("grant_handler_mean_us"));
  const Json table = summary(place, words("s.toml", "table", "table"), "table");
  EXPECT_FALSE(table.at("drives").at(0).at("counters").contains("grant_handler_calls"));
}

}  // namespace
}  // namespace armature::testing
