// A store in front of the members: what it answers, what goes past it, when the members get what it has; its failure.
#include "armature/array/line_map.h"
#include "armature/core/error.h"
#include "support/array_bench.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace armature::array::array_staging_test {
namespace {

using testing::ArrayBench;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ListSource;
using testing::MemoryDevice;
using testing::RecordingListener;
using testing::request;
using ::testing::UnorderedElementsAre;

constexpr Ps kLater = kPsPerSecond;  // everything before is over

ArrayParams staged() {
  ArrayParams params;
  params.level = Level::raid0;
  params.stripe_unit_kib = 4;
  params.staging.store = "store";
  params.staging.line_kib = 4;
  params.staging.destage_idle_ms = 1e6;
  params.staging.destage_at = 1;
  return params;
}

struct StagedRun {
  StagedRun(const ArrayParams& params, std::vector<workload::Request> requests, unsigned members = 2) {
    source.requests = std::move(requests);
    bench.emplace(params, members, 0, 800, source, 1, &listener);
    bench->keep = true;
    store = members;
  }
  const Staging::Counters& run() {
    bench->run();
    return bench->staging->counters();
  }
  bool ok(std::uint64_t id) { return listener.find('C', id).status.ok; }
  /// "purpose device:LBN+sectors" of all operations that began in this second; the store is "store".
  std::vector<std::string> sent(int second) {
    std::vector<std::string> list;
    for (const auto& each : bench->ended) {
      const MemberOperation& o = each.operation;
      if (o.begun / kPsPerSecond != second || (o.operation == Operation::flush && o.device != store)) continue;
      const std::string where = o.device == store ? "store" : std::to_string(o.device);
      const std::string what = o.device == store                ? std::string(name_of(o.purpose))
                               : o.operation == Operation::read ? "read"
                                                                : "write";
      list.push_back(what + " " + where + ":" + std::to_string(o.lbn) + "+" + std::to_string(o.sectors));
    }
    return list;
  }
  ListSource source;
  RecordingListener listener;
  std::optional<ArrayBench> bench;
  unsigned store = 0;
};

TEST(Staging, WhatAReadFetchesIsReadFromTheStoreTheNextTime) {
  StagedRun run(staged(), {request(0, 5, 20), request(kLater, 7, 10)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.read_misses, 1u);
  EXPECT_EQ(counters.fills, 1u);
  EXPECT_EQ(counters.read_hits, 1u);
  // Lines 0 to 3 lie in places 0 to 3.
  EXPECT_THAT(run.sent(0),
              UnorderedElementsAre("read 0:5+3", "read 1:0+8", "read 0:8+8", "read 1:8+1", "store_fill store:5+20"));
  EXPECT_THAT(run.sent(1), ElementsAre("store_read store:7+10"));
}

TEST(Staging, AWarmStoreAnswersTheFirstReads) {
  ArrayParams params = staged();
  params.staging.warm = {{100, 12}, {0, 16}};
  StagedRun run(params,
                {request(0, 100, 12), request(kLater, 96, 8), request(2 * kLater, 3, 9), request(3 * kLater, 300, 1)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.read_hits, 2u);
  EXPECT_EQ(counters.read_parts, 1u);
  EXPECT_EQ(counters.read_misses, 1u);
  EXPECT_THAT(run.sent(0), ElementsAre("store_read store:4+12")) << "the first line's place holds sectors 96 to 103";
  EXPECT_THAT(run.sent(2), ElementsAre("store_read store:19+9"));
}

TEST(Staging, OnlyAPartOfTheStoreIsUsedAndWarmedAsFarAsThereIsRoom) {
  ArrayParams params = staged();
  params.staging.size_gb = 33 * 512e-9;  // four lines
  params.staging.warm = {{0, 800}};
  StagedRun run(params,
                {request(0, 0, 32), request(kLater, 32, 8), request(2 * kLater, 0, 8), request(3 * kLater, 24, 8)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.read_hits, 2u);
  EXPECT_EQ(counters.read_misses, 2u) << "what was warmed first made room for 32 to 39, and was fetched again";
  params.staging.size_gb = 1e-3;
  EXPECT_THROW(params.staging.lines(800), InputError);
  params.staging.size_gb = 5e-6;
  EXPECT_THROW(params.staging.lines(100'000), InputError) << "fewer than two lines";
}

TEST(Staging, OfAReadThatIsThereInPartTheRestIsFetchedFirst) {
  StagedRun run(staged(), {request(0, 0, 8, Operation::write), request(kLater, 4, 8), request(2 * kLater, 4, 8)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.read_parts, 1u);
  EXPECT_THAT(run.sent(1), ElementsAre("read 1:0+4", "store_read store:4+4", "store_fill store:8+4"));
  EXPECT_EQ(counters.read_hits, 1u);
}

TEST(Staging, AWriteEndsInTheStoreAndReachesTheMembersLater) {
  StagedRun run(staged(), {request(0, 3, 4, Operation::write), request(kLater, 3, 4)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.writes_kept, 1u);
  EXPECT_EQ(counters.destaged_sectors, 4u) << "at the end";
  EXPECT_THAT(run.sent(0), ElementsAre("store_write store:3+4"));
  EXPECT_GT(run.bench->devices[0]->writes, 0u);
}

TEST(Staging, AWholeRowGoesToTheMembersTogether) {
  ArrayParams params = staged();
  params.level = Level::raid5;
  params.staging.destage_idle_ms = 1'000;
  StagedRun run(params,
                {request(0, 16, 8, Operation::write), request(0, 0, 8, Operation::write),
                 request(0, 8, 8, Operation::write), request(5 * kLater, 700, 1)},
                4);
  EXPECT_EQ(run.run().destages, 1u);
  EXPECT_EQ(run.bench->controller.counters().full_rows, 1u);
}

TEST(Staging, LargeRequestsGoPastAndTakeWhatLiesBelowWithThem) {
  ArrayParams params = staged();
  params.staging.largest_kib = 16;
  StagedRun run(params, {request(0, 0, 8, Operation::write), request(kLater, 0, 40, Operation::write),
                         request(2 * kLater, 0, 8), request(3 * kLater, 0, 40)});
  const auto& counters = run.run();
  EXPECT_EQ(counters.writes_past, 1u);
  EXPECT_EQ(counters.destages, 0u) << "what was in the store is older";
  EXPECT_THAT(run.sent(2), ElementsAre("read 0:0+8", "store_fill store:8+8")) << "in another place";
  EXPECT_EQ(counters.fills, 1u);
}

TEST(Staging, WhatOnlyTheStoreHasIsGivenUpForWhatIsOnTheMedia) {
  ArrayParams params = staged();
  params.staging.largest_kib = 16;
  StagedRun run(params, {request(0, 0, 8, Operation::write), request(kLater, 0, 40, Operation::write),
                         request(2 * kLater, 80, 40, Operation::write), request(3 * kLater, 200, 4, Operation::write)});
  run.run();
  MemoryDevice& store = *run.bench->devices[2];
  EXPECT_EQ(store.writes, 2u);
  EXPECT_EQ(store.forced, 2u);
  // The first large write, of three units here and two there, replaces dirty data; the second one nothing. The destage
  // of the last write is forced.
  EXPECT_EQ(run.bench->devices[0]->forced + run.bench->devices[1]->forced, 5u + 1u);
  EXPECT_EQ(run.bench->devices[0]->writes + run.bench->devices[1]->writes, 5u + 5u + 1u);
}

TEST(Staging, BelowAWriteThatGoesPastNothingOldSurvivesALossOfPower) {
  ArrayParams params = staged();
  params.staging.largest_kib = 16;
  StagedRun run(params,
                {request(0, 0, 8), request(0, 8, 8, Operation::write), request(kLater, 0, 40, Operation::write)});
  sc_core::sc_start(sc_core::sc_time(999, sc_core::SC_MS));
  EXPECT_EQ(run.bench->staging->survives().size(), 2u);
  sc_core::sc_start(sc_core::sc_time(1.001, sc_core::SC_MS));  // the write has begun
  const auto kept = run.bench->staging->survives();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].line, 1u);
  EXPECT_EQ(kept[0].dirty, 0xFFu) << "until the write is on the media";
  run.run();
}

TEST(Staging, TheLineUsedLongestAgoMakesRoom) {
  std::vector<workload::Request> requests;
  constexpr std::uint64_t kLines = ArrayBench::kStoreSectors / 8;
  for (std::uint64_t i = 0; i < kLines; ++i) requests.push_back(request(0, 8 * i, 8));
  const auto at = [&requests](int second, std::uint64_t line) {
    requests.push_back(request(second * kLater, 8 * line, 8));
  };
  at(10, 0);       // used
  at(11, kLines);  // takes the place of one of the others
  at(12, 0);
  StagedRun run(staged(), requests);
  EXPECT_EQ(run.run().read_misses, kLines + 1);
  EXPECT_EQ(run.bench->staging->counters().read_hits, 2u);
}

TEST(Staging, WithoutRoomWritesGoPast) {
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 130; ++i)
    requests.push_back(request(static_cast<Ps>(i) * kLater, 8 * i, 8, Operation::write));
  StagedRun run(staged(), requests);
  const auto& counters = run.run();
  EXPECT_EQ(counters.writes_kept, ArrayBench::kStoreSectors / 8);
  EXPECT_EQ(counters.writes_past, 130 - ArrayBench::kStoreSectors / 8);
  EXPECT_EQ(counters.most_dirty, ArrayBench::kStoreSectors / 8);
}

TEST(Staging, MembersThatSleepAreLeftUntilARequestWakesThem) {
  ArrayParams params = staged();
  params.staging.lazy = true;
  params.staging.destage_idle_ms = 0;
  StagedRun run(params,
                {request(0, 0, 8, Operation::write), request(5 * kLater, 400, 8), request(10 * kLater, 700, 1)});
  const auto& counters = run.run();
  EXPECT_THAT(run.sent(0), ElementsAre("store_write store:0+8"));
  EXPECT_THAT(run.sent(5),
              UnorderedElementsAre("read 0:200+8", "store_fill store:8+8", "destage_read store:0+8", "write 0:0+8"));
  EXPECT_GE(counters.oldest, 5 * kLater);
}

TEST(Staging, AWriteIsNoOlderThanItsAge) {
  ArrayParams params = staged();
  params.staging.lazy = true;
  params.staging.age_s = 3;
  StagedRun run(params, {request(0, 0, 8, Operation::write), request(kLater, 16, 8, Operation::write),
                         request(9 * kLater, 0, 1)});
  const auto& counters = run.run();
  EXPECT_THAT(run.sent(3),
              UnorderedElementsAre("destage_read store:0+8", "destage_read store:8+8", "write 0:0+8", "write 0:8+8"));
  EXPECT_GE(counters.oldest, 3 * kLater);
  EXPECT_LT(counters.oldest, 3 * kLater + kLater / 10);
}

TEST(Staging, AFlushWakesNoMember) {
  StagedRun run(staged(), {request(0, 0, 8, Operation::write), request(kLater, 0, 0, Operation::flush),
                           request(2 * kLater, 0, 1)});
  run.run();
  EXPECT_THAT(run.sent(1), ElementsAre("flush store:0+0"));
}

TEST(Staging, ASectorThatCannotBeReadIsTheMembersIfTheyHaveIt) {
  StagedRun run(staged(),
                {request(0, 0, 8), request(kLater, 0, 8), request(2 * kLater, 8, 8, Operation::write),
                 request(3 * kLater, 8, 8), request(4 * kLater, 8, 8, Operation::write), request(5 * kLater, 8, 8)});
  sc_core::sc_start(sc_core::sc_time(900, sc_core::SC_MS));
  run.bench->devices[2]->unreadable = {3};
  sc_core::sc_start(sc_core::sc_time(1'900, sc_core::SC_MS));
  run.bench->devices[2]->unreadable = {12};
  const auto& counters = run.run();
  EXPECT_TRUE(run.ok(1));
  EXPECT_FALSE(run.ok(3)) << "only the store had it";
  EXPECT_TRUE(run.ok(5));
  EXPECT_EQ(counters.lost_sectors, 1u);
}

TEST(Staging, WithoutTheStoreEverythingIsTheMembersAndWhatOnlyItHadIsAnError) {
  ArrayParams params = staged();
  params.staging.fails_s = 1.5;
  StagedRun run(params, {request(0, 0, 8, Operation::write), request(kLater, 16, 8), request(2 * kLater, 0, 8),
                         request(2 * kLater, 16, 8), request(3 * kLater, 0, 8, Operation::write),
                         request(4 * kLater, 0, 8), request(5 * kLater, 0, 0, Operation::flush)});
  const auto& counters = run.run();
  EXPECT_FALSE(run.ok(2));
  for (const std::uint64_t id : {0u, 1u, 3u, 4u, 5u, 6u}) EXPECT_TRUE(run.ok(id)) << id;
  EXPECT_EQ(counters.lost_sectors, 8u);
  EXPECT_EQ(counters.failed, 1u);
  EXPECT_THAT(run.sent(4), ElementsAre("read 0:0+8"));
}

TEST(Staging, WhatTheMembersDoNotTakeStaysInTheStoreAndIsCounted) {
  ArrayParams params = staged();
  params.level = Level::raid5;
  params.failures = {{0.5, 0}, {0.6, 1}};
  StagedRun run(params, {request(0, 0, 8, Operation::write), request(kLater, 0, 8), request(kLater, 16, 8)}, 4);
  const auto& counters = run.run();
  EXPECT_TRUE(run.ok(1));
  EXPECT_FALSE(run.ok(2));
  EXPECT_EQ(counters.left_sectors, 8u);
}

TEST(LineMap, APlaceIsGivenToOneLineOnly) {
  LineMap map(2, 8, CacheReplacement::lru, LineMap::DestageOrder::address, 0);
  map.allocate(5)->valid = 1;
  map.changed(5);
  LineMap::Line& second = *map.allocate(6);
  second.valid = second.dirty = 1;
  map.changed(6);
  ASSERT_TRUE(map.room_for(7 * 8, 8));
  ASSERT_FALSE(map.room_for(7 * 8, 16)) << "a dirty line makes no room";
  ASSERT_FALSE(map.room_for(4 * 8, 16)) << "nor does a line for itself";
  EXPECT_EQ(map.allocate(7)->place, 0u);
  EXPECT_EQ(map.find(5), nullptr);
  EXPECT_EQ(map.find(6)->place, 1u);
}

TEST(LineMap, PartsOfARequestAreSectorsOfLines) {
  const LineMap map(2, 64, CacheReplacement::lru, LineMap::DestageOrder::address, 0);
  const auto parts = map.parts(60, 70);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].mask, ~LineMap::Mask{0} << 60);
  EXPECT_EQ(parts[1].mask, ~LineMap::Mask{0});
  EXPECT_EQ(parts[2].mask, 3u);
}

}  // namespace
}  // namespace armature::array::array_staging_test
