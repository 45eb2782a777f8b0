// Background work while commands are under way: how much it reads, what it adds to their response, and that it keeps
// to its budget (background.max_added_us).
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace armature::testing::spare_test {
namespace {

using Design = drive::ArmsParams::Design;

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::uint64_t kSectors = 36'000;

struct Kind {
  const char* name;
  std::int64_t arms;
  Design design;
  std::uint32_t scans;  ///< sectors, at least, while 2,000 requests follow each other at 500 us
};
constexpr Kind kKinds[] = {{"One", 1, Design::own, 1'000},
                           {"Sa", 2, Design::SA, 1'000},
                           {"Ma", 2, Design::MA, 1'000},
                           {"Mc", 2, Design::MC, 6'000}};
void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.name;
}
std::string name_of(const ::testing::TestParamInfo<Kind>& test) {
  return test.param.name;
}

BenchParams params(const Kind& kind, double max_added_us) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.arms.count = kind.arms;
  p.drive.arms.design = kind.design;
  p.drive.arbiter.policy = arbiter::Policy::sptf;
  p.drive.background.scan_idle_ms = 5'000;
  p.drive.background.scan_step_sectors = 1'000;  // a track
  p.drive.background.max_added_us = max_added_us;
  return p;
}

/// Random reads, one always outstanding: each comes when the one before has ended.
class BusyLoad final : public workload::Source {
 public:
  explicit BusyLoad(std::uint64_t count) : left_(count) {}
  Next next(workload::Request& request) override {
    if (left_ == 0) return Next::end;
    if (waits_) return Next::after_completion;
    --left_;
    waits_ = true;
    request = read_request(last_, static_cast<std::int64_t>(random_.below(kSectors - 8)), 8);
    request.id = id_++;
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    waits_ = false;
    last_ = std::max(last_, at);
  }

 private:
  RandomStream random_{7, "busy load"};
  std::uint64_t left_, id_ = 0;
  Ps last_ = kStart;
  bool waits_ = false;
};

/// Random reads that arrive at random.
std::unique_ptr<workload::Source> open_load(std::uint64_t count, double per_s) {
  RandomStream random(3, "open load");
  std::vector<workload::Request> requests;
  Ps at = kStart;
  for (std::uint64_t n = 0; n < count; ++n) {
    requests.push_back(read_request(at, static_cast<std::int64_t>(random.below(kSectors - 8)), 8));
    at += static_cast<Ps>(random.exponential(1 / per_s) * static_cast<double>(kPsPerSecond));
  }
  return std::make_unique<ListSource>(requests);
}

/// Drives side by side, each with a load of its own.
class Drives {
 public:
  void add(const BenchParams& p, std::unique_ptr<workload::Source> source) {
    sources_.push_back(std::move(source));
    const std::string name = "bench" + std::to_string(benches_.size());
    benches_.push_back(std::make_unique<DriveBench>(name.c_str(), p, *sources_.back()));
    benches_.back()->keep = false;
    std::vector<double>& us = responses_.emplace_back();
    benches_.back()->on_completed = [&us](const observe::CompletedRequest& request) {
      us.push_back(to_us(request.record.response()));
    };
  }
  /// Until all requests have ended. A drive that scans never has nothing to do.
  void run(std::size_t requests) {
    const auto under_way = [&] {
      for (const auto& us : responses_)
        if (us.size() < requests) return true;
      return false;
    };
    for (int s = 0; s < 1'000 && under_way(); ++s) sc_core::sc_start(to_sc_time(kPsPerSecond));
    for (const auto& bench : benches_) EXPECT_FALSE(bench->disk().failed());
    for (const auto& us : responses_) EXPECT_EQ(us.size(), requests);
  }
  DriveBench& bench(std::size_t i) { return *benches_.at(i); }
  std::uint32_t scanned(std::size_t i) const { return benches_.at(i)->disk().counters().scanned_sectors; }
  double mean_us(std::size_t i) const {
    double sum = 0;
    for (const double us : responses_.at(i)) sum += us;
    return sum / static_cast<double>(responses_.at(i).size());
  }
  /// What firmware takes for the mean that background work has added.
  double estimated_us(std::size_t i) const {
    return to_us(benches_.at(i)->disk().counters().background_added) / static_cast<double>(responses_.at(i).size());
  }

 private:
  static double to_us(Ps ps) { return static_cast<double>(ps) / static_cast<double>(kPsPerUs); }
  std::vector<std::unique_ptr<workload::Source>> sources_;
  std::vector<std::unique_ptr<DriveBench>> benches_;
  std::deque<std::vector<double>> responses_;
};

class SpareArms : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Designs, SpareArms, ::testing::ValuesIn(kKinds), name_of);

TEST_P(SpareArms, ScanWhileARequestIsAlwaysOutstandingIfThereIsABudget) {
  Drives drives;
  drives.add(params(GetParam(), 0), std::make_unique<BusyLoad>(2'000));
  drives.add(params(GetParam(), 500), std::make_unique<BusyLoad>(2'000));
  drives.run(2'000);
  EXPECT_EQ(drives.scanned(0), 0u);
  EXPECT_GT(drives.scanned(1), GetParam().scans);
}

/// With one request at a time no order of requests can differ: what is added is what firmware takes for it, wherever
/// arms go that are idle.
TEST_P(SpareArms, AddWhatFirmwareEstimates) {
  using Placement = drive::ArmsParams::Placement;
  constexpr std::uint64_t kCount = 5'000;
  constexpr Placement kPlacements[] = {Placement::stay, Placement::follow, Placement::spread, Placement::zone};
  Drives drives;
  for (const Placement placement : kPlacements) {
    for (const double budget : {0.0, 500.0}) {
      BenchParams p = params(GetParam(), budget);
      p.drive.arms.placement = placement;
      p.drive.seek.table = {{1, 1.0}, {201, 15.0}};  // where arms stand counts
      if (budget == 0) p.drive.background.scan_idle_ms = 0;
      drives.add(p, std::make_unique<BusyLoad>(kCount));
    }
  }
  drives.run(kCount);
  for (std::size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE("placement " + std::to_string(static_cast<int>(kPlacements[i])));
    const double added = drives.mean_us(2 * i + 1) - drives.mean_us(2 * i), estimated = drives.estimated_us(2 * i + 1);
    EXPECT_NEAR(estimated, 500, 25);
    EXPECT_NEAR(added, estimated, kPlacements[i] <= Placement::follow ? 15 : 45);  // of 35 to 97 if arms are forgotten
  }
}

/// What an arm reads on its way to a request costs nothing, and no turn is lost.
TEST(SpareWaits, AnArmReadsOnItsWayToRequestsAndIsInTime) {
  Drives drives;
  for (const double budget : {0.0, 1.0}) {  // too little for any other step
    BenchParams p = params(kKinds[0], budget);
    p.drive.background.scan_step_sectors = 16;
    drives.add(p, std::make_unique<BusyLoad>(2'000));
  }
  drives.run(2'000);
  EXPECT_GT(drives.scanned(1), 500u);
  EXPECT_NEAR(drives.mean_us(1), drives.mean_us(0), 3);
}

TEST_P(SpareArms, KeepToTheBudget) {
  constexpr double kBudgets[] = {0, 300, 2'000};
  constexpr double kRates[] = {20, 60};
  constexpr std::uint64_t kCount = 2'000;
  Drives drives;
  for (const double per_s : kRates) {
    for (const double budget : kBudgets) {
      BenchParams p = params(GetParam(), budget);
      if (budget == 0) p.drive.background.scan_idle_ms = 0;
      drives.add(p, open_load(kCount, per_s));
    }
  }
  drives.run(kCount);
  for (std::size_t i = 0; i < 6; ++i) {
    const double budget = kBudgets[i % 3];
    if (budget == 0) continue;
    SCOPED_TRACE(std::to_string(kRates[i / 3]) + "/s, " + std::to_string(budget) + " us");
    const double added = drives.mean_us(i) - drives.mean_us(i - i % 3);
    RecordProperty("added_" + std::to_string(i), std::to_string(added));
    EXPECT_GT(drives.scanned(i), 0u);
    EXPECT_LE(drives.estimated_us(i), budget * 1.15);
    // Where arms stand differs from then on, and with that each response by some 5 ms: 110 us of the mean.
    EXPECT_LE(added, budget * 1.05 + 120);
  }
}

/// Blocks that the host names (host.background_*): they are read under the budget, in any order, and complete.
TEST_P(SpareArms, ServeTheHostsListWithinTheBudget) {
  constexpr double kBudget = 2'000;
  constexpr std::uint64_t kCount = 2'000;
  Drives drives;
  std::deque<host::BackgroundReads> lists;
  for (const bool list : {false, true}) {
    BenchParams p = params(GetParam(), kBudget);
    p.drive.background.scan_idle_ms = 0;
    p.host.background_outstanding = list ? 8 : 0;
    p.host.background_sectors = 32;
    drives.add(p, open_load(kCount, 20));
    if (list) drives.bench(1).queue().set_background(lists.emplace_back(p.host, kSectors, 1));
  }
  drives.run(kCount);
  const host::BackgroundReads::Counters& read = lists.front().counters();
  EXPECT_EQ(read.sectors, kSectors) << "all of the drive, once";
  EXPECT_EQ(read.reads, kSectors / 32);
  EXPECT_EQ(read.failed, 0u);
  EXPECT_EQ(drives.scanned(1), 0u);
  EXPECT_LE(drives.estimated_us(1), kBudget * 1.15);
  EXPECT_LE(drives.mean_us(1) - drives.mean_us(0), kBudget * 1.1);
}

/// Without a budget the drive does not know the priority: they are reads like others.
TEST(SpareList, IsServedAsAnyReadWithoutABudget) {
  Drives drives;
  BenchParams p = params(kKinds[0], 0);
  p.host.background_outstanding = 1;
  p.host.background_ranges = {{100, 64}, {5'000, 200}};
  drives.add(p, open_load(200, 20));
  host::BackgroundReads list(p.host, kSectors, 1);
  drives.bench(0).queue().set_background(list);
  drives.run(200);
  EXPECT_EQ(list.counters().reads, 3u) << "64 sectors, 128 and 72";
  EXPECT_EQ(list.counters().sectors, 264u);
}

/// A background read of a surface that no head reaches any more fails, and a flush that waits for its end goes on.
TEST(SpareList, AReadThatNoHeadReachesFails) {
  constexpr std::size_t kCount = 40;
  BenchParams p = params(kKinds[0], 2'000);
  p.drive.faults = {drive::head_fails(0.2, 0, 1)};
  p.host.background_outstanding = 4;
  p.host.background_sectors = 20;
  std::vector<workload::Request> requests(kCount);
  for (std::size_t n = 0; n < kCount; ++n) {
    requests[n] = read_request(kStart + static_cast<Ps>(n) * 50 * kPsPerMs, 0, 8);  // on the other surface
    if (n % 4 != 3) continue;
    requests[n].operation = Operation::flush;
    requests[n].sectors = 0;
  }
  Drives drives;
  drives.add(p, std::make_unique<ListSource>(requests));
  host::BackgroundReads list(p.host, kSectors, 1);
  drives.bench(0).queue().set_background(list);
  drives.run(kCount);
  EXPECT_GT(list.counters().failed, 0u);
  EXPECT_GT(list.counters().reads, list.counters().failed);
}

/// The head that reads them fails while there are no other commands: another arm goes on.
TEST(SpareList, AnotherArmGoesOnWithTheReads) {
  BenchParams p = params(kKinds[2], 100);
  p.drive.faults = {drive::head_fails(1, 0, 0)};
  p.host.background_outstanding = 1;
  p.host.background_sectors = 20;
  std::vector<workload::Request> requests = {read_request(kStart, 0, 8), read_request(3 * kPsPerSecond, 0, 8)};
  requests.back().operation = Operation::flush;
  requests.back().sectors = 0;
  Drives drives;
  drives.add(p, std::make_unique<ListSource>(requests));
  host::BackgroundReads list(p.host, kSectors, 1);
  drives.bench(0).queue().set_background(list);
  drives.run(requests.size());
  EXPECT_EQ(drives.bench(0).disk().counters().failed_heads, 1u);
  EXPECT_EQ(list.counters().failed, 0u);
}

/// The host takes data slowly: finished reads keep all segments, and the last reads of the list wait for one. They are
/// served when a segment comes free, although no other command comes.
TEST(SpareList, ReadsThatFindNoSegmentAreServedLater) {
  Drives drives;
  std::deque<host::BackgroundReads> lists;
  const auto add = [&](std::int64_t arms, std::int64_t segments, bool caches, std::unique_ptr<workload::Source> load) {
    BenchParams p = params(kKinds[0], 2'000);
    p.drive.arms.count = arms;
    p.drive.background.scan_idle_ms = 0;
    p.drive.buffer.segments = segments;
    p.drive.cache.look_ahead = p.drive.cache.write = caches;
    p.link.bus_us_per_sector = 1'000;  // ten times as long as on the medium
    p.host.background_outstanding = 8;
    p.host.background_sectors = 40;
    p.host.background_ranges = {{0, 1'600}};
    drives.add(p, std::move(load));
    drives.bench(lists.size()).queue().set_background(lists.emplace_back(p.host, kSectors, 1));
  };
  for (const bool caches : {false, true})
    for (const std::int64_t arms : {1, 2})
      for (const std::int64_t more : {2, 3, 4}) add(arms, arms + more, caches, open_load(20, 40));
  drives.run(20);
  sc_core::sc_start(to_sc_time(5 * kPsPerSecond));
  for (std::size_t i = 0; i < lists.size(); ++i) EXPECT_EQ(lists[i].outstanding(), 0u) << "drive " << i;
}

/// With every cache, defects, resets, standby: what is read is what was written.
enum class Reads { on_the_way, on_arrival, list };
class SpareContents : public ::testing::TestWithParam<std::tuple<Kind, Reads>> {
 public:
  static std::string name(const ::testing::TestParamInfo<std::tuple<Kind, Reads>>& test) {
    constexpr std::array<const char*, 3> kNames = {"OnTheWay", "ReadOnArrival", "List"};
    return std::string(std::get<0>(test.param).name) + kNames.at(static_cast<std::size_t>(std::get<1>(test.param)));
  }
};
INSTANTIATE_TEST_SUITE_P(Designs, SpareContents,
                         ::testing::Combine(::testing::ValuesIn(kKinds),
                                            ::testing::Values(Reads::on_the_way, Reads::on_arrival, Reads::list)),
                         SpareContents::name);

TEST_P(SpareContents, ALoadWithEverythingOnIsServedRight) {
  BenchParams p = params(std::get<0>(GetParam()), 2'000);
  const BenchParams plain = p;
  p.drive = round_drive_with_contents(true);
  p.drive.arms = plain.drive.arms;
  p.drive.background = plain.drive.background;
  p.drive.background.scan_idle_ms = 20;
  p.drive.background.scan_step_sectors = 64;
  p.drive.background.recalibration_s = 0.5;
  p.drive.background.recalibration_ms = 5;
  p.drive.background.recalibration_wait_ms = 50;
  p.drive.buffer.size_kib = 1024;
  p.drive.cache.write = p.drive.cache.look_ahead = true;
  const Reads reads = std::get<1>(GetParam());
  p.drive.cache.read_on_arrival = reads == Reads::on_arrival;  // it uses the waits that steps on the way would
  p.drive.cache.keep_written = p.drive.cache.read_ahead_on_hit = true;
  p.drive.faults = {drive::grown_defect(18'100), drive::grown_defect(19'000, 5), drive::grown_defect(21'000, 10)};
  p.host.reset_interval_ms = 70;
  p.host.standby_after_s = 0.08;
  p.drive.spindle.spin_up_s = 0.02;
  p.drive.spindle.spin_down_s = 0.01;
  ContentsLoad::Params load;
  load.count = 4'000;
  load.sectors = media::Geometry(p.drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  load.outstanding = 2;
  load.pause_share = 0.1;
  load.beyond_share = 0.005;
  ContentsLoad source(load);
  host::ContentsCheck check({});
  DriveBench bench("bench", p, source);
  bench.keep = false;
  bench.queue().on_finished = [] { sc_core::sc_stop(); };
  bench.queue().set_data_port(check);
  p.host.background_outstanding = 4;
  p.host.background_sectors = 24;
  p.host.background_ranges.assign(40, {kHotFirst, kHotSectors});  // where the load writes
  host::BackgroundReads list(p.host, load.sectors, 1);
  if (reads == Reads::list) bench.queue().set_background(list);
  sc_core::sc_start();
  EXPECT_TRUE(bench.queue().finished());
  EXPECT_FALSE(bench.disk().failed());
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  if (reads == Reads::list)
    EXPECT_GT(list.counters().sectors, 1'000u);
  else
    EXPECT_GT(bench.disk().counters().scanned_sectors, 5'000u);
}

}  // namespace
}  // namespace armature::testing::spare_test
