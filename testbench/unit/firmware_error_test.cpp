// Errors, frame by frame: what a host sees, and that the drive serves it again afterwards.
#include "armature/core/kernel_time.h"
#include "support/soc_bench.h"

#include "armature/sata/ata.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature::testing::firmware_error_test {
namespace {

using Lines = std::vector<std::string>;

class FirmwareError : public ::testing::Test {
 protected:
  void start(const SocBenchParams& params = {}) {
    bench_ = std::make_unique<SocBench>(params);
    run_until(10 * kPsPerMs);
  }
  void run_for(Ps duration) { run_until(now() + duration); }
  void run() { run_for(50 * kPsPerMs); }
  ScriptedHost& host() { return bench_->host; }
  Lines frames() {
    const Lines lines = host().log();
    host().clear();
    return lines;
  }
  /// Reads log 10h, which must end the error, and returns what it says.
  sata::NcqErrorPage read_error_log() {
    host().clear();
    host().unqueued(sata::Command::read_log_ext, sata::kNcqErrorLog, 1);
    run();
    EXPECT_EQ(host().log(), (Lines{"PIO SETUP 512 tag 0", "DATA 512 tag 0"}));
    const auto bytes = host().data();
    sata::NcqErrorPage page;
    EXPECT_EQ(bytes.size(), 512u);
    EXPECT_TRUE(bytes.size() == 512 && sata::parse(bytes.data(), page)) << "checksum";
    host().clear();
    return page;
  }
  void expect_alive() {
    host().clear();
    host().read_queued(31, 500, 8);
    run();
    EXPECT_EQ(frames(),
              (Lines{"D2H status 50h tag 31", "DMA SETUP read 4096 tag 31", "DATA 4096 tag 31", "SDB 80000000"}));
    EXPECT_EQ(bench_->monitor.violations(), Lines{});
    EXPECT_FALSE(bench_->soc.dbg.failed());
    EXPECT_EQ(bench_->soc.cpu->bus_errors(), 0u);
    for (const auto& channel : bench_->channels) EXPECT_EQ(channel->impossible, 0u);
  }

  std::unique_ptr<SocBench> bench_;
};

TEST_F(FirmwareError, AQueuedCommandBeyondTheEndIsIdnfAndDropsTheQueue) {
  start();
  host().read_queued(1, 0, 8);
  run_for(30 * kPsPerUs);
  host().read_queued(2, 99'999, 2);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H status 50h tag 1", "D2H status 50h tag 2", "SDB error 10h"}));
  const sata::NcqErrorPage page = read_error_log();
  EXPECT_FALSE(page.not_queued);
  EXPECT_EQ(page.tag, 2u);
  EXPECT_EQ(page.status, 0x41);
  EXPECT_EQ(page.error, 0x10);
  EXPECT_EQ(page.lba, HostLba(100'000)) << "the first sector that is not there";
  run();
  EXPECT_TRUE(frames().empty()) << "tag 1 was dropped";
  expect_alive();
}

TEST_F(FirmwareError, HaltedCommandsAreAbortedUntilTheLogIsRead) {
  start();
  host().write_queued(2, 200'000, 1);
  run();
  host().clear();
  host().read_queued(3, 0, 1);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H error 04h tag 0"}));
  host().unqueued(sata::Command::identify_device, 0, 0);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H error 04h tag 0"}));
  host().unqueued(sata::Command::read_log_ext, 0x00, 1);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H error 04h tag 0"})) << "another log does not help";
  EXPECT_EQ(read_error_log().tag, 2u);
  EXPECT_TRUE(read_error_log().not_queued) << "read once";
  expect_alive();
}

TEST_F(FirmwareError, ATagBeyondTheDepthIsAborted) {
  SocBenchParams params;
  params.queue_depth = 8;
  start(params);
  host().read_queued(8, 0, 1);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H status 50h tag 8", "SDB error 04h"}));
  EXPECT_EQ(read_error_log().error, 0x04);
}

TEST_F(FirmwareError, AnUnqueuedCommandBetweenQueuedOnesAbortsAllOfThemWhenTheArmRests) {
  start();
  host().read_queued(1, 160, 8);
  run_for(50 * kPsPerUs);  // the arm moves
  ASSERT_TRUE(bench_->servos[0]->moving);
  host().unqueued(sata::Command::read_dma_ext, 0, 1);
  run_for(30 * kPsPerUs);
  EXPECT_EQ(frames(), (Lines{"D2H status 50h tag 1"})) << "the arm is still on its way";
  run();
  EXPECT_EQ(frames(), (Lines{"D2H error 04h tag 0"}));
  const sata::NcqErrorPage page = read_error_log();
  EXPECT_TRUE(page.not_queued);
  EXPECT_EQ(page.status, 0x51);
  EXPECT_EQ(page.error, 0x04);
  expect_alive();
}

TEST_F(FirmwareError, AQueuedCommandBesideAnUnqueuedOneAbortsBoth) {
  start();
  host().unqueued(sata::Command::read_dma_ext, 160, 8);
  run_for(50 * kPsPerUs);
  host().read_queued(5, 0, 1);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H error 04h tag 0"}));
  EXPECT_TRUE(read_error_log().not_queued);
  expect_alive();
}

TEST_F(FirmwareError, ATagInUseAbortsAll) {
  start();
  host().read_queued(5, 160, 8);
  run_for(50 * kPsPerUs);
  host().read_queued(5, 0, 1);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H status 50h tag 5", "D2H error 04h tag 0"}));
  EXPECT_TRUE(read_error_log().not_queued);
  expect_alive();
}

TEST_F(FirmwareError, ACommandThatComesWhileAnErrorIsBeingCollectedIsAbortedAfterTheReport) {
  start();
  host().read_queued(1, 160, 8);
  run_for(50 * kPsPerUs);
  host().read_queued(2, 100'000, 1);
  run_for(30 * kPsPerUs);  // accepted and failed; the arm moves for another 30 us
  host().read_queued(3, 0, 1);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H status 50h tag 1", "D2H status 50h tag 2", "SDB error 10h", "D2H error 04h tag 0"}));
  EXPECT_EQ(read_error_log().tag, 2u);
  expect_alive();
}

TEST_F(FirmwareError, AFailedTransferOnTheMediaFailsItsQueuedCommand) {
  start();
  bench_->channels[0]->fail_next = 1;
  host().read_queued(7, 160, 8);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H status 50h tag 7", "SDB error 40h"}));
  EXPECT_EQ(read_error_log().lba, HostLba(160));
  expect_alive();
}

TEST_F(FirmwareError, AFailedTransferOnTheMediaFailsItsUnqueuedCommandWithoutAHalt) {
  start();
  bench_->channels[0]->fail_next = 1;
  host().unqueued(sata::Command::read_dma_ext, 160, 8);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H error 40h tag 0"}));
  expect_alive();
}

TEST_F(FirmwareError, DataThatTheHostRefusesFailTheCommand) {
  start();
  host().reject(sata::FrameType::data, 1);
  host().read_queued(7, 160, 8);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H status 50h tag 7", "DMA SETUP read 4096 tag 7", "SDB error 84h"}));
  EXPECT_EQ(read_error_log().error, 0x84);
  expect_alive();
}

TEST_F(FirmwareError, UnknownCommandsAreAbortedWithoutAHalt) {
  start();
  host().unqueued(static_cast<sata::Command>(0xB0), 0, 1);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H error 04h tag 0"}));
  expect_alive();
}

TEST_F(FirmwareError, AFlushCompletesAtOnce) {
  start();
  host().unqueued(sata::Command::flush_cache_ext, 0, 0);
  run();
  EXPECT_EQ(frames(), (Lines{"D2H status 50h tag 0"}));
  expect_alive();
}

TEST_F(FirmwareError, ASpindleThatDoesNotComeToSpeedIsADeviceFaultUntilItDoes) {
  SocBenchParams params;
  params.spin_up = 200 * kPsPerMs;
  params.spin_up_limit_us = 100'000;
  start(params);
  run_until(110 * kPsPerMs);
  host().unqueued(sata::Command::read_dma_ext, 0, 1);
  run_until(120 * kPsPerMs);
  EXPECT_EQ(host().log(), (Lines{"D2H error 04h tag 0"}));
  EXPECT_EQ(sata::parse_register_d2h(host().last(sata::FrameType::register_d2h)).status, 0x71);
  run_until(210 * kPsPerMs);
  expect_alive();
}

/// An error in the middle of everything, at every 7 us of a busy stretch: the drive comes back with all its segments,
/// arms and channels.
class FirmwareErrorAnywhere : public ::testing::TestWithParam<unsigned> {};

TEST_P(FirmwareErrorAnywhere, LeavesADriveThatServesAsBefore) {
  SocBenchParams params;
  params.arms = GetParam();
  params.channels = GetParam() > 2 ? 2 : 1;
  params.segments = params.channels;          // a segment that is lost is missed at once
  params.size_kib = 4 + 8 * params.segments;  // 16 sectors: a track
  SocBench bench(params);
  run_until(10 * kPsPerMs);
  for (unsigned round = 0; round < 150; ++round) {
    bench.host.clear();
    bench.host.read_queued(0, 1'600 + 16 * round, 100);
    bench.host.write_queued(1, 3'200 + 16 * round, 70);
    bench.host.write_queued(2, 6'400, 8);
    bench.host.read_queued(3, 12'800, 16);
    run_until(now() + 40 * kPsPerUs + round * 7 * kPsPerUs);
    bench.host.read_queued(9, 1'000'000, 1);
    run_until(now() + 20 * kPsPerMs);
    ASSERT_EQ(bench.host.log().back(), "SDB error 10h") << "round " << round;
    bench.host.clear();
    bench.host.unqueued(sata::Command::read_log_ext, sata::kNcqErrorLog, 1);
    run_until(now() + kPsPerMs);
    ASSERT_EQ(bench.host.log(), (Lines{"PIO SETUP 512 tag 0", "DATA 512 tag 0"})) << "round " << round;
    // As many commands as it takes to need every arm and every segment.
    bench.host.clear();
    for (std::uint32_t tag = 0; tag < 12; ++tag) bench.host.read_queued(tag, 800 * tag, 40);
    run_until(now() + 100 * kPsPerMs);
    std::uint32_t completed = 0;
    for (const auto& received : bench.host.received())
      if (received.frame.type == sata::FrameType::set_device_bits)
        completed |= sata::parse_set_device_bits(received.frame).sactive;
    ASSERT_EQ(completed, 0xFFFu) << "round " << round;
  }
  EXPECT_EQ(bench.monitor.violations(), Lines{});
  EXPECT_FALSE(bench.soc.dbg.failed());
  EXPECT_EQ(bench.host.refused(), 0u);
  for (const auto& channel : bench.channels) EXPECT_EQ(channel->impossible, 0u);
}

INSTANTIATE_TEST_SUITE_P(Arms, FirmwareErrorAnywhere, ::testing::Values(1u, 2u, 4u, 8u));

}  // namespace
}  // namespace armature::testing::firmware_error_test
