// WRITE UNCORRECTABLE EXT through a whole drive: what it marks cannot be read until it is written again.
#include "support/ata_bench.h"

#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

constexpr unsigned kPseudo = 0x55, kFlagged = 0xAA;

drive::DriveParams drive_with(media::ContentsParams::Kind contents, bool write_cache, bool look_ahead) {
  drive::DriveParams params = round_drive();
  params.media.contents = contents;
  params.cache.write = write_cache;
  params.cache.look_ahead = look_ahead;
  return params;
}

AtaCommand mark(std::uint64_t lba, unsigned sectors, unsigned kind = kPseudo) {
  return {0x45, kind, sectors, lba};
}

/// The registers of a command that met an unreadable sector.
void expect_unreadable(const AtaAnswer& answer, std::uint64_t lba, const std::string& what) {
  EXPECT_EQ(answer.registers.status, 0x51u) << what;
  EXPECT_EQ(answer.registers.error, 0x40u) << what;
  EXPECT_EQ(answer.registers.lba.value(), lba) << what;
}

class WriteUncorrectable : public ::testing::TestWithParam<int> {
 protected:
  bool cached() const { return (GetParam() & 1) != 0; }
  media::ContentsParams::Kind contents() const {
    return (GetParam() & 2) != 0 ? media::ContentsParams::memory : media::ContentsParams::none;
  }
};

TEST_P(WriteUncorrectable, ReadsFailUntilTheSectorIsWritten) {
  AtaBench bench(drive_with(contents(), cached(), cached()));
  for (const unsigned kind : {kPseudo, kFlagged}) {
    ASSERT_TRUE(bench.send({0x35, 0, 16, 1'000}).ok());
    ASSERT_TRUE(bench.send({0x25, 0, 16, 1'000}).ok());
    const AtaAnswer marked = bench.send(mark(1'005, 2, kind));
    ASSERT_TRUE(marked.ok());
    EXPECT_EQ(marked.frames, std::vector<sata::FrameType>{sata::FrameType::register_d2h});
    for (const unsigned code : {0x24u, 0x25u, 0x42u, 0xC8u, 0x20u})
      expect_unreadable(bench.send({code, 0, 16, 1'000}), 1'005, std::to_string(code));
    expect_unreadable(bench.send({0x25, 0, 1, 1'006}), 1'006, "second");
    EXPECT_TRUE(bench.send({0x25, 0, 5, 1'000}).ok());
    EXPECT_TRUE(bench.send({0x25, 0, 8, 1'007}).ok());
    bench.soft_reset();
    expect_unreadable(bench.send({0x25, 0, 1, 1'005}), 1'005, "after a reset");
    ASSERT_TRUE(bench.send({0x30, 0, 1, 1'005}).ok()) << "hdparm --repair-sector";
    EXPECT_TRUE(bench.send({0x25, 0, 6, 1'000}).ok());
    expect_unreadable(bench.send({0x25, 0, 16, 1'000}), 1'006, "the other is as it was");
    ASSERT_TRUE(bench.send({0x35, 0, 1, 1'006}).ok());
    ASSERT_TRUE(bench.send({0xE7}).ok());
    EXPECT_TRUE(bench.send({0x42, 0, 16, 1'000}).ok());
  }
}

TEST_P(WriteUncorrectable, DataInTheCacheAreOverwritten) {
  AtaBench bench(drive_with(contents(), cached(), cached()));
  ASSERT_TRUE(bench.send({0x35, 0, 8, 2'000}).ok());
  ASSERT_TRUE(bench.send(mark(2'000, 8)).ok()) << "the write before may still be in the cache";
  expect_unreadable(bench.send({0x25, 0, 8, 2'000}), 2'000, "at once");
  ASSERT_TRUE(bench.send({0xE7}).ok());
  expect_unreadable(bench.send({0x25, 0, 8, 2'000}), 2'000, "after a flush");
}

TEST_P(WriteUncorrectable, ManyTracksAtOnce) {
  AtaBench bench(drive_with(contents(), cached(), false));
  ASSERT_TRUE(bench.send(mark(150, 1'000)).ok());
  expect_unreadable(bench.send({0x25, 0, 1, 1'149}), 1'149, "last");
  EXPECT_TRUE(bench.send({0x25, 0, 1, 1'150}).ok());
  EXPECT_TRUE(bench.send({0x25, 0, 1, 149}).ok());
  ASSERT_TRUE(bench.send({0x35, 0, 1'000, 150}).ok());
  EXPECT_TRUE(bench.send({0x25, 0, 1'000, 150}).ok());
}

INSTANTIATE_TEST_SUITE_P(CachesAndContents, WriteUncorrectable, ::testing::Range(0, 4));

TEST(WriteUncorrectableCommand, WrongOnesMarkNothing) {
  AtaBench bench(drive_with(media::ContentsParams::memory, true, true));
  constexpr std::uint64_t kEnd = 100 * 2 * 100 + 100 * 2 * 80;
  for (const unsigned kind : {0x00u, 0x5Au, 0xA5u, 0xFFu}) EXPECT_TRUE(bench.send(mark(10, 1, kind)).aborted()) << kind;
  const AtaAnswer across = bench.send(mark(kEnd - 2, 3));
  EXPECT_EQ(across.registers.error, 0x10u);
  EXPECT_EQ(across.registers.lba.value(), kEnd);
  EXPECT_EQ(bench.send(mark(kEnd, 1)).registers.error, 0x10u);
  EXPECT_EQ(bench.send(mark(0, 0)).registers.error, 0x10u) << "65,536 sectors";
  EXPECT_TRUE(bench.send({0x42, 0, 100, 0}).ok());
  EXPECT_TRUE(bench.send({0x42, 0, 2, kEnd - 2}).ok());
  const AtaAnswer identify = bench.send({0xEC});
  EXPECT_EQ(identify.word(119) & 0x4u, 0x4u);
  EXPECT_EQ(identify.word(120) & 0x4u, 0x4u);
  EXPECT_EQ(bench.send({0x2F, 0, 1, 0x330}).qword(8) & 0x2u, 0x2u);
}

// One codeword: all eight of its logical sectors cannot be read, and a write of one leaves the others unreadable.
TEST(WriteUncorrectableCommand, APhysicalSectorIsMarkedWhole) {
  drive::DriveParams params = drive_with(media::ContentsParams::memory, true, true);
  params.geometry.physical_sector_bytes = 4'096;
  params.geometry.zones = {{0, 99, 104, 24, 40, 80}, {100, 199, 80, 16, 32, 80}};
  AtaBench bench(params);
  ASSERT_TRUE(bench.send({0x35, 0, 64, 800}).ok());
  ASSERT_TRUE(bench.send(mark(821, 1)).ok());
  EXPECT_TRUE(bench.send({0x25, 0, 16, 800}).ok());
  expect_unreadable(bench.send({0x25, 0, 1, 816}), 816, "its first");
  expect_unreadable(bench.send({0x25, 0, 1, 823}), 823, "its last");
  EXPECT_TRUE(bench.send({0x25, 0, 8, 824}).ok());
  ASSERT_TRUE(bench.send({0x35, 0, 1, 821}).ok());
  ASSERT_TRUE(bench.send({0xE7}).ok());
  EXPECT_TRUE(bench.send({0x25, 0, 1, 821}).ok());
  expect_unreadable(bench.send({0x25, 0, 8, 816}), 816, "the others");
  ASSERT_TRUE(bench.send({0x35, 0, 8, 816}).ok());
  ASSERT_TRUE(bench.send({0xE7}).ok());
  EXPECT_TRUE(bench.send({0x25, 0, 64, 800}).ok());
}

TEST(WriteUncorrectableCommand, AQueuedReadIsToldInLog10h) {
  AtaBench bench(drive_with(media::ContentsParams::memory, true, true));
  ASSERT_TRUE(bench.send(mark(3'000, 1)).ok());
  const AtaAnswer read = bench.send({0x60, 8, 4u << 3, 2'996});
  EXPECT_EQ(read.registers.status & 1u, 1u);
  const AtaAnswer log = bench.send({0x2F, 0, 1, 0x10});
  EXPECT_EQ(log.data[0], 4u);
  EXPECT_EQ(log.data[3], 0x40u);
  EXPECT_EQ(log.data[4] | log.data[5] << 8, 3'000);
  EXPECT_TRUE(bench.send({0x61, 8, 4u << 3, 2'996}).ok());
  EXPECT_TRUE(bench.send({0x60, 8, 4u << 3, 2'996}).ok());
}

}  // namespace
}  // namespace armature::testing
