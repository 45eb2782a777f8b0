// Command duration limits: log 18h, SET FEATURES 0Dh, policies, and what limited commands gain under load.
#include "armature/core/random.h"
#include "support/ata_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace armature::testing {
namespace {

constexpr std::uint64_t kValid = 0x8000'0000'0000'0000;
constexpr std::uint64_t kCapacity = 100 * 2 * 100 + 100 * 2 * 80;
constexpr unsigned kGoOn = 0x0, kAbort = 0xF;

struct Limit {
  unsigned inactive_us, inactive_policy, active_us = 0, active_policy = kGoOn;
};

void put(std::vector<std::uint8_t>& page, std::size_t at, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) page[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

/// Log 18h with limit 1 of reads and of writes.
std::vector<std::uint8_t> limits(const Limit& limit) {
  std::vector<std::uint8_t> page(512);
  for (const std::size_t at : {64u, 288u}) {
    put(page, at, limit.inactive_policy << 8 | limit.active_policy << 4);
    put(page, at + 4, limit.active_us);
    put(page, at + 8, limit.inactive_us);
  }
  return page;
}

struct DurationBench : AtaBench {
  DurationBench() : AtaBench(round_drive()) {}

  AtaAnswer write_log(const std::vector<std::uint8_t>& page) {
    host.bytes_to_send(page);
    return send({0x3F, 0, 1, 0x18});
  }
  void use(const Limit& limit) {
    ASSERT_TRUE(write_log(limits(limit)).ok());
    ASSERT_TRUE(send({0xEF, 0x0D, 1}).ok());
  }
  AtaAnswer log(unsigned address, unsigned page = 0) { return send({0x2F, 0, 1, address | page << 8}); }

  void queue(unsigned tag, std::uint64_t lba, unsigned limit, bool write = false) {
    sata::RegisterH2D registers;
    registers.command = write ? 0x61 : 0x60;
    registers.features = 1;
    registers.count = static_cast<std::uint16_t>(tag << 3);
    registers.lba = HostLba(lba);
    registers.device = 0x40;
    registers.auxiliary = limit;
    host.send(registers);
  }
};

TEST(AtaDuration, TheHostFindsTheFeature) {
  DurationBench bench;
  const AtaAnswer can = bench.log(0x30, 3);
  EXPECT_EQ(can.qword(168), kValid | 3);
  EXPECT_EQ(can.qword(176), kValid | 1);
  EXPECT_EQ(can.qword(184), kValid | 0xFFFF'FFFF);
  EXPECT_NE(can.qword(8) >> 47 & 1, 0u) << "Linux asks for sense data of successful commands";
  const AtaAnswer identify = bench.send({0xEC});
  EXPECT_EQ(identify.word(78) & 0x80, 0x80u) << "sense data in log 10h";
  EXPECT_EQ(identify.word(80) & 0x1000, 0x1000u) << "ACS-5";
  EXPECT_EQ(bench.log(0x30, 4).qword(8) >> 21 & 1, 0u);
  ASSERT_TRUE(bench.send({0xEF, 0x0D, 1}).ok());
  ASSERT_TRUE(bench.send({0xEF, 0xC4, 1}).ok());
  EXPECT_EQ(bench.log(0x30, 4).qword(8) >> 18 & 0xF, 0x9u);
  EXPECT_TRUE(bench.send({0xEF, 0x0D, 0x10}).aborted()) << "no high priority";
  ASSERT_TRUE(bench.send({0xEF, 0x0D, 0}).ok());
  EXPECT_EQ(bench.log(0x30, 4).qword(8) >> 21 & 1, 0u);
}

TEST(AtaDuration, TheLogKeepsWhatTheHostWrites) {
  DurationBench bench;
  EXPECT_EQ(bench.log(0x18).data, std::vector<std::uint8_t>(512, 0));
  const std::vector<std::uint8_t> page = limits({50'000, kAbort, 20'000, kGoOn});
  ASSERT_TRUE(bench.write_log(page).ok());
  EXPECT_EQ(bench.log(0x18).data, page);
  std::vector<std::uint8_t> wrong = page;
  put(wrong, 64 + 32, 0xD00);  // successful with sense data: not there
  EXPECT_TRUE(bench.write_log(wrong).aborted());
  EXPECT_EQ(bench.log(0x18).data, page);
  bench.soft_reset();
  EXPECT_EQ(bench.log(0x18).data, page);
}

/// Limit 1 behind 31 reads all over the disk: they take more than 100 ms.
class AtaDurationPolicy : public ::testing::Test {
 protected:
  /// When the queue was empty, or a queued command failed, s after its begin.
  double run(const Limit& limit, bool write, unsigned named = 1) {
    bench.use(limit);
    RandomStream random(5, "limits");
    bench.host.clear();
    const Ps begin = now();
    for (unsigned tag = 0; tag < 8; ++tag) bench.queue(tag, random.below(kCapacity), named, write);
    std::uint32_t done = 0;
    for (int i = 0; i < 10'000; ++i) {
      run_until(now() + 100 * kPsPerUs);
      for (const auto& received : bench.host.received()) {
        if (received.frame.type != sata::FrameType::set_device_bits) continue;
        const sata::SetDeviceBits bits = sata::parse_set_device_bits(received.frame);
        done |= bits.sactive;
        failed = failed || (bits.status & 1) != 0;
        status = bits.status;
      }
      if (failed || done == 0xFF) break;
    }
    return static_cast<double>(now() - begin) / kPsPerSecond;
  }
  DurationBench bench;
  bool failed = false;
  unsigned status = 0;
};

TEST_F(AtaDurationPolicy, BestEffortLetsThemGoOn) {
  run({1'000, kGoOn, 1'000, kGoOn}, false);
  EXPECT_FALSE(failed);
}

TEST_F(AtaDurationPolicy, ACommandThatNamesNoLimitHasNone) {
  run({1'000, kAbort, 1'000, kAbort}, false, 0);
  EXPECT_FALSE(failed);
}

TEST_F(AtaDurationPolicy, AbortFailsBeforeItIsServed) {
  const double after = run({10'000, kAbort}, false);
  EXPECT_TRUE(failed);
  EXPECT_EQ(status, 0x43u);
  EXPECT_GT(after, 0.010);
  EXPECT_LT(after, 0.010 + 0.025) << "when the arm has come to rest";
  const AtaAnswer log = bench.log(0x10);
  EXPECT_LT(log.data[0], 8u);
  EXPECT_EQ(log.data[2], 0x43u);
  EXPECT_EQ(log.data[3], 0x04u);
  EXPECT_EQ(log.data[14], 0x0Bu);
  EXPECT_EQ(log.data[15], 0x2Eu);
  EXPECT_EQ(log.data[16], 0x01u);
  EXPECT_TRUE(bench.send({0xC8, 0, 1, 0}).ok()) << "and the drive goes on";
}

TEST_F(AtaDurationPolicy, AbortFailsWhileItIsServed) {
  run({0, kGoOn, 500, kAbort}, true);
  EXPECT_TRUE(failed);
  const AtaAnswer log = bench.log(0x10);
  EXPECT_EQ(log.data[3], 0x04u);
  EXPECT_EQ(log.data[16], 0x02u) << "during processing";
}

/// Reads of one sector all over the disk at depth 32; one in 16 names the limit. Response times of those, ms.
std::vector<double> urgent(DurationBench& bench, unsigned limit, unsigned count) {
  RandomStream random(7, "load");
  std::array<Ps, 32> begun{};
  std::array<bool, 32> named{};
  std::vector<double> times;
  const auto next = [&](unsigned tag) {
    begun[tag] = now();
    named[tag] = random.chance(1.0 / 16);
    bench.queue(tag, random.below(kCapacity), named[tag] ? limit : 0);
  };
  bench.host.clear();
  for (unsigned tag = 0; tag < 32; ++tag) next(tag);
  while (times.size() < count) {
    run_until(now() + 100 * kPsPerUs);
    std::uint32_t done = 0;
    for (const auto& received : bench.host.received())
      if (received.frame.type == sata::FrameType::set_device_bits)
        done |= sata::parse_set_device_bits(received.frame).sactive;
    bench.host.clear();
    for (unsigned tag = 0; tag < 32; ++tag) {
      if ((done >> tag & 1) == 0) continue;
      if (named[tag]) times.push_back(static_cast<double>(now() - begun[tag]) / kPsPerMs);
      next(tag);
    }
  }
  // Those without a limit have only waited.
  std::uint32_t left = 0xFFFF'FFFF;
  for (int i = 0; i < 100 && left != 0; ++i) {
    run_until(now() + 10 * kPsPerMs);
    for (const auto& received : bench.host.received())
      if (received.frame.type == sata::FrameType::set_device_bits)
        left &= ~sata::parse_set_device_bits(received.frame).sactive;
  }
  EXPECT_EQ(left, 0u) << "commands that never ended";
  std::sort(times.begin(), times.end());
  return times;
}

double p999(const std::vector<double>& times) {
  return times[times.size() - 1 - times.size() / 1'000];
}

TEST(AtaDuration, LimitedCommandsHaveAShorterTail) {
  double tail[2], median[2];
  DurationBench bench;
  bench.use({20'000, kGoOn});
  for (unsigned limit = 0; limit < 2; ++limit) {
    const std::vector<double> times = urgent(bench, limit, 1'000);
    tail[limit] = p999(times);
    median[limit] = times[times.size() / 2];
    bench.wait(kPsPerSecond);
  }
  RecordProperty("p999_without_ms", std::to_string(tail[0]));
  RecordProperty("p999_with_ms", std::to_string(tail[1]));
  EXPECT_LT(tail[1], tail[0] / 2) << tail[0] << " ms without";
  EXPECT_LT(median[1], median[0] / 2) << median[0] << " ms without";
}

}  // namespace
}  // namespace armature::testing
