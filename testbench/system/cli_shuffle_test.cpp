// What is due at one instant has an order by design: with the kernel's order of simultaneous events shuffled
// (ARMATURE_SHUFFLE) no row of any result changes. Scenarios in which much falls on one instant.
#include "support/program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <string>

namespace armature::testing {
namespace {

/// A processor of 1 MHz, and a stack whose sectors end on its edges: firmware extends an access when that ends.
const std::string kSlowProcessor = R"([spindle]
rpm = 60000
[buffer]
segments = 64
[cache]
write = true
[controller]
cpu_mhz = 1
[workload]
kind = "closed"
count = 1500
sizes = [[128, 1]]
[drives.d]
model = "drives/hp_c3323a.toml"
)";

/// The controller's cache and the store in front of the members wait equally long for a quiet host.
const std::string kEqualIdleTimes = R"([workload]
kind = "open"
count = 1500
rate_per_s = 5
read_fraction = 0.4
size_sectors = 8
[array]
level = "raid5"
members = ["disk*"]
cache.size = "4 MiB"
staging.store = "store"
[drives.disk0]
model = "drives/quantum_atlas_10k.toml"
[drives.disk1]
model = "drives/quantum_atlas_10k.toml"
[drives.disk2]
model = "drives/quantum_atlas_10k.toml"
[drives.store]
model = "drives/mems/g2.toml"
)";

/// Retries and a slow decoder, three arms on shared channels, the media scan.
const std::string kArms = R"([arms]
count = 3
channels = 1
[channel]
errors = "rate"
sector_error_rate = 0.1
latency_us = 5
iteration_us = 4
[background]
scan_idle_ms = 1
[spindle]
rpm = 15000
[controller]
cpu_mhz = 10
[cache]
write = true
[workload]
kind = "closed"
count = 400
outstanding = 8
think_ms = 20
read_fraction = 0.5
size_sectors = 64
last_lbn = 9999
[drives.d]
model = "drives/seagate_cheetah_36es.toml"
)";

/// Two drives, so that what one of them schedules lies among the other's.
const std::string kMirror = R"([workload]
kind = "closed"
count = 500
outstanding = 8
read_fraction = 0.6
size_sectors = 16
[array]
level = "raid1"
members = ["d*"]
failures = [[0.5, 0]]
rebuild_mb_s = 1
spares = ["s"]
[controller]
cpu_mhz = 2
[drives.d0]
model = "drives/quantum_atlas_10k.toml"
[drives.d1]
model = "drives/quantum_atlas_10k.toml"
[drives.s]
model = "drives/quantum_atlas_10k.toml"
)";

struct Case {
  const char* name;
  const std::string& scenario;
};
void PrintTo(const Case& its, std::ostream* out) {
  *out << its.name;
}

class Shuffle : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, Shuffle,
                         ::testing::Values(Case{"SlowProcessor", kSlowProcessor},
                                           Case{"EqualIdleTimes", kEqualIdleTimes}, Case{"Arms", kArms},
                                           Case{"Mirror", kMirror}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(Shuffle, OfSimultaneousEventsChangesNothing) {
  const Workplace place;
  place.write("s.toml", GetParam().scenario);
  const auto run = [&](const std::string& out) { return place.run({"run", "s.toml", "--out", out, "--quiet"}); };
  const Outcome plain = run("plain");
  ASSERT_EQ(plain.status, 0) << plain.err;
  for (const char* const seed : {"1", "2", "3"}) {
    setenv("ARMATURE_SHUFFLE", seed, /*overwrite=*/1);
    const Outcome shuffled = run("shuffled");
    unsetenv("ARMATURE_SHUFFLE");
    ASSERT_EQ(shuffled.status, 0) << shuffled.err;
    for (const std::string& name : place.contents()) {
      if (name.rfind("plain/", 0) != 0 || name.find(".csv") == std::string::npos) continue;
      EXPECT_TRUE(place.read(name) == place.read("shuffled/" + name.substr(6))) << name << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace armature::testing
