// An access that grows while it goes on: 100 sectors a track, 10 ms a turn, the access begins at sector 30.
#include "support/channel_bench.h"

#include <gmock/gmock.h>

namespace armature::channel {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

ChannelSetup plain() {
  ChannelSetup s;
  s.params.errors = ChannelParams::none;
  s.ladder.clear();
  s.off = 0;
  s.contents = true;
  return s;
}

void extend_at(Bench& b, Ps at, std::uint32_t sectors) {
  run_until(at);
  b.bus.write(chn::kExtend, sectors);
}

TEST(ChannelExtend, WhatIsAddedPassesAsIfItHadBeenOrderedAtOnce) {
  Bench b{plain()};
  b.go(30, 4);
  extend_at(b, 10 * kSector, 10);                // before its first sector
  extend_at(b, 39 * kSector + kSector / 2, 20);  // in its last one
  extend_at(b, 50 * kSector - 1, 70);            // just before its end, to the track's end
  b.expect_over_at(100 * kSector);
  EXPECT_EQ(b.progress(), 70u);
  EXPECT_EQ(b.recorder.accesses.size(), 1u);
  EXPECT_EQ(b.recorder.accesses[0].second.done_at, 100 * kSector);
  EXPECT_EQ(b.recorder.accesses[0].second.first_sector_at, 30 * kSector);
  EXPECT_THAT(b.buffer.windows, ElementsAre(Pair(30 * kSector, 34 * kSector), Pair(34 * kSector, 40 * kSector),
                                            Pair(40 * kSector, 50 * kSector), Pair(50 * kSector, 100 * kSector)));
  b.clear();
  run_until(3 * kTurn);
  EXPECT_FALSE(b.over()) << "one access, one end";
}

TEST(ChannelExtend, BehindTheLastSectorItIsTooLate) {
  Bench b{plain()};
  b.go(30, 4);
  b.expect_over_at(34 * kSector);
  b.clear();
  b.bus.write(chn::kPieceAddr, 512);
  b.bus.write(chn::kPiecePush, 6);
  extend_at(b, 34 * kSector, 10);
  run_until(2 * kTurn);
  EXPECT_FALSE(b.over());
  EXPECT_EQ(b.progress(), 4u);
  b.go(30, 4);  // the piece is forgotten
  b.expect_over_at(2 * kTurn + 34 * kSector);
}

TEST(ChannelExtend, WhatCannotBeIsIgnored) {
  Bench b{plain()};
  b.go(30, 4);
  extend_at(b, 31 * kSector, 4);   // no more than there is
  extend_at(b, 31 * kSector, 3);   // less
  extend_at(b, 31 * kSector, 71);  // the track ends after 70
  b.bus.write(chn::kPiecePush, 5);
  extend_at(b, 31 * kSector, 10);  // the piece has one sector too few
  b.expect_over_at(34 * kSector);
  b.clear();
  b.go(30, 4);
  run_until(kTurn + 32 * kSector + 1);
  b.bus.write(chn::kStop, chn::stop::Stop::kMask);
  b.bus.write(chn::kExtend, 10);  // after a stop
  b.expect_over_at(kTurn + 33 * kSector);
  b.clear();
  b.bus.write(chn::kMode, chn::mode::AnyOrder::kMask);
  run_until(2 * kTurn + 32 * kSector);
  b.go(30, 4);
  b.bus.write(chn::kExtend, 10);  // any order
  b.expect_over_at(3 * kTurn + 32 * kSector);
}

TEST(ChannelExtend, DataLieWhereThePiecesSay) {
  Bench b{plain()};
  for (std::uint32_t i = 0; i < 8; ++i) b.buffer.ram[512 * (20 + i)] = static_cast<std::uint8_t>(1 + i);
  b.bus.write(chn::kAddress, 512 * 20);
  b.go(30, 8, true);
  b.expect_over_at(38 * kSector);
  b.clear();
  b.bus.write(chn::kAddress, 512 * 100);
  b.go(30, 2);
  extend_at(b, kTurn, 4);  // without a piece: behind the first two
  b.bus.write(chn::kPieceAddr, 512 * 50);
  b.bus.write(chn::kPiecePush, 3);
  b.bus.write(chn::kPieceAddr, 512 * 60);
  b.bus.write(chn::kPiecePush, 1);
  extend_at(b, kTurn + 31 * kSector, 8);
  b.expect_over_at(kTurn + 38 * kSector);
  const auto byte = [&](std::uint32_t sector) { return static_cast<int>(b.buffer.ram[512 * sector]); };
  EXPECT_THAT((std::vector<int>{byte(100), byte(101), byte(102), byte(103)}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT((std::vector<int>{byte(50), byte(51), byte(52), byte(60)}), ElementsAre(5, 6, 7, 8));
}

TEST(ChannelExtend, APlaceMayBeWrittenAnewOnceProgressHasToldOfIt) {
  Bench b{plain()};
  b.buffer.ram[0] = 1;
  b.bus.write(chn::kAddress, 0);
  b.go(30, 1, true);
  run_until(30 * kSector);
  b.bus.write(chn::kPieceAddr, 0);
  b.bus.write(chn::kPiecePush, 1);
  b.bus.write(chn::kExtend, 2);
  run_until(31 * kSector);
  EXPECT_EQ(b.progress(), 1u);
  b.buffer.ram[0] = 2;
  run_until(31 * kSector + kSector / 2);
  b.channel.power_off();  // tears the second sector, and leaves the first as it was
  std::array<std::uint8_t, 512> sector{};
  EXPECT_TRUE(b.contents.read(b.geometry.physical(30), sector.data()));
  EXPECT_EQ(sector[0], 1);
  EXPECT_FALSE(b.contents.read(b.geometry.physical(31), sector.data()));
}

TEST(ChannelExtend, AMarkBehindTheOldEndIsRaised) {
  Bench b{plain()};
  b.bus.write(chn::kMark, 4);  // as many as the access has: none
  b.go(30, 4);
  extend_at(b, 32 * kSector, 10);
  run_until(34 * kSector - 1);
  EXPECT_FALSE(b.marked());
  run_until(34 * kSector);
  EXPECT_TRUE(b.marked());
  EXPECT_EQ(b.progress(), 4u);
  EXPECT_EQ(b.recorder.accesses[0].second.done_at, 34 * kSector) << "the tag's part ends with the mark";
  EXPECT_EQ(b.recorder.phases.back().phase, "done");
  b.clear();
  b.expect_over_at(40 * kSector);
}

TEST(ChannelExtend, AMarkOfAPartLeavesTheTagItsAccess) {
  Bench b{plain()};
  b.bus.write(chn::kMark, chn::mark::Part::kMask | 2);
  b.go(30, 4);
  extend_at(b, 31 * kSector, 10);
  run_until(32 * kSector);
  EXPECT_TRUE(b.marked());
  EXPECT_EQ(b.recorder.phases.back().phase, "transfer");
  b.clear();
  b.expect_over_at(40 * kSector);
  EXPECT_EQ(b.recorder.accesses[0].second.done_at, 40 * kSector);
  EXPECT_EQ(b.recorder.phases.back().at, 40 * kSector);
}

TEST(ChannelExtend, AMarkThatHasPassedEndsTheTagsPartNow) {
  Bench b{plain()};
  b.bus.write(chn::kMark, chn::mark::Part::kMask | 2);
  b.go(30, 10);
  run_until(35 * kSector);
  b.bus.write(chn::kMark, 4);
  EXPECT_EQ(b.recorder.phases.back().phase, "done");
  EXPECT_EQ(b.recorder.accesses[0].second.done_at, 34 * kSector);
  b.expect_over_at(40 * kSector);
  EXPECT_EQ(b.recorder.phases.back().at, 35 * kSector);
}

// Only the third read of a sector succeeds: each costs two turns.
TEST(ChannelExtend, RetriesOfWhatWasOrderedDelayWhatIsAdded) {
  Bench b{ChannelSetup{}};
  b.go(30, 2);
  extend_at(b, kTurn, 4);
  b.expect_over_at(8 * kTurn + 34 * kSector);
  EXPECT_EQ(b.progress(), 4u);
  EXPECT_EQ(b.bus.read(chn::kRecoveredCount), 4u);
  EXPECT_EQ(b.bus.read(chn::kReadCount), 12u);
  EXPECT_EQ(b.recorder.accesses[0].second.retried, 8u);
}

TEST(ChannelExtend, TheDecoderTakesWhatIsAddedBehindTheRest) {
  ChannelSetup s;
  s.off = 0;
  s.params.margin_db = 100;
  s.params.latency_us = 30;
  s.params.iteration_us = 150;  // a sector passes in 100
  Bench b{s};
  b.go(30, 2);
  extend_at(b, 31 * kSector, 4);
  b.expect_over_at(31 * kSector + 30 * kUs + 4 * 150 * kUs);
  b.clear();
  b.go(30, 2);
  extend_at(b, kTurn + 32 * kSector + kUs, 4);  // decoded later, but the head has gone on: too late
  b.expect_over_at(kTurn + 31 * kSector + 30 * kUs + 2 * 150 * kUs);
  EXPECT_EQ(b.progress(), 2u);
}

TEST(ChannelExtend, NothingIsAddedBehindASectorThatCannotBeRead) {
  ChannelSetup s;
  s.params.errors = ChannelParams::none;
  s.defects = {31};
  Bench b{s};
  b.go(30, 2);
  extend_at(b, 30 * kSector, 6);
  b.expect_over_at(2 * kTurn + 32 * kSector, false);
  EXPECT_EQ(b.progress(), 1u);
}

TEST(ChannelExtend, PhysicalSectorsAreWhole) {
  ChannelSetup s = plain();
  s.physical_bytes = 4096;
  Bench b{s};
  const auto units = [](int n) { return (n * kTurn + 11) / 12; };
  b.go(26, 4);
  extend_at(b, kUs, 14);  // it ends inside a physical sector
  b.expect_over_at(units(4));
  b.clear();
  b.go(26, 6);
  extend_at(b, kTurn + kUs, 14);
  b.expect_over_at(kTurn + units(5));
  b.clear();
  b.go(24, 8, true);
  extend_at(b, 2 * kTurn + kUs, 12);  // half of one is not written
  extend_at(b, 2 * kTurn + kUs, 16);
  b.expect_over_at(2 * kTurn + units(5));
}

}  // namespace
}  // namespace armature::channel
