#pragma once

#include "armature/core/random.h"
#include "armature/workload/params.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace armature::workload {

/// What synthetic requests ask for: operation, size, address. Each draws from a stream of its own, so that a change of
/// one share leaves the others' numbers.
class SyntheticContent {
 public:
  /// Throws InputError if the range of addresses does not hold the largest request.
  SyntheticContent(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);

  void fill(Request& request);

 private:
  struct Size {
    std::uint32_t sectors;
    double cumulated_weight;
    std::uint64_t first_start;  // in units of align_
    std::uint64_t starts;
  };

  const Size& draw_size();

  RandomStream operations_;
  RandomStream sizes_stream_;
  RandomStream sequence_;
  RandomStream addresses_;
  const double read_fraction_;
  const double sequential_fraction_;
  const std::uint64_t align_;
  const std::uint64_t first_lbn_;
  std::uint64_t end_lbn_;  // behind the range
  std::vector<Size> sizes_;
  std::uint64_t previous_end_;
};

/// Arrivals at a rate, whatever the drive does.
class OpenSource final : public Source {
 public:
  OpenSource(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);
  Next next(Request& request) override;
  std::uint64_t expected() const override { return count_; }

 private:
  SyntheticContent content_;
  RandomStream arrivals_;
  const std::uint64_t count_;
  const bool exponential_;
  const double mean_ps_;
  std::uint64_t issued_ = 0;
  Ps next_arrival_ = 0;
};

/// A number of requests in flight or being thought about: N users, each of whom asks again after a think time.
class ClosedSource final : public Source {
 public:
  ClosedSource(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);
  Next next(Request& request) override;
  void completed(const Request& request, Ps at) override;
  bool revise(Request& ahead) override;
  std::uint64_t expected() const override { return count_; }

 private:
  SyntheticContent content_;
  RandomStream think_;
  const std::uint64_t count_;
  const bool exponential_;
  const double mean_ps_;
  std::uint64_t issued_ = 0;
  std::priority_queue<Ps, std::vector<Ps>, std::greater<>> arrivals_;  // of the users who are not in flight
};

}  // namespace armature::workload
