#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <vector>

namespace armature::observe {

/// Distribution of times in buckets a 256th of an octave wide (0.3 %): flat memory, quantiles within that.
class TimeHistogram {
 public:
  void add(Ps time);  ///< time >= 0
  std::uint64_t count() const { return count_; }
  /// The time below which `fraction` (0 to 1) of them lie, ps, linear within a bucket; 0 if there is none.
  double quantile(double fraction) const;
  /// quantile((i + 0.5) / steps) for i = 0 .. steps - 1, in one pass.
  std::vector<double> quantiles(std::size_t steps) const;

 private:
  std::vector<std::uint64_t> buckets_;  ///< empty until there is a time
  std::uint64_t count_ = 0;
};

/// Compares the response times of the real drive in a trace with the simulated ones of the same requests. Requests that
/// failed, and those without a measured time, do not count.
class MeasuredComparison final : public RequestSink {
 public:
  unsigned follows() const override { return kEndsOnly; }
  void completed(const CompletedRequest& request) override;

  std::uint64_t count() const { return measured_.count(); }
  double mean_measured() const;   ///< ps
  double mean_simulated() const;  ///< ps, of the same requests
  /// Mean of simulated minus measured, and of its absolute value, over requests, ps.
  double mean_error() const { return mean_simulated() - mean_measured(); }
  double mean_absolute_error() const;
  /// Root mean square horizontal distance between the two cumulative distributions, at 10,000 quantiles, ps: the metric
  /// of DiskSim's validation.
  double rms_distance() const;

  const TimeHistogram& measured() const { return measured_; }
  const TimeHistogram& simulated() const { return simulated_; }

 private:
  TimeHistogram measured_;
  TimeHistogram simulated_;
  __int128 measured_sum_ = 0;
  __int128 simulated_sum_ = 0;
  __int128 absolute_sum_ = 0;
};

}  // namespace armature::observe
