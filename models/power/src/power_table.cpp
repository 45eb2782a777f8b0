#include "armature/power/power_table.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
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

Nanowatts PowerTable::at_idle(std::string_view stack, unsigned out) const {
  const std::array<std::string_view, 3> at_rest = {stack, "hold", "idle"};
  Nanowatts sum = 0;
  for (const ComponentPower& component : components)
    for (const StatePower& state : component.states) {
      if (std::find(at_rest.begin(), at_rest.end(), state.state) == at_rest.end()) continue;
      if (state.state == "hold" && component.number + out >= arms) continue;
      for (const Load& load : state.loads) sum += load.steps.front().power;
    }
  return sum;
}

double PowerTable::spin_up_j(double from_s, double to_s) const {
  double sum = 0;
  for (const ComponentPower& component : components)
    for (const StatePower& state : component.states)
      for (const Load& load : state.loads)
        for (std::size_t i = 0; state.state == "spin_up" && i < load.steps.size(); ++i) {
          const double begins = std::max(from_s, to_seconds(load.steps[i].after));
          const double ends = i + 1 < load.steps.size() ? std::min(to_s, to_seconds(load.steps[i + 1].after)) : to_s;
          sum += to_watts(load.steps[i].power) * std::max(0.0, ends - begins);
        }
  return sum;
}

void PowerTable::check_number(const std::string& path, Share share, unsigned number) const {
  const unsigned numbers = share == Share::arm       ? arms
                           : share == Share::stack   ? stacks
                           : share == Share::channel ? channels
                                                     : number + 1;
  if (number >= numbers) throw InputError(fmt::format("power of {}: there is no number {}", path, number));
}

void PowerTable::check() const {
  if (arms < 1 || arms > kMostArms || stacks < 1 || stacks > kMostArms || channels < 1 || channels > kMostArms)
    throw InputError("power: a drive has 1 to 8 arms, stacks and channels");
  for (const ComponentPower& component : components) {
    check_number(component.path, component.share, component.number);
    for (const StatePower& state : component.states)
      for (const Load& load : state.loads) check_load(component.path + " in " + state.state, load);
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const LevelPower& level = levels[i];
    check_number(level.path, level.share, level.number);
    if (level.component.empty()) throw InputError(fmt::format("power of {}: a level needs a component", level.path));
    for (std::size_t k = 0; k < i; ++k)
      if (levels[k].path == level.path) throw InputError(fmt::format("power of {}: said twice", level.path));
  }
}

}  // namespace armature::power
