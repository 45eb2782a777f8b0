// Bad input: one message with file and line, what is allowed, exit status 2, nothing written.
#include "support/program.h"
#include "support/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include <algorithm>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kGood;
using ::testing::Not;
using testing::Outcome;
using ::testing::StartsWith;
using testing::Workplace;

/// Runs `scenario` with further arguments, expects status 2 with nothing written, and returns the message.
std::string refused(const std::string& scenario, std::vector<std::string> arguments = {}) {
  const Workplace place;
  place.write("s.toml", scenario);
  arguments.insert(arguments.begin(), {"run", "s.toml"});
  const Outcome outcome = place.run(arguments);
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(place.contents(), ElementsAre("s.toml")) << "nothing is written for bad input";
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "one message: " << outcome.err;
  return outcome.err;
}

std::string with(const std::string& more) {
  return std::string(kGood) + more;
}

TEST(CommandLine, TellsItsVersionAndHelp) {
  const Workplace place;
  const Outcome version = place.run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, StartsWith("armature 0."));
  const Outcome help = place.run({"run", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("--set"), HasSubstr("--waves"), HasSubstr("--out"), Not(HasSubstr("--slice"))));
}

TEST(CommandLine, WrongOptionsEndWithStatusTwo) {
  const Workplace place;
  EXPECT_EQ(place.run({}).status, 2);
  EXPECT_EQ(place.run({"fly"}).status, 2);
  EXPECT_EQ(place.run({"run"}).status, 2);
  EXPECT_EQ(place.run({"run", "a.toml", "--frobnicate"}).status, 2);
  EXPECT_EQ(place.run({"explain", "x"}).status, 2);
}

TEST(BadInput, AMissingScenarioIsNamed) {
  const Workplace place;
  const Outcome outcome = place.run({"run", "missing.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "missing.toml: cannot be read: No such file or directory\n");
}

TEST(BadInput, AMisspeltKeyOrSectionHasItsLineAndTheNearestName) {
  EXPECT_EQ(refused(with("[seek]\nwrite_setle_ms = 1\n")),
            "s.toml:8:1: seek.write_setle_ms: no such key; did you mean \"write_settle_ms\"?\n");
  EXPECT_EQ(refused(with("[wrokload]\ncount = 1\n")),
            "s.toml:7:2: wrokload: no such section; did you mean \"workload\"?\n");
  EXPECT_EQ(refused(with("[drives.atlas.hots]\ntags = 1\n")),
            "s.toml:7:15: drives.atlas.hots: no such section; did you mean \"host\"?\n");
}

TEST(BadInput, AValueOutOfRangeSaysWhatIsAllowed) {
  EXPECT_EQ(refused(with("[host]\ntags = 2000\n")),
            "s.toml:8:8: host.tags: 2000 is out of range; allowed: 1 to 1024\n");
  EXPECT_THAT(refused(with("[spindle]\nrpm = nan\n")), StartsWith("s.toml:8:7: spindle.rpm: nan is not allowed"));
  EXPECT_THAT(refused(with("[seek]\nwrite_settle_ms = \"7200 rpm\"\n")),
              AllOf(StartsWith("s.toml:8:19: seek.write_settle_ms: \"7200 rpm\" is a rotational speed"),
                    HasSubstr("a time is expected (ps, ns, us, ms")));
}

TEST(BadInput, AnErrorInTheDriveFileNamesTheDriveFile) {
  const Workplace place;
  place.write("d.toml", "[spindle]\nrpm = -1\n");
  place.write("s.toml", "[drives.a]\nmodel = \"d.toml\"\n");
  const Outcome outcome = place.run({"run", "s.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("d.toml:2:7: spindle.rpm: -1 rpm is out of range"), Not(HasSubstr("s.toml"))));
}

TEST(BadInput, AnErrorOnTheCommandLineNamesTheOption) {
  EXPECT_THAT(refused(kGood, {"--set", "host.tags=0"}), StartsWith("--set host.tags: host.tags: 0 is out of range"));
  EXPECT_THAT(refused(kGood, {"--set", "host.tgas=1"}), StartsWith("--set host.tgas: host.tgas: no such key"));
  EXPECT_THAT(refused(kGood, {"--until", "5 rpm"}),
              StartsWith("--until: simulation.until_s: \"5 rpm\" is a rotational"));
  EXPECT_THAT(refused(kGood, {"--seed", "-1"}), StartsWith("--seed: simulation.seed: -1 is out of range"));
  EXPECT_THAT(refused(kGood, {"--log", "x"}), StartsWith("--log x: GLOB=LEVEL is expected"));
}

TEST(BadInput, DrivesAreSectionsOnTheCommandLineToo) {
  for (const char* told : {"5", "[1]", "\"x\""})
    EXPECT_THAT(refused(kGood, {"--set", std::string("drives=") + told}),
                HasSubstr("drives: a section for each drive"));
  EXPECT_THAT(refused(kGood, {"--set", "drives={}"}), HasSubstr("drives: nothing is set"));
}

TEST(BadInput, ANameThatNoFolderCanHaveIsAMessage) {
  EXPECT_THAT(refused(kGood, {"--out", std::string(300, 'x')}), HasSubstr("xxx: File name too long"));
}

TEST(BadInput, ADriveThatCannotBeIsRefusedBeforeAnythingIsWritten) {
  // Two zones with a gap between them; a seek curve that falls.
  EXPECT_THAT(refused(with("[geometry]\nzones = [[0, 9, 100, 0, 0, 0], [20, 29, 90, 0, 0, 0]]\nslips = []\n")),
              AllOf(StartsWith("s.toml:8:9: drive atlas: geometry.zones row 2"), Not(HasSubstr("internal"))));
  EXPECT_THAT(refused(with("[seek]\ntable = []\nsingle_track_ms = 9\naverage_ms = 5\nfull_stroke_ms = 10\n")),
              StartsWith("s.toml:7:1: drive atlas: "));
  EXPECT_THAT(refused(with("[link]\nrate_gbps = 2\n")), HasSubstr("1.5"));
  EXPECT_THAT(refused(with("[cache]\nlow_water = 0.9\n")), StartsWith("s.toml:8:13: drive atlas: cache.low_water: "));
  EXPECT_THAT(refused(with("[cache]\nwrite = true\n[host]\ntags = 1000\n")),
              StartsWith("s.toml:10:8: drive atlas: host.tags: with a write cache at most 992"));
  EXPECT_THAT(refused(with("[cache]\nwrite = true\n[buffer]\nwrite_share = 0.001\n")),
              StartsWith("s.toml:10:15: drive atlas: buffer.write_share: "));
  EXPECT_THAT(refused(with("[arms]\nheads = 4\n[geometry]\nzones = [[0, 1, 100, 0, 0, 0]]\nslips = []\n")),
              StartsWith("s.toml:7:1: drive atlas: arms.head_spacing_cylinders: "))
      << "of the section, without the key";
  EXPECT_THAT(refused(with("[host]\ntags = 4\ndepth = 5\n")), HasSubstr("depth"));
  EXPECT_THAT(refused(with("[buffer]\nsegments = 1024\nsize_kib = 64\n")), HasSubstr("segment"));
}

TEST(BadInput, BackgroundReadsBeyondTheDriveAreRefusedAtTheirKey) {
  const std::string scenario = with("[host]\nbackground_outstanding = 2\nbackground_ranges = [[0, 99_999_999_999]]\n");
  const std::string said = "s.toml:9:21: drive atlas: host.background_ranges: 99999999999 sectors from 0 on";
  EXPECT_THAT(refused(scenario), StartsWith(said));
  const Workplace place;
  place.write("s.toml", scenario);
  EXPECT_THAT(place.run({"check", "s.toml"}).err, StartsWith(said));
}

TEST(BadInput, AGovernorThatCannotWorkIsRefusedAtItsKey) {
  const std::string drive = with(
      "model = \"drives/hitachi_ultrastar_a7k1000.toml\"\narms.count = 2\n"
      "spindle.speeds_rpm = [5_400]\ngovernor.objective = \"watts\"\ngovernor.cap_w = 9\n");
  const std::string scenario = drive.substr(0, drive.find("model")) + drive.substr(drive.rfind("model"));
  EXPECT_THAT(refused(scenario + "governor.settings = [[5_400, 2, 0, 4], [7_200, 2, 0, 4]]\n"),
              StartsWith("s.toml:11:21: drive atlas: governor.settings: row 2 saves nothing that row 1 does not"));
  EXPECT_THAT(refused(scenario, {"--set", "drives.atlas.governor.objective=share"}),
              AllOf(HasSubstr("governor.objective: \"share\" needs an array"), HasSubstr("\"watts\"")));
}

TEST(BadInput, ALoadThatADriveCannotHaveIsRefusedAtItsKey) {
  EXPECT_THAT(refused("[workload]\ncount = 1\nlast_lbn = 999_999_999_999\n"
                      "[drives.a]\nmodel = \"drives/quantum_atlas_10k.toml\"\n"),
              StartsWith("s.toml:3:12: workload, for drive a: workload.last_lbn = 999999999999 is outside"));
}

TEST(BadInput, AScenarioNeedsADrive) {
  EXPECT_THAT(refused("[workload]\ncount = 1\n"), StartsWith("s.toml:1: no drive: a section [drives.NAME]"));
  EXPECT_THAT(refused("[drives.a]\nmodel = \"nowhere.toml\"\n"),
              AllOf(StartsWith("s.toml:2:9: drives.a.model: there is no file "), HasSubstr("scenarios/nowhere.toml")));
  EXPECT_THAT(refused("[drives.\"a b\"]\nmodel = \"drives/quantum_atlas_10k.toml\"\n"),
              HasSubstr("a drive's name is made of letters"));
  EXPECT_THAT(refused("[drives]\na = 5\n"), StartsWith("s.toml:2:5: drives.a: is a section"));
}

TEST(BadInput, TheTraceIsOpenedBeforeAnythingIsWritten) {
  EXPECT_THAT(
      refused(
          "[workload]\nkind = \"trace\"\nfile = \"no.csv\"\n[drives.a]\nmodel = \"drives/quantum_atlas_10k.toml\"\n"),
      StartsWith("s.toml:3:8: workload.file: there is no file "));
  const Workplace place;
  place.write("t.csv", "time_us,op,lbn,sectors\nlater,read,0,8\n");
  place.write(
      "s.toml",
      "[workload]\nkind = \"trace\"\nfile = \"t.csv\"\n[drives.a]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  const Outcome outcome = place.run({"run", "s.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("t.csv:2"), Not(HasSubstr("s.toml"))));
  EXPECT_THAT(place.contents(), ElementsAre("s.toml", "t.csv"));
}

TEST(BadInput, ColumnsThatAKeyNamesAreRefusedAtThatKey) {
  const Workplace place;
  place.write("t.csv", "0,0,8,R\n");
  place.write("s.toml",
              "[workload]\nkind = \"trace\"\nfile = \"t.csv\"\nheader = [\"time_s\", \"a\", \"sectors\", \"op\"]\n"
              "[drives.a]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  EXPECT_THAT(place.run({"check", "s.toml"}).err,
              StartsWith("s.toml:4:10: workload, for drive a: workload.header: no column is the address"));
}

TEST(BadInput, TheWavesNeedAWindow) {
  EXPECT_THAT(refused(kGood, {"--from", "2", "--to", "1"}), HasSubstr("output.to_s"));
  EXPECT_THAT(refused(kGood, {"--from", "2", "--around", "1"}), HasSubstr("output.around_request"));
  EXPECT_THAT(refused(kGood, {"--around", "1", "--set", "output.around_drive=b"}), HasSubstr("has no drive \"b\""));
  EXPECT_THAT(refused(with("[output]\nto_s = 2\naround_request = 1\n")),
              StartsWith("s.toml:9:18: output.around_request: stands in place of"));
  EXPECT_THAT(refused(with("[output]\nfrom_s = 2\nto_s = 1\n")), StartsWith("s.toml:9:8: output.to_s: "));
}

TEST(BadInput, ADirectoryThatCannotBeMadeIsAMessage) {
  const Workplace place;
  place.write("s.toml", kGood);
  place.write("file", "in the way");
  const Outcome outcome = place.run({"run", "s.toml", "--out", "file/out"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("file"));
  EXPECT_EQ(place.read("file"), "in the way");
}

TEST(Check, DefectsGrowAtFractionsOfASecond) {
  const Workplace place;
  place.write("s.toml", with("[[faults]]\nkind = \"media_defect\"\nlbn = 5_000\nat_s = 0.25\n"));
  EXPECT_EQ(place.run({"check", "s.toml"}).status, 0);
}

TEST(Check, SaysWhatAScenarioHolds) {
  const Workplace place;
  place.write("s.toml", kGood);
  const Outcome outcome = place.run({"check", "s.toml", "--set", "host.policy=sptf", "--set", "host.tags=64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 17,938,986 blocks: the drive's capacity in its product manual.
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("s.toml: in order"), HasSubstr("17938986 sectors, 100 requests"),
                                 HasSubstr("study: atlas: position oracle"), HasSubstr("study: atlas: study tags")));
  EXPECT_THAT(place.contents(), ElementsAre("s.toml"));
}

TEST(Check, FindsWhatRunWouldRefuse) {
  const Workplace place;
  place.write("s.toml", with("[geometry]\nzones = []\n"));
  const Outcome outcome = place.run({"check", "s.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("s.toml:8:9: drive atlas: geometry.zones"));
}

/// Requests off whole logical sectors were found only when `run` got there.
TEST(Check, LooksAtRequestsOnADriveOfLargeLogicalSectors) {
  const std::string drive =
      "[drives.a]\n[drives.a.geometry]\nzones = [[0, 99, 800, 0, 0, 0]]\nphysical_sector_bytes = 4096\n"
      "logical_sector_bytes = 4096\n";
  const std::string load = "[workload]\ncount = 20\nsize_sectors = 7\n";
  EXPECT_THAT(refused(load + drive),
              AllOf(StartsWith("s.toml:1:1: workload, for drive a: request 0 of 7 sectors at LBN "),
                    HasSubstr("whole logical sectors of 4096 bytes (host.unaligned")));
  const Workplace place;
  place.write("s.toml", load + drive);
  EXPECT_EQ(place.run({"check", "s.toml"}).status, 2);
  EXPECT_EQ(place.run({"check", "s.toml", "--set", "host.unaligned=widen"}).status, 0);
}

TEST(Check, ARefusalOfAFileAsAWholeHasALine) {
  const Workplace place;
  place.write("d.toml", "[spindle]\nrpm = 7200\n[geometry]\nzones = [[0, 9, 100, 0, 0, 0]]\n");
  EXPECT_THAT(place.run({"check", "d.toml", "--set", "a.b=1"}).err, Not(HasSubstr("internal")));
  EXPECT_THAT(place.run({"run", "d.toml"}).err, StartsWith("d.toml:1: is a drive file"));
}

TEST(Check, TakesADriveFileToo) {
  const Workplace place;
  const Outcome outcome = place.run({"check", ARMATURE_SOURCE_DIR "/scenarios/drives/quantum_atlas_10k.toml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a drive, QUANTUM ATLAS 10K, 17938986 sectors"));
}

TEST(Describe, ListsAllKeysOrASectionOrAGlob) {
  const Workplace place;
  const std::string all = place.run({"describe"}).out;
  for (const char* key :
       {"[simulation]", "[workload.columns]", "[host]", "[link]", "[geometry]", "[drives.NAME]", "until_s"})
    EXPECT_THAT(all, HasSubstr(key));
  const std::string seek = place.run({"describe", "seek"}).out;
  EXPECT_THAT(seek, AllOf(StartsWith("[seek]"), HasSubstr("write_settle_ms"), Not(HasSubstr("[host]"))));
  EXPECT_THAT(place.run({"describe", "*_ms"}).out, AllOf(HasSubstr("think_ms"), Not(HasSubstr("until_s"))));
  // A part of a name finds all keys that have it.
  const std::string rpm = place.run({"describe", "rpm"}).out;
  EXPECT_THAT(rpm, AllOf(HasSubstr("[spindle]"), HasSubstr("reference_rpm"), Not(HasSubstr("single_track_ms"))));
  EXPECT_THAT(place.run({"describe", "rpm", "--tsv"}).out, HasSubstr("\npower.reference_rpm\t"));
  const Outcome none = place.run({"describe", "seek.write_setle_ms"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("did you mean \"seek.write_settle_ms\"?"));
}

TEST(Describe, ForProgramsGivesOneLineAKeyWithSixColumns) {
  const Workplace place;
  const std::string text = place.run({"describe", "--tsv"}).out;
  std::istringstream lines(text);
  std::string line;
  int keys = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 5) << line;
    ++keys;
  }
  EXPECT_GT(keys, 60);
  EXPECT_THAT(text, HasSubstr("\nspindle.rpm\tnumber\trpm\t"));
}

}  // namespace
}  // namespace armature
