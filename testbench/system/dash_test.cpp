// Drives of the whole DASH space (disk stacks, arm assemblies, surfaces at once, heads on an arm), against arithmetic.
#include "support/closed_load.h"
#include "support/drive_bench.h"
#include "support/expected_times.h"
#include "support/stream_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace armature::testing {
namespace {

using E = ExpectedTimes;
using drive::ArmsParams;
constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::uint64_t kSectors = 36'000;

BenchParams params(const std::function<void(ArmsParams&)>& change) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.arms.design = ArmsParams::MC;
  change(p.drive.arms);
  return p;
}

double mean_ms(const DriveBench& bench, Phase phase) {
  return bench.phase_sums_ms()[static_cast<std::size_t>(phase)] / static_cast<double>(bench.completions());
}

std::vector<workload::Request> lone_reads(std::uint64_t seed, int count, std::uint32_t sectors) {
  std::vector<workload::Request> requests;
  RandomStream random(seed, "dash");
  for (int i = 0; i < count; ++i)
    requests.push_back(read_request(kStart + i * 50 * kPsPerMs + static_cast<Ps>(random.below(10 * kPsPerMs)),
                                    random.below(kSectors - sectors), sectors));
  return requests;
}

class HeadsAtEqualRadius : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dash, HeadsAtEqualRadius, ::testing::Values(2, 3, 4));

/// One request in flight, no seeks: the next of n heads of the same arm is half of 1/n turn away on average.
TEST_P(HeadsAtEqualRadius, WaitHalfATurnOverTheirNumber) {
  BenchParams p = params([](ArmsParams& a) {
    a.heads = GetParam();
    a.head_placement = ArmsParams::equal_radius;
  });
  p.drive.whatif.seek_scale = 0;
  ClosedLoad load(3, 20'000, 1, kSectors, kStart);
  DriveBench bench("bench", p, load);
  bench.keep = false;
  bench.run();
  EXPECT_NEAR(mean_ms(bench, Phase::rotation) / (to_ms(E::kTurn) / 2 / GetParam()), 1, 0.01);
}

/// Each request is served by the head that has least to go; the arm stands where that leaves it.
TEST(Dash, RadialHeadsShortenSeeksAsTheirPlacesSay) {
  constexpr std::int64_t kHeads = 3, kSpacing = 60, kCylinders = 200;
  BenchParams p = params([](ArmsParams& a) {
    a.heads = kHeads;
    a.head_spacing_cylinders = kSpacing;
  });
  p.drive.arbiter.policy = arbiter::Policy::sstf;
  ListSource source(lone_reads(7, 400, 1));
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 400u);
  std::int64_t arm = 0, moved = 0, without = 0, last = 0;
  for (const auto& [id, finished] : bench.finished) {
    const std::int64_t target = E::place(static_cast<std::int64_t>(finished.record.lbn)).cylinder;
    EXPECT_EQ(finished.record.cylinder, target);
    std::int64_t best = -1;
    for (std::int64_t head = 0; head < kHeads; ++head) {
      const std::int64_t there = target - head * kSpacing;
      if (there < 0 || there >= kCylinders) continue;
      if (best < 0 || std::llabs(there - arm) < std::llabs(best - arm)) best = there;
    }
    ASSERT_EQ(finished.record.seek_cylinders, std::llabs(best - arm)) << id;
    moved += std::llabs(best - arm);
    arm = best;
    without += std::llabs(target - last);
    last = target;
  }
  EXPECT_LT(moved * 2, without);
}

/// A sector of the second stack passes when that stack's angle says; the stacks' surfaces divide the drive's.
TEST(Dash, EachStackTurnsByItsOwnIndex) {
  BenchParams p = params([](ArmsParams& a) {
    a.stacks = 2;
    a.stack_phase_rev = {0, 0.3};
  });
  ListSource source(lone_reads(9, 100, 2));
  DriveBench bench("bench", p, source);
  bench.run();
  std::vector<int> served(2);
  for (const auto& [id, finished] : bench.finished) {
    const E::Place place = E::place(static_cast<std::int64_t>(finished.record.lbn));
    if (place.left < 2) continue;
    ++served[static_cast<std::size_t>(place.head)];
    EXPECT_EQ(finished.record.arm, static_cast<unsigned>(place.head));
    const Ps ahead = place.head == 1 ? E::kTurn * 3 / 10 : 0;
    const Ps expected = (place.start * E::sector_time(place) - ahead + E::kTurn) % E::kTurn;
    EXPECT_NEAR(static_cast<double>(finished.record.first_sector % E::kTurn), static_cast<double>(expected), 1) << id;
    EXPECT_EQ(finished.accesses[0].access.done_at - finished.accesses[0].access.first_sector_at,
              2 * E::sector_time(place));
  }
  EXPECT_GT(served[0], 20);
  EXPECT_GT(served[1], 20);
}

/// Bits of a sector on two surfaces: it passes in half the time, and a stream of whole cylinders is twice as fast but
/// for the moves.
TEST(Dash, StripedSurfacesTransferAtOnce) {
  const auto striped = params([](ArmsParams& a) {
    a.surfaces = 2;
    a.surface_access = ArmsParams::striped;
  });
  ListSource source(lone_reads(5, 200, 8)), plain_source(lone_reads(5, 200, 8));
  DriveBench bench("bench", striped, source), plain("plain", params([](ArmsParams&) {}), plain_source);
  bench.run();
  EXPECT_EQ(bench.disk().sectors(), kSectors);
  int compared = 0;
  for (const auto& [id, finished] : bench.finished) {
    const auto& other = plain.finished.at(id);
    if (finished.accesses.size() != 1 || other.accesses.size() != 1) continue;
    ++compared;
    const auto time = [](const DriveBench::Finished& f) {
      return f.accesses[0].access.done_at - f.accesses[0].access.first_sector_at;
    };
    EXPECT_NEAR(static_cast<double>(time(finished)) * 2, static_cast<double>(time(other)), 2) << id;
    EXPECT_EQ(finished.record.cylinder, other.record.cylinder);
    EXPECT_EQ(finished.record.head, 0u);
  }
  EXPECT_GT(compared, 100);
}

/// Tracks with heads of their own: the arm behind the others serves them, alone, and waits for the sector only.
TEST(Dash, AnArmThatNeverMovesServesItsTracksWithoutASeek) {
  const BenchParams p = params([](ArmsParams& a) {
    a.fixed_first = 20;
    a.fixed_cylinders = 60;
  });
  ListSource source(lone_reads(5, 600, 1));
  DriveBench bench("bench", p, source);
  bench.run();
  int fixed = 0;
  double turned = 0;
  std::uint32_t at = 0;
  for (const auto& [id, finished] : bench.finished) {
    const auto& record = finished.record;
    const bool on_fixed = record.cylinder >= 20 && record.cylinder < 80;
    ASSERT_EQ(record.arm, on_fixed ? 1u : 0u) << id;
    if (on_fixed) {
      ++fixed;
      EXPECT_EQ(record.phases[static_cast<std::size_t>(Phase::seek)], 0) << id;
      EXPECT_EQ(record.missed_revolutions, 0u) << id;
      turned += to_ms(record.phases[static_cast<std::size_t>(Phase::rotation)]);
    } else {
      EXPECT_EQ(record.seek_cylinders, std::abs(static_cast<int>(record.cylinder) - static_cast<int>(at))) << id;
      at = record.cylinder;
    }
  }
  EXPECT_GT(fixed, 120);
  EXPECT_NEAR(turned / fixed, to_ms(E::kTurn) / 2, 0.06 * to_ms(E::kTurn));
}

/// A long read goes from moving heads to fixed ones and back; writes on the fixed ones need no settling.
TEST(Dash, AReadCrossesTracksWithFixedHeads) {
  const BenchParams p = params([](ArmsParams& a) {
    a.fixed_first = 3;
    a.fixed_cylinders = 2;
  });
  ListSource source({read_request(kStart, 0, 2'000)});
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 1u);
  EXPECT_TRUE(bench.finished.at(0).record.ok);
  std::vector<unsigned> arms;
  for (const auto& each : bench.finished.at(0).accesses)
    if (arms.empty() || arms.back() != each.access.arm) arms.push_back(each.access.arm);
  EXPECT_EQ(arms, (std::vector<unsigned>{0, 1, 0}));
}

/// Two heads that are never on track together take a turn each for every track; with micro-actuators that reach all
/// offsets it is as if they were aligned.
TEST(Dash, StripedSurfacesOfHeadsThatAreNotAlignedTakeMoreTurns) {
  const auto striped = [](double misalignment, double micro_actuator) {
    return params([&](ArmsParams& a) {
      a.surfaces = 2;
      a.surface_access = ArmsParams::striped;
      a.misalignment_tracks = misalignment;
      a.micro_actuator_tracks = micro_actuator;
      a.alignment_window = 0;
    });
  };
  ListSource first(lone_reads(5, 200, 8)), second(lone_reads(5, 200, 8)), third(lone_reads(5, 200, 8));
  DriveBench aligned("aligned", striped(0, 0), first), apart("apart", striped(5, 0), second),
      moved("moved", striped(5, 1e4), third);
  aligned.run();
  int compared = 0;
  for (const auto& [id, finished] : aligned.finished) {
    EXPECT_EQ(finished.record.completion, moved.finished.at(id).record.completion) << id;
    const auto& other = apart.finished.at(id);
    if (finished.accesses.size() != 1) continue;
    ++compared;
    EXPECT_EQ(other.record.completion - finished.record.completion, E::kTurn) << id;
  }
  EXPECT_GT(compared, 100);
}

/// Completed sectors a millisecond from the `from`-th completion on.
double rate(const DriveBench& bench, std::uint64_t from, std::uint32_t sectors) {
  const Ps begin = bench.finished.at(bench.order[from]).record.completion;
  const Ps end = bench.finished.at(bench.order.back()).record.completion;
  return static_cast<double>((bench.order.size() - 1 - from) * sectors) / to_ms(end - begin);
}

/// Today's drives with two actuators: halves of the LBAs, each with its actuator, both mounted alike.
TEST(Dash, TwoActuatorsWithHalfOfTheLbasEach) {
  const auto build = [](bool split) {
    BenchParams p = params([&](ArmsParams& a) {
      a.count = split ? 2 : 1;
      a.range = ArmsParams::split;
      if (split) a.angle_deg = {0, 0};
    });
    p.drive.cache.look_ahead = true;
    p.drive.buffer.size_kib = 1'024;
    p.drive.buffer.segments = 4;
    // Both with a layout of one surface: as one actuator of the two sees it.
    if (!split) p.drive.geometry.heads = 1;
    return p;
  };
  constexpr std::uint32_t kRead = 64;
  constexpr std::uint64_t kCount = 120;
  StreamSource alone(Operation::read, kStart, 0, kRead, kCount, 1);
  Streams halves({0, kSectors / 2}, kRead, kCount, kStart), same_half({0, 9'000}, kRead, kCount, kStart);
  DriveBench single("single", build(false), alone), both("both", build(true), halves),
      one("one", build(true), same_half);
  single.run();
  ASSERT_EQ(both.order.size(), 2 * kCount);
  EXPECT_NEAR(rate(both, 16, kRead) / rate(single, 8, kRead), 2, 0.02);
  EXPECT_LE(rate(one, 16, kRead) / rate(single, 8, kRead), 1.0);
  for (const auto& [id, finished] : both.finished) {
    EXPECT_TRUE(finished.record.ok);
    if (finished.record.accesses > 0) {
      EXPECT_EQ(finished.record.arm, finished.record.lbn < kSectors / 2 ? 0u : 1u);
    }
  }
  for (std::uint64_t lbn = 0; lbn < kSectors; lbn += 97)
    EXPECT_EQ(both.disk().locate(lbn).head, lbn < kSectors / 2 ? 0u : 1u) << lbn;
}

/// Eight arms on so many stacks, with a channel each or one for all: as many blocks as a drive can have.
class EightArms : public ::testing::TestWithParam<std::tuple<int, ArmsParams::Design>> {};
INSTANTIATE_TEST_SUITE_P(Dash, EightArms,
                         ::testing::Combine(::testing::Values(1, 2, 4, 8),
                                            ::testing::Values(ArmsParams::own, ArmsParams::SA, ArmsParams::MA,
                                                              ArmsParams::MC)));

TEST_P(EightArms, ServeEveryRequest) {
  const auto [stacks, design] = GetParam();
  BenchParams p = params([stacks = stacks, design = design](ArmsParams& a) {
    a.stacks = stacks;
    a.count = 8 / stacks;
    a.design = design;
  });
  p.drive.geometry.heads = 8;
  ListSource source(lone_reads(11, 40, 8));
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_EQ(bench.finished.size(), 40u);
  EXPECT_EQ(bench.failures(), 0u);
}

class Borders : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Dash, Borders, ::testing::Bool());

/// A request over the border between two actuators' LBAs goes on with the arm that reaches the rest.
TEST_P(Borders, AreCrossedWithAnotherArm) {
  const bool look_ahead = GetParam();
  BenchParams p = params([](ArmsParams& a) { a.count = 2, a.range = ArmsParams::split; });
  p.drive.cache.look_ahead = look_ahead;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  std::vector<workload::Request> requests;
  for (int i = 0; i < 40; ++i) {
    const Ps at = kStart + i * 60 * kPsPerMs;
    const std::uint64_t lbn = kSectors / 2 - 1 - static_cast<std::uint64_t>(i);
    requests.push_back(i % 2 == 0 ? read_request(at, lbn, 64) : write_request(at, lbn, 64));
  }
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 40u);
  for (const auto& [id, finished] : bench.finished) {
    EXPECT_TRUE(finished.record.ok) << id;
    if (look_ahead && id % 2 == 0) continue;  // parts of it may be in a segment
    ASSERT_EQ(finished.accesses.size(), 2u) << id;
    EXPECT_EQ(finished.accesses[0].access.arm, 0u);
    EXPECT_EQ(finished.accesses[1].access.arm, 1u);
  }
}

}  // namespace
}  // namespace armature::testing
