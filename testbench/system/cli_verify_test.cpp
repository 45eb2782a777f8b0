// host.verify as a person at a terminal sees it.
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kScenario = R"([workload]
kind = "closed"
count = 2_000
outstanding = 8
read_fraction = 0.5
last_lbn = 4_999
[host]
verify = true
[media]
contents = "memory"
[output]
timelines = 0
[drives.a]
model = "drives/quantum_atlas_10k.toml"
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kScenario;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(CliVerify, ARunSaysHowManySectorsWereCompared) {
  const Workplace place;
  place.write("s.toml", kScenario);
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(place.read("out/summary.json"));
  EXPECT_GT(json["verify"]["sectors_compared"].get<int>(), 5'000);
  EXPECT_EQ(json["verify"]["mismatches"], 0);
  EXPECT_THAT(outcome.out, HasSubstr("sectors compared, 0 mismatches"));
}

TEST(CliVerify, ARunWithoutItSaysNothingOfIt) {
  const Workplace place;
  place.write("s.toml", with("verify = true", "verify = false"));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_FALSE(nlohmann::json::parse(place.read("out/summary.json")).contains("verify"));
}

TEST(CliVerify, ThereMustBeContentsToCompare) {
  const Workplace place;
  place.write("s.toml", with("contents = \"memory\"", "contents = \"none\""));
  for (const char* command : {"run", "check"}) {
    const Outcome outcome = place.run({command, "s.toml"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("s.toml:8:"));
    EXPECT_THAT(outcome.err, HasSubstr("host.verify: there is nothing to compare"));
  }
  EXPECT_EQ(place.contents(), std::vector<std::string>{"s.toml"});
}

/// The first run's writes are in its file. The second writes other data: a blank drive would be expected where the
/// first had written, so that a host which does not know of it must not compare there.
TEST(CliVerify, AContentsFileGoesOnWithTheNextRun) {
  const Workplace place;
  place.write("s.toml", with("contents = \"memory\"", "contents = \"file\"\ncontents_file = \"disk\""));
  for (const char* seed : {"1", "2", "1"}) {
    const Outcome outcome = place.run({"run", "s.toml", "--out", "out", "--seed", seed});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(place.has("disk"));
  }
  place.write("disk", "no contents");
  const Outcome outcome = place.run({"run", "s.toml", "--out", "other"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("s.toml:11:17: drive a: media.contents_file: disk: is no file of contents"));
  EXPECT_FALSE(place.has("other"));
}

TEST(CliVerify, TwoDrivesDoNotShareAContentsFile) {
  const Workplace place;
  place.write("s.toml", with("contents = \"memory\"", "contents = \"file\"\ncontents_file = \"disk\"") +
                            "[drives.b]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("in use by another drive"));
  EXPECT_FALSE(place.has("out")) << "of a run that was none nothing is left";
}

TEST(CliVerify, WhatABlockRefusesLeavesOnlyWhatWasThere) {
  const Workplace place;
  place.write("s.toml", with("contents = \"memory\"", "contents = \"file\"\ncontents_file = \"disk\"") +
                            "[drives.b]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  place.write("out/notes.txt", "mine");
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(place.read("out/notes.txt"), "mine");
  EXPECT_FALSE(place.has("out/a"));
  EXPECT_FALSE(place.has("out/b"));
}

TEST(CliVerify, AFourKnDriveRefusesARequestInsideASectorByItsLineOrWidensIt) {
  const Workplace place;
  const std::string scenario = R"([workload]
kind = "trace"
format = "csv"
file = "t.csv"
[host]
unaligned = "fail"
[drives.a]
model = "drives/wd_ultrastar_hc560_20tb.toml"
[drives.a.geometry]
logical_sector_bytes = 4_096
)";
  place.write("s.toml", scenario);
  place.write("t.csv", "time_s,lbn,sectors,operation\n0,8,8,read\n0.1,16,16,write\n0.2,17,1,read\n");
  const Outcome refused = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("t.csv:4"));
  EXPECT_THAT(refused.err, HasSubstr("whole logical sectors of 4096 bytes"));
  const Outcome widened = place.run({"run", "s.toml", "--out", "out", "--set", "host.unaligned=widen"});
  EXPECT_EQ(widened.status, 0) << widened.err;
  const auto json = nlohmann::json::parse(place.read("out/summary.json"));
  EXPECT_EQ(json["drives"][0]["completed"], 3);
  EXPECT_EQ(json["drives"][0]["failed"], 0);
  EXPECT_EQ(json["drives"][0]["counters"]["soft_resets"], 0);
}

}  // namespace
}  // namespace armature::testing
