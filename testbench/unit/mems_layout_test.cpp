// Where blocks lie, which of them lie under the tips together, and which files make no layout.
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/mems/equivalence.h"
#include "armature/mems/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace armature::mems::mems_layout_test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

MemsParams g2(std::int64_t active = 640) {
  MemsParams params;
  params.tips.active = active;
  return params;
}

/// Nine squares of three by three bits, three blocks at once.
MemsParams example() {
  MemsParams params;
  params.sled.move_x_um = params.sled.move_y_um = 0.12;
  params.tips.usable = 9;
  params.tips.active = 3;
  params.tips.per_block = 1;
  params.tips.sector_bits = 1;
  params.tips.servo_bits = 0;
  return params;
}

std::string refusal(const MemsParams& params) {
  try {
    const Layout layout(params);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MemsLayout, NumbersOfTheG2) {
  const Layout layout(g2());
  EXPECT_EQ(layout.cylinders(), 2500u);
  EXPECT_EQ(layout.tracks(), 10u);
  EXPECT_EQ(layout.rows(), 27u);
  EXPECT_EQ(layout.cells(), 10u);
  EXPECT_EQ(layout.blocks_per_track(), 270u);
  EXPECT_EQ(layout.blocks_per_cylinder(), 2700u);
  EXPECT_EQ(layout.blocks(), 6'750'000u);
  EXPECT_EQ(layout.access_nm_s(), 28'000'000);
  EXPECT_EQ(Layout(g2(1280)).tracks(), 5u);
  EXPECT_EQ(Layout(g2(1280)).cells(), 20u);
  EXPECT_EQ(Layout(g2(1280)).blocks(), 6'750'000u);
  MemsParams g3 = g2(3200);
  g3.sled.bit_nm = 30;
  EXPECT_EQ(Layout(g3).cylinders(), 3333u);
  EXPECT_EQ(Layout(g3).rows(), 36u);
}

TEST(MemsLayout, TheRowsLieInTheMiddleOfTheRange) {
  const Layout layout(g2());
  const BlockPlace first = layout.locate(0);
  EXPECT_EQ(layout.upwards(first).begin, (SledState{-1250, -1220, 28'000'000}));
  EXPECT_EQ(layout.upwards(first).end, (SledState{-1250, -1130, 28'000'000}));
  // Downwards the servo burst above comes first.
  EXPECT_EQ(layout.downwards(first).begin, (SledState{-1250, -1120, -28'000'000}));
  EXPECT_EQ(layout.downwards(first).end, (SledState{-1250, -1210, -28'000'000}));
  EXPECT_EQ(layout.downwards(layout.locate(269)).begin.y, 1220);
  EXPECT_EQ(layout.middle(), layout.upwards(layout.locate(1250 * 2700 + 1350)).begin);
}

TEST(MemsLayout, RowsOfEqualPartsOfTheRange) {
  const Layout store(g2());
  // 500 bits each: the middles of rows lie 90 bits apart, one of them in the middle of the range.
  const std::uint32_t first[] = {0, 5, 11, 16, 22, 27};
  for (std::uint32_t part = 0; part < 5; ++part)
    EXPECT_EQ(store.rows_in(part, 5), std::make_pair(first[part], first[part + 1])) << part;
  for (std::uint32_t parts = 1; parts <= store.rows(); ++parts) {
    std::uint32_t next = 0;
    for (std::uint32_t part = 0; part < parts; ++part) {
      const auto [begin, end] = store.rows_in(part, parts);
      EXPECT_EQ(begin, next);
      EXPECT_LT(begin, end) << part << " of " << parts;
      next = end;
    }
    EXPECT_EQ(next, store.rows());
  }
}

TEST(MemsLayout, APassEndsWhereTheNextRowsBegins) {
  const Layout layout(g2());
  for (std::uint64_t lbn = 0; lbn < 260; lbn += 10) {
    const BlockPlace here = layout.locate(lbn), next = layout.locate(lbn + 10);
    EXPECT_EQ(layout.upwards(here).end, layout.upwards(next).begin);
    EXPECT_EQ(layout.downwards(next).end, layout.downwards(here).begin);
  }
}

TEST(MemsLayout, LocateAndLbnOfUndoEachOther) {
  for (const std::int64_t active : {640, 1280, 3200, 6400}) {
    MemsParams params = g2(active);
    params.sled.count = 3;
    const Layout layout(params);
    RandomStream random(1, "places");
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t lbn = random.below(layout.blocks());
      const BlockPlace place = layout.locate(lbn);
      ASSERT_LT(place.sled, 3u);
      ASSERT_LT(place.track, layout.tracks());
      ASSERT_LT(place.row, layout.rows());
      ASSERT_LT(place.cell, layout.cells());
      ASSERT_LE(place.first_tip + layout.tips_per_block(), 6400u);
      ASSERT_EQ(layout.lbn_of(place), lbn);
    }
  }
}

TEST(MemsLayout, NoTwoBlocksShareTipAndPlace) {
  MemsParams params = g2();
  params.sled.move_x_um = 0.4;  // ten cylinders
  const Layout layout(params);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> taken;
  for (std::uint64_t lbn = 0; lbn < layout.blocks(); ++lbn) {
    const BlockPlace place = layout.locate(lbn);
    EXPECT_EQ(place.first_tip % 64, 0u);
    EXPECT_TRUE(taken.emplace(place.cylinder, place.row, place.first_tip).second) << lbn;
  }
}

TEST(MemsLayout, AStreamTurnsRoundWhereATrackEnds) {
  for (const std::int64_t active : {640, 1280}) {  // an even and an odd number of tracks
    const Layout layout(g2(active));
    for (std::uint64_t track = 1; track < 4 * layout.tracks(); ++track) {
      const BlockPlace last = layout.locate(track * layout.blocks_per_track() - 1);
      const BlockPlace next = layout.locate(track * layout.blocks_per_track());
      // With an even number of tracks the last of a cylinder ends where the first began.
      EXPECT_EQ(last.row, next.row) << track;
    }
  }
  MemsParams params = g2();
  params.tips.rows = RowOrder::straight;
  EXPECT_EQ(Layout(params).locate(270).row, 0u);
}

TEST(MemsLayout, FigureTwoPointFive) {
  const Layout layout(example());
  const auto line = [&layout](std::uint32_t track, std::uint32_t row) {
    std::vector<std::uint64_t> lbns;
    for (std::uint32_t cell = 0; cell < 3; ++cell)
      for (std::uint32_t cylinder = 0; cylinder < 3; ++cylinder)
        lbns.push_back(layout.lbn_of({0, cylinder, track, row, cell, 0}));
    return lbns;
  };
  EXPECT_THAT(line(0, 0), ElementsAre(0, 33, 54, 1, 34, 55, 2, 35, 56));
  EXPECT_THAT(line(0, 1), ElementsAre(3, 30, 57, 4, 31, 58, 5, 32, 59));
  EXPECT_THAT(line(0, 2), ElementsAre(6, 27, 60, 7, 28, 61, 8, 29, 62));
  EXPECT_THAT(line(1, 0), ElementsAre(15, 36, 69, 16, 37, 70, 17, 38, 71));
  EXPECT_THAT(line(2, 2), ElementsAre(24, 45, 78, 25, 46, 79, 26, 47, 80));
}

TEST(MemsLayout, ThePowerBudgetLimitsTheTips) {
  MemsParams params = g2(0);
  params.power.budget_mw = 1100;  // 100 for the sled, 1 for each tip
  EXPECT_EQ(Layout(params).active_tips(), 640u);
  params.power.budget_mw = 1379;
  EXPECT_EQ(Layout(params).active_tips(), 640u);
  params.power.budget_mw = 1380;
  EXPECT_EQ(Layout(params).active_tips(), 1280u);
  params.power.tip_mw = 3;
  params.power.budget_mw = 1100;
  EXPECT_EQ(Layout(params).active_tips(), 320u);
  params.tips.active = 640;
  EXPECT_THAT(refusal(params), StartsWith("tips.active: 640 tips draw more than power.budget_mw leaves"));
  params.tips.active = 0;
  params.power.budget_mw = 200;
  EXPECT_THAT(refusal(params), StartsWith("power.budget_mw: 200 mW do not allow the 64 tips of one block"));
}

TEST(MemsLayout, Refused) {
  const auto with = [](auto change) {
    MemsParams params = g2();
    change(params);
    return refusal(params);
  };
  EXPECT_EQ(with([](MemsParams&) {}), "accepted");
  EXPECT_THAT(with([](MemsParams& p) { p.tips.per_block = 641; }), StartsWith("tips.per_block: a block needs 641"));
  EXPECT_THAT(with([](MemsParams& p) { p.tips.usable = 639; }), StartsWith("tips.active: 640 tips may be active"));
  EXPECT_THAT(with([](MemsParams& p) { p.tips.sector_bits = 2481; }), StartsWith("tips.sector_bits: a range of 2500"));
  EXPECT_EQ(with([](MemsParams& p) { p.tips.sector_bits = 2480; }), "accepted");
  EXPECT_THAT(with([](MemsParams& p) { p.sled.move_x_um = 0.039; }), StartsWith("sled.move_x_um: 0.039 um are less"));
  EXPECT_THAT(with([](MemsParams& p) { p.sled.bit_nm = 1, p.sled.move_y_um = 1001; }),
              StartsWith("sled.move_y_um: 1001 um are 1001000 bits"));
  EXPECT_THAT(with([](MemsParams& p) { p.tips.active = 0; }), StartsWith("tips.active: 0 means"));
}

TEST(MemsClasses, FormulaAndSearchAgreeOverWholeStores) {
  for (const std::int64_t active : {640, 1280}) {
    const Layout layout(g2(active));
    for (const std::uint32_t reach : {0u, 5u}) {
      const EquivalenceClasses::Check check = EquivalenceClasses(layout, reach).check();
      EXPECT_EQ(check.blocks, 6'750'000u);
      EXPECT_EQ(check.classes, 67'500u);
      EXPECT_EQ(check.wrong_positions, 0u);
      EXPECT_EQ(check.wrong_classes, 0u);
    }
  }
  MemsParams straight = g2();
  straight.tips.rows = RowOrder::straight;
  MemsParams one_track = g2(6400), sleds = example();
  sleds.sled.count = 3;
  for (const MemsParams& params : {straight, one_track, sleds, example()}) {
    const EquivalenceClasses::Check check = EquivalenceClasses(Layout(params)).check();
    EXPECT_EQ(check.wrong_positions + check.wrong_classes, 0u);
  }
}

TEST(MemsClasses, MembersOfSomeBlocks) {
  const Layout small(example());
  EXPECT_THAT(EquivalenceClasses(small).by_formula(30), ElementsAre(30, 31, 32, 39, 40, 41, 48, 49, 50));
  EXPECT_EQ(EquivalenceClasses(small).by_search(30), EquivalenceClasses(small).by_formula(30));
  EXPECT_THAT(EquivalenceClasses(small, 1).by_formula(0).size(), 18u);
  const Layout layout(g2());
  // 100 places at each position, 10 read at once; 1,100 with tips that reach five bits to either side.
  EXPECT_EQ(EquivalenceClasses(layout).by_formula(1'234'567).size(), 100u);
  EXPECT_EQ(EquivalenceClasses(layout, 5).by_formula(1'234'567).size(), 1100u);
  EXPECT_EQ(EquivalenceClasses(layout, 5).by_formula(0).size(), 600u);  // at the edge
  EXPECT_EQ(EquivalenceClasses(layout).by_search(1'234'567), EquivalenceClasses(layout).by_formula(1'234'567));
  MemsParams three = g2();
  three.sled.count = 3;
  const Layout sleds(three);
  const auto members = EquivalenceClasses(sleds).by_formula(2 * 6'750'000 + 11);
  EXPECT_GE(members.front(), 2u * 6'750'000u);
  EXPECT_EQ(members, EquivalenceClasses(sleds).by_search(2 * 6'750'000 + 11));
}

TEST(MemsClasses, BlocksOfAClassNeedOtherTipsUnlessTheTipsMove) {
  const Layout layout(g2());
  const auto conflicts = [&layout](const std::vector<std::uint64_t>& members) {
    int found = 0;
    for (std::size_t i = 1; i < members.size(); ++i)
      found += layout.conflict(layout.locate(members[0]), layout.locate(members[i])) ? 1 : 0;
    return found;
  };
  EXPECT_EQ(conflicts(EquivalenceClasses(layout).by_formula(2'700'000)), 0);
  // The same tip stands over the same row of each of the other ten cylinders.
  EXPECT_EQ(conflicts(EquivalenceClasses(layout, 5).by_formula(2'700'000)), 10);
}

// --- Tips that share parts -------------------------------------------------------------------------------------------

/// The tips of a block by the words of docs/guide/mems.md, not by the layout's arithmetic.
std::vector<std::uint32_t> tips_of(const MemsParams& params, const Layout& layout, const BlockPlace& place) {
  std::vector<std::uint32_t> tips;
  for (std::uint32_t i = 0; i < layout.tips_per_block(); ++i) {
    if (params.tips.spread == TipSpread::together)
      tips.push_back(place.track * layout.active_tips() + place.cell * layout.tips_per_block() + i);
    else
      tips.push_back((i * layout.cells() + place.cell) * layout.tracks() + place.track);
  }
  return tips;
}

MemsParams shared(std::int64_t shared, std::int64_t active = 640, std::int64_t reach = 0) {
  MemsParams params = g2(active);
  params.tips.spread = TipSpread::die;
  params.tips.shared = shared;
  params.tips.reach_bits = reach;
  return params;
}

/// At each position of a sled: which blocks under the tips need a part that another one needs, by the parts of each
/// single tip, against what the layout says. Returns the pairs that exclude each other.
std::uint64_t expect_conflicts(const MemsParams& params) {
  const Layout layout(params);
  const std::uint32_t groups = layout.tracks() * layout.cells();
  const auto parts = static_cast<std::uint32_t>(params.tips.usable / params.tips.shared + 1);
  std::vector<std::uint32_t> user(parts);
  std::uint64_t pairs = 0, wrong = 0;
  for (std::uint32_t cylinder = 0; cylinder < layout.cylinders(); ++cylinder)
    for (std::uint32_t row = 0; row < layout.rows(); ++row) {
      std::fill(user.begin(), user.end(), groups);
      std::vector<BlockPlace> blocks;
      std::vector<std::set<std::uint32_t>> excludes(groups);
      for (std::uint32_t group = 0; group < groups; ++group) {
        const std::uint64_t lbn = layout.lbn_of({0, cylinder, group / layout.cells(), row, group % layout.cells(), 0});
        blocks.push_back(layout.locate(lbn));
        for (const std::uint32_t tip : tips_of(params, layout, blocks.back())) {
          wrong += layout.has_tip(blocks.back(), tip) ? 0 : 1;
          std::uint32_t& other = user[tip / params.tips.shared];
          if (other == group) ++wrong;  // a block that excludes itself
          if (other != groups && other != group) excludes[group].insert(other);
          other = other == groups ? group : other;
        }
      }
      // Each excludes the first user of its part; those that exclude the same one exclude each other.
      for (std::uint32_t a = 0; a < groups; ++a)
        for (std::uint32_t b = 0; b < a; ++b) {
          const bool same_first = !excludes[a].empty() && excludes[a] == excludes[b];
          const bool excluded = excludes[a].count(b) > 0 || same_first;
          wrong += layout.conflict(blocks[a], blocks[b]) != excluded ? 1 : 0;
          pairs += excluded ? 1 : 0;
        }
    }
  EXPECT_EQ(wrong, 0u);
  return pairs;
}

TEST(MemsConflicts, BlocksWhoseTipsSharePartsOverAWholeStore) {
  // Of the ten tracks of a cell so many share parts: groups of n have n (n - 1) / 2 pairs, in ten cells.
  MemsParams params = shared(10);
  params.sled.move_x_um = 1.6;  // 40 cylinders
  EXPECT_EQ(expect_conflicts(params), 40u * 27 * 10 * 45);
}

TEST(MemsConflicts, OfOtherGroupsAndLayouts) {
  MemsParams small = shared(2);
  small.sled.move_x_um = 0.4;  // ten cylinders
  EXPECT_EQ(expect_conflicts(small), 10u * 27 * 10 * 5);
  small.tips.shared = 5;
  EXPECT_EQ(expect_conflicts(small), 10u * 27 * 10 * 2 * 10);
  small.tips.shared = 1;
  EXPECT_EQ(expect_conflicts(small), 0u);
  small.tips.spread = TipSpread::together;
  EXPECT_EQ(expect_conflicts(small), 0u);
  MemsParams odd = shared(5, 1280);  // five tracks
  odd.sled.move_x_um = 0.4;
  EXPECT_EQ(expect_conflicts(odd), 10u * 27 * 20 * 10);
  EXPECT_EQ(expect_conflicts(example()), 0u);
}

TEST(MemsConflicts, NoTwoBlocksShareTipAndPlaceWhereTipsAreSpread) {
  MemsParams params = shared(10);
  params.sled.move_x_um = 0.12;
  const Layout layout(params);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> taken;
  for (std::uint64_t lbn = 0; lbn < layout.blocks(); ++lbn) {
    const BlockPlace place = layout.locate(lbn);
    ASSERT_EQ(layout.lbn_of(place), lbn);
    for (const std::uint32_t tip : tips_of(params, layout, place)) {
      ASSERT_LT(tip, 6400u);
      ASSERT_TRUE(taken.emplace(place.cylinder, place.row, tip).second) << lbn;
    }
  }
}

TEST(MemsConflicts, ObstaclesOfABatch) {
  using Obstacle = EquivalenceClasses::Obstacle;
  const Layout layout(shared(5, 640, 2));
  const EquivalenceClasses classes(layout);
  BlockPlace place = layout.locate(3'000'000);
  const auto lbn = [&](std::uint32_t track, std::uint32_t cell, std::int32_t aside) {
    BlockPlace other = place;
    other.track = track;
    other.cell = cell;
    other.cylinder = static_cast<std::uint32_t>(static_cast<std::int32_t>(place.cylinder) + aside);
    return layout.lbn_of(other);
  };
  const auto of = [&](const std::vector<std::uint64_t>& lbns) {
    const Obstacle found = classes.obstacle(lbns);
    return std::make_tuple(found.kind, found.block, found.earlier);
  };
  EXPECT_EQ(of({lbn(0, 0, 0), lbn(5, 0, 0), lbn(9, 1, 2), lbn(1, 2, -2)}), std::make_tuple(Obstacle::none, 0u, 0u));
  EXPECT_EQ(of({lbn(0, 0, 0), lbn(5, 0, 0), lbn(4, 0, 1)}), std::make_tuple(Obstacle::conflict, 2u, 0u));
  EXPECT_EQ(of({lbn(0, 0, 0), lbn(5, 0, 0), lbn(9, 0, 1)}), std::make_tuple(Obstacle::conflict, 2u, 1u));
  EXPECT_EQ(of({lbn(0, 0, 0), lbn(0, 1, 3)}), std::make_tuple(Obstacle::elsewhere, 1u, 0u));
  std::vector<std::uint64_t> eleven;
  for (std::uint32_t cell = 0; cell < 10; ++cell) eleven.push_back(lbn(0, cell, 0));
  eleven.push_back(lbn(5, 0, 0));
  EXPECT_EQ(of(eleven), std::make_tuple(Obstacle::too_many, 10u, 0u));
  const EquivalenceClasses::Check check = classes.check();
  EXPECT_EQ(check.wrong_positions + check.wrong_classes, 0u);
}

TEST(MemsConflicts, Refused) {
  MemsParams params = shared(3);
  EXPECT_THAT(refusal(params), StartsWith("tips.shared: 3 does not divide the 10 tracks"));
  params.tips.shared = 2;
  params.tips.spread = TipSpread::together;
  EXPECT_THAT(refusal(params), StartsWith("tips.shared: neighbours are tips of one block"));
}

}  // namespace
}  // namespace armature::mems::mems_layout_test
