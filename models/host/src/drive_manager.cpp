#include "armature/host/drive_manager.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"

#include <algorithm>

namespace armature::host {
namespace {

constexpr std::uint8_t kFast = 0xFE;  // acoustic level of greatest performance (ATA8-ACS, SET FEATURES 42h)

}  // namespace

TimedDriveManager::TimedDriveManager(sc_core::sc_module_name name, const HostParams& params)
    : sc_module(name),
      standby_timer_(params.standby_timer_value()),
      standby_after_(from_seconds(params.standby_after_s)),
      acoustic_level_(static_cast<std::uint8_t>(params.acoustic_level)),
      acoustic_switch_(from_seconds(params.acoustic_switch_s)),
      timer_due_(standby_timer_ != 0),
      level_due_(acoustic_level_ != 0) {
  SC_HAS_PROCESS(TimedDriveManager);
  SC_METHOD(idle_over);
  sensitive << idle_over_;
  dont_initialize();
  SC_METHOD(level_changes);
  sensitive << level_changes_;
  dont_initialize();
  SC_METHOD(plan_step);
  sensitive << plan_step_;
  dont_initialize();
  for (auto span = params.standby_plan.rbegin(); span != params.standby_plan.rend(); ++span)
    plan_.push_back({from_seconds(span->down_s), from_seconds(span->up_s)});
  if (!plan_.empty()) plan_step_.notify(to_sc_time(plan_.back().down));
  if (acoustic_switch_ > 0) level_changes_.notify(to_sc_time(acoustic_switch_));
}

ControlCommand TimedDriveManager::take_due() {
  if (timer_due_) {
    timer_due_ = false;
    return {sata::Command::idle, standby_timer_, 0};
  }
  level_due_ = false;
  quiet_ = !quiet_;
  return {sata::Command::set_features, quiet_ ? acoustic_level_ : kFast, sata::kAcousticManagement};
}

void TimedDriveManager::restart() {
  timer_due_ = standby_timer_ != 0;
  level_due_ = level_due_ || quiet_;
  quiet_ = false;
  plan_down_ = false;
  idle_over_.cancel();
}

void TimedDriveManager::busy() {
  if (standby_after_ > 0) idle_over_.cancel();
}

void TimedDriveManager::idle() {
  if (standby_after_ > 0) idle_over_.notify(to_sc_time(standby_after_));
  if (!plan_.empty()) plan_step_.notify(sc_core::SC_ZERO_TIME);
}

void TimedDriveManager::controlled() {
  if (!plan_.empty()) plan_step_.notify(sc_core::SC_ZERO_TIME);
}

/// The next span's standby or its end, if it is due and nothing else is under way. What is late is looked at again when
/// that has completed (idle).
void TimedDriveManager::plan_step() {
  while (!plan_.empty() && !plan_down_ && plan_.back().up <= now()) plan_.pop_back();
  if (plan_.empty() || queue_->finished()) return;
  if (plan_down_) {
    plan_up();
    return;
  }
  const Ps wait = plan_.back().down - now();
  if (wait > 0) {
    plan_step_.notify(to_sc_time(wait));
  } else if (queue_->at_rest()) {
    plan_down_ = true;
    queue_->send({sata::Command::standby_immediate, 0, 0});
    plan_step_.notify(to_sc_time(plan_.back().up - now()));
  }
}

/// A request that came meanwhile has brought the drive back itself.
void TimedDriveManager::plan_up() {
  const Ps wait = plan_.back().up - now();
  if (wait > 0) {
    plan_step_.notify(to_sc_time(wait));
    return;
  }
  if (queue_->controlling()) return;
  plan_down_ = false;
  plan_.pop_back();
  if (queue_->at_rest()) queue_->send({sata::Command::idle_immediate, 0, 0});
  if (!plan_.empty()) plan_step_.notify(to_sc_time(std::max<Ps>(plan_.back().down - now(), 0)));
}

void TimedDriveManager::idle_over() {
  if (queue_->at_rest()) queue_->send({sata::Command::standby_immediate, 0, 0});
}

void TimedDriveManager::level_changes() {
  if (queue_->finished()) return;
  level_changes_.notify(to_sc_time(acoustic_switch_));
  if (queue_->controlling()) return;  // or no request would come between changes that are due faster than they take
  level_due_ = true;
  queue_->due_changed();
}

}  // namespace armature::host
