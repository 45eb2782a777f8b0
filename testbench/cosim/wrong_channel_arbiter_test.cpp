// A channel arbiter with a bug planted in its RTL (wrong_channel_arbiter.cmake): an assertion that fails, or a lockstep
// difference that no assertion sees, ends the run with a report at the edge where it shows.
#include "armature/arbiter/channel_arbiter.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/cha.h"
#include "support/bus_master.h"
#include "support/recording_sinks.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

using arbiter::ArbiterModel;
using arbiter::ArbiterParams;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
namespace cha = regs::cha;

/// Two arms ask, the second one first; one channel is free. The report that ends the run.
struct Outcome {
  std::string type, message, printed;
  Ps at = 0;
  std::string winner;  ///< in the waves
};
Outcome decide(ArbiterModel model) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  ArbiterParams params;
  params.model = model;
  const Rotation rotation(0, 7'200'000);
  RecordingProbes probes;
  arbiter::ChannelArbiter unit("cha", params, 2, 1, 1, [&rotation](unsigned) { return &rotation; },
                               {&probes, nullptr, nullptr});
  BusMaster bus("bus");
  bus.socket.bind(unit.regs);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bus.write(cha::kFree, 0);
  bus.write(cha::kRequest + 4, cha::request::Valid::kMask | 0x4000);
  bus.write(cha::kRequest, cha::request::Valid::kMask | 0x8000);
  bus.write(cha::kCtrl, cha::ctrl::Policy::set(cha::ctrl::Enable::kMask, 1));
  Outcome outcome;
  ::testing::internal::CaptureStdout();
  try {
    run_until(kPsPerUs);
  } catch (const sc_core::sc_report& report) {
    outcome.type = report.get_msg_type();
    outcome.message = report.get_msg();
  }
  outcome.printed = ::testing::internal::GetCapturedStdout();
  outcome.at = now();
  const auto& changes = probes.changes["cha.rtl.winner"];
  if (!changes.empty()) outcome.winner = changes.back().second;
  return outcome;
}

// Four writes of two clocks: enabled at edge 8, the decision begins at edge 9 and grants at edge 13.
constexpr Ps kGranted = 13 * 5'000;

#ifdef ARMATURE_FAILING

TEST(FailingChannelArbiter, AnAssertionEndsTheRunWithAReport) {
  const Outcome outcome = decide(ArbiterModel::rtl);
  EXPECT_THAT(outcome.printed, HasSubstr("GrantToTheBest"));
  EXPECT_EQ(outcome.type, "arbiter/rtl");
  EXPECT_THAT(outcome.message, HasSubstr("assertion"));
  EXPECT_EQ(outcome.at, kGranted);
}

#else

TEST(DifferentChannelArbiter, LockstepEndsTheRunWithATableAndTheWavesOfThatEdge) {
  const Outcome outcome = decide(ArbiterModel::lockstep);
  EXPECT_EQ(outcome.type, "arbiter/lockstep");
  EXPECT_EQ(outcome.at, kGranted);
  EXPECT_THAT(outcome.message, HasSubstr("channel arbiter differ after clock edge 13 (65000 ps)"));
  EXPECT_THAT(outcome.message, ContainsRegex("\n  arm +1 +0   <--"));
  EXPECT_THAT(outcome.message, ContainsRegex("\n  irq +0 +0\n")) << "not enabled";
  EXPECT_THAT(outcome.message, ContainsRegex("\n  request\\[0\\] +0x80008000 +0x00008000   <--"));
  EXPECT_THAT(outcome.message, ContainsRegex("\n  request\\[1\\] +0x00004000 +0x80004000   <--"));
  EXPECT_EQ(outcome.winner, "0") << "complete up to the edge that differs";
}

TEST(DifferentChannelArbiter, TheRtlDecides) {
  EXPECT_EQ(decide(ArbiterModel::rtl).type, "") << "nothing to compare it with";
}

#endif

}  // namespace
}  // namespace armature::testing
