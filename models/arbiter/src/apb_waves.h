#pragma once

#include "armature/arbiter/apb_bridge.h"
#include "armature/core/kernel_time.h"
#include "armature/core/probe.h"

#include <cstdint>
#include <string>

namespace armature::arbiter {

/// A vector whose probe gets only changed elements.
class WaveVector {
 public:
  /// Whether it is traced.
  bool declare(ProbeSink* probes, const std::string& path, unsigned width, const char* meaning, const char* unit = "") {
    probe_.declare(probes, path, width, meaning, unit);
    return probe_.traced();
  }
  void set(std::uint64_t value) {
    if (value != shown_) probe_.set(shown_ = value);
  }

 private:
  VectorProbe probe_;
  std::uint64_t shown_ = ~std::uint64_t{0};
};

/// The state of a unit's RTL by name, its clock and reset, and its APB port.
class ApbWaves {
 public:
  /// Whether any of them is traced.
  bool declare(ProbeSink* probes, const std::string& path) {
    fsm_.declare(probes, path + ".fsm", "sleep, decide or grant: the state of the RTL");
    clk_.declare(probes, path + ".clk", "clock; stands while the unit is idle");
    rst_n_.declare(probes, path + ".rst_n", "reset, active low: released before time 0");
    rst_n_.set(true);
    bool any = fsm_.traced() || clk_.traced() || rst_n_.traced();
    // clang-format off
    any = psel_.declare(probes, path + ".psel",        1, "a transfer on the APB") || any;
    any = penable_.declare(probes, path + ".penable",  1, "its second clock, behind which the register changes") || any;
    any = pwrite_.declare(probes, path + ".pwrite",    1, "a write") || any;
    any = paddr_.declare(probes, path + ".paddr",     16, "register", "hex") || any;
    any = pwdata_.declare(probes, path + ".pwdata",   32, "word written", "hex") || any;
    // clang-format on
    return any;
  }
  /// Behind a rising edge, which is now.
  void show(const ApbPins& pins, bool deciding, bool pending, Ps period) {
    clk_.set(true);
    clk_.schedule(now() + period / 2, false);
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
  BitProbe clk_, rst_n_;
  const char* shown_fsm_ = nullptr;
  WaveVector psel_, penable_, pwrite_, paddr_, pwdata_;
};

}  // namespace armature::arbiter
