// Parity that is read with reads, and the scrub: what is wrong on the media is found, what can be made anew is, and
// what is right is left alone.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "support/array_bench.h"
#include "support/contents_load.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace armature::array::array_scrub_test {
namespace {

using testing::ArrayBench;
using testing::ContentsLoad;
using testing::ListSource;
using testing::RecordingListener;
using testing::request;
using ::testing::UnorderedElementsAre;

ArrayParams params_of(Level level) {
  ArrayParams params;
  params.level = level;
  params.stripe_unit_kib = 4;  // 8 sectors
  return params;
}

/// "purpose device:LBN+sectors" of the operations of the host's requests.
std::vector<std::string> sent(const ArrayBench& bench) {
  std::vector<std::string> list;
  for (const ArrayBench::Ended& each : bench.ended) {
    const MemberOperation& o = each.operation;
    if (o.tag != MemberOperation::kNoTag)
      list.push_back(std::string(name_of(o.purpose)) + " " + std::to_string(o.device) + ":" + std::to_string(o.lbn) +
                     "+" + std::to_string(o.sectors));
  }
  return list;
}

struct ParityRead {
  ParityRead(ReadParity way, std::vector<workload::Request> requests, ArrayParams params = params_of(Level::raid5)) {
    params.read_parity = way;
    source.requests = std::move(requests);
    bench.emplace(params, 4, 0, 800, source, 1, &listener);
    bench->keep = true;
  }
  ListSource source;
  RecordingListener listener;
  std::optional<ArrayBench> bench;
};

TEST(ArrayReadParity, ReadsTheParityOfWhatIsRead) {
  ParityRead run(ReadParity::read, {request(0, 9, 4)});  // unit 1 of row 0, on member 1; the parity is on member 3
  run.bench->run();
  EXPECT_THAT(sent(*run.bench), UnorderedElementsAre("data 1:1+4", "check 3:1+4"));
  EXPECT_EQ(run.bench->controller.counters().parity_compared, 0u);
  EXPECT_EQ(run.bench->controller.counters().degraded_rows, 0u);
}

TEST(ArrayReadParity, ChecksItAgainstTheRestOfTheRow) {
  ParityRead run(ReadParity::check, {request(0, 9, 4)});
  run.bench->run();
  EXPECT_THAT(sent(*run.bench), UnorderedElementsAre("check 0:1+4", "data 1:1+4", "check 2:1+4", "check 3:1+4"));
  EXPECT_EQ(run.bench->controller.counters().parity_compared, 1u);
}

class ArrayReadParityOf : public ::testing::TestWithParam<ReadParity> {};

TEST_P(ArrayReadParityOf, AWholeRowIsComparedInBothWays) {
  ParityRead run(GetParam(), {request(0, 24, 24)});  // row 1
  run.bench->devices[2]->damage(8 + 3);              // whose parity is on member 2
  sc_core::sc_start();
  EXPECT_EQ(sent(*run.bench).size(), 4u);
  EXPECT_EQ(run.bench->controller.counters().parity_compared, 1u);
  EXPECT_EQ(run.bench->controller.counters().parity_different, 1u);
  EXPECT_TRUE(run.listener.find('C', 0).status.ok);
  EXPECT_EQ(run.bench->check.mismatches(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ways, ArrayReadParityOf, ::testing::Values(ReadParity::read, ReadParity::check),
                         [](const auto& way) { return way.param == ReadParity::read ? "read" : "check"; });

TEST(ArrayReadParity, AWrongParityOnTheMediaIsFoundByReadsOfTheseSectorsOnly) {
  ParityRead run(ReadParity::check, {request(0, 3, 1), request(kPsPerSecond, 4, 1), request(2 * kPsPerSecond, 24, 24),
                                     request(3 * kPsPerSecond, 10, 4)});
  run.bench->devices[3]->damage(3);  // of the parity of row 0
  sc_core::sc_start();
  EXPECT_EQ(run.bench->controller.counters().parity_compared, 4u);
  EXPECT_EQ(run.bench->controller.counters().parity_different, 2u);  // sector 3, and 3 of unit 1 (LBN 11)
}

TEST(ArrayReadParity, WithoutAMemberNothingIsCompared) {
  ArrayParams params = params_of(Level::raid5);
  params.failures = {{0, 2}};
  ParityRead run(ReadParity::check, {request(0, 9, 4), request(kPsPerSecond, 17, 4)}, params);
  run.bench->run();
  EXPECT_THAT(sent(*run.bench),
              UnorderedElementsAre("data 1:1+4", "reconstruct 0:1+4", "reconstruct 1:1+4", "reconstruct 3:1+4"));
  EXPECT_EQ(run.bench->controller.counters().parity_compared, 0u);
}

TEST(ArrayReadParity, AParityThatCannotBeReadFailsNoRead) {
  ParityRead run(ReadParity::check, {request(0, 9, 4)});
  run.bench->devices[3]->unreadable.insert(2);
  run.bench->run();
  EXPECT_TRUE(run.listener.find('C', 0).status.ok);
  EXPECT_EQ(run.bench->controller.counters().parity_compared, 0u);
}

TEST(ArrayReadParity, AWriteOfTheRowMeanwhileIsNoDifference) {
  std::vector<workload::Request> requests;
  for (unsigned i = 0; i < 40; ++i)
    requests.push_back(request(i * kPsPerMs / 10, i % 24, 1, i % 2 ? Operation::write : Operation::read));
  ParityRead run(ReadParity::check, requests);
  run.bench->run();
  EXPECT_EQ(run.bench->controller.counters().parity_compared, 20u);
}

// ---- Scrub
// -----------------------------------------------------------------------------------------------------------

ArrayParams scrubbed(Level level) {
  ArrayParams params = params_of(level);
  params.scrub_mb_s = 1;
  params.scrub_unit_kib = 16;
  params.scrub_to_end = true;
  return params;
}

TEST(ArrayScrub, PassesOverAllMembersAtItsRate) {
  ListSource source;
  ArrayBench bench(scrubbed(Level::raid5), 4, 0, 4'000, source);
  bench.keep = true;
  bench.run();
  const auto& counters = bench.controller.counters();
  EXPECT_EQ(counters.scrub_passes, 1u);
  EXPECT_EQ(counters.scrubbed_sectors, 4'000u);
  std::vector<std::set<std::uint64_t>> seen(4);
  Ps last = 0;
  for (const auto& each : bench.ended) {
    if (each.operation.purpose != Purpose::scrub_read) continue;
    last = std::max(last, each.operation.begun);
    for (std::uint32_t i = 0; i < each.operation.sectors; ++i)
      EXPECT_TRUE(seen[each.operation.device].insert(each.operation.lbn + i).second);
  }
  for (const auto& sectors : seen) EXPECT_EQ(sectors.size(), 4'000u);
  // 4,000 sectors are 125 units of 16,384 bytes, of which each takes 16.384 ms at 1 MB/s; the last begins then.
  EXPECT_NEAR(to_seconds(last), 124 * 16.384e-3, 5e-3);
}

class ArrayScrubLevel : public ::testing::TestWithParam<std::tuple<Level, unsigned>> {};  // with the copies of raid10

TEST_P(ArrayScrubLevel, MakesAnewWhatCannotBeReadAndNothingElse) {
  const auto [level, copies] = GetParam();
  const unsigned members = 2 * copies;
  ContentsLoad::Params load_params;
  load_params.count = 400;
  const Layout layout(level, std::vector<std::uint64_t>(members, 4'000), 8, {}, copies);
  load_params.sectors = load_params.hot_sectors = layout.sectors();
  ContentsLoad load(load_params);
  ArrayParams params = scrubbed(level);
  params.copies = copies;
  params.scrub_mb_s = 0.01;  // no more than the first stretch before the load ends
  ArrayBench bench(params, members, 0, 4'000, load);
  bench.keep = true;
  // Two of one stretch and different members: each can be made from the others.
  const std::vector<std::pair<unsigned, std::uint64_t>> bad = {{0, 100}, {1, 122}, {3, 2'017}, {2, 3'999}};
  bench.queue.on_finished = [&] {
    for (const auto& [member, lbn] : bad) bench.devices[member]->unreadable.insert(lbn);
    bench.controller.close();
  };
  bench.run();
  for (const auto& [member, lbn] : bad) EXPECT_TRUE(bench.devices[member]->unreadable.empty()) << member << ":" << lbn;
  EXPECT_EQ(bench.controller.counters().scrub_lost, 0u);
  EXPECT_LE(bench.controller.counters().scrub_repaired, 8u * bad.size());
  for (const auto& each : bench.ended) {
    if (each.operation.purpose == Purpose::scrub_write) {
      EXPECT_LE(each.operation.sectors, 8u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ArrayScrubLevel,
                         ::testing::Values(std::tuple(Level::raid1, 2u), std::tuple(Level::raid10, 2u),
                                           std::tuple(Level::raid4, 2u), std::tuple(Level::raid5, 2u),
                                           std::tuple(Level::raid10, 3u)),
                         [](const auto& each) {
                           return "level_" + std::to_string(static_cast<int>(std::get<0>(each.param))) + "_copies_" +
                                  std::to_string(std::get<1>(each.param));
                         });

TEST(ArrayScrub, WhatNoRedundancyHoldsIsCountedAsLost) {
  ListSource source;
  ArrayBench bench(scrubbed(Level::raid5), 4, 0, 800, source);
  bench.devices[0]->unreadable.insert(17);
  bench.devices[2]->unreadable.insert(18);
  bench.run();
  EXPECT_EQ(bench.controller.counters().scrub_lost, 2u * 8u);
  EXPECT_EQ(bench.controller.counters().scrub_repaired, 0u);
  EXPECT_EQ(bench.controller.counters().scrubbed_sectors, 800u);
  EXPECT_EQ(bench.devices[0]->unreadable.size(), 1u);
}

TEST(ArrayScrub, AWrongParityOnTheMediaIsCountedAndLeft) {
  ListSource source;
  source.requests = {request(0, 240, 24, Operation::write)};  // row 10; the scrub comes to it after 33 ms
  ArrayBench bench(scrubbed(Level::raid4), 4, 0, 800, source);
  bench.queue.on_finished = [&bench] {
    bench.devices[3]->damage(85);
    bench.controller.close();
  };
  sc_core::sc_start();
  EXPECT_EQ(bench.controller.counters().scrub_different, 1u);
  EXPECT_EQ(bench.controller.counters().parts_different, 1u);
}

TEST(ArrayScrub, ACopyThatDiffersIsCounted) {
  ListSource source;
  ArrayBench bench(scrubbed(Level::raid10), 4, 0, 800, source);
  bench.devices[3]->damage(5);
  bench.devices[0]->damage(700);
  sc_core::sc_start();
  EXPECT_EQ(bench.controller.counters().scrub_different, 2u);
}

TEST(ArrayScrub, WaitsForARebuildAndPassesAfterIt) {
  ArrayParams params = scrubbed(Level::raid5);
  params.failures = {{0.02, 1}};
  params.rebuild_to_end = true;
  params.rebuild_mb_s = 1;
  params.rebuild_unit_kib = 16;
  ListSource source;
  source.requests = {request(kPsPerSecond / 10, 0)};
  ArrayBench bench(params, 4, 1, 800, source);
  bench.keep = true;
  bench.run();
  EXPECT_EQ(bench.controller.counters().rebuilt_members, 1u);
  EXPECT_EQ(bench.controller.counters().scrub_passes, 1u);
  for (const auto& each : bench.ended) {
    const bool scrub = each.operation.purpose == Purpose::scrub_read;
    const Ps failed = from_ms(20), rebuilt = bench.controller.counters().rebuild_ended;
    EXPECT_FALSE(scrub && each.operation.begun > failed && each.operation.begun < rebuilt);
  }
}

TEST(ArrayScrub, WithoutAMemberItEndsNoRunLate) {
  ArrayParams params = scrubbed(Level::raid1);
  params.failures = {{0.02, 1}};
  ListSource source;
  source.requests = {request(kPsPerSecond / 10, 0)};
  ArrayBench bench(params, 2, 0, 800, source);
  bench.run();
  EXPECT_EQ(bench.controller.counters().scrub_passes, 0u);
  EXPECT_LT(now(), kPsPerSecond);
}

TEST(ArrayScrub, AMemberThatFailsBetweenTwoStretchesOfTheLastPassEndsTheRun) {
  ArrayParams params = scrubbed(Level::raid1);
  params.failures = {{0.05, 1}};
  ListSource source;
  ArrayBench bench(params, 2, 0, 80'000, source);
  bench.run();
  EXPECT_EQ(bench.controller.counters().scrub_passes, 0u);
}

TEST(ArrayScrub, NeedsRedundancy) {
  ArrayParams params = scrubbed(Level::raid0);
  ListSource source;
  EXPECT_THROW(ArrayBench(params, 3, 0, 800, source), InputError);
}

}  // namespace
}  // namespace armature::array::array_scrub_test
