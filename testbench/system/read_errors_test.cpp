// Drives whose reads fail: what is retried, how long that takes, what the host is told, and that no wrong data come.
#include "armature/core/kernel_time.h"
#include "contents_setups.h"
#include "support/read_model.h"

#include "armature/channel/read_process.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace armature::testing {
namespace {

constexpr std::uint8_t kUnc = 0x40;
constexpr std::uint8_t kIdnf = 0x10;
constexpr Ps kTurn = 10 * kPsPerMs;

/// About one read in 25 fails, and every fourth of the sectors that do stays unreadable.
channel::ChannelParams bad_channel() {
  channel::ChannelParams params;
  params.errors = channel::ChannelParams::margin;
  params.margin_db = 1.2;
  params.sector_sigma_db = 0.6;
  params.attempt_sigma_db = 0.3;
  params.detector_gain_db = {0.2};
  params.ladder = {{2, 0, 0, false}, {1, 0, 1, false}};
  return params;
}

/// One read at a time. For each access, from the time of its first sector on: which sectors fail at which passage, by
/// the model; so when it ends, what the host is told, and how many turns were lost.
TEST(ReadErrors, EachReadEndsWhenAndWhereTheModelOfItsSectorsSays) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.channel = bad_channel();
  p.host.ncq = false;
  RandomStream random(3, "read errors");
  const media::Geometry geometry(p.drive.geometry);
  std::vector<workload::Request> requests;
  for (Ps i = 0; i < 3'000; ++i)
    requests.push_back(read_request(i * 400 * kPsPerMs, random.below(geometry.sectors() - 8),
                                    static_cast<std::uint32_t>(1 + random.below(8))));
  const std::vector<workload::Request> asked = requests;
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();

  const channel::ReadProcess process(p.drive.channel, 512);
  std::uint64_t failed_reads = 0, unreadable = 0, recovered = 0, reads = 0, with_retries = 0;
  for (std::size_t id = 0; id < asked.size(); ++id) {
    SCOPED_TRACE(id);
    const DriveBench::Finished& finished = bench.finished.at(id);
    std::uint64_t lbn = asked[id].lbn;
    const std::uint64_t end = lbn + asked[id].sectors;
    std::optional<std::uint64_t> bad;
    std::uint32_t turns_of_request = 0;
    for (const observe::AccessTiming& timing : finished.accesses) {
      ASSERT_FALSE(bad);
      const media::Location at = geometry.locate(lbn);
      ASSERT_EQ(timing.access.cylinder, at.cylinder);
      const Ps sector_time = kTurn / at.sectors_per_track;
      const std::uint64_t behind = std::min<std::uint64_t>(end, lbn + at.run);
      Ps time = timing.access.first_sector_at;
      std::uint32_t turns = 0;
      for (; lbn < behind && !bad; ++lbn) {
        for (std::uint32_t attempt = 0;; ++attempt) {
          ++reads;
          const bool ok =
              process.read(geometry.physical(lbn), time, at.head, std::nullopt, {0, attempt == 3 ? 1u : 0u, false}).ok;
          recovered += ok && attempt > 0 ? 1 : 0;
          if (ok) break;
          ++failed_reads;
          if (attempt == 3) {
            bad = lbn;
            break;
          }
          time += kTurn;
          ++turns;
        }
        time += sector_time;
      }
      EXPECT_EQ(timing.access.done_at, time);
      EXPECT_EQ(timing.access.retried, turns);
      turns_of_request += turns;
    }
    EXPECT_EQ(finished.record.missed_revolutions, turns_of_request);
    EXPECT_EQ(finished.record.miss_cause,
              turns_of_request > 0 ? observe::MissCause::read_retry : observe::MissCause::none);
    with_retries += turns_of_request > 0 ? 1 : 0;
    ASSERT_EQ(bench.failed.count(id), bad ? 1u : 0u);
    if (!bad) continue;
    ++unreadable;
    EXPECT_EQ(bench.failed.at(id).error, kUnc);
    EXPECT_EQ(bench.failed.at(id).lbn, *bad);
  }
  EXPECT_GT(with_retries, 200u);
  EXPECT_GT(unreadable, 30u);
  const channel::ReadCounters counted = bench.disk().reads();
  EXPECT_EQ(counted.reads, reads);
  EXPECT_EQ(counted.failed, failed_reads);
  EXPECT_EQ(counted.recovered, recovered);
  EXPECT_EQ(counted.unreadable, unreadable);
  EXPECT_EQ(counted.retries[0] + counted.retries[1], failed_reads - unreadable);
  // What firmware has read from the channel's registers.
  EXPECT_EQ(bench.disk().counters().read_failures, failed_reads);
  EXPECT_EQ(bench.disk().counters().recovered_reads, recovered);
  EXPECT_EQ(bench.disk().counters().unreadable_reads, unreadable);
}

#ifndef ARMATURE_SECTORS
#define ARMATURE_SECTORS 1'000'000
#endif

/// Sectors read one after the other and none twice, so that each is a trial of its own.
class Sequential final : public workload::Source {
 public:
  Sequential(std::uint64_t sectors, std::uint32_t a_request) : sectors_(sectors), a_request_(a_request) {}
  Next next(workload::Request& request) override {
    if (given_ == sectors_) return Next::end;
    if (in_flight_) return Next::after_completion;
    request =
        read_request(at_, given_, static_cast<std::uint32_t>(std::min<std::uint64_t>(a_request_, sectors_ - given_)));
    request.id = given_ / a_request_;
    given_ += request.sectors;
    in_flight_ = true;
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    in_flight_ = false;
    at_ = at;
  }

 private:
  const std::uint64_t sectors_;
  const std::uint32_t a_request_;
  std::uint64_t given_ = 0;
  Ps at_ = 0;
  bool in_flight_ = false;
};

class ReadErrorRates : public ::testing::TestWithParam<int> {};

/// Through all of the drive: the channels' counters against probabilities that the test integrates itself.
TEST_P(ReadErrorRates, ReadsRetriesAndUnreadableSectorsAreAsOftenAsTheModelSays) {
  BenchParams p;
  p.drive = round_drive();
  p.drive.geometry.zones = {{0, 109'999, 400, 40, 60, 0}};
  p.drive.seek.table = {{1, 1.0}, {109'999, 20.0}};
  p.drive.geometry.physical_sector_bytes = GetParam();
  const std::uint64_t unit = static_cast<std::uint64_t>(GetParam()) / 512;
  p.drive.channel = bad_channel();
  p.drive.channel.margin_db = unit == 1 ? 2.0 : 1.6;
  p.drive.channel.position_error_rms = 0.04;
  p.drive.channel.head_margin_db = {0.1, 0.1};
  // The last step's head offset makes it worse.
  p.drive.channel.ladder = {{1, 0, 0, false}, {1, 0, 1, false}, {1, 40, 0, false}};
  p.host.ncq = false;
  const std::uint64_t sectors = std::uint64_t{ARMATURE_SECTORS} * unit;
  Sequential source(sectors, 64);
  DriveBench bench("bench", p, source);
  bench.keep = false;
  bench.run();
  const channel::ReadCounters counted = bench.disk().reads();
  // A request ends at a sector that is given up: what lies behind it was never tried.
  const std::uint64_t tried = counted.reads - counted.retries[0] - counted.retries[1] - counted.retries[2];
  EXPECT_LE(tried, sectors / unit);
  EXPECT_GT(tried, sectors / unit * 9 / 10);
  const ReadOdds odds = read_odds(code(static_cast<std::uint32_t>(GetParam())), p.drive.channel, 0,
                                  {{0, 0}, {0, 0}, {0.2, 0}, {0, 40 / 256.0}});
  const std::uint64_t first = counted.failed - (counted.retries[1] + counted.retries[2] + counted.unreadable);
  expect_within_binomial_error(first, odds.fails, tried, "first reads that failed");
  expect_within_binomial_error(counted.retries[0] - counted.retries[1], odds.recovered[0], tried, "by step 1");
  expect_within_binomial_error(counted.retries[1] - counted.retries[2], odds.recovered[1], tried, "by step 2");
  expect_within_binomial_error(counted.retries[2] - counted.unreadable, odds.recovered[2], tried, "by step 3");
  expect_within_binomial_error(counted.unreadable, odds.unreadable, tried, "unreadable");
  EXPECT_EQ(bench.failures(), counted.unreadable);
  EXPECT_GT(counted.unreadable, 20u);
}

INSTANTIATE_TEST_SUITE_P(Codewords, ReadErrorRates, ::testing::Values(512, 4'096));

class ReadErrorsLoad : public ::testing::TestWithParam<ContentsSetup> {};

/// Flaws that nothing helps against, and reads that fail now and then: what a read brings is right, and a sector that
/// the host is told of is one that the model says can fail.
TEST_P(ReadErrorsLoad, EveryReadBringsWhatWasWrittenOrFails) {
  BenchParams p;
  p.drive = round_drive_with_contents(true);
  p.drive.buffer.size_kib = 1'024;
  p.drive.channel = bad_channel();
  p.drive.channel.margin_db = 2.4;
  p.drive.channel.burst_rate = 0.004;
  p.drive.channel.burst_bits = 2'000;
  GetParam().set(p.drive);
  p.drive.geometry.zones[0].spares += 400;  // room for what moves
  p.drive.geometry.zones[1].spares += 400;
  ContentsLoad::Params load = hot_load(p.drive, 10'000);
  ContentsBench bench("bench", p, load);
  std::set<std::uint64_t> failed_writes;
  bench.bench.on_completed = [&](const observe::CompletedRequest& request) {
    if (!request.record.ok && request.record.operation == Operation::write) failed_writes.insert(request.record.id);
  };
  bench.run();
  EXPECT_FALSE(bench.bench.disk().failed());
  EXPECT_GT(bench.check.sectors_compared(), 100'000u);
  EXPECT_GT(bench.bench.failures(), 0u);

  const auto bytes = static_cast<std::uint32_t>(p.drive.geometry.physical_sector_bytes);
  const channel::ReadProcess process(p.drive.channel, bytes);
  const std::uint32_t unit = bytes / 512;
  const media::Geometry as_new(p.drive.geometry);
  std::set<std::uint64_t> told;
  for (const auto& [id, status] : bench.bench.failed) {
    // A write through to the media may find that another arm has moved its sectors meanwhile: the host is told.
    if (p.drive.arms.count > 1 && failed_writes.count(id) > 0) {
      EXPECT_EQ(status.error, kIdnf) << id;
      continue;
    }
    EXPECT_EQ(status.error, kUnc) << id;
    told.insert(status.lbn);
  }
  // Where they lie now or lay at first, a whole ladder fails now and then: 400 times tried.
  for (const std::uint64_t lbn : told) {
    bool can_fail = false;
    for (const media::Geometry* geometry : {&as_new, &bench.bench.disk().geometry()}) {
      const std::uint64_t place = geometry->physical(lbn - lbn % unit);
      for (Ps trial = 0; trial < 400 && !can_fail; ++trial) {
        bool all = true;
        for (Ps i = 0; i < 4 && all; ++i)
          all = !process
                     .read(place, (4 * trial + i) * 1'234'567, geometry->locate(lbn).head, std::nullopt,
                           {0, i == 3 ? 1u : 0u, false})
                     .ok;
        can_fail = all;
      }
    }
    EXPECT_TRUE(can_fail) << lbn << " can be read";
  }
  const drive::HardDisk::Counters firmware = bench.bench.disk().counters();
  const channel::ReadCounters channels = bench.bench.disk().reads();
  EXPECT_GT(firmware.reallocated_sectors, 0u);
  EXPECT_GT(channels.recovered, 5u);
  EXPECT_EQ(firmware.read_failures, channels.failed);
  EXPECT_EQ(firmware.recovered_reads, channels.recovered);
  EXPECT_EQ(firmware.unreadable_reads, channels.unreadable);
}

/// A run that is written in parts, as its data come, and then read back where it could not be read before.
void writes_begin_early(drive::DriveParams& params) {
  params.cache.write_watermark = 0.1;
}

void slow_decoder(drive::DriveParams& params) {
  setups::caches(params);
  params.channel.latency_us = 40;
  params.channel.iteration_us = 25;
  params.channel.select_us = 10;
  params.channel.write_to_read_us = 5;
}
void two_arms(drive::DriveParams& params) {
  params.arms.count = 2;
  slow_decoder(params);
}
void four_arms_two_channels(drive::DriveParams& params) {
  params.arms.count = 4;
  params.arms.channels = 2;
  slow_decoder(params);
}

INSTANTIATE_TEST_SUITE_P(
    Drives, ReadErrorsLoad,
    ::testing::Values(ContentsSetup{"plain", setups::none}, ContentsSetup{"writes_begin_early", writes_begin_early},
                      ContentsSetup{"look_ahead", setups::look_ahead}, ContentsSetup{"caches", setups::caches},
                      ContentsSetup{"read_policies", setups::read_policies},
                      ContentsSetup{"hardware_hits", setups::read_policies_and_hardware_hits},
                      ContentsSetup{"physical_4096", setups::physical_4096_with_caches},
                      ContentsSetup{"slow_decoder", slow_decoder}, ContentsSetup{"two_arms", two_arms},
                      ContentsSetup{"four_arms_two_channels", four_arms_two_channels}),
    [](const auto& test) { return std::string(test.param.name); });

/// The drive reads its surface by itself and comes upon flaws: it lists them, and the host's data stay right.
TEST(ReadErrors, AMediaScanFindsSectorsThatCannotBeRead) {
  BenchParams p;
  p.drive = round_drive_with_contents(false);
  p.drive.channel = bad_channel();
  p.drive.channel.margin_db = 6;  // nothing but flaws
  p.drive.channel.burst_rate = 0.0005;
  p.drive.channel.burst_bits = 10'000;
  p.drive.background.scan_idle_ms = 5;
  ContentsLoad::Params load = hot_load(p.drive, 500);
  ContentsBench bench("bench", p, load);
  sc_core::sc_start(to_sc_time(60 * kPsPerSecond));
  bench.expect_right();
  EXPECT_FALSE(bench.bench.disk().failed());
  EXPECT_GE(bench.bench.disk().counters().scan_passes, 1u);
  // Those that withstand the whole ladder, whenever they are read.
  const channel::ReadProcess process(p.drive.channel, 512);
  const media::Geometry& geometry = bench.bench.disk().geometry();
  std::uint32_t flawed = 0;
  for (std::uint64_t lbn = 0; lbn < geometry.sectors(); ++lbn) {
    int failed = 0;
    for (Ps i = 0; i < 10; ++i)
      failed += process.read(geometry.physical(lbn), i * kTurn, 0, std::nullopt, {}).ok ? 0 : 1;
    EXPECT_TRUE(failed == 0 || failed == 10) << "neither good nor bad: choose another seed";
    flawed += failed == 10 ? 1 : 0;
  }
  EXPECT_GT(flawed, 5u);
  EXPECT_EQ(bench.bench.disk().counters().pending_sectors, flawed);
}

}  // namespace
}  // namespace armature::testing
