#include "armature/observe/state_times.h"

#include "armature/core/kernel_time.h"

namespace armature::observe {
namespace {

constexpr std::size_t kMostKept = 64;  // transitions that have come, of a component that always announces more

}  // namespace

StateSink::Id StateTimes::declare(const StatefulComponent& component) {
  components_.push_back({component, std::vector<Ps>(component.states.size(), 0)});
  Progress& progress = progress_.emplace_back();
  final_times_.emplace_back();
  progress.times = components_.back().times.data();
  progress.states = static_cast<std::uint16_t>(component.states.size());
  return static_cast<Id>(components_.size() - 1);
}

void StateTimes::enter(Id id, unsigned state, Ps at) {
  Progress& progress = progress_[id];
  const auto fatal = [&](const char* what) {
    SC_REPORT_FATAL("observe/states", (components_[id].info.path + what).c_str());
  };
  if (state >= progress.states) fatal(": no such state");
  const Ps present = now();
  if (progress.next.at <= present) settle(progress, present);
  if (progress.next.at != kNever && (progress.next.at > at || !progress.later.empty())) withdraw(progress, at);
  if (at < progress.since) fatal(": a state is entered in the past");
  if (at <= present) {
    advance(progress, state, at);  // nothing is announced now: what came is settled, what comes later is withdrawn
  } else if (progress.next.at == kNever) {
    progress.next.state = state;
    progress.next.at = at;
  } else {
    progress.later.push_back({state, at});
  }
}

/// Counts the transitions up to and at `until`; a later one may lie beyond the end of the run.
void StateTimes::settle(Progress& progress, Ps until) {
  std::vector<Transition>& later = progress.later;
  while (progress.next.at <= until) {
    advance(progress, progress.next.state, progress.next.at);
    if (progress.come == later.size()) {
      progress.next.at = kNever;
      break;
    }
    progress.next = later[progress.come++];
  }
  if (progress.come == later.size())
    later.clear();
  else if (progress.come < kMostKept)
    return;
  else
    later.erase(later.begin(), later.begin() + progress.come);
  progress.come = 0;
}

/// What was announced for later than `at` will not come.
void StateTimes::withdraw(Progress& progress, Ps at) {
  while (progress.later.size() > progress.come && progress.later.back().at > at) progress.later.pop_back();
  if (progress.next.at > at) progress.next.at = kNever;
}

void StateTimes::finish_drive(const std::string& drive, Ps end) {
  const std::string prefix = drive + ".";
  for (std::size_t i = 0; i < components_.size(); ++i) {
    if (components_[i].info.path.compare(0, prefix.size(), prefix) != 0) continue;
    // A copy: the component itself goes on to enter states, and may do so late.
    Progress progress = progress_[i];
    std::vector<Ps> times = components_[i].times;
    progress.times = times.data();
    settle(progress, end);
    times[progress.state] += end - progress.since;
    final_times_[i] = std::move(times);
  }
}

void StateTimes::finish(Ps end) {
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    Progress& progress = progress_[i];
    if (!final_times_[i].empty()) {
      components_[i].times = final_times_[i];
      progress.times = components_[i].times.data();
    } else {
      settle(progress, end);
      progress.times[progress.state] += end - progress.since;
    }
    progress.since = end;
    progress.next.at = kNever;
    progress.later.clear();
    progress.come = 0;
  }
}

}  // namespace armature::observe
