// All cases of an instance of two slots, two arms and two heads, with two bits of cylinder and angle.
#include "cosim/arm_arbitration_bench.h"

#include <gtest/gtest.h>

namespace armature::testing {
namespace {

namespace aau = regs::aau;

constexpr std::uint32_t kIdle = aau::arm::Idle::kMask, kValid = aau::slot_commit::Valid::kMask;

class ArmArbitrationAll : public ::testing::TestWithParam<int> {
 protected:
  AauCosim bench{"tiny"};
  std::uint64_t decisions = 0, without = 0;

  void table(unsigned arm_class, std::initializer_list<std::array<std::uint32_t, 2>> entries) {
    bench.write(aau::kSeekClass, arm_class);
    bench.write(aau::kSeekEntry, 0);
    for (auto e = entries.begin(); e != entries.end(); ++e) {
      std::int64_t slope = 0;
      if (e + 1 != entries.end()) {
        slope = (std::int64_t{(*(e + 1))[1]} - (*e)[1]) * (1 << 24) / ((*(e + 1))[0] - (*e)[0]);
      }
      bench.write(aau::kSeekDistance, (*e)[0]);
      bench.write(aau::kSeekSlopeLo, static_cast<std::uint32_t>(slope));
      bench.write(aau::kSeekSlopeHi, static_cast<std::uint32_t>(slope >> 32) & 0xFF);
      bench.write(aau::kSeekTime, (*e)[1]);
    }
    bench.write(aau::kSeekEntries, static_cast<std::uint32_t>(entries.size()));
  }

  void decide() {
    const std::uint64_t before = bench.core().decisions();
    while (bench.core().deciding() || !bench.core().idle()) bench.rest();
    decisions += bench.core().decisions() - before;
    if (!bench.core().grant_pending()) ++without;
  }
};

/// Where slots and arms are, what is read or written, which is older, one head or two: under one policy.
TEST_P(ArmArbitrationAll, Places) {
  bench.pins.turning = 3;
  bench.pins.angle = {1, 2};
  bench.pins.tick = 60;  // wraps at 64
  bench.advance = [](AauPins& pins) { pins.tick += 1; };
  table(0, {{1, 1}, {3, 3}});
  bench.write(aau::kHeadSwitch, 2);
  bench.write(aau::kWriteSettle, 1);
  bench.write(aau::kAgeing, 64);
  bench.write(aau::kMargin, 1);
  bench.write(aau::kArmMount + 4, aau::arm_mount::Angle::set(0, 2));
  bench.write(aau::kHeadOffset + 4, 1);
  bench.write(aau::kHeadAngle + 4, 1);
  for (std::uint32_t heads = 0; heads < 2; ++heads) {
    bench.write(aau::kLimits, aau::limits::Heads::set(0, heads));
    for (std::uint32_t arms = 0; arms < 64 && bench.difference.empty(); ++arms) {
      const std::uint32_t at[2] = {kIdle | (arms & 3) | (arms >> 2 & 1) << 23,
                                   kIdle | (arms >> 3 & 3) | (arms >> 5) << 23};
      bench.write(aau::kCtrl, aau::ctrl::Policy::set(0, static_cast<unsigned>(GetParam())));
      bench.write(aau::kArm, at[0]);
      bench.write(aau::kArm + 4, at[1]);
      for (std::uint32_t slots = 0; slots < 8192; ++slots) {
        const unsigned first = slots >> 12;  // which is committed first
        for (unsigned i = 0; i < 2; ++i) {
          const unsigned slot = first ^ i;
          const std::uint32_t what = slots >> (slot * 6);
          bench.write(aau::kSlotTarget + 4 * slot, (what & 3) | (what >> 2 & 1) << 23);
          bench.write(aau::kSlotCommit + 4 * slot, kValid | (what >> 3 & 3) | (what >> 5 & 1) << 16);
        }
        bench.write(aau::kCtrl, aau::ctrl::Policy::set(aau::ctrl::Enable::kMask, static_cast<unsigned>(GetParam())));
        decide();
        bench.write(aau::kCtrl, aau::ctrl::Policy::set(0, static_cast<unsigned>(GetParam())));
        if (bench.core().grant_pending()) {
          const unsigned arm = aau::grant::Arm::get(bench.core().read(aau::kGrant));
          bench.write(aau::kGrantAck, 1);
          bench.write(aau::kArm + 4 * arm, at[arm]);
        }
      }
    }
  }
  ASSERT_TRUE(bench.difference.empty()) << bench.difference;
  EXPECT_EQ(decisions, 2u * 64 * 8192);
}

#ifdef ARMATURE_AAU_EVERY_POLICY
INSTANTIATE_TEST_SUITE_P(Policies, ArmArbitrationAll, ::testing::Range(0, 5));
#else
INSTANTIATE_TEST_SUITE_P(Policies, ArmArbitrationAll, ::testing::Values(4));  // aged SPTF, which has all of the cost
#endif

/// Which heads of which arm may be used on which surface, where the arms' reach begins, where the slots are.
TEST_F(ArmArbitrationAll, Masks) {
  bench.pins.turning = 3;
  table(0, {{1, 1}, {3, 3}});
  bench.write(aau::kHeadOffset + 4, 0xFFFFFF);
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 1));
  bench.write(aau::kCtrl, aau::ctrl::Policy::set(0, 1));
  for (std::uint32_t masks = 0; masks < 256 && bench.difference.empty(); ++masks) {
    for (unsigned arm = 0; arm < 2; ++arm)
      for (unsigned head = 0; head < 2; ++head)
        bench.write(aau::kHeadMask + 16 * arm + 4 * head, masks >> (4 * arm + 2 * head) & 3);
    for (std::uint32_t reach = 0; reach < 4; ++reach) {
      for (unsigned arm = 0; arm < 2; ++arm) bench.write(aau::kArmReach + 4 * arm, 0x0200 | (reach >> arm & 1));
      for (std::uint32_t slots = 0; slots < 81; ++slots) {
        bench.write(aau::kArm, kIdle);
        bench.write(aau::kArm + 4, kIdle | 2);
        bench.write(aau::kSlotTarget, slots % 3 | slots / 3 % 3 << 23);
        bench.write(aau::kSlotCommit, kValid);
        bench.write(aau::kSlotTarget + 4, slots / 9 % 3 | slots / 27 << 23);
        bench.write(aau::kSlotCommit + 4, kValid);
        bench.write(aau::kCtrl, aau::ctrl::Policy::set(aau::ctrl::Enable::kMask, 1));
        decide();
        bench.write(aau::kCtrl, aau::ctrl::Policy::set(aau::ctrl::WithdrawAll::kMask, 1));
      }
    }
  }
  ASSERT_TRUE(bench.difference.empty()) << bench.difference;
  EXPECT_EQ(decisions, 256u * 4 * 81);
  EXPECT_GT(without, 1000u);
}

/// Who may: classes and yield, dependences, stacks, what turns, reach, mask, limits.
TEST_F(ArmArbitrationAll, Eligibility) {
  table(0, {{1, 1}, {3, 3}});
  for (std::uint32_t unit = 0; unit < 3 * 3 * 4 * 2 * 4 && bench.difference.empty(); ++unit) {
    const std::uint32_t in_service = unit % 3, moving = unit / 3 % 3, mask = unit / 9 % 4, yield = unit / 36 % 2,
                        turning = unit / 72;
    bench.pins.turning = turning;
    bench.write(aau::kLimits, aau::limits::Moving::set(aau::limits::InService::set(0, in_service), moving));
    bench.write(aau::kArmMask, mask);
    const std::uint32_t ctrl = aau::ctrl::Policy::set(aau::ctrl::Yield::set(0, yield * 2), 3);
    for (std::uint32_t arms = 0; arms < 16; ++arms) {
      for (unsigned arm = 0; arm < 2; ++arm) {
        bench.write(aau::kArmMount + 4 * arm, aau::arm_mount::Stack::set(0, arms >> arm & 1));
        bench.write(aau::kArmReach + 4 * arm, arms >> (2 + arm) & 1 ? 0x0000 : 0xFF01);
      }
      for (std::uint32_t slots = 0; slots < 256; ++slots) {
        bench.write(aau::kArm, kIdle);
        bench.write(aau::kArm + 4, kIdle | 2);
        for (unsigned slot = 0; slot < 2; ++slot) {
          const std::uint32_t what = slots >> (slot * 4);
          bench.write(aau::kSlotArm + 4 * slot, what & 1 ? aau::slot_arm::Reserved::kMask | slot : 0);
          bench.write(aau::kSlotTarget + 4 * slot, 1 | (what >> 1 & 1) << 23);
          bench.write(aau::kSlotCommit + 4 * slot, kValid | aau::slot_commit::SlotClass::set(0, what >> 2 & 1) |
                                                       aau::slot_commit::Stack::set(0, what >> 3 & 1));
        }
        bench.write(aau::kCtrl, ctrl | aau::ctrl::Enable::kMask);
        decide();
        if (bench.core().grant_pending()) {
          bench.write(aau::kGrantAck, 1);  // the other arm, if the limits allow
          decide();
        }
        bench.write(aau::kCtrl, ctrl | aau::ctrl::WithdrawAll::kMask);
      }
    }
  }
  ASSERT_TRUE(bench.difference.empty()) << bench.difference;
  EXPECT_GT(decisions, 300000u);
  EXPECT_GT(without, 100000u);
}

}  // namespace
}  // namespace armature::testing
