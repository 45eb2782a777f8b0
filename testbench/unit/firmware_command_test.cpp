#include "support/firmware_bench.h"

#include <array>
#include <map>
#include <numeric>

namespace armature::testing {
namespace {

using ::testing::_;

class FirmwareCommand : public FirmwareBench {
 protected:
  static constexpr std::uint32_t kPage = SOC_RAM_BASE + 4 * 100 * 512;  // behind the segments

  void SetUp() override { boot(); }

  void expect_log_command(std::uint32_t log, std::uint32_t pages) { expect_other(0x2F, log, pages); }
  void expect_page() {
    EXPECT_CALL(mmio_, write(::testing::AllOf(::testing::Ge(kPage), ::testing::Lt(kPage + 512)), _))
        .Times(128)
        .InSequence(order_)
        .WillRepeatedly([this](std::uint32_t address, std::uint32_t word) { page_[(address - kPage) / 4] = word; });
  }
  void expect_pio() {
    write(SOC_HIF_BASE + HIF_DMA_ADDR, 4 * 100 * 512);
    write(SOC_HIF_BASE + HIF_DMA_OFFSET, 0);
    write(SOC_HIF_BASE + HIF_DMA_GO, 0x2800'0000u | 1u << 10);
  }
  void expect_status(std::uint32_t taskfile, std::uint64_t lba = 0) {
    write(SOC_HIF_BASE + HIF_TASKFILE, taskfile);
    write(SOC_HIF_BASE + HIF_TASKFILE_LBA_LO, static_cast<std::uint32_t>(lba));
    write(SOC_HIF_BASE + HIF_TASKFILE_LBA_HI, static_cast<std::uint32_t>(lba >> 32));
    write(SOC_HIF_BASE + HIF_COMPLETE, 0);
    write(SOC_HIF_BASE + HIF_TASKFILE, 0x50);
    write(SOC_HIF_BASE + HIF_TASKFILE_LBA_LO, 0);
    write(SOC_HIF_BASE + HIF_TASKFILE_LBA_HI, 0);
  }
  std::uint32_t word(unsigned index) const { return page_[index / 2] >> 16 * (index % 2) & 0xFFFF; }
  unsigned byte_sum() const {
    unsigned sum = 0;
    for (const std::uint32_t dword : page_)
      sum += (dword & 0xFF) + (dword >> 8 & 0xFF) + (dword >> 16 & 0xFF) + (dword >> 24);
    return sum & 0xFF;
  }
  std::string text(unsigned first, unsigned words) const {
    std::string result;
    for (unsigned i = first; i < first + words; ++i) {
      result += static_cast<char>(word(i) >> 8);
      result += static_cast<char>(word(i) & 0xFF);
    }
    return result;
  }

  std::array<std::uint32_t, 128> page_{};
};

TEST_F(FirmwareCommand, IdentifyDeviceTellsTheDrive) {
  expect_other(0xEC);
  EXPECT_CALL(mmio_, read(::testing::AllOf(::testing::Ge(SOC_NVM_BASE), ::testing::Lt(SOC_NVM_BASE + 0x2000))))
      .Times(19)
      .InSequence(order_)
      .WillRepeatedly([this](std::uint32_t address) { return lenient_read(address); });
  expect_page();
  expect_pio();
  isr(FW_IRQ_HIF_OTHER);
  EXPECT_EQ(text(27, 20), "ARMATURE TEST DRIVE                     ");
  EXPECT_EQ(text(10, 10), "SERIAL123           ");
  EXPECT_EQ(text(23, 4), "REV1.0  ");
  EXPECT_EQ(word(0), 0x0040u);
  EXPECT_EQ(word(49) & 0x0300, 0x0300u) << "LBA and DMA";
  EXPECT_EQ(word(60) | word(61) << 16, 0x0FFF'FFFFu) << "28-bit addresses reach no further";
  EXPECT_EQ(word(75), 31u);
  EXPECT_EQ(word(76), 0x8506u) << "NCQ, Phy counters, log DMA, 1.5 and 3 Gb/s";
  EXPECT_EQ(word(83), 0x7400u) << "FLUSH CACHE EXT, 48-bit addresses";
  EXPECT_EQ(word(86) & 0x2400, 0x2400u);
  EXPECT_EQ(word(85) & 0x20, 0u) << "no write cache";
  EXPECT_EQ(word(93), 0u) << "serial";
  EXPECT_EQ(
      word(100) | std::uint64_t{word(101)} << 16 | std::uint64_t{word(102)} << 32 | std::uint64_t{word(103)} << 48,
      0x1'2000'0000u);
  EXPECT_EQ(word(217), 7'200u);
  EXPECT_EQ(word(255) & 0xFF, 0xA5u);
  EXPECT_EQ(byte_sum(), 0u);
}

TEST_F(FirmwareCommand, AFlushFindsNothingToWrite) {
  expect_other(0xEA);
  write(SOC_HIF_BASE + HIF_COMPLETE, 0);
  isr(FW_IRQ_HIF_OTHER);
}

TEST_F(FirmwareCommand, UnknownCommandsAreAborted) {
  for (const std::uint32_t code : {0x00u, 0x63u, 0x8Au, 0x8Bu, 0x8Cu, 0x8Du, 0xB0u, 0xFFu}) {
    expect_other(code);
    expect_status(0x0451);
    isr(FW_IRQ_HIF_OTHER);
  }
}

TEST_F(FirmwareCommand, TheLogDirectoryNamesTheLogs) {
  expect_log_command(0x00, 1);
  read(SOC_NVM_BASE + offsetof(fw_factory, ranges), 1);
  expect_page();
  expect_pio();
  isr(FW_IRQ_HIF_OTHER);
  const std::map<unsigned, unsigned> pages = {{0, 1},    {0x03, 5}, {0x04, 7}, {0x07, 1}, {0x0F, 2}, {0x10, 1},
                                              {0x11, 1}, {0x18, 1}, {0x30, 9}, {0xE0, 1}, {0xE1, 1}};
  for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(word(i), pages.count(i) == 0 ? 0 : pages.at(i)) << i;
}

TEST_F(FirmwareCommand, LogsAndPagesThatAreNotThereAreAborted) {
  const std::pair<std::uint32_t, std::uint32_t> cases[] = {{0x01, 1},  {0x503, 1}, {0xA0, 1}, {0xA1, 1},
                                                           {0x10, 2},  {0x110, 1}, {0x00, 0}, {0x930, 1},
                                                           {0x30, 10}, {0xE1, 1},  {0x204, 6}};
  for (const auto& [lba, pages] : cases) {
    expect_log_command(lba, pages);
    expect_status(0x0451, lba);
    isr(FW_IRQ_HIF_OTHER);
  }
}

TEST_F(FirmwareCommand, AnUnqueuedCommandBeyondTheEndFailsWithIdnfAndItsFirstBadSector) {
  // The last sector is 0x1'1FFF'FFFF.
  read(SOC_HIF_BASE + HIF_CMD, 0x8000'0000u | 2u << 10);
  read(SOC_HIF_BASE + HIF_CMD_LBA_LO, 0x1FFF'FFFF);
  read(SOC_HIF_BASE + HIF_CMD_LBA_HI, 1);
  read(SOC_HIF_BASE + HIF_CMD_CODE, 0x25);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  expect_status(0x1051, 0x1'2000'0000);
  isr(FW_IRQ_HIF_READ);
}

TEST_F(FirmwareCommand, TheLastSectorIsInRange) {
  expect_command(1, 0x1'1FFF'FFFF, 1, false, 1);
  isr(FW_IRQ_HIF_READ);
}

TEST_F(FirmwareCommand, AQueuedCommandBeyondTheEndHaltsTheDriveUntilItsLogIsRead) {
  const auto expect_error = [&](std::uint32_t taskfile) {
    write(SOC_HIF_BASE + HIF_CTRL, 0x8000'0002u);  // abort, halt, disabled
    write(SOC_AAU_BASE + AAU_CTRL, 0x8000'0007u);
    shows(FW_STATE_DRAIN, 9);
    write(SOC_HIF_BASE + HIF_TASKFILE, taskfile);
    write(SOC_HIF_BASE + HIF_COMPLETE, 0xC00);
    write(SOC_HIF_BASE + HIF_TASKFILE, 0x50);
    write(SOC_HIF_BASE + HIF_CTRL, 0x3);
    shows(FW_STATE_HALTED, 9);
  };
  read(SOC_HIF_BASE + HIF_CMD, 0xA000'0000u | 8u << 10 | 9u);
  read(SOC_HIF_BASE + HIF_CMD_LBA_LO, 0x2000'0000);
  read(SOC_HIF_BASE + HIF_CMD_LBA_HI, 1);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  expect_error(0x1041);
  isr(FW_IRQ_HIF_READ);

  // Halted: another command is aborted on its own.
  read(SOC_HIF_BASE + HIF_CMD, 0xE000'0000u | 8u << 10 | 3u);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  expect_status(0x0451);
  isr(FW_IRQ_HIF_READ);

  // Log 10h: tag 9, status, error, address; halt ends.
  expect_log_command(0x10, 1);
  write(SOC_HIF_BASE + HIF_CTRL, 1);
  expect_page();
  expect_pio();
  isr(FW_IRQ_HIF_OTHER);
  EXPECT_EQ(page_[0], 0x1041'0009u);
  EXPECT_EQ(page_[1] & 0x00FF'FFFF, 0x00'0000u);
  EXPECT_EQ(page_[2] & 0x00FF'FFFF, 0x00'0120u) << "LBA 47:24 of 0x1'2000'0000";
  EXPECT_EQ(byte_sum(), 0u);

  // Read again: there is no error of a queued command.
  expect_log_command(0x10, 1);
  expect_page();
  expect_pio();
  isr(FW_IRQ_HIF_OTHER);
  EXPECT_EQ(page_[0], 0x80u);
}

TEST_F(FirmwareCommand, ATagBeyondTheQueueDepthIsAborted) {
  read(SOC_HIF_BASE + HIF_CMD, 0xA000'0000u | 8u << 10 | 32u);
  read(SOC_HIF_BASE + HIF_CMD_LBA_LO, 0);
  read(SOC_HIF_BASE + HIF_CMD_LBA_HI, 0);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  write(SOC_HIF_BASE + HIF_CTRL, 0x8000'0002u);
  write(SOC_AAU_BASE + AAU_CTRL, 0x8000'0007u);
  shows(FW_STATE_DRAIN, 32);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x0441);
  write(SOC_HIF_BASE + HIF_COMPLETE, 0xC00);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x50);
  write(SOC_HIF_BASE + HIF_CTRL, 0x3);
  shows(FW_STATE_HALTED, 32);
  isr(FW_IRQ_HIF_READ);
}

TEST_F(FirmwareCommand, MixedCommandsAbortEverythingWithARegisterFrame) {
  expect_command(4, 0, 8, false, 50);
  isr(FW_IRQ_HIF_READ);
  read(SOC_HIF_BASE + HIF_CMD, 0xC000'0400u);  // halted, unqueued
  write(SOC_HIF_BASE + HIF_CTRL, 0x8000'0002u);
  write(SOC_AAU_BASE + AAU_CTRL, 0x8000'0007u);
  shows(FW_STATE_DRAIN, 0);
  expect_status(0x0451);
  write(SOC_HIF_BASE + HIF_CTRL, 0x3);
  shows(FW_STATE_HALTED, 0);
  isr(FW_IRQ_HIF_OTHER);
  expect_log_command(0x10, 1);
  write(SOC_HIF_BASE + HIF_CTRL, 1);
  expect_page();
  expect_pio();
  isr(FW_IRQ_HIF_OTHER);
  EXPECT_EQ(page_[0], 0x0451'0080u) << "NQ: the failed command was not queued";
  // Tag 4 is free again.
  expect_command(4, 0, 8, false, 50);
  isr(FW_IRQ_HIF_READ);
}

TEST_F(FirmwareCommand, AnErrorIsReportedWhenTheArmHasComeToRest) {
  expect_command(4, 0, 8, false, 50);
  isr(FW_IRQ_HIF_READ);
  expect_grant(4, 0x123, false);
  isr(FW_IRQ_AAU);
  read(SOC_HIF_BASE + HIF_CMD, 0xE000'0400u);  // a tag in use, as an example of a rule broken
  write(SOC_HIF_BASE + HIF_CTRL, 0x8000'0002u);
  write(SOC_AAU_BASE + AAU_CTRL, 0x8000'0007u);
  shows(FW_STATE_DRAIN, 0);
  isr(FW_IRQ_HIF_READ);  // the arm moves: no report yet
  fw_idle(mmio_.context());
  expect_servo_ready();
  expect_rest(0x123);
  expect_status(0x0451);
  write(SOC_HIF_BASE + HIF_CTRL, 0x3);
  shows(FW_STATE_HALTED, 0);
  isr(FW_IRQ_SRV0);
}

TEST_F(FirmwareCommand, ALinkErrorIsSaidOnTheConsole) {
  read(SOC_HIF_BASE + HIF_INTSTAT, 0x10);
  write(SOC_HIF_BASE + HIF_INTSTAT, 0x10);
  EXPECT_CALL(mmio_, write(SOC_DBG_BASE + DBG_PUTC, _)).Times(::testing::Between(10, 80)).InSequence(order_);
  isr(FW_IRQ_HIF_ERROR);
}

TEST_F(FirmwareCommand, AResetOfAnIdleDriveIsAnsweredWithTheSignature) {
  read(SOC_HIF_BASE + HIF_INTSTAT, 0x20);
  write(SOC_HIF_BASE + HIF_INTSTAT, 0x20);
  write(SOC_HIF_BASE + HIF_CTRL, 0x8000'0000u);  // disabled, abort
  write(SOC_AAU_BASE + AAU_CTRL, 1u | 3u << 1 | AAU_CTRL_WITHDRAW_ALL_MASK);
  shows(FW_STATE_DRAIN, 0);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x01'01'50);  // count, error, status
  write(SOC_HIF_BASE + HIF_TASKFILE_LBA_LO, 1);
  write(SOC_HIF_BASE + HIF_COMPLETE, 0x1000);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x50);
  write(SOC_HIF_BASE + HIF_TASKFILE_LBA_LO, 0);
  write(SOC_HIF_BASE + HIF_CTRL, 1);
  shows(FW_STATE_COMPLETE, 0);
  isr(FW_IRQ_HIF_ERROR);
}

}  // namespace
}  // namespace armature::testing
