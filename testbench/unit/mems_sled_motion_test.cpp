// A sled's movement as a function of time, and which blocks can be read when tips have failed.
#include "armature/core/error.h"
#include "armature/mems/sled_motion.h"
#include "armature/mems/tip_health.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace armature::mems {
namespace {

class MemsSledMotion : public ::testing::Test {
 protected:
  static MemsParams params() {
    MemsParams params;
    params.tips.active = 640;
    return params;
  }
  const Layout layout_{params()};
  const SledTimes times_{params(), layout_};
  const SledModel model_{params()};
  SledMotion motion_{params(), times_};
  BlockPlace place(std::uint32_t cylinder, std::uint32_t row) const {
    BlockPlace made;
    made.cylinder = cylinder;
    made.row = row;
    return made;
  }
};

TEST_F(MemsSledMotion, AnInactiveSledStartsFromTheMiddle) {
  const SledMotion::Approach way = motion_.approach(place(100, 3), 7 * kPsPerMs);
  EXPECT_TRUE(way.starts);
  EXPECT_EQ(way.leaves, 7 * kPsPerMs + kPsPerMs / 2);
  EXPECT_EQ(way.from, layout_.middle());
  const Ps up = model_.time(layout_.middle(), layout_.upwards(place(100, 3)).begin).total();
  const Ps down = model_.time(layout_.middle(), layout_.downwards(place(100, 3)).begin).total();
  EXPECT_EQ(way.begins, way.leaves + std::min(up, down));
}

TEST_F(MemsSledMotion, GoesOnInItsDirectionWithoutAPause) {
  SledMotion::Approach way = motion_.approach(place(100, 3), 0);
  motion_.go(way);
  Ps end = motion_.pass(way);
  EXPECT_EQ(end, way.begins + model_.pass_time(90));
  const bool up = way.way.end.y_speed_nm_s > 0;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    way = motion_.approach(place(100, up ? 3 + i : 3 - i), end);
    EXPECT_EQ(way.begins, end) << i;
    EXPECT_EQ(layout_.row_of(way.way), up ? 3 + i : 3 - i);
    motion_.go(way);
    end = motion_.pass(way);
  }
}

TEST(MemsSledRange, RowsThatFillAnOddNumberOfBitsLieInTheRange) {
  MemsParams params;
  params.sled.move_y_um = 0.04 * (26 * 91 + 11);  // odd, and filled by 26 rows
  params.tips.servo_bits = 11;
  for (const SeekModel seek : {SeekModel::disksim, SeekModel::piecewise, SeekModel::exact}) {
    params.sled.seek_model = seek;
    const Layout layout(params);
    const SledTimes times(params, layout);
    const SledModel model(params);
    EXPECT_EQ(layout.rows(), 26u);
    BlockPlace last;
    last.row = layout.rows() - 1;
    EXPECT_EQ(layout.upwards({}).begin.y, layout.low_y());
    EXPECT_EQ(layout.downwards(last).begin.y, layout.high_y());
    EXPECT_EQ(layout.range_y(), 26 * 91 + 11);
    const std::int64_t speed = layout.access_nm_s();
    EXPECT_EQ(model.turnaround(layout.high_y(), speed), model.turnaround(layout.low_y(), -speed));
    // Turnarounds left out, the same way mirrored takes the same time.
    const auto way_of = [&](std::int32_t from, std::int32_t to) {
      const Positioning move = times.positioning({0, from, speed}, {0, to, speed});
      return move.y - move.turnaround;
    };
    const std::int32_t ends = layout.low_y() + layout.high_y();
    for (std::int32_t from = layout.low_y(); from <= layout.high_y(); from += 72)
      for (std::int32_t to = layout.low_y(); to <= layout.high_y(); to += 72) {
        if (from == to) continue;
        ASSERT_GT(way_of(from, to), 0) << from << " " << to;
        ASSERT_LT(way_of(from, to), 10 * kPsPerMs) << from << " " << to;
        ASSERT_EQ(way_of(ends - from, ends - to), way_of(from, to));
        ASSERT_LE(std::abs(way_of(from, to) - model.y_time(from, to)), 1) << "rounded where it is mirrored";
      }
    SledMotion motion(params, times);
    const SledMotion::Approach way = motion.approach(last, 0);
    motion.go(way);
    motion.pass(way);
    for (Ps t = motion.free_from(); t < motion.free_from() + 20 * kPsPerMs; t += 10 * kPsPerUs) {
      ASSERT_GE(motion.y_at(t), layout.low_y());
      ASSERT_LE(motion.y_at(t), layout.high_y());
    }
  }
}

TEST_F(MemsSledMotion, SweepsWithTheAccessSpeedAndTurnsAtTheEdges) {
  const SledMotion::Approach way = motion_.approach(place(0, 10), 0);
  motion_.go(way);
  motion_.pass(way);
  const double sign = motion_.state().y_speed_nm_s > 0 ? 1 : -1;
  EXPECT_EQ(motion_.y_at(motion_.free_from()), motion_.state().y);
  EXPECT_EQ(motion_.y_at(motion_.free_from() + model_.pass_time(100)), motion_.state().y + sign * 100);
  const Ps round = 2 * (model_.pass_time(2'500) + model_.turnaround(1'250, layout_.access_nm_s()));
  for (Ps t = motion_.free_from(); t < motion_.free_from() + round; t += 100 * kPsPerUs) {
    EXPECT_LE(std::abs(motion_.y_at(t)), 1'250);
    EXPECT_NEAR(motion_.y_at(t + round), motion_.y_at(t), 1) << "a round later it is there again";
  }
}

TEST_F(MemsSledMotion, RestsAfterTheIdleTimeOrWhenTold) {
  const SledMotion::Approach way = motion_.approach(place(0, 10), 0);
  motion_.go(way);
  EXPECT_EQ(motion_.inactive_from(), way.begins + 100 * kPsPerMs);
  EXPECT_FALSE(motion_.approach(place(5, 5), motion_.inactive_from() - 1).starts);
  EXPECT_TRUE(motion_.approach(place(5, 5), motion_.inactive_from()).starts);
  SledMotion copy = motion_;
  copy.rest(way.begins + kPsPerMs);
  EXPECT_TRUE(copy.approach(place(5, 5), way.begins + kPsPerMs).starts);
  EXPECT_FALSE(motion_.approach(place(5, 5), way.begins + kPsPerMs).starts) << "a copy goes its own way";
  copy.wake(way.begins + 2 * kPsPerMs);
  EXPECT_FALSE(copy.approach(place(5, 5), way.begins + 2 * kPsPerMs).starts);
}

TEST(MemsTipHealth, SparesGoToTheFirstTipsThatFailOfEachSled) {
  MemsParams params;
  params.sled.count = 2;
  params.tips.spare = 1;
  params.tips.correctable = 1;
  // Sled 1 has tips 6,400 and up. Of each sled the earlier one has the spare, whatever the order of the rows.
  params.tips.failures = {{5, 3}, {2, 0}, {4, 6'401}, {1, 6'400}, {6, 1}};
  const Layout layout(params);
  const TipHealth health(params, layout);
  const BlockPlace here = layout.locate(0), there = layout.locate(layout.blocks_per_sled());
  ASSERT_EQ(there.sled, 1u);
  EXPECT_TRUE(health.readable(here, 5 * kPsPerSecond)) << "tip 0 is replaced, tip 3 restored by parity";
  EXPECT_FALSE(health.readable(here, 6 * kPsPerSecond)) << "tips 1 and 3 are too many";
  EXPECT_TRUE(health.readable(there, 9 * kPsPerSecond));
  EXPECT_EQ(health.failed(4 * kPsPerSecond), 3u);

  // Without parity a spare is of use only to tips that have failed from the beginning.
  params.tips.correctable = 0;
  params.tips.failures = {{0, 0}};
  EXPECT_TRUE(TipHealth(params, layout).readable(here, kPsPerSecond));
  params.tips.failures = {{1, 0}};
  EXPECT_TRUE(TipHealth(params, layout).readable(here, kPsPerSecond - 1));
  EXPECT_FALSE(TipHealth(params, layout).readable(here, kPsPerSecond));
  params.tips.failures = {{0, 12'800}};
  EXPECT_THROW(TipHealth(params, layout), InputError);
}

}  // namespace
}  // namespace armature::mems
