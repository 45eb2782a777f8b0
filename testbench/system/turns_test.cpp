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

namespace armature::testing::turns_test {
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

Ps response_of(const DriveBench::Finished& request) {
  return request.record.completion - request.record.arrival;
}

double longest_ms(const DriveBench& bench) {
  Ps longest = 0;
  for (const auto& [id, request] : bench.finished) longest = std::max(longest, response_of(request));
  return to_ms(longest);
}

/// One zone: a turn of 10 ms passes 104 sectors, and a switch of the head takes 24 of them.
BenchParams without_write_cache(arbiter::Policy policy) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.geometry.zones = {{0, 599, 104, 24, 40, 0}};
  p.drive.cache.write = false;
  p.drive.arbiter.policy = policy;
  return p;
}

std::string name_of_policy(const ::testing::TestParamInfo<arbiter::Policy>& test) {
  return test.param == arbiter::Policy::fcfs ? "first_come" : "aged";
}

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
  EXPECT_LT(longest_ms(bench), 400);
}

/// One stream of writes with eight outstanding; now and then one of them lies elsewhere.
class StreamWithOthers final : public workload::Source {
 public:
  explicit StreamWithOthers(std::uint64_t elsewhere) : elsewhere_(elsewhere) {}
  Next next(workload::Request& request) override {
    if (id_ == kRequests) return Next::end;
    if (free_ == 0) return Next::after_completion;
    --free_;
    request = {};
    request.id = id_++;
    request.arrival = last_;
    request.operation = Operation::write;
    request.sectors = kSectors;
    const bool other = request.id % 3'000 == 250;
    request.lbn = other ? elsewhere_ : next_;
    if (!other) next_ += kSectors;
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    ++free_;
    last_ = std::max(last_, at);
  }

 private:
  static constexpr std::uint64_t kRequests = 6'000;
  static constexpr std::uint32_t kSectors = 16;
  const std::uint64_t elsewhere_;
  std::uint64_t next_ = 0, id_ = 0;
  unsigned free_ = 8;
  Ps last_ = kStart;
};

class LeftBehind : public ::testing::TestWithParam<arbiter::Policy> {};
INSTANTIATE_TEST_SUITE_P(Turns, LeftBehind, ::testing::Values(arbiter::Policy::fcfs, arbiter::Policy::aged_sptf),
                         name_of_policy);

// The arm that comes back from elsewhere goes on where it left the stream. At the beginning it may start in the midst,
// where the policy says so; then the write before that place waits for 16 tracks, each a turn and a switch of the head.
TEST_P(LeftBehind, NoWriteOfAStreamWaitsForItsEnd) {
  const BenchParams p = without_write_cache(GetParam());
  StreamWithOthers source(110'000);
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_LT(longest_ms(bench), 300);
  const auto late = std::count_if(bench.finished.begin(), bench.finished.end(),
                                  [](const auto& request) { return response_of(request.second) > 100 * kPsPerMs; });
  EXPECT_LE(late, 3) << "two that lie elsewhere, and the one before the beginning";
}

/// One stream is read and another one written, 16 sectors of each every `every`.
std::vector<workload::Request> copy(Ps every) {
  constexpr std::uint32_t kSectors = 16;
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 3'000; ++i)
    for (const Operation operation : {Operation::read, Operation::write}) {
      workload::Request request;
      request.id = requests.size();
      request.arrival = kStart + static_cast<Ps>(i) * every;
      request.operation = operation;
      request.lbn = i * kSectors + (operation == Operation::read ? 0u : 60'000u);
      request.sectors = kSectors;
      requests.push_back(request);
    }
  return requests;
}

class CopyTurns : public ::testing::TestWithParam<arbiter::Policy> {};
INSTANTIATE_TEST_SUITE_P(Turns, CopyTurns, ::testing::Values(arbiter::Policy::fcfs, arbiter::Policy::aged_sptf),
                         name_of_policy);

// Each turn serves all that was wanted when it began, of the reads as of the writes. So an arm whose work leaves it a
// fifth of the time for its way keeps up.
TEST_P(CopyTurns, ServeWhatIsThereOfTheReadsAndOfTheWrites) {
  BenchParams p = without_write_cache(GetParam());
  p.drive.buffer.size_kib = 4'096;
  ListSource source(copy(4'600 * kPsPerUs));
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.completions(), 6'000u);
  EXPECT_LT(longest_ms(bench), 130);
}

}  // namespace
}  // namespace armature::testing::turns_test
