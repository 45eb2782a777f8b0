// The arm-arbitration unit of a drive in its modes: the model, the RTL, the RTL with a clock that never stops, and both
// in lockstep get the same random writes at the same times; every interrupt edge and every grant is the same.
#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/arbiter/seek_table.h"
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/aau.h"
#include "support/bus_master.h"
#include "support/edge_recorder.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using arbiter::ArbiterModel;
using arbiter::ArbiterParams;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace aau = regs::aau;

struct Side {
  Side(const std::string& name, const ArbiterParams& params, unsigned slots, const std::vector<Rotation>& rotations,
       const std::vector<bool>& turning)
      : unit((name + "_aau").c_str(), params, params.shape(slots, 8), static_cast<unsigned>(rotations.size()),
             [&rotations, &turning](unsigned stack) { return turning[stack] ? &rotations[stack] : nullptr; }, {}),
        bus((name + "_bus").c_str()) {
    bus.socket.bind(unit.regs);
    unit.irq.bind(sink, 0);
  }
  arbiter::ArmArbitrationUnit unit;
  BusMaster bus;
  EdgeRecorder sink;
};

/// Slots, lanes.
class ArbiterModes : public ::testing::TestWithParam<std::pair<unsigned, unsigned>> {};
#ifdef ARMATURE_ONE_INSTANCE
INSTANTIATE_TEST_SUITE_P(PortsOnly, ArbiterModes, ::testing::Values(std::pair{32u, 1u}));
#else
INSTANTIATE_TEST_SUITE_P(Instances, ArbiterModes,
                         ::testing::Values(std::pair{32u, 1u}, std::pair{32u, 4u}, std::pair{256u, 4u}));
#endif

TEST_P(ArbiterModes, DecideTheSameAtTheSameTimes) {
  const auto [slots, lanes] = GetParam();
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  const std::vector<Rotation> rotations{Rotation(0, 72'000'000), Rotation(-3'000'001, 100'250'000)};
  std::vector<bool> turning{true, true};
  std::vector<std::unique_ptr<Side>> sides;
  for (const int model : {0, 1, 2, 3}) {
    ArbiterParams params;
    params.model = model == 3 ? ArbiterModel::rtl : static_cast<ArbiterModel>(model);
    params.free_running = model == 3;
    params.lanes = lanes;
    sides.push_back(std::make_unique<Side>("side" + std::to_string(model), params, slots, rotations, turning));
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto write = [&](std::uint32_t offset, std::uint32_t word) {
    for (const auto& side : sides) side->bus.write(offset, word);
  };
  const auto read = [&](std::uint32_t offset) {
    const std::uint32_t word = sides[0]->bus.read(offset);
    for (const auto& side : sides) EXPECT_EQ(side->bus.read(offset), word) << "offset " << offset << " at " << now();
    return word;
  };
  std::mt19937_64 random(slots + lanes);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  write(aau::kInten, 1);
  std::uint32_t cylinders = 1, ticks = 500;
  for (unsigned i = 0; i < 30; ++i) {
    const std::uint32_t next = cylinders + 1 + below(3'000), later = ticks + below(3'000);
    const std::int64_t slope = i == 29 ? 0 : arbiter::SeekTable::slope(cylinders, ticks, next, later);
    write(aau::kSeekDistance, cylinders);
    write(aau::kSeekSlopeLo, static_cast<std::uint32_t>(slope));
    write(aau::kSeekSlopeHi, static_cast<std::uint32_t>(slope >> 32));
    write(aau::kSeekTime, ticks);
    cylinders = next;
    ticks = later;
  }
  write(aau::kSeekEntries, 30);
  write(aau::kArmMount + 4, aau::arm_mount::Stack::set(0x4000, 1));
  write(aau::kHeadOffset + 4, 300);

  unsigned grants = 0;
  for (unsigned step = 0; step < 6'000 && !::testing::Test::HasFailure(); ++step) {
    if (step % 500 == 0) {
      const std::uint32_t policy = step / 500 % 5;
      write(aau::kCtrl, aau::ctrl::Yield::set(aau::ctrl::Policy::set(1, policy), below(16)));
      write(aau::kMargin, below(400));
      write(aau::kWriteSettle, below(4'000));
      write(aau::kAgeing, below(2'000));
      write(aau::kLimits, aau::limits::Heads::set(below(6) == 0 ? 0x22 : 0, below(2)));
      write(aau::kArmMask, 0xFF);
      write(aau::kChannels, below(3) == 0 ? 0 : aau::channels::Gap::set(1 + below(2), below(600)));
    }
    const std::uint32_t slot = below(slots);
    switch (below(9)) {
      case 0:
        write(aau::kArm + 4 * below(8), aau::arm::Head::set(below(60'000), below(4)) | aau::arm::Idle::kMask);
        break;
      case 1:
        write(aau::kArrived, below(256));
        break;
      case 2:
        write(aau::kWithdraw, slot);
        break;
      case 3:
        turning[1] = below(4) != 0;
        write(aau::kSlotArm + 4 * slot, 0);
        break;
      case 4:
        if (below(12) == 0) write(aau::kCtrl, read(aau::kCtrl) | aau::ctrl::WithdrawAll::kMask);
        break;
      default:
        write(aau::kSlotArm + 4 * slot, below(5) == 0 ? aau::slot_arm::Reserved::kMask | below(8) : 0);
        write(aau::kSlotTarget + 4 * slot, aau::slot_target::Head::set(below(60'000), below(4)));
        write(aau::kSlotCommit + 4 * slot, aau::slot_commit::Valid::kMask | below(1u << 16) | below(8) << 16 |
                                               (below(3) == 0 ? aau::slot_commit::Stack::set(0, 1) : 0) |
                                               aau::slot_commit::Length::set(0, below(0x30)));
        break;
    }
    // Now and then until arms in service should have come free: the unit wakes by itself.
    run_until(now() + below(below(100) == 0 ? 1'200'000'000 : below(4) == 0 ? 2'000'000 : 300'000));
    read(aau::kWork);
    if (aau::grant::Valid::get(read(aau::kGrant)) != 0 && below(3) != 0) {
      ++grants;
      read(aau::kEstimate);
      write(aau::kGrantAck, 1);
      write(aau::kArm + 4 * aau::grant::Arm::get(read(aau::kGrant)), below(60'000) | aau::arm::Idle::kMask);
    }
  }
  run_until(now() + kPsPerMs);
  EXPECT_GT(grants, 500u);
  EXPECT_GT(sides[0]->sink.edges.size(), 1'000u);
  for (const auto& side : sides) {
    EXPECT_EQ(side->sink.edges, sides[0]->sink.edges);
    EXPECT_EQ(side->unit.decisions(), sides[0]->unit.decisions());
  }
  EXPECT_EQ(sides[0]->unit.clocks(), 0u);
  EXPECT_EQ(sides[1]->unit.clocks(), sides[2]->unit.clocks());
  EXPECT_GT(sides[3]->unit.clocks(), sides[1]->unit.clocks() + 1'000) << "a clock that never stops";
}

#ifndef ARMATURE_ONE_INSTANCE

std::string refusal(const ArbiterParams& params, unsigned slots) {
  try {
    params.shape(slots, 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(ArbiterParams, TheRtlHasItsOwnDepthLanesAndSlots) {
  ArbiterParams params;
  params.pipeline_cycles = 9;
  EXPECT_EQ(refusal(params, 1'024), "none") << "a study of the model";
  params.model = ArbiterModel::lockstep;
  EXPECT_THAT(refusal(params, 32), AllOf(HasSubstr("arbiter.pipeline_cycles"), HasSubstr("18")));
  params.pipeline_cycles = 18;
  EXPECT_EQ(refusal(params, 32), "none");
  EXPECT_EQ(params.shape(32, 1).slots, 32u);
  EXPECT_EQ(params.shape(33, 1).slots, 256u);
  EXPECT_THAT(refusal(params, 257), AllOf(HasSubstr("257"), HasSubstr("host.tags"), HasSubstr("256 slots")));
  params.lanes = 2;
  EXPECT_THAT(refusal(params, 32), AllOf(HasSubstr("arbiter.lanes"), HasSubstr("32 slots with 1 lane")));
  params.lanes = 1;
  EXPECT_EQ(params.shape(32, 1).lanes, 1u);
  EXPECT_THAT(refusal(params, 64), HasSubstr("arbiter.lanes"));
}

#endif

}  // namespace
}  // namespace armature::testing
