#pragma once

#include "aau_rtl.h"
#include "armature/core/kernel_time.h"
#include "armature/core/probe.h"
#include "cha_rtl.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace armature::arbiter {

/// Pins and nets of a unit's RTL as probes, in the same waves as the rest of the drive: its state by name, clock and
/// reset, its APB port, and vectors of its own. Values are given after every edge of the clock; while it stands,
/// nothing changes.
template <class Rtl, class Pins, class State, class Nets>
class RtlWaves {
 public:
  bool traced() const { return traced_; }
  /// Behind a rising edge, which is now.
  /// @param period  of the clock, ps
  void show(const Pins& pins, const Rtl& rtl, Ps period) {
    const State& state = rtl.state();
    if (nets_) rtl.nets(now_);
    clk_.set(true);
    clk_.schedule(now() + period / 2, false);
    const char* const fsm = state.deciding ? "decide" : state.pending ? "grant" : "sleep";
    if (fsm != shown_fsm_) fsm_.set(shown_fsm_ = fsm);
    for (Vector& vector : vectors_) {
      const std::uint64_t value = vector.value({pins, state, now_});
      if (value != vector.shown) vector.probe.set(vector.shown = value);
    }
  }

 protected:
  struct Seen {
    const Pins& pins;
    const State& state;
    const Nets& nets;
  };
  using Value = std::function<std::uint64_t(const Seen&)>;

  /// @param nets  the vectors that the unit adds are of nets, too
  RtlWaves(const std::string& path, ProbeSink* probes, bool nets) : path_(path), probes_(probes), nets_(nets) {
    fsm_.declare(probes, path + ".fsm", "sleep, decide or grant: the state of the RTL");
    clk_.declare(probes, path + ".clk", "clock; stands while the unit is idle");
    rst_n_.declare(probes, path + ".rst_n", "reset, active low: released before time 0");
    rst_n_.set(true);
    traced_ = fsm_.traced() || clk_.traced() || rst_n_.traced();
    // clang-format off
    add("psel",     1, "a transfer on the APB",                                [](const Seen& s) { return s.pins.select; });
    add("penable",  1, "its second clock, behind which the register changes",  [](const Seen& s) { return s.pins.enable; });
    add("pwrite",   1, "a write",                                              [](const Seen& s) { return s.pins.write; });
    add("paddr",   16, "register",                                             [](const Seen& s) { return s.pins.address; }, "hex");
    add("pwdata",  32, "word written",                                         [](const Seen& s) { return s.pins.data; }, "hex");
    add("angle",   16, "input: angle of stack 0, 1/65,536 revolution",         [](const Seen& s) { return s.pins.angle[0]; });
    // clang-format on
  }

  void add(const std::string& name, unsigned width, const char* meaning, Value value, const char* unit = "") {
    Vector& vector = vectors_.emplace_back();
    vector.probe.declare(probes_, path_ + "." + name, width, meaning, unit);
    vector.value = std::move(value);
    traced_ = vector.probe.traced() || traced_;
  }
  void add_outputs() {
    add("irq", 1, "output: a grant waits", [](const Seen& s) { return s.state.irq; });
    add("idle", 1, "output: the clock may stand", [](const Seen& s) { return s.state.idle; });
  }

 private:
  struct Vector {
    VectorProbe probe;
    Value value;
    std::uint64_t shown = ~std::uint64_t{0};  ///< the probe is told only what is new
  };

  const std::string path_;
  ProbeSink* const probes_;
  const bool nets_;
  bool traced_ = false;
  TextProbe fsm_;
  BitProbe clk_, rst_n_;
  const char* shown_fsm_ = nullptr;
  std::vector<Vector> vectors_;
  Nets now_;
};

/// Of the arm-arbitration unit.
class AauWaves : public RtlWaves<AauRtl, AauPins, AauState, AauNets> {
 public:
  AauWaves(const std::string& path, ProbeSink* probes, const AauRtl& rtl);
};

/// Of the channel arbiter of a drive with so many arms.
class ChaWaves : public RtlWaves<ChaRtl, ChaPins, ChaState, ChaNets> {
 public:
  ChaWaves(const std::string& path, ProbeSink* probes, unsigned arms);
};

/// Null if nothing of them is traced.
template <class Waves, class Of>
std::unique_ptr<Waves> traced_waves(const std::string& path, ProbeSink* probes, const Of& of) {
  auto waves = probes ? std::make_unique<Waves>(path, probes, of) : nullptr;
  return waves && waves->traced() ? std::move(waves) : nullptr;
}

}  // namespace armature::arbiter
