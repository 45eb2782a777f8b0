// Random decisions: RTL against core, to the clock.
#include "cosim/arm_arbitration_random.h"

#include <gtest/gtest.h>

#ifndef ARMATURE_AAU_DECISIONS
#define ARMATURE_AAU_DECISIONS 100000
#endif

namespace armature::testing {
namespace {

constexpr std::uint64_t kDecisions = ARMATURE_AAU_DECISIONS;

/// A share of the decisions on one instance; what must have happened in them.
void decide(const std::string& instance, unsigned share_percent) {
  AauCosim bench(instance);
  AauTraffic traffic(bench, 1);
  traffic.run(kDecisions * share_percent / 100);
  ASSERT_TRUE(bench.difference.empty()) << bench.difference;
  const AauTraffic::Seen& seen = traffic.seen();
  for (unsigned policy = 0; policy < 5; ++policy) EXPECT_GT(seen.grants_by_policy[policy], 0u) << policy;
  for (unsigned arm = 0; arm < bench.shape().arms; ++arm) EXPECT_GT(seen.grants_by_arm[arm], 0u) << arm;
  for (unsigned head = 0; head < bench.shape().heads; ++head) EXPECT_GT(seen.grants_by_head[head], 0u) << head;
  EXPECT_GT(seen.without_winner, 0u);
  EXPECT_GT(seen.abandoned, 0u);
  EXPECT_GT(seen.too_late, 0u);
  EXPECT_GT(seen.zero_estimates, 0u);
  EXPECT_GT(seen.beside_masked_head, 0u);
  if (bench.shape().cyl_bits > 16) {
    EXPECT_GT(seen.far_heads, 0u);
  }
  std::printf("%s: grants by policy", instance.c_str());
  for (const std::uint64_t count : seen.grants_by_policy) std::printf(" %lu", count);
  std::printf(", by arm");
  for (const std::uint64_t count : seen.grants_by_arm) std::printf(" %lu", count);
  std::printf(", without winner %lu, abandoned %lu, too late %lu, clocks %ld\n", seen.without_winner, seen.abandoned,
              seen.too_late, static_cast<long>(bench.edge()));
}

TEST(ArmArbitrationRandom, FourLanes) {
  decide("lanes4", 30);
}
TEST(ArmArbitrationRandom, FewBits) {
  decide("narrow", 30);
}
#ifndef ARMATURE_AAU_MUTANT
TEST(ArmArbitrationRandom, OneLane) {
  decide("lane1", 20);
}
TEST(ArmArbitrationRandom, TwoHundredFiftySixSlots) {
  decide("slots256", 16);
}
TEST(ArmArbitrationRandom, Smallest) {
  decide("small", 10);
}
#endif

}  // namespace
}  // namespace armature::testing
