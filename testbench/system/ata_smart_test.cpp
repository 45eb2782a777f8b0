// SMART through a whole drive: every sub-command, attributes that follow what happens, self-tests that read, the logs.
#include "armature/controller/soc.h"
#include "armature/core/random.h"
#include "support/ata_bench.h"
#include "support/drive_file.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace armature::testing::ata_smart_test {
namespace {

constexpr std::uint64_t kCapacity = 100 * 2 * 100 + 100 * 2 * 80;  // of round_drive
constexpr std::uint64_t kKey = 0xC24F00;
constexpr unsigned kData = 0xD0, kThresholds = 0xD1, kAutosave = 0xD2, kSave = 0xD3, kOffline = 0xD4, kReadLog = 0xD5,
                   kWriteLog = 0xD6, kEnable = 0xD8, kDisable = 0xD9, kStatus = 0xDA, kAutoOffline = 0xDB;
constexpr unsigned kShort = 1, kExtended = 2, kSelective = 4, kAbort = 127, kCaptive = 128;

drive::DriveParams small_drive() {
  drive::DriveParams params = round_drive();
  params.media.contents = media::ContentsParams::memory;
  return params;
}

struct SmartBench : AtaBench {
  explicit SmartBench(const drive::DriveParams& params = small_drive()) : AtaBench(params) {}

  AtaAnswer smart(unsigned what, unsigned count = 0, unsigned low = 0, Ps limit = 20 * kPsPerSecond) {
    return send({0xB0, what, count, kKey | low}, limit);
  }
  AtaAnswer log(unsigned address, unsigned page = 0) { return send({0x2F, 0, 1, address | page << 8}); }
  AtaAnswer smart_log(unsigned address, unsigned pages = 1) { return smart(kReadLog, pages, address); }
  unsigned test_status() { return smart(kData).data.at(363); }
  bool failing() { return smart(kStatus).registers.lba.value() == 0x2CF400; }

  struct Attribute {
    unsigned flags, value, worst;
    std::uint64_t raw;
  };
  std::map<unsigned, Attribute> attributes() {
    const AtaAnswer answer = smart(kData);
    EXPECT_EQ(answer.byte_sum(), 0u);
    std::map<unsigned, Attribute> all;
    for (unsigned at = 2; at < 362; at += 12) {
      if (answer.data.at(at) == 0) continue;
      std::uint64_t raw = 0;
      for (unsigned i = 6; i-- > 0;) raw = raw << 8 | answer.data[at + 5 + i];
      all[answer.data[at]] = {static_cast<unsigned>(answer.data[at + 1] | answer.data[at + 2] << 8),
                              answer.data[at + 3], answer.data[at + 4], raw};
    }
    return all;
  }
  AtaAnswer write_log(unsigned address, std::vector<std::uint8_t> page) {
    host.bytes_to_send(page);
    return smart(kWriteLog, 1, address);
  }
};

/// A selective self-test log of two spans.
std::vector<std::uint8_t> spans(std::uint64_t first, std::uint64_t last, std::uint64_t first2 = 0,
                                std::uint64_t last2 = 0, unsigned flags = 0) {
  std::vector<std::uint8_t> page(512);
  page[0] = 1;
  const auto put = [&](unsigned at, std::uint64_t value) {
    for (unsigned i = 0; i < 8; ++i) page[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
  };
  put(2, first);
  put(10, last);
  put(18, first2);
  put(26, last2);
  page[502] = static_cast<std::uint8_t>(flags);
  unsigned sum = 0;
  for (const std::uint8_t byte : page) sum += byte;
  page[511] = static_cast<std::uint8_t>(0x100 - (sum & 0xFF));
  return page;
}

TEST(AtaSmart, EachOfThe256SubCommandsIsAnsweredOrAborted) {
  SmartBench bench;
  std::map<unsigned, bool> data = {{kData, true},    {kThresholds, true}, {kAutosave, false},
                                   {kSave, false},   {kOffline, false},   {kReadLog, true},
                                   {kEnable, false}, {kStatus, false},    {kAutoOffline, false}};
  for (unsigned what = 0; what < 256; ++what) {
    if (what == kDisable || what == kWriteLog) continue;
    const AtaAnswer answer = bench.smart(what, what == kReadLog ? 1 : 0, what == kOffline ? kAbort : 0);
    const auto known = data.find(what);
    EXPECT_EQ(answer.ok(), known != data.end()) << std::hex << what;
    EXPECT_EQ(answer.aborted(), known == data.end()) << std::hex << what;
    if (known != data.end()) {
      EXPECT_EQ(answer.data.size(), known->second ? 512u : 0u) << std::hex << what;
    }
  }
  for (const std::uint64_t key : {0x4FC200ull, 0xC24E00ull, 0xC34F00ull, 0ull})
    EXPECT_TRUE(bench.send({0xB0, kData, 0, key}).aborted()) << std::hex << key;
  EXPECT_TRUE(bench.smart(kAutosave, 0xF1).ok());
  EXPECT_TRUE(bench.smart(kAutosave, 0x55).aborted());
  EXPECT_TRUE(bench.smart(kAutoOffline, 0xF8).ok());
  EXPECT_TRUE(bench.smart(kAutoOffline, 0xF9).aborted());
  EXPECT_TRUE(bench.smart(kAutoOffline, 0).ok());
  for (const unsigned test : {3u, 5u, 63u, 126u, 128u, 131u, 255u})
    EXPECT_TRUE(bench.smart(kOffline, 0, test).aborted()) << test;
}

TEST(AtaSmart, WhileItIsOffOnlyEnableIsAnsweredAndIdentifySaysSo) {
  SmartBench bench;
  const auto bit = [&](unsigned word) { return bench.send({0xEC}).word(word) & 1u; };
  EXPECT_EQ(bit(82), 1u);
  EXPECT_EQ(bit(85), 1u);
  EXPECT_EQ(bench.send({0xEC}).word(84) & 3u, 3u);
  EXPECT_EQ(bench.send({0xEC}).word(87) & 3u, 3u);
  ASSERT_TRUE(bench.smart(kDisable).ok());
  EXPECT_EQ(bit(82), 1u);
  EXPECT_EQ(bit(85), 0u);
  for (const unsigned what : {kData, kThresholds, kAutosave, kSave, kOffline, kReadLog, kDisable, kStatus})
    EXPECT_TRUE(bench.smart(what, 1).aborted()) << std::hex << what;
  ASSERT_TRUE(bench.smart(kEnable).ok());
  EXPECT_EQ(bit(85), 1u);
  EXPECT_FALSE(bench.failing());
  EXPECT_EQ(bench.smart(kStatus).registers.lba.value(), kKey);
}

TEST(AtaSmart, AttributesCountWhatHappens) {
  drive::DriveParams params = small_drive();
  params.faults = {drive::grown_defect(505, 0), drive::grown_defect(707, 0)};
  params.geometry.zones[0].spares = 60;
  SmartBench bench(params);
  auto before = bench.attributes();
  ASSERT_TRUE(bench.send({0x35, 0, 16, 900}).ok());
  ASSERT_TRUE(bench.send({0xC8, 0, 8, 900}).ok());
  EXPECT_EQ(bench.send({0xC8, 0, 8, 500}).registers.status & 1u, 1u) << "505 cannot be read";
  ASSERT_TRUE(bench.send({0x35, 0, 1, 707}).ok());
  ASSERT_TRUE(bench.send({0xE0}).ok());  // standby, and back
  ASSERT_TRUE(bench.send({0xC8, 0, 8, 900}).ok());
  bench.wait(3'600 * kPsPerSecond);
  auto after = bench.attributes();
  for (const auto& [id, attribute] : before) {
    EXPECT_GE(attribute.value, 1u) << id;
    EXPECT_LE(attribute.worst, attribute.value) << id;
  }
  const auto grown = [&](unsigned id) { return after.at(id).raw - before.at(id).raw; };
  EXPECT_GE(grown(1), 1u);
  EXPECT_GT(after.at(3).raw, 0u) << "ms";
  EXPECT_EQ(before.at(4).raw, 1u);
  EXPECT_EQ(grown(4), 1u);
  EXPECT_EQ(grown(5), 0u) << "707 has not been read before it was written";
  EXPECT_EQ(grown(9), 1u) << "hour";
  EXPECT_EQ(after.at(12).raw, 1u);
  EXPECT_EQ(grown(187), 1u);
  EXPECT_EQ(grown(188), 0u);
  EXPECT_EQ(after.at(192).raw, 0u);
  EXPECT_EQ(grown(197), 1u);
  EXPECT_EQ(grown(199), 0u);
  EXPECT_EQ(grown(241), 17u);
  EXPECT_EQ(grown(242), 16u);
  EXPECT_EQ(after.count(194), 0u) << "no temperature is known";
  EXPECT_EQ(after.at(187).value, 99u);
  EXPECT_EQ(after.at(187).worst, 99u);
  ASSERT_TRUE(bench.send({0x35, 0, 1, 505}).ok());  // moves to a spare
  ASSERT_TRUE(bench.send({0xE7}).ok());
  const auto moved = bench.attributes();
  EXPECT_EQ(moved.at(5).raw, 1u);
  EXPECT_EQ(moved.at(196).raw, 1u);
  EXPECT_EQ(moved.at(197).raw, 0u);
  EXPECT_FALSE(bench.failing());
}

TEST(AtaSmart, ThresholdsAreOfTheSameAttributesAndTheStatusFollowsThem) {
  drive::DriveParams params = small_drive();
  for (int lbn = 0; lbn < 40; ++lbn) params.faults.push_back(drive::grown_defect(100 * lbn + 5, 0));
  SmartBench bench(params);
  const AtaAnswer thresholds = bench.smart(kThresholds), data = bench.smart(kData);
  EXPECT_EQ(thresholds.byte_sum(), 0u);
  for (unsigned at = 2; at < 362; at += 12) EXPECT_EQ(thresholds.data[at], data.data[at]);
  EXPECT_FALSE(bench.failing());
  // Each failed read costs the read error rate a point; its threshold is 6.
  for (unsigned n = 0; n < 100 && !bench.failing(); ++n)
    EXPECT_FALSE(bench.send({0xC8, 0, 1, 100 * (n % 40) + 5}).ok());
  EXPECT_TRUE(bench.failing());
  EXPECT_LE(bench.attributes().at(1).value, 6u);
}

TEST(AtaSmart, TheSelfTestsReadTheMediaAndFindADefect) {
  drive::DriveParams params = small_drive();
  params.faults = {drive::grown_defect(30'105, 0)};
  params.geometry.zones[1].spares = 60;
  SmartBench bench(params);
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok()) << "answered at once";
  EXPECT_EQ(bench.test_status() >> 4, 15u) << "in progress";
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(bench.test_status(), 0x70u) << "read failure";
  const AtaAnswer log = bench.smart_log(0x06);
  EXPECT_EQ(log.byte_sum(), 0u);
  EXPECT_EQ(log.data[508], 1u);
  EXPECT_EQ(log.data[2], kExtended);
  EXPECT_EQ(log.data[3], 0x70u);
  EXPECT_EQ(log.qword(7) & 0xFFFF'FFFF, 30'105u);
  const AtaAnswer extended = bench.log(0x07);
  EXPECT_EQ(extended.word(1), 1u);
  EXPECT_EQ(extended.data[4], kExtended);
  EXPECT_EQ(extended.qword(9) & 0xFFFF'FFFF'FFFF, 30'105u);
  EXPECT_EQ(bench.attributes().at(198).raw, 1u);
  EXPECT_EQ(bench.attributes().at(197).raw, 1u);
  // It is written, moves to a spare, and the test passes.
  ASSERT_TRUE(bench.send({0x35, 0, 1, 30'105}).ok());
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok());
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(bench.test_status(), 0x00u);
  EXPECT_EQ(bench.smart_log(0x06).data[508], 2u);
  EXPECT_EQ(bench.log(0x07).data[4 + 26 + 1], 0x00u);
}

TEST(AtaSmart, ATestReadsEverySector) {
  SmartBench bench;
  const auto scanned = [&] { return bench.disk.counters().scanned_sectors; };
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok());
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(bench.test_status(), 0u);
  EXPECT_EQ(scanned(), kCapacity);
  ASSERT_TRUE(bench.smart(kOffline, 0, kShort).ok());
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(scanned(), kCapacity + 16 * 2'048) << "16 spans of 1 MiB";
}

TEST(AtaSmart, ATestThatIsBegunAnewReadsEverySectorAnew) {
  SmartBench bench;
  for (unsigned i = 0; i < 5; ++i) {
    ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok());
    bench.wait(3 * kPsPerSecond + i * kPsPerMs);
  }
  const std::uint32_t before = bench.disk.counters().scanned_sectors;
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok());
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(bench.test_status(), 0u);
  EXPECT_GE(bench.disk.counters().scanned_sectors - before, kCapacity);
}

TEST(AtaSmart, CommandsComeFirstAndTheTestGoesOn) {
  SmartBench bench;
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok());
  for (unsigned i = 0; i < 40; ++i) {
    bench.wait(300 * kPsPerMs + i * 50 * kPsPerMs);
    const AtaAnswer read = bench.send({0xC8, 0, 8, 1'000 * (i % 30)});
    ASSERT_TRUE(read.ok());
    EXPECT_LT(read.took, 200 * kPsPerMs);
  }
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(bench.test_status(), 0u);
  EXPECT_GE(bench.disk.counters().scanned_sectors, kCapacity);
}

/// Reads that leave no time of 0.5 s without a command: a test waits for ever unless there is a budget.
class AtaSelfTestUnderALoad : public ::testing::TestWithParam<std::tuple<int, double>> {};
INSTANTIATE_TEST_SUITE_P(ArmsAndBudgets, AtaSelfTestUnderALoad,
                         ::testing::Combine(::testing::Values(1, 2), ::testing::Values(0.0, 3'000.0)));

TEST_P(AtaSelfTestUnderALoad, GoesOnIfThereIsABudget) {
  const double budget_us = std::get<1>(GetParam());
  constexpr unsigned kReads = 1'500;
  drive::DriveParams params = small_drive();
  params.arms.count = std::get<0>(GetParam());
  params.background.max_added_us = budget_us;
  SmartBench bench(params);
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok());
  RandomStream random(5, "reads under a self-test");
  for (unsigned i = 0; i < kReads; ++i) {
    bench.wait(20 * kPsPerMs);
    ASSERT_TRUE(bench.send({0xC8, 0, 8, static_cast<std::uint32_t>(random.below(kCapacity - 8))}).ok());
  }
  const unsigned status = bench.test_status();
  EXPECT_EQ(status >> 4, budget_us > 0 ? 0u : 15u) << "passed, or under way";
  const drive::Drive::Counters counters = bench.disk.counters();
  if (budget_us > 0)
    EXPECT_GE(counters.scanned_sectors, kCapacity);
  else
    EXPECT_EQ(counters.scanned_sectors, 0u);
  EXPECT_LE(static_cast<double>(counters.background_added) / static_cast<double>(kPsPerUs), budget_us * kReads);
}

TEST(AtaSmart, InCaptiveModeTheCommandEndsWithTheTest) {
  drive::DriveParams params = small_drive();
  params.faults = {drive::grown_defect(30'105, 50)};
  SmartBench bench(params);
  const AtaAnswer good = bench.smart(kOffline, 0, kCaptive | kExtended, 100 * kPsPerSecond);
  EXPECT_TRUE(good.ok());
  EXPECT_GT(good.took, 4 * kPsPerSecond) << "400 tracks of a turn of 10 ms";
  EXPECT_EQ(good.registers.lba.value(), kKey);
  bench.wait(50 * kPsPerSecond);
  const AtaAnswer bad = bench.smart(kOffline, 0, kCaptive | kExtended, 100 * kPsPerSecond);
  EXPECT_TRUE(bad.aborted());
  EXPECT_EQ(bad.registers.lba.value(), 0x2CF400u);
  EXPECT_EQ(bench.smart_log(0x06).data[2 + 24], kCaptive | kExtended);
}

TEST(AtaSmart, ATestIsAbortedByTheHostAndByAReset) {
  SmartBench bench;
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok());
  bench.wait(2 * kPsPerSecond);
  const unsigned left = bench.test_status();
  EXPECT_EQ(left >> 4, 15u);
  EXPECT_GT(left & 15u, 0u);
  ASSERT_TRUE(bench.smart(kOffline, 0, kAbort).ok());
  EXPECT_EQ(bench.test_status(), 0x10u);
  ASSERT_TRUE(bench.smart(kOffline, 0, kShort).ok());
  bench.wait(kPsPerSecond);
  bench.soft_reset();
  EXPECT_EQ(bench.test_status(), 0x20u);
  ASSERT_TRUE(bench.smart(kOffline, 0, kShort).ok());
  bench.wait(kPsPerSecond);
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok()) << "another one ends the first";
  ASSERT_TRUE(bench.send({0xE0}).ok()) << "standby ends it";
  EXPECT_EQ(bench.test_status(), 0x10u);
  const AtaAnswer log = bench.smart_log(0x06);
  EXPECT_EQ(log.data[508], 4u);
  const std::uint32_t before = bench.disk.counters().scanned_sectors;
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(bench.disk.counters().scanned_sectors, before) << "nothing is read any more";
}

TEST(AtaSmart, TheSelfTestLogsAreRings) {
  SmartBench bench;
  for (unsigned i = 0; i < 23; ++i) {
    ASSERT_TRUE(bench.smart(kOffline, 0, i == 22 ? kExtended : kShort).ok());
    ASSERT_TRUE(bench.smart(kOffline, 0, kAbort).ok());
  }
  const AtaAnswer log = bench.smart_log(0x06), extended = bench.log(0x07);
  EXPECT_EQ(log.data[508], 2u) << "the 23rd of 21 places";
  EXPECT_EQ(log.data[2 + 24], kExtended);
  for (unsigned i = 0; i < 21; ++i) EXPECT_EQ(log.data[2 + 24 * i + 1], 0x10u) << i;
  EXPECT_EQ(extended.word(1), 4u) << "of 19";
  EXPECT_EQ(extended.data[4 + 26 * 3], kExtended);
  for (unsigned i = 0; i < 19; ++i) EXPECT_EQ(extended.data[4 + 26 * i + 1], 0x10u) << i;
  EXPECT_EQ(extended.byte_sum(), 0u);
}

TEST(AtaSmart, SelectiveTestsReadTheSpansOfTheHost) {
  drive::DriveParams params = small_drive();
  params.faults = {drive::grown_defect(500, 0), drive::grown_defect(20'000, 0)};
  SmartBench bench(params);
  ASSERT_TRUE(bench.write_log(0x09, spans(1'000, 1'999, 19'990, 20'010)).ok());
  const AtaAnswer back = bench.smart_log(0x09);
  EXPECT_EQ(back.qword(2), 1'000u);
  EXPECT_EQ(back.qword(26), 20'010u);
  EXPECT_EQ(back.byte_sum(), 0u);
  ASSERT_TRUE(bench.smart(kOffline, 0, kSelective).ok());
  bench.wait(20 * kPsPerSecond);
  EXPECT_EQ(bench.test_status(), 0x70u);
  const AtaAnswer log = bench.smart_log(0x09);
  EXPECT_EQ(log.qword(492), 20'000u);
  EXPECT_EQ(log.word(250), 2u) << "the second span";
  ASSERT_TRUE(bench.write_log(0x09, spans(1'000, 1'999, 0, 0, 2)).ok());
  const std::uint32_t before = bench.disk.counters().scanned_sectors;
  ASSERT_TRUE(bench.smart(kOffline, 0, kSelective).ok());
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(bench.test_status(), 0u) << "defects behind the spans do not count";
  EXPECT_GE(bench.disk.counters().scanned_sectors, before + kCapacity) << "and the rest was read, too";
  // What is no such log.
  std::vector<std::uint8_t> broken = spans(1, 2);
  broken[511] ^= 1;
  EXPECT_TRUE(bench.write_log(0x09, broken).aborted());
  EXPECT_TRUE(bench.write_log(0x09, spans(5, 4)).aborted());
  EXPECT_TRUE(bench.write_log(0x09, spans(5, kCapacity)).aborted());
  EXPECT_TRUE(bench.write_log(0x06, spans(1, 2)).aborted()) << "a log that is only read";
}

TEST(AtaSmart, OfflineReadsCountWhatTheyFindAndGoOn) {
  drive::DriveParams params = small_drive();
  params.faults = {drive::grown_defect(500, 0), drive::grown_defect(20'000, 0),
                   drive::grown_defect(static_cast<std::int64_t>(kCapacity) - 1, 0)};
  SmartBench bench(params);
  ASSERT_TRUE(bench.smart(kOffline, 0, 0).ok());
  bench.wait(5 * kPsPerSecond / 2);
  EXPECT_EQ(bench.smart(kData).data[362], 0x04u) << "suspended by this command";
  bench.wait(60 * kPsPerSecond);
  EXPECT_EQ(bench.smart(kData).data[362], 0x02u);
  EXPECT_EQ(bench.attributes().at(198).raw, 3u);
  EXPECT_EQ(bench.attributes().at(197).raw, 3u);
  EXPECT_EQ(bench.smart_log(0x06).data[508], 0u) << "no self-test";
  EXPECT_EQ(bench.log(0xE0).data[10], 0u);
  ASSERT_TRUE(bench.smart(kAutoOffline, 0xF8).ok());
  EXPECT_EQ(bench.smart(kData).data[362], 0x82u);
  const std::uint32_t before = bench.disk.counters().scanned_sectors;
  bench.wait(4 * 3'600 * kPsPerSecond);
  bench.wait(60 * kPsPerSecond);
  EXPECT_GE(bench.disk.counters().scanned_sectors, before + kCapacity - 3) << "after four hours";
}

TEST(AtaSmart, ErrorLogsHaveTheFiveCommandsBeforeTheError) {
  drive::DriveParams params = small_drive();
  params.faults = {drive::grown_defect(505, 0)};
  SmartBench bench(params);
  EXPECT_EQ(bench.log(0x03).word(250), 0u);
  ASSERT_TRUE(bench.send({0xC8, 0, 1, 0x1234}).ok());
  ASSERT_TRUE(bench.send({0xE5}).ok());
  ASSERT_TRUE(bench.send({0xEF, 0xAA}).ok());
  ASSERT_TRUE(bench.send({0x25, 0, 2, 0x4321}).ok());
  EXPECT_FALSE(bench.send({0xC8, 0, 8, 500}).ok());
  const AtaAnswer page = bench.log(0x03);
  EXPECT_EQ(page.byte_sum(), 0u);
  EXPECT_EQ(page.data[0], 1u);
  EXPECT_EQ(page.word(1), 1u);
  EXPECT_EQ(page.word(250), 1u);
  const unsigned codes[] = {0xC8, 0xE5, 0xEF, 0x25, 0xC8};
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(page.data[4 + 18 * i + 12], codes[i]) << i;
  EXPECT_EQ(page.data[4 + 18 * 2 + 1], 0xAAu) << "features";
  EXPECT_EQ(page.data[4 + 5], 0x34u);
  EXPECT_EQ(page.data[4 + 7], 0x12u);
  EXPECT_EQ(page.data[4 + 18 * 4 + 3], 8u) << "count";
  EXPECT_EQ(page.data[4 + 18 * 4 + 5], 500u & 0xFF);
  EXPECT_LT(page.qword(4 + 18 * 3 + 14) & 0xFFFF'FFFF, page.qword(4 + 18 * 4 + 14) & 0xFFFF'FFFF) << "milliseconds";
  const unsigned error = 4 + 5 * 18;
  EXPECT_EQ(page.data[error + 1], 0x40u) << "UNC";
  EXPECT_EQ(page.data[error + 2], 3u) << "sectors are left of the command";
  EXPECT_EQ(page.data[error + 4], 505u & 0xFF);
  EXPECT_EQ(page.data[error + 6], 505u >> 8);
  EXPECT_EQ(page.data[error + 11], 0x51u);
  EXPECT_EQ(page.data[error + 31], 3u) << "active or idle";
  const AtaAnswer summary = bench.smart_log(0x01);
  EXPECT_EQ(summary.byte_sum(), 0u);
  EXPECT_EQ(summary.data[1], 1u);
  EXPECT_EQ(summary.word(226), 1u);
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(summary.data[2 + 12 * i + 7], codes[i]) << i;
  EXPECT_EQ(summary.data[2 + 60 + 1], 0x40u);
  EXPECT_EQ(summary.data[2 + 60 + 3], 505u & 0xFF);
  EXPECT_EQ(bench.smart_log(0x02, 4).data.size(), 4u * 512);
  // Commands that the drive does not have, and addresses beyond its end, are no errors of the drive.
  EXPECT_TRUE(bench.send({0x08}).aborted());
  EXPECT_FALSE(bench.send({0x25, 0, 1, kCapacity}).ok());
  EXPECT_EQ(bench.log(0x03).word(250), 1u);
}

// smartmontools/smartmontools, issue 11: an HGST Travelstar 7K1000.
TEST(AtaSmart, APublishedErrorLeavesTheSameRegisters) {
  drive::DriveParams params;
  config::read(load_drive_sections("wd_ultrastar_hc560_20tb"), params);
  params.media.contents = media::ContentsParams::memory;
  params.faults = {drive::grown_defect(992'320, 0)};
  SmartBench bench(params);
  const std::pair<unsigned, std::uint64_t> commands[] = {
      {0x08, 0x0EFE78}, {0x10, 0x0EFEC0}, {0x08, 0x0EFED8}, {0x20, 0x0E5778}, {0x0A, 0x0F2438}};
  for (const auto& [count, lba] : commands) bench.send({0x25, 0, count, lba});
  const AtaAnswer page = bench.log(0x03);
  for (unsigned i = 0; i < 5; ++i) {
    const unsigned at = 4 + 18 * i;
    EXPECT_EQ(page.data[at + 12], 0x25u) << i;
    EXPECT_EQ(page.data[at + 3] | page.data[at + 4] << 8, commands[i].first) << i;
    EXPECT_EQ(page.data[at + 5] | page.data[at + 7] << 8 | page.data[at + 9] << 16, commands[i].second) << i;
    EXPECT_EQ(page.data[at + 11], 0x40u) << i;
  }
  const std::vector<unsigned> error(page.data.begin() + 94, page.data.begin() + 106);
  EXPECT_EQ(error, (std::vector<unsigned>{0x00, 0x40, 0x02, 0x00, 0x40, 0x00, 0x24, 0x00, 0x0F, 0x00, 0x40, 0x51}));
}

TEST(AtaSmart, TheErrorLogsAreRings) {
  drive::DriveParams params = small_drive();
  params.faults = {drive::grown_defect(505, 0)};
  SmartBench bench(params);
  for (unsigned i = 0; i < 22; ++i) EXPECT_FALSE(bench.send({0xC8, 0, i + 1, 505 - i}).ok());
  const AtaAnswer first = bench.log(0x03);
  EXPECT_EQ(first.word(1), 2u) << "the 22nd of 20 places";
  EXPECT_EQ(first.word(250), 22u);
  EXPECT_EQ(first.data[4 + 4 * 18 + 3], 21u);
  EXPECT_EQ(first.data[4 + 124 + 4 * 18 + 3], 22u);
  EXPECT_EQ(first.data[4 + 2 * 124 + 4 * 18 + 3], 3u) << "the oldest";
  EXPECT_EQ(bench.log(0x03, 4).data[4 + 3 * 124 + 4 * 18 + 3], 20u);
  const AtaAnswer summary = bench.smart_log(0x01);
  EXPECT_EQ(summary.data[1], 2u);
  EXPECT_EQ(summary.data[2 + 90 + 48 + 2], 22u);
  EXPECT_EQ(summary.data[2 + 2 * 90 + 48 + 2], 18u) << "the oldest of five";
}

TEST(AtaSmart, AQueuedErrorIsLogged) {
  drive::DriveParams params = small_drive();
  params.faults = {drive::grown_defect(505, 0)};
  SmartBench bench(params);
  EXPECT_FALSE(bench.send({0x60, 8, 3u << 3, 500}).ok());
  ASSERT_TRUE(bench.log(0x10).ok());
  const AtaAnswer page = bench.log(0x03);
  EXPECT_EQ(page.data[4 + 18 * 4 + 12], 0x60u);
  EXPECT_EQ(page.data[4 + 18 * 4 + 1], 8u);
  EXPECT_EQ(page.data[4 + 18 * 4 + 3], 3u << 3);
  EXPECT_EQ(page.data[4 + 90 + 4], 505u & 0xFF);
  EXPECT_EQ(page.data[4 + 90 + 11], 0x41u);
}

TEST(AtaSmart, TheDirectoriesTellWhichLogsWhichCommandsReach) {
  SmartBench bench;
  const AtaAnswer general = bench.log(0x00), smart = bench.smart_log(0x00);
  for (const unsigned log : {0x03u, 0x07u, 0x10u, 0x11u}) {
    EXPECT_NE(general.word(log), 0u) << log;
    EXPECT_EQ(smart.word(log), 0u) << log;
    EXPECT_TRUE(bench.smart_log(log).aborted()) << log;
  }
  for (const unsigned log : {0x01u, 0x02u, 0x06u, 0x09u}) {
    EXPECT_EQ(general.word(log), 0u) << log;
    EXPECT_TRUE(bench.log(log).aborted()) << log;
    const unsigned pages = smart.word(log);
    EXPECT_EQ(bench.smart_log(log, pages).data.size(), 512u * pages) << log;
    EXPECT_TRUE(bench.smart_log(log, pages + 1).aborted()) << log;
  }
  for (const unsigned log : {0x04u, 0x30u, 0xE0u}) {
    EXPECT_EQ(general.word(log), smart.word(log)) << log;
    EXPECT_TRUE(bench.smart_log(log).ok()) << log;
  }
}

TEST(AtaSmart, SctTellsTestsAndTheTemperatureHistory) {
  SmartBench bench;
  ASSERT_TRUE(bench.smart(kOffline, 0, kExtended).ok());
  EXPECT_EQ(bench.log(0xE0).data[10], 3u);
  ASSERT_TRUE(bench.smart(kOffline, 0, 0).ok());
  EXPECT_EQ(bench.smart_log(0xE0).data[10], 4u);
  ASSERT_TRUE(bench.smart(kOffline, 0, kAbort).ok());
  EXPECT_EQ(bench.log(0xE0).data[10], 0u);
  EXPECT_EQ(bench.send({0xEC}).word(206) & 0x21u, 0x21u);
  EXPECT_TRUE(bench.log(0xE1).aborted()) << "nobody has asked for it";
  std::vector<std::uint8_t> request(512);
  request[0] = 5;
  request[2] = 1;
  request[4] = 3;
  EXPECT_TRUE(bench.write_log(0xE0, request).aborted()) << "no such table";
  EXPECT_TRUE(bench.log(0xE1).aborted());
  request[4] = 2;
  ASSERT_TRUE(bench.write_log(0xE0, request).ok());
  const AtaAnswer table = bench.smart_log(0xE1);
  EXPECT_EQ(table.word(0), 2u);
  EXPECT_EQ(table.word(15), 128u);
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(table.data[34 + i], 0x80u) << "not known";
}

TEST(AtaSmart, CountsAreSavedBeforeStandbyAndWhenTheHostWantsIt) {
  SmartBench bench;
  const controller::NonVolatileMemory& flash = bench.disk.soc().nvm;
  EXPECT_EQ(flash.programs(), 1u) << "power-on";
  EXPECT_EQ(flash.erases(), 0u);
  ASSERT_TRUE(bench.send({0xC8, 0, 8, 900}).ok());
  bench.wait(kPsPerSecond);
  EXPECT_EQ(flash.erases(), 0u) << "not on each command";
  ASSERT_TRUE(bench.smart(kSave).ok());
  bench.wait(200 * kPsPerMs);
  EXPECT_EQ(flash.erases(), 1u);
  const std::uint32_t programs = flash.programs();
  EXPECT_GT(programs, 10u);
  ASSERT_TRUE(bench.send({0xE0}).ok());
  bench.wait(200 * kPsPerMs);
  EXPECT_EQ(flash.erases(), 2u);
  ASSERT_TRUE(bench.send({0xC8, 0, 8, 900}).ok());
  EXPECT_EQ(flash.programs(), 2 * programs) << "1 + n, n, and one for the way back";
  bench.wait(1'801 * kPsPerSecond);
  EXPECT_EQ(flash.erases(), 3u) << "after half an hour";
  bench.wait(10'000 * kPsPerSecond);
  EXPECT_EQ(flash.erases(), 3u) << "without a command there is nothing to save";
}

TEST(AtaSmart, AHeadGoesOutOfServiceOnAPrediction) {
  drive::DriveParams params = small_drive();
  params.arms.count = 2;
  params.smart.retire_head_errors = 3;
  for (int i = 0; i < 40; ++i) params.faults.push_back(drive::grown_defect(i * 200 + 5, 0));  // surface 0
  SmartBench bench(params);
  unsigned failed = 0;
  for (unsigned i = 0; i < 40; ++i) failed += bench.send({0xC8, 0, 1, i * 200 + 5}).ok() ? 0 : 1;
  EXPECT_EQ(failed, 40u);
  EXPECT_EQ(bench.disk.counters().failed_heads, 1u) << "of the two that reach the surface one stays";
  EXPECT_TRUE(bench.send({0xC8, 0, 1, 6}).ok());
}

TEST(AtaSmart, NoHeadGoesOutOfServiceByDefaultOrIfNoOtherReachesItsTracks) {
  drive::DriveParams params = small_drive();
  params.smart.retire_head_errors = 3;
  for (int i = 0; i < 40; ++i) params.faults.push_back(drive::grown_defect(i * 200 + 5, 0));
  SmartBench bench(params);
  for (unsigned i = 0; i < 40; ++i) EXPECT_FALSE(bench.send({0xC8, 0, 1, i * 200 + 5}).ok());
  EXPECT_EQ(bench.disk.counters().failed_heads, 0u);
}

/// With a ramp, a stack that takes a second to its speed, and an idle condition in which the arm is on the ramp.
drive::DriveParams ramp_drive() {
  drive::DriveParams params = small_drive();
  params.seek.load_ms = 300;
  params.seek.unload_ms = 300;
  params.spindle.spin_up_s = 1;
  params.spindle.spin_down_s = 1;
  params.idle.low_power_idle_s = 1;
  return params;
}

// Cut off while the stack starts, the arm is loaded or unloaded, over the disk, on the ramp in an idle condition, on
// its way into standby and there: attribute 192 is what the arm had to do.
TEST(AtaSmart, RetractsAreThoseOfAnArmThatWasOffTheRamp) {
  SmartBench bench(ramp_drive());
  RandomStream random(7, "cuts");
  unsigned retracts = 0;
  for (unsigned cut = 1; cut <= 40; ++cut) {
    if (random.below(3) == 0) {  // standby; the answer is not awaited
      sata::RegisterH2D registers;
      registers.command = 0xE0;
      registers.device = 0x40;
      bench.host.send(registers);
    }
    bench.wait(static_cast<Ps>(random.below(3'500)) * kPsPerMs);
    bench.disk.power_off();
    bench.wait(static_cast<Ps>(1 + random.below(2'000)) * kPsPerMs);
    bench.disk.power_on();
    sata::reset_link(bench.link.to_drive);
    bench.wait(static_cast<Ps>(200 + random.below(1'800)) * kPsPerMs);
    retracts = bench.disk.emergency_retracts();
  }
  bench.wait(5 * kPsPerSecond);
  EXPECT_GT(retracts, 8u);
  EXPECT_LT(retracts, 32u);
  auto all = bench.attributes();
  EXPECT_EQ(all.at(192).raw, retracts);
  EXPECT_EQ(all.at(12).raw, 41u);
}

TEST(AtaSmart, AnArmOnItsRampNeedNotRetract) {
  SmartBench bench(ramp_drive());
  const auto cut = [&] {
    bench.disk.power_off();
    bench.wait(3 * kPsPerSecond);
    bench.disk.power_on();
    sata::reset_link(bench.link.to_drive);
  };
  bench.wait(5 * kPsPerSecond);  // low-power idle
  ASSERT_TRUE(bench.disk.parked());
  cut();
  bench.wait(700 * kPsPerMs);  // the stack starts
  cut();
  bench.wait(20 * kPsPerSecond);
  ASSERT_TRUE(bench.send({0xC8, 0, 8, 0}).ok());
  ASSERT_FALSE(bench.disk.parked());
  EXPECT_EQ(bench.attributes().at(192).raw, 0u);
  cut();
  bench.wait(20 * kPsPerSecond);
  EXPECT_EQ(bench.attributes().at(192).raw, 1u);
  EXPECT_EQ(bench.disk.emergency_retracts(), 1u);
}

}  // namespace
}  // namespace armature::testing::ata_smart_test
