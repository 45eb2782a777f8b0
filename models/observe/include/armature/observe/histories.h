#pragma once

#include "armature/core/random.h"
#include "armature/observe/doubling_intervals.h"
#include "armature/observe/request_record.h"

#include <cstdint>
#include <vector>

namespace armature::observe {

/// Number of requests in the system over time, in a fixed number of equal intervals that double in length when the run
/// outgrows them: minimum, maximum and time average of each.
class DepthHistory final : public RequestSink {
 public:
  static constexpr std::size_t kIntervals = 1024;  // even

  struct Interval {
    std::uint32_t min = 0;
    std::uint32_t max = 0;
    double area = 0;  ///< integral of the depth, requests times ps
    Interval& operator+=(const Interval& other);
  };

  unsigned follows() const override { return kArrivals; }
  void arrived(const Arrival& arrival) override { change(arrival.at, +1); }
  void completed(const CompletedRequest& request) override { change(request.record.completion, -1); }
  void finish(Ps end);

  Ps interval() const { return intervals_.width(); }  ///< length of each, ps; the last one may end earlier
  const std::vector<Interval>& intervals() const { return intervals_.all(); }

 private:
  void change(Ps at, int by);
  void advance(Ps to);

  DoublingIntervals<Interval, kIntervals> intervals_;  ///< up to the present
  Ps time_ = 0;
  std::uint32_t depth_ = 0;
};

/// Where the arms were: every access of the beginning, and a sample of the whole run. Bounded memory.
class ArmHistory final : public RequestSink {
 public:
  static constexpr std::size_t kOpening = 1500;  ///< accesses
  static constexpr std::size_t kSample = 4000;   ///< requests

  struct Stop {
    std::uint64_t id = 0;
    Operation operation = Operation::read;
    AccessTiming timing;
  };
  struct Point {
    Ps at = 0;  ///< the first sector, ps
    std::uint32_t arm = 0;
    std::uint32_t cylinder = 0;
    Operation operation = Operation::read;
    Ps response = 0;
  };

  ArmHistory();
  unsigned follows() const override { return kEndsOnly; }
  void completed(const CompletedRequest& request) override;

  std::vector<Stop> opening() const;  ///< by arm and time of the move
  std::vector<Point> sample() const;  ///< by time
  std::uint64_t seen() const { return seen_; }

 private:
  std::vector<Stop> opening_;
  std::vector<Point> sample_;
  std::uint64_t seen_ = 0;
  RandomStream random_;
};

}  // namespace armature::observe
