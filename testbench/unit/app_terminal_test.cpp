#include "armature/cli/terminal.h"
#include "armature/core/error.h"
#include "key_listing.h"
#include "progress_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

namespace armature::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Progress progress(double fraction, std::uint64_t completed, std::uint64_t expected) {
  return {completed, expected, fraction, 84 * kPsPerSecond, 2};
}

TEST(ProgressLine, SaysHowFarHowFastAndHowLongStill) {
  EXPECT_EQ(ProgressLine::text(progress(0.25, 2500, 10'000), true),
            "[======>                 ]  25 %  2500 of 10000 requests  1.2 k/s  simulated 84.0 s  0:06 left");
  EXPECT_EQ(ProgressLine::text(progress(1, 10'000, 10'000), true).substr(0, 26), "[========================]");
  EXPECT_EQ(ProgressLine::text(progress(-1, 2500, 0), true), "2500 requests  1.2 k/s  simulated 84.0 s");
}

std::string shown(bool terminal, int width, const std::vector<double>& fractions) {
  char* buffer = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&buffer, &size);
  {
    ProgressLine line(stream, terminal, width);
    for (const double fraction : fractions)
      line.show(progress(fraction, static_cast<std::uint64_t>(fraction * 1000), 1000));
    line.end();
  }
  std::fclose(stream);
  std::string text(buffer, size);
  std::free(buffer);
  return text;
}

TEST(ProgressLine, IsOneMovingLineOnATerminalAndFitsIt) {
  const std::string text = shown(true, 40, {0.01, 0.02, 0.03});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << "at its end";
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 3);
  EXPECT_LE(text.size(), 4 * (40 + 4u));
}

TEST(ProgressLine, IsALineAtEachTenthElsewhere) {
  const std::string text = shown(false, 100, {0.01, 0.09, 0.11, 0.12, 0.45, 0.99, 1.0});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << "at 11, 45, 99 and 100 %: " << text;
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST(ShortCount, HasThreeDigits) {
  EXPECT_EQ(cli::short_count(7), "7");
  EXPECT_EQ(cli::short_count(12'345), "12.3 k");
  EXPECT_EQ(cli::short_count(123'456), "123 k");
  EXPECT_EQ(cli::short_count(1'234'567), "1.2 M");
}

config::SectionInfo two_keys() {
  config::SectionInfo root;
  config::SectionInfo& section = root.sections.emplace_back();
  section.key = "seek";
  section.meaning = "Moves";
  for (const char* name : {"seek.settle_ms", "seek.average_ms"}) {
    config::KeyInfo& key = section.keys.emplace_back();
    key.key = name;
    key.unit = "ms";
    key.range = {0, 10};
    key.meaning = "A meaning of some words, long enough to be broken once";
    key.value.kind = config::Node::Kind::real;
    key.value.real = 0.5;
  }
  return root;
}

TEST(KeyListing, BreaksLinesToTheWidth) {
  for (const int width : {40, 60, 200}) {
    std::istringstream lines(list_keys(two_keys(), "", width));
    std::string line;
    while (std::getline(lines, line)) EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
  }
  EXPECT_EQ(list_keys(two_keys(), "seek.settle_ms", 200),
            "[seek]  Moves\n"
            "  settle_ms  A meaning of some words, long enough to be broken once\n"
            "             0 to 10 ms, default 0.5\n");
}

TEST(KeyListing, SelectsByKeySectionGlobOrPartOfAName) {
  EXPECT_THAT(list_keys(two_keys(), "seek", 80), HasSubstr("average_ms"));
  EXPECT_THAT(list_keys(two_keys(), "*.settle*", 80), Not(HasSubstr("average_ms")));
  EXPECT_THAT(list_keys(two_keys(), "settle", 80), Not(HasSubstr("average_ms")));
  EXPECT_THROW(list_keys(two_keys(), "sttle", 80), InputError);
}

TEST(KeyListing, ForProgramsHasAHeaderAndTabs) {
  EXPECT_THAT(
      list_keys_tsv(two_keys(), "*.settle*"),
      StartsWith("key\ttype\tunit\tallowed\tdefault\tmeaning\nseek.settle_ms\tnumber\tms\t0 to 10 ms\t0.5\tA meaning"));
}

}  // namespace
}  // namespace armature::app
