#include "armature/power/mode_shares.h"

namespace armature::power {
namespace {

// Groups: those of the arms follow.
constexpr std::size_t kCommon = 0, kStandby = 1, kSpinUp = 2, kFirstArm = 3;

}  // namespace

ModeShares::ModeShares(const PowerTable& table)
    : arm_modes_(table.arms, Mode::idle),
      stack_states_(table.stacks, StackState::at_speed),
      channel_arms_(table.channels, 0),
      groups_(kFirstArm + table.arms) {
  groups_[kStandby].all_to(Mode::standby, 0);
  groups_[kSpinUp].all_to(Mode::spin_up, 0);
  share_out(0);
}

void ModeShares::arm(unsigned number, Mode mode, Ps at) {
  if (arm_modes_[number] == mode) return;
  arm_modes_[number] = mode;
  share_out(at);
}

void ModeShares::stack(unsigned number, StackState state, Ps at) {
  stack_states_[number] = state;
  share_out(at);
}

void ModeShares::rest(Mode mode, Ps at) {
  if (resting_ == mode) return;
  resting_ = mode;
  share_out(at);
}

void ModeShares::advance_all(Ps at) {
  for (Group& group : groups_) group.advance(at);
  const Weights& common = groups_[kCommon].time;
  for (std::size_t mode = 0; mode < kModes; ++mode) time_[mode] += common[mode] - counted_[mode];
  counted_ = common;
}

std::size_t ModeShares::group_of(Share share, unsigned number) const {
  switch (share) {
    case Share::arm:
      return kFirstArm + number;
    case Share::stack:
      switch (stack_states_[number]) {
        case StackState::at_speed:
          return kCommon;
        case StackState::spin_up:
          return kSpinUp;
        default:
          return kStandby;
      }
    case Share::channel: {
      const unsigned arm = channel_arms_[number];
      return arm == 0 ? kCommon : kFirstArm + arm - 1;
    }
    default:
      return kCommon;
  }
}

Mode ModeShares::rest_mode() const {
  bool turns = false;
  for (const StackState state : stack_states_) {
    if (state == StackState::spin_up) return Mode::spin_up;
    turns = turns || state == StackState::at_speed;
  }
  return turns ? resting_ : Mode::standby;
}

/// From `at` on each arm's share is that of the present modes.
void ModeShares::share_out(Ps at) {
  int at_work = 0;
  Mode one = Mode::idle;
  for (const Mode mode : arm_modes_) {
    if (mode == Mode::idle) continue;
    ++at_work;
    one = mode;
  }
  const Mode rest = rest_mode();
  Group& common = groups_[kCommon];
  common.advance(at);
  if (at_work <= 1) {
    common.all_to(at_work == 0 ? rest : one, at);
  } else {
    common.only = -1;
    common.weight = {};
  }
  for (std::size_t arm = 0; arm < arm_modes_.size(); ++arm) {
    const Mode mode = arm_modes_[arm];
    if (at_work > 1 && mode != Mode::idle) common.weight[static_cast<std::size_t>(mode)] += kWhole / at_work;
    Group& own = groups_[kFirstArm + arm];
    const Mode counts = mode != Mode::idle ? mode : rest;
    if (own.only == static_cast<int>(counts)) continue;
    own.advance(at);
    own.all_to(counts, at);
  }
}

}  // namespace armature::power
