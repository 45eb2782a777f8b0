#pragma once

#include "armature/arbiter/aau_core.h"
#include "cosim/arm_arbitration_sleds.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::testing {

/// Input pins of arm_arbitration_unit at one rising edge.
struct AauPins {
  bool psel = false, penable = false, pwrite = false;
  std::uint16_t paddr = 0;
  std::uint32_t pwdata = 0;
  std::array<std::uint32_t, 8> angle{};
  std::uint64_t tick = 0;
  std::uint32_t turning = 0;
  SledPlaces sleds{};                         ///< of an instance for sleds, as the next one
  const arbiter::SledSeeks* seeks = nullptr;  ///< the memory
};

struct AauOutputs {
  std::uint32_t prdata = 0;
  bool pready = false, pslverr = false, irq = false, idle = false, wake = false;
  std::uint64_t wake_tick = 0;
};

/// One Verilated instance of rtl/aau, whatever its parameters.
class AauModel {
 public:
  virtual ~AauModel() = default;
  AauModel() = default;
  AauModel(const AauModel&) = delete;
  AauModel& operator=(const AauModel&) = delete;

  virtual void reset() = 0;
  /// Applies the pins before a rising edge. What the outputs then are.
  virtual AauOutputs settle(const AauPins& pins) = 0;
  /// The rising edge. What the outputs then are, with the same pins.
  virtual AauOutputs edge() = 0;
  virtual bool assertion_failed() const = 0;
  const arbiter::AauShape& shape() const { return shape_; }

 protected:
  arbiter::AauShape shape_;
};

/// The instances that the bench was linked with: each registers itself under its name.
using AauMaker = std::unique_ptr<AauModel> (*)();
struct AauInstance {
  std::string name;
  AauMaker make;
};
std::vector<AauInstance>& aau_instances();
/// Null if the program was linked without that instance.
std::unique_ptr<AauModel> make_aau(const std::string& name);

}  // namespace armature::testing
