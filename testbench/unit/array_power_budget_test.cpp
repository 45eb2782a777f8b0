// A budget of watts among the members of an array: sums, order of giving and taking, and the fixed shares.
#include "armature/array/power_budget.h"
#include "armature/core/error.h"
#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace armature::array::array_power_budget_test {
namespace {

PowerBudgetParams params_of(double cap_w, PowerShares shares) {
  PowerBudgetParams params;
  params.cap_w = cap_w;
  params.shares = shares;
  params.least_w = 5;
  params.period_s = 1;
  return params;
}

double sum_of(const PowerBudget& budget) {
  double sum = 0;
  for (std::size_t i = 0; i < budget.members(); ++i) sum += budget.share_w(i);
  return sum;
}

TEST(PowerBudget, EqualSharesStay) {
  PowerBudget budget(params_of(32, PowerShares::equal), 4);
  budget.judge({9, 0, 0, 0}, {8, 5, 5, 5});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(budget.share_w(i), 8);
}

TEST(PowerBudget, WattsMoveOnlyWhenTheirOwnerDrawsThemNoMore) {
  PowerBudget budget(params_of(32, PowerShares::load), 4);
  budget.judge({4, 0, 0, 0}, {8, 8, 8, 8});
  EXPECT_DOUBLE_EQ(budget.share_w(1), 5) << "taken at once";
  EXPECT_DOUBLE_EQ(budget.share_w(0), 8) << "the others still draw them";
  budget.judge({4, 0, 0, 0}, {8, 8, 6, 5});
  EXPECT_DOUBLE_EQ(budget.share_w(0), 13) << "2 and 3 W are free";
  budget.judge({4, 0, 0, 0}, {13, 5, 5, 5});
  EXPECT_DOUBLE_EQ(budget.share_w(0), 17) << "all but the least shares";
  EXPECT_DOUBLE_EQ(budget.counters().moved_w, 9);
  EXPECT_EQ(budget.counters().moves, 2u);
}

TEST(PowerBudget, WithoutALoadTheSharesBecomeEqual) {
  PowerBudget budget(params_of(32, PowerShares::load), 4);
  for (int i = 0; i < 3; ++i) budget.judge({4, 0, 0, 0}, {5, 5, 5, 5});
  EXPECT_GT(budget.share_w(0), 16);
  for (int i = 0; i < 20; ++i) budget.judge({0, 0, 0, 0}, {5, 5, 5, 5});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(budget.share_w(i), 8, 1e-6);
}

/// Members that follow their shares one step a period, and at times draw more than they may.
TEST(PowerBudget, SharesNeverExceedTheCapAndAreNeverGivenTwice) {
  RandomStream random(5, "power budget");
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + random.below(7);
    const double cap = 5.0 * static_cast<double>(n) + static_cast<double>(random.below(40));
    PowerBudget budget(params_of(cap, PowerShares::load), n);
    std::vector<double> loads(n), drawn(n, cap / static_cast<double>(n));
    for (int period = 0; period < 50; ++period) {
      for (std::size_t i = 0; i < n; ++i) {
        if (random.chance(0.2)) loads[i] = random.chance(0.3) ? 0 : static_cast<double>(random.below(1'000)) / 100;
        drawn[i] = std::max(budget.share_w(i), drawn[i] - 1);
        if (random.chance(0.2)) drawn[i] = budget.share_w(i) * 0.8;
      }
      std::vector<double> before;
      for (std::size_t i = 0; i < n; ++i) before.push_back(budget.share_w(i));
      budget.judge(loads, drawn);
      double committed = 0;
      bool grew = false;
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_GE(budget.share_w(i), 5 - 1e-9);
        grew = grew || budget.share_w(i) > before[i];
        committed += std::max(budget.share_w(i), drawn[i]);
      }
      ASSERT_LE(sum_of(budget), cap + 1e-9);
      ASSERT_TRUE(!grew || committed <= cap + 1e-9) << "a share grew by what another member drew";
    }
  }
}

TEST(PowerBudget, PeriodsEndWithTheFirstOperationAfterTheirTime) {
  PowerBudget budget(params_of(20, PowerShares::load), 2);
  std::vector<double> told(2);
  double joules = 0;
  for (std::size_t i = 0; i < 2; ++i)
    budget.connect(
        i, [&joules] { return joules; }, [&told, i](double watts) { told[i] = watts; }, nullptr, "share");
  EXPECT_DOUBLE_EQ(told[0], 10);
  joules = 5;
  budget.ended(0, 0, kPsPerSecond / 2);
  EXPECT_EQ(budget.counters().periods, 0u);
  budget.ended(0, 0, kPsPerSecond);
  EXPECT_EQ(budget.counters().periods, 1u);
  EXPECT_DOUBLE_EQ(budget.counters().most_w, 10);
  EXPECT_DOUBLE_EQ(told[0], 15);
  EXPECT_DOUBLE_EQ(told[1], 5);
}

TEST(PowerBudget, ACapBelowTheLeastSharesIsRefused) {
  EXPECT_THROW(params_of(19, PowerShares::load).check(4), InputError);
  EXPECT_NO_THROW(params_of(20, PowerShares::load).check(4));
  EXPECT_NO_THROW(params_of(0, PowerShares::load).check(4));
}

}  // namespace
}  // namespace armature::array::array_power_budget_test
