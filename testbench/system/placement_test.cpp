// Where arms stand when the drive is switched on, and where they wait (arms.start, arms.placement).
#include "armature/core/config.h"
#include "armature/core/error.h"
#include "armature/workload/params.h"
#include "support/closed_load.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"
#include "support/recording_sinks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace armature::testing {
namespace {

using Arms = drive::ArmsParams;
constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up

BenchParams params(std::int64_t count, Arms::Design design, Arms::Placement placement) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.arms.count = count;
  p.drive.arms.design = design;
  p.drive.arms.placement = placement;
  return p;
}

/// First sector of a cylinder of the round drive's zone 0, and of zone 1.
std::uint64_t sector_of(std::uint32_t cylinder) {
  return cylinder < 100 ? cylinder * 200ull : 20'000 + (cylinder - 100) * 160ull;
}

TEST(Placement, ArmsBeginEvenlySpacedOverTheStroke) {
  BenchParams p = params(4, Arms::MC, Arms::stay);
  p.drive.arbiter.policy = arbiter::Policy::sstf;
  std::vector<workload::Request> requests;
  for (const std::uint32_t cylinder : {1u, 51u, 101u, 150u})  // beside 0, 50, 100, 149 of 199
    requests.push_back(read_request(kStart * static_cast<Ps>(requests.size() + 1), sector_of(cylinder), 1));
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bench.finished.at(i).record.arm, i);
    EXPECT_EQ(bench.finished.at(i).record.seek_cylinders, 1u) << i;
  }
}

TEST(Placement, ArmsBeginWhereTheKeySays) {
  BenchParams p = params(2, Arms::MC, Arms::stay);
  p.drive.arms.start = {1, 0.5};
  p.drive.arbiter.policy = arbiter::Policy::sstf;
  ListSource source({read_request(kStart, sector_of(101), 1), read_request(3 * kStart, sector_of(198), 1)});
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_EQ(bench.finished.at(0).record.arm, 1u);
  EXPECT_EQ(bench.finished.at(0).record.seek_cylinders, 1u);
  EXPECT_EQ(bench.finished.at(1).record.arm, 0u);
  EXPECT_EQ(bench.finished.at(1).record.seek_cylinders, 1u);
  p.drive.arms.start = {0.5};
  EXPECT_THROW(p.drive.arms.check(), InputError);
}

/// Random reads in a hundredth of the stroke, now and then.
double mean_response_ms(const std::vector<double>& start, Arms::Placement placement, const std::string& name) {
  BenchParams p;
  config::read(load_bare_drive_sections("seagate_barracuda_es_750"), p.drive);
  p.drive.arms.count = 2;
  p.drive.arms.design = Arms::serial;
  p.drive.arms.start = start;
  p.drive.arms.placement = placement;
  p.drive.cache.look_ahead = p.drive.cache.write = false;
  workload::WorkloadParams load;
  load.kind = workload::WorkloadParams::open;
  load.count = 4'000;
  load.rate_per_s = 60;
  load.last_lbn = 14'000'000;
  const auto source = workload::make_source(load, 5, media::Geometry(p.drive.layout()).sectors(), "");
  DriveBench bench(name.c_str(), p, *source);
  bench.keep = false;
  double sum = 0;
  bench.on_completed = [&](const observe::CompletedRequest& r) { sum += to_ms(r.record.response()); };
  bench.run();
  EXPECT_EQ(bench.completions(), 4'000u);
  return sum / 4'000;
}

class Starts : public ::testing::TestWithParam<std::pair<double, double>> {};
INSTANTIATE_TEST_SUITE_P(Placement, Starts,
                         ::testing::Values(std::pair{0.0, 1.0}, std::pair{1.0, 1.0}, std::pair{0.5, 0.5},
                                           std::pair{0.0, 0.0}, std::pair{0.3, 0.0}));

/// 3.98 ms: both arms beside the data from the beginning. One arm alone needs 6.7 ms.
TEST_P(Starts, AnArmThatIsFarFromTheDataComesThere) {
  const double mean = mean_response_ms({GetParam().first, GetParam().second}, Arms::follow, "bench");
  EXPECT_NEAR(mean / 3.98, 1, 0.1);
}

TEST(Placement, AnArmThatIsFarFromTheDataIsLostIfItStays) {
  EXPECT_GT(mean_response_ms({0, 1}, Arms::stay, "bench"), 6);
}

/// Reads in two places with times of rest between them; where the arms are at the end, from the outside in.
std::vector<int> places(Arms::Placement placement, double near, std::vector<double> start) {
  BenchParams p = params(2, Arms::MC, placement);
  p.drive.arms.placement_near = near;
  p.drive.arms.start = std::move(start);
  std::vector<workload::Request> requests;
  for (Ps i = 0; i < 80; ++i)  // cylinders 20 to 23, and 60 to 63
    requests.push_back(read_request((i + 1) * kStart, sector_of(20 + (i % 2) * 40 + (i / 2) % 4), 1));
  ListSource source(requests);
  RecordingProbes probes;
  DriveBench bench("bench", p, source, &probes);
  bench.run();
  std::vector<int> at;
  for (const char* target : {"bench.disk.srv0.target", "bench.disk.srv1.target"})
    at.push_back(std::stoi(probes.changes.at(target).back().second));
  std::sort(at.begin(), at.end());
  return at;
}

TEST(Placement, SpreadArmsDivideTheRecentAccesses) {
  const std::vector<int> spread{22, 62};  // a quarter and three quarters of what was read
  EXPECT_EQ(places(Arms::spread, 0, {0, 0}), spread);
}

TEST(Placement, ZonedArmsDivideTheStroke) {
  const std::vector<int> zones{49, 149};
  EXPECT_EQ(places(Arms::zone, 0, {0, 1}), zones);
}

TEST(Placement, ADiskOfOneCylinderHasNoOtherPlace) {
  BenchParams p = params(1, Arms::MC, Arms::zone);
  p.drive.arms.stacks = 2;
  p.drive.geometry.zones.resize(1);
  p.drive.geometry.zones[0].last_cylinder = 0;
  ListSource source({read_request(kStart, 0, 1), read_request(2 * kStart, 8, 1)});
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_EQ(bench.finished.size(), 2u);
  EXPECT_EQ(bench.failures(), 0u);
}

TEST(Placement, ArmsThatFollowComeInFromOutsideOnly) {
  EXPECT_LE(places(Arms::follow, 0, {1, 1}).back(), 63);
}

/// With one request in service at most one arm moves at a time, to where it waits, too.
class PlacementLoad : public ::testing::TestWithParam<std::tuple<Arms::Design, Arms::Placement>> {};
INSTANTIATE_TEST_SUITE_P(Designs, PlacementLoad,
                         ::testing::Combine(::testing::Values(Arms::serial, Arms::SA, Arms::MA, Arms::MC),
                                            ::testing::Values(Arms::follow, Arms::spread, Arms::zone)));

TEST_P(PlacementLoad, EveryRequestIsServedAndLimitsHold) {
  const auto [design, placement] = GetParam();
  BenchParams p = params(3, design, placement);
  p.drive.arms.placement_near = 0.02;
  p.drive.cache.write = p.drive.cache.look_ahead = true;
  p.drive.buffer.size_kib = 1'024;
  workload::WorkloadParams load;
  load.kind = workload::WorkloadParams::open;
  load.count = 3'000;
  load.rate_per_s = 50;
  load.read_fraction = 0.7;
  const auto source = workload::make_source(load, 5, 36'000, "");
  RecordingStates states;
  DriveBench bench("bench", p, *source, nullptr, &states);
  bench.keep = false;
  bench.run();
  EXPECT_EQ(bench.completions(), 3'000u);
  EXPECT_EQ(bench.failures(), 0u);
  if (placement != Arms::follow) {
    EXPECT_GT(bench.disk().counters().placements, 100u);
  }
  std::vector<std::pair<Ps, int>> moves;
  for (const char* servo : {"bench.disk.srv0", "bench.disk.srv1", "bench.disk.srv2"}) {
    bool moving = false;
    for (const auto& [at, state] : states.changes.at(servo)) {
      if ((state == "seek") == moving) continue;
      moving = !moving;
      moves.emplace_back(at, moving ? 1 : -1);
    }
  }
  std::sort(moves.begin(), moves.end());  // what ends at a time comes before what begins then
  int now = 0, most = 0;
  for (const auto& [at, change] : moves) most = std::max(most, now += change);
  if (design == Arms::SA) {
    EXPECT_LE(most, 2) << "one of them from track to track";
  } else {
    EXPECT_EQ(most, design == Arms::serial ? 1 : 3);
  }
}

}  // namespace
}  // namespace armature::testing
