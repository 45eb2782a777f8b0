#include "armature/core/clock_edges.h"
#include "armature/core/divisor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace armature {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

void expect_exact(const Divisor& divisor, std::int64_t dividend) {
  ASSERT_EQ(divisor.quotient(dividend), dividend / divisor.value()) << dividend << " / " << divisor.value();
  ASSERT_EQ(divisor.remainder(dividend), dividend % divisor.value()) << dividend << " / " << divisor.value();
}

std::vector<std::int64_t> divisors() {
  std::vector<std::int64_t> divisors = {1, 2, 3, 5, 7, 10, 2'500, 3'333, 5'000, 25'000'000'000, kLargest - 1, kLargest};
  for (unsigned bit = 2; bit < 63; ++bit)
    for (const std::int64_t near : {-1, 0, 1}) divisors.push_back((std::int64_t{1} << bit) + near);
  return divisors;
}

TEST(Divisor, IsExactWhereTheQuotientChanges) {
  for (const std::int64_t by : divisors()) {
    const Divisor divisor(by);
    const std::int64_t most = kLargest / by;
    for (const std::int64_t quotient : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, most / 2, most - 1, most}) {
      if (quotient < 0 || quotient > most) continue;
      const std::int64_t even = quotient * by;
      expect_exact(divisor, even);
      if (even > 0) expect_exact(divisor, even - 1);
      if (even < kLargest) expect_exact(divisor, even + 1);
    }
    expect_exact(divisor, kLargest);
  }
}

TEST(Divisor, IsExactForAnyNumbers) {
  std::mt19937_64 random(1);
  // As many small numbers as large ones.
  const auto draw = [&] { return static_cast<std::int64_t>(random() >> (1 + random() % 63)); };
  for (int i = 0; i < 1'000'000; ++i) expect_exact(Divisor(draw() | 1), draw());
}

TEST(ClockEdges, LieOnMultiplesOfThePeriod) {
  constexpr ClockEdges edges(3'000);
  EXPECT_EQ(edges.period(), 3'000);
  EXPECT_EQ(edges.time(7), 21'000);
  EXPECT_EQ(edges.at_or_before(0), 0);
  EXPECT_EQ(edges.at_or_before(2'999), 0);
  EXPECT_EQ(edges.at_or_before(3'000), 1);
  EXPECT_EQ(edges.at_or_after(0), 0);
  EXPECT_EQ(edges.at_or_after(1), 1);
  EXPECT_EQ(edges.at_or_after(3'000), 1);
  EXPECT_EQ(edges.at_or_after(3'001), 2);
  EXPECT_EQ(edges.next_time(3'000), 3'000);
  EXPECT_EQ(edges.next_time(3'001), 6'000);
}

}  // namespace
}  // namespace armature
