// SEEK: the arm goes to the sector's track, nothing is read, and the command ends when it is there.
#include "armature/core/random.h"
#include "support/drive_bench.h"
#include "support/expected_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace armature {
namespace {

using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using E = testing::ExpectedTimes;

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up

testing::BenchParams params() {
  testing::BenchParams p;
  p.drive = testing::round_drive();
  p.host.seek_only = true;
  return p;
}

Ps phase(const DriveBench::Finished& f, Phase which) {
  return f.record.phases[static_cast<std::size_t>(which)];
}

TEST(SeekCommand, TakesTheMoveAndNothingElseOfTheMechanics) {
  RandomStream random(1, "seeks");
  std::vector<workload::Request> requests;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t lbn = random.below(30'000);
    requests.push_back(i % 3 == 2 ? testing::write_request(kStart, lbn, 8) : read_request(kStart, lbn, 8));
  }
  ListSource source(requests);
  DriveBench bench("bench", params(), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), requests.size());
  E::Place at{0, 0, 0, 100, 100};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& f = bench.finished.at(i);
    ASSERT_TRUE(f.record.ok);
    const E::Place to = E::place(static_cast<std::int64_t>(requests[i].lbn));
    EXPECT_EQ(phase(f, Phase::seek), E::move(at, to)) << i;
    EXPECT_EQ(phase(f, Phase::rotation) + phase(f, Phase::transfer), 0) << i;
    EXPECT_EQ(phase(f, Phase::link_wait) + phase(f, Phase::link_data), 0) << i;
    EXPECT_TRUE(f.accesses.empty()) << i;
    at = to;
  }
  EXPECT_EQ(bench.order.size(), requests.size());  // one at a time, so in their order
  EXPECT_TRUE(std::is_sorted(bench.order.begin(), bench.order.end()));
}

TEST(SeekCommand, BehindTheLastSectorIsNoAddress) {
  ListSource source({read_request(kStart, 1'000'000, 8), read_request(kStart, 100, 8)});
  DriveBench bench("bench", params(), source);
  bench.run();
  ASSERT_EQ(bench.failed.size(), 1u);
  EXPECT_EQ(bench.failed.at(0).error, 0x10);  // IDNF
  EXPECT_TRUE(bench.finished.at(1).record.ok);
}

TEST(SeekCommand, SectorsInTheBufferDoNotSaveTheMove) {
  testing::BenchParams p = params();
  p.drive.cache.look_ahead = true;
  ListSource source({read_request(kStart, 19'900, 8), read_request(kStart, 100, 8), read_request(kStart, 19'900, 8)});
  DriveBench bench("bench", p, source);
  bench.run();
  for (std::uint64_t id = 0; id < 3; ++id) EXPECT_GT(phase(bench.finished.at(id), Phase::seek), kPsPerMs) << id;
}

}  // namespace
}  // namespace armature
