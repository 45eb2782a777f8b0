// Written data that a command waits for go to the media before other written data, which go on yielding meanwhile.
// Times and orders are computed by hand.
#include "support/drive_bench.h"
#include "support/expected_times.h"
#include "support/recording_sinks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace armature::testing::destage_hurry_test {
namespace {

using E = ExpectedTimes;
using Lbns = std::vector<std::uint64_t>;
using Requests = std::vector<workload::Request>;

constexpr Ps kStart = 20 * kPsPerMs;   // firmware is up
constexpr Ps kSector = kPsPerMs / 10;  // of the outer zone
constexpr Ps kSettle = 400 * kPsPerUs;
constexpr Ps kHandlers = 30 * kPsPerUs;
constexpr std::uint64_t kWanted = 12'000;
constexpr std::uint32_t kSectors = 8;

/// Written data go to the media when nothing has come for so long.
BenchParams params(std::int64_t idle_ms) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.cache.write = true;
  p.drive.cache.destage_idle_ms = idle_ms;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  return p;
}

/// Scattered over the disk, at once: more than there are slots for, less than the high water. The last one is kWanted.
void write_many(Requests& requests, Ps at) {
  for (std::uint64_t i = 1; i <= 40; ++i) requests.push_back(write_request(at, i * 6'840 % 33'000, kSectors));
  requests.push_back(write_request(at, kWanted, kSectors));
}

/// Half of its sectors have been written.
workload::Request read_in_part(Ps at) {
  return read_request(at, kWanted + kSectors / 2, kSectors);
}

/// When the arm, which leaves `from` for kWanted, begins to write there.
Ps begins_to_write(Ps leaves, std::int64_t from) {
  const E::Place to = E::place(kWanted);
  const Ps there = leaves + E::move(E::place(from), to) + kSettle;
  const Ps begin = E::passage(to, there);
  EXPECT_GT(begin - there, kHandlers) << "too close to tell by hand";
  return begin;
}

void expect_completed(const DriveBench& bench, std::uint64_t id, Ps at) {
  EXPECT_GT(bench.finished.at(id).record.completion, at);
  EXPECT_LT(bench.finished.at(id).record.completion, at + kHandlers);
}

/// The first LBNs of the accesses that begin after `from`, in their order.
Lbns accesses(const RecordingProbes& probes, Ps from) {
  Lbns order;
  for (const auto& [when, lba] : probes.changes.at("bench.disk.chn0.lba"))
    if (when > from) order.push_back(std::stoull(lba));
  return order;
}

TEST(AwaitedData, GoToTheMediaAtOnceAndNothingElseDoes) {
  Requests requests = {read_request(kStart, 10, kSectors)};
  write_many(requests, kStart + 15 * kPsPerMs);
  requests.push_back(read_in_part(kStart + 25 * kPsPerMs));
  ListSource source(requests);
  DriveBench bench("bench", params(500), source);
  bench.run();
  // The read's first sectors come a turn behind those that were in the lines.
  const Ps begin = begins_to_write(requests.back().arrival, 10);
  expect_completed(bench, requests.size() - 1, begin + E::kTurn + (kSectors / 2 + kSectors) * kSector);
}

TEST(AwaitedData, TakeAnArmFromReadingAhead) {
  BenchParams p = params(500);
  p.drive.cache.look_ahead = true;
  p.drive.cache.read_ahead = controller::CacheParams::segment;  // on for 40 ms
  Requests requests = {read_request(kStart, 10, kSectors), write_request(kStart + 12 * kPsPerMs, kWanted, kSectors),
                       read_in_part(kStart + 15 * kPsPerMs)};
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  // It leaves at the end of the sector that is passing, on the third or fourth track.
  const Ps begin = begins_to_write(requests.back().arrival + kSector, 210);
  expect_completed(bench, 2, begin + E::kTurn + (kSectors / 2 + kSectors) * kSector);
}

/// New data for the same sectors come while the older ones are being written. They are awaited, too.
TEST(AwaitedData, MayBeWrittenAnewMeanwhile) {
  Requests requests = {read_request(kStart, 10, kSectors), write_request(kStart + 15 * kPsPerMs, kWanted, kSectors),
                       read_in_part(kStart + 25 * kPsPerMs)};
  const Ps begin = begins_to_write(requests.back().arrival, 10);
  requests.push_back(write_request(begin + 2 * kSector, kWanted, kSectors));
  ListSource source(requests);
  DriveBench bench("bench", params(500), source);
  bench.run();
  expect_completed(bench, 2, begin + 2 * E::kTurn + (kSectors / 2 + kSectors) * kSector);
}

/// All that the read wants is written while it waits: it is answered from there.
TEST(AwaitedData, AReadNeedsNoMediaWhenAllOfItHasBeenWritten) {
  Requests requests = {read_request(kStart, 10, kSectors), write_request(kStart + 15 * kPsPerMs, kWanted, kSectors),
                       read_in_part(kStart + 25 * kPsPerMs)};
  ASSERT_GT(begins_to_write(requests.back().arrival, 10), kStart + 27 * kPsPerMs);
  requests.push_back(write_request(kStart + 26 * kPsPerMs, kWanted, 2 * kSectors));
  ListSource source(requests);
  DriveBench bench("bench", params(500), source);
  bench.run();
  EXPECT_TRUE(bench.finished.at(2).accesses.empty());
  EXPECT_GT(bench.finished.at(2).record.completion, bench.finished.at(3).record.arrival);
  EXPECT_LT(bench.finished.at(2).record.completion, bench.finished.at(3).record.arrival + kPsPerMs / 10);
}

/// All slots are taken by older data when the read comes.
class AwaitedAmongMany : public ::testing::TestWithParam<Ps> {};
INSTANTIATE_TEST_SUITE_P(At, AwaitedAmongMany,
                         ::testing::Values(25 * kPsPerMs, 27 * kPsPerMs, 31 * kPsPerMs, 38 * kPsPerMs));

TEST_P(AwaitedAmongMany, ComeBehindTheAccessUnderWayAndOthersYield) {
  constexpr std::uint64_t kOther = 30'000;
  Requests requests;
  write_many(requests, kStart + 15 * kPsPerMs);
  const Ps at = kStart + GetParam();
  requests.push_back(read_in_part(at));
  requests.push_back(read_request(at + kPsPerUs, kOther, kSectors));
  RecordingProbes probes;
  ListSource source(requests);
  DriveBench bench("bench", params(0), source, &probes);
  bench.run();
  Lbns order = accesses(probes, at);
  Lbns all = accesses(probes, kStart);
  // The one to which the arm was on its way.
  const Lbns ours = {kWanted, kOther};
  if (!order.empty() && std::find(ours.begin(), ours.end(), order.front()) == ours.end()) order.erase(order.begin());
  ASSERT_GT(order.size(), ours.size());
  order.resize(ours.size());
  EXPECT_THAT(order, ::testing::UnorderedElementsAreArray(ours));
  // What the awaited data took the slots of is not forgotten.
  std::sort(all.begin(), all.end());
  for (std::uint64_t id = 0; id + 2 < requests.size(); ++id)
    EXPECT_TRUE(std::binary_search(all.begin(), all.end(), requests[id].lbn)) << requests[id].lbn;
}

}  // namespace
}  // namespace armature::testing::destage_hurry_test
