#include "armature/media/disk_layout.h"
#include "armature/media/translation.h"
#include "armature/regs/xlt.h"
#include "support/bus_master.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace armature::media::media_translation_test {
namespace {

namespace xlt = armature::regs::xlt;

/// Zone 0 has 50 spares behind its 1,950 blocks.
GeometryParams two_zones() {
  GeometryParams params;
  params.heads = 2;
  params.zones = {{0, 9, 100, 10, 20, 50}, {10, 19, 70, 7, 9, 0}};
  return params;
}

ContentsParams in_memory() {
  ContentsParams params;
  params.contents = ContentsParams::memory;
  return params;
}

class TranslationTest : public ::testing::Test {
 protected:
  explicit TranslationTest(const GeometryParams& params = two_zones()) : geometry_(params) {
    bus_.socket.bind(translation_.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void name(std::uint64_t lbn) {
    bus_.write(xlt::kLbaHi, static_cast<std::uint32_t>(lbn >> 32));
    bus_.write(xlt::kLbaLo, static_cast<std::uint32_t>(lbn));
  }
  std::uint32_t cylinder() { return xlt::track::Cylinder::get(bus_.read(xlt::kTrack)); }
  std::uint32_t head() { return xlt::track::Head::get(bus_.read(xlt::kTrack)); }
  bool invalid() { return xlt::track::Invalid::get(bus_.read(xlt::kTrack)) != 0; }
  std::uint32_t angle() { return xlt::place::Angle::get(bus_.read(xlt::kPlace)); }
  std::uint32_t run() { return xlt::place::Run::get(bus_.read(xlt::kPlace)); }
  std::uint32_t before() { return bus_.read(xlt::kBefore); }
  std::uint32_t length() { return bus_.read(xlt::kLength); }
  bool moves() {
    bus_.write(xlt::kMove, xlt::move::Go::kMask);
    return xlt::move::Moved::get(bus_.read(xlt::kMove)) != 0;
  }
  bool readable(PhysicalSector place) {
    std::array<std::uint8_t, 512> bytes{};
    return contents_.read(place, bytes.data());
  }

  Geometry geometry_;
  Contents contents_{in_memory(), geometry_.physical_sectors(), {}};
  DiskLayout layout_{geometry_, &contents_};
  Translation translation_{"xlt", layout_};
  armature::testing::BusMaster bus_{"bus"};
};

TEST_F(TranslationTest, TellsTrackAngleAndRun) {
  name(2000 - 50 + 75);  // second zone: cylinder 10, head 1, sector 5
  EXPECT_FALSE(invalid());
  EXPECT_EQ(cylinder(), 10u);
  EXPECT_EQ(head(), 1u);
  EXPECT_EQ(angle(), (7u + 5u) * 65'536u / 70u);
  EXPECT_EQ(run(), 65u);
  EXPECT_EQ(before(), 5u);
  EXPECT_EQ(length(), 70u);
  name(geometry_.sectors() - 1);
  EXPECT_FALSE(invalid());
  EXPECT_EQ(run(), 1u);
  EXPECT_EQ(before(), 69u);
}

TEST_F(TranslationTest, ABlockBehindTheLastIsInvalid) {
  name(1'234);
  name(geometry_.sectors());
  EXPECT_TRUE(invalid());
  EXPECT_EQ(run(), 0u);
  EXPECT_EQ(before(), 0u);
  EXPECT_EQ(length(), 0u);
  EXPECT_FALSE(moves());
  name(std::uint64_t{1} << 32);
  EXPECT_TRUE(invalid()) << "bits 47:32 count";
  EXPECT_EQ(translation_.last(), 1'234u);
}

TEST_F(TranslationTest, ASectorMovesToItsZonesNextSpareAndHoldsNothingThere) {
  std::array<std::uint8_t, 512> bytes{};
  contents_.write(geometry_.physical(505), bytes.data());
  name(505);
  ASSERT_EQ(cylinder(), 2u);
  ASSERT_TRUE(moves());
  EXPECT_EQ(geometry_.physical(505), 1'950u);
  EXPECT_EQ(cylinder(), 9u) << "translated anew";
  EXPECT_EQ(head(), 1u);
  EXPECT_EQ(run(), 1u);
  EXPECT_FALSE(readable(1'950));
  name(504);
  EXPECT_EQ(run(), 1u) << "the run ends before it";
}

TEST_F(TranslationTest, NothingMovesWithoutGoOrWithoutASpare) {
  name(505);
  bus_.write(xlt::kMove, 0);
  EXPECT_EQ(bus_.read(xlt::kMove), 0u);
  EXPECT_EQ(geometry_.physical(505), 505u);
  name(geometry_.sectors() - 1);  // a zone without spares
  EXPECT_FALSE(moves());
  EXPECT_FALSE(invalid());
  EXPECT_TRUE(readable(geometry_.physical(geometry_.sectors() - 1)));
}

TEST_F(TranslationTest, DebugAccessTranslatesNothing) {
  bus_.debug_write(xlt::kLbaLo, 150);
  EXPECT_EQ(bus_.read(xlt::kTrack), 0u);
}

/// A medium with tracks longer than the registers can tell, and without spares.
struct LongTracks final : BlockLayout {
  std::uint64_t blocks() const override { return 1'000'000; }
  Place locate_block(std::uint64_t lbn) const override { return {0, 0, 0, static_cast<std::uint32_t>(blocks() - lbn)}; }
  std::uint32_t blocks_before(std::uint64_t lbn) const override { return static_cast<std::uint32_t>(lbn); }
  std::uint32_t track_sectors(std::uint64_t /*lbn*/) const override { return 1'000'000; }
};

TEST(Translation, RunsAreCutToWhatTheRegistersHold) {
  LongTracks layout;
  Translation translation("xlt", layout);
  armature::testing::BusMaster bus("bus");
  bus.socket.bind(translation.regs);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bus.write(xlt::kLbaLo, 500'000);
  EXPECT_EQ(xlt::place::Run::get(bus.read(xlt::kPlace)), 65'535u);
  EXPECT_EQ(bus.read(xlt::kBefore), 65'535u);
  EXPECT_EQ(bus.read(xlt::kLength), 65'535u);
  bus.write(xlt::kMove, xlt::move::Go::kMask);
  EXPECT_EQ(bus.read(xlt::kMove), 0u);
}

}  // namespace
}  // namespace armature::media::media_translation_test
