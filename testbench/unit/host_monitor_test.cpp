// The protocol monitor is a check: here each of its rules is seen to fail.

#include "support/link_monitor.h"

#include "armature/core/time.h"
#include "armature/sata/link.h"
#include "support/frame_station.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::testing {
namespace {

using sata::Command;
using sata::Frame;
using ::testing::HasSubstr;

constexpr std::uint8_t kGood = 0x40;
constexpr std::uint8_t kBad = 0x41;

template <class Fis>
Frame frame(const Fis& fis) {
  Frame f;
  build(f, fis);
  return f;
}

Frame data(std::uint32_t bytes) {
  Frame f;
  build_data(f, nullptr, bytes);
  return f;
}

Frame read(std::uint32_t tag, std::uint32_t sectors = 8) {
  return frame(sata::fpdma(Command::read_fpdma_queued, tag, HostLba(0), sectors, false));
}
Frame write(std::uint32_t tag, std::uint32_t sectors = 8) {
  return frame(sata::fpdma(Command::write_fpdma_queued, tag, HostLba(0), sectors, false));
}
Frame unqueued(Command command, std::uint16_t count = 8, std::uint64_t lba = 0) {
  sata::RegisterH2D r;
  r.command = static_cast<std::uint8_t>(command);
  r.count = count;
  r.lba = HostLba(lba);
  r.device = sata::kDeviceLba;
  return frame(r);
}
Frame accept() {
  return frame(sata::RegisterD2H{false, kGood, 0, {}, 0, 0});
}
Frame done(std::uint8_t status = kGood) {
  return frame(sata::RegisterD2H{true, status, 0, {}, 0, 0});
}
Frame setup(std::uint32_t tag, bool to_host, std::uint32_t offset = 0, std::uint32_t bytes = 4'096) {
  return frame(sata::DmaSetup{tag, to_host, false, false, offset, bytes});
}
Frame activate() {
  return frame(sata::DmaActivate{});
}
Frame bits(std::uint32_t sactive, std::uint8_t status = kGood, std::uint32_t bank = 0) {
  return frame(sata::SetDeviceBits{true, false, status, 0, bank, sactive});
}
Frame pio(std::uint16_t bytes = 512) {
  sata::PioSetup s;
  s.transfer_bytes = bytes;
  return frame(s);
}

struct Rules : ::testing::Test {
  ProtocolRules rules{ProtocolRules::Place::host_end, 32};

  void host(const Frame& f) { EXPECT_EQ(rules.host_frame(f), ""); }
  void drive(const Frame& f) { EXPECT_EQ(rules.drive_frame(f), ""); }
  void host_breaks(const Frame& f, const char* what) { EXPECT_THAT(rules.host_frame(f), HasSubstr(what)); }
  void drive_breaks(const Frame& f, const char* what) { EXPECT_THAT(rules.drive_frame(f), HasSubstr(what)); }
  void accepted(const Frame& f) {
    host(f);
    drive(accept());
  }
};

TEST_F(Rules, ACorrectSequenceBreaksNothing) {
  accepted(read(3, 24));
  accepted(write(7, 32));
  drive(setup(3, true, 0, 8'192));
  drive(data(8'192));
  drive(setup(7, false, 0, 16'384));
  for (int i = 0; i < 2; ++i) {
    drive(activate());
    host(data(8'192));
  }
  drive(setup(3, true, 8'192, 4'096));
  drive(data(4'096));
  drive(bits(1u << 3 | 1u << 7));
  EXPECT_EQ(rules.at_end(), "");
  host(unqueued(Command::flush_cache_ext));
  drive(done());
  host(unqueued(Command::write_dma_ext));
  drive(activate());
  host(data(4'096));
  drive(done());
  host(unqueued(Command::identify_device));
  drive(pio());
  drive(data(512));
  EXPECT_EQ(rules.at_end(), "");
}

TEST_F(Rules, CommandBeforeTheLastWasAccepted) {
  host(read(0));
  host_breaks(read(1), "before the one before it was accepted");
}
TEST_F(Rules, CommandWhileAnUnqueuedOneIsUnderWay) {
  host(unqueued(Command::read_dma_ext));
  host_breaks(read(1), "unqueued one is under way");
}
TEST_F(Rules, UnqueuedCommandWhileQueuedOnesAreOutstanding) {
  accepted(read(0));
  host_breaks(unqueued(Command::flush_cache_ext), "while queued ones are outstanding");
}
TEST_F(Rules, CommandInsideADataPhase) {
  accepted(read(0));
  drive(setup(0, true));
  host_breaks(read(1), "between a DMA Setup and the end of its data");
}
TEST_F(Rules, TagInUseOrOutOfRange) {
  accepted(read(0));
  host_breaks(read(0), "in use");
  host_breaks(read(32), "of 32 tags");
}
TEST_F(Rules, AddressWithoutItsBit) {
  sata::RegisterH2D r = sata::fpdma(Command::read_fpdma_queued, 0, HostLba(0), 8, false);
  r.device = 0;
  host_breaks(frame(r), "LBA bit");
  r.device = sata::kDeviceLba;
  r.count |= 1;
  host_breaks(frame(r), "reserved bits");
}
TEST_F(Rules, DataWithoutActivation) {
  accepted(write(0));
  drive(setup(0, false));
  host_breaks(data(4'096), "without a DMA Activate");
}
TEST_F(Rules, MoreDataThanAsked) {
  accepted(write(0));
  drive(setup(0, false));
  drive(activate());
  host_breaks(data(8'192), "more data than the DMA Setup");
}
TEST_F(Rules, MoreDataThanAskedToTheHost) {
  accepted(read(0));
  drive(setup(0, true));
  drive_breaks(data(8'192), "more data than the DMA Setup");
}
TEST_F(Rules, MoreDataThanAnUnqueuedCommandAsked) {
  host(unqueued(Command::read_dma_ext));
  drive_breaks(data(8'192), "more data than the command");
}
TEST_F(Rules, DataOutOfPlace) {
  drive_breaks(data(512), "without a DMA Setup or a read command");
  accepted(write(0));
  drive(setup(0, false));
  drive_breaks(data(512), "while it takes data");
}
TEST_F(Rules, AcceptanceWithAnInterrupt) {
  host(read(0));
  drive_breaks(done(), "acceptance of a queued command with an interrupt");
}
TEST_F(Rules, ARegisterFrameForNothing) {
  accepted(read(0));
  drive_breaks(done(), "without a command");
}
TEST_F(Rules, CompletionBeforeTheData) {
  accepted(read(0, 16));
  drive(setup(0, true));
  drive(data(4'096));
  drive_breaks(bits(1), "after 4096 of 8192 bytes");
  host(unqueued(Command::read_dma_ext));
  drive_breaks(done(), "before all data have moved");
}
TEST_F(Rules, CompletionOfAnIdleTag) {
  accepted(read(0));
  drive_breaks(bits(2), "tag 1, which is not active");
  drive_breaks(bits(1, kGood, 1), "tag 32, which is not active");
  drive_breaks(bits(0), "completes nothing");
}
TEST_F(Rules, CompletionOfACommandThatWasNotAccepted) {
  host(read(0));
  drive_breaks(bits(1), "not active");
}
TEST_F(Rules, CompletionWithoutAnInterrupt) {
  host(unqueued(Command::flush_cache_ext));
  drive_breaks(accept(), "without an interrupt");
}
TEST_F(Rules, DmaSetupOutOfPlace) {
  drive_breaks(setup(0, true), "not active");
  accepted(read(0));
  drive_breaks(setup(0, false), "wrong direction");
  drive_breaks(setup(0, true, 512), "leaves or repeats data");
  drive_breaks(setup(0, true, 0, 8'192), "beyond the command's data");
  drive_breaks(setup(0, true, 0, 100), "whole number of sectors");
  drive(setup(0, true));
  drive_breaks(setup(0, true), "inside another data phase");
}
TEST_F(Rules, ActivateOutOfPlace) {
  drive_breaks(activate(), "without data to come");
  accepted(write(0));
  drive(setup(0, false));
  drive(activate());
  drive_breaks(activate(), "before the data of the one before");
}
TEST_F(Rules, PioOutOfPlace) {
  drive_breaks(pio(), "without a PIO command");
  host(unqueued(Command::identify_device));
  drive_breaks(pio(1'024), "wrong size");
  drive(pio());
  drive_breaks(data(1'024), "more data than the PIO Setup");
  drive_breaks(done(), "ends with its data");
}
TEST_F(Rules, AfterAnErrorOnlyTheErrorLog) {
  accepted(read(0));
  accepted(read(1));
  drive(bits(0, kBad));
  host_breaks(read(2), "other than READ LOG EXT 10h");
  drive_breaks(setup(1, true), "after a queued command failed");
  drive_breaks(bits(2), "after a queued command failed");
  host(unqueued(Command::read_log_ext, 1, 0x10));
  drive(pio());
  drive(data(512));
  EXPECT_EQ(rules.at_end(), "");
  host(read(0));
}
TEST_F(Rules, AnErrorForNothing) {
  drive_breaks(done(kBad), "without a command");
}
TEST_F(Rules, FramesTheWrongWay) {
  host_breaks(accept(), "Register and Data frames only");
  drive_breaks(read(0), "sends no command");
}
TEST_F(Rules, WhatIsOpenAtTheEnd) {
  accepted(read(0));
  EXPECT_THAT(rules.at_end(), HasSubstr("1 queued"));
}
TEST(RulesAtTheDrive, ACommandMayCrossTheDrivesFrame) {
  ProtocolRules rules{ProtocolRules::Place::drive_end, 32};
  rules.host_frame(read(0));
  rules.drive_frame(accept());
  EXPECT_EQ(rules.drive_frame(setup(0, true)), "");
  EXPECT_EQ(rules.host_frame(read(1)), "") << "the host raised X_RDY before it saw the DMA Setup";
}

TEST(RulesAtTheDrive, OneDataFrameMayCrossTheErrorThatDropsTheQueue) {
  for (const bool asked_for : {true, false}) {
    ProtocolRules rules(ProtocolRules::Place::drive_end, 32);
    for (const std::uint32_t tag : {3u, 4u}) {
      EXPECT_EQ(rules.host_frame(write(tag)), "");
      EXPECT_EQ(rules.drive_frame(accept()), "");
    }
    EXPECT_EQ(rules.drive_frame(setup(3, false)), "");
    if (asked_for) {
      EXPECT_EQ(rules.drive_frame(activate()), "");
    }
    EXPECT_EQ(rules.drive_frame(bits(0, kBad)), "");
    if (asked_for) {
      EXPECT_EQ(rules.host_frame(data(4'096)), "");
    }
    EXPECT_THAT(rules.host_frame(data(4'096)), HasSubstr("without a DMA Activate")) << "a second one";
  }
  ProtocolRules rules(ProtocolRules::Place::drive_end, 32);
  EXPECT_EQ(rules.host_frame(write(3)), "");
  EXPECT_EQ(rules.drive_frame(accept()), "");
  EXPECT_EQ(rules.drive_frame(setup(3, false)), "");
  EXPECT_EQ(rules.drive_frame(activate()), "");
  EXPECT_EQ(rules.drive_frame(bits(0, kBad)), "");
  EXPECT_EQ(rules.host_frame(unqueued(Command::read_log_ext, 1, 0x10)), "");
  EXPECT_THAT(rules.host_frame(data(4'096)), HasSubstr("without a DMA Activate")) << "it came before the next command";
}

TEST(LinkMonitor, PassesFramesOnAndCollectsViolations) {
  sata::Link link("link", {}, {});
  FrameStation host("host_station"), drive("drive_station");
  LinkMonitor monitor("monitor", ProtocolRules::Place::host_end, 32, /*fails_the_test=*/false);
  host.to_link.bind(monitor.from_host);
  monitor.to_drive.bind(link.from_host);
  link.to_host.bind(monitor.from_drive);
  monitor.to_host.bind(host.from_link);
  link.to_drive.bind(drive.from_link);
  drive.to_link.bind(link.from_drive);
  host.accept = [](const Frame& f) { return f.type != sata::FrameType::data; };
  host.send_at(0, sata::fpdma(Command::read_fpdma_queued, 0, HostLba(0), 8, false));
  host.send_at(0, sata::fpdma(Command::read_fpdma_queued, 1, HostLba(0), 8, false));
  drive.send_data_at(kPsPerUs * 10, 512);
  sc_core::sc_start();
  monitor.expect_idle();
  ASSERT_EQ(monitor.violations().size(), 3u);
  EXPECT_THAT(monitor.violations()[0], HasSubstr("before the one before it was accepted"));
  EXPECT_THAT(monitor.violations()[1], HasSubstr("without a DMA Setup"));
  EXPECT_THAT(monitor.violations()[2], HasSubstr("outstanding"));
  EXPECT_EQ(monitor.frames(), 3u);
  EXPECT_EQ(monitor.rejected(), 1u);
  EXPECT_EQ(drive.arrivals.size(), 2u) << "without changing what happens";
  EXPECT_EQ(drive.arrivals[0].at, 433'334);
  EXPECT_EQ(drive.responses, (std::vector<tlm::tlm_response_status>{tlm::TLM_GENERIC_ERROR_RESPONSE}));
}

/// A link that takes frames and never gives them back by itself.
struct SilentLink final : public sc_core::sc_module, public sata::FrameForward, public sata::FrameBackward {
  sata::FrameTargetSocket from_host{"from_host"};
  sata::FrameInitiatorSocket to_host{"to_host"};
  explicit SilentLink(sc_core::sc_module_name name) : sc_module(name) {
    from_host.bind(*this);
    to_host.bind(*this);
  }
  tlm::tlm_sync_enum nb_transport_fw(Frame&, tlm::tlm_phase&, sc_core::sc_time&) override { return tlm::TLM_ACCEPTED; }
  void b_transport(Frame&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(Frame&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Frame&) override { return 0; }
  tlm::tlm_sync_enum nb_transport_bw(Frame&, tlm::tlm_phase&, sc_core::sc_time&) override { return tlm::TLM_ACCEPTED; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

TEST(LinkMonitor, SeesASecondFrameBeforeTheFirstIsThroughAndOneThatChangesOnItsWay) {
  SilentLink silent("silent");
  FrameStation host("host_station");
  LinkMonitor monitor("monitor", ProtocolRules::Place::host_end, 32, /*fails_the_test=*/false);
  host.to_link.bind(monitor.from_host);
  monitor.to_drive.bind(silent.from_host);
  silent.to_host.bind(monitor.from_drive);
  monitor.to_host.bind(host.from_link);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  sata::RegisterH2D control;
  control.is_command = false;
  Frame first = frame(control), second = frame(control);
  sata::send(host.to_link, first);
  EXPECT_TRUE(monitor.violations().empty());
  sata::send(host.to_link, second);
  ASSERT_EQ(monitor.violations().size(), 1u);
  EXPECT_THAT(monitor.violations()[0], HasSubstr("second frame before the first"));

  second.dwords[4] ^= 1;
  host.send_at(kPsPerUs, control);  // the station needs a frame of its own to get back
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  silent.from_host->nb_transport_bw(second, phase, delay);
  ASSERT_EQ(monitor.violations().size(), 2u);
  EXPECT_THAT(monitor.violations()[1], HasSubstr("changed on its way"));
}

}  // namespace
}  // namespace armature::testing
