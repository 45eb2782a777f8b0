// Written data on their way to the media: streams at the format's rate, with the write cache and without, and what the
// keys of write-behind do.
#include "support/drive_bench.h"
#include "support/stream_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace armature::testing {
namespace {

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up

/// Tracks of 4,000 sectors, 205 MB/s: more lines than the channel takes pieces at once.
constexpr std::int64_t kTrack = 4'000;
constexpr double kRate = 2 * kTrack / (20 + 1.0 + 1.4);  // sectors a millisecond: two tracks, and the skews of both

BenchParams long_tracks(bool cache) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.geometry.zones = {{0, 99, kTrack, 400, 560, 0}};
  p.drive.seek.head_switch_ms = 0.3;
  p.drive.seek.table = {{1, 0.5}, {99, 3.0}};
  p.drive.seek.write_settle_ms = 0.2;
  p.drive.identity.link_generation = 3;
  p.link.rate_gbps = 6;
  p.drive.buffer.size_kib = 32'768;
  p.drive.buffer.segments = 8;
  p.drive.buffer.write_share = 0.5;
  p.drive.cache.write = cache;
  return p;
}

struct Stream {
  bool cache;
  std::uint32_t sectors;
  unsigned outstanding;
};
std::ostream& operator<<(std::ostream& out, const Stream& s) {
  return out << (s.cache ? "cache, " : "media, ") << s.sectors << " sectors, " << s.outstanding << " at once";
}

class WriteStream : public ::testing::TestWithParam<Stream> {};
INSTANTIATE_TEST_SUITE_P(Sizes, WriteStream,
                         ::testing::Values(Stream{true, 8, 8}, Stream{true, 128, 4}, Stream{true, 2'048, 2},
                                           Stream{true, 8'192, 2}, Stream{true, 32'768, 2}, Stream{false, 8, 32},
                                           Stream{false, 256, 8}, Stream{false, 2'048, 4}, Stream{false, 32'768, 2},
                                           Stream{false, 16, 2}, Stream{false, 20, 3}, Stream{false, 64, 2},
                                           Stream{false, 100, 2}));

TEST_P(WriteStream, RunsAtTheFormatsRate) {
  const Stream s = GetParam();
  const std::uint64_t count = 400'000 / s.sectors;  // 100 of 200 tracks
  StreamSource source(Operation::write, kStart, 0, s.sectors, count, s.outstanding);
  DriveBench bench("bench", long_tracks(s.cache), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), count);
  // What the lines hold at the end has not come to the media: it was taken in before, at the beginning.
  const std::uint64_t from = count / 2, to = count - 1;
  const Ps took = bench.finished.at(to).record.completion - bench.finished.at(from).record.completion;
  EXPECT_NEAR(static_cast<double>((to - from) * s.sectors) / to_ms(took) / kRate, 1, 0.02);
}

/// Writes that end in the midst of a physical sector, without a cache: the host's next one brings the rest before the
/// head is there. An access that read it, to write it a turn later, would keep all of the host's commands waiting.
/// Sectors of a write, writes at once.
class WritesOfParts : public ::testing::TestWithParam<std::tuple<std::uint32_t, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, WritesOfParts,
                         ::testing::Combine(::testing::Values(9u, 12u, 20u, 50u), ::testing::Values(6u, 8u)));

TEST_P(WritesOfParts, RunAtTheFormatsRate) {
  const auto [sectors, outstanding] = GetParam();
  const std::uint64_t count = 200'000 / sectors;
  StreamSource source(Operation::write, kStart, 0, sectors, count, outstanding);
  BenchParams p = long_tracks(false);
  p.drive.geometry.physical_sector_bytes = 4'096;
  DriveBench bench("bench", p, source);
  bench.run();
  const std::uint64_t from = count / 2, to = count - 2 * outstanding;
  const Ps took = bench.finished.at(to).record.completion - bench.finished.at(from).record.completion;
  EXPECT_NEAR(static_cast<double>((to - from) * sectors) / to_ms(took) / kRate, 1, 0.02);
}

/// Writes of three streams in turn, without a cache: those of one stream that are in work go to the media in one
/// access.
TEST(WriteStream, SharesAnAccessWithItsNeighboursAlsoBesideOtherStreams) {
  constexpr std::uint64_t kWrites = 600;
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < kWrites; ++i)
    for (const std::uint64_t stream : {0, 1, 2}) requests.push_back(write_request(kStart, stream * 200'000 + i * 8, 8));
  ListSource source(requests);
  BenchParams p = long_tracks(false);
  p.drive.buffer.write_share = 0;
  DriveBench bench("bench", p, source);
  bench.run();
  const double turns = to_ms(bench.finished.at(bench.order.back()).record.completion - kStart) / 10;
  EXPECT_GE(3 * kWrites / turns, 20) << "12 with an access for each write that does not follow the last one";
}

/// Lines that lie scattered after a load of short writes: a track is still written in one turn.
TEST(WriteStream, IsAsFastAfterShortWritesAnywhere) {
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 3'000; ++i)
    requests.push_back(write_request(kStart, 400'000 + i * 7'919 % 380'000 / 8 * 8, 8));
  workload::Request flush;
  flush.arrival = kStart + kPsPerMs;
  flush.operation = Operation::flush;
  requests.push_back(flush);
  const std::size_t before = requests.size();
  const Ps begin = kStart + 60'000 * kPsPerMs;
  for (std::uint64_t i = 0; i < 400; ++i) requests.push_back(write_request(begin, i * 512, 512));
  ListSource source(requests);
  DriveBench bench("bench", long_tracks(true), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), requests.size());
  const auto done = [&](std::size_t i) { return bench.finished.at(before + i).record.completion; };
  EXPECT_NEAR(200 * 512 / to_ms(done(390) - done(190)) / kRate, 1, 0.03);
}

/// Data come from the host while others of the same write are on the media: without a cache a write of two tracks takes
/// hardly longer than the media need.
TEST(WriteFlow, ALongWriteReceivesItsLaterSectorsWhileEarlierOnesAreWritten) {
  ListSource source({write_request(kStart, 0, 8'000)});
  DriveBench bench("bench", long_tracks(false), source);
  bench.run();
  const auto& record = bench.finished.at(0).record;
  // Two tracks with a skew between, at most a turn before, and what the link needs for the first lines.
  EXPECT_LT(record.completion - record.arrival, 10 * kPsPerMs + 21 * kPsPerMs + 5 * kPsPerMs);
}

/// The same with segments shorter than a track: straight from them the write would lose a turn at the end of each.
/// Sectors of a segment, and share of the RAM for written data: without one they have a segment.
class SmallSegments : public ::testing::TestWithParam<std::tuple<std::int64_t, double>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, SmallSegments,
                         ::testing::Combine(::testing::Values(256, 512, 2'048), ::testing::Values(0, 0.125)));

TEST_P(SmallSegments, ALongWriteLosesNoTurnBetweenThem) {
  const auto [segment, share] = GetParam();
  BenchParams p = long_tracks(false);
  p.drive.buffer.size_kib = segment / 2 * 8;
  p.drive.buffer.write_share = share;
  ListSource source({write_request(kStart, 0, 8'000)});
  DriveBench bench("bench", p, source);
  bench.run();
  const auto& record = bench.finished.at(0).record;
  EXPECT_LT(record.completion - record.arrival, 10 * kPsPerMs + 21 * kPsPerMs + 5 * kPsPerMs);
}

/// More is written than the media take, and a read comes now and then: at the end of each track written the arbitration
/// unit decides, and its policy lets none wait for long.
TEST(WriteStream, ReadsDoNotWaitForItsEnd) {
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 300; ++i)
    requests.push_back(write_request(kStart + static_cast<Ps>(i) * 5 * kPsPerMs, i * 2'048, 2'048));
  for (std::uint64_t i = 0; i < 20; ++i)
    requests.push_back(read_request(kStart + (600 + static_cast<Ps>(i) * 40) * kPsPerMs, 700'000 + i * 3'111, 8));
  std::stable_sort(requests.begin(), requests.end(), [](auto& a, auto& b) { return a.arrival < b.arrival; });
  ListSource source(requests);
  BenchParams p = long_tracks(true);
  p.drive.arbiter.policy = arbiter::Policy::aged_sptf;
  p.drive.arbiter.ageing_weight = 32;
  DriveBench bench("bench", p, source);
  bench.run();
  Ps longest = 0;
  for (const auto& [id, request] : bench.finished)
    if (requests[id].operation == Operation::read)
      longest = std::max(longest, request.record.phases[static_cast<std::size_t>(Phase::drive_queue)]);
  EXPECT_LT(longest, 300 * kPsPerMs);
}

/// No part of the RAM is set apart for written data: neighbours that wait share an access through a segment.
BenchParams two_segments() {
  BenchParams p;
  p.drive = round_drive();
  p.drive.buffer.segments = 2;
  p.drive.buffer.size_kib = 64 + 4;  // of 64 sectors
  p.drive.cache.look_ahead = true;
  return p;
}

TEST(WriteQueue, NeighboursThatWaitForTheArmAreWrittenAtOnce) {
  std::vector<workload::Request> requests = {write_request(kStart, 19'000, 8)};
  for (std::uint64_t i = 0; i < 6; ++i)
    requests.push_back(write_request(kStart + static_cast<Ps>(i + 1) * 10 * kPsPerUs, 1'003 + 13 * i, 13));
  ListSource source(requests);
  DriveBench bench("bench", two_segments(), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), requests.size());
  const auto done = [&](std::uint64_t id) { return bench.finished.at(id).record.completion; };
  // 78 sectors of 0.1 ms in one pass: the first of them is told of when its own have passed, or a few more.
  EXPECT_GT(done(1), done(0));
  EXPECT_LT(done(6) - done(1), 7 * kPsPerMs);
  EXPECT_EQ(bench.finished.at(1).accesses.size(), 0u) << "not an access of its own";
}

TEST(WriteQueue, TheSegmentIsFreeAgainForReads) {
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 4; ++i) requests.push_back(write_request(kStart, 1'000 + 8 * i, 8));
  const Ps later = kStart + 200 * kPsPerMs;
  requests.push_back(read_request(later, 5'000, 8));
  requests.push_back(read_request(later + 100 * kPsPerMs, 9'000, 8));
  requests.push_back(read_request(later + 200 * kPsPerMs, 5'000, 8));  // both segments still hold what was read
  requests.push_back(read_request(later + 300 * kPsPerMs, 9'000, 8));
  ListSource source(requests);
  DriveBench bench("bench", two_segments(), source);
  bench.run();
  for (const std::uint64_t id : {6, 7}) EXPECT_EQ(bench.finished.at(id).accesses.size(), 0u) << id;
}

BenchParams small(std::int64_t extents) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.cache.write = true;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  p.drive.cache.destage_idle_ms = 200;
  p.drive.cache.write_extents = extents;
  return p;
}

Ps response(const DriveBench& bench, std::uint64_t id) {
  const auto& record = bench.finished.at(id).record;
  return record.completion - record.arrival;
}

TEST(WriteExtents, AWriteThatIsOneRunTooManyWaitsUntilOneIsOnTheMedia) {
  // Two runs; the third write goes on where the first ends, the fourth overlaps the second, the fifth is a third run.
  const std::vector<workload::Request> requests = {
      write_request(kStart, 1'003, 5),
      write_request(kStart + kPsPerMs, 9'000, 8),
      write_request(kStart + 2 * kPsPerMs, 1'008, 13),
      write_request(kStart + 3 * kPsPerMs, 9'004, 12),
      write_request(kStart + 4 * kPsPerMs, 1'022, 8),  // a sector between: a run of its own
      write_request(kStart + 100 * kPsPerMs, 9'016, 1)};
  ListSource source(requests);
  DriveBench bench("bench", small(2), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), requests.size());
  for (const std::uint64_t id : {0, 1, 2, 3}) EXPECT_LT(response(bench, id), kPsPerMs) << id;
  EXPECT_GT(response(bench, 4), kPsPerMs);
}

TEST(WriteExtents, ThreeRunsFitThree) {
  ListSource source({write_request(kStart, 1'000, 8), write_request(kStart + kPsPerMs, 9'000, 8),
                     write_request(kStart + 2 * kPsPerMs, 1'009, 8), write_request(kStart + 3 * kPsPerMs, 5'000, 8)});
  DriveBench bench("bench", small(3), source);
  bench.run();
  for (const std::uint64_t id : {0, 1, 2}) EXPECT_LT(response(bench, id), kPsPerMs) << id;
  EXPECT_GT(response(bench, 3), kPsPerMs);
}

TEST(WriteBypass, ALongWriteCompletesWhenItIsOnTheMediaIfTheKeySaysSo) {
  ListSource source({write_request(kStart, 1'000, 300)});  // of 512 sectors of lines
  BenchParams p = small(0);
  p.drive.cache.write_bypass = 0.5;
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_GT(response(bench, 0), 30 * kPsPerMs);
}
TEST(WriteBypass, OtherwiseWhenItsDataAreInTheBuffer) {
  ListSource source({write_request(kStart, 1'000, 300)});
  DriveBench bench("bench", small(0), source);
  bench.run();
  EXPECT_LT(response(bench, 0), 5 * kPsPerMs);
}
TEST(WriteBypass, OrIfItIsLongerThanSoMany) {
  ListSource source({write_request(kStart, 1'000, 17), write_request(kStart + 100 * kPsPerMs, 1'000, 16)});
  BenchParams p = small(0);
  p.drive.cache.write_bypass_kib = 8;
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_GT(response(bench, 0), kPsPerMs);
  EXPECT_LT(response(bench, 1), kPsPerMs);
}

/// On the round drive sector 30 of track 0 passes 23 ms after the start of the clock; the write comes at 21 ms.
DriveBench::Finished written_early(double watermark, double bus_us) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.cache.write_watermark = watermark;
  p.link.bus_us_per_sector = bus_us;
  ListSource source({write_request(kStart + kPsPerMs, 30, 60)});
  DriveBench bench("bench", p, source);
  bench.run();
  return bench.finished.at(0);
}

TEST(WriteWatermark, AWriteWaitsForAllOfItsDataUnlessTheDriveBeginsEarlier) {
  const DriveBench::Finished write = written_early(1, 90);  // 5.4 ms on the bus
  ASSERT_EQ(write.accesses.size(), 1u);
  EXPECT_EQ(write.accesses[0].access.first_sector_at, 33 * kPsPerMs);
  EXPECT_EQ(write.accesses[0].access.done_at, 39 * kPsPerMs);
}

TEST(WriteWatermark, SectorsAreWrittenAsTheyComeIfTheyComeBeforeTheHead) {
  const DriveBench::Finished write = written_early(0, 90);
  ASSERT_EQ(write.accesses.size(), 1u) << "without a pause";
  EXPECT_EQ(write.accesses[0].access.first_sector_at, 23 * kPsPerMs);
  EXPECT_EQ(write.accesses[0].access.done_at, 29 * kPsPerMs);
}

TEST(WriteWatermark, WhatComesTooLateIsWrittenATurnLater) {
  const DriveBench::Finished write = written_early(0, 150);  // 9 ms on the bus, to 30 ms
  ASSERT_EQ(write.accesses.size(), 2u);
  EXPECT_EQ(write.accesses[0].access.first_sector_at, 23 * kPsPerMs);
  EXPECT_LT(write.accesses[0].access.done_at, 29 * kPsPerMs);
  EXPECT_EQ(write.accesses[1].access.first_sector_at, write.accesses[0].access.done_at + 10 * kPsPerMs);
  EXPECT_EQ(write.accesses[1].access.done_at, 39 * kPsPerMs);
}

// 21 sectors have come after 1.89 ms, 23 after 2.07 ms; the first one passes after 2 ms.
TEST(WriteWatermark, AShareThatHasJustComeIsWrittenAtOnce) {
  EXPECT_EQ(written_early(0.35, 90).accesses.at(0).access.first_sector_at, 23 * kPsPerMs);
}
TEST(WriteWatermark, AShareThatComesAFewSectorsLaterMissesATurn) {
  EXPECT_EQ(written_early(0.38, 90).accesses.at(0).access.first_sector_at, 33 * kPsPerMs);
}

struct WriteInAZone {
  unsigned zone;
  std::int64_t longest_track;
  Ps begins;  ///< ms
};
std::ostream& operator<<(std::ostream& out, const WriteInAZone& c) {
  return out << "zone " << c.zone << ", tracks of up to " << c.longest_track << " sectors";
}

class WriteWatermarkOfTracks : public ::testing::TestWithParam<WriteInAZone> {};

// A read brings the arm to the zone. Six tenths of a track are written from 41 ms on, 2 ms before their first sector
// passes. Their data take 90 us a sector; a sector passes in 100 us in the first zone and in 125 us in the second one.
TEST_P(WriteWatermarkOfTracks, CountsWhereTheyPassSlowlyEnough) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.geometry.zones = {{0, 99, 100, 0, 0, 0}, {100, 199, 80, 0, 0, 0}};
  p.drive.cache.write_watermark = 0;
  p.drive.cache.write_watermark_track_sectors = GetParam().longest_track;
  p.link.bus_us_per_sector = 90;
  const std::uint64_t first = GetParam().zone == 0 ? 0 : 100 * 2 * 100;
  const std::uint32_t tenth = GetParam().zone == 0 ? 10 : 8;
  ListSource source(
      {read_request(kStart, first, 1), write_request(kStart + 21 * kPsPerMs, first + 3 * tenth, 6 * tenth)});
  DriveBench bench("bench", p, source);
  bench.run();
  const DriveBench::Finished& write = bench.finished.at(1);
  ASSERT_EQ(write.accesses.size(), 1u) << "without a pause";
  EXPECT_EQ(write.accesses[0].access.first_sector_at, GetParam().begins * kPsPerMs);
  EXPECT_EQ(write.accesses[0].access.done_at, (GetParam().begins + 6) * kPsPerMs);
}

INSTANTIATE_TEST_SUITE_P(Cases, WriteWatermarkOfTracks,
                         ::testing::Values(WriteInAZone{0, 80, 53}, WriteInAZone{1, 80, 43}, WriteInAZone{0, 99, 53},
                                           WriteInAZone{1, 79, 53}, WriteInAZone{0, 100, 43}, WriteInAZone{0, 0, 43},
                                           WriteInAZone{1, 0, 43}));

/// Writes from sector 30 on of the same drive, each on a drive of its own; their data come from 21 ms on, 150 us each.
class EarlyWrites {
 public:
  struct Case {
    std::uint32_t sectors;
    double data_us, last_data_us;
  };
  explicit EarlyWrites(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      BenchParams p;
      p.drive = round_drive();
      p.drive.cache.write_watermark = 0;
      p.drive.overheads.write_data_us = c.data_us;
      p.drive.overheads.write_last_data_us = c.last_data_us;
      p.link.bus_us_per_sector = 150;
      p.host.ncq = false;  // the host sends frames as long as it likes
      sources_.push_back(std::make_unique<ListSource>(
          std::vector<workload::Request>{write_request(kStart + kPsPerMs, 30, c.sectors)}));
      const std::string name = "bench" + std::to_string(sources_.size());
      benches_.push_back(std::make_unique<DriveBench>(name.c_str(), p, *sources_.back()));
    }
    benches_.front()->run();
  }
  std::size_t accesses(std::size_t number) const { return benches_[number]->finished.at(0).accesses.size(); }
  double first_sector_ms(std::size_t number) const {
    return to_ms(benches_[number]->finished.at(0).accesses.at(0).access.first_sector_at);
  }

 private:
  std::vector<std::unique_ptr<ListSource>> sources_;
  std::vector<std::unique_ptr<DriveBench>> benches_;
};

TEST(WriteData, BeginToBeWrittenWhenEightSectorsHaveCome) {
  const EarlyWrites writes({{16, 0, 0}, {13, 0, 0}});
  EXPECT_EQ(writes.first_sector_ms(0), 23) << "the second eight are there at 23.4 ms and pass at 23.8";
  EXPECT_EQ(writes.accesses(0), 1u);
  EXPECT_EQ(writes.first_sector_ms(1), 23);
  EXPECT_EQ(writes.accesses(1), 1u);
}

TEST(WriteData, CountWhenTheDriveHasDealtWithTheirArrival) {
  // Eight sectors are there at 22.2 ms, the first one passes at 23.
  const EarlyWrites writes({{8, 780, 780}, {8, 820, 820}, {16, 380, 380}, {16, 420, 420}});
  EXPECT_EQ(writes.first_sector_ms(0), 23);
  EXPECT_EQ(writes.first_sector_ms(1), 33);
  EXPECT_EQ(writes.first_sector_ms(2), 23);
  EXPECT_EQ(writes.accesses(2), 1u) << "the second eight count at 23.78 ms";
  EXPECT_EQ(writes.first_sector_ms(3), 23);
  EXPECT_EQ(writes.accesses(3), 2u) << "a turn later";
}

TEST(WriteData, TheLastOnesHaveATimeOfTheirOwn) {
  const EarlyWrites writes({{8, 0, 820}, {8, 820, 0}, {16, 780, 380}, {16, 0, 420}, {16, 820, 0}});
  EXPECT_EQ(writes.first_sector_ms(0), 33);
  EXPECT_EQ(writes.first_sector_ms(1), 23);
  EXPECT_EQ(writes.first_sector_ms(2), 23);
  EXPECT_EQ(writes.accesses(2), 1u);
  EXPECT_EQ(writes.first_sector_ms(3), 23);
  EXPECT_EQ(writes.accesses(3), 2u);
  EXPECT_EQ(writes.first_sector_ms(4), 33);
}

TEST(WriteData, OfTheNextTrackComeBehindThisOnesWhileTheArmWaits) {
  // Sectors 96 to 99, which pass at 29.6 ms and count at 26.6, and the next track's first eight, which count at 27.8
  // unless they are asked for only then.
  BenchParams p;
  p.drive = round_drive();
  p.drive.cache.write_watermark = 0;
  p.drive.overheads.write_data_us = 5'000;
  p.link.bus_us_per_sector = 150;
  ListSource source({write_request(kStart + kPsPerMs, 96, 12)});
  DriveBench bench("bench", p, source);
  bench.run();
  const auto& accesses = bench.finished.at(0).accesses;
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(to_ms(accesses[0].access.first_sector_at), 29.6);
  EXPECT_LT(to_ms(accesses[1].access.done_at), 35);
}

}  // namespace
}  // namespace armature::testing
