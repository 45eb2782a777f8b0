// What a register access of firmware costs: mmio call, processor's socket, bus, block's socket, register bank,
// callback. A 4 KB request has about 30 of them; the target is 25 ns each.
#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/controller/buffer_memory.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/native_processor.h"
#include "armature/controller/soc_bus.h"
#include "armature/controller/timer.h"
#include "armature/core/rotation.h"
#include "armature/regs/aau.h"
#include "armature/regs/buf.h"
#include "armature/regs/soc.h"
#include "armature/regs/tmr.h"

#include <benchmark/benchmark.h>
#include <systemc>

#include <random>
#include <vector>

namespace {

using namespace armature;

struct Platform {
  controller::InterruptController irq{"irq", {}};
  controller::SocBus bus{"bus"};
  controller::NativeProcessor cpu{"cpu", {}, {}, irq, {}};
  controller::Timer timer{"tmr"};
  controller::BufferMemory buffer{"buf", {}};
  Rotation rotation{0, 7'200'000};
  arbiter::ArmArbitrationUnit aau{
      "aau", {}, arbiter::ArbiterParams{}.shape(1'024, 1), 1, [this](unsigned) { return &rotation; }, {}};

  Platform() {
    cpu.bus.bind(bus.cpu);
    bus.map(regs::soc::kTmrBase, 0x1000).bind(timer.regs);
    bus.map(regs::soc::kBufBase, 0x1000).bind(buffer.regs);
    bus.map(regs::soc::kAauBase, 0x8000).bind(aau.regs);
    bus.map(regs::soc::kIrqBase, 0x1000).bind(irq.regs);
    bus.map(regs::soc::kRamBase, buffer.window()).bind(buffer.ram);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

Platform& platform() {
  static Platform instance;
  return instance;
}

void read_plain_register(benchmark::State& state) {
  auto& cpu = platform().cpu;
  for (auto _ : state) benchmark::DoNotOptimize(cpu.read(regs::soc::kBufBase + regs::buf::kSize));
}

void read_with_callback(benchmark::State& state) {
  auto& cpu = platform().cpu;
  for (auto _ : state) benchmark::DoNotOptimize(cpu.read(regs::soc::kTmrBase + regs::tmr::kCount));
}

void write_with_callback(benchmark::State& state) {
  auto& cpu = platform().cpu;
  for (auto _ : state) cpu.write(regs::soc::kTmrBase + regs::tmr::kIntstat, 1);
}

void write_ram(benchmark::State& state) {
  auto& cpu = platform().cpu;
  std::uint32_t i = 0;
  for (auto _ : state) {
    cpu.write(regs::soc::kRamBase + (i % 1'024) * 4, i);
    ++i;
  }
}

/// A decision of the arbitration unit with so many slots: commit one, run to the grant, acknowledge, arm idle again.
void decide(benchmark::State& state) {
  Platform& p = platform();
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  std::mt19937 random(1);
  const auto write = [&](std::uint32_t offset, std::uint32_t word) { p.cpu.write(regs::soc::kAauBase + offset, word); };
  const auto commit = [&](std::uint32_t slot) {
    write(regs::aau::kSlotTarget + 4 * slot, random() % 60'000);
    write(regs::aau::kSlotCommit + 4 * slot, (random() & 0xFFFF) | regs::aau::slot_commit::Valid::kMask);
  };
  write(regs::aau::kCtrl, regs::aau::ctrl::WithdrawAll::kMask);
  write(regs::aau::kSeekEntry, 0);
  for (std::uint32_t i = 0; i < 200; ++i) {
    write(regs::aau::kSeekDistance, 1 + i * 300);
    write(regs::aau::kSeekSlopeLo, 1u << 24);
    write(regs::aau::kSeekTime, 5'000 + i * 300);
  }
  write(regs::aau::kSeekEntries, 200);
  for (std::uint32_t slot = 0; slot < slots; ++slot) commit(slot);
  write(regs::aau::kCtrl, regs::aau::ctrl::Policy::set(regs::aau::ctrl::Enable::kMask, 3));
  for (auto _ : state) {
    write(regs::aau::kArm, (random() % 60'000) | regs::aau::arm::Idle::kMask);
    sc_core::sc_start(sc_core::sc_time(30, sc_core::SC_US));
    const std::uint32_t grant = p.cpu.read(regs::soc::kAauBase + regs::aau::kGrant);
    if (!regs::aau::grant::Valid::get(grant)) state.SkipWithError("no grant");
    write(regs::aau::kGrantAck, 1);
    commit(regs::aau::grant::Slot::get(grant));
  }
}

BENCHMARK(read_plain_register);
BENCHMARK(read_with_callback);
BENCHMARK(write_with_callback);
BENCHMARK(write_ram);
BENCHMARK(decide)->Arg(1)->Arg(32)->Arg(1'024);

}  // namespace

int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  platform();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
