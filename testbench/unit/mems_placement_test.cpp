// Where files lie on a store, and how long reads of whole files take there.
#include "armature/core/error.h"
#include "armature/mems/placement.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace armature::mems {
namespace {

using ::testing::HasSubstr;

MemsParams g2() {
  MemsParams params;
  params.tips.active = 640;
  return params;
}

constexpr Placement kAll[] = {Placement::random, Placement::organ_pipe, Placement::subregioned, Placement::columnar};

TEST(MemsPlacement, FilesLieOnTheStoreAndNotOverEachOther) {
  PlacementStudy study(g2(), 3);
  const std::vector<std::uint32_t>& sizes = study.sizes();
  EXPECT_GT(sizes.size(), 40'000u);
  EXPECT_EQ(study.blocks(), std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
  for (const Placement placement : kAll) {
    const std::vector<std::uint64_t> at = study.place(placement);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
    for (std::size_t file = 0; file < at.size(); ++file) runs.emplace_back(at[file], at[file] + sizes[file]);
    std::sort(runs.begin(), runs.end());
    EXPECT_LE(runs.back().second, 6'750'000u);
    for (std::size_t i = 1; i < runs.size(); ++i)
      ASSERT_LE(runs[i - 1].second, runs[i].first) << static_cast<int>(placement) << ' ' << i;
  }
}

TEST(MemsPlacement, TheNumberOfLargerFilesFallsAsAPowerOfTheSize) {
  for (const double largest_mib : {8.0, 2.0}) {
    const PlacementStudy study(g2(), 3, largest_mib);
    const auto above = [&study](std::uint32_t kib) {  // percent of the files
      const auto end = study.sizes().end();
      return 100.0 * static_cast<double>(end - std::upper_bound(study.sizes().begin(), end, 2 * kib)) /
             static_cast<double>(study.files());
    };
    EXPECT_NEAR(above(8), 22, 0.7);
    EXPECT_NEAR(above(64), 4, 0.35);
    EXPECT_NEAR(above(256), 1, 0.2);  // half way between 4 and 0.25, as 256 KB lie between 64 KB and 1 MB
    EXPECT_NEAR(above(1'024), 0.25, 0.09);
    EXPECT_LE(study.sizes().back(), 2 * 1'024 * largest_mib);
    EXPECT_GT(study.sizes().back(), 1.6 * 1'024 * largest_mib);
  }
}

TEST(MemsPlacement, SmallFilesLieInTheMiddle) {
  PlacementStudy study(g2(), 3);
  const Layout layout(g2());
  const auto small = std::upper_bound(study.sizes().begin(), study.sizes().end(), 16u) - study.sizes().begin();
  const std::vector<std::uint64_t> regions = study.place(Placement::subregioned);
  const std::vector<std::uint64_t> columns = study.place(Placement::columnar);
  const std::vector<std::uint64_t> pipe = study.place(Placement::organ_pipe);
  std::uint32_t before = 0;
  for (std::size_t file = 0; file < regions.size(); ++file) {
    const bool is_small = file < static_cast<std::size_t>(small);
    for (const std::uint64_t lbn : {regions[file], regions[file] + study.sizes()[file] - 1}) {
      const BlockPlace place = layout.locate(lbn);
      if (is_small) {
        ASSERT_TRUE(place.cylinder >= 1'000 && place.cylinder < 1'500) << file;
        ASSERT_TRUE(place.row >= 11 && place.row < 16) << file;
      } else {
        ASSERT_TRUE(place.cylinder < 1'000 || place.cylinder >= 1'500) << file;
      }
    }
    const std::uint32_t cylinder = layout.locate(columns[file]).cylinder;
    ASSERT_EQ(cylinder >= 1'000 && cylinder < 1'500, is_small) << file;
    // Further from the middle from file to file, on its side.
    const std::uint32_t x = layout.locate(pipe[file]).cylinder, away = x > 1'250 ? x - 1'250 : 1'250 - x;
    if (file % 100 == 0) {
      ASSERT_GE(away + 12, before) << file;  // a file of 8 MB is six cylinders long
      before = away;
    }
  }
}

/// Orders of figure 6.9.
TEST(MemsPlacement, EachGainsAndWithoutSettlingSubregionsGainMost) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto times = [seed](double settle) {
      MemsParams params = g2();
      params.sled.settle_time_constants = settle;
      PlacementStudy study(params, seed);
      std::vector<PlacementStudy::Result> results;
      for (const Placement placement : kAll) results.push_back(study.run(placement, 5'000));
      return results;
    };
    const auto settled = times(1), free = times(0);
    for (std::size_t i = 1; i < 4; ++i) {
      EXPECT_LT(settled[i].small_ms, 0.85 * settled[0].small_ms) << i;
      EXPECT_LT(settled[i].service_ms, settled[0].service_ms) << i;
      EXPECT_GT(settled[i].large_ms, settled[i].small_ms) << i;
    }
    EXPECT_LT(free[2].small_ms, 0.9 * free[1].small_ms);
    EXPECT_LT(free[2].small_ms, 0.9 * free[3].small_ms);
  }
}

std::string refusal(const MemsParams& params) {
  try {
    const PlacementStudy study(params, 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MemsPlacement, Refused) {
  MemsParams params = g2();
  params.sled.count = 2;
  EXPECT_THAT(refusal(params), HasSubstr("sled.count"));
  params = g2();
  params.sled.move_x_um = 0.8;
  EXPECT_THAT(refusal(params), HasSubstr("20 cylinders"));
  params = g2();
  params.tips.sector_bits = 480;  // five rows, so that a subregion has one, of ten blocks
  EXPECT_THAT(refusal(params), HasSubstr("no room for files"));
}

}  // namespace
}  // namespace armature::mems
