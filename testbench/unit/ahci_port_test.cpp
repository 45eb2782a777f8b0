// A port of the AHCI controller against the sequences of AHCI 1.3.1: section 5.3 (port state machine), 5.5 (commands),
// 6 (errors), 10 (software).
#include "unit/ahci_bench.h"

#include <gtest/gtest.h>

namespace armature::testing::ahci_port_test {
namespace {

using namespace ahci_regs;
using Driver = AhciDriver;

sata::DmaSetup setup(unsigned tag, bool to_host, std::uint32_t bytes, std::uint32_t offset = 0) {
  sata::DmaSetup fis;
  fis.tag = tag;
  fis.to_host = to_host;
  fis.count_bytes = bytes;
  fis.offset_bytes = offset;
  return fis;
}

sata::SetDeviceBits bits(std::uint32_t sactive, std::uint8_t status = 0x40, std::uint8_t error = 0) {
  sata::SetDeviceBits fis;
  fis.sactive = sactive;
  fis.status = status;
  fis.error = error;
  return fis;
}

// --- Start -----------------------------------------------------------------------------------------------------------

TEST(AhciPort, TheFirstRegisterFisWaitsForDiagX) {  // 5.3.2 P:NotRunning, 10.1.2
  PortBench bench;
  EXPECT_EQ(bench.get(kPxTfd), 0x7Fu);
  EXPECT_EQ(bench.get(kPxSsts), 0u);
  bench.wait(60 * kPsPerUs);
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  EXPECT_EQ(bench.get(kPxTfd), 0x80u);
  EXPECT_EQ(bench.get(kPxSerr), px_serr::DiagX::kMask | px_serr::DiagN::kMask | px_serr::DiagW::kMask);
  EXPECT_EQ(bench.get(kPxIs), px_is::Pcs::kMask | px_is::Prcs::kMask);
  bench.send(PortBench::signature());
  EXPECT_EQ(bench.get(kPxTfd), 0x80u);
  bench.set(kPxIs, ~0u);
  EXPECT_EQ(bench.get(kPxIs), px_is::Pcs::kMask | px_is::Prcs::kMask) << "they follow PxSERR";
  bench.set(kPxSerr, px_serr::DiagX::kMask);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Prcs::kMask);
  EXPECT_EQ(bench.get(kPxTfd), 0x0150u);
  EXPECT_EQ(bench.get(kPxSig), 0x0000'0101u);
}

TEST(AhciPort, TheFirstRegisterFisIsPostedWhenReceptionIsEnabled) {  // 5.3.2 P:RegFisPostToMem
  PortBench bench;
  bench.wait(60 * kPsPerUs);
  bench.set(kPxSerr, ~0u);
  bench.set(kPxFb, static_cast<std::uint32_t>(bench.driver.received()));
  bench.set(kPxFbu, 1);
  bench.send(PortBench::signature());
  EXPECT_EQ(bench.received(0x40, 1)[0], 0u);
  bench.set(kPxCmd, 0x10);
  EXPECT_EQ(bench.received(0x40, 5), (std::vector<std::uint32_t>{0x0150'0034, 1, 0, 1, 0}));
  EXPECT_EQ(bench.get(kPxCmd), 0x4016u) << "FR follows FRE; POD and SUD are set";
}

TEST(AhciPort, RunsWhenBusyIsClear) {  // 5.3.2: P:NotRunning to P:Idle
  PortBench bench;
  bench.wait(60 * kPsPerUs);
  bench.set(kPxSerr, ~0u);
  bench.set(kPxFbu, 1);
  bench.set(kPxCmd, 0x11);
  EXPECT_FALSE(px_cmd::Cr::get(bench.get(kPxCmd)));
  bench.send(PortBench::signature());
  EXPECT_TRUE(px_cmd::Cr::get(bench.get(kPxCmd)));
  bench.set(kPxCmd, 0x10);
  EXPECT_FALSE(px_cmd::Cr::get(bench.get(kPxCmd)));
}

TEST(AhciPort, CommandListOverrideClearsBusy) {  // 3.3.7 CLO
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::no_data(0xE7));
  EXPECT_EQ(bench.get(kPxTfd) & 0xFF, 0xD0u);
  bench.set(kPxCmd, 0x19);
  EXPECT_EQ(bench.get(kPxTfd) & 0xFF, 0xD0u) << "only while ST is clear";
  bench.set(kPxCmd, 0x18);
  EXPECT_EQ(bench.get(kPxTfd) & 0xFF, 0x50u);
  EXPECT_FALSE(px_cmd::Clo::get(bench.get(kPxCmd)));
  EXPECT_EQ(bench.get(kPxCi), 0u);
}

// --- Commands without queuing ----------------------------------------------------------------------------------------

TEST(AhciPort, ACommandsFrameGoesAsItStandsInTheTable) {  // 5.5.1, 4.2.3.1
  PortBench bench;
  bench.start();
  const Ps begin = now();
  Driver::Request request = Driver::dma_read(0x0123'4567'89AB, 0x1234);
  request.command.features = 0x5566;
  request.command.icc = 0x77;
  request.command.auxiliary = 0x8899'AABB;
  bench.issue(3, request, 0);
  ASSERT_EQ(bench.device.arrivals.size(), 1u);
  sata::Frame expected;
  build(expected, request.command);
  EXPECT_EQ(bench.device.arrivals[0].frame.dwords, expected.dwords);
  // The write of PxCI, the header, the table's begin; each read takes its bytes of the bus: 32 and 64 at 1,800 MB/s.
  const Ps bytes = 17'778 + 35'556;
  const Ps reads = 275'000 + 2 * 547'000 + bytes;
  EXPECT_EQ(bench.device.arrivals[0].at, begin + reads + bench.link.timing().arrival(5));
  EXPECT_EQ(bench.get(kPxTfd) & 0xFF, 0xD0u);
  EXPECT_EQ(bench.get(kPxCi), 8u);
  EXPECT_EQ(px_cmd::Ccs::get(bench.get(kPxCmd)), 3u);
}

TEST(AhciPort, ARegisterFisEndsACommand) {  // 5.3.8
  PortBench bench;
  bench.start();
  bench.issue(3, Driver::no_data(0xE7));
  bench.ready();
  EXPECT_EQ(bench.get(kPxCi), 0u);
  EXPECT_EQ(bench.get(kPxTfd), 0x50u);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Dhrs::kMask);
  EXPECT_EQ(bench.received(0x40, 5), (std::vector<std::uint32_t>{0x0050'4034, 0x4078'9ABC, 0x0012'3456, 0x77, 0}));
  EXPECT_EQ(bench.get(kPxSig), 0x0000'0101u) << "only the first one is the signature";
  EXPECT_EQ(bench.messages.size(), 1u);
}

TEST(AhciPort, WithoutTheInterruptBitARegisterFisEndsSilently) {
  PortBench bench;
  bench.start();
  bench.issue(3, Driver::no_data(0xE7));
  bench.ready(0x50, 0, false);
  EXPECT_EQ(bench.get(kPxCi), 0u);
  EXPECT_EQ(bench.get(kPxIs), 0u);
  EXPECT_TRUE(bench.messages.empty());
}

TEST(AhciPort, DataGoToTheDescriptorsInOrder) {  // 5.5.2, 4.2.3.3: pieces of 6, 1000 ... bytes
  PortBench bench;
  bench.driver.descriptor_bytes = 1'006;
  bench.driver.descriptors_ask = true;
  bench.start();
  bench.issue(0, Driver::dma_read(0, 24));
  const std::vector<std::uint8_t> first = numbered(8'192), second = numbered(4'096, 99);
  bench.send_data(first);
  EXPECT_EQ(bench.get(kPxIs), 0u);
  bench.send_data(second);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Dps::kMask) << "the last descriptor asks for an interrupt";
  bench.ready();
  std::vector<std::uint8_t> all = first;
  all.insert(all.end(), second.begin(), second.end());
  EXPECT_EQ(bench.memory(bench.driver.buffer(0), all.size()), all);
  EXPECT_EQ(bench.ram.word(bench.driver.list() + 4), 12'288u) << "PRDBC";
}

TEST(AhciPort, WrittenDataLeaveInFramesOf8KiB) {  // 5.5.3
  PortBench bench;
  bench.driver.descriptor_bytes = 702;
  bench.start();
  const std::vector<std::uint8_t> data = numbered(24 * 512);
  std::vector<std::uint8_t> seen;
  bench.device.on_arrival = [&](const sata::Frame& frame) {
    if (frame.type == sata::FrameType::data) seen.insert(seen.end(), frame.data, frame.data + frame.data_bytes);
  };
  bench.issue(5, Driver::dma_write(0, 24, data.data()));
  bench.send(sata::DmaActivate{});
  EXPECT_EQ(seen.size(), 8'192u);
  bench.send(sata::DmaActivate{});
  EXPECT_EQ(seen, data);
  bench.ready();
  EXPECT_EQ(bench.get(kPxCi), 0u);
  EXPECT_EQ(bench.ram.word(bench.driver.list() + 5 * 32 + 4), 12'288u) << "PRDBC";
}

TEST(AhciPort, CommandsGoInTurnFromTheSlotAfterTheLast) {  // 5.3.2 P:SelectCmd
  PortBench bench;
  bench.start();
  std::vector<unsigned> order;
  bench.device.on_arrival = [&](const sata::Frame& frame) { order.push_back(parse_register_h2d(frame).features); };
  for (const unsigned slot : {2u, 7u, 31u}) bench.driver.build(slot, Driver::no_data(0xEF, slot), 0);
  bench.set(kPxCi, 1u << 7);
  bench.wait();
  bench.set(kPxCi, 1u << 2 | 1u << 31);
  for (int i = 0; i < 3; ++i) bench.ready();
  EXPECT_EQ(order, (std::vector<unsigned>{7, 31, 2}));
}

// --- PIO -------------------------------------------------------------------------------------------------------------

sata::PioSetup block(bool to_host, std::uint8_t end_status, bool interrupt = true, std::uint16_t bytes = 512) {
  sata::PioSetup fis;
  fis.to_host = to_host;
  fis.interrupt = interrupt;
  fis.status = 0x58;
  fis.end_status = end_status;
  fis.transfer_bytes = bytes;
  return fis;
}

TEST(AhciPort, PioDataToTheHost) {  // 5.3.9, 5.3.11, 5.5.4
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::pio_read(0, 2));
  bench.send(block(true, 0xD0));
  EXPECT_EQ(bench.get(kPxTfd) & 0xFF, 0x58u);
  EXPECT_EQ(bench.get(kPxIs), 0u);
  EXPECT_EQ(bench.received(0x20, 5), (std::vector<std::uint32_t>{0x0058'605F, 0, 0, 0xD000'0000, 512}));
  bench.send_data(numbered(512));
  EXPECT_EQ(bench.get(kPxTfd) & 0xFF, 0xD0u);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Pss::kMask);
  EXPECT_EQ(bench.get(kPxCi), 1u);
  bench.set(kPxIs, ~0u);
  bench.send(block(true, 0x50));
  bench.send_data(numbered(512, 3));
  EXPECT_EQ(bench.get(kPxTfd) & 0xFF, 0x50u);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Pss::kMask);
  EXPECT_EQ(bench.get(kPxCi), 0u);
  EXPECT_EQ(bench.memory(bench.driver.buffer(0) + 512, 512), numbered(512, 3));
  EXPECT_EQ(bench.ram.word(bench.driver.list() + 4), 1'024u);
}

TEST(AhciPort, PioDataToTheDevice) {  // 5.3.9, 5.3.10, 5.5.5
  PortBench bench;
  bench.start();
  const std::vector<std::uint8_t> data = numbered(1'024);
  std::vector<std::uint8_t> seen;
  bench.device.on_arrival = [&](const sata::Frame& frame) {
    if (frame.type == sata::FrameType::data) seen.insert(seen.end(), frame.data, frame.data + frame.data_bytes);
  };
  bench.issue(0, Driver::pio_write(0, 2, data.data()));
  bench.send(block(false, 0xD0, false));
  EXPECT_EQ(bench.get(kPxTfd) & 0xFF, 0xD0u);
  EXPECT_EQ(bench.get(kPxIs), 0u);
  EXPECT_EQ(seen.size(), 512u);
  bench.send(block(false, 0xD0));
  EXPECT_EQ(bench.get(kPxIs), +px_is::Pss::kMask);
  EXPECT_EQ(seen, data);
  bench.ready();
  EXPECT_EQ(bench.get(kPxCi), 0u);
}

TEST(AhciPort, APioErrorStopsThePort) {  // 5.3.9 PIO:Update to ERR:FatalTaskfile
  PortBench bench;
  bench.start();
  bench.issue(4, Driver::pio_read(0, 1));
  bench.send(block(true, 0x51));
  bench.send_data(numbered(512));
  EXPECT_EQ(bench.get(kPxIs), +px_is::Tfes::kMask);
  EXPECT_EQ(bench.get(kPxCi), 0x10u);
}

// --- Queued commands -------------------------------------------------------------------------------------------------

TEST(AhciPort, AQueuedReadInFiveFrames) {  // 5.6.4
  PortBench bench;
  bench.start();
  bench.issue(9, Driver::queued_read(0, 8, 9));
  EXPECT_EQ(bench.get(kPxCi), 1u << 9);
  bench.ready(0x50, 0, false);
  EXPECT_EQ(bench.get(kPxCi), 0u);
  EXPECT_EQ(bench.get(kPxSact), 1u << 9);
  sata::DmaSetup announced = setup(9, true, 4'096);
  announced.interrupt = true;
  bench.send(announced);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Dss::kMask);
  EXPECT_EQ(bench.received(0, 7), (std::vector<std::uint32_t>{0x0000'6041, 9, 0, 0, 0, 4'096, 0}));
  bench.set(kPxIs, ~0u);
  bench.send_data(numbered(4'096));
  EXPECT_EQ(bench.get(kPxSact), 1u << 9);
  bench.send(bits(1u << 9));
  EXPECT_EQ(bench.get(kPxSact), 0u);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Sdbs::kMask);
  EXPECT_EQ(bench.received(0x58, 2), (std::vector<std::uint32_t>{0x0040'40A1, 1u << 9}));
  EXPECT_EQ(bench.memory(bench.driver.buffer(9), 4'096), numbered(4'096));
  EXPECT_EQ(bench.ram.word(bench.driver.list() + 9 * 32 + 4), 0u) << "PRDBC is not for queued commands";
}

TEST(AhciPort, QueuedDataOfTwoTagsDoNotMix) {
  PortBench bench;
  bench.start();
  bench.issue(1, Driver::queued_read(0, 16, 1));
  bench.ready(0x50, 0, false);
  bench.issue(2, Driver::queued_read(100, 16, 2));
  bench.ready(0x50, 0, false);
  bench.send(setup(2, true, 4'096));
  bench.send_data(numbered(4'096, 20));
  bench.send(setup(1, true, 8'192));
  bench.send_data(numbered(8'192, 10));
  bench.send(setup(2, true, 4'096, 4'096));  // the rest, by a buffer offset
  bench.send_data(numbered(4'096, 21));
  bench.send(bits(6));
  EXPECT_EQ(bench.get(kPxSact), 0u);
  EXPECT_EQ(bench.memory(bench.driver.buffer(1), 8'192), numbered(8'192, 10));
  EXPECT_EQ(bench.memory(bench.driver.buffer(2), 4'096), numbered(4'096, 20));
  EXPECT_EQ(bench.memory(bench.driver.buffer(2) + 4'096, 4'096), numbered(4'096, 21));
}

TEST(AhciPort, AutoActivateAsksForTheFirstFrame) {  // 5.3.12 DmaSet:AutoActivate
  PortBench bench;
  bench.start();
  const std::vector<std::uint8_t> data = numbered(16'384);
  std::vector<std::uint32_t> frames;
  bench.device.on_arrival = [&](const sata::Frame& frame) {
    if (frame.type == sata::FrameType::data) frames.push_back(frame.data_bytes);
  };
  bench.issue(0, Driver::queued_write(0, 32, 0, data.data()));
  bench.ready(0x50, 0, false);
  sata::DmaSetup announced = setup(0, false, 12'288);
  announced.auto_activate = true;
  bench.send(announced);
  EXPECT_EQ(frames, (std::vector<std::uint32_t>{8'192}));
  bench.send(sata::DmaActivate{});
  EXPECT_EQ(frames, (std::vector<std::uint32_t>{8'192, 4'096})) << "no more than DMA Setup says";
}

TEST(AhciPort, NoCommandGoesBetweenADmaSetupAndTheEndOfItsData) {  // 5.3.2 P:Idle: pDmaXferCnt
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::queued_read(0, 16, 0));
  bench.ready(0x50, 0, false);
  bench.send(setup(0, true, 8'192));
  bench.device.arrivals.clear();
  bench.issue(1, Driver::queued_read(0, 16, 1));
  EXPECT_TRUE(bench.device.arrivals.empty());
  bench.send_data(numbered(4'096));
  EXPECT_TRUE(bench.device.arrivals.empty());
  bench.send_data(numbered(4'096));
  EXPECT_EQ(bench.device.arrivals.size(), 1u);
}

// --- Errors ----------------------------------------------------------------------------------------------------------

TEST(AhciPort, ATaskFileErrorStopsThePortUntilStartIsCleared) {  // 6.1.4, 6.2.2.1
  PortBench bench;
  bench.start();
  bench.driver.build(6, Driver::no_data(0xEF), 0);
  bench.driver.build(7, Driver::no_data(0xEF), 0);
  bench.set(kPxCi, 3u << 6);
  bench.wait();
  bench.ready(0x51, 0x04);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Tfes::kMask) << "no DHRS with it (5.3.8.1)";
  EXPECT_EQ(bench.get(kPxTfd), 0x0451u);
  EXPECT_EQ(bench.get(kPxCi), 3u << 6) << "the failed one, and the one that was not issued";
  EXPECT_EQ(px_cmd::Ccs::get(bench.get(kPxCmd)), 6u);
  EXPECT_TRUE(px_cmd::Cr::get(bench.get(kPxCmd)));
  bench.wait(kPsPerMs);
  EXPECT_EQ(bench.device.arrivals.size(), 1u);
  bench.set(kPxCmd, 0x10);
  EXPECT_EQ(bench.get(kPxCi), 0u);
  EXPECT_EQ(bench.get(kPxCmd) & 0x9F01, 0u) << "CR and CCS are clear";
  bench.set(kPxIs, ~0u);
  bench.set(kPxCmd, 0x11);
  bench.issue(7, Driver::no_data(0xEF));
  EXPECT_EQ(bench.device.arrivals.size(), 2u);
}

TEST(AhciPort, SetDeviceBitsWithAnError) {  // 5.3.13.1, 6.2.2.2
  PortBench bench;
  bench.start();
  for (const unsigned slot : {0u, 1u, 2u}) {
    bench.issue(slot, Driver::queued_read(slot, 8, slot));
    bench.ready(0x50, 0, false);
  }
  bench.send(bits(4, 0x41, 0x40));
  EXPECT_EQ(bench.get(kPxIs), +px_is::Tfes::kMask) << "no SDBS with it";
  EXPECT_EQ(bench.get(kPxTfd), 0x4041u);
  EXPECT_EQ(bench.get(kPxSact), 3u) << "the tag that the frame names has ended well";
  bench.set(kPxCmd, 0x10);
  EXPECT_EQ(bench.get(kPxSact), 0u);
}

struct Spoiled {
  const char* name;
  bool read;
  void (*spoil)(PortBench&);
  std::uint32_t cause;
};

class AhciBusError : public ::testing::TestWithParam<Spoiled> {};

TEST_P(AhciBusError, StopsThePort) {  // 6.1.1
  PortBench bench;
  bench.start();
  const std::vector<std::uint8_t> data = numbered(512);
  bench.driver.build(0, GetParam().read ? Driver::dma_read(0, 1) : Driver::dma_write(0, 1, data.data()), 512);
  GetParam().spoil(bench);
  bench.set(kPxCi, 1);
  bench.wait();
  if (GetParam().read)
    bench.send_data(data);
  else
    bench.send(sata::DmaActivate{});
  EXPECT_EQ(bench.get(kPxIs), GetParam().cause);
  EXPECT_EQ(bench.get(kPxCi), 1u);
  const std::size_t frames = bench.device.arrivals.size();
  bench.set(kPxCi, 2);
  bench.wait();
  EXPECT_EQ(bench.device.arrivals.size(), frames);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, AhciBusError,
    ::testing::Values(
        Spoiled{"CommandList", true, [](PortBench& b) { b.set(kPxClbu, 9); }, px_is::Hbfs::kMask},
        Spoiled{"CommandTable", true, [](PortBench& b) { std::memset(b.ram.at(b.driver.list() + 12), 0xFF, 4); },
                px_is::Hbfs::kMask},
        Spoiled{"ReadData", true, [](PortBench& b) { std::memset(b.ram.at(b.driver.table(0) + 0x84), 0xFF, 4); },
                px_is::Hbfs::kMask},
        Spoiled{"WrittenData", false, [](PortBench& b) { std::memset(b.ram.at(b.driver.table(0) + 0x84), 0xFF, 4); },
                px_is::Hbfs::kMask},
        Spoiled{"BadCellsRead", true,
                [](PortBench& b) {
                  b.ram.bad = b.driver.buffer(0);
                  b.ram.bad_bytes = 4;
                },
                px_is::Hbds::kMask},
        Spoiled{"BadCellsWritten", false,
                [](PortBench& b) {
                  b.ram.bad = b.driver.buffer(0) + 500;
                  b.ram.bad_bytes = 4;
                },
                px_is::Hbds::kMask},
        Spoiled{"Descriptor", false,
                [](PortBench& b) {
                  b.ram.bad = b.driver.table(0) + 0x80;
                  b.ram.bad_bytes = 16;
                },
                px_is::Hbds::kMask}),
    [](const auto& spoiled) { return std::string(spoiled.param.name); });

TEST(AhciPort, ABadReceivedFisAreaIsAHostBusError) {
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::no_data(0xE7));
  bench.set(kPxFbu, 0x77);
  bench.ready();
  EXPECT_EQ(bench.get(kPxIs), +px_is::Hbfs::kMask);
  EXPECT_EQ(bench.get(kPxCi), 1u);
}

TEST(AhciPort, ARefusedCommandFrameGoesAgain) {  // 6.1.2: non-fatal
  PortBench bench;
  bench.start();
  unsigned refusals = 3;
  bench.device.accept = [&](const sata::Frame&) { return refusals == 0 || refusals-- == 0; };
  bench.issue(0, Driver::no_data(0xE7));
  EXPECT_EQ(bench.device.arrivals.size(), 4u);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Infs::kMask);
  EXPECT_EQ(bench.get(kPxSerr), +px_serr::DiagH::kMask);
  bench.ready();
  EXPECT_EQ(bench.get(kPxCi), 0u);
}

TEST(AhciPort, RefusedDataAreFatal) {  // 6.1.2
  PortBench bench;
  bench.start();
  const std::vector<std::uint8_t> data = numbered(512);
  bench.device.accept = [](const sata::Frame& frame) { return frame.type != sata::FrameType::data; };
  bench.issue(0, Driver::dma_write(0, 1, data.data()));
  bench.send(sata::DmaActivate{});
  EXPECT_EQ(bench.get(kPxIs), +px_is::Ifs::kMask);
  EXPECT_EQ(bench.get(kPxSerr), +px_serr::DiagH::kMask);
  EXPECT_EQ(bench.get(kPxCi), 1u);
}

TEST(AhciPort, ADamagedFrameIsFatalIfItHasData) {  // 6.1.2
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::dma_read(0, 1));
  bench.link.damages = [](const sata::Frame&, bool) { return true; };
  bench.send(sata::DmaSetup{});
  EXPECT_EQ(bench.get(kPxIs), +px_is::Infs::kMask);
  EXPECT_EQ(bench.get(kPxSerr), +px_serr::DiagC::kMask);
  EXPECT_EQ(bench.device.responses.back(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  bench.send_data(numbered(512));
  EXPECT_EQ(bench.get(kPxIs), px_is::Infs::kMask | px_is::Ifs::kMask);
  bench.link.damages = nullptr;
  bench.ready();
  EXPECT_EQ(bench.get(kPxCi), 1u) << "the port has stopped";
}

TEST(AhciPort, AnUnknownFrameIsKept) {  // 5.3.14
  PortBench bench;
  bench.start();
  bench.send_raw({0x1234'56C7}, 0xC7);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Ufs::kMask);
  EXPECT_EQ(bench.received(0x60, 1)[0], 0x1234'56C7u);
  bench.set(kPxIs, ~0u);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Ufs::kMask);
  bench.set(kPxSerr, px_serr::DiagF::kMask);
  EXPECT_EQ(bench.get(kPxIs), 0u);
  bench.issue(0, Driver::no_data(0xE7));
  EXPECT_EQ(bench.device.arrivals.size(), 1u) << "the port goes on";
}

TEST(AhciPort, ATagThatIsNotOutstandingIsAProtocolError) {  // 6.1.7
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::queued_read(0, 8, 0));
  bench.ready(0x50, 0, false);
  bench.send(setup(5, true, 4'096));
  EXPECT_EQ(bench.get(kPxIs), +px_is::Ifs::kMask);
  EXPECT_EQ(bench.get(kPxSerr), +px_serr::ErrP::kMask);
}

TEST(AhciPort, FramesForNothingAreIgnoredWhileNothingIsOutstanding) {
  PortBench bench;
  bench.start();
  bench.send(setup(5, true, 4'096));
  bench.send_data(numbered(512));
  bench.send(sata::DmaActivate{});
  bench.ready();
  EXPECT_EQ(bench.get(kPxIs), 0u);
  EXPECT_EQ(bench.controller.port(0).counters().strays, 4u);
}

TEST(AhciPort, MoreDataThanDescriptorsOverflow) {  // 6.1.5
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::dma_read(0, 8), 1'024);
  std::memset(bench.ram.at(bench.driver.buffer(0)), 0xEE, 4'096);
  bench.send_data(numbered(4'096));
  EXPECT_EQ(bench.get(kPxIs), +px_is::Ofs::kMask);
  EXPECT_EQ(bench.memory(bench.driver.buffer(0), 1'024), numbered(1'024));
  EXPECT_EQ(bench.memory(bench.driver.buffer(0) + 1'024, 1)[0], 0xEE);
  bench.ready();
  EXPECT_EQ(bench.get(kPxCi), 0u);
  EXPECT_EQ(bench.ram.word(bench.driver.list() + 4), 1'024u);
}

TEST(AhciPort, AWriteThatRunsOutOfDescriptorsStops) {  // 6.1.5
  PortBench bench;
  bench.start();
  const std::vector<std::uint8_t> data = numbered(4'096);
  bench.issue(0, Driver::queued_write(0, 8, 0, data.data()), 1'024);
  bench.ready(0x50, 0, false);
  bench.device.arrivals.clear();
  bench.send(setup(0, false, 4'096));
  bench.send(sata::DmaActivate{});
  EXPECT_EQ(bench.get(kPxIs), +px_is::Ofs::kMask);
  EXPECT_TRUE(bench.device.arrivals.empty());
}

TEST(AhciPort, FewerDataThanDescriptorsAreNoError) {  // 6.1.6
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::dma_read(0, 8));
  bench.send_data(numbered(1'024));
  bench.ready();
  EXPECT_EQ(bench.get(kPxIs), +px_is::Dhrs::kMask);
  EXPECT_EQ(bench.ram.word(bench.driver.list() + 4), 1'024u);
}

// --- Resets and the link ---------------------------------------------------------------------------------------------

TEST(AhciPort, SoftwareResetByTwoFrames) {  // 10.4.1
  PortBench bench;
  bench.start();
  ASSERT_TRUE(bench.driver.stop());
  bench.set(kPxCmd, 0x11);
  std::vector<std::uint8_t> controls;
  bench.device.on_arrival = [&](const sata::Frame& frame) {
    const sata::RegisterH2D registers = parse_register_h2d(frame);
    EXPECT_FALSE(registers.is_command);
    controls.push_back(registers.control);
  };
  Driver::Request request;
  request.command.is_command = false;
  request.command.control = 4;
  bench.driver.build(0, request, 0);
  bench.ram.at(bench.driver.list())[1] = 5;  // R and C
  bench.set(kPxCi, 1);
  bench.wait();
  EXPECT_EQ(bench.get(kPxCi), 0u) << "cleared with R_OK";
  EXPECT_EQ(bench.get(kPxTfd) & 0x88, 0u);
  request.command.control = 0;
  bench.driver.build(0, request, 0);
  bench.set(kPxCi, 1);
  bench.wait();
  EXPECT_EQ(bench.get(kPxTfd) & 0x80, 0x80u);
  sata::RegisterD2H other = PortBench::signature();
  other.lba = HostLba(0xEB'1401);
  bench.send(other);
  EXPECT_EQ(bench.get(kPxTfd), 0x0150u);
  EXPECT_EQ(bench.get(kPxSig), 0xEB14'0101u) << "taken anew";
  EXPECT_EQ(bench.get(kPxCi), 0u);
  EXPECT_EQ(controls, (std::vector<std::uint8_t>{4, 0}));
}

TEST(AhciPort, ComresetByControl) {  // 10.4.2
  PortBench bench;
  bench.start();
  ASSERT_TRUE(bench.driver.stop());
  const std::uint64_t before = bench.link.counters().resets;
  bench.set(kPxSctl, 0x301);
  EXPECT_EQ(bench.get(kPxSsts), 0u);
  EXPECT_EQ(bench.get(kPxTfd), 0x7Fu);
  bench.wait(kPsPerMs);
  EXPECT_EQ(bench.get(kPxSsts), 0u);
  bench.set(kPxSctl, 0x300);
  bench.wait();
  EXPECT_EQ(bench.link.counters().resets, before + 1);
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  EXPECT_EQ(bench.get(kPxTfd), 0x80u);
  EXPECT_TRUE(px_serr::DiagX::get(bench.get(kPxSerr)));
}

TEST(AhciPort, OfflineMode) {  // 3.3.11 DET 4
  PortBench bench;
  bench.start();
  ASSERT_TRUE(bench.driver.stop());
  bench.set(kPxSctl, 4);
  EXPECT_EQ(bench.get(kPxSsts), 4u);
  bench.set(kPxSctl, 0);
  bench.wait();
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
}

TEST(AhciPort, AStaggeredSpinUpStartsTheLink) {  // 10.1.1
  ahci::AhciParams params;
  params.staggered_spin_up = true;
  PortBench bench(params);
  EXPECT_TRUE(cap::Sss::get(bench.get(kCap)));
  bench.wait(kPsPerMs);
  EXPECT_EQ(bench.get(kPxSsts), 0u);
  EXPECT_EQ(bench.link.counters().resets, 0u);
  bench.set(kPxCmd, 2);
  bench.wait();
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  EXPECT_EQ(bench.link.counters().resets, 1u);
}

TEST(AhciPort, ALostDriveIsReportedAndComesBack) {  // 6.1.2 (PhyRdy), 10.7 (hot plug)
  PortBench bench;
  bench.start();
  bench.issue(0, Driver::dma_read(0, 8));
  bench.messages.clear();
  sata::tell_supply(bench.device.to_link, false);
  bench.wait();
  EXPECT_EQ(bench.get(kPxSsts), 0u);
  EXPECT_EQ(bench.get(kPxIs), +px_is::Prcs::kMask);
  EXPECT_EQ(bench.get(kPxCi), 1u) << "nothing has ended";
  EXPECT_EQ(bench.messages.size(), 1u);
  bench.set(kPxSctl, 1);
  bench.set(kPxSctl, 0);
  bench.wait();
  EXPECT_EQ(bench.get(kPxSsts), 0u) << "nobody answers";
  sata::tell_supply(bench.device.to_link, true);
  bench.wait();
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  EXPECT_TRUE(px_is::Pcs::get(bench.get(kPxIs)));
}

TEST(AhciPort, ALossInTheMidstOfAFrameLeavesNothingBehind) {
  PortBench bench;
  bench.start();
  const std::vector<std::uint8_t> data = numbered(8192);
  bench.issue(0, Driver::dma_write(0, 16, data.data()));
  bench.device.send_at(now(), sata::DmaActivate{});
  bench.wait(3 * kPsPerUs);  // the data frame is on the link
  sata::tell_supply(bench.device.to_link, false);
  bench.wait();
  EXPECT_TRUE(px_cmd::Cr::get(bench.get(kPxCmd)));
  bench.set(kPxCmd, 0x10);
  EXPECT_FALSE(px_cmd::Cr::get(bench.get(kPxCmd))) << "the frame never comes back";
  sata::tell_supply(bench.device.to_link, true);
  bench.wait();
  bench.set(kPxSerr, ~0u);
  bench.send(PortBench::signature());
  bench.set(kPxCmd, 0x11);
  bench.device.arrivals.clear();
  bench.issue(1, Driver::dma_read(0, 8));
  ASSERT_EQ(bench.device.arrivals.size(), 1u);
  EXPECT_EQ(bench.device.arrivals[0].frame.type, sata::FrameType::register_h2d);
}

// --- Power of the link -----------------------------------------------------------------------------------------------

TEST(AhciPort, InterfaceCommunicationControl) {  // 3.3.7 ICC, 8.3.1.3
  PortBench bench;
  bench.start();
  bench.set(kPxCmd, 0x2000'0011);
  EXPECT_EQ(bench.get(kPxSsts), 0x233u);
  EXPECT_EQ(px_cmd::Icc::get(bench.get(kPxCmd)), 0u);
  bench.set(kPxCmd, 0x1000'0011);
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  bench.set(kPxSctl, 0x200);  // no Slumber
  bench.set(kPxCmd, 0x6000'0011);
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  bench.set(kPxSctl, 0);
  bench.set(kPxCmd, 0x6000'0011);
  EXPECT_EQ(bench.get(kPxSsts), 0x633u);
  // A command wakes the link.
  const Ps begin = now();
  bench.driver.build(0, Driver::no_data(0xE7), 0);
  bench.set(kPxCi, 1);
  bench.wait(20 * kPsPerMs);
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  ASSERT_EQ(bench.device.arrivals.size(), 1u);
  EXPECT_GE(bench.device.arrivals[0].at, begin + 10 * kPsPerMs);
  EXPECT_LE(bench.device.arrivals[0].at, begin + 10 * kPsPerMs + 3 * kPsPerUs);
  bench.set(kPxCmd, 0x2000'0011);
  EXPECT_EQ(bench.get(kPxSsts), 0x133u) << "without effect unless the link is idle";
}

TEST(AhciPort, AggressivePowerManagement) {  // 8.3.1.3
  PortBench bench;
  bench.start();
  bench.set(kPxCmd, px_cmd::Alpe::kMask | 0x11);
  bench.issue(0, Driver::no_data(0xE7));
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  bench.ready();
  EXPECT_EQ(bench.get(kPxSsts), 0x233u);
  bench.set(kPxCmd, px_cmd::Alpe::kMask | px_cmd::Asp::kMask | 0x11);
  bench.issue(0, Driver::no_data(0xE7));
  bench.ready();
  EXPECT_EQ(bench.get(kPxSsts), 0x633u);
  EXPECT_EQ(bench.controller.port(0).counters().low_power, 2u);
}

TEST(AhciPort, ADeviceThatRefusesKeepsTheLinkActive) {  // 8.3.1.1: PMNAK
  PortBench bench;
  bench.start();
  bench.device.sleeps = false;
  bench.set(kPxCmd, 0x2000'0011);
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  EXPECT_EQ(px_cmd::Icc::get(bench.get(kPxCmd)), 0u);
  bench.set(kPxCmd, px_cmd::Alpe::kMask | px_cmd::Asp::kMask | 0x11);
  bench.issue(0, Driver::no_data(0xE7));
  bench.ready();
  EXPECT_EQ(bench.get(kPxSsts), 0x133u);
  EXPECT_EQ(bench.controller.port(0).counters().low_power, 0u);
}

TEST(AhciPort, AFrameFromTheDeviceIsNoAnswerToACommandThatWaitsForTheLink) {
  PortBench bench;
  bench.start();
  bench.set(kPxCmd, 0x6000'0011);
  bench.issue(0, Driver::no_data(0xE7));
  ASSERT_TRUE(bench.device.arrivals.empty());
  bench.ready();
  EXPECT_EQ(bench.get(kPxCi), 1u);
  EXPECT_EQ(bench.get(kPxSsts), 0x133u) << "the device has woken the link";
  bench.wait(20 * kPsPerMs);
  EXPECT_EQ(bench.device.arrivals.size(), 1u);
  bench.ready();
  EXPECT_EQ(bench.get(kPxCi), 0u);
}

TEST(AhciPort, StopInTheMidstOfAWakeLeavesNothingBehind) {
  PortBench bench;
  bench.start();
  bench.set(kPxCmd, 0x6000'0011);
  bench.issue(0, Driver::no_data(0xE7));
  bench.set(kPxCmd, 0x10);
  EXPECT_FALSE(px_cmd::Cr::get(bench.get(kPxCmd)));
  bench.wait(30 * kPsPerMs);
  EXPECT_TRUE(bench.device.arrivals.empty());
}

}  // namespace
}  // namespace armature::testing::ahci_port_test
