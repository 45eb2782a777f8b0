// Writes that flow through lines: how long they take, sector by sector, from the documented rules alone
// (docs/guide/cache.md, "Writes: lines"), on a link faster and slower than the media, with much and with little room
// for them.
#include "support/drive_bench.h"
#include "support/expected_times.h"
#include "support/stream_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace armature {
namespace {

using testing::DriveBench;
using testing::ListSource;
using testing::StreamSource;
using testing::write_request;
using E = testing::ExpectedTimes;

constexpr Ps kStart = 20 * kPsPerMs;    // firmware is up
constexpr Ps kHandler = 3 * kPsPerUs;   // at most, from an interrupt to what its handler does
constexpr Ps kFrames = 2 * kPsPerUs;    // about, of a transfer: DMA Setup, DMA Activate, R_OK
constexpr Ps kSettle = 400 * kPsPerUs;  // for a write
constexpr std::uint32_t kLine = 8;      // sectors

/// So many lines of written data, and two segments of 16 sectors: a write of more than eight flows.
testing::BenchParams params(std::int64_t lines, double bus_us, bool cache) {
  testing::BenchParams p;
  p.drive = testing::round_drive();
  p.drive.buffer.segments = 2;
  p.drive.buffer.size_kib = 4 * lines + 16 + 4;  // and the system's 4 KiB
  p.drive.buffer.write_share = (4.0 * static_cast<double>(lines) + 0.5) / static_cast<double>(p.drive.buffer.size_kib);
  p.drive.cache.write = cache;
  p.link.bus_us_per_sector = bus_us;
  return p;
}

/// The end of the last of these sectors if the first passes at `first_at` and none is missed.
Ps passed(std::uint64_t lbn, std::uint64_t sectors, Ps first_at) {
  Ps edge = first_at;
  for (std::uint64_t k = 0; k < sectors; ++k) {
    const E::Place place = E::place(static_cast<std::int64_t>(lbn + k));
    if (k > 0 && E::place(static_cast<std::int64_t>(lbn + k - 1)).left == 1)
      edge = E::passage(place, edge + (place.head == 0 ? 1'000 : 500) * kPsPerUs + kSettle);
    edge += E::sector_time(place);
  }
  return edge;
}

/// What one write does that completes when it is on the media, by an arm that rests at the disk's first track. Its
/// lines come in pieces of a quarter of them, each when there is room, in transfers of a sixteenth. `late`: lines that
/// the head has left come free as late as firmware may notice, otherwise at once.
class HandModel {
 public:
  HandModel(std::uint64_t lbn, std::uint32_t sectors, std::uint32_t lines, double bus_us, bool late)
      : lbn_(lbn), sectors_(sectors), lines_(lines), bus_us_(bus_us), late_(late), there_(sectors), left_(sectors) {
    Ps edge = 0;
    for (std::uint32_t k = 0; k < sectors; ++k) {
      receive(k);
      const E::Place place = E::place(static_cast<std::int64_t>(lbn + k));
      const bool new_track = k > 0 && E::place(static_cast<std::int64_t>(lbn + k - 1)).left == 1;
      if (k > 0) decide(there_[k] - edge);
      const bool waits = k > 0 && there_[k] > edge;  // the head goes on without it
      if (waits) ++lost_;
      if (k == 0 || new_track || waits) {
        const E::Place from = k == 0 ? E::place(0) : E::place(static_cast<std::int64_t>(lbn + k - 1));
        const Ps move = E::move(from, place);
        const Ps moved = std::max(edge, there_[k]) + move + (move != 0 ? kSettle : 0);
        edge = E::passage(place, moved);
        decide(edge - moved);
      }
      edge += E::sector_time(place);
      left_[k] = edge;
    }
    end_ = edge;
  }
  Ps end() const { return end_; }          ///< of the last sector on the media
  int lost() const { return lost_; }       ///< times that the head came to a sector whose data were not there
  Ps nearest() const { return nearest_; }  ///< between two times that decide, less what is uncertain about them

 private:
  std::uint32_t line_of(std::uint32_t k) const { return static_cast<std::uint32_t>((lbn_ + k) / kLine - lbn_ / kLine); }

  void decide(Ps gap) { nearest_ = std::min(nearest_, std::abs(gap) - uncertain_); }

  /// When the line of that number is free again: with a sector so many further on at the latest, or with the access.
  Ps free_at(std::uint32_t line) const {
    const std::uint32_t last = (line + 1) * kLine - 1 - static_cast<std::uint32_t>(lbn_ % kLine);
    const std::uint32_t step = late_ ? std::clamp(lines_, kLine, 64u) + kLine : 0;
    Ps at = left_[last];
    for (std::uint32_t k = last + 1; k <= last + step && left_[k] != 0 && left_[k] - at < kPsPerMs / 2; ++k)
      at = left_[k];
    return at;
  }

  /// The transfers up to the one that brings sector k.
  void receive(std::uint32_t k) {
    while (ordered_ <= k) {
      const std::uint32_t stop = ordered_ + std::min(std::max(lines_ / 4, 1u) * kLine, sectors_ - ordered_);
      const std::uint32_t lines = line_of(stop - 1) + 1, most = std::max(lines_ / 16, 1u) * kLine;
      if (lines > lines_) link_free_ = std::max(link_free_, free_at(lines - lines_ - 1));
      while (ordered_ < stop) {
        std::uint32_t end = ordered_;
        do {
          end += kLine - static_cast<std::uint32_t>((lbn_ + end) % kLine);
        } while (end < stop && end - ordered_ < most && line_of(end) % lines_ != 0);
        end = std::min(end, stop);
        link_free_ += kFrames + static_cast<Ps>((end - ordered_) * std::max(bus_us_, 512 / 300.0) * 1e6);
        uncertain_ += kFrames / 2;
        for (; ordered_ < end; ++ordered_) there_[ordered_] = link_free_;
      }
    }
  }

  const std::uint64_t lbn_;
  const std::uint32_t sectors_, lines_;
  const double bus_us_;
  const bool late_;
  std::vector<Ps> there_, left_;
  std::uint32_t ordered_ = 0;
  Ps link_free_ = kStart + kHandler, end_ = 0, nearest_ = E::kTurn, uncertain_ = 2 * kHandler;
  int lost_ = 0;
};

struct Case {
  std::uint64_t lbn;
  std::uint32_t sectors;
  std::uint32_t lines;
  double bus_us;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << fmt::format("lbn {} sectors {} lines {} bus {} us", c.lbn, c.sectors, c.lines, c.bus_us);
}

class WriteTimes : public ::testing::TestWithParam<Case> {};

TEST_P(WriteTimes, AreThoseOfTheSectorsAndOfTheTurnsThatTheLinkCosts) {
  const Case& c = GetParam();
  ListSource source({write_request(kStart, c.lbn, c.sectors)});
  DriveBench bench("bench", params(c.lines, c.bus_us, false), source);
  bench.run();
  const HandModel early(c.lbn, c.sectors, c.lines, c.bus_us, false), late(c.lbn, c.sectors, c.lines, c.bus_us, true);
  ASSERT_GT(std::min(early.nearest(), late.nearest()), 0) << "too close to tell by hand";
  ASSERT_EQ(early.end(), late.end()) << "the step in which lines come free decides";
  const Ps done = bench.finished.at(0).record.completion;
  EXPECT_GE(done, early.end());
  EXPECT_LE(done, early.end() + kHandler) << "turns lost by hand: " << early.lost();
  EXPECT_EQ(early.lost() > 0, c.bus_us > 100) << "the link is slower than the media";
}

INSTANTIATE_TEST_SUITE_P(Fast, WriteTimes,
                         ::testing::Values(Case{0, 30, 4, 0}, Case{0, 450, 4, 0}, Case{10, 450, 5, 0},
                                           Case{3, 450, 16, 0}, Case{0, 450, 128, 0}, Case{19'940, 300, 4, 0},
                                           Case{19'937, 300, 16, 0}, Case{3, 900, 12, 50}, Case{19'777, 700, 8, 60}));
INSTANTIATE_TEST_SUITE_P(Slow, WriteTimes,
                         ::testing::Values(Case{30, 150, 16, 170}, Case{0, 450, 16, 170}, Case{8, 450, 32, 170},
                                           Case{0, 450, 64, 233}, Case{32, 150, 16, 233}, Case{0, 450, 128, 170},
                                           Case{0, 450, 8, 290}, Case{40, 300, 8, 411}, Case{0, 450, 12, 190},
                                           Case{19'936, 300, 16, 411}, Case{19'936, 300, 6, 290}, Case{0, 900, 64, 190},
                                           Case{8, 900, 128, 150}));

/// Sectors of a write, lines, the write cache.
class WriteRate : public ::testing::TestWithParam<std::tuple<std::uint32_t, std::int64_t, bool>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, WriteRate,
                         ::testing::Combine(::testing::Values(3u, 7u, 8u, 13u, 100u, 129u, 500u),
                                            ::testing::Values(16, 30, 256), ::testing::Bool()));

// Whatever they are long, also with lines that two writes fill: from the first sector on none is missed.
TEST_P(WriteRate, IsThatOfTheFormatToTheSector) {
  const auto [sectors, lines, cache] = GetParam();
  if (!cache && sectors <= kLine) return;   // the first one of a queue goes straight
  constexpr std::uint64_t kFirst = 19'203;  // over the border of zones
  const std::uint64_t count = 2'600 / sectors;
  testing::StreamAndFlush source(count, StreamSource(Operation::write, kStart, kFirst, sectors, count, cache ? 1 : 32));
  DriveBench bench("bench", params(lines, 0, cache), source);
  Ps end = 0;
  bench.on_completed = [&](const observe::CompletedRequest& done) { end = done.record.completion; };
  bench.run();
  ASSERT_EQ(bench.finished.size(), count + 1);
  const auto place = [](std::uint64_t lbn) { return E::place(static_cast<std::int64_t>(lbn)); };
  const Ps moved = kStart + 5 * kHandler + E::move(place(0), place(kFirst)) + kSettle;
  Ps first_at = E::passage(place(kFirst), moved);
  ASSERT_GT(first_at - moved, kPsPerMs) << "too close to tell by hand";
  const Ps expected = passed(kFirst, count * sectors, first_at);
  EXPECT_GE(end, expected);
  EXPECT_LE(end, expected + 4 * kHandler);
}

}  // namespace
}  // namespace armature
