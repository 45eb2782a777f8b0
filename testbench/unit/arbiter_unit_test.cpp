#include "armature/core/clock_edges.h"
#include "armature/core/kernel_time.h"
#include "support/arbitration_bench.h"
#include "support/request_recorder.h"

#include <gtest/gtest.h>

#include <set>

namespace armature::testing {
namespace {

using arbiter::ArbiterParams;
using arbiter::Policy;
namespace aau = regs::aau;

// 7200 rpm: a revolution is 25e9 / 3 ps, a tick 127,156.6 ps. Clock 200 MHz: 5,000 ps.
constexpr ClockEdges kEdges(5'000);

ArbiterParams params() {
  ArbiterParams p;
  p.clock_mhz = 200;
  p.pipeline_cycles = 8;
  p.lanes = 4;
  return p;
}

TEST(ArmArbitrationUnit, TakesPipelinePlusACycleForEachRowOfEachIdleArmOnTheClockGrid) {
  ArbitrationBench bench(params(), 2);
  bench.idle_arm(0, 0, 0);
  bench.idle_arm(1, 0, 0);
  for (std::uint32_t slot = 0; slot < 5; ++slot) bench.commit(slot, slot, 0, 0);
  run_until(101'001);  // between edges
  bench.enable(Policy::sptf);
  ASSERT_TRUE(bench.next_grant());
  // The bus is busy to edge 26: inten, two arms, ten words of slots. The register changes at 28, the decision starts at
  // 29. Slots 0 to 3 and 4: two rows, two arms.
  EXPECT_EQ(now(), (29 + 8 + 4) * 5'000);
  run_until(300'001);
  bench.acknowledge();
  ASSERT_TRUE(bench.next_grant());
  EXPECT_EQ(now(), (61 + 3 + 8 + 2) * 5'000) << "between edges 60 and 61; one arm";
}

TEST(ArmArbitrationUnit, APostedWriteTakesTheEdgeAtOrAfterItOrTheEndOfTheOneBefore) {
  for (const Ps late : {0, 1}) {
    SCOPED_TRACE(late);
    static ArbitrationBench bench(params(), 1);
    bench.enable(Policy::sptf);
    bench.idle_arm(0, 0, 0);
    const Ps at = kEdges.next_time(now() + 200'000) + late;
    run_until(at);
    bench.bus.write(aau::kSlotCommit, aau::slot_commit::Valid::kMask);
    EXPECT_EQ(bench.unit.writes_done(), at - late + (late + 2) * 5'000);
    bench.bus.write(aau::kMargin, 0);
    EXPECT_EQ(bench.unit.writes_done(), at - late + (late + 4) * 5'000);
    ASSERT_TRUE(bench.next_grant());
    EXPECT_EQ(now(), at - late + (late + 5 + 8 + 1) * 5'000) << "the margin's write abandons the first decision";
    bench.acknowledge();
  }
}

TEST(ArmArbitrationUnit, SoftwareReadsWhatItWroteAndTheUnitsStateOfTheLastEdge) {
  ArbitrationBench bench(params(), 1);
  bench.commit(3, 70, 1, 1'234);
  bench.idle_arm(0, 9, 0);
  // Written, not in effect: the fields are there, what hardware says is not.
  EXPECT_EQ(bench.bus.read(aau::kSlotTarget + 12), bench.track(70, 1));
  EXPECT_EQ(bench.bus.read(aau::kSlotCommit + 12), 1'234u);
  EXPECT_EQ(bench.bus.read(aau::kArm), bench.track(9, 0));
  bench.drain();
  EXPECT_EQ(bench.bus.read(aau::kSlotCommit + 12), 1'234u | aau::slot_commit::Valid::kMask);
  EXPECT_EQ(bench.bus.read(aau::kArm), bench.track(9, 0) | aau::arm::Idle::kMask);
  bench.enable(Policy::fcfs);
  ASSERT_TRUE(bench.next_grant());
  EXPECT_EQ(bench.bus.read(aau::kWork), 0x0101u);
  EXPECT_EQ(bench.bus.read(aau::kSlotCommit + 12), 1'234u);
  bench.bus.write(aau::kWithdraw, 3);
  EXPECT_EQ(bench.bus.read(aau::kWithdraw), 3u);
  bench.drain();
  EXPECT_EQ(bench.bus.read(aau::kWithdraw), 3u | aau::withdraw::TooLate::kMask);
}

TEST(ArmArbitrationUnit, AReadOfWhatTheUnitSaysSeesAStackThatHasComeToSpeed) {
  ArbitrationBench bench(params(), 1);
  bench.turning = false;
  bench.commit(0, 1, 0, 0);
  bench.idle_arm(0, 0, 0);
  bench.enable(Policy::sptf);
  ASSERT_TRUE(bench.asleep());
  bench.turning = true;
  bench.bus.read(aau::kSlotTarget);  // as software wrote it: the unit does not look
  ASSERT_TRUE(bench.asleep());
  bench.bus.read(aau::kWork);
  ASSERT_TRUE(bench.next_grant());
}

TEST(ArmArbitrationUnit, TheDebugViewTellsWhatTheUnitSaysAndDoesNotMoveIt) {
  ArbitrationBench bench(params(), 1);
  bench.turning = false;
  bench.commit(3, 70, 1, 1'234);
  bench.idle_arm(0, 9, 0);
  bench.enable(Policy::sptf);
  bench.drain();
  bench.turning = true;
  EXPECT_EQ(bench.bus.debug_read(aau::kGrant), 0u);
  EXPECT_EQ(bench.bus.debug_read(aau::kSlotTarget + 12), bench.track(70, 1)) << "as software wrote it";
  ASSERT_TRUE(bench.asleep()) << "the stack that turns now was not seen";
  bench.bus.read(aau::kWork);
  const auto grant = bench.next_grant();
  ASSERT_TRUE(grant);
  EXPECT_EQ(bench.bus.debug_read(aau::kGrant), bench.bus.read(aau::kGrant));
  EXPECT_EQ(bench.bus.debug_read(aau::kEstimate), grant->estimate);
  EXPECT_EQ(bench.bus.debug_read(aau::kIntstat), aau::intstat::Grant::kMask);
}

TEST(ArmArbitrationUnit, TheInterruptIsMaskedWhileAnAcknowledgementIsOnItsWay) {
  ArbitrationBench bench(params(), 1);
  bench.commit(0, 1, 0, 0);
  bench.idle_arm(0, 0, 0);
  bench.enable(Policy::fcfs);
  ASSERT_TRUE(bench.next_grant());
  bench.acknowledge();
  EXPECT_FALSE(bench.unit.irq.read());
  EXPECT_TRUE(bench.grant()) << "it takes effect two clocks later";
  bench.drain();
  EXPECT_FALSE(bench.grant());
  EXPECT_FALSE(bench.unit.irq.read());
}

class EveryPolicy : public ::testing::TestWithParam<Policy> {};
INSTANTIATE_TEST_SUITE_P(Arbiter, EveryPolicy,
                         ::testing::Values(Policy::fcfs, Policy::sstf, Policy::clook, Policy::sptf, Policy::aged_sptf));

TEST_P(EveryPolicy, ClassesThatYieldAreNoCandidatesWhileAHostSlotWaits) {
  ArbitrationBench bench(params(), 1);
  bench.idle_arm(0, 0, 0);
  bench.commit(40, 0, 0, 0, true, 1);  // where the arm is, and the oldest
  bench.commit(41, 1, 0, 0, false, 3);
  bench.commit(42, 2, 0, 0, false, 2);  // of a class that does not yield
  bench.commit(7, 900, 0, 0);
  bench.enable(GetParam(), 1u << 1 | 1u << 3);
  // Which of the two comes first depends on the policy; neither comes behind one that yields.
  std::set<std::uint32_t> first = {bench.next_grant()->slot};
  bench.acknowledge();
  bench.idle_arm(0, 0, 0);
  first.insert(bench.next_grant()->slot);
  EXPECT_EQ(first, (std::set<std::uint32_t>{7, 42}));
  bench.acknowledge();
  bench.idle_arm(0, 0, 0);
  ASSERT_EQ(bench.next_grant()->slot, 40u) << "no host slot waits";
  bench.acknowledge();
  bench.idle_arm(0, 0, 0);
  ASSERT_EQ(bench.next_grant()->slot, 41u);
  bench.acknowledge();
  // A host slot that is withdrawn, or committed again, counts once.
  bench.commit(7, 900, 0, 0);
  bench.commit(7, 901, 0, 0);
  bench.commit(40, 0, 0, 0, true, 1);
  bench.withdraw(7);
  bench.idle_arm(0, 0, 0);
  ASSERT_EQ(bench.next_grant()->slot, 40u);
}

TEST(ArmArbitrationUnit, OnlyHostSlotsAreAccountedToARequest) {
  RequestRecorder recorder;
  BlockContext context;
  context.requests = &recorder;
  ArbitrationBench bench(params(), 1, context);
  bench.enable(Policy::sptf);
  bench.commit(5, 0, 0, 0, true, 1);
  bench.idle_arm(0, 0, 0);
  ASSERT_TRUE(bench.next_grant());
  EXPECT_TRUE(recorder.lines.empty());
}

TEST(ArmArbitrationUnit, SleepsWithoutCandidatesArmsEnableOrRotation) {
  ArbitrationBench bench(params(), 1);
  EXPECT_TRUE(bench.asleep());
  bench.commit(7, 1, 0, 0);
  EXPECT_TRUE(bench.asleep()) << "disabled, no arm";
  bench.idle_arm(0, 0, 0);
  EXPECT_TRUE(bench.asleep()) << "disabled";
  bench.turning = false;
  bench.enable(Policy::sptf);
  EXPECT_TRUE(bench.asleep()) << "the disk stands";
  bench.turning = true;
  bench.enable(Policy::sptf);
  EXPECT_FALSE(bench.asleep());
  ASSERT_TRUE(bench.next_grant());
  bench.acknowledge();
  EXPECT_TRUE(bench.asleep()) << "no slot, no arm";
  bench.idle_arm(0, 0, 0);
  EXPECT_TRUE(bench.asleep()) << "no slot";
}

TEST(ArmArbitrationUnit, DisabledWhileDecidingGrantsNothing) {
  ArbitrationBench bench(params(), 1);
  bench.enable(Policy::fcfs);
  bench.idle_arm(0, 0, 0);
  bench.commit(0, 1, 0, 0);
  run_until(bench.begin() + 10'000);
  bench.disable();
  EXPECT_FALSE(bench.next_grant());
  EXPECT_TRUE(bench.asleep());
  bench.enable(Policy::fcfs);
  EXPECT_EQ(bench.next_grant()->slot, 0u) << "the slot was kept";
}

TEST(ArmArbitrationUnit, AGrantTakesSlotAndArmAndBlocksDecisionsUntilItIsAcknowledged) {
  ArbitrationBench bench(params(), 2);
  bench.idle_arm(0, 0, 0);
  bench.idle_arm(1, 1'000, 0);
  bench.commit(3, 10, 0, 0);
  bench.commit(4, 20, 0, 0);
  bench.enable(Policy::fcfs);
  ASSERT_EQ(bench.next_grant()->slot, 3u);
  EXPECT_FALSE(aau::slot_commit::Valid::get(bench.bus.read(aau::kSlotCommit + 4 * 3)));
  EXPECT_FALSE(aau::arm::Idle::get(bench.bus.read(aau::kArm)));
  EXPECT_TRUE(aau::arm::Idle::get(bench.bus.read(aau::kArm + 4)));
  EXPECT_EQ(bench.bus.read(aau::kIntstat), aau::intstat::Grant::kMask);
  EXPECT_TRUE(bench.asleep()) << "slot 4 and arm 1 wait for the acknowledgement";
  bench.commit(5, 1'000, 0, 0);
  bench.idle_arm(0, 10, 0);
  EXPECT_TRUE(bench.asleep()) << "nor does more work begin a decision";
  run_until(now() + kPsPerMs);
  EXPECT_EQ(bench.grant()->slot, 3u);
  bench.acknowledge();
  EXPECT_FALSE(bench.unit.irq.read());
  bench.drain();
  EXPECT_EQ(bench.bus.read(aau::kIntstat), 0u);
  EXPECT_EQ(bench.next_grant()->slot, 4u);
}

TEST(ArmArbitrationUnit, TheInterruptNeedsItsEnable) {
  ArbitrationBench bench(params(), 1);
  bench.bus.write(aau::kInten, 0);
  bench.enable(Policy::fcfs);
  bench.idle_arm(0, 0, 0);
  bench.commit(0, 1, 0, 0);
  run_until(kPsPerUs);
  EXPECT_TRUE(bench.grant());
  EXPECT_FALSE(bench.unit.irq.read());
  bench.bus.write(aau::kInten, 1);
  bench.drain();
  EXPECT_TRUE(bench.unit.irq.read());
}

TEST(ArmArbitrationUnit, TheOldestWinsATieThenTheLowestArm) {
  for (const Policy policy : {Policy::fcfs, Policy::sstf, Policy::clook, Policy::sptf, Policy::aged_sptf}) {
    SCOPED_TRACE(static_cast<int>(policy));
    static ArbitrationBench bench(params(), 3);
    bench.disable();
    bench.commit(9, 70, 1, 1'000);
    bench.commit(2, 70, 1, 1'000);
    bench.commit(5, 70, 1, 1'000);
    bench.commit(9, 70, 1, 1'000);  // committed anew: the youngest
    bench.idle_arm(2, 50, 0);
    bench.idle_arm(1, 50, 0);
    bench.enable(policy);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    for (int i = 0; i < 3; ++i) {
      const auto grant = bench.next_grant();
      ASSERT_TRUE(grant);
      order.emplace_back(grant->slot, grant->arm);
      if (i == 1) bench.idle_arm(0, 50, 0);
      bench.acknowledge();
    }
    EXPECT_EQ(order, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 1}, {5, 2}, {9, 0}}));
  }
}

TEST(ArmArbitrationUnit, ASectorUnderTheHeadJustInTimeCostsTheMoveAndOneTickLateARevolutionMore) {
  ArbitrationBench bench(params(), 1);
  bench.seek_table({{1, 1'000}, {1'001, 2'000}});
  bench.bus.write(aau::kMargin, 50);
  bench.enable(Policy::sptf);
  // Of a decision that begins with the angle 0; three writes, the start and the 9 cycles are less than a tick.
  run_until(kEdges.next_time(bench.rotation.next_passage({0, 1}, now() + 1)));
  bench.idle_arm(0, 0, 0);
  bench.commit(0, 1'001, 0, 2'050);
  EXPECT_EQ(bench.next_grant()->estimate, 2'050);
  bench.acknowledge();
  const Ps turn = bench.rotation.next_passage({0, 1}, now() + 1);
  const Ps edge = kEdges.next_time(turn);
  run_until(edge);  // the angle is 0 again: the edge lies less than a tick behind the index
  ASSERT_EQ(bench.rotation.angle(edge, 16), 0u);
  bench.idle_arm(0, 0, 0);
  bench.commit(0, 1'001, 0, 2'049);
  EXPECT_EQ(bench.next_grant()->estimate, 2'049 + 65'536);
}

TEST(ArmArbitrationUnit, AddsHeadSwitchAndWriteSettleToMovesOnly) {
  ArbitrationBench bench(params(), 1);
  bench.seek_table({{1, 1'000}, {1'001, 2'000}});
  bench.bus.write(aau::kHeadSwitch, 1'500);
  bench.bus.write(aau::kWriteSettle, 700);
  bench.enable(Policy::sptf);
  struct Case {
    const char* what;
    std::uint32_t cylinder, head;
    bool write;
    std::int64_t least;  // ticks from the decision until the sector can be under the head
  };
  const Case cases[] = {
      {"same track", 0, 0, false, 0},
      {"same track, write", 0, 0, true, 0},
      {"head switch", 0, 1, false, 1'500},
      {"head switch, write", 0, 1, true, 2'200},
      {"seek shorter than the head switch", 1, 1, false, 1'500},
      {"seek longer than the head switch", 1'001, 1, false, 2'000},
      {"seek, write", 1'001, 0, true, 2'700},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    // Seen from angle 0, a sector at `least` is reached and one a tick before is not.
    for (const std::int64_t early : {0, 1}) {
      if (c.least == 0 && early == 1) continue;
      run_until(kEdges.next_time(bench.rotation.next_passage({0, 1}, now() + 1)));
      ASSERT_EQ(bench.rotation.angle(now(), 16), 0u);
      bench.idle_arm(0, 0, 0);
      bench.commit(0, c.cylinder, c.head, static_cast<std::uint32_t>(c.least - early), c.write);
      EXPECT_EQ(bench.next_grant()->estimate, c.least - early + 65'536 * early);
      bench.acknowledge();
    }
  }
}

TEST(ArmArbitrationUnit, TheEstimateCountsFromTheGrant) {
  ArbiterParams p = params();
  p.pipeline_cycles = 1'000;  // 5 us, 39.3 ticks
  p.lanes = 1;
  ArbitrationBench bench(p, 1);
  bench.enable(Policy::sptf);
  bench.idle_arm(0, 0, 0);
  bench.commit(0, 0, 0, 1'000);
  const auto grant = bench.next_grant();
  ASSERT_TRUE(grant);
  // inten, enable, arm, target and commit take 10 clocks.
  EXPECT_EQ(grant->at, (11 + 1'001) * 5'000);
  EXPECT_EQ(grant->estimate, 1'000 - 39) << "5.06 us are 39.8 ticks, and the decision starts within the first";
  bench.acknowledge();
  run_until(kEdges.next_time(bench.rotation.next_passage({0, 1}, now() + 1)));
  bench.idle_arm(0, 0, 0);
  bench.commit(0, 0, 0, 10);
  EXPECT_EQ(bench.next_grant()->estimate, 0) << "never negative: the sector passed while the unit decided";
}

TEST(ArmArbitrationUnit, ClookSweepsUpwardAndStartsAgainAtTheLowest) {
  ArbitrationBench bench(params(), 1);
  bench.enable(Policy::clook);
  for (const std::uint32_t cylinder : {40u, 90u, 10u, 60u, 55u}) bench.commit(cylinder, cylinder, 0, 0);
  std::uint32_t at = 55;
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 5; ++i) {
    bench.idle_arm(0, at, 0);
    at = bench.next_grant()->slot;
    order.push_back(at);
    bench.acknowledge();
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{55, 60, 90, 10, 40}));
}

TEST(ArmArbitrationUnit, FcfsGivesTheOldestToTheArmThatIsThereFirst) {
  ArbitrationBench bench(params(), 3);
  bench.seek_table({{1, 1'000}, {10'001, 11'000}});
  bench.enable(Policy::fcfs);
  run_until(kPsPerUs);
  bench.commit(1, 5'000, 0, 30'000);
  bench.commit(0, 1, 0, 30'000);
  bench.idle_arm(0, 0, 0);
  bench.idle_arm(1, 40'000, 0);
  bench.bus.write(aau::kWriteSettle, 0);
  bench.idle_arm(2, 5'000, 0);
  const auto grant = bench.next_grant();
  EXPECT_EQ(grant->slot, 1u);
  EXPECT_EQ(grant->arm, 0u) << "all three reach the sector in the same turn: a tie, so the lowest arm";
  bench.acknowledge();
  bench.bus.write(aau::kMargin, 25'000);  // now arm 1 (11,000 ticks away) misses the turn, arm 2 does not
  bench.commit(7, 5'000, 0, 30'000);
  run_until(kEdges.next_time(bench.rotation.next_passage({0, 1}, now() + 1)));
  EXPECT_EQ(bench.next_grant()->slot, 0u) << "still the oldest";
}

TEST(ArmArbitrationUnit, AgeingMakesAnOldSlotWinAgainstAFasterOne) {
  ArbitrationBench bench(params(), 1);
  bench.seek_table({{1, 1'000}, {1'001, 10'000}});
  bench.bus.write(aau::kAgeing, 512);  // half a tick of cost for a tick of waiting
  bench.enable(Policy::aged_sptf);
  bench.commit(0, 1'001, 0, 20'000);  // at angle 0: 20,000 ticks
  // Two turns later it has waited 131,072 ticks, worth 65,536. A sector right ahead costs 100.
  run_until(kEdges.next_time(bench.rotation.next_passage({0, 1}, 2 * 8'333'333'333)));
  bench.commit(1, 0, 0, 100);
  bench.idle_arm(0, 0, 0);
  EXPECT_EQ(bench.next_grant()->slot, 0u);
  bench.acknowledge();
  bench.idle_arm(0, 0, 0);
  EXPECT_EQ(bench.next_grant()->slot, 1u);
  bench.acknowledge();

  bench.bus.write(aau::kAgeing, 0);  // and without ageing the fast one wins
  run_until(kEdges.next_time(bench.rotation.next_passage({0, 1}, now() + 1)));
  bench.commit(0, 1'001, 0, 20'000);
  run_until(kEdges.next_time(bench.rotation.next_passage({0, 1}, now() + 8'400'000'000)));
  bench.commit(1, 0, 0, 100);
  bench.idle_arm(0, 0, 0);
  EXPECT_EQ(bench.next_grant()->slot, 1u);
}

TEST(ArmArbitrationUnit, ASlotWithdrawnWhileItIsDecidedDoesNotWin) {
  ArbitrationBench bench(params(), 1);
  bench.enable(Policy::sstf);
  bench.idle_arm(0, 0, 0);
  bench.commit(0, 1, 0, 0);
  bench.commit(1, 2, 0, 0);
  run_until(20'000);
  bench.withdraw(0);
  EXPECT_EQ(bench.next_grant()->slot, 1u);
  bench.acknowledge();
  bench.idle_arm(0, 0, 0);
  bench.commit(2, 5, 0, 0);
  run_until(now() + 20'000);
  bench.withdraw(2);
  EXPECT_FALSE(bench.next_grant());
}

TEST(ArmArbitrationUnit, WithdrawAllDropsSlotsDecisionAndGrant) {
  ArbitrationBench bench(params(), 1);
  bench.enable(Policy::fcfs);
  bench.idle_arm(0, 0, 0);
  bench.commit(0, 1, 0, 0);
  bench.commit(1, 2, 0, 0);
  ASSERT_TRUE(bench.next_grant());
  bench.bus.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask | aau::ctrl::Enable::kMask);
  EXPECT_FALSE(bench.unit.irq.read());
  bench.drain();
  EXPECT_FALSE(bench.grant());
  EXPECT_TRUE(bench.asleep());
  EXPECT_TRUE(aau::arm::Idle::get(bench.bus.read(aau::kArm))) << "the arm of the revoked grant";
  bench.commit(3, 2, 0, 0);
  run_until(bench.begin() + 10'000);
  bench.bus.write(aau::kCtrl, aau::ctrl::WithdrawAll::kMask | aau::ctrl::Enable::kMask);
  EXPECT_FALSE(bench.next_grant()) << "the decision under way";
  bench.commit(4, 2, 0, 0);
  EXPECT_EQ(bench.next_grant()->slot, 4u);
}

TEST(ArmArbitrationUnit, AnArmThatItDoesNotHaveIsNeverGranted) {
  ArbitrationBench bench(params(), 1);
  bench.enable(Policy::fcfs);
  bench.idle_arm(3, 0, 0);
  bench.commit(0, 1, 0, 0);
  EXPECT_TRUE(bench.asleep());
  EXPECT_FALSE(aau::arm::Idle::get(bench.bus.read(aau::kArm + 12)));
}

TEST(ArmArbitrationUnit, TellsItsConfigurationAndRefusesAddressesItDoesNotHave) {
  ArbitrationBench bench(params(), 5);
  const std::uint32_t config = bench.bus.read(aau::kConfig);
  EXPECT_EQ(aau::config::Slots::get(config), 1'024u);
  EXPECT_EQ(aau::config::Arms::get(config), 5u);
  EXPECT_EQ(aau::config::Heads::get(config), 4u);
  bench.bus.write(0x7000, 0);
  EXPECT_EQ(bench.bus.last_response(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(ArmArbitrationUnit, PublishesThePhasesOfTheSlotThatWins) {
  RequestRecorder recorder;
  ArbitrationBench bench(params(), 1, {nullptr, nullptr, &recorder});
  bench.enable(Policy::sptf);
  bench.idle_arm(0, 0, 0);
  run_until(1'000);
  bench.commit(6, 0, 0, 3);  // 3 ticks of 25e9 / 3 / 65,536 ps, rounded up: 381,470
  bench.commit(8, 0, 0, 40'000);
  ASSERT_TRUE(bench.next_grant());
  EXPECT_EQ(recorder.lines, (std::vector<std::string>{"6 drive_queue 1000", "8 drive_queue 1000", "6 arbitration 55000",
                                                      "6 firmware 100000", "6 granted to 0 for 381470 at 100000"}))
      << "inten, enable, arm, target and commit take 10 clocks, the start one, the decision 9";
}

/// Writes are posted: while the word that takes a slot back is on its way, the unit may still grant it.
class TakenBack : public ::testing::TestWithParam<void (*)(ArbitrationBench&)> {};

TEST_P(TakenBack, AGrantOfASlotThatIsBeingTakenBackIsNotAccountedToItsNextRequest) {
  RequestRecorder recorder;
  ArbitrationBench bench(params(), 1, {nullptr, nullptr, &recorder});
  bench.enable(Policy::sptf);
  bench.idle_arm(0, 0, 0);
  bench.commit(6, 0, 0, 3);
  const Ps begin = bench.begin();
  run_until(begin + 4 * bench.period);
  for (int i = 0; i < 4; ++i)
    bench.bus.write(aau::kInten, aau::inten::Grant::kMask);  // the bus is busy beyond the grant
  GetParam()(bench);
  bench.commit(6, 9, 0, 50);  // the same slot for another request
  recorder.lines.clear();
  run_until(begin + 9 * bench.period + 1);
  EXPECT_EQ(bench.unit.decisions(), 1u) << "granted as it was before";
  EXPECT_EQ(recorder.lines, std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Arbiter, TakenBack,
                         ::testing::Values([](ArbitrationBench& bench) { bench.withdraw(6); },
                                           [](ArbitrationBench& bench) {
                                             bench.bus.write(aau::kCtrl,
                                                             aau::ctrl::WithdrawAll::kMask | aau::ctrl::Enable::kMask);
                                           },
                                           [](ArbitrationBench& bench) { bench.bus.write(aau::kWithdraw, 6); }));

TEST(ArmArbitrationUnit, DebugAccessHasNoSideEffect) {
  ArbitrationBench bench(params(), 1);
  bench.enable(Policy::fcfs);
  bench.idle_arm(0, 0, 0);
  bench.bus.debug_write(aau::kSlotCommit, aau::slot_commit::Valid::kMask);
  EXPECT_TRUE(bench.asleep());
  bench.commit(1, 1, 0, 0);
  ASSERT_TRUE(bench.next_grant());
  bench.bus.debug_write(aau::kGrantAck, 1);
  EXPECT_TRUE(bench.grant());
}

}  // namespace
}  // namespace armature::testing
