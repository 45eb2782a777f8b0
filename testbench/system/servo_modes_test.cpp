// Whole runs of drives whose arms move by the servo loop, with the arbitration unit's model, its RTL and both in
// lockstep: the same requests.csv, byte for byte.
#include "support/program.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace armature {
namespace {

using testing::Outcome;
using testing::Workplace;

constexpr const char* kScenario = R"([workload]
kind = "closed"
read_fraction = 0.66
size_sectors = 8

[drives.d]
model = "drives/seagate_barracuda_es_750.toml"
cache.look_ahead = false
cache.write = false
mechanics.kind = "servo"
mechanics.plant = "servo/seagate_barracuda_es_750.toml"
)";

constexpr const char* kCoupling = R"(drives.d.mechanics.set=["coupling.base_kg_cm2 = 170", "coupling.radius_mm = 50"])";

struct Case {
  const char* name;
  std::vector<std::string> settings;
  bool late = false;  ///< what the unit's seek table does not know of makes many arms late
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.name;
}

class ServoModes : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Drives, ServoModes,
    ::testing::Values(
        Case{"one_arm", {"workload.outstanding=4", kCoupling}},
        Case{"one_arm_cached", {"workload.outstanding=8", "cache.write=true", "cache.look_ahead=true"}},
        Case{"four_arms_sa", {"arms.count=4", "arms.design=SA", "workload.outstanding=16", kCoupling}},
        Case{"four_arms_ma", {"arms.count=4", "arms.design=MA", "workload.outstanding=16", kCoupling}},
        Case{"four_arms_mc",
             {"arms.count=4", "arms.design=MC", "workload.outstanding=16", "arbiter.policy=asptf", kCoupling}},
        Case{"four_arms_two_channels_that_shake_the_drive",
             {"arms.count=4", "arms.channels=2", "workload.outstanding=12",
              R"(drives.d.mechanics.set=["coupling.base_kg_cm2 = 17", "coupling.radius_mm = 50"])"},
             true},
        Case{"three_arms_in_each_others_wake",
             {"arms.count=3", "workload.outstanding=8", R"(drives.d.mechanics.set=["coupling.wake_percent = 60"])"}},
        Case{"quiet_seeks",
             {"drives.d.model=drives/wd_velociraptor_300.toml",
              "drives.d.mechanics.plant=servo/wd_velociraptor_300.toml", "arms.count=2", "workload.outstanding=6",
              "host.acoustic_level=128", "host.acoustic_switch_s=0.2"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(ServoModes, LeaveTheSameRequests) {
  const Workplace place;
  place.write("s.toml", kScenario);
  for (const char* mode : {"reference", "rtl", "lockstep"}) {
    std::vector<std::string> arguments{"run",
                                       "s.toml",
                                       "--quiet",
                                       "--out",
                                       mode,
                                       "--set",
                                       "arbiter.model=" + std::string(mode),
                                       "--set",
                                       "workload.count=" + std::to_string(ARMATURE_REQUESTS)};
    for (const std::string& setting : GetParam().settings) arguments.insert(arguments.end(), {"--set", setting});
    const Outcome outcome = place.run(arguments);
    ASSERT_EQ(outcome.status, 0) << mode << ": " << outcome.err;
  }
  const std::string reference = place.read("reference/requests.csv");
  EXPECT_GT(reference.size(), 40u * ARMATURE_REQUESTS);
  std::size_t late = 0;
  for (std::size_t at = 0; (at = reference.find(",late_servo,", at)) != std::string::npos; ++at) ++late;
  if (GetParam().late) {
    EXPECT_GT(late, ARMATURE_REQUESTS / 25u);
  }
  EXPECT_TRUE(place.read("rtl/requests.csv") == reference);
  EXPECT_TRUE(place.read("lockstep/requests.csv") == reference);
}

}  // namespace
}  // namespace armature
