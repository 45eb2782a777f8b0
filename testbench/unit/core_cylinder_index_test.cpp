#include "armature/core/cylinder_index.h"

#include "armature/core/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace armature {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

std::vector<std::uint32_t> by_age(const CylinderIndex& index) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = index.oldest(); id != CylinderIndex::kNone; id = index.younger(id)) ids.push_back(id);
  return ids;
}

TEST(CylinderIndex, EmptyItHasNothingAnywhere) {
  const CylinderIndex index;
  EXPECT_EQ(index.size(), 0u);
  EXPECT_FALSE(index.contains(0));
  EXPECT_THAT(by_age(index), IsEmpty());
  EXPECT_EQ(CylinderIndex::Outward(index, 5).distance(), CylinderIndex::kNone);
  EXPECT_EQ(index.bucket_from(0), CylinderIndex::kNone);
}

TEST(CylinderIndex, KeepsTheOrderOfInsertion) {
  CylinderIndex index;
  for (const std::uint32_t id : {7u, 3u, 9u, 0u}) index.insert(id, 100 - id);
  EXPECT_THAT(by_age(index), ElementsAre(7, 3, 9, 0));
  index.erase(3);
  index.erase(7);
  index.insert(3, 5);
  EXPECT_THAT(by_age(index), ElementsAre(9, 0, 3));
  index.erase(3);
  EXPECT_THAT(by_age(index), ElementsAre(9, 0));
  EXPECT_TRUE(index.contains(9));
  EXPECT_FALSE(index.contains(3));
}

/// The walk meets everything once, and nothing nearer than it said; the same upwards.
TEST(CylinderIndex, WalksVisitEachEntryOnceInTheOrderOfTheBoundTheyGive) {
  RandomStream random(11, "index");
  for (const std::uint32_t cylinders : {1u, 64u, 1'000u, 10'042u, 300'000u, 1u << 23}) {
    CylinderIndex index;
    std::vector<std::uint32_t> cylinder_of(400);
    std::vector<std::uint32_t> inside;
    for (int step = 0; step < 800; ++step) {
      const auto id = static_cast<std::uint32_t>(random.below(cylinder_of.size()));
      if (index.contains(id)) {
        index.erase(id);
        inside.erase(std::find(inside.begin(), inside.end(), id));
      } else if (!inside.empty() && random.below(4) == 0) {
        const std::uint32_t moved = inside[random.below(inside.size())];
        cylinder_of[moved] = static_cast<std::uint32_t>(random.below(cylinders));
        index.move(moved, cylinder_of[moved]);  // its age stays
      } else {
        cylinder_of[id] = static_cast<std::uint32_t>(random.below(cylinders));
        index.insert(id, cylinder_of[id]);
        inside.push_back(id);
      }
      ASSERT_EQ(index.size(), inside.size());
      ASSERT_EQ(by_age(index), inside);
      const auto from = static_cast<std::uint32_t>(random.below(std::uint64_t{cylinders} + 2));
      std::vector<std::uint32_t> met;
      std::uint32_t last = 0;
      for (CylinderIndex::Outward near(index, from); near.distance() != CylinderIndex::kNone; near.advance()) {
        ASSERT_GE(near.distance(), last);
        last = near.distance();
        for (std::uint32_t i = near.first(); i != CylinderIndex::kNone; i = index.next_in_bucket(i)) {
          met.push_back(i);
          const std::uint32_t there = cylinder_of[i];
          ASSERT_GE(there > from ? there - from : from - there, last);
        }
      }
      std::sort(met.begin(), met.end());
      std::vector<std::uint32_t> sorted = inside;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(met, sorted);

      met.clear();
      std::uint32_t highest = 0;
      for (std::uint32_t b = index.bucket_from(from); b != CylinderIndex::kNone; b = index.bucket_behind(b)) {
        std::uint32_t top = highest;
        for (std::uint32_t i = index.first_in_bucket(b); i != CylinderIndex::kNone; i = index.next_in_bucket(i)) {
          ASSERT_GE(cylinder_of[i], highest) << "buckets must not overlap";
          top = std::max(top, cylinder_of[i]);
          if (cylinder_of[i] >= from) met.push_back(i);
        }
        highest = top;
      }
      sorted.erase(std::remove_if(sorted.begin(), sorted.end(), [&](std::uint32_t i) { return cylinder_of[i] < from; }),
                   sorted.end());
      ASSERT_THAT(met, UnorderedElementsAreArray(sorted));
    }
  }
}

/// Of tens of thousands of entries those of one cylinder lie in a bucket of their own; it ends when most have gone.
TEST(CylinderIndex, ManyEntriesLieInNarrowBuckets) {
  RandomStream random(12, "index");
  constexpr std::uint32_t kCylinders = 10'042, kEntries = 60'000;
  CylinderIndex index;
  std::vector<std::uint32_t> cylinder_of(kEntries), inside;
  const auto expect_walk = [&](std::uint32_t from) {
    std::vector<bool> met(kEntries, false);
    std::size_t count = 0;
    std::uint32_t last = 0;
    for (CylinderIndex::Outward near(index, from); near.distance() != CylinderIndex::kNone; near.advance()) {
      ASSERT_GE(near.distance(), last);
      last = near.distance();
      for (std::uint32_t i = near.first(); i != CylinderIndex::kNone; i = index.next_in_bucket(i), ++count) {
        ASSERT_FALSE(met[i]);
        met[i] = true;
        ASSERT_GE(cylinder_of[i] > from ? cylinder_of[i] - from : from - cylinder_of[i], last);
      }
    }
    ASSERT_EQ(count, index.size());
  };
  const auto widest = [&] {  // cylinders that share a bucket
    std::uint32_t most = 0;
    for (std::uint32_t b = index.bucket_from(0); b != CylinderIndex::kNone; b = index.bucket_behind(b)) {
      std::uint32_t low = ~0u, high = 0;
      for (std::uint32_t i = index.first_in_bucket(b); i != CylinderIndex::kNone; i = index.next_in_bucket(i)) {
        low = std::min(low, cylinder_of[i]);
        high = std::max(high, cylinder_of[i]);
      }
      most = std::max(most, high - low + 1);
    }
    return most;
  };
  for (std::uint32_t id = 0; id < kEntries; ++id) {
    cylinder_of[id] = static_cast<std::uint32_t>(random.below(kCylinders));
    index.insert(id, cylinder_of[id]);
    if (id == 4'000) {
      EXPECT_EQ(widest(), 16u) << "10,042 cylinders in 1,024 buckets";
    }
    if (id % 9'973 == 0) expect_walk(static_cast<std::uint32_t>(random.below(kCylinders)));
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(widest(), 1u);
  for (std::uint32_t id = 0; id < kEntries; ++id) {
    if (id % 9'001 == 0) expect_walk(static_cast<std::uint32_t>(random.below(kCylinders)));
    if (HasFatalFailure()) return;
    if (id % 300 != 0) index.erase(id);
  }
  for (std::uint32_t id = 0; id < kEntries; id += 300) inside.push_back(id);
  EXPECT_EQ(by_age(index), inside);
  EXPECT_GT(widest(), 1u) << "few entries are found without a look at thousands of empty buckets";
  expect_walk(5'000);
}

TEST(CylinderIndex, AWiderDiskKeepsWhatWasThere) {
  CylinderIndex index;
  index.insert(0, 1'000);
  index.insert(1, 0xFFFF'FFFF);
  index.insert(2, 3);
  CylinderIndex::Outward near(index, 0xFFFF'FFFF);
  EXPECT_EQ(near.first(), 1u);
  near.advance();
  EXPECT_LE(near.distance(), 0xFFFF'FFFF - 1'000u);
  EXPECT_EQ(index.next_in_bucket(near.first()), 0u) << "2 and 0 share a bucket of 67 million cylinders";
  near.advance();
  EXPECT_EQ(near.distance(), CylinderIndex::kNone);
}

}  // namespace
}  // namespace armature
