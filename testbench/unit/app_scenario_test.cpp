#include "armature/app/scenario.h"
#include "armature/core/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

namespace armature::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

/// Scenario files in a directory of the test's own.
class ScenarioFiles : public ::testing::Test {
 protected:
  ScenarioFiles()
      : directory_(
            fs::path(::testing::TempDir()) /
            ("armature_scenario_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::create_directories(directory_);
  }
  ~ScenarioFiles() override { fs::remove_all(directory_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
    return (directory_ / name).string();
  }

  Scenario load(const std::string& text, const std::vector<std::string>& sets = {}) const {
    std::vector<config::Node> overrides;
    for (const std::string& set : sets) overrides.push_back(config::assignment(set));
    return load_scenario(file("s.toml", text), overrides);
  }

  std::string message(const std::string& text, const std::vector<std::string>& sets = {}) const {
    try {
      load(text, sets);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path directory_;
};

using ScenarioLayers = ScenarioFiles;

TEST_F(ScenarioLayers, EachOverridesTheOneBelow) {
  file("d.toml", "[seek]\nsingle_track_ms = 1\naverage_ms = 11\nfull_stroke_ms = 21\nhead_switch_ms = 0.31\n");
  const Scenario s = load(
      "[seek]\naverage_ms = 12\nfull_stroke_ms = 22\nhead_switch_ms = 0.32\n"
      "[drives.a]\nmodel = 'd.toml'\n[drives.a.seek]\nfull_stroke_ms = 23\nhead_switch_ms = 0.33\n"
      "[drives.b]\nmodel = 'd.toml'\n",
      {"seek.head_switch_ms=0.34"});
  ASSERT_EQ(s.drives.size(), 2u);
  const actuator::SeekParams a = s.drives[0].drive.seek;
  const actuator::SeekParams b = s.drives[1].drive.seek;
  EXPECT_EQ(a.write_settle_ms, actuator::SeekParams().write_settle_ms) << "the default";
  EXPECT_EQ(a.single_track_ms, 1) << "the drive file";
  EXPECT_EQ(a.average_ms, 12) << "the shared section";
  EXPECT_EQ(a.full_stroke_ms, 23) << "the drive's own section";
  EXPECT_EQ(a.head_switch_ms, 0.34) << "the command line";
  EXPECT_EQ(b.full_stroke_ms, 22);
  EXPECT_EQ(b.head_switch_ms, 0.34);
}

TEST_F(ScenarioLayers, ANamedOverrideWinsOverASharedOneInAnyOrder) {
  const std::string text = "[drives.a]\n[drives.a.host]\ntags = 2\n[drives.b.host]\ntags = 3\n";
  for (const auto& sets : {std::vector<std::string>{"host.tags=4", "drives.b.host.tags=5"},
                           std::vector<std::string>{"drives.b.host.tags=5", "host.tags=4"}}) {
    const Scenario s = load(text, sets);
    EXPECT_EQ(s.drives[0].host.tags, 4);
    EXPECT_EQ(s.drives[1].host.tags, 5);
  }
  EXPECT_EQ(load(text, {"host.tags=4", "host.tags=6"}).drives[0].host.tags, 6) << "the later one";
}

TEST_F(ScenarioLayers, TheCommandLineMayAddADriveOrReplaceItsModel) {
  file("one.toml", "[spindle]\nrpm = 5400\n");
  file("two.toml", "[spindle]\nrpm = 10000\n");
  const Scenario s = load("[drives.a]\nmodel = 'one.toml'\n[drives.a.host]\ntags = 7\n",
                          {"drives.a.model=two.toml", "drives.b.model=one.toml"});
  ASSERT_EQ(s.drives.size(), 2u);
  EXPECT_EQ(s.drives[0].drive.spindle.rpm, 10'000);
  EXPECT_EQ(s.drives[0].host.tags, 7);
  EXPECT_EQ(s.drives[1].name, "b");
  EXPECT_EQ(s.drives[1].drive.spindle.rpm, 5400);
}

TEST_F(ScenarioLayers, DrivesKeepTheOrderOfTheFile) {
  const Scenario s = load("[drives.zeta]\n[drives.alpha.host]\ntags = 1\n[drives.mid]\n");
  std::vector<std::string> names;
  for (const DriveSetup& setup : s.drives) names.push_back(setup.name);
  EXPECT_THAT(names, ElementsAre("zeta", "alpha", "mid"));
}

TEST_F(ScenarioLayers, AScenarioMayDescribeItsDriveItself) {
  const Scenario s = load("[spindle]\nrpm = 3600\n[drives.a]\n");
  EXPECT_EQ(s.drives[0].drive.spindle.rpm, 3600);
  EXPECT_EQ(s.drives[0].model, "");
}

TEST_F(ScenarioLayers, APlaceIsThatOfTheLayerThatIsWrong) {
  file("d.toml", "\n[spindle]\nrpm = 1\n");
  EXPECT_THAT(message("[drives.a]\nmodel = 'd.toml'\n"), HasSubstr("d.toml:3:7: spindle.rpm: 1 rpm is out of range"));
  EXPECT_THAT(message("[drives.a]\nmodel = 'd.toml'\n[drives.a.spindle]\nrpm = 2\n"),
              HasSubstr("s.toml:4:7: drives.a.spindle.rpm: 2 rpm is out of range"));
  EXPECT_THAT(message("[drives.a]\nmodel = 'd.toml'\n", {"spindle.rpm=3"}), StartsWith("--set spindle.rpm: "));
}

TEST_F(ScenarioLayers, ADriveFileHoldsADriveOnly) {
  file("d.toml", "[spindle]\nrpm = 5400\n[workload]\ncount = 1\n");
  EXPECT_THAT(message("[drives.a]\nmodel = 'd.toml'\n"),
              HasSubstr("d.toml:3:2: workload: a drive file has no such section"));
}

TEST_F(ScenarioLayers, ADriveFileMayStandOnAnother) {
  fs::create_directories(directory_ / "drives");
  file("drives/first.toml", "[geometry]\nheads = 3\n[spindle]\nrpm = 7200\nspin_up_s = 9\n");
  file("drives/second.toml", "base = 'first.toml'\n[spindle]\nrpm = 5200\n");
  file("third.toml", "base = 'drives/second.toml'\n[spindle]\nspin_up_s = 4\n");
  const drive::DriveParams drive = load("[drives.a]\nmodel = 'third.toml'\n").drives[0].drive;
  EXPECT_EQ(drive.geometry.heads, 3) << "said in the first file only";
  EXPECT_EQ(drive.spindle.rpm, 5200) << "the second file's, relative to which the first one was found";
  EXPECT_EQ(drive.spindle.spin_up_s, 4) << "the third file's";
  const DriveSetup alone = load_drive((directory_ / "third.toml").string());
  EXPECT_EQ(alone.drive.spindle.rpm, 5200);
  EXPECT_TRUE(is_drive_file(config::load((directory_ / "third.toml").string())));
}

TEST_F(ScenarioLayers, PowersHoldForTheSpeedOfTheFileThatGivesThem) {
  file("d.toml", "[spindle]\nrpm = \"120 rev/s\"\n[power]\nidle_w = 8\n");
  file("slower.toml", "base = \"d.toml\"\n[spindle]\nrpm = 5400\n");
  file("own.toml", "base = \"d.toml\"\n[spindle]\nrpm = 5400\n[power]\nidle_w = 5\n");
  file("said.toml", "base = \"d.toml\"\n[power]\nreference_rpm = 6000\n");
  file("any.toml", "[power]\nidle_w = 8\n");
  const auto reference = [&](const std::string& model, const std::string& more,
                             const std::vector<std::string>& sets = {}) {
    const Scenario s = load("[drives.a]\n" + (model.empty() ? "" : "model = \"" + model + "\"\n") + more, sets);
    return s.drives[0].power.reference_rpm;
  };
  EXPECT_EQ(reference("d.toml", ""), 7200);
  EXPECT_EQ(reference("d.toml", "spindle.rpm = 15000\n"), 7200);
  EXPECT_EQ(reference("d.toml", "", {"spindle.rpm=15000"}), 7200);
  EXPECT_EQ(reference("d.toml", "spindle.rpm = 15000\npower.reference_rpm = 9000\n"), 9000);
  EXPECT_EQ(reference("d.toml", "", {"power.reference_rpm=0"}), 0);
  EXPECT_EQ(reference("slower.toml", ""), 7200) << "the powers are those of its base";
  EXPECT_EQ(reference("own.toml", "spindle.rpm = 15000\n"), 5400);
  EXPECT_EQ(reference("said.toml", "spindle.rpm = 15000\n"), 6000);
  EXPECT_EQ(reference("any.toml", "spindle.rpm = 15000\n"), 7200) << "the default";
  // A drive that the scenario describes itself.
  EXPECT_EQ(reference("", "spindle.rpm = 6000\npower.idle_w = 8\n", {"spindle.rpm=9000"}), 6000);
  EXPECT_EQ(reference("", "spindle.rpm = 6000\n"), 0) << "no powers";
  const auto spindle_w = [&](const std::string& rpm) {
    const Scenario s = load("[drives.a]\nmodel = \"d.toml\"\nspindle.rpm = " + rpm + "\n");
    power::DriveStructure structure;
    structure.rpm = s.drives[0].drive.spindle.rpm;
    return s.drives[0].power.spindle_w(structure);
  };
  EXPECT_NEAR(spindle_w("15000") / spindle_w("7200"), std::pow(15.0 / 7.2, 2.8), 1e-9);
  // What is resolved gives the same again.
  const std::string resolved = load("[drives.a]\nmodel = \"d.toml\"\nspindle.rpm = 15000\n").resolved().toml;
  EXPECT_EQ(load_scenario(file("r.toml", resolved), {}).drives[0].power.reference_rpm, 7200);
}

TEST_F(ScenarioLayers, ABaseThatIsNoneIsRefusedWhereItIsNamed) {
  const auto base = [this](const std::string& text) {
    file("d.toml", text);
    return message("[drives.a]\nmodel = 'd.toml'\n");
  };
  EXPECT_THAT(base("base = 'none.toml'\n"), AllOf(HasSubstr("d.toml:1:8"), HasSubstr("there is no file")));
  EXPECT_THAT(base("base = 7\n"), AllOf(HasSubstr("d.toml:1:8"), HasSubstr("the path of a drive file")));
  EXPECT_THAT(base("base = 'd.toml'\n"), AllOf(HasSubstr("d.toml:1:8"), HasSubstr("in a circle")));
  file("e.toml", "[spindle]\nrmp = 5200\n");
  EXPECT_THAT(base("base = 'e.toml'\n"), AllOf(HasSubstr("e.toml:2:1"), HasSubstr("did you mean")));
}

TEST_F(ScenarioLayers, TracesAndModelsAreRelativeToTheScenario) {
  file("t.csv", "x\n");
  const Scenario s = load("[workload]\nkind = 'trace'\nfile = 't.csv'\n[drives.a]\n");
  EXPECT_EQ(s.workload.file, (directory_ / "t.csv").string());
  EXPECT_THAT(
      message("[workload]\nfile = 'u.csv'\n[drives.a]\n"),
      AllOf(HasSubstr("s.toml:2:8: workload.file: there is no file "), HasSubstr((directory_ / "u.csv").string())));
}

TEST_F(ScenarioLayers, ADriveFileIsNoScenario) {
  EXPECT_THAT(message("[geometry]\nheads = 1\n"), HasSubstr("is a drive file"));
}

TEST_F(ScenarioLayers, TheResolvedScenarioReadsBackToItself) {
  file("d.toml", "[spindle]\nrpm = 5400\n[geometry]\nheads = 3\nzones = [[0, 99, 100, 5, 7, 0]]\n");
  Scenario s = load(
      "[workload]\ncount = 5\nsizes = [[8, 0.25]]\n[output]\nscope = ['a*']\n[drives.b]\nmodel = "
      "'d.toml'\n[drives.a]\n");
  const std::string toml = s.resolved().toml;
  std::ofstream(directory_ / "resolved.toml") << toml;
  Scenario again = load_scenario((directory_ / "resolved.toml").string(), {});
  EXPECT_EQ(again.resolved().json, s.resolved().json);
  EXPECT_EQ(again.drives[0].name, "b");
}

void visit(const config::SectionInfo& section, const std::function<void(const config::KeyInfo&)>& see) {
  for (const config::KeyInfo& key : section.keys) see(key);
  for (const config::SectionInfo& inner : section.sections) visit(inner, see);
}

TEST(Schema, EveryKeyHasAKnownUnitAMeaningAndADefaultThatIsAllowed) {
  std::set<std::string> names;
  visit(schema(), [&](const config::KeyInfo& key) {
    EXPECT_TRUE(names.insert(key.key).second) << key.key << " twice";
    EXPECT_TRUE(find_unit(key.unit)) << key.key << " in " << key.unit;
    for (const auto& [name, unit] : key.columns)
      EXPECT_TRUE(find_unit(unit)) << key.key << ", " << name << " in " << unit;
    EXPECT_FALSE(key.meaning.empty()) << key.key;
    EXPECT_EQ(key.meaning.find('\t'), std::string::npos) << key.key;
    const bool number = key.type == config::KeyInfo::Type::real || key.type == config::KeyInfo::Type::integer;
    if (!number) return;
    const double value =
        key.value.kind == config::Node::Kind::integer ? static_cast<double>(key.value.integer) : key.value.real;
    EXPECT_GE(value, key.range.min) << key.key;
    EXPECT_LE(value, key.range.max) << key.key;
  });
  EXPECT_GT(names.size(), 60u);
}

}  // namespace
}  // namespace armature::app
