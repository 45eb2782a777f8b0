#include "support/firmware_bench.h"

namespace armature::testing {
namespace {

// Four segments of 100 sectors: segment s begins at s * 51,200 bytes. The lowest free one is taken first.
constexpr std::uint32_t kSegment = 51'200;

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
  expect_channel_done();
  expect_dma(7, 0, 0, 8, true);
  shows(FW_STATE_DATA_OUT, 7);
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
  expect_channel(3, 100, 0, 8, true);
  isr(FW_IRQ_SRV0);
  expect_channel_done();
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
  expect_channel(3, 100, 0, 8, true);
  isr(FW_IRQ_HIF_DMA);
}

TEST_F(FirmwareMedia, AReadAcrossATrackGoesOnUnderTheSameGrant) {
  expect_command(0, 1'000, 30, false, 20);
  isr(FW_IRQ_HIF_READ);
  expect_grant(0, 0x123, false);
  isr(FW_IRQ_AAU);
  expect_servo_ready();
  expect_channel(0, 1'000, 0, 20, false);
  isr(FW_IRQ_SRV0);
  expect_channel_done();
  expect_dma(0, 0, 0, 20, true);
  shows(FW_STATE_DATA_OUT, 0);
  expect_translation(1'020, 0x0080'0123, 0, 400);  // the next head
  expect_move(0, 0x0080'0123, false);
  isr(FW_IRQ_CHN0);
  expect_servo_ready();
  expect_channel(0, 1'020, kSegment, 10, false);
  isr(FW_IRQ_SRV0);
  expect_dma_done(0, 20, true);
  isr(FW_IRQ_HIF_DMA);
  expect_channel_done();
  expect_dma(0, kSegment, 20, 10, true);
  shows(FW_STATE_DATA_OUT, 0);
  expect_rest(0x0080'0123);
  isr(FW_IRQ_CHN0);
  expect_dma_done(0, 10, true);
  expect_complete(0);
  isr(FW_IRQ_HIF_DMA);
}

TEST_F(FirmwareMedia, ARunLongerThanASegmentGoesOnOnTheSameTrackWithoutAMove) {
  expect_command(0, 1'000, 150, false, 400);
  isr(FW_IRQ_HIF_READ);
  expect_grant(0, 0x123, false);
  isr(FW_IRQ_AAU);
  expect_servo_ready();
  expect_channel(0, 1'000, 0, 100, false);
  isr(FW_IRQ_SRV0);
  expect_channel_done();
  expect_dma(0, 0, 0, 100, true);
  shows(FW_STATE_DATA_OUT, 0);
  expect_translation(1'100, 0x123, 0x2000, 300);
  expect_channel(0, 1'100, kSegment, 50, false);
  isr(FW_IRQ_CHN0);
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
  expect_channel(2, 1'000, 0, 20, true);
  expect_translation(1'020, 0x124, 0, 400);
  expect_dma(2, kSegment, 20, 10, false);
  isr(FW_IRQ_SRV0);
  expect_dma_done(2, 10, false);
  isr(FW_IRQ_HIF_DMA);
  expect_channel_done();
  expect_move(2, 0x124, true);
  isr(FW_IRQ_CHN0);
  expect_servo_ready();
  expect_channel(2, 1'020, kSegment, 10, true);
  isr(FW_IRQ_SRV0);
  expect_channel_done();
  expect_rest(0x124);
  expect_complete(2);
  isr(FW_IRQ_CHN0);
}

TEST_F(FirmwareMedia, AReadStopsAheadOfALinkThatFallsTwoRunsBehind) {
  expect_command(0, 0, 60, false, 20);
  isr(FW_IRQ_HIF_READ);
  expect_grant(0, 0x123, false);
  isr(FW_IRQ_AAU);
  for (std::uint32_t run = 0; run < 2; ++run) {
    expect_servo_ready();
    expect_channel(0, 20 * run, kSegment * run, 20, false);
    isr(FW_IRQ_SRV0);
    expect_channel_done();
    expect_dma(0, kSegment * run, 20 * run, 20, true);
    shows(FW_STATE_DATA_OUT, 0);
    expect_translation(20 * (run + 1), 0x124 + run, 0, 20);
    expect_move(0, 0x124 + run, false);
    isr(FW_IRQ_CHN0);
  }
  expect_servo_ready();
  isr(FW_IRQ_SRV0);  // on track, but two runs are on the link
  expect_dma_done(0, 20, true);
  expect_channel(0, 40, 0, 20, false);  // the segment that the link gave back
  isr(FW_IRQ_HIF_DMA);
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
