// Throttling: firmware takes measures one by one while the sensor on the case tells too much, and takes them back when
// it has cooled down.
#include "armature/controller/soc.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "support/drive_bench.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace armature::testing {
namespace {

constexpr Ps kS = kPsPerSecond;
constexpr std::uint64_t kSectors = 36'000;

class Scripted final : public controller::TemperatureSensor {
 public:
  explicit Scripted(std::function<double(Ps)> of) : of_(std::move(of)) {}
  double celsius() override { return of_(now()); }

 private:
  std::function<double(Ps)> of_;
};

/// Warm from 3 to 30 s, then within the hysteresis, from 40 s on cool.
double rise_and_fall(Ps at) {
  return at < 3 * kS ? 50 : at < 30 * kS ? 61 : at < 40 * kS ? 58 : 50;
}

struct Throttled {
  explicit Throttled(const char* name, std::int64_t arms = 4, bool quiet = true,
                     std::vector<drive::FaultParams> faults = {}) {
    RandomStream random(4, "throttle");
    std::vector<workload::Request> requests;
    for (Ps at = 20 * kPsPerMs; at < 70 * kS;) {
      requests.push_back(read_request(at, random.below(kSectors - 8), 8));
      at += static_cast<Ps>(random.below(static_cast<std::uint64_t>(2 * kS / 30)));
    }
    source = std::make_unique<ListSource>(std::move(requests));
    BenchParams params;
    params.drive = round_drive();
    params.drive.arms.count = arms;
    params.drive.arms.design = drive::ArmsParams::MC;
    params.drive.seek.acquire_ms = 5;
    params.drive.faults = std::move(faults);
    if (quiet) params.drive.seek.quiet.table = {{1, 1.5}, {199, 6}};
    params.drive.sensor = drive::SensorParams{5, 60};
    params.drive.throttle.at_c = 60;
    params.drive.throttle.hysteresis_c = 3;
    params.drive.throttle.every_s = 4;
    bench = std::make_unique<DriveBench>(name, params, *source, nullptr, nullptr);
    bench->keep = false;
    bench->disk().soc().pmu.set_sensor(sensor);
    bench->on_completed = [this](const observe::CompletedRequest& request) {
      arms_at[now() / kS].insert(request.record.arm);
    };
  }
  /// Arms that served something that ended from second `from` up to `to`.
  std::set<std::uint32_t> arms(Ps from, Ps to) const {
    std::set<std::uint32_t> all;
    for (Ps s = from; s < to; ++s)
      if (const auto found = arms_at.find(s); found != arms_at.end())
        all.insert(found->second.begin(), found->second.end());
    return all;
  }

  Scripted sensor{rise_and_fall};
  std::unique_ptr<ListSource> source;
  std::unique_ptr<DriveBench> bench;
  std::map<Ps, std::set<std::uint32_t>> arms_at;
};

using Arms = std::set<std::uint32_t>;

// A measure at 3, 7, 11, 15 s: quiet seeks, then arms 3, 2, 1 out. Back at 40, 44, 48, 52 s; looks are a second apart.
TEST(Throttle, TakesOneMeasureAfterAnotherAndBack) {
  Throttled drive("drive");
  sc_core::sc_start(to_sc_time(71 * kS));
  EXPECT_EQ(drive.bench->failures(), 0u);
  const drive::Drive::Counters counters = drive.bench->disk().counters();
  EXPECT_EQ(counters.throttle_measures, 4u);
  EXPECT_NEAR(to_seconds(counters.throttled_time), 52 - 3, 2.01);
  EXPECT_EQ(drive.arms(0, 3), (Arms{0, 1, 2, 3}));
  EXPECT_EQ(drive.arms(17, 40), (Arms{0})) << "within the hysteresis nothing changes";
  EXPECT_EQ(drive.arms(55, 70), (Arms{0, 1, 2, 3}));
}

TEST(ThrottleOfFirstMeasure, IsQuietSeeksAlone) {
  Throttled drive("drive");
  sc_core::sc_start(to_sc_time(7 * kS - 1));
  EXPECT_EQ(drive.bench->disk().counters().throttle_measures, 1u);
  EXPECT_EQ(drive.arms(4, 7), (Arms{0, 1, 2, 3}));
}

TEST(ThrottleOfOneArm, HasNoMeasureWithoutQuietSeeks) {
  Throttled drive("drive", 1, false);
  sc_core::sc_start(to_sc_time(71 * kS));
  EXPECT_EQ(drive.bench->failures(), 0u);
  EXPECT_EQ(drive.bench->disk().counters().throttle_measures, 0u);
  EXPECT_EQ(drive.bench->disk().counters().throttled_time, 0);
}

/// The arm that is left loses a head, then fails: others come back for what it reached.
TEST(ThrottleAndFailures, KeepAnArmForEachSurface) {
  Throttled drive("drive", 4, true, {drive::head_fails(20, 0, 0), drive::arm_fails(24, 0)});
  sc_core::sc_start(to_sc_time(71 * kS));
  EXPECT_EQ(drive.bench->failures(), 0u);
  EXPECT_EQ(drive.bench->disk().counters().failed_arms, 1u);
  EXPECT_EQ(drive.arms(26, 40), (Arms{1})) << "one is out that failed, two are by heat";
}

}  // namespace
}  // namespace armature::testing
