// The host interface frame by frame: a scripted host on one side, register accesses in place of firmware on the other.
#include "armature/core/kernel_time.h"
#include "support/host_interface_bench.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

namespace hif = regs::hif;
using controller::BufferMemory;
using controller::BufferParams;
using controller::HostInterface;
using Lines = std::vector<std::string>;

constexpr Ps kFrame = 1'000;  // each frame on the way, ps

class HostInterfaceTest : public HostInterfaceBench {
 protected:
  HostInterfaceTest() : HostInterfaceBench(buffer_params(), kFrame) {}

  static BufferParams buffer_params() {
    BufferParams params;
    params.size_kib = 256;
    return params;
  }

  void queue(std::uint32_t tag, std::uint32_t address, std::uint32_t offset, std::uint32_t sectors,
             std::uint32_t flags) {
    bus_.write(hif::kDmaAddr, address);
    bus_.write(hif::kDmaOffset, offset);
    bus_.write(hif::kDmaGo, hif::dma_go::Sectors::set(tag, sectors) | flags);
  }
  void pop() { bus_.write(hif::kCmdPop, 1); }
  void complete_queued(std::uint32_t tag) { bus_.write(hif::kComplete, tag | hif::complete::Queued::kMask); }
  void complete_unqueued() { bus_.write(hif::kComplete, 0); }
};

constexpr std::uint32_t kOut = hif::dma_go::ToHost::kMask;
constexpr std::uint32_t kQueued = hif::dma_go::Queued::kMask;
constexpr std::uint32_t kPio = hif::dma_go::Pio::kMask | hif::dma_go::ToHost::kMask;

TEST_F(HostInterfaceTest, AcceptsAQueuedReadAndPresentsItsFields) {
  host_.read_queued(17, 0x1234'5678'9ABC, 65'536);
  run();
  EXPECT_EQ(host_.log(), (Lines{"D2H status 50h tag 17"}));
  const sata::RegisterD2H accept = sata::parse_register_d2h(host_.last(sata::FrameType::register_d2h));
  EXPECT_FALSE(accept.interrupt);
  EXPECT_TRUE(hif_.irq_read.read());
  EXPECT_EQ(bus_.read(hif::kIntstat), hif::intstat::Read::kMask);
  const std::uint32_t cmd = bus_.read(hif::kCmd);
  EXPECT_EQ(hif::cmd::Tag::get(cmd), 17u);
  EXPECT_EQ(hif::cmd::Sectors::get(cmd), 65'536u) << "the frame's 0";
  EXPECT_EQ(cmd & ~(hif::cmd::Tag::kMask | hif::cmd::Sectors::kMask), hif::cmd::Valid::kMask | hif::cmd::Queued::kMask);
  EXPECT_EQ(bus_.read(hif::kCmdLbaLo), 0x5678'9ABCu);
  EXPECT_EQ(hif::cmd_lba_hi::Lba::get(bus_.read(hif::kCmdLbaHi)), 0x1234u);
  pop();
  EXPECT_FALSE(hif_.irq_read.read());
  EXPECT_EQ(bus_.read(hif::kCmd), 0u);
  EXPECT_EQ(bus_.read(hif::kCmdLbaLo), 0u);
}

TEST_F(HostInterfaceTest, RaisesOneCausePerClassInTheOrderOfArrival) {
  host_.write_queued(1, 8, 8, /*fua=*/true);
  host_.read_queued(2, 8, 8);
  host_.unqueued(static_cast<sata::Command>(0x63), 0, 0);
  run();
  EXPECT_TRUE(hif_.irq_write.read());
  EXPECT_FALSE(hif_.irq_read.read());
  const std::uint32_t cmd = bus_.read(hif::kCmd);
  EXPECT_TRUE(hif::cmd::Write::get(cmd));
  EXPECT_TRUE(hif::cmd::Fua::get(cmd));
  pop();
  EXPECT_FALSE(hif_.irq_write.read());
  EXPECT_TRUE(hif_.irq_read.read());
  pop();
  EXPECT_TRUE(hif_.irq_other.read());
  EXPECT_EQ(hif::cmd_code::Code::get(bus_.read(hif::kCmdCode)), 0x63u);
}

TEST_F(HostInterfaceTest, HoldsCommandsBusyWhileDisabled) {
  bus_.write(hif::kCtrl, 0);
  host_.read_queued(3, 0, 8);
  run();
  EXPECT_TRUE(host_.log().empty());
  EXPECT_EQ(bus_.read(hif::kCmd), 0u);
  EXPECT_FALSE(hif_.irq_read.read());
  bus_.write(hif::kCtrl, hif::ctrl::Enable::kMask);
  EXPECT_TRUE(hif_.irq_read.read());
  run();
  EXPECT_EQ(host_.log(), (Lines{"D2H status 50h tag 3"}));
}

TEST_F(HostInterfaceTest, SendsAQueuedReadAsDmaSetupAndFramesOfAtMost8KiB) {
  host_.read_queued(5, 100, 40);
  run();
  host_.clear();
  for (std::uint32_t i = 0; i < 20'480; ++i) buffer_.data()[4'096 + i] = ScriptedHost::pattern(i);
  queue(5, 4'096, 0, 40, kOut | kQueued);
  run();
  EXPECT_EQ(host_.log(),
            (Lines{"DMA SETUP read 20480 tag 5", "DATA 8192 tag 5", "DATA 8192 tag 5", "DATA 4096 tag 5"}));
  const auto bytes = host_.data();
  ASSERT_EQ(bytes.size(), 20'480u);
  for (std::uint32_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], ScriptedHost::pattern(i));
  EXPECT_TRUE(hif_.irq_dma.read());
  EXPECT_EQ(bus_.read(hif::kDmaDone),
            hif::dma_done::Valid::kMask | hif::dma_done::ToHost::kMask | hif::dma_done::Sectors::set(5, 40));
  bus_.write(hif::kDmaPop, 1);
  EXPECT_FALSE(hif_.irq_dma.read());
  EXPECT_EQ(bus_.read(hif::kDmaDone), 0u);
  host_.clear();
  complete_queued(5);
  run();
  EXPECT_EQ(host_.log(), (Lines{"SDB 00000020"}));
  EXPECT_TRUE(sata::parse_set_device_bits(host_.last(sata::FrameType::set_device_bits)).interrupt);
}

TEST_F(HostInterfaceTest, FetchesAQueuedWriteWithAnActivateBeforeEachDataFrame) {
  host_.write_queued(0, 100, 20);
  run();
  host_.clear();
  queue(0, 512, 4, 20, kQueued);
  run();
  EXPECT_EQ(host_.log(), (Lines{"DMA SETUP write 10240 tag 0", "DMA ACTIVATE tag 0", "DMA ACTIVATE tag 0"}));
  const sata::DmaSetup setup = sata::parse_dma_setup(host_.last(sata::FrameType::dma_setup));
  EXPECT_EQ(setup.offset_bytes, 4u * 512);
  EXPECT_FALSE(setup.auto_activate);
  for (std::uint32_t i = 0; i < 10'240; ++i) ASSERT_EQ(buffer_.data()[512 + i], ScriptedHost::pattern(i));
  EXPECT_EQ(bus_.read(hif::kDmaDone), hif::dma_done::Valid::kMask | hif::dma_done::Sectors::set(0, 20));
}

TEST_F(HostInterfaceTest, KeepsDescriptorsInOrderAndReportsEachOnce) {
  host_.read_queued(1, 0, 16);
  host_.read_queued(2, 0, 16);
  run();
  host_.clear();
  queue(2, 0, 0, 8, kOut | kQueued);
  queue(1, 0, 0, 16, kOut | kQueued);
  queue(2, 4'096, 8, 8, kOut | kQueued);
  run();
  EXPECT_EQ(host_.log(), (Lines{"DMA SETUP read 4096 tag 2", "DATA 4096 tag 2", "DMA SETUP read 8192 tag 1",
                                "DATA 8192 tag 1", "DMA SETUP read 4096 tag 2", "DATA 4096 tag 2"}));
  for (const std::uint32_t tag : {2u, 1u, 2u}) {
    EXPECT_EQ(hif::dma_done::Tag::get(bus_.read(hif::kDmaDone)), tag);
    EXPECT_TRUE(hif_.irq_dma.read());
    bus_.write(hif::kDmaPop, 1);
  }
  EXPECT_FALSE(hif_.irq_dma.read());
}

TEST_F(HostInterfaceTest, SendsAnUnqueuedReadWithoutSetupAndItsStatusAsARegisterFrame) {
  host_.unqueued(sata::Command::read_dma_ext, 77, 2);
  run();
  EXPECT_TRUE(host_.log().empty()) << "no acceptance: the drive stays busy";
  pop();
  queue(0, 0, 0, 2, kOut);
  run();
  complete_unqueued();
  run();
  EXPECT_EQ(host_.log(), (Lines{"DATA 1024 tag 0", "D2H status 50h tag 0"}));
  EXPECT_TRUE(sata::parse_register_d2h(host_.last(sata::FrameType::register_d2h)).interrupt);
}

TEST_F(HostInterfaceTest, KeepsWhatAnUnqueuedWriteSendsBeyondADescriptorForTheNext) {
  // A host answers each activate with as much as it has, up to 8 KiB, and knows nothing of our runs.
  host_.unqueued(sata::Command::write_dma_ext, 77, 22);
  host_.data_to_send(22 * 512);
  run();
  pop();
  queue(0, 0, 0, 5, 0);
  run();
  EXPECT_EQ(host_.log(), (Lines{"DMA ACTIVATE tag 0"}));
  queue(0, 65'536, 5, 3, 0);
  run();
  EXPECT_EQ(host_.log().size(), 1u) << "16 sectors came at once: 8 are left for the rest";
  queue(0, 131'072, 8, 14, 0);
  run();
  EXPECT_EQ(host_.log(), (Lines{"DMA ACTIVATE tag 0", "DMA ACTIVATE tag 0"}));
  for (std::uint32_t i = 0; i < 22 * 512; ++i) {
    const std::uint32_t at = i < 5 * 512 ? i : i < 8 * 512 ? 65'536 + i - 5 * 512 : 131'072 + i - 8 * 512;
    ASSERT_EQ(buffer_.data()[at], ScriptedHost::pattern(i)) << i;
  }
  for (const std::uint32_t sectors : {5u, 3u, 14u}) {
    EXPECT_EQ(hif::dma_done::Sectors::get(bus_.read(hif::kDmaDone)), sectors);
    bus_.write(hif::kDmaPop, 1);
  }
}

TEST_F(HostInterfaceTest, SendsPioDataASectorAtATimeAndCompletesWithTheLast) {
  host_.unqueued(sata::Command::identify_device, 0, 0);
  run();
  pop();
  queue(0, 0, 0, 2, kPio);
  run();
  EXPECT_EQ(host_.log(), (Lines{"PIO SETUP 512 tag 0", "DATA 512 tag 0", "PIO SETUP 512 tag 0", "DATA 512 tag 0"}));
  const sata::PioSetup first = sata::parse_pio_setup(host_.received()[0].frame);
  const sata::PioSetup second = sata::parse_pio_setup(host_.received()[2].frame);
  EXPECT_EQ(first.status, 0x58);
  EXPECT_EQ(first.end_status, 0xD0) << "busy until the next sector";
  EXPECT_EQ(second.end_status, 0x50);
  EXPECT_EQ(second.transfer_bytes, 512);
  EXPECT_TRUE(second.to_host);
  EXPECT_FALSE(hif_.irq_dma.read());
  host_.read_queued(1, 0, 1);
  run();
  EXPECT_FALSE(hif::cmd::Halted::get(bus_.read(hif::kCmd))) << "the unqueued command is over";
}

TEST_F(HostInterfaceTest, ACompletionBeforeTheDataHaveMovedIsTold) {
  std::vector<std::string> told;
  hif_.on_wrong_order = [&told](const std::string& order) { told.push_back(order); };
  host_.read_queued(4, 0, 2);
  run();
  complete_queued(4);
  run();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("tag 4 without an error, while 2 sectors"), std::string::npos) << told[0];
  host_.read_queued(4, 0, 2);
  run();
  queue(4, 0, 0, 2, kOut | kQueued);
  run();
  complete_queued(4);
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(HostInterfaceTest, CompletionsThatWaitForTheLinkShareAFrame) {
  for (std::uint32_t tag = 0; tag < 4; ++tag) host_.read_queued(tag, 0, 1);
  run();
  host_.clear();
  complete_queued(0);
  complete_queued(3);
  complete_queued(1);
  run();
  complete_queued(2);
  run();
  EXPECT_EQ(host_.log(), (Lines{"SDB 00000001", "SDB 0000000A", "SDB 00000004"}));
}

TEST_F(HostInterfaceTest, StudyTagsCompleteInTheirBank) {
  host_.read_queued(1'023, 0, 1);
  host_.read_queued(32, 0, 1);
  run();
  EXPECT_EQ(hif::cmd::Tag::get(bus_.read(hif::kCmd)), 1'023u);
  host_.clear();
  complete_queued(1'023);
  complete_queued(32);
  run();
  EXPECT_EQ(host_.log(), (Lines{"SDB bank 31 80000000", "SDB bank 1 00000001"}));
}

TEST_F(HostInterfaceTest, AcceptanceAndCompletionGoBeforeDataThatWaits) {
  host_.read_queued(0, 0, 64);
  host_.read_queued(1, 0, 1);
  run();
  host_.clear();
  queue(0, 0, 0, 64, kOut | kQueued);  // setup and four frames
  complete_queued(1);
  host_.read_queued(2, 0, 1);
  run();
  EXPECT_EQ(host_.log(), (Lines{"DMA SETUP read 32768 tag 0", "SDB 00000002", "D2H status 50h tag 2", "DATA 8192 tag 0",
                                "DATA 8192 tag 0", "DATA 8192 tag 0", "DATA 8192 tag 0"}));
}

TEST_F(HostInterfaceTest, MarksCommandsThatBreakTheRulesAndDoesNotAcceptThem) {
  host_.read_queued(4, 0, 1);
  run();
  host_.clear();
  pop();
  host_.read_queued(4, 0, 1);  // tag in use
  run();
  EXPECT_TRUE(hif::cmd::Halted::get(bus_.read(hif::kCmd)));
  pop();
  host_.unqueued(sata::Command::read_dma_ext, 0, 1);  // unqueued between queued ones
  run();
  EXPECT_TRUE(hif::cmd::Halted::get(bus_.read(hif::kCmd)));
  pop();
  complete_queued(4);
  run();
  host_.clear();
  host_.unqueued(sata::Command::read_dma_ext, 0, 1);
  run();
  EXPECT_FALSE(hif::cmd::Halted::get(bus_.read(hif::kCmd))) << "nothing is outstanding now";
  pop();
  host_.read_queued(5, 0, 1);  // queued while an unqueued one is at work
  run();
  EXPECT_TRUE(hif::cmd::Halted::get(bus_.read(hif::kCmd)));
  pop();
  host_.unqueued(sata::Command::flush_cache_ext, 0, 0);  // a second unqueued one
  run();
  EXPECT_TRUE(hif::cmd::Halted::get(bus_.read(hif::kCmd)));
  EXPECT_TRUE(host_.log().empty());
}

TEST_F(HostInterfaceTest, HaltMarksEverythingButTheErrorLog) {
  bus_.write(hif::kCtrl, hif::ctrl::Enable::kMask | hif::ctrl::Halt::kMask);
  host_.read_queued(4, 0, 1);
  host_.unqueued(sata::Command::identify_device, 0, 0);
  host_.unqueued(sata::Command::read_log_ext, 0x11, 1);
  host_.unqueued(sata::Command::read_log_ext, 0x10, 1);
  run();
  EXPECT_TRUE(host_.log().empty());
  for (const bool halted : {true, true, true, false}) {
    EXPECT_EQ(hif::cmd::Halted::get(bus_.read(hif::kCmd)) != 0, halted);
    pop();
  }
}

TEST_F(HostInterfaceTest, AFailureSendsStatusAndErrorWithoutCompletingATag) {
  for (const std::uint32_t tag : {4u, 5u, 7u}) host_.read_queued(tag, 0, 1);
  run();
  host_.clear();
  bus_.write(hif::kTaskfile, 0x1041);
  complete_queued(7);
  complete_queued(5);  // waits for the link, as the failure does
  bus_.write(hif::kComplete, hif::complete::Queued::kMask | hif::complete::Failed::kMask);
  run();
  EXPECT_EQ(host_.log(), (Lines{"SDB 00000080", "SDB 00000020", "SDB error 10h"}))
      << "what completed before is told before";
  const sata::SetDeviceBits bits = sata::parse_set_device_bits(host_.last(sata::FrameType::set_device_bits));
  EXPECT_EQ(bits.status, 0x41);
  EXPECT_EQ(bits.sactive, 0u);
  EXPECT_TRUE(bits.interrupt);
}

TEST_F(HostInterfaceTest, ARegisterFrameCarriesTheTaskfile) {
  host_.unqueued(sata::Command::read_dma_ext, 0, 1);
  run();
  bus_.write(hif::kTaskfile, 0x07'10'51);
  bus_.write(hif::kTaskfileLbaLo, 0x8899AABB);
  bus_.write(hif::kTaskfileLbaHi, 0xCCDD);
  complete_unqueued();
  run();
  const sata::RegisterD2H d2h = sata::parse_register_d2h(host_.last(sata::FrameType::register_d2h));
  EXPECT_EQ(d2h.status, 0x51);
  EXPECT_EQ(d2h.error, 0x10);
  EXPECT_EQ(d2h.count, 7);
  EXPECT_EQ(d2h.lba, HostLba(0xCCDD'8899'AABB));
}

TEST_F(HostInterfaceTest, AbortEmptiesQueuesAndForgetsTags) {
  host_.read_queued(1, 0, 64);
  host_.read_queued(2, 0, 8);
  run();
  host_.clear();
  queue(1, 0, 0, 64, kOut | kQueued);
  queue(2, 0, 0, 8, kOut | kQueued);
  run_until(now() + 2 * kFrame + 10);  // setup and one data frame are over, the second is on its way
  bus_.write(hif::kCtrl, hif::ctrl::Enable::kMask | hif::ctrl::Abort::kMask);
  run();
  EXPECT_EQ(host_.log(), (Lines{"DMA SETUP read 32768 tag 1", "DATA 8192 tag 1", "DATA 8192 tag 1"}));
  EXPECT_EQ(bus_.read(hif::kCmd), 0u);
  EXPECT_EQ(bus_.read(hif::kDmaDone), 0u);
  EXPECT_FALSE(hif_.irq_read.read());
  host_.clear();
  host_.unqueued(sata::Command::identify_device, 0, 0);
  run();
  EXPECT_FALSE(hif::cmd::Halted::get(bus_.read(hif::kCmd)));
  queue(0, 0, 0, 1, kPio);
  run();
  EXPECT_EQ(host_.log(), (Lines{"PIO SETUP 512 tag 0", "DATA 512 tag 0"}));
}

TEST_F(HostInterfaceTest, ADataFrameAskedForBeforeAnAbortIsSwallowed) {
  host_.write_queued(1, 0, 16);
  run();
  queue(1, 0, 0, 16, kQueued);
  run_until(now() + 2 * kFrame + 10);  // activate has arrived, data are on their way
  bus_.write(hif::kCtrl, hif::ctrl::Enable::kMask | hif::ctrl::Abort::kMask);
  run();
  EXPECT_EQ(host_.refused(), 0u);
  EXPECT_FALSE(hif_.irq_error.read());
  host_.send_data({}, 512);  // but only one
  run();
  EXPECT_EQ(host_.refused(), 1u);
  EXPECT_TRUE(hif_.irq_error.read());
  bus_.write(hif::kIntstat, hif::intstat::LinkError::kMask);
  EXPECT_FALSE(hif_.irq_error.read());
}

TEST_F(HostInterfaceTest, RefusesDataThatNobodyAskedFor) {
  host_.send_data({}, 512);
  run();
  EXPECT_EQ(host_.refused(), 1u);
  EXPECT_EQ(bus_.read(hif::kIntstat), hif::intstat::LinkError::kMask);
}

TEST_F(HostInterfaceTest, AQueuedWriteThatSendsTooMuchEndsInAnError) {
  host_.answer_activate(false);
  host_.write_queued(1, 0, 1);
  run();
  queue(1, 0, 0, 1, kQueued);
  run();
  host_.send_data({}, 1'024);
  run();
  EXPECT_EQ(host_.refused(), 1u);
  EXPECT_TRUE(hif::dma_done::Error::get(bus_.read(hif::kDmaDone)));
  EXPECT_TRUE(hif_.irq_error.read());
}

TEST_F(HostInterfaceTest, SendsAFrameAgainThatTheHostRefusesButNotData) {
  host_.reject(sata::FrameType::register_d2h, 2);
  host_.read_queued(1, 0, 1);
  run();
  EXPECT_EQ(host_.log(), (Lines{"D2H status 50h tag 1"})) << "the third attempt";
  host_.clear();
  host_.reject(sata::FrameType::data, 1);
  queue(1, 0, 0, 1, kOut | kQueued);
  run();
  EXPECT_EQ(host_.log(), (Lines{"DMA SETUP read 512 tag 1"}));
  EXPECT_TRUE(hif::dma_done::Error::get(bus_.read(hif::kDmaDone)));
  bus_.write(hif::kDmaPop, 1);
  bus_.write(hif::kIntstat, hif::intstat::LinkError::kMask);
  host_.clear();
  host_.reject(sata::FrameType::dma_setup, 100);
  queue(1, 0, 0, 1, kOut | kQueued);
  run();
  EXPECT_TRUE(host_.log().empty());
  EXPECT_TRUE(hif::dma_done::Error::get(bus_.read(hif::kDmaDone))) << "given up after four attempts";
  EXPECT_TRUE(hif_.irq_error.read());
}

TEST_F(HostInterfaceTest, RefusesDescriptorsAndCompletionsThatCannotBe) {
  const auto refused = [&] {
    const bool error = hif_.irq_error.read();
    bus_.write(hif::kIntstat, hif::intstat::LinkError::kMask);
    return error;
  };
  queue(0, 0, 0, 0, kOut);
  EXPECT_TRUE(refused()) << "no sectors";
  queue(0, 256 * 1'024 - 511, 0, 1, kOut);
  EXPECT_TRUE(refused()) << "beyond the buffer";
  queue(0, 0xFFFF'FF00, 0, 1, kOut);
  EXPECT_TRUE(refused()) << "beyond the buffer by a wrap of 32 bits";
  complete_queued(9);
  EXPECT_TRUE(refused()) << "a tag that is not in use";
  run();
  EXPECT_TRUE(host_.log().empty());
}

TEST_F(HostInterfaceTest, ADeviceControlFrameIsNoCommand) {
  sata::RegisterH2D control;
  control.is_command = false;
  control.control = 0x04;
  host_.send(control);
  run();
  EXPECT_EQ(host_.refused(), 0u);
  EXPECT_EQ(bus_.read(hif::kCmd), 0u);
}

TEST_F(HostInterfaceTest, PublishesThePhasesOfARequestsLinkSide) {
  host_.read_queued(6, 0, 24);
  run_until(10 * kFrame);
  queue(6, 0, 0, 16, kOut | kQueued);  // setup 1,000, data 1,000
  queue(6, 8'192, 16, 8, kOut | kQueued);
  run_until(20 * kFrame);
  complete_queued(6);
  run();
  EXPECT_EQ(requests_.lines, (Lines{"6 firmware 1000", "6 link_wait 10000", "6 link_data 10000", "6 link_wait 12000",
                                    "6 link_data 12000", "6 link_done 14000", "6 link_status 20000"}));
}

TEST_F(HostInterfaceTest, PublishesNothingForCommandsThatAreNoRequests) {
  host_.unqueued(sata::Command::identify_device, 0, 0);
  run();
  pop();
  queue(0, 0, 0, 1, kPio);
  run();
  host_.unqueued(sata::Command::read_log_ext, 0x10, 1);
  run();
  complete_unqueued();
  run();
  EXPECT_TRUE(requests_.lines.empty());
  host_.unqueued(sata::Command::flush_cache_ext, 0, 0);
  run();
  EXPECT_EQ(requests_.lines.size(), 1u) << "a flush is one";
}

TEST_F(HostInterfaceTest, DebugReadsHaveNoSideEffect) {
  host_.read_queued(1, 0, 1);
  run();
  bus_.debug_write(hif::kCmdPop, 1);
  bus_.debug_read(hif::kDmaDone);
  EXPECT_TRUE(hif::cmd::Valid::get(bus_.read(hif::kCmd)));
}

}  // namespace
}  // namespace armature::testing
