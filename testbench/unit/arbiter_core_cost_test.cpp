// The core of the arm-arbitration unit, clause by clause: who may win, who wins, and with what estimate.
#include "armature/core/random.h"
#include "support/aau_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace armature::testing::arbiter_core_cost_test {
namespace {

using arbiter::AauShape;
using arbiter::Policy;
namespace aau = regs::aau;

constexpr std::int64_t kTurn = 65'536;

std::uint32_t stack(std::uint32_t n) {
  return aau::slot_commit::Stack::set(0, n);
}
std::uint32_t of_class(std::uint32_t n) {
  return aau::slot_commit::SlotClass::set(0, n);
}

/// The estimate of a decision that starts at angle 0 of a turn of the bench's stack 0.
class AauCoreCost : public ::testing::Test {
 protected:
  /// The next write is captured at an edge so that its decision starts at an edge with angle 0.
  void align() {
    const std::int64_t turn = 8 * kTurn;
    bench_.at = (bench_.at + 10 + turn) / turn * turn - 3;
  }
  /// Time of the winner from its start, which was at angle 0: the estimate and what the decision took.
  std::int64_t time(std::optional<AauBench::Grant> grant) {
    if (!grant) return -1;
    EXPECT_EQ(bench_.core.begins() / 8 % kTurn, 0);
    return grant->estimate + (grant->edge / 8 - bench_.core.begins() / 8);
  }
  AauBench bench_;
};

TEST_F(AauCoreCost, MoveHeadSwitchWriteSettleRepositionAndMargin) {
  bench_.seek_table({{1, 1'000}, {1'001, 2'000}});
  bench_.write(aau::kMargin, 50);
  bench_.write(aau::kHeadSwitch, 1'500);
  bench_.write(aau::kWriteSettle, 700);
  bench_.enable(Policy::sptf);
  struct Case {
    const char* what;
    std::uint32_t cylinder, head, write, reposition;
    std::int64_t start;
    std::uint32_t wrote = 0;
  };
  constexpr std::uint32_t kWrite = aau::slot_commit::Write::kMask;
  const Case cases[] = {
      {"same track", 0, 0, 0, 0, 50},
      {"same track, write", 0, 0, kWrite, 0, 50},
      {"same track, repositioning", 0, 0, 0, 99, 149},
      {"same track, repositioning, write", 0, 0, kWrite, 99, 149},
      {"head switch", 0, 1, 0, 0, 1'550},
      {"head switch, write", 0, 1, kWrite, 0, 2'250},
      {"seek shorter than the head switch", 1, 1, 0, 0, 1'550},
      {"seek longer than the head switch", 1'001, 1, 0, 0, 2'050},
      {"half-way", 501, 0, 0, 0, 1'550},
      {"seek, write", 1'001, 0, kWrite, 0, 2'750},
      {"seek shorter than repositioning, write", 1, 0, kWrite, 3'000, 3'750},
      {"same track, repositioning, write behind a write", 0, 0, kWrite, 99, 50, 1},
      {"same track, repositioning, read behind a write", 0, 0, 0, 99, 149, 1},
      {"same track, repositioning, write behind a write of another arm", 0, 0, kWrite, 99, 149, 2},
      {"seek shorter than repositioning, write behind a write", 1, 0, kWrite, 3'000, 1'750, 3},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    bench_.write(aau::kReposition, c.reposition);
    // Seen from angle 0, a sector at `start` is reached, and one a tick before it a revolution later.
    for (const std::int64_t early : {0, 1}) {
      for (const std::uint32_t arm : {0u, 1u})
        bench_.write(aau::kWrote, aau::wrote::Arm::set(aau::wrote::Held::set(0, c.wrote >> arm), arm));
      bench_.commit(0, c.cylinder, c.head, static_cast<std::uint32_t>(c.start - early), c.write);
      align();
      bench_.idle(0, 0, 0);
      EXPECT_EQ(time(bench_.next_grant()), c.start - early + early * kTurn);
      EXPECT_EQ(bench_.core.read(aau::kWrote), c.write != 0 ? c.wrote | 1u : c.wrote & ~1u) << "the grant's";
      bench_.acknowledge();
    }
  }
}

TEST_F(AauCoreCost, AnglesOfTheMountAndOfTheHeadDelayTheSector) {
  bench_.enable(Policy::sptf);
  bench_.write(aau::kArmMount, 0x4000);
  bench_.write(aau::kHeadAngle, 0x2000);
  bench_.commit(0, 0, 0, 100);
  align();
  bench_.idle(0, 0, 0);
  EXPECT_EQ(time(bench_.next_grant()), 100 + 0x4000 + 0x2000);
  bench_.acknowledge();
  bench_.write(aau::kArmMount, 0xFFFF);
  bench_.write(aau::kHeadAngle, 0);
  bench_.commit(0, 0, 0, 100);
  align();
  bench_.idle(0, 0, 0);
  EXPECT_EQ(time(bench_.next_grant()), 99) << "modulo a revolution";
}

TEST_F(AauCoreCost, EachStackHasItsAngle) {
  bench_.core.turn(bench_.at, 0b1001);
  bench_.enable(Policy::sptf);
  bench_.write(aau::kArmMount + 4, aau::arm_mount::Stack::set(0, 3));
  bench_.commit(0, 0, 0, 5'000, stack(3));
  bench_.idle(0, 0, 0);
  EXPECT_FALSE(bench_.next_grant()) << "arm 0 serves stack 0";
  align();
  bench_.idle(1, 0, 0);
  EXPECT_EQ(time(bench_.next_grant()), 2'000) << "stack 3 stands at 3,000 when stack 0 is at its index";
}

TEST_F(AauCoreCost, TheEstimateCountsFromTheGrantAndIsNeverNegative) {
  bench_.enable(Policy::sptf);
  for (unsigned slot = 1; slot < 32; slot += 4) bench_.commit(slot, 0, 0, 60'000);
  bench_.commit(0, 0, 0, 2);
  align();
  bench_.idle(0, 0, 0);
  const auto grant = bench_.next_grant();
  EXPECT_EQ(grant->edge, bench_.core.begins() + 18 + 8);
  EXPECT_EQ(grant->slot, 0u);
  EXPECT_EQ(grant->estimate, 0) << "26 clocks are 3 ticks; the sector passed after 2";
}

TEST_F(AauCoreCost, SeekTablesOfTwoClassesAndTheirRounding) {
  bench_.seek_table({{1, 100}, {4, 110}});
  bench_.seek_table({{1, 700}, {4, 690}}, 1);
  bench_.write(aau::kArmMount + 4, aau::arm_mount::ArmClass::kMask);
  EXPECT_EQ(bench_.core.read(aau::kSeekEntries), 2u);
  EXPECT_EQ(bench_.core.read(aau::kSeekEntry), 2u);
  bench_.enable(Policy::sptf);
  const struct {
    std::uint32_t arm, distance;
    std::int64_t move;
  } cases[] = {{0, 2, 103}, {0, 3, 106}, {0, 4, 110}, {0, 5, 110}, {1, 1, 700}, {1, 2, 696}, {1, 3, 693}, {1, 9, 690}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.distance);
    bench_.commit(0, c.distance, 0, static_cast<std::uint32_t>(c.move));
    align();
    bench_.idle(c.arm, 0, 0);
    EXPECT_EQ(time(bench_.next_grant()), c.move);
    bench_.acknowledge();
    bench_.commit(0, c.distance, 0, static_cast<std::uint32_t>(c.move - 1));
    align();
    bench_.idle(c.arm, 0, 0);
    EXPECT_EQ(time(bench_.next_grant()), c.move - 1 + kTurn);
    bench_.acknowledge();
  }
}

TEST_F(AauCoreCost, ATableReloadedWhileInUseCountsAtOnce) {
  bench_.seek_table({{1, 100}});
  bench_.enable(Policy::sptf);
  bench_.write(aau::kSeekEntry, 0);
  bench_.write(aau::kSeekTime, 5'000);  // distance and slope as they were
  bench_.commit(0, 7, 0, 5'000);
  align();
  bench_.idle(0, 0, 0);
  EXPECT_EQ(time(bench_.next_grant()), 5'000);
}

TEST_F(AauCoreCost, AHeadSitsAwayFromTheArm) {
  bench_.seek_table({{1, 1'000}, {1'001, 2'000}});
  bench_.write(aau::kLimits, aau::limits::Heads::set(0, 1));
  bench_.write(aau::kHeadOffset + 4, static_cast<std::uint32_t>(-300));
  bench_.write(aau::kStroke, 1'000);
  bench_.enable(Policy::sstf);
  bench_.commit(0, 200, 0, 0);
  bench_.idle(0, 510, 0);
  auto grant = bench_.next_grant();
  EXPECT_EQ(grant->head, 1u) << "10 cylinders from there, 310 for head 0";
  bench_.acknowledge();
  bench_.commit(0, 701, 0, 0);
  bench_.idle(0, 1'000, 0);
  EXPECT_EQ(bench_.next_grant()->head, 0u) << "head 1 is nearer, but the arm would have to go to 1,001";
  bench_.acknowledge();
  bench_.write(aau::kHeadOffset + 4, 300);
  bench_.commit(0, 299, 0, 0);
  bench_.idle(0, 0, 0);
  EXPECT_EQ(bench_.next_grant()->head, 0u) << "nor to -1";
  bench_.acknowledge();
  bench_.commit(0, 300, 0, 0);
  bench_.idle(0, 0, 0);
  EXPECT_EQ(bench_.next_grant()->head, 1u);
}

TEST_F(AauCoreCost, HeadsMaySitFurtherApartThanSixteenBitsSay) {
  bench_.seek_table({{1, 1'000}, {1'001, 2'000}});
  bench_.write(aau::kLimits, aau::limits::Heads::set(0, 2));
  bench_.write(aau::kHeadOffset + 4, 100'000);
  bench_.write(aau::kHeadOffset + 8, static_cast<std::uint32_t>(-8'000'000));
  bench_.write(aau::kStroke, 8'200'000);
  bench_.enable(Policy::sstf);
  bench_.commit(0, 200'000, 0, 0);
  bench_.idle(0, 99'000, 0);
  EXPECT_EQ(bench_.next_grant()->head, 1u);
  bench_.acknowledge();
  bench_.commit(0, 200'000, 0, 0);
  bench_.idle(0, 8'199'999, 0);
  EXPECT_EQ(bench_.next_grant()->head, 2u);
}

TEST_F(AauCoreCost, AMaskedHeadIsNoCandidate) {
  bench_.write(aau::kLimits, aau::limits::Heads::set(0, 1));
  bench_.enable(Policy::sptf);
  bench_.write(aau::kArmReach + 8, 5u | 200u << 8);
  bench_.write(aau::kHeadMask + 32, ~(1u << 3));  // head 0 of arm 2 on surface 8
  bench_.write(aau::kHeadMask + 36, 0);
  const auto head_on = [&](std::uint32_t surface) {
    bench_.commit(0, 0, surface, 0);
    bench_.idle(2, 0, surface);
    const auto grant = bench_.next_grant();
    if (!grant) return 9u;
    bench_.acknowledge();
    return grant->head;
  };
  EXPECT_EQ(head_on(7), 0u);
  EXPECT_EQ(head_on(9), 0u);
  EXPECT_EQ(head_on(8), 9u);
  bench_.write(aau::kHeadMask + 36, 1u << 3);
  EXPECT_EQ(bench_.next_grant()->head, 1u) << "a write of the mask wakes it";
  bench_.acknowledge();
  bench_.write(aau::kHeadMask + 32, 0);
  EXPECT_EQ(head_on(36), 9u);
  EXPECT_EQ(head_on(37), 0u) << "the 33rd surface of the reach has no bit";
}

TEST_F(AauCoreCost, AnArmReachesOnlySomeSurfaces) {
  bench_.enable(Policy::sptf);
  bench_.write(aau::kArmReach, 2u | 3u << 8);
  bench_.commit(0, 0, 1, 0);
  bench_.commit(1, 0, 4, 0);
  bench_.idle(0, 0, 0);
  EXPECT_FALSE(bench_.next_grant());
  bench_.commit(2, 0, 3, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 2u);
  bench_.acknowledge();
  bench_.commit(3, 0, 2, 0);
  bench_.idle(0, 0, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 3u);
}

TEST_F(AauCoreCost, ASlotWaitsForTheArmThatIsReservedForIt) {
  bench_.enable(Policy::fcfs);
  bench_.write(aau::kSlotArm + 4 * 1, aau::slot_arm::Reserved::kMask | 3u);
  bench_.commit(1, 500, 0, 0);
  bench_.commit(2, 0, 0, 0);
  bench_.idle(0, 0, 0);
  ASSERT_EQ(bench_.next_grant()->slot, 2u) << "slot 1 is older";
  bench_.acknowledge();
  bench_.idle(0, 0, 0);
  EXPECT_FALSE(bench_.next_grant());
  bench_.idle(3, 0, 0);
  const auto grant = bench_.next_grant();
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->slot, 1u);
  EXPECT_EQ(grant->arm, 3u);
}

TEST_F(AauCoreCost, WithdrawTellsWhetherItCameTooLate) {
  bench_.enable(Policy::fcfs);
  bench_.commit(5, 0, 0, 0);
  bench_.commit(6, 0, 0, 0);
  bench_.write(aau::kWithdraw, 5);
  EXPECT_EQ(bench_.core.read(aau::kWithdraw), 5u);
  EXPECT_FALSE(bench_.core.waits(5));
  bench_.write(aau::kWithdraw, 5);
  EXPECT_EQ(bench_.core.read(aau::kWithdraw), aau::withdraw::TooLate::kMask | 5u);
  bench_.idle(0, 0, 0);
  ASSERT_EQ(bench_.next_grant()->slot, 6u);
  bench_.write(aau::kWithdraw, 6);
  EXPECT_EQ(bench_.core.read(aau::kWithdraw), aau::withdraw::TooLate::kMask | 6u) << "granted";
  bench_.write(aau::kWithdraw, 1'000);
  EXPECT_EQ(bench_.core.read(aau::kWithdraw), aau::withdraw::TooLate::kMask | 1'000u) << "no such slot";
}

TEST_F(AauCoreCost, ClassesThatYieldWaitWhileAnyHostSlotDoes) {
  bench_.enable(Policy::sptf, 0b0010);
  bench_.write(aau::kArmReach, 0u);  // surface 0 only
  bench_.commit(0, 0, 0, 0, of_class(1));
  bench_.commit(1, 0, 7, 0);  // of the host, out of reach
  bench_.idle(0, 0, 0);
  EXPECT_FALSE(bench_.next_grant());
  bench_.commit(2, 0, 0, 0, of_class(2));
  EXPECT_EQ(bench_.next_grant()->slot, 2u) << "does not yield";
  bench_.acknowledge();
  bench_.idle(0, 0, 0);
  bench_.write(aau::kWithdraw, 1);
  EXPECT_EQ(bench_.next_grant()->slot, 0u);
}

TEST_F(AauCoreCost, TiesGoToTheOldestThenTheLeastTimeThenTheLowestArmAndHead) {
  bench_.seek_table({{1, 1'000}, {60'000, 60'000}});
  bench_.write(aau::kHeadSwitch, 40'000);
  bench_.write(aau::kLimits, aau::limits::Heads::set(0, 1));
  for (const Policy policy : {Policy::fcfs, Policy::sstf, Policy::clook}) {
    SCOPED_TRACE(static_cast<int>(policy));
    bench_.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask);
    bench_.commit(9, 70, 1, 20'000);
    bench_.commit(2, 70, 1, 20'000);
    bench_.commit(9, 70, 1, 20'000);  // anew: the youngest
    bench_.idle(0, 50, 0);            // has to switch heads: a revolution later
    bench_.idle(1, 50, 1);
    bench_.idle(2, 50, 1);
    align();
    bench_.enable(policy);
    auto grant = bench_.next_grant();
    EXPECT_EQ(grant->slot, 2u) << "the oldest";
    EXPECT_EQ(grant->arm, 1u) << "in time, as arm 2, and the lower one";
    EXPECT_EQ(grant->head, 0u);
    bench_.acknowledge();
  }
}

TEST_F(AauCoreCost, ClookSweepsUpwardForEachHeadAndStartsAgainAtTheLowest) {
  bench_.enable(Policy::clook);
  for (const std::uint32_t cylinder : {10u, 20u, 30u}) bench_.commit(cylinder, cylinder, 0, 0);
  bench_.idle(0, 20, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 20u);
  bench_.acknowledge();
  bench_.idle(0, 20, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 30u);
  bench_.acknowledge();
  bench_.idle(0, 30, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 10u);
}

TEST_F(AauCoreCost, AgeingTakesAnOldSlotBeforeAFasterOneAndSaturates) {
  bench_.write(aau::kAgeing, 1'024);  // a tick of cost for a tick of waiting
  for (const std::int64_t older : {29'700, 30'100}) {
    SCOPED_TRACE(older);
    bench_.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask);
    bench_.enable(Policy::aged_sptf);
    bench_.commit(0, 0, 0, 30'000);
    bench_.at += 8 * older;
    bench_.commit(1, 0, 0, 100);
    align();
    bench_.idle(0, 0, 0);
    EXPECT_EQ(bench_.next_grant()->slot, older < 29'900 ? 1u : 0u) << "29,900 ticks make up for 29,900 of cost";
    bench_.acknowledge();
  }

  // Waits of 2^33 and 2^34 ticks earn the same, so that the faster one wins.
  bench_.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask);
  bench_.enable(Policy::aged_sptf);
  bench_.commit(0, 0, 0, 101);
  bench_.tick_offset += std::int64_t{1} << 33;
  bench_.commit(1, 0, 0, 100);
  bench_.tick_offset += std::int64_t{1} << 33;
  align();
  bench_.idle(0, 0, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 1u);
}

TEST_F(AauCoreCost, AWaitOfHalfTheTickCountersRangeCountsAsNone) {
  for (const std::int64_t wait : {(std::int64_t{1} << 15) - 1'000, (std::int64_t{1} << 15) + 10}) {
    SCOPED_TRACE(wait);
    AauShape shape;
    shape.tick_bits = 16;
    AauBench bench(shape);
    bench.write(aau::kAgeing, 1'024);
    bench.enable(Policy::aged_sptf);
    bench.commit(0, 0, 0, 20'000);
    bench.tick_offset += wait;
    bench.commit(1, 0, 0, 500);
    bench.idle(0, 0, 0);
    EXPECT_EQ(bench.next_grant()->slot, wait < 1 << 15 ? 0u : 1u);
  }
}

TEST_F(AauCoreCost, SequenceNumbersWrap) {
  AauShape shape;
  shape.seq_bits = 3;
  AauBench bench(shape);
  bench.enable(Policy::fcfs);
  for (unsigned i = 0; i < 40; ++i) {
    bench.commit(i % 5, 0, 0, 0);
    if (i < 2) continue;
    bench.idle(0, 0, 0);
    ASSERT_EQ(bench.next_grant()->slot, (i - 2) % 5);
    bench.acknowledge();
  }
}

TEST_F(AauCoreCost, ATargetWrittenAnewMovesAWaitingSlotThatKeepsItsAge) {
  bench_.enable(Policy::sstf);
  for (unsigned slot = 0; slot < 20; ++slot) bench_.commit(slot, 10'000 * (slot + 1), 0, 0);
  bench_.write(aau::kSlotTarget + 4 * 13, bench_.track(5, 0));
  bench_.idle(0, 0, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 13u);
  bench_.acknowledge();
  bench_.write(aau::kSlotTarget + 4 * 3, bench_.track(10'000, 0));
  bench_.idle(0, 0, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 0u) << "as near as slot 3, and older";
}

TEST_F(AauCoreCost, RegistersReadAsTheirDescriptionAndTheInstanceSay) {
  EXPECT_EQ(bench_.core.read(aau::kConfig), 32u | 8u << 12 | 4u << 16);
  EXPECT_EQ(bench_.core.read(aau::kArmMask), 0xFFu);
  EXPECT_EQ(bench_.core.read(aau::kStroke), 0x7F'FFFFu);
  EXPECT_EQ(bench_.core.read(aau::kArmReach + 28), 0xFF00u);
  bench_.write(aau::kGrantAck, 1);
  EXPECT_EQ(bench_.core.read(aau::kGrantAck), 0u);
  bench_.write(aau::kCtrl, ~0u & ~1u);
  EXPECT_EQ(bench_.core.read(aau::kCtrl), 0xFEu) << "withdraw_all is no state";
  EXPECT_EQ(bench_.core.read(aau::kRideAlong + 4 * 31), 0u);
  for (const std::uint32_t nowhere : {0x7000u, 0x1u, 0x200u}) EXPECT_FALSE(bench_.core.decodes(nowhere));
  EXPECT_FALSE(bench_.core.write(bench_.at + 2, aau::kSlotTarget + 4 * 32, 1));
  EXPECT_EQ(bench_.core.read(aau::kSlotTarget + 4 * 32), 0u);

  AauShape shape;
  shape.slots = 2;
  shape.arms = 2;
  shape.heads = 2;
  shape.lanes = 1;
  shape.classes = 1;
  shape.cyl_bits = 3;
  shape.angle_bits = 4;
  AauBench small(shape);
  for (const std::uint32_t offset :
       {aau::kArm + 8u, aau::kArmMount + 8u, aau::kArmReach + 8u, aau::kHeadOffset + 8u, aau::kHeadAngle + 8u,
        aau::kHeadMask + 8u, aau::kHeadMask + 32u, aau::kSlotCommit + 8u, aau::kSlotTarget + 8u, aau::kSlotArm + 8u})
    EXPECT_FALSE(small.core.decodes(offset)) << offset;
  EXPECT_EQ(small.core.read(aau::kStroke), 7u);
  small.write(aau::kArm, ~0u);
  EXPECT_EQ(small.core.read(aau::kArm), 0xFF80'0007u);
  small.write(aau::kSlotCommit, 0x7FFF'FFFF);
  EXPECT_EQ(small.core.read(aau::kSlotCommit), 0x7FFF'000Fu);
  small.write(aau::kHeadOffset + 4, ~0u);
  EXPECT_EQ(small.core.read(aau::kHeadOffset + 4), 0x00FF'FFFFu);
  small.write(aau::kHeadAngle + 4, ~0u);
  EXPECT_EQ(small.core.read(aau::kHeadAngle + 4), 0xFu);
  EXPECT_EQ(small.core.read(aau::kHeadMask + 20), ~0u);
  small.write(aau::kHeadMask + 20, 3);
  EXPECT_EQ(small.core.read(aau::kHeadMask + 20), 3u);
}

/// A cost that has nothing of a disk's: by the way, and by what stands at the place.
class OddCost final : public arbiter::CostModel {
 public:
  std::int64_t ticks(unsigned, const Target& target, std::int64_t, std::int64_t most) const override {
    const std::int64_t way = std::abs(std::int64_t{target.cylinder} - kHome);
    if (500 + 3 * way > most) return 500 + 3 * way;  // it may, of a loser
    return 500 + 3 * way + (target.place * 7'919 + target.cylinder * 31 + (target.write ? 5'000 : 0)) % 20'000;
  }
  std::int64_t ticks(const Target& target) const {
    return ticks(0, target, 0, std::numeric_limits<std::int64_t>::max());
  }
  std::uint32_t leaves_from(unsigned, std::int64_t) const override { return kHome; }
  static constexpr std::int64_t kHome = 5'000;
};

TEST(AauCoreCostModel, TheLeastCostWinsWhateverTheSearchLooksAt) {
  const OddCost cost;
  for (const unsigned waiting : {5u, 200u}) {
    AauShape shape;
    shape.slots = 256;
    AauBench bench(shape, &cost);
    bench.seek_table({{1, 400}, {10'000, 400 + 3 * 9'999}});  // a lower bound of it
    bench.enable(Policy::sptf);
    RandomStream random(waiting, "odd cost");
    std::vector<arbiter::CostModel::Target> slots(waiting);
    std::vector<unsigned> order;  // of their commits
    const auto commit = [&](unsigned slot) {
      slots[slot] = {static_cast<std::uint32_t>(random.below(10'000)), 0,
                     static_cast<std::uint32_t>(random.below(65'536)), random.chance(0.3)};
      bench.commit(slot, slots[slot].cylinder, 0, slots[slot].place,
                   slots[slot].write ? aau::slot_commit::Write::kMask : 0);
      order.push_back(slot);
    };
    for (unsigned slot = 0; slot < waiting; ++slot) commit(slot);
    for (unsigned i = 0; i < 300; ++i) {
      bench.idle(0, OddCost::kHome, 0);
      const auto grant = bench.decide();
      ASSERT_TRUE(grant);
      unsigned best = order.front();
      for (const unsigned slot : order)
        if (cost.ticks(slots[slot]) < cost.ticks(slots[best])) best = slot;
      ASSERT_EQ(grant->slot, best) << i;
      EXPECT_EQ(grant->estimate + (grant->edge / 8 - bench.core.begins() / 8), cost.ticks(slots[best]));
      order.erase(std::find(order.begin(), order.end(), best));
      bench.acknowledge();
      commit(best);
    }
  }
}

}  // namespace
}  // namespace armature::testing::arbiter_core_cost_test
