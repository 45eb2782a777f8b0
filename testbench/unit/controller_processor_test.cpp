// The native processor and the rules of time, with small firmware written here: good one, and one that breaks each rule
// that the bus monitor watches.
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/native_processor.h"
#include "armature/controller/soc_bus.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/soc.h"
#include "support/bus_monitor.h"
#include "support/recording_sinks.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

using armature::Ps;

namespace {

struct TestFirmware {
  std::function<void(fw_context*)> reset = [](fw_context*) {};
  std::function<void(fw_context*, unsigned)> isr = [](fw_context*, unsigned) {};
  std::function<void(fw_context*)> idle = [](fw_context*) {};
};

TestFirmware& firmware() {
  static TestFirmware instance;
  return instance;
}

}  // namespace

// Takes the place of the drive's firmware in this test.
struct fw_context {
  fw_context_base base;
};
extern "C" {
std::size_t fw_context_bytes(void) {
  return sizeof(fw_context);
}
void fw_reset(fw_context* ctx) {
  firmware().reset(ctx);
}
void fw_isr(fw_context* ctx, std::uint32_t cause) {
  firmware().isr(ctx, cause);
}
void fw_idle(fw_context* ctx) {
  firmware().idle(ctx);
}
}

namespace armature::testing {
namespace {

using controller::ControllerParams;
using controller::FirmwareParams;
using controller::InterruptController;
using controller::NativeProcessor;
using controller::SocBus;

constexpr std::uint32_t kDevice = 0x4000'0000;

/// Register 0 reads the kernel's time in ps, register 4 counts its reads, a write to 8 drops line 5, register 12
/// annotates a delay.
class TimeDevice : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<TimeDevice> regs{"regs"};
  InterruptController* irq = nullptr;
  std::uint32_t reads = 0;

  explicit TimeDevice(sc_core::sc_module_name name) : sc_module(name) {
    regs.register_b_transport(this, &TimeDevice::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    std::uint32_t word = 0;
    switch (transaction.get_address()) {
      case 0:
        word = static_cast<std::uint32_t>(now());
        break;
      case 4:
        word = ++reads;
        break;
      case 8:
        if (transaction.is_write()) irq->set_level(5, false);
        break;
      case 12:
        delay += sc_core::sc_time(1, sc_core::SC_NS);
        break;
      default:
        break;
    }
    if (transaction.is_read()) std::memcpy(transaction.get_data_ptr(), &word, 4);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// Raises and drops lines at given times.
class LineScript : public sc_core::sc_module {
 public:
  InterruptController* irq = nullptr;
  struct Step {
    Ps at;
    unsigned line;
    bool level;
  };

  LineScript(sc_core::sc_module_name name, std::vector<Step> steps) : sc_module(name), steps_(std::move(steps)) {
    SC_HAS_PROCESS(LineScript);
    SC_METHOD(run);
  }

 private:
  void run() {
    while (next_ < steps_.size() && steps_[next_].at <= now()) {
      irq->set_level(steps_[next_].line, steps_[next_].level);
      ++next_;
    }
    if (next_ < steps_.size()) next_trigger(to_sc_time(steps_[next_].at - now()));
  }

  std::vector<Step> steps_;
  std::size_t next_ = 0;
};

class ProcessorTest : public ::testing::Test {
 protected:
  struct Call {
    Ps at;
    unsigned cause;
    bool operator==(const Call& other) const { return at == other.at && cause == other.cause; }
  };

  // 400 MHz: 2,500 ps a cycle. Reset 4 cycles, entry 2, channel 10, servo 20, grant 30.
  static FirmwareParams costs() {
    FirmwareParams params;
    params.reset_cycles = 4;
    params.entry_cycles = 2;
    params.cycles_of(FW_IRQ_CHN0) = 10;
    params.cycles_of(FW_IRQ_SRV0) = 20;
    params.cycles_of(FW_IRQ_AAU) = 30;
    return params;
  }

  ProcessorTest() { firmware() = TestFirmware(); }

  void build(std::vector<LineScript::Step> steps) {
    script_ = std::make_unique<LineScript>("script", std::move(steps));
    script_->irq = &irq_;
    device_.irq = &irq_;
    irq_.bind(cpu_);
    cpu_.bus.bind(monitor_.from_cpu);
    monitor_.to_bus.bind(bus_.cpu);
    cpu_.observe_handlers(&monitor_);
    bus_.map(kDevice, 0x1000).bind(device_.regs);
    bus_.map(regs::soc::kIrqBase, 0x1000).bind(irq_.regs);
    firmware().reset = [this](fw_context* ctx) {
      calls_.push_back({now(), 1000});
      mmio_write32(ctx, regs::soc::kIrqBase + 4, 0xFFFFFFFF);
    };
    if (!isr_) isr_ = [](fw_context*, unsigned) {};
    firmware().isr = [this](fw_context* ctx, unsigned cause) {
      calls_.push_back({now(), cause});
      irq_.set_level(cause, false);
      isr_(ctx, cause);
    };
  }
  void handle(std::function<void(fw_context*, unsigned)> isr) { isr_ = std::move(isr); }

  RecordingStates states_;
  InterruptController irq_{"irq", {}};
  SocBus bus_{"bus"};
  TimeDevice device_{"device"};
  NativeProcessor cpu_{"cpu", ControllerParams{}, costs(), irq_, {nullptr, &states_, nullptr}};
  BusMonitor monitor_{"monitor"};
  std::unique_ptr<LineScript> script_;
  std::function<void(fw_context*, unsigned)> isr_;
  std::vector<Call> calls_;
};

TEST_F(ProcessorTest, RunsAHandlerEntryAndCostAfterTheEdgeThatSamplesTheLine) {
  build({{20'001, FW_IRQ_CHN0, true}});
  run_until(kPsPerUs);
  EXPECT_EQ(calls_, (std::vector<Call>{{4 * 2'500, 1000}, {22'500 + 12 * 2'500, FW_IRQ_CHN0}}));
  EXPECT_EQ(states_.changes.at("cpu"), (std::vector<std::pair<Ps, std::string>>{
                                           {0, "busy"}, {10'000, "idle"}, {22'500, "busy"}, {52'500, "idle"}}));
  EXPECT_TRUE(monitor_.violations().empty());
}

TEST_F(ProcessorTest, KeepsLinesPendingWhileBusyAndTakesThemByPriority) {
  build({{20'000, FW_IRQ_SRV0, true}, {30'000, FW_IRQ_AAU, true}, {40'000, FW_IRQ_CHN0 + 1, true}});
  run_until(kPsPerUs);
  const Ps servo = 20'000 + 22 * 2'500;
  const Ps channel = servo + 12 * 2'500;
  EXPECT_EQ(calls_,
            (std::vector<Call>{
                {10'000, 1000}, {servo, FW_IRQ_SRV0}, {channel, FW_IRQ_CHN0 + 1}, {channel + 32 * 2'500, FW_IRQ_AAU}}));
}

TEST_F(ProcessorTest, ALineThatRisesUpToTheSamplingEdgeIsConsidered) {
  // The first line comes between edges; a better one comes before, at, and after the edge that samples.
  build({{20'001, FW_IRQ_AAU, true},
         {22'500, FW_IRQ_CHN0, true},
         {400'001, FW_IRQ_AAU, true},
         {402'501, FW_IRQ_CHN0, true}});
  run_until(kPsPerUs);
  const Ps first = 22'500 + 12 * 2'500;
  EXPECT_EQ(calls_, (std::vector<Call>{{10'000, 1000},
                                       {first, FW_IRQ_CHN0},
                                       {first + 32 * 2'500, FW_IRQ_AAU},
                                       {402'500 + 32 * 2'500, FW_IRQ_AAU},
                                       {402'500 + 44 * 2'500, FW_IRQ_CHN0}}));
}

TEST_F(ProcessorTest, ALineThatFallsBeforeItsSamplingEdgeIsForgotten) {
  build({{20'001, FW_IRQ_AAU, true}, {22'499, FW_IRQ_AAU, false}});
  run_until(kPsPerUs);
  EXPECT_EQ(calls_.size(), 1u);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST_F(ProcessorTest, SeesTheDeviceAsItIsAtTheHandlersInstant) {
  std::vector<std::uint32_t> seen;
  handle([&](fw_context* ctx, unsigned) {
    seen.push_back(mmio_read32(ctx, kDevice));
    mmio_write32(ctx, kDevice + 8, 1);
    seen.push_back(mmio_read32(ctx, kDevice));
  });
  build({{20'000, 5, true}});
  run_until(kPsPerUs);
  const std::uint32_t instant = 20'000 + 12 * 2'500;
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{instant, instant}));
  EXPECT_TRUE(monitor_.violations().empty());
  EXPECT_EQ(monitor_.most_in_handler(), 3u);
}

TEST_F(ProcessorTest, CallsIdleWhenNothingIsPendingAndSleepsWithoutEvents) {
  std::vector<Ps> idle;
  firmware().idle = [&](fw_context*) { idle.push_back(now()); };
  build({{20'000, FW_IRQ_CHN0, true}, {21'000, FW_IRQ_SRV0, true}});
  run_until(kPsPerUs);
  EXPECT_EQ(idle, (std::vector<Ps>{10'000, 20'000 + 34 * 2'500})) << "not between two handlers";
  EXPECT_FALSE(sc_core::sc_pending_activity());
  EXPECT_EQ(cpu_.handlers_run(), 2u);
}

TEST_F(ProcessorTest, AMissingAddressReadsZeroAndIsReported) {
  static unsigned reports;
  const auto previous =
      sc_core::sc_report_handler::set_handler([](const sc_core::sc_report& report, const sc_core::sc_actions&) {
        reports += std::string(report.get_msg()).find("bus error at 0x40001000") != std::string::npos;
      });
  std::uint32_t word = 1;
  handle([&](fw_context* ctx, unsigned) { word = mmio_read32(ctx, kDevice + 0x1000); });
  build({{20'000, FW_IRQ_CHN0, true}});
  run_until(kPsPerUs);
  sc_core::sc_report_handler::set_handler(previous);
  EXPECT_EQ(word, 0u);
  EXPECT_EQ(cpu_.bus_errors(), 1u);
  EXPECT_EQ(reports, 1u);
}

// --- Rule 4: the monitor finds each way to break it ------------------------------------------------------------------

TEST_F(ProcessorTest, MonitorFindsPolling) {
  handle([](fw_context* ctx, unsigned) {
    mmio_read32(ctx, kDevice + 0);
    mmio_read32(ctx, kDevice + 0);
  });
  build({{20'000, FW_IRQ_CHN0, true}});
  run_until(kPsPerUs);
  EXPECT_EQ(monitor_.violations(),
            std::vector<std::string>{"polling: 0x40000000 (hif.ctrl) read again without a write between"});
}

TEST_F(ProcessorTest, MonitorLetsARegisterBeReadAgainIfItChangesOrAfterAWrite) {
  handle([](fw_context* ctx, unsigned) {
    mmio_read32(ctx, kDevice + 4);
    mmio_read32(ctx, kDevice + 4);  // a FIFO: another word
    mmio_read32(ctx, kDevice + 0);
    mmio_write32(ctx, kDevice + 16, 0);
    mmio_read32(ctx, kDevice + 0);
  });
  build({{20'000, FW_IRQ_CHN0, true}, {600'000, FW_IRQ_CHN0, true}});
  run_until(kPsPerUs);
  EXPECT_TRUE(monitor_.violations().empty());
}

TEST_F(ProcessorTest, MonitorFindsTooManyAccesses) {
  handle([](fw_context* ctx, unsigned) {
    for (unsigned i = 0; i <= FW_MAX_HANDLER_ACCESSES; ++i) mmio_write32(ctx, kDevice + 16, i);
  });
  build({{20'000, FW_IRQ_CHN0, true}});
  run_until(kPsPerUs);
  EXPECT_EQ(monitor_.violations(), std::vector<std::string>{"more than 2048 accesses in a call"});
}

/// Firmware that keeps its context and comes back later, as a thread of its own would.
class Runaway : public sc_core::sc_module {
 public:
  fw_context* ctx = nullptr;
  explicit Runaway(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Runaway);
    SC_METHOD(run);
    dont_initialize();
    sensitive << go;
  }
  sc_core::sc_event go;

 private:
  void run() { mmio_read32(ctx, kDevice); }
};

TEST_F(ProcessorTest, MonitorFindsAnAccessOutsideOfAHandler) {
  Runaway runaway("runaway");
  handle([&](fw_context* ctx, unsigned) {
    runaway.ctx = ctx;
    runaway.go.notify(sc_core::sc_time(7, sc_core::SC_NS));
  });
  build({{20'000, FW_IRQ_CHN0, true}});
  run_until(kPsPerUs);
  EXPECT_EQ(monitor_.violations(), std::vector<std::string>{"access to 0x40000000 (hif.ctrl) outside of a handler"});
}

TEST_F(ProcessorTest, MonitorFindsABlockThatAnnotatesADelay) {
  handle([](fw_context* ctx, unsigned) { mmio_read32(ctx, kDevice + 12); });
  build({{20'000, FW_IRQ_CHN0, true}});
  run_until(kPsPerUs);
  EXPECT_EQ(monitor_.violations(), std::vector<std::string>{"the block at 0x4000000c (hif+0xc) annotated a delay"});
}

/// A master in place of the processor, which runs ahead of time and comes back.
class LooseMaster : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<LooseMaster> socket{"socket"};
  explicit LooseMaster(sc_core::sc_module_name name) : sc_module(name) {}
  void read(Ps ahead) {
    tlm::tlm_generic_payload transaction;
    std::uint32_t word = 0;
    transaction.set_command(tlm::TLM_READ_COMMAND);
    transaction.set_address(kDevice + 4);
    transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    transaction.set_data_length(4);
    transaction.set_streaming_width(4);
    sc_core::sc_time delay = to_sc_time(ahead);
    socket->b_transport(transaction, delay);
  }
};

TEST(BusMonitor, FindsDelaysAndTimeStampsThatGoBack) {
  LooseMaster master("master");
  BusMonitor monitor("monitor");
  SocBus bus("bus");
  TimeDevice device("device");
  master.socket.bind(monitor.from_cpu);
  monitor.to_bus.bind(bus.cpu);
  bus.map(kDevice, 0x1000).bind(device.regs);
  run_until(1'000);
  monitor.handler_begins(3);
  master.read(0);
  EXPECT_TRUE(monitor.violations().empty());
  master.read(50);
  master.read(0);
  monitor.handler_ends(3);
  EXPECT_EQ(monitor.violations(), (std::vector<std::string>{"access to 0x40000004 (hif.intstat) with a delay",
                                                            "access to 0x40000004 (hif.intstat) back in time"}));
}

TEST(BusMonitor, FindsAHandlerThatOutlastsItsInstant) {
  LooseMaster master("master");
  BusMonitor monitor("monitor");
  SocBus bus("bus");
  TimeDevice device("device");
  master.socket.bind(monitor.from_cpu);
  monitor.to_bus.bind(bus.cpu);
  bus.map(kDevice, 0x1000).bind(device.regs);
  run_until(1'000);
  monitor.handler_begins(3);
  run_until(2'000);
  master.read(0);
  EXPECT_EQ(monitor.violations().front(), "access to 0x40000004 (hif.intstat) after the handler's instant");
  monitor.handler_begins(4);
  EXPECT_EQ(monitor.violations().back(), "a call into firmware inside another one");
}

}  // namespace
}  // namespace armature::testing
