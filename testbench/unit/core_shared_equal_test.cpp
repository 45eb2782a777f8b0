#include "armature/core/shared_equal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using Table = std::vector<std::string>;

TEST(SharedEqual, EqualValuesAreOneObjectAndOthersAreNot) {
  const auto a = shared_equal(Table{"a", "b"});
  const auto other = shared_equal(Table{"a", "c"});
  const auto b = shared_equal(Table{"a", "b"});
  EXPECT_EQ(a, b);
  EXPECT_NE(a, other);
  EXPECT_EQ(*a, (Table{"a", "b"}));
  EXPECT_EQ(*other, (Table{"a", "c"}));
}

TEST(SharedEqual, AValueLivesAsLongAsSomebodyHoldsIt) {
  auto first = shared_equal(Table{"first"});
  const auto second = shared_equal(Table{"second"});
  const std::weak_ptr<const Table> watched = first;
  first.reset();
  EXPECT_TRUE(watched.expired());
  const auto third = shared_equal(Table{"third"});
  EXPECT_EQ(shared_equal(Table{"second"}), second) << "it was behind the one that is gone";
  EXPECT_EQ(*shared_equal(Table{"first"}), Table{"first"});
  EXPECT_EQ(shared_equal(Table{"third"}), third);
}

}  // namespace
}  // namespace armature
