// Scenarios that random draws had found: what went wrong in them, and must not again.
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>

namespace armature::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

struct Found {
  const char* name;
  const char* scenario;
  const char* trace;
};
void PrintTo(const Found& found, std::ostream* out) {
  *out << found.name;
}

/// Runs it, with its trace beside it as load.csv.
Outcome run(const Workplace& place, const Found& found) {
  place.write("s.toml", found.scenario);
  if (*found.trace) place.write("load.csv", found.trace);
  return place.run({"run", "s.toml", "--out", "out", "--quiet"});
}

std::string name_of(const ::testing::TestParamInfo<Found>& each) {
  return each.param.name;
}

// Members that refuse what the array's cache destages, and writes of the same sectors that go past it: the cache
// answered with what the members had refused, though they had newer data.
const Found kOfTheDecoder{"CorrectionThatFails", R"([host]
verify = true

[media]
contents = "memory"

[array]
members = ["m*"]
cache.size = 3.90625
cache.nonvolatile = false
cache.destage_idle_ms = 10
depth = 2

[workload]
kind = "trace"
file = "load.csv"

[drives.m0]
geometry.physical_sector_bytes = 4096
geometry.heads = 8
geometry.zones = [[0, 1, 144, 0, 48, 512]]
spindle.rpm = 5400
channel.errors = "margin"
channel.margin_db = 0.0

[drives.m2]
geometry.heads = 8
geometry.zones = [[0, 7, 680, 0, 8, 512]]
channel.errors = "margin"
channel.margin_db = 1.0

[drives.m3]
geometry.heads = 8
geometry.zones = [[0, 1, 144, 0, 48, 512]]
)",
                          R"(time_s,lbn,sectors,op,flags
0.152318636,515,8,W,
0.167171084,87,256,W,
0.184818195,370,256,W,
0.199370936,523,256,W,fua
0.550630952,285,256,W,fua
0.634512230,286,256,W,
0.659965696,147,256,R,
)"};

const Found kDegraded{"WithoutAMember", R"([host]
verify = true

[media]
contents = "memory"

[array]
members = ["m*"]
stripe_unit = 4
failures = [[0.137, 1]]
cache.line = 32
cache.size = 0.3125
cache.nonvolatile = false

[workload]
kind = "trace"
file = "load.csv"

[drives.m0]
geometry.heads = 4
geometry.zones = [[0, 0, 333, 0, 41, 64]]

[drives.m1]
geometry.heads = 4
geometry.zones = [[0, 0, 333, 0, 41, 64]]

[drives.m2]
geometry.heads = 4
geometry.zones = [[0, 0, 333, 0, 41, 64]]
spindle.jitter_ppm = 200
channel.errors = "rate"
channel.sector_error_rate = 0.1
channel.ladder = [[1, 0, 0, 0]]

[drives.m3]
geometry.heads = 4
geometry.zones = [[0, 0, 333, 0, 41, 64]]
)",
                      R"(time_s,lbn,sectors,op,flags
1.413946681,128,8,W,
2.545713846,154,8,W,
2.882267885,137,63,W,fua
2.891601790,137,63,W,fua
2.898630677,57,63,W,
2.915385593,99,63,R,
)"};

const Found kNonvolatile{"InMemoryThatKeepsItsContents", R"([host]
verify = true

[media]
contents = "memory"

[array]
members = ["m*"]
stripe_unit = 8
cache.size = 0.0625
cache.destage_idle_ms = 0

[workload]
kind = "trace"
file = "load.csv"

[drives.m0]
geometry.heads = 2
geometry.zones = [[0, 22, 64, 0, 0, 20]]
spindle.rpm = 15000
seek.inward_ms = -0.2
cache.write = true
cache.look_ahead = true
channel.errors = "rate"
channel.sector_error_rate = 0.02

[drives.m1]
geometry.heads = 2
geometry.zones = [[0, 22, 64, 0, 0, 20]]
cache.write = true
channel.errors = "rate"
channel.sector_error_rate = 0.02

[drives.m2]
geometry.heads = 2
geometry.zones = [[0, 22, 64, 0, 0, 20]]
spindle.rpm = 15000
cache.write = true

[drives.m3]
geometry.heads = 2
geometry.zones = [[0, 22, 64, 0, 0, 20]]
spindle.rpm = 15000
seek.head_switch_ms = 0.1
cache.write = true
cache.look_ahead = true
channel.errors = "rate"
channel.sector_error_rate = 0.02
)",
                         R"(time_s,lbn,sectors,op,flags
6.121903485,11,128,W,fua
6.191471357,3,128,R,
7.968238641,44,128,W,
7.978909386,16,128,W,fua
8.028003650,72,128,W,
8.075125463,67,128,W,fua
8.126209632,109,8,W,
8.135062581,117,8,W,fua
8.308091090,5,128,W,fua
8.353784645,24,128,W,fua
9.213139997,72,128,R,
)"};

class FoundInArrayCache : public ::testing::TestWithParam<Found> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, FoundInArrayCache, ::testing::Values(kOfTheDecoder, kDegraded, kNonvolatile),
                         name_of);

/// What the members do not take to the end is counted, and all that is wrong.
TEST_P(FoundInArrayCache, NoReadBringsOlderData) {
  const Workplace place;
  const Outcome outcome = run(place, GetParam());
  EXPECT_THAT(outcome.err, Not(HasSubstr("read the write of"))) << outcome.err;
  if (outcome.status == 0) return;
  const Json summary = Json::parse(place.read("out/summary.json"));
  const auto lost = summary["drives"][0]["counters"]["cache_lost_sectors"].get<std::uint64_t>();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(summary["verify"]["mismatches"], 0) << "no sector was read wrong";
  EXPECT_THAT(outcome.err, HasSubstr(std::to_string(lost) + " sectors of the cache were not taken by the members"))
      << outcome.err;
}

// A cap on the power of a drive that goes into standby: written data waited for credit in the way down, with a
// controller that drew more than the cap.
const Found kStandby{"StandbyByTheHost", R"([workload]
kind = "trace"
file = "load.csv"

[drives.d]
model = "drives/hitachi_ultrastar_a7k1000.toml"
idle.spin_down = "probabilistic"
host.standby_after_s = 0.5
power_cap.cap_w = 10.0
)",
                     R"(time_s,lbn,sectors,op,flags
62.101606810,846671,1,W,
62.123274145,726680,3,W,
74.190462242,752062,3,R,
)"};

const Found kSpinDown{"SpinDown", R"([workload]
kind = "trace"
file = "load.csv"
[drives.d]
model = "drives/hitachi_ultrastar_a7k1000.toml"
power_cap.cap_w = 10
idle.spin_down = "fixed"
idle.spin_down_s = 0.001
cache.destage_idle_ms = 2000
)",
                      R"(time_s,lbn,sectors,op
1,846671,8,W
1.1,726680,8,W
1.2,1726680,8,W
400,752062,8,R
)"};

const Found kSlowArray{"Array", R"([array]
members = ["m0", "m1", "m2", "m3"]
depth = 2

[workload]
kind = "trace"
file = "load.csv"

[drives.m0]
model = "drives/seagate_barracuda_es_750.toml"
idle.spin_down = "probabilistic"
idle.spin_down_s = 0.01
host.tags = 4
power_cap.cap_w = 12.0
power_cap.window_s = 5.0
power_cap.margin = 0.1

[drives.m1]
model = "drives/seagate_barracuda_es_750.toml"
link.phy_latency_ns = 100000.0

[drives.m2]
model = "drives/seagate_barracuda_es_750.toml"
idle.spin_down = "probabilistic"
idle.spin_down_s = 0.01
power_cap.cap_w = 12.0
power_cap.margin = 0.1
buffer.segments = 3

[drives.m3]
model = "drives/seagate_barracuda_es_750.toml"
idle.spin_down = "probabilistic"
idle.spin_down_s = 0.01
power_cap.cap_w = 12.0
power_cap.margin = 0.1
)",
                       R"(time_s,lbn,sectors,op,flags
186.311887091,6636,2048,W,
186.319341881,8684,1024,W,
186.331683087,10239,2048,W,
186.338900800,12287,1024,W,fua
186.357119837,13311,8,W,
186.363575141,13319,2048,R,fua
226.383553066,15367,1024,W,
226.411521511,16391,2048,R,fua
226.421679415,23301,2048,W,fua
226.428224161,25349,1024,R,
226.508281076,26373,8,R,fua
226.665244139,14888,1024,R,
226.690290869,15912,2048,W,
226.733166437,17968,2048,W,fua
)"};

class FoundUnderACap : public ::testing::TestWithParam<Found> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, FoundUnderACap, ::testing::Values(kStandby, kSpinDown, kSlowArray), name_of);

TEST_P(FoundUnderACap, AllIsServedAndTheCapHolds) {
  const Workplace place;
  const Outcome outcome = run(place, GetParam());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(place.read("out/summary.json"));
  for (const Json& drive : summary["drives"]) {
    EXPECT_EQ(drive["failed"], 0);
    // It holds if what was drawn beyond the credit is at most what the margin makes over a window: 0.2 J and more here.
    if (drive["counters"].contains("cap_debt_j")) {
      EXPECT_LE(drive["counters"]["cap_debt_j"].get<double>(), 0.2);
    }
  }
}

// The media scan had looked up where it goes when it was granted; another arm moved a sector of that to a spare.
const Found kScan{"Scan", R"([simulation]
seed = 789915622958

[arms]
count = 3
surfaces = 2
surface_access = "striped"

[channel]
errors = "rate"
sector_error_rate = 0.2
position_error_rms = 0.1
iteration_us = 50.0

[background]
scan_idle_ms = 1.0

[whatif]
rotation_scale = 0.5

[arbiter]
policy = "fcfs"

[workload]
kind = "closed"
think_ms = 100.0
read_fraction = 0.3
sizes = [[63, 15.209125475285171]]
last_lbn = 3999

[drives.d]
model = "drives/seagate_cheetah_36es.toml"
)",
                  ""};

TEST(FoundInScans, FirmwareGoesOn) {
  const Workplace place;
  const Outcome outcome = run(place, kScan);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

}  // namespace
}  // namespace armature::testing
