#pragma once

#include "armature/core/energy.h"

#include <cstddef>
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
  struct Transition {
    unsigned state;
    Ps at;
  };
  /// In one cache line: many drives enter states in turn.
  struct alignas(64) Progress {
    Ps* times = nullptr;  ///< of the component; a vector's elements stay where they are when the vector is moved
    unsigned states = 0;
    unsigned state = 0;
    Ps since = 0;
    std::vector<Transition> ahead;  ///< announced, and not known to have come, from `come` on
    std::size_t come = 0;
  };

  static void advance(Progress& progress, const Transition& next) {
    progress.times[progress.state] += next.at - progress.since;
    progress.state = next.state;
    progress.since = next.at;
  }
  static void settle(Progress& progress, Ps until);

  std::vector<Component> components_;
  std::vector<Progress> progress_;
  std::vector<std::vector<Ps>> final_times_;  ///< of a component that counts no further; empty: it does
};

}  // namespace armature::observe
