// What firmware does with a store: the media scan under a budget, batches along their spanning tree, and fewer active
// tips in the heat.
#include "armature/controller/soc.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/host/contents_check.h"
#include "armature/host/drive_manager.h"
#include "armature/mems/queue_study.h"
#include "support/contents_load.h"
#include "support/drive_bench.h"
#include "support/mems_bench.h"
#include "support/recording_sinks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing::mems_firmware_test {
namespace {

/// 20 cylinders, 54,000 blocks.
mems::MemsDriveParams small_store() {
  mems::MemsDriveParams params = mems_g2();
  params.store.sled.move_x_um = 0.8;
  params.cache.write = params.cache.look_ahead = false;
  return params;
}

void run_to_the_end(const host::HostQueue& queue) {
  for (int second = 0; second < 600 && !queue.finished(); ++second) sc_core::sc_start(1, sc_core::SC_SEC);
  EXPECT_TRUE(queue.finished());
}

double mean_us(const std::vector<observe::RequestRecord>& records) {
  double sum = 0;
  for (const observe::RequestRecord& record : records) sum += to_us(record.response());
  return sum / static_cast<double>(records.size());
}

// --- Media scan ------------------------------------------------------------------------------------------------------

/// Random reads, so many always outstanding.
class ClosedLoad final : public workload::Source {
 public:
  ClosedLoad(std::uint64_t blocks, std::uint64_t count, unsigned outstanding)
      : blocks_(blocks), left_(count), free_(outstanding) {}
  Next next(workload::Request& request) override {
    if (left_ == 0) return Next::end;
    if (free_ == 0) return Next::after_completion;
    --left_;
    --free_;
    request = read_request(last_, random_.below(blocks_ - 8), 8);
    request.id = id_++;
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    ++free_;
    last_ = std::max(last_, at);
  }

 private:
  RandomStream random_{7, "closed load"};
  const std::uint64_t blocks_;
  std::uint64_t left_, id_ = 0;
  unsigned free_;
  Ps last_ = 20 * kPsPerMs;
};

struct Scanned {
  Scanned(const char* name, double budget_us, std::int64_t sleds, unsigned outstanding) {
    mems::MemsDriveParams params = mems_g2();
    params.cache.write = params.cache.look_ahead = false;
    params.media.contents = media::ContentsParams::none;
    params.store.sled.count = sleds;
    params.background.scan_idle_ms = 5'000;
    params.background.max_added_us = budget_us;
    source = std::make_unique<ClosedLoad>(mems::Layout(params.store).blocks(), kCount, outstanding);
    bench = std::make_unique<MemsBench>(name, params, host::HostParams{}, *source);
  }
  double scanned() const { return bench->disk.counters().scanned_sectors; }
  double estimated_us() const { return to_us(bench->disk.counters().background_added) / kCount; }

  static constexpr unsigned kCount = 1'000;
  std::unique_ptr<ClosedLoad> source;
  std::unique_ptr<MemsBench> bench;
};

/// With one request always outstanding a store has no time without commands: it scans in the gaps between them, and
/// what that adds is what it may add.
TEST(MemsScan, KeepsToItsBudgetWhileARequestIsAlwaysOutstanding) {
  struct Three {
    Three(const std::string& name, std::int64_t sleds, unsigned outstanding)
        : none((name + "none").c_str(), 0, sleds, outstanding),
          small((name + "small").c_str(), 20, sleds, outstanding),
          large((name + "large").c_str(), 200, sleds, outstanding) {}
    Scanned none, small, large;
  };
  Three one_sled("one", 1, 1), two_sleds("two", 2, 1);
  for (const Three* const three : {&one_sled, &two_sleds})
    for (const Scanned* const one : {&three->none, &three->small, &three->large}) run_to_the_end(one->bench->queue);
  for (const Three* const three : {&one_sled, &two_sleds}) {
    const auto& [none, small, large] = *three;
    const int sleds = three == &one_sled ? 1 : 2;
    EXPECT_EQ(none.scanned(), 0);
    EXPECT_GT(small.scanned(), 200);
    EXPECT_GT(large.scanned(), 4 * small.scanned());
    const double without = mean_us(none.bench->records);
    for (const auto& [one, budget] : {std::pair{&small, 20.0}, std::pair{&large, 200.0}}) {
      const double added = mean_us(one->bench->records) - without;
      EXPECT_GT(added, 0.2 * budget) << sleds << " sleds";
      EXPECT_LT(added, 1.25 * budget) << sleds << " sleds";
      EXPECT_LE(one->estimated_us(), 1.1 * budget) << sleds << " sleds";
    }
  }
}

// --- Order -----------------------------------------------------------------------------------------------------------

/// All but the first come while the sled is busy with that.
std::vector<workload::Request> burst(const mems::MemsDriveParams& params, unsigned count, std::uint64_t seed) {
  RandomStream random(seed, "burst");
  const mems::Layout layout(params.store);
  std::vector<workload::Request> requests;
  for (unsigned i = 0; i < count; ++i)
    requests.push_back(read_request(20 * kPsPerMs + (i == 0 ? 0 : 550 * kPsPerUs) + static_cast<Ps>(i),
                                    random.below(layout.blocks()), 1));
  return requests;
}

std::vector<std::uint64_t> drive_order(MemsBench& bench) {
  std::vector<observe::RequestRecord> records = bench.records;
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.completion < b.completion; });
  std::vector<std::uint64_t> lbns;
  for (const observe::RequestRecord& record : records) lbns.push_back(record.lbn);
  return lbns;
}

std::vector<std::uint64_t> study_order(const mems::MemsDriveParams& params,
                                       const std::vector<workload::Request>& requests) {
  std::vector<mems::StudyRequest> asked;
  for (const workload::Request& request : requests) asked.push_back({request.arrival, request.lbn, 1, false});
  const std::vector<mems::Served> served = mems::QueueStudy(params.store, mems::Policy::mst).run(asked);
  std::vector<std::size_t> order(requests.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return served[a].chosen < served[b].chosen; });
  std::vector<std::uint64_t> lbns;
  for (const std::size_t i : order) lbns.push_back(requests[i].lbn);
  return lbns;
}

/// 48 queues of 4 to 32 requests: with and without settling, by each model of a seek, on a store with few long rows and
/// on one with many short ones.
mems::MemsDriveParams ordered_store(unsigned number) {
  mems::MemsDriveParams params = mems_g2();
  params.arbiter.policy = arbiter::Policy::mst;
  params.cache.look_ahead = false;
  params.store.sled.settle_time_constants = number % 2;
  params.store.sled.seek_model = static_cast<mems::SeekModel>(number % 3);
  if (number % 4 == 1) params.store.tips.sector_bits = 300;
  if (number % 4 == 2) params.store.sled.move_y_um = 400;
  return params;
}

TEST(MemsOrder, AlongTheSpanningTreeAsInTheQueueStudy) {
  constexpr unsigned kQueues = 48;
  std::vector<std::unique_ptr<ListSource>> sources;
  std::vector<std::unique_ptr<MemsBench>> benches;
  std::vector<std::vector<std::uint64_t>> expected;
  for (unsigned number = 0; number < kQueues; ++number) {
    const mems::MemsDriveParams params = ordered_store(number);
    const std::vector<workload::Request> requests = burst(params, 4 + 4 * (number % 8), number);
    expected.push_back(study_order(params, requests));
    sources.push_back(std::make_unique<ListSource>(requests));
    benches.push_back(std::make_unique<MemsBench>(("store" + std::to_string(number)).c_str(), params,
                                                  host::HostParams{}, *sources.back()));
  }
  sc_core::sc_start(to_sc_time(kPsPerSecond));
  for (unsigned i = 0; i < kQueues; ++i) EXPECT_EQ(drive_order(*benches[i]), expected[i]) << i;
}

/// Zone after zone upwards from the sled's, then from the lowest.
TEST(MemsOrder, ZoneByZone) {
  mems::MemsDriveParams params = mems_g2();
  params.arbiter.policy = arbiter::Policy::zsptf;
  params.cache.look_ahead = false;
  const std::vector<workload::Request> requests = burst(params, 32, 3);
  ListSource source(requests);
  MemsBench bench("store", params, {}, source);
  run_to_the_end(bench.queue);
  const mems::Layout layout(params.store);
  const unsigned bits = mems::zone_bits(layout, mems::SledModel(params.store));
  std::vector<std::uint32_t> zones;
  for (const std::uint64_t lbn : drive_order(bench)) zones.push_back(layout.locate(lbn).cylinder >> bits);
  const auto lowest = std::min_element(zones.begin() + 1, zones.end());
  EXPECT_TRUE(std::is_sorted(zones.begin(), lowest));
  EXPECT_TRUE(std::is_sorted(lowest, zones.end()));
  EXPECT_GT(zones.front(), zones.back()) << "they do come round";
  EXPECT_GT(std::set<std::uint32_t>(zones.begin(), zones.end()).size(), 4u);
}

/// A batch begins when a sled is free, so the request itself must wake the store.
TEST(MemsOrder, AReadWakesAStoreInStandby) {
  using arbiter::Policy;
  std::vector<std::unique_ptr<ListSource>> sources;
  std::vector<std::unique_ptr<MemsBench>> benches;
  std::vector<std::unique_ptr<host::TimedDriveManager>> managers;
  for (const Policy policy :
       {Policy::fcfs, Policy::sstf, Policy::clook, Policy::sptf, Policy::aged_sptf, Policy::zsptf, Policy::mst}) {
    mems::MemsDriveParams params = small_store();
    params.arbiter.policy = policy;
    host::HostParams host;
    host.standby_after_s = 0.01;
    std::vector<workload::Request> requests;
    for (const std::int64_t at : {1, 2, 3}) requests.push_back(read_request(at * kPsPerSecond, 1'000 * at, 8));
    sources.push_back(std::make_unique<ListSource>(requests));
    benches.push_back(
        std::make_unique<MemsBench>(("store" + std::to_string(benches.size())).c_str(), params, host, *sources.back()));
    managers.push_back(
        std::make_unique<host::TimedDriveManager>(("manager" + std::to_string(managers.size())).c_str(), host));
    benches.back()->queue.set_manager(*managers.back());
  }
  sc_core::sc_start(to_sc_time(4 * kPsPerSecond));
  for (const auto& bench : benches) {
    EXPECT_EQ(bench->records.size(), 3u) << bench->name();
    EXPECT_TRUE(bench->queue.finished()) << bench->name();
  }
}

/// Resets, a queue that never ends, caches: nothing waits for ever, and the data are right.
TEST(MemsOrder, BatchesLoseNothing) {
  mems::MemsDriveParams params = small_store();
  params.arbiter.policy = arbiter::Policy::mst;
  params.cache.write = params.cache.look_ahead = true;
  params.store.sled.count = 2;
  params.store.sled.move_x_um = 0.4;
  ContentsLoad::Params load_params;
  load_params.count = 3'000;
  load_params.sectors = mems::Layout(params.store).blocks();
  load_params.hot_first = 20'000;
  load_params.hot_sectors = 3'000;
  ContentsLoad load(load_params);
  host::ContentsCheck check({});
  host::HostParams host;
  host.reset_interval_ms = 3.1;
  MemsBench bench("store", params, host, load);
  bench.queue.set_data_port(check);
  run_to_the_end(bench.queue);
  EXPECT_FALSE(bench.disk.failed());
  EXPECT_TRUE(bench.failed.empty());
  EXPECT_EQ(check.mismatches(), 0u);
  EXPECT_GT(check.sectors_compared(), 30'000u);
}

// --- Heat ------------------------------------------------------------------------------------------------------------

class Scripted final : public controller::TemperatureSensor {
 public:
  double celsius() override { return now() < 3 * kPsPerSecond ? 50 : now() < 20 * kPsPerSecond ? 61 : 50; }
};

/// 10 blocks a pass, 5 from 3 s on, 2 from 7 s, 1 from 11 s; from 20 s on back. A read of 20 blocks lies in two rows.
TEST(MemsThrottle, APassMovesFewerBlocks) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = false;
  params.sensor = drive::SensorParams{5, 60};
  params.store.throttle = {60, 3, 4};
  params.store.tips.free_reads = mems::FreeReads::scan;  // only with all tips
  std::vector<workload::Request> requests;
  for (const std::int64_t at : {6, 10, 14, 22, 26}) requests.push_back(read_request(at * kPsPerSecond, 1'000, 20));
  ListSource source(requests);
  Scripted sensor;
  RecordingStates states;
  MemsBench bench("store", params, {}, source, nullptr, &states);
  bench.disk.soc().pmu.set_sensor(sensor);
  sc_core::sc_start(to_sc_time(35 * kPsPerSecond));
  ASSERT_EQ(bench.records.size(), requests.size());
  std::map<Ps, std::vector<std::string>> passes;  // by the second
  for (const auto& [t, name] : states.changes.at("store.disk.tip0"))
    if (name != "idle") passes[t / kPsPerSecond].push_back(name);
  const auto of = [](std::size_t count, const char* name) { return std::vector<std::string>(count, name); };
  EXPECT_EQ(passes[6], of(4, "blocks5"));
  EXPECT_EQ(passes[10], of(10, "blocks2"));
  EXPECT_EQ(passes[14], of(20, "blocks1"));
  EXPECT_EQ(passes[22], of(10, "blocks2"));
  EXPECT_EQ(passes[26], of(4, "blocks5"));
  EXPECT_EQ(bench.disk.counters().throttle_measures, 3u);
}

TEST(MemsThrottle, LosesNothing) {
  mems::MemsDriveParams params = small_store();
  params.sensor = drive::SensorParams{5, 60};
  params.store.throttle = {40, 3, 0.1};
  params.store.tips.free_reads = mems::FreeReads::scan;
  ContentsLoad::Params load_params;
  load_params.count = 2'000;
  load_params.sectors = mems::Layout(params.store).blocks();
  load_params.hot_first = 20'000;
  load_params.hot_sectors = 3'000;
  ContentsLoad load(load_params);
  host::ContentsCheck check({});
  Scripted sensor;
  MemsBench bench("store", params, {}, load);
  bench.disk.soc().pmu.set_sensor(sensor);
  bench.queue.set_data_port(check);
  run_to_the_end(bench.queue);
  EXPECT_FALSE(bench.disk.failed());
  EXPECT_EQ(check.mismatches(), 0u);
  EXPECT_GT(check.sectors_compared(), 20'000u);
  EXPECT_GE(bench.disk.counters().throttle_measures, 1u);
}

}  // namespace
}  // namespace armature::testing::mems_firmware_test
