#include "support/firmware_bench.h"

namespace armature::testing {
namespace {

// Four segments of 100 sectors: segment s begins at s * 51,200 bytes. The lowest free one is taken first.
constexpr std::uint32_t kSegment = 51'200;
constexpr std::uint32_t kWaitOver = 0, kWaitFill = 1;  // dbg.wait.reason

class FirmwareMedia : public FirmwareBench {
 protected:
  void SetUp() override { boot(); }
};

TEST_F(FirmwareMedia, AReadRunsThroughItsFiveHandlers) {
  expect_command(7, 0x1'0000'0010, 8, false, 50);
  isr(FW_IRQ_HIF_READ);
  expect_grant(7, 0x123, false);
  isr(FW_IRQ_AAU);
  expect_servo_ready();
  expect_channel(7, 0x1'0000'0010, 0, 8, false);
  isr(FW_IRQ_SRV0);
  expect_read_done(8);
  expect_account(7, kWaitOver);
  expect_dma(7, 0, 0, 8, true);
  expect_rest(0x123);
  isr(FW_IRQ_CHN0);
  fw_idle(mmio_.context());  // a request is in work: nothing to show
  expect_dma_done(7, 8, true);
  expect_complete(7);
  isr(FW_IRQ_HIF_DMA);
  shows(FW_STATE_IDLE, 0);
  fw_idle(mmio_.context());
  fw_idle(mmio_.context());  // and that only once
}

TEST_F(FirmwareMedia, AWriteFetchesItsDataWhileTheArmMoves) {
  expect_command(3, 100, 8, true, 50);
  isr(FW_IRQ_HIF_WRITE);
  expect_grant(3, 0x123, true);
  expect_dma(3, 0, 0, 8, false);
  isr(FW_IRQ_AAU);
  expect_dma_done(3, 8, false);
  isr(FW_IRQ_HIF_DMA);  // data are here, the arm is not
  expect_servo_ready();
  expect_translation(100, 0x123, 0, 50);
  expect_channel(3, 100, 0, 8, true);
  isr(FW_IRQ_SRV0);
  expect_channel_done();
  read(SOC_CHN_BASE(0) + CHN_PROGRESS, 8);
  expect_rest(0x123);
  expect_complete(3);
  isr(FW_IRQ_CHN0);
}

TEST_F(FirmwareMedia, AWriteWhoseArmIsFirstWaitsForItsData) {
  expect_command(3, 100, 8, true, 50);
  isr(FW_IRQ_HIF_WRITE);
  expect_grant(3, 0x123, true);
  expect_dma(3, 0, 0, 8, false);
  isr(FW_IRQ_AAU);
  expect_servo_ready();
  shows(FW_STATE_WAIT_DATA, 3);
  isr(FW_IRQ_SRV0);
  expect_dma_done(3, 8, false);
  expect_translation(100, 0x123, 0, 50);
  expect_channel(3, 100, 0, 8, true);
  isr(FW_IRQ_HIF_DMA);
}

TEST_F(FirmwareMedia, AReadAcrossATrackGoesOnUnderTheSameGrantAndInTheSameRing) {
  expect_command(0, 1'000, 30, false, 20);
  isr(FW_IRQ_HIF_READ);
  expect_grant(0, 0x123, false);
  isr(FW_IRQ_AAU);
  expect_servo_ready();
  expect_channel(0, 1'000, 0, 20, false);
  isr(FW_IRQ_SRV0);
  expect_read_done(20);
  expect_dma(0, 0, 0, 20, true);
  expect_translation(1'020, 0x0080'0123, 0, 400);  // the next head
  expect_move(0, 0x0080'0123, false);
  isr(FW_IRQ_CHN0);
  expect_servo_ready();
  expect_channel(0, 1'020, 20 * 512, 10, false);
  isr(FW_IRQ_SRV0);
  expect_dma_done(0, 20, true);
  isr(FW_IRQ_HIF_DMA);
  expect_read_done(10);
  expect_account(0, kWaitOver);
  expect_dma(0, 20 * 512, 20, 10, true);
  expect_rest(0x0080'0123);
  isr(FW_IRQ_CHN0);
  expect_dma_done(0, 10, true);
  expect_complete(0);
  isr(FW_IRQ_HIF_DMA);
}

// The ring has 100 sectors, a portion 25: the first one goes out when it is there, and its end makes room at the ring's
// beginning for what comes behind its end.
TEST_F(FirmwareMedia, AReadLongerThanItsRingFlowsThroughIt) {
  const std::uint32_t chn = SOC_CHN_BASE(0);
  expect_command(0, 1'000, 150, false, 400);
  isr(FW_IRQ_HIF_READ);
  expect_grant(0, 0x123, false);
  isr(FW_IRQ_AAU);
  expect_servo_ready();
  write(chn + CHN_ADDRESS, 0);
  write(chn + CHN_MARK, CHN_MARK_PART_MASK | 25u);
  write(chn + CHN_LBA_HI, 0);
  write(chn + CHN_LBA_LO, 1'000);
  write(chn + CHN_CTRL, 0x8000'0000u | 100u << 10);
  shows(FW_STATE_CHANNEL, 0);
  isr(FW_IRQ_SRV0);
  read(chn + CHN_INTSTAT, CHN_INTSTAT_MARK_MASK);
  write(chn + CHN_INTSTAT, CHN_INTSTAT_MARK_MASK);
  read(chn + CHN_PROGRESS, 26);  // one has passed since
  expect_account(0, kWaitFill);
  expect_dma(0, 0, 0, 25, true);
  expect_dma(0, 25 * 512, 25, 1, true);
  shows(FW_STATE_DATA_OUT, 0);
  write(chn + CHN_MARK, CHN_MARK_PART_MASK | 51u);
  isr(FW_IRQ_CHN0);
  expect_dma_done(0, 25, true);
  write(chn + CHN_PIECE_ADDR, 0);
  write(chn + CHN_PIECE_PUSH, 25);
  write(chn + CHN_EXTEND, 125);
  isr(FW_IRQ_HIF_DMA);
}

TEST_F(FirmwareMedia, AWriteFetchesTheNextRunWhileTheFirstIsOnTheMedia) {
  expect_command(2, 1'000, 30, true, 20);
  isr(FW_IRQ_HIF_WRITE);
  expect_grant(2, 0x123, true);
  expect_dma(2, 0, 0, 20, false);
  isr(FW_IRQ_AAU);
  expect_dma_done(2, 20, false);
  isr(FW_IRQ_HIF_DMA);
  expect_servo_ready();
  expect_translation(1'000, 0x123, 0, 20);
  expect_channel(2, 1'000, 0, 20, true);
  expect_translation(1'020, 0x124, 0, 400);
  expect_dma(2, kSegment, 20, 10, false);
  isr(FW_IRQ_SRV0);
  expect_dma_done(2, 10, false);
  isr(FW_IRQ_HIF_DMA);
  expect_channel_done();
  read(SOC_CHN_BASE(0) + CHN_PROGRESS, 20);
  expect_move(2, 0x124, true);
  isr(FW_IRQ_CHN0);
  expect_servo_ready();
  expect_translation(1'020, 0x124, 0, 400);
  expect_channel(2, 1'020, kSegment, 10, true);
  isr(FW_IRQ_SRV0);
  expect_channel_done();
  read(SOC_CHN_BASE(0) + CHN_PROGRESS, 10);
  expect_rest(0x124);
  expect_complete(2);
  isr(FW_IRQ_CHN0);
}

// Another arm has moved the request's last ten sectors to a spare on another track while this one was on its way: each
// part is written where it lies.
TEST_F(FirmwareMedia, AWriteGoesWhereItsSectorsHaveMoved) {
  expect_command(2, 1'000, 20, true, 20);
  isr(FW_IRQ_HIF_WRITE);
  expect_grant(2, 0x123, true);
  expect_dma(2, 0, 0, 20, false);
  isr(FW_IRQ_AAU);
  expect_dma_done(2, 20, false);
  isr(FW_IRQ_HIF_DMA);
  expect_servo_ready();
  expect_translation(1'000, 0x123, 0, 10);
  expect_channel(2, 1'000, 0, 10, true);
  isr(FW_IRQ_SRV0);
  expect_channel_done();
  read(SOC_CHN_BASE(0) + CHN_PROGRESS, 10);
  expect_translation(1'010, 0x124, 0, 10);
  expect_move(2, 0x124, true);
  isr(FW_IRQ_CHN0);
  expect_servo_ready();
  expect_translation(1'010, 0x124, 0, 10);
  expect_channel(2, 1'010, 10 * 512, 10, true);
  isr(FW_IRQ_SRV0);
  expect_channel_done();
  read(SOC_CHN_BASE(0) + CHN_PROGRESS, 10);
  expect_rest(0x124);
  expect_complete(2);
  isr(FW_IRQ_CHN0);
}

TEST_F(FirmwareMedia, SpuriousInterruptsDoNothing) {
  read(SOC_AAU_BASE + AAU_GRANT, 0);
  isr(FW_IRQ_AAU);
  read(SOC_HIF_BASE + HIF_DMA_DONE, 0);
  isr(FW_IRQ_HIF_DMA);
  read(SOC_HIF_BASE + HIF_CMD, 0);
  isr(FW_IRQ_HIF_READ);
  read(SOC_HIF_BASE + HIF_CMD, 0);
  isr(FW_IRQ_HIF_OTHER);
}

TEST_F(FirmwareMedia, AnImpossibleGrantStopsFirmware) {
  read(SOC_AAU_BASE + AAU_GRANT, 0x8000'0005u);  // tag 5 has no command
  write(SOC_AAU_BASE + AAU_GRANT_ACK, 1);
  write(SOC_IRQ_BASE + IRQ_ENABLE, 0);
  shows(FW_STATE_STOPPED, 0);
  EXPECT_CALL(mmio_, write(SOC_DBG_BASE + DBG_FATAL, ::testing::_)).InSequence(order_);
  isr(FW_IRQ_AAU);
}

}  // namespace
}  // namespace armature::testing
