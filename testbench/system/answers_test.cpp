// Which requests of a run are worth a look, its steady state, its periods, and its firmware's rules.
#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace armature {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Workplace;

constexpr const char* kScenario = R"([workload]
kind = "open"
rate_per_s = 110
count = 600
last_lbn = 17000000
[cache]
write = false
[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
)";

std::ptrdiff_t lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Answers, ExplainListsTheSlowestTheLateAndThoseOfATime) {
  const Workplace place;
  place.write("s.toml", kScenario);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet"}).status, 0);
  const json all = json::parse(place.read("out/summary.json"))["drives"][0];
  const Outcome slowest = place.run({"explain", "--slowest", "7"});
  EXPECT_EQ(slowest.status, 0);
  EXPECT_EQ(lines_of(slowest.out), 10) << "the run, a heading, the columns, seven requests";
  EXPECT_THAT(slowest.out, AllOf(HasSubstr("the 7 slowest of 600 requests"),
                                 HasSubstr(std::to_string(all["response"]["all"]["max_ms"].get<double>()))));
  const Outcome at = place.run({"explain", "--at", "2500 ms"});
  EXPECT_EQ(at.status, 0);
  EXPECT_THAT(at.out, HasSubstr("in the system at 2.500000000000 s"));
  std::size_t late = 0;
  for (const auto& cause : all["positioning"]["missed_by_cause"]) late += cause.get<std::size_t>();
  const Outcome missed = place.run({"explain", "--missed", "any"});
  EXPECT_THAT(missed.out, HasSubstr(std::to_string(late) + " request"));
  EXPECT_THAT(place.run({"explain", "--missed", "late_weather"}).err,
              AllOf(HasSubstr("late_firmware"), HasSubstr("late_weather")));
  for (const auto& wrong : {std::vector<std::string>{"explain"},
                            {"explain", "3", "--slowest", "2"},
                            {"explain", "--slowest", "few"},
                            {"explain", "--slowest", "0"},
                            {"explain", "--at", "noon"},
                            {"explain", "--at", "1e9"},
                            {"explain", "3", "--drive", "nosuch"}})
    EXPECT_EQ(place.run(wrong).status, 2);
}

TEST(Answers, ExplainSaysThatTheDriveRecalibratesIfARequestWaitedForAnArm) {
  const Workplace place;
  place.write("s.toml", kScenario);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet"}).status, 0);
  const Outcome without = place.run({"explain", "599"});
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet", "--set", "background.recalibration_s=1"}).status, 0);
  const auto slowest = place.run({"explain", "--slowest", "1"}).out;
  const std::string last = slowest.substr(slowest.rfind('\n', slowest.size() - 2) + 1);
  const Outcome with = place.run({"explain", std::to_string(std::stoul(last))});
  EXPECT_THAT(with.out, AllOf(HasSubstr("Most of the time: drive_queue"),
                              HasSubstr("Recalibrations of the drive's arms in this run: ")));
  EXPECT_THAT(without.out, Not(HasSubstr("ecalibration")));
}

TEST(Answers, TheSteadyStateStandsBesideTheFiguresOfTheWholeRunAndChangesNone) {
  const Workplace place;
  place.write("s.toml", kScenario);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet", "--out", "plain"}).status, 0);
  const Outcome cut = place.run(
      {"run", "s.toml", "--out", "cut", "--set", "output.warm_up=requests", "--set", "output.warm_up_requests=100"});
  ASSERT_EQ(cut.status, 0) << cut.err;
  EXPECT_THAT(cut.out, HasSubstr("steady state: left out"));
  EXPECT_EQ(place.read("plain/requests.csv"), place.read("cut/requests.csv"));
  json with = json::parse(place.read("cut/summary.json"))["drives"][0];
  const json without = json::parse(place.read("plain/summary.json"))["drives"][0];
  EXPECT_EQ(with["steady_state"]["left_out"], 100);
  EXPECT_EQ(with["steady_state"]["all"]["count"], 500);
  with.erase("steady_state");
  EXPECT_EQ(with, without);
}

TEST(Answers, PeriodsGoIntoAPipeThatIsReadWhileTheRunGoesOn) {
  const Workplace place;
  place.write("s.toml", kScenario);
  const std::string pipe = (place.path() / "live").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string text;
  std::thread reader([&] {
    std::ifstream in(pipe);
    for (std::string line; std::getline(in, line);) text += line + "\n";
  });
  const Outcome run =
      place.run({"run", "s.toml", "--quiet", "--set", "output.every_s=1", "--set", "output.every_file=live"});
  reader.join();
  ASSERT_EQ(run.status, 0) << run.err;
  const json summary = json::parse(place.read("out/summary.json"))["drives"][0];
  std::size_t completed = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) completed += json::parse(line)["completed"].get<std::size_t>();
  EXPECT_EQ(completed, 600u);
  EXPECT_EQ(lines_of(text), static_cast<std::ptrdiff_t>(summary["end_s"].get<double>()) + 1);
}

TEST(Answers, FirmwareKeepsToItsRulesAndThatChangesNothing) {
  const Workplace place;
  // Reads, writes and write-back of all sizes: de-staging under way grows, and its progress is asked for.
  place.write("s.toml", R"([workload]
kind = "open"
rate_per_s = 150
count = 1000
read_fraction = 0.6
last_lbn = 17000000
sizes = [[8, 0.6], [64, 0.3], [700, 0.1]]
[drives.cached]
model = "drives/quantum_atlas_10k.toml"
)");
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet", "--out", "plain"}).status, 0);
  const Outcome checked = place.run({"run", "s.toml", "--quiet", "--out", "checked", "--check-firmware"});
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_EQ(place.read("plain/requests.csv"), place.read("checked/requests.csv"));
}

}  // namespace
}  // namespace armature
