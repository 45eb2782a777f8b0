// Retries, decoder and preamplifier of the data channel: times by hand, and random accesses against a reference that
// goes from sector to sector.
#include "armature/channel/data_channel.h"

#include "armature/core/random.h"
#include "armature/regs/chn.h"
#include "support/bus_master.h"
#include "support/mechanics_recorder.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace armature::channel {
namespace {

namespace chn = armature::regs::chn;
using armature::testing::MechanicsRecorder;
using armature::testing::run_until;
using ::testing::ElementsAre;
using PhaseBegan = MechanicsRecorder::PhaseBegan;
using StateEntered = MechanicsRecorder::StateEntered;

constexpr Ps kTurn = 10'000'000'000;  // 6000 rpm
constexpr Ps kSector = kTurn / 100;
constexpr Ps kUs = kPsPerUs;

struct PlacedArm final : ArmPosition {
  explicit PlacedArm(spindle::Spindle& stack) : turns(&stack) {}
  spindle::Spindle* turns;
  std::uint32_t at_cylinder = 0, at_head = 0;
  std::optional<double> off;  ///< tracks
  std::uint32_t cylinder() const override { return at_cylinder; }
  std::uint32_t head() const override { return at_head; }
  std::uint32_t from_cylinder() const override { return 0; }
  bool on_track(bool) const override { return true; }
  spindle::Spindle& spindle() const override { return *turns; }
  std::optional<double> position_error() const override { return off; }
};

spindle::SpindleParams spindle_params() {
  spindle::SpindleParams params;
  params.rpm = 6000;
  return params;
}

media::GeometryParams one_track(std::int64_t physical_bytes) {
  media::GeometryParams params;
  params.heads = 2;
  params.physical_sector_bytes = physical_bytes;
  params.zones = {{0, 9, physical_bytes == 512 ? 100. : 96., 0, 0, 0}};
  return params;
}

class RecordingBuffer final : public BufferPort {
 public:
  std::vector<std::pair<Ps, Ps>> windows;
  Ps stopped = -1;
  std::array<std::uint8_t, 512 * 256> ram{};
  void media_moves(Ps begin, Ps end, std::int64_t) override { windows.emplace_back(begin, end); }
  void media_stops(Ps end) override { stopped = end; }
  std::uint8_t* bytes(std::uint32_t address, std::uint32_t) override { return ram.data() + address; }
};

/// A channel whose head is 0.35 tracks off: no read succeeds but with the offset that the ladder's second step has.
struct ChannelSetup {
  ChannelParams params;
  std::vector<std::uint32_t> ladder;  ///< words of chn.ladder_step
  std::uint32_t limit_ms = 0;
  std::int64_t physical_bytes = 512;
  std::vector<std::uint64_t> defects;
  bool contents = false;
  std::optional<double> off = 0.35;

  ChannelSetup() {
    params.errors = ChannelParams::margin;
    params.margin_db = 3;
    params.sector_sigma_db = params.attempt_sigma_db = 0;
    ladder = {step(1, 0), step(1, -90)};
  }
  static std::uint32_t step(std::uint32_t repeats, std::int32_t offset, std::uint32_t detector = 0) {
    std::uint32_t word = chn::ladder_step::Repeats::set(0, repeats);
    word = chn::ladder_step::Offset::set(word, static_cast<std::uint32_t>(offset) & 0x1FFu);
    return chn::ladder_step::Detector::set(word, detector);
  }
};

class Bench {
 public:
  explicit Bench(const ChannelSetup& setup)
      : geometry(one_track(setup.physical_bytes)),
        contents(keep(setup), geometry.physical_sectors(), defects(setup)),
        channel("chn0", geometry, {&arm, &other_arm}, recorder.context(),
                {setup.contents || !setup.defects.empty() ? &contents : nullptr, &buffer, nullptr}, 1, setup.params) {
    arm.off = other_arm.off = setup.off;
    bus.socket.bind(channel.regs);
    spindle_bus.socket.bind(spindle.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (std::uint32_t i = 0; i < setup.ladder.size(); ++i) bus.write(chn::kLadderStep + 4 * i, setup.ladder[i]);
    const std::uint32_t limit = chn::ladder_ctrl::LimitMs::set(0, setup.limit_ms);
    if (!setup.ladder.empty()) bus.write(chn::kLadderCtrl, chn::ladder_ctrl::Enable::set(limit, 1));
    bus.write(chn::kInten, chn::inten::Done::kMask | chn::inten::Error::kMask | chn::inten::Mark::kMask);
  }
  static media::ContentsParams keep(const ChannelSetup& setup) {
    media::ContentsParams params;
    params.contents = setup.contents ? media::ContentsParams::memory : media::ContentsParams::none;
    return params;
  }
  static std::vector<media::Defect> defects(const ChannelSetup& setup) {
    std::vector<media::Defect> found;
    for (const std::uint64_t sector : setup.defects) found.push_back({sector, 1, 0});
    return found;
  }

  void go(std::uint32_t lba, std::uint32_t sectors, bool write = false, std::uint32_t arm_number = 0) {
    bus.write(chn::kLbaLo, lba);
    std::uint32_t word = chn::ctrl::Go::kMask | chn::ctrl::Tag::set(0, 3);
    word = chn::ctrl::Arm::set(chn::ctrl::Sectors::set(word, sectors), arm_number);
    bus.write(chn::kCtrl, chn::ctrl::Write::set(word, write));
    ASSERT_EQ(chn::status::Cause::get(bus.read(chn::kStatus)), 0u);
  }
  bool done() { return chn::intstat::Done::get(bus.read(chn::kIntstat)); }
  bool error() { return chn::intstat::Error::get(bus.read(chn::kIntstat)); }
  bool marked() { return chn::intstat::Mark::get(bus.read(chn::kIntstat)); }
  bool over() { return done() || error(); }
  std::uint32_t progress() { return bus.read(chn::kProgress); }
  std::uint32_t cause() { return chn::status::Cause::get(bus.read(chn::kStatus)); }
  void clear() { bus.write(chn::kIntstat, ~0u); }
  /// The access ends exactly at `at`, well or not.
  void expect_over_at(Ps at, bool well = true) {
    run_until(at - 1);
    EXPECT_FALSE(over()) << now();
    run_until(at);
    EXPECT_EQ(done(), well) << now();
    EXPECT_EQ(error(), !well) << now();
  }

  MechanicsRecorder recorder;
  media::Geometry geometry;
  media::Contents contents;
  RecordingBuffer buffer;
  spindle::Spindle spindle{"spn", spindle_params(), BlockContext{}};
  PlacedArm arm{spindle}, other_arm{spindle};
  DataChannel channel;
  armature::testing::BusMaster bus{"bus"}, spindle_bus{"spindle_bus"};
};

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

/// What must come of a read, sector by sector: angles are whole parts of a turn here.
struct Expected {
  std::vector<Ps> ready;  ///< of each block, in order; empty behind an unreadable one
  std::optional<std::uint32_t> bad;
  Ps over = 0;
  std::uint64_t reads = 0, failed = 0, given_up = 0;
};

struct RandomReads {
  const char* name;
  std::int64_t physical_bytes;
  double margin_db;
  double latency_us, iteration_us;
  double burst_rate = 0;  ///< of flaws of 10,000 bits
};
std::ostream& operator<<(std::ostream& out, const RandomReads& reads) {
  return out << reads.name;
}

class RandomAccesses : public ::testing::TestWithParam<RandomReads> {};

TEST_P(RandomAccesses, EndWhenAndWhereTheReferenceSays) {
  const RandomReads& given = GetParam();
  ChannelSetup s;
  s.off = std::nullopt;
  s.physical_bytes = given.physical_bytes;
  s.contents = true;
  s.params.margin_db = given.margin_db;
  s.params.sector_sigma_db = 0.4;
  s.params.attempt_sigma_db = 0.3;
  s.params.position_error_rms = 0.03;
  s.params.detector_gain_db = {0.4};
  s.params.latency_us = given.latency_us;
  s.params.iteration_us = given.iteration_us;
  s.params.burst_rate = given.burst_rate;
  s.params.burst_bits = 10'000;
  s.ladder = {ChannelSetup::step(2, 0), ChannelSetup::step(0, 9), ChannelSetup::step(1, 0, 1)};
  Bench b{s};
  const ReadProcess process(s.params, static_cast<std::uint32_t>(s.physical_bytes));
  const std::array<std::uint32_t, 4> detector = {0, 0, 0, 1};  // of the first read and the three retries
  const std::uint32_t unit = s.physical_bytes == 512 ? 1 : 8;
  const std::int64_t track = unit == 1 ? 100 : 96;
  const auto angle_time = [&](std::int64_t turn, std::int64_t sector) {
    return (Ps{turn * track + sector} * kTurn + track - 1) / track;  // rounded up
  };
  for (std::uint32_t sector = 0; sector < track; ++sector) {
    const std::vector<std::uint8_t> bytes(512, static_cast<std::uint8_t>(sector + 1));
    b.contents.write(sector, bytes.data());
  }
  const Ps latency = from_us(s.params.latency_us), iteration = from_us(s.params.iteration_us);
  RandomStream random(11, "reads");
  std::uint64_t reads = 0, failed = 0, unreadable = 0, stopped = 0, in_any_order = 0;
  for (int round = 0; round < 600; ++round) {
    run_until(now() + static_cast<Ps>(random.below(kTurn)));
    const auto lba = static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(track)));
    const auto sectors = static_cast<std::uint32_t>(1 + random.below(static_cast<std::uint64_t>(track) - lba));
    // The reference: one physical sector after the other, from the one that comes first if the order is free.
    Expected expected;
    std::vector<std::int64_t> order;
    for (std::int64_t p = lba / unit * unit; p < lba + sectors; p += unit) order.push_back(p);
    const auto next_passage = [&](std::int64_t p, Ps from) {
      std::int64_t turn = from / kTurn;
      while (angle_time(turn, p) < from) ++turn;
      return turn;
    };
    const bool free_order = random.chance(0.3);
    const auto comes_first = std::min_element(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
      return angle_time(next_passage(x, now()), x) < angle_time(next_passage(y, now()), y);
    });
    const bool any_order = free_order && comes_first != order.begin();
    if (any_order) std::rotate(order.begin(), comes_first, order.end());
    Ps decoder = 0, passed = now();
    for (const std::int64_t p : order) {
      if (expected.bad && !any_order) break;
      bool read = false;
      std::int64_t turn = next_passage(p, passed);
      for (std::size_t attempt = 0; attempt < 4 && !read; ++attempt) {
        if (attempt > 0) turn = next_passage(p, std::max(decoder, angle_time(turn + 1, p)));
        const auto result = process.read(static_cast<std::uint64_t>(p), angle_time(turn, p), 0, std::nullopt,
                                         {0, detector[attempt], false});
        passed = angle_time(turn, p + unit);
        decoder = std::max(decoder, passed + latency) + result.iterations * iteration;
        ++expected.reads;
        expected.failed += result.ok ? 0 : 1;
        read = result.ok;
      }
      expected.given_up += read ? 0 : 1;
      const std::int64_t end = std::min<std::int64_t>(p + unit, lba + sectors);
      for (std::int64_t block = std::max<std::int64_t>(p, lba); block < end; ++block) {
        if (read && !any_order) expected.ready.push_back(decoder);
        if (!read) expected.bad = std::min(expected.bad.value_or(sectors), static_cast<std::uint32_t>(block - lba));
      }
    }
    expected.over = decoder;

    b.buffer.ram.fill(0xEE);
    if (free_order) b.bus.write(chn::kMode, chn::mode::AnyOrder::kMask);
    b.go(lba, sectors);
    const bool stop = !any_order && random.chance(0.2);
    in_any_order += any_order ? 1 : 0;
    const Ps look = now() + static_cast<Ps>(random.below(static_cast<std::uint64_t>(expected.over - now())));
    run_until(look);
    const auto come = static_cast<std::uint32_t>(std::upper_bound(expected.ready.begin(), expected.ready.end(), look) -
                                                 expected.ready.begin());
    ASSERT_EQ(b.progress(), come) << lba << "+" << sectors << " at " << look;
    if (stop) {
      ++stopped;
      b.bus.write(chn::kStop, 1);
      run_until(std::max(look, expected.over));
      ASSERT_TRUE(b.over());
      ASSERT_GE(b.progress(), come);
      if (b.error()) {
        ASSERT_TRUE(expected.bad);
      }
    } else {
      b.expect_over_at(expected.over, !expected.bad);
      ASSERT_EQ(b.progress(), expected.bad.value_or(sectors)) << lba << "+" << sectors;
      if (expected.bad) {
        ASSERT_EQ(b.cause(), 5u);
      }
      reads += expected.reads;
      failed += expected.failed;
      unreadable += expected.given_up;
      ASSERT_EQ(b.channel.counters().unreadable, unreadable);
    }
    const std::uint32_t moved = b.progress();
    for (std::uint32_t i = 0; i < sectors; ++i)
      ASSERT_EQ(b.buffer.ram[512 * i], i < moved ? static_cast<std::uint8_t>(lba + i + 1) : 0xEE)
          << i << " of " << moved;
    if (stop) {  // counted up to an unknown place
      unreadable = b.channel.counters().unreadable;
      reads = b.channel.counters().reads;
      failed = b.channel.counters().failed;
    }
    ASSERT_EQ(b.channel.counters().reads, reads);
    ASSERT_EQ(b.channel.counters().failed, failed);
    b.clear();
  }
  EXPECT_GT(failed, 200u);
  EXPECT_GT(unreadable, 10u);
  EXPECT_GT(stopped, 80u);
  EXPECT_GT(in_any_order, 30u);
}

INSTANTIATE_TEST_SUITE_P(Channels, RandomAccesses,
                         ::testing::Values(RandomReads{"immediate", 512, 0.7, 0, 0},
                                           RandomReads{"latency", 512, 0.7, 37, 0},
                                           RandomReads{"slow_decoder", 512, 0.7, 5, 60},
                                           RandomReads{"many_flaws", 512, 3, 0, 0, 0.05},
                                           RandomReads{"physical_4096", 4'096, 0.5, 0, 0},
                                           RandomReads{"physical_4096_decoder", 4'096, 0.5, 20, 300}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace armature::channel
