#include "json_text.h"

#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace armature::observe {
namespace {

using Json = JsonText::Json;

template <class T>
std::string text_of(const T& value) {
  std::string out;
  JsonText(out).value(value);
  return out;
}

TEST(JsonText, PutsCommasBetweenMembersAndValuesOnly) {
  std::string out;
  JsonText json(out);
  json.begin_object();
  json.key("empty");
  json.begin_array();
  json.end_array();
  json.member("one", 1);
  json.key("rows");
  json.begin_array();
  json.row(1, 2.5, false);
  json.row();
  json.row(-7, std::string("a"));
  json.end_array();
  json.key("inner");
  json.begin_object();
  json.end_object();
  json.member("last", true);
  json.end_object();
  EXPECT_EQ(out, R"({"empty":[],"one":1,"rows":[[1,2.5,false],[],[-7,"a"]],"inner":{},"last":true})");
}

TEST(JsonText, FollowsWhatTheTextHasAlready) {
  std::string out = "<script>";
  JsonText json(out);
  json.begin_array();
  json.value(1);
  json.end_array();
  EXPECT_EQ(out, "<script>[1]");
}

TEST(JsonText, CannotEndTheScriptElementThatItStandsIn) {
  const std::string name = "</script><!-- \"quoted\" \\ \n";
  const std::string out = text_of(Json(name));
  EXPECT_EQ(out.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(out), Json(name));
  EXPECT_EQ(text_of(Json("\xff!")), "\"\xef\xbf\xbd!\"");  // no UTF-8: a mark in its place
}

TEST(JsonText, NumbersLookAsInNlohmannsText) {
  for (const double value :
       {0.0, -0.0,         1.0,  -1.0, 0.5,     1e-4,   9.9e-5,    0.00012345, 12.0625, 1234.567, 999999.999999999,
        1e6, 123456789.25, 1e15, 1e16, 1.5e300, 5e-324, 0.1 + 0.2, 1.0 / 3,    100.0,   120.0})
    EXPECT_EQ(text_of(value), Json(value).dump());
  for (const double none : {std::nan(""), std::numeric_limits<double>::infinity()}) EXPECT_EQ(text_of(none), "null");
  EXPECT_EQ(text_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(text_of(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

/// Decimals go a way of their own: never longer than nlohmann's digits, and the same number.
TEST(JsonText, RandomNumbersAreReadBackTheSame) {
  RandomStream random(7, "json text");
  std::size_t shorter = 0, decimals = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto digits = static_cast<double>(random.below(10'000'000));
    double value = digits / std::pow(10.0, static_cast<double>(random.below(12)));
    if (i % 2 == 1) value = std::ldexp(digits + 0.37, static_cast<int>(random.below(60)) - 40);
    if (i % 3 == 0) value = -value;
    const std::string text = text_of(value), theirs = Json(value).dump();
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    ASSERT_LE(text.size(), theirs.size()) << text << ' ' << theirs;
    decimals += i % 2 == 0;
    shorter += text != theirs;
  }
  EXPECT_LT(shorter, decimals / 500);
}

}  // namespace
}  // namespace armature::observe
