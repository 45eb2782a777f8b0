#include "armature/core/kernel_time.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace armature::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HostBench;
using testing::request;
using testing::ScriptedDevice;

// Link: 3 Gb/s, 100 ns; the times of its frames are derived in sata_link_test.cpp and docs/guide/link-and-host.md.
constexpr Ps kStart = kPsPerMs;
constexpr Ps kCommand = 433'334;  // X_RDY to arrival of a Register frame

TEST(HostBusAdapter, AQueuedReadOfFourKibibytesTakesFiveFrames) {
  HostBench bench;
  bench.source.requests = {request(kStart, 1'000)};
  bench.run();

  // The drive has the command after 433,334 and serves it 100 us later. Then DMA Setup (10 dwords; the next X_RDY after
  // 15 dwords + 4 L = 600,000), 4 KiB (1,028 + 8 ALIGN; next X_RDY after 1,041 dwords + 4 L = 14,280,000), Set Device
  // Bits (393,334).
  const Ps served = kStart + kCommand + 100 * kPsPerUs;
  const Ps done = served + 600'000 + 14'280'000 + 393'334;
  EXPECT_EQ(bench.listener.find('D', 0).at, kStart);
  EXPECT_EQ(bench.listener.find('C', 0).at, done);
  EXPECT_EQ(done, kStart + 115'706'668) << "by hand";
  EXPECT_TRUE(bench.listener.find('C', 0).status.ok);
  EXPECT_EQ(bench.link.counters().frames, 5u);
}

TEST(HostBusAdapter, AQueuedWriteWaitsForDmaActivateBeforeItsData) {
  HostBench bench;
  bench.source.requests = {request(kStart, 1'000, 8, Operation::write)};
  bench.run();
  // DMA Setup 600,000; DMA Activate and the turnaround 9 dwords + 5 L = 620,000; data and turnaround 1,041 dwords + 5 L
  // = 14,380,000; Set Device Bits 393,334.
  EXPECT_EQ(bench.listener.find('C', 0).at,
            kStart + kCommand + 100 * kPsPerUs + 600'000 + 620'000 + 14'380'000 + 393'334);
  EXPECT_EQ(bench.link.counters().frames, 6u);
}

TEST(HostBusAdapter, AnUnqueuedReadEndsWithARegisterFrame) {
  HostParams params;
  params.ncq = false;
  HostBench bench(params);
  bench.source.requests = {request(kStart, 1'000)};
  bench.run();
  EXPECT_EQ(bench.listener.find('C', 0).at, kStart + kCommand + 100 * kPsPerUs + 14'280'000 + kCommand);
  ASSERT_EQ(bench.device.commands.size(), 1u);
  EXPECT_EQ(bench.device.commands[0].registers.command, 0x25);
  EXPECT_EQ(bench.device.commands[0].registers.count, 8);
  EXPECT_EQ(bench.device.commands[0].registers.lba, HostLba(1'000));
}

TEST(HostBusAdapter, CommandsCarryTheRequest) {
  HostBench bench;
  auto fua = request(kStart, 0x123456789ABC, 65'536, Operation::write);
  fua.fua = true;
  bench.source.requests = {fua, request(kStart, 7, 1)};
  bench.run();
  const auto& commands = bench.device.commands;
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].registers.command, 0x61);
  EXPECT_EQ(commands[0].registers.lba, HostLba(0x123456789ABC));
  EXPECT_EQ(sata::fpdma_sectors(commands[0].registers), 65'536u);
  EXPECT_EQ(commands[0].registers.device, 0xC0);
  EXPECT_EQ(commands[1].registers.command, 0x60);
  EXPECT_EQ(sata::fpdma_tag(commands[1].registers), 1u);
  EXPECT_EQ(commands[1].registers.device, 0x40);
  EXPECT_EQ(bench.link.counters().data_bytes, (65'536u + 1) * 512);
}

TEST(HostBusAdapter, UnqueuedWritesHaveAForcedUnitAccessOfTheirOwn) {
  HostParams params;
  params.ncq = false;
  HostBench bench(params);
  auto fua = request(kStart, 1, 8, Operation::write);
  fua.fua = true;
  bench.source.requests = {fua, request(kStart, 2, 32, Operation::write)};
  bench.run();
  ASSERT_EQ(bench.device.commands.size(), 2u);
  EXPECT_EQ(bench.device.commands[0].registers.command, 0x3D);
  EXPECT_EQ(bench.device.commands[1].registers.command, 0x35);
  EXPECT_EQ(bench.device.most_outstanding, 1u);
  EXPECT_EQ(bench.link.counters().data_bytes, 40u * 512);
  EXPECT_THAT(bench.listener.order('C'), ElementsAre(0, 1));
}

TEST(HostBusAdapter, TheNextCommandWaitsUntilTheDriveHasAcceptedTheLast) {
  HostBench bench;
  bench.device.accept_delay = 20 * kPsPerUs;
  bench.source.requests = {request(kStart, 1), request(kStart, 2)};
  bench.run();
  ASSERT_EQ(bench.device.commands.size(), 2u);
  // Register frame of the drive 433,334 after the delay; the host, its receiver, may raise X_RDY after 13 dwords + 5 L
  // = 673,334 from the start of that frame.
  const Ps accepted = bench.device.commands[0].at + 20 * kPsPerUs;
  EXPECT_EQ(bench.device.commands[1].at, accepted + 673'334 + kCommand);
}

TEST(HostBusAdapter, NoCommandGoesOutInsideADataPhase) {
  HostBench bench;
  bench.device.service_time = [](const ScriptedDevice::Command&) { return 10 * kPsPerUs; };
  // 1 MiB takes 3.5 ms; the other command arrives in the middle of it.
  bench.source.requests = {request(kStart, 1, 2'048), request(kStart + kPsPerMs, 5'000)};
  bench.run();
  // 128 data frames of 2,068 dwords; X_RDY to X_RDY 2,073 dwords + 4 L = 28,040,000.
  constexpr Ps kFullFrame = 28'040'000;
  const Ps first_data = kStart + kCommand + 10 * kPsPerUs + 600'000;
  ASSERT_EQ(bench.device.commands.size(), 2u);
  EXPECT_GT(bench.device.commands[1].at, first_data + 128 * kFullFrame);
  EXPECT_EQ(bench.listener.find('C', 0).at, first_data + 128 * kFullFrame + 393'334)
      << "Set Device Bits comes before the command: the drive wins";
}

TEST(HostBusAdapter, ADriveThatSaysBusyGetsNoCommandUntilItIsReady) {
  HostBench bench;
  bench.source.requests = {request(kStart, 1)};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.device.send_now(sata::RegisterD2H{false, sata::status::kBsy, 0, {}, 0, 0});
  sc_core::sc_start(to_sc_time(10 * kPsPerMs));
  EXPECT_TRUE(bench.device.commands.empty());
  bench.device.send_now(sata::RegisterD2H{false, 0x50, 1, HostLba(1), 0, 1});  // the signature of a disk
  bench.run();
  EXPECT_EQ(bench.device.commands.size(), 1u);
  EXPECT_EQ(bench.listener.find('D', 0).at, kStart) << "waiting for the drive is the link's, not the queue's";
  EXPECT_EQ(bench.queue.completed(), 1u);
}

TEST(HostBusAdapter, CompletionsOfOneSetDeviceBitsFrameComeInTheOrderOfTags) {
  HostBench bench = HostBench::lenient();
  bench.device.service_time = [](const ScriptedDevice::Command&) { return kPsPerSecond; };
  for (unsigned i = 0; i < 4; ++i) bench.source.requests.push_back(request(kStart, 10 - i));
  sc_core::sc_start(to_sc_time(10 * kPsPerMs));
  bench.device.send_now(sata::SetDeviceBits{true, false, 0x40, 0, 0, 0b1011});
  sc_core::sc_start(to_sc_time(10 * kPsPerMs));
  EXPECT_THAT(bench.listener.order('C'), ElementsAre(0, 1, 3));
  EXPECT_EQ(bench.adapter.sactive(0), 0b0100u);
  EXPECT_FALSE(bench.listener.find('C', 0).status.ok) << "its data never came";
  EXPECT_FALSE(bench.host_end.violations().empty());
}

TEST(HostBusAdapter, FramesWithoutAPlaceAreRejectedOrIgnoredAndCounted) {
  HostBench bench = HostBench::lenient();
  bench.source.requests = {request(kStart, 1)};
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.device.send_data_now(512);                                          // no data phase
  bench.device.send_now(sata::DmaActivate{});                               // nothing to write
  bench.device.send_now(sata::DmaSetup{5, true, false, false, 0, 512});     // idle tag
  bench.device.send_now(sata::DmaSetup{999, true, false, false, 0, 512});   // no such tag
  bench.device.send_now(sata::PioSetup{});                                  // no PIO command
  bench.device.send_now(sata::SetDeviceBits{true, false, 0x40, 0, 31, 1});  // no such tag
  bench.device.send_now(sata::SetDeviceBits{true, false, 0x40, 0, 0, 1});   // idle tag
  bench.device.send_now(sata::RegisterH2D{});                               // the wrong way
  sc_core::sc_start();
  EXPECT_EQ(bench.adapter.counters().nonsense, 8u);
  EXPECT_EQ(bench.host_end.rejected(), 6u) << "all but the Set Device Bits frames";
  EXPECT_EQ(bench.queue.completed(), 1u) << "and the host goes on";
}

TEST(HostBusAdapter, StudyTagsReachABankOfSetDeviceBits) {
  HostParams params;
  params.tags = 1'024;
  HostBench bench(params);
  // Served in reverse: the last command first, so that all are outstanding at once.
  bench.device.service_time = [](const ScriptedDevice::Command& c) {
    return 5 * kPsPerMs - static_cast<Ps>(c.registers.lba.value()) * 2 * kPsPerUs;
  };
  for (unsigned i = 0; i < 1'024; ++i) bench.source.requests.push_back(request(kStart, i, 1));
  bench.run();
  EXPECT_EQ(bench.queue.completed(), 1'024u);
  EXPECT_EQ(bench.device.most_outstanding, 1'024u);
  for (unsigned i = 0; i < 1'024; ++i) ASSERT_EQ(bench.listener.find('D', i).tag, i);
}

/// The adapter alone, without a queue in front.
struct Client final : BlockClient {
  std::vector<unsigned> done;
  void command_done(unsigned tag, const CommandStatus& status, Ps) override {
    EXPECT_TRUE(status.ok);
    done.push_back(tag);
  }
  void identified(const CommandStatus&, Ps) override {}
};

struct AdapterBench {
  explicit AdapterBench(const HostParams& params = {}) : adapter("adapter", params, {}) {
    adapter.to_link.bind(monitor.from_host);
    monitor.to_drive.bind(link.from_host);
    link.to_drive.bind(device.from_link);
    device.to_link.bind(link.from_drive);
    link.to_host.bind(monitor.from_drive);
    monitor.to_host.bind(adapter.from_link);
    adapter.set_client(client);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  Client client;
  ScriptedDevice device{"device"};
  sata::Link link{"link", {}, {}};
  testing::LinkMonitor monitor{"monitor", testing::ProtocolRules::Place::host_end, 32};
  HostBusAdapter adapter;
};

TEST(HostBusAdapter, AnUnqueuedCommandWaitsForTheQueuedOnesAndTheyForIt) {
  AdapterBench bench;
  bench.adapter.issue(3, {Operation::read, 100, 8, false, false, 0, nullptr});
  bench.adapter.issue(4, {Operation::write, 200, 8, false, false, 0, nullptr});
  bench.adapter.issue(7, {Operation::flush, 0, 0, false, false, 0, nullptr});
  bench.adapter.issue(5, {Operation::read, 300, 8, false, false, 0, nullptr});
  sc_core::sc_start();
  EXPECT_THAT(bench.client.done, ElementsAre(3, 4, 7, 5));
  ASSERT_EQ(bench.device.commands.size(), 4u);
  EXPECT_EQ(bench.device.commands[2].registers.command, 0xEA);
  EXPECT_EQ(bench.device.most_outstanding, 2u);
}

TEST(HostBusAdapter, ATagInUseIsItsClientsMistake) {
  AdapterBench bench;
  bench.adapter.issue(3, {Operation::read, 100, 8, false, false, 0, nullptr});
  EXPECT_THROW(bench.adapter.issue(3, {Operation::read, 100, 8, false, false, 0, nullptr}), sc_core::sc_report);
  EXPECT_THROW(bench.adapter.issue(32, {Operation::read, 100, 8, false, false, 0, nullptr}), sc_core::sc_report);
}

class Contents : public ::testing::TestWithParam<bool> {};

TEST_P(Contents, GoToTheDriveAndComeBack) {
  HostParams params;
  params.ncq = GetParam();
  AdapterBench bench(params);
  bench.device.sectors.resize(200 * 512);

  std::vector<std::uint8_t> written(100 * 512);
  std::iota(written.begin(), written.end(), std::uint8_t{3});
  for (std::size_t i = 0; i < written.size(); i += 512) written[i] = static_cast<std::uint8_t>(i / 512);
  std::vector<std::uint8_t> read(100 * 512);
  bench.adapter.issue(0, {Operation::write, 50, 100, false, false, 0, written.data()});
  sc_core::sc_start();
  bench.adapter.issue(1, {Operation::read, 50, 100, false, false, 0, read.data()});
  sc_core::sc_start();
  EXPECT_THAT(bench.client.done, ElementsAre(0, 1));
  EXPECT_EQ(read, written);
  const auto first = bench.device.sectors.begin();
  EXPECT_EQ(std::vector<std::uint8_t>(first + 50 * 512, first + 150 * 512), written);
}

INSTANTIATE_TEST_SUITE_P(QueuedOrNot, Contents, ::testing::Bool());

TEST(HostBusAdapter, ADmaSetupThatDoesNotFitItsCommandIsRejected) {
  HostBench bench = HostBench::lenient();
  bench.source.requests = {request(0, 1)};
  bench.device.service_time = [](const ScriptedDevice::Command&) { return kPsPerSecond; };
  sc_core::sc_start(to_sc_time(kPsPerMs));
  bench.device.send_now(sata::DmaSetup{0, false, false, false, 0, 4'096});   // wrong direction
  bench.device.send_now(sata::DmaSetup{0, true, false, false, 0, 0});        // nothing
  bench.device.send_now(sata::DmaSetup{0, true, false, false, 0, 4'098});    // no whole dwords
  bench.device.send_now(sata::DmaSetup{0, true, false, false, 512, 4'096});  // beyond the end
  sc_core::sc_start(to_sc_time(kPsPerMs));
  EXPECT_EQ(bench.adapter.counters().nonsense, 4u);
  EXPECT_EQ(bench.host_end.rejected(), 4u);
  bench.device.send_now(sata::DmaSetup{0, true, false, false, 2'048, 2'048});  // correct, and too much data for it
  bench.device.send_data_now(4'096);
  sc_core::sc_start(to_sc_time(kPsPerMs));
  EXPECT_EQ(bench.adapter.counters().nonsense, 5u);
}

TEST(HostBusAdapter, ACompletionWithoutAllItsDataIsAnError) {
  HostBench bench = HostBench::lenient();
  bench.device.data_short_by = 512;
  bench.source.requests = {request(kStart, 1)};
  sc_core::sc_start();
  EXPECT_FALSE(bench.listener.find('C', 0).status.ok);
  EXPECT_THAT(bench.host_end.violations(), ElementsAre(HasSubstr("completion of tag 0 after 3584 of 4096 bytes")));
}

TEST(HostBusAdapter, ACommandThatIsRejectedOnTheLinkIsSentAgain) {
  HostBench bench;
  unsigned rejections = 3;
  bench.device.accept = [&](const sata::Frame&) { return rejections == 0 || rejections-- == 0; };
  bench.source.requests = {request(kStart, 1)};
  bench.run();
  EXPECT_EQ(bench.adapter.counters().repeated, 3u);
  EXPECT_TRUE(bench.listener.find('C', 0).status.ok);
  // The same host raises X_RDY again after 13 dwords + 4 L = 573,334.
  EXPECT_EQ(bench.device.commands.at(0).at, kStart + 3 * 573'334 + kCommand);
}

TEST(HostBusAdapter, IdentifyFillsTheIdentityAndLimitsTheDepth) {
  HostParams params;
  params.identify = true;
  HostBench bench(params);
  bench.device.identify_page[2 * 75] = 3;      // four commands
  bench.device.identify_page[2 * 76 + 1] = 1;  // NCQ
  bench.device.identify_page[2 * 100] = 200;
  for (unsigned i = 0; i < 20; ++i) bench.source.requests.push_back(request(0, i * 8));
  bench.run();
  EXPECT_EQ(bench.adapter.identity().sectors, 200u);
  EXPECT_EQ(bench.queue.depth(), 4u);
  EXPECT_EQ(bench.device.most_outstanding, 4u);
  EXPECT_EQ(bench.device.commands[0].registers.command, 0xEC);
  EXPECT_EQ(bench.queue.completed(), 20u);
}

}  // namespace
}  // namespace armature::host
