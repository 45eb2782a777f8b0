// `armature trace info` as a process, on traces whose figures are known.
#include "support/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Outcome;
using testing::Workplace;

/// Reads one in four, 10 ms apart, each 8 sectors behind the one before; MSR's format with responses of 2 ms.
std::string sequential_trace(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += fmt::format("{},host,0,{},{},4096,20000\n", 128166372003061629 + i * 100'000L,
                        i % 4 == 0 ? "Read" : "Write", i * 4096L);
  }
  return text;
}

/// value by device and figure.
std::map<std::string, double> summary(const std::string& tsv) {
  std::map<std::string, double> values;
  std::istringstream lines(tsv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "device\tfigure\tunit\tvalue");
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string device, figure, unit, value;
    std::getline(fields, device, '\t');
    std::getline(fields, figure, '\t');
    std::getline(fields, unit, '\t');
    std::getline(fields, value, '\t');
    values[device + "/" + figure] = std::stod(value);
  }
  return values;
}

TEST(TraceInfo, SaysWhatTheLoadOfAScenarioHolds) {
  const Workplace place;
  place.write(
      "s.toml",
      "[workload]\nkind = 'open'\ncount = 20000\nrate_per_s = 50\nalign_sectors = 8\n"
      "mix = [[1, 1, 0, 0.5, 0, 0, 16], [3, 0, 0, 1, 0.1, 0, 8]]\n"
      "[drives.small]\nmodel = 'drives/hp_c3323a.toml'\n[drives.big]\nmodel = 'drives/quantum_atlas_10k.toml'\n");
  Outcome outcome = place.run({"trace", "info", "s.toml", "--out", "out", "--set", "workload.count=40000"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("s.toml: 40000 requests of 2 devices"), HasSubstr("uniform (0)"), HasSubstr("runs (1)")));
  const auto big = summary(place.read("out/summary.tsv"));
  EXPECT_EQ(big.at("runs (1)/writes"), big.at("all/writes"));
  EXPECT_NEAR(big.at("runs (1)/requests"), 30'000, 3.3 * 87);
  EXPECT_GT(big.at("uniform (0)/highest address"), 0.49 * 17'938'986 * 512) << "of the last drive";
  EXPECT_THAT(place.read("out/sizes_by_device.tsv"),
              HasSubstr(fmt::format("0\tR\t16\t16\t{:.0f}\n1\tW\t8\t8\t", big.at("uniform (0)/requests"))));
  outcome = place.run({"trace", "info", "s.toml", "--out", "out", "--drive", "small"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(summary(place.read("out/summary.tsv")).at("all/highest address"), 0.2 * 17'938'986 * 512);
}

TEST(TraceInfo, TakesTheArraysLoadOfAScenarioWithOne) {
  const Workplace place;
  place.write(
      "s.toml",
      "[workload]\ncount = 5000\n[array]\nlevel = 'raid0'\nmembers = ['m*']\n"
      "[drives.m0]\nmodel = 'drives/quantum_atlas_10k.toml'\n[drives.m1]\nmodel = 'drives/quantum_atlas_10k.toml'\n"
      "[drives.alone]\nmodel = 'drives/quantum_atlas_10k.toml'\n");
  const auto highest = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"trace", "info", "s.toml", "--out", "out"});
    const Outcome outcome = place.run(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return summary(place.read("out/summary.tsv")).at("all/highest address") / 512;
  };
  EXPECT_GT(highest({}), 1.9 * 17'938'986);
  EXPECT_GT(highest({"--drive", "array"}), 1.9 * 17'938'986);
  EXPECT_LT(highest({"--drive", "alone"}), 17'938'987);
}

TEST(TraceInfo, RefusesOptionsThatAScenarioOrATraceDoesNotHave) {
  const Workplace place;
  place.write("s.toml", "[drives.a]\nmodel = 'drives/quantum_atlas_10k.toml'\n");
  place.write("t.csv", sequential_trace(10));
  Outcome outcome = place.run({"trace", "info", "s.toml", "--drive", "b"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("s.toml: no drive \"b\" gets the workload by itself"));
  outcome = place.run({"trace", "info", "s.toml", "--format", "spc"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--format is for a trace"));
  outcome = place.run({"trace", "info", "t.csv", "--drive", "a"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--drive is for a scenario"));
}

TEST(TraceInfo, SaysWhatATraceHolds) {
  const Workplace place;
  place.write("t.csv", sequential_trace(4000));
  const Outcome outcome = place.run({"trace", "info", "t.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("t.csv: 4000 requests of 1 device\nread as "), HasSubstr("most frequent sizes:  4 KiB"),
                    Not(HasSubstr("no times")), Not(HasSubstr("no response times"))));
  EXPECT_THAT(place.contents(), ElementsAre("t.csv")) << "writes nothing without --out";
}

TEST(TraceInfo, WritesTablesWithExactFiguresAndAPicture) {
  const Workplace place;
  place.write("t.csv", sequential_trace(4001));
  const Outcome outcome = place.run({"trace", "info", "t.csv", "--out", "o"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(place.contents(),
              ElementsAre("o", "o/gaps.tsv", "o/heat.tsv", "o/idle.tsv", "o/seeks.tsv", "o/sizes.tsv",
                          "o/sizes_by_device.tsv", "o/summary.tsv", "o/trace.html", "o/trace.svg", "t.csv"));
  auto of = summary(place.read("o/summary.tsv"));
  EXPECT_EQ(of["all/requests"], 4001);
  EXPECT_EQ(of["all/reads"], 1001);
  EXPECT_EQ(of["all/written"], 3000 * 4096);
  EXPECT_DOUBLE_EQ(of["all/duration"], 40);
  EXPECT_DOUBLE_EQ(of["all/request rate"], 100);
  EXPECT_DOUBLE_EQ(of["all/gap median"], 0.01);
  EXPECT_NEAR(of["all/gap variation"], 0, 1e-9);
  EXPECT_DOUBLE_EQ(of["all/sequential"], 1);
  EXPECT_DOUBLE_EQ(of["all/response mean"], 0.002);
  EXPECT_DOUBLE_EQ(of["all/idle longest"], 0.008);
  EXPECT_DOUBLE_EQ(of["all/idle share"], 0.8);
  EXPECT_NEAR(of["all/mean in flight"], 4001 * 0.002 / 40, 1e-9);
  EXPECT_NEAR(of["all/footprint"], 4001 * 4096, 0.0325 * 4001 * 4096);
  EXPECT_EQ(of["0/requests"], 4001);
  EXPECT_THAT(place.read("o/trace.svg"), AllOf(HasSubstr("<svg xmlns"), HasSubstr("Addresses over time"),
                                               Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  EXPECT_THAT(place.read("o/trace.html"), AllOf(HasSubstr("<svg "), HasSubstr("most frequent sizes")));
}

TEST(TraceInfo, TakesFormatAndKeysAndSeveralDevices) {
  const Workplace place;
  place.write("t", "1 0 0 8 1\n2 1 8 8 1\n3 1 16 8 0\n");
  EXPECT_THAT(place.run({"trace", "info", "t"}).err, HasSubstr("format = \"disksim\" or \"ssdsim\""));
  const Outcome outcome = place.run({"trace", "info", "t", "--format", "ssdsim", "--set", "workload.devices=[1]"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("t: 2 requests of 1 device\n"));
  EXPECT_THAT(place.run({"trace", "info", "t", "--format", "disksim"}).out, HasSubstr("3 requests of 2 devices"));
  EXPECT_THAT(place.run({"trace", "info", "t", "--format", "ssdsm"}).err,
              HasSubstr("--format: workload.format: \"ssdsm\""));
  EXPECT_THAT(place.run({"trace", "info", "t", "--set", "workload.devics=1"}).err, HasSubstr("did you mean"));
}

TEST(TraceInfo, OfClosedLoopsGoesOnAsTheMeasuredDriveDid) {
  const Workplace place;
  place.write("v", "R Miss 0 8 2000.0 8000.0\nR Miss 8 8 2000.0 8000.0\nW Hit 16 8 2000.0 8000.0\n");
  place.write("i", "fio version 2 iolog\n/f add\n/f open\n/f read 0 4096\n/f read 4096 4096\n/f trim 0 4096\n");
  ASSERT_EQ(place.run({"trace", "info", "v", "--out", "o"}).status, 0);
  auto of = summary(place.read("o/summary.tsv"));
  EXPECT_DOUBLE_EQ(of["all/duration"], 0.02);
  EXPECT_DOUBLE_EQ(of["all/idle median"], 0.008);
  EXPECT_THAT(
      place.run({"trace", "info", "i"}).out,
      AllOf(HasSubstr("no times: all requests"), HasSubstr("1 request of the input was left out: operation trim (1)")));
}

TEST(TraceInfo, ABrokenTraceWritesNothing) {
  const Workplace place;
  place.write("t.csv", sequential_trace(1000) + "128166372103061629,host,0,Read,0\n");
  const Outcome outcome = place.run({"trace", "info", "t.csv", "--out", "o"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "t.csv:1001:33: 5 of 7 fields: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n");
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(place.contents(), ElementsAre("t.csv"));
  EXPECT_EQ(place.run({"trace", "info", "nowhere"}).err, "nowhere: cannot be opened: No such file or directory\n");
  EXPECT_EQ(place.run({"trace"}).status, 2);
  place.write("ok", sequential_trace(3));
  EXPECT_EQ(place.run({"trace", "info", "ok", "--out", "t.csv"}).status, 2) << "a file is in the way";
}

}  // namespace
}  // namespace armature
