// Memory that costs nothing until it is written, and queues in one block of memory.
#include "armature/core/ring.h"
#include "armature/core/zeroed_memory.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <new>
#include <string>

namespace armature {
namespace {

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(ZeroedMemory, IsZeroAlignedAndOnesOwn) {
  ZeroedMemory memory(100'001), other(100'001);
  ASSERT_EQ(memory.size(), 100'001u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % alignof(std::max_align_t), 0u);
  EXPECT_TRUE(std::all_of(memory.data(), memory.data() + memory.size(), [](std::uint8_t byte) { return byte == 0; }));
  std::fill_n(memory.data(), memory.size(), std::uint8_t{0xA5});
  EXPECT_EQ(other.data()[100'000], 0);
  EXPECT_EQ(static_cast<const ZeroedMemory&>(memory).data()[100'000], 0xA5);
}

TEST(ZeroedMemory, MayBeEmpty) {
  EXPECT_EQ(ZeroedMemory(0).size(), 0u);
}

TEST(ZeroedMemory, TakesThePagesThatAreWrittenAndGivesThemBack) {
  constexpr std::size_t kSize = std::size_t{64} << 20;
  const std::size_t before = resident_bytes();
  {
    ZeroedMemory memory(kSize);
    EXPECT_LT(resident_bytes(), before + kSize / 8);
    std::fill_n(memory.data(), kSize / 2, std::uint8_t{1});
    EXPECT_GT(resident_bytes(), before + kSize / 4);
  }
  EXPECT_LT(resident_bytes(), before + kSize / 8);
}

int handled = 0;

TEST(ZeroedMemory, TellsTheHandlerAndThrowsIfThereIsNone) {
  const std::new_handler earlier = std::set_new_handler([] { ++handled; });
  EXPECT_THROW(ZeroedMemory(std::size_t{1} << 60), std::bad_alloc);
  std::set_new_handler(earlier);
  EXPECT_EQ(handled, 1);
}

TEST(FixedRing, KeepsTheOrderRoundItsEnd) {
  FixedRing<int> ring(3);
  ring.push(1);
  ring.push(2);
  ring.pop();
  ring.push(3);
  ring.push(4);  // where 1 was
  EXPECT_TRUE(ring.full());
  for (const int expected : {2, 3, 4}) {
    ASSERT_EQ(ring.front(), expected);
    ring.pop();
  }
  EXPECT_TRUE(ring.empty());
}

/// Many drives have such queues, and seldom more than one item in each.
TEST(FixedRing, BeginsAnewWhenEmpty) {
  FixedRing<int> ring(1000);
  ring.push(0);
  const int* const place = &ring.front();
  for (int i = 1; i < 5; ++i) {
    ring.push(i);
    ring.pop();
    ring.pop();
    ring.push(i);
    EXPECT_EQ(&ring.front(), place);
    EXPECT_EQ(ring.front(), i);
  }
  ring.push(5);
  ring.clear();
  ring.push(6);
  EXPECT_EQ(&ring.front(), place);
  EXPECT_EQ(ring.size(), 1u);
}

}  // namespace
}  // namespace armature
