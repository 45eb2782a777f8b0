#pragma once

#include "armature/firmware/fw_abi.h"
#include "support/mock_mmio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

// C headers of registers, as firmware sees them.
#include "armature/firmware/regs/aau.h"
#include "armature/firmware/regs/buf.h"
#include "armature/firmware/regs/chn.h"
#include "armature/firmware/regs/dbg.h"
#include "armature/firmware/regs/hif.h"
#include "armature/firmware/regs/irq.h"
#include "armature/firmware/regs/nvm.h"
#include "armature/firmware/regs/pmu.h"
#include "armature/firmware/regs/soc.h"
#include "armature/firmware/regs/spn.h"
#include "armature/firmware/regs/srv.h"
#include "armature/firmware/regs/tmr.h"
#include "armature/firmware/regs/xlt.h"

namespace armature::testing {

/// Firmware on a mock: brought up by a lenient machine that knows a factory record, then strict and in order.
class FirmwareBench : public ::testing::Test {
 protected:
  FirmwareBench() {
    record_.magic = FW_FACTORY_MAGIC;
    record_.version = FW_FACTORY_VERSION;
    std::memcpy(record_.model, "ARMATURE TEST DRIVE                     ", 40);
    std::memcpy(record_.serial, "SERIAL123           ", 20);
    std::memcpy(record_.revision, "REV1.0  ", 8);
    record_.capacity_lo = 0x2000'0000;
    record_.capacity_hi = 1;
    record_.arms = 1;
    record_.stacks = 1;
    record_.channels = 1;
    record_.heads = 4;
    record_.cylinders = 1'000;
    record_.queue_depth = 32;
    record_.buffer_offsets = 1;
    record_.physical_sectors = 1;
    record_.rpm = 7'200;
    record_.link_generation = 2;
    record_.policy = 3;
    record_.ageing_weight = 77;
    record_.margin_ticks = 30;
    record_.head_switch_ticks = 6'000;
    record_.write_settle_ticks = 4'000;
    record_.spin_up_limit_us = 5'000'000;
    record_.seek_points = 2;
    record_.seek[0] = {1, 900};
    record_.seek[1] = {999, 90'000};
  }

  /// A machine that answers reset's questions; everything else is none of the test's business.
  void be_lenient() {
    using ::testing::_;
    EXPECT_CALL(mmio_, write(_, _)).Times(::testing::AnyNumber());
    EXPECT_CALL(mmio_, read(_)).WillRepeatedly([this](std::uint32_t address) { return lenient_read(address); });
  }

  std::uint32_t lenient_read(std::uint32_t address) const {
    if (address >= SOC_NVM_BASE && address < SOC_NVM_BASE + sizeof record_) {
      std::uint32_t word;
      std::memcpy(&word, reinterpret_cast<const unsigned char*>(&record_) + (address - SOC_NVM_BASE), 4);
      return word;
    }
    if (address == SOC_BUF_BASE + BUF_LAYOUT) return 4u | segment_sectors_ << 16;
    if (address == SOC_SPN_BASE(0) + SPN_INTSTAT) return 1;
    return 0;
  }

  /// Reset and spindle ready, then only what the test expects.
  void boot() {
    be_lenient();
    fw_reset(mmio_.context());
    fw_isr(mmio_.context(), FW_IRQ_SPN);
    ::testing::Mock::VerifyAndClearExpectations(&mmio_);
    expect_power_states();
    expect_age();
  }

  /// The timer's age, which is read before its count: less than 71 minutes, unless a test says so.
  void expect_age(std::uint32_t age = 0) {
    EXPECT_CALL(mmio_, read(SOC_TMR_BASE + TMR_AGE))
        .Times(::testing::AnyNumber())
        .WillRepeatedly(::testing::Return(age));
  }

  /// The controller's power state, told at the end of a handler: kept, in no order with the rest.
  void expect_power_states() {
    EXPECT_CALL(mmio_, write(SOC_PMU_BASE + PMU_STATE, ::testing::_))
        .Times(::testing::AnyNumber())
        .WillRepeatedly([this](std::uint32_t, std::uint32_t state) { power_states_.push_back(state); });
  }

  void isr(unsigned cause) { fw_isr(mmio_.context(), cause); }

  void read(std::uint32_t address, std::uint32_t value) {
    EXPECT_CALL(mmio_, read(address)).InSequence(order_).WillOnce(::testing::Return(value));
  }
  void write(std::uint32_t address, std::uint32_t value) {
    EXPECT_CALL(mmio_, write(address, value)).InSequence(order_);
  }
  void shows(fw_state state, std::uint32_t tag) {
    write(SOC_DBG_BASE + DBG_STATE, static_cast<std::uint32_t>(state) | tag << 8);
  }

  /// A command that is neither a read nor a write: its registers.
  void expect_other(std::uint32_t code, std::uint64_t lba = 0, std::uint32_t count = 0, std::uint32_t features = 0) {
    read(SOC_HIF_BASE + HIF_CMD, 0x8000'0400u);
    read(SOC_HIF_BASE + HIF_CMD_CODE, code | features << 8);
    read(SOC_HIF_BASE + HIF_CMD_LBA_LO, static_cast<std::uint32_t>(lba));
    read(SOC_HIF_BASE + HIF_CMD_LBA_HI, 0x40'0000u | static_cast<std::uint32_t>(lba >> 32));
    read(SOC_HIF_BASE + HIF_CMD_COUNT, count);
    shows(FW_STATE_COMMAND, 0);
    write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  }

  /// An error is logged: with the five commands that came last.
  void expect_error_log() {
    for (std::uint32_t word = 0; word < 25; ++word) read(SOC_HIF_BASE + HIF_PAST(word), 0);
  }

  // What a command costs, step by step; the constants are worked out by hand from docs/reference/registers.md.
  void expect_translation(std::uint64_t lba, std::uint32_t track, std::uint32_t angle, std::uint32_t run) {
    write(SOC_XLT_BASE + XLT_LBA_HI, static_cast<std::uint32_t>(lba >> 32));
    write(SOC_XLT_BASE + XLT_LBA_LO, static_cast<std::uint32_t>(lba));
    read(SOC_XLT_BASE + XLT_TRACK, track);
    read(SOC_XLT_BASE + XLT_PLACE, run << 16 | angle);
  }
  /// A queued read or write of `sectors` on track 0x123, `run` sectors before its end, angle 0x8000.
  void expect_command(std::uint32_t tag, std::uint64_t lba, std::uint32_t sectors, bool to_drive, std::uint32_t run) {
    read(SOC_HIF_BASE + HIF_CMD, 0xA000'0000u | (to_drive ? 0x1000'0000u : 0u) | sectors << 10 | tag);
    read(SOC_HIF_BASE + HIF_CMD_LBA_LO, static_cast<std::uint32_t>(lba));
    read(SOC_HIF_BASE + HIF_CMD_LBA_HI, static_cast<std::uint32_t>(lba >> 32));
    expect_translation(lba, 0x123, 0x8000, run);
    write(SOC_AAU_BASE + 0x4000 + 4 * tag, 0x123);
    write(SOC_AAU_BASE + 0x6000 + 4 * tag, 0x8000'8000u | (to_drive ? 0x1'0000u : 0u));
    write(SOC_HIF_BASE + HIF_CMD_POP, 1);
    shows(to_drive ? FW_STATE_WRITE_QUEUED : FW_STATE_READ_QUEUED, tag);
  }
  void expect_move(std::uint32_t tag, std::uint32_t track, bool to_drive) {
    write(SOC_SRV_BASE(0) + SRV_TARGET, track);
    write(SOC_SRV_BASE(0) + SRV_CTRL, 0x8000'0000u | (to_drive ? 0x1'0000u : 0u) | tag);
    shows(FW_STATE_SEEK, tag);
  }
  void expect_grant(std::uint32_t tag, std::uint32_t track, bool to_drive) {
    read(SOC_AAU_BASE + AAU_GRANT, 0x8000'0000u | tag);
    write(SOC_AAU_BASE + AAU_GRANT_ACK, 1);
    expect_move(tag, track, to_drive);
  }
  void expect_dma(std::uint32_t tag, std::uint32_t address, std::uint32_t offset, std::uint32_t sectors, bool to_host) {
    write(SOC_HIF_BASE + HIF_DMA_ADDR, address);
    write(SOC_HIF_BASE + HIF_DMA_OFFSET, offset);
    write(SOC_HIF_BASE + HIF_DMA_GO, 0x1000'0000u | (to_host ? 0x0800'0000u : 0u) | sectors << 10 | tag);
  }
  void expect_servo_ready() {
    read(SOC_SRV_BASE(0) + SRV_INTSTAT, 1);
    write(SOC_SRV_BASE(0) + SRV_INTSTAT, 1);
  }
  void expect_channel(std::uint32_t tag, std::uint64_t lba, std::uint32_t address, std::uint32_t sectors,
                      bool to_drive) {
    write(SOC_CHN_BASE(0) + CHN_ADDRESS, address);
    write(SOC_CHN_BASE(0) + CHN_LBA_HI, static_cast<std::uint32_t>(lba >> 32));
    write(SOC_CHN_BASE(0) + CHN_LBA_LO, static_cast<std::uint32_t>(lba));
    write(SOC_CHN_BASE(0) + CHN_CTRL, 0x8000'0000u | (to_drive ? 0x2000'0000u : 0u) | sectors << 10 | tag);
    shows(FW_STATE_CHANNEL, tag);
  }
  void expect_channel_done() {
    read(SOC_CHN_BASE(0) + CHN_INTSTAT, 1);
    write(SOC_CHN_BASE(0) + CHN_INTSTAT, 1);
  }
  void expect_account(std::uint32_t tag, std::uint32_t reason) {
    write(SOC_DBG_BASE + DBG_WAIT, tag << DBG_WAIT_TAG_SHIFT | reason << DBG_WAIT_REASON_SHIFT);
  }
  /// Of a read: firmware asks how far it came.
  void expect_read_done(std::uint32_t sectors) {
    expect_channel_done();
    read(SOC_CHN_BASE(0) + CHN_PROGRESS, sectors);
  }
  void expect_dma_done(std::uint32_t tag, std::uint32_t sectors, bool to_host) {
    read(SOC_HIF_BASE + HIF_DMA_DONE, 0x8000'0000u | (to_host ? 0x0800'0000u : 0u) | sectors << 10 | tag);
    write(SOC_HIF_BASE + HIF_DMA_POP, 1);
  }
  void expect_rest(std::uint32_t track) { write(SOC_AAU_BASE + AAU_ARM(0), 0x8000'0000u | track); }
  void expect_complete(std::uint32_t tag) {
    write(SOC_HIF_BASE + HIF_COMPLETE, 0x400u | tag);
    shows(FW_STATE_COMPLETE, tag);
  }

  fw_factory record_{};
  std::uint32_t segment_sectors_ = 100;
  ::testing::StrictMock<MockMmio> mmio_;
  ::testing::Sequence order_;
  std::vector<std::uint32_t> power_states_;  ///< of the controller, since boot
};

}  // namespace armature::testing
