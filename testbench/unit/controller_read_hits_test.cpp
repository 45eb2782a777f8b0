// Reads that the segment table answers: the table by its registers, and the host interface frame by frame.
#include "armature/core/kernel_time.h"
#include "armature/regs/buf.h"
#include "support/host_interface_bench.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace armature::testing::controller_read_hits_test {
namespace {

namespace buf = regs::buf;
namespace hif = regs::hif;
using controller::BufferMemory;
using controller::BufferParams;
using controller::HostInterface;
using Lines = std::vector<std::string>;

constexpr Ps kFrame = 1'000'000;  // each frame on the way, ps
constexpr std::uint32_t kLookUp = buf::lookup::Enable::kMask | buf::lookup::LastTag::set(0, 9);
constexpr std::uint32_t kRing = 100;  // sectors

class ReadHits : public HostInterfaceBench {
 protected:
  ReadHits() : HostInterfaceBench(buffer_params(), kFrame) {
    table_.write(buf::kLookup, kLookUp);
    table_.write(buf::kInten, 1);
    for (std::uint32_t i = 0; i < buffer_.bytes(); ++i) buffer_.data()[i] = ScriptedHost::pattern(i);
  }

  static BufferParams buffer_params() {
    BufferParams params;
    params.segments = 4;
    params.size_kib = 4 + 4 * 50;
    return params;
  }

  void commit(std::uint32_t segment, std::uint64_t lba, std::uint32_t sectors, std::uint32_t place) {
    table_.write(buf::kSeg, segment);
    table_.write(buf::kSegLbaLo, static_cast<std::uint32_t>(lba));
    table_.write(buf::kSegLbaHi, static_cast<std::uint32_t>(lba >> 32));
    table_.write(buf::kSegPlace, place);
    table_.write(buf::kSegCommit, buf::seg_commit::Valid::kMask | sectors);
  }
  std::uint32_t status(std::uint32_t segment) {
    table_.write(buf::kSeg, segment);
    return table_.read(buf::kSegStatus);
  }
  bool pinned(std::uint32_t segment) { return buf::seg_status::Pinned::get(status(segment)) != 0; }
  std::uint32_t use(std::uint32_t segment) { return buf::seg_status::Use::get(status(segment)); }
  /// Bytes of the RAM that sector `n` of the ring of `segment` holds.
  void expect_sector(const std::vector<std::uint8_t>& bytes, std::size_t sector, std::uint32_t segment,
                     std::uint32_t place) {
    ASSERT_GE(bytes.size(), (sector + 1) * 512);
    const std::uint8_t* const there = buffer_.data() + (segment * kRing + place) * 512;
    EXPECT_EQ(std::memcmp(bytes.data() + sector * 512, there, 512), 0) << sector;
  }
};

TEST_F(ReadHits, AreSentAndCompletedWithoutFirmware) {
  commit(2, 0x1'0000'0000, 60, 10);
  host_.read_queued(7, 0x1'0000'0014, 30);
  const Ps arrived = now() + kFrame;
  run();
  EXPECT_EQ(host_.log(), (Lines{"D2H status 50h tag 7", "DMA SETUP read 15360 tag 7", "DATA 8192 tag 7",
                                "DATA 7168 tag 7", "SDB 00000080"}));
  const auto bytes = host_.data();
  for (std::uint32_t i = 0; i < 30; ++i) expect_sector(bytes, i, 2, 30 + i);
  EXPECT_EQ(bus_.read(hif::kIntstat), 0u);
  EXPECT_EQ(bus_.read(hif::kDmaDone), 0u);
  EXPECT_EQ(table_.read(buf::kHits), 1u);
  EXPECT_FALSE(pinned(2));
  EXPECT_TRUE(buffer_.irq.read()) << "a transfer has ended";
  table_.write(buf::kIntstat, 1);
  EXPECT_FALSE(buffer_.irq.read());
  // From its arrival on the command is the link's; the setup goes when the acceptance has arrived.
  EXPECT_EQ(requests_.lines,
            (Lines{fmt::format("7 link_wait {}", arrived), fmt::format("7 link_data {}", arrived + kFrame),
                   fmt::format("7 link_done {}", arrived + 4 * kFrame),
                   fmt::format("7 link_status {}", arrived + 4 * kFrame)}));
}

TEST_F(ReadHits, GoRoundTheRing) {
  commit(1, 500, 100, 95);
  host_.read_queued(0, 503, 6);
  run();
  EXPECT_EQ(host_.log(), (Lines{"D2H status 50h tag 0", "DMA SETUP read 3072 tag 0", "DATA 1024 tag 0",
                                "DATA 2048 tag 0", "SDB 00000001"}));
  const auto bytes = host_.data();
  const std::uint32_t places[] = {98, 99, 0, 1, 2, 3};
  for (std::uint32_t i = 0; i < 6; ++i) expect_sector(bytes, i, 1, places[i]);
}

TEST_F(ReadHits, AreNoneOutsideOfAnEntryOrWithoutOne) {
  commit(0, 100, 50, 0);
  host_.read_queued(1, 99, 2);
  host_.read_queued(2, 149, 2);
  host_.read_queued(3, 0x1'0000'0064, 1);  // the same low word
  host_.write_queued(4, 100, 8);
  run();
  for (const std::uint32_t tag : {1u, 2u, 3u, 4u}) {
    EXPECT_EQ(hif::cmd::Tag::get(bus_.read(hif::kCmd)), tag);
    bus_.write(hif::kCmdPop, 1);
  }
  EXPECT_EQ(table_.read(buf::kHits), 0u);
  EXPECT_EQ(requests_.lines.at(0), fmt::format("1 firmware {}", kFrame)) << "from its arrival on, look-up included";
  table_.write(buf::kSeg, 0);
  table_.write(buf::kSegCommit, 50);  // withdrawn
  host_.read_queued(5, 100, 8);
  run();
  EXPECT_EQ(hif::cmd::Tag::get(bus_.read(hif::kCmd)), 5u);
  bus_.write(hif::kCmdPop, 1);
  commit(0, 100, 50, 0);
  table_.write(buf::kLookup, 0);
  host_.read_queued(6, 100, 8);
  run();
  EXPECT_EQ(hif::cmd::Tag::get(bus_.read(hif::kCmd)), 6u);
  EXPECT_EQ(table_.read(buf::kHits), 0u);
}

TEST_F(ReadHits, OfATagThatTheDriveDoesNotHaveAreFirmwares) {
  commit(0, 100, 50, 0);
  host_.read_queued(10, 100, 8);
  run();
  EXPECT_EQ(hif::cmd::Tag::get(bus_.read(hif::kCmd)), 10u);
  EXPECT_EQ(table_.read(buf::kHits), 0u);
}

TEST_F(ReadHits, EntriesThatCannotBeAreWithdrawn) {
  commit(0, 100, 101, 0);
  EXPECT_EQ(status(0), 0u);
  commit(0, 100, 50, 100);
  EXPECT_EQ(status(0), 0u);
  commit(200, 100, 50, 0);  // there is no such segment
  EXPECT_EQ(status(200), 0u);
  table_.write(buf::kTouch, 200);
  table_.write(buf::kSegReach, 5);
  EXPECT_EQ(table_.read(buf::kSegReach), 0u);
  EXPECT_EQ(table_.read(buf::kSegPin), 0u);
}

TEST_F(ReadHits, CommandsBehindALookUpKeepTheirOrder) {
  commit(0, 100, 50, 0);
  // The first misses, the second is a write, the third hits, the fourth misses: firmware sees 1, 2, 4.
  host_.read_queued(1, 400, 8);
  host_.write_queued(2, 800, 8);
  host_.read_queued(3, 100, 8);
  host_.read_queued(4, 400, 8);
  run();
  EXPECT_EQ(table_.read(buf::kHits), 1u);
  for (const std::uint32_t tag : {1u, 2u, 4u}) {
    EXPECT_EQ(hif::cmd::Tag::get(bus_.read(hif::kCmd)), tag);
    bus_.write(hif::kCmdPop, 1);
  }
  EXPECT_EQ(bus_.read(hif::kCmd), 0u);
}

TEST_F(ReadHits, NothingIsAnsweredWhileHalted) {
  commit(0, 100, 50, 0);
  bus_.write(hif::kCtrl, hif::ctrl::Enable::kMask | hif::ctrl::Halt::kMask);
  host_.read_queued(1, 100, 8);
  run();
  EXPECT_TRUE(hif::cmd::Halted::get(bus_.read(hif::kCmd)));
  EXPECT_EQ(table_.read(buf::kHits), 0u);
  EXPECT_TRUE(host_.log().empty());
}

TEST_F(ReadHits, AreDroppedByAnAbortWithTheirPins) {
  commit(0, 100, 50, 0);
  host_.read_queued(1, 100, 40);
  host_.read_queued(2, 110, 8);
  run_until(now() + 4 * kFrame + kFrame / 2);  // the first one's data are on the link
  EXPECT_TRUE(pinned(0));
  EXPECT_EQ(table_.read(buf::kSegPin), 100u);
  table_.write(buf::kSegCommit, 0);
  EXPECT_TRUE(pinned(0)) << "withdrawn, and still being sent";
  bus_.write(hif::kCtrl, hif::ctrl::Halt::kMask | hif::ctrl::Abort::kMask);
  EXPECT_FALSE(pinned(0));
  host_.clear();
  run();
  for (const std::string& line : host_.log()) EXPECT_EQ(line.substr(0, 4), "DATA") << "what the link had already";
  EXPECT_LE(host_.log().size(), 1u);
}

TEST_F(ReadHits, AResetDropsThemWithTheirPins) {
  commit(0, 100, 50, 0);
  host_.read_queued(1, 100, 40);
  sata::RegisterH2D control;
  control.is_command = false;
  control.control = sata::kControlSrst;
  host_.send(control);
  run();
  EXPECT_EQ(table_.read(buf::kHits), 1u);
  EXPECT_FALSE(pinned(0));
  EXPECT_NE(bus_.read(hif::kIntstat) & hif::intstat::Reset::kMask, 0u);
  for (const std::string& line : host_.log()) EXPECT_NE(line.substr(0, 3), "SDB");
  EXPECT_EQ(bus_.read(hif::kCmd), 0u);
}

TEST_F(ReadHits, OneThatTheHostBreaksOffGoesToFirmwareAsBroken) {
  commit(3, 100, 50, 0);
  host_.reject(sata::FrameType::data, 1);
  host_.read_queued(9, 100, 40);
  run();
  EXPECT_FALSE(pinned(3));
  const std::uint32_t cmd = bus_.read(hif::kCmd);
  EXPECT_EQ(hif::cmd::Tag::get(cmd), 9u);
  EXPECT_TRUE(hif::cmd::Valid::get(cmd));
  EXPECT_TRUE(hif::cmd_lba_hi::Broken::get(bus_.read(hif::kCmdLbaHi)));
  EXPECT_EQ(bus_.read(hif::kCmdLbaLo), 100u);
  EXPECT_EQ(host_.log().back(), "DMA SETUP read 20480 tag 9") << "no second frame, no completion";
}

TEST_F(ReadHits, CountUsesAndFollowAStream) {
  commit(0, 100, 50, 0);
  commit(1, 300, 50, 0);
  table_.write(buf::kTouch, 0);
  table_.write(buf::kTouch, 1);
  EXPECT_LT(use(0), use(1));
  table_.write(buf::kSeg, 0);
  table_.write(buf::kSegReach, 108);
  host_.read_queued(1, 112, 8);
  run();
  EXPECT_GT(use(0), use(1));
  EXPECT_EQ(buf::seg_status::Sequential::get(status(0)), 0u);
  EXPECT_EQ(table_.read(buf::kSegReach), 120u);
  host_.read_queued(2, 102, 8);
  run();
  table_.write(buf::kSeg, 0);
  EXPECT_EQ(table_.read(buf::kSegReach), 120u) << "the farthest";
  host_.read_queued(3, 120, 8);
  run();
  EXPECT_EQ(buf::seg_status::Sequential::get(status(0)), 1u);
  EXPECT_EQ(table_.read(buf::kSegReach), 128u);
  table_.write(buf::kSegReach, 128);
  EXPECT_EQ(buf::seg_status::Sequential::get(status(0)), 0u);
}

TEST_F(ReadHits, OfAnUnqueuedReadEndInARegisterFrame) {
  commit(0, 100, 50, 0);
  host_.unqueued(sata::Command::read_dma_ext, 100, 2);
  run();
  EXPECT_EQ(host_.log(), (Lines{"DATA 1024 tag 0", "D2H status 50h tag 0"}));
  EXPECT_TRUE(sata::parse_register_d2h(host_.last(sata::FrameType::register_d2h)).interrupt);
  host_.read_queued(1, 100, 2);  // no longer mixed with it
  run();
  EXPECT_EQ(table_.read(buf::kHits), 2u);
}

}  // namespace
}  // namespace armature::testing::controller_read_hits_test
