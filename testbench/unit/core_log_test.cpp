#include "armature/core/error.h"
#include "armature/core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace armature {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string contents(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(LogRules, TheLastMatchingGlobWins) {
  LogRules rules;
  EXPECT_EQ(rules.level_of("a.disk.srv0"), LogLevel::warning);
  rules.add("*.disk.*=debug");
  rules.add("*.srv?=trace");
  EXPECT_EQ(rules.level_of("a.disk.srv0"), LogLevel::trace);
  EXPECT_EQ(rules.level_of("a.disk.spn"), LogLevel::debug);
  EXPECT_EQ(rules.level_of("a.link"), LogLevel::warning);
}

TEST(LogRules, AWrongRuleIsAnInputError) {
  LogRules rules;
  EXPECT_THROW(rules.add("debug"), InputError);
  EXPECT_THROW(rules.add("=debug"), InputError);
  try {
    rules.add("*=loud");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--log *=loud: \"loud\" is no log level; one of: trace, debug, info, warning, error, off");
  }
}

TEST(Glob, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(matches_glob("*.srv0", "x.disk.srv0"));
  EXPECT_FALSE(matches_glob("*.srv0", "x.disk.srv01"));
  EXPECT_FALSE(matches_glob("a?c", "ac"));
  EXPECT_TRUE(matches_glob("a**", "a"));
  EXPECT_TRUE(matches_glob("*.srv?.*", "drive.disk.srv1.position"));
  EXPECT_FALSE(matches_glob("*.srv0.*", "drive.disk.srv01.position"));
  EXPECT_FALSE(matches_glob("srv0", "drive.srv0"));
  EXPECT_FALSE(matches_glob("?", ""));
  EXPECT_TRUE(matches_glob("a*b*c", "abbbxbc"));
  EXPECT_FALSE(matches_glob("a*b*c", "abbbxb"));
  EXPECT_TRUE(matches_glob("**x", "x"));
}

TEST(Log, WritesWhatItsLevelAllowsWithTimeAndModule) {
  const std::string path = ::testing::TempDir() + "armature_log_test.txt";
  LogRules rules;
  rules.add("loud.*=debug");
  LogOutput::open(rules, path);
  const Log loud("loud.srv0"), quiet("quiet.srv0");
  sc_core::sc_start(sc_core::sc_time(1500, sc_core::SC_NS));
  loud.debug("to cylinder {}", 42);
  loud.trace("hidden {}", 1);
  quiet.info("hidden too");
  quiet.warning("seen");
  LogOutput::flush();
  const std::string text = contents(path);
  EXPECT_THAT(text, HasSubstr("debug 0.000001500 s loud.srv0: to cylinder 42\n"));
  EXPECT_THAT(text, HasSubstr("warning 0.000001500 s quiet.srv0: seen\n"));
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
  std::filesystem::remove(path);
}

TEST(Log, SystemCReportsGoThroughIt) {
  const std::string path = ::testing::TempDir() + "armature_log_reports_test.txt";
  LogRules rules;
  rules.add("shy=error");
  LogOutput::open(rules, path);
  SC_REPORT_WARNING("register_bank", "odd");
  SC_REPORT_WARNING("shy", "odd too");
  SC_REPORT_INFO("register_bank", "chatter");
  EXPECT_THROW(SC_REPORT_ERROR("bad", "impossible"), sc_core::sc_report) << "an error still ends the run";
  LogOutput::flush();
  const std::string text = contents(path);
  EXPECT_THAT(text, HasSubstr("warning 0.000000000 s register_bank: odd\n"));
  EXPECT_THAT(text, Not(HasSubstr("impossible"))) << "whoever catches it says it";
  EXPECT_THAT(text, Not(HasSubstr("odd too")));
  EXPECT_THAT(text, Not(HasSubstr("chatter")));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace armature
