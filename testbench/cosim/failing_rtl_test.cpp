// An assertion of the RTL that fails ends the run with a report, at the clock edge where it fails.
#include "armature/core/kernel_time.h"
#include "support/arbitration_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

TEST(FailingRtl, AnAssertionEndsTheRunWithAReport) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  arbiter::ArbiterParams params;
  params.model = arbiter::ArbiterModel::rtl;
  ArbitrationBench bench(params, 1);
  bench.commit(4, 0, 0, 0);
  bench.idle_arm(0, 0, 0);
  bench.enable(arbiter::Policy::sptf);
  const Ps begin = bench.begin();
  ::testing::internal::CaptureStdout();
  std::string type, message;
  try {
    bench.next_grant();
    run_until(now() + 10'000);
  } catch (const sc_core::sc_report& report) {
    type = report.get_msg_type();
    message = report.get_msg();
  }
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), ::testing::HasSubstr("assertion grant_shows_winner"));
  EXPECT_EQ(type, "arbiter/rtl");
  EXPECT_THAT(message, ::testing::HasSubstr("assertion"));
  EXPECT_EQ(now(), begin + 20 * 5'000) << "the clock behind the grant, which looks back at it";
}

}  // namespace
}  // namespace armature::testing
