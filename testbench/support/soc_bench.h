#pragma once

#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/arbiter/channel_arbiter.h"
#include "armature/controller/buffer_memory.h"
#include "armature/controller/debug_port.h"
#include "armature/controller/factory_memory.h"
#include "armature/controller/host_interface.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/native_processor.h"
#include "armature/controller/power_unit.h"
#include "armature/controller/soc_bus.h"
#include "armature/controller/timer.h"
#include "armature/core/rotation.h"
#include "armature/regs/soc.h"
#include "support/bus_monitor.h"
#include "support/fake_mechanics.h"
#include "support/fixed_delay_link.h"
#include "support/request_recorder.h"
#include "support/scripted_host.h"

#include <memory>
#include <vector>

namespace armature::testing {

struct SocBenchParams {
  unsigned arms = 1;
  unsigned channels = 1;
  std::uint32_t queue_depth = 32;
  std::int64_t segments = 4;
  std::int64_t size_kib = 256;
  std::uint64_t capacity = 100'000;  ///< sectors
  arbiter::Policy policy = arbiter::Policy::fcfs;
  Ps spin_up = kPsPerMs;
  std::uint32_t spin_up_limit_us = 1'000'000;
};

/// The controller with the drive's firmware, between a scripted host and stand-ins of the mechanics, every access under
/// the bus monitor's eyes.
class SocBench {
 public:
  explicit SocBench(const SocBenchParams& params)
      : nvm("nvm", factory(params)),
        buffer("buf", buffer_params(params)),
        hif("hif", buffer, {nullptr, nullptr, &requests}),
        aau("aau", {}, arbiter::ArbiterParams{}.shape(1'024, params.arms), 1, [this](unsigned) { return &rotation; },
            {nullptr, nullptr, &requests}) {
    namespace soc = regs::soc;
    cpu.bus.bind(monitor.from_cpu);
    monitor.to_bus.bind(bus.cpu);
    cpu.observe_handlers(&monitor);
    irq.bind(cpu);
    bus.map(soc::kHifBase, 0x1000).bind(hif.regs);
    bus.map(soc::kAauBase, 0x8000).bind(aau.regs);
    bus.map(soc::kSpnBase, 0x1000).bind(spindle.regs);
    bus.map(soc::kBufBase, 0x1000).bind(buffer.regs);
    bus.map(soc::kTmrBase, 0x1000).bind(timer.regs);
    bus.map(soc::kIrqBase, 0x1000).bind(irq.regs);
    bus.map(soc::kDbgBase, 0x1000).bind(dbg.regs);
    bus.map(soc::kNvmBase, 0x2000).bind(nvm.regs);
    bus.map(soc::kPmuBase, 0x1000).bind(pmu.regs);
    bus.map(soc::kRamBase, buffer.window()).bind(buffer.ram);
    std::vector<FakeServo*> arms;
    for (unsigned n = 0; n < params.arms; ++n) {
      servos.push_back(std::make_unique<FakeServo>(("srv" + std::to_string(n)).c_str()));
      arms.push_back(servos.back().get());
      bus.map(soc::kSrvBase + n * soc::kSrvStride, 0x1000).bind(servos.back()->regs);
      servos.back()->irq.bind(irq, FW_IRQ_SRV0 + n);
    }
    for (unsigned c = 0; c < params.channels; ++c) {
      channels.push_back(std::make_unique<FakeChannel>(("chn" + std::to_string(c)).c_str(), arms));
      bus.map(soc::kChnBase + c * soc::kChnStride, 0x1000).bind(channels.back()->regs);
      channels.back()->irq.bind(irq, FW_IRQ_CHN0 + c);
    }
    if (params.channels < params.arms) {
      channel_arbiter = std::make_unique<arbiter::ChannelArbiter>(
          "cha", arbiter::ArbiterParams{}, params.arms, params.channels, 1, [this](unsigned) { return &rotation; },
          BlockContext{});
      bus.map(soc::kChaBase, 0x1000).bind(channel_arbiter->regs);
      channel_arbiter->irq.bind(irq, FW_IRQ_CHA);
    }
    hif.irq_dma.bind(irq, FW_IRQ_HIF_DMA);
    hif.irq_read.bind(irq, FW_IRQ_HIF_READ);
    hif.irq_write.bind(irq, FW_IRQ_HIF_WRITE);
    hif.irq_other.bind(irq, FW_IRQ_HIF_OTHER);
    hif.irq_error.bind(irq, FW_IRQ_HIF_ERROR);
    aau.irq.bind(irq, FW_IRQ_AAU);
    spindle.irq.bind(irq, FW_IRQ_SPN);
    timer.irq.bind(irq, FW_IRQ_TMR);
    spindle.spin_up = params.spin_up;
    host.to_link.bind(link.from_host);
    link.to_drive.bind(hif.from_link);
    hif.to_link.bind(link.from_drive);
    link.to_host.bind(host.from_link);
  }

  static fw_factory factory(const SocBenchParams& params) {
    fw_factory f{};
    f.physical_sectors = 1;
    f.magic = FW_FACTORY_MAGIC;
    f.version = FW_FACTORY_VERSION;
    const auto text = [](char* to, std::size_t size, const char* from) {
      std::size_t i = 0;
      for (; from[i] != '\0' && i < size; ++i) to[i] = from[i];
      for (; i < size; ++i) to[i] = ' ';
    };
    text(f.model, sizeof f.model, "BENCH DRIVE");
    text(f.serial, sizeof f.serial, "SN42");
    text(f.revision, sizeof f.revision, "1.0");
    f.capacity_lo = static_cast<std::uint32_t>(params.capacity);
    f.capacity_hi = static_cast<std::uint32_t>(params.capacity >> 32);
    f.arms = params.arms;
    f.channels = params.channels;
    f.heads = FakeChannel::kHeads;
    f.cylinders = 1'000'000;
    f.queue_depth = params.queue_depth;
    f.rpm = 7'200;
    f.link_generation = 2;
    f.policy = static_cast<std::uint32_t>(params.policy);
    f.margin_ticks = 10;
    f.spin_up_limit_us = params.spin_up_limit_us;
    f.seek_points = 2;
    f.seek[0] = {1, 100};
    f.seek[1] = {1'000'000, 60'000};
    return f;
  }
  static controller::BufferParams buffer_params(const SocBenchParams& params) {
    controller::BufferParams b;
    b.segments = params.segments;
    b.size_kib = params.size_kib;
    return b;
  }

  RequestRecorder requests;
  Rotation rotation{0, 7'200'000};
  controller::InterruptController irq{"irq", {}};
  controller::SocBus bus{"bus"};
  controller::NativeProcessor cpu{"cpu", {}, {}, irq, {}};
  BusMonitor monitor{"monitor"};
  controller::Timer timer{"tmr"};
  controller::DebugPort dbg{"dbg", {}};
  controller::PowerUnit pmu{"pmu", BlockContext{}};
  controller::FactoryMemory nvm;
  controller::BufferMemory buffer;
  controller::HostInterface hif;
  arbiter::ArmArbitrationUnit aau;
  std::unique_ptr<arbiter::ChannelArbiter> channel_arbiter;  ///< if there are fewer channels than arms
  FakeSpindle spindle{"spn"};
  std::vector<std::unique_ptr<FakeServo>> servos;
  std::vector<std::unique_ptr<FakeChannel>> channels;
  FixedDelayLink link{"link", 10 * kPsPerUs};
  ScriptedHost host{"host"};
};

}  // namespace armature::testing
