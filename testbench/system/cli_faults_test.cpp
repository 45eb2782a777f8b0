// [[faults]]: tables that say nothing sensible are refused with their line; each kind leaves its mark in the results;
// what a fault touches is named; waves change nothing.
#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Workplace;

/// 300 requests in 2 s; lines 1 to 19.
const std::string kHead = R"([workload]
kind = "open"
count = 300
rate_per_s = 150
read_fraction = 0.5
last_lbn = 20_000

[host]
verify = true

[media]
contents = "memory"

[drives.d]
model = "drives/quantum_atlas_10k.toml"
arms.count = 2
cache.write = false
cache.look_ahead = false

)";

std::string with(const std::string& fault) {
  return kHead + "[[faults]]\n" + fault;
}

struct Bad {
  const char* name;
  const char* fault;  ///< from line 21 on
  int line;
  const char* message;
};

class BadFaults : public ::testing::TestWithParam<Bad> {};

constexpr Bad kBad[] = {
    {"no_such_kind", "kind = \"flood\"\n", 21, "\"flood\" is not allowed"},
    {"no_such_key", "kind = \"stuck_arm\"\nwhen = 3\n", 22, "when"},
    {"no_such_arm", "kind = \"stuck_arm\"\narm = 2\n", 22, "there are only arms 0 to 1"},
    {"no_place", "kind = \"media_defect\"\n", 20, "a media_defect needs the block where it is"},
    {"behind_the_end", "kind = \"media_defect\"\nlbn = 99_999_999_999\n", 22, "the disk has only blocks 0 to"},
    {"no_end", "kind = \"servo_lost\"\n", 20, "servo_lost must end"},
    {"key_of_another", "kind = \"servo_lost\"\nfor_ms = 5\nrereads = 3\n", 23, "belongs to media_defect"},
    {"no_such_surface", "kind = \"dead_head\"\narm = 0\nsurface = 77\n", 23, "arm 0 has no head on surface 77"},
    {"tip_of_a_disk", "kind = \"dead_tip\"\ntip = 3\n", 21, "a disk has no tips"},
    {"breaks_twice", "kind = \"stuck_arm\"\narm = 1\nrate_per_s = 3\n", 23, "what breaks for good breaks once"},
    {"most_without_rate", "kind = \"link_crc\"\nmost = 3\n", 22, "is of a fault with rate_per_s"},
    {"too_slow", "kind = \"slow_spindle\"\nfor_ms = 5\npart = 0.1\n", 23, "half of its speed"},
    {"beyond_the_buffer", "kind = \"buffer_flip\"\naddress = 4_000_000_000\n", 22, "the buffer has only bytes 0 to"},
};
INSTANTIATE_TEST_SUITE_P(Tables, BadFaults, ::testing::ValuesIn(kBad),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(BadFaults, AreRefusedWithTheirLine) {
  const Workplace place;
  place.write("s.toml", with(GetParam().fault));
  const Outcome outcome = place.run({"check", "s.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("s.toml:" + std::to_string(GetParam().line) + ":"));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
}

TEST(Faults, ADriveThatIsNotThereIsRefused) {
  const Workplace place;
  place.write("s.toml", with("kind = \"link_crc\"\ndrive = \"other\"\n"));
  const Outcome outcome = place.run({"check", "s.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.toml:22:"), HasSubstr("\"other\"")));
}

struct Kind {
  const char* name;
  const char* fault;
  const char* counter;  ///< that summary.json has
};

class FaultsOfEachKind : public ::testing::TestWithParam<Kind> {};

constexpr Kind kKinds[] = {
    {"grown", "kind = \"media_defect\"\nlbn = 5_000\nsectors = 400\nat_s = 0.3\n", "\"reallocated_sectors\": "},
    {"transient", "kind = \"media_defect\"\nlbn = 5_000\nsectors = 400\nrereads = 1\n", "\"faults_media_defect\": 1"},
    {"dead_head", "kind = \"dead_head\"\narm = 0\nsurface = 0\nat_request = 20\n", "\"failed_heads\": 1"},
    {"dead_arm", "kind = \"stuck_arm\"\narm = 0\nafter_request = 20\n", "\"failed_arms\": 1"},
    {"stuck", "kind = \"stuck_arm\"\nfor_ms = 30\nrate_per_s = 10\n", "\"faults_stuck_arm\": "},
    {"slow_arm", "kind = \"slow_arm\"\nfor_ms = 500\npart = 0.4\n", "\"faults_slow_arm\": 1"},
    {"servo_lost", "kind = \"servo_lost\"\nfor_ms = 20\nrate_per_s = 10\n", "\"faults_servo_lost\": "},
    {"slow_spindle", "kind = \"slow_spindle\"\nfor_ms = 300\npart = 0.93\n", "\"faults_slow_spindle\": 1"},
    {"weak_code", "kind = \"weak_code\"\nmargin_db = 0.5\n", "\"corrected_bits\": "},
    {"buffer_flip", "kind = \"buffer_flip\"\nrate_per_s = 20\n", "\"buffer_words_corrected\": "},
    {"link_crc", "kind = \"link_crc\"\nrate_per_s = 20\nmost = 9\n", "\"link_crc_errors\": 9"},
    {"link_data", "kind = \"link_crc\"\nrate_per_s = 20\nmost = 9\nframes = \"drive_data\"\n", "\"link_retries\": "},
    {"hung", "kind = \"hung_firmware\"\nfor_ms = 40\nat_request = 50\n", "\"faults_hung_firmware\": 1"},
    {"power_cut", "kind = \"power_cut\"\nfor_ms = 500\nat_request = 50\n", "\"faults_power_cut\": 1"},
};
INSTANTIATE_TEST_SUITE_P(Kinds, FaultsOfEachKind, ::testing::ValuesIn(kKinds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(FaultsOfEachKind, AreCountedAndTouchRequestsAndWavesChangeNothing) {
  const Workplace place;
  place.write("s.toml", with(GetParam().fault));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(" 0 mismatches"));
  EXPECT_THAT(place.read("out/summary.json"), HasSubstr(GetParam().counter));
  const std::string faults = place.read("out/faults.csv");
  EXPECT_THAT(faults, HasSubstr(",begins,"));
  EXPECT_THAT(place.read("out/report.html"), HasSubstr("\"all_touched\":"));
  const bool unnoticed = std::string(GetParam().name).rfind("dead_", 0) == 0;  // nobody may need what is dead
  std::smatch touch;
  const std::regex touches(",touches,([0-9]+)\n");
  if (!unnoticed) {
    EXPECT_TRUE(std::regex_search(faults, touch, touches)) << faults;
  }
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "again", "--waves"}).status, 0);
  EXPECT_EQ(place.read("again/requests.csv"), place.read("out/requests.csv"));
  EXPECT_EQ(place.read("again/faults.csv"), faults);
  if (touch.empty()) return;
  const Outcome explained = place.run({"explain", touch[1], "--run", "out"});
  EXPECT_THAT(explained.out, HasSubstr("Touched by fault 0 ("));
}

/// A load without the fault, for what it costs.
double mean_ms(const std::string& scenario) {
  const Workplace place;
  place.write("s.toml", scenario);
  EXPECT_EQ(place.run({"run", "s.toml", "--out", "out"}).status, 0);
  const std::string summary = place.read("out/summary.json");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(summary, found, std::regex("\"mean_ms\": ([0-9.]+)")));
  return std::stod(found[1]);
}

TEST(Faults, AnArmWithHalfOfItsForceAndASlowerStackTakeLonger) {
  const double whole = mean_ms(kHead);
  EXPECT_GT(mean_ms(with("kind = \"slow_arm\"\npart = 0.3\n")), whole * 1.02);
  EXPECT_GT(mean_ms(with("kind = \"servo_lost\"\nat_s = 0.5\nfor_ms = 100\n")), whole * 1.02);
}

TEST(Faults, WithoutProtectionOfTheBufferWrongDataReachTheHost) {
  const Workplace place;
  place.write("s.toml", with("kind = \"buffer_flip\"\nrate_per_s = 20\n"));
  const Outcome outcome = place.run({"run", "s.toml", "--set", "buffer.protection=none"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("mismatch"));
}

TEST(Faults, OldKeysAreReadAndSayWhatTheirNewFormIs) {
  const std::string tail = "arms.failures = [[0.5, 1]]\nmedia.defects = [[5_000, 0.25]]\n";
  const Workplace place;
  place.write("old.toml", kHead + tail);
  place.write("new.toml", kHead +
                              "[[faults]]\nkind = \"stuck_arm\"\narm = 1\nat_s = 0.5\n"
                              "[[faults]]\nkind = \"media_defect\"\nlbn = 5_000\nat_s = 0.25\n");
  const Outcome old = place.run({"run", "old.toml", "--out", "a"});
  const Outcome fresh = place.run({"run", "new.toml", "--out", "b"});
  EXPECT_EQ(old.status, 0) << old.err;
  EXPECT_EQ(fresh.status, 0) << fresh.err;
  EXPECT_THAT(old.out, HasSubstr("old.toml:20: arms.failures is the old form of [[faults]] with kind = \"stuck_arm\""));
  EXPECT_THAT(old.out, HasSubstr("media.defects is the old form of [[faults]] with kind = \"media_defect\""));
  EXPECT_THAT(fresh.out, Not(HasSubstr("old form")));
  EXPECT_EQ(place.read("a/requests.csv"), place.read("b/requests.csv"));
}

TEST(Faults, TheResolvedScenarioHasThem) {
  const Workplace place;
  place.write("s.toml", with("kind = \"stuck_arm\"\nfor_ms = 30\nat_request = 50\n"));
  ASSERT_EQ(place.run({"run", "s.toml", "--out", "a"}).status, 0);
  ASSERT_EQ(place.run({"run", "a/resolved.toml", "--out", "b"}).status, 0);
  EXPECT_EQ(place.read("a/faults.csv"), place.read("b/faults.csv"));
}

TEST(Faults, ACommandThatTakesTooLongTimesOutAndIsIssuedAgain) {
  const Workplace place;
  place.write("s.toml", with("kind = \"hung_firmware\"\nfor_ms = 900\nat_request = 50\n"));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out", "--set", "host.timeout_s=0.4"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" 0 mismatches"));
  EXPECT_THAT(place.read("out/summary.json"), HasSubstr("\"command_timeouts\": "));
}

/// Requests of requests.csv whose status is `status`.
long with_status(const Workplace& place, const std::string& out, const std::string& status) {
  std::istringstream lines(place.read(out + "/requests.csv"));
  long found = 0;
  for (std::string line; std::getline(lines, line);)
    found += line.size() > status.size() && line.compare(line.size() - status.size(), std::string::npos, status) == 0;
  return found;
}

TEST(HostRetries, ATimeOutShorterThanACommandTakesEndsEachRequestAsGivenUp) {
  const Workplace place;
  place.write("s.toml", with("kind = \"servo_lost\"\nfor_ms = 5\nat_request = 50\n"));
  const Outcome run = place.run({"run", "s.toml", "--out", "out", "--set", "host.timeout_s=0.00005", "--set",
                                 "host.retries=2", "--around", "50"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(with_status(place, "out", "gave up"), 300);
  const std::string summary = place.read("out/summary.json");
  EXPECT_THAT(summary, HasSubstr("\"given_up\": 300,"));
  EXPECT_THAT(summary, HasSubstr("\"command_timeouts\": 900,"));
  const Outcome explained = place.run({"explain", "50", "--run", "out"});
  EXPECT_THAT(explained.out, HasSubstr("given up by the host\n"));
}

TEST(HostRetries, WhatIsSlowOnceIsTriedAgain) {
  const Workplace place;
  place.write("s.toml", with("kind = \"hung_firmware\"\nfor_ms = 900\nat_request = 50\n"));
  for (const char* retries : {"0", "5"}) {
    const Outcome run = place.run({"run", "s.toml", "--out", retries, "--set", "host.timeout_s=0.4", "--set",
                                   std::string("host.retries=") + retries});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr(" 0 mismatches"));
    EXPECT_EQ(with_status(place, retries, "gave up") > 0, *retries == '0');
  }
}

TEST(HostRetries, ADriveWhoseSignatureDoesNotComeIsGivenUp) {
  const Workplace place;
  place.write("s.toml", with("kind = \"hung_firmware\"\nfor_ms = 100_000\nat_request = 290\n"));
  const Outcome run = place.run({"run", "s.toml", "--out", "out", "--set", "host.timeout_s=1"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(with_status(place, "out", "gave up"), 11);  // one was out, and ten came
  EXPECT_THAT(place.read("out/summary.json"), HasSubstr("\"given_up\": 11,"));
}

TEST(HostRetries, OfDamagedFramesTheKeyLimitsTheRetries) {
  const Workplace place;
  place.write("s.toml", with("kind = \"link_crc\"\ncount = 3\nframes = \"data\"\nat_request = 50\n"));
  for (const char* retries : {"0", "3"}) {
    const Outcome run = place.run({"run", "s.toml", "--out", retries, "--set", std::string("host.retries=") + retries});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(with_status(place, retries, "ICRC|ABRT") > 0, *retries == '0');
  }
}

/// The member that does not answer leaves the array, which has lost nothing.
TEST(HostRetries, AnArrayTakesAGivenUpWriteAsTheMembersFailure) {
  const Workplace place;
  std::string text = kHead.substr(0, kHead.find("[drives.d]"));
  text += "[array]\nlevel = \"raid5\"\nmembers = [\"a\", \"b\", \"c\"]\n";
  for (const char* name : {"a", "b", "c"})
    text += std::string("[drives.") + name + "]\nmodel = \"drives/quantum_atlas_10k.toml\"\ncache.write = false\n";
  text += "host.timeout_s = 1\n[[faults]]\ndrive = \"c\"\nkind = \"hung_firmware\"\nfor_ms = 100_000\nat_s = 0.5\n";
  place.write("s.toml", text);
  const Outcome run = place.run({"run", "s.toml", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" 0 mismatches"));
  EXPECT_EQ(with_status(place, "out/array", "ok"), 300);
}

/// The stack becomes slow again and again, while the cache, the media, both arms or a scan are at work.
class SlowSpindle : public ::testing::TestWithParam<const char*> {};

TEST_P(SlowSpindle, HoldsUpWhatIsWrittenUntilItIsAtSpeed) {
  const Workplace place;
  place.write("s.toml", with("kind = \"slow_spindle\"\nrate_per_s = 40\nmost = 60\nfor_ms = 9\npart = 0.69\n"));
  std::vector<std::string> words = {"run", "s.toml", "--out", "out"};
  std::istringstream sets(GetParam());
  for (std::string set; std::getline(sets, set, ' ');) {
    words.emplace_back("--set");
    words.push_back(set);
  }
  const Outcome run = place.run(words);
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_THAT(run.out, HasSubstr(" 0 mismatches"));
  EXPECT_EQ(with_status(place, "out", "ok"), 300);
}
INSTANTIATE_TEST_SUITE_P(Drives, SlowSpindle,
                         ::testing::Values("cache.write=false", "cache.write=true", "cache.write=true arms.count=1",
                                           "cache.write=true cache.look_ahead=true arms.channels=1",
                                           "cache.write=false host.ncq=false arms.count=1",
                                           "background.scan_idle_ms=1 arms.count=1"));

/// A stack that stays slow is a device fault after as long as a spin-up may take. When it is back, so is the drive.
TEST(Faults, AStackThatStaysSlowIsADeviceFaultUntilItIsBack) {
  const Workplace place;
  place.write("s.toml", with("kind = \"slow_spindle\"\nat_s = 0.3\nfor_ms = 1_200\npart = 0.7\n"));
  const Outcome run =
      place.run({"run", "s.toml", "--out", "out", "--set", "firmware.spin_up_limit_s=0.5", "--set", "host.depth=4"});
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_THAT(run.out, HasSubstr(" 0 mismatches"));
  const long failed = with_status(place, "out", "ABRT");
  EXPECT_GT(failed, 20);
  EXPECT_EQ(with_status(place, "out", "ok"), 300 - failed);
  EXPECT_GT(300 - failed, 80);
  const std::string requests = place.read("out/requests.csv");
  EXPECT_EQ(requests.substr(requests.size() - 4), ",ok\n");
}

/// A later try of the sector brings what stands below the defect: no wrong data.
TEST(Faults, ADefectThatHealsHidesNothingFromTheCheckWhenTheSupplyFails) {
  const Workplace place;
  std::string load = "time_s,lbn,sectors,op\n0.01,1000,8,write\n0.1,0,0,flush\n0.2,1000,8,write\n";
  place.write("load.csv", load + "5,1000,8,read\n5.5,1000,8,read\n6,1000,8,read\n");
  place.write("s.toml", std::string(R"([workload]
kind = "trace"
file = "load.csv"
format = "csv"
[drives.d]
model = "drives/quantum_atlas_10k.toml"
media.contents = "memory"
host.verify = true
cache.write = true
channel.ladder = [[3, 0, 0, 0]]
[[drives.d.faults]]
kind = "media_defect"
lbn = 1000
rereads = 2
at_s = 0.15
[[drives.d.faults]]
kind = "power_cut"
at_s = 0.2005
for_ms = 500
)"));
  const Outcome run = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_THAT(run.out, HasSubstr(" 0 mismatches"));
}

TEST(Faults, ASupplyThatFailsEndsWhatAHungProcessorWasAbout) {
  const Workplace place;
  place.write("s.toml",
              with("kind = \"hung_firmware\"\nat_request = 50\nfor_ms = 60\n[[faults]]\nkind = \"power_cut\"\n"
                   "after_request = 49\nat_s = 0.38\nfor_ms = 200\n"));
  const Outcome run = place.run({"run", "s.toml", "--out", "out", "--waves"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(place.read("out/summary.json"), HasSubstr("\"faults_power_cut\": 1,"));
}

TEST(Faults, AStoreHasTipsThatFailAndNoArms) {
  const std::string head =
      "[workload]\nkind = \"open\"\ncount = 100\nrate_per_s = 500\n[drives.m]\nmodel = \"drives/mems/g2.toml\"\n";
  const Workplace place;
  place.write("tip.toml", head + "[[faults]]\nkind = \"dead_tip\"\ntip = 7\nat_request = 10\n");
  EXPECT_EQ(place.run({"run", "tip.toml"}).status, 0);
  place.write("arm.toml", head + "[[faults]]\nkind = \"slow_arm\"\n");
  const Outcome arm = place.run({"check", "arm.toml"});
  EXPECT_EQ(arm.status, 2);
  EXPECT_THAT(arm.err, AllOf(HasSubstr("arm.toml:8"), HasSubstr("a MEMS store has no slow_arm")));
}

}  // namespace
}  // namespace armature
