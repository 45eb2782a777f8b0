#pragma once

#include "armature/power/ledger.h"

#include <systemc>

#include <memory>
#include <string>
#include <vector>

namespace armature::power {

/// The powers of a ledger as traced reals. Present only if one of them is traced, since it needs an event for what was
/// announced: a change that nobody calls at.
struct Ledger::Waves {
 public:
  static std::unique_ptr<Waves> make(Ledger& ledger, const std::string& prefix, ProbeSink& probes);

  /// Something may have changed at `present`.
  void changed(Ps present);

 private:
  struct Curve {
    RealProbe probe;
    Nanowatts shown = -1;
    void show(Nanowatts power) {
      if (power != shown) probe.set(to_watts(shown = power));
    }
  };

  explicit Waves(Ledger& ledger) : ledger_(ledger) {}

  Ledger& ledger_;
  Curve total_;
  std::array<Curve, kRails> rails_;
  std::vector<Curve> components_;
  sc_core::sc_event due_;
};

}  // namespace armature::power
