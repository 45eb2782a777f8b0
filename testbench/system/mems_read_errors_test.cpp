// A MEMS store whose reads fail: what the sled reads again, how long that takes, what the host is told, and that no
// wrong data come.
#include "armature/channel/read_process.h"
#include "armature/core/random.h"
#include "armature/host/contents_check.h"
#include "armature/mems/sled_motion.h"
#include "support/contents_load.h"
#include "support/drive_bench.h"
#include "support/mems_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

/// About one read in twelve fails, and some blocks stay unreadable.
channel::ChannelParams bad_channel() {
  channel::ChannelParams params;
  params.errors = channel::ChannelParams::margin;
  params.margin_db = 0.9;
  params.sector_sigma_db = 0.6;
  params.attempt_sigma_db = 0.3;
  params.detector_gain_db = {0.2};
  params.ladder = {{2, 0, 0, false}, {1, 0, 1, false}};
  return params;
}

/// One access on the store alone, block by block: written down from docs/guide/channel.md and docs/guide/mems.md.
struct Expected {
  std::optional<std::uint64_t> unreadable;
  std::uint32_t retries = 0;  ///< passes over a row again
  Ps transfer = 0;            ///< in the phase of that name
  std::uint64_t reads = 0, failed = 0, recovered = 0;
};

class Reference {
 public:
  Reference(const mems::MemsDriveParams& params, const mems::SledTimes& times)
      : params_(params), layout_(times.layout()), process_(params.channel, 512), motion(params.store, times) {}

  Expected read(std::uint64_t lbn, std::uint64_t sectors, const mems::SledMotion::Approach& first) {
    Expected result;
    mems::SledMotion::Approach way = first;
    Ps phase_begin = way.begins, decoder = 0;
    std::vector<std::uint64_t> wanted = row_of(lbn, lbn + sectors);
    for (std::uint32_t attempt = 0;;) {
      motion.go(way);
      const Ps end = motion.pass(way);
      std::vector<std::uint64_t> bad;
      for (const std::uint64_t one : wanted) {
        const channel::ReadProcess::Attempt tried = attempt_of(one, way.begins, attempt);
        decoder = std::max(decoder, end + from_us(params_.channel.latency_us)) +
                  tried.iterations * from_us(params_.channel.iteration_us);
        ++result.reads;
        if (tried.ok)
          result.recovered += attempt > 0;
        else
          bad.push_back(one);
      }
      result.failed += bad.size();
      if (bad.empty()) {
        if (wanted_end_ == lbn + sectors) {
          result.transfer += std::max(end, decoder) - phase_begin;
          return result;
        }
        wanted = row_of(wanted_end_, lbn + sectors);
        attempt = 0;
        way = motion.approach(layout_.locate(wanted.front()), end);
        continue;
      }
      if (++attempt > 3) {
        result.unreadable = bad.front();
        result.transfer += std::max(end, decoder) - phase_begin;
        return result;
      }
      wanted = bad;
      ++result.retries;
      result.transfer += end - phase_begin;
      way = motion.approach(layout_.locate(wanted.front()), std::max(end, decoder));
      phase_begin = way.begins;
    }
  }

 private:
  /// The blocks from `first` on that lie in its row.
  std::vector<std::uint64_t> row_of(std::uint64_t first, std::uint64_t end) {
    std::vector<std::uint64_t> blocks;
    for (wanted_end_ = first; wanted_end_ < end && layout_.locate(wanted_end_).same_position(layout_.locate(first));
         ++wanted_end_)
      blocks.push_back(wanted_end_);
    return blocks;
  }
  channel::ReadProcess::Attempt attempt_of(std::uint64_t lbn, Ps at, std::uint32_t attempt) const {
    const mems::BlockPlace place = layout_.locate(lbn);
    return process_.read(lbn, at, place.track, std::nullopt, {0, attempt == 3 ? 1u : 0u, false});
  }
  const mems::MemsDriveParams& params_;
  const mems::Layout& layout_;
  const channel::ReadProcess process_;
  std::uint64_t wanted_end_ = 0;

 public:
  mems::SledMotion motion;
};

/// One read at a time, each within a track. The sled's place at the end of one decides when the next one begins, so a
/// pass that came at another time than here would be noticed there.
class MemsReadErrorsEach : public ::testing::TestWithParam<double> {};  // with iterations that take so long, us
INSTANTIATE_TEST_SUITE_P(Decoders, MemsReadErrorsEach, ::testing::Values(0, 3));

TEST_P(MemsReadErrorsEach, ReadEndsWhenAndWhereTheModelOfItsBlocksSays) {
  mems::MemsDriveParams params = mems_g2();
  params.channel = bad_channel();
  params.channel.iteration_us = GetParam();
  params.channel.latency_us = 2 * GetParam();
  params.channel.head_margin_db = {0, -0.3, 0.3, 0, -0.2, 0.1};
  params.media.contents = media::ContentsParams::none;
  params.cache.look_ahead = params.cache.write = false;
  host::HostParams host;
  host.ncq = false;
  const mems::Layout layout(params.store);
  const mems::SledTimes times(params.store, layout);
  RandomStream random(3, "read errors");
  std::vector<workload::Request> requests;
  for (Ps i = 0; i < 2'000; ++i) {
    const std::uint64_t track = random.below(layout.blocks() / layout.blocks_per_track());
    const std::uint64_t first = random.below(layout.blocks_per_track());
    const std::uint64_t most = std::min<std::uint64_t>(24, layout.blocks_per_track() - first);
    requests.push_back(read_request((1 + i) * 20 * kPsPerMs, track * layout.blocks_per_track() + first,
                                    static_cast<std::uint32_t>(1 + random.below(most))));
  }
  ListSource source(requests);
  MemsBench bench("store", params, host, source);
  sc_core::sc_start();
  ASSERT_EQ(bench.records.size(), requests.size());

  // From the grant until the sled leaves: the decision has 19 clocks, the handlers and their margins follow.
  const Ps handlers = (params.firmware.handler_cycles(FW_IRQ_AAU) + params.firmware.handler_cycles(FW_IRQ_SRV0) + 2) *
                          params.controller.cpu_period() +
                      2 * from_us(params.arbiter.margin_us);
  Reference store(params, times);
  std::uint64_t reads = 0, failed = 0, recovered = 0, unreadable = 0, retries = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SCOPED_TRACE(i);
    const observe::RequestRecord& record = bench.records[i];
    const Ps leaves = record.granted - 19 * params.arbiter.clock_period() +
                      params.arbiter.scan_time(static_cast<unsigned>(host.tags), 1) + handlers;
    const auto way = store.motion.approach(layout.locate(record.lbn), leaves);
    ASSERT_EQ(record.first_sector, way.begins);
    const Expected expected = store.read(record.lbn, record.sectors, way);
    EXPECT_EQ(record.phases[static_cast<std::size_t>(Phase::transfer)], expected.transfer);
    EXPECT_EQ(observe::status_of(record), expected.unreadable ? "UNC" : "ok");
    reads += expected.reads;
    failed += expected.failed;
    recovered += expected.recovered;
    unreadable += expected.unreadable ? 1 : 0;
    retries += expected.retries;
  }
  EXPECT_EQ(bench.disk.reads().reads, reads);
  EXPECT_EQ(bench.disk.reads().failed, failed);
  EXPECT_EQ(bench.disk.reads().recovered, recovered);
  EXPECT_GE(bench.disk.reads().unreadable, unreadable);  // of a row several may be given up
  EXPECT_GT(unreadable, 100u);
  EXPECT_GT(recovered, 500u);
  EXPECT_GT(retries, 1'000u);
}

/// A store with one read of so many blocks.
class OneRead {
 public:
  OneRead(mems::MemsDriveParams params, std::uint32_t sectors, double latency_us, double iteration_us)
      : source_({read_request(kPsPerMs, 100'000, sectors)}) {
    params.channel.latency_us = latency_us;
    params.channel.iteration_us = iteration_us;
    params.cache.look_ahead = false;
    bench_ = std::make_unique<MemsBench>(sc_core::sc_gen_unique_name("store"), params, host::HostParams(), source_);
  }
  double us_from_first_sector() const {
    const observe::RequestRecord& record = bench_->records.at(0);
    return to_ms(record.completion - record.first_sector) * 1000;
  }
  double us_of_transfer() const {
    return to_ms(bench_->records.at(0).phases[static_cast<std::size_t>(Phase::transfer)]) * 1000;
  }

 private:
  ListSource source_;
  std::unique_ptr<MemsBench> bench_;
};

/// A row's ten blocks go through one decoder; the next row passes meanwhile.
TEST(MemsReadErrors, DataAreThereWhenTheDecoderHasThem) {
  const mems::MemsDriveParams g2 = mems_g2();
  const OneRead one(g2, 1, 0, 0), row(g2, 10, 0, 0), rows(g2, 20, 0, 0);
  const OneRead slow_one(g2, 1, 7, 3), slow_row(g2, 10, 7, 3), slow_rows(g2, 20, 7, 3), slower_rows(g2, 20, 7, 60);
  sc_core::sc_start();
  EXPECT_NEAR(slow_one.us_from_first_sector() - one.us_from_first_sector(), 10, 0.02);
  EXPECT_NEAR(slow_row.us_from_first_sector() - row.us_from_first_sector(), 37, 1);
  // The decoder is idle again before the second row has passed.
  EXPECT_NEAR(slow_rows.us_from_first_sector() - rows.us_from_first_sector(), 37, 1);
  // 600 us for each row, and the second one passes before that.
  const double next_row = rows.us_of_transfer() - row.us_of_transfer();
  EXPECT_LT(next_row, 600);
  EXPECT_NEAR(slower_rows.us_from_first_sector() - rows.us_from_first_sector(), 7 + 2 * 600 - next_row, 1);
}

/// A store whose margin does not vary: each read of a block fails with the same probability.
TEST(MemsReadErrors, FailuresAreAsFrequentAsTheCodeSays) {
  mems::MemsDriveParams params = mems_g2();
  params.channel.errors = channel::ChannelParams::margin;
  params.channel.margin_db = 0.25;
  params.channel.sector_sigma_db = params.channel.attempt_sigma_db = 0;
  params.channel.ladder = {{1, 0, 0, false}};
  params.cache.look_ahead = false;
  RandomStream random(8, "rates");
  std::vector<workload::Request> requests;
  const std::uint64_t blocks = mems::Layout(params.store).blocks();
  for (Ps i = 0; i < 3'000; ++i) requests.push_back(read_request((1 + i) * 4 * kPsPerMs, random.below(blocks - 8), 8));
  ListSource source(requests);
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  const channel::ReadProcess process(params.channel, 512);
  const double p = process.failure(process.bit_error_rate(params.channel.margin_db, 0));
  const channel::ReadCounters reads = bench.disk.reads();
  const auto n = static_cast<double>(reads.reads);
  EXPECT_GT(p, 0.02);
  EXPECT_LT(p, 0.3);
  EXPECT_GT(reads.reads, 24'000u);
  EXPECT_NEAR(static_cast<double>(reads.failed) / n, p, 4 * std::sqrt(p * (1 - p) / n));
  const auto again = static_cast<double>(reads.retries[0]);
  EXPECT_NEAR(static_cast<double>(reads.recovered) / again, 1 - p, 4 * std::sqrt(p * (1 - p) / again));
  EXPECT_EQ(reads.failed, reads.unreadable + reads.retries[0]);
  EXPECT_EQ(reads.retries[0], reads.recovered + reads.unreadable);
}

TEST(MemsReadErrors, NoRetryBeginsBehindTheLimit) {
  mems::MemsDriveParams params = mems_g2();
  params.channel = bad_channel();
  params.channel.margin_db = -10;  // nothing can be read
  params.channel.ladder = {{200, 0, 0, false}};
  params.channel.retry_limit_ms = 2;
  ListSource source({read_request(kPsPerMs, 100'000, 1)});
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  ASSERT_EQ(bench.failed.size(), 1u);
  const std::uint64_t retries = bench.disk.reads().retries[0];
  // A pass takes 0.129 ms, and a turnaround to the next one at most 0.1 ms.
  EXPECT_GT(retries, 2'000u / 229 - 1);
  EXPECT_LT(retries, 2'000u / 129 + 2);
}

/// No step of the ladder reads what the medium does not hold, and no other data come in its place.
TEST(MemsReadErrors, ADefectIsUncBehindTheLadder) {
  mems::MemsDriveParams params = mems_g2();
  params.channel.ladder = {{2, 0, 0, false}};
  params.faults = {drive::grown_defect(100'003)};
  ListSource source({read_request(kPsPerMs, 100'000, 8), read_request(50 * kPsPerMs, 100'000, 3)});
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  ASSERT_EQ(bench.records.size(), 2u);
  EXPECT_EQ(observe::status_of(bench.records[0]), "UNC");
  EXPECT_EQ(observe::status_of(bench.records[1]), "ok");
  EXPECT_EQ(bench.disk.reads().retries[0], 2u);
  EXPECT_EQ(bench.disk.reads().unreadable, 1u);
}

/// What reads ahead of a request does not try again for long what another request waits for.
TEST(MemsReadErrors, AReadThatIsStoppedTriesNothingAgain) {
  mems::MemsDriveParams params = mems_g2();
  params.cache.look_ahead = true;
  params.channel.ladder = {{250, 0, 0, false}};  // of a row: some 50 ms
  std::vector<workload::Request> requests;
  for (unsigned i = 0; i < 40; ++i) {
    const std::uint64_t lbn = 100'000 + 10'000 * i;
    params.faults.push_back(
        drive::grown_defect(static_cast<std::int64_t>(lbn) + 12));  // in the row behind the request's
    const Ps at = (1 + i) * 100 * kPsPerMs;
    requests.push_back(read_request(at, lbn, 8));
    requests.push_back(read_request(at + 5 * kPsPerMs + i * 17 * kPsPerUs, 5'000'000 + 20'000 * i, 8));
  }
  ListSource source(requests);
  MemsBench bench("store", params, {}, source);
  sc_core::sc_start();
  ASSERT_EQ(bench.records.size(), requests.size());
  for (const observe::RequestRecord& record : bench.records) {
    EXPECT_EQ(observe::status_of(record), "ok");
    EXPECT_LT(record.response(), 2 * kPsPerMs) << record.lbn;
  }
  EXPECT_GT(bench.disk.reads().retries[0], 40u * 10) << "nothing was read ahead: the test tests nothing";
}

void decoder(mems::MemsDriveParams& params) {
  params.channel.latency_us = 5;
  params.channel.iteration_us = 4;
}
constexpr MemsVariant kLoads[] = {
    {"plain", [](mems::MemsDriveParams&) {}},
    {"slow_decoder", decoder},
    {"flaws",
     [](mems::MemsDriveParams& p) {
       decoder(p);
       p.channel.burst_rate = 0.02;
       p.channel.burst_bits = 200;
       p.channel.ladder = {{2, 0, 0, false}, {1, 64, 1, true}};
     }},
    {"resets", decoder, 3.1},
    {"two_sleds",
     [](mems::MemsDriveParams& p) {
       decoder(p);
       p.store.sled.count = 2;
       p.store.sled.move_x_um = 6;
     }},
    {"failing_tips",
     [](mems::MemsDriveParams& p) {
       p.store.tips.spare = 1;
       const std::uint32_t tip = mems::Layout(p.store).locate(1'000'005).first_tip;
       p.store.tips.failures = {{0.1, tip}, {0.2, tip + 1}, {0.4, tip + 2}, {0.6, tip + 3}};
     }},
};

/// Stops, extensions and marks of a drive under load, with errors: what is read is what was written, or an error.
class MemsReadErrorsLoad : public ::testing::TestWithParam<MemsVariant> {};

TEST_P(MemsReadErrorsLoad, NoWrongData) {
  mems::MemsDriveParams params = mems_g2();
  params.channel = bad_channel();
  params.channel.margin_db = 1.3;
  params.cache.write = params.cache.look_ahead = params.cache.read_on_arrival = params.cache.free_reads = true;
  params.buffer.size_kib = 512;
  params.buffer.segments = 4;
  GetParam().change(params);
  const mems::Layout layout(params.store);
  ContentsLoad::Params load_params;
  load_params.count = 4'000;
  load_params.sectors = layout.blocks();
  load_params.hot_first = layout.sleds() > 1 ? layout.blocks_per_sled() - 1'500 : 1'000'000;
  load_params.hot_sectors = 3'000;
  ContentsLoad load(load_params);
  host::ContentsCheck check({});
  host::HostParams host;
  host.reset_interval_ms = GetParam().reset_interval_ms;
  MemsBench bench("store", params, host, load);
  bench.queue.set_data_port(check);
  sc_core::sc_start();
  EXPECT_TRUE(bench.queue.finished());
  EXPECT_FALSE(bench.disk.failed());
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  EXPECT_GT(check.sectors_compared(), 10'000u);
  EXPECT_GT(bench.disk.reads().recovered, 200u);
  EXPECT_GT(bench.failed.size(), 5u);
}

INSTANTIATE_TEST_SUITE_P(Stores, MemsReadErrorsLoad, ::testing::ValuesIn(kLoads),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace armature::testing
