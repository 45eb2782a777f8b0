#include "armature/channel/data_channel.h"
#include "armature/core/kernel_time.h"
#include "armature/media/disk_layout.h"
#include "armature/regs/chn.h"
#include "support/bus_master.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

// A channel on tracks with servo wedges; all times are worked out by hand.

namespace armature::channel::channel_wedges_test {
namespace {

namespace chn = armature::regs::chn;
using armature::testing::run_until;

constexpr Ps kTurn = 10'000'000'000;  // 6000 rpm
constexpr Ps kWedge = kTurn / 64;     // four of them leave 15/16 of a turn
constexpr Ps kSector = kTurn / 16 * 15 / 100;

struct FixedArm final : ArmPosition {
  explicit FixedArm(spindle::Spindle& stack) : turns(&stack) {}
  spindle::Spindle* turns;
  std::uint32_t at_cylinder = 0, ticks = 0;
  std::int32_t writer_further_out = 0, writer_later = 0;
  std::int32_t writer_tracks(std::uint32_t) const override { return writer_further_out; }
  std::int32_t writer_ticks(std::uint32_t) const override { return writer_later; }
  std::uint32_t cylinder() const override { return at_cylinder; }
  std::uint32_t head() const override { return 0; }
  std::uint32_t from_cylinder() const override { return 0; }
  bool on_track(bool) const override { return true; }
  std::uint32_t angle_ticks() const override { return ticks; }
  spindle::Spindle& spindle() const override { return *turns; }
};

/// 100 sectors on cylinders 0 to 9, 70 on 10 to 19; 25 and 17.5 of them between two wedges.
media::GeometryParams geometry() {
  media::GeometryParams params;
  params.heads = 1;
  params.zones = {{0, 9, 100, 0, 0, 0}, {10, 19, 70, 0, 0, 0}};
  params.wedges.assign(2, {4, media::Wedges::kTurn / 64});
  return params;
}

spindle::SpindleParams spindle() {
  spindle::SpindleParams params;
  params.rpm = 6000;
  return params;
}

class ChannelWedgesTest : public ::testing::Test {
 protected:
  ChannelWedgesTest() {
    bus_.socket.bind(channel_.regs);
    spindle_bus_.socket.bind(spindle_.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus_.write(chn::kInten, chn::inten::Done::kMask | chn::inten::Mark::kMask);
  }
  void go(std::uint64_t lba, std::uint32_t sectors, bool write = false) {
    bus_.write(chn::kLbaLo, static_cast<std::uint32_t>(lba));
    bus_.write(chn::kCtrl, chn::ctrl::Write::set(chn::ctrl::Sectors::set(chn::ctrl::Go::kMask, sectors), write));
  }
  void expect_off_track() {
    EXPECT_TRUE(chn::intstat::Error::get(bus_.read(chn::kIntstat)));
    EXPECT_EQ(chn::status::Cause::get(bus_.read(chn::kStatus)),
              static_cast<std::uint32_t>(DataChannel::Cause::off_track));
    bus_.write(chn::kIntstat, ~0u);
  }
  void expect_done_at(Ps at) {
    run_until(at - 1);
    EXPECT_FALSE(chn::intstat::Done::get(bus_.read(chn::kIntstat))) << now();
    run_until(at);
    EXPECT_TRUE(chn::intstat::Done::get(bus_.read(chn::kIntstat))) << now();
    bus_.write(chn::kIntstat, ~0u);
  }
  std::uint32_t angle_ticks(std::uint64_t lba) { return media::DiskLayout(geometry_, nullptr).locate_block(lba).angle; }

  media::Geometry geometry_{geometry()};
  spindle::Spindle spindle_{"spn", spindle(), BlockContext{}};
  FixedArm arm_{spindle_};
  DataChannel channel_{"chn0", geometry_, {&arm_}, BlockContext{}};
  armature::testing::BusMaster bus_{"bus"}, spindle_bus_{"spindle_bus"};
};

TEST_F(ChannelWedgesTest, AnAccessWaitsForTheEndOfTheWedgeAndEndsWithTheLastBit) {
  go(0, 1);
  expect_done_at(kWedge + kSector);
  go(24, 1);  // the last before wedge 1, which begins at a quarter
  expect_done_at(kTurn / 4);
  go(25, 1);
  expect_done_at(kTurn / 4 + kWedge + kSector);
  go(74, 2);  // a wedge passes between them
  expect_done_at(kTurn * 3 / 4 + kWedge + kSector);
  go(99, 1);
  expect_done_at(kTurn);
  go(0, 100);
  expect_done_at(2 * kTurn);
}

TEST_F(ChannelWedgesTest, AWedgeInTheMidstOfASectorMakesItLonger) {
  arm_.at_cylinder = 10;
  const Ps data = kTurn / 16 * 15;  // 70 sectors; no half of one is a whole number of picoseconds
  go(1017, 1);                      // half before wedge 1, half behind it
  expect_done_at(kTurn / 4 + kWedge + data / 140 + 1);
  go(1018, 1);
  expect_done_at(kTurn / 4 + kWedge + 3 * data / 140 + 1);
}

TEST_F(ChannelWedgesTest, ProgressAndMarksFollowTheEdges) {
  bus_.write(chn::kMark, 26);
  go(0, 60);
  const Ps mark = kTurn / 4 + kWedge + kSector;  // of sector 25
  run_until(kTurn / 4 - 1);
  EXPECT_EQ(bus_.read(chn::kProgress), 24u);
  run_until(kTurn / 4);
  EXPECT_EQ(bus_.read(chn::kProgress), 25u);
  run_until(mark - 1);
  EXPECT_FALSE(chn::intstat::Mark::get(bus_.read(chn::kIntstat)));
  EXPECT_EQ(bus_.read(chn::kProgress), 25u) << "the wedge has passed, and sector 25 but for its last bit";
  run_until(mark);
  EXPECT_TRUE(chn::intstat::Mark::get(bus_.read(chn::kIntstat)));
  EXPECT_EQ(bus_.read(chn::kProgress), 26u);
  expect_done_at(kTurn / 2 + kWedge + 10 * kSector);
}

TEST_F(ChannelWedgesTest, ReadOnArrivalTakesTheSectorBehindTheWedge) {
  run_until(kTurn / 2 + 1);  // in wedge 2
  bus_.write(chn::kMode, chn::mode::AnyOrder::kMask);
  go(0, 100);
  expect_done_at(kTurn + kTurn / 2);  // sector 49 is the last to pass
}

TEST_F(ChannelWedgesTest, WedgesAreMountedOnTheDiskNotOnTheArm) {
  arm_.ticks = 16'384;  // a quarter of a turn later
  go(0, 1);
  expect_done_at(kTurn / 4 + kWedge + kSector);
}

TEST_F(ChannelWedgesTest, TheWriterMustBeOnTheTrackNotTheReader) {
  arm_.writer_further_out = 3;
  arm_.at_cylinder = 5;
  go(500, 1, true);
  expect_off_track();
  go(800, 1);  // the writer is on cylinder 2, the reader is not on 8 either
  expect_off_track();
  go(500, 1);
  expect_done_at(kWedge + kSector);
  arm_.at_cylinder = 8;
  go(500, 1);
  expect_off_track();
  go(500, 1, true);
  expect_done_at(kTurn + kWedge + kSector);
  arm_.writer_further_out = -3;
  arm_.at_cylinder = 2;
  go(500, 1, true);
  expect_done_at(2 * kTurn + kWedge + kSector);
}

TEST_F(ChannelWedgesTest, ASectorPassesLaterUnderTheWriter) {
  arm_.writer_later = 8'192;  // an eighth
  go(0, 1);
  expect_done_at(kWedge + kSector);
  go(30, 1, true);
  expect_done_at(kTurn / 8 + kTurn / 4 + kWedge + 6 * kSector);
  arm_.writer_later = -512;  // before it comes under the reader
  go(0, 1, true);
  expect_done_at(kTurn - kTurn / 128 + kWedge + kSector);
}

TEST_F(ChannelWedgesTest, TranslationGivesTheAngleUnderTheHead) {
  EXPECT_EQ(angle_ticks(0), 1024u) << "a 64th";
  EXPECT_EQ(angle_ticks(24), 1024u + 24 * 65'536 / 16 * 15 / 100);
  EXPECT_EQ(angle_ticks(25), 16'384u + 1024u);
  EXPECT_EQ(angle_ticks(75), 49'152u + 1024u);
}

}  // namespace
}  // namespace armature::channel::channel_wedges_test
