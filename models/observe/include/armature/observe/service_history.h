#pragma once

#include "armature/observe/doubling_intervals.h"
#include "armature/observe/request_record.h"

#include <array>
#include <cstdint>
#include <vector>

namespace armature::observe {

/// What reads and writes were served by, over time of completion: in a fixed number of equal intervals that double in
/// length when the run outgrows them. Failed requests and flushes do not count.
class ServiceHistory final : public RequestSink {
 public:
  static constexpr std::size_t kIntervals = 256;  // even
  static constexpr std::size_t kKinds = kServedByNames.size();

  using Counts = std::array<std::uint64_t, kKinds>;  ///< by ServedBy
  struct Interval {
    Counts reads{};
    Counts writes{};
    Interval& operator+=(const Interval& other);
  };

  unsigned follows() const override { return kEndsOnly; }
  void completed(const CompletedRequest& request) override;

  Ps interval() const { return intervals_.width(); }                           ///< length of each, ps
  const std::vector<Interval>& intervals() const { return intervals_.all(); }  ///< up to the last completion
  const Interval& total() const { return total_; }

 private:
  DoublingIntervals<Interval, kIntervals> intervals_;
  Interval total_;
};

}  // namespace armature::observe
