#pragma once

#include "armature/arbiter/aau_core.h"
#include "armature/arbiter/apb_bridge.h"
#include "armature/arbiter/sled_cost.h"
#include "rtl_failed.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace armature::arbiter {

/// Input pins at one rising edge.
struct AauPins : ApbPins {
  std::array<std::uint32_t, 8> angle{};
  std::uint64_t tick = 0;
  std::uint32_t turning = 0;
  std::array<SledDeparture, 8> sleds{};  ///< of an instance for sleds, as the next one
  const SledSeeks* seeks = nullptr;      ///< the memory; never null there
};

/// What is looked at after every edge.
struct AauState {
  bool irq = false, idle = true;
  bool deciding = false, pending = false;  ///< a decision is under way; a grant is pending
  std::uint32_t grant = 0, estimate = 0;   ///< the registers
  bool wake = false;                       ///< the clock stands no longer than until
  std::uint64_t wake_tick = 0;             ///< the tick has come to this
};

/// Nets inside the unit, for the waves.
struct AauNets {
  static constexpr unsigned kLanes = 4;  ///< shown in the waves, at most

  unsigned waiting = 0;    ///< slots
  bool candidate = false;  ///< a row enters the pipeline: these
  unsigned row = 0, arm = 0, head = 0;
  std::array<bool, kLanes> eligible{};       ///< a lane's cost unit has a candidate's time
  std::array<std::uint32_t, kLanes> cost{};  ///< which is
  bool best = false;                         ///< the least so far
  unsigned best_slot = 0, best_arm = 0, best_head = 0;
  std::uint32_t best_time = 0;
};

/// One Verilated instance of rtl/aau, after reset. Compiled once an instance (rtl/cosim/aau_instance.cpp).
class AauRtl {
 public:
  virtual ~AauRtl() = default;
  AauRtl() = default;
  AauRtl(const AauRtl&) = delete;
  AauRtl& operator=(const AauRtl&) = delete;

  /// One rising edge with these inputs, and the falling one behind it. Throws RtlFailed if an assertion failed.
  virtual const AauState& edge(const AauPins& pins) = 0;
  virtual const AauState& state() const = 0;
  /// Register as the bus would read it now.
  virtual std::uint32_t read(std::uint32_t offset) = 0;
  /// Whether the instance has the nets that AauNets names: RTL of one's own need not.
  virtual bool has_nets() const = 0;
  virtual void nets(AauNets& nets) const = 0;
};

/// The instances in this program.
const std::vector<AauShape>& rtl_shapes();
/// Null if the program has no instance of this shape.
std::unique_ptr<AauRtl> make_rtl(const AauShape& shape);

}  // namespace armature::arbiter
