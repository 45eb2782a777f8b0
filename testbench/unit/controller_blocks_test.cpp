#include "armature/controller/buffer_memory.h"
#include "armature/controller/debug_port.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/register_names.h"
#include "armature/controller/soc_bus.h"
#include "armature/controller/timer.h"
#include "armature/core/error.h"
#include "armature/regs/aau.h"
#include "armature/regs/buf.h"
#include "armature/regs/dbg.h"
#include "armature/regs/irq.h"
#include "armature/regs/soc.h"
#include "armature/regs/tmr.h"
#include "support/bus_master.h"
#include "support/recording_sinks.h"
#include "support/request_recorder.h"
#include "support/run_until.h"

#include <gtest/gtest.h>

#include <cstring>

namespace armature::testing {
namespace {

using controller::BufferMemory;
using controller::BufferParams;
using controller::DebugPort;
using controller::FirmwareParams;
using controller::InterruptController;
using controller::SocBus;
using controller::Timer;

class CountingTarget final : public controller::InterruptTarget {
 public:
  int calls = 0;
  void interrupts_changed() override { ++calls; }
};

TEST(InterruptController, ClaimsTheLowestEnabledLine) {
  InterruptController irq("irq", {});
  BusMaster bus("bus");
  bus.socket.bind(irq.regs);
  CountingTarget target;
  irq.bind(target);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  irq.set_level(18, true);
  irq.set_level(3, true);
  EXPECT_EQ(bus.read(regs::irq::kPending), 1u << 18 | 1u << 3);
  EXPECT_FALSE(irq.claim());
  EXPECT_EQ(bus.read(regs::irq::kClaim), 0u);
  bus.write(regs::irq::kEnable, 1u << 18);
  EXPECT_EQ(irq.claim(), 18u);
  bus.write(regs::irq::kEnable, 1u << 18 | 1u << 3);
  EXPECT_EQ(bus.read(regs::irq::kClaim), regs::irq::claim::Valid::kMask | 3u);
  irq.set_level(3, false);
  EXPECT_EQ(irq.claim(), 18u);
  EXPECT_EQ(target.calls, 5) << "three level changes, two writes of the enable register";
}

TEST(InterruptController, TracesEachLineUnderItsName) {
  RecordingProbes probes;
  InterruptController irq("irq", {&probes, nullptr, nullptr});
  BusMaster bus("bus");
  bus.socket.bind(irq.regs);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  irq.set_level(FW_IRQ_AAU, true);
  irq.set_level(FW_IRQ_SRV0 + 2, true);
  EXPECT_EQ(probes.changes.at("irq.aau").size(), 1u);
  EXPECT_EQ(probes.changes.at("irq.srv2").size(), 1u);
  EXPECT_EQ(probes.changes.at("irq.hif_read").size(), 0u);
}

TEST(Timer, CountsMicrosecondsAndExpiresOnce) {
  Timer timer("tmr");
  BusMaster bus("bus");
  bus.socket.bind(timer.regs);
  run_until(2'999'999);
  EXPECT_EQ(bus.read(regs::tmr::kCount), 2u);
  bus.write(regs::tmr::kInten, 1);
  bus.write(regs::tmr::kAfter, 10);
  run_until(2'999'999 + 10'000'000 - 1);
  EXPECT_FALSE(timer.irq.read());
  run_until(2'999'999 + 10'000'000);
  EXPECT_TRUE(timer.irq.read());
  bus.write(regs::tmr::kIntstat, 1);
  EXPECT_FALSE(timer.irq.read());
  EXPECT_FALSE(sc_core::sc_pending_activity()) << "one shot";
}

TEST(Timer, ItsAgeGoesOnWhereTheCounterComesRound) {
  Timer timer("tmr");
  BusMaster bus("bus");
  bus.socket.bind(timer.regs);
  EXPECT_EQ(bus.read(regs::tmr::kAge), 0u);
  const std::uint64_t three_hours_us = 10'800'000'000;
  run_until(static_cast<Ps>(three_hours_us) * kPsPerUs);
  EXPECT_EQ(bus.read(regs::tmr::kAge), static_cast<std::uint32_t>(three_hours_us >> 16));
  EXPECT_EQ(bus.read(regs::tmr::kCount), static_cast<std::uint32_t>(three_hours_us));
  EXPECT_FALSE(sc_core::sc_pending_activity()) << "nothing is scheduled for that";
  timer.power_off();
  timer.power_on();
  EXPECT_EQ(bus.read(regs::tmr::kAge), 0u);
}

TEST(Timer, IsCancelledByZeroAndStartedAnewByAnotherWrite) {
  Timer timer("tmr");
  BusMaster bus("bus");
  bus.socket.bind(timer.regs);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bus.write(regs::tmr::kInten, 1);
  bus.write(regs::tmr::kAfter, 5);
  bus.write(regs::tmr::kAfter, 0);
  EXPECT_FALSE(sc_core::sc_pending_activity());
  bus.write(regs::tmr::kAfter, 5);
  run_until(3 * kPsPerUs);
  bus.write(regs::tmr::kAfter, 5);
  run_until(8 * kPsPerUs - 1);
  EXPECT_FALSE(timer.irq.read());
  run_until(8 * kPsPerUs);
  EXPECT_TRUE(timer.irq.read());
}

TEST(BufferMemory, ShowsItsLayoutAndItsBytes) {
  BufferParams params;
  params.size_kib = 64;
  params.segments = 3;
  BufferMemory buffer("buf", params);
  BusMaster bus("bus"), ram("ram_bus");
  bus.socket.bind(buffer.regs);
  ram.socket.bind(buffer.ram);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(bus.read(regs::buf::kSize), 65'536u);
  const std::uint32_t layout = bus.read(regs::buf::kLayout);
  EXPECT_EQ(regs::buf::layout::Segments::get(layout), 3u);
  EXPECT_EQ(regs::buf::layout::Sectors::get(layout), 40u) << "(65,536 - 4,096) / 512 / 3";
  ram.write(65'532, 0x11223344);
  EXPECT_EQ(buffer.data()[65'532], 0x44);
  EXPECT_EQ(ram.read(65'532), 0x11223344u);
  ram.read(65'534);
  EXPECT_EQ(ram.last_response(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  ram.write(65'536, 0);
  EXPECT_EQ(ram.last_response(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(BufferMemory, RefusesSegmentsThatDoNotFit) {
  BufferParams params;
  params.size_kib = 8;
  params.segments = 9;  // 4,096 bytes are 8 sectors
  EXPECT_THROW(params.segment_sectors(), InputError);
  params.segments = 8;
  EXPECT_EQ(params.segment_sectors(), 1u);
}

TEST(DebugPort, PutsLinesIntoTheLogAndShowsStatesByName) {
  static std::vector<std::string> log;
  const auto handler =
      sc_core::sc_report_handler::set_handler([](const sc_core::sc_report& report, const sc_core::sc_actions&) {
        log.push_back(std::string(report.get_msg_type()) + "|" + report.get_msg());
      });
  RecordingProbes probes;
  DebugPort dbg("dbg", {&probes, nullptr, nullptr});
  BusMaster bus("bus");
  bus.socket.bind(dbg.regs);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (const char c : std::string("ready\nand")) bus.write(regs::dbg::kPutc, static_cast<unsigned char>(c));
  EXPECT_EQ(log, std::vector<std::string>{"firmware|dbg: ready"}) << "the second line has no end yet";
  bus.write(regs::dbg::kState, FW_STATE_SEEK | 17u << 8);
  EXPECT_STREQ(dbg.state_name(), "seek");
  EXPECT_EQ(probes.changes.at("dbg.state").back().second, "seek");
  EXPECT_EQ(probes.changes.at("dbg.tag").back().second, "17");
  bus.write(regs::dbg::kState, FW_STATE_COUNT);
  EXPECT_STREQ(dbg.state_name(), "unknown");
  EXPECT_FALSE(dbg.failed());
  bus.write(regs::dbg::kFatal, 99);
  EXPECT_TRUE(dbg.failed());
  ASSERT_EQ(log.size(), 2u);
  EXPECT_NE(log[1].find("line 99"), std::string::npos);
  sc_core::sc_report_handler::set_handler(handler);
}

TEST(DebugPort, TellsTheRecordOfRequestsWhatFirmwareSaysOfThem) {
  RequestRecorder requests;
  DebugPort dbg("dbg", {nullptr, nullptr, &requests});
  BusMaster bus("bus");
  bus.socket.bind(dbg.regs);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto wait = [&](std::uint32_t tag, std::uint32_t reason) {
    bus.write(regs::dbg::kWait, regs::dbg::wait::Tag::set(0, tag) | regs::dbg::wait::Reason::set(0, reason));
  };
  wait(7, 4);
  wait(7, 3);
  wait(8, 4);
  wait(8, 0);
  bus.write(regs::dbg::kArm, regs::dbg::arm::Tag::set(0, 1023) | regs::dbg::arm::Arm::set(0, 5));
  ASSERT_EQ(requests.lines.size(), 8u);
  EXPECT_EQ(requests.lines[0].rfind("7 rotation ", 0), 0u);
  EXPECT_EQ(requests.lines[1].rfind("7 media_done ", 0), 0u) << "it waits for the sector no longer";
  EXPECT_EQ(requests.lines[2].rfind("7 channel_wait ", 0), 0u);
  EXPECT_EQ(requests.lines[4].rfind("8 media_done ", 0), 0u) << "nor this one";
  EXPECT_EQ(requests.lines[5].rfind("8 firmware ", 0), 0u);
  EXPECT_EQ(requests.lines[6].rfind("1023 firmware ", 0), 0u);
  EXPECT_EQ(requests.lines[7].rfind("1023 granted to 5 for -1 at ", 0), 0u);
}

class BusTest : public ::testing::Test {
 protected:
  BusTest() {
    bus_.socket.bind(soc_.cpu);
    soc_.map(regs::soc::kTmrBase, 0x1000).bind(timer_.regs);
    soc_.map(regs::soc::kBufBase, 0x1000).bind(buffer_.regs);
    soc_.map(regs::soc::kRamBase, buffer_.window()).bind(buffer_.ram);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  static BufferParams small() {
    BufferParams params;
    params.size_kib = 10;  // not a multiple of a page
    params.segments = 1;
    return params;
  }

  SocBus soc_{"bus"};
  Timer timer_{"tmr"};
  BufferMemory buffer_{"buf", small()};
  BusMaster bus_{"master"};
};

TEST_F(BusTest, ReachesEachBlockAtItsOffset) {
  bus_.write(regs::soc::kTmrBase + regs::tmr::kInten, 1);
  EXPECT_EQ(bus_.read(regs::soc::kTmrBase + regs::tmr::kInten), 1u);
  EXPECT_EQ(bus_.read(regs::soc::kBufBase + regs::buf::kSize), 10'240u);
  bus_.write(regs::soc::kRamBase + 10'236, 7);
  EXPECT_EQ(buffer_.data()[10'236], 7);
  EXPECT_EQ(bus_.debug_read(regs::soc::kBufBase + regs::buf::kSize), 10'240u);
}

TEST_F(BusTest, ReachesRegistersWithoutATransaction) {
  std::uint32_t word = 0;
  EXPECT_TRUE(soc_.write(regs::soc::kTmrBase + regs::tmr::kInten, 1));
  EXPECT_TRUE(soc_.read(regs::soc::kTmrBase + regs::tmr::kInten, word));
  EXPECT_EQ(word, 1u);
  EXPECT_TRUE(soc_.read(regs::soc::kBufBase + regs::buf::kSize, word));
  EXPECT_EQ(word, 10'240u);
  word = 5;
  for (const std::uint32_t address :
       {std::uint32_t{regs::soc::kTmrBase + 0xF00}, std::uint32_t{regs::soc::kTmrBase + 1},
        std::uint32_t{regs::soc::kTmrBase - 4}, std::uint32_t{regs::soc::kHifBase}, std::uint32_t{regs::soc::kRamBase},
        std::uint32_t{0}, ~0u}) {
    EXPECT_FALSE(soc_.read(address, word)) << std::hex << address;
    EXPECT_FALSE(soc_.write(address, word)) << std::hex << address;
  }
  EXPECT_EQ(word, 5u);
  EXPECT_EQ(buffer_.data()[0], 0) << "the memory is no bank of registers";
}

TEST_F(BusTest, AnswersAnAddressErrorWhereNothingIs) {
  for (const std::uint64_t address :
       {std::uint64_t{0}, std::uint64_t{regs::soc::kTmrBase - 4}, std::uint64_t{regs::soc::kTmrBase + 0x1000},
        std::uint64_t{regs::soc::kHifBase}, std::uint64_t{regs::soc::kRamBase + 10'240}, std::uint64_t{0xFFFF'FFFC},
        std::uint64_t{0x1'4006'0000}}) {
    bus_.read(address);
    EXPECT_EQ(bus_.last_response(), tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << address;
  }
}

TEST(SocBus, RefusesOverlapsAndAddressesOffAPage) {
  SocBus soc("bus");
  soc.map(0x4000'0000, 0x2000);
  EXPECT_THROW(soc.map(0x4000'1000, 0x1000), sc_core::sc_report);
  EXPECT_THROW(soc.map(0x4000'3800, 0x1000), sc_core::sc_report);
  EXPECT_THROW(soc.map(0xFFFF'F000, 0x2000), sc_core::sc_report);
}

TEST(FirmwareParams, ChargesEntryAndTheCostOfEachLine) {
  FirmwareParams params;
  params.entry_cycles = 7;
  params.cycles_of(FW_IRQ_CHN0) = 100;
  params.cycles_of(FW_IRQ_SRV0) = 200;
  params.cycles_of(FW_IRQ_AAU) = 300;
  params.cycles_of(FW_IRQ_TMR) = 400;
  for (unsigned n = 0; n < 8; ++n) {
    EXPECT_EQ(params.handler_cycles(FW_IRQ_CHN0 + n), 107);
    EXPECT_EQ(params.handler_cycles(FW_IRQ_SRV0 + n), 207);
  }
  EXPECT_EQ(params.handler_cycles(FW_IRQ_AAU), 307);
  EXPECT_EQ(params.handler_cycles(FW_IRQ_TMR), 407);
  EXPECT_EQ(params.positioning_cycles(), 307 + 207);
}

TEST(RegisterNames, OfAnAddressAndOfABlock) {
  using controller::register_name;
  EXPECT_EQ(register_name(regs::soc::kAauBase + regs::aau::kSlotCommit + 12), "aau.slot_commit[3]");
  EXPECT_EQ(register_name(regs::soc::kSrvBase + regs::soc::kSrvStride),
            "srv1." + controller::registers_of("srv1")[0].name);
  for (const std::string& block : controller::block_names())
    for (const controller::NamedRegister& one : controller::registers_of(block))
      EXPECT_EQ(register_name(one.address), block + "." + one.name);
  EXPECT_TRUE(controller::registers_of("srv8").empty());
  EXPECT_TRUE(controller::registers_of("").empty());
}

}  // namespace
}  // namespace armature::testing
