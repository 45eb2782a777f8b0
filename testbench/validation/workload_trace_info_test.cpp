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

TEST(TraceInfo, SaysWhatATraceHolds) {
  const Workplace place;
  place.write("t.csv", sequential_trace(4000));
  const Outcome outcome = place.run({"trace", "info", "t.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("t.csv: 4000 requests of 1 device"), HasSubstr("most frequent sizes:  4 KiB"),
                    Not(HasSubstr("no times")), Not(HasSubstr("no response times"))));
  EXPECT_THAT(place.contents(), ElementsAre("t.csv")) << "writes nothing without --out";
}

TEST(TraceInfo, WritesTablesWithExactFiguresAndAPicture) {
  const Workplace place;
  place.write("t.csv", sequential_trace(4001));
  const Outcome outcome = place.run({"trace", "info", "t.csv", "--out", "o"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(place.contents(), ElementsAre("o", "o/gaps.tsv", "o/heat.tsv", "o/idle.tsv", "o/seeks.tsv", "o/sizes.tsv",
                                            "o/summary.tsv", "o/trace.html", "o/trace.svg", "t.csv"));
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
  EXPECT_THAT(place.run({"trace", "info", "i"}).out,
              AllOf(HasSubstr("no times: all requests"), HasSubstr("1 lines of requests that no drive here knows")));
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
