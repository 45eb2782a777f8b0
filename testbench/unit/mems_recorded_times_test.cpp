// What the factory tells firmware about a sled's times, held against the sled model.
#include "armature/mems/recorded_times.h"

#include "armature/core/conversions.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace armature::mems {
namespace {

std::uint32_t ticks(Ps t) {
  return static_cast<std::uint32_t>(to_ticks(t, kTurnMillirpm));
}

TEST(MemsRecordedTimes, ACurveIsLinearBetweenItsPoints) {
  const TickCurve curve{{{2, 100}, {4, 200}, {7, 190}}};
  EXPECT_EQ(curve.ticks(0), 0u);
  EXPECT_EQ(curve.ticks(1), 100u);
  EXPECT_EQ(curve.ticks(2), 100u);
  EXPECT_EQ(curve.ticks(3), 150u);
  EXPECT_EQ(curve.ticks(4), 200u);
  EXPECT_EQ(curve.ticks(5), 196u);  // 196.67, rounded down
  EXPECT_EQ(curve.ticks(6), 193u);  // 193.33
  EXPECT_EQ(curve.ticks(7), 190u);
  EXPECT_EQ(curve.ticks(1'000), 190u);
}

class RecordedStores : public ::testing::TestWithParam<SeekModel> {
 protected:
  MemsParams params() const {
    MemsParams params;
    params.tips.active = 640;
    params.sled.seek_model = GetParam();
    return params;
  }
};
INSTANTIATE_TEST_SUITE_P(Models, RecordedStores,
                         ::testing::Values(SeekModel::exact, SeekModel::piecewise, SeekModel::disksim));

TEST_P(RecordedStores, NoSeekInXIsShorterThanTheCurve) {
  const MemsParams store = params();
  const SledTimes times(store, Layout(store));
  const RecordedTimes recorded(store, times);
  const std::int32_t reach = times.layout().reach_x();
  for (const std::int32_t from : {-reach, -700, -31, 0, 500, reach})
    for (std::int32_t to = -reach; to <= reach; to += 7)
      ASSERT_LE(recorded.x.ticks(static_cast<std::uint32_t>(std::abs(to - from))), ticks(times.x_time(from, to)))
          << from << ' ' << to;
}

/// In Y the springs cancel in the middle. At the edges, where they pull with three quarters of the force, a seek takes
/// up to a quarter longer or shorter.
TEST_P(RecordedStores, SeeksInYAreThoseOfTheMiddle) {
  const MemsParams store = params();
  const SledTimes times(store, Layout(store));
  const RecordedTimes recorded(store, times);
  const std::int32_t bits = times.layout().row_bits();
  const auto rows = static_cast<std::int32_t>(times.layout().rows());
  for (std::int32_t n = 1; n < rows; ++n) {
    const double told = recorded.rows.ticks(static_cast<std::uint32_t>(n));
    const double middle = ticks(times.model().y_time(-n * bits / 2, n * bits - n * bits / 2));
    EXPECT_LE(told, middle + 1);
    EXPECT_GT(told, 0.98 * middle);
    for (const std::int32_t from : {0, (rows - n) / 2, rows - n}) {
      const std::int32_t low = times.layout().low_y() + from * bits;
      EXPECT_NEAR(told, ticks(times.model().y_time(low, low + n * bits)), 0.25 * told) << n << ' ' << from;
    }
  }
}

TEST_P(RecordedStores, ADistanceIsTheGreaterOfBothTimes) {
  const MemsParams store = params();
  const SledTimes times(store, Layout(store));
  const RecordedTimes recorded(store, times);
  const auto apart = [&recorded](std::uint32_t x, std::uint32_t rows) {
    BlockPlace a, b;
    a.cylinder = b.cylinder = 1'000;
    a.row = b.row = 2;
    b.cylinder += x;
    b.row += rows;
    EXPECT_EQ(recorded.distance(a, b), recorded.distance(b, a));
    return recorded.distance(a, b);
  };
  EXPECT_EQ(apart(0, 0), ticks(times.model().turnaround(0, times.layout().access_nm_s())));
  EXPECT_EQ(apart(0, 1), 0u);  // the tips go on
  EXPECT_EQ(apart(0, 5), recorded.rows.ticks(4));
  EXPECT_EQ(apart(900, 1), recorded.x.ticks(900));
  EXPECT_EQ(apart(1, 24), std::max(recorded.x.ticks(1), recorded.rows.ticks(23)));
}

}  // namespace
}  // namespace armature::mems
