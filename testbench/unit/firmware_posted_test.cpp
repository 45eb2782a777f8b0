// Firmware on a bus whose writes are posted, and hardware that goes on between a handler's accesses: the entries of the
// list in docs/reference/firmware-rules.md, "What a handler may rely on".
#include "armature/core/kernel_time.h"
#include "support/soc_bench.h"

#include "armature/regs/buf.h"
#include "armature/regs/chn.h"
#include "armature/sata/ata.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing::firmware_posted_test {
namespace {

namespace map = regs::soc;
using Lines = std::vector<std::string>;

constexpr std::uint32_t kStatus = map::kBufBase + regs::buf::kSegStatus;
constexpr std::uint32_t kPinned = regs::buf::seg_status::Pinned::kMask;

SocBenchParams with_segments(std::int64_t segments, std::uint32_t cache) {
  SocBenchParams params;
  params.segments = segments;
  params.size_kib = 4 + 10 * segments;  // 20 sectors each
  params.cache = cache;
  params.posted = PostedBus::Order::lowest_first;
  return params;
}

void expect_clean(SocBench& bench) {
  EXPECT_EQ(bench.monitor.violations(), Lines{});
  EXPECT_FALSE(bench.soc.dbg.failed());
  EXPECT_EQ(bench.soc.cpu->bus_errors(), 0u);
  for (const auto& channel : bench.channels) EXPECT_EQ(channel->impossible, 0u);
}

std::string last(SocBench& bench) {
  return bench.host.log().empty() ? "" : bench.host.log().back();
}

// The host interface gets its order before the buffer has the page that it is to send.
TEST(FirmwarePosted, APageIsInTheBufferWhenItsTransferBegins) {
  SocBench bench(with_segments(4, 0));
  run_until(10 * kPsPerMs);
  bench.host.unqueued(sata::Command::identify_device, 0, 0);
  run_until(20 * kPsPerMs);
  const auto bytes = bench.host.data();
  ASSERT_EQ(bytes.size(), 512u);
  sata::IdentifyData identity;
  ASSERT_TRUE(sata::parse(bytes.data(), identity));
  EXPECT_EQ(identity.model, "BENCH DRIVE");
  expect_clean(bench);
}

// The sector that the host has written is read back in vain. xlt.move is still posted when firmware asks whether it
// moved.
TEST(FirmwarePosted, ASectorHasMovedWhenFirmwareAsksWhether) {
  SocBench bench(with_segments(4, 0));
  run_until(10 * kPsPerMs);
  FakeChannel& channel = *bench.channels[0];
  channel.unreadable = [&](std::uint64_t lba) { return lba == 103 && bench.layout.moved.count(103) == 0; };
  bench.host.unqueued(sata::Command::read_dma_ext, 100, 8);
  run_until(20 * kPsPerMs);
  EXPECT_TRUE(bench.layout.moved.empty()) << "not before it is written";
  channel.accesses.clear();
  bench.host.write_queued(5, 100, 8);
  run_until(40 * kPsPerMs);
  EXPECT_EQ(last(bench), "SDB 00000020");
  EXPECT_EQ(bench.layout.moved, std::set<std::uint64_t>{103});
  std::vector<std::pair<std::uint64_t, bool>> accesses;  // first sector, write
  for (const FakeChannel::Access& access : channel.accesses) accesses.emplace_back(access.lba, access.write);
  using Accesses = std::vector<std::pair<std::uint64_t, bool>>;
  EXPECT_EQ(accesses, (Accesses{{100, true}, {103, false}, {103, true}, {103, false}}));
  expect_clean(bench);
}

// chn.intstat says that the mark has been passed; when chn.progress is read the access is over.
TEST(FirmwarePosted, ProgressMayBeFurtherThanWhatTheChannelReported) {
  SocBench bench(with_segments(1, 0));
  run_until(10 * kPsPerMs);
  FakeChannel& channel = *bench.channels[0];
  unsigned further = 0;
  bench.posted.meanwhile = [&](std::uint32_t address, std::uint32_t word) {
    if (address != map::kChnBase + regs::chn::kProgress || word >= channel.sectors()) return word;
    ++further;
    return channel.sectors();
  };
  bench.host.read_queued(5, 96, 64);  // of a ring of 20 sectors: it flows through
  run_until(30 * kPsPerMs);
  EXPECT_EQ(last(bench), "SDB 00000020");
  std::size_t bytes = 0;
  for (const auto& received : bench.host.received())
    if (received.frame.type == sata::FrameType::dma_setup) bytes += sata::parse_dma_setup(received.frame).count_bytes;
  EXPECT_EQ(bytes, 64u * 512);
  EXPECT_GT(further, 0u) << "nothing was read early";
  expect_clean(bench);
}

// Hardware begins to send from a segment just before it is told not to: firmware must find another one.
TEST(FirmwarePosted, ASegmentThatIsBeingSentSinceFirmwareLookedIsNotTaken) {
  SocBench bench(with_segments(3, FW_CACHE_LOOK_AHEAD | FW_CACHE_HARDWARE_HITS));
  run_until(10 * kPsPerMs);
  Ps at = 10 * kPsPerMs;
  for (std::uint32_t tag = 0; tag < 3; ++tag) {
    bench.host.read_queued(tag, 1'000 * (tag + 1), 8);
    run_until(at += 10 * kPsPerMs);
  }
  ASSERT_EQ(last(bench), "SDB 00000004");
  std::uint32_t chosen = 0;
  bool taken_back = false;
  std::optional<std::uint32_t> sent;
  bench.posted.written = [&](std::uint32_t address, std::uint32_t word) {
    if (address == map::kBufBase + regs::buf::kSeg) chosen = word;
    taken_back = address == map::kBufBase + regs::buf::kSegCommit && word == 0;
  };
  bench.posted.meanwhile = [&](std::uint32_t address, std::uint32_t word) {
    if (address != kStatus) return word;
    if (taken_back && !sent) sent = chosen;
    return sent == chosen ? word | kPinned : word;
  };
  bench.host.read_queued(3, 9'000, 8);
  run_until(at += 10 * kPsPerMs);
  ASSERT_TRUE(sent.has_value()) << "no segment was taken from hardware";
  EXPECT_EQ(last(bench), "SDB 00000008");
  const FakeChannel::Access& access = bench.channels[0]->accesses.back();
  EXPECT_NE(access.address / (20 * 512), *sent) << "written over while it is sent";
  expect_clean(bench);
}

// Hardware begins to send sectors of a ring just before it is told that they are given up: they must not be written
// over until they are sent.
TEST(FirmwarePosted, SectorsThatAreBeingSentSinceFirmwareLookedAreNotWrittenOver) {
  namespace chn = regs::chn;
  SocBench bench(with_segments(1, FW_CACHE_LOOK_AHEAD | FW_CACHE_HARDWARE_HITS));
  run_until(10 * kPsPerMs);
  std::optional<Ps> begun;
  bool sent = false;
  std::uint32_t address = 0, piece = 0, mode = 0;
  std::vector<Ps> filled;  // when the ring's beginning was given to the channel
  const auto fills = [&](std::uint32_t place) {
    if (!sent && place < 4 * 512) filled.push_back(now());
  };
  bench.posted.written = [&](std::uint32_t at, std::uint32_t word) {
    if (at == map::kChnBase + chn::kAddress) address = word;
    if (at == map::kChnBase + chn::kPieceAddr) piece = word;
    if (at == map::kChnBase + chn::kPiecePush) fills(piece);
    if (at == map::kChnBase + chn::kMode) mode = word;
    if (at == map::kChnBase + chn::kCtrl && !chn::mode::Gather::get(std::exchange(mode, 0))) fills(address);
    if (begun || at != map::kBufBase + regs::buf::kSegLbaLo || word <= 1'000) return;
    begun = now();  // the sectors at the ring's beginning
    EXPECT_TRUE(bench.soc.ram.look_up(1'000, 4));
  };
  bench.host.read_queued(1, 1'000, 60);  // of a ring of 20 sectors: it flows through
  run_until(30 * kPsPerMs);
  ASSERT_TRUE(begun.has_value());
  ASSERT_FALSE(filled.empty());
  EXPECT_LT(filled.back(), *begun) << "written over while they are sent";
  EXPECT_NE(last(bench), "SDB 00000002");
  sent = true;
  bench.soc.ram.release(0, 1'000);
  run_until(40 * kPsPerMs);
  EXPECT_EQ(last(bench), "SDB 00000002");
  expect_clean(bench);
}

// The segment that an arm waits for is released before firmware asks to be told of that.
TEST(FirmwarePosted, AReleaseBeforeItIsAskedForIsNotWaitedFor) {
  SocBench bench(with_segments(1, FW_CACHE_LOOK_AHEAD | FW_CACHE_HARDWARE_HITS));
  run_until(10 * kPsPerMs);
  bench.host.read_queued(0, 1'000, 8);
  run_until(20 * kPsPerMs);
  ASSERT_EQ(last(bench), "SDB 00000001");
  bool told = false, pinned = false;
  bench.posted.written = [&](std::uint32_t address, std::uint32_t) {
    told = told || address == map::kBufBase + regs::buf::kInten;
  };
  bench.posted.meanwhile = [&](std::uint32_t address, std::uint32_t word) {
    if (address != kStatus || told) return word;
    pinned = true;
    return word | kPinned;
  };
  bench.host.read_queued(1, 9'000, 8);
  run_until(30 * kPsPerMs);
  EXPECT_TRUE(pinned);
  EXPECT_EQ(last(bench), "SDB 00000002");
  expect_clean(bench);
}

}  // namespace
}  // namespace armature::testing::firmware_posted_test
