// The bandwidth of the buffer RAM between media and link: whole requests, exact.
#include "armature/core/error.h"
#include "contents_bench.h"
#include "support/expected_times.h"

#include <gtest/gtest.h>

namespace armature::testing {
namespace {

using E = ExpectedTimes;

constexpr std::int64_t kRegister = 5, kDmaSetup = 7, kActivate = 1, kSdb = 2;
constexpr std::int64_t kFrameSectors = 16;
constexpr std::int64_t kMediaRate = 5'120'000;  // 512 bytes in 0.1 ms

std::int64_t data_dwords(std::int64_t sectors) {
  return 1 + sectors * 128;
}

BenchParams params(double mb_s) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.media.contents = media::ContentsParams::memory;
  p.drive.cache.look_ahead = true;
  p.drive.cache.hardware_hits = true;  // its times hang on nothing but the link
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  p.drive.buffer.bandwidth_mb_s = mb_s;
  return p;
}

workload::Request read_at(Ps us, std::uint64_t lbn, std::uint32_t sectors) {
  return read_request(us * kPsPerUs, lbn, sectors);
}

struct Bench {
  Bench(const char* name, const BenchParams& p, std::vector<workload::Request> requests)
      : source(std::move(requests)), check({}), bench(name, p, source) {
    bench.queue().set_data_port(check);
  }
  void run() {
    bench.run();
    EXPECT_EQ(check.mismatches(), 0u);
  }
  const DriveBench::Finished& operator[](std::uint64_t id) const { return bench.finished.at(id); }

  ListSource source;
  host::ContentsCheck check;
  DriveBench bench;
};

/// While a channel moves data, in ps.
struct Window {
  Ps begin = 0, end = 0;
};

/// When `bytes` from `begin` on have left a RAM of `rate` bytes a second beside the media, rounded up; the line's own
/// time at the least.
Ps left_ram(Ps begin, std::int64_t bytes, std::int64_t rate, const Window& media) {
  __int128 left = static_cast<__int128>(bytes) * kPsPerSecond;  // in 10^-12 bytes
  const std::int64_t beside = rate - kMediaRate;
  Ps t = begin;
  if (t < media.begin) {
    const __int128 before = static_cast<__int128>(media.begin - t) * rate;
    if (before >= left) return t + static_cast<Ps>((left + rate - 1) / rate);
    left -= before;
    t = media.begin;
  }
  if (t < media.end) {
    const __int128 in = static_cast<__int128>(media.end - t) * beside;
    if (in >= left) return t + static_cast<Ps>((left + beside - 1) / beside);
    left -= in;
    t = media.end;
  }
  return t + static_cast<Ps>((left + rate - 1) / rate);
}

/// Completion of a hit of `sectors` whose command is sent at `at`.
Ps hit_completes(Ps at, std::int64_t sectors, std::int64_t rate, const Window& media = {}) {
  Ps xrdy = at + E::receiver_again(kRegister) + E::sender_again(kRegister) + E::sender_again(kDmaSetup);
  while (sectors > 0) {
    const std::int64_t here = std::min(sectors, kFrameSectors);
    const Ps begin = xrdy + E::dwords(2) + 2 * E::kLatency;
    const Ps line = E::dwords(E::framed(data_dwords(here)));
    const Ps held = rate == 0 ? 0 : std::max<Ps>(left_ram(begin, here * 512, rate, media) - (begin + line), 0);
    sectors -= here;
    // Only the last frame's end is waited for (R_OK) to end the descriptor; the SYNC behind it is later.
    xrdy += E::sender_again(data_dwords(here)) + held;
  }
  return xrdy + E::arrival(kSdb);
}

TEST(RamBandwidth, FasterThanTheLinkChangesNothing) {
  Bench bench("bench", params(500), {read_at(20'000, 0, 100), read_at(60'000, 0, 100)});
  bench.run();
  EXPECT_EQ(bench[1].record.completion, hit_completes(60 * kPsPerMs, 100, 0));
}

TEST(RamBandwidth, SlowerThanTheLinkIsTheRateOfTheData) {
  Bench bench("bench", params(20), {read_at(20'000, 0, 100), read_at(60'000, 0, 100)});
  bench.run();
  EXPECT_EQ(bench[1].record.completion, hit_completes(60 * kPsPerMs, 100, 20'000'000));
  EXPECT_GT(bench[1].record.completion, 60 * kPsPerMs + 2'560 * kPsPerUs) << "51,200 bytes at 20 MB/s";
}

TEST(RamBandwidth, IsLeftToTheLinkByTheMediaWhileTheyTransfer) {
  // 8 sectors pass from 62.0 to 62.8 ms and end the read-ahead: another read waits. The hit's 51,200 bytes take 2.56 ms
  // alone, from 61.5 ms on: the media begin and end in the middle of its frames.
  Bench bench("bench", params(20),
              {read_at(20'000, 0, 100), read_at(60'000, 5'045, 8), read_at(60'100, 9'070, 8), read_at(61'500, 0, 100)});
  bench.run();
  ASSERT_EQ(bench.bench.disk().hardware_hits(), 1u);
  ASSERT_EQ(bench[1].accesses.at(0).access.first_sector_at, 62 * kPsPerMs);
  ASSERT_EQ(bench[1].accesses.at(0).access.done_at, 62'800 * kPsPerUs);
  const Window media{62 * kPsPerMs, 62'800 * kPsPerUs};
  const Ps expected = hit_completes(61'500 * kPsPerUs, 100, 20'000'000, media);
  EXPECT_EQ(bench[3].record.completion, expected);
  // 0.8 ms at 14.88 instead of 20 MB/s: 4,096 bytes later by 204.8 us.
  EXPECT_NEAR(static_cast<double>(expected - hit_completes(61'500 * kPsPerUs, 100, 20'000'000)), 204.8e6, 1e6);
}

TEST(RamBandwidth, WaitsForTheMediaIfTheyTakeAll) {
  Bench bench("bench", params(5.12),
              {read_at(20'000, 0, 100), read_at(60'000, 5'045, 8), read_at(60'100, 9'070, 8), read_at(61'500, 0, 10)});
  bench.run();
  const Window media{62 * kPsPerMs, 62'800 * kPsPerUs};
  // 5,120 bytes: 1 ms from 61.5 ms on, 0.8 ms of it nothing.
  const Ps alone = hit_completes(61'500 * kPsPerUs, 10, 5'120'000);
  EXPECT_EQ(bench[3].record.completion, alone + (media.end - media.begin));
}

TEST(RamBandwidth, HoldsUpTheHostsDataToo) {
  BenchParams p = params(10);
  p.drive.cache.write = true;
  p.drive.cache.destage_idle_ms = 500;
  Bench bench("bench", p, {write_request(60 * kPsPerMs, 0, 8)});
  bench.run();
  const Ps at = 60 * kPsPerMs;
  const Ps decoded = E::handled(at + E::arrival(kRegister), E::kWriteCommand);
  const Ps sets_up = std::max(decoded, at + E::receiver_again(kRegister) + E::sender_again(kRegister));
  const Ps data = sets_up + E::sender_again(kDmaSetup) + E::receiver_again(kActivate);  // the host's X_RDY
  const Ps enters = data + E::dwords(2) + 3 * E::kLatency;
  const Ps line = E::dwords(E::framed(data_dwords(8)));
  const Ps held = left_ram(enters, 4'096, 10'000'000, {}) - (enters + line);
  const Ps handled = E::handled(data + E::arrival(data_dwords(8)) + held, E::kDmaDone);
  const Ps status = std::max(handled, data + E::receiver_again(data_dwords(8)) + held);
  EXPECT_EQ(bench[0].record.completion, status + E::arrival(kSdb));
  EXPECT_GT(held, 390 * kPsPerUs) << "4,096 bytes at 10 MB/s are 409.6 us";
}

TEST(RamBandwidth, OfOneDriveIsNotAnothers) {
  const std::vector<workload::Request> quiet{read_at(20'000, 0, 100), read_at(61'500, 0, 100)};
  Bench alone("alone", params(20), quiet);
  Bench busy("busy", params(20),
             {read_at(20'000, 0, 100), read_at(60'000, 5'045, 8), read_at(60'100, 9'070, 8), read_at(61'500, 0, 100)});
  sc_core::sc_start();
  EXPECT_EQ(alone[1].record.completion, hit_completes(61'500 * kPsPerUs, 100, 20'000'000));
  EXPECT_GT(busy[3].record.completion, alone[1].record.completion + 200 * kPsPerUs);
}

TEST(RamBandwidth, ThatTheMediaAloneExceedIsRefused) {
  BenchParams p = params(5.11);
  try {
    drive::HardDisk::check(p.drive, 32);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "buffer.bandwidth_mb_s: the media alone need 5.1 MB/s (100 sectors a track at 6000 rpm, 1 channel)");
  }
  p.drive.buffer.bandwidth_mb_s = 5.12;
  EXPECT_NO_THROW(drive::HardDisk::check(p.drive, 32));
}

TEST(RamBandwidth, MovesAllBytesOfARandomLoad) {
  BenchParams p;
  p.drive = round_drive_with_contents(true);
  p.drive.cache.write = p.drive.cache.look_ahead = p.drive.cache.hardware_hits = true;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.bandwidth_mb_s = 7;  // hardly more than the media
  ContentsLoad::Params load;
  load.count = 3'000;
  load.sectors = media::Geometry(p.drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = 1'000;
  ContentsBench bench("bench", p, load);
  bench.run();
  EXPECT_GT(bench.check.sectors_compared(), 10'000u);
  bench.look_at_medium(0, bench.bench.disk().sectors());
  EXPECT_EQ(bench.unreadable, 0u);
}

}  // namespace
}  // namespace armature::testing
