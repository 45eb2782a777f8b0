// Clauses of the unit's contract on the RTL (docs/reference/arm-arbitration-unit.md), with figures computed by hand.
// The C++ core runs beside it and is compared at every clock.
#include "cosim/arm_arbitration_fixture.h"

namespace armature::testing {
namespace {

// ---- Timing
// -----------------------------------------------------------------------------------------------------------

TEST_F(ArmArbitration, GrantsOneRowAfterNineteenClocksFromTheNextEdge) {
  arm(0, 0);
  target(0, 51);
  commit(0, 10000);
  // Captured at e, begins at e + 1, one row: granted at e + 1 + 18 + 1.
  EXPECT_EQ(edges_to_irq(), 1 + kPipeline + 1);
}

TEST_F(ArmArbitration, LooksAtEachRowOfEachHeadOfEachIdleArm) {
  bench.write(aau::kCtrl, 0);
  for (const unsigned slot : {0u, 3u, 4u, 31u}) {  // rows 0, 1 and 7
    target(slot, 10 * slot);
    commit(slot, 0);
  }
  for (const unsigned number : {0u, 2u, 7u}) arm(number, 0);
  bench.write(aau::kArmMask, 0x7F);  // arm 7 is not asked
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 2));
  policy(0);
  EXPECT_EQ(edges_to_irq(), 1 + kPipeline + 3 * 3 * 2);
}

TEST_F(ArmArbitration, EstimateCountsFromTheGrant) {
  bench.advance = [](AauPins& pins) { pins.angle[0] += 10; };
  arm(0, 0);
  target(0, 51);
  bench.pins.angle[0] = 1980;  // 2,000 at the edge after the commit's two
  commit(0, 10000);
  // 600 to seek; 10,000 - 2,000 in all; 19 clocks of 10 ticks have passed.
  EXPECT_EQ(grant(), granted(0, 0, 0, 8000 - 190));
}

TEST_F(ArmArbitration, EstimateIsNotLessThanNothing) {
  bench.advance = [](AauPins& pins) { pins.angle[0] += 1000; };
  arm(0, 51);
  target(0, 51);
  bench.pins.angle[0] = 0;
  commit(0, 2005);  // 5 ticks after the beginning, long before the grant
  EXPECT_EQ(grant(), granted(0, 0, 0, 0));
}

// ---- Cost
// -------------------------------------------------------------------------------------------------------------

TEST_F(ArmArbitration, MarginAndSeekBeforeTheWait) {
  bench.write(aau::kMargin, 50);
  arm(0, 0);
  target(0, 51);
  commit(0, 2650);  // 100 + 50 * 10 + 50 after the beginning: just in time
  EXPECT_EQ(grant(), granted(0, 0, 0, 650));
  arm(0, 0);
  commit(0, 2649);  // a tick too late: a revolution more
  EXPECT_EQ(grant(), granted(0, 0, 0, 649 + 65536));
}

TEST_F(ArmArbitration, AngleWraps) {
  arm(0, 0);
  target(0, 51);
  commit(0, 1000);  // passed 1,000 ticks ago
  EXPECT_EQ(grant(), granted(0, 0, 0, 64536));
}

TEST_F(ArmArbitration, SeekTableIsFlatOutsideItsEntries) {
  table(0, 10, 100, 110, 1100, 10);
  const std::uint32_t expected[][2] = {{0, 0},    {1, 100},    {9, 100},    {10, 100},
                                       {11, 110}, {109, 1090}, {110, 1100}, {8000000, 1100}};
  for (const auto& [distance, ticks] : expected) {
    arm(0, 0);
    target(0, distance);
    commit(0, 2000 + ticks);
    EXPECT_EQ(grant(), granted(0, 0, 0, ticks)) << distance;
  }
  bench.write(aau::kSeekEntries, 0);  // no entries: moves take no time
  arm(0, 0);
  target(0, 50);
  commit(0, 2000);
  EXPECT_EQ(grant(), granted(0, 0, 0, 0));
}

TEST_F(ArmArbitration, SlopesRoundDownwards) {
  // From 100 to 97 ticks over 2 cylinders: floor of -1.5, -3 at distances 2 and 3.
  table(0, 1, 100, 3, 97, 0);
  bench.write(aau::kSeekEntry, 0);
  bench.write(aau::kSeekDistance, 1);
  const std::int64_t slope = -(std::int64_t{3} << 23);
  bench.write(aau::kSeekSlopeLo, static_cast<std::uint32_t>(slope));
  bench.write(aau::kSeekSlopeHi, static_cast<std::uint32_t>(slope >> 32) & 0xFF);
  bench.write(aau::kSeekTime, 100);
  arm(0, 0);
  target(0, 2);
  commit(0, 2000 + 98);
  EXPECT_EQ(grant(), granted(0, 0, 0, 98));
}

TEST_F(ArmArbitration, HeadSwitchRepositionAndWriteSettle) {
  bench.write(aau::kHeadSwitch, 300);
  arm(0, 50, 1);
  target(0, 50, 2);
  commit(0, 2300);
  EXPECT_EQ(grant(), granted(0, 0, 0, 300)) << "the head changes";
  arm(0, 0, 1);
  commit(0, 2590);
  EXPECT_EQ(grant(), granted(0, 0, 0, 590)) << "the seek takes longer than the head";
  bench.write(aau::kWriteSettle, 7);
  arm(0, 0, 1);
  commit(0, 2597, aau::slot_commit::Write::kMask);
  EXPECT_EQ(grant(), granted(0, 0, 0, 597)) << "a write settles";
  arm(0, 50, 2);
  commit(0, 2000, aau::slot_commit::Write::kMask);
  EXPECT_EQ(grant(), granted(0, 0, 0, 0)) << "without a move it need not";
  bench.write(aau::kReposition, 400);
  arm(0, 50, 2);
  commit(0, 2000, aau::slot_commit::Write::kMask);
  EXPECT_EQ(grant(), granted(0, 0, 0, 0)) << "not a write behind a write";
  bench.write(aau::kWrote, aau::wrote::Held::kMask | aau::wrote::Arm::set(0, 1));
  bench.write(aau::kWrote, 0);
  arm(0, 50, 2);
  commit(0, 2400, aau::slot_commit::Write::kMask);
  EXPECT_EQ(grant(), granted(0, 0, 0, 400)) << "of the same arm";
  EXPECT_EQ(bench.read(aau::kWrote), 3u) << "its grant was one";
  arm(0, 50, 2);
  commit(0, 2400);
  EXPECT_EQ(grant(), granted(0, 0, 0, 400)) << "every read repositions";
  EXPECT_EQ(bench.read(aau::kWrote), 2u);
}

TEST_F(ArmArbitration, EachClassOfArmsHasItsTable) {
  table(1, 1, 200, 101, 1200, 10);
  bench.write(aau::kArmMount + 4, aau::arm_mount::ArmClass::kMask);
  arm(1, 0);
  target(0, 1);
  commit(0, 2200);
  EXPECT_EQ(grant(), granted(0, 1, 0, 200));
  bench.write(aau::kArmMount + 4, 0);
  arm(1, 0);
  commit(0, 2100);
  EXPECT_EQ(grant(), granted(0, 1, 0, 100));
}

TEST_F(ArmArbitration, MountingAndHeadAngleAdd) {
  bench.write(aau::kHeadAngle, 500);
  bench.write(aau::kArmMount, 65000);
  arm(0, 0);
  target(0, 1);
  commit(0, 3000);  // 3,000 + 65,000 + 500 - 2,000 modulo 65,536
  EXPECT_EQ(grant(), granted(0, 0, 0, 964));
}

// ---- Order
// ------------------------------------------------------------------------------------------------------------

TEST_F(ArmArbitration, FirstComeWithTheNearerArm) {
  bench.write(aau::kCtrl, 0);
  target(5, 101);
  commit(5, 2500);  // arm 0 would miss it
  target(0, 1);
  commit(0, 2100);
  arm(0, 0);
  arm(3, 101);
  policy(0);
  EXPECT_EQ(grant(), granted(5, 3, 0, 500));
}

TEST_F(ArmArbitration, ShortestSeekAndUpwards) {
  for (const unsigned number : {1u, 2u}) {
    bench.write(aau::kCtrl, 0);
    target(0, 40);
    commit(0, 0);
    target(1, 62);
    commit(1, 0);
    arm(0, 50);
    policy(number);
    const AauGrant first = grant();
    EXPECT_EQ(first.slot, number == 1 ? 0u : 1u);
    arm(0, 62);
    EXPECT_EQ(grant().slot, number == 1 ? 1u : 0u);
  }
}

TEST_F(ArmArbitration, ElevatorWrapsAtTheTop) {
  bench.write(aau::kCtrl, 0);
  target(0, 49);  // 2^23 - 1 upwards
  commit(0, 0);
  target(1, 0);  // 2^23 - 50
  commit(1, 0);
  arm(0, 50);
  policy(2);
  EXPECT_EQ(grant().slot, 1u);
}

TEST_F(ArmArbitration, AgeingTakesFromTheCost) {
  // Slot 0 costs 5,000 more and has waited 2,048 ticks: 2,048 * 2,500 / 1,024 = 5,000, a tie, which the older one wins.
  for (const std::uint32_t weight : {2500u, 2499u}) {
    bench.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask);
    target(0, 0);
    target(1, 0);
    bench.pins.tick = 0xFFFFFFFFFF - 47;  // and across the counter's end
    commit(0, 8000);
    bench.pins.tick = 2000;
    commit(1, 3000);
    bench.write(aau::kAgeing, weight);
    arm(0, 0);
    policy(4);
    EXPECT_EQ(grant().slot, weight == 2500 ? 0u : 1u) << weight;
  }
}

TEST_F(ArmArbitration, OnlySlotsOfClassZeroAge) {
  // Slot 0 costs 5,000 more and would have waited long enough.
  for (const std::uint32_t slot_class : {0u, 1u, 2u, 3u}) {
    bench.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask);
    target(0, 0);
    target(1, 0);
    bench.pins.tick = 1'000;
    commit(0, 8000, aau::slot_commit::SlotClass::set(0, slot_class));
    bench.pins.tick = 101'000;
    commit(1, 3000);
    bench.write(aau::kAgeing, 100);
    arm(0, 0);
    policy(4);
    EXPECT_EQ(grant().slot, slot_class == 0 ? 0u : 1u) << slot_class;
  }
}

TEST_F(ArmArbitration, WaitingEndsAtItsMostAndNeverRunsBackwards) {
  bench.write(aau::kCtrl, 0);
  bench.write(aau::kAgeing, 0xFFFF);
  target(0, 0);
  target(1, 0);
  // Both have waited 2^32 - 1 ticks or more, which counts as that: slot 1 is one tick cheaper.
  bench.pins.tick = 0;
  commit(0, 30000);
  bench.pins.tick = 0x100000000;
  commit(1, 30000 - 1);
  bench.pins.tick = 0x200000000;
  arm(0, 0);
  policy(4);
  EXPECT_EQ(grant().slot, 1u);
  // 2^32 + 5 ticks are more than 2^31.
  bench.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask);
  bench.pins.tick = 0;
  commit(0, 30000);
  bench.pins.tick = 0x80000005;
  commit(1, 30000 - 1);
  bench.pins.tick = 0x100000005;
  arm(0, 0);
  policy(4);
  EXPECT_EQ(grant().slot, 0u);
  bench.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask);
  bench.pins.tick = 0x10;
  commit(0, 30000);
  bench.pins.tick = 0x20;
  commit(1, 30000 - 1);
  bench.pins.tick = 0;  // stack 0 has started again
  arm(0, 0);
  policy(4);
  EXPECT_EQ(grant().slot, 1u);
}

TEST_F(ArmArbitration, TiesGoToTheOldestThenTheLowestArmThenTheLowestHead) {
  bench.write(aau::kCtrl, 0);
  for (const unsigned slot : {9u, 2u, 4u}) {
    target(slot, 50);
    commit(slot, 4000);
  }
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 3));
  for (const unsigned number : {6u, 3u, 5u}) arm(number, 50);
  policy(3);
  EXPECT_EQ(grant(), granted(9, 3, 0, 2000));
  EXPECT_EQ(grant(), granted(2, 5, 0, 2000));
  EXPECT_EQ(grant(), granted(4, 6, 0, 2000));
}

TEST_F(ArmArbitration, EqualKeysOfASlotGoToTheLeastTime) {
  bench.write(aau::kCtrl, 0);
  target(0, 50);
  commit(0, 4000);
  bench.write(aau::kArmMount + 4, 100);  // the sector comes to arm 1 later
  bench.write(aau::kArmMount, 200);
  arm(0, 60);
  arm(1, 40);
  policy(1);
  EXPECT_EQ(grant(), granted(0, 1, 0, 2100));
}

// ---- Who may
// ------------------------------------------------------------------------------------------------------------

TEST_F(ArmArbitration, NearerHeadWinsAndNoneLeavesTheStroke) {
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 1));
  bench.write(aau::kHeadOffset + 4, 0xFFFFF0);  // head 1 sits 16 cylinders lower: the arm must go 16 higher
  arm(0, 66);
  target(0, 50);
  commit(0, 2000);
  EXPECT_EQ(grant(), granted(0, 0, 1, 0));
  bench.write(aau::kStroke, 65);
  arm(0, 60);
  commit(0, 2190);
  EXPECT_EQ(grant(), granted(0, 0, 0, 190));
  bench.write(aau::kHeadOffset, 51);  // now both would leave it
  arm(0, 60);
  commit(0, 2190);
  EXPECT_EQ(grant(), kNone);
}

TEST_F(ArmArbitration, HeadsSitFarApart) {
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 2));
  bench.write(aau::kHeadOffset + 4, 100000);
  bench.write(aau::kHeadOffset + 8, 0xFFFFFF & static_cast<std::uint32_t>(-4000000));
  arm(0, 10000);
  target(0, 110001);
  commit(0, 2100);
  EXPECT_EQ(grant(), granted(0, 0, 1, 100));
  arm(0, 4000000);
  target(0, 2);
  commit(0, 2110);
  EXPECT_EQ(grant(), granted(0, 0, 2, 110));
  bench.write(aau::kStroke, 4000001);  // one cylinder short for head 2
  arm(0, 4000000);
  commit(0, 3100);
  EXPECT_EQ(grant(), granted(0, 0, 0, 1100));
}

TEST_F(ArmArbitration, MaskedHeadsAreNotUsed) {
  const auto mask = [this](unsigned number, unsigned head, std::uint32_t surfaces) {
    bench.write(aau::kHeadMask + 16 * number + 4 * head, surfaces);
  };
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 3));
  bench.write(aau::kArmReach + 4 * 5, aau::arm_reach::Last::set(aau::arm_reach::First::set(0, 8), 50));
  // Surfaces 8 to 50: bit 2 is that of surface 10. Heads 0 and 2 have failed there, head 1 beside it.
  mask(5, 0, ~(1u << 2));
  mask(5, 1, ~(1u << 1 | 1u << 3 | 1u << 10));
  mask(5, 2, ~(1u << 2));
  const auto head_on = [this](std::uint32_t surface) {
    arm(5, 0, surface);
    target(0, 0, surface);
    commit(0, 2000);
    const AauGrant g = grant();
    EXPECT_EQ(g, granted(0, 5, g.head, 0)) << surface;
    return g.head;
  };
  EXPECT_EQ(head_on(10), 1u);
  EXPECT_EQ(head_on(9), 0u);
  EXPECT_EQ(head_on(11), 0u);
  mask(5, 1, ~(1u << 2));
  EXPECT_EQ(head_on(10), 3u);
  mask(5, 3, 0);
  arm(5, 0, 10);
  target(0, 0, 10);
  commit(0, 2000);
  EXPECT_EQ(grant(), kNone) << "no head is left there";
  arm(4, 0, 10);  // another arm's are as they were
  EXPECT_EQ(grant(), granted(0, 4, 0, 0));
  for (unsigned head = 0; head < 4; ++head) mask(5, head, 0);
  EXPECT_EQ(head_on(40), 0u) << "the 33rd surface has no bit";
  mask(5, 0, 1u << 31);
  EXPECT_EQ(head_on(39), 0u);
  arm(5, 0, 38);
  target(0, 0, 38);
  commit(0, 2000);
  EXPECT_EQ(grant(), kNone);
  mask(5, 2, 1u << 30);
  EXPECT_EQ(grant(), granted(0, 5, 2, 0)) << "looked at again when the mask changes";
}

TEST_F(ArmArbitration, MaskReachStackAndTurning) {
  bench.write(aau::kArmMask, 0xFE);
  arm(0, 0);
  target(0, 0, 3);
  commit(0, 5000, aau::slot_commit::Stack::set(0, 1));
  EXPECT_EQ(grant(), kNone);
  arm(1, 0);
  EXPECT_EQ(grant(), kNone) << "another stack";
  bench.write(aau::kArmMount + 4, aau::arm_mount::Stack::set(0, 1));
  bench.write(aau::kArmReach + 4, 0x0200);
  EXPECT_EQ(grant(), kNone) << "surface 3 is out of reach";
  bench.pins.turning = 0xFD;
  bench.write(aau::kArmReach + 4, 0x0303);
  EXPECT_EQ(grant(), kNone) << "its stack stands";
  bench.pins.turning = 0xFF;
  EXPECT_EQ(grant(), granted(0, 1, 0, 3000));
}

TEST_F(ArmArbitration, LimitsCountArmsInServiceAndOnTheirWay) {
  bench.write(aau::kCtrl, 0);
  for (unsigned slot = 0; slot < 4; ++slot) commit(slot, 4000);
  for (unsigned number = 0; number < 4; ++number) arm(number, 0);
  bench.write(aau::kLimits, aau::limits::Moving::set(2, 1));
  policy(0);
  EXPECT_EQ(grant().arm, 0u);
  EXPECT_EQ(bench.read(aau::kWork), 0x0101u);
  EXPECT_EQ(grant(), kNone) << "one is on its way";
  bench.write(aau::kArrived, 1);
  EXPECT_EQ(grant().arm, 1u);
  EXPECT_EQ(bench.read(aau::kWork), 0x0203u);
  bench.write(aau::kArrived, 2);
  EXPECT_EQ(grant(), kNone) << "two are in service";
  bench.write(aau::kArm, 0);
  EXPECT_EQ(grant().arm, 2u);
  EXPECT_EQ(bench.read(aau::kWork), 0x0406u);
}

TEST_F(ArmArbitration, ClassesYieldWhileAHostSlotWaits) {
  bench.write(aau::kCtrl, 0);
  arm(0, 0);
  target(0, 0);
  commit(0, 2001, aau::slot_commit::SlotClass::set(0, 2));
  target(1, 0);
  commit(1, 3000);
  policy(3, 1 << 2);
  EXPECT_EQ(grant().slot, 1u);
  arm(0, 0);
  EXPECT_EQ(grant().slot, 0u);
}

TEST_F(ArmArbitration, ASlotWaitsForTheArmThatIsReservedForIt) {
  bench.write(aau::kCtrl, 0);
  bench.write(aau::kSlotArm + 4 * 1, aau::slot_arm::Reserved::kMask | 5u);
  bench.write(aau::kSlotArm + 4 * 2, 5u);  // which arm does not matter
  for (const unsigned slot : {1u, 2u, 3u}) commit(slot, 4000);
  arm(0, 0);
  policy(0);
  EXPECT_EQ(grant().slot, 2u);
  arm(0, 0);
  EXPECT_EQ(grant().slot, 3u);
  arm(0, 0);
  EXPECT_EQ(grant(), kNone);
  arm(4, 0);
  EXPECT_EQ(grant(), kNone);
  arm(5, 0);
  const AauGrant own = grant();
  EXPECT_TRUE(own.valid && own.slot == 1 && own.arm == 5) << own;
  commit(1, 4000);
  EXPECT_EQ(grant(), kNone) << "the reservation outlasts the grant";
  bench.write(aau::kSlotArm + 4 * 1, 0);
  EXPECT_EQ(grant().slot, 1u);
}

}  // namespace
}  // namespace armature::testing
