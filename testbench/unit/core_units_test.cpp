#include "armature/core/error.h"
#include "armature/core/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace armature {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message_of(std::string_view text, std::string_view unit) {
  try {
    parse_quantity(text, unit);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Units, ConvertWithinADimensionWithoutRoundingErrorsThatPeopleSee) {
  EXPECT_EQ(parse_quantity("5 ms", "us"), 5000);
  EXPECT_EQ(parse_quantity("0.3ms", "us"), 300);
  EXPECT_EQ(parse_quantity("100 us", "ms"), 0.1);
  EXPECT_EQ(parse_quantity("2 h", "s"), 7200);
  EXPECT_EQ(parse_quantity("1.5 µs", "ns"), 1500);
  EXPECT_EQ(parse_quantity("7200 rpm", "rpm"), 7200);
  EXPECT_EQ(parse_quantity("120 rev/s", "rpm"), 7200);
  EXPECT_EQ(parse_quantity("40 MHz", "Hz"), 4e7);
  EXPECT_EQ(parse_quantity("90 deg", "rev"), 0.25);
  EXPECT_EQ(parse_quantity("4 KiB", "B"), 4096);
  EXPECT_EQ(parse_quantity("4 kB", "B"), 4000);
  EXPECT_EQ(parse_quantity("4 KiB", "sector"), 8);
  EXPECT_EQ(parse_quantity("3 Gb/s", "MB/s"), 375);
  EXPECT_EQ(parse_quantity("10 MB/s", "B/s"), 1e7);
  EXPECT_EQ(parse_quantity("25 %", ""), 0.25);
  EXPECT_EQ(parse_quantity("3.5 in", "mm"), 88.9);
}

TEST(Units, ARadianIsATurnOverTwoPi) {
  EXPECT_NEAR(parse_quantity("3.141592653589793 rad", "deg"), 180, 1e-13);
}

TEST(Units, NumbersAreTomlsDecimals) {
  EXPECT_EQ(parse_quantity(" +1_000.5e-1 ms ", "ms"), 100.05);
  EXPECT_EQ(parse_quantity("-.5 ms", "ms"), -0.5);
  EXPECT_EQ(parse_quantity("1e3ms", "ms"), 1000);
  EXPECT_THAT(message_of("0x10 ms", "ms"), HasSubstr("\"x10 ms\" is no unit"));
  EXPECT_THAT(message_of("1__0 ms", "ms"), HasSubstr("no unit"));
  EXPECT_THAT(message_of("nan ms", "ms"), HasSubstr("does not begin with a number"));
  EXPECT_THAT(message_of("1e999 ms", "ms"), HasSubstr("too large"));
  EXPECT_THAT(message_of("", "ms"), HasSubstr("does not begin with a number"));
}

TEST(Units, AWrongDimensionNamesTheExpectedUnits) {
  EXPECT_THAT(message_of("5 rpm", "ms"),
              AllOf(HasSubstr("\"5 rpm\" is a rotational speed"), HasSubstr("a time is expected"),
                    HasSubstr("ps, ns, us, ms, s, min, h, d")));
  EXPECT_THAT(message_of("5 MS", "ms"), HasSubstr("\"MS\" is no unit that is known; a time is expected"));
  EXPECT_THAT(message_of("5", "ms"), HasSubstr("has no unit: write it without quotes for ms"));
  EXPECT_THAT(message_of("5 s", ""), HasSubstr("a pure number is expected"));
}

TEST(Units, AUnitThatNobodyDeclaredIsTakenByItsOwnNameOnly) {
  EXPECT_EQ(parse_quantity("7 furlong", "furlong"), 7);
  EXPECT_THAT(message_of("7 m", "furlong"), HasSubstr("a number of furlong is expected"));
}

TEST(Units, ShortestReadsBackToTheSameBits) {
  for (const double value : {0.1, 1.0 / 3, 7200.0, 1e20, 6.02e23, 5e-324, -2.5}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(shortest(-0.0), "0");
  EXPECT_EQ(with_unit(5, "ms"), "5 ms");
  EXPECT_EQ(with_unit(0.5, ""), "0.5");
}

}  // namespace
}  // namespace armature
