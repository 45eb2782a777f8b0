// Extended power conditions: SET FEATURES 4Ah, log 08h, CHECK POWER MODE and IDENTIFY DEVICE, by scripts.
#include "support/program.h"
#include "support/tab_separated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::tab_separated;
using testing::Workplace;

constexpr const char* kDrive =
    "[identity]\nmodel = \"TESTDRIVE\"\n"
    "[spindle]\nrpm = 7200\nspin_up_s = 2\nspin_down_s = 1\nspeeds_rpm = [3600]\n"
    "[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, 0]]\n"
    "[seek]\ntable = [[1, 1], [10, 1.6], [100, 4], [999, 12]]\nload_ms = 300\nunload_ms = 200\nacquire_ms = 20\n"
    "[cache]\nwrite = true\n";
constexpr const char* kRest = "[idle]\nextended = \"enabled\"\nlow_power_idle_s = 600\n";
constexpr const char* kBare =
    "[identity]\nmodel = \"TESTDRIVE\"\n[spindle]\nrpm = 7200\n[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, "
    "0]]\n"
    "[seek]\ntable = [[1, 1], [10, 1.6], [100, 4], [999, 12]]\n[idle]\nextended = \"enabled\"\n";

struct Answer {
  std::string end, error, count;
  double took;
};

struct Session {
  std::vector<Answer> answers;
  std::string out;
  /// Counts of the answers to CHECK POWER MODE, in order: the others' counts are 0000 where they ended well.
  std::vector<std::string> modes(const std::vector<std::size_t>& of) const {
    std::vector<std::string> all;
    for (const std::size_t i : of) all.push_back(answers.at(i).count.substr(2));
    return all;
  }
};

Session run(const std::string& drive, const std::string& script) {
  Workplace place;
  place.write("drive.toml", drive);
  place.write("script.txt", script);
  const Outcome got = place.run({"ata", "drive.toml", "script.txt", "--tsv"});
  EXPECT_EQ(got.status, 0) << got.err;
  Session session{{}, got.out};
  for (const auto& cells : tab_separated(got.out))
    if (!cells.empty() && cells[0] == "answer")
      session.answers.push_back({cells.at(12), cells.at(14), cells.at(15),
                                 cells.at(11).empty() ? 0 : std::stod(cells.at(11)) - std::stod(cells.at(10))});
  return session;
}

std::string epc(unsigned count, unsigned lba) {
  return "set features features=0x4A count=" + std::to_string(count) + " lba=" + std::to_string(lba) + "\n";
}

const std::string kMode = "check power mode\n", kRead = "read dma ext lba=5000 sectors=8\n",
                  kLog = "read log ext log=8 sectors=2\n";
constexpr unsigned kIdleA = 0x81, kIdleB = 0x82, kIdleC = 0x83, kStandbyZ = 0x00, kStandbyY = 0x01, kAll = 0xFF;
constexpr unsigned kRestore = 0, kGo = 1, kTimer = 2, kState = 3, kEnable = 4, kDisable = 5;
constexpr unsigned kOn = 0x20, kSave = 0x10, kMinutes = 0x80, kHold = 1u << 24, kDelayed = 1u << 25;
using Modes = std::vector<std::string>;

void expect_ends(const Session& got, std::size_t count, const std::string& end, const std::string& error) {
  ASSERT_EQ(got.answers.size(), count) << got.out;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(got.answers[i].end, end) << i;
    EXPECT_EQ(got.answers[i].error, error) << i;
  }
}

TEST(AtaEpc, GoToPowerConditionEndsInTheConditionFromEachOther) {
  std::string script;
  const std::vector<unsigned> ids = {kIdleA, kIdleB, kIdleC, kStandbyZ};
  Modes expected;
  std::vector<std::size_t> of;
  std::size_t n = 0;
  for (const unsigned from : ids)
    for (const unsigned to : ids) {
      script += epc(from, kGo) + kMode + epc(to, kGo) + kMode;
      for (const unsigned id : {from, to}) {
        char text[4];
        std::snprintf(text, sizeof text, "%02X", id);
        expected.emplace_back(text);
        of.push_back(n + 1);
        n += 2;
      }
    }
  const Session got = run(std::string(kDrive) + kRest, script + kRead + kMode);
  expect_ends(got, n + 2, "ok", "00");
  EXPECT_EQ(got.modes(of), expected);
  EXPECT_EQ(got.answers[n + 1].count.substr(2), "FF") << "a read brings the arms back";
}

TEST(AtaEpc, TheTimesOfTheWaysAreThoseOfTheMeans) {
  const Session got =
      run(std::string(kDrive) + kRest, kRead + epc(kIdleB, kGo) + epc(kIdleC, kGo) + kRead + epc(kStandbyZ, kGo) +
                                           epc(kStandbyZ, kGo) + epc(kIdleB, kGo));
  expect_ends(got, 7, "ok", "00");
  EXPECT_NEAR(got.answers[1].took, 0.2, 0.02) << "onto the ramp";
  EXPECT_NEAR(got.answers[2].took, 0.5, 0.02) << "half of the way to a stop";
  EXPECT_NEAR(got.answers[3].took, 1.3, 0.03) << "back to speed and from the ramp";
  EXPECT_NEAR(got.answers[4].took, 1.2, 0.02) << "ramp and stop";
  EXPECT_LT(got.answers[5].took, 0.001) << "it is there";
  EXPECT_NEAR(got.answers[6].took, 2.5, 0.03) << "up, and onto the ramp";
}

TEST(AtaEpc, ADelayedEntryAnswersAtOnceAndTheNextCommandMayComeFirst) {
  const Session got =
      run(std::string(kDrive) + kRest, epc(kIdleC, kGo | kDelayed) + kRead + kMode + "wait 5 s\n" + kMode +
                                           epc(kIdleC, kGo | kDelayed) + kMode + "wait 5 s\n" + kMode);
  ASSERT_GE(got.answers.size(), 6u);
  EXPECT_LT(got.answers[0].took, 0.001);
  EXPECT_EQ(got.answers[1].end, "ok");
}

TEST(AtaEpc, AnOrderedConditionStaysUntilTheNextCommand) {
  const std::string drive = std::string(kDrive) + "[idle]\nextended = \"enabled\"\nlow_power_idle_s = 1\n";
  const Session got = run(drive, epc(kIdleA, kGo) + "wait 5 s\n" + kMode + kRead + "wait 5 s\n" + kMode);
  std::vector<std::string> modes;
  for (const Answer& answer : got.answers)
    if (answer.count.size() == 4 && answer.count != "0000") modes.push_back(answer.count.substr(2));
  EXPECT_EQ(modes, (Modes{"81", "82"})) << "timers run after a read";
}

TEST(AtaEpc, TimersAndTheirStatesAreSetAndRestored) {
  const Session got = run(std::string(kDrive) + kRest,
                          epc(kIdleA, kTimer | kOn | 10u << 8) + epc(kIdleB, kTimer | kOn | 30u << 8) +
                              epc(kIdleC, kTimer | kOn | kMinutes | 1u << 8) + "wait 2 s\n" + kMode + "wait 2 s\n" +
                              kMode + "wait 60 s\n" + kMode + kLog + epc(kIdleB, kState) + kRead + "wait 10 s\n" +
                              kMode + epc(kAll, kRestore | 0x40) + kLog + kRead + "wait 200 s\n" + kMode);
  std::vector<std::string> modes;
  for (const Answer& answer : got.answers) {
    EXPECT_TRUE(answer.end == "ok" || answer.end.empty()) << answer.end;
    if (answer.count.size() == 4 && (answer.count[2] == '8' || answer.count == "00FF"))
      modes.push_back(answer.count.substr(2));
  }
  EXPECT_EQ(modes, (Modes{"81", "82", "83", "81", "FF"}));
  EXPECT_THAT(got.out, HasSubstr("idle_a: current timer\t10 x 100 ms"));
  EXPECT_THAT(got.out, HasSubstr("idle_b: default timer\t6000 x 100 ms"));
  EXPECT_THAT(got.out, HasSubstr("idle_c: current timer\t600 x 100 ms"));
  EXPECT_THAT(got.out, HasSubstr("idle_c: nominal recovery time\t13 x 100 ms"));
  EXPECT_THAT(got.out, HasSubstr("idle_a: current timer\t0 x 100 ms")) << "restored";
  EXPECT_THAT(got.out, HasSubstr("standby_y\tnot supported"));
}

TEST(AtaEpc, TheTimerOfStandbyIsThatOfStandbyZ) {
  const Session got = run(std::string(kDrive) + kRest, "idle count=1\nwait 7 s\n" + kMode + kLog);
  ASSERT_GE(got.answers.size(), 2u);
  EXPECT_THAT(got.out, HasSubstr("standby (standby_z)"));
  EXPECT_THAT(got.out, HasSubstr("standby_z: current timer\t50 x 100 ms"));
}

TEST(AtaEpc, WhatTheDriveCannotDoIsAborted) {
  std::string script;
  std::size_t n = 0;
  const auto add = [&](unsigned count, unsigned lba) {
    script += epc(count, lba);
    ++n;
  };
  for (const unsigned sub : {kRestore, kGo, kTimer | kOn | 10u << 8, kState | kOn})
    for (const unsigned id : {kStandbyY, 0x80u, 0x84u, 0x02u, 0x7Fu, 0xFEu}) add(id, sub);
  add(kAll, kGo);
  add(kIdleA, kGo | kHold);
  for (const unsigned sub : {kRestore, kTimer | kOn | 10u << 8, kState | kOn}) add(kIdleA, sub | kSave);
  add(kIdleA, kTimer | kOn);
  for (unsigned sub = 6; sub < 16; ++sub) add(kIdleA, sub);
  script += "set features features=5 count=0x80\n";
  const Session got = run(std::string(kDrive) + kRest, script);
  expect_ends(got, n + 1, "error", "04");
  const Session bare = run(kBare, epc(kIdleA, kGo) + epc(kIdleB, kGo) + epc(kIdleC, kGo) + epc(kIdleB, kState | kOn));
  expect_ends(bare, 4, "error", "04");
}

TEST(AtaEpc, TheFeatureSetIsEnabledAndDisabledAndExcludesPowerManagement) {
  const std::string drive = std::string(kDrive) + "[idle]\nextended = \"disabled\"\nlow_power_idle_s = 1\n";
  const Session off = run(drive, epc(kIdleA, kGo) + epc(kAll, kRestore) + epc(0, kDisable));
  expect_ends(off, 3, "error", "04");
  const Session got =
      run(drive, "identify device\n" + epc(0, kEnable) + "identify device\nread log ext log=0x30 page=4\n" +
                     "set features features=5 count=0x80\n" + epc(0, kDisable) +
                     "set features features=5 count=0x80\n" + kRead + "wait 3 s\n" + kMode);
  EXPECT_EQ(got.answers.at(4).error, "04") << "APM while EPC is enabled";
  EXPECT_EQ(got.answers.at(6).error, "00");
  EXPECT_THAT(got.out, HasSubstr("power mode 80h")) << "not enabled: as without";
}

TEST(AtaEpc, ADriveWithoutTheFeatureSetDoesNotClaimIt) {
  const Session got = run(kDrive, epc(0, kEnable) + epc(kIdleA, kGo) + kLog);
  expect_ends(got, 3, "error", "04");
  const Session has =
      run(std::string(kDrive) + kRest, "identify device\nread log ext log=0\nread log ext log=0x30 page=3\n");
  const Session not_has = run(kDrive, "identify device\nread log ext log=0\nread log ext log=0x30 page=3\n");
  EXPECT_THAT(has.out, HasSubstr("extended power conditions"));
  EXPECT_THAT(has.out, HasSubstr("log 08h, power conditions"));
  EXPECT_THAT(not_has.out, Not(HasSubstr("extended power conditions")));
  EXPECT_THAT(not_has.out, Not(HasSubstr("power conditions")));
}

/// Written data are on the media before the stack stops, and a command may come at any time of a way.
TEST(AtaEpc, CommandsAtAnyTimeOfTheWaysAreServed) {
  std::string script;
  std::size_t commands = 0;
  for (int i = 0; i < 40; ++i) {
    const unsigned id = (i % 4 == 0) ? kIdleA : (i % 4 == 1) ? kIdleB : (i % 4 == 2) ? kIdleC : kStandbyZ;
    script += "write dma ext lba=" + std::to_string(1000 + 37 * i) + " sectors=8\n" + epc(id, kGo | kDelayed);
    script += "wait " + std::to_string(1 + i * 61 % 1700) + " ms\n";
    script += i % 3 == 0 ? epc((id + 1) % 2 ? kIdleB : kIdleC, kGo) : kRead;
    commands += 3;
  }
  const Session got = run(std::string(kDrive) + kRest, script);
  std::size_t ended = 0;
  for (const Answer& answer : got.answers) ended += answer.end == "ok" && answer.error == "00";
  EXPECT_GE(ended, commands) << got.out;
}

}  // namespace
}  // namespace armature
