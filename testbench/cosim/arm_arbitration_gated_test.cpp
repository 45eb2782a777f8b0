// A clock that stands while the unit is idle gives the same grants in the same cycles.
#include "cosim/arm_arbitration_random.h"

#include <gtest/gtest.h>

namespace armature::testing {
namespace {

namespace aau = regs::aau;

TEST(ArmArbitrationGated, SameGrantsInTheSameCycles) {
  for (const char* instance : {"lanes4", "narrow"}) {
    AauCosim bench(instance, true);
    AauTraffic traffic(bench, 2);
    traffic.run(10000);
    ASSERT_TRUE(bench.difference.empty()) << bench.difference;
    EXPECT_GT(bench.edges_skipped(), static_cast<std::uint64_t>(bench.edge()) / 20) << instance;
    EXPECT_GT(bench.grants(), 1000u) << instance;
  }
}

TEST(ArmArbitrationGated, WakesWhenAStackTurns) {
  AauCosim bench("lanes4", true);
  bench.write(aau::kSlotCommit, aau::slot_commit::Valid::kMask);
  bench.write(aau::kArm, aau::arm::Idle::kMask);
  bench.write(aau::kInten, 1);
  bench.write(aau::kCtrl, aau::ctrl::Enable::kMask);
  bench.clocks(100);
  const std::uint64_t skipped = bench.edges_skipped();
  EXPECT_GT(skipped, 90u);
  EXPECT_TRUE(bench.idle());
  bench.pins.turning = 2;  // not the arm's stack: a decision without a winner
  bench.clocks(100);
  EXPECT_TRUE(bench.idle());
  EXPECT_EQ(bench.grants(), 0u);
  EXPECT_EQ(bench.core().decisions(), 1u);
  bench.pins.turning = 3;
  bench.clocks(100);
  EXPECT_EQ(bench.grants(), 1u);
  EXPECT_TRUE(bench.irq());
  EXPECT_TRUE(bench.difference.empty()) << bench.difference;
}

TEST(ArmArbitrationGated, WakesWhenAnArmShouldHaveComeFree) {
  AauCosim bench("lanes4", true);
  bench.pins.turning = 1;
  bench.write(aau::kInten, 1);
  bench.write(aau::kChannels, 1);
  bench.write(aau::kArmMount + 4, 30'000);  // a sector passes under arm 1 that much later
  bench.write(aau::kCtrl, aau::ctrl::Policy::set(aau::ctrl::Enable::kMask, 3));
  bench.write(aau::kArm, aau::arm::Idle::kMask);
  bench.write(aau::kSlotCommit, aau::slot_commit::Length::set(aau::slot_commit::Valid::kMask | 8000, 2));
  ASSERT_TRUE(bench.wait_for_grant(100));
  bench.write(aau::kGrantAck, 1);
  bench.write(aau::kSlotCommit + 4, aau::slot_commit::Length::set(aau::slot_commit::Valid::kMask | 9000, 1));
  bench.write(aau::kArm + 4, aau::arm::Idle::kMask);
  bench.clocks(100);
  EXPECT_TRUE(bench.idle());
  const std::uint64_t skipped = bench.edges_skipped();
  bench.pins.tick = 8511;
  bench.clocks(100);
  EXPECT_EQ(bench.edges_skipped(), skipped + 100);
  EXPECT_EQ(bench.grants(), 1u);
  bench.pins.tick = 8512;
  bench.clocks(100);
  EXPECT_EQ(bench.grants(), 2u);
  EXPECT_TRUE(bench.irq());
  EXPECT_TRUE(bench.difference.empty()) << bench.difference;
}

}  // namespace
}  // namespace armature::testing
