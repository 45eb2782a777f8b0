// Several channels at once: what they share with each other and with the link is what limits them.
#include "support/closed_load.h"
#include "support/drive_bench.h"
#include "support/expected_times.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using E = ExpectedTimes;

constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::uint32_t kSectors = 64;

/// A sequential stream for each arm, so far apart that each arm keeps to its own.
struct Setup {
  std::int64_t arms;
  std::int64_t sectors_per_track;
  double ram_mb_s;            ///< 0: no limit
  std::int64_t tracks = 400;  ///< of the drive, all of which are read
};
BenchParams params(const Setup& setup) {
  BenchParams p;
  p.drive = round_drive();
  const double per_track = static_cast<double>(setup.sectors_per_track);
  p.drive.geometry.zones = {{0, setup.tracks / 2 - 1, setup.sectors_per_track, per_track * 0.2, per_track * 0.35, 0}};
  p.drive.arms.count = setup.arms;
  p.drive.arms.design = drive::ArmsParams::MC;
  p.drive.cache.look_ahead = true;
  p.drive.cache.hardware_hits = true;
  p.drive.buffer.size_kib = setup.sectors_per_track * 20;
  p.drive.buffer.segments = 2 * setup.arms;
  p.drive.buffer.bandwidth_mb_s = setup.ram_mb_s;
  return p;
}

/// Some drives side by side in one simulation.
class Runs {
 public:
  void add(const Setup& setup, std::int64_t streams, unsigned outstanding = 8) {
    const std::int64_t apart = setup.sectors_per_track * setup.tracks / streams;
    std::vector<std::uint64_t> begins;
    for (std::int64_t i = 0; i < streams; ++i) begins.push_back(static_cast<std::uint64_t>(i * apart));
    const auto count = static_cast<std::uint64_t>(setup.sectors_per_track * setup.tracks / streams / kSectors);
    sources_.push_back(std::make_unique<Streams>(begins, kSectors, count, kStart, outstanding));
    const std::string name = "bench" + std::to_string(benches_.size());
    benches_.push_back(std::make_unique<DriveBench>(name.c_str(), params(setup), *sources_.back()));
  }
  void run() { benches_.at(0)->run(); }
  /// Bytes a second that reach the host while all streams run.
  double rate(std::size_t i) const {
    const DriveBench& bench = *benches_.at(i);
    const std::size_t from = bench.order.size() / 4, to = bench.order.size() * 3 / 4;
    const Ps begin = bench.finished.at(bench.order[from]).record.completion;
    const Ps end = bench.finished.at(bench.order[to]).record.completion;
    return static_cast<double>(to - from) * kSectors * 512 / to_seconds(end - begin);
  }

 private:
  std::vector<std::unique_ptr<Streams>> sources_;
  std::vector<std::unique_ptr<DriveBench>> benches_;
};

/// A track's data in its turn and what the skews to the next ones take, on average over two heads.
double media_rate(const Setup& setup) {
  const double turns = (2 + 0.2 + 0.35) / 2;
  return static_cast<double>(setup.sectors_per_track) * 512 / (turns * to_seconds(E::kTurn));
}

/// The most that the link carries of queued reads: what all frames of a command take one after another.
double link_rate() {
  constexpr std::int64_t kFrames = kSectors / 16;
  const Ps command = E::receiver_again(5) + E::receiver_again(5) + E::sender_again(7) +
                     kFrames * E::sender_again(1 + 16 * 128) + E::sender_again(2);
  return kSectors * 512 / to_seconds(command);
}

TEST(Channels, TwoStreamsOnTwoOfThemMoveTwiceWhatOneDoes) {
  Runs runs;
  runs.add({1, 100, 0}, 1);
  runs.add({2, 100, 0}, 2);
  runs.add({4, 100, 0}, 4);
  runs.run();
  EXPECT_NEAR(runs.rate(0) / media_rate({1, 100, 0}), 1, 0.01);
  EXPECT_NEAR(runs.rate(1) / runs.rate(0), 2, 0.02);
  EXPECT_NEAR(runs.rate(2) / runs.rate(0), 4, 0.04);
}

/// Each byte goes into the RAM and out of it.
TEST(Channels, AreLimitedByHalfTheRamsBandwidth) {
  Runs runs;
  for (const double mb_s : {11.0, 12.0, 14.0}) runs.add({2, 100, mb_s, 6'000}, 2);
  runs.add({4, 100, 24, 6'000}, 4);
  runs.add({2, 100, 20, 6'000}, 2);  // more than enough
  runs.run();
  // What the buffer holds at the ends of the measurement is half a percent of what passes at most.
  EXPECT_NEAR(runs.rate(0) / 5.5e6, 1, 0.005);
  EXPECT_NEAR(runs.rate(1) / 6e6, 1, 0.005);
  EXPECT_NEAR(runs.rate(2) / 7e6, 1, 0.005);
  EXPECT_NEAR(runs.rate(3) / 12e6, 1, 0.01);  // the four streams take turns now and then
  EXPECT_NEAR(runs.rate(4) / (2 * media_rate({2, 100, 20})), 1, 0.01);
}

// The unit's estimate counts from the grant; firmware reads it when the handler's code runs, here 1 ms later. An arm
// that asked for the channel so much after its sector's passage would lose a turn with each read.
TEST(Channels, AreAskedForInTimeBehindALongHandlerOfTheGrant) {
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 20; ++i)
    requests.push_back(read_request(kStart + static_cast<Ps>(i) * 100 * kPsPerMs, i * 7'919 % 20'000, 8));
  ListSource source(requests);
  BenchParams p;
  p.drive = round_drive();
  p.drive.geometry.zones = {{0, 199, 100, 20, 35, 0}};
  p.drive.arms.count = 2;
  p.drive.arms.channels = 1;
  p.drive.firmware.cycles_of(FW_IRQ_AAU) = static_cast<std::int64_t>(1'000 * p.drive.controller.cpu_mhz);
  DriveBench bench("bench", p, source);
  bench.run();
  for (const auto& [id, read] : bench.finished) {
    EXPECT_EQ(read.record.missed_revolutions, 0u) << id;
    const Ps positioning = read.accesses.at(0).access.first_sector_at - read.record.granted;
    EXPECT_NEAR(to_ms(positioning), to_ms(read.record.predicted_positioning), 0.01) << id;
  }
}

TEST(Channels, AreLimitedByTheLink) {
  Runs runs;
  runs.add({1, 4'000, 0}, 1);
  runs.add({2, 4'000, 0}, 2);
  runs.run();
  EXPECT_NEAR(runs.rate(0) / media_rate({1, 4'000, 0}), 1, 0.01);
  ASSERT_GT(2 * runs.rate(0), 1.1 * link_rate());
  EXPECT_LE(runs.rate(1), link_rate());
  EXPECT_NEAR(runs.rate(1) / link_rate(), 1, 0.0001);
}

}  // namespace
}  // namespace armature::testing
