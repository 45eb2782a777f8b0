#pragma once

#include "armature/core/energy.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace armature::observe {

/// Exact time that each component spent in each of its states: the source of utilisation figures.
class StateTimes final : public StateSink {
 public:
  struct Component {
    StatefulComponent info;
    std::vector<Ps> times;  ///< by state; they add up to the time passed up to finish()
  };

  Id declare(const StatefulComponent& component) override;
  void enter(Id id, unsigned state, Ps at) override;

  /// The components of `drive` count up to `end`, the present, and no further: the others' run goes on.
  void finish_drive(const std::string& drive, Ps end);
  /// Counts up to `end`; a state that would be entered later is left out. Once, at the end of the run.
  void finish(Ps end);

  const std::vector<Component>& components() const { return components_; }

 private:
  static constexpr Ps kNever = std::numeric_limits<Ps>::max();
  struct Transition {
    unsigned state;
    Ps at;
  };
  /// In one cache line: many drives enter states in turn. Most components announce one state at a time.
  struct alignas(64) Progress {
    Ps* times = nullptr;  ///< of the component; a vector's elements stay where they are when the vector is moved
    std::uint16_t states = 0;
    std::uint16_t state = 0;
    std::uint32_t come = 0;  ///< so many of `later` have been taken from it
    Ps since = 0;
    Transition next{0, kNever};     ///< announced, and not known to have come
    std::vector<Transition> later;  ///< announced for after `next`, from `come` on
  };
  static_assert(sizeof(Progress) == 64);

  static void advance(Progress& progress, unsigned state, Ps at) {
    progress.times[progress.state] += at - progress.since;
    progress.state = static_cast<std::uint16_t>(state);
    progress.since = at;
  }
  static void settle(Progress& progress, Ps until);
  static void withdraw(Progress& progress, Ps at);

  std::vector<Component> components_;
  std::vector<Progress> progress_;
  std::vector<std::vector<Ps>> final_times_;  ///< of a component that counts no further; empty: it does
};

}  // namespace armature::observe
