// Runs: what they leave, and what must not change them.
#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Outcome;
using ::testing::StartsWith;
using testing::Workplace;

constexpr const char* kOneDrive = R"([workload]
kind = "open"
count = 2000
rate_per_s = 80
read_fraction = 0.7
sizes = [[8, 0.8], [256, 0.2]]

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
)";

constexpr const char* kSecondDrive = R"(
[drives.barracuda]
model = "drives/seagate_barracuda_es_750.toml"
)";

/// A range that both drives have, so that they get the same requests.
constexpr const char* kBothHave = "workload.last_lbn=17000000";

void expect_ok(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

std::ptrdiff_t lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Run, OneDriveLeavesItsFilesInTheDirectory) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  const Outcome outcome = place.run({"run", "s.toml"});
  expect_ok(outcome);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("atlas"), HasSubstr("response time, ms: mean"), HasSubstr("report: out/report.html")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("\r"))) << "no moving line without a terminal";
  for (const char* file : {"out/requests.csv", "out/summary.json", "out/report.html", "out/resolved.toml"})
    EXPECT_TRUE(place.has(file)) << file;
  EXPECT_FALSE(place.has("out/waves.fst"));
  EXPECT_EQ(lines_of(place.read("out/requests.csv")), 2001) << "a header and one row a request";
  const auto summary = nlohmann::json::parse(place.read("out/summary.json"));
  EXPECT_TRUE(summary["complete"].get<bool>());
  EXPECT_THAT(summary["program_version"].get<std::string>(), StartsWith("0."));
  EXPECT_EQ(summary["configuration"]["drives"]["atlas"]["host"]["tags"].get<int>(), 32);
}

TEST(Run, SeveralDrivesHaveFoldersOfTheirOwn) {
  const Workplace place;
  place.write("s.toml", std::string(kOneDrive) + kSecondDrive);
  expect_ok(place.run({"run", "s.toml", "--set", kBothHave, "--out", "r"}));
  for (const char* file :
       {"r/atlas/requests.csv", "r/barracuda/requests.csv", "r/summary.json", "r/report.html", "r/resolved.toml"})
    EXPECT_TRUE(place.has(file)) << file;
  EXPECT_FALSE(place.has("r/requests.csv"));
  EXPECT_NE(place.read("r/atlas/requests.csv"), place.read("r/barracuda/requests.csv"));
}

TEST(Run, QuietSaysNothing) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  const Outcome outcome = place.run({"run", "s.toml", "--quiet"});
  expect_ok(outcome);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(Run, TheCommandLineWinsOverDriveOverSharedSectionsOverDriveFile) {
  const Workplace place;
  place.write("d.toml",
              "[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, 0]]\n"
              "[seek]\naverage_ms = 5\nsingle_track_ms = 1\nfull_stroke_ms = 10\nhead_switch_ms = 0.1\nwrite_settle_ms "
              "= 0.1\n");
  place.write("s.toml",
              "[workload]\ncount = 5\n[seek]\nhead_switch_ms = 0.2\nwrite_settle_ms = 0.2\naverage_ms = 5.2\n"
              "[drives.a]\nmodel = \"d.toml\"\n[drives.a.seek]\nwrite_settle_ms = 0.3\naverage_ms = 5.3\n"
              "[drives.b]\nmodel = \"d.toml\"\n");
  expect_ok(place.run({"run", "s.toml", "--set", "seek.average_ms=5.4ms", "--set", "drives.b.seek.average_ms=5.5"}));
  const auto drives = nlohmann::json::parse(place.read("out/summary.json"))["configuration"]["drives"];
  EXPECT_EQ(drives["a"]["seek"]["single_track_ms"].get<double>(), 1);
  EXPECT_EQ(drives["a"]["seek"]["head_switch_ms"].get<double>(), 0.2);
  EXPECT_EQ(drives["a"]["seek"]["write_settle_ms"].get<double>(), 0.3);
  EXPECT_EQ(drives["b"]["seek"]["write_settle_ms"].get<double>(), 0.2);
  EXPECT_EQ(drives["a"]["seek"]["average_ms"].get<double>(), 5.4);
  EXPECT_EQ(drives["b"]["seek"]["average_ms"].get<double>(), 5.5) << "named wins over shared";
}

TEST(Run, TheResolvedConfigurationGivesTheSameRun) {
  const Workplace place;
  place.write("s.toml", std::string(kOneDrive) + kSecondDrive);
  expect_ok(place.run({"run", "s.toml", "--set", kBothHave, "--seed", "7", "--set", "host.policy=sptf", "--out", "a"}));
  expect_ok(place.run({"run", "a/resolved.toml", "--out", "b"}));
  for (const char* drive : {"atlas", "barracuda"})
    EXPECT_EQ(place.read(std::filesystem::path("a") / drive / "requests.csv"),
              place.read(std::filesystem::path("b") / drive / "requests.csv"));
  expect_ok(place.run({"run", "a/resolved.toml", "--seed", "8", "--out", "c"}));
  EXPECT_NE(place.read("a/atlas/requests.csv"), place.read("c/atlas/requests.csv")) << "the seed is of use";
}

TEST(Run, WavesChangeNothing) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  expect_ok(place.run({"run", "s.toml", "--out", "off"}));
  expect_ok(place.run({"run", "s.toml", "--out", "on", "--waves"}));
  expect_ok(place.run({"run", "s.toml", "--out", "window", "--from", "1 s", "--to", "1100 ms", "--scope", "*.srv0.*"}));
  expect_ok(place.run({"run", "s.toml", "--out", "around", "--around", "500"}));
  const std::string expected = place.read("off/requests.csv");
  for (const char* run : {"on", "window", "around"}) {
    EXPECT_EQ(place.read(std::filesystem::path(run) / "requests.csv"), expected) << run;
    EXPECT_TRUE(place.has(std::filesystem::path(run) / "waves.fst")) << run;
    EXPECT_TRUE(place.has(std::filesystem::path(run) / "waves.gtkw")) << run;
  }
  EXPECT_GT(std::filesystem::file_size(place.path() / "on/waves.fst"),
            2 * std::filesystem::file_size(place.path() / "window/waves.fst"));
}

TEST(Run, ADriveAloneDoesWhatItDoesBesideOthers) {
  const Workplace place;
  place.write("one.toml", kOneDrive);
  std::string eight = std::string(kSecondDrive) + kOneDrive;
  // Seven others, of which one is faster, one queues otherwise, and each ends at another time.
  for (int i = 0; i < 6; ++i)
    eight += "\n[drives.other" + std::to_string(i) + "]\nmodel = \"drives/quantum_atlas_10k.toml\"\n[drives.other" +
             std::to_string(i) + ".spindle]\nrpm = " + std::to_string(5400 + 1500 * i) + "\n";
  eight += "[drives.other3.host]\npolicy = \"clook\"\ntags = 4\n";
  place.write("eight.toml", eight);
  expect_ok(place.run({"run", "one.toml", "--set", kBothHave, "--out", "one"}));
  expect_ok(place.run({"run", "eight.toml", "--set", kBothHave, "--out", "eight"}));
  EXPECT_EQ(place.read("one/requests.csv"), place.read("eight/atlas/requests.csv"));
}

TEST(Run, WhereTheKernelIsStoppedToLookAroundChangesNothing) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  expect_ok(place.run({"run", "s.toml", "--out", "free"}));
  const std::string expected = place.read("free/requests.csv");
  for (const char* slice_ps : {"1000000007", "99999937", "1000000000000000"}) {
    expect_ok(place.run({"run", "s.toml", "--out", slice_ps, "--slice", slice_ps}));
    EXPECT_EQ(place.read(std::filesystem::path(slice_ps) / "requests.csv"), expected) << slice_ps;
  }
}

TEST(Run, UntilEndsTheRunThereAndSaysSo) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  expect_ok(place.run({"run", "s.toml", "--out", "whole"}));
  const Outcome outcome = place.run({"run", "s.toml", "--out", "part", "--until", "5 s"});
  expect_ok(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("not complete: simulation.until_s was reached"));
  const auto summary = nlohmann::json::parse(place.read("part/summary.json"));
  EXPECT_FALSE(summary["complete"].get<bool>());
  EXPECT_EQ(summary["run"]["simulated_s"].get<double>(), 5);
  const std::string part = place.read("part/requests.csv");
  EXPECT_GT(lines_of(part), 200) << "about 80 a second";
  EXPECT_EQ(place.read("whole/requests.csv").substr(0, part.size()), part) << "the beginning of the whole run";
}

/// A long run that gets `signal` when it has written some rows.
void expect_partial_results(int signal) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  bool sent = false;
  const Outcome outcome = place.run({"run", "s.toml", "--set", "workload.count=50000000"}, [&](int pid) {
    if (sent || !place.has("out/requests.csv") ||
        std::filesystem::file_size(place.path() / "out/requests.csv") < 200'000)
      return;
    kill(pid, signal);
    sent = true;
  });
  EXPECT_EQ(outcome.status, 128 + signal) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not complete: stopped by the user"));
  const auto summary = nlohmann::json::parse(place.read("out/summary.json"));
  EXPECT_FALSE(summary["complete"].get<bool>());
  const std::string rows = place.read("out/requests.csv");
  EXPECT_EQ(rows.back(), '\n') << "whole rows";
  EXPECT_EQ(lines_of(rows) - 1, summary["drives"][0]["completed"].get<std::ptrdiff_t>());
  EXPECT_GT(lines_of(rows), 1000);
  EXPECT_THAT(place.read("out/report.html"), HasSubstr("</html>"));
}

TEST(Run, CtrlCLeavesValidPartialResults) {
  expect_partial_results(SIGINT);
}
TEST(Run, SigtermDoesToo) {
  expect_partial_results(SIGTERM);
}
TEST(Run, SoDoesATerminalThatCloses) {
  expect_partial_results(SIGHUP);
}

TEST(Run, ARunWithoutProgressEndsWithADiagnosis) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  // Each read waits a second before it starts; the run is told that 50 ms in which nothing happens are too long.
  const Outcome outcome = place.run({"run", "s.toml", "--set", "overheads.read_miss_us=1e6", "--set",
                                     "simulation.stall_s=0.05", "--set", "host.tags=1"});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("no progress at "), HasSubstr("simulation.stall_s"), HasSubstr("wait in the host"),
                    HasSubstr("request 0: "), HasSubstr("the adapter waits for the drive to complete tags 0")));
  EXPECT_FALSE(nlohmann::json::parse(place.read("out/summary.json"))["complete"].get<bool>());
}

TEST(Run, RequestsThatWaitForABatchAreNoStall) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  const Outcome outcome = place.run({"run", "s.toml", "--set", "simulation.stall_s=0.05", "--set", "host.batch_s=300"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(place.read("out/summary.json"));
  EXPECT_GT(summary["drives"][0]["response"]["all"]["max_ms"].get<double>(), 299'000);
}

TEST(Run, ALargeReadOfASlowDriveIsProgress) {
  const Workplace place;
  place.write("s.toml",
              "[workload]\ncount = 1\nsize_sectors = 65_536\n"
              "[drives.slow]\nmodel = \"drives/hp_c3323a.toml\"\nspindle.rpm = 60\n");
  const Outcome outcome = place.run({"run", "s.toml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(place.read("out/summary.json"));
  EXPECT_GT(summary["run"]["simulated_s"].get<double>(), 400) << "a revolution a second, some 130 sectors each";
  EXPECT_EQ(summary["drives"][0]["completed"], 1);
}

TEST(Run, ASlowLinkAStackThatComesToSpeedAndALongHandlerAreProgress) {
  const Workplace place;
  place.write("s.toml",
              "[workload]\ncount = 1\nsize_sectors = 4_096\n"
              "[drives.slow]\nmodel = \"drives/hp_c3323a.toml\"\nlink.bus_us_per_sector = 100_000\n"
              "spindle.initially_spinning = false\nspindle.spin_up_s = 600\nfirmware.spin_up_limit_s = 0\n"
              "controller.cpu_mhz = 1\nfirmware.reset_cycles = 1_000_000_000\n"
              "firmware.read_command_cycles = 900_000_000\n");
  const Outcome outcome = place.run({"run", "s.toml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(place.read("out/summary.json"));
  // The command is taken while the stack comes to speed, and its handler ends later.
  EXPECT_GT(summary["run"]["simulated_s"].get<double>(), 1'000 + 900 + 409.6);
  EXPECT_LT(summary["run"]["simulated_s"].get<double>(), 1'000 + 600 + 900 + 409.6);
}

/// The last arm that fails on its way to the ramp or from there: the drive stays with its device fault, where it took
/// itself for ready and waited for arms that never came.
TEST(Run, TheLastArmMayFailAtAnyTimeOfAStandby) {
  const Workplace place;
  place.write("t.csv", "time_s,lbn,sectors,op\n0,69,8,R\n2.2,5300,8,W\n4.5,61,8,R\n4.51,6100,8,R\n9,77,8,W\n");
  place.write("s.toml",
              "[workload]\nkind = \"trace\"\nfile = \"t.csv\"\n[host]\nstandby_after_s = 0.1\n"
              "[drives.d]\ngeometry.zones = [[0, 99, 100, 16, 0, 0]]\narms.count = 2\n"
              "seek.load_ms = 300.0\nseek.unload_ms = 400.0\nspindle.spin_up_s = 1.0\nspindle.spin_down_s = 0.7\n");
  // On its way down: unloading until 0.5 s, the stack until 1.2 s; up from 2.2 s on, loading from 3.2 to 3.5 s.
  for (const double at : {0.05, 0.2, 0.45, 0.8, 1.5, 2.5, 3.3, 3.45, 3.7, 4.1, 5.0}) {
    for (const double first : {0.01, at - 0.03}) {
      const std::string failures = "[{kind = \"stuck_arm\", arm = 1, at_s = " + std::to_string(first) +
                                   "}, {kind = \"stuck_arm\", arm = 0, at_s = " + std::to_string(at) + "}]";
      const Outcome outcome = place.run({"run", "s.toml", "--out", "out", "--set", "drives.d.faults=" + failures});
      EXPECT_EQ(outcome.status, 0) << failures << "\n" << outcome.err;
      const auto drive = nlohmann::json::parse(place.read("out/summary.json"))["drives"][0];
      EXPECT_EQ(drive["completed"], 5) << failures;
      EXPECT_GE(drive["failed"].get<int>(), 1) << failures;
    }
  }
}

/// A decision that a withdrawal cuts short at the end of a run was counted with waves only.
TEST(Run, UtilisationsAreThoseOfTheRunWithWaves) {
  const Workplace place;
  place.write("t.csv", "t_us,op,lba,sectors\n73628.691,R,5,8\n84257.336,R,5,8\n102664.392,R,5,16\n");
  place.write("s.toml", R"([workload]
kind = "trace"
file = "t.csv"
[drives.a]
model = "drives/seagate_barracuda_es_750_5200.toml"
geometry.heads = 2
arms.count = 2
arms.range = "split"
arms.design = "MC"
faults = [{kind = "stuck_arm", at_s = 0.0453, arm = 0}, {kind = "dead_head", at_s = 0.0036, arm = 0, surface = 0, head = 0}, {kind = "dead_head", at_s = 0.0015, arm = 0, surface = 0}, {kind = "dead_head", at_s = 0.0011, arm = 1, surface = 1, head = 0}]
buffer.size = 1036
spindle.spin_down_s = 6.95
spindle.initially_spinning = false
arbiter.clock_mhz = 1.0
arbiter.margin_us = 5.26
)");
  expect_ok(place.run({"run", "s.toml", "--out", "plain"}));
  expect_ok(place.run({"run", "s.toml", "--out", "waves", "--waves"}));
  const auto plain = nlohmann::json::parse(place.read("plain/summary.json"))["utilisation"];
  EXPECT_EQ(plain, nlohmann::json::parse(place.read("waves/summary.json"))["utilisation"]);
  EXPECT_GT(plain.size(), 5u);
}

/// Drives without lines of their own take a segment for them, whose slots of the arbitration unit were not reckoned
/// with.
TEST(Run, WrittenDataInASegmentHaveSlotsOfTheArbitrationUnit) {
  const Workplace place;
  place.write("t.csv",
              "time_s,lbn,sectors,op\n0.045457515,69,8,R\n0.049199487,53,8,W\n0.076685453,61,8,W\n"
              "0.085284690,77,8,W\n0.092610074,85,8,W\n");
  place.write("s.toml",
              "[workload]\nkind = \"trace\"\nfile = \"t.csv\"\n"
              "[drives.d]\ngeometry.zones = [[0, 2, 17, 16, 0, 0]]\n");
  for (const char* set : {"host.tags=1024", "host.tags=1023", "host.tags=992", "host.tags=993"})
    expect_ok(place.run({"run", "s.toml", "--set", set}));
  expect_ok(place.run({"run", "s.toml", "--set", "arbiter.model=lockstep", "--set", "arbiter.lanes=1"}));
}

TEST(Run, ATraceThatBreaksFurtherOnLeavesResultsThatSaySo) {
  const Workplace place;
  std::string trace = "time_us,op,lbn,sectors\n";
  // Further than the beginning that is read before the run.
  for (int i = 0; i < 70'000; ++i)
    trace += std::to_string(i * 20'000L) + ",read," + std::to_string(i % 1000 * 1000) + ",8\n";
  place.write("t.csv", trace + "oops\n");
  place.write(
      "s.toml",
      "[workload]\nkind = \"trace\"\nfile = \"t.csv\"\n[drives.a]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  const Outcome outcome = place.run({"run", "s.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("t.csv:70002"));
  const auto summary = nlohmann::json::parse(place.read("out/summary.json"));
  EXPECT_FALSE(summary["complete"].get<bool>());
  EXPECT_THAT(summary["reason"].get<std::string>(), HasSubstr("t.csv:70002"));
  EXPECT_GT(lines_of(place.read("out/requests.csv")), 69'000);
  const Outcome check = place.run({"check", "s.toml"});
  EXPECT_EQ(check.status, 2) << "check reads it all";
  EXPECT_THAT(check.err, StartsWith(place.path().string() + "/t.csv:70002"));
}

TEST(Run, AStudyIsLabelled) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  const Outcome outcome = place.run({"run", "s.toml", "--set", "host.policy=sptf", "--set", "host.tags=256"});
  expect_ok(outcome);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("study: atlas: position oracle"), HasSubstr("study: atlas: study tags")));
  EXPECT_THAT(nlohmann::json::parse(place.read("out/summary.json"))["labels"].size(), 2u);
}

TEST(Run, FilesNamedOnTheCommandLineAreRelativeToTheWorkingDirectory) {
  const Workplace place;
  place.write("scenarios/s.toml", kOneDrive);
  place.write("here/t.csv", "time_us,op,lbn,sectors\n0,read,0,8\n5,write,100,8\n");
  expect_ok(
      place.run({"run", "scenarios/s.toml", "--set", "workload.kind=trace", "--set", "workload.file=here/t.csv"}));
  EXPECT_EQ(lines_of(place.read("out/requests.csv")), 3);
}

TEST(Run, LogLevelsGoByModule) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  const Outcome outcome = place.run({"run", "s.toml", "-q", "--log", "*=info"});
  expect_ok(outcome);
  // The kernel's own report at the end of a simulation is a line of the log.
  EXPECT_THAT(outcome.err, HasSubstr("info "));
  EXPECT_THAT(place.run({"run", "s.toml", "-q", "--log", "*=info", "--log", "*=error"}).err, IsEmpty());
}

TEST(Run, TheExampleOfTheHelpForLogPrintsARequestALine) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  const std::string help = place.run({"run", "--help"}).out;
  const std::string example = "*.disk.*=debug";
  ASSERT_THAT(help, HasSubstr(example));
  const Outcome outcome = place.run({"run", "s.toml", "-q", "--log", example});
  expect_ok(outcome);
  EXPECT_EQ(lines_of(outcome.err), lines_of(place.read("out/requests.csv")) - 1) << outcome.err.substr(0, 500);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("debug "), HasSubstr(".disk.requests: request 0: "), HasSubstr(" took ")));
  EXPECT_THAT(place.run({"run", "s.toml", "-q", "--log", "*.disk.*=trace"}).err, HasSubstr(" arrived\n"));
}

TEST(Run, TheVersionIsACommandAndAnOption) {
  const Workplace place;
  const Outcome outcome = place.run({"version"});
  expect_ok(outcome);
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("armature [0-9].*\n"));
  EXPECT_EQ(place.run({"--version"}).out, outcome.out);
}

TEST(Explain, TellsTheLifeOfARequest) {
  const Workplace place;
  place.write("s.toml", std::string(kOneDrive) + kSecondDrive);
  expect_ok(place.run({"run", "s.toml", "--set", kBothHave}));
  const Outcome outcome = place.run({"explain", "42", "--drive", "atlas"});
  expect_ok(outcome);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("42"), HasSubstr("rotation")));
  EXPECT_EQ(place.run({"explain", "42"}).status, 2) << "which drive?";
  EXPECT_EQ(place.run({"explain", "42", "--run", "nowhere"}).status, 2);
  EXPECT_EQ(place.run({"explain", "99999", "--drive", "atlas"}).status, 2);
}

TEST(Explain, TakesTheLatestRunIfNoneIsNamed) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  expect_ok(place.run({"run", "s.toml", "--out", "out/first", "--around", "42"}));
  expect_ok(place.run({"run", "s.toml", "--out", "out/second", "--around", "42", "--seed", "99"}));
  std::filesystem::last_write_time(
      place.path() / "out/first/resolved.toml",
      std::filesystem::last_write_time(place.path() / "out/second/resolved.toml") - std::chrono::seconds(2));
  Outcome outcome = place.run({"explain", "42"});
  expect_ok(outcome);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Run out/second\n"), HasSubstr("gtkwave out/second/waves.fst"),
                                 Not(HasSubstr("The run was not finished"))));
  std::filesystem::last_write_time(
      place.path() / "out/first/resolved.toml",
      std::filesystem::last_write_time(place.path() / "out/second/resolved.toml") + std::chrono::seconds(2));
  EXPECT_THAT(place.run({"explain", "42"}).out, HasSubstr("Run out/first\n"));
}

TEST(Explain, NamesACommandThatMakesTheWaves) {
  const Workplace place;
  place.write("s.toml", kOneDrive);
  expect_ok(place.run({"run", "s.toml"}));
  const std::string text = place.run({"explain", "42"}).out;
  const std::string command = "armature run out/resolved.toml --out out-waves --around 42";
  ASSERT_THAT(text, HasSubstr(command));
  expect_ok(place.run({"run", "out/resolved.toml", "--out", "out-waves", "--around", "42"}));
  EXPECT_TRUE(place.has("out-waves/waves.fst"));
}

}  // namespace
}  // namespace armature
