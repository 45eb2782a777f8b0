// Reads that flow through a ring smaller than themselves: how long they take, sector by sector, from the documented
// rules alone (docs/guide/cache.md, "Data flow"), on a link faster and slower than the media.
#include "support/drive_bench.h"
#include "support/expected_times.h"
#include "support/stream_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace armature {
namespace {

using testing::BenchParams;
using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using testing::StreamSource;
using E = testing::ExpectedTimes;

constexpr Ps kStart = 20 * kPsPerMs;   // firmware is up
constexpr Ps kHandler = 3 * kPsPerUs;  // at most, from an interrupt to what its handler does

/// Rings of so many sectors.
testing::BenchParams params(std::int64_t ring, double bus_us) {
  testing::BenchParams p;
  p.drive = testing::round_drive();
  p.drive.buffer.segments = 2;
  p.drive.buffer.size_kib = ring + 4;  // two rings of half a KiB a sector, and the system's 4 KiB
  p.drive.cache.look_ahead = true;
  p.link.bus_us_per_sector = bus_us;
  return p;
}

/// What one read does whose first sector passes at `first_at`.
class HandModel {
 public:
  HandModel(std::uint64_t lbn, std::uint32_t sectors, std::uint32_t ring, double bus_us, Ps first_at)
      : ring_(ring), portion_(ring / 4), sectors_(sectors), bus_us_(bus_us), gone_(sectors, 0) {
    Ps edge = first_at;
    for (std::uint32_t k = 0; k < sectors; ++k) {
      const E::Place place = E::place(static_cast<std::int64_t>(lbn + k));
      const Ps length = E::kTurn / place.per_track;
      Ps from = edge;
      const bool new_track = k > 0 && E::place(static_cast<std::int64_t>(lbn + k - 1)).left == 1;
      const Ps room = k < ring ? 0 : gone_[k - ring];
      if (k > 0 && !new_track && room > edge) access_ends(k, edge);  // the ring is full: the head goes on without it
      if (new_track) {
        access_ends(k, edge);
        const bool next_cylinder = place.head == 0;
        from += (next_cylinder ? 1'000 : 500) * kPsPerUs;
      }
      const Ps waits = std::max(from, k < ring ? 0 : gone_[k - ring]);
      if (k >= ring) nearest_ = std::min(nearest_, std::abs(gone_[k - ring] - edge));
      const Ps angle = place.start * length;
      const Ps begin = k == 0 ? first_at : angle + (waits - angle + E::kTurn - 1) / E::kTurn * E::kTurn;
      lost_ += (begin - from) / E::kTurn;
      edge = begin + length;
      if (k + 1 - ordered_ == portion_ || k + 1 == sectors) access_ends(k + 1, edge);
    }
    end_ = link_free_;
  }
  Ps end() const { return end_; }          ///< the last data are over the link
  Ps lost() const { return lost_; }        ///< turns in which the head passed a sector without room for it
  Ps nearest() const { return nearest_; }  ///< between an edge and the room for the next sector: what decides
  std::uint32_t chunks() const { return chunks_; }

 private:
  /// What there is goes to the host.
  void access_ends(std::uint32_t there, Ps at) {
    while (ordered_ < there) {
      // At the ring's end a transfer over the link ends, too.
      const std::uint32_t chunk = std::min({there - ordered_, portion_, ring_ - ordered_ % ring_});
      link_free_ = std::max(link_free_, at) + static_cast<Ps>(chunk * std::max(bus_us_, 512 / 300.0) * 1e6);
      for (std::uint32_t i = 0; i < chunk; ++i) gone_[ordered_ + i] = link_free_;
      ordered_ += chunk;
      ++chunks_;
    }
  }

  const std::uint32_t ring_, portion_, sectors_;
  const double bus_us_;
  std::vector<Ps> gone_;
  std::uint32_t ordered_ = 0, chunks_ = 0;
  Ps link_free_ = 0, end_ = 0, lost_ = 0, nearest_ = E::kTurn;
};

struct Case {
  std::uint64_t lbn;
  std::uint32_t sectors;
  std::uint32_t ring;
  double bus_us;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << fmt::format("lbn {} sectors {} ring {} bus {} us", c.lbn, c.sectors, c.ring, c.bus_us);
}

class ReadFlow : public ::testing::TestWithParam<Case> {};

TEST_P(ReadFlow, TakesTheTimeOfItsSectorsAndOfTheTurnsThatTheLinkCosts) {
  const Case& c = GetParam();
  ListSource source({read_request(kStart, c.lbn, c.sectors)});
  DriveBench bench("bench", params(c.ring, c.bus_us), source);
  bench.run();
  const DriveBench::Finished& read = bench.finished.at(0);
  const Ps first_at = read.accesses.at(0).access.first_sector_at;
  const HandModel hand(c.lbn, c.sectors, c.ring, c.bus_us, first_at);
  ASSERT_GT(hand.nearest(), 2 * kHandler) << "too close to tell by hand";
  // A chunk over the link has a DMA Setup frame and, for each 8 KiB, a frame of its own.
  const Ps frames = (hand.chunks() + c.sectors / 16 + 1) * 3 * kPsPerUs;
  EXPECT_GE(read.record.completion, hand.end());
  EXPECT_LE(read.record.completion, hand.end() + frames + kHandler);
  EXPECT_EQ(hand.lost() > 0, c.bus_us > 100 && c.sectors > 2 * c.ring) << "the link is slower than the media";
}

INSTANTIATE_TEST_SUITE_P(Fast, ReadFlow,
                         ::testing::Values(Case{0, 30, 1'024, 0}, Case{0, 30, 16, 0}, Case{0, 450, 16, 0},
                                           Case{10, 450, 32, 0}, Case{0, 450, 64, 0}, Case{0, 450, 128, 0},
                                           Case{0, 450, 1'024, 0}, Case{19'940, 300, 16, 0}, Case{19'940, 300, 100, 0},
                                           Case{3, 900, 40, 50}, Case{19'777, 700, 48, 60}));
INSTANTIATE_TEST_SUITE_P(Slow, ReadFlow,
                         ::testing::Values(Case{0, 90, 16, 170}, Case{0, 450, 16, 170}, Case{10, 450, 32, 170},
                                           Case{0, 450, 64, 233}, Case{0, 450, 128, 233}, Case{0, 450, 1'024, 170},
                                           Case{19'940, 300, 16, 411}, Case{19'940, 300, 100, 290},
                                           Case{3, 900, 40, 137}));

/// Sectors of the ring. Physical sectors are of eight, and the link is slower than the media: the head finds the ring
/// full, and comes round again when there is room. An access of a part of a physical sector could not grow, and would
/// cost a turn of its own.
class ReadFlowOfPhysicalSectors : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Rings, ReadFlowOfPhysicalSectors, ::testing::Values(64, 66, 68, 70, 72, 90, 100));

TEST_P(ReadFlowOfPhysicalSectors, AnAccessBringsOneAtLeast) {
  const std::int64_t ring = GetParam();
  constexpr std::uint32_t kSectors = 1'600;
  BenchParams p = params(ring, 85);
  p.drive.geometry.zones = {{0, 99, 200, 40, 72, 0}};
  p.drive.geometry.physical_sector_bytes = 4'096;
  p.drive.buffer.size_kib += 64;  // for written data
  p.drive.buffer.write_share = 64.01 / static_cast<double>(p.drive.buffer.size_kib);
  ListSource source({read_request(kStart, 0, kSectors)});
  DriveBench bench("bench", p, source);
  bench.run();
  // The link takes ten sectors while seventeen pass, so an access brings the ring and more, but for a physical sector
  // and a portion.
  const std::size_t most = kSectors / (static_cast<std::size_t>(ring) - 8) + 2;
  EXPECT_LE(bench.finished.at(0).accesses.size(), most);
}

/// Time of a stream's requests behind number `from` over that at the zone's rate: a cylinder of two tracks of 100
/// sectors takes 2.55 turns of 10 ms, both skews included.
double over_zones_rate(const DriveBench& bench, std::uint64_t from, std::uint32_t sectors) {
  const std::uint64_t last = bench.finished.size() - 1;
  const Ps took = bench.finished.at(last).record.completion - bench.finished.at(from).record.completion;
  const double turns = static_cast<double>((last - from) * sectors) / 200 * 2.55;
  return to_ms(took) / (turns * 10);
}

/// Sectors of a request, of the ring, requests outstanding, hardware hits, look-ahead.
class FlowingStream : public ::testing::TestWithParam<std::tuple<std::uint32_t, std::int64_t, unsigned, bool, bool>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, FlowingStream,
                         ::testing::Combine(::testing::Values(30u, 100u, 500u), ::testing::Values(64, 250),
                                            ::testing::Values(1u, 8u), ::testing::Bool(), ::testing::Bool()));

// Zone 0: a cylinder of two tracks takes two turns and both skews.
TEST_P(FlowingStream, RunsAtTheZonesRateWhateverItsRing) {
  const auto [sectors, ring, outstanding, hardware_hits, look_ahead] = GetParam();
  if (!look_ahead && (outstanding == 1 || hardware_hits)) return;  // one by one, each loses its turn
  const std::uint64_t count = 16'000 / sectors;
  StreamSource source(Operation::read, kStart, 0, sectors, count, outstanding);
  testing::BenchParams p = params(ring, 0);
  p.drive.cache.look_ahead = look_ahead;
  p.drive.cache.hardware_hits = hardware_hits;
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), count);
  EXPECT_NEAR(over_zones_rate(bench, count / 16, sectors), 1, 0.01);
}

/// Sectors of a request that ends with the end of a track. The next one takes the only segment anew, and goes on ahead:
/// it comes too late for the sectors behind that end, since the link is hardly faster than the media.
class StreamInOneSegment : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, StreamInOneSegment, ::testing::Values(25u, 50u, 100u, 200u));

TEST_P(StreamInOneSegment, LosesNoTurn) {
  const std::uint32_t sectors = GetParam();
  const std::uint64_t count = 16'000 / sectors;
  StreamSource source(Operation::read, kStart, 0, sectors, count, 1);
  testing::BenchParams p = params(500, 85);
  p.drive.buffer.segments = 1;
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), count);
  EXPECT_NEAR(over_zones_rate(bench, count / 16, sectors), 1, 0.01);
}

/// Sectors of a request. A sector takes 0.1 ms on the media and 0.085 ms on the link, so what the link falls behind on
/// a track it makes up for at the skew: a ring of 64 sectors never has to be full.
class StreamOnANarrowLink : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, StreamOnANarrowLink,
                         ::testing::Values(4u, 8u, 12u, 16u, 20u, 24u, 28u, 32u, 36u, 40u, 44u, 48u, 64u, 80u));

TEST_P(StreamOnANarrowLink, LosesNoTurn) {
  const std::uint32_t sectors = GetParam();
  const std::uint64_t count = 8'000 / sectors;
  StreamSource source(Operation::read, kStart, 0, sectors, count, 1);
  DriveBench bench("bench", params(64, 85), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), count);
  EXPECT_NEAR(over_zones_rate(bench, count / 8, sectors), 1, 0.01);
}

TEST(ReadFlowKept, WhatIsKeptNeverTakesTheRoomOfWhatIsWaitedFor) {
  testing::BenchParams p = params(64, 0);
  p.drive.cache.keep_requested = true;
  ListSource source({read_request(kStart, 0, 300), read_request(kStart + 300 * kPsPerMs, 5'000, 65),
                     read_request(kStart + 600 * kPsPerMs, 5'030, 30)});
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_EQ(bench.finished.size(), 3u);
}

/// A physical sector of which a read wants a part passes as a whole. A read that goes on there while the arm waits for
/// it has its data in the same turn, although somebody else waits for the arm, and whether the drive reads ahead or
/// not.
class ReadOfAPart : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(LookAhead, ReadOfAPart, ::testing::Bool());

TEST_P(ReadOfAPart, BringsAllOfThePhysicalSector) {
  testing::BenchParams p = params(1'024, 0);
  p.drive.cache.look_ahead = GetParam();
  p.drive.geometry.physical_sector_bytes = 4'096;
  p.drive.geometry.zones = {{0, 99, 104, 24, 40, 0}, {100, 199, 80, 16, 32, 0}};
  const Ps meanwhile = kStart + 3 * kPsPerMs;
  ListSource source({read_request(kStart, 2'064, 1), read_request(kStart + kPsPerUs, 15'000, 8),
                     read_request(meanwhile, 2'065, 1), read_request(meanwhile, 2'066, 3)});
  DriveBench bench("bench", p, source);
  bench.run();
  const auto completion = [&](std::uint64_t id) { return bench.finished.at(id).record.completion; };
  ASSERT_GT(completion(0), meanwhile + kPsPerMs / 10) << "they come too late";
  ASSERT_EQ(bench.finished.at(0).accesses.size(), 1u);
  EXPECT_LT(completion(2), completion(0) + 10 * kHandler);
  EXPECT_LT(completion(3), completion(0) + 10 * kHandler);
}

}  // namespace
}  // namespace armature
