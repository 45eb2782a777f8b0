#include "armature/power/power_table.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <cmath>

namespace armature::power {
namespace {

constexpr unsigned kMostArms = 8;
constexpr double kMostWatts = 1e6;

void check_load(const std::string& where, const Load& load) {
  const auto refuse = [&](const char* what) {
    throw InputError(fmt::format("power of {}, {}: {}", where, load.component, what));
  };
  if (load.component.empty()) refuse("a load needs a component");
  if (load.steps.empty() || load.steps.front().after != 0) refuse("the first step begins with the state");
  for (std::size_t i = 0; i < load.steps.size(); ++i) {
    if (load.steps[i].power < 0) refuse("no power is negative");
    if (i > 0 && load.steps[i].after <= load.steps[i - 1].after) refuse("the times of its steps must rise");
  }
}

}  // namespace

Nanowatts from_watts(double watts) {
  if (!(watts >= 0 && watts <= kMostWatts))
    throw InputError(fmt::format("a power of {} W is not in 0 .. {}", watts, kMostWatts));
  return std::llround(watts * 1e9);
}

void PowerTable::check() const {
  if (arms < 1 || arms > kMostArms || stacks < 1 || stacks > kMostArms || channels < 1 || channels > kMostArms)
    throw InputError("power: a drive has 1 to 8 arms, stacks and channels");
  for (const ComponentPower& component : components) {
    const unsigned numbers = component.share == Share::arm       ? arms
                             : component.share == Share::stack   ? stacks
                             : component.share == Share::channel ? channels
                                                                 : component.number + 1;
    if (component.number >= numbers)
      throw InputError(fmt::format("power of {}: there is no number {}", component.path, component.number));
    for (const StatePower& state : component.states)
      for (const Load& load : state.loads) check_load(component.path + " in " + state.state, load);
  }
}

}  // namespace armature::power
