// Arms that share channels: what the unit does with the appointments of those in service, on the RTL, with figures
// computed by hand. The C++ core runs beside it and is compared at every clock.
#include "cosim/arm_arbitration_fixture.h"

namespace armature::testing {
namespace {

constexpr std::uint32_t kTurn = 65'536;
constexpr std::uint32_t kDeferred = 0xFFFFFFFF;  // nothing is granted

class ArmAppointments : public ArmArbitration {
 protected:
  void channels(std::uint32_t count, std::uint32_t gap) {
    bench.write(aau::kChannels, aau::channels::Gap::set(count, gap));
  }
  /// A slot on cylinder 0, whose first sector comes `ticks` from now, and that needs a channel for 256 * `length`.
  void comes(unsigned slot, std::uint32_t ticks, std::uint32_t length) {
    target(slot, 0);
    commit(slot, (2000 + ticks) % kTurn, aau::slot_commit::Length::set(0, length));
  }
  /// The only candidate, for the only idle arm: predicted how, if it is granted.
  std::uint32_t predicted(unsigned number, std::uint32_t ticks, std::uint32_t length) {
    arm(number, 0);
    comes(31, ticks, length);
    const bool granted = bench.wait_for_grant(100);
    AauGrant g{true, 31, number, 0, kDeferred};
    if (granted) g = grant();
    EXPECT_TRUE(g.slot == 31 && g.arm == number) << g;
    bench.write(aau::kWithdraw, 31);
    bench.write(aau::kArm + 4 * number, 0);  // out of service, and not idle
    return g.estimate;
  }
};

TEST_F(ArmAppointments, OneChannelServesOneAccessAtATime) {
  channels(1, 10);
  arm(0, 0);
  comes(0, 8000, 2);
  EXPECT_EQ(grant(), granted(0, 0, 0, 8000));  // from 8,000 to 8,512
  EXPECT_EQ(predicted(1, 8522, 1), 8522u) << "the gap behind it has passed";
  EXPECT_EQ(predicted(1, 8521, 1), kDeferred);
  EXPECT_EQ(predicted(1, 8000, 0), kDeferred);
  EXPECT_EQ(predicted(1, 7990 - 256, 1), 7990u - 256) << "it ends before the gap";
  EXPECT_EQ(predicted(1, 7991 - 256, 1), kDeferred);
  EXPECT_EQ(predicted(1, 100, 0x1FF), kDeferred) << "it would last until then";
}

// The arm needs 65,200 ticks to get there. The channel is free at 65,772: from then on 65,436 + 65,536 can just be met.
TEST_F(ArmAppointments, AnArmThatMustStartBeforeTheChannelIsFreeIsGrantedForARevolutionLater) {
  channels(1, 10);
  bench.write(aau::kMargin, 65'200);
  arm(0, 0);
  comes(0, 65'250, 2);
  EXPECT_EQ(grant(), granted(0, 0, 0, 65'250));
  EXPECT_EQ(predicted(1, 65'300, 1), 65'300 + kTurn);
  EXPECT_EQ(predicted(1, 65'435, 1), 65'435 + kTurn);
  EXPECT_EQ(predicted(1, 65'436, 1), kDeferred);
  EXPECT_EQ(predicted(1, 65'772, 1), 65'772u);
}

TEST_F(ArmAppointments, AnotherCandidateComesFirstIfItNeedNotWait) {
  channels(1, 0);
  arm(0, 0);
  comes(0, 8000, 2);
  EXPECT_EQ(grant(), granted(0, 0, 0, 8000));
  comes(1, 8100, 1);
  comes(2, 30'000, 1);
  arm(1, 0);
  EXPECT_EQ(grant(), granted(2, 1, 0, 30'000));
  arm(2, 0);
  EXPECT_FALSE(bench.wait_for_grant(200)) << "slot 1 waits for the channel";
  bench.write(aau::kArm, 0);
  EXPECT_EQ(grant(), granted(1, 2, 0, 8100)) << "arm 0 has come to rest before its time";
}

// First come, first served: none is granted in place of the one that waits for a channel.
TEST_F(ArmAppointments, WithoutRegardForTimeNothingIsGrantedInPlaceOfOneThatDefers) {
  channels(1, 0);
  policy(0);
  arm(0, 0);
  comes(0, 8000, 2);
  EXPECT_EQ(grant(), granted(0, 0, 0, 8000));
  comes(1, 8100, 1);
  comes(2, 9500, 1);  // it need not wait, but 1 is older
  arm(1, 0);
  EXPECT_FALSE(bench.wait_for_grant(200));
  policy(3);
  EXPECT_EQ(grant(), granted(2, 1, 0, 9500));
}

TEST_F(ArmAppointments, TwoChannelsServeTwoAndTheThirdComesBehindBoth) {
  channels(2, 5);
  policy(0);  // arms in service do not count
  bench.write(aau::kMargin, 60'000);
  arm(0, 0);
  comes(0, 61'000, 2);
  EXPECT_EQ(grant(), granted(0, 0, 0, 61'000));
  arm(1, 0);
  comes(1, 61'100, 0x180);  // one and a half revolutions: until 159,404
  EXPECT_EQ(grant(), granted(1, 1, 0, 61'100));
  EXPECT_EQ(predicted(2, 61'200, 1), 61'200 + 2 * kTurn);
  EXPECT_EQ(predicted(2, 62'000, 1), 62'000u) << "only one is at work then";
  channels(3, 5);
  EXPECT_EQ(predicted(2, 61'200, 1), 61'200u);
  channels(0, 5);
  arm(2, 0);
  comes(2, 61'200, 1);
  EXPECT_EQ(grant(), granted(2, 2, 0, 61'200));
  channels(2, 5);
  EXPECT_EQ(predicted(3, 62'000, 1), 62'000u);
}

TEST_F(ArmAppointments, FirmwareSaysThatAnAccessLastsLonger) {
  channels(1, 0);
  arm(3, 0);
  comes(0, 8000, 2);
  EXPECT_EQ(grant(), granted(0, 3, 0, 8000));
  EXPECT_EQ(predicted(1, 9000, 1), 9000u);
  bench.write(aau::kAppointment, aau::appointment::Arm::set(1001, 3));
  EXPECT_EQ(predicted(1, 9000, 1), kDeferred);
  EXPECT_EQ(predicted(1, 9001, 1), 9001u);
  bench.write(aau::kAppointment, aau::appointment::Arm::set(3 * kTurn, 4));  // of another arm
  EXPECT_EQ(predicted(1, 9001, 1), 9001u);
}

TEST_F(ArmAppointments, FirmwareSaysThatAnAccessBeginsLater) {
  channels(1, 0);
  arm(3, 0);
  comes(0, 8000, 2);
  EXPECT_EQ(grant(), granted(0, 3, 0, 8000));
  bench.write(aau::kPostpone, aau::postpone::Arm::set(12'000, 3));
  bench.write(aau::kAppointment, aau::appointment::Arm::set(1000, 3));
  EXPECT_EQ(predicted(1, 8000, 1), 8000u);
  EXPECT_EQ(predicted(1, 20'000 - 256, 1), 20'000u - 256);
  EXPECT_EQ(predicted(1, 20'001 - 256, 1), kDeferred);
  EXPECT_EQ(predicted(1, 20'999, 1), kDeferred);
  EXPECT_EQ(predicted(1, 21'000, 1), 21'000u);
  bench.write(aau::kPostpone, aau::postpone::Arm::set(3 * kTurn, 4));  // of another arm
  EXPECT_EQ(predicted(1, 21'000, 1), 21'000u);
}

TEST_F(ArmAppointments, AnAppointmentIsOverWithItsTimeOrWithItsArmAtRest) {
  channels(1, 10);
  arm(0, 0);
  comes(0, 8000, 2);
  EXPECT_EQ(grant(), granted(0, 0, 0, 8000));
  bench.pins.tick = 8521;  // the angles stand
  EXPECT_EQ(predicted(1, 0, 1), kDeferred);
  bench.pins.tick = 8522;
  EXPECT_EQ(predicted(1, 0, 1), 0u);
  bench.pins.tick = 0;
  EXPECT_EQ(predicted(1, 8000, 1), kDeferred);
  bench.write(aau::kArm, 0);
  EXPECT_EQ(predicted(1, 8000, 1), 8000u);
}

TEST_F(ArmAppointments, EveryOrderWaitsForAChannel) {
  channels(1, 0);
  for (const unsigned number : {0u, 1u, 2u, 3u, 4u}) {
    policy(number);
    arm(0, 0);
    comes(0, 8000, 2);
    EXPECT_EQ(grant(), granted(0, 0, 0, 8000));
    EXPECT_EQ(predicted(1, 8100, 1), kDeferred) << "policy " << number;
    bench.write(aau::kMargin, 65'000);
    bench.write(aau::kAppointment, aau::appointment::Arm::set(2 * kTurn, 0));
    EXPECT_EQ(predicted(1, 65'100, 1), 65'100 + 2 * kTurn) << "policy " << number;
    bench.write(aau::kMargin, 0);
  }
}

TEST_F(ArmAppointments, TheArmThatNeedNotWaitForAChannelTakesIt) {
  channels(1, 0);
  bench.write(aau::kArmMount + 4 * 2, 1000);  // a sector passes under arm 2 this much later
  arm(0, 0);
  comes(0, 8000, 2);
  EXPECT_EQ(grant(), granted(0, 0, 0, 8000));
  comes(1, 8100, 1);
  bench.write(aau::kCtrl, 0);
  arm(1, 0);
  arm(2, 0);
  policy(3);
  EXPECT_EQ(grant(), granted(1, 2, 0, 9100));
}

// --- Arms in service as candidates
// ------------------------------------------------------------------------------------

/// Arm 0 is in service from 8,000 to 8,512, so that it is free, with the gap, at 8,522. A sector passes under arm 1
/// 30,000 ticks later than under arm 0.
class ArmsInService : public ArmAppointments {
 protected:
  ArmsInService() {
    channels(1, 10);
    bench.write(aau::kArmMount + 4, 30'000);
    arm(0, 0);
    comes(0, 8000, 2);
    EXPECT_EQ(grant(), granted(0, 0, 0, 8000));
  }
  bool granted_now() { return bench.wait_for_grant(300); }
};

TEST_F(ArmsInService, OneThatIsThereSoonerIsWaitedFor) {
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_FALSE(granted_now()) << "arm 0 has it at 9,000, arm 1 at 39,000";
  EXPECT_TRUE(bench.core().idle());
  arm(0, 0);
  EXPECT_EQ(grant(), granted(1, 0, 0, 9000));
}

TEST_F(ArmsInService, OneThatIsThereLaterIsNot) {
  bench.write(aau::kMargin, 479);  // 8,522 + 479 is one too many
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_EQ(grant(), granted(1, 1, 0, 39'000));
}

// Without the gap arm 0 is free at 8,512. It is kept for slot 1, so arm 1 gets slot 2; otherwise slot 2 would be arm
// 0's.
TEST_F(ArmsInService, OneThatIsReservedNeedsNoGapBehindItsOwnAccess) {
  bench.write(aau::kCtrl, 0);
  bench.write(aau::kSlotArm + 4 * 1, aau::slot_arm::Reserved::kMask | 0u);
  comes(1, 8512, 1);
  comes(2, 8530, 1);
  arm(1, 0);
  policy(3);
  EXPECT_EQ(grant(), granted(2, 1, 0, 38'530));
  arm(0, 0);
  EXPECT_EQ(grant(), granted(1, 0, 0, 8512));
}

TEST_F(ArmsInService, OneThatIsReservedIsNoCandidateBeforeItsAccessEnds) {
  bench.write(aau::kCtrl, 0);
  bench.write(aau::kSlotArm + 4 * 1, aau::slot_arm::Reserved::kMask | 0u);
  comes(1, 8511, 1);
  comes(2, 8530, 1);
  arm(1, 0);
  policy(3);
  EXPECT_FALSE(granted_now()) << "arm 0 comes to slot 2 first";
}

TEST_F(ArmsInService, OneThatIsReservedHeedsTheAppointmentsOfOthers) {
  bench.write(aau::kAppointment, aau::appointment::Arm::set(512, 0));
  comes(3, 8600 - 30'000, 2);  // under arm 1 at 8,600
  arm(1, 0);
  EXPECT_EQ(grant(), granted(3, 1, 0, 8600));
  bench.write(aau::kCtrl, 0);
  bench.write(aau::kSlotArm + 4 * 1, aau::slot_arm::Reserved::kMask | 0u);
  comes(1, 8512, 1);  // until 8,768, and arm 1 has the channel from 8,590 on
  comes(2, 8530, 0);  // until then, but within the gap behind arm 0's access for anybody else
  arm(2, 0);
  policy(3);
  EXPECT_EQ(grant().slot, 2u) << "slot 1 waits for a turn";
}

TEST_F(ArmsInService, StartsWhereItsGrantTakesIt) {
  bench.write(aau::kHeadSwitch, 600);
  target(1, 50);  // 590 ticks from cylinder 0: 9,112
  commit(1, 2000 + 9112);
  arm(1, 50);
  EXPECT_FALSE(granted_now());
  bench.write(aau::kWithdraw, 1);
  target(1, 50);
  commit(1, 2000 + 9111);
  EXPECT_EQ(grant(), granted(1, 1, 0, 39'111));
  arm(1, 0);
  target(2, 0, 1);  // another surface than slot 0's
  commit(2, 2000 + 9122);
  EXPECT_FALSE(granted_now());
  bench.write(aau::kWithdraw, 2);
  target(2, 0, 1);
  commit(2, 2000 + 9121);
  EXPECT_EQ(grant(), granted(2, 1, 0, 39'121));
}

TEST_F(ArmsInService, StartsWhereItsHeadWasSent) {
  bench.write(aau::kArm, 0);  // anew, with a head that sits 20 cylinders further
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 1));
  bench.write(aau::kHeadOffset + 4, 20);
  bench.write(aau::kHeadMask, 0);  // arm 0's head 0 on no surface
  arm(0, 0);
  target(0, 20);
  commit(0, 2000 + 8000, aau::slot_commit::Length::set(0, 2));
  EXPECT_EQ(grant(), granted(0, 0, 1, 8000));
  comes(1, 9000, 1);
  target(1, 20);
  arm(1, 20);
  EXPECT_FALSE(granted_now()) << "arm 0 stands at cylinder 0";
  arm(0, 0);
  EXPECT_EQ(grant(), granted(1, 0, 1, 9000));
}

TEST_F(ArmsInService, AnotherSlotIsGrantedBesideOneThatIsKept) {
  comes(1, 9000, 1);
  comes(2, 20'000, 1);  // arm 0 could have it at 20,000, but has slot 1 by then
  arm(1, 0);
  EXPECT_EQ(grant(), granted(2, 1, 0, 50'000));
  bench.write(aau::kArmMount + 8, 30'000);
  arm(2, 0);
  EXPECT_FALSE(granted_now()) << "slot 1 still waits for arm 0";
  arm(0, 0);
  EXPECT_EQ(grant(), granted(1, 0, 0, 9000));
}

// Slot 1 is kept for arm 0 from 9,000 to 9,256, and so is its channel.
TEST_F(ArmsInService, WhatIsKeptHasItsChannel) {
  comes(1, 9000, 1);
  comes(2, 44'801, 1);  // under arm 1 at 9,265 behind a turn's end: the gap behind slot 1 ends at 9,266
  bench.write(aau::kMargin, 30);
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  bench.write(aau::kWithdraw, 2);
  comes(2, 44'802, 1);
  EXPECT_EQ(grant(), granted(2, 1, 0, 9266));
}

TEST_F(ArmsInService, TheSecondOfTwoIsKeptToo) {
  bench.write(aau::kChannels, aau::channels::Gap::set(2, 10));
  arm(2, 0);
  comes(1, 8300, 1);
  EXPECT_EQ(grant(), granted(1, 2, 0, 8300));  // arm 2 is free at 8,566
  bench.write(aau::kCtrl, 0);
  comes(3, 8540, 1);  // arm 0 at 8,540, arm 2 a turn later
  comes(4, 8900, 1);  // arm 2 at 8,900, as arm 0 has slot 3
  comes(5, 9300, 1);
  arm(1, 0);
  policy(3);
  EXPECT_EQ(grant(), granted(5, 1, 0, 39'300));
}

TEST_F(ArmsInService, FirmwareSaysThatItComesFreeLater) {
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  bench.write(aau::kAppointment, aau::appointment::Arm::set(991, 0));  // free at 9,001
  EXPECT_EQ(grant(), granted(1, 1, 0, 39'000));
}

TEST_F(ArmsInService, CountsUntilItsAppointmentIsOver) {
  bench.pins.tick = 8521;  // free in a tick; the angles stand
  comes(1, 1, 1);
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  bench.pins.tick = 8522;
  EXPECT_EQ(grant(), granted(1, 1, 0, 30'001)) << "nobody knows when it comes free";
}

// Arm 1 needs 1,100 ticks to the sector and gets it 1,000 behind a turn's end, where the channel is free: it cannot
// wait. Arm 0 would be there sooner.
TEST_F(ArmsInService, CountsIfItComesFreeInLessThan64Turns) {
  constexpr std::uint32_t kFar = 64 * kTurn;
  bench.write(aau::kArmMount + 4, 995);
  bench.write(aau::kAppointment, aau::appointment::Arm::set(kFar - 1 - 10 - 8000, 0));
  comes(1, 5, 0x1FF);
  arm(1, 200);
  EXPECT_FALSE(granted_now());
  bench.write(aau::kAppointment, aau::appointment::Arm::set(kFar - 10 - 8000, 0));
  EXPECT_EQ(grant(), granted(1, 1, 0, kFar + 1000));
}

TEST_F(ArmsInService, OnlyOrdersThatWeighTheTimeReckonWithThem) {
  for (const unsigned number : {0u, 1u, 2u, 3u, 4u}) {
    policy(number);
    comes(1, 9000, 1);
    arm(1, 0);
    EXPECT_EQ(granted_now(), number < 3) << "policy " << number;
    if (number < 3) {
      EXPECT_EQ(grant(), granted(1, 1, 0, 39'000));
    }
    bench.write(aau::kArm + 4, 0);
    bench.write(aau::kWithdraw, 1);
  }
  policy(3);
  channels(0, 0);
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_EQ(grant(), granted(1, 1, 0, 39'000)) << "a channel for each arm";
}

TEST_F(ArmsInService, AnIdleOneIsTakenIfItIsThereAtTheSameTime) {
  bench.write(aau::kArmMount + 4, 0);
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_EQ(grant(), granted(1, 1, 0, 9000));
}

TEST_F(ArmsInService, OneOutOfTheMaskOrOfReachDoesNotCount) {
  bench.write(aau::kArmMask, 0xFE);
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_EQ(grant(), granted(1, 1, 0, 39'000));
  bench.write(aau::kArm + 4, 0);
  bench.write(aau::kArmMask, 0xFF);
  bench.write(aau::kArmReach, aau::arm_reach::Last::set(aau::arm_reach::First::set(0, 1), 2));
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_EQ(grant(), granted(1, 1, 0, 39'000));
}

// --- A rest ends by itself
// ---------------------------------------------------------------------------------------------

// From 8,522 on arm 0 is free; firmware has the margin to give it back.
TEST_F(ArmsInService, IsNotWaitedForLongerThanTheMargin) {
  bench.write(aau::kMargin, 300);
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  EXPECT_TRUE(bench.core().wake());
  EXPECT_EQ(bench.core().wake_tick(), 8822u);
  bench.pins.tick = 8821;
  EXPECT_FALSE(granted_now());
  EXPECT_TRUE(bench.idle());
  bench.pins.tick = 8822;
  EXPECT_EQ(grant(), granted(1, 1, 0, 39'000));
  EXPECT_FALSE(bench.core().wake());
}

TEST_F(ArmsInService, TheFirstThatShouldHaveComeFreeEndsTheRest) {
  bench.write(aau::kChannels, aau::channels::Gap::set(2, 10));
  arm(2, 0);
  comes(1, 8300, 1);
  EXPECT_EQ(grant(), granted(1, 2, 0, 8300));  // arm 2 is free at 8,566
  bench.write(aau::kCtrl, 0);
  comes(3, 8540, 1);  // arm 0 at 8,540, arm 2 a turn later
  comes(4, 8900, 1);  // arm 2 at 8,900, as arm 0 has slot 3
  arm(1, 0);
  policy(3);
  bench.pins.tick = 8521;
  EXPECT_FALSE(granted_now());
  bench.pins.tick = 8522;  // the angles stand: slot 3 still comes in 8,540
  EXPECT_EQ(grant(), granted(4, 1, 0, 38'900)) << "slot 3 waits for arm 2";
  EXPECT_FALSE(granted_now());
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  bench.pins.tick = 8565;
  EXPECT_FALSE(granted_now());
  bench.pins.tick = 8566;
  EXPECT_EQ(grant(), granted(3, 1, 0, 38'540));
}

TEST_F(ArmsInService, AWriteSetsTheEndOfARestAnew) {
  comes(1, 11'000, 1);
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  EXPECT_EQ(bench.core().wake_tick(), 8522u);
  bench.write(aau::kAppointment, aau::appointment::Arm::set(1991, 0));  // free at 10,001
  EXPECT_FALSE(granted_now());
  bench.pins.tick = 10'000;
  EXPECT_FALSE(granted_now());
  bench.pins.tick = 10'001;
  EXPECT_EQ(grant(), granted(1, 1, 0, 41'000));
}

// The rest's end is seen at one edge and takes effect at the next; the decision begins one later.
TEST_F(ArmsInService, ARestEndsTwoEdgesBeforeTheDecision) {
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  bench.pins.tick = 8522;
  bench.rest();
  EXPECT_FALSE(bench.idle()) << "the clock must run on";
  bench.rest();
  bench.rest();
  EXPECT_TRUE(bench.core().deciding());
  EXPECT_EQ(bench.core().begins(), bench.edge() - 1);
}

TEST_F(ArmsInService, AWriteComesBeforeTheEndOfARest) {
  comes(1, 9000, 1);
  for (const unsigned edges : {0u, 1u, 2u}) {  // before the write, with the tick there
    bench.pins.tick = 0;
    arm(1, 0);
    EXPECT_FALSE(granted_now());
    bench.pins.tick = 8522;
    bench.clocks(edges);
    bench.write(aau::kArm + 4, 0);
    EXPECT_FALSE(granted_now()) << edges;
  }
}

// None of the policies that look at idle arms only leaves a slot alone for ever.
TEST_F(ArmAppointments, ARestForTheSakeOfAChannelEndsByItself) {
  channels(1, 0);
  for (const unsigned number : {0u, 1u, 2u}) {
    policy(number);
    bench.pins.tick = 0;
    arm(0, 0);
    comes(0, 8000, 2);
    EXPECT_EQ(grant(), granted(0, 0, 0, 8000));
    comes(1, 8100, 1);
    arm(1, 0);
    EXPECT_FALSE(bench.wait_for_grant(100)) << "policy " << number;
    bench.pins.tick = 8511;
    EXPECT_FALSE(bench.wait_for_grant(300)) << "policy " << number;
    bench.pins.tick = 8512;
    EXPECT_EQ(grant(), granted(1, 1, 0, 8100)) << "policy " << number;
  }
}

// Without arms in service nothing but a write, or a stack, brings a slot that no arm reaches a decision.
TEST_F(ArmAppointments, ARestWithoutAppointmentsLasts) {
  channels(1, 0);
  arm(0, 0);
  bench.write(aau::kArmReach, aau::arm_reach::Last::set(aau::arm_reach::First::set(0, 1), 2));
  comes(0, 8000, 2);
  EXPECT_FALSE(bench.wait_for_grant(100));
  EXPECT_FALSE(bench.core().wake());
  bench.pins.tick = 1u << 30;
  EXPECT_FALSE(bench.wait_for_grant(100));
  EXPECT_EQ(bench.core().decisions(), 1u);
}

// Who waits is looked at anew after any write, and when a stack's turning changes.
TEST_F(ArmsInService, WhatIsKeptIsForgottenWhenSomethingChanges) {
  comes(1, 9000, 1);
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  bench.write(aau::kInten, 1);
  EXPECT_FALSE(granted_now());
  comes(2, 8900, 1);  // now arm 0 is to have this one, and slot 1 behind it
  EXPECT_EQ(grant(), granted(1, 1, 0, 39'000));
  bench.write(aau::kArm + 4, 0);
  arm(1, 0);
  EXPECT_FALSE(granted_now());
  bench.pins.turning = 0xFE;
  bench.rest();
  bench.pins.turning = 0xFF;
  EXPECT_FALSE(granted_now());
}

}  // namespace
}  // namespace armature::testing
