// Power modes, access by access.
#include "support/firmware_bench.h"

extern "C" {
#include "commands/commands.h"
}

#include <string>

namespace armature::testing {
namespace {

constexpr std::uint32_t kGo = 0x8000'0000u, kLoad = 0x4'0000u, kUnload = 0x8'0000u, kAnonymous = 0x2'0000u;

class FirmwarePower : public FirmwareBench {
 protected:
  /// Brought up with or without a ramp, arms over the disk.
  void boot_with(bool ramp, bool parked) {
    parking_ = (ramp ? 2u : 0u) | (parked ? 1u : 0u);
    EXPECT_CALL(mmio_, write(::testing::_, ::testing::_)).Times(::testing::AnyNumber());
    EXPECT_CALL(mmio_, read(::testing::_)).WillRepeatedly([this](std::uint32_t address) {
      for (unsigned arm = 0; arm < record_.arms; ++arm)
        if (address == SOC_SRV_BASE(arm) + SRV_PARKING) return parking_;
      return lenient_read(address);
    });
    fw_reset(mmio_.context());
    if (!parked) fw_isr(mmio_.context(), FW_IRQ_SPN);
    ::testing::Mock::VerifyAndClearExpectations(&mmio_);
    expect_power_states();
    expect_age();
  }
  void expect_answer() { write(SOC_HIF_BASE + HIF_COMPLETE, 0); }
  void expect_arbitration(bool on) { write(SOC_AAU_BASE + AAU_CTRL, (on ? 1u : 0u) | 3u << 1); }
  void expect_spindle_ready() {
    read(SOC_SPN_BASE(0) + SPN_INTSTAT, 1);
    write(SOC_SPN_BASE(0) + SPN_INTSTAT, 1);
  }
  void expect_spin_down() {
    read(SOC_TMR_BASE + TMR_COUNT, 50'000'000);
    shows(FW_STATE_SPIN_DOWN, 0);
    write(SOC_SPN_BASE(0) + SPN_CTRL, kGo);
  }
  void expect_spin_up() {
    shows(FW_STATE_SPIN_UP, 0);
    read(SOC_NVM_BASE + offsetof(fw_factory, spin_up_limit_us), 5'000'000);
    read(SOC_TMR_BASE + TMR_COUNT, 100'000'000);
    write(SOC_TMR_BASE + TMR_AFTER, 5'000'000);
    write(SOC_SPN_BASE(0) + SPN_CTRL, kGo | 1u);
    write(SOC_SPN_BASE(0) + SPN_INTSTAT, 1);
  }
  void expect_arm(std::uint32_t command) { write(SOC_SRV_BASE(0) + SRV_CTRL, kGo | kAnonymous | command); }
  void expect_arm_loaded() {
    expect_servo_ready();
    read(SOC_SRV_BASE(0) + SRV_STATUS, kGo);  // on track, cylinder 0, head 0
    expect_rest(0);
  }
  /// Into standby from rest, with a ramp.
  void go_to_standby() {
    expect_other(0xE0);
    expect_arbitration(false);
    shows(FW_STATE_UNLOAD, 0);
    expect_arm(kUnload);
    isr(FW_IRQ_HIF_OTHER);
    expect_servo_ready();
    expect_spin_down();
    isr(FW_IRQ_SRV0);
    expect_spindle_ready();
    shows(FW_STATE_STANDBY, 0);
    expect_answer();
    isr(FW_IRQ_SPN);
  }
  void expect_power_mode(std::uint32_t count) {
    expect_other(0xE5);
    write(SOC_HIF_BASE + HIF_TASKFILE, 0x50u | count << 16);
    expect_answer();
    write(SOC_HIF_BASE + HIF_TASKFILE, 0x50);
    isr(FW_IRQ_HIF_OTHER);
  }
  /// A queued read of `sectors` from `lba` on, whose slot starts the stack.
  void expect_waking_read(std::uint32_t tag, std::uint64_t lba) {
    read(SOC_HIF_BASE + HIF_CMD, 0xA000'0000u | 8u << 10 | tag);
    read(SOC_HIF_BASE + HIF_CMD_LBA_LO, static_cast<std::uint32_t>(lba));
    read(SOC_HIF_BASE + HIF_CMD_LBA_HI, 0);
    expect_translation(lba, 0x123, 0x8000, 50);
    write(SOC_AAU_BASE + 0x4000 + 4 * tag, 0x123);
    write(SOC_AAU_BASE + 0x6000 + 4 * tag, 0x8000'8000u);
  }

  std::uint32_t parking_ = 0;
};

TEST_F(FirmwarePower, AParkedArmIsLoadedWhenTheStackIsAtSpeed) {
  boot_with(/*ramp=*/true, /*parked=*/true);
  expect_spindle_ready();
  write(SOC_TMR_BASE + TMR_AFTER, 0);
  expect_arm(kLoad);
  shows(FW_STATE_LOAD, 0);
  isr(FW_IRQ_SPN);
  expect_arm_loaded();
  expect_arbitration(true);
  shows(FW_STATE_IDLE, 0);
  for (const char c : std::string("ready\n")) write(SOC_DBG_BASE + DBG_PUTC, static_cast<unsigned char>(c));
  isr(FW_IRQ_SRV0);
}

TEST_F(FirmwarePower, StandbyUnloadsTheArmStopsTheStackAndThenAnswers) {
  boot_with(true, false);
  expect_power_mode(0xFF);
  go_to_standby();
  expect_power_mode(0x00);
  // Once more: there already.
  expect_other(0xE0);
  expect_answer();
  isr(FW_IRQ_HIF_OTHER);
  EXPECT_EQ(power_states_, (std::vector<std::uint32_t>{0, 2})) << "active on the way, then standby";
}

TEST_F(FirmwarePower, WithoutARampStandbyOnlyStopsTheStack) {
  boot_with(false, false);
  expect_other(0xE0);
  expect_arbitration(false);
  expect_spin_down();
  isr(FW_IRQ_HIF_OTHER);
  expect_spindle_ready();
  shows(FW_STATE_STANDBY, 0);
  expect_answer();
  isr(FW_IRQ_SPN);
}

TEST_F(FirmwarePower, AReadStartsTheStackAndItsSlotWaitsForTheArm) {
  boot_with(true, false);
  go_to_standby();
  expect_waking_read(4, 7);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  shows(FW_STATE_READ_QUEUED, 4);
  expect_spin_up();
  isr(FW_IRQ_HIF_READ);
  // Another one only waits.
  expect_waking_read(5, 700);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  shows(FW_STATE_READ_QUEUED, 5);
  isr(FW_IRQ_HIF_READ);
  expect_spindle_ready();
  write(SOC_TMR_BASE + TMR_AFTER, 0);
  expect_arm(kLoad);
  shows(FW_STATE_LOAD, 0);
  isr(FW_IRQ_SPN);
  expect_arm_loaded();
  expect_arbitration(true);
  shows(FW_STATE_IDLE, 0);
  isr(FW_IRQ_SRV0);
  expect_grant(4, 0x123, false);
  isr(FW_IRQ_AAU);
  EXPECT_EQ(power_states_, (std::vector<std::uint32_t>{0, 2, 0})) << "and active with the first read";
}

TEST_F(FirmwarePower, AnInterruptThatIsLeftOfAStopDoesNotCountAsTheSpeedReached) {
  boot_with(true, false);
  go_to_standby();
  expect_waking_read(4, 7);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  shows(FW_STATE_READ_QUEUED, 4);
  expect_spin_up();
  isr(FW_IRQ_HIF_READ);
  read(SOC_SPN_BASE(0) + SPN_INTSTAT, 0);  // the processor had seen the line before the stop's end was taken
  isr(FW_IRQ_SPN);
  expect_spindle_ready();
  write(SOC_TMR_BASE + TMR_AFTER, 0);
  expect_arm(kLoad);
  shows(FW_STATE_LOAD, 0);
  isr(FW_IRQ_SPN);
}

TEST_F(FirmwarePower, IdleImmediateBringsTheDriveBackAndThenAnswers) {
  boot_with(true, false);
  expect_other(0xE1);
  expect_answer();
  isr(FW_IRQ_HIF_OTHER);
  go_to_standby();
  expect_other(0xE1);
  expect_spin_up();
  isr(FW_IRQ_HIF_OTHER);
  expect_spindle_ready();
  write(SOC_TMR_BASE + TMR_AFTER, 0);
  expect_arm(kLoad);
  shows(FW_STATE_LOAD, 0);
  isr(FW_IRQ_SPN);
  expect_arm_loaded();
  expect_arbitration(true);
  shows(FW_STATE_IDLE, 0);
  expect_answer();
  isr(FW_IRQ_SRV0);
  expect_power_mode(0xFF);
}

TEST_F(FirmwarePower, AStackThatDoesNotComeBackFailsWhatWaitsForIt) {
  boot_with(true, false);
  go_to_standby();
  expect_waking_read(4, 7);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  shows(FW_STATE_READ_QUEUED, 4);
  expect_spin_up();
  isr(FW_IRQ_HIF_READ);
  write(SOC_TMR_BASE + TMR_INTSTAT, 1);
  read(SOC_TMR_BASE + TMR_COUNT, 105'000'000);
  shows(FW_STATE_FAULT, 0);
  for (const char c : std::string("spindle not at speed: device fault\n"))
    write(SOC_DBG_BASE + DBG_PUTC, static_cast<unsigned char>(c));
  write(SOC_HIF_BASE + HIF_CTRL, 0x8000'0002u);
  write(SOC_AAU_BASE + AAU_CTRL, 0x8000'0006u);
  shows(FW_STATE_DRAIN, 4);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x0461);  // device fault, ABRT
  write(SOC_HIF_BASE + HIF_COMPLETE, 0xC00);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x50);
  write(SOC_HIF_BASE + HIF_CTRL, 0x3);
  shows(FW_STATE_HALTED, 4);
  expect_error_log();
  isr(FW_IRQ_TMR);
}

TEST_F(FirmwarePower, AResetWhileTheArmUnloadsIsAnsweredAndTheStandbyGoesOnWithoutItsAnswer) {
  boot_with(true, false);
  expect_other(0xE0);
  expect_arbitration(false);
  shows(FW_STATE_UNLOAD, 0);
  expect_arm(kUnload);
  isr(FW_IRQ_HIF_OTHER);
  read(SOC_HIF_BASE + HIF_INTSTAT, 0x20);
  write(SOC_HIF_BASE + HIF_INTSTAT, 0x20);
  write(SOC_HIF_BASE + HIF_CTRL, 0x8000'0000u);
  write(SOC_AAU_BASE + AAU_CTRL, 6u | AAU_CTRL_WITHDRAW_ALL_MASK);
  shows(FW_STATE_DRAIN, 0);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x01'01'50);
  write(SOC_HIF_BASE + HIF_TASKFILE_LBA_LO, 1);
  write(SOC_HIF_BASE + HIF_COMPLETE, 0x1000);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x50);
  write(SOC_HIF_BASE + HIF_TASKFILE_LBA_LO, 0);
  write(SOC_HIF_BASE + HIF_CTRL, 1);
  shows(FW_STATE_COMPLETE, 0);
  isr(FW_IRQ_HIF_ERROR);
  // A read now: the arm turns round on the ramp.
  expect_waking_read(4, 7);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  shows(FW_STATE_READ_QUEUED, 4);
  isr(FW_IRQ_HIF_READ);
  expect_servo_ready();
  expect_arm(kLoad);
  shows(FW_STATE_LOAD, 0);
  isr(FW_IRQ_SRV0);
  expect_arm_loaded();
  expect_arbitration(true);
  shows(FW_STATE_IDLE, 0);
  isr(FW_IRQ_SRV0);
}

TEST_F(FirmwarePower, WithSeveralArmsTheStackStopsWhenTheLastOneIsOnTheRampAndTheDriveOpensWhenTheLastOneIsBack) {
  record_.arms = 3;
  boot_with(true, false);
  const auto order = [&](unsigned arm, std::uint32_t command) {
    write(SOC_SRV_BASE(arm) + SRV_CTRL, kGo | kAnonymous | command);
  };
  const auto arrives = [&](unsigned arm) {
    read(SOC_SRV_BASE(arm) + SRV_INTSTAT, 1);
    write(SOC_SRV_BASE(arm) + SRV_INTSTAT, 1);
  };
  expect_other(0xE0);
  expect_arbitration(false);
  shows(FW_STATE_UNLOAD, 0);
  for (const unsigned arm : {0u, 1u, 2u}) order(arm, kUnload);
  isr(FW_IRQ_HIF_OTHER);
  for (const unsigned arm : {2u, 0u}) {  // in whatever order they arrive
    arrives(arm);
    isr(FW_IRQ_SRV0 + arm);
  }
  arrives(1);
  expect_spin_down();
  isr(FW_IRQ_SRV0 + 1);
  expect_spindle_ready();
  shows(FW_STATE_STANDBY, 0);
  expect_answer();
  isr(FW_IRQ_SPN);
  // And back.
  expect_other(0xE1);
  expect_spin_up();
  isr(FW_IRQ_HIF_OTHER);
  expect_spindle_ready();
  write(SOC_TMR_BASE + TMR_AFTER, 0);
  for (const unsigned arm : {0u, 1u, 2u}) order(arm, kLoad);
  shows(FW_STATE_LOAD, 0);
  isr(FW_IRQ_SPN);
  for (const unsigned arm : {1u, 2u}) {
    arrives(arm);
    isr(FW_IRQ_SRV0 + arm);
  }
  arrives(0);
  for (const unsigned arm : {0u, 1u, 2u}) {
    read(SOC_SRV_BASE(arm) + SRV_STATUS, kGo);  // on track, cylinder 0, head 0
    write(SOC_AAU_BASE + AAU_ARM(arm), 0x8000'0000u);
  }
  expect_arbitration(true);
  shows(FW_STATE_IDLE, 0);
  expect_answer();
  isr(FW_IRQ_SRV0);
}

TEST_F(FirmwarePower, StandbyTimerValuesAreThoseOfTheStandard) {
  boot_with(true, false);
  // ATA8-ACS, table of standby timer periods; 253 is the vendor's, between 8 and 12 hours.
  const std::pair<std::uint32_t, std::uint32_t> expected[] = {{0, 0},        {1, 5},       {240, 1'200},  {241, 1'800},
                                                              {251, 19'800}, {252, 1'260}, {253, 28'800}, {255, 1'275},
                                                              {120, 600},    {244, 7'200}};
  for (const auto& [value, seconds] : expected) {
    fw_standby_timer(mmio_.context(), value);
    EXPECT_EQ(mmio_.context()->pm.standby_s, seconds) << value;
  }
}

}  // namespace
}  // namespace armature::testing
