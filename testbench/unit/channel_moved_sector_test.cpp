// A sector that moves to a spare while an access to it is under way: firmware's mistake, which must do no harm.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "support/channel_bench.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

namespace armature::channel {
namespace {

ChannelSetup with_spares(std::int64_t physical_bytes = 512) {
  ChannelSetup s;
  s.params.errors = ChannelParams::none;
  s.off = std::nullopt;
  s.ladder = {};
  s.contents = true;
  s.spares = 800;
  s.physical_bytes = physical_bytes;
  return s;
}

/// As media::DiskLayout does it.
bool move_to_spare(Bench& b, std::uint64_t lbn) {
  const std::uint32_t unit = b.geometry.physical_sector_bytes() / 512;
  const auto place = b.geometry.reallocate(lbn);
  if (!place) return false;
  for (std::uint32_t i = 0; i < unit; ++i) b.contents.spoil(*place + i);
  b.contents.reallocated({lbn - lbn % unit, *place});
  return true;
}

/// First byte of the block; -1: it cannot be read.
int first_byte(Bench& b, std::uint64_t lbn) {
  std::array<std::uint8_t, 512> sector{};
  return b.contents.read(b.geometry.physical(lbn), sector.data()) ? sector[0] : -1;
}

void fill(Bench& b, std::uint64_t lbn, std::uint8_t value) {
  std::array<std::uint8_t, 512> sector{};
  sector[0] = value;
  b.contents.write(b.geometry.physical(lbn), sector.data());
}

TEST(ChannelMovedSector, AReadOfItFailsAtTheTimeAtWhichItWouldHaveEnded) {
  Bench b{with_spares()};
  for (std::uint64_t lbn = 30; lbn < 40; ++lbn) fill(b, lbn, static_cast<std::uint8_t>(lbn));
  b.bus.write(chn::kAddress, 0);
  b.go(30, 10);  // one sector later on the track, because of the slipped one
  run_until(33 * kSector);
  ASSERT_TRUE(move_to_spare(b, 35));
  b.expect_over_at(41 * kSector, /*well=*/false);
  EXPECT_EQ(b.cause(), 5u) << "unreadable";
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(b.buffer.ram[i * 512], 30 + i);
}

TEST(ChannelMovedSector, AWriteOfItPutsTheDataIntoTheSpare) {
  Bench b{with_spares()};
  for (std::uint32_t i = 0; i < 10; ++i) b.buffer.ram[i * 512] = static_cast<std::uint8_t>(i + 1);
  b.bus.write(chn::kAddress, 0);
  b.go(30, 10, true);
  run_until(33 * kSector);
  ASSERT_TRUE(move_to_spare(b, 35));
  b.expect_over_at(41 * kSector);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(first_byte(b, 30 + i), static_cast<int>(i) + 1);
}

class RandomMoves : public ::testing::TestWithParam<std::int64_t> {};

/// Every access ends within its turns, a write leaves its data or nothing, and no other block changes.
TEST_P(RandomMoves, HarmNoOtherBlock) {
  Bench b{with_spares(GetParam())};
  const auto unit = static_cast<std::uint32_t>(GetParam() / 512);
  constexpr std::uint32_t kBlocks = 80;
  std::array<int, kBlocks> holds{};
  for (std::uint32_t lbn = 0; lbn < kBlocks; ++lbn) fill(b, lbn, 1), holds[lbn] = 1;
  RandomStream random(7, "moved sectors");
  unsigned moved_in_midst = 0;
  for (int access = 0; access < 400; ++access) {
    const bool write = random.below(2) == 0;
    std::uint32_t from = static_cast<std::uint32_t>(random.below(kBlocks / unit)) * unit;
    // What has moved is no longer on the track: an access ends before it.
    const std::uint32_t run = std::min(b.geometry.locate(from).run, kBlocks - from) / unit * unit;
    if (run == 0) continue;
    const auto sectors = static_cast<std::uint32_t>(random.below(run / unit) + 1) * unit;
    const media::Location at = b.geometry.locate(from);
    b.arm.at_cylinder = at.cylinder, b.arm.at_head = at.head;
    const auto value = static_cast<std::uint8_t>(access % 250 + 2);
    for (std::uint32_t i = 0; i < sectors; ++i) b.buffer.ram[i * 512] = value;
    b.bus.write(chn::kAddress, 0);
    b.bus.write(chn::kMode, !write && random.below(2) == 0 ? chn::mode::AnyOrder::kMask : 0);
    b.go(from, sectors, write);
    std::set<std::uint32_t> spoilt;
    if (random.below(8) == 0) {
      run_until(now() + static_cast<Ps>(random.below(kTurn)));
      if (!b.over()) {
        const auto lbn = static_cast<std::uint32_t>(from + random.below(sectors)) / unit * unit;
        ASSERT_TRUE(move_to_spare(b, lbn));
        for (std::uint32_t i = 0; i < unit; ++i) spoilt.insert(lbn + i);
        ++moved_in_midst;
      }
    }
    if (random.below(4) == 0) b.progress();
    const Ps started = now();
    while (!b.over() && now() < started + 3 * kTurn) run_until(now() + kTurn / 4);
    ASSERT_TRUE(b.over());
    const bool well = b.done();
    EXPECT_EQ(b.cause(), well ? 0u : 5u);
    b.clear();
    for (std::uint32_t lbn = 0; lbn < kBlocks; ++lbn) {
      const bool in_access = lbn >= from && lbn < from + sectors;
      if (spoilt.count(lbn) != 0 && !write) holds[lbn] = -1;
      if (in_access && write) holds[lbn] = first_byte(b, lbn) == -1 && spoilt.count(lbn) != 0 ? -1 : value;
      ASSERT_EQ(first_byte(b, lbn), holds[lbn]) << "access " << access << ", block " << lbn;
    }
  }
  EXPECT_GT(moved_in_midst, 5u);
}

INSTANTIATE_TEST_SUITE_P(All, RandomMoves, ::testing::Values(512, 4096),
                         [](const auto& tested) { return std::to_string(tested.param); });

}  // namespace
}  // namespace armature::channel
