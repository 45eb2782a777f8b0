// Plant files: what is read, what is refused, and the cases that are made of them.
#include "armature/core/error.h"
#include "armature/servo/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace armature::servo {
namespace {

using ::testing::HasSubstr;

std::string file_of(const std::string& text) {
  const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto path = std::filesystem::temp_directory_path() / ("armature_servo_" + name + ".toml");
  std::ofstream(path) << text;
  return path.string();
}

ServoParams read(const std::string& text, const std::vector<std::string>& sets = {}) {
  std::vector<config::Node> overrides;
  for (const std::string& set : sets) overrides.push_back(config::assignment(set));
  return load_servo(file_of(text), overrides);
}

std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    read(text, sets);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

TEST(ServoParams, ReadsAsManySectionsAsThereAre) {
  const ServoParams servo = read(
      "[plant.mode_1]\nfrequency_hz = 90\n[plant.mode_2]\nfrequency_hz = \"4.1 kHz\"\n"
      "[control.notch_1]\nfrequency_hz = 4100\n[windage.mode_1]\namplitude_tracks = 0.1\n",
      {"plant.mode_2.gain=-1", "plant.mode_3.frequency_hz=5000"});
  ASSERT_EQ(servo.plant.modes.size(), 3u);
  EXPECT_EQ(servo.plant.modes[1].frequency_hz, 4100);
  EXPECT_EQ(servo.plant.modes[1].gain, -1);
  EXPECT_EQ(servo.plant.modes[2].frequency_hz, 5000);
  EXPECT_EQ(servo.control.voice_coil.notches.size(), 1u);
  EXPECT_EQ(servo.windage.modes.size(), 1u);
}

TEST(ServoParams, RefusesWithFileAndLine) {
  EXPECT_THAT(refusal(""), HasSubstr(".toml:1:1: no plant: a section [plant] is expected"));
  EXPECT_THAT(refusal("[control]\n"), HasSubstr("no plant"));
  EXPECT_THAT(refusal("[plant]\nmass = 3\n"), HasSubstr(".toml:2:1: plant.mass: no such key"));
  EXPECT_THAT(refusal("[plant.mode_1]\ngain = 1\n[plant.mode_3]\ngain = 1\n"), HasSubstr(".toml:3"));
  EXPECT_THAT(refusal("[plant.mode_1]\ngain = 1\n[plant.mode_3]\ngain = 1\n"), HasSubstr("the next is mode_2"));
  EXPECT_THAT(refusal("[plant]\n", {"plant.mode_1.frequency_hz=-5"}), HasSubstr("--set plant.mode_1.frequency_hz"));
  EXPECT_THAT(refusal("[plant]\narm_radius_mm = 50\n"), HasSubstr(".toml:2:17: plant.arm_radius_mm: needs"));
  EXPECT_THAT(refusal("[driver]\ndrop_v = 12\n"), HasSubstr(".toml:2"));
  EXPECT_THAT(refusal("[control.notch_1]\npole_damping = 0.5\n"),
              HasSubstr("control.notch_1.coefficients: six numbers"));
  EXPECT_THAT(refusal("[control.notch_1]\nfrequency_hz = 30e3\n"), HasSubstr("half of the hold rate"));
  EXPECT_THAT(refusal("[control.state_space]\nb = [1, 2]\nc = [1, 2]\na = [1, 2, 3]\n"), HasSubstr(".toml:4"));
  EXPECT_THAT(refusal("[rro]\namplitude_tracks = [0.1, 0.2]\nphase_deg = [0]\n"),
              HasSubstr("1 phases for 2 amplitudes"));
  EXPECT_THAT(refusal("[coupling]\nwake_percent = 50\n"), HasSubstr(".toml:2:16: coupling.wake_percent: a wake needs"));
  EXPECT_THAT(refusal("[piezo]\nstroke_nm_v = 5\n"), HasSubstr("piezo.mode_1"));
  EXPECT_THAT(refusal("[piezo]\nstroke_nm_v = 5\n[piezo.mode_1]\nfrequency_hz = 9e3\n[piezo.mode_2]\nfrequency_hz = "
                      "9e3\ngain = -1\n"),
              HasSubstr("cancel at rest"));
  EXPECT_THAT(refusal("[driver]\nkind = \"voltage\"\ncoil_mh = 1e-4\namplifier_gain = 1e5\nsense_ohm = 100\n"),
              HasSubstr("driver.coil_mh: the current loop settles"));
}

TEST(ServoParams, CasesAreEveryCombination) {
  const ServoParams servo = read(
      "[plant.mode_1]\n[plant.mode_2]\nfrequency_hz = 4000\ngain = 0.5\n"
      "[cases]\nfrequency_percent = [[0, 0], [0, 15], [0, -15]]\ngain_percent = [[0, 0], [0, -200]]\n"
      "loop_gain_percent = [0, 10]\n");
  ASSERT_EQ(case_count(servo.cases), 12u);
  std::string label;
  const ServoParams last = with_case(servo, 11, &label);
  EXPECT_EQ(label, "loop gain +10 %, frequency 3, gain 2");
  EXPECT_DOUBLE_EQ(last.plant.loop_gain, 1.1);
  EXPECT_EQ(last.plant.modes[1].frequency_change_percent, -15);
  EXPECT_EQ(last.plant.modes[1].gain_change_percent, -200);
  const ServoParams first = with_case(servo, 0, &label);
  EXPECT_EQ(label, "loop gain +0 %, frequency 1, gain 1");
  EXPECT_EQ(first.plant.loop_gain, 1);
  EXPECT_EQ(with_case(servo, 2).plant.modes[1].frequency_change_percent, 15);
  EXPECT_EQ(case_count(read("[plant]\n").cases), 1u);
}

TEST(ServoParams, RowsThatGoTogether) {
  const std::string text =
      "[plant.mode_1]\n[piezo]\nstroke_nm_v = 1\n[piezo.mode_1]\nfrequency_hz = 9000\n[cases]\nrows_together = true\n"
      "frequency_percent = [[0], [4]]\ndamping_percent = [[0], [-20]]\npiezo_frequency_percent = [0, 6]\n"
      "piezo_gain_percent = [0, 5, -5]\n";
  const ServoParams servo = read(text);
  ASSERT_EQ(case_count(servo.cases), 6u);
  std::string label;
  const ServoParams last = with_case(servo, 5, &label);
  EXPECT_EQ(label, "piezo gain -5 %, row 2");
  EXPECT_EQ(last.plant.modes[0].damping_change_percent, -20);
  EXPECT_EQ(last.piezo.frequency_change_percent, 6);
  EXPECT_DOUBLE_EQ(last.piezo.gain, 0.95);
  EXPECT_THAT(refusal(text, {"cases.damping_percent=[[0]]"}), HasSubstr("as many rows as cases.frequency_percent"));
  EXPECT_THAT(refusal(text, {"cases.rows_together=false"}), HasSubstr("cases.piezo_frequency_percent: with"));
  EXPECT_THAT(refusal("[noise]\nfiltered_a = 1\nfilter_numerator = [1, 2]\nfilter_denominator = [1, 2]\n"),
              HasSubstr(".toml:4:22: noise.filter_denominator: is of no higher degree"));
}

TEST(ServoParams, ResolvedFileReadsBack) {
  ServoParams servo = read(
      "[plant.mode_1]\nfrequency_hz = 90\n[plant.mode_2]\ngain = -0.5\n[control.notch_1]\n"
      "coefficients = [1, 2, 3, 4, 5, 6]\n");
  const std::string text = config::to_toml(config::catalogue(servo));
  ServoParams again = read(text);
  EXPECT_EQ(config::to_toml(config::catalogue(again)), text);
}

}  // namespace
}  // namespace armature::servo
