// Arms that do not reach every surface, heads with offsets, disk stacks, and heads that fail: firmware on a machine
// that knows where sectors lie and remembers what was written.
#include "armature/firmware/regs/cha.h"
#include "support/firmware_bench.h"

#include <map>
#include <optional>
#include <vector>

namespace armature::testing {
namespace {

constexpr std::uint32_t kTrackSectors = 16;
constexpr std::uint32_t kHeadFault = 8, kReady = 1, kArmFault = 4;

class FirmwareReach : public FirmwareBench {
 protected:
  FirmwareReach() {
    record_.heads = 4;
    record_.arms = 2;
    record_.channels = 2;
    record_.arm_cylinders = 1'000;
    record_.arm_reach[0] = 0x0100;  // surfaces 0 and 1
    record_.arm_reach[1] = 0x0302;  // 2 and 3
  }

  /// Sectors lie on surface 0, 1, 2, 3 of cylinder 100, then of 101, and so on.
  static std::uint32_t track_of(std::uint64_t lba) {
    const auto track = static_cast<std::uint32_t>(lba / kTrackSectors);
    return (100 + track / 4) | track % 4 << 23;
  }

  void reset_machine() {
    using ::testing::_;
    EXPECT_CALL(mmio_, write(_, _)).WillRepeatedly([this](std::uint32_t address, std::uint32_t word) {
      last_[address] = word;
      ++writes_[address];
      if (address == SOC_HIF_BASE + HIF_TASKFILE && word != 0x50u) errors_.push_back(word);
    });
    EXPECT_CALL(mmio_, read(_)).WillRepeatedly([this](std::uint32_t address) { return answer(address); });
    fw_reset(mmio_.context());
  }
  void boot_machine() {
    reset_machine();
    isr(FW_IRQ_SPN);
  }

  std::uint32_t answer(std::uint32_t address) {
    if (address == SOC_XLT_BASE + XLT_TRACK) return track_of(last_[SOC_XLT_BASE + XLT_LBA_LO]);
    if (address == SOC_XLT_BASE + XLT_PLACE) {
      const std::uint32_t sector = last_[SOC_XLT_BASE + XLT_LBA_LO] % kTrackSectors;
      return (kTrackSectors - sector) << 16 | sector * 4'096;
    }
    for (std::uint32_t c = 0; c < FW_MAX_CHANNELS; ++c)
      if (address == SOC_CHN_BASE(c) + CHN_PROGRESS) return last_[SOC_CHN_BASE(c) + CHN_CTRL] >> 10 & 0xFFFFu;
    const auto it = answers_.find(address);
    return it == answers_.end() ? lenient_read(address) : it->second;
  }

  void command(std::uint32_t tag, std::uint64_t lba, std::uint32_t sectors, bool to_drive) {
    answers_[SOC_HIF_BASE + HIF_CMD] = 0xA000'0000u | (to_drive ? 0x1000'0000u : 0u) | sectors << 10 | tag;
    answers_[SOC_HIF_BASE + HIF_CMD_LBA_LO] = static_cast<std::uint32_t>(lba);
    isr(to_drive ? FW_IRQ_HIF_WRITE : FW_IRQ_HIF_READ);
  }
  void grant(std::uint32_t slot, std::uint32_t arm, std::uint32_t head = 0) {
    answers_[SOC_AAU_BASE + AAU_GRANT] = 0x8000'0000u | slot | arm << 10 | head << 13;
    forget(slot);
    isr(FW_IRQ_AAU);
  }
  void forget(std::uint32_t slot) { last_.erase(SOC_AAU_BASE + AAU_SLOT_COMMIT(slot)); }
  void servo(std::uint32_t n, std::uint32_t status) {
    answers_[SOC_SRV_BASE(n) + SRV_INTSTAT] = status;
    isr(FW_IRQ_SRV0 + n);
    answers_[SOC_SRV_BASE(n) + SRV_INTSTAT] = 0;
  }
  void channel(std::uint32_t c, std::uint32_t status = 1) {
    answers_[SOC_CHN_BASE(c) + CHN_INTSTAT] = status;
    isr(FW_IRQ_CHN0 + c);
  }
  void data_moved(std::uint32_t tag, std::uint32_t sectors, bool to_host) {
    answers_[SOC_HIF_BASE + HIF_DMA_DONE] = 0x8000'0000u | (to_host ? 0x0800'0000u : 0u) | sectors << 10 | tag;
    isr(FW_IRQ_HIF_DMA);
  }
  std::optional<std::uint32_t> last(std::uint32_t address) const {
    const auto it = last_.find(address);
    if (it == last_.end()) return std::nullopt;
    return it->second;
  }
  /// The slot's commit since its last grant.
  std::optional<std::uint32_t> commit(std::uint32_t slot) const { return last(SOC_AAU_BASE + AAU_SLOT_COMMIT(slot)); }
  std::uint32_t target(std::uint32_t slot) { return last_[SOC_AAU_BASE + AAU_SLOT_TARGET(slot)]; }
  std::uint32_t moved_to(std::uint32_t arm) { return last_[SOC_SRV_BASE(arm) + SRV_TARGET]; }
  unsigned moves(std::uint32_t arm) { return writes_[SOC_SRV_BASE(arm) + SRV_CTRL]; }
  std::uint32_t arm_word(std::uint32_t arm) { return last_[SOC_AAU_BASE + AAU_ARM(arm)]; }
  bool completed(std::uint32_t tag) { return last_[SOC_HIF_BASE + HIF_COMPLETE] == (0x400u | tag); }
  bool stopped() const { return last_.count(SOC_DBG_BASE + DBG_FATAL) != 0; }

  std::map<std::uint32_t, std::uint32_t> last_, answers_;
  std::map<std::uint32_t, unsigned> writes_;
  std::vector<std::uint32_t> errors_;  ///< told to the host: error, status
};

constexpr std::uint32_t track(std::uint32_t cylinder, std::uint32_t surface) {
  return cylinder | surface << 23;
}
constexpr std::uint32_t kIdle = 0x8000'0000u;

TEST_F(FirmwareReach, AReadAcrossABorderGoesOnWithTheOtherArm) {
  boot_machine();
  command(3, 24, 16, false);  // the second half of surface 1, the first of surface 2
  EXPECT_EQ(target(3), track(100, 1));
  grant(3, 0);
  EXPECT_EQ(moved_to(0), track(100, 1));
  servo(0, kReady);
  channel(0);
  EXPECT_EQ(target(3), track(100, 2));
  ASSERT_TRUE(commit(3));
  EXPECT_EQ(arm_word(0), kIdle | track(100, 1));
  grant(3, 1);
  EXPECT_EQ(moved_to(1), track(100, 2));
  servo(1, kReady);
  channel(0);
  EXPECT_EQ(arm_word(1), kIdle | track(100, 2));
  data_moved(3, 8, true);
  EXPECT_FALSE(completed(3));
  data_moved(3, 8, true);
  EXPECT_TRUE(completed(3));
  EXPECT_EQ(moves(0), 1u);
  EXPECT_EQ(moves(1), 1u);
  EXPECT_FALSE(stopped());
}

TEST_F(FirmwareReach, TheNextDataOfAWriteAreNotFetchedForAnArmThatDoesNotWriteThem) {
  boot_machine();
  command(3, 24, 16, true);
  grant(3, 0);
  data_moved(3, 8, false);
  servo(0, kReady);
  EXPECT_EQ(writes_[SOC_HIF_BASE + HIF_DMA_GO], 1u);
  channel(0);
  ASSERT_TRUE(commit(3));
  EXPECT_EQ(writes_[SOC_HIF_BASE + HIF_DMA_GO], 1u);
  grant(3, 1);
  EXPECT_EQ(writes_[SOC_HIF_BASE + HIF_DMA_GO], 2u);
  servo(1, kReady);
  data_moved(3, 8, false);
  channel(0);
  EXPECT_TRUE(completed(3));
}

TEST_F(FirmwareReach, AGrantedHeadSitsWhereTheTrackIsAndTheArmElsewhere) {
  record_.arm_reach[0] = record_.arm_reach[1] = 0;
  record_.aau_limits = 1u << 8;
  record_.head_offset[1] = 60;
  boot_machine();
  command(0, 0, 8, false);
  grant(0, 1, 1);
  EXPECT_EQ(moved_to(1), track(40, 0));
  EXPECT_EQ(last_[SOC_SRV_BASE(1) + SRV_CTRL], 0x8020'0000u);
  servo(1, kReady);
  channel(0);
  EXPECT_EQ(arm_word(1), kIdle | track(40, 0));  // not where its head 1 is
}

TEST_F(FirmwareReach, AHeadThatFailsOnTrackIsMaskedAndTheArmGoesOnWithItsOtherHead) {
  record_.arm_reach[0] = record_.arm_reach[1] = 0;
  record_.aau_limits = 1u << 8;
  record_.head_offset[1] = 60;
  boot_machine();
  command(0, 0, 8, true);  // it waits on its track for the host's data
  grant(0, 0, 0);
  servo(0, kReady);
  servo(0, kHeadFault);
  EXPECT_EQ(last_[SOC_AAU_BASE + AAU_HEAD_MASK(0)], 0xFFFF'FFFEu);
  EXPECT_EQ(last_[SOC_DBG_BASE + DBG_COUNTER(FW_COUNTER_FAILED_HEADS)], 1u);
  EXPECT_FALSE(last(SOC_AAU_BASE + AAU_ARM_MASK));
  ASSERT_TRUE(commit(0));
  EXPECT_EQ(arm_word(0), kIdle | track(100, 0));
  data_moved(0, 8, false);  // that were on the link
  grant(0, 0, 1);
  EXPECT_EQ(moved_to(0), track(40, 0));
  EXPECT_EQ(writes_[SOC_HIF_BASE + HIF_DMA_GO], 1u);
  servo(0, kReady);
  channel(0);
  EXPECT_TRUE(completed(0));
}

TEST_F(FirmwareReach, AGrantForAHeadThatHasFailedSinceIsForAnotherOneOrWaitsAgain) {
  record_.aau_limits = 1u << 8;
  record_.head_offset[1] = 200;  // does not come to cylinder 100
  record_.arm_reach[0] = record_.arm_reach[1] = 0;
  boot_machine();
  servo(0, kHeadFault);  // at rest, on surface 0
  command(0, 0, 8, false);
  grant(0, 0, 0);
  EXPECT_EQ(moves(0), 0u);
  ASSERT_TRUE(commit(0));
  EXPECT_EQ(arm_word(0), kIdle);
  grant(0, 1, 0);
  EXPECT_EQ(moved_to(1), track(100, 0));
  EXPECT_FALSE(stopped());
}

TEST_F(FirmwareReach, AHeadThatFailsInTheMiddleOfATransferEndsItWithTheChannelsError) {
  record_.arm_reach[0] = record_.arm_reach[1] = 0;
  boot_machine();
  command(0, 0, 8, false);
  grant(0, 0);
  servo(0, kReady);
  servo(0, kHeadFault);
  EXPECT_FALSE(commit(0));  // the channel has not let go
  channel(0, 2);
  ASSERT_TRUE(commit(0));
  EXPECT_EQ(arm_word(0), kIdle | track(100, 0));
  EXPECT_EQ(last_[SOC_DBG_BASE + DBG_COUNTER(FW_COUNTER_FAILED_HEADS)], 1u);
}

TEST_F(FirmwareReach, TheChannelsErrorMayComeBeforeTheHeads) {
  record_.arm_reach[0] = record_.arm_reach[1] = 0;
  boot_machine();
  command(0, 0, 8, false);
  grant(0, 0);
  servo(0, kReady);
  answers_[SOC_SRV_BASE(0) + SRV_INTSTAT] = kHeadFault;
  channel(0, 2);
  EXPECT_EQ(last_[SOC_SRV_BASE(0) + SRV_INTSTAT], kHeadFault);  // so that it is not told again
  ASSERT_TRUE(commit(0));
  EXPECT_EQ(last_[SOC_DBG_BASE + DBG_COUNTER(FW_COUNTER_FAILED_HEADS)], 1u);
  EXPECT_FALSE(last(SOC_HIF_BASE + HIF_COMPLETE));
}

TEST_F(FirmwareReach, ArmAndHeadAtOnceAreBothCounted) {
  record_.arm_reach[0] = record_.arm_reach[1] = 0;
  boot_machine();
  command(0, 0, 8, false);
  grant(0, 0);
  servo(0, kHeadFault | kArmFault);
  EXPECT_EQ(last_[SOC_AAU_BASE + AAU_ARM_MASK], 2u);
  EXPECT_EQ(last_[SOC_DBG_BASE + DBG_COUNTER(FW_COUNTER_FAILED_HEADS)], 1u);
  EXPECT_EQ(last_[SOC_DBG_BASE + DBG_COUNTER(FW_COUNTER_FAILED_ARMS)], 1u);
  grant(0, 1);
  EXPECT_EQ(moved_to(1), track(100, 0));
  EXPECT_FALSE(stopped());
}

TEST_F(FirmwareReach, ASurfaceWithoutAHeadFailsItsReadsWithUncAndItsWritesWithIdnf) {
  boot_machine();
  command(5, 0, 24, false);  // surface 0, then surface 1
  grant(5, 0);
  servo(0, kReady);
  channel(0);
  EXPECT_EQ(moved_to(0), track(100, 1));
  servo(0, kHeadFault);
  EXPECT_EQ(last_[SOC_HIF_BASE + HIF_COMPLETE], HIF_COMPLETE_QUEUED_MASK | HIF_COMPLETE_FAILED_MASK);
  EXPECT_FALSE(stopped());
  EXPECT_FALSE(last(SOC_AAU_BASE + AAU_ARM_MASK));

  answers_[SOC_HIF_BASE + HIF_CMD] = 0x8000'0000u;  // READ LOG EXT 10h
  answers_[SOC_HIF_BASE + HIF_CMD_CODE] = 0x2F;
  answers_[SOC_HIF_BASE + HIF_CMD_LBA_LO] = 0x10;
  answers_[SOC_HIF_BASE + HIF_CMD_COUNT] = 1;
  isr(FW_IRQ_HIF_OTHER);
  last_.erase(SOC_HIF_BASE + HIF_COMPLETE);
  command(6, 15, 2, true);
  EXPECT_EQ(last_[SOC_HIF_BASE + HIF_COMPLETE], HIF_COMPLETE_QUEUED_MASK | HIF_COMPLETE_FAILED_MASK);
  EXPECT_EQ(errors_, (std::vector<std::uint32_t>{0x4041, 0x1041}));
  EXPECT_FALSE(stopped());
}

/// Arm 0 waits on its track for a segment, arm 1's head fails while a write of its own holds both of them.
TEST_F(FirmwareReach, WhatHoldsTheSegmentsGoesToTheArmThatWaitsForThemWhateverTheUnitAnswered) {
  record_.arm_reach[0] = record_.arm_reach[1] = 0;
  answers_[SOC_BUF_BASE + BUF_LAYOUT] = 2u | 100u << 16;
  // Writes to the unit are posted: what it answers is about a withdrawal before.
  answers_[SOC_AAU_BASE + AAU_WITHDRAW] = AAU_WITHDRAW_TOO_LATE_MASK;
  boot_machine();
  command(4, 8, 16, true);  // of two tracks: two segments
  grant(4, 1);
  data_moved(4, 8, false);
  servo(1, kReady);
  data_moved(4, 8, false);
  command(5, 64, 8, true);
  grant(5, 0);
  EXPECT_EQ(moved_to(0), track(101, 0));
  servo(0, kReady);
  servo(1, kHeadFault);
  channel(0, 2);
  EXPECT_EQ(moved_to(0), track(100, 0)) << "the holder is served by the arm that waits";
  ASSERT_TRUE(commit(5));
  EXPECT_EQ(last(SOC_DBG_BASE + DBG_ARM), 4u) << "arm 0 for request 4";
  last_.erase(SOC_DBG_BASE + DBG_ARM);
  // The grant that had been made when the withdrawal came to the unit.
  grant(4, 1);
  EXPECT_EQ(last(SOC_DBG_BASE + DBG_ARM), 4u) << "still arm 0";
  EXPECT_EQ(moves(1), 1u);
  EXPECT_EQ(arm_word(1), kIdle | track(100, 0));
  EXPECT_FALSE(stopped());
  servo(0, kReady);
  channel(0);
  servo(0, kReady);
  channel(0);
  EXPECT_TRUE(completed(4));
  grant(4, 1);  // nobody has withdrawn it since
  EXPECT_TRUE(stopped());
}

TEST_F(FirmwareReach, AllStacksStartAndTheLastOneAtSpeedEnablesArbitration) {
  record_.stacks = 2;
  reset_machine();
  for (std::uint32_t stack = 0; stack < 2; ++stack) {
    EXPECT_EQ(last_[SOC_SPN_BASE(stack) + SPN_INTEN], 1u);
    EXPECT_EQ(last_[SOC_SPN_BASE(stack) + SPN_CTRL], 0x8000'0001u);
  }
  answers_[SOC_SPN_BASE(0) + SPN_INTSTAT] = 0;
  answers_[SOC_SPN_BASE(1) + SPN_INTSTAT] = 1;
  isr(FW_IRQ_SPN);
  EXPECT_FALSE(last(SOC_AAU_BASE + AAU_CTRL));
  answers_[SOC_SPN_BASE(1) + SPN_INTSTAT] = 0;
  isr(FW_IRQ_SPN);  // nobody's
  EXPECT_FALSE(last(SOC_AAU_BASE + AAU_CTRL));
  answers_[SOC_SPN_BASE(0) + SPN_INTSTAT] = 1;
  isr(FW_IRQ_SPN);
  EXPECT_EQ(last_[SOC_AAU_BASE + AAU_CTRL] & 1u, 1u);
  EXPECT_EQ(writes_[SOC_SPN_BASE(0) + SPN_INTSTAT], 1u);
  // Slots tell the stack.
  command(0, 0, 8, false);
  EXPECT_EQ(commit(0), 0x8000'0000u);
  command(1, 32, 8, false);
  EXPECT_EQ(commit(1), 0x8008'0000u);
}

TEST_F(FirmwareReach, TheChannelArbiterHearsTheStackAndTheHeadsAngle) {
  record_.stacks = 2;
  record_.channels = 1;
  record_.aau_limits = 1u << 8;
  record_.head_angle[1] = 0x8000;
  record_.arm_mount[1] = 0x1'4000;
  answers_[SOC_SPN_BASE(0) + SPN_INTSTAT] = answers_[SOC_SPN_BASE(1) + SPN_INTSTAT] = 1;
  boot_machine();
  command(1, 33, 8, false);  // at 1/16 of the turn
  grant(1, 1, 1);
  servo(1, kReady);
  EXPECT_EQ(last_[SOC_CHA_BASE + CHA_REQUEST(1)], 0x8001'D000u);
}

TEST_F(FirmwareReach, ARequestThatIsDroppedWaitsForItsSectorNoLonger) {
  record_.channels = 1;
  record_.rpm = 10'000;
  record_.channel_lead_us = 50;
  record_.aau_channels = 1u;
  boot_machine();
  answers_[SOC_AAU_BASE + AAU_ESTIMATE] = 40'000;
  for (std::uint32_t slot = 1; slot <= 2; ++slot)
    answers_[SOC_AAU_BASE + AAU_SLOT_COMMIT(slot)] = AAU_SLOT_COMMIT_LENGTH_MASK;
  command(1, 0, 8, false);
  grant(1, 0);
  servo(0, kReady);
  EXPECT_EQ(last(SOC_DBG_BASE + DBG_WAIT), 1u | 4u << DBG_WAIT_REASON_SHIFT) << "its arm waits without a channel";
  command(2, 33, 8, false);
  grant(2, 1);
  servo(1, kHeadFault);
  EXPECT_EQ(last_[SOC_HIF_BASE + HIF_COMPLETE], HIF_COMPLETE_QUEUED_MASK | HIF_COMPLETE_FAILED_MASK);
  EXPECT_EQ(last(SOC_DBG_BASE + DBG_WAIT), 1u);
}

}  // namespace
}  // namespace armature::testing
