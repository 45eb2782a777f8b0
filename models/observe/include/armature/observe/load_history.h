#pragma once

#include "armature/observe/doubling_intervals.h"
#include "armature/observe/request_record.h"

#include <array>
#include <cstdint>
#include <vector>

namespace armature::observe {

/// Completed requests over time, in a fixed number of equal intervals that double in length when the run outgrows them,
/// and how far the arm went for requests, how long they waited for their sector, how many they found before them.
/// Constant memory.
class LoadHistory final : public RequestSink {
 public:
  static constexpr std::size_t kIntervals = 256;  // even
  static constexpr std::size_t kBins = 40;        ///< of seek distance and rotational wait; one more for what is beyond
  static constexpr std::size_t kDepths = 256;     ///< 0 to kDepths - 2 requests, and more

  struct Interval {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;       ///< of the requests that did not fail
    double response = 0;           ///< sum of the response times, ps
    Ps longest = 0;                ///< response time
    std::uint64_t longest_id = 0;  ///< whose it was
    Interval& operator+=(const Interval& other);
  };
  using Bins = std::array<std::uint64_t, kBins + 1>;

  /// @param cylinders   seek distances are counted in kBins parts of it; 0 as 1
  /// @param revolution  waits are counted in kBins parts of it, ps; 0 as 1
  LoadHistory(std::uint32_t cylinders, Ps revolution);

  unsigned follows() const override { return kArrivals; }
  void arrived(const Arrival&) override;
  void completed(const CompletedRequest& request) override;

  Ps interval() const { return intervals_.width(); }                           ///< length of each, ps
  const std::vector<Interval>& intervals() const { return intervals_.all(); }  ///< by completion, up to the last one
  const Bins& seeks() const {
    return seeks_;
  }  ///< requests with a media access, by the distance of the move to the first
  const Bins& waits() const {
    return waits_;
  }  ///< the same, by the time in the phase rotation; the last: a turn or more
  const std::array<std::uint64_t, kDepths>& depths() const {
    return depths_;
  }  ///< requests by the number of earlier ones in the system

 private:
  const std::uint64_t cylinders_;
  const Ps revolution_;
  DoublingIntervals<Interval, kIntervals> intervals_;
  Bins seeks_{};
  Bins waits_{};
  std::array<std::uint64_t, kDepths> depths_{};
  std::size_t depth_ = 0;
};

}  // namespace armature::observe
