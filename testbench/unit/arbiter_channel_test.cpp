#include "armature/arbiter/channel_arbiter.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/cha.h"
#include "support/bus_master.h"
#include "support/recording_sinks.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace armature::testing {
namespace {

namespace cha = regs::cha;

constexpr Ps kPeriod = 5'000;  // of the default 200 MHz

/// A channel arbiter with a bus master on its registers; stack 0 turns from time 0, stack 1 at half the speed.
class ChannelBench {
 public:
  ChannelBench(unsigned arms, unsigned channels, const BlockContext& context = {})
      : unit(
            "cha", {}, arms, channels, 3, [this](unsigned stack) { return stack < 2 ? &stacks[stack] : nullptr; },
            context) {
    bus.socket.bind(unit.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void ask(unsigned arm, std::uint32_t angle, std::uint32_t stack = 0) {
    bus.write(cha::kRequest + 4 * arm, cha::request::Stack::set(angle, stack) | cha::request::Valid::kMask);
  }
  void withdraw(unsigned arm) { bus.write(cha::kRequest + 4 * arm, 0); }
  bool asks(unsigned arm) { return cha::request::Valid::get(bus.read(cha::kRequest + 4 * arm)) != 0; }
  void free(unsigned channel) { bus.write(cha::kFree, channel); }
  void enable(unsigned policy = 0) {
    bus.write(cha::kInten, 1);
    bus.write(cha::kCtrl, cha::ctrl::Policy::set(cha::ctrl::Enable::kMask, policy));
  }
  void acknowledge() { bus.write(cha::kGrantAck, 1); }
  /// Time of the next change of the interrupt to high, or nothing if the unit goes to sleep.
  std::optional<Ps> next_grant() {
    while (!unit.irq.read()) {
      if (!sc_core::sc_pending_activity()) return std::nullopt;
      sc_core::sc_start(sc_core::sc_time_to_pending_activity());
      settle();
    }
    return now();
  }
  std::uint32_t arm() { return cha::grant::Arm::get(bus.read(cha::kGrant)); }
  std::uint32_t channel() { return cha::grant::Channel::get(bus.read(cha::kGrant)); }
  bool pending() { return cha::grant::Valid::get(bus.read(cha::kGrant)) != 0; }

  std::array<Rotation, 2> stacks{Rotation{0, 7'200'000}, Rotation{0, 3'600'000}};
  arbiter::ChannelArbiter unit;
  BusMaster bus{"bus"};
};

/// Enabled, with all channels free, at 100 us.
void ready(ChannelBench& bench, unsigned channels, unsigned policy = 0) {
  bench.enable(policy);
  for (unsigned c = 0; c < channels; ++c) bench.free(c);
  run_until(100 * kPsPerUs);
}

TEST(ChannelArbiter, GrantsFourPeriodsBehindTheStartWhichIsOneBehindTheEffectOfTheWrite) {
  ChannelBench bench(2, 1);
  ready(bench, 1);
  run_until(100'001'000);  // between edges
  bench.ask(1, 0);
  EXPECT_FALSE(bench.asks(1)) << "the write is on its way";
  run_until(100'014'999);
  EXPECT_FALSE(bench.asks(1));
  run_until(100'015'000);  // transfer begins at 100,005 ns and takes two periods
  EXPECT_TRUE(bench.asks(1));
  EXPECT_EQ(bench.next_grant(), 100'015'000 + (1 + 4) * kPeriod);
  EXPECT_EQ(bench.arm(), 1u);
  EXPECT_EQ(bench.channel(), 0u);
  EXPECT_FALSE(bench.asks(1));
  EXPECT_EQ(bench.bus.read(cha::kChannels), 0u);
  EXPECT_EQ(bench.bus.read(cha::kIntstat), 1u);
}

TEST(ChannelArbiter, WritesAreTransferredOneByOneAndTheInterruptIsMaskedFromTheAcknowledgementOn) {
  ChannelBench bench(2, 2);
  ready(bench, 2);
  bench.ask(0, 0);  // has effect at 100,010 ns
  ASSERT_EQ(bench.next_grant(), 100'035'000);
  run_until(100'036'000);
  bench.ask(1, 0);      // has effect at 100,050 ns
  bench.acknowledge();  // at 100,060 ns
  EXPECT_FALSE(bench.unit.irq.read());
  run_until(100'059'999);
  EXPECT_TRUE(bench.pending());
  EXPECT_FALSE(bench.unit.irq.read());
  run_until(100'060'000);
  EXPECT_FALSE(bench.pending());
  EXPECT_EQ(bench.next_grant(), 100'065'000 + 4 * kPeriod) << "begins an edge behind the acknowledgement";
  EXPECT_EQ(bench.arm(), 1u);
  EXPECT_EQ(bench.channel(), 1u);
}

TEST(ChannelArbiter, FirstComeGoesByTheOrderOfTheWritesAndARenewedRequestIsTheLast) {
  ChannelBench bench(4, 1);
  ready(bench, 0);
  bench.ask(3, 0);
  bench.ask(2, 0);
  bench.ask(0, 0);
  bench.ask(3, 0);
  for (const unsigned expected : {2u, 0u, 3u}) {
    bench.free(0);
    ASSERT_TRUE(bench.next_grant());
    EXPECT_EQ(bench.arm(), expected);
    bench.acknowledge();
  }
  bench.free(0);
  EXPECT_FALSE(bench.next_grant());
  EXPECT_EQ(bench.unit.decisions(), 3u);
}

TEST(ChannelArbiter, LeastWaitCountsFromTheAngleAtTheStartPlusTheMargin) {
  ChannelBench bench(3, 1);
  bench.bus.write(cha::kMargin, 100);
  ready(bench, 0, 1);
  // A revolution of stack 0 is 25e9 / 3 ps, so a tick 127,156.6 ps: at 1 ms it has turned by 7,864.3 ticks.
  run_until(kPsPerMs);
  bench.ask(0, 7'864 + 99);   // passes a tick before the margin is over: a revolution later
  bench.ask(1, 7'864 + 200);  // 100 ticks behind it
  bench.ask(2, 7'864 + 199);
  bench.free(0);
  ASSERT_TRUE(bench.next_grant());
  EXPECT_EQ(bench.arm(), 2u);
  bench.acknowledge();
  bench.free(0);
  ASSERT_TRUE(bench.next_grant());
  EXPECT_EQ(bench.arm(), 1u);
  bench.acknowledge();
  run_until(4 * kPsPerMs);     // at 31,457.3 ticks
  bench.ask(1, 31'457 + 100);  // exactly the margin away
  bench.free(0);
  ASSERT_TRUE(bench.next_grant());
  EXPECT_EQ(bench.arm(), 1u);
}

TEST(ChannelArbiter, LeastWaitUsesTheAngleOfTheRequestsOwnStackAndBreaksTiesByTheLowerArm) {
  ChannelBench bench(4, 1);
  ready(bench, 0, 1);
  run_until(kPsPerMs);  // stack 0 at 7,864.3 ticks, stack 1 at 3,932.2, stack 2 does not turn
  bench.ask(3, 7'864 + 50, 0);
  bench.ask(2, 3'932 + 40, 1);
  bench.ask(1, 40, 2);
  bench.ask(0, 3'932 + 60, 0);  // behind the head of its own stack
  for (const unsigned expected : {1u, 2u, 3u, 0u}) {
    bench.free(0);
    ASSERT_TRUE(bench.next_grant());
    EXPECT_EQ(bench.arm(), expected);
    bench.acknowledge();
  }
}

TEST(ChannelArbiter, GivesTheLowestFreeChannel) {
  ChannelBench bench(4, 4);
  ready(bench, 0);
  bench.free(3);
  bench.free(1);
  bench.free(2);
  for (unsigned arm = 0; arm < 4; ++arm) bench.ask(arm, 0);
  for (const unsigned expected : {1u, 2u, 3u}) {
    ASSERT_TRUE(bench.next_grant());
    EXPECT_EQ(bench.channel(), expected);
    bench.acknowledge();
  }
  EXPECT_FALSE(bench.next_grant()) << "no channel is free";
  bench.free(2);
  ASSERT_TRUE(bench.next_grant());
  EXPECT_EQ(bench.channel(), 2u);
}

struct Touch {
  const char* what;
  std::uint32_t offset, word;
  bool abandons;
};

class AWriteDuringADecision : public ::testing::TestWithParam<Touch> {};
INSTANTIATE_TEST_SUITE_P(ChannelArbiter, AWriteDuringADecision,
                         ::testing::Values(Touch{"margin", cha::kMargin, 5, true}, Touch{"free", cha::kFree, 1, true},
                                           Touch{"ctrl", cha::kCtrl, 1, true}, Touch{"ack", cha::kGrantAck, 1, true},
                                           Touch{"asking arm", cha::kRequest, 0x80000000, true},
                                           Touch{"inten", cha::kInten, 1, false},
                                           Touch{"other arm", cha::kRequest + 4, 0x80000000, false},
                                           Touch{"no such channel", cha::kFree, 7, false}),
                         [](const auto& touch) { return std::to_string(touch.index); });

TEST_P(AWriteDuringADecision, AbandonsItFromItsStartToItsGrantIfItCouldChangeIt) {
  const Touch& touch = GetParam();
  ChannelBench bench(2, 2);
  ready(bench, 1);
  // A request written at t asks at t + 10 ns: the decision starts at t + 15 ns and grants at t + 35 ns.
  for (int late = 0; late < 6; ++late) {
    const Ps t = 200 * kPsPerUs + late * 10 * kPsPerUs;
    bench.withdraw(1);
    run_until(t);
    bench.ask(0, 0);
    run_until(t + 5'000 + late * kPeriod);
    bench.bus.write(touch.offset, touch.word);  // has effect at t + 15 ns + late periods, or behind the grant
    const Ps effect = t + 15'000 + late * kPeriod + (late == 0 ? kPeriod : 0);
    const bool hit = touch.abandons && effect <= t + 35'000;
    if (touch.offset == cha::kGrantAck && !hit) {
      EXPECT_FALSE(bench.next_grant()) << "acknowledged before firmware can see it";
      EXPECT_EQ(bench.unit.decisions(), 6u) << "but it was there";
    } else {
      EXPECT_EQ(bench.next_grant(), hit ? effect + 5 * kPeriod : t + 35'000) << touch.what << ", late " << late;
    }
    EXPECT_EQ(bench.arm(), 0u);
    run_until(now() + kPsPerUs);
    if (bench.pending()) bench.acknowledge();
    bench.withdraw(1);
    run_until(now() + kPsPerUs);
    if (bench.pending()) bench.acknowledge();
    bench.bus.write(cha::kCtrl, 0x80000001);
    bench.free(0);
    bench.enable();
    run_until(now() + kPsPerUs);
  }
}

TEST(ChannelArbiter, ClearTakesBackRequestsChannelsAndAPendingGrant) {
  ChannelBench bench(3, 2);
  ready(bench, 2);
  bench.ask(0, 0);
  bench.ask(1, 0);
  ASSERT_TRUE(bench.next_grant());
  bench.bus.write(cha::kCtrl, cha::ctrl::Clear::kMask | cha::ctrl::Enable::kMask);
  EXPECT_FALSE(bench.unit.irq.read()) << "masked while it is on its way";
  EXPECT_FALSE(bench.next_grant());
  EXPECT_FALSE(bench.pending());
  EXPECT_FALSE(bench.asks(1));
  EXPECT_EQ(bench.bus.read(cha::kChannels), 0u);
  EXPECT_EQ(bench.bus.read(cha::kCtrl), 1u);
  bench.free(1);
  bench.ask(2, 0);
  ASSERT_TRUE(bench.next_grant());
  EXPECT_EQ(bench.channel(), 1u);
}

TEST(ChannelArbiter, MakesNoDecisionDisabledAndNoneOfWhatTheInstanceLacks) {
  ChannelBench bench(2, 2);
  bench.bus.write(cha::kInten, 1);
  bench.free(0);
  bench.ask(0, 0);
  EXPECT_FALSE(bench.next_grant()) << "disabled";
  bench.withdraw(0);
  bench.enable();
  bench.ask(2, 0);
  EXPECT_EQ(bench.bus.last_response(), tlm::TLM_OK_RESPONSE);
  EXPECT_FALSE(bench.next_grant()) << "no such arm";
  EXPECT_FALSE(bench.asks(2));
  bench.free(2);
  run_until(now() + kPsPerUs);
  EXPECT_EQ(bench.bus.read(cha::kChannels), 1u) << "no such channel";
  bench.bus.write(0x3C, 0);
  EXPECT_EQ(bench.bus.last_response(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(ChannelArbiter, ReadsAsWrittenAndWithoutSideEffects) {
  ChannelBench bench(2, 2);
  bench.bus.write(cha::kMargin, 0xFFFF'1234);
  EXPECT_EQ(bench.bus.read(cha::kMargin), 0x1234u) << "at once";
  bench.bus.write(cha::kRequest, 0x0007'ABCD);
  EXPECT_EQ(bench.bus.read(cha::kRequest), 0x0007'ABCDu);
  EXPECT_EQ(bench.bus.debug_read(cha::kRequest), 0x0007'ABCDu);
  bench.bus.write(cha::kIntstat, 1);
  bench.bus.write(cha::kGrant, ~0u);
  bench.bus.write(cha::kChannels, ~0u);
  run_until(kPsPerUs);
  EXPECT_EQ(bench.bus.read(cha::kIntstat), 0u);
  EXPECT_EQ(bench.bus.read(cha::kGrant), 0u);
  EXPECT_EQ(bench.bus.read(cha::kChannels), 0u);
  ready(bench, 1);
  bench.ask(0, 1);
  ASSERT_TRUE(bench.next_grant());
  for (int i = 0; i < 2; ++i)
    for (std::uint32_t offset = 0; offset < 0x60; offset += 4) bench.bus.read(offset);
  EXPECT_TRUE(bench.pending());
  EXPECT_TRUE(bench.unit.irq.read());
  EXPECT_FALSE(sc_core::sc_pending_activity()) << "it sleeps";
}

/// The generated table over TLM: each bit of each register alone, all and none; what hardware owns is the unit's.
TEST(ChannelArbiter, RegisterWalkOverTlm) {
  ChannelBench bench(8, 8);
  for (const RegisterInfo& info : cha::kTable)
    for (std::uint32_t i = 0; i < info.count; ++i)
      EXPECT_EQ(bench.bus.read(info.offset + i * info.stride), info.reset & info.readable) << info.name;
  for (const RegisterInfo& info : cha::kTable)
    for (std::uint32_t i = 0; i < info.count; ++i)
      for (unsigned bit = 0; bit < 34; ++bit) {
        const std::uint32_t offset = info.offset + i * info.stride;
        const std::uint32_t word = bit < 32 ? 1u << bit : bit == 32 ? ~0u : 0;
        const std::uint32_t before = bench.bus.read(offset);
        bench.bus.write(offset, word);
        run_until(now() + 2 * kPeriod);
        const std::uint32_t kept = info.writable & info.readable & ~info.pulses;
        EXPECT_EQ(bench.bus.read(offset), (before & ~info.writable & info.readable) | (word & kept))
            << info.name << "[" << i << "], written " << word;
        EXPECT_EQ(bench.bus.last_response(), tlm::TLM_OK_RESPONSE);
      }
}

TEST(ChannelArbiter, PublishesWhatItDoes) {
  RecordingStates states;
  RecordingProbes probes;
  ChannelBench bench(2, 1, {&probes, &states, nullptr});
  ready(bench, 1);
  bench.ask(1, 0);
  ASSERT_TRUE(bench.next_grant());
  bench.acknowledge();
  EXPECT_FALSE(bench.next_grant());
  using Changes = std::vector<std::pair<Ps, std::string>>;
  EXPECT_EQ(states.changes["cha"], (Changes{{100'015'000, "busy"}, {100'035'000, "idle"}}));
  EXPECT_EQ(probes.changes["cha.state"],
            (Changes{{100'015'000, "decide"}, {100'035'000, "grant"}, {100'045'000, "sleep"}}));
  EXPECT_EQ(probes.changes["cha.grant_arm"], (Changes{{100'035'000, "1"}}));
}

}  // namespace
}  // namespace armature::testing
