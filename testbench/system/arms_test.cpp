// Drives with several arms: what their designs have in common and what they buy, against arithmetic.
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "support/closed_load.h"
#include "support/drive_bench.h"
#include "support/expected_times.h"
#include "support/stream_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

namespace armature::testing {
namespace {

using E = ExpectedTimes;
constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up

BenchParams params(std::int64_t count, drive::ArmsParams::Design design = drive::ArmsParams::MC) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.arms.count = count;
  p.drive.arms.design = design;
  return p;
}

double mean_ms(const DriveBench& bench, Phase phase) {
  return bench.phase_sums_ms()[static_cast<std::size_t>(phase)] / static_cast<double>(bench.completions());
}

using Benches = std::vector<std::unique_ptr<DriveBench>>;

void expect_the_same(const Benches& benches, std::size_t requests) {
  for (const auto& bench : benches) {
    ASSERT_EQ(bench->finished.size(), requests);
    EXPECT_EQ(bench->order, benches[0]->order);
    for (const auto& [id, finished] : bench->finished) {
      const auto& same = benches[0]->finished.at(id).record;
      EXPECT_EQ(finished.record.completion, same.completion) << id;
      EXPECT_EQ(finished.record.phases, same.phases) << id;
    }
  }
}

TEST(Arms, TheDesignsOfOneArmAreTheSameDriveRequestForRequest) {
  std::vector<std::unique_ptr<ClosedLoad>> loads;
  Benches benches;
  for (const drive::ArmsParams::Design design : {drive::ArmsParams::own, drive::ArmsParams::SA, drive::ArmsParams::MA,
                                                 drive::ArmsParams::MC, drive::ArmsParams::serial}) {
    BenchParams p = params(1, design);
    p.drive.cache.write = p.drive.cache.look_ahead = true;
    p.drive.buffer.size_kib = 1'024;
    loads.push_back(std::make_unique<ClosedLoad>(1, 500, 8, 36'000, kStart));
    benches.push_back(std::make_unique<DriveBench>(("bench" + std::to_string(design)).c_str(), p, *loads.back()));
  }
  benches[0]->run();
  expect_the_same(benches, 500);
}

/// With one request at a time there is nothing that one design may do and another may not, unless idle arms go about.
TEST(Arms, WithOneRequestAndArmsThatStayTheDesignsAreTheSameDriveRequestForRequest) {
  std::vector<std::unique_ptr<ClosedLoad>> loads;
  Benches benches;
  for (const drive::ArmsParams::Design design :
       {drive::ArmsParams::SA, drive::ArmsParams::MA, drive::ArmsParams::serial}) {
    BenchParams p = params(8, design);
    p.drive.arms.placement = drive::ArmsParams::stay;
    p.drive.cache.write = p.drive.cache.look_ahead = false;
    loads.push_back(std::make_unique<ClosedLoad>(1, 500, 1, 36'000, kStart));
    benches.push_back(std::make_unique<DriveBench>(("bench" + std::to_string(design)).c_str(), p, *loads.back()));
  }
  benches[0]->run();
  expect_the_same(benches, 500);
}

/// An arm mounted at an angle gets a sector so much of a turn later, to the picosecond.
TEST(Arms, ASectorPassesUnderAnArmByItsMountingAngleLater) {
  std::vector<std::unique_ptr<ListSource>> sources;
  std::vector<std::unique_ptr<DriveBench>> benches;
  const double angles[] = {0, 90, 135, 359.9};
  for (const double angle : angles) {
    BenchParams p = params(1);
    p.drive.arms.angle_deg = {angle};
    sources.push_back(std::make_unique<ListSource>(
        std::vector<workload::Request>{read_request(kStart, 50 * 200 + 100 + 37, 8), write_request(kStart * 5, 3, 4)}));
    benches.push_back(
        std::make_unique<DriveBench>(("bench" + std::to_string(benches.size())).c_str(), p, *sources.back()));
  }
  benches[0]->run();
  for (std::size_t i = 0; i < benches.size(); ++i) {
    const Ps later = (std::llround(angles[i] / 360 * 65'536) * E::kTurn + 65'535) / 65'536;
    for (const std::uint64_t id : {0u, 1u}) {
      const auto& f = benches[i]->finished.at(id);
      const E::Place place = E::place(id == 0 ? 50 * 200 + 137 : 3);
      const Ps expected = (place.start * E::sector_time(place) + later) % E::kTurn;
      EXPECT_NEAR(static_cast<double>(f.record.first_sector % E::kTurn), static_cast<double>(expected), 1) << i;
      EXPECT_EQ(f.accesses[0].access.done_at - f.accesses[0].access.first_sector_at,
                (id == 0 ? 8 : 4) * E::sector_time(place));
      EXPECT_EQ(f.record.missed_revolutions, 0u);
    }
  }
}

class EvenlySpaced : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Arms, EvenlySpaced, ::testing::Values(1, 2, 3, 4, 6, 8));

/// One request in flight, no seeks: the next of n arms is a half of 1/n turn away on average.
TEST_P(EvenlySpaced, TheMeanWaitIsHalfATurnOverTheNumberOfArms) {
  BenchParams p = params(GetParam());
  p.drive.whatif.seek_scale = 0;
  ClosedLoad load(3, 20'000, 1, 36'000, kStart);
  DriveBench bench("bench", p, load);
  bench.keep = false;
  bench.run();
  const double expected_ms = to_ms(E::kTurn) / 2 / GetParam();
  EXPECT_NEAR(mean_ms(bench, Phase::rotation) / expected_ms, 1, 0.01);
  EXPECT_EQ(mean_ms(bench, Phase::seek), 0);
}

TEST(Arms, TwoStreamsFarApartRunTwiceAsFastOnTwoArmsWithChannelsOfTheirOwn) {
  const auto build = [](std::int64_t count, drive::ArmsParams::Design design) {
    BenchParams p = params(count, design);
    p.drive.cache.look_ahead = true;
    p.drive.buffer.size_kib = 1'024;
    p.drive.buffer.segments = 4;
    return p;
  };
  constexpr std::uint32_t kSectors = 64;
  constexpr std::uint64_t kCount = 120;
  StreamSource alone(Operation::read, kStart, 0, kSectors, kCount, 1);
  Streams for_mc({0, 10'000}, kSectors, kCount, kStart), for_serial({0, 10'000}, kSectors, kCount, kStart);
  DriveBench single("single", build(1, drive::ArmsParams::SA), alone);
  DriveBench mc("mc", build(2, drive::ArmsParams::MC), for_mc);
  DriveBench serial("serial", build(2, drive::ArmsParams::serial), for_serial);
  single.run();
  const auto rate = [](const DriveBench& bench, std::uint64_t from) {
    const Ps begin = bench.finished.at(bench.order[from]).record.completion;
    const Ps end = bench.finished.at(bench.order.back()).record.completion;
    return static_cast<double>((bench.order.size() - 1 - from) * kSectors) / to_ms(end - begin);
  };
  ASSERT_EQ(mc.order.size(), 2 * kCount);
  ASSERT_EQ(serial.order.size(), 2 * kCount);
  EXPECT_NEAR(rate(mc, 16) / rate(single, 8), 2, 0.02);
  EXPECT_LE(rate(serial, 16) / rate(single, 8), 1.0);
}

/// What cannot be combined says so in one message that begins with the key.
TEST(Arms, NumbersThatContradictEachOtherAreRefused) {
  const auto refused = [](auto change, const std::string& begins) {
    drive::ArmsParams arms;
    arms.count = 4;
    change(arms);
    try {
      arms.check();
      ADD_FAILURE() << "accepted: " << begins;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, begins.size()), begins);
    }
  };
  refused([](auto& a) { a.design = drive::ArmsParams::SA, a.channels = 2; }, "arms.channels: 2 contradicts");
  refused([](auto& a) { a.design = drive::ArmsParams::MC, a.max_moving = 1; }, "arms.max_moving: 1 contradicts");
  refused([](auto& a) { a.design = drive::ArmsParams::MA, a.max_in_service = 3; },
          "arms.max_in_service: 3 contradicts");
  refused([](auto& a) { a.channels = 5; }, "arms.channels: 5 for 4 arms");
  refused([](auto& a) { a.max_in_service = 2, a.max_moving = 3; }, "arms.max_moving: 3, but");
  refused([](auto& a) { a.max_in_service = 2, a.channels = 3; }, "arms.channels: 3, but");
  refused([](auto& a) { a.angle_deg = {0, 90}; }, "arms.angle_deg: 2 angles");
  refused([](auto& a) { a.angle_deg = {0, 90, 180, 360}; }, "arms.angle_deg: 360");
  drive::ArmsParams same;  // a knob beside a design that says the same
  same.count = 4;
  same.design = drive::ArmsParams::serial;
  same.channels = same.max_in_service = same.max_moving = 1;
  EXPECT_NO_THROW(same.check());
  EXPECT_EQ(same.channel_count(), 1u);
  EXPECT_EQ(same.in_service_limit(), 1u);
  same.design = drive::ArmsParams::SA;
  EXPECT_THROW(same.check(), InputError);
  same.max_in_service = 0;
  EXPECT_EQ(same.channel_count(), 1u);
  EXPECT_EQ(same.in_service_limit(), 0u);
  EXPECT_EQ(same.moving_limit(), 1u);
  drive::ArmsParams two;
  two.count = 4;
  two.max_moving = 2;
  EXPECT_EQ(two.channel_count(), 4u);
  EXPECT_EQ(two.in_service_limit(), 0u);
  EXPECT_EQ(two.moving_limit(), 2u);
  EXPECT_EQ(two.angle_ticks(), (std::vector<std::uint32_t>{0, 0x4000, 0x8000, 0xC000}));
}

/// As one arm at a time moves, no two seeks overlap; all transfer.
TEST(Arms, AtMostSoManyAreOnTheirWay) {
  BenchParams p = params(4, drive::ArmsParams::own);
  p.drive.arms.max_moving = 1;
  ClosedLoad load(5, 400, 24, 36'000, kStart);
  DriveBench bench("bench", p, load);
  bench.run();
  std::vector<std::pair<Ps, Ps>> moves, transfers;
  for (const auto& [id, finished] : bench.finished) {
    const auto& first = finished.accesses.at(0);
    moves.emplace_back(first.move_at, first.ready_at);
    transfers.emplace_back(first.ready_at, first.access.done_at);
  }
  const auto overlaps = [](std::vector<std::pair<Ps, Ps>> spans) {
    std::sort(spans.begin(), spans.end());
    int count = 0;
    for (std::size_t i = 1; i < spans.size(); ++i) count += spans[i].first < spans[i - 1].second ? 1 : 0;
    return count;
  };
  EXPECT_EQ(overlaps(moves), 0);
  EXPECT_GT(overlaps(transfers), 30);
}

/// Of the sectors on head 0 of a cylinder the one that passes some `ms` after `from`.
std::uint64_t comes_at(std::int64_t cylinder, Ps from, double ms) {
  const std::int64_t first = cylinder < 100 ? 200 * cylinder : 20'000 + 160 * (cylinder - 100);
  std::int64_t best = first;
  const auto off = [&](std::int64_t lbn) { return std::abs(to_ms(E::passage(E::place(lbn), from) - from) - ms); };
  for (std::int64_t lbn = first; lbn < first + 72; ++lbn)
    if (off(lbn) < off(best)) best = lbn;
  return static_cast<std::uint64_t>(best);
}

/// Two arms share a channel. Arm 1 has it by appointment behind arm 0, whose access grows by 3.6 ms: it loses its turn.
/// Instead of waiting for the next one it serves what else it reaches in this turn.
TEST(Arms, OneThatLosesItsAppointmentGoesWhereItIsSooner) {
  BenchParams p = params(2, drive::ArmsParams::MA);
  p.drive.arms.angle_deg = {0, 0};
  p.drive.arms.placement = drive::ArmsParams::stay;
  p.drive.arbiter.policy = arbiter::Policy::sptf;
  const std::int64_t grows = 50 * 200 + 10;
  const Ps begin = E::passage(E::place(grows), kStart + 60 * kPsPerMs) - 2 * kPsPerMs;
  const std::uint64_t loses = comes_at(150, begin, 3.5), other = comes_at(152, begin, 8);
  ListSource source({read_request(kStart, 50 * 200, 8), read_request(kStart, 20'000 + 50 * 160, 8),
                     read_request(begin, grows, 8), read_request(begin, loses, 8), read_request(begin, other, 8),
                     read_request(begin + kPsPerMs, grows + 8, 36)});
  DriveBench bench("bench", p, source);
  bench.run();
  const auto record = [&](std::uint64_t id) { return bench.finished.at(id).record; };
  const auto sooner = [&](std::uint64_t id) { return to_ms(record(id).completion - begin); };
  EXPECT_LT(sooner(5), 7) << "one access with the one before it";
  EXPECT_LT(sooner(4), 9.5) << "by the arm that was on its way to the other";
  EXPECT_NE(record(4).arm, record(2).arm);
  EXPECT_NEAR(sooner(3), 14.5, 0.5) << "a turn later";
  for (const std::uint64_t id : {2, 3, 4}) {
    EXPECT_EQ(record(id).miss_cause, observe::MissCause::none) << id;
    EXPECT_LE(std::abs(record(id).positioning - record(id).predicted_positioning), E::kTurn / 65'536 + 1) << id;
  }
}

/// An access of seven turns, longer than a slot of the arbitration unit can say, and short ones that come meanwhile.
/// Each has its channel when the unit said so: the long one loses no turn, and the others come behind it.
TEST(Arms, AnAccessOfManyTurnsKeepsItsChannel) {
  BenchParams p = params(2, drive::ArmsParams::MA);
  p.drive.arbiter.policy = arbiter::Policy::sptf;
  p.drive.cache.look_ahead = false;
  std::vector<workload::Request> requests{read_request(kStart, 30, 600)};
  ListSource one(requests);
  for (std::int64_t i = 0; i < 12; ++i)
    requests.push_back(read_request(kStart + (3 + 5 * i) * kPsPerMs, 20'000 + 1'313 * i, 8));
  ListSource all(requests);
  DriveBench alone("alone", p, one), bench("bench", p, all);
  bench.run();
  EXPECT_NEAR(to_ms(bench.finished.at(0).record.completion), to_ms(alone.finished.at(0).record.completion), 0.1);
  for (const auto& [id, request] : bench.finished) {
    EXPECT_EQ(request.record.missed_revolutions, 0u) << "request " << id;
    EXPECT_EQ(request.record.miss_cause, observe::MissCause::none) << "request " << id;
  }
}

TEST(Arms, WhatIfScalesOfZeroLeaveOutSeeksAndWaits) {
  BenchParams p = params(1);
  p.drive.whatif.seek_scale = 0;
  p.drive.whatif.rotation_scale = 0;
  BenchParams quarter = params(1);
  quarter.drive.whatif.seek_scale = 0.25;
  quarter.drive.whatif.rotation_scale = 0.25;
  std::vector<workload::Request> requests;
  RandomStream random(4, "what if");
  for (int i = 0; i < 300; ++i)
    requests.push_back(read_request(kStart + i * 50 * kPsPerMs + static_cast<Ps>(random.below(10 * kPsPerMs)),
                                    random.below(36'000), 1));
  ListSource one(requests), other(requests), whole(requests);
  DriveBench none("none", p, one), some("some", quarter, other), all("all", params(1), whole);
  none.run();
  EXPECT_EQ(mean_ms(none, Phase::seek), 0);
  EXPECT_EQ(mean_ms(none, Phase::rotation), 0);
  EXPECT_NEAR(mean_ms(some, Phase::seek), mean_ms(all, Phase::seek) / 4, 1e-9);
  // A move that ends earlier has another wait: the mean of many is the same.
  EXPECT_NEAR(mean_ms(some, Phase::rotation) / mean_ms(all, Phase::rotation), 0.25, 0.03);
  for (const auto& [id, finished] : some.finished)
    EXPECT_EQ(finished.record.phases[static_cast<std::size_t>(Phase::transfer)],
              all.finished.at(id).record.phases[static_cast<std::size_t>(Phase::transfer)]);
}

}  // namespace
}  // namespace armature::testing
