// cache.minimum_read_ahead_sectors: what the drive reads ahead although a command waits for the arm.
#include "support/drive_bench.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

namespace armature::minimum_read_ahead_test {
namespace {

using testing::BenchParams;
using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using testing::write_request;
using Cache = controller::CacheParams;

constexpr Ps kStart = 20 * kPsPerMs;  // index under the head: turns of 10 ms from time 0
constexpr Ps kSector = kPsPerMs / 10;

BenchParams params(std::int64_t minimum) {
  BenchParams p;
  p.drive = testing::round_drive();
  p.drive.cache.look_ahead = true;
  p.drive.cache.minimum_read_ahead_sectors = minimum;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  return p;
}

/// Sectors 4 to 7 of the first track, which pass until 20.8 ms.
workload::Request first() {
  return read_request(kStart, 4, 4);
}

/// What comes so long after that, on another cylinder.
workload::Request elsewhere(Ps after) {
  return read_request(kStart + after, 5'000, 4);
}

struct Outcome {
  Ps moves = 0;            ///< when the arm leaves for the second request, from kStart on
  std::vector<bool> hits;  ///< of the reads of a sector that come later, 100 ms apart
};

/// Drives that run side by side, each with its own requests and then reads of one sector.
class Runs {
 public:
  void add(const BenchParams& p, std::vector<workload::Request> requests, const std::vector<std::uint64_t>& lbns) {
    first_later_.push_back(requests.size());
    for (const std::uint64_t lbn : lbns)
      requests.push_back(read_request(kStart + static_cast<Ps>(requests.size()) * 100 * kPsPerMs, lbn, 1));
    sources_.push_back(std::make_unique<ListSource>(requests));
    benches_.push_back(std::make_unique<DriveBench>(sc_core::sc_gen_unique_name("bench"), p, *sources_.back()));
  }
  /// When the arm leaves for the last request before those reads, and which of them are hits.
  std::vector<Outcome> outcomes() {
    benches_.front()->run();
    std::vector<Outcome> results;
    for (std::size_t i = 0; i < benches_.size(); ++i) {
      const auto& finished = benches_[i]->finished;
      Outcome result;
      const auto& second = finished.at(first_later_[i] - 1);
      if (!second.accesses.empty()) result.moves = second.accesses.front().move_at - kStart;
      for (std::size_t id = first_later_[i]; id < finished.size(); ++id)
        result.hits.push_back(finished.at(id).accesses.empty());
      results.push_back(result);
    }
    return results;
  }

 private:
  std::vector<std::size_t> first_later_;
  std::vector<std::unique_ptr<ListSource>> sources_;
  std::vector<std::unique_ptr<DriveBench>> benches_;
};

Outcome outcome(const BenchParams& p, std::vector<workload::Request> requests, const std::vector<std::uint64_t>& lbns) {
  Runs runs;
  runs.add(p, std::move(requests), lbns);
  return runs.outcomes().front();
}

/// From the end of an access until the arm moves for a request that has waited: handler, arbitration, handler.
Ps handover(const BenchParams& p) {
  const auto handler = [&p](unsigned cause) {
    return p.drive.firmware.handler_cycles(cause) * p.drive.controller.cpu_period();
  };
  return handler(FW_IRQ_CHN0) + handler(FW_IRQ_AAU);
}

/// The arm moves when the access has ended at `end`, and a decision of the unit, a microsecond at most, has been made.
void expect_moves_at(const BenchParams& p, Ps moves, Ps end) {
  EXPECT_GE(moves, end + handover(p));
  EXPECT_LE(moves, end + handover(p) + kPsPerUs);
}

TEST(MinimumReadAhead, ACommandThatComesMeanwhileWaitsForItsEnd) {
  const BenchParams p = params(30);  // up to sector 37, and 38 is under the head when firmware has seen that
  const Outcome o = outcome(p, {first(), elsewhere(from_ms(1.5))}, {37, 39});
  expect_moves_at(p, o.moves, 39 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, WithoutItTheCommandWaitsForTheSectorUnderTheHead) {
  const BenchParams p = params(0);
  const Outcome o = outcome(p, {first(), elsewhere(from_ms(1.55))}, {15, 16});
  expect_moves_at(p, o.moves, 16 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

// Sectors 210 to 213 of the next cylinder pass 55 + 10 sectors behind the index; the command comes while the arm moves.
TEST(MinimumReadAhead, OfACommandThatWaitsWhenTheAccessBeginsNoMoreIsOrdered) {
  const BenchParams p = params(30);
  const Outcome o = outcome(p, {read_request(kStart, 210, 4), elsewhere(from_ms(0.1))}, {243, 244});
  expect_moves_at(p, o.moves, 99 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, BehindItACommandWaitsForTheSectorUnderTheHead) {
  const BenchParams p = params(30);
  const Outcome o = outcome(p, {first(), elsewhere(from_ms(5.05))}, {50, 51});
  expect_moves_at(p, o.moves, 51 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, EndsWhereReadingAheadEnds) {
  // Behind sectors 60 to 63 of 100. The next track, of the same cylinder, begins 20 sectors later: its sector 23 has
  // passed at 14.4 ms. The one after it is on the next cylinder, another 35 sectors later.
  struct Case {
    Cache::ReadAhead where;
    std::int64_t minimum;
    Ps end;
    std::uint64_t last;
  };
  const Case cases[] = {{Cache::track, 60, 100 * kSector, 99},       {Cache::stream, 60, 100 * kSector, 99},
                        {Cache::whole_track, 60, 100 * kSector, 99}, {Cache::cylinder, 60, 144 * kSector, 123},
                        {Cache::segment, 60, 144 * kSector, 123},    {Cache::cylinder, 160, 220 * kSector, 199},
                        {Cache::segment, 160, 279 * kSector, 223}};
  Runs runs;
  for (const Case& c : cases) {
    BenchParams p = params(c.minimum);
    p.drive.cache.read_ahead = c.where;
    runs.add(p, {read_request(kStart, 60, 4), elsewhere(from_ms(1))}, {c.last, c.last + 1});
  }
  const std::vector<Outcome> outcomes = runs.outcomes();
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(std::to_string(cases[i].where) + " " + std::to_string(cases[i].minimum));
    expect_moves_at(params(0), outcomes[i].moves, cases[i].end);
    EXPECT_EQ(outcomes[i].hits, (std::vector<bool>{true, false}));
  }
}

TEST(MinimumReadAhead, OfAStreamGoesOnToTheNextTrack) {
  // The second read begins where the first one ended, 64 to 67; the minimum counts behind it.
  const BenchParams p = params(56);
  const Outcome o =
      outcome(p, {read_request(kStart, 60, 4), read_request(kStart, 64, 4), elsewhere(from_ms(1))}, {123, 124});
  expect_moves_at(p, o.moves, 144 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, IsNoMoreThanTheMaximum) {
  BenchParams p = params(30);
  p.drive.cache.read_ahead_sectors = 20;
  Runs runs;
  runs.add(p, {first(), elsewhere(from_ms(1.5))}, {27, 28});
  // A read that joins lets the drive read ahead of itself, too, but does not add to the minimum.
  runs.add(p, {first(), read_request(kStart + from_ms(0.95), 8, 4), elsewhere(from_ms(1.5))}, {27, 29});
  const std::vector<Outcome> outcomes = runs.outcomes();
  expect_moves_at(p, outcomes[0].moves, 28 * kSector);
  EXPECT_EQ(outcomes[0].hits, (std::vector<bool>{true, false}));
  expect_moves_at(p, outcomes[1].moves, 29 * kSector);
  EXPECT_EQ(outcomes[1].hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, IsForStreamsOnlyWhereTheDriveReadsAheadOfThemOnly) {
  BenchParams p = params(30);
  p.drive.cache.read_ahead_from = Cache::second;
  Runs runs;
  runs.add(p, {first(), elsewhere(from_ms(0.1))}, {7, 8});
  runs.add(p, {first(), read_request(kStart, 8, 4), elsewhere(from_ms(0.1))}, {41, 43});
  const std::vector<Outcome> outcomes = runs.outcomes();
  expect_moves_at(p, outcomes[0].moves, 8 * kSector);
  EXPECT_EQ(outcomes[0].hits, (std::vector<bool>{true, false}));
  expect_moves_at(p, outcomes[1].moves, 43 * kSector);
  EXPECT_EQ(outcomes[1].hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, IsNothingWithoutLookAhead) {
  BenchParams p = params(30);
  p.drive.cache.look_ahead = false;
  expect_moves_at(p, outcome(p, {first(), elsewhere(from_ms(0.1))}, {}).moves, 8 * kSector);
}

// Each read of the stream comes when the one before it has been answered, and joins the access. The minimum counts
// behind the read that the arm came for: sector 28 is under the head when it has ended.
TEST(MinimumReadAhead, AStreamDoesNotKeepTheArm) {
  std::vector<workload::Request> requests{first(), elsewhere(from_ms(0.1))};
  for (std::uint64_t lbn = 8; lbn < 60; lbn += 4)
    requests.push_back(read_request(kStart + static_cast<Ps>(lbn) * kSector + kSector * 3 / 2, lbn, 4));
  ListSource source(requests);
  const BenchParams p = params(20);
  DriveBench bench("bench", p, source);
  bench.run();
  expect_moves_at(p, bench.finished.at(1).accesses.front().move_at - kStart, 29 * kSector);
  for (std::uint64_t id = 2; id < 7; ++id) {
    EXPECT_TRUE(bench.finished.at(id).accesses.empty()) << id;
    EXPECT_LT(bench.finished.at(id).record.response(), from_ms(0.5)) << id;
  }
}

// The stream's read of sectors 26 to 29 is under way when the minimum ends with sector 27: it gets its data first.
TEST(MinimumReadAhead, WhatHasJoinedBehindItGetsItsData) {
  const BenchParams p = params(20);
  ListSource source({first(), elsewhere(from_ms(0.1)), read_request(kStart + from_ms(2), 26, 4)});
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_TRUE(bench.finished.at(2).accesses.empty());
  expect_moves_at(p, bench.finished.at(1).accesses.front().move_at - kStart, 31 * kSector);
}

TEST(MinimumReadAhead, AWriteToTheMediaWaitsForItsEnd) {
  const BenchParams p = params(30);
  const Outcome o = outcome(p, {first(), write_request(kStart + from_ms(1.5), 5'000, 4)}, {37, 39});
  expect_moves_at(p, o.moves, 39 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, AWriteIntoTheCacheEndsReadingAheadBehindIt) {
  BenchParams p = params(30);
  p.drive.cache.write = p.drive.cache.write_stops_read_ahead = true;
  Runs runs;
  for (const double after_ms : {1.5, 5.05})
    runs.add(p, {first(), write_request(kStart + from_ms(after_ms), 20'000, 8)}, {52, 50, 39, 37});
  const std::vector<Outcome> outcomes = runs.outcomes();
  EXPECT_EQ(outcomes[0].hits, (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(outcomes[1].hits, (std::vector<bool>{false, true, true, true}));
}

// Sixteen lines for written data: from the thirteenth on they do not yield to the host's reads.
TEST(MinimumReadAhead, WrittenDataThatDoNotYieldWaitForItsEnd) {
  BenchParams p = params(30);
  p.drive.cache.write = true;
  p.drive.buffer.write_share = 0.0645;
  ASSERT_EQ(p.drive.buffer.lines(), 16u);
  std::vector<workload::Request> requests{first()};
  for (std::uint64_t i = 0; i < 14; ++i) requests.push_back(write_request(kStart + from_ms(1.2), 10'000 + i * 800, 8));
  Runs runs;
  runs.add(p, requests, {37, 39});
  p.drive.cache.minimum_read_ahead_sectors = 0;
  runs.add(p, requests, {12, 37});
  for (const Outcome& o : runs.outcomes()) EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

// The host sends it 1 ms after the read's end, when sector 18 is under the head.
TEST(MinimumReadAhead, AStandbyDoesNotWaitForIt) {
  BenchParams p = params(60);
  p.host.standby_after_s = 0.001;
  EXPECT_EQ(outcome(p, {first()}, {18, 20}).hits, (std::vector<bool>{true, false}));
}

// A segment of 40 sectors has room for 36 behind the four that were asked for; a bus of 1 ms a sector does not make
// room in time.
TEST(MinimumReadAhead, GoesAsFarAsTheSegmentHasRoom) {
  BenchParams p = params(36);
  p.drive.cache.read_ahead_sectors = 40;
  p.drive.buffer.size_kib = 4 + 80;
  p.link.bus_us_per_sector = 1'000;
  ASSERT_EQ(p.drive.buffer.segment_sectors(), 40u);
  ListSource source({read_request(kStart, 4, 8), elsewhere(from_ms(0.1))});
  DriveBench bench("bench", p, source);
  bench.run();
  expect_moves_at(p, bench.finished.at(1).accesses.front().move_at - kStart, 44 * kSector);
}

// With physical sectors of 4,096 bytes, 96 blocks a track and no skew the minimum ends with one, 13 blocks behind block
// 27 of the second cylinder's first track with its block 47, and costs no turn.
TEST(MinimumReadAhead, EndsWithAPhysicalSector) {
  BenchParams p = params(13);
  p.drive.geometry.zones = {{0, 199, 96, 0, 0, 0}};
  p.drive.geometry.physical_sector_bytes = 4'096;
  const Outcome o = outcome(p, {read_request(kStart, 192 + 24, 4), elsewhere(from_ms(0.1))}, {192 + 47, 192 + 48});
  expect_moves_at(p, o.moves, from_ms(5));
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

// The head comes down on sector 40 of 20 to 79: it reads from there to 79, then 20 to 39 a turn later, and what is read
// ahead passes behind that.
TEST(MinimumReadAhead, FollowsAReadOnArrival) {
  BenchParams p = params(10);
  p.drive.cache.read_on_arrival = true;
  const Outcome o = outcome(p, {read_request(kStart + 40 * kSector, 20, 60), elsewhere(from_ms(4.1))}, {89, 90});
  expect_moves_at(p, o.moves, from_ms(10) + 90 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, AFreeReadBeginsBeforeItAndEndsWhereItDoes) {
  BenchParams p = params(10);
  p.drive.cache.free_reads = true;
  const Outcome o = outcome(p, {read_request(kStart + 40 * kSector, 60, 4), elsewhere(from_ms(4.1))}, {41, 73, 75});
  expect_moves_at(p, o.moves, 75 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, true, false}));
}

TEST(MinimumReadAhead, AnArmThatHasNothingToDoServesTheCommandAtOnce) {
  BenchParams p = params(90);
  p.drive.arms.count = 2;
  const Outcome o = outcome(p, {first(), elsewhere(from_ms(1.5))}, {97});
  EXPECT_LT(o.moves, from_ms(1.6));
  EXPECT_EQ(o.hits, (std::vector<bool>{true}));
}

// Two arms at work, of which the one reads ahead until 3.8 ms and the other, on cylinder 50, waits for its sector until
// 9 ms.
TEST(MinimumReadAhead, OfSeveralArmsTheOneThatComesFreeServesTheCommand) {
  BenchParams p = params(30);
  p.drive.arms.count = 2;
  ListSource source({first(), read_request(kStart + from_ms(0.2), 10'040, 4), elsewhere(from_ms(1.5))});
  DriveBench bench("bench", p, source);
  bench.run();
  const auto& waited = bench.finished.at(2).accesses.front();
  expect_moves_at(p, waited.move_at - kStart, 39 * kSector);
  EXPECT_EQ(waited.access.arm, bench.finished.at(0).accesses.front().access.arm);
}

// Two arms share a channel. While the one moves to sectors 210 to 213, behind which it reads until 9.9 ms, a read of
// sector 80 of cylinder 50 comes. It passes the other arm, half a turn further on, at 8 ms: the unit knows that the
// channel is taken then, and keeps the request for the first arm, which is in time for 13 ms.
TEST(MinimumReadAhead, IsPartOfTheAppointmentWithASharedChannel) {
  BenchParams p = params(30);
  p.drive.arms.count = 2;
  p.drive.arms.design = drive::ArmsParams::MA;
  ListSource source({read_request(kStart, 210, 4), read_request(kStart + from_ms(0.3), 10'080, 4),
                     read_request(kStart + 100 * kPsPerMs, 243, 1)});
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_TRUE(bench.finished.at(2).accesses.empty()) << "it has been read ahead";
  const auto& other = bench.finished.at(1);
  EXPECT_NEAR(static_cast<double>(other.accesses.at(0).access.first_sector_at - kStart),
              static_cast<double>(from_ms(13)), 10.0);
  EXPECT_EQ(other.record.missed_revolutions, 0u);
  EXPECT_NEAR(to_us(other.record.predicted_positioning), to_us(other.record.positioning), 10'000.0 / 65'536 * 2);
}

/// Two streams of eight sectors with one request each in flight, which follows 0.2 ms behind the one before it: from
/// sector 0 of cylinder 10 on, which passes 50 sectors behind the index, and from sector 10 of cylinder 60 on, which
/// passes 10 sectors behind it.
class TwoStreams final : public workload::Source {
 public:
  explicit TwoStreams(unsigned each) : each_(each) {}
  Next next(workload::Request& request) override {
    if (issued_[0] == each_ && issued_[1] == each_) return Next::end;
    std::size_t s = at_[0] <= at_[1] ? 0 : 1;
    if (at_[s] == kNever) return Next::after_completion;
    request = read_request(at_[s], (s == 0 ? 2'000 : 12'010) + 8 * issued_[s], 8);
    request.id = 100 * s + issued_[s]++;
    at_[s] = kNever;
    return Next::request;
  }
  void completed(const workload::Request& request, Ps at) override {
    const std::size_t s = request.id / 100;
    if (issued_[s] < each_) at_[s] = at + from_ms(0.2);
  }

 private:
  static constexpr Ps kNever = std::numeric_limits<Ps>::max();
  const unsigned each_;
  unsigned issued_[2] = {};
  Ps at_[2] = {kStart + from_ms(3), kStart + from_ms(3.2)};
};

// Each visit brings 8 + 32 sectors in 4 ms. A move over 50 cylinders takes 1.49 ms, so the arm is in time for:
//   stream 0: sector 0 at 5 ms, 40 at 19 ms, 80 at 33 ms; that visit goes on to the next track, whose sectors 0 to 19
//     pass from 37 to 39 ms
//   stream 1: sector 10 at 11 ms, 50 at 25 ms, 90 at 49 ms
TEST(MinimumReadAhead, StreamsThatTakeTurnsCostAPositioningAVisit) {
  TwoStreams source(15);
  DriveBench bench("bench", params(32), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 30u);
  const std::map<std::uint64_t, double> visits = {{0, 5}, {100, 11}, {5, 19}, {105, 25}, {10, 33}, {110, 49}};
  for (const auto& [id, read] : bench.finished) {
    const auto visit = visits.find(id);
    ASSERT_EQ(read.accesses.empty(), visit == visits.end()) << id;
    if (visit == visits.end()) continue;
    EXPECT_NEAR(static_cast<double>(read.accesses.front().access.first_sector_at - kStart),
                static_cast<double>(from_ms(visit->second)), 10.0)
        << id;
    EXPECT_NEAR(to_us(read.record.predicted_positioning), to_us(read.record.positioning), 10'000.0 / 65'536 * 2) << id;
  }
}

TEST(MinimumReadAhead, WithoutItEachReadOfSuchStreamsCostsAPositioning) {
  TwoStreams source(15);
  DriveBench bench("bench", params(0), source);
  bench.run();
  for (const auto& [id, read] : bench.finished) EXPECT_GE(read.accesses.size(), 1u) << id;
}

}  // namespace
}  // namespace armature::minimum_read_ahead_test
