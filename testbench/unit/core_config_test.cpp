#include "armature/core/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Inner {
  double share = 0.5;
  std::vector<std::string> scope;
  void keys(KeyVisitor& v) {
    v.key("share", share, "", {0, 1}, "A share");
    v.list("scope", scope, "Globs");
  }
};

struct Params {
  double time_us = 1;
  std::int64_t count = 10;
  bool on = false;
  std::string name = "x";
  int policy = 0;
  std::vector<double> rates;
  std::vector<std::vector<double>> zones;
  Inner inner;
  void keys(KeyVisitor& v) {
    v.key("time_us", time_us, "us", {0, 1e6}, "A time");
    v.key("count", count, "B", {1, 100'000}, "A count");
    v.key("on", on, "A switch");
    v.key("name", name, "A name");
    v.choice("policy", policy, {"fcfs", "sptf", "1.5"}, "A policy");
    v.list("rates", rates, "request/s", {0, 1e9}, "Rates");
    v.table("zones", zones, {{"first", "cylinder", {0, 1e6}, true}, {"skew", "rev", {0, 1}, false}}, "Zones");
    v.section("inner", inner, "Inside");
  }
};

struct Root {
  Params part;
  void keys(KeyVisitor& v) { v.section("part", part, "A part"); }
};

Params read_text(std::string_view text) {
  Root root;
  read(parse(text, "file.toml"), root);
  return root.part;
}

std::string message_of(std::string_view text) {
  try {
    read_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ConfigReader, FillsEveryTypeAndKeepsDefaults) {
  const Params p = read_text(R"(
[part]
time_us = "5 ms"
count = "4 KiB"
on = true
policy = "sptf"
rates = [50, "75 IO/s"]
zones = [[0, 0.25], [433, "90 deg"]]
[part.inner]
scope = ["a*", "b"]
)");
  EXPECT_EQ(p.time_us, 5000);
  EXPECT_EQ(p.count, 4096);
  EXPECT_TRUE(p.on);
  EXPECT_EQ(p.name, "x");
  EXPECT_EQ(p.policy, 1);
  EXPECT_THAT(p.rates, ElementsAre(50, 75));
  EXPECT_THAT(p.zones, ElementsAre(ElementsAre(0, 0.25), ElementsAre(433, 0.25)));
  EXPECT_EQ(p.inner.share, 0.5);
  EXPECT_THAT(p.inner.scope, ElementsAre("a*", "b"));
}

TEST(ConfigReader, AWholeNumberMayBeWrittenAsAFloat) {
  EXPECT_EQ(read_text("part.count = 1e3").count, 1000);
  EXPECT_THAT(message_of("part.count = 1.5"), HasSubstr("part.count: 1.5 B is no whole number of B"));
}

TEST(ConfigReader, AChoiceThatLooksLikeANumberMayBeWrittenAsOne) {
  EXPECT_EQ(read_text("part.policy = 1.5").policy, 2);
}

TEST(ConfigReader, OutOfRangeNamesPlaceKeyAndWhatIsAllowed) {
  EXPECT_EQ(message_of("[part]\ntime_us = 1e7"),
            "file.toml:2:11: part.time_us: 10000000 us is out of range; allowed: 0 to 1000000 us");
  EXPECT_THAT(message_of("[part]\ntime_us = '-1 ns'"), HasSubstr("-0.001 us is out of range"));
  EXPECT_THAT(message_of("[part]\nrates = [1,\n -1]"), StartsWith("file.toml:3:2: part.rates[1]: -1 request/s is out"));
}

TEST(ConfigReader, BothBoundsAreAllowed) {
  EXPECT_EQ(read_text("part.time_us = 0").time_us, 0);
  EXPECT_EQ(read_text("part.time_us = 1e6").time_us, 1e6);
  EXPECT_EQ(read_text("part.count = 1").count, 1);
  EXPECT_EQ(read_text("part.count = 100_000").count, 100'000);
  EXPECT_THAT(message_of("part.count = 100_001"), HasSubstr("out of range"));
}

TEST(ConfigReader, NotFiniteIsAnError) {
  EXPECT_THAT(message_of("part.time_us = nan"), HasSubstr("part.time_us: nan is not allowed"));
  EXPECT_THAT(message_of("part.time_us = inf"), HasSubstr("part.time_us: inf is not allowed"));
}

TEST(ConfigReader, WrongTypesSayWhatIsExpected) {
  EXPECT_THAT(message_of("part.time_us = true"), HasSubstr("a number of us, or a string with a unit, is expected"));
  EXPECT_THAT(message_of("part.on = 1"), HasSubstr("true or false is expected, not an integer"));
  EXPECT_THAT(message_of("part.name = 1"), HasSubstr("a string is expected, not an integer"));
  EXPECT_THAT(message_of("part.policy = [1]"), HasSubstr("one of fcfs, sptf, 1.5 is expected, not a list"));
  EXPECT_THAT(message_of("part.rates = 5"), HasSubstr("a list of numbers is expected"));
  EXPECT_THAT(message_of("part.inner.scope = [5]"), HasSubstr("part.inner.scope[0]: a string is expected"));
  EXPECT_THAT(message_of("part.time_us = 1979-05-27"), HasSubstr("not a date or time"));
  EXPECT_THAT(message_of("part = 5"), HasSubstr("is a section; write [part]"));
  EXPECT_THAT(message_of("[part.count]\nx = 1"),
              HasSubstr("a number of B, or a string with a unit, is expected, not a section"));
}

TEST(ConfigReader, AWrongUnitNamesTheExpectedOnes) {
  EXPECT_THAT(
      message_of("part.time_us = '5 rpm'"),
      AllOf(StartsWith("file.toml:1:16: part.time_us: \"5 rpm\" is a rotational speed"), HasSubstr("ps, ns, us")));
}

TEST(ConfigReader, AMisspeltChoiceOrKeyNamesTheNearest) {
  EXPECT_THAT(message_of("part.policy = 'sptff'"), HasSubstr("one of: fcfs, sptf, 1.5; did you mean \"sptf\"?"));
  EXPECT_THAT(message_of("[part]\n  time_su = 1"),
              StartsWith("file.toml:2:3: part.time_su: no such key; did you mean \"time_us\"?"));
  EXPECT_THAT(message_of("[prat]\n"), HasSubstr("prat: no such section; did you mean \"part\"?"));
  EXPECT_THAT(message_of("part.share = 0.1"), HasSubstr("did you mean \"part.inner.share\"?"));
  EXPECT_THAT(message_of("part.inner.frobnicate = 1"), HasSubstr("no such key; allowed here: share, scope"));
}

TEST(ConfigReader, TableRowsAreCheckedNumberByNumber) {
  EXPECT_THAT(message_of("part.zones = [[1]]"),
              HasSubstr("part.zones[0]: a row has 2 numbers, [first, skew]; this one has 1"));
  EXPECT_THAT(message_of("part.zones = [[0.5, 0]]"), HasSubstr("part.zones[0][0] (first): 0.5 cylinder is no whole"));
  EXPECT_THAT(message_of("part.zones = [[1, 2]]"), HasSubstr("part.zones[0][1] (skew): 2 rev is out of range"));
  EXPECT_THAT(message_of("part.zones = [1]"), HasSubstr("a row [first, skew] is expected"));
}

TEST(ConfigParser, BrokenTomlNamesLineAndColumn) {
  EXPECT_THAT(message_of("[part]\ncount = = 5"), StartsWith("file.toml:2:9: "));
  EXPECT_THAT(message_of("[part]\ncount = 5\ncount = 6"), AllOf(StartsWith("file.toml:3:"), HasSubstr("redefine")));
  EXPECT_THAT(message_of("[part]\n[part]"), AllOf(StartsWith("file.toml:2:"), HasSubstr("redefine")));
}

TEST(ConfigParser, AMissingFileIsNamed) {
  try {
    load("/nonexistent/a.toml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/a.toml: cannot be read: No such file or directory");
  }
}

TEST(ConfigParser, SectionsKeepTheOrderOfTheFile) {
  const Node root = parse("[drives.zeta]\nmodel='a'\n[drives.alpha.seek]\nx=1\n[drives.mid]\n", "f");
  const Node* const drives = root.find("drives");
  ASSERT_TRUE(drives);
  std::vector<std::string> names;
  for (const auto& [name, node] : drives->members) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("zeta", "alpha", "mid"));
}

TEST(ConfigAssignment, TakesTomlAndBareWords) {
  Root root;
  const auto set = [&](std::string_view text) { read(assignment(text), root); };
  set("part.time_us=5ms");
  EXPECT_EQ(root.part.time_us, 5000);
  set("part.time_us=7");
  EXPECT_EQ(root.part.time_us, 7);
  set("part.name=a/b-c.csv.gz");
  EXPECT_EQ(root.part.name, "a/b-c.csv.gz");
  set("part.name=0042");
  EXPECT_EQ(root.part.name, "0042") << "what was typed, for a string key";
  set("part.name=true");
  EXPECT_EQ(root.part.name, "true");
  set("part.policy=sptf");
  EXPECT_EQ(root.part.policy, 1);
  set("part.inner.scope=a*");
  EXPECT_THAT(root.part.inner.scope, ElementsAre("a*"));
  set("part.zones=[[1, 0.5]]");
  EXPECT_THAT(root.part.zones, ElementsAre(ElementsAre(1, 0.5)));
}

TEST(ConfigAssignment, ErrorsNameTheOption) {
  const auto message = [](std::string_view text) -> std::string {
    try {
      Root root;
      read(assignment(text), root);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message("part.count"), StartsWith("--set part.count: KEY=VALUE is expected"));
  EXPECT_THAT(message("=5"), HasSubstr("KEY=VALUE is expected"));
  EXPECT_THAT(message("a b=5"), StartsWith("--set a b: is no key"));
  EXPECT_THAT(message("part.count=a\nb=1"), HasSubstr("line break"));
  EXPECT_THAT(message("part.count=0"), StartsWith("--set part.count: part.count: 0 B is out of range"));
  EXPECT_THAT(message("part.cuont=5"), HasSubstr("did you mean \"count\"?"));
}

TEST(ConfigLayers, TheUpperLayerWinsAndKeepsItsPlace) {
  Node below = parse("[part]\ncount = 1\nname = 'below'\n[part.inner]\nshare = 0.1", "below.toml");
  merge(below, parse("[part]\ncount = 2000000", "above.toml"));
  Root root;
  try {
    read(below, root);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), StartsWith("above.toml:2:9: part.count: 2000000 B is out of range"));
  }
  merge(below, assignment("part.count=3"));
  read(below, root);
  EXPECT_EQ(root.part.count, 3);
  EXPECT_EQ(root.part.name, "below");
  EXPECT_EQ(root.part.inner.share, 0.1);
}

TEST(ConfigLayers, ASectionStandsWhereItWasLastSpokenOf) {
  Node below = parse("[part]\ncount = 1", "below.toml");
  merge(below, parse("\n\n[part]\nname = 'x'", "above.toml"));
  EXPECT_EQ(below.find("part")->place.file, "above.toml");
  EXPECT_EQ(below.find("part")->place.line, 3u);
  EXPECT_EQ(below.find("part.count")->place.file, "below.toml");
}

TEST(ConfigLayers, AListIsReplacedAsAWhole) {
  Node below = parse("part.rates = [1, 2, 3]", "below.toml");
  merge(below, parse("part.rates = [4]", "above.toml"));
  Root root;
  read(below, root);
  EXPECT_THAT(root.part.rates, ElementsAre(4));
}

TEST(ConfigLayers, ASectionOverAValueIsAnError) {
  Node below = parse("part = 5", "below.toml");
  EXPECT_THROW(merge(below, parse("part.count = 5", "above.toml")), InputError);
}

}  // namespace
}  // namespace armature::config
