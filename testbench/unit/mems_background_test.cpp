// Background reading with the tips that requests leave: what a pass may read, and that all is read once.
#include "armature/mems/background.h"
#include "armature/mems/equivalence.h"

#include <gtest/gtest.h>

#include <set>

namespace armature::mems {
namespace {

/// 20 blocks at each of 12 by 12 positions; a pass reads 4 of them.
Layout small() {
  MemsParams params;
  params.sled.move_x_um = params.sled.move_y_um = 0.48;
  params.tips.usable = 40;
  params.tips.active = 8;
  params.tips.per_block = 2;
  params.tips.sector_bits = 1;
  params.tips.servo_bits = 0;
  return Layout(params);
}

TEST(MemsBackground, APassReadsBlocksOfItsClassEachWithOtherTips) {
  const Layout layout = small();
  for (const std::uint32_t reach : {0u, 3u}) {
    const EquivalenceClasses classes(layout, reach);
    BackgroundReading reading(layout, reach, 5);
    RandomStream random(1, "requests");
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t lbn = random.below(layout.blocks());
      const auto members = classes.by_formula(lbn);
      const std::set<std::uint64_t> allowed(members.begin(), members.end());
      const BlockPlace own = layout.locate(lbn);
      std::set<std::pair<std::uint32_t, std::uint32_t>> groups{{own.track, own.cell}};
      for (const std::uint64_t other : reading.serve(lbn, 1)) {
        EXPECT_TRUE(allowed.count(other)) << lbn << ": " << other;
        const BlockPlace place = layout.locate(other);
        EXPECT_TRUE(groups.insert({place.track, place.cell}).second) << lbn << ": two blocks need the same tips";
      }
      EXPECT_LE(groups.size(), layout.cells());
    }
  }
}

TEST(MemsBackground, NoTipIsLeftUnusedWhileABlockOfTheClassIsWanted) {
  const Layout layout = small();
  BackgroundReading reading(layout, 0, 5);
  // The first request to a position fills its pass; so do all until the class is read.
  const std::uint64_t classes = layout.tracks() * std::uint64_t{layout.cells()};
  std::uint64_t read = 0;
  while (read < classes) {
    const std::uint64_t before = reading.wanted();
    reading.serve(0, 1);
    const std::uint64_t now = before - reading.wanted();
    EXPECT_EQ(now, std::min<std::uint64_t>(read == 0 ? layout.cells() : layout.cells() - 1, classes - read));
    read += now;
  }
  EXPECT_TRUE(reading.serve(0, 1).empty());
}

TEST(MemsBackground, AcrossTheEndOfATrackARequestMakesOnePass) {
  const Layout layout = small();
  BackgroundReading reading(layout, 0, 5);
  // Rows are serpentine: the last row of a track is the first one of the next.
  const std::uint64_t end = layout.blocks_per_track();
  EXPECT_EQ(reading.serve(end - 2, 3).size(), 1u);
  EXPECT_TRUE(reading.serve(end - 2, 4).empty()) << "all tips that may be active are the request's";
  // Across the end of a row within a track it makes two, and each has tips left over.
  BackgroundReading other(layout, 0, 5);
  EXPECT_EQ(other.serve(layout.cells() - 2, 4).size(), 4u);
}

TEST(MemsBackground, EachBlockIsReadOnceAndInTheEndAll) {
  const Layout layout = small();
  BackgroundReading reading(layout, 2, 7);
  RandomStream random(3, "requests");
  std::set<std::uint64_t> own, ridden;
  while (reading.wanted() > 0) {
    const std::uint64_t lbn = random.below(layout.blocks() - 2);
    for (const std::uint64_t other : reading.serve(lbn, 3)) {
      EXPECT_FALSE(own.count(other));
      EXPECT_TRUE(ridden.insert(other).second) << other;
    }
    for (std::uint64_t i = lbn; i < lbn + 3; ++i) own.insert(i);
  }
  own.insert(ridden.begin(), ridden.end());
  EXPECT_EQ(own.size(), layout.blocks());
}

}  // namespace
}  // namespace armature::mems
