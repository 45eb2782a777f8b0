// The folder of results: one run at a time, nothing of an earlier one; output that cannot be written; waves of nothing.
#include "support/program.h"
#include "support/tree.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::Workplace;

std::string scenario(unsigned count) {
  return "[workload]\nkind = \"closed\"\ncount = " + std::to_string(count) +
         "\noutstanding = 1\n[drives.a]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n";
}

const std::string kShort = scenario(20), kEndless = scenario(2'000'000'000);

TEST(Folder, ASecondRunIntoItIsRefusedWhileTheFirstWrites) {
  const Workplace place;
  place.write("endless.toml", kEndless);
  place.write("short.toml", kShort);
  Outcome second;
  const Outcome first = place.run({"run", "endless.toml", "--quiet", "--out", "r"}, [&](int pid) {
    if (second.status != -1 || !place.has("r/resolved.toml")) return;
    second = place.run({"run", "short.toml", "--quiet", "--out", "r"});
    kill(pid, SIGTERM);
  });
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.err, HasSubstr("r: another run is writing its results there"));
  EXPECT_EQ(first.status, 128 + SIGTERM) << first.err;
  std::istringstream rows(place.read("r/requests.csv"));
  std::string header, row;
  std::getline(rows, header);
  const auto columns = std::count(header.begin(), header.end(), ',');
  while (std::getline(rows, row)) ASSERT_EQ(std::count(row.begin(), row.end(), ','), columns) << row;
  EXPECT_TRUE(place.has("r/summary.json"));
  EXPECT_EQ(place.run({"run", "short.toml", "--quiet", "--out", "r"}).status, 0) << "the first has ended";
}

TEST(Folder, NothingOfARunWithOtherDrivesStays) {
  const Workplace place;
  place.write("one.toml", kShort);
  place.write("two.toml", kShort + "[drives.b]\nmodel = \"drives/hp_335h.toml\"\n");
  const auto run = [&](const char* scenario) {
    const Outcome outcome = place.run({"run", scenario, "--quiet", "--out", "r", "--set", "workload.last_lbn=9999"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  };
  const auto left = [&] {
    std::vector<std::string> names;
    for (const std::string& name : place.contents())
      if (name.rfind("r/", 0) == 0) names.push_back(name);
    return names;
  };
  run("two.toml");
  place.write("r/b/notes.txt", "mine");
  place.write("r/request-3.gtkw", "of the waves of that run");
  place.write("r/other/requests.csv", "somebody else's");
  run("one.toml");
  EXPECT_THAT(left(),
              ElementsAre("r/b", "r/b/notes.txt", "r/energy.csv", "r/events.csv", "r/other", "r/other/requests.csv",
                          "r/report.html", "r/requests.csv", "r/resolved.toml", "r/summary.json"));
  run("two.toml");
  EXPECT_THAT(left(), ElementsAre("r/a", "r/a/energy.csv", "r/a/events.csv", "r/a/requests.csv", "r/b",
                                  "r/b/events.csv", "r/b/notes.txt", "r/b/requests.csv", "r/other",
                                  "r/other/requests.csv", "r/report.html", "r/resolved.toml", "r/summary.json"));
}

TEST(Output, ADiskThatIsFullIsToldByEachCommand) {
  const Workplace place;
  place.write("s.toml", kShort);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet"}).status, 0);
  const std::string drive = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives/hp_335h.toml";
  place.write("t.csv", "time_s,lbn,sectors,op\n0,0,8,R\n");
  const std::vector<std::vector<std::string>> commands = {{"layout", drive},
                                                          {"check", "s.toml"},
                                                          {"check", "s.toml", "--resolved"},
                                                          {"describe"},
                                                          {"describe", "seek", "--tsv"},
                                                          {"explain", "3", "--run", "out"},
                                                          {"trace", "info", "t.csv"},
                                                          {"run", "s.toml"},
                                                          {"--help"},
                                                          {"--version"}};
  for (const auto& command : commands) {
    const Outcome outcome = place.run_onto_full_disk(command);
    EXPECT_EQ(outcome.status, 2) << command[0];
    EXPECT_THAT(outcome.err, HasSubstr("standard output cannot be written: No space left on device")) << command[0];
  }
}

TEST(Waves, ThatHoldNothingAreTold) {
  const Workplace place;
  place.write("s.toml", kShort);
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"run", "s.toml", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return place.run(words);
  };
  const Outcome none = run({"--around", "5000"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("output.around_request: there is no request 5000; the load has 20, from 0"));
  EXPECT_FALSE(place.has("out/summary.json")) << "it is known before the run";
  const Outcome around = run({"--around", "19", "--until", "0.001"}), scope = run({"--scope", "*.dsk.*"}),
                window = run({"--from", "900"});
  EXPECT_EQ(around.status, 2);
  EXPECT_THAT(around.err, HasSubstr("output.around_request: drive a had no request 19 in this run"));
  EXPECT_EQ(scope.status, 2);
  EXPECT_THAT(scope.err, HasSubstr("output.scope: no signal of this scenario is in it"));
  EXPECT_EQ(window.status, 2);
  EXPECT_THAT(window.err, HasSubstr("output.from_s: the run ended before 900 s"));
  EXPECT_TRUE(place.has("out/summary.json")) << "the results are there";
  EXPECT_EQ(run({"--around", "5"}).status, 0);
  EXPECT_EQ(run({"--from", "0.01", "--scope", "*.srv0.*"}).status, 0);
}

TEST(Input, AFolderOrAPipeIsNoTrace) {
  const Workplace place;
  std::filesystem::create_directory(place.path() / "folder");
  ASSERT_EQ(mkfifo((place.path() / "pipe").c_str(), 0600), 0);
  for (const auto& [name, what] : {std::pair{"folder", "is a folder, not a file"}, {"pipe", "is a pipe or a device"}}) {
    place.write("s.toml", std::string("[workload]\nkind = \"trace\"\nfile = \"") + name + "\"\n[drives.a]\n");
    const Outcome outcome = place.run({"check", "s.toml"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.toml:3:8: workload.file: "), HasSubstr(what)));
  }
}

TEST(Input, ARequestHasANumberThatIsNotNegative) {
  const Workplace place;
  place.write("s.toml", kShort);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet"}).status, 0);
  for (const std::string number : {"-1", "3x", "99999999999999999999"}) {
    const Outcome outcome = place.run({"explain", number, "--run", "out"});
    EXPECT_EQ(outcome.status, 2) << number;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(number), HasSubstr("number"))) << number;
  }
}

TEST(Input, WhatMustBeShorterThanARevolutionHasItsKey) {
  const Workplace place;
  place.write("s.toml", kShort);
  const auto check = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> words = {"check", "s.toml"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    return place.run(words);
  };
  const auto expect_refused = [&](const std::vector<std::string>& settings, const char* text) {
    const Outcome outcome = check(settings);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  expect_refused({"seek.head_switch_ms=20"}, "seek.head_switch_ms: a head switch must be shorter than a revolution");
  expect_refused({"seek.write_settle_ms=20"}, "seek.write_settle_ms: settling for a write must be shorter");
  expect_refused({"spindle.rpm=60000", "seek.head_switch_ms=0", "seek.write_settle_ms=0", "arbiter.margin_us=1000"},
                 "arbiter.margin_us: what the arbitration unit leaves for its decision");
  EXPECT_EQ(check({"spindle.rpm=12000"}).status, 0) << "power follows the speed";
}

}  // namespace
}  // namespace armature
