// Power is lost while an array writes. A second controller takes over what is on the media, and the log of rows under
// way.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "support/array_bench.h"
#include "support/contents_load.h"
#include "support/host_bench.h"

#include <gtest/gtest.h>

#include <memory>
#include <tuple>
#include <vector>

namespace armature::array {
namespace {

using testing::ArrayBench;
using testing::ContentsLoad;
using testing::ListSource;
using testing::request;

constexpr std::uint64_t kMemberSectors = 2'000;
constexpr Ps kBack = 10 * kPsPerSecond;  ///< power is back; the media are read then

/// Reads go to the check of the load before the loss of power.
class CheckAfterwards final : public host::DataPort {
 public:
  explicit CheckAfterwards(host::ContentsCheck& check) : check_(check) {}
  std::uint8_t* dispatched(const workload::Request& request, unsigned tag) override {
    if (tag >= buffers_.size()) buffers_.resize(tag + 1);
    buffers_[tag].assign(request.sectors * std::size_t{512}, 0);
    return buffers_[tag].data();
  }
  void completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status) override {
    failed += status.ok ? 0 : 1;
    for (std::uint32_t i = 0; status.ok && i < request.sectors; ++i)
      wrong += check_.acceptable(request.lbn + i, buffers_[tag].data() + i * std::size_t{512}, true) ? 0 : 1;
  }
  std::uint64_t wrong = 0, failed = 0;

 private:
  host::ContentsCheck& check_;
  std::vector<std::vector<std::uint8_t>> buffers_;
};

struct Case {
  Level level;
  unsigned members;
  std::int64_t copies = 2;  ///< of raid10
};
constexpr Case kCases[] = {
    {Level::raid1, 3}, {Level::raid10, 4}, {Level::raid4, 4}, {Level::raid5, 5}, {Level::raid10, 6, 3}};

ArrayParams params_of(Level level, std::int64_t copies = 2) {
  ArrayParams params;
  params.level = level;
  params.copies = copies;
  params.stripe_unit_kib = 4;
  return params;
}

/// A load, a loss of power in the middle of it, and all data read afterwards.
struct PowerCut {
  PowerCut(const Case& c, std::uint64_t seed, const ArrayParams& after, bool with_log, bool cache_restored = true,
           bool with_deferred = true)
      : load(load_of(Layout(c.level, std::vector<std::uint64_t>(c.members, kMemberSectors), 8, {},
                            static_cast<unsigned>(after.copies)),
                     seed, after.deferred.after_s > 0)),
        before(std::make_unique<ArrayBench>(before_params(c.level, after), c.members, 0, kMemberSectors, load, seed)) {
    // Each sector is read three times, as copies that differ show in the second reading, and the third is without a
    // member.
    for (int round = 0; round < 3; ++round)
      for (std::uint64_t lbn = 0; lbn < before->layout.sectors(); lbn += 8)
        source.requests.push_back(request(kBack + round * kBack, lbn, 8));
    next = std::make_unique<ArrayBench>(after, c.members, 0, kMemberSectors, source, seed + 1, nullptr, "after");
    reads = std::make_unique<CheckAfterwards>(before->check);
    next->queue.set_data_port(*reads);
    RandomStream random(seed, "power cut");
    const Ps cut = 50 * kPsPerMs + static_cast<Ps>(random.below(static_cast<std::uint64_t>(200 * kPsPerMs)));
    sc_core::sc_start(to_sc_time(cut), sc_core::SC_RUN_TO_TIME);
    const bool defers = after.deferred.after_s > 0;
    while (before->controller.under_way().empty() || (defers && before->controller.deferred().size() < 5))
      sc_core::sc_start(to_sc_time(kPsPerMs / 10));
    EXPECT_FALSE(before->queue.finished());
    EXPECT_LT(now(), kBack);
    const auto dirty = before->controller.under_way();
    const auto log = before->controller.deferred();
    under_way = dirty.size();
    deferred = log.size();
    before->check.power_lost();
    load.stop();
    for (std::size_t i = 0; i < before->devices.size(); ++i) {
      before->devices[i]->power_lost(random);
      next->devices[i]->take(*before->devices[i]);
    }
    if (with_log) next->controller.recover(dirty, with_deferred ? log : std::vector<ArrayController::DeferredWrite>());
    if (before->cache) {
      in_cache = before->cache->survives().size();
      if (cache_restored) next->cache->restore(before->cache->survives());
    }
    if (before->staging) {
      in_cache = before->staging->dirty_lines();
      if (cache_restored) next->staging->restore(before->staging->survives());
    }
    sc_core::sc_start();
    EXPECT_TRUE(next->queue.finished()) << next->controller.diagnosis();
  }

  static ArrayParams before_params(Level level, const ArrayParams& after) {
    ArrayParams params = params_of(level, after.copies);
    params.cache = after.cache;
    params.staging = after.staging;
    params.deferred = after.deferred;
    params.mirror_read = after.mirror_read;
    return params;
  }
  /// @param sparse  copies have time to sleep
  static ContentsLoad::Params load_of(const Layout& layout, std::uint64_t seed, bool sparse) {
    ContentsLoad::Params params;
    params.seed = seed;
    params.count = 100'000;
    params.sectors = layout.sectors();
    params.hot_sectors = layout.sectors() / 4;
    params.max_sectors = 40;
    params.read_share = 0.2;
    params.pause_share = 0;
    if (sparse) {
      params.outstanding = 3;
      params.read_share = 0.6;
      params.pause_share = 0.2;
    }
    return params;
  }

  ContentsLoad load;
  std::unique_ptr<ArrayBench> before, next;
  ListSource source;
  std::unique_ptr<CheckAfterwards> reads;
  std::size_t under_way = 0;
  std::size_t deferred = 0;  ///< stretches in the log of writes that were put off
  std::size_t in_cache = 0;  ///< dirty sectors that survived; of a store, lines
};

class ArrayPowerCut : public ::testing::TestWithParam<std::tuple<unsigned, unsigned>> {
 protected:
  const Case case_ = kCases[std::get<0>(GetParam())];
  const std::uint64_t seed_ = std::get<1>(GetParam());
};

/// A member fails when the first reads are over: what was its is made from copies or parity then.
ArrayParams failing_later(const Case& c, std::int64_t member) {
  ArrayParams params = params_of(c.level, c.copies);
  params.failures = {{to_seconds(kBack) * 2.5, member}};
  return params;
}

TEST_P(ArrayPowerCut, WithTheLogCopiesAndParityAreMadeAnew) {
  PowerCut cut(case_, seed_, failing_later(case_, 1), /*with_log=*/true);
  EXPECT_GT(cut.under_way, 0u);
  EXPECT_EQ(cut.next->controller.counters().resynced, cut.under_way);
  EXPECT_EQ(cut.next->controller.counters().torn, 0u);
  EXPECT_EQ(cut.reads->failed, 0u);
  EXPECT_EQ(cut.reads->wrong, 0u);
  EXPECT_EQ(cut.before->check.mismatches(), 0u);
}

TEST_P(ArrayPowerCut, AMemberThatIsMissingThenIsNotMadeFromTornParity) {
  ArrayParams params = params_of(case_.level, case_.copies);
  params.failures = {{0, 1}};
  PowerCut cut(case_, seed_, params, /*with_log=*/true);
  EXPECT_EQ(cut.reads->wrong, 0u);
  EXPECT_EQ(cut.reads->failed > 0, cut.next->controller.counters().torn > 0);
  EXPECT_EQ(cut.next->controller.counters().torn > 0, cut.next->layout.parity());
}

ArrayParams with_cache(ArrayParams params, bool nonvolatile) {
  params.cache.size_mib = 0.5;
  params.cache.nonvolatile = nonvolatile;
  params.cache.destage_at = 0.1;
  return params;
}

TEST_P(ArrayPowerCut, WhatACacheHasAcknowledgedSurvivesInMemoryThatKeepsIt) {
  PowerCut cut(case_, seed_, with_cache(failing_later(case_, 1), true), /*with_log=*/true);
  EXPECT_GT(cut.in_cache, 0u);
  EXPECT_EQ(cut.reads->failed, 0u);
  EXPECT_EQ(cut.reads->wrong, 0u);
}

TEST_P(ArrayPowerCut, OfAVolatileCacheWhatWasFlushedSurvives) {
  PowerCut cut(case_, seed_, with_cache(failing_later(case_, 1), false), /*with_log=*/true);
  EXPECT_EQ(cut.in_cache, 0u);
  EXPECT_GT(cut.before->cache->dirty_lines(), 0u);
  EXPECT_EQ(cut.reads->failed, 0u);
  EXPECT_EQ(cut.reads->wrong, 0u);
}

ArrayParams with_store(ArrayParams params) {
  params.staging.store = "store";
  params.staging.line_kib = 4;
  params.staging.largest_kib = 12;
  params.staging.destage_at = 0.2;
  return params;
}

TEST_P(ArrayPowerCut, WhatAStoreHasAcknowledgedSurvives) {
  PowerCut cut(case_, seed_, with_store(failing_later(case_, 1)), /*with_log=*/true);
  EXPECT_GT(cut.in_cache, 0u);
  EXPECT_GT(cut.before->staging->counters().destages, 0u);
  EXPECT_GT(cut.before->staging->counters().writes_past, 0u);
  EXPECT_EQ(cut.reads->failed, 0u);
  EXPECT_EQ(cut.reads->wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Levels, ArrayPowerCut,
                         ::testing::Combine(::testing::Range(0u, 5u), ::testing::Values(1u, 2u, 3u)));

ArrayParams deferring(std::int64_t failing) {
  ArrayParams params = failing_later({Level::raid1, 2}, failing);
  params.mirror_read = MirrorRead::first;
  params.deferred.after_s = 0.003;
  params.deferred.age_s = 1;  // none is made up for before the loss of power, all are before the member fails
  return params;
}

class ArrayPowerCutDeferred : public ::testing::TestWithParam<std::tuple<unsigned, unsigned>> {
 protected:
  PowerCut cut_with(bool with_deferred) {
    return PowerCut({Level::raid1, std::get<0>(GetParam())}, std::get<1>(GetParam()), deferring(0), /*with_log=*/true,
                    /*cache_restored=*/true, with_deferred);
  }
};

TEST_P(ArrayPowerCutDeferred, WhatCopiesLackIsInTheLog) {
  const PowerCut cut = cut_with(true);
  EXPECT_GT(cut.deferred, 0u);
  EXPECT_GT(cut.next->controller.counters().deferred_made_up, 0u);
  EXPECT_EQ(cut.next->controller.counters().torn, 0u);
  EXPECT_EQ(cut.reads->failed, 0u);
  EXPECT_EQ(cut.reads->wrong, 0u);
}

class ArrayPowerCutOfPairsDeferred : public ::testing::TestWithParam<unsigned> {};

TEST_P(ArrayPowerCutOfPairsDeferred, WhatCopiesLackIsInTheLog) {
  ArrayParams params = deferring(2);
  params.level = Level::raid10;
  params.stripe_unit_kib = 4;
  const PowerCut cut({Level::raid10, 4}, GetParam(), params, /*with_log=*/true);
  EXPECT_GT(cut.deferred, 0u);
  EXPECT_GT(cut.next->controller.counters().deferred_made_up, 0u);
  EXPECT_EQ(cut.reads->failed, 0u);
  EXPECT_EQ(cut.reads->wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ArrayPowerCutOfPairsDeferred, ::testing::Range(1u, 9u));

/// With two members: of three, the one that stands for the first may have been awake.
class ArrayPowerCutOfTwoDeferred : public ArrayPowerCutDeferred {};

TEST_P(ArrayPowerCutOfTwoDeferred, WithoutThatLogOldDataComeBack) {
  EXPECT_GT(cut_with(false).reads->wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Members, ArrayPowerCutDeferred,
                         ::testing::Combine(::testing::Values(2u, 3u), ::testing::Range(1u, 9u)));
INSTANTIATE_TEST_SUITE_P(Members, ArrayPowerCutOfTwoDeferred,
                         ::testing::Combine(::testing::Values(2u), ::testing::Range(1u, 9u)));

TEST(ArrayRecovery, CommandsWaitUntilTheRowsAgree) {
  ListSource source;
  source.requests = {request(0, 0, 4, Operation::write), request(0, 200, 8)};
  ArrayBench bench(params_of(Level::raid5), 4, 0, 800, source);
  bench.keep = true;
  bench.controller.recover({{0, 8}, {16, 8}});
  bench.run();
  Ps over = 0;
  std::size_t resyncs = 0;
  for (const auto& each : bench.ended) {
    const bool resync =
        each.operation.purpose == Purpose::resync_read || each.operation.purpose == Purpose::resync_write;
    over = resync ? std::max(over, each.at) : over;
    resyncs += resync ? 1 : 0;
  }
  EXPECT_EQ(resyncs, 2u * (3 + 1));
  for (const auto& each : bench.ended) {
    EXPECT_TRUE(each.operation.tag < 0 || each.operation.begun >= over) << name_of(each.operation.purpose);
  }
  EXPECT_EQ(bench.controller.counters().resynced, 2u);
}

TEST(ArrayRecovery, WhatACopyLacksIsMadeFromTheOthersAndNotTheOthersFromIt) {
  ArrayParams params = deferring(0);
  params.failures = {{0, 0}};
  ListSource source;
  source.requests = {request(5 * kPsPerSecond, 100, 24)};
  ArrayBench bench(params, 3, 0, 800, source);
  bench.devices[1]->damage(105);  // what it had before
  bench.devices[2]->damage(119);  // of a write that was under way: the copies differ
  bench.controller.recover({{100, 24}}, {{1, 104, 8}});
  bench.run();  // copies are compared at the end
  EXPECT_EQ(bench.controller.counters().resynced, 3u) << "before, where a copy lacks some, and behind";
  EXPECT_EQ(bench.controller.counters().torn, 0u);
  EXPECT_EQ(bench.controller.counters().parts_checked, 1u);
  EXPECT_EQ(bench.controller.counters().deferred_made_up, 8u);
  EXPECT_EQ(bench.devices[2]->writes, 2u) << "but not where the other copy lacks sectors";
}

TEST(ArrayRecovery, ATornSectorLeavesTheParityOfItsOwnPlaceOnlyAsItWas) {
  ListSource source;
  source.requests = {request(0, 16, 8, Operation::write)};
  ArrayParams params = params_of(Level::raid5);
  params.stripe_unit_kib = 16;
  ArrayBench bench(params, 4, 0, 800, source);
  const unsigned parity = bench.layout.parity_member(0);
  bench.devices[parity]->damage(3);
  bench.devices[parity]->damage(17);
  bench.devices[bench.layout.member(0, 0)]->unreadable = {17};
  bench.controller.recover({{0, 32}});
  bench.run();  // the write makes the parity of its sectors, and copies are compared at the end
  EXPECT_EQ(bench.controller.counters().torn, 1u);
  EXPECT_GT(bench.controller.counters().parts_checked, 0u);
  EXPECT_EQ(bench.controller.counters().parts_different, 0u);
}

TEST(ArrayRecovery, EndsBeforeTheRunDoesWhenThereAreNoCommands) {
  ListSource source;
  ArrayBench bench(params_of(Level::raid10), 4, 0, 800, source);
  bench.devices[1]->damage(17);
  bench.controller.recover({{16, 8}});
  bench.run();  // copies are compared at the end
  EXPECT_EQ(bench.controller.counters().parts_checked, 1u);
}

TEST(ArrayRecovery, ASpareIsTakenAfterwardsAndNotFilledFromTornRows) {
  ListSource source;
  ArrayParams params = params_of(Level::raid4);
  params.failures = {{0, 0}};
  params.rebuild_to_end = true;
  ArrayBench bench(params, 4, 1, 800, source);
  bench.controller.recover({{16, 8}});
  bench.run();
  EXPECT_EQ(bench.controller.counters().torn, 1u);
  EXPECT_EQ(bench.controller.counters().rebuilt_members, 0u);
}

TEST(ArrayPowerCutWithoutLog, TheWriteHoleReturnsWrongData) {
  PowerCut cut({Level::raid5, 5}, 1, failing_later({Level::raid5, 5}, 1), /*with_log=*/false);
  EXPECT_GT(cut.under_way, 0u);
  EXPECT_GT(cut.reads->wrong, 0u);
}

TEST(ArrayPowerCutWithoutTheMapOfItsStore, AcknowledgedWritesAreLost) {
  PowerCut cut({Level::raid5, 5}, 1, with_store(params_of(Level::raid5)), /*with_log=*/true, /*cache_restored=*/false);
  EXPECT_GT(cut.in_cache, 0u);
  EXPECT_GT(cut.reads->wrong, 0u);
}

TEST(ArrayPowerCutWithoutItsCache, AcknowledgedWritesAreLost) {
  PowerCut cut({Level::raid5, 5}, 1, with_cache(params_of(Level::raid5), true), /*with_log=*/true,
               /*cache_restored=*/false);
  EXPECT_GT(cut.in_cache, 0u);
  EXPECT_GT(cut.reads->wrong, 0u);
}

}  // namespace
}  // namespace armature::array
