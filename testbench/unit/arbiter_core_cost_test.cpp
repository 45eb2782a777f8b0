// The core of the arm-arbitration unit, clause by clause: who may win, who wins, and with what estimate.
#include "support/aau_bench.h"
#include "support/arbitration_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace armature::testing {
namespace {

using arbiter::AauCore;
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
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    bench_.write(aau::kReposition, c.reposition);
    // Seen from angle 0, a sector at `start` is reached, and one a tick before it a revolution later.
    for (const std::int64_t early : {0, 1}) {
      bench_.commit(0, c.cylinder, c.head, static_cast<std::uint32_t>(c.start - early), c.write);
      align();
      bench_.idle(0, 0, 0);
      EXPECT_EQ(time(bench_.next_grant()), c.start - early + early * kTurn);
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

TEST_F(AauCoreCost, ASlotWaitsForThoseItDependsOn) {
  bench_.enable(Policy::fcfs);
  bench_.write(aau::kSlotDepends + 4 * 1, 1u << 0);
  bench_.commit(0, 500, 0, 0);
  bench_.commit(1, 0, 0, 0);
  bench_.idle(0, 0, 0);
  ASSERT_EQ(bench_.next_grant()->slot, 0u);
  bench_.acknowledge();
  bench_.idle(0, 0, 0);
  EXPECT_FALSE(bench_.next_grant()) << "slot 0 is granted, not released";
  bench_.write(aau::kReleaseSlot, 0);
  EXPECT_EQ(bench_.next_grant()->slot, 1u);
  bench_.acknowledge();

  bench_.commit(0, 500, 0, 0, of_class(1));
  bench_.commit(1, 0, 0, 0);
  bench_.write(aau::kArmReach, 9u | 9u << 8);
  bench_.idle(0, 0, 0);
  EXPECT_FALSE(bench_.next_grant());
  bench_.write(aau::kWithdraw, 0);
  bench_.write(aau::kArmReach, 0xFF00);
  EXPECT_EQ(bench_.next_grant()->slot, 1u) << "withdrawn, which frees what depends on it";
}

TEST_F(AauCoreCost, AnOccupationThatBeginsDuringADecisionDoesNotCount) {
  bench_.enable(Policy::fcfs);
  bench_.write(aau::kSlotDepends + 4 * 1, 1u << 9);
  bench_.commit(1, 0, 0, 0);
  const std::int64_t s = bench_.idle(0, 0, 0) + 1;
  bench_.write_at(s + 3, aau::kSlotCommit + 4 * 9, aau::slot_commit::Valid::kMask);
  EXPECT_EQ(bench_.next_grant()->slot, 1u);
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
  for (const std::uint32_t nowhere : {0x70u, 0x7000u, 0x1u, 0x200u}) EXPECT_FALSE(bench_.core.decodes(nowhere));
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
  for (const std::uint32_t offset : {aau::kArm + 8u, aau::kArmMount + 8u, aau::kArmReach + 8u, aau::kHeadOffset + 8u,
                                     aau::kHeadAngle + 8u, aau::kHeadMask + 8u, aau::kHeadMask + 32u,
                                     aau::kSlotCommit + 8u, aau::kSlotTarget + 8u, aau::kSlotDepends + 8u})
    EXPECT_FALSE(small.core.decodes(offset)) << offset;
  EXPECT_EQ(small.core.read(aau::kStroke), 7u);
  small.write(aau::kArm, ~0u);
  EXPECT_EQ(small.core.read(aau::kArm), 0xFF80'0007u);
  small.write(aau::kSlotCommit, 0x7FFF'FFFF);
  EXPECT_EQ(small.core.read(aau::kSlotCommit), 0x003F'000Fu);
  small.write(aau::kHeadOffset + 4, ~0u);
  EXPECT_EQ(small.core.read(aau::kHeadOffset + 4), 0x00FF'FFFFu);
  small.write(aau::kHeadAngle + 4, ~0u);
  EXPECT_EQ(small.core.read(aau::kHeadAngle + 4), 0xFu);
  EXPECT_EQ(small.core.read(aau::kHeadMask + 20), ~0u);
  small.write(aau::kHeadMask + 20, 3);
  EXPECT_EQ(small.core.read(aau::kHeadMask + 20), 3u);
}

/// Every candidate looked at, as the contract says it, in other words than the core's.
struct Scan {
  struct Slot {
    std::uint32_t number, cylinder, head, angle, write, slot_class, stack, depends;
    std::int64_t tick;
  };
  struct Arm {
    std::uint32_t number, cylinder, head, angle, stack, first, last;
    std::array<std::uint32_t, 4> masked;  ///< surfaces below 32
  };
  std::vector<Slot> slots;  // by age
  std::vector<Arm> arms;
  std::vector<std::pair<std::int32_t, std::uint32_t>> heads;
  arbiter::SeekTable seek;
  std::int64_t margin = 0, head_switch = 0, settle = 0, reposition = 0, ageing = 0, stroke = 0;
  std::uint32_t yield = 0, turning = 0, occupied = 0;

  /// {slot, arm, head}, or nothing.
  std::optional<std::array<std::uint32_t, 3>> choose(Policy policy, std::int64_t edge) const {
    using Key = std::array<std::int64_t, 5>;
    std::optional<std::pair<Key, std::array<std::uint32_t, 3>>> best;
    const bool host = std::any_of(slots.begin(), slots.end(), [](const Slot& s) { return s.slot_class == 0; });
    for (std::size_t age = 0; age < slots.size(); ++age) {
      const Slot& s = slots[age];
      if (host && s.slot_class != 0 && ((yield >> s.slot_class) & 1u)) continue;
      if ((s.depends & occupied) != 0 || !((turning >> s.stack) & 1u)) continue;
      for (const Arm& a : arms) {
        if (a.stack != s.stack || s.head < a.first || s.head > a.last) continue;
        for (std::uint32_t h = 0; h < heads.size(); ++h) {
          if ((a.masked[h] >> s.head) & 1u) continue;
          const std::int64_t target = std::int64_t{s.cylinder} - heads[h].first;
          if (target < 0 || target > stroke) continue;
          const std::int64_t up = target - a.cylinder;
          const bool turns = s.head != a.head;
          std::int64_t move = seek.ticks(static_cast<std::uint32_t>(std::abs(up)));
          if (turns && move < head_switch) move = head_switch;
          if (move < reposition) move = reposition;
          if (s.write != 0 && (up != 0 || turns)) move += settle;
          const std::int64_t start = margin + move;
          const std::int64_t angle = edge / 8 + 1'000 * std::int64_t{s.stack};
          std::int64_t wait = (s.angle + a.angle + heads[h].second - angle - start) % kTurn;
          if (wait < 0) wait += kTurn;
          const std::int64_t time = start + wait;
          std::int64_t key = 0;
          if (policy == Policy::sstf) key = std::abs(up);
          if (policy == Policy::clook) key = up < 0 ? up + (1 << 23) : up;
          if (policy == Policy::sptf) key = time;
          if (policy == Policy::aged_sptf) key = time - ageing * std::max<std::int64_t>(edge / 8 - s.tick, 0) / 1'024;
          const Key whole{key, static_cast<std::int64_t>(age), time, a.number, h};
          if (!best || whole < best->first) best = {whole, {s.number, a.number, h}};
        }
      }
    }
    if (!best) return std::nullopt;
    return best->second;
  }
};

class AauCoreIndex : public ::testing::TestWithParam<Policy> {};
INSTANTIATE_TEST_SUITE_P(Arbiter, AauCoreIndex,
                         ::testing::Values(Policy::fcfs, Policy::sstf, Policy::clook, Policy::sptf, Policy::aged_sptf));

/// With many slots the core does not look at all of them: it must find the same, ties included.
TEST_P(AauCoreIndex, GrantsWhatAScanOfAllCandidatesGrants) {
  std::mt19937_64 random(static_cast<unsigned>(GetParam()) + 1);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  unsigned grants = 0;
  for (unsigned drive = 0; drive < 40; ++drive) {
    AauShape shape;
    shape.slots = 256;
    AauBench bench(shape);
    Scan scan;
    const std::uint32_t cylinders = drive % 3 == 0 ? 40 : drive % 3 == 1 ? 5'000 : 300'000;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> curve{{1, 500 + below(3'000)}};
    while (curve.size() < 60 && curve.back().first < cylinders) {
      const std::uint32_t rise = below(1'500), fall = below(1'000);
      curve.emplace_back(curve.back().first + 1 + below(cylinders / 30),
                         curve.back().second + rise > fall ? curve.back().second + rise - fall : 0);
    }
    load(scan.seek, curve);
    bench.seek_table(curve);
    const auto set = [&](std::uint32_t offset, std::uint32_t value) {
      bench.write(offset, value);
      return value;
    };
    scan.margin = set(aau::kMargin, below(500));
    scan.head_switch = set(aau::kHeadSwitch, below(6'000));
    scan.settle = set(aau::kWriteSettle, below(6'000));
    scan.reposition = set(aau::kReposition, below(3) == 0 ? below(4'000) : 0);
    scan.ageing = set(aau::kAgeing, std::array{0u, 3u, 64u, 2'000u}[below(4)]);
    scan.stroke = set(aau::kStroke, below(2) == 0 ? cylinders - 1 : cylinders + 40'000);
    scan.turning = drive % 2 == 0 ? 1 : 1 + below(4);
    bench.core.turn(bench.at, scan.turning);
    const std::uint32_t head_count = 1 + below(4);
    bench.write(aau::kLimits, aau::limits::Heads::set(0, head_count - 1));
    for (std::uint32_t h = 0; h < head_count; ++h) {
      const auto offset = h == 0 ? 0 : static_cast<std::int32_t>(below(cylinders)) - static_cast<int>(cylinders / 2);
      scan.heads.emplace_back(offset, below(4) * 0x4000);
      bench.write(aau::kHeadOffset + 4 * h, static_cast<std::uint32_t>(offset));
      bench.write(aau::kHeadAngle + 4 * h, scan.heads.back().second);
    }
    scan.yield = below(16) & ~1u;
    std::vector<bool> used(256);
    for (unsigned round = 0; round < 60; ++round) {
      bench.write(aau::kCtrl, 0);
      const std::size_t depth = std::array<std::size_t, 4>{5, 30, 200, 80}[round / 15];
      while (scan.slots.size() > depth) {
        const std::size_t i = below(scan.slots.size());
        bench.write(aau::kWithdraw, scan.slots[i].number);
        used[scan.slots[i].number] = false;
        scan.slots.erase(scan.slots.begin() + static_cast<std::ptrdiff_t>(i));
      }
      while (scan.slots.size() < depth) {
        bench.at += below(400'000);
        Scan::Slot slot{below(256), below(cylinders), below(4), below(16) * 4'096, 0, 0, 0, 0, 0};
        if (!scan.slots.empty() && below(3) == 0) slot = scan.slots[below(scan.slots.size())];  // equal costs
        while (used[slot.number]) slot.number = below(256);
        slot.write = below(3) == 0;
        slot.slot_class = below(5) == 0 ? 1 + below(3) : 0;
        slot.stack = drive % 2 == 0 ? 0 : below(3);
        slot.depends = below(6) == 0 ? 1u << below(32) : 0;
        bench.write(aau::kSlotDepends + 4 * slot.number, slot.depends);
        const std::int64_t e = bench.commit(
            slot.number, slot.cylinder, slot.head, slot.angle,
            (slot.write != 0 ? aau::slot_commit::Write::kMask : 0) | of_class(slot.slot_class) | stack(slot.stack));
        slot.tick = e / 8;
        used[slot.number] = true;
        scan.slots.push_back(slot);
      }
      scan.occupied = 0;
      for (const Scan::Slot& slot : scan.slots)
        if (slot.number < 32) scan.occupied |= 1u << slot.number;
      scan.arms.clear();
      for (std::uint32_t a = 0; a < 8; ++a) {
        if (below(3) != 0) {
          bench.write(aau::kArm + 4 * a, 0);
          continue;
        }
        Scan::Arm arm{a, below(cylinders), below(4), below(4) * 0x4000, below(drive % 2 == 0 ? 1 : 3), 0, 0xFF, {}};
        if (below(3) == 0) arm.first = below(3);
        if (below(3) == 0) arm.last = 1 + below(3);
        if (below(2) == 0) arm.cylinder = scan.slots[below(scan.slots.size())].cylinder;
        bench.write(aau::kArmMount + 4 * a, aau::arm_mount::Stack::set(arm.angle, arm.stack));
        bench.write(aau::kArmReach + 4 * a, arm.first | arm.last << 8);
        for (unsigned h = 0; h < 4; ++h) {
          arm.masked[h] = below(4) == 0 ? below(16) : 0;
          bench.write(aau::kHeadMask + 16 * a + 4 * h, ~(arm.masked[h] >> arm.first));
        }
        bench.idle(a, arm.cylinder, arm.head);
        scan.arms.push_back(arm);
      }
      bench.at += below(800'000);
      const std::int64_t begin = bench.enable(GetParam(), scan.yield) + 1;
      const auto expected = scan.choose(GetParam(), begin);
      const auto grant = bench.decide();
      ASSERT_EQ(grant.has_value(), expected.has_value()) << "drive " << drive << " round " << round;
      if (!grant) continue;
      ++grants;
      ASSERT_EQ((std::array{grant->slot, grant->arm, grant->head}), *expected) << drive << " " << round;
      bench.acknowledge();
      bench.write(aau::kReleaseSlot, grant->slot);
      used[grant->slot] = false;
      scan.slots.erase(std::find_if(scan.slots.begin(), scan.slots.end(),
                                    [&](const Scan::Slot& slot) { return slot.number == grant->slot; }));
    }
  }
  EXPECT_GT(grants, 1'200u);
}

}  // namespace
}  // namespace armature::testing
