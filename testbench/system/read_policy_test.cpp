// What firmware reads beside what is asked for, and when data begin to go to the host.
#include "support/drive_bench.h"

#include <gtest/gtest.h>

namespace armature::read_policy_test {
namespace {

using testing::BenchParams;
using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using testing::write_request;

constexpr Ps kStart = 20 * kPsPerMs;  // index under the head: turns of 10 ms from time 0
constexpr Ps kSector = kPsPerMs / 10;

BenchParams params() {
  BenchParams p;
  p.drive = testing::round_drive();
  p.drive.cache.look_ahead = true;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  return p;
}

bool hit(const DriveBench& bench, std::uint64_t id) {
  return bench.finished.at(id).accesses.empty();
}

/// Hits among reads of four sectors at `lbns`, 100 ms apart, after a read of four at `first`.
std::vector<bool> hits_after(const BenchParams& p, Ps start, std::uint64_t first, std::vector<std::uint64_t> lbns) {
  std::vector<workload::Request> requests{read_request(start, first, 4)};
  for (const std::uint64_t lbn : lbns)
    requests.push_back(read_request(start + static_cast<Ps>(requests.size()) * 100 * kPsPerMs, lbn, 4));
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  std::vector<bool> hits;
  for (std::size_t i = 1; i < requests.size(); ++i) hits.push_back(hit(bench, i));
  return hits;
}

TEST(FreeReads, BeginWithTheSectorThatPassesWhenTheHeadIsThere) {
  BenchParams p = params();
  p.drive.cache.free_reads = true;
  // The head is there some microseconds after 20.0 ms + 30 sectors: sector 31 is the first to pass whole.
  EXPECT_EQ(hits_after(p, kStart + 30 * kSector, 60, {31, 96}), (std::vector<bool>{true, true}));
}

TEST(FreeReads, TakeNothingThatHasPassed) {
  BenchParams p = params();
  p.drive.cache.free_reads = true;
  EXPECT_EQ(hits_after(p, kStart + 30 * kSector, 60, {30}), (std::vector<bool>{false}));
}

TEST(FreeReads, FromTheTracksBeginningIfTheHeadHasMissedTheFirstWantedSector) {
  BenchParams p = params();
  p.drive.cache.free_reads = true;
  EXPECT_EQ(hits_after(p, kStart + 70 * kSector, 60, {0, 30, 96}), (std::vector<bool>{true, true, true}));
}

TEST(FreeReads, AreAccountedToTheirRequestUntilItsOwnDataHavePassed) {
  BenchParams p = params();
  p.drive.cache.free_reads = true;
  // The second read joins the first one's access, and its sectors pass sooner.
  ListSource source({read_request(kStart + 30 * kSector, 60, 4), read_request(kStart + 33 * kSector, 50, 4)});
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_TRUE(hit(bench, 1));
  ASSERT_EQ(bench.finished.at(0).accesses.size(), 1u);
  const MediaAccess& access = bench.finished.at(0).accesses[0].access;
  EXPECT_EQ(access.first_sector_at, kStart + 60 * kSector);
  EXPECT_EQ(access.done_at, kStart + 64 * kSector);
  EXPECT_EQ(bench.finished.at(0).record.phases[static_cast<std::size_t>(Phase::transfer)], 4 * kSector);
}

// Segments of some 100 sectors have room for some 52 before these and what follows them on the track. Half a physical
// sector of 4,096 bytes cannot be read: with the 48 whole ones the wanted sectors come in this turn.
TEST(FreeReads, BeginWithAPhysicalSectorWhereTheSegmentEndsThem) {
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 10; ++i)
    requests.push_back(read_request(kStart + static_cast<Ps>(i) * (100 * kPsPerMs + 5 * kSector), i * 2'080 + 56, 8));
  ListSource source(requests);
  BenchParams p = params();
  p.drive.geometry.zones = {{0, 199, 104, 0, 0, 0}};
  p.drive.geometry.physical_sector_bytes = 4'096;
  p.drive.cache.free_reads = true;
  p.drive.buffer.size_kib = 268;
  p.drive.buffer.write_share = 0.25;
  DriveBench bench("bench", p, source);
  bench.run();
  for (const auto& [id, read] : bench.finished) EXPECT_EQ(read.record.missed_revolutions, 0u) << id;
}

TEST(FreeReads, AreOffUnlessAskedFor) {
  EXPECT_EQ(hits_after(params(), kStart + 30 * kSector, 60, {50}), (std::vector<bool>{false}));
}

TEST(FreeReads, DelayNothing) {
  std::vector<workload::Request> requests;
  for (int i = 0; i < 40; ++i)
    requests.push_back(read_request(kStart + i * 53 * kPsPerMs, static_cast<std::uint64_t>(i) * 7'919 % 30'000, 8));
  ListSource one(requests), other(requests);
  BenchParams p = params();
  DriveBench plain("plain", p, one);
  p.drive.cache.free_reads = true;
  DriveBench free("free", p, other);
  free.run();
  for (std::uint64_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(free.finished.at(i).record.phases, plain.finished.at(i).record.phases) << i;
}

// Two heads a cylinder, 100 sectors a track. After a read of sectors 4 to 7 of the first track.
struct End {
  controller::CacheParams::ReadAhead where;
  std::vector<bool> hits;  // of track 0 (50), track 1 (150), cylinder 1 (250)
};
class ReadAheadEnd : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Policies, ReadAheadEnd, ::testing::Range(0, 5));

TEST_P(ReadAheadEnd, IsWhereThePolicySays) {
  using C = controller::CacheParams;
  const End ends[] = {{C::stream, {true, false, false}},
                      {C::track, {true, false, false}},
                      {C::cylinder, {true, true, false}},
                      {C::segment, {true, true, true}},
                      {C::whole_track, {true, false, false}}};
  const End& end = ends[GetParam()];
  BenchParams p = params();
  p.drive.cache.read_ahead = end.where;
  EXPECT_EQ(hits_after(p, kStart, 4, {250, 150, 50}), (std::vector<bool>{end.hits[2], end.hits[1], end.hits[0]}));
}

/// The head is 5.8 ms before sector 60 when it is asked for, at the end of the track 4 ms behind it, and before it
/// again 6 ms later.
BenchParams whole_track() {
  BenchParams p = params();
  p.drive.cache.read_ahead = controller::CacheParams::whole_track;
  return p;
}

TEST(WholeTrack, FromItsFirstSectorToItsLast) {
  EXPECT_EQ(hits_after(whole_track(), kStart, 60, {0, 56, 96, 100}), (std::vector<bool>{true, true, true, false}));
}

TEST(WholeTrack, NoMoreThanTheRingHasRoomFor) {
  BenchParams p = whole_track();
  p.drive.buffer.size_kib = 164;  // rings of 80 sectors: 60 to 99, and the 40 before them
  p.drive.cache.read_ahead_sectors = 80;
  EXPECT_EQ(hits_after(p, kStart, 60, {20, 96, 16}), (std::vector<bool>{true, true, false}));
}

TEST(WholeTrack, NoMoreThanIsReadAhead) {
  BenchParams p = whole_track();
  p.drive.cache.read_ahead_sectors = 66;  // 64 to 99, and 30
  EXPECT_EQ(hits_after(p, kStart, 60, {30, 96, 26}), (std::vector<bool>{true, true, false}));
}

/// Hits of reads of four sectors at `lbns` after one at 60 and, 3 ms after the head has come to the track's beginning,
/// `other`.
std::vector<bool> hits_after_interruption(const BenchParams& p, const workload::Request& other,
                                          const std::vector<std::uint64_t>& lbns) {
  std::vector<workload::Request> requests{read_request(kStart, 60, 4), other};
  for (const std::uint64_t lbn : lbns)
    requests.push_back(read_request(kStart + static_cast<Ps>(requests.size()) * 100 * kPsPerMs, lbn, 4));
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  std::vector<bool> hits;
  for (std::size_t i = 2; i < requests.size(); ++i) hits.push_back(hit(bench, i));
  return hits;
}

TEST(WholeTrack, WhatHasNotComeToTheSegmentIsLostIfTheArmIsWanted) {
  const workload::Request elsewhere = read_request(kStart + 13 * kPsPerMs, 5'000, 4);
  EXPECT_EQ(hits_after_interruption(whole_track(), elsewhere, {96, 10}), (std::vector<bool>{true, false}));
}

TEST(WholeTrack, AReadThatGoesOnWhereTheSegmentEndsInterruptsIt) {
  const workload::Request next = read_request(kStart + 13 * kPsPerMs, 98, 4);
  EXPECT_EQ(hits_after_interruption(whole_track(), next, {10, 98}), (std::vector<bool>{false, true}));
}

TEST(WholeTrack, WhatIsWrittenMeanwhileIsNotKept) {
  BenchParams p = whole_track();
  p.drive.cache.write = true;
  const workload::Request write = write_request(kStart + 13 * kPsPerMs, 20, 4);
  EXPECT_EQ(hits_after_interruption(p, write, {10}), (std::vector<bool>{false}));
}

TEST(ReadAheadFrom, TheFirstReadUnlessSaidOtherwise) {
  EXPECT_EQ(hits_after(params(), kStart, 4, {8}), (std::vector<bool>{true}));
}

TEST(ReadAheadFrom, TheSecondSequentialRead) {
  BenchParams p = params();
  p.drive.cache.read_ahead_from = controller::CacheParams::second;
  EXPECT_EQ(hits_after(p, kStart, 4, {4, 8, 12, 96}), (std::vector<bool>{true, false, true, true}));
}

TEST(ReadAheadFrom, TheSecondSequentialReadNotANearOne) {
  BenchParams p = params();
  p.drive.cache.read_ahead_from = controller::CacheParams::second;
  EXPECT_EQ(hits_after(p, kStart, 4, {12, 16, 20}), (std::vector<bool>{false, false, true}));
}

// The head is at sector 40 when the write comes: reading ahead has come so far, or goes on to the track's end.
TEST(WriteStopsReadAhead, AtTheEndOfTheSectorIfSaidSo) {
  const std::vector<workload::Request> requests{
      read_request(kStart, 4, 4), write_request(kStart + 4 * kPsPerMs, 20'000, 8),
      read_request(kStart + 200 * kPsPerMs, 36, 4), read_request(kStart + 300 * kPsPerMs, 60, 4)};
  ListSource one(requests), other(requests);
  BenchParams p = params();
  p.drive.cache.write = true;
  DriveBench goes_on("goes_on", p, one);
  p.drive.cache.write_stops_read_ahead = true;
  DriveBench stops("stops", p, other);
  stops.run();
  EXPECT_TRUE(hit(goes_on, 2));
  EXPECT_TRUE(hit(goes_on, 3));
  EXPECT_TRUE(hit(stops, 2));
  EXPECT_FALSE(hit(stops, 3));
}

// 36,000 sectors: what is read ahead ends with the last of them, and the drive serves on.
TEST(ReadAhead, EndsWithTheLastSectorOfTheDisk) {
  BenchParams p = params();
  p.drive.cache.read_ahead = controller::CacheParams::segment;
  EXPECT_EQ(hits_after(p, kStart, 35'980, {35'996, 4, 35'992}), (std::vector<bool>{true, false, true}));
}

TEST(ReadAheadSectors, AreTheMostThatIsReadAhead) {
  BenchParams p = params();
  p.drive.cache.read_ahead = controller::CacheParams::segment;
  p.drive.cache.read_ahead_sectors = 40;
  EXPECT_EQ(hits_after(p, kStart, 4, {44}), (std::vector<bool>{true}));
}

TEST(ReadAheadSectors, AreNoMore) {
  BenchParams p = params();
  p.drive.cache.read_ahead = controller::CacheParams::segment;
  p.drive.cache.read_ahead_sectors = 40;
  EXPECT_EQ(hits_after(p, kStart, 4, {45}), (std::vector<bool>{false}));
}

TEST(KeepRequested, ReadingAheadFillsTheRestOfTheSegmentOnly) {
  BenchParams p = params();
  p.drive.buffer.size_kib = 268;
  p.drive.buffer.write_share = 0.25;  // rings of 100 sectors
  p.drive.cache.read_ahead = controller::CacheParams::segment;
  p.drive.cache.read_ahead_sectors = 100;
  p.drive.cache.keep_requested = true;
  EXPECT_EQ(hits_after(p, kStart, 4, {4}), (std::vector<bool>{true}));
}

TEST(KeepRequested, WithoutItReadingAheadOverwritesWhatWasAskedFor) {
  BenchParams p = params();
  p.drive.buffer.size_kib = 268;
  p.drive.buffer.write_share = 0.25;
  p.drive.cache.read_ahead = controller::CacheParams::segment;
  p.drive.cache.read_ahead_sectors = 100;
  EXPECT_EQ(hits_after(p, kStart, 4, {4}), (std::vector<bool>{false}));
}

TEST(Writes, LeaveTheLargerPartOfASegment) {
  ListSource source({read_request(kStart, 4, 4), write_request(kStart + 100 * kPsPerMs, 30, 8),
                     read_request(kStart + 200 * kPsPerMs, 60, 4), read_request(kStart + 300 * kPsPerMs, 38, 4),
                     read_request(kStart + 400 * kPsPerMs, 36, 4)});
  DriveBench bench("bench", params(), source);
  bench.run();
  EXPECT_TRUE(hit(bench, 2));
  EXPECT_TRUE(hit(bench, 3));
  EXPECT_FALSE(hit(bench, 4)) << "begins in what was written";
}

TEST(Writes, LeaveWhatThePolicySays) {
  // Sectors 4 and more are in the segment when 60 to 67 are written.
  struct Case {
    controller::CacheParams::WrittenSegment policy;
    bool front, behind;
  };
  const std::vector<workload::Request> requests{
      read_request(kStart, 4, 4), write_request(kStart + 100 * kPsPerMs, 60, 8),
      read_request(kStart + 200 * kPsPerMs, 80, 4), read_request(kStart + 300 * kPsPerMs, 40, 4)};
  using C = controller::CacheParams;
  std::vector<std::unique_ptr<ListSource>> sources;
  std::vector<std::unique_ptr<DriveBench>> benches;
  const Case cases[] = {{C::larger, true, false}, {C::front, true, false}, {C::nothing, false, false}};
  for (const Case& c : cases) {
    BenchParams p = params();
    p.drive.cache.written_segment = c.policy;
    sources.push_back(std::make_unique<ListSource>(requests));
    benches.push_back(std::make_unique<DriveBench>(sc_core::sc_gen_unique_name("bench"), p, *sources.back()));
  }
  benches[0]->run();
  for (std::size_t i = 0; i < benches.size(); ++i) {
    EXPECT_EQ(hit(*benches[i], 2), cases[i].behind) << i;
    EXPECT_EQ(hit(*benches[i], 3), cases[i].front) << i;
  }
}

TEST(Writes, InFrontLeaveTheRestOnlyToTheLargerPart) {
  const std::vector<workload::Request> requests{read_request(kStart, 4, 4),
                                                write_request(kStart + 100 * kPsPerMs, 8, 8),
                                                read_request(kStart + 200 * kPsPerMs, 60, 4)};
  ListSource one(requests), other(requests);
  BenchParams p = params();
  DriveBench larger("larger", p, one);
  p.drive.cache.written_segment = controller::CacheParams::front;
  DriveBench front("front", p, other);
  front.run();
  EXPECT_TRUE(hit(larger, 2));
  EXPECT_FALSE(hit(front, 2));
}

// A bus of 0.3 ms a sector and sectors of 0.1 ms: what is sent as it comes is through 0.3 ms a sector after the first
// sector has come; what waits until all is there, after the last.
TEST(ReadWatermark, DataGoOnAsTheyComeOrWhenAllAreThere) {
  std::vector<workload::Request> requests{read_request(kStart, 40, 20)};
  ListSource one(requests), other(requests);
  BenchParams p = params();
  p.link.bus_us_per_sector = 300;
  p.drive.cache.read_watermark = 0;
  DriveBench early("early", p, one);
  p.drive.cache.read_watermark = 1;
  DriveBench late("late", p, other);
  late.run();
  // From the first sector's passage on: 0.1 + 20 x 0.3 and 2.0 + 20 x 0.3 ms; frames and handlers beside.
  const auto since = [](const DriveBench& bench) {
    return to_ms(bench.finished.at(0).record.completion - (kStart + 40 * kSector));
  };
  EXPECT_NEAR(since(early), 6.1, 0.03);
  EXPECT_NEAR(since(late), 8.0, 0.03);
}

// A bus of 0.06 ms a sector and sectors of 0.1 ms: the link sends what there is sooner than more comes. It goes on with
// what comes then, so that little is left to send behind the last sector.
TEST(ReadWatermark, ABusFasterThanTheMediaSendsTheRestAsItComes) {
  const std::vector<workload::Request> requests{read_request(kStart, 40, 20)};
  ListSource one(requests), other(requests), third(requests);
  BenchParams p = params();
  p.link.bus_us_per_sector = 60;
  p.drive.cache.read_watermark = 0;
  DriveBench early("early", p, one);
  p.drive.cache.read_watermark = 0.5;
  DriveBench half("half", p, third);
  p.drive.cache.read_watermark = 1;
  DriveBench late("late", p, other);
  late.run();
  const auto since = [](const DriveBench& bench) {
    return to_ms(bench.finished.at(0).record.completion - (kStart + 40 * kSector));
  };
  EXPECT_NEAR(since(early), 2.0 + 0.06, 0.1);
  EXPECT_NEAR(since(half), 1.0 + 20 * 0.06, 0.1);
  EXPECT_NEAR(since(late), 2.0 + 20 * 0.06, 0.05);
}

// The arm goes on for the read whose data have begun to go to the host: its transfer lasts until its last sector of
// each track has passed, and it misses no revolution where it changes the track in time.
TEST(ReadWatermark, DoesNotEndTheTransferOfTheRead) {
  const std::vector<workload::Request> requests{read_request(kStart, 40, 100)};
  ListSource a(requests), b(requests), c(requests);
  BenchParams p = params();
  p.drive.cache.read_watermark = 0;
  DriveBench first("first", p, a);
  p.drive.cache.read_watermark = 0.3;
  DriveBench part("part", p, b);
  p.drive.cache.read_watermark = 1;
  DriveBench all("all", p, c);
  all.run();
  for (const DriveBench* const bench : {&first, &part, &all}) {
    SCOPED_TRACE(bench->name());
    const DriveBench::Finished& read = bench->finished.at(0);
    ASSERT_EQ(read.accesses.size(), 2u);
    EXPECT_EQ(read.accesses[0].access.done_at - read.accesses[0].access.first_sector_at, 60 * kSector);
    EXPECT_EQ(read.accesses[1].access.done_at - read.accesses[1].access.first_sector_at, 40 * kSector);
    EXPECT_EQ(read.record.phases[static_cast<std::size_t>(Phase::transfer)], 100 * kSector);
    EXPECT_LT(read.record.phases[static_cast<std::size_t>(Phase::buffer_fill)], 10 * kPsPerUs);
    EXPECT_EQ(read.record.missed_revolutions, 0u);
  }
}

TEST(ReadWatermark, IsThePartOfTheSectorsRoundedDown) {
  const std::vector<workload::Request> of_three{read_request(kStart, 40, 3)}, of_seven{read_request(kStart, 40, 7)},
      of_one{read_request(kStart, 40, 1)};
  ListSource a(of_three), b(of_seven), c(of_one);
  BenchParams p = params();
  p.link.bus_us_per_sector = 300;
  p.drive.cache.read_watermark = 0.5;
  DriveBench three("three", p, a);
  p.drive.cache.read_watermark = 0.75;
  DriveBench seven("seven", p, b), one("one", p, c);
  one.run();
  const auto since = [](const DriveBench& bench) {
    return to_ms(bench.finished.at(0).record.completion - (kStart + 40 * kSector));
  };
  EXPECT_NEAR(since(three), 0.1 + 0.9, 0.03);
  EXPECT_NEAR(since(seven), 0.5 + 2.1, 0.03);
  EXPECT_NEAR(since(one), 0.1 + 0.3, 0.03);
}

TEST(ReadWatermark, IsNoMoreThanTheDriveReadsAhead) {
  // 40 sectors, all of which must be there: but of more than 16 the drive collects 16.
  const std::vector<workload::Request> of_forty{read_request(kStart, 40, 40)}, of_sixteen{read_request(kStart, 40, 16)};
  ListSource a(of_forty), b(of_forty), c(of_sixteen);
  BenchParams p = params();
  p.link.bus_us_per_sector = 300;
  p.drive.cache.read_watermark = 1;
  DriveBench all("all", p, a);
  p.drive.cache.read_ahead_sectors = 16;
  DriveBench most("most", p, b), few("few", p, c);
  few.run();
  const auto since = [](const DriveBench& bench) {
    return to_ms(bench.finished.at(0).record.completion - (kStart + 40 * kSector));
  };
  EXPECT_NEAR(since(all), 4.0 + 40 * 0.3, 0.05);
  EXPECT_NEAR(since(most), 1.6 + 40 * 0.3, 0.05);
  EXPECT_NEAR(since(few), 1.6 + 16 * 0.3, 0.05);
}

// A ring of 64 sectors: the head comes down in front of a request of 90, whose data flow through it. Read on arrival
// could gain nothing, and an access that does not grow would cost a turn. Of 60 sectors that the head comes down among,
// it reads the later ones first: all within a turn.
TEST(ReadOnArrival, OfMoreThanTheRingHoldsCostsNoTurn) {
  const std::vector<workload::Request> of_ninety{read_request(kStart, 5, 90)},
      of_sixty{read_request(kStart + 12 * kPsPerMs, 10, 60)};
  ListSource a(of_ninety), b(of_sixty);
  BenchParams p = params();
  p.drive.cache.read_on_arrival = true;
  p.drive.buffer.size_kib = 132;
  DriveBench longer("longer", p, a), inside("inside", p, b);
  inside.run();
  const observe::RequestRecord& read = longer.finished.at(0).record;
  EXPECT_EQ(read.missed_revolutions, 0u);
  EXPECT_NEAR(to_ms(read.completion - kStart), 9.5, 0.1);
  EXPECT_NEAR(to_ms(inside.finished.at(0).record.response()), 10.1, 0.15);
}

TEST(Reposition, AnArmAtRestSettlesAnewWithinATransferItDoesNot) {
  // 250 sectors: head switch and move to the next cylinder are within the skews with or without it.
  std::vector<workload::Request> requests{read_request(kStart, 0, 250), read_request(kStart + 200 * kPsPerMs, 10, 2),
                                          write_request(kStart + 300 * kPsPerMs, 40, 2),
                                          write_request(kStart + 400 * kPsPerMs, 60, 2),
                                          read_request(kStart + 500 * kPsPerMs, 60, 2)};
  ListSource one(requests), other(requests);
  BenchParams p = params();
  p.drive.cache.look_ahead = false;
  DriveBench plain("plain", p, one);
  p.drive.seek.reposition_ms = 0.9;
  DriveBench bench("bench", p, other);
  bench.run();
  const auto seek = [](const DriveBench& b, std::uint64_t id) {
    return b.finished.at(id).record.phases[static_cast<std::size_t>(Phase::seek)];
  };
  EXPECT_EQ(seek(bench, 0) - seek(plain, 0), from_ms(0.9)) << "where it was";
  EXPECT_EQ(seek(bench, 1), from_ms(1)) << "a move of one cylinder takes longer";
  EXPECT_EQ(seek(bench, 2), from_ms(0.9));
  EXPECT_EQ(seek(bench, 3), 0) << "a write behind a write";
  EXPECT_EQ(seek(bench, 4), from_ms(0.9)) << "a read behind a write";
  for (std::uint64_t id : {1, 2}) {
    const auto& finished = bench.finished.at(id);
    EXPECT_NEAR(to_us(finished.record.predicted_positioning), to_us(finished.record.positioning), 10'000.0 / 65'536 * 2)
        << id;
  }
}

TEST(Reposition, AWriteBehindAWriteTakesThePassageThatItComesInTimeFor) {
  // The unit reckons with repositioning, after which sector 8 would have passed.
  ListSource source({write_request(kStart + 300 * kPsPerMs, 40, 2), write_request(kStart + 400 * kPsPerMs, 8, 2),
                     read_request(kStart + 500 * kPsPerMs, 8, 2)});
  BenchParams p = params();
  p.drive.cache.look_ahead = false;
  p.drive.seek.reposition_ms = 0.9;
  DriveBench bench("bench", p, source);
  bench.run();
  const auto passes = [&](std::uint64_t id) { return bench.finished.at(id).accesses.at(0).access.first_sector_at; };
  EXPECT_EQ(passes(1), kStart + 400 * kPsPerMs + from_ms(0.8));
  EXPECT_EQ(passes(2), kStart + 510 * kPsPerMs + from_ms(0.8)) << "a read settles anew";
}

TEST(InwardMoves, TakeLongerThanThoseOutwardsAndNoPassageIsLost) {
  // To and fro between two cylinders, to sectors that pass at all times.
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 200; ++i)
    requests.push_back(read_request(kStart + static_cast<Ps>(i) * 100 * kPsPerMs, (i % 2) * 12'000 + i / 2, 1));
  ListSource one(requests), other(requests);
  BenchParams p = params();
  p.drive.cache.look_ahead = false;
  DriveBench plain("plain", p, one);
  p.drive.seek.inward_ms = 0.3;
  DriveBench bench("bench", p, other);
  bench.run();
  const auto phase = [](const DriveBench& b, std::uint64_t id, Phase of) {
    return b.finished.at(id).record.phases[static_cast<std::size_t>(of)];
  };
  int sooner = 0;
  for (std::uint64_t id = 2; id < requests.size(); ++id) {
    const Ps longer = phase(bench, id, Phase::seek) - phase(plain, id, Phase::seek);
    ASSERT_EQ(longer, from_ms(id % 2 != 0 ? 0.3 : -0.3)) << id;
    ASSERT_LT(phase(bench, id, Phase::rotation), 10 * kPsPerMs) << id << ": the first passage is taken";
    if (bench.finished.at(id).record.predicted_positioning > bench.finished.at(id).record.positioning + 9 * kPsPerMs)
      ++sooner;
  }
  EXPECT_GT(sooner, 0) << "the unit reckons with the slower way";
}

TEST(InwardMoves, ThatComeSoonerThanExpectedLoseNoTurnOnTheNextTrackEither) {
  // Four sectors on each of two tracks of a cylinder, asked for at all angles; the second track begins 20 sectors
  // later.
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 200; ++i)
    requests.push_back(
        read_request(kStart + static_cast<Ps>(i) * (100 * kPsPerMs + kSector / 2), (i % 2) * 12'000 + 96, 8));
  ListSource source(requests);
  BenchParams p = params();
  p.drive.cache.look_ahead = false;
  p.drive.seek.inward_ms = 0.3;
  DriveBench bench("bench", p, source);
  bench.run();
  int sooner = 0;
  for (std::uint64_t id = 0; id < requests.size(); ++id) {
    const auto& finished = bench.finished.at(id);
    ASSERT_EQ(finished.accesses.size(), 2u) << id;
    EXPECT_NEAR(static_cast<double>(finished.accesses[1].access.first_sector_at),
                static_cast<double>(finished.accesses[0].access.done_at + 20 * kSector), 10.0)
        << id;
    sooner += finished.record.predicted_positioning > finished.record.positioning + 9 * kPsPerMs ? 1 : 0;
  }
  EXPECT_GT(sooner, 0);
}

}  // namespace
}  // namespace armature::read_policy_test
