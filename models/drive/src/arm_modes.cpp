#include "arm_modes.h"

#include "armature/core/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::drive {
namespace {

/// The arm is on its way, or settles.
bool seeks(const std::string& state) {
  return state == "seek" || state == "accelerate" || state == "coast" || state == "decelerate" || state == "settle" ||
         state == "load" || state == "unload" || state == "acquire";
}

}  // namespace

ArmModes::ArmModes(StateSink& sink, const std::string& path, const std::vector<unsigned>& stack_of, unsigned channels,
                   bool turning, Owner owner)
    : sink_(sink),
      owner_(std::move(owner)),
      arms_(stack_of.size()),
      owners_(channels),
      last_(stack_of.size(), kIdle),
      works_for_(channels, 0),
      servos_(std::make_unique<Listener[]>(stack_of.size())),
      channels_(std::make_unique<Listener[]>(channels)),
      stack_count_(*std::max_element(stack_of.begin(), stack_of.end()) + 1) {
  const auto arms = static_cast<unsigned>(stack_of.size());
  stacks_ = std::make_unique<Listener[]>(stack_count_);
  for (unsigned stack = 0; stack < stack_count_; ++stack) {
    stacks_[stack].modes = this;
    stacks_[stack].block = Listener::kStack;
    stacks_[stack].number = stack;
    stacks_[stack].turning = turning;
  }
  std::vector<std::string> owner_names = {"none"};
  for (unsigned arm = 0; arm < arms; ++arm) {
    owner_names.push_back(fmt::format("arm{}", arm));
    const std::string arm_path = fmt::format("{}.arm{}", path, arm);
    if (sink_.wants(arm_path)) arms_[arm].declare(&sink_, {arm_path, {"idle", "seek", "rotational_wait", "transfer"}});
    servos_[arm].modes = this;
    servos_[arm].number = arm;
    servos_[arm].stack = stack_of[arm];
  }
  for (unsigned channel = 0; channel < channels; ++channel) {
    const std::string owner_path = fmt::format("{}.chn{}.arm", path, channel);
    if (sink_.wants(owner_path)) owners_[channel].declare(&sink_, {owner_path, owner_names});
    channels_[channel].modes = this;
    channels_[channel].number = channel;
    channels_[channel].block = Listener::kChannel;
  }
}

StateSink::Id ArmModes::Listener::declare(const StatefulComponent& component) {
  if (declared) return modes->sink_.declare(component);
  declared = true;
  for (const std::string& state : component.states)
    meanings.push_back(block == kServo && seeks(state)        ? kSeek
                       : state == "hold" || state == "wait"   ? kWait
                       : block == kChannel && state != "idle" ? kTransfer
                                                              : kIdle);
  const auto number_of = [&component](const char* state) {
    return static_cast<unsigned>(std::find(component.states.begin(), component.states.end(), state) -
                                 component.states.begin());
  };
  hold = number_of("hold");
  parked = number_of("parked");
  at_speed = number_of("at_speed");
  return id = modes->sink_.declare(component);
}

void ArmModes::Listener::enter(Id own, unsigned state, Ps at) {
  if (own != id) {
    modes->sink_.enter(own, state, at);
    return;
  }
  switch (block) {
    case kStack:
      modes->sink_.enter(own, state, at);
      modes->stack_entered(*this, state == at_speed, at);
      break;
    case kChannel:
      modes->sink_.enter(own, state, at);
      modes->channel_entered(number, meanings[state], at);
      break;
    case kServo:
      present = state;
      modes->sink_.enter(own, state == hold && !modes->stacks_[stack].turning ? parked : state, at);
      modes->enter(number, meanings[state], at);
      break;
  }
}

void ArmModes::Listener::enter_late(Id own, unsigned state, Ps at, Ps passed) {
  modes->sink_.enter_late(own, state, at, passed);
  if (block == kStack) modes->stack_entered(*this, state == at_speed, at);
}

void ArmModes::start() {
  for (unsigned stack = 0; stack < stack_count_; ++stack)
    if (!stacks_[stack].turning) {
      stacks_[stack].turning = true;
      stack_entered(stacks_[stack], false, 0);
    }
}

void ArmModes::stack_entered(Listener& stack, bool turning, Ps at) {
  if (turning == stack.turning) return;
  stack.turning = turning;
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
    const Listener& servo = servos_[arm];
    if (servo.stack == stack.number && servo.present == servo.hold)
      sink_.enter(servo.id, turning ? servo.hold : servo.parked, at);
  }
}

void ArmModes::enter(unsigned arm, Mode mode, Ps at) {
  // For a channel, and then with it; from one phase of a seek to the next.
  if (mode == last_[arm] && (mode == kWait || mode == kSeek)) return;
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
