// Time from state to state: what moves at the same time, when the sled turns round, and what a file's keys do.
#include "armature/core/error.h"
#include "armature/mems/layout.h"
#include "armature/mems/sled_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace armature::mems {
namespace {

constexpr std::int64_t kUp = 28'000'000, kDown = -kUp;  // nm/s

TEST(MemsSled, AMovementIsAsLongAsTheLongerOfBothAxes) {
  const SledModel model{MemsParams()};
  const Positioning both = model.time({-1250, -1250, 0}, {-1125, 625, 0});
  EXPECT_NEAR(static_cast<double>(both.x), 431.559e6, 1e3);
  EXPECT_NEAR(static_cast<double>(both.y), 475.127e6, 1e3);
  EXPECT_EQ(both.total(), both.y);
  const Positioning far = model.time({-1250, -1250, 0}, {1250, 625, 0});
  EXPECT_EQ(far.total(), far.x);
  EXPECT_EQ(far.y, both.y);
}

TEST(MemsSled, OnlyAMovementInXSettles) {
  MemsParams params;
  const SledModel model(params);
  EXPECT_EQ(model.settle(), 215'365'282);  // 1 / (2 pi 739 Hz)
  EXPECT_EQ(model.time({7, 0, kUp}, {7, 90, kUp}).x, 0);
  EXPECT_GT(model.time({7, 0, kUp}, {8, 0, kUp}).x, model.settle());
  params.sled.settle_time_constants = 2;
  EXPECT_EQ(SledModel(params).time({0, 0, 0}, {9, 0, 0}).x - model.time({0, 0, 0}, {9, 0, 0}).x,
            SledModel(params).settle() - model.settle());
}

TEST(MemsSled, TipsAreDeflectedWithinABandWithoutTheSled) {
  MemsParams params;
  const SledModel sled(params);
  params.tips.deflect_bits = 2;
  params.tips.deflect_us = 10;
  const SledModel model(params);
  const std::vector<std::int32_t> bands[] = {{-7, -6, -5, -4, -3}, {-2, -1, 0, 1, 2}, {3, 4, 5, 6, 7}};
  for (const auto& band : bands)
    for (const std::int32_t from : band)
      for (const std::int32_t to : band) EXPECT_EQ(model.x_time(from, to), from == to ? 0 : 10 * kPsPerUs);
  for (const std::int32_t from : bands[0])
    for (const std::int32_t to : bands[2]) {
      EXPECT_EQ(model.x_time(from, to), sled.x_time(-5, 5)) << from << " to " << to;
      EXPECT_EQ(model.x_time(to, from), sled.x_time(5, -5));
      EXPECT_EQ(model.x_time(-to, -from), model.x_time(from, to)) << "mirrored";
    }
  params.tips.deflect_us = 1'000;
  EXPECT_EQ(SledModel(params).x_time(2, 3), 1'000 * kPsPerUs) << "slower tips than the sled";
}

TEST(MemsSled, ReachAgainstTemperature) {
  // Silicon, 7 mm from the middle to the edge: 18.2 nm/K, 4.55 bits of 40 nm at 10 K.
  MemsParams params;
  params.tips.deflect_bits = 7;
  params.tips.warmer_k = 10;
  EXPECT_EQ(params.tips.drift_bits(40), 5);
  EXPECT_EQ(SledModel(params).deflectable(), 2);
  params.tips.warmer_k = -10;
  EXPECT_EQ(SledModel(params).deflectable(), 2);
  params.tips.reach_bits = 6;
  EXPECT_EQ(Layout(params).reach_cylinders(), 1u);
  params.tips.warmer_k = 16;  // 7.28
  EXPECT_THROW(SledModel{params}, InputError);
  EXPECT_THROW(Layout{params}, InputError);
  params.tips.reach_bits = params.tips.deflect_bits = 0;
  EXPECT_EQ(SledModel(params).x_time(0, 1), SledModel(MemsParams()).x_time(0, 1))
      << "tips that do not move need not follow";
}

TEST(MemsSled, TurnaroundsOfTheEightWaysToMove) {
  const SledModel model{MemsParams()};
  const Ps low_up = model.turnaround(-600, kUp), low_down = model.turnaround(-600, kDown);
  const Ps high_up = model.turnaround(300, kUp), high_down = model.turnaround(300, kDown);
  EXPECT_GT(low_up, low_down);
  EXPECT_LT(high_up, high_down);
  struct Case {
    std::int32_t from;
    std::int64_t begins;
    std::int32_t to;
    std::int64_t ends;
    int turnarounds;
    Ps time;
  };
  const Case cases[] = {
      {300, kUp, -600, kUp, 2, high_up + low_up},
      {-600, kUp, 300, kUp, 0, 0},
      {300, kUp, -600, kDown, 1, high_up},
      {-600, kUp, 300, kDown, 1, high_down},
      {300, kDown, -600, kUp, 1, low_up},
      {-600, kDown, 300, kUp, 1, low_down},
      {300, kDown, -600, kDown, 0, 0},
      {-600, kDown, 300, kDown, 2, low_down + high_down},
  };
  for (const Case& c : cases) {
    const Positioning time = model.time({0, c.from, c.begins}, {0, c.to, c.ends});
    EXPECT_EQ(time.turnarounds, c.turnarounds) << c.from << " " << c.begins << " " << c.ends;
    EXPECT_EQ(time.turnaround, c.time) << c.from << " " << c.begins << " " << c.ends;
    EXPECT_EQ(time.y, model.y_time(c.from, c.to) + c.time);
  }
}

TEST(MemsSled, TheSameStateIsThere) {
  const SledModel model{MemsParams()};
  const Positioning none = model.time({5, -7, kUp}, {5, -7, kUp});
  EXPECT_EQ(none.total(), 0);
  EXPECT_EQ(none.turnarounds, 0);
  // To come back in the other direction is one turnaround; to come back upwards at another X is two.
  EXPECT_EQ(model.time({5, -7, kUp}, {5, -7, kDown}).turnarounds, 1);
  EXPECT_EQ(model.time({5, -7, kUp}, {6, -7, kUp}).turnarounds, 2);
}

TEST(MemsSled, TipsPassWithTheirRate) {
  MemsParams params;
  EXPECT_EQ(SledModel(params).pass_time(90), 128'571'429);  // 90 bits at 700 kb/s, rounded up
  params.sled.access_kb_s = 400;
  EXPECT_EQ(SledModel(params).pass_time(90), 225'000'000);
}

TEST(MemsSled, AxesHaveTheirOwnAccelerationAndRange) {
  MemsParams params;
  params.sled.spring_factor = 0;
  params.sled.settle_time_constants = 0;
  params.sled.acceleration_x_m_s2 = 4 * params.sled.acceleration_y_m_s2;
  const SledModel model(params);
  // From rest to rest 2 sqrt(way / acceleration); Y begins and ends with the access speed.
  EXPECT_NEAR(static_cast<double>(model.x_time(0, 1000)), 2e12 * std::sqrt(40e-6 / (4 * 803.6)), 2);
  const double y = 2 * (std::sqrt(0.028 * 0.028 + 803.6 * 40e-6) - 0.028) / 803.6;
  EXPECT_NEAR(static_cast<double>(model.y_time(0, 1000)), 1e12 * y, 2);
}

TEST(MemsSled, TimesOfAnyParametersFit) {
  MemsParams params;
  params.sled.acceleration_y_m_s2 = 0.001;
  params.sled.access_kb_s = 1e6;
  params.sled.bit_nm = 10'000;
  params.sled.spring_factor = 0.99;
  const SledModel model(params);
  const Positioning time = model.time({0, 4, -10'000'000'000'000}, {1, 4, -10'000'000'000'000});
  EXPECT_EQ(model.turnaround(4, -10'000'000'000'000), 100'000'000'000'000'000);
  EXPECT_GT(time.total(), 0);
}

TEST(MemsSled, TheSeekModelIsAKey) {
  MemsParams params;
  Ps times[3];
  for (int model = 0; model < 3; ++model) {
    params.sled.seek_model = static_cast<SeekModel>(model);
    times[model] = SledModel(params).x_time(-1250, 1250);
  }
  EXPECT_GT(times[0], times[1] + 5 * kPsPerUs);  // DiskSim's sum is long
  EXPECT_NEAR(static_cast<double>(times[1]), static_cast<double>(times[2]), 2.5 * kPsPerUs);
  EXPECT_NE(times[1], times[2]);
  params.sled.damping_ratio = 0.1;
  EXPECT_GT(SledModel(params).x_time(-1250, 1250), times[2]);
}

}  // namespace
}  // namespace armature::mems
