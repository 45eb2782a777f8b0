// A MEMS store behind the same controller, firmware and host as a disk: what it keeps, and when it does what.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/host/contents_check.h"
#include "armature/mems/queue_study.h"
#include "armature/mems/sled_motion.h"
#include "armature/mems/tip_health.h"
#include "support/contents_load.h"
#include "support/doomed_store.h"
#include "support/drive_bench.h"
#include "support/mems_bench.h"
#include "support/recording_sinks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace armature::testing {
namespace {

constexpr std::uint64_t kHot = 1'000'000, kHotBlocks = 3'000;
constexpr Ps kTick = 977;  // of the unit's predictions, ps
#ifdef MEMS_DRIVE_FULL
constexpr std::uint64_t kContentsRequests = 200'000, kPredictions = 1'000'000;
#else
constexpr std::uint64_t kContentsRequests = 4'000, kPredictions = 10'000;
#endif

ContentsLoad::Params hot_load(const mems::MemsDriveParams& params, std::uint64_t count) {
  ContentsLoad::Params load;
  load.count = count;
  load.sectors = mems::Layout(params.store).blocks();
  load.hot_first = kHot;
  load.hot_sectors = kHotBlocks;
  return load;
}

// --- Contents --------------------------------------------------------------------------------------------------------

void all_caches(mems::MemsDriveParams& params) {
  params.cache.write = params.cache.look_ahead = params.cache.read_on_arrival = params.cache.free_reads = true;
  params.buffer.size_kib = 512;
  params.buffer.segments = 4;
}

constexpr MemsVariant kVariants[] = {
    {"no_cache", [](mems::MemsDriveParams& p) { p.cache.write = p.cache.look_ahead = false; }},
    {"caches", all_caches},
    {"two_sleds",
     [](mems::MemsDriveParams& p) {
       all_caches(p);
       p.store.sled.count = 2;
       p.store.sled.move_x_um = 6;  // so that the hot blocks lie on both
     }},
    {"one_direction",
     [](mems::MemsDriveParams& p) {
       all_caches(p);
       p.store.tips.bidirectional = false;
       p.store.tips.rows = mems::RowOrder::straight;
     }},
    {"exact_seeks",
     [](mems::MemsDriveParams& p) {
       all_caches(p);
       p.store.sled.seek_model = mems::SeekModel::exact;
       p.store.sled.idle_ms = 1;
     }},
    {"resets", all_caches, 3.1},
};

class MemsContents : public ::testing::TestWithParam<MemsVariant> {};

TEST_P(MemsContents, EveryReadBringsWhatWasWritten) {
  mems::MemsDriveParams params = mems_g2();
  GetParam().change(params);
  ContentsLoad::Params load_params = hot_load(params, kContentsRequests);
  const mems::Layout layout(params.store);
  if (layout.sleds() > 1) load_params.hot_first = layout.blocks_per_sled() - kHotBlocks / 2;
  ContentsLoad load(load_params);
  host::ContentsCheck check({});
  host::HostParams host;
  host.reset_interval_ms = GetParam().reset_interval_ms;
  MemsBench bench("store", params, host, load);
  bench.queue.set_data_port(check);
  sc_core::sc_start();
  EXPECT_TRUE(bench.queue.finished());
  EXPECT_FALSE(bench.disk.failed());
  EXPECT_EQ(bench.failed.size(), 0u);
  if (host.reset_interval_ms > 0) {
    EXPECT_GT(bench.adapter.counters().soft_resets + bench.adapter.counters().comresets, 100u);
  }
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  EXPECT_GT(check.sectors_compared(), 50'000u);
  check.power_lost();
  std::uint8_t bytes[512];
  for (std::uint64_t lbn = load_params.hot_first; lbn < load_params.hot_first + kHotBlocks; ++lbn)
    check.acceptable(lbn, bytes, bench.disk.contents().read(lbn, bytes));
  EXPECT_EQ(check.mismatches(), 0u) << "on the medium";
  if (layout.sleds() > 1) {
    EXPECT_TRUE(std::any_of(bench.records.begin(), bench.records.end(), [](const auto& r) { return r.arm == 1; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, MemsContents, ::testing::ValuesIn(kVariants),
                         [](const auto& param) { return std::string(param.param.name); });

// --- Tips ------------------------------------------------------------------------------------------------------------

struct TipRun {
  std::vector<std::uint64_t> failed;
  std::uint64_t mismatches, compared;
};

TipRun run_with_failures(const mems::MemsDriveParams& params) {
  ContentsLoad load(hot_load(params, 2'000));
  host::ContentsCheck check({});
  MemsBench bench("store", params, {}, load);
  bench.queue.set_data_port(check);
  sc_core::sc_start();
  EXPECT_TRUE(bench.queue.finished());
  EXPECT_FALSE(bench.disk.failed());
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  return {bench.failed, check.mismatches(), check.sectors_compared()};
}

/// Tips under the hot blocks, two of the same cell each.
std::vector<mems::TipFailure> hot_failures(const mems::MemsDriveParams& params) {
  const mems::Layout layout(params.store);
  const std::uint32_t first = layout.locate(kHot + 5).first_tip, other = layout.locate(kHot + 8).first_tip;
  return {{0, first + 1}, {0.1, first + 2}, {0.1, other + 63}, {0.2, other}};
}

TEST(MemsTips, NothingIsLostUpToTheSpares) {
  mems::MemsDriveParams params = mems_g2();
  params.store.tips.failures = hot_failures(params);
  params.store.tips.spare = 4;
  params.store.tips.correctable = 1;
  const TipRun run = run_with_failures(params);
  EXPECT_EQ(run.failed.size(), 0u);
  EXPECT_EQ(run.mismatches, 0u);
  EXPECT_GT(run.compared, 20'000u);
}

TEST(MemsTips, ParityReadsABlockWithOneTipLess) {
  mems::MemsDriveParams params = mems_g2();
  params.store.tips.failures = hot_failures(params);
  params.store.tips.failures.resize(3);
  params.store.tips.failures.erase(params.store.tips.failures.begin());
  EXPECT_EQ(run_with_failures(params).failed.size(), 0u);
}

TEST(MemsTips, BeyondTheSparesBlocksAreUnreadableAndNeverWrong) {
  mems::MemsDriveParams params = mems_g2();
  params.store.tips.failures = hot_failures(params);
  params.store.tips.spare = 1;
  const TipRun run = run_with_failures(params);
  EXPECT_GT(run.failed.size(), 10u);
  EXPECT_EQ(run.mismatches, 0u);
  EXPECT_GT(run.compared, 10'000u);
}

TEST(MemsTips, ABlockThatIsUnreadableIsUnc) {
  mems::MemsDriveParams params = mems_g2();
  const mems::Layout layout(params.store);
  const std::uint32_t tip = layout.locate(77).first_tip;
  params.store.tips.failures = {{0, tip}, {0, tip + 5}};
  const mems::TipHealth health(params.store, layout);
  EXPECT_FALSE(health.readable(layout.locate(77), 0));
  EXPECT_TRUE(health.readable(layout.locate(78), 0));
  ListSource source({read_request(0, 78, 1), read_request(kPsPerMs, 77, 1), read_request(2 * kPsPerMs, 78, 1)});
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  EXPECT_EQ(bench.failed, std::vector<std::uint64_t>{77});
  ASSERT_EQ(bench.records.size(), 3u);
  for (const observe::RequestRecord& record : bench.records)
    EXPECT_EQ(observe::status_of(record), record.lbn == 77 ? "UNC" : "ok");
}

// --- Reads that ride along ---------------------------------------------------------------------------------------

ContentsLoad::Params ride_load(const mems::MemsDriveParams& params) {
  ContentsLoad::Params load;
  load.sectors = mems::Layout(params.store).blocks();
  load.count = 3'000;
  load.hot_first = 100 * 2'700;  // whole cylinders
  load.hot_sectors = 2 * 2'700;
  load.read_share = 0.8;
  load.stream_share = 0.05;
  load.far_share = 0;
  load.max_sectors = 2;
  return load;
}

host::HostParams resets_every(double interval_ms) {
  host::HostParams host;
  host.reset_interval_ms = interval_ms;
  return host;
}

/// A store under short reads and some writes on two cylinders, many at a time.
struct RideBench {
  RideBench(const char* name, const mems::MemsDriveParams& params, double reset_interval_ms = 0)
      : tips(std::string(name) + ".disk.tip0"),
        load(ride_load(params)),
        check({}),
        bench(name, params, resets_every(reset_interval_ms), load, nullptr, &states) {
    bench.queue.set_data_port(check);
  }
  void expect_right() const {
    EXPECT_TRUE(bench.queue.finished());
    EXPECT_FALSE(bench.disk.failed());
    EXPECT_EQ(check.mismatches(), 0u);
    for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
    EXPECT_GT(check.sectors_compared(), 3'000u);
  }
  std::uint64_t ridden() const { return bench.disk.counters().ridden_reads; }
  std::uint64_t passes() const {
    const auto& changes = states.changes.at(tips);
    return static_cast<std::uint64_t>(
        std::count_if(changes.begin(), changes.end(), [](const auto& change) { return change.second != "idle"; }));
  }
  Ps end() const {
    Ps last = 0;
    for (const observe::RequestRecord& record : bench.records) last = std::max(last, record.completion);
    return last;
  }

  const std::string tips;
  RecordingStates states;
  ContentsLoad load;
  host::ContentsCheck check;
  MemsBench bench;
};

TEST(MemsRides, ReadsOfOnePassAreServedTogether) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = false;
  RideBench alone("alone", params);
  params.store.tips.ride_along = true;
  RideBench together("together", params);
  sc_core::sc_start();
  alone.expect_right();
  together.expect_right();
  EXPECT_EQ(alone.ridden(), 0u);
  EXPECT_GT(together.ridden(), 150u);
  EXPECT_LT(together.passes() + together.ridden() / 2, alone.passes());
  EXPECT_LT(together.end(), alone.end());
}

TEST(MemsRides, WithCachesAndResets) {
  mems::MemsDriveParams params = mems_g2();
  all_caches(params);
  params.store.tips.ride_along = true;
  RideBench store("store", params, 2.3);
  sc_core::sc_start();
  store.expect_right();
  EXPECT_GT(store.ridden(), 100u);
  EXPECT_GT(store.bench.adapter.counters().reissued, 100u);
}

TEST(MemsRides, WithSharedPartsAndOneSegment) {
  mems::MemsDriveParams params = mems_g2();
  all_caches(params);
  params.store.tips.ride_along = true;
  params.store.tips.spread = mems::TipSpread::die;
  params.store.tips.shared = 5;
  params.store.tips.reach_bits = 1;
  params.buffer.segments = 1;
  RideBench store("store", params);
  sc_core::sc_start();
  store.expect_right();
  EXPECT_GT(store.ridden(), 100u);
}

TEST(MemsRides, OneThatCannotBeReadFailsAlone) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = false;
  params.store.tips.ride_along = true;
  const mems::Layout layout(params.store);
  const mems::BlockPlace bad = layout.locate(100 * 2'700 + 7);
  params.store.tips.failures = {{0, bad.first_tip}, {0, bad.first_tip + 5}};
  RideBench store("store", params);
  sc_core::sc_start();
  store.expect_right();
  EXPECT_GT(store.ridden(), 150u);
  EXPECT_GT(store.bench.failed.size(), 10u);
  for (const std::uint64_t lbn : store.bench.failed) {  // one block in a hundred, of reads of up to 100
    bool among = false;
    for (std::uint64_t i = 0; i < 100; ++i) among = among || layout.has_tip(layout.locate(lbn + i), bad.first_tip);
    EXPECT_TRUE(among) << lbn;
  }
}

// --- Waves ---------------------------------------------------------------------------------------------------------

/// Counts the points of a curve that are drawn for a time to come.
class PointsAhead final : public ProbeSink {
 public:
  struct Curve {
    std::deque<Ps> ahead;     ///< when those come that have not come yet, in order
    std::uint64_t drawn = 0;  ///< all of them
    std::uint64_t taken_back = 0;
    std::size_t most = 0;  ///< that were ahead at once
  };
  std::map<std::string, Curve> curves;

  Id declare(const ProbeInfo& info) override {
    paths_.push_back(info.path);
    return static_cast<Id>(paths_.size() - 1);
  }
  void change(Id, std::uint64_t) override {}
  void change(Id, double) override {}
  void change(Id, std::string_view) override {}
  void schedule(Id id, Ps at, double) override {
    Curve& curve = present(id);
    ++curve.drawn;
    if (at > now()) curve.ahead.push_back(at);
    curve.most = std::max(curve.most, curve.ahead.size());
  }
  void cancel(Id id) override {
    Curve& curve = present(id);
    curve.taken_back += curve.ahead.size();
    curve.ahead.clear();
  }

 private:
  Curve& present(Id id) {
    Curve& curve = curves[paths_[id]];
    while (!curve.ahead.empty() && curve.ahead.front() <= now()) curve.ahead.pop_front();
    return curve;
  }
  std::vector<std::string> paths_;
};

/// A sled that sweeps for a minute is drawn in parts, none of them much longer than 1,024 points.
TEST(MemsWaves, ALongSweepIsNotDrawnAhead) {
  mems::MemsDriveParams params = mems_g2();
  params.store.sled.idle_ms = 120'000;
  ListSource source({read_request(0, 1'000'000, 8), read_request(60 * kPsPerSecond, 2'000'000, 8)});
  PointsAhead probes;
  MemsBench bench("store", params, {}, source, &probes);
  sc_core::sc_start(to_sc_time(61 * kPsPerSecond));
  const PointsAhead::Curve& y = probes.curves.at("store.disk.sld0.y");
  // 8 points from edge to edge, which takes 3.57 ms.
  EXPECT_GT(y.drawn, 61'000 / 3.6 * 8);
  EXPECT_LT(y.drawn, 61'000 / 3.5 * 8 + 4'000);
  EXPECT_GE(y.most, 1'000u);
  EXPECT_LE(y.most, 1'030u);
  EXPECT_LE(y.taken_back, 2'100u);
}

/// A sled that is sent elsewhere again and again: little is drawn in vain, however long it could sweep.
TEST(MemsWaves, LittleIsDrawnInVainUnderLoad) {
  mems::MemsDriveParams params = mems_g2();
  params.store.sled.idle_ms = 120'000;
  std::vector<workload::Request> requests;
  RandomStream random(4, "waves");
  for (int i = 0; i < 2'000; ++i)
    requests.push_back(read_request(i * 2 * kPsPerMs, random.below(mems::Layout(params.store).blocks() - 8), 8));
  ListSource source(requests);
  PointsAhead probes;
  MemsBench bench("store", params, {}, source, &probes);
  sc_core::sc_start(to_sc_time(4 * kPsPerSecond));
  ASSERT_EQ(bench.records.size(), 2'000u);
  for (const char* axis : {"x", "y"}) {
    const PointsAhead::Curve& curve = probes.curves.at(std::string("store.disk.sld0.") + axis);
    EXPECT_GT(curve.drawn, 2'000u * 2) << axis;
    EXPECT_LT(curve.most, 48u) << axis;
    EXPECT_LT(curve.taken_back, 2'000u * 12) << axis;
  }
}

// --- Power -----------------------------------------------------------------------------------------------------------

class MemsPowerLoss : public ::testing::TestWithParam<bool> {};

TEST_P(MemsPowerLoss, LeavesWhatWasAcknowledgedAsDurable) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.write = params.cache.look_ahead = GetParam();
  params.buffer.size_kib = 1024;
  RandomStream random(7, "power");
  std::vector<std::unique_ptr<DoomedStore>> stores;
  for (unsigned i = 0; i < 40; ++i) {
    ContentsLoad::Params load = hot_load(params, 1'000'000);
    load.seed = random.bits();
    load.read_share = 0.2;
    load.flush_share = 0.05;
    load.fua_share = 0.1;
    load.far_share = 0;
    const Ps cut = kPsPerMs + static_cast<Ps>(random.below(200 * kPsPerMs));
    const std::string name = "store" + std::to_string(i);
    stores.push_back(std::make_unique<DoomedStore>(name.c_str(), params, host::HostParams{}, load, cut));
  }
  sc_core::sc_start(to_sc_time(250 * kPsPerMs));
  std::uint64_t unreadable = 0;
  std::size_t completions = 0;
  for (const auto& store : stores) {
    EXPECT_LE(store->unreadable, 10u) << "more than the blocks of a row";
    unreadable += store->unreadable;
    completions += store->completions;
  }
  EXPECT_GT(unreadable, 0u) << "no supply failed while a row was written: the test tests nothing";
  EXPECT_GT(completions, 1'000u);
}

INSTANTIATE_TEST_SUITE_P(Caches, MemsPowerLoss, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "on" : "off"; });

// --- States ----------------------------------------------------------------------------------------------------------

/// How long each component was in each of its states.
struct StateClock final : StateSink {
  struct Component {
    StatefulComponent info;
    std::vector<std::pair<Ps, unsigned>> changes;  ///< what lies ahead goes when something sooner comes
  };
  Id declare(const StatefulComponent& component) override {
    components.push_back({component, {{0, 0}}});
    return static_cast<Id>(components.size() - 1);
  }
  void enter(Id id, unsigned state, Ps at) override {
    auto& changes = components[id].changes;
    while (changes.size() > 1 && changes.back().first > at) changes.pop_back();
    changes.emplace_back(at, state);
  }
  std::map<std::string, Ps> times(const std::string& path, Ps end) const {
    std::map<std::string, Ps> sums;
    for (const Component& component : components) {
      if (component.info.path != path) continue;
      for (std::size_t i = 0; i < component.changes.size(); ++i) {
        const auto& [from, state] = component.changes[i];
        const Ps to = i + 1 < component.changes.size() ? component.changes[i + 1].first : end;
        if (to > from) sums[component.info.states[state]] += std::min(to, end) - std::min(from, end);
      }
    }
    return sums;
  }
  std::vector<Component> components;
};

TEST(MemsStates, TimesInThemAreWhatTheSledDid) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.look_ahead = params.cache.write = false;
  constexpr unsigned kRequests = 200;
  std::vector<workload::Request> requests;
  RandomStream random(9, "states");
  for (unsigned i = 0; i < kRequests; ++i)  // so far apart that the sled rests between them
    requests.push_back(read_request((1 + i) * 150 * kPsPerMs, random.below(600'000) * 10, 10));
  ListSource source(requests);
  StateClock clock;
  MemsBench bench("store", params, {}, source, nullptr, &clock);
  sc_core::sc_start();
  ASSERT_EQ(bench.records.size(), kRequests);
  const Ps end = (kRequests + 1) * 150 * kPsPerMs, pass = 128'571'429;
  std::map<std::string, Ps> tips = clock.times("store.disk.tip0", end), sled = clock.times("store.disk.sld0", end);
  // Ten blocks are a row: one pass each.
  EXPECT_EQ(tips["blocks10"], kRequests * pass);
  EXPECT_EQ(tips["blocks10"] + tips["idle"], end);
  EXPECT_EQ(sled["access"], kRequests * pass);
  // It starts each time, sweeps for sled.idle_ms behind each request, and rests otherwise.
  EXPECT_GE(sled["starting"], kRequests * kPsPerMs / 2);
  EXPECT_LT(sled["starting"], kRequests * (kPsPerMs / 2 + 10 * kPsPerUs));
  Ps seeking = 0;
  for (const observe::RequestRecord& record : bench.records)
    seeking += record.phases[static_cast<std::size_t>(Phase::seek)];
  EXPECT_NEAR(to_ms(sled["seek"]), to_ms(seeking) - kRequests * 0.5, kRequests * 0.01);
  EXPECT_EQ(sled["sweep"], kRequests * 100 * kPsPerMs);
  EXPECT_EQ(sled["inactive"] + sled["starting"] + sled["seek"] + sled["access"] + sled["sweep"], end);
}

TEST(MemsStates, ASeekWithoutAPassEndsAtRestToo) {
  mems::MemsDriveParams params = mems_g2();
  host::HostParams host;
  host.seek_only = true;
  ListSource source({read_request(0, 1'000'000, 1), read_request(300 * kPsPerMs, 5'000'000, 1)});
  StateClock clock;
  MemsBench bench("store", params, host, source, nullptr, &clock);
  sc_core::sc_start();
  EXPECT_EQ(bench.records.size(), 2u);
  std::map<std::string, Ps> sled = clock.times("store.disk.sld0", 600 * kPsPerMs);
  EXPECT_EQ(sled["sweep"], 2 * 100 * kPsPerMs);
  EXPECT_EQ(sled["access"], 0);
  EXPECT_GT(sled["inactive"], 390 * kPsPerMs);
}

// --- Times -----------------------------------------------------------------------------------------------------------

/// From the beginning of a decision until the sled leaves.
Ps departure(const mems::MemsDriveParams& params, unsigned tags) {
  const Ps clock = params.controller.cpu_period();
  return params.arbiter.scan_time(tags, params.store.sled.count) +
         (params.firmware.handler_cycles(FW_IRQ_AAU) + params.firmware.handler_cycles(FW_IRQ_SRV0) + 2) * clock +
         2 * from_us(params.arbiter.margin_us);
}

TEST(MemsTimes, OneRequestComputedByHand) {
  const mems::MemsDriveParams params = mems_g2();
  const mems::Layout layout(params.store);
  const std::uint64_t lbn = layout.blocks() / 3;
  const Ps arrival = 3 * kPsPerMs;
  ListSource source({read_request(arrival, lbn, 1)});
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  ASSERT_EQ(bench.records.size(), 1u);
  const observe::RequestRecord& record = bench.records[0];

  // The command takes a frame over the link and a handler; the slot, two words over the bridge; the decision, one row.
  const Ps unit = params.arbiter.clock_period();
  const Ps command = arrival + bench.link.timing().arrival(5);
  const Ps granted = record.granted;
  EXPECT_GT(granted, command + params.firmware.handler_cycles(FW_IRQ_HIF_READ) * params.controller.cpu_period());
  EXPECT_LT(granted, command + bench.disk.command_lead_time(Operation::read));
  const Ps begins = granted - (18 + 1) * unit;
  // The sled lies in the middle. It starts in half a millisecond, then seeks X and Y at once; the sooner direction
  // counts.
  const mems::SledModel model(params.store);
  const mems::BlockPlace place = layout.locate(lbn);
  const Ps up = model.time(layout.middle(), layout.upwards(place).begin).total();
  const Ps down = model.time(layout.middle(), layout.downwards(place).begin).total();
  const Ps first = begins + departure(params, 32) + kPsPerMs / 2 + std::min(up, down);
  EXPECT_EQ(record.first_sector, first);
  // 90 bits at 700 kb/s: 128.571428... us.
  EXPECT_EQ(record.phases[static_cast<std::size_t>(Phase::transfer)], 128'571'429);
  EXPECT_EQ(record.phases[static_cast<std::size_t>(Phase::rotation)], 0);
  EXPECT_NEAR(static_cast<double>(record.predicted_positioning), static_cast<double>(first - granted), 2.0 * kTick);
  // Behind it: firmware, 512 bytes in a frame, the completion.
  const Ps end = first + 128'571'429;
  EXPECT_GT(record.completion, end + params.firmware.handler_cycles(FW_IRQ_CHN0) * params.controller.cpu_period());
  EXPECT_LT(record.completion, end + 12 * kPsPerUs);
}

std::vector<workload::Request> random_requests(const mems::MemsDriveParams& params, std::size_t count, Ps mean,
                                               std::uint32_t most_sectors, double reads) {
  RandomStream random(5, "mems");
  const std::uint64_t blocks = mems::Layout(params.store).blocks() - most_sectors;
  std::vector<workload::Request> made;
  Ps at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += static_cast<Ps>(random.below(static_cast<std::uint64_t>(2 * mean)));
    const auto sectors = 1 + static_cast<std::uint32_t>(random.below(most_sectors));
    made.push_back(random.chance(reads) ? read_request(at, random.below(blocks), sectors)
                                        : write_request(at, random.below(blocks), sectors));
  }
  return made;
}

std::size_t mispredicted(std::size_t count, bool write_cache) {
  mems::MemsDriveParams params = mems_g2();
  params.media.contents = media::ContentsParams::none;
  params.arbiter.margin_us = 25;  // for other commands' handlers at that moment
  params.cache.write = write_cache;
  ListSource source(random_requests(params, count, 1'100 * kPsPerUs, 8, 0.7));
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  EXPECT_EQ(bench.records.size(), count);
  std::size_t wrong = 0, known = 0;
  for (const observe::RequestRecord& record : bench.records) {
    if (record.predicted_positioning == observe::kNoTime || record.positioning == observe::kNoTime) continue;
    ++known;
    if (std::abs(record.positioning - record.predicted_positioning) > 2 * kTick) ++wrong;
  }
  EXPECT_GT(known, write_cache ? count / 2 : count * 99 / 100);
  return wrong;
}

TEST(MemsTimes, APredictedTimeIsMet) {
  EXPECT_EQ(mispredicted(kPredictions, false), 0u);
}

/// What the host's oracle says is what the unit predicts, but for the time between the two.
TEST(MemsTimes, TheOracleKnowsTheSled) {
  mems::MemsDriveParams params = mems_g2();
  ListSource source({read_request(0, 5'000, 1)});
  MemsBench bench("store", params, {}, source);
  const PositionModel& positions = bench.disk.positions();
  sc_core::sc_start(5, sc_core::SC_MS);  // the read is over, and the sled not asleep
  const mems::Layout layout(params.store);
  const mems::SledTimes times(params.store, layout);
  const mems::SledModel model(params.store);
  RandomStream random(3, "oracle");
  Ps soonest = kPsPerSecond, latest = 0;
  for (unsigned i = 0; i < 300; ++i) {
    const std::uint64_t lbn = random.below(layout.blocks());
    const Ps start = sc_core::sc_time_stamp().value() + static_cast<Ps>(random.below(90 * kPsPerMs));
    const Ps takes = positions.positioning_time(positions.place(lbn), Operation::read, start);
    const std::uint32_t cylinder = positions.place(lbn).cylinder, at = positions.arm_cylinder(0);
    EXPECT_GE(takes, positions.least_time(cylinder > at ? cylinder - at : at - cylinder)) << lbn;
    soonest = std::min(soonest, takes);
    latest = std::max(latest, takes);
  }
  EXPECT_LT(soonest, 400 * kPsPerUs);
  EXPECT_GT(latest, 700 * kPsPerUs);
  EXPECT_LT(latest, 1'200 * kPsPerUs);  // without a start
  // After sled.idle_ms it starts first, from the middle.
  const Ps asleep = sc_core::sc_time_stamp().value() + 200 * kPsPerMs;
  const mems::BlockPlace place = layout.locate(123'456);
  const Ps up = model.time(layout.middle(), layout.upwards(place).begin).total();
  const Ps down = model.time(layout.middle(), layout.downwards(place).begin).total();
  const Ps lead = departure(params, 0) - params.arbiter.scan_time(0, 1) -
                  (params.firmware.handler_cycles(FW_IRQ_AAU) + 1) * params.controller.cpu_period() -
                  from_us(params.arbiter.margin_us);
  EXPECT_EQ(positions.positioning_time(positions.place(123'456), Operation::read, asleep),
            lead + kPsPerMs / 2 + std::min(up, down));
}

/// The store on its own, with each request when the drive's sled could leave for it: they agree to the picosecond.
TEST(MemsTimes, TheStoreAloneAndTheDriveAgree) {
  mems::MemsDriveParams params = mems_g2();
  params.media.contents = media::ContentsParams::none;
  params.cache.look_ahead = params.cache.write = false;
  host::HostParams host;
  host.depth = 1;
  const mems::Layout layout(params.store);
  std::vector<workload::Request> requests = random_requests(params, 3'000, 4 * kPsPerMs, 40, 1);
  for (workload::Request& request : requests)  // between tracks the drive's firmware needs time
    request.sectors = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(request.sectors, layout.blocks_per_track() - request.lbn % layout.blocks_per_track()));
  ListSource source(requests);
  MemsBench bench("store", params, host, source);
  sc_core::sc_start();
  ASSERT_EQ(bench.records.size(), requests.size());

  params.store.electronics.transfer_us_per_sector = 0;
  std::vector<mems::StudyRequest> study;
  std::vector<Ps> media_end;
  for (const observe::RequestRecord& record : bench.records) {
    study.push_back({record.granted - 19 * params.arbiter.clock_period() + departure(params, 32), record.lbn,
                     record.sectors, false});
    media_end.push_back(record.first_sector + record.phases[static_cast<std::size_t>(Phase::transfer)]);
  }
  mems::QueueStudy alone(params.store, mems::Policy::fcfs);
  const std::vector<mems::Served> served = alone.run(study);
  for (std::size_t i = 0; i < served.size(); ++i) EXPECT_EQ(served[i].media, media_end[i]) << i;
}

/// Under load as well: the drive's mean response is that of the store alone and what controller and link add, which
/// grows with the queue.
class MemsUnderLoad : public ::testing::TestWithParam<std::tuple<arbiter::Policy, mems::Policy, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Policies, MemsUnderLoad,
                         ::testing::Combine(::testing::Values(arbiter::Policy::fcfs),
                                            ::testing::Values(mems::Policy::fcfs),
                                            ::testing::Values(9'000u, 1'800u, 1'250u)));
INSTANTIATE_TEST_SUITE_P(Positions, MemsUnderLoad,
                         ::testing::Combine(::testing::Values(arbiter::Policy::sptf),
                                            ::testing::Values(mems::Policy::sptf),
                                            ::testing::Values(9'000u, 1'800u, 1'250u, 1'000u)));

TEST_P(MemsUnderLoad, TheStoreAloneAndTheDriveAgree) {
  const auto [policy, alone_policy, mean_us] = GetParam();
  mems::MemsDriveParams params = mems_g2();
  params.media.contents = media::ContentsParams::none;
  params.cache.look_ahead = params.cache.write = false;
  params.arbiter.policy = policy;
  RandomStream random(6, "load");
  const std::uint64_t blocks = mems::Layout(params.store).blocks();
  std::vector<workload::Request> requests;
  std::vector<mems::StudyRequest> study;
  Ps at = 0;
  for (unsigned i = 0; i < 4'000; ++i) {
    at += from_us(random.exponential(mean_us));
    const auto sectors = 1 + static_cast<std::uint32_t>(random.below(16));
    requests.push_back(read_request(at, random.below(blocks - sectors), sectors));
    study.push_back({at, requests.back().lbn, sectors, false});
  }
  double alone = 0, drive = 0;
  mems::QueueStudy store(params.store, alone_policy);
  for (const mems::Served& served : store.run(study)) alone += to_ms(served.done - served.arrival);
  ListSource source(requests);
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  ASSERT_EQ(bench.records.size(), requests.size());
  for (const observe::RequestRecord& record : bench.records) drive += to_ms(record.completion - record.arrival);
  EXPECT_GT(drive / alone, 0.995);
  EXPECT_LT(drive / alone, 1.04) << alone / 4'000 << " ms alone, " << drive / 4'000 << " in the drive";
}

}  // namespace
}  // namespace armature::testing
