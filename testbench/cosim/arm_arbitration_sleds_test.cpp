// The arm-arbitration unit with the cost of a sled (COST_MODEL 1): cases computed by hand, and random decisions, RTL
// against core to the clock.
#include "cosim/arm_arbitration_random.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#ifndef ARMATURE_AAU_DECISIONS
#define ARMATURE_AAU_DECISIONS 100000
#endif

namespace armature::testing {
namespace {

namespace aau = regs::aau;
using arbiter::SledWay;

constexpr std::uint64_t kDecisions = ARMATURE_AAU_DECISIONS;
constexpr std::int64_t kTick = 64;  // of the memory's words

/// SPTF. The words of the memory that a test says, and 0 elsewhere; angles stand.
class SledArbitration : public ::testing::Test {
 protected:
  SledArbitration() {
    bench.pins.turning = 1;
    bench.sleds.x_word = [this](std::uint32_t from, std::uint32_t to) { return x[{from, to}]; };
    bench.sleds.y_word = [this](std::uint32_t from, std::uint32_t row, bool up) { return y[{from, row, up}]; };
    bench.write(aau::kCtrl, aau::ctrl::Policy::set(aau::ctrl::Enable::kMask, 3));
  }
  void TearDown() override { ASSERT_TRUE(bench.difference.empty()) << bench.difference; }

  void commit(unsigned number, std::uint32_t cylinder, std::uint32_t row) {
    bench.write(aau::kSlotTarget + 4 * number, cylinder);
    bench.write(aau::kSlotCommit + 4 * number, aau::slot_commit::Valid::kMask | row);
  }
  void idle(unsigned number) { bench.write(aau::kArm + 4 * number, aau::arm::Idle::kMask); }
  /// What the grant predicts, in ticks; -1 if there is none.
  std::int64_t estimate() {
    if (!bench.wait_for_grant(200)) return -1;
    slot = aau::grant::Slot::get(bench.read(aau::kGrant));
    arm = aau::grant::Arm::get(bench.read(aau::kGrant));
    const std::uint32_t ticks = bench.read(aau::kEstimate);
    bench.write(aau::kGrantAck, 1);
    return ticks;
  }
  /// Of slot 0 on X position 20 in row 3.
  std::int64_t time() {
    commit(0, 20, 3);
    idle(0);
    return estimate();
  }
  static SledWay way(std::int64_t ticks, bool up) { return {ticks * kTick, up, false, false}; }

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> x;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, SledWay> y;
  std::uint32_t slot = 0, arm = 0;
  AauCosim bench{"sled"};
};

TEST_F(SledArbitration, TheLongerOfXAndYCounts) {
  bench.pins.sleds[0] = {10, 500, true, 0, 0};
  x[{10, 20}] = 700 * kTick;
  y[{500, 3, true}] = y[{500, 3, false}] = way(600, true);
  EXPECT_EQ(time(), 700);
  y[{500, 3, true}] = y[{500, 3, false}] = way(800, true);
  EXPECT_EQ(time(), 800);
}

TEST_F(SledArbitration, TheTipsPassInTheDirectionThatIsReachedSooner) {
  bench.pins.sleds[0] = {10, 500, true, 0, 0};
  x[{10, 20}] = 100 * kTick;
  y[{500, 3, true}] = way(400, true);
  y[{500, 3, false}] = way(300, true);
  EXPECT_EQ(time(), 300);
  y[{500, 3, true}] = way(200, true);
  EXPECT_EQ(time(), 200);
  // Where X takes longer than either, they are as good as each other.
  x[{10, 20}] = 900 * kTick;
  EXPECT_EQ(time(), 900);
}

TEST_F(SledArbitration, ItTurnsRoundIfItLeavesAgainstItsWay) {
  y[{500, 3, true}] = way(300, true);
  y[{500, 3, false}] = way(310, false);
  bench.pins.sleds[0] = {20, 500, true, 70 * kTick, 0};
  EXPECT_EQ(time(), 300);
  bench.pins.sleds[0].up = false;
  EXPECT_EQ(time(), 310);
  bench.pins.sleds[0].turn = 5 * kTick;
  EXPECT_EQ(time(), 305);
}

TEST_F(SledArbitration, OneThatMovesOverTheRowAlreadyNeedsNothing) {
  y[{500, 3, true}] = {250 * kTick, false, true, false};
  y[{500, 3, false}] = way(4'000, false);
  bench.pins.sleds[0] = {20, 500, true, 40 * kTick, 3 * kTick};
  EXPECT_EQ(time(), 3);
  // Not in the other direction, and not from another X position: then it turns round.
  bench.pins.sleds[0].up = false;
  EXPECT_EQ(time(), 253);
  bench.pins.sleds[0] = {21, 500, true, 40 * kTick, 3 * kTick};
  EXPECT_EQ(time(), 293);
  // Downwards the same.
  y[{500, 3, false}] = {100 * kTick, false, true, false};
  bench.pins.sleds[0] = {20, 500, false, 40 * kTick, 3 * kTick};
  EXPECT_EQ(time(), 3);
}

TEST_F(SledArbitration, OfTipsThatReadInOneDirectionTheOtherDoesNotCount) {
  bench.pins.sleds[0] = {20, 500, true, 0, 0};
  y[{500, 3, true}] = way(900, true);
  y[{500, 3, false}] = {5 * kTick, true, false, true};
  EXPECT_EQ(time(), 900);
}

TEST_F(SledArbitration, FractionsAreSummedBeforeTheyAreRoundedUp) {
  y[{500, 3, true}] = {300 * kTick + 20, false, false, false};
  y[{500, 3, false}] = way(4'000, false);
  bench.pins.sleds[0] = {20, 500, true, 21, 23};
  EXPECT_EQ(time(), 301);
  bench.pins.sleds[0].leaves = 24;
  EXPECT_EQ(time(), 302);
}

TEST_F(SledArbitration, TheLongestTimesFit) {
  using arbiter::SledSeeks;
  bench.pins.sleds[0] = {10, 500, true, SledSeeks::kMostTurn - 1, SledSeeks::kMostLeaves - 1};
  x[{10, 20}] = SledSeeks::kMostSeek - 1;
  y[{500, 3, true}] = {SledSeeks::kMostSeek - 1, false, false, false};
  y[{500, 3, false}] = {SledSeeks::kMostSeek - 1, false, false, false};
  EXPECT_EQ(time(), (SledSeeks::kMostTurn + SledSeeks::kMostLeaves + SledSeeks::kMostSeek - 3 + kTick - 1) / kTick);
}

TEST_F(SledArbitration, PlacesAtTheBeginningOfTheDecisionCount) {
  y[{500, 3, true}] = y[{500, 3, false}] = way(300, true);
  y[{600, 3, true}] = y[{600, 3, false}] = way(400, true);
  bench.pins.sleds[0] = {20, 500, true, 0, 0};
  commit(0, 20, 3);
  idle(0);
  bench.rest();  // it begins at the edge behind that of the write
  ASSERT_TRUE(bench.core().deciding());
  bench.pins.sleds[0] = {20, 600, false, 900 * kTick, 50 * kTick};
  EXPECT_EQ(estimate(), 300);
}

TEST_F(SledArbitration, EachArmHasItsSled) {
  for (unsigned number = 0; number < 8; ++number) {
    bench.pins.sleds[number] = {100 + number, 500, true, 0, number * kTick};
    x[{100 + number, 20}] = (number == 5 ? 100 : 200) * kTick;
    idle(number);
  }
  commit(7, 20, 3);
  EXPECT_EQ(estimate(), 105);
  EXPECT_EQ(arm, 5u);
  EXPECT_EQ(slot, 7u);
}

TEST_F(SledArbitration, EachSledTurnsRoundInItsOwnTime) {
  y[{500, 3, true}] = y[{500, 3, false}] = way(300, false);
  for (unsigned number = 0; number < 8; ++number) {
    bench.pins.sleds[number] = {20, 500, true, (number == 3 ? 40 : 90) * kTick, 0};
    idle(number);
  }
  commit(0, 20, 3);
  EXPECT_EQ(estimate(), 340);
  EXPECT_EQ(arm, 3u);
}

/// Of two sleds only that at the slot's X position is over the row.
TEST_F(SledArbitration, WhatIsOverTheRowIsSoForItsOwnCandidate) {
  for (unsigned number = 0; number < 2; ++number) bench.pins.sleds[number] = {20 + number, 500, true, 50 * kTick, 0};
  y[{500, 3, true}] = {700 * kTick, false, true, false};
  y[{500, 3, false}] = way(4'000, false);
  x[{20, 21}] = x[{21, 20}] = 10 * kTick;
  idle(0);
  idle(1);
  commit(0, 21, 3);
  EXPECT_EQ(estimate(), 0);
  EXPECT_EQ(arm, 1u);
}

TEST_F(SledArbitration, TheNearestOfManySlotsIsGranted) {
  bench.pins.sleds[0] = {20, 500, false, 30 * kTick, 0};
  for (unsigned i = 0; i < 32; ++i) {
    y[{500, i, true}] = way(1'000 + 7 * i, true);
    y[{500, i, false}] = way(1'000 - (i == 13 ? 90 : 2 * i), false);
    commit(i, 20, i);
  }
  idle(0);
  EXPECT_EQ(estimate(), 910);
  EXPECT_EQ(slot, 13u);
}

TEST_F(SledArbitration, SlotsOfTheSameRowRideAlong) {
  // Sled 0 has the tracks 0 to 9, sled 1 those from 10 on.
  bench.write(aau::kArmReach, aau::arm_reach::Last::set(0, 9));
  bench.write(aau::kArmReach + 4, aau::arm_reach::Last::set(aau::arm_reach::First::set(0, 10), 19));
  bench.pins.sleds[0] = {20, 500, true, 0, 0};
  const auto put = [this](unsigned number, std::uint32_t cylinder, std::uint32_t track, std::uint32_t row) {
    bench.write(aau::kSlotTarget + 4 * number, aau::slot_target::Head::set(cylinder, track));
    bench.write(aau::kSlotCommit + 4 * number, aau::slot_commit::Valid::kMask | row);
  };
  put(4, 20, 3, 7);
  put(5, 20, 9, 7);   // another track
  put(6, 21, 3, 7);   // another X position
  put(7, 20, 3, 8);   // another row
  put(8, 20, 10, 7);  // the other sled
  put(9, 20, 0, 7);
  put(31, 20, 3, 7);
  EXPECT_EQ(bench.read(aau::kRideAlong), 0u) << "nothing is granted";
  y[{500, 7, true}] = y[{500, 7, false}] = way(100, true);
  y[{500, 8, true}] = y[{500, 8, false}] = way(900, true);
  x[{20, 21}] = 900 * kTick;
  idle(0);
  ASSERT_TRUE(bench.wait_for_grant(200));
  ASSERT_EQ(aau::grant::Slot::get(bench.read(aau::kGrant)), 4u);
  EXPECT_EQ(bench.read(aau::kRideAlong), 1u << 5 | 1u << 9 | 1u << 31);
  bench.write(aau::kWithdraw, 9);
  EXPECT_EQ(bench.read(aau::kRideAlong), 1u << 5 | 1u << 31);
  put(31, 20, 3, 6);
  put(8, 20, 9, 7);
  EXPECT_EQ(bench.read(aau::kRideAlong), 1u << 5 | 1u << 8);
  put(4, 22, 3, 1);  // the granted slot's number is for something else now
  EXPECT_EQ(bench.read(aau::kRideAlong), 1u << 5 | 1u << 8);
  bench.write(aau::kGrantAck, 1);
  EXPECT_EQ(bench.read(aau::kRideAlong), 0u);
}

/// A share of the decisions on one instance; what must have happened in them.
void decide(const std::string& instance, unsigned share_percent) {
  AauCosim bench(instance);
  AauTraffic traffic(bench, 1);
  traffic.run(kDecisions * share_percent / 100);
  ASSERT_TRUE(bench.difference.empty()) << bench.difference;
  const AauTraffic::Seen& seen = traffic.seen();
  std::uint64_t grants = 0;
  for (unsigned policy = 0; policy < 6; ++policy) {
    EXPECT_GT(seen.grants_by_policy[policy], kDecisions * share_percent / 100'000) << policy;
    grants += seen.grants_by_policy[policy];
  }
  for (unsigned arm = 0; arm < bench.shape().arms; ++arm) EXPECT_GT(seen.grants_by_arm[arm], 0u) << arm;
  EXPECT_GT(seen.without_winner, 0u);
  EXPECT_GT(seen.abandoned, 0u);
  EXPECT_GT(seen.too_late, 0u);
  EXPECT_GT(seen.ridden, grants / 100);
  std::printf(
      "%s: %lu grants under policies 0 to 5, of %lu slots could ride along, without winner %lu, abandoned %lu, "
      "clocks %ld\n",
      instance.c_str(), grants, seen.ridden, seen.without_winner, seen.abandoned, static_cast<long>(bench.edge()));
}

TEST(SledArbitrationRandom, FourLanes) {
  decide("sled", 60);
}
#ifndef ARMATURE_AAU_MUTANT
TEST(SledArbitrationRandom, FewBits) {
  decide("sled_narrow", 40);
}
#endif

}  // namespace
}  // namespace armature::testing
