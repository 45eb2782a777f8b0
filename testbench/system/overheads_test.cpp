// Command overheads given as times: each adds itself to its kind of command and holds up no other.
#include "support/drive_bench.h"
#include "support/stream_source.h"

#include <gtest/gtest.h>

#include <tuple>

namespace armature {
namespace {

using testing::BenchParams;
using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using testing::write_request;

constexpr Ps kStart = 20 * kPsPerMs;
constexpr Ps kApart = 100 * kPsPerMs;  // the drive has come to rest meanwhile

BenchParams params(bool caches) {
  BenchParams p;
  p.drive = testing::round_drive();
  p.drive.cache.look_ahead = caches;
  p.drive.cache.write = caches;
  p.drive.buffer.write_share = caches ? 0.5 : 0;
  return p;
}

BenchParams with_overheads(bool caches) {
  BenchParams p = params(caches);
  controller::OverheadParams& o = p.drive.overheads;
  o.read_hit_us = 100;
  o.read_hit_after_write_us = 110;
  o.read_miss_us = 200;
  o.read_miss_after_write_us = 220;
  o.write_hit_us = 300;
  o.write_hit_after_write_us = 330;
  o.write_miss_us = 400;
  o.write_miss_after_write_us = 440;
  o.write_sequential_us = 420;
  o.read_completion_us = 1'000;
  o.write_completion_us = 2'000;
  return p;
}

/// The expiry's handler: 30 + 500 cycles of 2.5 ns.
constexpr Ps kExpiry = 530 * 2'500;

Ps firmware(const DriveBench& bench, std::uint64_t id) {
  return bench.finished.at(id).record.phases[static_cast<std::size_t>(Phase::firmware)];
}

/// What the overheads add to the time in firmware of each of these requests.
std::vector<double> added_us(bool caches, std::vector<workload::Request> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = kStart + static_cast<Ps>(i) * kApart;
  ListSource plain_source(requests), source(requests);
  DriveBench plain("plain", params(caches), plain_source);
  DriveBench bench("bench", with_overheads(caches), source);
  bench.run();
  std::vector<double> added;
  for (std::size_t i = 0; i < requests.size(); ++i)
    added.push_back(to_us(firmware(bench, i) - firmware(plain, i) - 2 * kExpiry));
  return added;
}

TEST(Overheads, OfReadsAndWritesToTheMediaByWhatCameBefore) {
  // The drive has served nothing before the first one: as after a read.
  EXPECT_EQ(added_us(false, {read_request(0, 10, 8), read_request(0, 5'000, 8), write_request(0, 7'000, 8),
                             write_request(0, 9'000, 8), read_request(0, 11'000, 8)}),
            (std::vector<double>{1'200, 1'200, 2'400, 2'440, 1'220}));
}

TEST(Overheads, OfAWriteToTheMediaThatGoesOnWhereTheOneBeforeEnded) {
  EXPECT_EQ(added_us(false, {write_request(0, 7'000, 8), write_request(0, 7'008, 8), write_request(0, 7'020, 8),
                             read_request(0, 7'020, 8), write_request(0, 7'028, 8)}),
            (std::vector<double>{2'400, 2'420, 2'440, 1'220, 2'400}));
}

TEST(Overheads, OfHitsInTheBufferAndWritesIntoTheCache) {
  // 18 was read ahead, and so was 26; 9,000 is written, and read from the lines or what de-staging left.
  EXPECT_EQ(added_us(true, {read_request(0, 10, 8), read_request(0, 18, 8), write_request(0, 7'000, 8),
                            read_request(0, 26, 8), write_request(0, 9'000, 8), write_request(0, 9'500, 8)}),
            (std::vector<double>{1'200, 1'100, 2'300, 1'110, 2'300, 2'330}));
}

TEST(Overheads, OfHitsInTheBufferGrowWithTheSectorsOfTheTrack) {
  // Tracks have 100 sectors up to 19,999, then 80.
  std::vector<workload::Request> requests = {read_request(0, 10, 8), read_request(0, 18, 8), read_request(0, 25'000, 8),
                                             read_request(0, 25'008, 8)};
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = kStart + static_cast<Ps>(i) * kApart;
  ListSource plain_source(requests), source(requests);
  BenchParams p = with_overheads(true);
  DriveBench plain("plain", p, plain_source);
  p.drive.overheads.read_hit_track_sector_us = 2.5;
  DriveBench bench("bench", p, source);
  bench.run();
  std::vector<double> added;
  for (std::size_t i = 0; i < requests.size(); ++i) added.push_back(to_us(firmware(bench, i) - firmware(plain, i)));
  EXPECT_EQ(added, (std::vector<double>{0, 250, 0, 200}));
}

/// What `end_read_ahead_us` adds to the time in firmware of a request that comes so long after a read of sectors 10 to
/// 17, behind which the drive reads ahead from 1.8 to 10 ms.
double added_by_reading_ahead_us(workload::Request second, Ps after, bool write_cache) {
  second.arrival = kStart + after;
  ListSource plain_source({read_request(kStart, 10, 8), second}), source({read_request(kStart, 10, 8), second});
  BenchParams p = params(true);
  p.drive.cache.write = write_cache;
  if (!write_cache) p.drive.buffer.write_share = 0;
  DriveBench plain("plain", p, plain_source);
  p.drive.overheads.end_read_ahead_us = 500;
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_EQ(firmware(bench, 0), firmware(plain, 0));
  return to_us(firmware(bench, 1) - firmware(plain, 1));
}

class EndsReadingAhead : public ::testing::TestWithParam<std::tuple<const char*, workload::Request, Ps, bool, bool>> {};

TEST_P(EndsReadingAhead, AMissThatFindsTheArmReadingAheadStartsLater) {
  const auto& [name, request, after, write_cache, later] = GetParam();
  EXPECT_EQ(added_by_reading_ahead_us(request, after, write_cache), later ? 500 + to_us(kExpiry) : 0) << name;
}

INSTANTIATE_TEST_SUITE_P(
    Overheads, EndsReadingAhead,
    ::testing::Values(std::tuple{"Read", read_request(0, 5'000, 8), 5 * kPsPerMs, true, true},
                      std::tuple{"Write", write_request(0, 5'000, 8), 5 * kPsPerMs, false, true},
                      std::tuple{"ReadWhenTheTrackIsOver", read_request(0, 5'000, 8), 15 * kPsPerMs, true, false},
                      std::tuple{"ReadOfWhatIsReadAhead", read_request(0, 40, 8), 3 * kPsPerMs, true, false},
                      std::tuple{"WriteIntoTheCache", write_request(0, 5'000, 8), 5 * kPsPerMs, true, false}),
    [](const auto& each) { return std::get<0>(each.param); });

/// The arm starts so much later, and the unit knows it: the prediction is met.
TEST(Overheads, OfAnArmsPreparationAreBetweenGrantAndSeek) {
  std::vector<workload::Request> requests = {read_request(0, 10, 8), write_request(0, 5'000, 8),
                                             read_request(0, 9'000, 8)};
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = kStart + static_cast<Ps>(i) * kApart;
  ListSource plain_source(requests), source(requests);
  BenchParams p = params(false);
  DriveBench plain("plain", p, plain_source);
  p.drive.arms.prepare_us = 700;
  DriveBench bench("bench", p, source);
  bench.run();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].operation == Operation::read) {  // a write's data come meanwhile
      EXPECT_EQ(firmware(bench, i) - firmware(plain, i), 700 * kPsPerUs + kExpiry) << i;
    }
    const observe::RequestRecord& record = bench.finished.at(i).record;
    EXPECT_EQ(record.missed_revolutions, 0u) << i;
    EXPECT_NEAR(to_us(record.positioning), to_us(record.predicted_positioning), 1) << i;
  }
}

TEST(Overheads, AMissForAnotherArmThatIsFreeDoesNotEndReadingAhead) {
  ListSource plain_source({read_request(kStart, 10, 8), read_request(kStart + 5 * kPsPerMs, 5'000, 8)});
  ListSource source({read_request(kStart, 10, 8), read_request(kStart + 5 * kPsPerMs, 5'000, 8)});
  BenchParams p = params(true);
  p.drive.arms.count = 2;
  DriveBench plain("plain", p, plain_source);
  p.drive.overheads.end_read_ahead_us = 500;
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_EQ(firmware(bench, 1), firmware(plain, 1));
}

TEST(Overheads, OfOneCommandDoNotHoldUpAnother) {
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 8; ++i) requests.push_back(read_request(kStart + 40 * kPsPerMs, 10 + 4 * i, 4));
  requests.insert(requests.begin(), read_request(kStart, 8, 2));
  ListSource source(requests);
  BenchParams p = params(true);
  p.drive.overheads.read_hit_us = 1'000;
  DriveBench bench("bench", p, source);
  bench.run();
  for (std::uint64_t i = 1; i <= 8; ++i) {
    const auto& record = bench.finished.at(i).record;
    EXPECT_GT(record.completion - record.arrival, kPsPerMs);
    EXPECT_LT(record.completion - record.arrival, kPsPerMs + kPsPerMs / 10);
  }
}

TEST(Overheads, EndInTheOrderOfTheirTimesNotOfTheirCommands) {
  // A miss that waits long, then a hit that does not.
  ListSource source({read_request(kStart, 8, 2), read_request(kStart + 40 * kPsPerMs, 15'000, 4),
                     read_request(kStart + 40 * kPsPerMs, 10, 4)});
  BenchParams p = params(true);
  p.drive.overheads.read_hit_us = 50;
  p.drive.overheads.read_miss_us = 500;
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_EQ(bench.order, (std::vector<std::uint64_t>{0, 2, 1}));
  EXPECT_NEAR(to_us(bench.finished.at(2).record.completion - bench.finished.at(2).record.arrival), 50, 20);
}

TEST(Overheads, AMissDoesNotStartBeforeTheHitsThatCameEarlier) {
  // As measured on the Atlas 10K, where the bus's transfer hides what a miss costs.
  ListSource source({read_request(kStart, 8, 2), read_request(kStart + 40 * kPsPerMs, 10, 4),
                     read_request(kStart + 40 * kPsPerMs, 15'000, 4)});
  BenchParams p = params(true);
  p.drive.overheads.read_hit_us = 184;
  DriveBench bench("bench", p, source);
  bench.run();
  const auto start = [&](std::uint64_t id) { return to_us(firmware(bench, id)); };
  EXPECT_NEAR(start(1), 184, 10);
  EXPECT_NEAR(start(2), 184, 10);
}

TEST(Overheads, OfHitsAloneDoNotBreakAQueuedStream) {
  constexpr std::uint64_t kCount = 2'000;  // 8,000 sectors, 80 tracks
  testing::StreamSource source(Operation::read, kStart, 0, 4, kCount, 32);
  BenchParams p = params(true);
  p.drive.overheads.read_hit_us = 184;
  DriveBench bench("bench", p, source);
  bench.run();
  const Ps took = bench.finished.at(kCount - 1).record.completion - bench.finished.at(kCount / 2).record.completion;
  const auto tracks = static_cast<double>(kCount / 2 * 4) / 100;
  // Each track passes in 10 ms, a skew to the next one in 2 or 3.5.
  EXPECT_LT(to_ms(took), tracks * (10 + 2.75) * 1.01);
}

}  // namespace
}  // namespace armature
