// Several timers on the one that the block has. Firmware's timers are reached as firmware itself reaches them.
#include "support/firmware_bench.h"

extern "C" {
#include "devices/timer.h"
}

namespace armature::testing {
namespace {

class FirmwareTimer : public FirmwareBench {
 protected:
  FirmwareTimer() {
    boot();
    // What a handler does besides is other tests' business.
    EXPECT_CALL(mmio_, write(::testing::AllOf(::testing::Ge(SOC_DBG_BASE), ::testing::Lt(SOC_DBG_BASE + 0x1000u)),
                             ::testing::_))
        .Times(::testing::AnyNumber());
  }
  /// What follows is another handler's, at that time.
  void counts(std::uint32_t us) {
    mmio_.context()->timers.read = false;
    read(SOC_TMR_BASE + TMR_COUNT, us);
  }
  std::uint64_t now_at(std::uint64_t us, std::uint32_t age_read_before_us = 0) {
    expect_age(static_cast<std::uint32_t>((us - age_read_before_us) >> 16));
    counts(static_cast<std::uint32_t>(us));
    return fw_timer_now(mmio_.context());
  }
  void shoots(std::uint32_t us) { write(SOC_TMR_BASE + TMR_AFTER, us); }
  void start(fw_timer id, std::uint64_t us) { fw_timer_start(mmio_.context(), id, us); }
  void cancel(fw_timer id) { fw_timer_cancel(mmio_.context(), id); }
  bool armed(fw_timer id) { return fw_timer_armed(mmio_.context(), id); }
  void expire_at(std::uint32_t us) {
    write(SOC_TMR_BASE + TMR_INTSTAT, 1);
    counts(us);
  }
};

TEST_F(FirmwareTimer, TheEarliestOneGetsTheBlocksAndTheNextOneFollows) {
  counts(1'000);
  shoots(500);
  start(FW_TIMER_IDLE, 500);  // at 1,500
  counts(1'100);
  start(FW_TIMER_SPIN_UP, 2'000);  // at 3,100: later, nothing is set
  expire_at(1'502);                // the processor was busy for 2 us
  shoots(1'598);                   // 3,100 - 1,502
  isr(FW_IRQ_TMR);
  EXPECT_FALSE(armed(FW_TIMER_IDLE));
  EXPECT_TRUE(armed(FW_TIMER_SPIN_UP));
}

TEST_F(FirmwareTimer, AnEarlierOneComesBeforeOneThatIsSet) {
  counts(1'000);
  shoots(2'000);
  start(FW_TIMER_SPIN_UP, 2'000);
  counts(1'100);
  shoots(500);
  start(FW_TIMER_IDLE, 500);
  counts(1'200);
  shoots(1'800);
  cancel(FW_TIMER_IDLE);  // the other one is the earliest again
  shoots(0);
  cancel(FW_TIMER_SPIN_UP);
  cancel(FW_TIMER_SPIN_UP);  // nothing
}

TEST_F(FirmwareTimer, OneThatIsStartedAnewGivesWayToAnother) {
  counts(0);
  shoots(1'000);
  start(FW_TIMER_IDLE, 1'000);
  counts(10);
  start(FW_TIMER_SPIN_UP, 1'500);  // at 1,510
  counts(700);
  shoots(810);                  // for the other one
  start(FW_TIMER_IDLE, 1'000);  // at 1,700
}

TEST_F(FirmwareTimer, ZeroCancels) {
  counts(0);
  shoots(1'000);
  start(FW_TIMER_IDLE, 1'000);
  shoots(0);
  start(FW_TIMER_IDLE, 0);
  EXPECT_FALSE(armed(FW_TIMER_IDLE));
}

TEST_F(FirmwareTimer, OneThatWasCancelledWhenItHadFiredDoesNothing) {
  counts(0);
  shoots(1'000);
  start(FW_TIMER_SPIN_UP, 1'000);
  shoots(0);
  cancel(FW_TIMER_SPIN_UP);
  expire_at(1'001);
  isr(FW_IRQ_TMR);  // no fault of the spindle
}

TEST_F(FirmwareTimer, HoursPassInShotsThatTheCounterCanHold) {
  // 5.5 h, the longest time of a standby timer: 19,800 s = 0x4.9C27'1A00 turns of the counter's 32 bits.
  counts(0xFFFF'F000);
  shoots(0x7FFF'FFFF);
  start(FW_TIMER_IDLE, 19'800'000'000);
  std::uint64_t now = 0xFFFF'F000;
  const std::uint64_t end = now + 19'800'000'000;
  while (end - now > 0x7FFF'FFFF) {
    now += 0x7FFF'FFFF;
    expect_age(static_cast<std::uint32_t>(now >> 16));
    expire_at(static_cast<std::uint32_t>(now));
    shoots(end - now > 0x7FFF'FFFF ? 0x7FFF'FFFF : static_cast<std::uint32_t>(end - now));
    isr(FW_IRQ_TMR);
    EXPECT_TRUE(armed(FW_TIMER_IDLE));
  }
  expect_age(static_cast<std::uint32_t>(end >> 16));
  expire_at(static_cast<std::uint32_t>(end));
  isr(FW_IRQ_TMR);
  EXPECT_FALSE(armed(FW_TIMER_IDLE));
}

TEST_F(FirmwareTimer, TimeGoesOnWhileNothingRuns) {
  EXPECT_EQ(now_at(1'000), 1'000u);
  EXPECT_EQ(now_at(3ull * 3'600 * 1'000'000), 3ull * 3'600 * 1'000'000) << "the counter has come round twice";
  EXPECT_EQ(now_at(8ull * 365 * 24 * 3'600 * 1'000'000), 8ull * 365 * 24 * 3'600 * 1'000'000);
}

TEST_F(FirmwareTimer, BetweenTheTwoReadsTimeMayPass) {
  const std::uint64_t round = std::uint64_t{1} << 32;
  for (const std::uint64_t us : {round, round + 1, round + 70'000, 5 * round + 0x10000, std::uint64_t{0x1'2345'0003}})
    for (const std::uint32_t between : {0u, 1u, 3u, 65'536u, 100'000u})
      EXPECT_EQ(now_at(us, between), us) << us << " " << between;
}

}  // namespace
}  // namespace armature::testing
