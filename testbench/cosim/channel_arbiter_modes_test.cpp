// The channel arbiter of a drive in its modes: the core, the RTL, the RTL with a clock that never stops, and both in
// lockstep get the same random writes at the same times; every interrupt edge and every word read is the same.
#include "armature/arbiter/channel_arbiter.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/cha.h"
#include "support/bus_master.h"
#include "support/edge_recorder.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {
namespace {

using arbiter::ArbiterModel;
using arbiter::ArbiterParams;
namespace cha = regs::cha;

struct Shape {
  unsigned arms, channels, stacks;
};

struct Side {
  Side(const std::string& name, const ArbiterParams& params, const Shape& shape, const std::vector<Rotation>& rotations,
       const std::vector<bool>& turning)
      : unit((name + "_cha").c_str(), params, shape.arms, shape.channels, shape.stacks,
             [&rotations, &turning](unsigned stack) { return turning.at(stack) ? &rotations.at(stack) : nullptr; }, {}),
        bus((name + "_bus").c_str()) {
    bus.socket.bind(unit.regs);
    unit.irq.bind(sink, 0);
  }
  arbiter::ChannelArbiter unit;
  BusMaster bus;
  EdgeRecorder sink;
};

class ChannelArbiterModes : public ::testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Drives, ChannelArbiterModes, ::testing::Values(Shape{4, 1, 1}, Shape{8, 5, 3}),
                         [](const auto& test) { return std::to_string(test.param.arms) + "arms"; });

TEST_P(ChannelArbiterModes, DecideTheSameAtTheSameTimes) {
  const Shape& shape = GetParam();
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  // Only as many as the unit was told of: it may not ask for others.
  const std::vector<Rotation> of_all{Rotation(0, 7'200'000), Rotation(-3'000'001, 10'025'000), Rotation(-7, 5'400'000)};
  const std::vector<Rotation> rotations(of_all.begin(), of_all.begin() + shape.stacks);
  std::vector<bool> turning(shape.stacks, true);
  std::vector<std::unique_ptr<Side>> sides;
  for (const int model : {0, 1, 2, 3}) {
    ArbiterParams params;
    params.model = model == 3 ? ArbiterModel::rtl : static_cast<ArbiterModel>(model);
    params.free_running = model == 3;
    params.clock_mhz = 133.3;
    sides.push_back(std::make_unique<Side>("side" + std::to_string(model), params, shape, rotations, turning));
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
  std::mt19937_64 random(shape.arms);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  write(cha::kInten, 1);
  unsigned grants = 0;
  for (unsigned step = 0; step < 8'000 && !HasFailure(); ++step) {
    if (step % 400 == 0) {
      write(cha::kCtrl, cha::ctrl::Policy::set(cha::ctrl::Enable::kMask, step / 400 % 2) |
                            (below(3) == 0 ? cha::ctrl::Clear::kMask : 0));
      write(cha::kMargin, below(400));
    }
    switch (below(8)) {
      case 0:
      case 1:
        write(cha::kFree, below(shape.channels));
        break;
      case 2:
        if (shape.stacks > 1) turning[1] = below(4) != 0;
        write(cha::kInten, below(8) != 0);
        break;
      case 3:
        write(cha::kRequest + 4 * below(shape.arms), 0);
        break;
      default:
        write(cha::kRequest + 4 * below(shape.arms),
              cha::request::Stack::set(below(1u << 16), below(shape.stacks + 1)) | cha::request::Valid::kMask);
        break;
    }
    run_until(now() + (below(4) == 0 ? below(2'000'000) : below(60'000)));
    read(cha::kChannels);
    read(cha::kIntstat);
    read(cha::kRequest + 4 * below(shape.arms));
    if (cha::grant::Valid::get(read(cha::kGrant)) != 0 && below(3) != 0) {
      ++grants;
      write(cha::kGrantAck, 1);
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

}  // namespace
}  // namespace armature::testing
