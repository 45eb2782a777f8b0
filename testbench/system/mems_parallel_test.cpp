// A host that sends requests to a MEMS store in batches (host.parallel): what the store keeps under load, with caches,
// resets, tips that fail, and when its supply fails in the middle of a batch. The full tier gives it a million
// requests.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/host/contents_check.h"
#include "armature/mems/layout.h"
#include "support/contents_load.h"
#include "support/doomed_store.h"
#include "support/mems_bench.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

#ifdef MEMS_DRIVE_FULL
constexpr std::uint64_t kRequests = 1'000'000;
#else
constexpr std::uint64_t kRequests = 6'000;
#endif
constexpr std::uint64_t kHot = 100 * 2'700, kHotBlocks = 2'700;  // one cylinder

ContentsLoad::Params short_requests(const mems::MemsDriveParams& params, std::uint64_t count) {
  ContentsLoad::Params load;
  load.sectors = mems::Layout(params.store).blocks();
  load.count = count;
  load.hot_first = kHot;
  load.hot_sectors = kHotBlocks;
  load.outstanding = 100;  // four in each class
  load.flush_share = 0.003;
  load.far_share = 0.02;
  load.stream_share = 0.02;
  load.max_sectors = 2;
  load.pause_share = 0.0005;
  return load;
}

host::HostParams in_batches(double reset_interval_ms = 0) {
  host::HostParams host;
  host.ncq = false;
  host.parallel = true;
  host.policy = host::Policy::clook;
  host.reset_interval_ms = reset_interval_ms;
  return host;
}

void caches(mems::MemsDriveParams& params) {
  params.cache.write = params.cache.look_ahead = params.cache.read_on_arrival = params.cache.free_reads = true;
  params.buffer.size_kib = 512;
}

struct BatchBench {
  BatchBench(const mems::MemsDriveParams& params, std::uint64_t count, double reset_interval_ms = 0)
      : load(short_requests(params, count)), check({}), bench("store", params, in_batches(reset_interval_ms), load) {
    bench.queue.set_data_port(check);
    bench.queue.set_parallel(bench.adapter);
    sc_core::sc_start();
    EXPECT_TRUE(bench.queue.finished());
    EXPECT_FALSE(bench.disk.failed());
    EXPECT_EQ(check.mismatches(), 0u);
    for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
    EXPECT_GT(check.sectors_compared(), count / 2);
    EXPECT_GT(batched().batches, count / 10);
    EXPECT_GT(batched().requests, 2 * batched().batches);
  }
  host::HostQueue::Batched batched() const { return bench.queue.batched(); }

  ContentsLoad load;
  host::ContentsCheck check;
  MemsBench bench;
};

class MemsParallel : public ::testing::TestWithParam<MemsVariant> {};

TEST_P(MemsParallel, EveryReadBringsWhatWasWritten) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = false;
  GetParam().change(params);
  const BatchBench store(params, kRequests, GetParam().reset_interval_ms);
  EXPECT_EQ(store.bench.failed.size(), 0u);
  EXPECT_EQ(store.batched().failed, 0u);
  if (GetParam().reset_interval_ms > 0) {
    EXPECT_GT(store.bench.adapter.counters().reissued, kRequests / 100);
  }
}

const MemsVariant kVariants[] = {
    {"without_caches", [](mems::MemsDriveParams&) {}},
    {"with_caches", caches},
    {"keeps_written",
     [](mems::MemsDriveParams& p) {
       caches(p);
       p.cache.keep_written = p.cache.hardware_hits = true;
     }},
    {"resets", caches, 2.3},
    {"shared_parts_and_two_sleds",
     [](mems::MemsDriveParams& p) {
       caches(p);
       p.store.tips.spread = mems::TipSpread::die;
       p.store.tips.shared = 5;
       p.store.tips.reach_bits = 2;
       p.store.sled.count = 2;
       p.store.sled.move_x_um = 4;
     }},
    {"retries",
     [](mems::MemsDriveParams& p) {
       caches(p);
       p.channel.errors = channel::ChannelParams::rate;
       p.channel.sector_error_rate = 0.01;
       p.channel.sector_sigma_db = 0;
       p.channel.ladder = {{6, 0, 0, 0}};
     }},
    {"tips_fail_and_are_replaced",
     [](mems::MemsDriveParams& p) {
       caches(p);
       for (std::uint32_t i = 0; i < 8; ++i) p.store.tips.failures.push_back({0.05 * i, 64 * i + i % 2});
       p.store.tips.failures.push_back({0.2, 66});
       p.store.tips.spare = 9;
     }},
};
INSTANTIATE_TEST_SUITE_P(Stores, MemsParallel, ::testing::ValuesIn(kVariants),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(MemsParallelTips, BeyondTheSparesBlocksAreUnreadableAndNeverWrong) {
  mems::MemsDriveParams params = mems_g2();
  caches(params);
  params.store.tips.failures = {{0.1, 0}, {0.1, 3}, {0.15, 7}, {0.2, 64 * 11}, {0.2, 64 * 11 + 5}, {0.25, 64 * 11 + 6}};
  params.store.tips.spare = 1;
  const BatchBench store(params, kRequests);
  EXPECT_GT(store.bench.failed.size(), 10u);
  EXPECT_GT(store.batched().failed, 10u);
  const mems::Layout layout(params.store);
  for (const observe::RequestRecord& record : store.bench.records) {
    if (record.ok || record.operation == Operation::flush) continue;  // a flush tells of what the cache could not write
    bool bad = false;                                                 // of the cells whose tips fail
    for (std::uint64_t i = 0; i < record.sectors; ++i) {
      const std::uint32_t tip = layout.locate(record.lbn + i).first_tip;
      bad = bad || tip == 0 || tip == 64 * 11;
    }
    ASSERT_TRUE(bad) << record.lbn << '+' << record.sectors << ": " << observe::status_of(record);
    if (record.operation == Operation::read) {
      ASSERT_EQ(observe::status_of(record), "UNC");
    }
  }
}

TEST(MemsParallel, RequestsOfABatchGoThroughItsPhasesAndEndTogether) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = false;
  const BatchBench store(params, 3'000);
  std::uint64_t without_access = 0, together = 0;
  Ps last = -1;
  for (const observe::RequestRecord& record : store.bench.records) {
    if (record.operation == Operation::flush) continue;
    without_access += record.accesses == 0 ? 1 : 0;
    // Those of a batch end at the same instant.
    together += record.completion == last ? 1 : 0;
    last = record.completion;
    Ps sum = 0;
    for (const Ps phase : record.phases) sum += phase;
    ASSERT_EQ(sum, record.response());
    ASSERT_EQ(observe::served_by(record), observe::ServedBy::medium);
    ASSERT_GT(record.phases[static_cast<std::size_t>(Phase::transfer)], 0);
  }
  const auto batched = store.batched();
  EXPECT_EQ(without_access, batched.requests - batched.batches);
  EXPECT_EQ(together, batched.requests - batched.batches);
}

// --- A loss of power in the middle of a batch ------------------------------------------------------------------------

class MemsParallelPowerLoss : public ::testing::TestWithParam<bool> {};

TEST_P(MemsParallelPowerLoss, LeavesWhatWasAcknowledgedAsDurable) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = GetParam();
  params.buffer.size_kib = 1024;
  RandomStream random(11, "power");
  std::vector<std::unique_ptr<DoomedStore>> stores;
  constexpr unsigned kStores = 120;
  for (unsigned i = 0; i < kStores; ++i) {
    ContentsLoad::Params load = short_requests(params, 1'000'000);
    load.seed = random.bits();
    load.read_share = 0.2;
    load.far_share = 0;
    const Ps cut = 2 * kPsPerMs + static_cast<Ps>(random.below(100 * kPsPerMs));
    const std::string name = "store" + std::to_string(i);
    stores.push_back(std::make_unique<DoomedStore>(name.c_str(), params, in_batches(), load, cut));
  }
  sc_core::sc_start(to_sc_time(110 * kPsPerMs));
  std::uint64_t unreadable = 0, torn_batches = 0, in_batch = 0;
  std::size_t completions = 0;
  for (const auto& store : stores) {
    EXPECT_LE(store->unreadable, 10u) << "more than the blocks of a pass";
    unreadable += store->unreadable;
    const bool batch = store->outstanding > 1;  // not queued: several are out in a batch only
    torn_batches += batch && store->unreadable > 1 ? 1 : 0;
    in_batch += batch ? 1 : 0;
    completions += store->completions;
  }
  EXPECT_GT(in_batch, kStores / 4);
  EXPECT_GT(torn_batches, 3u) << "no supply failed while a batch was written: the test tests nothing";
  EXPECT_GT(unreadable, torn_batches);
  EXPECT_GT(completions, 5'000u);
}

INSTANTIATE_TEST_SUITE_P(Caches, MemsParallelPowerLoss, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "on" : "off"; });

}  // namespace
}  // namespace armature::testing
