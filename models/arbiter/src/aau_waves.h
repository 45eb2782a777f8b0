#pragma once

#include "aau_rtl.h"
#include "armature/core/probe.h"

#include <array>
#include <memory>
#include <string>

namespace armature::arbiter {

/// The RTL's pins and nets as probes, in the same waves as the rest of the drive. Values are given after every edge of
/// the clock; while it stands, nothing changes.
class AauWaves {
 public:
  /// Null if nothing of them is traced.
  static std::unique_ptr<AauWaves> make(const std::string& path, ProbeSink* probes, const AauRtl& rtl);

  void show(const AauPins& pins, const AauRtl& rtl);

 private:
  /// Tells a probe only what is new.
  struct Vector {
    VectorProbe probe;
    std::uint64_t shown = ~std::uint64_t{0};
    void set(std::uint64_t value) {
      if (value != shown) probe.set(shown = value);
    }
  };

  TextProbe fsm_;
  const char* shown_fsm_ = nullptr;
  Vector psel_, penable_, pwrite_, paddr_, pwdata_, angle_, tick_, turning_, irq_, idle_;
  Vector waiting_, candidate_, row_, arm_, head_, best_, best_slot_, best_arm_, best_head_, best_time_, grant_,
      estimate_;
  std::array<Vector, AauNets::kLanes> eligible_, cost_;
  bool nets_ = false;
  AauNets now_;
};

}  // namespace armature::arbiter
