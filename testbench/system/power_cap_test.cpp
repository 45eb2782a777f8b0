// A cap on a drive's power: over no window of its length does the drive draw more, under loads that would make it, and
// it draws nearly as much if the load asks for it.
#include "armature/controller/soc.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/power/ledger.h"
#include "armature/power/power_params.h"
#include "support/closed_load.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace armature::testing {
namespace {

using power::Ledger;

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::uint64_t kSectors = 36'000;
constexpr Ps kStep = 3 * kPsPerSecond, kStepEnds = 6 * kPsPerSecond;

/// The drive's charge counters.
class Counters final : public controller::EnergyMeter {
 public:
  explicit Counters(Ledger& ledger) : ledger_(ledger) {}
  std::uint64_t microjoules() override {
    return static_cast<std::uint64_t>(ledger_.drawn(now()) / 1'000'000'000'000'000);
  }

 private:
  Ledger& ledger_;
};

/// Random reads, a few a second, and between kStep and kStepEnds as many as a second as `rate`.
std::vector<workload::Request> load_step(std::uint64_t seed, unsigned rate) {
  RandomStream random(seed, "step");
  std::vector<workload::Request> requests;
  for (Ps at = kStart; at < kStepEnds + 3 * kPsPerSecond;) {
    requests.push_back(read_request(at, random.below(kSectors - 8), 8));
    const unsigned now_rate = at >= kStep && at < kStepEnds ? rate : 4;
    at += static_cast<Ps>(random.below(static_cast<std::uint64_t>(2 * kPsPerSecond / now_rate)));
  }
  return requests;
}

struct Case {
  std::int64_t arms = 1;
  drive::ArmsParams::Design design = drive::ArmsParams::own;
  bool quiet = false;
  double acquire_ms = 0;
  bool caches = false;
  bool scans = false;
  std::vector<drive::FaultParams> faults;
  double busy_w = 0;  ///< of the processor while it works; 0: as in the drive file

  explicit Case(std::int64_t arms_ = 1, drive::ArmsParams::Design design_ = drive::ArmsParams::own, bool quiet_ = false,
                double acquire_ms_ = 0, bool caches_ = false)
      : arms(arms_), design(design_), quiet(quiet_), acquire_ms(acquire_ms_), caches(caches_) {}
};

/// A drive with an energy account, and with a cap if `cap_w` is not 0.
struct Capped {
  Capped(const char* name, const Case& its, std::unique_ptr<workload::Source> load, double cap_w)
      : source(std::move(load)) {
    BenchParams params;
    params.drive = round_drive();
    params.drive.arms.count = its.arms;
    params.drive.arms.design = its.design;
    params.drive.seek.acquire_ms = its.acquire_ms;
    params.drive.faults = its.faults;
    params.drive.cache.look_ahead = its.caches;
    params.drive.cache.write = its.caches;
    if (its.scans) params.drive.background.scan_idle_ms = 5;
    if (its.quiet) params.drive.seek.quiet.table = {{1, 1.5}, {199, 6}};
    params.drive.power_cap.cap_w = cap_w;
    ledger = std::make_unique<Ledger>(table(params.drive, its.busy_w), Ledger::Options{name, {kPsPerSecond}, nullptr});
    counters = std::make_unique<Counters>(*ledger);
    bench = std::make_unique<DriveBench>(name, params, *source, nullptr, ledger.get());
    bench->keep = false;
    bench->disk().soc().pmu.set_meter(*counters);
    bench->on_completed = [this](const observe::CompletedRequest& request) {
      sum += request.record.completion - request.record.arrival;
    };
  }

  static power::PowerTable table(const drive::DriveParams& drive, double busy_w = 0) {
    config::Node file = load_drive_file("seagate_barracuda_es_750.toml");
    power::PowerParams params;
    config::read(file.take("power"), params);
    if (busy_w != 0) params.cpu_busy_w = busy_w;
    power::DriveStructure structure;
    structure.arms = drive.arms.arms();
    structure.channels = drive.arms.channel_count();
    structure.heads = 8;
    structure.rpm = drive.spindle.rpm;
    structure.idle_conditions = drive.idle_conditions();
    return params.table(structure);
  }
  static double idle_w(const Case& its) {
    drive::DriveParams drive = round_drive();
    drive.arms.count = its.arms;
    drive.arms.design = its.design;
    drive.seek.acquire_ms = its.acquire_ms;
    return power::to_watts(table(drive).at_idle());
  }
  double most_w() const { return ledger->history().windows().front().watts(); }
  double mean_ms() const { return to_seconds(sum) * 1e3 / static_cast<double>(bench->completions()); }

  std::unique_ptr<workload::Source> source;
  std::unique_ptr<Ledger> ledger;
  std::unique_ptr<Counters> counters;
  std::unique_ptr<DriveBench> bench;
  Ps sum = 0;
};

class PowerCap : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Drives, PowerCap,
                         ::testing::Values(Case{}, Case{1, drive::ArmsParams::own, true},
                                           Case{4, drive::ArmsParams::MC}, Case{4, drive::ArmsParams::MC, true, 5},
                                           Case{4, drive::ArmsParams::serial, false, 5},
                                           Case{2, drive::ArmsParams::MC, true}));

TEST_P(PowerCap, HoldsOverEachSecondUnderALoadStepAndIsUsed) {
  const double idle = Capped::idle_w(GetParam());
  const double cap = idle + 1.2;
  const auto load = [] { return std::make_unique<ListSource>(load_step(9, 150)); };
  Capped free("free", GetParam(), load(), 0);
  Capped capped("capped", GetParam(), load(), cap);
  free.bench->run();  // both: one kernel
  const Ps end = now();
  ASSERT_EQ(capped.bench->completions(), free.bench->completions());
  EXPECT_EQ(capped.bench->failures(), 0u);
  const std::uint64_t counted = capped.counters->microjoules();
  free.ledger->finish(end);
  capped.ledger->finish(end);
  EXPECT_EQ(counted, static_cast<std::uint64_t>(power::shares_to_joules(capped.ledger->energy()) * 1e6));
  EXPECT_GT(free.most_w(), cap + 0.5) << "or the cap has nothing to do";
  EXPECT_LE(capped.most_w(), cap);
  EXPECT_GE(capped.most_w(), idle + 0.7 * (cap - idle)) << "it need not wait longer than the cap asks";
  EXPECT_GT(capped.mean_ms(), free.mean_ms()) << "the price";
}

/// Arms are out of service when a head of the arm that works fails: another one takes its surface.
TEST(PowerCapOfArms, KeepsOneForEachHead) {
  Case its{4, drive::ArmsParams::MC, false, 5};
  its.faults = {drive::head_fails(4, 0, 0), drive::head_fails(4.5, 1, 0), drive::head_fails(5, 2, 1)};
  const double cap = Capped::idle_w(its) + 1.2;
  Capped capped("capped", its, std::make_unique<ListSource>(load_step(9, 150)), cap);
  sc_core::sc_start(to_sc_time(60 * kPsPerSecond));
  EXPECT_TRUE(capped.bench->queue().finished()) << capped.bench->queue().outstanding() << " requests at the drive";
  EXPECT_EQ(capped.bench->failures(), 0u);
  EXPECT_EQ(capped.bench->disk().counters().failed_heads, 3u);
  EXPECT_GT(capped.bench->disk().counters().cap_measures, 0u) << "or no arm was ever out of service";
  capped.ledger->finish(now());
  EXPECT_LE(capped.most_w(), cap);
}

/// Firmware that looks for its credit draws most of what the drive earns meanwhile, if it looks often.
TEST(PowerCapOfLooks, ComesToAnEndThoughTheyDrawPower) {
  Case its;
  its.busy_w = 300;
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 20; ++i) requests.push_back(read_request(kStart, i * 1'700, 8));
  Capped capped("capped", its, std::make_unique<ListSource>(std::move(requests)), Capped::idle_w(its) + 0.5);
  sc_core::sc_start(to_sc_time(60 * kPsPerSecond));
  EXPECT_EQ(capped.bench->completions(), 20u);
  capped.ledger->finish(now());
  EXPECT_LE(capped.most_w(), Capped::idle_w(its) + 0.5);
}

/// Over each second `capped` draws at most the cap, and `free` more; both have completed as much.
void compare(Capped& free, Capped& capped, double cap) {
  const Ps end = now();
  ASSERT_EQ(capped.bench->completions(), free.bench->completions());
  EXPECT_EQ(capped.bench->failures(), 0u);
  free.ledger->finish(end);
  capped.ledger->finish(end);
  EXPECT_GT(free.most_w(), cap + 0.5) << "or the cap has nothing to do";
  EXPECT_LE(capped.most_w(), cap);
}

/// Reads one behind the other, which the drive reads ahead: no grant tells firmware of them.
TEST(PowerCapOfStreams, HoldsToo) {
  const Case its{1, drive::ArmsParams::own, false, 0, true};
  const double cap = Capped::idle_w(its) + 1.2;
  const auto load = [] {
    std::vector<workload::Request> requests;
    for (std::uint64_t i = 0; i < 3'000; ++i)
      requests.push_back(read_request(kStart + static_cast<Ps>(i) * kPsPerMs, i * 8 % (kSectors - 8), 8));
    return std::make_unique<ListSource>(std::move(requests));
  };
  Capped free("free", its, load(), 0);
  Capped capped("capped", its, load(), cap);
  free.bench->run();  // both: one kernel
  compare(free, capped, cap);
}

/// Writes of many tracks, straight to the media: one grant is for all of a write.
TEST(PowerCapOfLongWrites, HoldsToo) {
  const Case its;
  const double cap = Capped::idle_w(its) + 1.2;
  const auto load = [] {
    std::vector<workload::Request> requests;
    for (std::uint64_t i = 0; i < 6; ++i)
      requests.push_back(write_request(kStart + static_cast<Ps>(i) * 300 * kPsPerMs, i * 5'000, 4'000));
    return std::make_unique<ListSource>(std::move(requests));
  };
  Capped free("free", its, load(), 0);
  Capped capped("capped", its, load(), cap);
  free.bench->run();  // both: one kernel
  compare(free, capped, cap);
}

/// The media scan goes from step to step without a grant, and without an end.
TEST(PowerCapOfScans, HoldsToo) {
  Case its;
  its.scans = true;
  const double cap = Capped::idle_w(its) + 1.2;
  const auto load = [] { return std::make_unique<ListSource>(std::vector{read_request(kStart, 8, 8)}); };
  Capped free("free", its, load(), 0);
  Capped capped("capped", its, load(), cap);
  sc_core::sc_start(to_sc_time(4 * kPsPerSecond));
  compare(free, capped, cap);
  EXPECT_GT(capped.bench->disk().counters().scanned_sectors, 2'000u) << "it goes on, in the power that is left";
}

/// Writes into the cache, whose data go to the media without a request that waits.
TEST(PowerCapOfWrites, HoldsToo) {
  const Case its{1, drive::ArmsParams::own, false, 0, true};
  const double cap = Capped::idle_w(its) + 1.2;
  const auto load = [] {
    RandomStream random(4, "writes");
    std::vector<workload::Request> requests;
    for (std::uint64_t i = 0; i < 500; ++i)
      requests.push_back(write_request(kStart + static_cast<Ps>(i) * 6 * kPsPerMs, random.below(kSectors - 8), 8));
    return std::make_unique<ListSource>(std::move(requests));
  };
  Capped free("free", its, load(), 0);
  Capped capped("capped", its, load(), cap);
  free.bench->run();  // both: one kernel
  compare(free, capped, cap);
}

}  // namespace
}  // namespace armature::testing
