#pragma once

#include "armature/core/block_context.h"
#include "armature/core/kernel_time.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {

/// Writes down state changes: (time, state's name) by component path.
class RecordingStates final : public StateSink {
 public:
  std::map<std::string, std::vector<std::pair<Ps, std::string>>> changes;

  Id declare(const StatefulComponent& component) override {
    components_.push_back(component);
    changes[component.path];
    return static_cast<Id>(components_.size() - 1);
  }
  void enter(Id id, unsigned state, Ps at) override {
    changes[components_[id].path].emplace_back(at, components_[id].states.at(state));
  }

 private:
  std::vector<StatefulComponent> components_;
};

/// Writes down what probes show: (time, value as text) by path.
class RecordingProbes final : public ProbeSink {
 public:
  std::map<std::string, std::vector<std::pair<Ps, std::string>>> changes;

  Id declare(const ProbeInfo& info) override {
    infos_.push_back(info);
    changes[info.path];
    return static_cast<Id>(infos_.size() - 1);
  }
  void change(Id id, std::uint64_t value) override { add(id, now(), std::to_string(value)); }
  void change(Id id, double value) override { add(id, now(), std::to_string(value)); }
  void change(Id id, std::string_view text) override { add(id, now(), std::string(text)); }
  void schedule(Id id, Ps at, double value) override { add(id, at, std::to_string(value)); }
  void cancel(Id) override {}

 private:
  void add(Id id, Ps at, std::string value) { changes[infos_[id].path].emplace_back(at, std::move(value)); }
  std::vector<ProbeInfo> infos_;
};

}  // namespace armature::testing
