// The controller's cache: what it answers alone, what it asks the members for, what makes room, when dirty data go to
// the members.
#include "support/array_bench.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace armature::array {
namespace {

using testing::ArrayBench;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ListSource;
using testing::RecordingListener;
using testing::request;
using ::testing::UnorderedElementsAre;

constexpr Ps kLater = kPsPerSecond;  // everything before is over

ArrayParams params_of(Level level, double kib) {
  ArrayParams params;
  params.level = level;
  params.stripe_unit_kib = 4;
  params.cache.size_mib = kib / 1024;
  params.cache.hit_us = 50;
  params.cache.destage_idle_ms = 1e6;
  params.cache.destage_at = 1;
  return params;
}

struct CacheRun {
  CacheRun(const ArrayParams& params, std::vector<workload::Request> requests, unsigned members = 4) {
    source.requests = std::move(requests);
    bench.emplace(params, members, 0, 800, source, 1, &listener);
    bench->keep = true;
  }
  const ArrayCache::Counters& run() {
    bench->run();
    return bench->cache->counters();
  }
  Ps response(std::uint64_t id) { return listener.find('C', id).at - source.requests.at(id).arrival; }
  /// "op device:LBN+sectors" of all operations that began in this second.
  std::vector<std::string> sent(int second) {
    std::vector<std::string> list;
    for (const auto& each : bench->ended) {
      const MemberOperation& o = each.operation;
      if (o.begun / kPsPerSecond != second || o.operation == Operation::flush) continue;
      list.push_back(std::string(o.operation == Operation::read ? "read " : "write ") + std::to_string(o.device) + ":" +
                     std::to_string(o.lbn) + "+" + std::to_string(o.sectors));
    }
    return list;
  }
  ListSource source;
  RecordingListener listener;
  std::optional<ArrayBench> bench;
};

TEST(ArrayCache, ASecondReadIsAnsweredAloneInItsTime) {
  CacheRun run(params_of(Level::raid0, 64), {request(0, 5, 20), request(kLater, 7, 10)});
  EXPECT_EQ(run.run().read_hits, 1u);
  EXPECT_EQ(run.response(1), 50 * kPsPerUs);
  EXPECT_THAT(run.sent(1), IsEmpty());
}

TEST(ArrayCache, OfAReadThatIsThereInPartTheRestIsFetched) {
  CacheRun run(params_of(Level::raid0, 64), {request(0, 8, 8), request(kLater, 0, 24)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.read_parts, 1u);
  EXPECT_EQ(counters.read_misses, 1u);
  EXPECT_THAT(run.sent(1), UnorderedElementsAre("read 0:0+8", "read 1:0+8", "read 2:0+8"));  // one run, from 0 to 24
}

TEST(ArrayCache, AWriteEndsInTheMemoryAndIsReadFromThere) {
  CacheRun run(params_of(Level::raid5, 64), {request(0, 3, 4, Operation::write), request(kLater, 3, 4)});
  const auto& counters = run.run();
  EXPECT_EQ(run.response(0), 50 * kPsPerUs);
  EXPECT_EQ(run.response(1), 50 * kPsPerUs);
  EXPECT_EQ(counters.writes_kept, 1u);
  EXPECT_THAT(run.sent(0), IsEmpty());
  EXPECT_EQ(counters.destaged_sectors, 4u);  // at the end
}

TEST(ArrayCache, WritesOfARowAreDestagedTogetherAndReadNothing) {
  ArrayParams params = params_of(Level::raid5, 64);
  params.cache.destage_idle_ms = 1'000;
  CacheRun run(params, {request(0, 16, 8, Operation::write), request(0, 0, 8, Operation::write),
                        request(0, 8, 8, Operation::write), request(5 * kLater, 700, 1)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.destages, 1u);
  EXPECT_EQ(run.bench->controller.counters().full_rows, 1u);
  EXPECT_THAT(run.sent(1), UnorderedElementsAre("write 0:0+8", "write 1:0+8", "write 2:0+8", "write 3:0+8"));
}

TEST(ArrayCache, WriteThroughEndsWithTheMembersAndIsReadFromTheMemory) {
  ArrayParams params = params_of(Level::raid0, 64);
  params.cache.write = CacheWrite::through;
  CacheRun run(params, {request(0, 3, 4, Operation::write), request(kLater, 3, 4)});
  const auto& counters = run.run();
  EXPECT_GT(run.response(0), 50 * kPsPerUs);
  EXPECT_EQ(run.response(1), 50 * kPsPerUs);
  EXPECT_EQ(counters.writes_past, 1u);
  EXPECT_EQ(counters.destages, 0u);
}

/// Three lines fit. Lines 0, 1, 2 are read, then 0 again, then 3; which of 0, 1 and 2 is gone? Read in the end: hits.
std::vector<bool> there(CacheReplacement replacement) {
  ArrayParams params = params_of(Level::raid0, 12);
  params.cache.replacement = replacement;
  CacheRun run(params, {request(0, 0), request(kLater, 8), request(2 * kLater, 16), request(3 * kLater, 0),
                        request(4 * kLater, 24), request(5 * kLater, 0), request(6 * kLater, 24)});
  run.run();
  return {run.response(5) == 50 * kPsPerUs, run.response(6) == 50 * kPsPerUs};
}

TEST(ArrayCache, TheLineUsedLongestAgoMakesRoom) {
  EXPECT_THAT(there(CacheReplacement::lru), ElementsAre(true, true));
}
TEST(ArrayCache, TheLineKeptLongestMakesRoom) {
  EXPECT_THAT(there(CacheReplacement::fifo), ElementsAre(false, true));
}
TEST(ArrayCache, TheHandPassesALineThatWasUsed) {
  EXPECT_THAT(there(CacheReplacement::clock), ElementsAre(true, true));
}

TEST(ArrayCache, WritesWaitForRoom) {
  ArrayParams params = params_of(Level::raid0, 32);  // eight lines
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 24; ++i) requests.push_back(request(0, 16 * i, 8, Operation::write));
  CacheRun run(params, requests);
  const auto& counters = run.run();
  EXPECT_EQ(counters.writes_kept, 24u);
  EXPECT_EQ(counters.waits, 16u);
  EXPECT_EQ(run.response(7), 50 * kPsPerUs);
  EXPECT_GT(run.response(8), 50 * kPsPerUs);
}

TEST(ArrayCache, AWriteLargerThanHalfOfItGoesPast) {
  CacheRun run(params_of(Level::raid0, 32), {request(0, 0, 8, Operation::write), request(0, 0, 64, Operation::write)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.writes_past, 1u);
  EXPECT_EQ(counters.destages, 1u);  // what lay below it, first
}

TEST(ArrayCache, DestagesBeginAtTheirShare) {
  ArrayParams params = params_of(Level::raid0, 64);  // sixteen lines
  params.cache.destage_at = 0.25;
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 4; ++i) requests.push_back(request(0, 16 * i, 8, Operation::write));
  requests.push_back(request(kLater, 160, 8, Operation::write));
  requests.push_back(request(5 * kLater, 700, 1));
  CacheRun run(params, requests);
  run.run();
  EXPECT_THAT(run.sent(0), IsEmpty());
  EXPECT_THAT(run.sent(1), ElementsAre("write 0:0+8"));  // the one that was written first
}

TEST(ArrayCache, AFlushWaitsForAVolatileMemory) {
  ArrayParams params = params_of(Level::raid0, 64);
  params.cache.nonvolatile = false;
  CacheRun run(params, {request(0, 0, 8, Operation::write), request(kLater, 0, 0, Operation::flush),
                        request(2 * kLater, 700, 1)});
  run.run();
  EXPECT_THAT(run.sent(1), ElementsAre("write 0:0+8"));
}

TEST(ArrayCache, AFlushOfMemoryThatKeepsItsContentsMovesNothing) {
  CacheRun run(params_of(Level::raid0, 64), {request(0, 0, 8, Operation::write),
                                             request(kLater, 0, 0, Operation::flush), request(2 * kLater, 700, 1)});
  run.run();
  EXPECT_THAT(run.sent(1), IsEmpty());
}

TEST(ArrayCache, ForcedUnitAccessGoesPastAVolatileMemory) {
  ArrayParams params = params_of(Level::raid0, 64);
  params.cache.nonvolatile = false;
  auto forced = request(kLater, 0, 4, Operation::write);
  forced.fua = true;
  CacheRun run(params, {request(0, 0, 8, Operation::write), forced, request(2 * kLater, 0, 8)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.writes_past, 1u);
  EXPECT_THAT(run.sent(1), ElementsAre("write 0:0+8", "write 0:0+4"));
}

TEST(ArrayCache, WhatTheMembersDoNotTakeStaysAndIsCounted) {
  ArrayParams params = params_of(Level::raid5, 64);
  params.failures = {{0.5, 0}, {0.6, 1}};
  CacheRun run(params, {request(0, 0, 8, Operation::write), request(kLater, 0, 8), request(kLater, 16, 8)});
  const auto& counters = run.run();
  EXPECT_TRUE(run.listener.find('C', 1).status.ok);
  EXPECT_FALSE(run.listener.find('C', 2).status.ok);
  EXPECT_EQ(counters.lost_sectors, 8u);
}

/// A part of row 0 of three members, whose parity cannot be read, without the one that has the rest of the row:
/// refused. Then the whole row, twice at once, which needs no reading.
TEST(ArrayCache, NewerDataThatTheMembersTookReplaceWhatTheyHadRefused) {
  ArrayParams params = params_of(Level::raid5, 256);
  params.cache.nonvolatile = false;
  params.failures = {{0.5, 1}};
  auto forced = request(2 * kLater, 0, 16, Operation::write);
  forced.fua = true;
  CacheRun run(params,
               {request(0, 0, 4, Operation::write), request(kLater, 0, 0, Operation::flush), forced, forced,
                request(3 * kLater, 0, 8)},
               3);
  for (std::uint64_t lbn = 0; lbn < 8; ++lbn) run.bench->devices[2]->unreadable.insert(lbn);
  const auto& counters = run.run();  // compares what was read
  EXPECT_FALSE(run.listener.find('C', 1).status.ok) << "or nothing was refused";
  EXPECT_TRUE(run.listener.find('C', 2).status.ok && run.listener.find('C', 3).status.ok);
  EXPECT_EQ(counters.writes_past, 2u);
  EXPECT_TRUE(run.listener.find('C', 4).status.ok);
  EXPECT_EQ(counters.lost_sectors, 0u) << "nor are older data written over newer ones at the end";
}

/// Two of the same sectors that go past it follow each other.
TEST(ArrayCache, WritesPastItOfTheSameSectorsWaitForEachOther) {
  ArrayParams params = params_of(Level::raid0, 64);
  params.cache.write = CacheWrite::through;
  CacheRun run(params,
               {request(0, 0, 8, Operation::write), request(0, 4, 8, Operation::write), request(kLater, 100, 1)});
  run.run();
  const auto& ended = run.bench->ended;
  ASSERT_GE(ended.size(), 3u);
  Ps first_over = 0;
  for (const auto& each : ended) {
    if (each.operation.operation != Operation::write) continue;
    if (each.operation.tag == ended.front().operation.tag)
      first_over = std::max(first_over, each.at);
    else
      EXPECT_GE(each.operation.begun, first_over);
  }
}

TEST(ArrayCache, TwoLinesAtLeastAndWholeSectors) {
  CacheParams params;
  params.size_mib = 4.0 / 1024;
  EXPECT_THROW(params.lines(), InputError);
  params.size_mib = 1;
  EXPECT_EQ(params.lines(), 256u);
  params.line_kib = 0.7;
  EXPECT_THROW(params.line_sectors(), InputError);
}

}  // namespace
}  // namespace armature::array
