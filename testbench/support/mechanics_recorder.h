#pragma once

#include "armature/core/block_context.h"
#include "armature/core/kernel_time.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {

/// All three sinks of a block: keeps what was published, in order.
class MechanicsRecorder final : public ProbeSink, public StateSink, public RequestObserver {
 public:
  struct PhaseBegan {
    std::uint32_t tag;
    std::string phase;  ///< "done" for media_done
    Ps at;
    bool operator==(const PhaseBegan& other) const {
      return tag == other.tag && phase == other.phase && at == other.at;
    }
  };
  struct StateEntered {
    unsigned state;
    Ps at;
    bool operator==(const StateEntered& other) const { return state == other.state && at == other.at; }
  };
  template <class Value>
  using Changes = std::vector<std::pair<Ps, Value>>;

  BlockContext context() { return {this, this, this}; }

  std::vector<PhaseBegan> phases;
  std::vector<std::pair<std::uint32_t, MediaAccess>> accesses;
  std::map<std::string, std::vector<StateEntered>> states;  ///< by path
  std::map<std::string, Changes<std::uint64_t>> numbers;    ///< bits and vectors by path
  std::map<std::string, Changes<double>> reals;             ///< changes and scheduled values by path
  std::map<std::string, Changes<std::string>> texts;

  // ProbeSink
  std::uint32_t declare(const ProbeInfo& info) override {
    probe_paths_.push_back(info.path);
    return static_cast<std::uint32_t>(probe_paths_.size() - 1);
  }
  void change(std::uint32_t id, std::uint64_t value) override { numbers[probe_paths_[id]].emplace_back(now(), value); }
  void change(std::uint32_t id, double value) override { reals[probe_paths_[id]].emplace_back(now(), value); }
  void change(std::uint32_t id, std::string_view text) override { texts[probe_paths_[id]].emplace_back(now(), text); }
  void schedule(std::uint32_t id, Ps at, double value) override { reals[probe_paths_[id]].emplace_back(at, value); }
  void cancel(std::uint32_t) override {}

  // StateSink
  std::uint32_t declare(const StatefulComponent& component) override {
    state_paths_.push_back(component.path);
    return static_cast<std::uint32_t>(state_paths_.size() - 1);
  }
  void enter(std::uint32_t id, unsigned state, Ps at) override { states[state_paths_[id]].push_back({state, at}); }

  // RequestObserver
  void base(std::uint32_t tag, Phase phase, Ps at) override { began(tag, phase, at); }
  void media(std::uint32_t tag, Phase phase, Ps at) override { began(tag, phase, at); }
  void media_done(std::uint32_t tag, Ps at) override { phases.push_back({tag, "done", at}); }
  void link(std::uint32_t tag, Phase phase, Ps at) override { began(tag, phase, at); }
  void link_done(std::uint32_t, Ps) override {}
  void granted(std::uint32_t, std::uint32_t, Ps, Ps) override {}
  void access(std::uint32_t tag, const MediaAccess& access) override { accesses.emplace_back(tag, access); }
  void access_extended(std::uint32_t, Ps done_at, std::uint32_t retried) override {
    accesses.back().second.done_at = done_at;
    accesses.back().second.retried = retried;
  }

 private:
  void began(std::uint32_t tag, Phase phase, Ps at) { phases.push_back({tag, std::string(name_of(phase)), at}); }

  std::vector<std::string> probe_paths_;
  std::vector<std::string> state_paths_;
};

}  // namespace armature::testing
