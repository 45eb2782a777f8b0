// What of written data can be read from the buffer when it is on the media, which read segments a write near them
// drops, and how reading ahead goes on behind a hit (docs/guide/cache.md).
#include "support/drive_bench.h"
#include "support/expected_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using testing::BenchParams;
using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using testing::write_request;
using Cache = controller::CacheParams;
using E = testing::ExpectedTimes;

constexpr Ps kStart = 20 * kPsPerMs;   // index under the head: turns of 10 ms from time 0
constexpr Ps kApart = 100 * kPsPerMs;  // the drive has come to rest meanwhile
constexpr Ps kSector = kPsPerMs / 10;

BenchParams params(bool write_cache) {
  BenchParams p;
  p.drive = testing::round_drive();
  p.drive.cache.look_ahead = true;
  p.drive.cache.write = write_cache;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  return p;
}

/// The requests, `kApart` after each other.
std::vector<workload::Request> apart(std::vector<workload::Request> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = kStart + static_cast<Ps>(i) * kApart;
  return requests;
}

workload::Request read(std::uint64_t lbn, std::uint32_t sectors) {
  return read_request(0, lbn, sectors);
}
workload::Request write(std::uint64_t lbn, std::uint32_t sectors) {
  return write_request(0, lbn, sectors);
}
workload::Request flush() {
  workload::Request request;
  request.operation = Operation::flush;
  return request;
}

/// Of the reads among requests that come `kApart` after each other, those that need no arm: a 1, otherwise a 0.
std::string hits(const BenchParams& p, const std::vector<workload::Request>& requests) {
  ListSource source(apart(requests));
  DriveBench bench(sc_core::sc_gen_unique_name("bench"), p, source);
  bench.run();
  std::string found;
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i].operation == Operation::read) found += bench.finished.at(i).accesses.empty() ? '1' : '0';
  return found;
}

// --- Written data ----------------------------------------------------------------------------------------------------

/// Hits with the key and without it.
struct Case {
  const char* name;
  bool write_cache;
  std::vector<workload::Request> requests;
  const char* with;
  const char* without;
  void (*set)(BenchParams&) = nullptr;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

/// 64 lines of eight sectors, each on a track of its own.
std::vector<workload::Request> fill_lines(int from, int to) {
  std::vector<workload::Request> writes;
  for (int i = from; i < to; ++i) writes.push_back(write(static_cast<std::uint64_t>(i) * 200, 8));
  return writes;
}
template <class... Parts>
std::vector<workload::Request> all(const Parts&... parts) {
  std::vector<workload::Request> requests;
  (requests.insert(requests.end(), parts.begin(), parts.end()), ...);
  return requests;
}
using List = std::vector<workload::Request>;

void second(BenchParams& p) {
  p.drive.cache.read_ahead_from = Cache::second;
}
void no_look_ahead(BenchParams& p) {
  p.drive.cache.look_ahead = false;
}

class KeepWritten : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Cases, KeepWritten,
    ::testing::Values(
        Case{"cached", true, {write(1'003, 20), read(1'005, 8)}, "1", "0"},
        Case{"written_anew", true, {write(1'003, 20), write(1'007, 2), read(1'003, 20)}, "1", "0"},
        Case{"joined", true, {write(1'003, 20), write(1'023, 20), read(1'010, 30)}, "1", "0"},
        Case{"only_a_part", true, {write(1'003, 20), read(1'020, 8), read(1'003, 8)}, "01", "00"},
        Case{"past_the_cache", false, {write(1'003, 20), read(1'005, 8)}, "1", "0"},
        Case{"past_the_cache_behind_it", false, {write(1'003, 20), read(1'015, 12)}, "0", "0"},
        // 64 lines: the one that was read stays longer than the one that was only written.
        Case{"until_its_line_is_needed", true,
             all(fill_lines(0, 64), List{read(0, 8)}, fill_lines(70, 80), List{read(0, 8), read(400, 8)}), "110",
             "010"},  // the second one finds what was read ahead by the first
        Case{"nothing_is_kept_without_look_ahead", true, {write(1'003, 20), read(1'005, 8)}, "0", "0", no_look_ahead},
        // A read that begins where a write ended goes on where no read ended.
        Case{"a_write_is_no_stream",
             false,
             {write(1'000, 20), read(1'020, 4), read(1'024, 4), read(1'028, 4)},
             "001",
             "001",
             second}),
    [](const auto& c) { return c.param.name; });

TEST_P(KeepWritten, WhatWasWrittenIsReadFromTheBuffer) {
  BenchParams p = params(GetParam().write_cache);
  p.drive.cache.keep_written = true;
  if (GetParam().set) GetParam().set(p);
  EXPECT_EQ(hits(p, GetParam().requests), GetParam().with);
}

TEST_P(KeepWritten, UnlessTheKeyIsOff) {
  BenchParams p = params(GetParam().write_cache);
  if (GetParam().set) GetParam().set(p);
  EXPECT_EQ(hits(p, GetParam().requests), GetParam().without);
}

/// A physical sector that is written in part is not read before if the rest of it is in its line: a turn less.
TEST(KeepWritten, APhysicalSectorInTheBufferIsNotReadBeforeItIsWrittenInPart) {
  List requests = apart({write(1'040, 8), write(1'042, 2), flush()});
  requests[2].arrival = requests[1].arrival;
  BenchParams p = params(true);
  p.drive.geometry.physical_sector_bytes = 4'096;
  p.drive.geometry.zones = {{0, 99, 104, 24, 40, 0}, {100, 199, 80, 16, 32, 0}};
  ListSource one(requests), other(requests);
  DriveBench reads("reads", p, one);
  p.drive.cache.keep_written = true;
  DriveBench knows("knows", p, other);
  knows.run();
  const auto flushed = [](const DriveBench& bench) { return bench.finished.at(2).record.completion; };
  EXPECT_NEAR(to_ms(flushed(reads) - flushed(knows)), 10, 0.01);
}

// --- Writes near a segment -------------------------------------------------------------------------------------------

struct Near {
  const char* name;
  std::uint64_t lbn;  // a write of four sectors; the segment holds 10 to 99, the end of the first track
  const char* none;   // is 50 a hit then?
  const char* adjacent;
  const char* track;
};
std::ostream& operator<<(std::ostream& out, const Near& n) {
  return out << n.name;
}
class DropNear : public ::testing::TestWithParam<std::tuple<Near, Cache::DropNear>> {};
INSTANTIATE_TEST_SUITE_P(Cases, DropNear,
                         ::testing::Combine(::testing::Values(Near{"behind_it", 100, "1", "0", "1"},
                                                              Near{"before_it", 6, "1", "0", "0"},
                                                              Near{"further_before", 5, "1", "1", "0"},
                                                              Near{"on_the_next_track", 101, "1", "1", "1"},
                                                              Near{"overlapping", 10, "1", "0", "0"},
                                                              Near{"on_another", 5'000, "1", "1", "1"}),
                                            ::testing::Values(Cache::none, Cache::adjacent, Cache::same_track)));

TEST_P(DropNear, ASegmentIsDroppedByAWriteAsNearAsThat) {
  const auto [near, policy] = GetParam();
  BenchParams p = params(false);
  p.drive.cache.drop_near = policy;
  const char* const expected[] = {near.none, near.adjacent, near.track};
  EXPECT_EQ(hits(p, {read(10, 4), write(near.lbn, 4), read(50, 4)}), std::string("0") + expected[policy]);
}

TEST(DropNearCached, AWriteIntoTheCacheDoesTheSame) {
  BenchParams p = params(true);
  p.drive.cache.drop_near = Cache::same_track;
  EXPECT_EQ(hits(p, {read(10, 4), write(0, 4), read(50, 4)}), "00");
}

// --- Reading ahead behind a hit --------------------------------------------------------------------------------------

struct Ahead {
  const char* name;
  Cache::ReadAhead read_ahead;
  List requests;
  const char* with;
  const char* without;
};
std::ostream& operator<<(std::ostream& out, const Ahead& a) {
  return out << a.name;
}
class ReadAheadOnHit : public ::testing::TestWithParam<Ahead> {};
// 10 to 99 are read at first: the rest of the track. Rings have 510 sectors, of which seven eighths, 447, are read
// ahead.
INSTANTIATE_TEST_SUITE_P(
    Cases, ReadAheadOnHit,
    ::testing::Values(
        Ahead{"stream", Cache::stream, {read(10, 4), read(14, 4), read(150, 4)}, "011", "010"},
        Ahead{"no_stream", Cache::stream, {read(10, 4), read(50, 4), read(150, 4)}, "010", "010"},
        Ahead{"track", Cache::track, {read(10, 4), read(14, 4), read(150, 4)}, "010", "010"},
        Ahead{"cylinder", Cache::cylinder, {read(10, 4), read(50, 4), read(150, 4), read(250, 4)}, "0110", "0110"},
        // At first to 14 + 447, behind the hit to 104 + 447.
        Ahead{"ring", Cache::segment, {read(10, 4), read(100, 4), read(500, 4)}, "011", "010"}),
    [](const auto& c) { return c.param.name; });

TEST_P(ReadAheadOnHit, GoesOnWhereTheSegmentEndsAsFarAsThePolicySays) {
  BenchParams p = params(false);
  p.drive.cache.read_ahead = GetParam().read_ahead;
  p.drive.cache.read_ahead_on_hit = true;
  EXPECT_EQ(hits(p, GetParam().requests), GetParam().with);
}

TEST_P(ReadAheadOnHit, DoesNotUnlessTheKeySaysSo) {
  BenchParams p = params(false);
  p.drive.cache.read_ahead = GetParam().read_ahead;
  EXPECT_EQ(hits(p, GetParam().requests), GetParam().without);
}

/// Another read has ended reading ahead when sector 40 passed; behind a hit it goes on to the end of the track.
class ReadAheadOnHitStopped : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Key, ReadAheadOnHitStopped, ::testing::Bool());

TEST_P(ReadAheadOnHitStopped, GoesOnFromWhereACommandHasEndedIt) {
  BenchParams p = params(false);
  p.drive.cache.read_ahead_on_hit = GetParam();
  ListSource source({read_request(kStart, 10, 4), read_request(kStart + 4 * kPsPerMs, 30'000, 4),
                     read_request(kStart + kApart, 20, 4), read_request(kStart + 2 * kApart, 90, 4)});
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_TRUE(bench.finished.at(2).accesses.empty());
  EXPECT_EQ(bench.finished.at(3).accesses.empty(), GetParam());
}

/// The hit comes at an index, when the head of the first track's second surface has its first sector 2 ms later. From
/// there on the arm reads for nobody, and a command takes it at the end of the sector that is passing.
class ReadAheadOnHitYields : public ::testing::TestWithParam<Ps> {};
INSTANTIATE_TEST_SUITE_P(Offsets, ReadAheadOnHitYields,
                         ::testing::Values(Ps{0}, Ps{12'345}, kSector - 1, 33 * kSector, 60 * kSector));

TEST_P(ReadAheadOnHitYields, ToACommandAtTheEndOfASector) {
  const Ps hit = kStart + kApart;
  const Ps arrival = hit + 3 * kPsPerMs + GetParam();
  BenchParams p = params(false);
  p.drive.cache.read_ahead_on_hit = true;
  ListSource source({read_request(kStart, 10, 4), read_request(hit, 14, 4), read_request(arrival, 30'000, 8)});
  DriveBench bench("bench", p, source);
  bench.run();
  Ps seek = 0;
  for (const auto& segment : bench.finished.at(2).timeline)
    if (segment.phase == Phase::seek && seek == 0) seek = segment.begin;
  const Ps in_drive = arrival + E::arrival(5) + (E::kReadCommand + 1) * E::kCpuPeriod;
  const Ps handlers = (E::kChannelDone + E::kGrant + 3) * E::kCpuPeriod + 20 * E::kAauPeriod;
  EXPECT_GT(bench.finished.at(2).record.phases[static_cast<std::size_t>(Phase::drive_queue)], kSector / 2)
      << "the test's own premise: the arm is at work";
  EXPECT_LE(seek, in_drive + kSector + handlers);
}

}  // namespace
}  // namespace armature
