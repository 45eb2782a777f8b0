#pragma once

#include "armature/arbiter/apb_bridge.h"
#include "armature/arbiter/channel_arbiter_core.h"
#include "rtl_failed.h"

#include <array>
#include <cstdint>
#include <memory>

namespace armature::arbiter {

/// Input pins at one rising edge.
struct ChaPins : ApbPins {
  std::array<std::uint32_t, ChannelArbiterCore::kStacks> angle{};
};

/// What the unit shows after an edge, whichever side it is of.
struct ChaState {
  bool irq = false, idle = true;
  bool deciding = false, pending = false;  ///< a decision is under way; a grant is pending
  unsigned arm = 0, channel = 0;           ///< of the last grant
  unsigned free = 0, asking = 0;           ///< a bit a channel; a bit an arm

  bool operator==(const ChaState& other) const {
    return irq == other.irq && idle == other.idle && deciding == other.deciding && pending == other.pending &&
           arm == other.arm && channel == other.channel && free == other.free && asking == other.asking;
  }
  bool operator!=(const ChaState& other) const { return !(*this == other); }
};

/// Nets inside the unit, for the waves.
struct ChaNets {
  unsigned phase = 0;      ///< edges since the decision began
  unsigned asked = 0;      ///< arms that asked then, a bit each
  unsigned candidate = 0;  ///< those of them that may win
  std::array<std::uint32_t, ChannelArbiterCore::kArms> wait{};
  unsigned winner = 0;
};

/// A Verilated instance of rtl/cha of full size, after reset (rtl/cosim/cha_instance.cpp).
class ChaRtl {
 public:
  virtual ~ChaRtl() = default;
  ChaRtl() = default;
  ChaRtl(const ChaRtl&) = delete;
  ChaRtl& operator=(const ChaRtl&) = delete;

  /// One rising edge with these inputs. Throws RtlFailed if an assertion failed.
  virtual const ChaState& edge(const ChaPins& pins) = 0;
  virtual const ChaState& state() const = 0;
  /// Register as the bus would read it now.
  virtual std::uint32_t read(std::uint32_t offset) = 0;
  virtual void nets(ChaNets& nets) const = 0;
};

std::unique_ptr<ChaRtl> make_cha_rtl();

}  // namespace armature::arbiter
