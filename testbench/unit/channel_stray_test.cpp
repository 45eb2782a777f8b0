// The arm leaves its track in the midst of an access: what is written, what is spoilt, what firmware is told.
#include "armature/core/kernel_time.h"
#include "support/channel_bench.h"

#include <sysc/kernel/sc_dynamic_processes.h>

#include <algorithm>

namespace armature::channel {
namespace {

constexpr std::uint32_t kStrayed = 6;
constexpr std::uint32_t kStart = 20;  // first sector: passes at 20 kSector

ChannelSetup plain() {
  ChannelSetup setup;
  setup.params = {};
  setup.ladder.clear();
  setup.contents = true;
  setup.off.reset();
  return setup;
}

class Stray : public ::testing::Test {
 protected:
  void start(bool write, const ChannelSetup& setup = plain()) {
    bench_.emplace(setup);
    bench_->buffer.ram.fill(0xA5);
    bench_->go(kStart, 10, write);
  }
  void stray(Ps at, bool strays) {
    run_until(at);
    bench_->arm.strays_to_write = bench_->arm.strays_to_read = strays;
    bench_->channel.arm_strays(0);
    armature::testing::settle();
  }
  /// The same by a process of the simulation, at the instant of whatever else happens then.
  void wedge(Ps at, bool strays) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&wedge_);
    options.dont_initialize();
    sc_core::sc_spawn(
        [this, strays] {
          bench_->arm.strays_to_write = bench_->arm.strays_to_read = strays;
          bench_->channel.arm_strays(0);
        },
        "wedge", &options);
    armature::testing::settle();
    wedge_.notify(to_sc_time(at - now()));
  }
  void expect_ended() {
    EXPECT_FALSE(bench_->done());
    EXPECT_TRUE(bench_->error());
    EXPECT_EQ(bench_->cause(), kStrayed);
  }
  bool readable(std::uint64_t lbn) { return bench_->contents.readable(bench_->geometry.physical(lbn), now()); }
  bool written(std::uint64_t lbn) {
    std::array<std::uint8_t, 512> bytes{};
    return bench_->contents.read(bench_->geometry.physical(lbn), bytes.data()) &&
           std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0xA5; });
  }
  std::optional<Bench> bench_;
  sc_core::sc_event wedge_;
};

/// A wedge at the instant of something else, which the kernel's queue may bring in either order: noticed before it or
/// after it, with so many other events of that instant between them.
class StrayAtOneInstant : public Stray, public ::testing::WithParamInterface<int> {
 protected:
  static constexpr int kOthers = 5;
  void start_with_wedge(bool write, Ps at, bool strays, Ps strays_before = 0, std::uint32_t mark = 0) {
    bench_.emplace(plain());
    bench_->buffer.ram.fill(0xA5);
    const bool wedge_first = GetParam() > kOthers;
    if (wedge_first) {
      wedge(at, strays);
      others(at);
    }
    if (mark > 0) bench_->bus.write(chn::kMark, chn::mark::Sectors::set(0, mark));
    bench_->go(kStart, 10, write);
    if (strays_before > 0) stray(strays_before, true);
    if (!wedge_first) {
      others(at);
      wedge(at, strays);
    }
  }

 private:
  void others(Ps at) {
    for (int i = 0; i < GetParam() % (kOthers + 1); ++i) others_[i].notify(to_sc_time(at - now()));
  }
  sc_core::sc_event others_[kOthers];
};
INSTANTIATE_TEST_SUITE_P(Wedge, StrayAtOneInstant, ::testing::Range(0, 12));

TEST_P(StrayAtOneInstant, TheArmIsBackAtTheFirstSector) {
  start_with_wedge(true, kSector * kStart, false, kSector * 5);
  bench_->expect_over_at(kSector * (kStart + 10));
  EXPECT_TRUE(written(kStart));
}

TEST_P(StrayAtOneInstant, TheArmStraysAtTheFirstSector) {
  start_with_wedge(true, kSector * kStart, true);
  bench_->expect_over_at(kSector * kStart, false);
  EXPECT_EQ(bench_->progress(), 0u);
  EXPECT_TRUE(readable(kStart));
  EXPECT_FALSE(written(kStart));
}

TEST_P(StrayAtOneInstant, TheArmStraysBetweenTwoSectors) {
  start_with_wedge(true, kSector * (kStart + 4), true);
  bench_->expect_over_at(kSector * (kStart + 4), false);
  EXPECT_EQ(bench_->progress(), 4u);
  EXPECT_TRUE(written(kStart + 3));
  EXPECT_TRUE(readable(kStart + 4)) << "it has not begun";
}

TEST_P(StrayAtOneInstant, TheArmStraysAtTheMark) {
  const Ps at = kSector * (kStart + 4);
  start_with_wedge(false, at, true, 0, 4);
  bench_->expect_over_at(at, false);
  EXPECT_TRUE(bench_->marked());
}

TEST_P(StrayAtOneInstant, TheArmStraysAsTheLastSectorEnds) {
  start_with_wedge(true, kSector * (kStart + 10), true);
  bench_->expect_over_at(kSector * (kStart + 10));
  EXPECT_EQ(bench_->progress(), 10u);
}

TEST_F(Stray, AWriteIsInhibitedInTheMidstOfASector) {
  start(true);
  const Ps at = kSector * (kStart + 4) + kSector / 3;
  stray(at, true);
  expect_ended();
  EXPECT_EQ(bench_->progress(), 4u);
  for (std::uint64_t lbn = kStart; lbn < kStart + 4; ++lbn) EXPECT_TRUE(written(lbn)) << lbn;
  EXPECT_FALSE(readable(kStart + 4)) << "the gate closed in it";
  EXPECT_TRUE(readable(kStart + 5));
  EXPECT_FALSE(written(kStart + 5));
  EXPECT_EQ(bench_->buffer.stopped, at);
}

TEST_F(Stray, APhysicalSectorOfEightBlocksIsSpoiltAsAWhole) {
  ChannelSetup setup = plain();
  setup.physical_bytes = 4096;
  bench_.emplace(setup);
  bench_->buffer.ram.fill(0xA5);
  bench_->go(16, 16, true);  // physical sectors 2 and 3 of 12
  const Ps at = kTurn / 12 * 3 + kTurn / 40;
  stray(at, true);
  expect_ended();
  EXPECT_EQ(bench_->progress(), 8u);
  EXPECT_TRUE(written(23));
  for (std::uint64_t lbn = 24; lbn < 32; ++lbn) EXPECT_FALSE(readable(lbn)) << lbn;
}

TEST_F(Stray, BeforeTheFirstSectorItDoesNoHarmIfTheArmIsBackInTime) {
  start(true);
  stray(kSector * 5, true);
  EXPECT_FALSE(bench_->over());
  stray(kSector * 15, false);
  bench_->expect_over_at(kSector * (kStart + 10));
  for (std::uint64_t lbn = kStart; lbn < kStart + 10; ++lbn) EXPECT_TRUE(written(lbn)) << lbn;
}

TEST_F(Stray, StillOffAtTheFirstSectorNothingIsTouched) {
  start(true);
  stray(kSector * 5, true);
  bench_->expect_over_at(kSector * kStart, false);
  EXPECT_EQ(bench_->cause(), kStrayed);
  EXPECT_EQ(bench_->progress(), 0u);
  EXPECT_TRUE(readable(kStart));
  EXPECT_FALSE(written(kStart));
  bench_->clear();
  stray(kSector * 30, false);
  bench_->go(kStart, 10, true);
  bench_->expect_over_at(kTurn + kSector * (kStart + 10));
}

TEST_F(Stray, AnAccessThatStartsOffTrackLooksAgainAtItsFirstSector) {
  bench_.emplace(plain());
  bench_->arm.strays_to_read = true;
  bench_->go(kStart, 10);
  bench_->expect_over_at(kSector * kStart, false);
  EXPECT_EQ(bench_->cause(), kStrayed);
}

TEST_F(Stray, AReadKeepsWhatHasPassed) {
  start(false);
  const Ps at = kSector * (kStart + 7) + 1;
  stray(at, true);
  expect_ended();
  EXPECT_EQ(bench_->progress(), 7u);
  EXPECT_TRUE(readable(kStart + 7)) << "reading harms nothing";
}

TEST_F(Stray, AReadWaitsForItsDecoder) {
  ChannelSetup setup = plain();
  setup.params.latency_us = 150;
  start(false, setup);
  const Ps at = kSector * (kStart + 7) + 1;
  stray(at, true);
  bench_->expect_over_at(kSector * (kStart + 7) + 150 * kUs, false);
  EXPECT_EQ(bench_->cause(), kStrayed);
  EXPECT_EQ(bench_->progress(), 7u);
}

TEST_F(Stray, OnlyTheLimitOfTheAccessCounts) {
  start(false);
  run_until(kSector * (kStart + 3));
  bench_->arm.strays_to_write = true;
  bench_->channel.arm_strays(0);
  bench_->channel.arm_strays(1);
  bench_->expect_over_at(kSector * (kStart + 10));
}

}  // namespace
}  // namespace armature::channel
