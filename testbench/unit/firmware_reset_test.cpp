#include "support/firmware_bench.h"

namespace armature::testing {
namespace {

constexpr std::uint32_t factory(std::size_t offset) {
  return SOC_NVM_BASE + static_cast<std::uint32_t>(offset);
}

class FirmwareReset : public FirmwareBench {
 protected:
  void read_factory(std::size_t offset) { read(factory(offset), lenient_read(factory(offset))); }
};

TEST_F(FirmwareReset, ProgramsTheDriveFromItsFactoryRecordAndSpinsUp) {
  shows(FW_STATE_RESET, 0);
  read_factory(offsetof(fw_factory, magic));
  read_factory(offsetof(fw_factory, version));
  read_factory(offsetof(fw_factory, capacity_lo));
  read_factory(offsetof(fw_factory, capacity_hi));
  read_factory(offsetof(fw_factory, arms));
  read_factory(offsetof(fw_factory, channels));
  read_factory(offsetof(fw_factory, queue_depth));
  read_factory(offsetof(fw_factory, heads));
  read_factory(offsetof(fw_factory, stacks));
  read(SOC_BUF_BASE + BUF_LAYOUT, 4u | 100u << 16);
  read(SOC_BUF_BASE + BUF_LINES, 0);
  read_factory(offsetof(fw_factory, cache));
  read_factory(offsetof(fw_factory, high_water_percent));
  read_factory(offsetof(fw_factory, low_water_percent));
  read_factory(offsetof(fw_factory, physical_sectors));
  for (const std::size_t field :
       {offsetof(fw_factory, scan_idle_us), offsetof(fw_factory, scan_step), offsetof(fw_factory, scan_pause_us),
        offsetof(fw_factory, recalibration_ms), offsetof(fw_factory, recalibration_wait_us),
        offsetof(fw_factory, recalibration_stay_us), offsetof(fw_factory, recalibration_track),
        offsetof(fw_factory, logical_sectors)})
    read_factory(field);
  read_factory(offsetof(fw_factory, destage_idle_us));
  read_factory(offsetof(fw_factory, buffer_offsets));
  read_factory(offsetof(fw_factory, policy));
  read_factory(offsetof(fw_factory, seek_points));
  for (const std::size_t i : {0, 1, 2, 3}) read_factory(offsetof(fw_factory, seek) + 4 * i);
  write(SOC_AAU_BASE + AAU_SEEK_ENTRY, 0);
  // floor(89,100 * 2^24 / 998) = 1,497,845,636
  const std::uint32_t slopes[2][2] = {{0x59474F84, 0x0}, {0, 0}};
  for (const std::size_t point : {0, 1}) {
    write(SOC_AAU_BASE + AAU_SEEK_DISTANCE, record_.seek[point].cylinders);
    write(SOC_AAU_BASE + AAU_SEEK_SLOPE_LO, slopes[point][0]);
    write(SOC_AAU_BASE + AAU_SEEK_SLOPE_HI, slopes[point][1]);
    write(SOC_AAU_BASE + AAU_SEEK_TIME, record_.seek[point].ticks);
  }
  write(SOC_AAU_BASE + AAU_SEEK_ENTRIES, 2);
  read_factory(offsetof(fw_factory, quiet_points));
  read_factory(offsetof(fw_factory, margin_ticks));
  read_factory(offsetof(fw_factory, head_switch_ticks));
  read_factory(offsetof(fw_factory, write_settle_ticks));
  write(SOC_AAU_BASE + AAU_MARGIN, 30);
  write(SOC_AAU_BASE + AAU_HEAD_SWITCH, 6'000);
  write(SOC_AAU_BASE + AAU_WRITE_SETTLE, 4'000);
  read_factory(offsetof(fw_factory, ageing_weight));
  write(SOC_AAU_BASE + AAU_AGEING, 77);
  for (const std::size_t field :
       {offsetof(fw_factory, aau_limits), offsetof(fw_factory, arm_prepare_us), offsetof(fw_factory, arm_cylinders),
        offsetof(fw_factory, fixed_first), offsetof(fw_factory, fixed_cylinders), offsetof(fw_factory, arm_mount),
        offsetof(fw_factory, arm_reach), offsetof(fw_factory, jog.outer), offsetof(fw_factory, jog.inner),
        offsetof(fw_factory, jog.outer_later), offsetof(fw_factory, jog.inner_later), offsetof(fw_factory, jog.last),
        offsetof(fw_factory, head_offset), offsetof(fw_factory, head_angle), offsetof(fw_factory, autosave_s),
        offsetof(fw_factory, head_errors), offsetof(fw_factory, arm_errors), offsetof(fw_factory, error_window_s)})
    read_factory(field);
  read(SOC_NVM_BASE + NVM_IMAGE, 0);  // firmware cannot be changed
  read(SOC_NVM_BASE + NVM_SIZE, 0);   // there is no flash
  read_factory(offsetof(fw_factory, ladder_steps));
  write(SOC_AAU_BASE + AAU_INTEN, 1);
  read(SOC_SRV_BASE(0) + SRV_STATUS, 0x8000'0042u);
  read(SOC_SRV_BASE(0) + SRV_PARKING, 0);
  write(SOC_AAU_BASE + AAU_ARM(0), 0x8000'0042u);
  write(SOC_SRV_BASE(0) + SRV_INTEN, 15);
  write(SOC_CHN_BASE(0) + CHN_INTEN, 7);
  write(SOC_HIF_BASE + HIF_INTEN, 0x3F);
  write(SOC_SPN_BASE(0) + SPN_INTEN, 1);
  write(SOC_TMR_BASE + TMR_INTEN, 1);
  write(SOC_IRQ_BASE + IRQ_ENABLE, 0x00FF'0101u);  // channel 0, servo 0, lines 16 to 23
  shows(FW_STATE_SPIN_UP, 0);
  read_factory(offsetof(fw_factory, spin_up_limit_us));
  read(SOC_TMR_BASE + TMR_COUNT, 0);
  write(SOC_TMR_BASE + TMR_AFTER, 5'000'000);
  write(SOC_SPN_BASE(0) + SPN_CTRL, 0x8000'0001u);
  write(SOC_HIF_BASE + HIF_CTRL, 1);  // takes commands
  expect_age();
  fw_reset(mmio_.context());
}

TEST_F(FirmwareReset, ASlopeOfACurveThatFallsIsRoundedDownInFortyBits) {
  record_.seek_points = 3;
  record_.seek[0] = {1, 13'633};
  record_.seek[1] = {2, 12'669};
  record_.seek[2] = {35, 12'604};
  std::vector<std::uint32_t> low, high;
  EXPECT_CALL(mmio_, write(::testing::_, ::testing::_)).WillRepeatedly([&](std::uint32_t address, std::uint32_t word) {
    if (address == SOC_AAU_BASE + AAU_SEEK_SLOPE_LO) low.push_back(word);
    if (address == SOC_AAU_BASE + AAU_SEEK_SLOPE_HI) high.push_back(word);
  });
  EXPECT_CALL(mmio_, read(::testing::_)).WillRepeatedly([&](std::uint32_t address) { return lenient_read(address); });
  fw_reset(mmio_.context());
  // -964 * 2^24, and floor(-65 * 2^24 / 33) = -33,046,032
  EXPECT_EQ(low, (std::vector<std::uint32_t>{0x3C000000, 0xFE07C1F0, 0}));
  EXPECT_EQ(high, (std::vector<std::uint32_t>{0xFC, 0xFF, 0}));
}

TEST_F(FirmwareReset, TellsTheArbitrationUnitWhatSeveralArmsMayDo) {
  record_.arms = 2;
  record_.aau_limits = 2u << 8 | 1u << 4 | 1u;
  record_.arm_cylinders = 5'000;
  record_.arm_mount[1] = 0x8000;
  record_.arm_reach[0] = 0x0100;
  record_.arm_reach[1] = 0x0302;
  record_.head_offset[1] = 0x0001'0064;
  record_.head_offset[2] = 0x00FF'FF9C;
  record_.head_angle[2] = 0x8000;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> written;
  EXPECT_CALL(mmio_, write(::testing::_, ::testing::_)).WillRepeatedly([&](std::uint32_t address, std::uint32_t word) {
    if (address >= SOC_AAU_BASE + AAU_LIMITS && address < SOC_AAU_BASE + AAU_RIDE_ALONG(0) &&
        address != SOC_AAU_BASE + AAU_ARM(0) && address != SOC_AAU_BASE + AAU_ARM(1) &&
        address != SOC_AAU_BASE + AAU_SEEK_SLOPE_LO && address != SOC_AAU_BASE + AAU_SEEK_SLOPE_HI)
      written.emplace_back(address - SOC_AAU_BASE, word);
  });
  EXPECT_CALL(mmio_, read(::testing::_)).WillRepeatedly([&](std::uint32_t address) { return lenient_read(address); });
  fw_reset(mmio_.context());
  // What is as after a reset is not written.
  EXPECT_EQ(written, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{AAU_LIMITS, 0x211},
                                                                           {AAU_STROKE, 4'999},
                                                                           {AAU_ARM_REACH(0), 0x0100},
                                                                           {AAU_ARM_MOUNT(1), 0x8000},
                                                                           {AAU_ARM_REACH(1), 0x0302},
                                                                           {AAU_HEAD_OFFSET(1), 0x0001'0064},
                                                                           {AAU_HEAD_OFFSET(2), 0x00FF'FF9C},
                                                                           {AAU_HEAD_ANGLE(2), 0x8000}}));
}

TEST_F(FirmwareReset, ProgramsTheRetryLadderIntoEachChannel) {
  record_.channels = 2;
  record_.arms = 2;
  record_.ladder_steps = 2;
  record_.ladder[0] = 0x0000'0002;
  record_.ladder[1] = 0x0022'EC01;
  record_.ladder_limit_ms = 350;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> written;
  EXPECT_CALL(mmio_, write(::testing::_, ::testing::_)).WillRepeatedly([&](std::uint32_t address, std::uint32_t word) {
    for (const std::uint32_t channel : {0u, 1u})
      if (address >= SOC_CHN_BASE(channel) + CHN_LADDER_CTRL && address < SOC_CHN_BASE(channel) + CHN_READ_COUNT)
        written.emplace_back(address, word);
  });
  EXPECT_CALL(mmio_, read(::testing::_)).WillRepeatedly([&](std::uint32_t address) { return lenient_read(address); });
  fw_reset(mmio_.context());
  EXPECT_EQ(written,
            (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{SOC_CHN_BASE(0) + CHN_LADDER_STEP(0), 0x0000'0002},
                                                                  {SOC_CHN_BASE(1) + CHN_LADDER_STEP(0), 0x0000'0002},
                                                                  {SOC_CHN_BASE(0) + CHN_LADDER_STEP(1), 0x0022'EC01},
                                                                  {SOC_CHN_BASE(1) + CHN_LADDER_STEP(1), 0x0022'EC01},
                                                                  {SOC_CHN_BASE(0) + CHN_LADDER_CTRL, 0x8000'015E},
                                                                  {SOC_CHN_BASE(1) + CHN_LADDER_CTRL, 0x8000'015E}}));
}

TEST_F(FirmwareReset, StaysWithinItsAccessesWithTheLongestSeekTableAndAllArms) {
  record_.seek_points = FW_MAX_SEEK_POINTS;
  record_.arms = FW_MAX_ARMS;
  record_.channels = FW_MAX_CHANNELS;
  record_.ladder_steps = FW_MAX_LADDER_STEPS;
  unsigned accesses = 0;
  EXPECT_CALL(mmio_, write(::testing::_, ::testing::_)).WillRepeatedly([&](std::uint32_t, std::uint32_t) {
    ++accesses;
  });
  EXPECT_CALL(mmio_, read(::testing::_)).WillRepeatedly([&](std::uint32_t address) {
    ++accesses;
    return lenient_read(address);
  });
  fw_reset(mmio_.context());
  EXPECT_LE(accesses, FW_MAX_RESET_ACCESSES);
  EXPECT_GT(accesses, 1'024u);
}

TEST_F(FirmwareReset, EnablesArbitrationWhenTheStackIsAtSpeed) {
  be_lenient();
  fw_reset(mmio_.context());
  ::testing::Mock::VerifyAndClearExpectations(&mmio_);
  expect_age();
  expect_power_states();
  read(SOC_SPN_BASE(0) + SPN_INTSTAT, 1);
  write(SOC_SPN_BASE(0) + SPN_INTSTAT, 1);
  write(SOC_TMR_BASE + TMR_AFTER, 0);
  write(SOC_AAU_BASE + AAU_CTRL, 1u | 3u << 1);
  shows(FW_STATE_IDLE, 0);
  for (const char c : std::string("ready\n")) write(SOC_DBG_BASE + DBG_PUTC, static_cast<unsigned char>(c));
  isr(FW_IRQ_SPN);
}

TEST_F(FirmwareReset, StopsForARecordThatIsNotOne) {
  record_.magic = 0;
  shows(FW_STATE_RESET, 0);
  read_factory(offsetof(fw_factory, magic));
  write(SOC_IRQ_BASE + IRQ_ENABLE, 0);
  shows(FW_STATE_STOPPED, 0);
  EXPECT_CALL(mmio_, write(SOC_DBG_BASE + DBG_FATAL, ::testing::Gt(0u))).InSequence(order_);
  fw_reset(mmio_.context());
  isr(FW_IRQ_HIF_READ);  // nothing: it has stopped
  fw_idle(mmio_.context());
}

TEST_F(FirmwareReset, StopsForLimitsItIsNotBuiltFor) {
  const auto stops = [&](auto change) {
    FirmwareBench::record_ = fw_factory{};
    record_.magic = FW_FACTORY_MAGIC;
    record_.version = FW_FACTORY_VERSION;
    record_.physical_sectors = 1;
    record_.arms = record_.channels = record_.queue_depth = record_.seek_points = 1;
    change();
    ::testing::StrictMock<MockMmio> mmio;
    bool stopped = false;
    EXPECT_CALL(mmio, write(::testing::_, ::testing::_)).WillRepeatedly([&](std::uint32_t address, std::uint32_t) {
      stopped = stopped || address == SOC_DBG_BASE + DBG_FATAL;
    });
    EXPECT_CALL(mmio, read(::testing::_)).WillRepeatedly([&](std::uint32_t address) { return lenient_read(address); });
    fw_reset(mmio.context());
    return stopped;
  };
  EXPECT_FALSE(stops([] {}));
  EXPECT_TRUE(stops([&] { record_.arms = 9; }));
  EXPECT_TRUE(stops([&] { record_.arms = 0; }));
  EXPECT_TRUE(stops([&] { record_.channels = 9; }));
  EXPECT_TRUE(stops([&] { record_.queue_depth = 1'025; }));
  EXPECT_TRUE(stops([&] { record_.seek_points = 257; }));
  EXPECT_TRUE(stops([&] { record_.version = FW_FACTORY_VERSION + 1; }));
  EXPECT_TRUE(stops([&] { record_.physical_sectors = 4; }));
  EXPECT_TRUE(stops([&] { segment_sectors_ = 0; }));
}

TEST_F(FirmwareReset, ReportsADeviceFaultWhenTheStackIsNotAtSpeedInTime) {
  be_lenient();
  fw_reset(mmio_.context());
  ::testing::Mock::VerifyAndClearExpectations(&mmio_);
  expect_age();
  expect_power_states();
  write(SOC_TMR_BASE + TMR_INTSTAT, 1);
  read(SOC_TMR_BASE + TMR_COUNT, 5'000'000);
  shows(FW_STATE_FAULT, 0);
  for (const char c : std::string("spindle not at speed: device fault\n"))
    write(SOC_DBG_BASE + DBG_PUTC, static_cast<unsigned char>(c));
  isr(FW_IRQ_TMR);
  // A media command now fails with DF and ABRT; unqueued, sector 0.
  read(SOC_HIF_BASE + HIF_CMD, 0x8000'0000u | 1u << 10);
  read(SOC_HIF_BASE + HIF_CMD_LBA_LO, 0);
  read(SOC_HIF_BASE + HIF_CMD_LBA_HI, 0);
  read(SOC_HIF_BASE + HIF_CMD_CODE, 0x25);
  write(SOC_HIF_BASE + HIF_CMD_POP, 1);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x0471);
  write(SOC_HIF_BASE + HIF_TASKFILE_LBA_LO, 0);
  write(SOC_HIF_BASE + HIF_TASKFILE_LBA_HI, 0);
  write(SOC_HIF_BASE + HIF_COMPLETE, 0);
  write(SOC_HIF_BASE + HIF_TASKFILE, 0x50);
  write(SOC_HIF_BASE + HIF_TASKFILE_LBA_LO, 0);
  write(SOC_HIF_BASE + HIF_TASKFILE_LBA_HI, 0);
  expect_error_log();
  read(SOC_TMR_BASE + TMR_COUNT, 5'000'100);
  isr(FW_IRQ_HIF_READ);
}

}  // namespace
}  // namespace armature::testing
