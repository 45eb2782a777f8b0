// Reads that the segment table answers without firmware: times by hand, what is no hit, and what must not be sent.
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "contents_bench.h"
#include "support/expected_times.h"
#include "support/fixed_delay_link.h"
#include "support/run_until.h"
#include "support/scripted_host.h"
#include "support/stream_source.h"

#include <gtest/gtest.h>

#include <numeric>

namespace armature::testing {
namespace {

using E = ExpectedTimes;

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::int64_t kRegister = 5, kDmaSetup = 7, kSdb = 2;
constexpr std::int64_t kLookUp = 8;  // cycles

std::int64_t data_dwords(std::int64_t sectors) {
  return 1 + sectors * 128;
}

BenchParams params(bool hardware = true) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.media.contents = media::ContentsParams::memory;
  p.drive.cache.look_ahead = true;
  p.drive.cache.hardware_hits = hardware;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  return p;
}

Ps phase(const DriveBench::Finished& f, Phase which) {
  return f.record.phases[static_cast<std::size_t>(which)];
}

/// A drive under a list of requests whose data are checked.
struct Bench {
  Bench(const BenchParams& p, std::vector<workload::Request> requests)
      : source(std::move(requests)), check({}), bench("bench", p, source) {
    bench.queue().set_data_port(check);
    bench.run();
    EXPECT_EQ(check.mismatches(), 0u);
    for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  }
  const DriveBench::Finished& operator[](std::uint64_t id) const { return bench.finished.at(id); }
  std::uint32_t hits() const { return bench.disk().hardware_hits(); }
  Ps response(std::uint64_t id) const { return (*this)[id].record.completion - (*this)[id].record.arrival; }

  ListSource source;
  host::ContentsCheck check;
  DriveBench bench;
};

constexpr Ps kAgain = kStart + 40 * kPsPerMs;  // what follows the first request on its track has been read

TEST(HardwareHit, TakesTheFramesAndTheLookUp) {
  Bench bench(params(), {read_request(kStart, 10, 8), read_request(kAgain, 20, 16)});
  ASSERT_EQ(bench.hits(), 1u);
  // The drive accepts the command as soon as the link is its own; the look-up is over long before that frame.
  const Ps command_in = kAgain + E::arrival(kRegister);
  const Ps accepts = kAgain + E::receiver_again(kRegister);
  const Ps sets_up = accepts + E::sender_again(kRegister);
  ASSERT_LT(E::handled(command_in, kLookUp), sets_up);
  const Ps sends = sets_up + E::sender_again(kDmaSetup);
  const Ps completes = sends + E::sender_again(data_dwords(16));
  const auto& f = bench[1];
  EXPECT_EQ(f.record.completion, completes + E::arrival(kSdb));
  // From the command's arrival on it is the link's: no firmware, no wait for a handler.
  EXPECT_EQ(phase(f, Phase::link_command), command_in - kAgain);
  EXPECT_EQ(phase(f, Phase::firmware), 0);
  EXPECT_EQ(phase(f, Phase::link_wait) + phase(f, Phase::link_data), sends + E::end(data_dwords(16)) - command_in);
  EXPECT_EQ(phase(f, Phase::link_status), f.record.completion - sends - E::end(data_dwords(16)));
  EXPECT_EQ(std::accumulate(f.record.phases.begin(), f.record.phases.end(), Ps{0}), f.record.completion - kAgain);
  EXPECT_TRUE(f.accesses.empty());
  EXPECT_EQ(observe::served_by(f.record), observe::ServedBy::buffer);
}

TEST(HardwareHit, ALookUpLongerThanTheAcceptanceDelaysTheData) {
  BenchParams p = params();
  p.drive.controller.look_up_cycles = 4'001;
  Bench bench(p, {read_request(kStart, 10, 8), read_request(kAgain, 20, 16)});
  const Ps sets_up = E::handled(kAgain + E::arrival(kRegister), 4'001);
  const Ps sends = sets_up + E::sender_again(kDmaSetup);
  EXPECT_EQ(bench[1].record.completion, sends + E::sender_again(data_dwords(16)) + E::arrival(kSdb));
}

TEST(HardwareHit, OfFirmwareTakesTwoHandlersMore) {
  Bench bench(params(false), {read_request(kStart, 10, 8), read_request(kAgain, 20, 16)});
  EXPECT_EQ(bench.hits(), 0u);
  const Ps sets_up = E::handled(kAgain + E::arrival(kRegister), E::kReadCommand);
  const Ps sent = sets_up + E::sender_again(kDmaSetup) + E::end(data_dwords(16));
  EXPECT_EQ(bench[1].record.completion, E::handled(sent, E::kDmaDone) + E::arrival(kSdb));
  // By hand, in ps at 3 Gb/s: the acceptance is over 1,246,667 after the command's beginning, firmware's handler at
  // 1,633,333 + grid; and the completion waits for R_OK and 230 cycles instead of one SYNC.
  const Ps hardware = kAgain + E::receiver_again(kRegister) + E::sender_again(kRegister);
  EXPECT_GT(sets_up - hardware, 380'000);
  EXPECT_LT(sets_up - hardware, 395'000);
}

TEST(HardwareHit, OfAnUnqueuedReadHasNoAcceptanceAndARegisterFrame) {
  BenchParams p = params();
  p.host.ncq = false;
  Bench bench(p, {read_request(kStart, 10, 8), read_request(kAgain, 20, 16)});
  ASSERT_EQ(bench.hits(), 1u);
  const Ps looked_up = E::handled(kAgain + E::arrival(kRegister), kLookUp);
  const Ps sends = std::max(looked_up, kAgain + E::receiver_again(kRegister));
  EXPECT_EQ(bench[1].record.completion, sends + E::sender_again(data_dwords(16)) + E::arrival(kRegister));
  EXPECT_EQ(phase(bench[1], Phase::firmware), 0);
}

/// Rings of 100 sectors.
BenchParams short_rings(std::int64_t segments = 4) {
  BenchParams p = params();
  p.drive.buffer.segments = segments;
  p.drive.buffer.size_kib = 4 + 50 * segments;
  return p;
}

TEST(HardwareHit, GoesOnAtTheRingsBeginning) {
  // The stream fills the ring from sector 0 on, so sector x lies at x mod 100; at its end it holds 127 to 226.
  Bench bench(short_rings(), {read_request(kStart, 0, 60), read_request(kStart + kPsPerMs, 60, 80),
                              read_request(kStart + 100 * kPsPerMs, 195, 10)});
  ASSERT_EQ(bench.hits(), 1u);
  const Ps begin = kStart + 100 * kPsPerMs;
  const Ps sends = begin + E::receiver_again(kRegister) + E::sender_again(kRegister) + E::sender_again(kDmaSetup);
  EXPECT_EQ(bench[2].record.completion, sends + 2 * E::sender_again(data_dwords(5)) + E::arrival(kSdb))
      << "one DMA Setup, two data frames";
}

TEST(HardwareHit, IsNoneIfASectorIsNotThereOrFuaIsWanted) {
  // 10 to 99 have been read, then the arm has stopped: there was no stream.
  Bench bench(params(), {read_request(kStart, 10, 8), read_request(kAgain, 9, 8), read_request(2 * kAgain, 92, 9)});
  EXPECT_EQ(bench.hits(), 0u);
  EXPECT_EQ(bench[1].accesses.size(), 1u);
  EXPECT_EQ(bench[2].accesses.size(), 1u);
}

TEST(HardwareHit, ForcedUnitAccessReadsTheMedium) {
  workload::Request fua = read_request(kAgain, 20, 8);
  fua.fua = true;
  Bench bench(params(), {read_request(kStart, 10, 8), fua});
  EXPECT_EQ(bench.hits(), 0u);
  EXPECT_EQ(bench[1].accesses.size(), 1u);
}

TEST(HardwareHit, SendsNothingThatIsNewerInLines) {
  BenchParams p = params();
  p.drive.cache.write = true;
  p.drive.cache.destage_idle_ms = 400;
  // The second write comes before what lies there is read (ahead): hardware may have what is before it only.
  Bench bench(p, {read_request(kStart, 10, 8), write_request(kAgain, 40, 4), read_request(kAgain + kPsPerMs, 30, 30),
                  write_request(kAgain + 100 * kPsPerMs, 250, 4), read_request(kAgain + 110 * kPsPerMs, 202, 8),
                  read_request(kAgain + 140 * kPsPerMs, 212, 8), read_request(kAgain + 141 * kPsPerMs, 245, 8),
                  read_request(kAgain + 180 * kPsPerMs, 251, 2)});
  EXPECT_EQ(bench.hits(), 2u) << "the read of 212, and that of 251 after the medium has brought it";
  EXPECT_GT(phase(bench[2], Phase::write_back), 0);
  EXPECT_GT(phase(bench[2], Phase::write_back), 0);
  EXPECT_LT(bench.response(5), kPsPerMs / 10);
  EXPECT_GT(phase(bench[6], Phase::write_back), 0);
}

TEST(HardwareHit, AWriteTakesTheSegmentBackBeforeItCompletes) {
  for (const bool cached : {false}) {
    BenchParams p = params();
    p.drive.cache.write = cached;
    Bench bench(p, {read_request(kStart, 10, 8), read_request(kAgain, 20, 8), write_request(kAgain + kPsPerMs, 24, 2),
                    read_request(kAgain + 40 * kPsPerMs, 20, 8)});
    EXPECT_EQ(bench.hits(), 1u);
    EXPECT_EQ(bench[3].accesses.size(), 1u);
  }
}

/// A request at `us` microseconds.
workload::Request read_at(Ps us, std::uint64_t lbn, std::uint32_t sectors) {
  return read_request(us * kPsPerUs, lbn, sectors);
}

TEST(HardwareHit, ASegmentThatIsBeingSentIsNotGivenAway) {
  // A track in a ring; 150 us a sector on the link. A read takes the other ring at 62.0 ms, another one waits for the
  // arm and would have its first sector at 64.5 ms, in the ring that hardware is sending from 62.5 to 77.5 ms.
  BenchParams p = short_rings(2);
  p.link.bus_us_per_sector = 150;
  Bench bench(
      p, {read_at(20'000, 0, 100), read_at(60'000, 5'045, 8), read_at(60'100, 9'070, 30), read_at(62'500, 0, 100)});
  ASSERT_EQ(bench.hits(), 1u);
  ASSERT_EQ(bench[1].accesses.size(), 1u);
  ASSERT_EQ(bench[1].accesses[0].access.first_sector_at, 62 * kPsPerMs);
  ASSERT_EQ(bench[2].accesses.size(), 1u);
  const Ps sent = bench[3].record.completion;
  EXPECT_GT(sent, 77 * kPsPerMs);
  EXPECT_GT(bench[2].accesses[0].access.first_sector_at, sent);
  EXPECT_LT(bench[2].accesses[0].access.first_sector_at, sent + 2 * E::kTurn) << "it goes on by itself";
}

TEST(HardwareHit, AStreamDoesNotWriteOverWhatIsBeingSent) {
  // The ring holds 0 to 95, with room for the rest of the track. Hardware sends 0 to 39 from 88.9 to 96.9 ms; what the
  // stream reads at 92.0 ms on the next track belongs to the same place.
  BenchParams p = short_rings(2);
  p.link.bus_us_per_sector = 200;
  Bench bench(p, {read_at(20'000, 0, 4), read_at(31'000, 4, 4), read_at(80'000, 96, 44), read_at(88'900, 0, 40)});
  ASSERT_EQ(bench.hits(), 1u);
  ASSERT_EQ(bench[2].accesses.size(), 2u);
  EXPECT_EQ(bench[2].accesses[0].access.first_sector_at, 89'600 * kPsPerUs);
  EXPECT_GT(bench[3].record.completion, 96'900 * kPsPerUs);
  EXPECT_EQ(bench[2].accesses[1].access.first_sector_at, 102 * kPsPerMs);
}

TEST(HardwareHit, KeepsASegmentFromBeingTheOldest) {
  // Two segments: the first one is used by hardware after the second one was filled, so the third read takes the
  // second.
  BenchParams p = params();
  p.drive.buffer.segments = 2;
  const auto at = [](int i) { return kStart + i * 50 * kPsPerMs; };
  Bench bench(p, {read_request(at(0), 0, 8), read_request(at(1), 5'000, 8), read_request(at(2), 16, 8),
                  read_request(at(3), 9'000, 8), read_request(at(4), 32, 8), read_request(at(5), 5'016, 8)});
  EXPECT_EQ(bench.hits(), 2u);
  EXPECT_TRUE(bench[4].accesses.empty());
  EXPECT_EQ(bench[5].accesses.size(), 1u);
}

TEST(HardwareHit, LetsReadAheadGoOn) {
  // Hardware answers the second read, which goes on where the first ended: a stream, so the arm reads the next track
  // too (what the first one left of its own is read by 31 ms).
  for (const bool hardware : {true}) {
    Bench bench(params(hardware),
                {read_request(kStart, 0, 60), read_request(kAgain, 60, 38), read_request(kAgain + 20 * kPsPerMs, 98, 4),
                 read_request(kAgain + 60 * kPsPerMs, 150, 20)});
    EXPECT_EQ(bench.hits(), 2u);
    EXPECT_EQ(bench[2].accesses.size(), 1u) << "half of it was there";
    EXPECT_LT(bench.response(3), kPsPerMs) << "read ahead on the next track";
  }
}

/// The drive and a host that says what it is told.
struct Direct {
  Direct() : disk("disk", params().drive, 32, {}) {
    host.to_link.bind(link.from_host);
    link.to_drive.bind(disk.from_link());
    disk.to_link().bind(link.from_drive);
    link.to_host.bind(host.from_link);
    run_until(kStart);
  }
  void set_features(std::uint16_t feature) {
    sata::RegisterH2D command;
    command.is_command = true;
    command.command = 0xEF;
    command.features = feature;
    host.send(command);
    wait();
    EXPECT_EQ(host.log().back(), "D2H status 50h tag 0");
  }
  /// Tells whether hardware answered it.
  bool read_hits(std::uint32_t tag, std::uint64_t lba) {
    const std::uint32_t before = disk.hardware_hits();
    host.read_queued(tag, lba, 8);
    wait();
    return disk.hardware_hits() != before;
  }
  static void wait() { run_until(now() + 50 * kPsPerMs); }

  FixedDelayLink link{"link", kPsPerUs};
  ScriptedHost host{"host"};
  drive::HardDisk disk;
};

TEST(HardwareHit, IsNoneWhileLookAheadIsOff) {
  Direct bench;
  EXPECT_FALSE(bench.read_hits(1, 0));
  EXPECT_TRUE(bench.read_hits(2, 8));
  bench.set_features(0x55);
  EXPECT_FALSE(bench.read_hits(3, 8));
  EXPECT_EQ(bench.host.log().back(), "SDB 00000008");
  bench.set_features(0xAA);
  EXPECT_FALSE(bench.read_hits(4, 8)) << "nothing is kept";
  EXPECT_TRUE(bench.read_hits(5, 16));
}

TEST(HardwareHit, IsNoneAfterAnErrorUntilItsLogIsRead) {
  Direct bench;
  EXPECT_FALSE(bench.read_hits(1, 0));
  EXPECT_TRUE(bench.read_hits(2, 8));
  EXPECT_FALSE(bench.read_hits(3, bench.disk.sectors()));
  bench.host.clear();
  EXPECT_FALSE(bench.read_hits(4, 8)) << "halted";
  EXPECT_EQ(bench.host.log(), (std::vector<std::string>{"D2H error 04h tag 0"})) << "aborted, and nothing else";
  bench.host.unqueued(sata::Command::read_log_ext, 0x10, 1);
  Direct::wait();
  EXPECT_TRUE(bench.read_hits(5, 8)) << "the segment is still there";
}

TEST(HardwareHit, OneThatTheHostBreaksOffEndsAsAnError) {
  Direct bench;
  EXPECT_FALSE(bench.read_hits(1, 0));
  bench.host.reject(sata::FrameType::data, 1);
  bench.host.clear();
  EXPECT_TRUE(bench.read_hits(7, 8));
  const sata::SetDeviceBits bits = sata::parse_set_device_bits(bench.host.last(sata::FrameType::set_device_bits));
  EXPECT_EQ(bits.status, 0x41);
  EXPECT_EQ(bits.error, 0x84) << "ICRC and ABRT";
  EXPECT_EQ(bits.sactive, 0u);
  EXPECT_FALSE(bench.disk.failed());
}

TEST(HardwareHit, NeedsTheHostsSectorsToBeTheTables) {
  BenchParams p = params();
  p.drive.geometry.zones = {{0, 99, 104, 24, 40, 0}, {100, 199, 80, 16, 32, 0}};
  p.drive.geometry.physical_sector_bytes = 4'096;
  p.drive.geometry.logical_sector_bytes = 4'096;
  EXPECT_THROW(drive::HardDisk::check(p.drive, 32), InputError);
  p.drive.cache.hardware_hits = false;
  EXPECT_NO_THROW(drive::HardDisk::check(p.drive, 32));
}

}  // namespace
}  // namespace armature::testing
