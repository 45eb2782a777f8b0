// Refresh of a store's medium and reads with tips that requests leave unused, in the drive.
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/host/contents_check.h"
#include "armature/mems/background.h"
#include "armature/mems/sled_motion.h"
#include "support/contents_load.h"
#include "support/doomed_store.h"
#include "support/drive_bench.h"
#include "support/mems_bench.h"
#include "support/recording_sinks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

constexpr Ps kTick = 977;  // of the unit's predictions, ps
constexpr std::uint64_t kHot = 20'000, kHotBlocks = 3'000;

/// 20 cylinders, 54,000 blocks: a refresh of all takes 2.1 s.
mems::MemsDriveParams small_store(double period_s) {
  mems::MemsDriveParams params = mems_g2();
  params.store.sled.move_x_um = 0.8;
  params.store.refresh.period_h = period_s / 3600;
  params.cache.write = params.cache.look_ahead = false;
  return params;
}

double figure(const drive::Drive& disk, const std::string& name) {
  for (const drive::OwnCount& count : disk.own_counts())
    if (count.name == name) return count.value;
  ADD_FAILURE() << "no " << name;
  return 0;
}

void run_to_the_end(const host::HostQueue& queue) {
  for (int second = 0; second < 600 && !queue.finished(); ++second) sc_core::sc_start(1, sc_core::SC_SEC);
  EXPECT_TRUE(queue.finished());
}

// --- Contents --------------------------------------------------------------------------------------------------------

void caches(mems::MemsDriveParams& params) {
  params.cache.write = params.cache.look_ahead = params.cache.read_on_arrival = params.cache.free_reads = true;
  params.buffer.size_kib = 512;
  params.buffer.segments = 4;
}

constexpr MemsVariant kVariants[] = {
    {"no_cache", [](mems::MemsDriveParams&) {}},
    {"caches", caches},
    {"whole_tracks",
     [](mems::MemsDriveParams& p) {
       caches(p);
       p.store.refresh.rows = 1'000;
     }},
    {"two_sleds",
     [](mems::MemsDriveParams& p) {
       caches(p);
       p.store.sled.count = 2;
       p.store.sled.move_x_um = 0.4;
     }},
    {"reads_that_fail",
     [](mems::MemsDriveParams& p) {
       caches(p);
       p.channel.errors = channel::ChannelParams::rate;
       p.channel.sector_error_rate = 1e-2;
       p.channel.ladder = {{2, 0, 0, 0}};
     }},
    {"rides_and_parts",
     [](mems::MemsDriveParams& p) {
       caches(p);
       p.store.tips.ride_along = true;
       p.store.tips.spread = mems::TipSpread::die;
       p.store.tips.shared = 5;
       p.store.tips.reach_bits = 1;
     }},
    {"resets", caches, 3.1},
};

class MemsRefreshContents : public ::testing::TestWithParam<MemsVariant> {};

TEST_P(MemsRefreshContents, EveryReadBringsWhatWasWritten) {
  mems::MemsDriveParams params = small_store(3);
  GetParam().change(params);
  params.store.tips.free_reads = mems::FreeReads::scan;
  ContentsLoad::Params load_params;
  load_params.count = 3'000;
  load_params.sectors = mems::Layout(params.store).blocks();
  load_params.hot_first = kHot;
  load_params.hot_sectors = kHotBlocks;
  ContentsLoad load(load_params);
  host::ContentsCheck check({});
  host::HostParams host;
  host.reset_interval_ms = GetParam().reset_interval_ms;
  MemsBench bench("store", params, host, load);
  bench.queue.set_data_port(check);
  run_to_the_end(bench.queue);
  EXPECT_FALSE(bench.disk.failed());
  const bool errors = params.channel.sector_error_rate > 0;  // some blocks are too weak for any retry
  EXPECT_LE(bench.failed.size(), errors ? 100u : 0u);
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  EXPECT_GT(check.sectors_compared(), 30'000u);
  check.power_lost();
  std::uint8_t bytes[512];
  for (std::uint64_t lbn = load_params.hot_first; lbn < load_params.hot_first + kHotBlocks; ++lbn)
    check.acceptable(lbn, bytes, bench.disk.contents().read(lbn, bytes));
  EXPECT_EQ(check.mismatches(), 0u) << "on the medium";
  EXPECT_GT(figure(bench.disk, "refreshed_mb"), 10);
  EXPECT_LE(figure(bench.disk, "refresh_unreadable"), errors ? 20 : 0);
  EXPECT_GT(figure(bench.disk, "free_read_mb"), 0.5);
}

INSTANTIATE_TEST_SUITE_P(Stores, MemsRefreshContents, ::testing::ValuesIn(kVariants),
                         [](const auto& param) { return std::string(param.param.name); });

/// The supply fails in the middle of steps: what the host has had acknowledged is there, and no block that it was not
/// writing is lost.
TEST(MemsRefresh, LosesNothingWithTheSupply) {
  mems::MemsDriveParams params = small_store(2.6);
  params.store.refresh.idle_ms = 0.1;
  params.store.refresh.early_share = 0;  // it refreshes whenever it is idle
  RandomStream random(9, "power");
  std::vector<std::unique_ptr<DoomedStore>> stores;
  for (unsigned i = 0; i < 20; ++i) {
    ContentsLoad::Params load;
    load.count = 1'000'000;
    load.sectors = mems::Layout(params.store).blocks();
    load.hot_first = 0;  // which are refreshed before the supply fails
    load.hot_sectors = kHotBlocks;
    load.pause_share = 0.05;
    load.seed = random.bits();
    load.read_share = 0.9;
    load.far_share = 0;
    load.outstanding = 2;
    const Ps cut = kPsPerMs + static_cast<Ps>(random.below(200 * kPsPerMs));
    stores.push_back(
        std::make_unique<DoomedStore>(("store" + std::to_string(i)).c_str(), params, host::HostParams{}, load, cut));
  }
  sc_core::sc_start(250, sc_core::SC_MS);
  for (const auto& store : stores) EXPECT_LE(store->unreadable, 10u) << "more than the blocks that the host wrote";
}

// --- Times -----------------------------------------------------------------------------------------------------------

std::vector<workload::Request> random_reads(const mems::MemsDriveParams& params, std::size_t count, Ps mean) {
  RandomStream random(5, "mems");
  const std::uint64_t blocks = mems::Layout(params.store).blocks() - 8;
  std::vector<workload::Request> made;
  Ps at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += static_cast<Ps>(random.below(static_cast<std::uint64_t>(2 * mean)));
    made.push_back(read_request(at, random.below(blocks), 8));
  }
  return made;
}

TEST(MemsRefresh, AnIdleStoreRefreshesAllWithoutForce) {
  ListSource source({});
  MemsBench bench("store", small_store(6), {}, source);
  sc_core::sc_start(30, sc_core::SC_SEC);
  EXPECT_EQ(figure(bench.disk, "refresh_forced_steps"), 0);
  EXPECT_LE(figure(bench.disk, "refresh_oldest_s"), 4.51) << "idle refreshes begin at half of the period";
  // A row each 3 s, from the age of 3 s on.
  EXPECT_NEAR(figure(bench.disk, "refreshed_mb"), 54'000 * 512e-6 * 10, 54'000 * 512e-6 * 1.1);
  EXPECT_NEAR(figure(bench.disk, "refresh_share"), 2.09 / 3, 0.1);
}

TEST(MemsRefresh, ABusyStoreIsForcedAndNoRowIsLate) {
  const mems::MemsDriveParams params = small_store(5);
  ListSource source(random_reads(params, 40'000, 500 * kPsPerUs));  // more than it can serve
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start(18, sc_core::SC_SEC);
  EXPECT_FALSE(bench.queue.finished());
  EXPECT_GT(figure(bench.disk, "refresh_forced_steps"), 1'000);
  EXPECT_LE(figure(bench.disk, "refresh_oldest_s"), 5);
  EXPECT_GE(figure(bench.disk, "refresh_rounds"), 3);
  EXPECT_GT(figure(bench.disk, "refresh_added_ms"), 0.05);
}

TEST(MemsRefresh, PredictedTimesAreMet) {
  mems::MemsDriveParams params = small_store(4);
  params.media.contents = media::ContentsParams::none;
  params.arbiter.margin_us = 25;
  params.store.refresh.idle_ms = 0.3;
  params.store.refresh.early_share = 0;
  ListSource source(random_reads(params, 4'000, 1'500 * kPsPerUs));
  MemsBench bench("store", params, {}, source);
  run_to_the_end(bench.queue);
  std::size_t wrong = 0, known = 0;
  for (const observe::RequestRecord& record : bench.records) {
    if (record.predicted_positioning == observe::kNoTime || record.positioning == observe::kNoTime) continue;
    ++known;
    if (std::abs(record.positioning - record.predicted_positioning) > 2 * kTick) ++wrong;
  }
  EXPECT_GT(known, 3'900u);
  EXPECT_GT(figure(bench.disk, "refresh_steps"), 1'500);
  // A step that begins within the decision's own time, before its grant is known.
  EXPECT_LE(wrong, 4u);
}

/// One read after another: each comes so long after the one before has ended.
class GapLoad final : public workload::Source {
 public:
  GapLoad(std::uint64_t blocks, std::vector<Ps> gaps) : blocks_(blocks), gaps_(std::move(gaps)) {}
  Next next(workload::Request& request) override {
    if (number_ == gaps_.size()) return Next::end;
    if (waits_) return Next::after_completion;
    waits_ = true;
    request = read_request(last_ + gaps_[number_], random_.below(blocks_ - 8), 8);
    request.id = number_++;
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    waits_ = false;
    last_ = at;
  }

 private:
  RandomStream random_{7, "gaps"};
  const std::uint64_t blocks_;
  const std::vector<Ps> gaps_;
  std::size_t number_ = 0;
  Ps last_ = kPsPerMs;
  bool waits_ = false;
};

/// A sled is idle for long enough while a grant to it waits for its seek: the step comes after the access.
TEST(MemsRefresh, NoStepBeginsBetweenAGrantAndItsSeek) {
  mems::MemsDriveParams params = small_store(4);
  params.firmware.cycles_of(FW_IRQ_AAU) = 12'000;  // some 30 us from the grant to the order of the seek
  params.store.refresh.idle_ms = 0.4;
  params.store.refresh.early_share = 0;
  std::vector<Ps> gaps;
  for (Ps us = 230; us < 430; ++us) gaps.push_back(us * kPsPerUs);
  GapLoad source(mems::Layout(params.store).blocks(), gaps);
  MemsBench bench("store", params, {}, source);
  run_to_the_end(bench.queue);
  std::size_t wrong = 0;
  for (const observe::RequestRecord& record : bench.records)
    wrong += std::abs(record.positioning - record.predicted_positioning) > 2 * kTick ? 1 : 0;
  EXPECT_LE(wrong, 1u) << "a step that begins within the decision itself";
  EXPECT_GT(figure(bench.disk, "refresh_added_ms"), 0) << "steps that had begun before";
}

/// The states of sled and tips say what the figures say: none lost, none twice.
TEST(MemsRefresh, StatesAddUp) {
  const mems::MemsDriveParams params = small_store(4);
  ListSource source(random_reads(params, 500, 2 * kPsPerMs));
  RecordingStates states;
  MemsBench bench("store", params, {}, source, nullptr, &states);
  run_to_the_end(bench.queue);
  const auto in = [&](const std::string& path, const std::string& state) {
    std::map<Ps, std::string> at;  // what was entered last for a time holds
    for (const auto& [t, name] : states.changes.at(path)) {
      at.erase(at.lower_bound(t), at.end());
      at[t] = name;
    }
    Ps sum = 0;
    for (auto i = at.begin(); i != at.end() && std::next(i) != at.end(); ++i)
      if (i->second == state && std::next(i)->first <= now()) sum += std::next(i)->first - i->first;
    return sum;
  };
  const mems::Layout layout(params.store);
  const Ps pass = mems::SledTimes(params.store, layout).pass();
  const double rows = figure(bench.disk, "refreshed_mb") / 512e-6 / layout.cells();
  EXPECT_NEAR(static_cast<double>(in("store.disk.rfr0", "refresh")), 2 * rows * static_cast<double>(pass),
              8.0 * static_cast<double>(pass));
  Ps tips = 0;
  for (std::uint32_t blocks = 1; blocks <= layout.cells(); ++blocks)
    tips += in("store.disk.tip0", "blocks" + std::to_string(blocks));
  EXPECT_NEAR(static_cast<double>(in("store.disk.sld0", "access")),
              static_cast<double>(tips + in("store.disk.rfr0", "refresh")), 8.0 * static_cast<double>(pass));
}

// --- Free reads ------------------------------------------------------------------------------------------------------

TEST(MemsFreeReads, RequestsDoNotNotice) {
  mems::MemsDriveParams params = small_store(0);
  ListSource without_source(random_reads(params, 2'000, kPsPerMs));
  ListSource with_source(random_reads(params, 2'000, kPsPerMs));
  MemsBench without("without", params, {}, without_source);
  params.store.tips.free_reads = mems::FreeReads::scan;
  MemsBench with("with", params, {}, with_source);
  sc_core::sc_start();
  ASSERT_EQ(with.records.size(), without.records.size());
  for (std::size_t i = 0; i < with.records.size(); ++i)
    EXPECT_EQ(with.records[i].completion, without.records[i].completion);
  // As many blocks as the study has, which makes one pass of the end of a track and the beginning of the next.
  mems::BackgroundReading study(mems::Layout(params.store), 0, 1);
  std::uint64_t ridden = 0;
  std::vector<observe::RequestRecord> served = with.records;
  std::sort(served.begin(), served.end(), [](const auto& a, const auto& b) { return a.completion < b.completion; });
  for (const observe::RequestRecord& record : served) ridden += study.serve(record.lbn, record.sectors).size();
  EXPECT_NEAR(figure(with.disk, "free_read_mb") / 512e-6, static_cast<double>(ridden),
              0.04 * static_cast<double>(ridden));
  EXPECT_GT(ridden, 3'000u);
}

TEST(MemsFreeReads, AListIsReadOnceAndTold) {
  mems::MemsDriveParams params = small_store(0);
  params.store.tips.free_reads = mems::FreeReads::list;
  params.store.tips.free_list = {{2'700, 2'700}, {40'000, 17}};
  params.media.contents = media::ContentsParams::memory;
  drive::FaultParams fault;
  fault.kind = drive::FaultParams::media_defect;
  fault.lbn = 3'000;
  params.faults = {fault};
  ListSource source(random_reads(params, 30'000, 1'200 * kPsPerUs));
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  EXPECT_EQ(figure(bench.disk, "free_read_wanted"), 0);
  EXPECT_EQ(figure(bench.disk, "free_read_rounds"), 1);
  EXPECT_GT(figure(bench.disk, "free_list_done_s"), 0.1);
  EXPECT_GT(figure(bench.disk, "free_read_mb"), 1'000 * 512e-6);
  EXPECT_LT(figure(bench.disk, "free_read_mb"), 2'717 * 512e-6);
  EXPECT_LE(figure(bench.disk, "free_read_unreadable"), 1) << "unless a request has read it first";
}

/// A store that cannot be refreshed in time, a list of blocks that are not there.
TEST(MemsRefresh, RefusesWhatCannotBe) {
  const auto refused = [](mems::MemsDriveParams params) {
    try {
      mems::MemsDrive::check(params, 32);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  mems::MemsDriveParams params = small_store(2.3);
  EXPECT_NE(refused(params).find("refresh.period_h: with 3 rows at a time"), std::string::npos) << refused(params);
  params = small_store(0);
  params.store.tips.free_reads = mems::FreeReads::list;
  EXPECT_NE(refused(params).find("tips.free_list"), std::string::npos) << refused(params);
  params.store.tips.free_list = {{53'999, 2}};
  EXPECT_NE(refused(params).find("only blocks 0 to 53999"), std::string::npos) << refused(params);
}

}  // namespace
}  // namespace armature::testing
