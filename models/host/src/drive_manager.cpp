#include "armature/host/drive_manager.h"

#include "armature/core/time.h"

namespace armature::host {
namespace {

constexpr std::uint8_t kFast = 0xFE;  // acoustic level of greatest performance (ATA8-ACS, SET FEATURES 42h)

}  // namespace

TimedDriveManager::TimedDriveManager(sc_core::sc_module_name name, const HostParams& params)
    : sc_module(name),
      standby_timer_(params.standby_timer_value()),
      standby_after_(from_ms(params.standby_after_s * 1000)),
      acoustic_level_(static_cast<std::uint8_t>(params.acoustic_level)),
      acoustic_switch_(from_ms(params.acoustic_switch_s * 1000)),
      timer_due_(standby_timer_ != 0),
      level_due_(acoustic_level_ != 0) {
  SC_HAS_PROCESS(TimedDriveManager);
  SC_METHOD(idle_over);
  sensitive << idle_over_;
  dont_initialize();
  SC_METHOD(level_changes);
  sensitive << level_changes_;
  dont_initialize();
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

void TimedDriveManager::busy() {
  if (standby_after_ > 0) idle_over_.cancel();
}

void TimedDriveManager::idle() {
  if (standby_after_ > 0) idle_over_.notify(to_sc_time(standby_after_));
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
