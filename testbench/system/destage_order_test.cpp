// Which written data go to the media first: cache.destage_order, cache.destage_candidates. The order of the accesses is
// computed by hand.
#include "support/drive_bench.h"
#include "support/expected_times.h"
#include "support/recording_sinks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace armature::testing::destage_order_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using E = ExpectedTimes;
using Lbns = std::vector<std::uint64_t>;

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr Ps kIdle = 100 * kPsPerMs;
constexpr Ps kSettle = 400 * kPsPerUs;
constexpr std::uint32_t kSectors = 8;

/// The drive waits until nothing has come for kIdle, then writes one thing after the other.
BenchParams params(controller::CacheParams::DestageOrder order, std::int64_t candidates) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.cache.write = true;
  p.drive.cache.destage_idle_ms = to_ms(kIdle);
  p.drive.cache.destage_order = order;
  p.drive.cache.destage_candidates = candidates;
  return p;
}

/// The first LBNs of the accesses, in their order, when each batch comes a millisecond apart, the next one when all of
/// the one before is on the media.
Lbns written(const BenchParams& p, const std::vector<Lbns>& batches) {
  std::vector<workload::Request> requests;
  Ps at = kStart;
  for (const Lbns& batch : batches) {
    for (const std::uint64_t lbn : batch) requests.push_back(write_request(at += kPsPerMs, lbn, kSectors));
    at += 5 * kIdle;
  }
  RecordingProbes probes;
  ListSource source(requests);
  DriveBench bench("bench", p, source, &probes);
  bench.run();
  Lbns order;
  for (const auto& [when, lba] : probes.changes.at("bench.disk.chn0.lba"))
    if (when > kStart) order.push_back(std::stoull(lba));
  return order;
}

/// Of these the one that an arm which has ended `from` at `now` writes first.
Lbns::iterator soonest(Lbns& lbns, std::uint64_t from, Ps now, Ps* ends) {
  const auto place = [](std::uint64_t lbn) { return E::place(static_cast<std::int64_t>(lbn)); };
  const auto ends_at = [&](std::uint64_t lbn) {
    return E::passage(place(lbn), now + E::move(place(from), place(lbn)) + kSettle) +
           kSectors * E::sector_time(place(lbn));
  };
  const auto best = std::min_element(lbns.begin(), lbns.end(), [&](auto a, auto b) {
    return ends_at(a) - kSectors * E::sector_time(place(a)) < ends_at(b) - kSectors * E::sector_time(place(b));
  });
  *ends = ends_at(*best);
  return best;
}

const Lbns kLbns = {12'003, 4'050, 16'120, 8'077, 2'311, 22'222, 6'940, 14'015};

TEST(DestageOrder, TheOldestOneByOne) {
  EXPECT_THAT(written(params(controller::CacheParams::oldest, 1), {kLbns}), ElementsAreArray(kLbns));
}

TEST(DestageOrder, UpwardsFromWhereTheLastEndedAndRoundTheDisk) {
  Lbns first = kLbns;
  std::sort(first.begin(), first.end());
  EXPECT_THAT(written(params(controller::CacheParams::ascending, 1), {kLbns, {500, 30'000, 22'340, 18'000}}),
              ElementsAre(first[0], first[1], first[2], first[3], first[4], first[5], first[6], first[7], 22'340,
                          30'000, 500, 18'000));
}

// The line before the one that the last write ended in comes last of all, but it comes.
TEST(DestageOrder, UpwardsTheLineJustBeforeIsTheLastOne) {
  EXPECT_THAT(written(params(controller::CacheParams::ascending, 1), {{8'003}, {8'000}}), ElementsAre(8'003, 8'000));
}

class DestageCandidates : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Numbers, DestageCandidates, ::testing::Values(2, 3, 32));

// The oldest ones, as many as there are candidates, and of these the one that comes first under the head.
TEST_P(DestageCandidates, AreWhatTheArbitrationUnitChoosesFrom) {
  Lbns waiting = kLbns, candidates, expected;
  std::uint64_t at = 0;
  Ps now = kStart + static_cast<Ps>(kLbns.size()) * kPsPerMs + kIdle;
  while (!waiting.empty() || !candidates.empty()) {
    while (!waiting.empty() && candidates.size() < static_cast<std::size_t>(GetParam())) {
      candidates.push_back(waiting.front());
      waiting.erase(waiting.begin());
    }
    // The first one is granted before the unit has been told of the others.
    Lbns first = {candidates.front()};
    const auto best = expected.empty() ? std::find(candidates.begin(), candidates.end(), *soonest(first, at, now, &now))
                                       : soonest(candidates, at, now, &now);
    at = *best;
    expected.push_back(at);
    candidates.erase(best);
  }
  BenchParams p = params(controller::CacheParams::oldest, GetParam());
  EXPECT_THAT(written(p, {kLbns}), ElementsAreArray(expected));
}

}  // namespace
}  // namespace armature::testing::destage_order_test
