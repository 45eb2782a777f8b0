// The governor and the speeds: what is judged, what a change of speed writes to the unit and survives, which arms
// leave, and which changes a bound on the response affords.
#include "support/firmware_bench.h"

extern "C" {
#include "commands/commands.h"
}

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace armature::testing {
namespace {

using ::testing::_;

class FirmwareGovernor : public FirmwareBench {
 protected:
  static constexpr std::uint32_t kTwoThirds = FW_WHOLE_SPEED / 3 * 2;

  void start(std::uint32_t objective, std::uint32_t cap_mw = 9'000) {
    record_.arms = 2;
    record_.cache |= FW_CACHE_SPEEDS | FW_CACHE_GOVERNOR;
    record_.lower_speeds = 1;
    record_.speed_part[0] = kTwoThirds;
    record_.governor = objective;
    record_.governor_period_us = 1'000'000;
    record_.governor_calm = 1;
    record_.governor_cap_mw = cap_mw;
    record_.governor_room = 6'554;
    record_.governor_bound_us = 60'000;
    record_.governor_change_us = 10'000'000;
    record_.governor_settings = 4;
    record_.governor_setting[1] = 1u << FW_SETTING_ARMS_OUT_SHIFT;
    record_.governor_setting[2] = 1u << FW_SETTING_ARMS_OUT_SHIFT | FW_SETTING_QUIET;
    record_.governor_setting[3] = 1u << FW_SETTING_ARMS_OUT_SHIFT | FW_SETTING_QUIET | 1u;
    const std::uint32_t idle_mw[] = {6'000, 5'000, 5'000, 3'000};
    std::copy(std::begin(idle_mw), std::end(idle_mw), record_.governor_idle_mw);
    record_.governor_rise_mj[0] = 3'000;
    EXPECT_CALL(mmio_, write(_, _)).WillRepeatedly([this](std::uint32_t address, std::uint32_t word) {
      written_.emplace_back(address, word);
    });
    EXPECT_CALL(mmio_, read(_)).WillRepeatedly([this](std::uint32_t address) {
      const auto found = answers_.find(address);
      return found != answers_.end() ? found->second : lenient_read(address);
    });
    fw_reset(mmio_.context());
    isr(FW_IRQ_SPN);
    fw_governor_work(ctx());
    ctx()->commands.active = 1;  // the drive has a command: periods follow each other
  }
  fw_context* ctx() { return mmio_.context(); }
  /// A period with these requests, of which so many were late, or with this mean power.
  void period(std::uint32_t requests, std::uint32_t late, std::uint32_t mw = 0) {
    now_us_ += 1'000'000;
    energy_uj_ += mw * 1'000;
    answers_[SOC_TMR_BASE + TMR_COUNT] = static_cast<std::uint32_t>(now_us_);
    answers_[SOC_TMR_BASE + TMR_AGE] = static_cast<std::uint32_t>(now_us_ >> 16);
    answers_[SOC_PMU_BASE + PMU_ENERGY] = energy_uj_;
    ctx()->timers.read = false;
    ctx()->meter.requests = requests;
    ctx()->meter.late = late;
    fw_governor_due(ctx());
  }
  void settle(std::uint32_t requests = 1'000) {
    ctx()->speed.now = ctx()->speed.wanted;  // the stack has changed its speed
    period(requests, 0);
  }
  unsigned setting() { return ctx()->governor.setting; }
  /// Goes on until this setting is in force: each step has a period that is not judged.
  void go_to(unsigned wanted) {
    for (int i = 0; i < 50 && setting() != wanted; ++i) settle();
    ASSERT_EQ(setting(), wanted);
    settle();
  }
  std::vector<std::uint32_t> written_to(std::uint32_t address) const {
    std::vector<std::uint32_t> words;
    for (const auto& [at, word] : written_)
      if (at == address) words.push_back(word);
    return words;
  }

  std::map<std::uint32_t, std::uint32_t> answers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> written_;
  std::uint64_t now_us_ = 0;
  std::uint32_t energy_uj_ = 0;
};

TEST_F(FirmwareGovernor, ALowerSpeedMakesTheUnitsTimesShorterInTicks) {
  start(FW_GOVERNOR_WATTS);
  written_.clear();
  fw_speed_load(ctx(), 1);
  fw_speed_loaded(ctx());
  const auto at_speed = [](std::uint64_t ticks) {
    return static_cast<std::uint32_t>((ticks * kTwoThirds + FW_WHOLE_SPEED - 1) / FW_WHOLE_SPEED);
  };
  using Words = std::vector<std::uint32_t>;
  EXPECT_EQ(written_to(SOC_AAU_BASE + AAU_SEEK_TIME), (Words{at_speed(900), at_speed(90'000)}));
  EXPECT_EQ(written_to(SOC_AAU_BASE + AAU_MARGIN), (Words{at_speed(30)}));
  EXPECT_EQ(written_to(SOC_AAU_BASE + AAU_HEAD_SWITCH), (Words{at_speed(6'000)}));
  EXPECT_EQ(written_to(SOC_AAU_BASE + AAU_WRITE_SETTLE), (Words{at_speed(4'000)}));
  written_.clear();
  fw_speed_load(ctx(), 0);
  EXPECT_EQ(written_to(SOC_AAU_BASE + AAU_SEEK_TIME), (Words{900, 90'000}));
}

TEST_F(FirmwareGovernor, MoreThanOneOfAHundredLateIsTooLate) {
  start(FW_GOVERNOR_RESPONSE);
  go_to(2);
  period(1'000, 10);
  EXPECT_EQ(setting(), 2u) << "1 of 100 is the bound itself";
  period(1'000, 11);
  EXPECT_EQ(setting(), 1u);
  settle();
  ctx()->governor.calm_seen = 0;
  go_to(2);
  period(1'000, 101);
  EXPECT_EQ(setting(), 0u) << "1 of 10 is far from it";
}

TEST_F(FirmwareGovernor, ASettingTakesArmsOutOfServiceWithoutACap) {
  start(FW_GOVERNOR_RESPONSE);
  EXPECT_EQ(fw_arms_in_service(ctx()), 3u);
  go_to(1);
  EXPECT_EQ(ctx()->cap.rate_mw, 0u);
  EXPECT_EQ(fw_arms_out(ctx()), 1u);
  EXPECT_TRUE(fw_arms_may_leave(ctx()));
}

TEST_F(FirmwareGovernor, ACommandDoesNotCancelAChangeOfSpeed) {
  start(FW_GOVERNOR_WATTS);
  ctx()->pm.state = FW_POWER_REST;
  ctx()->pm.condition = FW_CONDITION_SPEED;
  fw_power_stay(ctx());
  EXPECT_EQ(ctx()->pm.state, FW_POWER_REST);
  ctx()->pm.condition = FW_CONDITION_STANDBY;
  ctx()->slots.waiting = 1;
  fw_power_stay(ctx());
  EXPECT_EQ(ctx()->pm.state, FW_POWER_ACTIVE) << "a standby of the timer's is cancelled";
}

/// No arm moves while the stack changes its speed; the request waits for the new one.
TEST_F(FirmwareGovernor, AGrantThatWasPendingWaitsForTheNewSpeed) {
  start(FW_GOVERNOR_WATTS);
  fw_request* const request = fw_new_request(ctx(), 3, 0, 8);
  request->queued = true;
  fw_request_to_slot(ctx(), 3);
  fw_speed_want(ctx(), 1);
  fw_speed_change(ctx());
  ASSERT_EQ(ctx()->pm.state, FW_POWER_SPEED);
  written_.clear();
  answers_[SOC_AAU_BASE + AAU_GRANT] = AAU_GRANT_VALID_MASK | FW_SET(AAU_GRANT_SLOT, 3u);
  isr(FW_IRQ_AAU);
  EXPECT_EQ(written_to(SOC_AAU_BASE + AAU_GRANT_ACK).size(), 1u);
  EXPECT_EQ(written_to(SOC_AAU_BASE + AAU_SLOT_COMMIT(3)).size(), 1u) << "in its slot again";
  EXPECT_EQ(written_to(SOC_AAU_BASE + AAU_ARM(0)).size(), 1u) << "the arm is idle again";
  EXPECT_EQ(ctx()->requests[3].state, FW_REQUEST_WAITS_ARM);
  EXPECT_EQ(ctx()->arm[0].state, FW_ARM_IDLE);
}

/// 1,000 requests a second, 10 s of changes: 10,000 requests would wait, 1 of 200 of two millions.
TEST_F(FirmwareGovernor, ALowerSpeedIsTriedOnceItsWaitsAreFew) {
  start(FW_GOVERNOR_RESPONSE);
  go_to(2);
  ctx()->governor.unchanged = 1'990'000;
  for (int i = 0; i < 9; ++i) {
    period(1'000, 0);
    ASSERT_EQ(setting(), 2u) << i;
  }
  ctx()->governor.unchanged = 2'000'000;
  period(1'000, 0);
  EXPECT_EQ(setting(), 3u);
  EXPECT_EQ(ctx()->governor.unchanged, 0u);
}

TEST_F(FirmwareGovernor, WithoutRequestsALowerSpeedCostsNothing) {
  start(FW_GOVERNOR_RESPONSE);
  go_to(2);
  ctx()->governor.unchanged = 0;
  period(0, 0);
  EXPECT_EQ(setting(), 3u);
}

/// A way back to full speed makes more requests late than a few that are over the bound.
TEST_F(FirmwareGovernor, AWayBackToSpeedMustBeAffordedUnlessOneOfTenIsLate) {
  start(FW_GOVERNOR_RESPONSE);
  go_to(2);
  period(0, 0);
  ASSERT_EQ(setting(), 3u);
  ctx()->speed.now = 1;  // the stack has changed its speed
  ctx()->pm.state = FW_POWER_ACTIVE;
  settle();
  period(1'000, 20);
  EXPECT_EQ(setting(), 3u);
  period(1'000, 101);
  EXPECT_EQ(setting(), 0u);
}

// Room is a tenth of the cap. A cap of 9 W has settings of at most 8.1 W.

TEST_F(FirmwareGovernor, ACapHoldsFromTheFirstPeriodOn) {
  start(FW_GOVERNOR_WATTS, 5'600);
  EXPECT_EQ(setting(), 1u) << "6 W at idle do not fit";
  EXPECT_EQ(ctx()->governor.arms_out, 1u);
}

TEST_F(FirmwareGovernor, ACapThatNoSettingFitsHasTheLastOne) {
  start(FW_GOVERNOR_WATTS, 3'000);
  EXPECT_EQ(setting(), 3u);
}

TEST_F(FirmwareGovernor, ABoundOnTheResponseBeginsWithAllMeansOfPower) {
  start(FW_GOVERNOR_RESPONSE, 3'000);
  EXPECT_EQ(setting(), 0u);
}

TEST_F(FirmwareGovernor, OverTheCapItGoesToTheFirstSettingThatFitsUnderTheLoad) {
  start(FW_GOVERNOR_WATTS);
  ASSERT_EQ(setting(), 0u);
  period(1'000, 0, 12'000);
  EXPECT_EQ(setting(), 2u) << "6 W of load: one arm fewer is not enough, and what quiet seeks save is not known";
  settle();
  period(1'000, 0, 9'100);
  EXPECT_EQ(setting(), 3u) << "now it is";
}

/// The stack takes 3 J to come to speed, 3 W over a period of 1 s.
TEST_F(FirmwareGovernor, AHigherSpeedMustFitWithTheEnergyOfTheChange) {
  start(FW_GOVERNOR_SHARE, 5'000);
  ASSERT_EQ(setting(), 3u);
  settle();
  answers_[SOC_PMU_BASE + PMU_SHARE] = 9'000;
  period(1'000, 0, 3'500);
  EXPECT_EQ(setting(), 3u) << "5 W at idle, 0.5 W of load and 3 W";
  answers_[SOC_PMU_BASE + PMU_SHARE] = 9'800;
  period(1'000, 0, 3'500);
  EXPECT_EQ(setting(), 1u) << "8.5 W";
}

TEST_F(FirmwareGovernor, APeriodBelowThePowerAtIdleHasNoLoad) {
  start(FW_GOVERNOR_WATTS, 5'600);
  settle();
  period(1'000, 0, 1'000);
  EXPECT_EQ(setting(), 1u) << "an idle condition does not make 6 W fit";
}

TEST_F(FirmwareGovernor, AShareOfTheArrayTakesThePlaceOfTheCap) {
  start(FW_GOVERNOR_SHARE);
  period(1'000, 0, 9'050);
  EXPECT_EQ(setting(), 1u) << "none is told: its own cap of 9 W";
  settle();
  answers_[SOC_PMU_BASE + PMU_SHARE] = 12'000;
  period(1'000, 0, 8'050);
  EXPECT_EQ(setting(), 0u) << "12 W";
  settle();
  answers_[SOC_PMU_BASE + PMU_SHARE] = 6'000;
  period(1'000, 0, 9'000);
  EXPECT_EQ(setting(), 2u) << "6 W";
}

}  // namespace
}  // namespace armature::testing
