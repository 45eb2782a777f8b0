// The core of the arm-arbitration unit, clause by clause: when it decides, and what a write does to a decision.
#include "support/aau_bench.h"

#include <gtest/gtest.h>

namespace armature::testing {
namespace {

using arbiter::AauCore;
using arbiter::AauShape;
using arbiter::Policy;
namespace aau = regs::aau;

constexpr std::int64_t kPipeline = 18;

/// Slots 0, 1 and 20 wait, arms 0 and 1 of 8 are idle, 4 lanes; the last write is the enable.
std::int64_t ready(AauBench& bench) {
  bench.commit(0, 10, 0, 0);
  bench.commit(1, 20, 0, 0);
  bench.commit(20, 30, 0, 0);
  bench.idle(0, 0, 0);
  bench.idle(1, 0, 0);
  return bench.enable(Policy::sstf);
}

TEST(AauCoreTiming, ADecisionTakesThePipelineAndAClockForEachRowWithASlotAndIdleArmAndHead) {
  AauBench bench;
  const std::int64_t e = ready(bench);
  EXPECT_EQ(bench.core.next_start(), e + 1);
  bench.core.advance(e + 1);
  EXPECT_TRUE(bench.core.deciding());
  EXPECT_EQ(bench.core.begins(), e + 1);
  EXPECT_EQ(bench.core.next_event(), e + 1 + kPipeline + 2 * 2) << "two rows (slots 0 and 1; 20), two arms";
  bench.core.advance(bench.core.next_event() - 1);
  EXPECT_FALSE(bench.grant());
  EXPECT_FALSE(bench.core.idle());
  ASSERT_TRUE(bench.decide());
  EXPECT_EQ(bench.grant()->slot, 0u);
  EXPECT_TRUE(bench.core.idle());
}

TEST(AauCoreTiming, EveryHeadOfAnArmCostsItsRowsToo) {
  AauBench bench;
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 2));
  const std::int64_t e = ready(bench);
  EXPECT_EQ(bench.decide()->edge, e + 1 + kPipeline + 2 * 2 * 3);
}

TEST(AauCoreTiming, LanesAndHeadsAreThoseOfTheInstance) {
  AauShape shape;
  shape.lanes = 1;
  shape.heads = 2;
  AauBench bench(shape);
  bench.write(aau::kLimits, aau::limits::Heads::set(0, 3));  // acts as the instance's 2 heads
  const std::int64_t e = ready(bench);
  EXPECT_EQ(bench.decide()->edge, e + 1 + kPipeline + 3 * 2 * 2);
  EXPECT_EQ(aau::limits::Heads::get(bench.core.read(aau::kLimits)), 3u);
}

TEST(AauCoreTiming, AnAcknowledgementStartsTheNextDecisionAClockLater) {
  AauBench bench;
  ready(bench);
  ASSERT_TRUE(bench.decide());
  bench.core.advance(bench.at + 1'000);
  EXPECT_TRUE(bench.grant()) << "one decision at a time";
  bench.at += 1'000;
  const std::int64_t e = bench.acknowledge();
  EXPECT_FALSE(bench.grant());
  EXPECT_EQ(bench.decide()->edge, e + 1 + kPipeline + 2) << "one arm, slots 1 and 20";
}

TEST(AauCoreTiming, NothingStartsWithoutEachOfItsConditions) {
  AauBench bench;
  const auto sleeps = [&] { return bench.core.next_start() == AauCore::kNever && bench.core.idle(); };
  bench.enable(Policy::sptf);
  EXPECT_TRUE(sleeps()) << "no slot, no arm";
  bench.commit(3, 1, 0, 0);
  EXPECT_TRUE(sleeps()) << "no arm";
  bench.write(aau::kArmMask, 0xFE);
  bench.idle(0, 0, 0);
  EXPECT_TRUE(sleeps()) << "masked";
  bench.write(aau::kArmMask, 0x01);
  EXPECT_FALSE(sleeps());
  bench.write(aau::kSlotCommit + 4 * 3, 0);
  EXPECT_TRUE(sleeps()) << "withdrawn";
  bench.commit(3, 1, 0, 0);
  bench.write(aau::kCtrl, 0);
  EXPECT_TRUE(sleeps()) << "disabled";
  bench.enable(Policy::sptf);
  bench.core.turn(bench.at + 1, 0);
  EXPECT_TRUE(sleeps()) << "stands";
  bench.core.turn(bench.at + 500, 1);
  EXPECT_EQ(bench.core.next_start(), bench.at + 500) << "the input, not a register: no clock later";
}

TEST(AauCoreTiming, LimitsOfArmsInServiceAndOnTheirWay) {
  AauBench bench;
  bench.write(aau::kLimits, aau::limits::InService::set(aau::limits::Moving::set(0, 1), 2));
  ready(bench);
  bench.commit(2, 40, 0, 0);
  bench.idle(2, 0, 0);
  ASSERT_EQ(bench.decide()->arm, 0u);
  EXPECT_EQ(bench.core.read(aau::kWork), 0x0101u);
  bench.acknowledge();
  EXPECT_FALSE(bench.decide()) << "arm 0 is on its way";
  const std::int64_t e = bench.write(aau::kArrived, 1);
  EXPECT_EQ(bench.core.read(aau::kWork), 0x0001u);
  EXPECT_EQ(bench.core.next_start(), e + 1);
  ASSERT_EQ(bench.decide()->arm, 1u);
  bench.acknowledge();
  bench.write(aau::kArrived, 2);
  EXPECT_EQ(bench.core.read(aau::kWork), 0x0003u);
  EXPECT_FALSE(bench.decide()) << "two in service";
  bench.write(aau::kArm, bench.track(10, 0));
  EXPECT_EQ(bench.core.read(aau::kWork), 0x0002u) << "a write of its word ends an arm's service";
  EXPECT_EQ(bench.decide()->arm, 2u);
}

TEST(AauCoreTiming, AWriteThatTouchesAbandonsTheDecisionFromItsStartToItsLastEdge) {
  for (const std::int64_t late : {0, 1, 10, 21, 22}) {
    SCOPED_TRACE(late);
    AauBench bench;
    const std::int64_t s = ready(bench) + 1;
    bench.write_at(s + late, aau::kMargin, 3);
    EXPECT_FALSE(bench.core.deciding());
    EXPECT_FALSE(bench.grant());
    EXPECT_EQ(bench.core.next_start(), s + late + 1);
    EXPECT_TRUE(bench.decide());
    EXPECT_EQ(bench.core.decisions(), 1u);
  }
  AauBench bench;
  const std::int64_t s = ready(bench) + 1;
  bench.write_at(s + 23, aau::kMargin, 3);
  EXPECT_TRUE(bench.grant()) << "granted at s + 22";
}

TEST(AauCoreTiming, OfEachRegisterWhetherItTouches) {
  struct Case {
    const char* what;
    std::uint32_t offset, value;
    bool touches;
  };
  const Case cases[] = {
      {"ctrl", aau::kCtrl, 1u | 1u << 1, true},
      {"config, read-only", aau::kConfig, 0, true},
      {"inten", aau::kInten, 1, false},
      {"grant_ack", aau::kGrantAck, 1, false},
      {"margin", aau::kMargin, 0, true},
      {"head_switch", aau::kHeadSwitch, 0, true},
      {"write_settle", aau::kWriteSettle, 0, true},
      {"ageing", aau::kAgeing, 0, true},
      {"reposition", aau::kReposition, 0, true},
      {"wrote", aau::kWrote, 0, true},
      {"seek_entry", aau::kSeekEntry, 0, false},
      {"seek_distance", aau::kSeekDistance, 0, false},
      {"seek_slope_lo", aau::kSeekSlopeLo, 0, false},
      {"seek_slope_hi", aau::kSeekSlopeHi, 0, false},
      {"seek_class", aau::kSeekClass, 1, false},
      {"seek_time", aau::kSeekTime, 0, true},
      {"seek_entries", aau::kSeekEntries, 0, true},
      {"limits", aau::kLimits, 0, true},
      {"arm_mask", aau::kArmMask, 0xFF, true},
      {"arrived, no limit", aau::kArrived, 1, false},
      {"withdraw, a slot of the snapshot", aau::kWithdraw, 20, true},
      {"withdraw, another slot", aau::kWithdraw, 19, false},
      {"withdraw, no such slot", aau::kWithdraw, 300, false},
      {"stroke", aau::kStroke, 0x7FFFFF, true},
      {"arm of the snapshot", aau::kArm + 4, 0, true},
      {"another arm", aau::kArm + 8, 0x8000'0000, false},
      {"mount of an arm of the snapshot", aau::kArmMount, 0, true},
      {"mount of another", aau::kArmMount + 8, 0, false},
      {"reach of an arm of the snapshot", aau::kArmReach, 0xFF00, true},
      {"reach of another", aau::kArmReach + 8, 0xFF00, false},
      {"head_offset", aau::kHeadOffset + 12, 0, true},
      {"head_angle", aau::kHeadAngle + 12, 0, true},
      {"head mask of an arm of the snapshot", aau::kHeadMask + 28, ~0u, true},
      {"head mask of another", aau::kHeadMask + 32, 0, false},
      {"target of a slot of the snapshot", aau::kSlotTarget + 4, 0, true},
      {"target of another", aau::kSlotTarget + 8, 0, false},
      {"reserved arm of a slot of the snapshot", aau::kSlotArm + 4, 0, true},
      {"reserved arm of another", aau::kSlotArm + 8, 9, false},
      {"commit of a slot of the snapshot", aau::kSlotCommit + 4, 0x8000'0000, true},
      {"commit of another", aau::kSlotCommit + 8, 0x8000'0000, false},
      {"channels", aau::kChannels, 0, true},
      {"appointment", aau::kAppointment, 0, true},
      {"postpone", aau::kPostpone, 0, true},
      {"no register", 0x200, 0, false},
      {"a slot that the instance does not have", aau::kSlotCommit + 4 * 32, 0x8000'0000, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    AauBench bench;
    const std::int64_t s = ready(bench) + 1;
    bench.core.advance(s + 4);
    bench.write_at(s + 5, c.offset, c.value);
    EXPECT_EQ(bench.core.deciding(), !c.touches);
    if (!c.touches) {
      EXPECT_EQ(bench.core.next_event(), s + 22) << "and its time does not change";
    }
  }
}

TEST(AauCoreTiming, ArrivedTouchesWhileArmsOnTheirWayAreLimited) {
  AauBench bench;
  bench.write(aau::kLimits, aau::limits::Moving::set(0, 3));
  const std::int64_t s = ready(bench) + 1;
  bench.write_at(s + 5, aau::kArrived, 0);
  EXPECT_FALSE(bench.core.deciding());
}

TEST(AauCoreTiming, WhatIsCapturedAtTheStartIsNotInTheSnapshot) {
  AauBench bench;
  const std::int64_t s = ready(bench) + 1;
  bench.write_at(s, aau::kSlotCommit + 4 * 8, aau::slot_commit::Valid::kMask);  // cylinder 0, distance 0: the nearest
  const auto first = bench.decide();
  EXPECT_EQ(first->edge, s + kPipeline + 4) << "nor does its row cost a clock";
  EXPECT_EQ(first->slot, 0u);
  bench.acknowledge();
  EXPECT_EQ(bench.decide()->slot, 8u);
}

TEST(AauCoreTiming, AnArmThatBecomesIdleMeanwhileWaitsForTheNextDecision) {
  AauBench bench;
  const std::int64_t s = ready(bench) + 1;
  bench.write_at(s + 2, aau::kArm + 4 * 3, bench.track(10, 0) | aau::arm::Idle::kMask);
  const auto first = bench.decide();
  EXPECT_EQ(first->arm, 0u) << "arm 3 stands on the cylinder";
  EXPECT_EQ(first->edge, s + kPipeline + 4);
}

TEST(AauCoreTiming, WithoutAWinnerItIsBlockedUntilAWrite) {
  AauBench bench;
  bench.write(aau::kStroke, 5);
  ready(bench);
  EXPECT_FALSE(bench.decide());
  EXPECT_EQ(bench.core.decisions(), 1u);
  EXPECT_TRUE(bench.core.idle());
  EXPECT_EQ(bench.core.next_start(), AauCore::kNever);
  const std::int64_t e = bench.write(aau::kInten, 1);
  EXPECT_EQ(bench.core.next_start(), e + 1) << "any write";
  bench.write(aau::kStroke, 100);
  EXPECT_TRUE(bench.decide());
}

TEST(AauCoreTiming, WithoutAWinnerItIsBlockedUntilAnotherStackTurns) {
  AauBench bench;
  bench.enable(Policy::sstf);
  bench.commit(0, 10, 0, 0, aau::slot_commit::Stack::set(0, 2));
  bench.write(aau::kArmMount, aau::arm_mount::Stack::set(0, 2));
  bench.idle(0, 0, 0);
  EXPECT_FALSE(bench.decide()) << "stack 2 stands";
  EXPECT_TRUE(bench.core.idle());
  bench.core.turn(bench.at + 100, 1u | 1u << 2);
  bench.core.advance(bench.at + 100);
  EXPECT_EQ(bench.core.next_start(), bench.at + 101);
  EXPECT_EQ(bench.decide()->slot, 0u);
}

TEST(AauCoreTiming, AStackThatComesToSpeedDuringADecisionIsNotMissed) {
  AauBench bench;
  bench.enable(Policy::sstf);
  bench.commit(0, 10, 0, 0, aau::slot_commit::Stack::set(0, 2));
  bench.write(aau::kArmMount, aau::arm_mount::Stack::set(0, 2));
  const std::int64_t s = bench.idle(0, 0, 0) + 1;
  bench.core.turn(s + 19, 1u | 1u << 2);  // the edge of the decision's end
  EXPECT_FALSE(bench.decide());
  EXPECT_EQ(bench.core.next_start(), s + 20);
  EXPECT_TRUE(bench.decide());
}

TEST(AauCoreTiming, ASlotCommittedDuringADecisionWithoutAWinnerIsNotMissed) {
  for (const std::int64_t late : {0, 7, 20}) {
    SCOPED_TRACE(late);
    AauBench bench;
    bench.write(aau::kStroke, 5);
    const std::int64_t s = ready(bench) + 1;
    bench.write_at(s + late, aau::kSlotCommit + 4 * 2, aau::slot_commit::Valid::kMask);  // cylinder 0
    EXPECT_FALSE(bench.decide());
    EXPECT_EQ(bench.core.next_start(), s + 23);
    EXPECT_EQ(bench.decide()->slot, 2u);
  }
}

TEST(AauCoreTiming, WithdrawAllDropsSlotsDecisionAndGrantAndFreesItsArm) {
  AauBench bench;
  bench.write(aau::kInten, 1);
  ready(bench);
  bench.idle(1, 9, 0);
  bench.commit(7, 9, 3, 0);
  ASSERT_EQ(bench.decide()->arm, 1u);
  EXPECT_TRUE(bench.core.irq());
  EXPECT_EQ(bench.core.read(aau::kWork), 0x0202u);
  EXPECT_EQ(bench.core.read(aau::kArm + 4), bench.track(9, 0));
  bench.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask | aau::ctrl::Enable::kMask);
  EXPECT_FALSE(bench.grant());
  EXPECT_FALSE(bench.core.irq());
  EXPECT_EQ(bench.core.read(aau::kWork), 0u);
  EXPECT_EQ(bench.core.read(aau::kArm + 4), bench.track(9, 0) | aau::arm::Idle::kMask);
  EXPECT_EQ(bench.core.waiting(), 0u);
  EXPECT_EQ(bench.core.read(aau::kSlotCommit), 0u);
  bench.commit(4, 9, 0, 0);
  bench.core.advance(bench.at + 1);
  ASSERT_TRUE(bench.core.deciding());
  bench.at += 4;
  bench.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask | aau::ctrl::Enable::kMask);
  EXPECT_FALSE(bench.core.deciding());
  EXPECT_FALSE(bench.decide());
  EXPECT_EQ(bench.core.read(aau::kArm), bench.track(0, 0) | aau::arm::Idle::kMask);
}

TEST(AauCoreTiming, AnAcknowledgementAtTheEdgeOfTheGrantComesTooEarlyForIt) {
  AauBench bench;
  const std::int64_t s = ready(bench) + 1;
  bench.write_at(s + 22, aau::kGrantAck, 1);
  EXPECT_TRUE(bench.grant());
  bench.write(aau::kGrantAck, 0);
  EXPECT_TRUE(bench.grant()) << "nor does a zero acknowledge";
}

TEST(AauCoreTiming, ArrivedAtTheEdgeOfTheGrantComesTooEarlyForIt) {
  AauBench bench;
  const std::int64_t s = ready(bench) + 1;
  bench.write_at(s + 22, aau::kArrived, 0xFF);
  EXPECT_EQ(bench.core.read(aau::kWork), 0x0101u);
}

TEST(AauCoreTiming, TheInterruptIsTheGrantAndItsEnable) {
  AauBench bench;
  ready(bench);
  ASSERT_TRUE(bench.decide());
  EXPECT_FALSE(bench.core.irq());
  EXPECT_EQ(bench.core.read(aau::kIntstat), 1u);
  bench.write(aau::kInten, 1);
  EXPECT_TRUE(bench.core.irq());
  bench.acknowledge();
  EXPECT_FALSE(bench.core.irq());
  EXPECT_EQ(bench.core.read(aau::kIntstat), 0u);
}

// Ticks pass every eighth edge here. Arm 0 has its sector from tick 100 of the decision on, for 256 ticks.
TEST(AauCoreTiming, ARestEndsByItself) {
  for (const bool in_steps : {false, true}) {
    AauBench bench;
    bench.write(aau::kChannels, aau::channels::Gap::set(1, 4));
    bench.write(aau::kMargin, 7);
    bench.write(aau::kArmMount + 4, 1'000);
    bench.idle(0, 0, 0);
    bench.enable(arbiter::Policy::sptf);
    bench.commit(0, 0, 0, 100, aau::slot_commit::Length::set(0, 1));
    ASSERT_TRUE(bench.decide());
    bench.acknowledge();
    bench.commit(1, 0, 0, 400, aau::slot_commit::Length::set(0, 1));
    const std::int64_t committed = bench.idle(1, 0, 0);
    EXPECT_EQ(bench.core.next_wake(), arbiter::AauCore::kNever);
    bench.core.advance(committed + 100);
    ASSERT_FALSE(bench.grant());
    ASSERT_TRUE(bench.core.wake());
    EXPECT_TRUE(bench.core.idle());
    EXPECT_EQ(bench.core.wake_tick(), 100u + 256 + 4 + 7);
    const std::int64_t seen = 8 * (100 + 256 + 4 + 7);
    EXPECT_EQ(bench.core.next_wake(), seen + 1);
    EXPECT_EQ(bench.core.next_end(), seen + 2 + 18 + 2) << "both arms are looked at";
    const std::int64_t granted = seen + 2 + 18 + 2;
    for (std::int64_t edge = bench.core.last_edge(); in_steps && edge < granted; ++edge) {
      EXPECT_FALSE(bench.grant()) << edge;
      EXPECT_EQ(bench.core.idle(), edge < seen || edge > granted) << edge;
      bench.core.advance(edge + 1);
    }
    bench.core.advance(granted);
    ASSERT_TRUE(bench.grant());
    EXPECT_EQ(bench.grant()->arm, 1u);
    EXPECT_EQ(bench.core.begins(), seen + 2);
    EXPECT_FALSE(bench.core.wake());
  }
}

TEST(AauCoreTiming, ADecisionOfThePastMayBeLookedAtLate) {
  AauBench bench;
  const std::int64_t s = ready(bench) + 1;
  bench.core.advance(s + 1'000'000);
  EXPECT_TRUE(bench.grant());
  EXPECT_EQ(bench.core.begins(), s);
  // Angle 0 is sought, from s / 8 = 2 ticks on; the 22 clocks of the decision lie across 3 ticks.
  EXPECT_EQ(s, 19);
  EXPECT_EQ(bench.core.read(aau::kEstimate), 65'536u - 2 - 3);
}

}  // namespace
}  // namespace armature::testing
