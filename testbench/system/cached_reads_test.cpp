// Reads beside writes on each drive in scenarios/drives, with its caches as they are delivered and switched off: on the
// same requests caches do not make the reads wait longer, nor the writes, up to where the drive without caches is
// saturated.
#include "armature/core/random.h"
#include "armature/workload/params.h"
#include "support/shipped_drives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace armature {
namespace {

constexpr std::int64_t kCount = 4'000;
constexpr std::int64_t kClosed = 600;              ///< requests that tell how many a second the drive serves
constexpr Ps kBegin = 120 * kPsPerSecond;          ///< of the open load: they have been served
constexpr double kDensities[] = {0.5, 0.8, 0.95};  ///< of that rate
// What is read ahead and what is de-staged when nothing waits delays the next read by a sector or an access. Near
// saturation another order of the same requests alone is worth some per cent.
constexpr double kTolerance = 1.05;

enum Load { random_small, writes_of_any_size, hot_spot };
constexpr Load kLoads[] = {random_small, writes_of_any_size, hot_spot};

workload::WorkloadParams requests(Load load) {
  workload::WorkloadParams params;
  params.size_sectors = 8;
  params.read_fraction = 0.6;
  switch (load) {
    case random_small:
      break;
    case writes_of_any_size:
      params.read_fraction = 0.4;
      params.sizes = {{8, 4}, {16, 2}, {64, 1}, {128, 1}};
      break;
    case hot_spot:
      params.read_fraction = 0.75;
      params.hot_spots = {{0.8, 0.05, 0.3}};
      break;
  }
  return params;
}

/// Keeps 32 requests on their way and measures how many are served in a second.
class Saturation final : public workload::Source {
 public:
  Saturation(const workload::WorkloadParams& load, std::uint64_t sectors) {
    workload::WorkloadParams closed = load;
    closed.kind = workload::WorkloadParams::closed;
    closed.outstanding = 32;
    closed.think_ms = 0;
    closed.count = kClosed;
    source_ = workload::make_source(closed, 1, sectors, "");
  }
  Next next(workload::Request& request) override {
    const Next next = source_->next(request);
    if (next == Next::request) request.arrival += kPsPerSecond;
    return next;
  }
  void completed(const workload::Request& request, Ps at) override {
    source_->completed(request, at - kPsPerSecond);
    if (++completed_ == kClosed / 6) from_ = at;
    if (completed_ == kClosed * 5 / 6) to_ = at;
  }
  double per_s() const { return static_cast<double>(kClosed * 5 / 6 - kClosed / 6) / to_seconds(to_ - from_); }

 private:
  std::unique_ptr<workload::Source> source_;
  std::int64_t completed_ = 0;
  Ps from_ = 0, to_ = 0;
};

/// An open load of a share of what the drive serves, from kBegin on. Before that a read, so that the host asks for the
/// next request when the rate is known.
class ShareOf final : public workload::Source {
 public:
  ShareOf(const workload::WorkloadParams& load, std::uint64_t sectors, const Saturation& saturation, double share)
      : load_(load), sectors_(sectors), saturation_(saturation), share_(share) {}
  Next next(workload::Request& request) override {
    if (!led_) {
      led_ = true;
      request = {};
      request.arrival = kBegin;
      request.sectors = 1;
      return Next::request;
    }
    if (!source_ && !lead_over_) return Next::after_completion;
    if (!source_) {
      load_.kind = workload::WorkloadParams::open;
      load_.rate_per_s = share_ * saturation_.per_s();
      load_.count = kCount;
      source_ = workload::make_source(load_, 2, sectors_, "");
    }
    const Next next = source_->next(request);
    ++request.id;
    request.arrival += kBegin + kPsPerSecond;
    return next;
  }
  void completed(const workload::Request&, Ps) override { lead_over_ = true; }

 private:
  workload::WorkloadParams load_;
  const std::uint64_t sectors_;
  const Saturation& saturation_;
  const double share_;
  bool led_ = false, lead_over_ = false;
  std::unique_ptr<workload::Source> source_;
};

class CachedReads : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(CachedReads, WaitNoLongerThanWithCachesOff) {
  const auto& [file, number] = GetParam();
  const workload::WorkloadParams load = requests(kLoads[number]);
  const testing::BenchParams delivered = testing::shipped(file);
  testing::BenchParams off = delivered;
  off.drive.cache.write = off.drive.cache.look_ahead = false;
  const std::uint64_t sectors = media::Geometry(delivered.drive.layout()).sectors();
  Saturation saturation(load, sectors);
  testing::DriveBench saturated("saturated", off, saturation);
  saturated.keep = false;
  struct Run {
    std::unique_ptr<ShareOf> source;
    std::unique_ptr<testing::DriveBench> bench;
    double sum_ms = 0, write_ms = 0;
    std::uint64_t reads = 0;
  };
  std::vector<Run> runs(2 * std::size(kDensities));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run& run = runs[i];
    run.source = std::make_unique<ShareOf>(load, sectors, saturation, kDensities[i / 2]);
    run.bench = std::make_unique<testing::DriveBench>(("drive" + std::to_string(i)).c_str(),
                                                      i % 2 == 0 ? delivered : off, *run.source);
    run.bench->keep = false;
    run.bench->on_completed = [&run](const observe::CompletedRequest& done) {
      if (done.record.id == 0) return;
      const double ms = to_ms(done.record.completion - done.record.arrival);
      if (done.record.operation != Operation::read) {
        run.write_ms += ms;
        return;
      }
      run.sum_ms += ms;
      ++run.reads;
    };
  }
  saturated.run();
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    const Run &on = runs[i], &without = runs[i + 1];
    ASSERT_EQ(on.reads, without.reads);
    ASSERT_GT(on.reads, 1'000u);
    const auto count = static_cast<double>(on.reads);
    EXPECT_LT(on.sum_ms, kTolerance * without.sum_ms)
        << "at " << kDensities[i / 2] << " of " << saturation.per_s() << " requests a second a read takes "
        << on.sum_ms / count << " ms, with caches off " << without.sum_ms / count << " ms";
    EXPECT_LT(on.write_ms, kTolerance * without.write_ms) << "writes at " << kDensities[i / 2];
  }
}

/// Mean time of the reads of an open load on a drive of its own.
struct MeanRead {
  MeanRead(const char* name, const testing::BenchParams& params, const workload::WorkloadParams& load)
      : source(workload::make_source(load, 1, media::Geometry(params.drive.layout()).sectors(), "")),
        bench(std::make_unique<testing::DriveBench>(name, params, *source)) {
    bench->keep = false;
    bench->on_completed = [this](const observe::CompletedRequest& done) {
      if (done.record.operation != Operation::read) return;
      sum_ms += to_ms(done.record.completion - done.record.arrival);
      ++reads;
    };
  }
  double ms() const { return sum_ms / static_cast<double>(reads); }
  std::unique_ptr<workload::Source> source;
  std::unique_ptr<testing::DriveBench> bench;
  double sum_ms = 0;
  std::uint64_t reads = 0;
};

// Under aged SPTF the cache's data, which have waited for seconds, went before the reads, one by one in the order of
// their age: 35 ms a read in place of 17 ms. They do not age, so the policy makes no difference.
TEST(ReadsBesideWrittenData, AreNotOvertakenByTheirAge) {
  workload::WorkloadParams load;
  load.kind = workload::WorkloadParams::open;
  load.rate_per_s = 190;
  load.count = 8'000;
  load.read_fraction = 0.6;
  load.size_sectors = 8;
  load.last_lbn = 100'000'000;
  testing::BenchParams params = testing::shipped("seagate_barracuda_es_750");
  ASSERT_EQ(params.drive.arbiter.policy, arbiter::Policy::aged_sptf);
  MeanRead aged("aged", params, load);
  params.drive.arbiter.policy = arbiter::Policy::sptf;
  MeanRead sptf("sptf", params, load);
  params.drive.arbiter.policy = arbiter::Policy::aged_sptf;
  params.drive.cache.write = params.drive.cache.look_ahead = false;
  MeanRead off("off", params, load);
  aged.bench->run();
  EXPECT_LT(aged.ms(), 0.75 * off.ms());
  EXPECT_NEAR(aged.ms(), sptf.ms(), 0.05 * sptf.ms());
}

std::vector<std::tuple<std::string, int>> cases() {
  std::vector<std::tuple<std::string, int>> cases;
  int i = 0;
  for (const std::string& file : testing::drive_files())
    for (int load = 0; load < static_cast<int>(std::size(kLoads)); ++load, ++i)
      if (i % ARMATURE_ONE_IN == 0) cases.emplace_back(file, load);
  return cases;
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<std::string, int>>& test) {
  const char* const loads[] = {"small", "any_size", "hot_spot"};
  return std::get<0>(test.param) + "_" + loads[std::get<1>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(Files, CachedReads, ::testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace armature
