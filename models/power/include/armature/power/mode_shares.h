#pragma once

#include "armature/core/time.h"
#include "armature/power/power_table.h"

#include <array>
#include <cstdint>
#include <vector>

namespace armature::power {

/// What a drive is doing: energy is divided among these. `standby`: no stack turns at speed; `spin_up`: one gets there.
/// The last two: the idle conditions of drives that have them.
enum class Mode : std::uint8_t { idle, seek, rotational_wait, transfer, spin_up, standby, active_idle, low_power_idle };
constexpr std::size_t kModes = 8;
constexpr std::array<const char*, kModes> kModeNames = {"idle",    "seek",    "rotational_wait", "transfer",
                                                        "spin_up", "standby", "active_idle",     "low_power_idle"};

/// A share of energy or time, in 1/840 of its unit: 840 can be divided by each number of arms from 1 to 8.
using Shares = __int128;
constexpr int kWhole = 840;

/// 1/840 nanowatt-picoseconds in joules.
constexpr double shares_to_joules(Shares energy) {
  return static_cast<double>(static_cast<long double>(energy) * 1e-21L / kWhole);
}
/// 1/840 picoseconds in seconds.
constexpr double shares_to_seconds(Shares time) {
  return static_cast<double>(static_cast<long double>(time) * 1e-12L / kWhole);
}

enum class StackState : std::uint8_t { stopped, spin_up, at_speed };

/// Divides a drive's time among operating modes, for each group of components whose energy counts alike: those that
/// draw for all, those of stacks that stand or spin up, and those of each arm. docs/guide/energy.md has the rules.
class ModeShares {
 public:
  /// Shares of time modulo 2^64: of what passes between two looks at a group the difference is exact, if they are no
  /// more than kLongest apart.
  using Weights = std::array<std::uint64_t, kModes>;
  static constexpr Ps kLongest = 10'000 * kPsPerSecond;  ///< 840 times this fits into 63 bits

  /// Time in each mode so far, by its weight.
  struct Group {
    Weights time{};
    std::array<int, kModes> weight{};  ///< 1/840 of the present moment, together 840
    int only = -1;                     ///< the mode that has all of it, if one has
    Ps only_since = 0;                 ///< from when on
    Ps last = 0;

    void all_to(Mode mode, Ps at) {
      weight = {};
      weight[static_cast<std::size_t>(mode)] = kWhole;
      only = static_cast<int>(mode);
      only_since = at;
    }
    void advance(Ps at) {
      const Ps passed = at - last;
      if (passed == 0) return;
      const auto add = [&](std::size_t mode) {
        time[mode] += static_cast<std::uint64_t>(passed) * static_cast<std::uint64_t>(weight[mode]);
      };
      if (only >= 0) {
        add(static_cast<std::size_t>(only));
      } else {
        for (std::size_t mode = 0; mode < kModes; ++mode) add(mode);
      }
      last = at;
    }
  };

  /// Arms are idle, stacks at speed and channels nobody's until something else is said.
  explicit ModeShares(const PowerTable& table);

  // From `at` on.
  void arm(unsigned number, Mode mode, Ps at);
  void stack(unsigned number, StackState state, Ps at);
  void channel(unsigned number, unsigned arm) { channel_arms_[number] = arm; }  ///< 1 + its arm; 0: none
  void rest(Mode mode, Ps at);  ///< the drive's with stacks at speed and no arm at work

  /// The number of the group in which a component counts at present.
  std::size_t group_of(Share share, unsigned number) const;
  Group& group(std::size_t number) { return groups_[number]; }
  /// Counts all time up to `at`.
  void advance_all(Ps at);

  /// The drive's time by mode up to the last advance_all().
  const std::array<Shares, kModes>& time() const { return time_; }

 private:
  Mode rest_mode() const;
  void share_out(Ps at);

  std::vector<Mode> arm_modes_;
  std::vector<StackState> stack_states_;
  std::vector<unsigned> channel_arms_;
  Mode resting_ = Mode::idle;
  std::vector<Group> groups_;
  std::array<Shares, kModes> time_{};
  Weights counted_{};  ///< of the common group, in time_
};

}  // namespace armature::power
