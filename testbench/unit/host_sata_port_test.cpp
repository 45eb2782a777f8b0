// The host's end of a link frame by frame, as any host controller uses it: no adapter, no link, no simulated time.
#include "armature/host/sata_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace armature::host {
namespace {

using sata::Command;
using sata::Frame;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace ata = sata::status;

constexpr std::uint8_t kReady = ata::kDrdy;
constexpr std::uint8_t kFailed = ata::kDrdy | ata::kErr;

/// A host controller that only writes down what the port asks of it; the tests are its link and its drive.
class Controller final : public SataPort::Owner {
 public:
  SataPort port{*this, 8, 5, "port", {}};
  std::vector<std::string> out;                               ///< what was handed to the link, and resets
  std::vector<std::pair<unsigned, CommandStatus>> completed;  ///< slots
  std::vector<std::pair<Command, CommandStatus>> own_completed;
  std::vector<Ps> timers;
  Frame* on_link = nullptr;

  void transmit(Frame& frame) override {
    EXPECT_EQ(on_link, nullptr) << "one frame at a time";
    on_link = &frame;
    out.push_back(describe(frame));
  }
  void reset_link() override {
    on_link = nullptr;
    out.emplace_back("COMRESET");
  }
  void set_timer(Ps time) override { timers.push_back(time); }
  void cancel_timer() override { timers.clear(); }
  void ended(unsigned slot, const CommandStatus& status) override { completed.emplace_back(slot, status); }
  void own_ended(Command code, const CommandStatus& status) override { own_completed.emplace_back(code, status); }

  /// The link has carried the frame that it has.
  void delivered(bool ok = true) {
    ASSERT_NE(on_link, nullptr);
    Frame& frame = *on_link;
    on_link = nullptr;
    frame.response = ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE;
    port.sent(frame);
  }
  template <class Fis>
  bool drive_sends(const Fis& fis) {
    Frame* const frame = pool_.acquire(sata::FrameType::data);
    build(*frame, fis);
    const bool taken = port.receive(*frame);
    pool_.release(frame);
    return taken;
  }
  bool drive_sends_data(const std::vector<std::uint8_t>& bytes) {
    Frame* const frame = pool_.acquire(sata::FrameType::data);
    build_data(*frame, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
    const bool taken = port.receive(*frame);
    pool_.release(frame);
    return taken;
  }
  void drive_answers(std::uint8_t status, std::uint8_t error = 0) {
    sata::RegisterD2H registers;
    registers.status = status;
    registers.error = error;
    EXPECT_TRUE(drive_sends(registers));
  }
  void drive_ends(std::uint32_t sactive, std::uint8_t status = kReady, std::uint8_t error = 0) {
    sata::SetDeviceBits bits;
    bits.status = status;
    bits.error = error;
    bits.sactive = sactive;
    EXPECT_TRUE(drive_sends(bits));
  }
  bool drive_sets_up(unsigned tag, bool to_host, std::uint32_t bytes, bool auto_activate = false) {
    sata::DmaSetup setup;
    setup.tag = tag;
    setup.to_host = to_host;
    setup.auto_activate = auto_activate;
    setup.count_bytes = bytes;
    return drive_sends(setup);
  }
  /// Command frame over the link, accepted by the drive.
  void accepted() {
    delivered();
    drive_answers(kReady);
  }

 private:
  sata::FramePool pool_;
};

BlockCommand command(Operation operation, std::uint64_t lbn, std::uint32_t sectors, std::uint8_t* data = nullptr) {
  BlockCommand made;
  made.operation = operation;
  made.lbn = lbn;
  made.sectors = sectors;
  made.data = data;
  return made;
}

TEST(SataPort, AQueuedReadFromItsCommandToItsEnd) {
  Controller host;
  std::vector<std::uint8_t> bytes(1024);
  host.port.issue(3, Command::read_fpdma_queued, command(Operation::read, 100, 2, bytes.data()));
  EXPECT_FALSE(host.port.free(3));
  EXPECT_THAT(host.out, ElementsAre("H2D READ FPDMA tag 3"));
  EXPECT_EQ(host.port.sactive(0), 1u << 3);
  host.accepted();
  EXPECT_TRUE(host.drive_sets_up(3, true, 1024));
  EXPECT_TRUE(host.drive_sends_data(std::vector<std::uint8_t>(512, 1)));
  EXPECT_TRUE(host.drive_sends_data(std::vector<std::uint8_t>(512, 2)));
  EXPECT_FALSE(host.drive_sends_data(std::vector<std::uint8_t>(512, 3))) << "more than was set up";
  EXPECT_THAT(host.completed, IsEmpty());
  host.drive_ends(1u << 3);
  ASSERT_EQ(host.completed.size(), 1u);
  EXPECT_EQ(host.completed[0].first, 3u);
  EXPECT_TRUE(host.completed[0].second.ok);
  EXPECT_TRUE(host.port.free(3));
  EXPECT_EQ(bytes[511], 1);
  EXPECT_EQ(bytes[512], 2);
  EXPECT_EQ(host.port.counters().nonsense, 1u);
}

TEST(SataPort, ACommandWhoseDataAreMissingHasFailed) {
  Controller host;
  host.port.issue(0, Command::read_fpdma_queued, command(Operation::read, 0, 2));
  host.accepted();
  EXPECT_TRUE(host.drive_sets_up(0, true, 512));
  EXPECT_TRUE(host.drive_sends_data(std::vector<std::uint8_t>(512)));
  host.drive_ends(1);
  ASSERT_EQ(host.completed.size(), 1u);
  EXPECT_FALSE(host.completed[0].second.ok);
}

TEST(SataPort, CommandsGoOneByOneAndNoneBetweenASetupAndItsData) {
  Controller host;
  std::vector<std::uint8_t> bytes(16'384);
  host.port.issue(1, Command::write_fpdma_queued, command(Operation::write, 0, 32, bytes.data()));
  host.port.issue(2, Command::read_fpdma_queued, command(Operation::read, 64, 1));
  host.port.issue(4, Command::read_fpdma_queued, command(Operation::read, 72, 1));
  host.port.issue(0, Command::flush_cache_ext, command(Operation::flush, 0, 0));
  host.port.issue(3, Command::read_fpdma_queued, command(Operation::read, 80, 1));
  host.delivered();
  EXPECT_EQ(host.out.size(), 1u) << "the first one is not accepted yet";
  EXPECT_TRUE(host.drive_sends([] {
    sata::RegisterD2H registers;
    registers.status = kReady;
    return registers;
  }()));
  EXPECT_THAT(host.out, ElementsAre("H2D WRITE FPDMA tag 1", "H2D READ FPDMA tag 2"));
  host.delivered();
  EXPECT_TRUE(host.drive_sets_up(1, false, 16'384, /*auto_activate=*/true));
  EXPECT_EQ(host.out.back(), "DATA 8192 tag 1");
  host.delivered();
  host.drive_answers(kReady);  // accepts tag 2 meanwhile
  EXPECT_EQ(host.out.size(), 3u) << "the rest of the data comes before another command, and only when it is asked for";
  EXPECT_FALSE(host.drive_sets_up(2, true, 512)) << "one phase at a time";
  EXPECT_TRUE(host.drive_sends(sata::DmaActivate{}));
  EXPECT_EQ(host.out.back(), "DATA 8192 tag 1");
  host.delivered();
  EXPECT_EQ(host.out.back(), "H2D READ FPDMA tag 4") << "the phase is over";
  host.accepted();
  host.drive_ends(1u << 1);
  for (const unsigned tag : {2u, 4u}) {
    EXPECT_EQ(host.out.size(), 5u) << "an unqueued command waits for all that are queued";
    host.drive_sets_up(tag, true, 512);
    host.drive_sends_data(std::vector<std::uint8_t>(512));
    host.drive_ends(1u << tag);
  }
  EXPECT_EQ(host.out.back(), "H2D FLUSH CACHE EXT tag 0");
  host.delivered();
  host.drive_answers(ata::kBsy | ata::kDrdy);
  EXPECT_EQ(host.completed.size(), 3u);
  host.drive_answers(kReady);
  EXPECT_EQ(host.completed.back().first, 0u);
  EXPECT_EQ(host.out.back(), "H2D READ FPDMA tag 3");
}

TEST(SataPort, AfterAnErrorTheLogNamesTheCommandThatFailedAndTheOthersGoAgain) {
  Controller host;
  for (const unsigned slot : {5u, 6u, 7u}) {
    host.port.issue(slot, Command::read_fpdma_queued, command(Operation::read, slot * 10, 1));
    host.accepted();
  }
  host.drive_ends(0, kFailed, sata::error::kUnc);
  EXPECT_EQ(host.out.back(), "H2D READ LOG EXT");
  EXPECT_FALSE(host.port.own_free());
  host.delivered();
  sata::NcqErrorPage page;
  page.tag = 6;
  page.status = kFailed;
  page.error = sata::error::kUnc;
  page.lba = HostLba(60);
  std::vector<std::uint8_t> bytes(512);
  build(page, bytes.data());
  sata::PioSetup setup;
  setup.status = ata::kDrdy | ata::kDrq;
  setup.end_status = kReady;
  setup.transfer_bytes = 512;
  EXPECT_TRUE(host.drive_sends(setup));
  EXPECT_TRUE(host.drive_sends_data(bytes));
  ASSERT_EQ(host.completed.size(), 1u);
  EXPECT_EQ(host.completed[0].first, 6u);
  EXPECT_FALSE(host.completed[0].second.ok);
  EXPECT_EQ(host.completed[0].second.error, sata::error::kUnc);
  EXPECT_EQ(host.completed[0].second.lbn, 60u);
  EXPECT_EQ(host.out.back(), "H2D READ FPDMA tag 5");
  host.accepted();
  EXPECT_EQ(host.out.back(), "H2D READ FPDMA tag 7");
  EXPECT_EQ(host.port.counters().recoveries, 1u);
  EXPECT_EQ(host.port.counters().reissued, 2u);
}

TEST(SataPort, ASoftwareResetSetsAndClearsSrstAndIssuesAgainAfterTheSignature) {
  Controller host;
  host.port.issue(4, Command::read_fpdma_queued, command(Operation::read, 8, 1));
  host.port.reset(ResetKind::soft);
  EXPECT_TRUE(host.port.resetting());
  EXPECT_EQ(host.out.size(), 1u) << "the frame that the link has comes back first";
  host.delivered();
  EXPECT_EQ(host.out.size(), 2u);
  EXPECT_THAT(host.timers, IsEmpty());
  host.delivered();
  EXPECT_THAT(host.timers, ElementsAre(5 * kPsPerUs));
  host.drive_answers(kReady);
  EXPECT_EQ(host.port.counters().ignored, 1u);
  host.port.time_over();
  EXPECT_EQ(host.out.size(), 3u);
  host.delivered();
  sata::RegisterD2H signature;
  signature.status = kReady;
  signature.error = 1;
  signature.lba = HostLba(1);
  signature.count = 1;
  ASSERT_TRUE(is_signature(signature));
  EXPECT_TRUE(host.drive_sends(signature));
  EXPECT_FALSE(host.port.resetting());
  EXPECT_EQ(host.out.back(), "H2D READ FPDMA tag 4");
  EXPECT_EQ(host.port.counters().commands, 2u);
}

TEST(SataPort, AComresetTakesTheFrameFromTheLink) {
  Controller host;
  host.port.issue(4, Command::read_fpdma_queued, command(Operation::read, 8, 1));
  host.port.reset(ResetKind::comreset);
  EXPECT_THAT(host.out, ElementsAre("H2D READ FPDMA tag 4", "COMRESET"));
  host.port.issue(5, Command::read_fpdma_queued, command(Operation::read, 16, 1));
  host.port.link_restored();
  EXPECT_EQ(host.out.size(), 2u) << "before the signature";
  sata::RegisterD2H signature;
  signature.status = kReady;
  signature.error = 1;
  signature.lba = HostLba(1);
  signature.count = 1;
  host.drive_sends(signature);
  host.accepted();
  EXPECT_THAT(host.out,
              ElementsAre("H2D READ FPDMA tag 4", "COMRESET", "H2D READ FPDMA tag 4", "H2D READ FPDMA tag 5"));
}

TEST(SataPort, AFrameThatTheDriveRejectsGoesAgain) {
  Controller host;
  host.port.issue(0, Command::read_fpdma_queued, command(Operation::read, 8, 1));
  host.delivered(/*ok=*/false);
  EXPECT_THAT(host.out, ElementsAre("H2D READ FPDMA tag 0", "H2D READ FPDMA tag 0"));
  EXPECT_EQ(host.port.counters().repeated, 1u);
}

TEST(SataPort, ACommandOfTheHostsOwnBringsItsPage) {
  Controller host;
  EXPECT_TRUE(host.port.own_free());
  host.port.issue_own(Command::identify_device, 1);
  EXPECT_FALSE(host.port.own_free());
  EXPECT_THAT(host.out, ElementsAre("H2D IDENTIFY DEVICE"));
  host.delivered();
  sata::PioSetup setup;
  setup.status = ata::kDrdy | ata::kDrq;
  setup.end_status = kReady;
  setup.transfer_bytes = 512;
  host.drive_sends(setup);
  host.drive_sends_data(std::vector<std::uint8_t>(512, 0x5A));
  ASSERT_EQ(host.own_completed.size(), 1u);
  EXPECT_EQ(host.own_completed[0].first, Command::identify_device);
  EXPECT_TRUE(host.own_completed[0].second.ok);
  EXPECT_EQ(host.port.page()[511], 0x5A);
  host.port.issue_own(Command::standby_immediate, 0);
  host.delivered();
  host.drive_answers(kFailed, sata::error::kAbrt);
  EXPECT_FALSE(host.own_completed.back().second.ok);
  EXPECT_EQ(host.own_completed.back().second.error, sata::error::kAbrt);
}

}  // namespace
}  // namespace armature::host
