#include "armature/core/register_bank.h"

#include "armature/regs/aau.h"
#include "armature/regs/buf.h"
#include "armature/regs/chn.h"
#include "armature/regs/dbg.h"
#include "armature/regs/hif.h"
#include "armature/regs/irq.h"
#include "armature/regs/nvm.h"
#include "armature/regs/pmu.h"
#include "armature/regs/spn.h"
#include "armature/regs/srv.h"
#include "armature/regs/tmr.h"
#include "armature/regs/xlt.h"
#include "support/bus_master.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace armature {
namespace {

/// A bank behind a socket, as every block has it.
template <std::size_t N>
class Bench : public sc_core::sc_module {
 public:
  RegisterSocket socket{"socket"};
  RegisterBank bank;

  Bench(sc_core::sc_module_name name, const RegisterInfo (&table)[N]) : sc_module(name), bank(table) {
    socket.bind(bank);
    bus.socket.bind(socket);
  }

  testing::BusMaster bus{"bus"};
};

/// Drives every bit of every register over TLM against the access rules of the table, computed bit by bit.
template <std::size_t N>
void walk(const RegisterInfo (&table)[N]) {
  Bench<N> bench("bench", table);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::set<std::uint32_t> known;
  for (const RegisterInfo& info : table) {
    for (std::uint32_t element = 0; element < info.count; ++element) {
      const std::uint32_t offset = info.offset + element * info.stride;
      ASSERT_TRUE(known.insert(offset).second) << info.name << " overlaps another register";
      if (element > 2 && element + 2 < info.count) continue;  // the ends of a large array, and its first elements
      ASSERT_EQ(bench.bus.read(offset), info.reset & info.readable) << info.name;
      ASSERT_EQ(bench.bus.last_response(), tlm::TLM_OK_RESPONSE);
      for (unsigned bit = 0; bit < 32; ++bit) {
        const std::uint32_t mask = 1u << bit;
        const bool kept = (info.writable & mask) && !(info.write_one_clears & mask) && !(info.pulses & mask);
        const bool readable = info.readable & mask;
        bench.bank[offset] = mask;  // hardware sets it
        EXPECT_EQ(bench.bus.read(offset), readable ? mask : 0) << info.name << " bit " << bit << " as hardware set it";
        bench.bus.write(offset, mask);
        const bool after_one = (info.write_one_clears & mask) ? false : true;
        EXPECT_EQ(bench.bank[offset], after_one ? mask : 0) << info.name << " bit " << bit << " after writing one";
        bench.bank[offset] = mask;
        bench.bus.write(offset, 0);
        EXPECT_EQ(bench.bank[offset], kept ? 0 : mask) << info.name << " bit " << bit << " after writing zero";
        bench.bank[offset] = 0;
        bench.bus.write(offset, mask);
        EXPECT_EQ(bench.bank[offset], kept ? mask : 0) << info.name << " bit " << bit << " set by software";
        bench.bank[offset] = 0;
      }
    }
  }
  // The word behind the last register is a hole of the block, and so is every gap.
  for (std::uint32_t offset = 0; offset <= *known.rbegin() + 4; offset += 4) {
    if (known.count(offset)) continue;
    bench.bus.read(offset);
    ASSERT_EQ(bench.bus.last_response(), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "offset " << offset;
  }
}

TEST(RegisterWalk, HostInterface) {
  walk(regs::hif::kTable);
}
TEST(RegisterWalk, ArmArbitrationUnit) {
  walk(regs::aau::kTable);
}
TEST(RegisterWalk, Servo) {
  walk(regs::srv::kTable);
}
TEST(RegisterWalk, Spindle) {
  walk(regs::spn::kTable);
}
TEST(RegisterWalk, DataChannel) {
  walk(regs::chn::kTable);
}
TEST(RegisterWalk, Translation) {
  walk(regs::xlt::kTable);
}
TEST(RegisterWalk, Buffer) {
  walk(regs::buf::kTable);
}
TEST(RegisterWalk, Timer) {
  walk(regs::tmr::kTable);
}
TEST(RegisterWalk, InterruptController) {
  walk(regs::irq::kTable);
}
TEST(RegisterWalk, DebugPort) {
  walk(regs::dbg::kTable);
}
TEST(RegisterWalk, PowerManagementUnit) {
  walk(regs::pmu::kTable);
}
TEST(RegisterWalk, NonVolatileMemory) {
  walk(regs::nvm::kTable);
}

constexpr RegisterInfo kPlain[] = {{"a", 0x0, 0x12, 0xFF, 0xFF, 0, 0}, {"array", 0x10, 0, 0xFF, 0xFF, 0, 0, 4, 8}};

TEST(RegisterBank, AWrongAccessIsATlmErrorAndChangesNothing) {
  Bench bench("bench", kPlain);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint32_t word = 0xAA;
  unsigned char enable = 0xFF;
  tlm::tlm_generic_payload transaction;
  sc_core::sc_time delay;
  const auto send = [&](std::uint64_t address, unsigned length, unsigned char* byte_enable) {
    transaction.set_command(tlm::TLM_WRITE_COMMAND);
    transaction.set_address(address);
    transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    transaction.set_data_length(length);
    transaction.set_byte_enable_ptr(byte_enable);
    transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    bench.bus.socket->b_transport(transaction, delay);
    return transaction.get_response_status();
  };
  EXPECT_EQ(send(0x0, 2, nullptr), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(send(0x2, 4, nullptr), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(send(0x0, 4, &enable), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  EXPECT_EQ(send(0x4, 4, nullptr), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(send(0x14, 4, nullptr), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "between two elements of an array";
  EXPECT_EQ(send(0x1'0000'0000, 4, nullptr), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "does not wrap at 32 bits";
  EXPECT_EQ(bench.bus.read(0x0), 0x12u);
}

TEST(RegisterBank, CallbacksSeeTheElementAndTheWritableBits) {
  Bench bench("bench", kPlain);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<std::pair<unsigned, std::uint32_t>> seen;
  bench.bank.on_write_array(0x10, [&](unsigned index, std::uint32_t word) { seen.emplace_back(index, word); });
  bench.bank.on_read_array(0x10, [](unsigned index) { return 0x7700 + index; });
  bench.bus.write(0x10 + 3 * 8, 0xFFFF'FF42);
  EXPECT_EQ(seen, (std::vector<std::pair<unsigned, std::uint32_t>>{{3, 0x42}}));
  EXPECT_EQ(bench.bus.read(0x10 + 2 * 8), 2u) << "masked by what is readable";
}

constexpr RegisterInfo kOfAllKinds[] = {{"kept", 0x0, 0x12, 0x0F, 0xF0, 0, 0},
                                        {"status", 0x4, 0xFF, 0xFF, 0xFF, 0xF0, 0x03},
                                        {"computed", 0x8, 0, 0xFFFF, 0, 0, 0},
                                        {"array", 0x10, 0, 0xFF, 0xFF, 0, 0, 4, 8}};

/// What is told when it is written, and what a read computes.
class Watched : public Bench<4> {
 public:
  explicit Watched(sc_core::sc_module_name name) : Bench(name, kOfAllKinds) {
    bank.on_write(0x4, [this](std::uint32_t word) { told.emplace_back(4, word); });
    bank.on_read(0x8, [this] { return 0xABCD'0000u + static_cast<std::uint32_t>(told.size()); });
    bank.on_read_array(0x10, [](unsigned index) { return 0x7700 + index; });
    bank.on_write_array(0x10, [this](unsigned index, std::uint32_t word) { told.emplace_back(index, word); });
  }
  std::vector<std::pair<unsigned, std::uint32_t>> told;
};

// The same words, one bank by transactions and one without.
TEST(RegisterBank, AWordWithoutATransactionIsTheSameWord) {
  Watched by_transaction("by_transaction"), without("without");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint32_t offset = 0; offset < 0x40; ++offset) {
    for (const std::uint32_t word : {0xFFFF'FFFFu, 0x31u, 0u, 0xC5u}) {
      by_transaction.bus.write(offset, word);
      const bool there = by_transaction.bus.last_response() == tlm::TLM_OK_RESPONSE;
      EXPECT_EQ(without.bank.write(offset, word), there) << offset;
      std::uint32_t read = 0xDEAD'BEEF;
      EXPECT_EQ(without.bank.read(offset, read), there) << offset;
      EXPECT_EQ(read, there ? by_transaction.bus.read(offset) : 0xDEAD'BEEF) << offset;
      EXPECT_EQ(without.told, by_transaction.told) << offset;
      if (there) {
        EXPECT_EQ(without.bank[offset], by_transaction.bank[offset]) << offset;
      }
    }
  }
  EXPECT_EQ(without.told.size(), 4u * 5);
}

TEST(RegisterBank, DebugAccessRunsNoCallback) {
  Bench bench("bench", kPlain);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  int calls = 0;
  bench.bank.on_write(0x0, [&](std::uint32_t) { ++calls; });
  bench.bank.on_read(0x0, [&] { return ++calls, 0u; });
  EXPECT_EQ(bench.bus.debug_read(0x0), 0x12u);
  bench.bus.debug_write(0x0, 0x34);
  EXPECT_EQ(bench.bus.debug_read(0x0), 0x34u);
  EXPECT_EQ(calls, 0);
}

TEST(RegisterBank, AModelsOwnMistakeIsFatal) {
  Bench bench("bench", kPlain);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_THROW(bench.bank[0x4], sc_core::sc_report);
  EXPECT_THROW(bench.bank.on_write(0x14, {}), sc_core::sc_report);
}

}  // namespace
}  // namespace armature
