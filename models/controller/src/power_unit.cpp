#include "armature/controller/power_unit.h"

#include "armature/core/time.h"
#include "armature/regs/pmu.h"

#include <array>
#include <string>

namespace armature::controller {
namespace {

namespace pmu = regs::pmu;

constexpr std::array<const char*, 5> kNames = {"active", "idle", "standby", "sleep", "off"};
constexpr unsigned kOff = 4;

}  // namespace

PowerUnit::PowerUnit(sc_core::sc_module_name name, const BlockContext& context) : sc_module(name), bank_(pmu::kTable) {
  bank_.on_write(pmu::kState, [this](std::uint32_t word) { enter(pmu::state::State::get(word)); });
  regs.bind(bank_);
  const std::string path = this->name();
  state_.declare(context.states, {path, {kNames.begin(), kNames.end()}});
  state_probe_.declare(context.probes, path + ".state", "active, idle, standby, sleep, or off without a supply");
}

void PowerUnit::start_of_simulation() {
  state_probe_.set(kNames[0]);
}

void PowerUnit::power_off() {
  enter(kOff);
  powered_ = false;
}

void PowerUnit::enter(unsigned state) {
  if (!powered_) return;
  state_.enter(state, now());
  state_probe_.set(kNames[state]);
}

}  // namespace armature::controller
