#pragma once

#include "aau_rtl.h"
#include "apb_waves.h"

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

  /// @param period  of the clock, ps
  void show(const AauPins& pins, const AauRtl& rtl, Ps period);

 private:
  ApbWaves apb_;
  WaveVector angle_, tick_, turning_, irq_, idle_, wake_, wake_tick_;
  WaveVector waiting_, candidate_, row_, arm_, head_, best_, best_slot_, best_arm_, best_head_, best_time_, grant_,
      estimate_;
  std::array<WaveVector, AauNets::kLanes> eligible_, cost_;
  bool nets_ = false;
  AauNets now_;
};

}  // namespace armature::arbiter
