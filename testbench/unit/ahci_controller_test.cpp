// The AHCI controller: registers as AHCI 1.3.1, section 3 says, interrupts (10.7.2), and its time on the host's bus.
#include "support/recording_sinks.h"
#include "unit/ahci_bench.h"

#include <gtest/gtest.h>

namespace armature::testing::ahci_controller_test {
namespace {

using namespace ahci_regs;
using Driver = AhciDriver;

/// Two ports; a station on each link.
struct TwoPorts {
  explicit TwoPorts(const ahci::AhciParams& params = {}) : controller("ahci", 2, params, {}) {
    driver.registers.bind(controller.registers);
    controller.memory.bind(ram.socket);
    controller.on_message = [this] { ++messages; };
    controller.on_level = [this](bool level) { wire = level; };
    sata::Link* const links[] = {&link0, &link1};
    FrameStation* const devices[] = {&device0, &device1};
    for (unsigned i = 0; i < 2; ++i) {
      controller.port(i).to_link.bind(links[i]->from_host);
      links[i]->to_host.bind(controller.port(i).from_link);
      links[i]->to_drive.bind(devices[i]->from_link);
      devices[i]->to_link.bind(links[i]->from_drive);
    }
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes,
                                  sc_core::sc_time* time = nullptr) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay;
    driver.registers->b_transport(payload, delay);
    if (time) *time = delay;
    return payload.get_response_status();
  }
  std::uint32_t get(std::uint32_t offset) { return driver.read_register(offset); }
  void set(std::uint32_t offset, std::uint32_t word) { driver.write_register(offset, word); }
  void settle_links() {
    run_until(now() + 60 * kPsPerUs);
    set(kPxSerr, ~0u);
    set(kPxSerr + 0x80, ~0u);
  }
  /// An event that PxSERR.DIAG.N shows.
  void event(unsigned port) { sata::tell_supply((port == 0 ? device0 : device1).to_link, false); }

  HostRam ram{"ram", 0x1'0000'0000, 0x100'0000};
  ahci::Controller controller;
  sata::Link link0{"link0", {}, {}};
  sata::Link link1{"link1", {}, {}};
  FrameStation device0{"device0"};
  FrameStation device1{"device1"};
  Driver driver{"driver", ram, 0, 0x1'0000'0000};
  unsigned messages = 0;
  bool wire = false;
};

TEST(AhciController, CapabilitiesAndVersion) {  // 3.1
  TwoPorts bench;
  EXPECT_EQ(bench.get(kCap), 0xC534'FF01u);
  EXPECT_EQ(bench.get(kGhc), 0x8000'0000u);
  EXPECT_EQ(bench.get(kPi), 3u);
  EXPECT_EQ(bench.get(kVs), 0x0001'0301u);
  EXPECT_EQ(bench.get(kCap2), 0u);
  bench.set(kCap, ~0u);
  bench.set(kPi, ~0u);
  bench.set(kVs, ~0u);
  EXPECT_EQ(bench.get(kCap), 0xC534'FF01u);
  EXPECT_EQ(bench.get(kPi), 3u);
  EXPECT_EQ(bench.get(kVs), 0x0001'0301u);
}

TEST(AhciController, ReservedBitsAndRegistersReadAsZero) {  // 3, 3.3
  TwoPorts bench;
  for (std::uint32_t offset = 0; offset < 0x1000; offset += 4) {
    if (offset == kGhc || (offset >= 0x100 && offset < 0x200)) continue;
    bench.set(offset, ~0u);
    if (offset <= kVs) continue;
    EXPECT_EQ(bench.get(offset), 0u) << std::hex << offset;
  }
  bench.set(kPxClb, ~0u);
  bench.set(kPxFb, ~0u);
  bench.set(kPxIe, ~0u);
  EXPECT_EQ(bench.get(kPxClb), 0xFFFF'FC00u);
  EXPECT_EQ(bench.get(kPxFb), 0xFFFF'FF00u);
  EXPECT_EQ(bench.get(kPxIe), 0xFDC0'00FFu);
  EXPECT_EQ(bench.get(kPxClb + 0x80), 0u) << "the other port's";
  bench.set(kPxClb + 0x100, ~0u);
  EXPECT_EQ(bench.get(kPxClb + 0x100), 0u) << "a port that is not there";
}

TEST(AhciController, AccessesOfOneToEightBytes) {
  TwoPorts bench;
  std::uint64_t wide = 0x1122'3344'5566'7788;
  EXPECT_EQ(bench.access(tlm::TLM_WRITE_COMMAND, kPxClb, &wide, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.get(kPxClb), 0x5566'7400u);
  EXPECT_EQ(bench.get(kPxClbu), 0x1122'3344u);
  wide = 0;
  EXPECT_EQ(bench.access(tlm::TLM_READ_COMMAND, kPxClb, &wide, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(wide, 0x1122'3344'5566'7400u);
  std::uint16_t half = 0xBEEF;
  EXPECT_EQ(bench.access(tlm::TLM_WRITE_COMMAND, kPxClbu + 2, &half, 2), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.get(kPxClbu), 0xBEEF'3344u);
  std::uint8_t byte = 0;
  EXPECT_EQ(bench.access(tlm::TLM_READ_COMMAND, kPxClbu + 3, &byte, 1), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(byte, 0xBE);
  EXPECT_EQ(bench.access(tlm::TLM_READ_COMMAND, kPxClbu + 1, &half, 2), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(bench.access(tlm::TLM_READ_COMMAND, 0, &wide, 3), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(bench.access(tlm::TLM_READ_COMMAND, 4, &wide, 8), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(bench.access(tlm::TLM_READ_COMMAND, 0x1000, &byte, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.access(tlm::TLM_READ_COMMAND, ~0ull - 7, &wide, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(AhciController, AByteOfARegisterClearsOnlyItsOwnBits) {
  TwoPorts bench;
  run_until(60 * kPsPerUs);
  ASSERT_EQ(bench.get(kPxSerr), 0x0405'0000u);
  std::uint8_t byte = 0xFF;
  bench.access(tlm::TLM_WRITE_COMMAND, kPxSerr + 2, &byte, 1);
  EXPECT_EQ(bench.get(kPxSerr), 0x0400'0000u);
}

TEST(AhciController, DebugTransportReadsWithoutAnEffect) {
  TwoPorts bench;
  run_until(60 * kPsPerUs);
  tlm::tlm_generic_payload payload;
  std::uint32_t word = 0;
  for (std::uint32_t offset = 0; offset < 0x200; offset += 4) {
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(4);
    const std::uint32_t before = bench.get(offset);
    EXPECT_EQ(bench.driver.registers->transport_dbg(payload), 4u);
    EXPECT_EQ(word, before);
    EXPECT_EQ(bench.get(offset), before);
  }
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(kPxSerr);
  word = ~0u;
  EXPECT_EQ(bench.driver.registers->transport_dbg(payload), 0u);
  EXPECT_NE(bench.get(kPxSerr), 0u);
}

TEST(AhciController, AReadWaitsForItsRoundTripAndAWriteDoesNot) {
  TwoPorts bench;
  std::uint32_t word = 0;
  sc_core::sc_time time;
  bench.access(tlm::TLM_READ_COMMAND, kCap, &word, 4, &time);
  EXPECT_EQ(time, sc_core::sc_time(547, sc_core::SC_NS));
  bench.access(tlm::TLM_WRITE_COMMAND, kPxIe, &word, 4, &time);
  EXPECT_EQ(time, sc_core::SC_ZERO_TIME);
}

TEST(AhciController, ResetKeepsTheAddresses) {  // 10.4.3
  TwoPorts bench;
  bench.settle_links();
  bench.set(kPxClb, 0x1234'5400);
  bench.set(kPxFbu, 0x77);
  bench.set(kPxIe, ~0u);
  bench.set(kGhc, 0x8000'0003);
  EXPECT_EQ(bench.get(kGhc) & 1, 1u);
  run_until(now() + 11 * kPsPerUs);
  EXPECT_EQ(bench.get(kGhc), 0x8000'0000u);
  EXPECT_EQ(bench.get(kPxClb), 0x1234'5400u);
  EXPECT_EQ(bench.get(kPxFbu), 0x77u);
  EXPECT_EQ(bench.get(kPxIe), 0u);
  EXPECT_EQ(bench.get(kPxSig), ~0u);
  EXPECT_EQ(bench.link0.counters().resets, 2u) << "at power-on, and now";
  run_until(now() + 60 * kPsPerUs);
  EXPECT_EQ(bench.get(kPxSsts), 0x123u);
  EXPECT_EQ(bench.get(kPxSsts + 0x80), 0x123u);
}

TEST(AhciController, AMessageForEachOccasion) {  // 10.7.2
  TwoPorts bench;
  bench.settle_links();
  const auto wait = [] { run_until(now() + kPsPerUs); };
  bench.set(kPxIe, ~0u);
  bench.set(kPxIe + 0x80, ~0u);
  bench.event(0);
  wait();
  EXPECT_EQ(bench.get(kIs), 1u) << "also without GHC.IE";
  EXPECT_EQ(bench.messages, 0u);
  EXPECT_FALSE(bench.wire);
  bench.set(kGhc, 0x8000'0002);
  wait();
  EXPECT_EQ(bench.messages, 1u) << "GHC.IE lets the wire rise";
  EXPECT_TRUE(bench.wire);
  bench.event(1);
  wait();
  EXPECT_EQ(bench.messages, 2u) << "a further bit of IS";
  bench.set(kPxSerr, ~0u);
  bench.set(kIs, 1);
  wait();
  EXPECT_EQ(bench.messages, 3u) << "some bits of IS are cleared, and others stay";
  EXPECT_EQ(bench.get(kIs), 2u);
  bench.set(kIs, 2);
  wait();
  EXPECT_EQ(bench.get(kIs), 2u) << "IS is a latch of a level: the port still has an interrupt";
  EXPECT_EQ(bench.messages, 4u);
  bench.set(kPxSerr + 0x80, ~0u);
  bench.set(kIs, 2);
  wait();
  EXPECT_EQ(bench.get(kIs), 0u);
  EXPECT_EQ(bench.messages, 4u) << "nothing is left";
  EXPECT_FALSE(bench.wire);
}

TEST(AhciController, APortsInterruptIsAndedWithItsEnable) {  // 3.3.6
  TwoPorts bench;
  bench.settle_links();
  bench.set(kGhc, 0x8000'0002);
  bench.set(kPxIe, px_is::Dhrs::kMask);
  bench.event(0);
  EXPECT_EQ(bench.get(kIs), 0u);
  bench.set(kPxIe, px_is::Prcs::kMask);
  EXPECT_EQ(bench.get(kIs), 1u);
}

/// Follows one command.
struct Followed final : ahci::CommandObserver {
  void issued(unsigned, unsigned slot, Ps at) override { log.push_back({'i', slot, at}); }
  void sent(unsigned, unsigned slot, bool queued, const sata::RegisterH2D& registers, Ps at) override {
    log.push_back({queued ? 'q' : 's', slot, at});
    command = registers;
  }
  void ended(unsigned, unsigned slot, const Ending& ending) override {
    log.push_back({ending.ok ? 'e' : 'f', slot, ending.received});
    last = ending;
  }
  void dropped(unsigned, unsigned slot, Ps at) override { log.push_back({'d', slot, at}); }
  struct Entry {
    char what;
    unsigned slot;
    Ps at;
  };
  std::string text() const {
    std::string word;
    for (const Entry& entry : log) word += entry.what + std::to_string(entry.slot);
    return word;
  }
  std::vector<Entry> log;
  sata::RegisterH2D command;
  Ending last;
};

TEST(AhciController, TheObserverHearsOfEachCommandsTimes) {
  Followed followed;
  PortBench bench;
  bench.controller.set_observer(&followed);
  bench.start();
  const Ps begin = now();
  bench.issue(3, Driver::queued_read(77, 8, 3));
  bench.ready(0x50, 0, false);
  sata::DmaSetup setup;
  setup.tag = 3;
  setup.to_host = true;
  setup.count_bytes = 4'096;
  bench.send(setup);
  bench.send_data(numbered(4'096));
  sata::SetDeviceBits bits;
  bits.status = 0x40;
  bits.sactive = 8;
  bench.messages.clear();
  bench.send(bits);
  ASSERT_EQ(followed.text(), "i3q3e3");
  EXPECT_EQ(followed.command.lba, HostLba(77));
  EXPECT_EQ(followed.log[0].at, begin);
  EXPECT_EQ(followed.log[1].at, begin + 275'000 + 2 * 547'000 + 17'778 + 35'556);
  ASSERT_EQ(bench.messages.size(), 1u);
  EXPECT_EQ(bench.messages[0], followed.last.visible);
  EXPECT_EQ(followed.last.visible, followed.last.received + 275'000);
}

TEST(AhciController, TheObserverHearsOfErrorsAndOfWhatIsGivenUp) {
  Followed followed;
  PortBench bench;
  bench.controller.set_observer(&followed);
  bench.start();
  bench.driver.build(1, Driver::no_data(0xE7), 0);
  bench.driver.build(2, Driver::no_data(0xE7), 0);
  bench.set(kPxCi, 6);
  bench.wait();
  bench.ready(0x51, 0x04);
  bench.set(kPxCmd, 0x10);
  EXPECT_EQ(followed.text(), "i1i2s1f1d2");
  EXPECT_EQ(followed.last.error, 0x04);
}

TEST(AhciController, WavesShowSlotsStatesAndInterrupts) {
  RecordingProbes probes;
  PortBench bench({}, {&probes, nullptr, nullptr});
  bench.start();
  for (auto& entry : probes.changes) entry.second.clear();
  const auto values = [&](const char* path) {
    std::vector<std::string> distinct;
    for (const auto& change : probes.changes.at(path))
      if (distinct.empty() || distinct.back() != change.second) distinct.push_back(change.second);
    return distinct;
  };
  bench.issue(0, Driver::queued_read(0, 8, 0));
  bench.ready(0x50, 0, false);
  bench.issue(4, Driver::queued_read(0, 8, 4));
  bench.ready(0x50, 0, false);
  sata::SetDeviceBits bits;
  bits.status = 0x40;
  bits.sactive = 0x11;
  bench.send(bits);
  EXPECT_EQ(values("ahci.port0.slots"), (std::vector<std::string>{"1", "2", "0"}));
  EXPECT_EQ(values("ahci.port0.sact"), (std::vector<std::string>{"1", "17", "0"}));
  EXPECT_EQ(values("ahci.port0.state"),
            (std::vector<std::string>{"idle", "fetch command", "send command", "busy", "idle", "fetch command",
                                      "send command", "busy", "idle"}));
  EXPECT_EQ(values("ahci.irq"), (std::vector<std::string>{"1"}));
  EXPECT_EQ(values("ahci.port0.irq").back(), "1");
  EXPECT_EQ(values("ahci.messages").size(), 1u);
}

TEST(AhciController, AMessageDoesNotPassTheDataBeforeIt) {
  ahci::AhciParams params;
  params.bandwidth_mb_s = 100;  // slower than the link: 4,096 bytes take 40.96 us
  PortBench bench(params);
  bench.start();
  bench.driver.build(0, Driver::dma_read(0, 16), 8'192);
  bench.set(kPxCi, 1);
  bench.wait();
  const std::vector<std::uint8_t> data = numbered(4'096);
  const Ps begin = now();
  for (int i = 0; i < 2; ++i) bench.device.send_data_at(begin, 4'096, data.data());
  sata::RegisterD2H end;
  end.status = 0x50;
  end.interrupt = true;
  bench.device.send_at(begin, end);
  bench.wait(200 * kPsPerUs);
  ASSERT_EQ(bench.messages.size(), 1u);
  const Ps first = begin + bench.link.timing().arrival(1 + 1'024, 4'096);
  // The first frame's data leave while it comes, as far as the bus was free: not before they have begun to come.
  EXPECT_GE(bench.messages[0], first + 40'960'000 + 275'000);
  EXPECT_LE(bench.messages[0], first + 3 * 40'960'000 + 275'000);
}

}  // namespace
}  // namespace armature::testing::ahci_controller_test
