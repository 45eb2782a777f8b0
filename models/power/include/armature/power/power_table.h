#pragma once

#include "armature/core/energy.h"
#include "armature/core/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature::power {

using armature::Nanowatts;
using armature::Rail;
constexpr std::size_t kRails = 2;
constexpr std::array<const char*, kRails> kRailNames = {"5V", "12V"};

/// To the nearest nanowatt. @throws InputError if the power is negative, above 1 MW or no number
Nanowatts from_watts(double watts);
constexpr double to_watts(Nanowatts power) {
  return static_cast<double>(power) * 1e-9;
}

/// Power from a time on, counted from when the state was entered.
struct Step {
  Ps after = 0;  ///< ps since the state was entered; 0 for the first of a load, rising
  Nanowatts power = 0;
};

/// What one state of a published component draws from one rail for one component of the ledger. A spin-up is a load of
/// several steps; they end with the state.
struct Load {
  /// Component of the ledger: "spindle", "vcm0", "channel0", "preamp0", "controller", "interface", "buffer".
  std::string component;
  Rail rail = Rail::v5;
  std::vector<Step> steps;

  static Load constant(std::string component, Rail rail, double watts) {
    return {std::move(component), rail, {{0, from_watts(watts)}}};
  }
};

/// All loads of one state. A state that is not named draws nothing.
struct StatePower {
  std::string state;
  std::vector<Load> loads;
};

/// For whose operating mode a published component's energy counts (docs/guide/energy.md).
enum class Share : std::uint8_t {
  common,   ///< divided equally among the arms at work; if there are none, the drive's own mode
  stack,    ///< common while the stack is at speed, else the mode standby or spin_up
  arm,      ///< that arm's, always
  channel,  ///< that of the arm for which the channel works; common when it works for none
};

/// A component that a block publishes through core/energy.h, and what each of its states draws. What blocks publish:
///
/// | path below the drive | states | share |
/// |---|---|---|
/// | `disk.spn`, of several stacks `disk.spn0`, ... | stopped, spin_up, at_speed, spin_down | stack |
/// | `disk.srv<n>`: servo and VCM of arm n | hold, seek (load and unload too), parked, failed, and phases (below) | arm
/// | | `disk.arm<n>`: operating mode of arm n | idle, seek, rotational_wait, transfer | arm | | `disk.chn<n>`: data
/// channel | idle, wait, transfer | channel | | `disk.chn<n>.write`: it writes on the media; on demand | off, on |
/// channel | | `disk.soc.cpu` | idle, busy | common | | `disk.soc.buf`: buffer RAM | idle, active | common | |
/// `disk.soc.pmu`: the controller's power state, from firmware | active, idle, standby, sleep | common | | `link` |
/// idle, busy | common |
///
/// With seek.coil a seek has the states accelerate, coast, decelerate and settle of its servo, and what the coil takes
/// in each is a level.
///
/// A drive with idle conditions has more states: load, unload, acquire and released of a servo, active_idle and
/// low_power_idle of `disk.soc.pmu`.
///
/// The preamplifier of an arm draws by the arm's operating mode: it is on `disk.arm<n>`.
struct ComponentPower {
  std::string path;
  Share share = Share::common;
  unsigned number = 0;  ///< of the arm, stack or channel
  std::vector<StatePower> states;
};

/// A part that a block publishes as a level (PowerLevel in core/energy.h), with the rail that the block names.
struct LevelPower {
  std::string path;       ///< below the drive: "disk.srv0.coil"
  std::string component;  ///< of the ledger
  Share share = Share::common;
  unsigned number = 0;
};

/// Power of every state of a drive's components: what a ledger sums up.
struct PowerTable {
  unsigned arms = 1;      ///< their modes are published as `disk.arm0`, ...
  unsigned stacks = 1;    ///< published as `disk.spn`, or of several as `disk.spn0`, ...
  unsigned channels = 1;  ///< the arm that each works for is published as `disk.chn0.arm`, ...: none, arm0, ...
  std::vector<ComponentPower> components;  ///< a path may come more than once, its loads add up
  std::vector<LevelPower> levels;          ///< a path may come once

  /// What the drive draws with its arms on their tracks and nothing to do.
  /// @param stack  the stacks' state: "at_speed", or one of a lower speed; "": without them
  /// @param out    arms whose servos are off
  Nanowatts at_idle(std::string_view stack = "at_speed", unsigned out = 0) const;
  /// What the stacks' motors take from one time of their spin-up, s, to another, J.
  double spin_up_j(double from_s, double to_s) const;

  static std::string stack_path(unsigned stack, unsigned stacks) {
    return stacks == 1 ? "disk.spn" : "disk.spn" + std::to_string(stack);
  }

  /// @throws InputError naming what is wrong: numbers out of range, loads without steps or with steps that do not rise
  void check() const;

 private:
  void check_number(const std::string& path, Share share, unsigned number) const;
};

}  // namespace armature::power
