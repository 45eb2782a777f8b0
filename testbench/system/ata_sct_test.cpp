// SMART command transport: the sequences of smartctl -l scterc, -l scttemp and -g wcache, by scripts.
#include "support/ata_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature::ata_sct_test {
namespace {

using testing::ata_session;
using testing::AtaAnswer;
using testing::AtaSession;
using ::testing::HasSubstr;

// Repeats without end, as it were: the limit decides. A turn takes 8.33 ms.
constexpr const char* kDrive =
    "[identity]\nmodel = \"TESTDRIVE\"\n"
    "[spindle]\nrpm = 7200\n"
    "[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, 0]]\n"
    "[seek]\ntable = [[1, 1], [10, 1.6], [100, 4], [999, 12]]\n"
    "[cache]\nwrite = true\n"
    "[channel]\nladder = [[200, 0, 0, 0], [200, 25, 0, 0], [200, -25, 0, 1]]\nretry_limit_ms = 5000\n";

/// A page of words for log E0h.
std::string sct(std::initializer_list<unsigned> words) {
  std::string line = "write log ext log=0xE0 data_hex=\"";
  for (const unsigned word : words) {
    char text[8];
    std::snprintf(text, sizeof text, "%02X%02X", word & 0xFF, word >> 8 & 0xFF);
    line += text;
  }
  return line + "\"\n";
}

const std::string kStatus = "read log ext log=0xE0\n";

AtaSession run(const std::string& script, const std::string& drive = kDrive) {
  return ata_session(drive, script);
}

// smartctl -l scterc,70,50 and -l scterc.
TEST(AtaSct, TheTimeOfErrorRecoveryIsSetAndReturned) {
  const AtaSession got = run(sct({3, 1, 1, 70}) + sct({3, 1, 2, 0x123}) + sct({3, 2, 1}) + sct({3, 2, 2}) + kStatus);
  ASSERT_EQ(got.answers.size(), 5u);
  for (const AtaAnswer& answer : got.answers) EXPECT_EQ(answer.end, "ok");
  EXPECT_EQ(got.answers[2].count, "0046");
  EXPECT_EQ(got.answers[2].lba, "000000000000");
  EXPECT_EQ(got.answers[3].count, "0023");
  EXPECT_EQ(got.answers[3].lba, "000000000001");
  EXPECT_THAT(got.out, HasSubstr("extended status\tno error"));
  EXPECT_THAT(got.out, HasSubstr("SCT specification\t1"));
}

// The ladder has 600 turns, 5 s. A command fails when the time is over, a turn later at most, and so does a queued one.
TEST(AtaSct, ACommandFailsWithinTheTimeOfErrorRecovery) {
  const std::string read = "read dma ext lba=5000 sectors=8\n";
  const AtaSession got =
      run("write uncorrectable ext features=0x55 lba=5003\n" + read + sct({3, 1, 1, 10}) + read + sct({3, 1, 1, 3}) +
          read + "read fpdma queued lba=5003\nread log ext log=0x10\ncomreset\n" + read + sct({3, 1, 1, 0}) + read);
  const auto took = [&](std::size_t i) { return got.answers.at(i).took_s(); };
  constexpr double kTurn = 60.0 / 7200, kMost = 3 * kTurn;  // a seek, the first passage, and the last turn
  EXPECT_EQ(got.answers[1].error, "40");
  EXPECT_NEAR(took(1), 5, kMost);
  EXPECT_EQ(got.answers[3].error, "40");
  EXPECT_NEAR(took(3), 1, kMost);
  EXPECT_EQ(got.answers[5].error, "40");
  EXPECT_NEAR(took(5), 0.3, kMost);
  EXPECT_NEAR(took(6), 0.3, kMost) << "queued";
  EXPECT_EQ(got.answers[8].end, "ok");
  EXPECT_NEAR(took(9), 0.3, kMost) << "COMRESET keeps it";
  EXPECT_NEAR(took(11), 5, kMost + 0.02) << "0: no limit, the whole ladder";
}

// smartctl -l scttemp: no temperature is known.
TEST(AtaSct, TheTemperatureHistoryIsUnknown) {
  const AtaSession got =
      run("read log ext log=0xE1\n" + sct({5, 1, 2}) + kStatus + "read log ext log=0xE1\n" + "read log ext log=0xE1\n");
  ASSERT_EQ(got.answers.size(), 5u);
  EXPECT_EQ(got.answers[0].error, "04") << "no command has data";
  EXPECT_EQ(got.answers[1].end, "ok");
  EXPECT_EQ(got.answers[2].end, "ok");
  EXPECT_EQ(got.answers[3].end, "ok");
  EXPECT_EQ(got.answers[4].error, "04") << "read already";
  EXPECT_THAT(got.out, HasSubstr("action code\t5"));
  EXPECT_THAT(got.out, HasSubstr("format version\t2\n"));
  EXPECT_THAT(got.out, HasSubstr("interval between two entries\t1 min\n"));
  EXPECT_THAT(got.out, HasSubstr("entries\t128, 0 with a temperature\n"));
}

// smartctl -s wcache-sct,off,  -g wcache-sct, and the interval of the history.
TEST(AtaSct, FeatureControl) {
  const std::string identify = "identify device\n";
  const std::string get = sct({4, 2, 1}), options = sct({4, 3, 1});
  const AtaSession got =
      run(get + sct({4, 1, 1, 3}) + get + options + "set features features=0x02\n" + identify + sct({4, 1, 1, 1}) +
          get + "set features features=0x02\n" + identify + sct({4, 1, 3, 10}) + sct({4, 2, 3}));
  ASSERT_EQ(got.answers.size(), 12u);
  for (const AtaAnswer& answer : got.answers) EXPECT_EQ(answer.end, "ok");
  EXPECT_EQ(got.answers[0].count, "0001");
  EXPECT_EQ(got.answers[2].count, "0003");
  EXPECT_EQ(got.answers[3].count, "0000");
  EXPECT_EQ(got.answers[7].count, "0001");
  EXPECT_EQ(got.answers[11].count, "000A");
  const std::size_t first = got.out.find("commands and feature sets enabled");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(got.out.substr(first, 100).find("volatile write cache"), std::string::npos) << "SET FEATURES has no effect";
}

// smartctl -s wcreorder,off and -g wcreorder, which smartctl -x asks for. In the order of their arrival scattered
// writes take longer.
TEST(AtaSct, ReorderingOfTheWriteCacheIsSetAndReturned) {
  const std::string get = sct({4, 2, 2});
  std::string writes;
  for (unsigned i = 0; i < 40; ++i)
    writes += "write dma ext sectors=8 lba=" + std::to_string(i % 2 == 0 ? 800 * i : 99'200 - 800 * i) + "\n";
  const std::string load = writes + "flush cache ext\n";
  const AtaSession got =
      run(get + load + sct({4, 1, 2, 2}) + get + load + "reset\n" + get + sct({4, 1, 2, 1}) + get + load);
  for (const AtaAnswer& answer : got.answers) EXPECT_EQ(answer.end, "ok");
  ASSERT_EQ(got.answers.size(), 3 * 41u + 7);
  const auto took = [&](std::size_t first) { return got.answers[first + 40].completed_s - got.answers[first].sent_s; };
  EXPECT_EQ(got.answers[0].count, "0001") << "on";
  EXPECT_EQ(got.answers[43].count, "0002") << "off";
  EXPECT_EQ(got.answers[86].count, "0002") << "a soft reset leaves it";
  EXPECT_EQ(got.answers[88].count, "0001");
  EXPECT_GT(took(44), 1.3 * took(1));
  EXPECT_NEAR(took(89), took(1), 0.2 * took(1));
}

TEST(AtaSct, WrongCommandsGetTheirStatus) {
  struct Wrong {
    std::initializer_list<unsigned> words;
    unsigned status;
  };
  const Wrong wrong[] = {{{0}, 0x10},          {{6, 1}, 0x10},          {{3, 9, 1}, 0x04},    {{3, 1, 3}, 0x05},
                         {{4, 0, 1}, 0x0C},    {{4, 1, 4, 1}, 0x0D},    {{4, 1, 2, 7}, 0x0E}, {{4, 1, 9}, 0x0D},
                         {{4, 1, 1, 7}, 0x0E}, {{4, 1, 1, 1, 1}, 0x0F}, {{5, 1, 9}, 0x11}};
  std::string script;
  for (const Wrong& one : wrong) script += sct(one.words) + kStatus;
  const AtaSession got = run(script);
  std::size_t at = 0;
  for (std::size_t i = 0; i < std::size(wrong); ++i) {
    EXPECT_EQ(got.answers.at(2 * i).error, "04") << i;
    at = got.out.find("extended status\t", at) + 16;
    EXPECT_EQ(std::stoul(got.out.substr(at)), wrong[i].status) << i;
  }
}

TEST(AtaSct, WithoutALadderThereIsNoErrorRecoveryControl) {
  const std::string drive(kDrive);
  const AtaSession got = run(sct({3, 2, 1}) + "identify device\n", drive.substr(0, drive.find("[channel]")));
  EXPECT_EQ(got.answers[0].error, "04");
  EXPECT_THAT(got.out, HasSubstr("SCT\tcommand transport, feature control, data tables"));
}

}  // namespace
}  // namespace armature::ata_sct_test
