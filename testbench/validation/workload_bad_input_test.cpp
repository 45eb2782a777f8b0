// Bad input made by hand, one mistake a file: for each, `check` and `run` give one message with the place, end with
// status 2 and write nothing. bad_input/expected.tsv says what is expected of which file.
#include "support/program.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace armature {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;
using testing::Workplace;

const fs::path kDirectory = ARMATURE_SOURCE_DIR "/testbench/validation/bad_input";

struct Case {
  std::string file;     ///< below the directory
  std::string kind;     ///< scenario, drive, or the format of a trace
  std::string place;    ///< "2:10", "2", or "-"
  std::string message;  ///< part of it
};

void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.file;
}

std::vector<Case> cases() {
  std::vector<Case> result;
  std::ifstream table(kDirectory / "expected.tsv");
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    Case tested;
    std::getline(fields, tested.file, '\t');
    std::getline(fields, tested.kind, '\t');
    std::getline(fields, tested.place, '\t');
    std::getline(fields, tested.message, '\t');
    result.push_back(tested);
  }
  return result;
}

class BadInputFile : public ::testing::TestWithParam<Case> {};

TEST_P(BadInputFile, GivesOneMessageWithItsPlaceStatusTwoAndNothingWritten) {
  const Case& tested = GetParam();
  const Workplace place;
  const std::string name = fs::path(tested.file).filename().string();
  fs::copy_file(kDirectory / tested.file, place.path() / name);
  std::string scenario = "scenario.toml";
  if (tested.kind == "scenario") {
    scenario = name;
  } else if (tested.kind == "drive") {
    place.write(scenario, "[drives.a]\nmodel = \"" + name + "\"\n");
  } else {
    place.write(scenario, "[workload]\nkind = \"trace\"\nfile = \"" + name + "\"\nformat = \"" + tested.kind +
                              "\"\n[drives.a]\nmodel = \"drives/quantum_atlas_10k.toml\"\n");
  }
  const std::vector<std::string> before = place.contents();
  const std::string expected = name + ":" + (tested.place == "-" ? "" : tested.place + ":") + " ";
  for (const char* const command : {"check", "run"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = place.run({command, scenario});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "one message: " << outcome.err;
    const std::size_t at = outcome.err.find(expected);
    ASSERT_NE(at, std::string::npos) << "no place " << expected << " in " << outcome.err;
    EXPECT_NE(outcome.err.find(tested.message, at), std::string::npos) << outcome.err;
    EXPECT_EQ(place.contents(), before) << "nothing is written for bad input";
  }
}

INSTANTIATE_TEST_SUITE_P(All, BadInputFile, ::testing::ValuesIn(cases()), [](const auto& tested) {
  std::string name = tested.param.file;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(BadInputFiles, AreAllInTheTableAndCoverEveryReader) {
  std::set<std::string> listed;
  std::set<std::string> kinds;
  for (const Case& tested : cases()) {
    EXPECT_FALSE(tested.message.empty()) << tested.file;
    EXPECT_TRUE(listed.insert(tested.file).second) << tested.file << " stands in the table twice";
    kinds.insert(tested.kind);
  }
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(kDirectory))
    if (entry.is_regular_file() && entry.path().filename() != "expected.tsv")
      files.insert(fs::relative(entry.path(), kDirectory).string());
  EXPECT_EQ(files, listed);
  EXPECT_GE(files.size(), 100u);
  EXPECT_EQ(kinds, (std::set<std::string>{"auto", "blkparse", "csv", "disksim", "drive", "ftrace", "iolog", "msr",
                                          "scenario", "spc", "ssdsim", "validate"}));
}

}  // namespace
}  // namespace armature
