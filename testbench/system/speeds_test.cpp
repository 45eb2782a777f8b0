// A stack with several speeds: rate and turn at each, predictions of the arbitration unit, contents while the speed
// changes, Idle_c, and the policy DRPM.
#include "armature/core/conversions.h"
#include "armature/core/random.h"
#include "contents_bench.h"
#include "contents_setups.h"
#include "support/recording_sinks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {
namespace {

using States = std::vector<std::pair<Ps, std::string>>;

/// 6,000, 4,500 and 3,000 rpm: turns of 10, 13.3 and 20 ms.
drive::DriveParams drive_with_speeds() {
  drive::DriveParams params = round_drive_with_contents(false);
  params.spindle.spin_up_s = 0.08;
  params.spindle.spin_down_s = 0.04;
  params.spindle.speeds_rpm = {4'500, 3'000};
  return params;
}

/// Goes down at each look without a request, and up as soon as a window is slower.
drive::DriveParams restless() {
  drive::DriveParams params = drive_with_speeds();
  params.speed.policy = drive::SpeedParams::drpm;
  params.speed.window_requests = 5;
  params.speed.upper = 0.1;
  params.speed.lower = 0.1;
  params.speed.check_s = 0.01;
  return params;
}

std::size_t count(const States& states, const std::string& name) {
  return static_cast<std::size_t>(
      std::count_if(states.begin(), states.end(), [&](const auto& state) { return state.second == name; }));
}

TEST(Speeds, ATrackTakesATurnOfThePresentSpeed) {
  drive::DriveParams params = drive_with_speeds();
  params.geometry.slips.clear();
  params.speed.policy = drive::SpeedParams::drpm;
  params.speed.check_s = 0.1;
  std::vector<workload::Request> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(read_request((50 + i * 400) * kPsPerMs, 0, 100));
  // At 50 ms: full speed. At 450 ms and 850 ms: the lowest.
  ListSource source(requests);
  BenchParams bench_params;
  bench_params.drive = params;
  RecordingStates states;
  DriveBench bench("bench", bench_params, source, nullptr, &states);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 3u);
  const auto transfer = [&](std::uint64_t id) {
    Ps sum = 0;
    for (const observe::Segment& segment : bench.finished.at(id).timeline)
      if (segment.phase == Phase::transfer) sum += segment.end - segment.begin;
    return sum;
  };
  EXPECT_EQ(transfer(0), 10 * kPsPerMs);
  EXPECT_EQ(transfer(1), 20 * kPsPerMs);
  EXPECT_EQ(transfer(2), 20 * kPsPerMs);
  const States& stack = states.changes.at("bench.disk.spn");
  EXPECT_EQ(count(stack, "at_4500"), 1u);
  EXPECT_EQ(count(stack, "at_3000"), 1u);
}

/// Under a load with pauses the policy goes up and down all the time.
struct Load {
  const char* name;
  int arms = 1;
  void (*set)(drive::DriveParams&) = nullptr;
};
std::ostream& operator<<(std::ostream& out, const Load& load) {
  return out << load.name;
}

class ContentsAtChangingSpeeds : public ::testing::TestWithParam<Load> {};

void caches(drive::DriveParams& params) {
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.read_on_arrival = true;
  params.buffer.size_kib = 1024;
}
void one_channel(drive::DriveParams& params) {
  params.arms.channels = 1;
  params.cache.look_ahead = true;
}
void own_work(drive::DriveParams& params) {
  caches(params);
  params.arms.placement = drive::ArmsParams::spread;
  params.arms.placement_after_ms = 1;
}

INSTANTIATE_TEST_SUITE_P(Drives, ContentsAtChangingSpeeds,
                         ::testing::Values(Load{"plain"}, Load{"caches", 1, caches}, Load{"two_arms", 2, caches},
                                           Load{"two_arms_one_channel", 2, one_channel}, Load{"own_work", 2, own_work}),
                         [](const auto& its) { return std::string(its.param.name); });

TEST_P(ContentsAtChangingSpeeds, EveryReadBringsWhatWasWritten) {
  BenchParams params;
  params.drive = restless();
  params.drive.arms.count = GetParam().arms;
  if (GetParam().set) GetParam().set(params.drive);
  ContentsLoad::Params load = hot_load(params.drive, 4'000);
  load.outstanding = 3;
  load.pause_share = 0.1;
  ContentsBench bench("bench", params, load);
  std::uint64_t late = 0;
  bench.bench.on_completed = [&](const observe::CompletedRequest& request) {
    late += request.record.missed_by[static_cast<std::size_t>(observe::MissCause::late_servo)];
  };
  bench.run();
  bench.look_at_medium(0, bench.bench.disk().sectors());
  EXPECT_EQ(bench.unreadable, 0u);
  EXPECT_EQ(late, 0u) << "the arbitration unit's tables are of the present speed";
  EXPECT_GT(bench.bench.disk().counters().speed_changes, 40u);
}

/// The estimate of a grant is what it takes, at each speed.
TEST(Speeds, PredictionsAreExactAtEachSpeed) {
  BenchParams params;
  params.drive = drive_with_speeds();
  params.drive.speed.policy = drive::SpeedParams::drpm;
  params.drive.speed.check_s = 1;
  params.drive.speed.window_requests = 1'000'000;
  RandomStream random(5, "speeds");
  std::vector<workload::Request> requests;
  for (int i = 0; i < 800; ++i) {
    const Ps at = i * 60 * kPsPerMs;
    const std::uint64_t lbn = random.below(35'000);
    requests.push_back(random.chance(0.5) ? read_request(at, lbn, 8) : write_request(at, lbn, 8));
  }
  ListSource source(requests);
  RecordingStates states;
  DriveBench bench("bench", params, source, nullptr, &states);
  bench.run();
  const States& stack = states.changes.at("bench.disk.spn");
  EXPECT_EQ(count(stack, "at_4500"), 1u);
  EXPECT_EQ(count(stack, "at_3000"), 1u);
  Ps sum = 0;
  for (const auto& [id, request] : bench.finished) {
    SCOPED_TRACE(id);
    ASSERT_TRUE(request.record.ok);
    EXPECT_EQ(request.record.missed_revolutions, 0u);
    const Ps turn = request.record.arrival < stack[1].first ? 10 * kPsPerMs : 20 * kPsPerMs;
    EXPECT_NEAR(static_cast<double>(request.record.positioning),
                static_cast<double>(request.record.predicted_positioning), static_cast<double>(turn) / 65'536 * 3);
    sum += request.record.positioning;
  }
  EXPECT_GT(sum, 0);
}

/// One read after the other, at given times after the end of the one before.
class AfterThinking final : public workload::Source {
 public:
  explicit AfterThinking(std::vector<Ps> thinks) : thinks_(std::move(thinks)) {}
  Next next(workload::Request& request) override {
    if (given_ == thinks_.size()) return Next::end;
    if (busy_) return Next::after_completion;
    busy_ = true;
    request = read_request(last_ + thinks_[given_], 8 * (given_ % 1'000), 8);
    request.id = given_++;
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    busy_ = false;
    last_ = at;
  }

 private:
  std::vector<Ps> thinks_;
  std::size_t given_ = 0;
  bool busy_ = false;
  Ps last_ = 0;
};

/// Exponential idle periods: their quantiles in random order, so that no chance is left in the sums.
TEST(Speeds, ExponentialIdlePeriodsHaveTheTimesOfTheClosedForm) {
  constexpr double kMean = 3, kTimer = 1, kSlow = 0.5, kBack = 0.8, kUnload = 0.2;  // s
  constexpr std::size_t kPeriods = 4'000;
  std::vector<Ps> thinks;
  for (std::size_t i = 0; i < kPeriods; ++i)
    thinks.push_back(from_seconds(-kMean * std::log(1 - (static_cast<double>(i) + 0.5) / kPeriods)));
  RandomStream random(3, "thinks");
  for (std::size_t i = kPeriods; i-- > 1;) std::swap(thinks[i], thinks[random.below(i + 1)]);
  AfterThinking source(thinks);
  BenchParams params;
  params.drive = drive_with_speeds();
  params.drive.spindle.speeds_rpm = {3'000};  // half of full speed
  params.drive.spindle.spin_down_s = 2 * kSlow;
  params.drive.spindle.spin_up_s = 2 * kBack;
  params.drive.seek.load_ms = 50;
  params.drive.seek.unload_ms = kUnload * 1e3;
  params.drive.idle.low_rpm_idle_s = kTimer;
  RecordingStates states;
  DriveBench bench("bench", params, source, nullptr, &states);
  bench.keep = false;
  bench.run();
  std::map<std::string, double> times;
  const States& stack = states.changes.at("bench.disk.spn");
  for (std::size_t i = 0; i + 1 < stack.size(); ++i)
    times[stack[i].second] += to_seconds(stack[i + 1].first - stack[i].first);
  // The move to cylinder 0 is part of the way onto the ramp: it is short.
  const double begins = kTimer + kUnload;
  const double lower = kPeriods * kMean * std::exp(-(begins + kSlow) / kMean);
  const double slowing = kPeriods * kMean * (std::exp(-begins / kMean) - std::exp(-(begins + kSlow) / kMean));
  EXPECT_NEAR(times["at_3000"], lower, 0.01 * lower);
  EXPECT_NEAR(times["slow_down"], slowing, 0.01 * slowing);
  EXPECT_NEAR(times["spin_up"], kBack / kSlow * slowing, 0.01 * kBack / kSlow * slowing);
}

}  // namespace
}  // namespace armature::testing
