#include "armature/channel/data_channel.h"
#include "armature/core/kernel_time.h"

#include "armature/core/random.h"
#include "armature/regs/chn.h"
#include "armature/regs/spn.h"
#include "support/bus_master.h"
#include "support/mechanics_recorder.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::channel::channel_test {
namespace {

namespace chn = armature::regs::chn;
namespace spn = armature::regs::spn;
using armature::testing::MechanicsRecorder;
using armature::testing::run_until;
using ::testing::ElementsAre;
using PhaseBegan = MechanicsRecorder::PhaseBegan;
using StateEntered = MechanicsRecorder::StateEntered;

constexpr Ps kTurn = 10'000'000'000;  // 6000 rpm
constexpr Ps kSector = kTurn / 100;

struct FixedArm final : ArmPosition {
  explicit FixedArm(spindle::Spindle& stack) : turns(&stack) {}
  spindle::Spindle* turns;
  std::uint32_t at_cylinder = 0, at_head = 0, from = 7;
  bool settled = true, settled_for_write = true;
  Ps expected_at = 0;
  Ps expected() const override { return expected_at; }
  std::uint32_t cylinder() const override { return at_cylinder; }
  std::uint32_t head() const override { return at_head; }
  std::uint32_t from_cylinder() const override { return from; }
  bool on_track(bool write) const override { return settled && (!write || settled_for_write); }
  spindle::Spindle& spindle() const override { return *turns; }
};

media::GeometryParams geometry() {
  media::GeometryParams params;
  params.heads = 2;
  params.zones = {{0, 9, 100, 10, 20, 50}, {10, 19, 70, 7, 9, 0}};
  params.slips = {{0, 205}};  // sixth sector of cylinder 1, head 0
  return params;
}

spindle::SpindleParams spindle() {
  spindle::SpindleParams params;
  params.rpm = 6000;
  params.spin_down_s = 0.001;
  return params;
}

spindle::SpindleParams quarter_turn_ahead() {
  spindle::SpindleParams params = spindle();
  params.index_phase_rev = 0.25;
  return params;
}

class DataChannelTest : public ::testing::Test {
 protected:
  DataChannelTest() {
    bus_.socket.bind(channel_.regs);
    spindle_bus_.socket.bind(spindle_.regs);
    other_spindle_bus_.socket.bind(other_spindle_.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus_.write(chn::kInten, chn::inten::Done::kMask | chn::inten::Error::kMask);
  }

  void go(std::uint64_t lba, std::uint32_t sectors, std::uint32_t tag = 3, bool write = false, std::uint32_t arm = 0) {
    bus_.write(chn::kLbaHi, static_cast<std::uint32_t>(lba >> 32));
    bus_.write(chn::kLbaLo, static_cast<std::uint32_t>(lba));
    std::uint32_t word = chn::ctrl::Go::kMask | chn::ctrl::Tag::set(0, tag);
    word = chn::ctrl::Arm::set(chn::ctrl::Sectors::set(word, sectors), arm);
    bus_.write(chn::kCtrl, chn::ctrl::Write::set(word, write));
  }
  bool done() { return chn::intstat::Done::get(bus_.read(chn::kIntstat)); }
  bool error() { return chn::intstat::Error::get(bus_.read(chn::kIntstat)); }
  std::uint32_t cause() { return chn::status::Cause::get(bus_.read(chn::kStatus)); }
  bool busy() { return chn::status::Busy::get(bus_.read(chn::kStatus)); }
  void clear() { bus_.write(chn::kIntstat, ~0u); }
  void expect_done_at(Ps at) {
    EXPECT_TRUE(busy());
    run_until(at - 1);
    EXPECT_FALSE(done()) << now();
    EXPECT_FALSE(channel_.irq.read());
    run_until(at);
    EXPECT_TRUE(done()) << now();
    EXPECT_TRUE(channel_.irq.read());
    EXPECT_FALSE(error());
    EXPECT_FALSE(busy());
    EXPECT_EQ(cause(), 0u);
    clear();
    EXPECT_FALSE(channel_.irq.read());
  }
  void expect_refused(DataChannel::Cause why) {
    EXPECT_TRUE(error());
    EXPECT_TRUE(channel_.irq.read());
    EXPECT_FALSE(done());
    EXPECT_FALSE(busy());
    EXPECT_EQ(cause(), static_cast<std::uint32_t>(why));
    clear();
    EXPECT_FALSE(channel_.irq.read());
  }

  MechanicsRecorder recorder_;
  media::Geometry geometry_{geometry()};
  spindle::Spindle spindle_{"spn", spindle(), BlockContext{}};
  spindle::Spindle other_spindle_{"spn1", quarter_turn_ahead(), BlockContext{}};
  FixedArm arm_{spindle_}, other_arm_{spindle_};
  DataChannel channel_{"chn0", geometry_, {&arm_, &other_arm_}, recorder_.context()};
  armature::testing::BusMaster bus_{"bus"}, spindle_bus_{"spindle_bus"}, other_spindle_bus_{"other_spindle_bus"};
};

TEST_F(DataChannelTest, WaitsForTheFirstSectorAndEndsWithTheLast) {
  go(30, 8);
  expect_done_at(38 * kSector);
  EXPECT_THAT(recorder_.phases, ElementsAre(PhaseBegan{3, "rotation", 0}, PhaseBegan{3, "transfer", 30 * kSector},
                                            PhaseBegan{3, "done", 38 * kSector}));
  ASSERT_EQ(recorder_.accesses.size(), 1u);
  const auto& [tag, access] = recorder_.accesses[0];
  EXPECT_EQ(tag, 3u);
  EXPECT_EQ(access.arm, 0u);
  EXPECT_EQ(access.head, 0u);
  EXPECT_EQ(access.cylinder, 0u);
  EXPECT_EQ(access.from_cylinder, 7u);
  EXPECT_EQ(access.first_sector_at, 30 * kSector);
  EXPECT_EQ(access.done_at, 38 * kSector);
  EXPECT_THAT(recorder_.states["chn0"],
              ElementsAre(StateEntered{1, 0}, StateEntered{2, 30 * kSector}, StateEntered{0, 38 * kSector}));
}

TEST_F(DataChannelTest, GoAtTheVeryEdgeStillGetsTheSector) {
  run_until(30 * kSector);
  go(30, 1);
  expect_done_at(31 * kSector);
  run_until(kTurn + 30 * kSector + 1);
  go(30, 1);
  expect_done_at(2 * kTurn + 31 * kSector);
  EXPECT_EQ(recorder_.accesses[1].second.first_sector_at, 2 * kTurn + 30 * kSector) << "a picosecond late: a turn";
}

TEST_F(DataChannelTest, ASectorThatComesATurnSoonerThanExpectedIsLetPass) {
  arm_.expected_at = kTurn + 30 * kSector;
  run_until(29 * kSector);
  go(30, 2);
  expect_done_at(kTurn + 32 * kSector);
  EXPECT_EQ(recorder_.accesses[0].second.first_sector_at, kTurn + 30 * kSector);
  go(30, 1);  // what was expected is over
  expect_done_at(2 * kTurn + 31 * kSector);
  arm_.expected_at = 3 * kTurn + 5 * kSector;
  go(5, 1);  // comes at that very time
  expect_done_at(3 * kTurn + 6 * kSector);
  arm_.expected_at = 4 * kTurn + 40 * kSector;
  go(10, 1);  // not what it was sent for, but nearer than half a turn
  expect_done_at(4 * kTurn + 11 * kSector);
}

TEST_F(DataChannelTest, OfAFreeReadTheWantedSectorIsTheOneThatIsExpected) {
  arm_.expected_at = kTurn + 30 * kSector;
  run_until(25 * kSector);
  bus_.write(chn::kMode, chn::mode::Free::kMask);
  bus_.write(chn::kWanted, 10);
  go(20, 12);  // 30 is wanted; what comes before it on the next turn is read, too
  expect_done_at(kTurn + 32 * kSector);
  EXPECT_EQ(recorder_.accesses[0].second.first_sector_at, kTurn + 30 * kSector);
  EXPECT_EQ(bus_.read(chn::kLeftOut), 0u);
}

TEST_F(DataChannelTest, AWholeTrackTakesAWholeTurn) {
  run_until(5 * kSector + 1);
  go(0, 100);
  expect_done_at(2 * kTurn);
  EXPECT_EQ(recorder_.accesses[0].second.first_sector_at, kTurn);
}

TEST_F(DataChannelTest, TheSkewIsPartOfTheAngle) {
  arm_.at_head = 1;
  go(100, 1);  // first sector behind a head switch
  expect_done_at(11 * kSector);
  arm_.at_cylinder = 1;
  arm_.at_head = 0;
  go(200, 1);  // and behind a cylinder switch
  expect_done_at(31 * kSector);
}

// The same angles told in revolutions: what passes and when is the same, in each mode.
TEST(DataChannel, SkewsInRevolutionsGiveTheSameTimesAsInSectors) {
  media::GeometryParams in_sectors = geometry(), in_turns = geometry();
  in_sectors.zones = {{0, 9, 100, 10, 20, 50}, {10, 19, 64, 8, 16, 0}};
  in_turns.zones = {{0, 9, 100, 0.1, 0.2, 50}, {10, 19, 64, 0.125, 0.25, 0}};
  in_turns.skew_unit = media::SkewUnit::revolutions;
  const media::Geometry one(in_sectors), other(in_turns);
  spindle::Spindle stack{"spn", spindle(), BlockContext{}};
  FixedArm arm{stack};
  MechanicsRecorder first, second;
  DataChannel a{"chn_sectors", one, {&arm}, first.context()};
  DataChannel b{"chn_turns", other, {&arm}, second.context()};
  armature::testing::BusMaster bus_a{"bus_a"}, bus_b{"bus_b"}, spindle_bus{"spindle_bus"};
  spindle_bus.socket.bind(stack.regs);
  bus_a.socket.bind(a.regs);
  bus_b.socket.bind(b.regs);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  RandomStream random(5, "skews");
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::uint64_t lba = random.below(one.sectors());
    const media::Location at = one.locate(lba);
    arm.at_cylinder = at.cylinder;
    arm.at_head = at.head;
    const auto sectors = static_cast<std::uint32_t>(1 + random.below(at.run));
    for (auto* const bus : {&bus_a, &bus_b}) {
      bus->write(chn::kIntstat, ~0u);
      bus->write(chn::kLbaLo, static_cast<std::uint32_t>(lba));
      bus->write(chn::kWanted, sectors / 2);
      bus->write(chn::kMode, i % 3 == 0 ? 0 : i % 3 == 1 ? chn::mode::AnyOrder::kMask : chn::mode::Free::kMask);
      bus->write(chn::kCtrl, chn::ctrl::Sectors::set(chn::ctrl::Go::kMask | chn::ctrl::Tag::set(0, i), sectors));
      ASSERT_EQ(chn::status::Cause::get(bus->read(chn::kStatus)), 0u) << lba;
    }
    run_until(now() + static_cast<Ps>(random.below(kTurn)));
    ASSERT_EQ(bus_a.read(chn::kProgress), bus_b.read(chn::kProgress)) << lba;
    run_until(now() + 2 * kTurn);
    ASSERT_EQ(first.accesses.size(), i + 1);
    ASSERT_EQ(first.accesses[i].second.first_sector_at, second.accesses[i].second.first_sector_at) << lba;
    ASSERT_EQ(first.accesses[i].second.done_at, second.accesses[i].second.done_at) << lba;
  }
}

TEST_F(DataChannelTest, ASlippedSectorInTheRunPassesToo) {
  arm_.at_cylinder = 1;
  go(203, 4);  // sectors 3, 4, 6 and 7 of the track: 5 is slipped
  expect_done_at((30 + 8) * kSector);
}

TEST_F(DataChannelTest, ARunAcrossTheIndexGoesOnInTheNextTurn) {
  arm_.at_head = 1;
  go(185, 10);  // sector 85 of a track that begins at sector 10's angle: angle 95
  expect_done_at(kTurn + 5 * kSector);
}

TEST_F(DataChannelTest, RandomAccessesMatchTheExactFractions) {
  // Zone of 70 sectors: edges are at sevenths of a nanosecond-multiple and must be rounded up, once.
  arm_.at_cylinder = 10;
  RandomStream random(3, "channel");
  const std::uint64_t zone = 10 * 2 * 100 - 50;
  for (int i = 0; i < 500; ++i) {
    const auto sector = static_cast<std::int64_t>(random.below(70));
    const auto sectors = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(70 - sector)));
    run_until(now() + static_cast<Ps>(random.below(3 * kTurn)));
    const Ps begin = now();
    go(zone + static_cast<std::uint64_t>(sector), static_cast<std::uint32_t>(sectors));
    // In units of 1/70 of a turn, exactly: the first edge at or after begin.
    std::int64_t edge = begin / kTurn * 70 + sector;
    if (edge * kTurn < begin * 70) edge += 70;
    const Ps first = (edge * (kTurn / 10) + 6) / 7, end = ((edge + sectors) * (kTurn / 10) + 6) / 7;
    ASSERT_EQ(recorder_.accesses.back().second.first_sector_at, first) << sector << " at " << begin;
    ASSERT_EQ(recorder_.accesses.back().second.done_at, end) << sector << "+" << sectors;
    run_until(end);
    ASSERT_TRUE(done());
    clear();
  }
}

TEST_F(DataChannelTest, EachArmGoesByTheStackThatItIsOn) {
  other_arm_.turns = &other_spindle_;
  go(30, 8, 3, false, 1);
  expect_done_at(13 * kSector);
  EXPECT_EQ(recorder_.accesses[0].second.first_sector_at, 5 * kSector);
  go(30, 8);
  expect_done_at(38 * kSector);
  go(30, 70, 3, false, 1);  // from sector 63 of that stack: the next turn
  bus_.write(chn::kMark, 10);
  run_until(now() + kTurn / 2);
  EXPECT_EQ(bus_.read(chn::kProgress), 0u);
  run_until(kTurn + 6 * kSector);
  EXPECT_EQ(bus_.read(chn::kProgress), 1u);
  spindle_bus_.write(spn::kCtrl, spn::ctrl::Go::kMask);  // the other one stops, which is nothing to this access
  expect_done_at(kTurn + 75 * kSector);
  go(30, 1);
  expect_refused(DataChannel::Cause::not_at_speed);
  go(30, 1, 3, false, 1);
  EXPECT_TRUE(busy());
  other_spindle_bus_.write(spn::kCtrl, spn::ctrl::Go::kMask);
  run_until(now() + 2 * kTurn);
  expect_refused(DataChannel::Cause::not_at_speed);
}

TEST_F(DataChannelTest, RefusesWhatCannotBeAndSaysWhy) {
  go(30, 0);
  expect_refused(DataChannel::Cause::impossible);
  go(30, 71);  // the track ends after 70
  expect_refused(DataChannel::Cause::impossible);
  go(geometry_.sectors(), 1);
  expect_refused(DataChannel::Cause::impossible);
  go(std::uint64_t{1} << 32, 1);
  expect_refused(DataChannel::Cause::impossible);
  go(100, 1);  // head 1
  expect_refused(DataChannel::Cause::off_track);
  go(200, 1);  // cylinder 1
  expect_refused(DataChannel::Cause::off_track);
  go(30, 1, 3, false, 2);  // no such arm
  expect_refused(DataChannel::Cause::off_track);
  arm_.settled = false;
  go(30, 1);
  expect_refused(DataChannel::Cause::off_track);
  arm_.settled = true;
  arm_.settled_for_write = false;
  go(30, 1, 3, /*write=*/true);
  expect_refused(DataChannel::Cause::off_track);
  EXPECT_TRUE(recorder_.phases.empty()) << "nothing is accounted";
  go(30, 1);
  expect_done_at(31 * kSector);
}

TEST_F(DataChannelTest, UsesTheArmAskedFor) {
  other_arm_.at_cylinder = 1;
  other_arm_.from = 9;
  go(200, 1, 3, /*write=*/true, /*arm=*/1);
  expect_done_at(31 * kSector);
  EXPECT_EQ(recorder_.accesses[0].second.arm, 1u);
  EXPECT_EQ(recorder_.accesses[0].second.from_cylinder, 9u);
}

TEST_F(DataChannelTest, ASecondGoIsRefusedAndTheFirstGoesOn) {
  go(30, 8);
  go(50, 8);
  EXPECT_TRUE(error());
  EXPECT_EQ(cause(), static_cast<std::uint32_t>(DataChannel::Cause::busy));
  clear();
  expect_done_at(38 * kSector);
  EXPECT_EQ(recorder_.accesses.size(), 1u);
}

TEST_F(DataChannelTest, NeedsTheStackAtSpeedToTheEnd) {
  go(30, 8);
  spindle_bus_.write(spn::kCtrl, spn::ctrl::Go::kMask);  // stop
  run_until(38 * kSector);
  expect_refused(DataChannel::Cause::not_at_speed);
  go(30, 8);
  expect_refused(DataChannel::Cause::not_at_speed);
}

TEST_F(DataChannelTest, AnArmThatLeftUnderTheAccessSpoilsIt) {
  go(30, 8);
  run_until(35 * kSector);
  arm_.at_cylinder = 5;
  run_until(38 * kSector);
  expect_refused(DataChannel::Cause::off_track);
}

TEST_F(DataChannelTest, ATracedAccessShowsItsStatesInTheirTime) {
  go(30, 8);
  run_until(50 * kSector);
  const MechanicsRecorder::Changes<std::string> states = {
      {0, "idle"}, {0, "wait"}, {30 * kSector, "transfer"}, {38 * kSector, "idle"}};
  EXPECT_EQ(recorder_.texts["chn0.state"], states);
  const MechanicsRecorder::Changes<std::uint64_t> gate = {{0, 0}, {30 * kSector, 1}, {38 * kSector, 0}};
  EXPECT_EQ(recorder_.numbers["chn0.gate"], gate);
  EXPECT_EQ(recorder_.numbers["chn0.lba"].back().second, 30u);
}

TEST_F(DataChannelTest, DebugAccessStartsNothing) {
  bus_.debug_write(chn::kCtrl, chn::ctrl::Go::kMask | chn::ctrl::Sectors::set(0, 1));
  run_until(2 * kTurn);
  EXPECT_FALSE(done());
  EXPECT_FALSE(busy());
}

}  // namespace
}  // namespace armature::channel::channel_test
