// Whole runs of a MEMS store whose arbitration is the C++ reference, the RTL with the cost of a sled, and both in
// lockstep: the same requests.csv, byte for byte.
#include "support/program.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using testing::Outcome;
using testing::Workplace;
using Settings = std::vector<std::string>;

const std::string kMems = ARMATURE_SOURCE_DIR "/scenarios/mems.toml";

struct Case {
  const char* name;
  Settings settings;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class MemsModes : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Stores, MemsModes,
    ::testing::Values(
        Case{"as_shipped", {}}, Case{"busy", {"workload.rate_per_s=1500"}},
        Case{"fcfs", {"arbiter.policy=fcfs", "workload.rate_per_s=1200"}},
        Case{"sstf_one_lane", {"arbiter.policy=sstf", "arbiter.lanes=1", "workload.rate_per_s=1200"}},
        Case{"clook", {"arbiter.policy=clook", "workload.rate_per_s=1200"}},
        Case{"asptf", {"arbiter.policy=asptf", "workload.rate_per_s=1400"}},
        Case{"zsptf", {"arbiter.policy=zsptf", "workload.rate_per_s=1400"}},
        Case{"mst", {"arbiter.policy=mst", "workload.rate_per_s=1400"}},
        Case{"exact_without_settling",
             {"sled.seek_model=exact", "sled.settle_time_constants=0", "workload.rate_per_s=1800"}},
        Case{"pieces", {"sled.seek_model=piecewise", "sled.settle_time_constants=2"}},
        Case{"sleeps", {"workload.rate_per_s=40", "workload.count=500", "sled.idle_ms=5"}},
        Case{"one_direction", {"tips.bidirectional=false", "tips.rows=straight", "workload.rate_per_s=900"}},
        Case{"rows_fill_an_odd_range", {"tips.servo_bits=11", "sled.move_y_um=95.08", "workload.rate_per_s=1200"}},
        Case{"three_sleds", {"sled.count=3", "workload.rate_per_s=3000"}},
        Case{"write_cache_and_resets", {"cache.write=true", "host.reset_interval_ms=50"}},
        Case{"study_tags", {"host.tags=180", "host.depth=180", "workload.kind=closed", "workload.outstanding=170"}},
        Case{"rides",
             {"tips.ride_along=true", "workload.last_lbn=5399", "workload.read_fraction=0.8", "workload.kind=closed",
              "workload.outstanding=30", "workload.size_sectors=2"}},
        Case{"rides_of_two_sleds",
             {"tips.ride_along=true", "sled.count=2", "sled.move_x_um=0.16", "workload.rate_per_s=3000",
              "workload.size_sectors=1", "workload.read_fraction=1", "cache.look_ahead=false", "tips.reach_bits=2"}},
        Case{"batches",
             {"host.parallel=true", "host.ncq=false", "workload.last_lbn=5399", "workload.kind=closed",
              "workload.outstanding=30", "workload.size_sectors=2"}},
        Case{"unusual_clock", {"arbiter.clock_mhz=133.3", "controller.cpu_mhz=311", "workload.rate_per_s=1200"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(MemsModes, LeaveTheSameRequests) {
  const Workplace place;
  for (const std::string mode : {"reference", "rtl", "lockstep"}) {
    Settings arguments{
        "run", kMems, "--quiet", "--out", mode, "--set", "workload.count=3000", "--set", "arbiter.model=" + mode};
    for (const std::string& setting : GetParam().settings) {
      arguments.push_back("--set");
      arguments.push_back(setting);
    }
    const Outcome outcome = place.run(arguments);
    ASSERT_EQ(outcome.status, 0) << mode << ": " << outcome.err;
  }
  const std::string reference = place.read("reference/requests.csv");
  EXPECT_GT(reference.size(), 30'000u);
  EXPECT_TRUE(place.read("rtl/requests.csv") == reference);
  EXPECT_TRUE(place.read("lockstep/requests.csv") == reference);
}

TEST(MemsRtl, WhatTheRtlIsNotBuiltForIsRefusedByCheckAndRun) {
  const Workplace place;
  for (const std::string setting : {"arbiter.pipeline_cycles=2", "arbiter.lanes=2"}) {
    const Settings settings{"--set", "arbiter.model=rtl", "--set", setting};
    for (const char* command : {"check", "run"}) {
      Settings arguments{command, kMems};
      arguments.insert(arguments.end(), settings.begin(), settings.end());
      const Outcome outcome = place.run(arguments);
      EXPECT_EQ(outcome.status, 2) << command << ' ' << setting;
      EXPECT_NE(outcome.err.find("arbiter."), std::string::npos) << outcome.err;
    }
  }
}

}  // namespace
}  // namespace armature
