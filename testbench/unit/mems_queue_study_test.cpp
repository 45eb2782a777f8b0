// A queue before one sled: each time worked out by hand from the position model, policies, and what an idle sled does.
#include "armature/core/error.h"
#include "armature/mems/queue_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::mems {
namespace {

using ::testing::ElementsAre;

constexpr Ps kBus = 5'120'000, kRow = 128'571'429, kStart = 500 * kPsPerUs;

MemsParams g2() {
  MemsParams params;
  params.tips.active = 640;
  params.electronics.command_us = 200;
  return params;
}

/// Positioning to a row from the nearer side, and the state behind the pass.
struct Expected {
  const Layout layout;
  const SledModel model;
  SledState at;

  explicit Expected(const MemsParams& params) : layout(params), model(params), at(layout.middle()) {}
  Ps pass(std::uint64_t lbn) {
    const Pass up = layout.upwards(layout.locate(lbn)), down = layout.downwards(layout.locate(lbn));
    const Ps to_up = model.time(at, up.begin).total(), to_down = model.time(at, down.begin).total();
    at = to_up < to_down ? up.end : down.end;
    return std::min(to_up, to_down) + kRow;
  }
};

std::vector<Served> run(const MemsParams& params, const std::vector<StudyRequest>& requests,
                        Policy policy = Policy::fcfs) {
  return QueueStudy(params, policy).run(requests);
}

TEST(MemsQueue, AReadOfOneRow) {
  Expected expected(g2());
  const auto served = run(g2(), {{kPsPerMs, 100, 8, false}});
  const Ps begins = kPsPerMs + 200 * kPsPerUs + kStart;
  EXPECT_EQ(served[0].chosen, begins);  // the sled was inactive
  EXPECT_EQ(served[0].media, begins + expected.pass(100));
  EXPECT_EQ(served[0].done, served[0].media + 8 * kBus);
  EXPECT_EQ(served[0].passes, 1u);
}

TEST(MemsQueue, AReadOfThreeRowsGoesOverTheInterfaceRowByRow) {
  Expected expected(g2());
  const auto served = run(g2(), {{0, 105, 25, false}});  // 5 blocks, 10, 10
  Ps at = 200 * kPsPerUs + kStart;
  Ps bus = 0;
  for (const auto& [lbn, count] : {std::pair{105, 5}, {110, 10}, {120, 10}}) {
    at += expected.pass(static_cast<std::uint64_t>(lbn));
    bus = std::max(bus, at) + count * kBus;
  }
  EXPECT_EQ(served[0].passes, 3u);
  EXPECT_EQ(served[0].media, at);
  EXPECT_EQ(served[0].done, bus);
}

TEST(MemsQueue, ATracksEndAndTheNextOnesBeginningAreOnePass) {
  // 265 .. 269 are the last of the first track, 270 .. 274 the first of the second: one row, ten blocks.
  EXPECT_EQ(run(g2(), {{0, 265, 10, false}})[0].passes, 1u);
  EXPECT_EQ(run(g2(), {{0, 265, 11, false}})[0].passes, 2u);
  EXPECT_EQ(run(g2(), {{0, 258, 12, false}})[0].passes, 2u);
}

TEST(MemsQueue, AWritesFirstPassTakesWhatHasArrived) {
  // The sled still sweeps from the read before it, so the pass is decided when the command is done.
  const std::vector<StudyRequest> requests = {{0, 100, 1, false}, {20 * kPsPerMs, 1'000'000, 8, true}};
  const auto early = run(g2(), requests);
  EXPECT_EQ(early[1].chosen, 20 * kPsPerMs + 200 * kPsPerUs);
  EXPECT_EQ(early[1].passes, 2u);
  EXPECT_EQ(early[1].done, early[1].media);
  MemsParams all = g2();
  all.electronics.write_start = WriteStart::all;
  const auto late = run(all, requests);
  EXPECT_EQ(late[1].chosen, 20 * kPsPerMs + 200 * kPsPerUs + 8 * kBus);
  EXPECT_EQ(late[1].passes, 1u);
  EXPECT_LT(late[1].done, early[1].done);
  // While the sled starts, all of it arrives.
  EXPECT_EQ(run(g2(), {{0, 1'000'000, 8, true}})[0].passes, 1u);
}

TEST(MemsQueue, OneDirectionOnly) {
  MemsParams params = g2();
  params.tips.bidirectional = false;
  Expected expected(params);
  const auto served = run(params, {{0, 3'000'000, 20, false}});
  Ps at = 200 * kPsPerUs + kStart;
  SledState from = expected.layout.middle();
  for (const std::uint64_t lbn : {3'000'000u, 3'000'010u}) {
    const Pass up = expected.layout.upwards(expected.layout.locate(lbn));
    at += expected.model.time(from, up.begin).total() + kRow;
    from = up.end;
  }
  EXPECT_EQ(served[0].media, at);
}

/// In which order requests are served. With `apart` the first keeps the sled busy while the others come; without it all
/// come while the sled starts.
std::vector<int> order(Policy policy, const std::vector<std::uint64_t>& lbns, Ps apart = 600 * kPsPerUs) {
  std::vector<StudyRequest> requests;
  for (std::size_t i = 0; i < lbns.size(); ++i)
    requests.push_back({i == 0 ? 0 : apart + static_cast<Ps>(i), lbns[i], 1, false});
  const auto served = run(g2(), requests, policy);
  std::vector<int> numbers(lbns.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  std::sort(numbers.begin(), numbers.end(), [&](int a, int b) {
    return served[static_cast<std::size_t>(a)].chosen < served[static_cast<std::size_t>(b)].chosen;
  });
  return numbers;
}

TEST(MemsQueue, Policies) {
  const std::vector<std::uint64_t> lbns = {3'000'000, 6'000'000, 100, 3'100'000, 2'990'000};
  EXPECT_THAT(order(Policy::fcfs, lbns), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(order(Policy::sstf, lbns), ElementsAre(0, 4, 3, 1, 2));
  EXPECT_THAT(order(Policy::clook, lbns), ElementsAre(0, 3, 1, 2, 4));
}

TEST(MemsQueue, SptfGoesByTimeAndSdfByDistance) {
  // From the middle: block a lies 30 cylinders off, which costs settling; b has the same X, three rows down.
  const Layout layout(g2());
  const BlockPlace middle = layout.locate(1250 * 2700 + 1350);
  BlockPlace near_x = middle, far_y = middle;
  near_x.cylinder += 30;
  far_y.row -= 3;
  const std::uint64_t a = layout.lbn_of(near_x), b = layout.lbn_of(far_y);
  EXPECT_THAT(order(Policy::sdf, {a, b}, 0), ElementsAre(0, 1));
  EXPECT_THAT(order(Policy::sdf, {b, a}, 0), ElementsAre(1, 0));
  const SledModel model(g2());
  const bool y_is_sooner = model.time(layout.middle(), layout.downwards(far_y).begin).total() <
                           model.time(layout.middle(), layout.upwards(near_x).begin).total();
  EXPECT_TRUE(y_is_sooner);
  EXPECT_THAT(order(Policy::sptf, {a, b}, 0), ElementsAre(1, 0));
}

TEST(MemsQueue, ZsptfFinishesAZoneBeforeTheNext) {
  // Two far cylinders, and the zone of the first request between them: a neighbour there, served before what is nearer
  // in time elsewhere; then upwards, then from the lowest zone.
  const Layout layout(g2());
  const auto at = [&](std::uint32_t cylinder, std::uint32_t row) {
    BlockPlace place;
    place.cylinder = cylinder;
    place.row = row;
    return layout.lbn_of(place);
  };
  EXPECT_THAT(order(Policy::zsptf, {at(1250, 3), at(2400, 3), at(20, 20), at(2450, 25), at(40, 2), at(1252, 22)}),
              ElementsAre(0, 5, 1, 3, 4, 2));
}

TEST(MemsQueue, TheTreeIsWalkedBranchByBranch) {
  // Two groups of three, left and right of the first request. A walk over the tree ends one before the other, and takes
  // what comes meanwhile in the next batch.
  const Layout layout(g2());
  const auto at = [&](std::uint32_t cylinder, std::uint32_t row) {
    BlockPlace place;
    place.cylinder = cylinder;
    place.row = row;
    return layout.lbn_of(place);
  };
  const std::vector<int> served =
      order(Policy::mst, {at(1250, 13), at(2400, 3), at(100, 20), at(2410, 12), at(110, 12), at(2420, 22), at(120, 3)});
  ASSERT_EQ(served[0], 0);
  const int side = served[1] % 2;
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(served[static_cast<std::size_t>(i)] % 2, side);
  for (int i = 4; i <= 6; ++i) EXPECT_EQ(served[static_cast<std::size_t>(i)] % 2, 1 - side);
}

TEST(MemsQueue, EveryPolicyServesEveryRequestOnce) {
  std::vector<StudyRequest> requests;
  for (std::uint64_t i = 0; i < 400; ++i)
    requests.push_back({static_cast<Ps>(i) * 300 * kPsPerUs, i * 7'654'321 % 6'749'000, 8, i % 3 == 0});
  for (const Policy policy : {Policy::zsptf, Policy::mst}) {
    const auto served = run(g2(), requests, policy);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      EXPECT_GE(served[i].chosen, requests[i].arrival);
      EXPECT_GT(served[i].done, served[i].chosen);
    }
  }
  EXPECT_EQ(policy_of("mst"), Policy::mst);
  EXPECT_EQ(name_of(Policy::zsptf), "zsptf");
}

TEST(MemsQueue, AnIdleSledSweeps) {
  const MemsParams params = g2();
  const SledModel model(params);
  const Layout layout(params);
  Expected expected(params);
  expected.pass(0);
  const SledState left = expected.at;  // where the first read ends, moving up or down
  const Ps idle_since = 200 * kPsPerUs + kStart + Expected(params).pass(0);
  const Ps across = model.pass_time(2500), turn = model.turnaround(1250, 28'000'000);
  const Ps to_edge = model.pass_time(left.y_speed_nm_s > 0 ? 1250 - left.y : left.y + 1250);
  const std::int64_t back = -left.y_speed_nm_s;
  const std::int32_t edge = left.y_speed_nm_s > 0 ? 1250 : -1250, sign = edge > 0 ? -1 : 1;
  // Of a second read, when and from where it begins. Its command is done so long after the sled became idle:
  const auto begins = [&](Ps idle) {
    const auto served = run(params, {{0, 0, 1, false}, {idle_since + idle - 200 * kPsPerUs, 3'000'000, 1, false}});
    return std::pair{served[1].chosen - idle_since, served[1].first};
  };
  const auto from = [&](std::int32_t y, std::int64_t speed) {
    const BlockPlace place = layout.locate(3'000'000);
    const Positioning up = model.time({left.x, y, speed}, layout.upwards(place).begin);
    const Positioning down = model.time({left.x, y, speed}, layout.downwards(place).begin);
    return up.total() < down.total() ? up : down;
  };
  const auto expect = [&](Ps idle, Ps chosen, std::int32_t y, std::int64_t speed) {
    const auto [at, first] = begins(idle);
    EXPECT_EQ(at, chosen) << idle;
    EXPECT_EQ(first.y, from(y, speed).y) << idle;
    EXPECT_EQ(first.turnarounds, from(y, speed).turnarounds) << idle;
  };
  expect(0, 0, left.y, left.y_speed_nm_s);
  expect(to_edge / 2, to_edge / 2, left.y - sign * static_cast<std::int32_t>(to_edge / 2 / 1'428'571), -back);
  expect(to_edge + turn / 2, to_edge + turn, edge, back);  // it turns round before it goes
  const Ps there = to_edge + turn + model.pass_time(1000);
  expect(there, there, edge + sign * 1000, back);
  expect(there + 2 * (across + turn), there + 2 * (across + turn), edge + sign * 1000, back);
}

TEST(MemsQueue, AnInactiveSledStarts) {
  const Ps after = 150 * kPsPerMs;
  const auto served = run(g2(), {{0, 0, 1, false}, {after, 3'000'000, 1, false}});
  EXPECT_EQ(served[1].chosen, after + 200 * kPsPerUs + kStart);
  Expected expected(g2());  // again from the middle
  EXPECT_EQ(served[1].media, served[1].chosen + expected.pass(3'000'000));
}

TEST(MemsQueue, WhatSledAndTipsDraw) {
  MemsParams params = g2();
  params.power.sled_mw = 100;
  params.power.inactive_mw = 40;
  params.power.tip_mw = 2;
  QueueStudy study(params, Policy::fcfs);
  // 18 blocks from 105 on: passes of 5, 10 and 3. Then the sled sweeps 100 ms and rests until the second read.
  const auto served = study.run({{kPsPerMs, 105, 18, false}, {kPsPerSecond, 0, 10, false}});
  const Ps rested = kPsPerMs + 200 * kPsPerUs + kPsPerSecond + 200 * kPsPerUs - (served[0].media + 100 * kPsPerMs);
  const Ps end = served[1].done;
  EXPECT_NEAR(study.energy().inactive, 0.040e-12 * static_cast<double>(rested), 1e-12);
  EXPECT_NEAR(study.energy().sled, 0.100e-12 * static_cast<double>(end - rested), 1e-12);
  EXPECT_NEAR(study.energy().tips, 0.002e-12 * 28 * 64 * static_cast<double>(kRow), 1e-12);
  EXPECT_NEAR(study.energy().total(), study.energy().inactive + study.energy().sled + study.energy().tips, 1e-15);
  // Without a pause nothing rests but before the first.
  study.run({{0, 105, 1, false}, {50 * kPsPerMs, 0, 1, false}});
  EXPECT_NEAR(study.energy().inactive, 0.040 * 200e-6, 1e-12);
}

TEST(MemsQueue, AStoreThatNeedsLongerThanSimulatedTimeIsAnError) {
  MemsParams params = g2();
  params.sled.access_kb_s = 0.001;  // a track takes over a minute
  QueueStudy slow(params, Policy::fcfs);
  std::vector<StudyRequest> requests(20'000, {0, 0, 64, false});
  EXPECT_THROW(slow.run(requests), InputError);
  requests.resize(3);
  EXPECT_EQ(slow.run(requests).size(), 3u);
  params.electronics.transfer_us_per_sector = 1e6;
  requests.assign(300, {0, 0, 65'536, true});
  EXPECT_THROW(QueueStudy(params, Policy::fcfs).run(requests), InputError) << "the data of one take 18 hours";
}

TEST(MemsQueue, RefusesSeveralSledsAndUnknownPolicies) {
  MemsParams params = g2();
  params.sled.count = 2;
  EXPECT_THROW(QueueStudy(params, Policy::fcfs), InputError);
  EXPECT_EQ(policy_of("sdf"), Policy::sdf);
  EXPECT_THROW(policy_of("sdff"), InputError);
}

TEST(MemsQueue, Moments) {
  std::vector<Ps> times;
  for (Ps i = 100; i >= 1; --i) times.push_back(i * kPsPerMs);
  const Moments m = moments(times);
  EXPECT_EQ(m.count, 100u);
  EXPECT_NEAR(m.mean, 50.5, 1e-9);
  EXPECT_NEAR(m.deviation, 28.86607, 1e-5);
  EXPECT_EQ(m.p50, 50);
  EXPECT_EQ(m.p90, 90);
  EXPECT_EQ(m.p99, 99);
  EXPECT_EQ(m.largest, 100);
  EXPECT_NEAR(m.scv(), 28.86607 * 28.86607 / 50.5 / 50.5, 1e-6);
  EXPECT_EQ(moments({}).count, 0u);
}

}  // namespace
}  // namespace armature::mems
