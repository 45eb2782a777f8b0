#pragma once

#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/arbiter/channel_arbiter.h"
#include "armature/controller/soc.h"
#include "armature/core/rotation.h"
#include "armature/regs/soc.h"
#include "support/bus_monitor.h"
#include "support/fake_mechanics.h"
#include "support/fixed_delay_link.h"
#include "support/posted_bus.h"
#include "support/request_recorder.h"
#include "support/scripted_host.h"

#include <memory>
#include <vector>

namespace armature::testing {

struct SocBenchParams {
  unsigned arms = 1;
  unsigned channels = 1;
  std::uint32_t queue_depth = 32;
  bool buffer_offsets = true;
  std::int64_t segments = 4;
  std::int64_t size_kib = 256;
  std::uint64_t capacity = 100'000;  ///< sectors
  arbiter::Policy policy = arbiter::Policy::fcfs;
  Ps spin_up = kPsPerMs;
  std::uint32_t spin_up_limit_us = 1'000'000;
  PostedBus::Order posted = PostedBus::Order::immediate;
  std::uint32_t cache = 0;               ///< FW_CACHE_*
  std::uint32_t cap_mw = 0;              ///< cap on the power that `meter` tells; 0: none
  std::uint32_t minimum_read_ahead = 0;  ///< sectors; with it reading ahead fills segments, across tracks
};

/// The controller with the drive's firmware, between a scripted host and stand-ins of the mechanics, every access under
/// the bus monitor's eyes.
class SocBench {
 public:
  explicit SocBench(const SocBenchParams& params)
      : soc("soc", {{}, {}, buffer_params(params), factory(params)}, {nullptr, nullptr, &requests},
            controller::Soc::BusTap{monitor.from_cpu, posted.to_bus}),
        aau("aau", {}, arbiter::ArbiterParams{}.shape(1'024, params.arms), 1, [this](unsigned) { return &rotation; },
            {nullptr, nullptr, &requests}) {
    namespace map = regs::soc;
    monitor.to_bus.bind(posted.from_cpu);
    posted.order = params.posted;
    posted.watched_by = &monitor;
    soc.cpu->observe_handlers(&posted);
    soc.map(map::kAauBase, map::kAauBytes, aau.regs);
    soc.map(map::kSpnBase, map::kSpnBytes, spindle.regs);
    std::vector<FakeServo*> arms;
    for (unsigned n = 0; n < params.arms; ++n) {
      servos.push_back(std::make_unique<FakeServo>(("srv" + std::to_string(n)).c_str()));
      arms.push_back(servos.back().get());
      soc.map(map::kSrvBase + n * map::kSrvStride, map::kSrvBytes, servos.back()->regs);
      servos.back()->irq.bind(soc.irq, FW_IRQ_SRV0 + n);
    }
    for (unsigned c = 0; c < params.channels; ++c) {
      channels.push_back(std::make_unique<FakeChannel>(("chn" + std::to_string(c)).c_str(), arms));
      soc.map(map::kChnBase + c * map::kChnStride, map::kChnBytes, channels.back()->regs);
      channels.back()->irq.bind(soc.irq, FW_IRQ_CHN0 + c);
    }
    soc.map(map::kXltBase, map::kXltBytes, translation.regs);
    if (params.channels < params.arms) {
      channel_arbiter = std::make_unique<arbiter::ChannelArbiter>(
          "cha", arbiter::ArbiterParams{}, params.arms, params.channels, 1, [this](unsigned) { return &rotation; },
          BlockContext{});
      soc.map(map::kChaBase, map::kChaBytes, channel_arbiter->regs);
      channel_arbiter->irq.bind(soc.irq, FW_IRQ_CHA);
    }
    aau.irq.bind(soc.irq, FW_IRQ_AAU);
    spindle.irq.bind(soc.irq, FW_IRQ_SPN);
    spindle.spin_up = params.spin_up;
    host.to_link.bind(link.from_host);
    link.to_drive.bind(soc.hif.from_link);
    soc.hif.to_link.bind(link.from_drive);
    link.to_host.bind(host.from_link);
    soc.pmu.set_meter(meter);
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
    f.stacks = 1;
    f.channels = params.channels;
    f.heads = FakeChannel::kHeads;
    f.cylinders = 1'000'000;
    f.queue_depth = params.queue_depth;
    f.buffer_offsets = params.buffer_offsets ? 1 : 0;
    f.rpm = 7'200;
    f.link_generation = 2;
    f.cache = params.cache;
    f.policy = static_cast<std::uint32_t>(params.policy);
    f.margin_ticks = 10;
    f.spin_up_limit_us = params.spin_up_limit_us;
    if (params.minimum_read_ahead != 0) {
      f.cache |= FW_CACHE_LOOK_AHEAD | FW_CACHE_READ_POLICY;
      f.minimum_read_ahead = params.minimum_read_ahead;
      f.read_ahead_end = FW_AHEAD_SEGMENT;
      f.read_watermark_percent = 101;
    }
    if (params.cap_mw != 0) {
      f.cache |= FW_CACHE_POWER_CAP;
      f.cap_mw = params.cap_mw;
      f.cap_window_us = 20'000;
      f.cap_margin = 16'384;  // a quarter
      f.cap_means = FW_CAP_ARMS;
    }
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

  /// Energy of the stand-ins: 2 W at rest, 1 mJ a move, 50 uJ a sector.
  class Meter final : public controller::EnergyMeter {
   public:
    explicit Meter(const SocBench& bench) : bench_(bench) {}
    std::uint64_t microjoules() override {
      std::uint64_t sum = static_cast<std::uint64_t>(now() / kPsPerUs) * 2;
      for (const auto& servo : bench_.servos) sum += servo->moves * 1'000ull;
      for (const auto& channel : bench_.channels) sum += channel->sectors_moved * 50ull;
      return sum;
    }

   private:
    const SocBench& bench_;
  };

  RequestRecorder requests;
  Meter meter{*this};
  Rotation rotation{0, 7'200'000};
  BusMonitor monitor{"monitor"};
  PostedBus posted{"posted"};
  controller::Soc soc;
  arbiter::ArmArbitrationUnit aau;
  std::unique_ptr<arbiter::ChannelArbiter> channel_arbiter;  ///< if there are fewer channels than arms
  FakeSpindle spindle{"spn"};
  FakeLayout layout;
  media::Translation translation{"xlt", layout};
  std::vector<std::unique_ptr<FakeServo>> servos;
  std::vector<std::unique_ptr<FakeChannel>> channels;
  FixedDelayLink link{"link", 10 * kPsPerUs};
  ScriptedHost host{"host"};
};

}  // namespace armature::testing
