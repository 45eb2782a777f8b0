#pragma once

#include "armature/core/energy.h"
#include "armature/power/mode_shares.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armature::power {

/// How a component tells what the drive is doing: as an arm, a stack, a channel or the power management.
struct SourceRole {
  enum class Kind : std::uint8_t { none, arm, stack, channel, controller };
  static constexpr unsigned kOff = kModes;  ///< meaning of the controller's state without a supply

  Kind kind = Kind::none;
  unsigned number = 0;
  std::vector<unsigned> meaning;  ///< by state: Mode of an arm or at rest, StackState, or 1 + the channel's arm

  explicit operator bool() const { return kind != Kind::none; }
};

/// By the component's path without `prefix` characters, the drive's. Fatal if an arm has a state that is no operating
/// mode.
SourceRole find_role(const PowerTable& table, const StatefulComponent& component, std::size_t prefix);

/// The drive may be in that mode: only drives with idle conditions know the last two.
bool knows(const PowerTable& table, Mode mode);

}  // namespace armature::power
