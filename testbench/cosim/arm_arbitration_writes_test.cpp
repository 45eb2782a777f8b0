// Writes while the unit decides, and grants that pend: clauses of the contract on the RTL
// (docs/guide/arm-arbitration.md).
#include "cosim/arm_arbitration_fixture.h"

namespace armature::testing {
namespace {

TEST_F(ArmArbitration, WithdrawRacesTheGrant) {
  // A write captured at the edge of the grant withdraws; one captured a clock later comes too late.
  for (const bool in_time : {true, false}) {
    arm(0, 0);
    commit(3, 4000);
    // The grant is due 20 edges after the commit; a transfer is captured at the end of its second clock.
    bench.clocks(in_time ? 18 : 19);
    bench.write(aau::kWithdraw, 3);
    EXPECT_EQ(bench.read(aau::kWithdraw), 3u | (in_time ? 0 : aau::withdraw::TooLate::kMask));
    EXPECT_EQ(bench.irq(), !in_time);
    EXPECT_EQ(bench.read(aau::kSlotCommit + 4 * 3), 4000u);
  }
}

TEST_F(ArmArbitration, WhatConcernsTheDecisionAbandonsIt) {
  struct Touch {
    std::uint32_t offset, word;
    bool abandons;
  };
  const Touch touches[] = {{aau::kMargin, 0, true},
                           {aau::kStroke, 0x7FFFFF, true},
                           {aau::kHeadOffset + 4, 0, true},
                           {aau::kHeadAngle + 12, 0, true},
                           {aau::kHeadMask + 12, ~0u, true},
                           {aau::kSeekEntries, 2, true},
                           {aau::kSeekTime, 0, true},  // of an entry behind those in use
                           {aau::kSlotTarget + 4 * 3, 0, true},
                           {aau::kSlotArm + 4 * 3, 0, true},
                           {aau::kArm, kIdle, true},
                           {aau::kArmMount, 0, true},
                           {aau::kConfig, 0, true},
                           {aau::kSlotTarget + 4 * 4, 0, false},
                           {aau::kSlotCommit + 4 * 4, 0, false},
                           {aau::kWithdraw, 4, false},
                           {aau::kArm + 4, 0, false},
                           {aau::kArmReach + 4, 0xFF00, false},
                           {aau::kHeadMask + 16, 0, false},
                           {aau::kArrived, 0xFF, false},
                           {aau::kInten, 1, false},
                           {aau::kGrantAck, 1, false},
                           {aau::kSeekDistance, 5, false},
                           {aau::kSeekEntry, 0, false},
                           {aau::kSeekSlopeLo, 5, false},
                           {aau::kSeekSlopeHi, 0, false},
                           {aau::kSeekClass, 0, false}};
  for (const Touch& touch : touches) {
    arm(0, 0);
    commit(3, 4000);
    bench.clocks(4);
    bench.write(touch.offset, touch.word);  // captured 6 edges after the commit
    EXPECT_EQ(edges_to_irq(), touch.abandons ? 20 : 14) << touch.offset;
    EXPECT_EQ(grant().slot, 3u);
  }
}

TEST_F(ArmArbitration, AnArmThatIsTakenAwayIsNotGranted) {
  arm(0, 0);
  commit(3, 4000);
  bench.clocks(4);
  bench.write(aau::kArm, 0);
  EXPECT_EQ(grant(), kNone);
  arm(0, 0);
  EXPECT_EQ(grant().slot, 3u);
}

TEST_F(ArmArbitration, WhatComesDuringADecisionWithoutWinnerIsLookedAt) {
  arm(0, 0);
  commit(3, 4000, aau::slot_commit::Stack::set(0, 1));  // the arm does not serve that stack
  bench.clocks(4);
  commit(4, 4000);
  EXPECT_EQ(grant().slot, 4u);
}

TEST_F(ArmArbitration, WithdrawAllGivesTheArmBack) {
  arm(0, 7);
  commit(3, 4000);
  commit(4, 4000);
  ASSERT_TRUE(bench.wait_for_grant());
  bench.write(aau::kCtrl, aau::ctrl::Enable::kMask | aau::ctrl::WithdrawAll::kMask);
  EXPECT_EQ(bench.read(aau::kArm), kIdle | 7);
  EXPECT_EQ(bench.read(aau::kWork), 0u);
  EXPECT_FALSE(bench.irq());
  EXPECT_EQ(bench.read(aau::kSlotCommit + 4 * 4), 4000u);
  EXPECT_EQ(grant(), kNone);
  EXPECT_TRUE(bench.idle());
}

TEST_F(ArmArbitration, OneGrantPendsUntilItIsAcknowledged) {
  bench.write(aau::kCtrl, 0);
  for (unsigned i = 0; i < 2; ++i) {
    arm(i, 0);
    commit(i, 4000);
  }
  policy(3);
  ASSERT_TRUE(bench.wait_for_grant());
  const std::uint32_t word = bench.read(aau::kGrant);
  bench.clocks(100);
  EXPECT_EQ(bench.read(aau::kGrant), word);
  EXPECT_TRUE(bench.idle());
  EXPECT_EQ(grant().slot, 0u);
  EXPECT_EQ(grant().slot, 1u);
}

TEST_F(ArmArbitration, InterruptNeedsItsEnable) {
  bench.write(aau::kInten, 0);
  arm(0, 0);
  commit(0, 4000);
  ASSERT_TRUE(bench.wait_for_grant());
  EXPECT_FALSE(bench.irq());
  EXPECT_EQ(bench.read(aau::kIntstat), 1u);
  bench.write(aau::kInten, 1);
  EXPECT_TRUE(bench.irq());
  bench.write(aau::kGrantAck, 0);
  EXPECT_TRUE(bench.irq());
  bench.write(aau::kGrantAck, 1);
  EXPECT_FALSE(bench.irq());
}

TEST_F(ArmArbitration, ResetInTheMiddleOfADecision) {
  arm(0, 0);
  commit(0, 4000);
  bench.clocks(5);
  bench.reset();
  bench.clocks(100);
  EXPECT_EQ(bench.read(aau::kGrant), 0u);
  EXPECT_EQ(bench.read(aau::kSlotCommit), 0u);
  EXPECT_TRUE(bench.idle());
}

}  // namespace
}  // namespace armature::testing
