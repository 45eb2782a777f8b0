#include "armature/core/typed_keys.h"

#include "armature/core/config.h"

#include <gmock/gmock.h>

#include <string>
#include <tuple>

namespace armature::config::core_typed_keys_test {
namespace {

using testing::HasSubstr;

enum class Order { fcfs, sptf, clook };

struct Zone {
  std::int64_t first = 0;
  double skew = 0.5;
  std::int64_t block = -1;
};

struct Params {
  Order order = Order::sptf;
  std::vector<Zone> zones = {{1, 0.25, 3}};
  void keys(KeyVisitor& v) {
    choice(v, "order", order, {"fcfs", "sptf", "clook"}, "Order");
    rows(v, "zones", zones,
         {{"first", "", &Zone::first, {0, 100}},
          {"skew", "rev", &Zone::skew, {0, 1}},
          {"block", "", &Zone::block, {-1, 9e15}}},
         "Zones");
  }
};

Params read_text(const std::string& text) {
  Params params;
  read(parse(text, "file.toml"), params);
  return params;
}

std::string message_of(const std::string& text) {
  try {
    read_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

auto row(const Zone& zone) {
  return std::tuple(zone.first, zone.skew, zone.block);
}

TEST(TypedKeys, AChoiceIsReadAsItsEnumerator) {
  EXPECT_EQ(read_text("order = 'clook'").order, Order::clook);
  EXPECT_EQ(read_text("order = 'fcfs'").order, Order::fcfs);
  EXPECT_EQ(read_text("").order, Order::sptf) << "the default stays";
  EXPECT_THAT(message_of("order = 'sstf'"), HasSubstr("file.toml:1:9: order"));
}

TEST(TypedKeys, EachColumnIsReadIntoItsMember) {
  const Params params = read_text("zones = [[4, '90 deg', 9_000_000_000_000_000], [5, 1, -1]]");
  ASSERT_EQ(params.zones.size(), 2u);
  EXPECT_EQ(row(params.zones[0]), std::tuple(4, 0.25, 9'000'000'000'000'000)) << "exact up to 2^53";
  EXPECT_EQ(row(params.zones[1]), std::tuple(5, 1.0, -1));
}

TEST(TypedKeys, RowsThatTheFileLacksStay) {
  const Params params = read_text("");
  ASSERT_EQ(params.zones.size(), 1u);
  EXPECT_EQ(row(params.zones[0]), std::tuple(1, 0.25, 3));
  EXPECT_TRUE(read_text("zones = []").zones.empty());
}

TEST(TypedKeys, WrongRowsNamePlaceColumnAndRange) {
  EXPECT_THAT(message_of("zones = [[0, 0.5]]"), HasSubstr("file.toml:1:10: zones[0]: a row has 3 numbers"));
  EXPECT_THAT(message_of("zones = [[0.5, 0, 0]]"), HasSubstr("zones[0][0] (first): 0.5 is no whole number"));
  EXPECT_THAT(message_of("zones = [[101, 0, 0]]"), HasSubstr("zones[0][0] (first): 101 is out of range"));
  EXPECT_THAT(message_of("zones = [[0, 2, 0]]"), HasSubstr("zones[0][1] (skew)"));
}

TEST(TypedKeys, TheCatalogueHasColumnsAndValues) {
  Params params;
  const SectionInfo root = catalogue(params);
  ASSERT_EQ(root.keys.size(), 2u);
  EXPECT_EQ(root.keys[0].value.text, "sptf");
  const std::vector<std::pair<std::string, std::string>> columns = {{"first", ""}, {"skew", "rev"}, {"block", ""}};
  EXPECT_EQ(root.keys[1].columns, columns);
  EXPECT_EQ(to_literal(root.keys[1].value), "[\n  [1, 0.25, 3],\n]");
}

}  // namespace
}  // namespace armature::config::core_typed_keys_test
