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

// The least one defers: a candidate behind it is not granted in its place, so that none is overtaken for ever.
TEST_F(ArmAppointments, NothingIsGrantedInPlaceOfOneThatDefers) {
  channels(1, 0);
  bench.write(aau::kAgeing, 1024);
  policy(4);
  arm(0, 0);
  comes(0, 8000, 2);
  EXPECT_EQ(grant(), granted(0, 0, 0, 8000));
  comes(1, 8100, 1);
  bench.pins.tick = 70'000;
  comes(2, 9500, 1);  // it need not wait, but 1 is so much older
  bench.pins.tick = 70'000 + 64 * kTurn;
  bench.write(aau::kAppointment, aau::appointment::Arm::set(71'000 + 64 * kTurn, 0));  // until 9,000 from now
  arm(1, 0);
  EXPECT_FALSE(bench.wait_for_grant(200));
  policy(3);
  EXPECT_EQ(grant(), granted(2, 1, 0, 9500));
}

TEST_F(ArmAppointments, TwoChannelsServeTwoAndTheThirdComesBehindBoth) {
  channels(2, 5);
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

}  // namespace
}  // namespace armature::testing
