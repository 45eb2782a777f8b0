// When rows are refreshed: idle time first, deadlines met by the pace of forced ones.
#include "armature/core/random.h"
#include "armature/mems/refresh_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace armature::mems {
namespace {

constexpr std::uint64_t kRows = 500;
constexpr Ps kPeriod = 1'000'000, kEarly = 500'000, kInterval = 1'500;

/// The latest time from which the rows to come can be forced so that none is late, each looked at.
Ps by_search(const std::vector<Ps>& last, std::uint64_t next) {
  Ps from = last[next] + kPeriod - kInterval;
  for (std::uint64_t j = 0; j < kRows; ++j)
    from = std::min(from, last[(next + j) % kRows] + kPeriod - static_cast<Ps>(j + 1) * kInterval);
  return from;
}

std::vector<Ps> beginning() {
  std::vector<Ps> last(kRows);
  for (std::uint64_t i = 0; i < kRows; ++i)
    last[i] = -((kEarly + kPeriod) / 2 * static_cast<Ps>(kRows - i) / static_cast<Ps>(kRows));
  return last;
}

TEST(MemsRefreshPlan, ForcedWhenARowToComeWouldBeLate) {
  RefreshPlan plan(kRows, kPeriod, kEarly, kInterval);
  RandomStream random(7, "idle");
  std::vector<Ps> last = beginning();
  Ps t = 0;
  for (std::uint64_t i = 0; i < 8 * kRows; ++i) {
    ASSERT_EQ(plan.next(), i % kRows);
    ASSERT_EQ(plan.forced_from(), by_search(last, i % kRows)) << "at " << i;
    ASSERT_EQ(plan.early_from(), last[i % kRows] + kEarly);
    // Idle for a while, or forced.
    t = std::max(t + 10, random.chance(0.9) ? std::min(plan.early_from(), plan.forced_from()) : plan.forced_from());
    plan.refreshed(t);
    last[i % kRows] = t;
  }
  EXPECT_EQ(plan.rounds(), 8u);
}

TEST(MemsRefreshPlan, NoRowIsLateWithoutAnyIdleTime) {
  RefreshPlan plan(kRows, kPeriod, kEarly, kInterval);
  Ps t = 0, busy = 0;
  for (std::uint64_t i = 0; i < 10 * kRows; ++i) {
    t = std::max(t, plan.forced_from());
    plan.refreshed(t);
    t += 700;  // a row's time
    busy += 700;
  }
  EXPECT_LE(plan.oldest(t), kPeriod);
  EXPECT_GE(plan.oldest(t), kPeriod * 9 / 10) << "forced as late as can be";
  EXPECT_NEAR(static_cast<double>(busy) / static_cast<double>(t), 700.0 * kRows / kPeriod, 0.03);
}

TEST(MemsRefreshPlan, RowsThatWereRefreshedTogetherAreSpread) {
  RefreshPlan plan(kRows, kPeriod, kEarly, kInterval);
  Ps t = 0;
  for (std::uint64_t i = 0; i < kRows; ++i) plan.refreshed(t += 700);  // in one idle time
  // The last one is due at 1,350,000, and forced ones take 1,500 each.
  EXPECT_EQ(plan.forced_from(), 700 * static_cast<Ps>(kRows) + kPeriod - kInterval * static_cast<Ps>(kRows));
  std::vector<Ps> forced;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    forced.push_back(plan.forced_from());
    plan.refreshed(plan.forced_from());
  }
  for (std::uint64_t i = 1; i < kRows; ++i) EXPECT_GE(forced[i] - forced[i - 1], kInterval);
  EXPECT_LE(plan.oldest(forced.back()), kPeriod);
}

}  // namespace
}  // namespace armature::mems
