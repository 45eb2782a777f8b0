// What is read and written to change a part of a row, counted by hand; and parity against a plain sum.
#include "armature/array/row_plan.h"
#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature::array {
namespace {

Piece piece(unsigned unit, std::uint32_t offset, std::uint32_t sectors, std::uint32_t at = 0) {
  return {0, unit, offset, sectors, at};
}

std::string text(const std::vector<RowPlan::Access>& accesses) {
  std::string out;
  for (const RowPlan::Access& access : accesses)
    out += (out.empty() ? "" : " ") + std::to_string(access.column) + "[" + std::to_string(access.offset) + "+" +
           std::to_string(access.sectors) + "]";
  return out;
}

const std::vector<unsigned> kAll;  // none is missing of four data columns and the parity, which is column 4

std::vector<unsigned> without(unsigned column) {
  return {column};
}

TEST(RowPlan, OneUnitOfFourIsReadAndModified) {
  RowPlan plan(4, {piece(1, 2, 3)});
  ASSERT_TRUE(plan.plan_write(kAll, true, ParityWrite::fewest));
  EXPECT_EQ(text(plan.reads()), "1[2+3] 4[2+3]");  // 2 against the 3 of the other columns
  EXPECT_EQ(text(plan.parity_writes()), "4[2+3]");
  ASSERT_TRUE(plan.plan_write(kAll, true, ParityWrite::reconstruct_write));
  EXPECT_EQ(text(plan.reads()), "0[2+3] 2[2+3] 3[2+3]");
}

TEST(RowPlan, ThreeUnitsOfFourAreMadeFromTheFourth) {
  RowPlan plan(4, {piece(0, 0, 8), piece(1, 0, 8, 8), piece(2, 0, 8, 16)});
  ASSERT_TRUE(plan.plan_write(kAll, true, ParityWrite::fewest));
  EXPECT_EQ(text(plan.reads()), "3[0+8]");
  ASSERT_TRUE(plan.plan_write(kAll, true, ParityWrite::read_modify_write));
  EXPECT_EQ(text(plan.reads()), "0[0+8] 1[0+8] 2[0+8] 4[0+8]");
}

TEST(RowPlan, AWholeRowNeedsNoRead) {
  RowPlan plan(4, {piece(0, 0, 8), piece(1, 0, 8, 8), piece(2, 0, 8, 16), piece(3, 0, 8, 24)});
  for (const ParityWrite way : {ParityWrite::fewest, ParityWrite::read_modify_write, ParityWrite::reconstruct_write}) {
    ASSERT_TRUE(plan.plan_write(kAll, true, way));
    EXPECT_EQ(text(plan.reads()), "");
    EXPECT_EQ(text(plan.parity_writes()), "4[0+8]");
  }
}

TEST(RowPlan, TwoEndsThatDoNotOverlapLeaveTheMiddleAlone) {
  RowPlan plan(4, {piece(0, 6, 2), piece(1, 0, 2, 2)});
  ASSERT_TRUE(plan.plan_write(kAll, true, ParityWrite::fewest));
  EXPECT_EQ(text(plan.reads()), "0[6+2] 1[0+2] 4[0+2] 4[6+2]");
  EXPECT_EQ(text(plan.parity_writes()), "4[0+2] 4[6+2]");
}

TEST(RowPlan, AMissingColumnLeavesTheWayThatDoesWithoutIt) {
  RowPlan plan(4, {piece(1, 2, 3)});
  ASSERT_TRUE(plan.plan_write(without(1), true, ParityWrite::read_modify_write));  // its old data are gone
  EXPECT_EQ(text(plan.reads()), "0[2+3] 2[2+3] 3[2+3]");
  ASSERT_TRUE(plan.plan_write(without(2), true, ParityWrite::reconstruct_write));
  EXPECT_EQ(text(plan.reads()), "1[2+3] 4[2+3]");
  ASSERT_TRUE(plan.plan_write(without(4), false, ParityWrite::fewest));  // no parity to keep
  EXPECT_EQ(text(plan.reads()), "");
  EXPECT_EQ(text(plan.parity_writes()), "");
  ASSERT_TRUE(plan.plan_write(without(4), true, ParityWrite::fewest));  // kept, and not readable
  EXPECT_EQ(text(plan.reads()), "0[2+3] 2[2+3] 3[2+3]");
  EXPECT_FALSE(plan.plan_write({1, 3}, true, ParityWrite::fewest));
}

TEST(RowPlan, AMissingColumnIsReadFromAllOthers) {
  RowPlan plan(4, {piece(1, 2, 3), piece(2, 0, 4, 3)});
  ASSERT_TRUE(plan.plan_read(kAll));
  EXPECT_EQ(text(plan.reads()), "1[2+3] 2[0+4]");
  ASSERT_TRUE(plan.plan_read(without(1)));
  EXPECT_EQ(text(plan.reads()), "0[2+3] 2[0+5] 3[2+3] 4[2+3]");
  EXPECT_FALSE(plan.plan_read({1, 4}));
}

/// A row of random data with its parity, on which plans are carried out.
class RowPlanData : public ::testing::TestWithParam<unsigned> {
 protected:
  static constexpr unsigned kColumns = 4;
  static constexpr std::uint32_t kHeight = 16;
  using Column = std::vector<std::uint8_t>;

  RowPlanData() : random_(GetParam(), "row plan") {
    for (Column& column : row_) {
      column.resize(kHeight * 512u);
      for (std::uint8_t& byte : column) byte = static_cast<std::uint8_t>(random_.below(256));
    }
    row_[kColumns] = parity();
  }
  Column parity() const {
    Column sum(kHeight * 512u, 0);
    for (unsigned c = 0; c < kColumns; ++c)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<std::uint8_t>(sum[i] ^ row_[c][i]);
    return sum;
  }
  std::vector<Piece> pieces() {
    const auto first = static_cast<std::uint32_t>(random_.below(kColumns * kHeight));
    const auto sectors = static_cast<std::uint32_t>(1 + random_.below(kColumns * kHeight - first));
    std::vector<Piece> list;
    for (std::uint32_t at = 0; at < sectors;) {
      Piece p = piece((first + at) / kHeight, (first + at) % kHeight, 0, at);
      p.sectors = std::min(sectors - at, kHeight - static_cast<std::uint32_t>(p.offset));
      at += p.sectors;
      list.push_back(p);
    }
    return list;
  }
  void carry_out_reads(RowPlan& plan) {
    plan.hold_data();
    for (const RowPlan::Access& access : plan.reads())
      std::copy_n(row_[access.column].begin() + access.offset * 512, access.sectors * 512u, plan.data(access));
  }

  RandomStream random_;
  std::array<Column, kColumns + 1> row_;
};

TEST_P(RowPlanData, AReadGivesTheRowsDataWhicheverColumnIsMissing) {
  for (unsigned missing = 0; missing <= kColumns; ++missing) {
    RowPlan plan(kColumns, pieces());
    ASSERT_TRUE(plan.plan_read(without(missing)));
    carry_out_reads(plan);
    for (const RowPlan::Access& access : plan.reads()) ASSERT_NE(access.column, missing);
    std::vector<std::uint8_t> request(kColumns * kHeight * 512u);
    plan.finish_read(request.data());
    for (const Piece& p : plan.pieces())
      EXPECT_TRUE(std::equal(request.begin() + p.at * 512, request.begin() + (p.at + p.sectors) * 512,
                             row_[p.unit].begin() + static_cast<std::ptrdiff_t>(p.offset) * 512));
  }
}

TEST_P(RowPlanData, AfterAWriteTheParityIsTheSumWhicheverWayAndWhicheverColumnIsMissing) {
  for (const ParityWrite way : {ParityWrite::fewest, ParityWrite::read_modify_write, ParityWrite::reconstruct_write})
    for (int missing = -1; missing < static_cast<int>(kColumns); ++missing) {
      RowPlan plan(kColumns, pieces());
      ASSERT_TRUE(plan.plan_write(missing < 0 ? kAll : without(static_cast<unsigned>(missing)), true, way));
      carry_out_reads(plan);
      std::vector<std::uint8_t> request(kColumns * kHeight * 512u);
      for (std::uint8_t& byte : request) byte = static_cast<std::uint8_t>(random_.below(256));
      plan.make_parity(request.data());
      for (const Piece& p : plan.pieces())
        std::copy_n(request.begin() + p.at * 512, p.sectors * 512u,
                    row_[p.unit].begin() + static_cast<std::ptrdiff_t>(p.offset) * 512);
      for (const RowPlan::Access& access : plan.parity_writes())
        std::copy_n(plan.data(access), access.sectors * 512u, row_[kColumns].begin() + access.offset * 512);
      ASSERT_EQ(row_[kColumns], parity()) << "missing " << missing << ", way " << static_cast<int>(way);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RowPlanData, ::testing::Range(1u, 13u));

}  // namespace
}  // namespace armature::array
