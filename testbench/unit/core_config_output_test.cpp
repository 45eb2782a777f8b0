#include "armature/core/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace armature::config::core_config_output_test {
namespace {

using ::testing::HasSubstr;

struct Nested {
  double share = 0.1;
  void keys(KeyVisitor& v) { v.key("share", share, "", {0, 1}, "A share"); }
};

// A key after a section, as a schema may well have it: TOML needs it before the section's header.
struct Part {
  double seconds = 1.0 / 3;
  std::int64_t large = 9'223'372'036'854'775'807;
  bool on = true;
  std::string text = "tab\t \"quoted\" back\\slash \x01 µ";
  int policy = 1;
  std::vector<double> rates = {1, 0.1};
  std::vector<std::string> names = {"a", "b c"};
  std::vector<std::vector<double>> zones = {{0, 0.25}, {433, 0.5}};
  Nested nested;
  double after = 1e-7;
  void keys(KeyVisitor& v) {
    v.key("seconds", seconds, "s", {0, 1e9}, "Time");
    v.key("large", large, "", {}, "Large");
    v.key("on", on, "Switch");
    v.key("text", text, "Text");
    v.choice("policy", policy, {"fcfs", "sptf"}, "Policy");
    v.list("rates", rates, "request/s", {}, "Rates");
    v.list("names", names, "Names");
    v.table("zones", zones, {{"first", "cylinder", {0, 1e6}, true}, {"skew", "rev", {0, 1}, false}}, "Zones");
    v.section("nested", nested, "Nested");
    v.key("after", after, "s", {0, 1}, "After");
  }
};

struct Root {
  Part part;
  void keys(KeyVisitor& v) { v.section("part", part, "A part"); }
};

void expect_same(const Part& a, const Part& b) {
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.large, b.large);
  EXPECT_EQ(a.on, b.on);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.policy, b.policy);
  EXPECT_EQ(a.rates, b.rates);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.zones, b.zones);
  EXPECT_EQ(a.nested.share, b.nested.share);
  EXPECT_EQ(a.after, b.after);
}

TEST(ConfigToml, ReadsBackToTheSameBits) {
  Root written;
  const std::string text = to_toml(catalogue(written));
  Root blank;
  blank.part = Part{0, 0, false, "", 0, {}, {}, {}, {0}, 0};
  read(parse(text, "resolved.toml"), blank);
  expect_same(blank.part, written.part);
  EXPECT_EQ(to_toml(catalogue(blank)), text);
}

TEST(ConfigToml, ExplainsEachKey) {
  Root root;
  const std::string text = to_toml(catalogue(root));
  EXPECT_THAT(text, HasSubstr("# A part\n[part]\n# Time [s] (0 to 1000000000 s)\nseconds = 0.333"));
  EXPECT_THAT(text, HasSubstr("# Policy (one of: fcfs, sptf)\npolicy = \"sptf\"\n"));
  EXPECT_THAT(text, HasSubstr("zones = [\n  [0, 0.25],\n  [433, 0.5],\n]\n"));
  EXPECT_LT(text.find("after = 1e-07"), text.find("[part.nested]"));
}

TEST(ConfigJson, IsValidAndNestedLikeTheSections) {
  Root root;
  const auto json = nlohmann::json::parse(to_json(catalogue(root)));
  EXPECT_EQ(json["part"]["seconds"].get<double>(), 1.0 / 3);
  EXPECT_EQ(json["part"]["large"].get<std::int64_t>(), 9'223'372'036'854'775'807);
  EXPECT_EQ(json["part"]["text"].get<std::string>(), root.part.text);
  EXPECT_EQ(json["part"]["zones"][1][1].get<double>(), 0.5);
  EXPECT_EQ(json["part"]["nested"]["share"].get<double>(), 0.1);
}

// As the rest of summary.json is written.
TEST(ConfigJson, HasOneValueALine) {
  Root root;
  root.part.text = "tab\t \"quoted\" \x01 µ";
  root.part.names.clear();
  const std::string text = to_json(catalogue(root));
  EXPECT_EQ(text, nlohmann::ordered_json::parse(text).dump(2));
}

TEST(ConfigCatalogue, KnowsTypeUnitRangeDefaultAndMeaning) {
  Root root;
  const SectionInfo info = catalogue(root);
  const KeyInfo& key = info.sections.at(0).keys.at(0);
  EXPECT_EQ(key.key, "part.seconds");
  EXPECT_EQ(key.type_name(), "number");
  EXPECT_EQ(key.unit, "s");
  EXPECT_EQ(key.allowed(), "0 to 1000000000 s");
  EXPECT_EQ(key.meaning, "Time");
  EXPECT_EQ(info.sections.at(0).keys.at(7).type_name(), "rows of (first [cylinder], skew [rev])");
}

}  // namespace
}  // namespace armature::config::core_config_output_test
