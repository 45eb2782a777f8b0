// The two kinds of block address: what must not compile, and the way from one to the other.
#include "armature/core/block_address.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace armature {
namespace {

// A host's address is no block number, no number, and the other way round; not even by a cast.
static_assert(!std::is_convertible_v<HostLba, Lbn> && !std::is_constructible_v<Lbn, HostLba>);
static_assert(!std::is_convertible_v<Lbn, HostLba> && !std::is_constructible_v<HostLba, Lbn>);
static_assert(!std::is_assignable_v<HostLba&, Lbn> && !std::is_assignable_v<Lbn&, HostLba>);
static_assert(!std::is_convertible_v<HostLba, std::uint64_t> && !std::is_constructible_v<std::uint64_t, HostLba>);
static_assert(!std::is_assignable_v<HostLba&, std::uint64_t> && !std::is_assignable_v<std::uint64_t&, HostLba>);
static_assert(!std::is_invocable_v<decltype(host_lba), HostLba, std::uint32_t>);
static_assert(!std::is_invocable_v<decltype(lbn_of), Lbn, std::uint32_t>);
static_assert(!std::is_invocable_v<decltype(lbn_of), std::uint64_t, std::uint32_t>);
// They cost what a number costs.
static_assert(sizeof(Lbn) == 8 && sizeof(HostLba) == 8);
static_assert(std::is_trivially_copyable_v<Lbn> && std::is_trivially_copyable_v<HostLba>);

TEST(BlockAddress, ALogicalSectorOf4096BytesHoldsEightBlocks) {
  EXPECT_EQ(host_lba(808, 8), HostLba(101));
  EXPECT_EQ(host_lba(815, 8), HostLba(101)) << "the last block in it";
  EXPECT_EQ(lbn_of(HostLba(101), 8), 808u) << "the first block in it";
  EXPECT_EQ(host_lba(808, 1), HostLba(808));
  EXPECT_EQ(lbn_of(HostLba(808), 1), 808u);
}

TEST(BlockAddress, ABlockNumberCountsAsANumber) {
  Lbn lbn = 10;
  lbn += 5;
  lbn -= 3;
  EXPECT_EQ(lbn, 12u);
  EXPECT_EQ(lbn + 4, 16u);
  EXPECT_EQ(lbn % 8, 4u);
}

}  // namespace
}  // namespace armature
