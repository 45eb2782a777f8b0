#pragma once

#include "apb_waves.h"
#include "cha_rtl.h"

#include <array>
#include <memory>
#include <string>

namespace armature::arbiter {

/// The channel arbiter's pins and nets as probes, as AauWaves are those of the arm-arbitration unit.
class ChaWaves {
 public:
  /// `arms`: of the drive. Null if nothing of them is traced.
  static std::unique_ptr<ChaWaves> make(const std::string& path, ProbeSink* probes, unsigned arms);

  /// @param period  of the clock, ps
  void show(const ChaPins& pins, const ChaRtl& rtl, Ps period);

 private:
  ApbWaves apb_;
  WaveVector angle_, irq_, idle_, asking_, free_, phase_, asked_, candidate_, winner_, grant_arm_, grant_channel_;
  std::array<WaveVector, ChannelArbiterCore::kArms> wait_;
  unsigned arms_ = 0;
  ChaNets now_;
};

}  // namespace armature::arbiter
