// host.verify as a person at a terminal sees it.
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

using ::testing::HasSubstr;

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
  EXPECT_THAT(outcome.err, HasSubstr("media.contents_file: is no file of contents"));
  EXPECT_FALSE(place.has("other"));
}

TEST(CliVerify, TwoDrivesDoNotShareAContentsFile) {
  const Workplace place;
  place.write("s.toml", with("contents = \"memory\"", "contents = \"file\"\ncontents_file = \"disk\"") +
                            "[drives.b]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  const Outcome outcome = place.run({"run", "s.toml", "--out", "out"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("in use by another drive"));
}

}  // namespace
}  // namespace armature::testing
