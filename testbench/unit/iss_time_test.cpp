// Time from instructions (firmware.time = "instructions"): small programs whose cycles are counted by hand, and the
// instants of their accesses.
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/iss_processor.h"
#include "armature/controller/soc_bus.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/soc.h"
#include "support/elf_bytes.h"
#include "support/recording_sinks.h"
#include "support/run_until.h"
#include "support/rv32.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace armature::testing::iss_time_test {
namespace {

using namespace rv32;
using controller::ControllerParams;
using controller::FirmwareParams;
using controller::HandlerTime;
using controller::InterruptController;
using controller::IssProcessor;
using controller::SocBus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t kDevice = 0x4000'0000;
constexpr Ps kCycle = 2'500;  // of 400 MHz

struct Seen {
  Ps at;
  std::uint32_t offset;
  bool write;
  std::uint32_t word;
};

/// Notes its accesses. A read gives the kernel's time in cycles, at 0x48 in 64 cycles; a write to 4 * n, n below 32,
/// lowers line n.
class Device : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Device> regs{"regs"};
  InterruptController* irq = nullptr;
  std::vector<Seen> seen;

  explicit Device(sc_core::sc_module_name name) : sc_module(name) {
    regs.register_b_transport(this, &Device::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
    const auto offset = static_cast<std::uint32_t>(transaction.get_address());
    std::uint32_t word = static_cast<std::uint32_t>(now() / kCycle / (offset == 0x48 ? 64 : 1));
    if (transaction.is_write())
      std::memcpy(&word, transaction.get_data_ptr(), sizeof word);
    else
      std::memcpy(transaction.get_data_ptr(), &word, sizeof word);
    seen.push_back({now(), offset, transaction.is_write(), word});
    if (transaction.is_write() && offset / 4 < 32) irq->set_level(offset / 4, false);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

constexpr unsigned kNoLine = 99;

/// Raises lines at given times.
class Lines : public sc_core::sc_module {
 public:
  InterruptController* irq = nullptr;
  std::vector<std::pair<Ps, unsigned>> rises;

  explicit Lines(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Lines);
    SC_METHOD(run);
  }

 private:
  void run() {
    for (; next_ < rises.size() && rises[next_].first <= now(); ++next_)
      if (rises[next_].second != kNoLine) irq->set_level(rises[next_].second, true);
    if (next_ < rises.size()) next_trigger(to_sc_time(rises[next_].first - now()));
  }
  std::size_t next_ = 0;
};

/// x10: the device; x11: the data memory; all lines are enabled. 8 cycles.
const Program kBegin = {lui(10, 0x40000), lui(11, 0x10000), lui(12, 0x40070), addi(13, 0, -1), sw(13, 4, 12)};
constexpr std::int64_t kBeginCycles = 4 + 4;

Program operator+(Program one, const Program& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

/// A processor whose firmware is a program, with that device on its bus.
class Bench {
 public:
  explicit Bench(const Program& program, const FirmwareParams& params = in_time()) {
    std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '_');
    const std::string path = ::testing::TempDir() + "iss_time_" + name + ".elf";
    std::ofstream(path, std::ios::binary) << ElfBytes(program).bytes();
    cpu = std::make_unique<IssProcessor>("cpu", ControllerParams{}, params, irq,
                                         BlockContext{&probes, &states, nullptr}, iss::load_image(path));
    irq.bind(*cpu);
    device.irq = lines.irq = &irq;
    cpu->bus.bind(bus.cpu);
    bus.map(kDevice, 0x1000).bind(device.regs);
    bus.map(regs::soc::kIrqBase, 0x1000).bind(irq.regs);
  }

  static FirmwareParams in_time() {
    FirmwareParams params;
    params.time = FirmwareParams::instructions;
    return params;
  }
  /// Of the device's accesses, in cycles since power-on.
  std::vector<std::int64_t> cycles() const {
    std::vector<std::int64_t> all;
    for (const Seen& one : device.seen) {
      EXPECT_EQ(one.at % kCycle, 0) << "no access is off the clock's edges";
      all.push_back(one.at / kCycle);
    }
    return all;
  }
  std::vector<std::string> handlers() const {
    std::vector<std::string> all;
    for (const auto& [at, text] : probes.changes.at("cpu.handler"))
      all.push_back(text + " " + std::to_string(at / kCycle));
    return all;
  }

  RecordingProbes probes;
  RecordingStates states;
  InterruptController irq{"irq", {}};
  SocBus bus{"bus"};
  Device device{"device"};
  Lines lines{"lines"};
  std::unique_ptr<IssProcessor> cpu;
};

// --- Classes of instructions -----------------------------------------------------------------------------------------

struct Cost {
  const char* name;
  Program instructions;  ///< between two stores to the device
  std::int64_t cycles;   ///< counted by hand, with the default core
};

std::ostream& operator<<(std::ostream& out, const Cost& cost) {
  return out << cost.name;
}

class IssTimeOf : public ::testing::TestWithParam<Cost> {};

constexpr std::int64_t kStore = 1 + 3;  // to the device

TEST_P(IssTimeOf, IsThatOfItsClass) {
  Bench bench(kBegin + Program{sw(0, 0x80, 10)} + GetParam().instructions + Program{sw(0, 0x80, 10), kWfi, jal(0, -4)});
  run_until(kPsPerMs);
  EXPECT_EQ(bench.cpu->mistake(), "");
  const std::int64_t first = kBeginCycles + kStore;
  EXPECT_THAT(bench.cycles(), ElementsAre(first, first + GetParam().cycles + kStore));
}

const Cost kCosts[] = {
    {"nothing", {}, 0},
    {"plain", {addi(5, 0, 7), add(6, 5, 5), lui(7, 9), kNop, kFence}, 5},
    {"loads", {lw(5, 0, 11), lbu(6, 3, 11)}, 2 + 2},
    {"stores", {sw(5, 0, 11)}, 1},
    {"branch_taken", {beq(0, 0, 8), kNop}, 3},
    {"branch_back", {addi(5, 0, 3), addi(5, 5, -1), bne(5, 0, -4)}, 1 + 3 * 1 + 2 * 3 + 1},
    {"branch_not_taken", {bne(0, 0, 8), kNop}, 1 + 1},
    {"jump", {jal(5, 8), kNop}, 2},
    {"jump_by_register", {jal(5, 4), jalr(6, 8, 5), kNop}, 2 + 2},
    {"multiply", {mul(5, 6, 7)}, 1},
    {"multiply_high", {mulhu(5, 6, 7)}, 5},
    {"divide", {divu(5, 13, 13), remu(6, 13, 13)}, 35 + 35},
    {"csr", {csrrw(5, kMscratch, 6), csrrsi(6, kMstatus, 0)}, 4 + 4},
    {"atomic", {amoadd(5, 6, 11)}, 4},
    {"reserved", {lr(5, 11), sc(6, 5, 11)}, 2 + 4},
    {"bus_load", {lw(5, 0, 12)}, 2 + 3},
    {"compressed", {0x0001'0001}, 1 + 1},  // two c.nop
};

INSTANTIATE_TEST_SUITE_P(Classes, IssTimeOf, ::testing::ValuesIn(kCosts),
                         [](const auto& instance) { return std::string(instance.param.name); });

// Each class has another cost, so that no key stands for another one.
TEST(IssTime, EachKeySetsItsClass) {
  FirmwareParams params = Bench::in_time();
  iss::CoreCosts& core = params.core.costs;
  core.plain = 2, core.load = 3, core.store = 5, core.branch_taken = 7, core.branch_not_taken = 11, core.jump = 13;
  core.multiply = 17, core.multiply_high = 19, core.divide = 23, core.csr = 29, core.atomic = 31;
  core.bus_read_wait = 37, core.bus_write_wait = 41;
  const Word mark = sw(0, 0x80, 10);
  Bench bench(kBegin + Program{mark,      kNop,
                               mark,      lw(5, 0, 11),
                               mark,      sw(5, 0, 11),
                               mark,      beq(0, 0, 4),
                               mark,      bne(0, 0, 4),
                               mark,      jal(0, 4),
                               mark,      mul(5, 6, 7),
                               mark,      mulhu(5, 6, 7),
                               mark,      divu(5, 13, 13),
                               mark,      csrrw(5, kMscratch, 6),
                               mark,      amoadd(5, 6, 11),
                               mark,      lw(5, 0, 12),
                               mark,      kWfi,
                               jal(0, -4)},
              params);
  run_until(kPsPerMs);
  EXPECT_EQ(bench.cpu->mistake(), "");
  std::vector<std::int64_t> costs;
  const std::vector<std::int64_t> at = bench.cycles();
  for (std::size_t i = 1; i < at.size(); ++i) costs.push_back(at[i] - at[i - 1] - (5 + 41));
  EXPECT_THAT(costs, ElementsAre(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 3 + 37));
  EXPECT_EQ(at.front(), 4 * 2 + 2 * (5 + 41));
}

// --- Accesses and interrupts -----------------------------------------------------------------------------------------

TEST(IssTime, AReadGivesWhatTheBlockHasAtItsInstant) {
  Bench bench(kBegin + Program{lw(5, 0, 10), sw(5, 0x80, 10), kNop, lw(5, 4, 10), sw(5, 0x80, 10), kWfi});
  run_until(kPsPerMs);
  const std::int64_t first = kBeginCycles + 2 + 3;
  EXPECT_THAT(bench.cycles(), ElementsAre(first, first + 4, first + 4 + 1 + 5, first + 4 + 1 + 5 + 4));
  EXPECT_EQ(bench.device.seen[1].word, first);
  EXPECT_EQ(bench.device.seen[3].word, first + 4 + 1 + 5);
}

/// Behind kBegin: handlers on, and a wait, whose handler begins at the word `handler`. x9 counts idle calls.
Program waits(unsigned handler) {
  return {lui(5, 1),
          addi(5, 5, static_cast<std::int32_t>(4 * handler)),
          csrrw(0, kMtvec, 5),
          lui(6, 1),
          srli(6, 6, 1),
          csrrw(0, kMie, 6),
          csrrsi(0, kMstatus, 8)};
}
constexpr std::int64_t kWaitsCycles = 2 + 4 + 2 + 4 + 4;
constexpr std::int64_t kTrap = 4, kReturn = 4, kWait = 1;

// The handler lowers line 3 and 9 by stores and reads in between.
const Program kTwoLines = kBegin + waits(16) + Program{kWfi,          jal(0, -4),      kNop,          kNop,  // 12 .. 15
                                                       sw(0, 12, 10), lw(5, 0x40, 10), sw(0, 36, 10), kMret};
constexpr std::int64_t kReset = kBeginCycles + kWaitsCycles + kWait;

TEST(IssTime, AnInterruptIsSampledAtAnEdgeAndItsAccessesFollowInTime) {
  Bench bench(kTwoLines);
  const std::int64_t edge = 1'000;
  bench.lines.rises = {{edge * kCycle - 1, 3}};
  run_until(kPsPerMs);
  EXPECT_EQ(bench.cpu->mistake(), "");
  const std::int64_t store = edge + kTrap + 4, end = store + 5 + 4 + kReturn + kWait;
  EXPECT_THAT(bench.cycles(), ElementsAre(store, store + 5, store + 5 + 4));
  EXPECT_THAT(bench.handlers(), ElementsAre("reset 0", "reset 0", "idle " + std::to_string(kReset),
                                            "idle " + std::to_string(kReset), "idle " + std::to_string(kReset + 2 + 1),
                                            "channel_done " + std::to_string(edge), "idle " + std::to_string(end),
                                            "idle " + std::to_string(end), "idle " + std::to_string(end + 2 + 1)));
  EXPECT_EQ(bench.cpu->handlers_run(), 1u);
}

TEST(IssTime, ALineAtTheEdgeIsSampledThereAndOneBehindItAtTheNext) {
  Bench bench(kTwoLines);
  bench.lines.rises = {{1'000 * kCycle, 3}, {2'000 * kCycle + 1, 3}};
  run_until(kPsPerMs);
  EXPECT_EQ(bench.cycles().at(0), 1'000 + kTrap + 4);
  EXPECT_EQ(bench.cycles().at(3), 2'001 + kTrap + 4);
}

TEST(IssTime, LinesThatRiseWhileAHandlerRunsWaitForItsEndAndTheLowestIsFirst) {
  Bench bench(kBegin + waits(16) +
              Program{kWfi, jal(0, -4), kNop, kNop,  //
                      csrrw(5, 0x342, 0), sw(5, 0x80, 10), kMret});
  bench.lines.rises = {{1'000 * kCycle, 20}, {1'001 * kCycle, 9}, {1'002 * kCycle, 3}};
  run_until(1'030 * kCycle);
  EXPECT_EQ(bench.cpu->mistake(), "");
  const std::int64_t handler = kTrap + 4 + 4 + kReturn;
  ASSERT_GE(bench.device.seen.size(), 2u);
  EXPECT_EQ(bench.device.seen[0].word, 0x8000'0000u + 16 + 20);
  EXPECT_EQ(bench.device.seen[1].word, 0x8000'0000u + 16 + 3);
  EXPECT_EQ(bench.cycles().at(1), 1'000 + handler + kTrap + 4 + 4) << "before the wait that the first one returns to";
}

TEST(IssTime, ALineThatFallsBeforeItsEdgeIsForgotten) {
  Bench bench(kTwoLines);
  bench.lines.rises = {{1'000 * kCycle + 1, 3}};
  sc_core::sc_start(to_sc_time(1'000 * kCycle + 2));
  bench.irq.set_level(3, false);
  run_until(kPsPerMs);
  EXPECT_TRUE(bench.device.seen.empty());
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

// The processor has known of that instant for longer than the line, and the kernel would run it first.
TEST(IssTime, AtOneInstantHardwareComesFirst) {
  Bench bench(kTwoLines);
  const std::int64_t end = 1'000 + kTrap + 4 + 5 + 4 + kReturn + kWait;
  bench.lines.rises = {{1'000 * kCycle, 3}, {(end - 1) * kCycle, kNoLine}, {end * kCycle, 9}};
  run_until(kPsPerMs);
  EXPECT_THAT(bench.handlers(), ::testing::Contains("servo_ready " + std::to_string(end)));
  EXPECT_EQ(bench.cycles().at(3), end + kTrap + 4) << "no idle work before it";
}

// --- Idle work -------------------------------------------------------------------------------------------------------

/// Idle work of two reads, in which interrupts may come or not. The handler lowers its line.
Program with_idle_work(bool may_interrupt) {
  const Word off = may_interrupt ? kNop : csrrci(0, kMstatus, 8);
  const Word on = may_interrupt ? kNop : csrrsi(0, kMstatus, 8);
  return kBegin + waits(20) + Program{kWfi,          off,  lw(5, 0x40, 10), lw(5, 0x44, 10), on, jal(0, -20),
                                      kNop,          kNop,  // 12 .. 19
                                      sw(0, 12, 10), kMret};
}

TEST(IssTime, IdleWorkTakesItsTimeWhenNothingIsPending) {
  Bench bench(with_idle_work(false));
  bench.lines.rises = {{1'000 * kCycle, 3}};
  run_until(kPsPerMs);
  EXPECT_EQ(bench.cpu->mistake(), "");
  const std::int64_t idle = kReset + 4 + 5, end = 1'000 + kTrap + 4 + kReturn + kWait;
  EXPECT_THAT(bench.cycles(), ElementsAre(idle, idle + 5, 1'000 + kTrap + 4, end + 4 + 5, end + 4 + 5 + 5));
}

TEST(IssTime, AnInterruptWaitsForTheEndOfIdleWorkThatLetsNoneCome) {
  Bench bench(with_idle_work(false));
  bench.lines.rises = {{(kReset + 1) * kCycle, 3}};
  run_until(kPsPerMs);
  const std::int64_t idle = kReset + 4 + 5, ends = idle + 5 + 4;  // with the instruction that lets them come again
  EXPECT_EQ(bench.device.seen.at(2).offset, 12u);
  EXPECT_EQ(bench.cycles().at(2), ends + kTrap + 4);
}

TEST(IssTime, AnInterruptComesBeforeTheNextAccessOfIdleWorkThatLetsItCome) {
  Bench bench(with_idle_work(true));
  const std::int64_t idle = kReset + 1 + 5;
  bench.lines.rises = {{(idle + 1) * kCycle, 3}};
  run_until(kPsPerMs);
  EXPECT_EQ(bench.cpu->mistake(), "");
  const std::vector<Seen>& seen = bench.device.seen;
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(seen[0].offset, 0x40u);
  EXPECT_EQ(seen[1].offset, 12u) << "the handler's, before the second access of idle work";
  EXPECT_EQ(seen[1].at / kCycle, idle + 5 + kTrap + 4);
  EXPECT_EQ(seen[2].offset, 0x44u) << "it is not lost";
}

TEST(IssTime, AnInterruptComesBeforeTheNextInstructionOfIdleWorkThatLetsItCome) {
  constexpr Word kDivide = divu(5, 10, 11);
  constexpr std::int64_t kDivideCycles = 35;
  Bench bench(
      kBegin + waits(20) +
      Program{kWfi, kDivide, kDivide, kDivide, kDivide, lw(5, 0x44, 10), jal(0, -24), kNop, sw(0, 12, 10), kMret});
  bench.lines.rises = {{(kReset + kDivideCycles + 10) * kCycle, 3}};  // in the second division
  run_until(kPsPerMs);
  EXPECT_EQ(bench.cpu->mistake(), "");
  const std::int64_t handler = kReset + 2 * kDivideCycles + kTrap + 4;
  const std::vector<std::int64_t> cycles = bench.cycles();
  ASSERT_GE(cycles.size(), 2u);
  EXPECT_EQ(bench.device.seen[0].offset, 12u) << "the handler's, before the rest of idle work";
  EXPECT_EQ(cycles[0], handler);
  EXPECT_EQ(bench.device.seen[1].offset, 0x44u);
  EXPECT_EQ(cycles[1], handler + kReturn + 2 * kDivideCycles + 5);
}

// --- Mistakes, rules, waves ------------------------------------------------------------------------------------------

TEST(IssTime, AMistakeIsToldAtItsInstant) {
  Bench bench(kBegin + Program{divu(5, 13, 13), lw(5, 0, 0), kWfi});
  run_until((kBeginCycles + 34) * kCycle);
  EXPECT_EQ(bench.cpu->mistake(), "") << "not yet";
  run_until(kPsPerMs);
  EXPECT_THAT(bench.cpu->mistake(), HasSubstr("reads 4 bytes at 0x00000000, where there is no memory"));
  EXPECT_THAT(bench.cpu->mistake(), HasSubstr("in the handler reset at 0.00000010"));
}

TEST(IssTime, ALoopThatNeverWaitsIsAMistakeAlthoughItHasAccesses) {
  Bench bench(kBegin + Program{lw(5, 0, 11), kNop, jal(0, -4)});
  run_until(kPsPerSecond);
  EXPECT_THAT(bench.cpu->mistake(), HasSubstr("an endless loop"));
}

TEST(IssTime, APollEndsAndBreaksNoRule) {
  Bench bench(kBegin + waits(20) +
              Program{kWfi, jal(0, -4), kNop, kNop, kNop, kNop, kNop, kNop,  //
                      addi(7, 0, 64), lw(5, 0x48, 10), branch(6, 5, 7, -4), sw(0, 12, 10), kMret});
  bench.cpu->check_rules();
  bench.lines.rises = {{1'000 * kCycle, 3}};
  run_until(kPsPerMs);
  EXPECT_EQ(bench.cpu->mistake(), "");
  EXPECT_GT(bench.cycles().back(), 4'096) << "the read gives the time in 64 cycles";
  EXPECT_LT(bench.cycles().back(), 4'096 + 40);
}

TEST(IssTime, TooManyAccessesBreakARule) {
  Bench bench(kBegin + waits(20) +
              Program{kWfi, jal(0, -4), kNop, kNop, kNop, kNop, kNop, kNop,  //
                      lui(7, 6), lw(5, 0x40, 10), branch(6, 5, 7, -4), sw(0, 12, 10), kMret});
  bench.cpu->check_rules();
  bench.lines.rises = {{100 * kCycle, 3}};
  run_until(kPsPerMs);
  EXPECT_THAT(bench.cpu->mistake(), HasSubstr("more than 2048 accesses in a call, in the handler channel_done"));
}

TEST(IssTime, WavesShowEachAccessAtItsInstant) {
  Bench bench(kTwoLines);
  bench.lines.rises = {{1'000 * kCycle, 3}};
  run_until(kPsPerMs);
  std::vector<std::string> shown;
  for (const auto& [at, text] : bench.probes.changes.at("cpu.access"))
    if (at >= 1'000 * kCycle && !text.empty()) shown.push_back(std::to_string(at / kCycle) + " " + text);
  EXPECT_THAT(shown, ElementsAre(HasSubstr("1008 "), HasSubstr("1013 "), HasSubstr("1017 ")));
}

TEST(IssTime, HandlersAreCountedWithTheirTimes) {
  Bench bench(kTwoLines);
  bench.lines.rises = {{1'000 * kCycle, 3}, {2'000 * kCycle, 9}};
  run_until(kPsPerMs);
  std::map<std::string, HandlerTime> times;
  for (const HandlerTime& time : bench.cpu->handler_times()) times[time.handler] = time;
  const Ps handler = (kTrap + 4 + 5 + 4 + kReturn + kWait) * kCycle;
  EXPECT_EQ(times.at("channel_done").calls, 1u);
  EXPECT_EQ(times.at("channel_done").total, handler);
  EXPECT_EQ(times.at("servo_ready").most, handler);
  EXPECT_EQ(times.at("reset").total, kReset * kCycle);
  EXPECT_EQ(times.at("idle").calls, 3u);
}

TEST(IssTime, ATablesHandlersAreNotCounted) {
  Bench bench(kTwoLines, FirmwareParams{});
  bench.lines.rises = {{1'000 * kCycle, 3}};
  run_until(kPsPerMs);
  EXPECT_TRUE(bench.cpu->handler_times().empty());
}

}  // namespace
}  // namespace armature::testing::iss_time_test
