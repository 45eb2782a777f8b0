#include "arm_modes.h"

#include <fmt/format.h>

namespace armature::drive {

ArmModes::ArmModes(StateSink& sink, const std::string& path, unsigned arms, unsigned channels, Owner owner)
    : sink_(sink),
      owner_(std::move(owner)),
      arms_(arms),
      owners_(channels),
      last_(arms, kIdle),
      works_for_(channels, 0),
      servos_(std::make_unique<Listener[]>(arms)),
      channels_(std::make_unique<Listener[]>(channels)) {
  std::vector<std::string> owner_names = {"none"};
  for (unsigned arm = 0; arm < arms; ++arm) {
    owner_names.push_back(fmt::format("arm{}", arm));
    arms_[arm].declare(&sink_, {fmt::format("{}.arm{}", path, arm), {"idle", "seek", "rotational_wait", "transfer"}});
    servos_[arm].modes = this;
    servos_[arm].number = arm;
  }
  for (unsigned channel = 0; channel < channels; ++channel) {
    owners_[channel].declare(&sink_, {fmt::format("{}.chn{}.arm", path, channel), owner_names});
    channels_[channel].modes = this;
    channels_[channel].number = channel;
    channels_[channel].is_channel = true;
  }
}

StateSink::Id ArmModes::Listener::declare(const StatefulComponent& component) {
  for (const std::string& state : component.states)
    meanings.push_back(state == "seek"                      ? kSeek
                       : state == "hold" || state == "wait" ? kWait
                       : is_channel && state != "idle"      ? kTransfer
                                                            : kIdle);
  return modes->sink_.declare(component);
}

void ArmModes::Listener::enter(Id id, unsigned state, Ps at) {
  modes->sink_.enter(id, state, at);
  if (is_channel)
    modes->channel_entered(number, meanings[state], at);
  else
    modes->enter(number, meanings[state], at);
}

void ArmModes::enter(unsigned arm, Mode mode, Ps at) {
  last_[arm] = mode;
  arms_[arm].enter(mode, at);
}

void ArmModes::channel_entered(unsigned channel, Mode mode, Ps at) {
  std::uint32_t& works_for = works_for_[channel];
  if (mode == kIdle) {
    if (works_for == 0) return;
    enter(works_for - 1, kIdle, at);
    owners_[channel].enter(works_for = 0, at);
    return;
  }
  if (works_for == 0) {
    const std::optional<std::uint32_t> arm = owner_(channel);
    if (!arm) return;
    owners_[channel].enter(works_for = *arm + 1, at);
  }
  enter(works_for - 1, mode, at);
}

void ArmModes::idle(unsigned arm) {
  if (last_[arm] == kWait) enter(arm, kIdle, now());
}

void ArmModes::power_off() {
  for (unsigned arm = 0; arm < arms_.size(); ++arm) enter(arm, kIdle, now());
  for (unsigned channel = 0; channel < owners_.size(); ++channel)
    if (works_for_[channel] != 0) owners_[channel].enter(works_for_[channel] = 0, now());
}

}  // namespace armature::drive
