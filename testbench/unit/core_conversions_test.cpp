#include "armature/core/conversions.h"

#include <gtest/gtest.h>

#include <limits>

namespace armature {
namespace {

TEST(Seconds, BecomePicosecondsUpToTheLastThatFit) {
  EXPECT_EQ(from_seconds(0.1), 100'000'000'000);
  EXPECT_EQ(from_seconds(-0.1), -100'000'000'000);
  EXPECT_EQ(from_seconds(8e6), 8'000'000 * kPsPerSecond);
  EXPECT_EQ(from_seconds(5000.000'000'000'001), 5000 * kPsPerSecond + 1) << "no half is added to what has none";
  EXPECT_EQ(from_seconds(1e9), std::numeric_limits<Ps>::max());
  EXPECT_EQ(from_seconds(-1e9), -std::numeric_limits<Ps>::max());
}

TEST(Conversions, ATimeAfterADelayIsNoneThatDoesNotFit) {
  constexpr Ps kLast = std::numeric_limits<Ps>::max();
  EXPECT_EQ(after(5, 7), 12);
  EXPECT_EQ(after(kLast - 7, 7), kLast);
  EXPECT_EQ(after(kLast - 6, 7), kLast);
  EXPECT_EQ(after(100 * 86'400 * kPsPerSecond, from_seconds(1e9)), kLast);
}

TEST(Ticks, OfATimeAreRoundedUp) {
  const std::int64_t millirpm = to_millirpm(7200);
  EXPECT_EQ(millirpm, 7'200'000);
  EXPECT_EQ(to_ticks(0, millirpm), 0);
  EXPECT_EQ(to_ticks(1, millirpm), 1);
  // A revolution lasts 25e9 / 3 ps: the last picosecond before its end lies in its last tick, the next one behind it.
  EXPECT_EQ(to_ticks(8'333'333'333, millirpm), kTicksPerTurn);
  EXPECT_EQ(to_ticks(8'333'333'334, millirpm), kTicksPerTurn + 1);
  EXPECT_EQ(to_ticks(3 * 25'000'000'000 / 3, millirpm), 3 * kTicksPerTurn);
  EXPECT_EQ(to_millirpm(5400.0004), 5'400'000);
}

}  // namespace
}  // namespace armature
