// cache.minimum_read_ahead_sectors: what the drive reads ahead although a command waits for the arm.
#include "armature/core/kernel_time.h"
#include "support/drive_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace armature {
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

/// Of a read, a second request, and reads of one sector at `lbns`.
Outcome outcome(const BenchParams& p, std::vector<workload::Request> requests, const std::vector<std::uint64_t>& lbns) {
  const std::size_t before = requests.size();
  for (const std::uint64_t lbn : lbns)
    requests.push_back(read_request(kStart + static_cast<Ps>(requests.size()) * 100 * kPsPerMs, lbn, 1));
  ListSource source(requests);
  DriveBench bench(sc_core::sc_gen_unique_name("bench"), p, source);
  bench.run();
  Outcome result;
  const auto& second = bench.finished.at(before - 1);
  if (!second.accesses.empty()) result.moves = second.accesses.front().move_at - kStart;
  for (std::size_t i = before; i < requests.size(); ++i) result.hits.push_back(bench.finished.at(i).accesses.empty());
  return result;
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

TEST(MinimumReadAhead, OfACommandThatWaitsAlreadyNoMoreIsOrdered) {
  const BenchParams p = params(30);
  const Outcome o = outcome(p, {first(), elsewhere(from_ms(0.1))}, {37, 38});
  expect_moves_at(p, o.moves, 38 * kSector);
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
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.where) + " " + std::to_string(c.minimum));
    BenchParams p = params(c.minimum);
    p.drive.cache.read_ahead = c.where;
    const Outcome o = outcome(p, {read_request(kStart, 60, 4), elsewhere(from_ms(1))}, {c.last, c.last + 1});
    expect_moves_at(p, o.moves, c.end);
    EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
  }
}

TEST(MinimumReadAhead, OfAStreamGoesOnToTheNextTrack) {
  // The second read begins where the first one ended, 64 to 67; the minimum counts behind it.
  const BenchParams p = params(56);
  const Outcome o = outcome(
      p, {read_request(kStart, 60, 4), read_request(kStart, 64, 4), elsewhere(from_ms(1))}, {123, 124});
  expect_moves_at(p, o.moves, 144 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, IsNoMoreThanTheMaximum) {
  BenchParams p = params(30);
  p.drive.cache.read_ahead_sectors = 20;
  const Outcome o = outcome(p, {first(), elsewhere(from_ms(1.5))}, {27, 28});
  expect_moves_at(p, o.moves, 28 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, IsForStreamsOnlyWhereTheDriveReadsAheadOfThemOnly) {
  BenchParams p = params(30);
  p.drive.cache.read_ahead_from = Cache::second;
  const Outcome one = outcome(p, {first(), elsewhere(from_ms(0.1))}, {7, 8});
  expect_moves_at(p, one.moves, 8 * kSector);
  EXPECT_EQ(one.hits, (std::vector<bool>{true, false}));
  const Outcome two = outcome(p, {first(), read_request(kStart, 8, 4), elsewhere(from_ms(0.1))}, {41, 42});
  expect_moves_at(p, two.moves, 42 * kSector);
  EXPECT_EQ(two.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, IsNothingWithoutLookAhead) {
  BenchParams p = params(30);
  p.drive.cache.look_ahead = false;
  expect_moves_at(p, outcome(p, {first(), elsewhere(from_ms(0.1))}, {}).moves, 8 * kSector);
}

// Each read of the stream comes when the one before it is answered, so that it joins the access: 12 to 59 have been
// asked for when the minimum ends, which counts behind the read that the arm came for.
TEST(MinimumReadAhead, AStreamDoesNotKeepTheArm) {
  std::vector<workload::Request> requests{first(), elsewhere(from_ms(0.1))};
  for (std::uint64_t lbn = 8; lbn < 60; lbn += 4)
    requests.push_back(read_request(kStart + static_cast<Ps>(lbn) * kSector + kSector / 2, lbn, 4));
  ListSource source(requests);
  const BenchParams p = params(20);
  DriveBench bench("bench", p, source);
  bench.run();
  expect_moves_at(p, bench.finished.at(1).accesses.front().move_at - kStart, 28 * kSector);
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
  expect_moves_at(p, bench.finished.at(1).accesses.front().move_at - kStart, 30 * kSector);
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
  const auto hits = [&p](double after_ms) {
    return outcome(p, {first(), write_request(kStart + from_ms(after_ms), 20'000, 8)}, {37, 39, 50, 52}).hits;
  };
  EXPECT_EQ(hits(1.5), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(hits(5.05), (std::vector<bool>{true, true, true, false}));
}

// Sixteen lines for written data: from the thirteenth on they do not yield to the host's reads.
TEST(MinimumReadAhead, WrittenDataThatDoNotYieldWaitForItsEnd) {
  BenchParams p = params(30);
  p.drive.cache.write = true;
  p.drive.buffer.write_share = 0.0645;
  ASSERT_EQ(p.drive.buffer.lines(), 16u);
  std::vector<workload::Request> requests{first()};
  for (std::uint64_t i = 0; i < 14; ++i)
    requests.push_back(write_request(kStart + from_ms(1.2), 10'000 + i * 800, 8));
  EXPECT_EQ(outcome(p, requests, {37, 39}).hits, (std::vector<bool>{true, false}));
  p.drive.cache.minimum_read_ahead_sectors = 0;
  EXPECT_EQ(outcome(p, requests, {12, 37}).hits, (std::vector<bool>{true, false}));
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

// With physical sectors of 4,096 bytes the minimum ends with one, 13 sectors behind sector 7 with sector 23, and costs no
// turn.
TEST(MinimumReadAhead, EndsWithAPhysicalSector) {
  BenchParams p = params(13);
  p.drive.geometry.zones = {{0, 199, 96, 0, 0, 0}};
  p.drive.geometry.physical_sector_bytes = 4'096;
  const Ps sector = 10 * kPsPerMs / 96;
  const Outcome o = outcome(p, {first(), elsewhere(from_ms(0.1))}, {23, 24});
  expect_moves_at(p, o.moves, 24 * sector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

// The head comes down on sector 40 of 20 to 79: it reads from there to 79, then 20 to 39 a turn later, and what is read
// ahead passes behind that.
TEST(MinimumReadAhead, FollowsAReadOnArrival) {
  BenchParams p = params(10);
  p.drive.cache.read_on_arrival = true;
  const Outcome o =
      outcome(p, {read_request(kStart + 40 * kSector, 20, 60), elsewhere(from_ms(4.1))}, {89, 90});
  expect_moves_at(p, o.moves, from_ms(10) + 90 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, false}));
}

TEST(MinimumReadAhead, AFreeReadBeginsBeforeItAndEndsWhereItDoes) {
  BenchParams p = params(10);
  p.drive.cache.free_reads = true;
  const Outcome o =
      outcome(p, {read_request(kStart + 40 * kSector, 60, 4), elsewhere(from_ms(4.1))}, {41, 73, 74});
  expect_moves_at(p, o.moves, 74 * kSector);
  EXPECT_EQ(o.hits, (std::vector<bool>{true, true, false}));
}

TEST(MinimumReadAhead, AnArmThatHasNothingToDoServesTheCommandAtOnce) {
  BenchParams p = params(90);
  p.drive.arms.count = 2;
  const Outcome o = outcome(p, {first(), elsewhere(from_ms(1.5))}, {97});
  EXPECT_LT(o.moves, from_ms(1.6));
  EXPECT_EQ(o.hits, (std::vector<bool>{true}));
}

// Two arms at work, of which the one reads ahead until 3.8 ms and the other waits for its sector until 9 ms.
TEST(MinimumReadAhead, OfSeveralArmsTheOneThatComesFreeServesTheCommand) {
  BenchParams p = params(30);
  p.drive.arms.count = 2;
  ListSource source({first(), read_request(kStart + from_ms(0.2), 90, 4), elsewhere(from_ms(1.5))});
  DriveBench bench("bench", p, source);
  bench.run();
  const auto& waited = bench.finished.at(2).accesses.front();
  expect_moves_at(p, waited.move_at - kStart, 39 * kSector);
  EXPECT_EQ(waited.access.arm, bench.finished.at(0).accesses.front().access.arm);
}

/// Two streams of eight sectors with one request each in flight: the first from sector 0 of cylinder 0, the second from
/// sector 10 of cylinder 50, whose first sector is half a turn behind the index.
class TwoStreams final : public workload::Source {
 public:
  explicit TwoStreams(unsigned each) : each_(each) {}
  Next next(workload::Request& request) override {
    if (issued_[0] == each_ && issued_[1] == each_) return Next::end;
    for (std::uint64_t s = 0; s < 2; ++s) {
      if (busy_[s] || issued_[s] == each_) continue;
      busy_[s] = true;
      request = read_request(std::max(kStart + from_ms(5) + static_cast<Ps>(s) * kPsPerMs, now()),
                             s * 10'010 + 8 * issued_[s], 8);
      request.id = 100 * s + issued_[s]++;
      return Next::request;
    }
    return Next::after_completion;
  }
  void completed(const workload::Request& request, Ps) override { busy_[request.id / 100] = false; }

 private:
  const unsigned each_;
  unsigned issued_[2] = {};
  bool busy_[2] = {};
};

// Each visit brings 8 + 32 sectors in 4 ms. A move over 50 cylinders takes 1.49 ms, so the arm is in time for:
//   stream 0: sector 0 at 10 ms (the next turn), 40 at 24, 80 at 38 ms; that visit goes on to the next track, whose
//     sectors 0 to 19 pass from 42 to 44 ms
//   stream 1: sector 10, which passes 60 sectors behind the index, at 16 ms; 50 at 30; 90 at 54 ms
TEST(MinimumReadAhead, StreamsThatTakeTurnsCostAPositioningAVisit) {
  TwoStreams source(15);
  DriveBench bench("bench", params(32), source);
  bench.run();
  const std::map<std::uint64_t, double> visits = {{0, 10},   {100, 16}, {5, 24},
                                                  {105, 30}, {10, 38},  {110, 54}};
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
  for (const auto& [id, read] : bench.finished) EXPECT_EQ(read.accesses.size(), 1u) << id;
}

}  // namespace
}  // namespace armature
