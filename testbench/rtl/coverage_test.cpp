// Lines and toggles of the RTL that a share of the cosimulation reaches: each test leaves a file for flow.py coverage.
#include "Vcha_coverage.h"

#include "cosim/arm_arbitration_random.h"
#include "cosim/channel_arbiter_random.h"

#include <verilated_cov.h>

#include <gtest/gtest.h>

namespace armature::testing {
namespace {

TEST(RtlCoverage, ArmArbitrationUnit) {
  AauCosim bench("coverage");
  for (std::uint32_t offset = 0; offset < 0x200; offset += 4) bench.read(offset);
  AauTraffic traffic(bench, 1);
  traffic.run(15'000);
  EXPECT_EQ(bench.difference, "");
  Verilated::threadContextp()->coveragep()->write("coverage_aau.dat");
}

TEST(RtlCoverage, ChannelArbiter) {
  run_random<Vcha_coverage>({8, 8, 8, 16}, 1, 15'000,
                            [] { Verilated::threadContextp()->coveragep()->write("coverage_cha.dat"); });
}

}  // namespace
}  // namespace armature::testing
