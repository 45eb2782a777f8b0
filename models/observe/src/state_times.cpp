#include "armature/observe/state_times.h"

namespace armature::observe {

StateSink::Id StateTimes::declare(const StatefulComponent& component) {
  components_.push_back({component, std::vector<Ps>(component.states.size(), 0)});
  progress_.emplace_back();
  return static_cast<Id>(components_.size() - 1);
}

void StateTimes::enter(Id id, unsigned state, Ps at) {
  Progress& progress = progress_[id];
  const StatefulComponent& info = components_[id].info;
  if (state >= info.states.size()) SC_REPORT_FATAL("observe/states", (info.path + ": no such state").c_str());
  settle(id, now());
  while (!progress.ahead.empty() && progress.ahead.back().at > at) progress.ahead.pop_back();
  if (at < progress.since) SC_REPORT_FATAL("observe/states", (info.path + ": a state is entered in the past").c_str());
  progress.ahead.push_back({state, at});
}

/// Counts the transitions up to and at `until`; a later one may lie beyond the end of the run.
void StateTimes::settle(Id id, Ps until) {
  Progress& progress = progress_[id];
  while (!progress.ahead.empty() && progress.ahead.front().at <= until) {
    const Transition& next = progress.ahead.front();
    components_[id].times[progress.state] += next.at - progress.since;
    progress.state = next.state;
    progress.since = next.at;
    progress.ahead.pop_front();
  }
}

void StateTimes::finish(Ps end) {
  for (Id id = 0; id < components_.size(); ++id) {
    settle(id, end);
    Progress& progress = progress_[id];
    components_[id].times[progress.state] += end - progress.since;
    progress.since = end;
    progress.ahead.clear();
  }
}

}  // namespace armature::observe
