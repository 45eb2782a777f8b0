#include "armature/power/source_role.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include <systemc>

namespace armature::power {
namespace {

constexpr const char* kController = "disk.soc.pmu";

}  // namespace

bool knows(const PowerTable& table, Mode mode) {
  if (mode != Mode::active_idle && mode != Mode::low_power_idle) return true;
  return std::any_of(table.components.begin(), table.components.end(), [&](const ComponentPower& entry) {
    return entry.path == kController &&
           std::any_of(entry.states.begin(), entry.states.end(), [&](const StatePower& state) {
             return state.state == kModeNames[static_cast<std::size_t>(mode)];
           });
  });
}

SourceRole find_role(const PowerTable& table, const StatefulComponent& component, std::size_t prefix) {
  const std::string_view path = std::string_view(component.path).substr(prefix);
  SourceRole role;
  const auto meanings = [&](SourceRole::Kind kind, unsigned number, const auto& of) {
    role.kind = kind;
    role.number = number;
    for (const std::string& name : component.states) role.meaning.push_back(of(name));
  };
  for (unsigned arm = 0; arm < table.arms; ++arm)
    if (path == fmt::format("disk.arm{}", arm))
      meanings(SourceRole::Kind::arm, arm, [&](const std::string& name) {
        for (const Mode mode : {Mode::idle, Mode::seek, Mode::rotational_wait, Mode::transfer})
          if (name == kModeNames[static_cast<std::size_t>(mode)]) return static_cast<unsigned>(mode);
        const std::string what = component.path + " has no operating mode " + name;
        SC_REPORT_FATAL("power/ledger", what.c_str());
        throw std::logic_error(what);  // if somebody has made fatal reports harmless
      });
  for (unsigned stack = 0; stack < table.stacks; ++stack)
    if (path == PowerTable::stack_path(stack, table.stacks))
      meanings(SourceRole::Kind::stack, stack, [](const std::string& name) {
        const bool stands = name == "stopped" || name == "spin_down";  // others turn: at_speed, slow_down, at_5400
        return static_cast<unsigned>(name == "spin_up" ? StackState::spin_up
                                     : stands          ? StackState::stopped
                                                       : StackState::at_speed);
      });
  if (path == kController)
    meanings(SourceRole::Kind::controller, 0, [&](const std::string& name) {
      if (name == "off") return SourceRole::kOff;
      for (const Mode mode : {Mode::active_idle, Mode::low_power_idle})
        if (name == kModeNames[static_cast<std::size_t>(mode)] && knows(table, mode))
          return static_cast<unsigned>(mode);
      return static_cast<unsigned>(Mode::idle);
    });
  for (unsigned channel = 0; channel < table.channels; ++channel)
    if (path == fmt::format("disk.chn{}.arm", channel))
      meanings(SourceRole::Kind::channel, channel, [&](const std::string& name) {
        for (unsigned arm = 0; arm < table.arms; ++arm)
          if (name == fmt::format("arm{}", arm)) return arm + 1;
        return 0U;
      });
  return role;
}

}  // namespace armature::power
