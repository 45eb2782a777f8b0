#include "armature/arbiter/seek_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace armature::arbiter {
namespace {

struct Point {
  std::uint32_t distance, ticks;
};

SeekTable table_of(const std::vector<Point>& points) {
  SeekTable table;
  for (unsigned i = 0; i < points.size(); ++i) {
    const bool ascends = i + 1 < points.size() && points[i + 1].distance > points[i].distance;
    const std::int64_t slope =
        ascends ? SeekTable::slope(points[i].distance, points[i].ticks, points[i + 1].distance, points[i + 1].ticks)
                : 0;
    table.store(i, points[i].distance, points[i].ticks, slope);
  }
  table.use(static_cast<unsigned>(points.size()));
  table.prepare();
  return table;
}

TEST(SeekTable, IsExactAtItsPoints) {
  const SeekTable table = table_of({{1, 400}, {10, 900}, {1'000, 5'000}, {150'000, 130'000}});
  EXPECT_EQ(table.ticks(0), 0u);
  EXPECT_EQ(table.ticks(1), 400u);
  EXPECT_EQ(table.ticks(10), 900u);
  EXPECT_EQ(table.ticks(1'000), 5'000u);
  EXPECT_EQ(table.ticks(150'000), 130'000u);
}

TEST(SeekTable, HoldsTheFirstTimeBeforeTheFirstPointAndTheLastBehindTheLast) {
  const SeekTable table = table_of({{8, 640}, {16, 700}});
  EXPECT_EQ(table.ticks(1), 640u);
  EXPECT_EQ(table.ticks(7), 640u);
  EXPECT_EQ(table.ticks(17), 700u);
  EXPECT_EQ(table.ticks(0x7FFFFF), 700u);
}

TEST(SeekTable, IsItsOwnWhateverIsStoredInAnotherThatWasEqual) {
  SeekTable table = table_of({{8, 640}, {16, 700}});
  const SeekTable other = table_of({{8, 640}, {16, 700}});
  table.store(1, 16, 900, 0);
  table.prepare();
  EXPECT_EQ(table.ticks(16), 900u);
  EXPECT_EQ(table.least_ticks(16), 900u);
  EXPECT_EQ(other.ticks(16), 700u);
}

TEST(SeekTable, TakesACurveThatFalls) {
  // Quantum Atlas 10K: 1.245 ms for one cylinder, 1.157 ms for two; ticks at 10,025 rpm, 91.32 ns each.
  const SeekTable table = table_of({{1, 13'633}, {2, 12'669}, {34, 12'605}});
  EXPECT_EQ(table.ticks(1), 13'633u);
  EXPECT_EQ(table.ticks(2), 12'669u);
  EXPECT_EQ(table.ticks(18), 12'637u) << "half-way: 12,669 - 16 * 2";
}

TEST(SeekTable, IgnoresEntriesThatDoNotAscendAndHasNoTimeWithoutEntries) {
  const SeekTable table = table_of({{10, 100}, {10, 200}, {20, 300}});
  EXPECT_EQ(table.ticks(20), 100u);
  EXPECT_EQ(SeekTable().ticks(5), 0u);
}

TEST(SeekTable, LiesAtMostOneTickBelowTheExactLine) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Point> points;
    std::uint32_t distance = 1 + random() % 5;
    const unsigned count = 2 + random() % 254;
    const std::uint32_t stride = 1 + random() % 30'000;
    for (unsigned i = 0; i < count; ++i) {
      points.push_back({distance, static_cast<std::uint32_t>(random() % 300'000)});
      distance += 1 + random() % stride;
    }
    const SeekTable table = table_of(points);
    for (int i = 0; i < 500; ++i) {
      const std::uint32_t d =
          points.front().distance + random() % (points.back().distance - points.front().distance + 1);
      const auto after = std::upper_bound(points.begin(), points.end(), d,
                                          [](std::uint32_t value, const Point& p) { return value < p.distance; });
      double exact = points.back().ticks;
      if (after != points.end()) {
        const Point& a = *(after - 1);
        exact = a.ticks + (double(after->ticks) - a.ticks) * (d - a.distance) / (double(after->distance) - a.distance);
      }
      ASSERT_LE(table.ticks(d), std::floor(exact + 1e-9));
      ASSERT_GE(table.ticks(d), std::floor(exact + 1e-9) - 1) << "distance " << d;
    }
  }
}

/// What the search among waiting slots relies on. Each bucket of the bound is one distance on a stack of less than
/// 1,024.
TEST(SeekTable, ItsLowerBoundIsBelowAllLongerMovesAndNeverFalls) {
  std::mt19937_64 random(8);
  for (const std::uint32_t stride : {1u, 3u, 15u, 200u, 30'000u}) {
    for (int round = 0; round < 20; ++round) {
      std::vector<Point> points{{static_cast<std::uint32_t>(1 + random() % 3), 3}};
      for (unsigned i = 0; i < 60; ++i)
        points.push_back({points.back().distance + 1 + static_cast<std::uint32_t>(random() % stride),
                          static_cast<std::uint32_t>(i * 20 + random() % (i % 7 == 0 ? 1'000 : 60))});
      const SeekTable table = table_of(points);
      std::uint32_t least = table.ticks(points.back().distance + 5), bound = table.least_ticks(0x7F'FFFF);
      ASSERT_EQ(bound, least);
      for (std::uint32_t d = points.back().distance; d > 0; --d) {
        least = std::min(least, table.ticks(d));
        ASSERT_LE(table.least_ticks(d), least) << "distance " << d;
        ASSERT_LE(table.least_ticks(d), bound) << "distance " << d;
        bound = table.least_ticks(d);
        if (points.back().distance < 1'024) {
          ASSERT_EQ(bound, least) << "distance " << d;
        }
        if (stride > 1'000 && d % 7 != 0) d -= std::min(d - 1, 5u);
      }
      ASSERT_EQ(table.least_ticks(0), 0u);
    }
  }
}

}  // namespace
}  // namespace armature::arbiter
