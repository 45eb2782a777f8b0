#include "Vcha_full.h"
#include "Vcha_odd.h"
#include "Vcha_small.h"

#include "cosim/channel_arbiter_random.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace armature::testing {
namespace {

namespace cha = regs::cha;
using arbiter::ChannelArbiterCore;
using Shape = ChannelArbiterCore::Shape;

constexpr Shape kFull{8, 8, 8, 16}, kOdd{5, 3, 2, 9}, kSmall{2, 2, 2, 2};

#ifdef ARMATURE_CHA_MILLION  // the full tier: a million decisions and more
constexpr int kParts = 1;
#else
constexpr int kParts = 5;
#endif
class RandomDecisions : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(ChannelArbiterRtl, RandomDecisions, ::testing::Range(1u, 6u));

TEST_P(RandomDecisions, EightArmsAndChannels) {
  run_random<Vcha_full>(kFull, GetParam(), 150'000 / kParts);
}
TEST_P(RandomDecisions, FiveArmsThreeChannels) {
  run_random<Vcha_odd>(kOdd, GetParam(), 70'000 / kParts);
}

/// Every decision of two arms, two channels, two stacks and four angles: all requests in both orders, margins, free
/// channels and angles of the stacks, for both policies.
TEST(ChannelArbiterRtl, EveryDecisionOfASmallInstance) {
  ChannelArbiterCosim<Vcha_small> bench(kSmall);
  std::uint64_t expected = 0;
  for (std::uint32_t policy = 0; policy < 2; ++policy)
    for (std::uint32_t margin = 0; margin < 4; ++margin)
      for (std::uint32_t free = 1; free < 4; ++free)
        for (unsigned code = 0; code < 13 * 13 * 2; ++code) {
          const unsigned first = code & 1u;
          const std::array<unsigned, 2> ask{code / 2 % 13, code / 26};  // 0: it does not ask
          for (std::uint32_t angles = 0; angles < 16; ++angles) {
            bench.angles = {angles % 4, angles / 4};
            bench.write(cha::kCtrl, cha::ctrl::Clear::kMask);
            bench.write(cha::kMargin, margin);
            for (const unsigned arm : {first, 1 - first})
              if (ask[arm] != 0)
                bench.write(cha::kRequest + 4 * arm, request_word((ask[arm] - 1) % 4, (ask[arm] - 1) / 4));
            for (std::uint32_t c = 0; c < 2; ++c)
              if ((free >> c) & 1u) bench.write(cha::kFree, c);
            bench.write(cha::kCtrl, cha::ctrl::Policy::set(1, policy));
            bench.rest_for(6);
            if (ask[0] + ask[1] > 0) ++expected;
            bench.write(cha::kGrantAck, 1);
            ASSERT_EQ(bench.difference, "");
          }
        }
  // The second decision of two, where there are two channels, is under way when `clear` comes.
  EXPECT_EQ(bench.decisions, expected);
  EXPECT_GT(expected, 100'000u);
}

/// Every kind of write at every edge around a decision, beside both sets of requests.
TEST(ChannelArbiterRtl, EveryWriteAtEveryEdgeAroundADecision) {
  const std::vector<ChannelArbiterCore::Write> writes = {{cha::kCtrl, 0},
                                                         {cha::kCtrl, 1},
                                                         {cha::kCtrl, 3},
                                                         {cha::kCtrl, cha::ctrl::Clear::kMask | 1},
                                                         {cha::kIntstat, 1},
                                                         {cha::kInten, 0},
                                                         {cha::kInten, 1},
                                                         {cha::kGrant, ~0u},
                                                         {cha::kGrantAck, 0},
                                                         {cha::kGrantAck, 1},
                                                         {cha::kMargin, 2},
                                                         {cha::kFree, 0},
                                                         {cha::kFree, 1},
                                                         {cha::kFree, 2},
                                                         {cha::kChannels, ~0u},
                                                         {cha::kRequest, request_word(3, 1)},
                                                         {cha::kRequest, 0},
                                                         {cha::kRequest + 4, request_word(1, 0)},
                                                         {cha::kRequest + 4, 0},
                                                         {cha::kRequest + 8, request_word(1, 0)},
                                                         {0x24, 1},
                                                         {cha::kRequest + 1, request_word(0, 0)}};
  ChannelArbiterCosim<Vcha_small> bench(kSmall);
  for (const ChannelArbiterCore::Write& write : writes)
    for (std::uint32_t asking = 1; asking < 4; ++asking)
      for (std::uint32_t policy = 0; policy < 2; ++policy)
        for (unsigned after = 0; after < 10; ++after) {
          bench.write(cha::kCtrl, cha::ctrl::Clear::kMask);
          bench.write(cha::kInten, 1);
          bench.write(cha::kFree, 1);
          for (std::uint32_t arm = 0; arm < 2; ++arm)
            if ((asking >> arm) & 1u) bench.write(cha::kRequest + 4 * arm, request_word(arm, arm));
          bench.write(cha::kCtrl, cha::ctrl::Policy::set(1, policy));
          bench.rest_for(after);
          bench.write(write.offset, write.word);
          for (unsigned i = 0; i < 12; ++i) {
            for (std::uint32_t& angle : bench.angles) ++angle;
            bench.rest(cha::kGrant);
          }
          ASSERT_EQ(bench.difference, "") << "write of " << write.offset << ", " << after << " clocks after";
        }
  EXPECT_GT(bench.decisions, 500u);
}

/// The generated table against the bus port: each bit of each register alone, all and none.
TEST(ChannelArbiterRtl, RegisterWalkOverTheBus) {
  ChannelArbiterCosim<Vcha_full> bench(kFull);
  for (const RegisterInfo& info : cha::kTable)
    for (std::uint32_t i = 0; i < info.count; ++i)
      EXPECT_EQ(bench.read(info.offset + i * info.stride), info.reset & info.readable) << info.name;
  unsigned walked = 0;
  for (const RegisterInfo& info : cha::kTable)
    for (std::uint32_t i = 0; i < info.count; ++i) {
      const std::uint32_t offset = info.offset + i * info.stride;
      for (unsigned bit = 0; bit < 34; ++bit) {
        const std::uint32_t word = bit < 32 ? 1u << bit : bit == 32 ? ~0u : 0;
        const std::uint32_t before = bench.read(offset);
        bench.write(offset, word);
        EXPECT_FALSE(bench.last_error) << info.name;
        const std::uint32_t kept = info.writable & info.readable & ~info.pulses;
        EXPECT_EQ(bench.read(offset), (before & ~info.writable) | (word & kept))
            << info.name << "[" << i << "], written " << word;
        EXPECT_FALSE(bench.last_error) << info.name;
        ++walked;
      }
    }
  EXPECT_EQ(walked, 16u * 34);
  EXPECT_EQ(bench.difference, "");
  // Everything else is an error, and reads 0.
  for (std::uint32_t offset = 0; offset < 0x10000; offset += 1) {
    const bool in_table = offset % 4 == 0 && (offset < 0x20 || (offset >= 0x40 && offset < 0x60));
    if (in_table) continue;
    ASSERT_EQ(bench.read(offset), 0u) << offset;
    ASSERT_TRUE(bench.last_error) << offset;
  }
}

/// As the drive's bridge does it: clocked only where something happens. The same grants at the same edges.
TEST(ChannelArbiterRtl, TheReferenceSkipsIdleEdgesWithoutADifference) {
  ChannelArbiterCore stepped(kFull), skipped(kFull);
  std::mt19937 random(7);
  std::uint64_t last = 0, grants = 0;
  const auto angle = [](std::uint64_t edge) {
    return [edge](unsigned stack) { return (edge * 37 + stack * 999) & 0xFFFF; };
  };
  for (std::uint64_t edge = 1; edge < 2'000'000; ++edge) {
    ChannelArbiterCore::Write write{};
    const bool writes = random() % 8 == 0;
    if (writes) {
      const auto pick = static_cast<std::uint32_t>(random() % 8);
      const auto arm = static_cast<std::uint32_t>(random() % 8);
      if (pick < 4)
        write = {cha::kRequest + 4 * arm, request_word(random() & 0xFFFF, random() % 8)};
      else if (pick < 6)
        write = {cha::kFree, arm};
      else if (pick < 7)
        write = {cha::kGrantAck, 1};
      else
        write = {cha::kCtrl, 1 + 2 * (arm % 2)};
    }
    stepped.edge(writes ? &write : nullptr, angle(edge));
    const unsigned own = skipped.edges_to_event();
    if (writes || (own != 0 && last + own == edge)) {
      skipped.skip(edge - last - 1);
      skipped.edge(writes ? &write : nullptr, angle(edge));
      last = edge;
      grants += skipped.granted();
    }
    ASSERT_EQ(stepped.read(cha::kGrant), skipped.read(cha::kGrant)) << edge;
    ASSERT_EQ(stepped.irq(), skipped.irq());
    ASSERT_TRUE(stepped.idle() || writes || own != 0);
  }
  EXPECT_GT(grants, 10'000u);
}

}  // namespace
}  // namespace armature::testing
