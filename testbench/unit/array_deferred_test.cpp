// Writes to copies that sleep: what goes to which copy and when, the log, failures, and a loss of power.
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "sector_set.h"
#include "support/array_bench.h"
#include "support/contents_load.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace armature::array::array_deferred_test {
namespace {

using testing::ArrayBench;
using testing::ContentsLoad;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ListSource;
using testing::request;
using ::testing::UnorderedElementsAre;

constexpr Ps kSecond = kPsPerSecond;

TEST(SectorSet, IsWhatABitForEachSectorIs) {
  constexpr std::uint64_t kSectors = 200;
  RandomStream random(1, "sector set");
  SectorSet set;
  std::vector<bool> bits(kSectors + 1);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t first = random.below(kSectors),
                        end = first + random.below(std::min<std::uint64_t>(20, kSectors - first) + 1);
    const bool add = random.chance(0.5);
    if (add)
      set.add(first, end);
    else
      set.remove(first, end);
    for (std::uint64_t i = first; i < end; ++i) bits[i] = add;
    ASSERT_EQ(set.sectors(), static_cast<std::uint64_t>(std::count(bits.begin(), bits.end(), true)));
    const std::uint64_t from = random.below(kSectors), to = from + random.below(kSectors - from + 1);
    std::uint64_t wanted = from;
    while (wanted < to && !bits[wanted]) ++wanted;
    ASSERT_EQ(set.free_until(from, to), wanted);
    ASSERT_EQ(set.overlaps(from, to), wanted < to);
    std::uint64_t last = 0;
    for (const auto& [begin, stop] : set.stretches()) {
      ASSERT_LT(begin, stop);
      ASSERT_TRUE(last == 0 || begin > last) << "stretches touch";
      last = stop;
    }
  }
}

ArrayParams params_of(double after_s = 1, double age_s = 100) {
  ArrayParams params;
  params.level = Level::raid1;
  params.mirror_read = MirrorRead::first;
  params.deferred.after_s = after_s;
  params.deferred.age_s = age_s;
  return params;
}

struct Sent {
  std::string what;  ///< "purpose op device:LBN+sectors"
  Ps begun;
};

std::vector<Sent> sent(const ArrayBench& bench) {
  std::vector<Sent> list;
  for (const ArrayBench::Ended& each : bench.ended) {
    const MemberOperation& o = each.operation;
    if (o.purpose == Purpose::check) continue;
    const char* const op = o.operation == Operation::read    ? "read"
                           : o.operation == Operation::write ? "write"
                                                             : "flush";
    list.push_back({std::string(name_of(o.purpose)) + " " + op + " " + std::to_string(o.device) + ":" +
                        std::to_string(o.lbn) + "+" + std::to_string(o.sectors),
                    o.begun});
  }
  std::stable_sort(list.begin(), list.end(), [](const Sent& a, const Sent& b) { return a.begun < b.begun; });
  return list;
}

/// Of those begun in [from, to).
std::vector<std::string> between(const ArrayBench& bench, Ps from, Ps to) {
  std::vector<std::string> list;
  for (const Sent& each : sent(bench))
    if (each.begun >= from && each.begun < to) list.push_back(each.what);
  return list;
}

TEST(ArrayDeferred, AWriteGoesToTheCopyThatIsKeptAndLaterToThoseThatSleep) {
  ListSource source;
  source.requests = {request(0, 8, 8, Operation::write), request(5 * kSecond, 100, 8, Operation::write),
                     request(6 * kSecond, 104, 8, Operation::write), request(200 * kSecond, 0, 8)};
  ArrayBench bench(params_of(), 3, 0, 800, source);
  bench.keep = true;
  bench.run();
  EXPECT_THAT(between(bench, 0, kSecond),
              UnorderedElementsAre("data write 0:8+8", "data write 1:8+8", "data write 2:8+8"))
      << "all are awake at first";
  EXPECT_THAT(between(bench, kSecond, 100 * kSecond), ElementsAre("data write 0:100+8", "data write 0:104+8"));
  EXPECT_THAT(between(bench, 105 * kSecond, 106 * kSecond),
              UnorderedElementsAre("deferred_read read 0:100+12", "deferred_write write 1:100+12",
                                   "deferred_read read 0:100+12", "deferred_write write 2:100+12"));
  EXPECT_THAT(between(bench, 106 * kSecond, 200 * kSecond), IsEmpty());
  const auto& counted = bench.controller.counters();
  EXPECT_EQ(counted.deferred_writes, 4u);
  EXPECT_EQ(counted.deferred_made_up, 24u);
  EXPECT_EQ(counted.most_deferred, 24u);
  EXPECT_GE(counted.oldest_deferred, 100 * kSecond);
  EXPECT_LT(counted.oldest_deferred, 100 * kSecond + kSecond / 10);
  EXPECT_EQ(bench.controller.counters().parts_checked, 1u);
}

TEST(ArrayDeferred, ACopyThatIsReadGetsWhatItLacks) {
  ArrayParams params = params_of();
  params.mirror_read = MirrorRead::round_robin;
  ListSource source;
  source.requests = {request(0, 0, 8), request(5 * kSecond, 100, 8, Operation::write), request(10 * kSecond, 8, 8),
                     request(20 * kSecond, 100, 8)};
  ArrayBench bench(params, 2, 0, 800, source);
  bench.keep = true;
  bench.run();
  EXPECT_THAT(between(bench, 5 * kSecond, 10 * kSecond), ElementsAre("data write 0:100+8"));
  EXPECT_THAT(between(bench, 10 * kSecond, 20 * kSecond),
              ElementsAre("data read 1:8+8", "deferred_read read 0:100+8", "deferred_write write 1:100+8"));
}

TEST(ArrayDeferred, SectorsThatACopyLacksAreReadElsewhere) {
  ArrayParams params = params_of();
  params.mirror_read = MirrorRead::round_robin;
  ListSource source;
  source.requests = {request(5 * kSecond, 100, 8, Operation::write)};
  for (int i = 0; i < 4; ++i) source.requests.push_back(request(5 * kSecond + 100 * kPsPerMs * (i + 1), 107, 2));
  ArrayBench bench(params, 2, 0, 800, source);
  bench.keep = true;
  bench.run();
  std::vector<std::string> of_host;
  for (const std::string& each : between(bench, 0, 6 * kSecond))
    if (each.rfind("data ", 0) == 0) of_host.push_back(each);
  EXPECT_THAT(of_host, ElementsAre("data write 0:100+8", "data read 0:107+2", "data read 0:107+2", "data read 0:107+2",
                                   "data read 0:107+2"));
}

TEST(ArrayDeferred, MoreThanTheLogMayHoldWakesTheCopy) {
  ArrayParams params = params_of();
  params.deferred.most_mib = 0.01;  // 20.48 sectors
  ListSource source;
  for (int i = 0; i < 3; ++i)
    source.requests.push_back(
        request((5 + i) * kSecond, 100 + 16 * static_cast<std::uint64_t>(i), 8, Operation::write));
  source.requests.push_back(request(50 * kSecond, 0, 8));
  ArrayBench bench(params, 2, 0, 800, source);
  bench.keep = true;
  bench.run();
  EXPECT_THAT(between(bench, 0, 7 * kSecond), ElementsAre("data write 0:100+8", "data write 0:116+8"));
  EXPECT_THAT(between(bench, 7 * kSecond, 8 * kSecond),
              ElementsAre("data write 0:132+8", "deferred_read read 0:100+8", "deferred_write write 1:100+8",
                          "deferred_read read 0:116+8", "deferred_write write 1:116+8", "deferred_read read 0:132+8",
                          "deferred_write write 1:132+8"))
      << "and once it is awake it gets all";
  EXPECT_EQ(bench.controller.counters().most_deferred, 24u);
}

TEST(ArrayDeferred, SeveralCopiesMayBeKept) {
  ArrayParams params = params_of();
  params.deferred.copies = 2;
  ListSource source;
  source.requests = {request(5 * kSecond, 100, 8, Operation::write), request(50 * kSecond, 0, 8)};
  ArrayBench bench(params, 3, 0, 800, source);
  bench.keep = true;
  bench.run();
  EXPECT_THAT(between(bench, 0, 40 * kSecond), UnorderedElementsAre("data write 0:100+8", "data write 1:100+8"));
  EXPECT_EQ(bench.devices[2]->writes, 1u) << "at the end of the run";
}

TEST(ArrayDeferred, AFlushLeavesACopyAloneThatWasNotWritten) {
  ListSource source;
  source.requests = {request(5 * kSecond, 100, 8, Operation::write), request(6 * kSecond, 0, 0, Operation::flush),
                     request(7 * kSecond, 0, 0, Operation::flush), request(8 * kSecond, 0, 8)};
  ArrayBench bench(params_of(), 2, 0, 800, source);
  bench.keep = true;
  bench.run();
  EXPECT_THAT(between(bench, 5 * kSecond, 8 * kSecond),
              ElementsAre("data write 0:100+8", "flush flush 0:0+0", "flush flush 0:0+0"));
}

/// How requests ended, by number, and how long each took, ps.
struct Statuses final : host::RequestListener {
  void arrived(const workload::Request&, Ps) override {}
  void dispatched(const workload::Request&, unsigned, Ps) override {}
  void completed(const workload::Request& request, unsigned, const host::CommandStatus& status, Ps at) override {
    if (ok.size() <= request.id) {
      ok.resize(request.id + 1);
      took.resize(request.id + 1);
    }
    ok[request.id] = status.ok;
    took[request.id] = at - request.arrival;
    failed_writes += !status.ok && request.operation == Operation::write ? 1 : 0;
  }
  std::uint64_t failed_writes = 0;
  std::vector<bool> ok;
  std::vector<Ps> took;
};

TEST(ArrayDeferred, AFlushOfAnArrayThatWasNeverWrittenTakesTheTimeOfACommand) {
  ListSource source;
  source.requests = {request(kSecond, 0, 0, Operation::flush), request(5 * kSecond, 0, 8)};
  Statuses statuses;
  ArrayBench bench(params_of(), 2, 0, 800, source, 1, &statuses);
  bench.keep = true;
  bench.run();
  EXPECT_THAT(between(bench, 0, 2 * kSecond), ElementsAre("flush flush 0:0+0"));
  EXPECT_THAT(statuses.ok, ElementsAre(true, true));
  EXPECT_THAT(statuses.took, ElementsAre(Gt(0), Gt(0)));
}

TEST(ArrayDeferred, AFlushGoesToTheFirstCopyThatIsLeft) {
  ArrayParams params = params_of();
  params.failures = {{0, 0}};
  ListSource source;
  source.requests = {request(kSecond, 0, 0, Operation::flush), request(5 * kSecond, 0, 8)};
  ArrayBench bench(params, 3, 0, 800, source);
  bench.keep = true;
  bench.run();
  EXPECT_THAT(between(bench, 0, 2 * kSecond), ElementsAre("flush flush 1:0+0"));
}

TEST(ArrayDeferred, AFlushFailsIfNoCopyIsLeft) {
  ArrayParams params = params_of();
  params.failures = {{0, 0}, {0.5, 1}};
  ListSource source;
  source.requests = {request(kSecond, 0, 0, Operation::flush)};
  Statuses statuses;
  ArrayBench bench(params, 2, 0, 800, source, 1, &statuses);
  bench.run();
  EXPECT_THAT(statuses.ok, ElementsAre(false));
}

TEST(ArrayDeferred, WithoutTheOnlyCopyReadsFailUntilTheSectorsAreWritten) {
  ArrayParams params = params_of();
  params.failures = {{10, 0}};
  ListSource source;
  source.requests = {
      request(5 * kSecond, 100, 8, Operation::write),  request(20 * kSecond, 96, 8),  request(21 * kSecond, 92, 8),
      request(22 * kSecond, 102, 4, Operation::write), request(23 * kSecond, 102, 4), request(24 * kSecond, 100, 2)};
  Statuses statuses;
  ArrayBench bench(params, 2, 0, 800, source, 1, &statuses);
  bench.run();
  EXPECT_THAT(statuses.ok, ElementsAre(true, false, true, true, true, false));
  EXPECT_EQ(bench.controller.counters().deferred_lost, 8u);
}

TEST(ArrayDeferred, AnotherCopyThatIsKeptStandsForTheOneThatFails) {
  ArrayParams params = params_of();
  params.deferred.copies = 2;
  params.failures = {{10, 0}};
  ListSource source;
  source.requests = {request(5 * kSecond, 100, 8, Operation::write), request(20 * kSecond, 96, 8)};
  Statuses statuses;
  ArrayBench bench(params, 3, 0, 800, source, 1, &statuses);
  bench.keep = true;
  bench.run();
  EXPECT_THAT(statuses.ok, ElementsAre(true, true));
  EXPECT_THAT(between(bench, 10 * kSecond, 11 * kSecond),
              ElementsAre("deferred_read read 1:100+8", "deferred_write write 2:100+8"))
      << "the redundancy is restored at once";
}

/// A load with writes at 5 s, of an array of which member 0 fails 5 ms later. Slow members take more than 10 ms for
/// each command, the others less than 4 ms.
struct FailsMeanwhile {
  static constexpr Ps kWritten = 5 * kSecond, kFails = kWritten + 5 * kPsPerMs, kLater = 20 * kSecond;

  explicit FailsMeanwhile(std::vector<workload::Request> requests) {
    source.requests = std::move(requests);
    params.failures = {{to_seconds(kFails), 0}};
  }
  void run(unsigned members, const std::vector<unsigned>& slow = {0}, unsigned spares = 0) {
    bench.emplace(params, members, spares, 800, source, 1, &statuses);
    bench->keep = true;
    for (const unsigned each : slow) bench->devices[each]->extra = 10 * kPsPerMs;
    bench->run();
  }
  std::vector<std::string> at_first() const { return between(*bench, kWritten, kWritten + kSecond); }

  ArrayParams params = params_of();
  ListSource source;
  Statuses statuses;
  std::optional<ArrayBench> bench;
};

TEST(ArrayDeferred, AWriteThatItsOnlyCopyDoesNotTakeGoesToTheOneThatSlept) {
  FailsMeanwhile test({request(test.kWritten, 100, 8, Operation::write),
                       request(test.kWritten, 200, 8, Operation::write), request(test.kLater, 100, 8),
                       request(test.kLater, 200, 8)});
  test.run(2);
  EXPECT_THAT(test.statuses.ok, ElementsAre(true, true, true, true));
  EXPECT_THAT(test.at_first(), UnorderedElementsAre("data write 0:100+8", "data write 0:200+8", "data write 1:100+8",
                                                    "data write 1:200+8"));
  EXPECT_EQ(test.bench->devices[1]->forced, 2u) << "the log forgets what is on the media";
  EXPECT_EQ(test.bench->controller.counters().deferred_lost, 0u);
}

TEST(ArrayDeferred, AWriteThatNoCopyTakesFails) {
  FailsMeanwhile test({request(test.kWritten, 100, 8, Operation::write), request(test.kLater, 100, 8)});
  test.params.failures.push_back({to_seconds(test.kWritten) + 0.015, 1});
  test.run(2, {0, 1});
  EXPECT_THAT(test.statuses.ok, ElementsAre(false, false));
}

TEST(ArrayDeferred, AWriteGoesToAllCopiesThatSleptIfTheOneThatIsKeptFailsMeanwhile) {
  FailsMeanwhile test({request(test.kWritten, 100, 8, Operation::write), request(test.kLater, 100, 8)});
  test.run(3);
  EXPECT_THAT(test.statuses.ok, ElementsAre(true, true));
  EXPECT_THAT(test.at_first(), UnorderedElementsAre("data write 0:100+8", "data write 1:100+8", "data write 2:100+8"));
}

TEST(ArrayDeferred, OfWritesToTheSameSectorsTheLaterOneStandsWhenTheirOnlyCopyFailsMeanwhile) {
  FailsMeanwhile test({request(test.kWritten, 100, 8, Operation::write),
                       request(test.kWritten + 1, 104, 8, Operation::write),
                       request(test.kWritten + 2, 102, 4, Operation::write), request(test.kLater, 96, 20)});
  test.run(2);
  EXPECT_THAT(test.statuses.ok, ElementsAre(true, true, true, true));
  EXPECT_THAT(test.at_first(),
              ElementsAre("data write 0:100+8", "data write 1:100+8", "data write 1:104+8", "data write 1:102+4"));
  const auto& ended = test.bench->ended;
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(ended[i].operation.begun, ended[i - 1].at);
}

TEST(ArrayDeferred, OnlyWhatWasAcknowledgedIsLostWithTheOnlyCopy) {
  FailsMeanwhile test({request(test.kWritten - 2 * kSecond, 100, 40, Operation::write),
                       request(test.kWritten, 110, 8, Operation::write), request(test.kLater, 110, 8),
                       request(test.kLater, 102, 8), request(test.kLater, 118, 2)});
  test.run(2);
  EXPECT_THAT(test.statuses.ok, ElementsAre(true, true, true, false, false));
  EXPECT_EQ(test.bench->controller.counters().deferred_lost, 32u);
}

TEST(ArrayDeferred, AReadWaitsForAWriteThatGoesToTheNextCopy) {
  FailsMeanwhile test({request(test.kWritten, 100, 8, Operation::write), request(test.kWritten + kPsPerMs, 96, 20),
                       request(test.kWritten + 8 * kPsPerMs, 102, 2), request(test.kWritten + 8 * kPsPerMs, 90, 12)});
  test.run(2);
  EXPECT_THAT(test.statuses.ok, ElementsAre(true, true, true, true));
}

TEST(ArrayDeferred, AWriteGoesToTheNextCopyWhereTheOneThatHadItFailsBeforeTheWriteHasEnded) {
  FailsMeanwhile test({request(test.kWritten, 0, 16, Operation::write), request(test.kLater, 0, 16)});
  test.params.level = Level::raid10;
  test.params.stripe_unit_kib = 4;
  test.run(4, {2});
  EXPECT_THAT(test.statuses.ok, ElementsAre(true, true));
  EXPECT_EQ(test.bench->controller.counters().deferred_lost, 0u);
  EXPECT_THAT(test.at_first(), ::testing::IsSupersetOf({"data write 0:0+8", "data write 2:0+8", "data write 1:0+8"}));
}

TEST(ArrayDeferred, AWriteFailsWhereEachCopyThatHadItFailsBeforeTheWriteHasEnded) {
  FailsMeanwhile test({request(test.kWritten, 0, 16, Operation::write), request(test.kLater, 8, 8)});
  test.params.level = Level::raid10;
  test.params.stripe_unit_kib = 4;
  test.params.failures.push_back({to_seconds(test.kWritten) + 0.017, 1});
  test.run(4, {1, 2});
  EXPECT_THAT(test.statuses.ok, ElementsAre(false, true));
}

TEST(ArrayDeferred, ASpareGetsAWriteThatWentToTheNextCopy) {
  FailsMeanwhile test({request(test.kWritten, 100, 8, Operation::write), request(test.kLater, 100, 8)});
  test.run(2, {0}, /*spares=*/1);
  EXPECT_THAT(test.statuses.ok, ElementsAre(true, true));
  EXPECT_EQ(test.bench->controller.counters().rebuilt_members, 1u);
  EXPECT_EQ(test.bench->controller.counters().parts_checked, 1u);
}

TEST(ArrayDeferred, AnUnreadableSectorOfTheOnlyCopyCostsNoOther) {
  ListSource source;
  source.requests = {request(5 * kSecond, 100, 40, Operation::write), request(150 * kSecond, 0, 8)};
  ArrayBench bench(params_of(), 2, 0, 800, source);
  sc_core::sc_start(to_sc_time(50 * kSecond), sc_core::SC_RUN_TO_TIME);
  bench.devices[0]->unreadable.insert(117);
  bench.run();
  EXPECT_EQ(bench.controller.counters().deferred_lost, 8u);
  EXPECT_EQ(bench.controller.counters().deferred_made_up, 32u);
}

TEST(ArrayDeferred, KeysThatDoNotGoTogetherAreErrors) {
  const auto error = [](ArrayParams params) {
    try {
      params.check_deferred();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  ArrayParams params = params_of();
  EXPECT_EQ(error(params), "");
  params.scrub_mb_s = 1;
  EXPECT_THAT(error(params), HasSubstr("a scrub (scrub_mb_s) would compare"));
  params = params_of();
  params.level = Level::raid10;
  EXPECT_EQ(error(params), "");
  params.level = Level::raid5;
  EXPECT_THAT(error(params), HasSubstr("with level = \"raid1\" or \"raid10\" only"));
  params.deferred.after_s = 0;
  EXPECT_EQ(error(params), "");
}

// ---------------------------------------------------------------------------------------------------------------------
// Random loads

constexpr std::uint64_t kMemberSectors = 2'000;

ContentsLoad::Params load_of(std::uint64_t seed) {
  ContentsLoad::Params load;
  load.seed = seed;
  load.count = 6'000;
  load.sectors = kMemberSectors;
  load.hot_sectors = 1'000;
  load.max_sectors = 40;
  load.outstanding = 3;
  load.read_share = 0.8;
  load.pause_share = 0.2;
  return load;
}

ArrayParams random_params(RandomStream& random) {
  ArrayParams params = params_of(std::vector<double>{0.003, 0.006, 0.01}[random.below(3)],
                                 std::vector<double>{0.01, 0.2, 5}[random.below(3)]);
  params.mirror_read = static_cast<MirrorRead>(random.below(5));
  params.queue_threshold = 2;
  params.deferred.most_mib = random.chance(0.5) ? 0.02 : 64;
  params.rebuild_unit_kib = std::vector<double>{0.5, 16, 64}[random.below(3)];
  params.rebuild_to_end = true;
  if (random.chance(0.3)) {
    params.cache.size_mib = 0.1;
    params.cache.line_kib = 2;
    params.cache.destage_idle_ms = 20;
  }
  return params;
}

class ArrayDeferredContents : public ::testing::TestWithParam<unsigned> {
 protected:
  const std::uint64_t seed_ = GetParam();
  RandomStream random_{seed_, "deferred contents"};
  const ArrayParams params_ = random_params(random_);
  const unsigned members_ = 2 + static_cast<unsigned>(random_.below(2));
  ContentsLoad load_{load_of(seed_)};
  double some_time() { return random_.uniform() * 6; }
};

TEST_P(ArrayDeferredContents, AreRight) {
  ArrayBench bench(params_, members_, 0, kMemberSectors, load_, seed_);
  bench.run();
  EXPECT_GT(bench.controller.counters().deferred_writes, 100u);
  EXPECT_EQ(bench.controller.counters().deferred_lost, 0u);
  EXPECT_GT(bench.controller.counters().parts_checked, 0u);
  EXPECT_THAT(bench.controller.deferred(), IsEmpty());
}

TEST_P(ArrayDeferredContents, AreRightWhenACopyThatMaySleepFailsAndIsRebuilt) {
  ArrayParams params = params_;
  params.failures = {{some_time(), static_cast<std::int64_t>(members_) - 1}};
  ArrayBench bench(params, members_, 1, kMemberSectors, load_, seed_);
  bench.run();
  EXPECT_EQ(bench.controller.counters().rebuilt_members, 1u);
  EXPECT_EQ(bench.controller.counters().deferred_lost, 0u);
  EXPECT_THAT(bench.controller.deferred(), IsEmpty());
}

TEST_P(ArrayDeferredContents, AreErrorsAndNeverWrongDataWhenTheOnlyCopyFails) {
  ArrayParams params = params_;
  params.failures = {{some_time(), 0}};
  Statuses statuses;
  ArrayBench bench(params, members_, 1, kMemberSectors, load_, seed_, &statuses);
  bench.run();
  EXPECT_EQ(statuses.failed_writes, 0u) << "another copy takes them";
}

TEST_P(ArrayDeferredContents, AreErrorsAndNeverWrongDataWhenOneCopyFailsSoonAfterAnother) {
  ArrayParams params = params_;
  const double first = some_time();
  params.failures = {{first, 0}, {first + random_.uniform() * 0.01, 1}};
  Statuses statuses;
  ArrayBench bench(params, 3, 0, kMemberSectors, load_, seed_, &statuses);
  bench.run();
  EXPECT_EQ(statuses.failed_writes, 0u) << "the third copy takes them";
}

TEST_P(ArrayDeferredContents, AreRightWithTwoCopiesKeptOfWhichOneFails) {
  ArrayParams params = params_;
  params.deferred.copies = 2;
  params.failures = {{some_time(), 0}};
  Statuses statuses;
  ArrayBench bench(params, 3, 1, kMemberSectors, load_, seed_, &statuses);
  bench.run();
  EXPECT_EQ(std::count(statuses.ok.begin(), statuses.ok.end(), false), 0);
  EXPECT_EQ(bench.controller.counters().deferred_lost, 0u);
  EXPECT_EQ(bench.controller.counters().rebuilt_members, 1u);
}

TEST_P(ArrayDeferredContents, AreErrorsAndNeverWrongDataWhereSectorsCannotBeRead) {
  ArrayBench bench(params_, members_, 0, kMemberSectors, load_, seed_);
  sc_core::sc_start(to_sc_time(from_seconds(some_time() / 3)), sc_core::SC_RUN_TO_TIME);
  for (std::uint64_t lbn = 7; lbn < kMemberSectors; lbn += 97) bench.devices[0]->unreadable.insert(lbn);
  bench.run();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ArrayDeferredContents, ::testing::Range(1u, 13u));

/// Mirrored stripes: each pair has a copy that is kept and one that may sleep.
class ArrayDeferredPairs : public ArrayDeferredContents {
 protected:
  ArrayDeferredPairs() {
    params_.level = Level::raid10;
    params_.stripe_unit_kib = 4;
  }
  void run(unsigned spares) {
    bench_.emplace(params_, 4, spares, kMemberSectors, load_, seed_, &statuses_);
    bench_->run();
    EXPECT_GT(bench_->controller.counters().deferred_writes, 100u);
    EXPECT_THAT(bench_->controller.deferred(), IsEmpty());
  }
  ArrayParams params_ = ArrayDeferredContents::params_;
  Statuses statuses_;
  std::optional<ArrayBench> bench_;
};

TEST_P(ArrayDeferredPairs, AreRight) {
  run(0);
  EXPECT_EQ(bench_->controller.counters().deferred_lost, 0u);
  EXPECT_GT(bench_->controller.counters().parts_checked, 0u);
}

TEST_P(ArrayDeferredPairs, AreRightWhenACopyThatMaySleepFailsAndIsRebuilt) {
  params_.failures = {{1 + some_time(), 3}};
  run(1);
  EXPECT_EQ(std::count(statuses_.ok.begin(), statuses_.ok.end(), false), 0);
  EXPECT_EQ(bench_->controller.counters().rebuilt_members, 1u);
  EXPECT_EQ(bench_->controller.counters().deferred_lost, 0u);
}

TEST_P(ArrayDeferredPairs, AreErrorsAndNeverWrongDataWhenACopyThatIsKeptFails) {
  params_.failures = {{1 + some_time(), 2}};
  bench_.emplace(params_, 4, 1, kMemberSectors, load_, seed_, &statuses_);
  bench_->run();
  EXPECT_EQ(statuses_.failed_writes, 0u) << "the other copy takes them";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ArrayDeferredPairs, ::testing::Range(1u, 13u));

}  // namespace
}  // namespace armature::array::array_deferred_test
