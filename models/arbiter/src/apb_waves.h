#pragma once

#include "armature/arbiter/apb_bridge.h"
#include "armature/core/probe.h"

#include <cstdint>
#include <string>

namespace armature::arbiter {

/// A vector of which the probe is told only what is new.
class WaveVector {
 public:
  /// Whether it is traced.
  bool declare(ProbeSink* probes, const std::string& path, unsigned width, const char* meaning) {
    probe_.declare(probes, path, width, meaning);
    return probe_.traced();
  }
  void set(std::uint64_t value) {
    if (value != shown_) probe_.set(shown_ = value);
  }

 private:
  VectorProbe probe_;
  std::uint64_t shown_ = ~std::uint64_t{0};
};

/// The state of a unit's RTL by name, and its APB port.
class ApbWaves {
 public:
  /// Whether any of them is traced.
  bool declare(ProbeSink* probes, const std::string& path) {
    fsm_.declare(probes, path + ".fsm", "sleep, decide or grant: the state of the RTL");
    bool any = fsm_.traced();
    // clang-format off
    any = psel_.declare(probes, path + ".psel",        1, "a transfer on the APB") || any;
    any = penable_.declare(probes, path + ".penable",  1, "its second clock, behind which the register changes") || any;
    any = pwrite_.declare(probes, path + ".pwrite",    1, "a write") || any;
    any = paddr_.declare(probes, path + ".paddr",     16, "register") || any;
    any = pwdata_.declare(probes, path + ".pwdata",   32, "word written") || any;
    // clang-format on
    return any;
  }
  void show(const ApbPins& pins, bool deciding, bool pending) {
    const char* const fsm = deciding ? "decide" : pending ? "grant" : "sleep";
    if (fsm != shown_fsm_) fsm_.set(shown_fsm_ = fsm);
    psel_.set(pins.select);
    penable_.set(pins.enable);
    pwrite_.set(pins.write);
    paddr_.set(pins.address);
    pwdata_.set(pins.data);
  }

 private:
  TextProbe fsm_;
  const char* shown_fsm_ = nullptr;
  WaveVector psel_, penable_, pwrite_, paddr_, pwdata_;
};

}  // namespace armature::arbiter
