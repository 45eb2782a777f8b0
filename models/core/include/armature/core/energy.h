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

/// Supply rails of a drive's connector.
enum class Rail : std::uint8_t { v5, v12 };

/// Power in integer nanowatts: with times in integer picoseconds every energy is exact.
using Nanowatts = std::int64_t;

/// A part whose power is no matter of states: it changes as physics says, the current of a voice coil for one. It draws
/// nothing until its first level.
struct PowerLevelInfo {
  std::string path;  ///< "atlas10k.disk.srv0.coil"
  Rail rail = Rail::v12;
};

class StateSink {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNoLevel = ~Id{0};
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
  /// Before the simulation starts. kNoLevel if the sink has no use for it.
  virtual Id declare_level(const PowerLevelInfo& info) {
    (void)info;
    return kNoLevel;
  }
  /// `id` draws `power` (>= 0) from `at` on, which may lie ahead as a state's; what was announced for later than `at`
  /// will not come.
  virtual void level(Id id, Nanowatts power, Ps at) { (void)id, (void)power, (void)at; }
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

/// The publisher's end of a level. Without a sink that wants it, it costs one test of a pointer.
class PowerLevel {
 public:
  void declare(StateSink* sink, const PowerLevelInfo& info) {
    if (sink) id_ = sink->declare_level(info);
    sink_ = id_ == StateSink::kNoLevel ? nullptr : sink;
  }
  bool wanted() const { return sink_ != nullptr; }
  void set(Nanowatts power, Ps at) {
    if (sink_) sink_->level(id_, power, at);
  }

 private:
  StateSink* sink_ = nullptr;
  StateSink::Id id_ = StateSink::kNoLevel;
};

}  // namespace armature
