// Retries, decoder and preamplifier of the data channel: times by hand.
#include "armature/core/kernel_time.h"
#include "support/channel_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace armature::channel {
namespace {

using ::testing::ElementsAre;
using PhaseBegan = MechanicsRecorder::PhaseBegan;

TEST(ChannelRetry, ASectorIsReadAgainOnTheNextRevolutionStepByStepAndTheAccessGoesOnBehindIt) {
  Bench b{ChannelSetup()};
  b.go(30, 2);
  // 30 fails at first and with the first step, and so does 31, which comes at once when 30 is read.
  b.expect_over_at(4 * kTurn + 32 * kSector);
  EXPECT_EQ(b.progress(), 2u);
  EXPECT_THAT(
      b.recorder.phases,
      ElementsAre(
          PhaseBegan{3, "rotation", 0}, PhaseBegan{3, "transfer", 30 * kSector},
          PhaseBegan{3, "rotation", 31 * kSector}, PhaseBegan{3, "transfer", kTurn + 30 * kSector},
          PhaseBegan{3, "rotation", kTurn + 31 * kSector}, PhaseBegan{3, "transfer", 2 * kTurn + 30 * kSector},
          PhaseBegan{3, "rotation", 2 * kTurn + 32 * kSector}, PhaseBegan{3, "transfer", 3 * kTurn + 31 * kSector},
          PhaseBegan{3, "rotation", 3 * kTurn + 32 * kSector}, PhaseBegan{3, "transfer", 4 * kTurn + 31 * kSector},
          PhaseBegan{3, "done", 4 * kTurn + 32 * kSector}));
  const MediaAccess& access = b.recorder.accesses.at(0).second;
  EXPECT_EQ(access.first_sector_at, 30 * kSector);
  EXPECT_EQ(access.done_at, 4 * kTurn + 32 * kSector);
  EXPECT_EQ(access.retried, 4u);
  const std::vector<std::pair<Ps, Ps>> windows = {{30 * kSector, 31 * kSector},
                                                  {kTurn + 30 * kSector, kTurn + 31 * kSector},
                                                  {2 * kTurn + 30 * kSector, 2 * kTurn + 32 * kSector},
                                                  {3 * kTurn + 31 * kSector, 3 * kTurn + 32 * kSector},
                                                  {4 * kTurn + 31 * kSector, 4 * kTurn + 32 * kSector}};
  EXPECT_EQ(b.buffer.windows, windows);
  EXPECT_EQ(b.bus.read(chn::kReadCount), 6u);
  EXPECT_EQ(b.bus.read(chn::kFailedCount), 4u);
  EXPECT_EQ(b.bus.read(chn::kRecoveredCount), 2u);
  EXPECT_EQ(b.bus.read(chn::kUnreadableCount), 0u);
  EXPECT_EQ(b.bus.read(chn::kRetryCount), 2u);
  EXPECT_EQ(b.bus.read(chn::kRetryCount + 4), 2u);
  EXPECT_EQ(b.bus.read(chn::kRetryCount + 8), 0u);
  EXPECT_EQ(b.bus.read(chn::kIterationsLo), 4 * 20u + 2 * 2u);
  EXPECT_TRUE(chn::intstat::Retried::get(b.bus.read(chn::kIntstat)));
  b.clear();
  EXPECT_FALSE(chn::intstat::Retried::get(b.bus.read(chn::kIntstat)));
  b.arm.off = 0;
  b.go(50, 3);
  b.expect_over_at(4 * kTurn + 53 * kSector);
  EXPECT_FALSE(chn::intstat::Retried::get(b.bus.read(chn::kIntstat))) << "nothing was read again";
}

TEST(ChannelRetry, AtTheEndOfTheLadderTheSectorIsUnreadable) {
  ChannelSetup s;
  s.ladder = {ChannelSetup::step(2, 0)};
  s.contents = true;
  Bench b{s};
  b.go(30, 4);
  b.expect_over_at(2 * kTurn + 31 * kSector, false);
  EXPECT_EQ(b.cause(), 5u);
  EXPECT_EQ(b.progress(), 0u);
  EXPECT_EQ(b.bus.read(chn::kUnreadableCount), 1u);
  EXPECT_EQ(b.bus.read(chn::kRetryCount), 2u);
  EXPECT_TRUE(chn::intstat::Retried::get(b.bus.read(chn::kIntstat)));
  b.clear();
  b.arm.off = 0;
  b.go(30, 4);
  b.expect_over_at(3 * kTurn + 34 * kSector);
  EXPECT_EQ(b.progress(), 4u);
}

TEST(ChannelRetry, ADefectOfTheMediaWithstandsEveryStep) {
  ChannelSetup s;
  s.params.errors = ChannelParams::none;
  s.defects = {32};
  Bench b{s};
  b.go(30, 5);
  b.expect_over_at(2 * kTurn + 33 * kSector, false);
  EXPECT_EQ(b.cause(), 5u);
  EXPECT_EQ(b.progress(), 2u);
  EXPECT_EQ(b.bus.read(chn::kUnreadableCount), 1u);
}

TEST(ChannelRetry, NoRetryBeginsBehindTheTimeLimit) {
  ChannelSetup s;
  s.ladder = {ChannelSetup::step(50, 0)};
  s.limit_ms = 20;  // two turns, less the sector: of the retries the second still begins
  Bench b{s};
  b.go(30, 1);
  b.expect_over_at(2 * kTurn + 31 * kSector, false);
  EXPECT_EQ(b.bus.read(chn::kRetryCount), 2u);
}

TEST(ChannelRetry, DataComeWhenTheyAreDecodedAndTheDecoderTakesOneAfterTheOther) {
  ChannelSetup s;
  s.off = 0;
  s.params.margin_db = 100;  // one iteration a codeword
  s.params.latency_us = 30;
  s.params.iteration_us = 150;  // a sector passes in 100
  Bench b{s};
  b.bus.write(chn::kMark, 2);
  b.go(30, 4);
  const Ps first = 31 * kSector + 30 * kUs + 150 * kUs;
  run_until(first - 1);
  EXPECT_EQ(b.progress(), 0u);
  run_until(first);
  EXPECT_EQ(b.progress(), 1u);
  EXPECT_EQ(b.channel.at_work_for(), 0u);
  run_until(first + 150 * kUs - 1);
  EXPECT_FALSE(b.marked());
  run_until(first + 150 * kUs);
  EXPECT_TRUE(b.marked());
  EXPECT_EQ(b.progress(), 2u);
  b.clear();
  EXPECT_GT(now(), 34 * kSector);
  EXPECT_FALSE(b.channel.at_work_for()) << "the last sector has passed: the arm is free";
  EXPECT_FALSE(b.over());
  b.arm.at_cylinder = 7;
  b.expect_over_at(first + 3 * 150 * kUs);
  EXPECT_EQ(b.progress(), 4u);
  EXPECT_EQ(b.recorder.accesses.at(0).second.done_at, 32 * kSector) << "of its tag's sectors, the mark";
}

TEST(ChannelRetry, AnArmThatLeavesBeforeTheLastEdgeSpoilsItWhateverTheDecoderHolds) {
  ChannelSetup s;
  s.off = 0;
  s.params.latency_us = 500;
  Bench b{s};
  b.go(30, 2);
  run_until(32 * kSector - 1);
  b.arm.at_cylinder = 4;
  b.expect_over_at(32 * kSector + 500 * kUs, false);
  EXPECT_EQ(b.cause(), 1u);
}

TEST(ChannelRetry, ADecoderSlowerThanATurnMissesPassages) {
  ChannelSetup s;
  s.params.iteration_us = 600;  // 20 iterations: 12 ms until it gives up
  Bench b{s};
  b.go(30, 1);
  b.expect_over_at(4 * kTurn + 31 * kSector + 2 * 600 * kUs);
  EXPECT_EQ(b.recorder.accesses.at(0).second.retried, 4u);
}

struct Stop {
  const char* name;
  Ps stop, over;
  std::uint32_t moved;
};
std::ostream& operator<<(std::ostream& out, const Stop& stop) {
  return out << stop.name;
}

class StoppedRetry : public ::testing::TestWithParam<Stop> {};

TEST_P(StoppedRetry, EndsWithTheSectorThatIsPassing) {
  const Stop& c = GetParam();
  Bench b{ChannelSetup()};
  b.go(30, 2);
  run_until(c.stop);
  b.bus.write(chn::kStop, 1);
  if (c.over > c.stop) b.expect_over_at(c.over);
  run_until(c.over + 1);
  EXPECT_TRUE(b.done());
  EXPECT_EQ(b.progress(), c.moved);
  run_until(now() + 6 * kTurn);
  EXPECT_EQ(b.progress(), c.moved);
  EXPECT_EQ(b.recorder.phases.back(), (PhaseBegan{3, "done", c.over}));
  EXPECT_EQ(b.channel.counters().unreadable, 0u);
}

// 30 is read on the third turn, 31 on the fifth.
INSTANTIATE_TEST_SUITE_P(
    Moments, StoppedRetry,
    ::testing::Values(Stop{"before_the_first_sector", 29 * kSector, 29 * kSector, 0},
                      Stop{"in_its_first_read", 30 * kSector + 5, 31 * kSector, 0},
                      Stop{"between_two_reads", 50 * kSector, 50 * kSector, 0},
                      Stop{"in_the_read_that_succeeds", 2 * kTurn + 30 * kSector + 1, 2 * kTurn + 31 * kSector, 1},
                      Stop{"in_the_next_sector", 2 * kTurn + 31 * kSector + 1, 2 * kTurn + 32 * kSector, 1},
                      Stop{"between_its_reads", 3 * kTurn, 3 * kTurn, 1},
                      Stop{"in_the_last_read", 4 * kTurn + 31 * kSector + 1, 4 * kTurn + 32 * kSector, 2}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ChannelRetry, AReadOnArrivalGoesOnBehindASectorThatItGivesUp) {
  ChannelSetup s;
  s.params.errors = ChannelParams::none;
  s.defects = {34, 35, 32};
  s.ladder = {ChannelSetup::step(1, 0)};
  Bench b{s};
  run_until(32 * kSector + 1);
  b.bus.write(chn::kMode, chn::mode::AnyOrder::kMask);
  b.go(30, 6);
  // 33, 34 twice, 35 twice, then on the turn after that 30, 31, 32 twice.
  b.expect_over_at(4 * kTurn + 33 * kSector, false);
  EXPECT_EQ(b.cause(), 5u);
  EXPECT_EQ(b.progress(), 2u) << "32 is the first that cannot be read";
  EXPECT_EQ(b.bus.read(chn::kUnreadableCount), 3u);
  b.clear();
  run_until(5 * kTurn + 33 * kSector + 1);
  b.bus.write(chn::kMode, chn::mode::AnyOrder::kMask);
  b.go(33, 4);  // 34 twice, 35 twice, 36, and 33 at last
  b.expect_over_at(8 * kTurn + 34 * kSector, false);
  EXPECT_EQ(b.progress(), 1u) << "34 comes before 35";
}

TEST(ChannelRetry, WhatNobodyWantsIsNotReadAgain) {
  ChannelSetup s;
  s.params.errors = ChannelParams::none;
  s.defects = {32};
  Bench b{s};
  const auto piece = [&](std::uint32_t sectors, bool blank, bool drop) {
    std::uint32_t word = chn::piece_push::Sectors::set(0, sectors);
    word = chn::piece_push::Blank::set(word, blank);
    b.bus.write(chn::kPiecePush, chn::piece_push::Drop::set(word, drop));
  };
  b.bus.write(chn::kMode, chn::mode::Gather::kMask);
  piece(2, false, false);
  piece(2, true, false);
  piece(1, false, false);
  b.go(30, 5);
  b.expect_over_at(35 * kSector);
  EXPECT_EQ(b.bus.read(chn::kReadCount), 3u);
  b.clear();
  b.bus.write(chn::kMode, chn::mode::Gather::kMask);
  piece(2, false, false);
  piece(3, false, true);
  b.go(30, 5);
  b.expect_over_at(3 * kTurn + 33 * kSector, false);
}

TEST(ChannelRetry, TheMarkComesBehindTheRetriesBeforeIt) {
  Bench b{ChannelSetup()};
  b.bus.write(chn::kMark, 1);
  b.go(30, 2);
  run_until(2 * kTurn + 31 * kSector - 1);
  EXPECT_FALSE(b.marked());
  EXPECT_EQ(b.progress(), 0u);
  run_until(2 * kTurn + 31 * kSector);
  EXPECT_TRUE(b.marked());
  EXPECT_EQ(b.progress(), 1u);
  EXPECT_EQ(b.recorder.accesses.at(0).second.done_at, 2 * kTurn + 31 * kSector);
  EXPECT_EQ(b.recorder.accesses.at(0).second.retried, 2u) << "those behind the mark are not the request's";
  b.expect_over_at(4 * kTurn + 32 * kSector);
}

TEST(ChannelRetry, APreamplifierNeedsItsTime) {
  ChannelSetup s;
  s.off = 0;
  s.params.errors = ChannelParams::none;
  s.params.select_us = 20;
  s.params.write_to_read_us = 50;
  Bench b{s};
  run_until(30 * kSector - 20 * kUs);
  b.go(30, 1);  // the first selection: just in time
  b.expect_over_at(31 * kSector);
  b.clear();
  run_until(kTurn + 30 * kSector);
  b.go(30, 1);  // the same arm and head: at once
  b.expect_over_at(kTurn + 31 * kSector);
  b.clear();
  run_until(2 * kTurn + 30 * kSector - 20 * kUs + 1);
  b.go(30, 1, false, 1);  // another arm, a picosecond late
  b.expect_over_at(3 * kTurn + 31 * kSector);
  b.clear();
  b.other_arm.at_head = 1;
  run_until(4 * kTurn + 30 * kSector - 20 * kUs + 1);
  b.go(130, 1, false, 1);  // another head
  b.expect_over_at(5 * kTurn + 31 * kSector);
  b.clear();
  b.go(132, 1, true, 1);
  b.expect_over_at(5 * kTurn + 33 * kSector);
  b.clear();
  b.go(133, 1, true, 1);  // a write after a write
  b.expect_over_at(5 * kTurn + 34 * kSector);
  b.clear();
  b.go(134, 1, false, 1);  // a read after it
  b.expect_over_at(6 * kTurn + 35 * kSector);
  b.clear();
  b.go(136, 1, false, 1);
  b.expect_over_at(6 * kTurn + 37 * kSector);
}

TEST(ChannelRetry, AWaveformShowsSyncSectorsDecodingAndSteps) {
  ChannelSetup s;
  s.params.latency_us = 10;
  Bench b{s};
  b.go(30, 1);
  run_until(3 * kTurn);
  using Numbers = MechanicsRecorder::Changes<std::uint64_t>;
  const Ps sync = kSector * 15 / 577;
  const auto behind = [](const Numbers& all, std::size_t n) {
    return Numbers(all.end() - static_cast<long>(n), all.end());
  };
  EXPECT_EQ(behind(b.recorder.numbers["chn0.sync"], 7), (Numbers{{30 * kSector + sync, 1},
                                                                 {31 * kSector, 0},
                                                                 {kTurn + 30 * kSector + sync, 1},
                                                                 {kTurn + 31 * kSector, 0},
                                                                 {2 * kTurn + 30 * kSector + sync, 1},
                                                                 {2 * kTurn + 31 * kSector, 0},
                                                                 {2 * kTurn + 31 * kSector + 10 * kUs, 0}}));
  EXPECT_EQ(behind(b.recorder.numbers["chn0.retry_step"], 4),
            (Numbers{{0, 0}, {30 * kSector, 0}, {kTurn + 30 * kSector, 1}, {2 * kTurn + 30 * kSector, 2}}));
  EXPECT_EQ(behind(b.recorder.numbers["chn0.iterations"], 3), (Numbers{{31 * kSector + 10 * kUs, 20},
                                                                       {kTurn + 31 * kSector + 10 * kUs, 20},
                                                                       {2 * kTurn + 31 * kSector + 10 * kUs, 2}}));
  EXPECT_EQ(b.recorder.numbers["chn0.decoded"].back(),
            (std::pair<Ps, std::uint64_t>{2 * kTurn + 31 * kSector + 10 * kUs, 1}));
  EXPECT_EQ(b.recorder.numbers["chn0.sector"].back().second, 30u);
  const MechanicsRecorder::Changes<std::string> states = {{0, "idle"},
                                                          {0, "wait"},
                                                          {30 * kSector, "transfer"},
                                                          {31 * kSector, "wait"},
                                                          {kTurn + 30 * kSector, "transfer"},
                                                          {kTurn + 31 * kSector, "wait"},
                                                          {2 * kTurn + 30 * kSector, "transfer"},
                                                          {2 * kTurn + 31 * kSector + 10 * kUs, "idle"}};
  EXPECT_EQ(b.recorder.texts["chn0.state"], states);
}

}  // namespace
}  // namespace armature::channel
