// The drive with its caches: rates, order of media and buffer, and what a queue of reads does to read-ahead.
#include "support/drive_bench.h"
#include "support/expected_times.h"
#include "support/stream_source.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace armature::cache_test {
namespace {

using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using testing::StreamSource;
using testing::write_request;
using E = testing::ExpectedTimes;

constexpr Ps kStart = 20 * kPsPerMs;   // firmware is up
constexpr Ps kSector = kPsPerMs / 10;  // of the round drive's outer zone

testing::BenchParams params() {
  testing::BenchParams p;
  p.drive = testing::round_drive();
  p.drive.cache.look_ahead = true;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  return p;
}

/// Sectors a millisecond of the outer zone, skews included: a cylinder of two tracks takes two turns and both skews.
constexpr double kZoneRate = 200.0 / (20 + 2.0 + 3.5);

double rate(const DriveBench& bench, std::uint64_t from, std::uint64_t to, std::uint32_t sectors) {
  const Ps begin = bench.finished.at(from).record.completion, end = bench.finished.at(to).record.completion;
  return static_cast<double>((to - from) * sectors) / to_ms(end - begin);
}

/// Sectors of a request, requests outstanding; and whether hardware answers hits.
class SequentialRead : public ::testing::TestWithParam<std::tuple<std::pair<std::uint32_t, unsigned>, bool>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, SequentialRead,
                         ::testing::Combine(::testing::Values(std::pair{8u, 1u}, std::pair{64u, 1u},
                                                              std::pair{100u, 1u}, std::pair{300u, 1u},
                                                              std::pair{64u, 8u}, std::pair{13u, 32u}),
                                            ::testing::Bool()));

TEST_P(SequentialRead, RunsAtTheZonesMediaRate) {
  const auto [sectors, outstanding] = std::get<0>(GetParam());
  const std::uint64_t count = 16'000 / sectors;  // 80 of 100 cylinders of the zone
  StreamSource source(Operation::read, kStart, 0, sectors, count, outstanding);
  testing::BenchParams p = params();
  p.drive.cache.hardware_hits = std::get<1>(GetParam());
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), count);
  EXPECT_NEAR(rate(bench, count / 16, count - 1, sectors) / kZoneRate, 1, 0.01);
}

TEST(SequentialWrite, OfCachedDataRunsAtTheZonesMediaRate) {
  testing::BenchParams p = params();
  p.drive.cache.write = true;
  p.drive.buffer.write_share = 0.5;
  for (const std::uint32_t sectors : {64u}) {
    const std::uint64_t count = 16'000 / sectors;
    StreamSource source(Operation::write, kStart, 0, sectors, count, 4);
    DriveBench bench("bench", p, source);
    bench.run();
    ASSERT_EQ(bench.finished.size(), count);
    // The lines hold 128 requests' sectors at 8 a line: what is accepted beyond them is what reaches the media.
    EXPECT_NEAR(rate(bench, count / 2, count - 1, sectors) / kZoneRate, 1, 0.01);
  }
}

TEST(CachedWrites, ABurstRunsAtLinkRateUntilTheLinesAreFull) {
  testing::BenchParams p = params();
  p.drive.cache.write = true;
  p.drive.buffer.write_share = 0.5;  // 512 KiB: 128 lines
  std::vector<workload::Request> requests;
  for (int i = 0; i < 200; ++i)
    requests.push_back(write_request(kStart, static_cast<std::uint64_t>(i) * 7'919 % 35'000 / 8 * 8, 8));
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  std::vector<Ps> at;
  for (const std::uint64_t id : bench.order) at.push_back(bench.finished.at(id).record.completion - kStart);
  std::sort(at.begin(), at.end());
  // A write on the link: command, acceptance, DMA Setup, DMA Activate, data, Set Device Bits. Handshakes of a frame
  // overlap nothing, so this is the link's own limit.
  const Ps each = E::sender_again(5) + E::sender_again(5) + E::sender_again(7) + E::sender_again(1) +
                  E::sender_again(1 + 8 * 128) + E::sender_again(2);
  EXPECT_LT(at[99], 100 * each * 13 / 10);
  EXPECT_GT(at[99], 100 * (E::dwords(E::framed(1 + 8 * 128))));
  // Beyond the lines each write goes to the media itself, some milliseconds.
  EXPECT_GT(at[199] - at[149], 50 * kPsPerMs);
  const auto& last = bench.finished.at(bench.order.back()).record;
  EXPECT_GT(last.phases[static_cast<std::size_t>(Phase::seek)], kPsPerMs);
  EXPECT_EQ(last.phases[static_cast<std::size_t>(Phase::write_back)], 0);
}

TEST(ReadAhead, GivesTheNextReadsOfTheTrackFromTheBuffer) {
  // 8 sectors, then, a turn later, others of the same track: read ahead meanwhile.
  ListSource source({read_request(kStart, 10, 8), read_request(kStart + 40 * kPsPerMs, 18, 8),
                     read_request(kStart + 60 * kPsPerMs, 60, 30), read_request(kStart + 80 * kPsPerMs, 10, 90),
                     read_request(kStart + 120 * kPsPerMs, 5, 8)});
  DriveBench bench("bench", params(), source);
  bench.run();
  for (const std::uint64_t id : {1, 2, 3}) {
    const auto& record = bench.finished.at(id).record;
    EXPECT_LT(record.completion - record.arrival, kPsPerMs) << id;
    EXPECT_TRUE(bench.finished.at(id).accesses.empty()) << id;
  }
  EXPECT_EQ(bench.finished.at(4).accesses.size(), 1u) << "begins before what was read";
}

TEST(ReadAhead, AReadLongerThanTheRingThatComesWhileTheArmMovesGetsItsData) {
  testing::BenchParams p = params();
  p.drive.buffer.size_kib = 204;  // rings of 100 sectors: a track
  // The second read makes it a stream, so the arm goes on to the next track, from 40.0 to 40.5 ms. The ring is full of
  // what the third one begins with.
  ListSource source({read_request(kStart, 0, 12), read_request(kStart + 12 * kPsPerMs, 12, 8),
                     read_request(kStart + 20 * kPsPerMs + kPsPerMs / 5, 0, 300)});
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 3u);
  EXPECT_TRUE(bench.finished.at(2).record.ok);
}

TEST(ReadAhead, ServesAReadWhoseSectorsAreOnTheirWay) {
  // The second read's sectors pass 30 to 38 sectors behind the first one's.
  ListSource source({read_request(kStart, 10, 8), read_request(kStart + 3 * kPsPerMs, 48, 8)});
  DriveBench bench("bench", params(), source);
  bench.run();
  const auto& first = bench.finished.at(0);
  ASSERT_EQ(first.accesses.size(), 1u);
  const Ps first_sector = first.accesses[0].access.first_sector_at;
  const auto& record = bench.finished.at(1).record;
  ASSERT_LT(record.arrival, first_sector + 46 * kSector) << "the test's own premise";
  EXPECT_GT(record.completion, first_sector + 46 * kSector);
  EXPECT_LT(record.completion, first_sector + 47 * kSector) << "the mark, a handler, and the link";
  EXPECT_GT(record.phases[static_cast<std::size_t>(Phase::buffer_fill)], 0);
}

TEST(ReadAhead, ServesAReadOfWhichAPartIsOnItsWay) {
  // Sectors 10 to 17 pass from 21.0 ms on. At 25.03 ms sector 50 is under the head: 45 to 49 are there, 50 to 54 are
  // not.
  const Ps first_at = kStart + 10 * kSector;
  ListSource source({read_request(kStart, 10, 8), read_request(first_at + 40 * kSector + 30 * kPsPerUs, 45, 10)});
  DriveBench bench("bench", params(), source);
  bench.run();
  ASSERT_EQ(bench.finished.at(0).accesses.at(0).access.first_sector_at, first_at);
  EXPECT_TRUE(bench.finished.at(1).accesses.empty()) << "no access of its own";
  // The last of its sectors has passed, the mark is handled, the data go over the link.
  const Ps passed = first_at + 45 * kSector;
  const Ps sent = E::handled(passed, E::kChannelDone) + E::sender_again(7) + E::end(1 + 10 * 128);
  const auto& record = bench.finished.at(1).record;
  EXPECT_GT(record.completion, sent);
  EXPECT_LT(record.completion, sent + 3 * kPsPerUs) << "and a status frame";
  EXPECT_EQ(record.phases[static_cast<std::size_t>(Phase::buffer_fill)],
            E::handled(passed, E::kChannelDone) - E::handled(record.arrival + E::arrival(5), E::kReadCommand));
}

TEST(ReadAhead, DoesNotServeAReadThatItWillNotComeTo) {
  // Without a stream reading ahead ends with the track.
  ListSource source({read_request(kStart, 10, 8), read_request(kStart + 4 * kPsPerMs, 105, 8)});
  DriveBench bench("bench", params(), source);
  bench.run();
  EXPECT_EQ(bench.finished.at(1).accesses.size(), 1u);
}

class Preemption : public ::testing::TestWithParam<Ps> {};
INSTANTIATE_TEST_SUITE_P(Offsets, Preemption,
                         ::testing::Values(Ps{0}, Ps{12'345}, kSector / 2, kSector - 1, 7 * kSector + 999, 33 * kSector,
                                           60 * kSector));

TEST_P(Preemption, ReadAheadDelaysAnotherReadByOneSectorAtMost) {
  // Sectors 10 to 17 of track 0 pass from 31.0 to 31.8 ms; reading ahead goes on to the end of the track at 40 ms.
  const Ps arrival = kStart + 12 * kPsPerMs + kPsPerMs / 5 + GetParam();
  ListSource source({read_request(kStart + 10 * kPsPerMs + 100 * kPsPerUs, 10, 8), read_request(arrival, 30'000, 8)});
  DriveBench bench("bench", params(), source);
  bench.run();
  ASSERT_LT(bench.finished.at(0).record.completion, arrival);
  const auto& record = bench.finished.at(1).record;
  const Ps in_drive = arrival + E::arrival(5) + (E::kReadCommand + 1) * E::kCpuPeriod;
  Ps seek = 0;
  for (const auto& segment : bench.finished.at(1).timeline)
    if (segment.phase == Phase::seek && seek == 0) seek = segment.begin;
  ASSERT_GT(seek, 0);
  const Ps handlers = (E::kChannelDone + E::kGrant + 3) * E::kCpuPeriod + 20 * E::kAauPeriod;
  EXPECT_LE(seek, in_drive + kSector + handlers);
  EXPECT_GT(record.phases[static_cast<std::size_t>(Phase::drive_queue)], 0);
}

TEST(WriteCache, AReadOfWrittenDataComesFromTheLines) {
  testing::BenchParams p = params();
  p.drive.cache.write = true;
  p.drive.cache.destage_idle_ms = 500;
  ListSource source({write_request(kStart, 1'003, 20), read_request(kStart + kPsPerMs, 1'005, 8),
                     read_request(kStart + 2 * kPsPerMs, 1'000, 8)});
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_TRUE(bench.finished.at(1).accesses.empty());
  const auto& record = bench.finished.at(1).record;
  EXPECT_LT(record.completion - record.arrival, kPsPerMs / 10);
  // Only a part of the third is in the lines: they go to the media first, and at once.
  const auto& part = bench.finished.at(2);
  EXPECT_GT(part.record.phases[static_cast<std::size_t>(Phase::write_back)], kPsPerMs / 10);
  EXPECT_EQ(part.accesses.size(), 1u);
  EXPECT_LT(part.record.completion, kStart + 100 * kPsPerMs);
}

/// Written data that do not yield take the arm from reading ahead at the end of the sector that is passing: the flush
/// ends when the head has come to the write's first sector the next time, and passed its last.
TEST(WriteCache, AFlushDoesNotWaitForReadingAhead) {
  testing::BenchParams p = params();
  p.drive.cache.write = true;
  p.drive.cache.destage_idle_ms = 500;
  p.drive.cache.read_ahead = controller::CacheParams::segment;  // on for 40 ms
  workload::Request flush;
  flush.arrival = kStart + 4 * kPsPerMs;
  flush.operation = Operation::flush;
  ListSource source({read_request(kStart, 10, 8), write_request(kStart + 2 * kPsPerMs, 6'000, 8), flush});
  DriveBench bench("bench", p, source);
  bench.run();
  const E::Place from = E::place(10), to = E::place(6'000);
  const Ps settle = kPsPerMs * 4 / 10, handlers = 20 * kPsPerUs;
  const Ps there = flush.arrival + kSector + E::move(from, to) + settle;
  const Ps begin = E::passage(to, there);
  ASSERT_GT(begin - there, handlers) << "too close to tell by hand";
  EXPECT_GT(bench.finished.at(2).record.completion, begin + 8 * kSector);
  EXPECT_LT(bench.finished.at(2).record.completion, begin + 8 * kSector + handlers);
}

TEST(WriteCache, AFlushEndsWhenAllIsOnTheMedia) {
  testing::BenchParams p = params();
  p.drive.cache.write = true;
  p.drive.cache.destage_idle_ms = 500;
  std::vector<workload::Request> requests;
  for (int i = 0; i < 20; ++i)
    requests.push_back(write_request(kStart, static_cast<std::uint64_t>(i) * 7'919 % 35'000 / 8 * 8, 8));
  workload::Request flush;
  flush.arrival = kStart + 5 * kPsPerMs;
  flush.operation = Operation::flush;
  requests.push_back(flush);
  requests.push_back(flush);
  requests.back().arrival = kStart + 1'000 * kPsPerMs;
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  const auto& record = bench.finished.at(20).record;
  EXPECT_GT(record.phases[static_cast<std::size_t>(Phase::write_back)], 20 * 2 * kPsPerMs) << "20 writes apart";
  const auto& empty = bench.finished.at(21).record;
  EXPECT_LT(empty.completion - empty.arrival, kPsPerMs / 10);
}

/// A read that joins what is read ahead just when that has come to the end of its track, before firmware knows: the
/// mark that is set for it must not be the next access's.
TEST(ReadAhead, AMarkThatComesTooLateIsNotTheNextAccesss) {
  const Ps command = E::arrival(5);
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Ps round = kStart + static_cast<Ps>(i) * 200 * kPsPerMs;
    const std::uint64_t track = i * 20 * 200;  // its first sector lies at angle 0, so its end comes with each full turn
    requests.push_back(read_request(round, track + 40, 8));
    // Its handler takes 1.2 us and has begun when the track is over.
    const Ps before = (100 + static_cast<Ps>(i) * 250) * (kPsPerUs / 1'000);
    requests.push_back(read_request(round + E::kTurn - command - before, track + 70, 8));
    requests.push_back(write_request(round + 80 * kPsPerMs, track + 8 * 200, 96));
  }
  ListSource source(requests);
  DriveBench bench("bench", params(), source);
  bench.run();
  for (std::uint64_t id = 2; id < requests.size(); id += 3) {
    const auto& accesses = bench.finished.at(id).accesses;
    ASSERT_EQ(accesses.size(), 1u);
    EXPECT_GT(bench.finished.at(id).record.completion, accesses[0].access.done_at) << id;
  }
}

}  // namespace
}  // namespace armature::cache_test
