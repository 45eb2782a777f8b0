// Where blocks lie on the members: maps written out by hand, and what holds for every layout.
#include "armature/array/layout.h"
#include "armature/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace armature::array {
namespace {

using ::testing::HasSubstr;

/// Unit by unit: "member:LBN" of each copy, for the first blocks of an array with units of 10 sectors.
std::vector<std::string> map_of(const Layout& layout, unsigned units) {
  std::vector<std::string> map;
  for (unsigned i = 0; i < units; ++i) {
    const std::vector<Piece> pieces = layout.pieces(i * 10u, 10);
    std::string text;
    for (const Piece& piece : pieces)
      for (unsigned copy = 0; copy < layout.copies(); ++copy)
        text += (text.empty() ? "" : " ") + std::to_string(layout.member(piece.row, piece.unit, copy)) + ":" +
                std::to_string(layout.member_lbn(piece));
    map.push_back(text);
  }
  return map;
}

using Map = std::vector<std::string>;

TEST(ArrayLayout, ConcatenationGoesOnWhereAMemberEnds) {
  const Layout layout(Level::concat, {20, 15, 30}, 10);
  EXPECT_EQ(layout.sectors(), 65u);
  // The fourth unit begins 5 sectors before the end of member 1.
  EXPECT_EQ(map_of(layout, 5), (Map{"0:0", "0:10", "1:0", "1:10 2:0", "2:5"}));
}

TEST(ArrayLayout, StripesGoRoundTheMembers) {
  const Layout layout(Level::raid0, {100, 107, 100}, 10);
  EXPECT_EQ(layout.sectors(), 300u);
  EXPECT_EQ(map_of(layout, 5), (Map{"0:0", "1:0", "2:0", "0:10", "1:10"}));
}

TEST(ArrayLayout, AMirrorHasEveryBlockOnEachMember) {
  const Layout layout(Level::raid1, {100, 90}, 10);
  EXPECT_EQ(layout.sectors(), 90u);
  EXPECT_EQ(map_of(layout, 3), (Map{"0:0 1:0", "0:10 1:10", "0:20 1:20"}));
}

TEST(ArrayLayout, MirroredPairsAreStriped) {
  const Layout layout(Level::raid10, {100, 100, 100, 100}, 10);
  EXPECT_EQ(layout.sectors(), 200u);
  EXPECT_EQ(map_of(layout, 4), (Map{"0:0 1:0", "2:0 3:0", "0:10 1:10", "2:10 3:10"}));
}

TEST(ArrayLayout, MirroredGroupsOfThreeAreStriped) {
  const Layout layout(Level::raid10, std::vector<std::uint64_t>(6, 100), 10, {}, 3);
  EXPECT_EQ(layout.sectors(), 200u);
  EXPECT_EQ(layout.copies(), 3u);
  EXPECT_EQ(map_of(layout, 3), (Map{"0:0 1:0 2:0", "3:0 4:0 5:0", "0:10 1:10 2:10"}));
  EXPECT_TRUE(layout.same_data(3, 5));
  EXPECT_FALSE(layout.same_data(2, 3));
}

TEST(ArrayLayout, Raid4HasItsParityOnTheLastMember) {
  const Layout layout(Level::raid4, {100, 100, 100, 100}, 10);
  EXPECT_EQ(layout.sectors(), 300u);
  EXPECT_EQ(map_of(layout, 5), (Map{"0:0", "1:0", "2:0", "0:10", "1:10"}));
  for (unsigned row = 0; row < 4; ++row) EXPECT_EQ(layout.parity_member(row), 3u);
}

// Left-symmetric over four members (P is the parity of the row):
//   row 0   0  1  2  P
//   row 1   4  5  P  3
//   row 2   8  P  6  7
//   row 3   P  9 10 11
//   row 4  12 13 14  P
TEST(ArrayLayout, Raid5IsLeftSymmetric) {
  const Layout layout(Level::raid5, {100, 100, 100, 100}, 10);
  EXPECT_EQ(layout.sectors(), 300u);
  EXPECT_EQ(map_of(layout, 15), (Map{"0:0", "1:0", "2:0", "3:10", "0:10", "1:10", "2:20", "3:20", "0:20", "1:30",
                                     "2:30", "3:30", "0:40", "1:40", "2:40"}));
  const std::vector<unsigned> parity = {3, 2, 1, 0, 3};
  for (unsigned row = 0; row < 5; ++row) EXPECT_EQ(layout.parity_member(row), parity[row]);
}

TEST(ArrayLayout, ARequestIsCutAtTheBordersOfUnits) {
  const Layout layout(Level::raid5, {100, 100, 100}, 10);
  const std::vector<Piece> pieces = layout.pieces(17, 15);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].row, 0u);
  EXPECT_EQ(pieces[0].unit, 1u);
  EXPECT_EQ(pieces[0].offset, 7u);
  EXPECT_EQ(pieces[0].sectors, 3u);
  EXPECT_EQ(pieces[1].row, 1u);
  EXPECT_EQ(pieces[1].at, 3u);
  EXPECT_EQ(pieces[1].sectors, 10u);
  EXPECT_EQ(pieces[2].unit, 1u);
  EXPECT_EQ(pieces[2].at, 13u);
  EXPECT_EQ(pieces[2].sectors, 2u);
}

TEST(ArrayLayout, NoSectorOfAMemberIsUsedTwiceAndAllAreInside) {
  for (const Level level : {Level::concat, Level::raid0, Level::raid1, Level::raid10, Level::raid4, Level::raid5})
    for (const unsigned members : {4u, 6u, 8u}) {
      const Layout layout(level, std::vector<std::uint64_t>(members, 73), 8);
      std::set<std::pair<unsigned, std::uint64_t>> used;
      std::uint64_t count = 0;
      for (std::uint64_t lbn = 0; lbn < layout.sectors(); ++lbn) {
        const std::vector<Piece> pieces = layout.pieces(lbn, 1);
        ASSERT_EQ(pieces.size(), 1u);
        for (unsigned copy = 0; copy < layout.copies(); ++copy) {
          const unsigned member = layout.member(pieces[0].row, pieces[0].unit, copy);
          ASSERT_LT(member, members);
          ASSERT_LT(layout.member_lbn(pieces[0]), 73u);
          if (layout.parity()) {
            ASSERT_NE(member, layout.parity_member(pieces[0].row));
          }
          used.insert({member, layout.member_lbn(pieces[0])});
          ++count;
        }
      }
      EXPECT_EQ(used.size(), count) << "level " << static_cast<int>(level) << ", " << members << " members";
    }
}

TEST(ArrayLayout, RefusesMembersThatDoNotMakeTheLevel) {
  const auto message = [](Level level, const std::vector<std::uint64_t>& members, std::uint32_t unit,
                          unsigned copies = 2) {
    try {
      const Layout layout(level, members, unit, {}, copies);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(Level::raid5, {10, 10}, 1), HasSubstr("raid5 needs at least 3, not 2"));
  EXPECT_THAT(message(Level::raid10, {10, 10, 10}, 1), HasSubstr("with 2 copies needs a multiple of 2, not 3"));
  EXPECT_THAT(message(Level::raid10, {10, 10, 10, 10}, 1, 3), HasSubstr("with 3 copies needs a multiple of 3, not 4"));
  EXPECT_THAT(message(Level::raid1, {10}, 1), HasSubstr("raid1 needs at least 2"));
  EXPECT_THAT(message(Level::raid0, {100, 9}, 10), HasSubstr("more than a member has (9)"));
}

}  // namespace
}  // namespace armature::array
