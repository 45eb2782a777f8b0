#include "armature/controller/power_unit.h"

#include "armature/regs/pmu.h"

#include "armature/core/kernel_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace armature::controller {
namespace {

namespace pmu = regs::pmu;

// As published. What only drives with idle conditions have comes last.
constexpr std::array<const char*, 7> kNames = {"active", "idle",        "standby",       "sleep",
                                               "off",    "active_idle", "low_power_idle"};
constexpr unsigned kOff = 4;
constexpr std::size_t kUsual = 5;  // states of other drives

/// Of pmu.state.
constexpr std::array<unsigned, 6> kPublished = {0, 1, 2, 3, 5, 6};

}  // namespace

PowerUnit::PowerUnit(sc_core::sc_module_name name, const BlockContext& context, bool idle_conditions)
    : sc_module(name), bank_(pmu::kTable), states_(idle_conditions ? kNames.size() : kUsual) {
  bank_.on_write(pmu::kState, [this](std::uint32_t word) { enter(pmu::state::State::get(word)); });
  bank_.on_read(pmu::kEnergy, [this] { return meter_ ? static_cast<std::uint32_t>(meter_->microjoules()) : 0u; });
  bank_.on_read(pmu::kShare, [this] { return share_mw_; });
  bank_.on_read(pmu::kTemperature, [this] { return temperature(); });
  regs.bind(bank_);
  const std::string path = this->name();
  supply_probe_.declare(context.probes, path + ".supply", "The drive has its supply");
  state_.declare(context.states, {path, {kNames.begin(), kNames.begin() + states_}});
  state_probe_.declare(context.probes, path + ".state",
                       idle_conditions ? "active, idle, active_idle, low_power_idle, standby, sleep, or off without a "
                                         "supply"
                                       : "active, idle, standby, sleep, or off without a supply");
}

void PowerUnit::start_of_simulation() {
  state_probe_.set(kNames[0]);
  supply_probe_.set(true);
}

void PowerUnit::power_off() {
  if (powered_) show(kOff);
  powered_ = false;
  supply_probe_.set(false);
  bank_.reset();
}

void PowerUnit::power_on() {
  if (!powered_) show(0);
  powered_ = true;
  supply_probe_.set(true);
}

void PowerUnit::enter(unsigned state) {
  if (powered_ && state < kPublished.size() && kPublished[state] < states_) show(kPublished[state]);
}

std::uint32_t PowerUnit::temperature() const {
  if (!sensor_) return 0;
  const double celsius = std::clamp(std::floor(sensor_->celsius() + 0.5), -128.0, 127.0);
  return pmu::temperature::Celsius::set(pmu::temperature::Valid::set(0, 1),
                                        static_cast<std::uint32_t>(static_cast<std::int32_t>(celsius)));
}

void PowerUnit::show(unsigned published) {
  state_.enter(published, now());
  state_probe_.set(kNames[published]);
}

}  // namespace armature::controller
