// What a run must not do: replace or remove a file that it reads, die of a signal that a system sends, take a device
// for a file, or a number for another one.
#include "support/program.h"
#include "support/tree.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace armature {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kGood;
using ::testing::Not;
using testing::Outcome;
using testing::Workplace;

constexpr const char* kTrace = "time_s,lbn,sectors,op\n0,0,8,R\n0.01,800,8,W\n0.02,16,8,R\n";
constexpr const char* kDrive = "base = \"drives/quantum_atlas_10k.toml\"\nspindle.rpm = 9000\n";

std::string scenario(const std::string& trace, const std::string& model = "drives/quantum_atlas_10k.toml") {
  return "[workload]\nkind = \"trace\"\nfile = \"" + trace + "\"\n[drives.a]\nmodel = \"" + model + "\"\n";
}

/// The run is refused before it touches anything.
void expect_refused(const Workplace& place, const std::vector<std::string>& words, const std::string& input) {
  SCOPED_TRACE(input);
  const std::vector<std::string> before = place.contents();
  const std::string held = place.read(input);
  const Outcome outcome = place.run(words);
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("output."), HasSubstr(fs::path(input).filename().string())));
  EXPECT_EQ(place.contents(), before);
  EXPECT_EQ(place.read(input), held);
}

TEST(KeptInputs, ATraceInThePlaceOfAResultIsLeftAlone) {
  for (const char* const name : {"r/requests.csv", "r/summary.json", "r/events.csv", "r/resolved.toml", "r/waves.fst",
                                 "r/stats.json", "r/request-7.gtkw", "r/a/requests.csv"}) {
    const Workplace place;
    place.write(name, kTrace);
    place.write("s.toml", scenario(name));
    expect_refused(place, {"run", "s.toml", "--quiet", "--out", "r"}, name);
  }
}

TEST(KeptInputs, SoAreDriveFilesAndWhatTheyStandOn) {
  const Workplace place;
  place.write("t.csv", kTrace);
  place.write("r/events.csv", kDrive);
  place.write("s.toml", scenario("t.csv", "r/events.csv"));
  expect_refused(place, {"run", "s.toml", "--quiet", "--out", "r"}, "r/events.csv");
  place.write("top.toml", "base = \"r/events.csv\"\nspindle.rpm = 8000\n");
  place.write("s.toml", scenario("t.csv", "top.toml"));
  expect_refused(place, {"run", "s.toml", "--quiet", "--out", "r"}, "r/events.csv");
  place.write("r/energy.csv", scenario("../t.csv"));
  expect_refused(place, {"run", "r/energy.csv", "--quiet", "--out", "r"}, "r/energy.csv");
}

TEST(KeptInputs, SoArePlantsAndTheirNumbers) {
  const Workplace place;
  const fs::path plants = fs::path(ARMATURE_SOURCE_DIR) / "scenarios/servo";
  fs::create_directory(place.path() / "r");
  fs::copy_file(plants / "seagate_barracuda_es_750.toml", place.path() / "r/summary.json");
  const auto of = [](const std::string& plant) {
    return "[workload]\nkind = \"closed\"\ncount = 5\n[drives.a]\nmodel = \"drives/seagate_barracuda_es_750.toml\"\n"
           "mechanics.kind = \"servo\"\nmechanics.plant = \"" +
           plant + "\"\n";
  };
  place.write("s.toml", of("r/summary.json"));
  expect_refused(place, {"run", "s.toml", "--quiet", "--out", "r"}, "r/summary.json");
  std::string text = place.read("r/summary.json");
  fs::remove(place.path() / "r/summary.json");
  place.write("r/events.csv", "0,0,0\n1,0,0\n");
  place.write("p.toml", text + "\n[external]\nfile = \"r/events.csv\"\n");
  place.write("s.toml", of("p.toml"));
  const Outcome outcome = place.run({"run", "s.toml", "--quiet", "--out", "r"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("r/events.csv is read by this run"));
  EXPECT_EQ(place.read("r/events.csv"), "0,0,0\n1,0,0\n");
}

TEST(KeptInputs, OtherNamesOfAFileAreTheSameFile) {
  const Workplace place;
  place.write("t.csv", kTrace);
  place.write("s.toml", scenario("t.csv"));
  fs::create_directory(place.path() / "r");
  fs::create_symlink("../t.csv", place.path() / "r/requests.csv");
  expect_refused(place, {"run", "s.toml", "--quiet", "--out", "r"}, "r/requests.csv");
  fs::remove(place.path() / "r/requests.csv");
  fs::create_hard_link(place.path() / "t.csv", place.path() / "r/summary.json");
  expect_refused(place, {"run", "s.toml", "--quiet", "--out", "r"}, "r/summary.json");
}

TEST(KeptInputs, FilesThatTheRunWritesAreNotEachOther) {
  const Workplace place;
  place.write("t.csv", kTrace);
  place.write("s.toml", scenario("t.csv"));
  const std::vector<std::string> run = {"run", "s.toml", "--quiet", "--out", "r", "--set", "output.every_s=1", "--set"};
  auto words = run;
  words.emplace_back("output.every_file=t.csv");
  expect_refused(place, words, "t.csv");
  words.back() = "output.every_file=s.toml";
  expect_refused(place, words, "s.toml");
  words.back() = "output.every_file=r/requests.csv";
  const Outcome outcome = place.run(words);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("output.every_file: r/requests.csv is another file of the results"));
  EXPECT_FALSE(place.has("r"));
  const Outcome contents = place.run({"run", "s.toml", "--quiet", "--out", "r", "--set", "media.contents=file", "--set",
                                      "media.contents_file=r/requests.csv"});
  EXPECT_EQ(contents.status, 2);
  EXPECT_THAT(contents.err, HasSubstr("r/requests.csv"));
}

TEST(KeptInputs, UnderOtherNamesTheyMayLieAmongTheResults) {
  const Workplace place;
  place.write("r/t.csv", kTrace);
  place.write("r/mine.toml", kDrive);
  place.write("r/s.toml", scenario("t.csv", "mine.toml"));
  for (int i = 0; i < 2; ++i) ASSERT_EQ(place.run({"run", "r/s.toml", "--quiet", "--out", "r"}).status, 0);
  EXPECT_EQ(place.read("r/t.csv"), kTrace);
  EXPECT_EQ(place.read("r/mine.toml"), kDrive);
  EXPECT_TRUE(place.has("r/summary.json"));
}

TEST(KeptInputs, AResolvedScenarioRunsInItsOwnFolderUnlessItWouldChange) {
  const Workplace place;
  place.write("s.toml", kGood);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet", "--out", "r"}).status, 0);
  const std::string rows = place.read("r/requests.csv");
  const Outcome again = place.run({"run", "r/resolved.toml", "--quiet"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(place.read("r/requests.csv"), rows);
  expect_refused(place, {"run", "r/resolved.toml", "--quiet", "--seed", "8"}, "r/resolved.toml");
  EXPECT_EQ(place.read("r/requests.csv"), rows);
}

TEST(KeptInputs, TablesOfTraceInfoDoNotReplaceTheTrace) {
  const Workplace place;
  place.write("o/gaps.tsv", kTrace);
  const Outcome outcome = place.run({"trace", "info", "o/gaps.tsv", "--out", "o"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("o/gaps.tsv"));
  EXPECT_EQ(place.read("o/gaps.tsv"), kTrace);
}

TEST(KeptInputs, NoOptionWritesOverTheFileThatItsCommandReads) {
  const Workplace place;
  const std::string scenarios = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/";
  fs::copy_file(scenarios + "servo/seagate_barracuda_es_750.toml", place.path() / "plant.toml");
  fs::copy_file(scenarios + "drives/hp_335h.toml", place.path() / "drive.toml");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"servo", "bode", "plant.toml", "--json", "plant.toml"},
        {"servo", "seek", "plant.toml", "--distance", "9", "--svg", "./plant.toml"},
        {"servo", "track", "plant.toml", "--series", "plant.toml"},
        {"layout", "drive.toml", "--svg", "drive.toml"},
        {"seek", "drive.toml", "--svg", "drive.toml"},
        {"import", "disksim", "drive.toml", "-o", "drive.toml"}}) {
    const Outcome outcome = place.run(words);
    EXPECT_EQ(outcome.status, 2) << words[1];
    EXPECT_THAT(outcome.err, HasSubstr("is the file that is read")) << words[1];
  }
  EXPECT_EQ(place.read("plant.toml"), Workplace().read(scenarios + "servo/seagate_barracuda_es_750.toml"));
  EXPECT_EQ(place.read("drive.toml"), Workplace().read(scenarios + "drives/hp_335h.toml"));
}

TEST(Devices, AreNoFiles) {
  const Workplace place;
  const auto refused = [&](const std::vector<std::string>& words, const std::string& name) {
    const Outcome outcome = place.run(words);
    EXPECT_EQ(outcome.status, 2) << name;
    EXPECT_THAT(outcome.err, HasSubstr("a pipe or a device")) << name;
    EXPECT_THAT(outcome.err, HasSubstr(name));
  };
  ASSERT_EQ(mkfifo((place.path() / "pipe").c_str(), 0600), 0);
  const std::string drive = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives/seagate_barracuda_es_750.toml";
  for (const std::string name : {"/dev/zero", "pipe", "/dev/null"}) {
    refused({"run", name}, name);
    refused({"check", name}, name);
    refused({"import", "disksim", name, "-o", "d.toml"}, name);
    refused({"servo", "bode", name}, name);
    refused({"layout", name}, name);
    place.write("s.toml", "[drives.a]\nmodel = \"" + name + "\"\n");
    refused({"run", "s.toml"}, name);
    place.write("s.toml", "[drives.a]\nmodel = \"" + drive + "\"\nmechanics.kind = \"servo\"\nmechanics.plant = \"" +
                              name + "\"\n");
    refused({"run", "s.toml"}, name);
  }
  EXPECT_FALSE(place.has("d.toml"));
  // A trace is read once by trace info, from wherever it comes.
  EXPECT_EQ(place.run({"trace", "info", "/dev/zero"}).status, 2);
  EXPECT_EQ(place.run({"trace", "info", "/dev/null"}).status, 2);
}

TEST(Numbers, AreExactOrRefused) {
  const Workplace place;
  place.write("s.toml", kGood);
  const auto message = [&](const std::vector<std::string>& words) {
    const Outcome outcome = place.run(words);
    EXPECT_EQ(outcome.status, 2) << words.back();
    EXPECT_FALSE(place.has("out"));
    return outcome.err;
  };
  EXPECT_THAT(message({"run", "s.toml", "--seed", "9007199254740993"}),
              HasSubstr("9007199254740993 is out of range; allowed: 0 to 9007199254740992"));
  EXPECT_THAT(message({"run", "s.toml", "--seed", "9007199254740993.0"}), HasSubstr("no whole number"));
  EXPECT_THAT(message({"run", "s.toml", "--seed", "-1"}), HasSubstr("out of range"));
  EXPECT_THAT(message({"run", "s.toml", "--around", "-1"}),
              HasSubstr("--around -1: the number of a request in requests.csv, 0 or more, is expected"));
  const std::string plant = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/servo/seagate_barracuda_es_750.toml";
  EXPECT_THAT(message({"servo", "track", plant, "--case", "0"}), HasSubstr("--case 0: the file has cases 1 to "));
  EXPECT_THAT(message({"servo", "seek", plant, "--distance", "0"}), HasSubstr("--distance 0"));
  EXPECT_EQ(place.run({"check", "s.toml", "--seed", "9007199254740992"}).status, 2) << "check has no --seed";
  EXPECT_EQ(place.run({"check", "s.toml", "--set", "simulation.seed=9007199254740992"}).status, 0);
}

TEST(Names, OfDrivesFitAFolder) {
  const Workplace place;
  const auto of = [](std::size_t size) {
    return "[workload]\nkind = \"closed\"\ncount = 5\n[drives." + std::string(size, 'n') +
           "]\nmodel = \"drives/quantum_atlas_10k.toml\"\n[drives.b]\nmodel = \"drives/quantum_atlas_10k.toml\"\n";
  };
  place.write("s.toml", of(300));
  const Outcome outcome = place.run({"run", "s.toml", "--quiet"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.toml:4:"), HasSubstr("100 characters at most; this one has 300")));
  EXPECT_FALSE(place.has("out"));
  place.write("s.toml", of(100));
  EXPECT_EQ(place.run({"run", "s.toml", "--quiet"}).status, 0);
}

/// A limit of the shell (ulimit -f) would kill whoever writes a larger file.
TEST(Limits, ALargestFileIsAReasonAndNoSignal) {
  const Workplace place;
  place.write("s.toml", kGood);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 128 << 10;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Outcome outcome = place.run({"run", "s.toml", "--quiet", "--set", "workload.count=20000"});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("requests.csv"), HasSubstr("File too large")));
}

TEST(Limits, PeakMemoryIsTheRunsOwnAndNotThatOfWhoStartedIt) {
  const Workplace place;
  place.write("s.toml", kGood);
  const std::vector<char> large(400 << 20, 1);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet"}).status, 0);
  const auto summary = nlohmann::json::parse(place.read("out/summary.json"));
  EXPECT_LT(summary["run"]["peak_memory_bytes"].get<double>(), 300 << 20);
  EXPECT_GT(summary["run"]["peak_memory_bytes"].get<double>(), 1 << 20);
  EXPECT_EQ(large.back(), 1);
}

TEST(Samples, OfADamagedDumpAreAnErrorWithItsName) {
  const Workplace place;
  place.write("s.toml", kGood);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet", "--waves"}).status, 0);
  const std::string dump = place.read("out/waves.fst");
  ASSERT_EQ(place.run({"samples", "out", "--hz", "1000", "--out", "t.csv"}).status, 0);
  EXPECT_TRUE(place.has("t.csv"));
  EXPECT_FALSE(place.has("t.csv.part"));
  std::vector<std::string> damaged = {dump.substr(0, dump.size() / 2), dump.substr(0, 100), "", "hello"};
  for (std::size_t at = 16; at < dump.size(); at += dump.size() / 24) {  // whatever becomes of it: never a signal
    damaged.push_back(dump);
    for (std::size_t i = at; i < std::min(at + 8, dump.size()); ++i) damaged.back()[i] = static_cast<char>(0xE7);
  }
  int refused = 0;
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    place.write("d.fst", damaged[i]);
    const Outcome outcome = place.run({"samples", "d.fst", "--hz", "1000", "--out", "d.csv"});
    EXPECT_TRUE(outcome.status == 2 || outcome.status == 0) << outcome.status << ", damage " << i;
    if (outcome.status == 2) {
      ++refused;
      EXPECT_THAT(outcome.err, HasSubstr("d.fst")) << i;
      EXPECT_FALSE(place.has("d.csv")) << "nothing half-written";
    }
    EXPECT_FALSE(place.has("d.csv.part"));
    fs::remove(place.path() / "d.csv");
    if (i < 4) {
      EXPECT_EQ(outcome.status, 2) << i;
    }
  }
  EXPECT_GE(refused, 6);
  EXPECT_EQ(place.run({"samples", "out/waves.fst", "--hz", "1000", "--out", "out/waves.fst"}).status, 2);
  EXPECT_EQ(place.read("out/waves.fst"), dump);
}

TEST(Explain, OfDamagedWavesTellsTheirNameOrGoesOnWithoutThem) {
  const Workplace place;
  place.write("s.toml", kGood);
  ASSERT_EQ(place.run({"run", "s.toml", "--quiet", "--around", "5"}).status, 0);
  const std::string dump = place.read("out/waves.fst");
  const std::string whole = place.run({"explain", "5", "--run", "out"}).out;
  EXPECT_THAT(whole, HasSubstr("request-5.gtkw"));
  int refused = 0;
  for (std::size_t at = 0; at + 16 < dump.size(); at += dump.size() / 16) {
    std::string damaged = dump;
    damaged.replace(at, 16, 16, static_cast<char>(0xE7));
    place.write("out/waves.fst", damaged);
    const Outcome outcome = place.run({"explain", "5", "--run", "out"});
    EXPECT_TRUE(outcome.status == 2 || outcome.status == 0) << outcome.status << ", damage at " << at;
    if (outcome.status == 0) continue;
    ++refused;
    EXPECT_EQ(outcome.err, "out/waves.fst: is damaged: its waves cannot be read\n");
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_GE(refused, 1);
}

TEST(Import, RefusesZeroBytesInKeys) {
  const Workplace place;
  using namespace std::string_literals;
  place.write("z.diskspecs", "disksim_disk D {\n  Mo\0del = source small.model\n}\n"s);
  const Outcome outcome = place.run({"import", "disksim", "z.diskspecs", "-o", "d.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("z.diskspecs:2:5: holds a byte of value 0"));
  EXPECT_FALSE(place.has("d.toml"));
}

}  // namespace
}  // namespace armature
