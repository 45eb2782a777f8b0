// Advanced power management: SET FEATURES 05h and 85h, IDENTIFY DEVICE. Policies of spin-down: which times they choose.
#include "support/firmware_bench.h"

extern "C" {
#include "commands/commands.h"
}

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace armature::testing {
namespace {

using ::testing::_;

class FirmwareApm : public FirmwareBench {
 protected:
  static constexpr std::uint32_t kPage = SOC_RAM_BASE + 4 * 100 * 512;
  static constexpr std::uint32_t kGood = 0, kAborted = 0x0451;

  void start(bool conditions, std::uint32_t level = 0) {
    if (conditions) {
      record_.cache |= FW_CACHE_IDLE;
      record_.active_idle_ms = 1'000;
      record_.low_power_idle_ms = 4'000;
      record_.apm_level = level;
    }
    EXPECT_CALL(mmio_, write(_, _)).WillRepeatedly([this](std::uint32_t address, std::uint32_t word) {
      last_[address] = word;
      log_.emplace_back(address, word);
    });
    EXPECT_CALL(mmio_, read(_)).WillRepeatedly([this](std::uint32_t address) {
      const auto found = answers_.find(address);
      return found != answers_.end() ? found->second : lenient_read(address);
    });
    fw_reset(mmio_.context());
    isr(FW_IRQ_SPN);
  }
  std::uint32_t set_features(std::uint32_t feature, std::uint32_t count) {
    answers_[SOC_HIF_BASE + HIF_CMD] = 0x8000'0400u;
    answers_[SOC_HIF_BASE + HIF_CMD_CODE] = 0xEFu | feature << HIF_CMD_CODE_FEATURES_SHIFT;
    answers_[SOC_HIF_BASE + HIF_CMD_COUNT] = count << HIF_CMD_COUNT_COUNT_SHIFT;
    log_.clear();
    isr(FW_IRQ_HIF_OTHER);
    for (const auto& [address, word] : log_)
      if (address == SOC_HIF_BASE + HIF_TASKFILE) return word & 0xFFFFu;
    return 0;
  }
  std::uint32_t identify_word(unsigned index) {
    answers_[SOC_HIF_BASE + HIF_CMD] = 0x8000'0400u;
    answers_[SOC_HIF_BASE + HIF_CMD_CODE] = 0xECu;
    isr(FW_IRQ_HIF_OTHER);
    return last_[kPage + index / 2 * 4] >> 16 * (index % 2) & 0xFFFFu;
  }
  /// Microseconds to which the timer block was set last.
  std::uint32_t shot() { return last_[SOC_TMR_BASE + TMR_AFTER]; }

  std::map<std::uint32_t, std::uint32_t> answers_, last_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> log_;
};

TEST_F(FirmwareApm, ADriveWithoutIdleConditionsAbortsTheCommandAndSaysSo) {
  start(false);
  EXPECT_EQ(set_features(0x05, 0x80), kAborted);
  EXPECT_EQ(set_features(0x85, 0), kAborted);
  EXPECT_EQ(identify_word(83) & 0x0008u, 0u);
  EXPECT_EQ(identify_word(86) & 0x0008u, 0u);
  EXPECT_EQ(identify_word(91), 0u);
}

TEST_F(FirmwareApm, OnlyTheStandardsLevelsAreTaken) {
  start(true);
  for (const std::uint32_t level : {0x00u, 0xFFu}) EXPECT_EQ(set_features(0x05, level), kAborted) << level;
  for (const std::uint32_t level : {0x01u, 0x7Fu, 0x80u, 0xBFu, 0xC0u, 0xFEu})
    EXPECT_EQ(set_features(0x05, level), kGood) << level;
}

TEST_F(FirmwareApm, IdentifyTellsSupportAndLevel) {
  start(true, 0xC5);
  EXPECT_EQ(identify_word(83) & 0x0008u, 0x0008u);
  EXPECT_EQ(identify_word(86) & 0x0008u, 0x0008u);
  EXPECT_EQ(identify_word(91), 0xC5u);
  EXPECT_EQ(set_features(0x85, 0), kGood);
  EXPECT_EQ(identify_word(83) & 0x0008u, 0x0008u);
  EXPECT_EQ(identify_word(86) & 0x0008u, 0u);
  EXPECT_EQ(identify_word(91), 0u);
}

TEST_F(FirmwareApm, TheTimerRunsToTheNextConditionThatTheLevelAllows) {
  start(true);
  EXPECT_EQ(shot(), 1'000'000u) << "active idle";
  record_.active_idle_ms = 0;
  mmio_.context()->idle.after_ms[FW_CONDITION_ACTIVE_IDLE] = 0;
  set_features(0x05, 0x80);
  EXPECT_EQ(shot(), 4'000'000u) << "low-power idle";
  last_[SOC_TMR_BASE + TMR_AFTER] = 0;
  set_features(0x05, 0xC0);
  EXPECT_EQ(shot(), 0u) << "none is allowed";
}

TEST_F(FirmwareApm, WithTheLevelOffTheDriveStaysAtIdle) {
  start(true);
  set_features(0x85, 0);
  EXPECT_EQ(shot(), 0u);
}

class FirmwareSpinDown : public FirmwareApm {
 protected:
  void start_with(std::uint32_t policy, std::uint32_t ms) {
    record_.cache |= FW_CACHE_IDLE;
    record_.spin_down = policy;
    record_.spin_down_ms = ms;
    record_.spin_down_least_ms = 2'000;
    record_.spin_down_most_ms = 9'000;
    record_.spin_down_step_ms = 3'000;
    record_.spin_down_acceptable = 65'536 / 20;
    record_.spin_down_seed = 12'345;
    start(false);
  }
  std::uint32_t time() { return mmio_.context()->idle.after_ms[FW_CONDITION_STANDBY]; }
  void at_us(std::uint64_t us) {
    answers_[SOC_TMR_BASE + TMR_COUNT] = static_cast<std::uint32_t>(us);
    answers_[SOC_TMR_BASE + TMR_AGE] = static_cast<std::uint32_t>(us >> 16);
  }
  /// The stack was stopped by the policy and comes back after `idle_us` without a command, in `back_us`.
  void come_back(std::uint64_t idle_us, std::uint64_t back_us) {
    fw_context* const ctx = mmio_.context();
    const auto now = [&](std::uint64_t us) {
      at_us(us);
      ctx->timers.read = false;
    };
    now(now_us_ += 1'000'000);
    fw_idle_rearm(ctx);
    ctx->idle.spun_down = true;
    now(now_us_ += idle_us);
    fw_idle_back(ctx);
    now(now_us_ += back_us);
    fw_idle_is_back(ctx);
    fw_idle_rearm(ctx);
  }
  std::uint64_t now_us_ = 0;
};

TEST_F(FirmwareSpinDown, AFixedTimeIsThatTime) {
  start_with(FW_SPIN_DOWN_FIXED, 7'000);
  EXPECT_EQ(shot(), 7'000'000u);
  EXPECT_EQ(identify_word(91), 1u) << "the level that allows standby";
  set_features(0x05, 0x80);
  EXPECT_EQ(time(), 7'000u);
  last_[SOC_TMR_BASE + TMR_AFTER] = 0;
  set_features(0x05, 0x80);
  EXPECT_EQ(shot(), 0u) << "the level forbids standby";
}

TEST_F(FirmwareSpinDown, AnAdaptedTimeGrowsAfterAWayBackThatTookTooLongAndShrinksOtherwise) {
  start_with(FW_SPIN_DOWN_ADAPTIVE, 5'000);
  EXPECT_EQ(time(), 5'000u);
  come_back(59'000'000, 3'000'000);  // more than a twentieth
  EXPECT_EQ(time(), 8'000u);
  come_back(10'000'000, 3'000'000);
  EXPECT_EQ(time(), 9'000u) << "not above the longest";
  come_back(61'000'000, 3'000'000);
  EXPECT_EQ(time(), 6'000u);
  come_back(600'000'000, 3'000'000);
  come_back(600'000'000, 3'000'000);
  EXPECT_EQ(time(), 2'000u) << "not below the shortest";
}

TEST_F(FirmwareSpinDown, RandomTimesHaveTheDensityOfThePolicy) {
  constexpr double kBreakEven = 20'000;
  start_with(FW_SPIN_DOWN_PROBABILISTIC, static_cast<std::uint32_t>(kBreakEven));
  std::vector<double> times;
  for (int i = 0; i < 100'000; ++i) {
    fw_idle_rearm(mmio_.context());
    times.push_back(time());
  }
  std::sort(times.begin(), times.end());
  EXPECT_GE(times.front(), 1);
  EXPECT_LE(times.back(), kBreakEven);
  double farthest = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double expected = std::expm1(times[i] / kBreakEven) / std::expm1(1);
    farthest = std::max(farthest, std::fabs(static_cast<double>(i) / times.size() - expected));
  }
  EXPECT_LT(farthest, 1.63 / std::sqrt(times.size())) << "Kolmogorov and Smirnov, 1 in 100";
}

}  // namespace
}  // namespace armature::testing
