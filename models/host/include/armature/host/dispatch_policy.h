#pragma once

#include "armature/core/time.h"
#include "armature/host/host_params.h"
#include "armature/host/position_oracle.h"
#include "armature/workload/source.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace armature::host {

/// The requests that wait in the host and may go next, and which of them does.
class DispatchPolicy {
 public:
  virtual ~DispatchPolicy() = default;

  /// Requests are added in the order of their arrival.
  virtual void add(const workload::Request& request) = 0;
  /// Removes and returns the next request. Requires size() > 0.
  virtual workload::Request take(Ps at) = 0;
  virtual std::size_t size() const = 0;
  /// Removes those that `wants`, which is asked of each in the order of their arrival.
  virtual void take_along(const std::function<bool(const workload::Request&)>& wants) = 0;
};

/// The policy of `params`:
///   fcfs   the oldest; O(1)
///   clook  the lowest LBN at or above the last one taken, otherwise the lowest of all; O(log n)
///   elevator  the nearest LBN above the last one taken, or at it; if there is none, the nearest below, and so on
///             downwards until there is none; O(log n)
///   sstf   the least seek distance by the oracle
///   sptf   the least positioning time by the oracle, the arm starting at `at` plus the oracle's lead time
///   asptf  the same, less ageing_weight times the time since arrival
/// The last three examine the nearest (asptf: and oldest) requests until a lower bound shows that no other can be
/// better; the place of a request is looked up once, when it is added.
/// Ties go to the earliest arrival, then to the order of `add`. Throws InputError if the policy needs an oracle and
/// there is none.
std::unique_ptr<DispatchPolicy> make_policy(const HostParams& params, const PositionOracle& oracle);

}  // namespace armature::host
