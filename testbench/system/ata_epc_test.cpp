// Extended power conditions: SET FEATURES 4Ah, log 08h, CHECK POWER MODE and IDENTIFY DEVICE, by scripts.
#include "support/ata_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature::ata_epc_test {
namespace {

using testing::ata_session;
using testing::AtaAnswer;
using testing::AtaSession;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::tab_separated;

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

/// Counts of the answers to CHECK POWER MODE, in order: the others' counts are 0000 where they ended well.
std::vector<std::string> modes(const AtaSession& session, const std::vector<std::size_t>& of) {
  std::vector<std::string> all;
  for (const std::size_t i : of) all.push_back(session.answers.at(i).count.substr(2));
  return all;
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
using Values = std::vector<std::string>;

void expect_ends(const AtaSession& got, std::size_t count, const std::string& end, const std::string& error) {
  ASSERT_EQ(got.answers.size(), count) << got.out;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(got.answers[i].end, end) << i;
    EXPECT_EQ(got.answers[i].error, error) << i;
  }
}

TEST(AtaEpc, GoToPowerConditionEndsInTheConditionFromEachOther) {
  std::string script;
  const std::vector<unsigned> ids = {kIdleA, kIdleB, kIdleC, kStandbyY, kStandbyZ};
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
  const AtaSession got = ata_session(std::string(kDrive) + kRest, script + kRead + kMode);
  expect_ends(got, n + 2, "ok", "00");
  EXPECT_EQ(modes(got, of), expected);
  EXPECT_EQ(got.answers[n + 1].count.substr(2), "FF") << "a read brings the arms back";
}

TEST(AtaEpc, TheTimesOfTheWaysAreThoseOfTheMeans) {
  const AtaSession got =
      ata_session(std::string(kDrive) + kRest, kRead + epc(kIdleB, kGo) + epc(kIdleC, kGo) + kRead +
                                                   epc(kStandbyZ, kGo) + epc(kStandbyZ, kGo) + epc(kIdleB, kGo));
  expect_ends(got, 7, "ok", "00");
  EXPECT_NEAR(got.answers[1].took_s(), 0.2, 0.02) << "onto the ramp";
  EXPECT_NEAR(got.answers[2].took_s(), 0.5, 0.02) << "half of the way to a stop";
  EXPECT_NEAR(got.answers[3].took_s(), 1.3, 0.03) << "back to speed and from the ramp";
  EXPECT_NEAR(got.answers[4].took_s(), 1.2, 0.02) << "ramp and stop";
  EXPECT_LT(got.answers[5].took_s(), 0.001) << "it is there";
  EXPECT_NEAR(got.answers[6].took_s(), 2.5, 0.03) << "up, and onto the ramp";
}

TEST(AtaEpc, ADelayedEntryAnswersAtOnceAndTheNextCommandMayComeFirst) {
  const AtaSession got =
      ata_session(std::string(kDrive) + kRest, epc(kIdleC, kGo | kDelayed) + kRead + kMode + "wait 5 s\n" + kMode +
                                                   epc(kIdleC, kGo | kDelayed) + kMode + "wait 5 s\n" + kMode);
  ASSERT_GE(got.answers.size(), 6u);
  EXPECT_LT(got.answers[0].took_s(), 0.001);
  EXPECT_EQ(got.answers[1].end, "ok");
}

TEST(AtaEpc, AnOrderedConditionStaysUntilTheNextCommand) {
  const std::string drive = std::string(kDrive) + "[idle]\nextended = \"enabled\"\nlow_power_idle_s = 1\n";
  const AtaSession got = ata_session(drive, epc(kIdleA, kGo) + "wait 5 s\n" + kMode + kRead + "wait 5 s\n" + kMode);
  std::vector<std::string> modes;
  for (const AtaAnswer& answer : got.answers)
    if (answer.count.size() == 4 && answer.count != "0000") modes.push_back(answer.count.substr(2));
  EXPECT_EQ(modes, (Modes{"81", "82"})) << "timers run after a read";
}

TEST(AtaEpc, TimersAndTheirStatesAreSetAndRestored) {
  const AtaSession got =
      ata_session(std::string(kDrive) + kRest,
                  epc(kIdleA, kTimer | kOn | 10u << 8) + epc(kIdleB, kTimer | kOn | 30u << 8) +
                      epc(kIdleC, kTimer | kOn | kMinutes | 1u << 8) + "wait 2 s\n" + kMode + "wait 2 s\n" + kMode +
                      "wait 60 s\n" + kMode + kLog + epc(kIdleB, kState) + kRead + "wait 10 s\n" + kMode +
                      epc(kAll, kRestore | 0x40) + kLog + kRead + "wait 200 s\n" + kMode);
  std::vector<std::string> modes;
  for (const AtaAnswer& answer : got.answers) {
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
  EXPECT_THAT(got.out, HasSubstr("standby_y: nominal recovery time\t13 x 100 ms"));
}

TEST(AtaEpc, TheTimerOfStandbyIsThatOfStandbyZ) {
  const AtaSession got = ata_session(std::string(kDrive) + kRest, "idle count=1\nwait 7 s\n" + kMode + kLog);
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
  for (const unsigned sub : {kRestore, kGo, kTimer | kOn | 10u << 8, kState | kOn, kState | kSave})
    for (const unsigned id : {0x80u, 0x84u, 0x02u, 0x7Fu, 0xFEu}) add(id, sub);
  add(kAll, kGo);
  add(kIdleA, kGo | kHold);
  for (unsigned sub = 6; sub < 16; ++sub) add(kIdleA, sub);
  script += "set features features=5 count=0x80\n";
  const AtaSession got = ata_session(std::string(kDrive) + kRest, script);
  expect_ends(got, n + 1, "error", "04");
  const AtaSession bare = ata_session(
      kBare, epc(kIdleA, kGo) + epc(kIdleB, kGo) + epc(kIdleC, kGo) + epc(kIdleB, kState | kOn) + epc(kStandbyY, kGo));
  expect_ends(bare, 5, "error", "04");
}

TEST(AtaEpc, TheFeatureSetIsEnabledAndDisabledAndExcludesPowerManagement) {
  const std::string drive = std::string(kDrive) + "[idle]\nextended = \"disabled\"\nlow_power_idle_s = 1\n";
  const AtaSession off = ata_session(drive, epc(kIdleA, kGo) + epc(kAll, kRestore) + epc(0, kDisable));
  expect_ends(off, 3, "error", "04");
  const AtaSession got =
      ata_session(drive, "identify device\n" + epc(0, kEnable) + "identify device\nread log ext log=0x30 page=4\n" +
                             "set features features=5 count=0x80\n" + epc(0, kDisable) +
                             "set features features=5 count=0x80\n" + kRead + "wait 3 s\n" + kMode);
  EXPECT_EQ(got.answers.at(4).error, "04") << "APM while EPC is enabled";
  EXPECT_EQ(got.answers.at(6).error, "00");
  EXPECT_THAT(got.out, HasSubstr("power mode 80h")) << "not enabled: as without";
}

TEST(AtaEpc, ADriveWithoutTheFeatureSetDoesNotClaimIt) {
  const AtaSession got = ata_session(kDrive, epc(0, kEnable) + epc(kIdleA, kGo) + kLog);
  expect_ends(got, 3, "error", "04");
  const AtaSession has =
      ata_session(std::string(kDrive) + kRest, "identify device\nread log ext log=0\nread log ext log=0x30 page=3\n");
  const AtaSession not_has = ata_session(kDrive, "identify device\nread log ext log=0\nread log ext log=0x30 page=3\n");
  EXPECT_THAT(has.out, HasSubstr("extended power conditions"));
  EXPECT_THAT(has.out, HasSubstr("log 08h, power conditions"));
  EXPECT_THAT(not_has.out, Not(HasSubstr("extended power conditions")));
  EXPECT_THAT(not_has.out, Not(HasSubstr("power conditions")));
}

const std::string kCycle = "power off\n+1 s power on\n";

/// Values of a field of log 08h, in the order of the logs read.
std::vector<std::string> logged(const AtaSession& session, const std::string& field) {
  std::vector<std::string> values;
  for (const auto& cells : tab_separated(session.out))
    for (std::size_t i = 0; i + 1 < cells.size(); ++i)
      if (cells[i] == field) values.push_back(cells[i + 1]);
  return values;
}

std::string tenths(unsigned time) {
  return std::to_string(time) + " x 100 ms";
}

TEST(AtaEpc, SavedSettingsOutliveALossOfPower) {
  const AtaSession got = ata_session(std::string(kDrive) + kRest, epc(kIdleB, kTimer | kOn | kSave | 30u << 8) +
                                                                      epc(kIdleA, kTimer | kOn | 20u << 8) + kLog +
                                                                      kCycle + kLog + kRead + "wait 4 s\n" + kMode);
  EXPECT_EQ(logged(got, "idle_b: default timer"), (Values{tenths(6000), tenths(6000)}));
  EXPECT_EQ(logged(got, "idle_b: saved timer"), (Values{tenths(30), tenths(30)}));
  EXPECT_EQ(logged(got, "idle_b: current timer"), (Values{tenths(30), tenths(30)}));
  EXPECT_EQ(logged(got, "idle_a: saved timer"), (Values{tenths(0), tenths(0)}));
  EXPECT_EQ(logged(got, "idle_a: current timer"), (Values{tenths(20), tenths(0)})) << "it was not saved";
  EXPECT_THAT(logged(got, "idle_b").at(0), HasSubstr("saveable"));
  EXPECT_EQ(got.answers.back().count, "0082") << "the saved timer runs after power-on";
  EXPECT_GT(got.answers.at(0).took_s(), 0.001) << "it ends when the flash has it";
}

TEST(AtaEpc, RestoreTakesTheSavedOrTheDefaultSettings) {
  const unsigned from_default = 0x40;
  const AtaSession got = ata_session(std::string(kDrive) + kRest,
                                     epc(kIdleB, kTimer | kOn | kSave | 30u << 8) + epc(kIdleB, kTimer | 50u << 8) +
                                         kLog + epc(kIdleB, kRestore) + kLog + epc(kIdleB, kRestore | from_default) +
                                         kLog + epc(kAll, kRestore | from_default | kSave) + kLog);
  EXPECT_EQ(logged(got, "idle_b: current timer"), (Values{tenths(50), tenths(30), tenths(6000), tenths(6000)}));
  EXPECT_EQ(logged(got, "idle_b: saved timer"), (Values{tenths(30), tenths(30), tenths(30), tenths(6000)}));
  const Values flags = logged(got, "idle_b");
  EXPECT_THAT(flags.at(0), Not(HasSubstr("current timer enabled")));
  EXPECT_THAT(flags.at(1), HasSubstr("current timer enabled")) << "restored, too";
}

/// The time that was saved before stays.
TEST(AtaEpc, SetStateSavesTheSwitchAlone) {
  const AtaSession got =
      ata_session(std::string(kDrive) + kRest, epc(kIdleB, kTimer | kOn | kSave | 30u << 8) +
                                                   epc(kIdleB, kTimer | kOn | 50u << 8) + epc(kIdleB, kState | kSave) +
                                                   kLog + kCycle + kLog + kRead + "wait 10 s\n" + kMode);
  EXPECT_EQ(logged(got, "idle_b: saved timer"), (Values{tenths(30), tenths(30)}));
  EXPECT_EQ(logged(got, "idle_b: current timer"), (Values{tenths(50), tenths(30)}));
  for (const std::string& flags : logged(got, "idle_b")) {
    EXPECT_THAT(flags, Not(HasSubstr("saved timer enabled")));
    EXPECT_THAT(flags, Not(HasSubstr("current timer enabled")));
  }
  EXPECT_EQ(got.answers.back().count, "00FF") << "disabled";
}

TEST(AtaEpc, TheStateOfTheFeatureSetOutlivesALossOfPower) {
  const std::string drive = std::string(kDrive) + "[idle]\nextended = \"disabled\"\nlow_power_idle_s = 600\n";
  const AtaSession got = ata_session(
      drive, epc(0, kEnable) + kCycle + epc(kIdleB, kGo) + kMode + epc(0, kDisable) + kCycle + epc(kIdleB, kGo));
  const auto ended = [&](std::size_t i) { return got.answers.at(i).end; };
  ASSERT_EQ(got.answers.size(), 9u) << got.out;
  EXPECT_EQ(ended(3), "ok");
  EXPECT_EQ(got.answers[4].count, "0082");
  EXPECT_EQ(ended(8), "error");
}

/// A cut at any time of a save leaves the settings of the one before, or has all of the new ones.
TEST(AtaEpc, APowerCutInTheMidstOfASaveLosesNothing) {
  const std::string first = epc(kAll, kTimer | kOn | kSave | 30u << 8),
                    next = epc(kAll, kTimer | kOn | kSave | 70u << 8);
  const std::string drive = std::string(kDrive) + kRest;
  const AtaSession whole = ata_session(drive, kRead + first + next);
  const double took = whole.answers.at(2).took_s();
  ASSERT_GT(took, 0);
  std::size_t older = 0, newer = 0;
  for (const double share : {0.01, 0.2, 0.5, 0.8, 0.9, 0.97, 0.99, 1.1}) {
    const AtaSession got = ata_session(drive, kRead + first + next + "+" + std::to_string(took * share * 1e3) +
                                                  " ms power off\n+1 s power on\n" + kLog);
    const Values saved = logged(got, "idle_a: saved timer");
    ASSERT_EQ(saved.size(), 1u) << got.out;
    (saved[0] == tenths(30) ? older : newer)++;
    EXPECT_THAT(saved[0], ::testing::AnyOf(tenths(30), tenths(70))) << share;
    for (const char* condition : {"idle_a", "idle_b", "idle_c", "standby_y", "standby_z"})
      for (const char* kind : {": saved timer", ": current timer"})
        EXPECT_EQ(logged(got, std::string(condition) + kind), saved) << condition << kind << share;
    const bool told = got.answers.at(2).end == "ok";
    EXPECT_TRUE(!told || saved[0] == tenths(70)) << "what has been answered is kept, " << share;
    EXPECT_EQ(told, share > 1) << share;
  }
  EXPECT_GE(older, 3u);
  EXPECT_GE(newer, 1u);
}

/// Idle_c with the electronics in standby (table 74 of the Ultrastar DC HC310 OEM specification).
TEST(AtaEpc, StandbyYIsAStandbyAtTheLowestSpeed) {
  const AtaSession got =
      ata_session(std::string(kDrive) + kRest, kRead + epc(kStandbyY, kGo) + kMode + kRead + epc(kIdleC, kGo) +
                                                   epc(kStandbyY, kGo) + "idle immediate\n" + kMode +
                                                   epc(kStandbyY, kTimer | kOn | 20u << 8) + kRead + "wait 4 s\n" +
                                                   kMode + epc(kStandbyZ, kGo) + kMode + epc(kStandbyY, kGo) + kMode);
  ASSERT_EQ(got.answers.size(), 16u) << got.out;
  for (const AtaAnswer& answer : got.answers) EXPECT_EQ(answer.end, "ok");
  EXPECT_NEAR(got.answers[1].took_s(), 0.7, 0.02) << "ramp, and half of the way to a stop";
  EXPECT_NEAR(got.answers[3].took_s(), 1.3, 0.03) << "back to speed and from the ramp";
  EXPECT_LT(got.answers[5].took_s(), 0.001) << "nothing moves";
  EXPECT_NEAR(got.answers[6].took_s(), 1.3, 0.03) << "IDLE IMMEDIATE ends a standby";
  EXPECT_EQ(modes(got, {2, 7, 11, 13, 15}), (Modes{"01", "FF", "01", "00", "01"}));
  EXPECT_NEAR(got.answers[12].took_s(), 0.5, 0.02) << "the rest of the way to a stop";
}

TEST(AtaEpc, ATimerOfZeroIsADisabledOne) {
  const AtaSession got = ata_session(std::string(kDrive) + kRest, epc(kIdleB, kTimer | kOn) + kLog);
  EXPECT_EQ(got.answers.at(0).end, "ok");
  EXPECT_EQ(logged(got, "idle_b: current timer"), (Values{tenths(0)}));
  EXPECT_THAT(logged(got, "idle_b").at(0), Not(HasSubstr("current timer enabled")));
}

/// Holding a condition and the power source are options of the standard that this drive does not have.
TEST(AtaEpc, WhatIsMissingIsSaid) {
  const AtaSession got = ata_session(std::string(kDrive) + kRest, epc(1, 6) + epc(kIdleA, kGo | kHold) + kLog +
                                                                      "read log ext log=0x30 page=3 count=1\n");
  EXPECT_EQ(got.answers.at(0).error, "04");
  EXPECT_EQ(got.answers.at(1).error, "04");
  for (const char* condition : {"idle_a", "idle_b", "idle_c", "standby_y", "standby_z"})
    EXPECT_THAT(logged(got, condition).at(0), HasSubstr("cannot be held")) << condition;
  EXPECT_THAT(got.out, Not(HasSubstr("power source")));
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
  const AtaSession got = ata_session(std::string(kDrive) + kRest, script);
  std::size_t ended = 0;
  for (const AtaAnswer& answer : got.answers) ended += answer.end == "ok" && answer.error == "00";
  EXPECT_GE(ended, commands) << got.out;
}

}  // namespace
}  // namespace armature::ata_epc_test
