#include "number.h"

#include <gtest/gtest.h>

#include <random>

namespace armature::workload {
namespace {

/// The value, or a negative number for an error: -1 malformed, -2 negative, -3 overflow.
WidePs decimal(std::string_view text, int exponent) {
  WidePs value = 0;
  switch (parse_decimal(text, exponent, value)) {
    case NumberError::none:
      return value;
    case NumberError::malformed:
      return -1;
    case NumberError::negative:
      return -2;
    case NumberError::overflow:
      return -3;
  }
  return -4;
}

TEST(WorkloadNumbers, DecimalsBecomeExactPicoseconds) {
  EXPECT_EQ(decimal("0", 12), 0);
  EXPECT_EQ(decimal("1", 12), kPsPerSecond);
  EXPECT_EQ(decimal("+1.5", 12), 1'500 * kPsPerMs);
  EXPECT_EQ(decimal(".5", 9), kPsPerMs / 2);
  EXPECT_EQ(decimal("5.", 9), 5 * kPsPerMs);
  EXPECT_EQ(decimal("382.454964", 9), 382'454'964'000);
  EXPECT_EQ(decimal("1e-05", 12), 10 * kPsPerUs);
  EXPECT_EQ(decimal("12.5E+2", 9), 1'250 * kPsPerMs);
  EXPECT_EQ(decimal("1700000000.123456789", 12), WidePs{1'700'000'000'123'456'789} * 1000) << "seconds since 1970";
  EXPECT_EQ(decimal("128166372003061629", 5), WidePs{128'166'372'003'061'629} * 100'000) << "FILETIME";
  EXPECT_EQ(decimal("0.1", 12), kPsPerSecond / 10) << "which no double is";
  EXPECT_EQ(decimal("8639999.999999999999", 12), 8'639'999'999'999'999'999) << "19 digits";
}

TEST(WorkloadNumbers, WhatIsBelowAPicosecondIsRounded) {
  EXPECT_EQ(decimal("0.4", 0), 0);
  EXPECT_EQ(decimal("0.5", 0), 1);
  EXPECT_EQ(decimal("2.4999999999999999999999", 0), 2);
  EXPECT_EQ(decimal("0.0000000000005", 12), 1);
  EXPECT_EQ(decimal("0.00000000000049", 12), 0);
  EXPECT_EQ(decimal("1e-400", 12), 0);
  EXPECT_EQ(decimal("0e400", 12), 0);
  EXPECT_EQ(decimal("9000000000000000000e-19", 0), 1);
  EXPECT_EQ(decimal("9000000000000000000e-20", 0), 0);
  EXPECT_EQ(decimal("9000000000000000000e-21", 0), 0);
}

TEST(WorkloadNumbers, WhatIsNoNumberIsSaidToBeSo) {
  for (const std::string_view text : {"",    "+",   ".",  "e5", "1e",  "1e+", "1.2.3", "1,5",  "0x",    "0xg",  "1x0",
                                      "nan", "inf", "1 ", " 1", "--1", "-",   "-x",    "1e5x", "1e--5", "1_000"})
    EXPECT_EQ(decimal(text, 12), -1) << text;
  for (const std::string_view text : {"-1", "-0.5", "-.5", "-0"}) EXPECT_EQ(decimal(text, 12), -2) << text;
  for (const std::string_view text : {"100000000000000000000", "1e19", "1e99999999999"})
    EXPECT_EQ(decimal(text, 12), -3) << text;
  EXPECT_EQ(decimal("18446744073709551620", 0), -3) << "2^64 + 4 has no room, and must not wrap around";
}

TEST(WorkloadNumbers, WholeNumbersAreNotRounded) {
  std::uint64_t value = 7;
  EXPECT_EQ(parse_whole("18446744073709551615", value), NumberError::none);
  EXPECT_EQ(value, 18'446'744'073'709'551'615u);
  EXPECT_EQ(parse_whole("18446744073709551616", value), NumberError::overflow);
  EXPECT_EQ(parse_whole("-1", value), NumberError::negative);
  EXPECT_EQ(parse_whole("0x1F", value), NumberError::none);
  EXPECT_EQ(value, 31u);
  EXPECT_EQ(parse_whole("0X10000000000000000", value), NumberError::overflow);
  EXPECT_EQ(decimal("0x1f", 3), 31'000);
  for (const std::string_view text : {"", "-", "+1", "1.0", "1e3", "0x", "0xg", "1x0", "1a", " 1"})
    EXPECT_EQ(parse_whole(text, value), NumberError::malformed) << text;
}

TEST(WorkloadNumbers, QuotedFieldsAreShortAndPrintable) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  EXPECT_EQ(in_quotes("a\x1b[31m\n"), "'a?[31m?'");
  EXPECT_EQ(in_quotes(std::string(50, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(WorkloadTimeScale, KeepsTheOrderAndIsExactForFactorsOfTwo) {
  Ps scaled = 0;
  ASSERT_TRUE(TimeScale(1).apply(TimeScale::kLatest, scaled));
  EXPECT_EQ(scaled, TimeScale::kLatest);
  EXPECT_FALSE(TimeScale(1).apply(WidePs{TimeScale::kLatest} + 1, scaled));
  ASSERT_TRUE(TimeScale(0.5).apply(2'000'000'000'000'000'002, scaled));
  EXPECT_EQ(scaled, 1'000'000'000'000'000'001) << "more digits than a double has";
  ASSERT_TRUE(TimeScale(0.1).apply(10 * kPsPerMs, scaled));
  EXPECT_EQ(scaled, kPsPerMs);
  ASSERT_TRUE(TimeScale(0.5).apply(WidePs{TimeScale::kLatest} * 2, scaled));
  EXPECT_EQ(scaled, TimeScale::kLatest);
  EXPECT_FALSE(TimeScale(0.5).apply(WidePs{TimeScale::kLatest} * 2 + 2, scaled));
  EXPECT_FALSE(TimeScale(1e6).apply(WidePs{1} << 100, scaled)) << "and no overflow in between";
  EXPECT_FALSE(TimeScale(1e-6).apply(WidePs{1} << 120, scaled));

  std::mt19937_64 random(3);
  const TimeScale scale(0.37);
  Ps last = 0;
  WidePs t = 0;
  for (int i = 0; i < 10'000; ++i, last = scaled) {
    t += random() % 5;
    ASSERT_TRUE(scale.apply(t, scaled));
    ASSERT_GE(scaled, last);
    ASSERT_NEAR(static_cast<double>(scaled), 0.37 * static_cast<double>(t), 0.51);
  }
}

}  // namespace
}  // namespace armature::workload
