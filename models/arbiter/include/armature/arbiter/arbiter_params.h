#pragma once

#include "armature/arbiter/aau_core.h"
#include "armature/core/schema.h"
#include "armature/core/time.h"

#include <cmath>
#include <cstdint>

namespace armature::arbiter {

/// In the order of the key `model`.
enum class ArbiterModel : int { reference, rtl, lockstep };

/// The arm-arbitration unit and how firmware sets it up, model and clock of the channel arbiter: keys of the section
/// `arbiter`.
struct ArbiterParams {
  ArbiterModel model = ArbiterModel::reference;
  Policy policy = Policy::sptf;
  double clock_mhz = 200;
  std::int64_t pipeline_cycles = AauShape{}.pipeline;
  std::int64_t lanes = 4;
  std::int64_t ageing_weight = 64;
  double margin_us = 1;
  bool free_running = false;  ///< no key: the RTL's clock never stops, for a test that nothing depends on that
  void keys(KeyVisitor& visitor);

  bool with_rtl() const { return model != ArbiterModel::reference; }

  /// The instance for a drive that needs `slots` slots and `arms` arms, with the cost of a disk (0) or of a sled (1):
  /// with RTL the smallest that is built and has them. Throws InputError if there is none, or if a key says what no
  /// instance is.
  AauShape shape(unsigned slots, unsigned arms, unsigned cost_model = 0) const;
  /// Most slots that the unit has with that many lanes: of the RTL if that is built with them, whatever decides, so
  /// that a drive does the same in each mode.
  unsigned most_slots() const;

  /// Period of the unit's clock, rounded to a whole picosecond.
  Ps clock_period() const { return std::llround(1e6 / clock_mhz); }
  /// Longest time from the edge at which a decision starts, whose angles it uses, to the grant: `slots` wait, `arms`
  /// are idle, with `heads` heads each.
  Ps scan_time(std::int64_t slots, std::int64_t arms, std::int64_t heads = 1) const {
    return (pipeline_cycles + arms * heads * ((slots + lanes - 1) / lanes)) * clock_period();
  }
  /// The same from the write of a slot's target, which its commit follows: the wait for an edge, two transfers of two
  /// clocks, and one clock to the start.
  Ps decision_time(std::int64_t slots, std::int64_t arms, std::int64_t heads = 1) const {
    return (1 + 4 + 1) * clock_period() + scan_time(slots, arms, heads);
  }
};

}  // namespace armature::arbiter
