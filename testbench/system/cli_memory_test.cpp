// Runs that need more memory than there is.
#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <string>

namespace armature::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// As of a shell's `ulimit -v`, for the processes that begin while it lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

#ifndef __SANITIZE_ADDRESS__  // whose shadow is above any limit

TEST(CliMemory, DataThatDoNotFitAreARefusalThatSaysWhatToDo) {
  const Workplace place;
  place.write("s.toml", R"([drives.a]
model = "drives/seagate_barracuda_es_750.toml"
[workload]
kind = "closed"
outstanding = 512
size_sectors = 65_536
read_fraction = 0
[host]
tags = 512
verify = true
[media]
contents = "memory"
)");
  const MemoryLimit limit(rlim_t{1} << 30);
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(StartsWith("s.toml:3:1: out of memory at 0.0"), HasSubstr("are at the drive"),
                                 HasSubstr("a lower host.depth"), Not(HasSubstr("internal"))));
  EXPECT_THAT(place.read("out/summary.json"), HasSubstr("\"complete\": false"));
}

TEST(CliMemory, SoAreRequestsThatNeverStopToCome) {
  const Workplace place;
  place.write("s.toml", R"([drives.a]
model = "drives/seagate_barracuda_es_750.toml"
[workload]
rate_per_s = 1e9
count = 1_000_000_000
)");
  const MemoryLimit limit(rlim_t{1} << 29);
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(StartsWith("s.toml:3:1: out of memory at 0.0"),
                                 HasSubstr("requests wait in the host (a lower workload.rate_per_s"),
                                 Not(HasSubstr("host.verify"))));
}

#endif

}  // namespace
}  // namespace armature::testing
