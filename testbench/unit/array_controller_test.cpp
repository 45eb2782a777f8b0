// What the controller sends to its members, request by request; choice of copies; order; locks; the end of a run.
#include "armature/core/kernel_time.h"
#include "support/array_bench.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace armature::array {
namespace {

using testing::ArrayBench;
using ::testing::ElementsAre;
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

/// Operations of the host's requests: "purpose op device:LBN+sectors".
std::vector<std::string> sent(const ArrayBench& bench) {
  std::vector<std::string> list;
  for (const ArrayBench::Ended& each : bench.ended) {
    const MemberOperation& o = each.operation;
    if (o.tag == MemberOperation::kNoTag) continue;
    const char* const op = o.operation == Operation::read    ? "read"
                           : o.operation == Operation::write ? "write"
                                                             : "flush";
    list.push_back(std::string(name_of(o.purpose)) + " " + op + " " + std::to_string(o.device) + ":" +
                   std::to_string(o.lbn) + "+" + std::to_string(o.sectors));
  }
  return list;
}

std::vector<std::string> sent_for(const ArrayParams& params, unsigned members, const workload::Request& one) {
  ListSource source;
  source.requests = {one};
  ArrayBench bench(params, members, 0, 800, source);
  bench.keep = true;
  bench.run();
  return sent(bench);
}

TEST(ArrayController, ASmallWriteReadsAndWritesDataAndParity) {
  EXPECT_THAT(
      sent_for(params_of(Level::raid5), 5, request(0, 9, 4, Operation::write)),
      UnorderedElementsAre("old_data read 1:1+4", "old_parity read 4:1+4", "data write 1:1+4", "parity write 4:1+4"));
}

TEST(ArrayController, AWriteOfMostOfARowReadsTheRest) {
  EXPECT_THAT(sent_for(params_of(Level::raid4), 5, request(0, 0, 24, Operation::write)),
              UnorderedElementsAre("other_data read 3:0+8", "data write 0:0+8", "data write 1:0+8", "data write 2:0+8",
                                   "parity write 4:0+8"));
}

TEST(ArrayController, AWriteOfARowReadsNothing) {
  EXPECT_THAT(sent_for(params_of(Level::raid5), 3, request(0, 16, 16, Operation::write)),
              UnorderedElementsAre("data write 2:8+8", "data write 0:8+8", "parity write 1:8+8"));
}

TEST(ArrayController, AMirroredWriteGoesToBoth) {
  EXPECT_THAT(sent_for(params_of(Level::raid10), 4, request(0, 8, 8, Operation::write)),
              UnorderedElementsAre("data write 2:0+8", "data write 3:0+8"));
}

TEST(ArrayController, AMirroredReadGoesToOne) {
  EXPECT_THAT(sent_for(params_of(Level::raid1), 2, request(0, 8, 8)), ElementsAre("data read 0:8+8"));
}

TEST(ArrayController, AReadOfAMissingMemberIsMadeFromTheOthers) {
  ArrayParams params = params_of(Level::raid5);
  params.failures = {{0, 1}};
  EXPECT_THAT(sent_for(params, 4, request(0, 9, 4)),
              UnorderedElementsAre("reconstruct read 0:1+4", "reconstruct read 2:1+4", "reconstruct read 3:1+4"));
}

TEST(ArrayController, AFlushGoesToAllMembersInService) {
  ArrayParams params = params_of(Level::raid5);
  params.failures = {{0, 1}};
  EXPECT_THAT(sent_for(params, 4, request(0, 0, 0, Operation::flush)),
              UnorderedElementsAre("flush flush 0:0+0", "flush flush 2:0+0", "flush flush 3:0+0"));
}

/// Whether a flush succeeds once these members are missing.
bool flushes(Level level, unsigned members, const std::vector<std::int64_t>& missing) {
  struct Last final : host::RequestListener {
    void arrived(const workload::Request&, Ps) override {}
    void dispatched(const workload::Request&, unsigned, Ps) override {}
    void completed(const workload::Request&, unsigned, const host::CommandStatus& status, Ps) override {
      ok = status.ok;
    }
    bool ok = false;
  } last;
  ArrayParams params = params_of(level);
  for (const std::int64_t member : missing) params.failures.push_back({0, member});
  ListSource source;
  source.requests = {request(kPsPerMs, 0, 0, Operation::flush)};
  ArrayBench bench(params, members, 0, 800, source, 1, &last);
  bench.run();
  return last.ok;
}

struct Missing {
  const char* name;
  Level level;
  std::vector<std::int64_t> members;  ///< of four
  bool flushes;
};

class FlushWithout : public ::testing::TestWithParam<Missing> {};

TEST_P(FlushWithout, FailsIfWrittenDataAreLost) {
  EXPECT_EQ(flushes(GetParam().level, 4, GetParam().members), GetParam().flushes);
}

INSTANTIATE_TEST_SUITE_P(ArrayController, FlushWithout,
                         ::testing::Values(Missing{"NoneOfConcat", Level::concat, {}, true},
                                           Missing{"OneOfConcat", Level::concat, {1}, false},
                                           Missing{"OneOfStripes", Level::raid0, {3}, false},
                                           Missing{"AllButOneCopy", Level::raid1, {0, 1, 3}, true},
                                           Missing{"AllCopies", Level::raid1, {0, 1, 2, 3}, false},
                                           Missing{"OneOfEachPair", Level::raid10, {0, 3}, true},
                                           Missing{"APair", Level::raid10, {2, 3}, false},
                                           Missing{"OneOfFour", Level::raid5, {2}, true},
                                           Missing{"TwoOfFour", Level::raid5, {2, 0}, false}),
                         [](const auto& each) { return each.param.name; });

TEST(ArrayController, AReadGoesToTheShorterQueueAndThenToTheNearerHead) {
  ListSource source;
  // Both copies stand at 0: the first goes to member 0, the second to member 1. When both have ended, member 1 is
  // nearer to 410, and with one out there 420 goes to member 0.
  source.requests = {request(0, 100), request(0, 400), request(kPsPerSecond, 410), request(kPsPerSecond, 420)};
  ArrayBench bench(params_of(Level::raid1), 2, 0, 800, source);
  bench.keep = true;
  bench.run();
  std::vector<std::pair<std::uint64_t, unsigned>> places;
  for (const auto& each : bench.ended)
    if (each.operation.tag >= 0) places.emplace_back(each.operation.lbn, each.operation.device);
  EXPECT_THAT(places,
              UnorderedElementsAre(std::pair(100u, 0u), std::pair(400u, 1u), std::pair(410u, 1u), std::pair(420u, 0u)));
}

TEST(ArrayController, TheNextCopyIsReadWhenTheQueueOfTheFirstIsAtTheThreshold) {
  ArrayParams params = params_of(Level::raid1);
  params.mirror_read = MirrorRead::queue_threshold;
  params.queue_threshold = 2;
  // Eight at once: two for each, then the shortest queue, of equals the first; later member 0 is free.
  ListSource source;
  for (std::uint64_t i = 0; i < 8; ++i) source.requests.push_back(request(0, 10 * i, 1));
  source.requests.push_back(request(kPsPerSecond, 700, 1));
  ArrayBench bench(params, 3, 0, 800, source);
  bench.keep = true;
  bench.run();
  std::vector<unsigned> devices(9);
  for (const auto& each : bench.ended)
    if (each.operation.tag >= 0) devices.at(each.operation.id) = each.operation.device;
  EXPECT_THAT(devices, ElementsAre(0, 0, 1, 1, 2, 2, 0, 1, 0));
}

/// Members of each request by its number: of a mirror whose member 0 takes 40 ms longer than member 1.
std::vector<unsigned> read_from(const ArrayParams& params, const std::vector<workload::Request>& requests) {
  ListSource source;
  source.requests = requests;
  ArrayBench bench(params, 2, 0, 800, source);
  bench.devices[0]->extra = 40 * kPsPerMs;
  bench.keep = true;
  bench.run();
  std::vector<unsigned> devices(requests.size());
  for (const auto& each : bench.ended)
    if (each.operation.tag >= 0) devices.at(each.operation.id) = each.operation.device;
  return devices;
}

std::vector<unsigned> read_one_by_one(double mirror_probe_s) {
  ArrayParams params = params_of(Level::raid1);
  params.mirror_read = MirrorRead::fastest;
  params.mirror_probe_s = mirror_probe_s;
  std::vector<workload::Request> requests;
  for (const Ps second : {0, 1, 2, 3, 61, 62}) requests.push_back(request(second * kPsPerSecond, 100, 1));
  return read_from(params, requests);
}

TEST(ArrayController, TheFastestCopyIsReadAndASlowOneIsTriedNowAndThen) {
  EXPECT_THAT(read_one_by_one(60), ElementsAre(0, 1, 1, 1, 0, 1)) << "each once, then the fast one";
}

TEST(ArrayController, WithoutProbesASlowCopyIsLeftAlone) {
  EXPECT_THAT(read_one_by_one(0), ElementsAre(0, 1, 1, 1, 1, 1));
}

TEST(ArrayController, ASlowCopyHelpsWhenTheQueueOfTheFastOneIsLong) {
  ArrayParams params = params_of(Level::raid1);
  params.mirror_read = MirrorRead::fastest;
  std::vector<workload::Request> requests = {request(0, 100, 1), request(kPsPerSecond, 100, 1)};
  for (int i = 0; i < 60; ++i) requests.push_back(request(2 * kPsPerSecond, 8 * i, 1));
  const std::vector<unsigned> devices = read_from(params, requests);
  const auto slow = std::count(devices.begin() + 2, devices.end(), 0u);
  EXPECT_GT(slow, 0);
  EXPECT_LT(slow, 20) << "at least ten times as slow";
}

TEST(ArrayController, RequestsOutsideTheArrayAreRefused) {
  ListSource source;
  source.requests = {request(0, 2'396, 8)};  // three members' worth of 800
  RecordingListener listener;
  ArrayBench bench(params_of(Level::raid4), 4, 0, 800, source, 1, &listener);
  bench.run();
  EXPECT_FALSE(listener.find('C', 0).status.ok);
  EXPECT_EQ(listener.find('C', 0).status.error, 0x10);
  EXPECT_EQ(bench.controller.counters().operations, 5u - 1u);  // the flush at the end
}

TEST(ArrayController, WritesOfARowFollowEachOtherAndOthersDoNotWait) {
  ListSource source;
  source.requests = {request(0, 0, 4, Operation::write), request(0, 8, 4, Operation::write),
                     request(0, 240, 4, Operation::write)};
  ArrayBench bench(params_of(Level::raid4), 4, 0, 800, source);
  bench.keep = true;
  bench.run();
  std::vector<Ps> begun(3, -1), ended(3, 0);
  for (const auto& each : bench.ended) {
    if (each.operation.tag < 0) continue;
    const auto tag = static_cast<std::size_t>(each.operation.tag);
    begun[tag] = begun[tag] < 0 ? each.operation.begun : std::min(begun[tag], each.operation.begun);
    ended[tag] = std::max(ended[tag], each.at);
  }
  EXPECT_EQ(begun[0], 0);
  EXPECT_EQ(begun[1], ended[0]);
  EXPECT_EQ(begun[2], 0);
}

TEST(ArrayController, ARebuildKeepsToItsRateAndASpareServesWhatIsRebuilt) {
  ArrayParams params = params_of(Level::raid5);
  params.failures = {{0, 0}};
  params.rebuild_unit_kib = 4;
  params.rebuild_mb_s = 0.1;  // 4 KiB in 40.96 ms: 100 rows in 4.096 s
  params.rebuild_to_end = true;
  ListSource source;
  source.requests = {request(0, 0), request(5 * kPsPerSecond, 0)};
  ArrayBench bench(params, 3, 1, 800, source);
  bench.keep = true;
  bench.run();
  EXPECT_NEAR(to_seconds(bench.controller.counters().rebuild_ended), 4.096, 0.05);
  EXPECT_EQ(sent(bench).size(), 3u);
  EXPECT_EQ(sent(bench).back(), "data read 3:0+8");  // of the spare
  EXPECT_EQ(bench.devices[0]->reads + bench.devices[0]->writes, 0u);
}

TEST(ArrayController, OnlyTheReadsOfARebuildHaveTheBackgroundPriorityIfItIsChosen) {
  ArrayParams params = params_of(Level::raid5);
  params.failures = {{0, 0}};
  params.rebuild_unit_kib = 4;
  params.rebuild_to_end = true;
  params.rebuild_reads = RebuildReads::background;
  ListSource source;
  source.requests = {request(0, 0), request(0, 8, 8, Operation::write)};
  ArrayBench bench(params, 3, 1, 800, source);
  bench.run();
  EXPECT_EQ(bench.controller.counters().rebuilt_members, 1u);
  EXPECT_EQ(bench.devices[1]->background, 100u);  // parts
  EXPECT_EQ(bench.devices[2]->background, 100u);
  EXPECT_EQ(bench.devices[3]->background, 0u);
}

TEST(ArrayController, WithoutRebuildToEndTheRunEndsWithItsRequests) {
  ArrayParams params = params_of(Level::raid5);
  params.failures = {{0, 0}};
  params.rebuild_unit_kib = 4;
  params.rebuild_mb_s = 0.1;
  ListSource source;
  source.requests = {request(kPsPerSecond, 0, 4, Operation::write)};
  ArrayBench bench(params, 3, 1, 800, source);
  bench.run();
  EXPECT_LT(now(), 2 * kPsPerSecond);
  EXPECT_EQ(bench.controller.counters().rebuilt_members, 0u);
}

TEST(ArrayController, ParityThatCannotBeReadIsMadeAgain) {
  ArrayParams params = params_of(Level::raid4);
  params.failures = {{1, 0}};
  ListSource source;
  source.requests = {request(0, 0, 8, Operation::write), request(2 * kPsPerSecond, 0, 8)};
  RecordingListener listener;
  ArrayBench bench(params, 4, 0, 800, source, 1, &listener);
  bench.devices[3]->unreadable.insert(3);
  bench.run();
  EXPECT_TRUE(bench.devices[3]->unreadable.empty());
  EXPECT_TRUE(listener.find('C', 1).status.ok);  // made from the parity, and right
}

TEST(ArrayController, AMemberThatFailsBehindTheEndOfTimeWorks) {
  ArrayParams params = params_of(Level::raid5);
  params.failures = {{1e9, 0}};  // 32 years: more picoseconds than 64 bits hold
  ListSource source;
  source.requests = {request(0, 0, 8)};
  ArrayBench bench(params, 3, 0, 800, source);
  std::uint64_t failed = 3;
  bench.queue.on_finished = [&] {
    failed = bench.controller.counters().failed_members;
    bench.controller.close();
  };
  bench.run();
  EXPECT_EQ(failed, 0u);
}

TEST(ArrayController, AMemberThatDoesNotExistCannotFail) {
  ArrayParams params = params_of(Level::raid5);
  params.failures = {{1, 3}};
  ListSource source;
  EXPECT_THROW(ArrayBench(params, 3, 0, 800, source), InputError);
}

}  // namespace
}  // namespace armature::array
