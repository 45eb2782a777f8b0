// What streams of writes leave on the media, sector by sector, when their lines are a ring much smaller than they are:
// no line is given to newer data before the head has left it, and nothing is written before it has come.
#include "armature/host/contents_check.h"
#include "support/drive_bench.h"
#include "support/stream_source.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>

namespace armature::testing {
namespace {

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::uint64_t kFirst = 19'205;
constexpr std::uint64_t kSectors = 1'700;  // over the border of zones

/// Lines in a part of the RAM of their own; 0: in one of two segments of 60 sectors.
BenchParams params(std::int64_t lines, bool cache, double bus_us) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.media.contents = media::ContentsParams::memory;
  p.drive.buffer.segments = 2;
  p.drive.buffer.size_kib = 4 * lines + (lines == 0 ? 60 : 16) + 4;
  p.drive.buffer.write_share = (4.0 * static_cast<double>(lines) + 0.5) / static_cast<double>(p.drive.buffer.size_kib);
  if (lines == 0) p.drive.buffer.write_share = 0;
  p.drive.cache.write = cache;
  p.link.bus_us_per_sector = bus_us;
  return p;
}

/// Sectors of a write, lines, the write cache, us that a sector takes over the link.
class WriteContents : public ::testing::TestWithParam<std::tuple<std::uint32_t, std::int64_t, bool, double>> {};
INSTANTIATE_TEST_SUITE_P(Rings, WriteContents,
                         ::testing::Combine(::testing::Values(3u, 13u, 100u, 600u), ::testing::Values(0, 5, 16, 30),
                                            ::testing::Bool(), ::testing::Values(0.0, 95.0, 170.0)));

TEST_P(WriteContents, AreWhatTheHostWrote) {
  const auto [sectors, lines, cache, bus_us] = GetParam();
  if (cache && lines < 16) return;  // a write cache has more
  const std::uint64_t count = kSectors / sectors;
  StreamAndFlush source(count, StreamSource(Operation::write, kStart, kFirst, sectors, count, cache ? 1 : 12));
  DriveBench bench("bench", params(lines, cache, bus_us), source);
  host::ContentsCheck check({});
  bench.queue().set_data_port(check);
  bench.run();
  ASSERT_EQ(bench.failures(), 0u);
  std::uint8_t bytes[512];
  for (std::uint64_t lbn = kFirst; lbn < kFirst + count * sectors; ++lbn) {
    const bool readable = bench.disk().contents().read(bench.disk().geometry().physical(lbn), bytes);
    EXPECT_TRUE(readable) << lbn;
    check.acceptable(lbn, bytes, readable);
  }
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
}

}  // namespace
}  // namespace armature::testing
