#pragma once

#include "armature/core/time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature {

/// A component that is always in exactly one of its named states, and whose power depends on it: "arm0" in
/// {"hold", "seek"}. Models publish their states; the energy ledger and the utilisation table are sinks.
struct StatefulComponent {
  std::string path;                 ///< "atlas10k.disk.arm0"
  std::vector<std::string> states;  ///< by index; a component starts in state 0 at time 0
};

class StateSink {
 public:
  using Id = std::uint32_t;
  /// Before the simulation starts.
  virtual Id declare(const StatefulComponent& component) = 0;
  /// `id` enters `state` at `at`, which may lie ahead of the kernel's time but never before a state that has
  /// come. What was announced for later than `at` will not come.
  virtual void enter(Id id, unsigned state, Ps at) = 0;
  /// As enter, for a state whose power depends on the time since it began, when `passed` ps of it are over already:
  /// a spin-up from half the speed.
  virtual void enter_late(Id id, unsigned state, Ps at, Ps passed) {
    (void)passed;
    enter(id, state, at);
  }
  /// Whether the sink wants a component that is published only on demand: what an arm is doing ("disk.arm0"), the arm
  /// for which a channel works ("disk.chn0.arm"), whether the buffer RAM is active. Called before it is declared.
  virtual bool wants(const std::string& path) const {
    (void)path;
    return false;
  }

 protected:
  ~StateSink() = default;
};

/// The publisher's end. Without a sink it costs one test of a pointer.
class ComponentState {
 public:
  void declare(StateSink* sink, const StatefulComponent& component) {
    sink_ = sink;
    if (sink_) id_ = sink_->declare(component);
  }
  void enter(unsigned state, Ps at) {
    if (sink_) sink_->enter(id_, state, at);
  }
  void enter_late(unsigned state, Ps at, Ps passed) {
    if (sink_) sink_->enter_late(id_, state, at, passed);
  }

 private:
  StateSink* sink_ = nullptr;
  StateSink::Id id_ = 0;
};

}  // namespace armature
