// The newcomer's example: a changed policy, plugged in place of rtl/aau.
#include "armature/core/kernel_time.h"
#include "support/arbitration_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

using arbiter::ArbiterModel;
using arbiter::ArbiterParams;
using arbiter::Policy;
using ::testing::AllOf;
using ::testing::HasSubstr;

ArbiterParams with(ArbiterModel model) {
  ArbiterParams params;
  params.model = model;
  return params;
}

/// Slot 3 lies two cylinders away on another surface, slot 9 ten on the same; a head switch takes longer than both.
void two_slots(ArbitrationBench& bench) {
  bench.seek_table({{1, 1'000}, {1'001, 2'000}});
  bench.bus.write(regs::aau::kHeadSwitch, 4'000);
  bench.commit(3, 102, 1, 0);
  bench.commit(9, 110, 0, 0);
  bench.idle_arm(0, 100, 0);
}

TEST(OwnRtl, ItsPolicyDecides) {
  ArbitrationBench bench(with(ArbiterModel::rtl), 1);
  two_slots(bench);
  bench.enable(Policy::sstf);
  EXPECT_EQ(bench.next_grant()->slot, 9u) << "sooner there, though farther away";
  bench.acknowledge();
  bench.idle_arm(0, 100, 0);
  EXPECT_EQ(bench.next_grant()->slot, 3u);
}

TEST(OwnRtl, OtherPoliciesAreAsTheyWere) {
  ArbitrationBench bench(with(ArbiterModel::lockstep), 2);
  two_slots(bench);
  bench.idle_arm(1, 7, 1);
  for (const Policy policy : {Policy::clook, Policy::sptf, Policy::aged_sptf, Policy::fcfs}) {
    bench.enable(policy);
    const auto grant = bench.next_grant();
    ASSERT_TRUE(grant);
    bench.commit(grant->slot, 50 * grant->slot, 1, 77);
    bench.idle_arm(grant->arm, 100, 0);
    bench.acknowledge();
  }
}

TEST(OwnRtl, InLockstepTheFirstOtherDecisionStopsTheRunAndShowsBothSides) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  ArbitrationBench bench(with(ArbiterModel::lockstep), 1);
  two_slots(bench);
  bench.enable(Policy::sstf);
  const Ps begin = bench.begin();
  std::string report;
  try {
    bench.next_grant();
  } catch (const sc_core::sc_report& fatal) {
    report = fatal.get_msg();
  }
  EXPECT_EQ(now(), begin + (18 + 2) * 5'000) << "at the edge of the grant";
  EXPECT_THAT(report, AllOf(HasSubstr("valid slot 3 arm 0 head 0"),
                            HasSubstr("valid slot 9 arm 0 head 0 class 0   <--"), HasSubstr("head_switch"),
                            HasSubstr("slot_target[3]"), HasSubstr("0x00800066"), HasSubstr("arm[0]")))
      << report;
}

}  // namespace
}  // namespace armature::testing
