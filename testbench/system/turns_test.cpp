// Streams take turns: however many requests of one stream join the access under way, those of another one wait no
// longer than the arbitration unit's policy makes them wait.
#include "support/closed_load.h"
#include "support/drive_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace armature::testing {
namespace {

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::uint64_t kEach = 150;  // requests of a stream: 96 tracks, so that it takes a second alone

struct Case {
  const char* name;
  void (*set)(BenchParams&);
};
std::ostream& operator<<(std::ostream& out, const Case& its) {
  return out << its.name;
}

constexpr Case kCases[] = {
    {"as_it_is", [](BenchParams&) {}},
    {"one_segment", [](BenchParams& p) { p.drive.buffer.segments = 1; }},
    {"two_segments", [](BenchParams& p) { p.drive.buffer.segments = 2; }},
    {"look_ahead", [](BenchParams& p) { p.drive.cache.look_ahead = true; }},
    {"data_as_they_come",
     [](BenchParams& p) {
       p.drive.cache.look_ahead = true;
       p.drive.cache.read_on_arrival = true;
       p.drive.cache.read_watermark = 0;
     }},
    {"minimum_in_one_segment",
     [](BenchParams& p) {
       p.drive.cache.look_ahead = true;
       p.drive.cache.minimum_read_ahead_sectors = 40;
       p.drive.buffer.segments = 1;
       p.drive.geometry.physical_sector_bytes = 4'096;
     }},
    {"small_rings",
     [](BenchParams& p) {
       p.drive.buffer.size_kib = 4 + 16 * 3;
       p.drive.buffer.segments = 3;
     }},
    {"sectors_of_4096", [](BenchParams& p) { p.drive.geometry.physical_sector_bytes = 4'096; }},
    {"two_arms_one_channel",
     [](BenchParams& p) {
       p.drive.arms.count = 2;
       p.drive.arms.design = drive::ArmsParams::MA;
     }},
    {"two_arms_few_segments",
     [](BenchParams& p) {
       p.drive.arms.count = 2;
       p.drive.arms.design = drive::ArmsParams::MC;
       p.drive.buffer.segments = 2;
     }},
    {"arms_of_their_own_surfaces",
     [](BenchParams& p) {
       p.drive.arms.count = 2;
       p.drive.arms.range = drive::ArmsParams::split;
     }},
};

class Turns : public ::testing::TestWithParam<std::tuple<Case, Operation, arbiter::Policy>> {};
INSTANTIATE_TEST_SUITE_P(Streams, Turns,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values(Operation::read, Operation::write),
                                            ::testing::Values(arbiter::Policy::fcfs, arbiter::Policy::aged_sptf)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) +
                                  (std::get<1>(test.param) == Operation::read ? "_reads" : "_writes") +
                                  (std::get<2>(test.param) == arbiter::Policy::fcfs ? "_first_come" : "_aged");
                         });

TEST_P(Turns, NoStreamWaitsForTheEndOfAnother) {
  const auto& [its, operation, policy] = GetParam();
  BenchParams p;
  p.drive = round_drive();
  p.drive.geometry.zones = {{0, 199, 104, 24, 40, 0}};
  p.drive.arbiter.policy = policy;
  p.drive.arbiter.ageing_weight = 64;
  its.set(p);
  Streams source({0, 10'400, 20'800, 31'200}, 64, kEach, kStart, 2, operation);
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.completions(), 4 * kEach);
  Ps longest = 0;
  for (const auto& [id, request] : bench.finished)
    longest = std::max(longest, request.record.completion - request.record.arrival);
  EXPECT_LT(to_ms(longest), 400);
}

}  // namespace
}  // namespace armature::testing
